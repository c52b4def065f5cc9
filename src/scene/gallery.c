// Where scenes are found by name: $COULIS_SCENES, beside the program or the shared library, in the source tree, where they were
// installed.
#include "scene/internal.h"

#include "base/base.h"

#include <dirent.h>
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_FOLDERS 7
#define FOLDER_SIZE 1024
#define STOCK_FOLDER "/usr/share/glmark2/models" // of Debian's package glmark2-data

// The folder of the running program, without a slash at the end; "" when not known.
static void program_folder(char *folder, size_t size)
{
    ssize_t length = readlink("/proc/self/exe", folder, size - 1);
    folder[COU_MAX(length, 0)] = '\0';
    char *slash = strrchr(folder, '/');
    if (slash) *slash = '\0';
}

// The folder of the shared library that this is in, likewise; of the program when it is in none.
static void library_folder(char *folder, size_t size)
{
    Dl_info info;
    snprintf(folder, size, "%s", dladdr((const void *)couFindScene, &info) && info.dli_fname ? info.dli_fname : "");
    char *slash = strrchr(folder, '/');
    if (!slash) slash = folder;
    *slash = '\0';
}

static int list_folders(char folders[MAX_FOLDERS][FOLDER_SIZE])
{
    int count = 0;
    const char *own = getenv("COULIS_SCENES");
    if (own && own[0]) snprintf(folders[count++], FOLDER_SIZE, "%s", own);
    char program[FOLDER_SIZE - 64];
    program_folder(program, sizeof program);
    if (program[0]) {
        snprintf(folders[count++], FOLDER_SIZE, "%s/../share/coulis/scenes", program);
        snprintf(folders[count++], FOLDER_SIZE, "%s/../scenes", program);
    }
    char library[FOLDER_SIZE - 64];
    library_folder(library, sizeof library);
    if (library[0]) { // lib or, as Debian has it, lib/x86_64-linux-gnu
        snprintf(folders[count++], FOLDER_SIZE, "%s/../share/coulis/scenes", library);
        snprintf(folders[count++], FOLDER_SIZE, "%s/../../share/coulis/scenes", library);
    }
    snprintf(folders[count++], FOLDER_SIZE, "%s", COU_SOURCE_SCENES);
    snprintf(folders[count++], FOLDER_SIZE, "%s", COU_INSTALL_SCENES);
    return count;
}

// Gallery names are plain words: nothing that could leave the folder.
static bool is_plain_name(const char *name)
{
    size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");
    return length > 0 && length < 64 && !name[length];
}

// The real path of a regular file, without the ".." of folders beside the program.
static bool take_file(const char *candidate, char *path, size_t size)
{
    struct stat status;
    if (stat(candidate, &status) != 0 || !S_ISREG(status.st_mode)) return false;
    char *real = realpath(candidate, NULL);
    bool is_good = real && strlen(real) < size;
    if (is_good) strcpy(path, real);
    free(real);
    return is_good;
}

bool couFindScene(const char *name, char *path, size_t size)
{
    if (!is_plain_name(name)) return false;
    char folders[MAX_FOLDERS][FOLDER_SIZE];
    int count = list_folders(folders);
    for (int i = 0; i < count; ++i) {
        char candidate[FOLDER_SIZE + 80];
        snprintf(candidate, sizeof candidate, "%.1000s/%.64s.lua", folders[i], name);
        if (take_file(candidate, path, size)) return true;
    }
    return false;
}

// --- Stock meshes ------------------------------------------------------------------------------------------------------------

const couStockMesh *couStockMeshes(int *count)
{
    // The cat has y up in its file, where the format has z, and no soles.
    static const couStockMesh meshes[] = {{"bunny", "bunny.obj", "glmark2-data", {0, 0, 0, 1}, false},
                                          {"horse", "horse.3ds", "glmark2-data", {0, 0, 0, 1}, false},
                                          {"cat", "cat.3ds", "glmark2-data", {0.70710678f, 0, 0, 0.70710678f}, true}};
    *count = COU_COUNT(meshes);
    return meshes;
}

bool couFindStockMesh(const couStockMesh *mesh, char *path, size_t size)
{
    char folders[MAX_FOLDERS][FOLDER_SIZE], candidate[FOLDER_SIZE + 80];
    int count = list_folders(folders);
    for (int i = 0; i < count; ++i) {
        snprintf(candidate, sizeof candidate, "%.1000s/models/%.64s", folders[i], mesh->file);
        if (take_file(candidate, path, size)) return true;
    }
    snprintf(candidate, sizeof candidate, "%s/%.64s", STOCK_FOLDER, mesh->file);
    return take_file(candidate, path, size);
}

// --- The list ----------------------------------------------------------------------------------------------------------------

static int compare_names(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

// Appends the names of a folder; false without memory.
static bool add_folder(const char *folder, char ***names, size_t *count, size_t *capacity)
{
    DIR *stream = opendir(folder);
    if (!stream) return true;
    bool is_good = true;
    const struct dirent *entry;
    while (is_good && (entry = readdir(stream))) {
        size_t length = strlen(entry->d_name);
        if (length < 5 || length > 67 || strcmp(entry->d_name + length - 4, ".lua") != 0) continue;
        char name[68];
        snprintf(name, sizeof name, "%.*s", (int)(length - 4), entry->d_name);
        if (!is_plain_name(name)) continue;
        if (*count + 2 > *capacity) {
            size_t larger = 2 * *capacity + 32;
            char **moved = realloc(*names, larger * sizeof **names);
            is_good = moved != NULL;
            if (!moved) break;
            *names = moved;
            *capacity = larger;
        }
        (*names)[*count] = strdup(name);
        is_good = (*names)[*count] != NULL;
        if (is_good) ++*count;
    }
    closedir(stream);
    return is_good;
}

char **couListScenes(void)
{
    char folders[MAX_FOLDERS][FOLDER_SIZE];
    int folder_count = list_folders(folders);
    size_t count = 0, capacity = 32;
    char **names = calloc(capacity, sizeof *names);
    if (!names) return NULL;
    for (int i = 0; i < folder_count; ++i) {
        if (!add_folder(folders[i], &names, &count, &capacity)) break;
    }
    qsort(names, count, sizeof *names, compare_names);
    size_t kept = 0;
    for (size_t i = 0; i < count; ++i) {
        if (kept > 0 && strcmp(names[kept - 1], names[i]) == 0) {
            free(names[i]);
        } else {
            names[kept++] = names[i];
        }
    }
    names[kept] = NULL;
    return names;
}

void couFreeNames(char **names)
{
    for (char **name = names; name && *name; ++name) free(*name);
    free(names);
}
