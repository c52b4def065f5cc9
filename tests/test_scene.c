// Scenes: every kind of bad scene gives its fault with line and key, good ones become worlds. The sandbox has test_sandbox.c.
#include "scene_test.h"

#include <sys/stat.h>

// --- Good scenes -------------------------------------------------------------------------------------------------------------

static void test_whole_language(void **context)
{
    (void)context;
    couScene *scene = load_good(
        "scene { title = 'All', note = 'see', method = 'pvfs', spacing = 0.05, duration = 2.5, fps = 25, gravity = {0, -5, 0},\n"
        "  seed = 7, threads = 1 }\n"
        "local honey = material('honey')\n"
        "local thin = material('honey', { viscosity = 1 })\n"
        "local mine = material('mine', { base = 'water', density = 900, color = {1, 0, 0} })\n"
        "fluid { material = honey, shape = box { size = {0.2, 0.2, 0.2} }, at = {0, 0.5, 0}, velocity = {0, -1, 0} }\n"
        "fluid { material = thin, shape = sphere { radius = 0.1 }:at { 1, 0.5, 0 } }\n"
        "body { name = 'ground', shape = plane { normal = {0, 1, 0} }, friction = 0.9 }\n"
        "body { shape = shell { cylinder { radius = 0.4, height = 0.5 }, thickness = 0.05, open = true }, at = {0, 0.4, 3} }\n"
        "body { shape = union { sphere { radius = 0.1 }, capsule { radius = 0.1, height = 0.3 }"
        "  :turned { axis = {0,0,1}, degrees = 90 },\n"
        "  torus { radius = 0.3, radius2 = 0.05 }, cone { radius = 0.2, radius2 = 0.1, height = 0.3 } }, at = {5, 1, 0} }\n"
        "body { name = 'arm', shape = box { size = {0.1, 0.1, 0.5} }, motion = function(t)"
        "  return { at = {t, 2, 0}, turn = { axis = {0,1,0}, degrees = 90 * t } } end }\n"
        "emitter { name = 'tap', material = mine, shape = disk { radius = 0.1 }, at = {0, 3, 0}, direction = {0, -1, 0}, "
        "  speed = 2, stop = 1 }\n"
        "emitter { material = 'water', shape = polygon { points = {{0,0},{0.3,0},{0.3,0.3},{0,0.3}} }, at = {3, 3, 0}, "
        "  turn = { axis = {1,0,0}, degrees = 90 } }\n"
        "sink { shape = box { size = {1, 1, 1} }, at = {0, -9, 0} }\n"
        "field { kind = 'uniform', vector = {1, 0, 0}, region = sphere { radius = 1 } }\n"
        "field { acceleration = function(x, y, z, vx, vy, vz, t) return -x, 0, -z end, start = 1 }\n"
        "at(0.5, function(world) world:stop_emitters() end)\n"
        "every(0.1, function(world) world.store.n = (world.store.n or 0) + 1 end)\n"
        "camera { from = {1, 1, 1}, to = {0, 0, 0}, fov = 30 }\n");
    couWorld *world = couScene_World(scene);
    assert_string_equal(couScene_Title(scene), "All");
    assert_string_equal(couScene_Note(scene), "see");
    assert_true(couScene_Duration(scene) == 2.5 && couScene_Fps(scene) == 25);
    assert_true(couScene_Camera(scene).is_set && couScene_Camera(scene).fov == 30);
    assert_int_equal(couWorld_Def(world)->seed, 7);
    assert_true(couWorld_Def(world)->gravity.y == -5);
    assert_true(couWorld_Particles(world).count > 64);
    assert_true(couWorld_FindBody(world, "ground").index1 && couWorld_FindBody(world, "arm").index1);
    assert_int_equal(couWorld_EmitterCount(world), 2);
    assert_string_equal(couWorld_Material(world, couWorld_MaterialAt(world, 0))->name, "honey");
    assert_string_equal(couWorld_Material(world, couWorld_MaterialAt(world, 1))->name, "honey-2");
    assert_string_equal(couWorld_Material(world, couWorld_MaterialAt(world, 2))->name, "mine");
    assert_true(couWorld_Material(world, couWorld_MaterialAt(world, 2))->density == 900);
    assert_null(couScene_RuntimeError(scene));
    couCloseScene(scene);
}

static void test_poses(void **context)
{
    (void)context;
    couScene *scene = load_good(
        HEAD
        "body { name = 'a', shape = sphere { radius = 0.1 }:at {1, 0, 0}:turned { axis = {0,0,1}, degrees = 90 }, "
        "  at = {0, 5, 0} }\n"
        "body { name = 'm', shape = sphere { radius = 0.1 }, at = {3, 3, 3}, "
        "  motion = function(t) return { at = {t, 1, 2} } end }\n"
        "emitter { name = 'down', material = 'water', shape = disk { radius = 0.1 }, direction = {0, -2, 0}, at = {0, 9, 0} }\n"
        "emitter { name = 'side', material = 'water', shape = disk { radius = 0.1 }:turned { axis = {1,0,0}, degrees = 30 }, "
        "  direction = {1, 0, 1}, at = {0, 9, 0} }\n"
        "emitter { name = 'poly', material = 'water', shape = polygon { points = {{0,0},{0.2,0},{0,0.2}} }, "
        "  direction = {0, 1, 0}, at = {0, 9, 0} }\n"
        "emitter { name = 'moved', material = 'water', shape = disk { radius = 0.1 }, at = {0, 9, 0},\n"
        "  motion = function(t) return { direction = {0, 0, -1} } end }\n");
    couWorld *world = couScene_World(scene);
    assert_near(couWorld_BodyPose(world, couWorld_FindBody(world, "a")).position, 0, 6, 0);
    assert_near(couWorld_BodyPose(world, couWorld_FindBody(world, "m")).position, 0, 1, 2);
    const couBodyDef *moving = couWorld_Body(world, couWorld_FindBody(world, "m"));
    assert_near(moving->motion(moving->motion_context, 4.0).position, 4, 1, 2);
    const float s = 0.70710678f;
    const float directions[4][3] = {{0, -1, 0}, {s, 0, s}, {0, 1, 0}, {0, 0, -1}};
    for (int i = 0; i < 4; ++i) {
        const couEmitterDef *def = couWorld_Emitter(world, couWorld_EmitterAt(world, i));
        couVec3 axis = i == 2 ? (couVec3){0, 0, 1} : (couVec3){0, 1, 0};
        assert_near(couRotate(def->pose.rotation, axis), directions[i][0], directions[i][1], directions[i][2]);
        assert_near(def->pose.position, 0, 9, 0);
    }
    couCloseScene(scene);
}

static void test_order_does_not_matter(void **context)
{
    (void)context;
    const char *ball = "body { shape = sphere { radius = 0.2 } }\n";
    char first[512], last[512];
    snprintf(first, sizeof first, HEAD "%s%s", ball, "fluid { material = 'oil', shape = box { size = {0.6, 0.6, 0.6} } }\n");
    snprintf(last, sizeof last, HEAD "%s%s", "fluid { material = 'oil', shape = box { size = {0.6, 0.6, 0.6} } }\n", ball);
    couScene *a = load_good(first);
    size_t count = couWorld_Particles(couScene_World(a)).count;
    couCloseScene(a);
    couScene *b = load_good(last);
    assert_int_equal(couWorld_Particles(couScene_World(b)).count, count);
    assert_true(count > 100);
    couCloseScene(b);
}

// --- Bad scenes --------------------------------------------------------------------------------------------------------------

#define BALL "fluid { material = 'water', shape = sphere { radius = 0.2 }, "
static const Bad bad_scenes[] = {
    // The file
    {"scene {\n  spacing = = 2 }", 2, "", "unexpected symbol"},
    {"scene { spacing = 0.05 ", 1, "", "'}' expected"},
    {"local x = nil\nx.y = 1\n", 2, "", "attempt to index a nil value"},
    {HEAD "error('my own')\n", 2, "", "my own"},
    {HEAD "error({})\n", 2, "", "not a text"},
    {"-- nothing\n", 0, "scene", "no scene{}"},
    {"scene {}\nscene {}\n", 2, "scene", "a second scene{}"},
    {"\x1bLua\x54", 0, "", "binary"},
    // scene{}
    {"scene { spcing = 0.05 }", 1, "scene.spcing", "unknown key 'spcing': did you mean 'spacing'?"},
    {"scene { qqqqqqqq = 1 }", 1, "scene.qqqqqqqq", "unknown key 'qqqqqqqq'"},
    {"scene { spacing = -0.05 }", 1, "scene.spacing", "-0.05"},
    {"scene { spacing = 0/0 }", 1, "scene.spacing", "nan"},
    {"scene { spacing = math.huge }", 1, "scene.spacing", "inf"},
    {"scene { spacing = '0.05' }", 1, "scene.spacing", "expected a number, got the text '0.05'"},
    {"scene { dimension = 4 }", 1, "scene.dimension", "4"},
    {"scene { dimension = 2.5 }", 1, "scene.dimension", "2.5"},
    {"scene { gravity = 9.81 }", 1, "scene.gravity", "expected three numbers {x, y, z}, got 9.81"},
    {"scene { gravity = {0, 'a', 0} }", 1, "scene.gravity", "three numbers"},
    {"scene { gravity = {0, -9.81, 0, 1} }", 1, "scene.gravity", "three numbers"},
    {"scene { method = 'pfvs' }", 1, "scene.method", "unknown method 'pfvs': did you mean 'pvfs'?"},
    {"scene { title = 5 }", 1, "scene.title", "expected a text, got 5"},
    {"scene { duration = 0 }", 1, "scene.duration", "> 0"},
    {"scene { fps = -1 }", 1, "scene.fps", "-1"},
    {"scene { pvfs = 5 }", 1, "scene.pvfs", "table"},
    {"scene { pvfs = { nonsense_key = 5 } }", 1, "pvfs.nonsense_key", "unknown key"},
    {"scene { 5 }", 1, "scene", "has no name"},
    {"scene 'text'", 1, "scene", "expected a table"},
    // materials
    {HEAD "material('hony')", 2, "material.name", "unknown material 'hony': did you mean 'honey'?"},
    {HEAD "material('zzzzz')", 2, "material.name", "not in the library"},
    {HEAD "material('mine', { base = 'watr' })", 2, "material.base", "did you mean 'water'?"},
    {HEAD "material('honey', { viscosty = 2 })", 2, "material.viscosty", "did you mean 'viscosity'?"},
    {HEAD "material('honey', { viscosity = -2 })", 2, "material.viscosity", "-2"},
    {HEAD "material('honey', { springs = 'rubber' })", 2, "material.springs", "none, plastic, frozen"},
    {HEAD "material(5)", 2, "material.name", "expected a text"},
    {HEAD "material('honey', 5)", 2, "material", "expected a table of changes"},
    {HEAD "material('honey', { color = {1, 2, 3} })", 2, "material.color", "color"},
    {HEAD "material('a/b', { base = 'water' })", 2, "material.name", "not a good name"},
    // shapes
    {HEAD "sphere { radius = -1 }", 2, "sphere.radius", "-1"},
    {HEAD "sphere {}", 2, "sphere.radius", "is missing"},
    {HEAD "sphere { raduis = 1, radius = 1 }", 2, "sphere.raduis", "did you mean 'radius'?"},
    {HEAD "box { size = {1, 0, 1} }", 2, "box.size", "size"},
    {HEAD "shell { thickness = 0.1 }", 2, "shell", "needs a shape"},
    {HEAD "shell { 5, thickness = 0.1 }", 2, "shell", "expected a shape"},
    {HEAD "polygon { points = {{0,0}, {1,0}} }", 2, "polygon.points", "2 points"},
    {HEAD "sphere { radius = 1 }:at 'x'", 2, "shape.at", "three numbers"},
    {HEAD "sphere { radius = 1 }:turned { axis = {0,0,0}, degrees = 5 }", 2, "shape.turned", "no length"},
    {HEAD "sphere { radius = 1 }:turned { axis = {0,0,1} }", 2, "shape.turned", "'degrees' is missing"},
    // things
    {HEAD "fluid { material = 'water' }", 2, "fluid.shape", "is missing"},
    {HEAD "fluid { shape = sphere { radius = 1 } }", 2, "fluid.material", "is missing"},
    {HEAD "fluid { material = 'watr', shape = sphere { radius = 0.5 } }", 2, "fluid.material", "did you mean 'water'?"},
    {HEAD "fluid { material = 'water', shape = 'ball' }", 2, "fluid.shape", "expected a shape"},
    {HEAD "\nfluid {\n  material = 'water',\n  shape = sphere { radius = 0.5 },\n  velocty = {0,0,0} }", 3, "fluid.velocty",
     "did you mean 'velocity'?"},
    {HEAD BALL "velocity = 5 }", 2, "fluid.velocity", "expected three numbers {x, y, z}, got 5"},
    {HEAD BALL "velocity = {0, 20000, 0} }", 2, "fluid.velocity", "20000"},
    {HEAD BALL "velocity = function() end }", 2, "fluid.velocity",
     "expected {vx, vy, vz}, numbers from -10000 to 10000, got nothing"},
    {HEAD BALL "velocity = function(x, y, z) return x, y, z end }", 2, "fluid.velocity", "expected {vx, vy, vz}"},
    {HEAD BALL "velocity = function(x, y, z) return {x, 'y', z} end }", 2, "fluid.velocity", "got a table"},
    {HEAD BALL "velocity = function(x, y, z) return {1} end }", 2, "fluid.velocity", "got a table"},
    {HEAD BALL "velocity = function(x, y, z) return {0, 0/0, 0} end }", 2, "fluid.velocity", "nan, 0}"},
    {HEAD BALL "velocity = function(x, y, z) return {1/0, 0, 0} end }", 2, "fluid.velocity", "got {inf, 0, 0}"},
    {HEAD BALL "velocity = function(x, y, z) return {0, 0, x > 0 and 20000 or 1} end }", 2, "fluid.velocity",
     "got {0, 0, 20000}"},
    {HEAD BALL "velocity = function(x, y, z)\n return {x, y, nope} end }", 3, "", "unknown name 'nope'"},
    {HEAD BALL "velocity = function() while true do end end }", 2, "", "endless loop?"},
    {HEAD BALL "spin = 'fast' }", 2, "fluid.spin", "expected three numbers {x, y, z}, got the text 'fast'"},
    {HEAD BALL "spin = 5 }", 2, "fluid.spin", "one is for 2D"},
    {HEAD BALL "spin = {0, 0, 1/0} }", 2, "fluid.spin", "inf"},
    {HEAD BALL "spin = 0/0 }", 2, "fluid.spin", "nan"},
    {"scene { dimension = 2, spacing = 0.05 }\n" BALL "spin = {1, 0, 2} }", 2, "fluid.spin", "2D only turns about z"},
    {HEAD "body { shape = sphere { radius = 1 }, friction = 2 }", 2, "body.friction", "2"},
    {HEAD "body { shape = sphere { radius = 1 }, motion = 5 }", 2, "body.motion", "expected a function of time"},
    {HEAD "body { shape = sphere { radius = 1 }, motion = function(t) return 5 end }", 2, "motion", "expected a table"},
    {HEAD "body { shape = sphere { radius = 1 }, motion = function(t) return { at = {0/0, 0, 0} } end }", 2, "motion.at",
     "component 1"},
    {HEAD "body { shape = sphere { radius = 1 }, motion = function(t)\n return t.x end }", 3, "", "attempt to index a number"},
    {HEAD "body { shape = sphere { radius = 1 }, fixed = 1 }", 2, "body.fixed", "true or false"},
    {HEAD "body { name = 'a', shape = sphere { radius = 1 } }\nbody { name = 'a', shape = sphere { radius = 1 } }", 3,
     "body.name", "'a'"},
    {HEAD "body { name = 'much too long a name for a body of a scene', shape = sphere { radius = 1 } }", 2, "body.name",
     "at most 31"},
    {HEAD "emitter { material = 'water', shape = disk { radius = 0.1 }, speed = -1 }", 2, "emitter.speed", "-1"},
    {HEAD "emitter { material = 'water', shape = disk { radius = 0.1 }, direction = {0,0,0} }", 2, "emitter.direction",
     "no length"},
    {HEAD "emitter { material = 'water', shape = disk { radius = 0.1 }, start = 2, stop = 1 }", 2, "emitter.stop",
     "not after start"},
    {HEAD "emitter { material = 'water', shape = sphere { radius = 0.1 }, direction = {1,0,0} }", 2, "emitter.direction",
     "only a disk"},
    {HEAD "for i = 1, 2 do\nemitter { name = 'e', material = 'water', shape = disk { radius = 0.1 }, at = {i, 0, 0} } end", 3,
     "emitter.name", "'e'"},
    {HEAD "sink {}", 2, "sink.shape", "is missing"},
    {HEAD "field { kind = 'magnetic' }", 2, "field.kind", "uniform"},
    {HEAD "field { kind = 'function' }", 2, "field.acceleration", "is missing"},
    {HEAD "at(-1, function() end)", 2, "at.time", "got -1"},
    {HEAD "at(1)", 2, "at.function", "expected a function, got nothing"},
    {HEAD "every(0, function() end)", 2, "every.period", "> 0"},
    {HEAD "camera { from = {0,0,0}, to = {0,0,0} }", 2, "camera.to", "same place"},
    {HEAD "camera { from = {0,0,0} }", 2, "camera.to", "is missing"},
    {HEAD "camera { from = {0,0,0}, to = {1,0,0}, fov = 400 }", 2, "camera.fov", "400"},
    // the whole scene
    {HEAD
     "body { name = 'block', shape = box { size = {1,1,1} } }\nemitter { material = 'water', shape = disk { radius = 0.1 } }",
     3, "emitter.at", "inside the body 'block'"},
    {HEAD "emitter { material = 'water', shape = disk { radius = 0.2 }, at = {0.55, 0, 0}, direction = {1,0,0} }\n"
          "body { name = 'block', shape = box { size = {1.2,1,1} } }",
     2, "emitter.at", "inside the body 'block'"},
    {HEAD "emitter { material = 'water', shape = disk { radius = 0.01 } }", 2, "emitter.shape", "smaller than one particle"},
    {HEAD "fluid { material = 'water', shape = plane {} }", 2, "fluid.shape", "no bounds"},
    {HEAD "fluid { material = 'water', shape = box { size = {1, 0.02, 1} } }", 2, "fluid.shape", "0.02 m thin along y"},
    {HEAD "fluid { material = 'water', shape = box { size = {0.2,0.2,0.2} }, at = {0,-1,0} }\n"
          "body { name = 'ground', shape = plane {} }",
     2, "fluid.at", "wholly inside the body 'ground'"},
    {"scene { spacing = 0.0001 }\nfluid { material = 'water', shape = box { size = {1, 1, 1} } }", 2, "fluid.shape",
     "9.09e+11 particles"},
    {"scene { spacing = 0.0001, max_particles = 1000000000 }\n"
     "fluid { material = 'water', shape = box { size = {0.095, 0.095, 0.095} } }",
     2, "fluid.shape", "GB"},
    {"scene { dimension = 2 }\nbody { shape = box { size = {1, 1} }, turn = { axis = {1, 0, 0}, degrees = 30 } }", 2, "body.turn",
     "only turns about z"},
    {"scene { dimension = 2, spacing = 0.05 }\nemitter { material = 'water', shape = polygon { points = {{0,0},{1,0},{1,1}} } }",
     2, "emitter.shape", "2D"},
};

static void test_bad_scenes(void **context)
{
    (void)context;
    for (int i = 0; i < COU_COUNT(bad_scenes); ++i) check_bad(&bad_scenes[i]);
}

static void test_all_faults_at_once(void **context)
{
    (void)context;
    couFaults faults = {0};
    couScene *scene = load_with(
        "scene { spacing = 0.05, titel = 'x', fps = -3 }\n"
        "local m = material('hony', { viscosty = 1 })\n"
        "fluid { material = m, shape = sphere { radius = -1 } }\n" // the material's fault is not told again
        "body { shape = box { size = {1,1,1} }, name = 'block', colour = {1,0,0} }\n"
        "body { shape = box { size = {1,1,1} }, name = 'wall' }\n"
        "emitter { material = 'water', shape = disk { radius = 0.1 }, at = {0.1, 0, 0} }\n"
        "fluid { material = 'water', shape = plane {} }\n"
        "at('x', 5)\n",
        NULL, &faults);
    assert_null(scene);
    static const Bad expected[] = {{NULL, 1, "scene.fps", "-3"},          {NULL, 1, "scene.titel", "did you mean 'title'?"},
                                   {NULL, 2, "material.name", "'honey'"}, {NULL, 2, "material.viscosty", "viscosity"},
                                   {NULL, 3, "sphere.radius", "-1"},      {NULL, 4, "body.colour", "did you mean 'color'?"},
                                   {NULL, 8, "at.time", "'x'"},           {NULL, 8, "at.function", "got 5"},
                                   {NULL, 6, "emitter.at", "'wall'"},     {NULL, 7, "fluid.shape", "no bounds"}};
    if (faults.count != COU_COUNT(expected)) print_faults(&faults);
    assert_int_equal(faults.count, COU_COUNT(expected));
    for (int i = 0; i < faults.count; ++i) {
        if (is_like(&faults.items[i], &expected[i])) continue;
        print_faults(&faults);
        fail_msg("fault %d is not %s", i, expected[i].key);
    }
    couFaults_Clear(&faults);
}

static void test_missing_files(void **context)
{
    (void)context;
    couFaults faults = {0};
    assert_null(couLoadScene("/nowhere/at/all.lua", NULL, &faults));
    assert_int_equal(faults.count, 1);
    assert_string_equal(faults.items[0].where, "/nowhere/at/all.lua");
    couFaults_Clear(&faults);

    assert_null(couLoadScene(folder, NULL, &faults)); // a folder
    assert_int_equal(faults.count, 1);
    couFaults_Clear(&faults);

    char path[512];
    snprintf(path, sizeof path, "%s/pipe.lua", folder);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_null(couLoadScene(path, NULL, &faults)); // must not wait for a writer
    assert_int_equal(faults.count, 1);
    couFaults_Clear(&faults);

    char *large = malloc(3 << 20);
    memset(large, ' ', 3 << 20);
    write_bytes("large.lua", large, 3 << 20);
    free(large);
    snprintf(path, sizeof path, "%s/large.lua", folder);
    assert_null(couLoadScene(path, NULL, &faults));
    assert_int_equal(faults.count, 1);
    assert_non_null(strstr(faults.items[0].message, "too large"));
    couFaults_Clear(&faults);
}

static void test_gallery(void **context)
{
    (void)context;
    write_file("my-fountain.lua", HEAD);
    setenv("COULIS_SCENES", folder, 1);
    char path[1024];
    assert_true(couFindScene("my-fountain", path, sizeof path));
    assert_false(couFindScene("../my-fountain", path, sizeof path));
    char **names = couListScenes();
    bool is_there = false;
    for (char **name = names; *name; ++name) {
        if (strcmp(*name, "my-fountain") == 0) is_there = true;
        if (name > names) assert_true(strcmp(name[-1], name[0]) < 0);
    }
    assert_true(is_there);
    couFreeNames(names);

    couFaults faults = {0};
    couScene *scene = couLoadScene("my-fountain", NULL, &faults);
    assert_non_null(scene);
    couCloseScene(scene);
    assert_null(couLoadScene("my-fontain", NULL, &faults));
    assert_int_equal(faults.count, 1);
    assert_non_null(strstr(faults.items[0].message, "did you mean 'my-fountain'?"));
    couFaults_Clear(&faults);
    unsetenv("COULIS_SCENES");
}

// --- require, hash, overrides ------------------------------------------------------------------------------------------------

static uint64_t hash_of(const char *text, const couSceneOptions *options)
{
    couFaults faults = {0};
    couScene *scene = load_with(text, options, &faults);
    print_faults(&faults);
    assert_non_null(scene);
    uint64_t hash = couScene_ContentHash(scene);
    couCloseScene(scene);
    return hash;
}

static void test_require(void **context)
{
    (void)context;
    char path[512];
    snprintf(path, sizeof path, "%s/lib", folder);
    mkdir(path, 0700);
    write_file("lib/parts.lua", "local M = { radius = 0.25 }\ncount = (rawget(_G, 'count') or 0) + 1\nreturn M\n");
    const char *text = "scene { spacing = 0.05 }\nlocal p = require 'lib.parts'\n"
                       "assert(p.radius == 0.25 and require('lib/parts') == p and count == 1)\n";
    uint64_t first = hash_of(text, NULL);
    assert_true(hash_of(text, NULL) == first);
    write_file("lib/parts.lua", "local M = { radius = 0.25 }\ncount = (rawget(_G, 'count') or 0) + 1 \nreturn M\n");
    assert_true(hash_of(text, NULL) != first);
    couOverride override = {"duration", "3"};
    couSceneOptions options = {.overrides = &override, .override_count = 1};
    uint64_t second = hash_of(text, NULL);
    assert_true(hash_of(text, &options) != second);

    // Faults inside of a required file name that file and its line.
    write_file("lib/bad.lua", "local x = 1\nbody { shape = sphere { radius = -1 } }\n");
    couFaults faults = {0};
    assert_null(load_with(HEAD "require 'lib.bad'\n", NULL, &faults));
    assert_int_equal(faults.count, 1);
    assert_true(ends_with(faults.items[0].where, "/lib/bad.lua:2"));
    couFaults_Clear(&faults);
    write_file("lib/bad.lua", "local x = 1\n\nx = = 2\n");
    assert_null(load_with(HEAD "require 'lib.bad'\n", NULL, &faults));
    assert_int_equal(faults.count, 1);
    assert_true(ends_with(faults.items[0].where, "/lib/bad.lua:3"));
    couFaults_Clear(&faults);
    write_file("lib/loop.lua", "require 'lib.loop'\n");
    assert_null(load_with(HEAD "require 'lib.loop'\n", NULL, &faults));
    assert_int_equal(faults.count, 1);
    assert_non_null(strstr(faults.items[0].message, "requires itself"));
    couFaults_Clear(&faults);
}

static void test_overrides(void **context)
{
    (void)context;
    const char *text =
        "scene { spacing = 0.05, pvfs = {} }\nlocal a, b = material('honey'), material('honey', { density = 1000 })\n" FLUID;
    couOverride good[] = {
        {"spacing", "0.1"}, {"duration", "1.2"}, {"gravity", "0,-1,0"}, {"honey.viscosity", "3"}, {"honey-2.density", "1001"}};
    couSceneOptions options = {.overrides = good, .override_count = COU_COUNT(good), .threads = 1, .method = "pvfs"};
    couFaults faults = {0};
    couScene *scene = load_with(text, &options, &faults);
    print_faults(&faults);
    assert_non_null(scene);
    couWorld *world = couScene_World(scene);
    assert_true(couWorld_Def(world)->spacing == 0.1f && couScene_Duration(scene) == 1.2 && couWorld_Def(world)->gravity.y == -1);
    assert_true(couWorld_Material(world, couWorld_MaterialAt(world, 0))->viscosity == 3);
    assert_true(couWorld_Material(world, couWorld_MaterialAt(world, 1))->viscosity == 3);
    assert_true(couWorld_Material(world, couWorld_MaterialAt(world, 1))->density == 1001);
    assert_int_equal(couWorld_Def(world)->threads, 1);
    couCloseScene(scene);

    couOverride bad[] = {{"spcing", "1"},          {"spacing", "-1"}, {"hony.viscosity", "1"}, {"honey.viscosty", "1"},
                         {"honey.viscosity", "x"}, {"pvfs.zzz", "1"}, {"method", "pvsf"}};
    static const char *const messages[] = {"did you mean 'spacing'?",   "-1",  "did you mean 'honey'?",
                                           "did you mean 'viscosity'?", "'x'", "unknown key",
                                           "did you mean 'pvfs'?"};
    options = (couSceneOptions){.overrides = bad, .override_count = COU_COUNT(bad), .method = "pvsf"};
    assert_null(load_with(text, &options, &faults));
    if (faults.count != COU_COUNT(bad) + 1) print_faults(&faults);
    assert_int_equal(faults.count, COU_COUNT(bad) + 1);
    for (int i = 0; i < COU_COUNT(bad); ++i) {
        assert_string_equal(faults.items[i].where, "--set");
        if (!strstr(faults.items[i].message, messages[i])) fail_msg("expected %s in: %s", messages[i], faults.items[i].message);
    }
    assert_string_equal(faults.items[COU_COUNT(bad)].where, "--method");
    couFaults_Clear(&faults);
}

static void test_method_settings(void **context)
{
    (void)context;
    const couParamTable *params = couMethodParams("pvfs");
    assert_non_null(params);
    const couParam *param = NULL;
    for (int i = 0; i < params->count && !param; ++i) {
        if (params->params[i].type == cou_paramFloat && params->params[i].max > 1) param = &params->params[i];
    }
    assert_non_null(param);
    double value = isfinite(param->min) && param->min > -1e30 ? param->min + 0.5 : 0.5;
    char text[256];
    snprintf(text, sizeof text, "scene { spacing = 0.05, pvfs = { %s = %.17g } }\n", param->name, value);
    couScene *scene = load_good(text);
    double got[3];
    couParam_GetNumbers(param, couWorld_MethodParams(couScene_World(scene)), got);
    assert_true((float)got[0] == (float)value);
    couCloseScene(scene);
}

// --- Callbacks and the store -------------------------------------------------------------------------------------------------

static void test_events(void **context)
{
    (void)context;
    couScene *scene = load_good(
        HEAD "local clay = material('clay')\n"
             "fluid { material = clay, shape = box { size = {0.2, 0.2, 0.2} }, at = {0, 1, 0} }\n"
             "body { name = 'lid', shape = box { size = {0.5, 0.1, 0.5} } }\n"
             "emitter { name = 'tap', material = 'water', shape = disk { radius = 0.1 }, at = {3, 2, 0}, direction = {0, -1, 0}, "
             "speed = 3 }\n"
             "field { acceleration = function(x, y, z, vx, vy, vz, t) return 0, 0.5 end }\n"
             "every(0.01, function(world) world.store.ticks = (world.store.ticks or 0) + 1 end)\n"
             "at(0.02, function(world)\n"
             "  world.store.before = world:particle_count()\n"
             "  world:pour { material = 'water', shape = sphere { radius = 0.15 }, at = {-2, 1, 0} }\n"
             "  world.store.after = world:particle_count()\n"
             "  world:remove_body('lid')\n"
             "  world:set(clay, 'viscosity', 7)\n"
             "  world:set('water', 'color', {1, 1, 1})\n"
             "  world:add_springs(clay) world:delete_springs(clay)\n"
             "  world:emitter('tap', false)\n"
             "  world:stop_emitters()\n"
             "  world.store.time = world.time\n"
             "  world:log('hello')\n"
             "end)\n");
    couWorld *world = couScene_World(scene);
    for (int i = 0; i < 5; ++i) couWorld_Advance(world, 0.01);
    if (couScene_RuntimeError(scene)) fail_msg("%s", couScene_RuntimeError(scene));
    assert_false(couWorld_FindBody(world, "lid").index1);
    assert_true(couWorld_Material(world, couWorld_MaterialAt(world, 0))->viscosity == 7);
    size_t count = couWorld_Particles(world).count;
    couWorld_Advance(world, 0.05);
    assert_int_equal(couWorld_Particles(world).count, count); // the emitter is off
    assert_true(count > 64);
    couCloseScene(scene);
}

static void check_velocity(const couScene *scene, double tolerance, couVec3 (*expected)(couVec3 x))
{
    couParticleView view = couWorld_Particles(couScene_World((couScene *)scene));
    assert_true(view.count > 20);
    for (size_t i = 0; i < view.count; ++i) {
        couVec3 v = expected(couXyz(view.position[i]));
        double off = couLength(couSub(couXyz(view.velocity[i]), v));
        if (!(off <= tolerance))
            fail_msg("particle %zu: expected %g, %g, %g, got %g, %g, %g", i, v.x, v.y, v.z, view.velocity[i].x,
                     view.velocity[i].y, view.velocity[i].z);
    }
}

static couVec3 vortex(couVec3 x) { return (couVec3){2 * x.y, -2 * x.x, 0.5f * x.z}; }
static couVec3 flat_vortex(couVec3 x) { return (couVec3){2 * x.y, -2 * x.x, 0}; }
static couVec3 turning(couVec3 x)
{
    return couAdd((couVec3){1, 0, 0}, couCross((couVec3){0, 3, 0}, couSub(x, (couVec3){1, 2, 3})));
}
static couVec3 flat_turning(couVec3 x) { return couCross((couVec3){0, 0, -4}, couSub(x, (couVec3){1, 0, 0})); }

// Velocities by a function of the place, by a spin about the place of the shape, in 3D and in 2D, also before scene{}.
static void test_velocities_of_fluids(void **context)
{
    (void)context;
    static const struct {
        const char *text;
        couVec3 (*expected)(couVec3 x);
    } scenes[] = {
        {HEAD BALL "velocity = function(x, y, z) return {2 * y, -2 * x, 0.5 * z} end }", vortex},
        {HEAD BALL "at = {1, 0, 2}, velocity = function(x, y, z) return {2 * y, -2 * x, 0.5 * z} end }", vortex},
        {"scene { dimension = 2, spacing = 0.05 }\n" BALL "velocity = function(x, y) return {2 * y, -2 * x} end }", flat_vortex},
        {HEAD BALL "at = {1, 2, 3}, velocity = {1, 0, 0}, spin = {0, 3, 0} }", turning},
        {HEAD "fluid { material = 'water', shape = sphere { radius = 0.2 }:at {0, 2, 0}, at = {1, 0, 3}, velocity = {1, 0, 0}, "
              "spin = {0, 3, 0} }",
         turning},
        {BALL "at = {1, 0}, spin = -4 }\nscene { dimension = 2, spacing = 0.05 }", flat_turning},
        {"scene { dimension = 2, spacing = 0.05 }\n" BALL "at = {1, 0}, spin = {0, 0, -4} }", flat_turning},
    };
    for (int k = 0; k < COU_COUNT(scenes); ++k) {
        couScene *scene = load_good(scenes[k].text);
        check_velocity(scene, 1e-5, scenes[k].expected);
        couCloseScene(scene);
    }
    // Random numbers are those of the seed.
    const char *random = HEAD BALL "velocity = function() return {math.random(), math.random(), 0} end }";
    couScene *a = load_good(random), *b = load_good(random);
    couParticleView first = couWorld_Particles(couScene_World(a)), second = couWorld_Particles(couScene_World(b));
    assert_int_equal(first.count, second.count);
    assert_memory_equal(first.velocity, second.velocity, first.count * sizeof *first.velocity);
    assert_true(first.velocity[0].x != first.velocity[1].x);
    couCloseScene(a), couCloseScene(b);
}

// What is poured later has them too.
static void test_poured_velocities(void **context)
{
    (void)context;
    couScene *scene = load_good("scene { spacing = 0.05, gravity = {0, 0, 0} }\nmaterial('water') at(0, function(world)\n"
                                "  world:pour { material = 'water', shape = sphere { radius = 0.2 },\n"
                                "    velocity = function(x, y, z) return {2 * y, -2 * x, 0.5 * z} end } end)");
    couWorld_Step(couScene_World(scene), 1e-6f);
    if (couScene_RuntimeError(scene)) fail_msg("%s", couScene_RuntimeError(scene));
    check_velocity(scene, 1e-3, vortex);
    couCloseScene(scene);
}

static void test_runtime_errors(void **context)
{
    (void)context;
    check_runtime_error(HEAD FLUID "at(0.01, function(world)\n world:pour { material = 'water', at = {0, 2, 0}, "
                                   "shape = sphere { radius = 0.2 }, velocity = function(x, y, z) return {x} end } end)",
                        "scene.lua:4", "expected {vx, vy, vz}");
    check_runtime_error(HEAD FLUID
                        "at(0.01, function(world)\n world:pour { material = 'water', at = {0, 2, 0}, "
                        "shape = sphere { radius = 0.2 }, velocity = function(x, y, z)\n world:stop_emitters() end } end)",
                        "scene.lua:5", "can only be used in events");
    check_runtime_error(HEAD FLUID "at(0.01, function(world)\n  world:explode() end)", "scene.lua:4",
                        "unknown name 'world.explode'");
    check_runtime_error(HEAD FLUID "at(0.01, function(world) while true do end end)", "scene.lua:3", "endless loop?");
    check_runtime_error(
        HEAD FLUID
        "at(0.01, function(world) world:remove_body('lod') end)\nbody { name = 'lid', shape = plane {}, at = {0,-1,0} }",
        "scene.lua:3", "did you mean 'lid'?");
    check_runtime_error(HEAD FLUID "at(0.01, function(world)\n world:pour { material = 'water', shape = plane {} } end)",
                        "scene.lua:4", "no bounds");
    check_runtime_error(HEAD FLUID "at(0.01, function(world)\n world:pour { matrial = 'water' } end)", "scene.lua:4",
                        "did you mean 'material'?");
    check_runtime_error(HEAD FLUID "at(0.01, function(world)\n world:set('water', 'viscosity', -1) end)", "scene.lua:4", "-1");
    check_runtime_error(HEAD FLUID "at(0.01, function(world) fluid {} end)", "scene.lua:3", "while the scene loads");
    check_runtime_error(HEAD FLUID "at(0.01, function(world) world.time = 3 end)", "scene.lua:3", "cannot be set");
    check_runtime_error(HEAD FLUID "field { acceleration = function(x) return 0/0 end }", "scene.lua:3", "result 1");
    check_runtime_error(HEAD FLUID "field { acceleration = function(x)\n return nope end }", "scene.lua:4",
                        "unknown name 'nope'");
    check_runtime_error(
        HEAD FLUID
        "body { shape = plane {}, motion = function(t) if t > 0.001 then return 5 end return { at = {0, -1, 0} } end }",
        "scene.lua:3", "expected a table");
}

static void test_store(void **context)
{
    (void)context;
    const char *text = HEAD FLUID
        "at(0.01, function(world)\n"
        "  local s = world.store\n"
        "  s.i = 42 s.x = 0.1 s.text = 'a\\0b' s.yes = true s.no = false s.list = {1, 2, {deep = {'x'}}} s[5] = -1\n"
        "  s.random = math.random(1000000)\n"
        "end)\n"
        "at(0.03, function(world)\n"
        "  local s = world.store\n"
        "  assert(math.type(s.i) == 'integer' and s.i == 42 and s.x == 0.1 and s.text == 'a\\0b' and s.yes == true "
        "and s.no == false)\n"
        "  assert(#s.list == 3 and s.list[3].deep[1] == 'x' and s[5] == -1)\n"
        "  s.second = math.random(1000000)\n"
        "end)\n";
    couScene *a = load_good(text);
    couWorld_Advance(couScene_World(a), 0.02);
    couFaults faults = {0};
    void *bytes, *again;
    size_t size, again_size;
    assert_true(couScene_SaveStore(a, &bytes, &size, &faults));
    couState world_state = {0};
    assert_true(couWorld_SaveState(couScene_World(a), &world_state));

    // Another scene goes on from there and ends with the same bytes, random numbers included.
    couScene *b = load_good(text);
    assert_true(couScene_LoadStore(b, bytes, size, &faults));
    assert_true(couWorld_LoadState(couScene_World(b), &world_state, &faults));
    assert_true(couScene_SaveStore(b, &again, &again_size, &faults));
    assert_int_equal(size, again_size);
    assert_memory_equal(bytes, again, size);
    free(again);
    couWorld_Advance(couScene_World(a), 0.02);
    couWorld_Advance(couScene_World(b), 0.02);
    if (couScene_RuntimeError(b)) fail_msg("%s", couScene_RuntimeError(b));
    void *end_a, *end_b;
    size_t end_a_size, end_b_size;
    assert_true(couScene_SaveStore(a, &end_a, &end_a_size, &faults) && couScene_SaveStore(b, &end_b, &end_b_size, &faults));
    assert_int_equal(end_a_size, end_b_size);
    assert_memory_equal(end_a, end_b, end_a_size);
    assert_true(end_a_size > size);
    free(end_a);
    free(end_b);

    // Cut off anywhere, or with any byte changed: a fault or a store, never a crash; the old store stays after a fault.
    for (size_t length = 0; length < size; ++length) assert_false(couScene_LoadStore(b, bytes, length, &faults));
    assert_int_equal(faults.count, size);
    char *copy = malloc(size);
    for (size_t i = 0; i < size; ++i) {
        for (int bit = 0; bit < 8; ++bit) {
            memcpy(copy, bytes, size);
            copy[i] = (char)(copy[i] ^ (1 << bit));
            couScene_LoadStore(b, copy, size, &faults);
        }
    }
    free(copy);
    free(bytes);
    couFaults_Clear(&faults);
    couState_Clear(&world_state);
    couCloseScene(a);
    couCloseScene(b);
}

static void test_store_refuses(void **context)
{
    (void)context;
    static const char *const bad[][2] = {{"world.store.f = print", "world.store.f is a function"},
                                         {"world.store.a = { b = { sphere { radius = 1 } } }", "world.store.a.b[1]"},
                                         {"world.store.me = world.store", "nested deeper"},
                                         {"local t = {} for i = 1, 30 do t = {t, t} end world.store.t = t", "larger than 16 MB"},
                                         {"world.store[world.store] = 1", "no fixed order"}};
    for (int i = 0; i < COU_COUNT(bad); ++i) {
        char text[512];
        snprintf(text, sizeof text, HEAD FLUID "at(0, function(world) %s end)", bad[i][0]);
        couScene *scene = load_good(text);
        couWorld_Advance(couScene_World(scene), 0.01);
        couFaults faults = {0};
        void *bytes;
        size_t size;
        assert_false(couScene_SaveStore(scene, &bytes, &size, &faults));
        assert_null(bytes);
        assert_int_equal(faults.count, 1);
        if (!strstr(faults.items[0].message, bad[i][1])) fail_msg("expected %s in: %s", bad[i][1], faults.items[0].message);
        couFaults_Clear(&faults);
        couCloseScene(scene);
    }
}

// --- The material library ----------------------------------------------------------------------------------------------------

static void test_library(void **context)
{
    (void)context;
    int count;
    const couLibraryMaterial *library = couMaterialLibrary(&count);
    static const char *const needed[] = {"water", "paint", "mud",   "honey", "syrup", "molten-gold",
                                         "clay",  "gel",   "jelly", "slime", "lava"};
    for (int k = 0; k < COU_COUNT(needed); ++k) {
        bool is_there = false;
        for (int i = 0; i < count; ++i) is_there |= strcmp(library[i].def.name, needed[k]) == 0;
        if (!is_there) fail_msg("%s is missing", needed[k]);
    }
    for (int i = 0; i < count; ++i) {
        const couLibraryMaterial *material = &library[i];
        couFaults faults = {0};
        bool is_good = couParams_Check(couMaterialParams(), &material->def, &faults);
        print_faults(&faults);
        assert_true(is_good);
        assert_true(strlen(material->source) > 20 && strlen(material->note) > 5);
        assert_true(isnan(material->def.sigma) && isnan(material->def.k_spring));
        if (material->def.springs != cou_springsNone) assert_true(material->def.shear_modulus > 0);
        for (int k = 0; k < i; ++k) assert_string_not_equal(library[k].def.name, material->def.name);
        char text[256];
        snprintf(text, sizeof text, HEAD "fluid { material = '%s', shape = box { size = {0.2, 0.2, 0.2} } }", material->def.name);
        couCloseScene(load_good(text));
    }
}

// An argument chooses tests: test_scene 'test_store*'.
int main(int argument_count, char **arguments)
{
    if (argument_count > 1) cmocka_set_test_filter(arguments[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole_language),
        cmocka_unit_test(test_poses),
        cmocka_unit_test(test_order_does_not_matter),
        cmocka_unit_test(test_bad_scenes),
        cmocka_unit_test(test_all_faults_at_once),
        cmocka_unit_test(test_missing_files),
        cmocka_unit_test(test_gallery),
        cmocka_unit_test(test_require),
        cmocka_unit_test(test_overrides),
        cmocka_unit_test(test_method_settings),
        cmocka_unit_test(test_events),
        cmocka_unit_test(test_velocities_of_fluids),
        cmocka_unit_test(test_poured_velocities),
        cmocka_unit_test(test_runtime_errors),
        cmocka_unit_test(test_store),
        cmocka_unit_test(test_store_refuses),
        cmocka_unit_test(test_library),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
