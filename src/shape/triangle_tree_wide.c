// The nearest triangle of a tree: depth first, nearest box first, starting from the distance to a leaf that is likely close. That
// takes a fraction of a microsecond next to the surface, and several where hundreds of triangles are nearly as far as the
// nearest.
#include "shape/triangle_tree.h"

// Squared distance to an edge from its start, d = p - start.
static inline couFloatW edge_distance2(couVec3W d, couVec3W edge, couFloatW inv2)
{
    couFloatW t = couMinW(couMaxW(couDotW(d, edge) * inv2, 0.0f), 1.0f);
    couVec3W v = couSubW(d, couScaleW(t, edge));
    return couDotW(v, v);
}

static inline float least(couFloatW a)
{
    float lanes[COU_WIDTH], best;
    couStoreW(lanes, a);
    best = lanes[0];
    for (int k = 1; k < COU_WIDTH; ++k) best = lanes[k] < best ? lanes[k] : best;
    return best;
}

// The least squared distance to the triangles of a leaf: to the plane where the foot is within the triangle, else to the edges.
static inline float leaf_distance2(const couTreeLeaf *leaf, couVec3W p)
{
    couVec3W d = couSubW(p, couLoad3W(leaf->a)), ab = couLoad3W(leaf->ab), ac = couLoad3W(leaf->ac);
    couFloatW edges = edge_distance2(d, ab, couLoadW(leaf->inv_ab2));
    edges = couMinW(edges, edge_distance2(d, ac, couLoadW(leaf->inv_ac2)));
    edges = couMinW(edges, edge_distance2(couSubW(d, ab), couSubW(ac, ab), couLoadW(leaf->inv_bc2)));
    couFloatW v = couDotW(d, couLoad3W(leaf->to_v)), w = couDotW(d, couLoad3W(leaf->to_w)),
              height = couDotW(d, couLoad3W(leaf->normal));
    couFloatW within = couMinW(couMinW(v, w), 1.0f - v - w);
    couFloatW plane = height * height + couLoadW(leaf->flat);
    return least(couSelectW(within < 0.0f, edges, couMinW(plane, edges)));
}

static inline void box_distances2(const couTreeNode *node, couVec3W p, float *away2)
{
    couVec3W below = couSubW(couLoad3W(node->lower), p), above = couSubW(p, couLoad3W(node->upper));
    couVec3W d = {couMaxW(couMaxW(below.x, above.x), 0.0f), couMaxW(couMaxW(below.y, above.y), 0.0f),
                  couMaxW(couMaxW(below.z, above.z), 0.0f)};
    couStoreW(away2, couDotW(d, d));
}

float COU_WIDE(couTreeDistance)(const couTriangleTree *tree, couVec3 point, uint32_t *leaf)
{
    couVec3W p = couSet3W(point);
    float best = leaf_distance2(&tree->leaves[*leaf], p);
    couTreeVisit stack[COU_TREE_STACK];
    int depth = 0;
    stack[depth++] = (couTreeVisit){0.0f, tree->level_count - 1, 0};
    while (depth > 0) {
        couTreeVisit visit = stack[--depth];
        if (visit.away2 >= best) continue;
        if (visit.level < 0) {
            float distance2 = leaf_distance2(&tree->leaves[visit.index], p);
            if (distance2 < best) best = distance2, *leaf = visit.index;
            continue;
        }
        // Children nearer than the best, the nearest on top of the stack.
        float away2[COU_WIDTH];
        box_distances2(&tree->nodes[tree->level_start[visit.level] + visit.index], p, away2);
        int first = depth;
        for (uint32_t k = 0; k < COU_WIDTH; ++k) {
            if (!(away2[k] < best)) continue;
            int at = depth++;
            for (; at > first && stack[at - 1].away2 < away2[k]; --at) stack[at] = stack[at - 1];
            stack[at] = (couTreeVisit){away2[k], visit.level - 1, COU_WIDTH * visit.index + k};
        }
    }
    return sqrtf(best);
}

float COU_WIDE(couTreeNearby)(const couTriangleTree *tree, couVec3 point, float nearest, uint32_t *leaf)
{
    couVec3W p = couSet3W(point);
    uint32_t first = *leaf / COU_WIDTH * COU_WIDTH;
    float away2[COU_WIDTH], best = nearest * nearest;
    box_distances2(&tree->nodes[first / COU_WIDTH], p, away2);
    bool is_better = false;
    for (uint32_t k = 0; k < COU_WIDTH; ++k) {
        if (!(away2[k] < best)) continue;
        float distance2 = leaf_distance2(&tree->leaves[first + k], p);
        if (!(distance2 < best)) continue;
        best = distance2, *leaf = first + k;
        is_better = true;
    }
    return is_better ? sqrtf(best) : nearest;
}
