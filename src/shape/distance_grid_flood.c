// The flood that tells outside from inside [Clavet 2005, thesis 6.1, step 3].
//
// An edge between neighbouring nodes is blocked when a triangle crosses it. Corners are whole numbers, so whether a grid line
// passes through the projection of a triangle is decided exactly, its rim included: a line through a shared edge is seen by both
// triangles, and a closed surface has no leaks, whatever the shape and the order of its triangles. Where on the line it crosses
// is rounded; a crossing within a millionth of a node blocks the edges on both sides of it.
//
// Only coarse cells that a triangle touches keep their nodes one by one; the others are all outside or all inside and are flooded
// as one. Cost: proportional to the surface; 20 ms for 70,000 triangles at 128 cells.
#include "shape/distance_grid_flood.h"

#include <stdatomic.h>

enum {
    patch_nodes = cou_blockCells * cou_blockCells * cou_blockCells,
    outside_bit = 8, // bits 0 to 2: the edge to the next node along x, y, z is blocked
    whole_cell = patch_nodes,
};
#define SNAP (1 << cou_snapBits)

static size_t cell_number(const couFlood *flood, int32_t x, int32_t y, int32_t z)
{
    return (size_t)x + (size_t)flood->count[0] * ((size_t)y + (size_t)flood->count[1] * (size_t)z);
}

static size_t cell_total(const couFlood *flood)
{
    return (size_t)flood->count[0] * (size_t)flood->count[1] * (size_t)flood->count[2];
}

// --- Patches -----------------------------------------------------------------------------------------------------------------

// Plane of a triangle, for a quick look at which coarse cells it misses.
typedef struct Plane {
    double normal[3], offset, reach; // a cell with its middle farther than `reach` from the plane is missed
} Plane;

static Plane make_plane(const couSnapped *a, const couSnapped *b, const couSnapped *c)
{
    double u[3], v[3];
    for (int axis = 0; axis < 3; ++axis) u[axis] = b->at[axis] - a->at[axis], v[axis] = c->at[axis] - a->at[axis];
    Plane plane = {{u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]}, 0.0, 0.0};
    for (int axis = 0; axis < 3; ++axis) {
        plane.offset += plane.normal[axis] * a->at[axis];
        plane.reach += fabs(plane.normal[axis]) * (0.51 * cou_blockCells * SNAP);
    }
    return plane;
}

// Marks the coarse cells that the triangle touches, their closed boxes a bit enlarged.
static void touch_cells(couFlood *flood, couPace *pace, const couSnapped *a, const couSnapped *b, const couSnapped *c)
{
    const int32_t side = cou_blockCells * SNAP, slack = SNAP / 64;
    int32_t lower[3], upper[3];
    for (int axis = 0; axis < 3; ++axis) {
        lower[axis] = (COU_MIN(a->at[axis], COU_MIN(b->at[axis], c->at[axis])) - slack) / side;
        upper[axis] = (COU_MAX(a->at[axis], COU_MAX(b->at[axis], c->at[axis])) + slack) / side;
    }
    Plane plane = make_plane(a, b, c);
    for (int32_t z = lower[2]; z <= upper[2] && !couPace_IsLate(pace); ++z)
        for (int32_t y = lower[1]; y <= upper[1]; ++y)
            for (int32_t x = lower[0]; x <= upper[0]; ++x) {
                double away = plane.normal[0] * ((x + 0.5) * side) + plane.normal[1] * ((y + 0.5) * side) +
                              plane.normal[2] * ((z + 0.5) * side) - plane.offset;
                if (fabs(away) <= plane.reach) flood->patch_index[cell_number(flood, x, y, z)] = 0;
            }
}

static void number_patches(couFlood *flood)
{
    for (size_t k = 0; k < cell_total(flood); ++k)
        if (flood->patch_index[k] >= 0) flood->patch_index[k] = (int32_t)flood->patch_count++;
}

// --- Blocked edges -----------------------------------------------------------------------------------------------------------

static size_t local_node(int32_t x, int32_t y, int32_t z)
{
    const int32_t mask = cou_blockCells - 1;
    return (size_t)((x & mask) + cou_blockCells * ((y & mask) + cou_blockCells * (z & mask)));
}

static void block_edge(couFlood *flood, const int32_t node[3], int axis)
{
    int32_t patch =
        flood->patch_index[cell_number(flood, node[0] / cou_blockCells, node[1] / cou_blockCells, node[2] / cou_blockCells)];
    COU_ASSERT(patch >= 0);
    if (patch < 0) return;
    _Atomic uint8_t *byte = &flood->patches[(size_t)patch * patch_nodes + local_node(node[0], node[1], node[2])];
    atomic_fetch_or_explicit(byte, (uint8_t)(1 << axis), memory_order_relaxed);
}

// Twice the area of (a, b, p) in the plane of the axes u and v.
static int64_t turn(const couSnapped *a, const couSnapped *b, const int64_t p[2], int u, int v)
{
    return ((int64_t)b->at[u] - a->at[u]) * (p[1] - a->at[v]) - ((int64_t)b->at[v] - a->at[v]) * (p[0] - a->at[u]);
}

// The edges along `axis` that the triangle crosses.
static void block_edges(couFlood *flood, const couSnapped *a, const couSnapped *b, const couSnapped *c, int axis)
{
    int u = (axis + 1) % 3, v = (axis + 2) % 3;
    int64_t area = turn(a, b, (int64_t[2]){c->at[u], c->at[v]}, u, v);
    if (area == 0) return; // seen edge-on; its neighbours block what it would
    int32_t first[2], last[2];
    for (int k = 0; k < 2; ++k) {
        int side = k == 0 ? u : v;
        first[k] = (COU_MIN(a->at[side], COU_MIN(b->at[side], c->at[side])) + SNAP - 1) / SNAP;
        last[k] = COU_MAX(a->at[side], COU_MAX(b->at[side], c->at[side])) / SNAP;
    }
    for (int32_t j = first[1]; j <= last[1]; ++j)
        for (int32_t i = first[0]; i <= last[0]; ++i) {
            const int64_t p[2] = {(int64_t)i * SNAP, (int64_t)j * SNAP};
            int64_t ab = turn(a, b, p, u, v), bc = turn(b, c, p, u, v), ca = turn(c, a, p, u, v);
            bool is_hit = area > 0 ? ab >= 0 && bc >= 0 && ca >= 0 : ab <= 0 && bc <= 0 && ca <= 0;
            if (!is_hit) continue;
            double height = ((double)bc * a->at[axis] + (double)ca * b->at[axis] + (double)ab * c->at[axis]) /
                            ((double)area * SNAP);
            int32_t node[3];
            node[u] = i, node[v] = j;
            // One edge, or both next to a node that is on the triangle.
            for (node[axis] = (int32_t)(height - 1e-6); node[axis] <= (int32_t)(height + 1e-6); ++node[axis])
                block_edge(flood, node, axis);
        }
}

typedef struct Blocking {
    couFlood *flood;
    couPace *pace;
    const uint32_t *triangles;
    const couSnapped *snapped;
} Blocking;

static void block_triangles(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)block, (void)worker;
    const Blocking *blocking = context;
    for (size_t t = begin; t < end; ++t) {
        const uint32_t *corner = &blocking->triangles[3 * t];
        for (int axis = 0; axis < 3 && !couPace_IsLate(blocking->pace); ++axis)
            block_edges(blocking->flood, &blocking->snapped[corner[0]], &blocking->snapped[corner[1]],
                        &blocking->snapped[corner[2]], axis);
    }
}

// --- The flood ---------------------------------------------------------------------------------------------------------------

// What is reached and not yet looked around from: cell * (patch_nodes + 1) + node, or whole_cell for a cell without a patch.
typedef struct Stack {
    uint64_t *items;
    size_t count, capacity;
    bool has_failed;
} Stack;

static void push(Stack *stack, size_t cell, size_t node)
{
    if (!COU_RESERVE(NULL, stack, stack->count + 1)) {
        stack->has_failed = true;
        return;
    }
    stack->items[stack->count++] = (uint64_t)cell * (patch_nodes + 1) + node;
}

static void reach_cell(couFlood *flood, Stack *stack, size_t cell)
{
    if (flood->is_cell_outside[cell]) return;
    flood->is_cell_outside[cell] = true;
    push(stack, cell, whole_cell);
}

static void reach_node(couFlood *flood, Stack *stack, size_t cell, size_t node)
{
    _Atomic uint8_t *byte = &flood->patches[(size_t)flood->patch_index[cell] * patch_nodes + node];
    uint8_t old = atomic_load_explicit(byte, memory_order_relaxed);
    if (old & outside_bit) return;
    atomic_store_explicit(byte, old | outside_bit, memory_order_relaxed);
    push(stack, cell, node);
}

static bool is_blocked(const couFlood *flood, size_t cell, size_t node, int axis)
{
    int32_t patch = flood->patch_index[cell];
    if (patch < 0) return false;
    return atomic_load_explicit(&flood->patches[(size_t)patch * patch_nodes + node], memory_order_relaxed) >> axis & 1;
}

// To the next node along an axis, unless the edge is blocked or leaves the grid.
static void step_node(couFlood *flood, Stack *stack, size_t cell, size_t node, int axis, int sign)
{
    static const size_t node_stride[3] = {1, cou_blockCells, cou_blockCells * cou_blockCells};
    size_t nx = (size_t)flood->count[0], ny = (size_t)flood->count[1];
    const size_t cell_stride[3] = {1, nx, nx * ny};
    const size_t cell_at[3] = {cell % nx, cell / nx % ny, cell / (nx * ny)};
    size_t local = node / node_stride[axis] % cou_blockCells;
    size_t next_cell = cell, next = node;
    if (sign > 0 ? local + 1 < cou_blockCells : local > 0) {
        next = sign > 0 ? node + node_stride[axis] : node - node_stride[axis];
    } else {
        if (sign > 0 ? cell_at[axis] + 1 == (size_t)flood->count[axis] : cell_at[axis] == 0) return;
        next_cell = sign > 0 ? cell + cell_stride[axis] : cell - cell_stride[axis];
        next = sign > 0 ? node - (cou_blockCells - 1) * node_stride[axis] : node + (cou_blockCells - 1) * node_stride[axis];
    }
    // The lower node of an edge knows whether it is blocked.
    if (sign > 0 ? is_blocked(flood, cell, node, axis) : is_blocked(flood, next_cell, next, axis)) return;
    if (flood->patch_index[next_cell] < 0)
        reach_cell(flood, stack, next_cell);
    else
        reach_node(flood, stack, next_cell, next);
}

// From a cell without a patch: to each node beyond its six sides.
static void leave_cell(couFlood *flood, Stack *stack, size_t cell)
{
    static const size_t node_stride[3] = {1, cou_blockCells, cou_blockCells * cou_blockCells};
    for (int axis = 0; axis < 3; ++axis) {
        size_t u = node_stride[(axis + 1) % 3], v = node_stride[(axis + 2) % 3];
        for (size_t k = 0; k < cou_blockCells * cou_blockCells; ++k) {
            size_t face = k % cou_blockCells * u + k / cou_blockCells * v;
            step_node(flood, stack, cell, face, axis, -1);
            step_node(flood, stack, cell, face + (cou_blockCells - 1) * node_stride[axis], axis, 1);
        }
    }
}

static bool spread(couFlood *flood)
{
    Stack stack = {0};
    if (flood->patch_index[0] < 0)
        reach_cell(flood, &stack, 0);
    else
        reach_node(flood, &stack, 0, 0);
    while (stack.count > 0) {
        uint64_t item = stack.items[--stack.count];
        size_t cell = (size_t)(item / (patch_nodes + 1)), node = (size_t)(item % (patch_nodes + 1));
        if (node == whole_cell) {
            leave_cell(flood, &stack, cell);
            continue;
        }
        for (int axis = 0; axis < 3; ++axis) {
            step_node(flood, &stack, cell, node, axis, -1);
            step_node(flood, &stack, cell, node, axis, 1);
        }
    }
    couFree(NULL, stack.items);
    return !stack.has_failed;
}

bool couFlood_Run(couFlood *flood, couPace *pace, const couParallel *parallel, const couMesh *mesh, const couSnapped *snapped,
                  const int32_t count[3])
{
    *flood = (couFlood){.count = {count[0], count[1], count[2]}};
    size_t cells = cell_total(flood);
    flood->patch_index = couAlloc(NULL, cells * sizeof *flood->patch_index);
    flood->is_cell_outside = couAlloc(NULL, cells * sizeof *flood->is_cell_outside);
    if (!flood->patch_index || !flood->is_cell_outside) return false;
    for (size_t k = 0; k < cells; ++k) flood->patch_index[k] = -1;
    const uint32_t *triangles = couMesh_Triangles(mesh);
    size_t triangle_count = couMesh_TriangleCount(mesh);
    for (size_t t = 0; t < triangle_count; ++t)
        touch_cells(flood, pace, &snapped[triangles[3 * t]], &snapped[triangles[3 * t + 1]], &snapped[triangles[3 * t + 2]]);
    number_patches(flood);
    flood->patches = couAlloc(NULL, flood->patch_count * patch_nodes);
    if (!flood->patches) return false;
    Blocking blocking = {flood, pace, triangles, snapped};
    return couPace_For(pace, parallel, triangle_count, 256, block_triangles, &blocking) && spread(flood);
}

void couFlood_Free(couFlood *flood)
{
    couFree(NULL, flood->patch_index);
    couFree(NULL, flood->is_cell_outside);
    couFree(NULL, (void *)flood->patches);
    *flood = (couFlood){0};
}

bool couFlood_IsOutside(const couFlood *flood, int32_t x, int32_t y, int32_t z)
{
    int32_t cx = x / cou_blockCells, cy = y / cou_blockCells, cz = z / cou_blockCells;
    if (cx >= flood->count[0] || cy >= flood->count[1] || cz >= flood->count[2]) return true;
    size_t cell = cell_number(flood, cx, cy, cz);
    int32_t patch = flood->patch_index[cell];
    if (patch < 0) return flood->is_cell_outside[cell];
    return atomic_load_explicit(&flood->patches[(size_t)patch * patch_nodes + local_node(x, y, z)], memory_order_relaxed) &
           outside_bit;
}
