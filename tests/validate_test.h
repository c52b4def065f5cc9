// A validation case in its small version, for tests.
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "validate/validate.h"

#include <stdlib.h>
#include <string.h>

// Runs one case small; every check whose quantity begins with `prefix` must pass, and there must be `least` of them.
static void run_small_for(const char *method, const char *name, const char *prefix, int least)
{
    int count, matching = 0;
    const couCase *cases = couCases(&count), *which = NULL;
    for (int k = 0; k < count; ++k)
        if (strcmp(cases[k].name, name) == 0) which = &cases[k];
    assert_non_null(which);
    couChecks checks = {0};
    couTrial trial = {.method = method, .is_small = true, .threads = 1, .checks = &checks};
    bool is_finished = couRunCase(which, &trial);
    for (int k = 0; k < trial.faults.count; ++k)
        print_message("%s: %s: %s\n", name, trial.faults.items[k].key, trial.faults.items[k].message);
    couFaults_Clear(&trial.faults);
    bool is_good = true;
    for (int k = 0; k < checks.count; ++k) {
        const couCheck *check = &checks.items[k];
        if (strncmp(check->quantity, prefix, strlen(prefix)) != 0) continue;
        ++matching;
        is_good = is_good && check->is_passed;
        print_message("%s, %s: %s: %g %s, expected %g, tolerance %g: %s\n", name, method, check->quantity, check->measured,
                      check->unit, check->reference, check->tolerance, check->is_passed ? "pass" : "FAIL");
    }
    free(checks.items);
    assert_true(is_finished);
    assert_true(matching >= least);
    assert_true(is_good);
}
