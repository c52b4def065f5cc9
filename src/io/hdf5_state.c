// How a state lies in HDF5: one dataset per array under the array's name, (rows) or (rows, components), with a `unit`
// attribute; the dataset "order" lists the names, as the state's hash depends on their order; info as attributes of the root.
// Large arrays are cut into chunks, shuffled by byte and deflated (fastest level); HDF5 tools and h5py read all of it.
//
// Reading believes nothing: only plain datasets are opened (no links out of the file, no external or virtual storage, no filter
// plugins), and no array gets more memory than its stored bytes can unpack to. It happens in a process of its own (checkpoint.c),
// which passes one array after the other on.
#include "io/hdf5_state.h"

#include "base/base.h"
#include "io/state_pipe.h"

#include <stdio.h>
#define ZLIB_CONST
#include <zlib.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "packed floats are written as they lie in memory");

enum {
    chunk_bytes = 1 << 20,
    min_packed_bytes = 1 << 14 // smaller arrays are stored plain
};

#define ORDER_NAME "order"

// --- HDF5's errors -----------------------------------------------------------------------------------------------------------

couHdf5Silence couHdf5_BeginSilence(void)
{
    couHdf5Silence silence = {0};
    H5Eget_auto2(H5E_DEFAULT, &silence.function, &silence.context);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return silence;
}

void couHdf5_EndSilence(couHdf5Silence silence) { H5Eset_auto2(H5E_DEFAULT, silence.function, silence.context); }

typedef struct ErrorText {
    char *text;
    size_t size;
} ErrorText;

// The innermost entry comes first and is the cause; the rest is who called whom.
static herr_t take_first_error(unsigned number, const H5E_error2_t *error, void *context)
{
    ErrorText *target = context;
    if (number == 0 && error->desc) snprintf(target->text, target->size, "%s", error->desc);
    return 0;
}

void couHdf5_FormatError(char *text, size_t size)
{
    ErrorText target = {text, size};
    snprintf(text, size, "unknown HDF5 error");
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_first_error, &target);
}

// --- Types -------------------------------------------------------------------------------------------------------------------

static hid_t file_type(couStateType type)
{
    switch (type) {
    case cou_stateU8: return H5T_STD_U8LE;
    case cou_stateU32: return H5T_STD_U32LE;
    case cou_stateU64: return H5T_STD_U64LE;
    case cou_stateF32: return H5T_IEEE_F32LE;
    case cou_stateF64: return H5T_IEEE_F64LE;
    }
    return -1;
}

static hid_t memory_type(couStateType type)
{
    switch (type) {
    case cou_stateU8: return H5T_NATIVE_UINT8;
    case cou_stateU32: return H5T_NATIVE_UINT32;
    case cou_stateU64: return H5T_NATIVE_UINT64;
    case cou_stateF32: return H5T_NATIVE_FLOAT;
    case cou_stateF64: return H5T_NATIVE_DOUBLE;
    }
    return -1;
}

static bool find_state_type(hid_t type, couStateType *result)
{
    for (int i = cou_stateU8; i <= cou_stateF64; ++i) {
        *result = (couStateType)i;
        if (H5Tequal(type, file_type(*result)) > 0) return true;
    }
    return false;
}

// Zero-terminated UTF-8 of fixed size.
static hid_t make_string_type(size_t bytes)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, bytes);
    H5Tset_cset(type, H5T_CSET_UTF8);
    return type;
}

// --- Writing -----------------------------------------------------------------------------------------------------------------

static bool write_attribute(hid_t object, const char *name, hid_t type, hid_t memory, const void *value)
{
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    bool is_ok = attribute >= 0 && H5Awrite(attribute, memory, value) >= 0;
    if (attribute >= 0) is_ok = H5Aclose(attribute) >= 0 && is_ok;
    H5Sclose(space);
    return is_ok;
}

static bool write_text(hid_t object, const char *name, const char *text)
{
    hid_t type = make_string_type(strlen(text) + 1);
    bool is_ok = write_attribute(object, name, type, type, text);
    H5Tclose(type);
    return is_ok;
}

static bool write_u64(hid_t object, const char *name, uint64_t value)
{
    return write_attribute(object, name, H5T_STD_U64LE, H5T_NATIVE_UINT64, &value);
}

static bool write_f64(hid_t object, const char *name, double value)
{
    return write_attribute(object, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &value);
}

static bool write_info(hid_t file, const couCheckpointInfo *info)
{
    return write_text(file, "scene", info->scene) && write_text(file, "method", info->method) &&
           write_u64(file, "scene_hash", info->scene_hash) && write_u64(file, "frame", (uint64_t)COU_MAX(info->frame, 0)) &&
           write_f64(file, "fps", info->fps) && write_f64(file, "time", info->time) &&
           write_u64(file, "particles", info->particles) && write_u64(file, "state_hash", info->state_hash);
}

// Rows of a chunk, about a megabyte; 0 for an array that is too small to pack.
static size_t chunk_rows(const couStateArray *array)
{
    size_t row_bytes = couStateType_Size(array->type) * (size_t)array->components;
    return array->count * row_bytes < min_packed_bytes ? 0 : COU_CLAMP(chunk_bytes / row_bytes, 1, array->count);
}

static hid_t create_dataset(hid_t file, const couStateArray *array)
{
    int rank = array->components == 1 ? 1 : 2;
    hsize_t shape[2] = {array->count, (hsize_t)array->components}, chunk[2] = {chunk_rows(array), (hsize_t)array->components};
    hid_t space = H5Screate_simple(rank, shape, NULL), dataset = -1;
    hid_t links = H5Pcreate(H5P_LINK_CREATE), creation = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_create_intermediate_group(links, 1);
    if (chunk[0] == 0 ||
        (H5Pset_chunk(creation, rank, chunk) >= 0 && H5Pset_shuffle(creation) >= 0 && H5Pset_deflate(creation, 1) >= 0))
        dataset = H5Dcreate2(file, array->name, file_type(array->type), space, links, creation, H5P_DEFAULT);
    H5Pclose(creation);
    H5Pclose(links);
    H5Sclose(space);
    return dataset;
}

// HDF5's shuffle filter: first bytes of all numbers, then second bytes...
static void shuffle_bytes(unsigned char *target, const unsigned char *source, size_t count, size_t size)
{
    for (size_t byte = 0; byte < size; ++byte)
        for (size_t i = 0; i < count; ++i) *target++ = source[i * size + byte];
}

static bool write_chunk(hid_t dataset, hsize_t first_row, z_stream *pack, unsigned char *packed, size_t packed_capacity,
                        const unsigned char *shuffled, size_t bytes)
{
    hsize_t place[2] = {first_row, 0};
    deflateReset(pack);
    pack->next_in = shuffled;
    pack->avail_in = (uInt)bytes;
    pack->next_out = packed;
    pack->avail_out = (uInt)packed_capacity;
    return deflate(pack, Z_FINISH) == Z_STREAM_END &&
           H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, place, pack->total_out, packed) >= 0;
}

// What H5Dwrite() would do, but deflated without a search for repeats, which bytes of floats do not have: twice as fast and
// 2 % smaller. Counting integers are left to H5Dwrite(). The last chunk is filled up with zeros, as HDF5 wants it.
static bool write_packed_floats(hid_t dataset, const couStateArray *array)
{
    size_t rows = chunk_rows(array), size = couStateType_Size(array->type), row_bytes = size * (size_t)array->components;
    size_t bytes = rows * row_bytes, capacity = compressBound(bytes);
    unsigned char *padded = couAlloc(NULL, 2 * bytes + capacity), *shuffled = padded + bytes, *packed = shuffled + bytes;
    z_stream pack = {0};
    bool is_ok = padded && deflateInit2(&pack, Z_BEST_SPEED, Z_DEFLATED, MAX_WBITS, MAX_MEM_LEVEL, Z_RLE) == Z_OK;
    for (size_t row = 0; is_ok && row < array->count; row += rows) {
        const unsigned char *source = (const unsigned char *)array->data + row * row_bytes;
        if (array->count - row < rows) {
            memset(padded, 0, bytes);
            source = memcpy(padded, source, (array->count - row) * row_bytes);
        }
        shuffle_bytes(shuffled, source, bytes / size, size);
        is_ok = write_chunk(dataset, row, &pack, packed, capacity, shuffled, bytes);
    }
    deflateEnd(&pack);
    couFree(NULL, padded);
    return is_ok;
}

static bool write_array(hid_t file, const couStateArray *array)
{
    hid_t dataset = create_dataset(file, array);
    if (dataset < 0) return false;
    bool is_float = array->type == cou_stateF32 || array->type == cou_stateF64;
    bool is_ok = write_text(dataset, "unit", array->unit);
    if (is_ok && is_float && chunk_rows(array) > 0)
        is_ok = write_packed_floats(dataset, array);
    else if (is_ok && array->count > 0)
        is_ok = H5Dwrite(dataset, memory_type(array->type), H5S_ALL, H5S_ALL, H5P_DEFAULT, array->data) >= 0;
    return H5Dclose(dataset) >= 0 && is_ok;
}

static bool write_order(hid_t file, const couState *state)
{
    enum { name_bytes = sizeof state->arrays->name };
    hsize_t count = (hsize_t)state->count;
    char *names = couAlloc(NULL, (size_t)COU_MAX(count, 1) * name_bytes);
    if (!names) return false;
    for (int i = 0; i < state->count; ++i) memcpy(names + i * name_bytes, state->arrays[i].name, name_bytes);
    hid_t type = make_string_type(name_bytes), space = H5Screate_simple(1, &count, NULL);
    hid_t dataset = H5Dcreate2(file, ORDER_NAME, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool is_ok = dataset >= 0 && (count == 0 || H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, names) >= 0);
    if (dataset >= 0) is_ok = H5Dclose(dataset) >= 0 && is_ok;
    H5Sclose(space);
    H5Tclose(type);
    couFree(NULL, names);
    return is_ok;
}

bool couHdf5_Write(hid_t file, const couCheckpointInfo *info, const couState *state)
{
    bool is_ok = write_info(file, info) && write_order(file, state);
    for (int i = 0; is_ok && i < state->count; ++i) is_ok = write_array(file, &state->arrays[i]);
    return is_ok;
}

// --- Reading -----------------------------------------------------------------------------------------------------------------

// One number. Its kind must be right; the width may be another.
static bool read_number(hid_t object, const char *name, H5T_class_t kind, hid_t memory, void *value)
{
    hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    if (attribute < 0) return false;
    hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
    bool is_ok = H5Tget_class(type) == kind && H5Sget_simple_extent_npoints(space) == 1 && H5Aread(attribute, memory, value) >= 0;
    H5Sclose(space);
    H5Tclose(type);
    H5Aclose(attribute);
    return is_ok;
}

// A fixed-size string that fits into `text` with its zero.
static bool read_text(hid_t object, const char *name, char *text, size_t size)
{
    hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    if (attribute < 0) return false;
    hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
    size_t bytes = H5Tget_size(type);
    bool is_ok = H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 && bytes > 0 && bytes <= size &&
                 H5Sget_simple_extent_npoints(space) == 1 && H5Aread(attribute, type, text) >= 0;
    if (is_ok) text[bytes - 1] = '\0';
    H5Sclose(space);
    H5Tclose(type);
    H5Aclose(attribute);
    return is_ok;
}

static bool refuse(couFaults *faults, const char *path, const char *key, const char *what)
{
    couFaults_Add(faults, path, key, "the checkpoint is wrong: %s", what);
    return false;
}

bool couHdf5_ReadInfo(hid_t file, couCheckpointInfo *info, const char *path, couFaults *faults)
{
    struct {
        const char *name;
        H5T_class_t kind;
        hid_t type;
        void *value;
    } numbers[] = {
        {"scene_hash", H5T_INTEGER, H5T_NATIVE_UINT64, &info->scene_hash},
        {"frame", H5T_INTEGER, H5T_NATIVE_INT, &info->frame},
        {"fps", H5T_FLOAT, H5T_NATIVE_DOUBLE, &info->fps},
        {"time", H5T_FLOAT, H5T_NATIVE_DOUBLE, &info->time},
        {"particles", H5T_INTEGER, H5T_NATIVE_UINT64, &info->particles},
        {"state_hash", H5T_INTEGER, H5T_NATIVE_UINT64, &info->state_hash},
    };
    if (!read_text(file, "scene", info->scene, sizeof info->scene)) return refuse(faults, path, "scene", "missing or no text");
    if (!read_text(file, "method", info->method, sizeof info->method))
        return refuse(faults, path, "method", "missing or no text");
    for (int i = 0; i < COU_COUNT(numbers); ++i)
        if (!read_number(file, numbers[i].name, numbers[i].kind, numbers[i].type, numbers[i].value))
            return refuse(faults, path, numbers[i].name, "missing or no number");
    return true;
}

// Every part of the name must be a plain link inside this file: no ".", no soft or external link.
static bool is_plain_path(hid_t file, const char *name)
{
    char prefix[sizeof((couStateArray *)0)->name];
    for (const char *part = name;; ++part) {
        size_t length = strcspn(part, "/");
        if (length == 0 || (part[0] == '.' && length == strspn(part, "."))) return false;
        part += length;
        snprintf(prefix, sizeof prefix, "%.*s", (int)(part - name), name);
        H5L_info_t link;
        if (H5Lget_info(file, prefix, &link, H5P_DEFAULT) < 0 || link.type != H5L_TYPE_HARD) return false;
        if (*part == '\0') return true;
    }
}

// Storage inside this file and no filters but ours; HDF5 would load plugins for others.
static bool is_plain_storage(hid_t dataset)
{
    hid_t creation = H5Dget_create_plist(dataset);
    H5D_layout_t layout = H5Pget_layout(creation);
    bool is_plain = (layout == H5D_COMPACT || layout == H5D_CONTIGUOUS || layout == H5D_CHUNKED) &&
                    H5Pget_external_count(creation) == 0;
    int filter_count = layout == H5D_CHUNKED ? H5Pget_nfilters(creation) : 0;
    for (int i = 0; i < filter_count; ++i) {
        unsigned flags;
        size_t value_count = 0;
        H5Z_filter_t filter = H5Pget_filter2(creation, (unsigned)i, &flags, &value_count, NULL, 0, NULL, NULL);
        if (filter != H5Z_FILTER_SHUFFLE && filter != H5Z_FILTER_DEFLATE) is_plain = false;
    }
    H5Pclose(creation);
    return is_plain && filter_count >= 0 && filter_count <= 2;
}

// True when the bytes that the file stores for the dataset can unpack to `bytes`.
static bool is_justified(hid_t dataset, uint64_t bytes, uint64_t file_bytes)
{
    uint64_t stored = H5Dget_storage_size(dataset);
    return stored <= file_bytes && bytes / COU_HDF5_MAX_RATIO <= stored && (stored > 0 || bytes == 0);
}

// Rows and components of a dataset of ours.
static bool get_shape(hid_t dataset, hsize_t shape[2])
{
    hid_t space = H5Dget_space(dataset);
    int rank = H5Sget_simple_extent_ndims(space);
    shape[0] = 0;
    shape[1] = 1;
    bool is_ok = (rank == 1 || rank == 2) && H5Sget_simple_extent_dims(space, shape, NULL) == rank;
    H5Sclose(space);
    return is_ok && shape[1] >= 1 && shape[1] <= cou_maxStateComponents;
}

static bool read_array(hid_t dataset, const char *name, uint64_t file_bytes, int pipe, const char *path, couFaults *faults)
{
    hsize_t shape[2];
    uint64_t bytes;
    couStateArray array = {.components = 1};
    snprintf(array.name, sizeof array.name, "%s", name);
    hid_t stored_type = H5Dget_type(dataset);
    bool is_known = find_state_type(stored_type, &array.type);
    H5Tclose(stored_type);
    if (!is_known) return refuse(faults, path, name, "the array has a foreign type");
    if (!get_shape(dataset, shape)) return refuse(faults, path, name, "the array has a foreign shape");
    if (!is_plain_storage(dataset)) return refuse(faults, path, name, "the array is stored in a foreign way");
    if (!read_text(dataset, "unit", array.unit, sizeof array.unit)) return refuse(faults, path, name, "the array has no unit");
    if (__builtin_mul_overflow(shape[0], shape[1] * couStateType_Size(array.type), &bytes) ||
        !is_justified(dataset, bytes, file_bytes))
        return refuse(faults, path, name, "the array claims more than the file can hold");
    array.components = (int)shape[1];
    array.count = shape[0];
    array.data = couAlloc(NULL, COU_MAX(bytes, 1));
    if (!array.data) return refuse(faults, path, name, "there is no memory for the array");
    bool is_read = bytes == 0 || H5Dread(dataset, memory_type(array.type), H5S_ALL, H5S_ALL, H5P_DEFAULT, array.data) >= 0;
    if (is_read) couStatePipe_SendArray(pipe, &array);
    couFree(NULL, array.data);
    return is_read || refuse(faults, path, name, "the array's data is damaged");
}

// The names of all arrays, to be freed with couFree(); NULL when the list is missing or wrong.
static char *read_order(hid_t file, uint64_t file_bytes, int *count)
{
    enum { name_bytes = sizeof((couStateArray *)0)->name };
    char *names = NULL;
    hid_t dataset = is_plain_path(file, ORDER_NAME) ? H5Dopen2(file, ORDER_NAME, H5P_DEFAULT) : -1;
    if (dataset < 0) return NULL;
    hid_t type = H5Dget_type(dataset);
    hsize_t shape[2];
    if (H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 && H5Tget_size(type) == name_bytes &&
        get_shape(dataset, shape) && shape[1] == 1 && shape[0] <= cou_maxStateArrays && is_plain_storage(dataset) &&
        is_justified(dataset, shape[0] * name_bytes, file_bytes)) {
        *count = (int)shape[0];
        names = couAlloc(NULL, (shape[0] + 1) * name_bytes);
    }
    if (names && *count > 0 && H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, names) < 0) {
        couFree(NULL, names);
        names = NULL;
    }
    H5Tclose(type);
    H5Dclose(dataset);
    return names;
}

bool couHdf5_SendState(hid_t file, uint64_t file_bytes, int pipe, const char *path, couFaults *faults)
{
    enum { name_bytes = sizeof((couStateArray *)0)->name };
    int count = 0;
    char *names = read_order(file, file_bytes, &count);
    if (!names) return refuse(faults, path, ORDER_NAME, "the list of arrays is missing or wrong");
    bool is_ok = true;
    for (int i = 0; is_ok && i < count; ++i) {
        char *name = names + i * name_bytes;
        name[name_bytes - 1] = '\0';
        hid_t dataset = is_plain_path(file, name) ? H5Dopen2(file, name, H5P_DEFAULT) : -1;
        is_ok = dataset >= 0 ? read_array(dataset, name, file_bytes, pipe, path, faults)
                             : refuse(faults, path, name, "the array is missing or not an array");
        if (dataset >= 0) H5Dclose(dataset);
    }
    couFree(NULL, names);
    return is_ok;
}
