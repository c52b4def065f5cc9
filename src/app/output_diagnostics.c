// diagnostics.csv: a row of numbers for each frame.
#include "app/run_outputs.h"
#include "io/run_files.h"

static bool begin(couRun *run, void **own)
{
    char path[COU_PATH_SIZE];
    if (!couClaimPath(&run->manifest, "diagnostics.csv", path, &run->faults)) return false;
    *own = couOpenDiagnostics(path, run->world, run->is_in_place ? run->first : 0, &run->faults);
    return *own;
}

static bool write_row(couRun *run, void *own)
{
    return couDiagnostics_Write(own, run->world, run->frame, &run->report, run->frame_seconds, &run->faults);
}

static bool finish(couRun *run, void *own) { return couCloseDiagnostics(own, &run->faults); }

static void discard(couRun *run, void *own) { couCloseDiagnostics(own, &run->faults); }

extern const couOutput couOutputDiagnostics;
const couOutput couOutputDiagnostics = {
    .name = "diagnostics", .files = {"diagnostics.csv"}, .open = begin, .frame = write_row, .close = finish, .discard = discard};
