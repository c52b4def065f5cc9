// Polygons: checking their outlines, and deriving edges, holes and thinness from them.
//
// An outline within another is a hole in it, one within a hole is solid again, and so on (the even-odd rule). Since outlines
// neither cross nor touch, one point of each says what it is within. All pairs of edges are compared but those of outlines
// whose bounds are apart.
#include "shape/shape_data.h"

// Twice the signed area of the triangle abc; double holds the products of float differences nearly exactly.
static double turn(couVec3 a, couVec3 b, couVec3 c)
{
    return ((double)b.x - a.x) * ((double)c.y - a.y) - ((double)b.y - a.y) * ((double)c.x - a.x);
}

static bool is_between(couVec3 a, couVec3 b, couVec3 p)
{
    return p.x >= COU_MIN(a.x, b.x) && p.x <= COU_MAX(a.x, b.x) && p.y >= COU_MIN(a.y, b.y) && p.y <= COU_MAX(a.y, b.y);
}

static bool edges_meet(couVec3 a, couVec3 b, couVec3 c, couVec3 d)
{
    if (COU_MAX(a.x, b.x) < COU_MIN(c.x, d.x) || COU_MAX(c.x, d.x) < COU_MIN(a.x, b.x)) return false;
    if (COU_MAX(a.y, b.y) < COU_MIN(c.y, d.y) || COU_MAX(c.y, d.y) < COU_MIN(a.y, b.y)) return false;
    double abc = turn(a, b, c), abd = turn(a, b, d), cda = turn(c, d, a), cdb = turn(c, d, b);
    if (((abc > 0) != (abd > 0)) && ((cda > 0) != (cdb > 0)) && abc != 0 && abd != 0 && cda != 0 && cdb != 0) return true;
    return (abc == 0 && is_between(a, b, c)) || (abd == 0 && is_between(a, b, d)) || (cda == 0 && is_between(c, d, a)) ||
           (cdb == 0 && is_between(c, d, b));
}

// --- Outlines ----------------------------------------------------------------------------------------------------------------

// The outline with this number: `first` is the number of its first point.
static couShapeOutline get_outline(const couShapeDef *def, int number, int first)
{
    couShapeOutline outline = {.first = first,
                               .count = def->outline_count > 0 ? def->outlines[number] : def->point_count,
                               .lower_x = INFINITY,
                               .lower_y = INFINITY,
                               .upper_x = -INFINITY,
                               .upper_y = -INFINITY,
                               .parent = -1};
    for (int i = first; i < first + outline.count; ++i) {
        outline.lower_x = COU_MIN(outline.lower_x, def->points[i].x);
        outline.lower_y = COU_MIN(outline.lower_y, def->points[i].y);
        outline.upper_x = COU_MAX(outline.upper_x, def->points[i].x);
        outline.upper_y = COU_MAX(outline.upper_y, def->points[i].y);
    }
    return outline;
}

static int outline_count(const couShapeDef *def) { return COU_MAX(def->outline_count, 1); }

static int next_point(const couShapeOutline *outline, int point)
{
    return point + 1 < outline->first + outline->count ? point + 1 : outline->first;
}

static bool are_apart(const couShapeOutline *a, const couShapeOutline *b)
{
    return a->upper_x < b->lower_x || b->upper_x < a->lower_x || a->upper_y < b->lower_y || b->upper_y < a->lower_y;
}

static double outline_area(const couVec3 *points, const couShapeOutline *outline)
{
    double area = 0.0;
    for (int i = 1; i + 1 < outline->count; ++i)
        area += 0.5 * turn(points[outline->first], points[outline->first + i], points[outline->first + i + 1]);
    return area;
}

static bool outline_holds(const couVec3 *points, const couShapeOutline *outline, couVec3 p)
{
    bool is_inside = false;
    if (p.x < outline->lower_x || p.x > outline->upper_x || p.y < outline->lower_y || p.y > outline->upper_y) return false;
    for (int i = outline->first; i < outline->first + outline->count; ++i) {
        couVec3 a = points[i], b = points[next_point(outline, i)];
        if ((a.y > p.y) == (b.y > p.y)) continue;
        double x = a.x + ((double)p.y - a.y) / ((double)b.y - a.y) * ((double)b.x - a.x);
        is_inside ^= p.x < x;
    }
    return is_inside;
}

// --- Checks ------------------------------------------------------------------------------------------------------------------

// Neighbours share a point, so they cross only where the second goes back over the first.
static bool folds_back(couVec3 a, couVec3 b, couVec3 c)
{
    double forward = ((double)b.x - a.x) * ((double)c.x - b.x) + ((double)b.y - a.y) * ((double)c.y - b.y);
    return turn(a, b, c) == 0.0 && forward < 0.0;
}

static bool check_own_crossings(couShapeCheck *check, const couShapeOutline *outline)
{
    const couVec3 *points = check->def->points;
    int end = outline->first + outline->count;
    for (int i = outline->first; i < end; ++i) {
        int next = next_point(outline, i);
        couVec3 a = points[i], b = points[next];
        if (folds_back(a, b, points[next_point(outline, next)])) {
            couShapeCheck_Fault(check, "points", "the outline folds back on itself at point %d (%g, %g)", next + 1, (double)b.x,
                                (double)b.y);
            return false;
        }
        for (int j = i + 2; j < end; ++j) {
            if (i == outline->first && j == end - 1) continue;
            if (!edges_meet(a, b, points[j], points[next_point(outline, j)])) continue;
            couShapeCheck_Fault(check, "points", "the edges after points %d and %d cross or touch; edges must not cross", i + 1,
                                j + 1);
            return false;
        }
    }
    return true;
}

static bool check_crossings_between(couShapeCheck *check, const couShapeOutline *one, const couShapeOutline *other)
{
    const couVec3 *points = check->def->points;
    if (are_apart(one, other)) return true;
    for (int i = one->first; i < one->first + one->count; ++i)
        for (int j = other->first; j < other->first + other->count; ++j) {
            if (!edges_meet(points[i], points[next_point(one, i)], points[j], points[next_point(other, j)])) continue;
            couShapeCheck_Fault(check, "points", "the edges after points %d and %d, of two outlines, cross or touch", i + 1,
                                j + 1);
            return false;
        }
    return true;
}

// One is enough: the others follow from it.
static bool check_crossings(couShapeCheck *check)
{
    const couShapeDef *def = check->def;
    for (int k = 0, first = 0; k < outline_count(def); ++k) {
        couShapeOutline one = get_outline(def, k, first);
        first += one.count;
        if (!check_own_crossings(check, &one)) return false;
        for (int l = k + 1, start = first; l < outline_count(def); ++l) {
            couShapeOutline other = get_outline(def, l, start);
            start += other.count;
            if (!check_crossings_between(check, &one, &other)) return false;
        }
    }
    return true;
}

// True when each point is a number and differs from the next.
static bool check_points(couShapeCheck *check, const couShapeOutline *outline)
{
    const couVec3 *points = check->def->points;
    bool is_good = true;
    for (int i = outline->first; i < outline->first + outline->count; ++i) {
        couVec3 p = points[i], next = points[next_point(outline, i)];
        if (!(fabsf(p.x) <= COU_SHAPE_MAX_LENGTH && fabsf(p.y) <= COU_SHAPE_MAX_LENGTH)) {
            couShapeCheck_Fault(check, "points", "point %d (%g, %g) must be within %g m of the origin", i + 1, (double)p.x,
                                (double)p.y, (double)COU_SHAPE_MAX_LENGTH);
            is_good = false;
        } else if (hypotf(next.x - p.x, next.y - p.y) < COU_SHAPE_MIN_LENGTH) {
            couShapeCheck_Fault(check, "points", "point %d (%g, %g) is the same as the next; edges must be at least %g m long",
                                i + 1, (double)p.x, (double)p.y, (double)COU_SHAPE_MIN_LENGTH);
            is_good = false;
        }
    }
    return is_good;
}

// True when the numbers of points add up.
static bool check_outlines(couShapeCheck *check)
{
    const couShapeDef *def = check->def;
    if (def->outline_count == 0) return true;
    if (def->outline_count < 0 || !def->outlines) {
        couShapeCheck_Fault(check, "outlines", "%d announced%s", def->outline_count, def->outlines ? "" : " but none given");
        return false;
    }
    int64_t sum = 0;
    for (int k = 0; k < def->outline_count && sum <= def->point_count; ++k) {
        if (def->outlines[k] < 3) {
            couShapeCheck_Fault(check, "outlines", "outline %d has %d points, must be 3 or more", k + 1, def->outlines[k]);
            return false;
        }
        sum += def->outlines[k];
    }
    if (sum == def->point_count) return true;
    couShapeCheck_Fault(check, "outlines", "they have %s than the %d points that there are",
                        sum > def->point_count ? "more" : "fewer", def->point_count);
    return false;
}

static void check_area(couShapeCheck *check)
{
    const couShapeDef *def = check->def;
    for (int k = 0, first = 0; k < outline_count(def); ++k) {
        couShapeOutline outline = get_outline(def, k, first);
        first += outline.count;
        double span = hypot((double)outline.upper_x - outline.lower_x, (double)outline.upper_y - outline.lower_y);
        double area = fabs(outline_area(def->points, &outline));
        if (area > 1e-6 * span * span) continue;
        couShapeCheck_Fault(check, "points",
                            "area %g m^2 is degenerate, must be more than a millionth of the extent squared (%g m^2)", area,
                            1e-6 * span * span);
        return;
    }
}

void couCheckPolygon(couShapeCheck *check)
{
    const couShapeDef *def = check->def;
    couShapeCheck_Length(check, "height", "", def->height);
    if (def->point_count < 3 || def->point_count > cou_shapeMaxPoints) {
        couShapeCheck_Fault(check, "points", "%d given, must be 3 to %d", def->point_count, cou_shapeMaxPoints);
        return;
    }
    if (!def->points) {
        couShapeCheck_Fault(check, "points", "%d announced but none given", def->point_count);
        return;
    }
    if (!check_outlines(check)) return;
    bool is_good = true;
    for (int k = 0, first = 0; k < outline_count(def); ++k) {
        couShapeOutline outline = get_outline(def, k, first);
        is_good = check_points(check, &outline) && is_good;
        first += outline.count;
    }
    // Crossings before the area: a figure of eight may have none, but that is not what is wrong with it.
    if (is_good && check_crossings(check)) check_area(check);
}

// --- Derived numbers ---------------------------------------------------------------------------------------------------------

// Whether the unit direction (x, y) leaves the solid at the corner between two edges: between their normals, or close to one.
static bool is_outward(const couShapeEdge *before, const couShapeEdge *after, double winding, double x, double y)
{
    const double cos_close = 0.94; // 20 degrees
    double first = x * before->normal_x + y * before->normal_y, second = x * after->normal_x + y * after->normal_y;
    if (fmax(first, second) > cos_close) return true;
    double from_first = winding * (before->normal_x * y - before->normal_y * x);
    double to_second = winding * (x * after->normal_y - y * after->normal_x);
    return from_first >= 0.0 && to_second >= 0.0 && fmax(first, second) > 0.0;
}

// From a corner to the nearest edge that is the other side of the solid there, at most `thinnest`. Neighbours along a finely
// drawn curve look the same way and do not count.
static double corner_thinness(const couShape *shape, const couShapeOutline *outline, int corner, double thinnest)
{
    const couShapeEdge *edges = shape->polygon.edges, *after = &edges[corner];
    const couShapeEdge *before = &edges[corner > outline->first ? corner - 1 : outline->first + outline->count - 1];
    for (int j = 0; j < shape->polygon.count; ++j) {
        const couShapeEdge *edge = &edges[j];
        if (edge == before || edge == after) continue;
        double dx = (double)after->x - edge->x, dy = (double)after->y - edge->y;
        double t = COU_CLAMP((dx * edge->ex + dy * edge->ey) * edge->inv_length2, 0.0, 1.0);
        double ux = t * edge->ex - dx, uy = t * edge->ey - dy; // from the corner to the edge
        double length = sqrt(ux * ux + uy * uy);
        if (!(length > 0.0 && length < thinnest)) continue;
        ux /= length;
        uy /= length;
        if (ux * edge->normal_x + uy * edge->normal_y > 0.94 && is_outward(before, after, outline->winding, -ux, -uy))
            thinnest = length;
    }
    return thinnest;
}

static void derive_edges(couShape *shape, const couShapeOutline *outline, couShapeEdge *edges)
{
    const couVec3 *points = shape->def.points;
    double winding = outline->winding;
    for (int i = outline->first; i < outline->first + outline->count; ++i) {
        int next = next_point(outline, i);
        couVec3 a = points[i], b = points[next], c = points[next_point(outline, next)];
        double ex = (double)b.x - a.x, ey = (double)b.y - a.y;
        double length = sqrt(ex * ex + ey * ey);
        edges[i] = (couShapeEdge){.x = a.x,
                                  .y = a.y,
                                  .ex = (float)ex,
                                  .ey = (float)ey,
                                  .inv_length2 = (float)(1.0 / (length * length)),
                                  .normal_x = (float)(winding * ey / length),
                                  .normal_y = (float)(-winding * ex / length)};
        // A simple outline that only ever turns one way is convex.
        if (winding * turn(a, b, c) < 0.0) shape->is_convex = false;
    }
}

// The smallest outline around outline k, -1 for none; `depth` is how many there are.
static int find_parent(const couVec3 *points, const couShapeOutline *outlines, int count, int k, int *depth)
{
    int parent = -1;
    double smallest = INFINITY;
    *depth = 0;
    for (int l = 0; l < count; ++l) {
        if (l == k || !outline_holds(points, &outlines[l], points[outlines[k].first])) continue;
        double area = fabs(outline_area(points, &outlines[l]));
        ++*depth;
        if (area < smallest) smallest = area, parent = l;
    }
    return parent;
}

size_t couPolygonBytes(const couShapeDef *def)
{
    return (size_t)def->point_count * sizeof(couShapeEdge) + (size_t)outline_count(def) * sizeof(couShapeOutline);
}

void couDerivePolygon(couShape *shape, void *extra)
{
    couShapeDef *def = &shape->def;
    couShapeEdge *edges = extra;
    couShapeOutline *outlines = (couShapeOutline *)(edges + def->point_count);
    int count = outline_count(def);
    for (int k = 0, first = 0; k < count; first += outlines[k++].count) outlines[k] = get_outline(def, k, first);
    double area = 0.0;
    shape->is_convex = count == 1;
    for (int k = 0; k < count; ++k) {
        int depth, parent = find_parent(def->points, outlines, count, k, &depth);
        double own = outline_area(def->points, &outlines[k]);
        outlines[k].winding = (own > 0.0) == (depth % 2 == 0) ? 1 : -1;
        outlines[k].parent = depth % 2 ? parent : -1;
        area += outlines[k].winding * own;
        derive_edges(shape, &outlines[k], edges);
    }
    shape->polygon.edges = edges;
    shape->polygon.outlines = outlines;
    shape->polygon.count = def->point_count;
    shape->polygon.outline_count = count;
    shape->polygon.half_height = 0.5f * def->height;
    shape->weight = def->point_count;
    shape->face_area = (float)area;
    double thinnest = INFINITY;
    for (int k = 0; k < count; ++k)
        for (int i = outlines[k].first; i < outlines[k].first + outlines[k].count; ++i)
            thinnest = corner_thinness(shape, &outlines[k], i, thinnest);
    shape->thinness = (float)fmin(def->height, thinnest);
}
