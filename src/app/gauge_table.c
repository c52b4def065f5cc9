// Tables of gauges. Rows are flushed one by one; the file is replaced as a whole when it is opened, and when a column comes while
// the run goes on, which world:record() may do. A number that is not there is written as nan, which all readers take.
#include "app/gauge_table.h"

#include "app/run.h"
#include "base/base.h"
#include "files/csv.h"
#include "files/file.h"
#include "files/plot.h"
#include "files/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_POINTS = 2000, MOST_SERIES = 12, MOST_PLOTS = 60 };

struct couGaugeTable {
    couCsv csv;
    couManifest *manifest;
    couGaugeDef *defs;
    int gauge_count, dimension;
    couGaugeColumn *columns;
    int column_count;
};

// --- Columns ---

static bool set_columns(couGaugeTable *table, const couGaugeDef *defs, int count)
{
    int columns = 0;
    for (int g = 0; g < count; ++g) columns += couCountGaugeColumns(&defs[g], table->dimension);
    couGaugeDef *own = malloc(((size_t)count + 1) * sizeof *own);
    couGaugeColumn *all = malloc(((size_t)columns + 1) * sizeof *all);
    if (!own || !all) {
        free(own);
        free(all);
        return false;
    }
    if (count) memcpy(own, defs, (size_t)count * sizeof *own);
    for (int g = 0, at = 0; g < count; ++g)
        for (int k = 0; k < couCountGaugeColumns(&defs[g], table->dimension); ++k)
            all[at++] = couDescribeGaugeColumn(&defs[g], table->dimension, k);
    free(table->defs);
    free(table->columns);
    table->defs = own, table->columns = all;
    table->gauge_count = count, table->column_count = columns;
    return true;
}

static bool write_units(const couGaugeTable *table, couFaults *faults)
{
    char path[COU_PATH_SIZE];
    couFile file;
    if (!couClaimPath(table->manifest, "gauges.json", path, faults) || !couFile_Create(&file, path, faults)) return false;
    fputs("{\n  \"columns\": [\n    {\"name\": \"time\", \"unit\": \"s\"}", file.stream);
    for (int c = 0; c < table->column_count; ++c)
        fprintf(file.stream, ",\n    {\"name\": \"%s\", \"unit\": \"%s\"}", table->columns[c].name, table->columns[c].unit);
    fputs("\n  ]\n}\n", file.stream);
    return couFile_Commit(&file, faults);
}

// --- Rows that stand ---

static char *header_of(const couGaugeTable *table)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (!stream) return NULL;
    fputs("time", stream);
    for (int c = 0; c < table->column_count; ++c) fprintf(stream, ",%s", table->columns[c].name);
    fputc('\n', stream);
    bool is_whole = !ferror(stream);
    if (fclose(stream) == 0 && is_whole) return text;
    free(text);
    return NULL;
}

// The rows before `keep_time` with as many fields as the table has columns: later ones are cut off, missing ones are nan.
static void copy_rows(const couGaugeTable *table, const char *rows, double keep_time, FILE *stream)
{
    for (const char *end; *rows && (end = strchr(rows, '\n')); rows = end + 1) {
        if (!(strtod(rows, NULL) < keep_time)) return;
        int fields = 0;
        const char *at = rows;
        while (at < end && fields <= table->column_count) {
            const char *next = memchr(at, ',', (size_t)(end - at));
            const char *stop = next ? next : end;
            fprintf(stream, "%s%.*s", fields++ ? "," : "", (int)(stop - at), at);
            at = next ? next + 1 : end;
        }
        for (; fields <= table->column_count; ++fields) fputs(",nan", stream);
        fputc('\n', stream);
    }
}

// True when one header begins as the other: columns may have come, or be gone with the frames that are cut off.
static bool is_same_start(const char *a, const char *b)
{
    size_t length_a = strcspn(a, "\n"), length_b = strcspn(b, "\n"), length = COU_MIN(length_a, length_b);
    const char *longer = length_a > length_b ? a : b;
    return strncmp(a, b, length) == 0 && (longer[length] == ',' || longer[length] == '\n');
}

// Replaces the file by a header and the rows of `old`, a whole file or NULL, before keep_time.
static bool rewrite(couGaugeTable *table, const char *path, const char *old, double keep_time, couFaults *faults)
{
    char *header = header_of(table), *rows = NULL;
    size_t bytes = 0;
    bool is_good = false;
    if (header && old && !is_same_start(header, old)) {
        couFaults_Add(faults, path, NULL, "its columns are not those of this run; resume into another folder or remove it");
    } else {
        FILE *stream = header ? open_memstream(&rows, &bytes) : NULL;
        if (stream && old && strchr(old, '\n')) copy_rows(table, strchr(old, '\n') + 1, keep_time, stream);
        bool is_whole = stream && !ferror(stream);
        is_whole = stream && fclose(stream) == 0 && is_whole;
        if (!is_whole) couFaults_Add(faults, path, NULL, "no memory");
        is_good = is_whole && couCsv_Start(&table->csv, path, header, rows, bytes, faults);
    }
    free(rows);
    free(header);
    return is_good && write_units(table, faults);
}

couGaugeTable *couOpenGaugeTable(couManifest *manifest, const couGaugeDef *defs, int count, int dimension, double keep_time,
                                 couFaults *faults)
{
    char path[COU_PATH_SIZE], *old = NULL;
    if (!couClaimPath(manifest, "gauges.csv", path, faults)) return NULL;
    couGaugeTable *table = calloc(1, sizeof *table);
    if (table) *table = (couGaugeTable){.manifest = manifest, .dimension = dimension};
    bool is_good = table && set_columns(table, defs, count);
    if (!is_good) couFaults_Add(faults, path, NULL, "no memory");
    bool is_new = keep_time == -INFINITY || (access(path, F_OK) != 0 && errno == ENOENT);
    if (is_good && !is_new) is_good = (old = couReadFile(path, cou_csvMaxBytes, NULL, faults)) != NULL;
    is_good = is_good && rewrite(table, path, old, keep_time, faults);
    free(old);
    if (is_good) return table;
    couCloseGaugeTable(table, false, NULL);
    return NULL;
}

bool couGaugeTable_Extend(couGaugeTable *table, const couGaugeDef *defs, int count, couFaults *faults)
{
    char path[COU_PATH_SIZE];
    snprintf(path, sizeof path, "%s", table->csv.path);
    if (!couCsv_Close(&table->csv, faults)) return false;
    char *old = couReadFile(path, cou_csvMaxBytes, NULL, faults);
    bool has_columns = old && set_columns(table, defs, count);
    if (old && !has_columns) couFaults_Add(faults, path, NULL, "no memory");
    bool is_good = has_columns && rewrite(table, path, old, INFINITY, faults);
    free(old);
    return is_good;
}

static void print_number(FILE *stream, double value)
{
    if (isnan(value))
        fputs("nan", stream); // whatever its sign
    else
        couPrintDouble(stream, value);
}

bool couGaugeTable_Write(couGaugeTable *table, double time, const double *values, couFaults *faults)
{
    char *text = NULL;
    size_t size = 0;
    FILE *row = open_memstream(&text, &size);
    bool is_whole = row != NULL;
    if (row) {
        couPrintDouble(row, time);
        for (int c = 0; c < table->column_count; ++c) {
            fputc(',', row);
            print_number(row, values[c]);
        }
        fputc('\n', row);
        is_whole = !ferror(row);
        is_whole = fclose(row) == 0 && is_whole;
    }
    bool is_good = couCsv_Append(&table->csv, is_whole ? text : NULL, size, faults);
    free(text);
    return is_good;
}

// --- Plots ---

// The table in memory, row by row with the time first.
typedef struct Numbers {
    double *items;
    int rows, width;
} Numbers;

static Numbers read_numbers(const char *text, int width)
{
    Numbers numbers = {.width = width};
    for (const char *c = text; (c = strchr(c, '\n')) != NULL; ++c) ++numbers.rows;
    numbers.rows = COU_MAX(numbers.rows - 1, 0); // the header
    numbers.items = malloc(((size_t)numbers.rows * (size_t)width + 1) * sizeof *numbers.items);
    const char *at = strchr(text, '\n');
    for (size_t k = 0; numbers.items && at && k < (size_t)numbers.rows * (size_t)width; ++k) {
        char *end;
        numbers.items[k] = strtod(at + 1, &end);
        at = end;
    }
    return numbers;
}

// A column over time, thinned out where it is long; values that were not taken are left out.
static void plot_column(couPlot *plot, const Numbers *numbers, int column, const char *name)
{
    double x[MOST_POINTS + 1], y[MOST_POINTS + 1];
    int there = 0, taken = 0, count = 0;
    for (int r = 0; r < numbers->rows; ++r) there += !isnan(numbers->items[(size_t)r * (size_t)numbers->width + (size_t)column]);
    int step = there / MOST_POINTS + 1;
    for (int r = 0; r < numbers->rows; ++r) {
        const double *row = numbers->items + (size_t)r * (size_t)numbers->width;
        if (isnan(row[column]) || taken++ % step) continue;
        x[count] = row[0];
        y[count++] = row[column];
    }
    couPlot_Add(plot, cou_plotLine, name, x, y, count);
}

// Mean over time and last values of a profile, over the way along its line. `components` numbers a point.
static void plot_profile(couPlot *plot, const Numbers *numbers, const couGaugeDef *def, int first, int components)
{
    double length = couLength(couSub(def->corners[1], def->corners[0])), x[COU_GAUGE_POINTS];
    double mean[COU_GAUGE_POINTS], last[COU_GAUGE_POINTS];
    for (int a = 0; a < components; ++a) {
        for (int p = 0; p < def->points; ++p) {
            double sum = 0;
            int count = 0;
            x[p] = length * p / (def->points - 1);
            last[p] = NAN;
            for (int r = 0; r < numbers->rows; ++r) {
                double value = numbers->items[(size_t)r * (size_t)numbers->width + (size_t)(first + p * components + a)];
                if (isnan(value)) continue;
                sum += value, last[p] = value, ++count;
            }
            mean[p] = count ? sum / count : NAN;
        }
        char name[2][32] = {"mean", "last"};
        if (components > 1) snprintf(name[0], 32, "mean of %c", 'x' + a), snprintf(name[1], 32, "last of %c", 'x' + a);
        couPlot_Add(plot, cou_plotLine, name[0], x, mean, def->points);
        couPlot_Add(plot, cou_plotPoints, name[1], x, last, def->points);
    }
}

static couPlot *plot_gauge(const couGaugeTable *table, const Numbers *numbers, int gauge, int first)
{
    const couGaugeDef *def = &table->defs[gauge];
    int count = couCountGaugeColumns(def, table->dimension);
    const couGaugeColumn *columns = table->columns + first;
    char title[96], label[64];
    bool is_recorded = def->what == cou_gaugeRecorded;
    bool is_profile = !is_recorded && def->place == cou_gaugeAlongLine && def->what != cou_gaugeLevel;
    snprintf(title, sizeof title, "%s", def->name);
    snprintf(label, sizeof label, "%s%s%s%s", is_recorded ? "recorded" : couGaugeWhatNames[def->what],
             columns[0].unit[0] ? " [" : "", columns[0].unit, columns[0].unit[0] ? "]" : "");
    couPlot *plot = couCreatePlot(title, is_profile ? "along the line [m]" : "time [s]", label);
    if (!plot) return NULL;
    if (is_profile) {
        plot_profile(plot, numbers, def, 1 + first, (count - 1) / def->points);
        return plot;
    }
    for (int c = 0; c < COU_MIN(count, MOST_SERIES); ++c)
        if (!columns[c].is_quality && strcmp(columns[c].unit, columns[0].unit) == 0)
            plot_column(plot, numbers, 1 + first + c, count > 1 ? columns[c].name : "");
    return plot;
}

static bool write_plots(const couGaugeTable *table, couFaults *faults)
{
    char path[COU_PATH_SIZE];
    char *text = couReadFile(table->csv.path, cou_csvMaxBytes, NULL, faults);
    if (!text) return false;
    Numbers numbers = read_numbers(text, 1 + table->column_count);
    free(text);
    couPlot *plots[MOST_PLOTS];
    int count = 0, first = 0;
    bool is_good = numbers.items != NULL;
    for (int g = 0; is_good && g < table->gauge_count && count < MOST_PLOTS; ++g) {
        plots[count] = plot_gauge(table, &numbers, g, first);
        first += couCountGaugeColumns(&table->defs[g], table->dimension);
        is_good = plots[count++] != NULL;
    }
    if (!is_good) couFaults_Add(faults, table->csv.path, NULL, "no memory for its plots");
    if (is_good && couClaimPath(table->manifest, "gauges.svg", path, faults))
        is_good = couWritePlots((const couPlot *const *)plots, count, path, faults);
    for (int k = 0; k < count; ++k) couDestroyPlot(plots[k]);
    free(numbers.items);
    return is_good;
}

bool couCloseGaugeTable(couGaugeTable *table, bool is_plotted, couFaults *faults)
{
    if (!table) return true;
    bool is_good = couCsv_Close(&table->csv, faults);
    if (is_good && is_plotted && table->column_count) is_good = write_plots(table, faults);
    free(table->defs);
    free(table->columns);
    free(table);
    return is_good;
}
