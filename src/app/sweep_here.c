// A sweep on this machine: runs are processes of `coulis run`, as many at a time as there are cores, which they share. The
// results do not depend on threads, so each gets what is free when it starts.
#include "app/processes.h"
#include "app/sweep.h"
#include "base/base.h"
#include "files/file.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_ARGUMENTS = COU_MAX_AXES + 16 };

typedef struct Slot {
    couSweepRun *run; // NULL: free
    pid_t process;
    int threads;
    off_t log_start; // where this attempt begins in the log
} Slot;

typedef struct Crew {
    couSweep *sweep;
    char self[COU_PATH_SIZE];
    Slot slots[COU_MAX_THREADS];
    int slot_count, threads;
    bool is_stopping, has_waited;
} Crew;

// --- One run -----------------------------------------------------------------------------------------------------------------

// A run that was killed together with the sweep may still be writing its last checkpoint.
static bool is_busy(const char *folder)
{
    couManifest manifest;
    couFaults faults = {0};
    bool is_busy = couIsFolder(folder) && couManifest_Read(&manifest, folder, &faults) && !couManifest_Lock(&manifest, &faults);
    if (couIsFolder(folder)) couManifest_Clear(&manifest);
    couFaults_Clear(&faults);
    return is_busy;
}

// The command line of a run, new or going on; `texts` are what `arguments` points into.
typedef struct RunCommand {
    char *arguments[MAX_ARGUMENTS];
    char out[COU_PATH_SIZE + 16], resume[COU_PATH_SIZE + 16], threads[32];
} RunCommand;

static void make_command(const couSweep *sweep, const couSweepRun *run, char *self, int threads, RunCommand *command)
{
    static char name[] = "run", quiet[] = "--quiet";
    char folder[COU_PATH_SIZE];
    int count = 0;
    couSweep_RunFolder(sweep, run, folder);
    snprintf(command->out, sizeof command->out, "--out=%s", folder);
    snprintf(command->resume, sizeof command->resume, "--resume=%s", folder);
    snprintf(command->threads, sizeof command->threads, "--threads=%d", threads);
    command->arguments[count++] = self;
    command->arguments[count++] = name;
    command->arguments[count++] = quiet;
    command->arguments[count++] = command->threads;
    command->arguments[count++] = command->out;
    if (run->state == cou_sweepStopped) command->arguments[count++] = command->resume;
    for (char **argument = run->arguments; *argument && count < MAX_ARGUMENTS - 1; ++argument)
        command->arguments[count++] = *argument;
    command->arguments[count] = NULL;
}

static void fail_run(couSweepRun *run, const char *reason)
{
    run->state = cou_sweepFailed;
    snprintf(run->reason, sizeof run->reason, "%.230s", reason);
    couWarn("%s: %s", run->name, run->reason);
}

// The first line that this attempt left in the log.
static void read_reason(const char *log, off_t start, char *text, size_t size)
{
    FILE *stream = couOpenFile(log, NULL);
    text[0] = '\0';
    if (stream && fseeko(stream, start, SEEK_SET) == 0 && fgets(text, (int)size, stream)) text[strcspn(text, "\n")] = '\0';
    if (stream) fclose(stream);
}

static char *log_path(const couSweep *sweep, const couSweepRun *run, char *path)
{
    char name[COU_RUN_NAME_SIZE + 8];
    snprintf(name, sizeof name, "%s.log", run->name);
    return couJoin(path, sweep->options.out, name);
}

// A run writes into the sweep's folder, not through a link out of it.
static bool is_inside(const couSweep *sweep, const couSweepRun *run, couFaults *faults)
{
    char folder[COU_PATH_SIZE];
    struct stat status;
    couSweep_RunFolder(sweep, run, folder);
    if (lstat(folder, &status) != 0 || !S_ISLNK(status.st_mode)) return true;
    couFaults_Add(faults, folder, NULL, "is a link: the folder of a run is one of its own, inside that of the sweep");
    return false;
}

static bool start_run(Crew *crew, Slot *slot, couSweepRun *run, int threads)
{
    couSweep *sweep = crew->sweep;
    char log[COU_PATH_SIZE], name[COU_RUN_NAME_SIZE + 8];
    couFaults faults = {0};
    RunCommand command;
    struct stat status;
    snprintf(name, sizeof name, "%s.log", run->name);
    log_path(sweep, run, log);
    make_command(sweep, run, crew->self, threads, &command);
    bool is_ours = is_inside(sweep, run, &faults) && couManifest_Claim(&sweep->manifest, name, &faults);
    off_t log_start = stat(log, &status) == 0 ? status.st_size : 0;
    pid_t process = is_ours ? couStartProcess(command.arguments, log, &faults) : -1;
    if (process > 0) {
        run->state = cou_sweepGoing;
        *slot = (Slot){.run = run, .process = process, .threads = threads, .log_start = log_start};
    } else {
        fail_run(run, faults.count > 0 ? faults.items[0].message : "could not be started");
    }
    couFaults_Clear(&faults);
    return process > 0;
}

static void end_run(Crew *crew, Slot *slot, int code)
{
    couSweepRun *run = slot->run;
    char log[COU_PATH_SIZE], reason[200];
    run->state = cou_sweepWaiting;
    couSweep_Look(crew->sweep, run);
    slot->run = NULL;
    if (run->state == cou_sweepFinished || crew->is_stopping) return;
    read_reason(log_path(crew->sweep, run, log), slot->log_start, reason, sizeof reason);
    if (code < 0)
        snprintf(reason, sizeof reason, "ended by signal %d; the same command goes on with it", -code);
    else if (!reason[0])
        snprintf(reason, sizeof reason, "ended with exit code %d", code);
    fail_run(run, reason);
}

// --- All of them -------------------------------------------------------------------------------------------------------------

static bool is_open(const couSweepRun *run) { return run->state == cou_sweepWaiting || run->state == cou_sweepStopped; }

// What is free is shared by those that can start now.
static void fill_slots(Crew *crew)
{
    couSweep *sweep = crew->sweep;
    int free_slots = crew->slot_count, free_threads = crew->threads;
    for (int s = 0; s < crew->slot_count; ++s)
        if (crew->slots[s].run) --free_slots, free_threads -= crew->slots[s].threads;
    int waiting = couSweep_Count(sweep, cou_sweepWaiting) + couSweep_Count(sweep, cou_sweepStopped);
    for (int r = 0, s = 0; r < sweep->run_count && free_slots > 0; ++r) {
        couSweepRun *run = &sweep->runs[r];
        char folder[COU_PATH_SIZE];
        if (!is_open(run)) continue;
        if (is_busy(couSweep_RunFolder(sweep, run, folder))) {
            if (!crew->has_waited) couWarn("%s: an earlier run there is still ending; waiting for it", run->name);
            crew->has_waited = true;
            continue;
        }
        couSweep_Look(sweep, run); // an earlier run may have gone further since
        if (!is_open(run)) continue;
        while (crew->slots[s].run) ++s;
        int threads = COU_MAX(1, free_threads / COU_MIN(free_slots, waiting));
        if (!start_run(crew, &crew->slots[s], run, threads)) continue;
        --free_slots, --waiting;
        free_threads -= threads;
    }
}

static int poll_slots(Crew *crew)
{
    int going = 0;
    for (int s = 0; s < crew->slot_count; ++s) {
        Slot *slot = &crew->slots[s];
        int code = 0;
        if (slot->run && couHasEnded(slot->process, &code)) end_run(crew, slot, code);
        going += slot->run != NULL;
    }
    return going;
}

int64_t couSweep_CountFrames(const couSweep *sweep, int64_t *total)
{
    int64_t done = 0;
    *total = 0;
    for (int r = 0; r < sweep->run_count; ++r) {
        done += sweep->runs[r].frame;
        *total += sweep->runs[r].total > 0 ? sweep->runs[r].total : sweep->frames;
    }
    return done;
}

void couSweep_Show(const couSweep *sweep, couProgress *progress, int going)
{
    char note[120];
    int used = snprintf(note, sizeof note, "%d of %d runs done, %d going", couSweep_Count(sweep, cou_sweepFinished),
                        sweep->run_count, going);
    int failed = couSweep_Count(sweep, cou_sweepFailed);
    if (failed > 0) snprintf(note + used, sizeof note - (size_t)used, ", %d failed", failed);
    int64_t done = couSweep_CountFrames(sweep, &progress->total);
    couProgress_Show(progress, done, note);
}

static void show(Crew *crew, couProgress *progress, int going)
{
    for (int s = 0; s < crew->slot_count; ++s)
        if (crew->slots[s].run) couSweep_Look(crew->sweep, crew->slots[s].run);
    couSweep_Show(crew->sweep, progress, going);
}

static void stop_all(Crew *crew)
{
    crew->is_stopping = true;
    for (int s = 0; s < crew->slot_count; ++s)
        if (crew->slots[s].run) kill(crew->slots[s].process, SIGTERM);
}

static void pause_for(double seconds)
{
    struct timespec time = {.tv_sec = (time_t)seconds, .tv_nsec = (long)(1e9 * (seconds - floor(seconds)))};
    nanosleep(&time, NULL);
}

void couSweep_RunHere(couSweep *sweep)
{
    Crew crew = {.sweep = sweep, .threads = couThreadCount(sweep->options.threads)};
    crew.slot_count = COU_MIN(sweep->options.jobs > 0 ? sweep->options.jobs : crew.threads, COU_MAX_THREADS);
    if (!couFindSelf(crew.self, sizeof crew.self, &sweep->faults)) return;
    int64_t total = 0, first = couSweep_CountFrames(sweep, &total);
    couProgress progress = couStartProgress("frame", first, total, sweep->options.is_quiet);
    couCatchInterrupts();
    for (int going = 0, turn = 0;
         going > 0 || couSweep_Count(sweep, cou_sweepWaiting) + couSweep_Count(sweep, cou_sweepStopped) > 0;) {
        if (couInterrupted() && !crew.is_stopping) stop_all(&crew);
        if (crew.is_stopping && going == 0) break;
        if (!crew.is_stopping) fill_slots(&crew);
        going = poll_slots(&crew);
        if (turn++ % 4 == 0) show(&crew, &progress, going);
        pause_for(0.05);
    }
    show(&crew, &progress, 0);
    couProgress_End(&progress);
}

// --- One of them, for a cluster ----------------------------------------------------------------------------------------------

char *couSweep_EndPath(const couSweep *sweep, const couSweepRun *run, char *path)
{
    char name[COU_RUN_NAME_SIZE + 8];
    snprintf(name, sizeof name, "%s.end", run->name);
    return couJoin(path, sweep->options.out, name);
}

int couSweep_RunTask(couSweep *sweep, int task)
{
    couSweepRun *run = &sweep->runs[task];
    Crew crew = {.sweep = sweep};
    RunCommand command;
    int code = cou_exitFailed;
    couSweep_Look(sweep, run);
    if (run->state == cou_sweepFinished) return cou_exitWell;
    if (!is_inside(sweep, run, &sweep->faults)) return couFail(&sweep->faults, cou_exitBadInput);
    if (!couFindSelf(crew.self, sizeof crew.self, &sweep->faults)) return couFail(&sweep->faults, code);
    make_command(sweep, run, crew.self, couThreadCount(sweep->options.threads), &command);
    couCatchInterrupts();
    pid_t process = couStartProcess(command.arguments, NULL, &sweep->faults);
    if (process < 0) return couFail(&sweep->faults, code);
    for (bool is_told = false; !couHasEnded(process, &code); pause_for(0.05)) {
        if (couInterrupted() && !is_told) is_told = kill(process, SIGTERM) == 0;
    }
    // One that was killed leaves no such note: whoever collects knows that it can go on.
    char path[COU_PATH_SIZE];
    couFile file;
    if (code >= 0 && !couInterrupted() && couFile_Create(&file, couSweep_EndPath(sweep, run, path), &sweep->faults)) {
        fprintf(file.stream, "%d\n", code);
        couFile_Commit(&file, &sweep->faults);
    }
    return code >= 0 ? code : cou_exitFailed;
}
