// pcisph: predictive-corrective SPH. The correction of iisph with one stiffness for all particles, from a full neighbourhood and free of
// dt [Solenthaler 2009; Gagneux 2022, eq. 2.33, 2.34].

#include "fluid/sph.h"

static void phase_pressure(couStep *step)
{
    const couSphParams *p = step->fluid->params;
    couSph_Solve(step, &(couPressureSolve){.column = couSph_State(step->fluid)->pressure_column,
                                           .tolerance = p->tolerance,
                                           .has_one_stiffness = true});
}

static const couPhaseEntry phases[] = {COU_SPH_FIRST_PHASES, {cou_phasePressure, phase_pressure}, COU_SPH_LAST_PHASES};

static const couSphTraits traits = {COU_SPH_TRAITS, .warm_start = 0.5f};

extern const couMethod couMethodPcisph;
const couMethod couMethodPcisph = {
    .name = "pcisph",
    .help = "predictive-corrective incompressible SPH (Solenthaler 2009)",
    .sph = &traits,
    .phases = phases,
    COU_SPH_FUNCTIONS,
};
