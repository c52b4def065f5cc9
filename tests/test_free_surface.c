// Where the liquid ends in the open, and the warning that it has no business with pressures that pull.
#include "sph_test.h"

typedef struct Heard {
    int count;
    char last[512];
} Heard;

static void hear(void *context, couLogLevel level, const char *message)
{
    Heard *heard = context;
    if (level != cou_logWarning) return;
    heard->count++;
    snprintf(heard->last, sizeof heard->last, "%s", message);
}

static double open_share(couWorld *world)
{
    couStepReport report = {0};
    couStep step = open_pairs(world, 1e-4f, &report);
    return couSph_OpenShare(&step, 1);
}

// A block of n layers each way in open space: its rim. Jitter blurs it a little.
static void test_share_of_a_block(void **context)
{
    (void)context;
    for (int dimension = 2; dimension <= 3; ++dimension)
        for (int k = 0; k < 3; ++k) {
            int n = 10;
            float jitter = 0.1f * (float)k, edge = 0.02f * (float)n;
            couWorld *world = make_sph_world("dfsph", dimension, 0.02f, NO_GRAVITY);
            add_jittered(world, add_liquid(world, 1000, 0), make_box(edge, edge, edge), at(0, 0, 0), NO_GRAVITY, jitter);
            double expected = 1 - pow((n - 2.0) / n, dimension);
            CHECK_NEAR(open_share(world), expected, k ? 0.12 * expected : 1e-9, 10 * dimension + k);
            couDestroyWorld(world);
        }
}

// What is full has none: a box that repeats, and a tank without a lid between its walls, however it is filled.
static void test_share_of_full_domains(void **context)
{
    (void)context;
    for (int dimension = 2; dimension <= 3; ++dimension)
        for (int k = 0; k < 3; ++k) {
            float edge = 0.2f, jitter = 0.1f * (float)k;
            couWorldDef def = sph_def("dfsph", dimension, 0.02f, NO_GRAVITY);
            def.period = (couVec3){edge, edge, edge}, def.period_lower = (couVec3){-0.5f * edge, -0.5f * edge, -0.5f * edge};
            couWorld *world = make_sph_world_from(&def);
            add_jittered(world, add_liquid(world, 1000, 0), make_box(edge, edge, edge), at(0, 0, 0), NO_GRAVITY, jitter);
            CHECK_RANGE(open_share(world), 0, 0.002, 10 * dimension + k);
            couDestroyWorld(world);

            world = make_sph_world("dfsph", dimension, 0.02f, NO_GRAVITY);
            add_body(world, make_tank(edge, edge, edge, 0.1f, false), at(0, 0, 0), 0);
            add_jittered(world, add_liquid(world, 1000, 0), make_box(edge, edge, edge), at(0, 0, 0), NO_GRAVITY, 0.5f * jitter);
            CHECK_RANGE(open_share(world), 0, 0.005, 100 + 10 * dimension + k);
            couDestroyWorld(world);
        }
}

// --- What the density lacks there --------------------------------------------------------------------------------------------

// A block of ten layers each way, seen after its pairs were found: densities kept at 1 of particle `row` layers under the middle
// of a face, plain and made up.
static void look_under_face(const char *method, int dimension, bool is_even, int row, float *density, float *kept)
{
    const float d = 0.02f, edge = 10 * d;
    couWorld *world = make_sph_world(method, dimension, d, NO_GRAVITY);
    sph_params(world)->even_surface = is_even;
    add_lattice(world, add_liquid(world, 1000, 0), make_box(edge, edge, edge), at(0, 0, 0));
    couStepReport report = {0};
    couStep step = open_pairs(world, 1e-4f, &report);
    couSphLoop loop = couSph_Loop(&step);
    float nearest = INFINITY;
    couVec3 place = {0, 0.5f * edge - ((float)row + 0.5f) * d, 0};
    for (size_t i = 0; i < loop.count; ++i) {
        float off = couLength(couSub(couXyz(loop.position[i]), place));
        if (off < nearest) nearest = off, *density = loop.density[i], *kept = loop.kept[i];
    }
    couDestroyWorld(world);
}

// The outermost row lacks a sixth; made up it has all (mueller and sesph leave it), and the rows below do not change.
static void test_lack_of_a_flat_surface(void **context)
{
    (void)context;
    for (int m = 0; m < SPH_METHODS; ++m)
        for (int dimension = 2; dimension <= 3; ++dimension)
            for (int row = 0; row < 4; ++row) {
                float density, kept;
                const couMethod *method = couFindMethod(sph_methods[m]);
                bool is_even = !method->traits.has_state_equation || method->sph->has_flow_density;
                look_under_face(sph_methods[m], dimension, true, row, &density, &kept);
                if (row == 0) CHECK_RANGE(density, 0.75, 0.9, 10 * m + dimension);
                if (row == 0 && is_even)
                    CHECK_NEAR(kept, 1, 1e-3, 10 * m + dimension);
                else
                    CHECK_NEAR(kept, density, 0, 10 * m + dimension);
                look_under_face(sph_methods[m], dimension, false, row, &density, &kept);
                CHECK_NEAR(kept, density, 0, 10 * m + dimension);
            }
}

// Mean distance to the nearest neighbour of what lies at the surface of a tank of 24 x 16 after a second, in spacings.
static double surface_distance(bool is_even)
{
    const float d = 0.02f;
    couWorld *world = make_sph_world("dfsph", 2, d, EARTH);
    sph_params(world)->even_surface = is_even;
    add_body(world, make_tank(24 * d, 16 * d, 1, 0.1f, true), at(0, 8 * d, 0), 0);
    add_jittered(world, add_liquid(world, 1000, 0), make_box(24 * d, 16 * d, 1), at(0, 8 * d, 0), NO_GRAVITY, 0.25f);
    couWorld_Advance(world, 1.0);
    couParticleView view = couWorld_Particles(world);
    double sum = 0, count = 0;
    for (size_t i = 0; i < view.count; ++i) {
        couVec4 a = view.position[i];
        if (a.y < 15.1f * d || fabsf(a.x) > 9 * d) continue; // corners have their own order
        double least = INFINITY;
        for (size_t j = 0; j < view.count; ++j)
            if (j != i) least = fmin(least, hypot((double)(a.x - view.position[j].x), (double)(a.y - view.position[j].y)));
        sum += least / (double)d, count += 1;
    }
    couDestroyWorld(world);
    return sum / count;
}

static void test_surface_does_not_crowd(void **context)
{
    (void)context;
    CHECK_RANGE(surface_distance(true), 0.83, 1.1, 0);
    CHECK_RANGE(surface_distance(false), 0.5, 0.75, 1);
}

// --- The warning -------------------------------------------------------------------------------------------------------------

typedef struct Case {
    const char *method;
    bool clamp, is_open, has_area;
    int expected; // warnings
} Case;

static Heard step_tank(const Case *test)
{
    couWorld *world = make_sph_world(test->method, 2, 0.02f, EARTH);
    couMaterialDef water = couDefaultMaterialDef();
    water.surface_tension = 0.07f;
    couMaterialId material = add_material(world, &water);
    sph_params(world)->clamp = test->clamp;
    if (test->has_area) sph_params(world)->tension = cou_tensionArea;
    add_body(world, make_tank(0.3f, 0.2f, 1, 0.1f, test->is_open), at(0, 0.1f, 0), 0);
    add_lattice(world, material, make_box(0.3f, 0.2f, 1), at(0, 0.1f, 0));
    Heard heard = {0};
    couSetLog(hear, &heard);
    prepare_world(world);
    for (int k = 0; k < 3; ++k) couWorld_Step(world, 1e-5f);
    couSetLog(NULL, NULL);
    couDestroyWorld(world);
    return heard;
}

// Solvers that pull at a free surface, once; not the others, not in a full tank; tension by area needs no pull either.
static void test_warning(void **context)
{
    (void)context;
    static const Case cases[] = {
        {"dfsph", false, true, false, 1},  {"iisph", false, true, false, 1}, {"pcisph", false, true, false, 1},
        {"dfsph", true, true, false, 0},   {"iisph", true, true, false, 0},  {"pcisph", true, true, false, 0},
        {"dfsph", false, false, false, 0}, {"dfsph", false, true, true, 1},  {"wcsph", false, true, false, 0},
    };
    for (int k = 0; k < COU_COUNT(cases); ++k) {
        Heard heard = step_tank(&cases[k]);
        if (heard.count != cases[k].expected)
            fail_msg("case %d: expected %d warnings, got %d: '%s'", k, cases[k].expected, heard.count, heard.last);
        if (!heard.count) continue;
        assert_non_null(strstr(heard.last, "10 % of the particles lie at a free surface")); // one of ten layers
        assert_non_null(strstr(heard.last, "clamp = false"));
        assert_non_null(strstr(heard.last, cases[k].method));
    }
}

// Where there are only emitters, preparation says it.
static void test_warning_of_jets(void **context)
{
    (void)context;
    for (int clamp = 0; clamp < 2; ++clamp) {
        couWorld *world = make_sph_world("iisph", 2, 0.02f, EARTH);
        sph_params(world)->clamp = clamp;
        couEmitterDef jet = couDefaultEmitterDef();
        jet.material = add_liquid(world, 1000, 0), jet.shape = make_disk(0.1f);
        add_emitter(world, &jet);
        Heard heard = {0};
        couSetLog(hear, &heard);
        prepare_world(world);
        for (int k = 0; k < 30; ++k) couWorld_Step(world, 1e-3f);
        couSetLog(NULL, NULL);
        assert_true(couWorld_Particles(world).count > 0);
        assert_int_equal(heard.count, !clamp);
        if (!clamp) assert_non_null(strstr(heard.last, "emitters make a free surface"));
        couDestroyWorld(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_share_of_a_block),
        cmocka_unit_test(test_share_of_full_domains),
        cmocka_unit_test(test_lack_of_a_flat_surface),
        cmocka_unit_test(test_surface_does_not_crowd),
        cmocka_unit_test(test_warning),
        cmocka_unit_test(test_warning_of_jets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
