// PLY, binary little-endian: a text head and one packed record of 33 bytes a particle. No compression: larger than .vtp, but
// every tool opens it.
//
// Reading takes any order and type of scalar properties, so frames that another program filtered come back too. The size of the file
// must account for every particle that the head claims before memory is taken.
#include "io/frames.h"

#include "base/base.h"
#include "io/file.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers are written as they lie in memory");

enum { rows_at_once = 2048, max_head_bytes = 1 << 14, max_properties = 64 };

typedef enum Type { type_i8, type_u8, type_i16, type_u16, type_i32, type_u32, type_f32, type_f64, type_count } Type;

static const struct {
    const char *name, *alias;
    size_t bytes;
} types[type_count] = {
    [type_i8] = {"char", "int8", 1},      [type_u8] = {"uchar", "uint8", 1},     [type_i16] = {"short", "int16", 2},
    [type_u16] = {"ushort", "uint16", 2}, [type_i32] = {"int", "int32", 4},      [type_u32] = {"uint", "uint32", 4},
    [type_f32] = {"float", "float32", 4}, [type_f64] = {"double", "float64", 8},
};

// What we know about a particle; also the order of writing.
typedef enum Field {
    field_x,
    field_y,
    field_z,
    field_vx,
    field_vy,
    field_vz,
    field_density,
    field_id,
    field_material,
    field_count
} Field;

static const struct {
    const char *name;
    Type type;
} fields[field_count] = {
    [field_x] = {"x", type_f32},
    [field_y] = {"y", type_f32},
    [field_z] = {"z", type_f32},
    [field_vx] = {"vx", type_f32},
    [field_vy] = {"vy", type_f32},
    [field_vz] = {"vz", type_f32},
    [field_density] = {"density", type_f32},
    [field_id] = {"id", type_u32},
    [field_material] = {"material", type_u8},
};

// --- Writing -----------------------------------------------------------------------------------------------------------------

enum { row_bytes = 33 };

static void pack_row(char *row, const couFrame *frame, size_t i)
{
    memcpy(row, &frame->position[i], 12);
    memcpy(row + 12, &frame->velocity[i], 12);
    memcpy(row + 24, &frame->density[i], 4);
    memcpy(row + 28, &frame->id[i], 4);
    row[32] = (char)frame->material[i];
}

bool couWritePly(const char *path, const couFrame *frame, couFaults *faults)
{
    couFile file;
    if (!couFile_Create(&file, path, faults)) return false;
    fprintf(file.stream,
            "ply\nformat binary_little_endian 1.0\n"
            "comment Coulis particles: x y z [m], vx vy vz [m/s], density relative to rest\n"
            "comment time %.17g\n"
            "element vertex %zu\n",
            frame->time, frame->count);
    for (int i = 0; i < field_count; ++i) fprintf(file.stream, "property %s %s\n", types[fields[i].type].name, fields[i].name);
    fprintf(file.stream, "end_header\n");
    char rows[rows_at_once * row_bytes];
    for (size_t begin = 0; begin < frame->count; begin += rows_at_once) {
        size_t count = COU_MIN(frame->count - begin, (size_t)rows_at_once);
        for (size_t i = 0; i < count; ++i) pack_row(rows + i * row_bytes, frame, begin + i);
        if (!couFile_Write(&file, rows, count * row_bytes)) break;
    }
    return couFile_Commit(&file, faults);
}

// --- Reading -----------------------------------------------------------------------------------------------------------------

typedef struct Head {
    uint64_t count;
    double time;   // 0 when the file does not say
    size_t stride; // bytes of a row
    int property_count;
    int columns[field_count]; // byte offset in the row, -1 when missing
    Type column_types[field_count];
    bool has_format, has_vertex, has_more_elements;
} Head;

static bool refuse(couFaults *faults, const char *path, const char *what, const char *text)
{
    couFaults_Add(faults, path, NULL, "is not a PLY frame: %s%.60s", what, text);
    return false;
}

static bool find_type(const char *word, Type *type)
{
    for (int i = 0; i < type_count; ++i) {
        if (strcmp(word, types[i].name) != 0 && strcmp(word, types[i].alias) != 0) continue;
        *type = (Type)i;
        return true;
    }
    return false;
}

static bool parse_count(const char *word, uint64_t *count)
{
    if (word[0] == '\0' || word[strspn(word, "0123456789")] != '\0') return false;
    errno = 0;
    *count = strtoull(word, NULL, 10);
    return errno == 0 && *count <= COU_MAX_FRAME_COUNT;
}

static bool parse_property(Head *head, const char *type_word, const char *name)
{
    Type type;
    if (head->property_count++ >= max_properties || !find_type(type_word, &type)) return false;
    for (int i = 0; i < field_count; ++i) {
        if (strcmp(name, fields[i].name) != 0) continue;
        head->columns[i] = (int)head->stride;
        head->column_types[i] = type;
    }
    head->stride += types[type].bytes;
    return true;
}

static bool parse_line(Head *head, char *line, const char *path, couFaults *faults)
{
    char words[3][32] = {{0}};
    int count = sscanf(line, "%31s %31s %31s", words[0], words[1], words[2]);
    if (count < 1 || strcmp(words[0], "obj_info") == 0) return true;
    if (strcmp(words[0], "comment") == 0) {
        char *end;
        double time = strcmp(words[1], "time") == 0 ? strtod(words[2], &end) : 0;
        if (isfinite(time) && time != 0) head->time = time;
        return true;
    }
    if (strcmp(words[0], "format") == 0) {
        head->has_format = strcmp(words[1], "binary_little_endian") == 0;
        return head->has_format || refuse(faults, path, "allowed format: binary_little_endian, not ", words[1]);
    }
    if (strcmp(words[0], "element") == 0 && !head->has_vertex) {
        if (strcmp(words[1], "vertex") != 0) return refuse(faults, path, "its first element must be vertex, not ", words[1]);
        head->has_vertex = true;
        return parse_count(words[2], &head->count) || refuse(faults, path, "vertices allowed: 0 to 2147483647, not ", words[2]);
    }
    if (strcmp(words[0], "element") == 0)
        head->has_more_elements = true;
    else if (strcmp(words[0], "property") != 0)
        return refuse(faults, path, "unknown word in its head: ", words[0]);
    else if (!head->has_vertex)
        return refuse(faults, path, "a property before its element", "");
    else if (!head->has_more_elements && !parse_property(head, words[1], words[2]))
        return refuse(faults, path, "allowed: up to 64 properties of plain number types, not ", line);
    return true;
}

// Reads the lines up to end_header, which leaves the stream at the first row.
static bool read_head(FILE *stream, Head *head, const char *path, couFaults *faults)
{
    *head = (Head){0};
    for (int i = 0; i < field_count; ++i) head->columns[i] = -1;
    char line[512];
    bool is_first = true;
    for (size_t total = 0; total < max_head_bytes && fgets(line, sizeof line, stream) != NULL; is_first = false) {
        size_t length = strlen(line);
        total += length + 1;
        if (length == 0 || line[length - 1] != '\n') break;
        line[strcspn(line, "\r\n")] = '\0';
        if (is_first) {
            if (strcmp(line, "ply") != 0) break;
        } else if (strcmp(line, "end_header") == 0) {
            if (!head->has_format || !head->has_vertex) return refuse(faults, path, "its head lacks format or vertices", "");
            if (head->columns[field_x] >= 0 && head->columns[field_y] >= 0 && head->columns[field_z] >= 0) return true;
            return refuse(faults, path, "its vertices lack x, y or z", "");
        } else if (!parse_line(head, line, path, faults)) {
            return false;
        }
    }
    return refuse(faults, path, is_first ? "it does not begin with ply" : "its head does not end", "");
}

static double load_number(const char *at, Type type)
{
    union {
        int8_t i8;
        uint8_t u8;
        int16_t i16;
        uint16_t u16;
        int32_t i32;
        uint32_t u32;
        float f32;
        double f64;
    } value;
    memcpy(&value, at, types[type].bytes);
    switch (type) {
    case type_i8: return value.i8;
    case type_u8: return value.u8;
    case type_i16: return value.i16;
    case type_u16: return value.u16;
    case type_i32: return value.i32;
    case type_u32: return value.u32;
    case type_f32: return (double)value.f32;
    default: return value.f64;
    }
}

static double load_field(const Head *head, const char *row, Field field, double otherwise)
{
    return head->columns[field] < 0 ? otherwise : load_number(row + head->columns[field], head->column_types[field]);
}

// Into the range of an unsigned integer; NaN gives 0.
static uint32_t to_unsigned(double value, uint32_t max) { return value > 0 ? (uint32_t)COU_MIN(value, (double)max) : 0; }

static void unpack_row(couFrame *frame, size_t i, const Head *head, const char *row)
{
    frame->position[i] = (couVec3){(float)load_field(head, row, field_x, 0), (float)load_field(head, row, field_y, 0),
                                   (float)load_field(head, row, field_z, 0)};
    frame->velocity[i] = (couVec3){(float)load_field(head, row, field_vx, 0), (float)load_field(head, row, field_vy, 0),
                                   (float)load_field(head, row, field_vz, 0)};
    frame->density[i] = (float)load_field(head, row, field_density, 1);
    frame->id[i] = to_unsigned(load_field(head, row, field_id, (double)i), UINT32_MAX);
    frame->material[i] = (uint8_t)to_unsigned(load_field(head, row, field_material, 0), UINT8_MAX);
}

static bool read_rows(FILE *stream, const Head *head, couFrame *frame)
{
    char *rows = couAlloc(NULL, rows_at_once * head->stride);
    bool is_ok = rows != NULL;
    for (size_t begin = 0; is_ok && begin < head->count; begin += rows_at_once) {
        size_t count = COU_MIN(head->count - begin, (size_t)rows_at_once);
        is_ok = fread(rows, head->stride, count, stream) == count;
        for (size_t i = 0; is_ok && i < count; ++i) unpack_row(frame, begin + i, head, rows + i * head->stride);
    }
    couFree(NULL, rows);
    return is_ok;
}

// The rows must fill the file, unless other elements follow.
static bool check_size(const Head *head, uint64_t file_bytes, uint64_t head_bytes, const char *path, couFaults *faults)
{
    uint64_t expected = head_bytes + head->count * head->stride;
    if (file_bytes == expected || (file_bytes > expected && head->has_more_elements)) return true;
    couFaults_Add(faults, path, NULL, "is damaged: %llu bytes, but %llu vertices of %zu bytes need %llu",
                  (unsigned long long)file_bytes, (unsigned long long)head->count, head->stride, (unsigned long long)expected);
    return false;
}

bool couReadPly(const char *path, couFrame *frame, couFaults *faults)
{
    *frame = (couFrame){0};
    FILE *stream = fopen(path, "rbe");
    struct stat status;
    if (stream == NULL || fstat(fileno(stream), &status) != 0) {
        couFaults_Add(faults, path, NULL, "cannot be read: %s", strerror(errno));
        if (stream != NULL) fclose(stream);
        return false;
    }
    Head head;
    uint64_t file_bytes = S_ISREG(status.st_mode) ? (uint64_t)status.st_size : 0;
    bool is_ok = read_head(stream, &head, path, faults) && check_size(&head, file_bytes, (uint64_t)ftello(stream), path, faults);
    if (is_ok && !(couAllocateFrame(frame, head.count) && read_rows(stream, &head, frame))) {
        couFaults_Add(faults, path, NULL, "cannot be read: no memory, or the file changed meanwhile");
        is_ok = false;
    }
    if (is_ok)
        frame->time = head.time;
    else
        couFreeFrame(frame);
    fclose(stream);
    return is_ok;
}
