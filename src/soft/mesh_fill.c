// A closed chain of triangles (segments in the plane) filled with cells: its own points, those of a lattice inside, joined by
// Delaunay's cells as far as their centres are inside.
//
// Two things can go wrong, and each is mended a few times and then counted: Delaunay's cells need not contain the edges of the
// surface, so edges that are missing and not flat are halved; and a cell between four points of one circle is flat though its
// edges are not, so lattice points of such slivers are moved by a fifth of the spacing. Slivers on the surface are taken off.

#include "base/random.h"
#include "shape/mesh_inspect.h"
#include "soft/enclosure.h"
#include "soft/solid_mesh.h"

#define MOST_CELLS 1e7
#define CLEARANCE 0.55   // of lattice points from the surface / spacing
#define SLIVER 0.1       // quality below which a cell is mended
#define SHORTEST 0.6     // edge that is halved / spacing: tiny cells would ask for tiny steps
#define FLAT_COSINE 0.98 // between normals of triangles whose common edge may go
enum { MOST_SPLITS = 6, MOST_MOVES = 6, MOST_PEELS = 12 };

typedef struct Filling {
    int dimension, corners;
    double spacing;
    COU_ARRAY(couDouble3) points; // of the surface first
    COU_ARRAY(uint32_t) sides;    // `dimension` numbers each
    size_t surface_count;         // points of the surface
    couEnclosure enclosure;
    uint32_t *cells;
    size_t cell_count;
    bool *is_kept;
} Filling;

static void free_cells(Filling *filling)
{
    couFree(NULL, filling->cells);
    couFree(NULL, filling->is_kept);
    filling->cells = NULL;
    filling->is_kept = NULL;
}

static void free_filling(Filling *filling)
{
    COU_FREE_ARRAY(NULL, &filling->points);
    COU_FREE_ARRAY(NULL, &filling->sides);
    couEnclosure_Free(&filling->enclosure);
    free_cells(filling);
}

static bool add_point(Filling *filling, couDouble3 p)
{
    if (!COU_RESERVE(NULL, &filling->points, filling->points.count + 1)) return false;
    filling->points.items[filling->points.count++] = p;
    return true;
}

static bool say_short(const Filling *filling, couFaults *faults)
{
    couFaults_Add(faults, NULL, "solid_mesh", "out of memory for %zu points", filling->points.count);
    return false;
}

// --- The surface -------------------------------------------------------------------------------------------------------------

typedef struct Edge {
    uint32_t low, high;
    int sum;           // directed: 0 when as many sides go along it either way
    uint32_t sides[2]; // two of the sides that have it
    uint32_t count, middle;
} Edge;

static int compare_edges(const void *a, const void *b)
{
    const Edge *s = a, *t = b;
    if (s->low != t->low) return s->low < t->low ? -1 : 1;
    if (s->high != t->high) return s->high < t->high ? -1 : 1;
    return (s->sides[0] > t->sides[0]) - (s->sides[0] < t->sides[0]);
}

// Edges of the triangles, each once; NULL without memory. Ends of segments count as edges (p, p) in the plane.
static Edge *list_edges(const Filling *filling, size_t *count)
{
    size_t sides = filling->sides.count / (size_t)filling->dimension, n = 0;
    Edge *edges = couAlloc(NULL, (sides * (size_t)filling->dimension + 1) * sizeof *edges);
    for (size_t s = 0; edges && s < sides; ++s) {
        const uint32_t *corner = &filling->sides.items[s * (size_t)filling->dimension];
        for (int k = 0; k < filling->dimension; ++k) {
            uint32_t a = corner[k], b = filling->dimension == 3 ? corner[(k + 1) % 3] : a;
            int sign = filling->dimension == 3 ? (a < b ? 1 : -1) : (k ? 1 : -1);
            edges[n++] = (Edge){COU_MIN(a, b), COU_MAX(a, b), sign, {(uint32_t)s, 0}, 1, UINT32_MAX};
        }
    }
    if (!edges) return NULL;
    couSort(edges, n, sizeof *edges, compare_edges);
    size_t kept = 0;
    for (size_t k = 0; k < n; ++k) {
        if (kept && edges[kept - 1].low == edges[k].low && edges[kept - 1].high == edges[k].high) {
            Edge *edge = &edges[kept - 1];
            if (edge->count == 1) edge->sides[1] = edges[k].sides[0];
            edge->sum += edges[k].sum;
            edge->count++;
        } else {
            edges[kept++] = edges[k];
        }
    }
    *count = kept;
    return edges;
}

static bool check_closed(const Filling *filling, couFaults *faults)
{
    size_t count, open = 0;
    Edge *edges = list_edges(filling, &count);
    if (!edges) return say_short(filling, faults);
    for (size_t e = 0; e < count; ++e) open += edges[e].sum != 0;
    couFree(NULL, edges);
    if (!open) return true;
    couFaults_Add(faults, NULL, "solid_mesh", "the surface is not closed: %zu of its %s are open or turned the wrong way", open,
                  filling->dimension == 3 ? "edges" : "points");
    return false;
}

// --- The lattice -------------------------------------------------------------------------------------------------------------

static bool try_point(Filling *filling, couDouble3 p)
{
    if (couEnclosure_Winding(&filling->enclosure, p) == 0) return true;
    if (couEnclosure_Distance(&filling->enclosure, p) < CLEARANCE * filling->spacing) return true;
    return add_point(filling, p);
}

// A body-centred lattice, whose cells are all alike and as even as space allows; triangles of equal edges in the plane.
static bool add_lattice(Filling *filling, couFaults *faults)
{
    couDouble3 lower = filling->enclosure.lower, size = couSub3(filling->enclosure.upper, lower);
    double d = filling->spacing, a = 1.07 * d; // edges of a and 0.87 a: d on the average
    double estimate = filling->dimension == 3 ? 12.0 * size.x * size.y * size.z / (a * a * a) : 2.4 * size.x * size.y / (d * d);
    if (!(estimate < 10 * MOST_CELLS)) {
        couFaults_Add(faults, NULL, "solid_mesh", "a spacing of %g m gives up to %.3g cells; the most is %g", d, estimate,
                      MOST_CELLS);
        return false;
    }
    bool is_good = true;
    if (filling->dimension == 2) {
        double row = 0.5 * sqrt(3.0) * d;
        for (int y = 0; y * row < size.y && is_good; ++y)
            for (int x = 0; (x + 0.5 * (y % 2)) * d < size.x && is_good; ++x)
                is_good = try_point(filling, (couDouble3){lower.x + (x + 0.5 * (y % 2)) * d, lower.y + (y + 0.5) * row, 0});
    } else {
        for (int z = 0; z * a < size.z && is_good; ++z)
            for (int y = 0; y * a < size.y && is_good; ++y)
                for (int x = 0; x * a < size.x && is_good; ++x)
                    for (int half = 0; half < 2 && is_good; ++half) {
                        couDouble3 p = {x + 0.5 * half, y + 0.5 * half, z + 0.5 * half};
                        is_good = try_point(filling, couMulAdd3(lower, a, p));
                    }
    }
    return is_good || say_short(filling, faults);
}

// --- Cells -------------------------------------------------------------------------------------------------------------------

static void corners_of(const Filling *filling, size_t cell, couDouble3 p[COU_MAX_CORNERS])
{
    for (int k = 0; k < filling->corners; ++k)
        p[k] = filling->points.items[filling->cells[cell * (size_t)filling->corners + (size_t)k]];
}

static double quality_of(const Filling *filling, size_t cell)
{
    couDouble3 p[COU_MAX_CORNERS];
    corners_of(filling, cell, p);
    return couCellQuality(filling->dimension, p);
}

// Joins the points and keeps the cells whose centre is inside.
static bool join(Filling *filling, couFaults *faults)
{
    free_cells(filling);
    if (!couDelaunay(filling->dimension, filling->points.items, filling->points.count, &filling->cells, &filling->cell_count,
                     faults))
        return false;
    if ((double)filling->cell_count > MOST_CELLS) {
        couFaults_Add(faults, NULL, "solid_mesh", "a spacing of %g m gives %zu cells; the most is %g", filling->spacing,
                      filling->cell_count, MOST_CELLS);
        return false;
    }
    filling->is_kept = couAlloc(NULL, (filling->cell_count + 1) * sizeof *filling->is_kept);
    if (!filling->is_kept) return say_short(filling, faults);
    for (size_t c = 0; c < filling->cell_count; ++c) {
        couDouble3 p[COU_MAX_CORNERS], middle = {0, 0, 0};
        corners_of(filling, c, p);
        for (int k = 0; k < filling->corners; ++k) middle = couMulAdd3(middle, 1.0 / filling->corners, p[k]);
        filling->is_kept[c] = couEnclosure_Winding(&filling->enclosure, middle) != 0;
    }
    return true;
}

static size_t count_slivers(const Filling *filling)
{
    size_t count = 0;
    for (size_t c = 0; c < filling->cell_count; ++c) count += filling->is_kept[c] && quality_of(filling, c) < SLIVER;
    return count;
}

// Moves the lattice points of slivers, about the places that they had in the lattice.
static void move_slivers(Filling *filling, const couDouble3 *lattice, uint64_t round)
{
    for (size_t c = 0; c < filling->cell_count; ++c) {
        if (!filling->is_kept[c] || quality_of(filling, c) >= SLIVER) continue;
        for (int k = 0; k < filling->corners; ++k) {
            uint32_t i = filling->cells[c * (size_t)filling->corners + (size_t)k];
            if (i < filling->surface_count) continue;
            couRandom random = {couMix64(i + (round << 32))};
            double reach = 0.2 * filling->spacing;
            couDouble3 shift = {(double)couRandomSigned(&random), (double)couRandomSigned(&random),
                                filling->dimension == 3 ? (double)couRandomSigned(&random) : 0};
            filling->points.items[i] = couMulAdd3(lattice[i - filling->surface_count], reach, shift);
        }
    }
}

static bool mend_slivers(Filling *filling, couFaults *faults)
{
    size_t lattice_count = filling->points.count - filling->surface_count, least = count_slivers(filling);
    size_t bytes = (lattice_count + 1) * sizeof(couDouble3);
    couDouble3 *lattice = couAlloc(NULL, bytes), *best = couAlloc(NULL, bytes),
               *now = filling->points.items + filling->surface_count;
    bool is_good = lattice && best;
    if (is_good) {
        memcpy(lattice, now, lattice_count * sizeof *now);
        memcpy(best, now, lattice_count * sizeof *now);
    }
    bool is_best = true;
    for (uint64_t round = 1; is_good && least && lattice_count && round <= MOST_MOVES; ++round) {
        move_slivers(filling, lattice, round);
        is_good = join(filling, faults);
        size_t count = is_good ? count_slivers(filling) : 0;
        is_best = is_good && count < least;
        if (!is_best) continue;
        least = count;
        memcpy(best, now, lattice_count * sizeof *now);
    }
    if (is_good && !is_best) {
        memcpy(now, best, lattice_count * sizeof *now);
        is_good = join(filling, faults);
    }
    if (!lattice || !best) say_short(filling, faults);
    couFree(NULL, lattice);
    couFree(NULL, best);
    return is_good;
}

// --- Edges of the surface that no cell has -----------------------------------------------------------------------------------

static couDouble3 normal_of(const Filling *filling, uint32_t side)
{
    const uint32_t *n = &filling->sides.items[3 * (size_t)side];
    couDouble3 a = filling->points.items[n[0]];
    couDouble3 normal = couCross3(couSub3(filling->points.items[n[1]], a), couSub3(filling->points.items[n[2]], a));
    double length = couLength3(normal);
    return length > 0 ? couScale3(1.0 / length, normal) : normal;
}

static Edge *find_edge(Edge *edges, size_t count, uint32_t a, uint32_t b)
{
    uint32_t low = COU_MIN(a, b), high = COU_MAX(a, b);
    size_t from = 0, to = count;
    while (from < to) {
        size_t middle = (from + to) / 2;
        if (edges[middle].low < low || (edges[middle].low == low && edges[middle].high < high))
            from = middle + 1;
        else
            to = middle;
    }
    return from < count && edges[from].low == low && edges[from].high == high ? &edges[from] : NULL;
}

// Marks (middle = 0) the edges that some kept cell has, and those that need none.
static void mark_edges(const Filling *filling, Edge *edges, size_t count)
{
    for (size_t c = 0; c < filling->cell_count; ++c) {
        const uint32_t *n = &filling->cells[c * 4];
        for (int a = 0; a < 4 && filling->is_kept[c]; ++a)
            for (int b = a + 1; b < 4; ++b) {
                Edge *edge = find_edge(edges, count, n[a], n[b]);
                if (edge) edge->middle = 0;
            }
    }
    for (size_t e = 0; e < count; ++e) {
        couDouble3 way = couSub3(filling->points.items[edges[e].low], filling->points.items[edges[e].high]);
        if (couLength3(way) < SHORTEST * filling->spacing) edges[e].middle = 0;
        if (edges[e].count == 2 &&
            couDot3(normal_of(filling, edges[e].sides[0]), normal_of(filling, edges[e].sides[1])) > FLAT_COSINE)
            edges[e].middle = 0;
    }
}

// A triangle with one to three of its edges halved; m[k] is the middle between corners k and k + 1, 0 where there is none.
// Writes up to four, returns how many.
static int cut_triangle(const uint32_t n[3], const uint32_t m[3], uint32_t out[12])
{
    int halved = (m[0] != 0) + (m[1] != 0) + (m[2] != 0), k = 0;
    if (halved == 0) {
        memcpy(out, n, 3 * sizeof *n);
        return 1;
    }
    if (halved == 3) {
        const uint32_t all[12] = {n[0], m[0], m[2], n[1], m[1], m[0], n[2], m[2], m[1], m[0], m[1], m[2]};
        memcpy(out, all, sizeof all);
        return 4;
    }
    while (halved == 1 ? !m[k] : m[(k + 2) % 3] != 0) ++k; // turned so that edge k is halved, k + 2 is not
    uint32_t a = n[k], b = n[(k + 1) % 3], c = n[(k + 2) % 3], ab = m[k], bc = m[(k + 1) % 3];
    if (halved == 1) {
        memcpy(out, (uint32_t[6]){a, ab, c, ab, b, c}, 6 * sizeof *out);
        return 2;
    }
    memcpy(out, (uint32_t[9]){b, bc, ab, a, ab, c, ab, bc, c}, 9 * sizeof *out);
    return 3;
}

// Replaces triangles by their parts, by the edges' middles (0: none). False without memory.
static bool cut_sides(Filling *filling, Edge *edges, size_t edge_count)
{
    size_t sides = filling->sides.count / 3;
    Filling other = {0};
    for (size_t s = 0; s < sides; ++s) {
        const uint32_t *n = &filling->sides.items[3 * s];
        uint32_t m[3], parts[12];
        for (int k = 0; k < 3; ++k) m[k] = find_edge(edges, edge_count, n[k], n[(k + 1) % 3])->middle;
        int count = cut_triangle(n, m, parts);
        if (!COU_RESERVE(NULL, &other.sides, other.sides.count + 12)) {
            COU_FREE_ARRAY(NULL, &other.sides);
            return false;
        }
        memcpy(&other.sides.items[other.sides.count], parts, (size_t)count * 3 * sizeof *parts);
        other.sides.count += (size_t)count * 3;
    }
    COU_FREE_ARRAY(NULL, &filling->sides);
    memcpy(&filling->sides, &other.sides, sizeof filling->sides);
    return true;
}

// Halves the edges that are missing, and drops the lattice if there are any. *halved: how many.
static bool halve_missing(Filling *filling, size_t *halved, couFaults *faults)
{
    size_t count;
    Edge *edges = list_edges(filling, &count);
    if (!edges) return say_short(filling, faults);
    mark_edges(filling, edges, count);
    *halved = 0;
    for (size_t e = 0; e < count; ++e) *halved += edges[e].middle != 0;
    bool is_good = true;
    if (*halved) filling->points.count = filling->surface_count;
    for (size_t e = 0; e < count && is_good; ++e) {
        if (!edges[e].middle) continue;
        couDouble3 middle = couScale3(0.5, couAdd3(filling->points.items[edges[e].low], filling->points.items[edges[e].high]));
        edges[e].middle = (uint32_t)filling->points.count;
        is_good = add_point(filling, middle);
    }
    if (is_good && *halved) is_good = cut_sides(filling, edges, count);
    if (*halved) filling->surface_count = filling->points.count;
    couFree(NULL, edges);
    return is_good || say_short(filling, faults);
}

// --- All ---------------------------------------------------------------------------------------------------------------------

typedef struct Wall {
    uint32_t key[3], cell; // corners in ascending order
} Wall;

static int compare_walls(const void *a, const void *b)
{
    const Wall *s = a, *t = b;
    for (int k = 0; k < 3; ++k)
        if (s->key[k] != t->key[k]) return s->key[k] < t->key[k] ? -1 : 1;
    return (s->cell > t->cell) - (s->cell < t->cell);
}

static bool is_same_wall(const Wall *a, const Wall *b) { return memcmp(a->key, b->key, sizeof a->key) == 0; }

// All walls of kept cells, sorted: a wall that is there once is on the surface. NULL without memory.
static Wall *list_walls(const Filling *filling, size_t *count)
{
    size_t corners = (size_t)filling->corners, n = 0;
    Wall *walls = couAlloc(NULL, (filling->cell_count * corners + 1) * sizeof *walls);
    for (size_t c = 0; walls && c < filling->cell_count; ++c) {
        uint32_t sorted[COU_MAX_CORNERS];
        memcpy(sorted, &filling->cells[c * corners], corners * sizeof *sorted);
        for (size_t k = 1; k < corners; ++k)
            for (size_t m = k; m > 0 && sorted[m - 1] > sorted[m]; --m) {
                uint32_t swap = sorted[m];
                sorted[m] = sorted[m - 1];
                sorted[m - 1] = swap;
            }
        for (size_t without = 0; filling->is_kept[c] && without < corners; ++without) {
            Wall wall = {{UINT32_MAX, UINT32_MAX, UINT32_MAX}, (uint32_t)c};
            for (size_t k = 0, m = 0; k < corners; ++k)
                if (k != without) wall.key[m++] = sorted[k];
            walls[n++] = wall;
        }
    }
    if (walls) couSort(walls, n, sizeof *walls, compare_walls);
    *count = n;
    return walls;
}

// What is on the surface now.
typedef struct Skin {
    uint8_t *walls;   // of each cell: bits of the corners opposite to its walls on the surface
    bool *is_outer;   // of each point
    bool *is_touched; // of each point: something next to it was taken off in this round
    uint64_t *edges;  // sorted
    size_t edge_count;
} Skin;

static int compare_u64(const void *a, const void *b)
{
    uint64_t s = *(const uint64_t *)a, t = *(const uint64_t *)b;
    return (s > t) - (s < t);
}

static void free_skin(Skin *skin)
{
    couFree(NULL, skin->walls);
    couFree(NULL, skin->is_outer);
    couFree(NULL, skin->is_touched);
    couFree(NULL, skin->edges);
}

// False without memory.
static bool find_skin(const Filling *filling, Skin *skin)
{
    size_t count;
    Wall *walls = list_walls(filling, &count);
    *skin = (Skin){.walls = couAlloc(NULL, filling->cell_count + 1),
                   .is_outer = couAlloc(NULL, filling->points.count + 1),
                   .is_touched = couAlloc(NULL, filling->points.count + 1),
                   .edges = couAlloc(NULL, (3 * count + 1) * sizeof(uint64_t))};
    bool is_good = walls && skin->walls && skin->is_outer && skin->is_touched && skin->edges;
    for (size_t k = 0; is_good && k < count; ++k) {
        const Wall *wall = &walls[k];
        if ((k && is_same_wall(&walls[k - 1], wall)) || (k + 1 < count && is_same_wall(&walls[k + 1], wall))) continue;
        const uint32_t *n = &filling->cells[wall->cell * (size_t)filling->corners];
        for (int c = 0; c < filling->corners; ++c) {
            bool is_part = false;
            for (int m = 0; m < filling->dimension; ++m) is_part = is_part || wall->key[m] == n[c];
            if (is_part)
                skin->is_outer[n[c]] = true;
            else
                skin->walls[wall->cell] |= (uint8_t)(1 << c);
        }
        for (int m = 0; m < filling->dimension; ++m)
            for (int o = m + 1; o < filling->dimension; ++o)
                skin->edges[skin->edge_count++] = (uint64_t)wall->key[m] << 32 | wall->key[o];
    }
    couFree(NULL, walls);
    if (is_good) couSort(skin->edges, skin->edge_count, sizeof *skin->edges, compare_u64);
    return is_good;
}

static bool has_edge(const Skin *skin, uint32_t a, uint32_t b)
{
    uint64_t wanted = (uint64_t)COU_MIN(a, b) << 32 | COU_MAX(a, b);
    size_t from = 0, to = skin->edge_count;
    while (from < to) {
        size_t middle = (from + to) / 2;
        if (skin->edges[middle] < wanted)
            from = middle + 1;
        else
            to = middle;
    }
    return from < skin->edge_count && skin->edges[from] == wanted;
}

// True when the solid stays in one piece, without new holes, when the cell goes: what its other walls share must be inside.
static bool can_go(const Filling *filling, const Skin *skin, size_t cell)
{
    const uint32_t *n = &filling->cells[cell * (size_t)filling->corners];
    int outer[COU_MAX_CORNERS], count = 0;
    for (int c = 0; c < filling->corners; ++c) {
        if (skin->is_touched[n[c]]) return false;
        if (skin->walls[cell] & 1 << c) outer[count++] = c;
    }
    if (count == 0) return false;
    if (count == 1) return !skin->is_outer[n[outer[0]]];
    if (count == 2 && filling->dimension == 3) return !has_edge(skin, n[outer[0]], n[outer[1]]);
    return true;
}

// Takes off slivers with a wall on the surface; what is below them then is on the surface. False without memory.
static bool peel_once(Filling *filling, bool is_careful, size_t *removed)
{
    Skin skin;
    bool is_good = find_skin(filling, &skin);
    *removed = 0;
    for (size_t c = 0; is_good && c < filling->cell_count; ++c) {
        if (!filling->is_kept[c] || !skin.walls[c] || quality_of(filling, c) >= SLIVER) continue;
        if (is_careful && !can_go(filling, &skin, c)) continue;
        filling->is_kept[c] = false;
        ++*removed;
        for (int k = 0; k < filling->corners; ++k)
            skin.is_touched[filling->cells[c * (size_t)filling->corners + (size_t)k]] = true;
    }
    free_skin(&skin);
    return is_good;
}

// First those that leave no pinch or hole, then the others: a solid that touches itself in an edge does less harm than a sliver,
// whose steps are short.
static bool peel_slivers(Filling *filling, couFaults *faults)
{
    for (int pass = 0; pass < 2; ++pass) {
        size_t removed = 1;
        for (int round = 0; round < MOST_PEELS && removed; ++round)
            if (!peel_once(filling, pass == 0, &removed)) return say_short(filling, faults);
    }
    return true;
}

// Points and sides are there.
static couSolidMesh *fill(Filling *filling, couFaults *faults)
{
    filling->corners = filling->dimension + 1;
    filling->surface_count = filling->points.count;
    bool is_good = check_closed(filling, faults);
    for (int round = 0; is_good; ++round) {
        couEnclosure_Free(&filling->enclosure);
        is_good = couEnclosure_Build(&filling->enclosure, filling->dimension, filling->points.items, filling->points.count,
                                     filling->sides.items, filling->sides.count / (size_t)filling->dimension) ||
                  say_short(filling, faults);
        is_good = is_good && add_lattice(filling, faults) && join(filling, faults);
        size_t halved = 0;
        if (is_good && filling->dimension == 3 && round < MOST_SPLITS) is_good = halve_missing(filling, &halved, faults);
        if (!halved) break;
    }
    is_good = is_good && mend_slivers(filling, faults) && peel_slivers(filling, faults);
    couSolidMesh *mesh = is_good ? couCreateKeptMesh(filling->dimension, filling->points.items, filling->points.count,
                                                     filling->cells, filling->cell_count, filling->is_kept, faults)
                                 : NULL;
    free_filling(filling);
    return mesh;
}

static bool check_spacing(float spacing, couFaults *faults)
{
    if (spacing > 0 && spacing <= 1e6f) return true;
    couFaults_Add(faults, NULL, "solid_mesh", "the spacing is %g m; it must be > 0 and at most 1e6", spacing);
    return false;
}

couSolidMesh *couFillSolidMesh(const couMesh *surface, float spacing, couFaults *faults)
{
    if (!check_spacing(spacing, faults)) return NULL;
    Filling filling = {.dimension = 3, .spacing = (double)spacing};
    size_t count = couMesh_VertexCount(surface), sides = couMesh_TriangleCount(surface);
    const couVec3 *vertices = couMesh_Vertices(surface);
    uint32_t *first = couAlloc(NULL, (count + 1) * sizeof *first);
    bool is_good = first && couWeldVertices(vertices, count, first) && COU_RESERVE(NULL, &filling.sides, 3 * sides);
    uint32_t *number = couAlloc(NULL, (count + 1) * sizeof *number);
    is_good = is_good && number;
    // Only vertices that triangles use; triangles that have two equal corners do not count.
    for (size_t t = 0; is_good && t < sides; ++t) {
        uint32_t n[3];
        for (int k = 0; k < 3; ++k) n[k] = first[couMesh_Triangles(surface)[3 * t + (size_t)k]];
        if (n[0] == n[1] || n[1] == n[2] || n[2] == n[0]) continue;
        for (int k = 0; k < 3 && is_good; ++k) {
            if (!number[n[k]]) {
                is_good = add_point(&filling, couWiden(vertices[n[k]]));
                number[n[k]] = (uint32_t)filling.points.count;
            }
            filling.sides.items[filling.sides.count++] = number[n[k]] - 1;
        }
    }
    couFree(NULL, first);
    couFree(NULL, number);
    if (is_good) return fill(&filling, faults);
    say_short(&filling, faults);
    free_filling(&filling);
    return NULL;
}

couSolidMesh *couFillSolidMesh2(const couVec3 *points, size_t point_count, const uint32_t *segments, size_t segment_count,
                                float spacing, couFaults *faults)
{
    if (!check_spacing(spacing, faults)) return NULL;
    Filling filling = {.dimension = 2, .spacing = (double)spacing};
    bool is_good = true;
    for (size_t i = 0; i < point_count && is_good; ++i) is_good = add_point(&filling, (couDouble3){points[i].x, points[i].y, 0});
    // Long segments are cut, so that the triangles along them are even.
    for (size_t s = 0; s < segment_count && is_good; ++s) {
        uint32_t a = segments[2 * s], b = segments[2 * s + 1];
        if (a >= point_count || b >= point_count) {
            couFaults_Add(faults, NULL, "solid_mesh", "segment %zu uses point %u; there are %zu", s, COU_MAX(a, b), point_count);
            free_filling(&filling);
            return NULL;
        }
        couDouble3 from = filling.points.items[a], way = couSub3(filling.points.items[b], from);
        double parts = COU_CLAMP(ceil(couLength3(way) / (1.2 * filling.spacing)), 1.0, 1e5);
        for (double k = 1; k <= parts && is_good; ++k) {
            uint32_t next = k < parts ? (uint32_t)filling.points.count : b;
            is_good = (k == parts || add_point(&filling, couMulAdd3(from, k / parts, way))) &&
                      COU_RESERVE(NULL, &filling.sides, filling.sides.count + 2);
            if (!is_good) break;
            filling.sides.items[filling.sides.count++] = a;
            filling.sides.items[filling.sides.count++] = next;
            a = next;
        }
    }
    if (is_good) return fill(&filling, faults);
    say_short(&filling, faults);
    free_filling(&filling);
    return NULL;
}
