/// A run is a list of outputs: particles, surface, film, tables, checkpoint... Each is a couOutput in a file of its own,
/// output_NAME.c, and a row in the table of run_outputs.c. The run opens those that are wanted, gives them every frame, closes
/// them.
#pragma once

#include "app/run.h"

enum { COU_MAX_FILES = 8 };

/// What a run makes of its frames. Functions that have nothing to do are NULL. A result of false comes with faults of the run and
/// ends it.
typedef struct couOutput {
    const char *name; ///< "film"
    /// What it may leave in the folder: "film.mp4"; # stands for the number of a frame: "surface_#.obj". An earlier run's files
    /// make way by this list, and frames of a run that goes on are cut back.
    const char *files[COU_MAX_FILES];
    bool (*is_wanted)(const couRun *run); ///< NULL: always
    /// Once the folder is ready. Of a run that goes on in place (is_in_place) the files keep what belongs to its frames up to
    /// `first`. `*own` is for what the output holds, NULL at first; on false nothing is held.
    bool (*open)(couRun *run, void **own);
    bool (*start)(couRun *run, void *own); ///< before the first frame, once in a run's life: run->frame is 0
    bool (*frame)(couRun *run, void *own); ///< after each frame: run->frame is its number
    bool (*close)(couRun *run, void *own); ///< at the end, also of a run that was interrupted; lets go of `own` in any case
    void (*discard)(couRun *run,
                    void *own); ///< instead of close() when the run has failed: keeps what is whole, lets go of `own`
} couOutput;

/// The table.
const couOutput *const *couOutputs(int *count);

bool couOpenOutputs(couRun *run);
bool couGiveStart(couRun *run); ///< the world as it begins
bool couGiveFrame(couRun *run); ///< the one that was just computed
bool couCloseOutputs(couRun *run);
void couDiscardOutputs(couRun *run); ///< what is still open, after a failure; further faults are of no interest

// --- What outputs share with commands ----------------------------------------------------------------------------------------

/// How surfaces of a run are made, for its files and its pictures.
couSurfaceDef couRun_Surface(const couRun *run);
/// surface_000012.obj and so on into the manifest's folder, in each of the `formats`, "obj,vtp".
bool couWriteSurfaceFrame(couManifest *manifest, int number, const char *formats, const couSurface *surface, double time,
                          couFaults *faults);
/// The formats of such a list one after the other; false at its end.
bool couNextFormat(const char **list, char format[16]);

/// Reads checkpoint.h5, or checkpoint_previous.h5 with a warning when the first is missing or broken (`is_previous`).
bool couReadLastCheckpoint(const char *folder, couCheckpointInfo *info, couState *state, bool *is_previous, couFaults *faults);
/// Puts the world and the scene's own memory back to what a checkpoint has.
bool couRun_LoadState(couRun *run, const couState *state);
