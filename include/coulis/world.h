/// The world: materials, fluid, bodies, emitters, fields, blowers and the step that moves them.
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
typedef struct couSolidId {
    uint16_t index1, generation;
} couSolidId;
typedef struct couEmitterId {
    uint16_t index1, generation;
} couEmitterId;
typedef struct couSinkId {
    uint16_t index1, generation;
} couSinkId;
typedef struct couFieldId {
    uint16_t index1, generation;
} couFieldId;
typedef struct couBlowerId {
    uint16_t index1, generation;
} couBlowerId;
typedef struct couEventId {
    uint16_t index1, generation;
} couEventId;

// --- World -------------------------------------------------------------------------------------------------------------------

typedef enum couGravityOn { cou_gravityOnAll, cou_gravityOnFluid, cou_gravityOnBodies } couGravityOn;

/// How liquid begins: as a lattice that feels its weight with the first step, or carrying it as liquid at rest does.
typedef enum couStart { cou_startFree, cou_startRest } couStart;
typedef enum couFluidStart { cou_fluidStartAsWorld, cou_fluidStartFree, cou_fluidStartRest } couFluidStart;

typedef struct couWorldDef {
    char method[COU_NAME_SIZE]; ///< "pvfs"; see couMethodNames()
    int dimension;              ///< 2 or 3, default 3; 2D is the plane z = 0 with unit depth
    float spacing;              ///< particle spacing d at rest [m], > 0, default 0.02
    couVec3 gravity;            ///< [m/s^2], default (0, -9.81, 0)
    int gravity_on;             ///< couGravityOn: what it pulls, default all
    couVec3 period;             ///< lengths after which the world repeats along each axis [m]; 0 (default): it does not
    couVec3 period_lower;       ///< lower corner of the box that repeats [m], default 0
    float depth;                ///< depth H that the liquid must carry [m]; auto: from what the scene holds
    float speed;                ///< speed that the liquid reaches [m/s]; auto: from falls and emitters
    int threads;                ///< 0: all cores, default 0; results do not depend on it
    int seed;                   ///< of the world's random numbers, default 1
    int max_particles;          ///< emitters stop here, default 20 million
    int start;                  ///< couStart: of fluids that do not say, default free
} couWorldDef;

COU_API couWorldDef couDefaultWorldDef(void);
COU_API const couParamTable *couWorldParams(void);

/// What validation holds a method to; each is a bit of couMethodTraits.claims.
typedef enum couClaim {
    cou_claimMotion = 1,       ///< free flight and momentum
    cou_claimRest = 2,         ///< liquid at rest: forces on walls, height
    cou_claimSplash = 4,       ///< a breaking dam
    cou_claimViscosity = 8,    ///< viscous flow between walls and in vortices
    cou_claimDrops = 16,       ///< surface tension of drops
    cou_claimFloating = 32,    ///< bodies that float, hover and sink
    cou_claimFilms = 64,       ///< thin films and even spacing by two densities
    cou_claimSprings = 128,    ///< elastic and plastic matter
    cou_claimWaves = 256,      ///< waves that live long, balls that settle: no friction but the viscosity asked for
    cou_claimShear = 512,      ///< slow shear under pressure: no yield stress
    cou_claimSlopes = 1024,    ///< thick liquid down a slope
    cou_claimJets = 2048,      ///< jets out of holes
    cou_claimBuoyancy = 4096,  ///< force on bodies held under water
    cou_claimLevitation = 8192 ///< bodies that a jet carries
} couClaim;

/// What a method is and can do, for who chooses among them.
typedef struct couMethodTraits {
    bool is_adaptive;        ///< steps are chosen one by one from the flow; otherwise all alike
    bool is_leapfrog;        ///< velocities are those of half a step before
    bool has_state_equation; ///< pressure follows from density by a stiffness; otherwise from a solver or a relaxation
    bool has_pressure;       ///< couParticleView.pressure is there
    bool has_tension;        ///< surface tension is a force of its own, from the material's number; otherwise it emerges
    bool has_periods;        ///< worlds may repeat
    bool has_springs;        ///< materials may have springs
    double density_error;    ///< mean compression that it stays below in a splash; 0: it does not say
    double height_error;     ///< of liquid at rest, relative
    double force_error;      ///< of forces on walls at rest, relative
    double slowness;         ///< of thick liquid down a slope, as share of its speed that is lacking
    unsigned claims;         ///< couClaim
    unsigned reports;        ///< couClaim: what is measured as well, without a claim
} couMethodTraits;

/// NULL for an unknown name.
COU_API const couMethodTraits *couFindMethodTraits(const char *method);
/// NULL-terminated names of the methods.
COU_API const char *const *couMethodNames(void);
/// One line on the method, NULL for an unknown name.
COU_API const char *couMethodHelp(const char *method);
/// The parameters of a method, or of a family of methods that share them ("sph"); NULL for an unknown name.
COU_API const couParamTable *couMethodParams(const char *method);
/// NULL-terminated names of methods and families.
COU_API const char *const *couMethodTableNames(void);

COU_API couWorld *couCreateWorld(const couWorldDef *def, couFaults *faults);
COU_API void couDestroyWorld(couWorld *world);
/// The def with what was chosen filled in once the world is prepared (depth, speed).
COU_API const couWorldDef *couWorld_Def(const couWorld *world);
/// The method's parameter block, laid out as couMethodParams() says; change it before couWorld_Prepare().
COU_API void *couWorld_MethodParams(couWorld *world);
/// Sets one of them by name and text: "pvfs.height_error", "0.05". Another method's are checked and then left alone, so that
/// the same calls serve whatever method was chosen. False with a fault when there is no such parameter or it cannot be that.
/// After the preparation the world is prepared anew at once; where that fails, all is as it was.
COU_API bool couWorld_SetParam(couWorld *world, const char *name, const char *text, couFaults *faults);

/// Changes gravity, and what it pulls, while the world runs; what sleeps wakes up. False on a fault, which changes nothing.
COU_API bool couWorld_SetGravity(couWorld *world, couVec3 gravity, couGravityOn on, couFaults *faults);
COU_API couVec3 couWorld_Gravity(const couWorld *world); ///< now [m/s^2]

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

COU_API couMaterialDef couDefaultMaterialDef(void);
COU_API const couParamTable *couMaterialParams(void);
COU_API couMaterialId couWorld_AddMaterial(couWorld *world, const couMaterialDef *def, couFaults *faults);
/// Changes a material while the world runs. The density cannot change once it has particles.
COU_API bool couWorld_SetMaterial(couWorld *world, couMaterialId material, const couMaterialDef *def, couFaults *faults);
COU_API const couMaterialDef *couWorld_Material(const couWorld *world, couMaterialId material);
COU_API int couWorld_MaterialCount(const couWorld *world);
/// By position 0 to count - 1; particles carry this number.
COU_API couMaterialId couWorld_MaterialAt(const couWorld *world, int index);

/// Springs between all pairs of the material closer than h, at their current lengths ("add springs now").
COU_API void couWorld_AddSprings(couWorld *world, couMaterialId material);
/// Deletes the springs of the material at once: the solid turns to liquid.
COU_API void couWorld_DeleteSprings(couWorld *world, couMaterialId material);
COU_API size_t couWorld_SpringCount(const couWorld *world);

// --- Fluid at the start ------------------------------------------------------------------------------------------------------

/// Velocity of a particle by its place in the world [m/s]. Called once for each particle, by the thread that adds the fluid; must
/// not change the world.
typedef couVec3 couVelocityFcn(void *context, couVec3 position);

/// A volume filled with particles at the rest spacing, outside of all bodies: a lattice; where round walls cut more than 1 % of
/// the volume off it, as many more beside them. Of a box as many layers as fit. A particle's velocity is `velocity`, and `spin`
/// about the place of the pose, and what the function says, added up.
typedef struct couFluidDef {
    couMaterialId material;
    couShape *shape; ///< bounded; retained
    couPose pose;
    couVec3 velocity; ///< [m/s]
    couVec3 spin;     ///< angular velocity about pose.position [rad/s]; of 2D worlds z alone
    float jitter;     ///< random offset of each particle / spacing, 0 to 0.5; auto: as the method likes it
    bool is_full;     ///< a closed domain: as many as it holds at rest, whatever c_V; default false: a lattice of the spacing
    int start;        ///< couFluidStart, default as the world says
    couVelocityFcn *velocity_function; ///< NULL: none
    void *velocity_context;
} couFluidDef;

COU_API couFluidDef couDefaultFluidDef(void);
COU_API const couParamTable *couFluidParams(void);
/// Adds the particles at once, outside of the bodies that are there. Returns their number, -1 on a fault.
COU_API int64_t couWorld_AddFluid(couWorld *world, const couFluidDef *def, couFaults *faults);
/// Volume of a shape outside of the bodies that are there [m^3] ([m^2] in 2D), to about 1e-3 of its bounds; infinite without
/// bounds.
COU_API double couWorld_FreeVolume(const couWorld *world, const couShape *shape, couPose pose);
/// Adds particles at given places; velocities may be NULL (at rest). False on a fault.
COU_API bool couWorld_AddParticles(couWorld *world, couMaterialId material, const couVec3 *positions, const couVec3 *velocities,
                                   size_t count, couFaults *faults);

// --- Bodies ------------------------------------------------------------------------------------------------------------------

/// Where a driven thing is at time t. Must be a pure function of t; called from the stepping thread only.
typedef couPose couMotionFcn(void *context, double time);

#define COU_MAX_BODY_SAMPLES ((size_t)10000000) ///< that a def gives

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
    float bounce;           ///< share of its speed towards a fixed or driven body that a particle leaves with, 0 (default) to 1
    float stickiness;       ///< k_stick of [Clavet 2005, eq. 12] [1/s^2], >= 0, default 0
    float stick_distance;   ///< d_stick [m]; auto: h/2
    float coanda;           ///< C of [Gagneux 2022, eq. 3.2], 0 to 1, default 0: pull on the liquid around; for the SPH methods
    const couVec3 *samples; ///< points that stand for it in the SPH methods, in the shape's frame [m]; copied; NULL: made from it
    size_t sample_count; ///< of those, 1 to COU_MAX_BODY_SAMPLES; each at most spacing/2 outside, 4.5 spacings inside the shape
    couLook look;        ///< in pictures
} couBodyDef;

COU_API couBodyDef couDefaultBodyDef(void);
COU_API const couParamTable *couBodyParams(void);
/// Particles that it would cover are removed, with a line in the log.
COU_API couBodyId couWorld_AddBody(couWorld *world, const couBodyDef *def, couFaults *faults);
/// Its joints go with it.
COU_API void couWorld_RemoveBody(couWorld *world, couBodyId body);
COU_API bool couWorld_HasBody(const couWorld *world, couBodyId body);
COU_API int couWorld_BodyCount(const couWorld *world);
COU_API couBodyId couWorld_BodyAt(const couWorld *world, int index); ///< of those that are there; null handle beyond
COU_API int couWorld_RemovedBodyCount(const couWorld *world);
COU_API couBodyId couWorld_FindBody(const couWorld *world, const char *name);
COU_API const couBodyDef *couWorld_Body(const couWorld *world, couBodyId body);
COU_API couPose couWorld_BodyPose(const couWorld *world, couBodyId body);
/// Mean force that the fluid put on the body during the last couWorld_Advance(), or step [N] ([N/m] of depth in 2D).
COU_API couVec3 couWorld_BodyForce(const couWorld *world, couBodyId body);
/// Mean torque likewise [N m]: about the centre of mass of a dynamic body, the origin of the shape of any other.
COU_API couVec3 couWorld_BodyTorque(const couWorld *world, couBodyId body);
/// Velocity of the centre of mass (dynamic) or of the shape's origin [m/s].
COU_API couVec3 couWorld_BodyVelocity(const couWorld *world, couBodyId body);
COU_API couVec3 couWorld_BodySpin(const couWorld *world, couBodyId body); ///< [rad/s]
/// Centre of mass now (dynamic) or the shape's origin [m].
COU_API couVec3 couWorld_BodyCenter(const couWorld *world, couBodyId body);
COU_API float couWorld_BodyMass(const couWorld *world, couBodyId body); ///< [kg]; infinity unless dynamic
COU_API bool couWorld_IsBodyAsleep(const couWorld *world, couBodyId body);
/// Dynamic bodies only: new velocities, and wakes it.
COU_API void couWorld_SetBodyVelocity(couWorld *world, couBodyId body, couVec3 velocity, couVec3 spin);
/// Dynamic bodies only: an impulse [N s] at a point of the world, and wakes it.
COU_API void couWorld_PushBody(couWorld *world, couBodyId body, couVec3 impulse, couVec3 point);
/// Changes the body's surface while the world runs: contact_friction, restitution, friction, bounce, stickiness, stick_distance,
/// coanda and look. False with a fault where the def says anything else that is new, and then nothing has changed.
COU_API bool couWorld_SetBody(couWorld *world, couBodyId body, const couBodyDef *def, couFaults *faults);
/// Makes a fixed or driven body dynamic, at its velocity, or a dynamic one fixed where it is. False with a fault where the
/// shape has no mass.
COU_API bool couWorld_SetBodyDynamic(couWorld *world, couBodyId body, bool is_dynamic, couFaults *faults);

/// A pose at a time, for driven bodies.
typedef struct couKeyframe {
    double time; ///< [s], ascending
    couPose pose;
} couKeyframe;
/// Between the keyframes smoothly in position (a curve through all of them) and by the shortest turn; before and after them
/// still.
COU_API couPose couInterpolateKeyframes(const couKeyframe *keyframes, int count, double time);

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

COU_API couJointDef couDefaultJointDef(void);
COU_API const couParamTable *couJointParams(void);
COU_API couJointId couWorld_AddJoint(couWorld *world, const couJointDef *def, couFaults *faults);
COU_API void couWorld_RemoveJoint(couWorld *world, couJointId joint);
COU_API bool couWorld_HasJoint(const couWorld *world, couJointId joint);
COU_API int couWorld_JointCount(const couWorld *world);
COU_API couJointId couWorld_JointAt(const couWorld *world, int index);
COU_API couJointId couWorld_FindJoint(const couWorld *world, const char *name);
COU_API const couJointDef *couWorld_Joint(const couWorld *world, couJointId joint);
/// Angle [rad] of a hinge, offset [m] of a slider, 0 for others.
COU_API float couWorld_JointPosition(const couWorld *world, couJointId joint);
COU_API void couWorld_SetJointMotor(couWorld *world, couJointId joint, float speed, float force);

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

COU_API couEmitterDef couDefaultEmitterDef(void);
COU_API const couParamTable *couEmitterParams(void);
COU_API couEmitterId couWorld_AddEmitter(couWorld *world, const couEmitterDef *def, couFaults *faults);
/// Changes it while the world runs; what it has emitted so far stays counted.
COU_API bool couWorld_SetEmitter(couWorld *world, couEmitterId emitter, const couEmitterDef *def, couFaults *faults);
COU_API void couWorld_RemoveEmitter(couWorld *world, couEmitterId emitter);
COU_API bool couWorld_HasEmitter(const couWorld *world, couEmitterId emitter);
COU_API void couWorld_SetEmitterOn(couWorld *world, couEmitterId emitter, bool is_on);
COU_API void couWorld_StopEmitters(couWorld *world);
COU_API int couWorld_EmitterCount(const couWorld *world);
COU_API couEmitterId couWorld_EmitterAt(const couWorld *world, int index);
COU_API const couEmitterDef *couWorld_Emitter(const couWorld *world, couEmitterId emitter);

/// Particles inside the shape (or outside of it) are removed.
typedef struct couSinkDef {
    couShape *shape; ///< retained
    couPose pose;
    bool is_inverted;  ///< removes what is outside
    float start, stop; ///< [s], default 0 and infinity
} couSinkDef;

COU_API couSinkDef couDefaultSinkDef(void);
COU_API const couParamTable *couSinkParams(void);
COU_API couSinkId couWorld_AddSink(couWorld *world, const couSinkDef *def, couFaults *faults);
COU_API bool couWorld_SetSink(couWorld *world, couSinkId sink, const couSinkDef *def, couFaults *faults);
COU_API void couWorld_RemoveSink(couWorld *world, couSinkId sink);
COU_API bool couWorld_HasSink(const couWorld *world, couSinkId sink);
COU_API int couWorld_SinkCount(const couWorld *world);
COU_API couSinkId couWorld_SinkAt(const couWorld *world, int index);
COU_API const couSinkDef *couWorld_Sink(const couWorld *world, couSinkId sink);

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

COU_API couFieldDef couDefaultFieldDef(void);
COU_API const couParamTable *couFieldParams(void);
COU_API couFieldId couWorld_AddField(couWorld *world, const couFieldDef *def, couFaults *faults);
COU_API bool couWorld_SetField(couWorld *world, couFieldId field, const couFieldDef *def, couFaults *faults);
COU_API void couWorld_RemoveField(couWorld *world, couFieldId field);
COU_API bool couWorld_HasField(const couWorld *world, couFieldId field);
COU_API int couWorld_FieldCount(const couWorld *world);
COU_API couFieldId couWorld_FieldAt(const couWorld *world, int index);
COU_API const couFieldDef *couWorld_Field(const couWorld *world, couFieldId field);

// --- Blowers -----------------------------------------------------------------------------------------------------------------

/// Pushes the particles inside its shape along its local +y, and nothing else: bodies feel the flow alone.
typedef struct couBlowerDef {
    char name[COU_NAME_SIZE]; ///< unique; "" gives blower1, blower2...
    couShape *shape;          ///< where it blows: cylinder, cone, box, sphere or another with bounds; retained
    couPose pose;
    float force;        ///< on each particle [N] ([N/m] in 2D); this or `acceleration` must be given, the other stays COU_AUTO
    float acceleration; ///< of each particle [m/s^2]
    float start, stop;  ///< [s], default 0 and infinity
    float fade_in;      ///< grows linearly for so long from `start` on [s], >= 0, default 0
    float fade_out;     ///< falls linearly for so long up to `stop` [s], >= 0, default 0; both together at most stop - start
    float period;       ///< of pulses from `start` on [s]: 0 (default): none, or at least 1e-6
    float duty;         ///< share of a period that it blows, > 0 to 1, default 0.5
    couLook look;       ///< in pictures; opacity 0 by default: not drawn
} couBlowerDef;

COU_API couBlowerDef couDefaultBlowerDef(void);
COU_API const couParamTable *couBlowerParams(void);
COU_API couBlowerId couWorld_AddBlower(couWorld *world, const couBlowerDef *def, couFaults *faults);
/// Changes it while the world runs. What a state holds of it is all but the shape.
COU_API bool couWorld_SetBlower(couWorld *world, couBlowerId blower, const couBlowerDef *def, couFaults *faults);
COU_API void couWorld_RemoveBlower(couWorld *world, couBlowerId blower);
COU_API bool couWorld_HasBlower(const couWorld *world, couBlowerId blower);
COU_API void couWorld_SetBlowerOn(couWorld *world, couBlowerId blower, bool is_on); ///< at once; its times go on meanwhile
COU_API bool couWorld_IsBlowerOn(const couWorld *world, couBlowerId blower);
COU_API int couWorld_BlowerCount(const couWorld *world);
COU_API couBlowerId couWorld_BlowerAt(const couWorld *world, int index);
COU_API couBlowerId couWorld_FindBlower(const couWorld *world, const char *name);
COU_API const couBlowerDef *couWorld_Blower(const couWorld *world, couBlowerId blower);

// --- Events ------------------------------------------------------------------------------------------------------------------

/// Called between two steps, the first whose time is not before the event's.
typedef void couEventFcn(void *context, couWorld *world, double time);
/// `period` 0: once at `time`; otherwise again and again, at least 1e-6 s apart.
COU_API couEventId couWorld_AddEvent(couWorld *world, double time, double period, couEventFcn *function, void *context,
                                     couFaults *faults);
/// From now on at another time; false on a fault.
COU_API bool couWorld_SetEvent(couWorld *world, couEventId event, double time, double period, couFaults *faults);
/// An event may remove itself or others.
COU_API void couWorld_RemoveEvent(couWorld *world, couEventId event);
COU_API bool couWorld_HasEvent(const couWorld *world, couEventId event);
COU_API int couWorld_EventCount(const couWorld *world);
COU_API couEventId couWorld_EventAt(const couWorld *world, int index);
COU_API double couWorld_EventTime(const couWorld *world, couEventId event); ///< when it comes next [s]; infinite once it is done

// --- Stepping ----------------------------------------------------------------------------------------------------------------

typedef enum couPhase {
    cou_phaseEmit,      ///< events, emitters, sinks
    cou_phaseForces,    ///< gravity, fields and blowers change velocities; positions are predicted
    cou_phaseSort,      ///< particles into cell order
    cou_phaseNeighbors, ///< pairs within h that see each other
    cou_phaseWalls,     ///< distances to bodies
    cou_phaseSprings,   ///< rest lengths adjusted, spring displacements
    cou_phasePressure,  ///< double density relaxation, or the method's pressure solver
    cou_phaseBodies,    ///< what the fluid does to bodies, their contacts and joints
    cou_phaseCollide,   ///< paths swept against bodies, friction, stickiness
    cou_phaseVelocity,  ///< velocities from displacements
    cou_phaseViscosity, ///< pairwise impulses
    cou_phaseSolids,    ///< deformable solids: their own substeps, contacts with bodies
    cou_phaseMeasure,   ///< health: NaN, lost particles, speed
    cou_phaseCount
} couPhase;

COU_API const char *couPhaseName(couPhase phase);

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
    bool is_out_of_memory; ///< the step could not be finished; the run must stop
    int64_t nan_count;     ///< particles with NaN or infinite state; the run must stop
    int64_t lost_count;    ///< particles beyond the reach of the cell grid
    uint32_t first_bad_id; ///< the smallest of the counts above, UINT32_MAX for none
    int64_t crowded_count; ///< particles with more neighbours than a list holds
    int64_t guard_count;   ///< relaxation pressures that the stability guard cut
    int64_t trapped_count; ///< particles that collisions could not free in one step and left where they were
    int clamped_count; ///< steps that were longer than stability asked for, since the user's bound does not allow shorter ones
    float
        unstable_step; ///< stability asked for this step [s], less than a tenth of the user's bound: the advance ended before its
                       ///< time; 0 otherwise
    float
        runaway_speed; ///< root mean square of the particles' speeds [m/s], where they have energy from nowhere: beyond any scale
                       ///< of the world, or less where pressures pull (sph.clamp = false at a free surface); the advance may
                       ///< have ended before its time, and the run must stop; 0 otherwise
    float allowed_speed;    ///< with it: what falls, jets, bodies and tension of the world can give [m/s]
    int64_t contact_count;  ///< points where bodies touch each other, summed
    couBodyId bad_body;     ///< that became NaN or infinite, null for none; the run must stop
    couSolidId bad_solid;   ///< that became NaN or infinite, null for none; the run must stop
    int64_t inverted_count; ///< cells of solids that were turned inside out when a step ended, the most at once
    int solid_substeps;     ///< of all solids, summed
    double phase_seconds[cou_phaseCount];
    uint64_t pair_count; ///< neighbour entries, both directions, summed over the substeps
    uint64_t particle_steps;
} couStepReport;

/// True when the run must stop: NaN, lost particles, a body or solid out of bounds, no memory.
COU_API bool couStepReport_HasFailed(const couStepReport *report);
/// Adds what a later step did, to a zeroed report at first: counts are summed, of errors and speed the worst or the last stays.
COU_API void couStepReport_Add(couStepReport *all, const couStepReport *later);

/// Derives the method's numbers (stiffness, step...) from the scene; done by the first step if not called before.
COU_API bool couWorld_Prepare(couWorld *world, couFaults *faults);
/// Largest step that the method takes calmly with particles, bodies and jets as fast as they are now [s]; after preparation.
COU_API float couWorld_SuggestStep(couWorld *world);
/// Human-readable lines on what preparation chose and what error to expect; "" before. Valid until the next preparation.
COU_API const char *couWorld_Choices(const couWorld *world);
/// Expected relative height error of a pool as deep as the world's depth; after preparation.
COU_API float couWorld_HeightError(const couWorld *world);
COU_API float couWorld_SupportRadius(const couWorld *world); ///< h [m]

/// One step of dt seconds, > 0. Not reentrant per world.
COU_API couStepReport couWorld_Step(couWorld *world, float dt);
/// Advances by `seconds` in as many equal substeps as the method needs.
COU_API couStepReport couWorld_Advance(couWorld *world, double seconds);
/// Called after each step, also within couWorld_Advance(): the world may be read, and must not be changed.
typedef void couAfterStepFcn(void *context);
COU_API void couWorld_AfterStep(couWorld *world, couAfterStepFcn *function, void *context); ///< NULL: nobody any more
COU_API double couWorld_Time(const couWorld *world);                                        ///< [s]
COU_API uint64_t couWorld_StepCount(const couWorld *world);

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

COU_API couParticleView couWorld_Particles(const couWorld *world);
COU_API float couWorld_ParticleMass(const couWorld *world, int material); ///< [kg] ([kg/m] in 2D); 0 beyond

/// The points that stood for bodies in the last step: samples, or mirror images of the fluid (sph.boundary = ghost), and the
/// ghosts over free surfaces (ghost-air). In storage order, where they were at the beginning of that step; none for pvfs, and
/// before the first step.
typedef struct couSampleView {
    size_t count;
    const couVec4 *position; ///< xyz [m]; w: volume over that of a particle
    const couVec4 *velocity; ///< xyz [m/s]; w is internal
    const uint32_t *id;      ///< hardly ever the same for two
    const uint32_t *body;    ///< bodies are counted from 0 as they are added; solids go on behind the last body, then the air
} couSampleView;

COU_API couSampleView couWorld_Samples(const couWorld *world);

typedef struct couSpringView {
    uint32_t id_a, id_b; ///< id_a < id_b
    float rest_length;   ///< [m]
} couSpringView;
/// Copies up to `capacity` springs, sorted by id pair; returns how many.
COU_API size_t couWorld_CopySprings(const couWorld *world, couSpringView *springs, size_t capacity);

typedef struct couMeasurement {
    double kinetic_energy;   ///< [J]
    double potential_energy; ///< in uniform gravity, zero at the origin [J]
    double momentum[3];      ///< [kg m/s]
    double angular_momentum[3];
    double center[3]; ///< of mass [m]
    double mass;      ///< [kg]
    float max_speed;  ///< [m/s]
} couMeasurement;

COU_API couMeasurement couWorld_Measure(const couWorld *world);       ///< of the fluid
COU_API couMeasurement couWorld_MeasureBodies(const couWorld *world); ///< of the dynamic bodies, with what they turn

/// Bytes now and at most held by this world's arrays, neighbour lists, scratch and arenas.
COU_API size_t couWorld_Bytes(const couWorld *world);
COU_API size_t couWorld_PeakBytes(const couWorld *world);

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

COU_API size_t couStateType_Size(couStateType type);
/// Appends a copy of the data (NULL: zeros) and returns the array, NULL without memory.
COU_API couStateArray *couState_Add(couState *state, const char *name, const char *unit, couStateType type, int components,
                                    size_t count, const void *data);
COU_API const couStateArray *couState_Find(const couState *state, const char *name);
/// xxHash3 over names, types and data of all arrays in order.
COU_API uint64_t couState_Hash(const couState *state);
COU_API void couState_Clear(couState *state);

COU_API bool couWorld_SaveState(const couWorld *world, couState *state);
/// Into a world made from the same scene. Adds faults and leaves the world alone when the state does not fit.
COU_API bool couWorld_LoadState(couWorld *world, const couState *state, couFaults *faults);

#ifdef __cplusplus
}
#endif
