/// What the rigid module asks of a mesh besides its public report.
#pragma once

#include "coulis/mesh.h"

/// True when the integrals over the triangles can be trusted: one piece, closed, oriented, no triangle twice. Looks at edges only, so a
/// piece that crosses itself passes. False also without memory.
bool couMesh_IsSolid(const couMesh *mesh);
