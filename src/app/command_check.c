// coulis check: every fault of a scene at once, or what its run will need. The memory per particle is measured by one step where
// the scene has fluid at its start, and taken from the bound that the methods keep otherwise. Particles to come are counted from
// the emitters' areas and speeds; sinks are not taken off, so the estimate is an upper one.
#include "app/advice.h"
#include "app/app.h"
#include "app/overlaps.h"
#include "app/picture_options.h"
#include "app/scene_pictures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BYTES_PER_PARTICLE 400.0    // without springs, neighbour lists included
#define MAX_TRIED_PARTICLES 2000000 // beyond, one step takes too long for a check
#define VOLUME_SAMPLES 32           // per axis

typedef struct Picture {
    const char *path; // NULL: none is wanted
    couPictureChoice choice;
} Picture;

// Share of its bounds that a shape fills, times their volume [m^3] ([m^2] in 2D).
static double shape_volume(const couShape *shape, int dimension)
{
    couBounds b;
    if (!couShape_Bounds(shape, dimension, &b)) return 0.0;
    double size[3] = {b.upper.x - b.lower.x, b.upper.y - b.lower.y, dimension == 2 ? 1.0 : b.upper.z - b.lower.z};
    int layers = dimension == 2 ? 1 : VOLUME_SAMPLES, inside = 0;
    for (int k = 0; k < layers; ++k)
        for (int j = 0; j < VOLUME_SAMPLES; ++j)
            for (int i = 0; i < VOLUME_SAMPLES; ++i) {
                couVec3 p = {b.lower.x + (float)(size[0] * (i + 0.5) / VOLUME_SAMPLES),
                             b.lower.y + (float)(size[1] * (j + 0.5) / VOLUME_SAMPLES),
                             dimension == 2 ? 0.0f : b.lower.z + (float)(size[2] * (k + 0.5) / layers)};
                if (couShape_Distance(shape, dimension, p) < 0.0f) ++inside;
            }
    return size[0] * size[1] * size[2] * inside / ((double)layers * VOLUME_SAMPLES * VOLUME_SAMPLES);
}

// Particles that an emitter makes in the given time.
static double emitted(const couEmitterDef *emitter, const couWorldDef *def, double seconds)
{
    double cell = pow(def->spacing, def->dimension), count;
    double start = emitter->start, stop = fmin(emitter->stop, seconds);
    if (!(stop > start)) return 0.0;
    couShapeKind kind = couShape_Kind(emitter->shape);
    if (kind == cou_shapeDisk || kind == cou_shapePolygon)
        count = (double)couShape_FaceArea(emitter->shape, def->dimension) * emitter->speed * (stop - start) / cell;
    else
        count = shape_volume(emitter->shape, def->dimension) / cell;
    return fmin(count, emitter->max_count);
}

static double expected_particles(const couWorld *world, double seconds)
{
    const couWorldDef *def = couWorld_Def(world);
    double count = (double)couWorld_Particles(world).count;
    for (int i = 0; i < couWorld_EmitterCount(world); ++i) {
        const couEmitterDef *emitter = couWorld_Emitter(world, couWorld_EmitterAt(world, i));
        if (emitter) count += emitted(emitter, def, seconds);
    }
    return fmin(count, fmax(def->max_particles, (double)couWorld_Particles(world).count));
}

// Takes one step to see what a particle costs; says so when that step already goes wrong.
static double measure_bytes(couScene *scene, couFaults *faults)
{
    couWorld *world = couScene_World(scene);
    size_t count = couWorld_Particles(world).count;
    if (count > MAX_TRIED_PARTICLES) return BYTES_PER_PARTICLE;
    float step = couWorld_SuggestStep(world);
    float frame = (float)(1.0 / couScene_Fps(scene));
    couStepReport report = couWorld_Step(world, step > 0.0f && step < frame ? step : frame);
    const char *error = couScene_RuntimeError(scene);
    if (error) couFaults_Add(faults, NULL, NULL, "%s", error);
    if (report.nan_count + report.lost_count > 0)
        couFaults_Add(faults, couScene_Path(scene), NULL,
                      "the first step already fails at particle %u: %lld not finite, %lld lost", report.first_bad_id,
                      (long long)report.nan_count, (long long)report.lost_count);
    if (report.bad_body.index1)
        couFaults_Add(faults, couScene_Path(scene), NULL, "the first step already fails: the body '%s' is not finite",
                      couWorld_Body(world, report.bad_body)->name);
    if (report.is_out_of_memory)
        couFaults_Add(faults, couScene_Path(scene), NULL, "the first step already fails: out of memory with %zu particles",
                      count);
    if (report.bad_solid.index1)
        couFaults_Add(faults, couScene_Path(scene), NULL, "the first step already fails: the solid '%s' is not finite",
                      couWorld_Solid(world, report.bad_solid)->name);
    if (report.contact_count > 0)
        printf("contacts        bodies touch at %lld points in the first step\n", (long long)report.contact_count);
    if (report.trapped_count > 0) couWarn("%lld particles start inside a body", (long long)report.trapped_count);
    // A handful of particles says little: fixed tables would count as theirs.
    return count < 5000 ? BYTES_PER_PARTICLE : (double)couWorld_PeakBytes(world) / (double)count;
}

// What there is of each kind, and what moves freely weighs.
static void report_bodies(const couWorld *world)
{
    int fixed = 0, driven = 0, free = 0, joints = 0;
    double mass = 0.0;
    for (int i = 0; i < couWorld_BodyCount(world); ++i) {
        couBodyId id = couWorld_BodyAt(world, i);
        if (!id.index1) continue;
        const couBodyDef *body = couWorld_Body(world, id);
        if (body->is_dynamic)
            ++free, mass += (double)couWorld_BodyMass(world, id);
        else if (body->motion)
            ++driven;
        else
            ++fixed;
    }
    for (int i = 0; i < couWorld_JointCount(world); ++i) joints += couWorld_JointAt(world, i).index1 != 0;
    printf("bodies          %d: %d fixed, %d driven, %d free", fixed + driven + free, fixed, driven, free);
    if (free > 0) printf(" (%.4g kg%s)", mass, couWorld_Def(world)->dimension == 2 ? "/m" : "");
    if (joints > 0) printf("; %d joint%s", joints, joints == 1 ? "" : "s");
    printf("; %d emitters, %d materials\n", couWorld_EmitterCount(world), couWorld_MaterialCount(world));
}

static void report_overlaps(const couScene *scene, const couWorld *world, couFaults *faults)
{
    couOverlaps overlaps;
    float spacing = couWorld_Def(world)->spacing;
    char count[32];
    // A disordered liquid has pairs at a fifth of the spacing, two in one place much closer ones.
    if (!couFindOverlaps(world, 0.2f * spacing, &overlaps))
        couFaults_Add(faults, couScene_Path(scene), NULL, "out of memory to look for overlaps of %zu particles",
                      couWorld_Particles(world).count);
    else if (overlaps.count == 0)
        printf("overlaps        none: no two particles start closer than a fifth of the spacing\n");
    else
        printf("overlaps        %s particles start closer than a fifth of the spacing; the closest are %u and %u, %.3g m apart: "
               "they will be thrown\n",
               couFormatCount(count, sizeof count, overlaps.count), overlaps.id_a, overlaps.id_b, overlaps.distance);
}

static void report_scene(couScene *scene, couFaults *faults)
{
    couWorld *world = couScene_World(scene);
    const couWorldDef *def = couWorld_Def(world);
    double seconds = couScene_Duration(scene), fps = couScene_Fps(scene), step = couWorld_SuggestStep(world);
    double particles = expected_particles(world, seconds);
    char a[32], b[32];
    printf("%s: %s\n", couScene_Path(scene), couScene_Title(scene));
    if (couScene_Note(scene)[0]) printf("%s\n", couScene_Note(scene));
    printf("particles       %s at the start, at most %s in %g s\n", couFormatCount(a, sizeof a, couWorld_Particles(world).count),
           couFormatCount(b, sizeof b, (uint64_t)particles), seconds);
    report_bodies(world);
    printf("method          %s in %dD, spacing %g m, support radius %g m\n", def->method, def->dimension, def->spacing,
           couWorld_SupportRadius(world));
    printf("frames          %.0f at %g per second\n", couCountFrames(seconds, fps), fps);
    printf("suggested step  %.3g s: %.0f substeps per frame\n", step, fmax(1.0, ceil(1.0 / (fps * step) - 1e-6)));
    printf("height error    %.2g %% of a pool as deep as the scene's %.3g m\n", 100.0 * couWorld_HeightError(world), def->depth);
    const char *choices = couWorld_Choices(world);
    size_t length = strlen(choices);
    if (length > 0) printf("%s%s", choices, choices[length - 1] == '\n' ? "" : "\n");
    couAdviseMethod(scene, stdout);
    couAdviseVolumes(scene, stdout);
    report_overlaps(scene, world, faults);
    double bytes = measure_bytes(scene, faults); // last: it steps the world
    printf("memory          about %s\n", couFormatBytes(a, sizeof a, bytes * particles + 20e6));
}

// Before the world is stepped.
static bool draw_start(couScene *scene, const Picture *picture, couFaults *faults)
{
    if (!picture->path) return true;
    couBounds bounds = couSceneBounds(scene, couScene_Duration(scene));
    if (!couDrawScene(scene, bounds, &picture->choice.style, picture->path, faults)) return false;
    printf("the start is drawn in %s\n", picture->path);
    return true;
}

static int check_scene(const char *path, const couSceneOptions *options, const Picture *picture)
{
    couFaults faults = {0};
    couScene *scene = couLoadScene(path, options, &faults);
    if (scene && couScene_Prepare(scene, &faults) && draw_start(scene, picture, &faults)) report_scene(scene, &faults);
    if (scene) couCloseScene(scene);
    if (faults.count == 0) return cou_exitWell;
    fflush(stdout);
    couPrintFaults(&faults);
    fprintf(stderr, "%d fault%s\n", faults.count, faults.count == 1 ? "" : "s");
    couFaults_Clear(&faults);
    return cou_exitBadInput;
}

int couCommandCheck(int argc, char **argv)
{
    const char *method = NULL;
    Picture picture = {.choice = couDefaultPictureChoice()};
    couTexts sets = {0}, operands = {0};
    const couOption table[] = {
        COU_OPTION("--method", "M", cou_optionText, &method, .help = "solver (coulis list methods)"),
        COU_OPTION("--set", "KEY=VALUE", cou_optionTexts, &sets, .help = "change a value of the scene, e.g. spacing=0.01"),
        COU_OPTION("--picture", "FILE", cou_optionText, &picture.path, .help = "draw the start into this .png file"),
        COU_OPTION("--quality", "Q", cou_optionText, &picture.choice.quality_word,
                   .help = "of that picture: preview (default), splats or final"),
        COU_OPTION("--size", "WxH", cou_optionText, &picture.choice.size_text, .help = "of that picture (default 1280x720)"),
    };
    couCommand command = {
        .name = "check",
        .usage = "SCENE [options]",
        .help = "every fault of a scene, or what its run will need",
        .options = table,
        .option_count = sizeof table / sizeof table[0],
        .min_operands = 1,
        .max_operands = 1,
        .notes = "SCENE is a file or a gallery name. Faults are printed one a line, with file, line and key; exit code 2.\n"};
    couFaults faults = {0};
    couOverrides overrides = {0};
    int code = cou_exitWell;
    if (!couParseOptions(&command, argc, argv, &operands, &faults)) {
        if (method) couCheckMethod("coulis check", method, &faults);
        couSplitOverrides("coulis check", &sets, &overrides, &faults);
        couReadPictureChoice(&picture.choice, "coulis check", &faults);
        if (!picture.path && (picture.choice.quality_word || picture.choice.size_text))
            couFaults_Add(&faults, "coulis check", picture.choice.size_text ? "--size" : "--quality",
                          "of which picture? add --picture FILE");
        couSceneOptions options = {.method = method, .overrides = overrides.items, .override_count = overrides.count};
        code = faults.count > 0 ? couFail(&faults, cou_exitBadInput) : check_scene(operands.items[0], &options, &picture);
    }
    couOverrides_Clear(&overrides);
    couTexts_Clear(&sets);
    couTexts_Clear(&operands);
    return code;
}
