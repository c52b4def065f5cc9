// coulis measure: gauges, sections and grids of frames that were written before, by a run or by another program. The gauges are
// those of a scene, or given as a scene writes them; either way a scene is loaded, so that all checks are the same, and its
// bodies that do not move say where the walls are. What flows through a window is counted from frame to frame, by straight ways.
#include "app/frame_command.h"
#include "app/gauge_table.h"
#include "app/measure_grid.h"
#include "app/run.h"
#include "files/file.h"
#include "io/frame_probe.h"
#include "io/stage_file.h"
#include "world/world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char where[] = "coulis measure";
#define SUPPORT 2.25f // radius of the kernel / spacing, as the SPH methods have it

typedef struct Job {
    couTexts gauges;
    const char *scene_name, *out, *section;
    double spacing, density, cell, fps; // [m], [kg/m^3], [m], [1/s]; 0: not given
    bool is_quiet, has_grid;
    char folder[COU_FOLDER_SIZE];
    couManifest manifest;
    couStageFile stage; // of a run's folder; dimension 0: none
    couScene *scene;
    couGaugeCloud cloud; // all but the columns
    couGaugeTable *table;
    const couGauge *list; // the scene's
    int gauge_count;
    double *values;
    couMeasureGrid grids[2];
    int grid_count;
    double last_time;
    COU_ARRAY(couCrosser) before; // of the frame before, by id
    double *totals;               // per gauge [m^3]
    float *volumes;               // of the frame's particles where it has masses [m^3]
    int written, skipped;
    couFaults faults;
} Job;

static const char notes[] =
    "FRAMES is a run's folder, a folder or a quoted pattern of frame files, or the files themselves: .vtp, .vtu, .vtk, .ply.\n"
    "A gauge is written as in a scene: --gauge 'name = \"p1\", what = \"pressure\", at = {0.3, 0.1, 0}'. With --scene its\n"
    "gauges are measured, and its fixed bodies are the walls. Forces are not in frames. The table goes to gauges.csv, or, where\n"
    "a run has its own, with --out to another folder; sections to section_000001.vti and .csv, grids to grid_000001.vti and\n"
    ".csv.\n"
    "\n"
    "examples:\n"
    "  coulis measure out/dam --scene dam-break-2d --out measured\n"
    "  coulis measure 'sim/frame_*.vtk' --spacing 0.01 --gauge 'what = \"level\", line = {{1, 0, 0}, {1, 2, 0}}' --out levels\n"
    "  coulis measure out/dam --section z=0 --cell 0.01 --out measured\n";

// --- Before anything is written ---

// The scene of the command line's gauges: nothing but them, in liquid of this spacing. One line each, so that a fault's line says
// which it is of.
static bool write_scene(const Job *job, const char *path, int dimension)
{
    FILE *file = fopen(path, "w");
    if (!file) return false;
    fprintf(file, "scene { dimension = %d, method = \"dfsph\", spacing = %.9g }\n", dimension, job->spacing);
    for (int g = 0; g < job->gauges.count; ++g) {
        fputs("gauge { ", file);
        for (const char *c = job->gauges.items[g]; *c; ++c) fputc(*c == '\n' ? ' ' : *c, file);
        fputs(" }\n", file);
    }
    return fclose(file) == 0;
}

static void adopt_faults(Job *job, const couFaults *faults)
{
    for (int f = 0; f < faults->count; ++f) {
        const couFault *fault = &faults->items[f];
        const char *colon = strrchr(fault->where, ':');
        int gauge = colon ? (int)strtol(colon + 1, NULL, 10) - 2 : -1;
        bool is_gauge = gauge >= 0 && gauge < job->gauges.count;
        couFaults_Add(&job->faults, where, "--gauge", "%s%s%s%s%.100s%s", fault->key, fault->key[0] ? ": " : "", fault->message,
                      is_gauge ? " in '" : "", is_gauge ? job->gauges.items[gauge] : "", is_gauge ? "'" : "");
    }
}

static void load_gauges(Job *job, int dimension)
{
    couSceneOptions how = {.threads = 1};
    if (job->scene_name) {
        job->scene = couLoadScene(job->scene_name, &how, &job->faults);
        return;
    }
    char path[] = "/tmp/coulis-measure-XXXXXX";
    char file[sizeof path + 16];
    if (!mkdtemp(path)) {
        couFaults_Add(&job->faults, where, "--gauge", "no folder for temporary files");
        return;
    }
    snprintf(file, sizeof file, "%s/gauges.lua", path);
    couFaults own = {0};
    if (write_scene(job, file, dimension))
        job->scene = couLoadScene(file, &how, &own);
    else
        couFaults_Add(&own, NULL, NULL, "no temporary file");
    adopt_faults(job, &own);
    couFaults_Clear(&own);
    unlink(file);
    rmdir(path);
}

// Bodies that move are not where the frames have them.
static void keep_walls(couWorld *world)
{
    for (int b = couWorld_BodyCount(world) - 1; b >= 0; --b) {
        couBodyId id = couWorld_BodyAt(world, b);
        const couBodyDef *def = couWorld_Body(world, id);
        if (def->is_dynamic || def->motion) couWorld_RemoveBody(world, id);
    }
}

static void check_gauges(Job *job)
{
    const couWorld *world = couScene_World(job->scene);
    job->list = world->gauges.list.items;
    job->gauge_count = (int)world->gauges.list.count;
    if (!job->gauge_count) couFaults_Add(&job->faults, where, "--scene", "'%.100s' has no gauges", job->scene_name);
    int measured = 0;
    for (int g = 0; g < job->gauge_count; ++g) {
        if (job->list[g].def.place != cou_gaugeOnBody)
            ++measured;
        else if (job->scene_name)
            couWarn("gauge '%s': forces are not in frames, its columns are nan", job->list[g].def.name);
    }
    if (job->gauge_count && !measured)
        couFaults_Add(&job->faults, where, "--scene", "all its gauges are of forces, which are not in frames");
}

// What frames do not say: masses, the kernel, walls.
static void describe_cloud(Job *job, int dimension)
{
    couGaugeCloud *cloud = &job->cloud;
    float d = (float)job->spacing, density = job->density > 0 ? (float)job->density : 1000.0f;
    *cloud = (couGaugeCloud){.dimension = dimension, .stride = 3, .spacing = d};
    cloud->kernel = couMakeKernel(cou_kernelKaiser, dimension, SUPPORT * d, d);
    for (int m = 0; m < COU_MAX_MATERIALS; ++m) {
        bool is_known = m < job->stage.material_count && !(job->density > 0);
        cloud->rest_density[m] = is_known ? job->stage.materials[m].density : density;
        cloud->mass[m] = cloud->rest_density[m] * powf(d, (float)dimension);
    }
    if (!job->scene || !job->scene_name) return;
    couWorld *world = couScene_World(job->scene);
    keep_walls(world);
    cloud->bodies = &world->bodies;
    cloud->period = world->fluid.period;
}

static void place_grids(Job *job, couBounds bounds, int dimension)
{
    float cell = job->cell > 0 ? (float)job->cell : (float)job->spacing, margin = 0.5f * SUPPORT * (float)job->spacing;
    if (job->has_grid) {
        job->grids[job->grid_count].stem = "grid";
        couPlaceMeasureGrid(&job->grids[job->grid_count++], bounds, dimension, margin, cell, -1, 0, &job->faults);
    }
    if (!job->section) return;
    char axis = job->section[0], *end = NULL;
    double value = axis && job->section[1] == '=' ? strtod(job->section + 2, &end) : NAN;
    if (axis < 'x' || axis > 'z' || !end || end == job->section + 2 || *end || !(fabs(value) <= 1e9)) {
        couFaults_Add(&job->faults, where, "--section", "'%.40s': expected an axis and a place, as x=0.5", job->section);
        return;
    }
    job->grids[job->grid_count].stem = "section";
    couPlaceMeasureGrid(&job->grids[job->grid_count++], bounds, dimension, margin, cell, axis - 'x', value, &job->faults);
}

static void read_stage(Job *job, const char *source)
{
    char path[COU_PATH_SIZE];
    if (!couIsFolder(source) || access(couJoin(path, source, "stage.json"), F_OK) != 0) return;
    if (couReadStage(path, &job->stage, &job->faults) && job->spacing == 0) job->spacing = job->stage.spacing;
}

// The folder, unless that is a run's with a table of its own.
static void choose_folder(Job *job, const char *first)
{
    char path[COU_PATH_SIZE];
    const char *slash = strrchr(first, '/');
    int length = slash == first ? 1 : slash ? (int)(slash - first) : 0;
    snprintf(job->folder, sizeof job->folder, "%.*s", length ? COU_MIN(length, COU_FOLDER_SIZE - 1) : 1, length ? first : ".");
    if (job->out) snprintf(job->folder, sizeof job->folder, "%s", job->out);
    bool has_table = job->scene && access(couJoin(path, job->folder, "gauges.csv"), F_OK) == 0;
    if (has_table && access(couJoin(path, job->folder, "checkpoint.h5"), F_OK) == 0)
        couFaults_Add(&job->faults, where, "--out", "is needed: gauges.csv in '%.200s' is the run's own", job->folder);
}

static bool prepare(void *context, const couTexts *operands, couFrameFiles *files)
{
    Job *job = context;
    const char *source = operands->count > 0 ? operands->items[0] : NULL;
    couCheckPath(where, "FRAMES", source, &job->faults);
    couCheckPath(where, "--out", job->out, &job->faults);
    if (job->scene_name && job->gauges.count) couFaults_Add(&job->faults, where, "--gauge", "give either --gauge or --scene");
    if (!job->scene_name && !job->gauges.count && !job->section && !job->has_grid)
        couFaults_Add(&job->faults, where, "--gauge",
                      "is missing: say what to measure, by --gauge, --scene, --section or --grid");
    if (job->faults.count > 0 || !couListFrames(operands->items, operands->count, files, &job->faults)) return false;
    read_stage(job, source);
    couFrameProbe probe = couProbeFrames(files, 16);
    int dimension = job->stage.dimension ? job->stage.dimension : probe.dimension;
    if (job->spacing == 0) job->spacing = (double)probe.spacing;
    if (!(job->spacing > 0))
        couFaults_Add(&job->faults, where, "--spacing", "is needed: the frames have too few particles to guess it from");
    if (job->faults.count > 0) return false;
    if (job->scene_name || job->gauges.count) load_gauges(job, dimension);
    if (job->scene) check_gauges(job);
    if (job->faults.count == 0) place_grids(job, probe.bounds, dimension);
    if (job->faults.count == 0) describe_cloud(job, dimension);
    if (job->faults.count == 0) choose_folder(job, files->items[0].path);
    return job->faults.count == 0;
}

// --- Frame by frame ---

// Its masses, where the file has some, as volumes at rest.
static const float *read_volumes(Job *job, const char *path, const couFrame *frame)
{
    static const char *const names[] = {"mass", "Mass", "masses"};
    couFree(NULL, job->volumes);
    job->volumes = couAlloc(NULL, COU_MAX(frame->count, 1) * sizeof *job->volumes);
    for (int k = 0; job->volumes && k < COU_COUNT(names); ++k) {
        couFaults none = {0};
        bool is_there = couReadFrameColumn(path, frame, names[k], job->volumes, &none);
        couFaults_Clear(&none);
        for (size_t i = 0; is_there && i < frame->count; ++i) job->volumes[i] /= job->cloud.rest_density[frame->material[i]];
        if (is_there) return job->volumes;
    }
    return NULL;
}

// Other programs write kg/m^3 where a run has shares of the rest density.
static void relate_density(const couGaugeCloud *cloud, couFrame *frame)
{
    double sum = 0;
    for (size_t i = 0; i < frame->count; ++i) sum += (double)frame->density[i];
    if (!(sum > 10.0 * (double)frame->count)) return;
    for (size_t i = 0; i < frame->count; ++i) frame->density[i] /= cloud->rest_density[frame->material[i]];
}

static bool measure_gauges(Job *job, const couGaugeCloud *cloud, double time)
{
    couVicinity near = {0};
    size_t columns = 0;
    bool is_good = true, is_first = isnan(job->last_time);
    for (int g = 0; is_good && g < job->gauge_count; ++g) {
        const couGauge *gauge = &job->list[g];
        double *values = job->values + columns;
        columns += (size_t)gauge->column_count;
        if (gauge->def.what == cou_gaugeFlow) {
            double volume = is_first ? 0 : couMeasureCrossing(&gauge->def, cloud, job->before.items, job->before.count, INFINITY);
            job->totals[g] += volume;
            values[0] = is_first ? NAN : volume / (time - job->last_time);
            values[1] = job->totals[g];
        } else if (gauge->def.place == cou_gaugeOnBody) {
            for (int k = 0; k < gauge->column_count; ++k) values[k] = NAN;
        } else {
            is_good = couMeasureGauge(&gauge->def, cloud, &near, values);
        }
    }
    couVicinity_Free(&near);
    if (!is_good) couFaults_Add(&job->faults, where, NULL, "out of memory");
    is_good = is_good && couGaugeTable_Write(job->table, time, job->values, &job->faults);
    job->before.count = 0;
    const couGaugeDef all = {.corners = {{0, 0, 0}}, .corner_count = 1};
    return is_good && couFindCrossers(&all, cloud, INFINITY, &job->before.items, &job->before.count, &job->before.capacity);
}

static bool measure_frame(void *context, const couFrameFile *file)
{
    Job *job = context;
    couFrame frame = {0};
    couFaults faults = {0};
    bool is_good = true;
    if (couReadFrame(file->path, &frame, &faults)) {
        couGaugeCloud cloud = job->cloud;
        for (size_t i = 0; i < frame.count; ++i) frame.material[i] = (uint8_t)COU_MIN(frame.material[i], COU_MAX_MATERIALS - 1);
        relate_density(&cloud, &frame);
        cloud.count = frame.count;
        cloud.position = (const float *)frame.position, cloud.velocity = (const float *)frame.velocity;
        cloud.id = frame.id, cloud.material = frame.material, cloud.density = frame.density, cloud.pressure = frame.pressure;
        cloud.volume = job->stage.dimension ? NULL : read_volumes(job, file->path, &frame);
        // Without times of their own, frames are as far apart as --fps says.
        bool has_time = frame.time > 0 && (isnan(job->last_time) || frame.time > job->last_time);
        double time = has_time ? frame.time : file->number / job->fps;
        if (job->table) is_good = measure_gauges(job, &cloud, time);
        for (int g = 0; is_good && g < job->grid_count; ++g)
            is_good = couWriteMeasureGrid(&job->manifest, &job->grids[g], &cloud, file->number, time, &job->faults);
        job->last_time = time;
        ++job->written;
    } else {
        couWarn("%s: %s: the frame is left out", file->path, faults.count > 0 ? faults.items[0].message : "cannot be read");
        ++job->skipped;
    }
    couFreeFrame(&frame);
    couFaults_Clear(&faults);
    return is_good;
}

static bool open_table(Job *job)
{
    if (!job->gauge_count) return true;
    couGaugeDef *defs = malloc((size_t)job->gauge_count * sizeof *defs);
    size_t columns = 0;
    for (int g = 0; defs && g < job->gauge_count; ++g) {
        defs[g] = job->list[g].def;
        columns += (size_t)job->list[g].column_count;
    }
    job->values = malloc((columns + 1) * sizeof *job->values);
    job->totals = calloc((size_t)job->gauge_count, sizeof *job->totals);
    bool is_good = defs && job->values && job->totals;
    if (!is_good) couFaults_Add(&job->faults, where, NULL, "out of memory");
    if (is_good)
        job->table = couOpenGaugeTable(&job->manifest, defs, job->gauge_count, job->cloud.dimension, -INFINITY, &job->faults);
    free(defs);
    return job->table;
}

static int produce(void *context, const couTexts *operands, const couFrameFiles *files)
{
    (void)operands;
    Job *job = context;
    couCatchInterrupts();
    if (!couMakeFolder(job->folder, &job->faults) || !couManifest_Read(&job->manifest, job->folder, &job->faults) ||
        !open_table(job))
        return couFail(&job->faults, cou_exitBadInput);
    job->last_time = NAN;
    bool is_good = couForEachFrame(files, "frame", NULL, job->is_quiet, measure_frame, job);
    is_good = couCloseGaugeTable(job->table, is_good, &job->faults) && is_good;
    job->table = NULL;
    if (!is_good) return couFail(&job->faults, cou_exitFailed);
    if (!job->is_quiet) printf("%d frames measured, into %s\n", job->written, job->folder);
    return couEndFrames(job->skipped, files->count, couInterrupted() ? "" : NULL);
}

int couCommandMeasure(int argc, char **argv)
{
    Job job = {.fps = 1};
    const couOption table[] = {
        COU_OPTION("--gauge", "TEXT", cou_optionTexts, &job.gauges,
                   .help = "a gauge as a scene writes it; several times for more"),
        COU_OPTION("--scene", "SCENE", cou_optionText, &job.scene_name, .help = "the gauges and fixed bodies of a scene"),
        COU_OPTION("--section", "AXIS=M", cou_optionText, &job.section, .help = "values on a plane: x=0.5 [m]"),
        COU_OPTION("--grid", NULL, cou_optionFlag, &job.has_grid, .help = "values all over"),
        COU_OPTION("--cell", "M", cou_optionNumber, &job.cell, .min = 1e-9, .max = 1e6,
                   .help = "of section and grid [m] (default: the spacing)"),
        COU_OPTION("--out", "DIR", cou_optionText, &job.out, .help = "folder of the results (default: that of the frames)"),
        COU_OPTION("--spacing", "M", cou_optionNumber, &job.spacing, .min = 1e-9, .max = 1e6,
                   .help = "of the particles at rest [m] (default: the run's, or guessed)"),
        COU_OPTION("--density", "RHO", cou_optionNumber, &job.density, .min = 1e-3, .max = 1e6,
                   .help = "at rest [kg/m^3] (default: the run's, or 1000)"),
        COU_OPTION("--fps", "N", cou_optionNumber, &job.fps, .min = 1e-3, .max = 1e6,
                   .help = "frames per second, where the frames have no times (default 1)"),
        COU_OPTION("--quiet", NULL, cou_optionFlag, &job.is_quiet, .help = "print warnings and errors only"),
    };
    couFrameCommand command = {.command = {.name = "measure",
                                           .help = "gauges, sections and grids of frames that were written before",
                                           .options = table,
                                           .option_count = sizeof table / sizeof table[0],
                                           .notes = notes},
                               .job = &job,
                               .faults = &job.faults,
                               .is_quiet = &job.is_quiet,
                               .prepare = prepare,
                               .produce = produce};
    int code = couRunFrameCommand(&command, argc, argv);
    couCloseGaugeTable(job.table, false, NULL);
    couManifest_Clear(&job.manifest);
    couStageFile_Clear(&job.stage);
    if (job.scene) couCloseScene(job.scene);
    couFree(NULL, job.before.items);
    couFree(NULL, job.volumes);
    free(job.values);
    free(job.totals);
    couTexts_Clear(&job.gauges);
    couFaults_Clear(&job.faults);
    return code;
}
