// Lattices of samples on flat walls, boxes, hollow boxes and spheres.
//
// A sheet in a box is the surface of a smaller box, its edges cut into equal parts as near to one spacing d as they come; a size
// that is a multiple of d gives the cell centres of the lattice that fills the box. Around a hollow box the inner sheet is the
// surface of the box grown by d/2, with its sharp edges, as these continue the lattice of the fluid in it. The outside of such a
// wall is round at the edges (all that is nearer than the thickness), and so is the outer sheet: nodes on the surface of the box
// send one point out from a face, an arc from an edge and an eighth of a sphere from a corner, all cut into parts of about d.
#include "shape/samples_parts.h"

#include <stdlib.h>

// A length in equal parts as near to d as possible, by ratio; at least one.
static int even_parts(double length, double d)
{
    double ratio = length / d, n = floor(ratio + 1e-4);
    return (int)COU_CLAMP(n + (ratio > sqrt(n * (n + 1.0)) + 1e-4), 1.0, 2e9);
}

static void add(couSampleList *list, double x, double y, double z, int layer)
{
    couSampleList_Add(list, (couVec3){(float)x, (float)y, (float)z}, (uint32_t)list->count, layer);
}

// --- Flat walls --------------------------------------------------------------------------------------------------------------

static int bits_for(uint32_t count)
{
    int bits = 0;
    while (bits < 31 && (1u << bits) < count) ++bits;
    return bits;
}

// The part of a line within the bounds, as lengths along it.
static bool clip(couVec3 start, couVec3 along, const couBounds *bounds, int dimension, double *first, double *last)
{
    const float p[3] = {start.x, start.y, start.z}, t[3] = {along.x, along.y, along.z};
    const float lower[3] = {bounds->lower.x, bounds->lower.y, bounds->lower.z};
    const float upper[3] = {bounds->upper.x, bounds->upper.y, bounds->upper.z};
    *first = -1e30, *last = 1e30;
    for (int axis = 0; axis < dimension; ++axis) {
        if (fabsf(t[axis]) < 1e-6f) {
            if (!(p[axis] >= lower[axis] && p[axis] <= upper[axis])) return false;
            continue;
        }
        double a = ((double)lower[axis] - p[axis]) / t[axis], b = ((double)upper[axis] - p[axis]) / t[axis];
        *first = COU_MAX(*first, COU_MIN(a, b)), *last = COU_MIN(*last, COU_MAX(a, b));
    }
    return *first <= *last && *first > -1e30 && *last < 1e30;
}

typedef struct Grid {
    uint32_t base;    // of the ids
    int u_bits;       // of an id
    int v_bits;       // of an id
    double u0, u1;    // what the region spans along u [m]
    couBounds region; // [m]
} Grid;

// One sheet: points half a spacing off the multiples of d, counted from the origin whatever the region is.
static void add_plane(couSampleList *list, const couSlab *slab, const Grid *grid, double height, int dimension, double d,
                      int layer)
{
    couVec3 origin = couMulAdd(slab->origin, (float)height, slab->normal);
    bool is_flat = dimension == 2;
    uint32_t u_mask = (1u << grid->u_bits) - 1u, v_mask = (1u << grid->v_bits) - 1u;
    couVec3 row_start = {0};
    for (int64_t i = is_flat ? 0 : (int64_t)floor(grid->u0 / d - 0.5); !list->has_failed; ++i) {
        if ((double)i > (is_flat ? 0.0 : grid->u1 / d)) break;
        row_start = is_flat ? origin : couMulAdd(origin, (float)(((double)i + 0.5) * d), slab->u);
        couVec3 along = is_flat ? slab->u : slab->v;
        double first, last;
        if (!clip(row_start, along, &grid->region, dimension, &first, &last)) continue;
        for (int64_t j = (int64_t)floor(first / d - 0.5); (double)j <= last / d && !list->has_failed; ++j) {
            couVec3 p = couMulAdd(row_start, (float)(((double)j + 0.5) * d), along);
            uint32_t id = grid->base | ((uint32_t)i & u_mask) << grid->v_bits | ((uint32_t)j & v_mask);
            couSampleList_Add(list, p, id, layer);
        }
    }
}

void couSampleSlab(couSampleList *list, const couSlab *slab, int number, int slab_count, int dimension, float spacing, int layers,
                   couBounds region)
{
    if (!couIsFinite3(region.lower) || !couIsFinite3(region.upper)) return;
    int sheets = 2 * layers, bits = 31 - bits_for((uint32_t)slab_count * (uint32_t)sheets);
    bits = COU_MAX(bits, 2);
    Grid grid = {.u_bits = dimension == 2 ? 0 : bits / 2, .region = region, .u0 = INFINITY, .u1 = -INFINITY};
    grid.v_bits = bits - grid.u_bits;
    for (int corner = 0; corner < 8; ++corner) {
        couVec3 c = {corner & 1 ? region.upper.x : region.lower.x, corner & 2 ? region.upper.y : region.lower.y,
                     corner & 4 ? region.upper.z : region.lower.z};
        double along = couDot(couSub(c, slab->origin), slab->u);
        grid.u0 = COU_MIN(grid.u0, along), grid.u1 = COU_MAX(grid.u1, along);
    }
    double d = spacing, t = slab->thickness;
    list->is_thin |= couIsThinWall(t, d);
    for (int layer = 0; layer < layers; ++layer) {
        couSheets room = couSheetsOf(t, d, layer);
        if (room == cou_sheetsNone) break;
        double depth = (layer + 0.5) * d;
        bool is_middle = room == cou_sheetsMiddle, is_half_space = isinf(t);
        double heights[2] = {is_half_space ? -depth : is_middle ? 0.5 * t : depth, t - depth};
        for (int side = 0; side < (is_half_space || is_middle ? 1 : 2); ++side) {
            uint32_t sheet = (uint32_t)number * (uint32_t)sheets + (uint32_t)(2 * layer + side);
            grid.base = 0x80000000u | sheet << bits;
            add_plane(list, slab, &grid, heights[side], dimension, d, layer);
        }
    }
}

// --- Boxes -------------------------------------------------------------------------------------------------------------------

// Which ends of the y axis a sheet closes.
typedef enum Ends { ends_none, ends_bottom, ends_both } Ends;

// The nodes of a box: `parts` equal steps along each edge, 0 where the box is flat.
typedef struct Nodes {
    double lower[3];  // [m]
    double extent[3]; // [m]
    int parts[3];
    Ends y_ends;
    int dimension;
} Nodes;

static double node_at(const Nodes *nodes, int axis, int i)
{
    return nodes->parts[axis] ? nodes->lower[axis] + nodes->extent[axis] * i / nodes->parts[axis] : nodes->lower[axis];
}

// The side of a node at the end of an axis, 0 between the ends.
static int side_of(const Nodes *nodes, int axis, int i)
{
    if (axis == 2 && nodes->dimension == 2) return 0;
    if (axis == 1 && nodes->y_ends == ends_none) return 0;
    if (i == 0) return -1;
    return i == nodes->parts[axis] && !(axis == 1 && nodes->y_ends == ends_bottom) ? 1 : 0;
}

static void add_arc(couSampleList *list, const double p[3], const int sides[3], double radius, int parts, int layer)
{
    int a = sides[0] ? 0 : 1, b = sides[2] ? 2 : 1;
    for (int k = 0; k <= parts; ++k) {
        double angle = 0.5 * COU_PI * k / parts, q[3] = {p[0], p[1], p[2]};
        q[a] += sides[a] * radius * cos(angle), q[b] += sides[b] * radius * sin(angle);
        add(list, q[0], q[1], q[2], layer);
    }
}

// Rows around the y axis.
static void add_octant(couSampleList *list, const double p[3], const int sides[3], double radius, int parts, double d, int layer)
{
    for (int row = 0; row <= parts; ++row) {
        double polar = 0.5 * COU_PI * row / parts, r = radius * sin(polar), y = p[1] + sides[1] * radius * cos(polar);
        int steps = row == 0 ? 0 : even_parts(0.5 * COU_PI * r, d);
        for (int k = 0; k <= steps; ++k) {
            double angle = steps ? 0.5 * COU_PI * k / steps : 0.0;
            add(list, p[0] + sides[0] * r * cos(angle), y, p[2] + sides[2] * r * sin(angle), layer);
        }
    }
}

// The surface that is `radius` around the box: sharp with radius 0, round at the edges otherwise.
static void add_surface(couSampleList *list, const Nodes *nodes, double radius, double d, int layer)
{
    int arc = radius > 0 ? even_parts(0.5 * COU_PI * radius, d) : 0;
    int last_z = nodes->dimension == 2 ? 0 : nodes->parts[2];
    for (int k = 0; k <= last_z; ++k)
        for (int j = 0; j <= nodes->parts[1] && !list->has_failed; ++j) {
            bool is_row = side_of(nodes, 1, j) || side_of(nodes, 2, k);
            int step = is_row || nodes->parts[0] == 0 ? 1 : nodes->parts[0];
            for (int i = 0; i <= nodes->parts[0]; i += step) {
                int sides[3] = {side_of(nodes, 0, i), side_of(nodes, 1, j), side_of(nodes, 2, k)};
                double p[3] = {node_at(nodes, 0, i), node_at(nodes, 1, j), nodes->dimension == 2 ? 0.0 : node_at(nodes, 2, k)};
                int ends = abs(sides[0]) + abs(sides[1]) + abs(sides[2]);
                if (ends == 0) continue;
                if (ends == 1 || !(radius > 0))
                    add(list, p[0] + sides[0] * radius, p[1] + sides[1] * radius, p[2] + sides[2] * radius, layer);
                else if (ends == 2)
                    add_arc(list, p, sides, radius, arc, layer);
                else
                    add_octant(list, p, sides, radius, arc, d, layer);
            }
        }
}

void couSampleBox(couSampleList *list, couVec3 size, int dimension, float spacing, int layers)
{
    const double length[3] = {size.x, size.y, size.z}, d = spacing;
    for (int axis = 0; axis < dimension; ++axis) list->is_thin |= couIsThinWall(length[axis], d);
    for (int layer = 0; layer < layers; ++layer) {
        Nodes nodes = {.y_ends = ends_both, .dimension = dimension};
        for (int axis = 0; axis < dimension; ++axis) {
            couSheets room = couSheetsOf(length[axis], d, layer);
            if (room == cou_sheetsNone) return;
            if (room == cou_sheetsMiddle) continue;
            nodes.extent[axis] = length[axis] - (2 * layer + 1) * d;
            nodes.lower[axis] = -0.5 * nodes.extent[axis];
            nodes.parts[axis] = even_parts(nodes.extent[axis], d);
        }
        add_surface(list, &nodes, 0.0, d, layer);
    }
}

// The box grown by `more` on all sides; its top, where that is open, is `below` the top of the box instead.
static Nodes grown(const double length[3], double more, double below, Ends ends, int dimension, double d)
{
    Nodes nodes = {.y_ends = ends, .dimension = dimension};
    for (int axis = 0; axis < dimension; ++axis) {
        nodes.lower[axis] = -0.5 * length[axis] - more;
        nodes.extent[axis] = length[axis] + (axis == 1 && ends != ends_both ? more - below : 2 * more);
        if (nodes.extent[axis] >= 0.5 * d) nodes.parts[axis] = even_parts(nodes.extent[axis], d);
    }
    return nodes;
}

// The rim of an open one is a surface too: its sheet is rows around the opening between the inner and the outer sheet.
static void add_rim(couSampleList *list, const double length[3], double depth, double width, int dimension, double d, int layer)
{
    Nodes nodes = grown(length, 0.0, depth, ends_none, dimension, d);
    nodes.lower[1] = 0.5 * length[1] - depth, nodes.extent[1] = 0.0, nodes.parts[1] = 0;
    int rows = even_parts(width, d);
    for (int row = 1; row < rows; ++row) add_surface(list, &nodes, depth + width * row / rows, d, layer);
}

// Leaves out what is from `first` on closer than `apart` to the sheets before it: their sharp edges come near to the round ones.
static void thin_out(couSampleList *list, couNear *near, size_t first, float apart)
{
    size_t kept = first;
    for (size_t k = first; k < list->count; ++k) {
        if (couNear_HasAny(near, list->items[k].point, apart)) continue;
        list->items[kept] = list->items[k];
        list->items[kept].id = (uint32_t)kept;
        ++kept;
    }
    list->count = kept;
    for (size_t k = first; k < kept && !list->has_failed; ++k) list->has_failed = !couNear_Add(near, list->items[k].point);
}

void couSampleHollowBox(couSampleList *list, couVec3 size, float thickness, bool is_open, int dimension, float spacing,
                        int layers)
{
    const double length[3] = {size.x, size.y, size.z}, d = spacing, t = thickness;
    Ends ends = is_open ? ends_bottom : ends_both;
    couNear near = {.memory = list->memory, .dimension = dimension, .inv_cell = 1.0f / spacing};
    list->is_thin |= couIsThinWall(t, d);
    for (int layer = 0; layer < layers && !list->has_failed; ++layer) {
        couSheets room = couSheetsOf(t, d, layer);
        if (room == cou_sheetsNone) break;
        float apart = (layer ? 0.6f : 0.5f) * spacing;
        double depth = (layer + 0.5) * d;
        Nodes inner = grown(length, room == cou_sheetsMiddle ? 0.5 * t : depth, depth, ends, dimension, d);
        size_t first = list->count;
        add_surface(list, &inner, 0.0, d, layer);
        thin_out(list, &near, first, apart);
        if (room == cou_sheetsMiddle) break;
        Nodes outer = grown(length, 0.0, depth, ends, dimension, d);
        first = list->count;
        add_surface(list, &outer, t - depth, d, layer);
        if (is_open) add_rim(list, length, depth, t - 2 * depth, dimension, d, layer);
        thin_out(list, &near, first, apart);
    }
    couSampleNear_Free(&near);
}

// --- Spheres -----------------------------------------------------------------------------------------------------------------

// A spiral by the golden angle whose rows have equal areas; the ends are shifted so that points at the poles are as far apart as
// the others [Roberts 2018, How to evenly distribute points on a sphere].
static void add_spiral(couSampleList *list, double radius, double d, int layer)
{
    const double shift = 0.36, golden = COU_PI * (3.0 - sqrt(5.0));
    double count = COU_MAX(round(4 * COU_PI * radius * radius / (d * d)), 4.0);
    for (double k = 0; k < count && !list->has_failed; ++k) {
        double y = 1.0 - 2.0 * (k + shift) / (count - 1.0 + 2.0 * shift), r = sqrt(1.0 - y * y), angle = golden * k;
        add(list, radius * r * cos(angle), radius * y, radius * r * sin(angle), layer);
    }
}

static void add_circle(couSampleList *list, double radius, double d, int layer)
{
    double count = COU_MAX(round(2 * COU_PI * radius / d), 3.0);
    for (double k = 0; k < count && !list->has_failed; ++k) {
        double angle = 2 * COU_PI * (k + 0.5) / count;
        add(list, radius * cos(angle), radius * sin(angle), 0.0, layer);
    }
}

void couSampleSphere(couSampleList *list, float radius, int dimension, float spacing, int layers)
{
    double d = spacing;
    list->is_thin |= couIsThinWall(2.0 * radius, d);
    for (int layer = 0; layer < layers; ++layer) {
        couSheets room = couSheetsOf(2.0 * radius, d, layer);
        if (room == cou_sheetsNone) return;
        double r = radius - (layer + 0.5) * d;
        if (r < 0.35 * d) { // a few points so close would be one
            add(list, 0, 0, 0, layer);
            return;
        }
        if (dimension == 2)
            add_circle(list, r, d, layer);
        else
            add_spiral(list, r, d, layer);
    }
}
