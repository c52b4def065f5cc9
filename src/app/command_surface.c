// coulis surface: meshes of frames that were written before, by a run or by another program. A frame that cannot be read, or
// whose surface would need too much memory, is left out with a warning.
#include "app/frame_command.h"
#include "app/run_outputs.h"
#include "coulis/surface_file.h"
#include "files/file.h"
#include "io/frame_probe.h"
#include "io/pvd.h"
#include "io/stage_file.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char where[] = "coulis surface";

typedef struct Job {
    couSurfaceDef def;
    const char *out, *formats; // NULL: beside the frames; obj, or svg in 2D
    char folder[COU_FOLDER_SIZE];
    couManifest manifest; // of the folder
    double spacing;       // [m]; 0: not given
    int dimension, threads;
    bool is_quiet;
    couStageFile stage; // of a run's folder; dimension 0: none
    couVec3 colors[256];
    int written, skipped;
    couFaults faults;
} Job;

static const char notes[] =
    "FRAMES is a run's folder, a folder or a quoted pattern of frame files, or the files themselves: .vtp, .vtu, .vtk, .ply "
    "with\n"
    "positions. The spacing of particles comes from the run's stage.json; for other frames it is guessed from the distances of\n"
    "neighbours, or given. Surfaces go beside the frames as surface_000001.obj and so on.\n"
    "\n"
    "examples:\n"
    "  coulis surface out/fountain --format ply\n"
    "  coulis surface 'sim/frame_*.vtk' --spacing 0.01 --field clavet --out meshes\n";

// --- Before anything is written ---

static void check_formats(Job *job)
{
    static const char *const known[] = {"obj", "ply", "vtp", "svg"};
    char format[16];
    for (const char *list = job->formats; couNextFormat(&list, format);)
        if (!couIsSurfaceFormat(format, 2)) // all of 3D are for 2D too
            couAddUnknown(where, "--format", "format", format, known, 4, &job->faults);
}

static void check_dimension(Job *job)
{
    char format[16];
    for (const char *list = job->formats; couNextFormat(&list, format);)
        if (!couIsSurfaceFormat(format, job->dimension))
            couFaults_Add(&job->faults, where, "--format", "%s is for surfaces in 2D; these are in 3D", format);
}

static void read_stage(Job *job, const char *source)
{
    char path[COU_PATH_SIZE];
    if (!couIsFolder(source) || access(couJoin(path, source, "stage.json"), F_OK) != 0) return;
    if (!couReadStage(path, &job->stage, &job->faults)) return;
    for (int k = 0; k < job->stage.material_count && k < 256; ++k) job->colors[k] = job->stage.materials[k].look.color;
    job->dimension = job->stage.dimension;
    if (job->spacing == 0) job->spacing = job->stage.spacing;
}

// Dimension and spacing, from the run or by looking at the frames.
static void find_scale(Job *job, const couFrameFiles *files)
{
    couFrameProbe probe = {0};
    bool is_guessed = job->spacing == 0;
    if (!job->stage.dimension) probe = couProbeFrames(files, 1), job->dimension = probe.dimension;
    if (is_guessed) job->spacing = probe.spacing;
    if (is_guessed && probe.spacing > 0.0f && !job->is_quiet)
        printf("spacing guessed from the distances of neighbours: %.4g m\n", (double)probe.spacing);
    job->def.spacing = job->spacing > 0 ? (float)job->spacing : 1.0f; // of nothing, or of one particle
    if (job->spacing > 0) couCheckSurfaceOptions(&job->def, job->dimension, where, &job->faults);
}

// Beside the first frame, unless --out says where.
static void choose_folder(Job *job, const char *first)
{
    const char *slash = strrchr(first, '/');
    int length = slash == first ? 1 : slash ? (int)(slash - first) : 0;
    if (job->out)
        snprintf(job->folder, sizeof job->folder, "%s", job->out);
    else if (length < COU_FOLDER_SIZE)
        snprintf(job->folder, sizeof job->folder, "%.*s", slash ? length : 1, slash ? first : ".");
    else
        couFaults_Add(&job->faults, where, "--out", "is needed: the folder of the frames has a path of %d bytes", length);
}

static bool prepare(void *context, const couTexts *operands, couFrameFiles *files)
{
    Job *job = context;
    const char *source = operands->count > 0 ? operands->items[0] : NULL;
    job->def.threads = job->threads;
    check_formats(job);
    couCheckPath(where, "FRAMES", source, &job->faults);
    couCheckPath(where, "--out", job->out, &job->faults);
    if (job->faults.count == 0 && couListFrames(operands->items, operands->count, files, &job->faults)) read_stage(job, source);
    if (job->faults.count > 0) return false;
    find_scale(job, files);
    check_dimension(job);
    choose_folder(job, files->items[0].path);
    if (!job->formats) job->formats = job->dimension == 2 ? "svg" : "obj";
    return job->faults.count == 0;
}

// --- Frame by frame ---

static bool build(const Job *job, const couFrame *frame, couSurface *surface, couFaults *faults)
{
    couSurfacePoints points = couFramePoints(frame, job->dimension);
    if (job->stage.dimension) points.colors = job->colors, points.color_count = 256;
    return couBuildSurface(&job->def, &points, surface, faults);
}

// A frame without a surface is a warning; a surface that cannot be written ends the command.
static bool mesh_frame(void *context, const couFrameFile *file)
{
    Job *job = context;
    couFrame frame = {0};
    couSurface surface = {0};
    couFaults faults = {0};
    bool is_good = true;
    if (couReadFrame(file->path, &frame, &faults) && build(job, &frame, &surface, &faults)) {
        is_good = couWriteSurfaceFrame(&job->manifest, file->number, job->formats, &surface, frame.time, &job->faults);
        job->written += is_good;
        if (surface.left_out > 0)
            couWarn("%s: %zu particles are left out: not finite, or too far away", file->path, surface.left_out);
    } else {
        couWarn("%s: %s: the frame is left out", file->path, faults.count > 0 ? faults.items[0].message : "cannot be read");
        ++job->skipped;
    }
    couSurface_Clear(&surface);
    couFreeFrame(&frame);
    couFaults_Clear(&faults);
    return is_good;
}

static int produce(void *context, const couTexts *operands, const couFrameFiles *files)
{
    (void)operands;
    Job *job = context;
    couCatchInterrupts();
    if (!couMakeFolder(job->folder, &job->faults) || !couManifest_Read(&job->manifest, job->folder, &job->faults))
        return couFail(&job->faults, cou_exitBadInput);
    bool is_good = couForEachFrame(files, "surface", NULL, job->is_quiet, mesh_frame, job);
    if (is_good && job->stage.dimension) is_good = couWritePvd(&job->manifest, "surface", job->stage.fps, &job->faults);
    if (!is_good) return couFail(&job->faults, cou_exitFailed);
    if (!job->is_quiet) printf("%d surfaces in %s\n", job->written, job->folder);
    char done[64];
    snprintf(done, sizeof done, " after %d of %d surfaces", job->written, files->count);
    return couEndFrames(job->skipped, files->count, couInterrupted() ? done : NULL);
}

int couCommandSurface(int argc, char **argv)
{
    Job job = {.def = couProgramSurfaceDef()};
    const couOption table[] = {
        COU_OPTION("--out", "DIR", cou_optionText, &job.out, .help = "folder of the surfaces (default: that of the frames)"),
        COU_OPTION("--format", "LIST", cou_optionText, &job.formats,
                   .help = "obj, ply, vtp, svg in 2D, several as obj,vtp (default obj, svg in 2D)"),
        COU_OPTION("--spacing", "M", cou_optionNumber, &job.spacing, .min = 1e-9, .max = 1e6,
                   .help = "of the particles at rest [m] (default: the run's, or guessed)"),
        COU_SURFACE_OPTIONS(&job.def),
        COU_OPTION("--threads", "N", cou_optionInt, &job.threads, .min = 1, .max = COU_MAX_THREADS,
                   .help = "threads (default all cores); the surfaces do not depend on it"),
        COU_OPTION("--quiet", NULL, cou_optionFlag, &job.is_quiet, .help = "print warnings and errors only"),
    };
    couFrameCommand command = {.command = {.name = "surface",
                                           .help = "meshes of frames that were written before",
                                           .options = table,
                                           .option_count = sizeof table / sizeof table[0],
                                           .notes = notes},
                               .job = &job,
                               .faults = &job.faults,
                               .is_quiet = &job.is_quiet,
                               .prepare = prepare,
                               .produce = produce};
    int code = couRunFrameCommand(&command, argc, argv);
    couManifest_Clear(&job.manifest);
    couStageFile_Clear(&job.stage);
    couFaults_Clear(&job.faults);
    return code;
}
