/// The parts of `coulis run`: its options, its folder, the run itself. command_run.c ties them together; what a run writes is in
/// run_outputs.h.
#pragma once

#include "app/app.h"
#include "app/picture_options.h"
#include "app/scene_pictures.h"
#include "coulis/checkpoint.h"
#include "coulis/frames.h"
#include "files/json.h"
#include "files/manifest.h"

#include <stdio.h>

#define COU_FOLDER_SIZE 900 ///< bytes of an output folder's path, with its terminating zero: leaves room for file names
#define COU_PATH_SIZE 1024
#define COU_MAX_FRAMES 999999 ///< six digits in file names
#define COU_MAX_OUTPUTS 32

// --- Options -----------------------------------------------------------------------------------------------------------------

typedef struct couRunOptions {
    const char *scene;    ///< NULL: from the checkpoint
    const char *out;      ///< NULL: out/SCENENAME, or the folder that is resumed
    const char *method;   ///< NULL: as the scene says
    const char *export;   ///< NULL: vtk
    const char *columns;  ///< of frame files; NULL: all
    const char *resume;   ///< folder of the run to go on with, or NULL
    couTexts sets;        ///< KEY=VALUE
    double seconds;       ///< NaN: not given
    double fps;           ///< NaN: as the scene says
    int frames;           ///< -1: not given
    int threads;          ///< 0: as the scene says
    int checkpoint_every; ///< frames; 0: only at the end; -1: about once a minute
    bool is_video, is_picture, is_quiet, is_forced;
    bool is_viewed;   ///< in a browser while it goes on
    bool has_surface; ///< surface frames
    couPictureChoice pictures;

    // worked out from the texts above
    bool has_vtp, has_ply;
    bool has_samples;                    ///< samples of bodies too
    unsigned left_out;                   ///< couFrameColumn bits that frame files go without
    bool has_no_pressure, asks_pressure; ///< --columns leaves it out; names it
    bool has_surface_vtp, has_surface_ply, has_surface_obj;
    couOverrides overrides; ///< from `sets`
    char *old_command;      ///< text of the resumed or repeated run's arguments, split into lines
    char *repeated_scene;   ///< path of the scene that a repeated run has copied, `scene` then
    char *repeated_folder;  ///< the new folder of a repeated run, `out` then
    const char *repeats;    ///< run.json of the run that is repeated, or NULL
    uint64_t scene_hash;    ///< of the repeated run's scene
    uint64_t state_hash;    ///< that the repeated run came to
    char built_by[200];     ///< program and compiler of the repeated run
} couRunOptions;

/// The options of the run in `folder` as its command.txt has them. False with a fault; free the options in any case.
bool couReadOldCommand(couRunOptions *options, const char *folder, couFaults *faults);
/// Reads and checks the whole command line, filled up from the resumed run's command.txt. True when --help was printed.
bool couReadRunOptions(couRunOptions *options, int argc, char **argv, couFaults *faults);
void couFreeRunOptions(couRunOptions *options);
/// The arguments, one a line, that couReadRunOptions() reads back on --resume; `frames` is the run's total.
bool couWriteCommand(const couRunOptions *options, const char *folder, int frames, double fps, couFaults *faults);
/// The same lines on a stream.
void couPrintCommand(const couRunOptions *options, int frames, double fps, FILE *stream);
/// Takes from `old` what was not given anew; texts are shared with it.
void couInheritOptions(couRunOptions *options, const couRunOptions *old);
/// Reads a text of such lines, which it cuts up and the options point into.
void couParseCommand(couRunOptions *options, char *text, couFaults *faults);
/// Makes the options those of the run that the run.json at `scene` tells of (repeat.c). False with faults.
bool couReadRepeat(couRunOptions *options, couFaults *faults);
bool couIsRunJson(const char *path); ///< ends with .json
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
/// Lists the file as ours before it is written (couManifest_Claim) and gives its path; NULL and a fault when it is not ours.
char *couClaimPath(couManifest *manifest, const char *name, char *path, couFaults *faults);
/// Removes the files of an earlier run, which the list of its folder names. Returns the number of frame files removed, -1 when
/// nothing is listed.
int couRemoveOldRun(couManifest *manifest);
/// Removes listed frame files numbered beyond `last` of a run that goes on, and temporary files that its end left.
void couCutFrames(const couManifest *manifest, int last);

// --- A run that was written before -------------------------------------------------------------------------------------------

bool couIsRunFolder(const char *path); ///< a folder with the command of a run
/// The scene of the run in `folder`, or the one at `scene_path` unless it is NULL, and the options that it ran with, to be freed
/// in any case. `what` is for the warning that the scene has changed: "shapes are taken". NULL with faults that speak of
/// `command`.
couScene *couLoadRunScene(const char *command, const char *folder, const char *scene_path, const char *what, int threads,
                          couRunOptions *run, couFaults *faults);

// --- The run -----------------------------------------------------------------------------------------------------------------

/// A run while it goes on: what its outputs see of it.
typedef struct couRun {
    couRunOptions options;
    couFaults faults;
    couScene *scene;
    couWorld *world;           ///< the scene's
    couCheckpointInfo resumed; ///< of the checkpoint that was read
    char folder[COU_FOLDER_SIZE];
    couManifest manifest; ///< of the folder
    bool is_in_place;     ///< goes on in the folder that it resumes
    double fps;
    int first, frame, total; ///< frames done before, done by now, asked for
    couBounds bounds;        ///< for an automatic camera, and where planes end
    couCast cast;            ///< the bodies that the scene begins with, for pictures of earlier frames
    couColors colors;        ///< of film and picture
    double started;          ///< couSeconds()
    json_t *description;     ///< of the run as it began, for run.json
    bool is_altered;         ///< went on with another scene than it began with: cannot be repeated

    // of the frame that was computed last
    couStepReport report;
    double frame_seconds; ///< that its steps took

    // of this program run
    double step_seconds; ///< spent in the world's steps
    uint64_t particle_steps, substeps;
    uint64_t unconverged, clamped; ///< solvers that ended above their tolerance, steps longer than wanted
    bool has_diverged;             ///< the physics or a callback went wrong: to go on would end the same way

    // kept by the outputs
    int checkpoint_frame;    ///< of checkpoint.h5 in the folder, -1: none of this run
    double checkpoint_clock; ///< couSeconds() of the last one, or of the start
    uint64_t state_hash;     ///< known when the checkpoint is closed
    struct {
        void *own; ///< what the output holds
        bool is_open;
    } outputs[COU_MAX_OUTPUTS]; ///< by row of the table in run_outputs.c
    couFrame particles;         ///< see couRun_Particles()
    bool has_particles;
} couRun;

/// Copies the scene's files into FOLDER/scene (provenance.c). False with a fault.
bool couRun_CopyScene(couRun *run);
/// The version, the scene and every parameter of the run as it begins, for run.json; NULL without memory.
json_t *couRun_Describe(couRun *run, int argc, char **argv);
/// Makes the folder, locks it, reads its list and looks for files in the way that are not ours. False with faults: the folder
/// cannot be used, and nothing in it has changed.
bool couRun_OpenFolder(couRun *run);
/// The particles of the world as they are now, captured when they are first asked for and shared by all who ask until the next
/// frame is computed. NULL and a fault without memory.
const couFrame *couRun_Particles(couRun *run);
