// Distance grids kept on disk. A file is named by what its grid was made from (mesh, cell, limit, version), so that nothing is
// ever out of date; using it sets its time, and the ones used longest ago go first when there are too many.
#include "io/grid_cache.h"

#include "base/base.h"
#include "files/file.h"
#include "shape/distance_grid.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#define MOST_BYTES ((uint64_t)1 << 30) // of all grids in the folder
#define FILE_LIMIT ((size_t)4 << 30)   // of one
#define SUFFIX ".grid"
enum { digits = 16, name_length = digits + sizeof SUFFIX - 1 };

bool couGridCacheFolder(char *folder, size_t size)
{
    const char *own = getenv("COULIS_CACHE"), *shared = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int length = 0;
    if (own)
        length = snprintf(folder, size, "%s", own);
    else if (shared && shared[0] == '/') // others are to be ignored, says its specification
        length = snprintf(folder, size, "%s/coulis", shared);
    else if (home && *home)
        length = snprintf(folder, size, "%s/.cache/coulis", home);
    return length > 0 && (size_t)length < size;
}

static uint64_t make_key(const couMesh *mesh, float cell, size_t max_bytes)
{
    const struct {
        uint64_t mesh_hash, max_bytes;
        float cell;
        uint32_t version;
    } made_from = {couMesh_Hash(mesh), max_bytes, cell, COU_GRID_VERSION};
    return XXH3_64bits(&made_from, sizeof made_from);
}

// --- Reading and writing -----------------------------------------------------------------------------------------------------

static couDistanceGrid *read_grid(couMesh *mesh, const char *path)
{
    if (access(path, F_OK) != 0) return NULL;
    couFaults faults = {0};
    size_t size;
    couDistanceGrid *grid = NULL;
    char *bytes = couReadFile(path, FILE_LIMIT, &size, &faults);
    if (bytes) grid = couUnpackDistanceGrid(mesh, bytes, size, &faults);
    free(bytes);
    if (faults.count) couLog(cou_logDebug, "cache: %s: %s", path, faults.items[0].message);
    couFaults_Clear(&faults);
    if (grid) utimensat(AT_FDCWD, path, NULL, 0); // used now; where that is not allowed, it counts as old
    return grid;
}

static bool write_bytes(const char *path, const char *bytes, size_t size, couFaults *faults)
{
    couFile file;
    if (!couFile_Create(&file, path, faults)) return false;
    couFile_Write(&file, bytes, size);
    return couFile_Commit(&file, faults);
}

static void write_grid(const couDistanceGrid *grid, const char *folder, const char *path)
{
    couFaults faults = {0};
    size_t size = couDistanceGrid_Pack(grid, NULL, 0);
    char *bytes = size <= MOST_BYTES ? malloc(size) : NULL;
    if (bytes) {
        couDistanceGrid_Pack(grid, bytes, size);
        couTrimGridCache(folder, MOST_BYTES - size);
        if (couMakeFolder(folder, &faults)) write_bytes(path, bytes, size, &faults);
    }
    free(bytes);
    if (faults.count) couLog(cou_logDebug, "cache: %s: %s", path, faults.items[0].message);
    couFaults_Clear(&faults);
}

couDistanceGrid *couCachedDistanceGrid(couMesh *mesh, float cell, size_t max_bytes, int threads, couFaults *faults)
{
    char folder[900], path[1000];
    bool has_cache = couGridCacheFolder(folder, sizeof folder);
    if (has_cache) {
        snprintf(path, sizeof path, "%s/%016llx" SUFFIX, folder, (unsigned long long)make_key(mesh, cell, max_bytes));
        couDistanceGrid *grid = read_grid(mesh, path);
        if (grid) return grid;
    }
    couDistanceGrid *grid = couCreateDistanceGrid(mesh, cell, max_bytes, threads, faults);
    if (grid && has_cache) write_grid(grid, folder, path);
    return grid;
}

// --- Making room -------------------------------------------------------------------------------------------------------------

typedef struct Entry {
    char name[name_length + 1];
    uint64_t bytes;
    struct timespec used;
} Entry;

// Whether it is one of ours: by its name, a regular file, and what it begins with.
static bool look_at(int folder, const char *name, Entry *entry)
{
    struct stat status;
    if (strlen(name) != name_length || strcmp(name + digits, SUFFIX) != 0) return false;
    if (strspn(name, "0123456789abcdef") != digits) return false;
    if (fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(status.st_mode)) return false;
    int file = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (file < 0) return false;
    uint64_t magic = 0;
    bool is_ours = read(file, &magic, sizeof magic) == sizeof magic && magic == COU_GRID_MAGIC;
    close(file);
    memcpy(entry->name, name, name_length + 1);
    entry->bytes = (uint64_t)status.st_size;
    entry->used = status.st_mtim;
    return is_ours;
}

static int compare_age(const void *a, const void *b)
{
    const Entry *x = a, *y = b;
    if (x->used.tv_sec != y->used.tv_sec) return x->used.tv_sec < y->used.tv_sec ? -1 : 1;
    if (x->used.tv_nsec != y->used.tv_nsec) return x->used.tv_nsec < y->used.tv_nsec ? -1 : 1;
    return strcmp(x->name, y->name);
}

void couTrimGridCache(const char *folder, uint64_t max_bytes)
{
    DIR *listing = opendir(folder);
    if (!listing) return;
    Entry *entries = NULL;
    size_t count = 0, capacity = 0;
    uint64_t total = 0;
    for (struct dirent *item; (item = readdir(listing)) != NULL;) {
        if (!COU_GROW(NULL, entries, capacity, count + 1)) break;
        if (look_at(dirfd(listing), item->d_name, &entries[count])) total += entries[count++].bytes;
    }
    if (count > 0) qsort(entries, count, sizeof *entries, compare_age);
    for (size_t k = 0; k < count && total > max_bytes; ++k)
        if (unlinkat(dirfd(listing), entries[k].name, 0) == 0) total -= entries[k].bytes;
    couFree(NULL, entries);
    closedir(listing);
}
