// Bodies and particles: nothing passes a wall, walls push back with what they are pushed, friction and stickiness do what they
// say.
// COU_LONG_TESTS=1 runs the containers for ten seconds.
#include "testing.h"

static bool is_long_run(void) { return getenv("COU_LONG_TESTS") != NULL; }

static void run(couWorld *world, double seconds)
{
    for (double end = couWorld_Time(world) + seconds; couWorld_Time(world) < end - 1e-9;) {
        couStepReport report = couWorld_Advance(world, fmin(1.0 / 30, end - couWorld_Time(world)));
        CHECK_HEALTHY(&report);
    }
}

// --- Nothing passes ----------------------------------------------------------------------------------------------------------

static size_t count_outside(const couWorld *world, couVec3 half)
{
    couParticleView view = couWorld_Particles(world);
    size_t outside = 0;
    for (size_t i = 0; i < view.count; ++i) {
        couVec4 x = view.position[i];
        bool is_inside = fabsf(x.x) <= half.x && fabsf(x.y) <= half.y && (world->def.dimension == 2 || fabsf(x.z) <= half.z);
        if (!is_inside && outside++ < 3) print_error("particle %u is at (%g, %g, %g)\n", view.id[i], x.x, x.y, x.z);
    }
    return outside;
}

// A closed box with walls 0.1 h thin, half full; a jet of 20 m/s inside, or a block thrown with that speed.
static void check_container(int dimension, float step, bool has_jet, double seconds)
{
    couWorld *world = make_world(dimension, 0.02f, EARTH, 2);
    if (step > 0) pvfs_params(world)->step = step;
    float h = couWorld_SupportRadius(world);
    couMaterialId water = add_liquid(world, 1000, 0.001f);
    couVec3 size = {0.5f, 0.4f, 0.3f};
    add_body(world, make_tank(size.x, size.y, size.z, 0.1f * h, false), COU_POSE_IDENTITY, 0);
    add_fluid(world, water, make_box(size.x, 0.1f, size.z), at(0, -0.15f, 0), NO_GRAVITY);
    couEmitterDef jet = couDefaultEmitterDef();
    jet.material = water, jet.shape = make_disk(0.04f), jet.pose = turned(-0.1f, 0.05f, 0, -1.9f), jet.speed = 20,
    jet.stop = 0.06f;
    if (has_jet)
        add_emitter(world, &jet);
    else
        couShape_Release(jet.shape);
    if (!has_jet)
        add_fluid(world, water, make_box(0.2f, 0.2f, 0.2f), at(-0.1f, 0.05f, 0), (couVec3){18.5f, -6, dimension == 3 ? 4 : 0});
    for (int frame = 0; frame < lround(30 * seconds); ++frame) {
        run(world, 1.0 / 30);
        CHECK_NEAR((double)count_outside(world, couScale(0.5f, size)), 0, 0, frame);
    }
    couDestroyWorld(world);
}

static void test_containers(void **context)
{
    (void)context;
    double seconds = is_long_run() ? 10 : 0.4;
    for (int dimension = 2; dimension <= 3; ++dimension) {
        check_container(dimension, 0, true, seconds);
        check_container(dimension, 0, false, seconds);
    }
}

// With one step per frame a particle of 20 m/s would cross the box in one step.
static void test_containers_with_large_steps(void **context)
{
    (void)context;
    for (int dimension = 2; dimension <= 3; ++dimension) check_container(dimension, 1.0f / 30, false, is_long_run() ? 10 : 3);
}

// Nor does a jet put particles behind a wall that stands closer than it flies in a step.
static void test_jets_begin_on_their_side(void **context)
{
    (void)context;
    for (int dimension = 2; dimension <= 3; ++dimension) check_container(dimension, 1.0f / 30, true, is_long_run() ? 10 : 3);
}

// Single particles thrown about in closed boxes of separate thin plates, which meet in corners.
static void test_bullets(void **context)
{
    (void)context;
    for (int dimension = 2; dimension <= 3; ++dimension) {
        couWorld *world = make_world(dimension, 0.02f, NO_GRAVITY, 1);
        couMaterialId water = add_liquid(world, 1000, 0);
        const float thin = 0.004f, half = 0.2f, long_side = 2 * (half + thin);
        for (int side = -1; side <= 1; side += 2) {
            float place = (float)side * (half + 0.5f * thin);
            add_body(world, make_box(thin, long_side, long_side), at(place, 0, 0), 0);
            add_body(world, make_box(long_side, thin, long_side), at(0, place, 0), 0);
            if (dimension == 3) add_body(world, make_box(long_side, long_side, thin), at(0, 0, place), 0);
        }
        couFaults faults = {0};
        couRandom random = {couMix64(99)};
        for (int k = 0; k < 300; ++k) {
            couVec3 x = {0.17f * couRandomSigned(&random), 0.17f * couRandomSigned(&random), 0.17f * couRandomSigned(&random)};
            couVec3 v = {50 * couRandomSigned(&random), 50 * couRandomSigned(&random), 50 * couRandomSigned(&random)};
            if (k % 3 == 0) v = couScale(100 / couLength(v), v); // 5 m in a step of 0.05 s
            assert_true(couWorld_AddParticles(world, water, &x, &v, 1, &faults));
        }
        for (int step = 0; step < 100; ++step) {
            couParticleView view = couWorld_Particles(world);
            for (size_t i = 0; i < view.count; ++i) { // keep them going
                couVec4 *v = &couFluid_Velocity(&world->fluid)[i];
                v->x += 20 * couRandomSigned(&random), v->y += 20 * couRandomSigned(&random);
                if (dimension == 3) v->z += 20 * couRandomSigned(&random);
            }
            couStepReport report = couWorld_Step(world, step % 2 ? 0.05f : 0.003f);
            CHECK_HEALTHY(&report);
            CHECK_NEAR((double)count_outside(world, (couVec3){half, half, half}), 0, 0, step);
        }
        couDestroyWorld(world);
    }
}

// A stack of thin sheets, the top one added last: more bodies are close to a particle than any small list holds.
static void test_many_bodies(void **context)
{
    (void)context;
    couWorld *world = make_world(3, 0.02f, EARTH, 1);
    couMaterialId water = add_liquid(world, 1000, 0.001f);
    for (int k = 0; k < 400; ++k) add_body(world, make_box(2, 0.0002f, 2), at(0, -0.0001f - 0.0002f * (float)(399 - k), 0), 0);
    add_fluid(world, water, make_box(0.1f, 0.1f, 0.1f), at(0, 0.1f, 0), NO_GRAVITY);
    for (int k = 0; k < 60; ++k) {
        couStepReport report = couWorld_Step(world, 0.003f);
        CHECK_HEALTHY(&report);
    }
    couParticleView view = couWorld_Particles(world);
    for (size_t i = 0; i < view.count; ++i) CHECK_RANGE(view.position[i].y, 0, 1, 0);
    couDestroyWorld(world);
}

// --- Moving walls ------------------------------------------------------------------------------------------------------------

static couPose sweep_right(void *context, double time)
{
    (void)context;
    return at((float)(-0.4 + 5 * time), 0, 0);
}

// A plate of 0.1 h comes along at 5 m/s: everything is ahead of it afterwards.
static void check_plate(int dimension, float step)
{
    couWorld *world = make_world(dimension, 0.02f, NO_GRAVITY, 1);
    if (step > 0) pvfs_params(world)->step = step;
    couMaterialId water = add_liquid(world, 1000, 0.001f);
    couFaults faults = {0};
    couBodyDef plate = couDefaultBodyDef();
    plate.shape = make_box(0.004f, 4, 4), plate.motion = sweep_right;
    couBodyId body = couWorld_AddBody(world, &plate, &faults);
    couShape_Release(plate.shape);
    add_fluid(world, water, make_box(0.2f, 0.2f, 0.2f), at(0, 0, 0), NO_GRAVITY);
    for (int frame = 0; frame < 9; ++frame) {
        run(world, 1.0 / 30);
        float x = couWorld_BodyPose(world, body).position.x + 0.002f;
        couParticleView view = couWorld_Particles(world);
        for (size_t i = 0; i < view.count; ++i)
            if (view.position[i].x < x)
                fail_msg("particle %u at x = %g is behind the plate at %g, frame %d", view.id[i], view.position[i].x, x, frame);
    }
    CHECK_RANGE(couWorld_BodyPose(world, body).position.x, 1, 2, 0); // it has been through
    couMeasurement m = couWorld_Measure(world);
    CHECK_RANGE(m.momentum[0] / m.mass, 4.5, 15, dimension); // and has taken them along
    couDestroyWorld(world);
}

static void test_moving_plate(void **context)
{
    (void)context;
    check_plate(2, 0);
    check_plate(3, 0);
    check_plate(2, 1.0f / 30);
    check_plate(3, 1.0f / 30);
}

static couPose lift(void *context, double time)
{
    (void)context;
    return at(0, (float)(0.3 + 0.5 * time), 0);
}

// A tank that is lifted takes its water along.
static void test_lifted_tank(void **context)
{
    (void)context;
    couWorld *world = make_world(2, 0.02f, EARTH, 1);
    couMaterialId water = add_liquid(world, 1000, 0.001f);
    couFaults faults = {0};
    couBodyDef tank = couDefaultBodyDef();
    tank.shape = make_tank(0.4f, 0.6f, 0.4f, 0.005f, true), tank.motion = lift;
    couWorld_AddBody(world, &tank, &faults);
    couShape_Release(tank.shape);
    add_fluid(world, water, make_box(0.4f, 0.2f, 1), at(0, 0.1f, 0), NO_GRAVITY);
    run(world, 2);
    couMeasurement m = couWorld_Measure(world);
    CHECK_NEAR(m.center[1], 1 + 0.1, 0.02, 0);
    CHECK_NEAR(m.momentum[1] / m.mass, 0.5, 0.05, 0);
    couParticleView view = couWorld_Particles(world);
    for (size_t i = 0; i < view.count; ++i) CHECK_RANGE(view.position[i].y, 1, 1.5, 0);
    couDestroyWorld(world);
}

static void test_removed_body(void **context)
{
    (void)context;
    couWorld *world = make_world(3, 0.02f, EARTH, 1);
    couMaterialId water = add_liquid(world, 1000, 0.001f);
    couBodyId shelf = add_body(world, make_box(1, 0.02f, 1), at(0, 1, 0), 0);
    add_fluid(world, water, make_box(0.1f, 0.1f, 0.1f), at(0, 1.07f, 0), NO_GRAVITY);
    run(world, 0.1);
    assert_true(couWorld_Measure(world).center[1] > 1.01);
    couWorld_RemoveBody(world, shelf);
    run(world, 0.4);
    CHECK_AT_MOST(couWorld_Measure(world).center[1], 0.5, 0);
    couDestroyWorld(world);
}

// --- Friction and stickiness -------------------------------------------------------------------------------------------------

// Speed along a slope of 30 degrees after `seconds`, of a single particle that began at rest on it.
static double slide_speed(float friction, float dt, double seconds)
{
    couWorld *world = make_world(3, 0.02f, EARTH, 1);
    couMaterialId water = add_liquid(world, 1000, 0);
    add_body(world, make_plane(0.5f, sqrtf(0.75f), 0), COU_POSE_IDENTITY, friction);
    couVec3 x = {0.5f * 0.01f, sqrtf(0.75f) * 0.01f, 0};
    couFaults faults = {0};
    assert_true(couWorld_AddParticles(world, water, &x, NULL, 1, &faults));
    for (int k = 0; k < lround(seconds / dt); ++k) couWorld_Step(world, dt);
    couVec4 v = couWorld_Particles(world).velocity[0];
    double along = v.x * sqrt(0.75) - v.y * 0.5, across = v.x * 0.5 + v.y * sqrt(0.75);
    CHECK_NEAR(across, 0, 0.02, 0); // it does not leave the slope
    couDestroyWorld(world);
    return along;
}

static void test_friction(void **context)
{
    (void)context;
    static const float steps[] = {0.001f, 0.004f, 0.01f};
    for (int s = 0; s < COU_COUNT(steps); ++s) {
        CHECK_NEAR(slide_speed(0, steps[s], 0.5) / (0.5 * 9.81 * 0.5), 1, 0.02, s);
        CHECK_NEAR(slide_speed(1, steps[s], 0.5), 0, 1e-4, s);
        // Half of the sliding is lost in 1/30 s, so the speed settles where gravity makes up for it, whatever the step.
        double lost = 1 - pow(0.5, 30.0 * steps[s]);
        CHECK_NEAR(slide_speed(0.5f, steps[s], 1.0) / (0.5 * 9.81 * steps[s] * (1 - lost) / lost), 1, 0.03, s);
    }
}

// Water on a slope: runs off, or stays as a layer where it cannot slip.
static void test_friction_of_a_block(void **context)
{
    (void)context;
    double moved[2];
    for (int k = 0; k < 2; ++k) {
        couWorld *world = make_world(2, 0.02f, EARTH, 1);
        couMaterialId honey = add_liquid(world, 1000, 20);
        add_body(world, make_plane(0.5f, sqrtf(0.75f), 0), COU_POSE_IDENTITY, (float)k);
        add_fluid(world, honey, make_box(0.2f, 0.06f, 1), turned(0.5f * 0.03f, sqrtf(0.75f) * 0.03f, 0, -(float)COU_PI / 6),
                  NO_GRAVITY);
        couMeasurement before = couWorld_Measure(world);
        run(world, 0.4);
        couMeasurement after = couWorld_Measure(world);
        moved[k] = hypot(after.center[0] - before.center[0], after.center[1] - before.center[1]);
        couDestroyWorld(world);
    }
    CHECK_NEAR(moved[0], 0.5 * 9.81 * 0.5 * 0.16, 0.06, 0);
    CHECK_AT_MOST(moved[1], 0.25 * moved[0], 0);
}

// [Clavet 2005, eq. 12]: a pull of k d (1 - d/d_stick) towards the surface, nothing beyond d_stick.
static void test_stickiness(void **context)
{
    (void)context;
    const float radius = 0.01f, reach = 0.03f, k_stick = 200, dt = 0.002f; // particles touch at half a spacing
    for (float d = 0.003f; d < 0.05f; d += 0.004f) {
        couWorld *world = make_world(3, 0.02f, NO_GRAVITY, 1);
        pvfs_params(world)->walls = cou_wallClamp;
        couMaterialId water = add_liquid(world, 1000, 0);
        couFaults faults = {0};
        couBodyDef ceiling = couDefaultBodyDef();
        ceiling.shape = make_plane(0, -1, 0), ceiling.stickiness = k_stick, ceiling.stick_distance = reach;
        couBodyId body = couWorld_AddBody(world, &ceiling, &faults);
        couShape_Release(ceiling.shape);
        couVec3 x = {0, -(radius + d), 0};
        assert_true(couWorld_AddParticles(world, water, &x, NULL, 1, &faults));
        couWorld_Step(world, dt);
        double expected = d < reach ? dt * k_stick * d * (1 - d / reach) : 0;
        CHECK_NEAR(couWorld_Particles(world).velocity[0].y, expected, 1e-4, 0);
        // The ceiling is pulled down by as much.
        CHECK_NEAR(couWorld_BodyForce(world, body).y, -expected / dt * couWorld_ParticleMass(world, 0), 1e-5, 0);
        couDestroyWorld(world);
    }
}

static void test_sticky_ceiling_holds_a_film(void **context)
{
    (void)context;
    double lowest[2];
    for (int k = 0; k < 2; ++k) {
        couWorld *world = make_world(2, 0.02f, EARTH, 1);
        pvfs_params(world)->walls = cou_wallClamp; // the density of walls holds a film by itself
        couMaterialId water = add_liquid(world, 1000, 0.1f);
        couFaults faults = {0};
        couBodyDef ceiling = couDefaultBodyDef();
        ceiling.shape = make_plane(0, -1, 0), ceiling.stickiness = k ? 5e4f : 0, ceiling.friction = 1;
        couWorld_AddBody(world, &ceiling, &faults);
        couShape_Release(ceiling.shape);
        add_fluid(world, water, make_box(0.6f, 0.02f, 1), at(0, -0.011f, 0), NO_GRAVITY);
        run(world, 0.5);
        lowest[k] = couWorld_Measure(world).center[1];
        couDestroyWorld(world);
    }
    CHECK_AT_MOST(lowest[0], -0.8, 0);   // falls
    CHECK_RANGE(lowest[1], -0.05, 0, 0); // hangs on
}

// --- Forces ------------------------------------------------------------------------------------------------------------------

// The force on a tank is the weight of what it holds.
static void check_weight(int dimension)
{
    couWorld *world = make_world(dimension, 0.02f, EARTH, 2);
    couMaterialId water = add_liquid(world, 1000, 0.05f);
    float thick = 0.05f, wide = dimension == 3 ? 0.2f : 0.4f;
    couBodyId tank = add_body(world, make_tank(wide, 0.5f, 0.2f, thick, true), at(0, 0.25f, 0), 0);
    add_fluid(world, water, make_box(wide, 0.2f, 0.2f), at(0, 0.1f, 0), NO_GRAVITY);
    run(world, 2);
    double mean[3] = {0};
    enum { FRAMES = 45 };
    for (int k = 0; k < FRAMES; ++k) {
        run(world, 1.0 / 30);
        couVec3 f = couWorld_BodyForce(world, tank);
        mean[0] += f.x / FRAMES, mean[1] += f.y / FRAMES, mean[2] += f.z / FRAMES;
    }
    double weight = couWorld_Measure(world).mass * 9.81;
    CHECK_NEAR(mean[1] / weight, -1, 0.01, dimension);
    CHECK_NEAR(mean[0] / weight, 0, 0.02, dimension);
    CHECK_NEAR(mean[2] / weight, 0, 0.02, dimension);
    couDestroyWorld(world);
}

static void test_weight(void **context)
{
    (void)context;
    check_weight(2);
    check_weight(3);
}

// --- Thin plates -------------------------------------------------------------------------------------------------------------

typedef struct Level {
    double height;      // of the surface
    double first_layer; // particles within one spacing of the plate, per height and spacing
    double leaked;      // particles on the other side
} Level;

// Water 0.2 m deep between a far wall and a divider at x = 0; on its right too when asked for.
static Level settle(float thickness, bool has_both, int seed)
{
    const float d = 0.01f, width = 0.25f, depth = 0.2f;
    couFaults faults = {0};
    couWorldDef def = couDefaultWorldDef();
    def.dimension = 2, def.spacing = d, def.threads = 2, def.seed = seed, def.depth = depth;
    couWorld *world = couCreateWorld(&def, &faults);
    couMaterialId water = add_liquid(world, 1000, 0.02f);
    add_body(world, make_plane(0, 1, 0), COU_POSE_IDENTITY, 0);
    add_body(world, make_plane(1, 0, 0), at(-width, 0, 0), 0);
    add_body(world, make_plane(-1, 0, 0), at(width + thickness, 0, 0), 0);
    add_body(world, make_box(thickness, 1, 1), at(0.5f * thickness, 0.5f, 0), 0); // its left face at x = 0
    add_fluid(world, water, make_box(width, depth, 1), at(-0.5f * width, 0.5f * depth, 0), NO_GRAVITY);
    size_t own = couWorld_Particles(world).count; // ids below are of the left
    if (has_both) add_fluid(world, water, make_box(width, depth, 1), at(thickness + 0.5f * width, 0.5f * depth, 0), NO_GRAVITY);
    run(world, is_long_run() ? 6 : 2);
    Level level = {0};
    enum { FRAMES = 20 };
    for (int k = 0; k < FRAMES; ++k) {
        run(world, 1.0 / 30);
        couParticleView view = couWorld_Particles(world);
        double sum = 0;
        int first = 0;
        for (size_t i = 0; i < view.count; ++i) {
            bool is_left = view.position[i].x < 0.5f * thickness;
            if (view.id[i] < own) sum += view.position[i].y;
            level.leaked += (view.id[i] < own) != is_left;
            first += is_left && view.position[i].x > -d && view.position[i].y < 0.8f * depth;
        }
        level.height += 2 * sum / (double)own / FRAMES;
        level.first_layer += first / (0.8 * depth / d) / FRAMES;
    }
    couDestroyWorld(world);
    return level;
}

static void test_thin_plates(void **context)
{
    (void)context;
    Level thick = settle(0.2f, false, 1), one = settle(0.0025f, false, 1), both = settle(0.0025f, true, 1);
    CHECK_NEAR(thick.leaked + one.leaked + both.leaked, 0, 0, 1);
    CHECK_NEAR(thick.height / 0.2, 1, 0.025, 1);
    CHECK_NEAR(one.height / thick.height, 1, 0.01, 1);
    CHECK_NEAR(both.height / thick.height, 1, 0.01, 1);
    CHECK_NEAR(thick.first_layer, 1, 0.1, 1);
    CHECK_NEAR(one.first_layer / thick.first_layer, 1, 0.05, 1);
    CHECK_NEAR(both.first_layer / thick.first_layer, 1, 0.05, 1);
}

// Particles on the two sides of a plate do not know of each other.
static void test_pairs_through_a_plate(void **context)
{
    (void)context;
    for (int dimension = 2; dimension <= 3; ++dimension) {
        couWorld *world = make_world(dimension, 0.02f, NO_GRAVITY, 1);
        add_liquid(world, 1000, 0.001f);
        add_body(world, make_box(0.002f, 0.2f, 1), COU_POSE_IDENTITY, 0); // short: one can look around its ends
        add_cloud(world, 600, 0.3f, 0.003f, 1, 0, 17);
        prepare_world(world);
        find_pairs(world);
        const couFluid *fluid = &world->fluid;
        const couVec4 *x = couFluid_Position(fluid);
        size_t through = 0, around = 0;
        for (size_t i = 0; i < fluid->table.count; ++i)
            for (size_t j = 0; j < fluid->table.count; ++j) {
                couVec3 a = couXyz(x[i]), b = couXyz(x[j]);
                if (i == j || couLength(couSub(a, b)) >= 0.999f * fluid->h || fabsf(a.x) < 0.0011f || fabsf(b.x) < 0.0011f)
                    continue;
                bool is_pair = false;
                for (int k = 0; k < fluid->neighbors.count[i]; ++k) is_pair |= fluid->neighbors.first[i][k] == j;
                // Where the segment crosses the plate's faces.
                bool is_across = (a.x < 0) != (b.x < 0);
                float t = is_across ? a.x / (a.x - b.x) : 0, y = a.y + t * (b.y - a.y);
                if (is_across && fabsf(fabsf(y) - 0.1f) < 0.01f) continue; // near an end: either
                bool is_hidden = is_across && fabsf(y) < 0.1f;
                if (is_pair == is_hidden)
                    fail_msg("%dD: pair at (%g, %g) and (%g, %g): expected %d, got %d", dimension, a.x, a.y, b.x, b.y, !is_hidden,
                             is_pair);
                through += is_hidden, around += is_across && !is_hidden;
            }
        assert_true(through > 20 && around > 5);
        couDestroyWorld(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_containers),
        cmocka_unit_test(test_containers_with_large_steps),
        cmocka_unit_test(test_jets_begin_on_their_side),
        cmocka_unit_test(test_bullets),
        cmocka_unit_test(test_many_bodies),
        cmocka_unit_test(test_moving_plate),
        cmocka_unit_test(test_lifted_tank),
        cmocka_unit_test(test_removed_body),
        cmocka_unit_test(test_friction),
        cmocka_unit_test(test_friction_of_a_block),
        cmocka_unit_test(test_stickiness),
        cmocka_unit_test(test_sticky_ceiling_holds_a_film),
        cmocka_unit_test(test_weight),
        cmocka_unit_test(test_thin_plates),
        cmocka_unit_test(test_pairs_through_a_plate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
