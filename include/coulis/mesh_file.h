/// Triangle meshes from files: .obj, .ply, .stl, .gltf, .glb, .3ds.
#pragma once

#include "coulis/mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum couMeshCenter {
    cou_centerNone,   ///< where the file has it
    cou_centerBounds, ///< the middle of its bounds at the origin
    cou_centerGround, ///< the middle of its bounds above the origin, on the plane y = 0
} couMeshCenter;

/// First scaled, then turned about the origin, then centred.
typedef struct couMeshPlacement {
    float scale; ///< default 1
    float size;  ///< the largest side of the bounds before turning [m]; instead of scale when > 0, default 0
    couQuat turn;
    couMeshCenter center;
} couMeshPlacement;

COU_API couMeshPlacement couDefaultMeshPlacement(void);
COU_API void couPlaceVertices(couVec3 *vertices, size_t count, const couMeshPlacement *placement);

/// All triangles of the file, each in its place in the scene that the file describes, as one mesh; polygons are cut into
/// triangles, lines and points left out, vertices at the same place joined. `placement` NULL: the default. NULL and one fault,
/// with the path as `where`, when the file is missing, of another kind, damaged, larger than 2 GiB or without triangles. Reads no
/// file outside the folder of this one. The file is taken apart in a process of its own, so that a reader that crashes on
/// rubbish, hangs or wants more memory than the file can be worth does no harm.
COU_API couMesh *couReadMesh(const char *path, const couMeshPlacement *placement, couFaults *faults);

/// By its name; a .ply only when its head announces faces, as particles are stored in such files too.
COU_API bool couIsMeshFile(const char *path);

#ifdef __cplusplus
}
#endif
