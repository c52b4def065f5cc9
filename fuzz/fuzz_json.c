// JSON: any, and as the stage.json of a run.
#include "fuzz.h"

#include "files/json.h"
#include "io/stage_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = couFuzz_Write("stage.json", data, size);
    couFaults faults = {0};
    couStageFile stage;
    json_decref(couReadJson(path, 1 << 22, &faults));
    if (couReadStage(path, &stage, &faults)) couStageFile_Clear(&stage);
    couFaults_Clear(&faults);
    return 0;
}
