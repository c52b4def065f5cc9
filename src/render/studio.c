// From a frame to a picture: the qualities differ in what is made of the particles first. Preview draws them as they are, splats
// finds those at the surface, final builds a closed surface for each material, which light then goes through.
#include "render/studio.h"

#include "base/random.h"
#include "render/legend.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LOOKS = 256, MOST_LEGENDS = 4 };

struct couStudio {
    couStudioDef def;
    couLook looks[MOST_LOOKS];
    couVec3 colors[MOST_LOOKS];
    float opacities[MOST_LOOKS];
    couRenderer *renderer;
};

couPictureStyle couDefaultPictureStyle(void)
{
    couPictureOptions options = couDefaultPictureOptions();
    return (couPictureStyle){
        .quality = options.quality, .width = options.width, .height = options.height, .paths = options.paths};
}

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
    for (int k = 0; k < MOST_LOOKS; ++k) {
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
    options.width = def->style.width, options.height = def->style.height;
    options.from = camera.from, options.to = camera.to, options.fov = camera.fov;
    options.is_auto_camera = !camera.is_set;
    options.is_turning = camera.turntable > 0.0f;
    options.turn = camera.turn;
    options.aperture = camera.aperture, options.focus_distance = camera.focus;
    options.frame = def->bounds;
    options.quality = def->style.quality;
    options.paths = def->style.paths;
    options.seed = number;
    options.shutter = (float)def->style.shutter;
    options.frame_time = (float)(1 / def->fps);
    options.is_denoised = !def->style.is_raw;
    if (def->dimension == 2 && camera.is_set) options.frame = flat_frame(&camera, options.width, options.height);
    return options;
}

// A frame's particles of one material, for a surface of their own.
static size_t select_material(const couFrame *frame, int material, couVec3 *positions, couVec3 *velocities)
{
    size_t count = 0;
    for (size_t i = 0; i < frame->count; ++i)
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

// One opaque surface of all materials, in the colours of the numbers.
static bool build_painted_skin(const couStudio *studio, const couFrame *frame, const float *values, Skin *skin, couFaults *faults)
{
    couSurfacePoints points = couFramePoints(frame, studio->def.dimension);
    points.ids = NULL; // nearest_ids then number the frame's particles
    couSurfaceDef def = studio->def.surface;
    def.is_blended = true;
    couSurface *surface = &skin->surfaces[skin->count];
    if (!couBuildSurface(&def, &points, surface, faults)) return false;
    couLook look = couMakeLook((couVec3){1, 1, 1}, 1);
    look.roughness = 0.7f; // a mirror's light would hide the colours
    skin->drawn[skin->count++] = (couPictureSurface){
        .surface = surface, .look = look, .is_colored = true, .gap = studio->def.spacing};
    if (couPaintSurface(&studio->def.colors, values, surface)) return true;
    couFaults_Add(faults, NULL, NULL, "no memory for the colours of %zu vertices", surface->vertex_count);
    return false;
}

static bool build_skin(const couStudio *studio, const couFrame *frame, Skin *skin, couFaults *faults)
{
    couSurfacePoints points = couFramePoints(frame, studio->def.dimension);
    points.colors = studio->colors, points.color_count = MOST_LOOKS;
    size_t counts[MOST_LOOKS] = {0};
    int kinds = 0, first = 0;
    for (size_t i = 0; i < frame->count; ++i)
        if (counts[frame->material[i]]++ == 0) first = kinds++ == 0 ? frame->material[i] : first;
    if (kinds <= 1 || studio->def.surface.is_blended) return add_surface(studio, &points, first, skin, faults);
    couVec3 *selected = malloc(2 * frame->count * sizeof *selected);
    bool is_good = selected;
    if (!is_good) couFaults_Add(faults, NULL, NULL, "no memory for the surface of %zu particles", frame->count);
    for (int m = 0; m < MOST_LOOKS && is_good; ++m) {
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

// The particles of a frame as the renderer takes them.
static couPictureScene make_scene(const couStudio *studio, const couFrame *frame, const couPictureBody *bodies, int body_count)
{
    return (couPictureScene){.dimension = studio->def.dimension,
                             .particle_count = frame->count,
                             .positions = frame->position,
                             .velocities = frame->velocity,
                             .materials = frame->material,
                             .colors = studio->colors,
                             .opacities = studio->opacities,
                             .material_count = MOST_LOOKS,
                             .radius = 0.6f * studio->def.spacing, // a little overlap looks like one liquid
                             .bodies = bodies,
                             .body_count = body_count,
                             .ground = NAN,
                             .has_floor = true};
}

// Paints the particles; NULL with a fault without memory.
static couVec3 *paint_particles(const couStudio *studio, const couFrame *frame, const float *values, couFaults *faults)
{
    couVec3 *colors = malloc((frame->count + 1) * sizeof *colors);
    if (colors)
        couPaintValues(&studio->def.colors, values, frame->count, colors);
    else
        couFaults_Add(faults, NULL, NULL, "no memory for the colours of %zu particles", frame->count);
    return colors;
}

// Particles and samples together, samples small and in the colour of their body; bodies that would hide them are left out.
typedef struct Crowd {
    couVec3 *positions, *colors;
    uint8_t *materials;
    float *radii;
    couPictureBody *bodies;
} Crowd;

static void free_crowd(Crowd *crowd)
{
    free(crowd->positions);
    free(crowd->colors);
    free(crowd->materials);
    free(crowd->radii);
    free(crowd->bodies);
}

static void fill_crowd(const couFrame *frame, const couVec3 *painted, const couFrame *samples, float radius, Crowd *crowd)
{
    static const couVec3 palette[] = {{0.80f, 0.30f, 0.05f}, {0.10f, 0.45f, 0.12f}, {0.42f, 0.12f, 0.50f},
                                      {0.75f, 0.55f, 0.05f}, {0.05f, 0.42f, 0.50f}, {0.65f, 0.08f, 0.16f}};
    for (size_t i = 0; i < frame->count; ++i) {
        crowd->positions[i] = frame->position[i];
        crowd->materials[i] = frame->material[i];
        crowd->colors[i] = painted ? painted[i] : (couVec3){NAN, NAN, NAN};
        crowd->radii[i] = radius;
    }
    for (size_t k = 0; k < samples->count; ++k) {
        size_t i = frame->count + k;
        crowd->positions[i] = samples->position[k];
        crowd->colors[i] = palette[samples->material[k] % (sizeof palette / sizeof palette[0])];
        crowd->radii[i] = 0.5f * radius;
    }
}

// False with a fault without memory.
static bool add_samples(const couFrame *frame, const couFrame *samples, couPictureScene *scene, Crowd *crowd, couFaults *faults)
{
    size_t count = frame->count + samples->count + 1;
    *crowd = (Crowd){malloc(count * sizeof(couVec3)), malloc(count * sizeof(couVec3)), calloc(count, 1),
                     malloc(count * sizeof(float)), calloc((size_t)scene->body_count + 1, sizeof(couPictureBody))};
    if (!crowd->positions || !crowd->colors || !crowd->materials || !crowd->radii || !crowd->bodies) {
        couFaults_Add(faults, NULL, NULL, "no memory for the picture of %zu samples", samples->count);
        return false;
    }
    fill_crowd(frame, scene->particle_colors, samples, scene->radius, crowd);
    int kept = 0;
    for (int i = 0; i < scene->body_count; ++i)
        if (scene->bodies[i].look.opacity < 1.0f) crowd->bodies[kept++] = scene->bodies[i];
    scene->particle_count = frame->count + samples->count;
    scene->positions = crowd->positions, scene->materials = crowd->materials;
    scene->particle_colors = crowd->colors, scene->radii = crowd->radii;
    scene->velocities = NULL;
    scene->bodies = crowd->bodies, scene->body_count = kept;
    return true;
}

// Foam as white specks; what is about to vanish shrinks, so that nothing pops. False with a fault without memory.
typedef struct Specks {
    couVec3 *positions, *velocities;
    float *radii;
} Specks;

static bool add_foam(const couStudio *studio, const couFoam *foam, couPictureScene *scene, Specks *specks, couFaults *faults)
{
    const float fade = 0.25f; // [s]
    size_t count = foam->count + 1;
    *specks = (Specks){malloc(count * sizeof(couVec3)), malloc(count * sizeof(couVec3)), malloc(count * sizeof(float))};
    if (!specks->positions || !specks->velocities || !specks->radii) {
        couFaults_Add(faults, NULL, NULL, "no memory for the picture of %zu particles of foam", foam->count);
        return false;
    }
    for (size_t i = 0; i < foam->count; ++i) {
        const couFoamParticle *p = &foam->items[i];
        float size = 0.06f + 0.08f * (float)(couMix32(p->id) >> 8) * 0x1p-24f; // of a spacing
        specks->positions[i] = p->position, specks->velocities[i] = p->velocity;
        specks->radii[i] = size * studio->def.spacing * fminf(cbrtf(p->life / fade), 1.0f);
    }
    scene->speck_count = foam->count;
    scene->speck_positions = specks->positions, scene->speck_velocities = specks->velocities;
    scene->speck_radii = specks->radii;
    return true;
}

// The scale of the particles' colours, then those of the solids'.
static void add_legends(const couStudio *studio, bool has_values, const couProps *props, couImage *image)
{
    const couColors *colors = &studio->def.colors;
    const char *unit = couFrameColumn_Unit(colors->by);
    char title[COU_NAME_SIZE + 16];
    snprintf(title, sizeof title, *unit ? "%s [%s]" : "%s", colors->by, unit);
    couLegend legends[MOST_LEGENDS] = {{.title = title, .low = colors->low, .high = colors->high, .map = colors->map}};
    int count = has_values ? 1 : 0;
    for (int k = 0; k < props->legend_count && count < MOST_LEGENDS; ++k) legends[count++] = props->legends[k];
    if (colors->has_legend) couDrawLegends(image, legends, count);
}

bool couStudio_Draw(couStudio *studio, const couFrame *frame, const float *values, const couFrame *samples, int number,
                    couProps props, couImage *image, couLayers *layers, couFaults *faults)
{
    const couStudioDef *def = &studio->def;
    *image = (couImage){0};
    if (layers) *layers = (couLayers){0};
    couPictureScene scene = make_scene(studio, frame, props.bodies, props.body_count);
    couPictureOptions options = look_at(studio, frame->time, number);
    bool is_flat = def->dimension == 2, is_final = def->style.quality == cou_qualityFinal && !is_flat;
    couSplats splats = {0};
    couVec3 *colors = values && !is_final ? paint_particles(studio, frame, values, faults) : NULL;
    Skin *skin = calloc(1, sizeof *skin);
    couPictureSurface *drawn = calloc((size_t)props.solid_count + MOST_LOOKS, sizeof *drawn);
    bool is_good = skin && drawn;
    scene.particle_colors = colors;
    if (!is_good) couFaults_Add(faults, NULL, NULL, "no memory for a picture");
    is_good = is_good && (is_final || !values || colors);
    if (is_final && is_good && frame->count > 0)
        is_good = values ? build_painted_skin(studio, frame, values, skin, faults) : build_skin(studio, frame, skin, faults);
    if (is_good) {
        memcpy(drawn, skin->drawn, (size_t)skin->count * sizeof *drawn);
        for (int k = 0; k < props.solid_count; ++k) drawn[skin->count + k] = props.solids[k];
        scene.surfaces = drawn, scene.surface_count = skin->count + props.solid_count;
    }
    Crowd crowd = {0};
    if (is_good && samples && (is_flat || def->style.quality == cou_qualityPreview))
        is_good = add_samples(frame, samples, &scene, &crowd, faults);
    Specks specks = {0};
    if (is_good && props.foam && !is_flat) is_good = add_foam(studio, props.foam, &scene, &specks, faults);
    if (is_good && def->style.quality == cou_qualitySplats && !is_flat) {
        couSurfacePoints points = couFramePoints(frame, def->dimension);
        is_good = couFindSplats(&def->surface, &points, 0.0f, &splats, faults);
        scene.splats = &splats;
    }
    if (is_good)
        is_good = layers && is_final ? couRenderLayers(studio->renderer, &scene, &options, image, layers, faults)
                                     : couRenderPicture(studio->renderer, &scene, &options, image, faults);
    if (is_good) add_legends(studio, values != NULL, &props, image);
    for (int k = 0; skin && k < skin->count; ++k) couSurface_Clear(&skin->surfaces[k]);
    free(skin);
    free(colors);
    free_crowd(&crowd);
    free(specks.positions);
    free(specks.velocities);
    free(specks.radii);
    free(drawn);
    couSplats_Clear(&splats);
    return is_good;
}
