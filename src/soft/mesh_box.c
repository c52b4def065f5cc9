// Boxes cut into cells: regular ones, and the cubes of Debunne's bench.

#include "soft/solid_mesh.h"

enum { MOST_ALONG = 1024 };

// --- Regular boxes -----------------------------------------------------------------------------------------------------------

static uint32_t grid_point(const int cells[3], int x, int y, int z)
{
    return (uint32_t)((size_t)x + (size_t)(cells[0] + 1) * ((size_t)y + (size_t)(cells[1] + 1) * (size_t)z));
}

// Six tetrahedra around the diagonal: from corner to opposite corner along the three axes, in each of their orders [Kuhn]. All
// boxes are cut alike, so that neighbours agree on the diagonals of the faces between them.
static size_t cut_cube(const int cells[3], int x, int y, int z, uint32_t *out)
{
    static const int orders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    for (int t = 0; t < 6; ++t) {
        int at[3] = {x, y, z};
        uint32_t *n = &out[4 * t];
        n[0] = grid_point(cells, at[0], at[1], at[2]);
        for (int k = 0; k < 3; ++k) {
            at[orders[t][k]]++;
            n[k + 1] = grid_point(cells, at[0], at[1], at[2]);
        }
        if (t < 3) continue;
        uint32_t swap = n[1]; // odd orders go round the other way
        n[1] = n[2];
        n[2] = swap;
    }
    return 6;
}

static size_t cut_square(const int cells[3], int x, int y, uint32_t *out)
{
    const uint32_t a = grid_point(cells, x, y, 0), b = grid_point(cells, x + 1, y, 0);
    const uint32_t c = grid_point(cells, x + 1, y + 1, 0), d = grid_point(cells, x, y + 1, 0);
    memcpy(out, (uint32_t[6]){a, b, c, a, c, d}, 6 * sizeof *out);
    return 2;
}

static bool check_box(int dimension, couVec3 size, const int cells[3], couFaults *faults)
{
    bool is_good = dimension == 2 || dimension == 3;
    const float edges[3] = {size.x, size.y, size.z};
    for (int a = 0; a < dimension && is_good; ++a)
        is_good = edges[a] > 0 && edges[a] <= 1e6f && cells[a] >= 1 && cells[a] <= MOST_ALONG;
    if (!is_good)
        couFaults_Add(faults, NULL, "solid_mesh",
                      "a box of %g x %g x %g m in %d x %d x %d cells: edges must be > 0, cells 1 to %d", size.x, size.y, size.z,
                      cells[0], cells[1], cells[2], MOST_ALONG);
    return is_good;
}

couSolidMesh *couCreateBoxSolidMesh(int dimension, couVec3 size, const int cells[3], couFaults *faults)
{
    if (!check_box(dimension, size, cells, faults)) return NULL;
    const int n[3] = {cells[0], cells[1], dimension == 3 ? cells[2] : 0};
    int layers = dimension == 3 ? n[2] : 1;
    size_t point_count = (size_t)(n[0] + 1) * (size_t)(n[1] + 1) * (size_t)(n[2] + 1), count = 0;
    size_t boxes = (size_t)n[0] * (size_t)n[1] * (size_t)layers, corners = (size_t)dimension + 1;
    couVec3 *points = couAlloc(NULL, point_count * sizeof *points);
    uint32_t *out = couAlloc(NULL, boxes * (dimension == 3 ? 24 : 6) * sizeof *out);
    couSolidMesh *mesh = NULL;
    if (points && out) {
        for (int z = 0; z <= n[2]; ++z)
            for (int y = 0; y <= n[1]; ++y)
                for (int x = 0; x <= n[0]; ++x)
                    points[grid_point(n, x, y, z)] = (couVec3){
                        (float)(((double)x / n[0] - 0.5) * (double)size.x), (float)(((double)y / n[1] - 0.5) * (double)size.y),
                        dimension == 3 ? (float)(((double)z / n[2] - 0.5) * (double)size.z) : 0.0f};
        for (int z = 0; z < layers; ++z)
            for (int y = 0; y < n[1]; ++y)
                for (int x = 0; x < n[0]; ++x)
                    count += dimension == 3 ? cut_cube(n, x, y, z, &out[count * corners])
                                            : cut_square(n, x, y, &out[count * corners]);
        mesh = couCreateSolidMesh(dimension, points, point_count, out, count, faults);
    } else {
        couFaults_Add(faults, NULL, "solid_mesh", "out of memory for %zu boxes", boxes);
    }
    couFree(NULL, points);
    couFree(NULL, out);
    return mesh;
}

// --- Debunne's cubes ---------------------------------------------------------------------------------------------------------

// The points of a grid on the surface of the unit cube around the origin.
static size_t add_shell(couDouble3 *points, int across)
{
    size_t count = 0;
    for (int z = 0; z <= across; ++z)
        for (int y = 0; y <= across; ++y)
            for (int x = 0; x <= across; ++x) {
                if (x % across && y % across && z % across) continue;
                points[count++] = (couDouble3){(double)x / across - 0.5, (double)y / across - 0.5, (double)z / across - 0.5};
            }
    return count;
}

// The centre, 12 points around it along the diagonals of the faces, and 24 outside of those: a face-centred lattice without the
// six that would crowd the middles of the faces. The chapter does not say where its 37 inner points are.
static size_t add_core(couDouble3 *points)
{
    const double s = 0.15;
    size_t count = 0;
    points[count++] = (couDouble3){0, 0, 0};
    for (int z = -2; z <= 2; ++z)
        for (int y = -2; y <= 2; ++y)
            for (int x = -2; x <= 2; ++x) {
                int n2 = x * x + y * y + z * z;
                if (n2 == 2 || n2 == 6) points[count++] = (couDouble3){x * s, y * s, z * s};
            }
    return count;
}

couSolidMesh *couCreateDebunneCube(float size, int level, couFaults *faults)
{
    if (!(size > 0) || !(size <= 1e6f) || level < 0 || level > 2) {
        couFaults_Add(faults, NULL, "solid_mesh", "a cube of %g m at level %d: the edge must be > 0, the level 0 to 2", size,
                      level);
        return NULL;
    }
    if (level == 0) return couCreateBoxSolidMesh(3, (couVec3){size, size, size}, (int[3]){2, 2, 2}, faults);
    couDouble3 points[160];
    size_t count = add_shell(points, level + 2), cell_count;
    if (level == 2) count += add_core(&points[count]);
    if (level == 1) points[count++] = (couDouble3){0, 0, 0};
    uint32_t *cells;
    if (!couDelaunay(3, points, count, &cells, &cell_count, faults)) return NULL;
    // What lies within a face is flat.
    bool *is_kept = couAlloc(NULL, (cell_count + 1) * sizeof *is_kept);
    for (size_t c = 0; is_kept && c < cell_count; ++c) {
        couDouble3 p[4];
        for (int k = 0; k < 4; ++k) p[k] = points[cells[4 * c + (size_t)k]];
        is_kept[c] = couCellQuality(3, p) > 1e-3;
    }
    for (size_t i = 0; i < count; ++i) points[i] = couScale3((double)size, points[i]);
    couSolidMesh *mesh = is_kept ? couCreateKeptMesh(3, points, count, cells, cell_count, is_kept, faults) : NULL;
    if (!is_kept) couFaults_Add(faults, NULL, "solid_mesh", "out of memory for %zu cells", cell_count);
    couFree(NULL, is_kept);
    couFree(NULL, cells);
    return mesh;
}
