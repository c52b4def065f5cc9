/// A tree of boxes over triangles: how far the nearest one is, and whether a segment meets any. Built once, then read by any
/// thread. Lengths are in whatever unit the corners are.
#pragma once

#include "base/base.h"

typedef struct couTriangle {
    couVec3 a, b, c;
} couTriangle;

typedef struct couTriangleTree {
    struct couTreeLeaf *leaves; ///< of four triangles each
    struct couTreeNode *nodes;  ///< of four children each, level after level from the leaves up; the last is the root
    size_t leaf_count;
    size_t level_start[20]; ///< of the nodes of each level; level 0 holds leaves
    int level_count;
} couTriangleTree;

/// False without memory. There must be at least one triangle.
bool couTriangleTree_Build(couTriangleTree *tree, const couTriangle *triangles, size_t count);
void couTriangleTree_Free(couTriangleTree *tree);
/// Distance from the point to the nearest triangle. `leaf` says where to look first (any leaf, 0 when nothing is known) and then
/// holds the leaf it was in: close points share it.
float couTriangleTree_Distance(const couTriangleTree *tree, couVec3 point, uint32_t *leaf);
/// Distance from the point to the triangles of one leaf.
float couTriangleTree_LeafDistance(const couTriangleTree *tree, couVec3 point, uint32_t leaf);
/// True when the segment meets a triangle before its last thousandth. Meant for short segments.
bool couTriangleTree_Blocks(const couTriangleTree *tree, couVec3 from, couVec3 to);
