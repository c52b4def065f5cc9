// Contacts and joints as rows of linear equations, against finite differences of what they keep; and the liquid that must know of
// them: what lies on the floor under water bears the water above, what hangs on a hinge feels its buoyancy.
#include "rigid_test.h"
#include "sph_test.h"

#include "rigid/holds.h"

#define TINY 1e-5 // [s], of finite differences

static float random_float(couRandom *random, float size) { return size * couRandomSigned(random); }

// --- Rows --------------------------------------------------------------------------------------------------------------------

static Vec cross(Vec a, Vec b) { return (Vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }

// A state with other velocities; NULL is the world.
static couRigidState with_velocity(const couRigidState *state, const double u[6])
{
    couRigidState out = *state;
    for (int a = 0; a < 3; ++a) out.velocity[a] = u[a], out.spin[a] = u[3 + a];
    return out;
}

// Where a point or direction that was fixed to a body when the joint was made is, after `seconds` at velocities u.
static Vec carried(const couRigidState *then, const couRigidState *now, const double u[6], double seconds, Vec v, bool is_point)
{
    if (!now) return v;
    couRigidState moved = with_velocity(now, u);
    moved = couRigidState_Advance(&moved, seconds);
    const double back[4] = {-then->rotation[0], -then->rotation[1], -then->rotation[2], then->rotation[3]};
    double offset[3] = {v.x, v.y, v.z}, local[3], turned_back[3];
    for (int a = 0; is_point && a < 3; ++a) offset[a] -= then->position[a];
    couRotateD(back, offset, local);
    couRotateD(moved.rotation, local, turned_back);
    for (int a = 0; is_point && a < 3; ++a) turned_back[a] += moved.position[a];
    return (Vec){turned_back[0], turned_back[1], turned_back[2]};
}

// Its rate of change.
static Vec rate(const couRigidState *then, const couRigidState *now, const double u[6], Vec v, bool is_point)
{
    Vec after = carried(then, now, u, TINY, v, is_point), before = carried(then, now, u, -TINY, v, is_point);
    return add_scaled((Vec){0, 0, 0}, 0.5 / TINY, sub(after, before));
}

static double along(const couBodyHold *hold, const double u[2][6])
{
    double sum = 0;
    for (int e = 0; e < 2; ++e)
        for (int a = 0; a < 6 && hold->body[e] >= 0; ++a) sum += hold->row[e][a] * u[e][a];
    return sum;
}

// The square of what a joint forbids: rows are unit directions across each other, so theirs must be the same.
static double forbidden(const couRigidJoint *joint, const couBodies *bodies, const double u[2][6])
{
    const couRigidState *a = joint->a >= 0 ? &bodies->items[joint->a].state : NULL,
                        *b = joint->b >= 0 ? &bodies->items[joint->b].state : NULL;
    Vec point = {joint->def.at.x, joint->def.at.y, joint->def.at.z};
    couVec3 unit = couNormalize(joint->def.axis);
    Vec axis = {unit.x, unit.y, unit.z},
        here = a ? carried(&joint->at_start_a, a, u[0], 0, axis, false) : carried(&joint->at_start_b, b, u[1], 0, axis, false);
    Vec slides = sub(rate(&joint->at_start_a, a, u[0], point, true), rate(&joint->at_start_b, b, u[1], point, true));
    double turns = 0, axes = 0; // relative turning: half the squares of how three directions part
    for (int k = 0; k < 3; ++k) {
        Vec e = {k == 0, k == 1, k == 2};
        Vec parts = sub(rate(&joint->at_start_a, a, u[0], e, false), rate(&joint->at_start_b, b, u[1], e, false));
        turns += 0.5 * dot(parts, parts);
    }
    Vec parts = sub(rate(&joint->at_start_a, a, u[0], axis, false), rate(&joint->at_start_b, b, u[1], axis, false));
    axes = dot(parts, parts);
    double across = length(cross(here, slides));
    switch (joint->def.kind) {
    case cou_jointBall: return dot(slides, slides);
    case cou_jointHinge: return dot(slides, slides) + axes;
    case cou_jointSlider: return across * across + turns;
    case cou_jointFixed: return dot(slides, slides) + turns;
    default: return 0;
    }
}

static void check_joint(couJointKind kind, int ends, int seed)
{
    static const size_t row_counts[] = {3, 5, 5, 6, 0};
    couRandom random = {couMix64((uint64_t)seed)};
    couWorld *world = make_world(3, 0.05f, NO_GRAVITY, 1);
    couBodyDef def = free_def(make_box(0.2f, 0.3f, 0.1f), turned(-0.4f, 0.1f, 0, 0.4f));
    couBodyId a = add_def(world, def);
    def = free_def(make_placed(make_box(0.2f, 0.1f, 0.15f), at(0.05f, 0.1f, -0.05f)), turned(0.4f, -0.1f, 0.1f, -0.9f));
    couBodyId b = add_def(world, def), none = {0};
    couJointDef joint = joint_def(kind, ends == 1 ? none : a, ends == 2 ? none : b, (couVec3){0.05f, 0.02f, -0.03f});
    joint.axis = (couVec3){0.3f, -2, 0.5f};
    add_joint(world, joint);
    // Both are turned about the joint's point, together, so that it still holds; a body alone, about its axis.
    const double angle = 0.7, s = sin(0.5 * angle);
    couVec3 unit = ends ? couNormalize(joint.axis) : couNormalize((couVec3){1, 2, -1.5f});
    const double q[4] = {s * unit.x, s * unit.y, s * unit.z, cos(0.5 * angle)};
    for (size_t k = 0; k < world->bodies.count; ++k) {
        couBody *body = &world->bodies.items[k];
        if ((ends == 1 && k == 0) || (ends == 2 && k == 1)) continue;
        double arm[3] = {body->state.position[0] - joint.at.x, body->state.position[1] - joint.at.y,
                         body->state.position[2] - joint.at.z},
               moved[3], *r = body->state.rotation;
        couRotateD(q, arm, moved);
        for (int c = 0; c < 3; ++c) body->state.position[c] = (double)(&joint.at.x)[c] + moved[c];
        const double p[4] = {r[0], r[1], r[2], r[3]};
        r[0] = q[3] * p[0] + q[0] * p[3] + q[1] * p[2] - q[2] * p[1];
        r[1] = q[3] * p[1] - q[0] * p[2] + q[1] * p[3] + q[2] * p[0];
        r[2] = q[3] * p[2] + q[0] * p[1] - q[1] * p[0] + q[2] * p[3];
        r[3] = q[3] * p[3] - q[0] * p[0] - q[1] * p[1] - q[2] * p[2];
        body->pose = couRigidPose(&body->state, body->local_center);
    }
    couPredictBodies(&world->bodies, 0, 1e-4f);
    couBodyHolds holds = {0};
    assert_true(couFindHolds(&world->bodies, &holds));
    // A slider may turn nothing, so a body alone that was turned violates it; its rows are still those of its axis.
    assert_int_equal(holds.count, row_counts[kind]);
    for (int n = 0; n < 20; ++n) {
        double u[2][6], sum = 0;
        for (int e = 0; e < 2; ++e)
            for (int c = 0; c < 6; ++c) u[e][c] = random_float(&random, 1);
        for (size_t k = 0; k < holds.count; ++k) {
            assert_false(holds.items[k].is_contact || holds.items[k].is_friction);
            double own = along(&holds.items[k], (const double(*)[6])u);
            sum += own * own;
        }
        double expected = forbidden(&world->bodies.joints.items[0].joint, &world->bodies, (const double(*)[6])u);
        CHECK_NEAR(sum, expected, 1e-4 * (1 + expected), seed);
    }
    COU_FREE_ARRAY(world->bodies.memory, &holds);
    couDestroyWorld(world);
}

static void test_joints(void **context)
{
    (void)context;
    int seed = 1;
    for (couJointKind kind = cou_jointBall; kind <= cou_jointMotor; ++kind)
        for (int ends = 0; ends < 3; ++ends, ++seed) check_joint(kind, ends, seed);
}

// A box on a slope, deep enough to touch: the gap and both ways along it at each point.
static void check_contacts(int dimension, float friction, int seed)
{
    couWorld *world = make_world(dimension, 0.05f, NO_GRAVITY, 1);
    couBodyDef floor = couDefaultBodyDef();
    floor.shape = make_plane(0.5f, sqrtf(0.75f), 0), floor.contact_friction = friction;
    add_def(world, floor);
    couBodyDef def = free_def(make_box(0.2f, 0.2f, 0.2f), turned(0, 0, 0, -(float)COU_PI / 6));
    def.pose.position = couScale(0.0999f, (couVec3){0.5f, sqrtf(0.75f), 0}), def.contact_friction = friction;
    add_def(world, def);
    couPredictBodies(&world->bodies, 0, 1e-4f);
    couBodyHolds holds = {0};
    assert_true(couFindHolds(&world->bodies, &holds));
    size_t contacts = world->bodies.contacts.count, each = friction > 0 ? 3 : 1;
    assert_true(contacts >= (dimension == 3 ? 3 : 2));
    assert_int_equal(holds.count, each * contacts);
    couRandom random = {couMix64((uint64_t)seed)};
    const couRigidState *state = &world->bodies.items[1].state;
    for (int n = 0; n < 10; ++n) {
        double u[2][6] = {{0}};
        for (int c = 0; c < 6; ++c) u[1][c] = random_float(&random, 1);
        for (size_t c = 0; c < contacts; ++c) {
            const couRigidContact *contact = &world->bodies.contacts.items[c];
            Vec point = {contact->point.x, contact->point.y, contact->point.z},
                normal = {contact->normal.x, contact->normal.y, contact->normal.z};
            // The normal is out of b, the box: the gap opens as the box moves against it.
            Vec moves = rate(state, state, u[1], point, true);
            double gap = -dot(normal, moves), slide2 = dot(moves, moves) - gap * gap, sum = 0;
            assert_true(holds.items[each * c].is_contact);
            CHECK_NEAR(along(&holds.items[each * c], (const double(*)[6])u), gap, 1e-5, seed);
            for (size_t k = 1; k < each; ++k) {
                assert_true(holds.items[each * c + k].is_friction && !holds.items[each * c + k].is_contact);
                double own = along(&holds.items[each * c + k], (const double(*)[6])u);
                sum += own * own;
            }
            if (friction > 0) CHECK_NEAR(sum, slide2, 1e-5, seed);
        }
    }
    // Up and away opens every gap.
    const double away[2][6] = {{0}, {0.5, sqrt(0.75), 0, 0, 0, 0}};
    for (size_t c = 0; c < contacts; ++c) CHECK_NEAR(along(&holds.items[each * c], away), 1, 1e-5, seed);
    // Who is asleep is held by nothing.
    world->bodies.items[1].is_asleep = true;
    assert_true(couFindHolds(&world->bodies, &holds));
    assert_int_equal(holds.count, 0);
    COU_FREE_ARRAY(world->bodies.memory, &holds);
    couDestroyWorld(world);
}

static void test_contacts(void **context)
{
    (void)context;
    for (int dimension = 2; dimension <= 3; ++dimension) {
        check_contacts(dimension, 0, 31);
        check_contacts(dimension, 0.5f, 32);
    }
}

// --- Under water -------------------------------------------------------------------------------------------------------------

// What the water does to a heavy box on the floor is what the column above it weighs: nothing gets below. Near its edges the
// pressure is that of the water beside it too: a spacing of its width.
static void test_box_on_the_floor(void **context)
{
    (void)context;
    const float d = 0.02f, size = 16 * d, deep = 30 * d, wide = 40 * d;
    couWorld *world = make_sph_world("dfsph", 2, d, EARTH);
    couMaterialId water = add_liquid(world, 1000, 0.001f);
    add_body(world, make_plane(0, 1, 0), at(0, 0, 0), 0);
    add_body(world, make_plane(1, 0, 0), at(-0.5f * wide, 0, 0), 0);
    add_body(world, make_plane(-1, 0, 0), at(0.5f * wide, 0, 0), 0);
    couBodyDef def = free_def(make_box(size, size, size), at(0, 0.5f * size, 0));
    def.density = 5000;
    couBodyId box = add_def(world, def);
    add_fluid(world, water, make_box(wide, deep, wide), at(0, 0.5f * deep, 0), NO_GRAVITY);
    enum { FRAMES = 10 };
    run_frames(world, 0.8);
    double force[2] = {0};
    for (int f = 0; f < FRAMES; ++f) {
        run_frames(world, 1.0 / 30);
        force[0] += (double)couWorld_BodyForce(world, box).x / FRAMES,
            force[1] += (double)couWorld_BodyForce(world, box).y / FRAMES;
    }
    couMeasurement liquid = couWorld_Measure(world);
    double surface = (liquid.mass / 1000 + (double)size * size) / wide, expected = 1000 * 9.81 * size * (surface - size);
    print_message("a box on the floor: water presses with %.3f of the column above it, sideways %.3f\n", -force[1] / expected,
                  force[0] / expected);
    CHECK_NEAR(-force[1] / expected, 1, 0.07, 0);
    CHECK_NEAR(force[0] / expected, 0, 0.05, 0);
    CHECK_NEAR(couWorld_BodyPose(world, box).position.y, 0.5 * (double)size, 0.05 * d, 0);
    couDestroyWorld(world);
}

// A light flap that a hinge below its middle holds under water: the force on it is its buoyancy.
static void test_flap(void **context)
{
    (void)context;
    const float d = 0.02f, wide = 40 * d, deep = 34 * d, x = 12 * d, y = 8 * d;
    couWorld *world = make_sph_world("dfsph", 2, d, EARTH);
    couMaterialId water = add_liquid(world, 1000, 0.001f);
    add_body(world, make_plane(0, 1, 0), at(0, 0, 0), 0);
    add_body(world, make_plane(1, 0, 0), at(-0.5f * wide, 0, 0), 0);
    add_body(world, make_plane(-1, 0, 0), at(0.5f * wide, 0, 0), 0);
    couBodyDef def = free_def(make_box(x, y, x), at(0, 0.5f * deep, 0));
    def.density = 50;
    couBodyId flap = add_def(world, def);
    add_joint(world, joint_def(cou_jointHinge, flap, (couBodyId){0}, (couVec3){0, 0.5f * deep - 2 * d, 0}));
    add_fluid(world, water, make_box(wide, deep, wide), at(0, 0.5f * deep, 0), NO_GRAVITY);
    enum { FRAMES = 10 };
    run_frames(world, 0.8);
    double force = 0;
    for (int f = 0; f < FRAMES; ++f) {
        run_frames(world, 1.0 / 30);
        force += (double)couWorld_BodyForce(world, flap).y / FRAMES;
    }
    double expected = 1000 * 9.81 * (double)x * y;
    print_message("a flap on a hinge: water lifts with %.3f of its buoyancy\n", force / expected);
    CHECK_NEAR(force / expected, 1, 0.05, 0);
    couDestroyWorld(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_joints),
        cmocka_unit_test(test_contacts),
        cmocka_unit_test(test_box_on_the_floor),
        cmocka_unit_test(test_flap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
