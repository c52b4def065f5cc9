/// Voronoi regions of a mesh's points: of each point the part of the object that is nearer to it than to any other, with its
/// volume and the facets between neighbours [Debunne, sect. 4.4].
#pragma once

#include "soft/solid_mesh.h"

/// Between two regions, over all cells together.
typedef struct couFacet {
    uint32_t low, high; ///< points
    double area;        ///< [m^2] ([m] in 2D)
} couFacet;

/// What a cell holds of the facets of one point's region.
typedef struct couPiece {
    uint32_t point, cell;
    couDouble3 area; ///< sum of the facets' normals out of the region times their areas [m^2] ([m] in 2D)
} couPiece;

typedef struct couRegions {
    double *volumes; ///< of each point [m^3] ([m^2] in 2D)
    couFacet *facets;
    size_t facet_count, facet_capacity; ///< facets by their points
    couPiece *pieces;
    size_t piece_count, piece_capacity; ///< pieces by point, then cell
} couRegions;

/// False with a fault.
bool couRegions_Build(couRegions *regions, const couSolidMesh *mesh, couFaults *faults);
void couRegions_Free(couRegions *regions);

/// One region's surface as triangles, shrunk about its point by `shrink` (1: not at all), for pictures. Three corners each. The
/// caller frees *corners with couFree(NULL, ...). False with a fault.
bool couRegions_BuildSurface(const couSolidMesh *mesh, uint32_t point, double shrink, couDouble3 **corners, size_t *count,
                             couFaults *faults);
