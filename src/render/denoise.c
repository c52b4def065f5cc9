// Denoising: five passes of a 5 x 5 filter whose holes widen ("a trous" [Dammertz et al. 2010]), so that 125 pixels around take
// part at the cost of 125 reads. A neighbour counts by how alike it is: in normal, albedo and depth, which have little noise,
// and in brightness, measured by the noise that this pixel is known to have [Schied et al. 2017]. What is filtered is light
// over albedo, so that textures and colours stay sharp.
//
// Behind glass a path's albedo is that of what it met by chance, and its mean is noisy too: it is cleaned first, by how much
// its noise allows. Light is divided by the albedo of its own paths, whose noise it shares, and multiplied by the clean one.
//
// Variances from few paths are noisy themselves: they are blurred before use and follow the filter from pass to pass. Single
// bright specks, whose variance is as large as they are, are first pulled down to the brightest of their neighbours.
#include "render/denoise.h"

#include "base/base.h"
#include "render/light.h"

#include <stdlib.h>

#define PASSES 5

typedef struct couPass {
    const couNoisy *picture;
    const couVec3 *albedo; // as clean as it is by now
    const float *blur;     // of that
    const couVec3 *light;  // over albedo
    const float *variance;
    couVec3 *new_light;
    float *new_variance;
    float *level; // brightness around a pixel
    int step;     // [pixels]
} couPass;

static const couVec3 brightness_of = {0.2126f, 0.7152f, 0.0722f};

static couVec3 safe_albedo(couVec3 a) { return (couVec3){COU_MAX(a.x, 0.02f), COU_MAX(a.y, 0.02f), COU_MAX(a.z, 0.02f)}; }

static couVec3 divide(couVec3 a, couVec3 b) { return (couVec3){a.x / b.x, a.y / b.y, a.z / b.z}; }

// --- Before -----------------------------------------------------------------------------------------------------------------

// Light over albedo, specks pulled down; variances blurred.
static void prepare_rows(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)block, (void)worker;
    const couPass *pass = context;
    const couNoisy *picture = pass->picture;
    int width = picture->width, height = picture->height;
    for (int y = (int)begin; y < (int)end; ++y) {
        for (int x = 0; x < width; ++x) {
            size_t i = (size_t)y * (size_t)width + (size_t)x;
            couVec3 light = divide(picture->radiance[i], safe_albedo(picture->albedo[i]));
            float own = couDot(light, brightness_of), brightest = 0.0f, variance = 0.0f, weights = 0.0f, level = 0.0f;
            for (int dy = -1; dy <= 1; ++dy) {
                for (int dx = -1; dx <= 1; ++dx) {
                    int u = COU_CLAMP(x + dx, 0, width - 1), v = COU_CLAMP(y + dy, 0, height - 1);
                    size_t j = (size_t)v * (size_t)width + (size_t)u;
                    float weight = (dx ? 1.0f : 2.0f) * (dy ? 1.0f : 2.0f);
                    variance += weight * picture->variance[j];
                    weights += weight;
                    float other = couDot(divide(picture->radiance[j], safe_albedo(picture->albedo[j])), brightness_of);
                    level += weight * other;
                    if (dx || dy) brightest = COU_MAX(brightest, other);
                }
            }
            // A speck: beyond all neighbours by more than a pixel of a true highlight would be.
            bool is_speck = own > 1.5f * brightest && own * own < 40.0f * picture->variance[i];
            pass->new_light[i] = is_speck ? couScale(brightest / own, light) : light;
            pass->new_variance[i] = variance / weights;
            pass->level[i] = level / weights;
        }
    }
}

// --- Passes -----------------------------------------------------------------------------------------------------------------

float couLikeness(const couGuide *a, const couGuide *b, float distance, float pixel, float shade)
{
    couVec3 n = couSub(a->normal, b->normal), c = couSub(a->albedo, b->albedo);
    if (isinf(a->depth) != isinf(b->depth)) return 0.0f;
    float noise = a->blur + b->blur, excess = couDot(c, c) - noise;
    float error = couDot(n, n) / 0.02f + COU_MAX(excess, 0.0f) / (shade + noise);
    if (!isinf(a->depth)) {
        // Slanted surfaces change their depth from pixel to pixel: allow for a slope of 70 degrees.
        float allowed = 3.0f * pixel * a->depth * (distance + 1.0f), d = (a->depth - b->depth) / allowed;
        error += d * d;
    }
    return error < 16.0f ? expf(-error) : 0.0f;
}

static couGuide guide_of(const couPass *pass, size_t i)
{
    return (couGuide){pass->albedo[i], pass->picture->normal[i], pass->picture->depth[i], pass->blur[i]};
}

static const float kernel[3] = {0.375f, 0.25f, 0.0625f}; // of each axis

// Evens the albedo out, as far as it is noise: edges and patterns that stand out of it stay.
static void clean_albedo(const couPass *pass, int x, int y)
{
    int width = pass->picture->width, height = pass->picture->height, step = pass->step;
    size_t i = (size_t)y * (size_t)width + (size_t)x;
    couGuide guide = guide_of(pass, i);
    couVec3 sum = {0, 0, 0};
    float blur = 0.0f, weights = 0.0f;
    for (int dy = -2; dy <= 2; ++dy) {
        for (int dx = -2; dx <= 2; ++dx) {
            int u = x + dx * step, v = y + dy * step;
            if (u < 0 || u >= width || v < 0 || v >= height) continue;
            couGuide other = guide_of(pass, (size_t)v * (size_t)width + (size_t)u);
            float distance = (float)step * sqrtf((float)(dx * dx + dy * dy)), weight = kernel[abs(dx)] * kernel[abs(dy)];
            weight *= couLikeness(&guide, &other, distance, pass->picture->pixel, 1e-5f);
            sum = couMulAdd(sum, weight, other.albedo);
            blur += weight * weight * other.blur;
            weights += weight;
        }
    }
    pass->new_light[i] = couScale(1.0f / weights, sum);
    pass->new_variance[i] = blur / (weights * weights);
}

static void clean_rows(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)block, (void)worker;
    const couPass *pass = context;
    for (int y = (int)begin; y < (int)end; ++y) {
        for (int x = 0; x < pass->picture->width; ++x) clean_albedo(pass, x, y);
    }
}

static void filter_pixel(const couPass *pass, int x, int y)
{
    const couNoisy *picture = pass->picture;
    int width = picture->width, height = picture->height, step = pass->step;
    size_t i = (size_t)y * (size_t)width + (size_t)x;
    couGuide guide = guide_of(pass, i);
    float own = couDot(pass->light[i], brightness_of);
    // The image of the sun has the noise of a thousand suns: what is twice as bright is another thing all the same.
    float noise = COU_MIN(3.0f * sqrtf(COU_MAX(pass->variance[i], 0.0f)), 0.7f * COU_MAX(own, pass->level[i])) + 1e-4f;
    couVec3 light = {0, 0, 0};
    float variance = 0.0f, weights = 0.0f;
    for (int dy = -2; dy <= 2; ++dy) {
        int v = y + dy * step;
        if (v < 0 || v >= height) continue;
        for (int dx = -2; dx <= 2; ++dx) {
            int u = x + dx * step;
            if (u < 0 || u >= width) continue;
            size_t j = (size_t)v * (size_t)width + (size_t)u;
            float weight = kernel[abs(dx)] * kernel[abs(dy)];
            if (j != i) {
                float d = (couDot(pass->light[j], brightness_of) - own) / noise;
                if (!(d * d < 16.0f)) continue;
                float distance = (float)step * sqrtf((float)(dx * dx + dy * dy));
                couGuide other = guide_of(pass, j);
                weight *= expf(-d * d) * couLikeness(&guide, &other, distance, picture->pixel, COU_LIGHT_SHADE);
            }
            light = couMulAdd(light, weight, pass->light[j]);
            variance += weight * weight * pass->variance[j];
            weights += weight;
        }
    }
    pass->new_light[i] = couScale(1.0f / weights, light);
    pass->new_variance[i] = variance / (weights * weights);
}

static void filter_rows(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)block, (void)worker;
    const couPass *pass = context;
    for (int y = (int)begin; y < (int)end; ++y) {
        for (int x = 0; x < pass->picture->width; ++x) filter_pixel(pass, x, y);
    }
}

// Albedos become clean in place of the light, twice.
static void clean_guides(const couParallel *parallel, const couNoisy *picture, couVec3 *albedo[2], float *blur[2])
{
    for (int k = 0; k < 2; ++k) {
        couPass pass = {.picture = picture,
                        .albedo = k == 0 ? picture->albedo : albedo[0],
                        .blur = k == 0 ? picture->blur : blur[0],
                        .new_light = albedo[k],
                        .new_variance = blur[k],
                        .step = 1 << k};
        couFor(parallel, (size_t)picture->height, 4, clean_rows, &pass);
    }
}

bool couDenoise(const couParallel *parallel, const couNoisy *picture)
{
    size_t rows = (size_t)picture->height, count = (size_t)picture->width * rows;
    couVec3 *light[2], *albedo[2];
    float *variance[2], *blur[2], *level = couAlloc(NULL, count * sizeof(float));
    bool has_memory = level;
    for (int k = 0; k < 2; ++k) {
        light[k] = couAlloc(NULL, count * sizeof(couVec3)), albedo[k] = couAlloc(NULL, count * sizeof(couVec3));
        variance[k] = couAlloc(NULL, count * sizeof(float)), blur[k] = couAlloc(NULL, count * sizeof(float));
        has_memory = has_memory && light[k] && albedo[k] && variance[k] && blur[k];
    }
    int now = 0;
    if (has_memory) {
        clean_guides(parallel, picture, albedo, blur);
        couPass pass = {.picture = picture, .albedo = albedo[1], .blur = blur[1], .level = level};
        pass.new_light = light[0], pass.new_variance = variance[0];
        couFor(parallel, rows, 4, prepare_rows, &pass);
        for (int k = 0; k < PASSES; ++k, now = 1 - now) {
            pass.light = light[now], pass.variance = variance[now];
            pass.new_light = light[1 - now], pass.new_variance = variance[1 - now];
            pass.step = 1 << k;
            couFor(parallel, rows, 4, filter_rows, &pass);
        }
        for (size_t i = 0; i < count; ++i) picture->radiance[i] = couMul3(light[now][i], safe_albedo(albedo[1][i]));
    }
    couFree(NULL, level);
    for (int k = 0; k < 2; ++k) {
        couFree(NULL, light[k]), couFree(NULL, albedo[k]);
        couFree(NULL, variance[k]), couFree(NULL, blur[k]);
    }
    return has_memory;
}
