// The world: handles, steps, events.
#include "testing.h"

// --- Handles -----------------------------------------------------------------------------------------------------------------

static int assert_count;
static bool note_assert(const char *condition, const char *file, int line)
{
    (void)condition, (void)file, (void)line;
    ++assert_count;
    return true; // go on
}

static void test_handles(void **context)
{
    (void)context;
    couSetAssert(note_assert);
    couWorld *world = make_world(3, 0.02f, EARTH, 1);
    couMaterialId liquid = add_liquid(world, 800, 0.001f);
    assert_int_equal(couWorld_MaterialCount(world), 1);
    CHECK_NEAR(couWorld_Material(world, liquid)->density, 800, 0, 0);
    CHECK_NEAR(couWorld_ParticleMass(world, 0), 800 * 8e-6, 1e-9, 0);
    assert_int_equal(couWorld_MaterialAt(world, 1).index1, 0);
    assert_int_equal(couWorld_MaterialAt(world, -1).index1, 0);
    assert_null(couWorld_Material(world, (couMaterialId){0}));
    assert_null(couWorld_Material(world, (couMaterialId){9, 1}));

    couBodyId a = add_body(world, make_sphere(0.1f), at(0, 1, 0), 0), b = add_body(world, make_sphere(0.2f), at(0, 2, 0), 0);
    assert_true(couWorld_HasBody(world, a) && couWorld_HasBody(world, b));
    assert_string_equal(couWorld_Body(world, a)->name, "body1");
    assert_int_equal(couWorld_FindBody(world, "body2").index1, b.index1);
    CHECK_NEAR(couWorld_BodyPose(world, b).position.y, 2, 0, 0);
    couWorld_RemoveBody(world, a);
    assert_false(couWorld_HasBody(world, a));
    assert_null(couWorld_Body(world, a));
    assert_int_equal(couWorld_BodyAt(world, 0).index1, b.index1);
    assert_int_equal(couWorld_BodyAt(world, 1).index1, 0);
    assert_int_equal(couWorld_FindBody(world, "body1").index1, 0);
    assert_int_equal(couWorld_BodyCount(world), 1);
    assert_int_equal(couWorld_RemovedBodyCount(world), 1);
    couBodyId c = add_body(world, make_sphere(0.3f), COU_POSE_IDENTITY, 0); // takes the removed one's place, under its own handle
    assert_int_equal(c.index1, a.index1);
    assert_true(couWorld_HasBody(world, c) && !couWorld_HasBody(world, a) && couWorld_HasBody(world, b));
    assert_int_equal(couWorld_FindBody(world, "nobody").index1, 0);

    // Stale and null handles do no harm.
    couBodyId wrong[] = {a, {0, 0}, {77, 1}, {b.index1, (uint16_t)(b.generation + 1)}};
    for (int k = 0; k < COU_COUNT(wrong); ++k) {
        assert_false(couWorld_HasBody(world, wrong[k]));
        couWorld_RemoveBody(world, wrong[k]);
        (void)couWorld_BodyPose(world, wrong[k]);
        (void)couWorld_BodyForce(world, wrong[k]);
    }
    assert_true(couWorld_HasBody(world, b) && couWorld_HasBody(world, c));
    couWorld_SetEmitterOn(world, (couEmitterId){3, 1}, true);
    assert_null(couWorld_Emitter(world, (couEmitterId){0}));
    assert_int_equal(couWorld_EmitterAt(world, 0).index1, 0);
    couWorld_AddSprings(world, (couMaterialId){5, 1});
    couWorld_DeleteSprings(world, (couMaterialId){0});
#ifndef NDEBUG
    assert_true(assert_count > 0);
#endif
    couSetAssert(NULL);
    couDestroyWorld(world);
    couDestroyWorld(NULL);
}

// --- Steps -------------------------------------------------------------------------------------------------------------------

static void test_empty_world(void **context)
{
    (void)context;
    for (int dimension = 2; dimension <= 3; ++dimension) {
        couWorld *world = make_world(dimension, 0.02f, EARTH, 2);
        couStepReport report = couWorld_Step(world, 0.01f); // not even a material
        CHECK_HEALTHY(&report);
        add_liquid(world, 1000, 0.001f);
        add_body(world, make_plane(0, 1, 0), COU_POSE_IDENTITY, 0);
        report = couWorld_Advance(world, 1.0 / 30);
        CHECK_HEALTHY(&report);
        couMeasurement m = couWorld_Measure(world);
        CHECK_NEAR(m.mass, 0, 0, 0);
        assert_true(isfinite(m.center[0]) && isfinite(m.kinetic_energy));
        hash_world(world);
        couDestroyWorld(world);
    }
}

static void test_measure(void **context)
{
    (void)context;
    couWorld *world = make_world(3, 0.1f, EARTH, 1);
    couMaterialId a = add_liquid(world, 1000, 0), b = add_liquid(world, 3000, 0); // 1 and 3 kg
    couFaults faults = {0};
    couVec3 x[2] = {{1, 2, 0}, {5, 0, 0}}, v[2] = {{0, 3, 0}, {0, 1, 2}};
    assert_true(couWorld_AddParticles(world, a, &x[0], &v[0], 1, &faults));
    assert_true(couWorld_AddParticles(world, b, &x[1], &v[1], 1, &faults));
    couMeasurement m = couWorld_Measure(world);
    CHECK_NEAR(m.mass, 4, 1e-5, 0);
    CHECK_NEAR(m.kinetic_energy, 0.5 * 9 + 0.5 * 3 * 5, 1e-4, 0);
    CHECK_NEAR(m.potential_energy, 9.81 * 2, 1e-4, 0);
    CHECK_NEAR(m.momentum[1], 3 + 3, 1e-5, 0);
    CHECK_NEAR(m.momentum[2], 6, 1e-5, 0);
    CHECK_NEAR(m.center[0], 4, 1e-5, 0);
    CHECK_NEAR(m.center[1], 0.5, 1e-5, 0);
    CHECK_NEAR(m.angular_momentum[2], 3 + 15, 1e-4, 0);
    CHECK_NEAR(m.angular_momentum[1], -30, 1e-4, 0);
    CHECK_NEAR(m.max_speed, 3, 1e-5, 0);
    couDestroyWorld(world);
}

static void test_advance(void **context)
{
    (void)context;
    couWorld *world = make_world(3, 0.02f, EARTH, 1);
    couMaterialId liquid = add_liquid(world, 1000, 0.001f);
    add_body(world, make_plane(0, 1, 0), COU_POSE_IDENTITY, 0);
    add_fluid(world, liquid, make_box(0.1f, 0.1f, 0.1f), at(0, 0.05f, 0), NO_GRAVITY);
    prepare_world(world);
    float step = couWorld_SuggestStep(world);
    for (int frame = 1; frame <= 30; ++frame) {
        couStepReport report = couWorld_Advance(world, 1.0 / 30);
        CHECK_HEALTHY(&report);
        CHECK_RANGE(report.substeps, 1.0 / 30 / step - 0.01, 1.0 / 30 / step + 1, 0);
        CHECK_NEAR(report.dt * (float)report.substeps, 1.0 / 30, 1e-6, 0);
        CHECK_NEAR(couWorld_Time(world), frame / 30.0, 1e-12, frame); // no drift
        assert_int_equal(report.particle_steps, 125 * (uint64_t)report.substeps);
        for (int p = 0; p < cou_phaseCount; ++p) assert_true(report.phase_seconds[p] >= 0);
    }
    assert_true(couWorld_StepCount(world) >= 30);
    CHECK_RANGE((double)couWorld_PeakBytes(world), (double)couWorld_Bytes(world), 1e9, 0);
    couDestroyWorld(world);
}

static couVec3 poison(void *context, couVec3 position, couVec3 velocity, double time)
{
    (void)velocity, (void)time;
    return position.x > *(float *)context ? (couVec3){NAN, 0, 0} : NO_GRAVITY;
}

static void test_physics_trouble_is_counted(void **context)
{
    (void)context;
    couWorld *world = make_world(3, 0.02f, NO_GRAVITY, 1);
    couMaterialId liquid = add_liquid(world, 1000, 0.001f);
    couFaults faults = {0};
    for (int k = 0; k < 10; ++k) {
        couVec3 x = {(float)k, 0, 0};
        assert_true(couWorld_AddParticles(world, liquid, &x, NULL, 1, &faults));
    }
    float edge = 6.5f;
    couFieldDef field = couDefaultFieldDef();
    field.kind = cou_fieldFunction, field.function = poison, field.function_context = &edge;
    assert_true(couWorld_AddField(world, &field, &faults).index1);
    couStepReport report = couWorld_Step(world, 0.01f);
    assert_int_equal(report.nan_count, 3);
    assert_int_equal(report.first_bad_id, 7);
    report = couWorld_Advance(world, 0.1); // still says so, and does not crash
    assert_true(report.nan_count > 0);
    couDestroyWorld(world);

    world = make_world(3, 0.02f, NO_GRAVITY, 1);
    liquid = add_liquid(world, 1000, 0.001f);
    couVec3 far[3] = {{0, 0, 0}, {0, 1e6f, 0}, {1, 0, 0}};
    assert_true(couWorld_AddParticles(world, liquid, far, NULL, 3, &faults));
    report = couWorld_Step(world, 0.001f);
    assert_int_equal(report.lost_count, 1);
    assert_int_equal(report.nan_count, 0);
    assert_int_equal(report.first_bad_id, 1);
    couDestroyWorld(world);
}

// --- Events ------------------------------------------------------------------------------------------------------------------

typedef struct Diary {
    int count;
    char letters[256];
    double times[256];
} Diary;
typedef struct Author {
    Diary *diary;
    char letter;
} Author;

static void write_diary(void *context, couWorld *world, double time)
{
    Author *author = context;
    Diary *diary = author->diary;
    CHECK_NEAR(time, couWorld_Time(world), 0, 0);
    if (diary->count >= 255) fail_msg("more events than expected");
    diary->letters[diary->count] = author->letter;
    diary->times[diary->count++] = time;
}

static void test_events(void **context)
{
    (void)context;
    couWorld *world = make_world(3, 0.02f, EARTH, 1);
    Diary diary = {0};
    Author a = {&diary, 'a'}, b = {&diary, 'b'}, c = {&diary, 'c'}, d = {&diary, 'd'};
    couFaults faults = {0};
    assert_true(couWorld_AddEvent(world, 0.3, 0, write_diary, &a, &faults).index1);
    assert_true(couWorld_AddEvent(world, 0.0, 0.2, write_diary, &b, &faults).index1);
    assert_true(couWorld_AddEvent(world, 0.3, 0, write_diary, &c, &faults).index1);     // the same time: in the order added
    assert_true(couWorld_AddEvent(world, 0.55, 0.05, write_diary, &d, &faults).index1); // twice in a step of 0.1 s
    for (int k = 0; k < 7; ++k) couWorld_Step(world, 0.1f);                             // steps begin at 0 ... 0.6
    assert_string_equal(diary.letters, "bbacbbdd");
    CHECK_NEAR(diary.times[1], 0.2, 1e-6, 0);
    CHECK_NEAR(diary.times[2], 0.3, 1e-6, 0);
    CHECK_NEAR(diary.times[6], 0.6, 1e-6, 0); // the first step that begins not before
    couDestroyWorld(world);
}

static void add_another(void *context, couWorld *world, double time)
{
    Author *author = context;
    couFaults faults = {0};
    write_diary(context, world, time);
    if (author->diary->count < 40) assert_true(couWorld_AddEvent(world, time + 0.1, 0, add_another, context, &faults).index1);
    couWorld_StopEmitters(world);
}

// Events may change the world, also the list of events.
static void test_events_from_events(void **context)
{
    (void)context;
    couWorld *world = make_world(3, 0.02f, EARTH, 1);
    Diary diary = {0};
    Author a = {&diary, 'a'};
    couFaults faults = {0};
    assert_true(couWorld_AddEvent(world, 0, 0, add_another, &a, &faults).index1);
    for (int k = 0; k < 50; ++k) couWorld_Step(world, 0.1f);
    assert_int_equal(diary.count, 40);
    couDestroyWorld(world);
}

static void test_event_faults(void **context)
{
    (void)context;
    couWorld *world = make_world(3, 0.02f, EARTH, 1);
    Author a = {NULL, 'a'};
    static const double bad[][2] = {{-1, 0}, {NAN, 0}, {INFINITY, 0}, {0, -1}, {0, NAN}, {0, INFINITY}};
    for (int k = 0; k < COU_COUNT(bad); ++k) {
        couFaults faults = {0};
        assert_false(couWorld_AddEvent(world, bad[k][0], bad[k][1], write_diary, &a, &faults).index1);
        assert_int_equal(faults.count, 1);
        couFaults_Clear(&faults);
    }
    couFaults faults = {0};
    assert_false(couWorld_AddEvent(world, 0, 0, NULL, NULL, &faults).index1);
    assert_int_equal(faults.count, 1);
    couFaults_Clear(&faults);
    couDestroyWorld(world);
}

static void count_up(void *context, couWorld *world, double time)
{
    (void)world, (void)time;
    ++*(int64_t *)context;
}

// A period far below any step is refused, or at least does not hold up the world for ever.
static int tiny_period(void)
{
    couFaults faults = {0};
    couWorldDef def = couDefaultWorldDef();
    def.threads = 1;
    couWorld *world = couCreateWorld(&def, &faults);
    int64_t count = 0;
    couWorld_AddEvent(world, 0, 1e-20, count_up, &count, &faults);
    couWorld_Step(world, 0.01f);
    couWorld_Step(world, 0.01f);
    couFaults_Clear(&faults);
    couDestroyWorld(world);
    return 0;
}

static void test_tiny_period(void **context)
{
    (void)context;
    CHECK_IN_TIME(tiny_period, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_handles),
        cmocka_unit_test(test_empty_world),
        cmocka_unit_test(test_measure),
        cmocka_unit_test(test_advance),
        cmocka_unit_test(test_physics_trouble_is_counted),
        cmocka_unit_test(test_events),
        cmocka_unit_test(test_events_from_events),
        cmocka_unit_test(test_event_faults),
        cmocka_unit_test(test_tiny_period),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
