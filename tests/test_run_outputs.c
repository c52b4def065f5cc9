// The outputs of a run: the table is sound, and the files that it names are those that make way and are cut back.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "app/run_outputs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[64];

static int make_folder(void **context)
{
    (void)context;
    strcpy(folder, "/tmp/coulis-outputs-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **context)
{
    (void)context;
    char command[128];
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    return system(command);
}

static void put(const char *name)
{
    char path[COU_PATH_SIZE];
    FILE *file = fopen(couJoin(path, folder, name), "w");
    assert_non_null(file);
    fclose(file);
}

static void unlink_file(const char *name)
{
    char path[COU_PATH_SIZE];
    assert_int_equal(unlink(couJoin(path, folder, name)), 0);
}

static bool is_there(const char *name)
{
    char path[COU_PATH_SIZE];
    return access(couJoin(path, folder, name), F_OK) == 0;
}

// Lists it as ours, then makes it.
static void put_own(couManifest *manifest, const char *name)
{
    couFaults faults = {0};
    assert_true(couManifest_Claim(manifest, name, &faults));
    put(name);
}

static couManifest read_manifest(void)
{
    couManifest manifest;
    couFaults faults = {0};
    assert_true(couManifest_Read(&manifest, folder, &faults));
    return manifest;
}

// "particles_#.vtp" as the file of a frame.
static const char *file_of(const char *pattern, int frame)
{
    static char name[64];
    size_t length = strcspn(pattern, "#");
    if (pattern[length])
        snprintf(name, sizeof name, "%.*s%06d%s", (int)length, pattern, frame, pattern + length + 1);
    else
        snprintf(name, sizeof name, "%s", pattern);
    return name;
}

static void test_table(void **context)
{
    (void)context;
    int count;
    const couOutput *const *outputs = couOutputs(&count);
    assert_true(count >= 8 && count <= COU_MAX_OUTPUTS);
    for (int i = 0; i < count; ++i) {
        assert_non_null(outputs[i]->name);
        assert_true(outputs[i]->open || outputs[i]->frame || outputs[i]->close);
        for (int k = 0; k < i; ++k) assert_string_not_equal(outputs[i]->name, outputs[k]->name);
    }
    // A checkpoint continues what is whole: it comes after all else of a frame. run.json says that all is there: it closes last.
    assert_string_equal(outputs[count - 1]->name, "checkpoint");
    assert_string_equal(outputs[0]->name, "summary");
}

static void test_old_run_makes_way(void **context)
{
    (void)context;
    int count;
    const couOutput *const *outputs = couOutputs(&count);
    static const char *const others[] = {"notes.txt",           "particles_12.vtp", "particles_000012.vtp.tmp",
                                         "bodies.csv.old.tmp",  "film.mp4.tmp",     "particles_#.vtp",
                                         "velocity_000012.vtp", "checkpoint.h6",    "surface_000012.stl"};
    enum { other_count = sizeof others / sizeof others[0] };
    for (int i = 0; i < other_count; ++i) put(others[i]);
    put("particles_000011.vtp"); // of somebody else
    put("run.json");
    couManifest manifest = read_manifest();
    assert_int_equal(couRemoveOldRun(&manifest), -1); // nothing says that there was a run
    unlink_file("run.json");
    int frames = 0;
    for (int i = 0; i < count; ++i)
        for (int k = 0; k < COU_MAX_FILES && outputs[i]->files[k]; ++k) {
            char leftover[96];
            put_own(&manifest, file_of(outputs[i]->files[k], 12));
            snprintf(leftover, sizeof leftover, "%s.4711.tmp", file_of(outputs[i]->files[k], 12));
            put(leftover);
            frames += strchr(outputs[i]->files[k], '#') != NULL;
        }
    put_own(&manifest, "command.txt");
    couManifest_Clear(&manifest);
    manifest = read_manifest(); // as the next program does
    assert_int_equal(couRemoveOldRun(&manifest), frames);
    couManifest_Clear(&manifest);
    for (int i = 0; i < count; ++i)
        for (int k = 0; k < COU_MAX_FILES && outputs[i]->files[k]; ++k) {
            char leftover[96];
            assert_false(is_there(file_of(outputs[i]->files[k], 12)));
            snprintf(leftover, sizeof leftover, "%s.4711.tmp", file_of(outputs[i]->files[k], 12));
            assert_false(is_there(leftover));
        }
    assert_false(is_there("command.txt"));
    for (int i = 0; i < other_count; ++i) assert_true(is_there(others[i]));
    assert_true(is_there("particles_000011.vtp"));
    assert_false(is_there(COU_MANIFEST_NAME));
}

static void test_cut_back(void **context)
{
    (void)context;
    int count;
    const couOutput *const *outputs = couOutputs(&count);
    couManifest manifest = read_manifest();
    for (int i = 0; i < count; ++i)
        for (int k = 0; k < COU_MAX_FILES && outputs[i]->files[k]; ++k)
            for (int frame = 5; frame <= 6; ++frame) put_own(&manifest, file_of(outputs[i]->files[k], frame));
    put("particles_000007.vtp"); // of somebody else
    couCutFrames(&manifest, 5);
    couManifest_Clear(&manifest);
    assert_true(is_there("particles_000007.vtp"));
    for (int i = 0; i < count; ++i)
        for (int k = 0; k < COU_MAX_FILES && outputs[i]->files[k]; ++k) {
            bool is_series = strchr(outputs[i]->files[k], '#');
            assert_true(is_there(file_of(outputs[i]->files[k], 5)));
            assert_int_equal(is_there(file_of(outputs[i]->files[k], 6)), !is_series);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),
        cmocka_unit_test_setup_teardown(test_old_run_makes_way, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_cut_back, make_folder, remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
