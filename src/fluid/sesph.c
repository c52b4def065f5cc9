// sesph: SPH with the equation of state p = k1 ((rho/rho0)^k2 - 1) and the user's k1, k2 [Gagneux 2022, eq. 2.19, 2.29].
// wcsph: the same with k2 = 7 and k1 from the sound speed that keeps the liquid within 1 % of its density [Becker 2007; Gagneux 2022,
// eq. 2.27, 2.28, alg. 3]. They differ in nothing but their defaults.

#include "fluid/sph.h"

static void phase_pressure(couStep *step) { couSph_PushByState(step, step->dt); }

static const couPhaseEntry phases[] = {
    {cou_phaseSort, couPhase_Sort},
    {cou_phaseWalls, couPhase_Boundary},
    {cou_phaseNeighbors, couPhase_Pairs},
    {cou_phaseForces, couPhase_Forces},
    {cou_phaseViscosity, couPhase_Viscosity},
    {cou_phasePressure, phase_pressure},
    COU_SPH_LAST_PHASES,
};

static const couSphTraits soft_traits = {.has_state_equation = true,
                                         .kernel = cou_sphCubic,
                                         .tension = cou_tensionNone,
                                         .support = 2,
                                         .compression = 0.02f,
                                         .exponent = 7};
static const couSphTraits weak_traits = {.has_state_equation = true,
                                         .kernel = cou_sphCubic,
                                         .tension = cou_tensionNone,
                                         .support = 2,
                                         .compression = 0.01f,
                                         .exponent = 7};

extern const couMethod couMethodSesph, couMethodWcsph;
const couMethod couMethodSesph = {
    .name = "sesph",
    .help = "SPH with an equation of state, stiffness of your own (Gagneux 2022)",
    .sph = &soft_traits,
    .phases = phases,
    COU_SPH_FUNCTIONS,
};
const couMethod couMethodWcsph = {
    .name = "wcsph",
    .help = "weakly compressible SPH: stiff enough for 1 % of compression (Becker 2007)",
    .sph = &weak_traits,
    .phases = phases,
    COU_SPH_FUNCTIONS,
};
