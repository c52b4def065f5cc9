/// What is inside of a closed chain of triangles, or of segments in the plane, and how far the chain is.
#pragma once

#include "shape/triangle_tree.h"
#include "soft/double3.h"

typedef struct couEnclosure {
    int dimension;
    couDouble3 *points;
    uint32_t *sides; ///< `dimension` numbers each: triangles turned outward, or segments with the inside to their left
    size_t side_count;
    couDouble3 lower, upper;
    // Sides by the cells of a grid across x, so that a ray along x meets few.
    double cell[2]; ///< [m]
    int cells[2];
    uint32_t *start; ///< one more than cells
    uint32_t *binned;
    couTriangleTree tree; ///< 3D
    bool has_tree;
} couEnclosure;

/// Copies points and sides. False without memory; couEnclosure_Free() is called in either case.
bool couEnclosure_Build(couEnclosure *enclosure, int dimension, const couDouble3 *points, size_t point_count,
                        const uint32_t *sides, size_t side_count);
void couEnclosure_Free(couEnclosure *enclosure);
/// How often the chain goes round the point: 0 outside.
int couEnclosure_Winding(const couEnclosure *enclosure, couDouble3 p);
double couEnclosure_Distance(const couEnclosure *enclosure, couDouble3 p); ///< to the nearest side [m]
double couEnclosure_Volume(const couEnclosure *enclosure);                 ///< by Gauss [m^3] ([m^2] in 2D)
