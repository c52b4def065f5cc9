/// The inside of a world: the fluid, the bodies, and what is added to both while time goes on.
#pragma once

#include "fluid/fluid.h"
#include "fluid/springs.h"
#include "rigid/bodies.h"
#include "soft/solids.h"
#include "world/gauges.h"

typedef struct couEmitter {
    couSlot slot;
    couEmitterDef def;
    bool is_on;
    double travelled; ///< length of jet not yet filled with layers [m]; of a volume: how often it was filled
    uint64_t emitted;
    bool is_filled; ///< a volume emitter has done its work
} couEmitter;

typedef struct couSink {
    couSlot slot;
    couSinkDef def;
} couSink;

typedef struct couEvent {
    couSlot slot;
    double next, period; ///< [s]; next is infinite once done
    couEventFcn *function;
    void *context;
} couEvent;

/// Liquid that is to carry its weight from the start: rows of the table before the first sort.
typedef struct couRest {
    size_t first, count;
} couRest;

struct couWorld {
    couMemory memory;
    couArena scratch; ///< of the step
    couWorldDef def;
    couFluid fluid;
    couBodies bodies;
    couSolids solids;
    couRandom random;
    double time;
    uint64_t step_count;
    bool is_prepared;
    bool is_stepping;
    char choices[2048];
    COU_ARRAY(couEmitter) emitters;
    COU_ARRAY(couSink) sinks;
    COU_ARRAY(couEvent) events;
    couAfterStepFcn *after_step;
    void *after_step_context;
    couGauges gauges;
    float fluid_top, fluid_bottom; ///< of what was filled in before the first step [m]; top < bottom: none
    float fluid_speed;             ///< fastest fluid that was filled in [m/s]
    float fastest_thing;           ///< of bodies and jets so far, in methods with adaptive steps [m/s]
    double first_energy;           ///< mean of v^2 when the first advance began, where it is watched [m^2/s^2]
    bool has_watch;                ///< it is known
    COU_ARRAY(couRest) rests;      ///< that wait for the preparation
    couVec3 first_gravity;         ///< that the world was made with [m/s^2]
};

/// Against gravity, also where that pulls bodies or liquid alone; zero without.
static inline couVec3 couWorld_Up(const couWorld *world) { return couScale(-1.0f, couNormalize(couWorld_Gravity(world))); }
/// Gives the liquid and the bodies the gravity of world->def.
void couApplyGravity(couWorld *world);
/// After a preparation that failed half-way, with what it went well with before.
void couPrepareAsBefore(couWorld *world);

// --- Checks that defs share (defs.c): false with a fault ---------------------------------------------------------------------

couBounds couMoveBounds(couBounds bounds, couPose pose); ///< around a box that was moved by the pose
bool couCheckName(const char *name, const char *key, couFaults *faults);
bool couCheckPose(couPose pose, const char *key, couFaults *faults);
bool couCheckShape(const couWorld *world, const couShape *shape, bool must_be_bounded, const char *key, couFaults *faults);
bool couCheckMaterial(const couWorld *world, couMaterialId material, const char *key, couFaults *faults);

// --- Particles come and go (fill.c, emit.c) ----------------------------------------------------------------------------------

#define COU_MAX_VELOCITY 10000 ///< of fluid at the start, along each axis [m/s]

/// What fills a volume.
typedef struct couFilling {
    int material;
    const couShape *shape;
    couPose pose;
    couVec3 velocity; ///< [m/s]
    float jitter;     ///< / spacing
    bool avoids_particles;
    int64_t limit;    ///< particles at the most
    int64_t *blocked; ///< counts the places that bodies are in the way of; NULL: nobody asks
} couFilling;

/// Fills a shape at the rest spacing, outside of bodies and, if asked, away from particles. Returns how many, -1 without memory.
int64_t couFillShape(couWorld *world, const couFilling *filling);
/// Fills a closed domain with `wanted` particles, what it holds at rest: a lattice that fits, thinned out. Returns as
/// couFillShape().
int64_t couFillFull(couWorld *world, const couFilling *filling, int64_t wanted);
/// Puts what a lattice of `present` particles, the last of the table, lacks of the shape's volume beside round walls, and spreads
/// all of them. Returns how many were added: none for boxes, solids, and what is within 1 % as it is; -1 without memory
/// (fill_round.c).
int64_t couFillRound(couWorld *world, const couFilling *filling, int64_t present);
/// Gives the liquid that waits for it the pressures, or the density, of liquid at rest (rest.c). False without memory.
bool couSettle(couWorld *world);
/// About how many particles a shape takes; infinity where its lattice is too large to walk. Where its bounds hold no more than
/// `enough`, what they hold, without a closer look.
double couEstimateFill(const couWorld *world, const couShape *shape, double enough);
/// Adds one particle at the end of the table. False without memory, or when all ids have been given.
bool couAddParticle(couWorld *world, int material, couVec3 position, couVec3 velocity);
void couEmit(couWorld *world, float dt, couStepReport *report); ///< emitters and sinks
couPose couEmitterPose(const couEmitterDef *def, double time);
bool couIsJet(const couEmitterDef *def); ///< from a disk or polygon, and not a volume that is filled
/// True while it is switched on and in its time.
bool couIsEmitting(const couEmitter *emitter, double time);
/// Particles inside (or outside) the shape and a margin [m] around it go; returns how many, -1 without memory.
int64_t couRemoveInside(couWorld *world, const couShape *shape, couPose pose, float margin, bool is_inverted);

// --- The step (step.c, measure.c, demand.c) ----------------------------------------------------------------------------------

/// Compression, speed, NaN of what came out of a step, into its report.
void couMeasureHealth(couWorld *world, couStep *step);
couDemand couEstimateDemand(const couWorld *world);
/// The same, where what is given (NaN: nothing) takes the place of the user's depth and speed.
couDemand couEstimateDemandFor(const couWorld *world, couDemand given);

// --- Liquid that runs away (runaway.c) ---------------------------------------------------------------------------------------

/// Of one advance.
typedef struct couWatch {
    double gain;    ///< of energy that is too much
    double allowed; ///< mean of v^2 that the world can give, as far as it is known [m^2/s^2]
    int stuck_steps;
} couWatch;

couWatch couBeginWatch(couWorld *world);
/// After each step: true when too many in a row had particles far too fast, were longer than stability asks for, and left their
/// solvers above the tolerance.
bool couWatch_IsStuck(couWatch *watch, const couStepReport *own, bool is_clamped);
/// Tells the report when the liquid has far more energy than the world can give, or was stuck.
void couEndWatch(couWorld *world, const couWatch *watch, couStepReport *report);
