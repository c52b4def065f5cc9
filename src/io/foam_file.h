/// Files of spray, foam and bubbles: foam_000001.vtp and .ply.
#pragma once

#include "surface/foam.h"

/// By extension, .vtp or .ply; `time` [s]. Written to a temporary name, flushed, renamed. On failure a fault names file and
/// reason and an old file is untouched.
bool couWriteFoam(const char *path, const couFoam *foam, double time, couFaults *faults);
/// Reads such a file, to the bit as it was written. False with one fault when it is missing, damaged or no file of foam; nothing
/// is held then.
bool couReadFoam(const char *path, couFoam *foam, couFaults *faults);
