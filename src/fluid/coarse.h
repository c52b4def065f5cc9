/// The coarse level of the pressure solver (pressure.c): what a few iterations between neighbours cannot reach, pressures over
/// lengths of many spacings, is solved for on nodes some supports apart. Between nodes a pressure is bilinear, in space
/// trilinear. Elements between nodes are whole cells of the grid, so a cell's particles belong to one element, sums over an
/// element go in the order of its cells, and all is the same bits for any number of threads.
#pragma once

#include "base/arena.h"
#include "base/wide.h"
#include "particles/grid.h"

#define COU_CORNERS COU_WIDTH ///< of an element; in 2D the upper four have no weight

typedef struct couCoarseElement {
    float lower[3];   ///< [m]
    float inverse[3]; ///< 1 / its edges [1/m]; 0 along z in 2D
    uint32_t node[COU_CORNERS];
    uint32_t first_cell, end_cell; ///< of couCoarse.cells
} couCoarseElement;

/// All of it lives in the step's scratch.
typedef struct couCoarse {
    const couGrid *grid;
    size_t element_count, node_count;
    couCoarseElement *elements;
    uint32_t *cells;                           ///< of the grid, by element
    float (*matrix)[COU_CORNERS][COU_CORNERS]; ///< per element
    float (*corner)[COU_CORNERS];              ///< per element: sums of a residual, then the solution at its corners
    double *diagonal, *right, *solution, *direction, *product; ///< per node
} couCoarse;

/// Runs over the particles i of element e, in the order of its cells.
#define COU_FOR_PARTICLES_OF(coarse, e, i) \
    for (uint32_t cell_ = (coarse)->elements[e].first_cell; cell_ < (coarse)->elements[e].end_cell; ++cell_) \
        for (uint32_t i = (coarse)->grid->cell_start[(coarse)->cells[cell_]]; \
             i < (coarse)->grid->cell_start[(coarse)->cells[cell_] + 1]; ++i)

/// Elements and nodes over the occupied cells. False without memory.
bool couCoarse_Place(couCoarse *coarse, const couGrid *grid, int dimension, couArena *scratch);

/// What the loops over elements read and write, per particle.
typedef struct couCoarseLoop {
    const couCoarse *coarse;
    const couVec4 *position;
    const couVec4 *velocity; ///< w: inverse relative density
    const couVec4 *spread;   ///< xyz: B^T applied to the active particles' indicator; w: share of the neighbours that is active
    const float *active;     ///< 1 or 0
    const float *factor;     ///< 1 / diagonal
    const float *residual;
    float *correction;
} couCoarseLoop;

typedef void couCoarseLoopFcn(const couCoarseLoop *loop, size_t begin, size_t end);
/// The operator's part of each element; writes matrix.
COU_DECLARE_WIDE(void, couCoarseBuild, const couCoarseLoop *loop, size_t begin, size_t end);
/// Residuals to the corners of their elements; writes corner.
COU_DECLARE_WIDE(void, couCoarseRestrict, const couCoarseLoop *loop, size_t begin, size_t end);
/// Values at corners to the particles; writes correction.
COU_DECLARE_WIDE(void, couCoarseProlong, const couCoarseLoop *loop, size_t begin, size_t end);

/// Takes the elements' matrices together, after couCoarseBuild.
void couCoarse_Assemble(couCoarse *coarse);
/// Solves for what couCoarseRestrict left in the corners, and leaves the solution there.
void couCoarse_Solve(couCoarse *coarse);
