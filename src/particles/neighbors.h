/// Neighbour lists: for each particle all others within the radius, in ascending order of storage, and then the points of a
/// second set within it.
#pragma once

#include "base/wide.h"
#include "particles/grid.h"

/// Longest list, particles and points of a second set together; a particle with more (a collapsed clump) keeps the first ones and
/// is counted in the report.
#define COU_MAX_NEIGHBORS 504

/// Lists lie in chunks that workers take as they go; no list crosses a chunk. Both parts of a list, particles and solids, are
/// padded to a multiple of COU_WIDTH with the index of a dummy particle far away, so that wide loops need no mask.
///
/// When the grid has periods, an entry may be near through the ends of a period; the list does not say so, users take the nearest
/// image. A pair is still found once. Lists do not ascend then, and `below` means nothing.
typedef struct couNeighbors {
    couMemory *memory;
    uint32_t **first; ///< per particle: its list
    uint16_t *count;  ///< per particle: entries that are particles, without padding
    uint16_t *below;  ///< per particle: how many entries come before it in storage
    size_t capacity;
    uint16_t *solid_count; ///< per particle: entries of the second set, without padding; NULL when the search had no second set
    uint16_t *solid_first; ///< per particle: where they begin in its list, a multiple of COU_WIDTH; NULL likewise
    size_t solid_capacity;
    uint64_t pair_count;       ///< entries of all lists that are particles
    uint64_t solid_pair_count; ///< entries of all lists that are points of the second set
    int64_t crowded_count;     ///< particles with more than COU_MAX_NEIGHBORS
    couIsa isa;
    struct couChunks *chunks;
    struct couSearchScratch *scratch; ///< per worker
} couNeighbors;

bool couNeighbors_Init(couNeighbors *neighbors, couMemory *memory);
void couNeighbors_Free(couNeighbors *neighbors);

/// A second set of points that lists may hold, samples of solids: sorted by a grid of its own with the same cell size and period.
typedef struct couNeighborSet {
    const couGrid *grid;
    const couVec4 *position; ///< with COU_TABLE_PADDING readable rows beyond the last
    uint32_t base;           ///< added to its indices in the lists
} couNeighborSet;

/// Finds all pairs closer than `radius` (at most the grid's cell size) among positions sorted by the grid, and the points of
/// `solids` (NULL: none) that close to each of them. Cells should be larger than the radius by more than positions are rounded,
/// or a pair just within the radius may lie two cells apart. Writes the dummy into the rows beyond the last position. False
/// without memory.
bool couNeighbors_Find(couNeighbors *neighbors, const couGrid *grid, couVec4 *position, size_t count, float radius,
                       const couNeighborSet *solids, const couParallel *parallel);

/// True when the pair shall be dropped. Must not depend on the order of i and j.
typedef bool couPairFcn(const void *context, uint32_t i, uint32_t j);
/// Drops pairs of particles that are both flagged and for which `drops` says so. Entries of a second set stay as they are.
void couNeighbors_Filter(couNeighbors *neighbors, size_t count, const uint8_t *flags, couPairFcn *drops, const void *context,
                         const couParallel *parallel);

// --- Between neighbors.c and neighbors_wide.c --------------------------------------------------------------------------------

/// A worker's buffers: the particles near one cell, as columns, then the points of the second set.
typedef struct couSearchScratch {
    float *x, *y, *z;
    float *shift[3]; ///< to be added to x, y, z; only filled around cells at the end of a period
    uint32_t *index;
    size_t capacity;
    uint32_t *chunk; ///< where the next list goes
    size_t chunk_left;
    char pad[64]; ///< workers do not share cache lines
} couSearchScratch;

typedef struct couSearch {
    couNeighbors *neighbors;
    const couGrid *grid;
    const couVec4 *position;
    size_t count;
    float radius;
    const couNeighborSet *solids; ///< NULL: none
    _Atomic bool is_out_of_memory;
    _Atomic uint64_t pair_count, solid_pair_count;
    _Atomic int64_t crowded_count;
} couSearch;

bool couSearchScratch_Reserve(couMemory *memory, couSearchScratch *scratch, size_t count);
/// Room for one list of up to `entries`; NULL without memory.
uint32_t *couSearch_Room(couSearch *search, couSearchScratch *scratch, size_t entries);
COU_DECLARE_WIDE(void, couSearchCells, couSearch *search, size_t first_cell, size_t last_cell, int worker);
