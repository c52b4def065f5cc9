/// Bricks of the field's grid and where its level cuts them.
#pragma once

#include "surface/cloud.h"
#include "surface/march_table.h"

/// Brick coordinates packed in a key, x lowest, relative to `lower`.
typedef struct couBrickKeys {
    int32_t lower[3];
    uint64_t *keys; ///< ascending
    size_t count;
} couBrickKeys;

enum { cou_keyBits = 21 };

static inline void couBrickCoordinates(const couBrickKeys *bricks, uint64_t key, int32_t at[3])
{
    const uint64_t mask = ((uint64_t)1 << cou_keyBits) - 1;
    for (int a = 0; a < 3; ++a) at[a] = (int32_t)(key >> (cou_keyBits * a) & mask) + bricks->lower[a];
}

/// All bricks that some kernel reaches. False with a fault.
bool couFindBricks(couBrickKeys *bricks, const couCloud *cloud, const couSurfaceDef *def, couFaults *faults);
/// The nodes of a brick, and the bin that it lies in.
couBrick couMakeBrick(const couCloud *cloud, const int32_t at[3], int32_t bin[3]);
/// The box of its nodes.
couBounds couBoundBrick(const couBrick *brick);

/// A brick with some nodes inside and some outside. It owns its nodes without those at its upper faces, the edges that start at
/// them, and the cells above them. Vertices lie on crossed edges, numbered by layer, axis and node.
typedef struct couCutBrick {
    uint64_t key;
    uint64_t bits[cou_brickNodes];      ///< per layer: nodes inside, bit y * 8 + x
    uint16_t first[cou_brickCells][3];  ///< per layer and axis: number of the first vertex
    uint32_t vertex_base, vertex_count; ///< in the whole mesh
    uint32_t element_base, element_count;
    const float *fractions; ///< along its edge, of each vertex, by linear interpolation
} couCutBrick;

/// Nodes from which edges and cells may start: x and y up to 6.
#define COU_OWN_NODES 0x007f7f7f7f7f7f7fu

/// Edges of an axis that start in a layer and are crossed.
static inline uint64_t couCrossed(const uint64_t *bits, int layer, int axis)
{
    uint64_t here = bits[layer];
    uint64_t there = axis == 0 ? here >> 1 : axis == 1 ? here >> cou_brickNodes : bits[layer + 1];
    return (here ^ there) & COU_OWN_NODES;
}

/// Corners of the cell at a node of two layers, as in couMarchTable; in 2D the lower four bits.
static inline int couCellCode(uint64_t lower, uint64_t upper, int node)
{
    uint64_t a = lower >> node, b = upper >> node;
    return (int)((a & 3) | (a >> 6 & 12) | (b & 3) << 4 | (b >> 2 & 192));
}

/// Cells of a layer with corners on both sides.
static inline uint64_t couMixedCells(uint64_t lower, uint64_t upper)
{
    uint64_t any = lower | upper, all = lower & upper;
    any |= any >> 1, all &= all >> 1;
    any |= any >> cou_brickNodes, all &= all >> cou_brickNodes;
    return any & ~all & COU_OWN_NODES;
}

typedef struct couCut {
    couMemory *memory;
    couBrickKeys bricks;
    couCutBrick *items; ///< ascending keys
    size_t count;
    uint64_t vertex_count, element_count;
    struct couCutBlock *blocks;
    int block_count;
} couCut;

/// Evaluates all bricks. False with a fault.
bool couCut_Build(couCut *cut, const couCloud *cloud, const couMarchTable *table, const couSurfaceDef *def, couFaults *faults);
void couCut_Free(couCut *cut);
/// Writes vertices with their attributes and the elements, beginning at those numbers. False without memory.
bool couMarch(const couCut *cut, const couCloud *cloud, const couMarchTable *table, const couSurfacePoints *points,
              couSurface *surface, size_t first_vertex, size_t first_element);
