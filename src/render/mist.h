/// The clear liquids of a preview as what they hold back of the light along a ray.
#pragma once

#include "coulis/picture.h"

#include <embree3/rtcore.h>

typedef struct couMist {
    RTCScene scene; ///< NULL when nothing is clear
    couVec4 *balls; ///< of clear particles: centre, and one spacing [m]
    uint8_t *materials;
    size_t count;
    float extinction[256]; ///< of each material [1/m]; 0: opaque
} couMist;

/// False without memory. Clear it in any case; must stay where it is until then.
bool couMist_Build(couMist *mist, RTCDevice device, const couPictureScene *scene);
void couMist_Clear(couMist *mist);
/// Lets rays that do not see what is clear go through such particles.
void couMist_LetBe(RTCGeometry particles);
