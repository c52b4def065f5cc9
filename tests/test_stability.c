// One step per frame: whatever the step, nothing is lost, nothing becomes NaN, and no energy comes from nowhere.
//
// A field function sees every particle right after emission and before the step moves it, so what emitters supplied is known
// exactly; gravity's share is the potential energy, which is counted from the floor.
#include "testing.h"

enum { FRAMES = 300 };

typedef struct Ledger {
    double energy; // kinetic plus potential at the beginning of the step, per mass
} Ledger;

static couVec3 count_energy(void *context, couVec3 position, couVec3 velocity, double time)
{
    (void)time;
    Ledger *ledger = context;
    ledger->energy += 0.5 *
                          ((double)velocity.x * velocity.x + (double)velocity.y * velocity.y + (double)velocity.z * velocity.z) +
                      9.81 * position.y;
    return NO_GRAVITY;
}

// Runs the frames and checks health, number of particles and energy after each.
static void check_run(couWorld *world, const char *name)
{
    couFaults faults = {0};
    Ledger ledger = {0};
    couFieldDef field = couDefaultFieldDef();
    field.kind = cou_fieldFunction, field.function = count_energy, field.function_context = &ledger;
    assert_true(couWorld_AddField(world, &field, &faults).index1);
    double mass = couWorld_ParticleMass(world, 0);
    couMeasurement now = couWorld_Measure(world);
    double supplied = now.kinetic_energy + now.potential_energy;
    int64_t count = (int64_t)couWorld_Particles(world).count;
    for (int frame = 0; frame < FRAMES; ++frame) {
        ledger.energy = 0;
        double before = now.kinetic_energy + now.potential_energy;
        couStepReport report = couWorld_Advance(world, 1.0 / 30);
        CHECK_HEALTHY(&report);
        assert_int_equal(report.substeps, 1);
        count += report.emitted;
        assert_int_equal(count, couWorld_Particles(world).count);
        supplied += mass * ledger.energy - before;
        now = couWorld_Measure(world);
        double held = now.kinetic_energy + now.potential_energy;
        if (!(held <= 1.001 * supplied))
            fail_msg("%s, frame %d: expected at most %.6g J, got %.6g J (%+.2f %%); fastest %.3g m/s, compression up to %.3g, "
                     "%lld guarded, %lld crowded",
                     name, frame, supplied, held, 100 * (held / supplied - 1), now.max_speed, report.density_error_max,
                     (long long)report.guard_count, (long long)report.crowded_count);
        CHECK_RANGE(now.center[1], 0, 10, frame);
    }
    assert_true(count > 1000);
}

static couWorld *make_scene(int dimension, float viscosity, couMaterialId *material)
{
    couWorld *world = make_world(dimension, 0.02f, EARTH, 2);
    pvfs_params(world)->step = 1.0f / 30;
    *material = add_liquid(world, 1000, viscosity);
    return world;
}

static void run_falling_block(int dimension)
{
    couMaterialId water;
    couWorld *world = make_scene(dimension, 0.001f, &water);
    float wide = dimension == 3 ? 0.4f : 1.0f, side = dimension == 3 ? 0.3f : 0.7f;
    add_body(world, make_tank(wide, 2, 0.4f, 0.01f, false), at(0, 1, 0), 0);
    add_fluid(world, water, make_box(side, dimension == 3 ? 0.3f : 0.8f, 0.3f), at(0, 0.8f, 0), NO_GRAVITY);
    check_run(world, dimension == 3 ? "falling block" : "falling block in 2D");
    couDestroyWorld(world);
}

static void test_falling_block(void **context)
{
    (void)context;
    run_falling_block(3);
}

static void test_falling_block_2d(void **context)
{
    (void)context;
    run_falling_block(2);
}

static void run_fountain(int dimension)
{
    couMaterialId water;
    couWorld *world = make_scene(dimension, 0.001f, &water);
    add_body(world, make_tank(1, 3, 1, 0.01f, false), at(0, 1.5f, 0), 0.1f);
    couEmitterDef jet = couDefaultEmitterDef();
    jet.material = water, jet.shape = make_disk(dimension == 3 ? 0.03f : 0.05f), jet.pose = turned(0, 0.05f, 0, 0.1f),
    jet.speed = 4;
    jet.max_count = 6000;
    add_emitter(world, &jet);
    check_run(world, dimension == 3 ? "fountain" : "fountain in 2D");
    couDestroyWorld(world);
}

static void test_fountain(void **context)
{
    (void)context;
    run_fountain(3);
}

static void test_fountain_2d(void **context)
{
    (void)context;
    run_fountain(2);
}

static void run_viscous_pour(int dimension)
{
    couMaterialId syrup;
    couWorld *world = make_scene(dimension, 20, &syrup);
    add_body(world, make_plane(0, 1, 0), COU_POSE_IDENTITY, 0.9f);
    couEmitterDef jet = couDefaultEmitterDef();
    jet.material = syrup, jet.shape = make_disk(0.04f), jet.pose = turned(0, 0.6f, 0, (float)COU_PI), jet.speed = 0.6f;
    add_emitter(world, &jet);
    check_run(world, dimension == 3 ? "pour" : "pour in 2D");
    couDestroyWorld(world);
}

static void test_viscous_pour(void **context)
{
    (void)context;
    run_viscous_pour(3);
}

static void test_viscous_pour_2d(void **context)
{
    (void)context;
    run_viscous_pour(2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_falling_block), cmocka_unit_test(test_falling_block_2d), cmocka_unit_test(test_fountain),
        cmocka_unit_test(test_fountain_2d),   cmocka_unit_test(test_viscous_pour),     cmocka_unit_test(test_viscous_pour_2d),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
