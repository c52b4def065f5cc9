/// A scene before the camera: the room to show, the bodies to draw, a studio with the scene's materials. For `coulis run` and
/// `coulis render`.
#pragma once

#include "io/body_files.h"
#include "render/studio.h"

/// What an automatic camera shows: the fluid, bodies and emitters of a scene that has not run yet.
couBounds couSceneBounds(couScene *scene, double seconds);

/// The visible bodies and blowers of the world as it is now; the renderer makes the ground of a floor. Free with free(); NULL
/// without memory.
couPictureBody *couCollectBodies(const couWorld *world, int *count);

/// The surfaces of the world's solids as they are now. Free with couSolidCast_Clear().
typedef struct couSolidCast {
    couSurface *surfaces;
    couPictureSurface *drawn;
    int count;
    couLegend *legends; ///< of the scales that they are coloured by, each once
    int legend_count;
} couSolidCast;

couSolidCast couCollectSolids(const couWorld *world);
/// Bodies and these solids, for the studio.
couProps couMakeProps(const couPictureBody *bodies, int count, const couSolidCast *solids);
/// Puts the solids of the world, which stands for the run's, to where solids_000012.vtu has them. False where there is no such
/// file, or, with a warning, where it is not one of these solids.
bool couPoseSolids(couWorld *world, const char *folder, int frame);
/// The surfaces there; none where that failed.
couSolidCast couFindSolids(couWorld *world, const char *folder, int frame);
void couSolidCast_Clear(couSolidCast *cast);

/// The bodies, and the visible blowers, that a scene begins with, for frames that were written earlier: by then some may have
/// left the world. Free with couCast_Clear().
typedef struct couCast {
    struct couCastMember {
        char name[COU_NAME_SIZE];
        couShape *shape;
        couLook look;
        bool is_still; ///< a blower: no body, always at the pose
        couPose pose;
    } * members;
    int count;
} couCast;

couCast couGatherCast(const couWorld *world);
void couCast_Clear(couCast *cast);
/// Where bodies.csv has the bodies of a run at a frame, with shape and look of the cast's body of that name; free with free().
/// NULL for none, or without memory.
couPictureBody *couFindBodies(const couCast *cast, const couBodyTable *table, int frame, int *count);

/// A studio with the scene's materials and its camera, or the one given. NULL with faults.
couStudio *couOpenSceneStudio(couScene *scene, couBounds bounds, const couCamera *camera, const couPictureStyle *style,
                              const couSurfaceDef *surface, const couColors *colors, double fps, couFaults *faults);
/// A picture of the scene as it is now, as PNG. False with faults.
bool couDrawScene(couScene *scene, couBounds bounds, const couPictureStyle *style, const char *path, couFaults *faults);
