// Emitters and sinks: how much comes, from where, from when to when.
#include "testing.h"

#define SPACING 0.01f

static couEmitterDef jet(couMaterialId material, couShape *shape, couPose pose, float speed)
{
    couEmitterDef def = couDefaultEmitterDef();
    def.material = material;
    def.shape = shape;
    def.pose = pose;
    def.speed = speed;
    return def;
}

static int64_t run(couWorld *world, double seconds, float dt)
{
    int64_t emitted = 0;
    int steps = (int)lround(seconds / dt);
    for (int k = 0; k < steps; ++k) {
        couStepReport report = couWorld_Step(world, dt);
        CHECK_HEALTHY(&report);
        emitted += report.emitted;
    }
    return emitted;
}

// The rate follows from area, speed and spacing, whatever the step.
static void check_rate(int dimension, couShape *shape, double area, float speed, float dt, double seconds, int seed)
{
    couWorld *world = make_world(dimension, SPACING, NO_GRAVITY, 1);
    couMaterialId liquid = add_liquid(world, 1000, 0.001f);
    couEmitterDef def = jet(liquid, shape, turned(1, 2, 0, 0.7f), speed);
    add_emitter(world, &def);
    int64_t emitted = run(world, seconds, dt);
    double expected = area * speed * seconds / pow(SPACING, dimension);
    CHECK_NEAR((double)emitted / expected, 1, 0.03, seed);
    assert_int_equal(emitted, couWorld_Particles(world).count);
    couDestroyWorld(world);
}

static void test_rate(void **context)
{
    (void)context;
    check_rate(3, make_disk(0.04f), COU_PI * 0.04 * 0.04, 2, 0.005f, 0.5, 1);
    check_rate(3, make_disk(0.04f), COU_PI * 0.04 * 0.04, 2, 0.0007f, 0.35, 2); // many steps a layer
    check_rate(3, make_disk(0.04f), COU_PI * 0.04 * 0.04, 2, 0.03f, 0.6, 3);    // many layers a step
    check_rate(3, make_disk(0.008f), COU_PI * 0.008 * 0.008, 2, 0.005f, 5, 4);  // a thin jet
    check_rate(2, make_disk(0.05f), 0.1, 2, 0.005f, 2, 5);
    check_rate(2, make_disk(0.017f), 0.034, 2, 0.01f, 8, 6);
}

static void test_polygon(void **context)
{
    (void)context;
    const couVec3 arrow[] = {{0, 0, 0}, {0.1f, 0, 0}, {0.1f, 0.06f, 0}, {0.05f, 0.02f, 0}, {0, 0.06f, 0}}; // not convex
    double area = 0;
    for (int k = 0; k < 5; ++k) area += 0.5 * (arrow[k].x * arrow[(k + 1) % 5].y - arrow[(k + 1) % 5].x * arrow[k].y);
    couShape *shape = make_shape((couShapeDef){.kind = cou_shapePolygon, .points = arrow, .point_count = 5, .height = 0.001f});
    CHECK_NEAR(couShape_FaceArea(shape, 3), area, 1e-6, 0);
    couShape_Retain(shape);
    check_rate(3, shape, area, 1.5f, 0.005f, 2, 7);

    // It flies along +z of its pose, in the outline of the polygon.
    couWorld *world = make_world(3, SPACING, NO_GRAVITY, 1);
    couMaterialId liquid = add_liquid(world, 1000, 0.001f);
    couEmitterDef def = jet(liquid, shape, COU_POSE_IDENTITY, 3);
    def.jitter = 0;
    add_emitter(world, &def);
    couWorld_Step(world, 0.0033f); // less than a layer
    couWorld_Step(world, 0.0033f);
    couParticleView view = couWorld_Particles(world);
    assert_true(view.count > 10);
    for (size_t i = 0; i < view.count; ++i) {
        couVec3 p = couXyz(view.position[i]);
        bool is_in_notch = p.y > 0.02f + 0.8f * fabsf(p.x - 0.05f) + 0.003f;
        assert_true(p.x > -0.003f && p.x < 0.103f && p.y > -0.003f && p.y < 0.063f && !is_in_notch);
        CHECK_RANGE(p.z, 0, 0.02, 0);
        CHECK_NEAR(view.velocity[i].z, 3, 0.2, 0);
    }
    couDestroyWorld(world);
}

// A jet leaves with its speed along the shape's normal, and at the density of the resting fluid.
static void test_jet(void **context)
{
    (void)context;
    for (int dimension = 2; dimension <= 3; ++dimension) {
        couWorld *world = make_world(dimension, SPACING, NO_GRAVITY, 1);
        couMaterialId liquid = add_liquid(world, 1000, 0.001f);
        float angle = -0.5f;
        couEmitterDef def = jet(liquid, make_disk(0.05f), turned(0.3f, 0.2f, 0, angle), 2);
        add_emitter(world, &def);
        run(world, 0.1, 0.002f);
        couMeasurement m = couWorld_Measure(world);
        CHECK_NEAR(m.momentum[0] / m.mass, -2 * sin(angle), 0.05, dimension);
        CHECK_NEAR(m.momentum[1] / m.mass, 2 * cos(angle), 0.05, dimension);
        CHECK_NEAR(m.momentum[2] / m.mass, 0, 0.05, dimension);
        // It fills the 0.2 m in front of the disk.
        CHECK_NEAR(m.center[0], 0.3 - 0.1 * sin(angle), 0.006, dimension);
        CHECK_NEAR(m.center[1], 0.2 + 0.1 * cos(angle), 0.006, dimension);
        double volume = (dimension == 3 ? COU_PI * 0.05 * 0.05 : 0.1) * 0.2;
        CHECK_NEAR(m.mass / (1000 * volume), 1, 0.06, dimension);
        couDestroyWorld(world);
    }
}

static void test_start_and_stop(void **context)
{
    (void)context;
    couWorld *world = make_world(3, SPACING, NO_GRAVITY, 1);
    couMaterialId liquid = add_liquid(world, 1000, 0.001f);
    couEmitterDef def = jet(liquid, make_disk(0.04f), COU_POSE_IDENTITY, 1);
    def.start = 0.1f, def.stop = 0.3f;
    couEmitterId emitter = add_emitter(world, &def);
    assert_int_equal(run(world, 0.098, 0.002f), 0);
    int64_t during = run(world, 0.2, 0.002f);
    CHECK_NEAR((double)during / (COU_PI * 0.04 * 0.04 * 0.2 * 1e6), 1, 0.06, 0);
    run(world, 0.006, 0.002f);
    assert_int_equal(run(world, 0.1, 0.002f), 0);

    // Switched by hand.
    def = jet(liquid, make_disk(0.04f), at(1, 0, 0), 1);
    emitter = add_emitter(world, &def);
    assert_true(run(world, 0.05, 0.002f) > 0);
    couWorld_SetEmitterOn(world, emitter, false);
    assert_int_equal(run(world, 0.05, 0.002f), 0);
    couWorld_SetEmitterOn(world, emitter, true);
    assert_true(run(world, 0.05, 0.002f) > 0);
    couWorld_StopEmitters(world);
    assert_int_equal(run(world, 0.05, 0.002f), 0);
    couDestroyWorld(world);
}

static void test_limits(void **context)
{
    (void)context;
    couFaults faults = {0};
    couWorldDef world_def = couDefaultWorldDef();
    world_def.spacing = SPACING;
    world_def.gravity = NO_GRAVITY;
    world_def.max_particles = 777;
    couWorld *world = couCreateWorld(&world_def, &faults);
    couMaterialId liquid = add_liquid(world, 1000, 0.001f);
    couEmitterDef def = jet(liquid, make_disk(0.04f), COU_POSE_IDENTITY, 1);
    def.max_count = 123;
    add_emitter(world, &def);
    CHECK_NEAR((double)run(world, 0.5, 0.005f), 123, 0, 0);
    def = jet(liquid, make_disk(0.04f), at(1, 0, 0), 1);
    add_emitter(world, &def);
    CHECK_NEAR((double)run(world, 2, 0.005f), 777 - 123, 0, 0);
    def = jet(liquid, make_box(0.2f, 0.2f, 0.2f), at(2, 0, 0), 0);
    add_emitter(world, &def);
    CHECK_NEAR((double)run(world, 0.05, 0.005f), 0, 0, 0);
    couDestroyWorld(world);
}

static couPose drive(void *context, double time)
{
    (void)context;
    return at((float)(0.5 * time), 0, 0);
}

// The jet of a moving emitter takes its velocity along and begins where the emitter is.
static void test_moving_emitter(void **context)
{
    (void)context;
    couWorld *world = make_world(3, SPACING, NO_GRAVITY, 1);
    couMaterialId liquid = add_liquid(world, 1000, 0.001f);
    couEmitterDef def = jet(liquid, make_disk(0.03f), COU_POSE_IDENTITY, 1);
    def.motion = drive;
    add_emitter(world, &def);
    run(world, 1.0, 0.005f);
    couMeasurement m = couWorld_Measure(world);
    CHECK_NEAR(m.momentum[0] / m.mass, 0.5, 0.02, 0);
    CHECK_NEAR(m.momentum[1] / m.mass, 1, 0.02, 0);
    // Emitted at 0.5 t and carried on with 0.5 m/s: all of it is above the emitter.
    CHECK_NEAR(m.center[0], 0.5, 0.02, 0);
    CHECK_NEAR(m.center[1], 0.5, 0.02, 0);
    couDestroyWorld(world);
}

static double nearest_pair(couWorld *world)
{
    couParticleView view = couWorld_Particles(world);
    double nearest = INFINITY;
    for (size_t i = 0; i < view.count; ++i)
        for (size_t j = 0; j < i; ++j)
            nearest = fmin(nearest, couLength(couSub(couXyz(view.position[i]), couXyz(view.position[j]))));
    return nearest;
}

// A volume is filled once, at its start, around what is there already.
static void test_volume(void **context)
{
    (void)context;
    for (int dimension = 2; dimension <= 3; ++dimension) {
        couWorld *world = make_world(dimension, 0.02f, NO_GRAVITY, 1);
        couMaterialId liquid = add_liquid(world, 1000, 0.001f);
        couFaults faults = {0};
        couFluidDef fluid = couDefaultFluidDef();
        fluid.material = liquid, fluid.shape = make_box(0.1f, 0.2f, 0.2f),
        fluid.jitter = 0.1f; // so that pairs have a least distance
        int64_t before = couWorld_AddFluid(world, &fluid, &faults);
        CHECK_NO_FAULTS(&faults);
        couShape_Release(fluid.shape);
        couEmitterDef def = jet(liquid, make_box(0.2f, 0.2f, 0.2f), at(0.1f, 0.005f, 0), 0);
        def.start = 0.01f;
        add_emitter(world, &def);
        couStepReport report = couWorld_Step(world, 1e-4f);
        assert_int_equal(report.emitted, 0);
        int64_t emitted = 0;
        // Emission alone, before anything can push them apart.
        world->time = 0.01;
        couStepReport direct = {0};
        couEmit(world, 1e-4f, &direct);
        emitted = direct.emitted;
        double cells = dimension == 3 ? 1000 : 100;
        CHECK_RANGE((double)emitted / cells, 0.6, 0.85, dimension); // a quarter of it, and a seam, was taken
        CHECK_RANGE(nearest_pair(world) / 0.02, 0.4, 1, dimension);
        assert_int_equal(couWorld_Particles(world).count, before + emitted);
        couEmit(world, 1e-4f, &direct);
        assert_int_equal(direct.emitted, emitted);
        couDestroyWorld(world);
    }
}

// A volume with a period is filled again and again: what falls out of it is replaced, what is still there is not doubled.
static void test_volume_again(void **context)
{
    (void)context;
    couWorld *world = make_world(3, 0.02f, (couVec3){0, -9.81f, 0}, 1);
    couMaterialId liquid = add_liquid(world, 1000, 0.001f);
    couEmitterDef def = jet(liquid, make_box(0.1f, 0.1f, 0.1f), at(0, 0, 0), 0);
    def.period = 0.25f; // it falls 0.3 m in between
    def.max_count = 450;
    add_emitter(world, &def);
    int64_t counts[5] = {0};
    for (int k = 0; k < 5; ++k) counts[k] = run(world, 0.25, 0.005f);
    CHECK_RANGE((double)counts[0], 100, 125, 0);
    for (int k = 1; k < 3; ++k) CHECK_RANGE((double)counts[k], 100, 125, k);
    assert_int_equal(couWorld_Particles(world).count, 450); // the limit holds
    assert_int_equal(counts[4], 0);
    couDestroyWorld(world);
}

// What a volume has counted is no length of jet that is due.
static void test_volume_becomes_jet(void **context)
{
    (void)context;
    couFaults faults = {0};
    couWorld *world = make_world(3, 0.02f, NO_GRAVITY, 1);
    couEmitterDef def = couDefaultEmitterDef();
    def.material = add_liquid(world, 1000, 0), def.shape = make_box(0.1f, 0.1f, 0.1f), def.period = 1e-4f, def.speed = 1;
    add_emitter(world, &def);
    for (int k = 0; k < 3; ++k) couWorld_Step(world, 0.001f);
    def.shape = make_disk(0.05f), def.pose = at(0, 1, 0);
    assert_true(couWorld_SetEmitter(world, couWorld_EmitterAt(world, 0), &def, &faults));
    couShape_Release(def.shape);
    couState state = {0};
    assert_true(couWorld_SaveState(world, &state));
    assert_true(couWorld_LoadState(world, &state, &faults));
    CHECK_NO_FAULTS(&faults);
    couState_Clear(&state);
    couStepReport report = couWorld_Step(world, 0.001f);
    assert_int_equal(report.emitted, 0); // 1 mm of a jet that comes in layers of 20 mm
    couDestroyWorld(world);
}

// Volumes and jets do not put particles into bodies.
static void test_not_into_bodies(void **context)
{
    (void)context;
    couWorld *world = make_world(3, SPACING, NO_GRAVITY, 1);
    couMaterialId liquid = add_liquid(world, 1000, 0.001f);
    couBodyId ball = add_body(world, make_sphere(0.06f), COU_POSE_IDENTITY, 0);
    int64_t count = add_fluid(world, liquid, make_box(0.2f, 0.2f, 0.2f), COU_POSE_IDENTITY, NO_GRAVITY);
    double expected = (0.008 - 4.0 / 3 * COU_PI * pow(0.065, 3)) * 1e6;
    CHECK_NEAR((double)count / expected, 1, 0.03, 0);
    couParticleView view = couWorld_Particles(world);
    for (size_t i = 0; i < view.count; ++i) CHECK_RANGE(couLength(couXyz(view.position[i])), 0.06, 1, 0);
    couWorld_RemoveBody(world, ball);
    couDestroyWorld(world);

    world = make_world(3, SPACING, NO_GRAVITY, 1);
    liquid = add_liquid(world, 1000, 0.001f);
    add_body(world, make_box(1, 0.2f, 1), COU_POSE_IDENTITY, 0);
    couEmitterDef def = jet(liquid, make_disk(0.04f), COU_POSE_IDENTITY, 1); // in the middle of the box
    add_emitter(world, &def);
    assert_int_equal(run(world, 0.05, 0.005f), 0);
    couDestroyWorld(world);
}

static void test_fill(void **context)
{
    (void)context;
    for (int dimension = 2; dimension <= 3; ++dimension) {
        couWorld *world = make_world(dimension, SPACING, NO_GRAVITY, 1);
        couMaterialId liquid = add_liquid(world, 1000, 0.001f);
        // A box holds size / spacing particles in each axis, the first half a spacing inside.
        int64_t count = add_fluid(world, liquid, make_box(0.1f, 0.2f, 0.3f), turned(5, -3, 0, 0.3f), (couVec3){1, 2, 0});
        assert_int_equal(count, dimension == 3 ? 10 * 20 * 30 : 10 * 20);
        couMeasurement m = couWorld_Measure(world);
        CHECK_NEAR(m.center[0], 5, 1e-3, dimension);
        CHECK_NEAR(m.center[1], -3, 1e-3, dimension);
        CHECK_NEAR(m.mass, dimension == 3 ? 6 : 20, 1e-3, dimension);
        CHECK_NEAR(m.momentum[0] / m.mass, 1, 1e-5, dimension);
        CHECK_NEAR(m.momentum[1] / m.mass, 2, 1e-5, dimension);
        count = add_fluid(world, liquid, make_sphere(0.1f), COU_POSE_IDENTITY, NO_GRAVITY);
        double volume = dimension == 3 ? 4.0 / 3 * COU_PI * 1e-3 : COU_PI * 1e-2;
        CHECK_NEAR((double)count * pow(SPACING, dimension) / volume, 1, 0.03, dimension);
        couDestroyWorld(world);
    }
}

static void test_sinks(void **context)
{
    (void)context;
    for (int is_inverted = 0; is_inverted < 2; ++is_inverted) {
        couWorld *world = make_world(3, 0.02f, NO_GRAVITY, 1);
        couMaterialId liquid = add_liquid(world, 1000, 0.001f);
        int64_t count = add_fluid(world, liquid, make_box(0.4f, 0.2f, 0.2f), COU_POSE_IDENTITY, NO_GRAVITY);
        couSinkDef def = couDefaultSinkDef();
        couFaults faults = {0};
        def.shape = make_box(0.2f, 1, 1);
        def.pose = at(0.1f, 0, 0); // the half x > 0
        def.is_inverted = is_inverted;
        def.start = 0.01f, def.stop = 0.02f;
        assert_true(couWorld_AddSink(world, &def, &faults).index1);
        couShape_Release(def.shape);
        couStepReport report = couWorld_Step(world, 0.009f);
        assert_int_equal(report.removed, 0);
        couWorld_Step(world, 0.002f); // begins at 0.009 s: not yet
        report = couWorld_Step(world, 1e-4f);
        CHECK_NEAR((double)report.removed / (double)count, 0.5, 0.05, is_inverted);
        couParticleView view = couWorld_Particles(world);
        assert_int_equal(view.count, count - report.removed);
        for (size_t i = 0; i < view.count; ++i)
            if (is_inverted ? view.position[i].x < -0.002f : view.position[i].x > 0.002f)
                fail_msg("a particle is left at %g", view.position[i].x);
        couWorld_Step(world, 0.01f);
        report = couWorld_Step(world, 0.01f); // it has stopped
        assert_int_equal(report.removed, 0);
        couDestroyWorld(world);
    }
}

// A fountain with a drain runs on for ever in the same memory.
static void test_flow_through(void **context)
{
    (void)context;
    couWorld *world = make_world(3, 0.02f, EARTH, 2);
    couMaterialId liquid = add_liquid(world, 1000, 0.001f);
    couEmitterDef def = jet(liquid, make_disk(0.05f), turned(0, 1, 0, (float)COU_PI), 2);
    add_emitter(world, &def);
    couSinkDef sink = couDefaultSinkDef();
    couFaults faults = {0};
    sink.shape = make_plane(0, 1, 0);
    assert_true(couWorld_AddSink(world, &sink, &faults).index1);
    couShape_Release(sink.shape);
    int64_t emitted = 0, removed = 0;
    for (int k = 0; k < 400; ++k) {
        couStepReport report = couWorld_Step(world, 0.005f);
        CHECK_HEALTHY(&report);
        emitted += report.emitted, removed += report.removed;
        assert_int_equal(emitted - removed, couWorld_Particles(world).count);
    }
    assert_true(removed > 1000);
    // 0.29 s of flight
    CHECK_RANGE((double)couWorld_Particles(world).count / (COU_PI * 0.0025 * 2 / 8e-6), 0.25, 0.33, 0);
    couDestroyWorld(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rate),
        cmocka_unit_test(test_polygon),
        cmocka_unit_test(test_jet),
        cmocka_unit_test(test_start_and_stop),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_moving_emitter),
        cmocka_unit_test(test_volume),
        cmocka_unit_test(test_volume_again),
        cmocka_unit_test(test_volume_becomes_jet),
        cmocka_unit_test(test_not_into_bodies),
        cmocka_unit_test(test_fill),
        cmocka_unit_test(test_sinks),
        cmocka_unit_test(test_flow_through),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
