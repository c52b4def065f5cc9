// pcisph: predictive-corrective SPH. The correction of iisph with one stiffness for all particles, from a full neighbourhood
// and free of dt [Solenthaler 2009; Gagneux 2022, eq. 2.33, 2.34].

#include "fluid/sph.h"

static void phase_pressure(couStep *step)
{
    const couSphParams *p = step->fluid->params;
    couSph_Solve(
        step, &(couPressureSolve){.column = step->fluid->pressure_column, .tolerance = p->tolerance, .has_one_stiffness = true});
}

static const couPhaseEntry phases[] = {
    {cou_phaseSort, couPhase_Sort, COU_SPH_SORT_WORK},
    {cou_phaseWalls, couPhase_Boundary, COU_NOT_COUNTED},
    {cou_phaseNeighbors, couPhase_Pairs, COU_SPH_PAIRS_WORK},
    {cou_phaseForces, couPhase_Forces, COU_SPH_FORCES_WORK},
    {cou_phaseViscosity, couPhase_Viscosity, COU_SPH_VISCOSITY_WORK},
    {cou_phasePressure, phase_pressure, COU_SPH_SOLVE_WORK(cou_workEachIteration)},
    {cou_phaseWalls, couPhase_Hold, COU_NOT_COUNTED},
    {cou_phaseVelocity, couPhase_Move, COU_SPH_MOVE_WORK},
    {cou_phaseBodies, couPhase_Bodies, COU_NOT_COUNTED},
    {cou_phaseCollide, couPhase_Collide, COU_NOT_COUNTED},
    {cou_phaseVelocity, couPhase_Settle, COU_SPH_SETTLE_WORK},
    {cou_phaseCount, NULL, COU_NOT_COUNTED},
};

static const couSphTraits sph = {COU_SPH_DEFAULTS, .warm_start = 0.5f};

extern const couMethod couMethodPcisph;
const couMethod couMethodPcisph = {
    .name = "pcisph",
    .help = "predictive-corrective incompressible SPH (Solenthaler 2009)",
    .traits = {COU_SPH_TRAITS, .height_error = 0.01, .force_error = 0.02, .density_error = 0.005,
               .claims = COU_SPH_CLAIMS | cou_claimBuoyancy | cou_claimFloating},
    .sph = &sph,
    .phases = phases,
    .init = couSph_Init,
    COU_SPH_METHOD,
};
