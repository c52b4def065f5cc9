/// How the surfaces of shapes are put together; shared by shape_mesh*.c only.
#pragma once

#include "coulis/shape.h"
#include "coulis/surface.h"

/// A surface that grows. The pose of the shape at hand is applied to each vertex that is added.
typedef struct couShapeMesher {
    couSurface *surface;
    size_t vertex_capacity, index_capacity;
    int dimension;
    couPose pose;
    couBounds clip; ///< where planes end, in the frame of the whole shape [m]
    float cell;     ///< of grids [m]; 0: chosen
    bool is_short;  ///< of memory
} couShapeMesher;

/// The vertex's number.
uint32_t couShapeMesher_AddVertex(couShapeMesher *mesher, couVec3 local);
/// Triangles with two equal corners, and segments with two equal ends, are left out.
void couShapeMesher_AddTriangle(couShapeMesher *mesher, uint32_t a, uint32_t b, uint32_t c);
void couShapeMesher_AddSegment(couShapeMesher *mesher, uint32_t a, uint32_t b);

/// The surface of the union of the shapes (bounded), by a grid of their distance: for what has no formula.
void couShapeMesher_AddByGrid(couShapeMesher *mesher, couShape *const *shapes, int count);

/// A polygon's outlines in 2D, with its faces in 3D.
void couShapeMesher_AddPolygon(couShapeMesher *mesher, const couShape *polygon);
