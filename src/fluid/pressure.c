// The pressure solver of pcisph, iisph and dfsph. All three look for pressures kappa_i >= 0 that make the density after the step,
//     D_i + dt sum_j G_ij . (v_i - v_j) <= 1,  with equality where kappa_i > 0,
// by repeated correction of kappa_i by its own error over a diagonal:
//   iisph: relaxed Jacobi [Ihmsen 2014; Gagneux 2022, eq. 2.36], diagonals a_ii per particle;
//   pcisph: the same with one diagonal, that of a full neighbourhood [Gagneux 2022, eq. 2.33, 2.34; its sign there is wrong];
//   dfsph: factors per particle [Bender 2015; Gagneux 2022, eq. 2.40], for the density and for the divergence of velocity.
// The system is the same, so one piece of code solves it. Velocities are changed as kappa changes: an iteration is a loop that
// finds errors and a loop that pushes (sph_wide.c).
//
// Chebyshev weights [Golub and Varga 1961] for eigenvalues of the scaled system between lambda/15 and lambda take a third to a
// half of Jacobi's iterations (lambda/30 took 0.9 iterations a step more in a dam break, lambda/60 1.4). lambda is that of the
// lattice and a third: with the lattice's own the dam flies apart. kappa is cut at 0 after each iteration, so the theory holds
// only where the set of pressed particles is settled: when the error grows from one iteration to the next, the weights start
// over for larger eigenvalues.
//
// Starting from the last step's pressures saves iterations and costs calm. Where a solver stops at a tolerance, modes that it
// has not solved live on in the kept pressures, which then add up density errors over time: they lag behind the density and
// feed its oscillations. With y the density error of a mode, w the share kept and one correction a step, y'' = -k^2 p and p' =
// A (y / dt + y') - (1 - w) p / dt grows for any w > 0; solving each step well is what stops it, and a mode as long as the
// water is deep is never solved well. Kinetic energy / m g d in a tank of 48 layers after 7 to 10 s: 8e-3 at w = 0.8, 4e-3 at
// 0.7, 3e-5 at 0.5, with 14, 23 and 47 iterations a step. So calm liquid starts from a half, and only fast flow, where nobody
// sees it, from 0.9 (dfsph). Tried and dropped: pressures smoothed over neighbours, correcting a fifth of the density error in
// a step (calm, but the density stands at tolerance / share), keeping a share of the corrections only (the same as a smaller
// w).

#include "fluid/sph.h"

#define EIGENVALUE_RANGE 15.0

typedef struct Weights {
    bool is_accelerated;
    double omega;
    double center, radius, ratio; // of the eigenvalues; ratio: rho_k of the recurrence
} Weights;

static Weights make_weights(bool is_accelerated, double largest, double omega)
{
    double smallest = largest / EIGENVALUE_RANGE;
    return (Weights){is_accelerated, omega, 0.5 * (largest + smallest), 0.5 * (largest - smallest), 0};
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

// The share of the last pressures to start from. What is fast: ways against neighbours of a tenth of a spacing in a step and
// more. Where liquids of different density meet pressures change too much: a light particle is thrown by what was right for a
// heavy one.
static float start_share(const couStep *step)
{
    const couSphState *state = step->fluid->method_state;
    float way = step->fluid->relative_speed * step->dt / step->fluid->spacing;
    float speed = COU_CLAMP((way - 0.05f) / 0.05f, 0.0f, 1.0f);
    if (!state->is_single_density) return 0.0f;
    return state->calm_start + speed * (state->warm_start - state->calm_start);
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
    float share = start_share(step);
    ScaleJob job = {loop.pressure, loop.change, loop.factor, loop.velocity, share / to_pascal, 0.0f, loop.is_clamped};
    if (solve->has_one_stiffness) job.one_factor = prototype_factor(fluid);
    couFor(&fluid->parallel, loop.count, 8192, start_block, &job);
    if (share > 0.0f) couSph_Run(step, &loop, push);

    double largest = state->largest_eigenvalue, omega = state->omega;
    // The bound on eigenvalues is that of one liquid: light particles among heavy ones may have larger ones.
    bool is_accelerated = state->is_accelerated && state->is_single_density;
    Weights weights = make_weights(is_accelerated, largest, omega);
    double last_error = INFINITY, error = 0;
    int least = solve->is_divergence ? COU_MIN(p->min_iterations, 1) : p->min_iterations;
    int iterations = share > 0.0f; // a push is an iteration, also the first one by the last step's pressures
    for (;; ++iterations) {
        next_weights(&weights, &loop);
        couSph_Run(step, &loop, residual);
        error = couSph_SumBlocks(fluid) / (double)loop.count;
        bool is_done = error <= solve->tolerance && iterations >= least;
        if (is_done || iterations == p->max_iterations || !isfinite(error)) break;
        couSph_Run(step, &loop, push);
        if (error > last_error) { // smaller steps, from the start
            largest *= 1.3, omega /= 1.3;
            weights = make_weights(is_accelerated, largest, omega);
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
