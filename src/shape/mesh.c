// Triangle meshes: storage and counting of references. What is odd about them is in mesh_inspect.c, their distances in
// distance_grid.c.

#include "coulis/mesh.h"
#include "base/base.h"

#include <stdatomic.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#define FARTHEST 1e6f // coordinate [m]

struct couMesh {
    couVec3 *vertices;
    uint32_t *triangles;
    size_t vertex_count, triangle_count;
    couBounds bounds;
    uint64_t hash;
    _Atomic int references;
};

static bool check_vertices(const couVec3 *vertices, size_t count, couFaults *faults)
{
    for (size_t v = 0; v < count; ++v) {
        float largest = fmaxf(fabsf(vertices[v].x), fmaxf(fabsf(vertices[v].y), fabsf(vertices[v].z)));
        if (couIsFinite3(vertices[v]) && largest <= FARTHEST) continue;
        couFaults_Add(faults, NULL, "mesh", "vertex %zu is at (%g, %g, %g); coordinates must be finite and within %g m", v,
                      vertices[v].x, vertices[v].y, vertices[v].z, FARTHEST);
        return false;
    }
    return true;
}

static bool check_triangles(const uint32_t *triangles, size_t count, size_t vertex_count, couFaults *faults)
{
    for (size_t k = 0; k < 3 * count; ++k) {
        if (triangles[k] < vertex_count) continue;
        couFaults_Add(faults, NULL, "mesh", "triangle %zu uses vertex %u; there are %zu", k / 3, triangles[k], vertex_count);
        return false;
    }
    return true;
}

couMesh *couCreateMesh(const couVec3 *vertices, size_t vertex_count, const uint32_t *triangles, size_t triangle_count,
                       couFaults *faults)
{
    if (triangle_count == 0) {
        couFaults_Add(faults, NULL, "mesh", "it has no triangles");
        return NULL;
    }
    if (vertex_count > UINT32_MAX || triangle_count > UINT32_MAX / 3) {
        couFaults_Add(faults, NULL, "mesh", "%zu vertices and %zu triangles are too many", vertex_count, triangle_count);
        return NULL;
    }
    if (!check_vertices(vertices, vertex_count, faults) || !check_triangles(triangles, triangle_count, vertex_count, faults))
        return NULL;
    couMesh *mesh = couAlloc(NULL, sizeof *mesh);
    if (mesh) {
        mesh->vertices = couAlloc(NULL, vertex_count * sizeof *vertices);
        mesh->triangles = couAlloc(NULL, 3 * triangle_count * sizeof *triangles);
        mesh->references = 1;
    }
    if (!mesh || !mesh->vertices || !mesh->triangles) {
        couMesh_Release(mesh);
        couFaults_Add(faults, NULL, "mesh", "out of memory for %zu triangles", triangle_count);
        return NULL;
    }
    memcpy(mesh->vertices, vertices, vertex_count * sizeof *vertices);
    memcpy(mesh->triangles, triangles, 3 * triangle_count * sizeof *triangles);
    mesh->vertex_count = vertex_count;
    mesh->triangle_count = triangle_count;
    // Only what the triangles use.
    couBounds bounds = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (size_t k = 0; k < 3 * triangle_count; ++k) {
        couVec3 p = vertices[triangles[k]];
        bounds.lower = (couVec3){fminf(bounds.lower.x, p.x), fminf(bounds.lower.y, p.y), fminf(bounds.lower.z, p.z)};
        bounds.upper = (couVec3){fmaxf(bounds.upper.x, p.x), fmaxf(bounds.upper.y, p.y), fmaxf(bounds.upper.z, p.z)};
    }
    mesh->bounds = bounds;
    uint64_t vertex_hash = XXH3_64bits(vertices, vertex_count * sizeof *vertices);
    mesh->hash = XXH3_64bits_withSeed(triangles, 3 * triangle_count * sizeof *triangles, vertex_hash);
    return mesh;
}

couMesh *couMesh_Retain(couMesh *mesh)
{
    atomic_fetch_add(&mesh->references, 1);
    return mesh;
}

void couMesh_Release(couMesh *mesh)
{
    if (!mesh || atomic_fetch_sub(&mesh->references, 1) != 1) return;
    couFree(NULL, mesh->vertices);
    couFree(NULL, mesh->triangles);
    couFree(NULL, mesh);
}

size_t couMesh_VertexCount(const couMesh *mesh) { return mesh->vertex_count; }
size_t couMesh_TriangleCount(const couMesh *mesh) { return mesh->triangle_count; }
const couVec3 *couMesh_Vertices(const couMesh *mesh) { return mesh->vertices; }
const uint32_t *couMesh_Triangles(const couMesh *mesh) { return mesh->triangles; }
couBounds couMesh_Bounds(const couMesh *mesh) { return mesh->bounds; }
uint64_t couMesh_Hash(const couMesh *mesh) { return mesh->hash; }
