// iisph: implicit incompressible SPH, relaxed Jacobi on the pressure Poisson equation with the density as its source [Ihmsen 2014;
// Gagneux 2022, eq. 2.35, 2.36]. pcisph: predictive-corrective SPH, the same correction with one stiffness for all particles, from a
// full neighbourhood and free of dt [Solenthaler 2009; Gagneux 2022, eq. 2.33, 2.34].

#include "fluid/sph.h"

static void solve(couStep *step, bool has_one_stiffness)
{
    const couSphParams *p = step->fluid->params;
    couSph_Solve(step, &(couPressureSolve){.column = couSph_State(step->fluid)->pressure_column,
                                           .tolerance = p->tolerance,
                                           .has_one_stiffness = has_one_stiffness});
}
static void phase_implicit(couStep *step) { solve(step, false); }
static void phase_predictive(couStep *step) { solve(step, true); }

#define FIRST_PHASES \
    {cou_phaseSort, couPhase_Sort}, {cou_phaseWalls, couPhase_Boundary}, {cou_phaseNeighbors, couPhase_Pairs}, \
        {cou_phaseForces, couPhase_Forces}, \
    { \
        cou_phaseViscosity, couPhase_Viscosity \
    }

static const couPhaseEntry implicit_phases[] = {FIRST_PHASES, {cou_phasePressure, phase_implicit}, COU_SPH_LAST_PHASES};
static const couPhaseEntry predictive_phases[] = {FIRST_PHASES, {cou_phasePressure, phase_predictive}, COU_SPH_LAST_PHASES};

static const couSphTraits implicit_traits = {
    .kernel = cou_sphCubic, .tension = cou_tensionNone, .support = 2, .compression = 0.01f, .exponent = 7, .warm_start = 0.5f};
static const couSphTraits predictive_traits = {
    .kernel = cou_sphCubic, .tension = cou_tensionNone, .support = 2, .compression = 0.01f, .exponent = 7, .warm_start = 0};

extern const couMethod couMethodIisph, couMethodPcisph;
const couMethod couMethodIisph = {
    .name = "iisph",
    .help = "implicit incompressible SPH (Ihmsen 2014)",
    .sph = &implicit_traits,
    .phases = implicit_phases,
    COU_SPH_FUNCTIONS,
};
const couMethod couMethodPcisph = {
    .name = "pcisph",
    .help = "predictive-corrective incompressible SPH (Solenthaler 2009)",
    .sph = &predictive_traits,
    .phases = predictive_phases,
    COU_SPH_FUNCTIONS,
};
