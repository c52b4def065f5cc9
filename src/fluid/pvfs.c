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
#include "fluid/collide.h"
#include "fluid/springs.h"

#include <stdio.h>
#include <string.h>

// Far pressures below rest pull at most this much times what the near density holds against at rest: all that the far density
// could pull where it is thin, at surfaces, would draw particles into pairs.
#define MOST_PULL 1.5
#define PAPER_TIME (1.0f / 30.0f) // the paper's unit of time [s]
#define LIVELY_HEIGHT_ERROR 0.015 // below, validate jet fails

// --- Parameters --------------------------------------------------------------------------------------------------------------

static const char *const recipe_names[] = {"water", "drops", NULL};
static const char *const near_names[] = {"density", "distance", "none", NULL};
static const char *const far_spring_names[] = {"flow", "hold", NULL};
static const char *const kernel_names[] = {"paper", "smooth", NULL};
static const char *const wall_names[] = {"density", "clamp", NULL};

static const couParam params[] = {
    COU_CHOICE(couPvfsParams, recipe, recipe_names,
               .help = "water: lively, little surface tension; drops: round drops and filaments, three times the cost"),
    COU_CHOICE(couPvfsParams, kernel, kernel_names,
               .help = "of the far density: the paper's, or one whose sum hardly depends on how particles lie, so that thick "
                       "liquids run at their speed and walls do not pull; half as many steps more"),
    COU_NUMBER(couPvfsParams, support, "", .initial = {NAN}, .is_auto = true, .min = 1.2, .max = 5,
               .help = "support radius h over the spacing d; auto: by recipe and dimension"),
    COU_NUMBER(couPvfsParams, near_ratio, "", .initial = {NAN}, .is_auto = true, .min = 0, .max = 20,
               .help = "k_near / k: low is lively and noisy, high is calm and sticky; auto: by recipe"),
    COU_NUMBER(couPvfsParams, height_error, "", .initial = {0.02}, .min = 0.001, .max = 0.5,
               .help = "allowed relative error of a resting pool's height; stiffness and substeps follow"),
    COU_NUMBER(couPvfsParams, courant, "", .initial = {NAN}, .is_auto = true, .min = 0.01, .max = 0.8,
               .help = "sound speed times step over h; auto: 0.45 at h = 2 d, less above and with the smooth kernel"),
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

// A(q) and -A'(q)/2.
static double far_value(const couFarKernel *far, double q, double *slope)
{
    double w = 1.0 - q, u = 1.0 - q * q, f = 0, by_u = 0;
    if (!far->is_smooth) {
        *slope = w;
        return w * w;
    }
    for (int k = COU_KAISER_TERMS; k-- > 0;) {
        f = f * u + (double)far->series[k];
        by_u = by_u * u + (k + 1) * (double)far->series[k];
    }
    *slope = q * by_u;
    return f * u;
}

// Kaiser and Bessel's kernel of docs/calm-water.md, with the sharpness found there for its support.
static couFarKernel make_far_kernel(const couPvfsParams *p, double support)
{
    couFarKernel far = {.is_smooth = p->kernel == cou_pvfsSmooth};
    double series[COU_KAISER_TERMS];
    couFitKaiser(COU_KAISER_SHARPNESS * COU_MIN(support, 3.5), COU_KAISER_TERMS, series);
    for (int k = 0; k < COU_KAISER_TERMS; ++k) far.series[k] = (float)series[k];
    return far;
}

// Adds a lattice point at distance q (in h).
static void add_point(couLatticeSums *sums, const couFarKernel *far, double q)
{
    if (q >= 1.0 || q <= 0.0) return;
    double w = 1.0 - q, slope;
    sums->rho += far_value(far, q, &slope);
    sums->rho_near += w * w * w;
    sums->s1 += q * slope;
    sums->s2 += q * w * w;
    sums->spring += q * q * w;
    sums->w += w;
    sums->slope2 += slope * slope;
}

couLatticeSums couSumLattice(const couFarKernel *far, int dimension, float support)
{
    couLatticeSums sums = {0};
    int reach = (int)support + 2;
    if (dimension == 2) { // hexagonal, one point per d^2
        double a = sqrt(2.0 / sqrt(3.0)) / support;
        for (int i = -2 * reach; i <= 2 * reach; ++i)
            for (int j = -2 * reach; j <= 2 * reach; ++j) add_point(&sums, far, a * sqrt((double)(i * i + i * j + j * j)));
        return sums;
    }
    double a = cbrt(2.0) / support; // body-centred cubic, two points per cell of 2 d^3
    for (int i = -reach; i <= reach; ++i)
        for (int j = -reach; j <= reach; ++j)
            for (int k = -reach; k <= reach; ++k) {
                add_point(&sums, far, a * sqrt((double)(i * i + j * j + k * k)));
                double x = i + 0.5, y = j + 0.5, z = k + 0.5;
                add_point(&sums, far, a * sqrt(x * x + y * y + z * z));
            }
    return sums;
}

typedef struct WallSums {
    double rho, rho_near, push, push_near;
} WallSums;

// Integrals of w^2, w^3 (density) and w, w^2 along the normal (push) over the part of the support that lies behind a wall, at the
// number density of the fluid. Shells of radius q around the particle: in 3D the cap has area 2 pi q (q - z) and its mean
// direction (q^2 - z^2) pi; in 2D an arc of 2 acos(z/q) q and 2 sqrt(q^2 - z^2).
static WallSums fill_behind(const couFarKernel *far, int dimension, double support, double z)
{
    enum { STEPS = 400 };
    WallSums sums = {0};
    double density = pow(support, dimension), dq = (1.0 - z) / STEPS; // particles per h^dimension
    for (int s = 0; s < STEPS; ++s) {
        double q = z + (s + 0.5) * dq, w = 1.0 - q, slope, value = far_value(far, q, &slope);
        double area = dimension == 3 ? 2 * COU_PI * q * (q - z) : 2 * acos(z / q) * q;
        double along = dimension == 3 ? COU_PI * (q * q - z * z) : 2 * sqrt(q * q - z * z);
        sums.rho += area * value * dq, sums.rho_near += area * w * w * w * dq;
        sums.push += along * slope * dq, sums.push_near += along * w * w * dq;
    }
    return (WallSums){density * sums.rho, density * sums.rho_near, density * sums.push, density * sums.push_near};
}

// The same over rows of particles, the first d/2 behind the wall and the others d apart, each spread out evenly; `drag` is what
// liquid that clings to the wall takes of the sliding, the integral of w t^2 y/z, t the direction along the wall and y how far
// below the particle it lies. Particles are no closer to the wall than d/2.
static WallSums lay_rows_behind(const couFarKernel *far, int dimension, double support, double z, double *drag)
{
    enum { STEPS = 100 };
    WallSums sums = {0};
    double density = pow(support, dimension - 1), height = COU_MAX(z, 0.5 / support);
    *drag = 0;
    for (int row = 0; row < (int)support + 1; ++row) {
        double y = z + (row + 0.5) / support, held = height + (row + 0.5) / support;
        for (int s = 0; s < STEPS; ++s) {
            double x = (s + 0.5) / STEPS, dx = density / STEPS, slope;
            double ring = dx * (dimension == 3 ? 2 * COU_PI * x : 2.0), q = hypot(x, y), w = 1.0 - q, p = hypot(x, held);
            double along = x * x / (p * p) * (dimension == 3 ? 0.5 : 1.0); // the mean of t^2
            *drag += ring * COU_MAX(1.0 - p, 0.0) * along * held / height;
            if (w <= 0) continue;
            sums.rho += ring * far_value(far, q, &slope), sums.rho_near += ring * w * w * w;
            sums.push += ring * slope * y / q, sums.push_near += ring * w * w * y / q;
        }
    }
    return sums;
}

// A wall is filled evenly; that of the smooth kernel in the plane is laid out in rows, as the liquid before it is. Filled
// evenly it gives the first row 2.8 % too much density, where the weight of a pool that may sink by 2 % asks for 4 %, and the
// floor threw the water up with a third of its weight. In space liquid lies less ordered at walls: with rows a tank stands at
// 0.984 of its height and loads its sides with 0.968 of what it should, filled evenly 1.003 and 0.999.
void couFillWallTable(couWallTable *table, const couFarKernel *far, int dimension, float support)
{
    for (int n = 0; n <= COU_WALL_SAMPLES + 1; ++n) {
        double z = 1.0 - COU_MIN(1.0, (double)n / COU_WALL_SAMPLES), drag;
        WallSums sums = lay_rows_behind(far, dimension, support, z, &drag);
        if (!far->is_smooth || dimension == 3) sums = fill_behind(far, dimension, support, z);
        table->at[n].rho = (float)sums.rho, table->at[n].rho_near = (float)sums.rho_near;
        table->at[n].push = (float)sums.push, table->at[n].push_near = (float)sums.push_near;
        table->at[n].drag = (float)drag;
    }
}

// c^2 = k h (rho^2/4 + chi rho_near^2/6) with the densities of a continuum.
static double stiffness_factor(const couFarKernel *far, int dimension, double support, double chi)
{
    enum { SHELLS = 2000 };
    double x = pow(support, dimension), rho = 0, rho_near = 0, slope;
    if (!far->is_smooth) { // in closed form
        rho = dimension == 3 ? 4 * COU_PI / 30 * x : COU_PI / 6 * x;
        return rho * rho * (0.25 + chi * (dimension == 3 ? 1.0 / 24 : 0.06));
    }
    for (int k = 0; k < SHELLS; ++k) {
        double q = (k + 0.5) / SHELLS, w = 1 - q, shell = (dimension == 3 ? 4 * COU_PI * q * q : 2 * COU_PI * q) / SHELLS;
        rho += shell * far_value(far, q, &slope), rho_near += shell * w * w * w;
    }
    return x * x * (rho * rho / 4 + chi * rho_near * rho_near / 6);
}

static float support_ratio(const couFluid *fluid)
{
    const couPvfsParams *p = fluid->params;
    if (!isnan(p->support)) return p->support;
    if (p->recipe == cou_recipeDrops) return 3.0f;
    if (p->kernel == cou_pvfsSmooth) return 2.25f;
    return fluid->dimension == 2 ? 2.5f : 2.0f;
}

// Drops need tension, and a support wide enough that particles do not lock into a lattice: ellipsoids of 2:1 with 500 to 18,000
// particles all swing and end round within 4 % at h = 3 d, chi = 2; at h = 2.5 d those of 6,000 freeze at 1.17, at 2.75 d those
// of 18,000 at 1.10. Water must bear no shear at rest, or what floats stays where it was put and what is heavy hangs in it.
// What it bears goes with chi (docs/methods.md); with the smooth kernel, and a far density that pulls no more than the near one
// holds against, 0.03 keeps particles apart in the plane as well as the paper's 0.3: in a splash 0.9 % of them have a neighbour
// within d/2; in space 1.7 instead of 0.1 %. Honey on a slope runs at 0.85 of its speed with 0.05, 0.95 with 0.03, 0.98 with
// 0.02. With the paper's they come in pairs below 0.25.
static double recipe_near_ratio(const couFluid *fluid)
{
    const couPvfsParams *p = fluid->params;
    if (p->kernel == cou_pvfsSmooth) return 0.03;
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

// The smooth kernel is steeper for its sum: with the paper's steps a calm liquid has a load of 0.43 in the plane and 0.33 in
// space, where MOST_LOAD (pvfs_wide.c) begins to cut at 0.3. Water then had 0.7 of its stiffness, sank by 2.9 instead of 2 %,
// kept particles within heavy boxes, and what a light box pushed into itself left with 1.4 times the energy. `factor` is c^2 /
// (k h).
#define CALM_LOAD 0.2
static double courant_number(const couFluid *fluid, const couFarKernel *far, double slope2, double factor)
{
    const couPvfsParams *p = fluid->params;
    if (!isnan(p->courant)) return p->courant;
    double courant = COU_MAX(0.3, 0.45 - 0.1 * (support_ratio(fluid) - 2.0));
    return far->is_smooth ? COU_MIN(courant, sqrt(CALM_LOAD * factor / slope2)) : courant;
}

// The step follows from the fastest wave, unless the user fixed it or gave the paper's raw numbers.
static void derive_step(couFluid *fluid, double per_spring)
{
    couPvfsState *state = fluid->method_state;
    const couPvfsParams *p = fluid->params;
    double springs = spring_speed(fluid, per_spring), c = state->sound_speed;
    state->step = (float)(state->courant * fluid->h / sqrt(c * c + springs * springs));
    if (!isnan(p->k)) state->step = PAPER_TIME;
    if (!isnan(p->step)) state->step = p->step;
}

// A liquid whose viscosity takes less than this of a velocity in a step has it along with the smoothing, whose sweep, each pair
// seeing what those before it did, loses nothing of so little (a quarter at 0.3).
#define THIN 0.01

// The largest shear stress of a lattice whose rows slip is this times k_near/k rho c^2, with either kernel (docs/methods.md). It
// shows in liquids whose weight alone drives them, which are those of more than some THICK_KINEMATIC [m^2/s].
#define YIELD_PER_CHI 4e-3
#define THICK_KINEMATIC 1e-3

// nu = (pi/450) (h/d)^3 s h^2 in 3D, (pi/320) (h/d)^2 s h^2 in 2D for a rate s that acts both ways; half of it for the paper's
// sigma, of whose pairs those act that approach. What smoothing has of its own is no part of what was asked for.
static void derive_viscosity(couFluid *fluid, int m, double smoothing)
{
    couPvfsState *state = fluid->method_state;
    const couMaterialDef *def = &fluid->materials[m];
    couPvfsMaterial *material = &state->materials[m];
    double support = support_ratio(fluid), h = fluid->h, nu = def->viscosity / def->density;
    double per_rate = fluid->dimension == 3 ? COU_PI / 450 * pow(support, 3) * h * h : COU_PI / 320 * pow(support, 2) * h * h;
    double rate = isnan(def->sigma) ? nu / per_rate : 0;
    bool is_sigma = !state->far.is_smooth; // the paper's own rule, on approach
    bool is_thick = !is_sigma && rate * state->step * state->weight_sum / (2 * fluid->dimension) > THIN;
    double both_ways = is_thick || is_sigma ? 0 : rate;
    material->sigma = isnan(def->sigma) ? (float)(is_sigma ? 2 * rate : 0) : def->sigma;
    material->beta = isnan(def->beta) ? 1.0f / fluid->h : def->beta;
    material->smoothing = isnan(def->smoothing) ? (float)(is_sigma ? smoothing : COU_MAX(smoothing - rate, 0.0)) : def->smoothing;
    material->smoothing += (float)both_ways;
    material->viscous = is_thick ? (float)rate : 0.0f;
    fluid->clinging[m] = is_thick && def->springs == cou_springsNone ? (float)nu : 0.0f;
}

static void derive_materials(couFluid *fluid)
{
    couPvfsState *state = fluid->method_state;
    const couPvfsParams *p = fluid->params;
    double support = support_ratio(fluid), h = fluid->h;
    couLatticeSums sums = couSumLattice(&state->far, fluid->dimension, (float)support);
    // An isotropic net of central springs: G = rho k/(4 n (n + 2)) sum (1 - q) r^2, n the dimension.
    double n = fluid->dimension, per_spring = h * h * sums.spring / (4 * n * (n + 2));
    state->is_single_material = fluid->material_count <= 1;
    for (int m = 0; m < fluid->material_count; ++m) {
        const couMaterialDef *def = &fluid->materials[m];
        state->materials[m].k_spring = isnan(def->k_spring) ? (float)(def->shear_modulus / def->density / per_spring)
                                                            : def->k_spring;
    }
    derive_step(fluid, per_spring);
    double looseness = pow(0.02 / p->height_error, 1.2); // 0.06 c/h at 5 %
    // Drops are calm by themselves, and smoothing would stop their slow oscillations.
    bool is_smoothed = isnan(p->k) && p->recipe == cou_recipeWater;
    double smoothing = is_smoothed ? 0.02 / looseness * state->sound_speed / h : 0;
    for (int m = 0; m < fluid->material_count; ++m) derive_viscosity(fluid, m, smoothing);
}

// How much of a particle's velocity one sweep with this sigma would take: its own half of the pairs that come after it, of which
// half approach. Beyond 1 the sweep cuts impulses, so the step is shared out over several sweeps, up to a limit.
enum { MOST_SWEEPS = 8 };
static double viscous_load(const couPvfsState *state, double sigma, double dt) { return sigma * dt * state->weight_sum / 8; }

// Viscosity both ways is linear, so its stages may be Chebyshev's: n of them are stable up to n^2 + n times what a velocity can
// lose to its neighbours and to a wall, n^2 for each half of what one alone could do [Meyer, Balsara and Aslam 2014, RKL1]. What
// that is in the lattice, over a step:
enum { MOST_STAGES = 16 };
static double diffusion_load(const couFluid *fluid, double dt)
{
    const couPvfsState *state = fluid->method_state;
    double rate = 0, inside = state->weight_sum / fluid->dimension, at_wall = 0.5 * inside + 0.5 * state->wall_drag;
    for (int m = 0; m < fluid->material_count; ++m) rate = COU_MAX(rate, state->materials[m].viscous);
    return COU_MAX(inside, at_wall) * rate * dt;
}

// What of a viscosity will act, and what shear a thick liquid bears like a solid.
static void describe_material(const couFluid *fluid, int m, double chi, char *text, size_t size)
{
    const couPvfsState *state = fluid->method_state;
    const couMaterialDef *def = &fluid->materials[m];
    double asked = viscous_load(state, state->materials[m].sigma, state->step) / MOST_SWEEPS, c = state->sound_speed;
    if (state->materials[m].viscous > 0) asked = diffusion_load(fluid, state->step) / (MOST_STAGES * MOST_STAGES + MOST_STAGES);
    int used = 0;
    if (asked > 1.0)
        used = snprintf(text, size, "%s: its viscosity of %.3g Pa s is beyond the step's reach; about %.3g Pa s will act\n",
                        def->name, def->viscosity, def->viscosity / asked);
    if (def->springs != cou_springsNone || !(def->viscosity > THICK_KINEMATIC * def->density)) return;
    if (used >= 0 && (size_t)used < size)
        snprintf(text + used, size - (size_t)used, "%s: bears a shear of up to about %.2g Pa before it flows%s\n", def->name,
                 YIELD_PER_CHI * chi * def->density * c * c,
                 state->far.is_smooth ? "" : "; kernel = \"smooth\" bears a tenth, dfsph less");
}

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
    state->far = make_far_kernel(p, support);
    couLatticeSums sums = couSumLattice(&state->far, fluid->dimension, (float)support);
    double factor = stiffness_factor(&state->far, fluid->dimension, support, chi);
    double courant = courant_number(fluid, &state->far, sums.slope2, factor);
    state->courant = courant;

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
    double rest_pull = state->k_near * sums.rho_near * sums.s2 / sums.s1; // of the far density, which the near one holds against
    state->least_far = state->far.is_smooth ? (float)(-MOST_PULL * rest_pull) : -INFINITY;
    state->rest_rho = (float)sums.rho;
    state->weight_sum = (float)sums.w;
    state->height_error = (float)(g * demand->depth / (2 * c * c));
    couFillWallTable(&state->walls, &state->far, fluid->dimension, (float)support);
    state->wall_drag = state->walls.at[(int)((1 - 0.5 / support) * COU_WALL_SAMPLES)].drag;
    derive_materials(fluid);
    state->is_prepared = true;

    int used = snprintf(choices, size,
                        "pvfs: h = %.4g m (%.3g d), k = %.4g, k_near = %.4g (paper's units), rho0 = %.4g\n"
                        "sound speed %.3g m/s for a depth of %.3g m and a speed of %.3g m/s; step %.3g ms\n"
                        "expected height error %.2g %%%s\n",
                        h, support, state->k / to_si, state->k_near / to_si, state->rho0, c, demand->depth, demand->speed,
                        1000 * state->step, 100 * state->height_error, is_limited ? " (limited by the fixed step)" : "");
    if (p->height_error < LIVELY_HEIGHT_ERROR && isnan(p->k) && used > 0 && (size_t)used < size)
        used += snprintf(
            choices + used, size - (size_t)used,
            "a height error below %g stiffens the flow: jets from holes run at 0.4 to 0.6 of their speed with 0.01, at "
            "0.2 to 0.3 with 0.005\n",
            LIVELY_HEIGHT_ERROR);
    for (int m = 0; m < fluid->material_count && used > 0 && (size_t)used < size; ++m) {
        describe_material(fluid, m, chi, choices + used, size - (size_t)used);
        used += (int)strlen(choices + used);
    }
    return true;
}

static float suggest_step(const couFluid *fluid) { return ((const couPvfsState *)fluid->method_state)->step; }
static float height_error(const couFluid *fluid) { return ((const couPvfsState *)fluid->method_state)->height_error; }

// A liquid that starts as a crystal stays one for long, and by the paper's densities it bears shear: floating bodies come to rest
// wherever they were put. The smooth kernel needs less: with 0.4 a fresh pool of 0.14 m throws particles at 1.5 m/s instead of
// 0.7, and light bodies along. Disorder is pressure: by that kernel an offset of 0.1 adds 0.6 % to the density, a sixth of what
// the weight of a pool that may sink by 2 % adds at its floor, and it grows with the square.
static float fill_jitter(const couFluid *fluid, bool has_springs, bool is_rest)
{
    bool is_even = ((const couPvfsParams *)fluid->params)->kernel == cou_pvfsSmooth;
    if (is_rest) return is_even ? 0.05f : 0.1f;
    if (has_springs) return 0.1f;
    return is_even ? 0.2f : 0.4f;
}

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
        .bodies = fluid->bodies,
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

// Of particles, not of cells.
static void run_particles(couStep *step, couPvfsSweep *sweep, SweepFcn *const variants[cou_isaCount])
{
    enum { PARTICLES = 256 }; // per block
    SweepJob job = {sweep, variants[step->fluid->neighbors.isa]};
    couFor(&step->fluid->parallel, sweep->count, PARTICLES, sweep_block, &job);
}

// How many stages the fastest particle asks for, into rate the time that each has to itself, and what the rest must be cut to
// where even the most do not do. The lattice's own load is no bound: with steps of 1/30 s syrup piles up to twice its density,
// and stages that were too few for it gave it speed without end.
static int plan_stages(couStep *step, couPvfsSweep *sweep, double *most)
{
    static SweepFcn *const variants[cou_isaCount] = COU_VARIANTS(couFindDrains);
    run_particles(step, sweep, variants);
    double load = 0;
    for (size_t i = 0; i < sweep->count; ++i) load = COU_MAX(load, (double)(sweep->cut[i] * step->dt));
    double wanted = 1.5 * load; // at the limit of stability the finest motions turn over and over instead of calming
    int stages = (int)ceil(COU_CLAMP(0.5 * sqrt(1 + 4 * wanted) - 0.5, 1.0, (double)MOST_STAGES));
    *most = stages * stages + stages;
    sweep->has_cuts = load > *most;
    for (size_t i = 0; sweep->has_cuts && i < sweep->count; ++i)
        sweep->cut[i] = (float)COU_MIN(1.0, *most / (double)(sweep->cut[i] * step->dt));
    sweep->cut[sweep->count] = 1.0f; // of the padding
    return stages;
}

// The viscosity of thick liquids, between pairs and along walls. Reads neighbours, contacts and position; writes velocity and
// the contacts' drags.
static void diffuse(couStep *step)
{
    static SweepFcn *const variants[cou_isaCount] = COU_VARIANTS(couDiffuse);
    couFluid *fluid = step->fluid;
    if (!(diffusion_load(fluid, step->dt) > 0)) return;
    couArenaMark mark = couArena_Mark(fluid->scratch);
    size_t count = fluid->table.count;
    couVec4 *velocity = couFluid_Velocity(fluid), *other = COU_TAKE(fluid->scratch, couVec4, count + 1);
    couPvfsSweep sweep = make_sweep(step);
    sweep.cut = COU_TAKE(fluid->scratch, float, count + 1);
    if (!other || !sweep.cut) {
        step->has_failed = true;
        return;
    }
    memset(other, 0, (count + 1) * sizeof *other);
    double most;
    int stages = plan_stages(step, &sweep, &most);
    for (int j = 1; j <= stages; ++j) {
        sweep.now = j % 2 ? velocity : other, sweep.result = j % 2 ? other : velocity;
        sweep.now_share = (float)(2 * j - 1) / (float)j, sweep.old_share = (float)(1 - j) / (float)j;
        sweep.rate = (float)(2 / most * step->dt * (2 * j - 1) / j);
        run_particles(step, &sweep, variants);
    }
    if (stages % 2) memcpy(velocity, other, count * sizeof *velocity);
    couArena_Release(fluid->scratch, mark);
    if (!couGiveDrags(step)) step->has_failed = true;
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
    diffuse(step);
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
               .slowness = 0.8,
               .claims = cou_claimMotion | cou_claimRest | cou_claimDrops | cou_claimFloating | cou_claimFilms |
                         cou_claimSprings | cou_claimSlopes | cou_claimJets | cou_claimBuoyancy,
               .reports = cou_claimWaves | cou_claimShear},
    .params = &param_table,
    .params_bytes = sizeof(couPvfsParams),
    .state_bytes = sizeof(couPvfsState),
    .phases = phases,
    .contact_radius = 0.5f,
    .has_contact_pushes = true,
    .fill_jitter = fill_jitter,
    .support_ratio = support_ratio,
    .prepare = prepare,
    .suggest_step = suggest_step,
    .height_error = height_error,
    .materials_changed = derive_materials,
};
