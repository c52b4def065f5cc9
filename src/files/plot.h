/// Small plots as SVG: lines and points over two axes, or a scatter at true proportions.
#pragma once

#include "coulis/base.h"

typedef enum couPlotStyle {
    cou_plotLine,
    cou_plotDashed, ///< for references
    cou_plotPoints,
    cou_plotDots ///< small, for particles
} couPlotStyle;

typedef struct couPlot couPlot;

/// NULL without memory, which all other functions accept: couPlot_Write() then says so.
couPlot *couCreatePlot(const char *title, const char *x_label, const char *y_label);
void couDestroyPlot(couPlot *plot); ///< NULL is fine
/// Adds a series; the numbers are copied, points that are not finite are left out. An empty name keeps it out of the legend.
void couPlot_Add(couPlot *plot, couPlotStyle style, const char *name, const double *x, const double *y, int count);
/// One unit is as long on x as on y.
void couPlot_SetEqual(couPlot *plot);
/// The next series gets the first colour again, to pair a reference with what was measured.
void couPlot_RestartColors(couPlot *plot);
/// Axes by powers of ten; values that are not positive are left out.
void couPlot_SetLogarithmic(couPlot *plot, bool is_log_x, bool is_log_y);
/// False and a fault when the file could not be written.
bool couPlot_Write(const couPlot *plot, const char *path, couFaults *faults);
/// Several, one below the other; none of them NULL.
bool couWritePlots(const couPlot *const *plots, int count, const char *path, couFaults *faults);
