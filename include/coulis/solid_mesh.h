/// Meshes of deformable solids: tetrahedra, or triangles in the plane. Immutable, counted by reference, safe to read from any
/// thread.
#pragma once

#include "coulis/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct couSolidMesh couSolidMesh;

/// Copies the points [m] and the cells: four point numbers each (three in 2D), the fourth on the side from which the first three
/// go round clockwise, that is with a positive volume (counter-clockwise in 2D). NULL, with faults added, when there is no cell,
/// a number is out of range, a point is not finite, beyond 1e6 m or in no cell, a cell is flat or inverted, or three cells share
/// a face. In 2D z is ignored.
COU_API couSolidMesh *couCreateSolidMesh(int dimension, const couVec3 *points, size_t point_count, const uint32_t *cells,
                                         size_t cell_count, couFaults *faults);
/// A box around the origin, `cells` of them along each axis (1 to 1024), each cut into six tetrahedra around its diagonal (2D:
/// two triangles). Exactly right-angled: the Voronoi regions of its points are boxes.
COU_API couSolidMesh *couCreateBoxSolidMesh(int dimension, couVec3 size, const int cells[3], couFaults *faults);
/// The cubes of [Debunne, chapter 4.7], with edges of `size` [m] around the origin: level 0 has 27 points and 48 tetrahedra; 1
/// has 57 points, those of a grid of 4 x 4 x 4 on its surface and the centre; 2 has 135, 98 on its surface. 1 and 2 are
/// Delaunay's tetrahedra.
COU_API couSolidMesh *couCreateDebunneCube(float size, int level, couFaults *faults);
/// A closed, oriented triangle mesh filled with tetrahedra of about `spacing` [m]: its vertices, and inside of it those of a
/// body-centred lattice, joined by Delaunay's tetrahedra as far as these lie inside. Edges that these do not contain are halved.
/// For surfaces whose triangles are about as large as the spacing; see couResampleMesh(). NULL with faults when the mesh is open,
/// nothing is inside, or there would be more than ten million tetrahedra.
COU_API couSolidMesh *couFillSolidMesh(const couMesh *surface, float spacing, couFaults *faults);
/// The same in the plane: within closed chains of segments (two point numbers each, the inside to their left), with a lattice of
/// equilateral triangles.
COU_API couSolidMesh *couFillSolidMesh2(const couVec3 *points, size_t point_count, const uint32_t *segments, size_t segment_count,
                                        float spacing, couFaults *faults);
/// A surface of about `spacing` [m] for couFillSolidMesh(): long edges are halved, vertices that crowd are put together. Details
/// finer than the spacing are lost. NULL with a fault when nothing closed is left of it.
COU_API couMesh *couResampleMesh(const couMesh *mesh, float spacing, couFaults *faults);

/// A shape as a solid, with cells of about `spacing` [m]: a box by formula, all others by couResampleMesh() and
/// couFillSolidMesh().
COU_API couSolidMesh *couCreateShapeSolidMesh(const couShape *shape, int dimension, float spacing, couFaults *faults);

COU_API couSolidMesh *couSolidMesh_Retain(couSolidMesh *mesh);
COU_API void couSolidMesh_Release(couSolidMesh *mesh); ///< NULL is fine
COU_API int couSolidMesh_Dimension(const couSolidMesh *mesh);
COU_API size_t couSolidMesh_PointCount(const couSolidMesh *mesh);
COU_API size_t couSolidMesh_CellCount(const couSolidMesh *mesh);
COU_API const couVec3 *couSolidMesh_Points(const couSolidMesh *mesh); ///< [m]
COU_API const uint32_t *couSolidMesh_Cells(const couSolidMesh *mesh); ///< dimension + 1 point numbers each
COU_API size_t couSolidMesh_EdgeCount(const couSolidMesh *mesh);
COU_API const uint32_t *couSolidMesh_Edges(const couSolidMesh *mesh); ///< two point numbers each, the lower first
/// Of the surface: triangles turned outward (2D: segments, the solid to their left).
COU_API size_t couSolidMesh_FaceCount(const couSolidMesh *mesh);
COU_API const uint32_t *couSolidMesh_Faces(const couSolidMesh *mesh); ///< `dimension` point numbers each
COU_API couBounds couSolidMesh_Bounds(const couSolidMesh *mesh);
COU_API double couSolidMesh_Volume(const couSolidMesh *mesh); ///< [m^3] ([m^2] in 2D)
COU_API uint64_t couSolidMesh_Hash(const couSolidMesh *mesh); ///< of points and cells

/// How good the cells are. Quality is `dimension` times the radius of the ball within over that of the ball around: 1 for equal
/// edges, 0 for a flat cell.
typedef struct couSolidMeshReport {
    size_t sliver_count; ///< cells of a quality below 0.1
    double least_quality, mean_quality;
    double least_volume, most_volume; ///< of the cells [m^3] ([m^2] in 2D)
    size_t obtuse_count;              ///< cells that do not hold the centre of the ball around them
} couSolidMeshReport;

COU_API couSolidMeshReport couSolidMesh_Inspect(const couSolidMesh *mesh);

#ifdef __cplusplus
}
#endif
