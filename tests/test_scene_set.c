// Blowers in scenes, and world:set: every fault with its line and key, values that arrive, and the same bits after a resume.
#include "scene_test.h"

#define WATER "scene { method = 'dfsph', spacing = 0.05, threads = 1 }\n" FLUID
#define FAN "shape = cylinder { radius = 0.1, height = 0.2 }"

static couWorld *world_of(couScene *scene) { return couScene_World(scene); }

static const couBlowerDef *blower_def(couScene *scene, const char *name)
{
    couBlowerId id = couWorld_FindBlower(world_of(scene), name);
    if (!id.index1) fail_msg("there is no blower '%s'", name);
    return couWorld_Blower(world_of(scene), id);
}

static void check_close(const char *what, double got, double expected)
{
    if (fabs(got - expected) <= 1e-5 * (1 + fabs(expected))) return;
    fail_msg("%s: expected %.9g, got %.9g", what, expected, got);
}

// --- blower{} ----------------------------------------------------------------------------------------------------------------

static void test_blowers(void **context)
{
    (void)context;
    couScene *scene = load_good(
        WATER "blower { name = 'fan', " FAN ", at = {0, 0.1, 0}, direction = {0, 0, -3}, force = 0.5, start = 0.4,\n"
              "  stop = 3, fade_in = 0.5, fade_out = 0.25, period = 0.2, duty = 0.3, opacity = 0.3 }\n"
              "blower { shape = sphere { radius = 0.1 }:at { 0.1, 0, 0 }, acceleration = -7 }\n"
              "blower { name = 'tilted', shape = cone { radius = 0.1, radius2 = 0.2, height = 0.3 }, acceleration = 1,\n"
              "  turn = { axis = {0, 0, 1}, degrees = 7 } }\n");
    assert_int_equal(couWorld_BlowerCount(world_of(scene)), 3);
    const couBlowerDef *fan = blower_def(scene, "fan");
    couVec3 along = couRotate(fan->pose.rotation, (couVec3){0, 1, 0});
    assert_near(along, 0, 0, -1);
    assert_near(fan->pose.position, 0, 0.1f, 0);
    check_close("force", fan->force, 0.5);
    assert_true(isnan(fan->acceleration));
    check_close("fade_out", fan->fade_out, 0.25);
    check_close("duty", fan->duty, 0.3);
    check_close("opacity", fan->look.opacity, 0.3);
    const couBlowerDef *ball = blower_def(scene, "blower2");
    assert_near(ball->pose.position, 0.1f, 0, 0);
    check_close("opacity", ball->look.opacity, 0); // not drawn
    check_close("acceleration", ball->acceleration, -7);
    along = couRotate(blower_def(scene, "tilted")->pose.rotation, (couVec3){0, 1, 0});
    assert_near(along, -sinf(7 * 3.14159265f / 180), cosf(7 * 3.14159265f / 180), 0);
    couCloseScene(scene);
}

static void test_bad_blowers(void **context)
{
    (void)context;
    static const Bad bad[] = {
        {WATER "blower { force = 1 }", 3, "blower.shape", "missing"},
        {WATER "blower { " FAN " }", 3, "blower.force", "is missing: give a force on each particle [N], or an acceleration"},
        {WATER "blower { " FAN ", force = 1, acceleration = 1 }", 3, "blower.force", "give either"},
        {WATER "blower { " FAN ", force = 0/0 }", 3, "blower.force", "must be a number from"},
        {WATER "blower { " FAN ", force = 'much' }", 3, "blower.force", "expected"},
        {WATER "blower { " FAN ", force = 1, at = {0, 0/0, 0} }", 3, "blower.at", "component 2"},
        {WATER "blower { " FAN ", forse = 1 }", 3, "blower.forse", "did you mean 'force'?"},
        {WATER "blower { shape = cylinder { radius = -0.1, height = 1 }, force = 1 }", 3, "cylinder.radius", "-0.1"},
        {WATER "blower { shape = plane {}, force = 1 }", 3, "blower.shape", "no bounds"},
        {WATER "blower { " FAN ", force = 1, start = 2, stop = 1 }", 3, "blower.stop", "not after start"},
        {WATER "blower { " FAN ", force = 1, start = -1 }", 3, "blower.start", "-1"},
        {WATER "blower { " FAN ", force = 1, start = 1, stop = 2, fade_in = 3 }", 3, "blower.fade_in",
         "longer than it blows: 1 s"},
        {WATER "blower { " FAN ", force = 1, duty = 2 }", 3, "blower.duty", "2"},
        {WATER "blower { " FAN ", force = 1, period = 1e-9 }", 3, "blower.period", "at least"},
        {WATER "blower { " FAN ", force = 1, direction = {0, 0, 0} }", 3, "blower.direction", "no length"},
        {WATER "blower { " FAN ", force = 1, direction = {0, 1, 0}, turn = { degrees = 5 } }", 3, "blower.direction", "either"},
        {WATER "blower { name = 'a b', " FAN ", force = 1 }", 3, "blower.name", "letters"},
        {WATER "blower { name = 'a', " FAN ", force = 1 }\nblower { name = 'a', " FAN ", force = 1 }", 4, "blower.name",
         "already"},
        // Outside the domain: far from everything, in a wall, under the floor, beside the closed box that holds all liquid.
        {WATER "blower { " FAN ", force = 1, at = {5, 0, 0} }", 3, "blower.at",
         "outside the domain: allowed are x from -0.45 to 0.45"},
        {WATER "body { name = 'rock', shape = box { size = {2, 2, 2} }, at = {0, 2, 0} }\nblower { " FAN
               ", force = 1, at = {0, 2, 0} }",
         4, "blower.at", "wholly inside the body 'rock'"},
        {WATER "body { name = 'floor', shape = plane {}, at = {0, -1, 0} }\nblower { " FAN ", force = 1, at = {9, -2, 0} }", 4,
         "blower.at", "wholly inside the body 'floor'"},
        {WATER "body { name = 'room', shape = shell { box { size = {1, 1, 1} }, thickness = 0.1 } }\nblower { " FAN
               ", force = 1, at = {0, 1, 0} }",
         4, "blower.at", "all liquid is within the closed body 'room'"},
        {"scene { dimension = 2, spacing = 0.05 }\nfluid { material = 'water', shape = box { size = {1, 1} } }\n"
         "blower { " FAN ", force = 1, direction = {0, 0, 1} }",
         3, "blower.direction", "out of the plane"},
        {"scene { spacing = 0.05, gravity_on = 'fluids' }\n" FLUID, 1, "scene.gravity_on", "all, fluid, bodies"},
        {WATER "body { shape = sphere { radius = 0.1 }, coanda = -1 }", 3, "body.coanda", "-1"},
    };
    for (int i = 0; i < COU_COUNT(bad); ++i) check_bad(&bad[i]);
    couCloseScene(load_good(WATER "body { shape = plane {}, at = {0, -1, 0} }\nblower { " FAN ", force = 1, at = {9, 0, 0} }"));
    couCloseScene(load_good(WATER "body { shape = shell { box { size = {1, 1, 1} }, thickness = 0.1 } }\nblower { " FAN
                                  ", force = 1, at = {0, 0.3, 0} }"));
}

// --- world:set ---------------------------------------------------------------------------------------------------------------

#define THINGS \
    WATER "local milk = material('milk')\n" \
          "body { name = 'ball', shape = sphere { radius = 0.1 }, at = {0, 0.5, 0}, density = 500 }\n" \
          "blower { name = 'fan', " FAN ", force = 0.01 }\n" \
          "fluid { material = milk, shape = box { size = {0.2, 0.2, 0.2} }, at = {0.5, 0, 0} }\n"

static void test_set(void **context)
{
    (void)context;
    couScene *scene = load_good(THINGS "at(0.01, function(world)\n"
                                       "  world:set('gravity', {1, 0, -2})\n"
                                       "  world:set('gravity_on', 'bodies')\n"
                                       "  world:set('sph.tolerance', 0.002)\n"
                                       "  world:set('dfsph.max_iterations', 50)\n"
                                       "  world:set('pvfs.height_error', 0.03)\n"
                                       "  world:set('milk.viscosity', 0.7)\n"
                                       "  world:set(milk, 'color', {1, 0, 0})\n"
                                       "  world:set('body.ball.friction', 0.25)\n"
                                       "  world:set('body.ball.stick_distance', 'auto')\n"
                                       "  world:set('body.ball.coanda', 1e-6)\n"
                                       "  world:set('blower.fan.force', 0.3)\n"
                                       "  world:set('blower.fan.on', false)\n"
                                       "end)\n");
    couWorld *world = world_of(scene);
    for (int i = 0; i < 3; ++i) couWorld_Advance(world, 0.01);
    if (couScene_RuntimeError(scene)) fail_msg("%s", couScene_RuntimeError(scene));
    assert_near(couWorld_Def(world)->gravity, 1, 0, -2);
    assert_int_equal(couWorld_Def(world)->gravity_on, cou_gravityOnBodies);
    const couParamTable *params = couMethodParams("sph");
    double value[3];
    couParam_GetNumbers(couParams_Find(params, "tolerance"), couWorld_MethodParams(world), value);
    check_close("tolerance", value[0], 0.002);
    couParam_GetNumbers(couParams_Find(params, "max_iterations"), couWorld_MethodParams(world), value);
    check_close("max_iterations", value[0], 50);
    check_close("viscosity", couWorld_Material(world, couWorld_MaterialAt(world, 1))->viscosity, 0.7);
    const couBodyDef *ball = couWorld_Body(world, couWorld_FindBody(world, "ball"));
    check_close("friction", ball->friction, 0.25);
    check_close("coanda", ball->coanda * 1e6, 1);
    check_close("force", blower_def(scene, "fan")->force, 0.3);
    assert_false(couWorld_IsBlowerOn(world, couWorld_FindBlower(world, "fan")));
    couCloseScene(scene);
}

static void test_bad_sets(void **context)
{
    (void)context;
    static const char *const bad[][2] = {
        {"world:set('gravity', 5)", "gravity"},
        {"world:set('gravity', {0, 1e9, 0})", "1e+09"},
        {"world:set('gravity', {0, 0/0, 0})", "gravity"},
        {"world:set('gravty', {0, 1, 0})", "did you mean 'gravity'?"},
        {"world:set('gravity_on', 'fluids')", "all, fluid, bodies"},
        {"world:set('spacing', 0.1)", "cannot change while the world runs"},
        {"world:set('duration', 3)", "cannot change while the world runs"},
        {"world:set('sph.tolerence', 0.1)", "did you mean 'tolerance'?"},
        {"world:set('sph.tolerance', -1)", "-1"},
        {"world:set('sph.max_step', 1e-9)", "below min_step"},
        {"world:set('dfsp.tolerance', 0.1)", "did you mean 'dfsph'?"},
        {"world:set('mlik.viscosity', 1)", "did you mean 'milk'?"},
        {"world:set('milk.density', 5)", "cannot change from"},
        {"world:set('milk.viscosty', 5)", "did you mean 'viscosity'?"},
        {"world:set('body.bal.friction', 0)", "did you mean 'ball'?"},
        {"world:set('body.ball.friction', 3)", "3"},
        {"world:set('body.ball.mass', 3)", "cannot change while the world runs"},
        {"world:set('body.ball.bounce', 0.5)", "'ball' moves freely"},
        {"world:set('body.friction', 3)", "Write body.NAME.KEY"},
        {"world:set('sph.min_step', 0.0005) world:set('body.ball.coanda', 0.5)", "must be from 0 to"},
        {"world:set('blower.fam.force', 3)", "did you mean 'fan'?"},
        {"world:set('blower.fan.acceleration', 3)", "give either force or acceleration"},
        {"world:set('blower.fan.on', 3)", "expected true or false"},
        {"world:set('blower.fan.fade_out', 1)", "it never stops"},
        {"world:set('blower.fan.force', function() end)", "expected a number"},
        {"world:set('sph.tolerance')", "expected a number"},
        {"blower {}", "while the scene loads"},
    };
    for (int i = 0; i < COU_COUNT(bad); ++i) {
        char text[1500];
        snprintf(text, sizeof text, THINGS "at(0.01, function(world)\n %s end)", bad[i][0]);
        check_runtime_error(text, "scene.lua:8", bad[i][1]);
    }
}

// What was set is in the state.
static void test_resume(void **context)
{
    (void)context;
    static const char *const methods[] = {"dfsph", "wcsph", "pvfs", "mueller"};
    for (int m = 0; m < COU_COUNT(methods); ++m) {
        const char *text = THINGS "body { name = 'floor', shape = plane {}, at = {0, -0.15, 0} }\n"
                                  "at(0.021, function(world)\n"
                                  "  world:set('gravity', {1, -9, 0}) world:set('gravity_on', 'fluid')\n"
                                  "  world:set('sph.courant', 0.3) world:set('sph.stiffness', 20000)\n"
                                  "  world:set('pvfs.height_error', 0.05)\n"
                                  "  world:set('body.ball.friction', 1) world:set('body.ball.coanda', 1e-5)\n"
                                  "  world:set('body.floor.friction', 0.6) world:set('body.floor.stickiness', 50)\n"
                                  "  world:set('blower.fan.force', 0.5)\n"
                                  "end)\n"
                                  "at(0.061, function(world) world:set('blower.fan.on', false) end)\n";
        couSceneOptions options = {.method = methods[m]};
        uint64_t hash[3];
        couState saved = {0};
        couFaults faults = {0};
        for (int run = 0; run < 3; ++run) { // the whole run; after the first changes; before them, in a world that has made them
            couScene *scene = load_with(text, &options, &faults);
            assert_non_null(scene);
            couWorld *world = world_of(scene);
            couState state = {0};
            int first = 0;
            if (run == 2) couWorld_Advance(world, 0.07);
            if (run > 0) {
                first = run == 1 ? 4 : 1;
                couScene *other = load_with(text, &options, &faults);
                for (int i = 0; i < first; ++i) couWorld_Advance(world_of(other), 0.01);
                assert_true(couWorld_SaveState(world_of(other), &saved));
                couCloseScene(other);
                assert_true(couWorld_LoadState(world, &saved, &faults));
                couState_Clear(&saved);
            }
            for (int i = first; i < 9; ++i) couWorld_Advance(world, 0.01);
            if (couScene_RuntimeError(scene)) fail_msg("%s: %s", methods[m], couScene_RuntimeError(scene));
            assert_true(couWorld_SaveState(world, &state));
            hash[run] = couState_Hash(&state);
            couState_Clear(&state);
            couCloseScene(scene);
        }
        print_faults(&faults);
        assert_int_equal(faults.count, 0);
        if (hash[0] != hash[1]) fail_msg("%s: resumed after the changes, the run ends elsewhere", methods[m]);
        if (hash[0] != hash[2]) fail_msg("%s: resumed before the changes, the run ends elsewhere", methods[m]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blowers),  cmocka_unit_test(test_bad_blowers), cmocka_unit_test(test_set),
        cmocka_unit_test(test_bad_sets), cmocka_unit_test(test_resume),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
