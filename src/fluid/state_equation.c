// Pressure by an equation of state: sesph, wcsph, mueller.

#include "fluid/sph.h"

typedef struct StateJob {
    const float *density;
    float *pressure, *change, *inverse;
    float *slope;                                  // of kappa over density, times dt; NULL: nobody asks
    float stiffness, exponent, rest, to_kappa, dt; // rest: 1 where there is no pressure at rest, 0 for a gas
    bool is_clamped, has_mueller_pressure;
} StateJob;

static void state_block(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)block, (void)worker;
    const StateJob *job = context;
    bool is_tait = job->exponent == 7.0f, is_gas = job->exponent == 1.0f;
    for (size_t i = begin; i < end; ++i) {
        float D = job->density[i], D3 = D * D * D;
        float power = is_tait ? D3 * D3 * D : is_gas ? D : powf(D, job->exponent);
        float p = job->stiffness * (power - job->rest);
        if (job->is_clamped) p = COU_MAX(p, 0.0f);
        job->pressure[i] = p;
        job->change[i] = job->to_kappa * p * (job->has_mueller_pressure ? 0.5f : 1.0f / (D * D));
        if (job->has_mueller_pressure) job->inverse[i] = 1.0f / D;
        if (job->slope) {
            float rise = job->stiffness * job->exponent * (power / D) * job->to_kappa / (D * D);
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
    if (yield->link_count && !has_mueller_pressure && !(job.slope = COU_TAKE(fluid->scratch, float, loop.count))) {
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
