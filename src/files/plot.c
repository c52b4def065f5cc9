// Plots as SVG text: one pass to find the ranges, one to write. No dependence on time, place or threads, so that a plot changes
// only when its numbers do. Numbers are written with few digits: a plot of 5000 particles has about 200 kB.

#include "files/plot.h"

#include "files/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SERIES 24
#define WIDTH 720.0
#define HEIGHT 440.0
#define LEFT 74.0
#define RIGHT 18.0
#define TOP 38.0
#define BOTTOM 52.0

typedef struct Series {
    couPlotStyle style;
    char name[64];
    int color;
    double *x, *y;
    int count;
} Series;

struct couPlot {
    char title[128], x_label[64], y_label[64];
    Series series[MAX_SERIES];
    int count, next_color;
    bool is_equal, is_log_x, is_log_y, is_out_of_memory;
};

static const char *const colors[] = {"#1f5fa8", "#c8502a", "#2f8f4e", "#8a4fa0", "#a07a18", "#4a4a4a"};
enum { COLOR_COUNT = sizeof colors / sizeof colors[0] };

couPlot *couCreatePlot(const char *title, const char *x_label, const char *y_label)
{
    couPlot *plot = calloc(1, sizeof *plot);
    if (!plot) return NULL;
    snprintf(plot->title, sizeof plot->title, "%s", title);
    snprintf(plot->x_label, sizeof plot->x_label, "%s", x_label);
    snprintf(plot->y_label, sizeof plot->y_label, "%s", y_label);
    return plot;
}

void couDestroyPlot(couPlot *plot)
{
    for (int s = 0; plot && s < plot->count; ++s) {
        free(plot->series[s].x);
        free(plot->series[s].y);
    }
    free(plot);
}

void couPlot_SetEqual(couPlot *plot)
{
    if (plot) plot->is_equal = true;
}

void couPlot_RestartColors(couPlot *plot)
{
    if (plot) plot->next_color = 0;
}

void couPlot_SetLogarithmic(couPlot *plot, bool is_log_x, bool is_log_y)
{
    if (plot) plot->is_log_x = is_log_x, plot->is_log_y = is_log_y;
}

void couPlot_Add(couPlot *plot, couPlotStyle style, const char *name, const double *x, const double *y, int count)
{
    if (!plot || plot->count == MAX_SERIES) return;
    Series *series = &plot->series[plot->count];
    *series = (Series){.style = style, .color = plot->next_color++ % COLOR_COUNT};
    snprintf(series->name, sizeof series->name, "%s", name);
    series->x = malloc((size_t)count * sizeof *x + 1);
    series->y = malloc((size_t)count * sizeof *y + 1);
    if (!series->x || !series->y) {
        free(series->x);
        free(series->y);
        plot->is_out_of_memory = true;
        return;
    }
    for (int i = 0; i < count; ++i) {
        if (!isfinite(x[i]) || !isfinite(y[i])) continue;
        series->x[series->count] = x[i];
        series->y[series->count++] = y[i];
    }
    plot->count++;
}

// --- Axes --------------------------------------------------------------------------------------------------------------------

typedef struct Axis {
    double low, high; // of the values, or of their logarithms
    double from, to;  // on the page
    bool is_log;
} Axis;

static bool can_show(const Axis *axis, double value) { return !axis->is_log || value > 0; }
static double on_axis(const Axis *axis, double value) { return axis->is_log ? log10(value) : value; }
static double place(const Axis *axis, double value)
{
    return axis->from + (on_axis(axis, value) - axis->low) / (axis->high - axis->low) * (axis->to - axis->from);
}

static void widen(Axis *axis, double value)
{
    if (!can_show(axis, value)) return;
    axis->low = fmin(axis->low, on_axis(axis, value));
    axis->high = fmax(axis->high, on_axis(axis, value));
}

// A little air around the values; something to show also when they are all the same, or there are none.
static void pad(Axis *axis)
{
    if (!(axis->low <= axis->high)) axis->low = 0, axis->high = 1;
    double extent = axis->high - axis->low, least = 1e-9 * fmax(fabs(axis->low), fabs(axis->high));
    double air = extent > least ? 0.04 * extent : fmax(0.5 * fabs(axis->high), 0.5);
    bool touches_zero = !axis->is_log && axis->low == 0;
    axis->low -= touches_zero ? 0 : air;
    axis->high += air;
}

static double tick_step(const Axis *axis, int wanted)
{
    double raw = (axis->high - axis->low) / wanted, power = pow(10, floor(log10(raw)));
    double share = raw / power;
    double step = (share < 1.5 ? 1 : share < 3.5 ? 2 : share < 7.5 ? 5 : 10) * power;
    return axis->is_log ? fmax(step, 1) : step;
}

static Axis fit_axis(const couPlot *plot, bool is_x)
{
    Axis axis = {INFINITY, -INFINITY, 0, 0, is_x ? plot->is_log_x : plot->is_log_y};
    axis.from = is_x ? LEFT : HEIGHT - BOTTOM;
    axis.to = is_x ? WIDTH - RIGHT : TOP;
    for (int s = 0; s < plot->count; ++s)
        for (int i = 0; i < plot->series[s].count; ++i) widen(&axis, is_x ? plot->series[s].x[i] : plot->series[s].y[i]);
    pad(&axis);
    return axis;
}

static void widen_to(Axis *axis, double units_per_pixel)
{
    double missing = units_per_pixel * fabs(axis->to - axis->from) - (axis->high - axis->low);
    axis->low -= 0.5 * missing;
    axis->high += 0.5 * missing;
}

static void equalise(Axis *x, Axis *y)
{
    double per_pixel = fmax((x->high - x->low) / fabs(x->to - x->from), (y->high - y->low) / fabs(y->to - y->from));
    widen_to(x, per_pixel);
    widen_to(y, per_pixel);
}

// --- Writing -----------------------------------------------------------------------------------------------------------------

static void write_text(FILE *out, double x, double y, const char *attributes, const char *text)
{
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, attributes);
    for (; *text; ++text) {
        if (*text == '&')
            fputs("&amp;", out);
        else if (*text == '<')
            fputs("&lt;", out);
        else
            fputc(*text, out);
    }
    fputs("</text>\n", out);
}

static void write_axis(FILE *out, const Axis *axis, const Axis *other, bool is_x)
{
    double step = tick_step(axis, is_x ? 8 : 6);
    for (int n = 0; n <= 20; ++n) {
        double at = (ceil(axis->low / step - 1e-9) + n) * step;
        if (at > axis->high + 1e-9 * step) break;
        double p = axis->from + (at - axis->low) / (axis->high - axis->low) * (axis->to - axis->from);
        char text[32];
        snprintf(text, sizeof text, "%.6g", axis->is_log ? pow(10, at) : fabs(at) < 1e-9 * step ? 0 : at);
        double x1 = is_x ? p : other->from, x2 = is_x ? p : other->to, y1 = is_x ? other->from : p, y2 = is_x ? other->to : p;
        fprintf(out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#e4e4e4\"/>\n", x1, y1, x2, y2);
        if (is_x)
            write_text(out, p, other->from + 17, "text-anchor=\"middle\"", text);
        else
            write_text(out, other->from - 7, p + 4, "text-anchor=\"end\"", text);
    }
}

static void write_line(FILE *out, const Series *series, const Axis *x, const Axis *y)
{
    fprintf(out, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"1.6\"%s points=\"", colors[series->color],
            series->style == cou_plotDashed ? " stroke-dasharray=\"7 4\"" : "");
    for (int i = 0; i < series->count; ++i)
        if (can_show(x, series->x[i]) && can_show(y, series->y[i]))
            fprintf(out, "%.1f,%.1f ", place(x, series->x[i]), place(y, series->y[i]));
    fputs("\"/>\n", out);
}

static double point_radius(couPlotStyle style) { return style == cou_plotDots ? 1.6 : 3.2; }

static void write_points(FILE *out, const Series *series, const Axis *x, const Axis *y)
{
    fprintf(out, "<g fill=\"%s\">\n", colors[series->color]);
    for (int i = 0; i < series->count; ++i)
        if (can_show(x, series->x[i]) && can_show(y, series->y[i]))
            fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"/>\n", place(x, series->x[i]), place(y, series->y[i]),
                    point_radius(series->style));
    fputs("</g>\n", out);
}

static bool is_line(const Series *series) { return series->style == cou_plotLine || series->style == cou_plotDashed; }

static void write_legend(FILE *out, const couPlot *plot)
{
    double longest = 0, y = TOP + 16;
    for (int s = 0; s < plot->count; ++s) longest = fmax(longest, (double)strlen(plot->series[s].name));
    double x = WIDTH - RIGHT - 12 - 6.4 * longest;
    int named = 0;
    for (int s = 0; s < plot->count; ++s) named += plot->series[s].name[0] != '\0';
    if (!named) return;
    fprintf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"#ffffff\" fill-opacity=\"0.85\"/>\n", x - 34,
            TOP + 2, 6.4 * longest + 44, 17.0 * named + 4);
    for (int s = 0; s < plot->count; ++s) {
        const Series *series = &plot->series[s];
        if (!series->name[0]) continue;
        if (is_line(series))
            fprintf(out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" stroke-width=\"1.6\"%s/>\n", x - 28,
                    y - 4, x - 6, y - 4, colors[series->color],
                    series->style == cou_plotDashed ? " stroke-dasharray=\"7 4\"" : "");
        else
            fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill=\"%s\"/>\n", x - 17, y - 4, point_radius(series->style),
                    colors[series->color]);
        write_text(out, x, y, "", series->name);
        y += 17;
    }
}

static void begin_page(FILE *out, int plots)
{
    double height = plots * HEIGHT;
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" "
            "font-family=\"sans-serif\" font-size=\"12\" fill=\"#222222\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n",
            WIDTH, height, WIDTH, height);
}

static void write_plot(FILE *out, const couPlot *plot)
{
    Axis x = fit_axis(plot, true), y = fit_axis(plot, false);
    if (plot->is_equal) equalise(&x, &y);
    write_axis(out, &x, &y, true);
    write_axis(out, &y, &x, false);
    fprintf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"none\" stroke=\"#888888\"/>\n", LEFT, TOP,
            WIDTH - RIGHT - LEFT, HEIGHT - BOTTOM - TOP);
    for (int s = 0; s < plot->count; ++s)
        if (is_line(&plot->series[s]))
            write_line(out, &plot->series[s], &x, &y);
        else
            write_points(out, &plot->series[s], &x, &y);
    write_text(out, 0.5 * (LEFT + WIDTH - RIGHT), 23, "text-anchor=\"middle\" font-size=\"15\"", plot->title);
    write_text(out, 0.5 * (LEFT + WIDTH - RIGHT), HEIGHT - 12, "text-anchor=\"middle\"", plot->x_label);
    char turned[96];
    snprintf(turned, sizeof turned, "text-anchor=\"middle\" transform=\"rotate(-90 16 %.1f)\"", 0.5 * (TOP + HEIGHT - BOTTOM));
    write_text(out, 16, 0.5 * (TOP + HEIGHT - BOTTOM), turned, plot->y_label);
    write_legend(out, plot);
}

bool couPlot_Write(const couPlot *plot, const char *path, couFaults *faults)
{
    if (!plot || plot->is_out_of_memory) {
        couFaults_Add(faults, path, NULL, "no memory for the plot");
        return false;
    }
    return couWritePlots(&plot, 1, path, faults);
}

bool couWritePlots(const couPlot *const *plots, int count, const char *path, couFaults *faults)
{
    couFile file;
    if (!couFile_Create(&file, path, faults)) return false;
    begin_page(file.stream, count);
    for (int k = 0; k < count; ++k) {
        if (k > 0) fprintf(file.stream, "<g transform=\"translate(0 %.0f)\">\n", k * HEIGHT);
        write_plot(file.stream, plots[k]);
        if (k > 0) fputs("</g>\n", file.stream);
    }
    fputs("</svg>\n", file.stream);
    return couFile_Commit(&file, faults);
}
