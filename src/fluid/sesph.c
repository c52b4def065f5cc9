// sesph: SPH with the equation of state p = k1 ((rho/rho0)^k2 - 1) and the user's k1, k2 [Gagneux 2022, eq. 2.19, 2.29].

#include "fluid/sph.h"

static void phase_pressure(couStep *step) { couSph_PushByState(step, step->dt); }

static const couPhaseEntry phases[] = {COU_SPH_FIRST_PHASES, {cou_phasePressure, phase_pressure}, COU_SPH_LAST_PHASES};

static const couSphTraits traits = {
    .kernel = cou_sphCubic,
    .tension = cou_tensionNone,
    .support = 2,
    .exponent = 7,
    .has_state_equation = true,
    .compression = 0.01f,
    .damping = 0.02f, // a soft liquid swings longer
};

extern const couMethod couMethodSesph;
const couMethod couMethodSesph = {
    .name = "sesph",
    .help = "SPH with an equation of state, stiffness of your own (Gagneux 2022)",
    .sph = &traits,
    .phases = phases,
    COU_SPH_FUNCTIONS,
};
