/// Surfaces in files: what is written for other programs, and read back for exports.
#pragma once

#include "coulis/surface.h"

#ifdef __cplusplus
extern "C" {
#endif

/// By extension: .obj, .ply (binary), .vtp; .svg for 2D. Arrays of the surface that are NULL are left out, but vertices and
/// indices. Colours are linear in .vtp, and as displays want them (sRGB) in the others. Written to a temporary name, flushed,
/// renamed; false with a fault that names file and reason. `time` in seconds; .obj and .svg keep it as a comment.
COU_API bool couWriteSurface(const char *path, const couSurface *surface, double time, couFaults *faults);
/// "obj", "ply"...: whether couWriteSurface() knows it, for surfaces of this dimension.
COU_API bool couIsSurfaceFormat(const char *extension, int dimension);

/// Reads a .vtp, .ply or .obj as written above; what the file does not have is NULL. Free with couSurface_Clear(). Hostile files
/// give one fault.
COU_API bool couReadSurface(const char *path, couSurface *surface, double *time, couFaults *faults);

#ifdef __cplusplus
}
#endif
