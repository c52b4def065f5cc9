/// Blowers: regions in which the liquid is pushed, for a time, with fades and pulses.
#pragma once

#include "base/slots.h"
#include "coulis/world.h"

typedef struct couBlower {
    couSlot slot;
    couBlowerDef def;
    bool is_on;
} couBlower;

typedef struct couBlowers {
    couBlower *items;
    size_t count, capacity;
} couBlowers;

/// A blower that works in this step.
typedef struct couBlow {
    const couShape *shape;
    couPose pose;
    couVec3 push;  ///< along the blower, as strong as its times make it in this step: an acceleration or a force [m/s^2, N]
    bool is_force; ///< on a particle, whatever its mass
} couBlow;

struct couFluid;
struct couStep;
/// Mean share of its strength from `time` on for dt seconds, 0 to 1, by start, stop, fades and pulses.
double couBlower_Share(const couBlowerDef *def, double time, double dt);
/// Acceleration of the lightest of the fluid's particles at full strength [m/s^2], >= 0.
float couBlower_Strength(const struct couFluid *fluid, const couBlowerDef *def);
/// Of the strongest that is switched on.
float couStrongestBlow(const struct couFluid *fluid);
/// Those that work in the step, in its scratch; false without memory.
bool couListBlows(struct couStep *step, couBlow **blows, size_t *count);
/// What they do to a particle of this mass at x.
couVec3 couBlow_Sum(const couBlow *blows, size_t count, int dimension, couVec3 x, float mass);
