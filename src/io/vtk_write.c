// VTK XML files: a short XML head that names the arrays and their offsets, then the arrays as raw bytes, cut into blocks
// that are each compressed by zlib.
//
// The head first with offsets still zero (of fixed width), then array after array, then the offsets; the memory needed is one
// block. Floats are deflated without a search for repeats, of which they have none: 100 MB/s instead of 35 at level 1, for the
// same size within 1 %; level 6 gives 15 MB/s and wins nothing either. Numbers that count up do repeat.
#include "io/vtk_write.h"

#include "base/base.h"
#include "files/file.h"

#include <errno.h>
#define ZLIB_CONST
#include <zlib.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "arrays are written as they lie in memory");

enum {
    max_arrays = 16,
    block_bytes = 3 << 16, // a multiple of the rows of 1, 4, 12 and 24 bytes
    offset_width = 20      // digits of the largest 64-bit number
};

static const char poly_kind[] = "PolyData", grid_kind[] = "UnstructuredGrid";

typedef struct Writer {
    const char *kind;
    couFile file;
    off_t offset_places[max_arrays]; // of the offset attributes, in the order of the arrays
    off_t data_start;                // offset 0 of the arrays
    z_stream pack;
    Bytef *packed; // room for one compressed block, then for one of numbers
    uLong packed_capacity;
    uint64_t *table; // block table of the current array
} Writer;

static bool is_same_section(const couVtkPolyData *data, int a, int b)
{
    return b >= 0 && b < data->array_count && strcmp(data->arrays[a].section, data->arrays[b].section) == 0;
}

static void open_section(FILE *stream, const couVtkPolyData *data, int first)
{
    fprintf(stream, "      <%s", data->arrays[first].section);
    for (int i = first; is_same_section(data, first, i); ++i)
        if (data->arrays[i].role) fprintf(stream, " %s=\"%s\"", data->arrays[i].role, data->arrays[i].name);
    fprintf(stream, ">\n");
}

static void declare_array(Writer *writer, const couVtkArray *array, int index)
{
    FILE *stream = writer->file.stream;
    fprintf(stream, "        <DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"appended\" offset=\"",
            array->type, array->name, array->components);
    writer->offset_places[index] = ftello(stream);
    fprintf(stream, "%0*d\"/>\n", offset_width, 0);
}

static void write_head(Writer *writer, const couVtkPolyData *data)
{
    FILE *stream = writer->file.stream;
    const char *kind = writer->kind;
    fprintf(stream,
            "<?xml version=\"1.0\"?>\n"
            "<VTKFile type=\"%s\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\" "
            "compressor=\"vtkZLibDataCompressor\">\n"
            "  <%s>\n"
            "    <FieldData>\n"
            "      <DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">%.17g</DataArray>\n"
            "    </FieldData>\n"
            "    <Piece NumberOfPoints=\"%zu\" ",
            kind, kind, data->time, data->point_count);
    if (strcmp(kind, grid_kind) == 0)
        fprintf(stream, "NumberOfCells=\"%zu\">\n", data->cell_count);
    else
        fprintf(stream, "NumberOfVerts=\"%zu\" NumberOfLines=\"%zu\" NumberOfStrips=\"0\" NumberOfPolys=\"%zu\">\n",
                data->vert_count, data->line_count, data->poly_count);
    for (int i = 0; i < data->array_count; ++i) {
        if (!is_same_section(data, i, i - 1)) open_section(stream, data, i);
        declare_array(writer, &data->arrays[i], i);
        if (!is_same_section(data, i, i + 1)) fprintf(stream, "      </%s>\n", data->arrays[i].section);
    }
    fprintf(stream,
            "    </Piece>\n"
            "  </%s>\n"
            "  <AppendedData encoding=\"raw\">\n_",
            kind);
    writer->data_start = ftello(stream);
}

static void write_at(Writer *writer, off_t place, const void *data, size_t bytes)
{
    off_t end = ftello(writer->file.stream);
    fseeko(writer->file.stream, place, SEEK_SET);
    couFile_Write(&writer->file, data, bytes);
    fseeko(writer->file.stream, end, SEEK_SET);
}

// The bytes of a block: the array's own, or the numbers that stand there.
static const char *block_data(Writer *writer, const couVtkArray *array, size_t begin, size_t bytes)
{
    if (array->data) return (const char *)array->data + begin;
    int32_t *numbers = (int32_t *)(writer->packed + writer->packed_capacity);
    int64_t skipped = (int64_t)(begin / sizeof *numbers);
    for (size_t i = 0; i < bytes / sizeof *numbers; ++i)
        numbers[i] = (int32_t)(array->first + array->step * (skipped + (int64_t)i));
    return (const char *)numbers;
}

static void write_block(Writer *writer, const char *data, size_t bytes, uint64_t *packed_size)
{
    z_stream *pack = &writer->pack;
    deflateReset(pack);
    pack->next_in = (const Bytef *)data;
    pack->avail_in = (uInt)bytes;
    pack->next_out = writer->packed;
    pack->avail_out = (uInt)writer->packed_capacity;
    int result = deflate(pack, Z_FINISH);
    COU_ASSERT(result == Z_STREAM_END);
    (void)result;
    *packed_size = pack->total_out;
    couFile_Write(&writer->file, writer->packed, pack->total_out);
}

// The blocks behind the table, whose packed sizes are filled in.
static void write_blocks(Writer *writer, const couVtkArray *array, size_t bytes)
{
    int strategy = strcmp(array->type, "Float32") == 0 ? Z_RLE : Z_DEFAULT_STRATEGY;
    writer->pack = (z_stream){0};
    if (deflateInit2(&writer->pack, Z_BEST_SPEED, Z_DEFLATED, MAX_WBITS, MAX_MEM_LEVEL, strategy) != Z_OK) {
        writer->file.error = ENOMEM;
        return;
    }
    for (size_t begin = 0, i = 3; begin < bytes && writer->file.error == 0; begin += block_bytes, ++i) {
        size_t size = COU_MIN(bytes - begin, (size_t)block_bytes);
        write_block(writer, block_data(writer, array, begin, size), size, &writer->table[i]);
    }
    deflateEnd(&writer->pack);
}

// One array: table [blocks, block size, size of a last, smaller block or 0, compressed sizes...], then the blocks.
static void write_array(Writer *writer, const couVtkArray *array, int index)
{
    size_t bytes = array->count * array->row_bytes;
    off_t start = ftello(writer->file.stream);
    char offset[offset_width + 1];
    snprintf(offset, sizeof offset, "%0*lld", offset_width, (long long)(start - writer->data_start));
    write_at(writer, writer->offset_places[index], offset, offset_width);

    size_t block_count = (bytes + block_bytes - 1) / block_bytes;
    size_t table_bytes = (3 + block_count) * sizeof *writer->table;
    memset(writer->table, 0, table_bytes);
    writer->table[0] = block_count;
    writer->table[1] = block_bytes;
    writer->table[2] = bytes % block_bytes;
    couFile_Write(&writer->file, writer->table, table_bytes); // holds the place
    write_blocks(writer, array, bytes);
    write_at(writer, start, writer->table, table_bytes);
}

static bool fits(const couVtkPolyData *data, size_t *largest_bytes)
{
    *largest_bytes = 0;
    bool is_good = data->point_count <= COU_MAX_VTK_COUNT;
    for (int i = 0; i < data->array_count; ++i) {
        is_good = is_good && data->arrays[i].count <= COU_MAX_VTK_COUNT;
        *largest_bytes = COU_MAX(*largest_bytes, data->arrays[i].count * data->arrays[i].row_bytes);
    }
    return is_good;
}

static bool write_data(const char *path, const char *kind, const couVtkPolyData *data, couFaults *faults)
{
    COU_ASSERT(data->array_count <= max_arrays);
    size_t largest_bytes;
    if (!fits(data, &largest_bytes)) {
        couFaults_Add(faults, path, NULL, "%zu points with their cells; allowed: up to %zu of either", data->point_count,
                      COU_MAX_VTK_COUNT);
        return false;
    }
    Writer writer = {.kind = kind};
    if (!couFile_Create(&writer.file, path, faults)) return false;
    writer.packed_capacity = (compressBound(block_bytes) + 63) & ~(uLong)63;
    writer.packed = couAlloc(NULL, writer.packed_capacity + block_bytes);
    writer.table = couAlloc(NULL, (4 + largest_bytes / block_bytes) * sizeof *writer.table);
    bool has_memory = writer.packed && writer.table;
    if (has_memory) {
        static const char tail[] = "\n  </AppendedData>\n</VTKFile>\n";
        write_head(&writer, data);
        for (int i = 0; i < data->array_count; ++i) write_array(&writer, &data->arrays[i], i);
        couFile_Write(&writer.file, tail, sizeof tail - 1);
    }
    couFree(NULL, writer.packed);
    couFree(NULL, writer.table);
    if (has_memory) return couFile_Commit(&writer.file, faults);
    couFile_Discard(&writer.file);
    couFaults_Add(faults, path, NULL, "no memory to write %zu points", data->point_count);
    return false;
}

bool couWriteVtkPolyData(const char *path, const couVtkPolyData *data, couFaults *faults)
{
    return write_data(path, poly_kind, data, faults);
}

bool couWriteVtkGrid(const char *path, const couVtkPolyData *data, couFaults *faults)
{
    return write_data(path, grid_kind, data, faults);
}
