// PLY: a text head and one row a particle, packed into 33 bytes, or 37 with a pressure, where we write it. No compression: larger
// than .vtp, but every tool opens it.
//
// Reading takes any order and type of properties, as text or binary of either byte order. The vertices must come first; the
// elements behind them are looked at only where they are wanted: faces of triangles, and edges. The size of the file must
// account for every row that the head claims before memory is taken.
#include "base/base.h"
#include "files/file.h"
#include "io/point_file.h"

#include <errno.h>
#include <stdlib.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers are written as they lie in memory");

enum { rows_at_once = 2048, max_head_bytes = 1 << 14, max_properties = 64, max_elements = 4 };

static const struct {
    const char *name, *alias;
    couNumberType type;
} type_names[] = {
    {"char", "int8", cou_numberI8},      {"uchar", "uint8", cou_numberU8},     {"short", "int16", cou_numberI16},
    {"ushort", "uint16", cou_numberU16}, {"int", "int32", cou_numberI32},      {"uint", "uint32", cou_numberU32},
    {"float", "float32", cou_numberF32}, {"double", "float64", cou_numberF64},
};

// --- Writing -----------------------------------------------------------------------------------------------------------------

enum { max_row_bytes = 37 };

// The columns that a frame has and that are to be written.
static unsigned written_columns(const couFrame *frame)
{
    return (cou_frameVelocity | cou_frameDensity | cou_frameId | cou_frameMaterial) & ~frame->left_out;
}

static char *put(char *row, const void *value, size_t bytes)
{
    memcpy(row, value, bytes);
    return row + bytes;
}

// Returns the row's end.
static char *pack_row(char *row, const couFrame *frame, unsigned columns, size_t i)
{
    row = put(row, &frame->position[i], 12);
    if (columns & cou_frameVelocity) row = put(row, &frame->velocity[i], 12);
    if (columns & cou_frameDensity) row = put(row, &frame->density[i], 4);
    if (columns & cou_frameId) row = put(row, &frame->id[i], 4);
    if (columns & cou_frameMaterial) row = put(row, &frame->material[i], 1);
    return frame->pressure ? put(row, &frame->pressure[i], 4) : row;
}

bool couWritePly(const char *path, const couFrame *frame, couFaults *faults)
{
    couFile file;
    unsigned columns = written_columns(frame);
    if (!couFile_Create(&file, path, faults)) return false;
    fprintf(file.stream,
            "ply\nformat binary_little_endian 1.0\n"
            "comment Coulis particles: x y z [m]%s%s%s\n"
            "comment time %.17g\n"
            "element vertex %zu\n"
            "property float x\nproperty float y\nproperty float z\n"
            "%s%s%s%s%send_header\n",
            columns & cou_frameVelocity ? ", vx vy vz [m/s]" : "", columns & cou_frameDensity ? ", density relative to rest" : "",
            frame->pressure ? ", pressure [Pa]" : "", frame->time, frame->count,
            columns & cou_frameVelocity ? "property float vx\nproperty float vy\nproperty float vz\n" : "",
            columns & cou_frameDensity ? "property float density\n" : "", columns & cou_frameId ? "property uint id\n" : "",
            columns & cou_frameMaterial ? "property uchar material\n" : "", frame->pressure ? "property float pressure\n" : "");
    char rows[rows_at_once * max_row_bytes];
    for (size_t begin = 0; begin < frame->count; begin += rows_at_once) {
        size_t count = COU_MIN(frame->count - begin, (size_t)rows_at_once);
        char *end = rows;
        for (size_t i = 0; i < count; ++i) end = pack_row(end, frame, columns, begin + i);
        if (!couFile_Write(&file, rows, (size_t)(end - rows))) break;
    }
    return couFile_Commit(&file, faults);
}

// --- The head ----------------------------------------------------------------------------------------------------------------

typedef struct Property {
    char name[32];
    bool is_list;
    couNumberType count_type, type;
    size_t offset; // in the row, of those before a list
} Property;

typedef struct Element {
    char name[32];
    size_t count;
    Property properties[max_properties];
    int property_count;
    size_t stride; // bytes of a row without lists
    bool has_list;
} Element;

typedef struct Reader {
    couPointFile *file;
    couWantsArray *wants;
    const char *at, *end; // of the rows
    bool has_format, is_ascii, is_swapped;
    Element *elements;
    int element_count;
} Reader;

static bool refuse(Reader *reader, const char *what, const char *text)
{
    return couPointFile_Refuse(reader->file, NULL, "is not a PLY frame: %s%.60s", what, text);
}

static bool find_type(const char *word, couNumberType *type)
{
    for (int i = 0; i < COU_COUNT(type_names); ++i) {
        if (strcmp(word, type_names[i].name) != 0 && strcmp(word, type_names[i].alias) != 0) continue;
        *type = type_names[i].type;
        return true;
    }
    return false;
}

static bool parse_count(const char *word, size_t *count)
{
    if (word[0] == '\0' || word[strspn(word, "0123456789")] != '\0') return false;
    errno = 0;
    *count = strtoull(word, NULL, 10);
    return errno == 0 && *count <= COU_MAX_FRAME_COUNT;
}

static bool parse_element(Reader *reader, char words[5][32])
{
    if (reader->element_count == 0 && strcmp(words[1], "vertex") != 0)
        return refuse(reader, "its first element must be vertex, not ", words[1]);
    if (reader->element_count == max_elements) return refuse(reader, "more than 4 elements", "");
    for (int i = 0; i < reader->element_count; ++i)
        if (strcmp(reader->elements[i].name, words[1]) == 0) return refuse(reader, "two elements are called ", words[1]);
    Element *element = &reader->elements[reader->element_count++];
    snprintf(element->name, sizeof element->name, "%s", words[1]);
    return parse_count(words[2], &element->count) || refuse(reader, "vertices allowed: 0 to 2147483647, not ", words[2]);
}

static bool parse_property(Reader *reader, char words[5][32], const char *line)
{
    if (reader->element_count == 0) return refuse(reader, "a property before its element", "");
    Element *element = &reader->elements[reader->element_count - 1];
    Property property = {.is_list = strcmp(words[1], "list") == 0, .offset = element->stride};
    bool is_known = property.is_list ? find_type(words[2], &property.count_type) && find_type(words[3], &property.type) &&
                                           reader->element_count > 1
                                     : find_type(words[1], &property.type);
    if (!is_known || element->property_count == max_properties)
        return refuse(reader, "allowed: up to 64 properties of plain number types, not ", line);
    snprintf(property.name, sizeof property.name, "%s", words[property.is_list ? 4 : 2]);
    element->properties[element->property_count++] = property;
    element->has_list |= property.is_list;
    if (!property.is_list) element->stride += couNumberType_Size(property.type);
    return true;
}

static bool parse_line(Reader *reader, const char *line)
{
    char words[5][32] = {{0}};
    int count = sscanf(line, "%31s %31s %31s %31s %31s", words[0], words[1], words[2], words[3], words[4]);
    if (count < 1 || strcmp(words[0], "obj_info") == 0) return true;
    if (strcmp(words[0], "comment") == 0) {
        double time = strcmp(words[1], "time") == 0 ? strtod(words[2], NULL) : 0;
        if (isfinite(time) && time != 0) reader->file->time = time;
        return true;
    }
    if (strcmp(words[0], "format") == 0) {
        reader->is_ascii = strcmp(words[1], "ascii") == 0;
        reader->is_swapped = strcmp(words[1], "binary_big_endian") == 0;
        reader->has_format = reader->is_ascii || reader->is_swapped || strcmp(words[1], "binary_little_endian") == 0;
        return reader->has_format ||
               refuse(reader, "allowed formats: ascii, binary_little_endian and binary_big_endian, not ", words[1]);
    }
    if (strcmp(words[0], "element") == 0) return parse_element(reader, words);
    if (strcmp(words[0], "property") == 0) return parse_property(reader, words, line);
    return refuse(reader, "unknown word in its head: ", words[0]);
}

static bool has_property(const Element *element, const char *name)
{
    for (int i = 0; i < element->property_count; ++i)
        if (strcmp(element->properties[i].name, name) == 0) return true;
    return false;
}

// Reads the lines up to end_header.
static bool read_head(Reader *reader)
{
    const char *head_end = COU_MIN(reader->end, reader->file->text + max_head_bytes);
    for (bool is_first = true; reader->at < head_end; is_first = false) {
        const char *stop = memchr(reader->at, '\n', (size_t)(head_end - reader->at));
        if (!stop) break;
        char line[512];
        size_t length = COU_MIN((size_t)(stop - reader->at), sizeof line - 1);
        memcpy(line, reader->at, length);
        line[length] = '\0';
        line[strcspn(line, "\r")] = '\0';
        reader->at = stop + 1;
        if (is_first) {
            if (strcmp(line, "ply") != 0) return refuse(reader, "it does not begin with ply", "");
        } else if (strcmp(line, "end_header") == 0) {
            if (!reader->has_format || reader->element_count == 0) return refuse(reader, "its head lacks format or vertices", "");
            const Element *vertex = &reader->elements[0];
            if (has_property(vertex, "x") && has_property(vertex, "y") && has_property(vertex, "z")) return true;
            return refuse(reader, "its vertices lack x, y or z", "");
        } else if (!parse_line(reader, line)) {
            return false;
        }
    }
    return refuse(reader, "its head does not end", "");
}

// --- Rows --------------------------------------------------------------------------------------------------------------------

static bool refuse_size(Reader *reader, const Element *element)
{
    return couPointFile_Refuse(reader->file, NULL, "is damaged: %zu bytes are left for %zu rows of '%s', which need more",
                               (size_t)(reader->end - reader->at), element->count, element->name);
}

static const char *section_of(const Element *element)
{
    static const char *const sections[][2] = {{"vertex", "PointData"}, {"face", "Polys"}, {"edge", "Lines"}};
    for (int i = 0; i < COU_COUNT(sections); ++i)
        if (strcmp(element->name, sections[i][0]) == 0) return sections[i][1];
    return "unknown";
}

static bool is_wanted(const Reader *reader, const Element *element, const Property *property, char key[96])
{
    snprintf(key, 96, "%s/%s", section_of(element), property->name);
    return reader->wants(key) && !couPointFile_Find(reader->file, key);
}

// Binary rows without lists: the arrays are views into the file.
static bool read_plain_rows(Reader *reader, const Element *element)
{
    if (element->stride > 0 && element->count > (size_t)(reader->end - reader->at) / element->stride)
        return refuse_size(reader, element);
    for (int i = 0; i < element->property_count; ++i) {
        const Property *property = &element->properties[i];
        char key[96];
        if (!is_wanted(reader, element, property, key)) continue;
        couPointArray *array = couPointFile_Add(reader->file, key, property->type, 1, element->count);
        if (!array) return false;
        array->stride = element->stride;
        array->is_swapped = reader->is_swapped;
        array->data = (const unsigned char *)reader->at + property->offset;
    }
    reader->at += element->count * element->stride;
    return true;
}

// The next number of a row with lists or of text.
static bool take_number(Reader *reader, couNumberType type, double *number)
{
    if (reader->is_ascii) {
        const char *after = couParseNumbers(reader->at, reader->end, number, 1);
        if (after) reader->at = after;
        return after != NULL;
    }
    size_t size = couNumberType_Size(type);
    if (size > (size_t)(reader->end - reader->at)) return false;
    couPointArray one = {.type = type, .is_swapped = reader->is_swapped, .data = (const unsigned char *)reader->at};
    *number = couPointArray_Number(&one, 0, 0);
    reader->at += size;
    return true;
}

// A list that is wanted holds three numbers in each row (triangles).
static bool take_list(Reader *reader, const Property *property, double *triple)
{
    double count;
    if (!take_number(reader, property->count_type, &count) || !(count >= 0 && count <= 1e6)) return false;
    if (triple && count != 3) return false;
    for (int i = 0; i < (int)count; ++i) {
        double ignored;
        if (!take_number(reader, property->type, triple ? &triple[i] : &ignored)) return false;
    }
    return true;
}

// Row by row into doubles: text, and elements with lists.
static bool read_loose_rows(Reader *reader, const Element *element)
{
    couPointFile *file = reader->file;
    double *columns[max_properties] = {0};
    size_t least = reader->is_ascii ? 2 * (size_t)element->property_count : element->stride + element->has_list;
    if (element->count > 0 && element->count - 1 > (size_t)(reader->end - reader->at) / COU_MAX(least, 1))
        return refuse_size(reader, element);
    for (int i = 0; i < element->property_count; ++i) {
        const Property *property = &element->properties[i];
        char key[96];
        if (!is_wanted(reader, element, property, key)) continue;
        couPointArray *array = couPointFile_Add(file, key, cou_numberF64, property->is_list ? 3 : 1, element->count);
        columns[i] = array ? couPointFile_Own(file, array) : NULL;
        if (!columns[i]) return false;
    }
    for (size_t row = 0; row < element->count; ++row)
        for (int i = 0; i < element->property_count; ++i) {
            const Property *property = &element->properties[i];
            double ignored, *to = columns[i];
            bool is_good = property->is_list ? take_list(reader, property, to ? to + 3 * row : NULL)
                                             : take_number(reader, property->type, to ? to + row : &ignored);
            if (!is_good)
                return couPointFile_Refuse(file, NULL, "is damaged: row %zu of '%s' is cut off, no numbers or no triangle",
                                           row + 1, element->name);
        }
    return true;
}

static bool wants_any(const Reader *reader, const Element *element)
{
    char key[96];
    for (int i = 0; i < element->property_count; ++i)
        if (is_wanted(reader, element, &element->properties[i], key)) return true;
    return false;
}

static bool read_elements(Reader *reader)
{
    int last = 0;
    for (int i = 0; i < reader->element_count; ++i)
        if (wants_any(reader, &reader->elements[i])) last = i;
    for (int i = 0; i <= last; ++i) {
        const Element *element = &reader->elements[i];
        bool is_plain = !reader->is_ascii && !element->has_list;
        if (is_plain ? !read_plain_rows(reader, element) : !read_loose_rows(reader, element)) return false;
    }
    // The rows must fill the file, unless elements follow that are not looked at.
    bool is_all = last + 1 == reader->element_count;
    if (is_all && reader->is_ascii) reader->at += strspn(reader->at, " \t\r\n");
    if (is_all && reader->at < reader->end)
        return couPointFile_Refuse(reader->file, NULL, "is damaged: %zu bytes more than its rows need",
                                   (size_t)(reader->end - reader->at));
    return true;
}

bool couReadPlyFile(couPointFile *file, couWantsArray *wants)
{
    Reader reader = {.file = file, .wants = wants, .at = file->text, .end = file->text + file->size};
    reader.elements = couAlloc(NULL, max_elements * sizeof *reader.elements);
    bool is_good = reader.elements != NULL;
    if (!is_good) couPointFile_Refuse(file, NULL, "cannot be read: no memory");
    is_good = is_good && read_head(&reader);
    if (is_good) file->count = reader.elements[0].count;
    is_good = is_good && read_elements(&reader);
    couFree(NULL, reader.elements);
    return is_good;
}
