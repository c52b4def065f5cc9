// Meshes: the first byte chooses the kind of the file. assimp runs in a process of its own, which is most of the time.
#include "fuzz.h"

#include "coulis/mesh_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"a.obj", "a.ply", "a.stl", "a.gltf", "a.glb", "a.3ds"};
    const char *name = names[couFuzz_Byte(&data, &size) % 6];
    const char *path = couFuzz_Write(name, data, size);
    couFaults faults = {0};
    couMesh *mesh = couReadMesh(path, NULL, &faults);
    if (mesh && couMesh_TriangleCount(mesh) < 2000) {
        couMesh_Inspect(mesh, 1);
        couMesh *closed = couMesh_CloseHoles(mesh);
        couBounds b = couMesh_Bounds(mesh);
        float side = fmaxf(b.upper.x - b.lower.x, fmaxf(b.upper.y - b.lower.y, b.upper.z - b.lower.z));
        couDistanceGrid_Release(couCreateDistanceGrid(closed ? closed : mesh, side / 8, 1 << 20, 1, &faults));
        couMesh_Release(closed);
    }
    couMesh_Release(mesh);
    couFaults_Clear(&faults);
    return 0;
}
