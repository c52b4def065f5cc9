/// Points that cover the unit square evenly, for the choices of a light path: the first two dimensions of Sobol's sequence, for
/// each pair of choices shuffled and scrambled anew [Burley 2020, "Practical hash-based Owen scrambling"]. A point follows from
/// pixel, path and choice alone, so that pictures do not depend on the threads.
///
/// Owen's scrambling turns each bit or not by those above it; here it is done on numbers whose bits are in reverse, which saves
/// turning them to and fro.
#pragma once

#include "base/base.h"

typedef struct couSampler {
    uint32_t index;  ///< of the path within its pixel, its bits in reverse
    uint32_t seed;   ///< of the pixel
    uint32_t choice; ///< pairs taken so far
} couSampler;

typedef struct couVec2 {
    float x, y; ///< 0 to 1, 1 excluded
} couVec2;

static inline uint32_t couHash32(uint32_t x)
{
    // "lowbias32" [Wellons 2018].
    x ^= x >> 16, x *= 0x7feb352du;
    x ^= x >> 15, x *= 0x846ca68bu;
    return x ^ x >> 16;
}

static inline uint32_t couReverseBits(uint32_t x)
{
    x = (x & 0x55555555u) << 1 | (x >> 1 & 0x55555555u);
    x = (x & 0x33333333u) << 2 | (x >> 2 & 0x33333333u);
    x = (x & 0x0f0f0f0fu) << 4 | (x >> 4 & 0x0f0f0f0fu);
    return __builtin_bswap32(x);
}

/// Permutes numbers so that each bit depends on lower bits only [Laine and Karras 2011, with Vegdahl's constants].
static inline uint32_t couPermuteUpwards(uint32_t x, uint32_t seed)
{
    x ^= x * 0x3d20adeau;
    x += seed;
    x *= (seed >> 16) | 1u;
    x ^= x * 0x05526c56u;
    return x ^ x * 0x53a22864u;
}

static inline float couToUnit(uint32_t bits) { return (float)(bits >> 8) * 0x1p-24f; }

static inline couSampler couMakeSampler(int x, int y, uint32_t index, uint32_t seed)
{
    uint32_t pixel = couHash32((uint32_t)x + couHash32((uint32_t)y + couHash32(seed + 0x9e3779b9u)));
    return (couSampler){couReverseBits(index), pixel, 0};
}

/// The second dimension of Sobol's sequence at `index`, bits in reverse. Bit j of it is the sum of the bits k of the index with
/// (k over j) odd, that is, with all bits of j in k [Lucas 1878]: a sum over supersets, one bit of j and k at a time.
static inline uint32_t couSobolReversed(uint32_t index)
{
    index ^= index >> 1 & 0x55555555u;
    index ^= index >> 2 & 0x33333333u;
    index ^= index >> 4 & 0x0f0f0f0fu;
    index ^= index >> 8 & 0x00ff00ffu;
    return index ^ index >> 16;
}

static inline couVec2 couSampler_Next(couSampler *sampler)
{
    uint32_t seed = couHash32(sampler->seed + 0x632be5abu * ++sampler->choice);
    uint32_t index = couReverseBits(couPermuteUpwards(sampler->index, seed));
    uint32_t x = couPermuteUpwards(index, couHash32(seed ^ 0x68bc21ebu));
    uint32_t y = couPermuteUpwards(couSobolReversed(index), couHash32(seed ^ 0x02e5be93u));
    return (couVec2){couToUnit(couReverseBits(x)), couToUnit(couReverseBits(y))};
}

/// Leaves out a pair that nobody looks at.
static inline void couSampler_Skip(couSampler *sampler) { ++sampler->choice; }
