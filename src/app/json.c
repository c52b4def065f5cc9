// Reads the members of one JSON object, as run.json is: enough to print and compare, without building a tree. Nested values are
// skipped over as text.
#include "app/run.h"

#include <string.h>

static const char *skip_space(const char *text) { return text + strspn(text, " \t\r\n"); }

// Behind the closing quote, or NULL.
static const char *skip_string(const char *text)
{
    if (*text != '"') return NULL;
    for (text++; *text && *text != '"'; text++)
        if (*text == '\\' && text[1]) text++;
    return *text == '"' ? text + 1 : NULL;
}

// Behind a number, word, string, list or object, or NULL.
static const char *skip_value(const char *text)
{
    if (*text == '"') return skip_string(text);
    if (*text != '[' && *text != '{') {
        size_t length = strcspn(text, ",]} \t\r\n\"");
        return length > 0 ? text + length : NULL;
    }
    int depth = 0;
    while (*text) {
        if (*text == '"') {
            text = skip_string(text);
            if (!text) return NULL;
            continue;
        }
        if (*text == '[' || *text == '{') depth++;
        if ((*text == ']' || *text == '}') && --depth == 0) return text + 1;
        text++;
    }
    return NULL;
}

static bool stop(couJson *json, bool is_broken)
{
    json->is_broken = is_broken;
    json->text = NULL;
    return false;
}

bool couJson_Next(couJson *json)
{
    if (!json->text) return false;
    const char *text = skip_space(json->text);
    if (*text == '}') return stop(json, *skip_space(text + 1) != '\0');
    if (*text != '{' && *text != ',') return stop(json, true);
    text = skip_space(text + 1);
    if (*text == '}') return stop(json, false);

    const char *key_end = skip_string(text);
    size_t key_length = key_end ? (size_t)(key_end - text) - 2 : sizeof json->key;
    if (key_length >= sizeof json->key) return stop(json, true);
    memcpy(json->key, text + 1, key_length);
    json->key[key_length] = '\0';

    const char *colon = skip_space(key_end);
    if (*colon != ':') return stop(json, true);
    json->value = skip_space(colon + 1);
    const char *end = skip_value(json->value);
    if (!end) return stop(json, true);
    json->value_length = (size_t)(end - json->value);
    json->text = end;
    return true;
}

bool couFindJson(const char *text, const char *key, char *value, size_t size)
{
    couJson json = {.text = text};
    while (couJson_Next(&json)) {
        if (strcmp(json.key, key) != 0) continue;
        bool is_string = json.value[0] == '"';
        size_t length = json.value_length - (is_string ? 2 : 0);
        if (length >= size) return false;
        memcpy(value, json.value + (is_string ? 1 : 0), length);
        value[length] = '\0';
        return true;
    }
    return false;
}
