/// Four doubles at a time, as wide.h has eight floats: for hot loops (*_wide.c) that need the digits. The same rules hold:
/// operators where there are any, and the same bits in all builds.
#pragma once

#include "base/wide.h"

#define COU_DOUBLE_WIDTH 4

typedef double couDoubleW __attribute__((vector_size(32)));
/// Four vectors.
typedef struct couDouble3W {
    couDoubleW x, y, z;
} couDouble3W;
/// A vector in memory, as long as a couDoubleW; the last number pads it.
typedef struct couDouble4 {
    double x, y, z, w;
} couDouble4;

static inline couDoubleW couLoadDoubleW(const double *p)
{
    couDoubleW a;
    memcpy(&a, p, sizeof a);
    return a;
}
static inline couDouble3W couSubDoubleW(couDouble3W a, couDouble3W b) { return (couDouble3W){a.x - b.x, a.y - b.y, a.z - b.z}; }
static inline couDouble3W couAddDoubleW(couDouble3W a, couDouble3W b) { return (couDouble3W){a.x + b.x, a.y + b.y, a.z + b.z}; }
static inline couDouble3W couScaleDoubleW(couDoubleW s, couDouble3W a) { return (couDouble3W){s * a.x, s * a.y, s * a.z}; }
static inline couDoubleW couDotDoubleW(couDouble3W a, couDouble3W b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

/// A sum of floats, each lane for itself.
typedef struct couLaneSums {
    couDoubleW lanes[2];
} couLaneSums;

static inline void couAddLanes(couLaneSums *sums, couFloatW a)
{
    float each[COU_WIDTH];
    couStoreW(each, a);
    sums->lanes[0] += (couDoubleW){each[0], each[1], each[2], each[3]};
    sums->lanes[1] += (couDoubleW){each[4], each[5], each[6], each[7]};
}
static inline double couAllLanes(couLaneSums sums)
{
    couDoubleW both = sums.lanes[0] + sums.lanes[1];
    return (both[0] + both[2]) + (both[1] + both[3]);
}

#if COU_WIDE_SCALAR

/// Four records from anywhere.
static inline couDouble3W couGatherDoubleW(const couDouble4 *base, const uint16_t *index)
{
    couDouble3W a;
    for (int k = 0; k < COU_DOUBLE_WIDTH; ++k) {
        couDouble4 record = base[index[k]];
        a.x[k] = record.x, a.y[k] = record.y, a.z[k] = record.z;
    }
    return a;
}
/// Adds to four records anywhere, one after the other: they may be the same.
static inline void couScatterDoubleW(couDouble4 *base, const uint16_t *index, couDouble3W a)
{
    for (int k = 0; k < COU_DOUBLE_WIDTH; ++k) {
        couDouble4 *record = &base[index[k]];
        record->x += a.x[k], record->y += a.y[k], record->z += a.z[k];
    }
}

#else

// Rows of four become columns, and back.
#define COU_TURN_DOUBLES(a, b, c, d) \
    couDoubleW ab02 = __builtin_shufflevector(a, b, 0, 4, 2, 6), ab13 = __builtin_shufflevector(a, b, 1, 5, 3, 7); \
    couDoubleW cd02 = __builtin_shufflevector(c, d, 0, 4, 2, 6), cd13 = __builtin_shufflevector(c, d, 1, 5, 3, 7)

static inline couDouble3W couGatherDoubleW(const couDouble4 *base, const uint16_t *index)
{
    couDoubleW a = couLoadDoubleW(&base[index[0]].x), b = couLoadDoubleW(&base[index[1]].x);
    couDoubleW c = couLoadDoubleW(&base[index[2]].x), d = couLoadDoubleW(&base[index[3]].x);
    COU_TURN_DOUBLES(a, b, c, d);
    return (couDouble3W){__builtin_shufflevector(ab02, cd02, 0, 1, 4, 5), __builtin_shufflevector(ab13, cd13, 0, 1, 4, 5),
                         __builtin_shufflevector(ab02, cd02, 2, 3, 6, 7)};
}

static inline void couScatterDoubleW(couDouble4 *base, const uint16_t *index, couDouble3W v)
{
    couDoubleW zero = {0, 0, 0, 0};
    COU_TURN_DOUBLES(v.x, v.y, v.z, zero);
    couDoubleW rows[4] = {__builtin_shufflevector(ab02, cd02, 0, 1, 4, 5), __builtin_shufflevector(ab13, cd13, 0, 1, 4, 5),
                          __builtin_shufflevector(ab02, cd02, 2, 3, 6, 7), __builtin_shufflevector(ab13, cd13, 2, 3, 6, 7)};
    for (int k = 0; k < COU_DOUBLE_WIDTH; ++k) {
        couDoubleW sum = couLoadDoubleW(&base[index[k]].x) + rows[k];
        memcpy(&base[index[k]], &sum, sizeof sum);
    }
}

#endif
