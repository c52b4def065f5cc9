// Numbers and texts in files. Surfaces and scenes for other programs hold millions of floats as text, where printf and strtof
// for each try would cost more than all else: the digits come from one product in double precision, whose error of 1e-16 is far
// below what tells two floats apart, and a candidate counts only if it leads back to the float with a margin.
#include "files/text.h"

#include "base/base.h"

#include <stdlib.h>

// --- Numbers -----------------------------------------------------------------------------------------------------------------

// x * 10^exponent, for |exponent| < 128.
static double scale10(double x, int exponent)
{
    static const double powers[] = {1e1, 1e2, 1e4, 1e8, 1e16, 1e32, 1e64};
    double power = 1.0;
    int bits = abs(exponent);
    for (int i = 0; i < COU_COUNT(powers); ++i)
        if (bits >> i & 1) power *= powers[i];
    return exponent < 0 ? x / power : x * power;
}

static bool leads_back(double candidate, float value)
{
    return (float)(candidate * (1.0 - 1e-15)) == value && (float)(candidate * (1.0 + 1e-15)) == value;
}

// The digits of a positive number as an integer of `*count` digits, without zeros at the end; its first digit counts
// 10^*exponent.
static int64_t find_digits(float value, int *count, int *exponent)
{
    static const int64_t limits[] = {1000000, 10000000, 100000000, 1000000000};
    double exact = (double)value;
    int first = (int)floor(log10(exact));
    if (scale10(exact, 5 - first) < 99999.5) --first; // the logarithm was rounded up
    int64_t digits = 0;
    for (int precision = 6; precision <= 9; ++precision) {
        *count = precision;
        *exponent = first;
        digits = llrint(scale10(exact, precision - 1 - first));
        if (digits >= limits[precision - 6]) digits /= 10, ++*exponent;
        if (leads_back(scale10((double)digits, *exponent - precision + 1), value)) break;
    }
    while (*count > 1 && digits % 10 == 0) digits /= 10, --*count;
    return digits;
}

int couFormatFloat(char *text, float value)
{
    if (!isfinite(value) || value == 0.0f) return sprintf(text, "%g", (double)value);
    int count, exponent;
    int64_t digits = find_digits(fabsf(value), &count, &exponent);
    char figures[20];
    for (int i = count; i-- > 0; digits /= 10) figures[i] = (char)('0' + digits % 10);

    char *at = text;
    if (value < 0.0f) *at++ = '-';
    if (exponent < -4 || exponent >= COU_MAX(count, 6)) {
        *at++ = figures[0];
        if (count > 1) *at++ = '.';
        for (int i = 1; i < count; ++i) *at++ = figures[i];
        at += sprintf(at, "e%c%02d", exponent < 0 ? '-' : '+', abs(exponent));
    } else {
        if (exponent < 0) *at++ = '0', *at++ = '.';
        for (int i = exponent; i < -1; ++i) *at++ = '0';
        for (int i = 0; i < COU_MAX(count, exponent + 1); ++i) {
            if (i == exponent + 1 && exponent >= 0) *at++ = '.';
            *at++ = i < count ? figures[i] : '0';
        }
    }
    *at = '\0';
    return (int)(at - text);
}

void couPrintFloat(FILE *stream, float value)
{
    char text[cou_floatTextSize];
    fwrite(text, 1, (size_t)couFormatFloat(text, value), stream);
}

void couPrintDouble(FILE *stream, double value)
{
    char text[40];
    for (int digits = 15; digits <= 17; ++digits) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value) break;
    }
    fputs(text, stream);
}

// --- JSON --------------------------------------------------------------------------------------------------------------------

// Bytes of the UTF-8 character at `text`, 0 when it is not one (wrong or cut sequence, overlong, surrogate, beyond U+10FFFF).
static int utf8_length(const unsigned char *text)
{
    if (text[0] < 0x80) return 1;
    int length = text[0] >= 0xc2 && text[0] < 0xe0 ? 2 : (text[0] & 0xf0) == 0xe0 ? 3 : text[0] >= 0xf0 && text[0] < 0xf5 ? 4 : 0;
    for (int i = 1; i < length; ++i)
        if ((text[i] & 0xc0) != 0x80) return 0;
    if (text[0] == 0xe0 && text[1] < 0xa0) return 0;
    if (text[0] == 0xed && text[1] >= 0xa0) return 0;
    if (text[0] == 0xf0 && text[1] < 0x90) return 0;
    if (text[0] == 0xf4 && text[1] >= 0x90) return 0;
    return length;
}

void couPrintJsonText(FILE *stream, const char *text)
{
    fputc('"', stream);
    for (const unsigned char *at = (const unsigned char *)(text ? text : ""); *at != 0;) {
        int length = utf8_length(at);
        if (length == 0)
            fputs("\\ufffd", stream);
        else if (*at == '"' || *at == '\\')
            fprintf(stream, "\\%c", *at);
        else if (*at == '\n')
            fputs("\\n", stream);
        else if (*at == '\t')
            fputs("\\t", stream);
        else if (*at < 0x20 || *at == 0x7f)
            fprintf(stream, "\\u%04x", *at);
        else
            fwrite(at, 1, (size_t)length, stream);
        at += COU_MAX(length, 1);
    }
    fputc('"', stream);
}

void couPrintJsonNumber(FILE *stream, double value)
{
    if (isfinite(value))
        couPrintDouble(stream, value);
    else
        fputs("null", stream);
}

// --- Colours -----------------------------------------------------------------------------------------------------------------

uint8_t couToDisplay(float linear)
{
    float x = linear > 0.0f ? COU_MIN(linear, 1.0f) : 0.0f; // NaN: black
    float display = x <= 0.0031308f ? 12.92f * x : 1.055f * powf(x, 1.0f / 2.4f) - 0.055f;
    return (uint8_t)(255.0f * display + 0.5f);
}

float couFromDisplay(uint8_t byte)
{
    float x = (float)byte / 255.0f;
    return x <= 0.04045f ? x / 12.92f : powf((x + 0.055f) / 1.055f, 2.4f);
}
