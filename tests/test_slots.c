// Slots: places that are used again under another generation, and handles that know it.
#include "testing.h"

#include "base/slots.h"

typedef struct Thing {
    couSlot slot;
    int value;
} Thing;
typedef COU_ARRAY(Thing) Things;

typedef struct Handle {
    unsigned index1, generation;
} Handle;

static Handle add(Things *things, int value)
{
    Thing *thing = COU_ADD_SLOT(NULL, things);
    assert_non_null(thing);
    assert_true(thing->slot.is_here);
    thing->value = value;
    return (Handle){(unsigned)(thing - things->items) + 1, thing->slot.generation};
}

static Thing *find(const Things *things, Handle handle)
{
    return couFindSlot(COU_SLOTS(things), handle.index1, handle.generation);
}

static void drop(Things *things, Handle handle)
{
    Thing *thing = find(things, handle);
    assert_non_null(thing);
    couDropSlot(&thing->slot);
}

static void test_add_find_drop(void **context)
{
    (void)context;
    Things things = {0};
    assert_int_equal(couCountSlots(COU_SLOTS(&things)), 0);
    assert_int_equal(couNthSlot(COU_SLOTS(&things), 0), -1);
    assert_null(find(&things, (Handle){1, 1}));
    Handle h[5];
    for (int k = 0; k < 5; ++k) {
        h[k] = add(&things, 10 + k);
        assert_int_equal(h[k].index1, k + 1);
        assert_int_equal(h[k].generation, 1);
    }
    for (int k = 0; k < 5; ++k) {
        assert_int_equal(find(&things, h[k])->value, 10 + k);
        assert_int_equal(couNthSlot(COU_SLOTS(&things), k), k);
    }
    static const Handle wrong[] = {{0, 0}, {0, 1}, {1, 0}, {1, 2}, {6, 1}, {UINT16_MAX, 1}, {UINT32_MAX, 1}};
    for (int k = 0; k < COU_COUNT(wrong); ++k) assert_null(find(&things, wrong[k]));

    // Two leave: the others keep their places and move up in the count.
    drop(&things, h[1]);
    drop(&things, h[3]);
    assert_null(find(&things, h[1]));
    assert_null(find(&things, (Handle){h[1].index1, 2})); // who will be next is not here yet
    assert_int_equal(couCountSlots(COU_SLOTS(&things)), 3);
    static const int places[] = {0, 2, 4};
    for (int k = 0; k < 3; ++k) assert_int_equal(couNthSlot(COU_SLOTS(&things), k), places[k]);
    assert_int_equal(couNthSlot(COU_SLOTS(&things), 3), -1);
    assert_int_equal(couNthSlot(COU_SLOTS(&things), -1), -1);

    // The first free place is taken, with what was left there, under a new handle.
    Thing *again = COU_ADD_SLOT(NULL, &things);
    assert_ptr_equal(again, &things.items[1]);
    assert_int_equal(again->value, 11);
    assert_int_equal(again->slot.generation, 2);
    assert_null(find(&things, h[1]));
    assert_ptr_equal(find(&things, (Handle){2, 2}), again);
    assert_int_equal(add(&things, 0).index1, 4);
    assert_int_equal(add(&things, 0).index1, 6);
    assert_int_equal(things.count, 6);
    assert_int_equal(couCountSlots(COU_SLOTS(&things)), 6);
    COU_FREE_ARRAY(NULL, &things);
}

static void test_restore(void **context)
{
    (void)context;
    Things things = {0};
    Handle a = add(&things, 1);
    drop(&things, a);
    couRestoreSlot(&things.items[0].slot);
    assert_int_equal(find(&things, a)->value, 1);
    assert_null(find(&things, (Handle){1, 2}));
    drop(&things, a);
    Handle b = add(&things, 2);
    assert_null(find(&things, a));
    drop(&things, b);
    couRestoreSlot(&things.items[0].slot); // the last one comes back, not the first
    assert_null(find(&things, a));
    assert_int_equal(find(&things, b)->value, 2);
    COU_FREE_ARRAY(NULL, &things);
}

static void test_undo(void **context)
{
    (void)context;
    Things things = {0};
    Handle a = add(&things, 1);
    // A place of its own goes with it...
    Thing *thing = COU_ADD_SLOT(NULL, &things);
    thing->value = 77;
    COU_UNDO_SLOT(&things, thing);
    assert_int_equal(things.count, 1);
    assert_null(find(&things, (Handle){2, 1}));
    Handle b = add(&things, 2);
    assert_true(b.index1 == 2 && b.generation == 1); // nobody ever had that handle
    // ...one that was there before stays, at the generation that it had: it was nobody's.
    drop(&things, b);
    thing = COU_ADD_SLOT(NULL, &things);
    assert_int_equal(thing->slot.generation, 2);
    COU_UNDO_SLOT(&things, thing);
    assert_int_equal(things.count, 2);
    assert_int_equal(couCountSlots(COU_SLOTS(&things)), 1);
    assert_null(find(&things, b));
    assert_null(find(&things, (Handle){2, 2}));
    Handle c = add(&things, 3);
    assert_true(c.index1 == 2 && c.generation == 2);
    // Also one in the middle, and the only one.
    drop(&things, a);
    thing = COU_ADD_SLOT(NULL, &things);
    COU_UNDO_SLOT(&things, thing);
    assert_int_equal(things.count, 2);
    assert_int_equal(couNthSlot(COU_SLOTS(&things), 0), 1);
    assert_int_equal(find(&things, c)->value, 3);
    COU_FREE_ARRAY(NULL, &things);
    thing = COU_ADD_SLOT(NULL, &things);
    COU_UNDO_SLOT(&things, thing);
    assert_int_equal(things.count, 0);
    COU_FREE_ARRAY(NULL, &things);
}

// Generations go round without ever being 0, which is the null handle's.
static void test_generations_wrap(void **context)
{
    (void)context;
    Things things = {0};
    Handle last = {0};
    for (unsigned generation = 1; generation <= UINT16_MAX; ++generation) {
        last = add(&things, 0);
        if (last.generation != generation) fail_msg("expected generation %u, got %u", generation, last.generation);
        drop(&things, last);
    }
    assert_int_equal(last.generation, UINT16_MAX);
    couRestoreSlot(&things.items[0].slot); // back over the end
    assert_non_null(find(&things, last));
    drop(&things, last);
    assert_int_equal(add(&things, 0).generation, 1);
    assert_int_equal(things.count, 1);
    COU_FREE_ARRAY(NULL, &things);
}

static void test_too_many(void **context)
{
    (void)context;
    Things things = {0};
    // Filled by hand: 65535 searches for a free place would take seconds.
    assert_true(COU_RESERVE(NULL, &things, COU_MAX_SLOTS + 1));
    things.count = COU_MAX_SLOTS - 1;
    for (size_t k = 0; k < things.count; ++k) things.items[k].slot = (couSlot){1, true};
    Handle last = add(&things, 9);
    assert_int_equal(last.index1, UINT16_MAX); // fits into a handle
    assert_int_equal(find(&things, last)->value, 9);
    assert_null(COU_ADD_SLOT(NULL, &things));
    assert_int_equal(things.count, COU_MAX_SLOTS);
    assert_int_equal(couCountSlots(COU_SLOTS(&things)), COU_MAX_SLOTS);
    drop(&things, (Handle){500, 1}); // there is room again
    Handle next = add(&things, 0);
    assert_true(next.index1 == 500 && next.generation == 2);
    assert_null(COU_ADD_SLOT(NULL, &things));
    COU_FREE_ARRAY(NULL, &things);
}

static void *refuse(size_t bytes, size_t align)
{
    (void)bytes, (void)align;
    return NULL;
}

static void test_no_memory(void **context)
{
    (void)context;
    Things things = {0};
    couSetAllocator(refuse, free);
    assert_null(COU_ADD_SLOT(NULL, &things));
    couSetAllocator(NULL, NULL);
    assert_int_equal(things.count, 0);
    Handle a = add(&things, 4);
    size_t room = things.capacity;
    while (things.count < room) add(&things, 0);
    couSetAllocator(refuse, free);
    assert_null(COU_ADD_SLOT(NULL, &things));
    couSetAllocator(NULL, NULL);
    assert_int_equal(things.count, room);
    assert_int_equal(find(&things, a)->value, 4);
    COU_FREE_ARRAY(NULL, &things);
}

// --- Against a model: all handles that ever were, and whether they are good --------------------------------------------------

typedef struct Known {
    Handle handle;
    int value;
    bool is_live;
} Known;

static void check_against(const Things *things, const Known *known, int known_count, int seed)
{
    int live = 0;
    for (int k = 0; k < known_count; ++k) {
        const Thing *thing = find(things, known[k].handle);
        bool is_right = known[k].is_live ? thing && thing->value == known[k].value : !thing;
        if (!is_right)
            fail_msg("handle %u/%u: expected %s %d, got %d, seed %d", known[k].handle.index1, known[k].handle.generation,
                     known[k].is_live ? "value" : "nothing instead of", known[k].value, thing ? thing->value : -1, seed);
        live += known[k].is_live;
    }
    if (couCountSlots(COU_SLOTS(things)) != live)
        fail_msg("expected %d things, got %d, seed %d", live, couCountSlots(COU_SLOTS(things)), seed);
    int before = -1;
    for (int k = 0; k < live; ++k) {
        int place = couNthSlot(COU_SLOTS(things), k);
        if (place <= before || !things->items[place].slot.is_here)
            fail_msg("thing %d of %d is at %d after %d, seed %d", k, live, place, before, seed);
        before = place;
    }
    if (couNthSlot(COU_SLOTS(things), live) != -1) fail_msg("there is a thing %d of %d, seed %d", live, live, seed);
}

static void test_random_use(void **context)
{
    (void)context;
    enum { MOST = 400 };
    for (int seed = 1; seed <= 20; ++seed) {
        Things things = {0};
        Known known[MOST];
        int count = 0;
        couRandom random = {couMix64((uint64_t)seed)};
        for (int k = 0; k < 600 && count < MOST; ++k) {
            int what = (int)(couNextRandom(&random) % 10);
            if (what < 5) {
                known[count] = (Known){add(&things, k), k, true};
                ++count;
            } else if (what < 9 && count) {
                Known *one = &known[couNextRandom(&random) % (uint64_t)count];
                if (!one->is_live) continue;
                drop(&things, one->handle);
                one->is_live = false;
                if (what != 8) continue;
                couRestoreSlot(&things.items[one->handle.index1 - 1].slot); // a change of mind
                one->is_live = true;
            } else {
                Thing *thing = COU_ADD_SLOT(NULL, &things);
                Handle handle = {(unsigned)(thing - things.items) + 1, thing->slot.generation};
                COU_UNDO_SLOT(&things, thing);
                assert_null(find(&things, handle));
            }
            check_against(&things, known, count, seed);
        }
        COU_FREE_ARRAY(NULL, &things);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_add_find_drop),    cmocka_unit_test(test_restore),  cmocka_unit_test(test_undo),
        cmocka_unit_test(test_generations_wrap), cmocka_unit_test(test_too_many), cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_random_use),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
