// Liquid whose pressures pull is watched: energy from nowhere ends the run, energy that the scene gives does not.
#include "sph_test.h"

// A resting block on a floor.
static couWorld *make_block(const char *method, bool clamp)
{
    couWorld *world = make_sph_world(method, 2, 0.02f, EARTH);
    sph_params(world)->clamp = clamp;
    add_body(world, make_tank(0.3f, 2, 1, 0.1f, true), at(0, 1, 0), 0);
    add_lattice(world, add_liquid(world, 1000, 0), make_box(0.3f, 0.2f, 1), at(0, 0.1f, 0));
    return world;
}

// Throws the particles about, as a solver that does not settle does; upwards, so that they meet nothing for a while.
static void add_energy(couWorld *world, float speed)
{
    couRandom random = {couMix64(5)};
    for (size_t i = 0; i < world->fluid.table.count; ++i) {
        couVec4 *v = &couFluid_Velocity(&world->fluid)[i];
        v->x = 0.01f * speed * couRandomSigned(&random), v->y = speed;
    }
}

// Falls of 0.3 m give 2.5 m/s. Ten times that energy is too much, the half of it is not; a thousand times where nothing pulls.
static void test_energy_from_nowhere(void **context)
{
    (void)context;
    for (int m = 0; m < SPH_METHODS; ++m)
        for (int k = 0; k < 4; ++k) {
            couWorld *world = make_block(sph_methods[m], k >= 2);
            couStepReport report = couWorld_Advance(world, 0.01);
            CHECK_HEALTHY(&report);
            CHECK_NEAR(report.runaway_speed, 0, 0, m);
            static const float speeds[] = {3, 150, 50, 300}; // the floor's suction takes a part of it
            add_energy(world, speeds[k]);
            report = couWorld_Advance(world, 0.002);
            CHECK_HEALTHY(&report);
            if (k % 2) {
                CHECK_RANGE(report.runaway_speed, 20, 310, m);
                CHECK_RANGE(report.allowed_speed, 2, 3, m); // sqrt(2 g (depth and wall))
                assert_false(couStepReport_HasFailed(&report));
            } else {
                CHECK_NEAR(report.runaway_speed, 0, 0, 10 * m + k);
            }
            couDestroyWorld(world);
        }
}

static void check_calm(couWorld *world, double seconds, int frames, double least_speed, const char *what)
{
    double fastest = 0;
    for (int frame = 0; frame < frames; ++frame) {
        couStepReport report = couWorld_Advance(world, seconds / frames);
        CHECK_HEALTHY(&report);
        fastest = COU_MAX(fastest, (double)report.max_speed);
        if (report.runaway_speed > 0)
            fail_msg("%s, frame %d: expected calm, got %g m/s where %g m/s are allowed", what, frame, report.runaway_speed,
                     report.allowed_speed);
    }
    if (!(fastest >= least_speed)) fail_msg("%s: expected at least %g m/s, got %g: it shows nothing", what, least_speed, fastest);
    couDestroyWorld(world);
}

static couPose ram(void *context, double time)
{
    (void)context;
    return at((float)(-0.5 + 4 * COU_CLAMP(time - 0.0205, 0, 0.01)), 0, 0); // within one frame, and still at its ends
}

// Energy that comes from somewhere: a fall without an end, a throw, a field, a wall that strikes, a full box that turns.
static void test_energy_of_the_scene(void **context)
{
    (void)context;
    couWorld *world = make_sph_world("iisph", 2, 0.02f, EARTH);
    sph_params(world)->clamp = false;
    add_lattice(world, add_liquid(world, 1000, 0), make_box(0.1f, 0.1f, 1), at(0, 0, 0));
    check_calm(world, 1, 4, 9, "a fall");

    world = make_sph_world("dfsph", 2, 0.02f, NO_GRAVITY);
    sph_params(world)->clamp = false;
    add_jittered(world, add_liquid(world, 1000, 0), make_box(0.1f, 0.1f, 1), at(0, 0, 0), (couVec3){50, 0, 0}, 0);
    check_calm(world, 0.02, 2, 49, "a throw");

    couFaults faults = {0};
    couFieldDef field = couDefaultFieldDef();
    field.kind = cou_fieldUniform, field.vector = (couVec3){200, 0, 0};
    world = make_sph_world("pcisph", 2, 0.02f, NO_GRAVITY);
    sph_params(world)->clamp = false;
    add_lattice(world, add_liquid(world, 1000, 0), make_box(0.1f, 0.1f, 1), at(0, 0, 0));
    assert_true(couWorld_AddField(world, &field, &faults).index1);
    check_calm(world, 0.1, 4, 19, "a field");

    world = make_sph_world("dfsph", 2, 0.02f, NO_GRAVITY);
    sph_params(world)->clamp = false;
    couBodyDef wall = couDefaultBodyDef();
    wall.shape = make_box(0.6f, 1, 1), wall.motion = ram;
    assert_true(couWorld_AddBody(world, &wall, &faults).index1);
    couShape_Release(wall.shape);
    add_lattice(world, add_liquid(world, 1000, 0), make_box(0.1f, 0.1f, 1), at(-0.14f, 0, 0));
    check_calm(world, 0.04, 2, 2, "a wall that strikes");
    CHECK_NO_FAULTS(&faults);
}

static couVec3 vortices(void *context, couVec3 x)
{
    (void)context;
    float a = (float)(2 * COU_PI) * x.x, b = (float)(2 * COU_PI) * x.y;
    return (couVec3){-cosf(a) * sinf(b), sinf(a) * cosf(b), 0};
}

// The use that suction is for: a full box of vortices.
static void test_full_box(void **context)
{
    (void)context;
    static const char *const methods[] = {"pcisph", "iisph", "dfsph"};
    for (int m = 0; m < COU_COUNT(methods); ++m) {
        couFaults faults = {0};
        couWorldDef world_def = sph_def(methods[m], 2, 0.05f, NO_GRAVITY);
        world_def.period = (couVec3){1, 1, 0};
        couWorld *world = make_sph_world_from(&world_def);
        sph_params(world)->clamp = false, sph_params(world)->tolerance = 0.004f;
        couFluidDef def = couDefaultFluidDef();
        def.material = add_liquid(world, 1000, 10), def.shape = make_box(1, 1, 1), def.pose = at(0.5f, 0.5f, 0),
        def.jitter = 0.1f;
        def.velocity_function = vortices;
        assert_true(couWorld_AddFluid(world, &def, &faults) > 0);
        couShape_Release(def.shape);
        check_calm(world, 0.2, 4, 0.8, methods[m]);
    }
}

// A hundred steps at the user's bound with solvers that do not converge and particles far too fast end the advance at once, also
// where a field gives energy without a bound; with particles as fast as the scene has them they do not.
static void test_stuck(void **context)
{
    (void)context;
    for (int is_fast = 0; is_fast < 2; ++is_fast) {
        couFaults faults = {0};
        couWorld *world = make_sph_world("iisph", 2, 0.02f, NO_GRAVITY);
        couSphParams *p = sph_params(world);
        p->clamp = false, p->min_step = 4e-3f, p->max_iterations = 1, p->min_iterations = 0, p->tolerance = 1e-9f;
        couFieldDef field = couDefaultFieldDef();
        field.kind = cou_fieldUniform, field.vector = (couVec3){1e-3f, 0, 0};
        assert_true(couWorld_AddField(world, &field, &faults).index1);
        couVec3 velocity = {is_fast ? 0 : 10, 0, 0};
        add_jittered(world, add_liquid(world, 1000, 0), make_box(0.2f, 0.2f, 1), at(0, 0, 0), velocity, 0);
        couWorld_Advance(world, 1e-3);
        if (is_fast)
            for (size_t i = 0; i < world->fluid.table.count; ++i) couFluid_Velocity(&world->fluid)[i].x = 10;
        couStepReport report = couWorld_Advance(world, 1);
        CHECK_HEALTHY(&report);
        if (is_fast) {
            CHECK_RANGE(report.runaway_speed, 9, 11, 0);
            assert_int_equal(report.substeps, 100);
        } else {
            CHECK_NEAR(report.runaway_speed, 0, 0, 0);
            assert_true(report.substeps > 200);
        }
        couDestroyWorld(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_energy_from_nowhere),
        cmocka_unit_test(test_energy_of_the_scene),
        cmocka_unit_test(test_full_box),
        cmocka_unit_test(test_stuck),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
