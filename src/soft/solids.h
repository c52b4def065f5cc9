/// The deformable solids of a world: what they are, where their points are, how they move.
#pragma once

#include "base/arena.h"
#include "rigid/bodies.h"
#include "soft/elastic.h"

/// What holds points; they carry its number + 1.
typedef struct couHold {
    couMotionFcn *motion;
    void *context;
    couPose start; ///< of the motion when the hold was made
} couHold;

typedef struct couSolid {
    couSlot slot;
    couSolidDef def;
    couRegions regions; ///< kept for the model voronoi alone
    couElastic elastic;
    double *masses;
    couDouble3 *rest, *position, *velocity; ///< [m], [m/s]
    couDouble3 *push;                       ///< lasting forces [N]
    couDouble3 *drift;                      ///< velocity over the last step of the world, as the liquid sees it [m/s]
    couDouble3 *load;                       ///< what the liquid pushes with in this step [N]
    couDouble3 *anchor;                     ///< of held points: where they were when the hold was made; of dragged ones: the aim
    uint32_t *hold;                         ///< of each point: 0: free
    float *drag_speed;                      ///< of dragged points [m/s]
    couDouble3 *forces;                     ///< scratch
    COU_ARRAY(couHold) holds;
    uint32_t *outer; ///< points of the surface
    size_t outer_count;
    double frequency; ///< the largest [rad/s]
    double step;      ///< the longest that it takes [s]
} couSolid;

#define COU_DRAGGED UINT32_MAX ///< instead of a hold's number

typedef struct couSolids {
    couMemory *memory;
    couArena *scratch;
    int dimension;
    couVec3 gravity;
    couSolid *items;
    size_t count, capacity;
} couSolids;

void couSolids_Free(couSolids *solids);
/// The def is checked already; its mesh is retained. NULL with a fault.
couSolid *couSolids_Add(couSolids *solids, const couSolidDef *def, const couParallel *parallel, couFaults *faults);
couSolid *couSolids_Find(const couSolids *solids, couSolidId id);
couSolid *couSolids_FindName(const couSolids *solids, const char *name);
couSolidId couSolids_Id(const couSolids *solids, const couSolid *solid);
static inline couElasticState couSolid_State(const couSolid *solid)
{
    return (couElasticState){solid->rest, solid->position, solid->velocity};
}

/// One step of the world, in as many substeps as each solid needs, with contacts and what they do to bodies. False without
/// memory.
bool couSolids_Step(couSolids *solids, couBodies *bodies, const couParallel *parallel, double time, float dt,
                    couStepReport *report);
/// Puts points that are inside of bodies onto their surface, at a share 0 to 1 of the step of dt (contact.c). False without
/// memory.
bool couTouchBodies(couSolids *solids, couSolid *solid, couBodies *bodies, const couParallel *parallel, double share, float dt);
/// True when two solids may touch within dt (solid_contact.c).
bool couSolids_AreClose(const couSolids *solids, double dt);
/// Moves solids apart that overlap, and takes the speed with which they approach. False without memory.
bool couTouchSolids(couSolids *solids);
/// A free point that may be in a solid.
typedef struct couLoosePoint {
    couDouble3 *position, *velocity; ///< [m], [m/s]
    double inv_mass;                 ///< [1/kg]
    double restitution, friction;    ///< Coulomb's
    double stickiness;               ///< share of the sliding that is taken, 0 to 1
} couLoosePoint;

/// Puts points that are inside of the solid onto its surface, one after the other, and takes the speed with which they go in:
/// equal and opposite. Both are between lower and upper. False without memory.
bool couTouchPoints(couSolids *solids, couSolid *solid, const couLoosePoint *points, size_t count, couDouble3 lower,
                    couDouble3 upper);
/// Of the fastest point of the surface [m/s].
float couSolids_MaxSpeed(const couSolids *solids);
/// How many cells are inside out now.
size_t couSolid_CountInverted(const couSolid *solid);

// --- State (solid_state.c) ---------------------------------------------------------------------------------------------------

bool couSolids_Save(const couSolids *solids, couState *state); ///< nothing where there are none
bool couSolids_CheckSaved(const couSolids *solids, const couState *state, couFaults *faults);
void couSolids_Load(couSolids *solids, const couState *state); ///< after couSolids_CheckSaved()
