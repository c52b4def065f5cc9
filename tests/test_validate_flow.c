// Small versions of the validation cases of flows with exact solutions: poiseuille, couette, taylor-green, and a swinging drop.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "app/validate.h"

#include <stdlib.h>
#include <string.h>

// Runs one case small; every check must pass, and there must be `least` of them.
static void run_small(const char *name, const char *method, int least)
{
    int count, failed = 0;
    const couCase *cases = couCases(&count), *which = NULL;
    for (int k = 0; k < count; ++k)
        if (strcmp(cases[k].name, name) == 0) which = &cases[k];
    assert_non_null(which);
    couChecks checks = {0};
    couTrial trial = {.method = method, .is_small = true, .threads = 1, .checks = &checks};
    trial.progress = couStartProgress("part", 0, 1000, true);
    bool is_finished = couRunCase(which, &trial);
    couPrintFaults(&trial.faults);
    couFaults_Clear(&trial.faults);
    for (int k = 0; k < checks.count; ++k) {
        const couCheck *check = &checks.items[k];
        failed += !check->is_passed;
        print_message("%s (%s): %s: %g %s, expected %g, tolerance %g: %s\n", name, method, check->quantity, check->measured,
                      check->unit, check->reference, check->tolerance, check->is_passed ? "pass" : "FAIL");
    }
    int total = checks.count;
    free(checks.items);
    assert_true(is_finished);
    assert_true(total >= least);
    assert_int_equal(failed, 0);
}

static void test_poiseuille(void **context)
{
    (void)context;
    run_small("poiseuille", "wcsph", 6);
    run_small("poiseuille", "dfsph", 6);
}

static void test_couette(void **context)
{
    (void)context;
    run_small("couette", "wcsph", 6);
    run_small("couette", "dfsph", 6);
}

static void test_taylor_green(void **context)
{
    (void)context;
    run_small("taylor-green", "wcsph", 6);
    run_small("taylor-green", "dfsph", 6);
}

static void test_drop(void **context)
{
    (void)context;
    run_small("drop", "mueller", 5);
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
