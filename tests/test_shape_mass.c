// Masses of shapes three ways: textbook formulas, a jittered lattice of inside tests (couShape_Distance() < 0, which shares
// nothing with the code under test), and the laws that moved, turned and joined solids obey.
#include "testing.h"

#include "base/random.h"

// --- Shapes ------------------------------------------------------------------------------------------------------------------

static couShape *make(couShapeDef def)
{
    couFaults faults = {0};
    couShape *shape = couCreateShape(&def, &faults);
    CHECK_NO_FAULTS(&faults);
    assert_non_null(shape);
    return shape;
}

// Takes over the child's reference.
static couShape *around(couShapeDef def, couShape *child)
{
    def.children = &child, def.child_count = 1;
    couShape *shape = make(def);
    couShape_Release(child);
    return shape;
}

static couQuat rotation(couVec3 axis, double degrees)
{
    double half = degrees * COU_PI / 360.0;
    couVec3 n = couScale((float)sin(half), couNormalize(axis));
    return (couQuat){n.x, n.y, n.z, (float)cos(half)};
}

static couShape *placed(couShape *child, couVec3 at, couQuat turn)
{
    return around((couShapeDef){.kind = cou_shapePlaced, .pose = {at, turn}}, child);
}

static couShape *moved(couShape *child, float x, float y, float z)
{
    return placed(child, (couVec3){x, y, z}, (couQuat){0, 0, 0, 1});
}

static couShape *hollow(couShape *child, float thickness, bool is_open)
{
    return around((couShapeDef){.kind = cou_shapeShell, .thickness = thickness, .is_open = is_open}, child);
}

static couShape *joined(couShape **children, int count)
{
    couShape *shape = make((couShapeDef){.kind = cou_shapeUnion, .children = children, .child_count = count});
    for (int i = 0; i < count; ++i) couShape_Release(children[i]);
    return shape;
}

static couShape *box(float x, float y, float z) { return make((couShapeDef){.kind = cou_shapeBox, .size = {x, y, z}}); }
static couShape *sphere(float radius) { return make((couShapeDef){.kind = cou_shapeSphere, .radius = radius}); }
static couShape *capsule(float radius, float height)
{
    return make((couShapeDef){.kind = cou_shapeCapsule, .radius = radius, .height = height});
}
static couShape *cylinder(float radius, float height)
{
    return make((couShapeDef){.kind = cou_shapeCylinder, .radius = radius, .height = height});
}
static couShape *cone(float radius, float radius2, float height)
{
    return make((couShapeDef){.kind = cou_shapeCone, .radius = radius, .radius2 = radius2, .height = height});
}
static couShape *torus(float radius, float tube)
{
    return make((couShapeDef){.kind = cou_shapeTorus, .radius = radius, .radius2 = tube});
}
static couShape *polygon(const couVec3 *points, int count, float height)
{
    return make((couShapeDef){.kind = cou_shapePolygon, .points = points, .point_count = count, .height = height});
}

// Clockwise, not convex, away from the origin.
static couShape *arrow(void)
{
    static const couVec3 points[] = {{0.2f, 0.1f, 0}, {0.5f, 1.1f, 0}, {1.4f, 0.2f, 0}, {0.6f, 0.5f, 0}};
    return polygon(points, 4, 0.4f);
}

// --- Comparisons -------------------------------------------------------------------------------------------------------------

static couMassProperties mass_of(couShape *shape, int dimension)
{
    couMassProperties mass;
    assert_true(couShape_Mass(shape, dimension, &mass));
    couShape_Release(shape);
    return mass;
}

static void check_mass(const couMassProperties *got, const couMassProperties *expected, double length, double tolerance,
                       const char *what)
{
    int seed = 0;
    for (int k = 0; k < 10; ++k) {
        double g = k == 0 ? got->volume : k < 4 ? got->center[k - 1] : got->inertia[k - 4];
        double e = k == 0 ? expected->volume : k < 4 ? expected->center[k - 1] : expected->inertia[k - 4];
        double unit = k == 0 ? expected->volume : k < 4 ? length : expected->volume * length * length;
        if (fabs(g - e) <= tolerance * unit) continue;
        print_error("%s, number %d of volume, centre, inertia:\n", what, k);
        CHECK_NEAR(g, e, tolerance * unit, seed);
    }
}

// Volume, centre at the origin, and principal moments.
static void check_formula(couShape *shape, int dimension, double volume, double ixx, double iyy, double izz, double tolerance,
                          const char *what)
{
    couMassProperties expected = {.volume = volume, .inertia = {ixx, iyy, izz}};
    couMassProperties got = mass_of(shape, dimension);
    check_mass(&got, &expected, sqrt((ixx + iyy + izz) / volume), tolerance, what);
}

// Inside tests on a lattice with one random point a cell.
static couMassProperties measured(const couShape *shape, int dimension, int cells, int seed)
{
    couRandom random = {couMix64((uint64_t)seed)};
    couBounds bounds;
    assert_true(couShape_Bounds(shape, dimension, &bounds));
    couVec3 size = couSub(bounds.upper, bounds.lower);
    double volume = 0, first[3] = {0}, second[3][3] = {{0}};
    int depth = dimension == 2 ? 1 : cells;
    for (int k = 0; k < depth; ++k)
        for (int j = 0; j < cells; ++j)
            for (int i = 0; i < cells; ++i) {
                double x[3] = {bounds.lower.x + size.x * ((float)i + couRandomFloat(&random)) / (float)cells,
                               bounds.lower.y + size.y * ((float)j + couRandomFloat(&random)) / (float)cells,
                               bounds.lower.z + size.z * ((float)k + couRandomFloat(&random)) / (float)cells};
                couVec3 p = {(float)x[0], (float)x[1], dimension == 2 ? 0.0f : (float)x[2]};
                x[2] = p.z;
                if (!(couShape_Distance(shape, dimension, p) < 0.0f)) continue;
                volume += 1;
                for (int a = 0; a < 3; ++a) first[a] += x[a];
                for (int a = 0; a < 3; ++a)
                    for (int b = 0; b < 3; ++b) second[a][b] += x[a] * x[b];
            }
    assert_true(volume > 0);
    double cell = (double)size.x * size.y / cells / cells * (dimension == 2 ? 1.0 : (double)size.z / cells);
    couMassProperties mass = {.volume = volume * cell};
    double spread[3][3];
    for (int a = 0; a < 3; ++a) mass.center[a] = first[a] / volume;
    for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b) spread[a][b] = cell * (second[a][b] - volume * mass.center[a] * mass.center[b]);
    double trace = spread[0][0] + spread[1][1] + spread[2][2];
    for (int a = 0; a < 3; ++a) mass.inertia[a] = trace - spread[a][a];
    mass.inertia[3] = -spread[0][1], mass.inertia[4] = -spread[0][2], mass.inertia[5] = -spread[1][2];
    return mass;
}

// The lattice's own error is about 5e-4 of a solid and grows as the solid fills less of its bounds.
static void check_measured(couShape *shape, int dimension, double tolerance, const char *what)
{
    couBounds bounds;
    assert_true(couShape_Bounds(shape, dimension, &bounds));
    couMassProperties expected = measured(shape, dimension, dimension == 2 ? 400 : 60, 7);
    couMassProperties got = mass_of(shape, dimension);
    check_mass(&got, &expected, 0.5 * couLength(couSub(bounds.upper, bounds.lower)), tolerance, what);
}

// --- Single shapes -----------------------------------------------------------------------------------------------------------

static void test_textbook_solids(void **context)
{
    (void)context;
    const double exact = 1e-6, pi = COU_PI;
    double v = 0.2 * 0.3 * 0.5;
    check_formula(box(0.2f, 0.3f, 0.5f), 3, v, v * (0.09 + 0.25) / 12, v * (0.04 + 0.25) / 12, v * (0.04 + 0.09) / 12, exact,
                  "box");
    v = 4.0 / 3.0 * pi * 0.008;
    check_formula(sphere(0.2f), 3, v, 0.4 * v * 0.04, 0.4 * v * 0.04, 0.4 * v * 0.04, exact, "sphere");
    v = pi * 0.04 * 0.7;
    double across = v * (3 * 0.04 + 0.49) / 12;
    check_formula(cylinder(0.2f, 0.7f), 3, v, across, v * 0.04 / 2, across, exact, "cylinder");
    v = 2 * pi * pi * 0.5 * 0.01;
    across = v * (5 * 0.01 + 4 * 0.25) / 8;
    check_formula(torus(0.5f, 0.1f), 3, v, across, v * (3 * 0.01 + 4 * 0.25) / 4, across, exact, "torus");

    // A capsule: cylinder of mass c, two hemispheres of mass b/2 each with their own 83/320 r^2 about their centres.
    double r = 0.2, h = 0.5, c = pi * r * r * h, b = 4.0 / 3.0 * pi * r * r * r;
    across = c * (3 * r * r + h * h) / 12 + b * (83.0 / 320 * r * r + (h / 2 + 3 * r / 8) * (h / 2 + 3 * r / 8));
    check_formula(capsule(0.2f, 0.5f), 3, c + b, across, c * r * r / 2 + 0.4 * b * r * r, across, exact, "capsule");

    // A cone with a tip has its centre at a quarter of the height; standing on either end is the same turned over.
    v = pi * 0.09 * 0.8 / 3;
    couMassProperties expected = {.volume = v, .center = {0, -0.2, 0}};
    expected.inertia[0] = expected.inertia[2] = v * (3.0 / 20 * 0.09 + 3.0 / 80 * 0.64);
    expected.inertia[1] = v * 0.3 * 0.09;
    couMassProperties got = mass_of(cone(0.3f, 0, 0.8f), 3);
    check_mass(&got, &expected, 0.3, exact, "cone");
    got = mass_of(placed(cone(1e-9f, 0.3f, 0.8f), (couVec3){0, 0, 0}, rotation((couVec3){1, 0, 0}, 180)), 3);
    check_mass(&got, &expected, 0.3, exact, "cone turned over");
    v = pi * 0.04 * 0.7;
    across = v * (3 * 0.04 + 0.49) / 12;
    check_formula(cone(0.2f, 0.2f, 0.7f), 3, v, across, v * 0.04 / 2, across, exact, "cone as cylinder");

    const couVec3 corners[] = {{-0.1f, -0.15f, 9}, {-0.1f, 0.15f, 3}, {0.1f, 0.15f, 1}, {0.1f, -0.15f, 0}};
    v = 0.2 * 0.3 * 0.5;
    check_formula(polygon(corners, 4, 0.5f), 3, v, v * (0.09 + 0.25) / 12, v * (0.04 + 0.25) / 12, v * (0.04 + 0.09) / 12, exact,
                  "polygon as box");
}

// In 2D xx is the second moment of y, yy that of x, and zz their sum.
static void test_textbook_areas(void **context)
{
    (void)context;
    const double exact = 1e-6, pi = COU_PI;
    double a = 0.2 * 0.3;
    check_formula(box(0.2f, 0.3f, 7.0f), 2, a, a * 0.09 / 12, a * 0.04 / 12, a * 0.13 / 12, exact, "box");
    check_formula(cylinder(0.1f, 0.3f), 2, a, a * 0.09 / 12, a * 0.04 / 12, a * 0.13 / 12, exact, "cylinder");
    check_formula(cone(0.1f, 0.1f, 0.3f), 2, a, a * 0.09 / 12, a * 0.04 / 12, a * 0.13 / 12, exact, "cone as box");
    a = pi * 0.04;
    check_formula(sphere(0.2f), 2, a, a * 0.01, a * 0.01, a * 0.02, exact, "disc");
    a = 2 * pi * 0.01;
    check_formula(torus(0.5f, 0.1f), 2, a, a * 0.0025, a * 0.2525, a * 0.255, exact, "two discs");

    // An isosceles triangle: h^2/18 and base^2/24.
    a = 0.3 * 0.8;
    couMassProperties expected = {.volume = a, .center = {0, -0.8 / 6, 0}};
    expected.inertia[0] = a * 0.64 / 18, expected.inertia[1] = a * 0.36 / 24;
    expected.inertia[2] = expected.inertia[0] + expected.inertia[1];
    couMassProperties got = mass_of(cone(0.3f, 0, 0.8f), 2);
    check_mass(&got, &expected, 0.3, exact, "triangle");
    const couVec3 corners[] = {{-0.3f, -0.4f, 0}, {0.3f, -0.4f, 0}, {0, 0.4f, 0}};
    got = mass_of(polygon(corners, 3, 5.0f), 2);
    check_mass(&got, &expected, 0.3, exact, "polygon");
}

static void test_single_shapes_as_measured(void **context)
{
    (void)context;
    for (int dimension = 2; dimension <= 3; ++dimension) {
        check_measured(box(0.3f, 0.5f, 0.2f), dimension, 1e-3, "box");
        check_measured(sphere(0.3f), dimension, 1e-3, "sphere");
        check_measured(capsule(0.2f, 0.3f), dimension, 1e-3, "capsule");
        check_measured(cylinder(0.2f, 0.3f), dimension, 1e-3, "cylinder");
        check_measured(cone(0.2f, 0.5f, 0.3f), dimension, 1e-3, "cone");
        check_measured(torus(0.4f, 0.15f), dimension, 2e-3, "torus");
        check_measured(arrow(), dimension, 2e-3, "arrow");
        couVec3 axis = dimension == 2 ? (couVec3){0, 0, 1} : (couVec3){1, 2, -1};
        couVec3 at = {0.4f, -0.7f, dimension == 2 ? 0.0f : 0.3f};
        check_measured(placed(arrow(), at, rotation(axis, 35)), dimension, 2e-3, "arrow moved and turned");
        check_measured(placed(cone(0.1f, 0.3f, 0.8f), at, rotation(axis, 200)), dimension, 2e-3, "cone moved and turned");
    }
}

// --- Laws --------------------------------------------------------------------------------------------------------------------

// I' = R I R^T, and the sum over the axes stays; a pose within a pose is both.
static void test_poses_turn_the_inertia(void **context)
{
    (void)context;
    couQuat turn = rotation((couVec3){0, 0, 1}, 90);
    couMassProperties still = mass_of(arrow(), 3);
    couMassProperties got = mass_of(placed(arrow(), (couVec3){1, 2, 3}, turn), 3);
    // x goes to y, y to -x.
    couMassProperties expected = {.volume = still.volume, .center = {1 - still.center[1], 2 + still.center[0], 3}};
    expected.inertia[0] = still.inertia[1], expected.inertia[1] = still.inertia[0], expected.inertia[2] = still.inertia[2];
    expected.inertia[3] = -still.inertia[3];
    check_mass(&got, &expected, 1.0, 1e-6, "turned about z");
    assert_true(fabs(still.inertia[3]) > 0.01 * still.inertia[2]); // the product matters
    couQuat other = rotation((couVec3){1, -1, 2}, 50);
    got = mass_of(placed(placed(arrow(), (couVec3){1, 2, 3}, turn), (couVec3){-1, 0, 2}, other), 3);
    couPose pose = couCompose((couPose){{-1, 0, 2}, other}, (couPose){{1, 2, 3}, turn});
    expected = mass_of(placed(arrow(), pose.position, pose.rotation), 3);
    check_mass(&got, &expected, 1.0, 1e-6, "pose within a pose");
    CHECK_NEAR(got.inertia[0] + got.inertia[1] + got.inertia[2], still.inertia[0] + still.inertia[1] + still.inertia[2], 1e-7, 0);
}

// Parts apart are added by m d^2; touching counts as apart.
static void test_parts_obey_the_parallel_axis_theorem(void **context)
{
    (void)context;
    couShape *halves[] = {moved(box(0.5f, 0.4f, 0.3f), 0.25f, 0, 0), moved(box(0.5f, 0.4f, 0.3f), -0.25f, 0, 0)};
    double v = 0.4 * 0.3;
    check_formula(joined(halves, 2), 3, v, v * 0.25 / 12, v * 1.09 / 12, v * 1.16 / 12, 1e-6, "two halves");
    couShape *balls[] = {moved(sphere(0.1f), 1, 2, 0), moved(sphere(0.1f), -1, -2, 0)};
    v = 2 * 4.0 / 3.0 * COU_PI * 0.001;
    couMassProperties got = mass_of(joined(balls, 2), 3);
    couMassProperties expected = {.volume = v, .inertia = {v * 4.004, v * 1.004, v * 5.004, -v * 2, 0, 0}};
    check_mass(&got, &expected, 2.0, 1e-6, "dumbbell");
}

// --- Shells and unions -------------------------------------------------------------------------------------------------------

static void check_hollow_ball(double radius, double thickness)
{
    double outer = radius + thickness, v = 4.0 / 3.0 * COU_PI * (pow(outer, 3) - pow(radius, 3));
    double i = 8.0 / 15.0 * COU_PI * (pow(outer, 5) - pow(radius, 5));
    check_formula(hollow(sphere((float)radius), (float)thickness, false), 3, v, i, i, i, 1e-3, "hollow ball");
    double a = COU_PI * (outer * outer - radius * radius), j = COU_PI / 4 * (pow(outer, 4) - pow(radius, 4));
    check_formula(hollow(sphere((float)radius), (float)thickness, false), 2, a, j, j, 2 * j, 1e-3, "ring");
}

// Steiner: the box grown by t has rounded edges and corners.
static void check_hollow_box(double x, double y, double z, double t)
{
    double v = 2 * (x * y + y * z + z * x) * t + COU_PI * (x + y + z) * t * t + 4.0 / 3.0 * COU_PI * t * t * t;
    couMassProperties got = mass_of(hollow(box((float)x, (float)y, (float)z), (float)t, false), 3);
    CHECK_NEAR(got.volume, v, 1e-3 * v, 0);
    for (int axis = 0; axis < 3; ++axis) CHECK_NEAR(got.center[axis], 0.0, 1e-3 * x, 0);
    got = mass_of(hollow(box((float)x, (float)y, (float)z), (float)t, false), 2);
    double a = 2 * (x + y) * t + COU_PI * t * t;
    CHECK_NEAR(got.volume, a, 1e-3 * a, 0);
}

// Also walls far thinner than anything that could be sampled by itself.
static void test_walls_of_any_thickness(void **context)
{
    (void)context;
    const double thickness[] = {0.3, 0.1, 0.02, 0.004, 0.0005};
    for (int i = 0; i < COU_COUNT(thickness); ++i) {
        check_hollow_ball(0.5, thickness[i]);
        check_hollow_box(1.0, 0.6, 0.8, thickness[i]);
    }
}

// A glass: wall and floor with a round edge between them (a quarter of a ring tube), cut off at the top.
static void test_open_glass_by_formula(void **context)
{
    (void)context;
    for (double t = 0.03; t > 0.0005; t /= 4) {
        double r = 0.04, h = 0.12;
        double wall = COU_PI * ((r + t) * (r + t) - r * r) * h, floor = COU_PI * r * r * t;
        double edge_area = COU_PI * t * t / 4, edge = 2 * COU_PI * (r + 4 * t / (3 * COU_PI)) * edge_area;
        double v = wall + floor + edge;
        double center = -(floor * (h / 2 + t / 2) + edge * (h / 2 + 4 * t / (3 * COU_PI))) / v;
        couMassProperties got = mass_of(hollow(cylinder((float)r, (float)h), (float)t, true), 3);
        CHECK_NEAR(got.volume, v, 1e-3 * v, 0);
        CHECK_NEAR(got.center[1], center, 1e-3 * h, 0);
        CHECK_NEAR(got.center[0], 0, 1e-3 * h, 0);
        got = mass_of(
            placed(hollow(cylinder((float)r, (float)h), (float)t, true), (couVec3){1, 0, 0}, rotation((couVec3){0, 0, 1}, 90)),
            3);
        CHECK_NEAR(got.volume, v, 1e-3 * v, 0);
        CHECK_NEAR(got.center[0], 1 - center, 1e-3 * h, 0);
    }
}

static void test_overlapping_parts_count_once(void **context)
{
    (void)context;
    // Two balls at a distance d share a lens of pi (2 r - d)^2 (d^2 + 4 d r) / (12 d).
    double r = 0.5, d = 0.6, lens = COU_PI * pow(2 * r - d, 2) * (d * d + 4 * d * r) / (12 * d);
    couShape *balls[] = {moved(sphere(0.5f), -0.3f, 0, 0), moved(sphere(0.5f), 0.3f, 0, 0)};
    double v = 2 * 4.0 / 3.0 * COU_PI * r * r * r - lens;
    couMassProperties got = mass_of(joined(balls, 2), 3);
    CHECK_NEAR(got.volume, v, 1e-3 * v, 0);
    CHECK_NEAR(got.center[0], 0, 1e-3, 0);

    // The same box twice, and three boxes in a row that touch at a slant, where bounds say nothing.
    couQuat turn = rotation((couVec3){1, 2, 3}, 40);
    couShape *twice[] = {placed(box(0.5f, 0.4f, 0.3f), (couVec3){0}, turn), placed(box(0.5f, 0.4f, 0.3f), (couVec3){0}, turn)};
    couMassProperties expected = mass_of(placed(box(0.5f, 0.4f, 0.3f), (couVec3){0}, turn), 3);
    got = mass_of(joined(twice, 2), 3);
    check_mass(&got, &expected, 0.5, 1e-3, "twice the same");
    couShape *row[3];
    for (int i = 0; i < 3; ++i)
        row[i] = placed(box(0.5f, 0.4f, 0.3f), couRotate(turn, (couVec3){0.5f * (float)(i - 1), 0, 0}), turn);
    expected = mass_of(placed(box(1.5f, 0.4f, 0.3f), (couVec3){0}, turn), 3);
    got = mass_of(joined(row, 3), 3);
    check_mass(&got, &expected, 1.5, 1e-3, "three in a row");
}

// A plate of 3 mm on four legs that reach into it.
static void test_thin_plate_in_a_union(void **context)
{
    (void)context;
    couShape *parts[5] = {moved(box(1.0f, 0.003f, 0.6f), 0, 0.7f, 0)};
    for (int i = 0; i < 4; ++i) parts[i + 1] = moved(box(0.05f, 0.7f, 0.05f), i & 1 ? 0.4f : -0.4f, 0.35f, i & 2 ? 0.2f : -0.2f);
    double plate = 0.003 * 0.6, legs = 4 * 0.05 * 0.05 * 0.7, shared = 4 * 0.05 * 0.05 * 0.0015, v = plate + legs - shared;
    couMassProperties got = mass_of(joined(parts, 5), 3);
    CHECK_NEAR(got.volume, v, 1e-3 * v, 0);
    CHECK_NEAR(got.center[1], (plate * 0.7 + legs * 0.35 - shared * 0.69925) / v, 1e-3, 0);
}

static void test_trees_as_measured(void **context)
{
    (void)context;
    for (int dimension = 2; dimension <= 3; ++dimension) {
        check_measured(hollow(box(0.6f, 0.5f, 0.4f), 0.1f, true), dimension, 3e-3, "tank");
        check_measured(hollow(arrow(), 0.1f, false), dimension, 3e-3, "hollow arrow");
        check_measured(hollow(cone(0.2f, 0.4f, 0.6f), 0.08f, true), dimension, 3e-3, "funnel");
        check_measured(hollow(sphere(0.4f), 0.08f, true), dimension, 3e-3, "bowl");
        couVec3 axis = dimension == 2 ? (couVec3){0, 0, 1} : (couVec3){1, 2, -1};
        couShape *parts[] = {placed(hollow(box(0.6f, 0.5f, 0.4f), 0.1f, true), (couVec3){0.2f, 0, 0}, rotation(axis, 30)),
                             moved(torus(0.4f, 0.1f), 0, -0.3f, 0), capsule(0.1f, 0.6f)};
        check_measured(joined(parts, 3), dimension, 3e-3, "tank, ring and rod");
    }
}

// The plane cuts a slanted cylinder in an ellipse, a slanted box in a rectangle, and misses a ball that is off it.
static void test_cuts_that_leave_the_plane(void **context)
{
    (void)context;
    double cosine = cos(40 * COU_PI / 180);
    couMassProperties got = mass_of(placed(cylinder(0.2f, 2.0f), (couVec3){0.3f, 0, 0.1f}, rotation((couVec3){1, 0, 0}, 50)), 2);
    double a = COU_PI * 0.04 / cosine, xx = a * 0.04 / cosine / cosine / 4, yy = a * 0.01;
    couMassProperties expected = {.volume = a, .center = {0.3, 0, 0}, .inertia = {xx, yy, xx + yy}};
    expected.center[1] = got.center[1]; // checked by measuring, below
    check_mass(&got, &expected, 0.2, 1e-3, "ellipse");
    check_measured(placed(cylinder(0.2f, 2.0f), (couVec3){0.3f, 0, 0.1f}, rotation((couVec3){1, 0, 0}, 50)), 2, 1e-3, "ellipse");
    got = mass_of(moved(sphere(0.5f), 1, 2, 0.3f), 2);
    a = COU_PI * 0.16;
    expected = (couMassProperties){.volume = a, .center = {1, 2, 0}, .inertia = {a * 0.04, a * 0.04, a * 0.08}};
    check_mass(&got, &expected, 0.4, 1e-3, "cut off the middle");
    couShape *missed = moved(sphere(0.5f), 1, 2, 0.6f);
    couMassProperties mass;
    assert_false(couShape_Mass(missed, 2, &mass));
    assert_true(couShape_Mass(missed, 3, &mass));
    couShape_Release(missed);
}

// A box as a mesh: exact as a whole, from its distances where a plane cuts it, in a shell or a union.
static couShape *mesh_box(couVec3 size)
{
    static const uint32_t triangles[36] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                           2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};
    couVec3 vertices[8];
    for (int k = 0; k < 8; ++k)
        vertices[k] = (couVec3){(k & 1 ? 0.5f : -0.5f) * size.x, (k & 2 ? 0.5f : -0.5f) * size.y,
                                (k & 4 ? 0.5f : -0.5f) * size.z};
    couFaults faults = {0};
    couMesh *mesh = couCreateMesh(vertices, 8, triangles, 12, &faults);
    assert_non_null(mesh);
    couDistanceGrid *grid = couCreateDistanceGrid(mesh, 0.01f, 0, 1, &faults);
    CHECK_NO_FAULTS(&faults);
    assert_non_null(grid);
    couShape *shape = make((couShapeDef){.kind = cou_shapeMesh, .grid = grid});
    couMesh_Release(mesh);
    couDistanceGrid_Release(grid);
    return shape;
}

static void test_meshes(void **context)
{
    (void)context;
    couVec3 size = {0.5f, 0.4f, 0.3f};
    couQuat turn = rotation((couVec3){1, 2, 3}, 40);
    couMassProperties expected = mass_of(placed(box(0.5f, 0.4f, 0.3f), (couVec3){1, 0, 2}, turn), 3);
    couMassProperties got = mass_of(placed(mesh_box(size), (couVec3){1, 0, 2}, turn), 3);
    check_mass(&got, &expected, 0.5, 1e-6, "closed");
    expected = mass_of(box(0.5f, 0.4f, 0.3f), 2);
    got = mass_of(mesh_box(size), 2);
    check_mass(&got, &expected, 0.5, 5e-3, "cut");
    check_measured(hollow(mesh_box(size), 0.05f, false), 3, 5e-3, "hollow");
    couShape *both[] = {mesh_box(size), moved(mesh_box(size), 0.2f, 0, 0)};
    expected = mass_of(moved(box(0.7f, 0.4f, 0.3f), 0.1f, 0, 0), 3);
    got = mass_of(joined(both, 2), 3);
    check_mass(&got, &expected, 0.5, 5e-3, "two of them");
}

static void test_no_mass(void **context)
{
    (void)context;
    couShape *plane = make((couShapeDef){.kind = cou_shapePlane, .axis = {0, 1, 0}});
    couShape *disk = make((couShapeDef){.kind = cou_shapeDisk, .radius = 1});
    couShape *walled = around((couShapeDef){.kind = cou_shapeShell, .thickness = 0.1f}, couShape_Retain(plane));
    couShape *slanted = placed(couShape_Retain(disk), (couVec3){0}, rotation((couVec3){1, 0, 0}, 30));
    couShape *both[] = {couShape_Retain(plane), sphere(1)}, *group = joined(both, 2);
    couShape *all[] = {plane, disk, walled, slanted, group};
    for (int i = 0; i < COU_COUNT(all); ++i) {
        couMassProperties mass;
        assert_false(couShape_Mass(all[i], 2, &mass));
        assert_false(couShape_Mass(all[i], 3, &mass));
        couShape_Release(all[i]);
    }
    // A disk in a union weighs nothing.
    couShape *mixed[] = {make((couShapeDef){.kind = cou_shapeDisk, .radius = 1}), sphere(0.5f)};
    double v = COU_PI / 6, i = v * 0.1;
    check_formula(joined(mixed, 2), 3, v, i, i, i, 1e-3, "ball and disk");
}

// From dust to mountains, and far away.
static void test_any_scale(void **context)
{
    (void)context;
    for (float scale = 1e-7f; scale < 1e6f; scale *= 1e3f) {
        couMassProperties unit = mass_of(hollow(box(1, 0.5f, 0.4f), 0.1f, true), 3);
        couMassProperties got = mass_of(hollow(box(scale, 0.5f * scale, 0.4f * scale), 0.1f * scale, true), 3);
        CHECK_NEAR(got.volume / pow(scale, 3), unit.volume, 1e-3 * unit.volume, 0);
        CHECK_NEAR(got.inertia[0] / pow(scale, 5), unit.inertia[0], 1e-3 * unit.inertia[0], 0);
    }
    couMassProperties far = mass_of(moved(hollow(sphere(0.5f), 0.1f, false), 1e5f, 0, 0), 3);
    couMassProperties near = mass_of(hollow(sphere(0.5f), 0.1f, false), 3);
    CHECK_NEAR(far.inertia[1], near.inertia[1], 1e-9, 0);
    CHECK_NEAR(far.center[0], 1e5, 1e-6, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_textbook_solids),
        cmocka_unit_test(test_textbook_areas),
        cmocka_unit_test(test_single_shapes_as_measured),
        cmocka_unit_test(test_poses_turn_the_inertia),
        cmocka_unit_test(test_parts_obey_the_parallel_axis_theorem),
        cmocka_unit_test(test_walls_of_any_thickness),
        cmocka_unit_test(test_open_glass_by_formula),
        cmocka_unit_test(test_overlapping_parts_count_once),
        cmocka_unit_test(test_thin_plate_in_a_union),
        cmocka_unit_test(test_trees_as_measured),
        cmocka_unit_test(test_cuts_that_leave_the_plane),
        cmocka_unit_test(test_meshes),
        cmocka_unit_test(test_no_mass),
        cmocka_unit_test(test_any_scale),
    };
    return cmocka_run_group_tests_name("shape mass", tests, NULL, NULL);
}
