/// The world: materials, fluid, bodies, emitters, fields and the step that moves them.
///
/// Make a def with its couDefault...Def(), change what you need, add it. Functions that take a fault list add one fault per thing
/// that is wrong and then return NULL or a null handle (index1 == 0); nothing is added in that case. A world may be used by one
/// thread at a time; different worlds by different threads. Views stay valid until the next call that steps or changes the world.
#pragma once

#include "coulis/base.h"
#include "coulis/look.h"
#include "coulis/params.h"
#include "coulis/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct couWorld couWorld;

/// Handles: small values, zero is null. A removed thing's handle goes stale and is recognised as such.
typedef struct couMaterialId {
    uint16_t index1, generation;
} couMaterialId;
typedef struct couBodyId {
    uint16_t index1, generation;
} couBodyId;
typedef struct couJointId {
    uint16_t index1, generation;
} couJointId;
typedef struct couEmitterId {
    uint16_t index1, generation;
} couEmitterId;

// --- World -------------------------------------------------------------------------------------------------------------------

typedef struct couWorldDef {
    char method[COU_NAME_SIZE]; ///< "pvfs"; see couMethodNames()
    int dimension;              ///< 2 or 3, default 3; 2D is the plane z = 0 with unit depth
    float spacing;              ///< particle spacing d at rest [m], > 0, default 0.02
    couVec3 gravity;            ///< [m/s^2], default (0, -9.81, 0)
    couVec3 period;             ///< lengths after which the world repeats along each axis [m]; 0 (default): it does not
    couVec3 period_lower;       ///< lower corner of the box that repeats [m], default 0
    float depth;                ///< depth H that the liquid must carry [m]; auto: from what the scene holds
    float speed;                ///< speed that the liquid reaches [m/s]; auto: from falls and emitters
    int threads;                ///< 0: all cores, default 0; results do not depend on it
    int seed;                   ///< of the world's random numbers, default 1
    int max_particles;          ///< emitters stop here, default 20 million
} couWorldDef;

couWorldDef couDefaultWorldDef(void);
const couParamTable *couWorldParams(void);

/// NULL-terminated names of the methods.
const char *const *couMethodNames(void);
/// One line on the method, NULL for an unknown name.
const char *couMethodHelp(const char *method);
/// The parameters of a method, or of a family of methods that share them ("sph"); NULL for an unknown name.
const couParamTable *couMethodParams(const char *method);
/// NULL-terminated names of methods and families.
const char *const *couMethodTableNames(void);

couWorld *couCreateWorld(const couWorldDef *def, couFaults *faults);
void couDestroyWorld(couWorld *world);
/// The def with what was chosen filled in once the world is prepared (depth, speed).
const couWorldDef *couWorld_Def(const couWorld *world);
/// The method's parameter block, laid out as couMethodParams() says; change it before couWorld_Prepare().
void *couWorld_MethodParams(couWorld *world);

// --- Materials ---------------------------------------------------------------------------------------------------------------

typedef enum couSprings {
    cou_springsNone,    ///< a liquid
    cou_springsPlastic, ///< appear, flow and vanish [Clavet 2005, sect. 5.2]
    cou_springsFrozen   ///< a fixed set: an elastic solid; what is there at the first step gets its springs by itself
} couSprings;

/// What a particle is made of. Physical values; the method derives its own from them.
typedef struct couMaterialDef {
    char name[COU_NAME_SIZE];
    float density;         ///< [kg/m^3], > 0, default 1000
    float viscosity;       ///< dynamic [Pa s], >= 0, default 0.001
    int springs;           ///< couSprings
    float shear_modulus;   ///< of the spring network [Pa], >= 0, default 0
    float flow_stretch;    ///< plastic flow rate alpha when stretched [1/s], >= 0
    float flow_compress;   ///< plastic flow rate alpha when compressed [1/s], >= 0
    float yield_stretch;   ///< yield ratio gamma when stretched, 0 to 1
    float yield_compress;  ///< yield ratio gamma when compressed, 0 to 1
    float sigma;           ///< linear viscosity of [Clavet 2005, alg. 5] [1/s]; auto: from viscosity
    float beta;            ///< quadratic viscosity [1/m]; auto: 1/h
    float smoothing;       ///< pairwise velocity smoothing (XSPH) rate [1/s]; auto: from the sound speed
    float k_spring;        ///< spring rate [1/s^2]; auto: from the shear modulus
    float surface_tension; ///< [N/m], >= 0, default 0; for the SPH methods
    couLook look;          ///< in pictures
} couMaterialDef;

couMaterialDef couDefaultMaterialDef(void);
const couParamTable *couMaterialParams(void);
couMaterialId couWorld_AddMaterial(couWorld *world, const couMaterialDef *def, couFaults *faults);
/// Changes a material while the world runs. The density cannot change once it has particles.
bool couWorld_SetMaterial(couWorld *world, couMaterialId material, const couMaterialDef *def, couFaults *faults);
const couMaterialDef *couWorld_Material(const couWorld *world, couMaterialId material);
int couWorld_MaterialCount(const couWorld *world);
/// By position 0 to count - 1; particles carry this number.
couMaterialId couWorld_MaterialAt(const couWorld *world, int index);

/// Springs between all pairs of the material closer than h, at their current lengths ("add springs now").
void couWorld_AddSprings(couWorld *world, couMaterialId material);
/// Deletes the springs of the material at once: the solid turns to liquid.
void couWorld_DeleteSprings(couWorld *world, couMaterialId material);
size_t couWorld_SpringCount(const couWorld *world);

// --- Fluid at the start ------------------------------------------------------------------------------------------------------

/// A volume filled with particles at the rest spacing, outside of all bodies.
typedef struct couFluidDef {
    couMaterialId material;
    couShape *shape; ///< bounded; retained
    couPose pose;
    couVec3 velocity; ///< [m/s]
    float
        jitter; ///< random offset of each particle / spacing, 0 to 0.5; auto: 0.4 for liquids, 0.1 with springs, 0 for SPH methods
    bool
        is_full; ///< a closed domain: as many particles as it holds at rest, whatever c_V; default false: a lattice of the spacing
} couFluidDef;

couFluidDef couDefaultFluidDef(void);
const couParamTable *couFluidParams(void);
/// Adds the particles at once, outside of the bodies that are there. Returns their number, -1 on a fault.
int64_t couWorld_AddFluid(couWorld *world, const couFluidDef *def, couFaults *faults);
/// Adds particles at given places; velocities may be NULL (at rest). False on a fault.
bool couWorld_AddParticles(couWorld *world, couMaterialId material, const couVec3 *positions, const couVec3 *velocities,
                           size_t count, couFaults *faults);

// --- Bodies ------------------------------------------------------------------------------------------------------------------

/// Where a driven thing is at time t. Must be a pure function of t; called from the stepping thread only.
typedef couPose couMotionFcn(void *context, double time);

typedef struct couBodyDef {
    char name[COU_NAME_SIZE]; ///< unique; "" gives body1, body2...
    couShape *shape;          ///< retained
    couPose pose;             ///< at the start, or always for a fixed body
    bool is_dynamic;          ///< moved by gravity, fluid, contacts and joints; default false
    couMotionFcn *motion;     ///< NULL: fixed or dynamic; otherwise driven by this function
    void *motion_context;
    float density;          ///< of a dynamic body [kg/m^3], > 0, default 1000
    float mass;             ///< [kg] ([kg/m] in 2D), > 0; auto: density * volume
    couVec3 velocity;       ///< of a dynamic body's centre of mass at the start [m/s]
    couVec3 spin;           ///< angular velocity at the start [rad/s]
    float contact_friction; ///< Coulomb's coefficient against other bodies, >= 0, default 0.5; a pair has the geometric mean
    float restitution;      ///< bounce against other bodies, 0 to 1, default 0; a pair has the larger
    float friction;         ///< share of the sliding velocity lost per 1/30 s of contact, 0 (slip) to 1 (no slip), default 0
    float stickiness;       ///< k_stick of [Clavet 2005, eq. 12] [1/s^2], >= 0, default 0
    float stick_distance;   ///< d_stick [m]; auto: h/2
    couLook look;           ///< in pictures
} couBodyDef;

couBodyDef couDefaultBodyDef(void);
const couParamTable *couBodyParams(void);
/// Particles that it would cover are removed, with a line in the log.
couBodyId couWorld_AddBody(couWorld *world, const couBodyDef *def, couFaults *faults);
/// Its joints go with it.
void couWorld_RemoveBody(couWorld *world, couBodyId body);
bool couWorld_HasBody(const couWorld *world, couBodyId body);
int couWorld_BodyCapacity(const couWorld *world);            ///< bodies ever added
couBodyId couWorld_BodyAt(const couWorld *world, int index); ///< null handle where removed
couBodyId couWorld_FindBody(const couWorld *world, const char *name);
const couBodyDef *couWorld_Body(const couWorld *world, couBodyId body);
couPose couWorld_BodyPose(const couWorld *world, couBodyId body);
/// Mean force that the fluid put on the body during the last couWorld_Advance(), or step [N] ([N/m] of depth in 2D).
couVec3 couWorld_BodyForce(const couWorld *world, couBodyId body);
/// Mean torque likewise [N m]: about the centre of mass of a dynamic body, the origin of the shape of any other.
couVec3 couWorld_BodyTorque(const couWorld *world, couBodyId body);
/// Velocity of the centre of mass (dynamic) or of the shape's origin [m/s].
couVec3 couWorld_BodyVelocity(const couWorld *world, couBodyId body);
couVec3 couWorld_BodySpin(const couWorld *world, couBodyId body); ///< [rad/s]
/// Centre of mass now (dynamic) or the shape's origin [m].
couVec3 couWorld_BodyCenter(const couWorld *world, couBodyId body);
float couWorld_BodyMass(const couWorld *world, couBodyId body); ///< [kg]; infinity unless dynamic
bool couWorld_IsBodyAsleep(const couWorld *world, couBodyId body);
/// Dynamic bodies only: new velocities, and wakes it.
void couWorld_SetBodyVelocity(couWorld *world, couBodyId body, couVec3 velocity, couVec3 spin);
/// Dynamic bodies only: an impulse [N s] at a point of the world, and wakes it.
void couWorld_PushBody(couWorld *world, couBodyId body, couVec3 impulse, couVec3 point);
/// Makes a fixed or driven body dynamic, at its velocity, or a dynamic one fixed where it is. False with a fault where the shape has
/// no mass.
bool couWorld_SetBodyDynamic(couWorld *world, couBodyId body, bool is_dynamic, couFaults *faults);

/// A pose at a time, for driven bodies.
typedef struct couKeyframe {
    double time; ///< [s], ascending
    couPose pose;
} couKeyframe;
/// Between the keyframes smoothly in position (a curve through all of them) and by the shortest turn; before and after them still.
couPose couInterpolateKeyframes(const couKeyframe *keyframes, int count, double time);

// --- Joints ------------------------------------------------------------------------------------------------------------------

typedef enum couJointKind {
    cou_jointBall,   ///< the point `at` is shared
    cou_jointHinge,  ///< turns about `axis` through `at`
    cou_jointSlider, ///< moves along `axis`
    cou_jointFixed,  ///< welded
    cou_jointMotor   ///< holds nothing; drives the turning about `axis` at `motor_speed`
} couJointKind;

typedef struct couJointDef {
    char name[COU_NAME_SIZE]; ///< unique; "" gives joint1, joint2...
    int kind;                 ///< couJointKind
    couBodyId a, b;           ///< at least one dynamic; a null b (or a) is the world
    couVec3 at;               ///< in the world, when the joint is made [m]
    couVec3 axis;             ///< likewise; need not be unit; default (0, 0, 1)
    float lower, upper;       ///< hinge: angle of a against b [rad], within -3.1 to 3.1; slider: offset [m]; auto: free
    float motor_speed;        ///< hinge, motor: of a against b [rad/s]; slider: [m/s]
    float motor_force;        ///< largest torque [N m] or force [N] of the motor, >= 0, default 0: none
} couJointDef;

couJointDef couDefaultJointDef(void);
const couParamTable *couJointParams(void);
couJointId couWorld_AddJoint(couWorld *world, const couJointDef *def, couFaults *faults);
void couWorld_RemoveJoint(couWorld *world, couJointId joint);
bool couWorld_HasJoint(const couWorld *world, couJointId joint);
int couWorld_JointCapacity(const couWorld *world);             ///< joints ever added
couJointId couWorld_JointAt(const couWorld *world, int index); ///< null handle where removed
couJointId couWorld_FindJoint(const couWorld *world, const char *name);
const couJointDef *couWorld_Joint(const couWorld *world, couJointId joint);
/// Angle [rad] of a hinge, offset [m] of a slider, 0 for others.
float couWorld_JointPosition(const couWorld *world, couJointId joint);
void couWorld_SetJointMotor(couWorld *world, couJointId joint, float speed, float force);

// --- Emitters and sinks ------------------------------------------------------------------------------------------------------

typedef struct couEmitterDef {
    char name[COU_NAME_SIZE];
    couMaterialId material;
    couShape
        *shape; ///< disk or polygon: a jet along the shape's normal; anything else, also a mesh: the volume is filled at `start`
    couPose pose;         ///< a disk's jet leaves along its local +y, a polygon's along its local +z (2D: disk along +y)
    couMotionFcn *motion; ///< NULL: it stays at `pose`
    void *motion_context;
    float speed;   ///< of the jet [m/s], >= 0; the rate follows: area * speed / spacing^dimension; auto: 1, or 0 for a volume
    float start;   ///< [s], default 0
    float stop;    ///< [s], default infinity
    float period;  ///< a volume is filled again this long after the last time, where it has become empty [s]; 0 (default): once
    float jitter;  ///< random offset of each particle / spacing, 0 to 0.5, default 0.1
    int max_count; ///< particles that it may emit, default 2 billion
} couEmitterDef;

couEmitterDef couDefaultEmitterDef(void);
const couParamTable *couEmitterParams(void);
couEmitterId couWorld_AddEmitter(couWorld *world, const couEmitterDef *def, couFaults *faults);
void couWorld_SetEmitterOn(couWorld *world, couEmitterId emitter, bool is_on);
void couWorld_StopEmitters(couWorld *world);
int couWorld_EmitterCount(const couWorld *world);
couEmitterId couWorld_EmitterAt(const couWorld *world, int index);
const couEmitterDef *couWorld_Emitter(const couWorld *world, couEmitterId emitter);

/// Particles inside the shape (or outside of it) are removed.
typedef struct couSinkDef {
    couShape *shape; ///< retained
    couPose pose;
    bool is_inverted;  ///< removes what is outside
    float start, stop; ///< [s], default 0 and infinity
} couSinkDef;

couSinkDef couDefaultSinkDef(void);
const couParamTable *couSinkParams(void);
bool couWorld_AddSink(couWorld *world, const couSinkDef *def, couFaults *faults);

// --- Force fields ------------------------------------------------------------------------------------------------------------

typedef enum couFieldKind {
    cou_fieldUniform,  ///< acceleration `vector`
    cou_fieldRotating, ///< swirl: acceleration `strength` * (axis x (x - center)), axis = unit `vector`
    cou_fieldPull,     ///< acceleration `strength` towards `center`, growing linearly up to `radius`, constant beyond
    cou_fieldFunction  ///< acceleration from `function`
} couFieldKind;

/// Acceleration [m/s^2] at a place and time. Called from the stepping thread only, one particle after the other.
typedef couVec3 couFieldFcn(void *context, couVec3 position, couVec3 velocity, double time);

typedef struct couFieldDef {
    int kind;         ///< couFieldKind
    couVec3 vector;   ///< [m/s^2] or an axis
    couVec3 center;   ///< [m]
    float strength;   ///< [1/s^2] for rotating, [m/s^2] for pull
    float radius;     ///< [m], pull
    couShape *region; ///< acts only inside; NULL: everywhere; retained
    couPose region_pose;
    couFieldFcn *function;
    void *function_context;
    float start, stop; ///< [s], default 0 and infinity
} couFieldDef;

couFieldDef couDefaultFieldDef(void);
const couParamTable *couFieldParams(void);
bool couWorld_AddField(couWorld *world, const couFieldDef *def, couFaults *faults);

// --- Events ------------------------------------------------------------------------------------------------------------------

/// Called between two steps, the first whose time is not before the event's.
typedef void couEventFcn(void *context, couWorld *world, double time);
/// `period` 0: once at `time`; otherwise again and again, at least 1e-6 s apart. False on a fault.
bool couWorld_AddEvent(couWorld *world, double time, double period, couEventFcn *function, void *context, couFaults *faults);

// --- Stepping ----------------------------------------------------------------------------------------------------------------

typedef enum couPhase {
    cou_phaseEmit,      ///< events, emitters, sinks
    cou_phaseForces,    ///< gravity and fields change velocities; positions are predicted
    cou_phaseSort,      ///< particles into cell order
    cou_phaseNeighbors, ///< pairs within h that see each other
    cou_phaseWalls,     ///< distances to bodies
    cou_phaseSprings,   ///< rest lengths adjusted, spring displacements
    cou_phasePressure,  ///< double density relaxation, or the method's pressure solver
    cou_phaseBodies,    ///< what the fluid does to bodies, their contacts and joints
    cou_phaseCollide,   ///< paths swept against bodies, friction, stickiness
    cou_phaseVelocity,  ///< velocities from displacements
    cou_phaseViscosity, ///< pairwise impulses
    cou_phaseMeasure,   ///< health: NaN, lost particles, speed
    cou_phaseCount
} couPhase;

const char *couPhaseName(couPhase phase);

/// What a step, or all steps of an advance together, did.
typedef struct couStepReport {
    int substeps;
    float dt;                  ///< of the last substep [s]
    int iterations;            ///< of the density solver (or the relaxation), summed
    int divergence_iterations; ///< of dfsph's second solver, summed
    int viscosity_iterations;  ///< of implicit viscosity, summed
    int unconverged_count;     ///< solvers that ended above their tolerance
    double solver_error;       ///< mean density error that the last density solver ended with, by its own linear estimate
    double density_error_mean; ///< mean compression beyond rest density, relative
    double density_error_max;
    float max_speed; ///< [m/s]
    int64_t emitted, removed;
    int64_t nan_count;     ///< particles with NaN or infinite state; the run must stop
    int64_t lost_count;    ///< particles beyond the reach of the cell grid
    uint32_t first_bad_id; ///< of the counts above
    int64_t crowded_count; ///< particles with more neighbours than a list holds
    int64_t guard_count;   ///< relaxation pressures that the stability guard cut
    int64_t trapped_count; ///< particles that collisions could not free in one step and left where they were
    int clamped_count; ///< steps that were longer than stability asked for, since the user's bound does not allow shorter ones
    float
        unstable_step; ///< stability asked for this step [s], less than a tenth of the user's bound: the advance ended before its
                       ///< time; 0 otherwise
    int64_t contact_count; ///< points where bodies touch each other, summed
    int bad_body1;         ///< index + 1 of a body that became NaN or infinite, 0 for none; the run must stop
    double phase_seconds[cou_phaseCount];
    uint64_t pair_count; ///< neighbour entries, both directions, summed over the substeps
    uint64_t particle_steps;
} couStepReport;

/// Derives the method's numbers (stiffness, step...) from the scene; done by the first step if not called before.
bool couWorld_Prepare(couWorld *world, couFaults *faults);
/// Largest step that the method takes calmly [s]; after preparation.
float couWorld_SuggestStep(couWorld *world);
/// Human-readable lines on what preparation chose and what error to expect; "" before. Valid until the next preparation.
const char *couWorld_Choices(const couWorld *world);
/// Expected relative height error of a pool as deep as the world's depth; after preparation.
float couWorld_HeightError(const couWorld *world);
float couWorld_SupportRadius(const couWorld *world); ///< h [m]

/// One step of dt seconds, > 0. Not reentrant per world.
couStepReport couWorld_Step(couWorld *world, float dt);
/// Advances by `seconds` in as many equal substeps as the method needs.
couStepReport couWorld_Advance(couWorld *world, double seconds);
double couWorld_Time(const couWorld *world); ///< [s]
uint64_t couWorld_StepCount(const couWorld *world);

// --- Reading -----------------------------------------------------------------------------------------------------------------

/// Const columns in storage order, which changes from step to step; use ids to follow a particle.
typedef struct couParticleView {
    size_t count;
    const couVec4 *position; ///< xyz [m]; w is internal
    const couVec4 *velocity; ///< xyz [m/s]; w is internal
    const uint32_t *id;
    const uint8_t *material; ///< index for couWorld_MaterialAt()
    const float *density;    ///< relative to rest: 1 = at rest
    const float *pressure;   ///< [Pa], of the last step; NULL for pvfs
} couParticleView;

couParticleView couWorld_Particles(const couWorld *world);
float couWorld_ParticleMass(const couWorld *world, int material); ///< [kg] ([kg/m] in 2D)

typedef struct couSpringView {
    uint32_t id_a, id_b; ///< id_a < id_b
    float rest_length;   ///< [m]
} couSpringView;
/// Copies up to `capacity` springs, sorted by id pair; returns how many.
size_t couWorld_CopySprings(const couWorld *world, couSpringView *springs, size_t capacity);

typedef struct couMeasurement {
    double kinetic_energy;   ///< [J]
    double potential_energy; ///< in uniform gravity, zero at the origin [J]
    double momentum[3];      ///< [kg m/s]
    double angular_momentum[3];
    double center[3]; ///< of mass [m]
    double mass;      ///< [kg]
    float max_speed;  ///< [m/s]
} couMeasurement;

couMeasurement couWorld_Measure(const couWorld *world);       ///< of the fluid
couMeasurement couWorld_MeasureBodies(const couWorld *world); ///< of the dynamic bodies, with what they turn

/// Bytes now and at most held by this world's arrays, neighbour lists, scratch and arenas.
size_t couWorld_Bytes(const couWorld *world);
size_t couWorld_PeakBytes(const couWorld *world);

// --- State: checkpoint and hash ----------------------------------------------------------------------------------------------

typedef enum couStateType { cou_stateU8, cou_stateU32, cou_stateU64, cou_stateF32, cou_stateF64 } couStateType;

/// One named array of a saved state.
typedef struct couStateArray {
    char name[64]; ///< "particles/position", "springs/rest_length", "world/time"...
    char unit[16];
    couStateType type;
    int components; ///< numbers per row
    size_t count;   ///< rows
    void *data;     ///< owned by the state
} couStateArray;

/// Everything that a later run needs to go on with the same bits, in an order that does not depend on storage: particles by id,
/// springs by id pair. Zero-initialise; free with couState_Clear().
typedef struct couState {
    couStateArray *arrays;
    int count, capacity;
} couState;

size_t couStateType_Size(couStateType type);
/// Appends a copy of the data (NULL: zeros) and returns the array, NULL without memory.
couStateArray *couState_Add(couState *state, const char *name, const char *unit, couStateType type, int components, size_t count,
                            const void *data);
const couStateArray *couState_Find(const couState *state, const char *name);
/// xxHash3 over names, types and data of all arrays in order.
uint64_t couState_Hash(const couState *state);
void couState_Clear(couState *state);

bool couWorld_SaveState(const couWorld *world, couState *state);
/// Into a world made from the same scene. Adds faults and leaves the world alone when the state does not fit.
bool couWorld_LoadState(couWorld *world, const couState *state, couFaults *faults);

#ifdef __cplusplus
}
#endif
