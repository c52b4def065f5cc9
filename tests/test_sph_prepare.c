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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sound_below_least_step),
        cmocka_unit_test(test_viscosity_and_tension_below_least_step),
        cmocka_unit_test(test_material_that_changes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
