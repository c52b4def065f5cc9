// Free bodies without fluid: they fall, spin, stack, slide, roll, bounce, sleep and wake as they should.
// COU_LONG_TESTS=1 lets every stack stand for a minute.
#include "rigid_test.h"

// --- Alone -------------------------------------------------------------------------------------------------------------------

// The scheme's own parabola: velocities first, then places.
static void test_free_fall(void **context)
{
    (void)context;
    for (int dimension = 2; dimension <= 3; ++dimension) {
        couWorld *world = make_world(dimension, 0.02f, EARTH, 1);
        couBodyDef def = free_def(make_box(0.2f, 0.1f, 0.3f), turned(0.3f, 2, 0, 0.4f));
        def.velocity = (couVec3){1.5f, 3, 0}, def.spin = (couVec3){0, 0, 2};
        couBodyId body = add_def(world, def);
        enum { STEPS = 100 };
        const double dt = 0.01f;
        run_steps(world, (float)dt, STEPS * dt);
        couPose pose = couWorld_BodyPose(world, body);
        double g = 9.81f;
        CHECK_NEAR(pose.position.x, 0.3f + 1.5 * STEPS * dt, 1e-5, dimension);
        CHECK_NEAR(pose.position.y, 2 + 3 * STEPS * dt - g * dt * dt * 0.5 * STEPS * (STEPS + 1), 1e-5, dimension);
        CHECK_NEAR(couWorld_BodyVelocity(world, body).y, 3 - g * STEPS * dt, 1e-5, dimension);
        CHECK_NEAR(couWorld_BodySpin(world, body).z, 2, 1e-5, dimension);
        CHECK_NEAR(2 * atan2(pose.rotation.z, pose.rotation.w), 0.4 + 2 * STEPS * dt, 1e-4, dimension);
        couMeasurement m = couWorld_MeasureBodies(world);
        double area = 0.2 * 0.1 * (dimension == 3 ? 0.3 : 1), mass = 1000 * area;
        CHECK_NEAR(m.mass, mass, 1e-4, dimension);
        CHECK_NEAR(couWorld_BodyMass(world, body), mass, 1e-4, dimension);
        double vy = couWorld_BodyVelocity(world, body).y, inertia = mass * (0.2 * 0.2 + 0.1 * 0.1) / 12;
        CHECK_NEAR(m.kinetic_energy, 0.5 * mass * (1.5 * 1.5 + vy * vy) + 0.5 * inertia * 4, 1e-3, dimension);
        CHECK_NEAR(m.potential_energy, mass * g * pose.position.y, 1e-3, dimension);
        couDestroyWorld(world);
    }
}

// A box of three different sides tumbles; what it turns with stays. Its middle axis is not stable, so this is no steady spin.
static void test_tumbling(void **context)
{
    (void)context;
    static const float steps[] = {1.0f / 30, 1.0f / 120, 1.0f / 500};
    for (int s = 0; s < COU_COUNT(steps); ++s) {
        couWorld *world = make_world(3, 0.02f, NO_GRAVITY, 1);
        couBodyDef def = free_def(make_box(0.3f, 0.2f, 0.1f), COU_POSE_IDENTITY);
        def.spin = (couVec3){0.1f, 5, 0.3f};
        couBodyId body = add_def(world, def);
        couMeasurement before = couWorld_MeasureBodies(world);
        double lowest = 1e9, highest = -1e9;
        for (int k = 0; k < 100; ++k) {
            run_steps(world, steps[s], 0.1);
            couQuat q = couWorld_BodyPose(world, body).rotation;
            double y = couRotate(q, (couVec3){0, 1, 0}).y;
            lowest = fmin(lowest, y), highest = fmax(highest, y);
        }
        couMeasurement after = couWorld_MeasureBodies(world);
        double length2 = 0, apart2 = 0;
        for (int a = 0; a < 3; ++a) {
            double change = after.angular_momentum[a] - before.angular_momentum[a];
            length2 += before.angular_momentum[a] * before.angular_momentum[a], apart2 += change * change;
        }
        print_message("step 1/%.0f s: angular momentum changed by %.3g, energy by %.3g in 10 s\n", 1 / (double)steps[s],
                      sqrt(apart2 / length2), after.kinetic_energy / before.kinetic_energy - 1);
        CHECK_AT_MOST(sqrt(apart2 / length2), 1e-9, s);
        CHECK_NEAR(after.kinetic_energy / before.kinetic_energy, 1, 1e-4, s);
        CHECK_AT_MOST(lowest, -0.8, s); // it turns over
        CHECK_RANGE(highest, 0.8, 1, s);
        couDestroyWorld(world);
    }
}

// The centre of mass goes straight, the shape's origin circles around it.
static void test_centre_off_the_origin(void **context)
{
    (void)context;
    for (int dimension = 2; dimension <= 3; ++dimension) {
        couWorld *world = make_world(dimension, 0.02f, NO_GRAVITY, 1);
        couShape *shape = make_union(make_placed(make_sphere(0.1f), at(0.3f, 0, 0)),
                                     make_placed(make_sphere(0.1f), at(0.7f, 0, 0)));
        couBodyDef def = free_def(shape, at(1, 2, 0));
        def.velocity = (couVec3){1, 0, 0}, def.spin = (couVec3){0, 0, (float)COU_PI};
        couBodyId body = add_def(world, def);
        CHECK_NEAR(couWorld_BodyCenter(world, body).x, 1.5, 1e-3, dimension);
        run_steps(world, 0.005f, 1);
        couVec3 center = couWorld_BodyCenter(world, body);
        CHECK_NEAR(center.x, 2.5, 1e-3, dimension);
        CHECK_NEAR(center.y, 2, 1e-3, dimension);
        couPose pose = couWorld_BodyPose(world, body); // half a turn
        CHECK_NEAR(pose.position.x, 3, 2e-3, dimension);
        CHECK_NEAR(pose.position.y, 2, 2e-3, dimension);
        CHECK_NEAR(couWorld_BodyVelocity(world, body).x, 1, 1e-6, dimension);
        // A push through the centre does not turn it, one at an arm does, by formula.
        couWorld_SetBodyVelocity(world, body, NO_GRAVITY, NO_SPIN);
        couWorld_PushBody(world, body, (couVec3){0, 3, 0}, center);
        CHECK_NEAR(couWorld_BodySpin(world, body).z, 0, 1e-4, dimension);
        CHECK_NEAR(couWorld_BodyVelocity(world, body).y, 3 / couWorld_BodyMass(world, body), 1e-5, dimension);
        couWorld_SetBodyVelocity(world, body, NO_GRAVITY, NO_SPIN);
        couWorld_PushBody(world, body, (couVec3){0, 3, 0}, (couVec3){center.x + 0.2f, center.y, center.z});
        double ball = 0.5 * couWorld_BodyMass(world, body), own = dimension == 3 ? 0.4 : 0.5;
        double inertia = 2 * ball * (0.2 * 0.2 + own * 0.1 * 0.1);
        CHECK_NEAR(couWorld_BodySpin(world, body).z, 3 * 0.2 / inertia, 0.01 * 3 * 0.2 / inertia, dimension);
        couDestroyWorld(world);
    }
}

// --- Stacks ------------------------------------------------------------------------------------------------------------------

typedef struct Stack {
    int dimension;
    float dt;
    bool is_mesh;
    bool is_varied; // sizes differ a little
} Stack;

enum { STACKED = 5 };

static couWorld *make_stack(Stack stack, couBodyId bodies[STACKED])
{
    couWorld *world = make_world(stack.dimension, 0.05f, EARTH, 1);
    add_body(world, make_plane(0, 1, 0), COU_POSE_IDENTITY, 0);
    float top = 0;
    for (int k = 0; k < STACKED; ++k) {
        float size = stack.is_varied ? 0.2f - 0.003f * (float)((7 * k) % 5) : 0.2f;
        couShape *shape = stack.is_mesh ? make_box_mesh(size, size, size, 0.01f) : make_box(size, size, size);
        bodies[k] = add_free(world, shape, at(0, top + 0.5f * size + 1e-4f, 0));
        top += size + 1e-4f;
    }
    return world;
}

// Stands a minute, drifts less than 1 mm per metre of its height, and sleeps.
static void check_stack(Stack stack)
{
    couBodyId bodies[STACKED];
    couWorld *world = make_stack(stack, bodies);
    couVec3 start[STACKED];
    for (int k = 0; k < STACKED; ++k) start[k] = couWorld_BodyPose(world, bodies[k]).position;
    run_steps(world, stack.dt, is_long_run() ? 60 : fmin(60, 1800 * (double)stack.dt));
    double most = 0;
    bool is_asleep = true;
    for (int k = 0; k < STACKED; ++k) {
        couVec3 x = couWorld_BodyPose(world, bodies[k]).position;
        most = fmax(most, couLength(couSub(x, start[k])));
        is_asleep = is_asleep && couWorld_IsBodyAsleep(world, bodies[k]);
    }
    print_message("stack of %s%s in %dD, step 1/%.0f s: drifts %.2g m, %s\n", stack.is_mesh ? "meshes" : "boxes",
                  stack.is_varied ? " that differ" : "", stack.dimension, 1 / (double)stack.dt, most,
                  is_asleep ? "asleep" : "awake");
    CHECK_AT_MOST(most, 1e-3, stack.dimension);
    assert_true(is_asleep);
    couDestroyWorld(world);
}

static void test_stacks(void **context)
{
    (void)context;
    static const float steps[] = {1.0f / 30, 1.0f / 120, 1.0f / 500};
    for (int s = 0; s < COU_COUNT(steps); ++s)
        for (int dimension = 2; dimension <= 3; ++dimension) {
            check_stack((Stack){dimension, steps[s], false, false});
            check_stack((Stack){dimension, steps[s], false, true});
        }
    check_stack((Stack){3, 1.0f / 30, true, false});
    check_stack((Stack){3, 1.0f / 120, true, true});
}

// The same stack held awake all the time: drift is not only stopped by sleep.
static void test_stack_that_never_sleeps(void **context)
{
    (void)context;
    couBodyId bodies[STACKED];
    couWorld *world = make_stack((Stack){.dimension = 3}, bodies);
    for (int k = 0; k < (is_long_run() ? 300 : 40); ++k) {
        run_steps(world, 1.0f / 60, 0.2);
        couWakeBodies(&world->bodies);
    }
    for (int k = 0; k < STACKED; ++k) {
        couVec3 x = couWorld_BodyPose(world, bodies[k]).position;
        assert_false(couWorld_IsBodyAsleep(world, bodies[k]));
        CHECK_NEAR(hypot(x.x, x.z), 0, 1e-3, k);
        CHECK_NEAR(x.y, 0.1 + 0.2 * k, 1e-3, k);
    }
    couDestroyWorld(world);
}

static couPose come_from_left(void *context, double time)
{
    const double *start = context;
    return at((float)fmin(-1 + fmax(time - *start, 0), -0.05), 0.5f, 0);
}

// Hit by a ball, pushed by a driven body, robbed of its lowest box, or only told so: each wakes it.
static void test_waking(void **context)
{
    (void)context;
    enum { BALL, DRIVEN, ROBBED, PUSHED, SET, CASES };
    for (int what = 0; what < CASES; ++what) {
        couBodyId bodies[STACKED], ball = {0};
        couWorld *world = make_stack((Stack){.dimension = 3}, bodies);
        double start = 3;
        if (what == DRIVEN) add_driven(world, make_box(0.1f, 0.1f, 0.1f), come_from_left, &start);
        run_steps(world, 1.0f / 60, 3);
        for (int k = 0; k < STACKED; ++k) assert_true(couWorld_IsBodyAsleep(world, bodies[k]));
        if (what == BALL) {
            couBodyDef def = free_def(make_sphere(0.1f), at(-1, 0.5f, 0));
            def.velocity = (couVec3){4, 1, 0};
            ball = add_def(world, def); // adding wakes everything
            run_steps(world, 1.0f / 60, 0.1);
        }
        if (what == ROBBED) couWorld_RemoveBody(world, bodies[0]);
        if (what == PUSHED) couWorld_PushBody(world, bodies[4], (couVec3){8, 0, 0}, (couVec3){0, 0.95f, 0});
        if (what == SET) couWorld_SetBodyVelocity(world, bodies[4], (couVec3){1, 0, 0}, NO_SPIN);
        double shift = 0;
        for (int k = 0; k < 60; ++k) {
            run_steps(world, 1.0f / 30, 1.0 / 30);
            for (int b = 1; b < STACKED; ++b) {
                couVec3 x = couWorld_BodyPose(world, bodies[b]).position;
                shift = fmax(shift, fmax(fabs(x.x), fabs(x.y - 0.1 - 0.2 * b)));
            }
        }
        if (!(shift > 0.03)) fail_msg("case %d: expected the stack to move, it moved by %g m", what, shift);
        if (what == ROBBED)
            for (int b = 1; b < STACKED; ++b) CHECK_NEAR(couWorld_BodyPose(world, bodies[b]).position.y, 0.2 * b - 0.1, 2e-3, b);
        (void)ball;
        couDestroyWorld(world);
    }
}

// Of two stacks far from each other only the one that is hit wakes.
static void test_others_sleep_on(void **context)
{
    (void)context;
    couWorld *world = make_world(3, 0.05f, EARTH, 1);
    add_body(world, make_plane(0, 1, 0), COU_POSE_IDENTITY, 0);
    couBodyId near = add_free(world, make_box(0.2f, 0.2f, 0.2f), at(0, 0.1f, 0));
    couBodyId far = add_free(world, make_box(0.2f, 0.2f, 0.2f), at(3, 0.1f, 0));
    couBodyDef def = free_def(make_sphere(0.1f), at(0, 25, 0)); // falls for 2.2 s
    couBodyId ball = add_def(world, def);
    run_steps(world, 1.0f / 60, 2);
    assert_true(couWorld_IsBodyAsleep(world, near) && couWorld_IsBodyAsleep(world, far));
    assert_false(couWorld_IsBodyAsleep(world, ball));
    bool has_woken = false;
    for (int k = 0; k < 30; ++k) {
        run_steps(world, 1.0f / 60, 1.0 / 60);
        has_woken |= !couWorld_IsBodyAsleep(world, near);
        assert_true(couWorld_IsBodyAsleep(world, far));
    }
    assert_true(has_woken);
    couDestroyWorld(world);
}

// --- Slopes ------------------------------------------------------------------------------------------------------------------

// What is held goes in substeps of at most 1/240 s; symplectic Euler goes t (t + dt) / 2 times the acceleration.
static double euler_path(double seconds, double dt) { return 0.5 * seconds * (seconds + dt / ceil(240 * dt - 1e-3)); }

// Distance along a slope that falls to +x after `seconds`, of something that began at rest on it.
static double slide(couShape *shape, float lift, float degrees, float friction, float dt, double seconds, double *spin)
{
    couWorld *world = make_world(3, 0.05f, EARTH, 1);
    float s = sinf(degrees * DEGREE), c = cosf(degrees * DEGREE);
    couBodyDef slope = couDefaultBodyDef();
    slope.shape = make_plane(s, c, 0), slope.contact_friction = friction;
    add_def(world, slope);
    couBodyDef def = free_def(shape, turned(s * lift, c * lift, 0, -degrees * DEGREE));
    def.contact_friction = friction;
    couBodyId body = add_def(world, def);
    run_steps(world, dt, seconds);
    couVec3 x = couWorld_BodyCenter(world, body);
    if (spin) *spin = couLength(couWorld_BodySpin(world, body));
    couDestroyWorld(world);
    return hypot(x.x - s * lift, x.y - c * lift);
}

// tan 20 degrees is 0.364.
static void test_box_on_a_slope(void **context)
{
    (void)context;
    static const float steps[] = {1.0f / 30, 1.0f / 120, 1.0f / 500};
    double s = sin(20 * DEGREE), c = cos(20 * DEGREE);
    for (int k = 0; k < COU_COUNT(steps); ++k)
        for (int is_mesh = 0; is_mesh < 2; ++is_mesh) {
            const float side = 0.2f, lift = 0.5f * side - 5e-5f; // touching from the first step on
            double dt = steps[k], path = euler_path(1, dt);
            for (float friction = 0; friction < 0.35f; friction += 0.3f) {
                couShape *box = is_mesh ? make_box_mesh(side, side, side, 0.01f) : make_box(side, side, side);
                double a = slide(box, lift, 20, friction, steps[k], 1, NULL) / path;
                print_message("slope, friction %.1f, step 1/%.0f, %s: %.4f of g (sin - mu cos)\n", (double)friction, 1 / dt,
                              is_mesh ? "mesh" : "box", a / (9.81 * (s - (double)friction * c)));
                CHECK_NEAR(a / (9.81 * (s - (double)friction * c)), 1, 0.03, k);
            }
            couShape *box = is_mesh ? make_box_mesh(side, side, side, 0.01f) : make_box(side, side, side);
            CHECK_AT_MOST(slide(box, lift, 20, 0.4f, steps[k], 5, NULL), 2e-3, k);
        }
}

// A ball rolls with 5/7, a cylinder with 2/3 of what sliding would give; a thin hoop with about half.
static void test_rolling(void **context)
{
    (void)context;
    static const float steps[] = {1.0f / 60, 1.0f / 240};
    static const float angles[] = {2, 10};
    couPose lying = {{0, 0, 0}, {(float)sqrt(0.5), 0, 0, (float)sqrt(0.5)}};
    for (int k = 0; k < COU_COUNT(steps); ++k)
        for (int n = 0; n < COU_COUNT(angles); ++n) {
            double dt = steps[k], pull = 9.81 * sin(angles[n] * DEGREE), path = euler_path(1, dt), spin;
            double ball = slide(make_sphere(0.1f), 0.1f, angles[n], 0.8f, steps[k], 1, &spin) / path / pull;
            CHECK_NEAR(spin * 0.1 / (ball * pull), 1, 0.02, k);
            double roll = slide(make_placed(make_cylinder(0.1f, 0.3f), lying), 0.1f, angles[n], 0.8f, steps[k], 1, NULL);
            double cylinder = roll / path / pull;
            double hoop = slide(make_placed(make_torus(0.1f, 0.01f), lying), 0.11f, angles[n], 0.8f, steps[k], 1, NULL) / path /
                          pull;
            double r2 = 0.1 * 0.1 + 0.75 * 0.01 * 0.01;
            print_message("rolling down %.0f degrees, step 1/%.0f s: ball %.4f of 5/7, cylinder %.4f of 2/3, hoop %.4f\n",
                          (double)angles[n], 1 / dt, ball / (5.0 / 7), cylinder / (2.0 / 3), hoop * (1 + r2 / (0.11 * 0.11)));
            CHECK_NEAR(ball / (5.0 / 7), 1, 0.02, k);
            CHECK_NEAR(cylinder / (2.0 / 3), 1, 0.05, k);
            CHECK_NEAR(hoop * (1 + r2 / (0.11 * 0.11)), 1, 0.05, k);
        }
}

// --- Bounces -----------------------------------------------------------------------------------------------------------------

static double bounce_height(int dimension, float restitution, float dt)
{
    couWorld *world = make_world(dimension, 0.05f, EARTH, 1);
    add_body(world, make_plane(0, 1, 0), COU_POSE_IDENTITY, 0);
    couBodyDef def = free_def(make_sphere(0.05f), at(0, 1.05f, 0));
    def.restitution = restitution;
    couBodyId ball = add_def(world, def);
    double highest = 0;
    bool has_bounced = false;
    for (int k = 0; k < lround(1.2 / (double)dt); ++k) {
        run_steps(world, dt, dt);
        has_bounced |= couWorld_BodyVelocity(world, ball).y > 0;
        if (has_bounced) highest = fmax(highest, (double)couWorld_BodyPose(world, ball).position.y - 0.05);
    }
    couDestroyWorld(world);
    return highest;
}

static void test_bouncing(void **context)
{
    (void)context;
    static const float steps[] = {1.0f / 30, 1.0f / 120, 1.0f / 500};
    for (int dimension = 2; dimension <= 3; ++dimension)
        for (int k = 0; k < COU_COUNT(steps); ++k) {
            double half = bounce_height(dimension, 0.5f, steps[k]), none = bounce_height(dimension, 0, steps[k]);
            print_message("%dD, step 1/%.0f s: restitution 0.5 bounces to %.4f of the height, 0 to %.4f\n", dimension,
                          1 / (double)steps[k], half, none);
            // In flight the scheme lags by half a step: v dt / 2 of the height each way.
            CHECK_NEAR(half, 0.25, 0.0125 + (k == 0 ? 4.43 * steps[k] * (0.5 * 0.25 + 0.25) : 0), k);
            CHECK_AT_MOST(none, 0.01, k);
        }
}

// Head on, elastic: equal masses swap their velocities; unequal ones by formula. Plastic: they go on together.
static void test_head_on(void **context)
{
    (void)context;
    for (int is_box = 0; is_box < 2; ++is_box)
        for (int heavy = 1; heavy <= 3; heavy += 2) {
            couWorld *world = make_world(3, 0.05f, NO_GRAVITY, 1);
            couBodyId bodies[2];
            for (int k = 0; k < 2; ++k) {
                couBodyDef def = free_def(is_box ? make_box(0.2f, 0.2f, 0.2f) : make_sphere(0.1f), at(k ? 0.4f : -0.4f, 0, 0));
                def.restitution = 1, def.velocity.x = k ? -1.0f : 2.0f, def.density = k ? 1000.0f : 1000.0f * (float)heavy;
                bodies[k] = add_def(world, def);
            }
            run_steps(world, 1.0f / 120, 0.5);
            double m = heavy, v = 2, w = -1;
            CHECK_NEAR(couWorld_BodyVelocity(world, bodies[0]).x, ((m - 1) * v + 2 * w) / (m + 1), 0.01, heavy);
            CHECK_NEAR(couWorld_BodyVelocity(world, bodies[1]).x, ((1 - m) * w + 2 * m * v) / (m + 1), 0.01, heavy);
            couDestroyWorld(world);
        }
    couWorld *world = make_world(3, 0.05f, NO_GRAVITY, 1);
    couBodyDef def = free_def(make_box(0.2f, 0.2f, 0.2f), at(-0.4f, 0, 0));
    def.velocity.x = 2;
    couBodyId a = add_def(world, def), b = add_free(world, make_box(0.2f, 0.2f, 0.2f), at(0.1f, 0, 0));
    run_steps(world, 1.0f / 120, 1);
    CHECK_NEAR(couWorld_BodyVelocity(world, a).x, 1, 0.01, 0);
    CHECK_NEAR(couWorld_BodyVelocity(world, b).x, 1, 0.01, 0);
    couDestroyWorld(world);
}

// A box that lands on its equal at 4.4 m/s is in it by a tenth of its size before anybody knows; it must come to rest on top of
// it, neither thrown off nor through. So must one that is put there overlapping.
static void test_deep_overlaps(void **context)
{
    (void)context;
    enum { BOXES, CYLINDERS, MESHES, KINDS };
    for (int dimension = 2; dimension <= 3; ++dimension)
        for (int kind = 0; kind < (dimension == 3 ? KINDS : BOXES + 1); ++kind)
            for (int is_put = 0; is_put < 2; ++is_put) {
                couWorld *world = make_world(dimension, 0.05f, EARTH, 1);
                add_body(world, make_plane(0, 1, 0), COU_POSE_IDENTITY, 0);
                couBodyId bodies[2];
                for (int k = 0; k < 2; ++k) {
                    couShape *shape = kind == BOXES       ? make_box(0.2f, 0.2f, 0.2f)
                                      : kind == CYLINDERS ? make_cylinder(0.1f, 0.2f)
                                                          : make_box_mesh(0.2f, 0.2f, 0.2f, 0.01f);
                    bodies[k] = add_free(world, shape, at(0, k == 0 ? 0.1f : is_put ? 0.26f : 1.3f, 0));
                }
                double fastest = 0;
                for (int k = 0; k < 240; ++k) {
                    run_steps(world, 1.0f / 120, 1.0 / 120);
                    for (int b = 0; b < 2; ++b) fastest = fmax(fastest, couLength(couWorld_BodyVelocity(world, bodies[b])));
                }
                CHECK_AT_MOST(fastest, is_put ? 0.5 : 4.6, kind);
                couVec3 low = couWorld_BodyPose(world, bodies[0]).position, high = couWorld_BodyPose(world, bodies[1]).position;
                CHECK_NEAR(low.y, 0.1, 2e-3, kind);
                CHECK_NEAR(high.y, 0.3, 2e-3, kind);
                CHECK_NEAR(hypot(high.x, high.z), 0, 0.01, kind);
                couDestroyWorld(world);
            }
}

// A body put into the middle of another comes out, and not like a shot.
static void test_body_in_a_body(void **context)
{
    (void)context;
    for (int dimension = 2; dimension <= 3; ++dimension)
        for (int is_same = 0; is_same < 2; ++is_same) {
            couWorld *world = make_world(dimension, 0.05f, EARTH, 1);
            add_body(world, make_plane(0, 1, 0), COU_POSE_IDENTITY, 0);
            couBodyId big = add_free(world, make_box(0.3f, 0.3f, 0.3f), at(0, 0.15f, 0));
            float size = is_same ? 0.3f : 0.1f;
            couBodyId small = add_free(world, make_box(size, size, size), at(0, 0.15f, 0));
            double fastest = 0;
            for (int k = 0; k < 480; ++k) {
                run_steps(world, 1.0f / 120, 1.0 / 120);
                fastest = fmax(fastest, couLength(couWorld_BodyVelocity(world, small)));
                fastest = fmax(fastest, couLength(couWorld_BodyVelocity(world, big)));
            }
            CHECK_AT_MOST(fastest, 3, is_same);
            couVec3 apart = couSub(couWorld_BodyPose(world, small).position, couWorld_BodyPose(world, big).position);
            CHECK_RANGE(couLength(apart), 0.5 * (0.3 + (double)size) - 2e-3, 2, is_same);
            couDestroyWorld(world);
        }
}

// --- Driven and fixed --------------------------------------------------------------------------------------------------------

static couPose belt(void *context, double time)
{
    (void)context;
    return at((float)(0.5 * time), -0.1f, 0);
}

// A box on a moving floor is taken along, by no more than friction allows.
static void test_carried_along(void **context)
{
    (void)context;
    couWorld *world = make_world(3, 0.05f, EARTH, 1);
    couBodyId floor = add_driven(world, make_box(20, 0.2f, 2), belt, NULL),
              box = add_free(world, make_box(0.2f, 0.2f, 0.2f), at(0, 0.1f, 0));
    run_steps(world, 1.0f / 240, 0.05);
    CHECK_NEAR(couWorld_BodyVelocity(world, floor).x, 0.5, 1e-3, 0);
    CHECK_NEAR(couWorld_BodyVelocity(world, box).x, 0.5 * 9.81 * 0.05, 0.03, 0);
    run_steps(world, 1.0f / 240, 1.95);
    CHECK_NEAR(couWorld_BodyVelocity(world, box).x, 0.5, 0.01, 0);
    CHECK_NEAR(couWorld_BodyPose(world, box).position.y, 0.1, 1e-3, 0);
    assert_false(couWorld_IsBodyAsleep(world, box));
    couDestroyWorld(world);
}

static couPose turn_round(void *context, double time)
{
    (void)context;
    return turned(1, 1, 0, (float)(3 * time));
}

// A driven body let go flies off with its velocity and spin; the centre is off its origin.
static void test_set_dynamic(void **context)
{
    (void)context;
    couFaults faults = {0};
    couWorld *world = make_world(3, 0.05f, NO_GRAVITY, 1);
    couBodyId body = add_driven(world, make_placed(make_box(0.2f, 0.1f, 0.1f), at(0.5f, 0, 0)), turn_round, NULL);
    assert_true(isinf(couWorld_BodyMass(world, body)));
    run_steps(world, 0.002f, 0.5);
    assert_true(couWorld_SetBodyDynamic(world, body, true, &faults));
    couVec3 center = couWorld_BodyCenter(world, body), v = couWorld_BodyVelocity(world, body);
    CHECK_NEAR(couWorld_BodyMass(world, body), 2, 1e-5, 0);
    CHECK_NEAR(couLength(v), 1.5, 0.01, 0);
    CHECK_NEAR(couWorld_BodySpin(world, body).z, 3, 0.01, 0);
    CHECK_NEAR(couDot(v, couSub(center, (couVec3){1, 1, 0})), 0, 0.01, 0);
    run_steps(world, 0.002f, 0.5);
    couVec3 expected = couMulAdd(center, 0.5f, v), got = couWorld_BodyCenter(world, body);
    CHECK_NEAR(couLength(couSub(expected, got)), 0, 1e-3, 0);
    // Fixed where it is.
    couPose pose = couWorld_BodyPose(world, body);
    assert_true(couWorld_SetBodyDynamic(world, body, false, &faults));
    run_steps(world, 0.002f, 0.1);
    couPose later = couWorld_BodyPose(world, body);
    assert_memory_equal(&pose, &later, sizeof pose);
    CHECK_NEAR(couLength(couWorld_BodyVelocity(world, body)), 0, 0, 0);
    CHECK_NO_FAULTS(&faults);
    couDestroyWorld(world);
}

// What cannot be free says why, and leaves no body behind.
static void test_faults(void **context)
{
    (void)context;
    couFaults faults = {0};
    couWorld *world = make_world(3, 0.05f, EARTH, 1);
    couBodyId ground = add_body(world, make_plane(0, 1, 0), COU_POSE_IDENTITY, 0);
    couBodyDef def = free_def(make_plane(0, 1, 0), COU_POSE_IDENTITY);
    assert_int_equal(couWorld_AddBody(world, &def, &faults).index1, 0);
    CHECK_FAULT(&faults, "body.shape", "volume");
    assert_int_equal(couWorld_BodyCount(world), 1);
    assert_false(couWorld_SetBodyDynamic(world, ground, true, &faults));
    CHECK_FAULT(&faults, "body.shape", "volume");
    assert_false(couWorld_Body(world, ground)->is_dynamic);
    couShape_Release(def.shape);
    def = free_def(make_sphere(0.1f), at(0, 1, 0));
    def.motion = turn_round;
    assert_int_equal(couWorld_AddBody(world, &def, &faults).index1, 0);
    CHECK_FAULT(&faults, "body.motion", "driven");
    def.motion = NULL;
    static const struct {
        float density, mass, contact_friction, restitution;
        const char *key;
    } wrong[] = {{0, NAN, 0.5f, 0, "body.density"},
                 {-1, NAN, 0.5f, 0, "body.density"},
                 {NAN, NAN, 0.5f, 0, "body.density"},
                 {1000, 0, 0.5f, 0, "body.mass"},
                 {1000, -2, 0.5f, 0, "body.mass"},
                 {1000, INFINITY, 0.5f, 0, "body.mass"},
                 {1000, NAN, -1, 0, "body.contact_friction"},
                 {1000, NAN, NAN, 0, "body.contact_friction"},
                 {1000, NAN, 0.5f, 1.5f, "body.restitution"},
                 {1000, NAN, 0.5f, -0.1f, "body.restitution"}};
    for (int k = 0; k < COU_COUNT(wrong); ++k) {
        couBodyDef bad = def;
        bad.density = wrong[k].density, bad.mass = wrong[k].mass;
        bad.contact_friction = wrong[k].contact_friction, bad.restitution = wrong[k].restitution;
        assert_int_equal(couWorld_AddBody(world, &bad, &faults).index1, 0);
        CHECK_FAULT(&faults, wrong[k].key, NULL);
    }
    couBodyDef bad = def;
    bad.velocity.y = NAN;
    assert_int_equal(couWorld_AddBody(world, &bad, &faults).index1, 0);
    CHECK_FAULT(&faults, "body.velocity", NULL);
    bad = def, bad.spin.y = INFINITY;
    assert_int_equal(couWorld_AddBody(world, &bad, &faults).index1, 0);
    CHECK_FAULT(&faults, "body.spin", NULL);
    couShape_Release(def.shape);
    couDestroyWorld(world);
}

// A body that is not a number any more is named, and the run stops.
static void test_bad_body(void **context)
{
    (void)context;
    couWorld *world = make_world(3, 0.05f, EARTH, 1);
    add_body(world, make_plane(0, 1, 0), at(0, -5, 0), 0);
    add_free(world, make_sphere(0.1f), at(0, 1, 0));
    couBodyId body = add_free(world, make_sphere(0.1f), at(1, 1, 0));
    for (int what = 0; what < 4; ++what) {
        couBody *broken = &world->bodies.items[body.index1 - 1], kept = *broken;
        couRigidState *state = &broken->state;
        if (what == 0) state->velocity[1] = NAN;
        if (what == 1) state->spin[2] = INFINITY;
        if (what == 2) state->position[0] = NAN;
        if (what == 3) state->rotation[1] = NAN;
        couStepReport report = couWorld_Advance(world, 0.1);
        if (report.bad_body.index1 != body.index1)
            fail_msg("case %d: expected bad body %d, got %d", what, body.index1, report.bad_body.index1);
        assert_int_equal(report.substeps, 1);
        *broken = kept;
    }
    couStepReport report = couWorld_Step(world, 0.01f);
    assert_int_equal(report.bad_body.index1, 0);
    couDestroyWorld(world);
}

// --- Keyframes ---------------------------------------------------------------------------------------------------------------

static void test_keyframes(void **context)
{
    (void)context;
    couKeyframe frames[] = {{1, turned(0, 0, 0, 0)}, {2, turned(1, 0, 0, 1)}, {4, turned(1, 2, 0, 2)}, {5, turned(0, 2, 0, 0)}};
    for (int k = 0; k < COU_COUNT(frames); ++k) {
        couPose pose = couInterpolateKeyframes(frames, COU_COUNT(frames), frames[k].time);
        CHECK_NEAR(couLength(couSub(pose.position, frames[k].pose.position)), 0, 1e-6, k);
        CHECK_NEAR(pose.rotation.z, frames[k].pose.rotation.z, 1e-6, k);
    }
    CHECK_NEAR(couInterpolateKeyframes(frames, 4, -3).position.x, 0, 0, 0);
    CHECK_NEAR(couInterpolateKeyframes(frames, 4, 99).position.y, 2, 0, 0);
    CHECK_NEAR(couInterpolateKeyframes(frames, 1, 99).position.y, 0, 0, 0);
    CHECK_NEAR(couInterpolateKeyframes(frames, 0, 1).rotation.w, 1, 0, 0);
    // Half of the turn at half of the time; velocities have no jumps at inner keyframes.
    couQuat q = couInterpolateKeyframes(frames, 4, 3).rotation;
    CHECK_NEAR(2 * atan2(q.z, q.w), 1.5, 1e-5, 0);
    for (int k = 1; k < 3; ++k) {
        double t = frames[k].time, e = 1e-3;
        couVec3 before = couInterpolateKeyframes(frames, 4, t - e).position, now = frames[k].pose.position;
        couVec3 after = couInterpolateKeyframes(frames, 4, t + e).position;
        CHECK_NEAR(couLength(couSub(couSub(after, now), couSub(now, before))) / e, 0, 0.02, k);
    }
    // Evenly spaced on a line: exactly uniform between the inner ones.
    couKeyframe line[] = {{0, at(0, 0, 0)}, {1, at(1, 0, 0)}, {2, at(2, 0, 0)}, {3, at(3, 0, 0)}};
    CHECK_NEAR(couInterpolateKeyframes(line, 4, 1.3).position.x, 1.3, 1e-6, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_free_fall),
        cmocka_unit_test(test_tumbling),
        cmocka_unit_test(test_centre_off_the_origin),
        cmocka_unit_test(test_stacks),
        cmocka_unit_test(test_stack_that_never_sleeps),
        cmocka_unit_test(test_waking),
        cmocka_unit_test(test_others_sleep_on),
        cmocka_unit_test(test_box_on_a_slope),
        cmocka_unit_test(test_rolling),
        cmocka_unit_test(test_bouncing),
        cmocka_unit_test(test_head_on),
        cmocka_unit_test(test_deep_overlaps),
        cmocka_unit_test(test_body_in_a_body),
        cmocka_unit_test(test_carried_along),
        cmocka_unit_test(test_set_dynamic),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_bad_body),
        cmocka_unit_test(test_keyframes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
