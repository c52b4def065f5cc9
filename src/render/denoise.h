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

/// False without memory, then nothing has changed.
bool couDenoise(const couParallel *parallel, const couNoisy *picture);
