/// What one picture shows, ready for rays: particles and bodies in Embree scenes, and the ground.
#pragma once

#include "render/view.h"

#include <embree3/rtcore.h>

typedef struct couStageBody {
    const couShape *shape;
    couPose pose;
    couBounds bounds; ///< of the world [m]; unbounded shapes are clipped to a wide box
    couVec3 color;
    float opacity;
    int dimension;
    bool is_unbounded;
    bool is_half_space;  ///< scenery that takes no light away: a room of planes would lie in the dark
    float thinness;      ///< of its thinnest wall [m]
    const couMesh *mesh; ///< what is drawn instead of the shape, which is this mesh and opaque; else NULL
    couPose mesh_pose;   ///< of the world
    couVec3 *normals;    ///< at the mesh's vertices, of the mesh, outward; unit or zero
} couStageBody;

typedef struct couStage {
    RTCDevice device;
    RTCScene solid;         ///< particles and opaque bodies
    RTCScene glass;         ///< translucent bodies; NULL when there are none
    const couVec4 *spheres; ///< of Embree, per drawn particle: centre, radius
    uint8_t *materials;     ///< per drawn particle
    size_t sphere_count;
    couStageBody *bodies;
    int body_count;
    couBounds content; ///< of particles and bounded opaque bodies [m]
    float tolerance;   ///< how near a surface counts as hit [m]
    bool has_ground;
    float ground; ///< height of the ground [m]
    couVec3 ground_color;
} couStage;

typedef enum couHitKind { cou_hitNothing, cou_hitParticle, cou_hitBody } couHitKind;

typedef struct couHit {
    couHitKind kind;
    int index;             ///< of the sphere or the stage's body
    float distance;        ///< [m]
    couVec3 point, normal; ///< normal is unit and outward
} couHit;

/// False with a fault when memory or Embree fails. Clear it in any case.
bool couStage_Build(couStage *stage, RTCDevice device, const couPictureScene *scene, const couView *view, couFaults *faults);
void couStage_Clear(couStage *stage);

/// First solid thing within `reach` [m]; `pixel` is the size of a pixel at distance 1, for the accuracy that is worth having.
couHit couStage_FindSolid(const couStage *stage, couRay ray, float reach, float pixel);
/// First glass surface, from inside or outside, between the distances. The hit's normal is outward.
couHit couStage_FindGlass(const couStage *stage, couRay ray, float start, float reach, float pixel);
/// Whether something solid is within `reach` [m], infinity for the sun.
bool couStage_IsBlocked(const couStage *stage, couRay ray, float reach);
/// Share of the light that gets through the glass along the ray.
float couStage_GlassLight(const couStage *stage, couRay ray, float reach);
/// How far the ray is free before it meets the ground from above [m]; infinity when it does not.
float couStage_GroundDistance(const couStage *stage, couRay ray);

couVec3 couFiniteColor(couVec3 color); ///< 0 to 1, grey for NaN
