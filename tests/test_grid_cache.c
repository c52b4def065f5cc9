// The cache of distance grids: hits, broken files, folders that cannot be written, and the limit.
#include "io_test.h"

#include "base/base.h"
#include "io/grid_cache.h"

#include <fcntl.h>

static couMesh *make_tetrahedron(float size)
{
    const couVec3 vertices[4] = {{0, 0, 0}, {size, 0, 0}, {0, size, 0}, {0, 0, size}};
    const uint32_t triangles[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    couFaults faults = {0};
    couMesh *mesh = couCreateMesh(vertices, 4, triangles, 4, &faults);
    assert_non_null(mesh);
    return mesh;
}

static void use_scratch(void) { setenv("COULIS_CACHE", scratch_folder, 1); }

// Makes the grid, from the cache or not, and returns its bytes.
static char *get_grid(couMesh *mesh, float cell, size_t *size)
{
    couFaults faults = {0};
    couDistanceGrid *grid = couCachedDistanceGrid(mesh, cell, 0, 1, &faults);
    assert_int_equal(faults.count, 0);
    assert_non_null(grid);
    *size = couDistanceGrid_Pack(grid, NULL, 0);
    char *bytes = malloc(*size);
    couDistanceGrid_Pack(grid, bytes, *size);
    couDistanceGrid_Release(grid);
    return bytes;
}

// The only file in the scratch folder.
static const char *find_file(void)
{
    static char path[512];
    DIR *folder = opendir(scratch_folder);
    path[0] = '\0';
    for (struct dirent *entry; (entry = readdir(folder));)
        if (entry->d_name[0] != '.') snprintf(path, sizeof path, "%s/%s", scratch_folder, entry->d_name);
    closedir(folder);
    return path;
}

static void set_age(const char *path, int seconds)
{
    struct timespec times[2] = {{.tv_sec = 1000000000 - seconds}, {.tv_sec = 1000000000 - seconds}};
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void test_second_is_from_the_file(void **context)
{
    (void)context;
    use_scratch();
    couMesh *mesh = make_tetrahedron(1);
    size_t size, again;
    char *bytes = get_grid(mesh, 0.1f, &size);
    assert_int_equal(count_scratch(), 1);
    const char *path = find_file();
    set_age(path, 0);
    char *same = get_grid(mesh, 0.1f, &again);
    assert_int_equal(again, size);
    assert_memory_equal(bytes, same, size);
    assert_int_equal(count_scratch(), 1);
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    assert_true(status.st_mtime > 1000000000); // read, and marked as used
    free(same);

    // Another cell, another mesh: other files.
    free(get_grid(mesh, 0.11f, &again));
    assert_int_equal(count_scratch(), 2);
    couMesh *other = make_tetrahedron(1.5f);
    free(get_grid(other, 0.1f, &again));
    assert_int_equal(count_scratch(), 3);
    couMesh_Release(other);
    couMesh_Release(mesh);
    free(bytes);
}

static void test_broken_is_made_anew(void **context)
{
    (void)context;
    use_scratch();
    couMesh *mesh = make_tetrahedron(1);
    size_t size, again;
    char *bytes = get_grid(mesh, 0.1f, &size);
    char path[512];
    strcpy(path, find_file());
    for (int kind = 0; kind < 3; ++kind) {
        if (kind == 0) assert_int_equal(truncate(path, 0), 0);
        if (kind == 1) assert_int_equal(truncate(path, (off_t)size / 2), 0);
        if (kind == 2) {
            int file = open(path, O_WRONLY);
            assert_int_equal(pwrite(file, "x", 1, (off_t)size - 3), 1);
            close(file);
        }
        char *same = get_grid(mesh, 0.1f, &again);
        assert_int_equal(again, size);
        assert_memory_equal(bytes, same, size);
        free(same);
        struct stat status;
        assert_int_equal(stat(path, &status), 0);
        assert_int_equal(status.st_size, size); // and written again
    }
    free(bytes);
    couMesh_Release(mesh);
}

static void test_no_cache_is_no_fault(void **context)
{
    (void)context;
    couMesh *mesh = make_tetrahedron(1);
    size_t size;
    setenv("COULIS_CACHE", "", 1);
    setenv("HOME", scratch_folder, 1);
    free(get_grid(mesh, 0.1f, &size));
    assert_int_equal(count_scratch(), 0);
    setenv("COULIS_CACHE", "/proc/no/such/folder", 1);
    free(get_grid(mesh, 0.1f, &size));
    couMesh_Release(mesh);
}

static void test_folders(void **context)
{
    (void)context;
    char folder[256];
    unsetenv("COULIS_CACHE");
    setenv("XDG_CACHE_HOME", "/somewhere", 1);
    setenv("HOME", "/home/me", 1);
    assert_true(couGridCacheFolder(folder, sizeof folder));
    assert_string_equal(folder, "/somewhere/coulis");
    setenv("XDG_CACHE_HOME", "relative", 1);
    assert_true(couGridCacheFolder(folder, sizeof folder));
    assert_string_equal(folder, "/home/me/.cache/coulis");
    unsetenv("XDG_CACHE_HOME");
    assert_true(couGridCacheFolder(folder, sizeof folder));
    assert_string_equal(folder, "/home/me/.cache/coulis");
    unsetenv("HOME");
    assert_false(couGridCacheFolder(folder, sizeof folder));
    setenv("COULIS_CACHE", "/own", 1);
    assert_true(couGridCacheFolder(folder, sizeof folder));
    assert_string_equal(folder, "/own");
    assert_false(couGridCacheFolder(folder, 4)); // no room for the name
    setenv("COULIS_CACHE", "", 1);
    assert_false(couGridCacheFolder(folder, sizeof folder));
}

static void test_oldest_go_first(void **context)
{
    (void)context;
    use_scratch();
    couMesh *mesh = make_tetrahedron(1);
    size_t size = 0, total = 0;
    char paths[3][512];
    // Each made alone, so that it is known which file is which.
    for (int k = 0; k < 3; ++k) {
        free(get_grid(mesh, 0.1f + 0.001f * (float)k, &size));
        strcpy(paths[k], find_file());
        total += size;
        char hidden[600];
        snprintf(hidden, sizeof hidden, "%s/.h%d", scratch_folder, k);
        assert_int_equal(rename(paths[k], hidden), 0);
    }
    for (int k = 0; k < 3; ++k) {
        char hidden[600];
        snprintf(hidden, sizeof hidden, "%s/.h%d", scratch_folder, k);
        assert_int_equal(rename(hidden, paths[k]), 0);
        set_age(paths[k], k == 1 ? 500 : k); // the second is the oldest
    }
    // What is not ours stays, however old: another name, our name with other contents, a link, a temporary file.
    const char *strangers[] = {"notes.grid", "0123456789abcdef.grid", "0123456789abcdef.grid.12.tmp"};
    for (int k = 0; k < 3; ++k) {
        write_text(scratch(strangers[k]), "something else entirely");
        set_age(scratch(strangers[k]), 9999);
    }
    assert_int_equal(symlink("notes.grid", scratch("fedcba9876543210.grid")), 0);

    couTrimGridCache(scratch_folder, total);
    assert_int_equal(count_scratch(), 7);
    couTrimGridCache(scratch_folder, total - 1);
    assert_int_equal(count_scratch(), 6);
    assert_int_equal(access(paths[1], F_OK), -1);
    couTrimGridCache(scratch_folder, 0);
    assert_int_equal(count_scratch(), 4);
    couTrimGridCache("/no/such/folder", 0);
    couMesh_Release(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_second_is_from_the_file, make_scratch, remove_scratch),
        cmocka_unit_test_setup_teardown(test_broken_is_made_anew, make_scratch, remove_scratch),
        cmocka_unit_test_setup_teardown(test_no_cache_is_no_fault, make_scratch, remove_scratch),
        cmocka_unit_test(test_folders),
        cmocka_unit_test_setup_teardown(test_oldest_go_first, make_scratch, remove_scratch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
