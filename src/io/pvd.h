/// ParaView's list of a series of VTK files with their times.
#pragma once

#include "files/manifest.h"

/// FOLDER/STEM.pvd for the files FOLDER/STEM_000001.vtp and so on that are there; frame k is at k / fps. A folder without such
/// files gets none, and loses an old one.
bool couWritePvd(couManifest *manifest, const char *stem, double fps, couFaults *faults);
