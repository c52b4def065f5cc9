// Delaunay's cells by qhull: the points are lifted onto a paraboloid of one dimension more, and the cells are the facets of the
// lower side of the hull.
//
// Points on a common sphere, as those of a grid are, have no definite cells, and a program that moves them a little finds flat
// ones between them, which cannot be left out without cracks. So it is the heights that are changed a little, at random but
// always alike: that gives the cells of slightly weighted points, a proper partition of the same places, without flat ones.

#include "base/random.h"
#include "soft/solid_mesh.h"

#include <libqhull_r/qhull_ra.h>
#include <stdio.h>

#define WEIGHT 1e-10   // change of a height, for points in a box of size 1
#define STEEPEST -1e-7 // last component of the normals of lower facets: those of the sides are 0

static void lift_points(int dimension, const couDouble3 *points, size_t count, coordT *out)
{
    couDouble3 lower = points[0], upper = points[0];
    for (size_t i = 0; i < count; ++i) {
        lower = (couDouble3){fmin(lower.x, points[i].x), fmin(lower.y, points[i].y), fmin(lower.z, points[i].z)};
        upper = (couDouble3){fmax(upper.x, points[i].x), fmax(upper.y, points[i].y), fmax(upper.z, points[i].z)};
    }
    couDouble3 size = couSub3(upper, lower), middle = couScale3(0.5, couAdd3(lower, upper));
    double scale = 1.0 / fmax(fmax(size.x, size.y), fmax(size.z, 1e-30));
    couRandom random = {1};
    for (size_t i = 0; i < count; ++i) {
        couDouble3 p = couScale3(scale, couSub3(points[i], middle));
        const double x[3] = {p.x, p.y, p.z};
        coordT *to = &out[i * ((size_t)dimension + 1)];
        for (int a = 0; a < dimension; ++a) to[a] = x[a];
        to[dimension] = couDot3(p, p) + WEIGHT * (double)couRandomSigned(&random);
    }
}

// The lower facets, turned so that their volumes are positive; only counted where `cells` is NULL. Returns how many.
static size_t copy_cells(qhT *qh, int dimension, const couDouble3 *points, uint32_t *cells)
{
    size_t corners = (size_t)dimension + 1, n = 0;
    facetT *facet;
    vertexT *vertex, **vertexp;
    FORALLfacets
    {
        if (!facet->simplicial || !(facet->normal[dimension] < STEEPEST)) continue;
        couDouble3 p[COU_MAX_CORNERS] = {{0, 0, 0}};
        uint32_t *cell = cells ? &cells[n * corners] : NULL;
        int k = 0;
        FOREACHvertex_(facet->vertices)
        {
            int id = qh_pointid(qh, vertex->point);
            p[k] = points[id];
            if (cell) cell[k] = (uint32_t)id;
            ++k;
        }
        if (cell && couCellVolume(dimension, p) < 0) {
            uint32_t swap = cell[0];
            cell[0] = cell[1];
            cell[1] = swap;
        }
        ++n;
    }
    return n;
}

// NULL with what qhull said.
static uint32_t *find_cells(int dimension, const couDouble3 *points, size_t count, coordT *lifted, size_t *cell_count, char *said,
                            size_t said_size)
{
    FILE *errors = fmemopen(said, said_size, "w"); // it must not print
    if (!errors) return NULL;
    uint32_t *cells = NULL;
    qhT qh;
    qh_zero(&qh, errors);
    char command[] = "qhull Qt Pp";
    if (qh_new_qhull(&qh, dimension + 1, (int)count, lifted, false, command, NULL, errors) == 0) {
        *cell_count = copy_cells(&qh, dimension, points, NULL);
        cells = couAlloc(NULL, (*cell_count + 1) * ((size_t)dimension + 1) * sizeof *cells);
        if (cells) copy_cells(&qh, dimension, points, cells);
    }
    int held, total;
    qh_freeqhull(&qh, !qh_ALL);
    qh_memfreeshort(&qh, &held, &total);
    fclose(errors);
    said[strcspn(said, "\n")] = 0;
    return cells;
}

bool couDelaunay(int dimension, const couDouble3 *points, size_t count, uint32_t **cells, size_t *cell_count, couFaults *faults)
{
    *cells = NULL;
    *cell_count = 0;
    if (count < (size_t)dimension + 2 || count > INT32_MAX / 8) {
        couFaults_Add(faults, NULL, "solid_mesh", "%zu points cannot be joined to cells", count);
        return false;
    }
    char said[256] = "";
    coordT *lifted = couAlloc(NULL, count * ((size_t)dimension + 1) * sizeof *lifted);
    if (lifted) {
        lift_points(dimension, points, count, lifted);
        *cells = find_cells(dimension, points, count, lifted, cell_count, said, sizeof said - 1);
    }
    couFree(NULL, lifted);
    if (*cells && *cell_count) return true;
    couFree(NULL, *cells);
    *cells = NULL;
    couFaults_Add(faults, NULL, "solid_mesh", "%zu points cannot be joined to cells: %s", count,
                  said[0] ? said : "they lie in one plane, or memory is short");
    return false;
}
