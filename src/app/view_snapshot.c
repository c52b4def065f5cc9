// coulis view SCENE --snapshot FILE: what the viewer shows, by the program's own renderer: particles as spheres, the bodies, the
// scene's camera. For machines without a browser, and scripts.
#include "app/view.h"

#include <stdio.h>

// Frame by frame, as the viewer and a run advance.
static bool advance(couScene *scene, double seconds, couFaults *faults)
{
    couWorld *world = couScene_World(scene);
    double fps = couScene_Fps(scene);
    int frames = (int)couCountFrames(seconds, fps);
    for (int i = 0; i < frames && !couInterrupted(); ++i) {
        couStepReport report = couWorld_Advance(world, (i + 1) / fps - couWorld_Time(world));
        const char *error = couScene_RuntimeError(scene);
        if (!error && couStepReport_HasFailed(&report)) error = "the physics went wrong";
        if (!error) continue;
        couFaults_Add(faults, NULL, NULL, "at %g s: %s", couWorld_Time(world), error);
        return false;
    }
    return true;
}

int couViewSnapshot(const couViewOptions *options)
{
    couFaults faults = {0};
    couSceneOptions how = {.method = options->method,
                           .threads = options->threads,
                           .overrides = options->overrides.items,
                           .override_count = options->overrides.count,
                           .is_interrupted = couInterrupted};
    couScene *scene = couLoadScene(options->operand, &how, &faults);
    if (!scene || !couWorld_Prepare(couScene_World(scene), &faults)) {
        if (scene) couCloseScene(scene);
        return couFail(&faults, cou_exitBadInput);
    }
    couCatchInterrupts();
    couBounds bounds = couSceneBounds(scene, couScene_Duration(scene));
    bool is_good = advance(scene, options->seconds, &faults) &&
                   couDrawScene(scene, bounds, &options->pictures.style, options->snapshot, &faults);
    couCloseScene(scene);
    return is_good ? cou_exitWell : couFail(&faults, cou_exitFailed);
}
