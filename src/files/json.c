// jansson does the reading; this adds the limit on the size, faults that say where, and members that may be missing. The tree in
// memory is some ten times the size of the file, which is what the limits of the callers go by.
#include "files/json.h"

#include "base/base.h"
#include "files/file.h"

#include <stdlib.h>

// Line and column are of no use on a path that leaves them no room: it loses its beginning instead. What jansson quotes from the
// file may hold control characters, which would garble the terminal.
static void add_fault(couFaults *faults, const char *path, const json_error_t *error)
{
    char where[sizeof((couFault *)0)->where], reason[sizeof error->text];
    const size_t room = sizeof where - 16;
    size_t length = strlen(path);
    snprintf(where, sizeof where, "%s:%d", length > room ? path + (length - room) : path, error->line);
    snprintf(reason, sizeof reason, "%s", error->text);
    for (char *c = reason; *c; ++c)
        if ((unsigned char)*c < 32 || *c == 127) *c = ' ';
    couFaults_Add(faults, where, NULL, "is not sound JSON at column %d: %s", error->column, reason);
}

json_t *couReadJson(const char *path, size_t limit, couFaults *faults)
{
    size_t size;
    char *text = couReadFile(path, limit, &size, faults);
    if (!text) return NULL;
    json_error_t error;
    json_t *json = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error);
    free(text);
    if (!json) add_fault(faults, path, &error);
    return json;
}

static double number_of(const json_t *value) { return json_is_number(value) ? json_number_value(value) : NAN; }

double couJson_Number(const json_t *object, const char *key) { return number_of(json_object_get(object, key)); }

couVec3 couJson_Vector(const json_t *object, const char *key)
{
    const json_t *list = json_object_get(object, key);
    return (couVec3){(float)number_of(json_array_get(list, 0)), (float)number_of(json_array_get(list, 1)),
                     (float)number_of(json_array_get(list, 2))};
}

void couJson_Text(const json_t *object, const char *key, char *text, size_t size)
{
    const char *value = json_string_value(json_object_get(object, key));
    size_t length = value ? strlen(value) : 0;
    if (length >= size) {
        length = size - 1;
        while (length > 0 && (value[length] & 0xc0) == 0x80) --length; // within a character of UTF-8
    }
    if (length > 0) memcpy(text, value, length);
    text[length] = '\0';
}
