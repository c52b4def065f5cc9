/// A look at frames of other programs, which come without a stage.json.
#pragma once

#include "coulis/frames.h"

/// What frames that come without a stage.json are like.
typedef struct couFrameProbe {
    int dimension;    ///< 2 when all particles have z = 0
    float spacing;    ///< distance of neighbours [m], the median of a sample; 0: too few particles
    couBounds bounds; ///< of the particles within 1e9 m [m]; empty (lower > upper): there are none
} couFrameProbe;

/// Dimension and spacing by the first of the frames that has particles, bounds by at most `most` of them from the first to the
/// last. Frames that cannot be read are passed over.
couFrameProbe couProbeFrames(const couFrameFiles *files, int most);
size_t couFrame_LostCount(const couFrame *frame); ///< particles at NaN, or farther than 1e9 m
