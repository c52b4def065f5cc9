// Shapes: checking a def, deriving what the queries need, counting references.
//
// A shape is one block of memory (the struct, then copies of the def's children and points, then what is derived from them),
// never changed after creation, so that any thread may read it. Trees share children; depth and total weight are limited, because
// a tree that uses a child twice on each of 32 levels would take for ever to evaluate. Bounds come from support functions and are
// tight under rotation: an open shell ends at the top of its child's bounds, so a loose top would leave the lid on.
#include "shape/shape_data.h"

#include <stdatomic.h>
#include <stdio.h>

#define MIN_LENGTH 1e-9f // [m], squares stay in the range of floats
#define MAX_LENGTH 1e6f  // [m]

static const char *const kind_names[] = {
    [cou_shapePlane] = "plane",       [cou_shapeBox] = "box",     [cou_shapeSphere] = "sphere", [cou_shapeCapsule] = "capsule",
    [cou_shapeCylinder] = "cylinder", [cou_shapeCone] = "cone",   [cou_shapeTorus] = "torus",   [cou_shapeDisk] = "disk",
    [cou_shapePolygon] = "polygon",   [cou_shapeShell] = "shell", [cou_shapeUnion] = "union",   [cou_shapePlaced] = "placed",
    [cou_shapeMesh] = "mesh",
};

// --- Checks ------------------------------------------------------------------------------------------------------------------

typedef struct Check {
    const couShapeDef *def;
    const char *kind;
    couFaults *faults; // may be NULL
    bool is_bad;
} Check;

__attribute__((format(printf, 3, 4))) static void fault(Check *check, const char *field, const char *format, ...)
{
    check->is_bad = true;
    if (!check->faults) return;
    char key[64], message[256];
    snprintf(key, sizeof key, "%s.%s", check->kind, field);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    couFaults_Add(check->faults, NULL, key, "%s", message);
}

static void check_length(Check *check, const char *field, const char *part, float value)
{
    if (value >= MIN_LENGTH && value <= MAX_LENGTH) return;
    fault(check, field, "%s%g m must be > 0 (from %g to %g m)", part, (double)value, (double)MIN_LENGTH, (double)MAX_LENGTH);
}

static void check_axis(Check *check)
{
    couVec3 axis = check->def->axis;
    double length = sqrt((double)axis.x * axis.x + (double)axis.y * axis.y + (double)axis.z * axis.z);
    if (length >= 1e-12 && length <= 1e12) return;
    fault(check, "axis", "(%g, %g, %g) is not a direction: its length must be from 1e-12 to 1e12", (double)axis.x, (double)axis.y,
          (double)axis.z);
}

static void check_size(Check *check)
{
    check_length(check, "size", "x = ", check->def->size.x);
    check_length(check, "size", "y = ", check->def->size.y);
    check_length(check, "size", "z = ", check->def->size.z);
}

static void check_radius2(Check *check)
{
    float radius = check->def->radius, radius2 = check->def->radius2;
    if (check->def->kind == cou_shapeCone) {
        // A radius too small for the other lengths is a tip.
        if (!(radius2 >= 0.0f && radius2 <= MAX_LENGTH)) {
            fault(check, "radius2", "%g m must be >= 0 and at most %g m", (double)radius2, (double)MAX_LENGTH);
        }
        return;
    }
    bool is_smaller = !(radius > 0.0f) || radius2 < radius;
    if (radius2 >= MIN_LENGTH && radius2 <= MAX_LENGTH && is_smaller) return;
    fault(check, "radius2", "%g m must be > 0 (at least %g m) and smaller than radius (%g m)", (double)radius2,
          (double)MIN_LENGTH, (double)radius);
}

static void check_children(Check *check, int max_count)
{
    const couShapeDef *def = check->def;
    if (def->child_count < 1 || def->child_count > max_count) {
        if (max_count == 1)
            fault(check, "children", "%d given, must be exactly 1", def->child_count);
        else
            fault(check, "children", "%d given, must be 1 to %d", def->child_count, max_count);
        return;
    }
    if (!def->children) {
        fault(check, "children", "%d announced but none given", def->child_count);
        return;
    }
    int64_t weight = 0;
    for (int i = 0; i < def->child_count; ++i) {
        const couShape *child = def->children[i];
        if (!child) {
            fault(check, "children", "child %d is missing", i + 1);
            continue;
        }
        if (child->depth >= cou_shapeMaxDepth) {
            fault(check, "children", "child %d is nested %d levels deep; with this one at most %d are allowed", i + 1,
                  child->depth, cou_shapeMaxDepth);
        }
        weight += child->weight;
    }
    if (weight > cou_shapeMaxWeight) {
        fault(check, "children", "they hold %lld primitives and polygon points, must be at most %d", (long long)weight,
              cou_shapeMaxWeight);
    }
}

static void check_shell(Check *check)
{
    check_length(check, "thickness", "", check->def->thickness);
    check_children(check, 1);
    const couShape *child = check->def->child_count == 1 && check->def->children ? check->def->children[0] : NULL;
    if (!child) return;
    if (!(child->thinness > 0.0f)) fault(check, "children", "a disk has no inside to put a wall around; take a thin cylinder");
    if (check->def->is_open && !child->is_bounded) fault(check, "is_open", "true needs a child with a top; a plane is unbounded");
}

static void check_pose(Check *check)
{
    couVec3 at = check->def->pose.position;
    if (!(fabsf(at.x) <= MAX_LENGTH && fabsf(at.y) <= MAX_LENGTH && fabsf(at.z) <= MAX_LENGTH)) {
        fault(check, "pose", "position (%g, %g, %g) m must be within %g m of the origin", (double)at.x, (double)at.y,
              (double)at.z, (double)MAX_LENGTH);
    }
    couQuat q = check->def->pose.rotation;
    double norm = sqrt((double)q.x * q.x + (double)q.y * q.y + (double)q.z * q.z + (double)q.w * q.w);
    if (!(fabs(norm - 1.0) <= 1e-3)) fault(check, "pose", "rotation has length %g, must be 1 (within 0.001)", norm);
}

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

// Neighbours share a point, so they cross only where the second goes back over the first.
static bool folds_back(couVec3 a, couVec3 b, couVec3 c)
{
    double forward = ((double)b.x - a.x) * ((double)c.x - b.x) + ((double)b.y - a.y) * ((double)c.y - b.y);
    return turn(a, b, c) == 0.0 && forward < 0.0;
}

static void check_crossings(Check *check)
{
    const couVec3 *points = check->def->points;
    int count = check->def->point_count;
    for (int i = 0; i < count; ++i) {
        couVec3 a = points[i], b = points[(i + 1) % count];
        if (folds_back(a, b, points[(i + 2) % count])) {
            fault(check, "points", "the outline folds back on itself at point %d (%g, %g)", (i + 1) % count + 1, (double)b.x,
                  (double)b.y);
            return; // one is enough: the others follow from it
        }
        for (int j = i + 2; j < count; ++j) {
            if (i == 0 && j == count - 1) continue;
            if (!edges_meet(a, b, points[j], points[(j + 1) % count])) continue;
            fault(check, "points", "the edges after points %d and %d cross or touch; edges must not cross", i + 1, j + 1);
            return;
        }
    }
}

static double outline_area(const couVec3 *points, int count)
{
    double area = 0.0;
    for (int i = 1; i + 1 < count; ++i) area += 0.5 * turn(points[0], points[i], points[i + 1]);
    return area;
}

// True when each point is a number and differs from the next.
static bool check_points(Check *check)
{
    const couVec3 *points = check->def->points;
    int count = check->def->point_count;
    bool is_good = true;
    for (int i = 0; i < count; ++i) {
        couVec3 p = points[i], next = points[(i + 1) % count];
        if (!(fabsf(p.x) <= MAX_LENGTH && fabsf(p.y) <= MAX_LENGTH)) {
            fault(check, "points", "point %d (%g, %g) must be within %g m of the origin", i + 1, (double)p.x, (double)p.y,
                  (double)MAX_LENGTH);
            is_good = false;
        } else if (hypotf(next.x - p.x, next.y - p.y) < MIN_LENGTH) {
            fault(check, "points", "point %d (%g, %g) is the same as the next; edges must be at least %g m long", i + 1,
                  (double)p.x, (double)p.y, (double)MIN_LENGTH);
            is_good = false;
        }
    }
    return is_good;
}

static void check_polygon(Check *check)
{
    const couShapeDef *def = check->def;
    check_length(check, "height", "", def->height);
    if (def->point_count < 3 || def->point_count > cou_shapeMaxPoints) {
        fault(check, "points", "%d given, must be 3 to %d", def->point_count, cou_shapeMaxPoints);
        return;
    }
    if (!def->points) {
        fault(check, "points", "%d announced but none given", def->point_count);
        return;
    }
    if (!check_points(check)) return;
    double span = 0.0;
    for (int i = 1; i < def->point_count; ++i) {
        span = fmax(span, hypot((double)def->points[i].x - def->points[0].x, (double)def->points[i].y - def->points[0].y));
    }
    // Crossings first: a figure of eight may have no area, but that is not what is wrong with it.
    bool was_bad = check->is_bad;
    check->is_bad = false;
    check_crossings(check);
    double area = fabs(outline_area(def->points, def->point_count));
    if (!check->is_bad && !(area > 1e-6 * span * span)) {
        fault(check, "points", "area %g m^2 is degenerate, must be more than a millionth of the extent squared (%g m^2)", area,
              1e-6 * span * span);
    }
    check->is_bad = check->is_bad || was_bad;
}

static bool check_def(const couShapeDef *def, couFaults *faults)
{
    Check check = {.def = def, .kind = "shape", .faults = faults};
    if (!def || (unsigned)def->kind >= COU_COUNT(kind_names)) {
        fault(&check, "kind", "%d is unknown, must be 0 to %d", def ? (int)def->kind : -1, COU_COUNT(kind_names) - 1);
        return false;
    }
    check.kind = kind_names[def->kind];
    switch (def->kind) {
    case cou_shapePlane: check_axis(&check); break;
    case cou_shapeBox: check_size(&check); break;
    case cou_shapeSphere:
    case cou_shapeDisk: check_length(&check, "radius", "", def->radius); break;
    case cou_shapeCapsule:
    case cou_shapeCylinder:
        check_length(&check, "radius", "", def->radius);
        check_length(&check, "height", "", def->height);
        break;
    case cou_shapeCone:
        check_length(&check, "radius", "", def->radius);
        check_radius2(&check);
        check_length(&check, "height", "", def->height);
        break;
    case cou_shapeTorus:
        check_length(&check, "radius", "", def->radius);
        check_radius2(&check);
        break;
    case cou_shapePolygon: check_polygon(&check); break;
    case cou_shapeShell: check_shell(&check); break;
    case cou_shapeUnion: check_children(&check, cou_shapeMaxChildren); break;
    case cou_shapePlaced:
        check_children(&check, 1);
        check_pose(&check);
        break;
    case cou_shapeMesh:
        if (!def->grid) fault(&check, "grid", "none given; a mesh needs its distance grid");
        break;
    }
    return !check.is_bad;
}

// --- Bounds ------------------------------------------------------------------------------------------------------------------

static double mesh_support(const couMesh *mesh, const double n[3])
{
    const couVec3 *vertices = couMesh_Vertices(mesh);
    const uint32_t *triangles = couMesh_Triangles(mesh);
    double largest = -INFINITY;
    for (size_t k = 0; k < 3 * couMesh_TriangleCount(mesh); ++k) {
        couVec3 p = vertices[triangles[k]];
        largest = fmax(largest, n[0] * p.x + n[1] * p.y + n[2] * p.z);
    }
    return largest;
}

// The largest coordinate of the solid along the unit direction n [m]; an open shell's is that of its hull.
static double support(const couShape *shape, const double n[3])
{
    double flat = sqrt(n[0] * n[0] + n[2] * n[2]);
    switch (shape->kind) {
    case cou_shapePlane: return INFINITY;
    case cou_shapeBox: return fabs(n[0]) * shape->box.half.x + fabs(n[1]) * shape->box.half.y + fabs(n[2]) * shape->box.half.z;
    case cou_shapeSphere: return shape->round.radius;
    case cou_shapeCapsule: return fabs(n[1]) * shape->round.half_height + shape->round.radius;
    case cou_shapeCylinder: return fabs(n[1]) * shape->round.half_height + flat * shape->round.radius;
    case cou_shapeDisk: return flat * shape->round.radius;
    case cou_shapeTorus: return flat * shape->torus.radius + shape->torus.tube;
    case cou_shapeCone:
        return fmax(n[1] * shape->cone.half_height + flat * shape->cone.radius2,
                    -n[1] * shape->cone.half_height + flat * shape->cone.radius);
    case cou_shapePolygon: {
        double largest = -INFINITY;
        for (int i = 0; i < shape->polygon.count; ++i) {
            largest = fmax(largest, n[0] * shape->polygon.edges[i].x + n[1] * shape->polygon.edges[i].y);
        }
        return largest + fabs(n[2]) * shape->polygon.half_height;
    }
    case cou_shapeShell: return support(shape->shell.child, n) + shape->shell.thickness;
    case cou_shapeUnion: {
        double largest = -INFINITY;
        for (int i = 0; i < shape->group.count; ++i) largest = fmax(largest, support(shape->group.children[i], n));
        return largest;
    }
    case cou_shapePlaced: {
        couVec3 x = shape->placed.x, y = shape->placed.y, z = shape->placed.z, at = shape->placed.position;
        double local[3] = {n[0] * x.x + n[1] * x.y + n[2] * x.z, n[0] * y.x + n[1] * y.y + n[2] * y.z,
                           n[0] * z.x + n[1] * z.y + n[2] * z.z};
        return support(shape->placed.child, local) + n[0] * at.x + n[1] * at.y + n[2] * at.z;
    }
    case cou_shapeMesh: return mesh_support(couDistanceGrid_Mesh(shape->mesh.grid), n);
    }
    return INFINITY;
}

static void derive_bounds(couShape *shape)
{
    float lower[3], upper[3];
    shape->is_bounded = true;
    for (int axis = 0; axis < 3; ++axis) {
        double n[3] = {0};
        n[axis] = 1.0;
        upper[axis] = (float)support(shape, n);
        n[axis] = -1.0;
        lower[axis] = -(float)support(shape, n);
        shape->is_bounded &= isfinite(upper[axis]) && isfinite(lower[axis]);
    }
    if (shape->kind == cou_shapeShell && shape->shell.is_open) upper[1] = shape->shell.top;
    shape->bounds = (couBounds){{lower[0], lower[1], lower[2]}, {upper[0], upper[1], upper[2]}};
    shape->extent = 0.0f;
    for (int axis = 0; axis < 3 && shape->is_bounded; ++axis) {
        shape->extent = COU_MAX(shape->extent, COU_MAX(fabsf(lower[axis]), fabsf(upper[axis])));
    }
}

// --- Derived numbers ---------------------------------------------------------------------------------------------------------

static void derive_plane(couShape *shape)
{
    couVec3 axis = shape->def.axis;
    double length = sqrt((double)axis.x * axis.x + (double)axis.y * axis.y + (double)axis.z * axis.z);
    double flat = sqrt((double)axis.x * axis.x + (double)axis.y * axis.y);
    shape->plane.normal = (couVec3){(float)(axis.x / length), (float)(axis.y / length), (float)(axis.z / length)};
    if (flat > 1e-6 * length) shape->plane.normal2d = (couVec3){(float)(axis.x / flat), (float)(axis.y / flat), 0.0f};
    shape->thinness = INFINITY;
}

static void derive_cone(couShape *shape)
{
    double r1 = shape->def.radius, r2 = shape->def.radius2, height = shape->def.height;
    double length = sqrt((r2 - r1) * (r2 - r1) + height * height);
    shape->cone.radius = shape->def.radius;
    shape->cone.radius2 = shape->def.radius2;
    shape->cone.half_height = (float)(0.5 * height);
    shape->cone.side_r = (float)(r2 - r1);
    shape->cone.side_y = (float)height;
    shape->cone.inv_length2 = (float)(1.0 / (length * length));
    shape->cone.normal_r = (float)(height / length);
    shape->cone.normal_y = (float)((r1 - r2) / length);
    // The cut's width across its side, as for a triangle; a tip is no thinner than the body it ends.
    shape->thinness = (float)fmin(height, 2.0 * fmax(r1, r2) * height / length);
}

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

// The thinnest wall of an outline: from a corner to the nearest edge that is the other side of the solid there. Neighbours along
// a finely drawn curve look the same way and do not count.
static double outline_thinness(const couShapeEdge *edges, int count, double winding)
{
    double thinnest = INFINITY;
    for (int i = 0; i < count; ++i) {
        const couShapeEdge *before = &edges[(i + count - 1) % count], *after = &edges[i];
        for (int j = 0; j < count; ++j) {
            const couShapeEdge *edge = &edges[j];
            if (edge == before || edge == after) continue;
            double dx = (double)after->x - edge->x, dy = (double)after->y - edge->y;
            double t = COU_CLAMP((dx * edge->ex + dy * edge->ey) * edge->inv_length2, 0.0, 1.0);
            double ux = t * edge->ex - dx, uy = t * edge->ey - dy; // from the corner to the edge
            double length = sqrt(ux * ux + uy * uy);
            if (!(length > 0.0 && length < thinnest)) continue;
            ux /= length;
            uy /= length;
            if (ux * edge->normal_x + uy * edge->normal_y > 0.94 && is_outward(before, after, winding, -ux, -uy))
                thinnest = length;
        }
    }
    return thinnest;
}

static void derive_polygon(couShape *shape, couShapeEdge *edges)
{
    const couVec3 *points = shape->def.points;
    int count = shape->def.point_count;
    double area = outline_area(points, count);
    double winding = area > 0.0 ? 1.0 : -1.0;
    shape->is_convex = true;
    for (int i = 0; i < count; ++i) {
        couVec3 a = points[i], b = points[(i + 1) % count], c = points[(i + 2) % count];
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
    shape->polygon.edges = edges;
    shape->polygon.count = count;
    shape->polygon.half_height = 0.5f * shape->def.height;
    shape->weight = count;
    shape->face_area = (float)fabs(area);
    shape->thinness = (float)fmin(shape->def.height, outline_thinness(edges, count, winding));
}

static void derive_shell(couShape *shape)
{
    const couShape *child = shape->def.children[0];
    shape->shell.child = child;
    shape->shell.thickness = shape->def.thickness;
    shape->shell.is_open = shape->def.is_open;
    shape->shell.top = child->bounds.upper.y;
    shape->shell.nudge = 2e-6f * child->extent;
    shape->thinness = shape->def.thickness;
    shape->slope = child->slope;
    shape->blur = child->blur;
}

static void derive_union(couShape *shape, couBounds *bounds)
{
    shape->group.children = shape->def.children;
    int count = shape->def.child_count;
    float *sides = (float *)(bounds + count);
    shape->group.bounds = bounds;
    shape->group.sides = sides;
    shape->group.count = count;
    shape->thinness = INFINITY;
    for (int i = 0; i < count; ++i) {
        const couShape *child = shape->def.children[i];
        const couVec3 far = {INFINITY, INFINITY, INFINITY};
        bounds[i] = child->is_bounded ? child->bounds : (couBounds){couScale(-1.0f, far), far};
        const float column[6] = {bounds[i].lower.x, bounds[i].lower.y, bounds[i].lower.z,
                                 bounds[i].upper.x, bounds[i].upper.y, bounds[i].upper.z};
        for (int side = 0; side < 6; ++side) sides[side * count + i] = column[side];
        shape->thinness = COU_MIN(shape->thinness, child->thinness);
        shape->slope = COU_MAX(shape->slope, child->slope);
        shape->blur = COU_MAX(shape->blur, child->blur);
    }
}

// Columns of the rotation matrix of a nearly unit quaternion.
static void rotation_axes(couQuat rotation, double axes[3][3])
{
    double x = rotation.x, y = rotation.y, z = rotation.z, w = rotation.w;
    double s = 2.0 / (x * x + y * y + z * z + w * w);
    double columns[3][3] = {{1 - s * (y * y + z * z), s * (x * y + w * z), s * (x * z - w * y)},
                            {s * (x * y - w * z), 1 - s * (x * x + z * z), s * (y * z + w * x)},
                            {s * (x * z + w * y), s * (y * z - w * x), 1 - s * (x * x + y * y)}};
    memcpy(axes, columns, sizeof columns);
}

static void derive_placed(couShape *shape)
{
    const couShape *child = shape->def.children[0];
    couVec3 at = shape->def.pose.position;
    double axes[3][3], position[3] = {at.x, at.y, at.z};
    rotation_axes(shape->def.pose.rotation, axes);
    if (child->kind == cou_shapePlaced) {
        // One pose instead of two: rotate the child's axes and position by ours.
        const couVec3 inner[4] = {child->placed.x, child->placed.y, child->placed.z, child->placed.position};
        double product[4][3];
        for (int k = 0; k < 4; ++k) {
            for (int row = 0; row < 3; ++row) {
                product[k][row] = axes[0][row] * inner[k].x + axes[1][row] * inner[k].y + axes[2][row] * inner[k].z;
            }
        }
        memcpy(axes, product, sizeof axes);
        for (int row = 0; row < 3; ++row) position[row] += product[3][row];
        child = child->placed.child;
    }
    shape->placed.child = child;
    shape->placed.x = (couVec3){(float)axes[0][0], (float)axes[0][1], (float)axes[0][2]};
    shape->placed.y = (couVec3){(float)axes[1][0], (float)axes[1][1], (float)axes[1][2]};
    shape->placed.z = (couVec3){(float)axes[2][0], (float)axes[2][1], (float)axes[2][2]};
    shape->placed.position = (couVec3){(float)position[0], (float)position[1], (float)position[2]};
    shape->is_turned = axes[0][0] != 1.0 || axes[1][1] != 1.0 || axes[2][2] != 1.0;
    shape->is_planar = fabs(axes[2][2]) >= 1.0 - 1e-9 && position[2] == 0.0;
    shape->is_convex = child->is_convex;
    shape->thinness = child->thinness;
    shape->slope = child->slope;
    shape->blur = child->blur;
    shape->face_area = child->face_area;
}

static void derive_primitive(couShape *shape)
{
    const couShapeDef *def = &shape->def;
    shape->is_convex = def->kind != cou_shapeTorus;
    shape->round.radius = def->radius;
    shape->round.half_height = 0.5f * def->height;
    switch (def->kind) {
    case cou_shapeBox:
        shape->box.half = couScale(0.5f, def->size);
        shape->thinness = COU_MIN(def->size.x, COU_MIN(def->size.y, def->size.z));
        break;
    case cou_shapeSphere:
    case cou_shapeCapsule: shape->thinness = 2.0f * def->radius; break;
    case cou_shapeCylinder: shape->thinness = COU_MIN(2.0f * def->radius, def->height); break;
    case cou_shapeTorus:
        shape->torus.radius = def->radius;
        shape->torus.tube = def->radius2;
        shape->thinness = 2.0f * def->radius2;
        break;
    case cou_shapeDisk:
        shape->thinness = 0.0f;
        shape->face_area = (float)(COU_PI * def->radius * def->radius);
        break;
    default: break;
    }
}

static void derive_mesh(couShape *shape)
{
    shape->mesh.grid = shape->def.grid;
    shape->thinness = couDistanceGrid_Thinness(shape->def.grid);
    shape->slope = couDistanceGrid_Slope(shape->def.grid);
    shape->blur = couDistanceGrid_Cell(shape->def.grid);
}

static void derive(couShape *shape, void *extra)
{
    shape->weight = 1;
    shape->slope = 1.0f;
    switch (shape->kind) {
    case cou_shapePlane:
        derive_plane(shape);
        shape->is_convex = true;
        break;
    case cou_shapeCone:
        derive_cone(shape);
        shape->is_convex = true;
        break;
    case cou_shapePolygon: derive_polygon(shape, extra); break;
    case cou_shapeShell: derive_shell(shape); break;
    case cou_shapeUnion: derive_union(shape, extra); break;
    case cou_shapePlaced: derive_placed(shape); break;
    case cou_shapeMesh: derive_mesh(shape); break;
    default: derive_primitive(shape); break;
    }
    derive_bounds(shape);
}

// --- Life --------------------------------------------------------------------------------------------------------------------

static bool has_children(couShapeKind kind)
{
    return kind == cou_shapeShell || kind == cou_shapeUnion || kind == cou_shapePlaced;
}

static size_t padded(size_t bytes) { return (bytes + 15) & ~(size_t)15; }

couShape *couCreateShape(const couShapeDef *def, couFaults *faults)
{
    if (!check_def(def, faults)) return NULL;
    size_t child_count = has_children(def->kind) ? (size_t)def->child_count : 0;
    size_t point_count = def->kind == cou_shapePolygon ? (size_t)def->point_count : 0;
    size_t own_bytes = padded(sizeof(couShape));
    size_t child_bytes = padded(child_count * sizeof(couShape *));
    size_t point_bytes = padded(point_count * sizeof(couVec3));
    size_t extra_bytes = point_count * sizeof(couShapeEdge) +
                         (def->kind == cou_shapeUnion ? child_count * 2 * sizeof(couBounds) : 0);
    char *block = couAlloc(NULL, own_bytes + child_bytes + point_bytes + extra_bytes);
    if (!block) {
        if (faults) couFaults_Add(faults, NULL, kind_names[def->kind], "no memory for the shape");
        return NULL;
    }

    // Copies of what the def points to, so that the def may go.
    couShape *shape = (couShape *)block;
    couShape **children = (couShape **)(block + own_bytes);
    couVec3 *points = (couVec3 *)(block + own_bytes + child_bytes);
    shape->kind = def->kind;
    shape->def = *def;
    shape->def.children = child_count ? children : NULL;
    shape->def.child_count = (int)child_count;
    shape->def.points = point_count ? points : NULL;
    shape->def.point_count = (int)point_count;
    shape->def.grid = def->kind == cou_shapeMesh ? couDistanceGrid_Retain(def->grid) : NULL;
    if (point_count) memcpy(points, def->points, point_count * sizeof *points);

    int child_depth = 0, child_weight = 0;
    for (size_t i = 0; i < child_count; ++i) {
        children[i] = couShape_Retain(def->children[i]);
        child_depth = COU_MAX(child_depth, children[i]->depth);
        child_weight += children[i]->weight;
    }
    derive(shape, block + own_bytes + child_bytes + point_bytes);
    shape->depth = child_depth + 1;
    if (child_count) shape->weight = child_weight;
    atomic_init(&shape->references, 1);
    return shape;
}

couShape *couShape_Retain(couShape *shape)
{
    if (shape) atomic_fetch_add_explicit(&shape->references, 1, memory_order_relaxed);
    return shape;
}

void couShape_Release(couShape *shape)
{
    if (!shape) return;
    int before = atomic_fetch_sub_explicit(&shape->references, 1, memory_order_acq_rel);
    COU_ASSERT(before > 0);
    if (before != 1) return;
    for (int i = 0; i < shape->def.child_count; ++i) couShape_Release(shape->def.children[i]);
    couDistanceGrid_Release(shape->def.grid);
    couFree(NULL, shape);
}

// --- Reading -----------------------------------------------------------------------------------------------------------------

bool couShape_Bounds(const couShape *shape, int dimension, couBounds *bounds)
{
    if (!shape->is_bounded) return false;
    *bounds = shape->bounds;
    if (dimension == 2) bounds->lower.z = bounds->upper.z = 0.0f;
    return true;
}

float couShape_Thinness(const couShape *shape) { return shape->thinness; }

bool couShape_IsConvex(const couShape *shape) { return shape->is_convex; }

float couShape_Clearance(const couShape *shape, float distance)
{
    float size = fabsf(distance);
    return COU_MAX(size / shape->slope, size - shape->blur);
}

couShapeKind couShape_Kind(const couShape *shape) { return shape->kind; }

const couShapeDef *couShape_Def(const couShape *shape) { return &shape->def; }

float couShape_FaceArea(const couShape *shape, int dimension)
{
    if (dimension == 3) return shape->face_area;
    const couShape *outline = shape->kind == cou_shapePlaced ? shape->placed.child : shape;
    return outline->kind == cou_shapeDisk ? 2.0f * outline->round.radius : 0.0f;
}
