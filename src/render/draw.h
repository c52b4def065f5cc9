/// One picture on its way from the request to pixels, as the qualities share it.
#pragma once

#include "base/parallel.h"
#include "render/view.h"

#include <embree3/rtcore.h>

typedef struct couDrawing {
    RTCDevice device;
    const couParallel *parallel;
    const couPictureScene *scene;
    const couPictureOptions *options; ///< checked
    couView view;
    couImage *image;   ///< has its pixels
    couLayers *layers; ///< NULL: not asked for
} couDrawing;

bool couDrawPreview(const couDrawing *drawing, couFaults *faults); ///< also splats and 2D
bool couDrawFinal(const couDrawing *drawing, couFaults *faults);
