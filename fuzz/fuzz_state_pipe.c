// What a process that reads a checkpoint may send when the file has taken it over: any bytes at all.
#include "checkpoints.h"

#include "io/state_pipe.h"

#include <fcntl.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bool wants_state = couFuzz_Byte(&data, &size) % 8 != 0;
    int sent = open(couFuzz_Write("sent", data, size), O_RDONLY | O_CLOEXEC);
    if (sent < 0) abort();
    couFaults faults = {0};
    couState state = {0};
    couStateArrival arrival = {
        .state = wants_state ? &state : NULL, .max_bytes = 1 << 20, .path = "checkpoint.h5", .faults = &faults};
    bool is_whole = couStatePipe_Receive(sent, &arrival);
    if (arrival.has_fault != (faults.count == 1) || faults.count > 1) abort();
    if (is_whole && !arrival.has_fault) couFuzz_CheckState(&arrival.info, &state);
    close(sent);
    couState_Clear(&state);
    couFaults_Clear(&faults);
    return 0;
}
