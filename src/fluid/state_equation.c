// Pressure by an equation of state: sesph, wcsph, mueller.
//
// Sound. A state equation makes a liquid that rings: a tank that is let go swings as a whole, at a quarter of a wave length, and
// neither viscosity nor the damping of what is rough feels that. It was all that kept wcsph's tanks from rest (48 layers: 5e-4
// m g d, the same for 20 s, by turns moving and compressed). So a pressure also answers to the rate of the density, as if it were
// that of a moment later,
//     p(D) + c^2 rho0 tau dD/dt,   tau the longest step of sound,
// a viscosity of volume: it takes energy from what changes the density, and nothing from waves, shear and sliding.
//
// Density. The sum over neighbours feels how they lie, and with walls that have pressures of their own and surfaces that are made
// even not all that it feels has an energy: a seventh power feeds on that. A density that flows [Monaghan 1994],
//     dD/dt = sum_j G_ij . v_ij,
// is the exact partner of the push, whatever the walls do: what one gives the other takes. It alone would forget where the
// particles are, so it follows the sum, in the time in which sound passes some thirty spacings and the flow two; and a liquid
// starts with the pressure of its rest, not with that of its disorder. A jittered tank of 32 by 16 is at 2e-5 m g d after 6 s
// instead of 7e-3, a wave of 20 mm at 1/50 m loses 0.016 of its height a period instead of 0.16. A fifth of that pace or four
// times as much make no difference; with ten times waves lose twice as much. Spray, whose sum is below 0.8, has the sum.

#include "fluid/sph.h"

#define MOST_GROWN 0.1f   // of the density in a step, and above the sum: what is faster than sound has no density
#define FOLLOWING 0.03f   // of the sum, per spacing that sound passes
#define TIDIED_SHARE 0.1f // of that, where particles are kept even otherwise (tidy.c): what that does to sums is no pressure

typedef struct StateJob {
    const float *density;
    const float *growth; // of the density in a step, by the velocities; NULL: nobody asks
    float moved;         // the step that moved the particles / this one
    float *flow;         // density of its own; NULL: the sum
    float *pressure, *change, *inverse;
    float calming;                                 // pressure for a growth of 1 [Pa]
    float following;                               // of the sum, in this step
    float *slope;                                  // of kappa over density, times dt; NULL: nobody asks
    float stiffness, exponent, rest, to_kappa, dt; // rest: 1 where there is no pressure at rest, 0 for a gas
    bool is_clamped, has_mueller_pressure;
} StateJob;

// Density that makes the pressure: the particle's own, which a new one starts with as its pressure says.
static float flow_density(const StateJob *job, size_t i)
{
    float sum = job->density[i], own = job->flow[i];
    if (sum < COU_OPEN_DENSITY) return sum;
    if (own == 0.0f) own = COU_MIN(sum, powf(job->rest + job->pressure[i] / job->stiffness, 1.0f / job->exponent));
    own += COU_CLAMP(job->moved * job->growth[i], -MOST_GROWN, MOST_GROWN);
    own += job->following * (sum - own);
    return COU_CLAMP(own, COU_OPEN_DENSITY, sum + MOST_GROWN); // what was squeezed is let go, not shot
}

static void state_block(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)block, (void)worker;
    const StateJob *job = context;
    bool is_tait = job->exponent == 7.0f, is_gas = job->exponent == 1.0f;
    for (size_t i = begin; i < end; ++i) {
        float D = job->density[i];
        if (job->flow) job->flow[i] = D = flow_density(job, i);
        float D3 = D * D * D;
        float power = is_tait ? D3 * D3 * D : is_gas ? D : powf(D, job->exponent);
        float p = job->stiffness * (power - job->rest);
        bool bears = !job->is_clamped || p > 0.0f; // what is too thin may close up
        if (job->growth && bears) p += job->calming * COU_CLAMP(job->growth[i], -MOST_GROWN, MOST_GROWN);
        if (job->is_clamped) p = COU_MAX(p, 0.0f);
        job->pressure[i] = p;
        job->change[i] = job->to_kappa * p * (job->has_mueller_pressure ? 0.5f : 1.0f / (D * D));
        if (job->has_mueller_pressure) job->inverse[i] = 1.0f / D;
        if (job->slope) {
            float steep = job->stiffness * job->exponent * (power / D) + job->calming;
            float rise = steep * job->to_kappa / (D * D);
            job->slope[i] = job->is_clamped && !(p > 0.0f) ? 0.0f : job->dt * rise;
        }
    }
}

// The wall of a particle has its pressure: twice the half.
static void mirror_block(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)block, (void)worker;
    const StateJob *job = context;
    for (size_t i = begin; i < end; ++i) job->change[i] *= 2.0f * job->inverse[i];
}

// By the velocities of the step's beginning, that is by those that brought the particles where they are, before forces change
// them: what weight and tension make of a velocity in a step, and the pressure takes back, is no growth.
void couPhase_Growth(couStep *step)
{
    static couSphLoopFcn *const residual[cou_isaCount] = COU_VARIANTS(couSphResidual);
    couFluid *fluid = step->fluid;
    couSphState *state = fluid->method_state;
    state->growth = NULL;
    if (!(state->calming_time > 0.0f) && !couSph_HasFlowDensity(fluid)) return;
    couSphLoop loop = couSph_Loop(step);
    state->growth = loop.residual = COU_TAKE(fluid->scratch, float, loop.count);
    if (!state->growth) {
        step->has_failed = true;
        return;
    }
    loop.is_divergence = true, loop.is_clamped = false;
    bool has_bodies = state->yield.link_count > 0;
    if (has_bodies) couYield_Begin(&state->yield, step, NULL, false);
    couWalls_Ask(step, &loop);
    couSph_Run(step, &loop, residual);
    if (has_bodies) couYield_Begin(&state->yield, step, NULL, true);
}

static void use_growth(const couStep *step, StateJob *job)
{
    const couFluid *fluid = step->fluid;
    const couSphState *state = fluid->method_state;
    if (!(job->growth = state->growth)) return;
    // What a light liquid bears, whose sound is faster.
    float lightest = 1.0f;
    for (int m = 0; m < fluid->material_count; ++m) lightest = COU_MAX(lightest, state->inv_density[m]);
    job->calming = state->stiffness * state->exponent * state->calming_time / (step->dt * lightest);
    if (!couSph_HasFlowDensity(fluid)) return;
    job->flow = couTable_Data(&fluid->table, state->flow_column);
    job->moved = fluid->last_dt / step->dt;
    float pace = FOLLOWING * (state->is_tidied ? TIDIED_SHARE : 1.0f);
    job->following = 1.0f - expf(-pace * state->sound_speed * job->dt / fluid->spacing);
}

void couSph_PushByState(couStep *step, float dt)
{
    couFluid *fluid = step->fluid;
    const couSphState *state = fluid->method_state;
    const couSphParams *params = fluid->params;
    couSphLoop loop = couSph_Loop(step);
    bool has_mueller_pressure = couSph_HasMeanPressure(fluid);
    StateJob job = {.density = loop.kept,
                    .pressure = loop.pressure,
                    .change = loop.change,
                    .inverse = loop.factor,
                    .stiffness = state->stiffness,
                    .exponent = state->exponent,
                    .rest = params->equation == cou_equationGas ? 0.0f : 1.0f,
                    .to_kappa = dt / state->reference_density,
                    .dt = dt,
                    .is_clamped = loop.is_clamped,
                    .has_mueller_pressure = has_mueller_pressure};
    couYield *yield = &couSph_State(fluid)->yield;
    couArenaMark mark = couArena_Mark(fluid->scratch);
    use_growth(step, &job);
    bool is_good = true;
    if (yield->link_count && !has_mueller_pressure) is_good = (job.slope = COU_TAKE(fluid->scratch, float, loop.count)) != NULL;
    if (!is_good) {
        step->has_failed = true;
        return;
    }
    couFor(&fluid->parallel, loop.count, 8192, state_block, &job);
    if (job.slope) couYield_Soften(yield, step, loop.change, job.slope);
    couArena_Release(fluid->scratch, mark);
    if (has_mueller_pressure) loop.inverse = loop.factor; // no diagonals here
    static couSphLoopFcn *const push[cou_isaCount] = COU_VARIANTS(couSphPush);
    couWalls_Extend(step, &loop, loop.change);
    couSph_Run(step, &loop, push);
    if (has_mueller_pressure) couFor(&fluid->parallel, loop.count, 8192, mirror_block, &job);
    couSph_PressBodies(step, loop.change);
}
