// Solids in a saved state: the points of all solids one after the other. Holds are made again by the scene; which of them a point
// has is saved, since events may let go of it.

#include "base/state_table.h"
#include "soft/solids.h"

typedef struct Column {
    const char *name, *unit;
    couStateType type;
    int components;
    size_t offset; // of the array in couSolid
} Column;

static const Column columns[] = {
    {"solids/position", "m", cou_stateF64, 3, offsetof(couSolid, position)},
    {"solids/velocity", "m/s", cou_stateF64, 3, offsetof(couSolid, velocity)},
    {"solids/drift", "m/s", cou_stateF64, 3, offsetof(couSolid, drift)},
    {"solids/push", "N", cou_stateF64, 3, offsetof(couSolid, push)},
    {"solids/anchor", "m", cou_stateF64, 3, offsetof(couSolid, anchor)},
    {"solids/hold", "", cou_stateU32, 1, offsetof(couSolid, hold)},
    {"solids/drag_speed", "m/s", cou_stateF32, 1, offsetof(couSolid, drag_speed)},
};

static void *array_of(const couSolid *solid, const Column *column)
{
    void *pointer;
    memcpy(&pointer, (const char *)solid + column->offset, sizeof pointer);
    return pointer;
}

static size_t point_count(const couSolids *solids)
{
    size_t count = 0;
    for (size_t s = 0; s < solids->count; ++s) count += solids->items[s].def.mesh->point_count;
    return count;
}

bool couSolids_Save(const couSolids *solids, couState *state)
{
    size_t count = point_count(solids);
    for (int c = 0; c < COU_COUNT(columns) && count; ++c) {
        const Column *column = &columns[c];
        couStateArray *array = couState_Add(state, column->name, column->unit, column->type, column->components, count, NULL);
        if (!array) return false;
        char *to = array->data;
        for (size_t s = 0; s < solids->count; ++s) {
            size_t bytes = solids->items[s].def.mesh->point_count * (size_t)column->components * couStateType_Size(column->type);
            memcpy(to, array_of(&solids->items[s], column), bytes);
            to += bytes;
        }
    }
    return true;
}

static bool check_numbers(const couStateArray *array, couFaults *faults)
{
    for (size_t k = 0; k < array->count * (size_t)array->components; ++k) {
        bool is_good = array->type == cou_stateF64   ? isfinite(((const double *)array->data)[k])
                       : array->type == cou_stateF32 ? isfinite(((const float *)array->data)[k])
                                                     : true;
        if (is_good) continue;
        couFaults_Add(faults, NULL, array->name, "row %zu of the saved state is not finite", k / (size_t)array->components);
        return false;
    }
    return true;
}

static bool check_holds(const couSolids *solids, const couStateArray *array, couFaults *faults)
{
    const uint32_t *hold = array->data;
    for (size_t s = 0; s < solids->count; ++s) {
        const couSolid *solid = &solids->items[s];
        for (size_t i = 0; i < solid->def.mesh->point_count; ++i, ++hold) {
            if (*hold == COU_DRAGGED || *hold <= solid->holds.count) continue;
            couFaults_Add(faults, NULL, array->name, "a point of '%s' is held by %u of %zu", solid->def.name, *hold,
                          solid->holds.count);
            return false;
        }
    }
    return true;
}

bool couSolids_CheckSaved(const couSolids *solids, const couState *state, couFaults *faults)
{
    size_t count = point_count(solids);
    if (!count && couState_Find(state, columns[0].name)) {
        couFaults_Add(faults, NULL, columns[0].name, "the saved state has solids, this world has none");
        return false;
    }
    bool is_good = true;
    for (int c = 0; c < COU_COUNT(columns) && count; ++c) {
        const couStateArray *array = couExpectArray(state, columns[c].name, columns[c].type, columns[c].components, count,
                                                    faults);
        is_good = array && check_numbers(array, faults) && is_good;
        if (array && array->type == cou_stateU32) is_good = check_holds(solids, array, faults) && is_good;
    }
    return is_good;
}

void couSolids_Load(couSolids *solids, const couState *state)
{
    for (int c = 0; c < COU_COUNT(columns) && solids->count; ++c) {
        const char *from = couState_Find(state, columns[c].name)->data;
        for (size_t s = 0; s < solids->count; ++s) {
            size_t bytes = solids->items[s].def.mesh->point_count * (size_t)columns[c].components *
                           couStateType_Size(columns[c].type);
            memcpy(array_of(&solids->items[s], &columns[c]), from, bytes);
            from += bytes;
        }
    }
}
