// Voronoi regions: volumes that add up to the object, against counted samples, boxes on a regular grid, facets that close.
#include "soft_test.h"

#include "soft/polyhedron.h"

static void check_volumes(couSolidMesh *mesh, const char *name)
{
    couRegions regions = regions_of(mesh);
    double sum = 0, least = INFINITY;
    for (size_t i = 0; i < mesh->point_count; ++i) sum += regions.volumes[i], least = fmin(least, regions.volumes[i]);
    print_message("%s: %zu cells, volume %.6g, error %.1e\n", name, mesh->cell_count, sum, sum / mesh->volume - 1);
    CHECK_NEAR(sum, mesh->volume, 1e-9 * mesh->volume, 0);
    CHECK_RANGE(least, 1e-12, INFINITY, 0);
    couRegions_Free(&regions);
    couSolidMesh_Release(mesh);
}

static void test_volumes_add_up(void **context)
{
    (void)context;
    for (int level = 0; level < 3; ++level) check_volumes(debunne_cube(level), "cube");
    check_volumes(filled_shape((couShapeDef){.kind = cou_shapeTorus, .radius = 0.5f, .radius2 = 0.2f}, 0.12f), "torus");
    check_volumes(filled_shape((couShapeDef){.kind = cou_shapeCone, .radius = 0.5f, .height = 1}, 0.12f), "cone");
    check_volumes(flat_mesh(0.06f), "plane");
}

// The part of the object that is nearest to each point, by sampling.
static void test_volumes_against_samples(void **context)
{
    (void)context;
    couSolidMesh *mesh = debunne_cube(2);
    couRegions regions = regions_of(mesh);
    enum { ACROSS = 100 };
    double *counted = calloc(mesh->point_count, sizeof *counted), most = 0;
    for (int k = 0; k < ACROSS * ACROSS * ACROSS; ++k) {
        couVec3 p = {0.1f * ((float)(k % ACROSS) + 0.5f) / ACROSS - 0.05f,
                     0.1f * ((float)(k / ACROSS % ACROSS) + 0.5f) / ACROSS - 0.05f,
                     0.1f * ((float)(k / ACROSS / ACROSS) + 0.5f) / ACROSS - 0.05f};
        size_t nearest = 0;
        float least2 = INFINITY;
        for (size_t i = 0; i < mesh->point_count; ++i) {
            couVec3 way = couSub(mesh->points[i], p);
            if (couDot(way, way) < least2) least2 = couDot(way, way), nearest = i;
        }
        counted[nearest] += 1e-3 / (ACROSS * ACROSS * ACROSS);
    }
    double mean = 1e-3 / (double)mesh->point_count;
    for (size_t i = 0; i < mesh->point_count; ++i) most = fmax(most, fabs(counted[i] - regions.volumes[i]) / mean);
    CHECK_AT_MOST(most, 0.12, 0); // what a lattice of samples can tell
    free(counted);
    couRegions_Free(&regions);
    couSolidMesh_Release(mesh);
}

// On a regular grid they are boxes: halved at the faces, and facets only along the axes.
static void test_regular_grid(void **context)
{
    (void)context;
    couSolidMesh *mesh = regular_box(3, 1.0f, 4);
    couRegions regions = regions_of(mesh);
    const double h = 0.25;
    for (size_t i = 0; i < mesh->point_count; ++i) {
        couVec3 p = mesh->points[i];
        double expected = h * h * h;
        if (fabsf(p.x) > 0.49f) expected /= 2;
        if (fabsf(p.y) > 0.49f) expected /= 2;
        if (fabsf(p.z) > 0.49f) expected /= 2;
        CHECK_NEAR(regions.volumes[i], expected, 1e-8, (int)i);
    }
    assert_int_equal(regions.facet_count, 3 * 4 * 5 * 5);
    for (size_t f = 0; f < regions.facet_count; ++f) {
        couVec3 way = couSub(mesh->points[regions.facets[f].low], mesh->points[regions.facets[f].high]);
        CHECK_NEAR(couLength(way), h, 1e-6, (int)f);
        CHECK_RANGE(regions.facets[f].area, h * h / 4 - 1e-8, h * h + 1e-8, (int)f);
    }
    couRegions_Free(&regions);
    couSolidMesh_Release(mesh);
}

// Facets around an inner point close: their normals times areas add up to nothing.
static void test_facets_close(void **context)
{
    (void)context;
    couSolidMesh *meshes[] = {debunne_cube(2), filled_shape((couShapeDef){.kind = cou_shapeSphere, .radius = 0.5f}, 0.15f),
                              flat_mesh(0.06f)};
    for (int m = 0; m < COU_COUNT(meshes); ++m) {
        couSolidMesh *mesh = meshes[m];
        couRegions regions = regions_of(mesh);
        bool *is_outer = surface_points(mesh);
        couDouble3 *sums = calloc(mesh->point_count, sizeof *sums);
        double *areas = calloc(mesh->point_count, sizeof *areas);
        couDouble3 all = {0, 0, 0};
        for (size_t k = 0; k < regions.piece_count; ++k) {
            const couPiece *piece = &regions.pieces[k];
            sums[piece->point] = couAdd3(sums[piece->point], piece->area);
            areas[piece->point] += couLength3(piece->area);
            all = couAdd3(all, piece->area);
        }
        int inner = 0;
        for (size_t i = 0; i < mesh->point_count; ++i) {
            // A region may reach the surface though its point does not.
            if (is_outer[i]) continue;
            if (couLength3(sums[i]) < 1e-6 * areas[i]) ++inner;
        }
        CHECK_RANGE(inner, 5, 1e9, m);
        CHECK_AT_MOST(couLength3(all), 1e-12, m);
        free(is_outer);
        free(sums);
        free(areas);
        couRegions_Free(&regions);
        couSolidMesh_Release(mesh);
    }
}

static void test_polyhedron(void **context)
{
    (void)context;
    const couDouble3 p[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    couPolyhedron *body = calloc(1, sizeof *body);
    couPolyhedron_Set(body, 3, p);
    CHECK_NEAR(couPolyhedron_Volume(body), 1.0 / 6, 1e-12, 0);
    assert_true(couPolyhedron_Cut(body, (couDouble3){1, 0, 0}, 0.5, 7, 1e-12));
    CHECK_NEAR(couPolyhedron_Volume(body), 1.0 / 6 * (1 - 0.125), 1e-12, 0);
    assert_true(couPolyhedron_Cut(body, (couDouble3){1, 0, 0}, 2, 8, 1e-12));
    couDouble3 sum = {0, 0, 0};
    for (int s = 0; s < body->count; ++s) {
        couDouble3 area = couSide_Area(&body->sides[s]);
        sum = couAdd3(sum, area);
        if (body->sides[s].label == 7) CHECK_NEAR(area.x, 0.125, 1e-12, 0);
        assert_int_not_equal(body->sides[s].label, 8);
    }
    CHECK_AT_MOST(couLength3(sum), 1e-12, 0);
    assert_false(couPolyhedron_Cut(body, (couDouble3){1, 0, 0}, -0.1, 9, 1e-12));
    free(body);
}

// The surface of a region, closed: its volume is the region's.
static void test_surface_of_region(void **context)
{
    (void)context;
    couSolidMesh *mesh = debunne_cube(1);
    couRegions regions = regions_of(mesh);
    const uint32_t points[] = {0, 20, 56};
    for (int k = 0; k < COU_COUNT(points); ++k) {
        couFaults faults = {0};
        couDouble3 *corners;
        size_t count;
        assert_true(couRegions_BuildSurface(mesh, points[k], 1.0, &corners, &count, &faults));
        double volume = 0;
        for (size_t t = 0; t < count; ++t)
            volume += couDot3(couCross3(corners[3 * t], corners[3 * t + 1]), corners[3 * t + 2]) / 6;
        CHECK_NEAR(volume, regions.volumes[points[k]], 1e-6 * regions.volumes[points[k]], k);
        couFree(NULL, corners);
    }
    couRegions_Free(&regions);
    couSolidMesh_Release(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_volumes_add_up), cmocka_unit_test(test_volumes_against_samples),
        cmocka_unit_test(test_regular_grid),   cmocka_unit_test(test_facets_close),
        cmocka_unit_test(test_polyhedron),     cmocka_unit_test(test_surface_of_region),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
