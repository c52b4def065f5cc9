/// Work on a cluster: numbered tasks as job arrays of Slurm, through its programs sbatch and squeue.
#pragma once

#include "app/app.h"
#include "files/manifest.h"

typedef enum couTaskState { cou_taskOpen, cou_taskDone, cou_taskFailed } couTaskState;

/// Tasks 0 to task_count - 1, each an independent command that goes on where it was stopped when it is run again.
typedef struct couSlurmWork {
    const char *name;      ///< of the jobs
    const char *folder;    ///< gets slurm.sh, slurm.json and slurm_N.log; all machines of the cluster see it
    couManifest *manifest; ///< of the folder
    const char *options;   ///< for sbatch, or NULL
    const char *command;   ///< of the shell; "$1" in it is the number of the task
    int threads;           ///< of a task; 0: as the options say
    int task_count;
    void *context; ///< of the functions below
    /// How a task stands by what is in its files; `progress` grows while it gets on. `is_gone`: no job works at it.
    couTaskState (*look)(void *context, int task, bool is_gone, int *progress);
    /// Before a task is submitted, also again.
    void (*begin)(void *context, int task);
    /// Now and then; `going` jobs wait or run.
    void (*show)(void *context, int going);
} couSlurmWork;

/// Adds a fault when Slurm's programs are not there. `command` is "coulis sweep"...
void couCheckSlurm(const char *command, couFaults *faults);
/// Submits what is open and waits until nothing is. A task whose job is gone before it is done was killed and is submitted again,
/// unless it got no further three times. Jobs of an earlier call that still go on are waited for, not submitted twice. On an
/// interrupt returns at once: the jobs go on. False with faults when Slurm does not answer or takes no jobs.
bool couSlurm_Do(const couSlurmWork *work, couFaults *faults);
/// The text as one word of the shell; returns `text`.
char *couQuote(const char *word, char *text, size_t size);
/// The text's words for the shell, a space before each: split at white space outside of quotes, and then quoted, so that whatever
/// else the shell would do with them is not done. Free with free(); NULL without memory.
char *couQuoteWords(const char *text);
