/// Convex polyhedra that are cut by planes; their sides remember by what.
#pragma once

#include "soft/double3.h"

enum { COU_MAX_SIDES = 64, COU_MAX_SIDE_CORNERS = 32 };
#define COU_OWN_SIDE UINT32_MAX ///< label of sides that no cut made

typedef struct couSide {
    uint32_t label;
    int count;
    couDouble3 corners[COU_MAX_SIDE_CORNERS]; ///< counter-clockwise seen from outside
} couSide;

typedef struct couPolyhedron {
    int count;
    couSide sides[COU_MAX_SIDES];
} couPolyhedron;

/// A tetrahedron with a positive volume; or, of three points, a prism of height 1 above the triangle.
void couPolyhedron_Set(couPolyhedron *body, int dimension, const couDouble3 *p);
/// Keeps what is not beyond the plane: normal . x <= offset, normal unit. The new side gets the label. `tolerance` [m]: corners
/// as near to the plane count as on it. False when nothing is left.
bool couPolyhedron_Cut(couPolyhedron *body, couDouble3 normal, double offset, uint32_t label, double tolerance);
double couPolyhedron_Volume(const couPolyhedron *body);
couDouble3 couSide_Area(const couSide *side); ///< outward, with its area as length
