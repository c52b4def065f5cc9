// solids_000001.vtu: the deformable solids of each frame, with stress, strain and displacement.
#include "app/run_outputs.h"
#include "coulis/solid_file.h"

#include <stdio.h>

static bool is_wanted(const couRun *run) { return couWorld_SolidCount(run->world) > 0 && run->options.has_vtp; }

static bool write_frame(couRun *run, void *own)
{
    (void)own;
    char path[COU_PATH_SIZE], name[40];
    snprintf(name, sizeof name, "solids_%06d.vtu", run->frame);
    return couClaimPath(&run->manifest, name, path, &run->faults) && couWriteSolids(path, run->world, &run->faults);
}

extern const couOutput couOutputSolids;
const couOutput couOutputSolids = {
    .name = "solids", .files = {"solids_#.vtu"}, .is_wanted = is_wanted, .start = write_frame, .frame = write_frame};
