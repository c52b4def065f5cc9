// What preparation chooses for the SPH methods, and what it warns of.
#include "sph_test.h"

// --- Warnings ----------------------------------------------------------------------------------------------------------------

typedef struct Heard {
    int count;      // of warnings
    char last[512]; // of them
} Heard;

static void hear(void *context, couLogLevel level, const char *message)
{
    Heard *heard = context;
    if (level != cou_logWarning) return;
    heard->count++;
    snprintf(heard->last, sizeof heard->last, "%s", message);
}

static Heard prepare_and_hear(couWorld *world)
{
    Heard heard = {0};
    couSetLog(hear, &heard);
    prepare_world(world);
    couSetLog(NULL, NULL);
    return heard;
}

// "asks for steps of at most 1.23e-05 s, ... 2e-05 s, 1.6 times too long", with the numbers of the state.
static void check_warning(const Heard *heard, const char *method, const char *what, double longest, double least)
{
    char numbers[160];
    snprintf(numbers, sizeof numbers, "asks for steps of at most %.3g s, but min_step makes them %.3g s, %.1f times too long",
             longest, least, least / longest);
    if (heard->count != 1 || !strstr(heard->last, numbers) || !strstr(heard->last, what) ||
        strncmp(heard->last, method, strlen(method)) != 0)
        fail_msg("expected one warning '%s: %s %s', got %d: '%s'", method, what, numbers, heard->count, heard->last);
    assert_non_null(strstr(heard->last, "--set sph.min_step="));
}

static couWorld *make_column(const char *method, float viscosity, float tension)
{
    couWorld *world = make_sph_world(method, 2, 0.01f, EARTH);
    couMaterialDef liquid = couDefaultMaterialDef();
    liquid.viscosity = viscosity, liquid.surface_tension = tension;
    add_body(world, make_plane(0, 1, 0), COU_POSE_IDENTITY, 0);
    add_lattice(world, add_material(world, &liquid), make_box(0.1f, 0.4f, 1), at(0, 0.2f, 0));
    return world;
}

// Sound asks for less than min_step: said by the three methods that have it, with the numbers; not by the others, and not where
// the bound is kept.
static void test_sound_below_least_step(void **context)
{
    (void)context;
    for (int m = 0; m < SPH_METHODS; ++m) {
        couWorld *world = make_column(sph_methods[m], 0, 0);
        assert_int_equal(prepare_and_hear(world).count, 0);
        float sound = sph_state(world)->acoustic_step;
        sph_params(world)->min_step = isinf(sound) ? 1e-3f : 1.01f * sound;
        sph_params(world)->max_step = 2e-3f;
        Heard heard = prepare_and_hear(world);
        if (isinf(sound))
            assert_int_equal(heard.count, 0);
        else
            check_warning(&heard, sph_methods[m], "sound of ", (double)sound, (double)sph_params(world)->min_step);
        sph_params(world)->min_step = 0.99f * sound;
        if (isfinite(sound)) assert_int_equal(prepare_and_hear(world).count, 0);
        couDestroyWorld(world);
    }
}

static void test_viscosity_and_tension_below_least_step(void **context)
{
    (void)context;
    couWorld *world = make_column("dfsph", 50, 0);
    sph_params(world)->viscosity = cou_viscosityLaplacian, sph_params(world)->min_step = 1e-3f;
    Heard heard = prepare_and_hear(world);
    check_warning(&heard, "dfsph", "explicit viscosity", (double)sph_state(world)->viscous_step, (double)1e-3f);
    // Implicit viscosity has no such bound.
    sph_params(world)->viscosity = cou_viscosityImplicit;
    assert_int_equal(prepare_and_hear(world).count, 0);
    couDestroyWorld(world);

    world = make_column("iisph", 0, 100);
    sph_params(world)->tension = cou_tensionCohesion, sph_params(world)->min_step = 1e-3f;
    heard = prepare_and_hear(world);
    check_warning(&heard, "iisph", "surface tension", (double)sph_state(world)->tension_step, (double)1e-3f);
    couDestroyWorld(world);
}

// A liquid that thickens while the world runs.
static void test_material_that_changes(void **context)
{
    (void)context;
    couWorld *world = make_column("pcisph", 0, 0);
    sph_params(world)->viscosity = cou_viscosityLaplacian, sph_params(world)->min_step = 1e-3f;
    assert_int_equal(prepare_and_hear(world).count, 0);
    couFaults faults = {0};
    couMaterialDef thick = *couWorld_Material(world, couWorld_MaterialAt(world, 0));
    thick.viscosity = 50;
    Heard heard = {0};
    couSetLog(hear, &heard);
    assert_true(couWorld_SetMaterial(world, couWorld_MaterialAt(world, 0), &thick, &faults));
    couSetLog(NULL, NULL);
    check_warning(&heard, "pcisph", "explicit viscosity", (double)sph_state(world)->viscous_step, (double)1e-3f);
    couDestroyWorld(world);
}

// --- Speeds ------------------------------------------------------------------------------------------------------------------

// Liquid that is thrown has the step of its speed from the start, and the run takes that step; at rest it has the longest.
static void test_step_of_a_throw(void **context)
{
    (void)context;
    static const char *const methods[] = {"pcisph", "iisph", "dfsph"};
    for (int m = 0; m < COU_COUNT(methods); ++m) {
        couWorld *world = make_sph_world(methods[m], 2, 0.02f, NO_GRAVITY);
        couMaterialId water = add_liquid(world, 1000, 0);
        add_lattice(world, water, make_box(0.2f, 0.2f, 1), at(-0.5f, 0, 0));
        prepare_world(world);
        CHECK_NEAR(couWorld_SuggestStep(world), 0.01, 1e-8, m);
        add_jittered(world, water, make_box(0.2f, 0.2f, 1), at(0.5f, 0, 0), (couVec3){6, 8, 0}, 0);
        CHECK_NEAR(couWorld_SuggestStep(world), 2.5 * 0.4 * 0.02 / 10, 1e-8, m);
        CHECK_NEAR(couWorld_Advance(world, 0.002).dt, 0.002, 1e-8, m);
        CHECK_NEAR(couWorld_SuggestStep(world), 2.5 * 0.4 * 0.02 / 10, 1e-7, m);
        couDestroyWorld(world);
    }
}

// The lines for people say so too: the step of the start, and that of the speed that the scene will have.
static void test_choices_of_a_throw(void **context)
{
    (void)context;
    couWorld *world = make_sph_world("dfsph", 2, 0.02f, NO_GRAVITY);
    add_jittered(world, add_liquid(world, 1000, 0), make_box(0.2f, 0.2f, 1), at(0, 0, 0), (couVec3){10, 0, 0}, 0);
    prepare_world(world);
    const char *expected = "step at most 2 ms, about 0.8 ms where the liquid meets something at 10 m/s;";
    if (!strstr(couWorld_Choices(world), expected)) fail_msg("expected '%s' in '%s'", expected, couWorld_Choices(world));
    couDestroyWorld(world);
}

// Sound follows the fastest liquid, whether thrown or from a jet that begins later.
static void test_sound_of_a_throw(void **context)
{
    (void)context;
    static const char *const methods[] = {"mueller", "sesph", "wcsph"};
    const double compression[] = {0.03, 0.01, 0.005};
    for (int m = 0; m < COU_COUNT(methods); ++m)
        for (int is_jet = 0; is_jet < 2; ++is_jet) {
            couWorld *world = make_sph_world(methods[m], 2, 0.02f, NO_GRAVITY);
            couMaterialId water = add_liquid(world, 1000, 0);
            couEmitterDef jet = couDefaultEmitterDef();
            jet.material = water, jet.shape = make_disk(0.1f), jet.speed = 10, jet.start = 1;
            if (is_jet)
                add_emitter(world, &jet);
            else
                couShape_Release(jet.shape);
            couVec3 velocity = is_jet ? NO_GRAVITY : (couVec3){6, 8, 0};
            add_jittered(world, water, make_box(0.2f, 0.2f, 1), at(0, 0, 0), velocity, 0);
            prepare_world(world);
            CHECK_NEAR(couWorld_Def(world)->speed, 10, 1e-5, m);
            CHECK_NEAR(sph_state(world)->sound_speed, 10 / sqrt(compression[m]), 1e-3, m);
            CHECK_NEAR(couWorld_SuggestStep(world), 0.2 * (double)world->fluid.h / (double)sph_state(world)->sound_speed, 1e-8,
                       m);
            couDestroyWorld(world);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sound_below_least_step), cmocka_unit_test(test_viscosity_and_tension_below_least_step),
        cmocka_unit_test(test_material_that_changes),  cmocka_unit_test(test_step_of_a_throw),
        cmocka_unit_test(test_choices_of_a_throw),     cmocka_unit_test(test_sound_of_a_throw),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
