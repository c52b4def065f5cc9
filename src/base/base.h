/// What every module uses: assertions, log, memory counted per world, small maths.
#pragma once

#include "coulis/base.h"

#include <string.h>

/// Of the functions that are not public, libcoulis shows these to libcoulis-studio, so that both share one log, one allocator and
/// one kind of threads. Not for anyone else: they change without notice, and both libraries must be of the same version.
#define COU_INTERNAL_API COU_API

// --- Assertions and log ------------------------------------------------------------------------------------------------------

/// Programmer errors only; input is checked with faults.
#ifndef NDEBUG
#define COU_ASSERT(condition) \
    do { \
        if (!(condition)) couAssertFailed(#condition, __FILE__, __LINE__); \
    } while (0)
#else
#define COU_ASSERT(condition) ((void)0)
#endif
COU_INTERNAL_API void couAssertFailed(const char *condition, const char *file, int line);

COU_INTERNAL_API void couLog(couLogLevel level, const char *format, ...) __attribute__((format(printf, 2, 3)));

// --- Memory ------------------------------------------------------------------------------------------------------------------

/// Counts what one world holds. Thread-safe.
typedef struct couMemory {
    _Atomic size_t bytes;
    _Atomic size_t peak;
} couMemory;

/// Zeroed memory aligned to 64 bytes, or NULL. `memory` may be NULL (not counted). Bases are staggered by cache lines so that
/// columns of equal size do not fall into the same cache sets.
COU_INTERNAL_API void *couAlloc(couMemory *memory, size_t bytes);
COU_INTERNAL_API void couFree(couMemory *memory, void *pointer);

/// A growing array: `COU_ARRAY(couBody) bodies;` begins zeroed. Other structs with these three fields serve as well.
#define COU_ARRAY(type) \
    struct { \
        type *items; \
        size_t count, capacity; \
    }
/// Makes room for `wanted` items, growing by half; keeps the old ones. False without memory, and then nothing has changed.
#define COU_RESERVE(memory, array, wanted) COU_GROW(memory, (array)->items, (array)->capacity, wanted)
#define COU_FREE_ARRAY(memory, array) \
    (couFree((memory), (array)->items), (array)->items = NULL, (array)->count = (array)->capacity = 0)
/// The same for a pointer whose capacity is kept elsewhere.
#define COU_GROW(memory, pointer, room, wanted) \
    ({ \
        size_t cou_wanted = (wanted); \
        (pointer) = couGrow((memory), (pointer), &(room), cou_wanted, sizeof *(pointer)); \
        (room) >= cou_wanted; \
    })
/// What is behind the two: the items where they are now, with *capacity as it is now.
COU_INTERNAL_API void *couGrow(couMemory *memory, void *items, size_t *capacity, size_t wanted, size_t item_bytes);

/// As of qsort(): below 0, 0 or above 0.
typedef int couCompareFcn(const void *a, const void *b);
/// Like qsort(), which asks malloc for room, where no hook of ours sees it. Without memory it sorts in place, which takes longer.
/// Equal items end in any order, so where bits count the comparison leaves none equal.
void couSort(void *items, size_t count, size_t size, couCompareFcn *compare);

#define COU_MIN(a, b) ((a) < (b) ? (a) : (b))
#define COU_MAX(a, b) ((a) > (b) ? (a) : (b))
#define COU_CLAMP(x, lo, hi) COU_MIN(COU_MAX(x, lo), hi)
#define COU_COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))
#define COU_PI 3.14159265358979323846

/// Largest whole number not above x, for |x| < 2^31. floorf() is a call on baseline x86-64.
static inline int32_t couFloorInt(float x)
{
    int32_t n = (int32_t)x;
    return n - ((float)n > x);
}

// --- Small maths -------------------------------------------------------------------------------------------------------------

static inline couVec3 couAdd(couVec3 a, couVec3 b) { return (couVec3){a.x + b.x, a.y + b.y, a.z + b.z}; }
static inline couVec3 couSub(couVec3 a, couVec3 b) { return (couVec3){a.x - b.x, a.y - b.y, a.z - b.z}; }
static inline couVec3 couScale(float s, couVec3 a) { return (couVec3){s * a.x, s * a.y, s * a.z}; }
/// a + s b
static inline couVec3 couMulAdd(couVec3 a, float s, couVec3 b) { return (couVec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z}; }
static inline float couDot(couVec3 a, couVec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline couVec3 couCross(couVec3 a, couVec3 b)
{
    return (couVec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline float couLength(couVec3 a) { return sqrtf(couDot(a, a)); }
/// Unit vector; zero stays zero.
static inline couVec3 couNormalize(couVec3 a)
{
    float length = couLength(a);
    return length > 0.0f ? couScale(1.0f / length, a) : a;
}
/// Any two directions along a plane, the axes themselves where it is even with these.
static inline void couTangents(couVec3 n, couVec3 *u, couVec3 *v)
{
    float x = fabsf(n.x), y = fabsf(n.y), z = fabsf(n.z);
    couVec3 axis = x <= y && x <= z ? (couVec3){1, 0, 0} : z <= y ? (couVec3){0, 0, 1} : (couVec3){0, 1, 0};
    *u = couNormalize(couMulAdd(axis, -couDot(axis, n), n));
    *v = couCross(n, *u);
}
static inline couVec3 couXyz(couVec4 a) { return (couVec3){a.x, a.y, a.z}; }
static inline bool couIsFinite3(couVec3 a) { return isfinite(a.x) && isfinite(a.y) && isfinite(a.z); }

static inline couVec3 couRotate(couQuat q, couVec3 v)
{
    couVec3 u = {q.x, q.y, q.z};
    couVec3 t = couScale(2.0f, couCross(u, v));
    return couAdd(couMulAdd(v, q.w, t), couCross(u, t));
}
static inline couQuat couConjugate(couQuat q) { return (couQuat){-q.x, -q.y, -q.z, q.w}; }
/// First b, then a.
static inline couQuat couMulQuat(couQuat a, couQuat b)
{
    return (couQuat){a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                     a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}
static inline couVec3 couToWorld(couPose pose, couVec3 p) { return couAdd(pose.position, couRotate(pose.rotation, p)); }
static inline couVec3 couToLocal(couPose pose, couVec3 p)
{
    return couRotate(couConjugate(pose.rotation), couSub(p, pose.position));
}

/// The pose of something at `inner` within a frame at `outer`.
static inline couPose couCompose(couPose outer, couPose inner)
{
    return (couPose){couToWorld(outer, inner.position), couMulQuat(outer.rotation, inner.rotation)};
}

// --- Time --------------------------------------------------------------------------------------------------------------------

COU_INTERNAL_API double couSeconds(void); ///< monotonic clock [s]
