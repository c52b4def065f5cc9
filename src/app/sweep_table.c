// What a sweep came to: table.csv has all, a row for each run; table.md what one looks at first, with orders of convergence;
// orders.csv those of every three spacings that follow each other; plots over the spacing, a line for each setting of the rest.
#include "app/run_results.h"
#include "app/sweep.h"
#include "base/base.h"
#include "files/csv.h"
#include "files/file.h"
#include "files/plot.h"
#include "files/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char where[] = "coulis sweep";
enum { MAX_LINES = 24 }; // of a plot

// A number of a run: a measure and what is taken of it.
typedef struct Column {
    char name[COU_MEASURE_SIZE + 8]; // "kinetic_energy", "mean p1 [Pa]"
    char measure[COU_MEASURE_SIZE];
    int kind; // of kinds
    bool is_shown;
} Column;

static const char *const kinds[] = {"", "mean ", "min ", "max "};
static const char *const states[] = {"waiting", "stopped", "going", "failed", "finished"};

typedef struct Report {
    couSweep *sweep;
    couRunResults *results; // of each run; no measures: it has none
    Column *columns;
    int column_count;
    int over; // axis that plots and orders are over, -1: none
    double *over_values;
    int *sorted; // its values from the coarsest to the finest
} Report;

// --- Columns -----------------------------------------------------------------------------------------------------------------

static double value_of(const Report *report, int run, const Column *column)
{
    const couMeasure *measure = couRunResults_Find(&report->results[run], column->measure);
    if (!measure || report->sweep->runs[run].state != cou_sweepFinished) return NAN;
    const double values[] = {measure->last, measure->mean, measure->min, measure->max};
    return values[column->kind];
}

static bool has_column(const Report *report, const char *measure)
{
    for (int c = 0; c < report->column_count; ++c)
        if (strcmp(report->columns[c].measure, measure) == 0) return true;
    return false;
}

// Shown unless --measure says otherwise: energies, the error of density, and the gauges' last and mean values.
static bool is_shown_by_default(const couMeasure *measure, int kind)
{
    static const char *const names[] = {"kinetic_energy", "potential_energy", "density_error_mean"};
    if (measure->is_gauge) return kind <= 1;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i)
        if (strcmp(names[i], measure->name) == 0) return kind == 0;
    return false;
}

// All that any run has, in the order in which it is met.
static bool gather_columns(Report *report)
{
    for (int r = 0; r < report->sweep->run_count; ++r)
        for (int m = 0; m < report->results[r].measure_count; ++m) {
            const couMeasure *measure = &report->results[r].measures[m];
            if (has_column(report, measure->name)) continue;
            Column *columns = realloc(report->columns, ((size_t)report->column_count + 4) * sizeof *columns);
            if (!columns) return false;
            report->columns = columns;
            for (int kind = 0; kind < 4; ++kind) {
                Column *column = &columns[report->column_count++];
                *column = (Column){.kind = kind, .is_shown = is_shown_by_default(measure, kind)};
                snprintf(column->measure, sizeof column->measure, "%s", measure->name);
                snprintf(column->name, sizeof column->name, "%s%s", kinds[kind], measure->name);
            }
        }
    return true;
}

// A gauge may be named without its unit.
static bool is_named(const Column *column, const char *name)
{
    size_t length = strlen(name);
    return strncmp(column->name, name, length) == 0 && (!column->name[length] || strncmp(column->name + length, " [", 2) == 0);
}

// What --measure asks for instead. A name that no run has is a fault with the nearest one.
static void choose_columns(Report *report)
{
    const char *list = report->sweep->options.measure;
    if (!list || report->column_count == 0) return;
    const char **names = calloc((size_t)report->column_count, sizeof *names);
    for (int c = 0; c < report->column_count; ++c) {
        report->columns[c].is_shown = false;
        if (names) names[c] = report->columns[c].name;
    }
    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        char name[COU_MEASURE_SIZE];
        bool is_found = false;
        snprintf(name, sizeof name, "%.*s", (int)strcspn(at, ","), at);
        for (int c = 0; c < report->column_count; ++c)
            if (is_named(&report->columns[c], name)) report->columns[c].is_shown = is_found = true;
        const char *nearest = is_found || !names ? NULL : couSuggest(names, report->column_count, name);
        if (!is_found)
            couFaults_Add(&report->sweep->faults, where, "--measure", "no run has '%.80s'%s%s%s; the header of table.csv has all",
                          name, nearest ? ": did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
    }
    free(names);
}

// --- The axis of plots and orders --------------------------------------------------------------------------------------------

static bool read_axis(const couAxis *axis, double *values)
{
    for (int i = 0; i < axis->count; ++i) {
        char *end = NULL;
        values[i] = strtod(axis->values[i], &end);
        if (*end || !isfinite(values[i])) return false;
    }
    return axis->count > 1;
}

// --over, else the spacing, else the first axis of numbers.
static bool choose_axis(Report *report)
{
    const couSweep *sweep = report->sweep;
    const char *wanted = sweep->options.over ? sweep->options.over : "spacing";
    int most = 1;
    for (int a = 0; a < sweep->axis_count; ++a) most = COU_MAX(most, sweep->axes[a].count);
    report->over_values = calloc((size_t)most, sizeof *report->over_values);
    report->sorted = calloc((size_t)most, sizeof *report->sorted);
    if (!report->over_values || !report->sorted) return false;
    report->over = -1;
    for (int a = 0; a < sweep->axis_count; ++a) {
        bool is_wanted = strcmp(sweep->axes[a].key, wanted) == 0;
        if ((is_wanted || (report->over < 0 && !sweep->options.over)) && read_axis(&sweep->axes[a], report->over_values))
            report->over = a;
        if (is_wanted) break;
    }
    if (report->over < 0) return true;
    const couAxis *axis = &sweep->axes[report->over];
    read_axis(axis, report->over_values);
    for (int i = 0; i < axis->count; ++i) {
        int k = i;
        for (; k > 0 && report->over_values[report->sorted[k - 1]] < report->over_values[i]; --k)
            report->sorted[k] = report->sorted[k - 1];
        report->sorted[k] = i;
    }
    return true;
}

// Runs that differ in the axis alone are a group; this is its first run.
static bool is_first_of_group(const Report *report, int run)
{
    return report->over >= 0 && report->sweep->runs[run].choice[report->over] == 0;
}

// The number of the run of the same group with another value of the axis.
static int sibling(const Report *report, int run, int choice)
{
    int stride = 1;
    for (int a = report->sweep->axis_count - 1; a > report->over; --a) stride *= report->sweep->axes[a].count;
    return run + (choice - report->sweep->runs[run].choice[report->over]) * stride;
}

// "dfsph, honey.viscosity 5": what the group has in common and others have not.
static char *name_group(const Report *report, int run, char *text, size_t size)
{
    const couSweep *sweep = report->sweep;
    size_t used = 0;
    text[0] = '\0';
    for (int a = 0; a < sweep->axis_count && used < size; ++a) {
        if (a == report->over || sweep->axes[a].count < 2) continue;
        bool is_method = strcmp(sweep->axes[a].key, "method") == 0;
        used += (size_t)snprintf(text + used, size - used, "%s%s%s%s", used > 0 ? ", " : "", is_method ? "" : sweep->axes[a].key,
                                 is_method ? "" : " ", couSweep_Value(sweep, &sweep->runs[run], a));
    }
    if (!text[0]) snprintf(text, size, "all");
    return text;
}

// --- Files -------------------------------------------------------------------------------------------------------------------

static bool open_file(Report *report, couFile *file, const char *name)
{
    char path[COU_PATH_SIZE];
    couFaults *faults = &report->sweep->faults;
    return couClaimPath(&report->sweep->manifest, name, path, faults) && couFile_Create(file, path, faults);
}

static void print_csv_number(FILE *stream, double value)
{
    fputc(',', stream);
    if (isfinite(value)) couPrintDouble(stream, value);
}

static double cost_of(const couRunResults *results)
{
    return results->particle_steps > 0 ? 1e9 * results->step_seconds / results->particle_steps : (double)NAN;
}

static bool write_csv(Report *report)
{
    const couSweep *sweep = report->sweep;
    couFile file;
    if (!open_file(report, &file, "table.csv")) return false;
    fputs("run", file.stream);
    for (int a = 0; a < sweep->axis_count; ++a) {
        fputc(',', file.stream);
        couCsv_PrintField(file.stream, sweep->axes[a].key);
    }
    fputs(",state,particles,frames,simulated_seconds,steps,wall_seconds,ns_per_particle_step,state_hash", file.stream);
    for (int c = 0; c < report->column_count; ++c) {
        fputc(',', file.stream);
        couCsv_PrintField(file.stream, report->columns[c].name);
    }
    for (int r = 0; r < sweep->run_count; ++r) {
        const couSweepRun *run = &sweep->runs[r];
        const couRunResults *results = &report->results[r];
        bool is_there = run->state == cou_sweepFinished;
        fprintf(file.stream, "\n%s", run->name);
        for (int a = 0; a < sweep->axis_count; ++a) {
            fputc(',', file.stream);
            couCsv_PrintField(file.stream, couSweep_Value(sweep, run, a));
        }
        fprintf(file.stream, ",%s", states[run->state]);
        const double numbers[] = {results->particles, results->frames,       results->simulated_seconds,
                                  results->steps,     results->step_seconds, cost_of(results)};
        for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i)
            print_csv_number(file.stream, is_there ? numbers[i] : (double)NAN);
        fprintf(file.stream, ",%s", is_there ? results->state_hash : "");
        for (int c = 0; c < report->column_count; ++c) print_csv_number(file.stream, value_of(report, r, &report->columns[c]));
    }
    fputc('\n', file.stream);
    return couFile_Commit(&file, &report->sweep->faults);
}

// --- Orders ------------------------------------------------------------------------------------------------------------------

// Three values of the axis that follow each other, from the coarsest on: those at `first`, and what the group has there.
typedef struct Triple {
    double h[3], value[3];
    couOrder order;
} Triple;

static Triple find_triple(const Report *report, int run, const Column *column, int first)
{
    Triple triple;
    for (int k = 0; k < 3; ++k) {
        int choice = report->sorted[first + k];
        triple.h[k] = report->over_values[choice];
        triple.value[k] = value_of(report, sibling(report, run, choice), column);
    }
    triple.order = couFindOrder(triple.h, triple.value);
    return triple;
}

static int triple_count(const Report *report)
{
    return report->over < 0 ? 0 : COU_MAX(report->sweep->axes[report->over].count - 2, 0);
}

static bool write_orders(Report *report)
{
    const couSweep *sweep = report->sweep;
    couFile file;
    if (triple_count(report) == 0) return true;
    if (!open_file(report, &file, "orders.csv")) return false;
    const char *key = sweep->axes[report->over].key;
    fprintf(file.stream, "group,measure,%s_1,%s_2,%s_3,value_1,value_2,value_3,result,order,limit\n", key, key, key);
    for (int r = 0; r < sweep->run_count; ++r)
        for (int c = 0; is_first_of_group(report, r) && c < report->column_count; ++c)
            for (int i = 0; i < triple_count(report); ++i) {
                Triple triple = find_triple(report, r, &report->columns[c], i);
                char group[200];
                couCsv_PrintField(file.stream, name_group(report, r, group, sizeof group));
                fputc(',', file.stream);
                couCsv_PrintField(file.stream, report->columns[c].name);
                for (int k = 0; k < 3; ++k) print_csv_number(file.stream, triple.h[k]);
                for (int k = 0; k < 3; ++k) print_csv_number(file.stream, triple.value[k]);
                fprintf(file.stream, ",%s", triple.order.kind);
                print_csv_number(file.stream, triple.order.order);
                print_csv_number(file.stream, triple.order.limit);
                fputc('\n', file.stream);
            }
    return couFile_Commit(&file, &report->sweep->faults);
}

// --- table.md ----------------------------------------------------------------------------------------------------------------

// A bar would end the cell.
static void print_cell(FILE *stream, const char *text)
{
    fputc(' ', stream);
    for (; *text; ++text) fputs(*text == '|' ? "\\|" : (char[]){*text, '\0'}, stream);
    fputs(" |", stream);
}

static void print_cell_number(FILE *stream, double value)
{
    char text[32];
    snprintf(text, sizeof text, "%.6g", value);
    print_cell(stream, isfinite(value) ? text : "");
}

static void print_rule(FILE *stream, int count)
{
    fputs("\n|", stream);
    for (int i = 0; i < count; ++i) fputs("---|", stream);
}

static void print_runs(const Report *report, FILE *out)
{
    const couSweep *sweep = report->sweep;
    int count = 5;
    fputc('|', out);
    for (int a = 0; a < sweep->axis_count; ++a)
        if (sweep->axes[a].count > 1) print_cell(out, sweep->axes[a].key), ++count;
    fputs(" state | particles | steps | wall [s] | ns/particle-step |", out);
    for (int c = 0; c < report->column_count; ++c)
        if (report->columns[c].is_shown) print_cell(out, report->columns[c].name), ++count;
    print_rule(out, count);
    for (int r = 0; r < sweep->run_count; ++r) {
        const couRunResults *results = &report->results[r];
        bool is_there = sweep->runs[r].state == cou_sweepFinished;
        fputs("\n|", out);
        for (int a = 0; a < sweep->axis_count; ++a)
            if (sweep->axes[a].count > 1) print_cell(out, couSweep_Value(sweep, &sweep->runs[r], a));
        print_cell(out, states[sweep->runs[r].state]);
        const double numbers[] = {results->particles, results->steps, results->step_seconds, cost_of(results)};
        for (int i = 0; i < 4; ++i) print_cell_number(out, is_there ? numbers[i] : (double)NAN);
        for (int c = 0; c < report->column_count; ++c)
            if (report->columns[c].is_shown) print_cell_number(out, value_of(report, r, &report->columns[c]));
    }
    fputs("\n", out);
    for (int r = 0; r < sweep->run_count; ++r)
        if (sweep->runs[r].state == cou_sweepFailed)
            fprintf(out, "\n- %s failed: %s\n", sweep->runs[r].name, sweep->runs[r].reason);
}

// Of the finest three alone; orders.csv has all.
static void print_orders(const Report *report, FILE *out)
{
    const couSweep *sweep = report->sweep;
    int last = triple_count(report) - 1;
    if (last < 0) return;
    fprintf(out, "\nOrders of convergence over %s, of the finest three (Richardson):\n\n", sweep->axes[report->over].key);
    fputs("| group | measure | finest | order | limit at 0 | finest - limit |", out);
    print_rule(out, 6);
    for (int r = 0; r < sweep->run_count; ++r)
        for (int c = 0; is_first_of_group(report, r) && c < report->column_count; ++c) {
            if (!report->columns[c].is_shown) continue;
            Triple triple = find_triple(report, r, &report->columns[c], last);
            char group[200], order[32];
            bool is_number = isfinite(triple.order.order) && isfinite(triple.order.limit);
            snprintf(order, sizeof order, is_number ? "%.2f" : "%.2g", triple.order.order);
            fputs("\n|", out);
            print_cell(out, name_group(report, r, group, sizeof group));
            print_cell(out, report->columns[c].name);
            print_cell_number(out, triple.value[2]);
            print_cell(out, is_number ? order : triple.order.kind);
            print_cell_number(out, triple.order.limit);
            print_cell_number(out, triple.value[2] - triple.order.limit);
        }
    fputs("\n", out);
}

static bool write_markdown(Report *report)
{
    couFile file;
    if (!open_file(report, &file, "table.md")) return false;
    fprintf(file.stream, "# Sweep of %s\n\n", report->sweep->options.scene);
    print_runs(report, file.stream);
    print_orders(report, file.stream);
    if (!couFile_Commit(&file, &report->sweep->faults)) return false;
    if (report->sweep->options.is_quiet) return true;
    print_runs(report, stdout);
    print_orders(report, stdout);
    return true;
}

// --- Plots -------------------------------------------------------------------------------------------------------------------

typedef double NumberFcn(const Report *report, int run, const void *context);

static double column_number(const Report *report, int run, const void *context) { return value_of(report, run, context); }

static double wall_number(const Report *report, int run, const void *context)
{
    (void)context;
    bool is_there = report->sweep->runs[run].state == cou_sweepFinished;
    return is_there ? report->results[run].step_seconds : (double)NAN;
}

// "plot_mean_p1.svg": without what a file's name should not have.
static void name_plot(const char *name, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "plot_");
    for (size_t length = strcspn(name, "["), i = 0; i < length && used + 5 < size; ++i) {
        bool is_plain = strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_", name[i]) != NULL;
        if (is_plain || (name[i] == ' ' && i + 1 < length)) text[used++] = is_plain ? name[i] : '_';
    }
    snprintf(text + used, size - used, ".svg");
}

// By powers of ten where there are several: the axis has marks at these alone.
static bool spans_decades(double low, double high) { return low > 0 && high >= 100 * low; }

// Lines first, then their points in the same colours.
static void add_lines(const Report *report, couPlot *plot, couPlotStyle style, NumberFcn *number, const void *context, double *x,
                      double *y)
{
    const couAxis *axis = &report->sweep->axes[report->over];
    int lines = 0;
    double low = INFINITY, high = 0;
    for (int r = 0; r < report->sweep->run_count && lines < MAX_LINES / 2; ++r) {
        if (!is_first_of_group(report, r)) continue;
        char group[200];
        int count = 0;
        for (int i = 0; i < axis->count; ++i) {
            double value = number(report, sibling(report, r, report->sorted[i]), context);
            if (!isfinite(value)) continue;
            x[count] = report->over_values[report->sorted[i]];
            y[count++] = value;
            low = fmin(low, value);
            high = fmax(high, value);
        }
        name_group(report, r, group, sizeof group);
        couPlot_Add(plot, style, style == cou_plotPoints ? "" : group, x, y, count);
        ++lines;
    }
    const double *values = report->over_values;
    couPlot_SetLogarithmic(plot, spans_decades(values[report->sorted[axis->count - 1]], values[report->sorted[0]]),
                           spans_decades(low, high));
    couPlot_RestartColors(plot);
}

// A line for each group; false with a fault.
static bool draw(Report *report, const char *label, NumberFcn *number, const void *context)
{
    const couAxis *axis = &report->sweep->axes[report->over];
    char name[COU_MEASURE_SIZE + 24], path[COU_PATH_SIZE], title[128];
    name_plot(label, name, sizeof name);
    if (!couClaimPath(&report->sweep->manifest, name, path, &report->sweep->faults)) return false;
    double *y = calloc((size_t)axis->count, 2 * sizeof *y), *x = y ? y + axis->count : NULL;
    snprintf(title, sizeof title, "%s over %s", label, axis->key);
    couPlot *plot = y ? couCreatePlot(title, axis->key, label) : NULL;
    if (plot) add_lines(report, plot, cou_plotLine, number, context, x, y);
    if (plot) add_lines(report, plot, cou_plotPoints, number, context, x, y);
    bool is_good = couPlot_Write(plot, path, &report->sweep->faults);
    couDestroyPlot(plot);
    free(y);
    return is_good;
}

static bool write_plots(Report *report)
{
    if (report->over < 0 || couSweep_Count(report->sweep, cou_sweepFinished) == 0) return true;
    bool is_good = draw(report, "wall [s]", wall_number, NULL);
    for (int c = 0; is_good && c < report->column_count; ++c)
        if (report->columns[c].is_shown) is_good = draw(report, report->columns[c].name, column_number, &report->columns[c]);
    return is_good;
}

// --- All of it ---------------------------------------------------------------------------------------------------------------

// Results that cannot be read are those of a failed run.
static void read_results(Report *report)
{
    for (int r = 0; r < report->sweep->run_count; ++r) {
        couSweepRun *run = &report->sweep->runs[r];
        char folder[COU_PATH_SIZE];
        couFaults faults = {0};
        if (run->state != cou_sweepFinished) continue;
        if (!couReadRunResults(couSweep_RunFolder(report->sweep, run, folder), &report->results[r], &faults)) {
            run->state = cou_sweepFailed;
            snprintf(run->reason, sizeof run->reason, "%.100s: %.120s", faults.items[0].where, faults.items[0].message);
            couWarn("%s: %s", run->name, run->reason);
        }
        couFaults_Clear(&faults);
    }
}

bool couSweep_Report(couSweep *sweep)
{
    Report report = {.sweep = sweep, .results = calloc((size_t)sweep->run_count, sizeof *report.results)};
    bool is_good = report.results != NULL;
    if (is_good) read_results(&report);
    is_good = is_good && gather_columns(&report) && choose_axis(&report);
    if (!is_good) couFaults_Add(&sweep->faults, where, NULL, "no memory for the table");
    if (is_good) choose_columns(&report);
    is_good = is_good && write_csv(&report) && write_orders(&report) && write_markdown(&report) && write_plots(&report);
    for (int r = 0; report.results && r < sweep->run_count; ++r) couRunResults_Clear(&report.results[r]);
    free(report.results);
    free(report.columns);
    free(report.over_values);
    free(report.sorted);
    return is_good && sweep->faults.count == 0;
}
