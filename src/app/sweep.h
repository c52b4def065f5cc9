/// The parts of `coulis sweep`: what to run, how it is run here or on a cluster, the table of what it came to.
#pragma once

#include "app/app.h"
#include "app/run.h"
#include "files/manifest.h"

#define COU_MAX_AXES 12
#define COU_RUN_NAME_SIZE 128

// --- The plan ----------------------------------------------------------------------------------------------------------------

typedef struct couSweepOptions {
    const char *scene;   ///< NULL with --task
    const char *out;     ///< folder of the sweep
    const char *methods; ///< "dfsph,wcsph", or NULL: as the scene says
    const char *export;
    const char *on;      ///< "slurm", or NULL: this machine
    const char *over;    ///< key that orders of convergence are of; NULL: spacing
    const char *measure; ///< columns of table.md, orders and plots, or NULL
    const char *slurm;   ///< options for sbatch, or NULL
    couTexts sets;       ///< KEY=A,B,C
    double seconds, fps; ///< NaN: not given
    int frames;          ///< -1: not given
    int threads, jobs;   ///< 0: all cores; as many as there are threads
    int checkpoint_every, max_runs;
    int task; ///< number of the one run to do, -1: all
    bool is_quiet;
} couSweepOptions;

/// A key and the values that it goes through; one value is a setting for all.
typedef struct couAxis {
    char *key;
    char **values;
    int count;
} couAxis;

typedef enum couSweepState {
    cou_sweepWaiting,
    cou_sweepStopped, ///< has a checkpoint to go on from
    cou_sweepGoing,
    cou_sweepFailed,
    cou_sweepFinished
} couSweepState;

/// One combination, a folder of its own.
typedef struct couSweepRun {
    char name[COU_RUN_NAME_SIZE]; ///< of the folder in that of the sweep
    int choice[COU_MAX_AXES];     ///< number of the value of each axis
    char **arguments;             ///< of `coulis run`, NULL-terminated
    couSweepState state;
    int frame, total; ///< done and asked for; a total of 0: not known yet
    char reason[240]; ///< why it failed
} couSweepRun;

typedef struct couSweep {
    couSweepOptions options;
    couAxis axes[COU_MAX_AXES];
    int axis_count;
    couSweepRun *runs;
    int run_count;
    int plan_count; ///< with those of earlier commands that are not asked for now, behind the others
    int frames;     ///< of a run, as far as is known before it begins
    uint64_t scene_hash;
    couManifest manifest; ///< of the folder
    couFaults faults;
} couSweep;

/// The axes and the runs from the options. Adds a fault for each thing that is wrong; nothing is written.
bool couSweep_Plan(couSweep *sweep);
/// Loads the scene with each value once. False with the faults of all of them.
bool couSweep_CheckScene(couSweep *sweep);
/// Makes and locks the folder, writes sweep.json or finds that the one that is there is of the same sweep.
bool couSweep_OpenFolder(couSweep *sweep);
/// The plan of a sweep from its sweep.json: names and arguments of the runs, no axes.
bool couSweep_ReadPlan(couSweep *sweep, const char *folder);
void couSweep_Clear(couSweep *sweep);

/// The value that the run has of an axis.
const char *couSweep_Value(const couSweep *sweep, const couSweepRun *run, int axis);
char *couSweep_RunFolder(const couSweep *sweep, const couSweepRun *run, char *path);
/// Looks into the run's folder: finished, stopped or waiting, and at which frame it is. One that failed or goes on stays so
/// unless it is finished.
void couSweep_Look(const couSweep *sweep, couSweepRun *run);
int couSweep_Count(const couSweep *sweep, couSweepState state);
/// Frames that are done of those of all runs.
int64_t couSweep_CountFrames(const couSweep *sweep, int64_t *total);
/// The progress of all runs, `going` of which are under way.
void couSweep_Show(const couSweep *sweep, couProgress *progress, int going);

// --- Running it --------------------------------------------------------------------------------------------------------------

/// Runs all that is not finished as processes of its own, until all have ended or an interrupt has stopped them.
void couSweep_RunHere(couSweep *sweep);
/// Runs one in the foreground, for a cluster's job; returns the program's exit code.
int couSweep_RunTask(couSweep *sweep, int task);
/// Where a job notes the exit code of a run that came to its end by itself, well or not; a killed one leaves nothing there.
char *couSweep_EndPath(const couSweep *sweep, const couSweepRun *run, char *path);
/// Submits what is not finished as a job array, waits for it, submits again what was killed.
bool couSweep_RunOnSlurm(couSweep *sweep);

// --- What it came to ---------------------------------------------------------------------------------------------------------

/// table.csv, table.md, orders.csv and the plots; prints table.md unless the sweep is quiet. False with faults.
bool couSweep_Report(couSweep *sweep);

/// The order of convergence of values at three spacings, h[0] > h[1] > h[2], by Richardson: value = limit + C h^order.
typedef struct couOrder {
    double order;     ///< NaN: the differences change their sign, or there is none
    double limit;     ///< extrapolated to h = 0
    const char *kind; ///< "converges", "diverges", "oscillates" or "the same"
} couOrder;
couOrder couFindOrder(const double h[3], const double value[3]);
