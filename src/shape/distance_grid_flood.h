/// Which nodes of a grid are outside a mesh: those that a flood from the border reaches without crossing a triangle.
#pragma once

#include "coulis/mesh.h"
#include "shape/distance_grid.h"
#include "shape/pace.h"

enum { cou_snapBits = 16 }; ///< corners are moved to whole 2^-16 parts of a fine cell

/// A corner of the mesh in 2^-16 fine cells from the grid's origin; nodes are at whole multiples of 2^16. With at most
/// cou_gridMaxCells cells along an axis, areas fit into 64 bits, and what is decided with them is exact.
typedef struct couSnapped {
    int32_t at[3];
} couSnapped;

typedef struct couFlood {
    int32_t count[3];         ///< coarse cells along each axis
    int32_t *patch_index;     ///< of each coarse cell: its patch of nodes, or -1 where no triangle is near
    bool *is_cell_outside;    ///< of each coarse cell without a patch: all its nodes
    _Atomic uint8_t *patches; ///< 8 x 8 x 8 nodes each, x fastest: which edges from it are blocked, and whether it is outside
    size_t patch_count;
} couFlood;

/// False without memory or when it is late. `snapped` holds the mesh's corners. The mesh must keep off the grid's border.
bool couFlood_Run(couFlood *flood, couPace *pace, const couParallel *parallel, const couMesh *mesh, const couSnapped *snapped,
                  const int32_t count[3]);
void couFlood_Free(couFlood *flood);
/// Whether the node is outside; so are those on or beyond the upper border.
bool couFlood_IsOutside(const couFlood *flood, int32_t x, int32_t y, int32_t z);
