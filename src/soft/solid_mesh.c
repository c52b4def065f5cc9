// Meshes of solids: storage, checks, and what follows from the cells: edges, surface, the cells around each point.

#include "soft/solid_mesh.h"

#include <stdatomic.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#define FARTHEST 1e6f  // coordinate [m]
#define FLATTEST 1e-6  // quality of a cell
#define MOST_CELLS 1e8 // corners are counted by 32 bits

// --- Checks ------------------------------------------------------------------------------------------------------------------

static const char *cell_word(int dimension) { return dimension == 2 ? "triangle" : "tetrahedron"; }

static bool check_counts(int dimension, size_t point_count, size_t cell_count, couFaults *faults)
{
    if (dimension != 2 && dimension != 3) {
        couFaults_Add(faults, NULL, "solid_mesh", "the dimension is %d; it must be 2 or 3", dimension);
        return false;
    }
    if (cell_count == 0 || point_count < (size_t)dimension + 1) {
        couFaults_Add(faults, NULL, "solid_mesh", "%zu points and %zu cells are no solid: it needs at least one %s", point_count,
                      cell_count, cell_word(dimension));
        return false;
    }
    if ((double)cell_count > MOST_CELLS || (double)point_count > MOST_CELLS) {
        couFaults_Add(faults, NULL, "solid_mesh", "%zu points and %zu cells are too many; the most is %g", point_count,
                      cell_count, MOST_CELLS);
        return false;
    }
    return true;
}

static bool check_points(const couVec3 *points, size_t count, couFaults *faults)
{
    for (size_t i = 0; i < count; ++i) {
        float largest = fmaxf(fabsf(points[i].x), fmaxf(fabsf(points[i].y), fabsf(points[i].z)));
        if (couIsFinite3(points[i]) && largest <= FARTHEST) continue;
        couFaults_Add(faults, NULL, "solid_mesh", "point %zu is at (%g, %g, %g); coordinates must be finite and within %g m", i,
                      points[i].x, points[i].y, points[i].z, FARTHEST);
        return false;
    }
    return true;
}

static bool check_numbers(const uint32_t *cells, size_t cell_count, int corners, size_t point_count, couFaults *faults)
{
    for (size_t k = 0; k < cell_count * (size_t)corners; ++k) {
        if (cells[k] < point_count) continue;
        couFaults_Add(faults, NULL, "solid_mesh", "%s %zu uses point %u; there are %zu", cell_word(corners - 1),
                      k / (size_t)corners, cells[k], point_count);
        return false;
    }
    return true;
}

// One fault for all flat ones and one for all inverted ones, each with the first.
static bool check_volumes(const couSolidMesh *mesh, couFaults *faults)
{
    size_t flat = 0, inverted = 0, first_flat = 0, first_inverted = 0;
    for (size_t c = 0; c < mesh->cell_count; ++c) {
        couDouble3 p[COU_MAX_CORNERS];
        couSolidMesh_Corners(mesh, c, p);
        double quality = couCellQuality(mesh->dimension, p);
        if (!(fabs(quality) > FLATTEST)) {
            if (!flat++) first_flat = c;
        } else if (quality < 0) {
            if (!inverted++) first_inverted = c;
        }
    }
    const char *word = cell_word(mesh->dimension);
    if (flat)
        couFaults_Add(faults, NULL, "solid_mesh", "%s %zu is flat%s", word, first_flat,
                      flat > 1 ? ", and others are as well" : "");
    if (inverted)
        couFaults_Add(faults, NULL, "solid_mesh", "%s %zu is inverted (%zu of %zu are): its corners go round the wrong way", word,
                      first_inverted, inverted, mesh->cell_count);
    return !flat && !inverted;
}

// --- What follows from the cells ---------------------------------------------------------------------------------------------

typedef struct Side {
    uint32_t key[3], corners[3]; // sorted, and as the cell has them: outward
    uint32_t cell;
} Side;

static int compare_numbers(const uint32_t *a, const uint32_t *b, int count)
{
    for (int k = 0; k < count; ++k)
        if (a[k] != b[k]) return a[k] < b[k] ? -1 : 1;
    return 0;
}

static int compare_sides(const void *a, const void *b)
{
    const Side *s = a, *t = b;
    int order = compare_numbers(s->key, t->key, 3);
    return order ? order : (s->cell > t->cell) - (s->cell < t->cell);
}

static int compare_pairs(const void *a, const void *b) { return compare_numbers(a, b, 2); }

static void sort3(uint32_t n[3])
{
    for (int pass = 0; pass < 3; ++pass)
        for (int k = 0; k < 2; ++k)
            if (n[k] > n[k + 1]) {
                uint32_t swap = n[k];
                n[k] = n[k + 1];
                n[k + 1] = swap;
            }
}

// The side opposite to a corner, seen from outside; in 2D the third number is the same for all.
static Side cell_side(const couSolidMesh *mesh, uint32_t cell, int corner)
{
    static const int opposite3[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
    static const int opposite2[3][2] = {{1, 2}, {2, 0}, {0, 1}};
    const uint32_t *n = &mesh->cells[(size_t)cell * (size_t)mesh->corners];
    Side side = {.cell = cell};
    for (int k = 0; k < mesh->dimension; ++k)
        side.corners[k] = n[mesh->dimension == 3 ? opposite3[corner][k] : opposite2[corner][k]];
    if (mesh->dimension == 2) side.corners[2] = UINT32_MAX;
    memcpy(side.key, side.corners, sizeof side.key);
    sort3(side.key);
    return side;
}

// Sides that belong to one cell alone. False with a fault.
static bool find_faces(couSolidMesh *mesh, couFaults *faults)
{
    size_t count = mesh->cell_count * (size_t)mesh->corners;
    Side *sides = couAlloc(NULL, count * sizeof *sides);
    if (!sides) {
        couFaults_Add(faults, NULL, "solid_mesh", "out of memory for %zu cells", mesh->cell_count);
        return false;
    }
    for (size_t k = 0; k < count; ++k)
        sides[k] = cell_side(mesh, (uint32_t)(k / (size_t)mesh->corners), (int)(k % (size_t)mesh->corners));
    couSort(sides, count, sizeof *sides, compare_sides);
    size_t alone = 0;
    bool is_good = true;
    for (size_t k = 0, next; k < count && is_good; k = next) {
        for (next = k + 1; next < count && compare_numbers(sides[k].key, sides[next].key, 3) == 0;) ++next;
        if (next - k == 1) sides[alone++] = sides[k]; // never before k itself
        if (next - k <= 2) continue;
        couFaults_Add(faults, NULL, "solid_mesh", "cells %u, %u and %u share a face", sides[k].cell, sides[k + 1].cell,
                      sides[k + 2].cell);
        is_good = false;
    }
    if (is_good) {
        mesh->face_count = alone;
        mesh->faces = couAlloc(NULL, alone * (size_t)mesh->dimension * sizeof *mesh->faces);
        for (size_t f = 0; mesh->faces && f < alone; ++f)
            memcpy(&mesh->faces[f * (size_t)mesh->dimension], sides[f].corners, (size_t)mesh->dimension * sizeof(uint32_t));
    }
    couFree(NULL, sides);
    if (is_good && !mesh->faces) couFaults_Add(faults, NULL, "solid_mesh", "out of memory for %zu faces", alone);
    return is_good && mesh->faces;
}

static bool find_edges(couSolidMesh *mesh)
{
    int per_cell = mesh->dimension == 3 ? 6 : 3;
    size_t count = mesh->cell_count * (size_t)per_cell, n = 0;
    uint32_t *pairs = couAlloc(NULL, 2 * count * sizeof *pairs);
    if (!pairs) return false;
    for (size_t c = 0; c < mesh->cell_count; ++c) {
        const uint32_t *cell = &mesh->cells[c * (size_t)mesh->corners];
        for (int a = 0; a < mesh->corners; ++a)
            for (int b = a + 1; b < mesh->corners; ++b) {
                pairs[2 * n] = COU_MIN(cell[a], cell[b]);
                pairs[2 * n++ + 1] = COU_MAX(cell[a], cell[b]);
            }
    }
    couSort(pairs, count, 2 * sizeof *pairs, compare_pairs);
    size_t kept = 0;
    for (size_t k = 0; k < count; ++k) {
        if (k && compare_pairs(&pairs[2 * k], &pairs[2 * k - 2]) == 0) continue;
        ++kept;
    }
    mesh->edges = couAlloc(NULL, 2 * kept * sizeof *mesh->edges);
    mesh->edge_count = kept;
    kept = 0;
    for (size_t k = 0; mesh->edges && k < count; ++k) {
        if (k && compare_pairs(&pairs[2 * k], &pairs[2 * k - 2]) == 0) continue;
        memcpy(&mesh->edges[2 * kept++], &pairs[2 * k], 2 * sizeof *pairs);
    }
    couFree(NULL, pairs);
    return mesh->edges != NULL;
}

// False with a fault when a point has no cell.
static bool find_around(couSolidMesh *mesh, couFaults *faults)
{
    size_t count = mesh->cell_count * (size_t)mesh->corners;
    mesh->around_start = couAlloc(NULL, (mesh->point_count + 1) * sizeof *mesh->around_start);
    mesh->around = couAlloc(NULL, count * sizeof *mesh->around);
    uint32_t *next = couAlloc(NULL, mesh->point_count * sizeof *next);
    bool is_good = mesh->around_start && mesh->around && next;
    if (!is_good) couFaults_Add(faults, NULL, "solid_mesh", "out of memory for %zu cells", mesh->cell_count);
    if (is_good) {
        for (size_t k = 0; k < count; ++k) mesh->around_start[mesh->cells[k] + 1]++;
        for (size_t i = 0; i < mesh->point_count; ++i) {
            if (!mesh->around_start[i + 1] && is_good) {
                couFaults_Add(faults, NULL, "solid_mesh", "point %zu belongs to no cell", i);
                is_good = false;
            }
            mesh->around_start[i + 1] += mesh->around_start[i];
            next[i] = mesh->around_start[i];
        }
        for (size_t k = 0; k < count; ++k) mesh->around[next[mesh->cells[k]]++] = (uint32_t)k;
    }
    couFree(NULL, next);
    return is_good;
}

static void measure(couSolidMesh *mesh)
{
    couBounds bounds = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (size_t i = 0; i < mesh->point_count; ++i) {
        couVec3 p = mesh->points[i];
        bounds.lower = (couVec3){fminf(bounds.lower.x, p.x), fminf(bounds.lower.y, p.y), fminf(bounds.lower.z, p.z)};
        bounds.upper = (couVec3){fmaxf(bounds.upper.x, p.x), fmaxf(bounds.upper.y, p.y), fmaxf(bounds.upper.z, p.z)};
    }
    mesh->bounds = bounds;
    for (size_t c = 0; c < mesh->cell_count; ++c) {
        couDouble3 p[COU_MAX_CORNERS];
        couSolidMesh_Corners(mesh, c, p);
        mesh->volume += couCellVolume(mesh->dimension, p);
    }
    uint64_t point_hash = XXH3_64bits(mesh->points, mesh->point_count * sizeof *mesh->points);
    mesh->hash = XXH3_64bits_withSeed(mesh->cells, mesh->cell_count * (size_t)mesh->corners * sizeof *mesh->cells, point_hash);
}

// --- Creation ----------------------------------------------------------------------------------------------------------------

couSolidMesh *couCreateSolidMesh(int dimension, const couVec3 *points, size_t point_count, const uint32_t *cells,
                                 size_t cell_count, couFaults *faults)
{
    if (!check_counts(dimension, point_count, cell_count, faults)) return NULL;
    int corners = dimension + 1;
    if (!check_points(points, point_count, faults) || !check_numbers(cells, cell_count, corners, point_count, faults))
        return NULL;
    couSolidMesh *mesh = couAlloc(NULL, sizeof *mesh);
    if (mesh) {
        *mesh = (couSolidMesh){.dimension = dimension, .corners = corners, .point_count = point_count, .cell_count = cell_count};
        mesh->points = couAlloc(NULL, point_count * sizeof *points);
        mesh->cells = couAlloc(NULL, cell_count * (size_t)corners * sizeof *cells);
        mesh->references = 1;
    }
    if (!mesh || !mesh->points || !mesh->cells) {
        couFaults_Add(faults, NULL, "solid_mesh", "out of memory for %zu cells", cell_count);
        couSolidMesh_Release(mesh);
        return NULL;
    }
    memcpy(mesh->points, points, point_count * sizeof *points);
    for (size_t i = 0; dimension == 2 && i < point_count; ++i) mesh->points[i].z = 0.0f;
    memcpy(mesh->cells, cells, cell_count * (size_t)corners * sizeof *cells);
    bool is_good = check_volumes(mesh, faults) && find_around(mesh, faults) && find_faces(mesh, faults);
    if (is_good && !find_edges(mesh)) {
        couFaults_Add(faults, NULL, "solid_mesh", "out of memory for the edges of %zu cells", cell_count);
        is_good = false;
    }
    if (!is_good) {
        couSolidMesh_Release(mesh);
        return NULL;
    }
    measure(mesh);
    return mesh;
}

couSolidMesh *couCreateKeptMesh(int dimension, const couDouble3 *points, size_t point_count, const uint32_t *cells,
                                size_t cell_count, const bool *is_kept, couFaults *faults)
{
    size_t corners = (size_t)dimension + 1, kept = 0, used = 0;
    uint32_t *numbers = couAlloc(NULL, (point_count + 1) * sizeof *numbers);
    couVec3 *places = couAlloc(NULL, (point_count + 1) * sizeof *places);
    uint32_t *kept_cells = couAlloc(NULL, (cell_count + 1) * corners * sizeof *kept_cells);
    couSolidMesh *mesh = NULL;
    if (numbers && places && kept_cells) {
        for (size_t c = 0; c < cell_count; ++c)
            for (size_t k = 0; is_kept[c] && k < corners; ++k) numbers[cells[c * corners + k]] = 1;
        for (size_t i = 0; i < point_count; ++i) {
            if (!numbers[i]) continue;
            places[used] = couNarrow(points[i]);
            numbers[i] = (uint32_t)used++;
        }
        for (size_t c = 0; c < cell_count; ++c) {
            if (!is_kept[c]) continue;
            for (size_t k = 0; k < corners; ++k) kept_cells[kept * corners + k] = numbers[cells[c * corners + k]];
            ++kept;
        }
        mesh = couCreateSolidMesh(dimension, places, used, kept_cells, kept, faults);
    } else {
        couFaults_Add(faults, NULL, "solid_mesh", "out of memory for %zu cells", cell_count);
    }
    couFree(NULL, numbers);
    couFree(NULL, places);
    couFree(NULL, kept_cells);
    return mesh;
}

couSolidMesh *couSolidMesh_Retain(couSolidMesh *mesh)
{
    atomic_fetch_add(&mesh->references, 1);
    return mesh;
}

void couSolidMesh_Release(couSolidMesh *mesh)
{
    if (!mesh || atomic_fetch_sub(&mesh->references, 1) != 1) return;
    couFree(NULL, mesh->points);
    couFree(NULL, mesh->cells);
    couFree(NULL, mesh->faces);
    couFree(NULL, mesh->edges);
    couFree(NULL, mesh->around_start);
    couFree(NULL, mesh->around);
    couFree(NULL, mesh);
}

// --- Reading -----------------------------------------------------------------------------------------------------------------

int couSolidMesh_Dimension(const couSolidMesh *mesh) { return mesh->dimension; }
size_t couSolidMesh_PointCount(const couSolidMesh *mesh) { return mesh->point_count; }
size_t couSolidMesh_CellCount(const couSolidMesh *mesh) { return mesh->cell_count; }
const couVec3 *couSolidMesh_Points(const couSolidMesh *mesh) { return mesh->points; }
const uint32_t *couSolidMesh_Cells(const couSolidMesh *mesh) { return mesh->cells; }
size_t couSolidMesh_EdgeCount(const couSolidMesh *mesh) { return mesh->edge_count; }
const uint32_t *couSolidMesh_Edges(const couSolidMesh *mesh) { return mesh->edges; }
size_t couSolidMesh_FaceCount(const couSolidMesh *mesh) { return mesh->face_count; }
const uint32_t *couSolidMesh_Faces(const couSolidMesh *mesh) { return mesh->faces; }
couBounds couSolidMesh_Bounds(const couSolidMesh *mesh) { return mesh->bounds; }
double couSolidMesh_Volume(const couSolidMesh *mesh) { return mesh->volume; }
uint64_t couSolidMesh_Hash(const couSolidMesh *mesh) { return mesh->hash; }

void couSolidMesh_Corners(const couSolidMesh *mesh, size_t cell, couDouble3 p[COU_MAX_CORNERS])
{
    for (int k = 0; k < mesh->corners; ++k) p[k] = couWiden(mesh->points[mesh->cells[cell * (size_t)mesh->corners + (size_t)k]]);
}

couSolidMeshReport couSolidMesh_Inspect(const couSolidMesh *mesh)
{
    const double sliver = 0.1;
    couSolidMeshReport report = {.least_quality = INFINITY, .least_volume = INFINITY};
    for (size_t c = 0; c < mesh->cell_count; ++c) {
        couDouble3 p[COU_MAX_CORNERS], gradients[COU_MAX_CORNERS];
        couSolidMesh_Corners(mesh, c, p);
        double quality = couCellQuality(mesh->dimension, p), volume = couCellGradients(mesh->dimension, p, gradients);
        report.least_quality = COU_MIN(report.least_quality, quality);
        report.mean_quality += quality / (double)mesh->cell_count;
        report.least_volume = COU_MIN(report.least_volume, volume);
        report.most_volume = COU_MAX(report.most_volume, volume);
        if (quality < sliver) report.sliver_count++;
        // Where the centre is: its share of each corner is that corner's function there.
        couDouble3 center = couCellCircumcenter(mesh->dimension, p);
        bool is_outside = false;
        for (int k = 0; k < mesh->corners; ++k)
            if (1.0 + couDot3(gradients[k], couSub3(center, p[k])) < -1e-6) is_outside = true;
        if (is_outside) report.obtuse_count++;
    }
    return report;
}

couVec3 *couSolidMesh_Outline(const couSolidMesh *mesh, size_t *count)
{
    uint32_t *next = couAlloc(NULL, mesh->point_count * sizeof *next);
    couVec3 *points = couAlloc(NULL, mesh->face_count * sizeof *points);
    bool is_one = next && points;
    *count = 0;
    if (is_one) {
        for (size_t f = 0; f < mesh->face_count; ++f) next[mesh->faces[2 * f]] = mesh->faces[2 * f + 1];
        uint32_t first = mesh->faces[0], at = first;
        do {
            points[(*count)++] = mesh->points[at];
            at = next[at];
        } while (at != first && *count < mesh->face_count);
        is_one = at == first && *count == mesh->face_count;
    }
    couFree(NULL, next);
    if (is_one) return points;
    couFree(NULL, points);
    return NULL;
}
