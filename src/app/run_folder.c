// The folder of a run: which files are ours, how an old run makes way for a new one. Nothing that a run did not write itself is
// ever removed.
#include "app/run_outputs.h"
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

// What other commands leave in the folder of a run, and the run itself besides its outputs.
static const char *const other_files[] = {"picture_#.png", "radiance_#.pfm", "normal_#.pfm", "albedo_#.pfm",
                                          "depth_#.pfm",   "pictures.txt",   "run.usda",     "command.txt"};
enum { other_count = sizeof other_files / sizeof other_files[0] };

// These mark a folder as ours.
static const char *const marks[] = {"command.txt", "diagnostics.csv", "run.json"};
enum { mark_count = sizeof marks / sizeof marks[0] };

// The names of all files that a run may have; # is the number of a frame.
typedef struct Names {
    const char *items[COU_MAX_OUTPUTS * COU_MAX_FILES + other_count];
    int count;
} Names;

static Names name_files(void)
{
    Names names = {0};
    int count = 0;
    const couOutput *const *outputs = couOutputs(&count);
    for (int i = 0; i < count; ++i)
        for (int k = 0; k < COU_MAX_FILES && outputs[i]->files[k]; ++k) names.items[names.count++] = outputs[i]->files[k];
    for (int i = 0; i < other_count; ++i) names.items[names.count++] = other_files[i];
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

// NAME.PID.tmp of one of our names: what a killed run left behind.
static bool is_leftover(const Names *names, const char *name)
{
    char base[64];
    size_t length = strlen(name);
    if (length < 6 || length >= sizeof base || strcmp(name + length - 4, ".tmp") != 0) return false;
    snprintf(base, sizeof base, "%.*s", (int)length - 4, name);
    char *dot = strrchr(base, '.');
    if (!dot || dot[1] == '\0' || strspn(dot + 1, "0123456789") != strlen(dot + 1)) return false;
    *dot = '\0';
    for (int i = 0; i < names->count; ++i)
        if (strcmp(base, names->items[i]) == 0) return true;
    return frame_number(names, base) >= 0;
}

// Frames numbered beyond `last`, and leftovers.
static int remove_frames(const Names *names, const char *folder, int last)
{
    DIR *directory = opendir(folder);
    if (!directory) return 0;
    int count = 0;
    char path[COU_PATH_SIZE];
    for (struct dirent *entry; (entry = readdir(directory));) {
        if (frame_number(names, entry->d_name) > last && unlink(couJoin(path, folder, entry->d_name)) == 0) ++count;
        if (is_leftover(names, entry->d_name)) unlink(couJoin(path, folder, entry->d_name));
    }
    closedir(directory);
    return count;
}

static bool is_mark(const char *name)
{
    for (int i = 0; i < mark_count; ++i)
        if (strcmp(name, marks[i]) == 0) return true;
    return false;
}

int couRemoveOldRun(const char *folder)
{
    bool is_ours = false;
    for (int i = 0; i < mark_count; ++i) is_ours |= file_exists(folder, marks[i]);
    if (!is_ours) return -1;
    Names names = name_files();
    int count = remove_frames(&names, folder, -1);
    couRemoveBodyMeshes(folder); // before stage.json, which names them
    char path[COU_PATH_SIZE];
    for (int i = 0; i < names.count; ++i) {
        bool is_plain = !strchr(names.items[i], '#') && !is_mark(names.items[i]);
        if (is_plain) unlink(couJoin(path, folder, names.items[i]));
    }
    // Marks come last, so that a removal that was cut short can be taken up again.
    for (int i = 0; i < mark_count; ++i) unlink(couJoin(path, folder, marks[i]));
    return count;
}

void couCutFrames(const char *folder, int last)
{
    Names names = name_files();
    remove_frames(&names, folder, last);
}
