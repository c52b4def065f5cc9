/// Which cell of a mesh a point is in: a grid over the cells, where they are now. Lives in an arena, read by any thread.
#pragma once

#include "base/arena.h"
#include "soft/solid_mesh.h"

typedef struct couCellFinder {
    const couSolidMesh *mesh;
    const couDouble3 *position; ///< of the mesh's points [m]
    couDouble3 lower, upper;    ///< what is looked at [m]
    couDouble3 per_length;      ///< bins per length [1/m]
    int bins[3];
    uint32_t *start; ///< of each bin's cells; one more than bins
    uint32_t *cells;
} couCellFinder;

/// For points between lower and upper. False without memory.
bool couCellFinder_Build(couCellFinder *finder, couArena *arena, const couSolidMesh *mesh, const couDouble3 *position,
                         couDouble3 lower, couDouble3 upper);
/// The cell that holds the point, with the weights of its corners, none below -slack; false where there is none.
bool couCellFinder_Find(const couCellFinder *finder, couDouble3 p, double slack, uint32_t *cell, double weights[COU_MAX_CORNERS]);
/// The same, or the cell that comes closest to it: some weights are negative.
void couCellFinder_FindNearest(const couCellFinder *finder, couDouble3 p, uint32_t *cell, double weights[COU_MAX_CORNERS]);
/// Around all points.
void couBoundPoints3(const couDouble3 *points, size_t count, couDouble3 *lower, couDouble3 *upper);
