// Surface files: what is written comes back, is right as text, and no file crashes the reader. vtk and assimp read them in
// exchange.cmake.
#include "io_test.h"
#include "sample_surface.h"

#include "coulis/mesh.h"
#include "coulis/mesh_file.h"
#include "files/text.h"

static void expect_equal_surfaces(const couSurface *a, const couSurface *b, bool has_exact_colors)
{
    assert_int_equal(a->dimension, b->dimension);
    assert_int_equal(a->vertex_count, b->vertex_count);
    assert_int_equal(a->element_count, b->element_count);
    assert_memory_equal(a->vertices, b->vertices, a->vertex_count * sizeof *a->vertices);
    assert_memory_equal(a->normals, b->normals, a->vertex_count * sizeof *a->normals);
    assert_memory_equal(a->velocities, b->velocities, a->vertex_count * sizeof *a->velocities);
    if (has_exact_colors) assert_memory_equal(a->colors, b->colors, a->vertex_count * sizeof *a->colors);
    for (size_t i = 0; i < a->vertex_count; ++i) assert_int_equal(couToDisplay(a->colors[i].x), couToDisplay(b->colors[i].x));
    assert_memory_equal(a->nearest_ids, b->nearest_ids, a->vertex_count * sizeof *a->nearest_ids);
    assert_memory_equal(a->materials, b->materials, a->vertex_count * sizeof *a->materials);
    assert_memory_equal(a->indices, b->indices, a->element_count * (size_t)a->dimension * sizeof *a->indices);
}

static void test_round_trip(void **context)
{
    (void)context;
    static const char *const names[] = {"s.vtp", "s.ply"};
    for (int dimension = 2; dimension <= 3; ++dimension)
        for (int j = 0; j < 2; ++j) {
            couFaults faults = {0};
            couSurface surface, back;
            double time;
            dimension == 3 ? make_sphere_surface(&surface, 40) : make_ring_surface(&surface, 1000);
            surface.colors[3] = (couVec3){0.2f, 0.3f, 0.4f};
            assert_true(couWriteSurface(scratch(names[j]), &surface, 1.0 / 3.0, &faults));
            assert_true(couReadSurface(scratch(names[j]), &back, &time, &faults));
            expect_no_fault(&faults);
            assert_true(time == 1.0 / 3.0);
            expect_equal_surfaces(&surface, &back, j == 0);
            couSurface_Clear(&surface);
            couSurface_Clear(&back);
        }
    assert_int_equal(count_scratch(), 2);
}

// Text keeps all but velocities, ids and materials.
static void test_obj_round_trip(void **context)
{
    (void)context;
    for (int dimension = 2; dimension <= 3; ++dimension) {
        couFaults faults = {0};
        couSurface surface, back;
        double time;
        dimension == 3 ? make_sphere_surface(&surface, 10) : make_ring_surface(&surface, 100);
        assert_true(couWriteSurface(scratch("s.obj"), &surface, 1.0 / 3.0, &faults));
        assert_true(couReadSurface(scratch("s.obj"), &back, &time, &faults));
        expect_no_fault(&faults);
        assert_true(time == 1.0 / 3.0 && back.dimension == dimension);
        assert_int_equal(back.vertex_count, surface.vertex_count);
        assert_int_equal(back.element_count, surface.element_count);
        assert_memory_equal(back.vertices, surface.vertices, back.vertex_count * sizeof *back.vertices);
        assert_memory_equal(back.indices, surface.indices, back.element_count * (size_t)dimension * sizeof *back.indices);
        if (dimension == 3) assert_memory_equal(back.normals, surface.normals, back.vertex_count * sizeof *back.normals);
        assert_memory_equal(back.colors, surface.colors, back.vertex_count * sizeof *back.colors); // of zeros and ones
        assert_true(!back.velocities && !back.nearest_ids && !back.materials);
        couSurface_Clear(&surface);
        couSurface_Clear(&back);
    }
}

// Vertices and triangles alone, and nothing at all.
static void test_bare(void **context)
{
    (void)context;
    static const char *const names[] = {"s.vtp", "s.ply", "s.obj", "s.svg"};
    for (int j = 0; j < 3; ++j) {
        couFaults faults = {0};
        couSurface surface, back;
        make_sphere_surface(&surface, 3);
        couSurface bare = {.dimension = 3, .vertices = surface.vertices, .indices = surface.indices};
        assert_true(couWriteSurface(scratch(names[j]), &bare, 0, &faults)); // empty
        if (j < 2) {
            assert_true(couReadSurface(scratch(names[j]), &back, NULL, &faults));
            assert_int_equal(back.vertex_count + back.element_count, 0);
            couSurface_Clear(&back);
        }
        bare.vertex_count = surface.vertex_count;
        bare.element_count = surface.element_count;
        assert_true(couWriteSurface(scratch(names[j]), &bare, 0, &faults));
        if (j < 2) {
            assert_true(couReadSurface(scratch(names[j]), &back, NULL, &faults));
            assert_memory_equal(back.vertices, surface.vertices, back.vertex_count * sizeof *back.vertices);
            assert_true(!back.normals && !back.velocities && !back.colors && !back.nearest_ids && !back.materials);
            couSurface_Clear(&back);
        }
        expect_no_fault(&faults);
        couSurface_Clear(&surface);
    }
    couFaults faults = {0};
    assert_true(couWriteSurface(scratch(names[3]), &(couSurface){.dimension = 2}, 0, &faults));
    assert_false(couWriteSurface(scratch(names[3]), &(couSurface){.dimension = 3}, 0, &faults));
    expect_fault(&faults, scratch(names[3]), "allowed: .obj, .ply, .vtp, and .svg in 2D");
    assert_false(couWriteSurface(scratch("s.stl"), &(couSurface){.dimension = 2}, 0, &faults));
    expect_fault(&faults, scratch("s.stl"), "allowed: .obj, .ply, .vtp and .svg");
    assert_true(couIsSurfaceFormat("OBJ", 3) && couIsSurfaceFormat("svg", 2) && !couIsSurfaceFormat("svg", 3));
}

static void test_obj_text(void **context)
{
    (void)context;
    couFaults faults = {0};
    couVec3 vertices[3] = {{0, 0, 0}, {0.1f, 0, 0}, {0, 1e-7f, -2}}, normals[3] = {{0, 0, 1}, {0, 0, 1}, {0, 0, 1}};
    couVec3 colors[3] = {{1, 0, 0}, {1, 1, 1}, {0.5f, 0, 0}};
    uint32_t indices[3] = {0, 1, 2};
    couSurface surface = {.dimension = 3, .vertex_count = 3, .element_count = 1, .vertices = vertices, .indices = indices};
    assert_true(couWriteSurface(scratch("s.obj"), &surface, 0.5, &faults));
    expect_text(scratch("s.obj"), "# Coulis surface, time 0.5 s; metres, y up\nv 0 0 0\nv 0.1 0 0\nv 0 1e-07 -2\nf 1 2 3\n");
    surface.normals = normals;
    surface.colors = colors;
    assert_true(couWriteSurface(scratch("s.obj"), &surface, 0.5, &faults));
    expect_text(scratch("s.obj"),
                "# Coulis surface, time 0.5 s; metres, y up; v x y z red green blue\nv 0 0 0 1 0 0\nv 0.1 0 0 1 1 1\n"
                "v 0 1e-07 -2 0.7373 0 0\nvn 0 0 1\nvn 0 0 1\nvn 0 0 1\nf 1//1 2//2 3//3\n");
    surface.dimension = 2;
    surface.colors = NULL;
    assert_true(couWriteSurface(scratch("s.obj"), &surface, 0.5, &faults));
    expect_text(scratch("s.obj"), "# Coulis surface, time 0.5 s; metres, y up\nv 0 0 0\nv 0.1 0 0\nv 0 1e-07 -2\nl 1 2\n");
}

// Through assimp, as Coulis itself reads meshes: closed, oriented, of the right volume.
static void test_obj_mesh(void **context)
{
    (void)context;
    couFaults faults = {0};
    couSurface surface;
    make_sphere_surface(&surface, 40);
    static const char *const names[] = {"s.obj", "s.ply"};
    for (int i = 0; i < 2; ++i) {
        assert_true(couWriteSurface(scratch(names[i]), &surface, 0, &faults));
        couMesh *mesh = couReadMesh(scratch(names[i]), NULL, &faults);
        expect_no_fault(&faults);
        couMeshReport report = couMesh_Inspect(mesh, 1);
        assert_true(report.is_oriented && report.part_count == 1);
        assert_int_equal(couMesh_VertexCount(mesh), surface.vertex_count);
        double volume = couMesh_Mass(mesh).volume, exact = 4.0 / 3.0 * COU_PI * 0.125;
        if (!(fabs(volume - exact) < 0.01 * exact)) fail_msg("volume %g, expected %g within 1 %%", volume, exact);
        couMesh_Release(mesh);
    }
    couSurface_Clear(&surface);
}

static int count_text(const char *text, const char *part)
{
    int count = 0;
    for (; (text = strstr(text, part)); text += strlen(part)) ++count;
    return count;
}

static void test_svg(void **context)
{
    (void)context;
    couFaults faults = {0};
    couSurface surface;
    make_ring_surface(&surface, 4);
    assert_true(couWriteSurface(scratch("s.svg"), &surface, 0.25, &faults));
    char *text = read_bytes(scratch("s.svg"), NULL);
    assert_non_null(strstr(text, "width=\"2080mm\" height=\"2080mm\" viewBox=\"-1040 -1040 2080 2080\""));
    assert_int_equal(count_text(text, "<path"), 1);
    assert_int_equal(count_text(text, "Z"), 2); // rim and hole
    assert_int_equal(count_text(text, "L"), 6);
    assert_non_null(strstr(text, "d=\"M1000 0L")); // up is up: the second corner (0, 1 m) is above, at -1000
    assert_non_null(strstr(text, " -1000L"));
    assert_non_null(strstr(text, "fill=\"#bc00ff\"")); // half of the vertices red
    free(text);
    // Materials apart, and a chain that does not close ends there.
    for (int i = 0; i < 4; ++i) surface.materials[i] = 0;
    surface.element_count = 7;
    assert_true(couWriteSurface(scratch("s.svg"), &surface, 0.25, &faults));
    text = read_bytes(scratch("s.svg"), NULL);
    assert_int_equal(count_text(text, "<path"), 2);
    assert_int_equal(count_text(text, "Z"), 2);
    free(text);
    couSurface_Clear(&surface);
}

static void test_full_disk(void **context)
{
    (void)context;
    static const char *const names[] = {"s.vtp", "s.ply", "s.obj", "s.svg"};
    for (int j = 0; j < 4; ++j) {
        couFaults faults = {0};
        couSurface surface;
        j < 3 ? make_sphere_surface(&surface, 40) : make_ring_surface(&surface, 4000);
        write_text(scratch(names[j]), "old");
        set_disk_room(5000);
        bool is_ok = couWriteSurface(scratch(names[j]), &surface, 0, &faults);
        set_disk_room(-1);
        assert_false(is_ok);
        expect_fault(&faults, scratch(names[j]), "cannot be written: File too large");
        expect_text(scratch(names[j]), "old");
        couSurface_Clear(&surface);
    }
    assert_int_equal(count_scratch(), 4);
}

// Truncated at every byte, every byte changed: one fault or a surface whose elements name vertices that are there.
static void test_hostile(void **context)
{
    (void)context;
    static const char *const names[] = {"s.vtp", "s.ply", "s.obj"};
    for (int j = 0; j < 6; ++j) {
        couFaults faults = {0};
        couSurface surface;
        const char *path = scratch(names[j % 3]);
        j < 3 ? make_sphere_surface(&surface, 2) : make_ring_surface(&surface, 5);
        assert_true(couWriteSurface(path, &surface, 0.125, &faults));
        size_t size;
        char *data = read_bytes(path, &size);
        size_t needed = j % 3 == 0 ? size - 31 : size; // the last tags of the .vtp are not needed
        for (size_t i = 0; i < 4 * size; ++i) {
            size_t place = i % size;
            int kind = (int)(i / size);
            couSurface back;
            if (kind > 0) data[place] ^= "\0\x01\x80\xff"[kind];
            write_bytes(path, data, kind == 0 ? place : size);
            bool is_ok = couReadSurface(path, &back, NULL, &faults);
            assert_int_equal(faults.count, is_ok ? 0 : 1);
            bool is_line_end = j % 3 == 2 && place > 0 && data[place - 1] == '\n'; // text does not say how much is to come
            if (kind == 0) assert_true(!is_ok || place >= needed || is_line_end);
            for (size_t k = 0; k < back.element_count * (size_t)back.dimension; ++k)
                assert_true(back.indices[k] < back.vertex_count);
            couSurface_Clear(&back);
            couFaults_Clear(&faults);
            if (kind > 0) data[place] ^= "\0\x01\x80\xff"[kind];
        }
        free(data);
        couSurface_Clear(&surface);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_scratch, remove_scratch)
    const struct CMUnitTest tests[] = {
        TEST(test_round_trip), TEST(test_bare), TEST(test_obj_round_trip), TEST(test_obj_text),
        TEST(test_obj_mesh),   TEST(test_svg),  TEST(test_full_disk),      TEST(test_hostile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
