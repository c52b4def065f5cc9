// How distance grids are made [Clavet 2005, thesis 6.1].
//
// The thesis takes the distance near the triangles, sweeps it to the rest of the grid, floods from outside, and recomputes what
// the flood did not reach from the outside cells alone. Here a tree gives the exact distance at any node, and only nodes that
// are kept are measured:
//   1. corners are moved to a fine raster (2^-16 cells), so that the flood (distance_grid_flood.c) has no leaks;
//   2. the flood tells which nodes are outside;
//   3. the outer surface is what outside nodes see. Triangles are divided into pieces until all of a piece is seen or not, at
//      most down to a quarter of a cell. Inner polygons, walls between parts and what lies in another part are dropped, so that
//      the field inside leads out;
//   4. nodes outside get the distance to all triangles, nodes inside that to the outer surface: every fourth node along each axis
//      (the lattice), and all that are closer than 6 cells, by a search in the tree. Farther away that is slow, since hundreds of
//      triangles are nearly as far as the nearest; there nodes look at the triangles that were nearest to nodes around them,
//      first halving the lattice twice, then in two sweeps through each block, and are searched for only where the result cannot
//      be; they are off by a few hundredths of a cell, rarely by more than a tenth;
//   5. a coarse cell keeps fine samples (a block) within 4 cells of the surface, and where interpolating its corners is off by
//      more than 0.3 cells at any of its 27 lattice nodes, as at the middle of the solid.
//
// Off by at most half a cell everywhere, but 0.87 cells where all directions meet, as at the middle of a ball. The interpolated
// distance changes by at most sqrt(3) along each way where samples are exact, close to the surface; far from it the error is what
// bounds a free step.
// Parts thinner than a cell have no node inside: they are felt as a distance that goes to zero but not below.
//
// A block is made from the lattice alone, and what is on a side of it from that side alone, so any number of threads gives the
// same bits. Cost: 70,000 triangles at 128 cells take 2 s of processor time, of which the two kinds of search are nine tenths;
// see the benchmark "distance-grid". Every block measured by searches in the tree took eight times as long. Triangles on top of
// each other are nearly as far from everywhere, and each looks at all others: what is there more than once is taken once, and
// what still takes much longer than a grid of its size does is given up.
#include "base/parallel.h"
#include "shape/distance_grid.h"
#include "shape/distance_grid_flood.h"
#include "shape/mesh_inspect.h"
#include "shape/pace.h"
#include "shape/triangle_tree.h"

#define DEFAULT_BYTES ((size_t)256 << 20)
#define BEND 0.3f               // how far a coarse cell may be off [fine cells]
#define LATTICE 4               // fine cells between the nodes that it is looked at
#define LATTICE_REACH 3.47f     // how far a point can be from them [fine cells]: half the diagonal of a cube of 4
#define NEAR 6.0f               // nodes nearer than this to the surface are exact [fine cells]
#define PIECE 2.0f              // longest side of a piece that is looked at as a whole [fine cells]
#define SMALLEST_PIECE 0.25f    // and of one that is not divided further
#define SECONDS_PER_BYTE 0.2e-6 // what a grid takes on one core, about
#define PATIENCE 10.0           // how many times that, for slow and busy machines
#define LEAST_SECONDS 30.0      // and at least this

typedef enum Seen { seen_none, seen_part, seen_all } Seen;

typedef struct Build {
    couMesh *mesh; // without copies of triangles
    couPace pace;
    couParallel parallel;
    couVec3 origin;
    float cell;
    int32_t count[3]; // coarse cells along each axis
    couSnapped *snapped;
    couTriangle *triangles; // in fine cells from the origin
    size_t triangle_count;
    couFlood flood;
    couTriangleTree all, outer; // `outer` is empty when it is the same as `all`
    bool has_inner;             // some triangle is not on the outer surface
    uint8_t *seen;              // Seen of each triangle
    float *lattice;             // signed distances at every fourth node [fine cells]
    uint32_t *lattice_leaf;     // where they were found
    size_t lattice_count[3];
    int32_t *block_index; // of each coarse cell
    uint32_t *block_cell; // of each block
    size_t block_count;
} Build;

static size_t cell_total(const int32_t count[3]) { return (size_t)count[0] * (size_t)count[1] * (size_t)count[2]; }

static void free_build(Build *build)
{
    couFree(NULL, build->snapped);
    couFree(NULL, build->triangles);
    couFree(NULL, build->seen);
    couFree(NULL, build->lattice);
    couFree(NULL, build->lattice_leaf);
    couFree(NULL, build->block_index);
    couFree(NULL, build->block_cell);
    couFlood_Free(&build->flood);
    couTriangleTree_Free(&build->all);
    couTriangleTree_Free(&build->outer);
    build->snapped = NULL, build->triangles = NULL, build->seen = NULL, build->lattice = NULL, build->lattice_leaf = NULL;
    build->block_index = NULL, build->block_cell = NULL;
    build->block_count = 0;
    build->has_inner = false;
}

// --- The frame ---------------------------------------------------------------------------------------------------------------

static double mesh_area(const couMesh *mesh)
{
    const couVec3 *vertices = couMesh_Vertices(mesh);
    const uint32_t *corner = couMesh_Triangles(mesh);
    double area = 0.0;
    for (size_t t = 0; t < couMesh_TriangleCount(mesh); ++t, corner += 3) {
        couVec3 a = vertices[corner[0]];
        area += 0.5 * couLength(couCross(couSub(vertices[corner[1]], a), couSub(vertices[corner[2]], a)));
    }
    return area;
}

// How many coarse cells along each axis hold the mesh and its margin, the mesh in their middle.
static void set_frame(Build *build)
{
    couBounds bounds = couMesh_Bounds(build->mesh);
    const double lower[3] = {bounds.lower.x, bounds.lower.y, bounds.lower.z};
    const double upper[3] = {bounds.upper.x, bounds.upper.y, bounds.upper.z};
    float origin[3];
    for (int axis = 0; axis < 3; ++axis) {
        double cells = (upper[axis] - lower[axis]) / build->cell + 2.0 * cou_gridMinMargin;
        build->count[axis] = (int32_t)fmin(ceil(cells / cou_blockCells), 1e6);
        origin[axis] = (float)(0.5 * (lower[axis] + upper[axis]) - 0.5 * build->count[axis] * cou_blockCells * build->cell);
    }
    build->origin = (couVec3){origin[0], origin[1], origin[2]};
}

// Of the blocks that the surface passes through; there may be as many again on either side of them.
static double surface_bytes(const Build *build, double area)
{
    double side = (double)build->cell * cou_blockCells;
    return area / (side * side) * cou_blockSamples * sizeof(float);
}

// Whether a grid of this cell can be made at all, and is likely to fit: the blocks that the surface passes through are known.
static bool is_likely(const Build *build, double area, size_t max_bytes)
{
    couBounds bounds = couMesh_Bounds(build->mesh);
    float farthest = 0.0f;
    const float sides[6] = {bounds.lower.x, bounds.lower.y, bounds.lower.z, bounds.upper.x, bounds.upper.y, bounds.upper.z};
    for (int k = 0; k < 6; ++k) farthest = COU_MAX(farthest, fabsf(sides[k]));
    if (!(build->cell > 1e-6f * farthest)) return false; // floats could not tell its nodes apart
    double coarse = 1.0;
    for (int axis = 0; axis < 3; ++axis) {
        if (build->count[axis] > cou_gridMaxCells / cou_blockCells) return false;
        coarse *= build->count[axis];
    }
    return surface_bytes(build, area) + 8.0 * coarse <= (double)max_bytes;
}

static bool place_triangles(Build *build)
{
    size_t vertex_count = couMesh_VertexCount(build->mesh);
    build->triangle_count = couMesh_TriangleCount(build->mesh);
    build->snapped = couAlloc(NULL, vertex_count * sizeof *build->snapped);
    build->triangles = couAlloc(NULL, build->triangle_count * sizeof *build->triangles);
    if (!build->snapped || !build->triangles) return false;
    const couVec3 *vertices = couMesh_Vertices(build->mesh);
    const double scale = (double)(1 << cou_snapBits) / build->cell;
    for (size_t v = 0; v < vertex_count; ++v) {
        const double at[3] = {(double)vertices[v].x - build->origin.x, (double)vertices[v].y - build->origin.y,
                              (double)vertices[v].z - build->origin.z};
        // A vertex that no triangle uses may be anywhere.
        for (int axis = 0; axis < 3; ++axis)
            build->snapped[v].at[axis] = (int32_t)lrint(COU_CLAMP(at[axis] * scale, 0.0, 0x1p30));
    }
    const uint32_t *corner = couMesh_Triangles(build->mesh);
    for (size_t t = 0; t < build->triangle_count; ++t) {
        couVec3 p[3];
        for (int k = 0; k < 3; ++k) {
            const int32_t *at = build->snapped[*corner++].at;
            const float unit = 1.0f / (1 << cou_snapBits);
            p[k] = (couVec3){(float)at[0] * unit, (float)at[1] * unit, (float)at[2] * unit};
        }
        build->triangles[t] = (couTriangle){p[0], p[1], p[2]};
    }
    return true;
}

// --- The outer surface -------------------------------------------------------------------------------------------------------

// Whether an outside node of the cells [first, first + size] sees the point.
static bool is_seen_from(const Build *build, couVec3 point, int32_t first, int32_t size)
{
    int32_t x0 = (int32_t)point.x + first, y0 = (int32_t)point.y + first, z0 = (int32_t)point.z + first;
    for (int32_t z = z0; z <= z0 + size; ++z)
        for (int32_t y = y0; y <= y0 + size; ++y)
            for (int32_t x = x0; x <= x0 + size; ++x) {
                if (!couFlood_IsOutside(&build->flood, x, y, z)) continue;
                if (!couTriangleTree_Blocks(&build->all, (couVec3){(float)x, (float)y, (float)z}, point)) return true;
            }
    return false;
}

// From the corners of its cell, else from those around.
static bool is_seen(const Build *build, couVec3 point)
{
    return is_seen_from(build, point, 0, 1) || is_seen_from(build, point, -1, 3);
}

static void divide(const couTriangle *t, couTriangle parts[4])
{
    couVec3 ab = couScale(0.5f, couAdd(t->a, t->b)), bc = couScale(0.5f, couAdd(t->b, t->c)),
            ca = couScale(0.5f, couAdd(t->c, t->a));
    parts[0] = (couTriangle){t->a, ab, ca};
    parts[1] = (couTriangle){ab, t->b, bc};
    parts[2] = (couTriangle){ca, bc, t->c};
    parts[3] = (couTriangle){ab, bc, ca};
}

static float longest_side(const couTriangle *t)
{
    couVec3 ab = couSub(t->b, t->a), bc = couSub(t->c, t->b), ca = couSub(t->a, t->c);
    return sqrtf(COU_MAX(couDot(ab, ab), COU_MAX(couDot(bc, bc), couDot(ca, ca))));
}

// A piece is judged by its middle and by points near its corners, and divided further where they differ; the smallest by the
// middle alone.
static Seen look_at(Build *build, const couTriangle *t)
{
    float longest = longest_side(t);
    if (couPace_IsLate(&build->pace)) return seen_none;
    if (longest <= PIECE) {
        couVec3 middle = couScale(1.0f / 3.0f, couAdd(t->a, couAdd(t->b, t->c)));
        Seen seen = is_seen(build, middle) ? seen_all : seen_none;
        if (longest <= SMALLEST_PIECE) return seen;
        const couVec3 corners[3] = {t->a, t->b, t->c};
        bool is_alike = true;
        for (int k = 0; k < 3 && is_alike; ++k)
            is_alike = is_seen(build, couMulAdd(corners[k], 0.1f, couSub(middle, corners[k]))) == (seen == seen_all);
        if (is_alike) return seen;
    }
    couTriangle parts[4];
    divide(t, parts);
    Seen first = look_at(build, &parts[0]);
    for (int k = 1; k < 4 && first != seen_part; ++k)
        if (look_at(build, &parts[k]) != first) return seen_part;
    return first;
}

static void look_at_triangles(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)block, (void)worker;
    Build *build = context;
    for (size_t t = begin; t < end; ++t) build->seen[t] = (uint8_t)look_at(build, &build->triangles[t]);
}

typedef struct Pieces {
    couTriangle *items;
    size_t count, capacity;
    bool has_failed;
} Pieces;

static void add_piece(Pieces *pieces, const couTriangle *t)
{
    if (COU_RESERVE(NULL, pieces, pieces->count + 1))
        pieces->items[pieces->count++] = *t;
    else
        pieces->has_failed = true;
}

static void add_seen_pieces(Build *build, Pieces *pieces, const couTriangle *t, Seen seen)
{
    if (seen == seen_all) add_piece(pieces, t);
    if (seen != seen_part) return;
    couTriangle parts[4];
    divide(t, parts);
    for (int k = 0; k < 4; ++k) add_seen_pieces(build, pieces, &parts[k], look_at(build, &parts[k]));
}

static bool find_outer_surface(Build *build)
{
    build->seen = couAlloc(NULL, build->triangle_count);
    if (!build->seen) return false;
    if (!couPace_For(&build->pace, &build->parallel, build->triangle_count, 64, look_at_triangles, build)) return false;
    for (size_t t = 0; t < build->triangle_count; ++t) build->has_inner |= build->seen[t] != seen_all;
    if (!build->has_inner) return true;
    Pieces pieces = {0};
    for (size_t t = 0; t < build->triangle_count; ++t)
        add_seen_pieces(build, &pieces, &build->triangles[t], (Seen)build->seen[t]);
    if (couPace_IsLate(&build->pace)) pieces.has_failed = true;
    // Nothing is seen of a mesh whose every wall is thinner than the raster of its corners.
    if (pieces.count == 0) build->has_inner = false;
    bool is_good = !pieces.has_failed && (pieces.count == 0 || couTriangleTree_Build(&build->outer, pieces.items, pieces.count));
    couFree(NULL, pieces.items);
    return is_good;
}

// --- Samples -----------------------------------------------------------------------------------------------------------------

// A signed distance [fine cells] and the leaf of the nearest triangle: of `all` or, inside a mesh with inner triangles, of
// `outer`. A node on the surface is not outside: -0.
typedef struct Sample {
    float value;
    uint32_t leaf;
} Sample;

static const couTriangleTree *tree_of(const Build *build, bool is_outside)
{
    return is_outside || !build->has_inner ? &build->all : &build->outer;
}

// Exact. The hint is a sample close by; one of another tree says nothing, one of the other side only where both have one tree.
static Sample measure(const Build *build, couVec3 p, bool is_outside, Sample hint)
{
    const couTriangleTree *tree = tree_of(build, is_outside);
    uint32_t leaf = tree_of(build, !signbit(hint.value)) == tree ? hint.leaf : 0;
    float distance = couTriangleTree_Distance(tree, p, &leaf);
    return (Sample){is_outside ? distance : -distance, leaf};
}

// One row of the lattice per item.
static void measure_lattice(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)block, (void)worker;
    Build *build = context;
    size_t nx = build->lattice_count[0], ny = build->lattice_count[1];
    for (size_t row = begin; row < end; ++row) {
        Sample sample = {0};
        for (size_t column = 0; column < nx && !couPace_IsLate(&build->pace); ++column) {
            int32_t x = LATTICE * (int32_t)column, y = LATTICE * (int32_t)(row % ny), z = LATTICE * (int32_t)(row / ny);
            sample = measure(build, (couVec3){(float)x, (float)y, (float)z}, couFlood_IsOutside(&build->flood, x, y, z), sample);
            build->lattice[row * nx + column] = sample.value;
            build->lattice_leaf[row * nx + column] = sample.leaf;
        }
    }
}

static const float *lattice_corner(const Build *build, size_t cell)
{
    size_t nx = (size_t)build->count[0], ny = (size_t)build->count[1];
    size_t x = cell % nx, y = cell / nx % ny, z = cell / (nx * ny);
    return build->lattice + 2 * x + build->lattice_count[0] * (2 * y + build->lattice_count[1] * 2 * z);
}

static float mix(float a, float b, float t) { return a + t * (b - a); }

// What a coarse cell without a block gives at (u, v, w), each 0 to 1.
static float coarse_value(const Build *build, size_t cell, float u, float v, float w)
{
    const float *s = lattice_corner(build, cell);
    size_t dx = 2, dy = 2 * build->lattice_count[0], dz = 2 * build->lattice_count[0] * build->lattice_count[1];
    float front = mix(mix(s[0], s[dx], u), mix(s[dy], s[dx + dy], u), v);
    float back = mix(mix(s[dz], s[dz + dx], u), mix(s[dz + dy], s[dz + dx + dy], u), v);
    return mix(front, back, w);
}

static bool needs_block(const Build *build, size_t cell)
{
    const float *s = lattice_corner(build, cell);
    size_t dy = build->lattice_count[0], dz = dy * build->lattice_count[1];
    for (size_t k = 0; k < 27; ++k) {
        size_t x = k % 3, y = k / 3 % 3, z = k / 9;
        float value = s[x + dy * y + dz * z];
        if (fabsf(value) < cou_gridBand + LATTICE_REACH) return true;
        if (fabsf(value - coarse_value(build, cell, 0.5f * (float)x, 0.5f * (float)y, 0.5f * (float)z)) > BEND) return true;
    }
    return false;
}

static bool choose_blocks(Build *build)
{
    for (int axis = 0; axis < 3; ++axis) build->lattice_count[axis] = 2 * (size_t)build->count[axis] + 1;
    size_t rows = build->lattice_count[1] * build->lattice_count[2], cells = cell_total(build->count);
    build->lattice = couAlloc(NULL, rows * build->lattice_count[0] * sizeof(float));
    build->lattice_leaf = couAlloc(NULL, rows * build->lattice_count[0] * sizeof(uint32_t));
    build->block_index = couAlloc(NULL, cells * sizeof *build->block_index);
    build->block_cell = couAlloc(NULL, cells * sizeof *build->block_cell);
    if (!build->lattice || !build->lattice_leaf || !build->block_index || !build->block_cell) return false;
    if (!couPace_For(&build->pace, &build->parallel, rows, 8, measure_lattice, build)) return false;
    for (size_t cell = 0; cell < cells; ++cell) {
        build->block_index[cell] = -1;
        if (!needs_block(build, cell)) continue;
        build->block_index[cell] = (int32_t)build->block_count;
        build->block_cell[build->block_count++] = (uint32_t)cell;
    }
    return true;
}

// --- Blocks ------------------------------------------------------------------------------------------------------------------

// A cell without a block that shares the node (x, y, z), 0 to 8 within the block of the cell at `at`; false when there is none.
static bool find_plain_neighbor(const Build *build, const int32_t at[3], const int32_t node[3], int32_t found[3])
{
    int32_t low[3], high[3];
    for (int axis = 0; axis < 3; ++axis) {
        low[axis] = node[axis] == 0 ? COU_MAX(at[axis] - 1, 0) : at[axis];
        high[axis] = node[axis] == cou_blockCells ? COU_MIN(at[axis] + 1, build->count[axis] - 1) : at[axis];
    }
    for (int32_t z = low[2]; z <= high[2]; ++z)
        for (int32_t y = low[1]; y <= high[1]; ++y)
            for (int32_t x = low[0]; x <= high[0]; ++x) {
                size_t cell = (size_t)x + (size_t)build->count[0] * ((size_t)y + (size_t)build->count[1] * (size_t)z);
                if (build->block_index[cell] >= 0) continue;
                found[0] = x, found[1] = y, found[2] = z;
                return true;
            }
    return false;
}

// A block at work.
typedef struct Block {
    const Build *build;
    int32_t at[3];                     // its coarse cell
    Sample samples[cou_blockSamples];  // x fastest
    bool is_outside[cou_blockSamples]; // what the flood says
} Block;

static const int32_t node_stride[3] = {1, cou_blockSide, cou_blockSide *cou_blockSide};

static couVec3 node_place(const Block *block, const int32_t node[3])
{
    return (couVec3){(float)(cou_blockCells * block->at[0] + node[0]), (float)(cou_blockCells * block->at[1] + node[1]),
                     (float)(cou_blockCells * block->at[2] + node[2])};
}

// Takes over a leaf from around that of another node of the block where it is nearer. `last`: the family of leaves that was
// looked at last, UINT32_MAX before the first.
static void try_leaf(const Block *block, couVec3 p, bool is_outside, const Sample *other, Sample *best, uint32_t *last)
{
    const couTriangleTree *tree = tree_of(block->build, is_outside);
    uint32_t family = other->leaf / COU_WIDTH;
    if (family == best->leaf / COU_WIDTH || family == *last) return; // looked at already
    if (tree_of(block->build, !signbit(other->value)) != tree) return;
    *last = family;
    uint32_t leaf = other->leaf;
    float distance = couTriangleTree_NearbyDistance(tree, p, fabsf(best->value), &leaf);
    if (distance < fabsf(best->value)) *best = (Sample){is_outside ? distance : -distance, leaf};
}

// The nodes of the lattice within the block.
static void take_lattice(Block *block)
{
    const Build *build = block->build;
    const float *corner = lattice_corner(
        build,
        (size_t)block->at[0] + (size_t)build->count[0] * ((size_t)block->at[1] + (size_t)build->count[1] * (size_t)block->at[2]));
    for (size_t k = 0; k < 27; ++k) {
        size_t x = k % 3, y = k / 3 % 3, z = k / 9;
        size_t from = (size_t)(corner - build->lattice) + x + build->lattice_count[0] * (y + build->lattice_count[1] * z);
        size_t to = LATTICE * (x + cou_blockSide * (y + cou_blockSide * z));
        block->samples[to] = (Sample){build->lattice[from], build->lattice_leaf[from]};
    }
}

// A node in the middle between nodes that are known, `spacing` away along each axis on which it is between any: the nearest of
// their leaves, and from there the exact distance when the surface is close.
static void refine_node(Block *block, const int32_t node[3], int32_t spacing)
{
    int32_t center = node[0] + cou_blockSide * (node[1] + cou_blockSide * node[2]);
    int32_t reach[3];
    for (int axis = 0; axis < 3; ++axis) reach[axis] = node[axis] / spacing % 2 == 1 ? spacing * node_stride[axis] : 0;
    couVec3 p = node_place(block, node);
    bool is_outside = block->is_outside[center];
    Sample best = {is_outside ? INFINITY : -INFINITY, UINT32_MAX};
    uint32_t last = UINT32_MAX;
    for (int k = 0; k < 8; ++k) {
        if ((!reach[0] && k & 1) || (!reach[1] && k & 2) || (!reach[2] && k & 4)) continue;
        int32_t other = center + (k & 1 ? reach[0] : -reach[0]) + (k & 2 ? reach[1] : -reach[1]) + (k & 4 ? reach[2] : -reach[2]);
        try_leaf(block, p, is_outside, &block->samples[other], &best, &last);
    }
    bool is_known = best.leaf != UINT32_MAX;
    if (!is_known) best.leaf = 0;
    if (!is_known || fabsf(best.value) <= NEAR) best = measure(block->build, p, is_outside, best);
    block->samples[center] = best;
}

static void refine(Block *block, int32_t spacing)
{
    int32_t node[3];
    for (node[2] = 0; node[2] <= cou_blockCells; node[2] += spacing)
        for (node[1] = 0; node[1] <= cou_blockCells; node[1] += spacing)
            for (node[0] = 0; node[0] <= cou_blockCells; node[0] += spacing)
                if ((node[0] | node[1] | node[2]) & spacing) refine_node(block, node, spacing);
}

// Each node looks at the leaves of its neighbours on one side, along the axes on which it is not on a side of the block: what is
// on a side then depends on that side alone and is the same for both blocks there.
static void sweep(Block *block, int32_t direction)
{
    for (int32_t k = 0; k < cou_blockSamples; ++k) {
        int32_t center = direction > 0 ? k : cou_blockSamples - 1 - k;
        Sample *sample = &block->samples[center];
        if (fabsf(sample->value) <= NEAR) continue; // exact
        const int32_t node[3] = {center % cou_blockSide, center / cou_blockSide % cou_blockSide,
                                 center / (cou_blockSide * cou_blockSide)};
        couVec3 p = node_place(block, node);
        uint32_t last = UINT32_MAX;
        for (int axis = 0; axis < 3; ++axis) {
            if (node[axis] == 0 || node[axis] == cou_blockCells) continue;
            try_leaf(block, p, block->is_outside[center], &block->samples[center - direction * node_stride[axis]], sample, &last);
        }
    }
}

// Distances of neighbours differ by a cell at most; where a node is farther off, as in hollows under a bumpy surface, it is
// searched for after all.
static void mend(Block *block)
{
    for (int32_t center = 0; center < cou_blockSamples; ++center) {
        const int32_t node[3] = {center % cou_blockSide, center / cou_blockSide % cou_blockSide,
                                 center / (cou_blockSide * cou_blockSide)};
        Sample *sample = &block->samples[center];
        float least = fabsf(sample->value);
        if (least <= NEAR) continue;
        for (int axis = 0; axis < 3; ++axis) {
            if (node[axis] == 0 || node[axis] == cou_blockCells) continue;
            least = COU_MIN(least, fabsf(block->samples[center - node_stride[axis]].value));
            least = COU_MIN(least, fabsf(block->samples[center + node_stride[axis]].value));
        }
        if (fabsf(sample->value) > least + 1.0f)
            *sample = measure(block->build, node_place(block, node), block->is_outside[center], *sample);
    }
}

// Next to a cell without a block a node takes the value that that cell has there, so that the field is continuous; it is known to
// be off by little.
static void join_neighbors(Block *block)
{
    const Build *build = block->build;
    const float inv = 1.0f / cou_blockCells;
    for (int32_t k = 0; k < cou_blockSamples; ++k) {
        const int32_t node[3] = {k % cou_blockSide, k / cou_blockSide % cou_blockSide, k / (cou_blockSide * cou_blockSide)};
        int32_t plain[3];
        bool is_on_side = false;
        for (int axis = 0; axis < 3; ++axis) is_on_side |= node[axis] == 0 || node[axis] == cou_blockCells;
        if (!is_on_side || !find_plain_neighbor(build, block->at, node, plain)) continue;
        size_t cell = (size_t)plain[0] +
                      (size_t)build->count[0] * ((size_t)plain[1] + (size_t)build->count[1] * (size_t)plain[2]);
        float local[3];
        for (int axis = 0; axis < 3; ++axis)
            local[axis] = inv * (float)(node[axis] + cou_blockCells * (block->at[axis] - plain[axis]));
        block->samples[k].value = coarse_value(build, cell, local[0], local[1], local[2]);
    }
}

typedef struct Filling {
    Build *build;
    float *blocks;
} Filling;

static void fill_blocks(void *context, int block_number, size_t begin, size_t end, int worker)
{
    (void)block_number, (void)worker;
    const Filling *filling = context;
    Build *build = filling->build;
    for (size_t b = begin; b < end && !couPace_IsLate(&build->pace); ++b) {
        int32_t cell = (int32_t)build->block_cell[b], nx = build->count[0], ny = build->count[1];
        Block block = {.build = build, .at = {cell % nx, cell / nx % ny, cell / (nx * ny)}};
        for (int32_t k = 0; k < cou_blockSamples; ++k)
            block.is_outside[k] = couFlood_IsOutside(&build->flood, cou_blockCells * block.at[0] + k % cou_blockSide,
                                                     cou_blockCells * block.at[1] + k / cou_blockSide % cou_blockSide,
                                                     cou_blockCells * block.at[2] + k / (cou_blockSide * cou_blockSide));
        take_lattice(&block);
        for (int32_t spacing = LATTICE / 2; spacing > 0; spacing /= 2) refine(&block, spacing);
        sweep(&block, 1);
        sweep(&block, -1);
        mend(&block);
        join_neighbors(&block);
        float *samples = filling->blocks + b * cou_blockSamples;
        for (int32_t k = 0; k < cou_blockSamples; ++k) samples[k] = build->cell * block.samples[k].value;
    }
}

static void copy_coarse(const Build *build, int32_t *block_index, float *coarse)
{
    memcpy(block_index, build->block_index, cell_total(build->count) * sizeof *block_index);
    for (size_t z = 0; z < build->lattice_count[2]; z += 2)
        for (size_t y = 0; y < build->lattice_count[1]; y += 2)
            for (size_t x = 0; x < build->lattice_count[0]; x += 2)
                *coarse++ = build->cell * build->lattice[x + build->lattice_count[0] * (y + build->lattice_count[1] * z)];
}

// Nodes on the surface itself are not reached either, and count for nothing.
static bool has_inside(const couDistanceGrid *grid)
{
    const float least = -1e-3f * grid->cell;
    size_t corners = ((size_t)grid->count[0] + 1) * ((size_t)grid->count[1] + 1) * ((size_t)grid->count[2] + 1);
    for (size_t k = 0; k < corners; ++k)
        if (grid->coarse[k] < least) return true;
    for (size_t k = 0; k < (size_t)grid->block_count * cou_blockSamples; ++k)
        if (grid->blocks[k] < least) return true;
    return false;
}

// --- What is known of the whole ----------------------------------------------------------------------------------------------

// The steepest that trilinear interpolation can be in a cell: each part of the gradient is between those of its four edges.
static float cell_slope2(const float *s, size_t dy, size_t dz)
{
    float x = 0.0f, y = 0.0f, z = 0.0f;
    for (size_t k = 0; k < 4; ++k) {
        const float *along_x = s + (k & 1) * dy + (k >> 1) * dz, *along_y = s + (k & 1) + (k >> 1) * dz;
        const float *along_z = s + (k & 1) + (k >> 1) * dy;
        x = COU_MAX(x, fabsf(along_x[1] - along_x[0]));
        y = COU_MAX(y, fabsf(along_y[dy] - along_y[0]));
        z = COU_MAX(z, fabsf(along_z[dz] - along_z[0]));
    }
    return x * x + y * y + z * z;
}

// Close to the surface, where a step is only a share of the distance; farther away it is the distance less a cell.
static float grid_slope(const couDistanceGrid *grid)
{
    float fine = 0.0f;
    for (size_t b = 0; b < (size_t)grid->block_count; ++b)
        for (size_t k = 0; k < cou_blockCells * cou_blockCells * cou_blockCells; ++k) {
            size_t x = k % cou_blockCells, y = k / cou_blockCells % cou_blockCells, z = k / (cou_blockCells * cou_blockCells);
            const float *s = grid->blocks + b * cou_blockSamples + x + cou_blockSide * (y + cou_blockSide * z);
            if (fabsf(s[0]) > (NEAR - 2.0f) * grid->cell) continue; // then all corners are exact
            fine = COU_MAX(fine, cell_slope2(s, cou_blockSide, cou_blockSide * cou_blockSide));
        }
    return COU_MAX(sqrtf(fine) * grid->inv_cell, 1.0f) + 1e-3f; // rounding of the samples
}

// How thick the solid is under the point: straight through to a side that looks the other way (within 20 degrees), else infinite.
static float thickness_at(const couDistanceGrid *grid, couVec3 point, float longest)
{
    couVec3 normal, exit;
    float last = couDistanceGrid_DistanceNormal(grid, point, &normal), t = 0.0f;
    bool was_inside = false;
    while (t < longest) {
        float step = COU_MAX(0.25f * grid->cell, -0.5f * last);
        t += step;
        float distance = couDistanceGrid_DistanceNormal(grid, couMulAdd(point, -t, normal), &exit);
        if (was_inside && distance >= 0.0f)
            return couDot(exit, normal) < -0.94f ? t - step * distance / (distance - last) : INFINITY;
        was_inside |= distance < 0.0f;
        if (!was_inside && t > grid->cell) return INFINITY;
        last = distance;
    }
    return INFINITY;
}

// From the middles of about 4,000 triangles.
static float grid_thinness(const couDistanceGrid *grid)
{
    couBounds bounds = couMesh_Bounds(grid->mesh);
    couVec3 size = couSub(bounds.upper, bounds.lower);
    float longest = 2.0f * (size.x + size.y + size.z);
    float thinnest = COU_MIN(size.x, COU_MIN(size.y, size.z));
    const couVec3 *vertices = couMesh_Vertices(grid->mesh);
    const uint32_t *triangles = couMesh_Triangles(grid->mesh);
    size_t stride = 1 + couMesh_TriangleCount(grid->mesh) / 4096;
    for (size_t t = 0; t < couMesh_TriangleCount(grid->mesh); t += stride) {
        const uint32_t *corner = &triangles[3 * t];
        couVec3 middle = couScale(1.0f / 3.0f, couAdd(vertices[corner[0]], couAdd(vertices[corner[1]], vertices[corner[2]])));
        thinnest = COU_MIN(thinnest, thickness_at(grid, middle, longest));
    }
    return COU_MAX(thinnest, 0.5f * grid->cell); // thinner ones are not there
}

// --- All together ------------------------------------------------------------------------------------------------------------

// Everything up to the choice of blocks, for the build's cell.
static bool prepare(Build *build)
{
    return place_triangles(build) &&
           couFlood_Run(&build->flood, &build->pace, &build->parallel, build->mesh, build->snapped, build->count) &&
           couTriangleTree_Build(&build->all, build->triangles, build->triangle_count) && find_outer_surface(build) &&
           choose_blocks(build);
}

// Makes the cell as large as it must be for a grid that is likely to fit.
static void widen_cell(Build *build, double area, size_t max_bytes)
{
    for (set_frame(build); !is_likely(build, area, max_bytes); set_frame(build)) build->cell *= 1.1f;
}

// Much longer than a grid of this size takes. Overlapping triangles do not make it larger than all of its blocks.
static double longest_time(const Build *build, double area)
{
    double bytes = COU_MIN(3.0 * surface_bytes(build, area),
                           (double)couDistanceGridBytes(build->count, cell_total(build->count)));
    return LEAST_SECONDS + PATIENCE * SECONDS_PER_BYTE * bytes;
}

// Chooses the cell and the blocks so that they fit into max_bytes; false without memory or when it takes too long.
static bool fit(Build *build, size_t max_bytes)
{
    float wanted = build->cell;
    double area = mesh_area(build->mesh);
    widen_cell(build, area, max_bytes);
    couPace_Start(&build->pace, "mesh: its distance grid", longest_time(build, area));
    for (;;) {
        if (!prepare(build)) return false;
        size_t bytes = couDistanceGridBytes(build->count, build->block_count);
        // The coarsest grid there is has a few blocks only.
        if (bytes <= max_bytes || cell_total(build->count) <= 27) break;
        free_build(build);
        build->cell *= COU_CLAMP(sqrtf((float)bytes / (float)max_bytes), 1.02f, 2.0f);
        set_frame(build);
    }
    if (build->cell > wanted) {
        couLog(cou_logWarning, "mesh: a distance grid of cell %g m would take more than %zu MiB; the cell is %g m instead",
               (double)wanted, max_bytes >> 20, (double)build->cell);
    }
    return true;
}

static couDistanceGrid *make_grid(Build *build, couMesh *mesh)
{
    couDistanceGrid *grid = couAllocDistanceGrid(mesh, build->origin, build->cell, build->count, (int32_t)build->block_count);
    if (!grid) return NULL;
    copy_coarse(build, (int32_t *)grid->block_index, (float *)grid->coarse);
    Filling filling = {build, (float *)grid->blocks};
    if (couPace_For(&build->pace, &build->parallel, build->block_count, 1, fill_blocks, &filling)) return grid;
    couDistanceGrid_Release(grid);
    return NULL;
}

float couFinestCell(couMesh *mesh, float cell, size_t max_bytes)
{
    Build build = {.mesh = couMesh_WithoutCopies(mesh), .cell = cell};
    if (build.mesh && cell > 0.0f) widen_cell(&build, mesh_area(build.mesh), max_bytes);
    couMesh_Release(build.mesh);
    return build.cell;
}

couDistanceGrid *couCreateDistanceGrid(couMesh *mesh, float cell, size_t max_bytes, int threads, couFaults *faults)
{
    if (!(cell > 0.0f && cell <= 1e6f)) {
        couFaults_Add(faults, NULL, "mesh.cell", "%g m must be > 0 and at most 1e6 m", (double)cell);
        return NULL;
    }
    Build build = {.mesh = couMesh_WithoutCopies(mesh), .parallel = couMakeParallel(threads), .cell = cell};
    couDistanceGrid *grid = NULL;
    if (build.mesh && fit(&build, max_bytes ? max_bytes : DEFAULT_BYTES)) grid = make_grid(&build, mesh);
    couFreeParallel(&build.parallel);
    free_build(&build);
    couMesh_Release(build.mesh);
    if (!grid && couPace_IsLate(&build.pace)) {
        couFaults_Add(faults, NULL, "mesh",
                      "its distance grid of cell %g m is not done after %.0f s, much longer than one of its size takes: too many "
                      "triangles lie on top of each other; give it fewer or a larger cell",
                      (double)build.cell, build.pace.limit);
        return NULL;
    }
    if (!grid) {
        couFaults_Add(faults, NULL, "mesh", "out of memory for a distance grid of cell %g m", (double)build.cell);
        return NULL;
    }
    if (!has_inside(grid)) {
        couFaults_Add(faults, NULL, "mesh",
                      "nothing is inside it at a cell of %g m: it has a hole wider than that, or is thinner everywhere",
                      (double)grid->cell);
        couDistanceGrid_Release(grid);
        return NULL;
    }
    grid->slope = grid_slope(grid);
    grid->thinness = grid_thinness(grid);
    return grid;
}
