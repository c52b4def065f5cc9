/// What a run came to, read back from its folder: run.json, diagnostics.csv and, where there is one, gauges.csv.
#pragma once

#include "app/app.h"

#define COU_MEASURE_SIZE 128

/// Numbers of a CSV file with a header. Zero-initialise; free with couCsvTable_Clear().
typedef struct couCsvTable {
    char (*names)[COU_MEASURE_SIZE]; ///< of the columns, cut to that size
    double *values;                  ///< row by row; NaN for what is no number
    int column_count, row_count;
} couCsvTable;

/// A last row without its end, which a kill left, is passed over. False with a fault that names file and row.
bool couReadCsvTable(const char *path, couCsvTable *table, couFaults *faults);
void couCsvTable_Clear(couCsvTable *table);
int couCsvTable_Find(const couCsvTable *table, const char *name); ///< -1: there is no such column
double couCsvTable_At(const couCsvTable *table, int row, int column);

/// A quantity of the run over time. One that a gauge measured has its unit in the name: "p1 [Pa]".
typedef struct couMeasure {
    char name[COU_MEASURE_SIZE];
    bool is_gauge;
    double last, mean, min, max; ///< of the rows that have a number; NaN: none has
} couMeasure;

typedef struct couRunResults {
    char scene[512], method[COU_NAME_SIZE], state_hash[32];
    double particles, frames, steps; ///< NaN: run.json does not say
    double simulated_seconds;        ///< [s]
    double step_seconds;             ///< spent in steps, also before a resume [s]
    double particle_steps;           ///< likewise
    couCsvTable diagnostics, gauges;
    couMeasure *measures;
    int measure_count;
} couRunResults;

/// False with one fault when the folder holds no run, or what it holds cannot be read. couRunResults_Clear() in any case.
bool couReadRunResults(const char *folder, couRunResults *results, couFaults *faults);
void couRunResults_Clear(couRunResults *results);
const couMeasure *couRunResults_Find(const couRunResults *results, const char *name); ///< NULL: there is none
