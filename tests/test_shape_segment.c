// Segments that hit a shape, and free pockets whose points see each other.
#include "shape_reference.h"

// --- Segments and pockets ----------------------------------------------------------------------------------------------------

static float least_distance(const couShape *shape, int dimension, couVec3 a, couVec3 b, int count)
{
    float least = INFINITY;
    for (int i = 0; i <= count; ++i) {
        least = fminf(least, couShape_Distance(shape, dimension, couMulAdd(a, (float)i / (float)count, couSub(b, a))));
    }
    return least;
}

static void check_segments(const char *name, const couShape *shape, int dimension)
{
    int hits = 0, misses = 0;
    for (int i = 0; i < 3000; ++i) {
        couVec3 a = random_point(dimension, 1.4);
        couVec3 b = i % 3 ? random_point(dimension, 1.4) : couAdd(a, random_point(dimension, 0.3));
        if (couShape_Distance(shape, dimension, a) <= 0 || couShape_Distance(shape, dimension, b) <= 0) continue;
        float least = least_distance(shape, dimension, a, b, 1000);
        bool is_hit = couShape_SegmentHits(shape, dimension, a, b);
        // A feather edge may hide between samples.
        if (is_hit && least > 0 && least < 2e-3f) least = least_distance(shape, dimension, a, b, 300000);
        if (fabsf(least) < 1e-5f) continue;
        is_hit ? ++hits : ++misses;
        CHECK(is_hit == (least < 0), "%s %dD from (%g, %g, %g) to (%g, %g, %g): hit %d, least distance %g", name, dimension,
              (double)a.x, (double)a.y, (double)a.z, (double)b.x, (double)b.y, (double)b.z, is_hit, (double)least);
        CHECK(is_hit == couShape_SegmentHits(shape, dimension, b, a), "%s %dD: not the same backwards", name, dimension);
    }
    CHECK(hits > 30 && misses > 200, "%s %dD: %d hits and %d misses are too few to mean anything", name, dimension, hits, misses);
}

static void test_segments_match_sampling(void **context)
{
    (void)context;
    for (int k = 0; k < PRIMITIVE_COUNT; ++k) {
        if (primitives()[k].def.kind == cou_shapeDisk) continue; // no inside to sample
        couShape *shape = make(primitives()[k].def);
        check_segments(primitives()[k].name, shape, 2);
        check_segments(primitives()[k].name, shape, 3);
        couShape *placed = make_placed(shape, (couVec3){0.2f, -0.1f, 0}, turned((couVec3){1, 1, 1}, 50));
        check_segments(primitives()[k].name, placed, 2);
        check_segments(primitives()[k].name, placed, 3);
        couShape *shell = make_shell(placed, 0.1f, true);
        check_segments(primitives()[k].name, shell, 2);
        couShape_Release(shell);
    }
    Tree trees[TREE_COUNT];
    make_trees(trees);
    for (int k = 0; k < TREE_COUNT; ++k) check_segments(trees[k].name, trees[k].shape, trees[k].dimension);
    release_trees(trees);
}

static void test_disk_is_crossed(void **context)
{
    (void)context;
    couShape *disk = make((couShapeDef){.kind = cou_shapeDisk, .radius = 0.8f});
    for (int i = 0; i < 3000; ++i) {
        couVec3 a = random_point(3, 1), b = random_point(3, 1);
        double t = (double)a.y / ((double)a.y - b.y);
        double r = hypot(a.x + t * ((double)b.x - a.x), a.z + t * ((double)b.z - a.z));
        bool expected = a.y * b.y < 0 && r < 0.8;
        if (fabs(r - 0.8) > 1e-5) CHECK(couShape_SegmentHits(disk, 3, a, b) == expected, "expected %d at radius %g", expected, r);
    }
    couShape *others[2] = {make_placed(disk, (couVec3){0, 1, 0}, no_turn), make_box(0.1f, 0.1f, 0.1f)};
    couShape *both = make_union(others, 2);
    assert_true(couShape_SegmentHits(both, 3, (couVec3){0.5f, 2, 0}, (couVec3){0.5f, 0, 0}));
    assert_true(couShape_SegmentHits(both, 2, (couVec3){0.5f, 2, 0}, (couVec3){0.5f, 0, 0}));
    assert_false(couShape_SegmentHits(both, 3, (couVec3){0.9f, 2, 0}, (couVec3){0.9f, 0, 0}));
    couShape_Release(both);
}

// Walls far thinner than the segment is long.
static void test_thin_walls_are_found(void **context)
{
    (void)context;
    for (int k = 0; k < 4; ++k) {
        couShapeDef def = k % 2 ? (couShapeDef){.kind = cou_shapeCylinder, .radius = 1, .height = 2}
                                : (couShapeDef){.kind = cou_shapeBox, .size = {2, 2, 2}};
        float thickness = k < 2 ? 1e-3f : 2e-5f;
        couShape *shell = make_shell(make(def), thickness, true);
        couShape *placed = make_placed(make_shell(make(def), thickness, true), (couVec3){1, 2, 0},
                                       turned((couVec3){0, 0, 1}, 30));
        for (int i = 0; i < 3000; ++i) {
            int dimension = 2 + i % 2;
            couVec3 a = couScale(0.98f, random_point(dimension, 1));
            couVec3 b = couScale(12, couNormalize(random_point(dimension, 1)));
            if (k % 2 && hypotf(a.x, a.z) > 0.98f) continue;
            // Where the line leaves the free space: through the lid or through a wall.
            double lid = b.y > 1 ? (1.0 - a.y) / ((double)b.y - a.y) : INFINITY;
            double x = a.x + lid * ((double)b.x - a.x), z = a.z + lid * ((double)b.z - a.z);
            double reach = !isfinite(lid) ? INFINITY : k % 2 ? hypot(x, z) : fmax(fabs(x), fabs(z));
            if (fabs(reach - 1) < 2e-3) continue;
            bool expected = !(reach < 1);
            CHECK(couShape_SegmentHits(shell, dimension, a, b) == expected,
                  "case %d %dD from (%g, %g, %g) to (%g, %g, %g): expected %d", k, dimension, (double)a.x, (double)a.y,
                  (double)a.z, (double)b.x, (double)b.y, (double)b.z, expected);
            couPose pose = {{1, 2, 0}, turned((couVec3){0, 0, 1}, 30)};
            CHECK(couShape_SegmentHits(placed, dimension, couToWorld(pose, a), couToWorld(pose, b)) == expected,
                  "case %d placed %dD: expected %d", k, dimension, expected);
        }
        couShape_Release(shell);
        couShape_Release(placed);
    }
}

static void test_grazing_is_no_hit(void **context)
{
    (void)context;
    couShape *box = make_box(2, 2, 2), *tank = make_shell(make_box(2, 2, 2), 0.1f, true);
    couShape *ball = make((couShapeDef){.kind = cou_shapeSphere, .radius = 1});
    for (float depth = -1e-7f; depth < 2e-7f; depth += 1e-7f) {
        assert_false(couShape_SegmentHits(box, 3, (couVec3){-0.5f, 1 - depth, 0}, (couVec3){0.5f, 1 - depth, 0}));
        assert_false(couShape_SegmentHits(tank, 3, (couVec3){-0.5f, -1 - depth, 0}, (couVec3){0.5f, -1 - depth, 0}));
        assert_false(couShape_SegmentHits(tank, 3, (couVec3){1.05f, 1 - depth, 0}, (couVec3){1.02f, 1 - depth, 0.5f}));
        assert_false(couShape_SegmentHits(ball, 3, (couVec3){-3, 1 - depth, 0}, (couVec3){3, 1 - depth, 0}));
    }
    assert_true(couShape_SegmentHits(box, 3, (couVec3){-3, 1 - 1e-4f, 0}, (couVec3){3, 1 - 1e-4f, 0}));
    assert_true(couShape_SegmentHits(ball, 3, (couVec3){-3, 1 - 1e-4f, 0}, (couVec3){3, 1 - 1e-4f, 0}));
    // Nonsense ends, and stays unseen.
    couVec3 bad[] = {{NAN, 0, 0}, {INFINITY, 0, 0}, {0, -INFINITY, 0}, {1e38f, 0, 0}};
    for (int i = 0; i < COU_COUNT(bad); ++i) {
        assert_true(couShape_SegmentHits(tank, 3, bad[i], (couVec3){0, 0, 0}));
        assert_true(couShape_SegmentHits(box, 2, (couVec3){0, 3, 0}, bad[i]) || bad[i].y != bad[i].y || i == 3);
        couShape_FreePocket(tank, 3, bad[i]);
        couShape_Distance(tank, 3, bad[i]);
    }
    assert_false(couShape_SegmentHits(box, 3, (couVec3){3, 0, 0}, (couVec3){3, 0, 0}));
    assert_false(couShape_SegmentHits(tank, 3, (couVec3){0, 0, 0}, (couVec3){0, 0, 0}));
    couShape_Release(box);
    couShape_Release(tank);
    couShape_Release(ball);
}

// Returns how many pairs shared a pocket.
static int check_pockets(const char *name, const couShape *shape, int dimension)
{
    int shared = 0;
    for (int i = 0; i < 4000; ++i) {
        couVec3 a = random_point(dimension, 1.3), b = random_point(dimension, 1.3);
        uint32_t pocket = couShape_FreePocket(shape, dimension, a);
        if (pocket == 0 || pocket != couShape_FreePocket(shape, dimension, b)) continue;
        ++shared;
        CHECK(!couShape_SegmentHits(shape, dimension, a, b) && least_distance(shape, dimension, a, b, 1000) > -2e-6f,
              "%s %dD: (%g, %g, %g) and (%g, %g, %g) in pocket %u do not see each other", name, dimension, (double)a.x,
              (double)a.y, (double)a.z, (double)b.x, (double)b.y, (double)b.z, pocket);
    }
    return shared;
}

static void test_pockets_see_each_other(void **context)
{
    (void)context;
    for (int k = 0; k < PRIMITIVE_COUNT; ++k) {
        couShape *shape = make(primitives()[k].def);
        CHECK(check_pockets(primitives()[k].name, shape, 2) > 100, "%s", primitives()[k].name);
        CHECK(check_pockets(primitives()[k].name, shape, 3) > 100, "%s", primitives()[k].name);
        couShape_Release(shape);
    }
    Tree trees[TREE_COUNT];
    make_trees(trees);
    for (int k = 0; k < TREE_COUNT; ++k)
        CHECK(check_pockets(trees[k].name, trees[k].shape, trees[k].dimension) > 100, "%s", trees[k].name);
    release_trees(trees);

    // What is inside a wall around a solid that is not convex does not all see each other.
    for (int k = 0; k < PRIMITIVE_COUNT; ++k) {
        if (primitives()[k].def.kind == cou_shapeDisk) continue;
        couShape *shell = make_shell(make(primitives()[k].def), 0.05f, false);
        check_pockets(primitives()[k].name, shell, 2);
        check_pockets(primitives()[k].name, shell, 3);
        couShape_Release(shell);
    }

    // Many children, so that pockets are hashed, and a nest of unions.
    couShape *many[14];
    for (int i = 0; i < 13; ++i) many[i] = make_placed(make_box(0.2f, 0.2f, 0.2f), random_point(3, 1), random_rotation());
    many[13] = make((couShapeDef){.kind = cou_shapePlane, .axis = {0.1f, 1, 0.2f}});
    couShape *crowd = make_union(many, 14);
    CHECK(check_pockets("crowd", crowd, 3) > 0, "crowd");
    CHECK(check_pockets("crowd", crowd, 2) > 0, "crowd");
    couShape *nest[2] = {crowd, make_shell(make_box(2, 2, 2), 0.1f, false)};
    couShape *nested = make_union(nest, 2);
    check_pockets("nested", nested, 3);
    couShape_Release(nested);
}

static void test_pockets_are_known(void **context)
{
    (void)context;
    couShape *plane = make((couShapeDef){.kind = cou_shapePlane, .axis = {0, 1, 0}});
    couShape *tank = make_placed(make_shell(make_box(2, 2, 2), 0.1f, true), (couVec3){0, 1.5f, 0}, no_turn);
    assert_int_equal(couShape_FreePocket(plane, 3, (couVec3){5, 1, 0}), 1);
    assert_int_equal(couShape_FreePocket(plane, 3, (couVec3){5, -1, 0}), 0);
    uint32_t inside = couShape_FreePocket(tank, 3, (couVec3){0.9f, 2.4f, 0.9f});
    assert_int_not_equal(inside, 0);
    assert_int_equal(couShape_FreePocket(tank, 3, (couVec3){-0.9f, 0.6f, -0.9f}), inside);
    assert_int_not_equal(couShape_FreePocket(tank, 3, (couVec3){0, 2.6f, 0}), inside);
    assert_int_equal(couShape_FreePocket(tank, 3, (couVec3){1.05f, 1, 0}), 0);
    couShape *parts[2] = {plane, tank};
    couShape *both = make_union(parts, 2);
    uint32_t joint = couShape_FreePocket(both, 2, (couVec3){0.9f, 1, 0});
    assert_int_not_equal(joint, 0);
    assert_int_equal(couShape_FreePocket(both, 2, (couVec3){-0.9f, 2, 0}), joint);
    assert_int_equal(couShape_FreePocket(both, 2, (couVec3){3, -1, 0}), 0);
    couShape_Release(both);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_segments_match_sampling, reset), cmocka_unit_test_setup(test_disk_is_crossed, reset),
        cmocka_unit_test_setup(test_thin_walls_are_found, reset),    cmocka_unit_test_setup(test_grazing_is_no_hit, reset),
        cmocka_unit_test_setup(test_pockets_see_each_other, reset),  cmocka_unit_test_setup(test_pockets_are_known, reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
