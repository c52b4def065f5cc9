// Bytes of messages. Numbers are put together byte by byte: the same on every machine, and a compiler makes one store of them.
#include "serve/bytes.h"

#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>

// --- Writing -----------------------------------------------------------------------------------------------------------------

void couBytes_Clear(couBytes *bytes)
{
    if (bytes->data) free(bytes->data - cou_bytesHead);
    *bytes = (couBytes){0};
}

uint8_t *couBytes_Extend(couBytes *bytes, size_t count)
{
    if (bytes->is_short) return NULL;
    if (bytes->count + count > bytes->capacity) {
        size_t capacity = COU_MAX(bytes->count + count, bytes->capacity + bytes->capacity / 2 + 256);
        uint8_t *moved = realloc(bytes->data ? bytes->data - cou_bytesHead : NULL, cou_bytesHead + capacity);
        if (!moved) {
            bytes->is_short = true;
            return NULL;
        }
        bytes->data = moved + cou_bytesHead;
        bytes->capacity = capacity;
    }
    uint8_t *place = bytes->data + bytes->count;
    bytes->count += count;
    return place;
}

void couBytes_Add(couBytes *bytes, const void *data, size_t count)
{
    uint8_t *place = couBytes_Extend(bytes, count);
    if (place && count > 0) memcpy(place, data, count);
}

static void add_number(couBytes *bytes, uint64_t value, int size)
{
    uint8_t *place = couBytes_Extend(bytes, (size_t)size);
    for (int i = 0; place && i < size; ++i) place[i] = (uint8_t)(value >> (8 * i));
}

void couBytes_U8(couBytes *bytes, unsigned value) { add_number(bytes, value, 1); }
void couBytes_U16(couBytes *bytes, unsigned value) { add_number(bytes, value, 2); }
void couBytes_U32(couBytes *bytes, uint32_t value) { add_number(bytes, value, 4); }
void couBytes_U64(couBytes *bytes, uint64_t value) { add_number(bytes, value, 8); }

void couBytes_F32(couBytes *bytes, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, 4);
    add_number(bytes, bits, 4);
}

void couBytes_F64(couBytes *bytes, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, 8);
    add_number(bytes, bits, 8);
}

void couBytes_Vec3(couBytes *bytes, couVec3 value)
{
    couBytes_F32(bytes, value.x);
    couBytes_F32(bytes, value.y);
    couBytes_F32(bytes, value.z);
}

void couBytes_Format(couBytes *bytes, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length < 0) return;
    uint8_t *place = couBytes_Extend(bytes, (size_t)length + 1);
    if (!place) return;
    va_start(arguments, format);
    vsnprintf((char *)place, (size_t)length + 1, format, arguments);
    va_end(arguments);
    --bytes->count; // the terminating zero
}

// Length of the UTF-8 sequence at the text, 0 when it is none.
static int sequence_length(const unsigned char *text)
{
    int length = text[0] < 0x80 ? 1 : text[0] >= 0xc2 && text[0] < 0xe0 ? 2 : (text[0] & 0xf0) == 0xe0 ? 3 : 0;
    if ((text[0] & 0xf8) == 0xf0 && text[0] < 0xf5) length = 4;
    for (int i = 1; i < length; ++i)
        if ((text[i] & 0xc0) != 0x80) return 0;
    return length;
}

void couBytes_JsonText(couBytes *bytes, const char *text)
{
    couBytes_U8(bytes, '"');
    for (const unsigned char *c = (const unsigned char *)text; *c;) {
        int length = sequence_length(c);
        if (*c == '"' || *c == '\\')
            couBytes_Format(bytes, "\\%c", *c);
        else if (*c < 0x20 || *c == 0x7f || length == 0)
            couBytes_Format(bytes, "\\u%04x", length == 0 ? 0xfffd : *c);
        else
            couBytes_Add(bytes, c, (size_t)length);
        c += length == 0 ? 1 : length;
    }
    couBytes_U8(bytes, '"');
}

void couBytes_JsonNumber(couBytes *bytes, double value)
{
    if (isfinite(value))
        couBytes_Format(bytes, "%.9g", value);
    else
        couBytes_Format(bytes, "null");
}

// --- Reading -----------------------------------------------------------------------------------------------------------------

static uint32_t read_number(couByteReader *reader, size_t size)
{
    if (reader->left < size) {
        reader->is_bad = true;
        reader->left = 0;
        return 0;
    }
    uint32_t value = 0;
    for (size_t i = 0; i < size; ++i) value |= (uint32_t)reader->data[i] << (8 * i);
    reader->data += size;
    reader->left -= size;
    return value;
}

unsigned couByteReader_U8(couByteReader *reader) { return read_number(reader, 1); }
unsigned couByteReader_U16(couByteReader *reader) { return read_number(reader, 2); }
uint32_t couByteReader_U32(couByteReader *reader) { return read_number(reader, 4); }

float couByteReader_F32(couByteReader *reader)
{
    uint32_t bits = read_number(reader, 4);
    float value;
    memcpy(&value, &bits, 4);
    if (isfinite(value)) return value;
    reader->is_bad = true;
    return 0.0f;
}

couVec3 couByteReader_Vec3(couByteReader *reader)
{
    float x = couByteReader_F32(reader), y = couByteReader_F32(reader), z = couByteReader_F32(reader);
    return (couVec3){x, y, z};
}

void couByteReader_Text(couByteReader *reader, char *text, size_t size)
{
    size_t length = couByteReader_U16(reader);
    text[0] = '\0';
    if (length > reader->left || length >= size || memchr(reader->data, 0, length)) {
        reader->is_bad = true;
        return;
    }
    memcpy(text, reader->data, length);
    text[length] = '\0';
    reader->data += length;
    reader->left -= length;
    for (const unsigned char *c = (const unsigned char *)text; *c && !reader->is_bad;) {
        int step = sequence_length(c);
        if (step == 0) reader->is_bad = true;
        c += step;
    }
}

bool couByteReader_IsDone(const couByteReader *reader) { return !reader->is_bad && reader->left == 0; }
