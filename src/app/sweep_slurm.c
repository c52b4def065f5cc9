// A sweep on a cluster: each run is a task of a job array that calls `coulis sweep --task`. Jobs that are killed, by their time
// limit, by somebody or with their node, are submitted again and go on from the checkpoint. A run that ended by itself, well or
// not, leaves a note of its exit code and is left alone.
#include "app/processes.h"
#include "app/slurm.h"
#include "app/sweep.h"
#include "files/file.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct Work {
    couSweep *sweep;
    couProgress progress;
} Work;

static couTaskState look(void *context, int task, bool is_gone, int *progress)
{
    Work *work = context;
    couSweepRun *run = &work->sweep->runs[task];
    char path[COU_PATH_SIZE];
    int code = 0;
    couSweep_Look(work->sweep, run);
    *progress = run->frame;
    if (run->state == cou_sweepFinished) return cou_taskDone;
    FILE *note = is_gone ? couOpenFile(couSweep_EndPath(work->sweep, run, path), NULL) : NULL;
    bool has_failed = note && fscanf(note, "%d", &code) == 1;
    if (note) fclose(note);
    if (!has_failed) return cou_taskOpen;
    run->state = cou_sweepFailed;
    snprintf(run->reason, sizeof run->reason, "ended with exit code %d; its log is one of slurm_*.log", code);
    couWarn("%s: %s", run->name, run->reason);
    return cou_taskFailed;
}

static void begin(void *context, int task)
{
    Work *work = context;
    char path[COU_PATH_SIZE];
    unlink(couSweep_EndPath(work->sweep, &work->sweep->runs[task], path));
}

static void show(void *context, int going)
{
    Work *work = context;
    couSweep_Show(work->sweep, &work->progress, going);
}

bool couSweep_RunOnSlurm(couSweep *sweep)
{
    char self[COU_PATH_SIZE], command[10 * COU_PATH_SIZE], quoted[2][4 * COU_PATH_SIZE], threads[32] = "";
    if (!couFindSelf(self, sizeof self, &sweep->faults)) return false;
    for (int r = 0; r < sweep->run_count; ++r) {
        char name[COU_RUN_NAME_SIZE + 8];
        snprintf(name, sizeof name, "%s.end", sweep->runs[r].name);
        if (!couManifest_Claim(&sweep->manifest, name, &sweep->faults)) return false;
    }
    int cores = sweep->options.threads;
    if (cores > 0) snprintf(threads, sizeof threads, " --threads=%d", cores);
    snprintf(command, sizeof command, "%s sweep --out=%s%s --task=\"$1\"", couQuote(self, quoted[0], sizeof quoted[0]),
             couQuote(sweep->options.out, quoted[1], sizeof quoted[1]), threads);
    int64_t total = 0, first = couSweep_CountFrames(sweep, &total);
    Work work = {.sweep = sweep, .progress = couStartProgress("frame", first, total, sweep->options.is_quiet)};
    couSlurmWork jobs = {.name = "coulis-sweep",
                         .folder = sweep->options.out,
                         .manifest = &sweep->manifest,
                         .options = sweep->options.slurm,
                         .command = command,
                         .threads = cores,
                         .task_count = sweep->run_count,
                         .context = &work,
                         .look = look,
                         .begin = begin,
                         .show = show};
    bool is_good = couSlurm_Do(&jobs, &sweep->faults);
    couProgress_End(&work.progress);
    for (int r = 0; is_good && !couInterrupted() && r < sweep->run_count; ++r) {
        couSweepRun *run = &sweep->runs[r];
        if (run->state == cou_sweepFinished || run->state == cou_sweepFailed) continue;
        run->state = cou_sweepFailed;
        snprintf(run->reason, sizeof run->reason, "was killed again and again without getting further than frame %d", run->frame);
    }
    if (couInterrupted()) fprintf(stderr, "the jobs go on; scancel --name=coulis-sweep ends them\n");
    return is_good;
}
