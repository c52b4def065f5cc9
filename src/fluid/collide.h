/// Particles against bodies: paths that end at surfaces, friction, stickiness, and what free bodies feel of it.
#pragma once

#include "fluid/fluid.h"

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
    uint32_t particle;
} couTouch;

typedef struct couTouchBlock {
    couTouch *items;
    size_t count, capacity;
} couTouchBlock;

/// What the particles would do to free bodies at their predicted places. False without memory.
bool couFindTouches(couStep *step);
/// Gives the bodies what viscosity took of the liquid along them in this step. False without memory.
bool couGiveDrags(couStep *step);
int couTouchBlockCount(const couFluid *fluid);
void couFreeTouches(couFluid *fluid);

/// Whether collisions note which particles free bodies stop: where samples push the liquid, these share what is left over.
static inline bool couKeepsTouches(const couFluid *fluid)
{
    return fluid->bodies->free_count && !fluid->method->has_contact_pushes;
}

// couple.c
void couSettleImpulses(couStep *step); ///< what collisions gave beyond what couPhase_Bodies() expected
