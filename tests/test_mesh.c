// Meshes: what couMesh_Inspect() finds in sound and broken ones, masses against formulas, closing of holes.
#include "testing.h"

#include "base/random.h"
#include "shape/mesh_inspect.h"

// --- Making meshes -----------------------------------------------------------------------------------------------------------

typedef struct Builder {
    couVec3 *vertices;
    uint32_t *triangles;
    size_t vertex_count, triangle_count, vertex_capacity, triangle_capacity;
} Builder;

static uint32_t add_vertex(Builder *builder, double x, double y, double z)
{
    if (builder->vertex_count == builder->vertex_capacity) {
        builder->vertex_capacity = 2 * builder->vertex_capacity + 64;
        builder->vertices = realloc(builder->vertices, builder->vertex_capacity * sizeof *builder->vertices);
    }
    builder->vertices[builder->vertex_count] = (couVec3){(float)x, (float)y, (float)z};
    return (uint32_t)builder->vertex_count++;
}

static void add_triangle(Builder *builder, uint32_t a, uint32_t b, uint32_t c)
{
    if (builder->triangle_count == builder->triangle_capacity) {
        builder->triangle_capacity = 2 * builder->triangle_capacity + 64;
        builder->triangles = realloc(builder->triangles, builder->triangle_capacity * 3 * sizeof *builder->triangles);
    }
    memcpy(&builder->triangles[3 * builder->triangle_count++], (uint32_t[3]){a, b, c}, 3 * sizeof(uint32_t));
}

static void add_quad(Builder *builder, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    add_triangle(builder, a, b, c);
    add_triangle(builder, a, c, d);
}

// Eight corners, twelve triangles, outward.
static void add_box(Builder *builder, couVec3 at, couVec3 size)
{
    uint32_t v = (uint32_t)builder->vertex_count;
    for (int k = 0; k < 8; ++k)
        add_vertex(builder, (double)at.x + (k & 1 ? 0.5 : -0.5) * (double)size.x,
                   (double)at.y + (k & 2 ? 0.5 : -0.5) * (double)size.y, (double)at.z + (k & 4 ? 0.5 : -0.5) * (double)size.z);
    add_quad(builder, v + 0, v + 2, v + 3, v + 1);
    add_quad(builder, v + 4, v + 5, v + 7, v + 6);
    add_quad(builder, v + 0, v + 1, v + 5, v + 4);
    add_quad(builder, v + 2, v + 6, v + 7, v + 3);
    add_quad(builder, v + 0, v + 4, v + 6, v + 2);
    add_quad(builder, v + 1, v + 3, v + 7, v + 5);
}

// Rings of latitude around y between two poles, outward: 2 n (n - 1) ... of `rings` rings with `sides` vertices each.
static void add_sphere(Builder *builder, couVec3 at, double radius, int rings, int sides)
{
    uint32_t south = add_vertex(builder, at.x, at.y - radius, at.z), first = south + 1;
    for (int i = 1; i <= rings; ++i)
        for (int j = 0; j < sides; ++j) {
            double latitude = COU_PI * ((double)i / (rings + 1) - 0.5), longitude = 2 * COU_PI * j / sides;
            add_vertex(builder, at.x + radius * cos(latitude) * cos(longitude), at.y + radius * sin(latitude),
                       at.z + radius * cos(latitude) * sin(longitude));
        }
    uint32_t north = add_vertex(builder, at.x, at.y + radius, at.z);
    for (int j = 0; j < sides; ++j) {
        uint32_t here = (uint32_t)j, next = (uint32_t)((j + 1) % sides), last = first + (uint32_t)((rings - 1) * sides);
        add_triangle(builder, south, first + here, first + next);
        add_triangle(builder, north, last + next, last + here);
        for (int i = 0; i + 1 < rings; ++i) {
            uint32_t low = first + (uint32_t)(i * sides), high = low + (uint32_t)sides;
            add_quad(builder, low + here, high + here, high + next, low + next);
        }
    }
}

static void add_torus(Builder *builder, double radius, double tube, int sides, int tube_sides)
{
    uint32_t first = (uint32_t)builder->vertex_count;
    for (int i = 0; i < sides; ++i)
        for (int j = 0; j < tube_sides; ++j) {
            double u = 2 * COU_PI * i / sides, v = 2 * COU_PI * j / tube_sides;
            add_vertex(builder, (radius + tube * cos(v)) * cos(u), tube * sin(v), (radius + tube * cos(v)) * sin(u));
        }
    for (int i = 0; i < sides; ++i)
        for (int j = 0; j < tube_sides; ++j) {
            uint32_t a = first + (uint32_t)(i * tube_sides), b = first + (uint32_t)((i + 1) % sides * tube_sides);
            uint32_t here = (uint32_t)j, next = (uint32_t)((j + 1) % tube_sides);
            add_quad(builder, a + here, a + next, b + next, b + here);
        }
}

// Frees the builder.
static couMesh *finish(Builder *builder)
{
    couFaults faults = {0};
    couMesh *mesh = couCreateMesh(builder->vertices, builder->vertex_count, builder->triangles, builder->triangle_count, &faults);
    CHECK_NO_FAULTS(&faults);
    assert_non_null(mesh);
    free(builder->vertices);
    free(builder->triangles);
    *builder = (Builder){0};
    return mesh;
}

static void flip(Builder *builder, size_t first, size_t count)
{
    for (size_t t = first; t < first + count; ++t) {
        uint32_t swap = builder->triangles[3 * t];
        builder->triangles[3 * t] = builder->triangles[3 * t + 1];
        builder->triangles[3 * t + 1] = swap;
    }
}

static couMesh *unit_box(void)
{
    Builder builder = {0};
    add_box(&builder, (couVec3){0}, (couVec3){1, 1, 1});
    return finish(&builder);
}

// --- Inspection --------------------------------------------------------------------------------------------------------------

// Inspects with one thread and two, lets go of the mesh, and compares everything.
static void check_report(couMesh *mesh, couMeshReport expected, const char *what)
{
    const struct {
        const char *name;
        size_t offset;
    } counts[] = {
        {"parts", offsetof(couMeshReport, part_count)},           {"degenerate", offsetof(couMeshReport, degenerate_count)},
        {"doubled", offsetof(couMeshReport, doubled_count)},      {"open", offsetof(couMeshReport, open_edge_count)},
        {"holes", offsetof(couMeshReport, hole_count)},           {"crowded", offsetof(couMeshReport, crowded_edge_count)},
        {"flipped", offsetof(couMeshReport, flipped_edge_count)}, {"crossing", offsetof(couMeshReport, crossing_count)}};
    for (int threads = 1; threads <= 2; ++threads) {
        couMeshReport got = couMesh_Inspect(mesh, threads);
        bool is_same = got.is_closed == expected.is_closed && got.is_oriented == expected.is_oriented;
        if (!is_same) print_error("%s: closed %d, oriented %d\n", what, got.is_closed, got.is_oriented);
        for (int k = 0; k < COU_COUNT(counts); ++k) {
            size_t g, e;
            memcpy(&g, (char *)&got + counts[k].offset, sizeof g);
            memcpy(&e, (char *)&expected + counts[k].offset, sizeof e);
            if (g == e) continue;
            print_error("%s: %s: expected %zu, got %zu with %d threads\n", what, counts[k].name, e, g, threads);
            is_same = false;
        }
        assert_true(is_same);
    }
    couMesh_Release(mesh);
}

static const couMeshReport sound = {.part_count = 1, .is_closed = true, .is_oriented = true};

static void test_sound_meshes(void **context)
{
    (void)context;
    Builder builder = {0};
    check_report(unit_box(), sound, "box");
    add_sphere(&builder, (couVec3){0}, 1, 7, 12);
    check_report(finish(&builder), sound, "sphere");
    add_torus(&builder, 1, 0.3, 20, 9);
    check_report(finish(&builder), sound, "torus");
    // Inside out is still sound; a ball within a ball makes two parts.
    add_sphere(&builder, (couVec3){0}, 1, 7, 12);
    flip(&builder, 0, builder.triangle_count);
    check_report(finish(&builder), sound, "inside out");
    add_sphere(&builder, (couVec3){0}, 1, 7, 12);
    add_sphere(&builder, (couVec3){0}, 0.5, 7, 12);
    couMeshReport expected = sound;
    expected.part_count = 2;
    check_report(finish(&builder), expected, "two spheres");
}

// Each triangle with its own three vertices, as STL files have it, some zeros negative: the same after welding.
static void test_vertices_are_welded(void **context)
{
    (void)context;
    couMesh *mesh = unit_box();
    Builder builder = {0};
    for (size_t t = 0; t < couMesh_TriangleCount(mesh); ++t) {
        uint32_t v = (uint32_t)builder.vertex_count;
        for (size_t k = 0; k < 3; ++k) {
            couVec3 p = couMesh_Vertices(mesh)[couMesh_Triangles(mesh)[3 * t + k]];
            add_vertex(&builder, p.x + 0.5f == 0 && t % 2 ? -0.0 : p.x + 0.5f, p.y, p.z);
        }
        add_triangle(&builder, v, v + 1, v + 2);
    }
    couMesh_Release(mesh);
    mesh = finish(&builder);
    assert_int_equal(couMesh_VertexCount(mesh), 36);
    assert_true(couMesh_IsSolid(mesh));
    check_report(mesh, sound, "soup");
}

static void test_open_meshes(void **context)
{
    (void)context;
    Builder builder = {0};
    // A lid of two triangles is missing, then also a triangle of the floor.
    add_box(&builder, (couVec3){0}, (couVec3){1, 1, 1});
    builder.triangle_count -= 2;
    couMesh *mesh = finish(&builder);
    assert_false(couMesh_IsSolid(mesh));
    check_report(mesh, (couMeshReport){.part_count = 1, .open_edge_count = 4, .hole_count = 1}, "no lid");
    add_box(&builder, (couVec3){0}, (couVec3){1, 1, 1});
    builder.triangle_count -= 2;
    memmove(builder.triangles, builder.triangles + 3 * 9, 3 * sizeof(uint32_t)); // triangle 0 becomes another copy of 9
    couMeshReport expected = {.part_count = 1, .open_edge_count = 7, .hole_count = 2, .doubled_count = 1};
    check_report(finish(&builder), expected, "no lid and less floor"); // the holes meet in corner 3
    // Two holes of one triangle that meet in a vertex are two loops.
    add_sphere(&builder, (couVec3){0}, 1, 5, 6);
    uint32_t *t = builder.triangles; // fans and strips by longitude: south triangles are at multiples of 10
    memmove(t, t + 3, 3 * (builder.triangle_count - 1) * sizeof *t);
    builder.triangle_count -= 1;
    memmove(t + 3 * 29, t + 3 * 30, 3 * (builder.triangle_count - 30) * sizeof *t);
    builder.triangle_count -= 1;
    expected = (couMeshReport){.part_count = 1, .open_edge_count = 6, .hole_count = 2};
    check_report(finish(&builder), expected, "two holes at a pole");
    // A single triangle is all rim.
    for (int k = 0; k < 3; ++k) add_vertex(&builder, k == 1, k == 2, 0);
    add_triangle(&builder, 0, 1, 2);
    check_report(finish(&builder), (couMeshReport){.part_count = 1, .open_edge_count = 3, .hole_count = 1}, "triangle");
}

static void test_doubled_flipped_and_crowded(void **context)
{
    (void)context;
    Builder builder = {0};
    // Every triangle twice, the second time the other way round.
    add_box(&builder, (couVec3){0}, (couVec3){1, 1, 1});
    add_box(&builder, (couVec3){0}, (couVec3){1, 1, 1});
    flip(&builder, 12, 12);
    couMesh *mesh = finish(&builder);
    assert_false(couMesh_IsSolid(mesh));
    couMeshReport expected = sound;
    expected.doubled_count = 12;
    check_report(mesh, expected, "doubled");
    // One triangle the wrong way round disagrees with its three neighbours.
    add_box(&builder, (couVec3){0}, (couVec3){1, 1, 1});
    flip(&builder, 5, 1);
    check_report(finish(&builder), (couMeshReport){.part_count = 1, .flipped_edge_count = 3, .is_closed = true}, "flipped");
    // A fin on an edge.
    add_box(&builder, (couVec3){0}, (couVec3){1, 1, 1});
    add_vertex(&builder, 2, 2, 0);
    add_triangle(&builder, 3, 7, 8);
    expected = (couMeshReport){.part_count = 1, .open_edge_count = 2, .crowded_edge_count = 1};
    check_report(finish(&builder), expected, "fin");
    // Two boxes with an edge in common: four triangles there, but all agree.
    add_box(&builder, (couVec3){0}, (couVec3){1, 1, 1});
    add_box(&builder, (couVec3){1, 1, 0}, (couVec3){1, 1, 1});
    expected = sound;
    expected.crowded_edge_count = 1;
    check_report(finish(&builder), expected, "common edge");
}

static void test_triangles_without_area(void **context)
{
    (void)context;
    Builder builder = {0};
    add_box(&builder, (couVec3){0}, (couVec3){1, 1, 1});
    add_triangle(&builder, 0, 0, 1);
    add_triangle(&builder, 5, 5, 5);
    couMeshReport expected = sound;
    expected.degenerate_count = 2;
    check_report(finish(&builder), expected, "collapsed");
    // A quad split at the middle of a side, with a sliver to keep it closed: 0-2-3-1 becomes three triangles and a line.
    add_box(&builder, (couVec3){0}, (couVec3){1, 1, 1});
    uint32_t middle = add_vertex(&builder, -0.5, 0, -0.5); // on the edge from 0 to 2
    memcpy(builder.triangles, (uint32_t[6]){0, middle, 1, middle, 2, 3}, 6 * sizeof(uint32_t));
    add_triangle(&builder, middle, 3, 1);
    add_triangle(&builder, 0, 2, middle);
    expected = sound;
    expected.degenerate_count = 1;
    couMesh *mesh = finish(&builder);
    assert_true(couMesh_IsSolid(mesh));
    CHECK_NEAR(couMesh_Mass(mesh).volume, 1.0, 1e-12, 0);
    check_report(mesh, expected, "sliver");
}

// --- Crossings ---------------------------------------------------------------------------------------------------------------

static void test_crossing_parts(void **context)
{
    (void)context;
    Builder builder = {0};
    // A rod along x through a box: each of its four long edges (and four diagonals of its sides) pierces both faces.
    add_box(&builder, (couVec3){0}, (couVec3){1, 1, 1});
    add_box(&builder, (couVec3){0.01f, 0.13f, 0.17f}, (couVec3){3, 0.2f, 0.3f});
    couMesh *mesh = finish(&builder);
    couMeshReport report = couMesh_Inspect(mesh, 1);
    assert_int_equal(report.part_count, 2);
    assert_true(report.is_oriented);
    assert_true(report.crossing_count >= 16);
    couMesh_Release(mesh);
    // Touching is not crossing: two boxes face to face, and a smaller box standing on a larger.
    couMeshReport expected = sound;
    expected.part_count = 2;
    add_box(&builder, (couVec3){0}, (couVec3){1, 1, 1});
    add_box(&builder, (couVec3){0.1f, 0.75f, 0.05f}, (couVec3){0.5f, 0.5f, 0.5f});
    check_report(finish(&builder), expected, "standing");
    // One triangle through another, in general place.
    const double points[6][3] = {{0, 0, 0}, {1, 0, 0.1}, {0, 1, 0.2}, {0.2, 0.2, -1}, {0.3, 0.25, 1}, {2, 2, 0.5}};
    for (int k = 0; k < 6; ++k) add_vertex(&builder, points[k][0], points[k][1], points[k][2]);
    add_triangle(&builder, 0, 1, 2);
    add_triangle(&builder, 3, 4, 5);
    expected = (couMeshReport){.part_count = 2, .open_edge_count = 6, .hole_count = 2, .crossing_count = 1};
    check_report(finish(&builder), expected, "pair");
}

typedef struct Point {
    double x[3];
} Point;

static Point corner_of(const couMesh *mesh, size_t k)
{
    couVec3 p = couMesh_Vertices(mesh)[couMesh_Triangles(mesh)[k]];
    return (Point){{p.x, p.y, p.z}};
}

// Solves from + t (to - from) = a + u (b - a) + v (c - a).
static bool segment_hits(Point from, Point to, Point a, Point b, Point c)
{
    long double d[3], e[3], f[3], g[3];
    for (int k = 0; k < 3; ++k)
        d[k] = to.x[k] - from.x[k], e[k] = b.x[k] - a.x[k], f[k] = c.x[k] - a.x[k], g[k] = from.x[k] - a.x[k];
    long double h[3] = {d[1] * f[2] - d[2] * f[1], d[2] * f[0] - d[0] * f[2], d[0] * f[1] - d[1] * f[0]};
    long double q[3] = {g[1] * e[2] - g[2] * e[1], g[2] * e[0] - g[0] * e[2], g[0] * e[1] - g[1] * e[0]};
    long double det = e[0] * h[0] + e[1] * h[1] + e[2] * h[2];
    long double u = (g[0] * h[0] + g[1] * h[1] + g[2] * h[2]) / det, v = (d[0] * q[0] + d[1] * q[1] + d[2] * q[2]) / det;
    long double t = (f[0] * q[0] + f[1] * q[1] + f[2] * q[2]) / det;
    return u > 0 && v > 0 && u + v < 1 && t > 0 && t < 1;
}

// The tree against all pairs, for triangles at random.
static void test_crossings_against_brute_force(void **context)
{
    (void)context;
    for (int seed = 1; seed <= 3; ++seed) {
        couRandom random = {couMix64((uint64_t)seed)};
        Builder builder = {0};
        enum { count = 700 };
        for (int t = 0; t < count; ++t) {
            double size = seed == 1 ? 0.3 : pow(10, -(double)couRandomFloat(&random));
            couVec3 at = {couRandomSigned(&random), couRandomSigned(&random), couRandomSigned(&random)};
            for (int k = 0; k < 3; ++k)
                add_vertex(&builder, at.x + size * couRandomSigned(&random), at.y + size * couRandomSigned(&random),
                           at.z + size * couRandomSigned(&random));
            add_triangle(&builder, 3 * (uint32_t)t, 3 * (uint32_t)t + 1, 3 * (uint32_t)t + 2);
        }
        couMesh *mesh = finish(&builder);
        size_t expected = 0;
        for (size_t s = 0; s < count; ++s)
            for (size_t t = 0; t < s; ++t) {
                Point a[3], b[3];
                for (size_t k = 0; k < 3; ++k) a[k] = corner_of(mesh, 3 * s + k), b[k] = corner_of(mesh, 3 * t + k);
                bool do_cross = false;
                for (int k = 0; k < 3 && !do_cross; ++k)
                    do_cross = segment_hits(a[k], a[(k + 1) % 3], b[0], b[1], b[2]) ||
                               segment_hits(b[k], b[(k + 1) % 3], a[0], a[1], a[2]);
                expected += do_cross;
            }
        assert_true(expected > 100);
        for (int threads = 1; threads <= 3; ++threads) assert_int_equal(couMesh_Inspect(mesh, threads).crossing_count, expected);
        couMesh_Release(mesh);
    }
}

// 4,000 triangles that all cross each other have 8e6 pairs; counting stops in time and does not depend on threads.
static void test_rubbish_comes_to_an_end(void **context)
{
    (void)context;
    couRandom random = {couMix64(5)};
    Builder builder = {0};
    for (uint32_t t = 0; t < 4000; ++t) {
        for (int k = 0; k < 3; ++k)
            add_vertex(&builder, couRandomSigned(&random), couRandomSigned(&random), couRandomSigned(&random));
        add_triangle(&builder, 3 * t, 3 * t + 1, 3 * t + 2);
    }
    couMesh *mesh = finish(&builder);
    size_t count = couMesh_Inspect(mesh, 1).crossing_count;
    assert_true(count > 4000);
    assert_int_equal(couMesh_Inspect(mesh, 2).crossing_count, count);
    couMesh_Release(mesh);
}

// --- Sentences ---------------------------------------------------------------------------------------------------------------

static void test_sentences(void **context)
{
    (void)context;
    char text[400];
    couMeshReport_Format(&sound, text, sizeof text);
    assert_string_equal(text, "");
    couMeshReport report = {.part_count = 3, .open_edge_count = 4, .hole_count = 1, .crossing_count = 2};
    couMeshReport_Format(&report, text, sizeof text);
    assert_string_equal(text, "4 open edges, 1 hole, 2 pairs of triangles that cross");
    // Everything large fits; what does not fit is cut.
    memset(&report, 0x7f, offsetof(couMeshReport, is_closed));
    couMeshReport_Format(&report, text, sizeof text);
    assert_non_null(strstr(text, "pairs of triangles that cross"));
    memset(text, '#', sizeof text);
    couMeshReport_Format(&report, text, 25);
    assert_int_equal(strlen(text), 24);
    assert_int_equal(text[25], '#');
    couMeshReport_Format(&report, text, 0);
}

// --- Masses ------------------------------------------------------------------------------------------------------------------

static void check_mass(couMesh *mesh, couMassProperties expected, double length, double tolerance)
{
    couMassProperties got = couMesh_Mass(mesh);
    couMesh_Release(mesh);
    double unit = expected.volume * length * length;
    CHECK_NEAR(got.volume, expected.volume, tolerance * expected.volume, 0);
    for (int k = 0; k < 3; ++k) CHECK_NEAR(got.center[k], expected.center[k], tolerance * length, k);
    for (int k = 0; k < 6; ++k) CHECK_NEAR(got.inertia[k], expected.inertia[k], tolerance * unit, k);
}

static void test_boxes_are_exact(void **context)
{
    (void)context;
    Builder builder = {0};
    double v = 0.5 * 0.25 * 2;
    couMassProperties expected = {.volume = v, .center = {1, -2, 0.5}};
    expected.inertia[0] = v * (0.0625 + 4) / 12, expected.inertia[1] = v * (0.25 + 4) / 12;
    expected.inertia[2] = v * (0.25 + 0.0625) / 12;
    for (int is_inside_out = 0; is_inside_out < 2; ++is_inside_out) {
        add_box(&builder, (couVec3){1, -2, 0.5f}, (couVec3){0.5f, 0.25f, 2});
        if (is_inside_out) flip(&builder, 0, 12);
        check_mass(finish(&builder), expected, 2, 1e-12);
    }
    // A thousand kilometres away the float corners are still those of a box.
    add_box(&builder, (couVec3){1e6f - 8, -5e5f, 0}, (couVec3){0.5f, 0.25f, 2});
    expected.center[0] = 1e6 - 8, expected.center[1] = -5e5, expected.center[2] = 0;
    check_mass(finish(&builder), expected, 2, 1e-10);
    // A corner tetrahedron has products of inertia: I_xy = -(1/120 - V c_x c_y) = -(1/120 - 1/96).
    for (int k = 0; k < 4; ++k) add_vertex(&builder, k == 1, k == 2, k == 3);
    add_triangle(&builder, 0, 2, 1);
    add_triangle(&builder, 0, 1, 3);
    add_triangle(&builder, 0, 3, 2);
    add_triangle(&builder, 1, 2, 3);
    expected = (couMassProperties){.volume = 1.0 / 6, .center = {0.25, 0.25, 0.25}};
    for (int k = 0; k < 3; ++k) expected.inertia[k] = 2 * (1.0 / 60 - 1.0 / 96), expected.inertia[3 + k] = 1.0 / 96 - 1.0 / 120;
    check_mass(finish(&builder), expected, 1, 1e-12);
}

// Finer spheres and rings come closer with the square of the edge length.
static void test_round_solids_converge(void **context)
{
    (void)context;
    double last_sphere = 0, last_torus = 0;
    for (int n = 16; n <= 128; n *= 2) {
        Builder builder = {0};
        add_sphere(&builder, (couVec3){3, 0, 0}, 0.5, n - 1, 2 * n);
        couMesh *mesh = finish(&builder);
        couMassProperties mass = couMesh_Mass(mesh);
        couMesh_Release(mesh);
        double v = COU_PI / 6, error = 1 - mass.volume / v, off = 1 - mass.inertia[0] / (0.1 * v);
        CHECK_RANGE(error, 0, 20.0 / n / n, n);
        CHECK_RANGE(off, 0, 40.0 / n / n, n);
        CHECK_NEAR(mass.center[0], 3, 1e-6, n);
        if (last_sphere > 0) CHECK_RANGE(last_sphere / error, 3.8, 4.2, n);
        last_sphere = error;

        add_torus(&builder, 0.8, 0.3, 3 * n, n);
        mesh = finish(&builder);
        mass = couMesh_Mass(mesh);
        couMesh_Release(mesh);
        v = 2 * COU_PI * COU_PI * 0.8 * 0.09;
        error = 1 - mass.volume / v;
        off = 1 - mass.inertia[1] / (v * (0.64 + 0.75 * 0.09));
        CHECK_RANGE(error, 0, 20.0 / n / n, n);
        CHECK_RANGE(off, 0, 40.0 / n / n, n);
        if (last_torus > 0) CHECK_RANGE(last_torus / error, 3.8, 4.2, n);
        last_torus = error;
    }
}

// --- Holes -------------------------------------------------------------------------------------------------------------------

static void test_closing_holes(void **context)
{
    (void)context;
    // A box without its lid: the fan lies in the lid's plane, so the volume is exact again.
    Builder builder = {0};
    add_box(&builder, (couVec3){2, 0, 0}, (couVec3){1, 2, 3});
    builder.triangle_count -= 2;
    couMesh *mesh = finish(&builder), *closed = couMesh_CloseHoles(mesh);
    assert_non_null(closed);
    assert_int_equal(couMesh_TriangleCount(closed), 14);
    CHECK_NEAR(couMesh_Mass(closed).volume, 6, 1e-6, 0);
    CHECK_NEAR(couMesh_Mass(closed).center[0], 2, 1e-6, 0);
    check_report(closed, sound, "box with a new lid");
    couMesh_Release(mesh);

    // A sphere without its cap down to the latitude y: the ball less the cap pi h^2 (3 r - h) / 3.
    enum { rings = 99, sides = 200, cut = 80 };
    add_sphere(&builder, (couVec3){0}, 1, rings, sides);
    size_t kept = 0;
    float limit = builder.vertices[1 + (cut - 1) * sides].y + 1e-4f;
    for (size_t t = 0; t < builder.triangle_count; ++t) {
        const uint32_t *corners = &builder.triangles[3 * t];
        bool is_kept = true;
        for (int k = 0; k < 3; ++k) is_kept &= builder.vertices[corners[k]].y <= limit;
        if (is_kept) memmove(&builder.triangles[3 * kept++], corners, 3 * sizeof *corners);
    }
    builder.triangle_count = kept;
    mesh = finish(&builder);
    couMeshReport report = couMesh_Inspect(mesh, 1);
    assert_int_equal(report.hole_count, 1);
    assert_int_equal(report.open_edge_count, sides);
    closed = couMesh_CloseHoles(mesh);
    double h = 1 - ((double)limit - 1e-4), v = 4.0 / 3.0 * COU_PI - COU_PI * h * h * (3 - h) / 3;
    CHECK_NEAR(couMesh_Mass(closed).volume, v, 1e-3 * v, 0);
    check_report(closed, sound, "sphere with a flat cap");
    couMesh_Release(mesh);

    // A pipe has two holes; a sound mesh stays as it is.
    add_torus(&builder, 1, 0.3, 24, 8);
    builder.triangle_count -= 16; // one segment
    mesh = finish(&builder);
    assert_int_equal(couMesh_Inspect(mesh, 1).hole_count, 2);
    closed = couMesh_CloseHoles(mesh);
    check_report(closed, sound, "pipe");
    couMesh_Release(mesh);
    mesh = unit_box();
    closed = couMesh_CloseHoles(mesh);
    assert_true(couMesh_Hash(closed) == couMesh_Hash(mesh));
    couMesh_Release(mesh);
    couMesh_Release(closed);
}

// A rim whose triangles do not agree is still one loop.
static void test_hole_beside_a_flipped_triangle(void **context)
{
    (void)context;
    Builder builder = {0};
    add_box(&builder, (couVec3){0}, (couVec3){1, 1, 1});
    builder.triangle_count -= 2;
    for (size_t t = 0; t < builder.triangle_count; ++t) {
        couMeshReport report;
        Builder copy = {0};
        add_box(&copy, (couVec3){0}, (couVec3){1, 1, 1});
        copy.triangle_count -= 2;
        flip(&copy, t, 1);
        couMesh *mesh = finish(&copy), *closed = couMesh_CloseHoles(mesh);
        report = couMesh_Inspect(mesh, 1);
        assert_int_equal(report.hole_count, 1);
        report = couMesh_Inspect(closed, 1);
        assert_true(report.is_closed);
        assert_false(report.is_oriented);
        couMesh_Release(mesh);
        couMesh_Release(closed);
    }
    couMesh_Release(finish(&builder));
}

// --- Wrong input -------------------------------------------------------------------------------------------------------------

static void test_wrong_input(void **context)
{
    (void)context;
    couFaults faults = {0};
    couVec3 vertices[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    uint32_t triangle[3] = {0, 1, 2};
    assert_null(couCreateMesh(vertices, 3, triangle, 0, &faults));
    CHECK_FAULT(&faults, "mesh", "no triangles");
    assert_null(couCreateMesh(NULL, 0, NULL, 0, &faults));
    CHECK_FAULT(&faults, "mesh", "no triangles");
    triangle[1] = 3;
    assert_null(couCreateMesh(vertices, 3, triangle, 1, &faults));
    CHECK_FAULT(&faults, "mesh", "triangle 0 uses vertex 3; there are 3");
    triangle[1] = 1;
    const float bad[] = {NAN, INFINITY, -INFINITY, 1.1e6f};
    for (int k = 0; k < COU_COUNT(bad); ++k) {
        vertices[2].y = bad[k];
        assert_null(couCreateMesh(vertices, 3, triangle, 1, &faults));
        CHECK_FAULT(&faults, "mesh", "vertex 2 is at");
    }
    assert_null(couCreateMesh(vertices, 3, triangle, 1, NULL));
}

// A mesh without any area has no volume and stays finite.
static void test_nothing_but_a_line(void **context)
{
    (void)context;
    Builder builder = {0};
    for (int k = 0; k < 3; ++k) add_vertex(&builder, k, 0, 0);
    add_triangle(&builder, 0, 1, 2);
    add_triangle(&builder, 1, 1, 1);
    couMesh *mesh = finish(&builder), *closed = couMesh_CloseHoles(mesh);
    couMassProperties mass = couMesh_Mass(mesh);
    CHECK_NEAR(mass.volume, 0, 0, 0);
    CHECK_NEAR(mass.center[0], 1, 0, 0);
    assert_non_null(closed);
    assert_false(couMesh_IsSolid(closed));
    couMesh_Release(closed);
    couMesh_Release(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sound_meshes),
        cmocka_unit_test(test_vertices_are_welded),
        cmocka_unit_test(test_open_meshes),
        cmocka_unit_test(test_doubled_flipped_and_crowded),
        cmocka_unit_test(test_triangles_without_area),
        cmocka_unit_test(test_crossing_parts),
        cmocka_unit_test(test_crossings_against_brute_force),
        cmocka_unit_test(test_rubbish_comes_to_an_end),
        cmocka_unit_test(test_sentences),
        cmocka_unit_test(test_boxes_are_exact),
        cmocka_unit_test(test_round_solids_converge),
        cmocka_unit_test(test_closing_holes),
        cmocka_unit_test(test_hole_beside_a_flipped_triangle),
        cmocka_unit_test(test_wrong_input),
        cmocka_unit_test(test_nothing_but_a_line),
    };
    return cmocka_run_group_tests_name("mesh", tests, NULL, NULL);
}
