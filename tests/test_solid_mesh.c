// Meshes of solids: counts, volumes, surfaces that are closed, fillings without cracks, and what is refused.
#include "soft_test.h"

#include "soft/enclosure.h"

// V - E + F - T of a mesh, 1 for a ball, 0 for a ring; faces inside are there as well.
static long euler(const couSolidMesh *mesh)
{
    long cells = (long)mesh->cell_count, points = (long)mesh->point_count, edges = (long)mesh->edge_count;
    if (mesh->dimension == 2) return points - edges + cells;
    return points - edges + (4 * cells + (long)mesh->face_count) / 2 - cells;
}

// The volume within the faces, by Gauss.
static double volume_within(const couSolidMesh *mesh)
{
    double volume = 0;
    for (size_t f = 0; f < mesh->face_count; ++f) {
        const uint32_t *n = &mesh->faces[f * (size_t)mesh->dimension];
        couDouble3 a = couWiden(mesh->points[n[0]]), b = couWiden(mesh->points[n[1]]);
        if (mesh->dimension == 2)
            volume += 0.5 * (a.x * b.y - a.y * b.x);
        else
            volume += couDot3(couCross3(a, b), couWiden(mesh->points[n[2]])) / 6;
    }
    return volume;
}

// --- Boxes -------------------------------------------------------------------------------------------------------------------

static void test_boxes(void **context)
{
    (void)context;
    const struct {
        int dimension, cells[3];
        size_t points, cell_count, edges, faces;
    } boxes[] = {{3, {2, 2, 2}, 27, 48, 98, 48},
                 {3, {1, 1, 1}, 8, 6, 19, 12},
                 {3, {3, 2, 1}, 24, 36, 81, 44},
                 {2, {3, 2, 0}, 12, 12, 23, 10}};
    for (int k = 0; k < COU_COUNT(boxes); ++k) {
        couFaults faults = {0};
        couSolidMesh *mesh = couCreateBoxSolidMesh(boxes[k].dimension, (couVec3){3, 2, 1}, boxes[k].cells, &faults);
        CHECK_NO_FAULTS(&faults);
        assert_int_equal(couSolidMesh_PointCount(mesh), boxes[k].points);
        assert_int_equal(couSolidMesh_CellCount(mesh), boxes[k].cell_count);
        assert_int_equal(couSolidMesh_EdgeCount(mesh), boxes[k].edges);
        assert_int_equal(couSolidMesh_FaceCount(mesh), boxes[k].faces);
        assert_int_equal(euler(mesh), 1);
        CHECK_NEAR(couSolidMesh_Volume(mesh), 6, 1e-6, k);
        CHECK_NEAR(volume_within(mesh), 6, 1e-6, k);
        couSolidMesh_Release(mesh);
    }
}

static void test_debunne_cubes(void **context)
{
    (void)context;
    const size_t points[] = {27, 57, 135}, cells[] = {48, 122, 448};
    for (int level = 0; level < 3; ++level) {
        couSolidMesh *mesh = debunne_cube(level);
        couSolidMeshReport report = couSolidMesh_Inspect(mesh);
        assert_int_equal(mesh->point_count, points[level]);
        if (level == 0) assert_int_equal(mesh->cell_count, 48);
        CHECK_NEAR((double)mesh->cell_count, (double)cells[level], 0.05 * (double)cells[level], level);
        assert_int_equal(euler(mesh), 1);
        assert_int_equal(report.sliver_count, 0);
        CHECK_NEAR(mesh->volume, 1e-3, 1e-8, level);
        CHECK_NEAR(volume_within(mesh), 1e-3, 1e-8, level);
        couSolidMesh_Release(mesh);
    }
}

enum { ANY = 99 };

// --- Filling -----------------------------------------------------------------------------------------------------------------

static void test_filled_shapes(void **context)
{
    (void)context;
    const struct {
        const char *name;
        couShapeDef def;
        float spacing;
        double error; // of the volume against that of the resampled surface
        long euler;   // ANY where coarse cells may touch each other
        size_t slivers;
    } shapes[] = {
        {"box", {.kind = cou_shapeBox, .size = {1, 1, 1}}, 0.15f, 1e-6, 1, 0},
        {"sphere", {.kind = cou_shapeSphere, .radius = 0.5f}, 0.15f, 5e-3, 1, 0},
        {"torus", {.kind = cou_shapeTorus, .radius = 0.5f, .radius2 = 0.2f}, 0.1f, 5e-3, ANY, 8},
        {"cone", {.kind = cou_shapeCone, .radius = 0.5f, .height = 1}, 0.1f, 5e-3, ANY, 8},
    };
    for (int k = 0; k < COU_COUNT(shapes); ++k) {
        couMesh *surface = shape_surface(shapes[k].def, shapes[k].spacing);
        couFaults faults = {0};
        couSolidMesh *mesh = couFillSolidMesh(surface, shapes[k].spacing, &faults);
        CHECK_NO_FAULTS(&faults);
        couSolidMeshReport report = couSolidMesh_Inspect(mesh);
        double volume = couMesh_Mass(surface).volume;
        print_message("%s: %zu points, %zu cells, %zu slivers, quality %.3f to %.3f\n", shapes[k].name, mesh->point_count,
                      mesh->cell_count, report.sliver_count, report.least_quality, report.mean_quality);
        CHECK_NEAR(mesh->volume, volume, shapes[k].error * volume, k);
        CHECK_NEAR(volume_within(mesh), mesh->volume, 1e-5 * volume, k);
        if (shapes[k].euler != ANY) assert_int_equal(euler(mesh), shapes[k].euler);
        CHECK_AT_MOST((double)report.sliver_count, (double)shapes[k].slivers, k);
        CHECK_RANGE(report.mean_quality, 0.6, 1, k);
        couSolidMesh_Release(mesh);
        couMesh_Release(surface);
    }
}

static void test_filled_plane(void **context)
{
    (void)context;
    couSolidMesh *mesh = flat_mesh(0.07f);
    couSolidMeshReport report = couSolidMesh_Inspect(mesh);
    assert_int_equal(euler(mesh), 1);
    CHECK_NEAR(mesh->volume, 0.75, 1e-6, 0);
    CHECK_NEAR(volume_within(mesh), 0.75, 1e-6, 0);
    assert_int_equal(report.sliver_count, 0);
    CHECK_RANGE(report.mean_quality, 0.85, 1, 0);
    couSolidMesh_Release(mesh);
}

// The same mesh, the same cells, every time.
static void test_filling_is_repeatable(void **context)
{
    (void)context;
    couShapeDef def = {.kind = cou_shapeTorus, .radius = 0.5f, .radius2 = 0.2f};
    couSolidMesh *a = filled_shape(def, 0.12f), *b = filled_shape(def, 0.12f);
    assert_true(couSolidMesh_Hash(a) == couSolidMesh_Hash(b));
    couSolidMesh_Release(a);
    couSolidMesh_Release(b);
}

// Winding numbers against the sum of solid angles.
static void test_winding(void **context)
{
    (void)context;
    couMesh *surface = shape_surface((couShapeDef){.kind = cou_shapeTorus, .radius = 0.5f, .radius2 = 0.2f}, 0.1f);
    size_t count = couMesh_VertexCount(surface), sides = couMesh_TriangleCount(surface);
    couDouble3 *points = calloc(count, sizeof *points);
    for (size_t i = 0; i < count; ++i) points[i] = couWiden(couMesh_Vertices(surface)[i]);
    couEnclosure enclosure;
    assert_true(couEnclosure_Build(&enclosure, 3, points, count, couMesh_Triangles(surface), sides));
    couRandom random = {3};
    int inside = 0;
    for (int k = 0; k < 400; ++k) {
        couDouble3 p = {0.8 * (double)couRandomSigned(&random), 0.3 * (double)couRandomSigned(&random),
                        0.8 * (double)couRandomSigned(&random)};
        if (k < 100) p = points[k % (int)count], p.x = 0.1 * k / 100; // rays through vertices
        double angle = 0;
        for (size_t t = 0; t < sides; ++t) {
            const uint32_t *n = &couMesh_Triangles(surface)[3 * t];
            couDouble3 a = couSub3(points[n[0]], p), b = couSub3(points[n[1]], p), c = couSub3(points[n[2]], p);
            double la = couLength3(a), lb = couLength3(b), lc = couLength3(c);
            angle += 2 * atan2(couDot3(a, couCross3(b, c)),
                               la * lb * lc + couDot3(a, b) * lc + couDot3(b, c) * la + couDot3(c, a) * lb);
        }
        int expected = (int)lround(angle / (4 * COU_PI));
        assert_int_equal(couEnclosure_Winding(&enclosure, p), expected);
        inside += expected != 0;
    }
    CHECK_RANGE(inside, 50, 300, 3);
    CHECK_NEAR(couEnclosure_Volume(&enclosure), couMesh_Mass(surface).volume, 1e-6, 0);
    couEnclosure_Free(&enclosure);
    free(points);
    couMesh_Release(surface);
}

// --- What is refused ---------------------------------------------------------------------------------------------------------

static void refuse(int dimension, const couVec3 *points, size_t point_count, const uint32_t *cells, size_t cell_count,
                   const char *text)
{
    couFaults faults = {0};
    assert_null(couCreateSolidMesh(dimension, points, point_count, cells, cell_count, &faults));
    CHECK_FAULT(&faults, "solid_mesh", text);
}

static void test_bad_meshes(void **context)
{
    (void)context;
    const couVec3 corners[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 0}, {0, 0, -1}, {0.2f, 0.2f, 2}};
    const uint32_t good[] = {0, 1, 2, 3}, inverted[] = {0, 2, 1, 3}, flat[] = {0, 1, 2, 4}, beyond[] = {0, 1, 2, 9};
    refuse(3, corners, 1, good, 1, "no solid");
    refuse(3, corners, 4, good, 0, "no solid");
    refuse(4, corners, 4, good, 1, "dimension is 4");
    refuse(3, corners, 4, inverted, 1, "tetrahedron 0 is inverted (1 of 1 are)");
    refuse(3, corners, 5, flat, 1, "tetrahedron 0 is flat");
    refuse(3, corners, 4, beyond, 1, "uses point 9; there are 4");
    refuse(3, corners, 5, good, 1, "point 4 belongs to no cell");
    refuse(2, corners, 3, (uint32_t[3]){0, 2, 1}, 1, "triangle 0 is inverted");
    couVec3 nan_points[4];
    memcpy(nan_points, corners, sizeof nan_points);
    nan_points[2].y = NAN;
    refuse(3, nan_points, 4, good, 1, "point 2 is at (0, nan, 0)");
    // Three cells at one face: two above it.
    const couVec3 crowd[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, -1}, {0.2f, 0.2f, 2}};
    refuse(3, crowd, 6, (uint32_t[12]){0, 1, 2, 3, 0, 2, 1, 4, 0, 1, 2, 5}, 3, "share a face");
}

static void test_bad_surfaces(void **context)
{
    (void)context;
    couFaults faults = {0};
    const couVec3 corners[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const uint32_t open[] = {0, 2, 1, 0, 1, 3, 0, 3, 2}, one_turned[] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 3, 2};
    couMesh *mesh = couCreateMesh(corners, 4, open, 3, &faults);
    assert_null(couFillSolidMesh(mesh, 0.2f, &faults));
    CHECK_FAULT(&faults, "solid_mesh", "not closed: 3 of its edges");
    assert_null(couFillSolidMesh(mesh, NAN, &faults));
    CHECK_FAULT(&faults, "solid_mesh", "the spacing is nan");
    couMesh_Release(mesh);
    mesh = couCreateMesh(corners, 4, one_turned, 4, &faults);
    assert_null(couFillSolidMesh(mesh, 0.2f, &faults));
    CHECK_FAULT(&faults, "solid_mesh", "turned the wrong way");
    couMesh_Release(mesh);
    couMesh *box = shape_surface((couShapeDef){.kind = cou_shapeBox, .size = {1, 1, 1}}, 0.5f);
    assert_null(couFillSolidMesh(box, 1e-4f, &faults));
    CHECK_FAULT(&faults, "solid_mesh", "the most is 1e+07");
    assert_null(couResampleMesh(box, 30.0f, &faults));
    CHECK_FAULT(&faults, "solid_mesh", "nothing is left");
    assert_null(couResampleMesh(box, 0.0f, &faults));
    CHECK_FAULT(&faults, "solid_mesh", "the spacing is 0");
    couMesh_Release(box);
    assert_null(couFillSolidMesh2(corners, 3, (uint32_t[4]){0, 1, 1, 2}, 2, 0.1f, &faults));
    CHECK_FAULT(&faults, "solid_mesh", "2 of its points are open");
    assert_null(couFillSolidMesh2(corners, 3, (uint32_t[4]){0, 1, 1, 7}, 2, 0.1f, &faults));
    CHECK_FAULT(&faults, "solid_mesh", "uses point 7");
    assert_null(couCreateBoxSolidMesh(3, (couVec3){1, NAN, 1}, (int[3]){1, 1, 1}, &faults));
    CHECK_FAULT(&faults, "solid_mesh", "edges must be > 0");
    assert_null(couCreateBoxSolidMesh(3, (couVec3){1, 1, 1}, (int[3]){1, 0, 1}, &faults));
    CHECK_FAULT(&faults, "solid_mesh", "cells 1 to 1024");
    assert_null(couCreateDebunneCube(0.1f, 3, &faults));
    CHECK_FAULT(&faults, "solid_mesh", "the level 0 to 2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_boxes),        cmocka_unit_test(test_debunne_cubes),         cmocka_unit_test(test_filled_shapes),
        cmocka_unit_test(test_filled_plane), cmocka_unit_test(test_filling_is_repeatable), cmocka_unit_test(test_winding),
        cmocka_unit_test(test_bad_meshes),   cmocka_unit_test(test_bad_surfaces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
