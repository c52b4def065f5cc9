// Checkpoints: the bytes behind the seal, which is made to fit. HDF5 reads them in a process of its own, where it may fail as it
// likes. What is looked for is anything but an answer: a state that is whole, or one fault and nothing else. The fuzzer does not
// see which code that process reached; the words of the fault stand for it, without their numbers.
#include "checkpoints.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { seal_bytes = 512 };

__attribute__((section("__libfuzzer_extra_counters"), used)) static uint8_t reached[1 << 12];

static void note_words(const couFault *fault)
{
    uint32_t hash = 2166136261u;
    for (const char *at = fault->key; *at; ++at) hash = (hash ^ (uint8_t)*at) * 16777619u;
    for (const char *at = fault->message; *at; ++at)
        if (*at < '0' || *at > '9') hash = (hash ^ (uint8_t)*at) * 16777619u;
    reached[hash % sizeof reached] = 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *file = calloc(1, seal_bytes + size);
    if (!file) abort();
    snprintf(file, seal_bytes, "Coulis checkpoint 1\nbytes %zu\nxxh3 %016llx\n", seal_bytes + size,
             (unsigned long long)XXH3_64bits(data, size));
    if (size > 0) memcpy(file + seal_bytes, data, size);
    const char *path = couFuzz_Write("checkpoint.h5", file, seal_bytes + size);
    free(file);
    couFaults faults = {0};
    couCheckpointInfo info, alone;
    couState state = {0};
    if (couReadCheckpoint(path, &info, &state, &faults)) {
        if (faults.count > 0 || couState_Hash(&state) != info.state_hash) abort();
        couFuzz_CheckState(&info, &state);
        reached[(unsigned)state.count % sizeof reached] = 1;
        couState_Clear(&state);
        if (!couReadCheckpoint(path, &alone, NULL, &faults) || alone.state_hash != info.state_hash) abort();
    } else {
        if (faults.count != 1 || !faults.items[0].message[0] || strchr(faults.items[0].message, '\n')) abort();
        if (state.count != 0 || state.arrays || info.frame != 0 || info.scene[0]) abort();
        note_words(&faults.items[0]);
    }
    couFaults_Clear(&faults);
    return 0;
}
