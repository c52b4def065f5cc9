/// Volumes of the samples that stand for a body.
#pragma once

#include "fluid/fluid.h"

/// gamma over the sum of W to each other [Akinci 2012; Gagneux 2022, eq. 2.52]; then, for samples of `shape`, such that the
/// density in front of it is that of what is solid there. NULL: points that somebody gave, which stay so. False without memory.
bool couFindSampleVolumes(couFluid *fluid, const couShape *shape, const couVec3 *points, size_t count, float *volumes);
