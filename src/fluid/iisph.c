// iisph: implicit incompressible SPH, relaxed Jacobi on the pressure Poisson equation with the density as its source [Ihmsen 2014;
// Gagneux 2022, eq. 2.35, 2.36].

#include "fluid/sph.h"

static void phase_pressure(couStep *step)
{
    const couSphParams *p = step->fluid->params;
    couSph_Solve(step, &(couPressureSolve){.column = couSph_State(step->fluid)->pressure_column, .tolerance = p->tolerance});
}

static const couPhaseEntry phases[] = {COU_SPH_FIRST_PHASES, {cou_phasePressure, phase_pressure}, COU_SPH_LAST_PHASES};

static const couSphTraits traits = {COU_SPH_TRAITS, .warm_start = 0.5f};

extern const couMethod couMethodIisph;
const couMethod couMethodIisph = {
    .name = "iisph",
    .help = "implicit incompressible SPH (Ihmsen 2014)",
    .sph = &traits,
    .phases = phases,
    COU_SPH_FUNCTIONS,
};
