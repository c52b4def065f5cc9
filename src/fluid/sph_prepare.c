// The SPH family: parameters, and what preparation derives from them and from the scene: kernels, volumes, stiffness, steps.

#include "fluid/body_samples.h"
#include "fluid/coanda.h"

#include <stdio.h>

// --- Parameters --------------------------------------------------------------------------------------------------------------

static const char *const kernel_names[] = {"cubic", "wendland", "mueller", "kaiser", "auto", NULL};
static const char *const acceleration_names[] = {"auto", "none", "two-levels", NULL};
static const char *const viscosity_names[] = {"auto", "laplacian", "implicit", "none", NULL};
static const char *const tension_names[] = {"auto", "none", "color", "cohesion", "area", NULL};
static const char *const equation_names[] = {"tait", "gas", NULL};
static const char *const density_names[] = {"auto", "sum", "flow", NULL};
static const char *const boundary_names[] = {"akinci", "ghost", "ghost-air", NULL};
static const char *const coanda_names[] = {"smooth", "linear", NULL};

static const char *const wall_pressure_names[] = {"auto", "neighbor", "extended", NULL};

static const couParam params[] = {
    COU_NUMBER(
        couSphParams, support, "", .initial = {NAN}, .is_auto = true, .min = 1.5, .max = 5,
        .help =
            "support radius h over the spacing d; auto: 2.25 (mueller 2.3, sesph 2), in the plane 2.75 for wcsph, pcisph, iisph "
            "and dfsph unless all of it repeats; with tension = area 3, in the plane 3.5"),
    COU_CHOICE(couSphParams, kernel, kernel_names, .initial = {cou_sphKernelAuto},
               .help = "Kaiser and Bessel's, whose calm liquid flows at a thirtieth of the stress, cubic spline, Wendland C2 or "
                       "Müller's poly6 and spiky; auto: mueller's own for mueller without tension = area, else kaiser"),
    COU_NUMBER(couSphParams, fill, "", .initial = {1}, .min = 0.2, .max = 1.2,
               .help = "c_V: mass of a particle over rest density times d^3; "
                       "0.8 leaves a fifth of the filled volume void, 1 fills it"),
    COU_FLAG(couSphParams, clamp, .initial = {true}, .help = "negative pressures become 0: no suction, no clumping"),
    COU_FLAG(
        couSphParams, sealed, .initial = {true},
        .help = "pcisph, iisph, dfsph: liquid without a surface has pressures of both signs, whatever clamp says, and is kept "
                "evenly spread; false: as the papers have it, cut at 0 with clamp"),
    COU_NUMBER(couSphParams, courant, "", .initial = {0.4}, .min = 0.01, .max = 1,
               .help = "largest way of a particle against its neighbours in one step / spacing; "
                       "against the world 2.5 times that"),
    COU_NUMBER(couSphParams, min_step, "s", .initial = {1e-5}, .min = 0, .is_min_open = true, .max = 1,
               .help = "the step never becomes shorter"),
    COU_NUMBER(couSphParams, max_step, "s", .initial = {NAN}, .is_auto = true, .min = 0, .is_min_open = true, .max = 1,
               .help = "the step never becomes longer; auto: 0.4 d / sqrt(g depth), at most 0.25 sqrt(d/g)"),
    COU_NUMBER(couSphParams, stiffness, "Pa", .initial = {NAN}, .is_auto = true, .min = 0, .is_min_open = true, .max = 1e12,
               .help = "sesph, wcsph, mueller: k1 of p = k1 ((rho/rho0)^k2 - 1); auto: from depth, speed and compression"),
    COU_NUMBER(couSphParams, exponent, "", .initial = {NAN}, .is_auto = true, .min = 1, .max = 20,
               .help = "sesph, wcsph: k2 of the equation of state; 1: an ideal gas; auto: 7, mueller and a gas 1"),
    COU_CHOICE(couSphParams, equation, equation_names,
               .help = "sesph, wcsph, mueller: tait: no pressure at rest density; gas: p = k1 (rho/rho0)^k2, which fills all the "
                       "room that it finds"),
    COU_CHOICE(
        couSphParams, density, density_names, .initial = {cou_densityAuto},
        .help = "sesph, wcsph, mueller: what the pressure follows from: the sum over neighbours, which feels how they "
                "lie, or a density of its own that the flow changes and that follows the sum slowly; auto: flow for wcsph"),
    COU_NUMBER(couSphParams, compression, "", .initial = {NAN}, .is_auto = true, .min = 1e-4, .max = 0.5,
               .help = "sesph, wcsph, mueller: relative compression that the automatic stiffness allows; "
                       "auto: 0.005 (sesph 0.01, mueller 0.03; not with tension = area)"),
    COU_NUMBER(couSphParams, damping, "", .initial = {NAN}, .is_auto = true, .min = 0, .max = 2,
               .help = "artificial viscosity alpha, with ten times the speed of the flow for that of sound: of the rough part of "
                       "velocities, with mueller of what approaches; unless it is 0 a state equation calms sound as well; "
                       "auto: 0.01 (sesph 0.02, mueller 0.2; not with tension = area)"),
    COU_NUMBER(couSphParams, tolerance, "", .initial = {0.0005}, .min = 0, .is_min_open = true, .max = 0.1,
               .help = "pcisph, iisph, dfsph: mean density error that ends the iterations"),
    COU_NUMBER(couSphParams, divergence_tolerance, "", .initial = {0.001}, .min = 0, .is_min_open = true, .max = 0.1,
               .help = "dfsph: mean change of density per step that ends the divergence iterations"),
    COU_INTEGER(couSphParams, min_iterations, "", .initial = {2}, .min = 0, .max = 1000,
                .help = "of the density solver, whose calm liquid takes 6 at least; that of the divergence has 1; "
                        "a start from the last pressures counts as one"),
    COU_INTEGER(couSphParams, max_iterations, "", .initial = {100}, .min = 1, .max = 100000,
                .help = "of a pressure solver; a step that needs more is counted as not converged"),
    COU_CHOICE(
        couSphParams, acceleration, acceleration_names, .initial = {cou_accelerationAuto},
        .help = "pcisph, iisph, dfsph: plain relaxed Jacobi, or conjugate gradients with a coarse level; auto: two-levels"),
    COU_NUMBER(couSphParams, omega, "", .initial = {NAN}, .is_auto = true, .min = 0, .is_min_open = true, .max = 1,
               .help = "relaxation of Jacobi; auto: 0.5, less where the support makes that unstable"),
    COU_NUMBER(couSphParams, warm_start, "", .initial = {NAN}, .is_auto = true, .min = 0, .max = 1,
               .help = "share of the last step's pressures that a solver starts from; auto: 0.9, in fast flow 0.5 but for dfsph"),
    COU_CHOICE(couSphParams, viscosity, viscosity_names, .initial = {cou_viscosityAuto},
               .help = "explicit Laplacian or an implicit solver; auto: implicit where the explicit step would be too short"),
    COU_NUMBER(couSphParams, viscosity_tolerance, "", .initial = {1e-3}, .min = 0, .is_min_open = true, .max = 0.1,
               .help = "implicit viscosity: residual over right-hand side that ends the iterations"),
    COU_NUMBER(
        couSphParams, relief, "", .initial = {NAN}, .is_auto = true, .min = 0, .max = 1,
        .help = "share of the stress that the order of particles adds to the pressure which is taken off: with it weak pushes "
                "and small balls move thick liquids; auto: nearly 1 for thick liquids, 0 for thin ones, which it would "
                "not let rest"),
    COU_NUMBER(couSphParams, xsph, "", .min = 0, .max = 1,
               .help = "share of a particle's velocity that is smoothed over its neighbours in a step"),
    COU_CHOICE(couSphParams, tension, tension_names, .initial = {cou_tensionAuto},
               .help = "surface tension by Müller's colour field, Akinci's cohesion or the energy of the area, "
                       "which alone has the strength asked for; auto: color for mueller, else none"),
    COU_NUMBER(couSphParams, tension_threshold, "", .initial = {0.4}, .min = 0, .max = 10,
               .help = "color: a particle belongs to the surface where h |grad c| exceeds it"),
    COU_NUMBER(couSphParams, adhesion, "N/m", .min = 0, .max = 1e3,
               .help = "cohesion: attraction of bodies for the liquid, on the scale of surface tension"),
    COU_CHOICE(
        couSphParams, boundary, boundary_names, .initial = {cou_boundaryAkinci},
        .help = "solids as samples with volumes, or as mirror images of the liquid; ghost-air: and ghosts over free surfaces"),
    COU_INTEGER(couSphParams, boundary_layers, "", .min = 0, .max = COU_SPH_MAX_LAYERS,
                .help = "layers of samples under a solid's surface; 0: as many as the support reaches"),
    COU_CHOICE(couSphParams, wall_pressure, wall_pressure_names, .initial = {cou_wallPressureAuto},
               .help = "of samples: that of the particle that they push (Akinci 2012), or the mean of what is near, which keeps "
                       "the first row of liquid at its place; auto: extended but for mueller"),
    COU_FLAG(couSphParams, even_surface, .initial = {true},
             .help = "wcsph, pcisph, iisph, dfsph: what the density lacks at a free surface is made up, so that the outermost "
                     "particles keep their distances; false: they crowd until it is right, as a skin on which waves lose height"),
    COU_FLAG(couSphParams, no_stick, .help = "liquid that touches a wall keeps its normal velocity relative to it at 0"),
    COU_CHOICE(
        couSphParams, coanda, coanda_names,
        .help = "how the Coanda force of bodies that have one goes with the distance: ending smoothly at h, or linear up to "
                "it as in the thesis"),
    COU_NUMBER(couSphParams, coanda_step, "s", .initial = {0.0002}, .min = 1e-6, .max = 1,
               .help = "the force is `coanda` of the body over the square of this, whatever the step; as in the thesis"),
};
const couParamTable couSphParamTable = {"sph", params, COU_COUNT(params)};

bool couSph_HasWallPressure(const couFluid *fluid)
{
    const couSphParams *p = fluid->params;
    if (p->boundary != cou_boundaryAkinci || fluid->method->sph->has_mueller_pressure) return false;
    return p->wall_pressure != cou_wallPressureNeighbor;
}

bool couSph_HasFlowDensity(const couFluid *fluid)
{
    const couSphParams *p = fluid->params;
    bool is_usual = fluid->method->sph->has_flow_density && p->equation != cou_equationGas;
    return fluid->method->traits.has_state_equation && (p->density == cou_densityAuto ? is_usual : p->density == cou_densityFlow);
}

bool couSph_HasEvenSurface(const couFluid *fluid)
{
    const couSphParams *p = fluid->params;
    bool is_kept = !fluid->method->traits.has_state_equation || couSph_HasFlowDensity(fluid);
    return p->even_surface && p->clamp && is_kept && p->boundary != cou_boundaryAir;
}

// --- Preparation -------------------------------------------------------------------------------------------------------------

// Support of drops / d. With 2.25 they freeze: swings of 8 % stop within a quarter of a period, and with 3 those of 20 d and more
// in the plane, where a particle has half as many neighbours, still feel the lattice (15 % too fast).
#define AREA_SUPPORT_2D 3.5f
#define AREA_SUPPORT_3D 3.0f
#define AREA_COMPRESSION 0.005f
#define AREA_DAMPING 0.01f

float couSph_SupportRatio(const couFluid *fluid)
{
    const couSphParams *p = fluid->params;
    if (!isnan(p->support)) return p->support;
    if (p->tension == cou_tensionArea) return fluid->dimension == 3 ? AREA_SUPPORT_3D : AREA_SUPPORT_2D;
    // What repeats along every axis has neither surface nor lattice (tidy.c): wider sums would only smooth its vortices.
    const float *period = fluid->period.length;
    return fluid->method->sph->support[fluid->dimension == 3 || (period[0] > 0.0f && period[1] > 0.0f)];
}

int couSph_BoundaryLayers(const couFluid *fluid)
{
    const couSphParams *p = fluid->params;
    // Liquid comes a tenth of a spacing closer to a wall than the lattice would.
    int reached = (int)ceilf(couSph_SupportRatio(fluid) + 0.1f) - 1;
    return p->boundary_layers ? p->boundary_layers : COU_CLAMP(reached, 1, COU_SPH_MAX_LAYERS);
}

static void choose_kernels(couFluid *fluid)
{
    couSphState *state = fluid->method_state;
    const couSphParams *p = fluid->params;
    int usual = p->tension == cou_tensionArea ? cou_sphKaiser : fluid->method->sph->kernel; // two kernels would heat drops up
    int kernel = p->kernel == cou_sphKernelAuto ? usual : p->kernel;
    couKernelKind density = kernel == cou_sphCubic      ? cou_kernelCubic
                            : kernel == cou_sphWendland ? cou_kernelWendland
                            : kernel == cou_sphKaiser   ? cou_kernelKaiser
                                                        : cou_kernelPoly6;
    couKernelKind gradient = kernel == cou_sphMueller ? cou_kernelSpiky : density;
    state->density_kernel = couMakeKernel(density, fluid->dimension, fluid->h, fluid->spacing);
    state->gradient_kernel = couMakeKernel(gradient, fluid->dimension, fluid->h, fluid->spacing);
    state->lattice = couSumKernels(&state->density_kernel, &state->gradient_kernel, fluid->spacing);

    // The lattice's own density is 1 by definition: what a finite sum leaves out (a few per cent) goes into the volume.
    double cell = pow(fluid->spacing, fluid->dimension);
    state->volume = (float)(p->fill * cell);
    state->density_unit = (float)(1 / (cell * state->lattice.value));
    // A flat wall of these layers has the density of the lattice that it replaces [Gagneux 2022, eq. 2.51].
    int layers = couSph_BoundaryLayers(fluid);
    double missing = 0, there = 0, own = state->lattice.layer[0];
    for (int k = 1; k < COU_COUNT(state->lattice.layer); ++k) {
        missing += state->lattice.layer[k];
        if (k <= layers) there += state->lattice.layer[k];
        if (k < layers) own += state->lattice.layer[k];
    }
    state->wall_volume = (float)(cell * missing / there);
    state->gamma = state->wall_volume * (float)own;
    // What the outermost row of a flat surface lacks, and how steep the density is there (free_surface.c).
    double steep = cell * state->density_unit * state->lattice.steep;
    state->surface[0] = couSph_HasEvenSurface(fluid) ? (float)(missing / state->lattice.value) : 0.0f;
    state->surface[1] = (float)(1 / (steep * steep));
    double steepest = 0;
    for (int k = 1; k < 1000; ++k)
        steepest = COU_MAX(steepest, fabs(couKernel_Slope(&state->gradient_kernel, fluid->h * k / 1000.0)));
    double unit = state->volume * state->density_unit * steepest / 32000;
    state->gradient_scale[0] = (float)unit;
    state->gradient_scale[1] = (float)(COU_MOST_SAMPLE_VOLUME * unit);
}

// Sound, explicit viscosity and tension bound the step whatever the flow does. A min_step above such a bound wins, so it must be
// said before the liquid flies apart.
static void warn_of_least_step(const couFluid *fluid)
{
    const couSphState *state = fluid->method_state;
    const couSphParams *p = fluid->params;
    char sound[40];
    snprintf(sound, sizeof sound, "sound of %.3g m/s", (double)state->sound_speed);
    const struct {
        const char *what;
        float step;
    } bounds[] = {
        {sound, state->acoustic_step}, {"explicit viscosity", state->viscous_step}, {"surface tension", state->tension_step}};
    for (int b = 0; b < COU_COUNT(bounds); ++b) {
        double longest = bounds[b].step, least = p->min_step;
        if (!(longest < least)) continue;
        couLog(cou_logWarning,
               "%s: %s asks for steps of at most %.3g s, but min_step makes them %.3g s, %.1f times too long: the liquid may fly "
               "apart; --set %s.min_step=%.1g",
               fluid->method->name, bounds[b].what, longest, least, least / longest, couSphParamTable.name, 0.1 * longest);
    }
}

// Viscosity / (d times the speed of the flow) that is well above that of the smallest scales, which is about 0.03.
#define THICK 0.1

void couSph_MaterialsChanged(couFluid *fluid)
{
    couSphState *state = fluid->method_state;
    const couSphParams *p = fluid->params;
    float heaviest = 0.0f, lightest = INFINITY, thickest = 0.0f, thinnest = INFINITY, tension = 0.0f;
    for (int m = 0; m < fluid->material_count; ++m) {
        const couMaterialDef *def = &fluid->materials[m];
        heaviest = COU_MAX(heaviest, def->density), lightest = COU_MIN(lightest, def->density);
        thickest = COU_MAX(thickest, def->viscosity), thinnest = COU_MIN(thinnest, def->viscosity);
        tension = COU_MAX(tension, def->surface_tension);
    }
    if (!fluid->material_count) heaviest = lightest = 1000.0f, thinnest = 0.0f;
    state->reference_density = heaviest;
    state->is_single_density = heaviest == lightest;
    state->is_single_viscosity = thickest == thinnest;
    for (int m = 0; m < fluid->material_count; ++m) {
        state->inv_density[m] = heaviest / fluid->materials[m].density;
        state->kinematic[m] = fluid->materials[m].viscosity / heaviest;
        state->tension[m] = fluid->materials[m].surface_tension / heaviest;
        fluid->mass[m] = fluid->materials[m].density * state->volume;
    }
    for (size_t i = 0; i < fluid->table.count; ++i)
        couSph_Weights(fluid, couFluid_Material(fluid)[i], &couFluid_Position(fluid)[i].w, &couFluid_Velocity(fluid)[i].w);

    // Steps that explicit terms allow. A light liquid feels a force per volume more.
    double largest = heaviest / lightest, d = fluid->spacing;
    double rate = thickest / heaviest * largest * state->lattice.viscous;
    // Half of what is stable, and half of that where viscosity leans on pressures, whose noise it keeps alive (viscosity.c).
    double most = fluid->method->traits.has_state_equation ? 0.5 : 0.25;
    state->viscous_step = rate > 0 ? (float)(most / rate) : INFINITY;
    bool wants_viscosity = p->viscosity != cou_viscosityNone && thickest > 0.0f;
    state->is_implicit = wants_viscosity && (p->viscosity == cou_viscosityImplicit ||
                                             (p->viscosity == cou_viscosityAuto && state->viscous_step < state->free_step));
    state->has_viscosity = wants_viscosity;
    state->is_thick = wants_viscosity && thickest / lightest > THICK * d * state->flow_speed;
    couSph_ChooseRelief(fluid);
    if (!wants_viscosity || state->is_implicit) state->viscous_step = INFINITY;
    int kind = p->tension == cou_tensionAuto ? fluid->method->sph->tension : p->tension;
    state->tension_kind = tension > 0.0f || p->adhesion > 0.0f ? kind : cou_tensionNone;
    bool has_tension = state->tension_kind != cou_tensionNone && tension > 0.0f;
    state->tension_step = has_tension ? (float)(0.4 * sqrt(lightest * d * d * d / (2 * COU_PI * tension))) : INFINITY;
    warn_of_least_step(fluid);
}

// Sound speed and stiffness from what the scene asks for [Gagneux 2022, eq. 2.27, 2.28].
static void choose_stiffness(couFluid *fluid, const couDemand *demand)
{
    couSphState *state = fluid->method_state;
    const couSphParams *p = fluid->params;
    double g = couLength(fluid->gravity), h = fluid->h;
    double fastest2 = demand->speed * demand->speed + 2 * g * demand->depth;
    // Drops of some five spacings must bear their own tension as well, and that of the pairs inside.
    double tension = 0;
    for (int m = 0; m < fluid->material_count; ++m)
        tension = COU_MAX(tension, (double)(fluid->materials[m].surface_tension / fluid->materials[m].density));
    int kind = p->tension == cou_tensionAuto ? fluid->method->sph->tension : p->tension;
    if (kind != cou_tensionNone) fastest2 += 0.4 * tension / fluid->spacing;
    if (kind == cou_tensionArea) fastest2 += (double)state->area_law.pressure * tension;
    const couSphTraits *traits = fluid->method->sph;
    // Drops yield to the tension inside, which then grows with the square of the density. Their forces are of an energy, so that
    // nothing heats them up.
    double usual = kind == cou_tensionArea ? COU_MIN(traits->compression, AREA_COMPRESSION) : traits->compression;
    float calm = kind == cou_tensionArea ? COU_MIN(traits->damping, AREA_DAMPING) : traits->damping;
    double compression = isnan(p->compression) ? usual : p->compression;
    // The mean of two pressures has half the gradient of their sum.
    double share = couSph_HasMeanPressure(fluid) ? 0.5 : 1.0;
    bool is_gas = p->equation == cou_equationGas;
    state->exponent = isnan(p->exponent) ? (is_gas ? 1.0f : traits->exponent) : p->exponent;
    if (isnan(p->stiffness)) {
        double c2 = COU_MAX(fastest2 / compression, h * h * 100);
        state->stiffness = (float)(state->reference_density * c2 / (state->exponent * share));
    } else {
        state->stiffness = p->stiffness;
    }
    double c = sqrt(share * state->stiffness * state->exponent / state->reference_density);
    bool has_state = fluid->method->traits.has_state_equation;
    state->sound_speed = (float)c;
    state->flow_speed = (float)sqrt(fastest2);
    state->height_error = has_state ? (float)(g * demand->depth / (2 * c * c)) : p->tolerance;
    float alpha = isnan(p->damping) ? calm : p->damping;
    // Monaghan's speed of sound, as a liquid that yields by a per cent has it: the same damping for all methods.
    state->damping = (float)(alpha * 10 * sqrt(fastest2) * h);
    state->acoustic_step = has_state ? (float)(0.2 * h / c) : INFINITY;
    state->calming_time = has_state && alpha > 0.0f ? state->acoustic_step : 0.0f;
}

static void choose_solver(couFluid *fluid)
{
    couSphState *state = fluid->method_state;
    const couSphParams *p = fluid->params;
    // Disorder raises the largest eigenvalue above the lattice's: a dam break flies apart with the lattice's own, and does not
    // with 1.2 times that.
    state->omega = isnan(p->omega) ? COU_MIN(0.5f, 1.9f / (float)(1.35 * state->lattice.spectrum)) : p->omega;
    state->is_accelerated = p->acceleration != cou_accelerationNone;
    state->warm_start = isnan(p->warm_start) ? fluid->method->sph->warm_start : p->warm_start;
    state->calm_start = isnan(p->warm_start) && state->is_accelerated ? COU_SPH_CALM_START : state->warm_start;
}

static bool check_period(const couFluid *fluid, couFaults *faults)
{
    bool is_good = true;
    static const char *const axes[] = {"x", "y", "z"};
    for (int a = 0; a < fluid->dimension; ++a) {
        float length = fluid->period.length[a];
        if (!(length > 0.0f) || length >= 3.1f * fluid->h) continue;
        couFaults_Add(faults, NULL, "scene.period", "%s: %g m is too short: at least 3.1 support radii (%g m) must fit", axes[a],
                      length, 3.1 * fluid->h);
        is_good = false;
    }
    return is_good;
}

static bool check_air(const couFluid *fluid, couFaults *faults)
{
    const couSphParams *p = fluid->params;
    const float *length = fluid->period.length;
    bool repeats = length[0] > 0.0f || length[1] > 0.0f || length[2] > 0.0f;
    if (p->boundary != cou_boundaryAir || !repeats) return true;
    couFaults_Add(faults, NULL, "sph.boundary", "ghost-air is not for worlds that repeat: akinci and ghost are");
    return false;
}

static bool check_steps(const couSphParams *p, couFaults *faults)
{
    bool is_reported = !(p->max_step > 0.0f) || !(p->min_step > 0.0f); // out of range by itself; auto
    if (is_reported || p->max_step >= p->min_step) return true;
    couFaults_Add(faults, NULL, "sph.max_step", "%g s is below min_step (%g s)", p->max_step, p->min_step);
    return false;
}

static bool check_iterations(const couSphParams *p, couFaults *faults)
{
    if (p->max_iterations >= p->min_iterations || p->max_iterations < 1) return true; // the latter is reported already
    couFaults_Add(faults, NULL, "sph.max_iterations", "%d is below min_iterations (%d)", p->max_iterations, p->min_iterations);
    return false;
}

bool couSph_Prepare(couFluid *fluid, const couDemand *demand, char *choices, size_t size, couFaults *faults)
{
    couSphState *state = fluid->method_state;
    const couSphParams *p = fluid->params;
    if (!couCheckSamples(fluid, faults)) return false;
    bool is_good = couParams_Check(&couSphParamTable, p, faults);
    is_good = check_period(fluid, faults) && is_good;
    is_good = check_air(fluid, faults) && is_good;
    is_good = check_steps(p, faults) && is_good;
    is_good = check_iterations(p, faults) && is_good;
    if (!is_good) return false;
    double g = couLength(fluid->gravity), d = fluid->spacing;
    choose_kernels(fluid);
    couForgetBodySamples(fluid); // their volumes follow from the kernel
    if (!couSph_PrepareCoanda(fluid, faults)) return false;
    state->cohesion_moment = (float)couCohesionMoment(fluid->dimension);
    state->area_law = couMakeAreaLaw(fluid->dimension, fluid->h, fluid->spacing, state->volume);
    // The step that the flow alone would have: explicit viscosity must not make it much shorter.
    double fastest = sqrt(demand->speed * demand->speed + 2 * g * demand->depth);
    state->free_step = (float)(fastest > 0 ? p->courant * d / fastest : 0.01);
    float flow_step = state->free_step;
    if (fluid->material_count) state->reference_density = fluid->materials[0].density;
    for (int m = 0; m < fluid->material_count; ++m)
        state->reference_density = COU_MAX(state->reference_density, fluid->materials[m].density);
    choose_stiffness(fluid, demand);
    if (state->acoustic_step < state->free_step) state->free_step = state->acoustic_step;
    couSph_MaterialsChanged(fluid);
    choose_solver(fluid);
    // A long wave of the deepest water must not run past a particle either: at rest there is pressure without any speed, and with
    // four times this step a column of 50 layers let go from rest flies apart.
    double longest = g > 0 ? 0.25 * sqrt(d / g) : 0.01;
    if (g * demand->depth > 0) longest = COU_MIN(longest, p->courant * d / sqrt(g * demand->depth));
    state->layers = (float)(demand->depth / d);
    fluid->least_step = p->min_step;
    state->max_step = isnan(p->max_step) ? (float)longest : p->max_step;

    int used = snprintf(choices, size, "%s: h = %.4g m (%.3g d), particles of %.4g kg%s\n", fluid->method->name, (double)fluid->h,
                        fluid->h / d, (double)(state->volume * state->reference_density), p->clamp ? "" : ", pressures may pull");
    if (fluid->method->traits.has_state_equation && used > 0 && (size_t)used < size)
        used += snprintf(choices + used, size - (size_t)used,
                         "sound speed %.3g m/s for a depth of %.3g m and a speed of %.3g m/s: p = %.4g Pa ((rho/rho0)^%.3g%s)\n",
                         (double)state->sound_speed, (double)demand->depth, (double)demand->speed, (double)state->stiffness,
                         (double)state->exponent, p->equation == cou_equationGas ? "" : " - 1");
    float step = couSph_SuggestStep(fluid);
    char later[80] = "";
    if (flow_step < step)
        snprintf(later, sizeof later, ", about %.3g ms where the liquid meets something at %.3g m/s", 1000.0 * flow_step,
                 fastest);
    if (used > 0 && (size_t)used < size)
        used += snprintf(choices + used, size - (size_t)used, "step at most %.3g ms%s%s; viscosity %s\n", 1000.0 * step,
                         step == state->acoustic_step ? " (sound)" : "", later,
                         !state->has_viscosity ? "none"
                         : state->is_implicit  ? "implicit"
                                               : "explicit");
    if (demand->is_jet && couSph_HasUnusualSuction(fluid) && !state->has_looked)
        couSph_WarnOfSuction(fluid, "emitters make a free surface");
    for (int m = 0; m < fluid->material_count && used > 0 && (size_t)used < size; ++m)
        if (fluid->materials[m].springs != cou_springsNone)
            used += snprintf(choices + used, size - (size_t)used, "%s: its springs act in pvfs only\n", fluid->materials[m].name);
    return true;
}

// dt with (v + g dt) dt <= way
static float step_for_way(float v, float g, float way)
{
    return g > 0.0f ? 2.0f * way / (v + sqrtf(v * v + 4.0f * g * way)) : v > 0.0f ? way / v : INFINITY;
}

// The condition of Courant, Friedrichs and Lewy [Gagneux 2022, eq. 2.47, with the diameter] on the speed of particles against
// their neighbours and walls: a jet that moves as a whole could move at any speed. That speed is known from the step before, so
// nothing may move farther than 2.5 times that way in a step.
float couSph_SuggestStep(const couFluid *fluid)
{
    const couSphState *state = fluid->method_state;
    const couSphParams *p = fluid->params;
    float g = couLength(fluid->gravity) + couStrongestBlow(fluid), way = p->courant * fluid->spacing;
    float step = COU_MIN(step_for_way(fluid->relative_speed, g, way), step_for_way(fluid->max_speed, g, 2.5f * way));
    step = COU_MIN(step, couSph_CoandaStep(fluid, way));
    step = COU_MIN(step, COU_MIN(state->viscous_step, COU_MIN(state->tension_step, state->acoustic_step)));
    return COU_MIN(step, state->max_step);
}

float couSph_HeightError(const couFluid *fluid) { return couSph_State(fluid)->height_error; }
