/// Distance grids kept on disk, so that a mesh is measured once. In $COULIS_CACHE, else $XDG_CACHE_HOME/coulis, else
/// ~/.cache/coulis; an empty COULIS_CACHE means no cache.
#pragma once

#include "coulis/mesh.h"

/// couCreateDistanceGrid(), from the cache where it has it. What is wrong with the cache is never a fault: a file that is
/// broken is made anew, one that cannot be written is not there next time.
couDistanceGrid *couCachedDistanceGrid(couMesh *mesh, float cell, size_t max_bytes, int threads, couFaults *faults);
/// The folder of the cache; false when there is none.
bool couGridCacheFolder(char *folder, size_t size);
/// Removes the grids used longest ago until the folder's take at most `max_bytes`; touches no other files.
void couTrimGridCache(const char *folder, uint64_t max_bytes);
