/// What one picture shows, ready for rays: particles, bodies and surfaces in Embree scenes, and the ground.
///
/// Two ways to set it up: a preview keeps clear bodies in a scene of their own, which only the rays that care for them search;
/// a final picture has all in one scene and time runs from 0 to 1 while the shutter is open.
#pragma once

#include "render/look.h"
#include "render/mist.h"
#include "render/view.h"

#include <embree3/rtcore.h>

typedef struct couStageBody {
    const couShape *shape;
    couPose pose;
    couVec3 velocity, spin; ///< [m/s], [rad/s]; zero when there is no motion blur
    float shutter_time;     ///< [s]
    couBounds bounds;       ///< of the world, over the whole shutter time [m]; unbounded shapes are clipped to a wide box
    couLook look;           ///< resolved
    int dimension;
    bool is_clear;
    bool is_unbounded;
    bool is_still;       ///< neither moves nor turns
    bool is_half_space;  ///< scenery that takes no light away: a room of planes would lie in the dark
    float thinness;      ///< of its thinnest wall [m]
    const couMesh *mesh; ///< what is drawn instead of the shape; else NULL
    couPose mesh_pose;   ///< of the world
    couVec3 *normals;    ///< at the mesh's vertices, of the mesh, outward; unit or zero
    bool is_faceted;     ///< drawn as triangles of the shape, with the shape's own normals unless
    bool is_even;        ///< they are the shape's faces
} couStageBody;

typedef struct couStageSurface {
    const couSurface *surface;
    couLook look; ///< resolved
    bool is_clear, is_colored;
    float gap; ///< that is closed [m]
} couStageSurface;

typedef struct couStage {
    RTCDevice device;
    RTCScene solid;        ///< particles and opaque bodies; of a final picture everything
    RTCScene behind;       ///< the same without clear liquids; NULL when there are none
    RTCScene glass;        ///< clear bodies of a preview; NULL when there are none
    couMist mist;          ///< clear liquids of a preview
    couVec4 *spheres;      ///< per drawn particle, discs first: centre, radius
    couVec3 *disc_normals; ///< of splats
    uint8_t *materials;    ///< per drawn particle
    couVec3 *colors;       ///< of their own, per drawn particle; NULL: the material's
    size_t sphere_count;   ///< with the discs
    size_t disc_count;
    size_t speck_begin; ///< spheres from here on are specks of foam
    couStageBody *bodies;
    int body_count, body_capacity;
    couStageSurface *surfaces;
    int surface_count;
    couBounds content;                                   ///< of particles, surfaces and bounded opaque bodies [m]
    couBounds solid_bounds, behind_bounds, glass_bounds; ///< of the scenes, over the whole shutter time: cheaper to miss than
                                                         ///< Embree [m]
    float tolerance;                                     ///< how near a surface counts as hit [m]
    bool is_final;
    float shutter_time; ///< that the shutter is open [s]
    bool has_ground;
    float ground; ///< height of the ground [m]
    couVec3 ground_color;
} couStage;

#define COU_PARTICLES_ID 0u ///< geometry id; body i has id i + 1, behind them come surfaces, then discs

typedef enum couHitKind { cou_hitNothing, cou_hitParticle, cou_hitBody, cou_hitSurface, cou_hitGround } couHitKind;

typedef struct couHit {
    couHitKind kind;
    int index;             ///< of the sphere, the stage's body or surface
    float distance;        ///< [m]
    couVec3 point, normal; ///< normal is unit and outward, smoothed over triangles
    couVec3 facet;         ///< the true normal: unit, outward
    couVec3 color;         ///< of a coloured surface
    bool is_back;          ///< met from inside, of triangles
} couHit;

/// How to set it up.
typedef struct couStageOptions {
    bool is_final;
    bool has_splats;    ///< the scene's splats take the place of its particles
    float shutter_time; ///< [s]
} couStageOptions;

/// False with a fault when memory or Embree fails. Clear it in any case.
bool couStage_Build(couStage *stage, RTCDevice device, const couPictureScene *scene, const couView *view, couStageOptions options,
                    couFaults *faults);
void couStage_Clear(couStage *stage);

/// First solid thing within `reach` [m]; `pixel` is the size of a pixel at distance 1, for the accuracy that is worth having.
couHit couStage_FindSolid(const couStage *stage, couRay ray, float reach, float pixel);
/// Likewise from a distance on, and through clear particles.
couHit couStage_FindBehind(const couStage *stage, couRay ray, float start, float reach, float pixel);
/// Blends the normal of a hit on a disc with those of the discs just behind it, which makes one surface of splats.
void couStage_BlendDiscs(const couStage *stage, couRay ray, couHit *hit);
/// First thing of a final picture, ground included, at a time 0 to 1 of the shutter. Half spaces are scenery: light that has been
/// scattered goes through them.
couHit couStage_FindAny(const couStage *stage, couRay ray, float time, float reach, float pixel, bool sees_half_spaces);
/// First glass surface, from inside or outside, between the distances. The hit's normal is outward.
couHit couStage_FindGlass(const couStage *stage, couRay ray, float start, float reach, float pixel);
/// Whether something solid is within `reach` [m], infinity for the sun; clear particles count only where they are seen.
bool couStage_IsBlocked(const couStage *stage, couRay ray, float reach, bool sees_clear);
bool couStage_IsBlockedAt(const couStage *stage, couRay ray, float reach, float time);
/// Share of the light that gets through the glass along the ray.
float couStage_GlassLight(const couStage *stage, couRay ray, float reach);
/// Share of the light that gets through the clear liquids along the ray between two distances.
float couStage_LiquidLight(const couStage *stage, couRay ray, float start, float reach);
bool couStage_IsClearParticle(const couStage *stage, int index); ///< of a preview
/// How far the ray is free before it meets the ground from above [m]; infinity when it does not.
float couStage_GroundDistance(const couStage *stage, couRay ray);

couVec3 couFiniteColor(couVec3 color); ///< 0 to 1, grey for NaN
/// Whether a drawn particle is a speck of foam.
static inline bool couStage_IsSpeck(const couStage *stage, int index) { return (size_t)index >= stage->speck_begin; }
/// Linear colour of a drawn particle: white of foam, its own, its material's, or grey.
couVec3 couStage_ParticleColor(const couStage *stage, const couPictureScene *scene, int index);
/// Of a hit on a surface: its own colours, or the look's.
static inline couVec3 couStageSurface_Color(const couStageSurface *surface, const couHit *hit)
{
    return surface->is_colored ? hit->color : surface->look.color;
}

// --- Bodies (stage_body.c) --------------------------------------------------------------------------------------------------

/// To `solid`, and to what is seen behind clear liquids.
void couStage_Attach(couStage *stage, RTCGeometry geometry, unsigned id);

/// What a search hands to the bodies that it meets.
typedef struct couTrace {
    struct RTCIntersectContext context; ///< first: Embree hands back a pointer to it
    const couStage *stage;
    float pixel;
    bool sees_half_spaces;
    bool sees_clear; ///< particles of clear liquids
    float mist;      ///< what those have held back, as a power of e, for couStage_LiquidLight
    float light;     ///< what glass has let through, for couStage_GlassLight
} couTrace;

bool couStage_AddBodies(couStage *stage, const couPictureScene *scene, const couView *view);
/// Fills normal and facet of a hit on a body.
void couStageBody_Describe(const couStageBody *body, const struct RTCRayHit *found, couVec3 direction, couHit *hit);
