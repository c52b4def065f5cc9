/// Free bodies as part of the pressure system: they give way while the pressures are sought, so that the next residual knows how
/// far they did. A body a hundredth as dense as the liquid around it is then no harder than a heavy one.
///
/// The pressure kappa_i of a particle pushes a body by V rho_ref kappa_i w_i, six numbers: w_i = sum over the body's samples of
/// (G, arm x G); and a change u of the body's velocity and spin takes w_i . u from the rate at which the particle's density
/// grows. So the system gains J C J^T, with J the rows w_i and C = V rho_ref / M. That is of rank six a body and large where
/// bodies are light: conjugate gradients would spend their iterations on it. The preconditioner, which begins with the particles'
/// own diagonals 1/F, is therefore corrected as the system was (by Woodbury's identity):
///     (1/F + J C J^T)^-1 = F Q^T,   Q = 1 - F J S J^T,   S = (C^-1 + J^T F J)^-1,
/// and the coarse level acts on what the bodies leave to it: Q coarse Q^T.
///
/// Contacts and joints hold bodies (rigid/holds.h): C becomes what they leave of it, C - C H^T (H C H^T)^-1 H C with their rows
/// H. Contacts count that bodies would approach by at the beginning of a solve. How it really goes the rigid solver says, after.
#pragma once

#include "fluid/fluid.h"
#include "rigid/holds.h"

struct couSphLoop;

/// What a particle and a free body are to each other.
typedef struct couBodyLink {
    uint32_t particle;
    float wrench[6]; ///< w [1/m, 1]
    float weight;    ///< F, or 0 where the pressure cannot change [m^2]
    float bodies;    ///< that the particle is near
    float samples;   ///< share of the samples near it that are this body's
    uint32_t wall;   ///< of the particle among those near solids
} couBodyLink;

/// A free body that liquid touches.
typedef struct couYieldingBody {
    uint32_t place;            ///< in couBodies
    size_t begin, end;         ///< of the links
    size_t row_begin, row_end; ///< of the samples
    double inverse[6][6];      ///< V rho_ref / M
    double compliance[6][6];   ///< its block of C: the same less what contacts and joints hold
    double small[6][6];        ///< S
    double load[6];            ///< J^T kappa
    double response[6];        ///< C load
    double change[6];          ///< of velocity and spin since the samples were placed [m/s, rad/s]
    double answer[6];          ///< S J^T of what was asked
} couYieldingBody;

/// All of it lives in the step's scratch.
typedef struct couYield {
    size_t body_count, link_count;
    couYieldingBody *bodies;
    couBodyLink *links; ///< by body, then in the order of particles
    uint32_t *rows;     ///< samples, in the boundary, by body
    couBodyHolds holds; ///< of all bodies; kept from step to step
    size_t held_count;  ///< rows that hold now
    uint32_t *held;     ///< which
    int32_t (*ends)[2]; ///< their bodies here; -1: one that does not give way
    double *factor;     ///< Cholesky's of H C H^T
    double *reaction;   ///< scratch: one a row
} couYield;

void couYield_Free(couYield *yield, couMemory *memory);
/// After the pairs were found. body_count is 0 where no body is free. False without memory.
bool couYield_Find(couYield *yield, couStep *step);
/// Velocities of the bodies at the beginning of a solve: what the impulses of this step made of them so far and these pressures
/// (NULL: none) make, with this step's gravity or without. The samples' rows follow.
void couYield_Begin(couYield *yield, const couStep *step, const float *kappa, bool has_gravity);
/// The response to pressures or a change of them; returns its square, weighted by mass over V rho_ref.
double couYield_Respond(couYield *yield, const couFluid *fluid, const float *kappa);
/// Velocities change by t times the response; the samples' rows follow.
void couYield_Move(couYield *yield, const couStep *step, double t);
/// S and what the bodies answer to the residuals, pressures that would turn negative being cut: eased = J S J^T of what is asked,
/// for particles near these bodies alone. Returns the longest way [m] that a body has to give yet.
double couYield_Hear(couYield *yield, const couFluid *fluid, const struct couSphLoop *loop, float *eased);
/// z = Q z
void couYield_Correct(couYield *yield, const couFluid *fluid, float *z);

/// For pressures that follow from densities: lessens those near bodies by what these give way in the step. `stiffness` is what
/// kappa gains with D. Without, a body much lighter than the liquid is thrown to and fro.
void couYield_Soften(couYield *yield, const couStep *step, float *kappa, const float *stiffness);

// Viscosity, whose forces come from solids per particle (couSphLoop.walls) and act at the particle.

/// The response to accelerations that solids give the liquid, into `response`; what they load the bodies with stays in `load`.
void couYield_Drag(couYield *yield, const couFluid *fluid, const struct couSphLoop *loop);
/// response = C load
void couYield_Follow(couYield *yield, const couFluid *fluid);
/// The largest mass of liquid near a body / its mass.
double couYield_Load(const couYield *yield, const struct couSphLoop *loop);
/// The responses as velocities of the samples, into rows of `velocity`.
void couYield_WriteRows(const couYield *yield, const couFluid *fluid, couVec4 *velocity);
