// The folder of a run: which files are ours, how an old run makes way for a new one, and two checkpoints in turn so that one of them
// is whole whatever happens. Nothing that a run did not write itself is ever removed.
#include "app/run.h"
#include "io/body_files.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char *couJoin(char *path, const char *folder, const char *name)
{
    size_t length = strlen(folder);
    const char *slash = length > 0 && folder[length - 1] == '/' ? "" : "/";
    snprintf(path, COU_PATH_SIZE, "%s%s%s", folder, slash, name);
    return path;
}

void couDefaultFolder(const char *scene, char *folder, size_t size)
{
    const char *slash = strrchr(scene, '/');
    const char *name = slash ? slash + 1 : scene;
    size_t length = strlen(name);
    if (length > 4 && strcmp(name + length - 4, ".lua") == 0) length -= 4;
    snprintf(folder, size, "out/%.*s", (int)length, name);
}

bool couIsSameFolder(const char *a, const char *b)
{
    struct stat status_a, status_b;
    if (strcmp(a, b) == 0) return true;
    return stat(a, &status_a) == 0 && stat(b, &status_b) == 0 && status_a.st_dev == status_b.st_dev &&
           status_a.st_ino == status_b.st_ino;
}

bool couIsFolder(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

void couCheckPath(const char *command, const char *option, const char *path, couFaults *faults)
{
    if (path && strlen(path) >= COU_FOLDER_SIZE)
        couFaults_Add(faults, command, option, "the path has %zu bytes, at most %d are allowed", strlen(path),
                      COU_FOLDER_SIZE - 1);
    if (path && strchr(path, '\n')) couFaults_Add(faults, command, option, "a path with a line break is not allowed");
}

static bool file_exists(const char *folder, const char *name)
{
    char path[COU_PATH_SIZE];
    return access(couJoin(path, folder, name), F_OK) == 0;
}

// The number in "particles_000012.vtp", "surface_000012.obj", "picture_000012.png"..., or -1 for any other name.
static int frame_number(const char *name)
{
    static const char *const kinds[][2] = {{"particles_", ".vtp"}, {"particles_", ".ply"}, {"surface_", ".vtp"},
                                           {"surface_", ".ply"},   {"surface_", ".obj"},   {"surface_", ".svg"},
                                           {"picture_", ".png"},   {"radiance_", ".pfm"},  {"normal_", ".pfm"},
                                           {"albedo_", ".pfm"},    {"depth_", ".pfm"}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        size_t length = strlen(kinds[i][0]);
        if (strncmp(name, kinds[i][0], length) != 0) continue;
        const char *digits = name + length;
        if (strspn(digits, "0123456789") == 6 && strcmp(digits + 6, kinds[i][1]) == 0) return (int)strtol(digits, NULL, 10);
    }
    return -1;
}

// What a run writes besides frames. The files that mark a folder as ours come last: they are removed last, so that a removal that was
// cut short can be taken up again.
static const char *const run_files[] = {
    "bodies.csv",      "stage.json",  "particles.pvd",          "surface.pvd",   "pictures.txt",      "run.usda",
    "film.mp4",        "picture.png", "checkpoint_previous.h5", "checkpoint.h5", "checkpoint_new.h5", "command.txt",
    "diagnostics.csv", "run.json"};
enum { run_file_count = sizeof run_files / sizeof run_files[0], first_mark = run_file_count - 3 };

// NAME.PID.tmp of one of our names: what a killed run left behind.
static bool is_leftover(const char *name)
{
    char base[64];
    size_t length = strlen(name);
    if (length < 6 || length >= sizeof base || strcmp(name + length - 4, ".tmp") != 0) return false;
    snprintf(base, sizeof base, "%.*s", (int)length - 4, name);
    char *dot = strrchr(base, '.');
    if (!dot || dot[1] == '\0' || strspn(dot + 1, "0123456789") != strlen(dot + 1)) return false;
    *dot = '\0';
    for (int i = 0; i < run_file_count; i++)
        if (strcmp(base, run_files[i]) == 0) return true;
    return frame_number(base) >= 0;
}

// Frames numbered beyond `last`, and leftovers.
static int remove_frames(const char *folder, int last)
{
    DIR *directory = opendir(folder);
    if (!directory) return 0;
    int count = 0;
    char path[COU_PATH_SIZE];
    for (struct dirent *entry; (entry = readdir(directory));) {
        if (frame_number(entry->d_name) > last && unlink(couJoin(path, folder, entry->d_name)) == 0) count++;
        if (is_leftover(entry->d_name)) unlink(couJoin(path, folder, entry->d_name));
    }
    closedir(directory);
    return count;
}

int couRemoveOldRun(const char *folder)
{
    bool is_ours = false;
    for (int i = first_mark; i < run_file_count; i++) is_ours |= file_exists(folder, run_files[i]);
    if (!is_ours) return -1;
    int count = remove_frames(folder, -1);
    couRemoveBodyMeshes(folder); // before stage.json, which names them
    char path[COU_PATH_SIZE];
    for (int i = 0; i < run_file_count; i++) unlink(couJoin(path, folder, run_files[i]));
    return count;
}

void couCutFrames(const char *folder, int last) { remove_frames(folder, last); }

static bool move(const char *from, const char *to, couFaults *faults)
{
    if (rename(from, to) == 0) return true;
    couFaults_Add(faults, to, NULL, "cannot be put in place: %s", strerror(errno));
    return false;
}

bool couRotateCheckpoint(const char *folder, bool keeps_previous, const couCheckpointInfo *info, const couState *state,
                         couFaults *faults)
{
    char fresh[COU_PATH_SIZE], last[COU_PATH_SIZE], previous[COU_PATH_SIZE];
    couJoin(fresh, folder, "checkpoint_new.h5");
    couJoin(last, folder, "checkpoint.h5");
    couJoin(previous, folder, "checkpoint_previous.h5");
    if (!couWriteCheckpoint(fresh, info, state, faults)) return false;
    if (keeps_previous && access(last, F_OK) == 0 && !move(last, previous, faults)) return false;
    return move(fresh, last, faults);
}

bool couReadLastCheckpoint(const char *folder, couCheckpointInfo *info, couState *state, bool *is_previous, couFaults *faults)
{
    char last[COU_PATH_SIZE], previous[COU_PATH_SIZE];
    couJoin(last, folder, "checkpoint.h5");
    couJoin(previous, folder, "checkpoint_previous.h5");
    *is_previous = false;
    bool has_last = access(last, F_OK) == 0, has_previous = access(previous, F_OK) == 0;
    if (!has_last && !has_previous) {
        couFaults_Add(faults, "coulis run", "--resume", "'%.200s' holds no checkpoint.h5", folder);
        return false;
    }
    couFaults last_faults = {0};
    if (has_last && couReadCheckpoint(last, info, state, &last_faults)) return true;

    // The newest is missing or broken: the one before it is as good, only older.
    couFaults previous_faults = {0};
    *is_previous = has_previous && couReadCheckpoint(previous, info, state, &previous_faults);
    const char *reason = last_faults.count > 0 ? last_faults.items[0].message : "it is missing";
    if (*is_previous) couWarn("%s cannot be used (%s): going on from %s, frame %d", last, reason, previous, info->frame);
    for (int i = 0; !*is_previous && i < last_faults.count; i++)
        couFaults_Add(faults, last_faults.items[i].where, last_faults.items[i].key, "%s", last_faults.items[i].message);
    for (int i = 0; !*is_previous && i < previous_faults.count; i++)
        couFaults_Add(faults, previous_faults.items[i].where, previous_faults.items[i].key, "%s",
                      previous_faults.items[i].message);
    couFaults_Clear(&last_faults);
    couFaults_Clear(&previous_faults);
    return *is_previous;
}
