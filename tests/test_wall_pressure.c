// Pressures of the samples of solids: means, densities and shares against sums over all pairs in double precision, a system that
// is symmetric and keeps momentum whatever the pressures, and what that is for: tanks at rest, and no energy out of nothing.
#include "sph_test.h"

#define SPACING 0.02f

static couPose slide(void *context, double time)
{
    (void)context;
    return at((float)(-0.05 + 0.4 * time), 0.06f, 0);
}

// A jittered pool of one or two liquids in a tank, around a driven block, and drops above it: samples that are surrounded, half
// surrounded and hardly touched.
static couWorld *make_pool(const char *method, int dimension, int materials, int kernel, int seed)
{
    couFaults faults = {0};
    couWorldDef def = sph_def(method, dimension, SPACING, EARTH);
    def.seed = seed;
    couWorld *world = make_sph_world_from(&def);
    sph_params(world)->kernel = kernel, sph_params(world)->even_surface = false; // test_free_surface.c has them
    couMaterialId water = add_liquid(world, 1000, 0);
    float wide = dimension == 3 ? 0.16f : 0.4f, deep = 0.12f;
    add_body(world, make_tank(wide, 0.4f, deep, 0.06f, true), at(0, 0.2f, 0), 0);
    couBodyDef body = couDefaultBodyDef();
    body.shape = make_box(0.06f, 0.06f, 0.06f), body.motion = slide;
    assert_true(couWorld_AddBody(world, &body, &faults).index1);
    couShape_Release(body.shape);
    couVec3 velocity = {0.2f, -0.7f, 0};
    add_jittered(world, water, make_box(wide, 0.1f, deep), at(0, 0.05f, 0), velocity, 0.25f);
    add_jittered(world, water, make_box(0.06f, 0.04f, 0.06f), at(0.5f * wide - 0.03f, 0.25f, 0), velocity, 0.25f);
    if (materials > 1) {
        couMaterialId oil = add_liquid(world, 300, 0);
        add_jittered(world, oil, make_box(wide, 0.06f, deep), at(0, 0.13f, 0), velocity, 0.25f);
    }
    return world;
}

static const int kernels_here[] = {cou_sphCubic, cou_sphWendland, cou_sphMueller, cou_sphKaiser};

static float random_float(couRandom *random, float size) { return size * couRandomSigned(random); }

static void shake(const couWorld *world, couSphLoop *loop, couRandom *random)
{
    for (size_t i = 0; i < loop->count; ++i) {
        couVec4 *v = &loop->velocity[i];
        v->x = random_float(random, 1), v->y = random_float(random, 1);
        if (world->def.dimension == 3) v->z = random_float(random, 1);
        loop->change[i] = random_float(random, 1e-4f);
    }
}

// --- Rows --------------------------------------------------------------------------------------------------------------------

// What a sample is, in double precision.
typedef struct Sample {
    double density; // of liquid and solid
    double wet;     // f
    double squares; // sum of G^2 [1/m^2]
    bool is_near;   // liquid is
} Sample;

static Sample *brute_samples(const couWorld *world, const Reference *r)
{
    const couBoundary *boundary = &world->fluid.boundary;
    Sample *samples = calloc(boundary->table.count + 1, sizeof *samples);
    for (size_t s = 0; s < boundary->table.count; ++s) {
        double liquid = 0, solid = couBoundary_Solid(boundary)[s];
        for (size_t i = 0; i < r->count; ++i) {
            Vec g = pair_gradient(r, r->base + s, i);
            liquid += pair_density(r, r->base + s, i);
            samples[s].squares += dot(g, g);
            samples[s].is_near |= length(offset(r, r->base + s, i)) < 0.999 * r->h;
        }
        samples[s].density = solid + liquid;
        samples[s].wet = solid < 1 ? fmin(fmax((liquid / (1 - solid) - 0.5) / 0.4, 0), 1) : 0;
    }
    return samples;
}

// phi
static double share_of(const Reference *r, const Sample *samples, size_t s, size_t i)
{
    Vec g = pair_gradient(r, r->base + s, i);
    return samples[s].squares > 0 ? samples[s].wet * dot(g, g) / samples[s].squares : 0;
}

static void check_rows(int dimension, int kernel, couIsa isa, int seed)
{
    couWorld *world = make_pool("iisph", dimension, 1 + seed % 2, kernel, seed);
    world->fluid.neighbors.isa = isa;
    couStepReport report = {0};
    couStep step = open_pairs(world, 0.002f, &report);
    couSphLoop loop = couSph_Loop(&step);
    const couWallRows *walls = &sph_state(world)->walls;
    assert_ptr_equal(loop.walls_own, walls);
    couRandom random = {couMix64((uint64_t)seed)};
    shake(world, &loop, &random);
    Reference r = make_reference(world);
    Sample *samples = brute_samples(world, &r);
    couWalls_Extend(&step, &loop, loop.change);
    size_t solids = world->fluid.boundary.table.count, found = 0;
    int kinds[3] = {0}; // hardly touched, partly, wholly wet
    for (size_t row = 0; row < walls->count; ++row) {
        size_t s = walls->sample[row];
        assert_true(s < solids && (row == 0 || s > walls->sample[row - 1]));
        found += samples[s].is_near;
        double mean = 0, all = 0;
        for (size_t i = 0; i < r.count; ++i) {
            double phi = share_of(&r, samples, s, i);
            mean += phi * (double)loop.change[i], all += phi;
        }
        CHECK_NEAR(all, samples[s].wet, 1e-9, seed);
        CHECK_NEAR(walls->excess[row], fmax(samples[s].density - 1, -0.02), 1e-5, seed); // what lacks more is a surface
        CHECK_NEAR(walls->kappa[COU_TABLE_PADDING + s], mean, 1e-3 * 1e-4, seed);        // gradients are rounded
        kinds[samples[s].wet <= 0 ? 0 : samples[s].wet < 1 ? 1 : 2]++;
    }
    for (size_t s = 0; s < solids; ++s) found -= samples[s].is_near; // none is missing
    assert_int_equal(found, 0);
    for (int k = 0; k < 3; ++k) assert_true(kinds[k] > 5);
    free(samples);
    free_reference(&r);
    couDestroyWorld(world);
}

static void test_rows(void **context)
{
    (void)context;
    int seed = 1;
    for (int dimension = 2; dimension <= 3; ++dimension)
        for (int k = 0; k < 4; ++k, ++seed) check_rows(dimension, kernels_here[k], some_isa(seed), seed);
}

// Densities that are kept, diagonals, and the rates by velocities with what is asked of samples.
static void check_liquid(int dimension, int kernel, couIsa isa, int seed)
{
    static couSphLoopFcn *const residual[cou_isaCount] = COU_VARIANTS(couSphResidual);
    couWorld *world = make_pool("iisph", dimension, 1 + seed % 2, kernel, seed);
    world->fluid.neighbors.isa = isa;
    float dt = 0.002f;
    couStepReport report = {0};
    couStep step = open_pairs(world, dt, &report);
    couSphLoop loop = couSph_Loop(&step);
    couRandom random = {couMix64((uint64_t)seed)};
    shake(world, &loop, &random);
    loop.is_divergence = true, loop.is_clamped = false; // the residual is dt times the rate
    loop.residual = calloc(loop.count, sizeof *loop.residual);
    couWalls_Ask(&step, &loop);
    couSph_Run(&step, &loop, residual);
    Reference r = make_reference(world);
    Sample *samples = brute_samples(world, &r);
    double *D = brute_densities(&r), *rate = calloc(r.rows, sizeof *rate), shared = 0;
    for (size_t s = r.base; s < r.rows; ++s)
        for (size_t i = 0; i < r.count; ++i) rate[s] += dot(pair_gradient(&r, s, i), sub(r.v[s], r.v[i]));
    for (size_t i = 0; i < r.count; ++i) {
        Vec sum = {0, 0, 0};
        double kept = D[i], squares = 0, grows = density_rate(&r, r.v, i);
        FOR_ROWS(&r, j)
        {
            Vec g = pair_gradient(&r, i, j);
            double phi = j >= r.base && dot(g, g) > 0 ? share_of(&r, samples, j - r.base, i) : 0;
            sum = add_scaled(sum, 1 + phi, g);
            if (j < r.count) squares += r.weight[j] * dot(g, g);
            if (!(phi > 0)) continue;
            kept += phi * r.volume[j] * fmax(samples[j - r.base].density - 1, -0.02);
            grows += phi * r.volume[j] * rate[j];
        }
        shared = fmax(shared, fabs(kept - D[i]));
        CHECK_NEAR(loop.density[i], D[i], 1e-5, seed);
        CHECK_NEAR(loop.kept[i], kept, 3e-5, seed);
        CHECK_NEAR(loop.residual[i], dt * grows, 1e-4, seed);
        CHECK_NEAR(loop.factor[i] * (r.weight[i] * dot(sum, sum) + squares), 1, 3e-3, seed);
    }
    assert_true(shared > 0.01);
    free(loop.residual), free(samples), free(D), free(rate);
    free_reference(&r);
    couDestroyWorld(world);
}

static void test_liquid(void **context)
{
    (void)context;
    int seed = 11;
    for (int dimension = 2; dimension <= 3; ++dimension)
        for (int k = 0; k < 4; ++k, ++seed) check_liquid(dimension, kernels_here[k], some_isa(seed), seed);
}

// --- The system --------------------------------------------------------------------------------------------------------------

// A times the pressures b: what their push, turned, does to the densities. Leaves the push in loop->out.
static void apply(const couStep *step, couSphLoop *loop, const float *b, double *out)
{
    static couSphLoopFcn *const response[cou_isaCount] = COU_VARIANTS(couSphResponse);
    static couSphLoopFcn *const residual[cou_isaCount] = COU_VARIANTS(couSphResidual);
    memcpy(loop->change, b, loop->count * sizeof *b);
    couWalls_Extend(step, loop, loop->change);
    couSph_Run(step, loop, response);
    for (size_t i = 0; i < loop->count; ++i) {
        couVec4 *v = &loop->velocity[i];
        v->x = loop->out[i].x, v->y = loop->out[i].y, v->z = loop->out[i].z;
    }
    for (size_t s = 0; s < step->fluid->boundary.table.count; ++s) { // which do not give way
        couVec4 *v = &loop->velocity[loop->solid_base + s];
        v->x = v->y = v->z = 0;
    }
    couWalls_Ask(step, loop);
    couSph_Run(step, loop, residual);
    for (size_t i = 0; i < loop->count; ++i) out[i] = (double)(loop->residual[i] / loop->dt);
}

static double product(const float *a, const double *b, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; ++i) sum += (double)a[i] * b[i];
    return sum;
}

static void check_symmetry(int dimension, int kernel, int wall_pressure, couIsa isa, int seed)
{
    couWorld *world = make_pool("iisph", dimension, 1 + seed % 2, kernel, seed);
    sph_params(world)->wall_pressure = wall_pressure;
    couStepReport report = {0};
    world->fluid.neighbors.isa = isa;
    couStep step = open_pairs(world, 0.001f, &report);
    couSphLoop loop = couSph_Loop(&step);
    assert_true((loop.walls_own != NULL) == (wall_pressure == cou_wallPressureExtended));
    size_t count = loop.count;
    loop.out = couFluid_Previous(&world->fluid), loop.is_divergence = true, loop.is_clamped = false;
    loop.residual = calloc(count, sizeof *loop.residual);
    float *a = calloc(count, sizeof *a), *b = calloc(count, sizeof *b);
    double *Aa = calloc(count, sizeof *Aa), *Ab = calloc(count, sizeof *Ab), squares = 0;
    couRandom random = {couMix64((uint64_t)seed)};
    for (size_t i = 0; i < count; ++i) a[i] = random_float(&random, 1), b[i] = random_float(&random, 1);
    apply(&step, &loop, a, Aa);
    apply(&step, &loop, b, Ab);
    for (size_t i = 0; i < count; ++i) squares += (double)(couDot(couXyz(loop.out[i]), couXyz(loop.out[i])) / loop.velocity[i].w);
    double size = sqrt(product(a, Aa, count) * product(b, Ab, count));
    assert_true(size > 0);
    CHECK_NEAR(product(a, Ab, count) / size, product(b, Aa, count) / size, 1e-4, seed);
    CHECK_NEAR(product(b, Ab, count) / squares, 1, 1e-4, seed); // A = B R B^T: a push costs what it does
    free(loop.residual), free(a), free(b), free(Aa), free(Ab);
    couDestroyWorld(world);
}

static void test_symmetry(void **context)
{
    (void)context;
    int seed = 21;
    for (int dimension = 2; dimension <= 3; ++dimension)
        for (int k = 0; k < 4; ++k)
            for (int n = 0; n < 3; ++n, ++seed) {
                int walls = n == 2 ? cou_wallPressureNeighbor : cou_wallPressureExtended;
                check_symmetry(dimension, kernels_here[k], walls, some_isa(seed), seed);
            }
}

// Whatever the pressures, what the liquid loses the bodies get.
static void check_momentum(int dimension, int kernel, int wall_pressure, couIsa isa, int seed)
{
    static couSphLoopFcn *const push[cou_isaCount] = COU_VARIANTS(couSphPush);
    couWorld *world = make_pool("iisph", dimension, 1 + seed % 2, kernel, seed);
    sph_params(world)->wall_pressure = wall_pressure;
    world->fluid.neighbors.isa = isa;
    couStepReport report = {0};
    couStep step = open_pairs(world, 0.001f, &report);
    couSphLoop loop = couSph_Loop(&step);
    couRandom random = {couMix64((uint64_t)seed)};
    shake(world, &loop, &random);
    for (size_t i = 0; i < loop.count; ++i) loop.change[i] *= 10; // well above what floats leave of momentum
    Vec before = fluid_momentum(world, NULL), given = {0, 0, 0};
    couWalls_Extend(&step, &loop, loop.change);
    couSph_Run(&step, &loop, push);
    couSph_PressBodies(&step, loop.change);
    assert_false(step.has_failed);
    double size = 0;
    for (size_t b = 0; b < world->bodies.count; ++b) {
        const couBody *body = &world->bodies.items[b];
        Vec impulse = {body->pushed[0], body->pushed[1], body->pushed[2]};
        assert_true(length(impulse) > 0);
        given = add_scaled(given, 1, impulse), size += length(impulse);
    }
    Vec lost = sub(before, fluid_momentum(world, NULL));
    CHECK_AT_MOST(length(sub(given, lost)), 1e-4 * size, seed);
    couDestroyWorld(world);
}

static void test_momentum(void **context)
{
    (void)context;
    int seed = 51;
    for (int dimension = 2; dimension <= 3; ++dimension)
        for (int k = 0; k < 4; ++k, ++seed) {
            check_momentum(dimension, kernels_here[k], cou_wallPressureExtended, some_isa(seed), seed);
            check_momentum(dimension, kernels_here[k], cou_wallPressureNeighbor, some_isa(seed), seed);
        }
}

// --- Which walls -------------------------------------------------------------------------------------------------------------

// The papers' walls have no rows and keep the density itself; mueller has no others.
static void test_choice(void **context)
{
    (void)context;
    static const int choices[] = {cou_wallPressureAuto, cou_wallPressureNeighbor, cou_wallPressureExtended};
    for (int m = 0; m < SPH_METHODS; ++m)
        for (int c = 0; c < COU_COUNT(choices); ++c) {
            couWorld *world = make_pool(sph_methods[m], 2, 1, cou_sphKernelAuto, 71);
            sph_params(world)->wall_pressure = choices[c];
            couStepReport report = {0};
            couStep step = open_pairs(world, 0.001f, &report);
            couSphLoop loop = couSph_Loop(&step);
            bool expected = m > 0 && choices[c] != cou_wallPressureNeighbor;
            assert_true((sph_state(world)->walls.count > 0) == expected);
            assert_true((loop.walls_own != NULL) == expected);
            assert_true((memcmp(loop.kept, loop.density, loop.count * sizeof *loop.kept) != 0) == expected);
            couDestroyWorld(world);
        }
}

// A lattice that begins half a spacing off the walls is at rest density, samples too.
static void test_lattice(void **context)
{
    (void)context;
    for (int dimension = 2; dimension <= 3; ++dimension) {
        couWorld *world = make_sph_world("dfsph", dimension, SPACING, NO_GRAVITY);
        couMaterialId water = add_liquid(world, 1000, 0);
        add_body(world, make_tank(10 * SPACING, 10 * SPACING, 10 * SPACING, 5 * SPACING, false), at(0, 0, 0), 0);
        add_lattice(world, water, make_box(10 * SPACING, 10 * SPACING, 10 * SPACING), at(0, 0, 0));
        couStepReport report = {0};
        couStep step = open_pairs(world, 0.001f, &report);
        couSphLoop loop = couSph_Loop(&step);
        const couWallRows *walls = loop.walls_own;
        double worst = 0, worst_sample = 0;
        for (size_t i = 0; i < loop.count; ++i) worst = fmax(worst, fabs((double)loop.kept[i] - 1));
        for (size_t row = 0; row < walls->count; ++row)
            if (walls->weight[row] > 0) worst_sample = fmax(worst_sample, fabs((double)walls->excess[row]));
        print_message("a lattice in a full tank, %dD: kept density off by at most %.4f, of samples %.4f\n", dimension, worst,
                      worst_sample);
        CHECK_AT_MOST(worst, 0.03, dimension);
        CHECK_AT_MOST(worst_sample, 0.03, dimension);
        couDestroyWorld(world);
    }
}

// --- Tanks -------------------------------------------------------------------------------------------------------------------

static void check_rest(int layers)
{
    const float d = 0.05f, wide = 10 * d, depth = (float)layers * d;
    couWorld *world = make_sph_world("dfsph", 3, d, EARTH);
    couMaterialId water = add_liquid(world, 1000, 0.001f);
    enum { WALLS = 5, SETTLE = 60, FRAMES = 20 };
    couBodyId walls[WALLS] = {add_body(world, make_plane(0, 1, 0), at(0, 0, 0), 0)};
    for (int k = 0; k < 4; ++k) {
        float x = k == 0 ? 1 : k == 1 ? -1 : 0, z = k == 2 ? 1 : k == 3 ? -1 : 0;
        walls[1 + k] = add_body(world, make_plane(x, 0, z), at(-0.5f * wide * x, 0, -0.5f * wide * z), 0);
    }
    int64_t count = add_fluid(world, water, make_box(wide, depth, wide), at(0, 0.5f * depth, 0), NO_GRAVITY);
    assert_int_equal(count, 100 * layers);
    double floor = 0, force = 0, height = 0, first = 0, firsts = 0;
    for (int f = 0; f < SETTLE + FRAMES; ++f) {
        couStepReport report = couWorld_Advance(world, 1.0 / 30);
        CHECK_HEALTHY(&report);
        if (f < SETTLE) continue;
        for (int k = 0; k < WALLS; ++k) force -= (double)couWorld_BodyForce(world, walls[k]).y / FRAMES;
        floor -= (double)couWorld_BodyForce(world, walls[0]).y / FRAMES;
        couParticleView view = couWorld_Particles(world);
        for (size_t i = 0; i < view.count; ++i) {
            height += view.position[i].y / ((double)view.count * FRAMES);
            // The first row, away from the sides.
            bool is_inside = fabsf(view.position[i].x) < 0.3f * wide && fabsf(view.position[i].z) < 0.3f * wide;
            if (is_inside && view.position[i].y < d) first += view.position[i].y, ++firsts;
        }
    }
    double weight = 9.81 * (double)count * (double)couWorld_ParticleMass(world, 0);
    first /= firsts;
    print_message(
        "a tank of %d layers: centre of mass %.4f of half the depth, force on all walls %.4f of the weight, on the floor "
        "%.4f, first row at %.3f d\n",
        layers, height / (0.5 * depth), force / weight, floor / weight, first / d);
    CHECK_NEAR(height / (0.5 * depth), 1, 0.01, layers);
    CHECK_NEAR(force / weight, 1, 0.01, layers);
    CHECK_RANGE(floor / weight, 0.95, 1.01, layers); // samples of the sides, which go on below it, bear the rest along the edges
    CHECK_NEAR(first / d, 0.5, 0.1, layers);
    couDestroyWorld(world);
}

static void test_rest(void **context)
{
    (void)context;
    check_rest(10);
    check_rest(30);
}

// A full tank of small random velocities, without gravity, and nothing that damps: a solver may take energy, not give any.
static void check_energy(int dimension, int kernel, int seed)
{
    const float d = 0.02f, wide = dimension == 3 ? 8 * d : 20 * d;
    couWorldDef def = sph_def("iisph", dimension, d, NO_GRAVITY);
    def.speed = 0.1f, def.depth = wide;
    couWorld *world = make_sph_world_from(&def);
    sph_params(world)->damping = 0, sph_params(world)->kernel = kernel;
    couMaterialId water = add_liquid(world, 1000, 0);
    add_body(world, make_tank(wide, wide, wide, 5 * d, true), at(0, 0, 0), 0);
    add_lattice(world, water, make_box(wide, 0.8f * wide, wide), at(0, -0.1f * wide, 0));
    couRandom random = {couMix64((uint64_t)seed)};
    couVec4 *v = couFluid_Velocity(&world->fluid);
    for (size_t i = 0; i < world->fluid.table.count; ++i) {
        v[i].x = random_float(&random, 0.02f), v[i].y = random_float(&random, 0.02f);
        if (dimension == 3) v[i].z = random_float(&random, 0.02f);
    }
    double first = couWorld_Measure(world).kinetic_energy, last = first, rise = 0, most = 0;
    for (int k = 0; k < 200; ++k) {
        couStepReport report = couWorld_Step(world, 0.002f);
        CHECK_HEALTHY(&report);
        double now = couWorld_Measure(world).kinetic_energy;
        rise = fmax(rise, (now - last) / first), most = fmax(most, now / first);
        last = now;
    }
    print_message("random velocities in a tank, %dD, kernel %d: kinetic energy at most %.4f of the first, ends at %.4f, largest "
                  "rise in a step %.5f\n",
                  dimension, kernel, most, last / first, rise);
    CHECK_AT_MOST(most, 1, seed);
    CHECK_AT_MOST(rise, 5e-4, seed);
    couDestroyWorld(world);
}

static void test_energy(void **context)
{
    (void)context;
    for (int dimension = 2; dimension <= 3; ++dimension) {
        check_energy(dimension, cou_sphKaiser, 81 + dimension);
        check_energy(dimension, cou_sphCubic, 91 + dimension);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),     cmocka_unit_test(test_liquid), cmocka_unit_test(test_symmetry),
        cmocka_unit_test(test_momentum), cmocka_unit_test(test_choice), cmocka_unit_test(test_lattice),
        cmocka_unit_test(test_rest),     cmocka_unit_test(test_energy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
