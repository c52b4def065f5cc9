// Files of solids: meshes that come back as they went, Gmsh of both versions, frames with all their arrays, and damaged files.
#include "soft_test.h"

#include "coulis/studio.h"

static void check_round_trip(couSolidMesh *mesh, const char *path)
{
    couFaults faults = {0};
    assert_true(couWriteSolidMesh(path, mesh, &faults));
    CHECK_NO_FAULTS(&faults);
    couSolidMesh *back = couReadSolidMesh(path, mesh->dimension, &faults);
    CHECK_NO_FAULTS(&faults);
    assert_int_equal(back->cell_count, mesh->cell_count);
    assert_int_equal(back->point_count, mesh->point_count);
    CHECK_NEAR(back->volume, mesh->volume, 1e-9, 0);
    // Points are numbered as cells use them; the cells themselves are in order.
    for (size_t k = 0; k < mesh->cell_count * (size_t)mesh->corners; ++k) {
        couVec3 a = mesh->points[mesh->cells[k]], b = back->points[back->cells[k]];
        assert_true(a.x == b.x && a.y == b.y && a.z == b.z);
    }
    couSolidMesh_Release(back);
    couSolidMesh_Release(mesh);
    remove(path);
}

static void test_round_trips(void **context)
{
    (void)context;
    check_round_trip(debunne_cube(2), "solid_file_test.msh");
    check_round_trip(debunne_cube(2), "solid_file_test.vtu");
    check_round_trip(flat_mesh(0.2f), "solid_file_test.msh");
    check_round_trip(flat_mesh(0.2f), "solid_file_test.vtu");
}

static couSolidMesh *read_text(const char *text, couFaults *faults)
{
    FILE *file = fopen("solid_file_text.msh", "w");
    fputs(text, file);
    fclose(file);
    couSolidMesh *mesh = couReadSolidMesh("solid_file_text.msh", 3, faults);
    remove("solid_file_text.msh");
    return mesh;
}

static void refuse(const char *text, const char *message)
{
    couFaults faults = {0};
    assert_null(read_text(text, &faults));
    CHECK_FAULT(&faults, "", message);
}

#define HEAD "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
#define NODES "$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 0 1 0\n7 0 0 1\n9 5 5 5\n$EndNodes\n"

static void test_gmsh(void **context)
{
    (void)context;
    couFaults faults = {0};
    // A point and a triangle of no use; the tetrahedron inside out.
    couSolidMesh *mesh = read_text(HEAD NODES "$Elements\n2\n1 2 2 0 1 1 2 3\n2 4 2 0 1 2 1 3 7\n$EndElements\n", &faults);
    CHECK_NO_FAULTS(&faults);
    assert_int_equal(mesh->point_count, 4);
    CHECK_NEAR(mesh->volume, 1.0 / 6, 1e-7, 0);
    couSolidMesh_Release(mesh);
    mesh = read_text("$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 4 1 4\n3 1 0 4\n1\n2\n3\n4\n0 0 0\n1 0 0\n0 1 0\n0 0 2\n"
                     "$EndNodes\n$Elements\n1 1 1 1\n3 1 4 1\n1 1 2 3 4\n$EndElements\n",
                     &faults);
    CHECK_NO_FAULTS(&faults);
    CHECK_NEAR(mesh->volume, 1.0 / 3, 1e-7, 0);
    couSolidMesh_Release(mesh);
}

static void test_damaged_files(void **context)
{
    (void)context;
    couFaults faults = {0};
    refuse("", "no .msh file");
    refuse("$MeshFormat\n3.0 0 8\n", "no .msh file of version 2 or 4.1");
    refuse("$MeshFormat\n4.1 1 8\n", "binary");
    refuse(HEAD NODES, "no $Nodes or no $Elements");
    refuse(HEAD "$Nodes\n99999999999\n1 0 0 0\n$EndNodes\n$Elements\n0\n", "damaged");
    refuse(HEAD NODES "$Elements\n1\n1 4 2 0 1 1 2 3\n$EndElements\n", "damaged");
    refuse(HEAD NODES "$Elements\n1\n1 4 2 0 1 1 2 3 8\n$EndElements\n", "uses point 8");
    refuse(HEAD NODES "$Elements\n1\n1 2 2 0 1 1 2 3\n$EndElements\n", "no tetrahedra");
    refuse(HEAD NODES "$Elements\n1\n1 4 2 0 1 1 2 3 3\n$EndElements\n", "no solid");
    assert_null(couReadSolidMesh("nowhere.msh", 3, &faults));
    assert_int_equal(faults.count, 1);
    couFaults_Clear(&faults);
    assert_null(couReadSolidMesh("cube.obj", 3, &faults));
    CHECK_FAULT(&faults, "", ".msh or .vtu");
}

// A frame of two solids, read back as points with their columns.
static void test_frames(void **context)
{
    (void)context;
    couFaults faults = {0};
    couWorld *world = make_world(3, 0.05f, EARTH, 1);
    for (int k = 0; k < 2; ++k) {
        couSolidDef def = couDefaultSolidDef();
        def.mesh = debunne_cube(k);
        def.pose.position.x = (float)k;
        couWorld_AddSolid(world, &def, &faults);
        CHECK_NO_FAULTS(&faults);
        couSolidMesh_Release(def.mesh);
    }
    couWorld_Advance(world, 0.1);
    assert_true(couWriteSolids("solid_file_frame.vtu", world, &faults));
    CHECK_NO_FAULTS(&faults);
    couFrame frame;
    assert_true(couReadFrame("solid_file_frame.vtu", &frame, &faults));
    assert_int_equal(frame.count, 27 + 57);
    CHECK_NEAR(frame.time, 0.1, 1e-9, 0);
    CHECK_NEAR(frame.velocity[30].y, -0.981, 0.01, 0);
    couFreeFrame(&frame);
    couSolidMesh *both = couReadSolidMesh("solid_file_frame.vtu", 3, &faults);
    CHECK_NO_FAULTS(&faults);
    assert_int_equal(both->cell_count, 48 + 120);
    couSolidMesh_Release(both);
    remove("solid_file_frame.vtu");
    couDestroyWorld(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trips),
        cmocka_unit_test(test_gmsh),
        cmocka_unit_test(test_damaged_files),
        cmocka_unit_test(test_frames),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
