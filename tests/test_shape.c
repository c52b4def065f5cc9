// Shapes against brute force: primitives are described a second time as patches of surface and an inside test, both in doubles,
// and the nearest point is searched on a grid that is refined. COULIS_TEST_SEED chooses other random points.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/base.h"
#include "coulis/shape.h"

#include <stdio.h>
#include <stdlib.h>

// --- Random numbers and reports ----------------------------------------------------------------------------------------------

static uint64_t seed = 1, state = 1;

static double uniform(double lower, double upper)
{
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return lower + (upper - lower) * (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

static couVec3 random_point(int dimension, double reach)
{
    couVec3 p = {(float)uniform(-reach, reach), (float)uniform(-reach, reach), (float)uniform(-reach, reach)};
    if (dimension == 2) p.z = 0.0f;
    return p;
}

static couQuat random_rotation(void)
{
    couQuat q = {(float)uniform(-1, 1), (float)uniform(-1, 1), (float)uniform(-1, 1), (float)uniform(0.1, 1)};
    float length = sqrtf(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    return (couQuat){q.x / length, q.y / length, q.z / length, q.w / length};
}

#define CHECK(condition, ...) \
    do { \
        if (!(condition)) { \
            print_error("%s is false: ", #condition); \
            print_error(__VA_ARGS__); \
            print_error(" (seed %llu)\n", (unsigned long long)seed); \
            fail(); \
        } \
    } while (0)

static int reset(void **context)
{
    (void)context;
    const char *text = getenv("COULIS_TEST_SEED");
    seed = text ? strtoull(text, NULL, 10) : 1;
    state = seed;
    return 0;
}

static couShape *make(couShapeDef def)
{
    couFaults faults = {0};
    couShape *shape = couCreateShape(&def, &faults);
    for (int i = 0; i < faults.count; ++i) print_error("%s: %s\n", faults.items[i].key, faults.items[i].message);
    assert_non_null(shape);
    assert_int_equal(faults.count, 0);
    return shape;
}

// Takes over the child's reference.
static couShape *make_around(couShapeDef def, couShape *child)
{
    def.children = &child;
    def.child_count = 1;
    couShape *shape = make(def);
    couShape_Release(child);
    return shape;
}

static couShape *make_placed(couShape *child, couVec3 at, couQuat rotation)
{
    return make_around((couShapeDef){.kind = cou_shapePlaced, .pose = {at, rotation}}, child);
}

static couShape *make_shell(couShape *child, float thickness, bool is_open)
{
    return make_around((couShapeDef){.kind = cou_shapeShell, .thickness = thickness, .is_open = is_open}, child);
}

static couShape *make_union(couShape **children, int count)
{
    couShape *shape = make((couShapeDef){.kind = cou_shapeUnion, .children = children, .child_count = count});
    for (int i = 0; i < count; ++i) couShape_Release(children[i]);
    return shape;
}

static const couQuat no_turn = {0, 0, 0, 1};

static couQuat turned(couVec3 axis, double degrees)
{
    double half = degrees * COU_PI / 360.0;
    couVec3 n = couNormalize(axis);
    return (couQuat){(float)(n.x * sin(half)), (float)(n.y * sin(half)), (float)(n.z * sin(half)), (float)cos(half)};
}

// --- The second description of the primitives --------------------------------------------------------------------------------

typedef struct Point {
    double x, y, z;
} Point;

typedef enum PatchKind {
    patch_segment, // profile from (a, b) to (c, d), turned about y
    patch_arc,     // profile around (a, b), radius c, from angle d to e, turned about y
    patch_wall     // from (a, b) to (c, d) in the xy plane, swept in z from -e to e
} PatchKind;

typedef struct Patch {
    PatchKind kind;
    double a, b, c, d, e;
} Patch;

typedef struct Primitive {
    const char *name;
    couShapeDef def;
    Patch patches[16];
    int patch_count;
    bool (*is_inside)(const couShapeDef *def, int dimension, Point p);
} Primitive;

static bool inside_box(const couShapeDef *def, int dimension, Point p)
{
    return fabs(p.x) < def->size.x / 2 && fabs(p.y) < def->size.y / 2 && (dimension == 2 || fabs(p.z) < def->size.z / 2);
}

static bool inside_sphere(const couShapeDef *def, int dimension, Point p)
{
    (void)dimension;
    return p.x * p.x + p.y * p.y + p.z * p.z < (double)def->radius * def->radius;
}

static bool inside_capsule(const couShapeDef *def, int dimension, Point p)
{
    double half = def->height / 2;
    Point low = {p.x, p.y + half, p.z}, high = {p.x, p.y - half, p.z};
    bool is_in_tube = hypot(p.x, p.z) < def->radius && fabs(p.y) < half;
    return is_in_tube || inside_sphere(def, dimension, low) || inside_sphere(def, dimension, high);
}

static bool inside_cylinder(const couShapeDef *def, int dimension, Point p)
{
    (void)dimension;
    return hypot(p.x, p.z) < def->radius && fabs(p.y) < def->height / 2;
}

static bool inside_cone(const couShapeDef *def, int dimension, Point p)
{
    (void)dimension;
    double share = p.y / def->height + 0.5;
    return share > 0 && share < 1 && hypot(p.x, p.z) < def->radius * (1 - share) + def->radius2 * share;
}

static bool inside_torus(const couShapeDef *def, int dimension, Point p)
{
    (void)dimension;
    return hypot(hypot(p.x, p.z) - def->radius, p.y) < def->radius2;
}

static bool inside_disk(const couShapeDef *def, int dimension, Point p)
{
    (void)def, (void)dimension, (void)p;
    return false;
}

// By the sum of the angles under which the edges are seen.
static bool inside_polygon(const couShapeDef *def, int dimension, Point p)
{
    double angle = 0;
    for (int i = 0; i < def->point_count; ++i) {
        couVec3 a = def->points[i], b = def->points[(i + 1) % def->point_count];
        double ax = a.x - p.x, ay = a.y - p.y, bx = b.x - p.x, by = b.y - p.y;
        angle += atan2(ax * by - ay * bx, ax * bx + ay * by);
    }
    return fabs(angle) > COU_PI && (dimension == 2 || fabs(p.z) < def->height / 2);
}

static const couVec3 zigzag[] = {{-0.8f, -0.6f, 0}, {0.9f, -0.7f, 0}, {0.7f, 0.5f, 0},
                                 {0.2f, -0.1f, 0},  {-0.1f, 0.8f, 0}, {-0.9f, 0.3f, 0}};
static const couVec3 kite[] = {{0, -0.9f, 0}, {-0.6f, 0.1f, 0}, {0, 0.6f, 0}, {0.7f, 0.2f, 0}}; // clockwise, convex

static void add_walls(Primitive *primitive)
{
    const couShapeDef *def = &primitive->def;
    for (int i = 0; i < def->point_count; ++i) {
        couVec3 a = def->points[i], b = def->points[(i + 1) % def->point_count];
        primitive->patches[primitive->patch_count++] = (Patch){patch_wall, a.x, a.y, b.x, b.y, def->height / 2};
    }
}

#define PRIMITIVE_COUNT 12
static const Primitive *primitives(void)
{
    static Primitive table[PRIMITIVE_COUNT] = {
        {.name = "box",
         .def = {.kind = cou_shapeBox, .size = {1.2f, 0.8f, 1.6f}},
         .is_inside = inside_box,
         .patches = {{patch_wall, -0.6, -0.4, 0.6, -0.4, 0.8},
                     {patch_wall, 0.6, -0.4, 0.6, 0.4, 0.8},
                     {patch_wall, 0.6, 0.4, -0.6, 0.4, 0.8},
                     {patch_wall, -0.6, 0.4, -0.6, -0.4, 0.8}},
         .patch_count = 4},
        {.name = "sphere",
         .def = {.kind = cou_shapeSphere, .radius = 0.7f},
         .is_inside = inside_sphere,
         .patches = {{patch_arc, 0, 0, 0.7f, -COU_PI / 2, COU_PI / 2}},
         .patch_count = 1},
        {.name = "capsule",
         .def = {.kind = cou_shapeCapsule, .radius = 0.4f, .height = 0.9f},
         .is_inside = inside_capsule,
         .patches = {{patch_arc, 0, 0.45f, 0.4f, 0, COU_PI / 2},
                     {patch_arc, 0, -0.45f, 0.4f, -COU_PI / 2, 0},
                     {patch_segment, 0.4f, -0.45f, 0.4f, 0.45f, 0}},
         .patch_count = 3},
        {.name = "cylinder",
         .def = {.kind = cou_shapeCylinder, .radius = 0.6f, .height = 0.7f},
         .is_inside = inside_cylinder,
         .patches = {{patch_segment, 0, -0.35f, 0.6f, -0.35f, 0},
                     {patch_segment, 0.6f, -0.35f, 0.6f, 0.35f, 0},
                     {patch_segment, 0.6f, 0.35f, 0, 0.35f, 0}},
         .patch_count = 3},
        {.name = "cone",
         .def = {.kind = cou_shapeCone, .radius = 0.8f, .radius2 = 0.3f, .height = 1.1f},
         .is_inside = inside_cone,
         .patches = {{patch_segment, 0, -0.55f, 0.8f, -0.55f, 0},
                     {patch_segment, 0.8f, -0.55f, 0.3f, 0.55f, 0},
                     {patch_segment, 0.3f, 0.55f, 0, 0.55f, 0}},
         .patch_count = 3},
        {.name = "bucket",
         .def = {.kind = cou_shapeCone, .radius = 0.3f, .radius2 = 0.9f, .height = 0.8f},
         .is_inside = inside_cone,
         .patches = {{patch_segment, 0, -0.4f, 0.3f, -0.4f, 0},
                     {patch_segment, 0.3f, -0.4f, 0.9f, 0.4f, 0},
                     {patch_segment, 0.9f, 0.4f, 0, 0.4f, 0}},
         .patch_count = 3},
        {.name = "tip",
         .def = {.kind = cou_shapeCone, .radius = 0.7f, .radius2 = 0, .height = 1.0f},
         .is_inside = inside_cone,
         .patches = {{patch_segment, 0, -0.5f, 0.7f, -0.5f, 0}, {patch_segment, 0.7f, -0.5f, 0, 0.5f, 0}},
         .patch_count = 2},
        {.name = "torus",
         .def = {.kind = cou_shapeTorus, .radius = 0.7f, .radius2 = 0.25f},
         .is_inside = inside_torus,
         .patches = {{patch_arc, 0.7f, 0, 0.25f, -COU_PI, COU_PI}},
         .patch_count = 1},
        {.name = "disk",
         .def = {.kind = cou_shapeDisk, .radius = 0.8f},
         .is_inside = inside_disk,
         .patches = {{patch_segment, 0, 0, 0.8f, 0, 0}},
         .patch_count = 1},
        {.name = "zigzag",
         .def = {.kind = cou_shapePolygon, .height = 0.8f, .points = zigzag, .point_count = COU_COUNT(zigzag)},
         .is_inside = inside_polygon},
        {.name = "kite",
         .def = {.kind = cou_shapePolygon, .height = 1.0f, .points = kite, .point_count = COU_COUNT(kite)},
         .is_inside = inside_polygon},
        // A long thin cone, whose caps and side are of very different size.
        {.name = "plate",
         .def = {.kind = cou_shapeCone, .radius = 1.0f, .radius2 = 0.9f, .height = 0.05f},
         .is_inside = inside_cone,
         .patches = {{patch_segment, 0, -0.025f, 1.0f, -0.025f, 0},
                     {patch_segment, 1.0f, -0.025f, 0.9f, 0.025f, 0},
                     {patch_segment, 0.9f, 0.025f, 0, 0.025f, 0}},
         .patch_count = 3},
    };
    static bool is_filled = false;
    for (int i = 0; i < PRIMITIVE_COUNT && !is_filled; ++i) {
        if (table[i].def.kind == cou_shapePolygon) add_walls(&table[i]);
    }
    is_filled = true;
    return table;
}

// The patch at (u, v), each 0 to 1. In the plane v only chooses the side of a turned profile.
static Point patch_point(const Patch *patch, int dimension, double u, double v)
{
    double r = patch->a + u * (patch->c - patch->a), y = patch->b + u * (patch->d - patch->b);
    if (patch->kind == patch_wall) return (Point){r, y, dimension == 2 ? 0 : (2 * v - 1) * patch->e};
    if (patch->kind == patch_arc) {
        double angle = patch->d + u * (patch->e - patch->d);
        r = patch->a + patch->c * cos(angle);
        y = patch->b + patch->c * sin(angle);
    }
    if (dimension == 2) return (Point){v < 0.5 ? -r : r, y, 0};
    return (Point){r * cos(2 * COU_PI * v), y, r * sin(2 * COU_PI * v)};
}

static double gap2(Point a, couVec3 b)
{
    double x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
    return x * x + y * y + z * z;
}

// Searches along u, and along v where `fixed_v` is negative.
static double patch_distance2(const Patch *patch, int dimension, couVec3 p, double fixed_v)
{
    enum { grid = 24 };
    double best = INFINITY, best_u = 0, best_v = 0;
    for (int i = 0; i < grid; ++i) { // off the ends, for a pole has no azimuth to start from
        for (int j = 0; j <= grid; ++j) {
            double u = (i + 0.5) / grid, v = fixed_v < 0 ? (double)j / grid : fixed_v;
            double gap = gap2(patch_point(patch, dimension, u, v), p);
            if (gap < best) best = gap, best_u = u, best_v = v;
        }
    }
    for (double step = 0.5 / grid; step > 1e-5; step *= 0.8) {
        double u0 = best_u, v0 = best_v;
        const int offsets[] = {0, -1, 1, -2, 2}; // staying first: at a pole all azimuths are as good
        for (int i = 0; i < 5; ++i) {
            for (int j = 0; j < 5; ++j) {
                double u = COU_CLAMP(u0 + offsets[i] * step, 0.0, 1.0), v = fixed_v < 0 ? v0 + offsets[j] * step : fixed_v;
                if (patch->kind == patch_wall) v = COU_CLAMP(v, 0.0, 1.0); // the others go round
                double gap = gap2(patch_point(patch, dimension, u, v), p);
                if (gap < best) best = gap, best_u = u, best_v = v;
            }
        }
    }
    return best;
}

static double reference_distance(const Primitive *primitive, int dimension, couVec3 p)
{
    const couShapeDef *def = &primitive->def;
    Point at = {p.x, p.y, p.z};
    double best = INFINITY;
    for (int i = 0; i < primitive->patch_count; ++i) {
        const Patch *patch = &primitive->patches[i];
        if (dimension == 3)
            best = fmin(best, patch_distance2(patch, 3, p, -1));
        else
            best = fmin(best, fmin(patch_distance2(patch, 2, p, 0), patch_distance2(patch, 2, p, 1)));
    }
    // Flat faces across z: straight below the point, where there is face.
    double half = def->kind == cou_shapeBox ? def->size.z / 2 : def->height / 2;
    bool has_faces = def->kind == cou_shapeBox || def->kind == cou_shapePolygon;
    if (dimension == 3 && has_faces && primitive->is_inside(def, 2, at)) best = fmin(best, pow(fabs(p.z) - half, 2));
    return (primitive->is_inside(def, dimension, at) ? -1 : 1) * sqrt(best);
}

// --- Distances ---------------------------------------------------------------------------------------------------------------

static void primitives_match_brute_force(void **context)
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

static void plane_is_exact(void **context)
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

static void poses_move_exactly(void **context)
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
static void cut_out_of_plane_is_bounded(void **context)
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

typedef struct Tree {
    const char *name;
    couShape *shape;
    int dimension;
    bool is_tight; // the field shall be the distance, from outside and near the shape
    bool (*is_solid)(Point p);
} Tree;

static double box_gap(Point p, double hx, double hy, double hz)
{
    double x = fmax(fabs(p.x) - hx, 0), y = fmax(fabs(p.y) - hy, 0), z = fmax(fabs(p.z) - hz, 0);
    return sqrt(x * x + y * y + z * z);
}

static bool solid_tank(Point p)
{
    bool is_free = fabs(p.x) < 0.6 && fabs(p.y) < 0.5 && fabs(p.z) < 0.7;
    return p.y <= 0.5 && !is_free && box_gap(p, 0.6, 0.5, 0.7) <= 0.1;
}

static bool solid_tank_2d(Point p)
{
    bool is_free = fabs(p.x) < 0.6 && fabs(p.y) < 0.5;
    return p.y <= 0.5 && !is_free && box_gap(p, 0.6, 0.5, 1) <= 0.1;
}

static bool solid_closed(Point p)
{
    bool is_free = fabs(p.x) < 0.6 && fabs(p.y) < 0.5 && fabs(p.z) < 0.7;
    return !is_free && box_gap(p, 0.6, 0.5, 0.7) <= 0.1;
}

static bool solid_glass(Point p)
{
    double r = hypot(p.x, p.z);
    return p.y <= 0.6 && !(r < 0.5 && fabs(p.y) < 0.6) && hypot(fmax(r - 0.5, 0), fmax(fabs(p.y) - 0.6, 0)) <= 0.15;
}

// The glass lying on a placed child whose own x looks up.
static bool solid_trough(Point p)
{
    bool is_free = fabs(p.x) < 0.5 && fabs(p.y) < 0.6 && fabs(p.z) < 0.7;
    return p.y <= 0.6 && !is_free && box_gap(p, 0.5, 0.6, 0.7) <= 0.12;
}

// Distance to a trapezoid, by its sides.
static double trapezoid_gap(double r, double y, double r1, double r2, double half)
{
    double share = y / (2 * half) + 0.5;
    if (share >= 0 && share <= 1 && r <= r1 + share * (r2 - r1)) return 0;
    double t = ((r - r1) * (r2 - r1) + (y + half) * 2 * half) / ((r2 - r1) * (r2 - r1) + 4 * half * half);
    t = COU_CLAMP(t, 0.0, 1.0);
    double best = hypot(r - r1 - t * (r2 - r1), y + half - t * 2 * half);
    best = fmin(best, hypot(fmax(r - r1, 0), y + half));
    return fmin(best, hypot(fmax(r - r2, 0), y - half));
}

static bool solid_bucket(Point p)
{
    double gap = trapezoid_gap(hypot(p.x, p.z), p.y, 0.3, 0.6, 0.5);
    return p.y <= 0.5 && gap > 0 && gap <= 0.1;
}

static bool solid_flask(Point p)
{
    double gap = trapezoid_gap(hypot(p.x, p.z), p.y, 0.7, 0.25, 0.5);
    return p.y <= 0.5 && gap > 0 && gap <= 0.1;
}

static const couVec3 basin[] = {{-0.6f, 0.5f, 0}, {-0.4f, -0.5f, 0}, {0.4f, -0.5f, 0}, {0.7f, 0.5f, 0}};

static bool solid_basin(Point p)
{
    double gap = INFINITY;
    couShapeDef def = {.points = basin, .point_count = COU_COUNT(basin)};
    if (inside_polygon(&def, 2, p)) return false;
    for (int i = 0; i < COU_COUNT(basin); ++i) {
        couVec3 a = basin[i], b = basin[(i + 1) % COU_COUNT(basin)];
        double ex = b.x - a.x, ey = b.y - a.y;
        double t = ((p.x - a.x) * ex + (p.y - a.y) * ey) / (ex * ex + ey * ey);
        t = COU_CLAMP(t, 0.0, 1.0);
        gap = fmin(gap, hypot(p.x - a.x - t * ex, p.y - a.y - t * ey));
    }
    return p.y <= 0.5 && gap <= 0.1;
}

// Two boxes side by side, the second lower, as one tank with a step in its rim.
static bool solid_steps(Point p)
{
    Point q = {p.x - 0.5, p.y + 0.2, p.z};
    bool is_free = (fabs(p.x) < 0.4 && fabs(p.y) < 0.5 && fabs(p.z) < 0.4) ||
                   (fabs(q.x) < 0.3 && fabs(q.y) < 0.3 && fabs(q.z) < 0.3);
    double gap = fmin(box_gap(p, 0.4, 0.5, 0.4), box_gap(q, 0.3, 0.3, 0.3));
    return p.y <= 0.5 && !is_free && gap <= 0.1;
}

static bool solid_pair(Point p)
{
    Point q = {p.x - 0.3, p.y - 0.2, p.z};
    bool is_in_ball = p.x * p.x + p.y * p.y + p.z * p.z <= 0.5 * 0.5;
    return is_in_ball || (fabs(q.x) <= 0.5 && fabs(q.y) <= 0.1 && fabs(q.z) <= 0.6);
}

static couShape *make_box(float x, float y, float z) { return make((couShapeDef){.kind = cou_shapeBox, .size = {x, y, z}}); }

#define TREE_COUNT 13
static void make_trees(Tree *trees)
{
    couShapeDef cylinder = {.kind = cou_shapeCylinder, .radius = 0.5f, .height = 1.2f};
    couShapeDef bucket = {.kind = cou_shapeCone, .radius = 0.3f, .radius2 = 0.6f, .height = 1};
    couShapeDef flask = {.kind = cou_shapeCone, .radius = 0.7f, .radius2 = 0.25f, .height = 1};
    couShapeDef prism = {.kind = cou_shapePolygon, .height = 1, .points = basin, .point_count = COU_COUNT(basin)};
    couShape *steps[2] = {make_box(0.8f, 1, 0.8f), make_placed(make_box(0.6f, 0.6f, 0.6f), (couVec3){0.5f, -0.2f, 0}, no_turn)};
    couShape *pair[2] = {make((couShapeDef){.kind = cou_shapeSphere, .radius = 0.5f}),
                         make_placed(make_box(1, 0.2f, 1.2f), (couVec3){0.3f, 0.2f, 0}, no_turn)};
    couShape *trough = make_placed(make_box(1.2f, 1.0f, 1.4f), (couVec3){0, 0, 0}, turned((couVec3){0, 0, 1}, 90));
    couShape *flipped = make_placed(make(bucket), (couVec3){0, 0, 0}, turned((couVec3){1, 0, 0}, 180));
    Tree list[TREE_COUNT] = {
        {"tank", make_shell(make_box(1.2f, 1, 1.4f), 0.1f, true), 3, true, solid_tank},
        {"tank", make_shell(make_box(1.2f, 1, 1.4f), 0.1f, true), 2, true, solid_tank_2d},
        {"closed", make_shell(make_box(1.2f, 1, 1.4f), 0.1f, false), 3, true, solid_closed},
        {"glass", make_shell(make(cylinder), 0.15f, true), 3, true, solid_glass},
        {"glass", make_shell(make(cylinder), 0.15f, true), 2, true, solid_glass},
        {"trough", make_shell(trough, 0.12f, true), 3, true, solid_trough},
        {"bucket", make_shell(make(bucket), 0.1f, true), 3, true, solid_bucket},
        {"bucket", make_shell(make(bucket), 0.1f, true), 2, true, solid_bucket},
        {"flask", make_shell(make(flask), 0.1f, true), 3, false, solid_flask},
        {"basin", make_shell(make(prism), 0.1f, true), 2, true, solid_basin},
        {"steps", make_shell(make_union(steps, 2), 0.1f, true), 3, false, solid_steps},
        {"pair", make_union(pair, 2), 3, true, solid_pair},
        {"flipped", make_placed(make_shell(flipped, 0.1f, true), (couVec3){0, 0, 0}, no_turn), 3, false, NULL},
    };
    memcpy(trees, list, sizeof list);
}

static void release_trees(Tree *trees)
{
    for (int i = 0; i < TREE_COUNT; ++i) couShape_Release(trees[i].shape);
}

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

static void trees_are_lower_bounds(void **context)
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
static void union_is_the_least_child(void **context)
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
static void depth_is_a_lower_bound(void **context)
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
static void opening_is_no_wall(void **context)
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

static void normals_are_gradients(void **context)
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

static void normals_exist_everywhere(void **context)
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

static void segments_match_sampling(void **context)
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

static void disk_is_crossed(void **context)
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
static void thin_walls_are_found(void **context)
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

static void grazing_is_no_hit(void **context)
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

static void pockets_see_each_other(void **context)
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

static void pockets_are_known(void **context)
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

// --- Numbers about a shape ---------------------------------------------------------------------------------------------------

static void bounds_are_tight(void **context)
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

static void bounds_hold_trees(void **context)
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

static void thinness_is_known(void **context)
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

static void faces_have_area(void **context)
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

static void defs_are_kept(void **context)
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
#define DEF(...) ((couShapeDef){__VA_ARGS__})

static void bad_numbers_are_faults(void **context)
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

static void bad_outlines_are_faults(void **context)
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

static void bad_trees_are_faults(void **context)
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

static void deep_and_heavy_trees_are_faults(void **context)
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

static void without_memory_there_is_a_fault(void **context)
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
    assert_string_equal(faults.items[0].key, "union");
    assert_non_null(strstr(faults.items[0].message, "no memory"));
    couFaults_Clear(&faults);
    couShape_Release(ball);
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

static void meshes_are_like_formulas(void **context)
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

static void a_mesh_needs_its_grid(void **context)
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
        cmocka_unit_test_setup(meshes_are_like_formulas, reset),
        cmocka_unit_test_setup(a_mesh_needs_its_grid, reset),
        cmocka_unit_test_setup(primitives_match_brute_force, reset),
        cmocka_unit_test_setup(plane_is_exact, reset),
        cmocka_unit_test_setup(poses_move_exactly, reset),
        cmocka_unit_test_setup(cut_out_of_plane_is_bounded, reset),
        cmocka_unit_test_setup(trees_are_lower_bounds, reset),
        cmocka_unit_test_setup(union_is_the_least_child, reset),
        cmocka_unit_test_setup(depth_is_a_lower_bound, reset),
        cmocka_unit_test_setup(opening_is_no_wall, reset),
        cmocka_unit_test_setup(normals_are_gradients, reset),
        cmocka_unit_test_setup(normals_exist_everywhere, reset),
        cmocka_unit_test_setup(segments_match_sampling, reset),
        cmocka_unit_test_setup(disk_is_crossed, reset),
        cmocka_unit_test_setup(thin_walls_are_found, reset),
        cmocka_unit_test_setup(grazing_is_no_hit, reset),
        cmocka_unit_test_setup(pockets_see_each_other, reset),
        cmocka_unit_test_setup(pockets_are_known, reset),
        cmocka_unit_test_setup(bounds_are_tight, reset),
        cmocka_unit_test_setup(bounds_hold_trees, reset),
        cmocka_unit_test_setup(thinness_is_known, reset),
        cmocka_unit_test_setup(faces_have_area, reset),
        cmocka_unit_test_setup(defs_are_kept, reset),
        cmocka_unit_test_setup(bad_numbers_are_faults, reset),
        cmocka_unit_test_setup(bad_outlines_are_faults, reset),
        cmocka_unit_test_setup(bad_trees_are_faults, reset),
        cmocka_unit_test_setup(deep_and_heavy_trees_are_faults, reset),
        cmocka_unit_test_setup(without_memory_there_is_a_fault, reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
