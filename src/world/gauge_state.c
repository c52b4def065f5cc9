// Gauges in a saved state: when each is due, what it has summed up, its last values; and the columns that were recorded.

#include "base/state_table.h"
#include "world/gauges.h"
#include "world/world.h"

#define GAUGE(field, name, unit, ...) COU_STATE_FIELD(couGauge, field, name, unit, __VA_ARGS__)
static const couStateField gauge_fields[] = {
    GAUGE(slot.is_here, "is_here", ""), GAUGE(next, "next", "s", .can_be_any = true),
    GAUGE(since, "since", "s"),         GAUGE(last, "last", "s", .can_be_any = true),
    GAUGE(total, "total", "m^3"),       GAUGE(sum, "sum", "m^3 or N s", .can_be_any = true),
};
static const couStateTable gauge_table = {"gauges/state", cou_stateF64, false, gauge_fields, COU_COUNT(gauge_fields)};
static const char recorded_name[] = "gauges/recorded", values_name[] = "gauges/values";

bool couGauges_Save(const couWorld *world, couState *state)
{
    const couGauges *gauges = &world->gauges;
    size_t count = gauges->list.count;
    if (!count) return true;
    if (!couStateTable_Save(&gauge_table, gauges->list.items, count, sizeof *gauges->list.items, state)) return false;
    couStateArray *names = couState_Add(state, recorded_name, "", cou_stateU8, COU_NAME_SIZE, count, NULL);
    for (size_t g = 0; names && g < count; ++g) {
        const couGaugeDef *def = &gauges->list.items[g].def;
        if (def->what == cou_gaugeRecorded) memcpy((char *)names->data + g * COU_NAME_SIZE, def->name, strlen(def->name));
    }
    return names && couState_Add(state, values_name, "", cou_stateF64, 1, gauges->values.count, gauges->values.items);
}

// The name of a recorded column, NULL of a gauge.
static const char *recorded_at(const couStateArray *names, size_t g)
{
    const char *name = (const char *)names->data + g * COU_NAME_SIZE;
    return name[0] ? name : NULL;
}

static bool is_recorded(const couGauge *gauge) { return gauge->def.what == cou_gaugeRecorded; }

// Columns that both have must be the same; recorded ones may be missing here, or have come since.
static bool check_order(const couGauges *gauges, const couStateArray *names, couFaults *faults)
{
    size_t own = gauges->list.count;
    for (size_t g = 0; g < COU_MAX(own, names->count); ++g) {
        const couGauge *gauge = g < own ? &gauges->list.items[g] : NULL;
        const char *name = g < names->count ? recorded_at(names, g) : NULL;
        if (name && !memchr(name, 0, COU_NAME_SIZE)) name = "?";
        bool is_same = gauge && g < names->count && is_recorded(gauge) == (name != NULL) &&
                       (!name || strcmp(name, gauge->def.name) == 0);
        bool is_new = !gauge && name && name[0] != '?', has_gone = g >= names->count && is_recorded(gauge);
        if (is_same || is_new || has_gone) continue;
        couFaults_Add(faults, NULL, recorded_name, "gauge %zu of the saved state is not that of the scene", g + 1);
        return false;
    }
    return true;
}

bool couGauges_CheckSaved(const couWorld *world, const couState *state, couFaults *faults)
{
    const couGauges *gauges = &world->gauges;
    if (!couState_Find(state, gauge_table.array)) return true; // of a run without
    const couStateArray *names = couExpectArray(state, recorded_name, cou_stateU8, COU_NAME_SIZE, SIZE_MAX, faults);
    if (!names || !couStateTable_Check(&gauge_table, names->count, state, faults) || !check_order(gauges, names, faults))
        return false;
    size_t columns = 0;
    for (size_t g = 0; g < names->count; ++g) columns += g < gauges->list.count ? (size_t)gauges->list.items[g].column_count : 1;
    return couExpectArray(state, values_name, cou_stateF64, 1, columns, faults) != NULL;
}

// Recorded columns at the end that the state does not have go.
static void cut_recorded(couGauges *gauges, size_t count)
{
    while (gauges->list.count > count && is_recorded(&gauges->list.items[gauges->list.count - 1])) {
        gauges->list.count--;
        gauges->values.count--;
    }
    gauges->times.count = gauges->rows.count = 0;
}

static void start_anew(couWorld *world)
{
    couGauges *gauges = &world->gauges;
    cut_recorded(gauges, 0);
    for (size_t g = 0; g < gauges->list.count; ++g) {
        couGauge *gauge = &gauges->list.items[g];
        gauge->since = world->time;
        gauge->next = world->time + gauge->def.every;
        gauge->last = NAN;
    }
}

bool couGauges_Load(couWorld *world, const couState *state, couFaults *faults)
{
    couGauges *gauges = &world->gauges;
    const couStateArray *names = couState_Find(state, recorded_name);
    if (!names) {
        start_anew(world);
        return true;
    }
    cut_recorded(gauges, names->count);
    for (size_t g = gauges->list.count; g < names->count; ++g)
        if (!couAddRecorded(world, recorded_at(names, g), faults)) return false;
    memcpy(gauges->values.items, couState_Find(state, values_name)->data, gauges->values.count * sizeof(double));
    for (size_t g = 0; g < names->count; ++g) {
        couGauge *gauge = &gauges->list.items[g], saved = *gauge;
        couStateTable_LoadRow(&gauge_table, state, g, &saved);
        bool was_here = saved.slot.is_here;
        saved.slot = gauge->slot;
        *gauge = saved;
        if (gauge->slot.is_here && !was_here) couDropGauge(world, gauge);
    }
    if (couReopenGaugeRow(world)) return true;
    couFaults_Add(faults, NULL, NULL, "out of memory for the gauges");
    return false;
}
