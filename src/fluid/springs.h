/// The spring net of viscoelastic matter [Clavet 2005, sect. 5]: springs between particles by id pair, with changing rest
/// lengths.
#pragma once

#include "base/wide.h"
#include "fluid/fluid.h"

/// One spring, kept by the particle of the lower id.
typedef struct couSpring {
    uint32_t partner_id;
    uint32_t partner;  ///< index in this step; the top bit marks a spring longer than the cell colouring allows
    float rest_length; ///< L [m]
} couSpring;

#define COU_SPRING_LONG 0x80000000u
#define COU_SPRING_BLOCK 1024 ///< particles whose springs share one array

/// A spring of a block that the colouring does not reach.
typedef struct couLongSpring {
    uint32_t particle, place; ///< index in this step; in the block's items
} couLongSpring;

typedef struct couSpringBlock {
    couSpring *items;
    size_t count, capacity;
    COU_ARRAY(couLongSpring) longs; ///< of this step, in the order of the items
} couSpringBlock;

typedef struct couSpringSet {
    couSpringBlock *blocks;
    uint32_t *first; ///< per particle: its first spring in its block's array
    uint16_t *count; ///< per particle
    size_t block_capacity, first_capacity, count_capacity;
} couSpringSet;

#define COU_NO_PARTICLE UINT32_MAX
#define COU_ID_PAGE 256 ///< ids that share a page of a map

/// From ids to indices, in pages: those without a living particle share the first, which has none. So the map of a stream whose
/// old particles are long gone, or of a state that claims high ids, is not larger than its particles justify: a kilobyte each,
/// beside 64 MB for the list of all pages that there can be.
typedef struct couIdMap {
    uint32_t *page_of; ///< by id / COU_ID_PAGE
    uint32_t *index;   ///< COU_ID_PAGE of each page
    size_t page_capacity, index_capacity;
    size_t mapped;         ///< ids that the map covers
    size_t particle_count; ///< those that it has an index of
} couIdMap;

/// The particle's index when the map was made; COU_NO_PARTICLE when it was not there.
static inline uint32_t couIdMap_Find(const couIdMap *map, uint32_t id)
{
    if (id >= map->mapped) return COU_NO_PARTICLE;
    return map->index[(size_t)map->page_of[id / COU_ID_PAGE] * COU_ID_PAGE + id % COU_ID_PAGE];
}

typedef struct couSpringNet {
    couMemory *memory;
    couSpringSet sets[2]; ///< this step's and the last one's
    int current;
    couIdMap maps[2]; ///< where the particles are in this step and were in the last
    uint32_t *stamps; ///< scratch: per worker and particle, the last one that has a spring to it
    size_t stamp_capacity;
    size_t count;                      ///< springs
    bool is_wanted[COU_MAX_MATERIALS]; ///< "add springs now", done in the next step's spring phase
    bool is_holding_far; ///< plastic springs longer than h keep their rest lengths; otherwise they flow on until they vanish
    _Atomic bool is_out_of_memory;
} couSpringNet;

/// The springs of particle i, count of them.
static inline couSpring *couSpringNet_Of(const couSpringNet *net, size_t i, int *count)
{
    const couSpringSet *set = &net->sets[net->current];
    *count = set->count[i];
    return set->blocks[i / COU_SPRING_BLOCK].items + set->first[i];
}

couSpringNet *couCreateSpringNet(couMemory *memory);
void couDestroySpringNet(couSpringNet *net);

/// True when some material has springs or some springs are left.
bool couFluid_HasSprings(const couFluid *fluid);
/// Follows the particles to their new places, adds, adjusts and removes springs [alg. 4] over dt. dt = 0 only follows.
bool couAdjustSprings(couFluid *fluid, float dt);
/// Moves positions by the springs' displacements [alg. 3]. `k_spring` [1/s^2] by material.
void couApplySprings(couFluid *fluid, float dt, const float *k_spring);
/// Springs at current lengths between all pairs of a material closer than h; the neighbour lists must be fresh.
bool couAddSpringsNow(couFluid *fluid, int material);
/// Those that were asked for since the last step, and those of solids at the first; the neighbour lists must be fresh.
void couAddWantedSprings(couFluid *fluid, bool is_first_step);
void couDeleteSprings(couFluid *fluid, int material);
/// Replaces all springs by the given ones, sorted by id pair. False without memory.
bool couSetSprings(couFluid *fluid, const couSpringView *springs, size_t count);
/// Copies up to `capacity` springs sorted by id pair; returns how many there are.
size_t couCopySprings(const couFluid *fluid, couSpringView *springs, size_t capacity);

// --- Hot loops (springs_wide.c) ----------------------------------------------------------------------------------------------

#define COU_SPRING_BATCH 32

/// Springs of one particle, padded to a multiple of COU_WIDTH.
typedef struct couSpringBatch {
    uint32_t partner[COU_SPRING_BATCH]; ///< indices
    uint32_t partner_id[COU_SPRING_BATCH];
    float rest_length[COU_SPRING_BATCH]; ///< read and written [m]
    float length[COU_SPRING_BATCH];      ///< written: distance of the ends [m]
    uint32_t material[COU_SPRING_BATCH]; ///< of the partner
    /// By that material, plastic flow over the step: shares of the excess stretch and compression that flow, and the yield ratios
    /// of both.
    const couVec4 *flow;
} couSpringBatch;

/// Distances of `count` springs of particle i, and the flow of those shorter than `farthest`.
COU_DECLARE_WIDE(void, couFlowSprings, couSpringBatch *batch, int count, const couVec4 *position, size_t i, float farthest);

/// What the sweep over coloured cells reads and writes.
typedef struct couSpringSweep {
    const couSpringNet *net;
    const couGrid *grid;
    couVec4 *position; ///< w: inverse mass
    const uint8_t *material;
    const float *k_spring; ///< by material [1/s^2]
    size_t count;          ///< particles
    float dt2, inv_h;
    const uint32_t *cells; ///< of the current colour
} couSpringSweep;

/// Displacements by the springs of the particles of cells[begin..end), all of one colour, but for those that are too long for it.
COU_DECLARE_WIDE(void, couApplySpringCells, const couSpringSweep *sweep, size_t begin, size_t end);
