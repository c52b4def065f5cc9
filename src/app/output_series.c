// particles.pvd, surface.pvd, solids.pvd: ParaView's lists of the frames that are there, at the start so that a run can be
// watched, and at the end.
#include "app/run_outputs.h"
#include "io/pvd.h"

static bool write_series(couRun *run)
{
    return couWritePvd(&run->manifest, "particles", run->fps, &run->faults) &&
           couWritePvd(&run->manifest, "surface", run->fps, &run->faults) &&
           couWritePvd(&run->manifest, "solids", run->fps, &run->faults);
}

static bool begin(couRun *run, void **own)
{
    (void)own;
    return write_series(run);
}

static bool finish(couRun *run, void *own)
{
    (void)own;
    return write_series(run);
}

extern const couOutput couOutputSeries;
const couOutput couOutputSeries = {
    .name = "series", .files = {"particles.pvd", "surface.pvd", "solids.pvd"}, .open = begin, .close = finish};
