// coulis foam: spray, foam and bubbles of frames that were written before. Foam goes from frame to frame, so a frame that cannot
// be read ends the command; the same command again goes on from the last file that is there, with the same bits as if it had
// never stopped, as long as foam.txt says that the files were made the same way.
#include "app/foam_walls.h"
#include "app/frame_command.h"
#include "app/run_outputs.h"
#include "files/file.h"
#include "io/foam_file.h"
#include "io/frame_probe.h"
#include "io/pvd.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char where[] = "coulis foam";

typedef struct Job {
    couFoamDef def;
    const char *source, *out, *formats, *scene_path;
    char folder[COU_FOLDER_SIZE];
    couManifest manifest; // of the folder
    double spacing, fps;  // 0: not given; fps: known in the end
    int threads;
    bool is_quiet, is_forced;
    // of a run's folder
    couRunOptions run;
    couScene *scene; // NULL: frames of another program
    couCast cast;
    couBodyTable bodies;
    // while it goes on
    couFoam foam;
    couFrame before; // the frame that the foam has reached
    int before_number;
    int kept_number; // the last frame whose foam is there, -1: none
    int written, kept;
    size_t largest;
    couFaults faults;
} Job;

static const char notes[] =
    "FRAMES is a run's folder, a folder or a quoted pattern of frame files, or the files themselves: .vtp, .vtu, .vtk, .ply "
    "with\n"
    "positions, velocities and ids, in 3D. The foam goes into the run's folder, or into foam/ for other frames, as\n"
    "foam_000001.vtp and so on, with id, velocity, kind (0 spray, 1 foam, 2 bubble), age and what is left of its life.\n"
    "coulis render draws what is there. The same command again goes on where it was stopped.\n"
    "Limits are those of water in scenes from a hand to a house; more foam: larger rates, or lower limits.\n"
    "\n"
    "examples:\n"
    "  coulis foam out/dam-break\n"
    "  coulis foam out/dam-break --air-rate 600 --life-max 4 --force\n"
    "  coulis foam 'sim/frame_*.vtk' --spacing 0.01 --fps 25 --out sim/foam\n";

// --- Before anything is written ---

static void check_formats(Job *job)
{
    static const char *const known[] = {"vtp", "ply"};
    char format[16];
    bool has_vtp = false;
    for (const char *list = job->formats; couNextFormat(&list, format);) {
        bool is_vtp = strcmp(format, "vtp") == 0;
        has_vtp |= is_vtp;
        if (!is_vtp && strcmp(format, "ply") != 0) couAddUnknown(where, "--format", "format", format, known, 2, &job->faults);
    }
    if (!has_vtp && job->faults.count == 0)
        couFaults_Add(&job->faults, where, "--format", "'%.40s' lacks vtp: foam goes on from it, and pictures are made of it",
                      job->formats);
}

// Faults of the def as those of the options that set it.
static void check_def(Job *job)
{
    couFaults found = {0};
    couFoamDef_Check(&job->def, &found);
    for (int i = 0; i < found.count; ++i) {
        char option[40];
        const char *dot = strchr(found.items[i].key, '.');
        snprintf(option, sizeof option, "--%.30s", dot ? dot + 1 : found.items[i].key);
        for (char *c = option; *c; ++c) *c = *c == '_' ? '-' : *c;
        couFaults_Add(&job->faults, where, option, "%s", found.items[i].message);
    }
    couFaults_Clear(&found);
}

static bool open_run(Job *job)
{
    job->scene = couLoadRunScene(where, job->source, job->scene_path, "shapes are taken", job->threads, &job->run, &job->faults);
    if (!job->scene || !couReadBodies(job->source, &job->bodies, &job->faults)) return false;
    const couWorldDef *world = couWorld_Def(couScene_World(job->scene));
    if (world->dimension == 2) {
        couFaults_Add(&job->faults, job->source, NULL, "is a run in 2D: foam is of runs in 3D");
        return false;
    }
    if (job->spacing > 0)
        couFaults_Add(&job->faults, where, "--spacing", "is for frames of other programs; this run has its own");
    if (job->fps > 0) couFaults_Add(&job->faults, where, "--fps", "is for frames of other programs; this run has its own");
    job->cast = couGatherCast(couScene_World(job->scene));
    job->fps = job->bodies.stage.fps;
    job->def.spacing = world->spacing;
    job->def.gravity = world->gravity_on == cou_gravityOnBodies ? (couVec3){0, 0, 0} : world->gravity;
    return true;
}

static bool open_frames(Job *job, const couFrameFiles *files)
{
    couFrameProbe probe = couProbeFrames(files, 1);
    if (probe.dimension == 2) couFaults_Add(&job->faults, files->items[0].path, NULL, "lies in a plane: foam is of frames in 3D");
    if (job->scene_path) couFaults_Add(&job->faults, where, "--scene", "is for the folder of a run");
    if (job->spacing == 0 && probe.spacing > 0.0f && !job->is_quiet)
        printf("spacing guessed from the distances of neighbours: %.4g m\n", (double)probe.spacing);
    job->def.spacing = job->spacing > 0 ? (float)job->spacing : probe.spacing > 0.0f ? probe.spacing : 1.0f;
    if (job->fps == 0) job->fps = 30;
    return true;
}

static bool prepare(void *context, const couTexts *operands, couFrameFiles *files)
{
    Job *job = context;
    job->source = operands->count > 0 ? operands->items[0] : NULL;
    job->def.threads = job->threads;
    check_formats(job);
    couCheckPath(where, "FRAMES", job->source, &job->faults);
    couCheckPath(where, "--out", job->out, &job->faults);
    couFoamDef found = job->def; // the spacing is not known yet
    job->def.spacing = 1.0f;
    check_def(job);
    job->def = found;
    if (job->faults.count > 0 || !couListFrames(operands->items, operands->count, files, &job->faults)) return false;
    bool is_run = couIsRunFolder(job->source);
    snprintf(job->folder, sizeof job->folder, "%s", job->out ? job->out : is_run ? job->source : "foam");
    return (is_run ? open_run(job) : open_frames(job, files)) && job->faults.count == 0;
}

// --- What is there ---

static char *foam_name(int number, const char *format, char name[48])
{
    snprintf(name, 48, "foam_%06d.%s", number, format);
    return name;
}

static bool is_there(const Job *job, int number)
{
    char format[16], name[48], path[COU_PATH_SIZE];
    bool is_whole = true;
    for (const char *list = job->formats; couNextFormat(&list, format);)
        is_whole &= access(couJoin(path, job->folder, foam_name(number, format, name)), F_OK) == 0;
    return is_whole;
}

// What decides how the foam comes out; NULL without memory. Free with free().
static char *describe(const Job *job)
{
    char *text = NULL, value[80];
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (!stream) return NULL;
    char *full = couIsSameFolder(job->source, job->folder) ? NULL : realpath(job->source, NULL); // a run may move with its foam
    fprintf(stream, "foam of %s, scene %016llx, %.15g frames per second\n",
            full                       ? full
            : couIsFolder(job->source) ? "this run"
                                       : job->source,
            job->scene ? (unsigned long long)couScene_ContentHash(job->scene) : 0ULL, job->fps);
    const couParamTable *table = couFoamParams();
    for (int i = 0; i < table->count; ++i) {
        if (strcmp(table->params[i].name, "threads") == 0) continue;
        couParam_FormatValue(&table->params[i], &job->def, value, sizeof value);
        fprintf(stream, "%s %s\n", table->params[i].name, value);
    }
    free(full);
    if (fclose(stream) == 0) return text;
    free(text);
    return NULL;
}

// Removes all foam of the folder that is listed as ours; what is not gives a fault.
static void remove_foam(Job *job)
{
    static const char *const formats[] = {"vtp", "ply"};
    for (int k = 0; k < 2; ++k) {
        couFrameFiles old;
        if (!couListSeries(job->folder, "foam", formats[k], &old, &job->faults)) return;
        for (int i = 0; i < old.count; ++i) {
            char name[48];
            foam_name(old.items[i].number, formats[k], name);
            if (couManifest_Claim(&job->manifest, name, &job->faults)) couManifest_Remove(&job->manifest, name);
        }
        couFrameFiles_Clear(&old);
    }
}

static bool write_settings(Job *job, const char *text)
{
    char path[COU_PATH_SIZE];
    couFile file;
    if (!couClaimPath(&job->manifest, "foam.txt", path, &job->faults) || !couFile_Create(&file, path, &job->faults)) return false;
    fputs(text, file.stream);
    return couFile_Commit(&file, &job->faults);
}

// Foam that was made the same way stays, unless --force; foam that was made otherwise makes way with --force only.
static bool follow_settings(Job *job)
{
    char path[COU_PATH_SIZE], *text = describe(job), *old = NULL;
    couFaults ignored = {0};
    couFrameFiles files = {0};
    if (!text) couFaults_Add(&job->faults, NULL, NULL, "no memory for the settings");
    couJoin(path, job->folder, "foam.txt");
    if (access(path, F_OK) == 0) old = couReadFile(path, 1 << 16, NULL, &ignored);
    bool is_same = text && old && strcmp(text, old) == 0;
    if (text && job->is_forced) {
        remove_foam(job);
    } else if (text && !is_same && couListSeries(job->folder, "foam", "vtp", &files, &job->faults) && files.count > 0) {
        couFaults_Add(&job->faults, job->folder, NULL,
                      "holds foam of %d frames that was made otherwise (foam.txt); --force removes it and makes it anew, --out "
                      "takes another folder",
                      files.count);
    }
    couFrameFiles_Clear(&files);
    bool is_good = job->faults.count == 0 && (is_same || write_settings(job, text));
    couFaults_Clear(&ignored);
    free(old);
    free(text);
    return is_good;
}

// Takes up the last foam in an unbroken row from the first frame on.
static void take_up(Job *job, const couFrameFiles *files)
{
    char path[COU_PATH_SIZE], name[48];
    int count = 0;
    while (count < files->count && is_there(job, files->items[count].number)) ++count;
    for (; count > 0 && job->kept_number < 0; --count) {
        couFaults faults = {0};
        int number = files->items[count - 1].number;
        if (couReadFoam(couJoin(path, job->folder, foam_name(number, "vtp", name)), &job->foam, &faults))
            job->kept_number = number;
        else
            couWarn("%s %s: it is made anew", path, faults.count > 0 ? faults.items[0].message : "");
        couFaults_Clear(&faults);
    }
}

// --- Frame by frame ---

static bool read_frame(Job *job, const couFrameFile *file, couFrame *frame)
{
    if (!couReadFrame(file->path, frame, &job->faults)) return false;
    if (!(frame->missing & cou_frameVelocity)) return true;
    couFaults_Add(&job->faults, file->path, NULL, "has no velocity: foam is made of it");
    couFreeFrame(frame);
    return false;
}

// Seconds since the frame before: by the numbers, or by the times of another program where both frames have one.
static double seconds_to(const Job *job, const couFrame *frame, int number)
{
    int frames = job->before.position ? number - job->before_number : 1;
    double by_time = frame->time - job->before.time;
    bool has_times = !job->scene && job->before.position && by_time > 0 && isfinite(by_time);
    return has_times ? by_time : frames / job->fps;
}

static bool advance(Job *job, const couFrame *frame, int number)
{
    couSurfacePoints before = couFramePoints(&job->before, 3), after = couFramePoints(frame, 3);
    if (frame->missing & cou_frameId) after.ids = NULL;
    couFoamSpan span = {.before = job->before.position ? &before : NULL,
                        .after = &after,
                        .seconds = seconds_to(job, frame, number),
                        .number = number};
    couFoamWalls walls = {0};
    if (job->scene && !couFindFoamWalls(&job->cast, &job->bodies, number, span.seconds, &walls)) {
        couFaults_Add(&job->faults, NULL, NULL, "no memory for the bodies of frame %d", number);
        return false;
    }
    if (walls.count > 0) span.wall = couFoamWalls_Distance, span.wall_context = &walls;
    bool is_good = couFoam_Advance(&job->foam, &job->def, &span, &job->faults);
    free(walls.items);
    return is_good;
}

static bool write_foam(Job *job, int number, double time)
{
    char format[16], name[48], path[COU_PATH_SIZE];
    for (const char *list = job->formats; couNextFormat(&list, format);) {
        if (!couClaimPath(&job->manifest, foam_name(number, format, name), path, &job->faults)) return false;
        if (!couWriteFoam(path, &job->foam, time, &job->faults)) return false;
    }
    ++job->written;
    return true;
}

static bool foam_frame(void *context, const couFrameFile *file)
{
    Job *job = context;
    if (file->number < job->kept_number) {
        ++job->kept;
        return true;
    }
    couFrame frame;
    if (!read_frame(job, file, &frame)) return false;
    bool is_kept = file->number == job->kept_number, is_good = true;
    job->kept += is_kept;
    if (!is_kept)
        is_good = advance(job, &frame, file->number) &&
                  write_foam(job, file->number, job->scene ? file->number / job->fps : frame.time);
    job->largest = job->foam.count > job->largest ? job->foam.count : job->largest;
    couFreeFrame(&job->before);
    job->before = frame;
    job->before_number = file->number;
    return is_good;
}

static int produce(void *context, const couTexts *operands, const couFrameFiles *files)
{
    (void)operands;
    Job *job = context;
    couCatchInterrupts();
    if (!couMakeFolder(job->folder, &job->faults) || !couManifest_Read(&job->manifest, job->folder, &job->faults))
        return couFail(&job->faults, cou_exitBadInput);
    if (!follow_settings(job)) return couFail(&job->faults, cou_exitBadInput);
    take_up(job, files);
    bool is_good = couForEachFrame(files, "frame", "of foam", job->is_quiet, foam_frame, job);
    is_good = couWritePvd(&job->manifest, "foam", job->fps, &job->faults) && is_good;
    if (job->foam.refused > 0)
        couWarn("%zu births were refused: there are never more than %d particles of foam (--most)", job->foam.refused,
                job->def.most);
    char text[32];
    if (!job->is_quiet)
        printf("foam of %d frames made, of %d was there, up to %s particles, in %s\n", job->written, job->kept,
               couFormatCount(text, sizeof text, job->largest), job->folder);
    if (!is_good) return couFail(&job->faults, cou_exitFailed);
    bool is_whole = job->written + job->kept == files->count;
    return couEndFrames(0, files->count, is_whole ? NULL : "; the same command goes on");
}

// --- The command ---

static void clean_up(Job *job)
{
    couManifest_Clear(&job->manifest);
    couFoam_Clear(&job->foam);
    couFreeFrame(&job->before);
    couCast_Clear(&job->cast);
    if (job->scene) couCloseScene(job->scene);
    couBodyTable_Clear(&job->bodies);
    couFreeRunOptions(&job->run);
    couFaults_Clear(&job->faults);
}

int couCommandFoam(int argc, char **argv)
{
    Job job = {.def = couDefaultFoamDef(), .formats = "vtp", .kept_number = -1};
    const couParamTable *params = couFoamParams();
    const couOption table[] = {
        COU_OPTION("--out", "DIR", cou_optionText, &job.out, .help = "folder of the foam (default: the run's, or foam)"),
        COU_OPTION("--format", "LIST", cou_optionText, &job.formats, .help = "vtp (default), or vtp,ply"),
        COU_PARAM_OPTION("--air-min", "V", params, "air_min", &job.def),
        COU_PARAM_OPTION("--air-max", "V", params, "air_max", &job.def),
        COU_PARAM_OPTION("--crest-min", "X", params, "crest_min", &job.def),
        COU_PARAM_OPTION("--crest-max", "X", params, "crest_max", &job.def),
        COU_PARAM_OPTION("--speed-min", "V", params, "speed_min", &job.def),
        COU_PARAM_OPTION("--speed-max", "V", params, "speed_max", &job.def),
        COU_PARAM_OPTION("--air-rate", "N", params, "air_rate", &job.def),
        COU_PARAM_OPTION("--crest-rate", "N", params, "crest_rate", &job.def),
        COU_PARAM_OPTION("--life-min", "T", params, "life_min", &job.def),
        COU_PARAM_OPTION("--life-max", "T", params, "life_max", &job.def),
        COU_PARAM_OPTION("--buoyancy", "X", params, "buoyancy", &job.def),
        COU_PARAM_OPTION("--drag", "X", params, "drag", &job.def),
        COU_PARAM_OPTION("--seed", "N", params, "seed", &job.def),
        COU_PARAM_OPTION("--most", "N", params, "most", &job.def),
        COU_OPTION("--spacing", "M", cou_optionNumber, &job.spacing, .min = 1e-9, .max = 1e6,
                   .help = "of the particles of other programs [m] (default: guessed)"),
        COU_OPTION("--fps", "N", cou_optionNumber, &job.fps, .min = 0.01, .max = 100000,
                   .help = "of frames of other programs that have no times (default 30)"),
        COU_OPTION("--scene", "FILE", cou_optionText, &job.scene_path, .help = "the run's scene, when it is not where it was"),
        COU_OPTION("--threads", "N", cou_optionInt, &job.threads, .min = 1, .max = COU_MAX_THREADS,
                   .help = "threads (default all cores); the foam does not depend on it"),
        COU_OPTION("--force", NULL, cou_optionFlag, &job.is_forced, .help = "make the foam anew; what is there makes way"),
        COU_OPTION("--quiet", NULL, cou_optionFlag, &job.is_quiet, .help = "print warnings and errors only"),
    };
    couFrameCommand command = {.command = {.name = "foam",
                                           .help = "spray, foam and bubbles of frames that were written before",
                                           .options = table,
                                           .option_count = sizeof table / sizeof table[0],
                                           .notes = notes},
                               .job = &job,
                               .faults = &job.faults,
                               .is_quiet = &job.is_quiet,
                               .prepare = prepare,
                               .produce = produce};
    int code = couRunFrameCommand(&command, argc, argv);
    clean_up(&job);
    return code;
}
