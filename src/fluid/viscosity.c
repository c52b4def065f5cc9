// Viscosity of the SPH methods: explicit, or implicit by conjugate gradients, and XSPH.
//
// Implicit [Weiler et al. 2018]: (1 - dt L) v = v*, L the operator of viscosity_wide.c. L is symmetric in the scalar product
// weighted by mass, and 1 - dt L positive, so conjugate gradients apply; the matrix is never stored. Fixed and driven solids are
// on the right-hand side. Free bodies are unknowns like the liquid, six numbers each: one lighter than the layer that clings to
// it would otherwise be thrown about. Iterations start from v*, and grow with the root of the viscous number nu dt / d^2.

#include "fluid/sph.h"
#include "rigid/impulse.h"

#define LEAST_LEANT 1e-4 // viscous number from which on velocities lean on the last pressures

static couSphLoopFcn *const viscous[cou_isaCount] = COU_VARIANTS(couSphViscous);

// --- Accelerations -----------------------------------------------------------------------------------------------------------

typedef struct AddJob {
    const couSphLoop *loop;
    float dt;
} AddJob;

static void add_block(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)block, (void)worker;
    const AddJob *job = context;
    couVec4 *v = job->loop->velocity;
    const couVec4 *a = job->loop->out;
    for (size_t i = begin; i < end; ++i) v[i].x += job->dt * a[i].x, v[i].y += job->dt * a[i].y, v[i].z += job->dt * a[i].z;
}

void couSph_AddAccelerations(couStep *step, const couSphLoop *loop, float dt)
{
    AddJob job = {loop, dt};
    couFor(&step->fluid->parallel, loop->count, 8192, add_block, &job);
    couSph_PushWalls(step, loop, dt);
}

// --- Explicit and implicit ---------------------------------------------------------------------------------------------------

static couSphLoop viscous_loop(couStep *step)
{
    couFluid *fluid = step->fluid;
    const couSphState *state = fluid->method_state;
    couSphLoop loop = couSph_Loop(step);
    loop.in = loop.velocity;
    loop.out = couFluid_Previous(fluid); // free until the particles move
    loop.kinematic = state->kinematic;
    loop.own_kinematic = state->kinematic[0];
    loop.is_single_viscosity = state->is_single_viscosity;
    loop.has_mueller_viscosity = fluid->method->sph->has_mueller_pressure;
    int n = fluid->dimension;
    if (loop.has_mueller_viscosity) {
        // V lap W = viscous slope_scale (h - r) with the kernel of [Müller 2003, eq. 22], its form for the plane in 2D
        double lap = n == 3 ? 45 / (COU_PI * pow(fluid->h, 6)) : 40 / (COU_PI * pow(fluid->h, 5));
        loop.viscous = (float)(lap * state->volume * state->density_unit / loop.slope_scale);
    } else {
        loop.viscous = (float)(2 * (n + 2) / state->lattice.shear);
    }
    loop.wall_viscous = (float)(2 * (n + 2) / state->lattice.shear);
    if (!state->has_viscosity) loop.viscous = loop.wall_viscous = 0.0f;
    loop.even = (float)state->lattice.shear;
    return loop;
}

// Only thick liquids: of a thin one nobody could see the difference.
static bool find_evenness(couStep *step, couSphLoop *loop)
{
    static couSphLoopFcn *const evenness[cou_isaCount] = COU_VARIANTS(couSphEvenness);
    couFluid *fluid = step->fluid;
    const couSphState *state = fluid->method_state;
    if (!state->is_thick || !loop->strain || loop->has_mueller_viscosity) return true;
    loop->evenness = COU_TAKE(fluid->scratch, float, loop->count + COU_TABLE_PADDING);
    if (!loop->evenness) return false;
    for (size_t k = loop->count; k < loop->count + COU_TABLE_PADDING; ++k) loop->evenness[k] = 1.0f;
    couSph_Run(step, loop, evenness);
    return true;
}

static void blend_block(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)block, (void)worker;
    const couSphLoop *loop = context;
    float thick = loop->viscous * loop->own_kinematic, damping = loop->damping;
    for (size_t i = begin; i < end; ++i) {
        couVec4 v = loop->in[i], w = loop->rough[i];
        loop->blend[i] = (couVec4){thick * v.x + damping * w.x, thick * v.y + damping * w.y, thick * v.z + damping * w.z, 0.0f};
    }
}

// What pairs of one liquid compare is the same sum of velocity and roughness for all of them: one vector to look up, not two.
static bool blend_velocities(couStep *step, couSphLoop *loop)
{
    bool is_uniform = loop->is_single_viscosity && loop->is_single_density && !loop->evenness && !loop->has_mueller_viscosity;
    if (!is_uniform || !loop->rough || !(loop->damping > 0.0f)) return true;
    loop->blend = couSph_TakeVectors(step->fluid);
    if (loop->blend) couFor(&step->fluid->parallel, loop->count, 8192, blend_block, loop);
    return loop->blend != NULL;
}

static bool is_sticky(const couFluid *fluid)
{
    const couVec4 *v = couBoundary_Velocity(&fluid->boundary);
    for (size_t k = 0; k < fluid->boundary.table.count; ++k)
        if (v[k].w > 0.0f) return true;
    return false;
}

// Only where solids do anything to the velocities is their part kept.
static bool want_walls(couStep *step, couSphLoop *loop)
{
    bool acts = loop->damping > 0.0f || (loop->viscous > 0.0f && is_sticky(step->fluid));
    if (!step->fluid->boundary.table.count || !acts) return true;
    return couSph_KeepWalls(step, loop);
}

typedef struct GradientJob {
    const couSphLoop *loop;
    couVec4 *v, *r, *p;
    const couVec4 *Lp;
    float dt, step, turn;
    double *sums, *others;
} GradientJob;

static inline double dot4(couVec4 a, couVec4 b) { return (double)a.x * b.x + (double)a.y * b.y + (double)a.z * b.z; }

// r = dt L v, p = r; sums of r.r and v.v in the scalar product weighted by mass.
static void begin_block(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)worker;
    const GradientJob *job = context;
    double rr = 0, vv = 0;
    for (size_t i = begin; i < end; ++i) {
        couVec4 a = job->Lp[i];
        couVec4 r = {job->dt * a.x, job->dt * a.y, job->dt * a.z, 0.0f};
        double weight = 1 / (double)job->v[i].w;
        job->r[i] = job->p[i] = r;
        rr += weight * dot4(r, r), vv += weight * dot4(job->v[i], job->v[i]);
    }
    job->sums[block] = rr, job->others[block] = vv;
}

// p.Ap with A p = p - dt L p
static void curve_block(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)worker;
    const GradientJob *job = context;
    double sum = 0;
    for (size_t i = begin; i < end; ++i)
        sum += (dot4(job->p[i], job->p[i]) - job->dt * dot4(job->p[i], job->Lp[i])) / (double)job->v[i].w;
    job->sums[block] = sum;
}

static void step_block(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)worker;
    const GradientJob *job = context;
    double rr = 0;
    float s = job->step, sdt = job->step * job->dt;
    for (size_t i = begin; i < end; ++i) {
        couVec4 p = job->p[i], a = job->Lp[i];
        couVec4 *v = &job->v[i], *r = &job->r[i];
        v->x += s * p.x, v->y += s * p.y, v->z += s * p.z;
        r->x -= s * p.x - sdt * a.x, r->y -= s * p.y - sdt * a.y, r->z -= s * p.z - sdt * a.z;
        rr += dot4(*r, *r) / (double)v->w;
    }
    job->sums[block] = rr;
}

static void turn_block(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)block, (void)worker;
    const GradientJob *job = context;
    for (size_t i = begin; i < end; ++i) {
        couVec4 r = job->r[i], *p = &job->p[i];
        *p = (couVec4){r.x + job->turn * p->x, r.y + job->turn * p->y, r.z + job->turn * p->z, 0.0f};
    }
}

// A free body in the conjugate gradients. Residual and direction are kept as loads, whose response (yield.h) is the velocity:
// what contacts and joints hold never comes up.
typedef struct Dragged {
    double residual[6], direction[6];
    double motion[6]; // response to the direction
    double change[6]; // of velocity so far
} Dragged;

// The directions' motion into the rows of samples of p.
static void show_motion(couStep *step, couYield *yield, const Dragged *dragged, couVec4 *p)
{
    for (size_t b = 0; b < yield->body_count; ++b) memcpy(yield->bodies[b].response, dragged[b].motion, sizeof dragged[b].motion);
    couYield_WriteRows(yield, step->fluid, p);
}

// After the accelerations of v are known: returns the bodies' part of r.r.
static double begin_bodies(couStep *step, couYield *yield, Dragged *dragged, const GradientJob *job)
{
    couYield_Drag(yield, step->fluid, job->loop);
    double rr = 0, dt = job->dt;
    for (size_t b = 0; b < yield->body_count; ++b) {
        for (int a = 0; a < 6; ++a) {
            dragged[b].residual[a] = dragged[b].direction[a] = dt * yield->bodies[b].load[a];
            dragged[b].motion[a] = dt * yield->bodies[b].response[a];
            dragged[b].change[a] = 0;
        }
        rr += couDot6(dragged[b].direction, dragged[b].motion);
    }
    show_motion(step, yield, dragged, job->p);
    return rr;
}

// After those of p are: their part of p.Ap.
static double curve_bodies(couStep *step, couYield *yield, const Dragged *dragged, const GradientJob *job)
{
    couYield_Drag(yield, step->fluid, job->loop);
    double sum = 0;
    for (size_t b = 0; b < yield->body_count; ++b)
        sum += couDot6(dragged[b].direction, dragged[b].motion) - job->dt * couDot6(yield->bodies[b].load, dragged[b].motion);
    return sum;
}

// Their part of the next r.r; leaves the response to the residuals.
static double step_bodies(couStep *step, couYield *yield, Dragged *dragged, const GradientJob *job)
{
    double rr = 0;
    for (size_t b = 0; b < yield->body_count; ++b)
        for (int a = 0; a < 6; ++a) {
            Dragged *own = &dragged[b];
            own->change[a] += job->step * own->motion[a];
            own->residual[a] -= job->step * (own->direction[a] - job->dt * yield->bodies[b].load[a]);
            yield->bodies[b].load[a] = own->residual[a];
        }
    couYield_Follow(yield, step->fluid);
    for (size_t b = 0; b < yield->body_count; ++b) rr += couDot6(dragged[b].residual, yield->bodies[b].response);
    return rr;
}

static void turn_bodies(couStep *step, couYield *yield, Dragged *dragged, const GradientJob *job)
{
    for (size_t b = 0; b < yield->body_count; ++b)
        for (int a = 0; a < 6; ++a) {
            dragged[b].direction[a] = dragged[b].residual[a] + job->turn * dragged[b].direction[a];
            dragged[b].motion[a] = yield->bodies[b].response[a] + job->turn * dragged[b].motion[a];
        }
    show_motion(step, yield, dragged, job->p);
}

static void end_bodies(couStep *step, couYield *yield, const Dragged *dragged)
{
    for (size_t b = 0; b < yield->body_count; ++b) memcpy(yield->bodies[b].response, dragged[b].change, sizeof dragged[b].change);
    couYield_Move(yield, step, 1);
}

static double run_sum(couStep *step, GradientJob *job, couBlockFcn *function)
{
    couFor(&step->fluid->parallel, step->fluid->table.count, COU_SPH_BLOCK, function, job);
    return couSph_SumBlocks(step->fluid);
}

// `borne`: the pressures whose push the velocities have, which bodies feel as well; NULL: none.
static void solve_implicit(couStep *step, couSphLoop loop, float dt, const float *borne)
{
    enum { MOST_ITERATIONS = 1000 };
    couFluid *fluid = step->fluid;
    const couSphParams *params = fluid->params;
    couSphState *state = fluid->method_state;
    couVec4 *r = couSph_TakeVectors(fluid), *p = couSph_TakeVectors(fluid);
    if (!r || !p || !want_walls(step, &loop)) {
        step->has_failed = true;
        return;
    }
    couYield *yield = &state->yield;
    Dragged *dragged = NULL; // NULL: no body yields
    if (loop.walls && yield->link_count && !(dragged = COU_TAKE(fluid->scratch, Dragged, yield->body_count))) {
        step->has_failed = true;
        return;
    }
    if (dragged) couYield_Begin(yield, step, borne, true);
    couVec4 *walls = loop.walls; // for the end, unless somebody asks before
    if (!dragged) loop.walls = NULL;
    loop.damping = 0.0f;
    size_t blocks = (size_t)couBlockCount(loop.count, COU_SPH_BLOCK);
    GradientJob job = {&loop, loop.velocity, r, p, loop.out, dt, 0.0f, 0.0f, state->block_sums, state->block_sums + blocks};
    couSph_Run(step, &loop, viscous);
    double rr = run_sum(step, &job, begin_block), vv = 0;
    if (dragged) rr += begin_bodies(step, yield, dragged, &job);
    for (size_t b = 0; b < blocks; ++b) vv += job.others[b];
    // Relative to what viscosity does in this step, which may be little: a flow that slowly comes to rest, or to the balance
    // with a force, has viscous changes far below its velocities. Not below what rounding of these leaves.
    double tolerance = (double)params->viscosity_tolerance, rounding = 1e-7;
    double limit = COU_MAX(COU_MAX(tolerance * tolerance * COU_MIN(rr, vv), rounding * rounding * vv), 1e-30);
    loop.in = p;
    loop.has_still_solids = !dragged; // rows of those that do not yield are 0
    int iterations = 0;
    for (; rr > limit && iterations < MOST_ITERATIONS; ++iterations) {
        couSph_Run(step, &loop, viscous);
        double curve = run_sum(step, &job, curve_block);
        if (dragged) curve += curve_bodies(step, yield, dragged, &job);
        job.step = (float)(rr / curve);
        double next = run_sum(step, &job, step_block);
        if (dragged) next += step_bodies(step, yield, dragged, &job);
        job.turn = (float)(next / rr);
        rr = next;
        couFor(&fluid->parallel, loop.count, 8192, turn_block, &job);
        if (dragged) turn_bodies(step, yield, dragged, &job);
    }
    if (dragged) end_bodies(step, yield, dragged);
    step->report->viscosity_iterations += iterations;
    if (!(rr <= limit)) step->report->unconverged_count++;
    if (!walls) return;
    loop.in = loop.velocity, loop.walls = walls, loop.has_still_solids = false;
    couSph_Run(step, &loop, viscous);
    couSph_PushWalls(step, &loop, dt);
}

// How much a body would take from its liquid in an explicit step / what it can take: above 1 it would be thrown back.
static double drag_number(const couStep *step, const couSphLoop *loop, double kinematic, float dt)
{
    const couSphState *state = step->fluid->method_state;
    if (!state->yield.link_count || !(kinematic > 0)) return 0;
    return 0.5 * (double)dt * kinematic * state->lattice.viscous * couYield_Load(&state->yield, loop);
}

// The part of solids, near free bodies, in out and walls, times a share.
static void weaken_drag(const couStep *step, couSphLoop *loop, float share)
{
    const couYield *yield = &couSph_State(step->fluid)->yield;
    for (size_t k = 0; k < yield->link_count; ++k) {
        const couBodyLink *link = &yield->links[k];
        couVec4 *wall = &loop->walls[link->wall], *out = &loop->out[link->particle];
        couVec3 taken = couScale((1.0f - share) * link->samples, couXyz(*wall));
        out->x -= taken.x, out->y -= taken.y, out->z -= taken.z;
        wall->x -= taken.x, wall->y -= taken.y, wall->z -= taken.z;
    }
}

static void smooth_velocities(couStep *step, float share)
{
    static couSphLoopFcn *const smooth[cou_isaCount] = COU_VARIANTS(couSphSmooth);
    couSphLoop loop = couSph_Loop(step);
    loop.in = loop.velocity;
    loop.out = couFluid_Previous(step->fluid);
    couSph_Run(step, &loop, smooth);
    couSph_AddAccelerations(step, &loop, share);
}

// --- The phase ---------------------------------------------------------------------------------------------------------------

// Pressures of the last step and their push, turned, in one step.
typedef struct Lean {
    couVec4 *velocity, *push;
    float *kappa;
    const float *pressure;
    float scale, sign;
} Lean;

static void kappa_block(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)block, (void)worker;
    const Lean *lean = context;
    for (size_t i = begin; i < end; ++i) lean->kappa[i] = lean->scale * lean->pressure[i];
}

static void lean_block(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)block, (void)worker;
    const Lean *lean = context;
    for (size_t i = begin; i < end; ++i) {
        couVec4 *v = &lean->velocity[i], a = lean->push[i];
        v->x += lean->sign * a.x, v->y += lean->sign * a.y, v->z += lean->sign * a.z;
    }
}

// Of the thickest liquid [m^2/s]; 0 where none acts.
static double largest_viscosity(const couFluid *fluid)
{
    const couSphState *state = fluid->method_state;
    double thickest = 0;
    for (int m = 0; m < fluid->material_count && state->has_viscosity; ++m)
        thickest = COU_MAX(thickest, (double)(state->kinematic[m] * state->inv_density[m]));
    return thickest;
}

// nu dt / d^2
static double viscous_number(const couStep *step)
{
    double d = (double)step->fluid->spacing;
    return largest_viscosity(step->fluid) * (double)couSph_Kick(step) / (d * d);
}

// Velocities as the last pressures would leave them. lean->push is NULL where nobody could see a difference. False: no memory.
static bool lean_on_pressures(couStep *step, Lean *lean)
{
    static couSphLoopFcn *const response[cou_isaCount] = COU_VARIANTS(couSphResponse);
    couFluid *fluid = step->fluid;
    couSphState *state = fluid->method_state;
    // A full box without gravity has no weight that pressures bear, but their noise.
    bool is_loaded = !state->is_full || couLength(fluid->gravity) > 0.0f;
    bool bears = fluid->table.count && is_loaded && !fluid->method->traits.has_state_equation;
    float share = 1.0f - couSph_FastShare(step);
    if (!bears || !(share > 0.0f) || viscous_number(step) < LEAST_LEANT) return true;
    couSphLoop loop = couSph_Loop(step);
    *lean = (Lean){.velocity = loop.velocity,
                   .push = couSph_TakeVectors(fluid),
                   .kappa = loop.change,
                   .pressure = couTable_Data(&fluid->table, fluid->pressure_column),
                   .scale = share * couSph_Kick(step) / state->reference_density,
                   .sign = -1.0f};
    if (!lean->push) return false;
    loop.out = lean->push;
    couFor(&fluid->parallel, loop.count, 8192, kappa_block, lean);
    couWalls_Extend(step, &loop, lean->kappa);
    couSph_Run(step, &loop, response);
    couFor(&fluid->parallel, loop.count, 8192, lean_block, lean);
    if (state->yield.link_count) couYield_Begin(&state->yield, step, lean->kappa, true);
    return true;
}

static void act(couStep *step, const float *borne)
{
    couFluid *fluid = step->fluid;
    const couSphState *state = fluid->method_state;
    const couSphParams *p = fluid->params;
    float kick = couSph_Kick(step);
    couArenaMark mark = couArena_Mark(fluid->scratch);
    couSphLoop loop = viscous_loop(step);
    if (!find_evenness(step, &loop)) {
        step->has_failed = true;
        return;
    }
    bool is_dragged = drag_number(step, &loop, largest_viscosity(fluid), kick) > 1; // by a light body
    if (state->is_implicit || is_dragged) {
        solve_implicit(step, loop, kick, borne);
        couArena_Release(fluid->scratch, mark);
        loop.viscous = loop.wall_viscous = 0.0f;
        loop.evenness = NULL;
    }
    loop.damping = state->damping;
    if (loop.viscous > 0.0f || loop.damping > 0.0f) {
        if (!want_walls(step, &loop) || !blend_velocities(step, &loop)) step->has_failed = true;
        if (step->has_failed) return;
        couSph_Run(step, &loop, viscous);
        double drag = drag_number(step, &loop, (double)loop.damping, kick);
        if (drag > 1 && loop.walls) weaken_drag(step, &loop, (float)(1 / drag));
        couSph_AddAccelerations(step, &loop, kick);
        couArena_Release(fluid->scratch, mark);
    }
    if (p->xsph > 0.0f) smooth_velocities(step, p->xsph);
}

// Tension is borne by the pressure as well, particle by particle. Where velocities do not lean on it, tension comes last: seen
// by viscosity alone, what it gives the outermost rows in a step would be handed to the rows below, a stress that the liquid at
// rest does not have. Thick drops of 12 d (2D, 0.2 Pa s, steps up to 1.3 ms) had 1.25 to 1.4 times Laplace's pressure so.
void couPhase_Viscosity(couStep *step)
{
    couFluid *fluid = step->fluid;
    couSphState *state = fluid->method_state;
    couArenaMark mark = couArena_Mark(fluid->scratch);
    Lean lean = {0};
    if (!lean_on_pressures(step, &lean)) {
        step->has_failed = true;
        return;
    }
    if (lean.push) couSph_PullSurface(step, couSph_Kick(step));
    act(step, lean.kappa);
    if (lean.push) {
        lean.sign = 1.0f;
        couFor(&fluid->parallel, fluid->table.count, 8192, lean_block, &lean);
        if (state->yield.link_count) couYield_Begin(&state->yield, step, NULL, true);
    } else {
        couSph_PullSurface(step, couSph_Kick(step));
    }
    couArena_Release(fluid->scratch, mark);
}
