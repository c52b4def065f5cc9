/// Which triangles a cell holds, for each of the 256 ways in which its corners can be inside or outside.
#pragma once

#include "base/base.h"

/// Corner c lies at (c & 1, c >> 1 & 1, c >> 2). Edge 4 a + u + 2 v runs along axis a from the corner whose other two
/// coordinates, in order, are u and v.
enum { cou_maxCellTriangles = 5 };

typedef struct couMarchTable {
    uint8_t counts[256];                          ///< triangles
    uint8_t edges[256][3 * cou_maxCellTriangles]; ///< where their corners lie, counter-clockwise from outside
} couMarchTable;

/// The corner from which an edge starts.
static inline int couEdgeCorner(int edge)
{
    int u = edge & 1, v = edge >> 1 & 1;
    switch (edge >> 2) {
    case 0: return u << 1 | v << 2;
    case 1: return u | v << 2;
    default: return u | v << 1;
    }
}

/// False when some case has no triangulation without holes; a test says that there is none.
bool couMakeMarchTable(couMarchTable *table);
