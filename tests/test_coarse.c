// The coarse level of the pressure solver: its hats, its operator against sums in double precision, its solution against a dense
// one, and what it is for: iterations that do not grow with the depth of the water.
#include "sph_test.h"

#define SPACING 0.02f

// A jittered box of two liquids, sorted, with its pairs; with periods it is a full box.
static couWorld *make_box_of(int dimension, bool is_periodic, int seed)
{
    float size = dimension == 3 ? 0.3f : 0.9f;
    couWorldDef def = sph_def("dfsph", dimension, SPACING, NO_GRAVITY);
    def.seed = seed;
    if (is_periodic) def.period = (couVec3){size, size, dimension == 3 ? size : 0};
    couWorld *world = make_sph_world_from(&def);
    couMaterialId water = add_liquid(world, 1000, 0), oil = add_liquid(world, 400, 0);
    add_jittered(world, water, make_box(size, 0.5f * size, size), at(0.5f * size, 0.25f * size, 0.5f * size), NO_GRAVITY, 0.3f);
    add_jittered(world, oil, make_box(size, 0.5f * size, size), at(0.5f * size, 0.75f * size, 0.5f * size), NO_GRAVITY, 0.3f);
    return world;
}

typedef struct Level {
    couWorld *world;
    couStepReport report;
    couStep step;
    couCoarse coarse;
    couCoarseLoop loop;
    float *residual, *correction, *active;
    couVec4 *spread;
    size_t count;
} Level;

static void open_level(Level *level, int dimension, bool is_periodic, int seed)
{
    *level = (Level){.world = make_box_of(dimension, is_periodic, seed)};
    couFluid *fluid = &level->world->fluid;
    level->step = open_pairs(level->world, 0.001f, &level->report);
    assert_true(couCoarse_Place(&level->coarse, &fluid->grid, dimension, fluid->scratch));
    size_t n = level->count = fluid->table.count;
    level->residual = calloc(n, sizeof(float)), level->correction = calloc(n, sizeof(float));
    level->active = calloc(n, sizeof(float)), level->spread = calloc(n, sizeof(couVec4));
    couRandom random = {couMix64((uint64_t)seed)};
    for (size_t i = 0; i < n; ++i) {
        level->residual[i] = couRandomSigned(&random);
        level->active[i] = couRandomSigned(&random) > -0.5f;
        level->spread[i] = (couVec4){30 * couRandomSigned(&random), 30 * couRandomSigned(&random),
                                     dimension == 3 ? 30 * couRandomSigned(&random) : 0.0f,
                                     0.5f + 0.5f * couRandomSigned(&random)};
    }
    couSphLoop loop = couSph_Loop(&level->step);
    level->loop = (couCoarseLoop){.coarse = &level->coarse,
                                  .position = loop.position,
                                  .velocity = loop.velocity,
                                  .spread = level->spread,
                                  .active = level->active,
                                  .factor = loop.factor,
                                  .residual = level->residual,
                                  .correction = level->correction};
}

static void close_level(Level *level)
{
    free(level->residual), free(level->correction), free(level->active), free(level->spread);
    couDestroyWorld(level->world);
}

// The hats of a particle's element, by their definition.
static void brute_hats(const couCoarseElement *element, couVec4 x, int dimension, double value[8], double gradient[8][3])
{
    double at[3] = {x.x, x.y, x.z};
    for (int c = 0; c < COU_CORNERS; ++c) {
        double part[3], slope[3];
        for (int a = 0; a < 3; ++a) {
            double t = a < dimension ? (at[a] - (double)element->lower[a]) * (double)element->inverse[a] : 0;
            bool is_upper = c >> a & 1;
            part[a] = is_upper ? t : 1 - t;
            slope[a] = (is_upper ? 1 : -1) * (double)element->inverse[a];
        }
        value[c] = part[0] * part[1] * part[2];
        gradient[c][0] = slope[0] * part[1] * part[2], gradient[c][1] = part[0] * slope[1] * part[2];
        gradient[c][2] = part[0] * part[1] * slope[2];
    }
}

// Every particle lies in one element, whose edges are whole numbers of cells; across a period nodes are the same.
static void check_places(int dimension, bool is_periodic, int seed)
{
    Level level;
    open_level(&level, dimension, is_periodic, seed);
    const couCoarse *coarse = &level.coarse;
    int *seen = calloc(level.count, sizeof *seen);
    for (size_t e = 0; e < coarse->element_count; ++e) COU_FOR_PARTICLES_OF(coarse, e, i)
        {
            double value[8], gradient[8][3], sum = 0;
            brute_hats(&coarse->elements[e], level.loop.position[i], dimension, value, gradient);
            for (int c = 0; c < COU_CORNERS; ++c) {
                CHECK_RANGE(value[c], -1e-4, 1 + 1e-4, seed);
                sum += value[c];
            }
            CHECK_NEAR(sum, 1, 1e-9, seed);
            seen[i]++;
        }
    for (size_t i = 0; i < level.count; ++i) assert_int_equal(seen[i], 1);
    // A full periodic box has as many nodes as elements; an open one has one row more along each axis.
    if (is_periodic) assert_int_equal(coarse->node_count, coarse->element_count);
    if (!is_periodic) assert_true(coarse->node_count > coarse->element_count);
    for (size_t e = 0; e < coarse->element_count; ++e)
        for (int c = 0; c < COU_CORNERS; ++c) assert_true(coarse->elements[e].node[c] < coarse->node_count);
    free(seen);
    close_level(&level);
}

static void test_places(void **context)
{
    (void)context;
    for (int n = 0; n < 4; ++n) check_places(n & 1 ? 3 : 2, n & 2, 1 + n);
}

// Restriction is the transpose of prolongation, and both use the hats.
static void check_transfer(int dimension, bool is_periodic, couIsa isa, int seed)
{
    static couCoarseLoopFcn *const restrict_loop[cou_isaCount] = COU_VARIANTS(couCoarseRestrict);
    static couCoarseLoopFcn *const prolong[cou_isaCount] = COU_VARIANTS(couCoarseProlong);
    Level level;
    open_level(&level, dimension, is_periodic, seed);
    couCoarse *coarse = &level.coarse;
    restrict_loop[isa](&level.loop, 0, coarse->element_count);
    double *node = calloc(coarse->node_count, sizeof *node), coarse_product = 0, fine_product = 0;
    couRandom random = {couMix64((uint64_t)seed + 99)};
    for (size_t n = 0; n < coarse->node_count; ++n) node[n] = couRandomSigned(&random);
    for (size_t e = 0; e < coarse->element_count; ++e)
        for (int c = 0; c < COU_CORNERS; ++c) {
            coarse_product += (double)coarse->corner[e][c] * node[coarse->elements[e].node[c]];
            coarse->corner[e][c] = (float)node[coarse->elements[e].node[c]];
        }
    prolong[isa](&level.loop, 0, coarse->element_count);
    for (size_t e = 0; e < coarse->element_count; ++e) COU_FOR_PARTICLES_OF(coarse, e, i)
        {
            double value[8], gradient[8][3], sum = 0;
            brute_hats(&coarse->elements[e], level.loop.position[i], dimension, value, gradient);
            for (int c = 0; c < COU_CORNERS; ++c) sum += value[c] * (double)coarse->corner[e][c];
            CHECK_NEAR(level.correction[i], sum, 1e-5, seed);
            fine_product += (double)level.residual[i] * (double)level.correction[i];
        }
    assert_true(fabs(fine_product) > 1e-3);
    CHECK_NEAR(coarse_product, fine_product, 1e-3 * sqrt((double)level.count), seed);
    free(node);
    close_level(&level);
}

static void test_transfer(void **context)
{
    (void)context;
    for (int n = 0; n < 8; ++n) check_transfer(n & 1 ? 3 : 2, n & 2, some_isa(n), 11 + n);
}

// The operator and its solution by a dense matrix in double precision.
static void check_operator(int dimension, bool is_periodic, couIsa isa, int seed)
{
    static couCoarseLoopFcn *const build[cou_isaCount] = COU_VARIANTS(couCoarseBuild);
    static couCoarseLoopFcn *const restrict_loop[cou_isaCount] = COU_VARIANTS(couCoarseRestrict);
    Level level;
    open_level(&level, dimension, is_periodic, seed);
    couCoarse *coarse = &level.coarse;
    size_t nodes = coarse->node_count;
    build[isa](&level.loop, 0, coarse->element_count);
    couCoarse_Assemble(coarse);
    double *dense = calloc(nodes * nodes, sizeof *dense), *mine = calloc(nodes * nodes, sizeof *mine), largest = 0;
    for (size_t e = 0; e < coarse->element_count; ++e) {
        const uint32_t *node = coarse->elements[e].node;
        COU_FOR_PARTICLES_OF(coarse, e, i)
        {
            double value[8], gradient[8][3], q[8][3];
            couVec4 spread = level.spread[i];
            const double s[3] = {spread.x, spread.y, spread.z};
            brute_hats(&coarse->elements[e], level.loop.position[i], dimension, value, gradient);
            if (level.active[i] == 0.0f && spread.w == 0.0f) continue;
            for (int c = 0; c < COU_CORNERS; ++c)
                for (int a = 0; a < 3; ++a) q[c][a] = value[c] * s[a] + (double)spread.w * gradient[c][a];
            for (int c = 0; c < COU_CORNERS; ++c) {
                for (int b = 0; b < COU_CORNERS; ++b)
                    for (int a = 0; a < 3; ++a)
                        dense[node[c] * nodes + node[b]] += (double)level.loop.velocity[i].w * q[c][a] * q[b][a];
                dense[node[c] * nodes + node[c]] += 1e-4 * (double)level.active[i] / (double)level.loop.factor[i] * value[c] *
                                                    value[c];
            }
        }
        for (int c = 0; c < COU_CORNERS; ++c)
            for (int b = 0; b < COU_CORNERS; ++b) mine[node[c] * nodes + node[b]] += (double)coarse->matrix[e][c][b];
    }
    for (size_t k = 0; k < nodes; ++k) largest = fmax(largest, dense[k * nodes + k]);
    for (size_t k = 0; k < nodes * nodes; ++k) CHECK_NEAR(mine[k] / largest, dense[k] / largest, 1e-4, seed);
    for (size_t k = 0; k < nodes; ++k) CHECK_NEAR(coarse->diagonal[k] / largest, mine[k * nodes + k] / largest, 1e-6, seed);
    // The solution leaves a hundredth of the right-hand side, in the norm weighted by the diagonal.
    restrict_loop[isa](&level.loop, 0, coarse->element_count);
    double *right = calloc(nodes, sizeof *right), before = 0, after = 0;
    for (size_t e = 0; e < coarse->element_count; ++e)
        for (int c = 0; c < COU_CORNERS; ++c) right[coarse->elements[e].node[c]] += (double)coarse->corner[e][c];
    couCoarse_Solve(coarse);
    for (size_t k = 0; k < nodes; ++k) {
        if (!(coarse->diagonal[k] > 0)) continue;
        double left = right[k];
        for (size_t m = 0; m < nodes; ++m) left -= mine[k * nodes + m] * coarse->solution[m];
        before += right[k] * right[k] / coarse->diagonal[k], after += left * left / coarse->diagonal[k];
    }
    assert_true(before > 0);
    CHECK_AT_MOST(sqrt(after / before), 0.02, seed);
    free(dense), free(mine), free(right);
    close_level(&level);
}

static void test_operator(void **context)
{
    (void)context;
    for (int n = 0; n < 8; ++n) check_operator(n & 1 ? 3 : 2, n & 2, some_isa(n), 31 + n);
}

// --- What it is for ----------------------------------------------------------------------------------------------------------

// Iterations a step of a tank at rest, and by how much its density is too large then.
static double calm_iterations(int layers, int acceleration, double *compression)
{
    couWorld *world = make_sph_world("iisph", 2, SPACING, EARTH);
    sph_params(world)->acceleration = acceleration;
    float deep = (float)layers * SPACING;
    couMaterialId water = add_liquid(world, 1000, 0);
    add_body(world, make_tank(0.3f, 2 * deep, 1, 0.15f, true), at(0, deep, 0), 0);
    add_lattice(world, water, make_box(0.3f, deep, 1), at(0, 0.5f * deep, 0));
    couStepReport report = couWorld_Advance(world, 0.6); // pressures find their level, and the lattice its compression
    CHECK_HEALTHY(&report);
    report = couWorld_Advance(world, 0.2);
    CHECK_HEALTHY(&report);
    *compression = report.density_error_mean;
    double iterations = (double)report.iterations / report.substeps;
    print_message("%s: %.1f iterations a step for %d layers, compressed by %.2g\n",
                  acceleration == cou_accelerationNone ? "plain Jacobi" : "two levels", iterations, layers, *compression);
    couDestroyWorld(world);
    return iterations;
}

static void test_depth(void **context)
{
    (void)context;
    double compression;
    for (int layers = 12; layers <= 96; layers *= 2) {
        CHECK_AT_MOST(calm_iterations(layers, cou_accelerationTwoLevels, &compression), 7, layers);
        CHECK_AT_MOST(compression, 5e-4, layers);
    }
    CHECK_RANGE(calm_iterations(24, cou_accelerationNone, &compression), 15, 100, 24);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_transfer),
        cmocka_unit_test(test_operator),
        cmocka_unit_test(test_depth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
