// From a frame to a picture: the qualities differ in what is made of the particles first. Preview draws them as they are, splats finds
// those at the surface, final builds a closed surface for each material, which light then goes through.
#include "app/studio.h"
#include "app/run.h"
#include "coulis/surface_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LOOKS = 256 };

struct couStudio {
    couStudioDef def;
    couLook looks[MOST_LOOKS];
    couVec3 colors[MOST_LOOKS];
    float opacities[MOST_LOOKS];
    couRenderer *renderer;
};

// --- Surfaces ---

couSurfaceChoice couDefaultSurfaceChoice(void)
{
    return (couSurfaceChoice){.radius = NAN, .cell = NAN, .level = NAN, .max_gib = 4, .smoothing = 3};
}

couSurfaceDef couReadSurfaceChoice(const couSurfaceChoice *choice, const char *command, couFaults *faults)
{
    couSurfaceDef def = couDefaultSurfaceDef();
    def.radius = (float)choice->radius, def.cell = (float)choice->cell, def.level = (float)choice->level;
    def.max_gib = (float)choice->max_gib;
    def.smoothing = choice->smoothing;
    def.is_blended = choice->is_blended;
    static const char *const fields[] = {"clavet", "color", "anisotropic"}; // couSurfaceField
    bool is_known = !choice->field;
    for (int k = 0; k < 3 && choice->field; k++)
        if (strcmp(choice->field, fields[k]) == 0) def.field = k, is_known = true;
    if (!is_known) couAddUnknown(command, "--field", "field", choice->field, fields, 3, faults);
    def.spacing = 0.0f;
    return def;
}

couSurfacePoints couFramePoints(const couFrame *frame, int dimension)
{
    return (couSurfacePoints){.dimension = dimension,
                              .count = frame->count,
                              .positions = frame->position,
                              .velocities = frame->velocity,
                              .ids = frame->id,
                              .materials = frame->material};
}

bool couCheckSurfaceChoice(const couSurfaceDef *def, int dimension, const char *command, couFaults *faults)
{
    couSurface nothing;
    couFaults found = {0};
    couSurfacePoints none = {.dimension = dimension};
    if (couBuildSurface(def, &none, &nothing, &found)) couSurface_Clear(&nothing);
    for (int i = 0; i < found.count; i++) {
        const char *key = found.items[i].key, *dot = strchr(key, '.');
        char option[32];
        snprintf(option, sizeof option, "--%.20s", strcmp(key, "surface.max_gib") == 0 ? "max-memory" : dot ? dot + 1 : key);
        couFaults_Add(faults, command, option, "%s", found.items[i].message);
    }
    bool is_good = found.count == 0;
    couFaults_Clear(&found);
    return is_good;
}

bool couNextFormat(const char **list, char format[16])
{
    if (!*list) return false;
    size_t length = strcspn(*list, ",");
    snprintf(format, 16, "%.*s", (int)length, *list);
    *list = (*list)[length] == ',' ? *list + length + 1 : NULL;
    return true;
}

bool couWriteSurfaceFrame(const char *folder, int number, const char *formats, const couSurface *surface, double time,
                          couFaults *faults)
{
    char format[16], name[48], path[COU_PATH_SIZE];
    while (couNextFormat(&formats, format)) {
        snprintf(name, sizeof name, "surface_%06d.%s", number, format);
        if (!couWriteSurface(couJoin(path, folder, name), surface, time, faults)) return false;
    }
    return true;
}

// --- Frames ---

bool couParseFrameCommand(const couCommand *given, int argc, char **argv, couTexts *operands, couFaults *faults)
{
    couCommand command = *given;
    command.usage = "FRAMES... [options]";
    command.min_operands = 1;
    command.max_operands = 10 * COU_MAX_FRAMES;
    return couParseOptions(&command, argc, argv, operands, faults);
}

static int compare_floats(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static float guess_spacing(const couFrame *frame)
{
    enum { SAMPLES = 101 };
    float nearest[SAMPLES];
    int count = 0;
    for (int k = 0; k < SAMPLES && frame->count > 1; k++) {
        couVec3 p = frame->position[frame->count * (size_t)k / SAMPLES];
        float least = INFINITY;
        for (size_t j = 0; j < frame->count; j++) {
            couVec3 q = frame->position[j];
            float x = q.x - p.x, y = q.y - p.y, z = q.z - p.z, r2 = x * x + y * y + z * z;
            if (r2 > 0.0f && r2 < least) least = r2;
        }
        if (isfinite(least)) nearest[count++] = sqrtf(least);
    }
    if (count == 0) return 0.0f;
    qsort(nearest, (size_t)count, sizeof nearest[0], compare_floats);
    return nearest[count / 2];
}

static bool is_flat_frame(const couFrame *frame)
{
    for (size_t i = 0; i < frame->count; i++)
        if (frame->position[i].z != 0.0f) return false;
    return true;
}

static void include_particles(couBounds *b, const couFrame *frame)
{
    for (size_t i = 0; i < frame->count; i++) {
        couVec3 p = frame->position[i];
        if (!isfinite(p.x) || !isfinite(p.y) || !isfinite(p.z)) continue;
        b->lower = (couVec3){fminf(b->lower.x, p.x), fminf(b->lower.y, p.y), fminf(b->lower.z, p.z)};
        b->upper = (couVec3){fmaxf(b->upper.x, p.x), fmaxf(b->upper.y, p.y), fmaxf(b->upper.z, p.z)};
    }
}

couFrameProbe couProbeFrames(const couFrameFiles *files, int most)
{
    couFrameProbe probe = {.bounds = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}}};
    int count = files->count < most ? files->count : most;
    // One that fails is replaced by its successor only while nothing is known.
    for (int k = 0, i = 0; k < count && i < files->count; k++) {
        couFaults ignored = {0}; // said when its turn comes
        couFrame frame = {0};
        bool is_read = couReadFrame(files->items[i].path, &frame, &ignored) && frame.count > 0;
        if (is_read && probe.dimension == 0)
            probe.dimension = is_flat_frame(&frame) ? 2 : 3, probe.spacing = guess_spacing(&frame);
        if (is_read) include_particles(&probe.bounds, &frame);
        couFreeFrame(&frame);
        couFaults_Clear(&ignored);
        if (probe.dimension == 0)
            k--, i++;
        else
            i = count > 1 ? (int)((long long)(files->count - 1) * (k + 1) / (count - 1)) : files->count;
    }
    if (probe.dimension == 0) probe.dimension = 3;
    return probe;
}

size_t couFrame_LostCount(const couFrame *frame)
{
    size_t count = 0;
    for (size_t i = 0; i < frame->count; i++) {
        couVec3 p = frame->position[i];
        count += !(isfinite(p.x) && isfinite(p.y) && isfinite(p.z));
    }
    return count;
}

// --- Choices ---

couPictureChoice couDefaultPictureChoice(void) { return (couPictureChoice){.paths = couDefaultPictureOptions().paths}; }

void couReadPictureChoice(couPictureChoice *c, const char *command, couFaults *faults)
{
    static const char *const qualities[] = {"preview", "splats", "final"};
    c->quality = cou_qualityPreview;
    bool is_known = !c->quality_word;
    for (int k = 0; k < 3 && c->quality_word; k++)
        if (strcmp(c->quality_word, qualities[k]) == 0) c->quality = k, is_known = true;
    if (!is_known) couAddUnknown(command, "--quality", "quality", c->quality_word, qualities, 3, faults);
    c->width = 1280, c->height = 720;
    if (!c->size_text) return;
    int length = 0;
    bool is_read = sscanf(c->size_text, "%5dx%5d%n", &c->width, &c->height, &length) == 2 && c->size_text[length] == '\0';
    bool is_good = is_read && c->width >= 16 && c->width <= 8192 && c->height >= 16 && c->height <= 8192 && c->width % 2 == 0 &&
                   c->height % 2 == 0;
    if (!is_good)
        couFaults_Add(faults, command, "--size", "'%.40s' is not WIDTHxHEIGHT of even numbers from 16 to 8192, e.g. 1280x720",
                      c->size_text);
}

// --- Pictures ---

couStudio *couOpenStudio(const couStudioDef *def, couFaults *faults)
{
    couStudio *studio = calloc(1, sizeof *studio);
    if (!studio) {
        couFaults_Add(faults, NULL, NULL, "no memory for pictures");
        return NULL;
    }
    studio->def = *def;
    studio->def.surface.spacing = def->spacing;
    studio->def.surface.threads = def->threads;
    for (int k = 0; k < MOST_LOOKS; k++) {
        int last = def->look_count - 1;
        studio->looks[k] = def->look_count > 0 ? def->looks[k < last ? k : last] : couMakeLook((couVec3){0.5f, 0.5f, 0.5f}, 1);
        studio->colors[k] = studio->looks[k].color;
        studio->opacities[k] = studio->looks[k].opacity;
    }
    studio->renderer = couCreateRenderer(def->threads, faults);
    if (studio->renderer) return studio;
    couCloseStudio(studio);
    return NULL;
}

void couCloseStudio(couStudio *studio)
{
    if (!studio) return;
    if (studio->renderer) couDestroyRenderer(studio->renderer);
    free(studio);
}

// What a flat picture shows: the plane has no perspective, so the camera says what part of it is seen.
static couBounds flat_frame(const couCamera *camera, int width, int height)
{
    couVec3 d = {camera->from.x - camera->to.x, camera->from.y - camera->to.y, camera->from.z - camera->to.z};
    float half = sqrtf(d.x * d.x + d.y * d.y + d.z * d.z) * tanf(camera->fov * 0.5f * 3.14159265f / 180.0f);
    float wide = half * (float)width / (float)height;
    return (couBounds){{camera->to.x - wide, camera->to.y - half, 0}, {camera->to.x + wide, camera->to.y + half, 0}};
}

static couPictureOptions look_at(const couStudio *studio, double time, int number)
{
    const couStudioDef *def = &studio->def;
    couCamera camera = couCamera_At(&def->camera, time);
    couPictureOptions options = couDefaultPictureOptions();
    options.width = def->choice.width, options.height = def->choice.height;
    options.from = camera.from, options.to = camera.to, options.fov = camera.fov;
    options.is_auto_camera = !camera.is_set;
    options.is_turning = camera.turntable > 0.0f;
    options.turn = camera.turn;
    options.aperture = camera.aperture, options.focus_distance = camera.focus;
    options.frame = def->bounds;
    options.quality = def->choice.quality;
    options.paths = def->choice.paths;
    options.seed = number;
    options.shutter = (float)def->choice.shutter;
    options.frame_time = (float)(1 / def->fps);
    options.is_denoised = !def->choice.is_raw;
    if (def->dimension == 2 && camera.is_set) options.frame = flat_frame(&camera, options.width, options.height);
    return options;
}

// A frame's particles of one material, for a surface of their own.
static size_t select_material(const couFrame *frame, int material, couVec3 *positions, couVec3 *velocities)
{
    size_t count = 0;
    for (size_t i = 0; i < frame->count; i++)
        if (frame->material[i] == material) positions[count] = frame->position[i], velocities[count++] = frame->velocity[i];
    return count;
}

typedef struct Skin {
    couSurface surfaces[MOST_LOOKS];
    couPictureSurface drawn[MOST_LOOKS];
    int count;
} Skin;

static bool add_surface(const couStudio *studio, const couSurfacePoints *points, int material, Skin *skin, couFaults *faults)
{
    couSurface *surface = &skin->surfaces[skin->count];
    if (!couBuildSurface(&studio->def.surface, points, surface, faults)) return false;
    skin->drawn[skin->count++] = (couPictureSurface){.surface = surface,
                                                     .look = studio->looks[material],
                                                     .is_colored = studio->def.surface.is_blended,
                                                     .gap = studio->def.spacing};
    return true;
}

static bool build_skin(const couStudio *studio, const couFrame *frame, Skin *skin, couFaults *faults)
{
    couSurfacePoints points = couFramePoints(frame, studio->def.dimension);
    points.colors = studio->colors, points.color_count = MOST_LOOKS;
    size_t counts[MOST_LOOKS] = {0};
    int kinds = 0, first = 0;
    for (size_t i = 0; i < frame->count; i++)
        if (counts[frame->material[i]]++ == 0) first = kinds++ == 0 ? frame->material[i] : first;
    if (kinds <= 1 || studio->def.surface.is_blended) return add_surface(studio, &points, first, skin, faults);
    couVec3 *selected = malloc(2 * frame->count * sizeof *selected);
    bool is_good = selected != NULL;
    if (!is_good) couFaults_Add(faults, NULL, NULL, "no memory for the surface of %zu particles", frame->count);
    for (int m = 0; m < MOST_LOOKS && is_good; m++) {
        if (counts[m] == 0) continue;
        couSurfacePoints own = {.dimension = points.dimension,
                                .count = select_material(frame, m, selected, selected + frame->count),
                                .positions = selected,
                                .velocities = selected + frame->count};
        is_good = add_surface(studio, &own, m, skin, faults);
    }
    free(selected);
    return is_good;
}

bool couStudio_Draw(couStudio *studio, const couFrame *frame, int number, const couPictureBody *bodies, int body_count,
                    couImage *image, couLayers *layers, couFaults *faults)
{
    const couStudioDef *def = &studio->def;
    *image = (couImage){0};
    if (layers) *layers = (couLayers){0};
    couPictureScene scene = {.dimension = def->dimension,
                             .particle_count = frame->count,
                             .positions = frame->position,
                             .velocities = frame->velocity,
                             .materials = frame->material,
                             .colors = studio->colors,
                             .opacities = studio->opacities,
                             .material_count = MOST_LOOKS,
                             .radius = 0.6f * def->spacing, // a little overlap looks like one liquid
                             .bodies = bodies,
                             .body_count = body_count,
                             .ground = NAN,
                             .has_floor = true};
    couPictureOptions options = look_at(studio, frame->time, number);
    bool is_flat = def->dimension == 2, is_final = def->choice.quality == cou_qualityFinal && !is_flat;
    couSplats splats = {0};
    Skin *skin = is_final ? calloc(1, sizeof *skin) : NULL;
    bool is_good = !is_final || skin;
    if (!is_good) couFaults_Add(faults, NULL, NULL, "no memory for a picture");
    if (is_final && is_good) {
        is_good = build_skin(studio, frame, skin, faults);
        scene.surfaces = skin->drawn, scene.surface_count = skin->count;
    }
    if (def->choice.quality == cou_qualitySplats && !is_flat) {
        couSurfacePoints points = couFramePoints(frame, def->dimension);
        is_good = couFindSplats(&def->surface, &points, 0.0f, &splats, faults);
        scene.splats = &splats;
    }
    if (is_good)
        is_good = layers && is_final ? couRenderLayers(studio->renderer, &scene, &options, image, layers, faults)
                                     : couRenderPicture(studio->renderer, &scene, &options, image, faults);
    for (int k = 0; skin && k < skin->count; k++) couSurface_Clear(&skin->surfaces[k]);
    free(skin);
    couSplats_Clear(&splats);
    return is_good;
}
