// Shapes against brute force: distances and normals of primitives, trees and meshes.
#include "shape_reference.h"

// --- Distances ---------------------------------------------------------------------------------------------------------------

static void test_primitives_match_brute_force(void **context)
{
    (void)context;
    for (int k = 0; k < PRIMITIVE_COUNT; ++k) {
        const Primitive *primitive = &primitives()[k];
        couShape *shape = make(primitive->def);
        for (int dimension = 2; dimension <= 3; ++dimension) {
            for (int i = 0; i < 1500; ++i) {
                couVec3 p = random_point(dimension, i % 2 ? 1.1 : 2.5);
                double expected = reference_distance(primitive, dimension, p);
                double got = couShape_Distance(shape, dimension, p);
                CHECK(fabs(got - expected) < 2e-5, "%s %dD at (%g, %g, %g): expected %.7g, got %.7g, tolerance 2e-5",
                      primitive->name, dimension, (double)p.x, (double)p.y, (double)p.z, expected, got);
            }
        }
        couShape_Release(shape);
    }
}

static void test_plane_is_exact(void **context)
{
    (void)context;
    couShape *shape = make((couShapeDef){.kind = cou_shapePlane, .axis = {3, 4, 12}});
    for (int i = 0; i < 1000; ++i) {
        couVec3 p = random_point(3, 5);
        couVec3 n;
        assert_float_equal(couShape_DistanceNormal(shape, 3, p, &n), (3 * p.x + 4 * p.y + 12 * p.z) / 13, 1e-5);
        assert_float_equal(couLength(couSub(n, (couVec3){3 / 13.f, 4 / 13.f, 12 / 13.f})), 0, 1e-6);
        // The cut with z = 0 has the normal (3, 4) / 5; z must not matter.
        assert_float_equal(couShape_DistanceNormal(shape, 2, p, &n), (3 * p.x + 4 * p.y) / 5, 1e-5);
        assert_float_equal(couLength(couSub(n, (couVec3){0.6f, 0.8f, 0})), 0, 1e-6);
    }
    couBounds bounds;
    assert_false(couShape_Bounds(shape, 3, &bounds));
    couShape_Release(shape);
    // Parallel to the plane of a 2D world: not there.
    shape = make((couShapeDef){.kind = cou_shapePlane, .axis = {0, 0, -1}});
    couVec3 n;
    assert_true(couShape_DistanceNormal(shape, 2, (couVec3){1, 2, 0}, &n) > 1e20f);
    assert_float_equal(couLength(n), 1, 1e-6);
    couShape_Release(shape);
}

static void test_poses_move_exactly(void **context)
{
    (void)context;
    for (int k = 0; k < PRIMITIVE_COUNT; ++k) {
        const Primitive *primitive = &primitives()[k];
        couPose inner = {random_point(3, 2), random_rotation()}, outer = {random_point(3, 2), random_rotation()};
        couShape *shape = make_placed(make_placed(make(primitive->def), inner.position, inner.rotation), outer.position,
                                      outer.rotation);
        couShape *plain = make(primitive->def);
        for (int i = 0; i < 500; ++i) {
            couVec3 p = random_point(3, 4), n, plain_n;
            couVec3 local = couToLocal(inner, couToLocal(outer, p));
            float got = couShape_DistanceNormal(shape, 3, p, &n), expected = couShape_DistanceNormal(plain, 3, local, &plain_n);
            CHECK(fabsf(got - expected) < 1e-5f, "%s: expected %g, got %g", primitive->name, (double)expected, (double)got);
            CHECK(got == couShape_Distance(shape, 3, p), "%s: the two distances differ", primitive->name);
            couVec3 back = couRotate(outer.rotation, couRotate(inner.rotation, plain_n));
            CHECK(couLength(couSub(n, back)) < 1e-3f || fabsf(got) < 1e-4f || couDot(n, back) < 0.99f, "%s: normal off",
                  primitive->name);
        }
        couShape_Release(shape);
        couShape_Release(plain);
    }
}

// A sphere off the plane is a smaller disc in it.
static void test_cut_out_of_plane_is_bounded(void **context)
{
    (void)context;
    couShape *shape = make_placed(make((couShapeDef){.kind = cou_shapeSphere, .radius = 1}), (couVec3){0, 0, 0.6f},
                                  turned((couVec3){1, 2, 0}, 40));
    for (int i = 0; i < 2000; ++i) {
        couVec3 p = random_point(2, 2), n;
        float exact = hypotf(p.x, p.y) - 0.8f;
        float got = couShape_DistanceNormal(shape, 2, p, &n);
        CHECK(fabsf(got) <= fabsf(exact) + 1e-6f && (got < 0) == (exact < 0), "exact %g, got %g", (double)exact, (double)got);
        assert_float_equal(couLength(n), 1, 1e-5);
        assert_true(n.z == 0);
    }
    couShape_Release(shape);
}

// --- Shells and unions -------------------------------------------------------------------------------------------------------

static Point random_place(int dimension, double reach)
{
    return (Point){uniform(-reach, reach), uniform(-reach, reach), dimension == 2 ? 0 : uniform(-reach, reach)};
}

#define CLOUD 30000
static double crawl_from(const Tree *tree, Point best, couVec3 p)
{
    for (double step = 0.3; step > 2e-4; step *= 0.85) {
        for (int i = 0; i < 40; ++i) {
            Point d = random_place(tree->dimension, step);
            Point next = {best.x + d.x, best.y + d.y, best.z + d.z};
            if (gap2(next, p) < gap2(best, p) && tree->is_solid(next)) best = next;
        }
    }
    return sqrt(gap2(best, p));
}

// The nearest of many points of the solid, and the nearest that is well apart from it, crawl towards p without leaving the solid:
// never nearer than the solid is, and nearly as near.
static double crawl_to_solid(const Tree *tree, const Point *cloud, couVec3 p)
{
    Point first = cloud[0], second = {INFINITY, 0, 0};
    for (int i = 1; i < CLOUD; ++i) {
        if (gap2(cloud[i], p) < gap2(first, p)) first = cloud[i];
    }
    couVec3 taken = {(float)first.x, (float)first.y, (float)first.z};
    for (int i = 0; i < CLOUD; ++i) {
        if (gap2(cloud[i], p) < gap2(second, p) && gap2(cloud[i], taken) > 0.2 * 0.2) second = cloud[i];
    }
    return fmin(crawl_from(tree, first, p), crawl_from(tree, second, p));
}

static void test_trees_are_lower_bounds(void **context)
{
    (void)context;
    Tree trees[TREE_COUNT];
    make_trees(trees);
    Point *cloud = malloc(CLOUD * sizeof *cloud);
    for (int k = 0; k < TREE_COUNT; ++k) {
        const Tree *tree = &trees[k];
        if (!tree->is_solid) continue;
        for (int i = 0; i < CLOUD;) {
            Point p = random_place(tree->dimension, 1.0);
            if (tree->is_solid(p)) cloud[i++] = p;
        }
        for (int i = 0; i < 400; ++i) {
            couVec3 p = random_point(tree->dimension, i % 2 ? 0.9 : 1.5);
            bool is_solid = tree->is_solid((Point){p.x, p.y, p.z});
            double got = couShape_Distance(tree->shape, tree->dimension, p);
            CHECK(is_solid == (got < 0) || fabs(got) < 1e-5, "%s %dD at (%g, %g, %g): solid %d, distance %g", tree->name,
                  tree->dimension, (double)p.x, (double)p.y, (double)p.z, is_solid, got);
            if (is_solid) continue;
            double near = crawl_to_solid(tree, cloud, p);
            CHECK(got <= near + 1e-5, "%s %dD at (%g, %g, %g): distance %g beyond the solid at %g", tree->name, tree->dimension,
                  (double)p.x, (double)p.y, (double)p.z, got, near);
            if (!tree->is_tight) continue;
            CHECK(got >= near - 0.03, "%s %dD at (%g, %g, %g): distance %g not tight, solid at %g", tree->name, tree->dimension,
                  (double)p.x, (double)p.y, (double)p.z, got, near);
        }
    }
    free(cloud);
    release_trees(trees);
}

// What the union skips by bounds must not matter.
static void test_union_is_the_least_child(void **context)
{
    (void)context;
    enum { count = 150 };
    couShape *children[count];
    for (int i = 0; i < count; ++i) children[i] = make_placed(make_box(0.3f, 0.1f, 0.2f), random_point(3, 2), random_rotation());
    couShape *group = make((couShapeDef){.kind = cou_shapeUnion, .children = children, .child_count = count});
    for (int i = 0; i < 4000; ++i) {
        int dimension = 2 + i % 2;
        couVec3 p = random_point(3, 3), n;
        float least = INFINITY;
        for (int k = 0; k < count; ++k) least = fminf(least, couShape_Distance(children[k], dimension, p));
        float got = couShape_DistanceNormal(group, dimension, p, &n);
        CHECK(got == least && got == couShape_Distance(group, dimension, p), "expected %g, got %g", (double)least, (double)got);
        CHECK(fabsf(couLength(n) - 1) < 1e-5f, "normal of length %g", (double)couLength(n));
    }
    assert_true(isnan(couShape_Distance(group, 3, (couVec3){NAN, 0, 0})));
    for (int i = 0; i < count; ++i) couShape_Release(children[i]);
    couShape_Release(group);
}

// Inside the solid a ball of the field's size must be solid too.
static void test_depth_is_a_lower_bound(void **context)
{
    (void)context;
    Tree trees[TREE_COUNT];
    make_trees(trees);
    for (int k = 0; k < TREE_COUNT; ++k) {
        const Tree *tree = &trees[k];
        for (int i = 0, solid = 0; tree->is_solid && solid < 300 && i < 1000000; ++i) {
            couVec3 p = random_point(tree->dimension, 0.9);
            if (!tree->is_solid((Point){p.x, p.y, p.z})) continue;
            ++solid;
            double depth = -couShape_Distance(tree->shape, tree->dimension, p);
            for (int j = 0; j < 50; ++j) {
                couVec3 d = couNormalize(random_point(tree->dimension, 1));
                double reach = depth - 1e-5;
                Point q = {p.x + reach * d.x, p.y + reach * d.y, p.z + reach * d.z};
                CHECK(reach < 0 || tree->is_solid(q), "%s at (%g, %g, %g): depth %g leaves the solid", tree->name, (double)p.x,
                      (double)p.y, (double)p.z, depth);
            }
        }
    }
    release_trees(trees);
}

// The opening is free: in the middle of it the nearest wall is the rim, not the removed lid.
static void test_opening_is_no_wall(void **context)
{
    (void)context;
    couShape *tank = make_shell(make_box(2, 2, 2), 0.1f, true);
    couVec3 n;
    assert_float_equal(couShape_Distance(tank, 3, (couVec3){0, 1, 0}), 1, 1e-5);
    assert_float_equal(couShape_Distance(tank, 3, (couVec3){0.5f, 0.999f, 0}), 0.5, 1e-5);
    assert_float_equal(couShape_Distance(tank, 2, (couVec3){-0.7f, 1, 0}), 0.3, 1e-5);
    // Diagonally above the inner edge of the rim, and of the outer one.
    assert_float_equal(couShape_DistanceNormal(tank, 3, (couVec3){0.7f, 1.4f, 0.2f}, &n), 0.5, 1e-5);
    assert_float_equal(couLength(couSub(n, (couVec3){-0.6f, 0.8f, 0})), 0, 1e-4);
    assert_float_equal(couShape_DistanceNormal(tank, 3, (couVec3){1.4f, 1.4f, 0.2f}, &n), 0.5, 1e-5);
    assert_float_equal(couLength(couSub(n, (couVec3){0.6f, 0.8f, 0})), 0, 1e-4);
    couShape_Release(tank);
    // Turned on its side with the opening in +x.
    couShape *lying = make_placed(
        make_shell(make((couShapeDef){.kind = cou_shapeCylinder, .radius = 1, .height = 2}), 0.1f, true), (couVec3){3, 0, 0},
        turned((couVec3){0, 0, 1}, -90));
    assert_float_equal(couShape_DistanceNormal(lying, 3, (couVec3){4, 0.7f, 0}, &n), 0.3, 1e-5);
    assert_float_equal(couLength(couSub(n, (couVec3){0, -1, 0})), 0, 1e-4);
    couShape_Release(lying);
}

// --- Normals -----------------------------------------------------------------------------------------------------------------

static couVec3 shifted(couVec3 p, int axis, float by)
{
    return (couVec3){p.x + (axis == 0 ? by : 0), p.y + (axis == 1 ? by : 0), p.z + (axis == 2 ? by : 0)};
}

// False near an edge of the field, where neither side's normal is the gradient.
static bool gradient(const couShape *shape, int dimension, couVec3 p, couVec3 normal, couVec3 *result)
{
    const float step = 2e-3f;
    float parts[3] = {0};
    for (int axis = 0; axis < dimension; ++axis) {
        couVec3 n;
        float after = couShape_DistanceNormal(shape, dimension, shifted(p, axis, step), &n);
        if (couDot(n, normal) < 0.9995f) return false;
        float before = couShape_DistanceNormal(shape, dimension, shifted(p, axis, -step), &n);
        if (couDot(n, normal) < 0.9995f) return false;
        parts[axis] = (after - before) / (2 * step);
    }
    *result = couNormalize((couVec3){parts[0], parts[1], parts[2]});
    return true;
}

static void check_normals(const char *name, const couShape *shape, int dimension)
{
    int used = 0;
    for (int i = 0; i < 1000; ++i) {
        couVec3 p = random_point(dimension, 1.2), normal, expected;
        float distance = couShape_DistanceNormal(shape, dimension, p, &normal);
        CHECK(distance == couShape_Distance(shape, dimension, p), "%s: the two distances differ", name);
        CHECK(fabsf(couLength(normal) - 1) < 1e-5f, "%s %dD: normal of length %g", name, dimension, (double)couLength(normal));
        CHECK(dimension == 3 || normal.z == 0, "%s: normal leaves the plane", name);
        if (!gradient(shape, dimension, p, normal, &expected)) continue;
        ++used;
        CHECK(couLength(couSub(normal, expected)) < 0.02f,
              "%s %dD at (%g, %g, %g), distance %g: normal (%g, %g, %g), gradient (%g, %g, %g)", name, dimension, (double)p.x,
              (double)p.y, (double)p.z, (double)distance, (double)normal.x, (double)normal.y, (double)normal.z,
              (double)expected.x, (double)expected.y, (double)expected.z);
    }
    CHECK(used > 800, "%s %dD: only %d of 1000 points have a gradient", name, dimension, used);
}

static void test_normals_are_gradients(void **context)
{
    (void)context;
    for (int k = 0; k < PRIMITIVE_COUNT; ++k) {
        couShape *shape = make(primitives()[k].def);
        check_normals(primitives()[k].name, shape, 2);
        check_normals(primitives()[k].name, shape, 3);
        couShape_Release(shape);
    }
    Tree trees[TREE_COUNT];
    make_trees(trees);
    for (int k = 0; k < TREE_COUNT; ++k) check_normals(trees[k].name, trees[k].shape, trees[k].dimension);
    release_trees(trees);
}

static void test_normals_exist_everywhere(void **context)
{
    (void)context;
    const float special[] = {0, 1e-30f, -1e-22f, 0.25f, -0.4f, 0.35f, 0.4f, 0.5f, 0.55f, 0.6f, 0.7f, 0.8f, -0.9f};
    Tree trees[TREE_COUNT];
    make_trees(trees);
    for (int k = 0; k < PRIMITIVE_COUNT + TREE_COUNT; ++k) {
        bool is_tree = k >= PRIMITIVE_COUNT;
        couShape *shape = is_tree ? couShape_Retain(trees[k - PRIMITIVE_COUNT].shape) : make(primitives()[k].def);
        for (int i = 0; i < COU_COUNT(special) * COU_COUNT(special) * COU_COUNT(special) * 2; ++i) {
            int count = COU_COUNT(special), dimension = 2 + i % 2, code = i / 2;
            couVec3 p = {special[code % count], special[code / count % count], special[code / count / count]},
                    n = {NAN, NAN, NAN};
            float distance = couShape_DistanceNormal(shape, dimension, p, &n);
            CHECK(isfinite(distance) && fabsf(couLength(n) - 1) < 1e-5f && (dimension == 3 || n.z == 0),
                  "shape %d %dD at (%g, %g, %g): distance %g, normal (%g, %g, %g)", k, dimension, (double)p.x, (double)p.y,
                  (double)p.z, (double)distance, (double)n.x, (double)n.y, (double)n.z);
        }
        couShape_Release(shape);
    }
    release_trees(trees);
}

// --- Meshes ------------------------------------------------------------------------------------------------------------------

#define MESH_CELL 0.02f

// A box of half lengths 0.5, 0.3, 0.2 as a mesh.
static couShape *make_mesh_box(void)
{
    couVec3 vertices[8];
    for (int k = 0; k < 8; ++k) vertices[k] = (couVec3){k & 1 ? 0.5f : -0.5f, k & 2 ? 0.3f : -0.3f, k & 4 ? 0.2f : -0.2f};
    static const uint32_t triangles[36] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                           2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};
    couFaults faults = {0};
    couMesh *mesh = couCreateMesh(vertices, 8, triangles, 12, &faults);
    couDistanceGrid *grid = couCreateDistanceGrid(mesh, MESH_CELL, 0, 1, &faults);
    assert_int_equal(faults.count, 0);
    couMesh_Release(mesh);
    couShape *shape = make(DEF(.kind = cou_shapeMesh, .grid = grid));
    couDistanceGrid_Release(grid); // the shape keeps it
    return shape;
}

static void test_meshes_are_like_formulas(void **context)
{
    (void)context;
    const couQuat quarter = {0, 0, 0.70710678f, 0.70710678f};
    couShape *meshes[4], *boxes[4];
    meshes[0] = make_mesh_box(), boxes[0] = make_box(1.0f, 0.6f, 0.4f);
    meshes[1] = make_placed(couShape_Retain(meshes[0]), (couVec3){0.3f, -0.2f, 0.1f}, quarter);
    boxes[1] = make_placed(couShape_Retain(boxes[0]), (couVec3){0.3f, -0.2f, 0.1f}, quarter);
    meshes[2] = make_shell(couShape_Retain(meshes[0]), 0.1f, false);
    boxes[2] = make_shell(couShape_Retain(boxes[0]), 0.1f, false);
    couShape *ball = make_placed(make(DEF(.kind = cou_shapeSphere, .radius = 0.3f)), (couVec3){0.6f, 0, 0},
                                 (couQuat){0, 0, 0, 1});
    meshes[3] = make_union((couShape *[]){couShape_Retain(meshes[0]), couShape_Retain(ball)}, 2);
    boxes[3] = make_union((couShape *[]){couShape_Retain(boxes[0]), ball}, 2);
    for (int k = 0; k < 4; ++k) {
        CHECK(couShape_Clearance(boxes[k], 0.1f) == 0.1f, "clearance %g of formulas", (double)couShape_Clearance(boxes[k], 0.1f));
        float clear = couShape_Clearance(meshes[k], 0.1f);
        CHECK(clear < 0.1f && clear > 0.1f / 1.75f, "clearance %g of meshes", (double)clear);
        couBounds got, expected;
        assert_true(couShape_Bounds(meshes[k], 3, &got) && couShape_Bounds(boxes[k], 3, &expected));
        CHECK(couLength(couSub(got.lower, expected.lower)) < 1e-5f && couLength(couSub(got.upper, expected.upper)) < 1e-5f,
              "bounds of tree %d", k);
        for (int n = 0; n < 3000; ++n) {
            // In 2D only the sign is the same: a mesh is measured in space.
            int dimension = n % 8 ? 3 : 2;
            couVec3 p = random_point(dimension, 1.0), normal;
            float distance = couShape_DistanceNormal(meshes[k], dimension, p, &normal);
            float box = couShape_Distance(boxes[k], dimension, p);
            if (dimension == 3) // exact in the grid, which ends two cells off the mesh or later, and a lower bound beyond
                CHECK(distance - box < 0.7f * MESH_CELL &&
                          distance - box > (box < 0.5f * MESH_CELL ? -0.7f * MESH_CELL : -0.5f * box),
                      "tree %d: %g instead of %g", k, (double)distance, (double)box);
            else
                CHECK((distance < 0) == (box < 0) || fabsf(box) < 0.5f * MESH_CELL, "tree %d in 2D: %g, %g", k, (double)distance,
                      (double)box);
            CHECK(fabsf(couLength(normal) - 1.0f) < 1e-4f && (dimension == 3 || normal.z == 0.0f), "normal");
            // Segments that clearly hit or clearly miss.
            couVec3 q = random_point(dimension, 1.0);
            if (couShape_Distance(boxes[k], dimension, p) < MESH_CELL || couShape_Distance(boxes[k], dimension, q) < MESH_CELL)
                continue;
            float least = INFINITY;
            for (int t = 0; t <= 400; ++t)
                least = fminf(least, couShape_Distance(boxes[k], dimension, couMulAdd(p, (float)t / 400.0f, couSub(q, p))));
            if (fabsf(least) < MESH_CELL) continue;
            CHECK(couShape_SegmentHits(meshes[k], dimension, p, q) == (least < 0.0f), "segment of tree %d, least %g", k,
                  (double)least);
        }
    }
    CHECK(fabsf(couShape_Thinness(meshes[0]) - 0.4f) < MESH_CELL, "thinness %g", (double)couShape_Thinness(meshes[0]));
    CHECK(couShape_FreePocket(meshes[0], 3, (couVec3){0}) == 0, "no pocket inside");
    couPlane plane;
    CHECK(couShape_Planes(meshes[0], 3, (couVec3){0, 0.32f, 0}, 0.1f, &plane, 1) == 1, "one plane");
    CHECK(fabsf(plane.distance - 0.02f) < 0.1f * MESH_CELL && plane.normal.y > 0.999f, "plane %g", (double)plane.distance);
    for (int k = 0; k < 4; ++k) couShape_Release(meshes[k]), couShape_Release(boxes[k]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_meshes_are_like_formulas, reset),
        cmocka_unit_test_setup(test_primitives_match_brute_force, reset),
        cmocka_unit_test_setup(test_plane_is_exact, reset),
        cmocka_unit_test_setup(test_poses_move_exactly, reset),
        cmocka_unit_test_setup(test_cut_out_of_plane_is_bounded, reset),
        cmocka_unit_test_setup(test_trees_are_lower_bounds, reset),
        cmocka_unit_test_setup(test_union_is_the_least_child, reset),
        cmocka_unit_test_setup(test_depth_is_a_lower_bound, reset),
        cmocka_unit_test_setup(test_opening_is_no_wall, reset),
        cmocka_unit_test_setup(test_normals_are_gradients, reset),
        cmocka_unit_test_setup(test_normals_exist_everywhere, reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
