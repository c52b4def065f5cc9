// Colours by a number of each particle. The scale of a film is fixed before its first frame is drawn, by a look at an even
// sample of each frame; surfaces take the number of the nearest particle, which three rounds over the mesh even out.
#include "render/paint.h"

#include "base/base.h"
#include "render/legend.h"
#include "world/look.h"

#include <stdlib.h>

enum { sample_size = 4096, rounds = 3 };

couColorRange couNoRange(void) { return (couColorRange){INFINITY, -INFINITY}; }

static int compare_floats(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

void couColorRange_Include(couColorRange *range, const float *values, size_t count)
{
    float sample[sample_size];
    size_t stride = (count + sample_size - 1) / sample_size;
    int taken = 0;
    for (size_t i = 0; i < count; i += stride)
        if (isfinite(values[i])) sample[taken++] = values[i];
    if (taken == 0) return;
    qsort(sample, (size_t)taken, sizeof sample[0], compare_floats);
    int edge = taken / 100;
    range->low = COU_MIN(range->low, sample[edge]);
    range->high = COU_MAX(range->high, sample[taken - 1 - edge]);
}

void couColorRange_Settle(const couColorRange *range, couColors *colors)
{
    bool is_low_auto = isnan(colors->low), is_high_auto = isnan(colors->high);
    if (!is_low_auto && !is_high_auto) return;
    bool has_any = range->high >= range->low;
    double low = is_low_auto ? (has_any ? (double)range->low : 0.0) : (double)colors->low;
    double high = is_high_auto ? (has_any ? (double)range->high : 1.0) : (double)colors->high;
    // Numbers that are all alike, or beyond the end that was given, still need a scale.
    double least = COU_MAX(1e-6 * COU_MAX(fabs(low), fabs(high)), 1e-12);
    if (!(high - low > least)) {
        double wide = COU_MAX(0.01 * fabs(is_low_auto ? high : low), 1e-6);
        if (is_high_auto) high = low + wide;
        if (is_low_auto) low = high - (is_high_auto ? 2.0 : 1.0) * wide;
    }
    double step = couNiceStep(low, high);
    colors->low = (float)(is_low_auto ? step * floor(low / step + 1e-6) : low);
    colors->high = (float)(is_high_auto ? step * ceil(high / step - 1e-6) : high);
}

// --- Painting ---------------------------------------------------------------------------------------------------------------

void couPaintValues(const couColors *colors, const float *values, size_t count, couVec3 *out)
{
    for (size_t i = 0; i < count; ++i)
        out[i] = couColorMap_Linear(colors->map, (values[i] - colors->low) / (colors->high - colors->low));
}

// Each vertex the mean of its triangles.
static void even_out(const couSurface *surface, float *values, float *sums, float *weights)
{
    memset(sums, 0, surface->vertex_count * sizeof *sums);
    memset(weights, 0, surface->vertex_count * sizeof *weights);
    for (size_t k = 0; k < surface->element_count; ++k) {
        const uint32_t *corner = surface->indices + 3 * k;
        float mean = (values[corner[0]] + values[corner[1]] + values[corner[2]]) / 3.0f;
        for (int c = 0; c < 3 && isfinite(mean); ++c) sums[corner[c]] += mean, weights[corner[c]] += 1.0f;
    }
    for (size_t v = 0; v < surface->vertex_count; ++v)
        if (weights[v] > 0.0f) values[v] = sums[v] / weights[v];
}

bool couPaintSurface(const couColors *colors, const float *values, couSurface *surface)
{
    size_t count = surface->vertex_count;
    float *own = couAlloc(NULL, 3 * COU_MAX(count, 1) * sizeof *own);
    if (!own) return false;
    for (size_t v = 0; v < count; ++v) own[v] = values[surface->nearest_ids[v]];
    for (int round = 0; round < rounds && surface->dimension == 3; ++round) even_out(surface, own, own + count, own + 2 * count);
    couPaintValues(colors, own, count, surface->colors);
    couFree(NULL, own);
    return true;
}
