// Shapes: checking a def, deriving what the queries need, counting references.
//
// A shape is one block of memory (the struct, then copies of the def's children and points, then what is derived from them),
// never changed after creation, so that any thread may read it. Trees share children; depth and total weight are limited, because
// a tree that uses a child twice on each of 32 levels would take for ever to evaluate. Bounds come from support functions and are
// tight under rotation: an open shell ends at the top of its child's bounds, so a loose top would leave the lid on.
#include "shape/shape_data.h"

#include <stdatomic.h>
#include <stdio.h>

#define MIN_LENGTH COU_SHAPE_MIN_LENGTH
#define MAX_LENGTH COU_SHAPE_MAX_LENGTH

static const char *const kind_names[] = {
    [cou_shapePlane] = "plane",
    [cou_shapeBox] = "box",
    [cou_shapeSphere] = "sphere",
    [cou_shapeCapsule] = "capsule",
    [cou_shapeCylinder] = "cylinder",
    [cou_shapeCone] = "cone",
    [cou_shapeTorus] = "torus",
    [cou_shapeDisk] = "disk",
    [cou_shapePolygon] = "polygon",
    [cou_shapeShell] = "shell",
    [cou_shapeUnion] = "union",
    [cou_shapePlaced] = "placed",
    [cou_shapeMesh] = "mesh",
    [cou_shapeDifference] = "difference",
    [cou_shapeIntersection] = "intersection",
};

// --- Checks ------------------------------------------------------------------------------------------------------------------

void couShapeCheck_Fault(couShapeCheck *check, const char *field, const char *format, ...)
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

void couShapeCheck_Length(couShapeCheck *check, const char *field, const char *part, float value)
{
    if (value >= MIN_LENGTH && value <= MAX_LENGTH) return;
    couShapeCheck_Fault(check, field, "%s%g m must be > 0 (from %g to %g m)", part, (double)value, (double)MIN_LENGTH,
                        (double)MAX_LENGTH);
}

static void check_axis(couShapeCheck *check)
{
    couVec3 axis = check->def->axis;
    double length = sqrt((double)axis.x * axis.x + (double)axis.y * axis.y + (double)axis.z * axis.z);
    if (length >= 1e-12 && length <= 1e12) return;
    couShapeCheck_Fault(check, "axis", "(%g, %g, %g) is not a direction: its length must be from 1e-12 to 1e12", (double)axis.x,
                        (double)axis.y, (double)axis.z);
}

static void check_size(couShapeCheck *check)
{
    couShapeCheck_Length(check, "size", "x = ", check->def->size.x);
    couShapeCheck_Length(check, "size", "y = ", check->def->size.y);
    couShapeCheck_Length(check, "size", "z = ", check->def->size.z);
    if (check->is_bad) return;
    couVec3 size = check->def->size;
    float rounding = check->def->rounding, most = 0.5f * COU_MIN(size.x, COU_MIN(size.y, size.z));
    if (rounding >= 0.0f && rounding <= most) return;
    couShapeCheck_Fault(check, "rounding", "%g m must be from 0 to half of the smallest edge length (%g m)", (double)rounding,
                        (double)most);
}

static void check_radius2(couShapeCheck *check)
{
    float radius = check->def->radius, radius2 = check->def->radius2;
    if (check->def->kind == cou_shapeCone) {
        // A radius too small for the other lengths is a tip.
        if (!(radius2 >= 0.0f && radius2 <= MAX_LENGTH)) {
            couShapeCheck_Fault(check, "radius2", "%g m must be >= 0 and at most %g m", (double)radius2, (double)MAX_LENGTH);
        }
        return;
    }
    bool is_smaller = !(radius > 0.0f) || radius2 < radius;
    if (radius2 >= MIN_LENGTH && radius2 <= MAX_LENGTH && is_smaller) return;
    couShapeCheck_Fault(check, "radius2", "%g m must be > 0 (at least %g m) and smaller than radius (%g m)", (double)radius2,
                        (double)MIN_LENGTH, (double)radius);
}

static void check_children(couShapeCheck *check, int max_count)
{
    const couShapeDef *def = check->def;
    if (def->child_count < 1 || def->child_count > max_count) {
        if (max_count == 1)
            couShapeCheck_Fault(check, "children", "%d given, must be exactly 1", def->child_count);
        else
            couShapeCheck_Fault(check, "children", "%d given, must be 1 to %d", def->child_count, max_count);
        return;
    }
    if (!def->children) {
        couShapeCheck_Fault(check, "children", "%d announced but none given", def->child_count);
        return;
    }
    int64_t weight = 0;
    for (int i = 0; i < def->child_count; ++i) {
        const couShape *child = def->children[i];
        if (!child) {
            couShapeCheck_Fault(check, "children", "child %d is missing", i + 1);
            continue;
        }
        if (child->depth >= cou_shapeMaxDepth) {
            couShapeCheck_Fault(check, "children", "child %d is nested %d levels deep; with this one at most %d are allowed",
                                i + 1, child->depth, cou_shapeMaxDepth);
        }
        weight += child->weight;
    }
    if (weight > cou_shapeMaxWeight) {
        couShapeCheck_Fault(check, "children", "they hold %lld primitives and polygon points, must be at most %d",
                            (long long)weight, cou_shapeMaxWeight);
    }
}

static bool has_rounded_top(const couShape *shape)
{
    if (shape->kind == cou_shapePlaced) return has_rounded_top(shape->placed.child);
    return shape->kind == cou_shapeBox && shape->box.rounding > 0.0f;
}

static void check_shell(couShapeCheck *check)
{
    couShapeCheck_Length(check, "thickness", "", check->def->thickness);
    check_children(check, 1);
    const couShape *child = check->def->child_count == 1 && check->def->children ? check->def->children[0] : NULL;
    if (!child) return;
    if (!(child->thinness > 0.0f))
        couShapeCheck_Fault(check, "children", "a disk has no inside to put a wall around; take a thin cylinder");
    if (check->def->is_open && !child->is_bounded)
        couShapeCheck_Fault(check, "is_open", "true needs a child with a top; a plane is unbounded");
    if (check->def->is_open && has_rounded_top(child))
        couShapeCheck_Fault(check, "is_open",
                            "the walls of a rounded box bend inwards at its top; cut it off first: "
                            "intersection { box { ... }, plane {} }");
}

// Without an inside a disk can neither be cut nor take anything away.
static void check_cut(couShapeCheck *check)
{
    check_children(check, cou_shapeMaxChildren);
    for (int i = 0; i < check->def->child_count && !check->is_bad; ++i) {
        if (!(check->def->children[i]->thinness > 0.0f))
            couShapeCheck_Fault(check, "children", "child %d is a disk, which has no inside; take a thin cylinder", i + 1);
    }
}

static void check_pose(couShapeCheck *check)
{
    couVec3 at = check->def->pose.position;
    if (!(fabsf(at.x) <= MAX_LENGTH && fabsf(at.y) <= MAX_LENGTH && fabsf(at.z) <= MAX_LENGTH)) {
        couShapeCheck_Fault(check, "pose", "position (%g, %g, %g) m must be within %g m of the origin", (double)at.x,
                            (double)at.y, (double)at.z, (double)MAX_LENGTH);
    }
    couQuat q = check->def->pose.rotation;
    double norm = sqrt((double)q.x * q.x + (double)q.y * q.y + (double)q.z * q.z + (double)q.w * q.w);
    if (!(fabs(norm - 1.0) <= 1e-3)) couShapeCheck_Fault(check, "pose", "rotation has length %g, must be 1 (within 0.001)", norm);
}

static bool check_def(const couShapeDef *def, couFaults *faults)
{
    couShapeCheck check = {.def = def, .kind = "shape", .faults = faults};
    if (!def || (unsigned)def->kind >= COU_COUNT(kind_names)) {
        couShapeCheck_Fault(&check, "kind", "%d is unknown, must be 0 to %d", def ? (int)def->kind : -1,
                            COU_COUNT(kind_names) - 1);
        return false;
    }
    check.kind = kind_names[def->kind];
    switch (def->kind) {
    case cou_shapePlane: check_axis(&check); break;
    case cou_shapeBox: check_size(&check); break;
    case cou_shapeSphere:
    case cou_shapeDisk: couShapeCheck_Length(&check, "radius", "", def->radius); break;
    case cou_shapeCapsule:
    case cou_shapeCylinder:
        couShapeCheck_Length(&check, "radius", "", def->radius);
        couShapeCheck_Length(&check, "height", "", def->height);
        break;
    case cou_shapeCone:
        couShapeCheck_Length(&check, "radius", "", def->radius);
        check_radius2(&check);
        couShapeCheck_Length(&check, "height", "", def->height);
        break;
    case cou_shapeTorus:
        couShapeCheck_Length(&check, "radius", "", def->radius);
        check_radius2(&check);
        break;
    case cou_shapePolygon: couCheckPolygon(&check); break;
    case cou_shapeShell: check_shell(&check); break;
    case cou_shapeUnion: check_children(&check, cou_shapeMaxChildren); break;
    case cou_shapeDifference:
    case cou_shapeIntersection: check_cut(&check); break;
    case cou_shapePlaced:
        check_children(&check, 1);
        check_pose(&check);
        break;
    case cou_shapeMesh:
        if (!def->grid) couShapeCheck_Fault(&check, "grid", "none given; a mesh needs its distance grid");
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
    case cou_shapePlane: {
        couVec3 normal = shape->plane.normal;
        return n[0] * normal.x + n[1] * normal.y + n[2] * normal.z > 1.0 - 1e-10 ? 0.0 : INFINITY;
    }
    case cou_shapeBox: {
        couVec3 half = shape->box.half;
        double r = shape->box.rounding;
        return fabs(n[0]) * (half.x - r) + fabs(n[1]) * (half.y - r) + fabs(n[2]) * (half.z - r) + r;
    }
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
    case cou_shapeDifference: return support(shape->group.children[0], n);
    case cou_shapeIntersection: {
        double least = INFINITY; // of what they have in common it may be less
        for (int i = 0; i < shape->group.count; ++i) least = fmin(least, support(shape->group.children[i], n));
        return least;
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

static void derive_group(couShape *shape, couBounds *bounds)
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
        shape->box.rounding = def->rounding;
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
    case cou_shapePolygon: couDerivePolygon(shape, extra); break;
    case cou_shapeShell: derive_shell(shape); break;
    case cou_shapeUnion: derive_group(shape, extra); break;
    case cou_shapeDifference:
        derive_group(shape, extra);
        shape->is_convex = shape->group.count == 1 && shape->group.children[0]->is_convex;
        break;
    case cou_shapeIntersection:
        derive_group(shape, extra);
        shape->is_convex = true;
        for (int i = 0; i < shape->group.count; ++i) shape->is_convex &= shape->group.children[i]->is_convex;
        break;
    case cou_shapePlaced: derive_placed(shape); break;
    case cou_shapeMesh: derive_mesh(shape); break;
    default: derive_primitive(shape); break;
    }
    derive_bounds(shape);
}

// --- Life --------------------------------------------------------------------------------------------------------------------

static bool has_children(couShapeKind kind)
{
    return kind == cou_shapeShell || kind == cou_shapePlaced || couShapeHasGroup(kind);
}

// What only a look at the whole shows. Unbounded ones, as a plane with a hole, are taken at their word.
static bool finish_cut(couShape *shape, couFaults *faults)
{
    if (!shape->is_bounded) return true;
    couShapeCheck check = {.def = &shape->def, .kind = kind_names[shape->kind], .faults = faults};
    couCutSurvey survey = couSurveyCut(shape, 3);
    shape->is_flat = false; // what the children are is part of what was found
    if (survey.has_ghost) {
        couCutSurvey flat = couSurveyCut(shape, 2);
        shape->is_flat = !flat.has_ghost && !flat.is_empty;
        if (shape->is_flat) survey = flat;
    }
    shape->thinness = survey.thinness;
    if (survey.has_ghost) {
        couShapeCheck_Fault(&check, "children",
                            "two of them have a face in common near (%.4g, %.4g, %.4g): what is taken away must stick out of "
                            "the rest, by however little, and what is kept must overlap",
                            (double)survey.ghost.x, (double)survey.ghost.y, (double)survey.ghost.z);
    } else if (survey.is_empty) {
        couShapeCheck_Fault(&check, "children",
                            shape->kind == cou_shapeDifference ? "nothing is left of the first: the others take all of it away"
                                                               : "they have nothing in common");
    }
    return !check.is_bad;
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
    size_t outline_count = def->kind == cou_shapePolygon ? (size_t)def->outline_count : 0;
    size_t outline_bytes = padded(outline_count * sizeof(int));
    size_t extra_bytes = def->kind == cou_shapePolygon ? couPolygonBytes(def)
                         : couShapeHasGroup(def->kind) ? child_count * 2 * sizeof(couBounds)
                                                       : 0;
    char *block = couAlloc(NULL, own_bytes + child_bytes + point_bytes + outline_bytes + extra_bytes);
    if (!block) {
        if (faults) couFaults_Add(faults, NULL, kind_names[def->kind], "no memory for the shape");
        return NULL;
    }

    // Copies of what the def points to, so that the def may go.
    couShape *shape = (couShape *)block;
    couShape **children = (couShape **)(block + own_bytes);
    couVec3 *points = (couVec3 *)(block + own_bytes + child_bytes);
    int *outlines = (int *)(block + own_bytes + child_bytes + point_bytes);
    shape->kind = def->kind;
    shape->def = *def;
    shape->def.children = child_count ? children : NULL;
    shape->def.child_count = (int)child_count;
    shape->def.points = point_count ? points : NULL;
    shape->def.point_count = (int)point_count;
    shape->def.outlines = outline_count ? outlines : NULL;
    shape->def.outline_count = (int)outline_count;
    shape->def.grid = def->kind == cou_shapeMesh ? couDistanceGrid_Retain(def->grid) : NULL;
    if (point_count) memcpy(points, def->points, point_count * sizeof *points);
    if (outline_count) memcpy(outlines, def->outlines, outline_count * sizeof *outlines);

    int child_depth = 0, child_weight = 0;
    for (size_t i = 0; i < child_count; ++i) {
        children[i] = couShape_Retain(def->children[i]);
        child_depth = COU_MAX(child_depth, children[i]->depth);
        child_weight += children[i]->weight;
        shape->is_flat |= children[i]->is_flat;
    }
    derive(shape, block + own_bytes + child_bytes + point_bytes + outline_bytes);
    shape->depth = child_depth + 1;
    if (child_count) shape->weight = child_weight;
    atomic_init(&shape->references, 1);
    bool is_cut = shape->kind == cou_shapeDifference || shape->kind == cou_shapeIntersection;
    if (!is_cut || finish_cut(shape, faults)) return shape;
    couShape_Release(shape);
    return NULL;
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

bool couShape_IsFlat(const couShape *shape) { return shape->is_flat; }

couShapeKind couShape_Kind(const couShape *shape) { return shape->kind; }

const couShapeDef *couShape_Def(const couShape *shape) { return &shape->def; }

float couShape_FaceArea(const couShape *shape, int dimension)
{
    if (dimension == 3) return shape->face_area;
    const couShape *outline = shape->kind == cou_shapePlaced ? shape->placed.child : shape;
    return outline->kind == cou_shapeDisk ? 2.0f * outline->round.radius : 0.0f;
}
