// Gauges of a world: added, removed and read through their handles; sums that every step adds to; values when they are due; rows.
//
// A row belongs to a moment. The last one of an advance may be of the very moment at which the next begins, and what events
// record then belongs to it as well: it stays open until time has gone on. After a state was loaded it is made anew from the last
// values, which are part of the state.

#include "world/gauges.h"

#include "rigid/patches.h"
#include "world/world.h"

#include <stdio.h>

#define GRACE 5e-7         // step times are sums of floats [s]
#define CROSSER_REACH 4.0f // how far a particle goes in a step at most / support radius

// --- Handles -----------------------------------------------------------------------------------------------------------------

static couGauge *find(const couWorld *world, couGaugeId id)
{
    return couFindSlot(COU_SLOTS(&world->gauges.list), id.index1, id.generation);
}

static couGaugeId id_of(const couWorld *world, const couGauge *gauge)
{
    return (couGaugeId){(uint16_t)(gauge - world->gauges.list.items + 1), gauge->slot.generation};
}

bool couWorld_HasGauge(const couWorld *world, couGaugeId id) { return find(world, id) != NULL; }
int couWorld_GaugeCount(const couWorld *world) { return couCountSlots(COU_SLOTS(&world->gauges.list)); }

couGaugeId couWorld_GaugeAt(const couWorld *world, int index)
{
    int place = couNthSlot(COU_SLOTS(&world->gauges.list), index);
    return place < 0 ? (couGaugeId){0} : id_of(world, &world->gauges.list.items[place]);
}

// Also among those that were removed.
static couGauge *find_name(const couWorld *world, const char *name)
{
    for (size_t g = 0; g < world->gauges.list.count; ++g)
        if (strcmp(world->gauges.list.items[g].def.name, name) == 0) return &world->gauges.list.items[g];
    return NULL;
}

couGaugeId couWorld_FindGauge(const couWorld *world, const char *name)
{
    const couGauge *gauge = find_name(world, name);
    return gauge && gauge->slot.is_here ? id_of(world, gauge) : (couGaugeId){0};
}

const couGaugeDef *couWorld_Gauge(const couWorld *world, couGaugeId id)
{
    const couGauge *gauge = find(world, id);
    return gauge ? &gauge->def : NULL;
}

// --- Adding and removing -----------------------------------------------------------------------------------------------------

// Columns for a gauge behind all others; the rows get them as well. NULL without memory.
static couGauge *add_gauge(couWorld *world, const couGaugeDef *def)
{
    couGauges *gauges = &world->gauges;
    size_t old = gauges->values.count, columns = (size_t)couCountGaugeColumns(def, world->def.dimension);
    size_t rows = gauges->times.count, width = old + columns;
    if (gauges->list.count >= COU_MAX_SLOTS || width > COU_MAX_GAUGE_COLUMNS) return NULL;
    if (!COU_RESERVE(&world->memory, &gauges->list, gauges->list.count + 1) ||
        !COU_RESERVE(&world->memory, &gauges->values, width) || !COU_RESERVE(&world->memory, &gauges->rows, rows * width))
        return NULL;
    for (size_t r = rows; r-- > 0;) {
        memmove(gauges->rows.items + r * width, gauges->rows.items + r * old, old * sizeof(double));
        for (size_t c = old; c < width; ++c) gauges->rows.items[r * width + c] = NAN;
    }
    gauges->rows.count = rows * width;
    for (size_t c = old; c < width; ++c) gauges->values.items[c] = NAN;
    gauges->values.count = width;
    couGauge *gauge = &gauges->list.items[gauges->list.count++];
    *gauge = (couGauge){.slot = {1, true},
                        .def = *def,
                        .first_column = (int)old,
                        .column_count = (int)columns,
                        .next = world->time + def->every,
                        .since = world->time,
                        .last = NAN,
                        .patch = -1};
    return gauge;
}

// Another gauge of this name, or a column of another that is called so, is a fault.
static bool check_name(const couWorld *world, const couGaugeDef *def, couFaults *faults)
{
    char name[COU_COLUMN_NAME_SIZE];
    int own = couCountGaugeColumns(def, world->def.dimension);
    for (int k = 0; k < own; ++k) {
        snprintf(name, sizeof name, "%s", couDescribeGaugeColumn(def, world->def.dimension, k).name);
        bool is_taken = strcmp(name, "time") == 0;
        for (int c = 0; c < couWorld_GaugeColumnCount(world) && !is_taken; ++c)
            is_taken = strcmp(couWorld_GaugeColumnAt(world, c).name, name) == 0;
        if (!is_taken && !(k == 0 && find_name(world, def->name))) continue;
        couFaults_Add(faults, NULL, "gauge.name", "'%s': there is a gauge or a column '%s' already", def->name,
                      is_taken ? name : def->name);
        return false;
    }
    return true;
}

static bool check_body(const couWorld *world, const couGaugeDef *def, couFaults *faults)
{
    if (def->place != cou_gaugeOnBody) return true;
    if (!couBodies_Find(&world->bodies, def->body)) {
        couFaults_Add(faults, NULL, "gauge.body", "there is no such body");
        return false;
    }
    return couCheckPose(def->pose, "gauge.at", faults);
}

// Some of it must lie in the box that repeats.
static bool check_period(const couWorld *world, const couGaugeDef *def, couFaults *faults)
{
    const couPeriod *period = &world->fluid.period;
    if (def->place == cou_gaugeOnBody || def->place == cou_gaugeInRegion) return true;
    couBounds box = couBoundPoints(def->corners, def->corner_count);
    const float *lower = &box.lower.x, *upper = &box.upper.x;
    for (int a = 0; a < world->def.dimension; ++a) {
        float first = period->lower[a], last = first + period->length[a];
        if (!(period->length[a] > 0.0f) || (lower[a] <= last && upper[a] >= first)) continue;
        char key[32];
        snprintf(key, sizeof key, "gauge.%s", couGaugePlaceNames[def->place]);
        couFaults_Add(faults, NULL, key,
                      "it is outside the domain: from %g to %g m along %c, where the world repeats from %g to "
                      "%g m",
                      lower[a], upper[a], 'x' + a, first, last);
        return false;
    }
    return true;
}

couGaugeId couWorld_AddGauge(couWorld *world, const couGaugeDef *given, couFaults *faults)
{
    couGaugeDef def = *given;
    if (!couCheckGauge(&def, world->def.dimension, faults) || !check_body(world, &def, faults) ||
        !check_period(world, &def, faults))
        return (couGaugeId){0};
    if (!def.name[0]) snprintf(def.name, sizeof def.name, "gauge%zu", world->gauges.list.count + 1);
    if (!check_name(world, &def, faults)) return (couGaugeId){0};
    couGauge *gauge = add_gauge(world, &def);
    if (!gauge) {
        couFaults_Add(faults, NULL, "gauge", "out of memory, or more than %d columns", COU_MAX_GAUGE_COLUMNS);
        return (couGaugeId){0};
    }
    if (def.what == cou_gaugeFlow) world->gauges.flow_count++;
    if (def.place == cou_gaugeOnBody && def.shape)
        gauge->patch = couBodies_AddPatch(&world->bodies, couBodies_Find(&world->bodies, def.body), def.shape, def.pose,
                                          world->def.spacing);
    if (gauge->def.shape) couShape_Retain(gauge->def.shape);
    if (def.what == cou_gaugePressure && !world->fluid.method->traits.has_pressure)
        couLog(cou_logWarning, "gauge '%s': %s has no pressures, its column is NaN", def.name, world->fluid.method->name);
    return id_of(world, gauge);
}

void couDropGauge(couWorld *world, couGauge *gauge)
{
    if (gauge->def.what == cou_gaugeFlow) world->gauges.flow_count--;
    if (gauge->patch >= 0) couBodies_RemovePatch(&world->bodies, gauge->patch);
    gauge->patch = -1;
    if (gauge->def.shape) couShape_Release(gauge->def.shape);
    gauge->def.shape = NULL;
    couDropSlot(&gauge->slot);
}

void couWorld_RemoveGauge(couWorld *world, couGaugeId id)
{
    couGauge *gauge = find(world, id);
    COU_ASSERT(gauge);
    if (gauge) couDropGauge(world, gauge);
}

void couFreeGauges(couWorld *world)
{
    couGauges *gauges = &world->gauges;
    for (size_t g = 0; g < gauges->list.count; ++g) couShape_Release(gauges->list.items[g].def.shape);
    COU_FREE_ARRAY(&world->memory, &gauges->list);
    COU_FREE_ARRAY(&world->memory, &gauges->values);
    COU_FREE_ARRAY(&world->memory, &gauges->times);
    COU_FREE_ARRAY(&world->memory, &gauges->rows);
    COU_FREE_ARRAY(NULL, &gauges->crossers);
    COU_FREE_ARRAY(&world->memory, &gauges->crosser_start);
    couVicinity_Free(&gauges->near);
}

// --- Rows --------------------------------------------------------------------------------------------------------------------

// The row of this moment. NULL without memory.
static double *open_row(couWorld *world)
{
    couGauges *gauges = &world->gauges;
    size_t rows = gauges->times.count, width = gauges->values.count;
    if (!rows || gauges->times.items[rows - 1] != world->time) {
        if (!COU_RESERVE(&world->memory, &gauges->times, rows + 1) ||
            !COU_RESERVE(&world->memory, &gauges->rows, (rows + 1) * width))
            return NULL;
        gauges->times.items[gauges->times.count++] = world->time;
        for (size_t c = 0; c < width; ++c) gauges->rows.items[rows * width + c] = NAN;
        gauges->rows.count = ++rows * width;
    }
    return gauges->rows.items + (rows - 1) * width;
}

// The gauge's last values are of this moment.
static bool put_row(couWorld *world, couGauge *gauge)
{
    double *row = open_row(world);
    if (!row) return false;
    gauge->last = world->time;
    size_t first = (size_t)gauge->first_column;
    memcpy(row + first, world->gauges.values.items + first, (size_t)gauge->column_count * sizeof *row);
    return true;
}

void couBeginGaugeRows(couWorld *world)
{
    couGauges *gauges = &world->gauges;
    size_t rows = gauges->times.count, width = gauges->values.count;
    bool is_open = rows && gauges->times.items[rows - 1] == world->time;
    if (is_open) {
        gauges->times.items[0] = world->time;
        memmove(gauges->rows.items, gauges->rows.items + (rows - 1) * width, width * sizeof *gauges->rows.items);
    }
    gauges->times.count = is_open;
    gauges->rows.count = is_open ? width : 0;
}

bool couReopenGaugeRow(couWorld *world)
{
    couGauges *gauges = &world->gauges;
    gauges->times.count = gauges->rows.count = 0;
    for (size_t g = 0; g < gauges->list.count; ++g)
        if (gauges->list.items[g].last == world->time && !put_row(world, &gauges->list.items[g])) return false;
    return true;
}

couGaugeRows couWorld_GaugeRows(const couWorld *world)
{
    const couGauges *gauges = &world->gauges;
    size_t rows = gauges->times.count;
    return (couGaugeRows){.count = (int)rows,
                          .column_count = (int)gauges->values.count,
                          .time = gauges->times.items,
                          .values = gauges->rows.items,
                          .is_last_open = rows && gauges->times.items[rows - 1] == world->time};
}

int couWorld_GaugeColumnCount(const couWorld *world) { return (int)world->gauges.values.count; }

couGaugeColumn couWorld_GaugeColumnAt(const couWorld *world, int index)
{
    const couGauges *gauges = &world->gauges;
    size_t low = 0, high = gauges->list.count;
    if (index < 0 || index >= couWorld_GaugeColumnCount(world)) return (couGaugeColumn){0};
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (gauges->list.items[middle].first_column <= index)
            low = middle;
        else
            high = middle;
    }
    const couGauge *gauge = &gauges->list.items[low];
    couGaugeColumn column = couDescribeGaugeColumn(&gauge->def, world->def.dimension, index - gauge->first_column);
    if (gauge->slot.is_here) column.gauge = id_of(world, gauge);
    return column;
}

int couWorld_GaugeValues(const couWorld *world, couGaugeId id, double *values, int capacity)
{
    const couGauge *gauge = find(world, id);
    COU_ASSERT(gauge);
    if (!gauge) return 0;
    for (int k = 0; k < COU_MIN(capacity, gauge->column_count); ++k)
        values[k] = world->gauges.values.items[gauge->first_column + k];
    return gauge->column_count;
}

double couWorld_GaugeTime(const couWorld *world, couGaugeId id)
{
    const couGauge *gauge = find(world, id);
    COU_ASSERT(gauge);
    return gauge ? gauge->last : NAN;
}

// --- Numbers of one's own ----------------------------------------------------------------------------------------------------

couGauge *couAddRecorded(couWorld *world, const char *name, couFaults *faults)
{
    couGaugeDef def = couDefaultGaugeDef();
    def.what = cou_gaugeRecorded;
    def.every = INFINITY;
    snprintf(def.name, sizeof def.name, "%s", name);
    if (!check_name(world, &def, faults)) return NULL;
    couGauge *gauge = add_gauge(world, &def);
    if (!gauge) couFaults_Add(faults, NULL, "record", "out of memory, or more than %d columns", COU_MAX_GAUGE_COLUMNS);
    return gauge;
}

static bool is_good_name(const char *name)
{
    size_t length = strlen(name);
    if (length < 1 || length >= COU_NAME_SIZE) return false;
    for (const char *c = name; *c; ++c) {
        bool is_letter = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z');
        if (!is_letter && !(*c >= '0' && *c <= '9') && *c != '_' && *c != '-') return false;
    }
    return true;
}

bool couWorld_Record(couWorld *world, const char *name, double value, couFaults *faults)
{
    if (!is_good_name(name)) {
        couFaults_Add(faults, NULL, "record", "'%.60s': a name has 1 to %d letters, digits, '-' and '_'", name,
                      COU_NAME_SIZE - 1);
        return false;
    }
    couGauge *gauge = find_name(world, name);
    if (!gauge) gauge = couAddRecorded(world, name, faults);
    if (!gauge) return false;
    if (gauge->def.what != cou_gaugeRecorded) {
        couFaults_Add(faults, NULL, "record", "'%s' is a gauge, which has its values by itself", name);
        return false;
    }
    world->gauges.values.items[gauge->first_column] = value;
    if (put_row(world, gauge)) return true;
    couFaults_Add(faults, NULL, "record", "out of memory");
    return false;
}

// --- In the step -------------------------------------------------------------------------------------------------------------

bool couWatchCrossers(couWorld *world)
{
    couGauges *gauges = &world->gauges;
    if (!gauges->flow_count) return true;
    couGaugeCloud cloud = couWorld_Cloud(world);
    gauges->crossers.count = 0;
    if (!COU_RESERVE(&world->memory, &gauges->crosser_start, gauges->list.count + 1)) return false;
    for (size_t g = 0; g < gauges->list.count; ++g) {
        const couGauge *gauge = &gauges->list.items[g];
        gauges->crosser_start.items[g] = gauges->crossers.count;
        if (gauge->slot.is_here && gauge->def.what == cou_gaugeFlow &&
            !couFindCrossers(&gauge->def, &cloud, CROSSER_REACH * world->fluid.h, &gauges->crossers.items,
                             &gauges->crossers.count, &gauges->crossers.capacity))
            return false;
    }
    gauges->crosser_start.items[gauges->list.count] = gauges->crossers.count;
    return true;
}

static void add_crossing(couWorld *world, couGauge *gauge, const couGaugeCloud *cloud)
{
    couGauges *gauges = &world->gauges;
    size_t g = (size_t)(gauge - gauges->list.items), first = gauges->crosser_start.items[g];
    size_t count = gauges->crosser_start.items[g + 1] - first;
    double volume = couMeasureCrossing(&gauge->def, cloud, gauges->crossers.items + first, count, CROSSER_REACH * world->fluid.h);
    gauge->sum[0] += volume;
    gauge->total += volume;
}

// The body's impulse of the step, or its patch's. A body that is gone leaves the sum at NaN.
static void add_impulse(couWorld *world, couGauge *gauge)
{
    const couBody *body = couBodies_Find(&world->bodies, gauge->def.body);
    if (!body && !isnan(gauge->sum[0]))
        couLog(cou_logWarning, "gauge '%s': its body was removed, its columns are NaN from now on", gauge->def.name);
    if (!body && gauge->patch >= 0) { // the place in the table may be another body's soon
        couBodies_RemovePatch(&world->bodies, gauge->patch);
        gauge->patch = -1;
    }
    const double *impulse = !body ? NULL : gauge->patch >= 0 ? world->bodies.patches.items[gauge->patch].impulse : body->impulse;
    for (int a = 0; a < 6; ++a) gauge->sum[a] = impulse ? gauge->sum[a] + impulse[a] : NAN;
}

static bool take_value(couWorld *world, couGauge *gauge, const couGaugeCloud *cloud)
{
    double *values = world->gauges.values.items + gauge->first_column, seconds = world->time - gauge->since;
    bool is_torque = gauge->def.what == cou_gaugeTorque;
    const double *sum = gauge->sum + (is_torque ? cloud->dimension == 2 ? 5 : 3 : 0);
    switch (gauge->def.what) {
    case cou_gaugeFlow:
        values[0] = sum[0] / seconds;
        values[1] = gauge->total;
        break;
    case cou_gaugeForce:
    case cou_gaugeTorque:
        for (int a = 0; a < gauge->column_count; ++a) values[a] = sum[a] / seconds;
        break;
    default:
        if (!couMeasureGauge(&gauge->def, cloud, &world->gauges.near, values)) return false;
    }
    memset(gauge->sum, 0, isnan(gauge->sum[0]) ? 0 : sizeof gauge->sum);
    gauge->since = world->time;
    while (gauge->next <= world->time + GRACE) {
        double behind = floor((world->time + GRACE - gauge->next) / gauge->def.every);
        gauge->next += gauge->def.every * COU_MAX(behind, 1.0);
    }
    return put_row(world, gauge);
}

bool couTakeGauges(couWorld *world)
{
    couGauges *gauges = &world->gauges;
    if (!gauges->list.count) return true;
    couGaugeCloud cloud = couWorld_Cloud(world);
    for (size_t g = 0; g < gauges->list.count; ++g) {
        couGauge *gauge = &gauges->list.items[g];
        if (!gauge->slot.is_here || gauge->def.what == cou_gaugeRecorded) continue;
        if (gauge->def.what == cou_gaugeFlow) add_crossing(world, gauge, &cloud);
        if (gauge->def.place == cou_gaugeOnBody) add_impulse(world, gauge);
        if (gauge->next <= world->time + GRACE && !take_value(world, gauge, &cloud)) return false;
    }
    return true;
}
