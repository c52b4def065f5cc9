// Blowers: where and when they push, how hard, in every method; gravity that pulls liquid or bodies alone.
#include "testing.h"

enum { COUNT = 60 };

static const char *const methods[] = {"pvfs", "mueller", "sesph", "wcsph", "pcisph", "iisph", "dfsph"};

// Particles far from each other, on a line that winds through space; every second one of a lighter liquid.
static couVec3 place_of(uint32_t id, int dimension)
{
    float k = (float)id - 0.5f * COUNT;
    return (couVec3){0.11f * k, 0.5f * sinf(0.4f * k), dimension == 3 ? 0.5f * cosf(0.7f * k) : 0};
}

static couWorld *make_lonely(const char *method, int dimension)
{
    couFaults faults = {0};
    couWorldDef def = couDefaultWorldDef();
    snprintf(def.method, sizeof def.method, "%s", method);
    def.dimension = dimension, def.spacing = 0.01f, def.gravity = NO_GRAVITY, def.threads = 2;
    couWorld *world = couCreateWorld(&def, &faults);
    assert_non_null(world);
    couMaterialId liquids[2] = {add_liquid(world, 1000, 0.001f), add_liquid(world, 250, 0.001f)};
    for (uint32_t id = 0; id < COUNT; ++id) {
        couVec3 x = place_of(id, dimension);
        assert_true(couWorld_AddParticles(world, liquids[id % 2], &x, NULL, 1, &faults));
    }
    CHECK_NO_FAULTS(&faults);
    return world;
}

static couBlowerId add_blower(couWorld *world, couBlowerDef def)
{
    couFaults faults = {0};
    couBlowerId blower = couWorld_AddBlower(world, &def, &faults);
    CHECK_NO_FAULTS(&faults);
    couShape_Release(def.shape);
    return blower;
}

static void velocities(const couWorld *world, couVec3 v[COUNT])
{
    couParticleView view = couWorld_Particles(world);
    assert_int_equal(view.count, COUNT);
    for (size_t i = 0; i < COUNT; ++i) v[view.id[i]] = couXyz(view.velocity[i]);
}

// --- Where and how hard ------------------------------------------------------------------------------------------------------

typedef bool InsideFcn(couVec3 local);
static bool in_cylinder(couVec3 p) { return fabsf(p.y) < 0.6f && p.x * p.x + p.z * p.z < 0.64f; } // [Gagneux 2022, eq. 3.3, 3.4]
static bool in_box(couVec3 p) { return fabsf(p.x) < 1 && fabsf(p.y) < 0.4f && fabsf(p.z) < 0.46f; }
static bool in_sphere(couVec3 p) { return p.x * p.x + p.y * p.y + p.z * p.z < 0.81f; }
static bool in_cone(couVec3 p)
{
    float r = 0.2f + (1.1f - 0.2f) * (p.y + 0.7f) / 1.4f;
    return fabsf(p.y) < 0.7f && p.x * p.x + p.z * p.z < r * r;
}

static const struct Region {
    couShapeDef shape;
    InsideFcn *is_inside;
} regions[] = {
    {{.kind = cou_shapeCylinder, .radius = 0.8f, .height = 1.2f}, in_cylinder},
    {{.kind = cou_shapeBox, .size = {2, 0.8f, 0.92f}}, in_box},
    {{.kind = cou_shapeSphere, .radius = 0.9f}, in_sphere},
    {{.kind = cou_shapeCone, .radius = 0.2f, .radius2 = 1.1f, .height = 1.4f}, in_cone},
};

// Every region, turned and moved, by a force and by an acceleration, in every method: the change of velocity of each particle.
static void test_regions(void **context)
{
    (void)context;
    const float dt = 0.001f, angle = 0.5f;
    for (int m = 0; m < COU_COUNT(methods); ++m)
        for (int r = 0; r < COU_COUNT(regions); ++r)
            for (int dimension = 2; dimension <= 3; ++dimension)
                for (int is_force = 0; is_force <= 1; ++is_force) {
                    couWorld *world = make_lonely(methods[m], dimension);
                    couBlowerDef def = couDefaultBlowerDef();
                    def.shape = make_shape(regions[r].shape);
                    def.pose = turned(0.3f, -0.1f, dimension == 3 ? 0.05f : 0, angle);
                    if (is_force)
                        def.force = -0.004f;
                    else
                        def.acceleration = 9;
                    add_blower(world, def);
                    prepare_world(world);
                    couVec3 before[COUNT], after[COUNT];
                    velocities(world, before);
                    couWorld_Step(world, dt);
                    velocities(world, after);
                    // A leap-frog's first kick is half a step long.
                    double kick = couFindMethodTraits(methods[m])->is_leapfrog ? 0.5 * dt : dt;
                    int pushed = 0;
                    for (uint32_t id = 0; id < COUNT; ++id) {
                        bool is_in = regions[r].is_inside(couToLocal(def.pose, place_of(id, dimension)));
                        double mass = (id % 2 ? 250 : 1000) * pow(0.01, dimension);
                        double a = !is_in ? 0 : is_force ? -0.004 / mass : 9;
                        pushed += is_in;
                        double tolerance = 1e-5 + 2e-4 * fabs(a);
                        CHECK_NEAR((after[id].x - before[id].x) / kick, -a * sin(angle), tolerance, (int)id);
                        CHECK_NEAR((after[id].y - before[id].y) / kick, a * cos(angle), tolerance, (int)id);
                        CHECK_NEAR((after[id].z - before[id].z) / kick, 0, tolerance, (int)id);
                    }
                    CHECK_RANGE(pushed, 4, COUNT - 4, r);
                    couDestroyWorld(world);
                }
}

// Several add up; those that are off or gone do nothing.
static void test_sum_and_switch(void **context)
{
    (void)context;
    couWorld *world = make_lonely("dfsph", 3);
    couBlowerDef def = couDefaultBlowerDef();
    couBlowerId id[3];
    for (int k = 0; k < 3; ++k) {
        def.shape = make_sphere(100), def.acceleration = powf(10, (float)k);
        id[k] = add_blower(world, def);
        assert_true(couWorld_IsBlowerOn(world, id[k]));
    }
    assert_string_equal(couWorld_Blower(world, id[1])->name, "blower2");
    assert_int_equal(couWorld_FindBlower(world, "blower3").index1, id[2].index1);
    couWorld_SetBlowerOn(world, id[1], false);
    couVec3 v[COUNT];
    couWorld_Step(world, 0.001f);
    velocities(world, v);
    CHECK_NEAR(v[0].y, 0.101, 1e-6, 0);
    couWorld_RemoveBlower(world, id[2]);
    couWorld_SetBlowerOn(world, id[1], true);
    couWorld_Step(world, 0.001f);
    velocities(world, v);
    CHECK_NEAR(v[0].y, 0.112, 1e-6, 0);
    couDestroyWorld(world);
}

// --- When --------------------------------------------------------------------------------------------------------------------

// The share by its words, at one moment.
static double share_at(const couBlowerDef *def, double t)
{
    if (t < def->start || t >= def->stop) return 0;
    if (def->period > 0 && fmod(t - def->start, def->period) >= (double)(def->duty * def->period)) return 0;
    double share = 1;
    if (def->fade_in > 0) share = fmin(share, (t - def->start) / def->fade_in);
    if (def->fade_out > 0) share = fmin(share, (def->stop - t) / def->fade_out);
    return share;
}

// Mean over a step against sums over many moments of it.
static void test_times(void **context)
{
    (void)context;
    const couBlowerDef times[] = {
        {.start = 0, .stop = 1e30f},
        {.start = 0.4f, .stop = 1e30f, .fade_in = 0.5f}, // of the thesis
        {.start = 0.25f, .stop = 1.25f, .fade_in = 0.25f, .fade_out = 0.75f},
        {.start = 0.25f, .stop = 1.25f, .fade_out = 0.5f, .period = 0.125f, .duty = 0.25f},
        {.start = 0.1f, .stop = 1e30f, .fade_in = 1, .period = 0.03f, .duty = 0.7f},
        {.start = 0, .stop = 1e30f, .period = 0.5f, .duty = 1},
        {.start = 0.5f, .stop = 0.5625f}, // shorter than a step
    };
    enum { MOMENTS = 20000 };
    const double dt = 0.1;
    for (int k = 0; k < COU_COUNT(times); ++k)
        for (int s = 0; s < 20; ++s) {
            double sum = 0;
            for (int m = 0; m < MOMENTS; ++m) sum += share_at(&times[k], dt * (s + (m + 0.5) / MOMENTS)) / MOMENTS;
            double share = couBlower_Share(&times[k], dt * s, dt);
            CHECK_NEAR(share, sum, 3e-4, 100 * k + s);
            CHECK_RANGE(share, 0, 1 + 1e-12, s);
        }
}

// What a blower has given in all does not depend on the steps.
static void test_impulse_is_free_of_the_step(void **context)
{
    (void)context;
    for (int steps = 7; steps < 200; steps *= 5) {
        couWorld *world = make_lonely("dfsph", 3);
        couBlowerDef def = couDefaultBlowerDef();
        def.shape = make_sphere(100), def.acceleration = 2;
        def.start = 0.013f, def.stop = 0.6f, def.fade_in = 0.2f, def.fade_out = 0.1f, def.period = 0.05f, def.duty = 0.4f;
        add_blower(world, def);
        for (int s = 0; s < steps; ++s) couWorld_Step(world, 1.0f / (float)steps);
        double expected = 2 * couBlower_Share(&def, 0, 1);
        couVec3 v[COUNT];
        velocities(world, v);
        CHECK_NEAR(v[5].y, expected, 1e-5, steps);
        couDestroyWorld(world);
    }
}

// --- Faults ------------------------------------------------------------------------------------------------------------------

static void test_faults(void **context)
{
    (void)context;
    couWorld *world = make_lonely("dfsph", 3);
    couFaults faults = {0};
    couShape *ball = make_sphere(0.1f), *ground = make_plane(0, 1, 0);
    couBlowerDef good = couDefaultBlowerDef(), def = good;
    assert_false(couWorld_AddBlower(world, &def, &faults).index1);
    assert_int_equal(faults.count, 2); // no shape, no force
    couFaults_Clear(&faults);
    good.shape = ball, good.force = 1;
#define CHECK_REFUSED(key, text) \
    assert_false(couWorld_AddBlower(world, &def, &faults).index1); \
    CHECK_FAULT(&faults, key, text)
    def = good, def.force = COU_AUTO;
    CHECK_REFUSED("blower.force", "missing");
    def = good, def.acceleration = 1;
    CHECK_REFUSED("blower.force", "either");
    def = good, def.shape = ground;
    CHECK_REFUSED("blower.shape", "bounds");
    def = good, def.start = 2, def.stop = 2;
    CHECK_REFUSED("blower.stop", "2 s");
    def = good, def.start = 1, def.stop = 2, def.fade_in = 1.5f;
    CHECK_REFUSED("blower.fade_in", "longer than it blows: 1 s");
    def = good, def.start = 1, def.stop = 2, def.fade_out = 1.01f;
    CHECK_REFUSED("blower.fade_out", "longer");
    def = good, def.start = 1, def.stop = 2, def.fade_in = 0.6f, def.fade_out = 0.6f;
    CHECK_REFUSED("blower.fade_in", "in for 0.6 s and out for 0.6 s");
    def = good, def.period = 1e-8f;
    CHECK_REFUSED("blower.period", "at least 1e-06");
    def = good, def.pose = at(NAN, 0, 0);
    CHECK_REFUSED("blower.at", "finite");
    def = good, memset(def.name, 'x', sizeof def.name);
    CHECK_REFUSED("blower.name", "31");
    def = good, snprintf(def.name, sizeof def.name, "fan");
    couBlowerId fan = couWorld_AddBlower(world, &def, &faults);
    assert_true(fan.index1);
    CHECK_REFUSED("blower.name", "'fan' already");
    assert_true(couWorld_SetBlower(world, fan, &def, &faults)); // its own name is fine
    def.duty = 0;
    assert_false(couWorld_SetBlower(world, fan, &def, &faults));
    CHECK_FAULT(&faults, "blower.duty", "0");
    CHECK_NEAR(couWorld_Blower(world, fan)->duty, 0.5, 0, 0);
    couDestroyWorld(world);

    couWorldDef periodic = couDefaultWorldDef();
    snprintf(periodic.method, sizeof periodic.method, "wcsph");
    periodic.period = (couVec3){1, 0, 0}, periodic.period_lower = (couVec3){-0.5f, 0, 0};
    world = couCreateWorld(&periodic, &faults);
    def = good, def.pose = at(0.59f, 5, 0);
    assert_true(couWorld_AddBlower(world, &def, &faults).index1);
    def.pose = at(0.61f, 5, 0);
    CHECK_REFUSED("blower.at", "outside the domain: from 0.51 to 0.71 m along x, where the world repeats from -0.5 to 0.5 m");
    couDestroyWorld(world);
    couShape_Release(ball);
    couShape_Release(ground);
    CHECK_NO_FAULTS(&faults);
}

// --- Gravity on one or the other ---------------------------------------------------------------------------------------------

static void test_gravity_on(void **context)
{
    (void)context;
    for (int m = 0; m < COU_COUNT(methods); m += 3)
        for (int on = cou_gravityOnAll; on <= cou_gravityOnBodies; ++on) {
            couWorld *world = make_lonely(methods[m], 3);
            couFaults faults = {0};
            couBodyDef ball = couDefaultBodyDef();
            ball.shape = make_sphere(0.1f), ball.pose = at(0, 9, 0), ball.is_dynamic = true;
            couBodyId id = couWorld_AddBody(world, &ball, &faults);
            couShape_Release(ball.shape);
            for (int k = 0; k < 10; ++k) couWorld_Step(world, 0.001f); // none yet
            bool is_set = couWorld_SetGravity(world, EARTH, (couGravityOn)on, &faults);
            CHECK_NO_FAULTS(&faults);
            assert_true(is_set);
            for (int k = 0; k < 100; ++k) couWorld_Step(world, 0.001f);
            couVec3 v[COUNT];
            velocities(world, v);
            CHECK_NEAR(v[3].y, on == cou_gravityOnBodies ? 0 : -0.981, 1e-4, on);
            CHECK_NEAR(couWorld_BodyVelocity(world, id).y, on == cou_gravityOnFluid ? 0 : -0.981, 1e-4, on);
            assert_int_equal(couWorld_Def(world)->gravity_on, on);
            // What is wrong changes nothing.
            assert_false(couWorld_SetGravity(world, (couVec3){0, NAN, 0}, cou_gravityOnAll, &faults));
            CHECK_FAULT(&faults, "scene.gravity", NULL);
            assert_false(couWorld_SetGravity(world, NO_GRAVITY, (couGravityOn)3, &faults));
            CHECK_FAULT(&faults, "scene.gravity_on", NULL);
            assert_int_equal(couWorld_Def(world)->gravity_on, on);
            CHECK_NEAR(couWorld_Def(world)->gravity.y, -9.81, 1e-6, on);
            couDestroyWorld(world);
        }
}

// A parameter that preparation refuses leaves all as it was, with a fault for who set it.
static void test_params_while_it_runs(void **context)
{
    (void)context;
    couWorld *world = make_lonely("wcsph", 3);
    couFaults faults = {0};
    couWorld_Step(world, 0.001f);
    assert_true(couWorld_SetParam(world, "sph.max_step", "0.0007", &faults));
    CHECK_NEAR(couWorld_SuggestStep(world), 0.0007, 1e-9, 0);
    assert_false(couWorld_SetParam(world, "sph.max_step", "1e-7", &faults));
    CHECK_FAULT(&faults, "sph.max_step", "below min_step");
    CHECK_NEAR(couWorld_SuggestStep(world), 0.0007, 1e-9, 0);
    assert_false(couWorld_SetParam(world, "sph.max_step", "-1", &faults));
    CHECK_FAULT(&faults, "sph.max_step", "-1");
    assert_true(couWorld_SetParam(world, "pvfs.height_error", "0.05", &faults)); // another method's
    CHECK_NO_FAULTS(&faults);
    couDestroyWorld(world);
}

static void test_bodies_while_it_runs(void **context)
{
    (void)context;
    couWorld *world = make_lonely("dfsph", 3);
    couFaults faults = {0};
    couBodyId ball = add_body(world, make_sphere(0.1f), at(0, 9, 0), 0);
    couWorld_Step(world, 0.001f);
    couBodyDef def = *couWorld_Body(world, ball), kept = def;
    def.friction = 0.5f, def.stickiness = 7, def.contact_friction = 0.1f, def.restitution = 0.3f;
    assert_true(couWorld_SetBody(world, ball, &def, &faults));
    couWorld_Step(world, 0.001f);
    CHECK_NEAR(couWorld_Body(world, ball)->friction, 0.5, 0, 0);
    const couVec4 *samples = couBoundary_Velocity(&world->fluid.boundary);
    assert_true(world->fluid.boundary.table.count > 0);
    CHECK_NEAR(samples[0].w, 0.5, 0, 0); // how the liquid sticks to them
    def.friction = 2;
    assert_false(couWorld_SetBody(world, ball, &def, &faults));
    CHECK_FAULT(&faults, "body.friction", "2");
    def = kept, def.density = 3;
    assert_false(couWorld_SetBody(world, ball, &def, &faults));
    CHECK_FAULT(&faults, "body.density", "cannot change");
    def = kept, def.pose.position.y = 3;
    assert_false(couWorld_SetBody(world, ball, &def, &faults));
    CHECK_FAULT(&faults, "body", "keeps its");
    CHECK_NEAR(couWorld_Body(world, ball)->friction, 0.5, 0, 0);
    couDestroyWorld(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_regions),
        cmocka_unit_test(test_sum_and_switch),
        cmocka_unit_test(test_times),
        cmocka_unit_test(test_impulse_is_free_of_the_step),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_gravity_on),
        cmocka_unit_test(test_params_while_it_runs),
        cmocka_unit_test(test_bodies_while_it_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
