/// Text in pictures. Colours are of the display (sRGB, 0 to 1).
#pragma once

#include "coulis/picture.h"

#define COU_TEXT_ROWS 7 ///< dots from the top of a letter to its foot; descenders have one more

/// A letter is five dots wide with one between letters; `dot` is the size of one [pixels].
float couTextWidth(const char *text, float dot);
/// From the upper left corner (x, y) [pixels]. What is not ASCII is drawn as '?'; what is outside of the image is left out.
void couDrawText(couImage *image, const char *text, float x, float y, float dot, couVec3 color);
/// Mixes the pixel with the colour by `share`, 0 to 1; outside of the image nothing.
void couBlendPixel(couImage *image, int x, int y, couVec3 color, float share);
