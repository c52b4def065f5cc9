/// Reads JSON as the files of a run hold it, without building a tree.
#pragma once

#include "coulis/base.h"

/// Walks the members of one object, or the items of one list. Start with text = the file's text, and call until it returns
/// false.
typedef struct couJson {
    const char *text;    ///< where to read on; NULL at the end
    bool is_broken;      ///< not JSON
    bool is_inner;       ///< part of a larger text: what follows it is not looked at
    char key[64];        ///< of a member, "" of an item
    const char *value;   ///< first character of the value
    size_t value_length; ///< with quotes or brackets
} couJson;
bool couJson_Next(couJson *json);
/// Into the value at hand, an object or a list.
couJson couJson_Inner(const couJson *json);
/// NaN where the value is no number (null...).
double couJson_Number(const couJson *json);
/// The string, with its escapes undone, cut to `size` - 1 bytes; "" where the value is none.
void couJson_Text(const couJson *json, char *text, size_t size);
/// Up to `count` numbers of a list; the rest is NaN.
void couJson_Numbers(const couJson *json, double *numbers, int count);

/// The value of a member, quotes removed; false when it is missing or does not fit.
bool couFindJson(const char *text, const char *key, char *value, size_t size);
