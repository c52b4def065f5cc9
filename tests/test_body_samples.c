// Samples of bodies: they follow the bodies that come, go and take each other's places.
#include "sph_test.h"

static const float spacing = 0.04f;

typedef enum Company { ALONE, WITH_FLOOR, WITH_FREE_BODY, WITH_BOTH, COMPANIES } Company;

// What others come and go beside: what does not move is placed once, floors grow, and free bodies are placed in every step.
static couWorld *make_place(Company company)
{
    couFaults faults = {0};
    couWorld *world = make_sph_world("dfsph", 3, spacing, NO_GRAVITY);
    add_liquid(world, 1000, 0);
    couVec3 near_floor = {3, 0.03f, 0};
    assert_true(couWorld_AddParticles(world, couWorld_MaterialAt(world, 0), &near_floor, NULL, 1, &faults));
    if (company == WITH_FLOOR || company == WITH_BOTH) add_body(world, make_plane(0, 1, 0), COU_POSE_IDENTITY, 0);
    if (company == WITH_FREE_BODY || company == WITH_BOTH) {
        couBodyDef def = couDefaultBodyDef();
        def.shape = make_sphere(0.1f), def.pose = at(-5, 5, 0), def.is_dynamic = true, def.velocity = (couVec3){0, 1, 0};
        assert_true(couWorld_AddBody(world, &def, &faults).index1);
        couShape_Release(def.shape);
    }
    CHECK_NO_FAULTS(&faults);
    return world;
}

static void step(couWorld *world)
{
    couStepReport report = couWorld_Step(world, 0.001f);
    assert_false(couStepReport_HasFailed(&report));
}

// How many samples a sphere has by itself.
static size_t count_alone(float radius)
{
    couWorld *world = make_place(ALONE);
    add_body(world, make_sphere(radius), at(0, 5, 0), 0);
    step(world);
    size_t count = world->fluid.boundary.table.count;
    couDestroyWorld(world);
    return count;
}

// The body's samples are those of a sphere around a centre, as many as it has by itself; radius 0: it has none.
static void check_sphere(const couWorld *world, couBodyId body, couVec3 center, float radius, const char *what, int company)
{
    const couBoundary *boundary = &world->fluid.boundary;
    size_t count = 0, expected = radius > 0.0f ? count_alone(radius) : 0;
    for (size_t k = 0; k < boundary->table.count; ++k) {
        if (couBoundary_Body(boundary)[k] != (uint32_t)body.index1 - 1) continue;
        float distance = couLength(couSub(couXyz(couBoundary_Position(boundary)[k]), center));
        if (distance > radius || distance < radius - 2 * spacing)
            fail_msg("%s, company %d: a sample %g m from the centre of a sphere of %g m", what, company, distance, radius);
        ++count;
    }
    if (count != expected) fail_msg("%s, company %d: expected %zu samples, got %zu", what, company, expected, count);
}

static void test_place_is_taken(void **context)
{
    (void)context;
    assert_true(count_alone(0.3f) > 2 * count_alone(0.15f));
    for (Company company = 0; company < COMPANIES; ++company)
        for (int is_gone_for_steps = 0; is_gone_for_steps < 3; ++is_gone_for_steps) {
            couWorld *world = make_place(company);
            couVec3 center = {0, 5, 0}, other = {1, 5, 0};
            couBodyId big = add_body(world, make_sphere(0.3f), at(0, 5, 0), 0);
            for (int k = 0; k < 2; ++k) step(world);
            check_sphere(world, big, center, 0.3f, "the first", company);
            couWorld_RemoveBody(world, big);
            for (int k = 0; k < is_gone_for_steps; ++k) {
                step(world);
                check_sphere(world, big, center, 0, "removed", company);
            }
            couBodyId small = add_body(world, make_sphere(0.15f), at(1, 5, 0), 0);
            assert_int_equal(small.index1, big.index1);
            for (int k = 0; k < 2; ++k) {
                step(world);
                check_sphere(world, small, other, 0.15f, "its successor", company);
            }
            couWorld_RemoveBody(world, small);
            couBodyId third = add_body(world, make_sphere(0.3f), at(0, 5, 0), 0);
            step(world);
            check_sphere(world, third, center, 0.3f, "the third", company);
            couDestroyWorld(world);
        }
}

// A body that a loaded state brings back has its samples again.
static void test_body_is_back(void **context)
{
    (void)context;
    for (Company company = 0; company < COMPANIES; ++company) {
        couWorld *world = make_place(company);
        couFaults faults = {0};
        couBodyId body = add_body(world, make_sphere(0.2f), at(0, 5, 0), 0);
        step(world);
        couState state = {0};
        assert_true(couWorld_SaveState(world, &state));
        couWorld_RemoveBody(world, body);
        step(world);
        check_sphere(world, body, (couVec3){0, 5, 0}, 0, "removed", company);
        assert_true(couWorld_LoadState(world, &state, &faults));
        CHECK_NO_FAULTS(&faults);
        step(world);
        check_sphere(world, body, (couVec3){0, 5, 0}, 0.2f, "back", company);
        couState_Clear(&state);
        couDestroyWorld(world);
    }
}

// Parameters that samples depend on act from the next step on, as in a world that had them from the beginning.
static void test_params_change(void **context)
{
    (void)context;
    static const char *const settings[][2] = {{"sph.boundary_layers", "1"}, {"sph.boundary_layers", "3"}, {"sph.support", "2.5"}};
    for (Company company = 0; company < COMPANIES; ++company)
        for (int k = 0; k < COU_COUNT(settings); ++k) {
            couFaults faults = {0};
            couWorld *changed = make_place(company), *fresh = make_place(company);
            add_body(changed, make_sphere(0.2f), at(0, 5, 0), 0), add_body(fresh, make_sphere(0.2f), at(0, 5, 0), 0);
            assert_true(couWorld_SetParam(fresh, settings[k][0], settings[k][1], &faults));
            step(changed), step(fresh);
            assert_true(couWorld_SetParam(changed, settings[k][0], settings[k][1], &faults));
            step(changed), step(fresh);
            CHECK_NO_FAULTS(&faults);
            const couBoundary *got = &changed->fluid.boundary, *expected = &fresh->fluid.boundary;
            double volume = 0, expected_volume = 0;
            for (size_t i = 0; i < got->table.count; ++i) volume += couBoundary_Position(got)[i].w;
            for (size_t i = 0; i < expected->table.count; ++i) expected_volume += couBoundary_Position(expected)[i].w;
            if (got->table.count != expected->table.count || fabs(volume - expected_volume) > 1e-6 * expected_volume)
                fail_msg("company %d, %s = %s: expected %zu samples of %g volumes, got %zu of %g", company, settings[k][0],
                         settings[k][1], expected->table.count, expected_volume, got->table.count, volume);
            couDestroyWorld(changed);
            couDestroyWorld(fresh);
        }
}

// Where the samples of a body are on the average, and the fastest of them.
static couVec3 mean_of_samples(const couWorld *world, couBodyId body, float *fastest)
{
    const couBoundary *boundary = &world->fluid.boundary;
    couVec3 sum = {0};
    size_t count = 0;
    *fastest = 0.0f;
    for (size_t k = 0; k < boundary->table.count; ++k) {
        if (couBoundary_Body(boundary)[k] != (uint32_t)body.index1 - 1) continue;
        sum = couAdd(sum, couXyz(couBoundary_Position(boundary)[k]));
        *fastest = COU_MAX(*fastest, couLength(couXyz(couBoundary_Velocity(boundary)[k])));
        ++count;
    }
    assert_true(count > 0);
    return couScale(1.0f / (float)count, sum);
}

// A flying body that is fixed has its samples where it stops, and at rest.
static void test_fixed_in_flight(void **context)
{
    (void)context;
    couFaults faults = {0};
    couWorld *world = make_place(ALONE);
    couBodyDef def = couDefaultBodyDef();
    def.shape = make_sphere(0.1f), def.pose = at(0, 1, 0), def.is_dynamic = true, def.velocity = (couVec3){10, 0, 0};
    couBodyId body = couWorld_AddBody(world, &def, &faults);
    couShape_Release(def.shape);
    float fastest;
    for (int k = 0; k < 3; ++k) step(world);
    couVec3 placed_at = world->bodies.items[body.index1 - 1].start.position;
    couVec3 offset = couSub(mean_of_samples(world, body, &fastest), placed_at);
    CHECK_NEAR(fastest, 10, 1e-3, 0);
    assert_true(couWorld_SetBodyDynamic(world, body, false, &faults));
    CHECK_NO_FAULTS(&faults);
    step(world);
    couVec3 now = couSub(mean_of_samples(world, body, &fastest), couWorld_BodyPose(world, body).position);
    CHECK_NEAR(fastest, 0, 0, 0);
    CHECK_NEAR(couLength(couSub(now, offset)), 0, 1e-5, 0); // a step is 1e-2 m
    couDestroyWorld(world);
}

// However thick the walls of a tank, and wherever their layers fall: a lattice beside them has its density at rest.
static void check_wall(int dimension, float thick)
{
    const float edge = 12 * spacing;
    couWorld *world = make_sph_world("dfsph", dimension, spacing, EARTH);
    add_body(world, make_tank(edge, edge, edge, thick * spacing, true), at(0, 0.5f * edge, 0), 0);
    add_lattice(world, add_liquid(world, 1000, 0), make_box(edge, edge, edge), at(0, 0.5f * edge, 0));
    couStepReport report = {0};
    couStep step = open_pairs(world, 1e-4f, &report);
    couSphLoop loop = couSph_Loop(&step);
    int beside = 0;
    for (size_t i = 0; i < loop.count; ++i) {
        couVec4 x = loop.position[i];
        bool is_middle = fabsf(x.y - 0.5f * edge) < 0.2f * edge && fabsf(x.z) < 0.2f * edge;
        if (!is_middle || fabsf(x.x) < 0.5f * edge - spacing) continue;
        CHECK_NEAR(loop.density[i], 1, 0.004, (int)(10 * thick));
        ++beside;
    }
    assert_true(beside >= 6);
    couDestroyWorld(world);
}

static void test_walls_of_any_thickness(void **context)
{
    (void)context;
    for (float thick = 1.6f; thick < 6.0f; thick += 0.2f) {
        check_wall(2, thick);
        check_wall(3, thick);
    }
}

// A full box in closed walls: with thin ones it is refused before it can burst, with others it stays calm.
static void test_closed_shells(void **context)
{
    (void)context;
    static const float walls[] = {0.3f, 0.6f, 0.8f, 1.05f, 1.2f, 1.65f, 2.0f}; // / spacing
    for (int m = 0; m < SPH_METHODS; ++m)
        for (int w = 0; w < COU_COUNT(walls); ++w) {
            const float least = couFindMethod(sph_methods[m])->sph->support[0] < 2.5f ? 1.15f : 1.6f;
            couFaults faults = {0};
            couWorld *world = make_sph_world(sph_methods[m], 2, spacing, EARTH);
            add_body(world, make_tank(0.4f, 0.4f, 1, walls[w] * spacing, false), at(0, 0, 0), 0);
            add_lattice(world, add_liquid(world, 1000, 0), make_box(0.4f, 0.4f, 1), at(0, 0, 0));
            bool is_good = couWorld_Prepare(world, &faults), is_expected = walls[w] > least;
            if (is_good != is_expected || (faults.count == 1) == is_expected)
                fail_msg("%s, walls of %g spacings: expected it to be %s", sph_methods[m], walls[w],
                         is_expected ? "taken" : "refused");
            couFaults_Clear(&faults);
            couStepReport report = {0};
            for (int k = 0; is_good && k < 5; ++k) {
                report = couWorld_Advance(world, 0.02);
                CHECK_HEALTHY(&report);
                CHECK_RANGE(report.max_speed, 0, 3, 10 * m + w); // sqrt(2 g 0.4 m) = 2.8 m/s
            }
            couDestroyWorld(world);
        }
}

// --- Samples that are given --------------------------------------------------------------------------------------------------

enum { GIVEN = 100 };

// Points of a sphere, spread evenly along a spiral.
static void spread(couVec3 points[GIVEN], float radius)
{
    for (int k = 0; k < GIVEN; ++k) {
        float z = 1.0f - 2.0f * ((float)k + 0.5f) / GIVEN, r = sqrtf(1.0f - z * z), turn = 10.166407f * (float)k;
        points[k] = (couVec3){radius * r * cosf(turn), radius * r * sinf(turn), radius * z};
    }
}

static couBodyId add_given(couWorld *world, const couVec3 *points, size_t count, couFaults *faults)
{
    couBodyDef def = couDefaultBodyDef();
    def.shape = make_sphere(0.1f), def.pose = at(0, 5, 0), def.samples = points, def.sample_count = count;
    couBodyId id = couWorld_AddBody(world, &def, faults);
    couShape_Release(def.shape);
    return id;
}

// They are the body's, where it is, and it keeps a copy.
static void test_given_samples(void **context)
{
    (void)context;
    for (Company company = 0; company < COMPANIES; ++company) {
        couFaults faults = {0};
        couWorld *world = make_place(company);
        couVec3 points[GIVEN], gone[GIVEN];
        spread(points, 0.08f);
        memcpy(gone, points, sizeof gone);
        couBodyId body = add_given(world, gone, GIVEN, &faults);
        CHECK_NO_FAULTS(&faults);
        memset(gone, 0, sizeof gone);
        for (int k = 0; k < 2; ++k) {
            step(world);
            couSampleView view = couWorld_Samples(world);
            int count = 0;
            double off = 0;
            for (size_t s = 0; s < view.count; ++s) {
                if (view.body[s] != (uint32_t)body.index1 - 1) continue;
                float least = INFINITY;
                for (int p = 0; p < GIVEN; ++p)
                    least = fminf(least, couLength(couSub(couXyz(view.position[s]), couAdd(points[p], (couVec3){0, 5, 0}))));
                off = fmax(off, (double)least), ++count;
            }
            CHECK_NEAR(count, GIVEN, 0, company);
            CHECK_RANGE(off, 0, 1e-6, company);
        }
        couBodyDef def = *couWorld_Body(world, body); // what it is cannot be set, how it feels can
        def.friction = 0.5f;
        assert_true(couWorld_SetBody(world, body, &def, &faults));
        def.sample_count--;
        assert_false(couWorld_SetBody(world, body, &def, &faults));
        assert_non_null(strstr(faults.items[0].message, "keeps its name, shape, samples"));
        couFaults_Clear(&faults);
        couWorld_RemoveBody(world, body);
        step(world);
        couDestroyWorld(world);
    }
}

static void test_bad_samples(void **context)
{
    (void)context;
    couVec3 points[GIVEN], far[] = {{0.09f, 0, 0}, {0.13f, 0, 0}, {0, 0, 0.5f}}, bad[] = {{0.1f, 0, 0}, {0, NAN, 0}};
    spread(points, 0.1f);
    static couVec3 crowd[100000];
    for (int k = 0; k < COU_COUNT(crowd); ++k) crowd[k] = (couVec3){0.1f, 0.01f, 0.01f};
    const struct {
        const couVec3 *points;
        size_t count;
        const char *message;
    } cases[] = {
        {points, 0, "0 points: must be 1 to 10000000"},
        {NULL, 5, "0 points"},
        {points, COU_MAX_BODY_SAMPLES + 1, "10000001 points"},
        {far, 3, "2 of 3 points are wrong; the first, number 2, {0.13, 0, 0} is 0.03 m outside the surface: at most 0.02 m"},
        {bad, 2, "1 of 2 points are wrong; the first, number 2, is not finite"},
        {crowd, 1001, "1001 points are in one cube of a spacing, 0.04 m: at most 1000 are allowed"},
        {crowd, 100000, "100000 points are in one cube"},
    };
    for (int k = 0; k < COU_COUNT(cases); ++k) {
        couFaults faults = {0};
        couWorld *world = make_sph_world("dfsph", 3, spacing, NO_GRAVITY);
        assert_false(add_given(world, cases[k].points, cases[k].count, &faults).index1);
        assert_int_equal(faults.count, 1);
        assert_string_equal(faults.items[0].key, "body.samples");
        if (!strstr(faults.items[0].message, cases[k].message))
            fail_msg("expected '%s', got '%s'", cases[k].message, faults.items[0].message);
        couFaults_Clear(&faults);
        couDestroyWorld(world);
    }
    couFaults faults = {0};
    couWorld *world = make_sph_world("dfsph", 2, spacing, NO_GRAVITY);
    assert_false(add_given(world, (couVec3[]){{0.1f, 0, 0.01f}}, 1, &faults).index1);
    assert_non_null(strstr(faults.items[0].message, "has z = 0.01: in 2D it must be 0"));
    couFaults_Clear(&faults);
    couDestroyWorld(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_place_is_taken),         cmocka_unit_test(test_body_is_back),
        cmocka_unit_test(test_params_change),          cmocka_unit_test(test_fixed_in_flight),
        cmocka_unit_test(test_walls_of_any_thickness), cmocka_unit_test(test_closed_shells),
        cmocka_unit_test(test_given_samples),          cmocka_unit_test(test_bad_samples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
