/// Bytes of messages: written into a buffer that grows, read with bounds checked. Little-endian.
#pragma once

#include "coulis/base.h"

enum { cou_bytesHead = 64 }; ///< room before the first byte, for the headers of whoever sends it

/// Zero-initialise; free with couBytes_Clear(). Without memory is_short is set and nothing more is added.
typedef struct couBytes {
    uint8_t *data; ///< the first byte; NULL while empty
    size_t count, capacity;
    bool is_short;
} couBytes;

void couBytes_Clear(couBytes *bytes);
/// Room for `count` more bytes, which the caller fills; NULL without memory.
uint8_t *couBytes_Extend(couBytes *bytes, size_t count);
void couBytes_Add(couBytes *bytes, const void *data, size_t count);
void couBytes_U8(couBytes *bytes, unsigned value);
void couBytes_U16(couBytes *bytes, unsigned value);
void couBytes_U32(couBytes *bytes, uint32_t value);
void couBytes_U64(couBytes *bytes, uint64_t value);
void couBytes_F32(couBytes *bytes, float value);
void couBytes_F64(couBytes *bytes, double value);
void couBytes_Vec3(couBytes *bytes, couVec3 value);
void couBytes_Format(couBytes *bytes, const char *format, ...) __attribute__((format(printf, 2, 3)));
/// A JSON string in quotes; bytes that would break it are escaped.
void couBytes_JsonText(couBytes *bytes, const char *text);
/// A JSON number, null where it is not finite.
void couBytes_JsonNumber(couBytes *bytes, double value);

/// What is left of a message that came from outside. Past its end, and for numbers that are not finite, is_bad is set and
/// everything reads as 0.
typedef struct couByteReader {
    const uint8_t *data;
    size_t left;
    bool is_bad;
} couByteReader;

unsigned couByteReader_U8(couByteReader *reader);
unsigned couByteReader_U16(couByteReader *reader);
uint32_t couByteReader_U32(couByteReader *reader);
float couByteReader_F32(couByteReader *reader);
couVec3 couByteReader_Vec3(couByteReader *reader);
/// A count in 16 bits and that many bytes of UTF-8 without zeros; is_bad beyond size - 1 bytes.
void couByteReader_Text(couByteReader *reader, char *text, size_t size);
/// True when all of it was read and nothing was wrong.
bool couByteReader_IsDone(const couByteReader *reader);
