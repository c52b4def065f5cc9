// VTK XML PolyData: a short XML head that names the arrays and their offsets, then the arrays as raw bytes, cut into blocks that are
// each compressed by zlib. Every particle is one vertex cell, so that ParaView's point filters work on single particles.
//
// Writing: the head first with offsets still zero (of fixed width), then array after array, then the offsets; the memory needed is
// one block; 41 bytes a particle go in. Floats are deflated without a search for repeats, of which they have none: 100 MB/s instead
// of 35 at level 1, for the same size within 1 %; level 6 gives 15 MB/s and wins nothing either. Numbers that count up do repeat.
//
// Reading: files as written here, read as if by an enemy. No count of the file is believed before the block tables, which lie
// within the file, show compressed bytes enough for it (deflate gains at most a factor 1032); zlib's checksum covers the data.
#include "io/frames.h"

#include "base/base.h"
#include "io/file.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#define ZLIB_CONST
#include <zlib.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "arrays are written as they lie in memory");

enum {
    block_bytes = 3 << 16,     // a multiple of every row below but the last
    max_block_bytes = 1 << 24, // accepted on reading
    max_head_bytes = 1 << 16,
    offset_width = 20 // digits of the largest 64-bit number
};

#define MAX_DEFLATE_RATIO 1032

// An array of the file and the column of couFrame that it holds.
typedef struct Column {
    const char *section, *name, *type;
    int components;
    size_t row_bytes;
    size_t field; // offset of the pointer in couFrame
} Column;

static const Column columns[] = {
    {"Points", "Points", "Float32", 3, 12, offsetof(couFrame, position)},
    {"PointData", "id", "UInt32", 1, 4, offsetof(couFrame, id)},
    {"PointData", "velocity", "Float32", 3, 12, offsetof(couFrame, velocity)},
    {"PointData", "density", "Float32", 1, 4, offsetof(couFrame, density)},
    {"PointData", "material", "UInt8", 1, 1, offsetof(couFrame, material)},
};

static void *column_data(const couFrame *frame, const Column *column)
{
    void *data;
    memcpy(&data, (const char *)frame + column->field, sizeof data);
    return data;
}

// --- Writing -----------------------------------------------------------------------------------------------------------------

typedef struct Writer {
    couFile file;
    off_t offset_places[COU_COUNT(columns) + 2]; // of the offset attributes, in the order of the arrays
    int array_count;
    off_t data_start; // offset 0 of the arrays
    z_stream pack;
    Bytef *packed; // room for one compressed block, then for one of numbers
    uLong packed_capacity;
    uint64_t *table; // block table of the current array
} Writer;

static void declare_array(Writer *writer, const char *type, const char *name, int components)
{
    FILE *stream = writer->file.stream;
    fprintf(stream, "        <DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"appended\" offset=\"", type,
            name, components);
    writer->offset_places[writer->array_count++] = ftello(stream);
    fprintf(stream, "%0*d\"/>\n", offset_width, 0);
}

static void write_head(Writer *writer, const couFrame *frame)
{
    FILE *stream = writer->file.stream;
    fprintf(
        stream,
        "<?xml version=\"1.0\"?>\n"
        "<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\" "
        "compressor=\"vtkZLibDataCompressor\">\n"
        "  <PolyData>\n"
        "    <FieldData>\n"
        "      <DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">%.17g</DataArray>\n"
        "    </FieldData>\n"
        "    <Piece NumberOfPoints=\"%zu\" NumberOfVerts=\"%zu\" NumberOfLines=\"0\" NumberOfStrips=\"0\" NumberOfPolys=\"0\">\n",
        frame->time, frame->count, frame->count);
    for (int i = 0; i < COU_COUNT(columns); ++i) {
        const Column *column = &columns[i];
        bool is_first = i == 0 || strcmp(columns[i - 1].section, column->section) != 0;
        bool is_last = i + 1 == COU_COUNT(columns) || strcmp(columns[i + 1].section, column->section) != 0;
        if (is_first) fprintf(stream, "      <%s>\n", column->section);
        declare_array(writer, column->type, column->name, column->components);
        if (is_last) fprintf(stream, "      </%s>\n", column->section);
    }
    fprintf(stream, "      <Verts>\n");
    declare_array(writer, "Int32", "connectivity", 1);
    declare_array(writer, "Int32", "offsets", 1);
    fprintf(stream, "      </Verts>\n"
                    "    </Piece>\n"
                    "  </PolyData>\n"
                    "  <AppendedData encoding=\"raw\">\n_");
    writer->data_start = ftello(stream);
}

static void write_at(Writer *writer, off_t place, const void *data, size_t bytes)
{
    off_t end = ftello(writer->file.stream);
    fseeko(writer->file.stream, place, SEEK_SET);
    couFile_Write(&writer->file, data, bytes);
    fseeko(writer->file.stream, end, SEEK_SET);
}

// The running numbers of the vertex cells, from `first` on.
static const char *fill_numbers(int32_t *numbers, size_t count, int64_t first)
{
    for (size_t i = 0; i < count; ++i) numbers[i] = (int32_t)(first + (int64_t)i);
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

// The blocks behind the table, whose packed sizes are filled in. Without data the array holds the numbers first, first + 1...
static void write_blocks(Writer *writer, const char *data, size_t bytes, int64_t first, bool has_repeats)
{
    writer->pack = (z_stream){0};
    if (deflateInit2(&writer->pack, Z_BEST_SPEED, Z_DEFLATED, MAX_WBITS, MAX_MEM_LEVEL,
                     has_repeats ? Z_DEFAULT_STRATEGY : Z_RLE) != Z_OK) {
        writer->file.error = ENOMEM;
        return;
    }
    int32_t *numbers = (int32_t *)(writer->packed + writer->packed_capacity);
    for (size_t begin = 0, i = 3; begin < bytes && writer->file.error == 0; begin += block_bytes, ++i) {
        size_t size = COU_MIN(bytes - begin, (size_t)block_bytes), skipped = begin / sizeof *numbers;
        const char *block = data ? data + begin : fill_numbers(numbers, size / sizeof *numbers, first + (int64_t)skipped);
        write_block(writer, block, size, &writer->table[i]);
    }
    deflateEnd(&writer->pack);
}

// One array: table [blocks, block size, size of a last, smaller block or 0, compressed sizes...], then the blocks.
static void write_array(Writer *writer, int array, const char *data, size_t bytes, int64_t first, bool has_repeats)
{
    off_t start = ftello(writer->file.stream);
    char offset[offset_width + 1];
    snprintf(offset, sizeof offset, "%0*lld", offset_width, (long long)(start - writer->data_start));
    write_at(writer, writer->offset_places[array], offset, offset_width);

    size_t block_count = (bytes + block_bytes - 1) / block_bytes;
    size_t table_bytes = (3 + block_count) * sizeof *writer->table;
    memset(writer->table, 0, table_bytes);
    writer->table[0] = block_count;
    writer->table[1] = block_bytes;
    writer->table[2] = bytes % block_bytes;
    couFile_Write(&writer->file, writer->table, table_bytes); // holds the place
    write_blocks(writer, data, bytes, first, has_repeats);
    write_at(writer, start, writer->table, table_bytes);
}

static void write_arrays(Writer *writer, const couFrame *frame)
{
    int array = 0;
    for (int i = 0; i < COU_COUNT(columns); ++i)
        write_array(writer, array++, column_data(frame, &columns[i]), frame->count * columns[i].row_bytes, 0,
                    strcmp(columns[i].type, "Float32") != 0);
    write_array(writer, array++, NULL, frame->count * sizeof(int32_t), 0, true); // cell i holds particle i...
    write_array(writer, array++, NULL, frame->count * sizeof(int32_t), 1, true); // ...and ends before number i + 1
    static const char tail[] = "\n  </AppendedData>\n</VTKFile>\n";
    couFile_Write(&writer->file, tail, sizeof tail - 1);
}

bool couWriteVtp(const char *path, const couFrame *frame, couFaults *faults)
{
    if (frame->count > COU_MAX_FRAME_COUNT) {
        couFaults_Add(faults, path, NULL, "%zu particles; allowed: up to %zu", frame->count, COU_MAX_FRAME_COUNT);
        return false;
    }
    Writer writer = {0};
    if (!couFile_Create(&writer.file, path, faults)) return false;
    writer.packed_capacity = (compressBound(block_bytes) + 63) & ~(uLong)63;
    writer.packed = couAlloc(NULL, writer.packed_capacity + block_bytes);
    writer.table = couAlloc(NULL, (4 + frame->count * sizeof *frame->position / block_bytes) * sizeof *writer.table);
    bool has_memory = writer.packed != NULL && writer.table != NULL;
    if (has_memory) {
        write_head(&writer, frame);
        write_arrays(&writer, frame);
    }
    couFree(NULL, writer.packed);
    couFree(NULL, writer.table);
    if (has_memory) return couFile_Commit(&writer.file, faults);
    couFile_Discard(&writer.file);
    couFaults_Add(faults, path, NULL, "no memory to write %zu particles", frame->count);
    return false;
}

// --- Reading -----------------------------------------------------------------------------------------------------------------

typedef struct Reader {
    FILE *stream;
    const char *path;
    uint64_t file_bytes;
    char *head;          // text up to the arrays
    uint64_t data_start; // in the file
    couFaults *faults;
} Reader;

static bool refuse(const Reader *reader, const char *what)
{
    couFaults_Add(reader->faults, reader->path, NULL, "is not a frame that Coulis wrote: %s", what);
    return false;
}

static bool refuse_array(const Reader *reader, const char *name, const char *what)
{
    couFaults_Add(reader->faults, reader->path, name, "the array is damaged: %s", what);
    return false;
}

static bool read_at(const Reader *reader, uint64_t place, void *data, size_t bytes)
{
    if (place > reader->file_bytes || bytes > reader->file_bytes - place) return false;
    return fseeko(reader->stream, (off_t)place, SEEK_SET) == 0 && fread(data, 1, bytes, reader->stream) == bytes;
}

// Keeps the XML before the raw bytes as text.
static bool read_head(Reader *reader)
{
    static const char mark[] = "<AppendedData encoding=\"raw\">";
    size_t bytes = (size_t)COU_MIN(reader->file_bytes, (uint64_t)max_head_bytes);
    if (!read_at(reader, 0, reader->head, bytes)) return refuse(reader, "it cannot be read to its end");
    char *found = memmem(reader->head, bytes, mark, sizeof mark - 1);
    if (found == NULL) return refuse(reader, "it has no raw appended data");
    const char *begin = found + sizeof mark - 1;
    begin += strspn(begin, " \t\r\n");
    if (*begin != '_') return refuse(reader, "its appended data does not begin with _");
    reader->data_start = (uint64_t)(begin + 1 - reader->head);
    *found = '\0';
    return true;
}

// The value of an attribute of the tag that begins at `tag`; false when it has none or a longer one than `size` - 1.
static bool get_attribute(const char *tag, const char *name, char *value, size_t size)
{
    const char *end = strchr(tag, '>');
    size_t name_length = strlen(name);
    for (const char *at = tag; end != NULL && (at = strstr(at, name)) != NULL && at < end; at += name_length) {
        if (at[-1] != ' ' || strncmp(at + name_length, "=\"", 2) != 0) continue;
        const char *text = at + name_length + 2;
        size_t length = strcspn(text, "\"");
        if (text + length >= end || length >= size) return false;
        memcpy(value, text, length);
        value[length] = '\0';
        return true;
    }
    return false;
}

static bool has_attribute(const char *tag, const char *name, const char *expected)
{
    char value[64];
    return get_attribute(tag, name, value, sizeof value) && strcmp(value, expected) == 0;
}

// A plain decimal number; signs, blanks and overflow are refused.
static bool get_number(const char *tag, const char *name, uint64_t *number)
{
    char value[32];
    if (!get_attribute(tag, name, value, sizeof value) || value[0] == '\0' || value[strspn(value, "0123456789")] != '\0')
        return false;
    errno = 0;
    *number = strtoull(value, NULL, 10);
    return errno == 0;
}

static const char *find_array(const Reader *reader, const char *name)
{
    const char *tag = reader->head;
    while ((tag = strstr(tag, "<DataArray ")) != NULL && !has_attribute(tag, "Name", name)) ++tag;
    return tag;
}

static bool check_head(const Reader *reader, uint64_t *count)
{
    const char *root = strstr(reader->head, "<VTKFile "), *piece = strstr(reader->head, "<Piece ");
    if (root == NULL || !has_attribute(root, "type", "PolyData")) return refuse(reader, "it is no VTK PolyData");
    if (!has_attribute(root, "byte_order", "LittleEndian")) return refuse(reader, "byte_order is not LittleEndian");
    if (!has_attribute(root, "header_type", "UInt64")) return refuse(reader, "header_type is not UInt64");
    if (!has_attribute(root, "compressor", "vtkZLibDataCompressor"))
        return refuse(reader, "compressor is not vtkZLibDataCompressor");
    if (piece == NULL || !get_number(piece, "NumberOfPoints", count))
        return refuse(reader, "NumberOfPoints is missing or no number");
    if (*count > COU_MAX_FRAME_COUNT) return refuse(reader, "NumberOfPoints is beyond 2147483647");
    return true;
}

static bool read_time(const Reader *reader, double *time)
{
    const char *tag = find_array(reader, "TimeValue");
    const char *text = tag != NULL ? strchr(tag, '>') : NULL;
    if (text == NULL) return refuse(reader, "TimeValue is missing");
    char *end;
    *time = strtod(text + 1, &end);
    return (end != text + 1 && *end == '<' && isfinite(*time)) || refuse(reader, "TimeValue is no finite number");
}

// What the block table of an array says, all checked against the size of the file.
typedef struct BlockTable {
    uint64_t block_count, block_size, last_size; // last_size: of the last block
    uint64_t *packed_sizes;
    uint64_t packed_bytes, packed_start; // of all blocks; where the first begins in the file
} BlockTable;

static bool check_array_tag(const Reader *reader, const Column *column, uint64_t *offset)
{
    const char *tag = find_array(reader, column->name);
    if (tag == NULL) return refuse_array(reader, column->name, "it is missing");
    uint64_t components;
    if (!has_attribute(tag, "type", column->type) || !get_number(tag, "NumberOfComponents", &components) ||
        components != (uint64_t)column->components)
        return refuse_array(reader, column->name, "type or NumberOfComponents is another one");
    if (!has_attribute(tag, "format", "appended") || !get_number(tag, "offset", offset))
        return refuse_array(reader, column->name, "it is not appended or its offset is no number");
    return true;
}

// `table` must be freed also after false.
static bool read_block_table(const Reader *reader, const Column *column, uint64_t count, BlockTable *table)
{
    uint64_t offset, head[3], bytes = count * column->row_bytes;
    if (!check_array_tag(reader, column, &offset)) return false;
    if (offset > reader->file_bytes || !read_at(reader, reader->data_start + offset, head, sizeof head))
        return refuse_array(reader, column->name, "its offset is beyond the end of the file");
    table->block_count = head[0];
    table->block_size = head[1];
    table->last_size = head[2] != 0 ? head[2] : head[1];
    if (head[0] > reader->file_bytes / sizeof(uint64_t) || head[1] == 0 || head[1] > max_block_bytes || head[2] >= head[1])
        return refuse_array(reader, column->name, "its block sizes cannot be");
    uint64_t claimed = head[0] == 0 ? 0 : (head[0] - 1) * head[1] + table->last_size;
    if (claimed != bytes) return refuse_array(reader, column->name, "its size does not match NumberOfPoints");

    // The table itself lies in the file, so its memory is bounded by that.
    uint64_t table_start = reader->data_start + offset + sizeof head, table_bytes = head[0] * sizeof(uint64_t);
    if (table_start > reader->file_bytes || table_bytes > reader->file_bytes - table_start)
        return refuse_array(reader, column->name, "the file ends within its block table");
    table->packed_sizes = couAlloc(NULL, COU_MAX(table_bytes, 1));
    if (table->packed_sizes == NULL || !read_at(reader, table_start, table->packed_sizes, table_bytes))
        return refuse_array(reader, column->name, "its block table cannot be read");
    table->packed_start = table_start + table_bytes;
    uint64_t left = reader->file_bytes - table->packed_start;
    for (uint64_t i = 0; i < table->block_count; ++i) {
        if (table->packed_sizes[i] > left) return refuse_array(reader, column->name, "the file ends within its data");
        left -= table->packed_sizes[i];
        table->packed_bytes += table->packed_sizes[i];
    }
    if (bytes / MAX_DEFLATE_RATIO > table->packed_bytes)
        return refuse_array(reader, column->name, "it is too small for NumberOfPoints");
    return true;
}

static bool inflate_blocks(const Reader *reader, const Column *column, const BlockTable *table, char *data)
{
    uint64_t place = table->packed_start, largest = 1;
    for (uint64_t i = 0; i < table->block_count; ++i) largest = COU_MAX(largest, table->packed_sizes[i]);
    Bytef *packed = couAlloc(NULL, largest);
    bool is_ok = packed != NULL;
    for (uint64_t i = 0; is_ok && i < table->block_count; ++i) {
        uLongf size = i + 1 < table->block_count ? table->block_size : table->last_size, got = size;
        is_ok = read_at(reader, place, packed, table->packed_sizes[i]) &&
                uncompress((Bytef *)data, &got, packed, table->packed_sizes[i]) == Z_OK && got == size;
        place += table->packed_sizes[i];
        data += size;
    }
    couFree(NULL, packed);
    return is_ok || refuse_array(reader, column->name, "its data cannot be unpacked");
}

// All tables are checked before the frame gets its memory.
static bool read_arrays(const Reader *reader, uint64_t count, couFrame *frame)
{
    BlockTable tables[COU_COUNT(columns)] = {0};
    bool is_ok = true;
    for (int i = 0; is_ok && i < COU_COUNT(columns); ++i) is_ok = read_block_table(reader, &columns[i], count, &tables[i]);
    if (is_ok && !couAllocateFrame(frame, count)) is_ok = refuse(reader, "there is no memory for it");
    for (int i = 0; is_ok && i < COU_COUNT(columns); ++i)
        is_ok = inflate_blocks(reader, &columns[i], &tables[i], column_data(frame, &columns[i]));
    for (int i = 0; i < COU_COUNT(columns); ++i) couFree(NULL, tables[i].packed_sizes);
    return is_ok;
}

bool couReadVtp(const char *path, couFrame *frame, couFaults *faults)
{
    *frame = (couFrame){0};
    Reader reader = {.stream = fopen(path, "rbe"), .path = path, .faults = faults};
    struct stat status;
    if (reader.stream == NULL || fstat(fileno(reader.stream), &status) != 0) {
        couFaults_Add(faults, path, NULL, "cannot be read: %s", strerror(errno));
        if (reader.stream != NULL) fclose(reader.stream);
        return false;
    }
    reader.file_bytes = S_ISREG(status.st_mode) ? (uint64_t)status.st_size : 0;
    reader.head = couAlloc(NULL, max_head_bytes + 1);
    double time = 0;
    uint64_t count = 0;
    bool is_ok = reader.head != NULL && read_head(&reader) && check_head(&reader, &count) && read_time(&reader, &time) &&
                 read_arrays(&reader, count, frame);
    if (is_ok)
        frame->time = time;
    else
        couFreeFrame(frame);
    couFree(NULL, reader.head);
    fclose(reader.stream);
    return is_ok;
}
