// Job arrays of Slurm. What is done is known by the tasks' own files, never by Slurm's memory of jobs, which fades after minutes
// and needs a database to last: squeue is only asked which jobs still wait or run. The job of each task is kept in slurm.json, so
// that the same command, after an interrupt, waits for the jobs that are there.
//
// An array has at most 1000 tasks (Slurm's own default limit is 1001). Its numbers are its own; the script maps them to tasks,
// since Slurm keeps the script as it was when the array was submitted.
#include "app/slurm.h"
#include "app/run.h"
#include "base/base.h"
#include "files/file.h"
#include "files/json.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_ARRAY = 1000, MAX_TRIES = 3, MAX_SILENCE = 60 }; // tasks of an array; without progress; questions without an answer

// The job that works at a task.
typedef struct Task {
    long job; // 0: none
    int index;
    int tries, progress; // submitted so often since there was progress
    couTaskState state;
    bool is_queued, is_ours; // its job waits or runs; was submitted by this call
} Task;

typedef struct Queue {
    const couSlurmWork *work;
    couFaults *faults;
    Task *tasks;
    int silence; // questions in a row that squeue did not answer
} Queue;

char *couQuote(const char *word, char *text, size_t size)
{
    size_t used = 0;
    text[used++] = '\'';
    for (const char *c = word; *c && used + 6 < size; ++c) {
        if (*c == '\'')
            used += (size_t)snprintf(text + used, size - used, "'\\''");
        else
            text[used++] = *c;
    }
    snprintf(text + used, size - used, "'");
    return text;
}

// A character within quotes.
static void put_quoted(FILE *out, char c)
{
    if (c == '\'')
        fputs("'\\''", out);
    else
        fputc(c, out);
}

char *couQuoteWords(const char *text)
{
    char *words = NULL, quote = '\0'; // quote: that we are in
    size_t size = 0;
    FILE *out = open_memstream(&words, &size);
    if (!out) return NULL;
    bool is_in_word = false;
    for (const char *c = text; *c; ++c) {
        bool is_space = !quote && strchr(" \t\r\n", *c);
        if (is_space == is_in_word) fputs(is_space ? "'" : " '", out), is_in_word = !is_space;
        if (is_space) continue;
        bool is_quote = quote ? *c == quote : *c == '\'' || *c == '"';
        if (is_quote)
            quote = quote ? '\0' : *c;
        else if (*c == '\\' && quote != '\'' && c[1])
            put_quoted(out, *++c);
        else
            put_quoted(out, *c);
    }
    if (is_in_word) fputc('\'', out);
    if (fclose(out) == 0) return words;
    free(words);
    return NULL;
}

// --- Slurm's programs --------------------------------------------------------------------------------------------------------

void couCheckSlurm(const char *command, couFaults *faults)
{
    static const char *const programs[] = {"sbatch", "squeue"};
    const char *path = getenv("PATH");
    for (size_t i = 0; i < sizeof programs / sizeof programs[0]; ++i) {
        bool is_found = false;
        for (const char *at = path; at && !is_found; at = strchr(at, ':') ? strchr(at, ':') + 1 : NULL) {
            char file[COU_PATH_SIZE];
            snprintf(file, sizeof file, "%.*s/%s", (int)strcspn(at, ":"), at, programs[i]);
            is_found = access(file, X_OK) == 0;
        }
        if (is_found) continue;
        couFaults_Add(faults, command, "--on", "slurm needs the program %s, which is not on the path", programs[i]);
        return;
    }
}

// What a line of the shell prints, to be freed with free(); NULL when it cannot be run. `code` is its exit code.
static char *ask_shell(const char *line, int *code)
{
    char *text = NULL;
    size_t size = 0;
    FILE *answer = popen(line, "r"), *memory = answer ? open_memstream(&text, &size) : NULL;
    char piece[4096];
    for (size_t got; memory && (got = fread(piece, 1, sizeof piece, answer)) > 0;) fwrite(piece, 1, got, memory);
    if (memory) fclose(memory);
    int status = answer ? pclose(answer) : -1;
    *code = status >= 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return text;
}

// --- Submitting --------------------------------------------------------------------------------------------------------------

static bool write_script(Queue *queue, const int *numbers, int count, char *path)
{
    const couSlurmWork *work = queue->work;
    couFile file;
    if (!couClaimPath(work->manifest, "slurm.sh", path, queue->faults) || !couFile_Create(&file, path, queue->faults))
        return false;
    fputs("#!/bin/sh\n# Tasks of this array, by its own numbers.\nset --", file.stream);
    for (int i = 0; i < count; ++i) fprintf(file.stream, " %d", numbers[i]);
    fprintf(file.stream, "\nshift \"$SLURM_ARRAY_TASK_ID\"\nexec %s\n", work->command);
    return couFile_Commit(&file, queue->faults);
}

// To be freed with free(); NULL without memory.
static char *sbatch_line(const couSlurmWork *work, int count, const char *script)
{
    char quoted[4 * COU_PATH_SIZE], path[COU_PATH_SIZE], *line = NULL;
    size_t size = 0;
    char *options = couQuoteWords(work->options ? work->options : "");
    FILE *out = options ? open_memstream(&line, &size) : NULL;
    if (out) {
        fprintf(out, "sbatch --parsable --job-name=%s --array=0-%d --requeue --open-mode=append --signal=B:TERM@60", work->name,
                count - 1);
        if (work->threads > 0) fprintf(out, " --cpus-per-task=%d", work->threads);
        fprintf(out, " --output=%s", couQuote(couJoin(path, work->folder, "slurm_%A_%a.log"), quoted, sizeof quoted));
        fprintf(out, "%s %s 2>&1", options, couQuote(script, quoted, sizeof quoted));
    }
    free(options);
    if (out && fclose(out) == 0) return line;
    free(line);
    return NULL;
}

static bool submit_array(Queue *queue, const int *numbers, int count)
{
    const couSlurmWork *work = queue->work;
    char script[COU_PATH_SIZE];
    if (!write_script(queue, numbers, count, script)) return false;
    char *line = sbatch_line(work, count, script);
    if (!line) {
        couFaults_Add(queue->faults, "sbatch", NULL, "no memory for its line");
        return false;
    }
    int code = 0;
    char *answer = ask_shell(line, &code), *last = answer;
    free(line);
    // Warnings may stand before the number.
    for (char *at = answer; at && (at = strchr(at, '\n')) && at[1]; ++at) last = at + 1;
    long job = code == 0 && last ? strtol(last, NULL, 10) : 0;
    for (int i = 0; job > 0 && i < count; ++i) {
        Task *task = &queue->tasks[numbers[i]];
        task->job = job;
        task->index = i;
        task->is_queued = task->is_ours = true;
        ++task->tries;
    }
    if (answer) answer[strcspn(answer, "\n")] = '\0';
    if (job <= 0)
        couFaults_Add(queue->faults, "sbatch", NULL, "takes no jobs: %.300s", answer && answer[0] ? answer : strerror(errno));
    free(answer);
    return job > 0;
}

// All that is open and that no job works at.
static bool submit_open(Queue *queue)
{
    const couSlurmWork *work = queue->work;
    int numbers[MAX_ARRAY], count = 0;
    bool is_good = true;
    for (int t = 0; is_good && t < work->task_count; ++t) {
        if (queue->tasks[t].state == cou_taskOpen && !queue->tasks[t].is_queued) {
            work->begin(work->context, t);
            numbers[count++] = t;
        }
        if (count < MAX_ARRAY && (t + 1 < work->task_count || count == 0)) continue;
        is_good = submit_array(queue, numbers, count);
        count = 0;
    }
    return is_good;
}

// --- slurm.json --------------------------------------------------------------------------------------------------------------

static bool write_jobs(const Queue *queue)
{
    const couSlurmWork *work = queue->work;
    char path[COU_PATH_SIZE];
    couFile file;
    if (!couClaimPath(work->manifest, "slurm.json", path, queue->faults) || !couFile_Create(&file, path, queue->faults))
        return false;
    fputs("{\n  \"tasks\": [", file.stream);
    for (int t = 0; t < work->task_count; ++t)
        fprintf(file.stream, "%s\n    {\"job\": %ld, \"index\": %d}", t > 0 ? "," : "", queue->tasks[t].job,
                queue->tasks[t].index);
    fputs("\n  ]\n}\n", file.stream);
    return couFile_Commit(&file, queue->faults);
}

// The jobs of an earlier call; none, where the file is not there or is of other tasks.
static void read_jobs(Queue *queue)
{
    const couSlurmWork *work = queue->work;
    char path[COU_PATH_SIZE];
    couFaults ignored = {0};
    couJoin(path, work->folder, "slurm.json");
    json_t *json = access(path, F_OK) == 0 ? couReadJson(path, 1 << 26, &ignored) : NULL;
    json_t *tasks = json_object_get(json, "tasks");
    for (int t = 0; json_array_size(tasks) == (size_t)work->task_count && t < work->task_count; ++t) {
        const json_t *task = json_array_get(tasks, (size_t)t);
        double job = couJson_Number(task, "job"), index = couJson_Number(task, "index");
        if (job > 0 && job < 1e15 && index >= 0 && index < MAX_ARRAY)
            queue->tasks[t].job = (long)job, queue->tasks[t].index = (int)index;
    }
    json_decref(json);
    couFaults_Clear(&ignored);
}

// --- Waiting -----------------------------------------------------------------------------------------------------------------

static void mark_queued(Queue *queue, long job, long index)
{
    for (int t = 0; t < queue->work->task_count; ++t)
        if (queue->tasks[t].job == job && queue->tasks[t].index == index) queue->tasks[t].is_queued = true;
}

// Which tasks have a job that waits or runs. False with a fault when Slurm has not answered for minutes; a controller that is
// started anew is waited for.
static bool ask_queue(Queue *queue)
{
    int code = 0;
    char *answer = ask_shell("squeue --me --noheader --array --format='%F %K' 2>/dev/null", &code);
    queue->silence = code == 0 ? 0 : queue->silence + 1;
    if (queue->silence > MAX_SILENCE)
        couFaults_Add(queue->faults, "squeue", NULL, "has not answered for minutes; the jobs may go on");
    if (code == 0) {
        for (int t = 0; t < queue->work->task_count; ++t) queue->tasks[t].is_queued = false;
        for (const char *row = answer; row && *row; row = strchr(row, '\n') ? strchr(row, '\n') + 1 : NULL) {
            long job = 0, index = 0;
            if (sscanf(row, "%ld %ld", &job, &index) == 2) mark_queued(queue, job, index);
        }
    }
    free(answer);
    return queue->silence <= MAX_SILENCE;
}

// Looks at all tasks that are not done; returns how many are open.
static int look_at_all(Queue *queue)
{
    const couSlurmWork *work = queue->work;
    int open = 0;
    for (int t = 0; t < work->task_count; ++t) {
        Task *task = &queue->tasks[t];
        int progress = 0;
        if (task->state != cou_taskOpen) continue;
        bool is_gone = !task->is_queued;
        task->state = work->look(work->context, t, is_gone, &progress);
        if (progress > task->progress) task->tries = 0;
        task->progress = progress;
        bool was_killed = task->state == cou_taskOpen && is_gone && task->is_ours;
        if (was_killed && task->tries < MAX_TRIES) {
            couWarn("task %d: its job %ld_%d ended too early and is submitted again", t, task->job, task->index);
        } else if (was_killed) {
            couWarn("task %d got no further in %d jobs; their logs are %s/slurm_*.log", t, task->tries, work->folder);
            task->state = cou_taskFailed;
        }
        open += task->state == cou_taskOpen;
    }
    return open;
}

static int count_queued(const Queue *queue)
{
    int count = 0;
    for (int t = 0; t < queue->work->task_count; ++t) count += queue->tasks[t].is_queued;
    return count;
}

static void pause_for(double seconds)
{
    for (double end = couSeconds() + seconds; couSeconds() < end && !couInterrupted();) {
        struct timespec moment = {.tv_nsec = 50000000};
        nanosleep(&moment, NULL);
    }
}

bool couSlurm_Do(const couSlurmWork *work, couFaults *faults)
{
    Queue queue = {.work = work, .faults = faults, .tasks = calloc((size_t)work->task_count, sizeof *queue.tasks)};
    bool is_good = queue.tasks != NULL;
    if (!is_good) couFaults_Add(faults, work->name, NULL, "no memory for %d tasks", work->task_count);
    couCatchInterrupts();
    if (is_good) read_jobs(&queue);
    for (double wait = 0.5; is_good && !couInterrupted(); wait = fmin(5, 1.2 * wait)) {
        is_good = ask_queue(&queue);
        bool is_known = queue.silence == 0; // nothing is submitted on the word of a Slurm that does not answer
        int open = is_good && is_known ? look_at_all(&queue) : 1;
        if (open == 0) break;
        if (is_good && is_known && count_queued(&queue) < open) is_good = submit_open(&queue) && write_jobs(&queue);
        if (is_good) work->show(work->context, count_queued(&queue));
        pause_for(wait);
    }
    free(queue.tasks);
    return is_good && faults->count == 0;
}
