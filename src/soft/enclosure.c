// Rays along +x count the sides that they cross, with the sign of their direction. Sides that share an edge decide on it by the
// same expression, so a ray through an edge crosses exactly one of them and no crack opens.

#include "soft/enclosure.h"

// --- Bins --------------------------------------------------------------------------------------------------------------------

static int bin_along(const couEnclosure *enclosure, int axis, double x)
{
    double lower = axis == 0 ? enclosure->lower.y : enclosure->lower.z;
    double n = floor((x - lower) / enclosure->cell[axis]);
    return (int)COU_CLAMP(n, 0.0, (double)(enclosure->cells[axis] - 1));
}

// The bins that a side covers, along y and z.
static void bins_of(const couEnclosure *enclosure, size_t side, int first[2], int last[2])
{
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (int k = 0; k < enclosure->dimension; ++k) {
        couDouble3 p = enclosure->points[enclosure->sides[side * (size_t)enclosure->dimension + (size_t)k]];
        const double x[2] = {p.y, p.z};
        for (int a = 0; a < 2; ++a) low[a] = fmin(low[a], x[a]), high[a] = fmax(high[a], x[a]);
    }
    for (int a = 0; a < 2; ++a) first[a] = bin_along(enclosure, a, low[a]), last[a] = bin_along(enclosure, a, high[a]);
}

static bool fill_bins(couEnclosure *enclosure)
{
    size_t bins = (size_t)enclosure->cells[0] * (size_t)enclosure->cells[1];
    enclosure->start = couAlloc(NULL, (bins + 2) * sizeof *enclosure->start);
    if (!enclosure->start) return false;
    uint32_t *next = enclosure->start + 1; // each bin's start, until it has become the next one's
    for (int pass = 0; pass < 2; ++pass) {
        for (size_t s = 0; s < enclosure->side_count; ++s) {
            int first[2], last[2];
            bins_of(enclosure, s, first, last);
            for (int z = first[1]; z <= last[1]; ++z)
                for (int y = first[0]; y <= last[0]; ++y) {
                    size_t bin = (size_t)z * (size_t)enclosure->cells[0] + (size_t)y;
                    if (pass == 0)
                        next[bin + 1]++;
                    else
                        enclosure->binned[next[bin]++] = (uint32_t)s;
                }
        }
        if (pass == 1) break;
        for (size_t b = 0; b < bins; ++b) next[b + 1] += next[b];
        enclosure->binned = couAlloc(NULL, ((size_t)next[bins] + 1) * sizeof *enclosure->binned);
        if (!enclosure->binned) return false;
    }
    return true;
}

static bool build_tree(couEnclosure *enclosure)
{
    couTriangle *triangles = couAlloc(NULL, enclosure->side_count * sizeof *triangles);
    if (!triangles) return false;
    for (size_t t = 0; t < enclosure->side_count; ++t) {
        const uint32_t *n = &enclosure->sides[3 * t];
        triangles[t] = (couTriangle){couNarrow(enclosure->points[n[0]]), couNarrow(enclosure->points[n[1]]),
                                     couNarrow(enclosure->points[n[2]])};
    }
    enclosure->has_tree = couTriangleTree_Build(&enclosure->tree, triangles, enclosure->side_count);
    couFree(NULL, triangles);
    return enclosure->has_tree;
}

bool couEnclosure_Build(couEnclosure *enclosure, int dimension, const couDouble3 *points, size_t point_count,
                        const uint32_t *sides, size_t side_count)
{
    *enclosure = (couEnclosure){.dimension = dimension, .side_count = side_count};
    enclosure->points = couAlloc(NULL, (point_count + 1) * sizeof *points);
    enclosure->sides = couAlloc(NULL, (side_count + 1) * (size_t)dimension * sizeof *sides);
    if (!enclosure->points || !enclosure->sides) return false;
    memcpy(enclosure->points, points, point_count * sizeof *points);
    memcpy(enclosure->sides, sides, side_count * (size_t)dimension * sizeof *sides);
    couDouble3 lower = {INFINITY, INFINITY, INFINITY}, upper = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t k = 0; k < side_count * (size_t)dimension; ++k) {
        couDouble3 p = points[sides[k]];
        lower = (couDouble3){fmin(lower.x, p.x), fmin(lower.y, p.y), fmin(lower.z, p.z)};
        upper = (couDouble3){fmax(upper.x, p.x), fmax(upper.y, p.y), fmax(upper.z, p.z)};
    }
    enclosure->lower = lower, enclosure->upper = upper;
    int across = dimension == 3 ? (int)COU_CLAMP(sqrt((double)side_count), 1.0, 512.0) : (int)COU_MIN(side_count + 1, 4096);
    const double size[2] = {upper.y - lower.y, upper.z - lower.z};
    for (int a = 0; a < 2; ++a) {
        enclosure->cells[a] = a == 1 && dimension == 2 ? 1 : across;
        enclosure->cell[a] = size[a] > 0 ? size[a] / enclosure->cells[a] : 1.0;
    }
    return fill_bins(enclosure) && (dimension == 2 || build_tree(enclosure));
}

void couEnclosure_Free(couEnclosure *enclosure)
{
    couFree(NULL, enclosure->points);
    couFree(NULL, enclosure->sides);
    couFree(NULL, enclosure->start);
    couFree(NULL, enclosure->binned);
    if (enclosure->has_tree) couTriangleTree_Free(&enclosure->tree);
    *enclosure = (couEnclosure){0};
}

// --- Questions ---------------------------------------------------------------------------------------------------------------

// True when the line a b passes p on its left, seen along x; the ends in one order, whichever triangle asks. A ray that meets the
// line passes it as if it were moved by a little along y and by less along z.
static bool is_left(const couEnclosure *enclosure, uint32_t a, uint32_t b, couDouble3 p)
{
    couDouble3 s = enclosure->points[COU_MIN(a, b)], t = enclosure->points[COU_MAX(a, b)];
    double turn = (t.y - s.y) * (p.z - s.z) - (t.z - s.z) * (p.y - s.y);
    if (turn == 0) turn = t.z != s.z ? s.z - t.z : t.y - s.y;
    return a < b ? turn > 0 : !(turn > 0);
}

// Whether the ray from p along +x crosses a triangle: 1 outward, -1 inward.
static int cross_triangle(const couEnclosure *enclosure, const uint32_t *n, couDouble3 p)
{
    bool left = is_left(enclosure, n[0], n[1], p);
    if (is_left(enclosure, n[1], n[2], p) != left || is_left(enclosure, n[2], n[0], p) != left) return 0;
    couDouble3 a = enclosure->points[n[0]];
    couDouble3 normal = couCross3(couSub3(enclosure->points[n[1]], a), couSub3(enclosure->points[n[2]], a));
    if (normal.x == 0 || couDot3(normal, couSub3(a, p)) / normal.x <= 0) return 0;
    return left ? 1 : -1;
}

static int cross_segment(const couEnclosure *enclosure, const uint32_t *n, couDouble3 p)
{
    couDouble3 a = enclosure->points[n[0]], b = enclosure->points[n[1]];
    bool is_up = b.y > p.y;
    if ((a.y > p.y) == is_up) return 0;
    double x = a.x + (p.y - a.y) / (b.y - a.y) * (b.x - a.x);
    return x > p.x ? (is_up ? 1 : -1) : 0;
}

int couEnclosure_Winding(const couEnclosure *enclosure, couDouble3 p)
{
    bool is_flat = enclosure->dimension == 2;
    if (p.y < enclosure->lower.y || p.y > enclosure->upper.y || p.x > enclosure->upper.x) return 0;
    if (!is_flat && (p.z < enclosure->lower.z || p.z > enclosure->upper.z)) return 0;
    size_t bin = (size_t)bin_along(enclosure, 0, p.y);
    if (!is_flat) bin += (size_t)bin_along(enclosure, 1, p.z) * (size_t)enclosure->cells[0];
    int winding = 0;
    for (uint32_t k = enclosure->start[bin]; k < enclosure->start[bin + 1]; ++k) {
        const uint32_t *n = &enclosure->sides[(size_t)enclosure->binned[k] * (size_t)enclosure->dimension];
        winding += is_flat ? cross_segment(enclosure, n, p) : cross_triangle(enclosure, n, p);
    }
    return winding;
}

double couEnclosure_Distance(const couEnclosure *enclosure, couDouble3 p)
{
    uint32_t leaf = 0;
    if (enclosure->dimension == 3) return (double)couTriangleTree_Distance(&enclosure->tree, couNarrow(p), &leaf);
    double nearest2 = INFINITY;
    for (size_t s = 0; s < enclosure->side_count; ++s) {
        couDouble3 a = enclosure->points[enclosure->sides[2 * s]],
                   ab = couSub3(enclosure->points[enclosure->sides[2 * s + 1]], a);
        double length2 = couDot3(ab, ab), t = length2 > 0 ? couDot3(ab, couSub3(p, a)) / length2 : 0;
        couDouble3 away = couSub3(p, couMulAdd3(a, COU_CLAMP(t, 0.0, 1.0), ab));
        nearest2 = fmin(nearest2, couDot3(away, away));
    }
    return sqrt(nearest2);
}

double couEnclosure_Volume(const couEnclosure *enclosure)
{
    double volume = 0;
    for (size_t s = 0; s < enclosure->side_count; ++s) {
        const uint32_t *n = &enclosure->sides[s * (size_t)enclosure->dimension];
        couDouble3 a = couSub3(enclosure->points[n[0]], enclosure->lower), b = couSub3(enclosure->points[n[1]], enclosure->lower);
        if (enclosure->dimension == 2) {
            volume += 0.5 * (a.x * b.y - a.y * b.x);
            continue;
        }
        volume += couDot3(couCross3(a, b), couSub3(enclosure->points[n[2]], enclosure->lower)) / 6.0;
    }
    return volume;
}
