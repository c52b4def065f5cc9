// sesph: SPH with the equation of state p = k1 ((rho/rho0)^k2 - 1) and the user's k1, k2 [Gagneux 2022, eq. 2.19, 2.29].

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
    .kernel = cou_sphCubic,
    .tension = cou_tensionNone,
    .support = {2, 2},
    .exponent = 7,
    .compression = 0.01f,
    .damping = 0.02f, // a soft liquid swings longer
};

extern const couMethod couMethodSesph;
const couMethod couMethodSesph = {
    .name = "sesph",
    .help = "SPH with an equation of state, stiffness of your own (Gagneux 2022)",
    .traits = {COU_SPH_TRAITS, .has_state_equation = true, .height_error = 0.05, .force_error = 0.05, .claims = COU_SPH_CLAIMS},
    .sph = &sph,
    .phases = phases,
    .init = couSph_Init,
    COU_SPH_METHOD,
};
