/// The inside of a world.
#pragma once

#include "fluid/fluid.h"
#include "fluid/sph.h"
#include "fluid/springs.h"
#include "rigid/probes.h"
#include "shape/samples.h"
#include "rigid/solver.h"

/// A cube of an unbounded body's frame that has been sampled.
typedef struct couTile {
    int32_t place[3];
} couTile;

typedef struct couBody {
    couBodyDef def;
    uint16_t generation;
    bool is_here;         ///< false once removed
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
    couProbes probes;      ///< for contacts with other bodies
    couVec3 ball_center;   ///< of a ball around the shape, in its frame [m]
    float ball_radius;     ///< infinite for unbounded shapes [m]
    couSamples samples;    ///< for the SPH methods, in the shape's frame
    float *sample_volumes; ///< [m^n]
    couTile *tiles;        ///< of an unbounded shape
    size_t tile_count, tile_capacity;
    bool is_sampled;
    double taken[6];   ///< impulse and its moment about the centre that the step has put into a free body already [N s, N m s]
    double given[6];   ///< impulse and moment of this step that do not depend on how the body moves [N s, N m s]
    double impulse[6]; ///< what the fluid gave in this step, force and moment [N s, N m s]
    double sum[6];     ///< of those since the last reset
    couVec3 force, torque; ///< means over the last advance or step [N, N m]
} couBody;

typedef struct couJoint {
    couRigidJoint joint;
    uint16_t generation;
    bool is_here;
} couJoint;

typedef struct couEmitter {
    couEmitterDef def;
    bool is_on;
    double travelled; ///< length of jet not yet filled with layers [m]; of a volume: how often it was filled
    uint64_t emitted;
    bool is_filled; ///< a volume emitter has done its work
} couEmitter;

typedef struct couSink {
    couSinkDef def;
} couSink;

typedef struct couField {
    couFieldDef def;
} couField;

typedef struct couEvent {
    double next, period; ///< [s]; next is infinite once done
    couEventFcn *function;
    void *context;
} couEvent;

struct couWorld {
    couMemory memory;
    couWorldDef def;
    couFluid fluid;
    couRandom random;
    double time;
    uint64_t step_count;
    bool is_prepared;
    bool is_stepping;
    char choices[2048];
    bool wants_springs[COU_MAX_MATERIALS]; ///< "add springs now", done in the next step's spring phase
    couBody *bodies;
    size_t body_count, body_capacity;
    couJoint *joints;
    size_t joint_count, joint_capacity;
    int free_count; ///< bodies that move freely now
    couEmitter *emitters;
    size_t emitter_count, emitter_capacity;
    couSink *sinks;
    size_t sink_count, sink_capacity;
    couField *fields;
    size_t field_count, field_capacity;
    couEvent *events;
    size_t event_count, event_capacity;
    float fluid_top, fluid_bottom; ///< of what was filled in before the first step [m]; top < bottom: none
    float fluid_speed;             ///< fastest fluid that was filled in [m/s]
    uint8_t *flags;                ///< scratch, one byte a particle
    size_t flag_capacity;
    double *impulses; ///< scratch: per block and body
    size_t impulse_capacity;
    uint16_t *near_bodies; ///< scratch: per worker, the bodies near a group of particles
    size_t near_capacity;
    struct couTouchBlock *touches; ///< scratch: particles that touch free bodies, per block
    size_t touch_capacity;
    couRigidBody *rigid_bodies; ///< scratch: the problem for the solver
    size_t rigid_capacity;
    couRigidContact *rigid_contacts;
    size_t contact_capacity;
    couRigidJoint *rigid_joints;
    size_t rigid_joint_capacity;
    int *islands;
    size_t island_capacity;
    bool has_new_bodies;        ///< since their samples were placed
    double (*body_impulses)[6]; ///< what the fluid method did to bodies in this step
    couVec3 *body_centers;
    size_t body_impulse_capacity, body_center_capacity;
    bool *is_held; ///< scratch: bodies that a contact or joint holds in this step
    size_t held_capacity;
};

// defs.c
bool couCheckName(const char *name, const char *key, couFaults *faults);

// emit.c
void couEmit(couWorld *world, float dt, couStepReport *report); ///< emitters and sinks
/// Fills a shape at the rest spacing, outside of bodies and, if asked, away from particles. Returns how many, -1 without memory.
int64_t couFillShape(couWorld *world, int material, const couShape *shape, couPose pose, couVec3 velocity, float jitter,
                     bool avoids_particles, int64_t limit);
/// Fills a closed domain with `wanted` particles, what it holds at rest: a lattice that fits, thinned out. Returns as couFillShape().
int64_t couFillFull(couWorld *world, int material, const couShape *shape, couPose pose, couVec3 velocity, float jitter,
                    int64_t wanted, int64_t limit);
/// Of the shape outside of all bodies [m^3] ([m^2] in 2D), by sampling, to about 1e-3.
double couFreeVolume(const couWorld *world, const couShape *shape, couPose pose);
/// About how many particles a shape takes; infinity where its lattice is too large to walk.
double couEstimateFill(const couWorld *world, const couShape *shape);
/// Adds one particle at the end of the table. False without memory.
bool couAddParticle(couWorld *world, int material, couVec3 position, couVec3 velocity);
/// True when x is closer than `margin` to a body, or inside.
bool couIsInsideBody(const couWorld *world, couVec3 x, float margin);
/// True when a body lies between a and b.
bool couIsBlocked(const couWorld *world, couVec3 a, couVec3 b);

// bodies.c
bool couFindContacts(couStep *step);
void couSeparate(couStep *step);
/// A ball around some particles, for leaving out bodies that are far from all of them.
typedef struct couBall {
    couVec3 center;
    float radius;
} couBall;
couBall couEnclose(const couVec4 *x, size_t begin, size_t end);
/// How far from a point at this distance of the body the way is surely free; negative inside.
float couClearance(const couBody *body, float distance);
float couClearanceAt(const couWorld *world, const couBody *body, couPose pose, couVec3 x);
/// True when the ball around a body and this one are farther apart than `reach`.
bool couIsBallFar(const couBody *body, couPose pose, couBall ball, float reach);

// boundary.c
bool couPlaceSamples(couStep *step); ///< fills the fluid's boundary
/// False, with faults, where a body would take absurdly many samples.
bool couCheckSamples(const couWorld *world, couFaults *faults);
couVec3 couWallVelocity(const couStep *step, int32_t body, couVec3 x);
void couFreeBodySamples(couWorld *world, couBody *body);

// collide.c
#define COU_GRIP 0.1f ///< friction acts on particles that are no farther than this from touching / spacing
/// A particle that touches a free body, or nearly.
typedef struct couTouch {
    couVec3 arm;    ///< from the body's centre of mass to the point of contact [m]
    couVec3 normal; ///< out of the body
    couVec3 drag;   ///< how far friction moves the particle where it acts [m]
    float depth;    ///< how far the body moves the particle along the normal [m]; negative: a gap
    float mass;     ///< [kg]
    float share;    ///< of the sliding that friction takes
    uint32_t body;
} couTouch;
typedef struct couTouchBlock {
    couTouch *items;
    size_t count, capacity;
} couTouchBlock;
bool couFindTouches(couStep *step); ///< what the particles would do to free bodies at their predicted places
int couTouchBlockCount(const couWorld *world);
void couCollide(couStep *step);

// couple.c
void couCouple(couStep *step); ///< fluid's impulses to free bodies, then their contacts and joints: final places
/// Velocity and spin change by an impulse and its moment about the centre of mass.
void couAddImpulse(couBody *body, int dimension, const double impulse[6]);
void couSettleImpulses(couWorld *world); ///< what collisions gave beyond what couCouple() expected

// dynamics.c
void couMoveBodies(couWorld *world, float dt); ///< start and expected end poses of the step
bool couMoveFreeBodies(couStep *step);         ///< contacts, joints, final places
bool couInitBody(couWorld *world, couBody *body, couFaults *faults);
bool couMakeFree(couWorld *world, couBody *body, couFaults *faults);
void couMakeFixed(couWorld *world, couBody *body);
void couPlaceBody(couBody *body); ///< pose from state
couPose couRigidPose(const couRigidState *state, couVec3 local_center);
void couWakeBodies(couWorld *world);
couVec3 couBodyCenter(const couBody *body, couPose pose); ///< where its moments are taken about [m]
void couInertiaToWorld(const couBody *body, const double rotation[4], double inertia[3][3]);
couBody *couFindBody(const couWorld *world, couBodyId id);

// save_bodies.c
bool couSaveBodies(const couWorld *world, couState *state);
bool couCheckSavedBodies(const couWorld *world, const couState *state, couFaults *faults);
bool couLoadBodies(couWorld *world, const couState *state, couFaults *faults); ///< after couCheckSavedBodies()

// save.c
/// The array if it is there with this type and size (SIZE_MAX: any count); otherwise adds a fault.
const couStateArray *couExpectArray(const couState *state, const char *name, couStateType type, int components, size_t count,
                                    couFaults *faults);

// fields.c
void couAccelerate(couStep *step, float dt);

// demand.c
couDemand couEstimateDemand(const couWorld *world);
