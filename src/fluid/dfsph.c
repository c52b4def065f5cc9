// dfsph: divergence-free SPH [Bender and Koschier 2015]. Two solvers on one system: velocities are made free of divergence, forces act,
// then velocities are corrected until the density after the step is right, and the particles move. This is the authors' order; the one
// in [Gagneux 2022, alg. 8] solves the density before the forces.

#include "fluid/sph.h"

static bool init(couFluid *fluid)
{
    if (!couSph_Init(fluid)) return false;
    couSph_State(fluid)->divergence_column = couTable_AddColumn(&fluid->table, "divergence_pressure", "Pa", cou_stateF32, 1,
                                                                cou_columnState);
    return true;
}

static void phase_divergence(couStep *step)
{
    const couSphParams *p = step->fluid->params;
    couSph_Solve(step, &(couPressureSolve){.is_divergence = true,
                                           .column = couSph_State(step->fluid)->divergence_column,
                                           .tolerance = p->divergence_tolerance});
}

static void phase_density(couStep *step)
{
    const couSphParams *p = step->fluid->params;
    couSph_Solve(step, &(couPressureSolve){.column = couSph_State(step->fluid)->pressure_column, .tolerance = p->tolerance});
}

static const couPhaseEntry phases[] = {
    {cou_phaseSort, couPhase_Sort},       {cou_phaseWalls, couPhase_Boundary},
    {cou_phaseNeighbors, couPhase_Pairs}, {cou_phasePressure, phase_divergence},
    {cou_phaseForces, couPhase_Forces},   {cou_phaseViscosity, couPhase_Viscosity},
    {cou_phasePressure, phase_density},   COU_SPH_LAST_PHASES,
};

static const couSphTraits traits = {COU_SPH_TRAITS, .warm_start = 0.9f};

extern const couMethod couMethodDfsph;
const couMethod couMethodDfsph = {
    .name = "dfsph",
    .help = "divergence-free SPH: constant density and no divergence, with long steps (Bender 2015)",
    .sph = &traits,
    .phases = phases,
    COU_SPH_SHARED,
    .init = init,
};
