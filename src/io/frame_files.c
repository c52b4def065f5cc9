// Lists of frame files: of a folder, a pattern or names, in the order of their numbers.
#include "base/base.h"
#include "coulis/frames.h"

#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/stat.h>

static const char *const frame_extensions[] = {".vtp", ".ply", ".vtk", ".vtu"};

// The last run of digits before the extension, and where it begins; -1 when there is none or it has more than nine digits.
static int number_in(const char *name, size_t *start)
{
    const char *slash = strrchr(name, '/'), *base = slash ? slash + 1 : name, *dot = strrchr(base, '.');
    const char *end = dot ? dot : base + strlen(base);
    while (end > base && !(end[-1] >= '0' && end[-1] <= '9')) --end;
    const char *at = end;
    while (at > base && at[-1] >= '0' && at[-1] <= '9') --at;
    *start = (size_t)(at - name);
    return at == end || end - at > 9 ? -1 : (int)strtol(at, NULL, 10);
}

static bool is_frame_name(const char *name)
{
    const char *dot = strrchr(name, '.');
    for (int i = 0; dot && i < COU_COUNT(frame_extensions); ++i)
        if (strcasecmp(dot, frame_extensions[i]) == 0) return true;
    return false;
}

static bool add_file(couFrameFiles *files, const char *folder, const char *name, int number, couFaults *faults)
{
    // One more than the power of two that is full needs twice the room.
    if ((files->count & (files->count - 1)) == 0) {
        void *larger = realloc(files->items, COU_MAX(2 * (size_t)files->count, 1) * sizeof *files->items);
        if (!larger) goto no_memory;
        files->items = larger;
    }
    size_t size = strlen(folder) + strlen(name) + 2;
    char *path = malloc(size);
    if (!path) goto no_memory;
    snprintf(path, size, "%s%s%s", folder, folder[0] != '\0' && folder[strlen(folder) - 1] != '/' ? "/" : "", name);
    files->items[files->count++] = (couFrameFile){path, number};
    return true;
no_memory:
    couFaults_Add(faults, name, NULL, "no memory for its name");
    return false;
}

void couFrameFiles_Clear(couFrameFiles *files)
{
    for (int i = 0; i < files->count; ++i) free(files->items[i].path);
    free(files->items);
    *files = (couFrameFiles){0};
}

static int compare_files(const void *a, const void *b)
{
    const couFrameFile *x = a, *y = b;
    return x->number != y->number ? (x->number > y->number) - (x->number < y->number) : strcmp(x->path, y->path);
}

static void sort_files(couFrameFiles *files)
{
    if (files->count > 1) qsort(files->items, (size_t)files->count, sizeof *files->items, compare_files);
}

// --- Folders -----------------------------------------------------------------------------------------------------------------

// STEM_000001.EXTENSION: six digits or more.
static int series_number(const char *name, const char *stem, const char *extension)
{
    size_t stem_length = strlen(stem), digits;
    if (strncmp(name, stem, stem_length) != 0 || name[stem_length] != '_') return -1;
    const char *at = name + stem_length + 1;
    digits = strspn(at, "0123456789");
    if (digits < 6 || digits > 9 || at[digits] != '.' || strcmp(at + digits + 1, extension) != 0) return -1;
    return (int)strtol(at, NULL, 10);
}

bool couListSeries(const char *folder, const char *stem, const char *extension, couFrameFiles *files, couFaults *faults)
{
    *files = (couFrameFiles){0};
    DIR *directory = opendir(folder);
    if (!directory) {
        couFaults_Add(faults, folder, NULL, "cannot be read: %s", strerror(errno));
        return false;
    }
    bool is_good = true;
    for (struct dirent *entry; is_good && (entry = readdir(directory));) {
        int number = series_number(entry->d_name, stem, extension);
        if (number >= 0) is_good = add_file(files, folder, entry->d_name, number, faults);
    }
    closedir(directory);
    if (is_good)
        sort_files(files);
    else
        couFrameFiles_Clear(files);
    return is_good;
}

// Frame files of a folder that is not a run's: those of one name and kind that differ in their number only.
static bool list_foreign(const char *folder, couFrameFiles *files, couFaults *faults)
{
    DIR *directory = opendir(folder);
    char name[256] = "";
    bool is_good = directory != NULL;
    for (struct dirent *entry; is_good && (entry = readdir(directory));) {
        size_t start, first_start;
        if (!is_frame_name(entry->d_name) || series_number(entry->d_name, "surface", strrchr(entry->d_name, '.') + 1) >= 0)
            continue; // `coulis surface` writes its meshes beside the frames
        int number = number_in(entry->d_name, &start);
        if (number < 0) continue;
        if (name[0] == '\0') snprintf(name, sizeof name, "%s", entry->d_name);
        number_in(name, &first_start);
        bool is_same = start == first_start && strncmp(name, entry->d_name, start) == 0 &&
                       strcmp(strrchr(name, '.'), strrchr(entry->d_name, '.')) == 0;
        if (!is_same) {
            couFaults_Add(faults, folder, NULL,
                          "holds frames of more than one name ('%.60s' and '%.60s'); give a pattern, such as '%.40s*%s'", name,
                          entry->d_name, name, strrchr(name, '.'));
            is_good = false;
        } else {
            is_good = add_file(files, folder, entry->d_name, number, faults);
        }
    }
    if (directory) closedir(directory);
    return is_good;
}

// Frame 0 of a run is its start: its film begins with frame 1. A run of the start alone has nothing else.
static void leave_out_start(couFrameFiles *files)
{
    if (files->count < 2 || files->items[0].number != 0) return;
    free(files->items[0].path);
    --files->count;
    memmove(files->items, files->items + 1, (size_t)files->count * sizeof *files->items);
}

static bool list_folder(const char *folder, couFrameFiles *files, couFaults *faults)
{
    if (!couListSeries(folder, "particles", "vtp", files, faults)) return false;
    leave_out_start(files);
    if (files->count > 0) return true;
    couFrameFiles_Clear(files);
    if (!couListSeries(folder, "particles", "ply", files, faults)) return false;
    leave_out_start(files);
    if (files->count > 0) return true;
    couFrameFiles_Clear(files);
    return list_foreign(folder, files, faults);
}

// --- Names -------------------------------------------------------------------------------------------------------------------

static bool list_pattern(const char *pattern, couFrameFiles *files, couFaults *faults)
{
    glob_t found = {0};
    bool is_good = glob(pattern, 0, NULL, &found) == 0;
    if (!is_good) couFaults_Add(faults, pattern, NULL, "no file has such a name");
    for (size_t i = 0; is_good && i < found.gl_pathc; ++i) is_good = add_file(files, "", found.gl_pathv[i], -1, faults);
    globfree(&found);
    return is_good;
}

static bool list_names(const char *const *names, int count, couFrameFiles *files, couFaults *faults)
{
    for (int i = 0; i < count; ++i) {
        struct stat status;
        if (stat(names[i], &status) == 0) {
            if (S_ISDIR(status.st_mode) && count > 1) {
                couFaults_Add(faults, names[i], NULL, "is a folder: it must stand alone");
                return false;
            }
            if (S_ISDIR(status.st_mode) ? !list_folder(names[i], files, faults) : !add_file(files, "", names[i], -1, faults))
                return false;
        } else if (strpbrk(names[i], "*?[")) {
            if (!list_pattern(names[i], files, faults)) return false;
        } else {
            couFaults_Add(faults, names[i], NULL, "cannot be read: %s", strerror(errno));
            return false;
        }
    }
    return true;
}

// Numbers from the names, or from the order where a name has none.
static void number_files(couFrameFiles *files)
{
    size_t start;
    bool has_all = true;
    for (int i = 0; i < files->count; ++i) {
        if (files->items[i].number < 0) files->items[i].number = number_in(files->items[i].path, &start);
        has_all = has_all && files->items[i].number >= 0;
    }
    for (int i = 0; !has_all && i < files->count; ++i) files->items[i].number = i + 1;
    sort_files(files);
}

bool couListFrames(const char *const *names, int count, couFrameFiles *files, couFaults *faults)
{
    *files = (couFrameFiles){0};
    bool is_good = list_names(names, count, files, faults);
    if (is_good && files->count == 0) {
        couFaults_Add(faults, count > 0 ? names[0] : NULL, NULL, "holds no frames: no numbered .vtp, .ply, .vtk or .vtu files");
        is_good = false;
    }
    number_files(files);
    for (int i = 1; is_good && i < files->count; ++i)
        if (files->items[i].number == files->items[i - 1].number) {
            couFaults_Add(faults, files->items[i].path, NULL, "is frame %d, as is '%.150s'", files->items[i].number,
                          files->items[i - 1].path);
            is_good = false;
        }
    if (!is_good) couFrameFiles_Clear(files);
    return is_good;
}
