// Final pictures: all paths of a pixel are summed in order by one thread, so that the picture is the same for any number of
// threads; then the grain is taken out and the light put on film. Blocks of pixels whose grain the denoiser will take out
// without a trace stop before they have all their paths; what a block does follows from its own pixels alone.
//
// Cost: see docs/pictures.md. Memory: 52 bytes a pixel, and 68 more while denoising.
#include "render/draw.h"

#include "base/base.h"
#include "render/denoise.h"
#include "render/light.h"
#include "render/path.h"

#define BLOCK 8        // pixels along an edge that stop together
#define FIRST_PATHS 16 // before a block may stop

static const float exposure = 0.72f; // light that bounces brightens a picture: as bright as a preview, on the whole

typedef struct couFinal {
    const couDrawing *drawing;
    couStage stage;
    couTracer tracer;
    couLayers layers;
    float *variance; // of the mean, of brightness over albedo
    float *blur;     // of the mean albedo: variance, summed over the channels
} couFinal;

// What the paths of a pixel have brought so far.
typedef struct couPixel {
    couVec3 light, albedo, normal;
    double sum, squares; // of brightness
    double shades;       // squares of albedo
    double depth;
    int seen;
} couPixel;

static double brightness(couVec3 c) { return 0.2126 * (double)c.x + 0.7152 * (double)c.y + 0.0722 * (double)c.z; }

static void trace_pixel(const couTracer *tracer, int x, int y, int begin, int end, couPixel *pixel)
{
    for (int k = begin; k < end; ++k) {
        couPathFeatures features;
        couVec3 path = couTracer_Path(tracer, x, y, (uint32_t)k, &features);
        pixel->light = couAdd(pixel->light, path);
        pixel->albedo = couAdd(pixel->albedo, features.albedo);
        pixel->normal = couAdd(pixel->normal, features.normal);
        if (isfinite(features.depth)) pixel->depth += (double)features.depth, ++pixel->seen;
        double bright = brightness(path);
        pixel->sum += bright, pixel->squares += bright * bright;
        pixel->shades += (double)couDot(features.albedo, features.albedo);
    }
}

// Of the mean of the paths' brightness. A pixel of one path knows nothing of its noise: assume that it is as large as the light.
static double mean_variance(const couPixel *pixel, int count)
{
    double mean = pixel->sum / count, spread = COU_MAX(pixel->squares / count - mean * mean, 0.0);
    return count > 1 ? spread / (count - 1) : mean * mean;
}

static couGuide guide_of(const couPixel *pixel, int count)
{
    float inv = 1.0f / (float)count;
    couVec3 albedo = couScale(inv, pixel->albedo);
    double spread = pixel->shades / count - (double)couDot(albedo, albedo);
    return (couGuide){.albedo = albedo,
                      .normal = couScale(inv, pixel->normal),
                      .depth = 2 * pixel->seen >= count ? (float)(pixel->depth / pixel->seen) : INFINITY,
                      .blur = (float)(COU_MAX(spread, 0.0) / COU_MAX(count - 1, 1))};
}

static void keep_pixel(const couFinal *final, int x, int y, const couPixel *pixel, int count)
{
    size_t i = (size_t)y * (size_t) final->layers.width + (size_t)x;
    couGuide guide = guide_of(pixel, count);
    final->layers.radiance[i] = couScale(1.0f / (float)count, pixel->light);
    final->layers.albedo[i] = guide.albedo;
    final->layers.normal[i] = guide.normal;
    final->layers.alpha[i] = (float)pixel->seen / (float)count;
    final->layers.depth[i] = guide.depth;
    final->blur[i] = guide.blur;
    double tint = COU_MAX(brightness(guide.albedo), 0.02);
    final->variance[i] = (float)(mean_variance(pixel, count) / (tint * tint));
}

// Whether the denoiser will leave too little to see of the noise that the pixels still have: it takes means over what is alike,
// of which the block is a sample. Noise is measured as the eye sees it, relative to the light, in the dark to a tenth of white.
static bool is_clean(const couFinal *final, const couPixel *pixels, int columns, int rows, int count)
{
    const double dark = 0.1, limit = (double) final->drawing->options->max_grain;
    couGuide guides[BLOCK * BLOCK];
    double sum = 0.0;
    int looked_at = 0, pixel_count = columns * rows;
    for (int i = 0; i < pixel_count; ++i) guides[i] = guide_of(&pixels[i], count);
    for (int i = 0; i < pixel_count; i += 3, ++looked_at) {
        float alike = 0.0f;
        for (int j = 0; j < pixel_count; ++j) {
            int dx = j % columns - i % columns, dy = j / columns - i / columns;
            alike += couLikeness(&guides[i], &guides[j], sqrtf((float)(dx * dx + dy * dy)), final->drawing->view.pixel,
                                 COU_LIGHT_SHADE);
        }
        double level = pixels[i].sum / count + dark;
        sum += mean_variance(&pixels[i], count) / ((double)alike * level * level);
    }
    return sum < limit * limit * looked_at;
}

// Paths double from round to round: the sampler's points are even over each power of two.
static void trace_block(const couFinal *final, int x0, int y0)
{
    const couPictureOptions *options = final->drawing->options;
    int columns = COU_MIN(BLOCK, final->layers.width - x0), rows = COU_MIN(BLOCK, final->layers.height - y0);
    couPixel pixels[BLOCK * BLOCK] = {0};
    bool may_stop = options->is_denoised && options->max_grain > 0.0f;
    int count = 0;
    do {
        int end = may_stop ? COU_MIN(count > 0 ? 2 * count : FIRST_PATHS, options->paths) : options->paths;
        for (int y = 0; y < rows; ++y) {
            for (int x = 0; x < columns; ++x) trace_pixel(&final->tracer, x0 + x, y0 + y, count, end, &pixels[y * columns + x]);
        }
        count = end;
    } while (count < options->paths && !is_clean(final, pixels, columns, rows, count));
    for (int y = 0; y < rows; ++y) {
        for (int x = 0; x < columns; ++x) keep_pixel(final, x0 + x, y0 + y, &pixels[y * columns + x], count);
    }
}

static int block_columns(const couFinal *final) { return (final->layers.width + BLOCK - 1) / BLOCK; }

static void trace_blocks(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)block, (void)worker;
    const couFinal *final = context;
    for (size_t k = begin; k < end; ++k)
        trace_block(final, (int)k % block_columns(final) * BLOCK, (int)k / block_columns(final) * BLOCK);
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
    final->blur = couAlloc(NULL, count * sizeof(float));
    const couLayers *layers = &final->layers;
    if (layers->radiance && layers->albedo && layers->normal && layers->depth && layers->alpha && final->variance && final->blur)
        return true;
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
    size_t rows = (size_t)(options->height + BLOCK - 1) / BLOCK;
    couFor(drawing->parallel, (size_t)block_columns(final) * rows, 1, trace_blocks, final);
    const couLayers *layers = &final->layers;
    couNoisy noisy = {.width = layers->width,
                      .height = layers->height,
                      .radiance = layers->radiance,
                      .variance = final->variance,
                      .albedo = layers->albedo,
                      .blur = final->blur,
                      .normal = layers->normal,
                      .depth = layers->depth,
                      .pixel = drawing->view.pixel};
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
    couFree(NULL, final.blur);
    couTracer_Clear(&final.tracer);
    couStage_Clear(&final.stage);
    return is_drawn;
}
