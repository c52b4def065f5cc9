// wcsph: weakly compressible SPH. The equation of state of sesph with k2 = 7 and k1 from the sound speed that keeps the liquid within 1 %
// of its density [Becker 2007; Gagneux 2022, eq. 2.27, 2.28, alg. 3]. It is chosen for half of that at the fastest speed: a tank that is let go
// swings to twice what it yields at rest.

#include "fluid/sph.h"

static void phase_pressure(couStep *step) { couSph_PushByState(step, step->dt); }

static const couPhaseEntry phases[] = {COU_SPH_FIRST_PHASES, {cou_phasePressure, phase_pressure}, COU_SPH_LAST_PHASES};

static const couSphTraits traits = {COU_SPH_TRAITS, .has_state_equation = true, .compression = 0.005f};

extern const couMethod couMethodWcsph;
const couMethod couMethodWcsph = {
    .name = "wcsph",
    .help = "weakly compressible SPH: stiff enough for 1 % of compression (Becker 2007)",
    .sph = &traits,
    .phases = phases,
    COU_SPH_FUNCTIONS,
};
