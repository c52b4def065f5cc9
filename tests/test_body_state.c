// Bodies in a saved state, when one has taken another's place: only a world in which the same was done goes on from it.
#include "testing.h"

static const char generation[] = "bodies/generation";

static couBodyId add_ball(couWorld *world, float radius)
{
    couFaults faults = {0};
    couBodyDef def = couDefaultBodyDef();
    def.shape = make_sphere(radius), def.pose = at(0, 1, 0), def.is_dynamic = true;
    couBodyId body = couWorld_AddBody(world, &def, &faults);
    CHECK_NO_FAULTS(&faults);
    couShape_Release(def.shape);
    return body;
}

// A floor and what was done beside it: each letter is a ball that takes the place of the one before, a point the removal of
// the last.
static couWorld *make_history(const char *letters)
{
    couWorld *world = make_world(3, 0.05f, EARTH, 1);
    add_liquid(world, 1000, 0.001f);
    add_body(world, make_plane(0, 1, 0), COU_POSE_IDENTITY, 0);
    couBodyId ball = {0};
    for (const char *letter = letters; *letter; ++letter) {
        if (ball.index1) couWorld_RemoveBody(world, ball);
        ball = *letter == '.' ? (couBodyId){0} : add_ball(world, *letter == 'A' ? 0.1f : *letter == 'B' ? 0.2f : 0.3f);
        couWorld_Step(world, 0.001f);
    }
    return world;
}

static void save(const couWorld *world, couState *state)
{
    couState_Clear(state);
    assert_true(couWorld_SaveState(world, state));
}

static void test_saved_once_needed(void **context)
{
    (void)context;
    static const struct {
        const char *letters;
        uint32_t ball; // its generation; 0: nothing is saved
    } cases[] = {{"", 0}, {"A", 0}, {"A.", 0}, {"AB", 2}, {"A.B", 2}, {"ABC", 3}, {"AB.", 0}};
    for (int k = 0; k < COU_COUNT(cases); ++k) {
        couWorld *world = make_history(cases[k].letters);
        couState state = {0};
        save(world, &state);
        const couStateArray *array = couState_Find(&state, generation);
        if (!array != !cases[k].ball) fail_msg("'%s': expected %d, got %d", cases[k].letters, cases[k].ball > 0, array != NULL);
        if (array) {
            assert_true(array->type == cou_stateU32 && array->components == 1 && array->count == 2);
            assert_int_equal(((const uint32_t *)array->data)[0], 1); // the floor
            assert_int_equal(((const uint32_t *)array->data)[1], cases[k].ball);
        }
        couState_Clear(&state);
        couDestroyWorld(world);
    }
}

// Which histories go on from the state of which.
static void test_which_worlds_take_it(void **context)
{
    (void)context;
    static const struct {
        const char *saved, *own;
        bool is_good;
    } cases[] = {
        {"A", "A", true},     {"AB", "AB", true},  {"ABC", "ABC", true}, {"A.", "A.", true},    {"AB.", "AB.", true},
        {"A", "A.", true}, // before the removal
        {"A.", "A", true}, // after it
        {"AB", "AB.", true},  {"AB.", "AB", true}, {"AB", "A", false},   {"A", "AB", false},    {"AB", "ABC", false},
        {"ABC", "AB", false}, {"AB", "A.", false}, {"A", "AB.", false},  {"ABC", "AB.", false},
    };
    for (int k = 0; k < COU_COUNT(cases); ++k) {
        couWorld *source = make_history(cases[k].saved), *world = make_history(cases[k].own);
        couState state = {0}, before = {0}, after = {0};
        couFaults faults = {0};
        save(source, &state);
        save(world, &before);
        bool is_good = couWorld_LoadState(world, &state, &faults);
        if (is_good != cases[k].is_good)
            fail_msg("'%s' into '%s': expected %d, got %d", cases[k].saved, cases[k].own, cases[k].is_good, is_good);
        if (is_good) {
            CHECK_NO_FAULTS(&faults);
            if (hash_world(world) != hash_world(source)) fail_msg("'%s' into '%s': another hash", cases[k].saved, cases[k].own);
            for (int s = 0; s < 20; ++s) couWorld_Step(world, 0.005f), couWorld_Step(source, 0.005f);
            if (hash_world(world) != hash_world(source)) fail_msg("'%s' into '%s': another way", cases[k].saved, cases[k].own);
        } else {
            CHECK_FAULT(&faults, generation, NULL);
            save(world, &after); // left alone
            assert_true(couState_Hash(&before) == couState_Hash(&after));
        }
        couState_Clear(&state), couState_Clear(&before), couState_Clear(&after);
        couDestroyWorld(source);
        couDestroyWorld(world);
    }
}

static void test_bad_arrays(void **context)
{
    (void)context;
    couWorld *world = make_history("AB");
    couState state = {0};
    couFaults faults = {0};
    save(world, &state);
    couStateArray *array = (couStateArray *)couState_Find(&state, generation);
    ((uint32_t *)array->data)[1] = 7;
    assert_false(couWorld_LoadState(world, &state, &faults));
    CHECK_FAULT(&faults, generation, "another body's place");
    ((uint32_t *)array->data)[1] = 2, array->count = 1;
    assert_false(couWorld_LoadState(world, &state, &faults));
    CHECK_FAULT(&faults, generation, "does not fit");
    array->count = 2, array->name[0] = 'x';
    assert_false(couWorld_LoadState(world, &state, &faults));
    CHECK_FAULT(&faults, generation, "another body's place");
    array->name[0] = 'b';
    assert_true(couWorld_LoadState(world, &state, &faults));
    CHECK_NO_FAULTS(&faults);
    couState_Clear(&state);
    couDestroyWorld(world);
}

// Going back to before a removal, the old handle is good again, and the body as it was.
static void test_handle_is_good_again(void **context)
{
    (void)context;
    couWorld *world = make_history("A");
    couBodyId ball = couWorld_BodyAt(world, 1), successor = {0};
    couState state = {0};
    couFaults faults = {0};
    save(world, &state);
    uint64_t hash = hash_world(world);
    couWorld_RemoveBody(world, ball);
    // Who cannot take the place leaves all as it was: a plane has no mass.
    couBodyDef bad = couDefaultBodyDef();
    bad.shape = make_plane(0, 1, 0), bad.is_dynamic = true;
    successor = couWorld_AddBody(world, &bad, &faults);
    assert_int_equal(successor.index1, 0);
    assert_true(faults.count > 0);
    couFaults_Clear(&faults);
    couShape_Release(bad.shape);
    assert_int_equal(couWorld_BodyCount(world), 1);

    assert_true(couWorld_LoadState(world, &state, &faults));
    CHECK_NO_FAULTS(&faults);
    assert_true(couWorld_HasBody(world, ball));
    assert_non_null(couWorld_Body(world, ball)->shape);
    CHECK_NEAR(couWorld_BodyMass(world, ball), 4.0 / 3.0 * COU_PI * 1e-3 * 1000, 1e-3, 0);
    assert_true(hash_world(world) == hash);
    for (int s = 0; s < 20; ++s) couWorld_Step(world, 0.005f);
    CHECK_RANGE(couWorld_BodyPose(world, ball).position.y, 0.9, 0.999, 0); // it falls
    couState_Clear(&state);
    couDestroyWorld(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_saved_once_needed),
        cmocka_unit_test(test_which_worlds_take_it),
        cmocka_unit_test(test_bad_arrays),
        cmocka_unit_test(test_handle_is_good_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
