// A surface with triangles of another size, as the filling of solids likes it: edges longer than the spacing are halved, all
// around the same way, then the vertices in each cell of a grid are put together, and after them the ends of short edges. A
// closed chain stays closed by all of it, though thin parts may vanish. Of the vertices in a cell the one at the sharpest place
// stays, so that edges and corners do as well.

#include "coulis/solid_mesh.h"
#include "shape/mesh_inspect.h"
#include "soft/double3.h"

#define LONGEST 0.7  // edge that stays / spacing
#define CELL 0.8     // of the grid / spacing
#define SHORTEST 0.5 // edge that stays / spacing
enum { MOST_ROUNDS = 24, MOST_TRIANGLES = 20000000 };

typedef struct Corner {
    couVec3 place;
    couDouble3 normal; // sum of area vectors around it
    double area;
    int64_t cell[3];
    uint32_t index, cluster;
} Corner;

typedef struct Surface {
    COU_ARRAY(couVec3) points;
    COU_ARRAY(uint32_t) sides; // three numbers each
} Surface;

typedef struct Pair {
    uint32_t low, high, middle;
} Pair;

static int compare_pairs(const void *a, const void *b)
{
    const Pair *s = a, *t = b;
    if (s->low != t->low) return s->low < t->low ? -1 : 1;
    return (s->high > t->high) - (s->high < t->high);
}

static void free_surface(Surface *surface)
{
    COU_FREE_ARRAY(NULL, &surface->points);
    COU_FREE_ARRAY(NULL, &surface->sides);
}

// --- Halving -----------------------------------------------------------------------------------------------------------------

static double length_of(const Surface *surface, uint32_t a, uint32_t b)
{
    return (double)couLength(couSub(surface->points.items[a], surface->points.items[b]));
}

// The long edges, each once, with a new point in the middle. NULL without memory.
static Pair *halve_edges(Surface *surface, double longest, size_t *count)
{
    size_t n = 0, kept = 0;
    Pair *pairs = couAlloc(NULL, (surface->sides.count + 1) * sizeof *pairs);
    if (!pairs) return NULL;
    for (size_t k = 0; k < surface->sides.count; ++k) {
        uint32_t a = surface->sides.items[k], b = surface->sides.items[k % 3 == 2 ? k - 2 : k + 1];
        if (length_of(surface, a, b) > longest) pairs[n++] = (Pair){COU_MIN(a, b), COU_MAX(a, b), 0};
    }
    couSort(pairs, n, sizeof *pairs, compare_pairs);
    for (size_t k = 0; k < n; ++k)
        if (!kept || compare_pairs(&pairs[k], &pairs[kept - 1])) pairs[kept++] = pairs[k];
    if (!COU_RESERVE(NULL, &surface->points, surface->points.count + kept)) {
        couFree(NULL, pairs);
        return NULL;
    }
    for (size_t k = 0; k < kept; ++k) {
        pairs[k].middle = (uint32_t)surface->points.count;
        surface->points.items[surface->points.count++] = couScale(
            0.5f, couAdd(surface->points.items[pairs[k].low], surface->points.items[pairs[k].high]));
    }
    *count = kept;
    return pairs;
}

static const Pair *find_pair(const Pair *pairs, size_t count, uint32_t a, uint32_t b)
{
    Pair wanted = {COU_MIN(a, b), COU_MAX(a, b), 0};
    size_t from = 0, to = count;
    while (from < to) {
        size_t middle = (from + to) / 2;
        if (compare_pairs(&pairs[middle], &wanted) < 0)
            from = middle + 1;
        else
            to = middle;
    }
    return from < count && compare_pairs(&pairs[from], &wanted) == 0 ? &pairs[from] : NULL;
}

static bool add_triangle(Surface *surface, uint32_t a, uint32_t b, uint32_t c)
{
    if (!COU_RESERVE(NULL, &surface->sides, surface->sides.count + 3)) return false;
    memcpy(&surface->sides.items[surface->sides.count], (uint32_t[3]){a, b, c}, 3 * sizeof(uint32_t));
    surface->sides.count += 3;
    return true;
}

// Cuts every triangle at its long edges, into two to four.
static bool halve_once(Surface *surface, double longest, bool *is_done, bool *is_too_many)
{
    size_t count, sides = surface->sides.count / 3;
    Pair *pairs = halve_edges(surface, longest, &count);
    if (!pairs) return false;
    *is_done = count == 0;
    *is_too_many = surface->points.count > MOST_TRIANGLES;
    Surface cut = {0};
    bool is_good = true;
    for (size_t t = 0; t < sides && is_good && count; ++t) {
        uint32_t n[3], m[3];
        memcpy(n, &surface->sides.items[3 * t], sizeof n);
        int halved = 0;
        for (int k = 0; k < 3; ++k) {
            const Pair *pair = find_pair(pairs, count, n[k], n[(k + 1) % 3]);
            m[k] = pair ? pair->middle : 0;
            halved += pair != NULL;
        }
        int k = 0;
        if (halved == 1 || halved == 2)
            while (halved == 1 ? !m[k] : m[(k + 2) % 3] != 0) ++k;
        uint32_t a = n[k], b = n[(k + 1) % 3], c = n[(k + 2) % 3], ab = m[k], bc = m[(k + 1) % 3], ca = m[(k + 2) % 3];
        if (halved == 0) is_good = add_triangle(&cut, a, b, c);
        if (halved == 1) is_good = add_triangle(&cut, a, ab, c) && add_triangle(&cut, ab, b, c);
        if (halved == 2) is_good = add_triangle(&cut, b, bc, ab) && add_triangle(&cut, a, ab, c) && add_triangle(&cut, ab, bc, c);
        if (halved == 3)
            is_good = add_triangle(&cut, a, ab, ca) && add_triangle(&cut, b, bc, ab) && add_triangle(&cut, c, ca, bc) &&
                      add_triangle(&cut, ab, bc, ca);
    }
    couFree(NULL, pairs);
    if (is_good && count) {
        COU_FREE_ARRAY(NULL, &surface->sides);
        memcpy(&surface->sides, &cut.sides, sizeof surface->sides);
    } else {
        COU_FREE_ARRAY(NULL, &cut.sides);
    }
    return is_good;
}

// --- Putting together --------------------------------------------------------------------------------------------------------

static int compare_cells(const Corner *s, const Corner *t)
{
    for (int a = 0; a < 3; ++a)
        if (s->cell[a] != t->cell[a]) return s->cell[a] < t->cell[a] ? -1 : 1;
    return 0;
}

static int compare_corners(const void *a, const void *b)
{
    const Corner *s = a, *t = b;
    int order = compare_cells(s, t);
    return order ? order : (s->index > t->index) - (s->index < t->index);
}

// 0 in a plane, more at edges and corners.
static double sharpness(const Corner *corner) { return corner->area > 0 ? 1.0 - couLength3(corner->normal) / corner->area : 0; }

static Corner *list_corners(const Surface *surface, double cell)
{
    Corner *corners = couAlloc(NULL, (surface->points.count + 1) * sizeof *corners);
    for (size_t i = 0; corners && i < surface->points.count; ++i) {
        couVec3 p = surface->points.items[i];
        const double x[3] = {p.x, p.y, p.z};
        corners[i].place = p;
        corners[i].index = (uint32_t)i;
        for (int a = 0; a < 3; ++a) corners[i].cell[a] = (int64_t)floor(x[a] / cell + 0.5);
    }
    for (size_t t = 0; corners && t < surface->sides.count; t += 3) {
        const uint32_t *n = &surface->sides.items[t];
        couDouble3 a = couWiden(surface->points.items[n[0]]);
        couDouble3 normal = couCross3(couSub3(couWiden(surface->points.items[n[1]]), a),
                                      couSub3(couWiden(surface->points.items[n[2]]), a));
        for (int k = 0; k < 3; ++k) {
            corners[n[k]].normal = couAdd3(corners[n[k]].normal, normal);
            corners[n[k]].area += couLength3(normal);
        }
    }
    return corners;
}

// The corner of a cell that stays: the sharpest, or in a plane the one nearest to the middle of all.
static couVec3 choose_place(const Corner *corners, size_t count)
{
    couVec3 middle = {0, 0, 0};
    size_t best = 0;
    for (size_t k = 0; k < count; ++k) middle = couMulAdd(middle, 1.0f / (float)count, corners[k].place);
    for (size_t k = 1; k < count; ++k) {
        double more = sharpness(&corners[k]) - sharpness(&corners[best]);
        couVec3 a = couSub(corners[k].place, middle), b = couSub(corners[best].place, middle);
        if (more > 0.02 || (more > -0.02 && couDot(a, a) < couDot(b, b))) best = k;
    }
    return corners[best].place;
}

// Gives every point the number of its cluster and moves the clusters' places to the front. False without memory.
static bool cluster_by_grid(Surface *surface, double cell, uint32_t *cluster, size_t *clusters)
{
    size_t count = surface->points.count;
    Corner *corners = list_corners(surface, cell);
    if (!corners) return false;
    *clusters = 0;
    couSort(corners, count, sizeof *corners, compare_corners);
    for (size_t k = 0, next; k < count; k = next) {
        for (next = k + 1; next < count && compare_cells(&corners[k], &corners[next]) == 0;) ++next;
        surface->points.items[*clusters] = choose_place(&corners[k], next - k); // all were copied to the corners
        for (size_t m = k; m < next; ++m) cluster[corners[m].index] = (uint32_t)*clusters;
        ++*clusters;
    }
    couFree(NULL, corners);
    return true;
}

// The same for the ends of edges that are still short, as across the borders of the grid; no point twice in a round.
static bool cluster_by_edges(Surface *surface, double shortest, uint32_t *cluster, size_t *clusters)
{
    size_t count = surface->points.count;
    Corner *corners = list_corners(surface, 1.0);
    if (!corners) return false;
    for (size_t i = 0; i < count; ++i) corners[i].cluster = UINT32_MAX;
    for (size_t k = 0; k < surface->sides.count; ++k) {
        uint32_t a = surface->sides.items[k], b = surface->sides.items[k % 3 == 2 ? k - 2 : k + 1];
        if (corners[a].cluster != UINT32_MAX || corners[b].cluster != UINT32_MAX) continue;
        if (length_of(surface, a, b) >= shortest) continue;
        uint32_t stays = sharpness(&corners[a]) >= sharpness(&corners[b]) ? a : b;
        corners[a].cluster = corners[b].cluster = stays;
    }
    *clusters = 0;
    for (size_t i = 0; i < count; ++i) { // those that stay get their numbers, then the others theirs
        if (corners[i].cluster != UINT32_MAX && corners[i].cluster != i) continue;
        surface->points.items[*clusters] = corners[i].place;
        cluster[i] = (uint32_t)(*clusters)++;
    }
    for (size_t i = 0; i < count; ++i)
        if (corners[i].cluster != UINT32_MAX) cluster[i] = cluster[corners[i].cluster];
    couFree(NULL, corners);
    return true;
}

// Triangles that have become none are left out.
static void keep_triangles(Surface *surface, const uint32_t *cluster, size_t clusters)
{
    size_t kept = 0;
    for (size_t t = 0; t < surface->sides.count; t += 3) {
        const uint32_t *n = &surface->sides.items[t];
        uint32_t a = cluster[n[0]], b = cluster[n[1]], c = cluster[n[2]];
        if (a == b || b == c || c == a) continue;
        memcpy(&surface->sides.items[kept], (uint32_t[3]){a, b, c}, 3 * sizeof a);
        kept += 3;
    }
    surface->sides.count = kept;
    surface->points.count = clusters;
}

static bool put_together(Surface *surface, double spacing)
{
    uint32_t *cluster = couAlloc(NULL, (surface->points.count + 1) * sizeof *cluster);
    size_t clusters;
    bool is_good = cluster && cluster_by_grid(surface, CELL * spacing, cluster, &clusters);
    if (is_good) keep_triangles(surface, cluster, clusters);
    for (int round = 0; round < 4 && is_good; ++round) {
        is_good = cluster_by_edges(surface, SHORTEST * spacing, cluster, &clusters);
        if (is_good) keep_triangles(surface, cluster, clusters);
    }
    couFree(NULL, cluster);
    return is_good;
}

couMesh *couResampleMesh(const couMesh *mesh, float spacing, couFaults *faults)
{
    size_t count = couMesh_VertexCount(mesh), sides = couMesh_TriangleCount(mesh);
    if (!(spacing > 0) || !(spacing <= 1e6f)) {
        couFaults_Add(faults, NULL, "solid_mesh", "the spacing is %g m; it must be > 0 and at most 1e6", spacing);
        return NULL;
    }
    Surface surface = {0};
    uint32_t *first = couAlloc(NULL, (count + 1) * sizeof *first);
    bool is_good = first && couWeldVertices(couMesh_Vertices(mesh), count, first) &&
                   COU_RESERVE(NULL, &surface.points, count + 1) && COU_RESERVE(NULL, &surface.sides, 3 * sides);
    if (is_good) {
        memcpy(surface.points.items, couMesh_Vertices(mesh), count * sizeof(couVec3));
        surface.points.count = count;
        for (size_t k = 0; k < 3 * sides; ++k) surface.sides.items[k] = first[couMesh_Triangles(mesh)[k]];
        surface.sides.count = 3 * sides;
    }
    couFree(NULL, first);
    bool is_done = false, is_too_many = false;
    for (int round = 0; round < MOST_ROUNDS && is_good && !is_done && !is_too_many; ++round)
        is_good = halve_once(&surface, LONGEST * (double)spacing, &is_done, &is_too_many);
    couMesh *result = NULL;
    if (is_good && !is_too_many) is_good = put_together(&surface, (double)spacing);
    if (!is_good)
        couFaults_Add(faults, NULL, "solid_mesh", "out of memory for %zu triangles", surface.sides.count / 3);
    else if (is_too_many)
        couFaults_Add(faults, NULL, "solid_mesh", "a spacing of %g m is too fine for a surface of this size", spacing);
    else if (!surface.sides.count)
        couFaults_Add(faults, NULL, "solid_mesh", "nothing is left of the surface at a spacing of %g m", spacing);
    else
        result = couCreateMesh(surface.points.items, surface.points.count, surface.sides.items, surface.sides.count / 3, faults);
    free_surface(&surface);
    return result;
}
