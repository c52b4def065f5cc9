// The scale of a picture that is coloured by a number: a bar of the map on a dark panel at the right edge, numbers at round
// values beside it, what they are above it. Drawn over the finished picture, in display colours: light does not change it.
#include "render/legend.h"

#include "base/base.h"
#include "render/letters.h"

#include <stdio.h>

enum { max_ticks = 16, least_side = 64 };

static const couVec3 panel_color = {0.10f, 0.11f, 0.13f}, ink = {0.95f, 0.95f, 0.95f};

double couNiceStep(double low, double high)
{
    double raw = (high - low) / 5.0, power = pow(10.0, floor(log10(raw))), lead = raw / power;
    return power * (lead < 1.5 ? 1.0 : lead < 3.5 ? 2.0 : lead < 7.5 ? 5.0 : 10.0);
}

typedef struct Tick {
    double value;
    char text[24];
} Tick;

// As many decimals as the step has; very large and very small numbers by their power of ten.
static void format_number(char *text, size_t size, double value, double step)
{
    double largest = COU_MAX(fabs(value), step);
    int decimals = (int)COU_MAX(ceil(-log10(step) - 1e-9), 0.0);
    if (largest >= 1e6 || decimals > 5)
        snprintf(text, size, "%.3g", fabs(value) < 1e-6 * step ? 0.0 : value);
    else
        snprintf(text, size, "%.*f", decimals, fabs(value) < 1e-6 * step ? 0.0 : value);
}

static int make_ticks(const couLegend *legend, Tick *ticks)
{
    double low = (double)legend->low, high = (double)legend->high, step = couNiceStep(low, high);
    int count = 0;
    for (double k = ceil(low / step - 1e-6); k * step <= high + 1e-6 * step && count < max_ticks; ++k) {
        ticks[count].value = k * step;
        format_number(ticks[count].text, sizeof ticks[count].text, k * step, step);
        ++count;
    }
    return count;
}

static void fill_box(couImage *image, float x0, float y0, float x1, float y1, couVec3 color, float share)
{
    for (int y = (int)y0; y < (int)y1; ++y)
        for (int x = (int)x0; x < (int)x1; ++x) couBlendPixel(image, x, y, color, share);
}

// Left of the column `edge`; returns the first column of its own.
static float draw_legend(couImage *image, const couLegend *legend, float edge)
{
    if (image->width < least_side || image->height < least_side || !(legend->high > legend->low)) return edge;
    Tick ticks[max_ticks];
    int count = make_ticks(legend, ticks);
    float dot = COU_MAX((float)image->height / 340.0f, 1.15f), widest = 0.0f;
    for (int k = 0; k < count; ++k) widest = COU_MAX(widest, couTextWidth(ticks[k].text, dot));
    float bar_width = 8.0f * dot, bar_height = floorf(0.5f * (float)image->height), pad = 5.0f * dot;
    float inner = COU_MAX(bar_width + 6.0f * dot + widest, couTextWidth(legend->title, dot));
    float right = edge - pad, left = COU_MAX(right - inner - 2.0f * pad, 0.0f);
    float height = bar_height + 3.0f * pad + 1.75f * COU_TEXT_ROWS * dot, top = floorf(0.5f * ((float)image->height - height));
    fill_box(image, left, top, right, top + height, panel_color, 0.85f);
    couDrawText(image, legend->title, left + pad, top + pad, dot, ink);
    float bar_left = left + pad, bar_top = floorf(top + 2.0f * pad + 1.5f * COU_TEXT_ROWS * dot);
    for (int y = 0; y < (int)bar_height; ++y) {
        couVec3 color = couColorMap_At(legend->map, 1.0f - ((float)y + 0.5f) / bar_height);
        fill_box(image, bar_left, bar_top + (float)y, bar_left + bar_width, bar_top + (float)y + 1.0f, color, 1.0f);
    }
    for (int k = 0; k < count; ++k) {
        double share = (ticks[k].value - (double)legend->low) / ((double)legend->high - (double)legend->low);
        float y = bar_top + bar_height * (1.0f - (float)share);
        float line = COU_MAX(dot, 1.0f), x = bar_left + bar_width;
        fill_box(image, x, y - 0.5f * line, x + 3.0f * dot, y + 0.5f * line + 0.5f, ink, 1.0f);
        couDrawText(image, ticks[k].text, x + 5.0f * dot, y - 0.5f * COU_TEXT_ROWS * dot, dot, ink);
    }
    return left;
}

void couDrawLegends(couImage *image, const couLegend *legends, int count)
{
    float edge = (float)image->width;
    for (int k = 0; k < count; ++k) edge = draw_legend(image, &legends[k], edge);
}

void couImage_DrawLegend(couImage *image, const couLegend *legend) { couDrawLegends(image, legend, 1); }
