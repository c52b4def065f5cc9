// Volumes filled with particles: how many are expected, and what thousands of small ones cost.
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_estimate),
        cmocka_unit_test(test_thin_shape_below_the_limit),
        cmocka_unit_test(test_many_small_volumes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
