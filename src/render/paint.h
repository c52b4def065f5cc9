/// Colours by a number of each particle, for pictures.
#pragma once

#include "coulis/look.h"
#include "coulis/surface.h"

/// What numbers were seen so far: a hundredth at either end of a frame's does not count, so that a stray drop does not squeeze
/// the scale. Start with couNoRange().
typedef struct couColorRange {
    float low, high;
} couColorRange;

couColorRange couNoRange(void);
void couColorRange_Include(couColorRange *range, const float *values, size_t count);
/// Fills the ends that are automatic, at round numbers beyond the range; low < high afterwards.
void couColorRange_Settle(const couColorRange *range, couColors *colors);

/// Linear RGB of each value.
void couPaintValues(const couColors *colors, const float *values, size_t count, couVec3 *out);
/// The colours of a surface's vertices from the values of the particles that its nearest_ids number, evened out a little over the
/// mesh. False without memory.
bool couPaintSurface(const couColors *colors, const float *values, couSurface *surface);
