/// Pressures of the samples of solids.
///
/// With the pressure of a wall its neighbour's [Akinci 2012], a pair of liquid counts for both of its ends and a pair with a
/// wall for one: the first row of liquid stands too close to the wall, and too thin. Here a sample s has the mean of the
/// pressures near it,
///     kappa_s = sum_i phi_si kappa_i,   phi_si = f_s |G_si|^2 / sum_j |G_sj|^2,
/// f_s from 0 where no liquid is to 1 where it is surrounded by it. That a push by these pressures never makes energy asks for
/// more than a push: what they do the residual must feel. A sample therefore has a density too, of the liquid around it and the
/// solid matter behind it, and whatever that is off is shared out by the same phi:
///     D_i + sum_s phi_si w_s (D_s - 1),   w_s = V_s / V,
/// is what the solvers and state equations keep at 1. The system stays symmetric, and has not one unknown more.
#pragma once

#include "fluid/fluid.h"

struct couSphLoop;
struct couPairBlock;

/// Samples that liquid touches, as rows of their own, and per sample what the liquid's loops read. In the step's scratch.
typedef struct couWallRows {
    size_t count;               ///< 0: walls have no pressures of their own
    uint32_t *sample;           ///< per row: in the boundary
    uint32_t *start;            ///< per row: its first block; one more at the end
    uint32_t *list;             ///< liquid near it, in blocks
    struct couPairBlock *pairs; ///< G_si
    float *weight;              ///< per row: phi_si / (G_si in units of the scale)^2
    float *excess;              ///< per row: D_s - 1
    // Per row of the columns from couFluid.table.count on, padding included.
    float *kappa;  ///< or a change of it
    float *ask;    ///< share w_s times what the loop asks of the sample
    float *share;  ///< phi_si / (G_is in units of the scale of solids)^2
    couVec4 *push; ///< sum_i G_is [1/m]
} couWallRows;

/// Rows, gradients and densities; then the liquid's densities and diagonals with them. After the pairs were found. False without
/// memory.
bool couWalls_Find(couWallRows *walls, couStep *step);
/// The samples' part of values of the liquid (kappa, or a change of it), into walls->kappa.
void couWalls_Extend(const couStep *step, struct couSphLoop *loop, const float *values);
/// Rates at which the samples' densities grow, by the velocities, into walls->ask.
void couWalls_Ask(const couStep *step, struct couSphLoop *loop);
