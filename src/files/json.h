/// JSON files, read whole with jansson.
#pragma once

#include "coulis/base.h"

#include <jansson.h>

/// The object or list that a file holds, to be given back with json_decref(). NULL with one fault when it cannot be read, is
/// larger than `limit` bytes, or is not sound, then with line and column: text behind the end, a key twice in one object, bytes
/// that are not UTF-8, numbers beyond what 64 bits hold, more than 2048 levels.
json_t *couReadJson(const char *path, size_t limit, couFaults *faults);

/// A member of an object; NaN where it is missing or no number (null...). Of a list and of NULL, nothing is there.
double couJson_Number(const json_t *object, const char *key);
/// NaN for each component that is missing or no number.
couVec3 couJson_Vector(const json_t *object, const char *key);
/// Cut to whole characters within `size` - 1 bytes; "" where it is missing or no text.
void couJson_Text(const json_t *object, const char *key, char *text, size_t size);
