// The step report: what becomes of each number when steps are put together, and when the run must stop.
#include "testing.h"

// --- Every field by hand -----------------------------------------------------------------------------------------------------

// The sum of an advance so far and a later step, both of one number.
#define COMBINED(field, first, second) \
    ({ \
        couStepReport all = {.substeps = 1}, later = {.substeps = 1}; \
        all.field = first, later.field = second; \
        couStepReport_Add(&all, &later); \
        (double)all.field; \
    })
#define CHECK_SUM(field) CHECK_NEAR(COMBINED(field, 5, 3), 8, 0, 0)
#define CHECK_LAST(field) CHECK_NEAR(COMBINED(field, 5, 3), 3, 0, 0), CHECK_NEAR(COMBINED(field, 3, 5), 5, 0, 0)
#define CHECK_LARGEST(field) CHECK_NEAR(COMBINED(field, 5, 3), 5, 0, 0), CHECK_NEAR(COMBINED(field, 3, 5), 5, 0, 0)
#define CHECK_SMALLEST(field) CHECK_NEAR(COMBINED(field, 5, 3), 3, 0, 0), CHECK_NEAR(COMBINED(field, 3, 5), 3, 0, 0)

static void check_is_out_of_memory(void)
{
    for (int a = 0; a < 2; ++a)
        for (int b = 0; b < 2; ++b) CHECK_NEAR(COMBINED(is_out_of_memory, a, b), a || b, 0, 0);
}

static void check_bad_body(void)
{
    static const couBodyId none = {0, 0}, one = {3, 1}, other = {2, 9};
    static const couBodyId cases[][3] = {
        {none, none, none}, {none, one, one}, {one, none, one}, {one, other, one}, {other, one, other}};
    for (int k = 0; k < COU_COUNT(cases); ++k) {
        couStepReport all = {.bad_body = cases[k][0]}, later = {.bad_body = cases[k][1]};
        couStepReport_Add(&all, &later);
        assert_int_equal(all.bad_body.index1, cases[k][2].index1);
        assert_int_equal(all.bad_body.generation, cases[k][2].generation);
    }
}

static void check_bad_solid(void)
{
    static const couSolidId none = {0, 0}, one = {3, 1}, other = {2, 9};
    static const couSolidId cases[][3] = {
        {none, none, none}, {none, one, one}, {one, none, one}, {one, other, one}, {other, one, other}};
    for (int k = 0; k < COU_COUNT(cases); ++k) {
        couStepReport all = {.bad_solid = cases[k][0]}, later = {.bad_solid = cases[k][1]};
        couStepReport_Add(&all, &later);
        assert_int_equal(all.bad_solid.index1, cases[k][2].index1);
        assert_int_equal(all.bad_solid.generation, cases[k][2].generation);
    }
}

static void check_phase_seconds(void)
{
    for (int p = 0; p < cou_phaseCount; ++p) CHECK_SUM(phase_seconds[p]);
}

#define RULE(field, RULE) \
    static void check_##field(void) { CHECK_##RULE(field); }
RULE(substeps, SUM)
RULE(dt, LAST)
RULE(iterations, SUM)
RULE(divergence_iterations, SUM)
RULE(viscosity_iterations, SUM)
RULE(unconverged_count, SUM)
RULE(solver_error, LAST)
RULE(density_error_mean, LAST)
RULE(density_error_max, LARGEST)
RULE(max_speed, LARGEST)
RULE(emitted, SUM)
RULE(removed, SUM)
RULE(nan_count, SUM)
RULE(lost_count, SUM)
RULE(first_bad_id, SMALLEST)
RULE(crowded_count, SUM)
RULE(guard_count, SUM)
RULE(trapped_count, SUM)
RULE(clamped_count, SUM)
RULE(unstable_step, LARGEST)
RULE(runaway_speed, LARGEST)
RULE(allowed_speed, LARGEST)
RULE(contact_count, SUM)
RULE(inverted_count, LARGEST)
RULE(solid_substeps, SUM)
RULE(pair_count, SUM)
RULE(particle_steps, SUM)

// In the order of the struct.
#define FIELDS(X) \
    X(substeps) \
    X(dt) \
    X(iterations) \
    X(divergence_iterations) \
    X(viscosity_iterations) \
    X(unconverged_count) \
    X(solver_error) \
    X(density_error_mean) \
    X(density_error_max) \
    X(max_speed) \
    X(emitted) \
    X(removed) \
    X(is_out_of_memory) \
    X(nan_count) \
    X(lost_count) \
    X(first_bad_id) \
    X(crowded_count) \
    X(guard_count) \
    X(trapped_count) \
    X(clamped_count) \
    X(unstable_step) \
    X(runaway_speed) \
    X(allowed_speed) \
    X(contact_count) \
    X(bad_body) \
    X(bad_solid) \
    X(inverted_count) \
    X(solid_substeps) \
    X(phase_seconds) \
    X(pair_count) \
    X(particle_steps)

typedef struct Field {
    const char *name;
    void (*check)(void);
    size_t offset, size;
} Field;
#define ROW(field) {#field, check_##field, offsetof(couStepReport, field), sizeof(((couStepReport *)0)->field)},
static const Field fields[] = {FIELDS(ROW)};

static void test_rules(void **context)
{
    (void)context;
    for (int f = 0; f < COU_COUNT(fields); ++f) {
        print_message("  %s\n", fields[f].name); // the last one is who failed
        fields[f].check();
    }
}

// A number changes nothing but itself.
static void test_fields_are_apart(void **context)
{
    (void)context;
    for (int f = 0; f < COU_COUNT(fields); ++f) {
        couStepReport all, later, before;
        memset(&all, 0, sizeof all), memset(&later, 0, sizeof later);
        all.substeps = 1;
        before = all;
        memset((char *)&later + fields[f].offset, 1, fields[f].size); // sums, and is larger than 0
        couStepReport_Add(&all, &later);
        for (size_t k = 0; k < sizeof all; ++k) {
            bool is_own = k >= fields[f].offset && k < fields[f].offset + fields[f].size;
            if (!is_own && ((char *)&all)[k] != ((char *)&before)[k]) fail_msg("%s changed byte %zu", fields[f].name, k);
        }
    }
}

// The next word of C that is a declared name: what stands before a ; , or [ of the struct, comments left out.
static const char *next_member(const char *at, char *name, size_t size)
{
    char word[64] = "";
    size_t length = 0;
    bool is_inside = false; // of a bound
    for (; *at && *at != '}'; ++at) {
        if (at[0] == '/' && at[1] == '/') at = strchr(at, '\n');
        bool is_letter = (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') || (*at >= '0' && *at <= '9') || *at == '_';
        if (*at == ']') is_inside = false;
        if (is_inside) continue;
        if (is_letter && length + 1 < sizeof word) {
            bool begins = !(at[-1] == '_' || (at[-1] >= '0' && at[-1] <= '9') || (at[-1] >= 'a' && at[-1] <= 'z') ||
                            (at[-1] >= 'A' && at[-1] <= 'Z'));
            if (begins) length = 0;
            word[length++] = *at, word[length] = 0;
        }
        if ((*at == ';' || *at == ',') && length) {
            snprintf(name, size, "%s", word);
            return at + 1;
        }
        if (*at == '[') is_inside = true;
    }
    return NULL;
}

// Whoever adds a field to the struct meets this test, and then the rules above.
static void test_no_field_is_forgotten(void **context)
{
    (void)context;
    FILE *file = fopen(COU_SOURCE_DIR "/include/coulis/world.h", "r");
    assert_non_null(file);
    static char text[1 << 17];
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    assert_true(feof(file));
    fclose(file);
    const char *at = strstr(text, "typedef struct couStepReport {");
    assert_non_null(at);
    at = strchr(at, '{') + 1;
    char name[64];
    int count = 0;
    for (; (at = next_member(at, name, sizeof name)); ++count) {
        if (count == COU_COUNT(fields)) fail_msg("the header has a field '%s' more than this test", name);
        if (strcmp(name, fields[count].name) != 0)
            fail_msg("field %d: expected '%s', got '%s' in the header", count, fields[count].name, name);
    }
    assert_int_equal(count, COU_COUNT(fields));
}

// A zeroed report is a good beginning of a sum.
static void test_sum_from_nothing(void **context)
{
    (void)context;
    couStepReport all = {0}, good = {.substeps = 1, .first_bad_id = UINT32_MAX},
                  bad = {.substeps = 1, .nan_count = 2, .first_bad_id = 7};
    couStepReport_Add(&all, &good);
    assert_int_equal(all.first_bad_id, UINT32_MAX);
    couStepReport_Add(&all, &bad);
    couStepReport_Add(&all, &good);
    assert_int_equal(all.substeps, 3);
    assert_int_equal(all.nan_count, 2);
    assert_int_equal(all.first_bad_id, 7);
}

static void test_failure(void **context)
{
    (void)context;
    couStepReport fine;
    for (int f = 0; f < COU_COUNT(fields); ++f) {
        static const char *const causes[] = {"is_out_of_memory", "nan_count", "lost_count", "bad_body", "bad_solid"};
        bool is_cause = false;
        for (int c = 0; c < COU_COUNT(causes); ++c) is_cause |= strcmp(fields[f].name, causes[c]) == 0;
        memset(&fine, 0, sizeof fine);
        assert_false(couStepReport_HasFailed(&fine));
        memset((char *)&fine + fields[f].offset, 1, fields[f].size);
        if (couStepReport_HasFailed(&fine) != is_cause) fail_msg("%s: expected %d, got %d", fields[f].name, is_cause, !is_cause);
    }
}

// --- Of worlds ---------------------------------------------------------------------------------------------------------------

// A small tank in 2D with liquid, a free body that falls on it, a jet and a drain.
static couWorld *make_tank_world(const char *method)
{
    couFaults faults = {0};
    couWorldDef def = couDefaultWorldDef();
    snprintf(def.method, sizeof def.method, "%s", method);
    def.dimension = 2, def.spacing = 0.02f, def.threads = 1;
    couWorld *world = couCreateWorld(&def, &faults);
    couMaterialId liquid = add_liquid(world, 1000, 0.01f);
    add_body(world, make_tank(0.6f, 0.8f, 1, 0.1f, true), at(0, 0.4f, 0), 0);
    add_fluid(world, liquid, make_box(0.56f, 0.2f, 1), at(0, 0.12f, 0), NO_GRAVITY);
    couBodyDef body = couDefaultBodyDef();
    body.shape = make_box(0.1f, 0.1f, 0.1f), body.pose = at(0.1f, 0.3f, 0), body.is_dynamic = true, body.density = 500;
    assert_true(couWorld_AddBody(world, &body, &faults).index1);
    body.pose = at(0.12f, 0.405f, 0); // and one on top of it: they touch
    assert_true(couWorld_AddBody(world, &body, &faults).index1);
    couShape_Release(body.shape);
    couEmitterDef jet = couDefaultEmitterDef();
    jet.material = liquid, jet.shape = make_disk(0.05f), jet.pose = turned(-0.2f, 0.6f, 0, (float)COU_PI), jet.speed = 1.5f;
    add_emitter(world, &jet);
    couSinkDef sink = couDefaultSinkDef();
    sink.shape = make_box(0.1f, 0.06f, 1), sink.pose = at(-0.25f, 0.03f, 0);
    assert_true(couWorld_AddSink(world, &sink, &faults).index1);
    couShape_Release(sink.shape);
    CHECK_NO_FAULTS(&faults);
    prepare_world(world);
    return world;
}

#define CHECK_EQUAL(field) \
    if (a->field != b->field) fail_msg("%s: %s: expected %g, got %g", what, #field, (double)a->field, (double)b->field)

static void check_equal(const char *what, const couStepReport *a, const couStepReport *b)
{
    CHECK_EQUAL(substeps);
    CHECK_EQUAL(dt);
    CHECK_EQUAL(iterations);
    CHECK_EQUAL(divergence_iterations);
    CHECK_EQUAL(viscosity_iterations);
    CHECK_EQUAL(unconverged_count);
    CHECK_EQUAL(solver_error);
    CHECK_EQUAL(density_error_mean);
    CHECK_EQUAL(density_error_max);
    CHECK_EQUAL(max_speed);
    CHECK_EQUAL(emitted);
    CHECK_EQUAL(removed);
    CHECK_EQUAL(is_out_of_memory);
    CHECK_EQUAL(nan_count);
    CHECK_EQUAL(lost_count);
    CHECK_EQUAL(first_bad_id);
    CHECK_EQUAL(crowded_count);
    CHECK_EQUAL(guard_count);
    CHECK_EQUAL(trapped_count);
    CHECK_EQUAL(clamped_count);
    CHECK_EQUAL(unstable_step);
    CHECK_EQUAL(runaway_speed);
    CHECK_EQUAL(allowed_speed);
    CHECK_EQUAL(contact_count);
    CHECK_EQUAL(bad_body.index1);
    CHECK_EQUAL(pair_count);
    CHECK_EQUAL(particle_steps);
}

// Of a method with equal steps.
static void test_advance_is_its_steps(void **context)
{
    (void)context;
    couWorld *world = make_tank_world("pvfs"), *twin = make_tank_world("pvfs");
    couStepReport total = {0};
    for (int frame = 0; frame < 6; ++frame) {
        const double seconds = 1.0 / 30;
        couStepReport advanced = couWorld_Advance(world, seconds), summed = {0};
        assert_true(advanced.substeps > 1);
        for (int s = 0; s < advanced.substeps; ++s) {
            couStepReport own = couWorld_Step(twin, (float)(seconds / advanced.substeps));
            assert_int_equal(own.substeps, 1);
            couStepReport_Add(&summed, &own);
        }
        check_equal("pvfs", &summed, &advanced);
        couStepReport_Add(&total, &advanced);
        double spent = 0;
        for (int p = 0; p < cou_phaseCount; ++p) spent += advanced.phase_seconds[p];
        assert_true(spent > 0);
    }
    // The comparison was one of numbers, not of zeros.
    assert_true(total.iterations > 0 && total.emitted > 0 && total.removed > 0 && total.contact_count > 0 &&
                total.pair_count > 0);
    assert_int_equal(total.substeps, couWorld_StepCount(world));
    couDestroyWorld(world);
    couDestroyWorld(twin);
}

// Of one that chooses its steps: an advance that is one step.
static void test_short_advance_is_a_step(void **context)
{
    (void)context;
    couWorld *world = make_tank_world("dfsph"), *twin = make_tank_world("dfsph");
    couStepReport total = {0};
    for (int k = 0; k < 100; ++k) {
        const float dt = 2e-4f;
        couStepReport advanced = couWorld_Advance(world, dt), stepped = couWorld_Step(twin, dt);
        assert_int_equal(advanced.substeps, 1);
        check_equal("dfsph", &stepped, &advanced);
        couStepReport_Add(&total, &advanced);
    }
    assert_true(total.iterations > 0 && total.divergence_iterations > 0 && total.emitted > 0 && total.removed > 0);
    couDestroyWorld(world);
    couDestroyWorld(twin);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rules),
        cmocka_unit_test(test_fields_are_apart),
        cmocka_unit_test(test_no_field_is_forgotten),
        cmocka_unit_test(test_sum_from_nothing),
        cmocka_unit_test(test_failure),
        cmocka_unit_test(test_advance_is_its_steps),
        cmocka_unit_test(test_short_advance_is_a_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
