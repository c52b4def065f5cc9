/// Particle-based viscoelastic fluid by prediction and relaxation [Clavet, Beaudoin, Poulin 2005]: what its files share.
#pragma once

#include "fluid/fluid.h"

typedef enum couPvfsRecipe { cou_recipeWater, cou_recipeDrops } couPvfsRecipe;
typedef enum couPvfsNear { cou_nearDensity, cou_nearDistance, cou_nearNone } couPvfsNear;
typedef enum couPvfsFarSprings { cou_farSpringsFlow, cou_farSpringsHold } couPvfsFarSprings;
typedef enum couPvfsWall { cou_wallDensity, cou_wallClamp } couPvfsWall;

/// The method's parameters; k, k_near and rho0 in the paper's units (length h, time 1/30 s).
typedef struct couPvfsParams {
    int recipe;         ///< couPvfsRecipe
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
    float k_spring;  ///< [1/s^2]
} couPvfsMaterial;

/// Integrals over the half-space behind a wall at distance (1 - a) h, sampled at a = n / COU_WALL_SAMPLES.
#define COU_WALL_SAMPLES 256
typedef struct couWallTable {
    struct {
        float rho, rho_near, push, push_near;
    } at[COU_WALL_SAMPLES + 2];
} couWallTable;

/// Sums over the resting lattice.
typedef struct couLatticeSums {
    double rho, rho_near; ///< sums of w^2, w^3; w = 1 - q
    double s1, s2;        ///< sums of q w, q w^2
    double spring;        ///< sum of q^2 w, for the shear modulus
    double w;             ///< sum of w, for the reach of viscosity
} couLatticeSums;

typedef struct couPvfsState {
    bool is_prepared;
    float sound_speed;  ///< c [m/s]
    float k, k_near;    ///< [m/s^2]
    float rho0;         ///< rest density in the paper's sense
    float rest_rho;     ///< lattice sum, for the relative density
    float step;         ///< suggested [s]
    float height_error; ///< expected
    bool is_single_material;
    float weight_sum; ///< lattice sum of w
    couPvfsMaterial materials[COU_MAX_MATERIALS];
    couWallTable walls;
} couPvfsState;

couLatticeSums couSumLattice(int dimension, float support);
void couFillWallTable(couWallTable *table, int dimension, float support);

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
    int dimension;
    int near;
    bool has_wall_density;
    float h, dt;
    const uint32_t *cells; ///< of the current colour
    _Atomic int64_t guard_count;
} couPvfsSweep;

/// Double density relaxation [Clavet 2005, alg. 2] of the particles of cells[begin..end).
COU_DECLARE_WIDE(void, couRelaxCells, couPvfsSweep *sweep, size_t begin, size_t end);
/// Viscosity impulses [Clavet 2005, alg. 5] between the particles of cells[begin..end) and those after them in storage.
COU_DECLARE_WIDE(void, couViscosityCells, couPvfsSweep *sweep, size_t begin, size_t end);
