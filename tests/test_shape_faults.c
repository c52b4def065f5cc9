// Defs of shapes that must be refused, each with its key and value.
#include "shape_reference.h"

// --- Faults ------------------------------------------------------------------------------------------------------------------

// One fault per key, in this order, each with its text in the message.
static void expect_faults(couShapeDef def, int count, const char *const keys[], const char *const texts[])
{
    couFaults faults = {0};
    assert_null(couCreateShape(&def, &faults));
    for (int i = 0; i < faults.count; ++i) {
        const couFault *fault = &faults.items[i];
        CHECK(i < count && strcmp(fault->key, keys[i]) == 0 && strstr(fault->message, texts[i]),
              "fault %d of %d is '%s: %s', expected '%s: %s'", i, count, fault->key, fault->message, i < count ? keys[i] : "none",
              i < count ? texts[i] : "");
    }
    CHECK(faults.count == count, "%d faults, expected %d", faults.count, count);
    couFaults_Clear(&faults);
    assert_null(couCreateShape(&def, NULL)); // nobody needs to listen
}

#define KEYS(...) \
    (const char *const[]) { __VA_ARGS__ }
#define EXPECT(def, key, text) expect_faults(def, 1, KEYS(key), KEYS(text))

static void test_bad_numbers_are_faults(void **context)
{
    (void)context;
    const float bad[] = {0, -1, NAN, INFINITY, -INFINITY, 1e30f, 1e-30f};
    for (int i = 0; i < COU_COUNT(bad); ++i) {
        char value[32];
        snprintf(value, sizeof value, "%g", (double)bad[i]);
        EXPECT(DEF(.kind = cou_shapeSphere, .radius = bad[i]), "sphere.radius", value);
        EXPECT(DEF(.kind = cou_shapeDisk, .radius = bad[i]), "disk.radius", value);
        EXPECT(DEF(.kind = cou_shapeBox, .size = {1, bad[i], 1}), "box.size", value);
        EXPECT(DEF(.kind = cou_shapeCapsule, .radius = 1, .height = bad[i]), "capsule.height", value);
        EXPECT(DEF(.kind = cou_shapeCylinder, .radius = bad[i], .height = 1), "cylinder.radius", value);
        EXPECT(DEF(.kind = cou_shapeTorus, .radius = 1, .radius2 = bad[i]), "torus.radius2", value);
        if (!(bad[i] >= 0 && bad[i] < 1))
            EXPECT(DEF(.kind = cou_shapeCone, .radius = 1, .radius2 = bad[i], .height = 1), "cone.radius2", value);
        EXPECT(DEF(.kind = cou_shapePolygon, .height = bad[i], .points = kite, .point_count = 4), "polygon.height", value);
        EXPECT(DEF(.kind = cou_shapePlane, .axis = {0, bad[i] == -1 ? 0 : bad[i], 0}), "plane.axis", "not a direction");
    }
    // All at once, with the allowed range.
    expect_faults(DEF(.kind = cou_shapeBox, .size = {-1, 0, NAN}), 3, KEYS("box.size", "box.size", "box.size"),
                  KEYS("x = -1 m must be > 0", "y = 0 m must be > 0", "z = nan m must be > 0"));
    expect_faults(DEF(.kind = cou_shapeCone, .radius = -2, .radius2 = NAN, .height = 0), 3,
                  KEYS("cone.radius", "cone.radius2", "cone.height"), KEYS("-2 m", "nan m", "0 m"));
    expect_faults(DEF(.kind = cou_shapeTorus, .radius = NAN, .radius2 = -1), 2, KEYS("torus.radius", "torus.radius2"),
                  KEYS("nan", "-1"));
    EXPECT(DEF(.kind = cou_shapeTorus, .radius = 1, .radius2 = 1), "torus.radius2", "smaller than radius (1 m)");
    EXPECT(DEF(.kind = (couShapeKind)99), "shape.kind", "99 is unknown");
    EXPECT(DEF(.kind = (couShapeKind)-1), "shape.kind", "-1 is unknown");
    couFaults faults = {0};
    assert_null(couCreateShape(NULL, &faults));
    assert_int_equal(faults.count, 1);
    couFaults_Clear(&faults);
}

#define POLYGON(...) \
    DEF(.kind = cou_shapePolygon, .height = 1, .points = (const couVec3[]){__VA_ARGS__}, \
        .point_count = COU_COUNT(((const couVec3[]){__VA_ARGS__})))

static void test_bad_outlines_are_faults(void **context)
{
    (void)context;
    EXPECT(POLYGON({0, 0, 0}, {1, 0, 0}), "polygon.points", "2 given, must be 3 to 4096");
    EXPECT(DEF(.kind = cou_shapePolygon, .height = 1, .points = kite, .point_count = -7), "polygon.points", "-7 given");
    EXPECT(DEF(.kind = cou_shapePolygon, .height = 1, .points = kite, .point_count = 5000), "polygon.points", "5000 given");
    EXPECT(DEF(.kind = cou_shapePolygon, .height = 1, .point_count = 4), "polygon.points", "none given");
    EXPECT(POLYGON({0, 0, 0}, {NAN, 0, 0}, {0, 1, 0}), "polygon.points", "point 2 (nan, 0)");
    expect_faults(POLYGON({0, INFINITY, 0}, {1, -1e20f, 0}, {0, 1, 0}), 2, KEYS("polygon.points", "polygon.points"),
                  KEYS("point 1", "point 2"));
    EXPECT(POLYGON({0, 0, 0}, {1, 0, 0}, {1, 0, 5}, {0, 1, 0}), "polygon.points", "point 2 (1, 0) is the same as the next");
    EXPECT(POLYGON({0, 0, 0}, {1, 1, 0}, {2, 2.000001f, 0}), "polygon.points", "degenerate");
    EXPECT(POLYGON({0, 0, 0}, {1, 0, 0}, {2, 0, 0}), "polygon.points", "folds back");
    EXPECT(POLYGON({0, 0, 0}, {1, 1, 0}, {1, 0, 0}, {0, 1, 0}), "polygon.points", "edges after points 1 and 3 cross");
    EXPECT(POLYGON({0, 0, 0}, {2, 0, 0}, {2, 2, 0}, {1, 0, 0}, {0, 2, 0}), "polygon.points",
           "edges after points 1 and 3 cross or touch");
    EXPECT(POLYGON({0, 0, 0}, {2, 0, 0}, {2, 2, 0}, {2, 1, 0}, {0, 1, 0}), "polygon.points", "folds back on itself at point 3");
    expect_faults(DEF(.kind = cou_shapePolygon, .height = -1, .points = kite, .point_count = 1), 2,
                  KEYS("polygon.height", "polygon.points"), KEYS("-1 m", "1 given"));
    // Either way round is fine, and so is a point in the middle of a straight edge.
    couShape *shape = make(POLYGON({0, 0, 0}, {0, 1, 0}, {1, 1, 0}, {1, 0.5f, 0}, {1, 0, 0}));
    assert_float_equal(couShape_Distance(shape, 2, (couVec3){0.5f, 0.5f, 0}), -0.5, 1e-6);
    couShape_Release(shape);
}

static void test_bad_trees_are_faults(void **context)
{
    (void)context;
    couShape *ball = make(DEF(.kind = cou_shapeSphere, .radius = 1)), *disk = make(DEF(.kind = cou_shapeDisk, .radius = 1));
    couShape *plane = make(DEF(.kind = cou_shapePlane, .axis = {0, 1, 0})), *none = NULL;
    couShape *pair[2] = {ball, NULL};
    EXPECT(DEF(.kind = cou_shapeShell, .thickness = 1), "shell.children", "0 given, must be exactly 1");
    EXPECT(DEF(.kind = cou_shapeShell, .thickness = NAN, .children = &ball, .child_count = 1), "shell.thickness",
           "nan m must be > 0");
    EXPECT(DEF(.kind = cou_shapeShell, .thickness = 1, .children = pair, .child_count = 2), "shell.children", "2 given");
    EXPECT(DEF(.kind = cou_shapeShell, .thickness = 1, .children = &none, .child_count = 1), "shell.children",
           "child 1 is missing");
    EXPECT(DEF(.kind = cou_shapeShell, .thickness = 1, .children = &disk, .child_count = 1), "shell.children", "no inside");
    EXPECT(DEF(.kind = cou_shapeShell, .thickness = 1, .children = &plane, .child_count = 1, .is_open = true), "shell.is_open",
           "unbounded");
    expect_faults(DEF(.kind = cou_shapeShell, .thickness = -1), 2, KEYS("shell.thickness", "shell.children"),
                  KEYS("-1 m", "0 given"));
    EXPECT(DEF(.kind = cou_shapeUnion), "union.children", "0 given, must be 1 to 4096");
    EXPECT(DEF(.kind = cou_shapeUnion, .children = pair, .child_count = -1), "union.children", "-1 given");
    EXPECT(DEF(.kind = cou_shapeUnion, .children = pair, .child_count = 4097), "union.children", "4097 given");
    EXPECT(DEF(.kind = cou_shapeUnion, .child_count = 3), "union.children", "none given");
    EXPECT(DEF(.kind = cou_shapeUnion, .children = pair, .child_count = 2), "union.children", "child 2 is missing");
    EXPECT(DEF(.kind = cou_shapePlaced, .pose = COU_POSE_IDENTITY), "placed.children", "0 given");
    EXPECT(DEF(.kind = cou_shapePlaced, .children = &ball, .child_count = 1), "placed.pose", "rotation has length 0");
    EXPECT(DEF(.kind = cou_shapePlaced, .children = &ball, .child_count = 1, .pose = {{0, NAN, 0}, {0, 0, 0, 1}}), "placed.pose",
           "(0, nan, 0)");
    expect_faults(DEF(.kind = cou_shapePlaced, .pose = {{1e9f, 0, 0}, {0, 0, NAN, 1}}), 3,
                  KEYS("placed.children", "placed.pose", "placed.pose"), KEYS("0 given", "1e+09", "nan"));
    couShape_Release(disk);
    couShape_Release(plane);
    couShape_Release(ball);
}

static void test_deep_and_heavy_trees_are_faults(void **context)
{
    (void)context;
    // 32 levels work, 33 do not. Each level twice its child: weight ends it before the evaluation would take for ever.
    couShape *deep = make(DEF(.kind = cou_shapeSphere, .radius = 1));
    for (int level = 2; level <= 32; ++level) deep = make_around(DEF(.kind = cou_shapeUnion), deep);
    assert_float_equal(couShape_Distance(deep, 3, (couVec3){3, 0, 0}), 2, 1e-6);
    assert_true(couShape_SegmentHits(deep, 3, (couVec3){3, 0, 0}, (couVec3){-3, 0, 0}));
    EXPECT(DEF(.kind = cou_shapeUnion, .children = &deep, .child_count = 1), "union.children", "at most 32");
    couShape_Release(deep);
    couShape *heavy = make(DEF(.kind = cou_shapeSphere, .radius = 1));
    for (int level = 0; level < 16; ++level) {
        couShape *twice[2] = {heavy, couShape_Retain(heavy)};
        heavy = make_union(twice, 2);
    }
    couShape *twice[2] = {heavy, heavy};
    EXPECT(DEF(.kind = cou_shapeUnion, .children = twice, .child_count = 2), "union.children", "at most 65536");
    couShape_Release(heavy);
    // As wide as allowed.
    couShape **wide = malloc(4096 * sizeof *wide);
    for (int i = 0; i < 4096; ++i) wide[i] = make_placed(make_box(0.1f, 0.1f, 0.1f), (couVec3){(float)i, 0, 0}, no_turn);
    couShape *row = make_union(wide, 4096);
    free(wide);
    assert_float_equal(couShape_Distance(row, 3, (couVec3){4095, 1, 0}), 0.95, 1e-5);
    couShape_Release(row);
}

static void *no_memory(size_t bytes, size_t align)
{
    (void)bytes, (void)align;
    return NULL;
}

static void test_without_memory_there_is_a_fault(void **context)
{
    (void)context;
    couShape *ball = make(DEF(.kind = cou_shapeSphere, .radius = 1));
    couShapeDef def = DEF(.kind = cou_shapeUnion, .children = &ball, .child_count = 1);
    couFaults faults = {0};
    couSetAllocator(no_memory, free);
    couShape *shape = couCreateShape(&def, &faults);
    couSetAllocator(NULL, NULL);
    assert_null(shape);
    assert_int_equal(faults.count, 1);
    assert_non_null(strstr(faults.items[0].message, "no memory")); // not even for more words
    couFaults_Clear(&faults);
    couShape_Release(ball);
}

static void test_a_mesh_needs_its_grid(void **context)
{
    (void)context;
    couFaults faults = {0};
    couShapeDef def = DEF(.kind = cou_shapeMesh);
    assert_null(couCreateShape(&def, &faults));
    assert_int_equal(faults.count, 1);
    assert_string_equal(faults.items[0].key, "mesh.grid");
    couFaults_Clear(&faults);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_a_mesh_needs_its_grid, reset),
        cmocka_unit_test_setup(test_bad_numbers_are_faults, reset),
        cmocka_unit_test_setup(test_bad_outlines_are_faults, reset),
        cmocka_unit_test_setup(test_bad_trees_are_faults, reset),
        cmocka_unit_test_setup(test_deep_and_heavy_trees_are_faults, reset),
        cmocka_unit_test_setup(test_without_memory_there_is_a_fault, reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
