// Forged states: what a checkpoint holds whose seal is right and whose content is wild. A small world is saved, its arrays are
// changed as the bytes say, and a world that takes them goes on for ten steps.
#include "fuzz.h"

#include "coulis/scene.h"

static const char text[] =
    "scene { spacing = 0.05, duration = 1, seed = 3 }\n"
    "local honey = material('honey', { springs = 'plastic', shear_modulus = 100 })\n"
    "body { name = 'floor', shape = plane { normal = {0, 1, 0} } }\n"
    "body { name = 'ball', shape = sphere { radius = 0.08 }, at = {0.3, 0.2, 0}, fixed = false }\n"
    "body { name = 'bob', shape = box { size = {0.1, 0.1, 0.1} }, at = {-0.3, 0.4, 0}, fixed = false }\n"
    "joint { kind = 'hinge', a = 'bob', at = {-0.3, 0.6, 0}, axis = {0, 0, 1} }\n"
    "fluid { material = 'water', shape = box { size = {0.15, 0.15, 0.15} }, at = {0, 0.1, 0} }\n"
    "fluid { material = honey, shape = box { size = {0.12, 0.12, 0.12} }, at = {0, 0.3, 0} }\n"
    "emitter { material = 'water', shape = disk { radius = 0.06 }, at = {0, 0.6, 0}, direction = {0, -1, 0}, speed = 1 }\n"
    "blower { name = 'fan', shape = box { size = {0.2, 0.2, 0.2} }, at = {0, 0.1, 0}, acceleration = 20, period = 0.01 }\n"
    "solid { name = 'jelly', shape = box { size = {0.1, 0.1, 0.1} }, cells = {2, 2, 2}, at = {0.5, 0.06, 0},\n"
    "    fixed = box { size = {0.02, 0.2, 0.2} }:at {0.45, 0.06, 0} }\n"
    "every(0.01, function(world) world.store.n = (world.store.n or 0) + 1 end)\n";

static couScene *load(const char *method)
{
    couFaults faults = {0};
    const couOverride few = {"max_particles", "500"};
    couSceneOptions options = {
        .method = method, .threads = 1, .overrides = &few, .override_count = 1, .max_instructions = 100000};
    couScene *scene = couLoadScene(couFuzz_Write("scene.lua", text, sizeof text - 1), &options, &faults);
    if (!scene || !couScene_Prepare(scene, &faults)) {
        fprintf(stderr, "%s\n", faults.count > 0 ? faults.items[0].message : "?");
        abort();
    }
    return scene;
}

// Changes one array of the state: its bytes, its rows, its type, or that it is there.
static void forge(couState *state, const uint8_t **data, size_t *size)
{
    couStateArray *array = &state->arrays[couFuzz_Byte(data, size) % state->count];
    size_t row = (size_t)array->components * couStateType_Size(array->type), bytes = array->count * row;
    switch (couFuzz_Byte(data, size) % 8) {
    case 0: array->count = array->count > 0 ? couFuzz_Byte(data, size) % array->count : 0; break;
    case 1: array->components = 1 + couFuzz_Byte(data, size) % (array->components > 0 ? array->components : 1); break;
    case 2: array->name[0] = '?'; break;
    default:
        for (int k = 1 + couFuzz_Byte(data, size) % 16; k > 0 && bytes > 0 && array->data; --k) {
            size_t at = (size_t)couFuzz_Byte(data, size) << 8 | couFuzz_Byte(data, size);
            size_t item = couStateType_Size(array->type), place = at % (bytes / item) * item;
            for (size_t i = 0; i < item; ++i) ((uint8_t *)array->data)[place + i] = couFuzz_Byte(data, size);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const methods[] = {"pvfs", "dfsph", "iisph", "wcsph", "pcisph"};
    const char *method = methods[couFuzz_Byte(&data, &size) % 5];
    couScene *scene = load(method);
    for (int k = 0; k < 3; ++k) couWorld_Step(couScene_World(scene), 2e-3f);
    couState state = {0};
    if (!couWorld_SaveState(couScene_World(scene), &state)) abort();
    couCloseScene(scene);
    for (int k = 0; k < 4 && size > 0; ++k) forge(&state, &data, &size);

    couFaults faults = {0};
    scene = load(method);
    couWorld *world = couScene_World(scene);
    if (couWorld_LoadState(world, &state, &faults)) {
        couScene_LoadStore(scene, data, size, &faults); // what is left of the bytes; mostly refused
        for (int k = 0; k < 10; ++k) {
            couStepReport report = couWorld_Step(world, 2e-3f);
            if (couStepReport_HasFailed(&report) || couScene_RuntimeError(scene)) break; // as a run does
        }
        couWorld_Measure(world);
        couState after = {0};
        if (couWorld_SaveState(world, &after)) couState_Hash(&after);
        couState_Clear(&after);
    }
    couState_Clear(&state);
    couFaults_Clear(&faults);
    couCloseScene(scene);
    return 0;
}
