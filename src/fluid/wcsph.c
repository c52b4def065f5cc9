// wcsph: weakly compressible SPH. The equation of state of sesph with k2 = 7 and k1 from the sound speed that keeps the liquid
// within 1 % of its density [Becker 2007; Gagneux 2022, eq. 2.27, 2.28, alg. 3]. It is chosen for half of that at the fastest
// speed: a tank that is let go swings to twice what it yields at rest. Density is drawn along by the flow (state_equation.c).

#include "fluid/sph.h"

static void phase_pressure(couStep *step) { couSph_PushByState(step, step->dt); }

static const couPhaseEntry phases[] = {
    {cou_phaseSort, couPhase_Sort, COU_SPH_SORT_WORK},
    {cou_phaseWalls, couPhase_Boundary, COU_NOT_COUNTED},
    {cou_phaseNeighbors, couPhase_Pairs, COU_SPH_PAIRS_WORK},
    {cou_phasePressure, couPhase_Growth, COU_NOT_COUNTED},
    {cou_phaseForces, couPhase_Forces, COU_SPH_FORCES_WORK},
    {cou_phaseViscosity, couPhase_Viscosity, COU_SPH_VISCOSITY_WORK},
    {cou_phasePressure, phase_pressure, COU_SPH_PUSH_WORK},
    {cou_phaseWalls, couPhase_Hold, COU_NOT_COUNTED},
    {cou_phaseVelocity, couPhase_Move, COU_SPH_MOVE_WORK},
    {cou_phaseBodies, couPhase_Bodies, COU_NOT_COUNTED},
    {cou_phaseCollide, couPhase_Collide, COU_NOT_COUNTED},
    {cou_phaseVelocity, couPhase_Settle, COU_SPH_SETTLE_WORK},
    {cou_phaseCount, NULL, COU_NOT_COUNTED},
};

static const couSphTraits sph = {
    COU_SPH_DEFAULTS,
    .has_flow_density = true,
    .compression = 0.005f,
};

extern const couMethod couMethodWcsph;
const couMethod couMethodWcsph = {
    .name = "wcsph",
    .help = "weakly compressible SPH: stiff enough for 1 % of compression (Becker 2007)",
    .traits = {COU_SPH_TRAITS, .height_error = 0.01, .has_state_equation = true, .density_error = 0.01, .force_error = 0.05,
               .claims = COU_SPH_CLAIMS | COU_SPH_FLOW_CLAIMS | COU_SPH_SHEAR_CLAIMS | cou_claimBuoyancy | cou_claimFloating},
    .sph = &sph,
    .phases = phases,
    .init = couSph_Init,
    COU_SPH_METHOD,
};
