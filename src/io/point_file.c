// Files of points made by any program: numbers of any type and byte order, and the columns of a frame from arrays under the
// names that programs give them. The whole file is in memory once; arrays that lie in it as they are used are not copied.
#include "io/point_file.h"

#include "base/base.h"
#include "files/file.h"

#include <stdlib.h>
#include <strings.h>

enum { max_arrays = 256, max_missing_names = 4 };
#define MAX_FILE_BYTES ((size_t)1 << 35)
// What is packed in a file may become this much: particles that anyone computed are no hundred times smaller when packed, while
// deflate packs zeros a thousand times, and arrays may share their bytes.
#define MAX_OWNED_BYTES ((size_t)256 << 20)
#define MAX_OWNED_RATIO 100

static const size_t number_sizes[cou_numberTypeCount] = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8};

size_t couNumberType_Size(couNumberType type) { return number_sizes[type]; }

// --- The list of arrays ------------------------------------------------------------------------------------------------------

bool couPointFile_Refuse(couPointFile *file, const char *key, const char *format, ...)
{
    char message[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    couFaults_Add(file->faults, file->path, key, "%s", message);
    return false;
}

couPointArray *couPointFile_Add(couPointFile *file, const char *key, couNumberType type, int components, size_t count)
{
    if (!file->arrays) file->arrays = couAlloc(NULL, max_arrays * sizeof *file->arrays);
    if (!file->arrays || file->array_count == max_arrays) {
        couPointFile_Refuse(file, NULL, "cannot be read: no memory, or more than %d arrays", max_arrays);
        return NULL;
    }
    couPointArray *array = &file->arrays[file->array_count++];
    *array = (couPointArray){.type = type, .components = components, .count = count};
    array->stride = (size_t)components * number_sizes[type];
    snprintf(array->key, sizeof array->key, "%s", key);
    return array;
}

void *couPointFile_Own(couPointFile *file, couPointArray *array)
{
    array->stride = (size_t)array->components * number_sizes[array->type];
    size_t bytes = array->count * array->stride;
    if (bytes > file->max_owned_bytes - file->owned_bytes) {
        couPointFile_Refuse(file, array->key, "its arrays would take more than %zu MB, which is too much for a file of %zu bytes",
                            file->max_owned_bytes >> 20, file->size);
        return NULL;
    }
    array->owned = couAlloc(NULL, COU_MAX(bytes, 1));
    array->data = array->owned;
    if (array->owned) file->owned_bytes += bytes;
    if (!array->owned) couPointFile_Refuse(file, array->key, "there is no memory for it");
    return array->owned;
}

void couPointFile_Disown(couPointFile *file, couPointArray *array)
{
    if (array->owned) file->owned_bytes -= array->count * array->stride;
    couFree(NULL, array->owned);
    array->owned = NULL;
}

const couPointArray *couPointFile_Find(const couPointFile *file, const char *key)
{
    for (int i = 0; i < file->array_count; ++i)
        if (strcasecmp(file->arrays[i].key, key) == 0) return &file->arrays[i];
    return NULL;
}

const couPointArray *couPointFile_FindRows(const couPointFile *file, const char *key)
{
    const couPointArray *array = couPointFile_Find(file, key);
    return array && array->count == file->count ? array : NULL;
}

void couPointFile_Clear(couPointFile *file)
{
    for (int i = 0; i < file->array_count; ++i) couFree(NULL, file->arrays[i].owned);
    couFree(NULL, file->arrays);
    free(file->text);
    *file = (couPointFile){0};
}

// --- Numbers -----------------------------------------------------------------------------------------------------------------

double couPointArray_Number(const couPointArray *array, size_t row, int component)
{
    size_t size = number_sizes[array->type];
    const unsigned char *from = array->data + row * array->stride + (size_t)component * size;
    unsigned char bytes[8];
    for (size_t i = 0; i < size; ++i) bytes[i] = from[array->is_swapped ? size - 1 - i : i];
    union {
        int8_t i8;
        int16_t i16;
        uint16_t u16;
        int32_t i32;
        uint32_t u32;
        int64_t i64;
        uint64_t u64;
        float f32;
        double f64;
    } value;
    memcpy(&value, bytes, sizeof value);
    switch (array->type) {
    case cou_numberI8: return value.i8;
    case cou_numberU8: return bytes[0];
    case cou_numberI16: return value.i16;
    case cou_numberU16: return value.u16;
    case cou_numberI32: return value.i32;
    case cou_numberU32: return value.u32;
    case cou_numberI64: return (double)value.i64;
    case cou_numberU64: return (double)value.u64;
    case cou_numberF32: return (double)value.f32;
    default: return value.f64;
    }
}

float couToFloat(double value)
{
    if (fabs(value) <= (double)__FLT_MAX__ || value != value) return (float)value;
    return value > 0 ? INFINITY : -INFINITY;
}

couVec3 couPointArray_Vector(const couPointArray *array, size_t row)
{
    couVec3 v = {0};
    if (array->type == cou_numberF32 && !array->is_swapped && array->components >= 3) {
        memcpy(&v, array->data + row * array->stride, sizeof v);
        return v;
    }
    v.x = couToFloat(couPointArray_Number(array, row, 0));
    if (array->components > 1) v.y = couToFloat(couPointArray_Number(array, row, 1));
    if (array->components > 2) v.z = couToFloat(couPointArray_Number(array, row, 2));
    return v;
}

uint32_t couToUnsigned(double value, uint32_t max) { return value > 0 ? (uint32_t)COU_MIN(value, (double)max) : 0; }

const char *couParseNumbers(const char *text, const char *end, double *numbers, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        text += strspn(text, " \t\r\n\v\f"); // the zero behind the file ends it too
        if (text >= end) return NULL;
        char *after;
        numbers[i] = strtod(text, &after);
        if (after == text || after > end) return NULL;
        text = after;
    }
    return text;
}

// --- Reading -----------------------------------------------------------------------------------------------------------------

// Whether the file begins as its kind does: a wrong one of many gigabytes need not be read to be refused.
static bool has_beginning(couPointFile *file, const char *what, const char *const *beginnings)
{
    char start[64] = "";
    FILE *stream = couOpenFile(file->path, NULL);
    if (!stream) return true; // couReadFile() says why
    size_t length = fread(start, 1, sizeof start - 1, stream);
    bool is_failed = ferror(stream) != 0;
    fclose(stream);
    if (is_failed) return true;
    start[length] = '\0';
    const char *text = start + strspn(start, "\xef\xbb\xbf \t\r\n");
    for (; *beginnings; ++beginnings)
        if (strncmp(text, *beginnings, strlen(*beginnings)) == 0) return true;
    return couPointFile_Refuse(file, NULL, "is not %s by its first bytes", what);
}

bool couReadPointFile(couPointFile *file, const char *path, couWantsArray *wants, couFaults *faults)
{
    static const char *const xml_beginnings[] = {"<?xml", "<VTKFile", "<!--", NULL};
    static const char *const legacy_beginnings[] = {"# vtk DataFile", NULL};
    static const char *const ply_beginnings[] = {"ply\n", "ply\r", NULL};
    static const struct {
        const char *extension, *what;
        const char *const *beginnings;
        bool (*read)(couPointFile *file, couWantsArray *wants);
    } kinds[] = {
        {".vtp", "a VTK XML file", xml_beginnings, couReadVtkXml},
        {".vtu", "a VTK XML file", xml_beginnings, couReadVtkXml},
        {".vtk", "a legacy VTK file", legacy_beginnings, couReadVtkLegacy},
        {".ply", "a PLY file", ply_beginnings, couReadPlyFile},
        {".csv", "a table", NULL, couReadCsvPoints},
    };
    *file = (couPointFile){.path = path, .faults = faults};
    const char *dot = strrchr(path, '.');
    for (int i = 0; i < COU_COUNT(kinds); ++i) {
        if (!dot || strcasecmp(dot, kinds[i].extension) != 0) continue;
        if (kinds[i].beginnings && !has_beginning(file, kinds[i].what, kinds[i].beginnings)) return false;
        file->text = couReadFile(path, MAX_FILE_BYTES, &file->size, faults);
        file->max_owned_bytes = MAX_OWNED_BYTES + MAX_OWNED_RATIO * file->size;
        return file->text && kinds[i].read(file, wants);
    }
    return couPointFile_Refuse(file, NULL, "is not a frame by its name; allowed: .vtp, .vtu, .vtk, .ply and .csv");
}

// --- Frames ------------------------------------------------------------------------------------------------------------------

// The names of what a frame holds, most usual first: of Coulis, of VTK and ParaView, of SPH programs.
static const char *const velocity_keys[] = {"PointData/velocity", "PointData/velocities", "PointData/vel",
                                            "PointData/v",        "PointData/U",          NULL};
static const char *const id_keys[] = {
    "PointData/id", "PointData/ids", "PointData/idp", "PointData/index", "PointData/GlobalIds", "PointData/GlobalPointIds", NULL};
static const char *const density_keys[] = {"PointData/density", NULL};
static const char *const material_keys[] = {"PointData/material", "PointData/mk", NULL};
static const char *const pressure_keys[] = {"PointData/pressure", "PointData/press", NULL};
// The same as single columns, as a PLY has them.
static const char *const place_columns[] = {"PointData/x", "PointData/y", "PointData/z"};
static const char *const velocity_columns[] = {"PointData/vx", "PointData/vy", "PointData/vz"};

static bool is_any(const char *key, const char *const *keys, int count)
{
    for (int i = 0; i < count && keys[i]; ++i)
        if (strcasecmp(key, keys[i]) == 0) return true;
    return false;
}

static bool wants_frame(const char *key)
{
    return strcmp(key, "Points") == 0 || is_any(key, velocity_keys, COU_COUNT(velocity_keys)) ||
           is_any(key, id_keys, COU_COUNT(id_keys)) || is_any(key, density_keys, COU_COUNT(density_keys)) ||
           is_any(key, material_keys, COU_COUNT(material_keys)) || is_any(key, place_columns, 3) ||
           is_any(key, velocity_columns, 3) || is_any(key, pressure_keys, COU_COUNT(pressure_keys));
}

static const couPointArray *find_any(const couPointFile *file, const char *const *keys, int least_components)
{
    for (; *keys; ++keys) {
        const couPointArray *array = couPointFile_FindRows(file, *keys);
        if (array && array->components >= least_components) return array;
    }
    return NULL;
}

// Vectors from one array, or from three columns of one number each. False when there is neither.
static bool fill_vectors(couVec3 *vectors, const couPointFile *file, const couPointArray *array, const char *const *columns)
{
    if (array) {
        for (size_t i = 0; i < file->count; ++i) vectors[i] = couPointArray_Vector(array, i);
        return true;
    }
    const couPointArray *x = couPointFile_FindRows(file, columns[0]), *y = couPointFile_FindRows(file, columns[1]);
    const couPointArray *z = couPointFile_FindRows(file, columns[2]);
    if (!x || !y) return false; // a table of 2D has no z
    for (size_t i = 0; i < file->count; ++i)
        vectors[i] = (couVec3){couToFloat(couPointArray_Number(x, i, 0)), couToFloat(couPointArray_Number(y, i, 0)),
                               z ? couToFloat(couPointArray_Number(z, i, 0)) : 0.0f};
    return true;
}

// Ids that do not fit into 32 bits, or are no whole numbers, are no ids for us.
static bool fill_ids(uint32_t *ids, const couPointFile *file, const couPointArray *array)
{
    bool is_good = array != NULL;
    for (size_t i = 0; is_good && i < file->count; ++i) {
        double id = couPointArray_Number(array, i, 0);
        is_good = id >= 0 && id <= UINT32_MAX && id == floor(id);
        if (is_good) ids[i] = (uint32_t)id;
    }
    for (size_t i = 0; !is_good && i < file->count; ++i) ids[i] = (uint32_t)i;
    return is_good;
}

// False without memory.
static bool fill_pressure(const couPointFile *file, couFrame *frame)
{
    const couPointArray *array = find_any(file, pressure_keys, 1);
    if (!array) return true;
    frame->pressure = couAlloc(NULL, COU_MAX(file->count, 1) * sizeof *frame->pressure);
    for (size_t i = 0; frame->pressure && i < file->count; ++i)
        frame->pressure[i] = couToFloat(couPointArray_Number(array, i, 0));
    return frame->pressure;
}

static void fill_frame(const couPointFile *file, couFrame *frame)
{
    const couPointArray *velocity = find_any(file, velocity_keys, 2);
    const couPointArray *density = find_any(file, density_keys, 1), *material = find_any(file, material_keys, 1);
    frame->time = file->time;
    if (!fill_vectors(frame->velocity, file, velocity, velocity_columns)) frame->missing |= cou_frameVelocity;
    if (!fill_ids(frame->id, file, find_any(file, id_keys, 1))) frame->missing |= cou_frameId;
    if (!density) frame->missing |= cou_frameDensity;
    if (!material) frame->missing |= cou_frameMaterial;
    for (size_t i = 0; i < file->count; ++i) {
        frame->density[i] = density ? couToFloat(couPointArray_Number(density, i, 0)) : 1.0f;
        if (material) frame->material[i] = (uint8_t)couToUnsigned(couPointArray_Number(material, i, 0), UINT8_MAX);
    }
}

bool couReadFrame(const char *path, couFrame *frame, couFaults *faults)
{
    couPointFile file;
    *frame = (couFrame){0};
    bool is_ok = couReadPointFile(&file, path, wants_frame, faults);
    if (is_ok && (!couAllocateFrame(frame, file.count) || !fill_pressure(&file, frame)))
        is_ok = couPointFile_Refuse(&file, NULL, "cannot be read: no memory for %zu particles", file.count);
    if (is_ok && !fill_vectors(frame->position, &file, couPointFile_FindRows(&file, "Points"), place_columns))
        is_ok = couPointFile_Refuse(&file, NULL, "is no frame: it has no positions");
    if (is_ok)
        fill_frame(&file, frame);
    else
        couFreeFrame(frame);
    couPointFile_Clear(&file);
    return is_ok;
}

const char *couFrame_Missing(const couFrame *frame, char *text, size_t size)
{
    static const char *const names[max_missing_names] = {"velocity", "id", "density", "material"};
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < max_missing_names && used < size; ++i)
        if (frame->missing >> i & 1) used += (size_t)snprintf(text + used, size - used, "%s%s", used > 0 ? ", " : "", names[i]);
    return text;
}
