// Gravity and force fields, on particles that are alone.
#include "testing.h"

enum { COUNT = 20 };

// Particles far from each other.
static couWorld *make_lonely(int dimension, couVec3 gravity)
{
    couWorld *world = make_world(dimension, 0.01f, gravity, 1);
    couMaterialId liquid = add_liquid(world, 1000, 0.001f);
    couFaults faults = {0};
    for (int k = 0; k < COUNT; ++k) {
        couVec3 x = {(float)(k % 5) - 2, (float)(k / 5) - 1.5f, dimension == 3 ? 0.3f * (float)k : 0},
                v = {0.1f * (float)k, 1, 0};
        assert_true(couWorld_AddParticles(world, liquid, &x, &v, 1, &faults));
    }
    return world;
}

static void add_field(couWorld *world, couFieldDef def)
{
    couFaults faults = {0};
    assert_true(couWorld_AddField(world, &def, &faults).index1);
    CHECK_NO_FAULTS(&faults);
}

static couVec3 position_of(uint32_t id, int dimension)
{
    return (couVec3){(float)(id % 5) - 2, (float)(id / 5) - 1.5f, dimension == 3 ? 0.3f * (float)id : 0};
}

// Change of velocity in one step, by id, over dt.
static void accelerations(couWorld *world, float dt, couVec3 a[COUNT])
{
    couVec3 before[COUNT];
    couParticleView view = couWorld_Particles(world);
    for (size_t i = 0; i < COUNT; ++i) before[view.id[i]] = couXyz(view.velocity[i]);
    couWorld_Step(world, dt);
    view = couWorld_Particles(world);
    for (size_t i = 0; i < COUNT; ++i) a[view.id[i]] = couScale(1.0f / dt, couSub(couXyz(view.velocity[i]), before[view.id[i]]));
}

static void check_vector(couVec3 got, couVec3 expected, double tolerance, int seed)
{
    CHECK_NEAR(got.x, expected.x, tolerance, seed);
    CHECK_NEAR(got.y, expected.y, tolerance, seed);
    CHECK_NEAR(got.z, expected.z, tolerance, seed);
}

// A uniform field is gravity by another name: the same bits.
static void test_uniform_is_gravity(void **context)
{
    (void)context;
    for (int dimension = 2; dimension <= 3; ++dimension) {
        couVec3 g = {1.5f, -9.81f, 0.7f};
        couWorld *heavy = make_lonely(dimension, g), *pushed = make_lonely(dimension, NO_GRAVITY);
        couFieldDef def = couDefaultFieldDef();
        def.kind = cou_fieldUniform, def.vector = g;
        add_field(pushed, def);
        for (int k = 0; k < 50; ++k) couWorld_Step(heavy, 0.01f), couWorld_Step(pushed, 0.01f);
        couParticleView a = couWorld_Particles(heavy), b = couWorld_Particles(pushed);
        assert_int_equal(a.count, b.count);
        assert_memory_equal(a.id, b.id, a.count * sizeof *a.id);
        assert_memory_equal(a.position, b.position, a.count * sizeof *a.position);
        assert_memory_equal(a.velocity, b.velocity, a.count * sizeof *a.velocity);
        CHECK_NEAR(b.velocity[0].y, 1 - 9.81 * 0.5, 1e-4, 0);
        if (dimension == 2)
            for (size_t i = 0; i < b.count; ++i) assert_true(b.velocity[i].z == 0.0f && b.position[i].z == 0.0f);
        couDestroyWorld(heavy);
        couDestroyWorld(pushed);
    }
}

static void test_rotating(void **context)
{
    (void)context;
    couWorld *world = make_lonely(3, NO_GRAVITY);
    couFieldDef def = couDefaultFieldDef();
    def.kind = cou_fieldRotating, def.vector = (couVec3){0, 0, 5}, def.center = (couVec3){0.5f, 0, 9},
    def.strength = 3; // the axis need not be unit
    add_field(world, def);
    couVec3 a[COUNT];
    accelerations(world, 0.001f, a);
    for (uint32_t id = 0; id < COUNT; ++id) {
        couVec3 x = position_of(id, 3);
        check_vector(a[id], (couVec3){-3 * x.y, 3 * (x.x - 0.5f), 0}, 2e-3, (int)id);
    }
    couDestroyWorld(world);
}

static void test_pull(void **context)
{
    (void)context;
    for (int dimension = 2; dimension <= 3; ++dimension) {
        couWorld *world = make_lonely(dimension, NO_GRAVITY);
        couFieldDef def = couDefaultFieldDef();
        def.kind = cou_fieldPull, def.center = position_of(7, dimension), def.strength = 4,
        def.radius = 1.5f; // one is at the centre
        add_field(world, def);
        couVec3 a[COUNT];
        accelerations(world, 0.001f, a);
        for (uint32_t id = 0; id < COUNT; ++id) {
            couVec3 to = couSub(position_of(7, dimension), position_of(id, dimension));
            double r = couLength(to), size = r == 0 ? 0 : 4 * fmin(r / 1.5, 1) / r;
            check_vector(a[id], couScale((float)size, to), 2e-3, (int)id);
        }
        couDestroyWorld(world);
    }
}

typedef struct Calls {
    int count;
    double last_time;
    bool is_time_constant;
} Calls;

static couVec3 drag(void *context, couVec3 position, couVec3 velocity, double time)
{
    Calls *calls = context;
    if (calls->count % COUNT && calls->last_time != time) calls->is_time_constant = false;
    calls->count++;
    calls->last_time = time;
    return (couVec3){-2 * velocity.x + (float)time, position.x, position.y};
}

static void test_function(void **context)
{
    (void)context;
    couWorld *world = make_lonely(3, NO_GRAVITY);
    Calls calls = {.is_time_constant = true};
    couFieldDef def = couDefaultFieldDef();
    def.kind = cou_fieldFunction, def.function = drag, def.function_context = &calls;
    add_field(world, def);
    couWorld_Step(world, 0.25f);
    couWorld_Step(world, 0.25f);
    assert_int_equal(calls.count, 2 * COUNT);
    CHECK_NEAR(calls.last_time, 0.25, 1e-9, 0); // the time at which a step begins
    assert_true(calls.is_time_constant);
    couDestroyWorld(world);

    world = make_lonely(3, NO_GRAVITY);
    add_field(world, def);
    couVec3 a[COUNT];
    accelerations(world, 0.001f, a);
    for (uint32_t id = 0; id < COUNT; ++id) {
        couVec3 x = position_of(id, 3);
        check_vector(a[id], (couVec3){-0.2f * (float)id, x.x, x.y}, 3e-3, (int)id);
    }
    couDestroyWorld(world);
}

static void test_region_and_time(void **context)
{
    (void)context;
    couWorld *world = make_lonely(3, NO_GRAVITY);
    couFieldDef def = couDefaultFieldDef();
    def.kind = cou_fieldUniform, def.vector = (couVec3){0, 0, 7};
    def.region = make_sphere(1.6f), def.region_pose = at(0, 0, 2.5f);
    def.start = 0.002f, def.stop = 0.004f;
    add_field(world, def);
    couShape_Release(def.region);
    for (int step = 0; step < 6; ++step) {
        bool is_on = step == 2 || step == 3;
        world->time = 0.001 * step + 0.0005;
        couVec3 a[COUNT];
        int pushed = 0;
        couParticleView view = couWorld_Particles(world);
        couVec3 x[COUNT];
        for (size_t i = 0; i < COUNT; ++i) x[view.id[i]] = couXyz(view.position[i]);
        accelerations(world, 0.0005f, a);
        for (uint32_t id = 0; id < COUNT; ++id) {
            bool is_inside = couLength(couSub(x[id], (couVec3){0, 0, 2.5f})) < 1.6f;
            check_vector(a[id], (couVec3){0, 0, is_on && is_inside ? 7 : 0}, 5e-3, (int)id);
            pushed += is_on && is_inside;
        }
        assert_true(!is_on || (pushed > 1 && pushed < COUNT));
    }
    couDestroyWorld(world);
}

// Fields add up, with gravity.
static void test_sum(void **context)
{
    (void)context;
    couWorld *world = make_lonely(3, EARTH);
    couFieldDef def = couDefaultFieldDef();
    def.kind = cou_fieldUniform, def.vector = (couVec3){1, 2, 3};
    add_field(world, def);
    add_field(world, def);
    couVec3 a[COUNT];
    accelerations(world, 0.001f, a);
    for (uint32_t id = 0; id < COUNT; ++id) check_vector(a[id], (couVec3){2, -5.81f, 6}, 2e-3, (int)id);
    couDestroyWorld(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_uniform_is_gravity), cmocka_unit_test(test_rotating),        cmocka_unit_test(test_pull),
        cmocka_unit_test(test_function),           cmocka_unit_test(test_region_and_time), cmocka_unit_test(test_sum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
