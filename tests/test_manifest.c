// The list of what Coulis wrote into a folder: what it allows to replace, what it refuses, and that no list can harm.
#include "io_test.h"

#include "base/base.h"
#include "files/manifest.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

static couManifest read_list(void)
{
    couManifest manifest;
    couFaults faults = {0};
    assert_true(couManifest_Read(&manifest, scratch_folder, &faults));
    expect_no_fault(&faults);
    return manifest;
}

static void claim(couManifest *manifest, const char *name)
{
    couFaults faults = {0};
    assert_true(couManifest_Claim(manifest, name, &faults));
    expect_no_fault(&faults);
}

static void refuse(couManifest *manifest, const char *name, const char *message)
{
    couFaults faults = {0};
    assert_false(couManifest_Claim(manifest, name, &faults));
    assert_int_equal(faults.count, 1);
    if (!strstr(faults.items[0].message, message))
        fail_msg("%s: expected ...%s..., got %s", name, message, faults.items[0].message);
    couFaults_Clear(&faults);
}

static void test_claims(void **context)
{
    (void)context;
    write_text(scratch("mine.txt"), "mine");
    couManifest manifest = read_list();
    assert_int_equal(manifest.count, 0);
    refuse(&manifest, "mine.txt", "was not written by Coulis");
    assert_int_equal(access(scratch(COU_MANIFEST_NAME), F_OK), -1); // nothing was changed
    claim(&manifest, "run.json");
    write_text(scratch("run.json"), "{}");
    claim(&manifest, "run.json"); // it is ours
    claim(&manifest, "bodies/a.obj");
    couManifest_Clear(&manifest);
    manifest = read_list();
    assert_int_equal(manifest.count, 2);
    assert_true(couManifest_Has(&manifest, "run.json") && couManifest_Has(&manifest, "bodies/a.obj"));
    assert_false(couManifest_Has(&manifest, "mine.txt"));
    claim(&manifest, "run.json");
    assert_false(couManifest_Remove(&manifest, "mine.txt"));
    assert_true(couManifest_Remove(&manifest, "run.json"));
    assert_false(couManifest_Remove(&manifest, "run.json"));
    couManifest_Clear(&manifest);
}

static void test_many(void **context)
{
    (void)context;
    couManifest manifest = read_list();
    char name[64];
    for (int i = 0; i < 3000; ++i) {
        snprintf(name, sizeof name, "particles_%06d.vtp", i);
        claim(&manifest, name);
    }
    couManifest_Clear(&manifest);
    manifest = read_list();
    assert_int_equal(manifest.count, 3000);
    for (int i = 0; i < 3001; ++i) {
        snprintf(name, sizeof name, "particles_%06d.vtp", i);
        assert_int_equal(couManifest_Has(&manifest, name), i < 3000);
    }
    couManifest_Clear(&manifest);
}

static void test_bad_names(void **context)
{
    (void)context;
    static const char *const names[] = {
        "", ".", "..", "../x", "/etc/passwd", "bodies/../x", "bodies/", ".x", "a//b", "a/b/../c", "a\nb", "bodies/.x", "/"};
    couManifest manifest = read_list();
    for (int i = 0; i < COU_COUNT(names); ++i) refuse(&manifest, names[i], "is no name");
    couManifest_Clear(&manifest);
}

// Folders within folders go when they are empty; one behind a link is left alone.
static void test_deep_names(void **context)
{
    (void)context;
    char outside[128], theirs[160];
    snprintf(outside, sizeof outside, "%s.outside", scratch_folder);
    snprintf(theirs, sizeof theirs, "%s/lib", outside);
    assert_int_equal(mkdir(outside, 0700), 0);
    assert_int_equal(mkdir(theirs, 0700), 0);
    couManifest manifest = read_list();
    claim(&manifest, "scene/lib/parts.lua");
    assert_int_equal(mkdir(scratch("scene"), 0700), 0);
    assert_int_equal(mkdir(scratch("scene/lib"), 0700), 0);
    write_text(scratch("scene/lib/parts.lua"), "return {}");
    couManifest_RemoveAll(&manifest);
    assert_int_equal(access(scratch("scene"), F_OK), -1);
    char target[160];
    snprintf(target, sizeof target, "../%s", outside);
    claim(&manifest, "scene/lib/parts.lua");
    assert_int_equal(symlink(target, scratch("scene")), 0);
    refuse(&manifest, "scene/lib/more.lua", "is a link");
    couManifest_RemoveAll(&manifest);
    assert_int_equal(access(theirs, F_OK), 0);
    couManifest_Clear(&manifest);
    unlink(scratch("scene"));
    rmdir(theirs);
    rmdir(outside);
}

// A list that somebody else wrote: names that lead elsewhere are not followed.
static void test_forged(void **context)
{
    (void)context;
    char outside[128], text[1024], inside[160], target[160];
    snprintf(outside, sizeof outside, "%s.outside", scratch_folder);
    assert_int_equal(mkdir(outside, 0700), 0);
    snprintf(inside, sizeof inside, "%s/keep.obj", outside);
    write_text(inside, "keep");
    snprintf(target, sizeof target, "../%s", outside);
    assert_int_equal(symlink(target, scratch("bodies")), 0);
    snprintf(text, sizeof text, "files that Coulis wrote here; it replaces no others\n../%s\n%s\nbodies/keep.obj\nrun.json\ncut",
             inside, inside);
    write_text(scratch(COU_MANIFEST_NAME), text);
    couManifest manifest = read_list();
    assert_int_equal(manifest.count, 3); // one with a slash leads nowhere from here; the last line has no end
    refuse(&manifest, "bodies/keep.obj", "is a link");
    assert_false(couManifest_Remove(&manifest, "bodies/keep.obj"));
    couManifest_RemoveAll(&manifest);
    assert_int_equal(access(inside, F_OK), 0);
    assert_int_equal(access(scratch(COU_MANIFEST_NAME), F_OK), -1);
    couManifest_Clear(&manifest);
    unlink(inside);
    rmdir(outside);
}

static void test_not_ours(void **context)
{
    (void)context;
    couManifest manifest;
    couFaults faults = {0};
    write_text(scratch(COU_MANIFEST_NAME), "milk\nbread\n");
    assert_false(couManifest_Read(&manifest, scratch_folder, &faults));
    expect_fault(&faults, scratch(COU_MANIFEST_NAME), "is not a list");
    couManifest_Clear(&manifest);
    unlink(scratch(COU_MANIFEST_NAME));
    assert_int_equal(mkfifo(scratch(COU_MANIFEST_NAME), 0600), 0); // must not wait for a writer
    assert_false(couManifest_Read(&manifest, scratch_folder, &faults));
    expect_fault(&faults, scratch(COU_MANIFEST_NAME), "not a regular file");
    couManifest_Clear(&manifest);
}

static void test_lock(void **context)
{
    (void)context;
    couFaults faults = {0};
    couManifest first = read_list(), second = read_list();
    assert_true(couManifest_Lock(&first, &faults));
    assert_false(couManifest_Lock(&second, &faults));
    expect_fault(&faults, scratch_folder, "another run is writing");
    couManifest_Clear(&first);
    assert_true(couManifest_Lock(&second, &faults));
    couManifest_Clear(&second);
}

static void test_remove_all(void **context)
{
    (void)context;
    couManifest manifest = read_list();
    static const char *const ours[] = {"run.json", "particles_000001.vtp", "bodies/a.obj"};
    static const char *const others[] = {"notes.txt", "run.json.tmp", "notes.txt.12.tmp", "run.json.x1.tmp"};
    assert_int_equal(mkdir(scratch("bodies"), 0700), 0);
    for (int i = 0; i < COU_COUNT(ours); ++i) claim(&manifest, ours[i]), write_text(scratch(ours[i]), "");
    for (int i = 0; i < COU_COUNT(others); ++i) write_text(scratch(others[i]), "");
    write_text(scratch("run.json.123.tmp"), ""); // a killed program's
    couManifest_RemoveAll(&manifest);
    assert_int_equal(manifest.count, 0);
    for (int i = 0; i < COU_COUNT(ours); ++i) assert_int_equal(access(scratch(ours[i]), F_OK), -1);
    for (int i = 0; i < COU_COUNT(others); ++i) assert_int_equal(access(scratch(others[i]), F_OK), 0);
    assert_int_equal(access(scratch("run.json.123.tmp"), F_OK), -1);
    assert_int_equal(access(scratch("bodies"), F_OK), -1);
    claim(&manifest, "run.json"); // it can be begun anew
    couManifest_Clear(&manifest);
}

// What a killed program left beside its files, also in folders; not where a link leads out.
static void test_leftovers(void **context)
{
    (void)context;
    static const char *const left[] = {"run.json.1.tmp", "scene/a.lua.12.tmp", "scene/parts/b.lua.123.tmp"};
    static const char *const others[] = {"scene/b.lua.12.tmp", "a.lua.12.tmp", "elsewhere/c.lua.12.tmp"};
    couManifest manifest = read_list();
    assert_true(mkdir(scratch("scene"), 0777) == 0 && mkdir(scratch("scene/parts"), 0777) == 0);
    claim(&manifest, "run.json");
    claim(&manifest, "scene/a.lua");
    claim(&manifest, "scene/parts/b.lua");
    claim(&manifest, "link/c.lua");
    assert_true(mkdir(scratch("elsewhere"), 0777) == 0);
    rmdir(scratch("link"));
    assert_int_equal(symlink("elsewhere", scratch("link")), 0);
    for (int k = 0; k < 3; ++k) write_text(scratch(left[k]), ""), write_text(scratch(others[k]), "");
    couManifest_RemoveLeftovers(&manifest);
    for (int k = 0; k < 3; ++k) {
        if (access(scratch(left[k]), F_OK) == 0) fail_msg("%s is still there", left[k]);
        if (access(scratch(others[k]), F_OK) != 0) fail_msg("%s is gone", others[k]);
    }
    couManifest_Clear(&manifest);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_scratch, remove_scratch)
    const struct CMUnitTest tests[] = {TEST(test_claims),     TEST(test_many),       TEST(test_bad_names),
                                       TEST(test_deep_names), TEST(test_forged),     TEST(test_not_ours),
                                       TEST(test_lock),       TEST(test_remove_all), TEST(test_leftovers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
