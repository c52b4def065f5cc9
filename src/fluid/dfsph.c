// dfsph: divergence-free SPH [Bender and Koschier 2015]. Two solvers on one system: velocities are made free of divergence,
// forces act, then velocities are corrected until the density after the step is right, and the particles move. This is the
// authors' order; the one in [Gagneux 2022, alg. 8] solves the density before the forces.

#include "fluid/sph.h"

static bool init(couFluid *fluid)
{
    if (!couSph_Init(fluid)) return false;
    couSph_State(fluid)->divergence_column = couTable_AddColumn(&fluid->table, "divergence_pressure", "Pa", cou_stateF32, 1,
                                                                cou_columnState);
    return true;
}

static void make_divergence_free(couStep *step, int column)
{
    const couSphParams *p = step->fluid->params;
    couSph_Solve(step, &(couPressureSolve){.is_divergence = true, .column = column, .tolerance = p->divergence_tolerance});
}

static void phase_divergence(couStep *step)
{
    const couSphState *state = step->fluid->method_state;
    if (!state->is_tidied) make_divergence_free(step, state->divergence_column);
}

// Where there is no surface the velocities are made free of divergence after the forces, by the pressure that is felt and shown,
// and the density moves particles only (tidy.c).
static void phase_density(couStep *step)
{
    const couSphState *state = step->fluid->method_state;
    const couSphParams *p = step->fluid->params;
    int column = step->fluid->pressure_column;
    if (state->is_tidied) make_divergence_free(step, column);
    couSph_Solve(step, &(couPressureSolve){.column = state->is_tidied ? state->divergence_column : column,
                                           .tolerance = p->tolerance,
                                           .is_detour = state->is_tidied});
}

static const couPhaseEntry phases[] = {
    {cou_phaseSort, couPhase_Sort, COU_SPH_SORT_WORK},
    {cou_phaseWalls, couPhase_Boundary, COU_NOT_COUNTED},
    {cou_phaseNeighbors, couPhase_Pairs, COU_SPH_PAIRS_WORK},
    {cou_phasePressure, phase_divergence, COU_SPH_SOLVE_WORK(cou_workEachDivergenceIteration)},
    {cou_phaseForces, couPhase_Forces, COU_SPH_FORCES_WORK},
    {cou_phaseViscosity, couPhase_Viscosity, COU_SPH_VISCOSITY_WORK},
    {cou_phasePressure, phase_density, COU_SPH_SOLVE_WORK(cou_workEachIteration)},
    {cou_phaseWalls, couPhase_Hold, COU_NOT_COUNTED},
    {cou_phaseVelocity, couPhase_Move, COU_SPH_MOVE_WORK},
    {cou_phaseBodies, couPhase_Bodies, COU_NOT_COUNTED},
    {cou_phaseCollide, couPhase_Collide, COU_NOT_COUNTED},
    {cou_phaseVelocity, couPhase_Settle, COU_SPH_SETTLE_WORK},
    {cou_phaseCount, NULL, COU_NOT_COUNTED},
};

static const couSphTraits sph = {COU_SPH_DEFAULTS, .warm_start = 0.9f};

extern const couMethod couMethodDfsph;
const couMethod couMethodDfsph = {
    .name = "dfsph",
    .help = "divergence-free SPH: constant density and no divergence, with long steps (Bender 2015)",
    .traits = {COU_SPH_TRAITS, .height_error = 0.01, .force_error = 0.02, .density_error = 0.001,
               .claims = COU_SPH_CLAIMS | COU_SPH_FLOW_CLAIMS | COU_SPH_SHEAR_CLAIMS | cou_claimBuoyancy | cou_claimFloating |
                         cou_claimLevitation},
    .sph = &sph,
    .phases = phases,
    .init = init,
    COU_SPH_METHOD,
};
