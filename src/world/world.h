/// The inside of a world.
#pragma once

#include "fluid/fluid.h"
#include "fluid/springs.h"

typedef struct couBody {
    couBodyDef def;
    uint16_t generation;
    bool is_here;         ///< false once removed
    couPose start, end;   ///< at the beginning and the end of the current step
    couPose pose;         ///< now
    float friction_share; ///< of the sliding that this step's contact takes; the same per second whatever the step
    double impulse[3];    ///< taken from the fluid since the last reset [N s]
    couVec3 force;        ///< mean over the last advance or step [N]
} couBody;

typedef struct couEmitter {
    couEmitterDef def;
    bool is_on;
    double travelled; ///< length of jet not yet filled with layers [m]
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
};

// defs.c
bool couCheckName(const char *name, const char *key, couFaults *faults);

// emit.c
void couEmit(couWorld *world, float dt, couStepReport *report); ///< emitters and sinks
/// Fills a shape at the rest spacing, outside of bodies and, if asked, away from particles. Returns how many, -1 without memory.
int64_t couFillShape(couWorld *world, int material, const couShape *shape, couPose pose, couVec3 velocity, float jitter,
                     bool avoids_particles, int64_t limit);
/// About how many particles a shape takes; infinity where its lattice is too large to walk.
double couEstimateFill(const couWorld *world, const couShape *shape);
/// Adds one particle at the end of the table. False without memory.
bool couAddParticle(couWorld *world, int material, couVec3 position, couVec3 velocity);
/// True when x is closer than `margin` to a body, or inside.
bool couIsInsideBody(const couWorld *world, couVec3 x, float margin);
/// True when a body lies between a and b.
bool couIsBlocked(const couWorld *world, couVec3 a, couVec3 b);

// bodies.c
void couMoveBodies(couWorld *world, float dt); ///< start and end poses of the step
bool couFindContacts(couStep *step);
void couSeparate(couStep *step);
void couCollide(couStep *step);

// fields.c
void couAccelerate(couStep *step);

// demand.c
couDemand couEstimateDemand(const couWorld *world);
