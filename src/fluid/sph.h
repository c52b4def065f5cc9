/// Smoothed particle hydrodynamics: what mueller, sesph, wcsph, pcisph, iisph and dfsph share.
///
/// All six work with volumes instead of masses: every fluid particle stands for V = c_V d^n, a sample of a solid for its own
/// volume, and the relative density is D_i = sum_j V_j W_ij, 1 at rest. For one liquid this is the usual density over rho0;
/// several liquids of different density keep their sharp borders. Pairs are found once a step; their gradients G_ij = V_j grad
/// W_ij, rounded to 16 bits (symmetrically, so that G_ji = -G_ij and momentum is exact), serve every loop of the step, whatever
/// the number of iterations.
///
/// Fluid and solids are in one index space: rows of the columns beyond the fluid's (couFluid.solid_base onwards) hold the
/// samples, with position.w the volume / V and velocity.w how strongly the liquid sticks (0 slip to 1 no slip). A fluid
/// particle has 1 and its inverse relative density there.
#pragma once

#include "fluid/coarse.h"
#include "fluid/fluid.h"
#include "fluid/kernels.h"
#include "fluid/wall_pressure.h"
#include "fluid/yield.h"
#include "rigid/patches.h"

typedef enum couSphKernel { cou_sphCubic, cou_sphWendland, cou_sphMueller, cou_sphKaiser, cou_sphKernelAuto } couSphKernel;
typedef enum couSphViscosity {
    cou_viscosityAuto,      ///< laplacian while the step allows it, else implicit
    cou_viscosityLaplacian, ///< explicit [Gagneux 2022, eq. 2.14]; mueller: [Müller 2003, eq. 14]
    cou_viscosityImplicit,  ///< [Weiler 2018]
    cou_viscosityNone
} couSphViscosity;
typedef enum couSphTension {
    cou_tensionAuto, ///< colour for mueller, none for the others
    cou_tensionNone,
    cou_tensionColor,    ///< [Müller 2003, eq. 19]
    cou_tensionCohesion, ///< [Akinci 2013], with adhesion to bodies
    cou_tensionArea      ///< pair forces of the energy sigma times the area
} couSphTension;
typedef enum couSphBoundary {
    cou_boundaryAkinci, ///< samples with volumes [Akinci 2012; Gagneux 2022, eq. 2.52]
    cou_boundaryGhost,  ///< mirror images of the fluid [Gagneux 2022, 2.4.1.1]
    cou_boundaryAir     ///< the same, and ghosts in the air over free surfaces
} couSphBoundary;
typedef enum couSphWallPressure {
    cou_wallPressureAuto,     ///< extended, but for mueller
    cou_wallPressureNeighbor, ///< a wall has the pressure of the particle that it pushes [Akinci 2012]
    cou_wallPressureExtended  ///< the mean of the pressures near it, in a system that knows of it
} couSphWallPressure;
typedef enum couSphCoanda { cou_coandaSmooth, cou_coandaLinear } couSphCoanda; ///< coanda.c
typedef enum couSphEquation {
    cou_equationTait, ///< p = k1 ((rho/rho0)^k2 - 1): nothing at rest [Gagneux 2022, eq. 2.17, 2.18]
    cou_equationGas   ///< p = k1 (rho/rho0)^k2: fills its room [Gagneux 2022, eq. 2.16]
} couSphEquation;
typedef enum couSphDensity {
    cou_densityAuto, ///< flow for wcsph, sum for the others
    cou_densitySum,  ///< over neighbours [Gagneux 2022, alg. 2, 3; Müller 2003, eq. 3]
    cou_densityFlow  ///< grows as the flow closes in [Monaghan 1994], and follows the sum slowly
} couSphDensity;
typedef enum couSphAcceleration { cou_accelerationAuto, cou_accelerationNone, cou_accelerationTwoLevels } couSphAcceleration;

/// Parameters of the whole family; a method reads those that concern it.
typedef struct couSphParams {
    float support;     ///< h / d
    int kernel;        ///< couSphKernel
    float fill;        ///< c_V
    bool clamp;        ///< no negative pressures
    bool sealed;       ///< liquid without a surface is treated as such
    float courant;     ///< v dt / d
    float min_step;    ///< [s]
    float max_step;    ///< [s]
    float stiffness;   ///< k1 [Pa]
    float exponent;    ///< k2; 1: an ideal gas
    int equation;      ///< couSphEquation
    int density;       ///< couSphDensity
    float compression; ///< that stiffness is chosen for
    float damping;     ///< artificial viscosity alpha
    float tolerance;   ///< mean density error
    float divergence_tolerance;
    int min_iterations, max_iterations;
    int acceleration; ///< couSphAcceleration
    float omega;      ///< relaxation
    float warm_start; ///< share of the last pressures to start from
    int viscosity;    ///< couSphViscosity
    float relief;     ///< share of the stress of order that is taken off
    float xsph;       ///< alpha of [Gagneux 2022, eq. 2.15]
    float viscosity_tolerance;
    int tension;             ///< couSphTension
    float tension_threshold; ///< |n| h below which a particle is inside
    float adhesion;          ///< [N/m]
    int boundary;            ///< couSphBoundary
    int boundary_layers;
    int wall_pressure; ///< couSphWallPressure
    bool even_surface; ///< what densities lack at a free surface is made up (free_surface.c)
    bool no_stick;     ///< liquid does not leave walls [Gagneux 2022, eq. 2.54]
    int coanda;        ///< couSphCoanda
    float coanda_step; ///< step whose square a body's C is over [s]
} couSphParams;

extern const couParamTable couSphParamTable;

/// What sets a method of the family apart.
typedef struct couSphTraits {
    bool has_mueller_pressure; ///< the mean of both pressures over the other's density [Müller 2003, eq. 10]
    bool has_flow_density;     ///< couSphParams.density, default
    int kernel;                ///< couSphKernel, default
    int tension;               ///< couSphTension, default
    float support[2];          ///< h / d, default, in the plane and in space
    float compression;         ///< default
    float exponent;            ///< of the state equation, default
    float warm_start;          ///< default, in fast flow
    float damping; ///< default: just enough for a tank to come to rest, as water has next to no viscosity of its own at the
                   ///< scale of particles
} couSphTraits;

#define COU_SPH_MAX_LAYERS 4        ///< of samples under a surface
#define COU_SPH_CALM_START 0.9f     ///< share of the last pressures that calm liquid starts from
#define COU_MOST_SAMPLE_VOLUME 3.0f ///< of a solid's sample / V: a lonely one's would be larger

#define COU_AREA_TERMS 12 ///< with nine drops of 20 d in the plane lose four times as much a swing: their pairs feel the lattice

/// The pair forces of tension by area: attraction / distance is sum pull[k] u^k, u = 1 - (r/h)^2, less what repels close pairs.
typedef struct couAreaLaw {
    float pull[COU_AREA_TERMS]; ///< times tension [m^3/s^2] an acceleration / distance [1/s^2]
    float core;                 ///< (h / radius below which pairs repel)^2
    float push;                 ///< of that repulsion, in units of `pull`, at no distance
    float pressure;             ///< by which the inside pulls itself together / tension [1/m]
} couAreaLaw;

couAreaLaw couMakeAreaLaw(int dimension, float h, float spacing, float volume);

/// The gradients of eight pairs of a list, in units of a scale.
typedef struct couPairBlock {
    int16_t x[COU_WIDTH], y[COU_WIDTH], z[COU_WIDTH];
} couPairBlock;

/// A ghost over a free surface (air.c).
typedef struct couAirGhost {
    couVec4 position, velocity; ///< as those of samples
    uint32_t id;
} couAirGhost;

typedef struct couSphState {
    couAirGhost *air; ///< scratch of the step
    size_t air_count;

    // chosen by preparation
    couKernel density_kernel, gradient_kernel;
    couKernelSums lattice;
    float volume;            ///< V = c_V d^n of a fluid particle [m^n]
    float density_unit;      ///< the lattice of pitch d and c_V = 1 has D = 1: 1 / (d^n sum of W)
    float surface[2];        ///< of couSphLoop; 0 where surfaces are left as they are
    float wall_volume;       ///< of a sample of a flat wall [m^n]
    float gamma;             ///< of [Gagneux 2022, eq. 2.52]: the volume of a sample times the sum of W over its neighbours
    float gradient_scale[2]; ///< what one unit of a stored gradient stands for: of fluid, of solids [1/m]
    float reference_density; ///< the heaviest liquid's [kg/m^3]: pressures are in units of it
    float inv_density[COU_MAX_MATERIALS]; ///< reference_density / density
    float kinematic[COU_MAX_MATERIALS];   ///< viscosity / reference_density [m^2/s]
    float tension[COU_MAX_MATERIALS];     ///< surface tension / reference_density [m^3/s^2]
    bool is_single_density, is_single_viscosity;
    bool has_viscosity, is_implicit, has_tension;
    float relief[COU_MAX_MATERIALS]; ///< share of the stress of order that is taken off (relief.c)
    bool has_relief;
    bool is_thick;         ///< viscosity that one can see: more than the smallest scales have of their own
    int tension_kind;      ///< couSphTension
    float cohesion_moment; ///< of the cohesion kernel: what its scale follows from
    couAreaLaw area_law;
    float flow_speed;                                ///< that the scene may reach [m/s]
    float sound_speed;                               ///< of methods with an equation of state [m/s]
    float stiffness;                                 ///< k1 [Pa]
    float exponent;                                  ///< k2
    float damping;                                   ///< alpha c h [m^2/s]
    float calming_time;                              ///< pressures of a state equation are those of so much later [s]
    float viscous_step, tension_step, acoustic_step; ///< limits [s]; infinity where none
    float free_step;                                 ///< what the flow alone allows, roughly [s]
    float max_step;                                  ///< [s]
    float height_error;
    float layers; ///< of the deepest water
    bool is_accelerated;
    float omega;
    float warm_start, calm_start; ///< shares of the last pressures to start from: in fast flow, in calm liquid
    // columns
    int divergence_column; ///< state, Pa: what the divergence solver ended with; -1 but for dfsph
    int flow_column;       ///< state: density over rho0 that a state equation keeps by itself; -1 without one
    int factor_column;     ///< scratch: 1 / diagonal of the pressure system
    int change_column;     ///< scratch: the last change of kappa
    bool has_looked;       ///< for a free surface, where pressures may pull
    // this step
    uint32_t *pair_start; ///< per particle: its first block
    couPairBlock *pairs;
    size_t start_capacity, pair_capacity;
    float *kept;        ///< scratch: of couSphLoop
    couVec4 *rough;     ///< scratch: of couSphLoop; NULL without damping
    couVec4 *strain;    ///< scratch: of couSphLoop; NULL where nothing needs it
    double *block_sums; ///< scratch of sums: four for each block of particles
    couCoarse coarse;   ///< of the pressure solver
    bool has_coarse;    ///< it is placed
    couYield yield;     ///< free bodies in the pressure system
    couWallRows walls;  ///< samples with pressures of their own
    bool is_full;       ///< there is no surface: pressures can move density about, but not change its mean
    bool is_torn;       ///< such a domain whose particles lie unevenly, with beginnings of holes
    bool is_tidied;     ///< such a domain, by one solver without free bodies: its particles are kept evenly spread (tidy.c)
    float *growth;      ///< scratch: of the densities in a step, by the velocities at its beginning; NULL: nobody asks
    couVec4 *detour;    ///< scratch: velocities by which particles move and which they do not keep; NULL: none
} couSphState;

static inline couSphState *couSph_State(const couFluid *fluid) { return fluid->method_state; }
/// Müller's mean of both pressures, which no energy has: at a surface it adds a quarter to the tension by area, so not there.
static inline bool couSph_HasMeanPressure(const couFluid *fluid)
{
    return fluid->method->sph->has_mueller_pressure && ((const couSphParams *)fluid->params)->tension != cou_tensionArea;
}
/// What the density solver ended with [Pa].
static inline float *couSph_Pressure(const couFluid *fluid) { return couTable_Data(&fluid->table, fluid->pressure_column); }

#define COU_OPEN_GRADIENT 0.3f ///< times d: sum of gradients at a surface, half of that of a flat one
#define COU_OPEN_DENSITY 0.8f  ///< of drops, whose gradients may cancel
#define COU_SURFACE_RISE 1.8f  ///< of the density lacking at a flat surface, with the sum of gradients, in powers of it
#define COU_SPH_BLOCK 1024     ///< particles whose sums are taken together

/// What the hot loops read. A loop reads velocities or kappa of all rows and writes one row: its own.
typedef struct couSphLoop {
    const couNeighbors *neighbors;
    const uint32_t *pair_start;
    couPairBlock *pairs;
    const couVec4 *position; ///< w: volume / V
    couVec4 *velocity;       ///< w: inverse relative density; of solids the stickiness
    const uint32_t *id;
    const uint8_t *material;
    float *density;       ///< D
    float *kept;          ///< what the methods keep at 1: D, what surfaces lack, and the share of the samples'
    float *factor;        ///< 1 / diagonal
    float *pressure;      ///< kappa = dt p / (D^2 rho_ref) while a solver runs [m^2/s]
    float *change;        ///< of kappa
    const float *inverse; ///< 1/D for pressures that are weighted by the other's density; NULL otherwise
    couVec4 *out;         ///< vectors that a loop writes
    const couVec4 *in;
    size_t count;
    int dimension;
    couKernelKind density_kind, gradient_kind;
    const float *series; ///< of the kernel
    float h, spacing;
    float surface[2];                  ///< density that the outermost row of a flat surface lacks; 1 / its |sum G|^2 [m^2]
    float density_scale, self_density; ///< V * W = density_scale * f(q)
    float slope_scale;                 ///< V * dW/dr = slope_scale * f'(q)
    float gradient_scale[2];
    bool is_single_density, is_clamped;
    float period[3]; ///< 0 where an axis does not repeat [m]
    bool is_periodic;
    float dt;
    // samples
    const couWallRows *walls_own; ///< with pressures of their own; NULL: those of their neighbours
    const float *sample_solid;    ///< per sample: the solid's share of its density
    uint32_t solid_base;
    const float *extended; ///< values that samples get the mean of
    // pressure solver
    bool is_divergence;
    float density_share;  ///< of the density's error that a step corrects
    float most_corrected; ///< of the density in a step
    float *residual;      ///< e
    float inv_count;      ///< 1 / neighbours of a full neighbourhood
    double *sums;         ///< per block, as each loop says
    // viscosity: accelerations by out = r_i (viscous + damping where pairs approach)
    const float *kinematic; ///< per material [m^2/s]
    float own_kinematic;    ///< where there is only one
    bool is_single_viscosity, has_mueller_viscosity, has_still_solids;
    float viscous, wall_viscous; ///< 2 (n + 2) / even
    float even;                  ///< what even neighbours make of viscosity
    float damping;               ///< [m^2/s]
    float *evenness;             ///< the viscosity that a particle's neighbours make / that of even ones; NULL: 1
    couVec4 *rough;  ///< velocity less the mean of those around, at the beginning of the step [m/s]; NULL: nobody asks
    couVec4 *blend;  ///< viscosity times velocity and damping times `rough`; NULL where a pair's are not those of all
    couVec4 *strain; ///< two a row: xx, yy, zz of the flow's strain rate, then twice yz, zx, xy [1/s]; NULL: nobody asks
    couVec4 *walls;  ///< the part of `out` that comes from solids, for particles near them alone; NULL where not asked for
    const size_t *wall_start; ///< per block of COU_SPH_BLOCK: the first of its particles in `walls`
    // relief
    const float *relief;         ///< per material: share of the stress of order
    const float *other_pressure; ///< of a second solver [Pa]; NULL: there is none
    float inv_reference;         ///< 1 / reference density [m^3/kg]
    couVec4 *stress[2];          ///< taken off / reference density: xx, yy, zz, and yz, zx, xy [m^2/s^2]
    // surface tension
    const float *tension;   ///< per material [m^3/s^2]
    bool is_single_tension; ///< the same for all
    const couAreaLaw *law;
    float threshold;                ///< of |n| [1/m]
    float cohesion, area, adhesion; ///< factors of [Akinci 2013], of tension and of `wetting`
    float wetting;                  ///< adhesion / reference density [m^3/s^2]
} couSphLoop;

couSphLoop couSph_Loop(const couStep *step);
/// Share of the particles at a free surface, of those that were looked at; after the pairs were found (free_surface.c). Beyond
/// `enough` nobody looks any further.
double couSph_OpenShare(const couStep *step, double enough);
/// A solver's pressures may pull, which is for domains without free surface.
bool couSph_HasUnusualSuction(const couFluid *fluid);
void couSph_WarnOfSuction(couFluid *fluid, const char *surface); ///< which says where there is or will be one

/// Runs one of a loop's variants over all particles, in blocks of COU_SPH_BLOCK.
typedef void couSphLoopFcn(couSphLoop *loop, size_t begin, size_t end, int block);
void couSph_Run(const couStep *step, couSphLoop *loop, couSphLoopFcn *const variants[]);
/// Sum of what the blocks left, in their order.
double couSph_SumBlocks(const couFluid *fluid);

/// Densities, gradients and diagonals from positions; writes density, factor, pairs, and into sums, two for each block, the
/// largest speed of a particle against its neighbours and the number of particles at a surface.
COU_DECLARE_WIDE(void, couSphPairs, couSphLoop *loop, size_t begin, size_t end, int block);
/// Residuals of the pressure system from velocities; writes residual, and four sums: of those above 0, of those below as far as
/// a pressure could let go, of the density's excess after the step, of all.
COU_DECLARE_WIDE(void, couSphResidual, couSphLoop *loop, size_t begin, size_t end, int block);
/// Velocities changed by -r sum (change_i + change_j) G_ij; writes velocity.
COU_DECLARE_WIDE(void, couSphPush, couSphLoop *loop, size_t begin, size_t end, int block);
/// The same change of velocities, turned, into `out`; sums its square weighted by density.
COU_DECLARE_WIDE(void, couSphResponse, couSphLoop *loop, size_t begin, size_t end, int block);
/// sum (change_i + change_j) G_ij, and in w the sum of change_j over that of a full neighbourhood; writes out.
COU_DECLARE_WIDE(void, couSphSpread, couSphLoop *loop, size_t begin, size_t end, int block);
/// sum G_ij, samples included: where there is more liquid than elsewhere; writes out.
COU_DECLARE_WIDE(void, couSphUneven, couSphLoop *loop, size_t begin, size_t end, int block);

/// Over rows of samples: gradients and densities; writes all of couWallRows but its kappa. Then over particles: kept, factor.
COU_DECLARE_WIDE(void, couSphWallRows, couSphLoop *loop, size_t begin, size_t end, int block);
COU_DECLARE_WIDE(void, couSphWallDensity, couSphLoop *loop, size_t begin, size_t end, int block);
/// Over rows of samples: the mean of `extended`; writes their kappa.
COU_DECLARE_WIDE(void, couSphWallExtend, couSphLoop *loop, size_t begin, size_t end, int block);
/// Over rows of samples: rates of their densities; writes their ask.
COU_DECLARE_WIDE(void, couSphWallAsk, couSphLoop *loop, size_t begin, size_t end, int block);
/// Over particles: sum of the pressures `change` times the gradients of their samples, in units of the scale; writes walls.
COU_DECLARE_WIDE(void, couSphWallPress, couSphLoop *loop, size_t begin, size_t end, int block);

/// Viscous accelerations of the velocities `in`; writes out, walls.
COU_DECLARE_WIDE(void, couSphViscous, couSphLoop *loop, size_t begin, size_t end, int block);
/// What the neighbours of a particle make of viscosity in the flow around it; writes evenness.
COU_DECLARE_WIDE(void, couSphEvenness, couSphLoop *loop, size_t begin, size_t end, int block);
/// What the order of neighbours adds to the pressure; writes stress. Then its divergence as accelerations; writes out, walls.
COU_DECLARE_WIDE(void, couSphStress, couSphLoop *loop, size_t begin, size_t end, int block);
COU_DECLARE_WIDE(void, couSphRelieve, couSphLoop *loop, size_t begin, size_t end, int block);
/// sum V W (v_j - v_i) over mean density of the velocities `in`: XSPH [Gagneux 2022, eq. 2.15]; writes out.
COU_DECLARE_WIDE(void, couSphSmooth, couSphLoop *loop, size_t begin, size_t end, int block);
/// Gradient (xyz) and Laplacian (w) of the colour field [Müller 2003, eq. 15]; writes out.
COU_DECLARE_WIDE(void, couSphColor, couSphLoop *loop, size_t begin, size_t end, int block);
/// Cohesion, surface minimization and adhesion [Akinci 2013] from the gradients `in`; writes out, walls.
COU_DECLARE_WIDE(void, couSphCohesion, couSphLoop *loop, size_t begin, size_t end, int block);

/// Attraction of pairs by `law`; writes out, walls.
COU_DECLARE_WIDE(void, couSphArea, couSphLoop *loop, size_t begin, size_t end, int block);

// --- Phases ------------------------------------------------------------------------------------------------------------------

bool couSph_Init(couFluid *fluid); ///< registers the columns
void couSph_Free(couFluid *fluid);
void *couSph_Lend(const couFluid *fluid, size_t *bytes); ///< the gradients' memory, between two steps
bool couSph_Prepare(couFluid *fluid, const couDemand *demand, char *choices, size_t size, couFaults *faults);
void couSph_MaterialsChanged(couFluid *fluid);
float couSph_SupportRatio(const couFluid *fluid);
int couSph_BoundaryLayers(const couFluid *fluid);   ///< of samples under a solid's surface
bool couSph_HasEvenSurface(const couFluid *fluid);  ///< densities are made up where the liquid ends in the open
bool couSph_HasFlowDensity(const couFluid *fluid);  ///< a state equation has a density of its own, drawn along by the flow
bool couSph_HasWallPressure(const couFluid *fluid); ///< samples have pressures of their own
float couSph_SuggestStep(const couFluid *fluid);
float couSph_HeightError(const couFluid *fluid);
void couSph_Weights(const couFluid *fluid, int material, float *position_w, float *velocity_w);
float couSph_Fill(const couFluid *fluid);
bool couSph_Pulls(const couFluid *fluid);

void couPhase_Boundary(couStep *step);  ///< samples of the solids into their rows; reads bodies
void couPhase_Pairs(couStep *step);     ///< neighbour lists, densities, gradients
void couPhase_Growth(couStep *step);    ///< for equations of state, how densities change; reads velocity
void couPhase_Forces(couStep *step);    ///< gravity and fields change velocities
void couPhase_Hold(couStep *step);      ///< liquid that touches a wall keeps to it, where that is asked for; writes velocity
void couPhase_Settle(couStep *step);    ///< velocities after collisions
void couPhase_Viscosity(couStep *step); ///< viscosity, artificial viscosity, XSPH and surface tension change velocities

/// How long forces act in this step [s]. Leap-frog: velocities are half a step behind, so the first kick is half a step long.
static inline float couSph_Kick(const couStep *step)
{
    return step->fluid->method->traits.is_leapfrog ? 0.5f * (step->fluid->last_dt + step->dt) : step->dt;
}
/// Pressures of the equation of state from the densities, and their push for dt seconds.
void couSph_PushByState(couStep *step, float dt);
/// Contacts of the particles where they are: they come from nowhere else, as long as they have not moved. Writes previous,
/// contacts.
bool couSph_FindContacts(couStep *step);
/// A block's sums of impulses, six for each body and piece of one, at zero.
couImpulseSum *couSph_StartSums(const couFluid *fluid, couImpulseSum *sums, int block);
/// One impulse of the fluid on a body, at a point, into sums per body.
void couSph_AddImpulse(const couFluid *fluid, double (*sums)[6], uint32_t body, couVec3 at, couVec3 impulse);
/// Runs `function` over blocks of particles that leave impulses per body and solid in the block's sums; adds them to the fluid's.
bool couSph_SumImpulses(couStep *step, couBlockFcn *function, void *job, double (**sums)[6]);
/// What the pressures kappa [m^2/s] do to bodies.
void couSph_PressBodies(couStep *step, float *kappa);
/// What accelerations of the liquid by solids, in the loop's walls, do to these in dt seconds.
void couSph_PushWalls(couStep *step, const couSphLoop *loop, float dt);

void couSph_Tidy(couStep *step);                  ///< spreads particles evenly, in domains without a surface
void couSph_ChooseRelief(couFluid *fluid);        ///< from the viscosities, after they are known
void couSph_Relieve(couStep *step, float dt);     ///< takes the stress of order off, for dt seconds
bool couSph_PlaceGhosts(couStep *step);           ///< mirror images instead of samples
bool couSph_FindAir(couStep *step);               ///< ghosts over free surfaces add to the density of the liquid
bool couSph_ShowAir(couStep *step);               ///< and go behind the samples, where all can see them
void couSph_PullSurface(couStep *step, float dt); ///< surface tension, where there is any, for dt seconds
/// v += dt out, and what came from solids back to the bodies.
void couSph_AddAccelerations(couStep *step, const couSphLoop *loop, float dt);
double couCohesionMoment(int dimension); ///< integral of s^(n + 1) times the shape of the cohesion kernel over 0 to 1
/// Turns the sizes of blocks into where each begins; returns the sum.
size_t couSumToStarts(size_t *counts, size_t blocks);
/// Vectors for all rows from the step's scratch, those behind the fluid's at zero; NULL without memory.
couVec4 *couSph_TakeVectors(couFluid *fluid);
/// Makes the loop keep what comes from solids, in the step's scratch. False without memory.
bool couSph_KeepWalls(const couStep *step, couSphLoop *loop);

typedef struct couPressureSolve {
    bool is_divergence; ///< source: the divergence of velocity instead of the density
    int column;         ///< pressures kept from step to step
    float tolerance;
    bool has_one_stiffness; ///< pcisph: the same diagonal for all
    bool is_detour;         ///< particles move by the change of their velocities and do not keep it, bodies do not feel it
} couPressureSolve;
/// Of 0, calm, to 1, fast: how far last step's pressures tell about this one's.
float couSph_FastShare(const couStep *step);
/// Changes velocities until the mean error is below the tolerance; counts what it took in the step's report.
void couSph_Solve(couStep *step, const couPressureSolve *solve);

// --- What the methods' tables share ------------------------------------------------------------------------------------------

// What the shared phases move and compute at the least.
#define COU_SPH_SORT_WORK \
    { \
        .bytes = 16 + 12 + 2 * (8 + 24) + 2 * 61 + 12, .flops = 6 \
    } // keys, two radix passes, columns
#define COU_SPH_PAIRS_WORK \
    { \
        .bytes = 60, .flops = 30, .pair_bytes = 16, .pair_flops = 90 \
    } // lists written and read, gradients
#define COU_SPH_FORCES_WORK \
    { \
        .bytes = 32, .flops = 6 \
    } // gravity alone
#define COU_SPH_VISCOSITY_WORK \
    { \
        .bytes = 96, .flops = 20, .pair_bytes = 11, .pair_flops = 31 \
    } // explicit
#define COU_SPH_PUSH_WORK \
    { \
        .bytes = 50, .flops = 12, .pair_bytes = 11, .pair_flops = 7 \
    } // by an equation of state
#define COU_SPH_SOLVE_WORK(each) \
    { \
        .bytes = 90, .flops = 25, .pair_bytes = 22, .pair_flops = 16, .per = each \
    } // residual and push
#define COU_SPH_MOVE_WORK \
    { \
        .bytes = 64, .flops = 6 \
    }
#define COU_SPH_SETTLE_WORK \
    { \
        .bytes = 64, .flops = 15 \
    }

/// Defaults of the solvers, which come before a method's own. A support of 2.25 d has 48 neighbours in space and 16 in the plane,
/// where water then feels its lattice; 2.75 d has 24 there (docs/calm-water.md).
#define COU_SPH_DEFAULTS \
    .kernel = cou_sphKaiser, .tension = cou_tensionNone, .support = {2.75f, 2.25f}, .exponent = 7, .damping = 0.01f

/// What is the same for all of them.
#define COU_SPH_TRAITS .is_adaptive = true, .has_pressure = true, .has_tension = true, .has_periods = true
#define COU_SPH_CLAIMS (cou_claimMotion | cou_claimRest | cou_claimSplash)
#define COU_SPH_FLOW_CLAIMS (cou_claimWaves | cou_claimJets)
#define COU_SPH_SHEAR_CLAIMS (cou_claimViscosity | cou_claimShear | cou_claimSlopes)
#define COU_SPH_METHOD \
    .params = &couSphParamTable, .params_bytes = sizeof(couSphParams), .state_bytes = sizeof(couSphState), \
    .contact_radius = 0.1f /* samples keep the liquid away from solids; collisions are only a net below */, \
    .support_ratio = couSph_SupportRatio, .prepare = couSph_Prepare, .suggest_step = couSph_SuggestStep, \
    .height_error = couSph_HeightError, .materials_changed = couSph_MaterialsChanged, .free = couSph_Free, .lend = couSph_Lend, \
    .weights = couSph_Weights, .fill = couSph_Fill, .pulls = couSph_Pulls
