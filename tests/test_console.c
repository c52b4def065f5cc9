// The console: lines of Lua on a running world answer, change it, fail without harm, and end.
#include "scene_test.h"

static const char scene_text[] = "scene { spacing = 0.05, duration = 1 }\n"
                                 "syrup = material('syrup')\n"
                                 "fluid { material = syrup, shape = box { size = { 0.3, 0.3, 0.3 } }, at = { 0, 1, 0 } }\n"
                                 "body { name = 'ground', shape = plane {} }\n";

static char answer[4096];

static bool run(couScene *scene, const char *line) { return couScene_RunConsole(scene, line, answer, sizeof answer); }

static void expect(couScene *scene, const char *line, bool is_good, const char *part)
{
    bool was_good = run(scene, line);
    if (was_good != is_good || !strstr(answer, part))
        fail_msg("%s: expected %d with '%s', got %d with '%s'", line, is_good, part, was_good, answer);
}

static void test_lines_answer(void **context)
{
    (void)context;
    couScene *scene = load_good(scene_text);
    expect(scene, "1 + 2", true, "3");
    expect(scene, "print('a', 2) print('b')", true, "a 2\nb");
    expect(scene, "world:gravity()", true, "{0, -9.8100");
    expect(scene, "x = 5", true, "");
    expect(scene, "x * 2", true, "10"); // lines share their globals
    expect(scene, "local t = { 1, 2 } return t", true, "{1, 2}");
    for (int i = 0; i < 600; ++i) expect(scene, "x", true, "5"); // lines are no files of the scene
    couCloseScene(scene);
}

static void test_lines_change_the_world(void **context)
{
    (void)context;
    couScene *scene = load_good(scene_text);
    couWorld *world = couScene_World(scene);
    expect(scene, "world:gravity { 0, 2, 0 }", true, "{0, 2, 0}");
    assert_float_equal(couWorld_Gravity(world).y, 2.0, 0);
    couWorld_Advance(world, 0.1);
    assert_true(couWorld_Measure(world).momentum[1] > 0); // it rises
    size_t count = couWorld_Particles(world).count;
    expect(scene, "world:pour { material = syrup, shape = sphere { radius = 0.1 }, at = { 1, 1, 0 } }", true, "");
    assert_true(couWorld_Particles(world).count > count);
    expect(scene, "world:set(syrup, 'viscosity', 7)", true, "");
    assert_float_equal(couWorld_Material(world, couWorld_MaterialAt(world, 0))->viscosity, 7, 0);
    couCloseScene(scene);
}

static void test_errors_are_answers(void **context)
{
    (void)context;
    couScene *scene = load_good(scene_text);
    expect(scene, "1 +", false, "console:1");
    expect(scene, "error('no')", false, "no");
    expect(scene, "world:gravty()", false, "did you mean 'world.gravity'?");
    expect(scene, "world:gravity { 0, 1e6, 0 }", false, "10000");
    expect(scene, "world:gravity 'down'", false, "three numbers");
    expect(scene, "world:set(syrup, 'viscosity', -1)", false, "viscosity");
    expect(scene, "body { shape = plane {} }", false, "");
    expect(scene, "print('before') error('after')", false, "before");
    char line[9000];
    memset(line, ' ', sizeof line - 1), line[sizeof line - 1] = '\0';
    expect(scene, line, false, "at most");
    assert_null(couScene_RuntimeError(scene)); // the run goes on
    couWorld_Advance(couScene_World(scene), 0.1);
    assert_null(couScene_RuntimeError(scene));
    expect(scene, "2", true, "2");
    couCloseScene(scene);
}

static void test_lines_cannot_reach_out_nor_last(void **context)
{
    (void)context;
    couScene *scene = load_good(scene_text);
    static const char *const forbidden[] = {"io.open('/etc/passwd')",   "os.execute('true')", "os.getenv('HOME')",
                                            "loadfile('/etc/passwd')",  "dofile('x')",        "debug.getregistry()",
                                            "package.loadlib('x','y')", "load('return 1')()", "require '../secret'",
                                            "string.dump(print)"};
    for (int i = 0; i < COU_COUNT(forbidden); ++i)
        if (run(scene, forbidden[i])) fail_msg("%s was allowed: %s", forbidden[i], answer);
    double start = couSeconds();
    expect(scene, "while true do end", false, "endless loop");
    expect(scene, "local s = 'x' while true do s = s .. s end", false, "memory");
    expect(scene, "string.rep('a', 1000):find(string.rep('a?', 1000) .. string.rep('a', 1000))", false, "");
    expect(scene, "setmetatable({}, { __tostring = function() while true do end end })", false, "endless loop");
    assert_true(couSeconds() - start < 600); // generous: a busy machine under sanitizers
    expect(scene, "1", true, "1");
    couCloseScene(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines_answer),
        cmocka_unit_test(test_lines_change_the_world),
        cmocka_unit_test(test_errors_are_answers),
        cmocka_unit_test(test_lines_cannot_reach_out_nor_last),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
