// Deformable solids against each other: momenta are kept, nobody goes through, and stacks stand.
#include "soft_test.h"

#include "soft/cell_finder.h"
#include "soft/enclosure.h"

static couSolidId add_block(couWorld *world, couSolidMesh *mesh, couPose pose, couVec3 velocity)
{
    couFaults faults = {0};
    couSolidDef def = couDefaultSolidDef();
    def.mesh = mesh, def.pose = pose, def.velocity = velocity, def.young = 1e5f, def.damping = 0.003f;
    couSolidId solid = couWorld_AddSolid(world, &def, &faults);
    CHECK_NO_FAULTS(&faults);
    couSolidMesh_Release(mesh);
    return solid;
}

static couSolidMesh *block_mesh(int dimension, couVec3 size, int across)
{
    couFaults faults = {0};
    couSolidMesh *mesh = couCreateBoxSolidMesh(dimension, size, (int[3]){across, across, across}, &faults);
    CHECK_NO_FAULTS(&faults);
    return mesh;
}

static void advance(couWorld *world, double seconds)
{
    couStepReport report = couWorld_Advance(world, seconds);
    assert_false(couStepReport_HasFailed(&report));
}

// The finder says the same as asking every cell.
static void test_finder(void **context)
{
    (void)context;
    for (int dimension = 2; dimension <= 3; ++dimension) {
        couSolidMesh *mesh = dimension == 2 ? flat_mesh(0.1f) : debunne_cube(2);
        couArena arena = {0};
        couDouble3 *points = couAlloc(NULL, mesh->point_count * sizeof *points), lower, upper;
        for (size_t i = 0; i < mesh->point_count; ++i) points[i] = couWiden(mesh->points[i]);
        couBoundPoints3(points, mesh->point_count, &lower, &upper);
        couCellFinder finder;
        assert_true(couCellFinder_Build(&finder, &arena, mesh, points, lower, upper));
        couRandom random = {7};
        int inside = 0;
        for (int k = 0; k < 2000; ++k) {
            couDouble3 size = couSub3(upper, lower);
            couDouble3 p = {lower.x + size.x * (0.5 + 0.6 * (double)couRandomSigned(&random)),
                            lower.y + size.y * (0.5 + 0.6 * (double)couRandomSigned(&random)),
                            lower.z + size.z * (0.5 + 0.6 * (double)couRandomSigned(&random))};
            uint32_t cell = 0, nearest = 0;
            double weights[COU_MAX_CORNERS] = {0}, other[COU_MAX_CORNERS] = {0};
            bool is_found = couCellFinder_Find(&finder, p, 0, &cell, weights);
            bool is_inside = false;
            for (size_t c = 0; c < mesh->cell_count && !is_inside; ++c) {
                couDouble3 q[COU_MAX_CORNERS];
                couSolidMesh_Corners(mesh, c, q);
                is_inside = true;
                for (int a = 0; a < mesh->corners; ++a) {
                    couDouble3 own = q[a];
                    q[a] = p;
                    is_inside = is_inside && couCellVolume(dimension, q) >= 0;
                    q[a] = own;
                }
            }
            assert_int_equal(is_found, is_inside);
            couCellFinder_FindNearest(&finder, p, &nearest, other);
            couDouble3 back = {0, 0, 0};
            for (int a = 0; a < mesh->corners; ++a)
                back = couMulAdd3(back, other[a], points[mesh->cells[nearest * (size_t)mesh->corners + (size_t)a]]);
            if (dimension == 2) p.z = 0;
            CHECK_NEAR(couLength3(couSub3(back, p)), 0, 1e-6, k);
            inside += is_inside;
        }
        CHECK_RANGE(inside, 200, 1900, dimension);
        couFree(NULL, points);
        couArena_Free(&arena);
        couSolidMesh_Release(mesh);
    }
}

// How deep the points of one are in the other: the distance to its nearest face.
static double overlap_depth(const couWorld *world, couSolidId a, couSolidId b)
{
    const couSolid *own = couSolids_Find(&world->solids, a), *other = couSolids_Find(&world->solids, b);
    couEnclosure enclosure;
    assert_true(couEnclosure_Build(&enclosure, other->def.mesh->dimension, other->position, other->def.mesh->point_count,
                                   other->def.mesh->faces, other->def.mesh->face_count));
    double deepest = 0;
    for (size_t k = 0; k < own->outer_count; ++k) {
        couDouble3 p = own->position[own->outer[k]];
        if (couEnclosure_Winding(&enclosure, p) != 0) deepest = fmax(deepest, couEnclosure_Distance(&enclosure, p));
    }
    couEnclosure_Free(&enclosure);
    return deepest;
}

// Two blocks meet off their middles, at 3 m/s: they part again, have each other's momentum, and never lie in each other.
static void test_collision(void **context)
{
    (void)context;
    for (int dimension = 2; dimension <= 3; ++dimension) {
        couWorld *world = make_world(dimension, 0.05f, NO_GRAVITY, 1);
        couVec3 size = {0.1f, 0.1f, 0.1f};
        couSolidId ids[2] = {add_block(world, block_mesh(dimension, size, 3), at(-0.07f, 0, 0), (couVec3){1.5f, 0, 0}),
                             add_block(world, block_mesh(dimension, size, 4), at(0.07f, 0.03f, 0.02f), (couVec3){-1.5f, 0, 0})};
        double momentum[3] = {0}, turning[3] = {0}, deepest = 0, size_of_momentum = 0;
        for (int n = 0; n <= 60; ++n) {
            if (n) advance(world, 0.001);
            double p[3] = {0}, l[3] = {0};
            for (int k = 0; k < 2; ++k) {
                couMeasurement all = couWorld_MeasureSolid(world, ids[k]).all;
                for (int a = 0; a < 3; ++a) p[a] += all.momentum[a], l[a] += all.angular_momentum[a];
                size_of_momentum = n ? size_of_momentum : fabs(all.momentum[0]);
            }
            for (int a = 0; a < 3; ++a) {
                if (!n) momentum[a] = p[a], turning[a] = l[a];
                CHECK_NEAR(p[a], momentum[a], 1e-6 * size_of_momentum, n);
                CHECK_NEAR(l[a], turning[a], 2e-3 * size_of_momentum * 0.1, n);
            }
            deepest = fmax(deepest, fmax(overlap_depth(world, ids[0], ids[1]), overlap_depth(world, ids[1], ids[0])));
        }
        CHECK_AT_MOST(deepest, 0.02 * 0.1, dimension);
        CHECK_AT_MOST(couWorld_MeasureSolid(world, ids[0]).all.momentum[0], -0.1 * size_of_momentum, dimension);
        CHECK_RANGE(couWorld_MeasureSolid(world, ids[1]).all.momentum[0], 0.1 * size_of_momentum, INFINITY, dimension);
        couDestroyWorld(world);
    }
}

// Three blocks stand on each other.
static void test_stack(void **context)
{
    (void)context;
    couWorld *world = make_world(3, 0.05f, EARTH, 1);
    add_body(world, make_plane(0, 1, 0), at(0, 0, 0), 0.5f);
    couSolidId ids[3];
    for (int k = 0; k < 3; ++k)
        ids[k] = add_block(world, block_mesh(3, (couVec3){0.1f, 0.1f, 0.1f}, k == 1 ? 3 : 2),
                           at(0.01f * (float)k, 0.052f + 0.102f * (float)k, 0), NO_GRAVITY);
    advance(world, 1);
    for (int k = 0; k < 3; ++k) {
        couMeasurement all = couWorld_MeasureSolid(world, ids[k]).all;
        CHECK_NEAR(all.center[1], 0.05 + 0.1 * k, 0.004 * (k + 1), k); // they sag by two hundredths
        CHECK_NEAR(all.center[0], 0.01 * k, 0.008 * (k + 1), k);       // and sway
        if (k) CHECK_AT_MOST(overlap_depth(world, ids[k], ids[k - 1]), 0.002, k);
    }
    couDestroyWorld(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_finder),
        cmocka_unit_test(test_collision),
        cmocka_unit_test(test_stack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
