/// A run as one USD file in text (.usda), for Houdini, Blender and everything else that reads OpenUSD.
#pragma once

#include "coulis/frames.h"
#include "io/stage_file.h"

#include <stdio.h>

/// Called after each file that was read, of `total` reads in all.
typedef void couUsdaProgress(void *context, int done, int total);

typedef struct couUsdaDef {
    const char *folder; ///< of the run: stage.json, particles_*, surface_*, solids_*, bodies.csv; at least one of the series
    const char *path;   ///< of the file to write
    double max_gib;     ///< more is refused, with the estimate, before anything is written
    couUsdaProgress *progress; ///< or NULL
    void *context;
} couUsdaDef;

/// Frames are read one at a time, several times over; memory is that of the largest. A frame that cannot be read is left out,
/// with a warning in the log. `frames` gets the number of frames written, NULL is fine. False with a fault when there is
/// nothing to write or the file would be too large for `max_gib` or for the disk.
bool couWriteUsda(const couUsdaDef *def, int *frames, couFaults *faults);

// --- Inside ---

/// The head of a prim, bound to a look where it has one.
void couUsda_OpenPrim(FILE *stream, const char *indent, const char *type, const char *name, const char *look);

/// The frames of a run's deformable solids (usda_solids.c).
typedef struct couUsdaSolids {
    const char *folder;
    const couStageFile *stage;
    couFrameFiles files;
    int count, first, last; ///< frames that are written, and their numbers
    double bytes;           ///< of text that they will be
} couUsdaSolids;

bool couUsdaSolids_Find(couUsdaSolids *solids, const char *folder, const couStageFile *stage, couFaults *faults);
void couUsdaSolids_Clear(couUsdaSolids *solids);
/// `names` are those of the solids' prims and looks.
bool couUsdaSolids_Write(const couUsdaSolids *solids, char (*names)[48], FILE *stream, couFaults *faults);
