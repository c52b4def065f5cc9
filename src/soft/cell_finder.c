// A grid over the cells of a mesh. A cell is in every bin that its box meets, so one bin is all that a point has to ask.

#include "soft/cell_finder.h"

enum { MOST_BINS = 64 }; // along an axis

void couBoundPoints3(const couDouble3 *points, size_t count, couDouble3 *lower, couDouble3 *upper)
{
    *lower = *upper = points[0];
    for (size_t i = 1; i < count; ++i) {
        couDouble3 p = points[i];
        *lower = (couDouble3){fmin(lower->x, p.x), fmin(lower->y, p.y), fmin(lower->z, p.z)};
        *upper = (couDouble3){fmax(upper->x, p.x), fmax(upper->y, p.y), fmax(upper->z, p.z)};
    }
}

static void corners_of(const couCellFinder *finder, size_t cell, couDouble3 p[COU_MAX_CORNERS])
{
    const couSolidMesh *mesh = finder->mesh;
    for (int k = 0; k < mesh->corners; ++k) p[k] = finder->position[mesh->cells[cell * (size_t)mesh->corners + (size_t)k]];
}

static int bin_along(double x, double lower, double per_length, int bins)
{
    double at = (x - lower) * per_length;
    return (int)COU_CLAMP(at, 0.0, bins - 1.0);
}

static void bin_of(const couCellFinder *finder, couDouble3 p, int bin[3])
{
    bin[0] = bin_along(p.x, finder->lower.x, finder->per_length.x, finder->bins[0]);
    bin[1] = bin_along(p.y, finder->lower.y, finder->per_length.y, finder->bins[1]);
    bin[2] = bin_along(p.z, finder->lower.z, finder->per_length.z, finder->bins[2]);
}

static bool overlaps(const couCellFinder *finder, couDouble3 lower, couDouble3 upper)
{
    return upper.x >= finder->lower.x && lower.x <= finder->upper.x && upper.y >= finder->lower.y && lower.y <= finder->upper.y &&
           upper.z >= finder->lower.z && lower.z <= finder->upper.z;
}

// Counts the cells of each bin, or with `cells` puts them there.
static void go_through(couCellFinder *finder, uint32_t *next, uint32_t *cells)
{
    for (size_t c = 0; c < finder->mesh->cell_count; ++c) {
        couDouble3 p[COU_MAX_CORNERS], lower, upper;
        int from[3], to[3];
        corners_of(finder, c, p);
        couBoundPoints3(p, (size_t)finder->mesh->corners, &lower, &upper);
        if (!overlaps(finder, lower, upper)) continue;
        bin_of(finder, lower, from);
        bin_of(finder, upper, to);
        for (int z = from[2]; z <= to[2]; ++z)
            for (int y = from[1]; y <= to[1]; ++y)
                for (int x = from[0]; x <= to[0]; ++x) {
                    uint32_t *place =
                        &next[((size_t)z * (size_t)finder->bins[1] + (size_t)y) * (size_t)finder->bins[0] + (size_t)x];
                    if (cells) cells[*place] = (uint32_t)c;
                    ++*place;
                }
    }
}

bool couCellFinder_Build(couCellFinder *finder, couArena *arena, const couSolidMesh *mesh, const couDouble3 *position,
                         couDouble3 lower, couDouble3 upper)
{
    *finder = (couCellFinder){.mesh = mesh, .position = position, .lower = lower, .upper = upper};
    couDouble3 size = couSub3(upper, lower);
    const double sizes[3] = {size.x, size.y, size.z};
    double *per_length[3] = {&finder->per_length.x, &finder->per_length.y, &finder->per_length.z};
    // About as long as a cell: of tetrahedra that are right-angled corners, six to a box.
    double edge = pow(6 * mesh->volume / (double)mesh->cell_count, 1.0 / mesh->dimension);
    size_t count = 1;
    for (int a = 0; a < 3; ++a) {
        finder->bins[a] = (int)COU_CLAMP(ceil(sizes[a] / edge), 1.0, (double)MOST_BINS);
        *per_length[a] = sizes[a] > 0 ? finder->bins[a] / sizes[a] : 0.0;
        count *= (size_t)finder->bins[a];
    }
    finder->start = COU_TAKE(arena, uint32_t, count + 1);
    uint32_t *next = COU_TAKE(arena, uint32_t, count);
    if (!finder->start || !next) return false;
    memset(next, 0, count * sizeof *next);
    go_through(finder, next, NULL);
    uint32_t total = 0;
    for (size_t b = 0; b < count; ++b) {
        finder->start[b] = total;
        total += next[b];
        next[b] = finder->start[b];
    }
    finder->start[count] = total;
    finder->cells = COU_TAKE(arena, uint32_t, total + 1);
    if (!finder->cells) return false;
    go_through(finder, next, finder->cells);
    return true;
}

// Returns the least weight: how far inside the point is.
static double weigh(const couCellFinder *finder, uint32_t cell, couDouble3 x, double weights[COU_MAX_CORNERS])
{
    couDouble3 p[COU_MAX_CORNERS];
    int dimension = finder->mesh->dimension, corners = finder->mesh->corners;
    corners_of(finder, cell, p);
    double volume = couCellVolume(dimension, p), least = INFINITY;
    for (int k = 0; k < corners; ++k) {
        couDouble3 own = p[k];
        p[k] = x;
        weights[k] = couCellVolume(dimension, p) / volume;
        p[k] = own;
        least = fmin(least, weights[k]);
    }
    return isfinite(least) ? least : -INFINITY;
}

static double find_best(const couCellFinder *finder, couDouble3 p, const uint32_t *cells, size_t count, uint32_t *cell,
                        double weights[COU_MAX_CORNERS])
{
    double best = -INFINITY;
    for (size_t k = 0; k < count; ++k) {
        uint32_t c = cells ? cells[k] : (uint32_t)k;
        double own[COU_MAX_CORNERS] = {0}, inside = weigh(finder, c, p, own);
        if (!(inside > best)) continue;
        best = inside;
        *cell = c;
        memcpy(weights, own, sizeof own);
    }
    return best;
}

bool couCellFinder_Find(const couCellFinder *finder, couDouble3 p, double slack, uint32_t *cell, double weights[COU_MAX_CORNERS])
{
    if (!overlaps(finder, p, p)) return false;
    int bin[3];
    bin_of(finder, p, bin);
    size_t b = ((size_t)bin[2] * (size_t)finder->bins[1] + (size_t)bin[1]) * (size_t)finder->bins[0] + (size_t)bin[0];
    size_t first = finder->start[b];
    return find_best(finder, p, finder->cells + first, finder->start[b + 1] - first, cell, weights) >= -slack;
}

void couCellFinder_FindNearest(const couCellFinder *finder, couDouble3 p, uint32_t *cell, double weights[COU_MAX_CORNERS])
{
    if (couCellFinder_Find(finder, p, 0, cell, weights)) return;
    *cell = 0;
    find_best(finder, p, NULL, finder->mesh->cell_count, cell, weights);
}
