/// Inside of a distance grid, shared by its own files only, and what shapes need to know beyond the public interface.
///
/// Space is cut into coarse cells of 8 x 8 x 8 fine cells. Where the surface is near, or the distance bends, a coarse cell
/// holds a block of 9 x 9 x 9 fine samples; elsewhere it is interpolated from the coarse samples at its corners.
#pragma once

#include "base/base.h"
#include "coulis/mesh.h"

/// Of packed grids: one more whenever their format or what they are made of changes, so that old ones in a cache are not used.
#define COU_GRID_VERSION 2
#define COU_GRID_MAGIC 0x4449524744554f43u ///< "COUDGRID": what packed grids begin with, in the byte order of the machine

enum {
    cou_blockCells = 8,                                               ///< fine cells along the side of a block
    cou_blockSide = cou_blockCells + 1,                               ///< samples along the side of a block
    cou_blockSamples = cou_blockSide * cou_blockSide * cou_blockSide, ///< of one block
    cou_gridMaxCells = 4096,                                          ///< fine cells along an axis
    cou_gridMinMargin = 12,                                           ///< fine cells between the mesh and the border
    cou_gridBand = 4,                                                 ///< fine cells on either side that are in blocks
};

struct couDistanceGrid {
    // Hot.
    couVec3 origin;             ///< lowest corner [m]
    float inv_cell;             ///< [1/m]
    couVec3 last;               ///< highest corner, in fine cells from the origin
    int32_t count[3];           ///< coarse cells along each axis
    const int32_t *block_index; ///< of each coarse cell, x fastest: its block, or -1
    const float *coarse;        ///< signed distances at the corners of coarse cells, x fastest [m]
    const float *blocks;        ///< cou_blockSamples signed distances for each block, x fastest [m]
    // Cold.
    float cell;     ///< [m]
    float slope;    ///< how fast the interpolated distance changes at most near the surface
    float thinness; ///< thinnest wall [m]
    int32_t block_count;
    size_t bytes;  ///< of the whole block of memory
    couMesh *mesh; ///< retained
    _Atomic int references;
};

/// A grid with room for its samples, all zero, and one reference; NULL without memory. Retains the mesh.
couDistanceGrid *couAllocDistanceGrid(couMesh *mesh, couVec3 origin, float cell, const int32_t count[3], int32_t block_count);
/// What the samples of a grid of this size take [bytes].
size_t couDistanceGridBytes(const int32_t count[3], size_t block_count);
/// How fast the interpolated distance can change near the surface, measured: up to sqrt(3).
float couDistanceGrid_Slope(const couDistanceGrid *grid);
/// The thinnest wall of the solid as far as the grid shows it [m].
float couDistanceGrid_Thinness(const couDistanceGrid *grid);
/// The cell that couCreateDistanceGrid() would begin with: as asked for, or the finest whose grid is likely to fit [m]. Quick.
COU_INTERNAL_API float couFinestCell(couMesh *mesh, float cell, size_t max_bytes);
