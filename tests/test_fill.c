// Volumes filled with particles: how many are expected, what thousands of small ones cost, and the velocities that they get.
#include "testing.h"

// Where bounds are small enough nobody looks closer; otherwise the share of a ball in its cube is found to a few per mille.
static void test_estimate(void **context)
{
    (void)context;
    couWorld *world = make_world(3, 0.01f, NO_GRAVITY, 1);
    couShape *ball = make_sphere(0.0995f), // 20 layers each way
        *plane = make_plane(0, 1, 0);
    CHECK_NEAR(couEstimateFill(world, ball, 8000), 8000, 0, 0);
    CHECK_NEAR(couEstimateFill(world, ball, 7999), 8000 * COU_PI / 6, 40, 0);
    CHECK_NEAR(couEstimateFill(world, ball, 0), 8000 * COU_PI / 6, 40, 0);
    assert_true(isinf(couEstimateFill(world, plane, 1e9)));
    couShape_Release(ball), couShape_Release(plane);
    couDestroyWorld(world);
}

// A shape whose bounds hold far more than max_particles, but which itself does not, is no fault.
static void test_thin_shape_below_the_limit(void **context)
{
    (void)context;
    couFaults faults = {0};
    couWorldDef def = couDefaultWorldDef();
    def.spacing = 0.01f, def.max_particles = 3000, def.threads = 1;
    couWorld *world = couCreateWorld(&def, &faults);
    couMaterialId water = add_liquid(world, 1000, 0.001f);
    couShape *rod = make_box(1.0f, 0.02f, 0.02f);
    couShape *placed = make_shape(
        (couShapeDef){.kind = cou_shapePlaced, .pose = turned(0, 0, 0, 0.78f), .children = &rod, .child_count = 1});
    couShape_Release(rod);
    int64_t count = add_fluid(world, water, placed, COU_POSE_IDENTITY, NO_GRAVITY);
    CHECK_RANGE((double)count, 300, 500, 0);
    couDestroyWorld(world);
}

// Many volumes of one particle each. Samples of each one's volume took 1.3 ms, so that this needed over a minute.
static int fill_drops(void)
{
    enum { DROPS = 60000 };
    couFaults faults = {0};
    couWorldDef world_def = couDefaultWorldDef();
    world_def.spacing = 0.01f, world_def.threads = 1;
    couWorld *world = couCreateWorld(&world_def, &faults);
    couMaterialDef water = couDefaultMaterialDef();
    couFluidDef def = couDefaultFluidDef();
    def.material = couWorld_AddMaterial(world, &water, &faults);
    couShapeDef shape = {.kind = cou_shapeBox, .size = {0.01f, 0.01f, 0.01f}};
    def.shape = couCreateShape(&shape, &faults);
    int64_t count = 0;
    for (int k = 0; k < DROPS; ++k) {
        def.pose.position = (couVec3){0.02f * (float)(k % 100), 0.02f * (float)(k / 100 % 100), 0.02f * (float)(k / 10000)};
        count += couWorld_AddFluid(world, &def, &faults);
    }
    couShape_Release(def.shape);
    couDestroyWorld(world);
    return faults.count > 0 ? 2 : count != DROPS;
}

static void test_many_small_volumes(void **context)
{
    (void)context;
    CHECK_IN_TIME(fill_drops, 1);
}

// --- Velocities --------------------------------------------------------------------------------------------------------------

// A shear and a constant; counts its calls.
static couVec3 shear(void *context, couVec3 x)
{
    ++*(int *)context;
    return (couVec3){3 * x.y + 1, 2 * x.x, -x.z};
}

// Each particle has the sum of the constant, the spin about the pose, and the function at its own place, jitter included; the
// function is asked once for each. `is_full` has particles that are taken away again.
static void check_velocities(int dimension, bool is_full)
{
    couWorld *world = make_world(dimension, 0.05f, NO_GRAVITY, 1);
    couFaults faults = {0};
    int calls = 0;
    couFluidDef def = couDefaultFluidDef();
    def.material = add_liquid(world, 1000, 0.001f), def.shape = make_box(0.51f, 0.33f, 0.42f), def.pose = turned(1, 2, 0, 0.5f);
    def.velocity = (couVec3){0.5f, -1, 2}, def.spin = (couVec3){1, -2, 3}, def.jitter = 0.3f, def.is_full = is_full;
    def.velocity_function = shear, def.velocity_context = &calls;
    add_fluid(world, def.material, make_box(0.2f, 0.2f, 0.2f), at(-1, 0, 0), NO_GRAVITY);
    size_t before = couWorld_Particles(world).count;
    int64_t count = couWorld_AddFluid(world, &def, &faults);
    CHECK_NO_FAULTS(&faults);
    assert_true(count > 50);
    assert_int_equal(calls, count);
    couParticleView view = couWorld_Particles(world);
    double fastest = 0;
    for (size_t i = 0; i < view.count; ++i) {
        double x = view.position[i].x, y = view.position[i].y, z = view.position[i].z, rx = x - 1, ry = y - 2;
        double expected[3] = {0.5 - 2 * z - 3 * ry + 3 * y + 1, -1 + 3 * rx - z + 2 * x, 2 + ry + 2 * rx - z};
        if (dimension == 2) expected[0] = 0.5 - 3 * ry + 3 * y + 1, expected[1] = -1 + 3 * rx + 2 * x, expected[2] = 0;
        if (i < before) expected[0] = expected[1] = expected[2] = 0; // those that were there keep theirs
        CHECK_NEAR(view.velocity[i].x, expected[0], 2e-5, (int)i);
        CHECK_NEAR(view.velocity[i].y, expected[1], 2e-5, (int)i);
        CHECK_NEAR(view.velocity[i].z, expected[2], 2e-5, (int)i);
        double speed = sqrt(expected[0] * expected[0] + expected[1] * expected[1] + expected[2] * expected[2]);
        fastest = COU_MAX(fastest, speed);
    }
    // What the scene asks of the method follows the fastest of them.
    CHECK_NEAR(couEstimateDemand(world).speed, fastest, 1e-4, 0);
    couShape_Release(def.shape);
    couDestroyWorld(world);
}

static void test_velocities(void **context)
{
    (void)context;
    for (int dimension = 2; dimension <= 3; ++dimension)
        for (int is_full = 0; is_full < 2; ++is_full) check_velocities(dimension, is_full);
}

// The spin alone leaves the centre where it is, and has the angular momentum of a turning disc.
static void test_spin(void **context)
{
    (void)context;
    couWorld *world = make_world(2, 0.01f, NO_GRAVITY, 1);
    couFaults faults = {0};
    couFluidDef def = couDefaultFluidDef();
    def.material = add_liquid(world, 1000, 0.001f), def.shape = make_sphere(0.2f), def.jitter = 0, def.spin.z = 5;
    assert_true(couWorld_AddFluid(world, &def, &faults) > 0);
    couMeasurement m = couWorld_Measure(world);
    CHECK_NEAR(m.angular_momentum[2], 0.5 * m.mass * 0.2 * 0.2 * 5, 0.02 * m.mass * 0.1, 0);
    CHECK_NEAR(m.momentum[0], 0, 1e-3 * m.mass, 0);
    CHECK_NEAR(m.max_speed, 5 * 0.2, 0.05, 0);
    CHECK_NEAR(couEstimateDemand(world).speed, m.max_speed, 1e-5, 0);
    couShape_Release(def.shape);
    couDestroyWorld(world);
}

static couVec3 give(void *context, couVec3 x)
{
    couVec3 bad = *(const couVec3 *)context;
    return x.x > 0 ? bad : (couVec3){1, 2, 3};
}

// A function that gives no velocity is a fault, and nothing is added.
static void test_bad_velocities(void **context)
{
    (void)context;
    const couVec3 bad[] = {{NAN, 0, 0}, {0, INFINITY, 0}, {0, 0, -INFINITY}, {0, 10001, 0}};
    couWorld *world = make_world(3, 0.05f, NO_GRAVITY, 1);
    couFluidDef def = couDefaultFluidDef();
    def.material = add_liquid(world, 1000, 0.001f), def.shape = make_box(0.3f, 0.3f, 0.3f), def.velocity_function = give;
    for (int k = 0; k < COU_COUNT(bad); ++k) {
        couFaults faults = {0};
        couVec3 value = bad[k];
        def.velocity_context = &value;
        assert_int_equal(couWorld_AddFluid(world, &def, &faults), -1);
        CHECK_FAULT(&faults, "fluid.velocity", "it must give numbers from -10000 to 10000");
        assert_int_equal(couWorld_Particles(world).count, 0);
    }
    couShape_Release(def.shape);
    couDestroyWorld(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_estimate),
        cmocka_unit_test(test_thin_shape_below_the_limit),
        cmocka_unit_test(test_many_small_volumes),
        cmocka_unit_test(test_velocities),
        cmocka_unit_test(test_spin),
        cmocka_unit_test(test_bad_velocities),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
