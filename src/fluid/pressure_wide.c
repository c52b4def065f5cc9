// An iteration's loops over the particles alone, eight at a time. Their sums are of doubles, one a lane.

#include "fluid/pressure.h"

#include "base/wide_double.h"

// Up to eight floats; those behind the last are 0 and stay as they are.
static inline couFloatW load_some(const float *p, size_t lanes)
{
    if (lanes >= COU_WIDTH) return couLoadW(p);
    float some[COU_WIDTH] = {0};
    memcpy(some, p, lanes * sizeof *some);
    return couLoadW(some);
}
static inline void store_some(float *p, size_t lanes, couFloatW a)
{
    if (lanes >= COU_WIDTH)
        couStoreW(p, a);
    else
        memcpy(p, &a, lanes * sizeof *p);
}

void COU_WIDE(couSolvePrecondition)(const couSolveLoop *given, size_t begin, size_t end, double *sums)
{
    const couSolveLoop loop = *given; // a copy that no store can change
    couLaneSums now = {0}, last = {0}, all = {0};
    for (size_t i = begin; i < end; i += COU_WIDTH) {
        size_t lanes = end - i;
        couFloatW e = load_some(loop.residual + i, lanes), p = load_some(loop.pressure + i, lanes), left = e;
        if (loop.eased) left -= load_some(loop.eased + i, lanes);
        couFloatW own = left * load_some(loop.factor + i, lanes) * loop.inv_dt, z = own;
        if (loop.coarse_share > 0.0f) {
            couFloatW coarse = loop.coarse_share * loop.inv_dt * load_some(loop.corrected + i, lanes);
            // What would be cut is no place for a long wave.
            couMaskW is_safe = (e > -COU_COMPRESSION_ROUNDING) | (p > 2.0f * couMaxW(own, 0.0f - own));
            z += loop.is_clamped ? couSelectW(is_safe, coarse, 0.0f) : coarse;
        }
        if (loop.is_clamped) z = couMaxW(z, 0.0f - p); // what is cut has no part in the products
        store_some(loop.corrected + i, lanes, z);
        couAddLanes(&now, z * e), couAddLanes(&last, z * load_some(loop.last_residual + i, lanes)), couAddLanes(&all, z);
    }
    sums[0] = couAllLanes(now), sums[1] = couAllLanes(last), sums[2] = couAllLanes(all);
}

void COU_WIDE(couSolveDirect)(const couSolveLoop *given, size_t begin, size_t end, double *sums)
{
    const couSolveLoop loop = *given;
    couLaneSums along = {0};
    couFloatW farthest = couSetW(INFINITY);
    for (size_t i = begin; i < end; i += COU_WIDTH) {
        size_t lanes = end - i;
        couFloatW way = load_some(loop.corrected + i, lanes) - loop.level + loop.turn * load_some(loop.direction + i, lanes);
        couFloatW change = loop.reach * way;
        if (loop.is_clamped) {
            couFloatW p = load_some(loop.pressure + i, lanes);
            change = couMaxW(change, 0.0f - p);
            farthest = couMinW(farthest, couSelectW(change < 0.0f, p / (0.0f - change), INFINITY));
        }
        store_some(loop.direction + i, lanes, way), store_some(loop.change + i, lanes, change);
        couAddLanes(&along, change * load_some(loop.residual + i, lanes));
    }
    float each[COU_WIDTH], least = INFINITY;
    couStoreW(each, farthest);
    for (int k = 0; k < COU_WIDTH; ++k) least = COU_MIN(least, each[k]);
    sums[0] = couAllLanes(along), sums[1] = least;
}

void COU_WIDE(couSolveMove)(const couSolveLoop *given, size_t begin, size_t end, double *sums)
{
    (void)sums;
    const couSolveLoop loop = *given;
    float *v = &loop.velocity[0].x;
    const float *out = &loop.out[0].x; // whose w are 0
    for (size_t i = 4 * begin; i < 4 * end; i += COU_WIDTH) {
        size_t lanes = 4 * end - i;
        store_some(v + i, lanes, load_some(v + i, lanes) - loop.step * load_some(out + i, lanes));
    }
    for (size_t i = begin; i < end; i += COU_WIDTH) {
        size_t lanes = end - i;
        couFloatW p = load_some(loop.pressure + i, lanes) + loop.step * load_some(loop.change + i, lanes);
        store_some(loop.pressure + i, lanes, loop.is_clamped ? couMaxW(p, 0.0f) : p);
    }
}
