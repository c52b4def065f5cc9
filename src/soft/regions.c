// Voronoi regions, cut to the object cell by cell.
//
// The chapter takes the regions of all space from qhull, with six far points in a diamond so that none is endless, and then cuts
// them back to the object's surface, with some pathological cases. Here qhull only says who is whose neighbour, and each cell of
// the mesh is divided among the points near to it: cut by the planes half-way to the neighbours. It starts from the cell, which
// has an end, so no far points are needed; no surface has to be followed; the volumes of all regions are that of the object by
// construction; and which cell a piece of a facet lies in, which the operators need, comes with it. A region need not stay
// within the cells of its point: from its own corners a cell is searched on across the facets that are found.
//
// In the plane the facets are those of the formula with cotangents [Debunne, eq. 4.8 and 4.20], which has negative ones opposite
// to obtuse angles; volumes are cut as in space.

#include "soft/regions.h"

#include "soft/polyhedron.h"

#define TOLERANCE 1e-10 // corners this near to a plane are on it / size of the cell
enum { MOST_NEAR = 256 };

// --- Who is whose neighbour --------------------------------------------------------------------------------------------------

typedef struct Neighbors {
    uint32_t *start, *items; // of each point, ascending
} Neighbors;

static int compare_u64(const void *a, const void *b)
{
    uint64_t s = *(const uint64_t *)a, t = *(const uint64_t *)b;
    return (s > t) - (s < t);
}

static void free_neighbors(Neighbors *neighbors)
{
    couFree(NULL, neighbors->start);
    couFree(NULL, neighbors->items);
}

// By the edges of these cells. False without memory.
static bool list_neighbors(Neighbors *neighbors, int corners, const uint32_t *cells, size_t cell_count, size_t point_count)
{
    size_t per_cell = (size_t)(corners * (corners - 1)), count = 0, kept = 0;
    uint64_t *pairs = couAlloc(NULL, (cell_count * per_cell + 1) * sizeof *pairs);
    neighbors->start = couAlloc(NULL, (point_count + 2) * sizeof *neighbors->start);
    if (!pairs || !neighbors->start) {
        couFree(NULL, pairs);
        return false;
    }
    for (size_t c = 0; c < cell_count; ++c)
        for (int a = 0; a < corners; ++a)
            for (int b = 0; b < corners; ++b) {
                const uint32_t *n = &cells[c * (size_t)corners];
                if (a != b) pairs[count++] = (uint64_t)n[a] << 32 | n[b];
            }
    couSort(pairs, count, sizeof *pairs, compare_u64);
    for (size_t k = 0; k < count; ++k)
        if (!kept || pairs[k] != pairs[kept - 1]) pairs[kept++] = pairs[k];
    neighbors->items = couAlloc(NULL, (kept + 1) * sizeof *neighbors->items);
    for (size_t k = 0; neighbors->items && k < kept; ++k) {
        neighbors->start[(pairs[k] >> 32) + 1]++;
        neighbors->items[k] = (uint32_t)pairs[k];
    }
    for (size_t i = 0; i < point_count; ++i) neighbors->start[i + 1] += neighbors->start[i];
    couFree(NULL, pairs);
    return neighbors->items != NULL;
}

static bool find_neighbors(Neighbors *neighbors, const couSolidMesh *mesh, couFaults *faults)
{
    *neighbors = (Neighbors){0};
    size_t cell_count = 0;
    uint32_t *cells = NULL;
    bool is_single = mesh->point_count < (size_t)mesh->dimension + 2; // one cell
    couDouble3 *points = couAlloc(NULL, mesh->point_count * sizeof *points);
    for (size_t i = 0; points && i < mesh->point_count; ++i) points[i] = couWiden(mesh->points[i]);
    bool is_good = points && (is_single || couDelaunay(mesh->dimension, points, mesh->point_count, &cells, &cell_count, faults));
    couFree(NULL, points);
    if (is_good && !list_neighbors(neighbors, mesh->corners, is_single ? mesh->cells : cells, is_single ? 1 : cell_count,
                                   mesh->point_count)) {
        couFaults_Add(faults, NULL, "solid_mesh", "out of memory for the neighbours of %zu points", mesh->point_count);
        is_good = false;
    }
    couFree(NULL, cells);
    return is_good;
}

// --- A cell divided ----------------------------------------------------------------------------------------------------------

typedef struct Division {
    const couSolidMesh *mesh;
    const Neighbors *neighbors;
    uint32_t cell;
    couDouble3 corners[COU_MAX_CORNERS];
    double size;
    uint32_t near[MOST_NEAR]; // points whose regions reach into the cell
    int near_count;
} Division;

static Division begin_division(const couSolidMesh *mesh, const Neighbors *neighbors, uint32_t cell)
{
    Division division = {.mesh = mesh, .neighbors = neighbors, .cell = cell, .near_count = mesh->corners};
    couSolidMesh_Corners(mesh, cell, division.corners);
    memcpy(division.near, &mesh->cells[(size_t)cell * (size_t)mesh->corners], (size_t)mesh->corners * sizeof(uint32_t));
    division.size = couLength3(couSub3(division.corners[1], division.corners[0]));
    return division;
}

// The part of the cell that belongs to a point. False when there is none.
static bool take_part(const Division *division, uint32_t point, couPolyhedron *part)
{
    couDouble3 here = couWiden(division->mesh->points[point]);
    couPolyhedron_Set(part, division->mesh->dimension, division->corners);
    for (uint32_t k = division->neighbors->start[point]; k < division->neighbors->start[point + 1]; ++k) {
        uint32_t other = division->neighbors->items[k];
        couDouble3 there = couWiden(division->mesh->points[other]), way = couSub3(there, here);
        double length = couLength3(way);
        couDouble3 normal = couScale3(1.0 / length, way);
        double offset = couDot3(normal, couScale3(0.5, couAdd3(here, there)));
        if (!couPolyhedron_Cut(part, normal, offset, other, TOLERANCE * division->size)) return false;
    }
    return true;
}

// Regions beyond the facets of this part reach into the cell as well.
static void note_near(Division *division, const couPolyhedron *part)
{
    for (int s = 0; s < part->count; ++s) {
        uint32_t other = part->sides[s].label;
        bool is_known = other == COU_OWN_SIDE || division->near_count == MOST_NEAR;
        for (int n = 0; n < division->near_count && !is_known; ++n) is_known = division->near[n] == other;
        if (!is_known) division->near[division->near_count++] = other;
    }
}

// --- Regions -----------------------------------------------------------------------------------------------------------------

static bool add_piece(couRegions *regions, uint32_t point, uint32_t cell, couDouble3 area)
{
    // A cell's pieces follow each other: those of one point are found close behind.
    for (size_t k = regions->piece_count; k > 0 && regions->pieces[k - 1].cell == cell; --k) {
        if (regions->pieces[k - 1].point != point) continue;
        regions->pieces[k - 1].area = couAdd3(regions->pieces[k - 1].area, area);
        return true;
    }
    if (!COU_GROW(NULL, regions->pieces, regions->piece_capacity, regions->piece_count + 1)) return false;
    regions->pieces[regions->piece_count++] = (couPiece){point, cell, area};
    return true;
}

// A facet as seen from its lower point. What one gains the other loses, so that forces add up to nothing.
static bool add_facet(couRegions *regions, uint32_t low, uint32_t high, uint32_t cell, couDouble3 area, double size)
{
    if (!COU_GROW(NULL, regions->facets, regions->facet_capacity, regions->facet_count + 1)) return false;
    regions->facets[regions->facet_count++] = (couFacet){low, high, size};
    return add_piece(regions, low, cell, area) && add_piece(regions, high, cell, couScale3(-1.0, area));
}

static bool divide_cell(couRegions *regions, const couSolidMesh *mesh, const Neighbors *neighbors, uint32_t cell,
                        couPolyhedron *part)
{
    Division division = begin_division(mesh, neighbors, cell);
    bool is_good = true;
    for (int n = 0; n < division.near_count && is_good; ++n) {
        uint32_t point = division.near[n];
        if (!take_part(&division, point, part)) continue;
        note_near(&division, part);
        regions->volumes[point] += couPolyhedron_Volume(part);
        for (int s = 0; s < part->count && is_good && mesh->dimension == 3; ++s) {
            uint32_t other = part->sides[s].label;
            if (other == COU_OWN_SIDE || other < point) continue;
            couDouble3 area = couSide_Area(&part->sides[s]);
            is_good = add_facet(regions, point, other, cell, area, couLength3(area));
        }
    }
    return is_good;
}

// [Debunne, eq. 4.8]: half of the edge's Voronoi line lies in each triangle, as long as the cotangent says.
static bool add_flat_facets(couRegions *regions, const couSolidMesh *mesh, uint32_t cell)
{
    couDouble3 p[COU_MAX_CORNERS];
    couSolidMesh_Corners(mesh, cell, p);
    const uint32_t *n = &mesh->cells[(size_t)cell * 3];
    double area2 = 2.0 * couCellVolume(2, p);
    bool is_good = true;
    for (int k = 0; k < 3 && is_good; ++k) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        couDouble3 a = couSub3(p[i], p[k]), b = couSub3(p[j], p[k]), way = couSub3(p[j], p[i]);
        double length = 0.5 * couDot3(a, b) / area2; // cot / 2, times the edge
        couDouble3 area = couScale3(length, way);
        if (n[i] < n[j])
            is_good = add_facet(regions, n[i], n[j], cell, area, length * couLength3(way));
        else
            is_good = add_facet(regions, n[j], n[i], cell, couScale3(-1.0, area), length * couLength3(way));
    }
    return is_good;
}

static int compare_facets(const void *a, const void *b)
{
    const couFacet *s = a, *t = b;
    if (s->low != t->low) return s->low < t->low ? -1 : 1;
    if (s->high != t->high) return s->high < t->high ? -1 : 1;
    return (s->area > t->area) - (s->area < t->area);
}

static int compare_pieces(const void *a, const void *b)
{
    const couPiece *s = a, *t = b;
    if (s->point != t->point) return s->point < t->point ? -1 : 1;
    return (s->cell > t->cell) - (s->cell < t->cell);
}

static void merge_facets(couRegions *regions)
{
    couSort(regions->facets, regions->facet_count, sizeof *regions->facets, compare_facets);
    size_t kept = 0;
    for (size_t k = 0; k < regions->facet_count; ++k) {
        couFacet *last = kept ? &regions->facets[kept - 1] : NULL;
        if (last && last->low == regions->facets[k].low && last->high == regions->facets[k].high)
            last->area += regions->facets[k].area;
        else
            regions->facets[kept++] = regions->facets[k];
    }
    regions->facet_count = kept;
    couSort(regions->pieces, regions->piece_count, sizeof *regions->pieces, compare_pieces);
}

bool couRegions_Build(couRegions *regions, const couSolidMesh *mesh, couFaults *faults)
{
    *regions = (couRegions){.volumes = couAlloc(NULL, mesh->point_count * sizeof(double))};
    Neighbors neighbors = {0};
    couPolyhedron *part = couAlloc(NULL, sizeof *part);
    bool has_neighbors = find_neighbors(&neighbors, mesh, faults), is_good = has_neighbors && part && regions->volumes;
    for (size_t c = 0; c < mesh->cell_count && is_good; ++c) {
        is_good = divide_cell(regions, mesh, &neighbors, (uint32_t)c, part);
        if (is_good && mesh->dimension == 2) is_good = add_flat_facets(regions, mesh, (uint32_t)c);
    }
    if (is_good) merge_facets(regions);
    if (has_neighbors && !is_good) couFaults_Add(faults, NULL, "solid_mesh", "out of memory for %zu regions", mesh->point_count);
    free_neighbors(&neighbors);
    couFree(NULL, part);
    if (!is_good) couRegions_Free(regions);
    return is_good;
}

void couRegions_Free(couRegions *regions)
{
    couFree(NULL, regions->volumes);
    couFree(NULL, regions->facets);
    couFree(NULL, regions->pieces);
    *regions = (couRegions){0};
}

// --- Pictures ----------------------------------------------------------------------------------------------------------------

typedef struct Corners {
    COU_ARRAY(couDouble3) list;
} Corners;

// The outer sides of a part: facets, and what lies on the object's surface. Sides between two cells are inside of the region.
static bool add_part(Corners *corners, const couPolyhedron *part, const bool is_surface[COU_MAX_CORNERS], couDouble3 at,
                     double shrink)
{
    for (int s = 0; s < part->count; ++s) {
        const couSide *side = &part->sides[s];
        if (side->label < COU_MAX_CORNERS && !is_surface[side->label]) continue;
        for (int k = 1; k + 1 < side->count; ++k) {
            const couDouble3 triangle[3] = {side->corners[0], side->corners[k], side->corners[k + 1]};
            if (!COU_RESERVE(NULL, &corners->list, corners->list.count + 3)) return false;
            for (int m = 0; m < 3; ++m)
                corners->list.items[corners->list.count++] = couMulAdd3(at, shrink, couSub3(triangle[m], at));
        }
    }
    return true;
}

// True where the side opposite to a corner is one of the mesh's faces.
static bool is_face(const couSolidMesh *mesh, const uint32_t *n, int corner)
{
    for (size_t f = 0; f < mesh->face_count; ++f) {
        int shared = 0;
        for (int k = 0; k < 4; ++k)
            for (int m = 0; m < 3; ++m) shared += k != corner && n[k] == mesh->faces[3 * f + (size_t)m];
        if (shared == 3) return true;
    }
    return false;
}

bool couRegions_BuildSurface(const couSolidMesh *mesh, uint32_t point, double shrink, couDouble3 **corners, size_t *count,
                             couFaults *faults)
{
    Neighbors neighbors = {0};
    Corners found = {0};
    couPolyhedron *part = couAlloc(NULL, sizeof *part);
    bool is_good = mesh->dimension == 3 && point < mesh->point_count && part && find_neighbors(&neighbors, mesh, faults);
    couDouble3 at = is_good ? couWiden(mesh->points[point]) : (couDouble3){0, 0, 0};
    for (size_t c = 0; c < mesh->cell_count && is_good; ++c) {
        Division division = begin_division(mesh, &neighbors, (uint32_t)c);
        // The cell's own sides are known by the corner opposite to them; bisectors by numbers above.
        bool is_surface[COU_MAX_CORNERS];
        if (!take_part(&division, point, part)) continue;
        couPolyhedron whole;
        couPolyhedron_Set(&whole, 3, division.corners);
        const uint32_t *n = &mesh->cells[4 * c];
        for (int k = 0; k < 4; ++k) is_surface[k] = is_face(mesh, n, k);
        for (int s = 0; s < part->count; ++s) {
            couSide *side = &part->sides[s];
            if (side->label != COU_OWN_SIDE) {
                side->label = COU_MAX_CORNERS;
                continue;
            }
            couDouble3 middle = couScale3(1.0 / 3.0, couAdd3(side->corners[0], couAdd3(side->corners[1], side->corners[2])));
            double nearest = INFINITY;
            for (int k = 0; k < 4; ++k) {
                couDouble3 area = couSide_Area(&whole.sides[k]);
                double away = fabs(couDot3(area, couSub3(middle, whole.sides[k].corners[0]))) / couLength3(area);
                if (away < nearest) nearest = away, side->label = (uint32_t)k;
            }
        }
        is_good = add_part(&found, part, is_surface, at, shrink);
    }
    free_neighbors(&neighbors);
    couFree(NULL, part);
    *corners = found.list.items;
    *count = found.list.count / 3;
    if (!is_good && !faults->count)
        couFaults_Add(faults, NULL, "solid_mesh", "point %u has no region that could be drawn", point);
    if (!is_good) {
        COU_FREE_ARRAY(NULL, &found.list);
        *corners = NULL;
    }
    return is_good;
}
