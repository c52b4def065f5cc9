// Overlaps: particles are counted into hashed cells as wide as the distance sought; each looks through the 27 cells around its
// own. Linear in the particles, 12 bytes each. Two cells may share a bucket: that costs time, never a wrong count.
#include "app/overlaps.h"

#include <stdlib.h>

typedef struct Cells {
    couParticleView particles;
    float inv_width; // [1/m]
    uint32_t mask;   // buckets - 1, a power of two
    uint32_t *first; // of each bucket, buckets + 2 entries
    uint32_t *order; // particles by bucket
} Cells;

static uint32_t bucket_of(const Cells *cells, int64_t x, int64_t y, int64_t z)
{
    uint64_t hash = (uint64_t)x * 0x9E3779B97F4A7C15u ^ (uint64_t)y * 0xC2B2AE3D27D4EB4Fu ^ (uint64_t)z * 0x165667B19E3779F9u;
    return (uint32_t)(hash >> 32) & cells->mask;
}

static int64_t cell_of(const Cells *cells, float x) { return (int64_t)floor((double)x * (double)cells->inv_width); }

static uint32_t particle_bucket(const Cells *cells, size_t i)
{
    couVec4 p = cells->particles.position[i];
    return bucket_of(cells, cell_of(cells, p.x), cell_of(cells, p.y), cell_of(cells, p.z));
}

static void fill(Cells *cells)
{
    size_t count = cells->particles.count;
    // Counts stand two places on: after the sum first[b + 1] is where bucket b begins, and after the filling where it ends.
    for (size_t i = 0; i < count; ++i) cells->first[particle_bucket(cells, i) + 2]++;
    for (uint32_t b = 0; b <= cells->mask; ++b) cells->first[b + 2] += cells->first[b + 1];
    for (size_t i = 0; i < count; ++i) cells->order[cells->first[particle_bucket(cells, i) + 1]++] = (uint32_t)i;
}

// Nearest other particle of one cell's bucket.
static float nearest_in(const Cells *cells, size_t i, uint32_t bucket, size_t *nearest)
{
    couVec4 p = cells->particles.position[i];
    float best = INFINITY;
    for (uint32_t k = cells->first[bucket]; k < cells->first[bucket + 1]; ++k) {
        size_t j = cells->order[k];
        couVec4 q = cells->particles.position[j];
        float dx = p.x - q.x, dy = p.y - q.y, dz = p.z - q.z, squared = dx * dx + dy * dy + dz * dz;
        if (j == i || !(squared < best)) continue;
        best = squared;
        *nearest = j;
    }
    return sqrtf(best);
}

static void search(const Cells *cells, float distance, couOverlaps *overlaps)
{
    for (size_t i = 0; i < cells->particles.count; ++i) {
        couVec4 p = cells->particles.position[i];
        int64_t x = cell_of(cells, p.x), y = cell_of(cells, p.y), z = cell_of(cells, p.z);
        float best = INFINITY;
        size_t nearest = i;
        for (int cell = 0; cell < 27; ++cell) {
            size_t j = i;
            uint32_t bucket = bucket_of(cells, x + cell % 3 - 1, y + cell / 3 % 3 - 1, z + cell / 9 - 1);
            float d = nearest_in(cells, i, bucket, &j);
            if (d < best) {
                best = d;
                nearest = j;
            }
        }
        if (!(best < distance)) continue;
        ++overlaps->count;
        if (best < overlaps->distance) {
            overlaps->distance = best;
            overlaps->id_a = cells->particles.id[i];
            overlaps->id_b = cells->particles.id[nearest];
        }
    }
}

bool couFindOverlaps(const couWorld *world, float distance, couOverlaps *overlaps)
{
    *overlaps = (couOverlaps){.distance = INFINITY};
    Cells cells = {.particles = couWorld_Particles(world), .inv_width = 1.0f / distance, .mask = 1023};
    while (cells.mask < cells.particles.count && cells.mask < (1u << 30)) cells.mask = 2 * cells.mask + 1;
    cells.first = calloc((size_t)cells.mask + 3, sizeof *cells.first);
    cells.order = malloc((cells.particles.count + 1) * sizeof *cells.order);
    bool has_memory = cells.first && cells.order;
    if (has_memory) {
        fill(&cells);
        search(&cells, distance, overlaps);
    }
    free(cells.first);
    free(cells.order);
    return has_memory;
}
