// VTK XML files.
#include "points.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) { return couFuzz_Points("frame.vtp", data, size); }
