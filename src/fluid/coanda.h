/// The Coanda force: bodies pull the liquid around them.
#pragma once

#include "fluid/sph.h"

/// Pulls of the bodies for dt seconds; writes velocity, and what the bodies get for it.
void couSph_PullByBodies(couStep *step, float dt);
/// What C = 1 does beside a flat wall, into the fluid. False, with faults, where a body's C asks for steps shorter than min_step,
/// or there are no samples that could pull. After the kernels were chosen.
bool couSph_PrepareCoanda(couFluid *fluid, couFaults *faults);
/// The longest step in which the strongest pull moves a particle from rest by no more than `way` [s]; infinity without any.
float couSph_CoandaStep(const couFluid *fluid, float way);
/// Factor of C (x_j - x_i) (1 + V_j / V_i) / 2 at the distance q h, in units of 1 / coanda_step^2.
float couCoandaShape(int kind, int dimension, float q);
