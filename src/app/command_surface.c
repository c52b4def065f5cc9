// coulis surface: meshes of frames that were written before, by a run or by another program. Frame after frame, so that memory is that of
// the largest; a frame that cannot be read, or whose surface would need too much memory, is left out with a warning.
#include "app/run.h"
#include "coulis/surface_file.h"
#include "files/file.h"
#include "io/pvd.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char where[] = "coulis surface";

typedef struct Job {
    couSurfaceChoice choice;
    couSurfaceDef def;
    const char *out, *formats; // NULL: beside the frames; obj, or svg in 2D
    char folder[COU_FOLDER_SIZE];
    double spacing; // [m]; 0: not given
    int dimension, threads;
    bool is_quiet;
    couStageFile stage; // of a run's folder; dimension 0: none
    couVec3 colors[256];
    int written, skipped;
    couFaults faults;
} Job;

static const char notes[] =
    "FRAMES is a run's folder, a folder or a quoted pattern of frame files, or the files themselves: .vtp, .vtu, .vtk, .ply with\n"
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
    for (int k = 0; k < job->stage.material_count && k < 256; k++) job->colors[k] = job->stage.materials[k].look.color;
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
    if (job->spacing > 0) couCheckSurfaceChoice(&job->def, job->dimension, where, &job->faults);
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

static bool prepare(Job *job, const couTexts *operands, couFrameFiles *files)
{
    const char *source = operands->count > 0 ? operands->items[0] : NULL;
    job->def = couReadSurfaceChoice(&job->choice, where, &job->faults);
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

// False when the surface could not be written, which ends the command; `is_broken` when there is none.
static bool mesh_frame(Job *job, const couFrameFile *file, couFaults *faults, bool *is_broken)
{
    couFrame frame = {0};
    couSurface surface = {0};
    *is_broken = !couReadFrame(file->path, &frame, faults);
    if (*is_broken) return true;
    couSurfacePoints points = couFramePoints(&frame, job->dimension);
    if (job->stage.dimension) points.colors = job->colors, points.color_count = 256;
    *is_broken = !couBuildSurface(&job->def, &points, &surface, faults);
    bool is_written = *is_broken || couWriteSurfaceFrame(job->folder, file->number, job->formats, &surface, frame.time, faults);
    if (!*is_broken && surface.left_out > 0)
        couWarn("%s: %zu particles are left out: not finite, or too far away", file->path, surface.left_out);
    couSurface_Clear(&surface);
    couFreeFrame(&frame);
    return is_written;
}

static bool mesh_all(Job *job, const couFrameFiles *files)
{
    couProgress progress = couStartProgress("surface", 0, files->count, job->is_quiet);
    bool is_good = true;
    for (int i = 0; is_good && i < files->count && !couInterrupted(); i++) {
        couFaults faults = {0};
        bool is_broken = false;
        is_good = mesh_frame(job, &files->items[i], &faults, &is_broken);
        if (is_good && !is_broken) job->written++;
        if (is_broken) {
            couWarn("%s: %s: the frame is left out", files->items[i].path,
                    faults.count > 0 ? faults.items[0].message : "cannot be read");
            job->skipped++;
        }
        for (int k = 0; !is_good && k < faults.count; k++)
            couFaults_Add(&job->faults, faults.items[k].where, faults.items[k].key, "%s", faults.items[k].message);
        couFaults_Clear(&faults);
        couProgress_Show(&progress, i + 1, NULL);
    }
    couProgress_End(&progress);
    return is_good;
}

static int produce(Job *job, const couFrameFiles *files)
{
    couCatchInterrupts();
    bool is_good = couMakeFolder(job->folder, &job->faults) && mesh_all(job, files);
    if (is_good && job->stage.dimension) is_good = couWritePvd(job->folder, "surface", job->stage.fps, &job->faults);
    if (!is_good) return couFail(&job->faults, cou_exitFailed);
    if (!job->is_quiet) printf("%d surfaces in %s\n", job->written, job->folder);
    fflush(stdout);
    if (job->skipped > 0) fprintf(stderr, "%d of %d frames were left out\n", job->skipped, files->count);
    if (couInterrupted()) fprintf(stderr, "interrupted after %d of %d surfaces\n", job->written, files->count);
    return job->skipped > 0 || couInterrupted() ? cou_exitFailed : cou_exitWell;
}

int couCommandSurface(int argc, char **argv)
{
    Job job = {.choice = couDefaultSurfaceChoice()};
    const couOption table[] = {
        {"--out", "DIR", "folder of the surfaces (default: that of the frames)", cou_optionText, &job.out, 0, 0},
        {"--format", "LIST", "obj, ply, vtp, svg in 2D, several as obj,vtp (default obj, svg in 2D)", cou_optionText,
         &job.formats, 0, 0},
        {"--spacing", "M", "of the particles at rest [m] (default: the run's, or guessed)", cou_optionNumber, &job.spacing, 1e-9,
         1e6},
        COU_SURFACE_OPTIONS(&job.choice),
        {"--threads", "N", "threads (default all cores); the surfaces do not depend on it", cou_optionInt, &job.threads, 1,
         COU_MAX_THREADS},
        {"--quiet", NULL, "print warnings and errors only", cou_optionFlag, &job.is_quiet, 0, 0},
    };
    couCommand command = {.name = "surface",
                          .help = "meshes of frames that were written before",
                          .options = table,
                          .option_count = sizeof table / sizeof table[0],
                          .notes = notes};
    couTexts operands = {0};
    couFrameFiles files = {0};
    int code = cou_exitWell;
    if (!couParseFrameCommand(&command, argc, argv, &operands, &job.faults)) {
        if (job.is_quiet) couSilenceNotes();
        code = prepare(&job, &operands, &files) ? produce(&job, &files) : couFail(&job.faults, cou_exitBadInput);
    }
    couFrameFiles_Clear(&files);
    couStageFile_Clear(&job.stage);
    couTexts_Clear(&operands);
    couFaults_Clear(&job.faults);
    return code;
}
