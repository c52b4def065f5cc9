// Scenes with bodies that move, joints, keyframes and meshes: every fault with its line and key, and good scenes whose values
// arrive.
#include "scene_test.h"

#include <sys/stat.h>

#define BALL "shape = sphere { radius = 0.1 }"
#define CUBE \
    "vertices = {{0,0,0},{1,0,0},{1,1,0},{0,1,0},{0,0,1},{1,0,1},{1,1,1},{0,1,1}},\n" \
    "triangles = {{1,3,2},{1,4,3},{5,6,7},{5,7,8},{1,2,6},{1,6,5},{2,3,7},{2,7,6},{3,4,8},{3,8,7},{4,1,5},{4,5,8}}"

// A cube of side 2 from -1 to 1, except that y is from `base` to base + 2.
static void write_cube(const char *name, float base)
{
    char text[1024];
    int n = snprintf(text, sizeof text, "# a cube\n");
    for (int i = 0; i < 8; ++i)
        n += snprintf(text + n, sizeof text - (size_t)n, "v %d %g %d\n", i & 1 ? 1 : -1, i & 2 ? base + 2 : base, i & 4 ? 1 : -1);
    static const int faces[6][4] = {{1, 3, 4, 2}, {5, 6, 8, 7}, {1, 2, 6, 5}, {3, 7, 8, 4}, {1, 5, 7, 3}, {2, 4, 8, 6}};
    for (int i = 0; i < 6; ++i) {
        const int *f = faces[i];
        n += snprintf(text + n, sizeof text - (size_t)n, "f %d %d %d\nf %d %d %d\n", f[0], f[1], f[2], f[0], f[2], f[3]);
    }
    write_file(name, text);
}

static const couBodyDef *body_def(couScene *scene, const char *name)
{
    couWorld *world = couScene_World(scene);
    couBodyId id = couWorld_FindBody(world, name);
    if (!id.index1) fail_msg("there is no body '%s'", name);
    return couWorld_Body(world, id);
}

static const couJointDef *joint_def(couScene *scene, const char *name)
{
    couWorld *world = couScene_World(scene);
    couJointId id = couWorld_FindJoint(world, name);
    if (!id.index1) fail_msg("there is no joint '%s'", name);
    return couWorld_Joint(world, id);
}

static void assert_close(const char *what, double got, double expected, double tolerance)
{
    if (fabs(got - expected) <= tolerance) return;
    fail_msg("%s: expected %.9g, got %.9g, tolerance %g", what, expected, got, tolerance);
}

// --- Free bodies -------------------------------------------------------------------------------------------------------------

static void test_free_bodies(void **context)
{
    (void)context;
    couScene *scene = load_good(
        HEAD "body { name = 'still', " BALL " }\n"
             "body { name = 'stays', " BALL ", at = {1,0,0}, fixed = true }\n"
             "body { name = 'light', " BALL ", at = {2,0,0}, density = 200, velocity = {1, 2, 3}, spin = {0, 4, 0} }\n"
             "body { name = 'heavy', " BALL ", at = {3,0,0}, mass = 7, contact_friction = 0.25, restitution = 0.75 }\n"
             "body { name = 'plain', shape = box { size = {0.1, 0.2, 0.5} }, at = {4,0,0}, fixed = false }\n"
             "body { name = 'driven', " BALL ", at = {5,0,0}, motion = function(t) return { at = {5, t, 0} } end }\n");
    couWorld *world = couScene_World(scene);
    assert_false(body_def(scene, "still")->is_dynamic || body_def(scene, "stays")->is_dynamic);
    assert_false(body_def(scene, "driven")->is_dynamic);
    assert_true(body_def(scene, "driven")->motion);
    const couBodyDef *light = body_def(scene, "light"), *heavy = body_def(scene, "heavy");
    assert_true(light->is_dynamic && light->density == 200 && isnan(light->mass));
    assert_near(light->velocity, 1, 2, 3);
    assert_near(light->spin, 0, 4, 0);
    assert_true(heavy->is_dynamic && heavy->mass == 7 && heavy->contact_friction == 0.25f && heavy->restitution == 0.75f);
    assert_true(body_def(scene, "plain")->is_dynamic && body_def(scene, "plain")->density == 1000);
    assert_close("mass of light", couWorld_BodyMass(world, couWorld_FindBody(world, "light")), 200 * 4.18879e-3, 1e-3);
    assert_close("mass of heavy", couWorld_BodyMass(world, couWorld_FindBody(world, "heavy")), 7, 1e-6);
    assert_close("mass of plain", couWorld_BodyMass(world, couWorld_FindBody(world, "plain")), 10, 1e-5);
    assert_true(isinf(couWorld_BodyMass(world, couWorld_FindBody(world, "still"))));
    couCloseScene(scene);
}

// The keys of a look stand beside the others.
static void test_body_look(void **state)
{
    (void)state;
    couScene *scene = load_good(HEAD "body { name = 'opal', " BALL ", color = {0.9, 0.8, 0.7}, opacity = 0.5,\n"
                                     "    absorption = {1, 2, 3}, scattering = 40, refraction = 1.45, roughness = 0.25 }\n"
                                     "body { name = 'plain', " BALL ", at = {1, 0, 0} }\n");
    const couLook *opal = &body_def(scene, "opal")->look, *plain = &body_def(scene, "plain")->look;
    assert_near(opal->color, 0.9f, 0.8f, 0.7f);
    assert_near(opal->absorption, 1, 2, 3);
    assert_true(opal->opacity == 0.5f && opal->scattering == 40 && opal->refraction == 1.45f && opal->roughness == 0.25f);
    assert_true(plain->opacity == 1 && plain->scattering == 0 && plain->refraction == 1.5f && isnan(plain->roughness));
    couCloseScene(scene);
}

static const Bad bad_bodies[] = {
    {HEAD "body { " BALL ", fixed = true, velocity = {1, 0, 0} }", 2, "body.velocity", "fixed is true"},
    {HEAD "body { " BALL ", fixed = true, spin = {1, 0, 0} }", 2, "body.spin", "fixed is true"},
    {HEAD "body { " BALL ", velocity = {1, 0, 0}, motion = {{time = 0}} }", 2, "body.velocity", "there is a motion"},
    {HEAD "body { " BALL ", velocity = {1, 0, 0} }", 2, "body.velocity", "give its density or mass, or fixed = false"},
    {HEAD "body { " BALL ", spin = {1, 0, 0} }", 2, "body.spin", "give its density or mass, or fixed = false"},
    {HEAD "body { " BALL ", fixed = false, motion = function(t) return {} end }", 2, "body.fixed", "also a motion"},
    {HEAD "body { " BALL ", fixed = true, motion = function(t) return {} end }", 2, "body.fixed", "also a motion"},
    {HEAD "body { " BALL ", density = 500, mass = 5 }", 2, "body.density", "either density or mass"},
    {HEAD "body { " BALL ", density = 0 }", 2, "body.density", "0"},
    {HEAD "body { " BALL ", density = 'oak' }", 2, "body.density", "expected a number"},
    {HEAD "body { " BALL ", mass = 0 }", 2, "body.mass", "0"},
    {HEAD "body { " BALL ", mass = -1 }", 2, "body.mass", "-1"},
    {HEAD "body { " BALL ", mass = 0/0 }", 2, "body.mass", "nan"},
    {HEAD "body { " BALL ", density = 500, velocity = 3 }", 2, "body.velocity", "three numbers"},
    {HEAD "body { " BALL ", density = 500, velocity = {1e9, 0, 0} }", 2, "body.velocity", "1e+09"},
    {HEAD "body { " BALL ", density = 500, restitution = 1.5 }", 2, "body.restitution", "1.5"},
    {HEAD "body { " BALL ", density = 500, contact_friction = -1 }", 2, "body.contact_friction", "-1"},
    {HEAD "body { " BALL ", densty = 500 }", 2, "body.densty", "did you mean 'density'?"},
    {HEAD "body { " BALL ", scattering = -1 }", 2, "body.scattering", "-1"},
    {HEAD "body { " BALL ", look = { opacity = 0.5 } }", 2, "body.look", "unknown key"},
};

static void test_bad_bodies(void **context)
{
    (void)context;
    for (int i = 0; i < COU_COUNT(bad_bodies); ++i) check_bad(&bad_bodies[i]);
    write_file("far.csv", "x,y,z\n0.1,0,0\n0,0.3,0\n");
    write_file("none.csv", "x,y,z\n");
    write_file("words.csv", "x,y,z\n1,two,3\n");
    write_file("ball.csv", "x,y,z\n1.09,0,0\n0.91,0,0\n");
#define SAMPLED "scene { spacing = 0.05, method = 'dfsph' }\nbody { shape = sphere { radius = 0.1 }"
    static const Bad bad_samples[] = {
        {SAMPLED ", samples = 3 }", 2, "body.samples", "expected a text"},
        {SAMPLED ", samples = '../far.csv' }", 2, "body.samples", "not a file in the scene's folder"},
        {SAMPLED ", samples = 'far.csv' }", 2, "body.samples", "1 of 2 points are wrong; the first, number 2, {0, 0.3, 0}"},
        {SAMPLED ", samples = 'none.csv' }", 2, "body.samples", "0 points: must be 1 to"},
        {SAMPLED ", samples = 'words.csv' }", 2, "body.samples", "'words.csv' line 2: column 2 is 'two'"},
        {SAMPLED ", samples = 'ball.csv' }", 2, "body.samples", "2 of 2 points are wrong"}, // they are a metre beside it
        {"scene { method = 'dfsph' }\nbody { shape = plane {}, samples = 'far.csv' }", 2, "body.samples", "no bounds"},
    };
    for (int i = 0; i < COU_COUNT(bad_samples); ++i) check_bad(&bad_samples[i]);
    couScene *scene = load_good(SAMPLED
                                ":at {1, 0, 0}, at = {0, 5, 0}, samples = 'ball.csv' }\n"); // of the shape as it is written
    const couBodyDef *def = couWorld_Body(couScene_World(scene), couWorld_BodyAt(couScene_World(scene), 0));
    assert_int_equal(def->sample_count, 2);
    assert_near(def->samples[1], -0.09f, 0, 0);
    couCloseScene(scene);
}

// Shapes without a mass cannot move freely; what the fault says is the world's business, that it names the line is the scene's.
static void test_massless(void **context)
{
    (void)context;
    couFaults faults = {0};
    assert_null(load_with(HEAD "body { shape = plane {}, density = 500 }", NULL, &faults));
    assert_int_equal(faults.count, 1);
    assert_true(ends_with(faults.items[0].where, "/scene.lua:2"));
    couFaults_Clear(&faults);
}

// --- Keyframes ---------------------------------------------------------------------------------------------------------------

static couPose motion_at(const couBodyDef *def, double time) { return def->motion(def->motion_context, time); }

static void test_keyframes(void **context)
{
    (void)context;
    couScene *scene = load_good(
        HEAD "body { name = 'lift', " BALL ", at = {1, 2, 3}, motion = {\n"
             "  { time = 0 }, { time = 1, at = {1, 4, 3} }, { time = 2, turn = { axis = {0,1,0}, degrees = 90 } } } }\n"
             // The shape stands 1 m off its origin: it must swing about it, not slide along a chord.
             "body { name = 'arm', shape = sphere { radius = 0.1 }:at { 1, 0, 0 }, motion = {\n"
             "  { time = 0, at = {0, 5, 0}, turn = { degrees = 0 } }, { time = 1, turn = { degrees = 90 } } } }\n"
             "body { name = 'once', " BALL ", motion = {{ time = 3, at = {0, -7, 0} }} }\n"
             "emitter { name = 'hose', material = 'water', shape = disk { radius = 0.1 }, at = {0, 9, 0},\n"
             "  motion = {{ time = 0, direction = {1, 0, 0} }, { time = 1, at = {0, 10, 0} }} }\n");
    const couBodyDef *lift = body_def(scene, "lift"), *arm = body_def(scene, "arm");
    assert_false(lift->is_dynamic);
    assert_near(motion_at(lift, -1).position, 1, 2, 3);
    assert_near(motion_at(lift, 0).position, 1, 2, 3);
    assert_near(motion_at(lift, 1).position, 1, 4, 3);
    assert_near(motion_at(lift, 9).position, 1, 4, 3);
    assert_near(couRotate(motion_at(lift, 1).rotation, (couVec3){1, 0, 0}), 1, 0, 0);
    assert_near(couRotate(motion_at(lift, 2).rotation, (couVec3){1, 0, 0}), 0, 0, -1);
    assert_near(motion_at(arm, 0).position, 1, 5, 0);
    assert_near(motion_at(arm, 1).position, 0, 6, 0);
    assert_near(motion_at(arm, 0.5).position, sqrtf(0.5f), 5 + sqrtf(0.5f), 0);
    assert_near(motion_at(body_def(scene, "once"), 0).position, 0, -7, 0);
    couWorld *world = couScene_World(scene);
    const couEmitterDef *hose = couWorld_Emitter(world, couWorld_EmitterAt(world, 0));
    couPose end = hose->motion(hose->motion_context, 1.0);
    assert_near(end.position, 0, 10, 0);
    assert_near(couRotate(end.rotation, (couVec3){0, 1, 0}), 1, 0, 0);
    couCloseScene(scene);
}

#define MOTION(list) HEAD "body { " BALL ", motion = " list " }"

static const Bad bad_keyframes[] = {
    {MOTION("{}"), 2, "body.motion", "0 keyframes"},
    {MOTION("{ at = {0, 0, 0} }"), 2, "body.motion", "0 keyframes"},
    {MOTION("'up'"), 2, "body.motion", "got the text 'up'"},
    {MOTION("{{ time = 0 }, 5}"), 2, "body.motion[2]", "got 5"},
    {MOTION("{{ at = {0, 0, 0} }}"), 2, "body.motion[1].time", "is missing"},
    {MOTION("{{ time = 'now' }}"), 2, "body.motion[1].time", "the text 'now'"},
    {MOTION("{{ time = 0/0 }}"), 2, "body.motion[1].time", "nan"},
    {MOTION("{{ time = 1e99 }}"), 2, "body.motion[1].time", "1e+99"},
    {MOTION("{{ time = 1 }, { time = 0.5 }}"), 2, "body.motion[2].time", "0.5 s is not after the keyframe before, 1 s"},
    {MOTION("{{ time = 1 }, { time = 1 }}"), 2, "body.motion[2].time", "not after"},
    {MOTION("{{ time = 1 }, { time = 2, at = 7 }}"), 2, "body.motion[2].at", "three numbers"},
    {MOTION("{{ time = 1, at = {0, 0/0, 0} }}"), 2, "body.motion[1].at", "component 2"},
    {MOTION("{{ time = 1, turn = { axis = {0,0,0}, degrees = 3 } }}"), 2, "body.motion[1].turn", "no length"},
    {MOTION("{{ time = 1, turn = { degres = 3 } }}"), 2, "body.motion[1].turn.degres", "did you mean 'degrees'?"},
    {MOTION("{{ time = 1, tme = 3 }}"), 2, "body.motion[1].tme", "did you mean 'time'?"},
    {MOTION("{{ time = 1, direction = {0, 1, 0} }}"), 2, "body.motion[1].direction", "unknown key"},
    {MOTION("{{ time = 1 }, loop = true }"), 2, "body.motion.loop", "unknown key"},
    {HEAD "local m = {}\nfor i = 1, 100001 do m[i] = { time = i } end\nbody { " BALL ", motion = m }", 4, "body.motion",
     "100001 keyframes"},
    {"scene { spacing = 0.05, dimension = 2 }\nbody { " BALL
     ", motion = {{ time = 0 }, { time = 1, turn = { axis = {1,0,0}, degrees = 90 } }} }",
     2, "body.motion[2]", "out of the plane"},
};

static void test_bad_keyframes(void **context)
{
    (void)context;
    for (int i = 0; i < COU_COUNT(bad_keyframes); ++i) check_bad(&bad_keyframes[i]);
}

// --- Joints ------------------------------------------------------------------------------------------------------------------

#define PAIR \
    "body { name = 'wheel', " BALL ", density = 500 }\n" \
    "body { name = 'tank', shape = box { size = {1, 0.1, 1} }, at = {0, -1, 0} }\n"

static void test_joints(void **context)
{
    (void)context;
    // Joints may come before their bodies.
    couScene *scene = load_good(
        HEAD
        "joint { kind = 'hinge', name = 'axle', a = 'wheel', b = 'tank', at = {0, 0, 0.5}, axis = {0, 0, 2}, lower = -90, "
        "  upper = 45,\n"
        "  motor_speed = 6, motor_force = 20 }\n" PAIR "joint { kind = 'ball', a = 'wheel' }\n"
        "body { name = 'car', shape = box { size = {0.1, 0.1, 0.1} }, at = {3, 0, 0}, mass = 2 }\n"
        "joint { kind = 'slider', name = 'rail', a = 'car', axis = {1, 0, 0}, lower = -0.5, upper = 0.5 }\n"
        "joint { kind = 'motor', name = 'engine', a = 'car', b = 'wheel', axis = {0, 1, 0}, motor_speed = 3, motor_force = 1 }\n"
        "joint { kind = 'hinge', name = 'free', a = 'car', axis = {0, 1, 0}, lower = 'auto' }\n");
    couWorld *world = couScene_World(scene);
    couBodyId wheel = couWorld_FindBody(world, "wheel"), tank = couWorld_FindBody(world, "tank");
    const couJointDef *axle = joint_def(scene, "axle"), *rail = joint_def(scene, "rail");
    assert_int_equal(axle->kind, cou_jointHinge);
    assert_memory_equal(&axle->a, &wheel, sizeof wheel);
    assert_memory_equal(&axle->b, &tank, sizeof tank);
    assert_near(axle->at, 0, 0, 0.5f);
    assert_close("lower of axle", axle->lower, -0.5 * COU_PI, 1e-6);
    assert_close("upper of axle", axle->upper, 0.25 * COU_PI, 1e-6);
    assert_true(axle->motor_speed == 6 && axle->motor_force == 20);
    assert_true(rail->lower == -0.5f && rail->upper == 0.5f); // metres
    assert_int_equal(rail->b.index1, 0);
    assert_int_equal(joint_def(scene, "engine")->kind, cou_jointMotor);
    assert_true(isnan(joint_def(scene, "free")->lower) && isnan(joint_def(scene, "free")->upper));
    int count = 0;
    for (int i = 0; i < couWorld_JointCount(world); ++i) count += couWorld_JointAt(world, i).index1 != 0;
    assert_int_equal(count, 5);
    couCloseScene(scene);
}

#define JOINT(keys) HEAD PAIR "joint { " keys " }"

static const Bad bad_joints[] = {
    {JOINT("kind = 'hinge', a = 'whel'"), 4, "joint.a", "there is no body 'whel': did you mean 'wheel'?"},
    {JOINT("kind = 'hinge', a = 'wheel', b = 'xyzzy'"), 4, "joint.b", "there is no body 'xyzzy'"},
    {JOINT("a = 'wheel'"), 4, "joint.kind", "is missing"},
    {JOINT("kind = 'hinge'"), 4, "joint.a", "is missing"},
    {JOINT("kind = 'hnge', a = 'wheel'"), 4, "joint.kind", "hnge"},
    {JOINT("kind = 'hinge', a = 5"), 4, "joint.a", "expected a text, got 5"},
    {JOINT("kind = 'hinge', a = 'the wheel'"), 4, "joint.a", "not a good name"},
    {JOINT("kind = 'hinge', a = 'wheel', name = 'my axle'"), 4, "joint.name", "not a good name"},
    {JOINT("kind = 'hinge', a = 'wheel', at = 3"), 4, "joint.at", "three numbers"},
    {JOINT("kind = 'hinge', a = 'wheel', axis = {0, 0, 0}"), 4, "joint.axis", "no length"},
    {JOINT("kind = 'hinge', a = 'wheel', axs = {0, 1, 0}"), 4, "joint.axs", "did you mean 'axis'?"},
    {JOINT("kind = 'hinge', a = 'wheel', lower = 20, upper = 10"), 4, "joint.lower", "20 is above upper, 10"},
    {JOINT("kind = 'hinge', a = 'wheel', upper = 200"), 4, "joint.upper", "200 degrees"},
    {JOINT("kind = 'hinge', a = 'wheel', lower = -180"), 4, "joint.lower", "-180 degrees"},
    {JOINT("kind = 'ball', a = 'wheel', lower = -1"), 4, "joint.lower", "a ball joint has none"},
    {JOINT("kind = 'fixed', a = 'wheel', motor_force = 1"), 4, "joint.motor_force", "a fixed joint has none"},
    {JOINT("kind = 'motor', a = 'wheel', upper = 1"), 4, "joint.upper", "a motor has none"},
    {JOINT("kind = 'hinge', a = 'wheel', motor_force = -1"), 4, "joint.motor_force", "-1"},
    {JOINT("kind = 'hinge', a = 'wheel', motor_speed = 'fast'"), 4, "joint.motor_speed", "expected a number"},
    {HEAD "joint 'hinge'", 2, "joint", "expected a table"},
    // A body with a fault of its own is the only fault.
    {HEAD "body { name = 'w', shape = sphere { radius = 0.1 }, mass = 0 }\njoint { kind = 'ball', a = 'w' }", 2, "body.mass",
     "0"},
};

static void test_bad_joints(void **context)
{
    (void)context;
    for (int i = 0; i < COU_COUNT(bad_joints); ++i) check_bad(&bad_joints[i]);
    // What only the world can see comes with the joint's line.
    static const char *const worldly[] = {
        JOINT("kind = 'hinge', a = 'tank'"), JOINT("kind = 'ball', a = 'wheel', b = 'wheel'"),
        JOINT("kind = 'ball', name = 'j', a = 'wheel' }\njoint { kind = 'ball', name = 'j', a = 'wheel'")};
    for (int i = 0; i < COU_COUNT(worldly); ++i) {
        couFaults faults = {0};
        couScene *scene = load_with(worldly[i], NULL, &faults);
        if (scene || faults.count != 1 || !ends_with(faults.items[0].where, i == 2 ? ":5" : ":4")) {
            print_faults(&faults);
            fail_msg("expected one fault of the last line in: %s", worldly[i]);
        }
        couFaults_Clear(&faults);
    }
}

static void test_chain(void **context)
{
    (void)context;
    couScene *scene = load_good(
        HEAD "for i = 1, 100 do\n"
             "  body { name = 'link' .. i, shape = box { size = {0.08, 0.02, 0.02} }, at = {0.1 * i, 0, 0}, density = 800 }\n"
             "  joint { name = 'pin' .. i, kind = 'hinge', a = 'link' .. i, b = i > 1 and 'link' .. (i - 1) or nil,\n"
             "    at = {0.1 * i - 0.05, 0, 0} }\n"
             "end\n");
    couWorld *world = couScene_World(scene);
    assert_int_equal(couWorld_JointCount(world), 100);
    assert_int_equal(joint_def(scene, "pin1")->b.index1, 0);
    couBodyId link = couWorld_FindBody(world, "link99");
    assert_memory_equal(&joint_def(scene, "pin100")->b, &link, sizeof link);
    couWorld_Advance(world, 0.01);
    couCloseScene(scene);
}

// --- Events ------------------------------------------------------------------------------------------------------------------

#define FLOATING \
    "scene { spacing = 0.05, gravity = {0, 0, 0} }\n" \
    "body { name = 'ball', " BALL ", at = {1, 0, 0}, mass = 2 }\n" \
    "body { name = 'gate', shape = box { size = {0.2, 0.2, 0.2} }:at {0, 0.5, 0}, at = {0, 2, 0} }\n" \
    "body { name = 'bar', shape = box { size = {0.5, 0.1, 0.1} }, at = {0, -2, 0}, mass = 1 }\n" \
    "joint { name = 'hub', kind = 'hinge', a = 'bar', at = {0, -2, 0}, motor_force = 1000 }\n"

static void test_events(void **context)
{
    (void)context;
    couScene *scene = load_good(
        FLOATING
        "local function near(v, x, y, z) return math.abs(v[1] - x) + math.abs(v[2] - y) + math.abs(v[3] - z) < 1e-3 end\n"
        "at(0, function(world)\n"
        "  local b = world:body('gate')\n"
        "  assert(near(b.at, 0, 2, 0) and near(b.velocity, 0, 0, 0) and not b.free and b.mass == math.huge "
        "    and b.turn.degrees == 0)\n"
        "  world:set_velocity('ball', {1, 0, 0}, {0, 0, 3})\n"
        "  assert(near(world:body('ball').velocity, 1, 0, 0) and near(world:body('ball').spin, 0, 0, 3))\n"
        "  world:push('ball', {0, 4, 0})\n"
        "  assert(near(world:body('ball').velocity, 1, 2, 0) and near(world:body('ball').spin, 0, 0, 3))\n"
        "  world:set_velocity('ball', {0, 1, 0})\n"
        "  assert(near(world:body('ball').spin, 0, 0, 3))\n"
        "  world:push('ball', {0, 0, 0.02}, {1.1, 0, 0})\n"
        "  assert(world:body('ball').spin[2] < -1e-3)\n"
        "  world:set_free('gate', true)\n"
        "  assert(world:body('gate').free and math.abs(world:body('gate').mass - 8) < 1e-2)\n"
        "  world:push('gate', {8, 0, 0})\n"
        "  world:motor('hub', 5)\n"
        "  world:body('ball').at[1] = 99 -- a copy\n"
        "end)\n"
        "at(0.1, function(world)\n"
        "  assert(near(world:body('gate').velocity, 1, 0, 0))\n"
        "  world:set_free('gate', false)\n"
        "  assert(not world:body('gate').free)\n"
        "  world.store.spin = world:body('bar').spin[3]\n"
        "  world.store.gate = world:body('gate').at\n"
        "  world:remove_joint('hub')\n"
        "  world:remove_body('ball')\n"
        "end)\n"
        "at(0.2, function(world)\n"
        "  assert(math.abs(world.store.spin - 5) < 0.05, world.store.spin)\n"
        "  local g = world.store.gate\n"
        "  assert(math.abs(g[1] - 0.1) < 0.011 and math.abs(g[2] - 2) < 1e-3, g[1])\n"
        "  assert(near(world:body('gate').at, g[1], g[2], g[3]))\n"
        "  assert(not pcall(world.body, world, 'ball') and not pcall(world.motor, world, 'hub', 1))\n"
        "  world.store.is_done = true\n"
        "end)\n");
    couWorld *world = couScene_World(scene);
    for (int i = 0; i < 30 && !couScene_RuntimeError(scene); ++i) couWorld_Advance(world, 0.01);
    if (couScene_RuntimeError(scene)) fail_msg("%s", couScene_RuntimeError(scene));
    assert_false(couWorld_FindBody(world, "ball").index1);
    assert_false(couWorld_FindJoint(world, "hub").index1);
    couCloseScene(scene);
}

static void test_bad_events(void **context)
{
    (void)context;
    static const char *const bad[][2] = {
        {"world:push('bal', {1, 0, 0})", "world:push: there is no body 'bal': did you mean 'ball'?"},
        {"world:push('gate', {1, 0, 0})", "world:push: the body 'gate' is not free"},
        {"world:push('ball')", "the impulse must be three numbers {x, y, z} between -1e9 and 1e9, got nothing"},
        {"world:push('ball', 5)", "the impulse must be three numbers {x, y, z} between -1e9 and 1e9, got 5"},
        {"world:push('ball', {1, 'x', 0})", "the impulse must be three numbers"},
        {"world:push('ball', {1, 0/0, 0})", "the impulse must be three numbers"},
        {"world:push('ball', {1, 0, 0}, 'top')", "the point must be three numbers"},
        {"world:push({}, {1, 0, 0})", "world:push: expected the name of a body, got a table"},
        {"world.push('ball', {1, 0, 0})", "with a colon"},
        {"world:set_velocity('gate', {1, 0, 0})", "world:set_velocity: the body 'gate' is not free"},
        {"world:set_velocity('ball', {1})", "the velocity must be three numbers"},
        {"world:set_velocity('ball', {1, 0, 0}, 3)", "the spin must be three numbers"},
        {"world:set_free('gat', true)", "did you mean 'gate'?"},
        {"world:set_free('gate', 1)", "expected true or false, got 1"},
        {"world:motor('hob', 1)", "world:motor: there is no joint 'hob': did you mean 'hub'?"},
        {"world:motor('hub')", "the speed must be a number"},
        {"world:motor('hub', 0/0)", "the speed must be a number"},
        {"world:motor('hub', 1, -1)", "the force must be a number from 0 to 1e12, got -1"},
        {"world:motor('pin', 1)", "the joint 'pin' has no motor"},
        {"world:remove_joint('hum')", "did you mean 'hub'?"},
        {"world:remove_body(3)", "expected the name of a body, got 3"},
        {"world:body('gatt')", "did you mean 'gate'?"},
        {"world:boddy('gate')", "did you mean 'world.body'?"},
        {"mesh { stock = 'bunny' }", "while the scene loads"},
        {"joint {}", "while the scene loads"},
    };
    for (int i = 0; i < COU_COUNT(bad); ++i) {
        char text[1500];
        snprintf(text, sizeof text,
                 FLOATING "joint { name = 'pin', kind = 'ball', a = 'ball' }\nat(0.01, function(world)\n %s end)", bad[i][0]);
        check_runtime_error(text, "scene.lua:8", bad[i][1]);
    }
}

// A scene that goes on from a saved state ends like one that was not interrupted: what events did is in the state, not done
// again.
static void test_resume(void **context)
{
    (void)context;
    const char *text = FLOATING
        "body { name = 'lift', shape = box { size = {0.3, 0.1, 0.3} }, at = {5, 0, 0}, "
        "  motion = {{time = 0}, {time = 1, at = {5, 1, 0}}} }\n"
        "at(0.01, function(world)\n"
        "  world:set_free('gate', true) world:push('gate', {0, 0, 1}) world:push('ball', {1, 1, 0}, {1, 0, 0.1})\n"
        "  world:motor('hub', 7, 50)\n"
        "end)\n"
        "at(0.03, function(world) world:set_free('lift', true) end)\n"
        "at(0.06, function(world) world:remove_joint('hub') world:set_free('ball', false) end)\n";
    for (int stop = 2; stop <= 8; stop += 3) {
        couScene *a = load_good(text), *b = load_good(text);
        couFaults faults = {0};
        couState saved = {0}, end_a = {0}, end_b = {0};
        for (int i = 0; i < stop; ++i) couWorld_Advance(couScene_World(a), 0.01);
        assert_true(couWorld_SaveState(couScene_World(a), &saved));
        bool is_loaded = couWorld_LoadState(couScene_World(b), &saved, &faults);
        print_faults(&faults);
        assert_true(is_loaded);
        for (int i = stop; i < 12; ++i) {
            couWorld_Advance(couScene_World(a), 0.01);
            couWorld_Advance(couScene_World(b), 0.01);
        }
        if (couScene_RuntimeError(b)) fail_msg("stopped at %d: %s", stop, couScene_RuntimeError(b));
        assert_true(couWorld_SaveState(couScene_World(a), &end_a) && couWorld_SaveState(couScene_World(b), &end_b));
        if (couState_Hash(&end_a) != couState_Hash(&end_b)) fail_msg("stopped after %d steps: another end", stop);
        couState_Clear(&saved);
        couState_Clear(&end_a);
        couState_Clear(&end_b);
        couCloseScene(a);
        couCloseScene(b);
    }
}

// --- Meshes ------------------------------------------------------------------------------------------------------------------

static couBounds body_bounds(couScene *scene, const char *name)
{
    couBounds bounds = {{0, 0, 0}, {0, 0, 0}};
    assert_true(couShape_Bounds(body_def(scene, name)->shape, 3, &bounds));
    return bounds;
}

// Bounds to a cell: the grid may stand over by as much.
static void assert_bounds(couScene *scene, const char *name, couVec3 lower, couVec3 upper, float cell)
{
    couBounds b = body_bounds(scene, name);
    couVec3 a = couSub(b.lower, lower), c = couSub(b.upper, upper);
    bool is_good = couLength(a) < 2 * cell && couLength(c) < 2 * cell;
    if (!is_good)
        fail_msg("%s: expected (%g %g %g) to (%g %g %g), got (%g %g %g) to (%g %g %g)", name, lower.x, lower.y, lower.z, upper.x,
                 upper.y, upper.z, b.lower.x, b.lower.y, b.lower.z, b.upper.x, b.upper.y, b.upper.z);
}

static const couDistanceGrid *grid_of(couScene *scene, const char *name)
{
    const couShapeDef *def = couShape_Def(body_def(scene, name)->shape);
    assert_int_equal(def->kind, cou_shapeMesh);
    return def->grid;
}

static void test_mesh_files(void **context)
{
    (void)context;
    write_cube("cube.obj", 3);
    char path[512];
    snprintf(path, sizeof path, "%s/models", folder);
    mkdir(path, 0700);
    write_cube("models/deep.obj", 0);
    couScene *scene = load_good(
        HEAD "body { name = 'plain', shape = mesh { file = 'cube.obj' } }\n"
             "body { name = 'scaled', shape = mesh { file = 'cube.obj', scale = 0.1 }, at = {9, 0, 0} }\n"
             "body { name = 'sized', shape = mesh { file = 'cube.obj', size = 0.5, center = 'bounds' }, at = {18, 0, 0} }\n"
             "body { name = 'ground', shape = mesh { file = 'cube.obj', center = 'ground', at = {0, 1, 0} }, at = {27, 0, 0}, "
             "  density = 10 }\n"
             "body { name = 'turned', shape = mesh { file = 'cube.obj', turn = { degrees = 90 } }, at = {36, 0, 0} }\n"
             "body { name = 'deep', shape = mesh { file = 'models/deep.obj', cell = 0.1 }, at = {45, 0, 0} }\n"
             "body { name = 'twin', shape = mesh { file = 'models/deep.obj', cell = 0.1 }:at { 0, 1, 0 }, at = {54, 0, 0} }\n");
    assert_bounds(scene, "plain", (couVec3){-1, 3, -1}, (couVec3){1, 5, 1}, 0.025f);
    assert_bounds(scene, "scaled", (couVec3){-0.1f, 0.3f, -0.1f}, (couVec3){0.1f, 0.5f, 0.1f}, 0.025f);
    assert_bounds(scene, "sized", (couVec3){-0.25f, -0.25f, -0.25f}, (couVec3){0.25f, 0.25f, 0.25f}, 0.025f);
    assert_bounds(scene, "ground", (couVec3){-1, 0, -1}, (couVec3){1, 2, 1}, 0.025f);
    assert_bounds(scene, "turned", (couVec3){-5, -1, -1}, (couVec3){-3, 1, 1}, 0.025f);
    assert_near(body_def(scene, "ground")->pose.position, 27, 1, 0);
    assert_near(body_def(scene, "twin")->pose.position, 54, 1, 0);
    assert_close("cell", couDistanceGrid_Cell(grid_of(scene, "plain")), 0.025, 1e-6); // half the spacing
    assert_close("cell", couDistanceGrid_Cell(grid_of(scene, "deep")), 0.1, 1e-6);
    assert_ptr_equal(grid_of(scene, "deep"), grid_of(scene, "twin")); // made once
    couWorld *world = couScene_World(scene);
    assert_close("mass", couWorld_BodyMass(world, couWorld_FindBody(world, "ground")), 80, 1);
    couCloseScene(scene);
}

static void test_mesh_lists(void **context)
{
    (void)context;
    couScene *scene = load_good(HEAD
                                "local cube = mesh { " CUBE ", size = 0.4, center = 'bounds' }\n"
                                "body { name = 'solid', shape = cube, at = {0, 5, 0} }\n"
                                "body { name = 'free', shape = cube:turned { degrees = 45 }, at = {2, 5, 0}, mass = 3 }\n"
                                "body { name = 'pot', shape = shell { cube, thickness = 0.05, open = true }, at = {4, 5, 0} }\n"
                                "body { name = 'two', shape = union { cube, cube:at { 0.4, 0, 0 } }, at = {6, 5, 0} }\n"
                                "fluid { material = 'water', shape = cube }\n"
                                "emitter { material = 'water', shape = cube, at = {8, 5, 0}, start = 1 }\n"
                                "sink { shape = cube, at = {0, -5, 0} }\n"
                                "field { region = cube, vector = {1, 0, 0} }\n");
    couWorld *world = couScene_World(scene);
    const couShape *solid = body_def(scene, "solid")->shape;
    assert_close("distance outside", couShape_Distance(solid, 3, (couVec3){0.3f, 0, 0}), 0.1, 0.005);
    assert_close("distance inside", couShape_Distance(solid, 3, (couVec3){0.1f, 0, 0}), -0.1, 0.005);
    assert_int_equal(couWorld_Particles(world).count, 8 * 8 * 8); // 0.4 m at 0.05 m
    assert_true(couShape_Distance(body_def(scene, "pot")->shape, 3, (couVec3){0, 0, 0}) > 0.1f);
    assert_true(couShape_Distance(body_def(scene, "two")->shape, 3, (couVec3){0.4f, 0, 0}) < -0.1f);
    couWorld_Advance(world, 0.01);
    assert_null(couScene_RuntimeError(scene));
    couCloseScene(scene);
}

static const Bad bad_meshes[] = {
    {HEAD "mesh {}", 2, "mesh.file", "give file, stock, or vertices and triangles"},
    {HEAD "mesh 'cube.obj'", 2, "mesh", "expected a table"},
    {HEAD "mesh { file = 5 }", 2, "mesh.file", "expected a text"},
    {HEAD "mesh { file = '' }", 2, "mesh.file", "is missing"},
    {HEAD "mesh { file = 'cube.obj', stock = 'bunny' }", 2, "mesh.file", "give one of"},
    {HEAD "mesh { stock = 'bunny', " CUBE " }", 2, "mesh.file", "give one of"},
    {HEAD "mesh { file = 'cube.obj', scale = 1, size = 2 }", 2, "mesh.size", "either scale or size"},
    {HEAD "mesh { file = 'cube.obj', scale = 0 }", 2, "mesh.scale", "0"},
    {HEAD "mesh { file = 'cube.obj', scale = 'big' }", 2, "mesh.scale", "expected a number"},
    {HEAD "mesh { file = 'cube.obj', size = -1 }", 2, "mesh.size", "-1"},
    {HEAD "mesh { file = 'cube.obj', cell = 0 }", 2, "mesh.cell", "0"},
    {HEAD "mesh { file = 'cube.obj', cell = 1e-6 }", 2, "mesh.cell", "would take more than 256 MB: 0.00"},
    {HEAD "mesh { file = 'cube.obj', center = 'top' }", 2, "mesh.center", "top"},
    {HEAD "mesh { file = 'cube.obj', close_holes = 1 }", 2, "mesh.close_holes", "true or false"},
    {HEAD "mesh { file = 'cube.obj', turn = 90 }", 2, "mesh.turn", "axis"},
    {HEAD "mesh { file = 'cube.obj', at = 90 }", 2, "mesh.at", "three numbers"},
    {HEAD "mesh { fil = 'cube.obj' }", 2, "mesh.fil", "did you mean 'file'?"},
    {"mesh { file = 'cube.obj' }\nscene {}", 1, "mesh.cell", "put scene{} before mesh{}"},
    {HEAD "\nmesh { file = 'none.obj' }", 3, "mesh.file", "there is no file 'none.obj' inside the scene's folder"},
    {HEAD "mesh { file = 'models' }", 2, "mesh.file", "models"},
    {HEAD "mesh { file = 'empty.obj' }", 2, "mesh.file", "empty.obj"},
    {HEAD "mesh { file = 'text.obj' }", 2, "mesh.file", "text.obj"},
    {HEAD "mesh { file = 'scene.lua' }", 2, "mesh.file", "scene.lua"},
    {HEAD "mesh { file = 'pipe.obj' }", 2, "mesh.file", "pipe.obj"},
    {HEAD "mesh { file = '../secret.obj' }", 2, "mesh.file", "only files inside the scene's folder"},
    {HEAD "mesh { file = 'models/../../secret.obj' }", 2, "mesh.file", "only files inside the scene's folder"},
    {HEAD "mesh { file = '/etc/passwd' }", 2, "mesh.file", "only files inside the scene's folder"},
    {HEAD "mesh { file = '.hidden.obj' }", 2, "mesh.file", "only files inside the scene's folder"},
    {HEAD "mesh { file = 'models//cube.obj' }", 2, "mesh.file", "only files inside the scene's folder"},
    {HEAD "mesh { file = 'link.obj' }", 2, "mesh.file", "inside the scene's folder"},
    {HEAD "mesh { file = 'cube.obj\\0.txt' }", 2, "mesh.file", "zero"},
    {HEAD "mesh { stock = 'bunyn' }", 2, "mesh.stock", "did you mean 'bunny'?"},
    {HEAD "mesh { stock = '../bunny' }", 2, "mesh.stock", "there is no stock mesh"},
    {HEAD "mesh { vertices = {{0,0,0},{1,0,0},{0,1,0}} }", 2, "mesh.triangles", "got nothing"},
    {HEAD "mesh { triangles = {{1,2,3}} }", 2, "mesh.vertices", "got nothing"},
    {HEAD "mesh { vertices = 5, triangles = {{1,2,3}} }", 2, "mesh.vertices", "got 5"},
    {HEAD "mesh { vertices = {{0,0,0}}, triangles = {{1,1,1}} }", 2, "mesh.vertices", "1 of them: must be 3 to 100000"},
    {HEAD "mesh { vertices = {{0,0,0},{1,0,0},{0,1,'z'}}, triangles = {{1,2,3}} }", 2, "mesh.vertices[3]", "three numbers"},
    {HEAD "mesh { vertices = {{0,0,0},{1,0,0},{0,1/0,0}}, triangles = {{1,2,3}} }", 2, "mesh.vertices[3]", "component 2"},
    {HEAD "mesh { vertices = {{0,0,0},{1,0,0},{0,1,0}}, triangles = {{1,2,3},{1,2}} }", 2, "mesh.triangles[2]", "another length"},
    {HEAD "mesh { vertices = {{0,0,0},{1,0,0},{0,1,0}}, triangles = {{1,2,4}} }", 2, "mesh.triangles[1]",
     "corner 3 is 4: must be a vertex number from 1 to 3"},
    {HEAD "mesh { vertices = {{0,0,0},{1,0,0},{0,1,0}}, triangles = {{0,1,2}} }", 2, "mesh.triangles[1]", "corner 1 is 0"},
    {HEAD "mesh { vertices = {{0,0,0},{1,0,0},{0,1,0}}, triangles = {{1,2,2.5}} }", 2, "mesh.triangles[1]", "corner 3 is 2.5"},
    {HEAD "mesh { vertices = {{0,0,0},{1,0,0},{0,1,0}}, triangles = {'abc'} }", 2, "mesh.triangles[1]", "the text 'abc'"},
    {HEAD "local v = {}\nfor i = 1, 100001 do v[i] = {i, 0, 0} end\nmesh { vertices = v, triangles = {{1,2,3}} }", 4,
     "mesh.vertices", "100001 of them"},
};

static void test_bad_meshes(void **context)
{
    (void)context;
    char path[512], target[512];
    write_cube("cube.obj", 3);
    snprintf(path, sizeof path, "%s/models", folder);
    mkdir(path, 0700);
    write_file("empty.obj", "");
    write_file("text.obj", "no mesh at all\n");
    snprintf(path, sizeof path, "%s/pipe.obj", folder);
    assert_int_equal(mkfifo(path, 0600), 0); // must not wait for a writer
    // A good mesh outside of the folder, and a link to it inside.
    snprintf(target, sizeof target, "%s-secret.obj", folder);
    snprintf(path, sizeof path, "%s/cube.obj", folder);
    assert_int_equal(link(path, target), 0);
    snprintf(path, sizeof path, "%s/link.obj", folder);
    assert_int_equal(symlink(target, path), 0);
    for (int i = 0; i < COU_COUNT(bad_meshes); ++i) check_bad(&bad_meshes[i]);
    unlink(target);
    // A faulty mesh gives no second fault where it is used.
    check_bad(
        &(Bad){HEAD "body { shape = union { mesh { file = 'none.obj' }, sphere { radius = 1 } } }", 2, "mesh.file", "none.obj"});
}

// How many of 100 x 100 points are inside, 1 cm above the lowest.
static int inside_base(couScene *scene, const char *name)
{
    couBounds b = body_bounds(scene, name);
    int count = 0;
    for (int k = 0; k < 10000; ++k) {
        float u = ((float)(k % 100) + 0.5f) / 100.0f, v = ((float)(k / 100) + 0.5f) / 100.0f;
        couVec3 p = {0.4f * (u - 0.5f), b.lower.y + 0.01f, 0.4f * (v - 0.5f)};
        count += couShape_Distance(body_def(scene, name)->shape, 3, p) < 0.0f;
    }
    return count;
}

static void test_stock_mesh(void **context)
{
    (void)context;
    // A folder of one's own comes before the system's.
    char path[512];
    snprintf(path, sizeof path, "%s/models", folder);
    mkdir(path, 0700);
    write_cube("models/bunny.obj", 0);
    setenv("COULIS_SCENES", folder, 1);
    couScene *scene = load_good(HEAD "body { name = 'bunny', shape = mesh { stock = 'bunny', cell = 0.1 } }");
    assert_bounds(scene, "bunny", (couVec3){-1, 0, -1}, (couVec3){1, 2, 1}, 0.1f);
    unsetenv("COULIS_SCENES");
    couCloseScene(scene);
    if (access("/usr/share/glmark2/models/bunny.obj", R_OK) != 0) {
        check_bad(&(Bad){HEAD "mesh { stock = 'bunny' }", 2, "mesh.stock", "glmark2-data"});
        return;
    }
    scene = load_good("scene { spacing = 0.02 }\n"
                      "body { name = 'bunny', shape = mesh { stock = 'bunny', size = 0.3, center = 'ground' }, density = 900 }");
    couBounds b = body_bounds(scene, "bunny");
    assert_close("largest side", COU_MAX(COU_MAX(b.upper.x - b.lower.x, b.upper.y - b.lower.y), b.upper.z - b.lower.z), 0.3,
                 0.04);
    assert_close("stands on the ground", b.lower.y, 0, 0.02);
    couCloseScene(scene);
    // The cat lies on its belly, the flattest of its sides, and the holes there are closed: it rests on a base of about 0.3 m *
    // 0.09 m. As its file has it, it would lie on its side, on a third of that.
    scene = load_good("scene { spacing = 0.04 }\n"
                      "body { name = 'cat', shape = mesh { stock = 'cat', size = 0.3, center = 'ground' } }\n");
    assert_close("area of the base", inside_base(scene, "cat") * 0.4 * 0.4 / 10000, 0.027, 0.005);
    couCloseScene(scene);
}

static uint64_t hash_of(const char *text)
{
    couScene *scene = load_good(text);
    uint64_t hash = couScene_ContentHash(scene);
    couCloseScene(scene);
    return hash;
}

// A resumed run must see that a mesh has changed.
static void test_mesh_hash(void **context)
{
    (void)context;
    const char *text = HEAD "body { shape = mesh { file = 'cube.obj', cell = 0.1 } }";
    write_cube("cube.obj", 1);
    uint64_t first = hash_of(text);
    assert_true(hash_of(text) == first);
    write_cube("cube.obj", 1.25f);
    assert_true(hash_of(text) != first);
    write_cube("cube.obj", 1);
    assert_true(hash_of(text) == first);
}

// The cell follows --set spacing, which comes before the script.
static void test_mesh_cell(void **context)
{
    (void)context;
    write_cube("cube.obj", 0);
    couOverride override = {"spacing", "0.2"};
    couSceneOptions options = {.overrides = &override, .override_count = 1};
    couFaults faults = {0};
    couScene *scene = load_with(HEAD "body { name = 'cube', shape = mesh { file = 'cube.obj' } }", &options, &faults);
    print_faults(&faults);
    assert_non_null(scene);
    assert_close("cell", couDistanceGrid_Cell(grid_of(scene, "cube")), 0.1, 1e-6);
    couCloseScene(scene);
    // Never more than 256 cells along the largest side by default. A rod, so that its grid is small.
    scene = load_good("scene { spacing = 0.001 }\n"
                      "local c = { " CUBE " }\n"
                      "for _, v in ipairs(c.vertices) do v[1], v[2] = 0.05 * v[1], 0.05 * v[2] end\n"
                      "body { name = 'rod', shape = mesh(c) }");
    assert_close("cell", couDistanceGrid_Cell(grid_of(scene, "rod")), 1.0 / 256, 1e-6);
    couCloseScene(scene);
}

// The memory of meshes is limited, and so is the script that makes them for ever.
static void test_mesh_bombs(void **context)
{
    (void)context;
    couFaults faults = {0};
    couSceneOptions options = {.max_mesh_bytes = (size_t)2 << 20};
    const char *endless = HEAD "for i = 1, 1e9 do mesh { " CUBE ", cell = 0.02 + i * 1e-5 } end";
    assert_null(load_with(endless, &options, &faults));
    assert_int_equal(faults.count, 1);
    assert_non_null(strstr(faults.items[0].message, "the meshes of this scene take more than"));
    couFaults_Clear(&faults);
    write_cube("cube.obj", 0);
    assert_null(
        load_with(HEAD "while true do mesh { file = 'cube.obj', cell = 0.1 } end", NULL, &faults)); // made once, asked for ever
    assert_int_equal(faults.count, 1);
    couFaults_Clear(&faults);
    // Always another one: each is work, which is counted. Most of what is allowed is spent before, on searches of 8 million
    // characters, because thousands of meshes take long.
    const char *others = HEAD "local s = ('ab'):rep(2^22) for i = 1, 920 do s:find('x', 1, true) end\n"
                              "for i = 1, 1e9 do mesh { file = 'cube.obj', size = 1 + i * 1e-5, cell = 0.3 } end";
    assert_null(load_with(others, NULL, &faults));
    assert_int_equal(faults.count, 1);
    assert_true(ends_with(faults.items[0].where, "/scene.lua:3"));
    assert_non_null(strstr(faults.items[0].message, "million instructions"));
    couFaults_Clear(&faults);
}

static char log_text[4096];

static void keep_log(void *context, couLogLevel level, const char *message)
{
    (void)context;
    if (level >= cou_logWarning) snprintf(log_text + strlen(log_text), sizeof log_text - strlen(log_text), "%s\n", message);
}

// What is odd about a mesh is said once, with the line of the script, and holes can be closed.
static void test_mesh_warnings(void **context)
{
    (void)context;
    couSetLog(keep_log, NULL);
    log_text[0] = '\0';
    couCloseScene(load_good(HEAD "mesh { " CUBE ", cell = 0.1 }"));
    assert_string_equal(log_text, "");
    const char *open =
        "local c = { vertices = {{0,0,0},{1,0,0},{0,1,0},{0,0,1}}, triangles = {{1,3,2},{1,2,4},{1,4,3}}, cell = 0.05 }\n";
    char text[512];
    snprintf(text, sizeof text, HEAD "%sc.close_holes = true\nbody { name = 'closed', shape = mesh(c) }", open);
    couScene *scene = load_good(text);
    assert_true(couShape_Distance(body_def(scene, "closed")->shape, 3, (couVec3){0.15f, 0.15f, 0.15f}) < 0.0f);
    couCloseScene(scene);
    log_text[0] = '\0';
    snprintf(text, sizeof text, HEAD "%smesh(c)", open);
    couFaults faults = {0};
    couScene *holed = load_with(text, NULL, &faults); // may have no inside at all: then that is the fault
    couCloseScene(holed);
    couFaults_Clear(&faults);
    assert_non_null(strstr(log_text, "scene.lua:3"));
    couSetLog(NULL, NULL);
}

int main(int argument_count, char **arguments)
{
    if (argument_count > 1) cmocka_set_test_filter(arguments[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_free_bodies),   cmocka_unit_test(test_bad_bodies),    cmocka_unit_test(test_massless),
        cmocka_unit_test(test_keyframes),     cmocka_unit_test(test_bad_keyframes), cmocka_unit_test(test_joints),
        cmocka_unit_test(test_bad_joints),    cmocka_unit_test(test_chain),         cmocka_unit_test(test_events),
        cmocka_unit_test(test_bad_events),    cmocka_unit_test(test_resume),        cmocka_unit_test(test_mesh_files),
        cmocka_unit_test(test_mesh_lists),    cmocka_unit_test(test_bad_meshes),    cmocka_unit_test(test_stock_mesh),
        cmocka_unit_test(test_mesh_hash),     cmocka_unit_test(test_mesh_cell),     cmocka_unit_test(test_mesh_bombs),
        cmocka_unit_test(test_mesh_warnings), cmocka_unit_test(test_body_look),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
