/// The parts of `coulis run`: its options, its folder, its pictures. command_run.c ties them together.
#pragma once

#include "app/app.h"
#include "app/studio.h"
#include "coulis/checkpoint.h"
#include "coulis/frames.h"
#include "files/json.h"
#include "io/body_files.h"

#define COU_FOLDER_SIZE 900 ///< bytes of an output folder's path, with its terminating zero: leaves room for file names
#define COU_PATH_SIZE 1024
#define COU_MAX_FRAMES 999999 ///< six digits in file names

// --- Options -----------------------------------------------------------------------------------------------------------------

typedef struct couRunOptions {
    const char *scene;    ///< NULL: from the checkpoint
    const char *out;      ///< NULL: out/SCENENAME, or the folder that is resumed
    const char *method;   ///< NULL: as the scene says
    const char *export;   ///< NULL: vtk
    const char *resume;   ///< folder of the run to go on with, or NULL
    couTexts sets;        ///< KEY=VALUE
    double seconds;       ///< NaN: not given
    double fps;           ///< NaN: as the scene says
    int frames;           ///< -1: not given
    int threads;          ///< 0: as the scene says
    int checkpoint_every; ///< frames; 0: only at the end; -1: about once a minute
    bool is_video, is_picture, is_quiet, is_forced;
    bool has_surface; ///< surface frames
    couPictureChoice pictures;

    // worked out from the texts above
    bool has_vtp, has_ply;
    bool has_surface_vtp, has_surface_ply, has_surface_obj;
    couOverrides overrides; ///< from `sets`
    char *old_command;      ///< text of the resumed run's command.txt, split into lines
} couRunOptions;

/// The options of the run in `folder` as its command.txt has them. False with a fault; free the options in any case.
bool couReadOldCommand(couRunOptions *options, const char *folder, couFaults *faults);
/// Reads and checks the whole command line, filled up from the resumed run's command.txt. True when --help was printed.
bool couReadRunOptions(couRunOptions *options, int argc, char **argv, couFaults *faults);
void couFreeRunOptions(couRunOptions *options);
/// The arguments, one a line, that couReadRunOptions() reads back on --resume; `frames` is the run's total.
bool couWriteCommand(const couRunOptions *options, const char *folder, int frames, double fps, couFaults *faults);
/// The command line that goes on with the run in `folder`, quoted for the shell.
void couFormatResume(const char *folder, char *text, size_t size);

// --- Folder ------------------------------------------------------------------------------------------------------------------

/// "out/NAME" from "path/to/NAME.lua" or a gallery name.
void couDefaultFolder(const char *scene, char *folder, size_t size);
/// FOLDER/NAME; both are known to fit.
char *couJoin(char *path, const char *folder, const char *name);
bool couIsSameFolder(const char *a, const char *b);
bool couIsFolder(const char *path);
/// Adds a fault when the path, NULL or the value of an option, is longer than COU_FOLDER_SIZE allows or has a line break.
void couCheckPath(const char *command, const char *option, const char *path, couFaults *faults);
/// Removes the files of an earlier run: only what a run itself writes, and only where run.json, diagnostics.csv or command.txt
/// shows that there was one. Returns the number of frame files removed, -1 when the folder holds no run.
int couRemoveOldRun(const char *folder);
/// Removes frame files numbered beyond `last` of a run that goes on, and temporary files that its end left.
void couCutFrames(const char *folder, int last);
/// Writes FOLDER/checkpoint.h5; the one before stays as checkpoint_previous.h5 when `keeps_previous`. At any moment, also after a
/// failure, one of the two is whole.
bool couRotateCheckpoint(const char *folder, bool keeps_previous, const couCheckpointInfo *info, const couState *state,
                         couFaults *faults);
/// Reads checkpoint.h5, or checkpoint_previous.h5 with a warning when the first is missing or broken (`is_previous`).
bool couReadLastCheckpoint(const char *folder, couCheckpointInfo *info, couState *state, bool *is_previous, couFaults *faults);

// --- Bodies ------------------------------------------------------------------------------------------------------------------

/// bodies/, bodies.csv and stage.json of a run; `frames` its total, `bounds` what an automatic camera shows. NULL and a fault when they cannot be written.
couBodyFiles *couOpenRunBodies(couScene *scene, const char *folder, double fps, int frames, couBounds bounds, int keep_frames,
                               couFaults *faults);

// --- Pictures ----------------------------------------------------------------------------------------------------------------

/// The film and the last picture of a run. Bodies are drawn where they were at a frame's time.
typedef struct couFilming couFilming;

/// What an automatic camera shows: the fluid, bodies and emitters of a scene that has not run yet.
couBounds couSceneBounds(couScene *scene, double seconds);
/// A studio with the scene's materials and its camera, or the one given.
couStudio *couOpenSceneStudio(couScene *scene, couBounds bounds, const couCamera *camera, const couPictureChoice *choice,
                              const couSurfaceDef *surface, double fps, couFaults *faults);
/// The bodies that a scene begins with, for frames that were written earlier: by then some may have left the world. Free with
/// couCast_Clear().
typedef struct couCast {
    struct couCastMember {
        char name[COU_NAME_SIZE];
        couShape *shape;
        couLook look;
    } * members;
    int count;
} couCast;

couCast couGatherCast(const couWorld *world);
void couCast_Clear(couCast *cast);
/// Where bodies.csv has the bodies of a run at a frame, with shape and look of the cast's body of that name; free with free(). NULL for
/// none, or without memory.
couPictureBody *couFindBodies(const couCast *cast, const couBodyTable *table, int frame, int *count);
/// Opens the studio and, with `film` not NULL, the film there. NULL and faults when either cannot be had.
couFilming *couStartFilming(couScene *scene, couBounds bounds, const couPictureChoice *choice, const couSurfaceDef *surface,
                            const char *film, double fps, couFaults *faults);
/// Renders the world's frame and appends it to the film.
bool couFilming_Add(couFilming *filming, const couFrame *frame, couFaults *faults);
/// Likewise a frame that was written earlier, with the bodies where they were then; `table` NULL: where they are now.
bool couFilming_AddOld(couFilming *filming, const couFrame *frame, const couCast *cast, const couBodyTable *table,
                       couFaults *faults);
/// Renders a frame into a PNG file.
bool couFilming_Picture(couFilming *filming, const couFrame *frame, const char *path, couFaults *faults);
/// Closes the film; `is_kept` false discards it. NULL is fine.
bool couEndFilming(couFilming *filming, bool is_kept, couFaults *faults);
