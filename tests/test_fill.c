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

// --- Round vessels -----------------------------------------------------------------------------------------------------------

// A glass of R = 10 d filled to 70 mm: 70 mm within 1 %, no two closer than 0.75 d, half a spacing from the wall, and a plain
// box in a tank stays the lattice that it was.
static int64_t fill_glass(float spacing, int threads, float *closest, float *widest, uint64_t *hash)
{
    couFaults faults = {0};
    couWorldDef world_def = couDefaultWorldDef();
    world_def.spacing = spacing, world_def.threads = threads;
    snprintf(world_def.method, sizeof world_def.method, "dfsph");
    couWorld *world = couCreateWorld(&world_def, &faults);
    couMaterialId water = add_liquid(world, 1000, 0.001f);
    couShape *inner = make_shape((couShapeDef){.kind = cou_shapeCylinder, .radius = 0.032f, .height = 0.1f});
    couShape *glass = make_shape(
        (couShapeDef){.kind = cou_shapeShell, .thickness = 0.01f, .is_open = true, .children = &inner, .child_count = 1});
    couShape *filled = make_shape((couShapeDef){.kind = cou_shapeCylinder, .radius = 0.032f, .height = 0.07f});
    add_body(world, glass, at(0, 0.05f, 0), 0);
    couFluidDef def = couDefaultFluidDef();
    def.material = water, def.shape = filled, def.pose.position.y = 0.035f;
    int64_t count = couWorld_AddFluid(world, &def, &faults);
    couParticleView view = couWorld_Particles(world);
    *closest = INFINITY, *widest = 0.0f;
    for (size_t i = 0; i < view.count; ++i) {
        couVec3 x = couXyz(view.position[i]);
        *widest = fmaxf(*widest, hypotf(x.x, x.z));
        for (size_t j = 0; j < i; ++j) *closest = fminf(*closest, couLength(couSub(x, couXyz(view.position[j]))));
    }
    couState state = {0};
    assert_true(couWorld_SaveState(world, &state));
    *hash = couState_Hash(&state);
    couState_Clear(&state);
    couShape_Release(filled), couShape_Release(inner);
    couDestroyWorld(world);
    return count;
}

static void test_round_glass(void **context)
{
    (void)context;
    float closest, widest;
    uint64_t hash, other;
    int64_t count = fill_glass(0.0032f, 1, &closest, &widest, &hash);
    double level = (double)count * pow(0.0032, 3) / (COU_PI * 0.032 * 0.032);
    CHECK_NEAR(level, 0.07, 0.0007, 0);
    CHECK_RANGE((double)closest / 0.0032, 0.75, 1.0, 0);
    CHECK_RANGE((double)widest / 0.0032, 9.0, 9.6, 0);
    count = fill_glass(0.0064f, 1, &closest, &widest, &hash);
    CHECK_NEAR((double)count * pow(0.0064, 3) / (COU_PI * 0.032 * 0.032), 0.07, 0.0007, 0);
    fill_glass(0.0064f, 3, &closest, &widest, &other);
    assert_true(hash == other);
}

// A box in a tank is its lattice, also where its sides are no multiples of the spacing.
static void test_box_stays_lattice(void **context)
{
    (void)context;
    couWorld *world = make_world(3, 0.02f, NO_GRAVITY, 1);
    add_body(world, make_tank(0.25f, 0.25f, 0.25f, 0.02f, true), COU_POSE_IDENTITY, 0);
    couShape *box = make_box(0.25f, 0.25f, 0.25f);
    int64_t count = add_fluid(world, add_liquid(world, 1000, 0.001f), box, COU_POSE_IDENTITY, NO_GRAVITY);
    assert_int_equal(count, 12 * 12 * 12);
    couDestroyWorld(world);
}

// --- Liquid that starts at rest ----------------------------------------------------------------------------------------------

// Of the load on the bottom of a tank in the first 0.1 s: how far it is from the weight, relative (root mean square).
static double measure_ringing(const char *method, int start)
{
    couFaults faults = {0};
    couWorldDef world_def = couDefaultWorldDef();
    world_def.dimension = 2, world_def.spacing = 0.04f, world_def.threads = 1;
    snprintf(world_def.method, sizeof world_def.method, "%s", method);
    couWorld *world = couCreateWorld(&world_def, &faults);
    couBodyId tank = add_body(world, make_tank(0.4f, 0.8f, 1.0f, 0.2f, true), at(0, 0.4f, 0), 0);
    couFluidDef def = couDefaultFluidDef();
    def.material = add_liquid(world, 1000, 0.001f), def.shape = make_box(0.4f, 0.6f, 1.0f);
    def.pose.position.y = 0.3f, def.start = start;
    assert_true(couWorld_AddFluid(world, &def, &faults) > 0);
    assert_true(couWorld_Prepare(world, &faults));
    double weight = 1000 * 0.4 * 0.6 * 9.81, sum = 0.0;
    for (int k = 0; k < 20; ++k) {
        couWorld_Advance(world, 0.005);
        sum += pow(-(double)couWorld_BodyForce(world, tank).y / weight - 1.0, 2);
    }
    couShape_Release(def.shape);
    couDestroyWorld(world);
    return sqrt(sum / 20);
}

static void test_start_at_rest(void **context)
{
    (void)context;
    static const char *const methods[] = {"wcsph", "sesph", "pvfs"};
    for (int m = 0; m < COU_COUNT(methods); ++m) {
        double before = measure_ringing(methods[m], cou_fluidStartFree), after = measure_ringing(methods[m], cou_fluidStartRest);
        if (!(before > 0.15 && after < 0.6 * before))
            fail_msg("%s: the load is off by %g of the weight, at rest by %g", methods[m], before, after);
    }
    double solver = measure_ringing("dfsph", cou_fluidStartRest);
    CHECK_RANGE(solver, 0, 0.1, 0);
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
        cmocka_unit_test(test_round_glass),
        cmocka_unit_test(test_box_stays_lattice),
        cmocka_unit_test(test_start_at_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
