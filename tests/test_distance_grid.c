// Distance grids against formulas, against the parity of rays, and against themselves: dirty meshes, threads, bytes.
#include "testing.h"

#include "base/random.h"
#include "shape/distance_grid.h"
#include "shape/triangle_tree.h"

#include <stdlib.h>

#define SEED 1

// --- Meshes ------------------------------------------------------------------------------------------------------------------

typedef struct Soup {
    couVec3 *vertices;
    uint32_t *triangles;
    size_t vertex_count, triangle_count;
} Soup;

static uint32_t add_vertex(Soup *soup, couVec3 p)
{
    soup->vertices = realloc(soup->vertices, (soup->vertex_count + 1) * sizeof p);
    soup->vertices[soup->vertex_count] = p;
    return (uint32_t)soup->vertex_count++;
}

static void add_triangle(Soup *soup, uint32_t a, uint32_t b, uint32_t c)
{
    soup->triangles = realloc(soup->triangles, (soup->triangle_count + 1) * 3 * sizeof a);
    uint32_t *corner = &soup->triangles[3 * soup->triangle_count++];
    corner[0] = a, corner[1] = b, corner[2] = c;
}

static void add_quad(Soup *soup, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    add_triangle(soup, a, b, c);
    add_triangle(soup, a, c, d);
}

// A turn that puts nothing along an axis.
static const couPose askew = {{0.013f, -0.021f, 0.007f}, {0.182574f, 0.365148f, 0.547723f, 0.730297f}};

static void add_box(Soup *soup, couVec3 center, couVec3 half, couPose pose)
{
    uint32_t v[8];
    for (int k = 0; k < 8; ++k) {
        couVec3 p = {k & 1 ? half.x : -half.x, k & 2 ? half.y : -half.y, k & 4 ? half.z : -half.z};
        v[k] = add_vertex(soup, couToWorld(pose, couAdd(center, p)));
    }
    add_quad(soup, v[0], v[2], v[3], v[1]);
    add_quad(soup, v[4], v[5], v[7], v[6]);
    add_quad(soup, v[0], v[1], v[5], v[4]);
    add_quad(soup, v[2], v[6], v[7], v[3]);
    add_quad(soup, v[0], v[4], v[6], v[2]);
    add_quad(soup, v[1], v[3], v[7], v[5]);
}

// A closed surface from a map of the torus of parameters, or of the sphere's (rows end in poles).
static void add_round(Soup *soup, int rows, int columns, float radius, float tube)
{
    uint32_t first = (uint32_t)soup->vertex_count;
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < columns; ++j) {
            double a = 2.0 * COU_PI * j / columns;
            double b = tube > 0.0f ? 2.0 * COU_PI * i / rows : COU_PI * ((double)i / (rows - 1) - 0.5);
            double r = tube > 0.0f ? radius + tube * cos(b) : radius * cos(b);
            double y = tube > 0.0f ? tube * sin(b) : radius * sin(b);
            if (tube <= 0.0f && (i == 0 || i == rows - 1)) r = 0.0;
            add_vertex(soup, (couVec3){(float)(r * cos(a)), (float)y, (float)(r * sin(a))});
        }
    for (int i = 0; i < (tube > 0.0f ? rows : rows - 1); ++i)
        for (int j = 0; j < columns; ++j) {
            uint32_t k = (uint32_t)((i + 1) % rows), l = (uint32_t)((j + 1) % columns), n = (uint32_t)columns;
            add_quad(soup, first + (uint32_t)i * n + (uint32_t)j, first + k * n + (uint32_t)j, first + k * n + l,
                     first + (uint32_t)i * n + l);
        }
}

// Takes the soup.
static couMesh *make_mesh(Soup *soup)
{
    couFaults faults = {0};
    couMesh *mesh = couCreateMesh(soup->vertices, soup->vertex_count, soup->triangles, soup->triangle_count, &faults);
    CHECK_NO_FAULTS(&faults);
    free(soup->vertices);
    free(soup->triangles);
    *soup = (Soup){0};
    return mesh;
}

static couMesh *box_mesh(float size)
{
    Soup soup = {0};
    add_box(&soup, (couVec3){0}, (couVec3){0.5f * size, 0.5f * size, 0.5f * size}, askew);
    return make_mesh(&soup);
}

static couDistanceGrid *make_grid(couMesh *mesh, float cell)
{
    couFaults faults = {0};
    couDistanceGrid *grid = couCreateDistanceGrid(mesh, cell, 0, 2, &faults);
    CHECK_NO_FAULTS(&faults);
    assert_non_null(grid);
    return grid;
}

static couVec3 random_place(couRandom *random, const couDistanceGrid *grid, float margin)
{
    couVec3 half = couScale(0.5f * grid->cell, grid->last);
    couVec3 center = couAdd(grid->origin, half);
    return (couVec3){center.x + (half.x + margin) * couRandomSigned(random),
                     center.y + (half.y + margin) * couRandomSigned(random),
                     center.z + (half.z + margin) * couRandomSigned(random)};
}

// --- Against formulas --------------------------------------------------------------------------------------------------------

typedef struct Case {
    const char *name;
    couMesh *mesh;
    couShape *shape;
    couPose pose;  // of the shape
    float crease;  // cells next to an edge where normals are not compared
    double volume; // [m^3]
} Case;

static float true_distance(const Case *c, couVec3 p, couVec3 *normal)
{
    float distance = couShape_DistanceNormal(c->shape, 3, couToLocal(c->pose, p), normal);
    *normal = couRotate(c->pose.rotation, *normal);
    return distance;
}

// The normal of a box jumps at its edges; elsewhere a cell around shows much the same.
static bool is_smooth(const Case *c, couVec3 p, float reach)
{
    couVec3 normal, other;
    true_distance(c, p, &normal);
    for (int k = 0; k < 8; ++k) {
        couVec3 d = {k & 1 ? reach : -reach, k & 2 ? reach : -reach, k & 4 ? reach : -reach};
        true_distance(c, couAdd(p, d), &other);
        if (couDot(normal, other) < 0.95f) return false;
    }
    return true;
}

static void check_case(const Case *c, float cell)
{
    couDistanceGrid *grid = make_grid(c->mesh, cell);
    couRandom random = {couMix64(SEED)};
    double worst = 0.0, worst_turn = 0.0, worst_far = 0.0;
    int turns = 0;
    for (int k = 0; k < 20000; ++k) {
        couVec3 p = random_place(&random, grid, 0.0f), normal, expected_normal;
        float expected = true_distance(c, p, &expected_normal);
        float got = couDistanceGrid_DistanceNormal(grid, p, &normal);
        CHECK_NEAR(got, couDistanceGrid_Distance(grid, p), 1e-6f, SEED);
        CHECK_NEAR(couLength(normal), 1.0, 1e-5, SEED);
        worst = fmax(worst, fabs(got - expected));
        if (fabsf(expected) > 2.0f * cell || !is_smooth(c, p, c->crease * cell)) continue;
        worst_turn = fmax(worst_turn, acos(fmin(1.0, couDot(normal, expected_normal))));
        ++turns;
    }
    assert_true(turns > 300);
    CHECK_AT_MOST(worst / cell, 0.5, SEED);
    CHECK_AT_MOST(worst_turn * 180.0 / COU_PI, 5.0, SEED);
    // Beyond the grid: a lower bound that is not silly.
    for (int k = 0; k < 5000; ++k) {
        couVec3 p = random_place(&random, grid, 2.0f), normal;
        float expected = true_distance(c, p, &normal), got = couDistanceGrid_Distance(grid, p);
        worst_far = fmax(worst_far, got - expected);
        if (expected > 0.0f) assert_true(got > 0.4f * expected - 0.5f * cell);
    }
    CHECK_AT_MOST(worst_far / cell, 0.5, SEED);
    couMassProperties mass = couDistanceGrid_Mass(grid);
    CHECK_NEAR(mass.volume / c->volume, 1.0, 0.3 * cell, SEED); // edges and thin parts are rounded off
    couVec3 middle = c->pose.position;
    CHECK_NEAR(mass.center[0], middle.x, 1e-3, SEED);
    CHECK_NEAR(mass.center[1], middle.y, 1e-3, SEED);
    CHECK_NEAR(mass.center[2], middle.z, 1e-3, SEED);
    couDistanceGrid_Release(grid);
}

static void test_sphere(void **context)
{
    (void)context;
    Soup soup = {0};
    add_round(&soup, 65, 128, 0.5f, 0.0f);
    Case c = {"sphere", make_mesh(&soup), make_sphere(0.5f), COU_POSE_IDENTITY, 0.0f, 4.0 / 3.0 * COU_PI * 0.125};
    check_case(&c, 1.0f / 31.0f);
    check_case(&c, 1.0f / 48.0f);
    couMesh_Release(c.mesh);
    couShape_Release(c.shape);
}

static void test_box(void **context)
{
    (void)context;
    Soup soup = {0};
    add_box(&soup, (couVec3){0}, (couVec3){0.5f, 0.3f, 0.2f}, askew);
    Case c = {"box", make_mesh(&soup), make_box(1.0f, 0.6f, 0.4f), askew, 1.5f, 0.24};
    check_case(&c, 1.0f / 31.0f);
    check_case(&c, 1.0f / 60.0f);
    couMesh_Release(c.mesh);
    couShape_Release(c.shape);
}

static void test_torus(void **context)
{
    (void)context;
    Soup soup = {0};
    add_round(&soup, 64, 160, 0.35f, 0.15f);
    couShape *torus = make_shape((couShapeDef){.kind = cou_shapeTorus, .radius = 0.35f, .radius2 = 0.15f});
    Case c = {"torus", make_mesh(&soup), torus, COU_POSE_IDENTITY, 0.0f, 2.0 * COU_PI * COU_PI * 0.35 * 0.15 * 0.15};
    check_case(&c, 1.0f / 64.0f);
    couMesh_Release(c.mesh);
    couShape_Release(c.shape);
}

static void test_inertia(void **context)
{
    (void)context;
    couMesh *mesh = box_mesh(0.8f);
    couDistanceGrid *grid = make_grid(mesh, 1.0f / 40.0f);
    couMassProperties mass = couDistanceGrid_Mass(grid);
    double expected = mass.volume * 0.64 / 6.0; // the same about every axis
    for (int k = 0; k < 3; ++k) CHECK_NEAR(mass.inertia[k] / expected, 1.0, 5e-3, SEED);
    for (int k = 3; k < 6; ++k) CHECK_NEAR(mass.inertia[k] / expected, 0.0, 1e-3, SEED);
    couDistanceGrid_Release(grid);
    couMesh_Release(mesh);
}

// --- Signs against rays ------------------------------------------------------------------------------------------------------

static couMesh *load_bunny(void)
{
    FILE *file = fopen("/usr/share/glmark2/models/bunny.obj", "r");
    if (!file) return NULL;
    size_t vertex_capacity = 100000, triangle_capacity = 100000;
    Soup soup = {.vertices = malloc(vertex_capacity * sizeof(couVec3)),
                 .triangles = malloc(3 * triangle_capacity * sizeof(uint32_t))};
    char line[256];
    while (fgets(line, sizeof line, file)) {
        couVec3 p;
        uint32_t a, b, c;
        if (sscanf(line, "v %f %f %f", &p.x, &p.y, &p.z) == 3) {
            assert_true(soup.vertex_count < vertex_capacity);
            soup.vertices[soup.vertex_count++] = p;
        } else if (sscanf(line, "f %u %u %u", &a, &b, &c) == 3) {
            assert_true(soup.triangle_count < triangle_capacity);
            uint32_t *corner = &soup.triangles[3 * soup.triangle_count++];
            corner[0] = a - 1, corner[1] = b - 1, corner[2] = c - 1;
        }
    }
    fclose(file);
    return make_mesh(&soup);
}

// Rays along z of a turned frame: triangles in bins of their projection.
enum { bins = 128 };
typedef struct Rays {
    double axes[3][3];
    double (*corners)[3];
    double lower[2], scale[2];
    uint32_t *start, *items;
} Rays;

static void to_frame(const Rays *rays, couVec3 p, double out[3])
{
    for (int k = 0; k < 3; ++k) out[k] = rays->axes[k][0] * p.x + rays->axes[k][1] * p.y + rays->axes[k][2] * p.z;
}

static int bin_of(const Rays *rays, double x, int side)
{
    return COU_CLAMP((int)((x - rays->lower[side]) * rays->scale[side]), 0, bins - 1);
}

static void bin_range(const Rays *rays, size_t t, int range[4])
{
    for (int side = 0; side < 2; ++side) {
        double a = rays->corners[3 * t][side], b = rays->corners[3 * t + 1][side], c = rays->corners[3 * t + 2][side];
        range[2 * side] = bin_of(rays, fmin(a, fmin(b, c)), side);
        range[2 * side + 1] = bin_of(rays, fmax(a, fmax(b, c)), side);
    }
}

static Rays make_rays(const couMesh *mesh, couRandom *random)
{
    Rays rays = {0};
    couQuat q = {couRandomSigned(random), couRandomSigned(random), couRandomSigned(random), couRandomSigned(random)};
    float norm = sqrtf(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    q = (couQuat){q.x / norm, q.y / norm, q.z / norm, q.w / norm};
    for (int k = 0; k < 3; ++k) {
        couVec3 axis = couRotate(q, (couVec3){k == 0, k == 1, k == 2});
        rays.axes[k][0] = axis.x, rays.axes[k][1] = axis.y, rays.axes[k][2] = axis.z;
    }
    size_t count = couMesh_TriangleCount(mesh);
    rays.corners = malloc(3 * count * sizeof *rays.corners);
    double upper[2] = {-INFINITY, -INFINITY};
    rays.lower[0] = rays.lower[1] = INFINITY;
    for (size_t k = 0; k < 3 * count; ++k) {
        to_frame(&rays, couMesh_Vertices(mesh)[couMesh_Triangles(mesh)[k]], rays.corners[k]);
        for (int side = 0; side < 2; ++side) {
            rays.lower[side] = fmin(rays.lower[side], rays.corners[k][side]);
            upper[side] = fmax(upper[side], rays.corners[k][side]);
        }
    }
    for (int side = 0; side < 2; ++side) rays.scale[side] = bins / (upper[side] - rays.lower[side]);
    // Counted, then filled.
    rays.start = calloc(bins * bins + 1, sizeof *rays.start);
    int range[4];
    for (int pass = 0; pass < 2; ++pass) {
        for (size_t t = count; t-- > 0;) {
            bin_range(&rays, t, range);
            for (int y = range[2]; y <= range[3]; ++y)
                for (int x = range[0]; x <= range[1]; ++x) {
                    if (pass == 0)
                        ++rays.start[y * bins + x];
                    else
                        rays.items[--rays.start[y * bins + x]] = (uint32_t)t;
                }
        }
        if (pass == 1) break;
        uint32_t sum = 0;
        for (int k = 0; k <= bins * bins; ++k) sum += rays.start[k], rays.start[k] = sum;
        rays.items = malloc(sum * sizeof *rays.items);
    }
    return rays;
}

static bool is_inside_by(const Rays *rays, couVec3 point)
{
    double p[3];
    to_frame(rays, point, p);
    int bin = bin_of(rays, p[1], 1) * bins + bin_of(rays, p[0], 0);
    bool is_inside = false;
    for (uint32_t k = rays->start[bin]; k < rays->start[bin + 1]; ++k) {
        double(*c)[3] = &rays->corners[3 * (size_t)rays->items[k]];
        double weight[3];
        for (int e = 0; e < 3; ++e) {
            const double *a = c[(e + 1) % 3], *b = c[(e + 2) % 3];
            weight[e] = (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]);
        }
        bool is_hit = (weight[0] > 0) == (weight[1] > 0) && (weight[1] > 0) == (weight[2] > 0);
        double area = weight[0] + weight[1] + weight[2];
        if (!is_hit || area == 0.0) continue;
        is_inside ^= (weight[0] * c[0][2] + weight[1] * c[1][2] + weight[2] * c[2][2]) / area > p[2];
    }
    return is_inside;
}

static void test_bunny_signs(void **context)
{
    (void)context;
    couMesh *mesh = load_bunny();
    if (!mesh) skip();
    couBounds bounds = couMesh_Bounds(mesh);
    float cell = (bounds.upper.x - bounds.lower.x) / 96.0f;
    couDistanceGrid *grid = make_grid(mesh, cell);
    couRandom random = {couMix64(SEED)};
    enum { directions = 3 };
    Rays rays[directions];
    for (int r = 0; r < directions; ++r) rays[r] = make_rays(mesh, &random);
    // Every third node along x, all others.
    int64_t wrong = 0, total = 0, inside = 0;
    for (int z = 0; z < (int)grid->last.z; ++z)
        for (int y = 0; y < (int)grid->last.y; ++y)
            for (int x = (y + z) % 3; x < (int)grid->last.x; x += 3) {
                couVec3 p = couMulAdd(grid->origin, cell, (couVec3){(float)x, (float)y, (float)z});
                float distance = couDistanceGrid_Distance(grid, p);
                if (fabsf(distance) <= 1e-4f * cell) continue;
                int votes = 0;
                for (int r = 0; r < directions; ++r) votes += is_inside_by(&rays[r], p);
                wrong += (distance < 0.0f) != (votes > directions / 2);
                inside += distance < 0.0f;
                ++total;
            }
    assert_true(inside > 10000);
    CHECK_AT_MOST((double)wrong / (double)total, 1e-4, SEED);
    for (int r = 0; r < directions; ++r) free(rays[r].corners), free(rays[r].start), free(rays[r].items);
    couDistanceGrid_Release(grid);
    couMesh_Release(mesh);
}

// --- Dirty meshes ------------------------------------------------------------------------------------------------------------

typedef void DirtyFcn(Soup *soup);

static void add_inner_box(Soup *soup) { add_box(soup, (couVec3){0.05f, 0, 0}, (couVec3){0.25f, 0.1f, 0.1f}, askew); }

// Right through the middle, its rim on the outer surface.
static void add_wall(Soup *soup)
{
    uint32_t v[4];
    for (int k = 0; k < 4; ++k) {
        couVec3 p = {0, (k == 1 || k == 2) ? 0.4f : -0.4f, k >= 2 ? 0.4f : -0.4f};
        v[k] = add_vertex(soup, couToWorld(askew, p));
    }
    add_quad(soup, v[0], v[1], v[2], v[3]);
}

static void add_doubles(Soup *soup)
{
    for (size_t t = 0, count = soup->triangle_count; t < count; ++t) {
        const uint32_t c[3] = {soup->triangles[3 * t], soup->triangles[3 * t + 1], soup->triangles[3 * t + 2]};
        add_triangle(soup, c[t % 2], c[1 - t % 2], c[2]);
    }
}

static void flip_some(Soup *soup)
{
    for (size_t t = 0; t < soup->triangle_count; t += 3) {
        uint32_t c = soup->triangles[3 * t];
        soup->triangles[3 * t] = soup->triangles[3 * t + 1];
        soup->triangles[3 * t + 1] = c;
    }
}

// A fin from an edge of the box to its middle.
static void add_fin(Soup *soup)
{
    uint32_t middle = add_vertex(soup, askew.position);
    add_triangle(soup, 0, 1, middle);
}

static void add_lonely_vertex(Soup *soup) { add_vertex(soup, (couVec3){500, 500, 500}); }

static void test_dirty(void **context)
{
    (void)context;
    DirtyFcn *const dirts[] = {add_inner_box, add_wall, add_doubles, flip_some, add_fin, add_lonely_vertex};
    const float cell = 1.0f / 30.0f;
    couMesh *clean_mesh = box_mesh(0.8f);
    couDistanceGrid *clean = make_grid(clean_mesh, cell);
    for (int d = 0; d < COU_COUNT(dirts); ++d) {
        Soup soup = {0};
        add_box(&soup, (couVec3){0}, (couVec3){0.4f, 0.4f, 0.4f}, askew);
        dirts[d](&soup);
        couMesh *mesh = make_mesh(&soup);
        couDistanceGrid *grid = make_grid(mesh, cell);
        couRandom random = {couMix64(SEED)};
        double worst = 0.0;
        for (int k = 0; k < 20000; ++k) {
            couVec3 p = random_place(&random, clean, 0.2f);
            worst = fmax(worst, fabs(couDistanceGrid_Distance(grid, p) - couDistanceGrid_Distance(clean, p)));
        }
        CHECK_AT_MOST(worst, 1e-5, d);
        couDistanceGrid_Release(grid);
        couMesh_Release(mesh);
    }
    couDistanceGrid_Release(clean);
    couMesh_Release(clean_mesh);
}

// Two boxes through each other: outside the nearer counts, and from inside the field leads out without stopping at inner faces.
static void test_overlap(void **context)
{
    (void)context;
    const float cell = 1.0f / 40.0f;
    const couVec3 half[2] = {{0.5f, 0.2f, 0.2f}, {0.2f, 0.5f, 0.2f}};
    Soup soup = {0};
    couShape *boxes[2];
    for (int k = 0; k < 2; ++k) {
        add_box(&soup, (couVec3){0}, half[k], askew);
        boxes[k] = make_box(2 * half[k].x, 2 * half[k].y, 2 * half[k].z);
    }
    couMesh *mesh = make_mesh(&soup);
    couDistanceGrid *grid = make_grid(mesh, cell);
    couRandom random = {couMix64(SEED)};
    int escapes = 0;
    for (int k = 0; k < 60000; ++k) {
        couVec3 p = random_place(&random, grid, 0.0f), local = couToLocal(askew, p), normal;
        float expected = COU_MIN(couShape_Distance(boxes[0], 3, local), couShape_Distance(boxes[1], 3, local));
        float got = couDistanceGrid_Distance(grid, p);
        if (expected > 0.0f) CHECK_NEAR(got / cell, expected / cell, 0.5, SEED);
        if (fabsf(expected) > 0.5f * cell) assert_true((got < 0.0f) == (expected < 0.0f));
        if (!(got < -cell)) continue;
        int steps = 0;
        for (; steps < 100 && got < 0.0f; ++steps) {
            got = couDistanceGrid_DistanceNormal(grid, p, &normal);
            p = couMulAdd(p, 0.5f * cell, normal);
        }
        assert_true(got >= 0.0f);
        ++escapes;
    }
    assert_true(escapes > 1000);
    couDistanceGrid_Release(grid);
    couMesh_Release(mesh);
    couShape_Release(boxes[0]);
    couShape_Release(boxes[1]);
}

// --- Bytes -------------------------------------------------------------------------------------------------------------------

static char *pack(const couDistanceGrid *grid, size_t *size)
{
    *size = couDistanceGrid_Pack(grid, NULL, 0);
    char *bytes = malloc(*size);
    assert_int_equal(couDistanceGrid_Pack(grid, bytes, *size), *size);
    return bytes;
}

static void test_threads(void **context)
{
    (void)context;
    Soup soup = {0};
    add_round(&soup, 49, 96, 0.5f, 0.0f);
    add_box(&soup, (couVec3){0.2f, 0.1f, 0}, (couVec3){0.5f, 0.2f, 0.2f}, askew);
    couMesh *mesh = make_mesh(&soup);
    char *first = NULL;
    size_t first_size = 0;
    for (int threads = 1; threads <= 3; ++threads) {
        couFaults faults = {0};
        couDistanceGrid *grid = couCreateDistanceGrid(mesh, 1.0f / 40.0f, 0, threads, &faults);
        CHECK_NO_FAULTS(&faults);
        size_t size;
        char *bytes = pack(grid, &size);
        if (first) {
            assert_int_equal(size, first_size);
            assert_memory_equal(bytes, first, size);
            free(bytes);
        } else {
            first = bytes, first_size = size;
        }
        couDistanceGrid_Release(grid);
    }
    free(first);
    couMesh_Release(mesh);
}

static void test_bytes(void **context)
{
    (void)context;
    couMesh *mesh = box_mesh(1.0f), *other = box_mesh(1.1f);
    couDistanceGrid *grid = make_grid(mesh, 0.3f);
    size_t size;
    char *bytes = pack(grid, &size);
    couFaults faults = {0};
    couDistanceGrid *copy = couUnpackDistanceGrid(mesh, bytes, size, &faults);
    CHECK_NO_FAULTS(&faults);
    size_t copy_size;
    char *copy_bytes = pack(copy, &copy_size);
    assert_int_equal(copy_size, size);
    assert_memory_equal(copy_bytes, bytes, size);
    assert_true(couDistanceGrid_Distance(copy, (couVec3){0.1f, 0.2f, 0.7f}) ==
                couDistanceGrid_Distance(grid, (couVec3){0.1f, 0.2f, 0.7f}));
    assert_int_equal(couDistanceGrid_Bytes(copy), couDistanceGrid_Bytes(grid));
    free(copy_bytes);

    // Any byte that is wrong or missing.
    for (size_t k = 0; k < size; ++k) {
        bytes[k] ^= (char)(1 << k % 8);
        assert_null(couUnpackDistanceGrid(mesh, bytes, size, &faults));
        CHECK_FAULT(&faults, "mesh", "cannot read");
        bytes[k] ^= (char)(1 << k % 8);
    }
    for (size_t k = 0; k < size; k += k < 200 ? 1 : 97) {
        char *part = malloc(k + 1); // of that size, so that a sanitizer sees what is read beyond
        memcpy(part, bytes, k);
        assert_null(couUnpackDistanceGrid(mesh, part, k, &faults));
        CHECK_FAULT(&faults, "mesh", "cannot read");
        free(part);
    }
    assert_null(couUnpackDistanceGrid(other, bytes, size, &faults));
    CHECK_FAULT(&faults, "mesh", "another mesh");
    free(bytes);
    couDistanceGrid_Release(copy);
    couDistanceGrid_Release(grid);
    couMesh_Release(mesh);
    couMesh_Release(other);
}

// --- Limits ------------------------------------------------------------------------------------------------------------------

static int warnings;
static void count_warnings(void *context, couLogLevel level, const char *message)
{
    (void)context, (void)message;
    warnings += level == cou_logWarning;
}

static void test_memory(void **context)
{
    (void)context;
    couMesh *mesh = box_mesh(1.0f);
    couFaults faults = {0};
    couSetLog(count_warnings, NULL);
    const float cells[] = {1.0f / 60.0f, 1e-9f};
    for (int k = 0; k < COU_COUNT(cells); ++k) {
        const size_t limit = 400000;
        warnings = 0;
        couDistanceGrid *grid = couCreateDistanceGrid(mesh, cells[k], limit, 0, &faults);
        CHECK_NO_FAULTS(&faults);
        CHECK_AT_MOST((double)couDistanceGrid_Bytes(grid), limit, SEED);
        CHECK_RANGE(couDistanceGrid_Cell(grid), cells[k], 0.2, SEED);
        assert_int_equal(warnings, 1);
        couDistanceGrid_Release(grid);
    }
    couSetLog(NULL, NULL);
    couMesh_Release(mesh);
}

// Triangles that are there many times give what they give once, and take no longer: each would look at all others.
static void test_copies(void **context)
{
    (void)context;
    enum { copies = 20000 };
    couMesh *mesh = box_mesh(1.0f);
    size_t count = couMesh_TriangleCount(mesh);
    uint32_t *triangles = couAlloc(NULL, copies * 3 * count * sizeof *triangles);
    assert_non_null(triangles);
    for (size_t k = 0; k < copies; ++k) memcpy(triangles + 3 * count * k, couMesh_Triangles(mesh), 3 * count * sizeof *triangles);
    couFaults faults = {0};
    couMesh *many = couCreateMesh(couMesh_Vertices(mesh), couMesh_VertexCount(mesh), triangles, copies * count, &faults);
    CHECK_NO_FAULTS(&faults);
    couDistanceGrid *once = make_grid(mesh, 0.05f), *grid = make_grid(many, 0.05f);
    assert_true(couDistanceGrid_Mesh(grid) == many);
    assert_true(couDistanceGrid_Cell(grid) == couDistanceGrid_Cell(once));
    couRandom random = {couMix64(SEED)};
    for (int k = 0; k < 1000; ++k) {
        couVec3 p = random_place(&random, grid, 0.3f);
        assert_true(couDistanceGrid_Distance(grid, p) == couDistanceGrid_Distance(once, p));
    }
    couDistanceGrid_Release(once);
    couDistanceGrid_Release(grid);
    couMesh_Release(many);
    couMesh_Release(mesh);
    couFree(NULL, triangles);
}

static void test_faults(void **context)
{
    (void)context;
    couFaults faults = {0};
    couMesh *mesh = box_mesh(1.0f);
    const float cells[] = {0.0f, -1.0f, NAN, INFINITY};
    for (int k = 0; k < COU_COUNT(cells); ++k) {
        assert_null(couCreateDistanceGrid(mesh, cells[k], 0, 1, &faults));
        CHECK_FAULT(&faults, "mesh.cell", "must be > 0");
    }
    couMesh_Release(mesh);

    // A box without two triangles lets the flood in.
    Soup soup = {0};
    add_box(&soup, (couVec3){0}, (couVec3){0.5f, 0.5f, 0.5f}, askew);
    soup.triangle_count -= 2;
    mesh = make_mesh(&soup);
    assert_null(couCreateDistanceGrid(mesh, 0.05f, 0, 1, &faults));
    CHECK_FAULT(&faults, "mesh", "nothing is inside");
    couMesh_Release(mesh);
}

// The field is continuous and no steeper than it says, within blocks, between them, and out of the grid.
static void test_slope(void **context)
{
    (void)context;
    Soup soup = {0};
    add_box(&soup, (couVec3){0}, (couVec3){0.5f, 0.5f, 0.1f}, askew);
    add_box(&soup, (couVec3){0, 0, 0.8f}, (couVec3){0.4f, 0.02f, 0.1f}, askew);
    couMesh *mesh = make_mesh(&soup);
    couDistanceGrid *grid = make_grid(mesh, 1.0f / 100.0f);
    size_t cells = (size_t)grid->count[0] * (size_t)grid->count[1] * (size_t)grid->count[2];
    assert_true((size_t)grid->block_count < cells); // some are plain, so that there are borders
    CHECK_RANGE(grid->slope, 1.0, 2.0, SEED);
    couRandom random = {couMix64(SEED)};
    for (int k = 0; k < 200000; ++k) {
        couVec3 a = random_place(&random, grid, 0.3f);
        float reach = grid->cell * powf(10.0f, 2.0f * couRandomSigned(&random));
        couVec3 d = {couRandomSigned(&random), couRandomSigned(&random), couRandomSigned(&random)};
        couVec3 b = couMulAdd(a, reach, d);
        float change = fabsf(couDistanceGrid_Distance(grid, a) - couDistanceGrid_Distance(grid, b));
        CHECK_AT_MOST(change, grid->slope * couLength(couSub(b, a)) + 1e-6f, SEED);
    }
    // What a shape calls free is: no other sign within it.
    couFaults faults = {0};
    couShape *shape = couCreateShape(&(couShapeDef){.kind = cou_shapeMesh, .grid = grid}, &faults);
    for (int k = 0; k < 200000; ++k) {
        couVec3 a = random_place(&random, grid, 0.3f);
        couVec3 d = couNormalize((couVec3){couRandomSigned(&random), couRandomSigned(&random), couRandomSigned(&random)});
        float distance = couShape_Distance(shape, 3, a);
        couVec3 b = couMulAdd(a, 0.9999f * couShape_Clearance(shape, distance), d);
        assert_true((couShape_Distance(shape, 3, b) < 0.0f) == (distance < 0.0f));
    }
    couShape_Release(shape);
    couDistanceGrid_Release(grid);
    couMesh_Release(mesh);
}

// --- The tree ----------------------------------------------------------------------------------------------------------------

static double point_triangle(couVec3 p, const couTriangle *t)
{
    // By a search over the triangle that narrows: slow, but unlike the code.
    double best = INFINITY, bu = 0.33, bv = 0.33;
    for (double step = 0.33; step > 1e-7; step *= 0.7) {
        double cu = bu, cv = bv;
        for (int i = -4; i <= 4; ++i)
            for (int j = -4; j <= 4; ++j) {
                double u = fmin(fmax(cu + 0.25 * i * step, 0.0), 1.0), v = fmin(fmax(cv + 0.25 * j * step, 0.0), 1.0 - u);
                double x = t->a.x + u * (t->b.x - t->a.x) + v * (t->c.x - t->a.x) - p.x;
                double y = t->a.y + u * (t->b.y - t->a.y) + v * (t->c.y - t->a.y) - p.y;
                double z = t->a.z + u * (t->b.z - t->a.z) + v * (t->c.z - t->a.z) - p.z;
                double d = sqrt(x * x + y * y + z * z);
                if (d < best) best = d, bu = u, bv = v;
            }
    }
    return best;
}

static void test_tree(void **context)
{
    (void)context;
    enum { count = 100 };
    couTriangle triangles[count];
    couRandom random = {couMix64(SEED)};
    float *numbers = &triangles[0].a.x;
    for (int k = 0; k < 9 * count; ++k) numbers[k] = couRandomSigned(&random);
    triangles[7].c = triangles[7].b;                  // an edge
    triangles[8].c = triangles[8].b = triangles[8].a; // a point
    couTriangleTree tree;
    assert_true(couTriangleTree_Build(&tree, triangles, count));
    couTreeDistanceFcn *const variants[cou_isaCount] = COU_VARIANTS(couTreeDistance);
    for (int k = 0; k < 200; ++k) {
        couVec3 p = {3 * couRandomSigned(&random), 3 * couRandomSigned(&random), 3 * couRandomSigned(&random)};
        double expected = INFINITY;
        for (int t = 0; t < count; ++t) expected = fmin(expected, point_triangle(p, &triangles[t]));
        uint32_t leaf = (uint32_t)k % (uint32_t)tree.leaf_count;
        float got = couTriangleTree_Distance(&tree, p, &leaf);
        CHECK_NEAR(got, expected, 1e-5, SEED);
        for (int isa = 0; isa <= (int)couBestIsa(); ++isa) {
            uint32_t other = (uint32_t)k % (uint32_t)tree.leaf_count;
            assert_true(variants[isa](&tree, p, &other) == got);
            assert_int_equal(other, leaf);
        }
        // A segment that a triangle stands in the way of, and one that ends on it.
        const couTriangle *t = &triangles[k % count];
        if (k % count == 7 || k % count == 8) continue;
        couVec3 q = couScale(1.0f / 3.0f, couAdd(t->a, couAdd(t->b, t->c)));
        assert_true(couTriangleTree_Blocks(&tree, p, couMulAdd(q, 0.1f, couSub(q, p))));
    }
    couTriangle lone = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    couTriangleTree_Free(&tree);
    assert_true(couTriangleTree_Build(&tree, &lone, 1));
    assert_false(couTriangleTree_Blocks(&tree, (couVec3){0.2f, 0.2f, 1}, (couVec3){0.2f, 0.2f, 0}));
    assert_false(couTriangleTree_Blocks(&tree, (couVec3){0.8f, 0.8f, 1}, (couVec3){0.8f, 0.8f, -1}));
    couTriangleTree_Free(&tree);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tree),  cmocka_unit_test(test_sphere),  cmocka_unit_test(test_box),
        cmocka_unit_test(test_torus), cmocka_unit_test(test_inertia), cmocka_unit_test(test_bunny_signs),
        cmocka_unit_test(test_dirty), cmocka_unit_test(test_overlap), cmocka_unit_test(test_threads),
        cmocka_unit_test(test_bytes), cmocka_unit_test(test_memory),  cmocka_unit_test(test_faults),
        cmocka_unit_test(test_slope), cmocka_unit_test(test_copies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
