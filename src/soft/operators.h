/// The differential operators of the models, for themselves [Debunne, sect. 4.2 to 4.6].
#pragma once

#include "soft/elastic.h"

/// Laplacian and grad(div) of a vector field at every point of a mesh, as voronoi, cauchy or hybrid has them. Right at points
/// inside of the mesh; on the surface they hold what the free surface adds. False with a fault.
bool couApplyOperators(const couSolidMesh *mesh, const couRegions *regions, couSolidModel model, const couDouble3 *field,
                       couDouble3 *laplacian, couDouble3 *grad_div, couFaults *faults);
