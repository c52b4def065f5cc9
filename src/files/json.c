// Reads the members of a JSON object or the items of a list, one after the other, without building a tree. Nested values are
// skipped over as text, and walked by themselves where they are of interest; the depth of nesting costs nothing.
#include "files/json.h"

#include "base/base.h"

#include <stdlib.h>

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
    if (*text == '}' || *text == ']') return stop(json, !json->is_inner && *skip_space(text + 1) != '\0');
    if (*text != '{' && *text != '[' && *text != ',') return stop(json, true);
    bool is_list = *text == '[' || (*text == ',' && json->key[0] == '\0');
    text = skip_space(text + 1);
    if (*text == '}' || *text == ']') return stop(json, false);

    json->key[0] = '\0';
    if (!is_list) {
        const char *key_end = skip_string(text);
        size_t key_length = key_end ? (size_t)(key_end - text) - 2 : sizeof json->key;
        if (key_length >= sizeof json->key || key_length == 0) return stop(json, true);
        memcpy(json->key, text + 1, key_length);
        json->key[key_length] = '\0';
        const char *colon = skip_space(key_end);
        if (*colon != ':') return stop(json, true);
        text = skip_space(colon + 1);
    }
    json->value = text;
    const char *end = skip_value(json->value);
    if (!end) return stop(json, true);
    json->value_length = (size_t)(end - json->value);
    json->text = end;
    return true;
}

couJson couJson_Inner(const couJson *json)
{
    bool is_nested = *json->value == '{' || *json->value == '[';
    return (couJson){.text = is_nested ? json->value : NULL, .is_inner = true};
}

double couJson_Number(const couJson *json)
{
    char *end, first = *json->value;
    double number = strtod(json->value, &end);
    bool is_number = (first == '-' || (first >= '0' && first <= '9')) && end == json->value + json->value_length;
    return is_number ? number : NAN;
}

void couJson_Numbers(const couJson *json, double *numbers, int count)
{
    couJson list = couJson_Inner(json);
    for (int i = 0; i < count; ++i) numbers[i] = couJson_Next(&list) ? couJson_Number(&list) : NAN;
}

// U+0000 to U+FFFF as UTF-8; returns its bytes. Halves of a pair become U+FFFD: names are not written that way.
static int encode(unsigned code, char bytes[3])
{
    if (code >= 0xd800 && code < 0xe000) code = 0xfffd;
    if (code < 0x80) {
        bytes[0] = (char)code;
        return 1;
    }
    if (code < 0x800) {
        bytes[0] = (char)(0xc0 | code >> 6), bytes[1] = (char)(0x80 | (code & 63));
        return 2;
    }
    bytes[0] = (char)(0xe0 | code >> 12), bytes[1] = (char)(0x80 | (code >> 6 & 63)), bytes[2] = (char)(0x80 | (code & 63));
    return 3;
}

void couJson_Text(const couJson *json, char *text, size_t size)
{
    size_t used = 0;
    const char *at = json->value + 1, *end = json->value + json->value_length - 1;
    for (bool is_string = *json->value == '"'; is_string && at < end; ++at) {
        char bytes[3] = {*at};
        int count = 1;
        if (*at == '\\' && at + 1 < end) {
            static const char names[] = "ntrbf", values[] = "\n\t\r\b\f";
            ++at;
            const char *name = strchr(names, *at);
            bytes[0] = name ? values[name - names] : *at;
            char digits[5] = "";
            if (*at == 'u' && end - at > 4) {
                memcpy(digits, at + 1, 4);
                count = encode((unsigned)strtoul(digits, NULL, 16), bytes);
                at += 4;
            }
        }
        if (used + (size_t)count >= size) break;
        memcpy(text + used, bytes, (size_t)count);
        used += (size_t)count;
    }
    text[used] = '\0';
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
