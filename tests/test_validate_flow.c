// Small versions of the validation cases of flows with exact solutions: poiseuille, couette, taylor-green, and a swinging drop.
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_poiseuille),
        cmocka_unit_test(test_couette),
        cmocka_unit_test(test_taylor_green),
        cmocka_unit_test(test_drop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
