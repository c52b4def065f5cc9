// Who sees whom: segments against shapes, and convex parts of the free space.
//
// A convex solid's distance is a convex function along a segment, so Newton's method walks to the first root without ever passing
// it, and a rising slope proves that the rest is free: two or three evaluations as a rule, also for shells of a convex solid,
// however thin. Anything else is sphere-traced from both ends; the field, less a little where a mesh is interpolated, never
// exceeds the distance, so a step of that length is free. Sliding along a wall would take for ever, hence a smallest step that
// grows with the number of evaluations: at most about 500, and crossings, which come early, cannot step over a thin wall. Contact
// shallower than a millionth (GRAZE) is no hit, or rounding would hide particles from their neighbours along a wall that they
// lie on.
#include "shape/shape_data.h"

#define GRAZE 1e-6f // of the largest coordinate at hand

static couVec3 along(couVec3 a, couVec3 b, float t) { return couMulAdd(a, t, couSub(b, a)); }

// The solid {distance <= offset} of a convex shape.
static bool convex_hits(const couShape *shape, int dimension, couVec3 a, couVec3 b, float graze, float offset)
{
    couVec3 normal;
    float distance = couShape_DistanceNormal(shape, dimension, a, &normal) - offset;
    float end = couShape_Distance(shape, dimension, b) - offset;
    if (distance < -graze || end < -graze) return true;
    float length = couLength(couSub(b, a));
    if (distance + end > length) return false;
    couVec3 direction = couScale(1.0f / length, couSub(b, a));
    float t = 0.0f;
    for (int i = 0; i < 64; ++i) {
        float slope = couDot(normal, direction);
        if (!(slope < 0.0f)) return false;
        t += (distance + 2.0f * graze) / -slope;
        if (!(t < length)) return false;
        distance = couShape_DistanceNormal(shape, dimension, along(a, b, t / length), &normal) - offset;
        if (distance < -graze) return true;
    }
    return false; // halved 64 times and still above: touching at most
}

// Any shape: spheres of free space from both ends until they meet.
static bool traced_hits(const couShape *shape, int dimension, couVec3 a, couVec3 b, float graze)
{
    float length = couLength(couSub(b, a));
    float near_distance = couShape_Distance(shape, dimension, a);
    float far_distance = couShape_Distance(shape, dimension, b);
    if (near_distance < -graze || far_distance < -graze) return true;
    float near = 0.0f, far = length;
    // Sum of i^2 reaches 1 / 2e-8 at i = 530.
    for (int i = 1; near < far; ++i) {
        float least = 2e-8f * (float)i * (float)i * length;
        if (i < 200) least = COU_MIN(least, 0.25f * shape->thinness);
        least = COU_MAX(least, 2.0f * graze);
        float near_free = couShape_Clearance(shape, near_distance), far_free = couShape_Clearance(shape, far_distance);
        if (near_free + far_free > far - near) return false;
        near += COU_MAX(near_free, least);
        if (!(near < far)) return false;
        near_distance = couShape_Distance(shape, dimension, along(a, b, near / length));
        if (near_distance < -graze) return true;
        far -= COU_MAX(far_free, least);
        if (!(near < far)) return false;
        far_distance = couShape_Distance(shape, dimension, along(a, b, far / length));
        if (far_distance < -graze) return true;
    }
    return false;
}

// No depth to find by tracing; a point on the disk counts as above it, so that two steps cannot pass what one cannot.
static bool disk_hits(const couShape *shape, couVec3 a, couVec3 b, float graze)
{
    if ((a.y >= 0.0f) == (b.y >= 0.0f)) return false;
    couVec3 p = along(a, b, a.y / (a.y - b.y));
    return sqrtf(p.x * p.x + p.z * p.z) < shape->round.radius - graze;
}

// Measured in space, a placed child that leaves the plane of a 2D world has a normal that does not lie in it.
static bool has_convex_field(const couShape *shape, int dimension)
{
    return shape->is_convex && (dimension == 3 || shape->kind != cou_shapePlaced || shape->is_planar);
}

// The part of the segment below the given height; false when nothing is left.
static bool clip_below(couVec3 *a, couVec3 *b, float top)
{
    if (a->y >= top && b->y >= top) return false;
    couVec3 *high = a->y > b->y ? a : b;
    if (high->y <= top) return true;
    *high = along(*a, *b, (top - a->y) / (b->y - a->y));
    high->y = top;
    return true;
}

// Below its rim the free space of a shell is the inside and the outside of two convex solids, one in the other.
static bool shell_hits(const couShape *shape, int dimension, couVec3 a, couVec3 b, float graze)
{
    const couShape *child = shape->shell.child;
    float thickness = shape->shell.thickness;
    if (!has_convex_field(child, dimension)) return traced_hits(shape, dimension, a, b, graze);
    if (shape->shell.is_open && !clip_below(&a, &b, shape->shell.top - shape->shell.nudge)) return false;
    float da = couShape_Distance(child, dimension, a), db = couShape_Distance(child, dimension, b);
    if (da <= graze && db <= graze) return false;
    if (da < thickness - graze || db < thickness - graze) return true;
    return convex_hits(child, dimension, a, b, graze, thickness);
}

static bool bounds_overlap(const couBounds *bounds, couVec3 a, couVec3 b)
{
    return COU_MIN(a.x, b.x) <= bounds->upper.x && COU_MAX(a.x, b.x) >= bounds->lower.x && COU_MIN(a.y, b.y) <= bounds->upper.y &&
           COU_MAX(a.y, b.y) >= bounds->lower.y && COU_MIN(a.z, b.z) <= bounds->upper.z && COU_MAX(a.z, b.z) >= bounds->lower.z;
}

static bool segment_hits(const couShape *shape, int dimension, couVec3 a, couVec3 b, float graze)
{
    switch (shape->kind) {
    case cou_shapePlane:
        return couShape_Distance(shape, dimension, a) < -graze || couShape_Distance(shape, dimension, b) < -graze;
    case cou_shapeDisk: return disk_hits(shape, a, b, graze);
    case cou_shapeShell: return shell_hits(shape, dimension, a, b, graze);
    case cou_shapeUnion:
        for (int i = 0; i < shape->group.count; ++i) {
            if (!bounds_overlap(&shape->group.bounds[i], a, b)) continue;
            if (segment_hits(shape->group.children[i], dimension, a, b, graze)) return true;
        }
        return false;
    case cou_shapePlaced:
        return segment_hits(shape->placed.child, couShapeChildDimension(shape, dimension), couShapeToChild(shape, a),
                            couShapeToChild(shape, b), graze);
    default: break;
    }
    if (shape->is_convex) return convex_hits(shape, dimension, a, b, graze, 0.0f);
    return traced_hits(shape, dimension, a, b, graze);
}

static float largest_coordinate(couVec3 p) { return COU_MAX(fabsf(p.x), COU_MAX(fabsf(p.y), fabsf(p.z))); }

bool couShape_SegmentHits(const couShape *shape, int dimension, couVec3 a, couVec3 b)
{
    if (dimension == 2) a.z = b.z = 0.0f;
    float scale = COU_MAX(shape->extent, COU_MAX(largest_coordinate(a), largest_coordinate(b)));
    if (!(scale < 1e15f) || !couIsFinite3(a) || !couIsFinite3(b)) return true; // nobody sees what is nowhere
    float graze = GRAZE * scale;
    if (shape->thinness > 0.0f) graze = COU_MIN(graze, 0.125f * shape->thinness);
    return segment_hits(shape, dimension, a, b, graze);
}

// --- Pockets -----------------------------------------------------------------------------------------------------------------

// Which face of the bounds the point is farthest beyond, 1 to 6; 0 inside. What lies beyond a face is a free half-space.
static uint32_t beyond_face(const couBounds *bounds, int dimension, couVec3 p)
{
    const float excess[6] = {p.x - bounds->upper.x, p.y - bounds->upper.y, p.z - bounds->upper.z,
                             bounds->lower.x - p.x, bounds->lower.y - p.y, bounds->lower.z - p.z};
    float farthest = 0.0f;
    uint32_t face = 0;
    for (uint32_t i = 0; i < 6; ++i) {
        if (dimension == 2 && i % 3 == 2) continue;
        if (!(excess[i] > farthest)) continue;
        farthest = excess[i];
        face = i + 1;
    }
    return face;
}

enum { pocket_half_space = 1, pocket_inside = 7, pocket_packed = 1 << 30 };

static uint32_t shell_pocket(const couShape *shape, int dimension, couVec3 p)
{
    const couShape *child = shape->shell.child;
    if (!child->is_convex || (shape->shell.is_open && p.y > shape->shell.top)) return 0;
    return couShape_Distance(child, dimension, p) <= 0.0f ? pocket_inside : 0;
}

// What was taken away is free, in one piece where that is convex.
static uint32_t difference_pocket(const couShape *shape, int dimension, couVec3 p)
{
    for (int i = 1; i < shape->group.count; ++i) {
        const couShape *child = shape->group.children[i];
        if (child->is_convex && couShape_Distance(child, dimension, p) <= 0.0f) return (uint32_t)(pocket_inside + i - 1);
    }
    return 0;
}

// Where the point is in one convex part per child, it is in their intersection. The numbers of up to ten simple children are
// packed side by side and cannot be confused; beyond, a hash must do.
static uint32_t union_pocket(const couShape *shape, int dimension, couVec3 p)
{
    uint32_t packed = 0, hash = 2166136261u, largest = 0;
    for (int i = 0; i < shape->group.count; ++i) {
        uint32_t pocket = couShape_FreePocket(shape->group.children[i], dimension, p);
        if (pocket == 0) return 0;
        largest = COU_MAX(largest, pocket);
        packed = packed << 3 | (pocket & 7u);
        hash = (hash ^ pocket) * 0x9e3779b1u;
        hash ^= hash >> 15;
    }
    bool is_simple = shape->group.count <= 10 && largest <= 7;
    return is_simple ? packed | (uint32_t)pocket_packed : hash | 1u << 31;
}

uint32_t couShape_FreePocket(const couShape *shape, int dimension, couVec3 point)
{
    if (dimension == 2) point.z = 0.0f;
    if (shape->kind == cou_shapePlaced) {
        return couShape_FreePocket(shape->placed.child, couShapeChildDimension(shape, dimension), couShapeToChild(shape, point));
    }
    if (shape->kind == cou_shapePlane) return couShape_Distance(shape, dimension, point) >= 0.0f ? pocket_half_space : 0;
    if (shape->is_bounded) {
        uint32_t face = beyond_face(&shape->bounds, dimension, point);
        if (face != 0) return face;
    }
    if (shape->kind == cou_shapeShell) return shell_pocket(shape, dimension, point);
    if (shape->kind == cou_shapeUnion) return union_pocket(shape, dimension, point);
    if (shape->kind == cou_shapeDifference) return difference_pocket(shape, dimension, point);
    return 0;
}
