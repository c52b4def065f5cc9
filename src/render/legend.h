/// What legends and automatic ranges share.
#pragma once

#include "coulis/picture.h"

/// Several side by side, the first at the right edge of the image.
void couDrawLegends(couImage *image, const couLegend *legends, int count);

/// 1, 2 or 5 times a power of ten, so that from low to high there are four to ten steps; low < high.
double couNiceStep(double low, double high);
