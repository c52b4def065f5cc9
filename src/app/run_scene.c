// The scene of a run that was written before, as its command.txt has it: for commands that make something of a run's frames and
// need its materials, bodies and camera.
#include "app/run.h"

#include <unistd.h>

bool couIsRunFolder(const char *path)
{
    char command[COU_PATH_SIZE];
    return couIsFolder(path) && access(couJoin(command, path, "command.txt"), F_OK) == 0;
}

// Looks, shapes and camera are those that the scene has now; a change since the run is worth a warning.
static void compare_with_checkpoint(couScene *scene, const char *folder, const char *what)
{
    char checkpoint[COU_PATH_SIZE];
    couCheckpointInfo info;
    couFaults ignored = {0}; // the checkpoint is not needed
    bool has_info = access(couJoin(checkpoint, folder, "checkpoint.h5"), R_OK) == 0 &&
                    couReadCheckpoint(checkpoint, &info, NULL, &ignored);
    if (has_info && info.scene_hash != couScene_ContentHash(scene))
        couWarn("%s has changed since the run: %s as it has them now", couScene_Path(scene), what);
    couFaults_Clear(&ignored);
}

couScene *couLoadRunScene(const char *command, const char *folder, const char *scene_path, const char *what, int threads,
                          couRunOptions *run, couFaults *faults)
{
    if (!couReadOldCommand(run, folder, faults)) return NULL;
    couSplitOverrides(command, &run->sets, &run->overrides, faults);
    if (faults->count > 0) return NULL;
    const char *path = scene_path ? scene_path : run->scene;
    couSceneOptions how = {
        .method = run->method, .threads = threads, .overrides = run->overrides.items, .override_count = run->overrides.count};
    couScene *scene = path ? couLoadScene(path, &how, faults) : NULL;
    if (scene)
        compare_with_checkpoint(scene, folder, what);
    else
        couFaults_Add(faults, command, "--scene",
                      "the run's scene is needed for its materials, bodies and camera; is it elsewhere now? --scene FILE says "
                      "where");
    return scene;
}
