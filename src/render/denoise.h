/// Takes the grain out of a picture, guided by what its pixels show.
#pragma once

#include "base/parallel.h"
#include "coulis/picture.h"

typedef struct couNoisy {
    int width, height;
    couVec3 *radiance;     ///< means over the paths; replaced by the clean picture
    const float *variance; ///< of each pixel's mean, of its brightness over its albedo
    const couVec3 *albedo; ///< mean
    const couVec3 *normal; ///< mean; shorter where it varies
    const float *depth;    ///< [m]; infinity for the sky
    float pixel;           ///< size of a pixel at depth 1
} couNoisy;

/// What a pixel shows.
typedef struct couGuide {
    couVec3 albedo, normal; ///< means
    float depth;            ///< [m]; infinity for the sky
} couGuide;

/// How alike two pixels are in what they show, 0 to 1, at a distance [pixels], for pixels of that size at depth 1.
float couLikeness(const couGuide *a, const couGuide *b, float distance, float pixel);

/// False without memory, then nothing has changed.
bool couDenoise(const couParallel *parallel, const couNoisy *picture);
