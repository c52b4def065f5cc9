/// stage.json: what a picture of a run's frames needs besides them (docs/files.md): scale, materials, bodies, camera.
#pragma once

#include "coulis/coulis.h"

typedef struct couStageFileMaterial {
    char name[COU_NAME_SIZE];
    float density;   ///< [kg/m^3]
    float viscosity; ///< [Pa s]
    couLook look;    ///< NaN where it is automatic
} couStageFileMaterial;

typedef struct couStageFileBody {
    char name[COU_NAME_SIZE];
    int index;       ///< its place in the world, from 0, and times 65536 how many bodies were there before it
    int first_frame; ///< with this body
    bool is_moving;
    char mesh[80]; ///< file in the run's folder, in the body's own frame; "" for a body that is not drawn
    couLook look;  ///< NaN where it is automatic
} couStageFileBody;

/// A deformable solid; its points are those of solids_000001.vtu from first_point on.
typedef struct couStageFileSolid {
    char name[COU_NAME_SIZE];
    int first_point, point_count;
    char mesh[80]; ///< file in the run's folder, all points and the outer triangles; "" for a solid that is not drawn
    couLook look;  ///< NaN where it is automatic
} couStageFileSolid;

typedef struct couStageFileCamera {
    double time; ///< [s]
    couVec3 from, to;
    float fov;      ///< vertical field of view [degrees]
    float aperture; ///< diameter of the lens [m]; 0: all is in focus
    float focus;    ///< distance of what is sharp [m]; 0: as far as `to`
} couStageFileCamera;

/// Zero-initialise; free with couStageFile_Clear().
typedef struct couStageFile {
    char scene[512];
    int dimension;
    float spacing; ///< [m]
    double fps;
    couStageFileMaterial *materials;
    int material_count;
    couStageFileBody *bodies;
    int body_count;
    couStageFileSolid *solids;
    int solid_count;
    couStageFileCamera *cameras; ///< in the order of time, one when it does not move; none: the scene has no camera
    int camera_count;
} couStageFile;

bool couWriteStage(const char *path, const couStageFile *stage, couFaults *faults);
/// False with a fault when it is missing, damaged, or its numbers cannot be; nothing is held then.
bool couReadStage(const char *path, couStageFile *stage, couFaults *faults);
void couStageFile_Clear(couStageFile *stage);

/// Appends a zeroed entry; NULL without memory.
couStageFileMaterial *couStageFile_AddMaterial(couStageFile *stage);
couStageFileBody *couStageFile_AddBody(couStageFile *stage);
couStageFileSolid *couStageFile_AddSolid(couStageFile *stage);
couStageFileCamera *couStageFile_AddCamera(couStageFile *stage);
