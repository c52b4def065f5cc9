// The nearest triangle of a tree: depth first, nearest box first, starting from the distance to a leaf that is likely close. That
// takes a fraction of a microsecond next to the surface, and several where hundreds of triangles are nearly as far as the nearest.
#include "shape/triangle_tree.h"

typedef struct Vec3W {
    couFloatW x, y, z;
} Vec3W;

static inline Vec3W load3(const float columns[3][COU_WIDTH])
{
    return (Vec3W){couLoadW(columns[0]), couLoadW(columns[1]), couLoadW(columns[2])};
}
static inline Vec3W sub3(Vec3W a, Vec3W b) { return (Vec3W){couSubW(a.x, b.x), couSubW(a.y, b.y), couSubW(a.z, b.z)}; }
static inline couFloatW dot3(Vec3W a, Vec3W b)
{
    return couAddW(couAddW(couMulW(a.x, b.x), couMulW(a.y, b.y)), couMulW(a.z, b.z));
}
static inline Vec3W set3(couVec3 p) { return (Vec3W){couSetW(p.x), couSetW(p.y), couSetW(p.z)}; }

// Squared distance to an edge from its start, d = p - start.
static inline couFloatW edge_distance2(Vec3W d, Vec3W edge, couFloatW inv2)
{
    couFloatW t = couMulW(dot3(d, edge), inv2);
    t = couMinW(couMaxW(t, couSetW(0.0f)), couSetW(1.0f));
    Vec3W foot = {couMulW(t, edge.x), couMulW(t, edge.y), couMulW(t, edge.z)};
    Vec3W v = sub3(d, foot);
    return dot3(v, v);
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
static inline float leaf_distance2(const couTreeLeaf *leaf, Vec3W p)
{
    Vec3W d = sub3(p, load3(leaf->a)), ab = load3(leaf->ab), ac = load3(leaf->ac);
    couFloatW edges = edge_distance2(d, ab, couLoadW(leaf->inv_ab2));
    edges = couMinW(edges, edge_distance2(d, ac, couLoadW(leaf->inv_ac2)));
    edges = couMinW(edges, edge_distance2(sub3(d, ab), sub3(ac, ab), couLoadW(leaf->inv_bc2)));
    couFloatW v = dot3(d, load3(leaf->to_v)), w = dot3(d, load3(leaf->to_w)), height = dot3(d, load3(leaf->normal));
    couFloatW rest = couSubW(couSubW(couSetW(1.0f), v), w);
    couFloatW within = couMinW(couMinW(v, w), rest);
    couFloatW plane = couAddW(couMulW(height, height), couLoadW(leaf->flat));
    return least(couSelectW(couLessW(within, couSetW(0.0f)), edges, couMinW(plane, edges)));
}

static inline void box_distances2(const couTreeNode *node, Vec3W p, float *away2)
{
    Vec3W lower = load3(node->lower), upper = load3(node->upper);
    couFloatW zero = couSetW(0.0f);
    couFloatW x = couMaxW(couMaxW(couSubW(lower.x, p.x), couSubW(p.x, upper.x)), zero);
    couFloatW y = couMaxW(couMaxW(couSubW(lower.y, p.y), couSubW(p.y, upper.y)), zero);
    couFloatW z = couMaxW(couMaxW(couSubW(lower.z, p.z), couSubW(p.z, upper.z)), zero);
    couStoreW(away2, dot3((Vec3W){x, y, z}, (Vec3W){x, y, z}));
}

float COU_WIDE(couTreeDistance)(const couTriangleTree *tree, couVec3 point, uint32_t *leaf)
{
    Vec3W p = set3(point);
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
    Vec3W p = set3(point);
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
