/// Numbers and texts in files: as few digits as give the same number back, JSON strings.
#pragma once

#include "coulis/base.h"

#include <stdio.h>

enum { cou_floatTextSize = 24 }; ///< room for couFormatFloat(), with the terminating zero

/// Like %.6g to %.9g, the first that gives the same float back, at some 40 ns; returns the length.
int couFormatFloat(char *text, float value);
void couPrintFloat(FILE *stream, float value);
/// Like %.15g to %.17g.
void couPrintDouble(FILE *stream, double value);
/// The text in quotes, escaped; bytes that are not UTF-8 become U+FFFD.
void couPrintJsonText(FILE *stream, const char *text);
/// A number, or null where it is not finite.
void couPrintJsonNumber(FILE *stream, double value);

/// Linear light 0 to 1 as the byte of a display (IEC 61966-2-1), and back.
uint8_t couToDisplay(float linear);
float couFromDisplay(uint8_t byte);
