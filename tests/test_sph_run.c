// Whole steps of the SPH methods: momentum, forces on bodies, the same bits for any number of threads, instruction set and after
// a restart, steps that follow the resolution, several liquids, and water that stays at rest whatever its walls are made of.
// COU_LONG_TESTS=1 runs refinement and rest for longer.
#include "sph_test.h"

#define SPACING 0.02f

static bool is_long_run(void) { return getenv("COU_LONG_TESTS"); }

// --- Momentum ----------------------------------------------------------------------------------------------------------------

// A free blob of two liquids with random velocities: whatever pairs do to each other, the sum stays.
static void check_blob(const char *method, int dimension, int seed)
{
    couWorldDef def = sph_def(method, dimension, SPACING, NO_GRAVITY);
    def.speed = 1, def.seed = seed;
    couWorld *world = make_sph_world_from(&def);
    couSphParams *p = sph_params(world);
    p->tension = cou_tensionCohesion, p->xsph = 0.05f, p->damping = 0.1f;
    couMaterialDef material = couDefaultMaterialDef();
    material.viscosity = 0.2f, material.surface_tension = 0.5f;
    couMaterialId water = add_material(world, &material);
    material.density = 400, material.viscosity = 1;
    couMaterialId oil = add_material(world, &material);
    float size = SPACING * (dimension == 3 ? 7 : 20);
    add_jittered(world, water, make_box(size, 0.5f * size, size), at(0, 0.25f * size, 0), NO_GRAVITY, 0.2f);
    add_jittered(world, oil, make_box(size, 0.5f * size, size), at(0, -0.25f * size, 0), NO_GRAVITY, 0.2f);
    couRandom random = {couMix64((uint64_t)seed)};
    for (size_t i = 0; i < world->fluid.table.count; ++i) {
        couVec4 *v = &couFluid_Velocity(&world->fluid)[i];
        v->x = couRandomSigned(&random), v->y = couRandomSigned(&random);
        if (dimension == 3) v->z = couRandomSigned(&random);
    }
    double magnitude;
    Vec before = fluid_momentum(world, &magnitude);
    for (int k = 0; k < 200; ++k) {
        couStepReport report = couWorld_Step(world, couWorld_SuggestStep(world));
        CHECK_HEALTHY(&report);
        if (k % 20 == 0) CHECK_AT_MOST(length(sub(fluid_momentum(world, NULL), before)), 1e-4 * magnitude, seed);
    }
    CHECK_AT_MOST(length(sub(fluid_momentum(world, NULL), before)), 1e-4 * magnitude, seed);
    couDestroyWorld(world);
}

static void test_free_blob(void **context)
{
    (void)context;
    for (int m = 0; m < SPH_METHODS; ++m)
        for (int dimension = 2; dimension <= 3; ++dimension) check_blob(sph_methods[m], dimension, 10 * dimension + m);
}

typedef struct ForceCase {
    const char *method;
    int dimension;
    float friction, viscosity;
    int viscosity_kind;
    float adhesion;
    bool is_ghost;
} ForceCase;

// A block of liquid falls into a tank: what gravity gave and it does not have, the walls have.
static void check_forces(ForceCase c)
{
    couWorld *world = make_sph_world(c.method, c.dimension, SPACING, (couVec3){2, -9.81f, 0});
    couSphParams *p = sph_params(world);
    p->viscosity = c.viscosity_kind, p->adhesion = c.adhesion, p->boundary = c.is_ghost ? cou_boundaryGhost : cou_boundaryAkinci;
    couMaterialDef material = couDefaultMaterialDef();
    material.viscosity = c.viscosity;
    if (c.adhesion > 0) p->tension = cou_tensionCohesion, material.surface_tension = 0.5f;
    couMaterialId liquid = add_material(world, &material);
    float n = c.dimension == 3 ? 6 : 10, size = n * SPACING;
    couBodyId tank = add_body(world, make_tank(1.6f * size, 3 * size, 1.6f * size, 0.1f, true), at(0, 1.5f * size, 0),
                              c.friction);
    couBodyId ball = add_body(world, make_sphere(0.2f * size), at(0.1f * size, 0.4f * size, 0), c.friction);
    add_jittered(world, liquid, make_box(size, size, size), at(0, 1.2f * size, 0), NO_GRAVITY, 0.1f);
    double mass = couWorld_Measure(world).mass, seconds = 0, pulled = 0, sum = 0, on_ball = 0;
    bool is_leapfrog = world->fluid.method->traits.is_leapfrog;
    Vec walls = {0, 0, 0}, before = fluid_momentum(world, NULL);
    while (seconds < 0.25) {
        float dt = COU_MIN(couWorld_SuggestStep(world), 0.002f);
        pulled += is_leapfrog ? 0.5 * (double)(world->fluid.last_dt + dt) : (double)dt; // its velocities are half a step behind
        couStepReport report = couWorld_Step(world, dt);
        CHECK_HEALTHY(&report);
        couVec3 force = couWorld_BodyForce(world, tank), other = couWorld_BodyForce(world, ball);
        Vec impulse = {dt * (force.x + other.x), dt * (force.y + other.y), dt * (force.z + other.z)};
        walls = add_scaled(walls, 1, impulse);
        sum += length(impulse), on_ball += dt * couLength(other), seconds += dt;
    }
    Vec now = fluid_momentum(world, NULL), expected = {2 * mass * pulled, -9.81 * mass * pulled, 0};
    Vec missing = sub(add_scaled(sub(now, before), 1, walls), expected);
    assert_true(sum > 0.3 * mass && on_ball > 0.005 * mass);
    CHECK_AT_MOST(length(missing) / sum, 1e-3, c.dimension);
    couDestroyWorld(world);
}

static void test_forces_on_bodies(void **context)
{
    (void)context;
    check_forces((ForceCase){"dfsph", 2, 0, 0.001f, cou_viscosityLaplacian, 0, false});
    check_forces((ForceCase){"dfsph", 3, 0, 0.001f, cou_viscosityLaplacian, 0, false});
    check_forces((ForceCase){"wcsph", 2, 0, 0.001f, cou_viscosityLaplacian, 0, false});
    check_forces((ForceCase){"pcisph", 2, 0, 0.001f, cou_viscosityLaplacian, 0, false});
    check_forces((ForceCase){"iisph", 3, 1, 1, cou_viscosityLaplacian, 0, false});
    check_forces((ForceCase){"dfsph", 2, 1, 1, cou_viscosityLaplacian, 0, false});
    check_forces((ForceCase){"dfsph", 2, 1, 3, cou_viscosityImplicit, 0, false});
    check_forces((ForceCase){"wcsph", 3, 1, 1, cou_viscosityLaplacian, 0, false});
    check_forces((ForceCase){"dfsph", 2, 0.3f, 0.001f, cou_viscosityLaplacian, 0.5f, false});
    check_forces((ForceCase){"sesph", 3, 0.3f, 0.001f, cou_viscosityLaplacian, 0.5f, false});
    check_forces((ForceCase){"dfsph", 2, 0, 0.001f, cou_viscosityLaplacian, 0, true});
    check_forces((ForceCase){"mueller", 2, 0, 0.001f, cou_viscosityLaplacian, 0, false});
    check_forces((ForceCase){"mueller", 3, 1, 1, cou_viscosityLaplacian, 0, false});
}

// --- The same bits -----------------------------------------------------------------------------------------------------------

static couPose sway(void *context, double time)
{
    (void)context;
    return turned((float)(0.25 + 0.05 * sin(20 * time)), 0.1f, 0, (float)(3 * time));
}

// A dam break of two liquids over a driven paddle and a free ball, with everything on that a method has.
static couWorld *make_dam(const char *method, int dimension, int threads)
{
    couFaults faults = {0};
    couWorldDef def = sph_def(method, dimension, dimension == 3 ? 0.025f : 0.008f, EARTH);
    def.threads = threads;
    couWorld *world = make_sph_world_from(&def);
    couSphParams *p = sph_params(world);
    p->tension = strcmp(method, "mueller") == 0 ? cou_tensionAuto : cou_tensionCohesion, p->xsph = 0.01f, p->adhesion = 0.05f;
    couMaterialDef material = couDefaultMaterialDef();
    material.viscosity = 0.05f, material.surface_tension = 0.07f;
    couMaterialId water = add_material(world, &material);
    material.density = 700, material.viscosity = 0.3f;
    couMaterialId oil = add_material(world, &material);
    add_body(world, make_tank(0.8f, 0.6f, 0.2f, 0.05f, true), at(0, 0.3f, 0), 0.5f);
    couBodyDef body = couDefaultBodyDef();
    body.shape = make_box(0.1f, 0.05f, 0.1f), body.motion = sway, body.friction = 0.3f;
    assert_true(couWorld_AddBody(world, &body, &faults).index1);
    couShape_Release(body.shape);
    body = couDefaultBodyDef();
    body.shape = make_sphere(0.04f), body.pose = at(-0.2f, 0.38f, 0), body.is_dynamic = true, body.density = 600;
    assert_true(couWorld_AddBody(world, &body, &faults).index1);
    couShape_Release(body.shape);
    add_jittered(world, water, make_box(0.4f, 0.2f, 0.2f), at(-0.2f, 0.1f, 0), NO_GRAVITY, 0.05f);
    add_jittered(world, oil, make_box(0.4f, 0.1f, 0.2f), at(-0.2f, 0.25f, 0), NO_GRAVITY, 0.05f);
    return world;
}

static uint64_t run_dam(const char *method, int dimension, int threads, couIsa isa, double seconds)
{
    couWorld *world = make_dam(method, dimension, threads);
    world->fluid.neighbors.isa = isa;
    couStepReport report = couWorld_Advance(world, seconds);
    CHECK_HEALTHY(&report);
    assert_true(report.substeps > 1);
    assert_true(world->fluid.table.count > 1.5 * COU_SPH_BLOCK || dimension == 3);
    uint64_t hash = hash_world(world);
    couDestroyWorld(world);
    return hash;
}

static void test_same_bits(void **context)
{
    (void)context;
    for (int m = 0; m < SPH_METHODS; ++m)
        for (int dimension = 2; dimension <= 3; ++dimension) {
            if (dimension == 3 && m != 0 && m != 5) continue; // what differs between methods does not depend on it
            double seconds = m < 3 ? 0.004 : 0.02;
            uint64_t expected = run_dam(sph_methods[m], dimension, 1, couBestIsa(), seconds);
            for (int threads = 2; threads <= (dimension == 3 ? 2 : 4); ++threads)
                if (run_dam(sph_methods[m], dimension, threads, couBestIsa(), seconds) != expected)
                    fail_msg("%s, %dD: other bits on %d threads", sph_methods[m], dimension, threads);
            for (int isa = cou_isaScalar; isa < (int)couBestIsa(); ++isa)
                if (run_dam(sph_methods[m], dimension, 1, (couIsa)isa, seconds) != expected)
                    fail_msg("%s, %dD: other bits with %s", sph_methods[m], dimension, couIsaName((couIsa)isa));
            if (run_dam(sph_methods[m], dimension, 1, couBestIsa(), 1.2 * seconds) == expected)
                fail_msg("%s: the hash does not see what happens", sph_methods[m]);
        }
}

// A world that goes on from a saved state gives the bits of the one that went on without, steps chosen by themselves included.
static void test_resumed_run(void **context)
{
    (void)context;
    for (int m = 0; m < SPH_METHODS; ++m)
        for (int stop = 0; stop < 3; ++stop) {
            couFaults faults = {0};
            couWorld *first = make_dam(sph_methods[m], 2, 1), *second = make_dam(sph_methods[m], 2, 2);
            for (int k = 0; k < 1 + 2 * stop; ++k) couWorld_Advance(first, 0.0025);
            couState state = {0};
            assert_true(couWorld_SaveState(first, &state));
            if (stop == 1) couWorld_Advance(second, 0.006); // loading replaces whatever was there
            bool is_good = couWorld_LoadState(second, &state, &faults);
            CHECK_NO_FAULTS(&faults);
            assert_true(is_good);
            if (hash_world(second) != couState_Hash(&state))
                fail_msg("%s: the loaded world is not what was saved", sph_methods[m]);
            for (int k = 0; k < 3; ++k) {
                couStepReport a = couWorld_Advance(first, 0.0025), b = couWorld_Advance(second, 0.0025);
                assert_int_equal(a.substeps, b.substeps);
                assert_int_equal(a.iterations, b.iterations);
                if (hash_world(first) != hash_world(second))
                    fail_msg("%s: saved after %d frames, %d frames later the run is elsewhere", sph_methods[m], 1 + 2 * stop,
                             k + 1);
            }
            couState_Clear(&state);
            couDestroyWorld(first);
            couDestroyWorld(second);
        }
}

// --- Steps -------------------------------------------------------------------------------------------------------------------

// Refining alone, with viscosity and tension whose steps shrink faster than the spacing: nothing flies apart.
static void check_refinement(const char *method, int tension, int viscosity)
{
    float last = INFINITY;
    for (int n = 1; n <= 4; n *= 2) {
        float height = 0.2f;
        couWorld *world = make_sph_world(method, 2, SPACING / (float)n, EARTH);
        sph_params(world)->tension = tension, sph_params(world)->viscosity = viscosity;
        couMaterialDef material = couDefaultMaterialDef();
        material.viscosity = 1, material.surface_tension = 0.5f;
        couMaterialId syrup = add_material(world, &material);
        add_body(world, make_tank(0.4f, 0.4f, 1, 0.1f, true), at(0, 0.2f, 0), 1);
        add_lattice(world, syrup, make_box(0.1f, height, 1), at(-0.15f, 0.5f * height, 0));
        couStepReport report = couWorld_Advance(world, is_long_run() ? 0.5 : 0.06);
        CHECK_HEALTHY(&report);
        CHECK_AT_MOST(report.max_speed, 3 * sqrt(2 * 9.81 * (double)height), n);
        assert_int_equal(report.unconverged_count, 0);
        couMeasurement m = couWorld_Measure(world);
        CHECK_RANGE(m.center[1], 0.02, 0.5 * (double)height, n); // it falls, and stays in the tank
        float step = couWorld_SuggestStep(world);
        CHECK_RANGE(step, 1e-6, 0.75 * (double)last, n);
        last = step;
        couDestroyWorld(world);
    }
}

static void test_refinement(void **context)
{
    (void)context;
    for (int m = 0; m < SPH_METHODS; ++m) {
        check_refinement(sph_methods[m], cou_tensionCohesion, cou_viscosityAuto);
        check_refinement(sph_methods[m], cou_tensionColor, cou_viscosityLaplacian);
    }
}

// --- Several liquids ---------------------------------------------------------------------------------------------------------

// Water over a liquid a tenth as heavy: they change places.
static void check_two_liquids(int method)
{
    couWorld *world = make_sph_world(sph_methods[method], 2, SPACING, EARTH);
    couMaterialId light = add_liquid(world, 100, 0.01f), heavy = add_liquid(world, 1000, 0.01f);
    float wide = 12 * SPACING, layer = 6 * SPACING;
    add_body(world, make_tank(wide, 0.6f, 1, 0.1f, true), at(0, 0.3f, 0), 0);
    add_jittered(world, light, make_box(wide, layer, 1), at(0, 0.5f * layer, 0), NO_GRAVITY, 0.05f);
    add_jittered(world, heavy, make_box(wide, layer, 1), at(0, 1.5f * layer, 0), NO_GRAVITY, 0.05f);
    float fastest = 0;
    double height[2] = {0}, counts[2] = {0};
    for (int k = 0; k < 20; ++k) {
        couStepReport report = couWorld_Advance(world, 0.1);
        CHECK_HEALTHY(&report);
        fastest = COU_MAX(fastest, report.max_speed);
    }
    for (size_t i = 0; i < world->fluid.table.count; ++i) {
        int m = couFluid_Material(&world->fluid)[i];
        height[m] += couFluid_Position(&world->fluid)[i].y, counts[m] += 1;
    }
    height[0] /= counts[0], height[1] /= counts[1];
    // The light liquid rises with up to nine times gravity.
    CHECK_AT_MOST(fastest, 3 * sqrt(2 * 9 * 9.81 * (double)layer), method);
    CHECK_RANGE(height[1], 0.3 * (double)layer, 0.8 * (double)layer, method);
    CHECK_RANGE(height[0], 1.2 * (double)layer, 3 * (double)layer, method);
    couDestroyWorld(world);
}

static void test_two_liquids(void **context)
{
    (void)context;
    for (int m = 0; m < SPH_METHODS; ++m) check_two_liquids(m);
}

// --- At rest -----------------------------------------------------------------------------------------------------------------

// Water in a small box stays where it is for a second.
static void check_rest(const char *method, int dimension, int boundary, int layers, bool no_stick)
{
    couWorld *world = make_sph_world(method, dimension, SPACING, EARTH);
    couSphParams *p = sph_params(world);
    p->boundary = boundary, p->boundary_layers = layers, p->no_stick = no_stick;
    couMaterialId water = add_liquid(world, 1000, 0.001f);
    float wide = (dimension == 3 ? 6 : 12) * SPACING, deep = (dimension == 3 ? 6 : 10) * SPACING;
    add_body(world, make_tank(wide, 2 * deep, wide, 0.15f, true), at(0, deep, 0), 0);
    int64_t count = add_lattice(world, water, make_box(wide, deep, wide), at(0, 0.5f * deep, 0));
    double seconds = is_long_run() ? 5 : 1;
    couStepReport report = couWorld_Advance(world, seconds);
    CHECK_HEALTHY(&report);
    couMeasurement m = couWorld_Measure(world);
    float top = 0;
    for (size_t i = 0; i < world->fluid.table.count; ++i) {
        couVec4 x = couFluid_Position(&world->fluid)[i];
        top = COU_MAX(top, x.y);
        CHECK_RANGE(x.x, -0.5 * (double)wide, 0.5 * (double)wide, 0);
        CHECK_RANGE(x.y, 0, 1.5 * (double)deep, 0);
    }
    assert_int_equal(world->fluid.table.count, count);
    double speed = sqrt(2 * m.kinetic_energy / m.mass), wave = sqrt(9.81 * (double)deep);
    CHECK_NEAR(m.center[1] / (double)deep, 0.5, 0.05, layers);
    CHECK_AT_MOST(speed / wave, 0.12, layers);
    couDestroyWorld(world);
}

static void test_rest(void **context)
{
    (void)context;
    static const char *const methods[] = {"dfsph", "iisph", "wcsph"};
    for (int m = 0; m < COU_COUNT(methods); ++m)
        for (int dimension = 2; dimension <= 3; ++dimension) {
            if (dimension == 3 && m > 0 && !is_long_run()) continue;
            for (int layers = 1; layers <= 3; ++layers) check_rest(methods[m], dimension, cou_boundaryAkinci, layers, false);
            check_rest(methods[m], dimension, cou_boundaryAkinci, 1, true);
        }
    check_rest("wcsph", 2, cou_boundaryGhost, 1, false);
    check_rest("wcsph", 2, cou_boundaryGhost, 1, true);
    check_rest("sesph", 2, cou_boundaryGhost, 1, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_free_blob),   cmocka_unit_test(test_forces_on_bodies), cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_resumed_run), cmocka_unit_test(test_refinement),       cmocka_unit_test(test_two_liquids),
        cmocka_unit_test(test_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
