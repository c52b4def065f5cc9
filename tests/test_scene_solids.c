// solid{} in scenes: what it reads, the points that it follows, where liquid is filled in, and what it refuses.
#include "scene_test.h"

#include "coulis/solid.h"

static char log_text[2048];

static void keep_log(void *context, couLogLevel level, const char *text)
{
    (void)context, (void)level;
    snprintf(log_text + strlen(log_text), sizeof log_text - strlen(log_text), "%s\n", text);
}

#define CUBE "shape = box { size = {0.1, 0.1, 0.1} }, cells = {2, 2, 2}"

static void test_reading(void **context)
{
    (void)context;
    couScene *scene = load_good(HEAD "solid { name = 'a', " CUBE ", at = {0, 1, 0}, model = 'hybrid', lambda = 8000, mu = 2800,\n"
                                     "trace = { {0.05, 1.05, 0.05}, {-1, 1, 0} }, friction = 0.25 }\n"
                                     "solid { name = 'b', shape = sphere { radius = 0.05 }, spacing = 0.025, at = {0.5, 1, 0},\n"
                                     "trace = { {0.55, 1, 0} } }");
    couWorld *world = couScene_World(scene);
    couSolidId a = couWorld_FindSolid(world, "a"), b = couWorld_FindSolid(world, "b");
    assert_int_equal(couWorld_Solid(world, a)->model, cou_solidHybrid);
    assert_true(couWorld_Solid(world, a)->lambda == 8000 && couWorld_Solid(world, a)->friction == 0.25f);
    assert_int_equal(couSolidMesh_PointCount(couWorld_Solid(world, a)->mesh), 27);
    static const couVec3 places[] = {{0.05f, 1.05f, 0.05f}, {-0.05f, 1, 0}, {0.55f, 1, 0}};
    couSolidTrace trace;
    for (int k = 0; k < 3; ++k) {
        assert_true(couScene_SolidTrace(scene, k, &trace));
        assert_int_equal(trace.solid.index1, k < 2 ? a.index1 : b.index1);
        assert_int_equal(trace.number, k < 2 ? k + 1 : 1);
        const double *x = couWorld_SolidView(world, trace.solid).position + 3 * trace.point;
        couVec3 off = {(float)x[0] - places[k].x, (float)x[1] - places[k].y, (float)x[2] - places[k].z};
        assert_true(couLength(off) < (k < 2 ? 1e-6f : 0.02f));
    }
    assert_false(couScene_SolidTrace(scene, 3, &trace));
    couCloseScene(scene);
}

// Liquid is filled in around solids.
static void test_fluid_stays_outside(void **context)
{
    (void)context;
    couScene *scene = load_good("scene { spacing = 0.02, method = 'dfsph' }\n" FLUID "solid { " CUBE " }");
    couParticleView view = couWorld_Particles(couScene_World(scene));
    assert_true(view.count > 15 * 15 * 15 - 7 * 7 * 7 && view.count < 15 * 15 * 15 - 3 * 3 * 3);
    for (size_t i = 0; i < view.count; ++i) {
        float most = fmaxf(fabsf(view.position[i].x), fmaxf(fabsf(view.position[i].y), fabsf(view.position[i].z)));
        assert_true(most > 0.05f);
    }
    couCloseScene(scene);
}

// Who may be shaken by the liquid is told.
static void test_warnings(void **context)
{
    (void)context;
    static const struct {
        const char *head, *density, *text;
    } cases[] = {{"scene { spacing = 0.05, method = 'pvfs' }\n", "400", ""},
                 {"scene { spacing = 0.05, method = 'dfsph' }\n", "400", "of the density of the heaviest liquid"},
                 {"scene { spacing = 0.05, method = 'dfsph' }\n", "600", ""}};
    for (int k = 0; k < 3; ++k) {
        char text[512];
        snprintf(text, sizeof text, "%s" FLUID "solid { name = 'cube', " CUBE ", density = %s, at = {0, 2, 0} }", cases[k].head,
                 cases[k].density);
        log_text[0] = '\0';
        couSetLog(keep_log, NULL);
        couFaults faults = {0};
        couScene *scene = load_good(text);
        assert_true(couScene_Prepare(scene, &faults));
        couSetLog(NULL, NULL);
        if (cases[k].text[0])
            assert_non_null(strstr(log_text, cases[k].text));
        else
            assert_null(strstr(log_text, "cube"));
        couCloseScene(scene);
    }
}

// --- Runs --------------------------------------------------------------------------------------------------------------------

static void run_program(const char *arguments)
{
    char command[1024];
    snprintf(command, sizeof command, "cd '%s' && %s %s >/dev/null 2>&1", folder, COU_PROGRAM, arguments);
    if (system(command) != 0) fail_msg("failed: %s", command);
}

static void read_whole(const char *name, char *text, size_t size)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    memset(text, 0, size);
    assert_true(fread(text, 1, size - 1, file) > 0);
    fclose(file);
}

// traces.csv has a row a frame, the same of a run that was resumed; frames are drawn with their solids.
static void test_traces(void **context)
{
    (void)context;
    write_file("trace.lua", "scene { spacing = 0.05, fps = 20, duration = 0.2 }\n"
                            "solid { name = 'cube', " CUBE ", velocity = {1, 0, 0}, trace = { {0.05, 0.05, 0.05} } }\n"
                            "camera { from = {0, 0, 1}, to = {0, 0, 0} }\n");
    run_program("run trace.lua --out whole --quiet");
    run_program("run trace.lua --out parts --frames 2 --quiet");
    run_program("run --resume parts --out parts --frames 4 --quiet");
    char whole[2048], parts[2048];
    read_whole("whole/traces.csv", whole, sizeof whole);
    read_whole("parts/traces.csv", parts, sizeof parts);
    assert_string_equal(whole, parts);
    int frame;
    double time, x, y, z;
    const char *last = whole;
    for (int k = 0; k < 4; ++k) last = strchr(last, '\n') + 1;
    assert_int_equal(strncmp(whole, "frame,time,cube_1_x,cube_1_y,cube_1_z\n", 38), 0);
    assert_int_equal(sscanf(last, "%d,%lf,%lf,%lf,%lf", &frame, &time, &x, &y, &z), 5);
    assert_true(frame == 4 && fabs(time - 0.2) < 1e-6 && fabs(x - 0.25) < 1e-3 && y < -0.1 && fabs(z - 0.05) < 1e-3);

    // The picture of a frame with its solid is another than without.
    run_program("render whole --frames 1 --size 128x96 --quiet --out with");
    char path[512];
    snprintf(path, sizeof path, "%s/whole/solids_000001.vtu", folder);
    assert_int_equal(unlink(path), 0);
    run_program("render whole --frames 1 --size 128x96 --quiet --out without");
    char with[8192], without[8192];
    read_whole("with/picture_000001.png", with, sizeof with);
    read_whole("without/picture_000001.png", without, sizeof without);
    assert_memory_not_equal(with, without, sizeof with);
}

#define MESH(points, cells) \
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n" points "$EndNodes\n$Elements\n" cells "$EndElements\n"

static void test_bad_solids(void **context)
{
    (void)context;
    static const Bad bad[] = {
        {HEAD "solid { " CUBE ", young = 0/0 }", 2, "solid.young", ""},
        {HEAD "solid { " CUBE ", damping = -1 }", 2, "solid.damping", ""},
        {HEAD "solid { " CUBE ", poisson = 0.5 }", 2, "solid.poisson", ""},
        {HEAD "solid { " CUBE ", model = 'jelly' }", 2, "solid.model", ""},
        {HEAD "solid { " CUBE ", colour = {1, 0, 0} }", 2, "solid.colour", "color"},
        {HEAD "solid { " CUBE ", frequency = 20 }", 2, "solid.frequency", "not stable: this solid needs at least"},
        {HEAD "solid { " CUBE ", trace = 3 }", 2, "solid.trace", "a list of 1 to 16 places"},
        {HEAD "solid { " CUBE ", trace = {} }", 2, "solid.trace", "a list of 1 to 16 places"},
        {HEAD "solid { " CUBE ", trace = { {1} } }", 2, "solid.trace", "three numbers"},
        {HEAD "solid { " CUBE ", fixed = box { size = {1, 1, 1} }:at {5, 0, 0} }", 2, "solid.hold", "no point"},
        {HEAD "solid { shape = sphere { radius = 0.1 }, cells = {2, 2, 2} }", 2, "solid.cells", "only a box"},
        {HEAD "solid { shape = sphere { radius = 0.1 }, level = 1 }", 2, "solid.level", "only a cube"},
        {HEAD "solid { name = 'shapeless' }", 2, "solid.shape", ""},
        {"scene { spacing = 0.02, dimension = 2, method = 'dfsph' }\n"
         "solid { shape = shell { box { size = {0.2, 0.2, 1} }, thickness = 0.06 }, spacing = 0.03 }",
         2, "solid.shape", "it has holes or several parts"},
        {HEAD "solid { file = 'flat.msh' }", 2, "solid.file", "flat.msh: tetrahedron 0 is flat"},
        {HEAD "solid { file = 'point.msh' }", 2, "solid.file", "point.msh: it has no tetrahedra"},
        {HEAD "solid { file = '../flat.msh' }", 2, "solid.file", "not a file in the scene's folder"},
    };
    write_file("flat.msh", MESH("4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 1 1 0\n", "1\n1 4 2 0 1 1 2 3 4\n"));
    write_file("point.msh", MESH("1\n1 0 0 0\n", "1\n1 15 2 0 1 1\n"));
    for (int k = 0; k < COU_COUNT(bad); ++k) check_bad(&bad[k]);
}

int main(int argument_count, char **arguments)
{
    if (argument_count > 1) cmocka_set_test_filter(arguments[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reading), cmocka_unit_test(test_fluid_stays_outside), cmocka_unit_test(test_warnings),
        cmocka_unit_test(test_traces),  cmocka_unit_test(test_bad_solids),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
