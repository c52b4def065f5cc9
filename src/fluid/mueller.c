// mueller: SPH for interactive use [Müller, Charypar, Gross 2003]: poly6 density (eq. 3, 20), pressure by the ideal gas p = k (rho - rho0) and
// the mean of both pressures (eq. 10, 12, 21), viscosity by its own kernel (eq. 14, 22), tension by the colour field (eq. 19), leap-frog.
// The mean of two pressures has only half the gradient of p: the paper's k is twice the square of the sound speed.

#include "fluid/sph.h"

static void phase_pressure(couStep *step) { couSph_PushByState(step, couSph_Kick(step)); }

static const couPhaseEntry phases[] = {COU_SPH_FIRST_PHASES, {cou_phasePressure, phase_pressure}, COU_SPH_LAST_PHASES};

static const couSphTraits traits = {.has_state_equation = true,
                                    .is_leapfrog = true,
                                    .has_mueller_pressure = true,
                                    .kernel = cou_sphMueller,
                                    .tension = cou_tensionColor,
                                    .support = 2.3f,
                                    .compression = 0.03f,
                                    .exponent = 1,
                                    .damping = 0.1f}; // density and force are of two kernels, hence of no common energy

extern const couMethod couMethodMueller;
const couMethod couMethodMueller = {
    .name = "mueller",
    .help = "SPH for interactive use, with surface tension by a colour field (Müller 2003)",
    .sph = &traits,
    .phases = phases,
    COU_SPH_FUNCTIONS,
};
