// coulis view SCENE --snapshot FILE: what the viewer shows, by the program's own renderer: particles as spheres, the bodies, the
// scene's camera. For machines without a browser, and scripts.
#include "app/view.h"

#include <stdio.h>
#include <stdlib.h>

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

static bool draw(const couViewOptions *options, couScene *scene, couBounds bounds, couFaults *faults)
{
    couWorld *world = couScene_World(scene);
    couSurfaceDef surface = couProgramSurfaceDef();
    surface.spacing = couWorld_Def(world)->spacing;
    couColors colors = couDefaultColors();
    couStudio *studio = couOpenSceneStudio(scene, bounds, NULL, &options->pictures.style, &surface, &colors, couScene_Fps(scene),
                                           faults);
    couFrame frame = {0};
    couImage image = {0};
    int count = 0;
    couPictureBody *bodies = couCollectBodies(world, &count);
    couSolidCast solids = couCollectSolids(world);
    couProps props = {bodies, count, solids.drawn, solids.count};
    bool is_good = studio && bodies && couCaptureFrame(world, &frame) &&
                   couStudio_Draw(studio, &frame, NULL, NULL, 1, props, &image, NULL, faults) &&
                   couWritePng(options->snapshot, &image, faults);
    couFreeImage(&image);
    couFreeFrame(&frame);
    couSolidCast_Clear(&solids);
    free(bodies);
    couCloseStudio(studio);
    return is_good;
}

int couViewSnapshot(const couViewOptions *options)
{
    couFaults faults = {0};
    couSceneOptions how = {.method = options->method,
                           .threads = options->threads,
                           .overrides = options->overrides.items,
                           .override_count = options->overrides.count};
    couScene *scene = couLoadScene(options->operand, &how, &faults);
    if (!scene || !couWorld_Prepare(couScene_World(scene), &faults)) {
        if (scene) couCloseScene(scene);
        return couFail(&faults, cou_exitBadInput);
    }
    couCatchInterrupts();
    couBounds bounds = couSceneBounds(scene, couScene_Duration(scene));
    bool is_good = advance(scene, options->seconds, &faults) && draw(options, scene, bounds, &faults);
    couCloseScene(scene);
    return is_good ? cou_exitWell : couFail(&faults, cou_exitFailed);
}
