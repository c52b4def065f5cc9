// Final pictures: all paths of a pixel are summed in order by one thread, so that the picture is the same for any number of
// threads; then the grain is taken out and the light put on film.
//
// Cost: see docs/pictures.md. Memory: 48 bytes a pixel, and 36 more while denoising.
#include "render/draw.h"

#include "base/base.h"
#include "render/denoise.h"
#include "render/light.h"
#include "render/path.h"

#define TILE 16

static const float exposure = 0.72f; // light that bounces brightens a picture: as bright as a preview, on the whole

typedef struct couFinal {
    const couDrawing *drawing;
    couStage stage;
    couTracer tracer;
    couLayers layers;
    float *variance; // of the mean, of brightness over albedo
} couFinal;

static void trace_pixel(const couFinal *final, int x, int y)
{
    int count = final->drawing->options->paths;
    couVec3 light = {0, 0, 0}, albedo = {0, 0, 0}, normal = {0, 0, 0};
    double sum = 0.0, squares = 0.0, depth = 0.0;
    int seen = 0;
    for (int k = 0; k < count; ++k) {
        couPathFeatures features;
        couVec3 path = couTracer_Path(&final->tracer, x, y, (uint32_t)k, &features);
        light = couAdd(light, path);
        albedo = couAdd(albedo, features.albedo);
        normal = couAdd(normal, features.normal);
        if (isfinite(features.depth)) depth += (double)features.depth, ++seen;
        double bright = 0.2126 * (double)path.x + 0.7152 * (double)path.y + 0.0722 * (double)path.z;
        sum += bright, squares += bright * bright;
    }
    float inv = 1.0f / (float)count;
    size_t i = (size_t)y * (size_t) final->layers.width + (size_t)x;
    final->layers.radiance[i] = couScale(inv, light);
    final->layers.albedo[i] = albedo = couScale(inv, albedo);
    final->layers.normal[i] = couScale(inv, normal);
    final->layers.alpha[i] = (float)seen * inv;
    final->layers.depth[i] = 2 * seen >= count ? (float)(depth / seen) : INFINITY;
    double mean = sum / count, spread = COU_MAX(squares / count - mean * mean, 0.0);
    // A pixel of one path knows nothing of its noise: assume that it is as large as the light.
    double variance = count > 1 ? spread / (count - 1) : mean * mean;
    double tint = COU_MAX(0.2126 * (double)albedo.x + 0.7152 * (double)albedo.y + 0.0722 * (double)albedo.z, 0.02);
    final->variance[i] = (float)(variance / (tint * tint));
}

static int tile_columns(const couFinal *final) { return (final->layers.width + TILE - 1) / TILE; }

static void trace_tiles(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)block, (void)worker;
    const couFinal *final = context;
    for (size_t tile = begin; tile < end; ++tile) {
        int x0 = (int)tile % tile_columns(final) * TILE, y0 = (int)tile / tile_columns(final) * TILE;
        for (int y = y0; y < COU_MIN(y0 + TILE, final->layers.height); ++y) {
            for (int x = x0; x < COU_MIN(x0 + TILE, final->layers.width); ++x) trace_pixel(final, x, y);
        }
    }
}

static void develop_rows(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)block, (void)worker;
    const couFinal *final = context;
    int width = final->layers.width;
    for (size_t y = begin; y < end; ++y) {
        for (int x = 0; x < width; ++x) {
            size_t i = y * (size_t)width + (size_t)x;
            couVec3 color = couToneMap(couScale(exposure, final->layers.radiance[i]));
            uint8_t *rgb = final->drawing->image->rgb + 3 * i;
            // Half a step of dither hides the bands of the sky.
            float dither = 0.9f * (couPixelNoise(x + 7, (int)y + 3) - 0.5f);
            rgb[0] = couEncodeSrgb(color.x, dither);
            rgb[1] = couEncodeSrgb(color.y, dither);
            rgb[2] = couEncodeSrgb(color.z, dither);
        }
    }
}

static bool allocate(couFinal *final, couFaults *faults)
{
    int width = final->drawing->options->width, height = final->drawing->options->height;
    size_t count = (size_t)width * (size_t)height;
    final->layers = (couLayers){
        .width = width,
        .height = height,
        .radiance = couAlloc(NULL, count * sizeof(couVec3)),
        .albedo = couAlloc(NULL, count * sizeof(couVec3)),
        .normal = couAlloc(NULL, count * sizeof(couVec3)),
        .depth = couAlloc(NULL, count * sizeof(float)),
        .alpha = couAlloc(NULL, count * sizeof(float)),
    };
    final->variance = couAlloc(NULL, count * sizeof(float));
    const couLayers *layers = &final->layers;
    if (layers->radiance && layers->albedo && layers->normal && layers->depth && layers->alpha && final->variance) return true;
    couFaults_Add(faults, NULL, "picture", "not enough memory for the light of %d x %d pixels", width, height);
    return false;
}

static bool draw(couFinal *final, couFaults *faults)
{
    const couDrawing *drawing = final->drawing;
    const couPictureOptions *options = drawing->options;
    couStageOptions how = {.is_final = true,
                           .shutter_time = options->shutter > 0.0f ? options->shutter * options->frame_time : 0.0f};
    if (!allocate(final, faults)) return false;
    if (!couStage_Build(&final->stage, drawing->device, drawing->scene, &drawing->view, how, faults)) return false;
    if (!couTracer_Prepare(&final->tracer, &final->stage, drawing->scene, options, &drawing->view, faults)) return false;
    size_t rows = (size_t)(options->height + TILE - 1) / TILE;
    couFor(drawing->parallel, (size_t)tile_columns(final) * rows, 1, trace_tiles, final);
    const couLayers *layers = &final->layers;
    couNoisy noisy = {layers->width,  layers->height, layers->radiance, final->variance,
                      layers->albedo, layers->normal, layers->depth,    drawing->view.pixel};
    if (options->is_denoised && !couDenoise(drawing->parallel, &noisy)) {
        couFaults_Add(faults, NULL, "picture", "not enough memory to take the grain out of %d x %d pixels", options->width,
                      options->height);
        return false;
    }
    couFor(drawing->parallel, (size_t)options->height, 8, develop_rows, final);
    return true;
}

bool couDrawFinal(const couDrawing *drawing, couFaults *faults)
{
    couFinal final = {.drawing = drawing};
    bool is_drawn = draw(&final, faults);
    if (is_drawn && drawing->layers)
        *drawing->layers = final.layers;
    else
        couFreeLayers(&final.layers);
    couFree(NULL, final.variance);
    couTracer_Clear(&final.tracer);
    couStage_Clear(&final.stage);
    return is_drawn;
}
