// The list of what Coulis wrote into a folder. Names are found by a hash table, since a run may have a million frames. Lines are
// appended by one write() each, so that two programs which add to one list do not mix theirs.
//
// The lock is on the folder itself: nothing of it stays behind, whatever ends the process.
#include "files/manifest.h"

#include "base/base.h"
#include "base/random.h"
#include "files/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char head[] = "files that Coulis wrote here; it replaces no others\n";
#define MAX_BYTES ((size_t)1 << 28)
enum { path_size = 1400, name_size = 256 };

static char *join(char path[path_size], const couManifest *manifest, const char *name)
{
    snprintf(path, path_size, "%s/%s", manifest->folder, name);
    return path;
}

// --- Names -------------------------------------------------------------------------------------------------------------------

static uint64_t hash_name(const char *name)
{
    uint64_t hash = 0xcbf29ce484222325u; // FNV-1a
    for (; *name; ++name) hash = (hash ^ (unsigned char)*name) * 0x100000001b3u;
    return couMix64(hash);
}

// Where the name is, or where it would go.
static size_t find_slot(const couManifest *manifest, const char *name)
{
    size_t slot = hash_name(name) & (manifest->slot_count - 1);
    while (manifest->slots[slot] && strcmp(manifest->names[manifest->slots[slot] - 1], name) != 0)
        slot = (slot + 1) & (manifest->slot_count - 1);
    return slot;
}

static bool make_room(couManifest *manifest)
{
    if (!COU_GROW(NULL, manifest->names, manifest->capacity, manifest->count + 1)) return false;
    if (2 * (manifest->count + 1) <= manifest->slot_count) return true;
    size_t slot_count = COU_MAX(2 * manifest->slot_count, 64);
    uint32_t *slots = couAlloc(NULL, slot_count * sizeof *slots);
    if (!slots) return false;
    couFree(NULL, manifest->slots);
    manifest->slots = slots;
    manifest->slot_count = slot_count;
    for (size_t i = 0; i < manifest->count; ++i) slots[find_slot(manifest, manifest->names[i])] = (uint32_t)i + 1;
    return true;
}

static bool add_name(couManifest *manifest, const char *name)
{
    char *copy = make_room(manifest) ? strdup(name) : NULL;
    if (!copy) return false;
    manifest->names[manifest->count++] = copy;
    manifest->slots[find_slot(manifest, copy)] = (uint32_t)manifest->count;
    return true;
}

// "run.json", "bodies/tank.obj" or "scene/lib/parts.lua": nothing hidden, nothing that leads elsewhere.
static bool is_plain(const char *name)
{
    size_t length = strlen(name);
    if (length == 0 || length >= name_size || name[0] == '.' || name[0] == '/' || strstr(name, "/.")) return false;
    if (strstr(name, "//") || name[length - 1] == '/') return false;
    for (; *name; ++name)
        if ((unsigned char)*name < 32) return false;
    return true;
}

bool couManifest_Has(const couManifest *manifest, const char *name)
{
    return manifest->slot_count > 0 && manifest->slots[find_slot(manifest, name)];
}

// --- The file ----------------------------------------------------------------------------------------------------------------

// Lines that are no plain names are of no use and are passed over: a list cannot make us remove what lies elsewhere.
static bool take_lines(couManifest *manifest, char *text)
{
    for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
        *end = '\0';
        if (is_plain(line) && !couManifest_Has(manifest, line) && !add_name(manifest, line)) return false;
    }
    return true;
}

bool couManifest_Read(couManifest *manifest, const char *folder, couFaults *faults)
{
    *manifest = (couManifest){.lock = -1};
    snprintf(manifest->folder, sizeof manifest->folder, "%s", folder);
    char path[path_size];
    struct stat status;
    if (lstat(join(path, manifest, COU_MANIFEST_NAME), &status) != 0 && errno == ENOENT) return true;
    if (!S_ISREG(status.st_mode)) {
        couFaults_Add(faults, path, NULL, "is not a regular file: it should list what Coulis wrote there");
        return false;
    }
    char *text = couReadFile(path, MAX_BYTES, NULL, faults);
    if (!text) return false;
    bool is_ours = strncmp(text, head, sizeof head - 1) == 0, is_good = is_ours && take_lines(manifest, text + sizeof head - 1);
    if (!is_ours) couFaults_Add(faults, path, NULL, "is not a list of files that Coulis wrote");
    if (is_ours && !is_good) couFaults_Add(faults, path, NULL, "no memory for its names");
    free(text);
    return is_good;
}

void couManifest_Clear(couManifest *manifest)
{
    for (size_t i = 0; i < manifest->count; ++i) free(manifest->names[i]);
    couFree(NULL, manifest->names);
    couFree(NULL, manifest->slots);
    if (manifest->folder[0] && manifest->lock >= 0) close(manifest->lock);
    *manifest = (couManifest){.lock = -1};
}

bool couManifest_Lock(couManifest *manifest, couFaults *faults)
{
    int folder = open(manifest->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) return true; // one that may be written but not read
    if (flock(folder, LOCK_EX | LOCK_NB) == 0) {
        manifest->lock = folder;
        return true;
    }
    bool is_taken = errno == EWOULDBLOCK;
    close(folder);
    if (is_taken) couFaults_Add(faults, manifest->folder, NULL, "another run is writing into this folder");
    return !is_taken;
}

// --- Claims ------------------------------------------------------------------------------------------------------------------

static bool append(const couManifest *manifest, const char *name, couFaults *faults)
{
    char path[path_size], lines[sizeof head + name_size + 1];
    join(path, manifest, COU_MANIFEST_NAME);
    int file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0666);
    struct stat status;
    bool is_open = file >= 0 && fstat(file, &status) == 0;
    int length = snprintf(lines, sizeof lines, "%s%s\n", is_open && status.st_size == 0 ? head : "", name);
    errno = is_open ? ENOSPC : errno;
    bool is_written = is_open && write(file, lines, (size_t)length) == length;
    if (!is_written) couFaults_Add(faults, path, NULL, "cannot be written: %s", strerror(errno));
    if (file >= 0 && close(file) != 0 && is_written) {
        couFaults_Add(faults, path, NULL, "cannot be written: %s", strerror(errno));
        return false;
    }
    return is_written;
}

// The folders in front of a name must be folders, not links to some.
static bool check_parents(const couManifest *manifest, const char *name, couFaults *faults)
{
    char path[path_size], parent[name_size];
    struct stat status;
    for (const char *slash = strchr(name, '/'); slash; slash = strchr(slash + 1, '/')) {
        snprintf(parent, sizeof parent, "%.*s", (int)(slash - name), name);
        if (lstat(join(path, manifest, parent), &status) != 0) return true; // then nothing is in it either
        if (S_ISDIR(status.st_mode)) continue;
        couFaults_Add(faults, path, NULL, "is a link or a file where a folder of Coulis should be: it is not followed");
        return false;
    }
    return true;
}

bool couManifest_Claim(couManifest *manifest, const char *name, couFaults *faults)
{
    char path[path_size];
    struct stat status;
    join(path, manifest, name);
    if (!is_plain(name)) {
        couFaults_Add(faults, path, NULL, "is no name of a file that can be written there");
        return false;
    }
    if (!check_parents(manifest, name, faults)) return false;
    if (couManifest_Has(manifest, name)) return true;
    if (lstat(path, &status) == 0) {
        couFaults_Add(faults, path, NULL,
                      "is there and was not written by Coulis: it is not replaced; move it, or give another --out");
        return false;
    }
    if (!append(manifest, name, faults)) return false;
    if (add_name(manifest, name)) return true;
    couFaults_Add(faults, path, NULL, "no memory for its name");
    return false;
}

// --- Removal -----------------------------------------------------------------------------------------------------------------

bool couManifest_Remove(const couManifest *manifest, const char *name)
{
    char path[path_size];
    couFaults ignored = {0};
    bool is_ours = couManifest_Has(manifest, name) && check_parents(manifest, name, &ignored);
    couFaults_Clear(&ignored);
    return is_ours && unlink(join(path, manifest, name)) == 0;
}

// "NAME.PID.tmp" of a listed name.
static bool is_leftover(const couManifest *manifest, const char *name)
{
    char base[name_size + 32];
    size_t length = strlen(name);
    if (length < 6 || length >= sizeof base || strcmp(name + length - 4, ".tmp") != 0) return false;
    snprintf(base, sizeof base, "%.*s", (int)length - 4, name);
    char *dot = strrchr(base, '.');
    if (!dot || !dot[1] || strspn(dot + 1, "0123456789") != strlen(dot + 1)) return false;
    *dot = '\0';
    return couManifest_Has(manifest, base);
}

// In one folder: `parent` is "" or, of listed names, what stands in front of the last slash, with it.
static void remove_leftovers_in(const couManifest *manifest, const char *parent)
{
    char path[path_size], name[2 * name_size];
    DIR *directory = opendir(join(path, manifest, parent));
    if (!directory) return;
    for (struct dirent *entry; (entry = readdir(directory));) {
        int length = snprintf(name, sizeof name, "%s%s", parent, entry->d_name);
        if (length < (int)sizeof name && is_leftover(manifest, name)) unlinkat(dirfd(directory), entry->d_name, 0);
    }
    closedir(directory);
}

void couManifest_RemoveLeftovers(const couManifest *manifest)
{
    char last[name_size] = "", parent[name_size];
    remove_leftovers_in(manifest, "");
    for (size_t i = 0; i < manifest->count; ++i) {
        const char *name = manifest->names[i], *slash = strrchr(name, '/');
        if (!slash) continue;
        snprintf(parent, sizeof parent, "%.*s", (int)(slash - name) + 1, name);
        couFaults ignored = {0};
        if (strcmp(parent, last) != 0 && check_parents(manifest, name, &ignored)) remove_leftovers_in(manifest, parent);
        couFaults_Clear(&ignored);
        snprintf(last, sizeof last, "%s", parent);
    }
}

// The folders in front of a name, the innermost first; one stays while others have something in it.
static void remove_parents(const couManifest *manifest, const char *name)
{
    char path[path_size], parent[name_size];
    couFaults ignored = {0};
    snprintf(parent, sizeof parent, "%s", name);
    bool is_ours = check_parents(manifest, name, &ignored);
    couFaults_Clear(&ignored);
    for (char *slash = strrchr(parent, '/'); is_ours && slash; slash = strrchr(parent, '/')) {
        *slash = '\0';
        if (rmdir(join(path, manifest, parent)) != 0) return;
    }
}

// The list goes last, so that a removal that was cut short can be taken up again.
void couManifest_RemoveAll(couManifest *manifest)
{
    char path[path_size];
    for (size_t i = 0; i < manifest->count; ++i) couManifest_Remove(manifest, manifest->names[i]);
    couManifest_RemoveLeftovers(manifest);
    for (size_t i = 0; i < manifest->count; ++i) remove_parents(manifest, manifest->names[i]);
    unlink(join(path, manifest, COU_MANIFEST_NAME));
    for (size_t i = 0; i < manifest->count; ++i) free(manifest->names[i]);
    manifest->count = 0;
    if (manifest->slot_count > 0) memset(manifest->slots, 0, manifest->slot_count * sizeof *manifest->slots);
}
