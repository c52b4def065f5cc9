/// Deformable solids as the SPH methods see them: sampled at rest like bodies, each sample in a cell of the mesh. The corners of
/// the cell carry it, by its weights in it, and take what the liquid does to it by the same weights: momentum is kept to
/// rounding.
///
/// The pressure system sees a solid that nothing holds as a rigid body with its mass and inertia (couSoft.body), which gives way
/// while the pressures are sought (yield.h): the liquid that has to move along may weigh more than the solid does. How it bends
/// the liquid learns a step later, from where its points went in the step before (couSolid.drift; their velocities, which swing
/// faster than the liquid's steps, shook a floating block twice as much). That goes well for solids at least half as dense as
/// the liquid that are not much thinner than they are wide.
#pragma once

#include "fluid/body_samples.h"
#include "soft/solids.h"

#define COU_LEAST_SOFT_DENSITY 0.5 ///< of a solid / that of the liquid around it, for bending that is stable

/// Where a sample is in the mesh.
typedef struct couHost {
    uint32_t cell;
    float weights[COU_MAX_CORNERS]; ///< of its corners
} couHost;

/// One solid.
typedef struct couSoft {
    couBody body; ///< as the liquid sees it in this step; its shape is the solid at rest, in the mesh's frame
    couBodySamples own;
    couHost *hosts; ///< per sample
    bool is_ready;
} couSoft;

/// Bodies and after them solids have places, by which samples know whose they are.
static inline size_t couPlaceCount(const couFluid *fluid) { return fluid->bodies->count + fluid->softs.count; }
static inline couBody *couBodyAt(const couFluid *fluid, size_t place)
{
    size_t bodies = fluid->bodies->count;
    return place < bodies ? &fluid->bodies->items[place] : &fluid->softs.items[place - bodies].body;
}

/// True for methods whose walls are samples: others meet solids by contacts.
bool couMeetsSolids(const couFluid *fluid);
/// Adds the samples of all solids to the boundary. False without memory, or where a solid cannot be sampled.
bool couPlaceSoft(couStep *step);
/// What a sample's row of the boundary is pushed by in this step [N s]; from any thread, in any order.
void couPushSoft(const couFluid *fluid, uint32_t row, couVec3 impulse);
/// All that was pushed becomes forces on the points of the solids for the next dt seconds.
void couSettleSoft(couFluid *fluid, float dt);
/// Of methods that do not meet solids by samples: particles and solids part where they overlap (soft_contact.c). False without
/// memory.
bool couTouchSoft(couFluid *fluid, couSolids *solids, float dt);
void couFreeSoft(couFluid *fluid);
