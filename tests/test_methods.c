// The list of methods: all are whole, their names and tables are found, and gaps are named.
#include "testing.h"

static int count_methods(void)
{
    int count = 0;
    while (couMethodNames()[count]) ++count;
    return count;
}

static void test_no_gaps(void **context)
{
    (void)context;
    assert_int_equal(count_methods(), 7);
    for (const char *const *name = couMethodNames(); *name; ++name) {
        const couMethod *method = couFindMethod(*name);
        assert_non_null(method);
        const char *gap = couMethod_FindGap(method);
        if (gap) fail_msg("%s lacks %s", *name, gap);
    }
}

static void check_gap(couMethod method, const char *expected)
{
    const char *gap = couMethod_FindGap(&method);
    if (!gap || strcmp(gap, expected) != 0) fail_msg("expected a lack of %s, got %s", expected, gap ? gap : "none");
}

static void test_gaps_are_named(void **context)
{
    (void)context;
    static const couPhaseEntry no_phases[] = {{cou_phaseCount, NULL, COU_NOT_COUNTED}};
    for (const char *const *name = couMethodNames(); *name; ++name) {
        const couMethod whole = *couFindMethod(*name);
        couMethod method;
#define CHECK_GAP(member, value, part) method = whole, method.member = value, check_gap(method, part)
        CHECK_GAP(name, NULL, "name");
        CHECK_GAP(name, "", "name");
        CHECK_GAP(help, NULL, "help");
        CHECK_GAP(help, "", "help");
        CHECK_GAP(params, NULL, "params");
        CHECK_GAP(params_bytes, 0, "params");
        CHECK_GAP(phases, NULL, "phases");
        CHECK_GAP(phases, no_phases, "phases");
        CHECK_GAP(support_ratio, NULL, "support_ratio");
        CHECK_GAP(prepare, NULL, "prepare");
        CHECK_GAP(suggest_step, NULL, "suggest_step");
        CHECK_GAP(height_error, NULL, "height_error");
        CHECK_GAP(materials_changed, NULL, "materials_changed");
        CHECK_GAP(contact_radius, 0.0f, "contact_radius");
        CHECK_GAP(contact_radius, -1.0f, "contact_radius");
        CHECK_GAP(contact_radius, NAN, "contact_radius");
        CHECK_GAP(traits.claims, 0, "claims");
        // What is optional is no gap.
        method = whole;
        method.init = NULL, method.free = NULL, method.lend = NULL, method.weights = NULL, method.fill = NULL;
        method.state_bytes = 0, method.sph = NULL, method.has_contact_pushes = false;
        assert_null(couMethod_FindGap(&method));
    }
}

static void test_names(void **context)
{
    (void)context;
    const char *const *names = couMethodNames();
    for (int m = 0; names[m]; ++m) {
        assert_true(strlen(names[m]) > 0 && strlen(names[m]) < COU_NAME_SIZE); // fits into couWorldDef.method
        for (int k = 0; k < m; ++k) assert_string_not_equal(names[m], names[k]);
        const couMethod *method = couFindMethod(names[m]);
        assert_string_equal(method->name, names[m]);
        assert_ptr_equal(couFindMethodTraits(names[m]), &method->traits);
        assert_ptr_equal(couMethodParams(names[m]), method->params);
        assert_ptr_equal(couMethodHelp(names[m]), method->help);
    }
    static const char *const unknown[] = {"", "pvf", "pvfss", "PVFS", "sph ", "world", "Dfsph"};
    for (int k = 0; k < COU_COUNT(unknown); ++k) {
        assert_null(couFindMethod(unknown[k]));
        assert_null(couFindMethodTraits(unknown[k]));
        assert_null(couMethodHelp(unknown[k]));
        assert_null(couMethodParams(unknown[k]));
    }
    // A family has parameters, but is no method.
    assert_non_null(couMethodParams("sph"));
    assert_ptr_equal(couMethodParams("sph"), couMethodParams("dfsph"));
    assert_null(couFindMethod("sph"));
    assert_null(couMethodHelp("sph"));
    assert_null(couFindMethodTraits("sph"));
}

// Each method and each family once.
static void test_table_names(void **context)
{
    (void)context;
    const char *const *tables = couMethodTableNames();
    int count = 0;
    for (; tables[count]; ++count) {
        assert_non_null(couMethodParams(tables[count]));
        for (int k = 0; k < count; ++k) assert_string_not_equal(tables[count], tables[k]);
    }
    assert_int_equal(count, count_methods() + 1);
    for (const char *const *name = couMethodNames(); *name; ++name) {
        const char *wanted[] = {*name, couMethodParams(*name)->name};
        for (int w = 0; w < 2; ++w) {
            int found = 0;
            for (int k = 0; k < count; ++k) found += strcmp(tables[k], wanted[w]) == 0;
            if (found != 1) fail_msg("'%s' is listed %d times", wanted[w], found);
        }
    }
}

static void test_phases(void **context)
{
    (void)context;
    for (const char *const *name = couMethodNames(); *name; ++name) {
        const couPhaseEntry *entry = couFindMethod(*name)->phases;
        bool has_pressure = false, has_neighbors = false;
        int count = 0;
        for (; entry[count].function; ++count) {
            assert_true(count < 64); // it ends
            if (!(entry[count].phase < cou_phaseCount)) fail_msg("%s: phase %d is %d", *name, count, (int)entry[count].phase);
            has_pressure |= entry[count].phase == cou_phasePressure;
            has_neighbors |= entry[count].phase == cou_phaseNeighbors;
        }
        assert_int_equal(entry[count].phase, cou_phaseCount);
        assert_true(has_pressure && has_neighbors);
    }
    for (int p = 0; p < cou_phaseCount; ++p) // each has a name of its own
        for (int k = 0; k < p; ++k) assert_string_not_equal(couPhaseName((couPhase)p), couPhaseName((couPhase)k));
    assert_string_equal(couPhaseName(cou_phaseCount), "?");
}

// The traits say what the rest of the method does.
static void test_traits(void **context)
{
    (void)context;
    for (const char *const *name = couMethodNames(); *name; ++name) {
        const couMethodTraits *traits = couFindMethodTraits(*name);
        couFaults faults = {0};
        couWorldDef def = couDefaultWorldDef();
        snprintf(def.method, sizeof def.method, "%s", *name);
        def.threads = 1;
        couWorld *world = couCreateWorld(&def, &faults);
        CHECK_NO_FAULTS(&faults);
        assert_int_equal(couWorld_Particles(world).pressure || world->fluid.pressure_column >= 0, traits->has_pressure);
        couDestroyWorld(world);
        def.period = (couVec3){1, 0, 0};
        world = couCreateWorld(&def, &faults);
        assert_int_equal(world != NULL, traits->has_periods);
        assert_int_equal(faults.count, traits->has_periods ? 0 : 1);
        couFaults_Clear(&faults);
        couDestroyWorld(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_gaps),     cmocka_unit_test(test_gaps_are_named), cmocka_unit_test(test_names),
        cmocka_unit_test(test_table_names), cmocka_unit_test(test_phases),         cmocka_unit_test(test_traits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
