// The surface of shapes that have no formula, by dual contouring [Ju et al. 2002] of the distance on a uniform grid: one vertex
// in each cell that the surface passes, where the tangent planes at the cell's cut edges meet best, so that edges and corners
// stay sharp; one quad around each cut edge (one segment in 2D). A cell through which the surface passes more than once has a
// vertex for each sheet [Nielson 2004, dual marching cubes]; where a face is ambiguous its two solid corners are taken apart,
// in both cells alike. The result is closed and turned outward; where two sheets of two neighbouring cells meet twice, an edge
// has four triangles.
//
// Blocks of cells that are farther from the surface than their own size are not looked at, so that the cost follows the area:
// about 1 µs for each evaluation of a union of ten parts, some 60 of them for each cell that is cut.
#include "shape/shape_mesh.h"

#include "base/eigen.h"
#include "shape/shape_data.h"

enum {
    block_cells = 8,
    block_nodes = block_cells + 1,
    max_cells = 256,  // along the largest side: at most some 400,000 cut cells
    usual_cells = 64, // where no wall asks for more
    bisections = 24,  // of a cut edge
    corner_count = 8,
    edge_count = 12,
    no_cell = -1,
};

// Edge e runs from corner a to corner b; corner c is at x = c & 1, y = c >> 1 & 1, z = c >> 2.
static const uint8_t edge_corners[edge_count][2] = {{0, 1}, {2, 3}, {4, 5}, {6, 7}, {0, 2}, {1, 3},
                                                    {4, 6}, {5, 7}, {0, 4}, {1, 5}, {2, 6}, {3, 7}};
// The corners of each face in order around it, z = 0 first: in 2D it is the only one.
static const uint8_t face_corners[6][4] = {{0, 1, 3, 2}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 3, 7, 6}, {0, 2, 6, 4}, {1, 3, 7, 5}};

typedef struct Cell {
    int32_t x, y, z;
    uint8_t mask;    // corners in the solid
    uint32_t vertex; // of its first sheet
    int32_t next;    // in the hash chain
} Cell;

typedef struct Grid {
    couShapeMesher *mesher;
    couShape *const *shapes;
    int shape_count;
    couVec3 origin;
    float cell;
    int32_t cells[3]; // along each axis; 1 along z in 2D
    Cell *active;
    size_t active_count, active_capacity;
    int32_t *heads; // of hash chains
    uint32_t head_mask;
} Grid;

static float distance_at(const Grid *grid, couVec3 p)
{
    float least = INFINITY;
    for (int i = 0; i < grid->shape_count; ++i)
        least = fminf(least, couShape_Distance(grid->shapes[i], grid->mesher->dimension, p));
    return least;
}

static couVec3 normal_at(const Grid *grid, couVec3 p)
{
    float least = INFINITY;
    couVec3 normal = {0};
    for (int i = 0; i < grid->shape_count; ++i) {
        couVec3 own;
        float distance = couShape_DistanceNormal(grid->shapes[i], grid->mesher->dimension, p, &own);
        if (distance < least) least = distance, normal = own;
    }
    return normal;
}

// How far the surface is at least.
static float clearance_at(const Grid *grid, couVec3 p)
{
    float least = INFINITY;
    bool is_inside = false;
    float depth = 0.0f;
    for (int i = 0; i < grid->shape_count; ++i) {
        float distance = couShape_Distance(grid->shapes[i], grid->mesher->dimension, p);
        float clear = couShape_Clearance(grid->shapes[i], distance);
        if (distance < 0.0f) is_inside = true, depth = COU_MAX(depth, clear);
        least = COU_MIN(least, clear);
    }
    return is_inside ? depth : least;
}

static couVec3 node_at(const Grid *grid, int32_t x, int32_t y, int32_t z)
{
    couVec3 p = {grid->origin.x + (float)x * grid->cell, grid->origin.y + (float)y * grid->cell,
                 grid->origin.z + (float)z * grid->cell};
    if (grid->mesher->dimension == 2) p.z = 0.0f;
    return p;
}

static couVec3 corner_of(const Grid *grid, const Cell *cell, int corner)
{
    return node_at(grid, cell->x + (corner & 1), cell->y + (corner >> 1 & 1), cell->z + (corner >> 2));
}

// --- Sheets ------------------------------------------------------------------------------------------------------------------

static int find_edge(int a, int b)
{
    for (int e = 0; e < edge_count; ++e)
        if ((edge_corners[e][0] == a && edge_corners[e][1] == b) || (edge_corners[e][0] == b && edge_corners[e][1] == a))
            return e;
    return 0;
}

static bool is_cut(uint8_t mask, int edge) { return (mask >> edge_corners[edge][0] & 1) != (mask >> edge_corners[edge][1] & 1); }

static void join_edges(int8_t *sheet, int8_t a, int8_t b)
{
    for (int e = 0; e < edge_count; ++e)
        if (sheet[e] == a) sheet[e] = b;
}

// The sheet of each cut edge, numbered from 0, -1 for the others; returns how many there are.
static int find_sheets(uint8_t mask, int dimension, int8_t sheet[edge_count])
{
    for (int e = 0; e < edge_count; ++e) {
        bool is_there = dimension == 3 || edge_corners[e][1] < 4;
        sheet[e] = is_there && is_cut(mask, e) ? (int8_t)e : -1;
    }
    for (int face = 0; face < (dimension == 2 ? 1 : 6); ++face) {
        const uint8_t *corners = face_corners[face];
        int edges[4], cut_count = 0;
        for (int k = 0; k < 4; ++k) {
            edges[k] = find_edge(corners[k], corners[(k + 1) % 4]);
            cut_count += is_cut(mask, edges[k]);
        }
        for (int k = 0; k < 4; ++k) {
            int previous = edges[(k + 3) % 4], next = edges[k];
            // Around a solid corner of an ambiguous face; else the two cut edges, wherever they are.
            if (cut_count == 4 && (mask >> corners[k] & 1)) join_edges(sheet, sheet[previous], sheet[next]);
            for (int j = 0; cut_count == 2 && j < k; ++j)
                if (is_cut(mask, edges[j]) && is_cut(mask, edges[k])) join_edges(sheet, sheet[edges[j]], sheet[edges[k]]);
        }
    }
    int count = 0;
    int8_t number[edge_count];
    for (int e = 0; e < edge_count; ++e) number[e] = -1;
    for (int e = 0; e < edge_count; ++e) {
        if (sheet[e] < 0) continue;
        if (number[sheet[e]] < 0) number[sheet[e]] = (int8_t)count++;
        sheet[e] = number[sheet[e]];
    }
    return count;
}

// --- Vertices ----------------------------------------------------------------------------------------------------------------

// Where the edge between a solid and a free corner is cut.
static couVec3 find_cut(const Grid *grid, couVec3 solid, couVec3 open)
{
    for (int i = 0; i < bisections; ++i) {
        couVec3 middle = couScale(0.5f, couAdd(solid, open));
        if (distance_at(grid, middle) < 0.0f)
            solid = middle;
        else
            open = middle;
    }
    return couScale(0.5f, couAdd(solid, open));
}

// The point nearest to all tangent planes; along directions in which they say little it stays at the mean of the cuts
// [Lindstrom 2000].
static couVec3 meet_planes(const couVec3 *points, const couVec3 *normals, int count)
{
    double mean[3] = {0}, a[3][3] = {{0}}, b[3] = {0}, v[3][3], x[3];
    for (int i = 0; i < count; ++i) mean[0] += points[i].x, mean[1] += points[i].y, mean[2] += points[i].z;
    for (int k = 0; k < 3; ++k) mean[k] /= count;
    for (int i = 0; i < count; ++i) {
        const double n[3] = {normals[i].x, normals[i].y, normals[i].z};
        double offset = n[0] * (points[i].x - mean[0]) + n[1] * (points[i].y - mean[1]) + n[2] * (points[i].z - mean[2]);
        for (int k = 0; k < 3; ++k) {
            b[k] += n[k] * offset;
            for (int l = 0; l < 3; ++l) a[k][l] += n[k] * n[l];
        }
    }
    couDiagonalize3(a, v);
    double largest = fmax(a[0][0], fmax(a[1][1], a[2][2]));
    memcpy(x, mean, sizeof x);
    for (int k = 0; k < 3; ++k) {
        if (!(a[k][k] > 0.05 * largest)) continue;
        double along = (v[0][k] * b[0] + v[1][k] * b[1] + v[2][k] * b[2]) / a[k][k];
        for (int l = 0; l < 3; ++l) x[l] += along * v[l][k];
    }
    return (couVec3){(float)x[0], (float)x[1], (float)x[2]};
}

static float within(float x, float lower, float upper) { return x > lower ? COU_MIN(x, upper) : lower; }

static couVec3 keep_in_cell(const Grid *grid, const Cell *cell, couVec3 p)
{
    couVec3 lower = corner_of(grid, cell, 0), upper = corner_of(grid, cell, 7);
    return (couVec3){within(p.x, lower.x, upper.x), within(p.y, lower.y, upper.y), within(p.z, lower.z, upper.z)};
}

static void add_vertices(Grid *grid, Cell *cell)
{
    int8_t sheet[edge_count];
    couVec3 cuts[edge_count], normals[edge_count];
    int sheet_count = find_sheets(cell->mask, grid->mesher->dimension, sheet);
    for (int e = 0; e < edge_count; ++e) {
        if (sheet[e] < 0) continue;
        couVec3 a = corner_of(grid, cell, edge_corners[e][0]), b = corner_of(grid, cell, edge_corners[e][1]);
        bool is_a_solid = cell->mask >> edge_corners[e][0] & 1;
        cuts[e] = find_cut(grid, is_a_solid ? a : b, is_a_solid ? b : a);
        normals[e] = normal_at(grid, cuts[e]);
    }
    cell->vertex = (uint32_t)grid->mesher->surface->vertex_count;
    for (int k = 0; k < sheet_count; ++k) {
        couVec3 points[edge_count], planes[edge_count];
        int count = 0;
        for (int e = 0; e < edge_count; ++e)
            if (sheet[e] == k) points[count] = cuts[e], planes[count++] = normals[e];
        couVec3 place = keep_in_cell(grid, cell, meet_planes(points, planes, count));
        // Where the planes meet beyond the cell, or the surface is curved, onto the surface again; at a crease from one side to
        // the other.
        for (int i = 0; i < 4; ++i) {
            float off = distance_at(grid, place);
            if (!(fabsf(off) > 1e-3f * grid->cell)) break;
            place = keep_in_cell(grid, cell, couMulAdd(place, -off, normal_at(grid, place)));
        }
        couShapeMesher_AddVertex(grid->mesher, place);
    }
}

// --- Cells -------------------------------------------------------------------------------------------------------------------

static uint32_t hash_cell(int32_t x, int32_t y, int32_t z)
{
    uint32_t h = (uint32_t)x * 73856093u ^ (uint32_t)y * 19349663u ^ (uint32_t)z * 83492791u;
    return h ^ h >> 15;
}

static const Cell *find_cell(const Grid *grid, int32_t x, int32_t y, int32_t z)
{
    for (int32_t i = grid->heads[hash_cell(x, y, z) & grid->head_mask]; i != no_cell; i = grid->active[i].next)
        if (grid->active[i].x == x && grid->active[i].y == y && grid->active[i].z == z) return &grid->active[i];
    return NULL;
}

static void add_cell(Grid *grid, Cell cell)
{
    if (!COU_GROW(NULL, grid->active, grid->active_capacity, grid->active_count + 1)) {
        grid->mesher->is_short = true;
        return;
    }
    add_vertices(grid, &cell);
    grid->active[grid->active_count++] = cell;
}

// The cells of one block that the surface passes.
static void scan_block(Grid *grid, int32_t bx, int32_t by, int32_t bz)
{
    bool is_flat = grid->mesher->dimension == 2;
    couVec3 lower = node_at(grid, bx, by, bz), upper = node_at(grid, bx + block_cells, by + block_cells, bz + block_cells);
    couVec3 center = couScale(0.5f, couAdd(lower, upper));
    if (clearance_at(grid, center) > 0.5f * couLength(couSub(upper, lower)) + grid->cell) return;

    bool is_solid[block_nodes][block_nodes][block_nodes];
    int layers = is_flat ? 1 : block_nodes;
    for (int z = 0; z < layers; ++z)
        for (int y = 0; y < block_nodes; ++y)
            for (int x = 0; x < block_nodes; ++x)
                is_solid[z][y][x] = distance_at(grid, node_at(grid, bx + x, by + y, bz + z)) < 0.0f;
    for (int z = 0; z < (is_flat ? 1 : block_cells) && bz + z < grid->cells[2]; ++z)
        for (int y = 0; y < block_cells && by + y < grid->cells[1]; ++y)
            for (int x = 0; x < block_cells && bx + x < grid->cells[0]; ++x) {
                int mask = 0;
                for (int c = 0; c < corner_count; ++c) // in 2D both layers are the one
                    mask |= is_solid[is_flat ? 0 : z + (c >> 2)][y + (c >> 1 & 1)][x + (c & 1)] << c;
                if (mask == 0 || mask == 255 || grid->mesher->is_short) continue;
                add_cell(grid, (Cell){.x = bx + x, .y = by + y, .z = bz + z, .mask = (uint8_t)mask});
            }
}

static bool hash_cells(Grid *grid)
{
    uint32_t size = 64;
    while (size < 2 * grid->active_count) size *= 2;
    grid->heads = couAlloc(NULL, size * sizeof *grid->heads);
    if (!grid->heads) return false;
    grid->head_mask = size - 1;
    for (uint32_t i = 0; i < size; ++i) grid->heads[i] = no_cell;
    for (size_t i = 0; i < grid->active_count; ++i) {
        Cell *cell = &grid->active[i];
        uint32_t head = hash_cell(cell->x, cell->y, cell->z) & grid->head_mask;
        cell->next = grid->heads[head];
        grid->heads[head] = (int32_t)i;
    }
    return true;
}

// --- Elements ----------------------------------------------------------------------------------------------------------------

// The vertex of the cell at the edge between two of the grid's nodes, given as corners of the cell.
static uint32_t sheet_vertex(const Grid *grid, const Cell *cell, int corner_a, int corner_b)
{
    int8_t sheet[edge_count];
    find_sheets(cell->mask, grid->mesher->dimension, sheet);
    return cell->vertex + (uint32_t)sheet[find_edge(corner_a, corner_b)];
}

static float distance2_between(const Grid *grid, uint32_t a, uint32_t b)
{
    couVec3 d = couSub(grid->mesher->surface->vertices[a], grid->mesher->surface->vertices[b]);
    return couDot(d, d);
}

// Around the edge from the cell's lowest corner along an axis; the four cells in order around it.
static void add_quad(Grid *grid, const Cell *cell, int axis)
{
    int u = (axis + 1) % 3, v = (axis + 2) % 3;
    static const int around[4][2] = {{-1, -1}, {0, -1}, {0, 0}, {-1, 0}};
    uint32_t vertices[4];
    for (int i = 0; i < 4; ++i) {
        int32_t at[3] = {cell->x, cell->y, cell->z};
        at[u] += around[i][0], at[v] += around[i][1];
        const Cell *other = find_cell(grid, at[0], at[1], at[2]);
        if (!other) return; // beyond the grid, which the surface does not reach
        int corner = (around[i][0] != 0) << u | (around[i][1] != 0) << v;
        vertices[i] = sheet_vertex(grid, other, corner, corner | 1 << axis);
    }
    bool is_solid_first = cell->mask & 1;
    if (!is_solid_first) {
        uint32_t swap = vertices[1];
        vertices[1] = vertices[3], vertices[3] = swap;
    }
    int turn = distance2_between(grid, vertices[0], vertices[2]) <= distance2_between(grid, vertices[1], vertices[3]) ? 0 : 1;
    uint32_t a = vertices[turn], b = vertices[turn + 1], c = vertices[turn + 2], d = vertices[(turn + 3) % 4];
    couShapeMesher_AddTriangle(grid->mesher, a, b, c);
    couShapeMesher_AddTriangle(grid->mesher, a, c, d);
}

// Across the edge from the cell's lowest corner, the solid to the left.
static void add_segment(Grid *grid, const Cell *cell, int axis)
{
    const Cell *other = axis == 0 ? find_cell(grid, cell->x, cell->y - 1, 0) : find_cell(grid, cell->x - 1, cell->y, 0);
    if (!other) return;
    uint32_t here = sheet_vertex(grid, cell, 0, 1 << axis);
    uint32_t there = axis == 0 ? sheet_vertex(grid, other, 2, 3) : sheet_vertex(grid, other, 1, 3);
    bool is_solid_first = cell->mask & 1, is_towards = is_solid_first == (axis == 0);
    couShapeMesher_AddSegment(grid->mesher, is_towards ? there : here, is_towards ? here : there);
}

static void add_elements(Grid *grid)
{
    for (size_t i = 0; i < grid->active_count && !grid->mesher->is_short; ++i) {
        const Cell *cell = &grid->active[i];
        for (int axis = 0; axis < grid->mesher->dimension; ++axis) {
            if ((cell->mask & 1) == (cell->mask >> (1 << axis) & 1)) continue;
            if (grid->mesher->dimension == 2)
                add_segment(grid, cell, axis);
            else
                add_quad(grid, cell, axis);
        }
    }
}

// --- The grid ----------------------------------------------------------------------------------------------------------------

static bool find_bounds(couShape *const *shapes, int count, int dimension, couBounds *bounds)
{
    *bounds = (couBounds){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int i = 0; i < count; ++i) {
        couBounds own;
        if (!couShape_Bounds(shapes[i], dimension, &own)) return false;
        bounds->lower = (couVec3){fminf(bounds->lower.x, own.lower.x), fminf(bounds->lower.y, own.lower.y),
                                  fminf(bounds->lower.z, own.lower.z)};
        bounds->upper = (couVec3){fmaxf(bounds->upper.x, own.upper.x), fmaxf(bounds->upper.y, own.upper.y),
                                  fmaxf(bounds->upper.z, own.upper.z)};
    }
    return true;
}

// Two cells in the thinnest wall, where that is not too much.
static float choose_cell(const couShapeMesher *mesher, couShape *const *shapes, int count, float extent)
{
    float cell = mesher->cell > 0.0f ? mesher->cell : extent / usual_cells, thinnest = INFINITY;
    for (int i = 0; i < count; ++i) thinnest = fminf(thinnest, couShape_Thinness(shapes[i]));
    if (!(mesher->cell > 0.0f) && thinnest > 0.0f) cell = fminf(cell, 0.5f * thinnest);
    if (cell < extent / max_cells) {
        cell = extent / max_cells;
        couLog(cou_logWarning,
               "a body of %.3g m has walls of %.3g m; its mesh for other programs has a grid of %.3g m and may have holes",
               (double)extent, (double)thinnest, (double)cell);
    }
    return cell;
}

void couShapeMesher_AddByGrid(couShapeMesher *mesher, couShape *const *shapes, int count)
{
    couBounds bounds;
    if (!find_bounds(shapes, count, mesher->dimension, &bounds)) return;
    couVec3 size = couSub(bounds.upper, bounds.lower);
    float extent = fmaxf(size.x, fmaxf(size.y, mesher->dimension == 2 ? 0.0f : size.z));
    if (!(extent > 0.0f) || !isfinite(extent)) return;
    Grid grid = {.mesher = mesher, .shapes = shapes, .shape_count = count};
    grid.cell = choose_cell(mesher, shapes, count, extent);
    // Not on the faces of the shapes, which often lie on round numbers.
    grid.origin = couSub(bounds.lower, couScale(grid.cell, (couVec3){1.37f, 1.41f, 1.43f}));
    const float sides[3] = {size.x, size.y, size.z};
    for (int axis = 0; axis < 3; ++axis) grid.cells[axis] = (int32_t)ceilf(sides[axis] / grid.cell) + 4;
    if (mesher->dimension == 2) grid.cells[2] = 1;
    for (int32_t z = 0; z < grid.cells[2]; z += block_cells)
        for (int32_t y = 0; y < grid.cells[1]; y += block_cells)
            for (int32_t x = 0; x < grid.cells[0] && !mesher->is_short; x += block_cells) scan_block(&grid, x, y, z);
    if (!mesher->is_short) mesher->is_short = !hash_cells(&grid);
    if (!mesher->is_short) add_elements(&grid);
    couFree(NULL, grid.active);
    couFree(NULL, grid.heads);
}
