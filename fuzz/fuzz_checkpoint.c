// Checkpoints: the bytes behind the seal, which is made to fit.
#include "fuzz.h"

#include "coulis/checkpoint.h"
#include "io/hdf5_cleanup.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { seal_bytes = 512 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static bool is_begun;
    if (!is_begun) couHdf5_SkipCleanup();
    is_begun = true;
    char *file = calloc(1, seal_bytes + size);
    if (!file) abort();
    snprintf(file, seal_bytes, "Coulis checkpoint 1\nbytes %zu\nxxh3 %016llx\n", seal_bytes + size,
             (unsigned long long)XXH3_64bits(data, size));
    if (size > 0) memcpy(file + seal_bytes, data, size);
    const char *path = couFuzz_Write("checkpoint.h5", file, seal_bytes + size);
    free(file);
    couFaults faults = {0};
    couCheckpointInfo info;
    couState state = {0};
    if (couReadCheckpoint(path, &info, &state, &faults)) couState_Clear(&state);
    couFaults_Clear(&faults);
    return 0;
}
