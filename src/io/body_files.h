/// The bodies of a run in files: a mesh each in bodies/, where they were in bodies.csv, how they look in stage.json.
#pragma once

#include "files/manifest.h"
#include "io/stage_file.h"

typedef struct couBodyFiles couBodyFiles;

/// Takes over the lists of `stage` (scene, dimension, spacing, fps, materials, cameras; bodies are added here) and writes
/// stage.json and bodies.csv into the folder of the manifest, which must outlive the result: anew (keep_frames 0), or cut back to
/// the first `keep_frames` frames when a run resumes. Planes, which have no end, are cut off at `clip` [m]. NULL and a fault when
/// a file is another run's or cannot be written.
couBodyFiles *couOpenBodyFiles(couManifest *manifest, couStageFile *stage, couBounds clip, int keep_frames, couFaults *faults);
/// One row for each body that is there; a body that is new gets its mesh and its place in stage.json first.
bool couBodyFiles_Write(couBodyFiles *files, const couWorld *world, int frame, couFaults *faults);
bool couCloseBodyFiles(couBodyFiles *files, couFaults *faults); ///< NULL is fine

/// A body at a frame, as bodies.csv has it.
typedef struct couBodyRow {
    int frame;
    double time; ///< [s]
    char name[COU_NAME_SIZE];
    couPose pose;     ///< of the shape's origin
    couVec3 velocity; ///< of the shape's origin [m/s]
    couVec3 spin;     ///< [rad/s]
    int body;         ///< in stage.bodies, which has its mesh and look; -1 when it is not there
} couBodyRow;

/// Where all bodies of a run were. Free with couBodyTable_Clear().
typedef struct couBodyTable {
    couStageFile stage;
    couBodyRow *rows; ///< in the order of frames
    size_t count;
} couBodyTable;

/// Reads stage.json and bodies.csv of a run's folder. False with a fault; nothing is held then.
bool couReadBodies(const char *folder, couBodyTable *table, couFaults *faults);
/// The rows of one frame; `count` 0 when it has none.
const couBodyRow *couBodyTable_Frame(const couBodyTable *table, int frame, size_t *count);
void couBodyTable_Clear(couBodyTable *table);
