/// Takes the grain out of a picture, guided by what its pixels show.
#pragma once

#include "base/parallel.h"
#include "coulis/picture.h"

typedef struct couNoisy {
    int width, height;
    couVec3 *radiance;     ///< means over the paths; replaced by the clean picture
    const float *variance; ///< of each pixel's mean, of its brightness over its albedo
    const couVec3 *albedo; ///< mean
    const float *blur;     ///< of each pixel's mean albedo: variance, the sum over its channels
    const couVec3 *normal; ///< mean; shorter where it varies
    const float *depth;    ///< [m]; infinity for the sky
    float pixel;           ///< size of a pixel at depth 1
} couNoisy;

/// What a pixel shows.
typedef struct couGuide {
    couVec3 albedo, normal; ///< means
    float depth;            ///< [m]; infinity for the sky
    float blur;             ///< as in couNoisy
} couGuide;

/// How alike two pixels are in what they show, 0 to 1, at a distance [pixels], for pixels of that size at depth 1. Albedos that
/// differ by less than their noise are alike; `shade` is the squared difference beyond that which still counts as much the same.
float couLikeness(const couGuide *a, const couGuide *b, float distance, float pixel, float shade);
#define COU_LIGHT_SHADE 0.004f ///< that light is mixed over

/// False without memory, then nothing has changed.
bool couDenoise(const couParallel *parallel, const couNoisy *picture);
