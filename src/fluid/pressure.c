// The pressure solver of pcisph, iisph and dfsph. All three look for pressures kappa_i >= 0 that make the density after the step
//     theta (D_i - 1) + dt sum_j G_ij . (v_i - v_j) <= 0,  with equality where kappa_i > 0:
//   iisph [Ihmsen 2014; Gagneux 2022, eq. 2.36] with the diagonals a_ii of the system;
//   pcisph with one diagonal, that of a full neighbourhood [Gagneux 2022, eq. 2.33, 2.34; its sign there is wrong];
//   dfsph [Bender 2015; Gagneux 2022, eq. 2.40] for the density and for the divergence of velocity.
// The system is the same, so one piece of code solves it. Velocities change as kappa does: an iteration is a loop that finds the
// residual e and one that finds what a change of kappa does to the velocities (sph_wide.c).
//
// The system A = B R B^T is symmetric, so the pressures minimise kappa A kappa / 2 - kappa e / dt where none is negative:
// conjugate gradients, whose directions are cut where a pressure would turn negative, and an exact way along the cut change.
// The relaxed Jacobi of the papers is the same loop without the conjugate directions (acceleration = none).
//
// Neighbours alone hand a pressure on by one support an iteration: a tank of N layers took 40 to 65 of them and was never solved
// over lengths of its depth. So the preconditioner has a second level, nodes three supports apart (coarse.c), whose equations
// are solved as well as they are few: z = e / a_ii + sigma P A_c^-1 P^T e. Its operator is built once a solve, from the
// particles that bear pressure or are compressed. The coarse part goes only to where it cannot be cut: otherwise what is left
// of a long wave after cutting is no descent. Building it costs about as much as an iteration, and most solves of a splash
// end after three or four, so fast flow with a surface gets it only for what is left after three: a dam of 10,000 takes 4.2
// iterations a step instead of 5.0, and a tenth less time; a jet into a tank of 100 layers, which would need it at once, 4.9
// instead of 4.3. A lattice at rest density is compressed by rounding alone, so that much counts: the first load of a tank at
// rest is off by 0.16 of the weight, and by 0.2 or 0.36, as rounding has it, without.
//
// Starting from the last pressures saves iterations and can cost calm. With y the density error of a mode, U = dt times its rate
// of change, w the share kept, rho the factor by which a solve reduces the residual: s = theta y + U - w p, p' = w p + (1 - rho)
// s, U' = U - p', y' = y + U'. A mode that is hardly touched (rho near 1) is stable for w < 1 / (1 + theta): a full correction
// of the density in each step (theta = 1) allows half the last pressures at most, a third of it 0.77, and modes that the coarse
// level solves any w. In calm liquid, whose errors are small, theta is therefore 0.3 and w 0.9; a fast flow corrects its density
// at once. The deeper the water, the smaller the error that lifts it off the floor as a whole: that which gravity makes in a
// step, g dt^2 / H, which falls with the square of the number of layers; beyond a hundred of them theta falls like that.
// Iterations at rest are the same number in every step: a solver that stops now after five, now after six, kicks.

#include "fluid/pressure.h"
#include "fluid/sph.h"

#define CALM_ITERATIONS 6     // at least, in calm liquid; with four in space water boils
#define FAST_ITERATIONS 3     // after which fast flow gets its coarse level
#define CALM_CORRECTION 0.3f  // theta
#define CALM_LAYERS 100.0f    // of water that bears this theta
#define MIXED_CORRECTION 0.1f // theta where liquids of different density meet
#define CALM_REACH 1.3f       // times the direction, before the cut
#define MOST_CORRECTED 0.02f  // of the density in a step: what was squeezed is let go, not shot
#define LEAST_LEVEL 3.0f      // of closed boxes, in spacings of depth
#define LEVEL_SHARE 0.05      // of a level above need that a step takes back
#define COARSE_SHARE 0.7f     // sigma: both levels see the waves between their lengths
#define BODY_SHARE 0.2        // of the way that a body has to give yet, in spacings, that counts as an error
#define LEAST_STEP 0.15       // of the cut change: below, the direction is given up for the particles' own

// One solve under way.
typedef struct Solver {
    couStep *step;
    couSphLoop loop;
    float *last_residual; // of the iteration before
    float *corrected;     // residuals through the preconditioner [m^2/s]
    float *direction;     // [m^2/s]
    couYield *yield;      // free bodies
    float *eased;         // of the residuals, what they take by giving way; NULL where there are none
    float mean;           // of the residuals
    float level;          // mean of `corrected`, where it is to be taken off
    float turn;           // share of the last direction
    float reach;          // how far along the direction pressures may go before they are cut
    float step_size;      // t
    float scale;          // of pressures: to kappa, and back
    float start_level;    // what all pressures start from beside a share of their own [m^2/s]
    float raised;         // what is added to all pressures at the end [m^2/s]
    float one_factor;     // of all particles' diagonals; 0: each has its own
    bool has_level;       // there is no surface: pressures are known but for a constant, and none is cut
    bool has_coarse;      // the coarse level is built
    bool is_corrected;    // `corrected` holds the coarse level's part
    bool has_gradients;   // conjugate ones, and an exact way along them
} Solver;

// --- Start and end -----------------------------------------------------------------------------------------------------------

// Pressures of the last step [Pa] to kappa of this one; that much is pushed first.
static void start_block(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)block, (void)worker;
    const Solver *solver = context;
    const couSphLoop *loop = &solver->loop;
    for (size_t i = begin; i < end; ++i) {
        loop->pressure[i] = loop->change[i] = solver->scale * loop->pressure[i] + solver->start_level;
        if (solver->one_factor > 0.0f) loop->factor[i] = solver->one_factor / loop->velocity[i].w; // among its own kind
    }
}

static void end_block(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)block, (void)worker;
    const Solver *solver = context;
    for (size_t i = begin; i < end; ++i) solver->loop.pressure[i] = solver->scale * (solver->loop.pressure[i] + solver->raised);
}

// The diagonal of a full neighbourhood.
static float prototype_factor(const couFluid *fluid)
{
    const couSphState *state = fluid->method_state;
    double unit = state->volume * state->density_unit;
    return (float)(1 / (unit * unit * state->lattice.gradient2));
}

// --- The coarse level --------------------------------------------------------------------------------------------------------

static inline bool is_active(const couSphLoop *loop, size_t i)
{
    return !loop->is_clamped || loop->pressure[i] > 0.0f || loop->residual[i] > -COU_COMPRESSION_ROUNDING;
}

static void active_block(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)block, (void)worker;
    const Solver *solver = context;
    for (size_t i = begin; i < end; ++i) solver->loop.change[i] = is_active(&solver->loop, i);
}

static void mask_block(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)block, (void)worker;
    const Solver *solver = context;
    const float *eased = solver->eased;
    for (size_t i = begin; i < end; ++i)
        solver->corrected[i] = is_active(&solver->loop, i) ? solver->loop.residual[i] - (eased ? eased[i] : 0.0f) : 0.0f;
}

typedef struct ElementJob {
    const couCoarseLoop *loop;
    couCoarseLoopFcn *function;
} ElementJob;

static void element_block(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)block, (void)worker;
    const ElementJob *job = context;
    job->function(job->loop, begin, end);
}

static void run_elements(const Solver *solver, const couCoarseLoop *loop, couCoarseLoopFcn *const variants[])
{
    const couFluid *fluid = solver->step->fluid;
    ElementJob job = {loop, variants[fluid->neighbors.isa]};
    couFor(&fluid->parallel, loop->coarse->element_count, 4, element_block, &job);
}

// The operator between nodes, for the particles that are active now.
static void build_coarse(Solver *solver)
{
    static couSphLoopFcn *const spread[cou_isaCount] = COU_VARIANTS(couSphSpread);
    static couCoarseLoopFcn *const build[cou_isaCount] = COU_VARIANTS(couCoarseBuild);
    couFluid *fluid = solver->step->fluid;
    couSphState *state = fluid->method_state;
    couSphLoop *loop = &solver->loop;
    couFor(&fluid->parallel, loop->count, 8192, active_block, solver);
    couWalls_Extend(solver->step, loop, loop->change);
    couSph_Run(solver->step, loop, spread);
    couCoarseLoop elements = {.coarse = &state->coarse,
                              .position = loop->position,
                              .velocity = loop->velocity,
                              .spread = loop->out,
                              .active = loop->change,
                              .factor = loop->factor};
    run_elements(solver, &elements, build);
    couCoarse_Assemble(&state->coarse);
    solver->has_coarse = true;
}

// corrected = P A_c^-1 P^T e
static void correct_coarsely(Solver *solver)
{
    static couCoarseLoopFcn *const restrict_loop[cou_isaCount] = COU_VARIANTS(couCoarseRestrict);
    static couCoarseLoopFcn *const prolong[cou_isaCount] = COU_VARIANTS(couCoarseProlong);
    couFluid *fluid = solver->step->fluid;
    couSphState *state = fluid->method_state;
    couFor(&fluid->parallel, solver->loop.count, 8192, mask_block, solver);
    couCoarseLoop elements = {.coarse = &state->coarse,
                              .position = solver->loop.position,
                              .residual = solver->corrected,
                              .correction = solver->corrected};
    run_elements(solver, &elements, restrict_loop);
    couCoarse_Solve(&state->coarse);
    run_elements(solver, &elements, prolong);
    if (solver->eased) couYield_Correct(solver->yield, fluid, solver->corrected);
}

// --- Iterations --------------------------------------------------------------------------------------------------------------

// Sum k of the four that a loop left for each block.
static double sum_blocks(const Solver *solver, int k)
{
    const couFluid *fluid = solver->step->fluid;
    double sum = 0;
    int blocks = couBlockCount(fluid->table.count, COU_SPH_BLOCK);
    for (int b = 0; b < blocks; ++b) sum += solver->loop.sums[4 * b + k];
    return sum;
}

typedef struct OwnJob {
    const couSolveLoop *loop;
    couSolveLoopFcn *function;
    double *sums;
} OwnJob;

static void own_block(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)worker;
    const OwnJob *job = context;
    job->function(job->loop, begin, end, job->sums + 4 * block);
}

// A loop that asks no neighbours.
static void run_own(const Solver *solver, couSolveLoopFcn *const variants[])
{
    const couFluid *fluid = solver->step->fluid;
    const couSphLoop *all = &solver->loop;
    couSolveLoop loop = {.residual = all->residual,
                         .last_residual = solver->last_residual,
                         .eased = solver->eased,
                         .factor = all->factor,
                         .out = all->out,
                         .velocity = all->velocity,
                         .pressure = all->pressure,
                         .change = all->change,
                         .corrected = solver->corrected,
                         .direction = solver->direction,
                         .inv_dt = 1.0f / all->dt,
                         .coarse_share = solver->is_corrected ? COARSE_SHARE : 0.0f,
                         .level = solver->level,
                         .turn = solver->turn,
                         .reach = solver->reach,
                         .step = solver->step_size,
                         .is_clamped = all->is_clamped};
    OwnJob job = {&loop, variants[fluid->neighbors.isa], all->sums};
    couFor(&fluid->parallel, all->count, COU_SPH_BLOCK, own_block, &job);
}

static void run_particles(const Solver *solver, couBlockFcn *function)
{
    couFor(&solver->step->fluid->parallel, solver->loop.count, COU_SPH_BLOCK, function, (void *)solver);
}

// How far to go along the changes of kappa: to where the error is least, but not where pressures would turn negative.
static double find_step(Solver *solver)
{
    static couSphLoopFcn *const response[cou_isaCount] = COU_VARIANTS(couSphResponse);
    static couSolveLoopFcn *const direct[cou_isaCount] = COU_VARIANTS(couSolveDirect);
    run_own(solver, direct);
    double along = sum_blocks(solver, 0), farthest = INFINITY;
    int blocks = couBlockCount(solver->loop.count, COU_SPH_BLOCK);
    for (int b = 0; b < blocks; ++b) farthest = COU_MIN(farthest, solver->loop.sums[4 * b + 1]);
    couWalls_Extend(solver->step, &solver->loop, solver->loop.change);
    couSph_Run(solver->step, &solver->loop, response);
    double square = couSph_SumBlocks(solver->step->fluid);
    if (solver->eased) square += couYield_Respond(solver->yield, solver->step->fluid, solver->loop.change);
    if (!solver->has_gradients) return 1;
    double curve = square * (double)solver->loop.dt;
    if (!(curve > 0)) return 0;
    return COU_MIN(along / curve, farthest);
}

// Goes one way: along the direction that follows from the residual and the last one.
static double find_direction(Solver *solver, bool is_coarse, double *product)
{
    static couSolveLoopFcn *const precondition[cou_isaCount] = COU_VARIANTS(couSolvePrecondition);
    solver->is_corrected = is_coarse;
    if (is_coarse) correct_coarsely(solver);
    run_own(solver, precondition);
    double now = sum_blocks(solver, 0), last = sum_blocks(solver, 1);
    solver->level = solver->has_level ? (float)(sum_blocks(solver, 2) / (double)solver->loop.count) : 0.0f;
    solver->turn = solver->has_gradients && *product > 0 ? (float)COU_MAX((now - last) / *product, 0.0) : 0.0f;
    *product = now;
    return find_step(solver);
}

static void iterate(Solver *solver, double *product)
{
    static couSolveLoopFcn *const move[cou_isaCount] = COU_VARIANTS(couSolveMove);
    double t = find_direction(solver, solver->has_coarse, product);
    if (solver->has_gradients && !(t > LEAST_STEP)) { // pressures that are cut stand in the way
        float reach = solver->reach;
        *product = 0;
        if (solver->eased) solver->reach = COU_MIN(reach, 1.0f); // as far as bodies have answered to
        t = find_direction(solver, false, product);
        solver->reach = reach;
    }
    solver->step_size = (float)COU_MAX(t, 0.0);
    run_own(solver, move);
    if (solver->eased) couYield_Move(solver->yield, solver->step, solver->step_size);
    float *last = solver->last_residual;
    solver->last_residual = solver->loop.residual, solver->loop.residual = last;
}

// What is fast: ways against neighbours of a tenth of a spacing in a step and more.
float couSph_FastShare(const couStep *step)
{
    float way = step->fluid->relative_speed * step->dt / step->fluid->spacing;
    return COU_CLAMP((way - 0.05f) / 0.05f, 0.0f, 1.0f);
}

static bool take_arrays(Solver *solver, bool has_bodies)
{
    couFluid *fluid = solver->step->fluid;
    size_t count = fluid->table.count;
    solver->loop.residual = COU_TAKE(fluid->scratch, float, count);
    solver->last_residual = COU_TAKE(fluid->scratch, float, count);
    solver->corrected = COU_TAKE(fluid->scratch, float, count);
    solver->direction = COU_TAKE(fluid->scratch, float, count);
    if (!solver->loop.residual || !solver->last_residual || !solver->corrected || !solver->direction) return false;
    solver->yield = &couSph_State(fluid)->yield;
    if (has_bodies && solver->yield->link_count) {
        solver->eased = COU_TAKE(fluid->scratch, float, count);
        if (!solver->eased) return false;
        memset(solver->eased, 0, count * sizeof *solver->eased);
    }
    memset(solver->direction, 0, count * sizeof *solver->direction);
    memset(solver->last_residual, 0, count * sizeof *solver->last_residual);
    return true;
}

// How much of the density's error a step corrects, and what share of the last pressures it starts from.
static void choose_pace(const Solver *solver, float fast, float *theta, float *share)
{
    const couSphState *state = solver->step->fluid->method_state;
    const couSphParams *p = solver->step->fluid->params;
    float depth = COU_MAX(state->layers / CALM_LAYERS, 1.0f), calm = CALM_CORRECTION / (depth * depth);
    if (!state->is_single_density) calm = COU_MIN(calm, MIXED_CORRECTION);
    *theta = state->is_accelerated ? calm + fast * (1.0f - calm) : 1.0f;
    // Where liquids of different density meet fast, pressures change too much: a light particle is thrown by what was right for
    // a heavy one.
    float in_splash = state->is_single_density ? state->warm_start : 0.0f, at_rest = state->calm_start;
    *share = isnan(p->warm_start) ? at_rest + fast * (in_splash - at_rest) : p->warm_start;
    // Without a surface no pressure is cut, and the bound of modes that a solve hardly touches holds to the letter; in fast flow
    // what is left of them costs a vortex more than a fresh start.
    if (isnan(p->warm_start) && state->is_full) *share = COU_MIN((1.0f - fast) * at_rest, 0.9f / (1.0f + *theta));
    if (state->is_full && !solver->has_level) *share = 0.0f; // those had a level
}

// Takes the mean off the residuals, and sums them anew. Where that is done no pressure is cut.
static void center_block(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)worker;
    const Solver *solver = context;
    const couSphLoop *loop = &solver->loop;
    double above = 0, below = 0;
    for (size_t i = begin; i < end; ++i) {
        float error = loop->residual[i] -= solver->mean;
        above += COU_MAX(error, 0.0f), below += COU_MAX(-error, 0.0f);
    }
    loop->sums[4 * block] = above, loop->sums[4 * block + 1] = below;
}

// The residual, and the mean error that decides: of what is compressed, or of what a pressure holds apart. Looking at compression
// alone leaves liquid expanded. Where there is no surface no pressure can change the mean: what is asked of it there would be
// added to all pressures in every step.
static double find_error(Solver *solver, double *compression)
{
    static couSphLoopFcn *const residual[cou_isaCount] = COU_VARIANTS(couSphResidual);
    couWalls_Ask(solver->step, &solver->loop);
    couSph_Run(solver->step, &solver->loop, residual);
    double count = (double)solver->loop.count;
    *compression = sum_blocks(solver, 2) / count;
    if (solver->has_level) {
        solver->mean = (float)(sum_blocks(solver, 3) / count);
        run_particles(solver, center_block);
    }
    double above = sum_blocks(solver, 0), below = sum_blocks(solver, 1);
    double error = (solver->loop.is_clamped ? COU_MAX(above, below) : above + below) / count;
    if (!solver->eased) return error;
    // Few particles among all of them know of a light body that flies off.
    double way = couYield_Hear(solver->yield, solver->step->fluid, &solver->loop, solver->eased);
    return COU_MAX(error, BODY_SHARE * way / solver->step->fluid->spacing);
}

static void least_block(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)worker;
    const Solver *solver = context;
    float least = INFINITY;
    for (size_t i = begin; i < end; ++i) least = COU_MIN(least, solver->loop.pressure[i]);
    solver->loop.sums[4 * block] = (double)least;
}

// Where there is no surface, pressures are known but for a constant, which moves nothing: so all may pull, and none does once the
// level is such that the least of them is 0, or under gravity that of some layers' weight: with none the layer below a lid has
// nothing that orders it, and water in a closed box boils from there. That is what the next step starts from. Around 0 instead,
// liquid under suction clumps; and cut at 0 it tears where it should be drawn along. What the level does to liquid that is uneven
// makes it even.
static void raise_level(Solver *solver)
{
    if (!solver->has_level) return;
    run_particles(solver, least_block);
    double least = INFINITY;
    for (int b = 0; b < couBlockCount(solver->loop.count, COU_SPH_BLOCK); ++b) least = COU_MIN(least, solver->loop.sums[4 * b]);
    const couFluid *fluid = solver->step->fluid;
    least -= (double)(LEAST_LEVEL * couLength(fluid->gravity) * fluid->spacing * solver->step->dt);
    solver->raised = (float)(least < 0 ? -least : -LEVEL_SHARE * least);
}

// In fast flow, which starts from none of its last pressures, what was raised is lost: the liquid under a lid would hang from it
// by suction, half of the box's weight, and tears along the upper edges. So pressures start from what makes that up. It is not
// taken from the last ones: the least of them is noise, and a level that follows noise feeds it.
static float start_level(const couStep *step, float fast)
{
    const couSphState *state = step->fluid->method_state;
    float layers = 0.5f * state->layers + LEAST_LEVEL;
    return fast * layers * couLength(step->fluid->gravity) * step->fluid->spacing * step->dt;
}

static bool prepare_solver(Solver *solver, const couPressureSolve *solve, float fast, float share)
{
    couFluid *fluid = solver->step->fluid;
    couSphState *state = fluid->method_state;
    couSphLoop *loop = &solver->loop;
    solver->has_gradients = state->is_accelerated;
    if (solver->has_gradients && !state->has_coarse) {
        if (!couCoarse_Place(&state->coarse, &fluid->grid, fluid->dimension, fluid->scratch)) return false;
        state->has_coarse = true;
    }
    loop->is_divergence = solve->is_divergence;
    if (solver->has_level) loop->is_clamped = false; // see raise_level
    loop->pressure = couTable_Data(&fluid->table, solve->column);
    loop->out = couFluid_Previous(fluid); // free until the particles move
    loop->most_corrected = MOST_CORRECTED;
    loop->inv_count = 1.0f / (float)state->lattice.count;
    solver->reach = solver->has_gradients ? CALM_REACH + fast * (1.0f - CALM_REACH) : state->omega;
    solver->scale = share * solver->step->dt / state->reference_density;
    if (solve->has_one_stiffness) solver->one_factor = prototype_factor(fluid);
    return true;
}

static void detour_block(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)block, (void)worker;
    const couFluid *fluid = context;
    couVec4 *detour = couSph_State(fluid)->detour;
    const couVec4 *v = couFluid_Velocity(fluid);
    for (size_t i = begin; i < end; ++i)
        detour[i] = (couVec4){v[i].x - detour[i].x, v[i].y - detour[i].y, v[i].z - detour[i].z, 0.0f};
}

// Keeps the velocities before a solve whose changes are not kept.
static bool begin_detour(couFluid *fluid)
{
    couVec4 *detour = couSph_State(fluid)->detour = COU_TAKE(fluid->scratch, couVec4, fluid->table.count);
    if (detour) memcpy(detour, couFluid_Velocity(fluid), fluid->table.count * sizeof *detour);
    return detour != NULL;
}

void couSph_Solve(couStep *step, const couPressureSolve *solve)
{
    static couSphLoopFcn *const push[cou_isaCount] = COU_VARIANTS(couSphPush);
    couFluid *fluid = step->fluid;
    const couSphState *state = fluid->method_state;
    const couSphParams *p = fluid->params;
    if (!fluid->table.count) return;
    if (solve->is_detour && !begin_detour(fluid)) {
        step->has_failed = true;
        return;
    }
    Solver solver = {.step = step, .loop = couSph_Loop(step)};
    // Holes are closed by pushes alone: whoever pulls at the edge of one is drawn away from it.
    solver.has_level = state->is_full && !(solve->is_detour && state->is_torn);
    float fast = couSph_FastShare(step), share;
    choose_pace(&solver, fast, &solver.loop.density_share, &share);
    bool is_ready = prepare_solver(&solver, solve, fast, share);
    couArenaMark mark = couArena_Mark(fluid->scratch);
    if (!is_ready || !take_arrays(&solver, !solve->is_detour)) { // bodies stay out of what is taken back
        step->has_failed = true;
        return;
    }
    if (solver.has_level && !solve->is_detour) solver.start_level = start_level(step, fast);
    couFor(&fluid->parallel, solver.loop.count, 8192, start_block, &solver);
    bool is_after_forces = !solve->is_divergence || state->is_tidied;
    if (solver.eased) couYield_Begin(solver.yield, step, solver.loop.change, is_after_forces);
    bool has_start = share > 0.0f || solver.start_level > 0.0f;
    if (has_start) {
        couWalls_Extend(step, &solver.loop, solver.loop.change);
        couSph_Run(step, &solver.loop, push);
    }

    double error = 0, last_error = INFINITY, product = 0, compression = 0;
    int least = solve->is_divergence ? COU_MIN(p->min_iterations, 1) : p->min_iterations;
    if (!solve->is_divergence && solver.has_gradients && fast < 1.0f) least = COU_MAX(least, CALM_ITERATIONS);
    int iterations = has_start; // a push is an iteration, also the first one by the last step's pressures
    for (;; ++iterations) {
        error = find_error(&solver, &compression);
        bool is_done = error <= solve->tolerance && iterations >= least;
        if (is_done || iterations >= p->max_iterations || !isfinite(error)) break;
        if (solver.has_gradients && !solver.has_coarse && (fast < 1.0f || state->is_full || iterations >= FAST_ITERATIONS)) {
            build_coarse(&solver);
            product = 0; // directions under another preconditioner are none to go on from
        }
        if (!solver.has_gradients && error > last_error) solver.reach /= 1.3f; // smaller steps
        last_error = error;
        iterate(&solver, &product);
    }
    if (!solve->is_detour) couSph_PressBodies(step, solver.loop.pressure);
    raise_level(&solver);
    if (solver.eased) couYield_Begin(solver.yield, step, NULL, true); // as the rest of the step sees them
    solver.scale = state->reference_density / step->dt;
    couFor(&fluid->parallel, solver.loop.count, 8192, end_block, &solver);
    if (solve->is_detour) couFor(&fluid->parallel, solver.loop.count, 8192, detour_block, fluid);
    couArena_Release(fluid->scratch, mark);
    if (solve->is_divergence) {
        step->report->divergence_iterations += iterations;
    } else {
        step->report->iterations += iterations;
        step->report->solver_error = compression;
    }
    if (!(error <= solve->tolerance)) step->report->unconverged_count++;
}
