// Meshes of solids: the first byte chooses the kind of the file, the dimension and the model. A mesh that is taken becomes a
// solid of a small world, which makes a few steps and is written as a frame.
#include "fuzz.h"

#include "coulis/solid_file.h"

static void step_solid(couSolidMesh *mesh, int dimension, int model)
{
    couFaults faults = {0};
    couWorldDef def = couDefaultWorldDef();
    def.dimension = dimension, def.threads = 1;
    couWorld *world = couCreateWorld(&def, &faults);
    couSolidDef solid = couDefaultSolidDef();
    solid.mesh = mesh, solid.model = model;
    if (world && couWorld_AddSolid(world, &solid, &faults).index1 && couWorld_Prepare(world, &faults)) {
        couSolidId id = couWorld_SolidAt(world, 0);
        for (int k = 0; k < 3; ++k) couWorld_Step(world, (float)fmin(2 * couWorld_SolidStep(world, id), 0.01));
        couWorld_MeasureSolid(world, id);
        couWriteSolids(couFuzz_Write("frame.vtu", "", 0), world, &faults);
    }
    couFaults_Clear(&faults);
    if (world) couDestroyWorld(world);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t choice = couFuzz_Byte(&data, &size);
    int dimension = choice & 2 ? 2 : 3;
    const char *path = couFuzz_Write(choice & 1 ? "a.vtu" : "a.msh", data, size);
    couFaults faults = {0};
    couSolidMesh *mesh = couReadSolidMesh(path, dimension, &faults);
    if (mesh && couSolidMesh_CellCount(mesh) < 300) {
        couSolidMesh_Inspect(mesh);
        step_solid(mesh, dimension, (choice >> 2) % 5);
    }
    couSolidMesh_Release(mesh);
    couFaults_Clear(&faults);
    return 0;
}
