// camera{}: still, along keyframes, on a turntable; colors{}; and every way in which they can be wrong.
#include "scene_test.h"

static couCamera camera_of(const char *text, couScene **scene)
{
    char full[2048];
    snprintf(full, sizeof full, "scene {}\n%s", text);
    *scene = load_good(full);
    return couScene_Camera(*scene);
}

static void test_still_camera_stays(void **context)
{
    (void)context;
    couScene *scene;
    couCamera camera = camera_of("camera { from = {1, 2, 3}, to = {0, 1, 0}, aperture = 0.01, focus = 2 }", &scene);
    couCamera later = couCamera_At(&camera, 7);
    assert_true(later.is_set && later.fov == 40 && later.turn == 0);
    assert_true(fabs((double)later.aperture - 0.01) < 1e-7);
    assert_true(fabs((double)later.focus - 2) < 1e-7);
    assert_near(later.from, 1, 2, 3);
    assert_near(later.to, 0, 1, 0);
    couCloseScene(scene);
}

static void test_keyframes_are_passed_through(void **context)
{
    (void)context;
    couScene *scene;
    couCamera camera = camera_of("camera { fov = 50, path = {\n"
                                 "  { time = 1, from = {0, 0, 4}, to = {0, 0, 0} },\n"
                                 "  { time = 2, from = {4, 0, 0}, fov = 20 },\n"
                                 "  { time = 4, to = {0, 1, 0}, aperture = 0.1, focus = 3 } } }",
                                 &scene);
    assert_true(camera.is_set);
    couCamera at = couCamera_At(&camera, 0); // before the first: as the first
    assert_near(at.from, 0, 0, 4);
    assert_true(at.fov == 50);
    at = couCamera_At(&camera, 2);
    assert_near(at.from, 4, 0, 0);
    assert_near(at.to, 0, 0, 0);
    assert_true(at.fov == 20);
    at = couCamera_At(&camera, 9); // what a keyframe leaves out stays
    assert_near(at.from, 4, 0, 0);
    assert_near(at.to, 0, 1, 0);
    assert_true(at.fov == 20 && at.aperture > 0.09f && at.focus == 3);
    // In between it moves steadily and stays in range.
    couVec3 before = couCamera_At(&camera, 1).from;
    for (double time = 1; time <= 2; time += 0.01) {
        at = couCamera_At(&camera, time);
        assert_true(couLength(couSub(at.from, before)) < 0.2f);
        assert_true(at.fov >= 1 && at.fov <= 150 && at.aperture >= 0);
        before = at.from;
    }
    couCloseScene(scene);
}

static void test_turntable_turns(void **context)
{
    (void)context;
    couScene *scene;
    couCamera camera = camera_of("camera { from = {0, 1, 2}, to = {0, 0, 0}, turntable = 8 }", &scene);
    assert_near(couCamera_At(&camera, 0).from, 0, 1, 2);
    assert_near(couCamera_At(&camera, 2).from, 2, 1, 0);
    assert_near(couCamera_At(&camera, 4).from, 0, 1, -2);
    assert_near(couCamera_At(&camera, 8).from, 0, 1, 2);
    assert_true(fabs((double)couCamera_At(&camera, 2).turn - 90) < 1e-3);
    couCloseScene(scene);
    camera = camera_of("camera { from = {0, 1, 2}, to = {0, 0, 0}, turntable = -8 }", &scene);
    assert_near(couCamera_At(&camera, 2).from, -2, 1, 0);
    couCloseScene(scene);
    camera = camera_of("camera { turntable = 8 }", &scene); // around everything
    assert_false(camera.is_set);
    assert_true(fabs((double)couCamera_At(&camera, 6).turn - 270) < 1e-3);
    couCloseScene(scene);
}

static void test_wrong_cameras_are_faults(void **context)
{
    (void)context;
    static const Bad cases[] = {
        {HEAD "camera { path = 3 }", 2, "camera.path", "got 3"},
        {HEAD "camera { path = {} }", 2, "camera.path", "0 keyframes"},
        {HEAD "camera { path = { 5 } }", 2, "camera.path[1]", "expected a keyframe"},
        {HEAD "camera { path = { { from = {1,0,0}, to = {0,0,0} } } }", 2, "camera.path[1].time", "is missing"},
        {HEAD "camera { path = { { time = 0, to = {0,0,0} } } }", 2, "camera.path[1].from", "is missing"},
        {HEAD "camera { path = { { time = 0, from = {1,0,0} } } }", 2, "camera.path[1].to", "is missing"},
        {HEAD "camera { path = { { time = 0, from = {1,0,0}, to = {1,0,0} } } }", 2, "camera.path[1].to", "same place"},
        {HEAD "camera { path = { { time = 1, from = {1,0,0}, to = {0,0,0} }, { time = 1 } } }", 2, "camera.path[2].time",
         "not after"},
        {HEAD "camera { path = { { time = 0/0, from = {1,0,0}, to = {0,0,0} } } }", 2, "camera.path[1].time", "seconds"},
        {HEAD "camera { path = { { time = 0, from = {1,0,0}, to = {0,0,0}, fov = 400 } } }", 2, "camera.path[1].fov", "400"},
        {HEAD "camera { path = { { time = 0, from = {1,0,0}, to = {0,0,0}, fvo = 40 } } }", 2, "camera.path[1].fvo", "fov"},
        {HEAD "camera { path = { { time = 0, from = {1,0,0}, to = {0,0,0} }, x = 1 } }", 2, "camera.path.x", ""},
        {HEAD "camera { from = {1,0,0}, to = {0,0,0}, turntable = 0.001 }", 2, "camera.turntable", "0.01"},
        {HEAD "camera { from = {1,0,0}, turntable = 5 }", 2, "camera.to", "is missing"},
        {HEAD "camera { from = {1,0,0}, to = {0,0,0}, aperture = -1 }", 2, "camera.aperture", "-1"},
        {HEAD "camera { from = {1,0,0}, to = {0,0,0},\n focus = 'near' }", 2, "camera.focus", "number"},
    };
    for (int i = 0; i < COU_COUNT(cases); ++i) check_bad(&cases[i]);
}

static void test_colors_are_read(void **context)
{
    (void)context;
    couScene *scene = load_good("scene {}");
    couColors colors = couScene_Colors(scene);
    assert_string_equal(colors.by, "");
    couCloseScene(scene);
    scene = load_good(HEAD "colors { by = 'pressure', low = -10, high = 2000, map = 'inferno', legend = false }");
    colors = couScene_Colors(scene);
    assert_string_equal(colors.by, "pressure");
    assert_true(colors.low == -10 && colors.high == 2000 && colors.map == cou_mapInferno && !colors.has_legend);
    couCloseScene(scene);
    scene = load_good(HEAD "colors { by = 'speed', low = 0 }");
    colors = couScene_Colors(scene);
    assert_true(colors.low == 0 && isnan(colors.high) && colors.map == cou_mapViridis && colors.has_legend);
    couCloseScene(scene);
}

static void test_wrong_colors_are_faults(void **context)
{
    (void)context;
    static const Bad cases[] = {
        {HEAD "colors { map = 'viridis' }", 2, "colors.by", "is missing"},
        {HEAD "colors { by = 'sped' }", 2, "colors.by", "did you mean speed?"},
        {HEAD "colors { by = 'speed', low = 3, high = 3 }", 2, "colors.high", "must be more than low, 3"},
        {HEAD "colors { by = 'speed', low = 'small' }", 2, "colors.low", "number"},
        {HEAD "colors { by = 'speed', map = 'rainbow' }", 2, "colors.map", "viridis, inferno, coolwarm, gray"},
        {HEAD "colors { by = 'speed', hihg = 3 }", 2, "colors.hihg", "high"},
        {HEAD "colors { by = 'speed' }\ncolors { by = 'id' }", 3, "colors", "a second colors{}"},
        {HEAD "colors 'speed'", 2, "colors", "table"},
    };
    for (int i = 0; i < COU_COUNT(cases); ++i) check_bad(&cases[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_still_camera_stays), cmocka_unit_test(test_keyframes_are_passed_through),
        cmocka_unit_test(test_turntable_turns),    cmocka_unit_test(test_wrong_cameras_are_faults),
        cmocka_unit_test(test_colors_are_read),    cmocka_unit_test(test_wrong_colors_are_faults),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
