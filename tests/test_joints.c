// Joints: pendulums keep time, limits hold, motors give what they may, chains hang together; every fault is told.
#include "rigid_test.h"

#define G 9.81

// --- Pendulums ---------------------------------------------------------------------------------------------------------------

typedef struct Swing {
    double period; // mean of the full ones [s]
    double energy_change;
    double joint_error; // largest distance of the joint's two points / length
} Swing;

// A box whose centre hangs `length` below the origin, let go at a small angle.
static Swing swing_pendulum(int dimension, couJointKind kind, float length, float dt, double seconds)
{
    couWorld *world = make_world(dimension, 0.05f, EARTH, 1);
    const float angle = 0.1f;
    couVec3 center = {length * sinf(angle), -length * cosf(angle), 0};
    couBodyId bob = add_free(world, make_box(0.1f, 0.2f, 0.1f), turned(center.x, center.y, 0, angle));
    couJointId joint = add_joint(world, joint_def(kind, bob, (couBodyId){0}, (couVec3){0, 0, 0}));
    couMeasurement first = couWorld_MeasureBodies(world);
    double lowest = first.mass * G * -length, start = first.kinetic_energy + first.potential_energy - lowest, end = 0;
    double first_pass = -1, last_pass = -1, before = center.x;
    int passes = 0;
    Swing swing = {0};
    for (long k = 1; k <= lround(seconds / (double)dt); ++k) {
        run_steps(world, dt, dt);
        couPose pose = couWorld_BodyPose(world, bob);
        double x = pose.position.x, time = k * (double)dt;
        if (before > 0 && x <= 0) {
            last_pass = time - dt * x / (x - before);
            if (passes++ == 0) first_pass = last_pass;
        }
        before = x;
        couVec3 local = couRotate(couConjugate(turned(0, 0, 0, angle).rotation), couScale(-1.0f, center));
        swing.joint_error = fmax(swing.joint_error, couLength(couToWorld(pose, local)) / length);
        if (kind == cou_jointHinge)
            CHECK_NEAR(couWorld_JointPosition(world, joint), atan2(x, -pose.position.y) - (double)angle, 2e-3, 0);
    }
    couMeasurement last = couWorld_MeasureBodies(world);
    end = last.kinetic_energy + last.potential_energy - lowest;
    swing.period = passes > 1 ? (last_pass - first_pass) / (passes - 1) : NAN;
    swing.energy_change = end / start - 1;
    couDestroyWorld(world);
    return swing;
}

static void test_pendulums(void **context)
{
    (void)context;
    static const float steps[] = {1.0f / 60, 1.0f / 240};
    const double length = 0.5, inertia = (0.1 * 0.1 + 0.2 * 0.2) / 12; // per mass
    double period = 2 * COU_PI * sqrt((inertia + length * length) / (G * length)) * (1 + 0.1 * 0.1 / 16);
    for (int s = 0; s < COU_COUNT(steps); ++s)
        for (int dimension = 2; dimension <= 3; ++dimension)
            for (couJointKind kind = cou_jointBall; kind <= cou_jointHinge; ++kind) {
                Swing swing = swing_pendulum(dimension, kind, (float)length, steps[s], 20);
                print_message("%s in %dD, step 1/%.0f s: period %.5f of the formula, energy %+.3f in 20 s, joint error %.2g\n",
                              kind == cou_jointBall ? "ball" : "hinge", dimension, 1 / (double)steps[s], swing.period / period,
                              swing.energy_change, swing.joint_error);
                CHECK_NEAR(swing.period / period, 1, 0.01, s);
                CHECK_AT_MOST(swing.joint_error, 1e-3, s);
                CHECK_RANGE(swing.energy_change, -0.02, 0.01, s);
            }
}

// --- Hinges ------------------------------------------------------------------------------------------------------------------

static couWorld *make_flap(int dimension, couVec3 gravity, couBodyId *flap)
{
    couWorld *world = make_world(dimension, 0.05f, gravity, 1);
    *flap = add_free(world, make_box(0.4f, 0.05f, 0.2f), at(0.2f, 0, 0)); // hinged at its left end
    return world;
}

static void test_hinge_limits(void **context)
{
    (void)context;
    for (int dimension = 2; dimension <= 3; ++dimension)
        for (int is_swapped = 0; is_swapped < 2; ++is_swapped) {
            couBodyId flap;
            couWorld *world = make_flap(dimension, EARTH, &flap);
            couJointDef def = joint_def(cou_jointHinge, flap, (couBodyId){0}, (couVec3){0, 0, 0});
            if (is_swapped) def.a = (couBodyId){0}, def.b = flap, def.axis.z = -1; // of the world against it, about the other way
            def.lower = -0.5f, def.upper = 0.3f, def.axis.z *= 3;                  // length does not count
            couJointId joint = add_joint(world, def);
            run_steps(world, 1.0f / 120, 3);
            CHECK_NEAR(couWorld_JointPosition(world, joint), -0.5, 0.01, dimension);
            couQuat q = couWorld_BodyPose(world, flap).rotation;
            CHECK_NEAR(2 * atan2(q.z, q.w), -0.5, 0.01, dimension);
            couWorld_PushBody(world, flap, (couVec3){0, 3 * couWorld_BodyMass(world, flap), 0}, couWorld_BodyCenter(world, flap));
            double highest = -9;
            for (int k = 0; k < 60; ++k) {
                run_steps(world, 1.0f / 120, 1.0 / 120);
                highest = fmax(highest, couWorld_JointPosition(world, joint));
            }
            CHECK_RANGE(highest, 0.2, 0.35, dimension);
            couDestroyWorld(world);
        }
}

// A motor brings the flap to its speed; its torque bounds how fast.
static void test_hinge_motor(void **context)
{
    (void)context;
    for (int dimension = 2; dimension <= 3; ++dimension)
        for (int what = 0; what < 4; ++what) {
            bool is_motor_only = what % 2, is_swapped = what / 2;
            couBodyId flap;
            couWorld *world = make_flap(dimension, NO_GRAVITY, &flap);
            couJointDef def = joint_def(is_motor_only ? cou_jointMotor : cou_jointHinge, flap, (couBodyId){0},
                                        (couVec3){0, 0, 0});
            double mass = couWorld_BodyMass(world, flap), inertia = mass * (0.16 + 0.0025) / 12;
            if (!is_motor_only) inertia += mass * 0.04;
            if (is_swapped) def.a = (couBodyId){0}, def.b = flap, def.axis.z = -1;
            def.motor_speed = 3, def.motor_force = (float)(2 * inertia); // 2 rad/s^2
            couJointId joint = add_joint(world, def);
            run_steps(world, 1.0f / 240, 1);
            CHECK_NEAR(couWorld_BodySpin(world, flap).z, 2, 0.02, dimension);
            run_steps(world, 1.0f / 240, 1);
            CHECK_NEAR(couWorld_BodySpin(world, flap).z, 3, 0.01, dimension);
            if (is_motor_only) CHECK_NEAR(couLength(couWorld_BodyVelocity(world, flap)), 0, 1e-6, dimension);
            // Turned round, then off.
            couWorld_SetJointMotor(world, joint, -1, def.motor_force);
            run_steps(world, 1.0f / 240, 1);
            CHECK_NEAR(couWorld_BodySpin(world, flap).z, 1, 0.02, dimension);
            run_steps(world, 1.0f / 240, 1.5);
            CHECK_NEAR(couWorld_BodySpin(world, flap).z, -1, 0.01, dimension);
            couWorld_SetJointMotor(world, joint, 5, 0);
            run_steps(world, 1.0f / 240, 1);
            CHECK_NEAR(couWorld_BodySpin(world, flap).z, -1, 0.02, dimension);
            couDestroyWorld(world);
        }
}

// A torque too weak to lift the flap does not.
static void test_weak_motor(void **context)
{
    (void)context;
    for (int is_strong = 0; is_strong < 2; ++is_strong) {
        couBodyId flap;
        couWorld *world = make_flap(3, EARTH, &flap);
        couJointDef def = joint_def(cou_jointHinge, flap, (couBodyId){0}, (couVec3){0, 0, 0});
        def.lower = -0.5f, def.motor_speed = 1;
        def.motor_force = (is_strong ? 1.1f : 0.8f) * couWorld_BodyMass(world, flap) * (float)G * 0.2f;
        couJointId joint = add_joint(world, def);
        run_steps(world, 1.0f / 120, 1.5);
        if (is_strong)
            CHECK_RANGE(couWorld_JointPosition(world, joint), 0.5, 1.6, 0);
        else
            CHECK_NEAR(couWorld_JointPosition(world, joint), -0.5, 0.01, 0);
        couDestroyWorld(world);
    }
}

// --- Sliders, welds, motors --------------------------------------------------------------------------------------------------

static void test_slider(void **context)
{
    (void)context;
    for (int dimension = 2; dimension <= 3; ++dimension) {
        couWorld *world = make_world(dimension, 0.05f, EARTH, 1);
        couBodyId box = add_free(world, make_box(0.2f, 0.2f, 0.2f), at(0, 1, 0));
        couJointDef def = joint_def(cou_jointSlider, box, (couBodyId){0}, (couVec3){0.3f, 1, 0});
        def.axis = (couVec3){sqrtf(0.5f), -sqrtf(0.5f), 0}, def.upper = 1.5f, def.lower = -0.2f;
        couJointId joint = add_joint(world, def);
        run_steps(world, 1.0f / 240, 0.4);
        double path = 0.5 * G * sqrt(0.5) * 0.4 * (0.4 + 1.0 / 240);
        CHECK_NEAR(couWorld_JointPosition(world, joint), path, 0.01 * path, dimension);
        couPose pose = couWorld_BodyPose(world, box);
        CHECK_NEAR(pose.position.x - sqrt(0.5) * path, 0, 3e-3, dimension);
        CHECK_NEAR(pose.position.x + pose.position.y, 1, 1e-3, dimension);
        CHECK_NEAR(pose.rotation.w, 1, 1e-6, dimension); // does not turn
        run_steps(world, 1.0f / 240, 2);
        CHECK_NEAR(couWorld_JointPosition(world, joint), 1.5, 5e-3, dimension);
        assert_true(couWorld_IsBodyAsleep(world, box));
        // A motor lifts it against its weight, to the other end.
        couWorld_SetJointMotor(world, joint, -0.5f, 2 * couWorld_BodyMass(world, box) * (float)G);
        run_steps(world, 1.0f / 240, 1);
        CHECK_NEAR(couWorld_JointPosition(world, joint), 1.0, 0.02, dimension);
        run_steps(world, 1.0f / 240, 3);
        CHECK_NEAR(couWorld_JointPosition(world, joint), -0.2, 5e-3, dimension);
        couDestroyWorld(world);
    }
}

// Two boxes welded corner to corner fall, hit the ground and tumble as one.
static void test_fixed_joint(void **context)
{
    (void)context;
    for (int dimension = 2; dimension <= 3; ++dimension) {
        couWorld *world = make_world(dimension, 0.05f, EARTH, 1);
        add_body(world, make_plane(0, 1, 0), COU_POSE_IDENTITY, 0);
        couBodyDef def = free_def(make_box(0.2f, 0.2f, 0.2f), turned(0, 1, 0, 0.3f));
        def.spin.z = 3;
        couBodyId a = add_def(world, def), b = add_free(world, make_box(0.2f, 0.1f, 0.2f), at(0.2f, 1.1f, 0));
        couPose first_a = couWorld_BodyPose(world, a), first_b = couWorld_BodyPose(world, b);
        couVec3 local = couToLocal(first_a, first_b.position);
        couJointId joint = add_joint(world, joint_def(cou_jointFixed, a, b, (couVec3){0.1f, 1, 0}));
        double most = 0, most_turn = 0;
        for (int k = 0; k < 360; ++k) {
            run_steps(world, 1.0f / 120, 1.0 / 120);
            couPose pose_a = couWorld_BodyPose(world, a), pose_b = couWorld_BodyPose(world, b);
            most = fmax(most, couLength(couSub(couToWorld(pose_a, local), pose_b.position)));
            couQuat now = couMulQuat(couConjugate(pose_a.rotation), pose_b.rotation);
            couQuat then = couMulQuat(couConjugate(first_a.rotation), first_b.rotation);
            couQuat turn = couMulQuat(now, couConjugate(then));
            most_turn = fmax(most_turn, 2 * couLength((couVec3){turn.x, turn.y, turn.z}));
        }
        print_message("welded boxes in %dD: apart by %.2g m, turned by %.2g rad\n", dimension, most, most_turn);
        CHECK_AT_MOST(most, 1e-4, dimension); // through the impact of 4 m/s
        CHECK_AT_MOST(most_turn, 1e-3, dimension);
        CHECK_RANGE(couWorld_BodyPose(world, a).position.y, 0.05, 0.3, dimension);
        CHECK_NEAR(couWorld_JointPosition(world, joint), 0, 0, dimension);
        couDestroyWorld(world);
    }
}

// A motor between two free bodies turns them against each other and keeps their angular momentum.
static void test_motor_between_bodies(void **context)
{
    (void)context;
    couWorld *world = make_world(3, 0.05f, NO_GRAVITY, 1);
    couBodyId a = add_free(world, make_sphere(0.1f), at(0, 0, 0)), b = add_free(world, make_sphere(0.15f), at(0.5f, 0, 0));
    couJointDef def = joint_def(cou_jointMotor, a, b, (couVec3){0, 0, 0});
    def.axis = (couVec3){0, 2, 0}, def.motor_speed = 4, def.motor_force = 10;
    add_joint(world, def);
    run_steps(world, 1.0f / 120, 3);
    double spin_a = couWorld_BodySpin(world, a).y, spin_b = couWorld_BodySpin(world, b).y;
    CHECK_NEAR(spin_a - spin_b, 4, 0.01, 0);
    couMeasurement m = couWorld_MeasureBodies(world);
    CHECK_NEAR(m.angular_momentum[1], 0, 1e-4, 0);
    assert_true(spin_a > 0 && spin_b < 0);
    couDestroyWorld(world);
}

// --- Chains ------------------------------------------------------------------------------------------------------------------

// Ten links held at one end fall from level, swing, and come to rest; joints stay closed to a thousandth of a link.
static void check_chain(int dimension, float dt, float last_density)
{
    enum { LINKS = 10 };
    couWorld *world = make_world(dimension, 0.05f, EARTH, 1);
    couBodyId links[LINKS], before = {0};
    for (int k = 0; k < LINKS; ++k) {
        couBodyDef def = free_def(make_box(0.2f, 0.04f, 0.04f), at(0.1f + 0.2f * (float)k, 0, 0));
        if (k == LINKS - 1) def.density = last_density;
        links[k] = add_def(world, def);
        add_joint(world, joint_def(cou_jointBall, links[k], before, (couVec3){0.2f * (float)k, 0, 0}));
        before = links[k];
    }
    double most = 0;
    for (int k = 0; k < lround(4 / (double)dt); ++k) {
        run_steps(world, dt, dt);
        couVec3 end = {0, 0, 0};
        for (int l = 0; l < LINKS; ++l) {
            couPose pose = couWorld_BodyPose(world, links[l]);
            most = fmax(most, couLength(couSub(couToWorld(pose, (couVec3){-0.1f, 0, 0}), end)));
            end = couToWorld(pose, (couVec3){0.1f, 0, 0});
        }
    }
    print_message("chain in %dD, step 1/%.0f s, last link %.0f times as heavy: joints open by %.2g of a link\n", dimension,
                  1 / (double)dt, last_density / 1000.0, most / 0.2);
    CHECK_AT_MOST(most / 0.2, 3e-3, dimension); // also where it cracks like a whip and links hit each other
    CHECK_AT_MOST(couWorld_MeasureBodies(world).center[1], -0.3, dimension);
    couDestroyWorld(world);
}

static void test_chains(void **context)
{
    (void)context;
    check_chain(2, 1.0f / 60, 1000);
    check_chain(3, 1.0f / 60, 1000);
    check_chain(3, 1.0f / 240, 1000);
    check_chain(3, 1.0f / 240, 50000);
}

// A pendulum that has come to rest far from where its joint was made, hit in its sleep: it must not jump back.
static void test_woken_joint(void **context)
{
    (void)context;
    couWorld *world = make_world(3, 0.05f, EARTH, 1);
    add_body(world, make_plane(0, 1, 0), COU_POSE_IDENTITY, 0);
    couBodyId a = add_free(world, make_box(0.2f, 0.1f, 0.2f), at(0, 1, 0)),
              b = add_free(world, make_box(0.2f, 0.1f, 0.2f), at(0.25f, 1, 0));
    add_joint(world, joint_def(cou_jointBall, a, b, (couVec3){0.125f, 1, 0})); // made in the air, then falls
    couBodyId ball = add_free(world, make_sphere(0.03f), at(-0.05f, 12, 0));
    double fastest = 0, most = 0;
    bool has_slept = false;
    for (int k = 0; k < 120 * 3; ++k) {
        run_steps(world, 1.0f / 120, 1.0 / 120);
        bool is_asleep = couWorld_IsBodyAsleep(world, a);
        has_slept |= is_asleep;
        if (!has_slept || is_asleep) continue;
        fastest = fmax(fastest, couLength(couWorld_BodyVelocity(world, b)));
        most = fmax(most, couLength(couSub(couToWorld(couWorld_BodyPose(world, a), (couVec3){0.125f, 0, 0}),
                                           couToWorld(couWorld_BodyPose(world, b), (couVec3){-0.125f, 0, 0}))));
    }
    assert_true(has_slept);
    assert_true(most > 0); // it was woken
    CHECK_AT_MOST(most, 2e-3, 0);
    CHECK_AT_MOST(fastest, 3, 0);
    (void)ball;
    couDestroyWorld(world);
}

// A joint to a body that is fixed later, and set free again, stays where it is; the body's centre is off its origin.
static void test_joint_of_changing_bodies(void **context)
{
    (void)context;
    couFaults faults = {0};
    couWorld *world = make_world(3, 0.05f, NO_GRAVITY, 1);
    couBodyDef def = free_def(make_placed(make_box(0.2f, 0.2f, 0.2f), at(0.3f, 0, 0)), at(0, 0, 0));
    def.velocity.x = 1, def.spin.z = 0.5f;
    couBodyId a = add_def(world, def), b = add_free(world, make_box(0.2f, 0.2f, 0.2f), at(0.6f, 0, 0));
    add_joint(world, joint_def(cou_jointBall, a, b, (couVec3){0.45f, 0, 0}));
    for (int what = 0; what < 4; ++what) {
        run_steps(world, 1.0f / 120, 0.5);
        couVec3 on_a = couToWorld(couWorld_BodyPose(world, a), (couVec3){0.45f, 0, 0});
        couVec3 on_b = couToWorld(couWorld_BodyPose(world, b), (couVec3){-0.15f, 0, 0});
        CHECK_NEAR(couLength(couSub(on_a, on_b)), 0, 1e-3, what);
        CHECK_AT_MOST(couLength(couWorld_BodyVelocity(world, b)), 2, what);
        assert_true(couWorld_SetBodyDynamic(world, a, what % 2, &faults));
    }
    CHECK_NO_FAULTS(&faults);
    couDestroyWorld(world);
}

static couPose crank(void *context, double time)
{
    (void)context;
    return turned(0, 2, 0, (float)(2 * time));
}

// A slider between a driven crank and a free body: the body is taken round; a weight on a rope from a fixed body hangs.
static void test_joints_with_driven_and_fixed(void **context)
{
    (void)context;
    couWorld *world = make_world(3, 0.05f, EARTH, 1);
    couBodyId wheel = add_driven(world, make_cylinder(0.1f, 0.1f), crank, NULL);
    couBodyId arm = add_free(world, make_box(0.1f, 0.1f, 0.1f), at(0.5f, 2, 0));
    add_joint(world, joint_def(cou_jointFixed, arm, wheel, (couVec3){0, 2, 0}));
    couBodyId hook = add_body(world, make_sphere(0.05f), at(3, 2, 0), 0),
              weight = add_free(world, make_sphere(0.1f), at(3, 1.5f, 0));
    couJointId rope = add_joint(world, joint_def(cou_jointBall, weight, hook, (couVec3){3, 2, 0}));
    run_steps(world, 1.0f / 240, 1);
    couVec3 x = couWorld_BodyPose(world, arm).position;
    CHECK_NEAR(x.x, 0.5 * cos(2), 0.01, 0);
    CHECK_NEAR(x.y, 2 + 0.5 * sin(2), 0.01, 0);
    CHECK_NEAR(couLength(couWorld_BodyVelocity(world, arm)), 1, 0.02, 0);
    CHECK_NEAR(couWorld_BodyPose(world, weight).position.y, 1.5, 1e-3, 0);
    // The joint goes with its body, and its handle with it.
    couWorld_RemoveBody(world, hook);
    assert_false(couWorld_HasJoint(world, rope));
    run_steps(world, 1.0f / 240, 0.3);
    CHECK_AT_MOST(couWorld_BodyPose(world, weight).position.y, 1.2, 0);
    couDestroyWorld(world);
}

// Joined bodies do not push each other apart where they overlap; others do.
static void test_joined_bodies_do_not_touch(void **context)
{
    (void)context;
    for (int is_joined = 0; is_joined < 2; ++is_joined) {
        couWorld *world = make_world(3, 0.05f, NO_GRAVITY, 1);
        couBodyId a = add_free(world, make_box(0.2f, 0.2f, 0.2f), at(0, 0, 0)),
                  b = add_free(world, make_box(0.2f, 0.2f, 0.2f), at(0.15f, 0, 0));
        if (is_joined) add_joint(world, joint_def(cou_jointBall, a, b, (couVec3){0.075f, 0, 0}));
        run_steps(world, 1.0f / 120, 1);
        double apart = (double)couWorld_BodyPose(world, b).position.x - couWorld_BodyPose(world, a).position.x;
        if (is_joined)
            CHECK_NEAR(apart, 0.15, 1e-4, 0);
        else
            CHECK_RANGE(apart, 0.199, 0.6, 0);
        couDestroyWorld(world);
    }
}

// --- Names, handles, faults --------------------------------------------------------------------------------------------------

static void test_names_and_handles(void **context)
{
    (void)context;
    couWorld *world = make_world(3, 0.05f, EARTH, 1);
    couBodyId a = add_free(world, make_sphere(0.1f), at(0, 0, 0)), b = add_free(world, make_sphere(0.1f), at(1, 0, 0));
    couJointDef def = joint_def(cou_jointBall, a, b, (couVec3){0.5f, 0, 0});
    couJointId first = add_joint(world, def);
    snprintf(def.name, sizeof def.name, "elbow");
    couJointId second = add_joint(world, def);
    assert_string_equal(couWorld_Joint(world, first)->name, "joint1");
    assert_int_equal(couWorld_FindJoint(world, "elbow").index1, second.index1);
    assert_int_equal(couWorld_FindJoint(world, "knee").index1, 0);
    assert_int_equal(couWorld_JointCount(world), 2);
    couWorld_RemoveJoint(world, first);
    assert_false(couWorld_HasJoint(world, first));
    assert_true(couWorld_HasJoint(world, second));
    assert_null(couWorld_Joint(world, first));
    assert_int_equal(couWorld_JointCount(world), 1);
    assert_int_equal(couWorld_JointAt(world, 0).index1, second.index1);
    assert_int_equal(couWorld_JointAt(world, 1).index1, 0);
    snprintf(def.name, sizeof def.name, "wrist");
    couJointId third = add_joint(world, def); // in the first one's place
    assert_true(third.index1 == first.index1 && third.generation != first.generation);
    assert_false(couWorld_HasJoint(world, first));
    assert_true(couWorld_HasJoint(world, third));
    couDestroyWorld(world);
}

static void test_faults(void **context)
{
    (void)context;
    couFaults faults = {0};
    couWorld *world = make_world(3, 0.05f, EARTH, 1);
    couBodyId ground = add_body(world, make_plane(0, 1, 0), COU_POSE_IDENTITY, 0);
    couBodyId post = add_body(world, make_sphere(0.1f), at(0, 2, 0), 0);
    couBodyId ball = add_free(world, make_sphere(0.1f), at(0, 1, 0)), gone = add_free(world, make_sphere(0.1f), at(5, 1, 0));
    couWorld_RemoveBody(world, gone);
    couJointDef good = joint_def(cou_jointHinge, ball, post, (couVec3){0, 1.5f, 0}), def;
#define CHECK_BAD(key, text) \
    do { \
        assert_int_equal(couWorld_AddJoint(world, &def, &faults).index1, 0); \
        CHECK_FAULT(&faults, key, text); \
        assert_int_equal(couWorld_JointCount(world), 0); \
    } while (0)
    def = good, def.a = gone;
    CHECK_BAD("joint.a", "not there");
    def = good, def.b = gone;
    CHECK_BAD("joint.a", "not there");
    def = good, def.b = ball;
    CHECK_BAD("joint.b", "twice");
    def = good, def.a = ground;
    CHECK_BAD("joint.a", "freely");
    def = good, def.a = def.b = (couBodyId){0};
    CHECK_BAD("joint.a", "freely");
    def = good, def.axis = (couVec3){0, 0, 0};
    CHECK_BAD("joint.axis", "length");
    def = good, def.axis.x = NAN;
    CHECK_BAD("joint.axis", NULL);
    def = good, def.at.y = INFINITY;
    CHECK_BAD("joint.at", NULL);
    def = good, def.lower = 1, def.upper = 0.5f;
    CHECK_BAD("joint.lower", "above");
    def = good, def.upper = 3.2f;
    CHECK_BAD("joint.lower", "3.1");
    def = good, def.lower = -4;
    CHECK_BAD("joint.lower", "3.1");
    def = good, def.motor_force = -1;
    CHECK_BAD("joint.motor_force", NULL);
    def = good, def.motor_speed = NAN;
    CHECK_BAD("joint.motor_speed", NULL);
    def = good, def.kind = 17;
    CHECK_BAD("joint.kind", NULL);
    def = good, memset(def.name, 'x', sizeof def.name);
    CHECK_BAD("joint.name", NULL);
    def = good, snprintf(def.name, sizeof def.name, "door");
    assert_int_not_equal(couWorld_AddJoint(world, &def, &faults).index1, 0);
    CHECK_NO_FAULTS(&faults);
    assert_int_equal(couWorld_AddJoint(world, &def, &faults).index1, 0);
    CHECK_FAULT(&faults, "joint.name", "already");
    couDestroyWorld(world);

    world = make_world(2, 0.05f, EARTH, 1);
    ball = add_free(world, make_sphere(0.1f), at(0, 1, 0));
    def = joint_def(cou_jointHinge, ball, (couBodyId){0}, (couVec3){0, 0, 0}), def.axis = (couVec3){0, 1, 1};
    CHECK_BAD("joint.axis", "2D");
    def.kind = cou_jointMotor;
    CHECK_BAD("joint.axis", "2D");
    def.kind = cou_jointSlider;
    CHECK_BAD("joint.axis", "2D");
    couDestroyWorld(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pendulums),
        cmocka_unit_test(test_hinge_limits),
        cmocka_unit_test(test_hinge_motor),
        cmocka_unit_test(test_weak_motor),
        cmocka_unit_test(test_slider),
        cmocka_unit_test(test_fixed_joint),
        cmocka_unit_test(test_motor_between_bodies),
        cmocka_unit_test(test_chains),
        cmocka_unit_test(test_woken_joint),
        cmocka_unit_test(test_joint_of_changing_bodies),
        cmocka_unit_test(test_joints_with_driven_and_fixed),
        cmocka_unit_test(test_joined_bodies_do_not_touch),
        cmocka_unit_test(test_names_and_handles),
        cmocka_unit_test(test_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
