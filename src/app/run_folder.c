// The folder of a run: how it is opened, how an old run makes way for a new one. Nothing that Coulis did not write itself, by the
// list that it keeps there, is ever replaced or removed.
#include "app/run_outputs.h"
#include "files/file.h"

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

// --- The files of a run ------------------------------------------------------------------------------------------------------

// What other commands leave in the folder of a run, and the run itself besides its outputs.
static const char *const other_files[] = {"foam_#.vtp",   "foam_#.ply",     "foam.txt",     "foam.pvd",     "picture_#.png",
                                          "layers_#.exr", "radiance_#.pfm", "normal_#.pfm", "albedo_#.pfm", "depth_#.pfm",
                                          "pictures.txt", "run.usda",       "command.txt",  "log.txt"};
enum { other_count = sizeof other_files / sizeof other_files[0] };

// Names of files; # is the number of a frame.
typedef struct Names {
    const char *items[COU_MAX_OUTPUTS * COU_MAX_FILES + other_count];
    int count;
} Names;

// All that may be in the folder of a run, or, with a run, what this one writes.
static Names name_files(const couRun *run)
{
    Names names = {0};
    int count = 0;
    const couOutput *const *outputs = couOutputs(&count);
    for (int i = 0; i < count; ++i) {
        if (run && outputs[i]->is_wanted && !outputs[i]->is_wanted(run)) continue;
        for (int k = 0; k < COU_MAX_FILES && outputs[i]->files[k]; ++k) names.items[names.count++] = outputs[i]->files[k];
    }
    for (int i = 0; !run && i < other_count; ++i) names.items[names.count++] = other_files[i];
    if (run) names.items[names.count++] = "command.txt", names.items[names.count++] = "log.txt";
    return names;
}

// The number in "particles_000012.vtp", "surface_000012.obj", "picture_000012.png"..., or -1 for any other name.
static int frame_number(const Names *names, const char *name)
{
    for (int i = 0; i < names->count; ++i) {
        const char *pattern = names->items[i];
        size_t length = strcspn(pattern, "#");
        if (pattern[length] != '#' || strncmp(name, pattern, length) != 0) continue;
        const char *digits = name + length;
        if (strspn(digits, "0123456789") == 6 && strcmp(digits + 6, pattern + length + 1) == 0)
            return (int)strtol(digits, NULL, 10);
    }
    return -1;
}

static bool is_named(const Names *names, const char *name)
{
    for (int i = 0; i < names->count; ++i)
        if (strcmp(name, names->items[i]) == 0) return true;
    return frame_number(names, name) >= 0;
}

// --- Opening -----------------------------------------------------------------------------------------------------------------

// A fault for each file that the run would write over and that no run has written, but for a crowd of them.
static void find_strangers(couRun *run)
{
    enum { most = 10 };
    Names names = name_files(run);
    DIR *directory = opendir(run->folder);
    int count = 0;
    for (struct dirent *entry; directory && (entry = readdir(directory));) {
        if (!is_named(&names, entry->d_name) || couManifest_Has(&run->manifest, entry->d_name)) continue;
        if (++count <= most) couManifest_Claim(&run->manifest, entry->d_name, &run->faults);
    }
    if (directory) closedir(directory);
    if (count > most) couFaults_Add(&run->faults, run->folder, NULL, "and %d more", count - most);
}

// A fault for each file in the way of the scene's copies; and for a scene that is itself the copy of a run that would be removed.
static void find_scene_strangers(couRun *run)
{
    int count = 0;
    const couSceneFile *files = couScene_Files(run->scene, &count);
    char name[sizeof files->name + 8], path[COU_PATH_SIZE + sizeof name];
    char *folder = realpath(run->folder, NULL);
    size_t length = folder ? strlen(folder) : 0;
    for (int i = 0; i < count; ++i) {
        const char *own = files[i].path;
        struct stat status;
        bool is_within = folder && strncmp(own, folder, length) == 0 && own[length] == '/';
        snprintf(name, sizeof name, "scene/%s", files[i].name);
        snprintf(path, sizeof path, "%s/%s", run->folder, name);
        if (is_within && !run->is_in_place && couManifest_Has(&run->manifest, own + length + 1))
            couFaults_Add(&run->faults, own, NULL,
                          "is the copy of an earlier run in this folder, which would make way: give "
                          "another --out");
        else if (!couManifest_Has(&run->manifest, name) && lstat(path, &status) == 0)
            couManifest_Claim(&run->manifest, name, &run->faults);
    }
    free(folder);
}

bool couRun_OpenFolder(couRun *run)
{
    if (!couMakeFolder(run->folder, &run->faults)) return false;
    if (!couManifest_Read(&run->manifest, run->folder, &run->faults)) return false;
    if (!couManifest_Lock(&run->manifest, &run->faults)) return false;
    find_strangers(run);
    find_scene_strangers(run);
    return run->faults.count == 0;
}

char *couClaimPath(couManifest *manifest, const char *name, char *path, couFaults *faults)
{
    return couManifest_Claim(manifest, name, faults) ? couJoin(path, manifest->folder, name) : NULL;
}

// --- Old runs ----------------------------------------------------------------------------------------------------------------

int couRemoveOldRun(couManifest *manifest)
{
    if (manifest->count == 0) return -1;
    Names names = name_files(NULL);
    int count = 0;
    for (size_t i = 0; i < manifest->count; ++i)
        if (couManifest_Remove(manifest, manifest->names[i]) && frame_number(&names, manifest->names[i]) >= 0) ++count;
    couManifest_RemoveAll(manifest);
    return count;
}

void couCutFrames(const couManifest *manifest, int last)
{
    Names names = name_files(NULL);
    for (size_t i = 0; i < manifest->count; ++i)
        if (frame_number(&names, manifest->names[i]) > last) couManifest_Remove(manifest, manifest->names[i]);
    couManifest_RemoveLeftovers(manifest);
}
