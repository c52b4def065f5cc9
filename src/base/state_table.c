// Structs to arrays of a state and back, by a table of their fields.

#include "base/state_table.h"

int couStateTable_Width(const couStateTable *table)
{
    int width = 0;
    for (int f = 0; f < table->field_count; ++f) width += table->fields[f].count;
    return width;
}

static size_t number_bytes(couNumberType type)
{
    static const size_t bytes[] = {sizeof(bool), sizeof(int), 4, 8, sizeof(float), sizeof(double)};
    return bytes[type];
}

// --- One number --------------------------------------------------------------------------------------------------------------

// A number on its way: whole numbers keep all 64 bits.
typedef struct Number {
    double real;
    uint64_t whole;
} Number;

static Number read_field(couNumberType type, const char *at)
{
    Number n = {0};
    switch (type) {
    case cou_numberBool: n.whole = *(const bool *)at; break;
    case cou_numberInt: n.whole = (uint64_t) * (const int *)at; break;
    case cou_numberU32: n.whole = *(const uint32_t *)at; break;
    case cou_numberU64: n.whole = *(const uint64_t *)at; break;
    case cou_numberFloat: n.real = *(const float *)at; return n;
    case cou_numberDouble: n.real = *(const double *)at; return n;
    }
    n.real = type == cou_numberInt ? (double)*(const int *)at : (double)n.whole;
    return n;
}

static void write_field(couNumberType type, char *at, Number n)
{
    switch (type) {
    case cou_numberBool: *(bool *)at = n.real != 0; break;
    case cou_numberInt: *(int *)at = (int)n.real; break;
    case cou_numberU32: *(uint32_t *)at = (uint32_t)n.whole; break;
    case cou_numberU64: *(uint64_t *)at = n.whole; break;
    case cou_numberFloat: *(float *)at = (float)n.real; break;
    case cou_numberDouble: *(double *)at = n.real; break;
    }
}

static Number read_array(const couStateArray *array, size_t k)
{
    Number n = {0};
    switch (array->type) {
    case cou_stateU8: n.whole = ((const uint8_t *)array->data)[k]; break;
    case cou_stateU32: n.whole = ((const uint32_t *)array->data)[k]; break;
    case cou_stateU64: n.whole = ((const uint64_t *)array->data)[k]; break;
    case cou_stateF32: n.real = ((const float *)array->data)[k]; break;
    case cou_stateF64: n.real = ((const double *)array->data)[k]; break;
    }
    if (array->type == cou_stateF32 || array->type == cou_stateF64)
        n.whole = n.real >= 0 && n.real < 0x1p64 ? (uint64_t)n.real : 0;
    else
        n.real = (double)n.whole;
    return n;
}

static void write_array(couStateArray *array, size_t k, Number n)
{
    switch (array->type) {
    case cou_stateU8: ((uint8_t *)array->data)[k] = (uint8_t)n.whole; break;
    case cou_stateU32: ((uint32_t *)array->data)[k] = (uint32_t)n.whole; break;
    case cou_stateU64: ((uint64_t *)array->data)[k] = n.whole; break;
    case cou_stateF32: ((float *)array->data)[k] = (float)n.real; break;
    case cou_stateF64: ((double *)array->data)[k] = n.real; break;
    }
}

static bool can_be(const couStateField *field, Number n)
{
    switch (field->type) {
    case cou_numberBool: return !isnan(n.real);
    case cou_numberInt: return n.real >= -0x1p31 && n.real < 0x1p31;
    case cou_numberU32: return n.real >= 0 && n.real < 0x1p32;
    case cou_numberU64: return n.real >= 0 && (n.whole || n.real < 1); // what is too large for it has become 0
    case cou_numberFloat: return field->can_be_any || isfinite((float)n.real);
    case cou_numberDouble: return field->can_be_any || isfinite(n.real);
    }
    return false;
}

// --- Rows --------------------------------------------------------------------------------------------------------------------

bool couStateTable_Save(const couStateTable *table, const void *items, size_t count, size_t item_bytes, couState *state)
{
    int width = couStateTable_Width(table);
    COU_ASSERT(!table->is_column || count == 1);
    const char *unit = table->field_count == 1 ? table->fields[0].unit : "";
    couStateArray *array = couState_Add(state, table->array, unit, table->type, table->is_column ? 1 : width,
                                        table->is_column ? (size_t)width : count, NULL);
    if (!array) return false;
    size_t k = 0;
    for (size_t row = 0; row < count; ++row)
        for (int f = 0; f < table->field_count; ++f) {
            const couStateField *field = &table->fields[f];
            const char *at = (const char *)items + row * item_bytes + field->offset;
            for (int c = 0; c < field->count; ++c, at += number_bytes(field->type))
                write_array(array, k++, read_field(field->type, at));
        }
    return true;
}

const couStateArray *couExpectArray(const couState *state, const char *name, couStateType type, int components, size_t count,
                                    couFaults *faults)
{
    const couStateArray *array = couState_Find(state, name);
    if (array && array->type == type && array->components == components && (count == SIZE_MAX || array->count == count))
        return array;
    couFaults_Add(faults, NULL, name, array ? "the saved array does not fit this scene" : "the saved state lacks this array");
    return NULL;
}

bool couStateTable_Check(const couStateTable *table, size_t count, const couState *state, couFaults *faults)
{
    int width = couStateTable_Width(table);
    const couStateArray *array = couExpectArray(state, table->array, table->type, table->is_column ? 1 : width,
                                                table->is_column ? (size_t)width : count, faults);
    if (!array) return false;
    size_t k = 0;
    for (size_t row = 0; row < count; ++row)
        for (int f = 0; f < table->field_count; ++f)
            for (int c = 0; c < table->fields[f].count; ++c, ++k) {
                Number n = read_array(array, k);
                if (can_be(&table->fields[f], n)) continue;
                couFaults_Add(faults, NULL, table->array,
                              isfinite(n.real) ? "row %zu: %s cannot be %.10g" : "row %zu: %s is not finite", row,
                              table->fields[f].name, n.real);
                return false;
            }
    return true;
}

void couStateTable_LoadRow(const couStateTable *table, const couState *state, size_t row, void *item)
{
    const couStateArray *array = couState_Find(state, table->array);
    size_t k = row * (size_t)couStateTable_Width(table);
    for (int f = 0; f < table->field_count; ++f) {
        const couStateField *field = &table->fields[f];
        char *at = (char *)item + field->offset;
        for (int c = 0; c < field->count; ++c, at += number_bytes(field->type))
            write_field(field->type, at, read_array(array, k++));
    }
}

void couStateTable_Load(const couStateTable *table, const couState *state, void *items, size_t count, size_t item_bytes)
{
    for (size_t row = 0; row < count; ++row) couStateTable_LoadRow(table, state, row, (char *)items + row * item_bytes);
}
