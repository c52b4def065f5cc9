// coulis export: what a run left, or frames of other programs, in the forms that other programs like. A frame that cannot be read
// is left out with a warning.
#include "app/frame_command.h"
#include "app/run.h"
#include "coulis/surface_file.h"
#include "files/file.h"
#include "io/pvd.h"
#include "io/stage_file.h"
#include "io/usda.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct Export {
    const char *source; // a run's folder, or a folder or pattern of frames
    const char *kind;
    const char *out;      // folder
    couManifest manifest; // of that folder
    double max_gib;
    bool is_quiet;
    couFaults faults;
    int written, skipped;
} Export;

static const char where[] = "coulis export";
static const char *const kinds[] = {"usda", "pvd", "vtp", "ply", "obj"};
enum { kind_count = sizeof kinds / sizeof kinds[0] };

// --- A whole run ---

static void show_usda(void *context, int done, int total)
{
    couProgress *progress = context;
    progress->total = total;
    couProgress_Show(progress, done, NULL);
}

static bool export_usda(Export *e)
{
    char path[COU_PATH_SIZE];
    if (!couClaimPath(&e->manifest, "run.usda", path, &e->faults)) return false;
    couProgress progress = couStartProgress("read", 0, 1, e->is_quiet);
    couUsdaDef def = {.folder = e->source, .path = path, .max_gib = e->max_gib, .progress = show_usda, .context = &progress};
    bool is_written = couWriteUsda(&def, &e->written, &e->faults);
    couProgress_End(&progress);
    if (is_written && !e->is_quiet) printf("%s: %d frames\n", path, e->written);
    return is_written;
}

static bool export_pvd(Export *e)
{
    char path[COU_PATH_SIZE];
    couStageFile stage;
    if (!couReadStage(couJoin(path, e->source, "stage.json"), &stage, &e->faults)) return false;
    bool is_written = couWritePvd(&e->manifest, "particles", stage.fps, &e->faults) &&
                      couWritePvd(&e->manifest, "surface", stage.fps, &e->faults);
    couStageFile_Clear(&stage);
    for (int i = 0; is_written && i < 2; ++i) {
        couJoin(path, e->source, i == 0 ? "particles.pvd" : "surface.pvd");
        if (access(path, F_OK) != 0) continue;
        ++e->written;
        if (!e->is_quiet) printf("%s\n", path);
    }
    if (is_written && e->written == 0)
        couFaults_Add(&e->faults, e->source, NULL, "holds no .vtp frames to list; coulis export --to vtp makes them");
    return e->faults.count == 0;
}

// --- Frame by frame ---

static bool convert_particles(const char *from, const char *to, const char *kind, couFaults *faults)
{
    couFrame frame;
    if (!couReadFrame(from, &frame, faults)) return false;
    bool is_written = strcmp(kind, "vtp") == 0 ? couWriteVtp(to, &frame, faults) : couWritePly(to, &frame, faults);
    couFreeFrame(&frame);
    return is_written;
}

static bool convert_surface(const char *from, const char *to, const char *kind, couFaults *faults)
{
    (void)kind;
    couSurface surface;
    double time = 0.0;
    if (!couReadSurface(from, &surface, &time, faults)) return false;
    bool is_written = couWriteSurface(to, &surface, time, faults);
    couSurface_Clear(&surface);
    return is_written;
}

typedef bool ConvertFcn(const char *from, const char *to, const char *kind, couFaults *faults);

typedef struct Conversion {
    Export *e;
    const char *stem;
    ConvertFcn *convert;
} Conversion;

// A frame that cannot be read is a warning; one that cannot be written ends the export.
static bool convert_frame(void *context, const couFrameFile *file)
{
    const Conversion *conversion = context;
    Export *e = conversion->e;
    char to[COU_PATH_SIZE], name[64];
    couFaults faults = {0};
    bool is_good = true;
    snprintf(name, sizeof name, "%s_%06d.%s", conversion->stem, file->number, e->kind);
    couJoin(to, e->out, name);
    if (!couManifest_Claim(&e->manifest, name, &e->faults)) return false;
    if (conversion->convert(file->path, to, e->kind, &faults)) {
        ++e->written;
    } else if (faults.count > 0 && strcmp(faults.items[0].where, to) == 0) {
        couFaults_Add(&e->faults, to, faults.items[0].key, "%s", faults.items[0].message);
        is_good = false;
    } else {
        couWarn("%s %s: the frame is left out", file->path, faults.count > 0 ? faults.items[0].message : "");
        ++e->skipped;
    }
    couFaults_Clear(&faults);
    return is_good;
}

static bool convert_all(Export *e, const couFrameFiles *files, const char *stem, ConvertFcn *convert)
{
    Conversion conversion = {e, stem, convert};
    return couForEachFrame(files, "frame", stem, e->is_quiet, convert_frame, &conversion);
}

// Frames that are of that kind already, in the folder where they would go, stay as they are.
static bool are_there(const Export *e, const couFrameFiles *files, const char *stem)
{
    char to[COU_PATH_SIZE], name[64];
    snprintf(name, sizeof name, "%s_%06d.%s", stem, files->items[0].number, e->kind);
    return couIsSameFolder(files->items[0].path, couJoin(to, e->out, name));
}

static bool export_particles(Export *e)
{
    couFrameFiles files;
    couFaults none = {0};
    if (strcmp(e->kind, "obj") == 0) return true;
    bool is_found = couListFrames(&e->source, 1, &files, &none);
    bool is_good = !is_found || are_there(e, &files, "particles") || convert_all(e, &files, "particles", convert_particles);
    // A folder without frames may still have surfaces.
    for (int i = 0; !couIsFolder(e->source) && i < none.count; ++i)
        couFaults_Add(&e->faults, none.items[i].where, none.items[i].key, "%s", none.items[i].message);
    couFaults_Clear(&none);
    couFrameFiles_Clear(&files);
    return is_good && e->faults.count == 0;
}

static bool export_surfaces(Export *e)
{
    static const char *const sources[] = {"vtp", "ply", "obj"};
    couFrameFiles files = {0};
    for (int i = 0; i < 3 && files.count == 0 && couIsFolder(e->source); ++i) {
        if (strcmp(sources[i], e->kind) == 0 && couIsSameFolder(e->source, e->out)) continue;
        couFrameFiles_Clear(&files);
        if (!couListSeries(e->source, "surface", sources[i], &files, &e->faults)) return false;
    }
    bool is_good = files.count == 0 || convert_all(e, &files, "surface", convert_surface);
    couFrameFiles_Clear(&files);
    return is_good;
}

static bool export_frames(Export *e)
{
    if (!export_particles(e) || !export_surfaces(e)) return false;
    if (e->written == 0 && e->skipped == 0)
        couFaults_Add(&e->faults, e->source, NULL, "holds nothing to write as %s%s", e->kind,
                      strcmp(e->kind, "obj") == 0 ? ": .obj is for surfaces, which coulis surface makes" : "");
    if (e->faults.count == 0 && !e->is_quiet) printf("%s: %d files\n", e->out, e->written);
    return e->faults.count == 0;
}

// --- The command ---

static void check(Export *e)
{
    bool is_known = false;
    for (int i = 0; e->kind && i < kind_count; ++i) is_known |= strcmp(e->kind, kinds[i]) == 0;
    if (!e->kind) {
        couFaults_Add(&e->faults, where, "--to", "which kind? allowed: usda, pvd, vtp, ply, obj");
    } else if (!is_known) {
        couAddUnknown(where, "--to", "kind", e->kind, kinds, kind_count, &e->faults);
    }
    if (!e->source) return;
    bool is_of_run = e->kind && (strcmp(e->kind, "usda") == 0 || strcmp(e->kind, "pvd") == 0);
    if (strlen(e->source) >= COU_FOLDER_SIZE || (e->out && strlen(e->out) >= COU_FOLDER_SIZE))
        couFaults_Add(&e->faults, where, NULL, "a path has more than %d bytes", COU_FOLDER_SIZE - 1);
    else if (is_of_run && !couIsFolder(e->source))
        couFaults_Add(&e->faults, e->source, NULL, "is no folder of a run");
    if (!e->out && !couIsFolder(e->source) && !is_of_run)
        couFaults_Add(&e->faults, where, "--out", "which folder? frames of other programs are not written beside them");
    if (!e->out) e->out = e->source;
}

int couCommandExport(int argc, char **argv)
{
    Export e = {.max_gib = 16.0};
    const couOption table[] = {
        COU_OPTION("--to", "KIND", cou_optionText, &e.kind,
                   .help = "usda (the whole run), pvd (ParaView's lists), vtp, ply or obj (frame by frame)"),
        COU_OPTION("--out", "DIR", cou_optionText, &e.out, .help = "folder of the results (default: the run's own)"),
        COU_OPTION("--max-gib", "N", cou_optionNumber, &e.max_gib, .min = 1e-6, .max = 1e6,
                   .help = "largest run.usda [GiB] (default 16); more is refused with the estimate"),
        COU_OPTION("--quiet", NULL, cou_optionFlag, &e.is_quiet, .help = "print warnings and errors only"),
    };
    couCommand command = {
        .name = "export",
        .usage = "DIR --to usda|pvd|vtp|ply|obj [options]",
        .help = "a run for other programs",
        .options = table,
        .option_count = sizeof table / sizeof table[0],
        .min_operands = 1,
        .max_operands = 1,
        .notes = "DIR is the folder of a run; for vtp and ply also a folder, or a pattern in quotes, of frames of other\n"
                 "programs (.vtp, .vtu, .vtk, .ply). docs/exchange.md says what to do with the results.\n"
                 "\n"
                 "examples:\n"
                 "  coulis export out/fountain --to usda\n"
                 "  coulis export 'case/PartFluid_*.vtk' --to vtp --out out/case\n"};
    couTexts operands = {0};
    bool has_helped = couParseOptions(&command, argc, argv, &operands, &e.faults);
    e.source = operands.count > 0 ? operands.items[0] : NULL;
    couTexts_Clear(&operands);
    if (has_helped) return cou_exitWell;
    check(&e);
    if (e.faults.count > 0) return couFail(&e.faults, cou_exitBadInput);
    if (e.is_quiet) couSilenceNotes();
    couCatchInterrupts();
    bool is_pvd = strcmp(e.kind, "pvd") == 0;
    const char *folder = is_pvd ? e.source : e.out; // lists stand beside what they list
    bool is_new = !couIsFolder(folder);
    bool is_open = couMakeFolder(folder, &e.faults) && couManifest_Read(&e.manifest, folder, &e.faults);
    bool is_good = is_open && (strcmp(e.kind, "usda") == 0 ? export_usda(&e) : is_pvd ? export_pvd(&e) : export_frames(&e));
    if (!is_good && is_new && e.written == 0) couManifest_RemoveAll(&e.manifest), rmdir(folder);
    couManifest_Clear(&e.manifest);
    if (!is_good) return couFail(&e.faults, is_open ? cou_exitFailed : cou_exitBadInput);
    return couInterrupted() || e.skipped > 0 ? cou_exitFailed : cou_exitWell;
}
