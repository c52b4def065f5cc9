/// Patches of bodies, for who wants to know what the fluid does to a part of a surface: an impulse at a point goes to the body
/// and to each patch of it that the point lies in.
#pragma once

#include "rigid/bodies.h"

/// A patch that moves with its body; its shape is retained. Impulses come at points: so that its size does not depend on how
/// many of them just lie inside, they count in part within `edge` [m] across its edge. Its index, -1 without memory.
int couBodies_AddPatch(couBodies *bodies, const couBody *body, couShape *shape, couPose pose, float edge);
void couBodies_RemovePatch(couBodies *bodies, int patch);
void couFreePatches(couBodies *bodies);

typedef double couImpulseSum[6]; ///< an impulse and its moment

/// Sums that a block of particles keeps: the bodies', then the patches'.
static inline size_t couBodies_SumCount(const couBodies *bodies) { return bodies->count + bodies->patches.count; }
/// Adds an impulse on the body at a point, by its place at the beginning of the step, to the sums of its patches.
void couAddToPatches(const couBodies *bodies, couImpulseSum *sums, size_t body, couVec3 at, const double impulse[6]);
