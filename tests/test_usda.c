// USD text of a run: what is left out, refused and written, and how. check_usda.py reads a whole file by its grammar.
#include "io_test.h"
#include "sample_frame.h"
#include "sample_surface.h"

#include "io/body_files.h"
#include "io/usda.h"

static char last_warning[512];

static void note_log(void *context, couLogLevel level, const char *message)
{
    (void)context;
    if (level == cou_logWarning) snprintf(last_warning, sizeof last_warning, "%s", message);
}

static void write_stage(int materials)
{
    couFaults faults = {0};
    couStageFile stage = {.dimension = 3, .spacing = 0.1f, .fps = 25};
    for (int i = 0; i < materials; ++i) {
        couStageFileMaterial *material = couStageFile_AddMaterial(&stage);
        snprintf(material->name, sizeof material->name, i == 0 ? "1 water" : "1_water"); // one identifier for both
        material->look = (couLook){.color = {0.25f, 0.5f, (float)i}, .opacity = 1, .refraction = 1.5f, .roughness = NAN};
    }
    couManifest manifest;
    assert_true(couManifest_Read(&manifest, scratch_folder, &faults));
    couBodyFiles *files = couOpenBodyFiles(&manifest, &stage, (couBounds){{-1, -1, -1}, {1, 1, 1}}, 0, &faults);
    assert_true(couCloseBodyFiles(files, &faults));
    couManifest_Clear(&manifest);
    expect_no_fault(&faults);
}

static void write_particles(int number, size_t count, bool is_one_material)
{
    couFaults faults = {0};
    couFrame frame;
    char name[40];
    make_sample_frame(&frame, count);
    for (size_t i = 0; i < count; ++i) frame.material[i] = is_one_material ? 0 : (uint8_t)(i % 2);
    snprintf(name, sizeof name, "particles_%06d.vtp", number);
    assert_true(couWriteVtp(scratch(name), &frame, &faults));
    couFreeFrame(&frame);
}

static bool export_usda(double max_gib, couFaults *faults, int *frames)
{
    char path[128];
    snprintf(path, sizeof path, "%s/run.usda", scratch_folder);
    couUsdaDef def = {.folder = scratch_folder, .path = path, .max_gib = max_gib};
    return couWriteUsda(&def, frames, faults);
}

static void expect_part(const char *text, const char *part)
{
    if (!strstr(text, part)) fail_msg("'%s' is not in the file", part);
}

static void test_particles(void **context)
{
    (void)context;
    couFaults faults = {0};
    int frames;
    write_stage(2);
    write_particles(2, 3, true);
    write_particles(5, 2, true);
    write_text(scratch("particles_000003.vtp"), "<?xml cut off");
    couSetLog(note_log, NULL);
    assert_true(export_usda(1, &faults, &frames));
    couSetLog(NULL, NULL);
    expect_no_fault(&faults);
    assert_int_equal(frames, 2);
    expect_part(last_warning, "particles_000003.vtp");
    expect_part(last_warning, "left out");
    char *text = read_bytes(scratch("run.usda"), NULL);
    expect_part(text, "startTimeCode = 2\n    timeCodesPerSecond = 25\n    upAxis = \"Y\"");
    expect_part(text, "endTimeCode = 5");
    expect_part(text, "int64[] ids.timeSamples = {\n            2: [4000000000, 4000000003, 4000000006],\n"
                      "            5: [4000000000, 4000000003],\n        }");
    expect_part(text, "point3f[] points.timeSamples = {\n            2: [(0, -0, 0), (0.25, -0.5, 0.875), (0.5, -1, 1.75)],\n");
    expect_part(text,
                "vector3f[] velocities.timeSamples = {\n            2: [(-3, 0, -1), (-2, 0.0625, -1), (-1, 0.125, -1)],\n");
    expect_part(text, "float[] widths = [0.1] (\n            interpolation = \"constant\"");
    expect_part(text, "color3f[] primvars:displayColor = [(0.25, 0.5, 0)]");
    expect_part(text, "rel material:binding = </coulis/materials/_1_water>");
    expect_part(text, "def Material \"_1_water_2\"");
    expect_part(text, "float inputs:roughness = 0.3\n"); // automatic, of an opaque liquid
    free(text);
    write_particles(5, 2, false); // now colours differ
    unlink(scratch("particles_000003.vtp"));
    assert_true(export_usda(1, &faults, &frames));
    text = read_bytes(scratch("run.usda"), NULL);
    expect_part(
        text, "            5: [(0.25, 0.5, 0), (0.25, 0.5, 1)],\n        } (\n            interpolation = \"vertex\"\n        )");
    free(text);
}

static void test_surfaces(void **context)
{
    (void)context;
    static const char *const names[] = {"surface_000001.vtp", "surface_000001.ply", "surface_000001.obj"};
    for (int kind = 0; kind < 3; ++kind) {
        couFaults faults = {0};
        couSurface surface;
        int frames;
        write_stage(2);
        make_sphere_surface(&surface, 2);
        assert_true(couWriteSurface(scratch(names[kind]), &surface, 0.04, &faults));
        couSurface_Clear(&surface);
        assert_true(export_usda(1, &faults, &frames));
        expect_no_fault(&faults);
        char *text = read_bytes(scratch("run.usda"), NULL);
        expect_part(text, "def Mesh \"surface\"");
        expect_part(text,
                    "int[] faceVertexCounts.timeSamples = {\n            1: [3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3],");
        expect_part(text, "int[] faceVertexIndices.timeSamples = {\n            1: [8, 0, 1, 9, 5, 4,");
        expect_part(text, "normal3f[] normals.timeSamples");
        if (kind < 2) expect_part(text, "vector3f[] velocities.timeSamples = {\n            1: [(0, -1, 0), (0.25, -1, 0.5),");
        if (kind < 2) expect_part(text, "int[] primvars:nearestId.timeSamples = {\n            1: [-294967296, -294967295,");
        free(text);
        unlink(scratch(names[kind]));
        make_ring_surface(&surface, 3); // in 2D: curves of two points
        assert_true(couWriteSurface(scratch(names[kind]), &surface, 0.04, &faults));
        couSurface_Clear(&surface);
        assert_true(export_usda(1, &faults, &frames));
        text = read_bytes(scratch("run.usda"), NULL);
        expect_part(text, "def BasisCurves \"surface\"");
        expect_part(text, "int[] curveVertexCounts.timeSamples = {\n            1: [2, 2, 2, 2, 2, 2],");
        free(text);
        unlink(scratch(names[kind]));
    }
}

static void test_refusals(void **context)
{
    (void)context;
    couFaults faults = {0};
    char stage[128], usda[128];
    snprintf(stage, sizeof stage, "%s/stage.json", scratch_folder);
    snprintf(usda, sizeof usda, "%s/run.usda", scratch_folder);
    assert_false(export_usda(1, &faults, NULL));
    expect_fault(&faults, stage, "No such file");
    write_stage(1);
    assert_false(export_usda(1, &faults, NULL));
    expect_fault(&faults, scratch_folder, "no frames that can be read");
    write_particles(1, 100000, true);
    assert_false(export_usda(0.005, &faults, NULL)); // 8.4 MB
    expect_fault(&faults, usda, "would take about 0.01 GiB");
    set_disk_room(100000);
    bool is_ok = export_usda(1, &faults, NULL);
    set_disk_room(-1);
    assert_false(is_ok);
    expect_fault(&faults, usda, "cannot be written: File too large");
    assert_int_equal(access(usda, F_OK), -1);
    assert_true(export_usda(1, &faults, NULL));
    struct stat status; // the estimate is for numbers of all digits; these are shorter
    assert_int_equal(stat(usda, &status), 0);
    if (!(status.st_size > 4.2e6 && status.st_size < 8.4e6)) fail_msg("%ld bytes, estimated 8.4 MB", (long)status.st_size);
    assert_int_equal(count_scratch(), 5); // the list of our files with them
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_scratch, remove_scratch)
    const struct CMUnitTest tests[] = {TEST(test_particles), TEST(test_surfaces), TEST(test_refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
