/// A run as one USD file in text (.usda), for Houdini, Blender and everything else that reads OpenUSD.
#pragma once

#include "coulis/base.h"

/// Called after each file that was read, of `total` reads in all.
typedef void couUsdaProgress(void *context, int done, int total);

typedef struct couUsdaDef {
    const char *folder;        ///< of the run: stage.json, particles_*, surface_*, bodies.csv; at least one of the series
    const char *path;          ///< of the file to write
    double max_gib;            ///< more is refused, with the estimate, before anything is written
    couUsdaProgress *progress; ///< or NULL
    void *context;
} couUsdaDef;

/// Frames are read one at a time, several times over; memory is that of the largest. A frame that cannot be read is left out,
/// with a warning in the log. `frames` gets the number of frames written, NULL is fine. False with a fault when there is
/// nothing to write or the file would be too large for `max_gib` or for the disk.
bool couWriteUsda(const couUsdaDef *def, int *frames, couFaults *faults);
