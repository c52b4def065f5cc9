// Numbers about a shape: bounds, thinness, area of a face, and what it keeps of its def.
#include "shape_reference.h"

// --- Numbers about a shape ---------------------------------------------------------------------------------------------------

static void test_bounds_are_tight(void **context)
{
    (void)context;
    for (int k = 0; k < PRIMITIVE_COUNT; ++k) {
        const Primitive *primitive = &primitives()[k];
        for (int round = 0; round < 6; ++round) {
            couPose pose = {random_point(3, 2), round ? random_rotation() : no_turn};
            couShape *shape = make_placed(make(primitive->def), pose.position, pose.rotation);
            couBounds bounds, seen = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
            assert_true(couShape_Bounds(shape, 3, &bounds));
            for (int i = 0; i < primitive->patch_count; ++i) {
                for (int j = 0; j <= 200 * 200; ++j) {
                    Point s = patch_point(&primitive->patches[i], 3, (double)(j % 201) / 200, (double)(j / 201) / 200);
                    couVec3 p = couToWorld(pose, (couVec3){(float)s.x, (float)s.y, (float)s.z});
                    seen.lower = (couVec3){fminf(seen.lower.x, p.x), fminf(seen.lower.y, p.y), fminf(seen.lower.z, p.z)};
                    seen.upper = (couVec3){fmaxf(seen.upper.x, p.x), fmaxf(seen.upper.y, p.y), fmaxf(seen.upper.z, p.z)};
                }
            }
            const float *got = &bounds.lower.x, *expected = &seen.lower.x;
            for (int i = 0; i < 6; ++i) {
                double slack = i < 3 ? (double)expected[i] - got[i] : (double)got[i] - expected[i];
                CHECK(slack > -2e-6 && slack < 1e-2, "%s bound %d: expected %g, got %g", primitive->name, i, (double)expected[i],
                      (double)got[i]);
            }
            couShape_Release(shape);
        }
    }
}

static void test_bounds_hold_trees(void **context)
{
    (void)context;
    Tree trees[TREE_COUNT];
    make_trees(trees);
    for (int k = 0; k < TREE_COUNT; ++k) {
        couBounds bounds;
        assert_true(couShape_Bounds(trees[k].shape, trees[k].dimension, &bounds));
        for (int i = 0; i < 20000; ++i) {
            couVec3 p = random_point(trees[k].dimension, 1.5);
            if (couShape_Distance(trees[k].shape, trees[k].dimension, p) > 0) continue;
            CHECK(p.x >= bounds.lower.x && p.y >= bounds.lower.y && p.z >= bounds.lower.z && p.x <= bounds.upper.x &&
                      p.y <= bounds.upper.y && p.z <= bounds.upper.z,
                  "%s %dD: (%g, %g, %g) is out of bounds", trees[k].name, trees[k].dimension, (double)p.x, (double)p.y,
                  (double)p.z);
        }
        if (trees[k].dimension == 2) assert_true(bounds.lower.z == 0 && bounds.upper.z == 0);
    }
    couBounds tank;
    assert_true(couShape_Bounds(trees[0].shape, 3, &tank));
    assert_float_equal(tank.upper.y, 0.5, 1e-6); // cut at the rim
    assert_float_equal(tank.lower.y, -0.6, 1e-6);
    assert_float_equal(tank.upper.x, 0.7, 1e-6);
    release_trees(trees);
    couShape *parts[2] = {make_box(1, 1, 1), make((couShapeDef){.kind = cou_shapePlane, .axis = {0, 1, 0}})};
    couShape *both = make_union(parts, 2);
    assert_false(couShape_Bounds(both, 3, &tank));
    couShape_Release(both);
}

static float thinness(couShapeDef def)
{
    couShape *shape = make(def);
    float result = couShape_Thinness(shape);
    couShape_Release(shape);
    return result;
}

static void test_thinness_is_known(void **context)
{
    (void)context;
    const couVec3 frame[] = {{0, 0, 0},    {3, 0, 0},       {3, 2, 0},       {0, 2, 0},
                             {0, 1.8f, 0}, {2.7f, 1.8f, 0}, {2.7f, 0.4f, 0}, {0, 0.4f, 0}};
    couVec3 circle[100];
    for (int i = 0; i < 100; ++i) circle[i] = (couVec3){(float)cos(i * COU_PI / 50), (float)sin(i * COU_PI / 50), 0};
    assert_true(isinf(thinness((couShapeDef){.kind = cou_shapePlane, .axis = {0, 1, 0}})));
    assert_float_equal(thinness((couShapeDef){.kind = cou_shapeBox, .size = {3, 0.2f, 1}}), 0.2, 1e-6);
    assert_float_equal(thinness((couShapeDef){.kind = cou_shapeSphere, .radius = 2}), 4, 1e-6);
    assert_float_equal(thinness((couShapeDef){.kind = cou_shapeCapsule, .radius = 2, .height = 1}), 4, 1e-6);
    assert_float_equal(thinness((couShapeDef){.kind = cou_shapeCylinder, .radius = 2, .height = 1}), 1, 1e-6);
    assert_float_equal(thinness((couShapeDef){.kind = cou_shapeCone, .radius = 0.5f, .radius2 = 0.5f, .height = 9}), 1, 1e-6);
    assert_float_equal(thinness((couShapeDef){.kind = cou_shapeTorus, .radius = 2, .radius2 = 0.5f}), 1, 1e-6);
    assert_float_equal(thinness((couShapeDef){.kind = cou_shapeDisk, .radius = 2}), 0, 0);
    assert_float_equal(thinness((couShapeDef){.kind = cou_shapePolygon, .height = 5, .points = frame, .point_count = 8}), 0.2,
                       1e-5);
    assert_float_equal(thinness((couShapeDef){.kind = cou_shapePolygon, .height = 5, .points = circle, .point_count = 100}), 2,
                       0.3);
    couShape *shell = make_placed(make_shell(make_box(1, 1, 1), 0.03f, false), (couVec3){0, 0, 0}, no_turn);
    assert_float_equal(couShape_Thinness(shell), 0.03, 1e-7);
    couShape *parts[2] = {make_box(1, 1, 1), shell};
    couShape *both = make_union(parts, 2);
    assert_float_equal(couShape_Thinness(both), 0.03, 1e-7);
    couShape_Release(both);
}

static void test_faces_have_area(void **context)
{
    (void)context;
    couShape *disk = make((couShapeDef){.kind = cou_shapeDisk, .radius = 0.5f});
    assert_float_equal(couShape_FaceArea(disk, 3), COU_PI / 4, 1e-6);
    assert_float_equal(couShape_FaceArea(disk, 2), 1, 1e-6);
    couShape *placed = make_placed(disk, (couVec3){1, 2, 3}, no_turn);
    assert_float_equal(couShape_FaceArea(placed, 3), COU_PI / 4, 1e-6);
    assert_float_equal(couShape_FaceArea(placed, 2), 1, 1e-6);
    couShape_Release(placed);
    const couVec3 triangle[] = {{0, 0, 0}, {0, 2, 0}, {3, 0, 0}};
    couShape *polygon = make((couShapeDef){.kind = cou_shapePolygon, .height = 1, .points = triangle, .point_count = 3});
    assert_float_equal(couShape_FaceArea(polygon, 3), 3, 1e-6);
    assert_float_equal(couShape_FaceArea(polygon, 2), 0, 0);
    couShape_Release(polygon);
    couShape *box = make_box(1, 1, 1);
    assert_float_equal(couShape_FaceArea(box, 3), 0, 0);
    couShape_Release(box);
}

static void test_defs_are_kept(void **context)
{
    (void)context;
    couVec3 points[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    couShape *polygon = make((couShapeDef){.kind = cou_shapePolygon, .height = 1, .points = points, .point_count = 3});
    memset(points, 0xff, sizeof points); // the shape must not look again
    assert_float_equal(couShape_Distance(polygon, 2, (couVec3){0.5f, -1, 0}), 1, 1e-6);
    assert_int_equal(couShape_Def(polygon)->point_count, 3);
    assert_float_equal(couShape_Def(polygon)->points[1].x, 1, 0);
    couShape *placed = make_placed(couShape_Retain(polygon), (couVec3){0, 3, 0}, no_turn);
    assert_int_equal(couShape_Kind(placed), cou_shapePlaced);
    assert_ptr_equal(couShape_Def(placed)->children[0], polygon);
    couShape_Release(polygon); // the tree keeps it
    assert_float_equal(couShape_Distance(placed, 2, (couVec3){0.5f, 2, 0}), 1, 1e-6);
    couShape_Release(placed);
    couShape_Release(NULL);
    assert_null(couShape_Retain(NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_bounds_are_tight, reset),  cmocka_unit_test_setup(test_bounds_hold_trees, reset),
        cmocka_unit_test_setup(test_thinness_is_known, reset), cmocka_unit_test_setup(test_faces_have_area, reset),
        cmocka_unit_test_setup(test_defs_are_kept, reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
