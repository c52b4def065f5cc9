/// The sparse cell grid: particles sorted by cell, in a world that is unbounded or repeats along some axes.
#pragma once

#include "particles/table.h"

/// A box that repeats along some axes: leaving it on one side is entering it on the other.
typedef struct couPeriod {
    float length[3]; ///< [m]; 0: the axis does not repeat
    float lower[3];  ///< [m]; no meaning on axes that do not repeat
} couPeriod;

/// Cells in order of their keys. A key packs the cell's coordinates, x lowest, each with a margin of one cell, so that the cells
/// x - 1, x, x + 1 of a row are neighbours in key order and their particles lie one after the other.
typedef struct couGrid {
    couMemory *memory;
    /// Zero after couGrid_Init: nothing repeats. Otherwise set by the grid's owner before couGrid_Sort; a period is three cells
    /// or longer. Cells of a repeating axis count from 0 at the box's lower end, and the last one ends where the first begins.
    couPeriod period;
    float cell_size;       ///< as asked for [m]
    float cell_edge[3];    ///< [m]; cell_size, or a little more so that whole cells fill the period
    int32_t cell_limit[3]; ///< cells of a period; 0: the axis does not repeat
    int bits[3];           ///< of each axis in the key
    int32_t lower[3];      ///< smallest coordinate minus the margin
    int32_t upper[3];      ///< largest coordinate plus the margin
    size_t cell_count;
    uint64_t *keys;        ///< of the occupied cells, ascending
    uint32_t *cell_start;  ///< first particle of each cell; cell_count + 1 entries
    uint32_t *color_start; ///< COU_COLORS + 1 entries into color_cells
    uint32_t *color_cells; ///< cells by colour, ascending within one
    size_t cell_capacity;
    // scratch of the sort
    uint64_t *sort_keys[2]; ///< all four within own_scratch or what was lent
    uint32_t *sort_order[2];
    char *own_scratch;
    size_t own_bytes;
    void *lent_scratch; ///< memory that others do not need while the grid sorts; NULL: none
    size_t lent_bytes;
    uint32_t *histogram;
    size_t histogram_capacity;
} couGrid;

/// Cells of one colour are three or more apart in some axis: their neighbourhoods do not touch. Not so across the ends of a
/// period.
#define COU_COLORS 27

void couGrid_Init(couGrid *grid, couMemory *memory);
void couGrid_Free(couGrid *grid);
/// Gives back what only the next sort needs; the cells stay.
void couGrid_Trim(couGrid *grid);

/// What the sort found wrong.
typedef struct couGridReport {
    int64_t nan_count, lost_count;
    uint32_t first_bad_id;
} couGridReport;

/// Sorts the table by cell of the `position` column; within a cell by a fixed random number of the id, so that the order, and
/// with it every sweep, depends on the particles alone and not on how they were stored. False without memory or when particles
/// are NaN or lost: out of reach (a million cells from the origin) or out of the period by more than rounding; then the table is
/// untouched.
bool couGrid_Sort(couGrid *grid, couTable *table, int position_column, int id_column, float cell_size,
                  const couParallel *parallel, couGridReport *report);

static inline void couGrid_Coordinates(const couGrid *grid, uint64_t key, int32_t cell[3])
{
    cell[0] = (int32_t)(key & (((uint64_t)1 << grid->bits[0]) - 1)) + grid->lower[0];
    cell[1] = (int32_t)(key >> grid->bits[0] & (((uint64_t)1 << grid->bits[1]) - 1)) + grid->lower[1];
    cell[2] = (int32_t)(key >> (grid->bits[0] + grid->bits[1])) + grid->lower[2];
}

/// Particles [begin, end) that lie next to a cell once `shift` is added to their positions.
typedef struct couRange {
    uint32_t begin, end;
    float shift[3];  ///< [m]; whole periods
    bool is_shifted; ///< the shift is not zero
} couRange;

/// The nine rows around a cell (x - 1 to x + 1 at y - 1 to y + 1 and z - 1 to z + 1), each in two pieces where x crosses a
/// period.
#define COU_MAX_RANGES 18

/// Cursors that walk the rows around one cell after the other.
typedef struct couRows {
    const couGrid *grid;
    size_t cursor[COU_MAX_RANGES];
    int32_t quiet_row[2];           ///< y, z
    int32_t quiet_begin, quiet_end; ///< cells of this x in the quiet row are known to have nothing around them
} couRows;

void couRows_Start(couRows *rows, const couGrid *grid);
/// The particles in and around the cell with these coordinates, which may be one of another grid of the same cell size and
/// period: returns how many ranges, none of them empty. Without periods the ranges ascend. Right for cells in any order; fast for
/// ascending ones.
int couRows_Next(couRows *rows, const int32_t cell[3], couRange ranges[COU_MAX_RANGES]);
