// Tables of fields: structs to arrays of a state and back, faults for what does not fit, and a hash that sees every field.
#include "testing.h"

#include "base/state_table.h"

typedef struct Thing {
    double spin[3];
    bool is_on;
    int kind;
    uint32_t id;
    char not_saved[5];
    uint64_t seed;
    float mass;
    couVec3 place;
    couQuat turn;
} Thing;

#define THING(field, unit, ...) COU_STATE_FIELD(Thing, field, #field, unit, __VA_ARGS__)

// Not in the order of the struct.
static const couStateField all_fields[] = {
    THING(is_on, ""),
    THING(kind, ""),
    THING(id, ""),
    THING(seed, ""),
    THING(mass, "kg"),
    THING(place, "m"),
    THING(turn, "", .can_be_any = true),
    THING(spin, "rad/s"),
};
static const couStateField real_fields[] = {THING(mass, "kg", .can_be_any = true), THING(place, "m"), THING(turn, "")};
static const couStateField whole_fields[] = {THING(seed, ""), THING(id, ""), THING(kind, ""), THING(is_on, "")};
static const couStateField small_fields[] = {THING(kind, ""), THING(is_on, "")};
static const couStateField mass_field[] = {THING(mass, "kg")};

#define TABLE(name, type, is_column, fields) \
    { \
        name, type, is_column, fields, COU_COUNT(fields) \
    }
static const couStateTable row_tables[] = {
    TABLE("rows/all", cou_stateF64, false, all_fields),     TABLE("rows/real", cou_stateF32, false, real_fields),
    TABLE("rows/whole", cou_stateU64, false, whole_fields), TABLE("rows/small", cou_stateU8, false, small_fields),
    TABLE("rows/mass", cou_stateF32, false, mass_field),
};
static const couStateTable column_tables[] = {
    TABLE("column/all", cou_stateF64, true, all_fields),     TABLE("column/real", cou_stateF32, true, real_fields),
    TABLE("column/whole", cou_stateU64, true, whole_fields), TABLE("column/small", cou_stateU8, true, small_fields),
    TABLE("column/mass", cou_stateF32, true, mass_field),
};
static const int widths[] = {15, 8, 4, 2, 1};

static Thing make_thing(int n)
{
    float x = (float)n;
    return (Thing){.spin = {0.1 * n, 1e300, -1e-300},
                   .is_on = n % 2 == 0,
                   .kind = 10 + n,
                   .id = UINT32_MAX - (uint32_t)n,
                   .not_saved = "left",
                   .seed = ((uint64_t)1 << 52) + (uint64_t)n,
                   .mass = 1.0f / (3.0f + x),
                   .place = {x + 0.25f, -x, 3e38f},
                   .turn = {x, 2, 3, 4}};
}

// All that is in the table is the same in both.
static void check_same(const couStateTable *table, const Thing *got, const Thing *expected)
{
    static const size_t bytes[] = {sizeof(bool), sizeof(int), 4, 8, 4, 8};
    for (int f = 0; f < table->field_count; ++f) {
        const couStateField *field = &table->fields[f];
        size_t size = bytes[field->type] * (size_t)field->count;
        if (memcmp((const char *)got + field->offset, (const char *)expected + field->offset, size) == 0) continue;
        fail_msg("%s: the field '%s' did not survive", table->array, field->name);
    }
}

// --- There and back ----------------------------------------------------------------------------------------------------------

static void test_types_are_found(void **context)
{
    (void)context;
    static const couNumberType types[] = {cou_numberBool,  cou_numberInt,   cou_numberU32,   cou_numberU64,
                                          cou_numberFloat, cou_numberFloat, cou_numberFloat, cou_numberDouble};
    static const int counts[] = {1, 1, 1, 1, 1, 3, 4, 3};
    for (int f = 0; f < COU_COUNT(all_fields); ++f) {
        assert_int_equal(all_fields[f].type, types[f]);
        assert_int_equal(all_fields[f].count, counts[f]);
        assert_int_equal(all_fields[f].can_be_any, f == 6);
    }
    for (int t = 0; t < COU_COUNT(row_tables); ++t) {
        assert_int_equal(couStateTable_Width(&row_tables[t]), widths[t]);
        assert_int_equal(couStateTable_Width(&column_tables[t]), widths[t]);
    }
}

static void test_rows(void **context)
{
    (void)context;
    enum { COUNT = 5 };
    Thing things[COUNT];
    for (int k = 0; k < COUNT; ++k) things[k] = make_thing(k);
    couState state = {0};
    couFaults faults = {0};
    for (int t = 0; t < COU_COUNT(row_tables); ++t) {
        const couStateTable *table = &row_tables[t];
        assert_true(couStateTable_Save(table, things, COUNT, sizeof *things, &state));
        const couStateArray *array = couState_Find(&state, table->array);
        assert_int_equal(array->type, table->type);
        assert_int_equal(array->components, widths[t]);
        assert_int_equal(array->count, COUNT);
        assert_string_equal(array->unit, widths[t] == 1 ? "kg" : ""); // of one field: its own
    }
    for (int t = 0; t < COU_COUNT(row_tables); ++t) {
        const couStateTable *table = &row_tables[t];
        assert_true(couStateTable_Check(table, COUNT, &state, &faults));
        Thing loaded[COUNT], one = {.not_saved = "own"};
        memset(loaded, 0xEE, sizeof loaded);
        for (int k = 0; k < COUNT; ++k) snprintf(loaded[k].not_saved, sizeof loaded[k].not_saved, "own");
        couStateTable_Load(table, &state, loaded, COUNT, sizeof *loaded);
        for (int k = 0; k < COUNT; ++k) {
            check_same(table, &loaded[k], &things[k]);
            assert_string_equal(loaded[k].not_saved, "own");
        }
        couStateTable_LoadRow(table, &state, 3, &one); // a single row
        check_same(table, &one, &things[3]);
    }
    CHECK_NO_FAULTS(&faults);
    couState_Clear(&state);
}

static void test_columns(void **context)
{
    (void)context;
    Thing thing = make_thing(7);
    couState state = {0};
    couFaults faults = {0};
    for (int t = 0; t < COU_COUNT(column_tables); ++t) {
        const couStateTable *table = &column_tables[t];
        assert_true(couStateTable_Save(table, &thing, 1, sizeof thing, &state));
        const couStateArray *array = couState_Find(&state, table->array);
        assert_int_equal(array->type, table->type);
        assert_int_equal(array->components, 1);
        assert_int_equal(array->count, widths[t]);
        Thing loaded;
        memset(&loaded, 0xEE, sizeof loaded);
        assert_true(couStateTable_Check(table, 1, &state, &faults));
        couStateTable_LoadRow(table, &state, 0, &loaded);
        check_same(table, &loaded, &thing);
    }
    CHECK_NO_FAULTS(&faults);
    couState_Clear(&state);
}

static void test_no_rows(void **context)
{
    (void)context;
    couState state = {0};
    couFaults faults = {0};
    assert_true(couStateTable_Save(&row_tables[0], NULL, 0, sizeof(Thing), &state));
    assert_int_equal(state.arrays[0].count, 0);
    assert_true(couStateTable_Check(&row_tables[0], 0, &state, &faults));
    couStateTable_Load(&row_tables[0], &state, NULL, 0, sizeof(Thing));
    CHECK_NO_FAULTS(&faults);
    couState_Clear(&state);
}

// Numbers come in the order of the table, row after row.
static void test_order(void **context)
{
    (void)context;
    Thing things[2];
    for (int k = 0; k < 2; ++k)
        things[k] = (Thing){.is_on = true,
                            .kind = -5 - k,
                            .id = 3,
                            .seed = 4,
                            .mass = 5,
                            .place = {6, 7, 8},
                            .turn = {9, 10, 11, 12},
                            .spin = {13, 14, 15}};
    couState state = {0};
    assert_true(couStateTable_Save(&row_tables[0], things, 2, sizeof *things, &state));
    static const double expected[] = {1, -5, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    for (int k = 0; k < 30; ++k) CHECK_NEAR(((const double *)state.arrays[0].data)[k], k == 16 ? -6 : expected[k % 15], 0, k);
    things[0].seed = 7;
    assert_true(couStateTable_Save(&column_tables[2], things, 1, sizeof *things, &state));
    things[0].kind = 200;
    assert_true(couStateTable_Save(&column_tables[3], things, 1, sizeof *things, &state));
    const uint64_t *whole = state.arrays[1].data;
    const uint8_t *small = state.arrays[2].data;
    assert_true(whole[0] == 7 && whole[1] == 3 && whole[3] == 1);
    assert_true(small[0] == 200 && small[1] == 1);
    couState_Clear(&state);
}

static void test_large_whole_numbers(void **context)
{
    (void)context;
    static const uint64_t seeds[] = {((uint64_t)1 << 53) + 1, ((uint64_t)1 << 63) + 1, UINT64_MAX - 1, UINT64_MAX};
    couFaults faults = {0};
    for (int k = 0; k < COU_COUNT(seeds); ++k) {
        couState state = {0};
        Thing thing = {.seed = seeds[k], .id = UINT32_MAX, .kind = INT32_MAX}, loaded = {0};
        assert_true(couStateTable_Save(&column_tables[2], &thing, 1, sizeof thing, &state));
        assert_true(couStateTable_Check(&column_tables[2], 1, &state, &faults));
        couStateTable_LoadRow(&column_tables[2], &state, 0, &loaded);
        if (loaded.seed != seeds[k])
            fail_msg("expected %llu, got %llu", (unsigned long long)seeds[k], (unsigned long long)loaded.seed);
        assert_true(loaded.id == UINT32_MAX && loaded.kind == INT32_MAX);
        couState_Clear(&state);
    }
    CHECK_NO_FAULTS(&faults);
}

static void *refuse(size_t bytes, size_t align)
{
    (void)bytes, (void)align;
    return NULL;
}

static void test_no_memory(void **context)
{
    (void)context;
    couState state = {0};
    Thing thing = make_thing(0);
    couSetAllocator(refuse, free);
    assert_false(couStateTable_Save(&row_tables[0], &thing, 1, sizeof thing, &state));
    couSetAllocator(NULL, NULL);
    assert_int_equal(state.count, 0);
    couState_Clear(&state);
}

// --- Faults ------------------------------------------------------------------------------------------------------------------

static void test_arrays_that_do_not_fit(void **context)
{
    (void)context;
    Thing things[3] = {make_thing(0), make_thing(1), make_thing(2)};
    couFaults faults = {0};
    couState state = {0};
    assert_false(couStateTable_Check(&row_tables[0], 3, &state, &faults));
    CHECK_FAULT(&faults, "rows/all", "lacks");
    assert_true(couStateTable_Save(&row_tables[0], things, 3, sizeof *things, &state));
    assert_true(couStateTable_Save(&column_tables[1], things, 1, sizeof *things, &state));
    assert_false(couStateTable_Check(&row_tables[0], 2, &state, &faults));
    CHECK_FAULT(&faults, "rows/all", "does not fit");
    assert_false(couStateTable_Check(&row_tables[0], 4, &state, &faults));
    CHECK_FAULT(&faults, "rows/all", "does not fit");
    const couStateTable narrower = {"rows/all", cou_stateF64, false, all_fields, COU_COUNT(all_fields) - 1};
    const couStateTable other_type = {"rows/all", cou_stateF32, false, all_fields, COU_COUNT(all_fields)};
    const couStateTable as_row = {"column/real", cou_stateF32, false, real_fields, COU_COUNT(real_fields)};
    const couStateTable longer = {"column/real", cou_stateF32, true, all_fields, COU_COUNT(all_fields)};
    assert_false(couStateTable_Check(&narrower, 3, &state, &faults));
    CHECK_FAULT(&faults, "rows/all", "does not fit");
    assert_false(couStateTable_Check(&other_type, 3, &state, &faults));
    CHECK_FAULT(&faults, "rows/all", "does not fit");
    assert_false(couStateTable_Check(&as_row, 1, &state, &faults));
    CHECK_FAULT(&faults, "column/real", "does not fit");
    assert_false(couStateTable_Check(&longer, 1, &state, &faults));
    CHECK_FAULT(&faults, "column/real", "does not fit");

    assert_ptr_equal(couExpectArray(&state, "rows/all", cou_stateF64, 15, 3, &faults), &state.arrays[0]);
    assert_ptr_equal(couExpectArray(&state, "rows/all", cou_stateF64, 15, SIZE_MAX, &faults), &state.arrays[0]);
    CHECK_NO_FAULTS(&faults);
    assert_null(couExpectArray(&state, "rows/all", cou_stateF64, 14, SIZE_MAX, &faults));
    CHECK_FAULT(&faults, "rows/all", "does not fit");
    couState_Clear(&state);
}

// A number in place `component` of the second of three rows, and what is said to it; NULL: nothing.
typedef struct Case {
    int component;
    double number;
    const char *fault;
} Case;

static void check_case(const Case *one)
{
    Thing things[3] = {make_thing(0), make_thing(1), make_thing(2)};
    couFaults faults = {0};
    couState state = {0};
    assert_true(couStateTable_Save(&row_tables[0], things, 3, sizeof *things, &state));
    ((double *)state.arrays[0].data)[15 + one->component] = one->number;
    bool is_good = couStateTable_Check(&row_tables[0], 3, &state, &faults);
    if (is_good != !one->fault)
        fail_msg("%g as number %d: expected %d, got %d", one->number, one->component, !one->fault, is_good);
    if (one->fault)
        CHECK_FAULT(&faults, "rows/all", one->fault);
    else
        CHECK_NO_FAULTS(&faults);
    couState_Clear(&state);
}

static void test_numbers_that_cannot_be(void **context)
{
    (void)context;
    static const Case cases[] = {
        {0, NAN, "row 1: is_on is not finite"},
        {0, 1, NULL},
        {1, NAN, "row 1: kind is not finite"},
        {1, INFINITY, "kind"},
        {1, 0x1p31, "row 1: kind cannot be 2147483648"},
        {1, 0x1p31 - 1, NULL},
        {1, -0x1p31, NULL},
        {1, -0x1p31 - 1, "kind cannot be -2147483649"},
        {2, NAN, "id"},
        {2, -1, "row 1: id cannot be -1"},
        {2, 0, NULL},
        {2, UINT32_MAX, NULL},
        {2, 0x1p32, "row 1: id cannot be 4294967296"},
        {2, 1e30, "row 1: id cannot be 1e+30"},
        {2, INFINITY, "row 1: id is not finite"},
        {3, NAN, "seed"},
        {3, -1, "row 1: seed cannot be -1"},
        {3, 0x1p63, NULL},
        {3, 0x1p64, "row 1: seed cannot be 1.844674407e+19"},
        {3, INFINITY, "row 1: seed is not finite"},
        {4, NAN, "row 1: mass is not finite"},
        {4, -INFINITY, "row 1: mass is not finite"},
        {4, 1e39, "row 1: mass cannot be 1e+39"},
        {4, -3e38, NULL},
        {7, NAN, "row 1: place is not finite"}, // its third component
        {8, NAN, NULL},                         // a field that can be any
        {11, INFINITY, NULL},
        {12, NAN, "row 1: spin is not finite"},
        {14, 1e300, NULL},
        {14, INFINITY, "row 1: spin is not finite"},
    };
    for (int k = 0; k < COU_COUNT(cases); ++k) check_case(&cases[k]);
}

// In arrays of whole numbers.
static void test_whole_numbers_that_cannot_be(void **context)
{
    (void)context;
    couFaults faults = {0};
    couState state = {0};
    Thing thing = make_thing(0);
    const couStateTable *table = &column_tables[2]; // seed, id, kind, is_on
    assert_true(couStateTable_Save(table, &thing, 1, sizeof thing, &state));
    uint64_t *numbers = state.arrays[0].data;
    numbers[1] = (uint64_t)UINT32_MAX + 1;
    assert_false(couStateTable_Check(table, 1, &state, &faults));
    CHECK_FAULT(&faults, "column/whole", "row 0: id cannot be 4294967296");
    numbers[1] = UINT32_MAX;
    numbers[2] = (uint64_t)INT32_MAX + 1;
    assert_false(couStateTable_Check(table, 1, &state, &faults));
    CHECK_FAULT(&faults, "column/whole", "row 0: kind cannot be 2147483648");
    numbers[2] = INT32_MAX;
    assert_true(couStateTable_Check(table, 1, &state, &faults));
    couState_Clear(&state);
}

// --- Hash --------------------------------------------------------------------------------------------------------------------

static uint64_t hash_things(const Thing *things)
{
    couState state = {0};
    assert_true(couStateTable_Save(&row_tables[0], things, 2, sizeof *things, &state));
    uint64_t hash = couState_Hash(&state);
    couState_Clear(&state);
    return hash;
}

static void test_hash_sees_every_field(void **context)
{
    (void)context;
    Thing things[2] = {make_thing(1), make_thing(2)};
    uint64_t before = hash_things(things);
    static const size_t bytes[] = {sizeof(bool), sizeof(int), 4, 8, 4, 8};
    for (int k = 0; k < 2; ++k)
        for (int f = 0; f < COU_COUNT(all_fields); ++f)
            for (int c = 0; c < all_fields[f].count; ++c) {
                char *byte = (char *)&things[k] + all_fields[f].offset + bytes[all_fields[f].type] * (size_t)c;
                *byte ^= 1; // the lowest bit
                if (hash_things(things) == before) fail_msg("the hash does not see %s[%d] of thing %d", all_fields[f].name, c, k);
                *byte ^= 1;
            }
    things[0].not_saved[0] ^= 1;
    assert_true(hash_things(things) == before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_types_are_found),
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_columns),
        cmocka_unit_test(test_no_rows),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_large_whole_numbers),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_arrays_that_do_not_fit),
        cmocka_unit_test(test_numbers_that_cannot_be),
        cmocka_unit_test(test_whole_numbers_that_cannot_be),
        cmocka_unit_test(test_hash_sees_every_field),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
