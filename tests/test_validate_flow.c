// Small versions of the validation cases that take longest: flows with exact solutions (poiseuille, couette, taylor-green, a
// swinging drop), and tanks of the SPH methods that come to rest.
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
    run_small_for("mueller", "drop", "", 5);
}

// A small tank is too coarse for the tolerance on its height, and the incompressible methods do not come quite to rest.
static void test_sph_hydrostatic(void **context)
{
    (void)context;
    run_small_for("wcsph", "hydrostatic", "mean force on the bottom", 1);
    run_small_for("wcsph", "hydrostatic", "resting water: kinetic energy", 1);
    run_small_for("iisph", "hydrostatic", "mean force on the bottom", 1);
    run_small_for("dfsph", "hydrostatic", "mean force on the bottom", 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_poiseuille), cmocka_unit_test(test_couette),         cmocka_unit_test(test_taylor_green),
        cmocka_unit_test(test_drop),       cmocka_unit_test(test_sph_hydrostatic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
