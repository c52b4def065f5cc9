// The stress of order: against sums over all pairs in double precision, with every variant of the loops; nothing where neighbours
// lie evenly; momentum to and from solids; who gets it; and what it is for, a weak push that moves thick liquid.
#include "sph_test.h"

#define SPACING 0.02f

// A pool in a tank.
static couWorld *make_pool(const char *method, int dimension, float viscosity, float jitter, int seed)
{
    couWorldDef def = sph_def(method, dimension, SPACING, EARTH);
    def.seed = seed;
    couWorld *world = make_sph_world_from(&def);
    couMaterialId oil = add_liquid(world, 1000, viscosity);
    float wide = dimension == 3 ? 0.16f : 0.3f, deep = 0.12f;
    add_body(world, make_tank(wide, 0.4f, deep, 0.06f, true), at(0, 0.2f, 0), 0);
    add_jittered(world, oil, make_box(wide, 0.16f, deep), at(0, 0.08f, 0), NO_GRAVITY, jitter);
    return world;
}

static void set_pressures(const couWorld *world, int seed)
{
    couRandom random = {couMix64((uint64_t)seed)};
    float *p = couSph_Pressure(&world->fluid);
    for (size_t i = 0; i < world->fluid.table.count; ++i) p[i] = 1000.0f + 500.0f * couRandomSigned(&random);
}

typedef struct Tensor {
    double at[3][3];
} Tensor;

// share p dev S / reference density of every particle.
static Tensor *brute_stress(const couWorld *world, const Reference *r)
{
    const couSphState *state = sph_state(world);
    const float *p = couSph_Pressure(&world->fluid);
    int n = world->def.dimension;
    Tensor *stress = calloc(r->count, sizeof *stress);
    for (size_t i = 0; i < r->count; ++i) {
        Tensor s = {0};
        FOR_ROWS(r, j)
        {
            Vec g = pair_gradient(r, i, j), d = offset(r, j, i);
            double gs[3] = {g.x, g.y, g.z}, ds[3] = {d.x, d.y, d.z};
            for (int a = 0; a < 3; ++a)
                for (int b = 0; b < 3; ++b) s.at[a][b] += gs[a] * ds[b];
        }
        double mean = (s.at[0][0] + s.at[1][1] + s.at[2][2]) / n, trust = fmin(fmax(5 * mean - 3.5, 0), 1);
        for (int a = 0; a < n; ++a) s.at[a][a] -= mean;
        for (int a = 0; a < 3; ++a)
            for (int b = 0; b < 3; ++b)
                stress[i].at[a][b] = trust * (double)state->relief[0] * (double)p[i] / (double)state->reference_density *
                                     s.at[a][b];
    }
    return stress;
}

static Vec brute_push(const Reference *r, const Tensor *stress, size_t i)
{
    double sum[3] = {0, 0, 0};
    FOR_ROWS(r, j)
    {
        Vec g = pair_gradient(r, i, j);
        const double gs[3] = {g.x, g.y, g.z};
        for (int a = 0; a < 3; ++a)
            for (int b = 0; b < 3; ++b) sum[a] += (stress[i].at[a][b] + stress[j < r->count ? j : i].at[a][b]) * gs[b];
    }
    return (Vec){r->weight[i] * sum[0], r->weight[i] * sum[1], r->weight[i] * sum[2]};
}

static void check_sums(int dimension, couIsa isa, int seed)
{
    const float dt = 0.001f;
    couWorld *world = make_pool("iisph", dimension, 50, 0.25f, seed);
    world->fluid.neighbors.isa = isa;
    couStepReport report = {0};
    couStep step = open_pairs(world, dt, &report);
    CHECK_RANGE(sph_state(world)->relief[0], 0.9, 1, seed);
    set_pressures(world, seed);
    Reference r = make_reference(world);
    Tensor *stress = brute_stress(world, &r);
    Vec before = fluid_momentum(world, NULL);
    couSph_Relieve(&step, dt);
    assert_false(step.has_failed);
    double size = 0;
    for (size_t i = 0; i < r.count; ++i) size = fmax(size, length(brute_push(&r, stress, i)));
    assert_true(size > 1);
    for (size_t i = 0; i < r.count; ++i) {
        Vec got = sub(from_record(couFluid_Velocity(&world->fluid)[i]), r.v[i]), wanted = brute_push(&r, stress, i);
        CHECK_AT_MOST(length(add_scaled(wanted, -1 / (double)dt, got)), 2e-3 * size, seed);
    }
    // The tank gets what the liquid loses.
    const couBody *tank = &world->bodies.items[0];
    Vec given = {tank->pushed[0], tank->pushed[1], tank->pushed[2]}, lost = sub(before, fluid_momentum(world, NULL));
    assert_true(length(given) > 0);
    CHECK_AT_MOST(length(sub(given, lost)), 1e-4 * length(given), seed);
    free(stress);
    free_reference(&r);
    couDestroyWorld(world);
}

static void test_sums(void **context)
{
    (void)context;
    int seed = 11;
    for (int dimension = 2; dimension <= 3; ++dimension)
        for (int isa = 0; isa <= (int)couBestIsa(); ++isa) check_sums(dimension, (couIsa)isa, seed++);
}

// A lattice's neighbours lie evenly: what it takes off is nothing beside what a jittered one does.
static void test_even(void **context)
{
    (void)context;
    for (int dimension = 2; dimension <= 3; ++dimension) {
        double fastest[2] = {0, 0};
        for (int k = 0; k < 2; ++k) {
            couWorld *world = make_pool("dfsph", dimension, 50, k ? 0.25f : 0, 3);
            couStepReport report = {0};
            couStep step = open_pairs(world, 0.001f, &report);
            float *p = couSph_Pressure(&world->fluid);
            for (size_t i = 0; i < world->fluid.table.count; ++i) p[i] = 1000;
            couSph_Relieve(&step, 0.001f);
            for (size_t i = 0; i < world->fluid.table.count; ++i) {
                couVec4 x = couFluid_Position(&world->fluid)[i];
                bool is_inside = fabsf(x.x) < 0.03f && fabsf(x.y - 0.08f) < 0.02f && fabsf(x.z) < 0.01f;
                if (is_inside) fastest[k] = fmax(fastest[k], length(from_record(couFluid_Velocity(&world->fluid)[i])));
            }
            couDestroyWorld(world);
        }
        assert_true(fastest[1] > 0);
        CHECK_AT_MOST(fastest[0], 0.01 * fastest[1], dimension);
    }
}

static float chosen_relief(const char *method, float viscosity, float asked)
{
    couWorld *world = make_pool(method, 2, viscosity, 0, 1);
    sph_params(world)->relief = asked;
    couStepReport report = {0};
    open_pairs(world, 0.001f, &report);
    float relief = sph_state(world)->relief[0];
    couDestroyWorld(world);
    return relief;
}

static void test_choice(void **context)
{
    (void)context;
    assert_true(chosen_relief("dfsph", 0.001f, NAN) == 0.0f); // water
    assert_true(chosen_relief("dfsph", 0, 0.5f) == 0.0f);
    assert_true(chosen_relief("mueller", 50, NAN) == 0.0f);
    assert_true(chosen_relief("dfsph", 0.001f, 0.5f) == 0.5f);
    CHECK_RANGE(chosen_relief("wcsph", 50, NAN), 0.95, 1, 1);
    CHECK_RANGE(chosen_relief("dfsph", 0.3f, NAN), 0.4, 0.8, 1); // somewhere between
}

// --- What it is for ----------------------------------------------------------------------------------------------------------

static couVec3 push_along(void *context, couVec3 position, couVec3 velocity, double time)
{
    (void)velocity, (void)time;
    const double *size = context;
    return (couVec3){(float)(*size * cos(2 * M_PI * (double)position.y)), 0, 0};
}

// The speed of a pool of 1 m that is pushed by a thousandth of its pressure / Newton's.
static double flow_of(const char *method, float relief, float support)
{
    couFaults faults = {0};
    double push = 0.003 * 9.81, viscosity = 0.03, newton = push / (viscosity * 4 * M_PI * M_PI);
    couWorldDef def = sph_def(method, 2, 1.0f / 24, EARTH);
    def.period.x = 0.75f, def.period_lower.x = -0.375f;
    couWorld *world = make_sph_world_from(&def);
    sph_params(world)->relief = relief, sph_params(world)->support = support;
    couMaterialId oil = add_liquid(world, 1000, (float)(1000 * viscosity));
    couShape *plane = couCreateShape(&(couShapeDef){.kind = cou_shapePlane, .axis = {0, 1, 0}}, &faults);
    add_body(world, plane, at(0, 0, 0), 0);
    add_jittered(world, oil, make_box(0.75f, 1, 1), at(0, 0.5f, 0), NO_GRAVITY, 0.25f);
    couFieldDef field = couDefaultFieldDef();
    field.kind = cou_fieldFunction, field.function = push_along, field.function_context = &push, field.start = 1;
    couWorld_AddField(world, &field, &faults);
    CHECK_NO_FAULTS(&faults);
    couWorld_Advance(world, 5);
    double mean = 0;
    enum { FRAMES = 20 };
    for (int k = 0; k < FRAMES; ++k) {
        couWorld_Advance(world, 0.1);
        couParticleView view = couWorld_Particles(world);
        double n = 0, w = 0, ww = 0, u = 0, uw = 0;
        for (size_t i = 0; i < view.count; ++i) {
            double wave = cos(2 * M_PI * (double)view.position[i].y), speed = view.velocity[i].x;
            n += 1, w += wave, ww += wave * wave, u += speed, uw += speed * wave;
        }
        mean += (n * uw - w * u) / (n * ww - w * w) / newton / FRAMES;
    }
    couDestroyWorld(world);
    return mean;
}

static void test_weak_push(void **context)
{
    (void)context;
    double with = flow_of("dfsph", NAN, 2.25f), without = flow_of("dfsph", 0, 2.25f), wide = flow_of("dfsph", 0, NAN);
    CHECK_RANGE(with, 0.8, 1.15, 0);
    CHECK_AT_MOST(without, 0.7, 0);
    CHECK_RANGE(wide, 0.9, 1.05, 0); // the default of the plane has little to take off
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums),
        cmocka_unit_test(test_even),
        cmocka_unit_test(test_choice),
        cmocka_unit_test(test_weak_push),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
