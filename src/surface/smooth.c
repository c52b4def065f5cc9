// Smoothing after Taubin (1995): each round moves vertices towards the mean of their neighbours and then a little farther back,
// which evens out what is as short as an edge and leaves longer shapes alone. Neighbours count by how alike their normals are, so
// that sharp rims stay. What volume is still lost is given back to each connected part by moving it along its normals, by Newton
// steps on the volume itself: drops do not shrink for the sake of the sea beside them.
//
// Sums are taken per vertex in the order of the elements; the measures of parts run on one thread, in order. Same bits for any
// number of threads.

#include "surface/smooth.h"

#define FORTH 0.5f    // share of the way to the mean
#define BACK (-0.53f) // passes shapes longer than some ten edges [Taubin 1995, eq. 8: 1 / FORTH + 1 / BACK = 0.11]
#define LEAST_WEIGHT 0.02f

typedef struct Smoother {
    couSurface *surface;
    uint32_t *starts; // of the neighbours of each vertex; vertex_count + 1
    uint32_t *neighbors;
    uint32_t *parts; // per vertex: its connected part
    couVec3 *other;  // positions after a step, then gradients of the volume
    double *volumes; // per part: wanted, then two of scratch
    uint32_t part_count;
    float share;
} Smoother;

double couSmoothingBytes(size_t vertices, size_t elements, int dimension)
{
    size_t pairs = dimension == 3 ? 3 * elements : 2 * elements;
    return (double)vertices * (8.0 + sizeof(couVec3) + 24.0) + (double)pairs * 4.0;
}

// --- Connections -------------------------------------------------------------------------------------------------------------

// Neighbour lists by a counting sort. In a closed mesh each edge of a vertex starts at it in exactly one triangle.
static void list_neighbors(Smoother *smoother)
{
    const couSurface *surface = smoother->surface;
    size_t n = (size_t)surface->dimension, corners = n * surface->element_count;
    bool is_flat = n == 2;
    uint32_t *starts = smoother->starts;
    for (size_t c = 0; c < corners; ++c) ++starts[surface->indices[c] + 1];
    for (size_t v = 0; v < surface->vertex_count; ++v) starts[v + 1] += starts[v];
    for (size_t c = 0; c < corners; ++c) {
        size_t element = c / n, next = is_flat ? 1 - c % 2 : (c % 3 + 1) % 3;
        smoother->neighbors[starts[surface->indices[c]]++] = surface->indices[n * element + next];
    }
    for (size_t v = surface->vertex_count; v > 0; --v) starts[v] = starts[v - 1]; // they had moved on by one list
    starts[0] = 0;
}

static uint32_t find_root(uint32_t *parents, uint32_t v)
{
    while (parents[v] != v) v = parents[v] = parents[parents[v]];
    return v;
}

static void find_parts(Smoother *smoother)
{
    const couSurface *surface = smoother->surface;
    uint32_t *parts = smoother->parts;
    for (size_t v = 0; v < surface->vertex_count; ++v) parts[v] = (uint32_t)v;
    for (size_t v = 0; v < surface->vertex_count; ++v)
        for (uint32_t k = smoother->starts[v]; k < smoother->starts[v + 1]; ++k) {
            uint32_t a = find_root(parts, (uint32_t)v), b = find_root(parts, smoother->neighbors[k]);
            if (a != b) parts[COU_MAX(a, b)] = COU_MIN(a, b); // a root is the lowest of its part
        }
    // Roots come before the others, so numbers can replace them in one pass.
    for (size_t v = 0; v < surface->vertex_count; ++v) parts[v] = parts[v] == v ? smoother->part_count++ : parts[parts[v]];
}

// --- Steps -------------------------------------------------------------------------------------------------------------------

static void step_block(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)block, (void)worker;
    Smoother *smoother = context;
    const couSurface *surface = smoother->surface;
    for (size_t v = begin; v < end; ++v) {
        couVec3 p = surface->vertices[v], sum = {0};
        float weights = 0.0f;
        for (uint32_t k = smoother->starts[v]; k < smoother->starts[v + 1]; ++k) {
            uint32_t u = smoother->neighbors[k];
            float likeness = couDot(surface->normals[v], surface->normals[u]);
            float w = COU_MAX(likeness, 0.0f) * COU_MAX(likeness, 0.0f) + LEAST_WEIGHT;
            sum = couMulAdd(sum, w, couSub(surface->vertices[u], p));
            weights += w;
        }
        smoother->other[v] = weights > 0.0f ? couMulAdd(p, smoother->share / weights, sum) : p;
    }
}

static void step(Smoother *smoother, float share, const couParallel *parallel)
{
    smoother->share = share;
    couFor(parallel, smoother->surface->vertex_count, 4096, step_block, smoother);
    couVec3 *swap = smoother->surface->vertices;
    smoother->surface->vertices = smoother->other;
    smoother->other = swap;
}

// --- Volume ------------------------------------------------------------------------------------------------------------------

// Gradients of the volume to each vertex, in `other`, and the volume of each part.
static void measure(Smoother *smoother, double *volumes)
{
    const couSurface *surface = smoother->surface;
    memset(smoother->other, 0, surface->vertex_count * sizeof *smoother->other);
    memset(volumes, 0, smoother->part_count * sizeof *volumes);
    couVec3 origin = surface->vertices[0];
    for (size_t e = 0; e < surface->element_count; ++e) {
        const uint32_t *corners = surface->indices + (size_t)surface->dimension * e;
        couVec3 a = couSub(surface->vertices[corners[0]], origin), b = couSub(surface->vertices[corners[1]], origin);
        if (surface->dimension == 2) {
            couVec3 out = {0.5f * (b.y - a.y), 0.5f * (a.x - b.x), 0};
            for (int c = 0; c < 2; ++c) smoother->other[corners[c]] = couAdd(smoother->other[corners[c]], out);
            volumes[smoother->parts[corners[0]]] += 0.5 * ((double)a.x * (double)b.y - (double)a.y * (double)b.x);
        } else {
            couVec3 d = couSub(surface->vertices[corners[2]], origin), out = couCross(couSub(b, a), couSub(d, a));
            out = couScale(1.0f / 6.0f, out);
            for (int c = 0; c < 3; ++c) smoother->other[corners[c]] = couAdd(smoother->other[corners[c]], out);
            double n[3] = {(double)a.y * (double)b.z - (double)a.z * (double)b.y,
                           (double)a.z * (double)b.x - (double)a.x * (double)b.z,
                           (double)a.x * (double)b.y - (double)a.y * (double)b.x};
            volumes[smoother->parts[corners[0]]] += (n[0] * (double)d.x + n[1] * (double)d.y + n[2] * (double)d.z) / 6.0;
        }
    }
}

// Moves each part along its normals until it has its volume again.
static void restore_volumes(Smoother *smoother)
{
    couSurface *surface = smoother->surface;
    double *wanted = smoother->volumes, *now = wanted + smoother->part_count, *slopes = now + smoother->part_count;
    for (int round = 0; round < 3; ++round) {
        measure(smoother, now);
        memset(slopes, 0, smoother->part_count * sizeof *slopes);
        for (size_t v = 0; v < surface->vertex_count; ++v) slopes[smoother->parts[v]] += (double)couLength(smoother->other[v]);
        for (size_t v = 0; v < surface->vertex_count; ++v) {
            uint32_t part = smoother->parts[v];
            if (!(slopes[part] > 0.0)) continue;
            float way = (float)((wanted[part] - now[part]) / slopes[part]);
            surface->vertices[v] = couMulAdd(surface->vertices[v], way, couNormalize(smoother->other[v]));
        }
    }
}

bool couSmoothSurface(couSurface *surface, int rounds, couMemory *memory, const couParallel *parallel)
{
    if (rounds <= 0 || surface->vertex_count == 0) return true;
    Smoother smoother = {.surface = surface};
    size_t count = surface->vertex_count, pairs = (surface->dimension == 3 ? 3 : 2) * surface->element_count;
    smoother.starts = couAlloc(memory, (count + 2) * sizeof *smoother.starts);
    smoother.neighbors = couAlloc(memory, pairs * sizeof *smoother.neighbors);
    smoother.parts = couAlloc(memory, count * sizeof *smoother.parts);
    smoother.other = couAlloc(memory, (count + 1) * sizeof *smoother.other);
    bool is_good = smoother.starts && smoother.neighbors && smoother.parts && smoother.other;
    if (is_good) {
        list_neighbors(&smoother);
        find_parts(&smoother);
        smoother.volumes = couAlloc(memory, 3 * (size_t)smoother.part_count * sizeof *smoother.volumes);
        is_good = smoother.volumes != NULL;
    }
    if (is_good) {
        measure(&smoother, smoother.volumes);
        for (int round = 0; round < rounds; ++round) {
            step(&smoother, FORTH, parallel);
            step(&smoother, BACK, parallel);
        }
        restore_volumes(&smoother);
        measure(&smoother, smoother.volumes + smoother.part_count);
        for (size_t v = 0; v < count; ++v) {
            couVec3 normal = couNormalize(smoother.other[v]);
            if (couDot(normal, normal) > 0.5f) surface->normals[v] = normal;
        }
    }
    couFree(memory, smoother.starts);
    couFree(memory, smoother.neighbors);
    couFree(memory, smoother.parts);
    couFree(memory, smoother.other);
    couFree(memory, smoother.volumes);
    return is_good;
}
