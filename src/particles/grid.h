/// The sparse cell grid: particles sorted by cell, in an unbounded world.
#pragma once

#include "particles/table.h"

/// Cells in order of their keys. A key packs the cell's coordinates, x lowest, each with a margin of one cell, so that the cells
/// x - 1, x, x + 1 of a row are neighbours in key order and their particles lie one after the other.
typedef struct couGrid {
    couMemory *memory;
    float cell_size;  ///< [m]
    int bits[3];      ///< of each axis in the key
    int32_t lower[3]; ///< smallest coordinate minus the margin
    size_t cell_count;
    uint64_t *keys;        ///< of the occupied cells, ascending
    uint32_t *cell_start;  ///< first particle of each cell; cell_count + 1 entries
    uint32_t *color_start; ///< COU_COLORS + 1 entries into color_cells
    uint32_t *color_cells; ///< cells by colour, ascending within one
    size_t cell_capacity;
    // scratch of the sort
    uint64_t *sort_keys[2];
    uint32_t *sort_order[2];
    size_t sort_capacity;
    uint32_t *histogram;
    size_t histogram_capacity;
} couGrid;

/// Cells of one colour are three or more apart in some axis: their neighbourhoods do not touch.
#define COU_COLORS 27

void couGrid_Init(couGrid *grid, couMemory *memory);
void couGrid_Free(couGrid *grid);

/// What the sort found wrong.
typedef struct couGridReport {
    int64_t nan_count, lost_count;
    uint32_t first_bad_id;
} couGridReport;

/// Sorts the table by cell of the `position` column; within a cell by a fixed random number of the id, so that the order, and with it
/// every sweep, depends on the particles alone and not on how they were stored. False without memory or when particles are NaN or
/// out of reach (a million cells from the origin); then the table is untouched.
bool couGrid_Sort(couGrid *grid, couTable *table, int position_column, int id_column, float cell_size,
                  const couParallel *parallel, couGridReport *report);

static inline void couGrid_Coordinates(const couGrid *grid, uint64_t key, int32_t cell[3])
{
    cell[0] = (int32_t)(key & (((uint64_t)1 << grid->bits[0]) - 1)) + grid->lower[0];
    cell[1] = (int32_t)(key >> grid->bits[0] & (((uint64_t)1 << grid->bits[1]) - 1)) + grid->lower[1];
    cell[2] = (int32_t)(key >> (grid->bits[0] + grid->bits[1])) + grid->lower[2];
}

/// Nine cursors that walk the rows around consecutive cells: row r holds the particles of cells x - 1 to x + 1 in the r-th
/// neighbouring row, in ascending order of storage.
typedef struct couRows {
    size_t cursor[9];
} couRows;

void couRows_Start(couRows *rows, const couGrid *grid, size_t cell);
/// Particle ranges [begin[r], end[r]) of the nine rows around `cell`; cells must come in ascending order.
void couRows_Next(couRows *rows, const couGrid *grid, size_t cell, uint32_t begin[9], uint32_t end[9]);
