/// Particle-based viscoelastic fluid by prediction and relaxation [Clavet, Beaudoin, Poulin 2005]: what its files share.
#pragma once

#include "fluid/fluid.h"
#include "fluid/kernels.h"

typedef enum couPvfsRecipe { cou_recipeWater, cou_recipeDrops } couPvfsRecipe;
typedef enum couPvfsNear { cou_nearDensity, cou_nearDistance, cou_nearNone } couPvfsNear;
typedef enum couPvfsFarSprings { cou_farSpringsFlow, cou_farSpringsHold } couPvfsFarSprings;
typedef enum couPvfsKernel { cou_pvfsPaper, cou_pvfsSmooth } couPvfsKernel;
typedef enum couPvfsWall { cou_wallDensity, cou_wallClamp } couPvfsWall;

/// The method's parameters; k, k_near and rho0 in the paper's units (length h, time 1/30 s).
typedef struct couPvfsParams {
    int recipe;         ///< couPvfsRecipe
    int kernel;         ///< couPvfsKernel, of the far density
    float support;      ///< h / d
    float near_ratio;   ///< chi = k_near / k
    float height_error; ///< allowed for a pool of the world's depth
    float courant;      ///< c dt / h
    float step;         ///< [s]
    float k, k_near, rho0;
    int near;        ///< couPvfsNear
    int walls;       ///< couPvfsWall
    int far_springs; ///< couPvfsFarSprings
} couPvfsParams;

/// A material in the method's terms, SI.
typedef struct couPvfsMaterial {
    float sigma;     ///< [1/s]
    float beta;      ///< [1/m]
    float smoothing; ///< [1/s]
    float viscous;   ///< both ways, from the viscosity of a thick liquid [1/s]
    float k_spring;  ///< [1/s^2]
} couPvfsMaterial;

/// Integrals over the half-space behind a wall at distance (1 - a) h, sampled at a = n / COU_WALL_SAMPLES.
#define COU_WALL_SAMPLES 256
typedef struct couWallTable {
    struct {
        float rho, rho_near, push, push_near;
        float drag; ///< what liquid that clings to the wall takes of the sliding, times viscous dt / 2
    } at[COU_WALL_SAMPLES + 2];
} couWallTable;

/// What the far density of a pair is, A(q), and how it pushes, -A'(q)/2: the paper's (1 - q)^2, or a smooth kernel whose sum is
/// the same for nearly every arrangement of the particles.
typedef struct couFarKernel {
    bool is_smooth;
    float series[COU_KAISER_TERMS]; ///< of the smooth kernel: A = sum series[k] u^(k + 1), u = 1 - q^2, A(0) = 1
} couFarKernel;

/// Sums over the resting lattice.
typedef struct couLatticeSums {
    double rho, rho_near; ///< sums of A, w^3; w = 1 - q
    double s1, s2;        ///< sums of -q A'/2, q w^2
    double spring;        ///< sum of q^2 w, for the shear modulus
    double w;             ///< sum of w, for the reach of viscosity
    double slope2;        ///< sum of (A'/2)^2, for the load of a step
} couLatticeSums;

typedef struct couPvfsState {
    bool is_prepared;
    float sound_speed;  ///< c [m/s]
    double courant;     ///< c step / h
    float k, k_near;    ///< [m/s^2]
    float least_far;    ///< far pressure is never below it [m/s^2]
    float rho0;         ///< rest density in the paper's sense
    float rest_rho;     ///< lattice sum, for the relative density
    float step;         ///< suggested [s]
    float height_error; ///< expected
    bool is_single_material;
    float weight_sum; ///< lattice sum of w
    float wall_drag;  ///< of a particle that touches a wall, as in the table
    couPvfsMaterial materials[COU_MAX_MATERIALS];
    couFarKernel far;
    couWallTable walls;
} couPvfsState;

couLatticeSums couSumLattice(const couFarKernel *far, int dimension, float support);
void couFillWallTable(couWallTable *table, const couFarKernel *far, int dimension, float support);

// --- Hot loops (pvfs_wide.c) -------------------------------------------------------------------------------------------------

/// What the sweeps over coloured cells read and write.
typedef struct couPvfsSweep {
    const couGrid *grid;
    const couNeighbors *neighbors;
    const couContacts *contacts;
    const couPvfsState *state;
    couVec4 *position;
    couVec4 *velocity;
    const uint32_t *id;
    const uint8_t *material;
    float *density;
    size_t count;
    const couBodies *bodies;
    int dimension;
    int near;
    bool has_wall_density;
    float h, dt;
    const uint32_t *cells; ///< of the current colour
    _Atomic int64_t guard_count;
    // A stage of diffusion: result = now_share now + old_share result + rate (what viscosity makes of now).
    const couVec4 *now;
    couVec4 *result;
    float now_share, old_share, rate;
    float *cut; ///< share of its viscosity that a particle has, used where has_cuts; count + 1 of them
    bool has_cuts;
} couPvfsSweep;

/// Double density relaxation [Clavet 2005, alg. 2] of the particles of cells[begin..end).
COU_DECLARE_WIDE(void, couRelaxCells, couPvfsSweep *sweep, size_t begin, size_t end);
/// Viscosity impulses [Clavet 2005, alg. 5] between the particles of cells[begin..end) and those after them in storage.
COU_DECLARE_WIDE(void, couViscosityCells, couPvfsSweep *sweep, size_t begin, size_t end);
/// A stage of viscosity, of the particles begin..end: reads now, writes result and the contacts' drags.
COU_DECLARE_WIDE(void, couDiffuse, couPvfsSweep *sweep, size_t begin, size_t end);
/// How much a stage of viscosity can take of the particles begin..end [1/s], at most: into cut.
COU_DECLARE_WIDE(void, couFindDrains, couPvfsSweep *sweep, size_t begin, size_t end);
