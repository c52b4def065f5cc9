/// Triangle meshes and their distance grids. Both immutable, counted by reference, safe to read from any thread.
#pragma once

#include "coulis/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct couMesh couMesh;
typedef struct couDistanceGrid couDistanceGrid;

// --- Meshes ------------------------------------------------------------------------------------------------------------------

/// Copies the vertices [m] and triangles (three vertex numbers each). NULL, with faults added, when there is no triangle, a
/// vertex is not finite or beyond 1e6 m, or a number is out of range.
COU_API couMesh *couCreateMesh(const couVec3 *vertices, size_t vertex_count, const uint32_t *triangles, size_t triangle_count,
                               couFaults *faults);
COU_API couMesh *couMesh_Retain(couMesh *mesh);
COU_API void couMesh_Release(couMesh *mesh); ///< NULL is fine
COU_API size_t couMesh_VertexCount(const couMesh *mesh);
COU_API size_t couMesh_TriangleCount(const couMesh *mesh);
COU_API const couVec3 *couMesh_Vertices(const couMesh *mesh);   ///< [m]
COU_API const uint32_t *couMesh_Triangles(const couMesh *mesh); ///< three vertex numbers per triangle
COU_API couBounds couMesh_Bounds(const couMesh *mesh);          ///< [m]
COU_API uint64_t couMesh_Hash(const couMesh *mesh);             ///< of vertices and triangles

/// What is odd about a mesh. Vertices at the same place count as one.
typedef struct couMeshReport {
    size_t part_count;         ///< pieces that share no vertex
    size_t degenerate_count;   ///< triangles without area
    size_t doubled_count;      ///< triangles that are there twice or more, either way round
    size_t open_edge_count;    ///< edges with one triangle
    size_t hole_count;         ///< loops of open edges
    size_t crowded_edge_count; ///< edges with more than two triangles: not a manifold
    size_t flipped_edge_count; ///< edges whose two triangles face opposite ways
    size_t crossing_count;     ///< pairs of triangles that cross each other
    bool is_closed;            ///< no open edge
    bool is_oriented;          ///< closed, and its triangles agree on what is outside
} couMeshReport;

COU_API couMeshReport couMesh_Inspect(const couMesh *mesh, int threads);
/// One sentence on everything that was found ("" for a clean mesh).
COU_API void couMeshReport_Format(const couMeshReport *report, char *text, size_t size);
/// The mesh with each hole closed by a fan of triangles around the middle of its rim; NULL without memory.
COU_API couMesh *couMesh_CloseHoles(const couMesh *mesh);

/// Volume, centre of mass and inertia of a solid of density 1 (multiply by the density).
typedef struct couMassProperties {
    double volume;     ///< [m^3] ([m^2] in 2D)
    double center[3];  ///< [m]
    double inertia[6]; ///< about the centre: xx, yy, zz, xy, xz, yz of the inertia tensor [m^5] ([m^4] in 2D)
} couMassProperties;

/// By exact integrals over the triangles; right for closed, oriented meshes. A mesh turned inside out counts as its mirror.
COU_API couMassProperties couMesh_Mass(const couMesh *mesh);

// --- Distance grids ----------------------------------------------------------------------------------------------------------

/// Signed distances to the outer surface of a mesh on a grid, interpolated trilinearly [Clavet 2005, thesis 6.1]: exact next to
/// the triangles, swept to the rest; what a flood from outside does not reach is inside. Inner polygons, doubled, flipped and
/// crossing faces do no harm; only holes wider than a cell do. `cell` [m] is made larger, with a warning in the log, where the
/// grid would take more than `max_bytes` (0: 256 MiB). `threads` 0: all cores; the result does not depend on it. NULL with a
/// fault when nothing is inside, memory is short, or it takes far longer than a grid of its size does (30 s at least). What takes
/// seconds says in the log how far it is.
COU_API couDistanceGrid *couCreateDistanceGrid(couMesh *mesh, float cell, size_t max_bytes, int threads, couFaults *faults);
COU_API couDistanceGrid *couDistanceGrid_Retain(couDistanceGrid *grid);
COU_API void couDistanceGrid_Release(couDistanceGrid *grid); ///< NULL is fine
COU_API const couMesh *couDistanceGrid_Mesh(const couDistanceGrid *grid);
COU_API float couDistanceGrid_Cell(const couDistanceGrid *grid); ///< [m]
COU_API size_t couDistanceGrid_Bytes(const couDistanceGrid *grid);
COU_API float couDistanceGrid_Distance(const couDistanceGrid *grid, couVec3 point);
/// Distance and its unit gradient.
COU_API float couDistanceGrid_DistanceNormal(const couDistanceGrid *grid, couVec3 point, couVec3 *normal);
/// Volume, centre and inertia from the grid: for meshes whose triangles cannot be trusted.
COU_API couMassProperties couDistanceGrid_Mass(const couDistanceGrid *grid);

/// The grid as bytes, for a cache: returns the size; writes nothing when `capacity` is less.
COU_API size_t couDistanceGrid_Pack(const couDistanceGrid *grid, void *bytes, size_t capacity);
/// NULL, with a fault, when the bytes are not a whole grid of this mesh made by this version.
COU_API couDistanceGrid *couUnpackDistanceGrid(couMesh *mesh, const void *bytes, size_t size, couFaults *faults);

#ifdef __cplusplus
}
#endif
