/// What lies between particles, on a grid of points: sections and whole grids of frames, as .vti and .csv.
#pragma once

#include "files/manifest.h"
#include "world/gauge_cloud.h"

/// Points from `lower`, `cell` apart.
typedef struct couMeasureGrid {
    const char *stem; ///< "grid" or "section": the beginning of its files' names
    couVec3 lower;    ///< [m]
    float cell;       ///< [m]
    int count[3];     ///< points along each axis
} couMeasureGrid;

#define COU_MAX_GRID_POINTS 50000000

/// Within the bounds and half a support around them, or on the plane `value` of `axis` (-1: the whole box). False with a fault
/// where it would have too many points.
bool couPlaceMeasureGrid(couMeasureGrid *grid, couBounds bounds, int dimension, float margin, float cell, int axis, double value,
                         couFaults *faults);
/// STEM_000012.vti and .csv: support, velocity, density and, where there is one, pressure; NaN (in .vti 0) where it is dry.
bool couWriteMeasureGrid(couManifest *manifest, const couMeasureGrid *grid, const couGaugeCloud *cloud, int number, double time,
                         couFaults *faults);
