// Saving and loading a world's state. One list of arrays serves checkpoint and hash: what is saved is what is hashed. Particles
// are saved in order of their ids and springs by id pairs, so the same world gives the same arrays however it is stored.

#include "base/state_table.h"
#include "world/world.h"

#include <stdio.h>

// --- Particles ---------------------------------------------------------------------------------------------------------------

typedef struct IdOrder {
    uint32_t id, index;
} IdOrder;

static int compare_ids(const void *a, const void *b)
{
    uint32_t s = ((const IdOrder *)a)->id, t = ((const IdOrder *)b)->id;
    return (s > t) - (s < t);
}

static bool save_particles(const couFluid *fluid, couState *state)
{
    size_t count = fluid->table.count;
    IdOrder *order = couAlloc(NULL, (count + 1) * sizeof *order);
    if (!order) return false;
    for (size_t i = 0; i < count; ++i) order[i] = (IdOrder){couFluid_Id(fluid)[i], (uint32_t)i};
    couSort(order, count, sizeof *order, compare_ids);
    bool is_good = true;
    for (int c = 0; c < fluid->table.column_count && is_good; ++c) {
        const couColumn *column = &fluid->table.columns[c];
        if (column->role != cou_columnState) continue;
        char name[64];
        snprintf(name, sizeof name, "particles/%s", column->name);
        couStateArray *array = couState_Add(state, name, column->unit, column->type, column->components, count, NULL);
        is_good = array != NULL;
        for (size_t k = 0; is_good && k < count; ++k)
            memcpy((char *)array->data + k * column->row_bytes, (const char *)column->data + order[k].index * column->row_bytes,
                   column->row_bytes);
    }
    couFree(NULL, order);
    return is_good;
}

static bool save_springs(const couFluid *fluid, couState *state)
{
    size_t count = fluid->springs->count;
    couSpringView *springs = couAlloc(NULL, (count + 1) * sizeof *springs);
    if (!springs) return false;
    count = COU_MIN(couCopySprings(fluid, springs, count), count);
    couStateArray *ids = couState_Add(state, "springs/ids", "", cou_stateU32, 2, count, NULL);
    for (size_t s = 0; ids && s < count; ++s) {
        ((uint32_t *)ids->data)[2 * s] = springs[s].id_a;
        ((uint32_t *)ids->data)[2 * s + 1] = springs[s].id_b;
    }
    couStateArray *lengths = couState_Add(state, "springs/rest_length", "m", cou_stateF32, 1, count, NULL);
    for (size_t s = 0; lengths && s < count; ++s) ((float *)lengths->data)[s] = springs[s].rest_length;
    couFree(NULL, springs);
    return ids && lengths;
}

// --- World, emitters and events ----------------------------------------------------------------------------------------------

#define WORLD(field, name, unit, ...) COU_STATE_FIELD(couWorld, field, name, unit, __VA_ARGS__)
static const couStateField time_fields[] = {WORLD(time, "time", "s")};
static const couStateField counter_fields[] = {
    WORLD(step_count, "step_count", ""),
    WORLD(fluid.next_id, "next_id", ""),
    WORLD(random.state, "random", ""),
};
// Depth and speed are what the method's numbers were derived from; a resumed world must not estimate them anew. NaN before that.
static const couStateField demand_fields[] = {
    WORLD(def.depth, "depth", "m", .can_be_any = true),
    WORLD(def.speed, "speed", "m/s", .can_be_any = true),
};
static const couStateField gravity_fields[] = {
    WORLD(def.gravity, "gravity", "m/s^2"),
    WORLD(def.gravity_on, "gravity_on", ""),
};
// What the next step is chosen from.
static const couStateField pace_fields[] = {
    WORLD(fluid.last_dt, "last_dt", "s"),
    WORLD(fluid.relative_speed, "relative_speed", "m/s"),
};
static const couStateTable world_tables[] = {
    {"world/time", cou_stateF64, true, time_fields, COU_COUNT(time_fields)},
    {"world/counters", cou_stateU64, true, counter_fields, COU_COUNT(counter_fields)},
    {"world/demand", cou_stateF32, true, demand_fields, COU_COUNT(demand_fields)},
    {"world/pace", cou_stateF32, true, pace_fields, COU_COUNT(pace_fields)},
    {"world/gravity", cou_stateF32, true, gravity_fields, COU_COUNT(gravity_fields)},
};

#define EMITTER(field, name, unit) COU_STATE_FIELD(couEmitter, field, name, unit)
static const couStateField emitter_fields[] = {
    EMITTER(is_on, "is_on", ""),
    EMITTER(travelled, "travelled", "m"),
    EMITTER(emitted, "emitted", ""),
    EMITTER(is_filled, "is_filled", ""),
};
static const couStateTable emitter_table = {"emitters/progress", cou_stateF64, false, emitter_fields, COU_COUNT(emitter_fields)};

#define BLOWER(field, name, unit) COU_STATE_FIELD(couBlower, field, name, unit)
static const couStateField blower_fields[] = {
    BLOWER(slot.is_here, "is_here", ""),
    BLOWER(is_on, "is_on", ""),
    BLOWER(def.pose.position, "position", "m"),
    BLOWER(def.pose.rotation, "rotation", ""),
};
static const couStateTable blower_table = {"blowers/state", cou_stateF64, false, blower_fields, COU_COUNT(blower_fields)};

// What events are told of the last step; nobody else asks, so it is saved where there are events.
#define FORCE(field, name, unit) COU_STATE_FIELD(couBody, field, name, unit)
static const couStateField force_fields[] = {FORCE(step_force, "force", "N"), FORCE(step_torque, "torque", "N m")};
static const couStateTable force_table = {"bodies/step_force", cou_stateF32, false, force_fields, COU_COUNT(force_fields)};

static const couStateField event_fields[] = {COU_STATE_FIELD(couEvent, next, "next", "s", .can_be_any = true)};
static const couStateTable event_table = {"events/next", cou_stateF64, false, event_fields, COU_COUNT(event_fields)};

// --- What can be set: materials, bodies, blowers, the method -----------------------------------------------------------------

enum { MOST_NUMBERS = 128 };

// All numbers of a def, by its parameter table.
static int def_numbers(const couParamTable *table, const void *def, double *values)
{
    int count = 0;
    for (int p = 0; p < table->count; ++p) {
        double v[3];
        int n = couParam_GetNumbers(&table->params[p], def, v);
        for (int k = 0; k < n && count < MOST_NUMBERS; ++k) values[count++] = v[k];
    }
    COU_ASSERT(count < MOST_NUMBERS);
    return count;
}

static int count_numbers(const couParamTable *table)
{
    _Alignas(16) static const char nothing[2048]; // stands for a def
    double values[MOST_NUMBERS];
    COU_ASSERT(couParams_Size(table) <= sizeof nothing);
    return def_numbers(table, nothing, values);
}

// The def with the saved numbers in it; false, with faults, when one is out of its range.
static bool set_def_numbers(const couParamTable *table, void *def, const double *values, couFaults *faults)
{
    static const char where[] = "saved state";
    bool is_good = true;
    for (int p = 0; p < table->count; ++p) {
        const couParam *param = &table->params[p];
        double old[3];
        int n = couParam_GetNumbers(param, def, old);
        bool is_number = true;
        for (int k = 0; k < n; ++k) is_number &= !isnan(values[k]);
        if (n && !is_number && !param->is_auto) {
            couFaults_Add(faults, where, param->name, "it is not a number");
            is_good = false;
        } else if (n && is_number) {
            is_good = couParam_SetNumbers(param, table->name, def, values, n, where, faults) && is_good;
        } else if (n) {
            is_good = couParam_SetText(param, table->name, def, "auto", where, faults) && is_good;
        }
        values += n;
    }
    return is_good;
}

// Defs of one kind, `stride` bytes apart, and the array that holds their numbers.
typedef struct DefArray {
    const char *name;
    const couParamTable *table;
    void *first;
    size_t count, stride;
} DefArray;

enum { DEF_ARRAYS = 4 };

static void list_defs(const couWorld *world, DefArray arrays[DEF_ARRAYS])
{
    const couFluid *fluid = &world->fluid;
    void *body = world->bodies.count ? &world->bodies.items[0].def : NULL;
    void *blower = fluid->blowers.count ? &fluid->blowers.items[0].def : NULL;
    arrays[0] = (DefArray){"materials/values", couMaterialParams(), (void *)fluid->materials, (size_t)fluid->material_count,
                           sizeof *fluid->materials};
    arrays[1] = (DefArray){"bodies/values", couBodyParams(), body, world->bodies.count, sizeof *world->bodies.items};
    arrays[2] = (DefArray){"blowers/values", couBlowerParams(), blower, fluid->blowers.count, sizeof *fluid->blowers.items};
    arrays[3] = (DefArray){"method/values", fluid->method->params, fluid->params, 1, fluid->method->params_bytes};
}

static bool save_defs(const DefArray *defs, couState *state)
{
    int width = count_numbers(defs->table);
    couStateArray *array = couState_Add(state, defs->name, "", cou_stateF64, width, defs->count, NULL);
    for (size_t k = 0; array && k < defs->count; ++k)
        def_numbers(defs->table, (const char *)defs->first + k * defs->stride, (double *)array->data + k * (size_t)width);
    return array != NULL;
}

static bool save_settings(const couWorld *world, couState *state)
{
    DefArray arrays[DEF_ARRAYS];
    list_defs(world, arrays);
    for (int k = 0; k < DEF_ARRAYS; ++k)
        if (!save_defs(&arrays[k], state)) return false;
    const couFluid *fluid = &world->fluid;
    size_t count = (size_t)fluid->material_count;
    uint8_t wants[COU_MAX_MATERIALS];
    for (size_t m = 0; m < count; ++m) wants[m] = fluid->springs->is_wanted[m];
    return couState_Add(state, "materials/wants_springs", "", cou_stateU8, 1, count, wants) != NULL;
}

bool couWorld_SaveState(const couWorld *world, couState *state)
{
    bool is_good = true;
    for (int t = 0; t < COU_COUNT(world_tables) && is_good; ++t)
        is_good = couStateTable_Save(&world_tables[t], world, 1, sizeof *world, state);
    return is_good && save_particles(&world->fluid, state) && save_springs(&world->fluid, state) && save_settings(world, state) &&
           couBodies_Save(&world->bodies, state) && couSolids_Save(&world->solids, state) &&
           couStateTable_Save(&emitter_table, world->emitters.items, world->emitters.count, sizeof *world->emitters.items,
                              state) &&
           couStateTable_Save(&blower_table, world->fluid.blowers.items, world->fluid.blowers.count,
                              sizeof *world->fluid.blowers.items, state) &&
           couStateTable_Save(&event_table, world->events.items, world->events.count, sizeof *world->events.items, state) &&
           (!world->events.count ||
            couStateTable_Save(&force_table, world->bodies.items, world->bodies.count, sizeof *world->bodies.items, state)) &&
           couGauges_Save(world, state);
}

// --- Loading -----------------------------------------------------------------------------------------------------------------

// Adds a fault when a float array holds NaN or infinity.
static bool check_finite(const couState *state, const char *name, couFaults *faults)
{
    const couStateArray *array = couState_Find(state, name);
    if (!array || array->type != cou_stateF32) return true; // faults of that kind are found elsewhere
    for (size_t k = 0; k < array->count * (size_t)array->components; ++k) {
        if (isfinite(((const float *)array->data)[k])) continue;
        couFaults_Add(faults, NULL, name, "row %zu of the saved state is not finite", k / (size_t)array->components);
        return false;
    }
    return true;
}

static bool check_particles(const couWorld *world, const couState *state, size_t *count, couFaults *faults)
{
    const couFluid *fluid = &world->fluid;
    const couStateArray *id = couExpectArray(state, "particles/id", cou_stateU32, 1, SIZE_MAX, faults);
    const couStateArray *counters = couState_Find(state, "world/counters"); // checked already
    if (!id || !counters || counters->type != cou_stateU64 || counters->count < 2) return false;
    *count = id->count;
    bool is_good = true;
    for (int c = 0; c < fluid->table.column_count; ++c) {
        const couColumn *column = &fluid->table.columns[c];
        char name[64];
        snprintf(name, sizeof name, "particles/%s", column->name);
        if (column->role == cou_columnState && !couExpectArray(state, name, column->type, column->components, id->count, faults))
            is_good = false;
    }
    const couStateArray *material = couState_Find(state, "particles/material");
    const uint64_t next_id = ((const uint64_t *)counters->data)[1];
    for (size_t i = 0; is_good && i < id->count; ++i) {
        uint32_t this_id = ((const uint32_t *)id->data)[i];
        bool is_sorted = i == 0 || ((const uint32_t *)id->data)[i - 1] < this_id;
        if (this_id < next_id && is_sorted && ((const uint8_t *)material->data)[i] < fluid->material_count) continue;
        couFaults_Add(faults, NULL, "particles/id", "row %zu of the saved particles has an impossible id or material", i);
        is_good = false;
    }
    return is_good && check_finite(state, "particles/position", faults) && check_finite(state, "particles/velocity", faults);
}

static bool has_id(const couStateArray *ids, uint32_t id)
{
    size_t low = 0, high = ids->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (((const uint32_t *)ids->data)[middle] < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < ids->count && ((const uint32_t *)ids->data)[low] == id;
}

// Springs must join two particles that are there, lower id first, in ascending order of pairs.
static bool check_pairs(const couState *state, const couStateArray *springs, couFaults *faults)
{
    const couStateArray *ids = couState_Find(state, "particles/id");
    const uint32_t *pairs = springs->data;
    for (size_t s = 0; s < springs->count; ++s) {
        uint32_t a = pairs[2 * s], b = pairs[2 * s + 1];
        bool is_after = s == 0 || pairs[2 * s - 2] < a || (pairs[2 * s - 2] == a && pairs[2 * s - 1] < b);
        if (a < b && is_after && has_id(ids, a) && has_id(ids, b)) continue;
        couFaults_Add(faults, NULL, "springs/ids", "row %zu of the saved springs joins impossible particles: %u and %u", s, a, b);
        return false;
    }
    return true;
}

static void load_particles(couFluid *fluid, const couState *state, size_t count)
{
    fluid->table.count = 0;
    couTable_AddRows(&fluid->table, count);
    for (int c = 0; c < fluid->table.column_count; ++c) {
        const couColumn *column = &fluid->table.columns[c];
        char name[64];
        snprintf(name, sizeof name, "particles/%s", column->name);
        if (column->role == cou_columnState && count)
            memcpy(column->data, couState_Find(state, name)->data, count * column->row_bytes);
    }
    if (count) memcpy(couFluid_Previous(fluid), couFluid_Position(fluid), count * sizeof(couVec4));
}

static bool load_springs(couFluid *fluid, const couStateArray *ids, const couStateArray *lengths)
{
    couSpringView *springs = couAlloc(NULL, (ids->count + 1) * sizeof *springs);
    if (!springs) return false;
    for (size_t s = 0; s < ids->count; ++s) {
        const uint32_t *pair = (const uint32_t *)ids->data + 2 * s;
        springs[s] = (couSpringView){pair[0], pair[1], ((const float *)lengths->data)[s]};
    }
    bool is_good = couSetSprings(fluid, springs, ids->count);
    couFree(NULL, springs);
    return is_good;
}

static bool check_tables(const couWorld *world, const couState *state, couFaults *faults)
{
    bool is_good = true;
    for (int t = 0; t < COU_COUNT(world_tables); ++t)
        is_good = couStateTable_Check(&world_tables[t], 1, state, faults) && is_good;
    is_good = couBodies_CheckSaved(&world->bodies, state, faults) && is_good;
    is_good = couSolids_CheckSaved(&world->solids, state, faults) && is_good;
    is_good = couStateTable_Check(&emitter_table, world->emitters.count, state, faults) && is_good;
    is_good = couStateTable_Check(&blower_table, world->fluid.blowers.count, state, faults) && is_good;
    if (world->events.count) is_good = couStateTable_Check(&force_table, world->bodies.count, state, faults) && is_good;
    is_good = couGauges_CheckSaved(world, state, faults) && is_good;
    return couStateTable_Check(&event_table, world->events.count, state, faults) && is_good;
}

static bool refuse_row(const char *array, size_t row, const char *what, double value, couFaults *faults)
{
    couFaults_Add(faults, NULL, array, "row %zu of the saved state: %s cannot be %.10g", row, what, value);
    return false;
}

// What is due of a jet is less than a layer, of a volume a count; nobody has emitted more than were ever made.
static bool check_emitters(const couWorld *world, const couState *state, couFaults *faults)
{
    uint64_t made = ((const uint64_t *)couState_Find(state, "world/counters")->data)[1];
    for (size_t e = 0; e < world->emitters.count; ++e) {
        couEmitter saved = world->emitters.items[e];
        couStateTable_LoadRow(&emitter_table, state, e, &saved);
        bool is_jet = saved.slot.is_here && couIsJet(&saved.def);
        if (!(saved.travelled >= 0 && saved.travelled < (is_jet ? (double)world->def.spacing : 0x1p53)))
            return refuse_row(emitter_table.array, e, "travelled", saved.travelled, faults);
        if (saved.emitted > made) return refuse_row(emitter_table.array, e, "emitted", (double)saved.emitted, faults);
    }
    return true;
}

// An event that was due ever since the beginning of time would be called until its end.
static bool check_events(const couWorld *world, const couState *state, couFaults *faults)
{
    const double most_calls = 1e6; // at once
    double time = *(const double *)couState_Find(state, "world/time")->data;
    for (size_t e = 0; e < world->events.count; ++e) {
        double next = ((const double *)couState_Find(state, event_table.array)->data)[e];
        double period = world->events.items[e].period;
        if (isnan(next) || (period > 0 && time - next > most_calls * period))
            return refuse_row(event_table.array, e, "next", next, faults);
    }
    return true;
}

static bool check_blowers(const couWorld *world, const couState *state, couFaults *faults)
{
    for (size_t b = 0; b < world->fluid.blowers.count; ++b) {
        couBlower saved = world->fluid.blowers.items[b];
        couStateTable_LoadRow(&blower_table, state, b, &saved);
        if (!couCheckPose(saved.def.pose, blower_table.array, faults)) return false;
    }
    return true;
}

// Numbers of the world that steps are chosen from: none is negative, and depth and speed are those of a world.
static bool check_pace(const couState *state, couFaults *faults)
{
    const double most = 1e9; // [m], [m/s]
    double time = *(const double *)couState_Find(state, "world/time")->data;
    if (!(time >= 0)) return refuse_row("world/time", 0, "time", time, faults);
    const float *demand = couState_Find(state, "world/demand")->data, *pace = couState_Find(state, "world/pace")->data;
    for (size_t k = 0; k < 2; ++k) {
        bool can_be = isnan(demand[k]) || (demand[k] >= 0 && (double)demand[k] <= most);
        if (!can_be) return refuse_row("world/demand", k, demand_fields[k].name, (double)demand[k], faults);
        if (!(pace[k] >= 0)) return refuse_row("world/pace", k, pace_fields[k].name, (double)pace[k], faults);
    }
    return true;
}

// What tables cannot say of their numbers; the tables were checked before.
static bool check_things(const couWorld *world, const couState *state, couFaults *faults)
{
    bool is_good = check_pace(state, faults);
    is_good = check_emitters(world, state, faults) && is_good;
    is_good = check_events(world, state, faults) && is_good;
    return check_blowers(world, state, faults) && is_good;
}

// The saved arrays of springs; NULL with faults where something is wrong with them.
static const couStateArray *check_springs(const couState *state, couFaults *faults)
{
    const couStateArray *springs = couExpectArray(state, "springs/ids", cou_stateU32, 2, SIZE_MAX, faults);
    if (!springs || !couExpectArray(state, "springs/rest_length", cou_stateF32, 1, springs->count, faults)) return NULL;
    if (!check_finite(state, "springs/rest_length", faults)) return NULL;
    return check_pairs(state, springs, faults) ? springs : NULL;
}

// Gravity that a def could have.
static bool check_gravity(const couState *state, couFaults *faults)
{
    couWorldDef def = couDefaultWorldDef();
    const couStateArray *array = couState_Find(state, "world/gravity"); // its size was checked already
    const float *values = array->data;
    def.gravity = (couVec3){values[0], values[1], values[2]};
    def.gravity_on = (int)values[3];
    return couParams_Check(couWorldParams(), &def, faults);
}

// Tries the saved numbers on a copy of each def, or, once that went well, puts them where they belong.
static bool load_settings(couWorld *world, const couState *state, bool is_trial, couFaults *faults)
{
    DefArray arrays[DEF_ARRAYS];
    list_defs(world, arrays);
    bool is_good = true;
    for (int k = 0; k < DEF_ARRAYS; ++k) {
        const DefArray *defs = &arrays[k];
        int width = count_numbers(defs->table);
        const couStateArray *array = couExpectArray(state, defs->name, cou_stateF64, width, defs->count, faults);
        is_good = is_good && array;
        size_t bytes = couParams_Size(defs->table);
        char *copy = is_trial ? couAlloc(NULL, bytes) : NULL;
        for (size_t i = 0; array && i < defs->count && (copy || !is_trial); ++i) {
            char *def = (char *)defs->first + i * defs->stride;
            if (is_trial) def = memcpy(copy, def, bytes);
            is_good = set_def_numbers(defs->table, def, (const double *)array->data + i * (size_t)width, faults) && is_good;
        }
        couFree(NULL, copy);
    }
    return is_good;
}

static bool check_settings(couWorld *world, const couState *state, couFaults *faults)
{
    size_t count = (size_t)world->fluid.material_count;
    bool is_good = load_settings(world, state, true, faults);
    return couExpectArray(state, "materials/wants_springs", cou_stateU8, 1, count, faults) && is_good;
}

static void load_blowers(couBlowers *blowers, const couState *state)
{
    for (size_t b = 0; b < blowers->count; ++b) {
        couBlower *blower = &blowers->items[b], saved = *blower;
        couStateTable_LoadRow(&blower_table, state, b, &saved);
        blower->is_on = saved.is_on;
        blower->def.pose = saved.def.pose;
        couFollowSlot(&blower->slot, saved.slot.is_here);
    }
}

bool couWorld_LoadState(couWorld *world, const couState *state, couFaults *faults)
{
    couFluid *fluid = &world->fluid;
    size_t count = 0;
    bool is_good = check_tables(world, state, faults);
    is_good = is_good && check_gravity(state, faults) && check_things(world, state, faults);
    is_good = check_particles(world, state, &count, faults) && is_good;
    is_good = check_settings(world, state, faults) && is_good;
    const couStateArray *springs = is_good ? check_springs(state, faults) : NULL;
    if (!springs) return false;
    if (!couTable_Reserve(&fluid->table, count)) {
        couFaults_Add(faults, NULL, NULL, "out of memory for %zu particles", count);
        return false;
    }
    for (int t = 0; t < COU_COUNT(world_tables); ++t) couStateTable_LoadRow(&world_tables[t], state, 0, world);
    couApplyGravity(world);
    load_particles(fluid, state, count);
    const couStateArray *wants = couState_Find(state, "materials/wants_springs");
    for (int m = 0; m < fluid->material_count; ++m) fluid->springs->is_wanted[m] = ((const uint8_t *)wants->data)[m];
    load_settings(world, state, false, faults);
    load_blowers(&fluid->blowers, state);
    if (!couBodies_Load(&world->bodies, state, faults)) return false;
    if (world->events.count)
        couStateTable_Load(&force_table, state, world->bodies.items, world->bodies.count, sizeof *world->bodies.items);
    couSolids_Load(&world->solids, state);
    couStateTable_Load(&emitter_table, state, world->emitters.items, world->emitters.count, sizeof *world->emitters.items);
    couStateTable_Load(&event_table, state, world->events.items, world->events.count, sizeof *world->events.items);
    if (!load_springs(fluid, springs, couState_Find(state, "springs/rest_length"))) {
        couFaults_Add(faults, NULL, NULL, "out of memory for %zu springs", springs->count);
        return false;
    }
    return couGauges_Load(world, state, faults) && couWorld_Prepare(world, faults);
}
