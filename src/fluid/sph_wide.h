/// What the hot loops of the SPH files share: the places of a particle's pairs, and offsets between particles.
#pragma once

#include "fluid/kernels_wide.h"
#include "fluid/sph.h"

/// The list of one particle: blocks of fluid, then blocks of solids.
typedef struct couPairList {
    const uint32_t *list;
    couPairBlock *pairs;
    int fluid_blocks, blocks;
} couPairList;

static inline couPairList couPairs_Of(const couSphLoop *loop, size_t i)
{
    const couNeighbors *neighbors = loop->neighbors;
    couPairList found = {.list = neighbors->first[i], .pairs = loop->pairs + loop->pair_start[i]};
    found.fluid_blocks = (neighbors->count[i] + COU_WIDTH - 1) / COU_WIDTH;
    found.blocks = found.fluid_blocks;
    if (neighbors->solid_count && neighbors->solid_count[i]) {
        found.fluid_blocks = neighbors->solid_first[i] / COU_WIDTH;
        found.blocks = found.fluid_blocks + (neighbors->solid_count[i] + COU_WIDTH - 1) / COU_WIDTH;
    }
    return found;
}

// Where a block's first particle near a solid writes what it got from it.
static inline size_t couWallRow(const couSphLoop *loop, int block) { return loop->walls ? loop->wall_start[block] : 0; }

// The nearest image along one axis. Padding lies at 1e15 and must stay there.
static inline couFloatW couFoldW(couFloatW x, float period)
{
    if (!(period > 0.0f)) return x;
    couFloatW size = couMaxW(x, 0.0f - x);
    couFloatW folded = x - period * couRoundW(x * (1.0f / period));
    return couSelectW(size < 2.0f * period, folded, x);
}

/// From i to eight others, with their w.
static inline couVec3W couOffsetsW(const couSphLoop *loop, const uint32_t *index, couVec3 xi, couFloatW *w)
{
    couVec3W offset = couSubW(couLoadRecordsW(loop->position, index, w), couSet3W(xi));
    if (loop->is_periodic) {
        offset.x = couFoldW(offset.x, loop->period[0]);
        offset.y = couFoldW(offset.y, loop->period[1]);
        offset.z = couFoldW(offset.z, loop->period[2]);
    }
    return offset;
}

/// Numbers of eight samples.
static inline couFloatW couLoadWallsW(const couSphLoop *loop, const float *values, const uint32_t *index)
{
    float each[COU_WIDTH];
    for (int k = 0; k < COU_WIDTH; ++k) each[k] = values[index[k] - loop->count];
    return couLoadW(each);
}

/// The kept gradients of a block, in units of the scale.
static inline couVec3W couGradientsW(const couPairBlock *pairs)
{
    return (couVec3W){couLoadShortsW(pairs->x), couLoadShortsW(pairs->y), couLoadShortsW(pairs->z)};
}

/// What the density of a particle lacks where the liquid ends in the open (free_surface.c); steep2 = |sum G|^2, `liquid` what the
/// liquid around it adds to its density.
static inline float couSurfaceLack(const couSphLoop *loop, float steep2, float density, float liquid)
{
    float part = COU_SURFACE_RISE * sqrtf(steep2 * loop->surface[1]) - (COU_SURFACE_RISE - 1.0f);
    float lack = COU_MIN(loop->surface[0] * COU_MAX(part, 0.0f), COU_MAX(1.0f - density, 0.0f));
    return lack * COU_CLAMP(4.0f * liquid, 0.0f, 1.0f);
}
