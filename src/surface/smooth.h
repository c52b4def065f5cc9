/// Smoothing of a finished mesh.
#pragma once

#include "base/parallel.h"
#include "coulis/surface.h"

/// Evens out the mesh but keeps the volume of each of its connected parts, and its features; normals follow. False without
/// memory.
bool couSmoothSurface(couSurface *surface, int rounds, couMemory *memory, const couParallel *parallel);
/// What that takes beside the mesh.
double couSmoothingBytes(size_t vertices, size_t elements, int dimension);
