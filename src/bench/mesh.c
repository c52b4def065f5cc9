// The benchmark of distance grids: a mesh of about 70,000 triangles at 128 cells along its largest side, made, then read back
// from a cache in a folder of its own. The mesh is the Stanford bunny where it is installed, else a ball with bumps.

#include "bench/bench.h"

#include "base/base.h"
#include "bench/bench.h"
#include "coulis/mesh_file.h"
#include "coulis/scene.h"
#include "io/grid_cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { cells = 128, rows = 188, columns = 186 }; // rows * columns * 2 triangles

static couVec3 bumpy_point(int row, int column)
{
    double a = 2.0 * COU_PI * column / columns, b = COU_PI * ((double)row / rows - 0.5);
    double r = 1.0 + 0.1 * sin(7.0 * a) * cos(b) * cos(b) * cos(11.0 * b);
    bool is_pole = row == 0 || row == rows;
    double flat = is_pole ? 0.0 : r * cos(b);
    return (couVec3){(float)(flat * cos(a)), (float)(r * sin(b)), (float)(flat * sin(a))};
}

static couMesh *make_bumpy_ball(couFaults *faults)
{
    size_t vertex_count = (rows + 1) * columns, triangle_count = 2 * rows * columns;
    couVec3 *vertices = malloc(vertex_count * sizeof *vertices);
    uint32_t *triangles = malloc(3 * triangle_count * sizeof *triangles), *next = triangles;
    couMesh *mesh = NULL;
    if (vertices && triangles) {
        for (size_t v = 0; v < vertex_count; ++v) vertices[v] = bumpy_point((int)(v / columns), (int)(v % columns));
        for (uint32_t row = 0; row < rows; ++row)
            for (uint32_t column = 0; column < columns; ++column) {
                uint32_t a = row * columns + column, b = row * columns + (column + 1) % columns;
                const uint32_t quad[6] = {a, a + columns, b, b, a + columns, b + columns};
                memcpy(next, quad, sizeof quad);
                next += 6;
            }
        mesh = couCreateMesh(vertices, vertex_count, triangles, triangle_count, faults);
    } else {
        couFaults_Add(faults, NULL, "distance-grid", "out of memory");
    }
    free(vertices);
    free(triangles);
    return mesh;
}

// Seconds for one grid; below 0 without one.
static double time_grid(couMesh *mesh, float cell, int threads, couFaults *faults)
{
    double begin = couSeconds();
    couDistanceGrid *grid = couCachedDistanceGrid(mesh, cell, 0, threads, faults);
    double seconds = couSeconds() - begin;
    couDistanceGrid_Release(grid);
    return grid ? seconds : -1.0;
}

bool couBenchDistanceGrid(int threads, couBenchResult *result, couFaults *faults)
{
    char path[1024];
    int stock_count;
    const couStockMesh *stock = couStockMeshes(&stock_count); // the bunny first
    bool has_bunny = couFindStockMesh(&stock[0], path, sizeof path);
    couMesh *mesh = has_bunny ? couReadMesh(path, NULL, faults) : make_bumpy_ball(faults);
    if (!mesh) return false;
    couBounds bounds = couMesh_Bounds(mesh);
    couVec3 size = couSub(bounds.upper, bounds.lower);
    float cell = fmaxf(size.x, fmaxf(size.y, size.z)) / cells;

    // A cache that is empty, and gone afterwards.
    char folder[] = "/tmp/coulis-bench-XXXXXX";
    const char *before = getenv("COULIS_CACHE");
    char *kept = before ? strdup(before) : NULL;
    bool has_folder = mkdtemp(folder);
    setenv("COULIS_CACHE", has_folder ? folder : "", 1);
    double cold = time_grid(mesh, cell, threads, faults), cached = cold < 0 ? cold : time_grid(mesh, cell, threads, faults);
    if (has_folder) {
        couTrimGridCache(folder, 0);
        rmdir(folder);
    }
    if (kept)
        setenv("COULIS_CACHE", kept, 1);
    else
        unsetenv("COULIS_CACHE");
    free(kept);

    result->seconds = cold;
    snprintf(result->note, sizeof result->note, "%zu triangles (%s) at %d cells: %.3f s to make and store, %.4f s from the cache",
             couMesh_TriangleCount(mesh), has_bunny ? "bunny" : "bumpy ball", (int)cells, cold, cached);
    couMesh_Release(mesh);
    return cold >= 0.0 && cached >= 0.0;
}
