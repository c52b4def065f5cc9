// The fields behind the meshes against sums in double precision, the table of marching cubes, splats.

#include "surface_test.h"

#include "surface/cut.h"

// --- Fields ------------------------------------------------------------------------------------------------------------------

static couCloud build_cloud(const Cloud *cloud, couSurfaceDef *def, couParallel *parallel, couMemory *memory, int dimension)
{
    couFaults faults = {0};
    couSurfacePoints points = points_of(cloud, dimension);
    couCloud kernels = {.memory = memory, .parallel = parallel};
    couResolveSurfaceDef(def, dimension, &kernels.stretch);
    assert_true(couCloud_Build(&kernels, def, &points, -1, &faults));
    CHECK_NO_FAULTS(&faults);
    return kernels;
}

static double shape_at(int field, double q2)
{
    if (!(q2 < 1.0)) return 0.0;
    return field == cou_surfaceClavet ? pow(1.0 - sqrt(q2), 2) : pow(1.0 - q2, 3);
}

static double distance2(couVec4 a, double x, double y, double z)
{
    return ((double)a.x - x) * ((double)a.x - x) + ((double)a.y - y) * ((double)a.y - y) + ((double)a.z - z) * ((double)a.z - z);
}

// F at a point from all kernels; their shapes as they are.
static double brute_field(const couCloud *kernels, double x, double y, double z)
{
    double sum = 0.0, h = (double)kernels->shape.h;
    for (size_t i = 0; i < kernels->count; ++i) {
        couVec4 c = kernels->center[i];
        double q2 = distance2(c, x, y, z) / (h * h);
        if (kernels->metric) {
            couVec4 a = kernels->metric[2 * i], b = kernels->metric[2 * i + 1];
            double dx = x - (double)c.x, dy = y - (double)c.y, dz = z - (double)c.z;
            q2 = dx * dx * (double)a.x + dy * dy * (double)a.w + dz * dz * (double)b.y +
                 2.0 * (dx * dy * (double)a.y + dx * dz * (double)a.z + dy * dz * (double)b.x);
        }
        sum += (double)c.w * shape_at(kernels->shape.kind, q2);
    }
    return sum;
}

typedef void EvaluateFcn(const couNear *near, const couFieldShape *shape, const couBrick *brick, float level, float *field,
                         uint64_t *bits);
typedef couSample SampleFcn(const couNear *near, const couFieldShape *shape, couVec3 p);

static void check_field(int field, int dimension, int seed)
{
    static EvaluateFcn *const evaluate[cou_isaCount] = COU_VARIANTS(couEvaluateBrick);
    static SampleFcn *const sample[cou_isaCount] = COU_VARIANTS(couSampleField);
    Cloud cloud = {0};
    add_random(&cloud, dimension, dimension == 3 ? 900 : 200, 12.0f, seed);
    couSurfaceDef def = surface_def(field);
    def.cell = SPACING * (0.25f + 0.1f * (float)seed);
    couMemory memory = {0};
    couParallel parallel = couMakeParallel(2);
    couCloud kernels = build_cloud(&cloud, &def, &parallel, &memory, dimension);
    couBrickKeys bricks;
    couFaults faults = {0};
    assert_true(couFindBricks(&bricks, &kernels, &def, &faults));
    couNear near = {0};
    double worst = 0.0, steepest = 0.0;
    for (size_t b = 0; b < bricks.count; b += 3) {
        int32_t at[3], bin[3];
        couBrickCoordinates(&bricks, bricks.keys[b], at);
        couBrick brick = couMakeBrick(&kernels, at, bin);
        couBounds box = couBoundBrick(&brick);
        assert_true(couNear_Gather(&near, &kernels, bin, box.lower, box.upper, kernels.metric ? 0.0f : kernels.shape.h));
        float values[cou_isaCount][512];
        uint64_t bits[cou_isaCount][8] = {{0}};
        couIsa best = couBestIsa();
        for (int isa = 0; isa <= (int)best; ++isa)
            evaluate[isa](&near, &kernels.shape, &brick, kernels.level, values[isa], bits[isa]);
        size_t nodes = 64 * (size_t)brick.layers;
        for (int isa = 1; isa <= (int)best; ++isa) { // the same bits
            assert_memory_equal(values[0], values[isa], nodes * sizeof(float));
            assert_memory_equal(bits[0], bits[isa], sizeof bits[0]);
        }
        for (size_t n = 0; n < nodes; n += 5) {
            double x = (double)brick.x[n % 8], y = (double)brick.y[n / 8 % 8], z = (double)brick.z[n / 64];
            worst = fmax(worst, fabs(brute_field(&kernels, x, y, z) - (double)values[0][n]));
            assert_int_equal(bits[0][n / 64] >> (n % 64) & 1, values[0][n] >= kernels.level);
        }
        // The gradient against differences, in the midst of the brick.
        couVec3 p = {brick.x[3] + 0.3f * brick.cell, brick.y[4] + 0.1f * brick.cell,
                     dimension == 3 ? brick.z[2] + 0.4f * brick.cell : 0};
        couSample got = {0};
        for (int isa = 0; isa <= (int)best; ++isa) {
            couSample other = sample[isa](&near, &kernels.shape, p);
            if (isa > 0) assert_memory_equal(&got, &other, sizeof got);
            got = other;
        }
        double x = (double)p.x, y = (double)p.y, z = (double)p.z, e = 1e-5 * (double)SPACING;
        worst = fmax(worst, fabs((double)got.value - brute_field(&kernels, x, y, z)));
        const double slopes[3] = {brute_field(&kernels, x + e, y, z) - brute_field(&kernels, x - e, y, z),
                                  brute_field(&kernels, x, y + e, z) - brute_field(&kernels, x, y - e, z),
                                  brute_field(&kernels, x, y, z + e) - brute_field(&kernels, x, y, z - e)};
        for (int a = 0; a < dimension; ++a)
            steepest = fmax(steepest, fabs((double)got.gradient[a] - slopes[a] / (2.0 * e)) * (double)SPACING);
    }
    CHECK_AT_MOST(worst, 1e-5, seed);
    CHECK_AT_MOST(steepest, 1e-3, seed);
    couNear_Free(&near);
    couFree(&memory, bricks.keys);
    couCloud_Free(&kernels);
    couFreeParallel(&parallel);
    assert_int_equal(memory.bytes, 0);
    clear_cloud(&cloud);
}

static void test_fields_equal_brute_force(void **context)
{
    (void)context;
    for (int field = 0; field < 3; ++field)
        for (int seed = 1; seed <= 3; ++seed) {
            check_field(field, 3, seed);
            check_field(field, 2, seed);
        }
}

// Weights are 1 / the sum of kernels at the particle; without them all weigh 1.
static void test_weights(void **context)
{
    (void)context;
    for (int field = 0; field < 2; ++field) {
        Cloud cloud = {0};
        add_random(&cloud, 3, 500, 9.0f, 6);
        couSurfaceDef def = surface_def(field);
        couMemory memory = {0};
        couParallel parallel = couMakeParallel(2);
        for (int is_normalized = 0; is_normalized < 2; ++is_normalized) {
            def.is_normalized = is_normalized;
            couCloud kernels = build_cloud(&cloud, &def, &parallel, &memory, 3);
            double h = (double)kernels.shape.h;
            for (size_t i = 0; i < kernels.count; ++i) {
                couVec4 c = kernels.center[i];
                double sum = 0.0;
                for (size_t j = 0; j < kernels.count; ++j)
                    sum += shape_at(field, distance2(kernels.center[j], (double)c.x, (double)c.y, (double)c.z) / (h * h));
                CHECK_NEAR((double)c.w, is_normalized ? 1.0 / sum : 1.0, 1e-5, 6);
            }
            couCloud_Free(&kernels);
        }
        couFreeParallel(&parallel);
        clear_cloud(&cloud);
    }
}

// Clavet's phi to the letter: without weights, two particles, on the line between and beside them.
static void test_clavet_to_the_letter(void **context)
{
    (void)context;
    Cloud cloud = {0};
    add_point(&cloud, (couVec3){0}, 0);
    add_point(&cloud, (couVec3){0.012f, 0, 0}, 0);
    couSurfaceDef def = surface_def(cou_surfaceClavet);
    def.is_normalized = false;
    def.level = 0.6f;
    def.cell = SPACING / 8.0f;
    couSurface surface = build_surface(&def, &cloud, 3);
    check_mesh(&surface, 0, "two particles");
    double h = 0.02;
    for (size_t v = 0; v < surface.vertex_count; ++v) {
        couVec3 p = surface.vertices[v];
        double sum = 0.0;
        for (int i = 0; i < 2; ++i) {
            double q = (double)couLength(couSub(p, cloud.positions[i])) / h;
            if (q < 1.0) sum += (1.0 - q) * (1.0 - q);
        }
        CHECK_NEAR(sqrt(sum), 0.6, 0.003, 0);
    }
    couSurface_Clear(&surface);
    clear_cloud(&cloud);
}

// In a flat layer kernels become flat; in the midst of a block and alone they stay round. Their integral does not change.
static void test_kernels_are_stretched(void **context)
{
    (void)context;
    couStretch stretch = {.sum_radius = 1.0f, .lone_size = 0.5f, .full_weight = 10.0f, .max_shift = 0.1f};
    float s[6];
    couMoments flat = {20.0f, {0}, {4.0f, 0, 0, 0.4f, 0, 4.0f}};
    float amplitude = couStretchFrom(&flat, &stretch, 3, s);
    CHECK_NEAR((double)(s[3] / s[0]), 0.25 * 1.5874 / 1.4, 1e-3, 0); // a quarter at most, and no axis beyond 1.4
    CHECK_NEAR((double)(amplitude * s[0] * s[3] * s[5]), 1.0, 1e-4, 0);
    couMoments round = {40.0f, {0}, {3.0f, 0, 0, 3.0f, 0, 3.0f}};
    amplitude = couStretchFrom(&round, &stretch, 3, s);
    for (int m = 0; m < 6; ++m) CHECK_NEAR((double)s[m], m == 0 || m == 3 || m == 5, 1e-5, m);
    CHECK_NEAR((double)amplitude, 1.0, 1e-5, 0);
    couMoments lone = {1.0f, {0}, {0}};
    amplitude = couStretchFrom(&lone, &stretch, 3, s);
    for (int m = 0; m < 6; ++m) CHECK_NEAR((double)s[m], m == 0 || m == 3 || m == 5 ? 0.5 : 0.0, 1e-5, m);
    CHECK_NEAR((double)amplitude, 1.0, 1e-5, 0);

    // A layer turned any way: its normal is the short axis.
    couRandom random = {5};
    for (int turn = 0; turn < 50; ++turn) {
        couVec3 n = couNormalize((couVec3){couRandomSigned(&random), couRandomSigned(&random), couRandomSigned(&random)});
        const float v[3] = {n.x, n.y, n.z};
        couMoments turned = {20.0f, {0}, {0}};
        for (int i = 0, m = 0; i < 3; ++i)
            for (int j = i; j < 3; ++j, ++m) turned.second[m] = 4.0f * ((i == j) - 0.8f * v[i] * v[j]);
        couStretchFrom(&turned, &stretch, 3, s);
        couVec3 image = {s[0] * n.x + s[1] * n.y + s[2] * n.z, s[1] * n.x + s[3] * n.y + s[4] * n.z,
                         s[2] * n.x + s[4] * n.y + s[5] * n.z};
        CHECK_NEAR((double)couLength(couSub(image, couScale(couDot(image, n), n))), 0.0, 1e-4, turn);
        CHECK_NEAR((double)couDot(image, n), 0.25 * 1.5874, 1e-3, turn); // a quarter, scaled to a determinant of 1
    }
}

// --- The table ---------------------------------------------------------------------------------------------------------------

// Each crossed edge is a corner of some triangle; all other sides than those on faces are shared; sides on a face are what the
// cell on its other side draws, turned round.
static void test_march_table(void **context)
{
    (void)context;
    couMarchTable table;
    assert_true(couMakeMarchTable(&table));
    for (int code = 0; code < 256; ++code) {
        bool is_used[12] = {false};
        int sides[12][12] = {{0}};
        for (int t = 0; t < table.counts[code]; ++t)
            for (int c = 0; c < 3; ++c) {
                int a = table.edges[code][3 * t + c], b = table.edges[code][3 * t + (c + 1) % 3];
                is_used[a] = true;
                assert_int_not_equal(a, b);
                assert_int_equal(sides[a][b]++, 0);
            }
        for (int e = 0; e < 12; ++e) {
            int corner = couEdgeCorner(e), other = corner | 1 << (e >> 2);
            assert_int_equal(is_used[e], (code >> corner & 1) != (code >> other & 1));
        }
        // Open sides form the outline: as many come to an edge as leave it, one each.
        for (int a = 0; a < 12; ++a) {
            int out = 0, in = 0;
            for (int b = 0; b < 12; ++b) out += sides[a][b] && !sides[b][a], in += sides[b][a] && !sides[a][b];
            assert_int_equal(out, is_used[a]);
            assert_int_equal(in, is_used[a]);
        }
    }
    // Neighbours along x: every pair of codes that agree about the face between them draws it the same way, in opposite
    // directions.
    for (int left = 0; left < 256; ++left)
        for (int right = 0; right < 256; ++right) {
            bool is_fitting = true;
            for (int yz = 0; yz < 4; ++yz) is_fitting &= (left >> (2 * yz + 1) & 1) == (right >> (2 * yz) & 1);
            if (!is_fitting) continue;
            for (int axis_a = 1; axis_a < 3; ++axis_a)
                for (int axis_b = 1; axis_b < 3; ++axis_b)
                    for (int v = 0; v < 4; ++v) {
                        int a = 4 * axis_a + 1 + 2 * (v & 1), b = 4 * axis_b + 1 + 2 * (v >> 1), open[2] = {0, 0};
                        const int codes[2] = {left, right};
                        for (int s = 0; s < 2; ++s)
                            for (int t = 0; t < table.counts[codes[s]]; ++t)
                                for (int c = 0; c < 3; ++c) {
                                    const uint8_t *edges = table.edges[codes[s]] + 3 * t;
                                    open[s] += edges[c] == a - s && edges[(c + 1) % 3] == b - s;
                                    open[s] -= edges[c] == b - s && edges[(c + 1) % 3] == a - s;
                                }
                        assert_int_equal(open[0] + open[1], 0);
                    }
        }
}

// --- Splats ------------------------------------------------------------------------------------------------------------------

static void test_splats_of_a_block(void **context)
{
    (void)context;
    for (int dimension = 2; dimension <= 3; ++dimension) {
        Cloud cloud = {0};
        int n = 12;
        add_lattice(&cloud, n, n, dimension == 3 ? n : 1, (couVec3){0}, 0);
        size_t block = cloud.count;
        add_point(&cloud, (couVec3){0.5f, 0.5f, 0.5f}, 0); // alone
        add_point(&cloud, (couVec3){NAN, 0, 0}, 0);
        couSurfaceDef def = surface_def(cou_surfaceAnisotropic);
        couSurfacePoints points = points_of(&cloud, dimension);
        couFaults faults = {0};
        couSplats splats;
        assert_true(couFindSplats(&def, &points, 0.0f, &splats, &faults));
        uint8_t *is_found = calloc(cloud.count, 1);
        for (size_t s = 0; s < splats.count; ++s) {
            uint32_t i = splats.indices[s];
            assert_true(s == 0 || i > splats.indices[s - 1]);
            is_found[i] = 1;
            couVec3 p = couScale(1.0f / SPACING, cloud.positions[i]), normal = splats.normals[s];
            if (i == block) {
                CHECK_NEAR((double)couLength(normal), 0.0, 0.0, 0);
                CHECK_RANGE((double)splats.radii[s], 0.4 * (double)SPACING, 0.7 * (double)SPACING, 0);
                continue;
            }
            CHECK_NEAR((double)couLength(normal), 1.0, 1e-4, 0);
            CHECK_RANGE((double)splats.radii[s], 1.1 * (double)SPACING, 1.3 * (double)SPACING, 0);
            bool is_top = p.y > (float)n - 1.0f && fabsf(p.x - 0.5f * (float)n) < 3.0f &&
                          (dimension == 2 || fabsf(p.z - 0.5f * (float)n) < 3.0f);
            if (is_top) CHECK_RANGE((double)normal.y, 0.999, 1.001, 0);
        }
        for (size_t i = 0; i < block; ++i) {
            couVec3 p = couScale(1.0f / SPACING, cloud.positions[i]);
            float m = (float)n - 1.0f;
            bool is_outer = p.x < 1 || p.y < 1 || p.x > m || p.y > m || (dimension == 3 && (p.z < 1 || p.z > m));
            assert_int_equal(is_found[i], is_outer);
        }
        assert_true(is_found[block]);
        assert_false(is_found[block + 1]);
        // The same for any number of threads.
        for (def.threads = 1; def.threads <= 4; ++def.threads) {
            couSplats other;
            assert_true(couFindSplats(&def, &points, 0.0f, &other, &faults));
            assert_int_equal(other.count, splats.count);
            assert_memory_equal(other.indices, splats.indices, splats.count * sizeof *splats.indices);
            assert_memory_equal(other.normals, splats.normals, splats.count * sizeof *splats.normals);
            couSplats_Clear(&other);
        }
        free(is_found);
        couSplats_Clear(&splats);
        clear_cloud(&cloud);
    }
}

// A sheet one layer thick, or a row in 2D, has gradients that cancel: all of it shows nevertheless.
static void test_splats_of_a_sheet(void **context)
{
    (void)context;
    for (int dimension = 2; dimension <= 3; ++dimension) {
        Cloud cloud = {0};
        add_lattice(&cloud, 20, 1, dimension == 3 ? 20 : 1, (couVec3){0}, 0);
        couSurfaceDef def = surface_def(cou_surfaceAnisotropic);
        couSurfacePoints points = points_of(&cloud, dimension);
        couFaults faults = {0};
        couSplats splats;
        assert_true(couFindSplats(&def, &points, 0.0f, &splats, &faults));
        assert_int_equal(splats.count, cloud.count);
        couSplats_Clear(&splats);
        clear_cloud(&cloud);
    }
}

static void test_splats_of_nothing(void **context)
{
    (void)context;
    couSurfaceDef def = surface_def(cou_surfaceClavet);
    couSurfacePoints points = {.dimension = 3};
    couFaults faults = {0};
    couSplats splats;
    assert_true(couFindSplats(&def, &points, 0.0f, &splats, &faults));
    assert_int_equal(splats.count, 0);
    couSplats_Clear(&splats);
    assert_false(couFindSplats(&def, &points, NAN, &splats, &faults));
    CHECK_FAULT(&faults, "surface.threshold", NULL);
    def.spacing = -1.0f;
    assert_false(couFindSplats(&def, &points, 0.0f, &splats, &faults));
    CHECK_FAULT(&faults, "surface.spacing", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fields_equal_brute_force),
        cmocka_unit_test(test_weights),
        cmocka_unit_test(test_clavet_to_the_letter),
        cmocka_unit_test(test_kernels_are_stretched),
        cmocka_unit_test(test_march_table),
        cmocka_unit_test(test_splats_of_a_block),
        cmocka_unit_test(test_splats_of_a_sheet),
        cmocka_unit_test(test_splats_of_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
