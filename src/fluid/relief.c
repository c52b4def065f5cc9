// The stress of order, and how it is taken off.
//
// A pressure pushes pairs apart along their gradients, so what a particle passes on is not p but the tensor p S, with S = sum_j
// G_ij x_ij the share of each direction in its density. S is 1 where neighbours lie evenly; where a flow has drawn them out it is
// not, and p dev S resists the flow. That is all there is to the yield stress of calm liquid (docs/calm-water.md): a share of the
// pressure, the same at any resolution, which holds up a small ball that should sink and stops a weak shear. Each particle knows
// its own, so it can be taken off as the divergence of a stress: a_i = r_i sum_j (T_i + T_j) G_ij with T = share p dev S. What
// one of a pair gets the other loses, so momentum stays; solids get back what they give.
//
// The order of neighbours stores energy, which comes free as noise when they change places. Without relief the flow pays for it;
// with all of it nobody does, and liquid that has no viscosity to speak of boils: a tank of 48 layers of water has 1e-2 m g d
// after 6 s instead of 7e-5. So thin liquids have none, and thick ones, whose viscosity takes the noise, nearly all of it. In
// such a tank, d = 1/48 m, noise after 6 s is 7e-6, 4e-5, 8e-5 and 4e-5 m g d at nu = 0.002, 0.007, 0.02 and 0.07 d v, with the
// shares 0.35, 0.64, 0.84 and 0.95 that these get.
//
// Tried: means of T over neighbours, one to six times (the same flow, no less noise); a mean over the last ten steps (the same);
// T no larger than a particle's viscous stress, which can make no energy at all (half of the gain is lost: T is uneven).

#include "fluid/sph.h"

#define THIN 0.004        // viscosity / (d times the speed of the flow) that gets half of it
#define LEAST_RELIEF 0.05 // that is worth two loops over all pairs

// Share of the stress that is taken off a liquid of this viscosity [m^2/s].
static float relief_of(const couFluid *fluid, double viscosity)
{
    const couSphState *state = fluid->method_state;
    const couSphParams *p = fluid->params;
    if (fluid->method->sph->has_mueller_pressure || !(viscosity > 0)) return 0.0f;
    if (!isnan(p->relief)) return p->relief;
    double thin = THIN * (double)fluid->spacing * (double)state->flow_speed, share = viscosity / (viscosity + thin);
    return share < LEAST_RELIEF ? 0.0f : (float)share;
}

void couSph_ChooseRelief(couFluid *fluid)
{
    couSphState *state = fluid->method_state;
    state->has_relief = false;
    for (int m = 0; m < fluid->material_count; ++m) {
        const couMaterialDef *def = &fluid->materials[m];
        state->relief[m] = state->has_viscosity ? relief_of(fluid, (double)(def->viscosity / def->density)) : 0.0f;
        state->has_relief |= state->relief[m] > 0.0f;
    }
}

void couSph_Relieve(couStep *step, float dt)
{
    static couSphLoopFcn *const stress[cou_isaCount] = COU_VARIANTS(couSphStress);
    static couSphLoopFcn *const relieve[cou_isaCount] = COU_VARIANTS(couSphRelieve);
    couFluid *fluid = step->fluid;
    const couSphState *state = fluid->method_state;
    if (!state->has_relief || state->is_tidied) return; // what is kept evenly spread has no such stress
    couArenaMark mark = couArena_Mark(fluid->scratch);
    couSphLoop loop = couSph_Loop(step);
    loop.out = couFluid_Previous(fluid); // free until the particles move
    loop.relief = state->relief;
    loop.inv_reference = 1.0f / state->reference_density;
    if (state->divergence_column >= 0) loop.other_pressure = couTable_Data(&fluid->table, state->divergence_column);
    loop.stress[0] = couSph_TakeVectors(fluid), loop.stress[1] = couSph_TakeVectors(fluid);
    bool has_walls = !fluid->boundary.table.count || couSph_KeepWalls(step, &loop);
    if (!loop.stress[0] || !loop.stress[1] || !has_walls) {
        step->has_failed = true;
        return;
    }
    couSph_Run(step, &loop, stress);
    couSph_Run(step, &loop, relieve);
    couSph_AddAccelerations(step, &loop, dt);
    couArena_Release(fluid->scratch, mark);
}
