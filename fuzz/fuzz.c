// What the fuzz targets share.
#include "fuzz.h"

#include <pthread.h>

static char folder[128];

static void remove_folder(void)
{
    char command[160];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    if (system(command) != 0) fprintf(stderr, "%s could not be removed\n", folder);
}

// A fuzzer would write what ends a process of a reader's own down as a find: it asks the sanitizers to be told.
__attribute__((weak)) void __sanitizer_set_death_callback(void (*callback)(void));

static void forget_fuzzer(void)
{
    if (__sanitizer_set_death_callback) __sanitizer_set_death_callback(NULL);
}

const char *couFuzz_Folder(void)
{
    if (folder[0]) return folder;
    const char *parent = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%.90s/coulis-fuzz-XXXXXX", parent && *parent ? parent : "/tmp");
    if (!mkdtemp(folder)) abort();
    atexit(remove_folder);
    pthread_atfork(NULL, NULL, forget_fuzzer);
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
