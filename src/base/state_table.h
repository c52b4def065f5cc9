/// Fields of structs in a saved state: one table says what is saved, under which name, in which unit; saving, checking, loading
/// and the hash follow from it. A new field is one line.
#pragma once

#include "base/base.h"
#include "coulis/world.h"

typedef enum couNumberType {
    cou_numberBool,
    cou_numberInt, ///< also enums
    cou_numberU32,
    cou_numberU64,
    cou_numberFloat,
    cou_numberDouble
} couNumberType;

/// Some consecutive numbers of a struct.
typedef struct couStateField {
    const char *name, *unit;
    couNumberType type;
    int count; ///< how many there are
    size_t offset;
    bool can_be_any; ///< NaN and infinity have a meaning
} couStateField;

/// A row of COU_STATE_TABLE: the field of a struct, its type and number taken from itself.
#define COU_STATE_FIELD(struct_type, field, field_name, field_unit, ...) \
    { \
        .name = field_name, .unit = field_unit, .type = COU_NUMBER_TYPE(((struct_type *)0)->field), \
        .count = COU_NUMBER_COUNT(((struct_type *)0)->field), .offset = offsetof(struct_type, field), __VA_ARGS__ \
    }
#define COU_NUMBER_TYPE(x) \
    _Generic((x), bool: cou_numberBool, int: cou_numberInt, unsigned: cou_numberU32, unsigned long: cou_numberU64, \
             unsigned long long: cou_numberU64, float: cou_numberFloat, couVec3: cou_numberFloat, couQuat: cou_numberFloat, \
             float *: cou_numberFloat, double: cou_numberDouble, double *: cou_numberDouble)
/// couVec3 and couQuat are floats in a row.
#define COU_NUMBER_COUNT(x) \
    ((int)(sizeof(x) / (_Generic((x), couVec3: sizeof(float), couQuat: sizeof(float), double *: sizeof(double), \
                                float *: sizeof(float), default: sizeof(x)))))

typedef struct couStateTable {
    const char *array; ///< its name in the state: "bodies/state"
    couStateType type; ///< of the array's numbers
    bool is_column;    ///< of a single struct: its numbers are rows of one component
    const couStateField *fields;
    int field_count;
} couStateTable;

/// Numbers that a struct has in the table.
int couStateTable_Width(const couStateTable *table);
/// Appends the array of `count` structs. False without memory.
bool couStateTable_Save(const couStateTable *table, const void *items, size_t count, size_t item_bytes, couState *state);
/// False, with faults, when the array is missing, of another size, or has a number that its field cannot be.
bool couStateTable_Check(const couStateTable *table, size_t count, const couState *state, couFaults *faults);
/// Reads one struct's numbers; the array was checked before.
void couStateTable_LoadRow(const couStateTable *table, const couState *state, size_t row, void *item);
void couStateTable_Load(const couStateTable *table, const couState *state, void *items, size_t count, size_t item_bytes);

/// The array if it is there with this type and size (SIZE_MAX: any count); otherwise adds a fault.
const couStateArray *couExpectArray(const couState *state, const char *name, couStateType type, int components, size_t count,
                                    couFaults *faults);
