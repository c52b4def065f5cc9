// gauge{} in scenes: what it makes, every kind of fault, and what events see of it.
#include "scene_test.h"

#include "coulis/gauge.h"

#define TANK \
    "scene { spacing = 0.05, method = \"dfsph\" }\n" \
    "body { name = \"tank\", shape = shell { box { size = {1, 1, 1} }, thickness = 0.2, open = true }, at = {0, 0.5, 0} }\n" \
    "fluid { material = \"water\", shape = box { size = {1, 0.4, 1} }, at = {0, 0.2, 0} }\n"

static void test_gauges_of_a_scene(void **context)
{
    (void)context;
    couScene *scene = load_good(TANK
                                "gauge { name = \"p\", at = {0, 0.1, 0}, every = 0.5 }\n"
                                "gauge { name = \"v\", what = \"velocity\", line = {{0, 0, 0}, {0, 1, 0}}, points = 3 }\n"
                                "gauge { name = \"q\", polygon = {{0, 0, 0}, {0, 1, 0}, {0, 1, 1}} }\n"
                                "gauge { name = \"m\", what = \"mass\", shape = sphere { radius = 0.3 }, at = {0, 0.2, 0} }\n"
                                "gauge { name = \"f\", body = \"tank\" }\n"
                                "gauge { name = \"t\", what = \"torque\", body = \"tank\", shape = box { size = {9, 1, 9} } }\n"
                                "gauge { what = \"level\", line = {{0, 0, 0}, {0, 1, 0}} }\n");
    const couWorld *world = couScene_World(scene);
    assert_int_equal(couWorld_GaugeCount(world), 7);
    const struct {
        const char *name;
        int what, place;
    } expected[] = {{"p", cou_gaugePressure, cou_gaugeAtPoint},    {"v", cou_gaugeVelocity, cou_gaugeAlongLine},
                    {"q", cou_gaugeFlow, cou_gaugeAcrossPolygon},  {"m", cou_gaugeMass, cou_gaugeInRegion},
                    {"f", cou_gaugeForce, cou_gaugeOnBody},        {"t", cou_gaugeTorque, cou_gaugeOnBody},
                    {"gauge7", cou_gaugeLevel, cou_gaugeAlongLine}};
    for (int g = 0; g < COU_COUNT(expected); ++g) {
        const couGaugeDef *def = couWorld_Gauge(world, couWorld_FindGauge(world, expected[g].name));
        assert_non_null(def);
        assert_int_equal(def->what, expected[g].what);
        assert_int_equal(def->place, expected[g].place);
    }
    const char *const columns[] = {"p", "p_support", "v_1_x", "v_1_y", "v_1_z", "v_2_x"};
    for (int c = 0; c < COU_COUNT(columns); ++c) assert_string_equal(couWorld_GaugeColumnAt(world, c).name, columns[c]);
    assert_string_equal(couWorld_GaugeColumnAt(world, 0).unit, "Pa");
    assert_true(couWorld_Gauge(world, couWorld_FindGauge(world, "p"))->every == 0.5);
    couCloseScene(scene);
}

static void test_bad_gauges(void **context)
{
    (void)context;
    const Bad bad[] = {
        {TANK "gauge { what = \"pressure\" }", 4, "gauge", "say where"},
        {TANK "gauge { at = {0, 0.1, 0}, line = {{0, 0, 0}, {0, 1, 0}} }", 4, "gauge.at", "one of at, line"},
        {TANK "gauge { at = {0, 0.1, 0}, every = 0 }", 4, "gauge.every", "0"},
        {TANK "gauge { at = {0, 0.1, 0}, every = -1 }", 4, "gauge.every", "-1"},
        {TANK "gauge { at = {0, 0.1, 0}, evry = 1 }", 4, "gauge.evry", "did you mean 'every'"},
        {TANK "gauge { at = {0, 0.1, 0}, what = \"presure\" }", 4, "gauge.what", "pressure"},
        {TANK "gauge { at = {0, 0.1, 0}, what = \"level\" }", 4, "gauge.what", "line"},
        {TANK "gauge { what = \"level\", line = {{0, 1, 0}, {0, 1, 0}} }", 4, "gauge.line", "no length"},
        {TANK "gauge { line = {{0, 1, 0}} }", 4, "gauge.line", "two points"},
        {TANK "gauge { polygon = {{0, 0, 0}, {0, 1, 0}, {0, 2, 0}} }", 4, "gauge.polygon", "no area"},
        {TANK "gauge { polygon = {{0, 0, 0}, {0, 1, 0}} }", 4, "gauge.polygon", "allowed are 3 to 32"},
        {TANK "gauge { body = \"tnk\" }", 4, "gauge.body", "did you mean 'tank'"},
        {TANK "gauge { body = \"tank\", what = \"pressure\" }", 4, "gauge.what", "not with body"},
        {TANK "gauge { at = {0, 0.1, 0}, stat = \"max\" }", 4, "gauge.stat", "region"},
        {TANK "gauge { at = {0, 0.1, 0}, points = 5 }", 4, "gauge.points", "profile"},
        {TANK "gauge { at = {0, -0.15, 0} }", 4, "gauge.at", "inside the body 'tank'"},
        {TANK "gauge { at = {0, 50, 0} }", 4, "gauge.at", "outside the domain"},
        {TANK "gauge { what = \"mass\", shape = plane {} }", 4, "gauge.shape", "no bounds"},
        {TANK "gauge { name = \"a\", at = {0, 0.1, 0} } gauge { name = \"a\", at = {0, 0.1, 0} }", 4, "gauge.name", "already"},
        {TANK "gauge { name = \"a b\", at = {0, 0.1, 0} }", 4, "gauge.name", "letters"},
    };
    for (int k = 0; k < COU_COUNT(bad); ++k) check_bad(&bad[k]);
}

static void test_gauges_in_events(void **context)
{
    (void)context;
    couScene *scene = load_good(TANK "gauge { name = \"m\", what = \"mass\", shape = box { size = {2, 2, 2} }, every = 0.01 }\n"
                                     "at(0, function(world) assert(world:gauge(\"m\") == nil) end)\n"
                                     "at(0.05, function(world)\n"
                                     "    local mass, count = world:gauge(\"m\")\n"
                                     "    assert(math.abs(mass - 400) < 1 and count == 3200, mass)\n"
                                     "    world:record(\"twice\", 2 * mass)\n"
                                     "    assert(world:gauge(\"twice\") == 2 * mass)\n"
                                     "    assert(#world:body(\"tank\").force == 3 and world:body(\"tank\").force[2] ~= 0)\n"
                                     "end)\n"
                                     "at(0.07, function(world) world:remove_gauge(\"m\") end)\n");
    couWorld *world = couScene_World(scene);
    for (int k = 0; k < 5; ++k) couWorld_Advance(world, 0.02);
    if (couScene_RuntimeError(scene)) fail_msg("%s", couScene_RuntimeError(scene));
    assert_int_equal(couWorld_GaugeCount(world), 1);
    assert_string_equal(couWorld_GaugeColumnAt(world, 2).name, "twice");
    couCloseScene(scene);
    check_runtime_error(TANK "at(0, function(world) world:gauge(\"p\") end)", "scene.lua:4", "there is no gauge 'p'");
    check_runtime_error(TANK "at(0, function(world) world:record(\"a\", \"b\") end)", "scene.lua:4", "expected a number");
    check_runtime_error(TANK "at(0, function(world) world:record(\"a,b\", 1) end)", "scene.lua:4", "letters");
    // A body that is removed while it is measured is no error.
    scene = load_good(TANK "body { name = \"ball\", shape = sphere { radius = 0.1 }, at = {0, 0.7, 0} }\n"
                           "gauge { name = \"f\", body = \"ball\" }\n"
                           "at(0.02, function(world) world:remove_body(\"ball\") end)\n");
    for (int k = 0; k < 3; ++k) couWorld_Advance(couScene_World(scene), 0.02);
    assert_null(couScene_RuntimeError(scene));
    double force[3];
    couWorld_GaugeValues(couScene_World(scene), couWorld_FindGauge(couScene_World(scene), "f"), force, 3);
    assert_true(isnan(force[0]));
    couCloseScene(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_gauges_of_a_scene), cmocka_unit_test(test_bad_gauges),
                                       cmocka_unit_test(test_gauges_in_events)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
