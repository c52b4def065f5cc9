// The shapes that are made of others, and words, in scenes: what they become, and faults with line and key.
#include "scene_test.h"

#include "coulis/font.h"

#define FONT "font = 'dejavu-sans'"

static const couShape *shape_of(couScene *scene, const char *name)
{
    couWorld *world = couScene_World(scene);
    for (int i = 0; i < couWorld_BodyCount(world); ++i) {
        const couBodyDef *body = couWorld_Body(world, couWorld_BodyAt(world, i));
        if (strcmp(body->name, name) == 0) return body->shape;
    }
    fail_msg("there is no body '%s'", name);
    return NULL;
}

static void test_made_of_others(void **context)
{
    (void)context;
    couScene *scene = load_good(
        HEAD
        "local bowl = difference { intersection { sphere { radius = 0.5 }, plane {} }, sphere { radius = 0.4 } }\n"
        "body { name = 'bowl', shape = bowl, density = 500, at = { 0, 1, 0 } }\n"
        "body { name = 'soap', shape = box { size = { 0.4, 0.2, 0.3 }, rounding = 0.08 }, at = { 2, 1, 0 }, density = 900 }\n"
        "fluid { material = 'water', shape = intersection { sphere { radius = 0.38 }, plane {}:at { 0, -0.05, 0 } },"
        " at = { 0, 1, 0 } }");
    const couShape *bowl = shape_of(scene, "bowl"), *soap = shape_of(scene, "soap");
    assert_int_equal(couShape_Kind(bowl), cou_shapeDifference);
    assert_true(couShape_Distance(bowl, 3, (couVec3){0, -0.45f, 0}) < 0.0f);
    assert_true(couShape_Distance(bowl, 3, (couVec3){0, -0.3f, 0}) > 0.09f);
    assert_true(couShape_Distance(bowl, 3, (couVec3){0, 0.1f, 0}) > 0.29f);
    assert_true(couShape_Distance(soap, 3, (couVec3){0.195f, 0.095f, 0.145f}) > 0.0f);
    // 0.117 m^3 of water are about 939 particles.
    couWorld *world = couScene_World(scene);
    double h = 0.33, volume = 3.14159265 * h * h * (3 * 0.38 - h) / 3;
    double count = (double)couWorld_Particles(world).count * 0.05 * 0.05 * 0.05;
    if (!(count > 0.9 * volume && count < 1.05 * volume)) fail_msg("%g m^3 of water, %g were asked for", count, volume);
    couWorld_Advance(world, 0.05);
    assert_null(couScene_RuntimeError(scene));
    couCloseScene(scene);
    scene = load_good("scene { spacing = 0.05, dimension = 2 }\n"
                      "body { name = 'gate', shape = difference { box { size = {1, 1} }, box { size = {0.5, 2} } } }");
    assert_true(couShape_Distance(shape_of(scene, "gate"), 2, (couVec3){0, 0, 0}) > 0.2f);
    couCloseScene(scene);
}

static void test_words(void **context)
{
    (void)context;
    couScene *scene = load_good(
        HEAD "body { name = 'word', shape = text { 'o8', " FONT ", height = 0.5, depth = 0.2 }, density = 500 }\n"
             "emitter { material = 'water', shape = text { 'I', " FONT ", height = 0.6 }, at = { 0, 2, 0 },"
             " direction = { 0, -1, 0 } }\n"
             "fluid { material = 'water', shape = text { 'O', " FONT ", height = 1, depth = 0.5 }, at = { 3, 0, 0 } }");
    assert_int_equal(couShape_Kind(shape_of(scene, "word")), cou_shapePolygon);
    assert_true(couWorld_Particles(couScene_World(scene)).count > 1000);
    couWorld_Advance(couScene_World(scene), 0.1);
    assert_true(couWorld_BodyPose(couScene_World(scene), couWorld_BodyAt(couScene_World(scene), 0)).position.y < -0.01f);
    couCloseScene(scene);
    // Another word is another scene; a font file in the folder is one of its files.
    char path[512], command[1200];
    assert_true(couFindFont("dejavu-sans", path, sizeof path));
    snprintf(command, sizeof command, "cp '%s' '%s/own.ttf'", path, folder);
    assert_int_equal(system(command), 0);
    scene = load_good(HEAD "body { shape = text { 'a\\nb', font = 'own.ttf', height = 0.5 } }");
    int count;
    const couSceneFile *files = couScene_Files(scene, &count);
    bool has_font = false;
    for (int i = 0; i < count; ++i) has_font |= strcmp(files[i].name, "own.ttf") == 0;
    assert_true(has_font);
    couCloseScene(scene);
}

static void test_faults(void **context)
{
    (void)context;
    write_file("bad.ttf", "this is no font at all");
    static const Bad cases[] = {
        {HEAD "difference {}", 2, "difference", "needs shapes"},
        {HEAD "intersection { 5 }", 2, "intersection", "expected a shape"},
        {HEAD "\ndifference { sphere { radius = 1 }, sphere { radius = 2 } }", 3, "difference.children", "nothing is left"},
        {HEAD "intersection { sphere { radius = 1 }, sphere { radius = 1 }:at { 3, 0, 0 } }", 2, "intersection.children",
         "nothing in common"},
        {HEAD "difference { box { size = {1, 1, 1} }, box { size = {0.8, 0.9, 0.8} }:at { 0, 0.05, 0 } }", 2,
         "difference.children", "must stick out"},
        {HEAD "body { shape = difference { box { size = {1, 1, 1} }, box { size = {0.5, 2, 1} } } }", 2, "body.shape",
         "flush with the rest along z"},
        {HEAD "difference { sphere { radius = 1 }, thickness = 2 }", 2, "difference.thickness", "unknown key"},
        {HEAD "box { size = {1, 1, 1}, rounding = 0.6 }", 2, "box.rounding", "0.5 m"},
        {HEAD "box { size = {1, 1, 1}, rounding = -1 }", 2, "box.rounding", "-1"},
        {HEAD "shell { box { size = {1, 1, 1}, rounding = 0.1 }, thickness = 0.1, open = true }", 2, "shell.is_open",
         "cut it off"},
        {HEAD "solid { shape = box { size = {1, 1, 1}, rounding = 0.1 }, cells = {2, 2, 2} }", 2, "solid.cells", "only a box"},
        {HEAD "text { " FONT ", height = 1 }", 2, "text", "the words are missing"},
        {HEAD "text 'word'", 2, "text", "expected a table"},
        {HEAD "text { 5, " FONT ", height = 1 }", 2, "text", "expected a text"},
        {HEAD "text { 'a', height = 1 }", 2, "text.font", "fonts-dejavu-core"},
        {HEAD "text { 'a', " FONT " }", 2, "text.height", "is missing"},
        {HEAD "text { 'a', " FONT ", height = 0 }", 2, "text.height", "> 0"},
        {HEAD "text { 'a', " FONT ", height = 1, deep = 2 }", 2, "text.deep", "unknown key"},
        {HEAD "text { 'a', font = 'dejavu-snas', height = 1 }", 2, "text.font", "did you mean 'dejavu-sans'?"},
        {HEAD "text { 'a', font = 'none.ttf', height = 1 }", 2, "text.font", "no file 'none.ttf' inside the scene's folder"},
        {HEAD "text { 'a', font = '../a.ttf', height = 1 }", 2, "text.font", "only files inside"},
        {HEAD "text { 'a', font = '/etc/passwd', height = 1 }", 2, "text.font", "only files inside"},
        {HEAD "text { 'a', font = 'bad.ttf', height = 1 }", 2, "text.font", "'bad.ttf': it is no font, or damaged"},
        {HEAD "text { ' ', " FONT ", height = 1 }", 2, "text.font", "nothing of the text"},
        {HEAD "text { '\xe6\xbc\xa2', " FONT ", height = 1 }", 2, "text.font", "no letter U+6F22"},
        {HEAD "text { 'a\\255', " FONT ", height = 1 }", 2, "text", "character 2 is not UTF-8"},
        {HEAD "text { ('o'):rep(300), " FONT ", height = 1 }", 2, "text", "more than 256 characters"},
        {HEAD "subtract { sphere { radius = 1 } }", 2, "", "here it is 'difference'"},
    };
    for (int i = 0; i < COU_COUNT(cases); ++i) check_bad(&cases[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_made_of_others), cmocka_unit_test(test_words),
                                       cmocka_unit_test(test_faults)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
