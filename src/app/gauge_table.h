/// gauges.csv, gauges.json and gauges.svg: what gauges measured, as a table, with what its columns are, and as plots. Filled by a
/// run from its world, and by `coulis measure` from frames.
#pragma once

#include "files/manifest.h"
#include "world/gauges.h"

typedef struct couGaugeTable couGaugeTable;

/// Opened anew with these gauges' columns; or, where rows before `keep_time` [s] stand in the file, going on behind them
/// (-infinity: none). A file that is not there then begins with the next row. NULL with a fault.
couGaugeTable *couOpenGaugeTable(couManifest *manifest, const couGaugeDef *defs, int count, int dimension, double keep_time,
                                 couFaults *faults);
/// More gauges than before: their columns come behind, with NaN in the rows that are there.
bool couGaugeTable_Extend(couGaugeTable *table, const couGaugeDef *defs, int count, couFaults *faults);
/// One row; `values` has a number for each column. It is in the file when this returns true.
bool couGaugeTable_Write(couGaugeTable *table, double time, const double *values, couFaults *faults);
/// Also writes the plots, unless the run failed. NULL is fine. `faults` may be NULL.
bool couCloseGaugeTable(couGaugeTable *table, bool is_plotted, couFaults *faults);
