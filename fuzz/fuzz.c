// What the fuzz targets share.
#include "fuzz.h"

static char folder[128];

static void remove_folder(void)
{
    char command[160];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    if (system(command) != 0) fprintf(stderr, "%s could not be removed\n", folder);
}

const char *couFuzz_Folder(void)
{
    if (folder[0]) return folder;
    const char *parent = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%.90s/coulis-fuzz-XXXXXX", parent && *parent ? parent : "/tmp");
    if (!mkdtemp(folder)) abort();
    atexit(remove_folder);
    setenv("COULIS_CACHE", "", 1); // leave no grids behind
    return folder;
}

const char *couFuzz_Write(const char *name, const void *data, size_t size)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", couFuzz_Folder(), name);
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(data, 1, size, file) != size || fclose(file) != 0) abort();
    return path;
}
