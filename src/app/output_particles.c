// particles_000001.vtp or .ply: the particles of each frame, and of the start as frame 0; samples_000001.vtp: the points that
// stand for bodies.
#include "app/run_outputs.h"

#include <stdio.h>

static bool is_wanted(const couRun *run) { return run->options.has_vtp || run->options.has_ply || run->options.has_samples; }

static bool write_samples(couRun *run)
{
    char path[COU_PATH_SIZE], name[40];
    couFrame samples;
    snprintf(name, sizeof name, "samples_%06d.vtp", run->frame);
    if (!couCaptureSamples(run->world, &samples)) {
        couFaults_Add(&run->faults, NULL, NULL, "no memory for the samples of bodies");
        return false;
    }
    bool is_written = couClaimPath(&run->manifest, name, path, &run->faults) && couWriteVtp(path, &samples, &run->faults);
    couFreeFrame(&samples);
    return is_written;
}

static bool write_frame(couRun *run, void *own)
{
    (void)own;
    char path[COU_PATH_SIZE], name[40];
    const couFrame *captured = couRun_Particles(run);
    bool is_written = captured;
    couFrame chosen = is_written ? *captured : (couFrame){0}, *frame = &chosen;
    chosen.left_out = run->options.left_out;
    if (run->options.has_no_pressure) chosen.pressure = NULL;
    snprintf(name, sizeof name, "particles_%06d.vtp", run->frame);
    if (is_written && run->options.has_vtp)
        is_written = couClaimPath(&run->manifest, name, path, &run->faults) && couWriteVtp(path, frame, &run->faults);
    snprintf(name, sizeof name, "particles_%06d.ply", run->frame);
    if (is_written && run->options.has_ply)
        is_written = couClaimPath(&run->manifest, name, path, &run->faults) && couWritePly(path, frame, &run->faults);
    return is_written && (!run->options.has_samples || write_samples(run));
}

extern const couOutput couOutputParticles;
const couOutput couOutputParticles = {.name = "particles",
                                      .files = {"particles_#.vtp", "particles_#.ply", "samples_#.vtp"},
                                      .is_wanted = is_wanted,
                                      .start = write_frame,
                                      .frame = write_frame};
