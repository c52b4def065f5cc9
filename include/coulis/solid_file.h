/// Files of deformable solids: meshes from Gmsh (.msh) and VTK (.vtu), in and out; frames of a run (.vtu) with stress and strain.
#pragma once

#include "coulis/coulis.h"

#ifdef __cplusplus
extern "C" {
#endif

/// By extension. .msh: ascii, versions 2.2 and 4.1; .vtu: as couReadFrame(), in one piece. Tetrahedra, or triangles in 2D, are
/// taken, other cells left out, as are points that none uses; cells that are inside out are turned where all of them are. NULL
/// and one fault, with the path as `where`, when the file is missing, of another kind, damaged, or no solid.
COU_API couSolidMesh *couReadSolidMesh(const char *path, int dimension, couFaults *faults);
/// By extension: .msh (version 2.2) or .vtu. The file is whole or not there.
COU_API bool couWriteSolidMesh(const char *path, const couSolidMesh *mesh, couFaults *faults);
/// All solids of a world in one .vtu, with displacement, velocity and von Mises' stress at the points, stress, strain and the
/// solid's number of the cells.
COU_API bool couWriteSolids(const char *path, const couWorld *world, couFaults *faults);

#ifdef __cplusplus
}
#endif
