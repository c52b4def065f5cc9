/// Vectors of doubles: geometry of cells, and the state of solids.
#pragma once

#include "base/base.h"

typedef struct couDouble3 {
    double x, y, z;
} couDouble3;

static inline couDouble3 couWiden(couVec3 a) { return (couDouble3){a.x, a.y, a.z}; }
static inline couVec3 couNarrow(couDouble3 a) { return (couVec3){(float)a.x, (float)a.y, (float)a.z}; }
static inline couDouble3 couAdd3(couDouble3 a, couDouble3 b) { return (couDouble3){a.x + b.x, a.y + b.y, a.z + b.z}; }
static inline couDouble3 couSub3(couDouble3 a, couDouble3 b) { return (couDouble3){a.x - b.x, a.y - b.y, a.z - b.z}; }
static inline couDouble3 couScale3(double s, couDouble3 a) { return (couDouble3){s * a.x, s * a.y, s * a.z}; }
/// a + s b
static inline couDouble3 couMulAdd3(couDouble3 a, double s, couDouble3 b)
{
    return (couDouble3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}
static inline double couDot3(couDouble3 a, couDouble3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline couDouble3 couCross3(couDouble3 a, couDouble3 b)
{
    return (couDouble3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline double couLength3(couDouble3 a) { return sqrt(couDot3(a, a)); }
static inline bool couIsFiniteDouble3(couDouble3 a) { return isfinite(a.x) && isfinite(a.y) && isfinite(a.z); }
