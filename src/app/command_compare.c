// coulis compare: two runs side by side. What they came to, by run.json, diagnostics.csv and gauges.csv; whether they ended in
// the same state, and if not, in which arrays of their checkpoints and by how much; the first frame in which they differ.
#include "app/frame_command.h"
#include "app/run.h"
#include "app/run_results.h"
#include "base/base.h"
#include "coulis/checkpoint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char where[] = "coulis compare";

typedef struct Pair {
    const char *folders[2];
    couRunResults results[2];
    bool is_strict; // --same
    bool is_same;   // the states at the end are
    couFaults faults;
} Pair;

static const char notes[] =
    "A and B are folders of runs that came to an end. Prints their measures (last value, and the difference over all frames\n"
    "that both have), the arrays of the state in which they differ, and the first frame in which they do.\n"
    "\n"
    "examples:\n"
    "  coulis compare out/coarse out/fine\n"
    "  coulis compare out/monday out/tuesday --same\n";

// --- What they came to -------------------------------------------------------------------------------------------------------

static void print_fact(const char *name, const char *a, const char *b) { printf("%-20s %-28.28s %-28.28s\n", name, a, b); }

static void print_count(const char *name, double a, double b)
{
    char text_a[32], text_b[32];
    snprintf(text_a, sizeof text_a, "%.9g", a);
    snprintf(text_b, sizeof text_b, "%.9g", b);
    print_fact(name, text_a, text_b);
}

static double cost_of(const couRunResults *results)
{
    return results->particle_steps > 0 ? 1e9 * results->step_seconds / results->particle_steps : (double)NAN;
}

static void print_facts(const Pair *pair)
{
    const couRunResults *a = &pair->results[0], *b = &pair->results[1];
    print_fact("", "A", "B");
    print_fact("scene", a->scene, b->scene);
    print_fact("method", a->method, b->method);
    print_count("particles", a->particles, b->particles);
    print_count("frames", a->frames, b->frames);
    print_count("simulated [s]", a->simulated_seconds, b->simulated_seconds);
    print_count("steps", a->steps, b->steps);
    print_count("wall [s]", a->step_seconds, b->step_seconds);
    print_count("ns/particle-step", cost_of(a), cost_of(b));
    print_fact("state_hash", a->state_hash, b->state_hash);
}

// Times are sums of the same steps or are not: a millionth of a frame apart is the same.
static bool is_same_time(double a, double b) { return fabs(a - b) <= 1e-6 * fmax(fabs(a), 1e-3); }

// Root mean square of the differences at the times that both tables have; NaN where there is none.
static double rms_difference(const couCsvTable *a, int column_a, int time_a, const couCsvTable *b, int column_b, int time_b)
{
    double sum = 0;
    int count = 0;
    for (int row_a = 0, row_b = 0; row_a < a->row_count && row_b < b->row_count;) {
        double ta = couCsvTable_At(a, row_a, time_a), tb = couCsvTable_At(b, row_b, time_b);
        if (!is_same_time(ta, tb)) {
            if (ta < tb)
                ++row_a;
            else
                ++row_b;
            continue;
        }
        double difference = couCsvTable_At(a, row_a++, column_a) - couCsvTable_At(b, row_b++, column_b);
        if (isfinite(difference)) sum += difference * difference, ++count;
    }
    return count > 0 ? sqrt(sum / count) : (double)NAN;
}

static void print_measure(const Pair *pair, const couMeasure *a)
{
    const couMeasure *b = couRunResults_Find(&pair->results[1], a->name);
    if (!b) {
        printf("%-36.36s %14.6g %14s\n", a->name, a->last, "-");
        return;
    }
    const couCsvTable *table_a = a->is_gauge ? &pair->results[0].gauges : &pair->results[0].diagnostics;
    const couCsvTable *table_b = b->is_gauge ? &pair->results[1].gauges : &pair->results[1].diagnostics;
    int time_a = a->is_gauge ? 0 : couCsvTable_Find(table_a, "time"),
        time_b = b->is_gauge ? 0 : couCsvTable_Find(table_b, "time");
    double rms = rms_difference(table_a, couCsvTable_Find(table_a, a->name), time_a, table_b, couCsvTable_Find(table_b, b->name),
                                time_b);
    double scale = fmax(fabs(a->last), fabs(b->last)), difference = b->last - a->last;
    char relative[32] = "";
    if (scale > 0) snprintf(relative, sizeof relative, "%.3g %%", 100 * difference / scale);
    printf("%-36.36s %14.6g %14.6g %14.6g %10s %14.6g\n", a->name, a->last, b->last, difference, relative, rms);
}

static void print_measures(const Pair *pair)
{
    printf("\n%-36s %14s %14s %14s %10s %14s\n", "measure, at the end", "A", "B", "B - A", "", "rms over time");
    for (int i = 0; i < pair->results[0].measure_count; ++i) print_measure(pair, &pair->results[0].measures[i]);
    for (int i = 0; i < pair->results[1].measure_count; ++i) {
        const couMeasure *b = &pair->results[1].measures[i];
        if (!couRunResults_Find(&pair->results[0], b->name)) printf("%-36.36s %14s %14.6g\n", b->name, "-", b->last);
    }
}

// --- The state at the end ----------------------------------------------------------------------------------------------------

static double number_at(const couStateArray *array, size_t index)
{
    switch (array->type) {
    case cou_stateU8: return ((const uint8_t *)array->data)[index];
    case cou_stateU32: return ((const uint32_t *)array->data)[index];
    case cou_stateU64: return (double)((const uint64_t *)array->data)[index];
    case cou_stateF32: return (double)((const float *)array->data)[index];
    case cou_stateF64: return ((const double *)array->data)[index];
    }
    return NAN;
}

static size_t row_bytes(const couStateArray *array) { return (size_t)array->components * couStateType_Size(array->type); }

// Rows of particles belong together by id, all others by number. Ids rise.
typedef struct Match {
    const uint32_t *ids_a, *ids_b; // NULL: by number
    size_t count_a, count_b;
} Match;

static Match match_rows(const couState *a, const couState *b, const couStateArray *array_a, const couStateArray *array_b)
{
    Match match = {.count_a = array_a->count, .count_b = array_b->count};
    const couStateArray *ids_a = couState_Find(a, "particles/id"), *ids_b = couState_Find(b, "particles/id");
    bool has_ids = ids_a && ids_b && ids_a->type == cou_stateU32 && ids_b->type == cou_stateU32;
    bool is_particles = strncmp(array_a->name, "particles/", 10) == 0 && has_ids && ids_a->count == array_a->count &&
                        ids_b->count == array_b->count;
    if (is_particles) match.ids_a = ids_a->data, match.ids_b = ids_b->data;
    return match;
}

// One line where they differ. Returns true where they are the same.
static bool compare_array(const couState *a, const couState *b, const couStateArray *array_a, const couStateArray *array_b)
{
    if (array_a->type != array_b->type || array_a->components != array_b->components) {
        printf("  %-28s of another kind\n", array_a->name);
        return false;
    }
    Match match = match_rows(a, b, array_a, array_b);
    size_t bytes = row_bytes(array_a), differing = 0, common = 0;
    double largest = 0;
    for (size_t i = 0, k = 0; i < match.count_a && k < match.count_b;) {
        if (match.ids_a && match.ids_a[i] != match.ids_b[k]) {
            match.ids_a[i] < match.ids_b[k] ? ++i : ++k;
            continue;
        }
        ++common;
        if (memcmp((const char *)array_a->data + i * bytes, (const char *)array_b->data + k * bytes, bytes) != 0) {
            ++differing;
            for (int c = 0; c < array_a->components; ++c)
                largest = fmax(largest, fabs(number_at(array_b, k * (size_t)array_a->components + (size_t)c) -
                                             number_at(array_a, i * (size_t)array_a->components + (size_t)c)));
        }
        ++i, ++k;
    }
    if (differing == 0 && common == match.count_a && common == match.count_b) return true;
    printf("  %-28s", array_a->name);
    if (match.count_a != match.count_b) printf(" %zu rows and %zu,", match.count_a, match.count_b);
    printf(" %zu of %zu differ, by at most %.4g%s%s\n", differing, common, largest, array_a->unit[0] ? " " : "", array_a->unit);
    return false;
}

static void compare_states(Pair *pair)
{
    char paths[2][COU_PATH_SIZE];
    couState states[2] = {{.count = 0}, {.count = 0}};
    couFaults faults = {0};
    bool is_read = true;
    for (int k = 0; k < 2 && is_read; ++k) {
        couCheckpointInfo info;
        is_read = access(couJoin(paths[k], pair->folders[k], "checkpoint.h5"), F_OK) == 0 &&
                  couReadCheckpoint(paths[k], &info, &states[k], &faults);
        if (!is_read) printf("  %s cannot be read: only the hashes are compared\n", paths[k]);
    }
    int same = 0;
    for (int i = 0; is_read && i < states[0].count; ++i) {
        const couStateArray *array = &states[0].arrays[i], *other = couState_Find(&states[1], array->name);
        if (!other)
            printf("  %-28s only in A\n", array->name);
        else
            same += compare_array(&states[0], &states[1], array, other);
    }
    for (int i = 0; is_read && i < states[1].count; ++i)
        if (!couState_Find(&states[0], states[1].arrays[i].name)) printf("  %-28s only in B\n", states[1].arrays[i].name);
    if (is_read) printf("  %d of %d arrays are the same\n", same, states[0].count);
    for (int k = 0; k < 2; ++k) couState_Clear(&states[k]);
    couFaults_Clear(&faults);
}

// --- Where they part ---------------------------------------------------------------------------------------------------------

// The first frame whose numbers differ, but for the time that it took; 0: none of those that both have; -1: they are of other
// times.
static int first_row(const couCsvTable *a, const couCsvTable *b)
{
    int frame_column = couCsvTable_Find(a, "frame"), time_a = couCsvTable_Find(a, "time"), time_b = couCsvTable_Find(b, "time");
    for (int row = 0; row < COU_MIN(a->row_count, b->row_count); ++row) {
        if (!is_same_time(couCsvTable_At(a, row, time_a), couCsvTable_At(b, row, time_b))) return -1;
        for (int c = 0; c < a->column_count; ++c) {
            int other = couCsvTable_Find(b, a->names[c]);
            if (other < 0 || strcmp(a->names[c], "wall_seconds") == 0) continue;
            double x = couCsvTable_At(a, row, c), y = couCsvTable_At(b, row, other);
            if (x != y && !(isnan(x) && isnan(y))) return (int)couCsvTable_At(a, row, frame_column);
        }
    }
    return 0;
}

typedef struct FrameDifference {
    size_t common, differing, missing; // particles that both have, that are elsewhere or of another velocity, that one has
    double largest, rms;               // of the distances [m]
} FrameDifference;

static FrameDifference compare_particles(const couFrame *a, const couFrame *b)
{
    FrameDifference difference = {0};
    double sum = 0;
    for (size_t i = 0, k = 0; i < a->count && k < b->count;) {
        if (a->id[i] != b->id[k]) {
            a->id[i] < b->id[k] ? ++i : ++k;
            continue;
        }
        couVec3 p = a->position[i], q = b->position[k];
        double dx = (double)q.x - (double)p.x, dy = (double)q.y - (double)p.y, dz = (double)q.z - (double)p.z;
        double squared = dx * dx + dy * dy + dz * dz;
        sum += squared;
        difference.largest = fmax(difference.largest, sqrt(squared));
        difference.differing += squared > 0 || memcmp(&a->velocity[i], &b->velocity[k], sizeof p) != 0;
        ++difference.common, ++i, ++k;
    }
    difference.missing = a->count + b->count - 2 * difference.common;
    difference.rms = difference.common > 0 ? sqrt(sum / (double)difference.common) : 0;
    return difference;
}

static void print_frame(const char *what, int number, const FrameDifference *d)
{
    printf("%s %d: %zu of %zu particles differ, by at most %.4g m, rms %.4g m", what, number, d->differing, d->common, d->largest,
           d->rms);
    printf(d->missing > 0 ? "; %zu are in one alone\n" : "\n", d->missing);
}

// The frame files that both have, one after the other up to the first that differs, then the last.
static bool compare_frames(Pair *pair)
{
    couFrameFiles files[2] = {{.count = 0}, {.count = 0}};
    couFaults none = {0};
    bool has_found = false, is_good = true;
    int compared = 0;
    for (int k = 0; k < 2; ++k) couListSeries(pair->folders[k], "particles", "vtp", &files[k], &none);
    for (int i = 0, k = 0; is_good && i < files[0].count && k < files[1].count && !couInterrupted();) {
        int a = files[0].items[i].number, b = files[1].items[k].number;
        bool is_last = i + 1 == files[0].count || k + 1 == files[1].count;
        if (a == b && (!has_found || is_last)) {
            couFrame frames[2] = {{.count = 0}, {.count = 0}};
            is_good = couReadFrame(files[0].items[i].path, &frames[0], &pair->faults) &&
                      couReadFrame(files[1].items[k].path, &frames[1], &pair->faults);
            FrameDifference found = {0};
            if (is_good) found = compare_particles(&frames[0], &frames[1]);
            bool is_other = found.differing > 0 || found.missing > 0;
            if (is_other) print_frame(has_found ? "last common frame" : "first frame whose particles differ", a, &found);
            has_found |= is_other;
            ++compared;
            for (int f = 0; f < 2; ++f) couFreeFrame(&frames[f]);
        }
        if (a <= b) ++i;
        if (b <= a) ++k;
    }
    if (is_good && compared > 0 && !has_found) printf("particles are the same in all %d frames that both have\n", compared);
    for (int k = 0; k < 2; ++k) couFrameFiles_Clear(&files[k]);
    couFaults_Clear(&none);
    return is_good;
}

static bool compare(Pair *pair)
{
    const couRunResults *a = &pair->results[0], *b = &pair->results[1];
    print_facts(pair);
    print_measures(pair);
    pair->is_same = a->state_hash[0] && strcmp(a->state_hash, b->state_hash) == 0;
    printf("\nthe states at the end %s\n", pair->is_same ? "are the same, to the bit" : "differ:");
    if (!pair->is_same) compare_states(pair);
    int row = first_row(&a->diagnostics, &b->diagnostics);
    if (row < 0)
        printf("frames are of other times: they are not compared one by one\n");
    else if (row > 0)
        printf("first frame whose row of diagnostics.csv differs: %d\n", row);
    else
        printf("diagnostics are the same in all %d frames that both have\n",
               COU_MIN(a->diagnostics.row_count, b->diagnostics.row_count));
    return row < 0 || compare_frames(pair);
}

int couCommandCompare(int argc, char **argv)
{
    Pair pair = {0};
    const couOption table[] = {
        COU_OPTION("--same", NULL, cou_optionFlag, &pair.is_strict, .help = "exit code 1 unless both ended in the same state"),
    };
    couCommand command = {.name = "compare",
                          .usage = "A B [--same]",
                          .help = "two runs: measures, gauges, differences in state, first frame where they differ",
                          .options = table,
                          .option_count = sizeof table / sizeof table[0],
                          .min_operands = 2,
                          .max_operands = 2,
                          .notes = notes};
    couTexts operands = {0};
    int code = cou_exitWell;
    if (!couParseOptions(&command, argc, argv, &operands, &pair.faults)) {
        for (int k = 0; k < 2 && pair.faults.count <= k && operands.count == 2; ++k) {
            couCheckPath(where, k == 0 ? "A" : "B", operands.items[k], &pair.faults);
            pair.folders[k] = operands.items[k];
            couReadRunResults(pair.folders[k], &pair.results[k], &pair.faults);
        }
        bool is_good = pair.faults.count == 0 && compare(&pair);
        code = !is_good                          ? couFail(&pair.faults, cou_exitBadInput)
               : pair.is_strict && !pair.is_same ? cou_exitFailed
                                                 : cou_exitWell;
    }
    for (int k = 0; k < 2; ++k) couRunResults_Clear(&pair.results[k]);
    couTexts_Clear(&operands);
    couFaults_Clear(&pair.faults);
    return code;
}
