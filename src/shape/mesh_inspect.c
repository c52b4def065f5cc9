// What is odd about a mesh, and closing its holes.
//
// Vertices at the same place are welded by a hash table, then each triangle's edges are put to the lower of their two vertices
// (a counting sort) and sorted there by the other: all triangles at an edge lie side by side. Triangles that the welding makes
// a line, and second copies, take no part in that: they would hide what the rest is like.
//
// Crossing pairs come from a tree of boxes, halved at the median of the middles. Two triangles cross when an edge of one goes
// from one side of the other's plane to the other side through that triangle; touching is no crossing, to the rounding of
// doubles. Those that share a vertex are not looked at, and neither are faces in one plane. 70,000 triangles take some 0.1 s on
// one core.

#include "shape/mesh_inspect.h"

#include "base/parallel.h"
#include "base/random.h"

#include <stdio.h>

enum {
    leaf_triangles = 4,
    block_triangles = 256,
    block_pairs = 1 << 16, // at most so many tests a block: rubbish of large triangles has pairs without end
};

#define NONE UINT32_MAX

// --- Topology ----------------------------------------------------------------------------------------------------------------

typedef struct Edge {
    uint32_t low, high; // welded vertices
    uint32_t corner;    // it leads from this corner of its triangle to the next
} Edge;

typedef struct Topology {
    const couMesh *mesh;
    size_t triangle_count;
    uint32_t *corners;    // three welded vertices per triangle
    bool *is_skipped;     // per triangle: no area after welding, or a second copy
    Edge *edges;          // by low, high, corner
    size_t edge_count;    // three per triangle that is not skipped
    couMeshReport report; // without crossings
} Topology;

static void free_topology(Topology *topology)
{
    couFree(NULL, topology->corners);
    couFree(NULL, topology->is_skipped);
    couFree(NULL, topology->edges);
}

static uint64_t hash_place(couVec3 p)
{
    uint32_t bits[3];
    memcpy(bits, &p, sizeof bits);
    return couMix64(couMix64(((uint64_t)bits[0] << 32) | bits[1]) ^ bits[2]);
}

bool couWeldVertices(const couVec3 *vertices, size_t count, uint32_t *first)
{
    size_t slots = 16;
    while (slots < 2 * count) slots *= 2;
    uint32_t *table = couAlloc(NULL, slots * sizeof *table);
    for (size_t v = 0; table && v < count; ++v) {
        couVec3 p = {vertices[v].x + 0.0f, vertices[v].y + 0.0f, vertices[v].z + 0.0f}; // no -0
        size_t slot = hash_place(p) & (slots - 1);
        for (; table[slot]; slot = (slot + 1) & (slots - 1)) {
            couVec3 q = vertices[table[slot] - 1];
            if (q.x == p.x && q.y == p.y && q.z == p.z) break;
        }
        if (!table[slot]) table[slot] = (uint32_t)v + 1;
        first[v] = table[slot] - 1;
    }
    couFree(NULL, table);
    return table != NULL;
}

static bool weld(Topology *topology)
{
    const uint32_t *triangles = couMesh_Triangles(topology->mesh);
    size_t vertex_count = couMesh_VertexCount(topology->mesh);
    uint32_t *first = couAlloc(NULL, vertex_count * sizeof *first);
    bool is_good = first && couWeldVertices(couMesh_Vertices(topology->mesh), vertex_count, first);
    for (size_t k = 0; is_good && k < 3 * topology->triangle_count; ++k) topology->corners[k] = first[triangles[k]];
    couFree(NULL, first);
    return is_good;
}

// Less than a ten-millionth as high as long.
static bool has_no_area(const couVec3 *vertices, const uint32_t corners[3])
{
    double e[3][3], longest = 0;
    for (int k = 0; k < 3; ++k) {
        couVec3 a = vertices[corners[k]], b = vertices[corners[(k + 1) % 3]];
        e[k][0] = (double)b.x - a.x, e[k][1] = (double)b.y - a.y, e[k][2] = (double)b.z - a.z;
        longest = fmax(longest, e[k][0] * e[k][0] + e[k][1] * e[k][1] + e[k][2] * e[k][2]);
    }
    double x = e[0][1] * e[1][2] - e[0][2] * e[1][1], y = e[0][2] * e[1][0] - e[0][0] * e[1][2],
           z = e[0][0] * e[1][1] - e[0][1] * e[1][0];
    return !(sqrt(x * x + y * y + z * z) > 1e-7 * longest);
}

static void sort3(uint32_t v[3])
{
    for (int k = 0; k < 3; ++k) {
        int i = k == 1 ? 1 : 0;
        if (v[i] > v[i + 1]) {
            uint32_t swap = v[i];
            v[i] = v[i + 1], v[i + 1] = swap;
        }
    }
}

// Marks what takes no part in the edges.
static bool find_copies(Topology *topology)
{
    size_t count = topology->triangle_count, slots = 16;
    while (slots < 2 * count) slots *= 2;
    uint32_t *table = couAlloc(NULL, slots * sizeof *table);
    bool *is_copied = couAlloc(NULL, count * sizeof *is_copied);
    bool is_good = table && is_copied;
    for (size_t t = 0; is_good && t < count; ++t) {
        uint32_t own[3], other[3];
        memcpy(own, &topology->corners[3 * t], sizeof own);
        sort3(own);
        if (has_no_area(couMesh_Vertices(topology->mesh), own)) ++topology->report.degenerate_count;
        if (own[0] == own[1] || own[1] == own[2]) {
            topology->is_skipped[t] = true;
            continue;
        }
        size_t slot = couMix64(couMix64(((uint64_t)own[0] << 32) | own[1]) ^ own[2]) & (slots - 1);
        for (; table[slot]; slot = (slot + 1) & (slots - 1)) {
            memcpy(other, &topology->corners[3 * (size_t)(table[slot] - 1)], sizeof other);
            sort3(other);
            if (memcmp(own, other, sizeof own) == 0) break;
        }
        if (table[slot]) {
            topology->is_skipped[t] = true;
            if (!is_copied[table[slot] - 1]) ++topology->report.doubled_count;
            is_copied[table[slot] - 1] = true;
        } else {
            table[slot] = (uint32_t)t + 1;
        }
    }
    couFree(NULL, table);
    couFree(NULL, is_copied);
    return is_good;
}

couMesh *couMesh_WithoutCopies(couMesh *mesh)
{
    size_t count = couMesh_TriangleCount(mesh), kept = 0;
    Topology topology = {.mesh = mesh, .triangle_count = count};
    topology.corners = couAlloc(NULL, 3 * count * sizeof *topology.corners);
    topology.is_skipped = couAlloc(NULL, count * sizeof *topology.is_skipped);
    bool is_good = topology.corners && topology.is_skipped && weld(&topology) && find_copies(&topology);
    couMesh *bare = is_good && topology.report.doubled_count == 0 ? couMesh_Retain(mesh) : NULL;
    if (is_good && !bare) {
        for (size_t t = 0; t < count; ++t)
            if (!topology.is_skipped[t]) memmove(&topology.corners[3 * kept++], &topology.corners[3 * t], 3 * sizeof(uint32_t));
        couFaults faults = {0};
        bare = couCreateMesh(couMesh_Vertices(mesh), couMesh_VertexCount(mesh), topology.corners, kept, &faults);
        couFaults_Clear(&faults);
    }
    free_topology(&topology);
    return bare;
}

static Edge edge_at(const Topology *topology, size_t corner)
{
    uint32_t from = topology->corners[corner], to = topology->corners[corner % 3 == 2 ? corner - 2 : corner + 1];
    return (Edge){COU_MIN(from, to), COU_MAX(from, to), (uint32_t)corner};
}

static int compare_edges(const void *a, const void *b)
{
    const Edge *left = a, *right = b;
    if (left->high != right->high) return left->high < right->high ? -1 : 1;
    return left->corner < right->corner ? -1 : left->corner > right->corner;
}

static bool sort_edges(Topology *topology)
{
    size_t vertex_count = couMesh_VertexCount(topology->mesh);
    size_t *start = couAlloc(NULL, (vertex_count + 2) * sizeof *start);
    if (!start) return false;
    // After counting and filling, start[v + 1] is where the edges of v end and start[v] where they begin.
    for (size_t k = 0; k < 3 * topology->triangle_count; ++k)
        if (!topology->is_skipped[k / 3]) ++start[edge_at(topology, k).low + 2], ++topology->edge_count;
    for (size_t v = 1; v < vertex_count + 2; ++v) start[v] += start[v - 1];
    for (size_t k = 0; k < 3 * topology->triangle_count; ++k) {
        Edge edge = edge_at(topology, k);
        if (!topology->is_skipped[k / 3]) topology->edges[start[edge.low + 1]++] = edge;
    }
    for (size_t v = 0; v < vertex_count; ++v)
        if (start[v + 1] - start[v] > 1)
            couSort(topology->edges + start[v], start[v + 1] - start[v], sizeof(Edge), compare_edges);
    couFree(NULL, start);
    return true;
}

// The end of the run of equal edges that begins here.
static size_t edge_end(const Topology *topology, size_t begin)
{
    const Edge *edges = topology->edges;
    size_t end = begin + 1;
    while (end < topology->edge_count && edges[end].low == edges[begin].low && edges[end].high == edges[begin].high) ++end;
    return end;
}

static void count_edges(Topology *topology)
{
    couMeshReport *report = &topology->report;
    bool is_balanced = true;
    for (size_t begin = 0, end; begin < topology->edge_count; begin = end) {
        end = edge_end(topology, begin);
        size_t forward = 0;
        for (size_t k = begin; k < end; ++k) forward += topology->corners[topology->edges[k].corner] == topology->edges[k].low;
        is_balanced &= 2 * forward == end - begin;
        if (end - begin == 1) ++report->open_edge_count;
        if (end - begin > 2) ++report->crowded_edge_count;
        if (end - begin == 2 && forward != 1) ++report->flipped_edge_count;
    }
    report->is_closed = topology->edge_count > 0 && report->open_edge_count == 0;
    report->is_oriented = report->is_closed && is_balanced;
}

static uint32_t find_root(uint32_t *parents, uint32_t v)
{
    while (parents[v] != v) v = parents[v] = parents[parents[v]];
    return v;
}

static bool count_parts(Topology *topology)
{
    size_t vertex_count = couMesh_VertexCount(topology->mesh);
    uint32_t *parents = couAlloc(NULL, vertex_count * sizeof *parents);
    bool *is_used = couAlloc(NULL, vertex_count * sizeof *is_used);
    bool is_good = parents && is_used;
    for (size_t v = 0; is_good && v < vertex_count; ++v) parents[v] = (uint32_t)v;
    for (size_t k = 0; is_good && k < topology->edge_count; ++k) {
        is_used[topology->edges[k].low] = is_used[topology->edges[k].high] = true;
        uint32_t a = find_root(parents, topology->edges[k].low), b = find_root(parents, topology->edges[k].high);
        if (a != b) parents[COU_MAX(a, b)] = COU_MIN(a, b);
    }
    for (size_t v = 0; is_good && v < vertex_count; ++v) topology->report.part_count += is_used[v] && parents[v] == v;
    couFree(NULL, parents);
    couFree(NULL, is_used);
    return is_good;
}

// False without memory; free it in any case.
static bool make_topology(Topology *topology, const couMesh *mesh)
{
    size_t count = couMesh_TriangleCount(mesh);
    *topology = (Topology){.mesh = mesh, .triangle_count = count};
    topology->corners = couAlloc(NULL, 3 * count * sizeof *topology->corners);
    topology->is_skipped = couAlloc(NULL, count * sizeof *topology->is_skipped);
    topology->edges = couAlloc(NULL, 3 * count * sizeof *topology->edges);
    if (!topology->corners || !topology->is_skipped || !topology->edges) return false;
    if (!weld(topology) || !find_copies(topology) || !sort_edges(topology) || !count_parts(topology)) return false;
    count_edges(topology);
    return true;
}

bool couMesh_IsSolid(const couMesh *mesh)
{
    Topology topology;
    bool is_solid = make_topology(&topology, mesh) && topology.report.is_oriented && topology.report.part_count == 1 &&
                    topology.report.doubled_count == 0;
    free_topology(&topology);
    return is_solid;
}

// --- Holes -------------------------------------------------------------------------------------------------------------------

// An open edge, walked one of both ways.
typedef struct Rim {
    uint32_t from, to; // welded vertices
    uint32_t edge;     // both ways have the same
    bool is_backward;  // the way that its own triangle goes; one that closes the hole should go the other
} Rim;

typedef void LoopFcn(void *context, const Rim *const *loop, size_t count);

typedef struct Walk {
    Rim *rims; // by from, the right way first
    size_t count;
    bool *is_walked;  // per open edge
    uint32_t *next;   // per vertex: the first rim from there that may not be walked yet
    uint32_t *place;  // per vertex: where on the path it is left, NONE when it is not
    const Rim **path; // the way walked so far
    size_t length;
    LoopFcn *function;
    void *context;
    size_t loop_count;
} Walk;

static int compare_rims(const void *a, const void *b)
{
    const Rim *left = a, *right = b;
    if (left->from != right->from) return left->from < right->from ? -1 : 1;
    if (left->is_backward != right->is_backward) return left->is_backward ? 1 : -1;
    return left->edge < right->edge ? -1 : left->edge > right->edge;
}

// An open edge from this vertex that was not walked yet.
static const Rim *next_rim(Walk *walk, uint32_t from)
{
    uint32_t *next = &walk->next[from];
    for (; *next < walk->count && walk->rims[*next].from == from; ++*next)
        if (!walk->is_walked[walk->rims[*next].edge]) return &walk->rims[*next];
    return NULL;
}

// Goes on until the way ends, and cuts off a loop each time it comes back to where it was.
static void walk_from(Walk *walk, const Rim *rim)
{
    for (; rim; rim = next_rim(walk, rim->to)) {
        walk->is_walked[rim->edge] = true;
        walk->place[rim->from] = (uint32_t)walk->length;
        walk->path[walk->length++] = rim;
        size_t begin = walk->place[rim->to];
        if (begin == NONE) continue;
        if (walk->function) walk->function(walk->context, walk->path + begin, walk->length - begin);
        ++walk->loop_count;
        for (size_t k = begin; k < walk->length; ++k) walk->place[walk->path[k]->from] = NONE;
        walk->length = begin;
    }
    while (walk->length > 0) walk->place[walk->path[--walk->length]->from] = NONE;
}

static void collect_rims(Walk *walk, const Topology *topology)
{
    uint32_t open = 0;
    for (size_t begin = 0, end; begin < topology->edge_count; begin = end) {
        end = edge_end(topology, begin);
        if (end - begin > 1) continue;
        Edge edge = topology->edges[begin];
        uint32_t start = topology->corners[edge.corner], stop = start == edge.low ? edge.high : edge.low;
        walk->rims[walk->count++] = (Rim){stop, start, open, false};
        walk->rims[walk->count++] = (Rim){start, stop, open++, true};
    }
    couSort(walk->rims, walk->count, sizeof *walk->rims, compare_rims);
    for (size_t k = walk->count; k-- > 0;) walk->next[walk->rims[k].from] = (uint32_t)k;
}

// Calls the function, if any, for each loop of open edges. False without memory.
static bool walk_holes(const Topology *topology, LoopFcn *function, void *context, size_t *loop_count)
{
    size_t open = topology->report.open_edge_count, vertex_count = couMesh_VertexCount(topology->mesh);
    *loop_count = 0;
    if (open == 0) return true;
    Walk walk = {.function = function, .context = context};
    walk.rims = couAlloc(NULL, 2 * open * sizeof *walk.rims);
    walk.is_walked = couAlloc(NULL, open * sizeof *walk.is_walked);
    walk.path = couAlloc(NULL, open * sizeof *walk.path);
    walk.next = couAlloc(NULL, vertex_count * sizeof *walk.next);
    walk.place = couAlloc(NULL, vertex_count * sizeof *walk.place);
    bool is_good = walk.rims && walk.is_walked && walk.path && walk.next && walk.place;
    if (is_good) {
        memset(walk.place, 0xff, vertex_count * sizeof *walk.place);
        collect_rims(&walk, topology);
        for (size_t k = 0; k < walk.count; ++k)
            if (!walk.is_walked[walk.rims[k].edge]) walk_from(&walk, &walk.rims[k]);
    }
    couFree(NULL, walk.rims);
    couFree(NULL, walk.is_walked);
    couFree(NULL, walk.path);
    couFree(NULL, walk.next);
    couFree(NULL, walk.place);
    *loop_count = walk.loop_count;
    return is_good;
}

typedef struct Patching {
    const Topology *topology;
    couVec3 *vertices;
    uint32_t *triangles;
    size_t vertex_count, triangle_count;
} Patching;

// A fan around the middle of the rim, each edge counted by its length.
static void patch_hole(void *context, const Rim *const *loop, size_t count)
{
    Patching *patching = context;
    const couVec3 *vertices = couMesh_Vertices(patching->topology->mesh);
    double sum[3] = {0}, total = 0;
    for (size_t k = 0; k < count; ++k) {
        couVec3 a = vertices[loop[k]->from], b = vertices[loop[k]->to];
        double length = couLength(couSub(b, a));
        sum[0] += 0.5 * length * ((double)a.x + b.x);
        sum[1] += 0.5 * length * ((double)a.y + b.y);
        sum[2] += 0.5 * length * ((double)a.z + b.z);
        total += length;
    }
    uint32_t middle = (uint32_t)patching->vertex_count++;
    patching->vertices[middle] = (couVec3){(float)(sum[0] / total), (float)(sum[1] / total), (float)(sum[2] / total)};
    for (size_t k = 0; k < count; ++k) {
        uint32_t *triangle = &patching->triangles[3 * patching->triangle_count++];
        triangle[0] = loop[k]->from, triangle[1] = loop[k]->to, triangle[2] = middle;
    }
}

couMesh *couMesh_CloseHoles(const couMesh *mesh)
{
    size_t vertex_count = couMesh_VertexCount(mesh), triangle_count = couMesh_TriangleCount(mesh), loops;
    Topology topology;
    Patching patching = {.topology = &topology, .vertex_count = vertex_count, .triangle_count = triangle_count};
    bool is_good = make_topology(&topology, mesh);
    if (is_good) {
        // Each open edge makes one triangle, and a loop has three edges or more.
        size_t open = topology.report.open_edge_count;
        patching.vertices = couAlloc(NULL, (vertex_count + open) * sizeof *patching.vertices);
        patching.triangles = couAlloc(NULL, 3 * (triangle_count + open) * sizeof *patching.triangles);
    }
    couMesh *closed = NULL;
    if (patching.vertices && patching.triangles) {
        memcpy(patching.vertices, couMesh_Vertices(mesh), vertex_count * sizeof *patching.vertices);
        memcpy(patching.triangles, couMesh_Triangles(mesh), 3 * triangle_count * sizeof *patching.triangles);
        if (walk_holes(&topology, patch_hole, &patching, &loops))
            closed = couCreateMesh(patching.vertices, patching.vertex_count, patching.triangles, patching.triangle_count, NULL);
    }
    couFree(NULL, patching.vertices);
    couFree(NULL, patching.triangles);
    free_topology(&topology);
    return closed;
}

// --- Crossings ---------------------------------------------------------------------------------------------------------------

typedef struct Node {
    couBounds bounds;
    uint32_t begin, end; // of the triangles in order
    uint32_t right;      // second child, 0 for a leaf; the first is the next node
} Node;

typedef struct Crossings {
    const Topology *topology;
    couBounds *bounds; // per triangle
    uint32_t *order;
    Node *nodes;
    uint32_t node_count;
    size_t *counts; // per block
} Crossings;

static couBounds unite(couBounds a, couBounds b)
{
    return (couBounds){{fminf(a.lower.x, b.lower.x), fminf(a.lower.y, b.lower.y), fminf(a.lower.z, b.lower.z)},
                       {fmaxf(a.upper.x, b.upper.x), fmaxf(a.upper.y, b.upper.y), fmaxf(a.upper.z, b.upper.z)}};
}

static bool do_overlap(const couBounds *a, const couBounds *b)
{
    return a->lower.x <= b->upper.x && b->lower.x <= a->upper.x && a->lower.y <= b->upper.y && b->lower.y <= a->upper.y &&
           a->lower.z <= b->upper.z && b->lower.z <= a->upper.z;
}

// Twice the middle of a triangle's bounds along an axis.
static float middle_of(const Crossings *crossings, uint32_t t, int axis)
{
    const couBounds *b = &crossings->bounds[t];
    return axis == 0 ? b->lower.x + b->upper.x : axis == 1 ? b->lower.y + b->upper.y : b->lower.z + b->upper.z;
}

// Quickselect: afterwards no triangle before `middle` lies beyond one after it.
static void split(const Crossings *crossings, uint32_t begin, uint32_t end, uint32_t middle, int axis)
{
    uint32_t *order = crossings->order;
    int64_t low = begin, high = (int64_t)end - 1;
    while (low < high) {
        float pivot = middle_of(crossings, order[(low + high) / 2], axis);
        int64_t i = low, j = high;
        while (i <= j) {
            while (middle_of(crossings, order[i], axis) < pivot) ++i;
            while (middle_of(crossings, order[j], axis) > pivot) --j;
            if (i > j) break;
            uint32_t swap = order[i];
            order[i++] = order[j], order[j--] = swap;
        }
        if (middle <= j)
            high = j;
        else if (middle >= i)
            low = i;
        else
            return;
    }
}

static uint32_t build_node(Crossings *crossings, uint32_t begin, uint32_t end)
{
    uint32_t index = crossings->node_count++;
    couBounds bounds = crossings->bounds[crossings->order[begin]];
    for (uint32_t k = begin + 1; k < end; ++k) bounds = unite(bounds, crossings->bounds[crossings->order[k]]);
    crossings->nodes[index] = (Node){bounds, begin, end, 0};
    if (end - begin <= leaf_triangles) return index;
    couVec3 size = couSub(bounds.upper, bounds.lower);
    int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
    uint32_t middle = begin + (end - begin) / 2;
    split(crossings, begin, end, middle, axis);
    build_node(crossings, begin, middle);
    crossings->nodes[index].right = build_node(crossings, middle, end);
    return index;
}

// The side of d from the plane through a, b, c: its sign, or 0 within the rounding of the products.
static int side_of(const couVec3 *a, const couVec3 *b, const couVec3 *c, const couVec3 *d)
{
    double ax = (double)a->x - d->x, ay = (double)a->y - d->y, az = (double)a->z - d->z;
    double bx = (double)b->x - d->x, by = (double)b->y - d->y, bz = (double)b->z - d->z;
    double cx = (double)c->x - d->x, cy = (double)c->y - d->y, cz = (double)c->z - d->z;
    double det = ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx);
    double size = fabs(ax) * (fabs(by * cz) + fabs(bz * cy)) + fabs(ay) * (fabs(bz * cx) + fabs(bx * cz)) +
                  fabs(az) * (fabs(bx * cy) + fabs(by * cx));
    if (fabs(det) <= 1e-14 * size) return 0;
    return det > 0 ? 1 : -1;
}

// An edge of p goes from one side of the plane of q to the other, through the inside of q: a hit on the rim may be a touch only.
static bool pierces(const couVec3 *p[3], const couVec3 *q[3])
{
    int sides[3];
    for (int k = 0; k < 3; ++k) sides[k] = side_of(q[0], q[1], q[2], p[k]);
    for (int k = 0; k < 3; ++k) {
        const couVec3 *from = p[k], *to = p[(k + 1) % 3];
        if (sides[k] * sides[(k + 1) % 3] >= 0) continue;
        int a = side_of(from, to, q[0], q[1]), b = side_of(from, to, q[1], q[2]), c = side_of(from, to, q[2], q[0]);
        if (a != 0 && a == b && b == c) return true;
    }
    return false;
}

static bool do_cross(const Topology *topology, uint32_t s, uint32_t t)
{
    const uint32_t *a = &topology->corners[3 * (size_t)s], *b = &topology->corners[3 * (size_t)t];
    for (int i = 0; i < 3; ++i)
        if (a[i] == b[0] || a[i] == b[1] || a[i] == b[2]) return false;
    const couVec3 *vertices = couMesh_Vertices(topology->mesh);
    const couVec3 *p[3] = {&vertices[a[0]], &vertices[a[1]], &vertices[a[2]]};
    const couVec3 *q[3] = {&vertices[b[0]], &vertices[b[1]], &vertices[b[2]]};
    return pierces(p, q) || pierces(q, p);
}

static void find_crossings(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)worker;
    Crossings *crossings = context;
    const Topology *topology = crossings->topology;
    size_t pairs = 0, count = 0;
    uint32_t stack[64];
    for (size_t t = begin; t < end && pairs < block_pairs; ++t) {
        if (topology->is_skipped[t]) continue;
        const couBounds *own = &crossings->bounds[t];
        int depth = 0;
        for (stack[depth++] = 0; depth > 0 && pairs < block_pairs;) {
            uint32_t index = stack[--depth];
            const Node *node = &crossings->nodes[index];
            if (!do_overlap(own, &node->bounds)) continue;
            if (node->right) {
                stack[depth++] = node->right;
                stack[depth++] = index + 1;
                continue;
            }
            for (uint32_t k = node->begin; k < node->end; ++k) {
                uint32_t other = crossings->order[k];
                if (other <= t || topology->is_skipped[other] || !do_overlap(own, &crossings->bounds[other])) continue;
                ++pairs;
                count += do_cross(topology, (uint32_t)t, other);
            }
        }
    }
    crossings->counts[block] = count;
}

static bool count_crossings(const Topology *topology, int threads, size_t *crossing_count)
{
    size_t count = topology->triangle_count;
    int blocks = couBlockCount(count, block_triangles);
    Crossings crossings = {.topology = topology};
    crossings.bounds = couAlloc(NULL, count * sizeof *crossings.bounds);
    crossings.order = couAlloc(NULL, count * sizeof *crossings.order);
    crossings.nodes = couAlloc(NULL, 2 * count * sizeof *crossings.nodes);
    crossings.counts = couAlloc(NULL, (size_t)blocks * sizeof *crossings.counts);
    bool is_good = crossings.bounds && crossings.order && crossings.nodes && crossings.counts;
    if (is_good) {
        const couVec3 *vertices = couMesh_Vertices(topology->mesh);
        for (size_t t = 0; t < count; ++t) {
            const uint32_t *corners = &topology->corners[3 * t];
            couBounds bounds = {vertices[corners[0]], vertices[corners[0]]};
            for (int k = 1; k < 3; ++k) bounds = unite(bounds, (couBounds){vertices[corners[k]], vertices[corners[k]]});
            crossings.bounds[t] = bounds;
            crossings.order[t] = (uint32_t)t;
        }
        build_node(&crossings, 0, (uint32_t)count);
        couParallel parallel = couMakeParallel(threads);
        couFor(&parallel, count, block_triangles, find_crossings, &crossings);
        couFreeParallel(&parallel);
        for (int block = 0; block < blocks; ++block) *crossing_count += crossings.counts[block];
    }
    couFree(NULL, crossings.bounds);
    couFree(NULL, crossings.order);
    couFree(NULL, crossings.nodes);
    couFree(NULL, crossings.counts);
    return is_good;
}

// --- Report ------------------------------------------------------------------------------------------------------------------

couMeshReport couMesh_Inspect(const couMesh *mesh, int threads)
{
    Topology topology;
    couMeshReport report = {0};
    bool is_good = make_topology(&topology, mesh);
    if (is_good) report = topology.report;
    is_good = is_good && walk_holes(&topology, NULL, NULL, &report.hole_count) &&
              count_crossings(&topology, threads, &report.crossing_count);
    if (!is_good) couLog(cou_logWarning, "no memory to inspect a mesh of %zu triangles", couMesh_TriangleCount(mesh));
    free_topology(&topology);
    return report;
}

void couMeshReport_Format(const couMeshReport *report, char *text, size_t size)
{
    const struct {
        size_t count;
        const char *one, *many;
    } findings[] = {
        {report->open_edge_count, "open edge", "open edges"},
        {report->hole_count, "hole", "holes"},
        {report->crowded_edge_count, "edge with more than two triangles", "edges with more than two triangles"},
        {report->flipped_edge_count, "edge whose triangles face opposite ways", "edges whose triangles face opposite ways"},
        {report->doubled_count, "triangle that is there more than once", "triangles that are there more than once"},
        {report->degenerate_count, "triangle without area", "triangles without area"},
        {report->crossing_count, "pair of triangles that cross", "pairs of triangles that cross"},
    };
    size_t length = 0;
    if (size > 0) text[0] = '\0';
    for (int k = 0; k < COU_COUNT(findings); ++k) {
        if (findings[k].count == 0 || length >= size) continue;
        length += (size_t)snprintf(text + length, size - length, "%s%zu %s", length > 0 ? ", " : "", findings[k].count,
                                   findings[k].count == 1 ? findings[k].one : findings[k].many);
    }
}
