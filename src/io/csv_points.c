// Points from a table of text: a row of names, then a row of numbers for each point. Places are the columns x, y and z, or as
// ParaView writes them, "Points:0" to "Points:2"; other columns are there for who wants them.
#include "base/base.h"
#include "files/csv.h"
#include "io/point_file.h"

#include <stdlib.h>
#include <strings.h>

enum { max_columns = 64, max_field = 64 };

typedef struct Table {
    couPointFile *file;
    int count;                 // of columns
    int array[max_columns];    // the file's array of each; -1: nobody wants it
    double *data[max_columns]; // of those
} Table;

static const char *skip_line_end(const char *at)
{
    at += strspn(at, " \t\r");
    return *at == '\n' ? at + 1 : at;
}

static bool is_blank(const char *at) { return at[strspn(at, " \t\r\n")] == '\0'; }

// The usual name of a column of places.
static const char *usual_name(const char *name)
{
    static const char *const places[] = {"x", "y", "z"};
    bool is_place = strncasecmp(name, "Points", 6) == 0 && (name[6] == ':' || name[6] == '_') && name[7] >= '0' && name[7] <= '2';
    return is_place && name[8] == '\0' ? places[name[7] - '0'] : name;
}

static void trim(char *field)
{
    size_t skipped = strspn(field, " \t\r"), length = strlen(field);
    while (length > skipped && strchr(" \t\r", field[length - 1])) --length;
    memmove(field, field + skipped, length - skipped);
    field[length - skipped] = '\0';
}

// Behind the row of names; NULL with a fault.
static const char *read_names(Table *table, couWantsArray *wants)
{
    const char *at = table->file->text;
    if (strncmp(at, "\xef\xbb\xbf", 3) == 0) at += 3;
    for (bool is_first = true; is_first || *at == ','; is_first = false) {
        char field[max_field], key[96];
        if (table->count == max_columns) {
            couPointFile_Refuse(table->file, NULL, "cannot be read: more than %d columns", max_columns);
            return NULL;
        }
        at = couCsv_TakeField(at + !is_first, field, sizeof field);
        trim(field);
        snprintf(key, sizeof key, "PointData/%s", usual_name(field));
        table->array[table->count] = -1;
        if (field[0] && wants(key)) {
            table->array[table->count] = table->file->array_count;
            if (!couPointFile_Add(table->file, key, cou_numberF64, 1, 0)) return NULL;
        }
        table->count++;
    }
    return skip_line_end(at);
}

// Room for as many rows as there are line ends.
static bool reserve(Table *table, const char *rows)
{
    size_t count = 1;
    for (const char *at = rows; (at = strchr(at, '\n')); ++at) ++count;
    for (int c = 0; c < table->count; ++c) {
        if (table->array[c] < 0) continue;
        couPointArray *array = &table->file->arrays[table->array[c]];
        array->count = count;
        if (!(table->data[c] = couPointFile_Own(table->file, array))) return false;
    }
    return true;
}

// Behind the row; NULL with a fault.
static const char *read_row(Table *table, const char *at, size_t row, size_t line)
{
    int count = 0;
    for (bool is_first = true; is_first || *at == ','; is_first = false, ++count) {
        char field[max_field], *end;
        at = couCsv_TakeField(at + !is_first, field, sizeof field);
        if (count >= table->count || table->array[count] < 0) continue;
        trim(field);
        table->data[count][row] = strtod(field, &end);
        if (field[0] && *end == '\0') continue;
        couPointFile_Refuse(table->file, NULL, "line %zu: column %d is '%.40s', expected a number", line, count + 1, field);
        return NULL;
    }
    if (count == table->count) return skip_line_end(at);
    couPointFile_Refuse(table->file, NULL, "line %zu: %d columns; the first line names %d", line, count, table->count);
    return NULL;
}

bool couReadCsvPoints(couPointFile *file, couWantsArray *wants)
{
    Table table = {.file = file};
    const char *at = strlen(file->text) == file->size ? read_names(&table, wants) : NULL;
    if (strlen(file->text) != file->size) couPointFile_Refuse(file, NULL, "is no text: it has a zero byte");
    if (!at || !reserve(&table, at)) return false;
    for (size_t line = 2; *at && !is_blank(at); ++line)
        if (!(at = read_row(&table, at, file->count++, line))) return false;
    for (int i = 0; i < file->array_count; ++i) file->arrays[i].count = file->count;
    return true;
}
