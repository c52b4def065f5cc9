/// The inside of a solid's mesh, and the geometry of its cells.
#pragma once

#include "coulis/solid_mesh.h"
#include "soft/double3.h"

enum { COU_MAX_CORNERS = 4 };

struct couSolidMesh {
    int dimension, corners; ///< corners of a cell: dimension + 1
    couVec3 *points;
    uint32_t *cells, *faces, *edges;
    size_t point_count, cell_count, face_count, edge_count;
    uint32_t *around_start; ///< of each point's entries in `around`; one more than points
    uint32_t *around;       ///< corners that are this point, in ascending order: cell * corners + corner
    couBounds bounds;
    double volume;
    uint64_t hash;
    _Atomic int references;
};

/// Signed volume of a cell by its corners [m^3]; of a triangle its area.
double couCellVolume(int dimension, const couDouble3 *p);
/// Gradients of the functions that are 1 at a corner and 0 at the others [1/m], and the volume [Debunne, eq. 4.15].
double couCellGradients(int dimension, const couDouble3 *p, couDouble3 gradients[COU_MAX_CORNERS]);
/// 0 (flat) to 1; negative for an inverted cell.
double couCellQuality(int dimension, const couDouble3 *p);
/// Centre of the ball around it; far away for flat cells.
couDouble3 couCellCircumcenter(int dimension, const couDouble3 *p);
/// The corners of a cell of the mesh.
void couSolidMesh_Corners(const couSolidMesh *mesh, size_t cell, couDouble3 p[COU_MAX_CORNERS]);

/// The corners of the one closed line around a mesh of triangles, in order; free with couFree(NULL, ...). NULL where there are
/// several, as of a mesh with holes, or no memory.
couVec3 *couSolidMesh_Outline(const couSolidMesh *mesh, size_t *count);

/// Delaunay's cells of points by qhull (delaunay.c): `dimension` + 1 numbers each, with positive volumes. Points on one sphere
/// are joined in one of the possible ways. The caller frees *cells with couFree(NULL, ...). False with a fault.
bool couDelaunay(int dimension, const couDouble3 *points, size_t count, uint32_t **cells, size_t *cell_count, couFaults *faults);

/// Keeps the cells, in their order, for which is_kept is true, drops points that none uses, and makes the mesh (solid_mesh.c).
couSolidMesh *couCreateKeptMesh(int dimension, const couDouble3 *points, size_t point_count, const uint32_t *cells,
                                size_t cell_count, const bool *is_kept, couFaults *faults);
