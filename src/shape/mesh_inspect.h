/// What the rigid module asks of a mesh besides its public report.
#pragma once

#include "base/base.h"
#include "coulis/mesh.h"

/// True when the integrals over the triangles can be trusted: one piece, closed, oriented, no triangle twice. Looks at edges
/// only, so a piece that crosses itself passes. False also without memory.
bool couMesh_IsSolid(const couMesh *mesh);

/// Gives each vertex the number of the first one at the same place; -0 is 0. False without memory.
COU_INTERNAL_API bool couWeldVertices(const couVec3 *vertices, size_t count, uint32_t *first);

/// The mesh with each triangle once, whichever way it faces; itself where none is there twice. To be released; NULL without
/// memory.
couMesh *couMesh_WithoutCopies(couMesh *mesh);
