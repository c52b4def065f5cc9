// coulis surface: meshes of frames that were written before, by a run or by another program. Frame after frame, so that memory is that of
// the largest; a frame that cannot be read, or whose surface would need too much memory, is left out with a warning.
#include "app/run.h"
#include "io/file.h"
#include "io/pvd.h"
#include "io/surface_file.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char where[] = "coulis surface";

typedef struct Job {
    couSurfaceChoice choice;
    couSurfaceDef def;
    const char *out, *format;
    char folder[COU_FOLDER_SIZE];
    double spacing; // [m]; 0: not given
    int threads;
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

static bool is_folder(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

// The formats of --format, one after the other; false at their end.
static bool next_format(const char **list, char *format, size_t size)
{
    if (!*list) return false;
    size_t length = strcspn(*list, ",");
    snprintf(format, size, "%.*s", (int)length, *list);
    *list = (*list)[length] == ',' ? *list + length + 1 : NULL;
    return true;
}

static void check_formats(Job *job)
{
    char format[16];
    for (const char *list = job->format; next_format(&list, format, sizeof format);)
        if (!couIsSurfaceFormat(format, 3) && !couIsSurfaceFormat(format, 2))
            couFaults_Add(&job->faults, where, "--format", "unknown format '%s'; allowed: obj, ply, vtp, and svg in 2D", format);
}

static void choose_folder(Job *job, const char *source)
{
    if (job->out) {
        snprintf(job->folder, sizeof job->folder, "%s", job->out);
    } else if (is_folder(source)) {
        snprintf(job->folder, sizeof job->folder, "%s", source);
    } else {
        const char *slash = strrchr(source, '/');
        snprintf(job->folder, sizeof job->folder, "%.*s", slash ? (int)(slash - source) : 1, slash ? source : ".");
    }
}

static void read_stage(Job *job, const char *source)
{
    char path[COU_PATH_SIZE];
    if (!is_folder(source) || access(couJoin(path, source, "stage.json"), F_OK) != 0) return;
    if (!couReadStage(path, &job->stage, &job->faults)) return;
    for (int k = 0; k < job->stage.material_count && k < 256; k++) job->colors[k] = job->stage.materials[k].look.color;
    if (job->spacing == 0) job->spacing = job->stage.spacing;
}

static bool write_all(Job *job, const couSurface *surface, int number, double time, couFaults *faults)
{
    char format[16], name[48], path[COU_PATH_SIZE];
    const char *list = job->format ? job->format : surface->dimension == 2 ? "svg" : "obj";
    while (next_format(&list, format, sizeof format)) {
        snprintf(name, sizeof name, "surface_%06d.%s", number, format);
        if (!couWriteSurface(couJoin(path, job->folder, name), surface, time, faults)) return false;
    }
    return true;
}

// False when the frame could not be written, which ends the command.
static bool mesh_frame(Job *job, const couFrameFile *file, couFaults *faults, bool *is_broken)
{
    couFrame frame = {0};
    couSurface surface = {0};
    *is_broken = !couReadFrame(file->path, &frame, faults);
    if (*is_broken) return true;
    if (job->def.spacing == 0.0f) {
        job->def.spacing = job->spacing > 0 ? (float)job->spacing : couGuessSpacing(&frame);
        if (job->spacing == 0 && !job->is_quiet)
            printf("spacing guessed from the first frame: %.4g m\n", (double)job->def.spacing);
    }
    int dimension = job->stage.dimension ? job->stage.dimension : couIsFlatFrame(&frame) ? 2 : 3;
    couSurfacePoints points = couFramePoints(&frame, dimension);
    if (job->stage.dimension) points.colors = job->colors, points.color_count = 256;
    couSurfaceDef def = job->def;
    if (!(def.spacing > 0.0f)) def.spacing = 1.0f; // of nothing, or of one particle
    *is_broken = !couBuildSurface(&def, &points, &surface, faults);
    bool is_written = *is_broken || write_all(job, &surface, file->number, frame.time, faults);
    if (!*is_broken && surface.left_out > 0)
        couWarn("%s: %zu particles that are not finite are left out", file->path, surface.left_out);
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
            couWarn("%s: %s %s: the frame is left out", files->items[i].path, faults.count > 0 ? faults.items[0].key : "",
                    faults.count > 0 ? faults.items[0].message : "");
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
    if (job->skipped > 0) fprintf(stderr, "%d of %d frames were left out\n", job->skipped, files->count);
    return job->skipped > 0 || couInterrupted() ? cou_exitFailed : cou_exitWell;
}

int couCommandSurface(int argc, char **argv)
{
    Job job = {.choice = couDefaultSurfaceChoice()};
    const couOption table[] = {
        {"--out", "DIR", "folder of the surfaces (default: that of the frames)", cou_optionText, &job.out, 0, 0},
        {"--format", "LIST", "obj, ply, vtp, several as obj,vtp; svg in 2D (default obj, svg in 2D)", cou_optionText, &job.format,
         0, 0},
        {"--spacing", "M", "of the particles at rest [m]", cou_optionNumber, &job.spacing, 1e-9, 1e6},
        COU_SURFACE_OPTIONS(&job.choice),
        {"--threads", "N", "threads (default all cores); the surfaces do not depend on it", cou_optionInt, &job.threads, 1,
         COU_MAX_THREADS},
        {"--quiet", NULL, "print warnings and errors only", cou_optionFlag, &job.is_quiet, 0, 0},
    };
    couCommand command = {.name = "surface",
                          .usage = "FRAMES... [options]",
                          .help = "meshes of frames that were written before",
                          .options = table,
                          .option_count = sizeof table / sizeof table[0],
                          .min_operands = 1,
                          .max_operands = 100000,
                          .notes = notes};
    couTexts operands = {0};
    couFrameFiles files = {0};
    int code = cou_exitWell;
    if (!couParseOptions(&command, argc, argv, &operands, &job.faults)) {
        job.def = couReadSurfaceChoice(&job.choice, where, &job.faults);
        job.def.threads = job.threads;
        check_formats(&job);
        if (job.is_quiet) couSilenceNotes();
        if (job.out && strlen(job.out) >= COU_FOLDER_SIZE)
            couFaults_Add(&job.faults, where, "--out", "the path has %zu bytes, at most %d are allowed", strlen(job.out),
                          COU_FOLDER_SIZE - 1);
        if (job.faults.count == 0) read_stage(&job, operands.items[0]);
        if (job.faults.count == 0) couListFrames(operands.items, operands.count, &files, &job.faults);
        if (job.faults.count == 0) choose_folder(&job, operands.items[0]);
        code = job.faults.count > 0 ? couFail(&job.faults, cou_exitBadInput) : produce(&job, &files);
    }
    couFrameFiles_Clear(&files);
    couStageFile_Clear(&job.stage);
    couTexts_Clear(&operands);
    couFaults_Clear(&job.faults);
    return code;
}
