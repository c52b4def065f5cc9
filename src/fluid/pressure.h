/// An iteration's loops over the particles alone, which ask no neighbours (pressure.c).
#pragma once

#include "base/wide.h"

#define COU_COMPRESSION_ROUNDING 1e-6f ///< of densities: a lattice is neither compressed nor expanded

typedef struct couSolveLoop {
    const float *residual, *last_residual; ///< e, of this iteration and the one before
    const float *eased;                    ///< of the residuals, what bodies take by giving way; NULL: nothing
    const float *factor;                   ///< 1 / diagonal
    const couVec4 *out;                    ///< by which a step of 1 lessens the velocities
    couVec4 *velocity;
    float *pressure, *change; ///< kappa, and its change along the direction [m^2/s]
    float *corrected;         ///< the residuals through the preconditioner; before, what the coarse level makes of them
    float *direction;         ///< [m^2/s]
    float inv_dt;             ///< [1/s]
    float coarse_share;       ///< of what the coarse level says; 0: it says nothing
    float level;              ///< taken off `corrected`
    float turn;               ///< share of the last direction
    float reach;              ///< how far along the direction pressures may go before they are cut
    float step;               ///< t, along the changes
    bool is_clamped;
} couSolveLoop;

/// Leaves up to four sums, of a block.
typedef void couSolveLoopFcn(const couSolveLoop *loop, size_t begin, size_t end, double *sums);

/// z, the residual through the preconditioner, into `corrected`; sums z e, z times the last residual, and z.
COU_DECLARE_WIDE(void, couSolvePrecondition, const couSolveLoop *loop, size_t begin, size_t end, double *sums);
/// The next direction, and the change of kappa along it, which no pressure may turn negative; the sum of the change times e, and
/// how far one may go before some pressure does.
COU_DECLARE_WIDE(void, couSolveDirect, const couSolveLoop *loop, size_t begin, size_t end, double *sums);
/// Velocities and pressures along the change.
COU_DECLARE_WIDE(void, couSolveMove, const couSolveLoop *loop, size_t begin, size_t end, double *sums);
