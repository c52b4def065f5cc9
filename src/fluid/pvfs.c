// pvfs: particle-based viscoelastic fluid by prediction and relaxation [Clavet, Beaudoin, Poulin 2005].
//
// The step is their Algorithm 1, turned so that one neighbour search serves all of it: viscosity, which they apply to the
// velocities at the beginning of a step, is applied here at the end of the one before, at the same positions and with the same
// lists. Velocities are updated by v += (x - (x_prev + dt v)) / dt instead of v = (x - x_prev) / dt: the same number, without
// losing the digits of v where nothing happened to the particle.
//
// The numbers k, k_near and rho0 are not left to the user as a rule: the pair law is the gradient of an energy whose sound speed
// and rest density can be calculated (docs/methods.md), so they follow from the depth and the speed that a scene asks for.

#include "fluid/pvfs.h"
#include "fluid/springs.h"

#include <stdio.h>

#define PAPER_TIME (1.0f / 30.0f) // the paper's unit of time [s]

// --- Parameters --------------------------------------------------------------------------------------------------------------

static const char *const recipe_names[] = {"water", "drops", NULL};
static const char *const near_names[] = {"density", "distance", "none", NULL};
static const char *const far_spring_names[] = {"flow", "hold", NULL};
static const char *const wall_names[] = {"density", "clamp", NULL};

static const couParam params[] = {
    COU_CHOICE(couPvfsParams, recipe, recipe_names,
               .help = "water: lively, little surface tension; drops: round drops and filaments, three times the cost"),
    COU_NUMBER(couPvfsParams, support, "", .initial = {NAN}, .is_auto = true, .min = 1.2, .max = 5,
               .help = "support radius h over the spacing d; auto: by recipe and dimension"),
    COU_NUMBER(couPvfsParams, near_ratio, "", .initial = {NAN}, .is_auto = true, .min = 0, .max = 20,
               .help = "k_near / k: low is lively and noisy, high is calm and sticky; auto: by recipe"),
    COU_NUMBER(couPvfsParams, height_error, "", .initial = {0.02}, .min = 0.001, .max = 0.5,
               .help = "allowed relative error of a resting pool's height; stiffness and substeps follow"),
    COU_NUMBER(couPvfsParams, courant, "", .initial = {NAN}, .is_auto = true, .min = 0.01, .max = 0.8,
               .help = "sound speed times step over h; auto: 0.45 at h = 2 d, less above"),
    COU_NUMBER(couPvfsParams, step, "s", .initial = {NAN}, .is_auto = true, .min = 0, .is_min_open = true, .max = 1,
               .help = "fixed largest step: stiffness is lowered to what it allows; auto: the step follows the stiffness"),
    COU_NUMBER(couPvfsParams, k, "h/(1/30 s)^2", .initial = {NAN}, .is_auto = true, .min = 0, .is_min_open = true, .max = 100,
               .help = "stiffness in the paper's units (typically 0.004); auto: from depth and speed"),
    COU_NUMBER(couPvfsParams, k_near, "h/(1/30 s)^2", .initial = {NAN}, .is_auto = true, .min = 0, .max = 100,
               .help = "near stiffness in the paper's units (typically 0.01); auto: near_ratio * k"),
    COU_NUMBER(couPvfsParams, rho0, "", .initial = {NAN}, .is_auto = true, .min = 0, .is_min_open = true, .max = 1000,
               .help = "rest density in the paper's sense (typically 10); auto: from the resting lattice"),
    COU_CHOICE(couPvfsParams, near, near_names,
               .help = "what keeps particles apart: the near density of the paper, a plain repulsion by distance, or nothing"),
    COU_CHOICE(couPvfsParams, walls, wall_names, .help = "solids count in the density, or only stop particles"),
    COU_CHOICE(couPvfsParams, far_springs, far_spring_names,
               .help = "plastic springs stretched beyond h flow on and vanish, "
                       "or hold their length as in the paper's algorithm 4"),
};
static const couParamTable param_table = {"pvfs", params, COU_COUNT(params)};

// --- Theory ------------------------------------------------------------------------------------------------------------------

// Adds a lattice point at distance q (in h).
static void add_point(couLatticeSums *sums, double q)
{
    if (q >= 1.0 || q <= 0.0) return;
    double w = 1.0 - q;
    sums->rho += w * w;
    sums->rho_near += w * w * w;
    sums->s1 += q * w;
    sums->s2 += q * w * w;
    sums->spring += q * q * w;
    sums->w += w;
}

couLatticeSums couSumLattice(int dimension, float support)
{
    couLatticeSums sums = {0};
    int reach = (int)support + 2;
    if (dimension == 2) { // hexagonal, one point per d^2
        double a = sqrt(2.0 / sqrt(3.0)) / support;
        for (int i = -2 * reach; i <= 2 * reach; ++i)
            for (int j = -2 * reach; j <= 2 * reach; ++j) add_point(&sums, a * sqrt((double)(i * i + i * j + j * j)));
        return sums;
    }
    double a = cbrt(2.0) / support; // body-centred cubic, two points per cell of 2 d^3
    for (int i = -reach; i <= reach; ++i)
        for (int j = -reach; j <= reach; ++j)
            for (int k = -reach; k <= reach; ++k) {
                add_point(&sums, a * sqrt((double)(i * i + j * j + k * k)));
                double x = i + 0.5, y = j + 0.5, z = k + 0.5;
                add_point(&sums, a * sqrt(x * x + y * y + z * z));
            }
    return sums;
}

// Integrals of w^2, w^3 (density) and w, w^2 along the normal (push) over the part of the support that lies behind a wall, at the
// number density of the fluid. Shells of radius q around the particle: in 3D the cap has area 2 pi q (q - z) and its mean
// direction (q^2 - z^2) pi; in 2D an arc of 2 acos(z/q) q and 2 sqrt(q^2 - z^2).
void couFillWallTable(couWallTable *table, int dimension, float support)
{
    enum { STEPS = 400 };
    double density = pow(support, dimension); // particles per h^dimension
    for (int n = 0; n <= COU_WALL_SAMPLES + 1; ++n) {
        double z = 1.0 - COU_MIN(1.0, (double)n / COU_WALL_SAMPLES), dq = (1.0 - z) / STEPS;
        double rho = 0, rho_near = 0, push = 0, push_near = 0;
        for (int s = 0; s < STEPS; ++s) {
            double q = z + (s + 0.5) * dq, w = 1.0 - q;
            double area = dimension == 3 ? 2 * COU_PI * q * (q - z) : 2 * acos(z / q) * q;
            double along = dimension == 3 ? COU_PI * (q * q - z * z) : 2 * sqrt(q * q - z * z);
            rho += area * w * w * dq, rho_near += area * w * w * w * dq;
            push += along * w * dq, push_near += along * w * w * dq;
        }
        table->at[n].rho = (float)(density * rho), table->at[n].rho_near = (float)(density * rho_near);
        table->at[n].push = (float)(density * push), table->at[n].push_near = (float)(density * push_near);
    }
}

// c^2 = k h rhoc^2 (1/4 + chi * factor) with rhoc the continuum density.
static double stiffness_factor(int dimension, double support, double chi)
{
    double x = pow(support, dimension);
    double rhoc = dimension == 3 ? 4 * COU_PI / 30 * x : COU_PI / 6 * x;
    return rhoc * rhoc * (0.25 + chi * (dimension == 3 ? 1.0 / 24 : 0.06));
}

static float support_ratio(const couFluid *fluid)
{
    const couPvfsParams *p = fluid->params;
    if (!isnan(p->support)) return p->support;
    if (p->recipe == cou_recipeDrops) return 3.0f;
    return fluid->dimension == 3 ? 2.0f : 2.5f;
}

// Drops need tension, and a support wide enough that particles do not lock into a lattice: ellipsoids of 2:1 with 500 to 18,000
// particles all swing and end round within 4 % at h = 3 d, chi = 2; at h = 2.5 d those of 6,000 freeze at 1.17, at 2.75 d those
// of 18,000 at 1.10. Water must bear no shear at rest, or what floats stays where it was put and what is heavy hangs in it: a
// ball of 1.4 times its density, 10 spacings wide, sinks with 0.42 m/s at chi = 0.3 and 0.22 m/s at 0.5; below 0.25 particles
// come in pairs.
static double recipe_near_ratio(const couFluid *fluid)
{
    const couPvfsParams *p = fluid->params;
    if (p->recipe == cou_recipeWater) return 0.3;
    return fluid->dimension == 3 ? 2.0 : 1.0;
}

// --- Preparation -------------------------------------------------------------------------------------------------------------

// Speed of compression waves in the stiffest spring net [m/s]: c^2 = 3 G / rho for central forces.
static double spring_speed(const couFluid *fluid, double per_spring)
{
    const couPvfsState *state = fluid->method_state;
    double fastest = 0;
    for (int m = 0; m < fluid->material_count; ++m)
        fastest = COU_MAX(fastest, sqrt(3 * per_spring * state->materials[m].k_spring));
    return fastest;
}

static double courant_number(const couFluid *fluid)
{
    const couPvfsParams *p = fluid->params;
    return isnan(p->courant) ? COU_MAX(0.3, 0.45 - 0.1 * (support_ratio(fluid) - 2.0)) : p->courant;
}

// The step follows from the fastest wave, unless the user fixed it or gave the paper's raw numbers.
static void derive_step(couFluid *fluid, double per_spring)
{
    couPvfsState *state = fluid->method_state;
    const couPvfsParams *p = fluid->params;
    double springs = spring_speed(fluid, per_spring), c = state->sound_speed;
    state->step = (float)(courant_number(fluid) * fluid->h / sqrt(c * c + springs * springs));
    if (!isnan(p->k)) state->step = PAPER_TIME;
    if (!isnan(p->step)) state->step = p->step;
}

static void derive_materials(couFluid *fluid)
{
    couPvfsState *state = fluid->method_state;
    const couPvfsParams *p = fluid->params;
    double support = support_ratio(fluid), h = fluid->h;
    couLatticeSums sums = couSumLattice(fluid->dimension, (float)support);
    // nu = (pi/900) (h/d)^3 sigma h^2 in 3D, (pi/640) (h/d)^2 sigma h^2 in 2D.
    double per_sigma = fluid->dimension == 3 ? COU_PI / 900 * pow(support, 3) * h * h : COU_PI / 640 * pow(support, 2) * h * h;
    // An isotropic net of central springs: G = rho k/(4 n (n + 2)) sum (1 - q) r^2, n the dimension.
    double n = fluid->dimension, per_spring = h * h * sums.spring / (4 * n * (n + 2));
    double looseness = pow(0.02 / p->height_error, 1.2); // 0.06 c/h at 5 %
    state->is_single_material = fluid->material_count <= 1;
    for (int m = 0; m < fluid->material_count; ++m) {
        const couMaterialDef *def = &fluid->materials[m];
        couPvfsMaterial *material = &state->materials[m];
        material->sigma = isnan(def->sigma) ? (float)(def->viscosity / def->density / per_sigma) : def->sigma;
        material->beta = isnan(def->beta) ? 1.0f / fluid->h : def->beta;
        // Drops are calm by themselves, and smoothing would stop their slow oscillations.
        bool is_smoothed = isnan(p->k) && p->recipe == cou_recipeWater;
        float smoothing = is_smoothed ? (float)(0.02 / looseness * state->sound_speed / h) : 0.0f;
        material->smoothing = isnan(def->smoothing) ? smoothing : def->smoothing;
        material->k_spring = isnan(def->k_spring) ? (float)(def->shear_modulus / def->density / per_spring) : def->k_spring;
    }
    derive_step(fluid, per_spring);
}

// How much of a particle's velocity one sweep with this sigma would take: its own half of the pairs that come after it, of which
// half approach. Beyond 1 the sweep cuts impulses, so the step is shared out over several sweeps, up to a limit.
enum { MOST_SWEEPS = 8 };
static double viscous_load(const couPvfsState *state, double sigma, double dt) { return sigma * dt * state->weight_sum / 8; }

static double length3(couVec3 v) { return sqrt((double)v.x * v.x + (double)v.y * v.y + (double)v.z * v.z); }

static bool prepare(couFluid *fluid, const couDemand *demand, char *choices, size_t size, couFaults *faults)
{
    couPvfsState *state = fluid->method_state;
    const couPvfsParams *p = fluid->params;
    if (!couParams_Check(&param_table, p, faults)) return false;
    double support = support_ratio(fluid), h = fluid->h, g = length3(fluid->gravity);
    double to_si = h / (PAPER_TIME * PAPER_TIME);
    double chi = isnan(p->near_ratio) ? recipe_near_ratio(fluid) : p->near_ratio;
    if (p->near == cou_nearNone) chi = 0;
    if (!isnan(p->k) && !isnan(p->k_near)) chi = p->k_near / p->k;
    couLatticeSums sums = couSumLattice(fluid->dimension, (float)support);
    double factor = stiffness_factor(fluid->dimension, support, chi);
    double courant = courant_number(fluid);

    // The sound speed that depth and speed ask for; at least one h per Courant number and 1/30 s, which is free.
    double for_depth = sqrt(g * demand->depth / (2 * p->height_error));
    double for_speed = demand->speed / sqrt(2 * 5 * p->height_error);
    double c = COU_MAX(COU_MAX(for_depth, for_speed), courant * h / PAPER_TIME);
    bool is_limited = false;
    if (!isnan(p->k)) {
        c = sqrt(p->k * to_si * h * factor);
    } else if (!isnan(p->step) && c > courant * h / p->step) {
        c = courant * h / p->step;
        is_limited = true;
    }
    state->sound_speed = (float)c;
    state->k = (float)(c * c / (h * factor));
    state->k_near = isnan(p->k_near) ? (float)(chi * state->k) : (float)(p->k_near * to_si);
    if (p->near == cou_nearNone) state->k_near = 0.0f;
    state->rho0 = isnan(p->rho0) ? (float)(sums.rho + chi * sums.rho_near * sums.s2 / sums.s1) : p->rho0;
    if (p->near == cou_nearDistance && isnan(p->rho0)) state->rho0 = (float)(sums.rho + chi * sums.s2 / sums.s1);
    state->rest_rho = (float)sums.rho;
    state->weight_sum = (float)sums.w;
    state->height_error = (float)(g * demand->depth / (2 * c * c));
    couFillWallTable(&state->walls, fluid->dimension, (float)support);
    derive_materials(fluid);
    state->is_prepared = true;

    int used = snprintf(choices, size,
                        "pvfs: h = %.4g m (%.3g d), k = %.4g, k_near = %.4g (paper's units), rho0 = %.4g\n"
                        "sound speed %.3g m/s for a depth of %.3g m and a speed of %.3g m/s; step %.3g ms\n"
                        "expected height error %.2g %%%s\n",
                        h, support, state->k / to_si, state->k_near / to_si, state->rho0, c, demand->depth, demand->speed,
                        1000 * state->step, 100 * state->height_error, is_limited ? " (limited by the fixed step)" : "");
    for (int m = 0; m < fluid->material_count && used > 0 && (size_t)used < size; ++m) {
        double asked = viscous_load(state, state->materials[m].sigma, state->step) / MOST_SWEEPS;
        if (asked > 1.0)
            used += snprintf(choices + used, size - (size_t)used,
                             "%s: its viscosity of %.3g Pa s is beyond the step's reach; about %.3g Pa s will act\n",
                             fluid->materials[m].name, fluid->materials[m].viscosity, fluid->materials[m].viscosity / asked);
    }
    return true;
}

static float suggest_step(const couFluid *fluid) { return ((const couPvfsState *)fluid->method_state)->step; }
static float height_error(const couFluid *fluid) { return ((const couPvfsState *)fluid->method_state)->height_error; }

// --- Phases ------------------------------------------------------------------------------------------------------------------

// Gravity and fields change velocities; positions are saved and predicted. Writes velocity, previous, position.
static void phase_forces(couStep *step)
{
    couAccelerate(step, step->dt);
    couPhase_Move(step);
}

// Rest lengths flow, springs come and go, their displacements move positions.
static void phase_springs(couStep *step)
{
    couFluid *fluid = step->fluid;
    couAddWantedSprings(fluid, step->index == 0);
    if (!couFluid_HasSprings(fluid)) return;
    const couPvfsState *state = fluid->method_state;
    float k_spring[COU_MAX_MATERIALS] = {0};
    for (int m = 0; m < fluid->material_count; ++m) k_spring[m] = state->materials[m].k_spring;
    // By the letter of algorithm 4 a rest length changes only while r < h, so it never exceeds h and no spring ever goes: a
    // lump that should flow away stays bound. Letting stretched springs flow on is what makes the rule L > h work.
    fluid->springs->is_holding_far = ((const couPvfsParams *)fluid->params)->far_springs == cou_farSpringsHold;
    if (!couAdjustSprings(fluid, step->dt)) {
        step->has_failed = true;
        return;
    }
    couApplySprings(fluid, step->dt, k_spring);
}

static couPvfsSweep make_sweep(couStep *step)
{
    couFluid *fluid = step->fluid;
    const couPvfsParams *p = fluid->params;
    return (couPvfsSweep){
        .grid = &fluid->grid,
        .neighbors = &fluid->neighbors,
        .contacts = &fluid->contacts,
        .state = fluid->method_state,
        .position = couFluid_Position(fluid),
        .velocity = couFluid_Velocity(fluid),
        .id = couFluid_Id(fluid),
        .material = couFluid_Material(fluid),
        .density = couFluid_Density(fluid),
        .count = fluid->table.count,
        .dimension = fluid->dimension,
        .near = p->near,
        .has_wall_density = p->walls == cou_wallDensity,
        .h = fluid->h,
        .dt = step->dt,
    };
}

typedef void SweepFcn(couPvfsSweep *sweep, size_t begin, size_t end);

typedef struct SweepJob {
    couPvfsSweep *sweep;
    SweepFcn *function;
} SweepJob;

static void sweep_block(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)block, (void)worker;
    SweepJob *job = context;
    job->function(job->sweep, begin, end);
}

enum { SWEEP_CELLS = 4 }; // per block: few, so that threads end a colour together

// One Gauss-Seidel sweep, colour after colour.
static void sweep_colors(couStep *step, couPvfsSweep *sweep, SweepFcn *const variants[cou_isaCount])
{
    const couGrid *grid = &step->fluid->grid;
    SweepJob job = {sweep, variants[step->fluid->neighbors.isa]};
    for (int color = 0; color < COU_COLORS; ++color) {
        size_t first = grid->color_start[color], last = grid->color_start[color + 1];
        sweep->cells = grid->color_cells + first;
        couFor(&step->fluid->parallel, last - first, SWEEP_CELLS, sweep_block, &job);
    }
}

// Double density relaxation. Reads neighbours and contacts; writes position, density, the contacts' pushes.
static void phase_pressure(couStep *step)
{
    static SweepFcn *const variants[cou_isaCount] = COU_VARIANTS(couRelaxCells);
    couPvfsSweep sweep = make_sweep(step);
    sweep_colors(step, &sweep, variants);
    step->report->guard_count += sweep.guard_count;
    step->report->iterations += 1;
}

// Pairwise impulses on the new velocities. Reads neighbours and position; writes velocity.
static void phase_viscosity(couStep *step)
{
    static SweepFcn *const variants[cou_isaCount] = COU_VARIANTS(couViscosityCells);
    const couPvfsState *state = step->fluid->method_state;
    double load = 0;
    for (int m = 0; m < step->fluid->material_count; ++m)
        load = COU_MAX(load, viscous_load(state, state->materials[m].sigma, step->dt));
    int sweeps = (int)ceil(COU_CLAMP(load, 1.0, (double)MOST_SWEEPS));
    couPvfsSweep sweep = make_sweep(step);
    sweep.dt = step->dt / (float)sweeps;
    for (int k = 0; k < sweeps; ++k) sweep_colors(step, &sweep, variants);
}

static const couPhaseEntry phases[] = {
    // position, previous, velocity: read two, write three
    {cou_phaseForces, phase_forces, {.bytes = 80, .flops = 12}},
    // keys, two radix passes of 12-byte pairs, then all columns gathered
    {cou_phaseSort, couPhase_Sort, {.bytes = 16 + 12 + 2 * (8 + 24) + 2 * 57 + 12, .flops = 6}},
    {cou_phaseWalls, couPhase_Contacts, COU_NOT_COUNTED},
    // about five tests of 9 operations per pair found; the list is written once, padded
    {cou_phaseNeighbors, couPhase_Neighbors, {.bytes = 32, .pair_bytes = 4.6f, .pair_flops = 45}},
    // read and written once when adjusted, read once when applied; 35 operations each
    {cou_phaseSprings, phase_springs, {.bytes = 48, .spring_bytes = 36, .spring_flops = 35}},
    // 43 operations a pair over both passes; lists and positions once
    {cou_phasePressure, phase_pressure, {.bytes = 36, .pair_bytes = 4.6f, .pair_flops = 43}},
    {cou_phaseBodies, couPhase_Bodies, COU_NOT_COUNTED},
    {cou_phaseCollide, couPhase_Collide, COU_NOT_COUNTED},
    {cou_phaseVelocity, couPhase_Velocity, {.bytes = 64, .flops = 15}},
    // half of the pairs, 62 operations each
    {cou_phaseViscosity, phase_viscosity, {.bytes = 48, .pair_bytes = 2.3f, .pair_flops = 31}},
    {cou_phaseCount, NULL, COU_NOT_COUNTED},
};

extern const couMethod couMethodPvfs;
const couMethod couMethodPvfs = {
    .name = "pvfs",
    .help = "viscoelastic fluid by prediction and relaxation, with springs and plasticity (Clavet 2005)",
    .traits = {.has_springs = true,
               .height_error = 0.025,
               .force_error = 0.02,
               .claims = cou_claimMotion | cou_claimRest | cou_claimDrops | cou_claimFloating | cou_claimFilms |
                         cou_claimSprings | cou_claimSlopes | cou_claimJets | cou_claimBuoyancy,
               .reports = cou_claimWaves | cou_claimShear},
    .params = &param_table,
    .params_bytes = sizeof(couPvfsParams),
    .state_bytes = sizeof(couPvfsState),
    .phases = phases,
    .contact_radius = 0.5f,
    .has_contact_pushes = true,
    // A liquid that starts as a crystal stays one for long, and bears shear: floating bodies come to rest wherever they were put.
    .liquid_jitter = 0.4f,
    .solid_jitter = 0.1f,
    .support_ratio = support_ratio,
    .prepare = prepare,
    .suggest_step = suggest_step,
    .height_error = height_error,
    .materials_changed = derive_materials,
};
