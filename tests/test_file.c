// Atomic files: whole or not there, on full disks and in folders that cannot be written.
#include "io_test.h"

#include "files/file.h"

#include <fcntl.h>

static void test_creates_and_replaces(void **context)
{
    (void)context;
    couFaults faults = {0};
    couFile file;
    assert_true(couFile_Create(&file, scratch("a.txt"), &faults));
    assert_int_equal(access(scratch("a.txt"), F_OK), -1); // not there before the commit
    fprintf(file.stream, "first");
    assert_true(couFile_Commit(&file, &faults));
    expect_text(scratch("a.txt"), "first");

    assert_true(couFile_Create(&file, scratch("a.txt"), &faults));
    assert_true(couFile_Write(&file, "second", 6));
    expect_text(scratch("a.txt"), "first"); // the old one until the commit
    assert_true(couFile_Commit(&file, &faults));
    expect_text(scratch("a.txt"), "second");
    assert_int_equal(count_scratch(), 1);
    expect_no_fault(&faults);
}

static void test_discard_keeps_the_old(void **context)
{
    (void)context;
    couFaults faults = {0};
    couFile file;
    write_text(scratch("a.txt"), "old");
    assert_true(couFile_Create(&file, scratch("a.txt"), &faults));
    fprintf(file.stream, "new");
    couFile_Discard(&file);
    couFile_Discard(&file); // harmless
    expect_text(scratch("a.txt"), "old");
    assert_int_equal(count_scratch(), 1);
}

// A killed process may have had our number; what it left, also a link, must not matter.
static void test_stale_temporary(void **context)
{
    (void)context;
    couFaults faults = {0};
    couFile file;
    char stale[300];
    snprintf(stale, sizeof stale, "%s.%ld.tmp", scratch("a.txt"), (long)getpid());
    write_text(scratch("target"), "mine");
    assert_int_equal(symlink("target", stale), 0);
    assert_true(couFile_Create(&file, scratch("a.txt"), &faults));
    fprintf(file.stream, "new");
    assert_true(couFile_Commit(&file, &faults));
    expect_text(scratch("a.txt"), "new");
    expect_text(scratch("target"), "mine");
    assert_int_equal(count_scratch(), 2);
}

static void check_full_disk(long room, size_t bytes, bool by_stream)
{
    couFaults faults = {0};
    couFile file;
    const char *path = scratch("a.txt");
    write_text(path, "old");
    char *data = calloc(1, bytes);
    assert_true(couFile_Create(&file, path, &faults));
    set_disk_room(room);
    if (by_stream)
        fwrite(data, 1, bytes, file.stream);
    else
        couFile_Write(&file, data, bytes);
    bool is_ok = couFile_Commit(&file, &faults);
    set_disk_room(-1);
    free(data);
    assert_false(is_ok);
    expect_fault(&faults, path, "cannot be written: File too large");
    expect_text(path, "old");
    assert_int_equal(count_scratch(), 1);
}

static void test_full_disk(void **context)
{
    (void)context;
    check_full_disk(1000, 100000, false); // while writing
    check_full_disk(1000, 100000, true);
    check_full_disk(0, 5, false); // only when flushed at the end
    check_full_disk(0, 5, true);
    check_full_disk(65536, 65537, true);
}

// The kernel's own "no space", at the flush, with a name that says so.
static void test_no_space(void **context)
{
    (void)context;
    couFaults faults = {0};
    couFile file;
    write_text(scratch("a.txt"), "old");
    assert_true(couFile_Create(&file, scratch("a.txt"), &faults));
    fclose(file.stream);
    file.stream = fopen("/dev/full", "wb");
    assert_non_null(file.stream);
    fprintf(file.stream, "new");
    assert_false(couFile_Commit(&file, &faults));
    expect_fault(&faults, scratch("a.txt"), "cannot be written: No space left on device");
    expect_text(scratch("a.txt"), "old");
    assert_int_equal(count_scratch(), 1);
}

static void refuse_create(const char *path, const char *reason)
{
    couFaults faults = {0};
    couFile file;
    assert_false(couFile_Create(&file, path, &faults));
    expect_fault(&faults, path, reason);
    couFile_Discard(&file);
}

static void test_places_that_cannot_be(void **context)
{
    (void)context;
    char long_path[2000];
    memset(long_path, 'a', sizeof long_path - 1);
    long_path[sizeof long_path - 1] = '\0';
    write_text(scratch("plain"), "x");
    refuse_create(scratch("plain/a.txt"), "Not a directory");
    refuse_create(scratch("missing/a.txt"), "No such file or directory");
    refuse_create("/proc/coulis.txt", "cannot be written: ");
    refuse_create(scratch_folder, "not a regular file");
    refuse_create("/dev/null", "not a regular file");
    refuse_create("", "allowed: 1 to 1023");
    refuse_create(long_path, "allowed: 1 to 1023");
    struct stat status;
    assert_int_equal(stat("/dev/null", &status), 0);
    assert_true(S_ISCHR(status.st_mode));
    assert_int_equal(count_scratch(), 1);
}

static void test_make_folder(void **context)
{
    (void)context;
    couFaults faults = {0};
    assert_true(couMakeFolder(scratch("a/b//c"), &faults));
    assert_true(couMakeFolder(scratch("a/b/c/"), &faults)); // there already
    assert_true(couMakeFolder(".", &faults));
    expect_no_fault(&faults);
    couFile file;
    assert_true(couFile_Create(&file, scratch("a/b/c/file"), &faults));
    assert_true(couFile_Commit(&file, &faults));

    write_text(scratch("plain"), "x");
    static const struct {
        const char *name, *reason;
    } cases[] = {{"plain", "Not a directory"}, {"plain/a", "Not a directory"}, {"plain/a/b", "Not a directory"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        assert_false(couMakeFolder(scratch(cases[i].name), &faults));
        expect_fault(&faults, scratch(cases[i].name), cases[i].reason);
    }
    assert_false(couMakeFolder("/proc/coulis", &faults)); // cannot be made
    expect_fault(&faults, "/proc/coulis", "cannot be made: ");
    assert_false(couMakeFolder("/proc/self", &faults)); // is there, but cannot be written, not even by root
    expect_fault(&faults, "/proc/self", "cannot be written: ");
    assert_false(couMakeFolder("", &faults));
    expect_fault(&faults, "", "allowed: 1 to 1023");
    assert_int_equal(count_scratch(), 2);
}

static void refuse_read(const char *path, size_t limit, const char *reason)
{
    couFaults faults = {0};
    size_t size = 77;
    assert_null(couReadFile(path, limit, &size, &faults));
    assert_int_equal(size, 0);
    expect_fault(&faults, path, reason);
}

static void expect_read(const char *path, size_t limit, const char *expected, size_t expected_size)
{
    couFaults faults = {0};
    size_t size = 77;
    char *text = couReadFile(path, limit, &size, &faults);
    expect_no_fault(&faults);
    assert_non_null(text);
    assert_int_equal(size, expected_size);
    assert_memory_equal(text, expected, expected_size + 1); // with the terminating zero
    free(text);
}

static void test_read_file(void **context)
{
    (void)context;
    write_bytes(scratch("a"), "ab\0cd", 5);
    write_text(scratch("empty"), "");
    expect_read(scratch("a"), 5, "ab\0cd", 5);
    expect_read(scratch("a"), 1 << 20, "ab\0cd", 5);
    expect_read(scratch("empty"), 0, "", 0);
    refuse_read(scratch("a"), 4, "allowed: up to 4 bytes");
    refuse_read(scratch("missing"), 100, "No such file or directory");
    refuse_read(scratch_folder, 1 << 20, "Is a directory");
    refuse_read("/dev/zero", 100000, "it is not a regular file"); // endless

    // Claims no size, has one.
    couFaults faults = {0};
    size_t size;
    char *text = couReadFile("/proc/self/status", 1 << 20, &size, &faults);
    assert_non_null(text);
    assert_int_equal(size, strlen(text));
    assert_non_null(strstr(text, "Pid:"));
    free(text);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_scratch, remove_scratch)
    const struct CMUnitTest tests[] = {
        TEST(test_creates_and_replaces),
        TEST(test_discard_keeps_the_old),
        TEST(test_stale_temporary),
        TEST(test_full_disk),
        TEST(test_no_space),
        TEST(test_places_that_cannot_be),
        TEST(test_make_folder),
        TEST(test_read_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
