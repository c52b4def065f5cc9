/// Random numbers: a small seeded generator, and a hash that gives each id its own fixed random number.
#pragma once

#include "base/base.h"

/// The finaliser of splitmix64: every bit of the result depends on every bit of x.
static inline uint64_t couMix64(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static inline uint32_t couMix32(uint32_t x)
{
    x = (x ^ (x >> 16)) * 0x7feb352du;
    x = (x ^ (x >> 15)) * 0x846ca68bu;
    return x ^ (x >> 16);
}

typedef struct couRandom {
    uint64_t state;
} couRandom;

static inline uint64_t couNextRandom(couRandom *random)
{
    random->state += 0x9e3779b97f4a7c15u;
    return couMix64(random->state);
}

/// Uniform in [0, 1).
static inline float couRandomFloat(couRandom *random) { return (float)(couNextRandom(random) >> 40) * 0x1p-24f; }
/// Uniform in [-1, 1).
static inline float couRandomSigned(couRandom *random) { return 2.0f * couRandomFloat(random) - 1.0f; }
