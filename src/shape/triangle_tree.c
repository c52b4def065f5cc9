// A tree of boxes over triangles.
//
// Triangles are sorted along a Morton curve by their middles and taken eight by eight: into leaves, leaves into nodes, nodes into
// nodes. So the tree needs no pointers, and eight boxes or triangles are measured at a time (triangle_tree_wide.c).
#include "shape/triangle_tree.h"

// --- Build -------------------------------------------------------------------------------------------------------------------

typedef struct Key {
    uint64_t code;
    uint32_t triangle;
} Key;

static couBounds no_bounds(void) { return (couBounds){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}}; }

static void add_point(couBounds *bounds, couVec3 p)
{
    bounds->lower = (couVec3){COU_MIN(bounds->lower.x, p.x), COU_MIN(bounds->lower.y, p.y), COU_MIN(bounds->lower.z, p.z)};
    bounds->upper = (couVec3){COU_MAX(bounds->upper.x, p.x), COU_MAX(bounds->upper.y, p.y), COU_MAX(bounds->upper.z, p.z)};
}

static couVec3 middle(const couTriangle *t) { return couScale(1.0f / 3.0f, couAdd(t->a, couAdd(t->b, t->c))); }

// The 16 low bits of x, three places apart.
static uint64_t spread(uint64_t x)
{
    x &= 0xffff;
    x = (x | x << 16) & 0x0000ff0000ffu;
    x = (x | x << 8) & 0x00f00f00f00fu;
    x = (x | x << 4) & 0x0c30c30c30c3u;
    return (x | x << 2) & 0x249249249249u;
}

static void make_keys(const couTriangle *triangles, size_t count, Key *keys)
{
    couBounds bounds = no_bounds();
    for (size_t k = 0; k < count; ++k) add_point(&bounds, middle(&triangles[k]));
    couVec3 size = couSub(bounds.upper, bounds.lower);
    float scale = 65535.0f / COU_MAX(COU_MAX(size.x, size.y), COU_MAX(size.z, 1e-30f));
    for (size_t k = 0; k < count; ++k) {
        couVec3 p = couScale(scale, couSub(middle(&triangles[k]), bounds.lower));
        uint64_t code = spread((uint64_t)p.x) | spread((uint64_t)p.y) << 1 | spread((uint64_t)p.z) << 2;
        keys[k] = (Key){code, (uint32_t)k};
    }
}

// By digits of 12 bits, stable; the result is in `keys` again.
static void sort_keys(Key *keys, Key *scratch, size_t count)
{
    enum { digit_bits = 12, digits = 1 << digit_bits };
    for (int pass = 0; pass < 4; ++pass) {
        size_t start[digits] = {0}, sum = 0;
        for (size_t k = 0; k < count; ++k) ++start[keys[k].code >> (digit_bits * pass) & (digits - 1)];
        for (int d = 0; d < digits; ++d) {
            size_t here = start[d];
            start[d] = sum;
            sum += here;
        }
        for (size_t k = 0; k < count; ++k) scratch[start[keys[k].code >> (digit_bits * pass) & (digits - 1)]++] = keys[k];
        Key *swapped = keys;
        keys = scratch;
        scratch = swapped;
    }
}

static float inverse_square(const double e[3])
{
    double square = e[0] * e[0] + e[1] * e[1] + e[2] * e[2];
    return square > 0.0 ? (float)(1.0 / square) : 0.0f;
}

static double dot3(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

// In doubles, so that slivers have good normals too.
static void fill_lane(couTreeLeaf *leaf, int lane, const couTriangle *t)
{
    const double a[3] = {t->a.x, t->a.y, t->a.z};
    const double ab[3] = {t->b.x - a[0], t->b.y - a[1], t->b.z - a[2]};
    const double ac[3] = {t->c.x - a[0], t->c.y - a[1], t->c.z - a[2]};
    const double bc[3] = {ac[0] - ab[0], ac[1] - ab[1], ac[2] - ab[2]};
    const double n[3] = {ab[1] * ac[2] - ab[2] * ac[1], ab[2] * ac[0] - ab[0] * ac[2], ab[0] * ac[1] - ab[1] * ac[0]};
    double n2 = dot3(n, n), bb = dot3(ab, ab), cc = dot3(ac, ac), bc2 = dot3(ab, ac);
    bool has_area = n2 > 1e-24 * bb * cc;
    double inv_n = has_area ? 1.0 / sqrt(n2) : 0.0, inv_n2 = has_area ? 1.0 / n2 : 0.0;
    for (int axis = 0; axis < 3; ++axis) {
        leaf->a[axis][lane] = (float)a[axis];
        leaf->ab[axis][lane] = (float)ab[axis];
        leaf->ac[axis][lane] = (float)ac[axis];
        leaf->to_v[axis][lane] = (float)((cc * ab[axis] - bc2 * ac[axis]) * inv_n2);
        leaf->to_w[axis][lane] = (float)((bb * ac[axis] - bc2 * ab[axis]) * inv_n2);
        leaf->normal[axis][lane] = (float)(n[axis] * inv_n);
    }
    leaf->inv_ab2[lane] = inverse_square(ab);
    leaf->inv_ac2[lane] = inverse_square(ac);
    leaf->inv_bc2[lane] = inverse_square(bc);
    leaf->flat[lane] = has_area ? 0.0f : INFINITY;
}

static void set_child(couTreeNode *node, int child, const couBounds *bounds)
{
    const float lower[3] = {bounds->lower.x, bounds->lower.y, bounds->lower.z};
    const float upper[3] = {bounds->upper.x, bounds->upper.y, bounds->upper.z};
    for (int axis = 0; axis < 3; ++axis) node->lower[axis][child] = lower[axis], node->upper[axis][child] = upper[axis];
}

static couBounds node_bounds(const couTreeNode *node)
{
    couBounds bounds = no_bounds();
    for (int k = 0; k < COU_WIDTH; ++k) {
        if (node->lower[0][k] > node->upper[0][k]) continue;
        add_point(&bounds, (couVec3){node->lower[0][k], node->lower[1][k], node->lower[2][k]});
        add_point(&bounds, (couVec3){node->upper[0][k], node->upper[1][k], node->upper[2][k]});
    }
    return bounds;
}

// How many nodes of each level, and where they start; returns how many in all.
static size_t lay_out(couTriangleTree *tree)
{
    size_t total = 0, below = tree->leaf_count;
    do {
        tree->level_start[tree->level_count++] = total;
        below = (below + COU_WIDTH - 1) / COU_WIDTH;
        total += below;
    } while (below > 1);
    tree->level_start[tree->level_count] = total;
    return total;
}

// Leaves and their boxes, then the levels above.
static void fill(couTriangleTree *tree, const couTriangle *triangles, const Key *keys, size_t count)
{
    const couBounds none = no_bounds();
    for (size_t n = 0; n < tree->level_start[tree->level_count]; ++n)
        for (int k = 0; k < COU_WIDTH; ++k) set_child(&tree->nodes[n], k, &none);
    for (size_t l = 0; l < tree->leaf_count; ++l) {
        couBounds bounds = none;
        for (int lane = 0; lane < COU_WIDTH; ++lane) {
            // The last leaf is filled up with its last triangle.
            const couTriangle *t = &triangles[keys[COU_MIN(COU_WIDTH * l + (size_t)lane, count - 1)].triangle];
            fill_lane(&tree->leaves[l], lane, t);
            add_point(&bounds, t->a), add_point(&bounds, t->b), add_point(&bounds, t->c);
        }
        set_child(&tree->nodes[l / COU_WIDTH], (int)(l % COU_WIDTH), &bounds);
    }
    for (int level = 1; level < tree->level_count; ++level) {
        size_t below = tree->level_start[level - 1], here = tree->level_start[level];
        for (size_t n = 0; n < here - below; ++n) {
            couBounds bounds = node_bounds(&tree->nodes[below + n]);
            set_child(&tree->nodes[here + n / COU_WIDTH], (int)(n % COU_WIDTH), &bounds);
        }
    }
}

bool couTriangleTree_Build(couTriangleTree *tree, const couTriangle *triangles, size_t count)
{
    COU_ASSERT(count > 0);
    static couTreeDistanceFcn *const distance_variants[cou_isaCount] = COU_VARIANTS(couTreeDistance);
    static couTreeNearbyFcn *const nearby_variants[cou_isaCount] = COU_VARIANTS(couTreeNearby);
    *tree = (couTriangleTree){.leaf_count = (count + COU_WIDTH - 1) / COU_WIDTH,
                              .distance = distance_variants[couBestIsa()],
                              .nearby = nearby_variants[couBestIsa()]};
    size_t node_count = lay_out(tree);
    Key *keys = couAlloc(NULL, 2 * count * sizeof *keys);
    tree->leaves = couAlloc(NULL, tree->leaf_count * sizeof *tree->leaves);
    tree->nodes = couAlloc(NULL, node_count * sizeof *tree->nodes);
    bool is_good = keys && tree->leaves && tree->nodes;
    if (is_good) {
        make_keys(triangles, count, keys);
        sort_keys(keys, keys + count, count);
        fill(tree, triangles, keys, count);
    } else {
        couTriangleTree_Free(tree);
    }
    couFree(NULL, keys);
    return is_good;
}

void couTriangleTree_Free(couTriangleTree *tree)
{
    couFree(NULL, tree->leaves);
    couFree(NULL, tree->nodes);
    *tree = (couTriangleTree){0};
}

// --- Queries -----------------------------------------------------------------------------------------------------------------

float couTriangleTree_Distance(const couTriangleTree *tree, couVec3 point, uint32_t *leaf)
{
    return tree->distance(tree, point, leaf);
}

float couTriangleTree_NearbyDistance(const couTriangleTree *tree, couVec3 point, float nearest, uint32_t *leaf)
{
    return tree->nearby(tree, point, nearest, leaf);
}

// --- Segments ----------------------------------------------------------------------------------------------------------------

static bool leaf_blocks(const couTreeLeaf *leaf, couVec3 from, couVec3 to)
{
    for (int k = 0; k < COU_WIDTH; ++k) {
        couVec3 a = {leaf->a[0][k], leaf->a[1][k], leaf->a[2][k]};
        couVec3 normal = {leaf->normal[0][k], leaf->normal[1][k], leaf->normal[2][k]};
        float start = couDot(normal, couSub(from, a)), end = couDot(normal, couSub(to, a));
        if (!(start * end <= 0.0f) || start == end) continue;
        float t = start / (start - end);
        if (t > 0.999f) continue;
        couVec3 d = couSub(couMulAdd(from, t, couSub(to, from)), a);
        float v = leaf->to_v[0][k] * d.x + leaf->to_v[1][k] * d.y + leaf->to_v[2][k] * d.z;
        float w = leaf->to_w[0][k] * d.x + leaf->to_w[1][k] * d.y + leaf->to_w[2][k] * d.z;
        if (v >= 0.0f && w >= 0.0f && v + w <= 1.0f) return true;
    }
    return false;
}

bool couTriangleTree_Blocks(const couTriangleTree *tree, couVec3 from, couVec3 to)
{
    couBounds reach = no_bounds();
    add_point(&reach, from), add_point(&reach, to);
    couTreeVisit stack[COU_TREE_STACK];
    int depth = 0;
    stack[depth++] = (couTreeVisit){0.0f, tree->level_count - 1, 0};
    while (depth > 0) {
        couTreeVisit visit = stack[--depth];
        if (visit.level < 0) {
            if (leaf_blocks(&tree->leaves[visit.index], from, to)) return true;
            continue;
        }
        const couTreeNode *node = &tree->nodes[tree->level_start[visit.level] + visit.index];
        for (uint32_t k = 0; k < COU_WIDTH; ++k) {
            bool is_apart = node->lower[0][k] > reach.upper.x || node->upper[0][k] < reach.lower.x ||
                            node->lower[1][k] > reach.upper.y || node->upper[1][k] < reach.lower.y ||
                            node->lower[2][k] > reach.upper.z || node->upper[2][k] < reach.lower.z;
            if (!is_apart) stack[depth++] = (couTreeVisit){0.0f, visit.level - 1, COU_WIDTH * visit.index + k};
        }
    }
    return false;
}
