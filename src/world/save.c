// Saving and loading a world's state. One list of arrays serves checkpoint and hash: what is saved is what is hashed. Particles are
// saved in order of their ids and springs by id pairs, so the same world gives the same arrays however it is stored.

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

// --- The small things --------------------------------------------------------------------------------------------------------

enum { EMITTER_NUMBERS = 4 };

// What can change of a material while it runs, by its parameter table.
static int material_numbers(const couMaterialDef *def, double *values)
{
    const couParamTable *table = couMaterialParams();
    int count = 0;
    for (int p = 0; p < table->count; ++p) {
        double v[3];
        int n = couParam_GetNumbers(&table->params[p], def, v);
        for (int k = 0; k < n; ++k) values[count++] = v[k];
    }
    return count;
}

// The def with the saved numbers in it; false, with faults, when one is out of its range.
static bool set_material_numbers(couMaterialDef *def, const double *values, couFaults *faults)
{
    const couParamTable *table = couMaterialParams();
    bool is_good = true;
    for (int p = 0; p < table->count; ++p) {
        double old[3];
        int n = couParam_GetNumbers(&table->params[p], def, old);
        bool is_number = true;
        for (int k = 0; k < n; ++k) is_number &= !isnan(values[k]);
        // NaN stands for "auto", which is what the scene's own def says already.
        if (is_number)
            is_good = couParam_SetNumbers(&table->params[p], "material", def, values, n, "saved state", faults) && is_good;
        if (!is_number && !table->params[p].is_auto) {
            couFaults_Add(faults, "saved state", table->params[p].name, "it is not a number");
            is_good = false;
        }
        values += n;
    }
    return is_good;
}

static bool save_materials(const couWorld *world, couState *state)
{
    double values[64];
    couMaterialDef probe = couDefaultMaterialDef();
    int width = material_numbers(&probe, values);
    couStateArray *array = couState_Add(state, "materials/values", "", cou_stateF64, width, (size_t)world->fluid.material_count,
                                        NULL);
    if (!array) return false;
    for (int m = 0; m < world->fluid.material_count; ++m)
        material_numbers(&world->fluid.materials[m], (double *)array->data + (size_t)m * (size_t)width);
    uint8_t wants[COU_MAX_MATERIALS];
    for (int m = 0; m < world->fluid.material_count; ++m) wants[m] = world->wants_springs[m];
    return couState_Add(state, "materials/wants_springs", "", cou_stateU8, 1, (size_t)world->fluid.material_count, wants) != NULL;
}

static bool save_emitters(const couWorld *world, couState *state)
{
    couStateArray *array = couState_Add(state, "emitters/progress", "", cou_stateF64, EMITTER_NUMBERS, world->emitter_count,
                                        NULL);
    if (!array) return false;
    for (size_t e = 0; e < world->emitter_count; ++e) {
        const couEmitter *emitter = &world->emitters[e];
        double row[EMITTER_NUMBERS] = {emitter->is_on, emitter->travelled, (double)emitter->emitted, emitter->is_filled};
        memcpy((double *)array->data + e * EMITTER_NUMBERS, row, sizeof row);
    }
    return true;
}

static bool save_events(const couWorld *world, couState *state)
{
    couStateArray *array = couState_Add(state, "events/next", "s", cou_stateF64, 1, world->event_count, NULL);
    for (size_t e = 0; array && e < world->event_count; ++e) ((double *)array->data)[e] = world->events[e].next;
    return array != NULL;
}

bool couWorld_SaveState(const couWorld *world, couState *state)
{
    uint64_t counters[3] = {world->step_count, world->fluid.next_id, world->random.state};
    // Depth and speed are what the method's numbers were derived from; a resumed world must not estimate them anew.
    float demand[2] = {world->def.depth, world->def.speed};
    float pace[2] = {world->fluid.last_dt, world->fluid.relative_speed}; // what the next step is chosen from
    return couState_Add(state, "world/time", "s", cou_stateF64, 1, 1, &world->time) &&
           couState_Add(state, "world/counters", "", cou_stateU64, 1, 3, counters) &&
           couState_Add(state, "world/demand", "", cou_stateF32, 1, 2, demand) &&
           couState_Add(state, "world/pace", "", cou_stateF32, 1, 2, pace) && save_particles(&world->fluid, state) &&
           save_springs(&world->fluid, state) && save_materials(world, state) && couSaveBodies(world, state) &&
           save_emitters(world, state) && save_events(world, state);
}

// --- Loading -----------------------------------------------------------------------------------------------------------------

// The array if it is there with the right type and size (rows SIZE_MAX: any), else NULL with a fault.
const couStateArray *couExpectArray(const couState *state, const char *name, couStateType type, int components, size_t rows,
                                    couFaults *faults)
{
    const couStateArray *array = couState_Find(state, name);
    if (array && array->type == type && array->components == components && (rows == SIZE_MAX || array->count == rows))
        return array;
    couFaults_Add(faults, NULL, name, array ? "the saved array does not fit this scene" : "the saved state lacks this array");
    return NULL;
}

static bool check_particles(const couWorld *world, const couState *state, size_t *count, couFaults *faults)
{
    const couFluid *fluid = &world->fluid;
    const couStateArray *id = couExpectArray(state, "particles/id", cou_stateU32, 1, SIZE_MAX, faults);
    const couStateArray *counters = couExpectArray(state, "world/counters", cou_stateU64, 1, 3, faults);
    if (!id || !counters) return false;
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
    if (next_id > UINT32_MAX) {
        couFaults_Add(faults, NULL, "world/counters", "more ids were given than there can be: %llu", (unsigned long long)next_id);
        is_good = false;
    }
    return is_good;
}

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
static bool check_springs(const couState *state, const couStateArray *springs, couFaults *faults)
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

bool couWorld_LoadState(couWorld *world, const couState *state, couFaults *faults)
{
    couFluid *fluid = &world->fluid;
    double probe[64];
    couMaterialDef default_material = couDefaultMaterialDef();
    int width = material_numbers(&default_material, probe);
    size_t count = 0;
    bool is_good = check_particles(world, state, &count, faults);
    const couStateArray *time = couExpectArray(state, "world/time", cou_stateF64, 1, 1, faults);
    const couStateArray *demand = couExpectArray(state, "world/demand", cou_stateF32, 1, 2, faults);
    const couStateArray *pace = couExpectArray(state, "world/pace", cou_stateF32, 1, 2, faults);
    const couStateArray *ids = couExpectArray(state, "springs/ids", cou_stateU32, 2, SIZE_MAX, faults);
    const couStateArray *lengths = ids ? couExpectArray(state, "springs/rest_length", cou_stateF32, 1, ids->count, faults) : NULL;
    size_t material_count = (size_t)fluid->material_count;
    const couStateArray *materials = couExpectArray(state, "materials/values", cou_stateF64, width, material_count, faults);
    const couStateArray *wants = couExpectArray(state, "materials/wants_springs", cou_stateU8, 1, material_count, faults);
    bool has_bodies = couCheckSavedBodies(world, state, faults);
    const couStateArray *emitters = couExpectArray(state, "emitters/progress", cou_stateF64, EMITTER_NUMBERS,
                                                   world->emitter_count, faults);
    const couStateArray *events = couExpectArray(state, "events/next", cou_stateF64, 1, world->event_count, faults);
    if (!is_good || !time || !demand || !pace || !lengths || !materials || !wants || !has_bodies || !emitters || !events)
        return false;
    is_good = check_finite(state, "particles/position", faults) && check_finite(state, "particles/velocity", faults) &&
              check_finite(state, "springs/rest_length", faults) && check_finite(state, "world/pace", faults) &&
              check_springs(state, ids, faults);
    if (!isfinite(*(const double *)time->data)) {
        couFaults_Add(faults, NULL, "world/time", "the saved time is not finite");
        is_good = false;
    }
    couMaterialDef loaded[COU_MAX_MATERIALS];
    for (size_t m = 0; m < material_count; ++m) {
        loaded[m] = fluid->materials[m];
        is_good = set_material_numbers(&loaded[m], (const double *)materials->data + m * (size_t)width, faults) && is_good;
    }
    if (!is_good) return false;
    if (!couTable_Reserve(&fluid->table, count)) {
        couFaults_Add(faults, NULL, NULL, "out of memory for %zu particles", count);
        return false;
    }

    const uint64_t *counters = couState_Find(state, "world/counters")->data;
    world->time = *(const double *)time->data;
    world->step_count = counters[0];
    fluid->next_id = (uint32_t)counters[1];
    world->random.state = counters[2];
    world->def.depth = ((const float *)demand->data)[0];
    world->def.speed = ((const float *)demand->data)[1];
    fluid->last_dt = ((const float *)pace->data)[0];
    fluid->relative_speed = ((const float *)pace->data)[1];
    world->has_new_bodies = true;
    load_particles(fluid, state, count);
    for (size_t m = 0; m < material_count; ++m) {
        fluid->materials[m] = loaded[m];
        world->wants_springs[m] = ((const uint8_t *)wants->data)[m];
    }
    if (!couLoadBodies(world, state, faults)) return false;
    for (size_t e = 0; e < world->emitter_count; ++e) {
        const double *row = (const double *)emitters->data + e * EMITTER_NUMBERS;
        couEmitter *emitter = &world->emitters[e];
        emitter->is_on = row[0] != 0;
        emitter->travelled = row[1];
        emitter->emitted = (uint64_t)row[2];
        emitter->is_filled = row[3] != 0;
    }
    for (size_t e = 0; e < world->event_count; ++e) world->events[e].next = ((const double *)events->data)[e];
    if (!load_springs(fluid, ids, lengths)) return false;
    return couWorld_Prepare(world, faults);
}
