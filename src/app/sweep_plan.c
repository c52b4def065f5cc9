// The plan of a sweep: axes from --set and --method, all combinations of their values, a folder for each. sweep.json keeps it, so
// that the same command goes on with what is there and another one does not mix with it.
//
// The state of a run is read from its folder alone: run.json with all frames says finished, a checkpoint says that it can go on.
// Nothing else needs to be kept up to date, so a kill at any moment leaves nothing that is wrong.
#include "app/sweep.h"
#include "base/base.h"
#include "files/csv.h"
#include "files/file.h"
#include "files/json.h"
#include "files/text.h"

#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char where[] = "coulis sweep";
enum { MAX_VALUES = 1000 }; // of one axis

// A plan is small: no memory for it means no memory at all, and nothing has been done yet.
static void *need(void *memory)
{
    if (memory) return memory;
    fputs("coulis: out of memory\n", stderr);
    exit(cou_exitFailed);
}

static char *format(const char *pattern, ...) __attribute__((format(printf, 1, 2)));
static char *format(const char *pattern, ...)
{
    char *text = NULL;
    va_list values;
    va_start(values, pattern);
    bool is_good = vasprintf(&text, pattern, values) >= 0;
    va_end(values);
    return need(is_good ? text : NULL);
}

// --- Axes --------------------------------------------------------------------------------------------------------------------

static bool has_value(const couAxis *axis, const char *value)
{
    for (int i = 0; i < axis->count; ++i)
        if (strcmp(axis->values[i], value) == 0) return true;
    return false;
}

// Values stand between commas; between semicolons where there is one, so that vectors can be values: 0,-9.81,0;0,-1.62,0.
static void add_axis(couSweep *sweep, const char *option, const char *key, size_t key_length, const char *text)
{
    for (int a = 0; a < sweep->axis_count; ++a)
        if (strlen(sweep->axes[a].key) == key_length && memcmp(sweep->axes[a].key, key, key_length) == 0) {
            couFaults_Add(&sweep->faults, where, option, "'%s' is given twice: write its values in one list, A,B,C",
                          sweep->axes[a].key);
            return;
        }
    if (sweep->axis_count == COU_MAX_AXES) {
        couFaults_Add(&sweep->faults, where, option, "'%.*s' is one key too many: at most %d", (int)key_length, key,
                      COU_MAX_AXES);
        return;
    }
    couAxis *axis = &sweep->axes[sweep->axis_count++];
    *axis = (couAxis){.key = format("%.*s", (int)key_length, key)};
    bool has_semicolons = strchr(text, ';') != NULL;
    for (const char *at = text; at;) {
        size_t length = strcspn(at, has_semicolons ? ";" : ",");
        char *value = format("%.*s", (int)length, at);
        at = at[length] ? at + length + 1 : NULL;
        if (has_semicolons && !*value && !at && axis->count > 0) { // one vector: 0,-9.81,0;
            free(value);
            break;
        }
        if (!*value || has_value(axis, value) || axis->count == MAX_VALUES) {
            couFaults_Add(&sweep->faults, where, option, "%s: %s%.80s%s", axis->key, !*value ? "a value is empty in '" : "'",
                          !*value ? text : value,
                          !*value                     ? "'"
                          : axis->count == MAX_VALUES ? "' is one value too many: at most 1000"
                                                      : "' is there twice");
            free(value);
            return;
        }
        axis->values = need(realloc(axis->values, ((size_t)axis->count + 1) * sizeof *axis->values));
        axis->values[axis->count++] = value;
    }
}

static void read_axes(couSweep *sweep)
{
    const couSweepOptions *options = &sweep->options;
    if (options->methods) add_axis(sweep, "--method", "method", 6, options->methods);
    for (int a = 0; options->methods && a < sweep->axis_count; ++a)
        for (int i = 0; i < sweep->axes[a].count; ++i) couCheckMethod(where, sweep->axes[a].values[i], &sweep->faults);
    for (int i = 0; i < options->sets.count; ++i) {
        const char *text = options->sets.items[i], *equals = strchr(text, '=');
        if (!equals || equals == text || !equals[1] || strchr(text, '\n'))
            couFaults_Add(&sweep->faults, where, "--set", "'%.80s' is not KEY=A,B,C, e.g. spacing=0.04,0.02,0.01", text);
        else
            add_axis(sweep, "--set", text, (size_t)(equals - text), equals + 1);
    }
}

// --- Runs --------------------------------------------------------------------------------------------------------------------

const char *couSweep_Value(const couSweep *sweep, const couSweepRun *run, int axis)
{
    return sweep->axes[axis].values[run->choice[axis]];
}

char *couSweep_RunFolder(const couSweep *sweep, const couSweepRun *run, char *path)
{
    return couJoin(path, sweep->options.out, run->name);
}

// "method=dfsph_spacing=0.01". Where a value has what is no plain character of a file's name, or is too long, the hash of all
// tells it apart.
static void name_run(const couSweep *sweep, couSweepRun *run)
{
    char text[4096] = "";
    uint32_t hash = 2166136261u; // FNV-1a
    size_t used = 0;
    for (int a = 0; a < sweep->axis_count && used < sizeof text - 1; ++a)
        if (sweep->axes[a].count > 1)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s=%s", used > 0 ? "_" : "", sweep->axes[a].key,
                                     couSweep_Value(sweep, run, a));
    bool is_odd = used >= 100;
    for (const char *c = text; *c; ++c) hash = (hash ^ (unsigned char)*c) * 16777619u;
    for (char *c = text; *c; ++c)
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789=+-._", *c)) *c = '_', is_odd = true;
    if (is_odd)
        snprintf(run->name, sizeof run->name, "%.90s_%08x", text, hash);
    else
        snprintf(run->name, sizeof run->name, "%s", used > 0 ? text : "run");
}

static void add_argument(couSweepRun *run, int *count, char *text)
{
    run->arguments = need(realloc(run->arguments, ((size_t)*count + 2) * sizeof *run->arguments));
    run->arguments[(*count)++] = text;
    run->arguments[*count] = NULL;
}

static void make_arguments(const couSweep *sweep, couSweepRun *run)
{
    const couSweepOptions *o = &sweep->options;
    int count = 0;
    if (o->frames > 0) add_argument(run, &count, format("--frames=%d", o->frames));
    if (!isnan(o->seconds)) add_argument(run, &count, format("--seconds=%.17g", o->seconds));
    if (!isnan(o->fps)) add_argument(run, &count, format("--fps=%.17g", o->fps));
    add_argument(run, &count, format("--export=%s", o->export ? o->export : "none"));
    if (o->checkpoint_every >= 0) add_argument(run, &count, format("--checkpoint-every=%d", o->checkpoint_every));
    for (int a = 0; a < sweep->axis_count; ++a) {
        const char *value = couSweep_Value(sweep, run, a);
        bool is_method = o->methods && a == 0;
        add_argument(run, &count, is_method ? format("--method=%s", value) : format("--set=%s=%s", sweep->axes[a].key, value));
    }
    add_argument(run, &count, format("--"));
    add_argument(run, &count, format("%s", o->scene));
}

// The last axis goes fastest.
static void make_runs(couSweep *sweep)
{
    sweep->runs = need(calloc((size_t)sweep->run_count, sizeof *sweep->runs));
    for (int r = 0; r < sweep->run_count; ++r) {
        couSweepRun *run = &sweep->runs[r];
        for (int a = sweep->axis_count - 1, rest = r; a >= 0; --a) {
            run->choice[a] = rest % sweep->axes[a].count;
            rest /= sweep->axes[a].count;
        }
        name_run(sweep, run);
        make_arguments(sweep, run);
    }
}

static void check_over(couSweep *sweep)
{
    const char *over = sweep->options.over;
    const char *names[COU_MAX_AXES];
    for (int a = 0; over && a < sweep->axis_count; ++a) {
        names[a] = sweep->axes[a].key;
        if (strcmp(names[a], over) == 0) return;
    }
    if (over) couAddUnknown(where, "--over", "key of this sweep", over, names, sweep->axis_count, &sweep->faults);
}

bool couSweep_Plan(couSweep *sweep)
{
    const couSweepOptions *o = &sweep->options;
    couCheckPath(where, "SCENE", o->scene, &sweep->faults);
    couCheckPath(where, "--out", o->out, &sweep->faults);
    if (o->out && strlen(o->out) + COU_RUN_NAME_SIZE >= COU_FOLDER_SIZE)
        couFaults_Add(&sweep->faults, where, "--out", "the path leaves no room for the names of the runs");
    read_axes(sweep);
    if (sweep->faults.count > 0) return false;
    check_over(sweep);
    double count = 1;
    char text[200] = "";
    for (int a = 0, used = 0; a < sweep->axis_count && used < 180; ++a) {
        count *= sweep->axes[a].count;
        used += snprintf(text + used, sizeof text - (size_t)used, "%s%d", a > 0 ? " x " : "", sweep->axes[a].count);
    }
    if (count > o->max_runs)
        couFaults_Add(&sweep->faults, where, "--set", "%s are %.0f combinations, allowed are %d; --max-runs allows more", text,
                      count, o->max_runs);
    if (sweep->faults.count > 0) return false;
    sweep->run_count = sweep->plan_count = (int)count;
    make_runs(sweep);
    return true;
}

// --- The scene ---------------------------------------------------------------------------------------------------------------

// One combination; the faults of the second and later ones are only those that are new.
static bool check_run(couSweep *sweep, const couSweepRun *run, bool is_first)
{
    couOverride overrides[COU_MAX_AXES];
    couSceneOptions how = {.threads = 1, .overrides = overrides};
    for (int a = 0; a < sweep->axis_count; ++a) {
        if (a == 0 && sweep->options.methods)
            how.method = couSweep_Value(sweep, run, a);
        else
            overrides[how.override_count++] = (couOverride){sweep->axes[a].key, couSweep_Value(sweep, run, a)};
    }
    couScene *scene = couLoadScene(sweep->options.scene, &how, &sweep->faults);
    if (!scene) return false;
    double fps = isnan(sweep->options.fps) ? couScene_Fps(scene) : sweep->options.fps;
    double seconds = isnan(sweep->options.seconds) ? couScene_Duration(scene) : sweep->options.seconds;
    double frames = sweep->options.frames > 0 ? sweep->options.frames : couCountFrames(seconds, fps);
    if (!(frames >= 1 && frames <= COU_MAX_FRAMES))
        couFaults_Add(&sweep->faults, where, "--frames", "%s: %g s at %g frames per second are %g frames; allowed are 1 to %d",
                      run->name, seconds, fps, frames, COU_MAX_FRAMES);
    else if (is_first)
        sweep->frames = (int)frames;
    couCloseScene(scene);
    return sweep->faults.count == 0;
}

bool couSweep_CheckScene(couSweep *sweep)
{
    couSceneOptions plain = {.threads = 1};
    couScene *scene = couLoadScene(sweep->options.scene, &plain, &sweep->faults);
    if (!scene) return false;
    sweep->scene_hash = couScene_ContentHash(scene);
    couCloseScene(scene);
    if (!check_run(sweep, &sweep->runs[0], true)) return false;
    // Each other value once, beside the first ones of the other axes: their sum, not their product.
    for (int a = 0; a < sweep->axis_count; ++a)
        for (int i = 1; i < sweep->axes[a].count; ++i) {
            couSweepRun run = {.choice = {0}};
            run.choice[a] = i;
            name_run(sweep, &run);
            check_run(sweep, &run, false);
        }
    return sweep->faults.count == 0;
}

// --- The folder --------------------------------------------------------------------------------------------------------------

static void print_plan(const couSweep *sweep, FILE *stream)
{
    fputs("{\n  \"scene\": ", stream);
    couPrintJsonText(stream, sweep->options.scene);
    fprintf(stream, ",\n  \"scene_hash\": \"%016llx\",\n  \"runs\": [", (unsigned long long)sweep->scene_hash);
    for (int r = 0; r < sweep->plan_count; ++r) {
        fprintf(stream, "%s\n    {\"name\": ", r > 0 ? "," : "");
        couPrintJsonText(stream, sweep->runs[r].name);
        fputs(", \"arguments\": [", stream);
        for (char **argument = sweep->runs[r].arguments; *argument; ++argument) {
            if (argument != sweep->runs[r].arguments) fputs(", ", stream);
            couPrintJsonText(stream, *argument);
        }
        fputs("]}", stream);
    }
    fputs("\n  ]\n}\n", stream);
}

static bool write_plan(couSweep *sweep, const char *path)
{
    couFile file;
    if (!couManifest_Claim(&sweep->manifest, "sweep.json", &sweep->faults) || !couFile_Create(&file, path, &sweep->faults))
        return false;
    print_plan(sweep, file.stream);
    return couFile_Commit(&file, &sweep->faults);
}

// Runs of the old plan that are not asked for now stay in the list, behind the others: they may be asked for again.
static void keep_old(couSweep *sweep, couSweepRun *old)
{
    size_t count = (size_t)sweep->plan_count + 1;
    sweep->runs = need(realloc(sweep->runs, count * sizeof *sweep->runs));
    sweep->runs[sweep->plan_count++] = *old;
    old->arguments = NULL;
}

static void check_arguments(couSweep *sweep, const char *path, const couSweepRun *old, const couSweepRun *run)
{
    char **a = old->arguments, **b = run->arguments;
    while (*a && *b && strcmp(*a, *b) == 0) ++a, ++b;
    if (*a || *b)
        couFaults_Add(&sweep->faults, path, NULL,
                      "the run %s was begun with '%.80s', now asked for with '%.80s'; choose another --out", run->name,
                      *a ? *a : "less", *b ? *b : "less");
}

// The plan that is there may have other runs, but not the same run with other arguments.
static bool fits_plan(couSweep *sweep, const char *path)
{
    couSweep old = {0};
    if (!couSweep_ReadPlan(&old, sweep->options.out)) {
        couFaults_Add(&sweep->faults, path, NULL, "is damaged (%s); choose another --out",
                      old.faults.count > 0 ? old.faults.items[0].message : "it has no runs");
        couSweep_Clear(&old);
        return false;
    }
    if (old.scene_hash != sweep->scene_hash)
        couFaults_Add(&sweep->faults, path, NULL,
                      "the scene '%.100s' is not the one of the sweep in this folder, or has changed since; choose another --out",
                      sweep->options.scene);
    for (int k = 0; sweep->faults.count == 0 && k < old.run_count; ++k) {
        int r = 0;
        while (r < sweep->run_count && strcmp(old.runs[k].name, sweep->runs[r].name) != 0) ++r;
        if (r < sweep->run_count)
            check_arguments(sweep, path, &old.runs[k], &sweep->runs[r]);
        else
            keep_old(sweep, &old.runs[k]);
    }
    couSweep_Clear(&old);
    return sweep->faults.count == 0;
}

static bool is_empty(const char *folder)
{
    DIR *directory = opendir(folder);
    bool is_empty = true;
    for (struct dirent *entry; directory && is_empty && (entry = readdir(directory));)
        is_empty = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
    if (directory) closedir(directory);
    return is_empty;
}

bool couSweep_OpenFolder(couSweep *sweep)
{
    char path[COU_PATH_SIZE];
    if (!couMakeFolder(sweep->options.out, &sweep->faults)) return false;
    if (!couManifest_Read(&sweep->manifest, sweep->options.out, &sweep->faults)) return false;
    if (!couManifest_Lock(&sweep->manifest, &sweep->faults)) return false;
    couManifest_RemoveLeftovers(&sweep->manifest); // of one that was killed
    bool has_plan = access(couJoin(path, sweep->options.out, "sweep.json"), F_OK) == 0;
    if (has_plan && !fits_plan(sweep, path)) return false;
    for (int r = 0; !has_plan && r < sweep->run_count; ++r)
        if (!is_empty(couSweep_RunFolder(sweep, &sweep->runs[r], path))) {
            couFaults_Add(&sweep->faults, path, NULL, "is in the way: it is of no sweep in this folder; choose another --out");
            return false;
        }
    return write_plan(sweep, couJoin(path, sweep->options.out, "sweep.json"));
}

// The arguments of a plan are those that make_arguments() gives: nothing that would let a run read or write elsewhere.
static bool is_argument(const char *text)
{
    static const char *const options[] = {
        "--frames=", "--seconds=", "--fps=", "--export=", "--checkpoint-every=", "--method=", "--set="};
    for (int i = 0; i < COU_COUNT(options); ++i)
        if (strncmp(text, options[i], strlen(options[i])) == 0) return true;
    return false;
}

static bool take_run(couSweepRun *run, const json_t *object)
{
    json_t *list = json_object_get(object, "arguments");
    couJson_Text(object, "name", run->name, sizeof run->name);
    int count = 0;
    for (size_t i = 0; i < json_array_size(list); ++i) {
        const char *text = json_string_value(json_array_get(list, i));
        bool is_operand = i + 2 >= json_array_size(list); // "--", "SCENE"
        if (!text || !(is_operand || is_argument(text))) return false;
        add_argument(run, &count, format("%s", text));
    }
    return count >= 2 && strcmp(run->arguments[count - 2], "--") == 0 && run->name[0] && run->name[0] != '.' &&
           !strchr(run->name, '/');
}

bool couSweep_ReadPlan(couSweep *sweep, const char *folder)
{
    char path[COU_PATH_SIZE], hash[32];
    sweep->options.out = folder;
    json_t *json = couReadJson(couJoin(path, folder, "sweep.json"), 1 << 28, &sweep->faults);
    json_t *runs = json_object_get(json, "runs");
    couJson_Text(json, "scene_hash", hash, sizeof hash);
    sweep->scene_hash = strtoull(hash, NULL, 16);
    size_t count = json_array_size(runs);
    sweep->runs = need(calloc(count + 1, sizeof *sweep->runs));
    bool is_good = count > 0;
    for (size_t r = 0; is_good && r < count; ++r) {
        is_good = take_run(&sweep->runs[r], json_array_get(runs, r));
        sweep->plan_count = ++sweep->run_count;
    }
    if (json && !is_good) couFaults_Add(&sweep->faults, path, NULL, "is not the plan of a sweep");
    json_decref(json);
    return is_good;
}

void couSweep_Clear(couSweep *sweep)
{
    for (int a = 0; a < sweep->axis_count; ++a) {
        for (int i = 0; i < sweep->axes[a].count; ++i) free(sweep->axes[a].values[i]);
        free(sweep->axes[a].values);
        free(sweep->axes[a].key);
    }
    for (int r = 0; r < sweep->plan_count; ++r) {
        for (char **argument = sweep->runs[r].arguments; argument && *argument; ++argument) free(*argument);
        free(sweep->runs[r].arguments);
    }
    free(sweep->runs);
    if (sweep->manifest.folder[0]) couManifest_Clear(&sweep->manifest);
    couTexts_Clear(&sweep->options.sets);
    couFaults_Clear(&sweep->faults);
}

// --- How far a run is --------------------------------------------------------------------------------------------------------

// The frame of the last whole row of diagnostics.csv.
static int last_frame(const char *path)
{
    char text[4096 + 1];
    FILE *stream = couOpenFile(path, NULL);
    if (!stream) return 0;
    bool is_short = fseek(stream, -4096, SEEK_END) != 0;
    if (is_short) rewind(stream);
    text[fread(text, 1, sizeof text - 1, stream)] = '\0';
    fclose(stream);
    int frame = 0;
    for (const char *row = strchr(text, '\n'), *end; row && (end = strchr(row + 1, '\n')); row = end) frame = atoi(row + 1);
    return frame;
}

// Frames that the run was started for, 0 where it has not been.
static int asked_frames(const char *folder)
{
    char path[COU_PATH_SIZE], line[64] = "";
    FILE *stream = couOpenFile(couJoin(path, folder, "command.txt"), NULL);
    if (!stream) return 0;
    int frames = 0;
    if (fgets(line, sizeof line, stream) && sscanf(line, "--frames=%9d", &frames) != 1) frames = 0;
    fclose(stream);
    return frames;
}

void couSweep_Look(const couSweep *sweep, couSweepRun *run)
{
    char folder[COU_PATH_SIZE], path[COU_PATH_SIZE];
    couSweep_RunFolder(sweep, run, folder);
    int asked = asked_frames(folder);
    if (asked > 0) run->total = asked;
    run->frame = last_frame(couJoin(path, folder, "diagnostics.csv"));
    couFaults ignored = {0};
    json_t *json = access(couJoin(path, folder, "run.json"), F_OK) == 0 ? couReadJson(path, 1 << 22, &ignored) : NULL;
    bool is_finished = asked > 0 && json && couJson_Number(json, "frames") == asked;
    json_decref(json);
    couFaults_Clear(&ignored);
    bool is_open = run->state != cou_sweepGoing && run->state != cou_sweepFailed;
    if (is_finished) {
        run->state = cou_sweepFinished;
        run->frame = asked;
    } else if (is_open) {
        bool can_go_on = access(couJoin(path, folder, "checkpoint.h5"), F_OK) == 0 ||
                         access(couJoin(path, folder, "checkpoint_previous.h5"), F_OK) == 0;
        run->state = can_go_on ? cou_sweepStopped : cou_sweepWaiting;
    }
}

int couSweep_Count(const couSweep *sweep, couSweepState state)
{
    int count = 0;
    for (int r = 0; r < sweep->run_count; ++r) count += sweep->runs[r].state == state;
    return count;
}
