/// The clear liquids of a preview as what they hold back of the light along a ray.
#pragma once

#include "coulis/picture.h"

#include <embree3/rtcore.h>

/// How much a liquid holds back at each place [1/m]: cells in bricks of 8^3, where there is any.
typedef struct couMist {
    couVec3 origin;
    float cell;            ///< [m]
    int bricks[3];         ///< along each axis
    int32_t *places;       ///< of each brick among those that hold something; -1: it holds nothing
    float (*cells)[512];   ///< NULL when nothing is clear
    float extinction[256]; ///< of each material [1/m]; 0: opaque
} couMist;

/// False without memory. Clear it in any case.
bool couMist_Build(couMist *mist, const couPictureScene *scene);
void couMist_Clear(couMist *mist);
/// What is held back along a ray from `start` to `reach`, as a power of e; no more than can be told from all of it.
float couMist_Along(const couMist *mist, couVec3 origin, couVec3 direction, float start, float reach);
/// Lets rays that do not see what is clear go through such particles.
void couMist_LetBe(RTCGeometry particles);
