// Pictures: checks the request, chooses the camera, and hands over to the quality that was asked for.
#include "coulis/picture.h"

#include "base/base.h"
#include "base/parallel.h"
#include "render/draw.h"
#include "render/view.h"

#include <embree3/rtcore.h>

struct couRenderer {
    couParallel parallel;
    RTCDevice device;
};

couRenderer *couCreateRenderer(int threads, couFaults *faults)
{
    if (threads < 0 || threads > COU_MAX_THREADS) {
        couFaults_Add(faults, NULL, "threads", "is %d; allowed: 0 (all cores) to %d", threads, COU_MAX_THREADS);
        return NULL;
    }
    couRenderer *renderer = couAlloc(NULL, sizeof(couRenderer));
    RTCDevice device = renderer ? rtcNewDevice("threads=1") : NULL;
    if (!device) {
        couFaults_Add(faults, NULL, "picture", "Embree cannot start (error %d)", (int)rtcGetDeviceError(NULL));
        couFree(NULL, renderer);
        return NULL;
    }
    renderer->device = device;
    renderer->parallel = couMakeParallel(threads);
    return renderer;
}

void couDestroyRenderer(couRenderer *renderer)
{
    if (!renderer) return;
    rtcReleaseDevice(renderer->device);
    couFreeParallel(&renderer->parallel);
    couFree(NULL, renderer);
}

// --- Checks -----------------------------------------------------------------------------------------------------------------

static void check_int(const char *key, int value, int min, int max, couFaults *faults)
{
    if (value < min || value > max) couFaults_Add(faults, NULL, key, "is %d; allowed: %d to %d", value, min, max);
}

static void check_float(const char *key, const char *unit, float value, float min, float max, couFaults *faults)
{
    if (value >= min && value <= max) return; // NaN is a fault
    couFaults_Add(faults, NULL, key, "is %g%s%s; allowed: %g to %g", (double)value, *unit ? " " : "", unit, (double)min,
                  (double)max);
}

static void check_surfaces(const couPictureScene *scene, couFaults *faults)
{
    if (scene->surface_count < 0 || (scene->surface_count > 0 && !scene->surfaces)) {
        couFaults_Add(faults, NULL, "picture.surfaces", "are %d, or missing", scene->surface_count);
        return;
    }
    for (int i = 0; i < scene->surface_count; ++i) {
        const couSurface *surface = scene->surfaces[i].surface;
        if (!surface || surface->dimension != 3)
            couFaults_Add(faults, NULL, "picture.surfaces", "number %d is missing or not of 3 dimensions", i + 1);
        else if (surface->vertex_count > INT32_MAX || surface->element_count > INT32_MAX)
            couFaults_Add(faults, NULL, "picture.surfaces", "number %d has %zu triangles; at most %d can be drawn", i + 1,
                          surface->element_count, INT32_MAX);
    }
}

static void check_scene(const couPictureScene *scene, couFaults *faults)
{
    if (scene->dimension != 2 && scene->dimension != 3)
        couFaults_Add(faults, NULL, "picture.dimension", "is %d; allowed: 2 or 3", scene->dimension);
    if (scene->particle_count > INT32_MAX)
        couFaults_Add(faults, NULL, "picture.particles", "are %zu; at most %d can be drawn", scene->particle_count, INT32_MAX);
    if (scene->particle_count > 0 && !scene->positions)
        couFaults_Add(faults, NULL, "picture.particles", "are %zu without positions", scene->particle_count);
    if (scene->particle_count > 0 && !(scene->radius > 0.0f && scene->radius < 1e6f))
        couFaults_Add(faults, NULL, "picture.radius", "is %g m; allowed: above 0 to 1e6", (double)scene->radius);
    if (scene->material_count < 0)
        couFaults_Add(faults, NULL, "picture.material_count", "is %d; allowed: 0 and more", scene->material_count);
    if (scene->body_count < 0 || (scene->body_count > 0 && !scene->bodies))
        couFaults_Add(faults, NULL, "picture.bodies", "are %d, or missing", scene->body_count);
    if (scene->dimension == 3) check_surfaces(scene, faults);
}

static void check_camera(const couPictureScene *scene, const couPictureOptions *options, couFaults *faults)
{
    if (scene->dimension == 2) return;
    if (options->fov != 0.0f) check_float("camera.fov", "degrees", options->fov, 1.0f, 150.0f, faults);
    if (options->is_auto_camera) return;
    couVec3 from = options->from, to = options->to;
    float distance = couLength(couSub(to, from));
    if (!(distance > 1e-6f && distance < 1e9f))
        couFaults_Add(faults, NULL, "camera.from", "(%g, %g, %g) is %g m from camera.to (%g, %g, %g); allowed: 1e-6 to 1e9",
                      (double)from.x, (double)from.y, (double)from.z, (double)distance, (double)to.x, (double)to.y, (double)to.z);
}

static void check_final(const couPictureOptions *options, couFaults *faults)
{
    check_int("picture.paths", options->paths, 1, 65536, faults);
    check_float("camera.aperture", "m", options->aperture, 0.0f, 1e6f, faults);
    check_float("camera.focus_distance", "m", options->focus_distance, 0.0f, 1e9f, faults);
    check_float("picture.shutter", "", options->shutter, 0.0f, 1.0f, faults);
    if (options->shutter > 0.0f) check_float("picture.frame_time", "s", options->frame_time, 1e-6f, 1e6f, faults);
    check_float("picture.max_grain", "", options->max_grain, 0.0f, 1e9f, faults);
    check_float("picture.max_radiance", "", options->max_radiance, 0.0f, 1e9f, faults);
    check_float("picture.uniform_light", "", options->uniform_light, 0.0f, 1e6f, faults);
}

static bool check_request(const couPictureScene *scene, const couPictureOptions *options, couFaults *faults)
{
    int before = faults->count;
    check_int("picture.width", options->width, 16, 16384, faults);
    check_int("picture.height", options->height, 16, 16384, faults);
    check_int("picture.quality", options->quality, cou_qualityPreview, cou_qualityFinal, faults);
    if (options->quality == cou_qualityFinal)
        check_final(options, faults);
    else
        check_int("picture.samples", options->samples, 1, 16, faults);
    check_scene(scene, faults);
    check_camera(scene, options, faults);
    return faults->count == before;
}

// --- Camera -----------------------------------------------------------------------------------------------------------------

static couBounds bodies_bounds(const couPictureScene *scene)
{
    couBounds all = couEmptyBounds();
    for (int i = 0; i < scene->body_count; ++i) {
        couBounds local;
        const couPictureBody *body = &scene->bodies[i];
        if (!body->shape || !(body->look.opacity > 0.0f) || !couShape_Bounds(body->shape, scene->dimension, &local)) continue;
        if (couBounds_IsEmpty(local, scene->dimension) || !couIsFinite3(body->pose.position)) continue;
        // Any rotation of the box is inside the sphere around its centre.
        couVec3 half = couScale(0.5f, couSub(local.upper, local.lower));
        if (scene->dimension == 2) half.z = local.lower.z = local.upper.z = 0.0f;
        float radius = couLength(half);
        couVec3 centre = couToWorld(body->pose, couScale(0.5f, couAdd(local.lower, local.upper)));
        couVec3 reach = {radius, radius, radius};
        if (couIsFinite3(centre)) all = couBounds_Union(all, (couBounds){couSub(centre, reach), couAdd(centre, reach)});
    }
    return all;
}

static couBounds surfaces_bounds(const couPictureScene *scene)
{
    couBounds all = couEmptyBounds();
    for (int i = 0; scene->dimension == 3 && i < scene->surface_count; ++i) {
        const couSurface *surface = scene->surfaces[i].surface;
        all = couBounds_Union(all, couParticleBounds(surface->vertices, surface->vertex_count));
    }
    return all;
}

// What is to be seen: as asked, else surfaces, else the particles, else the bodies, else a cubic metre.
static couBounds framed_bounds(const couPictureScene *scene, const couPictureOptions *options)
{
    if (!couBounds_IsEmpty(options->frame, scene->dimension)) return options->frame;
    couBounds surfaces = surfaces_bounds(scene);
    if (options->quality == cou_qualityFinal && !couBounds_IsEmpty(surfaces, scene->dimension)) return surfaces;
    couBounds bounds = couParticleBounds(scene->positions, scene->particle_count);
    couVec3 radius = {scene->radius, scene->radius, scene->radius};
    if (!couBounds_IsEmpty(bounds, scene->dimension))
        return (couBounds){couSub(bounds.lower, radius), couAdd(bounds.upper, radius)};
    bounds = bodies_bounds(scene);
    if (!couBounds_IsEmpty(bounds, scene->dimension)) return bounds;
    return (couBounds){{-0.5f, 0.0f, -0.5f}, {0.5f, 1.0f, 0.5f}};
}

static couView choose_camera(const couPictureScene *scene, const couPictureOptions *options)
{
    float fov = options->fov > 0.0f ? options->fov : 35.0f;
    int width = options->width, height = options->height;
    if (scene->dimension == 2) return couLookFlat(framed_bounds(scene, options), width, height);
    float turn = options->is_turning && isfinite(options->turn) ? options->turn : NAN;
    if (options->is_auto_camera) return couLookAtBox(framed_bounds(scene, options), fov, turn, width, height);
    return couLookFrom(options->from, options->to, fov, width, height);
}

// --- Drawing ----------------------------------------------------------------------------------------------------------------

couPictureOptions couDefaultPictureOptions(void)
{
    return (couPictureOptions){
        .width = 1280,
        .height = 720,
        .is_auto_camera = true,
        .frame = couEmptyBounds(),
        .samples = 2,
        .paths = 64,
        .max_grain = 0.02f,
        .frame_time = 1.0f / 30.0f,
        .is_denoised = true,
        .max_radiance = 20.0f,
    };
}

bool couRenderLayers(couRenderer *renderer, const couPictureScene *scene, const couPictureOptions *options, couImage *image,
                     couLayers *layers, couFaults *faults)
{
    *image = (couImage){0};
    if (layers) *layers = (couLayers){0};
    if (!check_request(scene, options, faults)) return false;
    bool is_final = options->quality == cou_qualityFinal && scene->dimension == 3;
    if (layers && !is_final) {
        couFaults_Add(faults, NULL, "picture.quality", "layers are made by the quality 'final' in 3 dimensions only");
        return false;
    }
    couDrawing drawing = {renderer->device, &renderer->parallel, scene, options, choose_camera(scene, options), image, layers};
    image->rgb = couAlloc(NULL, 3 * (size_t)options->width * (size_t)options->height);
    if (!image->rgb) {
        couFaults_Add(faults, NULL, "picture", "not enough memory for %d x %d pixels", options->width, options->height);
        return false;
    }
    image->width = options->width;
    image->height = options->height;
    bool is_drawn = is_final ? couDrawFinal(&drawing, faults) : couDrawPreview(&drawing, faults);
    if (is_drawn) return true;
    couFreeImage(image);
    if (layers) couFreeLayers(layers);
    return false;
}

bool couRenderPicture(couRenderer *renderer, const couPictureScene *scene, const couPictureOptions *options, couImage *image,
                      couFaults *faults)
{
    return couRenderLayers(renderer, scene, options, image, NULL, faults);
}

void couFreeImage(couImage *image)
{
    couFree(NULL, image->rgb);
    *image = (couImage){0};
}

void couFreeLayers(couLayers *layers)
{
    couFree(NULL, layers->radiance);
    couFree(NULL, layers->albedo);
    couFree(NULL, layers->normal);
    couFree(NULL, layers->depth);
    couFree(NULL, layers->alpha);
    *layers = (couLayers){0};
}
