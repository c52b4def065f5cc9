// The benchmark of surfaces: a block of water with a splash above it, meshed by Clavet's field with cells of h/4. The best of
// several goes is taken: the first pays for memory that the system has yet to hand out.

#include "bench/bench.h"

#include "base/base.h"
#include "base/random.h"
#include "coulis/surface.h"

#include <stdio.h>
#include <stdlib.h>

static const float spacing = 0.01f;

couVec3 *couMakeSplash(size_t count)
{
    couVec3 *positions = malloc(count * sizeof *positions);
    if (!positions) return NULL;
    couRandom random = {1};
    size_t block = count - count / 10, n = 0;
    int side = (int)cbrt(2.0 * (double)block);
    for (; n < block; ++n) {
        int i = (int)(n % (size_t)side), k = (int)(n / (size_t)side % (size_t)side), j = (int)(n / (size_t)side / (size_t)side);
        couVec3 shake = {couRandomSigned(&random), couRandomSigned(&random), couRandomSigned(&random)};
        positions[n] = couScale(spacing, couMulAdd((couVec3){(float)i, (float)j, (float)k}, 0.15f, shake));
    }
    float width = (float)side * spacing, top = 0.5f * width;
    while (n < count) {
        couVec3 at = {width * couRandomFloat(&random), top + 0.6f * width * couRandomFloat(&random),
                      width * couRandomFloat(&random)};
        int size = (int)(couNextRandom(&random) % 4); // 1, 8, 27 or 64 particles
        for (int c = 0; c < (size + 1) * (size + 1) * (size + 1) && n < count; ++c) {
            couVec3 offset = {(float)(c % (size + 1)), (float)(c / (size + 1) % (size + 1)),
                              (float)(c / (size + 1) / (size + 1))};
            positions[n++] = couMulAdd(at, spacing, offset);
        }
    }
    return positions;
}

static bool bench_surface(size_t count, int goes, int threads, couBenchResult *result, couFaults *faults)
{
    couVec3 *positions = couMakeSplash(count);
    if (!positions) {
        couFaults_Add(faults, NULL, "surface", "out of memory");
        return false;
    }
    couSurfaceDef def = couDefaultSurfaceDef();
    def.field = cou_surfaceClavet;
    def.spacing = spacing;
    def.radius = 2.0f * spacing;
    def.cell = 0.25f * def.radius;
    def.threads = threads;
    couSurfacePoints points = {.dimension = 3, .count = count, .positions = positions};
    double total = INFINITY, field = INFINITY, mesh = INFINITY;
    size_t triangles = 0, bytes = 0;
    bool is_good = true;
    for (int go = 0; is_good && go < goes; ++go) {
        couSurface surface;
        double begin = couSeconds();
        is_good = couBuildSurface(&def, &points, &surface, faults);
        if (!is_good) break;
        total = fmin(total, couSeconds() - begin);
        field = fmin(field, surface.field_seconds);
        mesh = fmin(mesh, surface.mesh_seconds);
        triangles = surface.element_count;
        bytes = surface.peak_bytes;
        couSurface_Clear(&surface);
    }
    free(positions);
    result->particles = count;
    result->seconds = total;
    result->bytes_per_particle = (double)bytes / (double)count;
    snprintf(
        result->note, sizeof result->note,
        "%zu particles, %zu triangles: %.3f s; field %.2f million particles/s, extraction %.2f million triangles/s, %.0f MiB",
        count, triangles, total, 1e-6 * (double)count / field, 1e-6 * (double)triangles / mesh, (double)bytes / 1048576.0);
    return is_good;
}

bool couBenchSurface100k(int threads, couBenchResult *result, couFaults *faults)
{
    return bench_surface(100000, 9, threads, result, faults);
}

bool couBenchSurface1m(int threads, couBenchResult *result, couFaults *faults)
{
    return bench_surface(1000000, 3, threads, result, faults);
}
