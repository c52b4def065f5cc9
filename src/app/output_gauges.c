// gauges.csv: what the scene's gauges measure, a row for each time at which one of them had a value; gauges.json with the units
// of its columns, gauges.svg with plots. A row of the very moment at which a frame ends may still be added to by events, so it is
// written with the next frame, or at the end.
#include "app/gauge_table.h"
#include "app/run_outputs.h"
#include "world/world.h"

#include <stdlib.h>

typedef struct Gauges {
    couGaugeTable *table;
    int gauge_count;
} Gauges;

// The defs of all gauges, removed ones with them, in the order of their columns. NULL without memory.
static couGaugeDef *copy_defs(const couWorld *world)
{
    size_t count = world->gauges.list.count;
    couGaugeDef *defs = malloc((count + 1) * sizeof *defs);
    for (size_t g = 0; defs && g < count; ++g) defs[g] = world->gauges.list.items[g].def;
    return defs;
}

// The table, once there is a column, with all columns that there are.
static bool keep_up(couRun *run, Gauges *own, double keep_time)
{
    int count = (int)run->world->gauges.list.count;
    if (own->gauge_count == count) return true;
    couGaugeDef *defs = copy_defs(run->world);
    int dimension = couWorld_Def(run->world)->dimension;
    bool is_good = defs != NULL;
    if (!defs) couFaults_Add(&run->faults, run->folder, NULL, "no memory for gauges.csv");
    if (defs && !own->table)
        is_good = (own->table = couOpenGaugeTable(&run->manifest, defs, count, dimension, keep_time, &run->faults)) != NULL;
    else if (defs)
        is_good = couGaugeTable_Extend(own->table, defs, count, &run->faults);
    own->gauge_count = count;
    free(defs);
    return is_good;
}

static bool begin(couRun *run, void **own)
{
    Gauges *gauges = calloc(1, sizeof *gauges);
    if (!gauges) {
        couFaults_Add(&run->faults, run->folder, NULL, "no memory for gauges.csv");
        return false;
    }
    double keep_time = run->is_in_place ? couWorld_Time(run->world) : -INFINITY;
    if (keep_up(run, gauges, keep_time)) {
        *own = gauges;
        return true;
    }
    couCloseGaugeTable(gauges->table, false, NULL);
    free(gauges);
    return false;
}

static bool write_rows(couRun *run, Gauges *own, bool is_open_wanted)
{
    if (!keep_up(run, own, -INFINITY)) return false;
    couGaugeRows rows = couWorld_GaugeRows(run->world);
    bool is_good = true;
    for (int r = 0; is_good && r < rows.count; ++r) {
        bool is_open = rows.is_last_open && r == rows.count - 1;
        if (is_open == is_open_wanted)
            is_good = couGaugeTable_Write(own->table, rows.time[r], rows.values + (size_t)r * (size_t)rows.column_count,
                                          &run->faults);
    }
    return is_good;
}

static bool write_frame(couRun *run, void *own) { return write_rows(run, own, false); }

static bool finish(couRun *run, void *own)
{
    Gauges *gauges = own;
    bool is_good = write_rows(run, gauges, true);
    is_good = couCloseGaugeTable(gauges->table, is_good, &run->faults) && is_good;
    free(gauges);
    return is_good;
}

static void discard(couRun *run, void *own)
{
    Gauges *gauges = own;
    couCloseGaugeTable(gauges->table, false, &run->faults);
    free(gauges);
}

extern const couOutput couOutputGauges;
const couOutput couOutputGauges = {.name = "gauges",
                                   .files = {"gauges.csv", "gauges.json", "gauges.svg"},
                                   .open = begin,
                                   .frame = write_frame,
                                   .close = finish,
                                   .discard = discard};
