/// The bodies as samples, for the methods that see solids so: sampled once in their own frames, then placed where the bodies are.
#pragma once

#include "fluid/fluid.h"
#include "shape/samples.h"

/// A cube of an unbounded body's frame that has been sampled.
typedef struct couTile {
    int32_t place[3];
} couTile;

/// What is kept of a body between steps.
typedef struct couBodySamples {
    couSamples samples; ///< in the body's frame
    float *volumes;     ///< [m^n]
    float *shares;      ///< of each that counts, for fixed bodies: where they meet they share samples
    float *solids;      ///< share of the density at each that is solid matter
    size_t share_capacity, solid_capacity;
    size_t settled_count;     ///< samples whose shares are found
    uint64_t settled_change;  ///< couBodies.change_count when they were
    COU_ARRAY(couTile) tiles; ///< of an unbounded shape
    bool is_sampled;
    uint16_t generation; ///< of the body that they are of
} couBodySamples;

/// False, with faults, where a body would take absurdly many samples.
bool couCheckSamples(const couFluid *fluid, couFaults *faults);
/// Fills the fluid's boundary with the samples of all bodies, where they are now. False without memory.
bool couPlaceSamples(couStep *step);
void couFreeBodySamples(couFluid *fluid);
/// The parts of that which deformable solids share: samples with volumes, and what is solid around each, in the body's frame.
bool couSampleBody(couFluid *fluid, const couBody *body, couBodySamples *own);
bool couSettleSamples(couFluid *fluid, const couBody *body, couBodySamples *own);
void couClearSamples(couFluid *fluid, couBodySamples *own);
/// True where an axis repeats and the place is not in the box that does.
bool couIsOutsidePeriod(const couPeriod *period, couVec3 x);
/// What they depend on has changed: the next step samples all bodies anew.
void couForgetBodySamples(couFluid *fluid);
