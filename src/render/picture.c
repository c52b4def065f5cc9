// Pictures: checks the request, puts the scene on a stage, and walks over the picture in tiles of 16 x 16 pixels that threads take
// in any order. A pixel's rays and patterns follow from its place alone, so that the image is the same for any number of threads.
//
// Cost: 100,000 particles at 1280 x 720 with 2 x 2 samples take about a second on two cores, half of it in Embree. An
// empty picture takes 0.3 s, one through a glass tank nearly twice as long.
#include "render/picture.h"

#include "base/base.h"
#include "base/parallel.h"
#include "render/flat.h"
#include "render/light.h"
#include "render/shade.h"
#include "render/stage.h"
#include "render/view.h"

#define TILE 16

struct couRenderer {
    couParallel parallel;
    RTCDevice device;
};

typedef struct couDrawing {
    couImage *image;
    couView view;
    couStage stage;
    couShading shading;
    const couPictureScene *scene;
    int samples; // per pixel side
} couDrawing;

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

// --- Checks ------------------------------------------------------------------------------------------------------------------

static void check_int(const char *key, int value, int min, int max, couFaults *faults)
{
    if (value < min || value > max) couFaults_Add(faults, NULL, key, "is %d; allowed: %d to %d", value, min, max);
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
}

static void check_camera(const couPictureScene *scene, const couPictureOptions *options, couFaults *faults)
{
    if (scene->dimension == 2) return;
    if (options->fov != 0.0f && !(options->fov >= 1.0f && options->fov <= 150.0f))
        couFaults_Add(faults, NULL, "camera.fov", "is %g degrees; allowed: 1 to 150", (double)options->fov);
    if (options->is_auto_camera) return;
    couVec3 from = options->from, to = options->to;
    float distance = couLength(couSub(to, from));
    if (!(distance > 1e-6f && distance < 1e9f))
        couFaults_Add(faults, NULL, "camera.from", "(%g, %g, %g) is %g m from camera.to (%g, %g, %g); allowed: 1e-6 to 1e9",
                      (double)from.x, (double)from.y, (double)from.z, (double)distance, (double)to.x, (double)to.y, (double)to.z);
}

static bool check_request(const couPictureScene *scene, const couPictureOptions *options, couFaults *faults)
{
    int before = faults->count;
    check_int("picture.width", options->width, 16, 16384, faults);
    check_int("picture.height", options->height, 16, 16384, faults);
    check_int("picture.samples", options->samples, 1, 16, faults);
    check_scene(scene, faults);
    check_camera(scene, options, faults);
    return faults->count == before;
}

// --- Camera ------------------------------------------------------------------------------------------------------------------

static couBounds bodies_bounds(const couPictureScene *scene)
{
    couBounds all = couEmptyBounds();
    for (int i = 0; i < scene->body_count; i++) {
        couBounds local;
        const couPictureBody *body = &scene->bodies[i];
        if (!body->shape || !(body->opacity > 0.0f) || !couShape_Bounds(body->shape, scene->dimension, &local)) continue;
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

// What is to be seen: as asked, else the particles, else the bodies, else a cubic metre.
static couBounds framed_bounds(const couPictureScene *scene, const couPictureOptions *options)
{
    if (!couBounds_IsEmpty(options->frame, scene->dimension)) return options->frame;
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
    if (options->is_auto_camera) return couLookAtBox(framed_bounds(scene, options), fov, width, height);
    return couLookFrom(options->from, options->to, fov, width, height);
}

// --- Pixels ------------------------------------------------------------------------------------------------------------------

// Sample (i, j) of n x n in a pixel: like rooks on a board, no two share a row or a column, which smooths steep edges best.
static couRay sample_ray(const couDrawing *drawing, int x, int y, int i, int j)
{
    float n = (float)drawing->samples;
    float u = ((float)i + ((float)j + 0.5f) / n) / n, v = ((float)j + ((float)i + 0.5f) / n) / n;
    return couView_Ray(&drawing->view, (float)x + u, (float)y + v);
}

static void store_pixel(const couDrawing *drawing, int x, int y, couVec3 color, float dither)
{
    uint8_t *rgb = drawing->image->rgb + 3 * ((size_t)y * (size_t)drawing->image->width + (size_t)x);
    rgb[0] = couEncodeSrgb(color.x, dither);
    rgb[1] = couEncodeSrgb(color.y, dither);
    rgb[2] = couEncodeSrgb(color.z, dither);
}

static void draw_pixel(couDrawing *drawing, int x, int y)
{
    int n = drawing->samples;
    couVec3 sum = {0, 0, 0};
    for (int k = 0; k < n * n; k++) {
        couRay ray = sample_ray(drawing, x, y, k % n, k / n);
        // The curve before the mean: a bright sample must not eat the edge of a dark thing.
        sum = couAdd(sum, couToneMap(couShading_Color(&drawing->shading, ray, x, y, k)));
    }
    // Half a step of dither hides the bands of the sky.
    store_pixel(drawing, x, y, couScale(1.0f / (float)(n * n), sum), 0.9f * (couPixelNoise(x + 7, y + 3) - 0.5f));
}

static void draw_flat_pixel(const couDrawing *drawing, const couFlatTile *tile, int x, int y)
{
    int n = drawing->samples;
    couVec3 sum = {0, 0, 0};
    for (int k = 0; k < n * n; k++) {
        couRay ray = sample_ray(drawing, x, y, k % n, k / n);
        sum = couAdd(sum, couFlatColor(&drawing->stage, drawing->scene, &drawing->view, tile, ray));
    }
    store_pixel(drawing, x, y, couScale(1.0f / (float)(n * n), sum), 0.0f);
}

static int tile_columns(const couDrawing *drawing) { return (drawing->view.width + TILE - 1) / TILE; }

static void draw_tile(couDrawing *drawing, int tile)
{
    const couView *view = &drawing->view;
    int x0 = tile % tile_columns(drawing) * TILE, y0 = tile / tile_columns(drawing) * TILE;
    bool is_flat = drawing->scene->dimension == 2;
    couFlatTile flat = {0};
    if (is_flat) {
        couRay centre = couView_Ray(view, (float)x0 + 0.5f * TILE, (float)y0 + 0.5f * TILE);
        flat = couFindFlatBodies(&drawing->stage, centre.origin, 0.75f * TILE * view->pixel);
    }
    for (int y = y0; y < COU_MIN(y0 + TILE, view->height); y++) {
        for (int x = x0; x < COU_MIN(x0 + TILE, view->width); x++) {
            if (is_flat)
                draw_flat_pixel(drawing, &flat, x, y);
            else
                draw_pixel(drawing, x, y);
        }
    }
}

static void draw_tiles(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)block, (void)worker;
    for (size_t tile = begin; tile < end; tile++) draw_tile(context, (int)tile);
}

static bool draw(couRenderer *renderer, couDrawing *drawing, couFaults *faults)
{
    if (!couStage_Build(&drawing->stage, renderer->device, drawing->scene, &drawing->view, faults)) return false;
    drawing->shading = (couShading){
        .stage = &drawing->stage,
        .scene = drawing->scene,
        .view = &drawing->view,
        .sample_count = drawing->samples * drawing->samples,
    };
    bool is_flat = drawing->scene->dimension == 2;
    if (!is_flat && !couShading_Prepare(&drawing->shading, &renderer->parallel, faults)) return false;
    size_t rows = (size_t)(drawing->view.height + TILE - 1) / TILE;
    couFor(&renderer->parallel, (size_t)tile_columns(drawing) * rows, 4, draw_tiles, drawing);
    return true;
}

bool couRenderPicture(couRenderer *renderer, const couPictureScene *scene, const couPictureOptions *options, couImage *image,
                      couFaults *faults)
{
    *image = (couImage){0};
    if (!check_request(scene, options, faults)) return false;
    couDrawing drawing = {.image = image, .scene = scene, .samples = options->samples};
    drawing.view = choose_camera(scene, options);
    image->rgb = couAlloc(NULL, 3 * (size_t)options->width * (size_t)options->height);
    if (!image->rgb) {
        couFaults_Add(faults, NULL, "picture", "not enough memory for %d x %d pixels", options->width, options->height);
        return false;
    }
    image->width = options->width;
    image->height = options->height;
    bool is_drawn = draw(renderer, &drawing, faults);
    couShading_Clear(&drawing.shading);
    couStage_Clear(&drawing.stage);
    if (!is_drawn) couFreeImage(image);
    return is_drawn;
}

void couFreeImage(couImage *image)
{
    couFree(NULL, image->rgb);
    *image = (couImage){0};
}
