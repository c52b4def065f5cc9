// Legacy VTK files (.vtk), ascii or binary (big-endian), PolyData or UnstructuredGrid: a list of keywords, each followed by its
// numbers, which must be counted to find the next keyword. What is not wanted is stepped over.
// [VTK File Formats, "Simple Legacy Formats"; version 5.1 stores cells as offsets and connectivity]
#include "io/point_file.h"

#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

enum { max_word = 64 };

typedef struct Reader {
    couPointFile *file;
    couWantsArray *wants;
    const char *at, *end;
    bool is_binary;
    bool has_points, is_point_data;
    size_t data_count; // of POINT_DATA or CELL_DATA
} Reader;

static bool refuse(Reader *reader, const char *what, const char *word)
{
    return couPointFile_Refuse(reader->file, NULL, "is not a legacy VTK file that can be read: %s%.60s", what, word);
}

// --- Words -------------------------------------------------------------------------------------------------------------------

// The next line without its end; false at the end of the file.
static bool take_line(Reader *reader, char *line, size_t size)
{
    if (reader->at >= reader->end) return false;
    const char *stop = memchr(reader->at, '\n', (size_t)(reader->end - reader->at));
    if (!stop) stop = reader->end;
    size_t length = COU_MIN((size_t)(stop - reader->at), size - 1);
    memcpy(line, reader->at, length);
    line[length] = '\0';
    line[strcspn(line, "\r")] = '\0';
    reader->at = COU_MIN(stop + 1, reader->end);
    return true;
}

// The next line that is not blank.
static bool take_full_line(Reader *reader, char *line, size_t size)
{
    while (take_line(reader, line, size))
        if (line[strspn(line, " \t")] != '\0') return true;
    return false;
}

static bool find_type(const char *word, couNumberType *type)
{
    static const struct {
        const char *name;
        couNumberType type;
    } names[] = {
        {"char", cou_numberI8},          {"signed_char", cou_numberI8},     {"unsigned_char", cou_numberU8},
        {"short", cou_numberI16},        {"unsigned_short", cou_numberU16}, {"int", cou_numberI32},
        {"unsigned_int", cou_numberU32}, {"long", cou_numberI64},           {"unsigned_long", cou_numberU64},
        {"vtktypeint64", cou_numberI64}, {"vtktypeuint64", cou_numberU64},  {"vtkIdType", cou_numberI32},
        {"float", cou_numberF32},        {"double", cou_numberF64},
    };
    for (int i = 0; i < COU_COUNT(names); ++i) {
        if (strcasecmp(word, names[i].name) != 0) continue;
        *type = names[i].type;
        return true;
    }
    return false;
}

static bool parse_count(const char *word, size_t *count)
{
    size_t length = strlen(word);
    if (length == 0 || length > 12 || strspn(word, "0123456789") != length) return false;
    *count = strtoull(word, NULL, 10);
    return *count <= COU_MAX_FRAME_COUNT * 4;
}

// --- Numbers -----------------------------------------------------------------------------------------------------------------

// Numbers of text: behind the last one.
static bool skip_text(Reader *reader, size_t numbers)
{
    for (size_t i = 0; i < numbers; ++i) {
        reader->at += strspn(reader->at, " \t\r\n");
        size_t length = strcspn(reader->at, " \t\r\n");
        if (length == 0 || reader->at >= reader->end) return refuse(reader, "it ends within its numbers", "");
        reader->at += length;
    }
    return true;
}

// `key` NULL: steps over them.
static bool take_numbers(Reader *reader, const char *key, couNumberType type, int components, size_t rows)
{
    couPointFile *file = reader->file;
    size_t numbers = rows * (size_t)components, left = (size_t)(reader->end - reader->at);
    bool is_wanted = key && reader->wants(key) && !couPointFile_Find(file, key);
    if (reader->is_binary) {
        size_t bytes = numbers * couNumberType_Size(type);
        if (bytes > left) return refuse(reader, "it ends within its numbers", "");
        couPointArray *array = is_wanted ? couPointFile_Add(file, key, type, components, rows) : NULL;
        if (is_wanted && !array) return false;
        if (is_wanted) {
            array->data = (const unsigned char *)reader->at;
            array->is_swapped = true;
        }
        reader->at += bytes;
        return true;
    }
    if (numbers > left / 2 + 1) return refuse(reader, "it ends within its numbers", "");
    if (!is_wanted) return skip_text(reader, numbers);
    couPointArray *array = couPointFile_Add(file, key, cou_numberF64, components, rows);
    double *values = array ? couPointFile_Own(file, array) : NULL;
    if (!values) return false;
    const char *after = couParseNumbers(reader->at, reader->end, values, numbers);
    if (!after) return refuse(reader, "it ends within its numbers, or has other text there", "");
    reader->at = after;
    return true;
}

// --- Keywords ----------------------------------------------------------------------------------------------------------------

static bool read_points(Reader *reader, const char *count_word, const char *type_word)
{
    couNumberType type;
    size_t count;
    if (!parse_count(count_word, &count) || count > COU_MAX_FRAME_COUNT)
        return refuse(reader, "bad number of POINTS: ", count_word);
    if (!find_type(type_word, &type)) return refuse(reader, "unknown type of POINTS: ", type_word);
    reader->file->count = count;
    reader->has_points = true;
    return take_numbers(reader, "Points", type, 3, count);
}

// VERTICES n size: before version 5.1 `size` integers; since then OFFSETS type and CONNECTIVITY type follow, n and size of
// them.
static bool skip_cells(Reader *reader, const char *count_word, const char *size_word)
{
    char line[256], word[max_word], type_word[max_word];
    size_t count, size;
    if (!parse_count(count_word, &count)) return refuse(reader, "bad number of cells: ", count_word);
    if (!parse_count(size_word, &size)) return refuse(reader, "bad number of cells: ", size_word);
    const char *start = reader->at;
    bool is_new = take_full_line(reader, line, sizeof line) && sscanf(line, "%63s %63s", word, type_word) == 2 &&
                  strcmp(word, "OFFSETS") == 0;
    if (!is_new) {
        reader->at = start;
        return take_numbers(reader, NULL, cou_numberI32, 1, size);
    }
    couNumberType type;
    if (!find_type(type_word, &type)) return refuse(reader, "unknown type of OFFSETS: ", type_word);
    if (!take_numbers(reader, NULL, type, 1, count)) return false;
    if (!take_full_line(reader, line, sizeof line) || sscanf(line, "%63s %63s", word, type_word) != 2 ||
        strcmp(word, "CONNECTIVITY") != 0 || !find_type(type_word, &type))
        return refuse(reader, "CONNECTIVITY is missing", "");
    return take_numbers(reader, NULL, type, 1, size);
}

// An attribute of the points or cells.
static bool take_attribute(Reader *reader, const char *name, const char *type_word, int components, size_t rows)
{
    char key[96];
    couNumberType type;
    if (!find_type(type_word, &type)) return refuse(reader, "unknown type of numbers: ", type_word);
    snprintf(key, sizeof key, "PointData/%s", name);
    bool is_used = reader->is_point_data && rows == reader->file->count;
    return take_numbers(reader, is_used ? key : NULL, type, components, rows);
}

static bool read_scalars(Reader *reader, const char *name, const char *type_word, const char *components_word)
{
    size_t components = 1;
    char line[256];
    if (components_word[0] != '\0' && (!parse_count(components_word, &components) || components < 1 || components > 64))
        return refuse(reader, "bad number of components: ", components_word);
    const char *start = reader->at;
    if (!take_full_line(reader, line, sizeof line) || strncasecmp(line, "LOOKUP_TABLE", 12) != 0) reader->at = start;
    return take_attribute(reader, name, type_word, (int)components, reader->data_count);
}

// The time, where it is a field of one number that begins at `start`.
static void note_time(Reader *reader, const char *name, const char *type_word, const char *start)
{
    couNumberType type;
    double time = 0;
    if ((strcasecmp(name, "TIME") != 0 && strcasecmp(name, "TimeValue") != 0) || !find_type(type_word, &type)) return;
    couPointArray number = {.type = type, .is_swapped = true, .components = 1, .count = 1, .data = (const unsigned char *)start};
    if (reader->is_binary)
        time = couPointArray_Number(&number, 0, 0);
    else
        couParseNumbers(start, reader->end, &time, 1);
    if (isfinite(time)) reader->file->time = time;
}

// The line that names the next array of a field; what VTK knows about the array before is stepped over.
static bool take_array_line(Reader *reader, char *line, size_t size)
{
    while (take_full_line(reader, line, size)) {
        if (strncmp(line, "METADATA", 8) != 0) return true;
        while (take_line(reader, line, size) && line[0] != '\0') {}
    }
    return false;
}

static bool read_field(Reader *reader, const char *count_word)
{
    size_t array_count, components, rows;
    if (!parse_count(count_word, &array_count) || array_count > 1024) return refuse(reader, "bad FIELD: ", count_word);
    for (size_t i = 0; i < array_count; ++i) {
        char line[256], name[max_word], components_word[max_word], rows_word[max_word], type_word[max_word];
        if (!take_array_line(reader, line, sizeof line)) return refuse(reader, "it ends within a FIELD", "");
        if (sscanf(line, "%63s %63s %63s %63s", name, components_word, rows_word, type_word) != 4)
            return refuse(reader, "an array of a FIELD without name, components, tuples and type: ", line);
        if (!parse_count(components_word, &components) || components < 1 || components > 64 || !parse_count(rows_word, &rows))
            return refuse(reader, "bad size of an array: ", line);
        const char *start = reader->at;
        if (!take_attribute(reader, name, type_word, (int)components, rows)) return false;
        if (components == 1 && rows == 1) note_time(reader, name, type_word, start);
    }
    return true;
}

static bool read_data_count(Reader *reader, const char *word, bool is_point_data)
{
    if (!parse_count(word, &reader->data_count)) return refuse(reader, "bad number of data: ", word);
    reader->is_point_data = is_point_data;
    return true;
}

static bool read_keyword(Reader *reader, const char *line)
{
    char words[4][max_word] = {{0}};
    sscanf(line, "%63s %63s %63s %63s", words[0], words[1], words[2], words[3]);
    const char *word = words[0];
    if (strcasecmp(word, "POINTS") == 0) return read_points(reader, words[1], words[2]);
    if (strcasecmp(word, "VERTICES") == 0 || strcasecmp(word, "LINES") == 0 || strcasecmp(word, "POLYGONS") == 0 ||
        strcasecmp(word, "TRIANGLE_STRIPS") == 0 || strcasecmp(word, "CELLS") == 0)
        return skip_cells(reader, words[1], words[2]);
    size_t count = 0;
    if (strcasecmp(word, "CELL_TYPES") == 0)
        return (parse_count(words[1], &count) || refuse(reader, "bad number of cells: ", words[1])) &&
               take_numbers(reader, NULL, cou_numberI32, 1, count);
    if (strcasecmp(word, "POINT_DATA") == 0) return read_data_count(reader, words[1], true);
    if (strcasecmp(word, "CELL_DATA") == 0) return read_data_count(reader, words[1], false);
    if (strcasecmp(word, "SCALARS") == 0) return read_scalars(reader, words[1], words[2], words[3]);
    if (strcasecmp(word, "VECTORS") == 0 || strcasecmp(word, "NORMALS") == 0)
        return take_attribute(reader, words[1], words[2], 3, reader->data_count);
    if (strcasecmp(word, "TENSORS") == 0) return take_attribute(reader, words[1], words[2], 9, reader->data_count);
    if (strcasecmp(word, "GLOBAL_IDS") == 0 || strcasecmp(word, "PEDIGREE_IDS") == 0)
        return take_attribute(reader, strcasecmp(word, "GLOBAL_IDS") == 0 ? "GlobalIds" : words[1], words[2], 1,
                              reader->data_count);
    if (strcasecmp(word, "TEXTURE_COORDINATES") == 0) {
        bool is_good = parse_count(words[2], &count) && count >= 1 && count <= 3;
        return is_good ? take_attribute(reader, words[1], words[3], (int)count, reader->data_count)
                       : refuse(reader, "bad TEXTURE_COORDINATES: ", words[2]);
    }
    if (strcasecmp(word, "COLOR_SCALARS") == 0) {
        bool is_good = parse_count(words[2], &count) && count >= 1 && count <= 64;
        return is_good ? take_attribute(reader, words[1], reader->is_binary ? "unsigned_char" : "float", (int)count,
                                        reader->data_count)
                       : refuse(reader, "bad COLOR_SCALARS: ", words[2]);
    }
    if (strcasecmp(word, "LOOKUP_TABLE") == 0)
        return (parse_count(words[2], &count) || refuse(reader, "bad LOOKUP_TABLE: ", words[2])) &&
               take_numbers(reader, NULL, cou_numberU8, 4, count);
    if (strcasecmp(word, "FIELD") == 0) return read_field(reader, words[2]);
    return refuse(reader, "unknown keyword ", word);
}

static bool read_head(Reader *reader)
{
    char line[300], word[max_word] = "", kind[max_word] = "";
    if (!take_line(reader, line, sizeof line) || strncmp(line, "# vtk DataFile Version", 22) != 0 ||
        !take_line(reader, line, sizeof line) || !take_full_line(reader, line, sizeof line))
        return refuse(reader, "its head is cut off", "");
    sscanf(line, "%63s", word);
    reader->is_binary = strcasecmp(word, "BINARY") == 0;
    if (!reader->is_binary && strcasecmp(word, "ASCII") != 0) return refuse(reader, "neither ASCII nor BINARY, but ", word);
    if (!take_full_line(reader, line, sizeof line) || sscanf(line, "%63s %63s", word, kind) != 2 ||
        strcasecmp(word, "DATASET") != 0)
        return refuse(reader, "DATASET is missing", "");
    return strcasecmp(kind, "POLYDATA") == 0 || strcasecmp(kind, "UNSTRUCTURED_GRID") == 0 ||
           refuse(reader, "allowed DATASET: POLYDATA and UNSTRUCTURED_GRID, not ", kind);
}

bool couReadVtkLegacy(couPointFile *file, couWantsArray *wants)
{
    Reader reader = {.file = file, .wants = wants, .at = file->text, .end = file->text + file->size};
    char line[300];
    if (!read_head(&reader)) return false;
    while (take_full_line(&reader, line, sizeof line)) {
        bool is_metadata = strncasecmp(line, "METADATA", 8) == 0; // up to a blank line
        while (is_metadata && take_line(&reader, line, sizeof line) && line[0] != '\0') {}
        if (!is_metadata && !read_keyword(&reader, line)) return false;
    }
    return reader.has_points || refuse(&reader, "it has no POINTS", "");
}
