// mueller: SPH for interactive use [Müller, Charypar, Gross 2003]: poly6 density (eq. 3, 20), pressure by the ideal gas p = k
// (rho - rho0) and the mean of both pressures (eq. 10, 12, 21), viscosity by its own kernel (eq. 14, 22), tension by the colour
// field (eq. 19), leap-frog. The mean of two pressures has only half the gradient of p: the paper's k is twice the square of
// the sound speed.

#include "fluid/sph.h"

static void phase_pressure(couStep *step) { couSph_PushByState(step, couSph_Kick(step)); }

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
    .has_mueller_pressure = true,
    .kernel = cou_sphMueller,
    .tension = cou_tensionColor,
    .support = {2.3f, 2.3f},
    .compression = 0.03f,
    .exponent = 1,
    .damping = 0.2f, // density and force are of two kernels, hence of no common energy
};

extern const couMethod couMethodMueller;
const couMethod couMethodMueller = {
    .name = "mueller",
    .help = "SPH for interactive use, with surface tension by a colour field (Müller 2003)",
    .traits = {COU_SPH_TRAITS, .has_state_equation = true, .is_leapfrog = true, .height_error = 0.05, .force_error = 0.05,
               .claims = COU_SPH_CLAIMS | cou_claimDrops},
    .sph = &sph,
    .phases = phases,
    .init = couSph_Init,
    COU_SPH_METHOD,
};
