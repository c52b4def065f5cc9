// The world: handles, steps, events, parameters by name.
#include "testing.h"

#include "fluid/sph.h"

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

typedef struct Seen {
    const couWorld *world;
    uint64_t count;
    double last; // [s]
    bool is_ordered;
} Seen;

static void see_step(void *context)
{
    Seen *seen = context;
    ++seen->count;
    seen->is_ordered = seen->is_ordered && couWorld_Time(seen->world) > seen->last &&
                       couWorld_StepCount(seen->world) == seen->count;
    seen->last = couWorld_Time(seen->world);
}

static void test_every_step_is_told(void **context)
{
    (void)context;
    couWorld *world = make_world(3, 0.02f, EARTH, 1);
    add_fluid(world, add_liquid(world, 1000, 0.001f), make_box(0.1f, 0.1f, 0.1f), at(0, 0.05f, 0), NO_GRAVITY);
    prepare_world(world);
    Seen seen = {.world = world, .last = 0, .is_ordered = true};
    couWorld_AfterStep(world, see_step, &seen);
    couStepReport report = couWorld_Advance(world, 0.05);
    assert_true(report.substeps > 1);
    assert_int_equal(seen.count, report.substeps);
    CHECK_NEAR(seen.last, 0.05, 1e-12, 0); // the last one at the very end
    couWorld_Step(world, 0.001f);
    assert_int_equal(seen.count, report.substeps + 1);
    assert_true(seen.is_ordered);
    couWorld_AfterStep(world, NULL, NULL);
    couWorld_Step(world, 0.001f);
    assert_int_equal(seen.count, report.substeps + 1);
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

// --- Parameters --------------------------------------------------------------------------------------------------------------

static couWorld *make_pool(const char *method)
{
    couFaults faults = {0};
    couWorldDef def = couDefaultWorldDef();
    snprintf(def.method, sizeof def.method, "%s", method);
    def.dimension = 2, def.spacing = 0.05f, def.threads = 1;
    couWorld *world = couCreateWorld(&def, &faults);
    CHECK_NO_FAULTS(&faults);
    couMaterialId liquid = add_liquid(world, 1000, 0.001f);
    add_body(world, make_tank(1, 1, 1, 0.2f, true), at(0, 0.5f, 0), 0);
    add_fluid(world, liquid, make_box(0.9f, 0.5f, 1), at(0, 0.3f, 0), NO_GRAVITY);
    return world;
}

static void test_set_param(void **context)
{
    (void)context;
    couFaults faults = {0};
    couWorld *world = make_pool("pvfs");
    assert_true(couWorld_SetParam(world, "pvfs.height_error", "0.05", &faults));
    CHECK_NEAR(pvfs_params(world)->height_error, 0.05f, 0, 0);
    couPvfsParams before = *pvfs_params(world);
    assert_true(couWorld_SetParam(world, "sph.tolerance", "0.001", &faults)); // others' are checked and left alone
    assert_true(couWorld_SetParam(world, "dfsph.support", "2.5", &faults));
    assert_true(couWorld_SetParam(world, "sph.no_stick", "true", &faults)); // the last of its table
    CHECK_NO_FAULTS(&faults);
    static const char *const bad[][3] = {
        {"sph.tolerance", "-1", "sph.tolerance"},
        {"dfsph.tolerance", "much", "sph.tolerance"},
        {"pvfs.height_error", "0", "pvfs.height_error"},
        {"pvfs.height_error", "", "pvfs.height_error"},
        {"pvfs.near", "nearly", "pvfs.near"},
        {"pvfs.height_eror", "0.1", "pvfs.height_eror"},
        {"pvfs.", "1", "pvfs."},
        {"pvfs", "1", "pvfs"},
        {"height_error", "0.1", "height_error"},
        {".height_error", "0.1", ".height_error"},
        {"", "1", ""},
        {"nobody.height_error", "0.1", "nobody.height_error"},
        {"pvfs.height_error.x", "0.1", "pvfs.height_error.x"},
        {"pvfspvfspvfspvfspvfspvfspvfspvfspvfs.height_error", "1", "pvfspvfspvfspvfspvfspvfspvfspvfspvfs.height_error"},
    };
    for (int k = 0; k < COU_COUNT(bad); ++k) {
        if (couWorld_SetParam(world, bad[k][0], bad[k][1], &faults)) fail_msg("'%s' = '%s' was taken", bad[k][0], bad[k][1]);
        CHECK_FAULT(&faults, bad[k][2], NULL);
    }
    assert_false(couWorld_SetParam(world, "pvfs.height_eror", "0.1", &faults));
    CHECK_FAULT(&faults, "pvfs.height_eror", "did you mean 'height_error'?");
    assert_false(couWorld_SetParam(world, "sph.qqqqqqqqqqqq", "0.1", &faults));
    CHECK_FAULT(&faults, "sph.qqqqqqqqqqqq", "unknown key");
    assert_memory_equal(pvfs_params(world), &before, sizeof before);
    couDestroyWorld(world);
}

// A family's parameter goes by the family's name and by the method's.
static void test_set_param_of_family(void **context)
{
    (void)context;
    couFaults faults = {0};
    couWorld *world = make_pool("dfsph");
    couSphParams *params = couWorld_MethodParams(world);
    assert_true(couWorld_SetParam(world, "sph.tolerance", "0.002", &faults));
    CHECK_NEAR(params->tolerance, 0.002f, 0, 0);
    assert_true(couWorld_SetParam(world, "dfsph.tolerance", "0.003", &faults));
    CHECK_NEAR(params->tolerance, 0.003f, 0, 0);
    assert_true(couWorld_SetParam(world, "wcsph.tolerance", "0.004", &faults)); // a brother's
    CHECK_NEAR(params->tolerance, 0.003f, 0, 0);
    assert_true(couWorld_SetParam(world, "pvfs.support", "3", &faults));
    assert_true(couWorld_SetParam(world, "sph.boundary", "ghost", &faults));
    assert_int_equal(params->boundary, cou_boundaryGhost);
    CHECK_NO_FAULTS(&faults);
    couDestroyWorld(world);
}

// After the preparation the next step has it, as if it had been so from the beginning.
static void test_set_param_while_running(void **context)
{
    (void)context;
    couFaults faults = {0};
    couWorld *world = make_pool("pvfs"), *fresh = make_pool("pvfs");
    prepare_world(world);
    float step = couWorld_SuggestStep(world), error = couWorld_HeightError(world);
    assert_true(couWorld_SetParam(world, "pvfs.height_error", "0.1", &faults));
    assert_true(couWorld_SetParam(fresh, "pvfs.height_error", "0.1", &faults));
    assert_true(couWorld_SuggestStep(world) > 1.3f * step); // softer
    assert_true(couWorld_HeightError(world) > 1.3f * error);
    CHECK_NEAR(couWorld_SuggestStep(world), couWorld_SuggestStep(fresh), 0, 0);
    couStepReport a = couWorld_Advance(world, 0.1), b = couWorld_Advance(fresh, 0.1);
    assert_int_equal(a.substeps, b.substeps);
    assert_true(hash_world(world) == hash_world(fresh));
    couDestroyWorld(world);
    couDestroyWorld(fresh);
}

// A value that was refused, or another method's, changes nothing of what follows.
static void test_refused_param_changes_nothing(void **context)
{
    (void)context;
    static const char *const methods[] = {"pvfs", "dfsph"};
    for (int m = 0; m < 2; ++m) {
        couWorld *world = make_pool(methods[m]), *calm = make_pool(methods[m]);
        for (int k = 0; k < 3; ++k) {
            couFaults faults = {0};
            couWorld_Advance(world, 0.02), couWorld_Advance(calm, 0.02);
            assert_false(couWorld_SetParam(world, "pvfs.height_error", "9", &faults));
            assert_false(couWorld_SetParam(world, "sph.tolerance", "9", &faults));
            assert_true(couWorld_SetParam(world, m ? "pvfs.height_error" : "sph.tolerance", "0.01", NULL));
            assert_true(world->is_prepared);
            couFaults_Clear(&faults);
        }
        assert_true(hash_world(world) == hash_world(calm));
        couDestroyWorld(world);
        couDestroyWorld(calm);
    }
}

static void *refuse(size_t bytes, size_t align)
{
    (void)bytes, (void)align;
    return NULL;
}

static void test_set_param_without_memory(void **context)
{
    (void)context;
    couWorld *world = make_pool("pvfs");
    couFaults faults = {0};
    couFaults_Add(&faults, NULL, "first", "so that the list has room");
    couSetAllocator(refuse, free);
    assert_false(couWorld_SetParam(world, "sph.tolerance", "0.001", &faults));
    couSetAllocator(NULL, NULL);
    assert_int_equal(faults.count, 2);
    assert_string_equal(faults.items[1].key, "sph.tolerance");
    couFaults_Clear(&faults);
    couDestroyWorld(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_handles),
        cmocka_unit_test(test_empty_world),
        cmocka_unit_test(test_measure),
        cmocka_unit_test(test_advance),
        cmocka_unit_test(test_every_step_is_told),
        cmocka_unit_test(test_physics_trouble_is_counted),
        cmocka_unit_test(test_events),
        cmocka_unit_test(test_events_from_events),
        cmocka_unit_test(test_event_faults),
        cmocka_unit_test(test_tiny_period),
        cmocka_unit_test(test_set_param),
        cmocka_unit_test(test_set_param_of_family),
        cmocka_unit_test(test_set_param_while_running),
        cmocka_unit_test(test_refused_param_changes_nothing),
        cmocka_unit_test(test_set_param_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
