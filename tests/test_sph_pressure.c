// Pressures of the SPH methods: the loops of the solver and the push of an equation of state against sums over all pairs in
// double precision, and what a solver leaves behind: its error, its pressures and its push on bodies must belong to its
// velocities.
#include "sph_test.h"

#define SPACING 0.02f

static couPose slide(void *context, double time)
{
    (void)context;
    return at((float)(-0.05 + 0.4 * time), 0.06f, 0);
}

// A jittered pool of one or two liquids that falls on a floor and on a driven block, in a tank.
static couWorld *make_pool(const char *method, int dimension, int materials, int seed)
{
    couFaults faults = {0};
    couWorldDef def = sph_def(method, dimension, SPACING, EARTH);
    def.seed = seed;
    couWorld *world = make_sph_world_from(&def);
    couMaterialId water = add_liquid(world, 1000, 0);
    float wide = dimension == 3 ? 0.2f : 0.4f;
    add_body(world, make_tank(wide, 0.4f, 0.16f, 0.1f, true), at(0, 0.2f, 0), 0);
    couBodyDef body = couDefaultBodyDef();
    body.shape = make_box(0.08f, 0.08f, 0.08f), body.motion = slide;
    assert_true(couWorld_AddBody(world, &body, &faults).index1);
    couShape_Release(body.shape);
    sph_params(world)->wall_pressure = cou_wallPressureNeighbor; // the papers'; test_wall_pressure.c has the other
    sph_params(world)->even_surface = false;                     // likewise; test_free_surface.c
    couVec3 velocity = {0.2f, -0.7f, 0};
    add_jittered(world, water, make_box(wide, 0.12f, 0.16f), at(0, 0.06f, 0), velocity, 0.25f);
    if (materials > 1) {
        couMaterialId oil = add_liquid(world, 300, 0);
        add_jittered(world, oil, make_box(wide, 0.06f, 0.16f), at(0, 0.15f, 0), velocity, 0.25f);
    }
    return world;
}

static float random_float(couRandom *random, float size) { return size * couRandomSigned(random); }

// Random numbers in all columns that the loops read. Some pressures are 0.
static void shake(couWorld *world, couSphLoop *loop, int seed)
{
    couRandom random = {couMix64((uint64_t)seed)};
    for (size_t i = 0; i < loop->count; ++i) {
        couVec4 *v = &loop->velocity[i];
        v->x = random_float(&random, 1), v->y = random_float(&random, 1);
        if (world->def.dimension == 3) v->z = random_float(&random, 1);
        loop->pressure[i] = COU_MAX(random_float(&random, 1e-3f), 0.0f);
        loop->change[i] = random_float(&random, 1e-4f);
    }
}

// --- The loops ---------------------------------------------------------------------------------------------------------------

static void check_residual(int dimension, bool is_divergence, bool is_clamped, couIsa isa, int seed)
{
    static couSphLoopFcn *const residual[cou_isaCount] = COU_VARIANTS(couSphResidual);
    couWorld *world = make_pool("dfsph", dimension, 2, seed);
    world->fluid.neighbors.isa = isa;
    float dt = 0.002f, share = 0.4f;
    couStepReport report = {0};
    couStep step = open_pairs(world, dt, &report);
    couSphLoop loop = couSph_Loop(&step);
    loop.is_divergence = is_divergence, loop.is_clamped = is_clamped, loop.density_share = share;
    loop.most_corrected = 0.05f;
    loop.residual = calloc(loop.count, sizeof *loop.residual);
    shake(world, &loop, seed);
    Reference r = make_reference(world);
    double *D = brute_densities(&r), sums[3] = {0};
    couSph_Run(&step, &loop, residual);
    for (size_t i = 0; i < r.count; ++i) {
        double rate = density_rate(&r, r.v, i), after = D[i] - 1 + dt * rate;
        double least = is_clamped ? -INFINITY : -0.05, error = fmin(fmax(share * (D[i] - 1), least), 0.05) + dt * rate;
        if (is_divergence) error = is_clamped ? fmin(after, dt * rate) : dt * rate;
        CHECK_NEAR(loop.residual[i], error, 3e-5, seed); // rounded gradients times random velocities
        sums[0] += fmax(error, 0), sums[2] += fmax(after, 0);
        sums[1] += is_clamped ? fmax(fmin(-error, dt * loop.pressure[i] / loop.factor[i]), 0) : fmax(-error, 0);
    }
    for (int k = 0; k < 3; ++k) {
        double got = 0;
        for (int block = 0; block < couBlockCount(loop.count, COU_SPH_BLOCK); ++block) got += loop.sums[4 * block + k];
        assert_true(sums[k] > 0);
        CHECK_NEAR(got / (double)r.count, sums[k] / (double)r.count, 2e-6, seed); // up to 40 rounded gradients each
    }
    free(loop.residual), free(D);
    free_reference(&r);
    couDestroyWorld(world);
}

static void test_residual(void **context)
{
    (void)context;
    int seed = 1;
    for (int dimension = 2; dimension <= 3; ++dimension)
        for (int n = 0; n < 4; ++n, ++seed) check_residual(dimension, n & 1, n & 2, some_isa(seed), seed);
}

// Velocities now against those of the reference and the push -w_i sum (a_i + a_j) b_i b_j G_ij over the fluid, -w_i wall sum G_ij
// over the samples. Each gradient may be off by its rounding to 16 bits, and what was pushed in many parts by a share `slack`.
static void check_pushed(const couWorld *world, const Reference *r, const double *a, const double *b, double wall, size_t i,
                         double slack, int seed)
{
    const float *unit = sph_state(world)->gradient_scale;
    Vec expected = r->v[i], now = from_record(couFluid_Velocity(&world->fluid)[i]);
    double tolerance = 1e-6 * (length(now) + length(expected));
    FOR_ROWS(r, j)
    {
        Vec g = pair_gradient(r, i, j);
        double weight = r->weight[i] * (j < r->count ? (a[i] + a[j]) * (b ? b[i] * b[j] : 1) : wall);
        expected = add_scaled(expected, -weight, g);
        if (length(g) > 0) tolerance += fabs(weight) * (0.51 * unit[j >= r->base] + slack * length(g));
    }
    CHECK_NEAR(now.x, expected.x, tolerance, seed);
    CHECK_NEAR(now.y, expected.y, tolerance, seed);
    CHECK_NEAR(now.z, expected.z, tolerance, seed);
}

static void check_push(int dimension, bool has_inverse, couIsa isa, int seed)
{
    static couSphLoopFcn *const push[cou_isaCount] = COU_VARIANTS(couSphPush);
    couWorld *world = make_pool("dfsph", dimension, 2, seed);
    world->fluid.neighbors.isa = isa;
    couStepReport report = {0};
    couStep step = open_pairs(world, 0.002f, &report);
    couSphLoop loop = couSph_Loop(&step);
    shake(world, &loop, seed);
    Reference r = make_reference(world);
    double *change = calloc(r.count, sizeof *change), *inverse = calloc(r.count, sizeof *inverse);
    if (has_inverse) loop.inverse = loop.factor;
    for (size_t i = 0; i < r.count; ++i) {
        change[i] = loop.change[i];
        loop.factor[i] = 1.0f / loop.density[i]; // where equations of state have them
        inverse[i] = 1 / (double)loop.density[i];
    }
    couSph_Run(&step, &loop, push);
    double size = 0;
    for (size_t i = 0; i < r.count; ++i) {
        double wall = has_inverse ? 2 * change[i] * inverse[i] : change[i]; // a wall has the particle's own pressure
        check_pushed(world, &r, change, has_inverse ? inverse : NULL, wall, i, 1e-5, seed);
        size = fmax(size, length(sub(from_record(loop.velocity[i]), r.v[i])));
    }
    assert_true(size > 1e-3);
    free(change), free(inverse);
    free_reference(&r);
    couDestroyWorld(world);
}

static void test_push(void **context)
{
    (void)context;
    int seed = 31;
    for (int dimension = 2; dimension <= 3; ++dimension)
        for (int n = 0; n < 4; ++n, ++seed) check_push(dimension, n & 1, some_isa(seed), seed);
}

// --- The solver --------------------------------------------------------------------------------------------------------------

// Runs the phases of a step up to the last of its pressure phases; `before` gets velocities and impulses from before that phase.
static void run_to_density_solve(couWorld *world, couStep *step, Reference *before, Vec *momentum)
{
    const couPhaseEntry *phases = world->fluid.method->phases, *last = NULL;
    for (const couPhaseEntry *entry = phases; entry->function; ++entry)
        if (entry->phase == cou_phasePressure) last = entry;
    for (const couPhaseEntry *entry = phases; entry < last; ++entry) entry->function(step);
    *before = make_reference(world);
    *momentum = fluid_momentum(world, NULL);
    for (size_t b = 0; b < world->bodies.count; ++b)
        memset(world->bodies.items[b].pushed, 0, sizeof world->bodies.items[b].pushed);
    last->function(step);
    assert_false(step->has_failed);
}

typedef struct SolverCase {
    const char *method;
    int dimension, materials;
    int acceleration;
    bool is_clamped;
    int seed;
} SolverCase;

static void check_solver(SolverCase c)
{
    couWorld *world = make_pool(c.method, c.dimension, c.materials, c.seed);
    couSphParams *p = sph_params(world);
    p->acceleration = c.acceleration, p->clamp = c.is_clamped, p->max_iterations = 2000;
    float dt = 0.001f;
    couStepReport report = couWorld_Step(world, dt); // so that there are pressures to start from
    CHECK_HEALTHY(&report);
    report = (couStepReport){0};
    couStep step = open_step(world, dt, &report);
    Reference r;
    Vec momentum;
    run_to_density_solve(world, &step, &r, &momentum);

    // The error in double precision, from the velocities that the solver ended with.
    const couVec4 *v = couFluid_Velocity(&world->fluid);
    const float *pressure = couSph_Pressure(&world->fluid);
    Vec *now = calloc(r.rows, sizeof *now);
    memcpy(now, r.v, r.rows * sizeof *now);
    double *D = brute_densities(&r), *kappa = calloc(r.count, sizeof *kappa), above = 0, below = 0, size = 0;
    double compression = 0;
    int pressed = 0;
    for (size_t i = 0; i < r.count; ++i) {
        now[i] = from_record(v[i]);
        kappa[i] = pressure[i] * dt / sph_state(world)->reference_density;
        pressed += kappa[i] > 0;
        if (c.is_clamped) assert_true(kappa[i] >= 0);
        size = fmax(size, length(sub(now[i], r.v[i])));
    }
    assert_true(size > 0.01);
    for (size_t i = 0; i < r.count; ++i) {
        double most = 0.02, rate = density_rate(&r, now, i); // of the density in a step
        double error = fmin(fmax(D[i] - 1, c.is_clamped ? -INFINITY : -most), most) + dt * rate;
        compression += fmax(D[i] - 1 + dt * rate, 0);
        above += fmax(error, 0), below += !c.is_clamped || kappa[i] > 0 ? fmax(-error, 0) : 0;
        // The pressures that it leaves are those that made these velocities.
        check_pushed(world, &r, kappa, NULL, kappa[i], i, 1e-4, c.seed);
    }
    CHECK_NEAR(report.solver_error, compression / (double)r.count, 3e-6, c.seed);
    assert_int_equal(report.unconverged_count, 0);
    // Two levels correct a part of the density in a calm step; plain Jacobi all of it.
    if (c.acceleration == cou_accelerationNone) CHECK_AT_MOST(above / (double)r.count, 1.01 * p->tolerance, c.seed);
    if (c.acceleration == cou_accelerationNone && !c.is_clamped)
        CHECK_AT_MOST((above + below) / (double)r.count, 1.01 * p->tolerance, c.seed);
    CHECK_RANGE(report.iterations, p->min_iterations, p->max_iterations, c.seed);
    CHECK_RANGE(pressed, 1, c.is_clamped ? (double)r.count : (double)r.count - 1, c.seed);
    // What the fluid lost the bodies have.
    Vec lost = sub(momentum, fluid_momentum(world, NULL)), given = {0, 0, 0};
    for (size_t b = 0; b < world->bodies.count; ++b) {
        const double *impulse = world->bodies.items[b].pushed;
        given = add_scaled(given, 1, (Vec){impulse[0], impulse[1], impulse[2]});
    }
    assert_true(length(lost) > 0);
    CHECK_AT_MOST(length(sub(given, lost)), 1e-4 * length(lost), c.seed);
    free(now), free(D), free(kappa);
    free_reference(&r);
    couDestroyWorld(world);
}

static void test_solvers(void **context)
{
    (void)context;
    int seed = 61;
    for (int m = 3; m < SPH_METHODS; ++m)
        for (int n = 0; n < 4; ++n, ++seed)
            check_solver((SolverCase){sph_methods[m], n == 1 ? 3 : 2, 1 + seed % 2,
                                      n & 1 ? cou_accelerationTwoLevels : cou_accelerationNone, !(n & 2), seed});
}

// Two iterations are not enough for this pool, and the report says so; a wide tolerance is met.
static void test_unconverged(void **context)
{
    (void)context;
    for (int m = 3; m < SPH_METHODS; ++m) {
        couWorld *world = make_pool(sph_methods[m], 2, 1, 90 + m);
        sph_params(world)->max_iterations = 2, sph_params(world)->tolerance = 1e-5f;
        couStepReport report = couWorld_Step(world, 0.001f);
        assert_true(report.unconverged_count >= 1);
        assert_int_equal(report.iterations, 2);
        CHECK_RANGE(report.solver_error, sph_params(world)->tolerance, 1, m);
        couDestroyWorld(world);
        world = make_pool(sph_methods[m], 2, 1, 90 + m);
        sph_params(world)->max_iterations = 5000, sph_params(world)->tolerance = 1e-5f;
        report = couWorld_Step(world, 0.001f);
        assert_int_equal(report.unconverged_count, 0);
        assert_true(report.iterations > 2);
        couDestroyWorld(world);
        world = make_pool(sph_methods[m], 2, 1, 90 + m);
        sph_params(world)->max_iterations = 2, sph_params(world)->tolerance = 0.1f,
        sph_params(world)->divergence_tolerance = 0.1f;
        report = couWorld_Step(world, 0.001f);
        assert_int_equal(report.unconverged_count, 0);
        couDestroyWorld(world);
    }
}

// A smaller error takes more iterations, and two levels take fewer than plain Jacobi.
static void test_acceleration_saves_iterations(void **context)
{
    (void)context;
    int iterations[2] = {0}, loose = 0;
    for (int n = 0; n < 3; ++n) {
        couWorld *world = make_pool("dfsph", 2, 1, 7);
        sph_params(world)->max_iterations = 5000;
        sph_params(world)->tolerance = n == 2 ? 5e-3f : 1e-5f;
        sph_params(world)->acceleration = n == 0 ? cou_accelerationNone : cou_accelerationTwoLevels;
        for (int k = 0; k < 10; ++k) {
            couStepReport report = couWorld_Step(world, 0.001f);
            *(n == 2 ? &loose : &iterations[n]) += report.iterations;
            assert_int_equal(report.unconverged_count, 0);
        }
        couDestroyWorld(world);
    }
    CHECK_RANGE(iterations[1], 10, 0.7 * iterations[0], 7);
    CHECK_AT_MOST(loose, iterations[1] - 1, 7);
}

// --- The equation of state ---------------------------------------------------------------------------------------------------

static void check_state_push(const char *method, int dimension, int materials, bool is_clamped, float exponent, int seed)
{
    couWorld *world = make_pool(method, dimension, materials, seed);
    couSphParams *p = sph_params(world);
    p->clamp = is_clamped, p->exponent = exponent, p->stiffness = 5000;
    p->density = cou_densitySum, p->damping = 0; // the rest: test_state_equation.c
    float dt = 0.0005f;
    couStepReport report = {0};
    couStep step = open_step(world, dt, &report);
    world->fluid.last_dt = dt;
    Reference r;
    Vec momentum;
    run_to_density_solve(world, &step, &r, &momentum);
    bool is_mueller = world->fluid.method->sph->has_mueller_pressure;
    double *D = brute_densities(&r), *a = calloc(r.count, sizeof *a), *inverse = calloc(r.count, sizeof *inverse);
    const float *pressure = couSph_Pressure(&world->fluid);
    double size = 0, heaviest = 1000;
    int pulling = 0;
    for (size_t i = 0; i < r.count; ++i) {
        double expected = 5000 * (pow(D[i], exponent) - 1);
        if (is_clamped) expected = fmax(expected, 0);
        pulling += expected < 0;
        CHECK_NEAR(pressure[i], expected, 5000 * exponent * pow(D[i], exponent) * 1e-5, seed);
        inverse[i] = 1 / D[i];
        a[i] = dt / heaviest * expected * (is_mueller ? 0.5 : inverse[i] * inverse[i]);
        size = fmax(size, length(sub(from_record(couFluid_Velocity(&world->fluid)[i]), r.v[i])));
    }
    assert_true((pulling > 0) == !is_clamped);
    assert_true(size > 1e-3);
    for (size_t i = 0; i < r.count; ++i) {
        double wall = is_mueller ? 2 * a[i] * inverse[i] : a[i];
        check_pushed(world, &r, a, is_mueller ? inverse : NULL, wall, i, 1e-5, seed);
    }
    Vec lost = sub(momentum, fluid_momentum(world, NULL)), given = {0, 0, 0};
    for (size_t b = 0; b < world->bodies.count; ++b) {
        const double *impulse = world->bodies.items[b].pushed;
        given = add_scaled(given, 1, (Vec){impulse[0], impulse[1], impulse[2]});
    }
    CHECK_AT_MOST(length(sub(given, lost)), 1e-4 * length(lost), seed);
    free(D), free(a), free(inverse);
    free_reference(&r);
    couDestroyWorld(world);
}

static void test_equation_of_state(void **context)
{
    (void)context;
    int seed = 120;
    for (int m = 0; m < 3; ++m)
        for (int n = 0; n < 4; ++n, ++seed)
            check_state_push(sph_methods[m], n == 1 ? 3 : 2, 1 + seed % 2, !(n & 2), n == 0 ? 1 : n == 3 ? 3.5f : 7, seed);
}

// The automatic stiffness gives the sound speed that keeps a given compression [Gagneux 2022, eq. 2.27, 2.28].
static void test_stiffness(void **context)
{
    (void)context;
    for (int m = 0; m < 3; ++m) {
        couWorldDef def = sph_def(sph_methods[m], 2, SPACING, EARTH);
        def.depth = 0.5f, def.speed = 2;
        couWorld *world = make_sph_world_from(&def);
        add_liquid(world, 800, 0);
        sph_params(world)->compression = 0.02f;
        prepare_world(world);
        const couSphState *state = sph_state(world);
        double c2 = (2 * 2 + 2 * 9.81 * 0.5) / 0.02;
        CHECK_NEAR(state->sound_speed, sqrt(c2), 1e-3, m);
        bool is_mueller = m == 0;
        CHECK_NEAR(state->exponent, is_mueller ? 1 : 7, 0, m);
        CHECK_NEAR(state->stiffness / (800 * c2 / (is_mueller ? 0.5 : 7)), 1, 1e-5, m);
        assert_true(couWorld_SuggestStep(world) < world->fluid.h / state->sound_speed);
        couDestroyWorld(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_residual),
        cmocka_unit_test(test_push),
        cmocka_unit_test(test_solvers),
        cmocka_unit_test(test_unconverged),
        cmocka_unit_test(test_acceleration_saves_iterations),
        cmocka_unit_test(test_equation_of_state),
        cmocka_unit_test(test_stiffness),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
