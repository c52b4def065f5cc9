// Scenes: the text of a Lua file, loaded, prepared and, when it is small, stepped. Limits are low, so that an endless loop does
// not take all of the time.
#include "fuzz.h"

#include "coulis/scene.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    couFaults faults = {0};
    const couOverride few = {"max_particles", "2000"};
    couSceneOptions options = {
        .threads = 1, .overrides = &few, .override_count = 1, .max_mesh_bytes = 1 << 18, .max_instructions = 200000};
    couScene *scene = couLoadScene(couFuzz_Write("scene.lua", data, size), &options, &faults);
    if (scene && couScene_Prepare(scene, &faults)) {
        couWorld *world = couScene_World(scene);
        bool is_small = couWorld_Particles(world).count <= 500 && couWorld_BodyCount(world) <= 20;
        for (int k = 0; is_small && k < 2; ++k) couWorld_Step(world, 1e-3f);
    }
    if (scene) couCloseScene(scene);
    couFaults_Clear(&faults);
    return 0;
}
