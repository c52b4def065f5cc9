// Saved states: copies, lookup and a hash that sees every change that matters.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "coulis/world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const float numbers[6] = {1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f};

static void fill(couState *state)
{
    *state = (couState){0};
    uint64_t steps = 12345;
    assert_non_null(couState_Add(state, "particles/position", "m", cou_stateF32, 3, 2, numbers));
    assert_non_null(couState_Add(state, "particles/id", "", cou_stateU32, 1, 2, (uint32_t[]){7, 9}));
    assert_non_null(couState_Add(state, "world/steps", "", cou_stateU64, 1, 1, &steps));
    assert_non_null(couState_Add(state, "springs/rest_length", "m", cou_stateF32, 1, 0, NULL));
}

static void test_add_and_find(void **context)
{
    (void)context;
    couState state;
    fill(&state);
    const couStateArray *position = couState_Find(&state, "particles/position");
    assert_non_null(position);
    assert_ptr_not_equal(position->data, numbers);
    assert_memory_equal(position->data, numbers, sizeof numbers);
    assert_string_equal(position->unit, "m");
    assert_int_equal(position->components, 3);
    assert_int_equal(position->count, 2);
    assert_int_equal(position->type, cou_stateF32);
    assert_null(couState_Find(&state, "particles/positio"));
    assert_null(couState_Find(&state, ""));

    // Without data: zeros; many arrays: the list grows and keeps the old ones.
    for (int i = 0; i < 100; ++i) {
        char name[32];
        snprintf(name, sizeof name, "extra/%d", i);
        couStateArray *array = couState_Add(&state, name, "kg", cou_stateU8, 2, 5, NULL);
        assert_non_null(array);
        for (int j = 0; j < 10; ++j) assert_int_equal(((uint8_t *)array->data)[j], 0);
    }
    assert_int_equal(state.count, 104);
    assert_memory_equal(couState_Find(&state, "particles/position")->data, numbers, sizeof numbers);
    couState_Clear(&state);
    assert_null(state.arrays);
    assert_int_equal(state.count, 0);
    couState_Clear(&state); // empty is fine
}

static void test_sizes(void **context)
{
    (void)context;
    static const size_t sizes[] = {
        [cou_stateU8] = 1, [cou_stateU32] = 4, [cou_stateU64] = 8, [cou_stateF32] = 4, [cou_stateF64] = 8};
    for (int i = cou_stateU8; i <= cou_stateF64; ++i) assert_int_equal(couStateType_Size((couStateType)i), sizes[i]);
}

static int allocations_left;

static void *scarce_alloc(size_t bytes, size_t align) { return allocations_left-- > 0 ? aligned_alloc(align, bytes) : NULL; }

static void test_without_memory(void **context)
{
    (void)context;
    couState state = {0};
    assert_null(couState_Add(&state, "huge", "", cou_stateF64, 4, SIZE_MAX / 8, NULL)); // cannot even be counted
    couSetAllocator(scarce_alloc, free);
    for (int i = 0; i < 2; ++i) { // no room for the list, then none for the data
        allocations_left = i;
        assert_null(couState_Add(&state, "a", "", cou_stateF64, 1, 100, NULL));
        assert_int_equal(state.count, 0);
        couState_Clear(&state);
    }
    couSetAllocator(NULL, NULL);
}

// The hash is part of run.json and of checkpoints: it must not change between versions, compilers or instruction sets.
static void test_hash_is_golden(void **context)
{
    (void)context;
    couState state, empty = {0};
    fill(&state);
    assert_true(couState_Hash(&empty) == UINT64_C(0x2d06800538d394c2)); // xxHash3 of nothing, as published
    uint64_t hash = couState_Hash(&state);
    if (hash != UINT64_C(0xd40683805de8c87e)) fail_msg("expected the golden hash, got %016llx", (unsigned long long)hash);
    couState_Clear(&state);
}

static void test_hash_sees_changes(void **context)
{
    (void)context;
    couState state, other;
    fill(&state);
    uint64_t hash = couState_Hash(&state);
    for (int change = 0; change < 10; ++change) {
        fill(&other);
        couStateArray *array = &other.arrays[0], swap = other.arrays[0];
        switch (change) {
        case 0: array->name[0] = 'P'; break;
        case 1: array->type = cou_stateU32; break;
        case 2: array->components = 2, array->count = 3; break; // same bytes in another shape
        case 3: array->components = 6, array->count = 1; break;
        case 4: ((uint8_t *)array->data)[23] ^= 1; break;
        case 5: array->count = 1; break;
        case 6: other.arrays[0] = other.arrays[1], other.arrays[1] = swap; break;
        case 7: couState_Add(&other, "x", "", cou_stateU8, 1, 0, NULL); break;
        case 8: other.arrays[3].name[0] = 'x'; break; // empty, but there
        case 9: ((uint32_t *)other.arrays[1].data)[0] = 8; break;
        }
        if (couState_Hash(&other) == hash) fail_msg("change %d left the hash as it was", change);
        couState_Clear(&other);
    }
    fill(&other);
    strcpy(other.arrays[0].unit, "cm"); // units are for people
    assert_true(couState_Hash(&other) == hash);
    couState_Clear(&other);
    couState_Clear(&state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_add_and_find),      cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_without_memory),    cmocka_unit_test(test_hash_is_golden),
        cmocka_unit_test(test_hash_sees_changes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
