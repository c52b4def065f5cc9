// The results of a run from the files in its folder. Cost is taken from the rows of diagnostics.csv, one a frame, since run.json
// knows only the program's last start, not what was computed before a resume.
#include "app/run_results.h"
#include "app/run.h"
#include "files/csv.h"
#include "files/file.h"
#include "files/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// --- Tables ------------------------------------------------------------------------------------------------------------------

static double read_number(const char *text)
{
    char *end = NULL;
    double value = strtod(text, &end);
    return end != text && *end == '\0' ? value : NAN;
}

static int count_columns(const char *line)
{
    char field[COU_MEASURE_SIZE];
    int count = 1;
    for (const char *at = couCsv_TakeField(line, field, sizeof field); *at == ','; ++count)
        at = couCsv_TakeField(at + 1, field, sizeof field);
    return count;
}

// Takes the names of the header; returns what follows it, NULL without memory or without a whole line.
static const char *take_header(couCsvTable *table, const char *text)
{
    if (!strchr(text, '\n')) return NULL;
    table->column_count = count_columns(text);
    table->names = calloc((size_t)table->column_count, sizeof *table->names);
    for (int c = 0; table->names && c < table->column_count; ++c)
        text = couCsv_TakeField(text, table->names[c], sizeof table->names[c]) + (c + 1 < table->column_count);
    text += *text == '\r';
    return table->names && *text == '\n' ? text + 1 : NULL;
}

// One row; false when it has another number of columns than the header.
static bool take_row(couCsvTable *table, const char *row)
{
    double *values = &table->values[(size_t)table->row_count * (size_t)table->column_count];
    for (int c = 0; c < table->column_count; ++c) {
        char field[64];
        const char *at = couCsv_TakeField(row, field, sizeof field);
        values[c] = read_number(field);
        bool is_last = c + 1 == table->column_count;
        if (is_last ? *at != '\n' && *at != '\r' : *at != ',') return false;
        row = at + 1;
    }
    ++table->row_count;
    return true;
}

bool couReadCsvTable(const char *path, couCsvTable *table, couFaults *faults)
{
    *table = (couCsvTable){0};
    char *text = couReadFile(path, cou_csvMaxBytes, NULL, faults);
    if (!text) return false;
    const char *row = take_header(table, text);
    size_t lines = 0;
    for (const char *at = row; at && (at = strchr(at, '\n')); ++at) ++lines;
    table->values = row ? malloc((lines * (size_t)table->column_count + 1) * sizeof *table->values) : NULL;
    bool is_good = table->values != NULL;
    if (!is_good) couFaults_Add(faults, path, NULL, "has no whole header, or there is no memory for it");
    for (const char *end; is_good && (end = strchr(row, '\n')); row = end + 1) {
        is_good = take_row(table, row);
        if (!is_good)
            couFaults_Add(faults, path, NULL, "row %d does not have the %d columns of the header", table->row_count + 1,
                          table->column_count);
    }
    free(text);
    if (!is_good) couCsvTable_Clear(table);
    return is_good;
}

void couCsvTable_Clear(couCsvTable *table)
{
    free(table->names);
    free(table->values);
    *table = (couCsvTable){0};
}

int couCsvTable_Find(const couCsvTable *table, const char *name)
{
    for (int c = 0; c < table->column_count; ++c)
        if (strcmp(table->names[c], name) == 0) return c;
    return -1;
}

double couCsvTable_At(const couCsvTable *table, int row, int column)
{
    return column < 0 ? (double)NAN : table->values[(size_t)row * (size_t)table->column_count + (size_t)column];
}

// --- Measures ----------------------------------------------------------------------------------------------------------------

static void add_measure(couRunResults *results, const couCsvTable *table, int column, bool is_gauge)
{
    couMeasure *measure = &results->measures[results->measure_count++];
    *measure = (couMeasure){.is_gauge = is_gauge, .last = NAN, .mean = NAN, .min = NAN, .max = NAN};
    snprintf(measure->name, sizeof measure->name, "%s", table->names[column]);
    double sum = 0;
    int count = 0;
    for (int row = 0; row < table->row_count; ++row) {
        double value = couCsvTable_At(table, row, column);
        if (!isfinite(value)) continue;
        sum += value;
        ++count;
        measure->last = value;
        measure->min = fmin(measure->min, value); // of a number and NaN it is the number
        measure->max = fmax(measure->max, value);
    }
    if (count > 0) measure->mean = sum / count;
}

// What says how the run was computed rather than what it came to.
static bool is_cost(const char *name)
{
    static const char *const names[] = {"frame", "time", "particles", "dt", "substeps", "iterations", "wall_seconds"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i)
        if (strcmp(names[i], name) == 0) return true;
    return false;
}

static bool add_measures(couRunResults *results)
{
    size_t most = (size_t)results->diagnostics.column_count + (size_t)results->gauges.column_count;
    results->measures = calloc(most + 1, sizeof *results->measures);
    if (!results->measures) return false;
    for (int c = 0; c < results->diagnostics.column_count; ++c)
        if (!is_cost(results->diagnostics.names[c])) add_measure(results, &results->diagnostics, c, false);
    for (int c = 1; c < results->gauges.column_count; ++c) add_measure(results, &results->gauges, c, true); // 0 is the time
    return true;
}

static void add_cost(couRunResults *results)
{
    const couCsvTable *table = &results->diagnostics;
    int seconds = couCsvTable_Find(table, "wall_seconds"), particles = couCsvTable_Find(table, "particles");
    int substeps = couCsvTable_Find(table, "substeps");
    for (int row = 0; row < table->row_count; ++row) {
        results->step_seconds += couCsvTable_At(table, row, seconds);
        results->particle_steps += couCsvTable_At(table, row, particles) * couCsvTable_At(table, row, substeps);
    }
}

// --- The folder --------------------------------------------------------------------------------------------------------------

bool couReadRunResults(const char *folder, couRunResults *results, couFaults *faults)
{
    *results = (couRunResults){.particles = NAN};
    char path[COU_PATH_SIZE];
    if (strlen(folder) >= COU_FOLDER_SIZE || !couIsFolder(folder)) {
        couFaults_Add(faults, folder, NULL, "is not the folder of a run");
        return false;
    }
    if (access(couJoin(path, folder, "run.json"), F_OK) != 0) {
        couFaults_Add(faults, folder, NULL, "holds no run.json: it is not the folder of a run that came to an end");
        return false;
    }
    json_t *json = couReadJson(path, 1 << 22, faults);
    if (!json) return false;
    results->particles = couJson_Number(json, "particles");
    results->frames = couJson_Number(json, "frames");
    results->steps = couJson_Number(json, "steps");
    results->simulated_seconds = couJson_Number(json, "simulated_seconds");
    couJson_Text(json, "scene", results->scene, sizeof results->scene);
    couJson_Text(json, "method", results->method, sizeof results->method);
    couJson_Text(json, "state_hash", results->state_hash, sizeof results->state_hash);
    json_decref(json);
    if (!couReadCsvTable(couJoin(path, folder, "diagnostics.csv"), &results->diagnostics, faults)) return false;
    bool has_gauges = access(couJoin(path, folder, "gauges.csv"), F_OK) == 0;
    if (has_gauges && !couReadCsvTable(path, &results->gauges, faults)) return false;
    add_cost(results);
    if (add_measures(results)) return true;
    couFaults_Add(faults, folder, NULL, "no memory for its results");
    return false;
}

void couRunResults_Clear(couRunResults *results)
{
    couCsvTable_Clear(&results->diagnostics);
    couCsvTable_Clear(&results->gauges);
    free(results->measures);
    *results = (couRunResults){0};
}

const couMeasure *couRunResults_Find(const couRunResults *results, const char *name)
{
    for (int i = 0; i < results->measure_count; ++i)
        if (strcmp(results->measures[i].name, name) == 0) return &results->measures[i];
    return NULL;
}
