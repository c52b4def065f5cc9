// Deformable solids in liquid: momentum goes from one to the other and stays, light ones float as deep as they weigh, deep ones
// feel the weight of the water, and all of it is the same on any number of threads and after a resume.
#include "soft_test.h"

#include "fluid/soft_samples.h"
#include "sph_test.h"

static couSolidId add_block(couWorld *world, couSolidMesh *mesh, float density, float young, couPose pose)
{
    couFaults faults = {0};
    couSolidDef def = couDefaultSolidDef();
    def.mesh = mesh, def.density = density, def.young = young, def.pose = pose, def.damping = 0.002f;
    couSolidId solid = couWorld_AddSolid(world, &def, &faults);
    CHECK_NO_FAULTS(&faults);
    couSolidMesh_Release(mesh);
    return solid;
}

static couSolidMesh *block_mesh(int dimension, couVec3 size, int x, int y, int z)
{
    couFaults faults = {0};
    couSolidMesh *mesh = couCreateBoxSolidMesh(dimension, size, (int[3]){x, y, z}, &faults);
    CHECK_NO_FAULTS(&faults);
    return mesh;
}

static void advance(couWorld *world, double seconds)
{
    couStepReport report = couWorld_Advance(world, seconds);
    CHECK_HEALTHY(&report);
    assert_true(report.solid_substeps > 0);
    assert_int_equal(report.inverted_count, 0);
}

// --- Samples -----------------------------------------------------------------------------------------------------------------

// Samples are where their cells are, and go as fast; a push on one is a force of the same size at the same place.
static void test_samples_ride(void **context)
{
    (void)context;
    for (int dimension = 2; dimension <= 3; ++dimension) {
        couWorld *world = make_sph_world("dfsph", dimension, 0.02f, NO_GRAVITY);
        couSolidId id = add_block(world, block_mesh(dimension, (couVec3){0.2f, 0.16f, 0.12f}, 4, 3, 2), 1000, 2e4f,
                                  at(0.3f, 0.1f, 0));
        couMaterialId water = add_liquid(world, 1000, 1e-3f);
        add_lattice(world, water, make_box(0.1f, 0.1f, dimension == 3 ? 0.1f : 1.0f), at(-0.5f, 0, 0));
        prepare_world(world);
        // Bent by formula: x -> A x + b, and its velocity likewise.
        couSolid *solid = couSolids_Find(&world->solids, id);
        for (size_t i = 0; i < solid->def.mesh->point_count; ++i) {
            couDouble3 r = solid->rest[i];
            solid->position[i] = (couDouble3){1.1 * r.x + 0.2 * r.y, 0.9 * r.y - 0.1 * r.x, r.z + 0.1 * r.z};
            solid->drift[i] = (couDouble3){r.y, -r.x, 0.5 * r.z};
        }
        couStepReport report = {0};
        couStep step = {.fluid = &world->fluid, .dt = 1e-3f, .report = &report};
        assert_true(couPlaceSamples(&step));
        const couBoundary *boundary = &world->fluid.boundary;
        const couSoft *soft = &world->fluid.softs.items[0];
        assert_true(boundary->table.count == soft->own.samples.count && boundary->table.count > 50);
        couDouble3 pushed = {0, 0, 0}, turned = {0, 0, 0};
        for (size_t k = 0; k < boundary->table.count; ++k) {
            couVec3 r = couToWorld(solid->def.pose, soft->own.samples.points[couBoundary_Sample(boundary)[k]]);
            couVec4 x = couBoundary_Position(boundary)[k], v = couBoundary_Velocity(boundary)[k];
            CHECK_NEAR(x.x, 1.1f * r.x + 0.2f * r.y, 1e-5, dimension);
            CHECK_NEAR(x.y, 0.9f * r.y - 0.1f * r.x, 1e-5, dimension);
            CHECK_NEAR(v.x, r.y, 1e-5, dimension);
            CHECK_NEAR(v.y, -r.x, 1e-5, dimension);
            couVec3 impulse = {1e-3f * (float)(k % 7), -2e-3f * (float)(k % 3), dimension == 3 ? 1e-3f : 0.0f};
            couPushSoft(&world->fluid, (uint32_t)k, impulse);
            pushed = couAdd3(pushed, couWiden(impulse));
            turned = couAdd3(turned, couCross3(couWiden(couXyz(x)), couWiden(impulse)));
        }
        couSettleSoft(&world->fluid, 1e-3f);
        couDouble3 force = {0, 0, 0}, moment = {0, 0, 0};
        for (size_t i = 0; i < solid->def.mesh->point_count; ++i) {
            force = couMulAdd3(force, 1e-3, solid->load[i]);
            moment = couAdd3(moment, couScale3(1e-3, couCross3(solid->position[i], solid->load[i])));
        }
        CHECK_NEAR(couLength3(couSub3(force, pushed)), 0, 1e-6 * couLength3(pushed), dimension);
        CHECK_NEAR(couLength3(couSub3(moment, turned)), 0, 1e-5 * couLength3(pushed), dimension);
        couDestroyWorld(world);
    }
}

// --- Momentum ----------------------------------------------------------------------------------------------------------------

static void add_momentum(const couWorld *world, couSolidId solid, double sum[3])
{
    couMeasurement liquid = couWorld_Measure(world), own = couWorld_MeasureSolid(world, solid).all;
    for (int a = 0; a < 3; ++a) sum[a] = liquid.momentum[a] + own.momentum[a];
}

// A block is shot through a drop: what it loses the drop gains.
static void test_momentum_is_shared(void **context)
{
    (void)context;
    static const char *const methods[] = {"wcsph", "iisph", "dfsph", "pvfs"};
    for (int m = 0; m < COU_COUNT(methods); ++m) {
        couWorld *world = make_sph_world(methods[m], 2, 0.02f, NO_GRAVITY);
        couSolidId solid = add_block(world, block_mesh(2, (couVec3){0.2f, 0.16f, 1}, 5, 4, 1), 1000, 3e4f, at(0, 0.02f, 0));
        couFaults faults = {0};
        couSolid *own = couSolids_Find(&world->solids, solid);
        own->def.friction = 0.5f;
        for (size_t i = 0; i < own->def.mesh->point_count; ++i) own->velocity[i] = own->drift[i] = (couDouble3){1, 0.5, 0};
        add_lattice(world, add_liquid(world, 1000, 1.0f), make_box(0.8f, 0.6f, 1), at(0, 0, 0));
        prepare_world(world);
        CHECK_NO_FAULTS(&faults);
        double before[3], after[3], alone = couWorld_MeasureSolid(world, solid).all.momentum[0];
        add_momentum(world, solid, before);
        advance(world, 0.1);
        add_momentum(world, solid, after);
        for (int a = 0; a < 2; ++a) CHECK_NEAR(after[a], before[a], 1e-4 * fabs(alone), m);
        CHECK_AT_MOST(couWorld_MeasureSolid(world, solid).all.momentum[0], 0.9 * alone, m);
        couDestroyWorld(world);
    }
}

// --- Buoyancy ----------------------------------------------------------------------------------------------------------------

// A tank in the plane, with water up to `depth`.
static couWorld *make_pool(const char *method, float width, float depth, couSolidId *solid, couSolidMesh *mesh, float density,
                           float y)
{
    couWorld *world = make_sph_world(method, 2, 0.02f, EARTH);
    couShape *floor = make_plane(0, 1, 0), *left = make_plane(1, 0, 0), *right = make_plane(-1, 0, 0);
    add_body(world, floor, at(0, 0, 0), 0);
    add_body(world, left, at(-0.5f * width, 0, 0), 0);
    add_body(world, right, at(0.5f * width, 0, 0), 0);
    *solid = add_block(world, mesh, density, 5e4f, at(0, y, 0));
    add_lattice(world, add_liquid(world, 1000, 1e-3f), make_box(width, depth, 1), at(0, 0.5f * depth, 0));
    prepare_world(world);
    return world;
}

// A block floats as deep as it weighs: what it displaces the water rises by.
static void test_floats(void **context)
{
    (void)context;
    static const float densities[] = {500, 700};
    const float width = 1.2f, depth = 0.5f, size = 0.3f;
    for (int k = 0; k < COU_COUNT(densities); ++k) {
        couSolidId solid;
        float share = densities[k] / 1000;
        couWorld *world = make_pool("dfsph", width, depth, &solid, block_mesh(2, (couVec3){0.4f, size, 1}, 6, 5, 1), densities[k],
                                    depth + (0.5f - share) * size);
        advance(world, 1.5);
        double sum = 0;
        enum { LOOKS = 20 };
        for (int n = 0; n < LOOKS; ++n) {
            advance(world, 0.05);
            sum += couWorld_MeasureSolid(world, solid).all.center[1] / LOOKS;
        }
        double water = (double)world->fluid.table.count * 0.02 * 0.02;
        double level = (water + 0.4 * (double)(size * share)) / (double)width;
        double draught = level - (sum - 0.5 * (double)size);
        CHECK_NEAR(draught, size * share, 0.05 * (double)(size * share), (int)densities[k]);
        CHECK_AT_MOST(couWorld_MeasureSolid(world, solid).all.max_speed, 1.0, k); // what bends it is a step late: it shivers
        couDestroyWorld(world);
    }
}

// --- Same bits ---------------------------------------------------------------------------------------------------------------

static couWorld *make_scene(int threads)
{
    couWorldDef def = sph_def("dfsph", 3, 0.04f, EARTH);
    def.threads = threads;
    couWorld *world = make_sph_world_from(&def);
    add_body(world, make_tank(0.6f, 0.4f, 0.6f, 0.1f, true), at(0, 0, 0), 0);
    add_block(world, block_mesh(3, (couVec3){0.24f, 0.2f, 0.16f}, 4, 3, 3), 800, 2e4f, at(0, 0.1f, 0));
    add_lattice(world, add_liquid(world, 1000, 2.0f), make_box(0.6f, 0.3f, 0.6f), at(0, -0.05f, 0));
    prepare_world(world);
    return world;
}

static void test_same_bits(void **context)
{
    (void)context;
    uint64_t expected = 0;
    for (int threads = 1; threads <= 4; ++threads) {
        couFaults faults = {0};
        couWorld *world = make_scene(threads);
        advance(world, 0.03);
        couState middle = {0};
        assert_true(couWorld_SaveState(world, &middle));
        advance(world, 0.03);
        uint64_t hash = hash_world(world);
        if (threads == 1) expected = hash;
        assert_true(hash == expected);
        couDestroyWorld(world);
        world = make_scene(threads);
        assert_true(couWorld_LoadState(world, &middle, &faults));
        CHECK_NO_FAULTS(&faults);
        advance(world, 0.03);
        assert_true(hash_world(world) == expected);
        couState_Clear(&middle);
        couDestroyWorld(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_samples_ride),
        cmocka_unit_test(test_momentum_is_shared),
        cmocka_unit_test(test_floats),
        cmocka_unit_test(test_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
