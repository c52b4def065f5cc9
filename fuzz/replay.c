// Runs a target without a fuzzer: over the files and folders that are named, then, with --random N, over N inputs made of them by
// a fixed sequence of cuts and changes. For `make test`, where whatever the sanitizers find ends it.
#include "fuzz.h"

#include "base/random.h"

#include <dirent.h>

enum { MOST_INPUTS = 4096, MOST_BYTES = 1 << 20 };

typedef struct Input {
    uint8_t *data;
    size_t size;
} Input;

static Input inputs[MOST_INPUTS];
static int input_count;

static void run(const uint8_t *data, size_t size)
{
    // A block of its own, so that one byte beyond it is noticed.
    uint8_t *copy = malloc(size > 0 ? size : 1);
    if (!copy) abort();
    if (size > 0) memcpy(copy, data, size);
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
}

static void take_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    uint8_t *data = malloc(MOST_BYTES);
    if (!file || !data || input_count == MOST_INPUTS) {
        fprintf(stderr, "%s: cannot be read, or too many inputs\n", path);
        exit(1);
    }
    inputs[input_count++] = (Input){data, fread(data, 1, MOST_BYTES, file)};
    fclose(file);
    run(data, inputs[input_count - 1].size);
}

static void take(const char *path)
{
    struct dirent **entries;
    int count = scandir(path, &entries, NULL, alphasort);
    if (count < 0) {
        take_file(path);
        return;
    }
    for (int i = 0; i < count; ++i) {
        char name[1024];
        snprintf(name, sizeof name, "%s/%s", path, entries[i]->d_name);
        if (entries[i]->d_name[0] != '.') take_file(name);
        free(entries[i]);
    }
    free(entries);
}

static void run_random(long count)
{
    static uint8_t data[MOST_BYTES];
    couRandom random = {couMix64(17)};
    for (long k = 0; k < count && input_count > 0; ++k) {
        const Input *input = &inputs[couNextRandom(&random) % (uint64_t)input_count];
        size_t size = input->size;
        memcpy(data, input->data, size);
        for (uint64_t changes = 1 + couNextRandom(&random) % 8; changes > 0 && size > 0; --changes) {
            size_t at = couNextRandom(&random) % size;
            uint64_t value = couNextRandom(&random);
            switch (couNextRandom(&random) % 4) {
            case 0: data[at] = (uint8_t)value; break;
            case 1: data[at] ^= (uint8_t)(1 << value % 8); break;
            case 2: size = couNextRandom(&random) % 8 == 0 ? at : size; break;
            default: memmove(data + at, data + value % size, COU_MIN(size - at, size - value % size) / 2);
            }
        }
        run(data, size);
    }
}

int main(int argc, char **argv)
{
    long count = 0;
    for (int i = 1; i < argc; ++i) {
        if (strcmp(argv[i], "--random") == 0 && i + 1 < argc)
            count = strtol(argv[++i], NULL, 10);
        else
            take(argv[i]);
    }
    run_random(count);
    for (int i = 0; i < input_count; ++i) free(inputs[i].data);
    fprintf(stderr, "%d inputs, %ld made of them\n", input_count, count);
    return input_count > 0 ? 0 : 1;
}
