// Pressure by an equation of state: sesph, wcsph, mueller.

#include "fluid/sph.h"

typedef struct StateJob {
    const couFluid *fluid;
    float *pressure, *change, *inverse;
    float stiffness, exponent, rest, to_kappa; // rest: 1 where there is no pressure at rest, 0 for a gas
    bool is_clamped, has_mueller_pressure;
} StateJob;

static void state_block(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)block, (void)worker;
    const StateJob *job = context;
    const float *density = couFluid_Density(job->fluid);
    bool is_tait = job->exponent == 7.0f, is_gas = job->exponent == 1.0f;
    for (size_t i = begin; i < end; ++i) {
        float D = density[i], D3 = D * D * D;
        float power = is_tait ? D3 * D3 * D : is_gas ? D : powf(D, job->exponent);
        float p = job->stiffness * (power - job->rest);
        if (job->is_clamped) p = COU_MAX(p, 0.0f);
        job->pressure[i] = p;
        job->change[i] = job->to_kappa * p * (job->has_mueller_pressure ? 0.5f : 1.0f / (D * D));
        if (job->has_mueller_pressure) job->inverse[i] = 1.0f / D;
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
    StateJob job = {fluid,
                    loop.pressure,
                    loop.change,
                    loop.factor,
                    state->stiffness,
                    state->exponent,
                    params->equation == cou_equationGas ? 0.0f : 1.0f,
                    dt / state->reference_density,
                    loop.is_clamped,
                    has_mueller_pressure};
    couFor(&fluid->parallel, loop.count, 8192, state_block, &job);
    if (has_mueller_pressure) loop.inverse = loop.factor; // no diagonals here
    static couSphLoopFcn *const push[cou_isaCount] = COU_VARIANTS(couSphPush);
    couSph_Run(step, &loop, push);
    if (has_mueller_pressure) couFor(&fluid->parallel, loop.count, 8192, mirror_block, &job);
    couSph_PressBodies(step, loop.change);
}
