// run.json and diagnostics.csv: exact texts, numbers that come back, resumed and damaged files.
#include "io_test.h"

#include "coulis/coulis.h"
#include "io/run_files.h"

#define PLACE(name) ",body_" name "_x,body_" name "_y,body_" name "_z"
#define LOAD(name) PLACE(name "_force") PLACE(name "_torque")
#define FIXED \
    "frame,time,particles,dt,substeps,iterations,density_error_mean,density_error_max,kinetic_energy,potential_energy," \
    "momentum_x,momentum_y,momentum_z,wall_seconds"

// --- run.json ----------------------------------------------------------------------------------------------------------------

static void test_json(void **context)
{
    (void)context;
    couFaults faults = {0};
    const char *warnings[] = {"first \"quoted\" back\\slash", "tab\t line\n bell\a delete\x7f",
                              "\xc3\xa9t\xc3\xa9 \xf0\x9f\x8d\xaf", "bad \xff\xc0\xaf \xed\xa0\x80 \xf5 \xe2\x82 cut \xc3"};
    couRunSummary summary = {.scene = "scenes/miel.lua",
                             .method = "pvfs",
                             .particles = 18446744073709551615u,
                             .frames = 60,
                             .steps = 1234,
                             .simulated_seconds = 0.1 + 0.2,
                             .wall_seconds = 2.5,
                             .peak_rss_bytes = 123456789012,
                             .threads = 2,
                             .state_hash = 0x00c0ffee12345678,
                             .warnings = warnings,
                             .warning_count = 4};
    assert_true(couWriteRunJson(scratch("run.json"), &summary, &faults));
    expect_text(
        scratch("run.json"),
        "{\n  \"scene\": \"scenes/miel.lua\",\n  \"method\": \"pvfs\",\n  \"particles\": 18446744073709551615,\n"
        "  \"frames\": 60,\n"
        "  \"steps\": 1234,\n  \"simulated_seconds\": 0.30000000000000004,\n  \"wall_seconds\": 2.5,\n"
        "  \"peak_rss_bytes\": 123456789012,\n  \"threads\": 2,\n  \"state_hash\": \"00c0ffee12345678\",\n  \"warnings\": [\n"
        "    \"first \\\"quoted\\\" back\\\\slash\",\n    \"tab\\t line\\n bell\\u0007 delete\\u007f\",\n"
        "    \"\xc3\xa9t\xc3\xa9 \xf0\x9f\x8d\xaf\",\n"
        "    \"bad \\ufffd\\ufffd\\ufffd \\ufffd\\ufffd\\ufffd \\ufffd \\ufffd\\ufffd cut \\ufffd\"\n  ]\n}\n");
    summary.warning_count = 0;
    summary.simulated_seconds = NAN;
    summary.wall_seconds = INFINITY;
    assert_true(couWriteRunJson(scratch("run.json"), &summary, &faults));
    char *text = read_bytes(scratch("run.json"), NULL);
    assert_non_null(strstr(text, "\"simulated_seconds\": null,\n  \"wall_seconds\": null,"));
    assert_non_null(strstr(text, "\"warnings\": []\n}\n"));
    free(text);
    expect_no_fault(&faults);
}

static void test_json_full_disk(void **context)
{
    (void)context;
    couFaults faults = {0};
    couRunSummary summary = {.scene = "a", .method = "b"};
    write_text(scratch("run.json"), "old");
    set_disk_room(20);
    bool is_ok = couWriteRunJson(scratch("run.json"), &summary, &faults);
    set_disk_room(-1);
    assert_false(is_ok);
    expect_fault(&faults, scratch("run.json"), "cannot be written: File too large");
    expect_text(scratch("run.json"), "old");
    assert_int_equal(count_scratch(), 1);
}

// --- diagnostics.csv ---------------------------------------------------------------------------------------------------------

static couPose slide(void *context, double time)
{
    (void)context;
    couPose pose = COU_POSE_IDENTITY;
    pose.position = (couVec3){(float)time, 0.1f, -2.0f};
    return pose;
}

static couBodyId add_body(couWorld *world, const char *name, couMotionFcn *motion)
{
    couFaults faults = {0};
    couBodyDef def = couDefaultBodyDef();
    couShapeDef sphere = {.kind = cou_shapeSphere, .radius = 0.1f};
    snprintf(def.name, sizeof def.name, "%s", name);
    def.shape = couCreateShape(&sphere, &faults);
    def.motion = motion;
    def.pose = slide(NULL, 0);
    couBodyId body = couWorld_AddBody(world, &def, &faults);
    couShape_Release(def.shape);
    expect_no_fault(&faults);
    return body;
}

static couWorld *make_world(void)
{
    couFaults faults = {0};
    couWorldDef def = couDefaultWorldDef();
    def.threads = 1;
    couWorld *world = couCreateWorld(&def, &faults);
    couMaterialDef water = couDefaultMaterialDef();
    strcpy(water.name, "water");
    couMaterialId material = couWorld_AddMaterial(world, &water, &faults);
    couVec3 positions[2] = {{5, 1, 0}, {5, 2, 0}}, velocities[2] = {{1, 0, 0}, {0, 0, 1.0f / 3.0f}};
    assert_true(couWorld_AddParticles(world, material, positions, velocities, 2, &faults));
    expect_no_fault(&faults);
    return world;
}

static couStepReport sample_report(void)
{
    return (couStepReport){
        .substeps = 4, .dt = 0.1f, .iterations = 7, .density_error_mean = 1e-3, .density_error_max = 1.0 / 3.0};
}

static couDiagnostics *open_diagnostics(const couWorld *world, int keep_frames)
{
    couFaults faults = {0};
    couDiagnostics *diagnostics = couOpenDiagnostics(scratch("d.csv"), world, keep_frames, &faults);
    expect_no_fault(&faults);
    assert_non_null(diagnostics);
    return diagnostics;
}

static void write_rows(couDiagnostics *diagnostics, const couWorld *world, int first, int last)
{
    couFaults faults = {0};
    couStepReport report = sample_report();
    for (int frame = first; frame <= last; ++frame)
        assert_true(couDiagnostics_Write(diagnostics, world, frame, &report, 0.5 * frame, &faults));
}

static void close_diagnostics(couDiagnostics *diagnostics)
{
    couFaults faults = {0};
    assert_true(couCloseDiagnostics(diagnostics, &faults));
}

// Each number of the row is the number of the world, to the bit.
static void test_row(void **context)
{
    (void)context;
    couWorld *world = make_world();
    add_body(world, "rock", NULL);
    add_body(world, "paddle", slide);
    couDiagnostics *diagnostics = open_diagnostics(world, 0);
    expect_text(scratch("d.csv"), FIXED PLACE("paddle") LOAD("rock") LOAD("paddle") "\n");
    couWorld_Step(world, 0.01f);
    write_rows(diagnostics, world, 1, 1);
    char *text = read_bytes(scratch("d.csv"), NULL); // in the file before it is closed
    close_diagnostics(diagnostics);

    couMeasurement measured = couWorld_Measure(world);
    couVec3 body = couWorld_BodyPose(world, couWorld_FindBody(world, "paddle")).position;
    assert_true(body.x > 0 && measured.kinetic_energy > 0 && couWorld_Time(world) > 0);
    const double expected[] = {1,
                               couWorld_Time(world),
                               2,
                               0,
                               4,
                               7,
                               1e-3,
                               1.0 / 3.0,
                               measured.kinetic_energy,
                               measured.potential_energy,
                               measured.momentum[0],
                               measured.momentum[1],
                               measured.momentum[2],
                               0.5};
    float floats[17 + 12] = {[3] = 0.1f, [14] = body.x, [15] = body.y, [16] = body.z};
    const char *const names[] = {"rock", "paddle"};
    for (int k = 0; k < 2; ++k) {
        couBodyId id = couWorld_FindBody(world, names[k]);
        couVec3 loads[2] = {couWorld_BodyForce(world, id), couWorld_BodyTorque(world, id)};
        memcpy(floats + 17 + 6 * k, loads, sizeof loads);
    }
    char *at = strchr(text, '\n') + 1;
    for (int i = 0; i < 17 + 12; ++i) {
        char *end;
        if (i == 3 || i >= 14)
            assert_true(strtof(at, &end) == floats[i]);
        else if (strtod(at, &end) != expected[i])
            fail_msg("column %d: expected %.17g, got %s", i, expected[i], at);
        assert_int_equal(*end, i < 16 + 12 ? ',' : '\n');
        at = end + 1;
    }
    assert_int_equal(*at, '\0');
    free(text);
    couDestroyWorld(world);
}

static void test_odd_names(void **context)
{
    (void)context;
    couWorld *world = make_world();
    add_body(world, "a,b \"c\"", slide);
    add_body(world, "x_y_z", slide);
    couDiagnostics *diagnostics = open_diagnostics(world, 0);
    write_rows(diagnostics, world, 1, 3);
    close_diagnostics(diagnostics);
    char *whole = read_bytes(scratch("d.csv"), NULL);
    static const char header[] = FIXED ",\"body_a,b \"\"c\"\"_x\",\"body_a,b \"\"c\"\"_y\",\"body_a,b \"\"c\"\"_z\","
                                       "body_x_y_z_x,body_x_y_z_y,body_x_y_z_z,\"body_a,b \"\"c\"\"_force_x\",";
    assert_memory_equal(whole, header, sizeof header - 1);
    diagnostics = open_diagnostics(world, 3); // and they are understood again
    close_diagnostics(diagnostics);
    expect_text(scratch("d.csv"), whole);
    free(whole);
    couDestroyWorld(world);
}

static void test_resume(void **context)
{
    (void)context;
    couWorld *world = make_world();
    add_body(world, "paddle", slide);
    couDiagnostics *diagnostics = open_diagnostics(world, 0);
    write_rows(diagnostics, world, 1, 9);
    close_diagnostics(diagnostics);
    char *whole = read_bytes(scratch("d.csv"), NULL);

    for (int keep = 9; keep >= 1; keep -= 2) {
        diagnostics = open_diagnostics(world, keep);
        write_rows(diagnostics, world, keep + 1, 9);
        close_diagnostics(diagnostics);
        expect_text(scratch("d.csv"), whole); // as if it had never stopped
    }
    // Killed within a row: the piece goes.
    whole[strlen(whole) - 20] = '\0';
    write_text(scratch("d.csv"), whole);
    diagnostics = open_diagnostics(world, 8);
    write_rows(diagnostics, world, 9, 9);
    close_diagnostics(diagnostics);
    char *again = read_bytes(scratch("d.csv"), NULL);
    assert_memory_equal(again, whole, strlen(whole));
    assert_int_equal(strlen(again), strlen(whole) + 20);
    free(again);

    // From the start again: nothing is kept.
    diagnostics = open_diagnostics(world, 0);
    close_diagnostics(diagnostics);
    expect_text(scratch("d.csv"), FIXED PLACE("paddle") LOAD("paddle") "\n");

    // Into another folder: the file begins with the frames that are still to come.
    assert_int_equal(unlink(scratch("d.csv")), 0);
    diagnostics = open_diagnostics(world, 8);
    write_rows(diagnostics, world, 9, 9);
    close_diagnostics(diagnostics);
    again = read_bytes(scratch("d.csv"), NULL);
    assert_memory_equal(strchr(again, '\n') + 1, "9,", 2);
    free(again);
    free(whole);
    assert_int_equal(count_scratch(), 1);
    couDestroyWorld(world);
}

// A body that goes keeps its columns, empty, also in a run that resumes without it; one that comes later gets none.
static void test_bodies_come_and_go(void **context)
{
    (void)context;
    couWorld *world = make_world();
    couBodyId paddle = add_body(world, "paddle", slide);
    couDiagnostics *diagnostics = open_diagnostics(world, 0);
    write_rows(diagnostics, world, 1, 1);
    couWorld_RemoveBody(world, paddle);
    add_body(world, "late", slide);
    write_rows(diagnostics, world, 2, 2);
    close_diagnostics(diagnostics);
    diagnostics = open_diagnostics(world, 2);
    write_rows(diagnostics, world, 3, 3);
    close_diagnostics(diagnostics);
    char *text = read_bytes(scratch("d.csv"), NULL);
    static const char header[] = FIXED PLACE("paddle") LOAD("paddle") "\n";
    assert_memory_equal(text, header, sizeof header - 1);
    char *row1 = strchr(text, '\n') + 1, *row2 = strchr(row1, '\n') + 1, *row3 = strchr(row2, '\n') + 1;
    assert_memory_equal(row2 - strlen(",0.1,-2,0,0,0,0,0,0\n"), ",0.1,-2,0,0,0,0,0,0\n", strlen(",0.1,-2,0,0,0,0,0,0\n"));
    assert_memory_equal(row3 - strlen(",1,,,,,,,,,\n"), ",1,,,,,,,,,\n", strlen(",1,,,,,,,,,\n"));
    assert_string_equal(row3 + strlen(row3) - strlen(",1.5,,,,,,,,,\n"), ",1.5,,,,,,,,,\n");
    free(text);
    couDestroyWorld(world);
}

static void test_foreign_files(void **context)
{
    (void)context;
    couFaults faults = {0};
    couWorld *world = make_world();
    add_body(world, "paddle", slide);
    const char *path = scratch("d.csv");
    static const struct {
        const char *text, *reason;
    } cases[] = {
        {"", "header"},
        {"hello\n", "header"},
        {"frame,time\n1,2\n", "header"},
        {FIXED, "header"},
        {FIXED "x\n", "header"},
        {FIXED ",body_\n", "header"},
        {FIXED ",body_paddle_x\n", "header"},
        {FIXED ",body_paddle_x,body_paddle_y,body_other_z\n", "header"},
        {FIXED ",speed_x,speed_y,speed_z\n", "header"},
        {FIXED ",\"body_paddle_x\n", "header"},
        {FIXED ",body_a_name_that_is_longer_than_any_body_has_x,body_a_name_that_is_longer_than_any_body_has_y\n", "header"},
        {FIXED ",body_unknown_x,body_unknown_y,body_unknown_z\n", "header"}, // another run's
        {FIXED "\nx,0,0,0,0,0,0,0,0,0,0,0,0,0\n", "row 1 is not"},
        {FIXED "\n1,0,0,0,0,0,0,0,0,0,0,0,0\n", "row 1 is not"}, // a column too few
        {FIXED "\n-1,0,0,0,0,0,0,0,0,0,0,0,0,0\n", "row 1 is not"},
        {FIXED "\n99999999999999999999,0,0,0,0,0,0,0,0,0,0,0,0,0\n", "row 1 is not"},
        {FIXED "\n1,0,0,0,0,0,0,0,0,0,0,0,0,0\n1,0,0,0,0,0,0,0,0,0,0,0,0,0\n", "row 2 is not"},
        {FIXED "\n1,0,0,0,0,0,0,0,0,0,0,0,0,0\n\n", "row 2 is not"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        write_text(path, cases[i].text);
        if (couOpenDiagnostics(path, world, 5, &faults)) fail_msg("case %zu was accepted", i);
        expect_fault(&faults, path, cases[i].reason);
        expect_text(path, cases[i].text); // left alone
    }
    assert_null(couOpenDiagnostics(scratch("d.csv/d.csv"), world, 0, &faults));
    expect_fault(&faults, scratch("d.csv/d.csv"), "Not a directory");
    assert_null(couOpenDiagnostics("/proc/d.csv", world, 0, &faults));
    expect_fault(&faults, "/proc/d.csv", "cannot be written: ");
    assert_int_equal(count_scratch(), 1);
    assert_true(couCloseDiagnostics(NULL, &faults));
    couDestroyWorld(world);
}

static int warnings;
static void count_warnings(void *context, couLogLevel level, const char *message)
{
    (void)context;
    if (level == cou_logWarning && strstr(message, "frames 2 to 5 are missing")) ++warnings;
}

static void test_missing_rows_are_told(void **context)
{
    (void)context;
    couWorld *world = make_world();
    write_text(scratch("d.csv"), FIXED "\n1,0,0,0,0,0,0,0,0,0,0,0,0,0\n");
    couSetLog(count_warnings, NULL);
    close_diagnostics(open_diagnostics(world, 5));
    couSetLog(NULL, NULL);
    assert_int_equal(warnings, 1);
    couDestroyWorld(world);
}

static void test_csv_full_disk(void **context)
{
    (void)context;
    couFaults faults = {0};
    couStepReport report = sample_report();
    couWorld *world = make_world();
    couDiagnostics *diagnostics = open_diagnostics(world, 0);
    write_rows(diagnostics, world, 1, 2);
    size_t size;
    char *before = read_bytes(scratch("d.csv"), &size);
    set_disk_room((long)size + 10); // room for a piece of a row
    bool is_ok = couDiagnostics_Write(diagnostics, world, 3, &report, 1, &faults);
    set_disk_room(-1);
    assert_false(is_ok);
    expect_fault(&faults, scratch("d.csv"), "cannot be written: File too large");
    expect_text(scratch("d.csv"), before); // the piece is off again
    write_rows(diagnostics, world, 3, 3);
    close_diagnostics(diagnostics);
    char *after = read_bytes(scratch("d.csv"), NULL);
    assert_memory_equal(after, before, size);
    assert_memory_equal(after + size, "3,", 2);

    // Cutting back fails as a whole, too.
    set_disk_room(10);
    diagnostics = couOpenDiagnostics(scratch("d.csv"), world, 1, &faults);
    set_disk_room(-1);
    assert_null(diagnostics);
    expect_fault(&faults, scratch("d.csv"), "cannot be written: File too large");
    expect_text(scratch("d.csv"), after);
    assert_int_equal(count_scratch(), 1);
    free(before);
    free(after);
    couDestroyWorld(world);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_scratch, remove_scratch)
    const struct CMUnitTest tests[] = {
        TEST(test_json),          TEST(test_json_full_disk),     TEST(test_row),           TEST(test_odd_names),
        TEST(test_resume),        TEST(test_bodies_come_and_go), TEST(test_foreign_files), TEST(test_missing_rows_are_told),
        TEST(test_csv_full_disk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
