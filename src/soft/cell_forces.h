/// The forces of finite elements: cells in blocks that lie together, four cells to a group, as the hot loop takes them.
#pragma once

#include "base/parallel.h"
#include "base/wide_double.h"
#include "soft/solid_mesh.h"

enum { COU_CELL_BLOCK = 1024 }; ///< cells of a block; its points and what they do fit into the fastest cache

/// Four cells at rest; those that fill up the last group of a block have no volume. The third gradient of triangles is 0.
typedef struct couCellGroup {
    double gradient[3][3][COU_DOUBLE_WIDTH]; ///< of the functions of corners 1 to 3, by x, y, z [1/m]
    double volume[COU_DOUBLE_WIDTH];         ///< [m^3]
    uint16_t corner[4][COU_DOUBLE_WIDTH];    ///< numbers among the block's points
} couCellGroup;

typedef struct couCellBlock {
    uint32_t first_group, group_count, first_point, point_count;
} couCellBlock;

typedef enum couCellLaw { cou_lawCauchy, cou_lawHybrid, cou_lawGreen } couCellLaw;

/// What a block is worked through with.
typedef struct couCellTask {
    const couCellGroup *groups;
    size_t group_count;
    const couDouble4 *displacement; ///< of the block's points [m]
    const couDouble4 *velocity;     ///< [m/s]; NULL: no damping, or that of the linear laws, which the displacement has
    couDouble4 *force;              ///< is added to [N]
    couCellLaw law;
    double lambda, mu, damping;
} couCellTask;

COU_DECLARE_WIDE(void, couAddCellForces, const couCellTask *task);
typedef void couAddCellForcesFcn(const couCellTask *task);

typedef struct couCellForces {
    couMemory *memory;
    couCellGroup *groups;
    couCellBlock *blocks;
    uint32_t *points;                       ///< of each block, in the order in which its cells use them
    couDouble4 *forces;                     ///< of each entry of `points` [N]
    couDouble4 *displacements, *velocities; ///< likewise [m], [m/s]
    uint32_t *slots;                        ///< of each cell: four times its group, and its lane
    uint32_t *share_start;                  ///< of each point's entries in `shares`
    uint32_t *shares;                       ///< entries of `points` that are this point, in ascending order
    size_t block_count, group_count, entry_count;
    couAddCellForcesFcn *add;
} couCellForces;

/// The rest of the mesh, turned by nothing. False without memory.
bool couCellForces_Build(couCellForces *cells, couMemory *memory, const couSolidMesh *mesh);
void couCellForces_Free(couCellForces *cells);

/// What forces follow from.
typedef struct couCellMotion {
    const couDouble3 *rest, *position, *velocity; ///< velocity may be NULL without damping
    couCellLaw law;
    double lambda, mu, damping;
} couCellMotion;

/// Forces of all points [N], the same bits for any number of threads.
void couCellForces_Find(couCellForces *cells, const couParallel *parallel, size_t point_count, const couCellMotion *motion,
                        couDouble3 *forces);
