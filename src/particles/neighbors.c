// Neighbour lists: memory, dispatch and the filter; the search itself is in neighbors_wide.c.

#include "particles/neighbors.h"

#include <pthread.h>
#include <stdatomic.h>

#define CHUNK_ENTRIES 65536
#define CELL_BLOCK 256

/// Memory for lists, kept from step to step.
typedef struct couChunks {
    pthread_mutex_t lock;
    uint32_t **items;
    size_t *sizes;
    size_t count, item_capacity, size_capacity, used;
} couChunks;

bool couNeighbors_Init(couNeighbors *neighbors, couMemory *memory)
{
    *neighbors = (couNeighbors){.memory = memory, .isa = couBestIsa()};
    neighbors->chunks = couAlloc(memory, sizeof *neighbors->chunks);
    neighbors->scratch = couAlloc(memory, COU_MAX_THREADS * sizeof *neighbors->scratch);
    if (!neighbors->chunks || !neighbors->scratch) return false;
    pthread_mutex_init(&neighbors->chunks->lock, NULL);
    return true;
}

void couNeighbors_Free(couNeighbors *neighbors)
{
    couMemory *memory = neighbors->memory;
    if (neighbors->chunks) {
        for (size_t k = 0; k < neighbors->chunks->count; ++k) couFree(memory, neighbors->chunks->items[k]);
        couFree(memory, neighbors->chunks->items);
        couFree(memory, neighbors->chunks->sizes);
        pthread_mutex_destroy(&neighbors->chunks->lock);
        couFree(memory, neighbors->chunks);
    }
    for (int t = 0; neighbors->scratch && t < COU_MAX_THREADS; ++t) {
        couFree(memory, neighbors->scratch[t].x);
        couFree(memory, neighbors->scratch[t].y);
        couFree(memory, neighbors->scratch[t].z);
        for (int a = 0; a < 3; ++a) couFree(memory, neighbors->scratch[t].shift[a]);
        couFree(memory, neighbors->scratch[t].index);
    }
    couFree(memory, neighbors->scratch);
    couFree(memory, neighbors->first);
    couFree(memory, neighbors->count);
    couFree(memory, neighbors->below);
    couFree(memory, neighbors->solid_count);
    couFree(memory, neighbors->solid_first);
    *neighbors = (couNeighbors){0};
}

bool couSearchScratch_Reserve(couMemory *memory, couSearchScratch *scratch, size_t count)
{
    count += 4 * COU_WIDTH16; // two parts, each padded and written that many at a time
    if (count <= scratch->capacity) return true;
    float **columns[] = {&scratch->x, &scratch->y, &scratch->z, &scratch->shift[0], &scratch->shift[1], &scratch->shift[2]};
    size_t capacity = scratch->capacity;
    bool is_good = COU_GROW(memory, scratch->index, capacity, count);
    for (int k = 0; k < COU_COUNT(columns) && is_good; ++k) {
        capacity = scratch->capacity;
        is_good = COU_GROW(memory, *columns[k], capacity, count);
    }
    if (is_good) scratch->capacity = capacity;
    return is_good;
}

// The next chunk that holds `entries`, from those of earlier steps or new.
static uint32_t *take_chunk(couMemory *memory, couChunks *chunks, size_t entries, size_t *size)
{
    uint32_t *chunk = NULL;
    pthread_mutex_lock(&chunks->lock);
    while (!chunk && chunks->used < chunks->count) {
        size_t k = chunks->used++;
        if (chunks->sizes[k] >= entries) chunk = chunks->items[k], *size = chunks->sizes[k];
    }
    if (!chunk && COU_GROW(memory, chunks->items, chunks->item_capacity, chunks->count + 1) &&
        COU_GROW(memory, chunks->sizes, chunks->size_capacity, chunks->count + 1)) {
        *size = COU_MAX(entries, (size_t)CHUNK_ENTRIES);
        chunk = couAlloc(memory, *size * sizeof *chunk);
        if (chunk) {
            chunks->items[chunks->count] = chunk;
            chunks->sizes[chunks->count] = *size;
            chunks->used = ++chunks->count;
        }
    }
    pthread_mutex_unlock(&chunks->lock);
    return chunk;
}

uint32_t *couSearch_Room(couSearch *search, couSearchScratch *scratch, size_t entries)
{
    if (scratch->chunk_left < entries) {
        scratch->chunk = take_chunk(search->neighbors->memory, search->neighbors->chunks, entries, &scratch->chunk_left);
        if (!scratch->chunk) {
            scratch->chunk_left = 0;
            search->is_out_of_memory = true;
        }
    }
    return scratch->chunk;
}

static void search_block(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)block;
    typedef void SearchFcn(couSearch *, size_t, size_t, int);
    static SearchFcn *const variants[cou_isaCount] = COU_VARIANTS(couSearchCells);
    couSearch *search = context;
    variants[search->neighbors->isa](search, begin, end, worker);
}

static bool reserve(couNeighbors *neighbors, size_t count)
{
    size_t a = neighbors->capacity, b = a, c = a;
    bool is_good = COU_GROW(neighbors->memory, neighbors->first, a, count) &&
                   COU_GROW(neighbors->memory, neighbors->count, b, count) &&
                   COU_GROW(neighbors->memory, neighbors->below, c, count);
    if (is_good) neighbors->capacity = c;
    return is_good;
}

// Columns of the second set, or none: a search without one leaves no counts of an earlier search behind.
static bool reserve_solids(couNeighbors *neighbors, size_t count, bool has_solids)
{
    couMemory *memory = neighbors->memory;
    if (!has_solids) {
        couFree(memory, neighbors->solid_count);
        couFree(memory, neighbors->solid_first);
        neighbors->solid_count = neighbors->solid_first = NULL;
        neighbors->solid_capacity = 0;
        return true;
    }
    size_t a = neighbors->solid_capacity, b = a;
    bool is_good = COU_GROW(memory, neighbors->solid_count, a, count) && COU_GROW(memory, neighbors->solid_first, b, count);
    if (is_good) neighbors->solid_capacity = b;
    return is_good;
}

bool couNeighbors_Find(couNeighbors *neighbors, const couGrid *grid, couVec4 *position, size_t count, float radius,
                       const couNeighborSet *solids, const couParallel *parallel)
{
    neighbors->pair_count = neighbors->solid_pair_count = 0;
    neighbors->crowded_count = 0;
    if (!reserve_solids(neighbors, count, solids != NULL)) return false;
    if (count == 0) return true;
    if (!reserve(neighbors, count)) return false;
    COU_ASSERT(
        !solids || solids->grid->cell_count == 0 ||
        (solids->grid->cell_size == grid->cell_size && memcmp(&solids->grid->period, &grid->period, sizeof grid->period) == 0));
    for (int k = 0; k < COU_TABLE_PADDING; ++k) position[count + (size_t)k] = (couVec4){1e15f, 1e15f, 1e15f, 1.0f};
    neighbors->chunks->used = 0;
    for (int t = 0; t < COU_MAX_THREADS; ++t) neighbors->scratch[t].chunk_left = 0;

    couSearch search = {
        .neighbors = neighbors, .grid = grid, .position = position, .count = count, .radius = radius, .solids = solids};
    couFor(parallel, grid->cell_count, CELL_BLOCK, search_block, &search);
    neighbors->pair_count = search.pair_count;
    neighbors->solid_pair_count = search.solid_pair_count;
    neighbors->crowded_count = search.crowded_count;
    return !search.is_out_of_memory;
}

// --- Filter ------------------------------------------------------------------------------------------------------------------

typedef struct FilterJob {
    couNeighbors *neighbors;
    size_t count;
    const uint8_t *flags;
    couPairFcn *drops;
    const void *context;
    _Atomic uint64_t dropped;
} FilterJob;

static void filter_block(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)block, (void)worker;
    FilterJob *job = context;
    couNeighbors *neighbors = job->neighbors;
    uint64_t dropped = 0;
    for (size_t i = begin; i < end; ++i) {
        if (!job->flags[i]) continue;
        uint32_t *list = neighbors->first[i];
        int count = neighbors->count[i], kept = 0, below = 0;
        for (int k = 0; k < count; ++k) {
            uint32_t j = list[k];
            if (job->flags[j] && job->drops(job->context, (uint32_t)i, j)) continue;
            list[kept++] = j;
            below += j < i;
        }
        for (int k = kept; k < count; ++k) list[k] = (uint32_t)job->count;
        neighbors->count[i] = (uint16_t)kept;
        neighbors->below[i] = (uint16_t)below;
        dropped += (uint64_t)(count - kept);
    }
    job->dropped += dropped;
}

void couNeighbors_Filter(couNeighbors *neighbors, size_t count, const uint8_t *flags, couPairFcn *drops, const void *context,
                         const couParallel *parallel)
{
    FilterJob job = {.neighbors = neighbors, .count = count, .flags = flags, .drops = drops, .context = context};
    couFor(parallel, count, 2048, filter_block, &job);
    neighbors->pair_count -= job.dropped;
}
