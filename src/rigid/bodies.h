/// The bodies of a world and the joints between them: what they are, where they are, how they move. They know nothing of the
/// fluid, which leaves its impulses here and reads their poses.
#pragma once

#include "base/arena.h"
#include "base/slots.h"
#include "rigid/probes.h"
#include "rigid/solver.h"

typedef struct couBody {
    couSlot slot;
    couBodyDef def;
    couPose start, end;   ///< at the beginning and the end of the current step
    couPose pose;         ///< now
    float friction_share; ///< of the sliding that this step's contact takes; the same per second whatever the step
    couRigidKind kind;
    couRigidState state;  ///< of the centre of mass (free) or the shape's origin, at the beginning of the step while it goes on
    couVec3 local_center; ///< centre of mass in the shape's frame; zero unless free [m]
    double mass;          ///< [kg], free bodies
    double inertia[6];    ///< about the centre of mass in the shape's frame [kg m^2]
    double still_seconds; ///< how long it has hardly moved; asleep once its whole heap has been still long enough
    bool is_asleep;
    couProbes probes;                ///< for contacts with other bodies
    couVec3 ball_center;             ///< of a ball around the shape, in its frame [m]
    float ball_radius;               ///< infinite for unbounded shapes [m]
    couVec3 start_center;            ///< at the beginning of the step: what the moments of `pushed` are taken about [m]
    double pushed[6];                ///< by the fluid method in this step, impulse and moment about the centre [N s, N m s]
    double given[6];                 ///< of this step's impulses, those that do not depend on how the body moves
    double taken[6];                 ///< what the step has put into a free body's velocity already
    double impulse[6];               ///< all that the fluid gave in this step
    double sum[6];                   ///< of those since the last reset
    couVec3 force, torque;           ///< means over the last advance or step [N, N m]
    couVec3 step_force, step_torque; ///< of the last step alone
} couBody;

/// A part of a body's surface whose share of the fluid's impulses is kept apart (patches.h).
typedef struct couPatch {
    couShape *shape; ///< what it covers; NULL: a free place
    size_t body;
    couPose pose;     ///< of the shape in the body's frame
    float edge;       ///< width over which what is at its edge counts in part [m]
    double pushed[6]; ///< as those of couBody
    double impulse[6];
} couPatch;

typedef struct couJoint {
    couSlot slot;
    couRigidJoint joint;
} couJoint;

typedef struct couBodies {
    couMemory *memory;
    couArena *scratch; ///< of the step
    int dimension;
    couVec3 gravity; ///< [m/s^2]
    int seed;        ///< of the order in which contacts are solved
    couBody *items;
    size_t count, capacity; ///< count: places, also those of removed bodies
    COU_ARRAY(couJoint) joints;
    COU_ARRAY(couPatch) patches;
    int free_count;                      ///< bodies that move freely now
    double least_mass;                   ///< of those [kg]
    uint64_t change_count;               ///< bodies that came, went or were changed, for who keeps something about them
    COU_ARRAY(couRigidContact) contacts; ///< scratch: between bodies
} couBodies;

void couBodies_Free(couBodies *bodies);

// --- Bodies (bodies.c) -------------------------------------------------------------------------------------------------------

/// A body at its place at this time. NULL with a fault. The def is checked already; its shape is retained.
couBody *couBodies_Add(couBodies *bodies, const couBodyDef *def, double time, couFaults *faults);
/// Its joints go with it.
void couBodies_Remove(couBodies *bodies, couBody *body);
couBody *couBodies_Find(const couBodies *bodies, couBodyId id); ///< NULL where it is gone
couBody *couBodies_FindName(const couBodies *bodies, const char *name);
couBodyId couBodies_Id(const couBodies *bodies, const couBody *body); ///< null for NULL

/// False with a fault where the shape has no mass.
bool couMakeFree(couBodies *bodies, couBody *body, couFaults *faults);
void couMakeFixed(couBodies *bodies, couBody *body);
/// Free bodies are never lighter: those that are, now or later, move as with this mass [kg], and whoever reads the log is told.
void couBodies_SetLeastMass(couBodies *bodies, double mass);
void couWakeBodies(couBodies *bodies);

/// True for those that gravity and fluid move.
static inline bool couIsFree(const couBody *body) { return body->slot.is_here && body->kind == cou_rigidFree; }
couVec3 couBodyCenter(const couBody *body, couPose pose); ///< where its moments are taken about [m]
void couSetBodyState(couBody *body, couPose pose);        ///< place of its centre of mass, or its shape's origin, at this pose
couPose couRigidPose(const couRigidState *state, couVec3 local_center);
void couInertiaToWorld(const couBody *body, const double rotation[4], double inertia[3][3]);
/// Of its surface at x in a step of dt [m/s].
couVec3 couWallVelocity(const couBody *body, couVec3 x, float dt);
/// Of the fastest point of a body that moves [m/s].
float couBodies_MaxSpeed(const couBodies *bodies);
couMeasurement couBodies_Measure(const couBodies *bodies);

// --- Distances (body_distance.c) ---------------------------------------------------------------------------------------------

/// A ball around some points, for leaving out bodies that are far from all of them.
typedef struct couBall {
    couVec3 center;
    float radius;
} couBall;
couBall couEnclose(const couVec4 *x, size_t begin, size_t end);
/// How far from a point at this distance of the body the way is surely free; negative inside.
float couClearance(const couBody *body, float distance);
float couClearanceAt(const couBody *body, int dimension, couPose pose, couVec3 x);
/// True when the ball around a body and this one are farther apart than `reach`.
bool couIsBallFar(const couBody *body, couPose pose, couBall ball, float reach);
/// True when x is closer than `margin` to a body, or inside.
bool couIsInsideBody(const couBodies *bodies, couVec3 x, float margin);
/// True when a body lies between a and b.
bool couIsBlocked(const couBodies *bodies, couVec3 a, couVec3 b);

// --- Motion (dynamics.c, sleep.c, impulse.c) ---------------------------------------------------------------------------------

/// Start and expected end poses of a step from `time` on, by their functions and velocities alone.
void couPredictBodies(couBodies *bodies, double time, float dt);
/// Contacts, joints and final places of free bodies. `step_index` goes into the solver's order. False without memory.
bool couMoveFreeBodies(couBodies *bodies, float dt, uint64_t step_index, couStepReport *report);
/// Contacts of the bodies where they are, into bodies->contacts. False without memory.
bool couFindBodyContacts(couBodies *bodies);
/// Velocity and spin change by an impulse and its moment about the centre of mass.
void couAddImpulse(couBody *body, int dimension, const double impulse[6]);
/// Forces and torques from what the fluid gave in these seconds; the sums begin anew.
void couBodies_SettleForces(couBodies *bodies, double seconds);

/// One substep of the solver, as sleep needs it.
typedef struct couRigidStep {
    couBodies *bodies;
    couRigidBody *problem; ///< the bodies as the solver sees them
    couRigidJoint *joints;
    int *islands, *supports; ///< scratch of sleep, per body
    bool *is_held;           ///< bodies that a contact or joint holds in this step
} couRigidStep;
#define COU_RIGID_SLOP 2e-4f ///< overlap that is left alone / size of the smallest free body
bool couIsMoving(const couBody *body);
float couBodySize(const couBody *body);         ///< [m]
float couSmallestFree(const couBodies *bodies); ///< size of the smallest free body [m]
/// Counts the time that each body has been still, and lets whole islands rest.
void couUpdateSleep(couRigidStep *step, double dt);
/// Whom a moving body touches or pulls wakes up before the solver runs. True when somebody did, who may touch others in turn.
bool couWakeTouched(couBodies *bodies);

// --- Joints (joints.c) -------------------------------------------------------------------------------------------------------

couJoint *couBodies_AddJoint(couBodies *bodies, const couJointDef *def, couFaults *faults);
void couBodies_RemoveJoint(couBodies *bodies, couJoint *joint);
couJoint *couBodies_FindJoint(const couBodies *bodies, couJointId id);
couJoint *couBodies_FindJointName(const couBodies *bodies, const char *name);
couJointId couBodies_JointId(const couBodies *bodies, const couJoint *joint);

// --- State (body_state.c) ----------------------------------------------------------------------------------------------------

bool couBodies_Save(const couBodies *bodies, couState *state);
bool couBodies_CheckSaved(const couBodies *bodies, const couState *state, couFaults *faults);
bool couBodies_Load(couBodies *bodies, const couState *state, couFaults *faults); ///< after couBodies_CheckSaved()
