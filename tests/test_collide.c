// Particles that bounce off bodies: the speed that they leave with, off walls that stand and walls that move, and what the wall
// feels.
#include "sph_test.h"

static const char *const methods[] = {"pvfs", "mueller", "sesph", "wcsph", "pcisph", "iisph", "dfsph"};

// A world whose lone particles feel no walls but by collisions: those of pvfs press and pull through their own density as well,
// damping and tension of SPH reach out for them.
static couWorld *make_bare_world(const char *method, couVec3 gravity)
{
    couWorld *world = make_sph_world(method, 3, 0.02f, gravity);
    if (strcmp(method, "pvfs") == 0)
        pvfs_params(world)->k = 1e-6f, pvfs_params(world)->k_near = 0;
    else
        sph_params(world)->damping = 0, sph_params(world)->tension = cou_tensionNone;
    return world;
}

static couBodyId add_bouncy(couWorld *world, couShape *shape, couPose pose, float bounce)
{
    couFaults faults = {0};
    couBodyDef def = couDefaultBodyDef();
    def.shape = shape, def.pose = pose, def.bounce = bounce;
    couBodyId body = couWorld_AddBody(world, &def, &faults);
    CHECK_NO_FAULTS(&faults);
    couShape_Release(shape);
    return body;
}

static void throw(couWorld * world, couVec3 from, couVec3 velocity)
{
    couFaults faults = {0};
    couMaterialId water = add_liquid(world, 1000, 0.001f);
    assert_true(couWorld_AddParticles(world, water, &from, &velocity, 1, &faults));
    CHECK_NO_FAULTS(&faults);
}

static void test_a_wall_throws_back(void **context)
{
    (void)context;
    static const float bounces[] = {0, 0.5f, 1};
    for (int m = 0; m < COU_COUNT(methods); ++m) {
        for (int k = 0; k < 3; ++k) {
            couWorld *world = make_bare_world(methods[m], NO_GRAVITY);
            add_bouncy(world, make_plane(0, 1, 0), COU_POSE_IDENTITY, bounces[k]);
            throw(world, (couVec3){0, 0.0613f, 0}, (couVec3){0.3f, -2, 0});
            for (int step = 0; step < 60; ++step) {
                couWorld_Step(world, 0.001f);
                assert_true(couWorld_Particles(world).position[0].y > 0);
            }
            couVec4 v = couWorld_Particles(world).velocity[0];
            CHECK_NEAR((double)v.y, 2 * (double)bounces[k], 0.02, m);
            CHECK_NEAR((double)v.x, 0.3, 0.003, m);
            couDestroyWorld(world);
        }
    }
}

static couPose rising(void *context, double time)
{
    (void)context;
    return (couPose){{0, (float)(0.5 * time), 0}, {0, 0, 0, 1}};
}

// A wall that comes with 0.5 m/s: from -1.5 + bounce of the 2 m/s between them.
static void test_a_moving_wall_gives_its_speed(void **context)
{
    (void)context;
    couWorld *world = make_bare_world("pvfs", NO_GRAVITY);
    couFaults faults = {0};
    couBodyDef def = couDefaultBodyDef();
    def.shape = make_plane(0, 1, 0), def.motion = rising, def.bounce = 0.6f;
    couWorld_AddBody(world, &def, &faults);
    CHECK_NO_FAULTS(&faults);
    couShape_Release(def.shape);
    throw(world, (couVec3){0, 0.08f, 0}, (couVec3){0, -1.5f, 0});
    for (int step = 0; step < 100; ++step) couWorld_Step(world, 0.001f);
    CHECK_NEAR((double)couWorld_Particles(world).velocity[0].y, 0.5 + 0.6 * 2, 0.02, 0);
    couDestroyWorld(world);
}

// A drop on a floor hops lower and lower, by the square of its bounce.
static void test_hops_become_lower(void **context)
{
    (void)context;
    for (int m = 0; m < 2; ++m) {
        couWorld *world = make_bare_world(m ? "mueller" : "pvfs", EARTH);
        add_bouncy(world, make_plane(0, 1, 0), COU_POSE_IDENTITY, 0.7f);
        throw(world, (couVec3){0, 0.4f, 0}, NO_GRAVITY);
        double apex = 0.4, top = 0, before = 0.4, rest = 0.02 * (double)world->fluid.method->contact_radius;
        int hops = 0;
        bool is_rising = false;
        for (int step = 0; step < 4000 && hops < 3; ++step) {
            couWorld_Step(world, 0.0005f);
            double y = couWorld_Particles(world).position[0].y;
            top = fmax(top, is_rising ? y : 0);
            if (is_rising && y < before) {
                CHECK_NEAR((top - rest) / (apex - rest), 0.49, 0.03, hops);
                apex = top, ++hops, is_rising = false;
            } else if (!is_rising && y > before) {
                is_rising = true, top = y;
            }
            before = y;
        }
        assert_int_equal(hops, 3);
        couDestroyWorld(world);
    }
}

// The force on the wall is what the particles have lost and got.
static void test_the_wall_feels_it(void **context)
{
    (void)context;
    for (int k = 0; k < 2; ++k) {
        couWorld *world = make_bare_world(k ? "dfsph" : "pvfs", NO_GRAVITY);
        couBodyId floor = add_bouncy(world, make_plane(0, 1, 0), COU_POSE_IDENTITY, 0.8f);
        throw(world, (couVec3){0, 0.05f, 0}, (couVec3){0, -1, 0});
        double impulse = 0;
        for (int step = 0; step < 100; ++step) {
            couWorld_Step(world, 0.001f);
            impulse += 0.001 * (double)couWorld_BodyForce(world, floor).y;
        }
        double m = couWorld_ParticleMass(world, 0);
        CHECK_NEAR(impulse, -m * (1 + (double)couWorld_Particles(world).velocity[0].y), 1e-4 * m, k);
        CHECK_NEAR((double)couWorld_Particles(world).velocity[0].y, 0.8, 0.01, k);
        couDestroyWorld(world);
    }
}

static void test_bounces_out_of_range_are_faults(void **context)
{
    (void)context;
    couWorld *world = make_world(3, 0.02f, NO_GRAVITY, 1);
    static const float bad[] = {-0.1f, 1.1f, NAN};
    for (int k = 0; k < 3; ++k) {
        couFaults faults = {0};
        couBodyDef def = couDefaultBodyDef();
        def.shape = make_plane(0, 1, 0), def.bounce = bad[k];
        assert_int_equal(couWorld_AddBody(world, &def, &faults).index1, 0);
        CHECK_FAULT(&faults, "body.bounce", NULL);
        couShape_Release(def.shape);
    }
    couFaults faults = {0};
    couBodyDef def = couDefaultBodyDef();
    def.shape = make_sphere(0.1f), def.bounce = 0.5f, def.is_dynamic = true;
    assert_int_equal(couWorld_AddBody(world, &def, &faults).index1, 0);
    CHECK_FAULT(&faults, "body.bounce", "moves freely");
    couShape_Release(def.shape);
    couDestroyWorld(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_wall_throws_back),
        cmocka_unit_test(test_a_moving_wall_gives_its_speed),
        cmocka_unit_test(test_hops_become_lower),
        cmocka_unit_test(test_the_wall_feels_it),
        cmocka_unit_test(test_bounces_out_of_range_are_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
