// Contacts of pairs against formulas: where, which way, how deep; for every kind of shape.
#include "rigid_test.h"

typedef struct Pair {
    couRigidContact contacts[COU_MAX_PAIR_CONTACTS];
    int count;
    double deepest;
    couVec3 middle; // of the points [m]
} Pair;

// Takes both shapes.
static Pair touch(couShape *a, couPose pose_a, couShape *b, couPose pose_b, int dimension)
{
    couMemory memory = {0};
    couProbes probes_a = {.memory = &memory}, probes_b = {.memory = &memory};
    assert_true(couProbes_AddShape(&probes_a, a, dimension));
    assert_true(couProbes_AddShape(&probes_b, b, dimension));
    Pair pair = {0};
    pair.count = couFindPairContacts((couTouching){a, &probes_a, pose_a}, (couTouching){b, &probes_b, pose_b}, dimension,
                                     pair.contacts);
    assert_true(pair.count <= COU_MAX_PAIR_CONTACTS);
    for (int k = 0; k < pair.count; ++k) {
        pair.deepest = fmax(pair.deepest, pair.contacts[k].depth);
        pair.middle = couMulAdd(pair.middle, 1.0f / (float)pair.count, pair.contacts[k].point);
        CHECK_NEAR(couLength(pair.contacts[k].normal), 1, 1e-4, k);
        assert_true(pair.contacts[k].depth > 0);
        if (dimension == 2) CHECK_NEAR(fabs(pair.contacts[k].point.z) + fabs(pair.contacts[k].normal.z), 0, 1e-6, k);
    }
    couFree(&memory, probes_a.items);
    couFree(&memory, probes_b.items);
    couShape_Release(a);
    couShape_Release(b);
    CHECK_NEAR((double)memory.bytes, 0, 0, 0);
    return pair;
}

static void check_normals(const Pair *pair, couVec3 normal, double tolerance)
{
    for (int k = 0; k < pair->count; ++k) CHECK_NEAR(couLength(couSub(pair->contacts[k].normal, normal)), 0, tolerance, k);
}

// All of `shape`, whose lowest point is `reach` below its origin, on the ground by `overlap`; then just above it.
static Pair check_on_ground(const char *what, couShape *shape, couPose pose, float reach, float overlap, int dimension,
                            double tolerance)
{
    pose.position.y = reach + overlap;
    couShape_Retain(shape);
    Pair above = touch(shape, pose, make_plane(0, 1, 0), COU_POSE_IDENTITY, dimension);
    if (above.count) fail_msg("%s: expected no contact above the ground, got %d, %g m deep", what, above.count, above.deepest);
    pose.position.y = reach - overlap;
    Pair pair = touch(shape, pose, make_plane(0, 1, 0), COU_POSE_IDENTITY, dimension);
    if (!pair.count) fail_msg("%s: expected contacts, got none", what);
    check_normals(&pair, (couVec3){0, 1, 0}, 1e-5); // out of the ground, which is b
    if (fabs(pair.deepest - (double)overlap) > tolerance)
        fail_msg("%s: expected an overlap of %g m, got %g", what, (double)overlap, pair.deepest);
    for (int k = 0; k < pair.count; ++k) CHECK_NEAR(pair.contacts[k].point.y, -0.5 * (double)pair.contacts[k].depth, 1e-5, k);
    return pair;
}

// How far apart the two farthest points are along x and z.
static void check_spread(const Pair *pair, double x, double z, double tolerance)
{
    float low_x = INFINITY, high_x = -INFINITY, low_z = INFINITY, high_z = -INFINITY;
    for (int k = 0; k < pair->count; ++k) {
        couVec3 p = pair->contacts[k].point;
        low_x = fminf(low_x, p.x), high_x = fmaxf(high_x, p.x), low_z = fminf(low_z, p.z), high_z = fmaxf(high_z, p.z);
    }
    CHECK_NEAR(high_x - low_x, x, tolerance, pair->count);
    CHECK_NEAR(high_z - low_z, z, tolerance, pair->count);
}

static couPose lying(void) { return (couPose){{0, 0, 0}, {sqrtf(0.5f), 0, 0, sqrtf(0.5f)}}; } // y goes to z
static couPose rolled(float angle)
{
    couPose pose = lying();
    pose.rotation = couMulQuat(turned(0, 0, 0, angle).rotation, pose.rotation);
    return pose;
}

static void test_on_the_ground(void **context)
{
    (void)context;
    const float e = 1e-3f;
    Pair pair = check_on_ground("sphere", make_sphere(0.1f), turned(0, 0, 0, 0.7f), 0.1f, e, 3, 1e-6);
    assert_int_equal(pair.count, 1);
    pair = check_on_ground("disc", make_sphere(0.1f), COU_POSE_IDENTITY, 0.1f, e, 2, 1e-6);
    assert_int_equal(pair.count, 1);
    pair = check_on_ground("box", make_box(0.4f, 0.2f, 0.3f), COU_POSE_IDENTITY, 0.1f, e, 3, 1e-6);
    assert_true(pair.count >= 4);
    check_spread(&pair, 0.4, 0.3, 0.005);
    pair = check_on_ground("box on its edge", make_box(0.2f, 0.2f, 0.3f), turned(0, 0, 0, (float)COU_PI / 4), 0.1f * sqrtf(2), e,
                           3, 1e-3);
    check_spread(&pair, 0, 0.3, 0.005);
    pair = check_on_ground("square", make_box(0.4f, 0.2f, 9), COU_POSE_IDENTITY, 0.1f, e, 2, 1e-6);
    check_spread(&pair, 0.4, 0, 0.005);
    pair = check_on_ground("capsule lying", make_capsule(0.05f, 0.2f), lying(), 0.05f, e, 3, 1e-6);
    check_spread(&pair, 0, 0.2, 1e-5);
    pair = check_on_ground("capsule standing", make_capsule(0.05f, 0.2f), COU_POSE_IDENTITY, 0.15f, e, 3, 1e-6);
    assert_int_equal(pair.count, 1);
    pair = check_on_ground("cylinder standing", make_cylinder(0.1f, 0.2f), COU_POSE_IDENTITY, 0.1f, e, 3, 1e-6);
    check_spread(&pair, 0.2, 0.2, 0.01);
    // A wheel is round: as deep at any angle.
    for (int k = 0; k < 12; ++k) {
        pair = check_on_ground("cylinder lying", make_cylinder(0.1f, 0.3f), rolled(0.021f * (float)k), 0.1f, e, 3, 1e-5);
        check_spread(&pair, 0, 0.3, 0.03);
        CHECK_NEAR(pair.middle.x, 0, 0.01, k);
        check_on_ground("torus on its rim", make_torus(0.1f, 0.02f), rolled(0.021f * (float)k), 0.12f, e, 3, 1e-5);
    }
    pair = check_on_ground("torus", make_torus(0.1f, 0.02f), COU_POSE_IDENTITY, 0.02f, e, 3, 1e-6);
    check_spread(&pair, 0.2, 0.2, 0.01);
    pair = check_on_ground("torus in 2D", make_torus(0.1f, 0.02f), COU_POSE_IDENTITY, 0.02f, e, 2, 1e-6);
    check_spread(&pair, 0.2, 0, 1e-5);
    pair = check_on_ground("cone",
                           make_shape((couShapeDef){.kind = cou_shapeCone, .radius = 0.1f, .radius2 = 0.02f, .height = 0.2f}),
                           COU_POSE_IDENTITY, 0.1f, e, 3, 1e-4);
    check_spread(&pair, 0.2, 0.2, 0.01);
    static const couVec3 corners[] = {{-0.1f, -0.1f, 0}, {0.2f, -0.1f, 0}, {0, 0.15f, 0}};
    couShapeDef polygon = {.kind = cou_shapePolygon, .points = corners, .point_count = 3, .height = 0.2f};
    pair = check_on_ground("triangle", make_shape(polygon), COU_POSE_IDENTITY, 0.1f, e, 2, 1e-4);
    check_spread(&pair, 0.3, 0, 0.02);
    pair = check_on_ground("prism", make_shape(polygon), COU_POSE_IDENTITY, 0.1f, e, 3, 1e-4);
    check_spread(&pair, 0.3, 0.2, 0.02);
    pair = check_on_ground("shell", make_tank(0.3f, 0.2f, 0.3f, 0.02f, true), COU_POSE_IDENTITY, 0.12f, e, 3, 1e-3);
    check_spread(&pair, 0.34, 0.34, 0.05);
    pair = check_on_ground(
        "union",
        make_union(make_placed(make_box(0.1f, 0.2f, 0.1f), at(-0.2f, 0, 0)), make_placed(make_sphere(0.1f), at(0.2f, 0, 0))),
        COU_POSE_IDENTITY, 0.1f, e, 3, 1e-5);
    check_spread(&pair, 0.45, 0.1, 0.01);
}

static void test_meshes_on_the_ground(void **context)
{
    (void)context;
    Pair pair = check_on_ground("box mesh", make_box_mesh(0.4f, 0.2f, 0.3f, 0.01f), COU_POSE_IDENTITY, 0.1f, 2e-3f, 3, 5e-4);
    check_spread(&pair, 0.4, 0.3, 0.04);
    pair = check_on_ground("box mesh on its edge", make_box_mesh(0.2f, 0.2f, 0.3f, 0.005f), turned(0, 0, 0, (float)COU_PI / 4),
                           0.1f * sqrtf(2), 4e-3f, 3, 3e-3);
    check_spread(&pair, 0, 0.3, 0.06);
    check_on_ground("ball mesh", make_round_mesh(0.15f, 0, 0.01f), COU_POSE_IDENTITY, 0.15f, 2e-3f, 3, 1e-3);
    pair = check_on_ground("ring mesh", make_round_mesh(0.15f, 0.05f, 0.01f), COU_POSE_IDENTITY, 0.05f, 2e-3f, 3, 1e-3);
    check_spread(&pair, 0.3, 0.3, 0.05);
}

// --- Pairs of bodies ---------------------------------------------------------------------------------------------------------

// a on top of b: the normal out of b goes up.
static Pair check_on_top(couShape *a, couPose pose_a, couShape *b, double overlap, double tolerance, int dimension)
{
    Pair pair = touch(a, pose_a, b, COU_POSE_IDENTITY, dimension);
    assert_true(pair.count > 0);
    check_normals(&pair, (couVec3){0, 1, 0}, 2e-3);
    CHECK_NEAR(pair.deepest, overlap, tolerance, pair.count);
    return pair;
}

static void test_pairs(void **context)
{
    (void)context;
    Pair pair = touch(make_sphere(0.1f), at(0.1f, 0.15f, 0), make_sphere(0.1f), COU_POSE_IDENTITY, 3);
    double apart = hypot(0.1, 0.15);
    assert_true(pair.count >= 1);
    CHECK_NEAR(pair.deepest, 0.2 - apart, 1e-6, 0);
    check_normals(&pair, (couVec3){(float)(0.1 / apart), (float)(0.15 / apart), 0}, 1e-5);
    for (int dimension = 2; dimension <= 3; ++dimension) {
        double z = dimension == 3 ? 1 : 0;
        pair = check_on_top(make_box(0.2f, 0.2f, 0.2f), at(0, 0.199f, 0), make_box(0.2f, 0.2f, 0.2f), 1e-3, 1e-5, dimension);
        check_spread(&pair, 0.2, 0.2 * z, 0.005);
        pair = check_on_top(make_box(0.2f, 0.2f, 0.2f), at(0.05f, 0.199f, 0), make_box(0.2f, 0.2f, 0.2f), 1e-3, 1e-5, dimension);
        check_spread(&pair, 0.15, 0.2 * z, 0.01);
        // A small one on a large one and the other way round.
        pair = check_on_top(make_box(0.1f, 0.1f, 0.1f), at(0.3f, 0.149f, 0), make_box(1, 0.2f, 1), 1e-3, 1e-5, dimension);
        check_spread(&pair, 0.1, 0.1 * z, 0.005);
        pair = check_on_top(make_box(1, 0.2f, 1), at(0.3f, 0.149f, 0), make_box(0.1f, 0.1f, 0.1f), 1e-3, 1e-5, dimension);
        check_spread(&pair, 0.1, 0.1 * z, 0.005);
        // Deep in each other.
        check_on_top(make_box(0.2f, 0.2f, 0.2f), at(0, 0.15f, 0), make_box(0.2f, 0.2f, 0.2f), 0.05, 1e-3, dimension);
        // On its corner (in 2D; an edge in space).
        pair = check_on_top(make_box(0.2f, 0.2f, 0.2f), turned(0, 0.1f + 0.1f * sqrtf(2) - 2e-3f, 0, (float)COU_PI / 4),
                            make_box(0.6f, 0.2f, 0.6f), 2e-3, 1e-3, dimension);
        check_spread(&pair, 0, 0.2 * z, 0.01);
    }
    // Turned about the vertical on another: eight corners.
    couPose turned_up = {{0, 0.199f, 0}, {0, sinf((float)COU_PI / 8), 0, cosf((float)COU_PI / 8)}};
    check_on_top(make_box(0.2f, 0.2f, 0.2f), turned_up, make_box(0.2f, 0.2f, 0.2f), 1e-3, 1e-4, 3);
    // Two edges that cross.
    couPose crossed = {{0, 0, 0},
                       couMulQuat((couQuat){0, sqrtf(0.5f), 0, sqrtf(0.5f)}, turned(0, 0, 0, (float)COU_PI / 4).rotation)};
    couPose below = turned(0, 0, 0, (float)COU_PI / 4);
    crossed.position.y = 0.2f * sqrtf(2) - 4e-3f;
    pair = touch(make_box(0.2f, 0.2f, 0.6f), crossed, make_box(0.2f, 0.2f, 0.6f), below, 3);
    assert_true(pair.count > 0);
    CHECK_NEAR(pair.contacts[0].normal.y, 1, 1e-3, 0);
    CHECK_NEAR(pair.deepest, 4e-3, 2e-3, 0);
    // A ball on the edge of a box, aslant.
    pair = touch(make_sphere(0.1f), at(0.1f + 0.07f, 0.1f + 0.07f, 0), make_box(0.2f, 0.2f, 0.2f), COU_POSE_IDENTITY, 3);
    check_normals(&pair, (couVec3){sqrtf(0.5f), sqrtf(0.5f), 0}, 1e-3);
    CHECK_NEAR(pair.deepest, 0.1 - 0.07 * sqrt(2), 1e-5, 0);
    // A ball inside a hollow one lies on its bottom.
    pair = touch(make_sphere(0.05f), at(0, -0.151f, 0), make_shell(make_sphere(0.2f), 0.02f), COU_POSE_IDENTITY, 3);
    check_normals(&pair, (couVec3){0, 1, 0}, 0.1);
    CHECK_NEAR(pair.deepest, 1e-3, 5e-4, 0);
    // Two meshes.
    couPose on = at(0, 0.198f, 0);
    pair = touch(make_box_mesh(0.2f, 0.2f, 0.2f, 0.01f), on, make_box_mesh(0.2f, 0.2f, 0.2f, 0.01f), COU_POSE_IDENTITY, 3);
    check_spread(&pair, 0.2, 0.2, 0.04);
    CHECK_NEAR(pair.deepest, 2e-3, 1e-3, 0);
}

// Far apart: nothing; a plane has no probes of its own.
static void test_nothing(void **context)
{
    (void)context;
    Pair pair = touch(make_box(0.2f, 0.2f, 0.2f), at(1, 0, 0), make_cylinder(0.2f, 0.2f), COU_POSE_IDENTITY, 3);
    assert_int_equal(pair.count, 0);
    pair = touch(make_plane(0, 1, 0), COU_POSE_IDENTITY, make_plane(1, 0, 0), COU_POSE_IDENTITY, 3);
    assert_int_equal(pair.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_on_the_ground),
        cmocka_unit_test(test_meshes_on_the_ground),
        cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
