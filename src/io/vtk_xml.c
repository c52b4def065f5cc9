// VTK XML files (.vtp, .vtu) of any program: a walk over the tags notes where the arrays are; those that are wanted are then
// decoded.
//
// An array is text, or bytes in front of which stand their number or, compressed, a table of blocks. The bytes are raw behind
// <AppendedData> or base64 there or in the tag; base64 is taken four letters at a time, so that it does not matter whether the
// numbers in front were encoded by themselves, as VTK does it, or together with the data. No count of the file is believed
// before the bytes that it needs are known to be there (deflate gains at most a factor 1032); zlib's checksum covers what is
// compressed.
#include "io/point_file.h"

#include "base/base.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#define ZLIB_CONST
#include <zlib.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "arrays are taken as they lie in the file");

enum { max_declared = 1024, max_pieces = 128 };
#define MAX_BLOCK_BYTES ((uint64_t)1 << 30)
#define MAX_DEFLATE_RATIO 1032

typedef struct Tag {
    const char *name, *end; // behind < or </; at the closing >
    size_t name_length;
    bool is_closing; // </name>
} Tag;

typedef enum Format { format_ascii, format_binary, format_appended } Format;

// A <DataArray>.
typedef struct Declared {
    char key[96];
    int piece;
    couNumberType type;
    int components;
    Format format;
    uint64_t offset;     // appended
    const char *content; // else: behind the tag
} Declared;

typedef struct Reader {
    couPointFile *file;
    couWantsArray *wants;
    const char *end; // of the tags: before the raw bytes
    bool is_swapped, is_compressed, is_base64;
    int header_bytes;     // 4 or 8
    const char *appended; // offset 0, NULL when there is none
    Declared *declared;
    int declared_count;
    size_t *piece_points;
    int piece_count;
    const Declared *time;
} Reader;

// --- Tags --------------------------------------------------------------------------------------------------------------------

// Behind the closing mark, or NULL.
static const char *skip_to(const char *at, const char *end, const char *mark)
{
    const char *found = memmem(at, (size_t)(end - at), mark, strlen(mark));
    return found ? found + strlen(mark) : NULL;
}

// The next tag; false at the end, or where a tag has none.
static bool next_tag(const char **at, const char *end, Tag *tag)
{
    while (*at && *at < end && (*at = memchr(*at, '<', (size_t)(end - *at)))) {
        if (strncmp(*at, "<!--", 4) == 0) {
            *at = skip_to(*at, end, "-->");
        } else if (strncmp(*at, "<?", 2) == 0) {
            *at = skip_to(*at, end, "?>");
        } else {
            const char *name = *at + 1;
            *tag = (Tag){.is_closing = *name == '/'};
            tag->name = name + tag->is_closing;
            tag->name_length = strcspn(tag->name, " \t\r\n/>");
            char quote = '\0';
            for (tag->end = tag->name; tag->end < end; ++tag->end) {
                if (quote == '\0' && *tag->end == '>') break;
                if (quote != '\0' ? *tag->end == quote : *tag->end == '"' || *tag->end == '\'')
                    quote = quote != '\0' ? '\0' : *tag->end;
            }
            *at = tag->end;
            return tag->end < end;
        }
    }
    return false;
}

static bool is_tag(const Tag *tag, const char *name)
{
    return tag->name_length == strlen(name) && strncmp(tag->name, name, tag->name_length) == 0;
}

// The value of an attribute; false when there is none or a longer one than `size` - 1.
static bool get_attribute(const Tag *tag, const char *name, char *value, size_t size)
{
    const char *at = tag->name + tag->name_length;
    while (at < tag->end) {
        at += strspn(at, " \t\r\n");
        size_t length = strcspn(at, "= \t\r\n/>");
        const char *text = at + length + strspn(at + length, " \t\r\n");
        if (text >= tag->end || *text != '=') return false;
        ++text;
        text += strspn(text, " \t\r\n");
        if (text >= tag->end || (*text != '"' && *text != '\'')) return false;
        const char *close = memchr(text + 1, *text, (size_t)(tag->end - text - 1));
        if (!close) return false;
        size_t value_length = (size_t)(close - text - 1);
        if (length == strlen(name) && strncmp(at, name, length) == 0) {
            if (value_length >= size) return false;
            memcpy(value, text + 1, value_length);
            value[value_length] = '\0';
            return true;
        }
        at = close + 1;
    }
    return false;
}

// A plain decimal number; signs, blanks and overflow are refused.
static bool get_number(const Tag *tag, const char *name, uint64_t *number)
{
    char value[32];
    if (!get_attribute(tag, name, value, sizeof value) || value[0] == '\0' || value[strspn(value, "0123456789")] != '\0')
        return false;
    errno = 0;
    *number = strtoull(value, NULL, 10);
    return errno == 0;
}

// --- The walk ----------------------------------------------------------------------------------------------------------------

static bool refuse(Reader *reader, const char *what)
{
    return couPointFile_Refuse(reader->file, NULL, "is not a VTK file that can be read: %s", what);
}

static bool read_root(Reader *reader, const Tag *tag)
{
    char value[64] = "";
    if (!get_attribute(tag, "type", value, sizeof value) ||
        (strcmp(value, "PolyData") != 0 && strcmp(value, "UnstructuredGrid") != 0))
        return refuse(reader, "it is no VTK PolyData or UnstructuredGrid");
    if (!get_attribute(tag, "byte_order", value, sizeof value)) strcpy(value, "LittleEndian");
    reader->is_swapped = strcmp(value, "BigEndian") == 0;
    if (!reader->is_swapped && strcmp(value, "LittleEndian") != 0) return refuse(reader, "its byte_order is of no machine");
    if (!get_attribute(tag, "header_type", value, sizeof value)) strcpy(value, "UInt32");
    reader->header_bytes = strcmp(value, "UInt64") == 0 ? 8 : strcmp(value, "UInt32") == 0 ? 4 : 0;
    if (reader->header_bytes == 0) return refuse(reader, "header_type is neither UInt32 nor UInt64");
    reader->is_compressed = get_attribute(tag, "compressor", value, sizeof value);
    if (reader->is_compressed && strcmp(value, "vtkZLibDataCompressor") != 0)
        return refuse(reader, "allowed compressor: vtkZLibDataCompressor");
    return true;
}

static bool read_piece(Reader *reader, const Tag *tag)
{
    uint64_t points;
    if (!get_number(tag, "NumberOfPoints", &points)) return refuse(reader, "NumberOfPoints is missing or no number");
    if (points > COU_MAX_FRAME_COUNT - reader->file->count) return refuse(reader, "NumberOfPoints is beyond 2147483647");
    if (reader->piece_count == max_pieces) return refuse(reader, "it has more than 128 pieces");
    reader->piece_points[reader->piece_count++] = points;
    reader->file->count += points;
    return true;
}

static bool find_type(const char *name, couNumberType *type)
{
    static const char *const names[] = {"Int8",   "UInt8", "Int16",  "UInt16",  "Int32",
                                        "UInt32", "Int64", "UInt64", "Float32", "Float64"};
    for (int i = 0; i < COU_COUNT(names); ++i) {
        if (strcmp(name, names[i]) != 0) continue;
        *type = (couNumberType)i;
        return true;
    }
    return false;
}

static bool refuse_array(Reader *reader, const char *key, const char *what)
{
    return couPointFile_Refuse(reader->file, key, "the array is damaged: %s", what);
}

// Notes the array where it is wanted.
static bool read_array_tag(Reader *reader, const char *section, const Tag *tag)
{
    Declared declared = {.piece = reader->piece_count - 1, .content = tag->end + 1};
    char name[64] = "", value[32];
    if (!get_attribute(tag, "Name", name, sizeof name)) name[0] = '\0';
    bool is_time = strcmp(section, "FieldData") == 0 && strcmp(name, "TimeValue") == 0;
    if (strcmp(section, "Points") == 0)
        strcpy(declared.key, "Points");
    else
        snprintf(declared.key, sizeof declared.key, "%s/%s", section, name);
    bool is_wanted = is_time || (declared.piece >= 0 && reader->wants(declared.key));
    if (!is_wanted) return true;

    const char *key = declared.key;
    uint64_t components = strcmp(key, "Points") == 0 ? 3 : 1;
    if (!get_attribute(tag, "type", value, sizeof value) || !find_type(value, &declared.type))
        return refuse_array(reader, key, "its type is unknown");
    if (get_attribute(tag, "NumberOfComponents", value, sizeof value) && !get_number(tag, "NumberOfComponents", &components))
        return refuse_array(reader, key, "NumberOfComponents is no number");
    if (components < 1 || components > 64 || (strcmp(key, "Points") == 0 && components != 3))
        return refuse_array(reader, key, "NumberOfComponents cannot be");
    declared.components = (int)components;
    if (!get_attribute(tag, "format", value, sizeof value)) strcpy(value, "ascii");
    declared.format = strcmp(value, "appended") == 0 ? format_appended
                      : strcmp(value, "binary") == 0 ? format_binary
                                                     : format_ascii;
    if (declared.format == format_ascii && strcmp(value, "ascii") != 0) return refuse_array(reader, key, "its format is unknown");
    if (declared.format == format_appended && !get_number(tag, "offset", &declared.offset))
        return refuse_array(reader, key, "its offset is no number");
    if (tag->end[-1] == '/' && declared.format != format_appended) declared.content = reader->end; // empty
    if (reader->declared_count == max_declared) return refuse(reader, "it has more than 1024 arrays that matter");
    reader->declared[reader->declared_count] = declared;
    if (is_time) reader->time = &reader->declared[reader->declared_count];
    ++reader->declared_count;
    return true;
}

static bool read_appended_tag(Reader *reader, const Tag *tag)
{
    char encoding[16] = "";
    if (!get_attribute(tag, "encoding", encoding, sizeof encoding)) strcpy(encoding, "base64");
    reader->is_base64 = strcmp(encoding, "base64") == 0;
    if (!reader->is_base64 && strcmp(encoding, "raw") != 0) return refuse(reader, "its appended data is neither raw nor base64");
    const char *start = tag->end + 1 + strspn(tag->end + 1, " \t\r\n");
    if (*start != '_') return refuse(reader, "its appended data does not begin with _");
    reader->appended = start + 1;
    return true;
}

static bool walk(Reader *reader)
{
    static const char *const sections[] = {"Points",   "PointData", "Polys",  "Lines", "FieldData",
                                           "CellData", "Verts",     "Strips", "Cells", NULL};
    const char *at = reader->file->text, *section = "";
    bool has_root = false, is_good = true;
    for (Tag tag; is_good && !reader->appended && next_tag(&at, reader->end, &tag);) {
        if (!has_root && !is_tag(&tag, "VTKFile")) continue;
        if (!has_root)
            is_good = read_root(reader, &tag);
        else if (is_tag(&tag, "Piece") && !tag.is_closing)
            is_good = read_piece(reader, &tag);
        else if (is_tag(&tag, "AppendedData") && !tag.is_closing)
            is_good = read_appended_tag(reader, &tag);
        else if (is_tag(&tag, "DataArray") && !tag.is_closing)
            is_good = read_array_tag(reader, section, &tag);
        has_root = true;
        for (int i = 0; sections[i]; ++i)
            if (is_tag(&tag, sections[i])) section = tag.is_closing ? "" : sections[i];
    }
    if (!is_good) return false;
    if (!has_root) return refuse(reader, "it has no VTKFile tag");
    return reader->piece_count > 0 || refuse(reader, "NumberOfPoints is missing or no number");
}

// --- Bytes -------------------------------------------------------------------------------------------------------------------

// Bytes in order, raw or from base64.
typedef struct Source {
    const char *at, *end;
    bool is_base64;
    unsigned char spare[3]; // decoded and not yet taken
    int spare_count;
} Source;

static int letter_value(char letter)
{
    if (letter >= 'A' && letter <= 'Z') return letter - 'A';
    if (letter >= 'a' && letter <= 'z') return letter - 'a' + 26;
    if (letter >= '0' && letter <= '9') return letter - '0' + 52;
    return letter == '+' ? 62 : letter == '/' ? 63 : -1;
}

// Decodes the next four letters; false at the end.
static bool decode_four(Source *source)
{
    int values[4], count = 0, padding = 0;
    while (count < 4 && source->at < source->end) {
        char letter = *source->at++;
        if (letter == ' ' || letter == '\t' || letter == '\r' || letter == '\n') continue;
        if (letter == '=' && count >= 2) {
            values[count++] = 0;
            ++padding;
            continue;
        }
        values[count] = letter_value(letter);
        if (values[count] < 0 || padding > 0) return false;
        ++count;
    }
    if (count < 4) return false;
    uint32_t bits = (uint32_t)values[0] << 18 | (uint32_t)values[1] << 12 | (uint32_t)values[2] << 6 | (uint32_t)values[3];
    source->spare_count = 3 - padding;
    for (int i = 0; i < source->spare_count; ++i) source->spare[i] = (unsigned char)(bits >> (16 - 8 * i));
    return true;
}

// At most this many bytes are still there.
static uint64_t room(const Source *source)
{
    uint64_t left = (uint64_t)(source->end - source->at);
    return source->is_base64 ? left / 4 * 3 + 3 + (uint64_t)source->spare_count : left;
}

static bool take(Source *source, void *data, uint64_t bytes)
{
    unsigned char *to = data;
    if (!source->is_base64) {
        if (bytes > (uint64_t)(source->end - source->at)) return false;
        memcpy(to, source->at, bytes);
        source->at += bytes;
        return true;
    }
    while (bytes > 0) {
        if (source->spare_count == 0 && !decode_four(source)) return false;
        int count = (int)COU_MIN(bytes, (uint64_t)source->spare_count);
        memcpy(to, source->spare, (size_t)count);
        memmove(source->spare, source->spare + count, (size_t)(source->spare_count - count));
        source->spare_count -= count;
        to += count;
        bytes -= (uint64_t)count;
    }
    return true;
}

static bool take_count(const Reader *reader, Source *source, uint64_t *count)
{
    unsigned char bytes[8];
    if (!take(source, bytes, (uint64_t)reader->header_bytes)) return false;
    *count = 0;
    for (int i = 0; i < reader->header_bytes; ++i)
        *count |= (uint64_t)bytes[reader->is_swapped ? reader->header_bytes - 1 - i : i] << (8 * i);
    return true;
}

static bool find_source(Reader *reader, const Declared *declared, Source *source)
{
    const couPointFile *file = reader->file;
    *source = (Source){.at = declared->content, .is_base64 = true};
    if (declared->format == format_appended) {
        if (!reader->appended) return refuse_array(reader, declared->key, "the file has no appended data");
        uint64_t size = (uint64_t)(file->text + file->size - reader->appended);
        if (declared->offset > size) return refuse_array(reader, declared->key, "its offset is beyond the end of the file");
        source->at = reader->appended + declared->offset;
        source->is_base64 = reader->is_base64;
    }
    source->end = file->text + file->size;
    if (source->is_base64 && source->at < source->end) {
        const char *tag = memchr(source->at, '<', (size_t)(source->end - source->at));
        if (tag) source->end = tag;
    }
    return true;
}

// --- Arrays ------------------------------------------------------------------------------------------------------------------

// Rows of an array whose number does not follow from the points: of the cells.
#define ANY_COUNT SIZE_MAX

static size_t expected_rows(const Reader *reader, const Declared *declared)
{
    bool is_points = strcmp(declared->key, "Points") == 0 || strncmp(declared->key, "PointData/", 10) == 0;
    if (declared->piece < 0) return 1; // the time
    return is_points ? reader->piece_points[declared->piece] : ANY_COUNT;
}

static bool settle_rows(Reader *reader, const Declared *declared, uint64_t bytes, couPointArray *array)
{
    size_t row_bytes = (size_t)declared->components * couNumberType_Size(declared->type);
    size_t rows = expected_rows(reader, declared);
    if (bytes % row_bytes != 0 || (rows != ANY_COUNT && bytes / row_bytes != rows) || bytes / row_bytes > COU_MAX_FRAME_COUNT * 4)
        return refuse_array(reader, declared->key, "its size does not match NumberOfPoints");
    array->count = bytes / row_bytes;
    return true;
}

// Text: at least two letters a number, but for the last.
static bool read_ascii(Reader *reader, const Declared *declared, couPointArray *array)
{
    const char *tag = memchr(declared->content, '<', (size_t)(reader->end - declared->content));
    const char *end = tag ? tag : reader->end;
    size_t rows = expected_rows(reader, declared), letters = (size_t)(end - declared->content);
    if (rows == ANY_COUNT) {
        rows = 0;
        for (const char *at = declared->content; at < end; ++rows) {
            at += strspn(at, " \t\r\n");
            size_t length = at < end ? strcspn(at, " \t\r\n<") : 0;
            if (length == 0) break; // at the end, or at a zero, where it would stay for ever
            at += length;
        }
        rows /= (size_t)declared->components;
    }
    size_t numbers = rows * (size_t)declared->components;
    if (numbers > letters / 2 + 1) return refuse_array(reader, declared->key, "it is too small for NumberOfPoints");
    array->type = cou_numberF64;
    array->is_swapped = false;
    array->count = rows;
    double *values = couPointFile_Own(reader->file, array);
    if (!values) return false;
    const char *after = couParseNumbers(declared->content, end, values, numbers);
    if (after && after + strspn(after, " \t\r\n") >= end) return true;
    return refuse_array(reader, declared->key, "it has fewer or more numbers than its size, or other text");
}

static bool read_plain(Reader *reader, const Declared *declared, couPointArray *array)
{
    Source source;
    uint64_t bytes;
    if (!find_source(reader, declared, &source)) return false;
    if (!take_count(reader, &source, &bytes))
        return refuse_array(reader, declared->key, "its offset is beyond the end of the file");
    if (!settle_rows(reader, declared, bytes, array)) return false;
    if (bytes > room(&source)) return refuse_array(reader, declared->key, "the file ends within its data");
    if (!source.is_base64) {
        array->data = (const unsigned char *)source.at;
        return true;
    }
    void *data = couPointFile_Own(reader->file, array);
    return data && (take(&source, data, bytes) || refuse_array(reader, declared->key, "the file ends within its data"));
}

typedef struct BlockTable {
    uint64_t count, block_bytes, last_bytes; // last_bytes: of the last block
    uint64_t *packed;                        // sizes
    uint64_t total;                          // unpacked
} BlockTable;

// Also settles the number of rows: a table that does not fit them is not read.
static bool read_block_table(Reader *reader, const Declared *declared, Source *source, BlockTable *table, couPointArray *array)
{
    const char *key = declared->key;
    if (!take_count(reader, source, &table->count)) return refuse_array(reader, key, "its offset is beyond the end of the file");
    if (table->count == 0) return settle_rows(reader, declared, 0, array);
    if (!take_count(reader, source, &table->block_bytes) || !take_count(reader, source, &table->last_bytes))
        return refuse_array(reader, key, "the file ends within its block table");
    uint64_t last = table->last_bytes;
    if (table->count > room(source) / (uint64_t)reader->header_bytes || table->block_bytes == 0 ||
        table->block_bytes > MAX_BLOCK_BYTES || last >= table->block_bytes)
        return refuse_array(reader, key, "its block sizes cannot be");
    if (last == 0) table->last_bytes = table->block_bytes;
    table->total = (table->count - 1) * table->block_bytes + table->last_bytes;
    if (!settle_rows(reader, declared, table->total, array)) return false;
    table->packed = couAlloc(NULL, table->count * sizeof *table->packed);
    if (!table->packed) return refuse_array(reader, key, "there is no memory for it");
    uint64_t packed_total = 0;
    for (uint64_t i = 0; i < table->count; ++i) {
        if (!take_count(reader, source, &table->packed[i]))
            return refuse_array(reader, key, "the file ends within its block table");
        if (table->packed[i] > room(source) || packed_total + table->packed[i] > room(source))
            return refuse_array(reader, key, "the file ends within its data");
        packed_total += table->packed[i];
    }
    return true;
}

static bool is_plausible(const BlockTable *table)
{
    uint64_t packed = 0;
    for (uint64_t i = 0; i < table->count; ++i) packed += table->packed[i];
    return table->total / MAX_DEFLATE_RATIO <= packed;
}

static bool unpack_blocks(Source *source, const BlockTable *table, unsigned char *data)
{
    uint64_t largest = 1;
    for (uint64_t i = 0; i < table->count; ++i) largest = COU_MAX(largest, table->packed[i]);
    Bytef *packed = couAlloc(NULL, largest);
    bool is_good = packed != NULL;
    for (uint64_t i = 0; is_good && i < table->count; ++i) {
        uLongf size = i + 1 < table->count ? table->block_bytes : table->last_bytes, got = size;
        is_good = take(source, packed, table->packed[i]) && uncompress(data, &got, packed, table->packed[i]) == Z_OK &&
                  got == size;
        data += size;
    }
    couFree(NULL, packed);
    return is_good;
}

static bool read_compressed(Reader *reader, const Declared *declared, couPointArray *array)
{
    Source source;
    BlockTable table = {0};
    bool is_good = find_source(reader, declared, &source) && read_block_table(reader, declared, &source, &table, array);
    if (is_good && !is_plausible(&table)) is_good = refuse_array(reader, declared->key, "it is too small for NumberOfPoints");
    if (is_good) {
        void *data = couPointFile_Own(reader->file, array);
        is_good = data &&
                  (unpack_blocks(&source, &table, data) || refuse_array(reader, declared->key, "its data cannot be unpacked"));
    }
    couFree(NULL, table.packed);
    return is_good;
}

static bool read_array(Reader *reader, const Declared *declared, couPointArray *array)
{
    array->is_swapped = reader->is_swapped;
    if (expected_rows(reader, declared) == 0) {
        array->count = 0;
        return true;
    }
    if (declared->format == format_ascii) return read_ascii(reader, declared, array);
    return reader->is_compressed ? read_compressed(reader, declared, array) : read_plain(reader, declared, array);
}

// --- Pieces ------------------------------------------------------------------------------------------------------------------

static const Declared *find_declared(const Reader *reader, const char *key, int piece)
{
    for (int i = 0; i < reader->declared_count; ++i)
        if (reader->declared[i].piece == piece && strcmp(reader->declared[i].key, key) == 0) return &reader->declared[i];
    return NULL;
}

// One array over all pieces, in doubles. An array that a piece lacks is none.
static bool join_pieces(Reader *reader, const char *key)
{
    couPointFile *file = reader->file;
    int components = 0;
    for (int piece = 0; piece < reader->piece_count; ++piece) {
        const Declared *declared = find_declared(reader, key, piece);
        if (!declared && reader->piece_points[piece] == 0) continue;
        if (!declared || (components != 0 && declared->components != components)) return true;
        components = declared->components;
    }
    if (components == 0) return true;
    // The parts must be there before memory for their sum is taken.
    int first = file->array_count;
    size_t rows = 0;
    for (int piece = 0; piece < reader->piece_count; ++piece) {
        const Declared *declared = find_declared(reader, key, piece);
        if (!declared) continue;
        couPointArray *part = couPointFile_Add(file, "part", declared->type, components, 0);
        if (!part || !read_array(reader, declared, part)) return false;
        rows += part->count;
    }
    couPointArray *whole = couPointFile_Add(file, key, cou_numberF64, components, rows);
    double *values = whole ? couPointFile_Own(file, whole) : NULL;
    if (!values) return false;
    for (couPointArray *part = &file->arrays[first]; part < whole; ++part) {
        for (size_t i = 0; i < part->count; ++i)
            for (int k = 0; k < components; ++k) *values++ = couPointArray_Number(part, i, k);
        couPointFile_Disown(file, part);
    }
    file->arrays[first] = *whole;
    if (whole != &file->arrays[first]) whole->owned = NULL;
    file->array_count = first + 1;
    return true;
}

static bool read_arrays(Reader *reader)
{
    couPointFile *file = reader->file;
    for (int i = 0; i < reader->declared_count; ++i) {
        const Declared *declared = &reader->declared[i];
        if (declared->piece < 0 || couPointFile_Find(file, declared->key)) continue;
        if (reader->piece_count > 1) {
            bool is_cells = expected_rows(reader, declared) == ANY_COUNT; // numbered by the piece: of no use here
            if (!is_cells && !join_pieces(reader, declared->key)) return false;
            continue;
        }
        couPointArray *array = couPointFile_Add(file, declared->key, declared->type, declared->components, 0);
        if (!array || !read_array(reader, declared, array)) return false;
    }
    if (file->count == 0 && !couPointFile_Find(file, "Points"))
        return couPointFile_Add(file, "Points", cou_numberF32, 3, 0) != NULL;
    const couPointArray *points = couPointFile_Find(file, "Points");
    return (points && points->count == file->count) || refuse_array(reader, "Points", "it is missing");
}

static bool read_time(Reader *reader)
{
    couPointFile *file = reader->file;
    if (!reader->time) return true;
    couPointArray *array = couPointFile_Add(file, "time", reader->time->type, reader->time->components, 0);
    if (!array || !read_array(reader, reader->time, array)) return false;
    file->time = couPointArray_Number(array, 0, 0);
    return isfinite(file->time) || refuse(reader, "TimeValue is no finite number");
}

bool couReadVtkXml(couPointFile *file, couWantsArray *wants)
{
    Reader reader = {.file = file, .wants = wants, .end = file->text + file->size};
    reader.declared = couAlloc(NULL, max_declared * sizeof *reader.declared);
    reader.piece_points = couAlloc(NULL, max_pieces * sizeof *reader.piece_points);
    bool is_good = reader.declared && reader.piece_points;
    if (!is_good) couPointFile_Refuse(file, NULL, "cannot be read: no memory");
    is_good = is_good && walk(&reader) && read_time(&reader) && read_arrays(&reader);
    couFree(NULL, reader.declared);
    couFree(NULL, reader.piece_points);
    return is_good;
}
