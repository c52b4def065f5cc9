// The world: the same bits for any number of threads and neighbours in the process, and no memory left behind.
#include "testing.h"

#include <stdatomic.h>

// --- Same bits ---------------------------------------------------------------------------------------------------------------

static couPose wobble(void *context, double time)
{
    (void)context;
    return turned((float)(0.05 * sin(9 * time)), 0.08f, 0, (float)(3 * time));
}

static void soften(void *context, couWorld *world, double time)
{
    (void)context, (void)time;
    couFaults faults = {0};
    couMaterialId clay = couWorld_MaterialAt(world, 1);
    couMaterialDef def = *couWorld_Material(world, clay);
    def.viscosity = 3;
    assert_true(couWorld_SetMaterial(world, clay, &def, &faults));
    couWorld_AddSprings(world, couWorld_MaterialAt(world, 2));
}

// A bit of everything: two liquids, clay with springs, jelly, an emitter, a moving paddle, friction, a drain, fields, an event.
static couWorld *make_zoo(int dimension, int threads, int seed)
{
    couFaults faults = {0};
    couWorldDef world_def = couDefaultWorldDef();
    world_def.dimension = dimension, world_def.spacing = 0.02f, world_def.threads = threads, world_def.seed = seed;
    couWorld *world = couCreateWorld(&world_def, &faults);
    CHECK_NO_FAULTS(&faults);
    couMaterialDef def = couDefaultMaterialDef();
    couMaterialId water = add_material(world, &def);
    def.springs = cou_springsPlastic, def.density = 1700, def.shear_modulus = 500, def.viscosity = 20;
    def.flow_stretch = def.flow_compress = 2, def.yield_stretch = def.yield_compress = 0.05f;
    couMaterialId clay = add_material(world, &def);
    def = couDefaultMaterialDef(), def.springs = cou_springsFrozen, def.shear_modulus = 2000;
    couMaterialId jelly = add_material(world, &def);
    float width = dimension == 3 ? 0.4f : 1.0f;
    couPose middle = at(0, 0.3f, 0);
    add_body(world, make_tank(width, 0.6f, 0.4f, 0.01f, true), middle, 0.2f);
    couBodyDef paddle = couDefaultBodyDef();
    paddle.shape = make_box(0.2f, 0.02f, 0.1f), paddle.motion = wobble, paddle.friction = 0.5f, paddle.stickiness = 50;
    assert_true(couWorld_AddBody(world, &paddle, &faults).index1);
    couShape_Release(paddle.shape);
    add_fluid(world, water, make_box(width, 0.2f, 0.4f), at(0, 0.1f, 0), NO_GRAVITY);
    add_fluid(world, clay, make_box(0.15f, 0.1f, 0.15f), at(-0.1f, 0.3f, 0), (couVec3){0.3f, 0, 0});
    add_fluid(world, jelly, make_sphere(0.06f), at(0.1f, 0.35f, 0), NO_GRAVITY);
    couEmitterDef emitter = couDefaultEmitterDef();
    emitter.material = water, emitter.shape = make_disk(0.04f), emitter.pose = turned(0, 0.5f, 0, 2.8f), emitter.speed = 2;
    add_emitter(world, &emitter);
    couSinkDef sink = couDefaultSinkDef();
    sink.shape = make_sphere(0.05f), sink.pose = at(-0.4f * width, 0.05f, 0);
    assert_true(couWorld_AddSink(world, &sink, &faults).index1);
    couShape_Release(sink.shape);
    couFieldDef field = couDefaultFieldDef();
    field.kind = cou_fieldRotating, field.strength = 2;
    assert_true(couWorld_AddField(world, &field, &faults).index1);
    assert_true(couWorld_AddEvent(world, 0.02, 0, soften, NULL, &faults).index1);
    return world;
}

static uint64_t run_zoo(couWorld *world, int steps)
{
    for (int k = 0; k < steps; ++k) {
        couStepReport report = couWorld_Step(world, 0.002f);
        CHECK_HEALTHY(&report);
    }
    return hash_world(world);
}

static void test_threads_do_not_matter(void **context)
{
    (void)context;
    for (int dimension = 2; dimension <= 3; ++dimension) {
        uint64_t first = 0;
        for (int threads = 1; threads <= 4; ++threads) {
            couWorld *world = make_zoo(dimension, threads, 1);
            uint64_t hash = run_zoo(world, 60);
            assert_true(couWorld_SpringCount(world) > 100);
            if (threads == 1) first = hash;
            if (hash != first)
                fail_msg("%dD: hash %016llx with %d threads, %016llx with one", dimension, (unsigned long long)hash, threads,
                         (unsigned long long)first);
            couDestroyWorld(world);
        }
    }
}

static void test_worlds_do_not_meet(void **context)
{
    (void)context;
    couWorld *alone[2] = {make_zoo(2, 2, 1), make_zoo(3, 1, 2)};
    uint64_t expected[2] = {run_zoo(alone[0], 40), run_zoo(alone[1], 40)};
    couDestroyWorld(alone[0]);
    couDestroyWorld(alone[1]);
    couWorld *both[2] = {make_zoo(2, 1, 1), make_zoo(3, 3, 2)};
    for (int k = 0; k < 40; ++k)
        for (int w = 0; w < 2; ++w) couWorld_Step(both[w], 0.002f);
    for (int w = 0; w < 2; ++w) {
        assert_true(hash_world(both[w]) == expected[w]);
        couDestroyWorld(both[w]);
    }
}

static void test_seeds_matter(void **context)
{
    (void)context;
    couWorld *a = make_zoo(2, 1, 1), *b = make_zoo(2, 1, 1), *c = make_zoo(2, 1, 2);
    uint64_t hash = run_zoo(a, 5);
    assert_true(hash == run_zoo(b, 5));
    assert_true(hash != run_zoo(c, 5));
    couDestroyWorld(a);
    couDestroyWorld(b);
    couDestroyWorld(c);
}

// --- Memory ------------------------------------------------------------------------------------------------------------------

static _Atomic int64_t blocks_out, blocks_allowed;
static void *counting_alloc(size_t bytes, size_t align)
{
    if (atomic_fetch_sub(&blocks_allowed, 1) <= 0) return NULL;
    atomic_fetch_add(&blocks_out, 1);
    return aligned_alloc(align, bytes);
}
static void counting_free(void *memory)
{
    atomic_fetch_sub(&blocks_out, 1);
    free(memory);
}

static void test_all_memory_comes_back(void **context)
{
    (void)context;
    couSetAllocator(counting_alloc, counting_free);
    blocks_allowed = INT64_MAX / 2;
    couWorld *world = make_zoo(3, 2, 1);
    run_zoo(world, 10);
    CHECK_RANGE((double)couWorld_Bytes(world), 1e4, 1e9, 0);
    assert_true(blocks_out > 0);
    couDestroyWorld(world);
    CHECK_NEAR((double)blocks_out, 0, 0, 0);
    couSetAllocator(NULL, NULL);
}

// Without memory, wherever it happens: faults or a report that is not healthy, and everything comes back.
static void test_no_memory(void **context)
{
    (void)context;
    couSetAllocator(counting_alloc, counting_free);
    int failures = 0;
    for (int given = 0; given < 400; given += given < 60 ? 1 : 17) {
        blocks_allowed = given;
        couFaults faults = {0};
        couWorldDef def = couDefaultWorldDef();
        def.threads = 1;
        couWorld *world = couCreateWorld(&def, &faults);
        if (!world) {
            assert_true(faults.count > 0);
            ++failures;
        } else {
            couMaterialDef material = couDefaultMaterialDef();
            material.springs = cou_springsPlastic;
            couMaterialId clay = couWorld_AddMaterial(world, &material, &faults);
            couShapeDef box = {.kind = cou_shapeBox, .size = {0.2f, 0.2f, 0.2f}};
            couShape *shape = couCreateShape(&box, &faults);
            if (shape) {
                couBodyDef body = couDefaultBodyDef();
                body.shape = shape, body.pose = at(0, -0.2f, 0);
                couWorld_AddBody(world, &body, &faults);
                couFluidDef fluid = couDefaultFluidDef();
                fluid.material = clay, fluid.shape = shape;
                couWorld_AddFluid(world, &fluid, &faults);
            }
            couStepReport report = {0};
            for (int k = 0; k < 3 && report.nan_count == 0; ++k) report = couWorld_Step(world, 0.001f);
            failures += faults.count > 0 || report.nan_count != 0;
            couShape_Release(shape);
            couDestroyWorld(world);
        }
        couFaults_Clear(&faults);
        CHECK_NEAR((double)blocks_out, 0, 0, given);
    }
    couSetAllocator(NULL, NULL);
    assert_true(failures > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads_do_not_matter),
        cmocka_unit_test(test_worlds_do_not_meet),
        cmocka_unit_test(test_seeds_matter),
        cmocka_unit_test(test_all_memory_comes_back),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
