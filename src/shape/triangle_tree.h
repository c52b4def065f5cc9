/// A tree of boxes over triangles: how far the nearest one is, and whether a segment meets any. Built once, then read by any
/// thread. Lengths are in whatever unit the corners are.
#pragma once

#include "base/wide.h"

typedef struct couTriangle {
    couVec3 a, b, c;
} couTriangle;

/// Eight triangles, by columns. Edges are ab, ac and bc; (v, w) = (to_v, to_w) . (p - a) are coordinates along ab and ac.
typedef struct couTreeLeaf {
    float a[3][COU_WIDTH];
    float ab[3][COU_WIDTH], ac[3][COU_WIDTH];
    float inv_ab2[COU_WIDTH], inv_ac2[COU_WIDTH], inv_bc2[COU_WIDTH]; ///< 0 for an edge without length
    float to_v[3][COU_WIDTH], to_w[3][COU_WIDTH];                     ///< zero for a triangle without area
    float normal[3][COU_WIDTH];                                       ///< unit; zero for a triangle without area
    float flat[COU_WIDTH]; ///< what is added to the squared distance to the plane: 0, or infinity without area
} couTreeLeaf;

typedef struct couTreeNode {
    float lower[3][COU_WIDTH], upper[3][COU_WIDTH]; ///< of each child; inside out where there is none
} couTreeNode;

/// What is still to be looked at.
typedef struct couTreeVisit {
    float away2; ///< squared distance to its box
    int level;   ///< -1: a leaf
    uint32_t index;
} couTreeVisit;

#define COU_TREE_LEVELS 12 ///< 8^12 leaves are enough
#define COU_TREE_STACK (COU_TREE_LEVELS * COU_WIDTH)

struct couTriangleTree;
typedef float couTreeDistanceFcn(const struct couTriangleTree *tree, couVec3 point, uint32_t *leaf);
typedef float couTreeNearbyFcn(const struct couTriangleTree *tree, couVec3 point, float nearest, uint32_t *leaf);

typedef struct couTriangleTree {
    couTreeLeaf *leaves;
    couTreeNode *nodes; ///< level after level from the leaves up; the last is the root
    size_t leaf_count;
    size_t level_start[COU_TREE_LEVELS + 1]; ///< of the nodes of each level; the children of level 0 are leaves
    int level_count;
    couTreeDistanceFcn *distance; ///< for the machine's instruction set
    couTreeNearbyFcn *nearby;
} couTriangleTree;

/// False without memory. There must be at least one triangle.
bool couTriangleTree_Build(couTriangleTree *tree, const couTriangle *triangles, size_t count);
void couTriangleTree_Free(couTriangleTree *tree);
/// Distance from the point to the nearest triangle. `leaf` says where to look first (any leaf, 0 when nothing is known) and then
/// holds the leaf it was in: close points share it.
float couTriangleTree_Distance(const couTriangleTree *tree, couVec3 point, uint32_t *leaf);
/// The same, looking only at the leaf and its siblings, 64 triangles, and only for what is nearer than `nearest`, which is
/// returned with the leaf unchanged when there is nothing.
float couTriangleTree_NearbyDistance(const couTriangleTree *tree, couVec3 point, float nearest, uint32_t *leaf);
/// True when the segment meets a triangle before its last thousandth. Meant for short segments.
bool couTriangleTree_Blocks(const couTriangleTree *tree, couVec3 from, couVec3 to);

COU_DECLARE_WIDE(float, couTreeDistance, const couTriangleTree *tree, couVec3 point, uint32_t *leaf);
COU_DECLARE_WIDE(float, couTreeNearby, const couTriangleTree *tree, couVec3 point, float nearest, uint32_t *leaf);
