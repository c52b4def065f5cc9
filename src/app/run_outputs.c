// The outputs of a run. To add one: a file that defines a couOutput, and a row here.
//
// A frame goes down the table: tables get their row when its files are written, and the checkpoint comes last, so that what it
// continues is whole. Opening and closing go up: the state is safe and the small files are there before a film takes its time,
// and run.json, which says that a run has ended, comes last.
#include "app/run_outputs.h"

extern const couOutput couOutputSummary, couOutputParticles, couOutputSurface, couOutputFilm, couOutputSeries, couOutputBodies,
    couOutputDiagnostics, couOutputView, couOutputCheckpoint, couOutputSolids, couOutputGauges, couOutputTraces;

static const couOutput *const outputs[] = {
    &couOutputSummary, &couOutputParticles, &couOutputSurface,     &couOutputFilm,   &couOutputSolids, &couOutputTraces,
    &couOutputSeries,  &couOutputBodies,    &couOutputDiagnostics, &couOutputGauges, &couOutputView,   &couOutputCheckpoint,
};
enum { output_count = sizeof outputs / sizeof outputs[0] };
_Static_assert(output_count <= COU_MAX_OUTPUTS, "a run has a place for each output");

const couOutput *const *couOutputs(int *count)
{
    *count = output_count;
    return outputs;
}

const couFrame *couRun_Particles(couRun *run)
{
    if (!run->has_particles) run->has_particles = couCaptureFrame(run->world, &run->particles);
    if (run->has_particles) return &run->particles;
    couFaults_Add(&run->faults, NULL, NULL, "no memory for a frame");
    return NULL;
}

// A captured frame is as large as the world's own columns: it is not kept while the next one is computed.
static void forget_particles(couRun *run)
{
    if (run->has_particles) couFreeFrame(&run->particles);
    run->has_particles = false;
}

bool couOpenOutputs(couRun *run)
{
    for (int i = output_count - 1; i >= 0; --i) {
        if (outputs[i]->is_wanted && !outputs[i]->is_wanted(run)) continue;
        if (outputs[i]->open && !outputs[i]->open(run, &run->outputs[i].own)) return false;
        run->outputs[i].is_open = true;
    }
    return true;
}

bool couGiveStart(couRun *run)
{
    bool is_good = true;
    for (int i = 0; is_good && i < output_count; ++i)
        if (run->outputs[i].is_open && outputs[i]->start) is_good = outputs[i]->start(run, run->outputs[i].own);
    forget_particles(run);
    return is_good;
}

bool couGiveFrame(couRun *run)
{
    bool is_good = true;
    for (int i = 0; is_good && i < output_count; ++i)
        if (run->outputs[i].is_open && outputs[i]->frame) is_good = outputs[i]->frame(run, run->outputs[i].own);
    forget_particles(run);
    return is_good;
}

bool couCloseOutputs(couRun *run)
{
    bool is_good = true;
    for (int i = output_count - 1; is_good && i >= 0; --i) {
        if (!run->outputs[i].is_open) continue;
        run->outputs[i].is_open = false;
        if (outputs[i]->close) is_good = outputs[i]->close(run, run->outputs[i].own);
    }
    forget_particles(run);
    return is_good;
}

void couDiscardOutputs(couRun *run)
{
    for (int i = output_count - 1; i >= 0; --i) {
        if (run->outputs[i].is_open && outputs[i]->discard) outputs[i]->discard(run, run->outputs[i].own);
        run->outputs[i].is_open = false;
    }
    forget_particles(run);
}
