// Differences, intersections, rounded boxes and polygons with holes: distances against brute force, masses against formulas,
// surfaces that are closed, samples and faults.
#include "shape_test.h"

#include "shape/samples.h"

static const couBounds wide = {{-5, -5, -5}, {5, 5, 5}};

// Takes over the references of the parts.
static couShape *cut(couShapeKind kind, couShape *a, couShape *b)
{
    couShape *children[2] = {a, b};
    couShape *shape = make(DEF(.kind = kind, .children = children, .child_count = 2));
    couShape_Release(a);
    couShape_Release(b);
    return shape;
}

static couShape *ball(float radius) { return make(DEF(.kind = cou_shapeSphere, .radius = radius)); }
static couShape *rod(float radius, float height)
{
    return make(DEF(.kind = cou_shapeCylinder, .radius = radius, .height = height));
}
static couShape *moved(couShape *shape, float x, float y, float z) { return make_placed(shape, (couVec3){x, y, z}, no_turn); }
static couShape *below(void) { return make(DEF(.kind = cou_shapePlane, .axis = {0, 1, 0})); }
static couShape *rounded(float x, float y, float z, float rounding)
{
    return make(DEF(.kind = cou_shapeBox, .size = {x, y, z}, .rounding = rounding));
}

// Half a ball with a smaller half taken out.
static couShape *bowl(void) { return cut(cou_shapeDifference, cut(cou_shapeIntersection, ball(1.0f), below()), ball(0.8f)); }

// --- Distances ---------------------------------------------------------------------------------------------------------------

// The largest ball about p without (or with nothing but) solid has the true distance as its radius: no point of a dense set on
// the other side may be nearer than the field says.
static void check_lower_bound(const couShape *shape, int dimension, const char *name)
{
    enum { count = 20000 };
    static couVec3 points[count];
    static bool is_solid[count];
    for (int i = 0; i < count; ++i) {
        points[i] = random_point(dimension, 1.3);
        is_solid[i] = couShape_Distance(shape, dimension, points[i]) < 0.0f;
    }
    for (int i = 0; i < 400; ++i) {
        float distance = fabsf(couShape_Distance(shape, dimension, points[i]));
        for (int j = 0; j < count; ++j) {
            if (is_solid[j] == is_solid[i]) continue;
            float apart = couLength(couSub(points[i], points[j]));
            CHECK(apart >= 0.9999f * distance, "%s: field %g at (%g %g %g), other side at %g", name, (double)distance,
                  (double)points[i].x, (double)points[i].y, (double)points[i].z, (double)apart);
        }
    }
}

static void check_normals(const couShape *shape, int dimension, const char *name)
{
    int odd = 0;
    for (int i = 0; i < 2000; ++i) {
        couVec3 p = random_point(dimension, 1.3), normal;
        float distance = couShape_DistanceNormal(shape, dimension, p, &normal), step = 1e-3f;
        CHECK(distance == couShape_Distance(shape, dimension, p), "%s: two distances", name);
        CHECK(fabsf(couLength(normal) - 1.0f) < 1e-4f, "%s: normal of length %g", name, (double)couLength(normal));
        float rise = couShape_Distance(shape, dimension, couMulAdd(p, step, normal)) - distance;
        odd += fabsf(rise - step) > 0.05f * step; // across a crease, where there are few points
    }
    CHECK(odd < 30, "%s: %d of 2000 normals are not the gradient", name, odd);
}

static void test_fields_are_bounds(void **context)
{
    (void)context;
    couShape *shapes[] = {
        bowl(),
        cut(cou_shapeDifference, make_box(1.6f, 1.2f, 1), rod(0.4f, 2)),
        cut(cou_shapeIntersection, make_box(1.5f, 1.5f, 1.5f), ball(0.9f)),
        cut(cou_shapeIntersection, make_placed(make_box(2, 0.6f, 0.6f), (couVec3){0.1f, 0, 0}, turned((couVec3){0, 0, 1}, 30)),
            ball(0.8f)),
        rounded(1.5f, 1, 0.8f, 0.3f),
        cut(cou_shapeDifference, rounded(1.6f, 1.2f, 1, 0.2f), moved(rounded(1.2f, 1, 0.7f, 0.3f), 0, 0.6f, 0)),
    };
    for (int i = 0; i < COU_COUNT(shapes); ++i) {
        char name[16];
        snprintf(name, sizeof name, "shape %d", i);
        for (int dimension = 2; dimension <= 3; ++dimension) {
            check_lower_bound(shapes[i], dimension, name);
            check_normals(shapes[i], dimension, name);
        }
        couShape_Release(shapes[i]);
    }
}

// Signs by the parts', exact inside: the distance to the nearer of the surfaces.
static void test_cut_distances(void **context)
{
    (void)context;
    couShape *shape = bowl(), *inside = cut(cou_shapeIntersection, make_box(2, 2, 2), moved(make_box(2, 2, 2), 1, 1, 0));
    for (int i = 0; i < 5000; ++i) {
        couVec3 p = random_point(3, 1.3);
        double r = sqrt((double)p.x * p.x + (double)p.y * p.y + (double)p.z * p.z);
        double expected = fmax(fmax(r - 1.0, p.y), 0.8 - r), got = couShape_Distance(shape, 3, p);
        CHECK(fabs(got - expected) < 1e-5, "expected %g, got %g", expected, got);
        // What two boxes have in common is a box: exact inside.
        double box = fmax(fmax(fabs(p.x - 0.5) - 0.5, fabs(p.y - 0.5) - 0.5), fabs(p.z) - 1.0);
        if (box < 0) CHECK(fabs(couShape_Distance(inside, 3, p) - box) < 1e-5, "a box of two: expected %g", box);
    }
    couBounds bounds;
    assert_true(couShape_Bounds(shape, 3, &bounds));
    CHECK(bounds.upper.y == 0.0f && bounds.lower.y == -1.0f, "from %g to %g", (double)bounds.lower.y, (double)bounds.upper.y);
    assert_false(couShape_IsConvex(shape));
    assert_true(couShape_IsConvex(inside));
    CHECK(fabsf(couShape_Thinness(shape) - 0.2f) < 0.02f, "a wall of 0.2 seems %g", (double)couShape_Thinness(shape));
    couShape_Release(shape);
    couShape_Release(inside);
}

// The distance to a rounded box is that to the points of its core, less the rounding.
static void test_rounded_boxes_are_exact(void **context)
{
    (void)context;
    const double half[3] = {0.75, 0.5, 0.4}, r = 0.3;
    couShape *shape = rounded(1.5f, 1, 0.8f, 0.3f);
    for (int dimension = 2; dimension <= 3; ++dimension)
        for (int i = 0; i < 3000; ++i) {
            couVec3 point = random_point(dimension, 1.3);
            const double p[3] = {point.x, point.y, point.z};
            double out2 = 0, deepest = -INFINITY;
            for (int k = 0; k < dimension; ++k) {
                double q = fabs(p[k]) - (half[k] - r);
                out2 += fmax(q, 0) * fmax(q, 0);
                deepest = fmax(deepest, q);
            }
            double expected = (out2 > 0 ? sqrt(out2) : deepest) - r, got = couShape_Distance(shape, dimension, point);
            CHECK(fabs(got - expected) < 2e-6, "%dD: expected %g, got %g", dimension, expected, got);
        }
    couShape_Release(shape);
    // All of it rounded: a ball.
    couShape *round = rounded(1, 1, 1, 0.5f), *same = ball(0.5f);
    for (int i = 0; i < 500; ++i) {
        couVec3 p = random_point(3, 1);
        CHECK(fabsf(couShape_Distance(round, 3, p) - couShape_Distance(same, 3, p)) < 1e-6f, "not a ball");
    }
    couShape_Release(round);
    couShape_Release(same);
}

// A tank with rounded corners: an open shell of what a plane leaves of a rounded box has no lid. The box's own top, which is cut
// off, still counts: a lower bound.
static void test_open_shell_of_a_cut(void **context)
{
    (void)context;
    couShape *inside = cut(cou_shapeIntersection, moved(rounded(1, 1, 1, 0.2f), 0, 0, 0), moved(below(), 0, 0.2f, 0));
    couShape *tank = make_shell(inside, 0.05f, true);
    const float places[][4] = {{0, 0.2f, 0, 0.3f}, {0, 0.3f, 0, 0.31623f}, {0.4f, 0.2f, 0, 0.1f}, {0, -0.4f, 0, 0.1f}};
    for (int i = 0; i < COU_COUNT(places); ++i) {
        couVec3 p = {places[i][0], places[i][1], places[i][2]};
        float got = couShape_Distance(tank, 3, p);
        CHECK(fabsf(got - places[i][3]) < 2e-3f, "at (%g %g %g): expected %g, got %g", (double)p.x, (double)p.y, (double)p.z,
              (double)places[i][3], (double)got);
    }
    couShape_Release(tank);
}

// --- Masses ------------------------------------------------------------------------------------------------------------------

static void check_mass(couShape *shape, int dimension, double volume, double center_y, double inertia_y, double tolerance)
{
    couMassProperties mass;
    assert_true(couShape_Mass(shape, dimension, &mass));
    CHECK(fabs(mass.volume / volume - 1.0) < tolerance, "volume: expected %g, got %g", volume, mass.volume);
    CHECK(fabs(mass.center[1] - center_y) < tolerance, "centre: expected %g, got %g", center_y, mass.center[1]);
    CHECK(fabs(mass.inertia[1] / inertia_y - 1.0) < tolerance, "inertia: expected %g, got %g", inertia_y, mass.inertia[1]);
    couShape_Release(shape);
}

static void test_masses_against_formulas(void **context)
{
    (void)context;
    // A box with a hole bored through it, about its own axis.
    double box = 1.6 * 1.2 * 1.0, hole = COU_PI * 0.16 * 1.2;
    check_mass(cut(cou_shapeDifference, make_box(1.6f, 1.2f, 1), rod(0.4f, 2)), 3, box - hole, 0,
               box * (1.6 * 1.6 + 1) / 12 - hole * 0.16 / 2, 1e-3);
    // The bowl: halves of two balls, whose centres are 3/8 of the radius below the rim.
    double outer = 2.0 / 3.0 * COU_PI, inner = outer * 0.512, volume = outer - inner;
    double center = -3.0 / 8.0 * (outer * 1.0 - inner * 0.8) / volume;
    check_mass(bowl(), 3, volume, center, 0.4 * (outer - inner * 0.64), 1e-3);
    // What two balls have in common: two caps of height r - d/2.
    double h = 1.0 - 0.3, lens = 2 * COU_PI * h * h * (3 - h) / 3;
    couMassProperties mass;
    couShape *shape = cut(cou_shapeIntersection, ball(1), moved(ball(1), 0.6f, 0, 0));
    assert_true(couShape_Mass(shape, 3, &mass));
    CHECK(fabs(mass.volume / lens - 1) < 1e-3 && fabs(mass.center[0] - 0.3) < 1e-3, "lens %g, got %g", lens, mass.volume);
    couShape_Release(shape);
    // In 2D a square with a round hole.
    check_mass(cut(cou_shapeDifference, make_box(1, 1, 1), ball(0.3f)), 2, 1 - COU_PI * 0.09, 0, 1.0 / 12 - COU_PI * 0.0081 / 4,
               1e-3);
}

// Against a fine lattice of inside tests, and the limits: a box, a ball.
static void test_rounded_masses(void **context)
{
    (void)context;
    couShape *shape = rounded(1.5f, 1, 0.8f, 0.3f);
    for (int dimension = 2; dimension <= 3; ++dimension) {
        double volume = 0, xx = 0, yy = 0, zz = 0, step = 0.01;
        for (double z = dimension == 2 ? 0 : -0.4 + step / 2; z < (dimension == 2 ? step / 2 : 0.4); z += step)
            for (double y = -0.5 + step / 2; y < 0.5; y += step)
                for (double x = -0.75 + step / 2; x < 0.75; x += step) {
                    float d = couShape_Distance(shape, dimension, (couVec3){(float)x, (float)y, (float)z});
                    double part = COU_CLAMP(0.5 - d / step, 0.0, 1.0) * (dimension == 2 ? step * step : step * step * step);
                    volume += part, xx += part * x * x, yy += part * y * y, zz += part * z * z;
                }
        couMassProperties mass;
        assert_true(couShape_Mass(shape, dimension, &mass));
        CHECK(fabs(mass.volume / volume - 1) < 2e-3, "volume: %g by lattice, %g", volume, mass.volume);
        CHECK(fabs(mass.inertia[0] / (yy + zz) - 1) < 3e-3, "inertia x: %g, %g", yy + zz, mass.inertia[0]);
        CHECK(fabs(mass.inertia[1] / (xx + zz) - 1) < 3e-3, "inertia y: %g, %g", xx + zz, mass.inertia[1]);
        CHECK(fabs(mass.inertia[2] / (xx + yy) - 1) < 3e-3, "inertia z: %g, %g", xx + yy, mass.inertia[2]);
    }
    couShape_Release(shape);
    double v = 4.0 / 3.0 * COU_PI * 0.125;
    check_mass(rounded(1, 1, 1, 0.5f), 3, v, 0, v * 0.4 * 0.25, 1e-6);
    check_mass(rounded(1, 1, 1, 0), 3, 1, 0, 1.0 / 6, 1e-6);
}

// --- Polygons with holes -----------------------------------------------------------------------------------------------------

// A square of 2 with a square hole of 1, in which there is a square of 0.4; either way round.
static couShape *nested(bool is_reversed, float height)
{
    couVec3 points[12];
    const int outlines[3] = {4, 4, 4};
    const float sides[3] = {1, 0.5f, 0.2f};
    for (int k = 0; k < 3; ++k) {
        float s = sides[k];
        const couVec3 square[4] = {{-s, -s, 0}, {s, -s, 0}, {s, s, 0}, {-s, s, 0}};
        for (int i = 0; i < 4; ++i) points[4 * k + i] = square[is_reversed == (k == 1) ? i : 3 - i];
    }
    return make(DEF(.kind = cou_shapePolygon, .points = points, .point_count = 12, .outlines = outlines, .outline_count = 3,
                    .height = height));
}

static double square_distance(couVec3 p, double half)
{
    double x = fabs((double)p.x) - half, y = fabs((double)p.y) - half;
    return x > 0 && y > 0 ? hypot(x, y) : fmax(x, y);
}

static void test_polygons_have_holes(void **context)
{
    (void)context;
    for (int reversed = 0; reversed <= 1; ++reversed) {
        couShape *shape = nested(reversed, 0.5f);
        for (int i = 0; i < 3000; ++i) {
            couVec3 p = random_point(2, 1.5);
            double a = square_distance(p, 1), b = square_distance(p, 0.5), c = square_distance(p, 0.2);
            double length = fmin(fabs(a), fmin(fabs(b), fabs(c)));
            double expected = (a < 0) ^ (b < 0) ^ (c < 0) ? -length : length, got = couShape_Distance(shape, 2, p);
            CHECK(fabs(got - expected) < 1e-6, "expected %g, got %g", expected, got);
        }
        check_normals(shape, 3, "nested squares");
        double area = 4 - 1 + 0.16;
        CHECK(fabs((double)couShape_FaceArea(shape, 3) - area) < 1e-5, "face of %g", (double)couShape_FaceArea(shape, 3));
        CHECK(fabsf(couShape_Thinness(shape) - 0.4f) < 1e-5f, "thinness %g", (double)couShape_Thinness(shape));
        couMassProperties mass;
        assert_true(couShape_Mass(shape, 3, &mass));
        double spread = (16 - 1 + 0.0256) / 12; // of x^2, a^4 / 12 each
        CHECK(fabs(mass.volume - 0.5 * area) < 1e-6, "volume %g", mass.volume);
        CHECK(fabs(mass.inertia[2] - 0.5 * 2 * spread) < 1e-6, "inertia %g, expected %g", mass.inertia[2], spread);
        couShape_Release(shape);
    }
}

// --- Surfaces and samples ----------------------------------------------------------------------------------------------------

static int by_pair(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

// Every edge goes as often one way as the other, the volume is the shape's, and all vertices are on it.
static void check_surface(couShape *shape, double tolerance, const char *name)
{
    couSurface surface;
    couFaults faults = {0};
    couMassProperties mass;
    assert_true(couShape_BuildSurface(shape, 3, 0, wide, &surface, &faults));
    assert_true(couShape_Mass(shape, 3, &mass));
    size_t count = 3 * surface.element_count;
    uint64_t *there = calloc(count, sizeof *there), *back = calloc(count, sizeof *back);
    double volume = 0;
    for (size_t t = 0; t < surface.element_count; ++t) {
        const uint32_t *c = &surface.indices[3 * t];
        couVec3 v[3] = {surface.vertices[c[0]], surface.vertices[c[1]], surface.vertices[c[2]]};
        volume += (double)couDot(v[0], couCross(v[1], v[2])) / 6;
        for (size_t k = 0; k < 3; ++k) {
            there[3 * t + k] = (uint64_t)c[k] << 32 | c[(k + 1) % 3];
            back[3 * t + k] = (uint64_t)c[(k + 1) % 3] << 32 | c[k];
        }
    }
    qsort(there, count, sizeof *there, by_pair);
    qsort(back, count, sizeof *back, by_pair);
    CHECK(memcmp(there, back, count * sizeof *there) == 0, "%s: its surface is not closed", name);
    CHECK(fabs(volume / mass.volume - 1) < tolerance, "%s: volume %g, of its surface %g", name, mass.volume, volume);
    for (size_t i = 0; i < surface.vertex_count; ++i)
        CHECK(fabsf(couShape_Distance(shape, 3, surface.vertices[i])) < 0.02f, "%s: vertex %zu is off", name, i);
    free(there);
    free(back);
    couSurface_Clear(&surface);
    couShape_Release(shape);
}

static void test_surfaces_are_closed(void **context)
{
    (void)context;
    check_surface(bowl(), 0.01, "bowl");
    check_surface(cut(cou_shapeDifference, make_box(1.6f, 1.2f, 1), rod(0.4f, 2)), 0.01, "bored box");
    check_surface(rounded(1.5f, 1, 0.8f, 0.3f), 0.01, "rounded box");
    check_surface(rounded(1, 1, 1, 0.5f), 0.01, "round box");
    check_surface(make_shell(rounded(1, 0.8f, 0.6f, 0.2f), 0.05f, false), 0.02, "shell of a rounded box");
    check_surface(nested(false, 0.5f), 1e-5, "nested squares");
    check_surface(nested(true, 0.5f), 1e-5, "reversed squares");
}

// Walls of samples lie within the solid, half a spacing deep, and there are as many as the area wants.
static void test_samples(void **context)
{
    (void)context;
    couShape *shapes[] = {bowl(), rounded(1.5f, 1, 0.8f, 0.3f), cut(cou_shapeDifference, make_box(1.6f, 1.2f, 1), rod(0.4f, 2)),
                          nested(false, 0.5f)};
    const float d = 0.05f;
    for (int i = 0; i < COU_COUNT(shapes); ++i) {
        couSamples samples = {0};
        couMemory memory = {0};
        assert_true(couSampleShape(&memory, shapes[i], 3, d, 1, NULL, &samples));
        double estimate = couEstimateSamples(shapes[i], 3, d, 1, NULL);
        CHECK((double)samples.count > 0.5 * estimate * (i == 0 ? 0.3 : 1) && (double)samples.count < 1.3 * estimate,
              "shape %d: %zu samples, %g estimated", i, samples.count, estimate);
        for (size_t k = 0; k < samples.count; ++k) {
            float depth = -couShape_Distance(shapes[i], 3, samples.points[k]);
            CHECK(depth > 0.4f * d && depth < 0.6f * d, "shape %d: a sample %g deep", i, (double)depth);
        }
        couSamples_Free(&memory, &samples);
        couShape_Release(shapes[i]);
    }
}

static void test_segments_and_planes(void **context)
{
    (void)context;
    // A tank by difference: what is in it sees each wall, and no lid.
    couShape *tank = cut(cou_shapeDifference, make_box(1.2f, 1.2f, 1.2f), moved(make_box(1, 1.2f, 1), 0, 0.2f, 0));
    couPlane planes[8];
    int count = couShape_Planes(tank, 3, (couVec3){-0.48f, -0.38f, -0.47f}, 0.1f, planes, 8);
    CHECK(count == 3, "%d planes in the corner", count);
    count = couShape_Planes(tank, 3, (couVec3){0, 0.59f, 0}, 0.1f, planes, 8);
    CHECK(count == 0, "%d planes in the opening", count);
    assert_false(couShape_SegmentHits(tank, 3, (couVec3){0, 0, 0}, (couVec3){0, 2, 0}));
    assert_true(couShape_SegmentHits(tank, 3, (couVec3){0, 0, 0}, (couVec3){2, 0, 0}));
    uint32_t pocket = couShape_FreePocket(tank, 3, (couVec3){0.3f, 0, 0});
    assert_int_not_equal(pocket, 0);
    assert_int_equal(pocket, couShape_FreePocket(tank, 3, (couVec3){-0.4f, -0.3f, 0.1f}));
    couShape_Release(tank);
}

// --- Faults ------------------------------------------------------------------------------------------------------------------

static void expect_fault(couShapeDef def, const char *key, const char *part)
{
    couFaults faults = {0};
    couShape *shape = couCreateShape(&def, &faults);
    CHECK(!shape, "%s: there should be a fault", key);
    assert_int_equal(faults.count, 1);
    CHECK(strcmp(faults.items[0].key, key) == 0, "key '%s', expected '%s'", faults.items[0].key, key);
    CHECK(strstr(faults.items[0].message, part) != NULL, "'%s' lacks '%s'", faults.items[0].message, part);
    couFaults_Clear(&faults);
    for (int i = 0; i < def.child_count; ++i) couShape_Release(def.children[i]);
}

#define TWO(kind_, a, b) DEF(.kind = kind_, .children = (couShape *[]){a, b}, .child_count = 2)

static void test_faults(void **context)
{
    (void)context;
    expect_fault(TWO(cou_shapeDifference, ball(1), ball(2)), "difference.children", "nothing is left");
    expect_fault(TWO(cou_shapeIntersection, ball(1), moved(ball(1), 3, 0, 0)), "intersection.children", "nothing in common");
    expect_fault(TWO(cou_shapeIntersection, make_box(1, 1, 1), moved(ball(0.5f), 0.9f, 0.9f, 0.9f)), "intersection.children",
                 "nothing in common");
    // A hollow cut off flush with the top.
    expect_fault(TWO(cou_shapeDifference, make_box(1, 1, 1), moved(make_box(0.8f, 0.9f, 0.8f), 0, 0.05f, 0)),
                 "difference.children", "a face in common near");
    expect_fault(TWO(cou_shapeDifference, ball(1), make(DEF(.kind = cou_shapeDisk, .radius = 1))), "difference.children",
                 "child 2 is a disk");
    expect_fault(DEF(.kind = cou_shapeIntersection), "intersection.children", "0 given, must be 1 to 4096");
    const float bad[] = {-0.1f, 0.51f, NAN, INFINITY};
    for (int i = 0; i < COU_COUNT(bad); ++i)
        expect_fault(DEF(.kind = cou_shapeBox, .size = {1, 2, 3}, .rounding = bad[i]), "box.rounding",
                     "smallest edge length (0.5 m)");
    couShape *box = rounded(1, 1, 1, 0.1f);
    expect_fault(DEF(.kind = cou_shapeShell, .thickness = 0.1f, .is_open = true, .children = &box, .child_count = 1),
                 "shell.is_open", "cut it off first");
}

// Parts of the same length along z: good in the plane, where a square with a hole has its area.
static void test_flush_along_z(void **context)
{
    (void)context;
    couShape *shape = cut(cou_shapeDifference, make_box(1, 1, 1), moved(make_box(0.5f, 0.8f, 1), 0, 0.3f, 0));
    couShape *good = cut(cou_shapeDifference, make_box(1, 1, 1), moved(make_box(0.5f, 0.8f, 1.1f), 0, 0.3f, 0));
    assert_true(couShape_IsFlat(shape));
    assert_false(couShape_IsFlat(good));
    couShape *around = make_placed(couShape_Retain(shape), (couVec3){1, 0, 0}, no_turn);
    assert_true(couShape_IsFlat(around));
    couShape_Release(around);
    couShape_Release(good);
    check_mass(shape, 2, 1 - 0.5 * 0.6, (0 - 0.3 * 0.2) / 0.7, 1.0 / 12 - 0.6 * 0.125 / 12, 2e-3);
}

static void test_outline_faults(void **context)
{
    (void)context;
    const couVec3 points[] = {{0, 0, 0}, {4, 0, 0}, {4, 4, 0}, {0, 4, 0}, {3, 1, 0}, {5, 1, 0}, {5, 2, 0}};
    const int good[] = {4, 3}, short_one[] = {5, 2}, few[] = {4}, many[] = {4, 4};
    couShapeDef def = {
        .kind = cou_shapePolygon, .points = points, .point_count = 7, .height = 1, .outlines = good, .outline_count = 2};
    expect_fault(def, "polygon.points", "of two outlines, cross or touch");
    def.outlines = short_one;
    expect_fault(def, "polygon.outlines", "outline 2 has 2 points");
    def.outlines = few, def.outline_count = 1;
    expect_fault(def, "polygon.outlines", "fewer than the 7 points");
    def.outlines = many, def.outline_count = 2;
    expect_fault(def, "polygon.outlines", "more than the 7 points");
    def.outlines = NULL;
    expect_fault(def, "polygon.outlines", "none given");
    def.outlines = good, def.outline_count = -1;
    expect_fault(def, "polygon.outlines", "-1 announced");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_fields_are_bounds, reset),
        cmocka_unit_test_setup(test_cut_distances, reset),
        cmocka_unit_test_setup(test_rounded_boxes_are_exact, reset),
        cmocka_unit_test_setup(test_open_shell_of_a_cut, reset),
        cmocka_unit_test_setup(test_masses_against_formulas, reset),
        cmocka_unit_test_setup(test_rounded_masses, reset),
        cmocka_unit_test_setup(test_polygons_have_holes, reset),
        cmocka_unit_test_setup(test_surfaces_are_closed, reset),
        cmocka_unit_test_setup(test_samples, reset),
        cmocka_unit_test_setup(test_segments_and_planes, reset),
        cmocka_unit_test_setup(test_faults, reset),
        cmocka_unit_test_setup(test_flush_along_z, reset),
        cmocka_unit_test_setup(test_outline_faults, reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
