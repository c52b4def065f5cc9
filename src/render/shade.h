/// Colours of what rays meet in space.
#pragma once

#include "base/parallel.h"
#include "render/stage.h"

/// The stage with the light that was gathered for it.
typedef struct couShading {
    const couStage *stage;
    const couPictureScene *scene;
    const couView *view;
    int sample_count;           ///< per pixel
    float reach;                ///< how far ambient light is blocked [m]
    _Atomic uint64_t *openness; ///< per sphere: what it sees of the sky, packed; 0 until first asked for
    float *ground_light;        ///< map of what the ground sees of the sky
    couBounds ground_area;      ///< of the map
    float checker;              ///< cell of the floor's pattern [m]
} couShading;

bool couShading_Prepare(couShading *shading, const couParallel *parallel, couFaults *faults);
void couShading_Clear(couShading *shading);
/// Radiance along the ray of sample `index` of the pixel (x, y).
couVec3 couShading_Color(couShading *shading, couRay ray, int x, int y, int index);
