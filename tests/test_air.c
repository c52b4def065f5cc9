// Ghosts over free surfaces: where they are, what they add, and what they leave alone.
#include "sph_test.h"

static couWorld *make_air_world(const char *method, int dimension, couVec3 gravity, int threads)
{
    couWorldDef def = sph_def(method, dimension, 0.02f, gravity);
    def.threads = threads;
    couWorld *world = make_sph_world_from(&def);
    sph_params(world)->boundary = cou_boundaryAir;
    return world;
}

// The lattice of a tank's liquid, filled to 10 layers: its outermost row has the density of the inside, nothing else changes, and
// no ghost is within the liquid or under the floor.
static void test_flat_surface(void **context)
{
    (void)context;
    for (int dimension = 2; dimension <= 3; ++dimension)
        for (int shift = 0; shift < 4; ++shift) {
            float up = 0.005f * (float)shift; // against the ghosts' lattice
            couWorld *world = make_air_world("dfsph", dimension, EARTH, 1);
            add_body(world, make_tank(0.2f, 0.4f, 0.2f, 0.1f, true), at(0, 0.2f + up, 0), 0);
            add_lattice(world, add_liquid(world, 1000, 0), make_box(0.2f, 0.2f, 0.2f), at(0, 0.1f + up, 0));
            couStepReport report = {0};
            couStep step = open_pairs(world, 1e-4f, &report);
            const couFluid *fluid = &world->fluid;
            for (size_t i = 0; i < fluid->table.count; ++i)
                CHECK_NEAR(couFluid_Density(fluid)[i], 1, 0.03, 10 * dimension + shift);
            const couSphState *state = sph_state(world);
            assert_true(state->air_count > 10);
            for (size_t k = 0; k < state->air_count; ++k) {
                CHECK_RANGE(state->air[k].position.y, 0.175 + up, 0.25 + up, 10 * dimension + shift);
                CHECK_RANGE(state->air[k].position.w, 0.02, 1, 10 * dimension + shift);
            }
            (void)step;
            couDestroyWorld(world);
        }
}

// Drops keep their momentum, and what is full or alone is left alone; ghosts are seen behind all bodies.
static void test_drops(void **context)
{
    (void)context;
    for (int m = 0; m < SPH_METHODS; ++m) {
        couWorld *world = make_air_world(sph_methods[m], 2, NO_GRAVITY, 1);
        couMaterialId water = add_liquid(world, 1000, 0);
        add_jittered(world, water, make_sphere(0.15f), at(-0.2f, 0, 0), (couVec3){1, 0, 0}, 0.1f);
        add_jittered(world, water, make_sphere(0.1f), at(0.2f, 0.05f, 0), (couVec3){-1, 0, 0}, 0.1f);
        couMeasurement before = couWorld_Measure(world);
        couStepReport report = couWorld_Advance(world, 0.3);
        CHECK_HEALTHY(&report);
        couMeasurement after = couWorld_Measure(world);
        for (int a = 0; a < 3; ++a) CHECK_NEAR(after.momentum[a], before.momentum[a], 1e-4 * before.mass, m);
        CHECK_RANGE(after.kinetic_energy, 0, 1.02 * before.kinetic_energy, m);
        couSampleView view = couWorld_Samples(world);
        assert_true(view.count > 20);
        for (size_t k = 0; k < view.count; ++k) assert_int_equal(view.body[k], 0); // there are none before
        couDestroyWorld(world);
    }
}

// A pool at rest: the top rows do not crowd, with ghosts in the air. Same bits for any number of threads.
static double top_spacing(int boundary, int threads, uint64_t *hash)
{
    couWorld *world = make_air_world("dfsph", 2, EARTH, threads);
    sph_params(world)->boundary = boundary, sph_params(world)->even_surface = false; // ghosts or nothing
    add_body(world, make_tank(0.6f, 0.8f, 1, 0.1f, true), at(0, 0.4f, 0), 0);
    add_lattice(world, add_liquid(world, 1000, 0), make_box(0.6f, 0.4f, 1), at(0, 0.2f, 0));
    couStepReport report = couWorld_Advance(world, 1.0);
    CHECK_HEALTHY(&report);
    couParticleView view = couWorld_Particles(world);
    double sum = 0, top = 0;
    int count = 0;
    for (size_t i = 0; i < view.count; ++i)
        if (fabsf(view.position[i].x) < 0.2f) top = fmax(top, (double)view.position[i].y);
    for (size_t i = 0; i < view.count; ++i) {
        if (fabsf(view.position[i].x) > 0.2f || (double)view.position[i].y < top - 0.03) continue;
        float least = INFINITY;
        for (size_t j = 0; j < view.count; ++j)
            if (j != i) least = fminf(least, couLength(couSub(couXyz(view.position[j]), couXyz(view.position[i]))));
        sum += (double)least, ++count;
    }
    couState state = {0};
    assert_true(couWorld_SaveState(world, &state));
    *hash = couState_Hash(&state);
    couState_Clear(&state);
    couDestroyWorld(world);
    return sum / count / 0.02;
}

static void test_rest(void **context)
{
    (void)context;
    uint64_t hash[3];
    double plain = top_spacing(cou_boundaryGhost, 1, &hash[0]), air = top_spacing(cou_boundaryAir, 1, &hash[1]);
    CHECK_RANGE(air, 0.9, 1.2, 0); // spacings
    CHECK_RANGE(air - plain, 0.1, 1, 0);
    top_spacing(cou_boundaryAir, 3, &hash[2]);
    assert_true(hash[1] == hash[2]);
    assert_true(hash[1] != hash[0]);
}

static void test_refused(void **context)
{
    (void)context;
    couFaults faults = {0};
    couWorldDef def = sph_def("dfsph", 2, 0.02f, NO_GRAVITY);
    def.period = (couVec3){1, 0, 0};
    couWorld *world = make_sph_world_from(&def);
    assert_true(!couWorld_SetParam(world, "sph.boundary", "ghost-air", &faults) || !couWorld_Prepare(world, &faults));
    assert_non_null(strstr(faults.items[0].message, "ghost-air is not for worlds that repeat"));
    couFaults_Clear(&faults);
    couDestroyWorld(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flat_surface),
        cmocka_unit_test(test_drops),
        cmocka_unit_test(test_rest),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
