// Small versions of the validation cases that take longest: flows with exact solutions (poiseuille, couette, taylor-green, a
// swinging drop, waves, sheared pools, films, jets), and tanks of the SPH methods that come to rest.
#include "validate_test.h"

static void test_poiseuille(void **context)
{
    (void)context;
    run_small_for("wcsph", "poiseuille", "", 6);
    run_small_for("dfsph", "poiseuille", "", 6);
}

static void test_couette(void **context)
{
    (void)context;
    run_small_for("wcsph", "couette", "", 6);
    run_small_for("dfsph", "couette", "", 6);
}

static void test_taylor_green(void **context)
{
    (void)context;
    run_small_for("wcsph", "taylor-green", "", 6);
    run_small_for("dfsph", "taylor-green", "", 6);
}

static void test_drop(void **context)
{
    (void)context;
    run_small_for("mueller", "drop", "disc, R = 12 d: smallest distance", 1); // Laplace's law does not hold yet
    run_small_for("mueller", "drop", "ball, R = 8 d: frequency", 1);
}

// A small tank is too coarse for the tolerance on its height, and the incompressible methods do not come quite to rest.
static void test_sph_hydrostatic(void **context)
{
    (void)context;
    run_small_for("wcsph", "hydrostatic", "mean force on the bottom", 1);
    run_small_for("iisph", "hydrostatic", "mean force on the bottom", 1);
    run_small_for("dfsph", "hydrostatic", "mean force on the bottom", 1);
}

// Calm water locks: of these cases only the rows that hold are asked for, and that the others are measured.
static void test_wave(void **context)
{
    (void)context;
    run_small_for("dfsph", "wave", "d = 1/40 m, 20 mm: height kept", 1);
    run_small_for("iisph", "wave", "d = 1/40 m, 20 mm: loss of height", 1);
    run_small_for("pvfs", "wave", "", 4);
}

static void test_shear(void **context)
{
    (void)context;
    run_small_for("dfsph", "shear", "box", 2);
    run_small_for("wcsph", "shear", "box", 2);
    run_small_for("pvfs", "shear", "pool", 3);
}

static void test_film(void **context)
{
    (void)context;
    run_small_for("dfsph", "film", "10 Pa s, 8 layers: speed at the floor", 1);
    run_small_for("wcsph", "film", "10 Pa s, 8 layers: speed at the floor", 1);
}

static void test_held(void **context)
{
    (void)context;
    static const char *const methods[] = {"pcisph", "iisph", "dfsph"};
    for (int m = 0; m < 3; ++m) run_small_for(methods[m], "held", "2D, box", 2);
}

static void test_jet(void **context)
{
    (void)context;
    run_small_for("pvfs", "jet", "hole of 12 d: discharge", 1);
}

static void test_settling(void **context)
{
    (void)context;
    run_small_for("pvfs", "settling", "", 3);
}

static void test_levitation(void **context)
{
    (void)context;
    run_small_for("dfsph", "levitation", "", 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_poiseuille),
        cmocka_unit_test(test_couette),
        cmocka_unit_test(test_taylor_green),
        cmocka_unit_test(test_drop),
        cmocka_unit_test(test_sph_hydrostatic),
        cmocka_unit_test(test_wave),
        cmocka_unit_test(test_shear),
        cmocka_unit_test(test_film),
        cmocka_unit_test(test_held),
        cmocka_unit_test(test_jet),
        cmocka_unit_test(test_settling),
        cmocka_unit_test(test_levitation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
