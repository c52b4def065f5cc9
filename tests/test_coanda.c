// The Coanda force against sums over all pairs, what it gives to bodies, and how large it may be.
#include "sph_test.h"

#include "fluid/coanda.h"

typedef struct Setup {
    couWorld *world;
    couBodyId ball, wall;
} Setup;

// A free ball and a fixed box in jittered liquid of two kinds; each has its own C.
static Setup make_setup(const char *method, int dimension, const char *form, bool is_periodic, int threads)
{
    Setup setup;
    couFaults faults = {0};
    couWorldDef def = sph_def(method, dimension, 0.05f, NO_GRAVITY);
    def.threads = threads;
    if (is_periodic) def.period = (couVec3){0.8f, 0, 0}, def.period_lower = (couVec3){-0.4f, 0, 0};
    couWorld *world = setup.world = make_sph_world_from(&def);
    couMaterialId heavy = add_liquid(world, 1000, 0), light = add_liquid(world, 400, 0);
    assert_true(couWorld_SetParam(world, "sph.coanda", form, &faults));
    couBodyDef body = couDefaultBodyDef();
    snprintf(body.name, sizeof body.name, "ball");
    body.shape = make_sphere(0.13f), body.pose = at(is_periodic ? 0.37f : 0.03f, 0.02f, 0), body.is_dynamic = !is_periodic;
    body.density = 600, body.coanda = 2e-5f, body.spin = (couVec3){0, 0, 1};
    setup.ball = couWorld_AddBody(world, &body, &faults);
    couShape_Release(body.shape);
    body = couDefaultBodyDef();
    snprintf(body.name, sizeof body.name, "wall");
    body.shape = make_box(0.3f, 0.1f, 0.3f), body.pose = turned(-0.15f, -0.3f, 0, 0.3f), body.coanda = 5e-6f;
    setup.wall = couWorld_AddBody(world, &body, &faults);
    couShape_Release(body.shape);
    CHECK_NO_FAULTS(&faults);
    add_body(world, make_box(0.1f, 0.2f, 0.3f), at(-0.3f, 0.25f, 0), 0); // without
    add_jittered(world, heavy, make_box(0.8f, 0.5f, 0.4f), at(0, 0.25f, 0), NO_GRAVITY, 0.3f);
    add_jittered(world, light, make_box(0.8f, 0.4f, 0.4f), at(0, -0.2f, 0), NO_GRAVITY, 0.3f);
    return setup;
}

static double form_of(const char *form, int dimension, double q)
{
    if (q >= 1) return 0;
    return strcmp(form, "linear") == 0 ? 1 : (dimension == 3 ? 6 : 35.0 / 8) * pow(1 - q * q, 2);
}

// Velocities, and impulse and moment on each body, against a double sum over all pairs.
static void check_force(const char *method, int dimension, const char *form, bool is_periodic)
{
    const float dt = 0.0007f;
    Setup setup = make_setup(method, dimension, form, is_periodic, 2);
    couWorld *world = setup.world;
    couStepReport report = {0};
    couStep step = open_pairs(world, dt, &report);
    Reference r = make_reference(world);
    const couFluid *fluid = &world->fluid;
    couBody *bodies = world->bodies.items;
    double expected[3][6] = {{0}}, size = 0;
    Vec *kick = calloc(r.count, sizeof *kick), moved = {0, 0, 0};
    for (size_t b = 0; b < 3; ++b) memset(bodies[b].pushed, 0, sizeof bodies[b].pushed);
    for (size_t i = 0; i < r.count; ++i)
        for (size_t j = r.base; j < r.rows; ++j) {
            uint32_t b = couBoundary_Body(&fluid->boundary)[j - r.base];
            Vec way = offset(&r, i, j); // x_i - x_j
            double q = length(way) / r.h, rho = fluid->materials[couFluid_Material(fluid)[i]].density;
            double V = pow(0.05, dimension), m_i = rho * V, m_j = rho * V * r.volume[j];
            double F = -(double)bodies[b].def.coanda * (m_i + m_j) / (2 * 0.0002 * 0.0002) * form_of(form, dimension, q);
            kick[i] = add_scaled(kick[i], dt * F / m_i, way);
            Vec back = add_scaled((Vec){0, 0, 0}, -dt * F, way);
            couVec3 c = bodies[b].start_center;
            Vec arm = sub(r.x[j], (Vec){c.x, c.y, c.z});
            double own[6] = {back.x,
                             back.y,
                             back.z,
                             arm.y * back.z - arm.z * back.y,
                             arm.z * back.x - arm.x * back.z,
                             arm.x * back.y - arm.y * back.x};
            for (int a = 0; a < 6; ++a) expected[b][a] += own[a];
            size += length(back);
        }
    couSph_PullByBodies(&step, dt);
    assert_false(step.has_failed);
    double fastest = 0;
    for (size_t i = 0; i < r.count; ++i) {
        Vec got = sub(from_record(couFluid_Velocity(fluid)[i]), r.v[i]);
        double mass = fluid->mass[couFluid_Material(fluid)[i]];
        moved = add_scaled(moved, mass, got);
        fastest = fmax(fastest, length(kick[i]));
        CHECK_NEAR(length(sub(got, kick[i])), 0, 2e-6 * (1e-2 + length(kick[i])), (int)i);
    }
    CHECK_RANGE(fastest, 1e-3, 1, 0);
    for (size_t b = 0; b < 3; ++b)
        for (int a = 0; a < 6; ++a) CHECK_NEAR(bodies[b].pushed[a], expected[b][a], 1e-6 * size, (int)(10 * b) + a);
    // What the liquid got, the bodies gave.
    double given[3] = {0};
    for (size_t b = 0; b < 3; ++b)
        for (int a = 0; a < 3; ++a) given[a] += bodies[b].pushed[a];
    CHECK_NEAR(moved.x + given[0], 0, 1e-6 * size, 0);
    CHECK_NEAR(moved.y + given[1], 0, 1e-6 * size, 1);
    CHECK_NEAR(moved.z + given[2], 0, 1e-6 * size, 2);
    free(kick);
    free_reference(&r);
    couDestroyWorld(world);
}

static void test_force_is_the_sum_over_pairs(void **context)
{
    (void)context;
    for (int dimension = 2; dimension <= 3; ++dimension)
        for (int is_periodic = 0; is_periodic <= 1; ++is_periodic) {
            check_force("dfsph", dimension, "linear", is_periodic);
            check_force("dfsph", dimension, "smooth", is_periodic);
        }
    check_force("mueller", 3, "smooth", false);
    check_force("wcsph", 2, "linear", false);
}

// The smooth form has no force and no slope where it ends, and pulls a full neighbourhood as hard as the linear one.
static void test_forms(void **context)
{
    (void)context;
    for (int dimension = 2; dimension <= 3; ++dimension) {
        enum { STEPS = 100000 };
        double sums[2] = {0};
        for (int form = cou_coandaSmooth; form <= cou_coandaLinear; ++form)
            for (int k = 0; k < STEPS; ++k) {
                double q = (k + 0.5) / STEPS;
                sums[form] += pow(q, dimension) * (double)couCoandaShape(form, dimension, (float)q) / STEPS;
            }
        CHECK_NEAR(sums[0] / sums[1], 1, 1e-5, dimension);
        CHECK_NEAR(couCoandaShape(cou_coandaSmooth, dimension, 0.999f), 0, 1e-4, dimension);
        CHECK_NEAR(couCoandaShape(cou_coandaLinear, dimension, 0.999f), 1, 0, dimension);
        CHECK_NEAR(couCoandaShape(cou_coandaLinear, dimension, 1), 0, 0, dimension);
    }
}

// Momentum of liquid and free body together stays, in whole steps of every method.
static void test_momentum(void **context)
{
    (void)context;
    for (int m = 0; m < SPH_METHODS; ++m) {
        couFaults faults = {0};
        couWorld *world = make_sph_world(sph_methods[m], 2, 0.05f, NO_GRAVITY);
        couMaterialId liquid = add_liquid(world, 1000, 0.001f);
        couBodyDef body = couDefaultBodyDef();
        body.shape = make_sphere(0.13f), body.is_dynamic = true, body.density = 300, body.coanda = 1e-5f;
        couWorld_AddBody(world, &body, &faults);
        couShape_Release(body.shape);
        add_jittered(world, liquid, make_box(0.9f, 0.5f, 1), at(0.1f, 0.05f, 0), NO_GRAVITY, 0.2f);
        for (int k = 0; k < 20; ++k) {
            couStepReport report = couWorld_Advance(world, 0.002);
            CHECK_HEALTHY(&report);
        }
        couMeasurement a = couWorld_Measure(world), b = couWorld_MeasureBodies(world);
        double size = a.mass * sqrt(2 * a.kinetic_energy / a.mass);
        assert_true(size > 1e-3);
        CHECK_NEAR(a.momentum[0] + b.momentum[0], 0, 1e-4 * size, m);
        CHECK_NEAR(a.momentum[1] + b.momentum[1], 0, 1e-4 * size, m);
        CHECK_NO_FAULTS(&faults);
        couDestroyWorld(world);
    }
}

// The same bits on one thread and three, and after a state was loaded.
static void test_same_bits(void **context)
{
    (void)context;
    uint64_t hash[3];
    couState state = {0};
    couFaults faults = {0};
    for (int k = 0; k < 3; ++k) {
        Setup setup = make_setup("dfsph", 3, "smooth", false, k == 1 ? 3 : 1);
        int first = 0;
        if (k == 2) {
            assert_true(couWorld_LoadState(setup.world, &state, &faults));
            first = 3;
        }
        for (int s = first; s < 6; ++s) {
            couWorld_Step(setup.world, 0.0005f);
            if (k == 0 && s == 2) assert_true(couWorld_SaveState(setup.world, &state));
        }
        hash[k] = hash_world(setup.world);
        couDestroyWorld(setup.world);
    }
    CHECK_NO_FAULTS(&faults);
    couState_Clear(&state);
    assert_true(hash[0] == hash[1]);
    assert_true(hash[0] == hash[2]);
}

// Beside a flat wall the pull is what the bound takes it for; the step keeps to it, and C beyond min_step's is refused.
static void test_bound(void **context)
{
    (void)context;
    for (int dimension = 2; dimension <= 3; ++dimension) {
        couFaults faults = {0};
        couWorld *world = make_sph_world("dfsph", dimension, 0.05f, NO_GRAVITY);
        couMaterialId liquid = add_liquid(world, 1000, 0);
        couBodyDef body = couDefaultBodyDef();
        body.shape = make_box(1, 0.5f, 1), body.pose = at(0, -0.25f, 0), body.coanda = 1e-5f;
        couBodyId wall = couWorld_AddBody(world, &body, &faults);
        couVec3 x = {0.025f, 0.025f, dimension == 3 ? 0.025f : 0};
        assert_true(couWorld_AddParticles(world, liquid, &x, NULL, 1, &faults));
        couStepReport report = {0};
        couStep step = open_pairs(world, 1e-4f, &report);
        couSph_PullByBodies(&step, 1e-4f);
        double pull = -couFluid_Velocity(&world->fluid)[0].y / 1e-4;
        CHECK_RANGE(pull / (1e-5 * (double)world->fluid.coanda_pull), 0.6, 1.2, dimension);
        double longest = couWorld_SuggestStep(world);
        body = *couWorld_Body(world, wall), body.coanda = 4e-3f;
        assert_true(couWorld_SetBody(world, wall, &body, &faults));
        double own = sqrt(0.4 * 0.05 / (4e-3 * (double)world->fluid.coanda_pull));
        CHECK_NEAR(couWorld_SuggestStep(world), fmin(longest, own), 1e-4 * own, dimension);
        assert_true(own < longest);
        CHECK_NO_FAULTS(&faults);
        // With a step that may not become as short it is refused, whoever comes last, and all stays as it was.
        char text[32];
        snprintf(text, sizeof text, "%g", 1.01 * own);
        assert_false(couWorld_SetParam(world, "sph.min_step", text, &faults));
        CHECK_FAULT(&faults, "body.coanda", "must be from 0 to 0.003");
        snprintf(text, sizeof text, "%g", 0.99 * own);
        assert_true(couWorld_SetParam(world, "sph.min_step", text, &faults));
        body.coanda = 4.5e-3f;
        assert_false(couWorld_SetBody(world, wall, &body, &faults));
        CHECK_FAULT(&faults, "body.coanda", "sph.min_step");
        CHECK_NEAR(couWorld_Body(world, wall)->coanda, 4e-3, 1e-9, dimension);
        body.name[0] = 0, body.pose = at(0, 5, 0);
        int count = couWorld_BodyCount(world);
        assert_false(couWorld_AddBody(world, &body, &faults).index1);
        CHECK_FAULT(&faults, "body.coanda", "sph.min_step");
        assert_int_equal(couWorld_BodyCount(world), count);
        assert_false(couWorld_SetParam(world, "sph.boundary", "ghost", &faults));
        CHECK_FAULT(&faults, "body.coanda", "mirror images");
        couStepReport after = couWorld_Advance(world, 1e-3);
        CHECK_HEALTHY(&after);
        couShape_Release((couShape *)couWorld_Body(world, wall)->shape);
        couDestroyWorld(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_force_is_the_sum_over_pairs),
        cmocka_unit_test(test_forms),
        cmocka_unit_test(test_momentum),
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
