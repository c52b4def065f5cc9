// The pressure solver of pcisph, iisph and dfsph. All three look for pressures kappa_i >= 0 that make the density after the step,
//     D_i + dt sum_j G_ij . (v_i - v_j) <= 1,  with equality where kappa_i > 0,
// by repeated correction of kappa_i by its own error over a diagonal:
//   iisph: relaxed Jacobi [Ihmsen 2014; Gagneux 2022, eq. 2.36], diagonals a_ii per particle;
//   pcisph: the same with one diagonal, that of a full neighbourhood [Gagneux 2022, eq. 2.33, 2.34; its sign there is wrong];
//   dfsph: factors per particle [Bender 2015; Gagneux 2022, eq. 2.40], for the density and for the divergence of velocity.
// The system is the same, so one piece of code solves it. Velocities are changed as kappa changes: an iteration is a loop that finds
// errors and a loop that pushes (sph_wide.c).
//
// Chebyshev weights [Golub and Varga 1961] for eigenvalues of the scaled system between lambda/15 and lambda take a third to a half
// of Jacobi's iterations (lambda/30 took 0.9 iterations a step more in a dam break, lambda/60 1.4). lambda is that of the
// lattice and a third: with the lattice's own the dam flies apart. kappa is cut at 0 after each iteration, so the theory holds only
// where the set of pressed particles is settled: when the error grows from one iteration to the next, the weights start over for
// larger eigenvalues.

#include "fluid/sph.h"

#define EIGENVALUE_RANGE 15.0

typedef struct Weights {
    bool is_accelerated;
    double omega;
    double center, radius, ratio; // of the eigenvalues; ratio: rho_k of the recurrence
} Weights;

static Weights make_weights(const couSphState *state, double largest, double omega)
{
    double smallest = largest / EIGENVALUE_RANGE;
    return (Weights){state->is_accelerated, omega, 0.5 * (largest + smallest), 0.5 * (largest - smallest), 0};
}

// The next change is memory * last change + step_size * residual.
static void next_weights(Weights *weights, couSphLoop *loop)
{
    if (!weights->is_accelerated) {
        loop->memory = 0.0f, loop->step_size = (float)weights->omega;
    } else if (weights->ratio == 0) {
        loop->memory = 0.0f, loop->step_size = (float)(1 / weights->center);
        weights->ratio = weights->radius / weights->center;
    } else {
        double ratio = 1 / (2 * weights->center / weights->radius - weights->ratio);
        loop->memory = (float)(ratio * weights->ratio), loop->step_size = (float)(2 * ratio / weights->radius);
        weights->ratio = ratio;
    }
}

typedef struct ScaleJob {
    float *kappa, *change, *factor;
    const couVec4 *velocity;
    float scale, one_factor;
    bool is_clamped;
} ScaleJob;

// Pressures of the last step [Pa] to kappa of this one; that much is pushed first.
static void start_block(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)block, (void)worker;
    const ScaleJob *job = context;
    for (size_t i = begin; i < end; ++i) {
        job->kappa[i] = job->change[i] = job->scale * job->kappa[i];
        if (job->one_factor > 0.0f) job->factor[i] = job->one_factor / job->velocity[i].w; // among its own kind
    }
}

// The last residual loop has changed kappa by what was not pushed any more.
static void take_back_block(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)block, (void)worker;
    const ScaleJob *job = context;
    for (size_t i = begin; i < end; ++i) {
        float kappa = job->kappa[i] - job->change[i];
        job->kappa[i] = job->is_clamped ? COU_MAX(kappa, 0.0f) : kappa;
    }
}

static void end_block(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)block, (void)worker;
    const ScaleJob *job = context;
    for (size_t i = begin; i < end; ++i) job->kappa[i] *= job->scale;
}

// The diagonal of a full neighbourhood.
static float prototype_factor(const couFluid *fluid)
{
    const couSphState *state = fluid->method_state;
    double unit = state->volume * state->density_unit;
    return (float)(1 / (unit * unit * state->lattice.gradient2));
}

void couSph_Solve(couStep *step, const couPressureSolve *solve)
{
    static couSphLoopFcn *const residual[cou_isaCount] = COU_VARIANTS(couSphResidual);
    static couSphLoopFcn *const push[cou_isaCount] = COU_VARIANTS(couSphPush);
    couFluid *fluid = step->fluid;
    const couSphState *state = fluid->method_state;
    const couSphParams *p = fluid->params;
    if (!fluid->table.count) return;
    couSphLoop loop = couSph_Loop(step);
    loop.is_divergence = solve->is_divergence;
    loop.pressure = couTable_Data(&fluid->table, solve->column);
    float to_pascal = state->reference_density / step->dt;
    ScaleJob job = {loop.pressure, loop.change, loop.factor, loop.velocity, state->warm_start / to_pascal, 0.0f, loop.is_clamped};
    if (solve->has_one_stiffness) job.one_factor = prototype_factor(fluid);
    couFor(&fluid->parallel, loop.count, 8192, start_block, &job);
    if (state->warm_start > 0.0f) couSph_Run(step, &loop, push);

    double largest = state->largest_eigenvalue, omega = state->omega;
    Weights weights = make_weights(state, largest, omega);
    double last_error = INFINITY, error = 0;
    int least = solve->is_divergence ? COU_MIN(p->min_iterations, 1) : p->min_iterations;
    int iterations = state->warm_start > 0.0f; // a push is an iteration, also the first one by the last step's pressures
    for (;; ++iterations) {
        next_weights(&weights, &loop);
        couSph_Run(step, &loop, residual);
        error = couSph_SumBlocks(fluid) / (double)loop.count;
        bool is_done = error <= solve->tolerance && iterations >= least;
        if (is_done || iterations == p->max_iterations || !isfinite(error)) break;
        couSph_Run(step, &loop, push);
        if (error > last_error) { // smaller steps, from the start
            largest *= 1.3, omega /= 1.3;
            weights = make_weights(state, largest, omega);
        }
        last_error = error;
    }
    couFor(&fluid->parallel, loop.count, 8192, take_back_block, &job);
    couSph_PressBodies(step, loop.pressure);
    job.scale = to_pascal;
    couFor(&fluid->parallel, loop.count, 8192, end_block, &job);
    if (solve->is_divergence) {
        step->report->divergence_iterations += iterations;
    } else {
        step->report->iterations += iterations;
        step->report->solver_error = error;
    }
    if (!(error <= solve->tolerance)) step->report->unconverged_count++;
}
