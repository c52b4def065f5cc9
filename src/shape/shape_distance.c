// Signed distances and their gradients.
//
// Primitives are exact, in space and in the plane: round ones are solved in (r, y), where r is the distance from the y axis; with
// z = 0 the same formula is the exact distance in the plane, so only the plane, the box and the polygon look at the dimension.
// A shell is {0 <= d <= thickness} of its child's d, a union the minimum, an intersection the maximum, a difference that of the
// first child and of the others turned inside out. Every field keeps the right sign and never changes faster than the place does;
// hence |field| never exceeds the true distance, which is what sweeping and sphere tracing rely on.
//
// An open shell would be max(shell, y - top) by the book, but that field is zero all over the opening, where a brim-full tank has
// its surface. Here the removed face (the lid) is left out of the distance from inside, and above the rim Pythagoras adds the
// height: |p - s|^2 >= (p.y - top)^2 + |q - s|^2 for every s below the rim and q the foot of p on the rim's plane. This is exact
// for boxes, cylinders and buckets, also turned ones as long as a flat face is on top.
//
// Cost: 3 to 20 ns for a primitive, 10 more for a pose, 50 for an open tank, 220 for a union of 50, which looks at bounds first.
#include "shape/shape_data.h"

// Below this length a direction is noise, and its square would leave the normal floats [m].
#define TINY 1e-18f
// What a plane parallel to the plane of a 2D world is away from it [m].
#define NOWHERE 1e30f

static const couVec3 up_axis = {0.0f, 1.0f, 0.0f};

static inline float child_distance(const couShape *child, int dimension, couVec3 p, couVec3 *normal)
{
    return normal ? couShape_DistanceNormal(child, dimension, p, normal) : couShape_Distance(child, dimension, p);
}

static inline float bounds_distance2(const couBounds *bounds, couVec3 p)
{
    float x = COU_MAX(COU_MAX(bounds->lower.x - p.x, p.x - bounds->upper.x), 0.0f);
    float y = COU_MAX(COU_MAX(bounds->lower.y - p.y, p.y - bounds->upper.y), 0.0f);
    float z = COU_MAX(COU_MAX(bounds->lower.z - p.z, p.z - bounds->upper.z), 0.0f);
    return x * x + y * y + z * z;
}

// The direction (nr, ny) of the (r, y) half-plane, at a point with distance r from the axis. On the axis any azimuth will do.
static inline couVec3 from_profile(couVec3 p, float r, float nr, float ny)
{
    if (!(r > TINY)) return (couVec3){nr, ny, 0.0f};
    return (couVec3){nr * p.x / r, ny, nr * p.z / r};
}

static inline float plane_distance(const couShape *shape, int dimension, couVec3 p, couVec3 *normal)
{
    couVec3 n = dimension == 2 ? shape->plane.normal2d : shape->plane.normal;
    bool is_parallel = n.x == 0.0f && n.y == 0.0f && n.z == 0.0f;
    if (normal) *normal = is_parallel ? up_axis : n;
    return is_parallel ? NOWHERE : couDot(n, p);
}

// The distance from the box that is left without the rounding, less the rounding: that box pushed out.
static float rounded_box_distance(const couShape *shape, int dimension, couVec3 p, couVec3 *normal)
{
    float rounding = shape->box.rounding;
    couVec3 core = couSub(shape->box.half, (couVec3){rounding, rounding, rounding});
    couVec3 q = {fabsf(p.x) - core.x, fabsf(p.y) - core.y, dimension == 2 ? -INFINITY : fabsf(p.z) - core.z};
    couVec3 out = {COU_MAX(q.x, 0.0f), COU_MAX(q.y, 0.0f), COU_MAX(q.z, 0.0f)};
    float deepest = COU_MAX(q.x, COU_MAX(q.y, q.z)), length = couLength(out);
    if (!(length > TINY)) {
        if (normal)
            *normal = q.x == deepest   ? (couVec3){copysignf(1.0f, p.x), 0.0f, 0.0f}
                      : q.y == deepest ? (couVec3){0.0f, copysignf(1.0f, p.y), 0.0f}
                                       : (couVec3){0.0f, 0.0f, copysignf(1.0f, p.z)};
        return deepest - rounding;
    }
    if (normal)
        *normal = couNormalize(
            (couVec3){copysignf(out.x / length, p.x), copysignf(out.y / length, p.y), copysignf(out.z / length, p.z)});
    return length - rounding;
}

static inline float box_distance(const couShape *shape, int dimension, couVec3 p, couVec3 *normal)
{
    if (shape->box.rounding > 0.0f) return rounded_box_distance(shape, dimension, p, normal);
    couVec3 half = shape->box.half;
    couVec3 q = {fabsf(p.x) - half.x, fabsf(p.y) - half.y, dimension == 2 ? -INFINITY : fabsf(p.z) - half.z};
    float deepest = COU_MAX(q.x, COU_MAX(q.y, q.z));
    if (deepest <= 0.0f) {
        if (normal) {
            if (q.x == deepest)
                *normal = (couVec3){copysignf(1.0f, p.x), 0.0f, 0.0f};
            else if (q.y == deepest)
                *normal = (couVec3){0.0f, copysignf(1.0f, p.y), 0.0f};
            else
                *normal = (couVec3){0.0f, 0.0f, copysignf(1.0f, p.z)};
        }
        return deepest;
    }
    couVec3 out = {COU_MAX(q.x, 0.0f), COU_MAX(q.y, 0.0f), COU_MAX(q.z, 0.0f)};
    float length = couLength(out);
    if (!(length > TINY)) length = deepest; // squares underflow right at a face
    if (normal)
        *normal = couNormalize(
            (couVec3){copysignf(out.x / length, p.x), copysignf(out.y / length, p.y), copysignf(out.z / length, p.z)});
    return length;
}

static inline float sphere_distance(const couShape *shape, couVec3 p, couVec3 *normal)
{
    float length = couLength(p);
    if (normal) *normal = length > TINY ? couScale(1.0f / length, p) : up_axis;
    return length - shape->round.radius;
}

static inline float capsule_distance(const couShape *shape, couVec3 p, couVec3 *normal)
{
    float half = shape->round.half_height;
    couVec3 v = {p.x, p.y - COU_CLAMP(p.y, -half, half), p.z};
    float length = couLength(v);
    if (normal) *normal = length > TINY ? couScale(1.0f / length, v) : (couVec3){1.0f, 0.0f, 0.0f};
    return length - shape->round.radius;
}

static inline float cylinder_distance(const couShape *shape, couVec3 p, couVec3 *normal)
{
    float r = sqrtf(p.x * p.x + p.z * p.z);
    float qr = r - shape->round.radius;
    float qy = fabsf(p.y) - shape->round.half_height;
    float side = copysignf(1.0f, p.y);
    if (qr <= 0.0f || qy <= 0.0f) {
        bool is_mantle = qr > qy;
        if (normal) *normal = is_mantle ? from_profile(p, r, 1.0f, 0.0f) : (couVec3){0.0f, side, 0.0f};
        return is_mantle ? qr : qy;
    }
    float length = sqrtf(qr * qr + qy * qy);
    if (!(length > TINY)) length = COU_MAX(qr, qy);
    if (normal) *normal = couNormalize(from_profile(p, r, qr / length, side * qy / length));
    return length;
}

// Foot of (r, y) on the slanted side of a cone; returns the squared distance and how far along the side, 0 to 1.
static inline float cone_side(const couShape *shape, float r, float y, float *along, float *vr, float *vy)
{
    float dr = r - shape->cone.radius;
    float dy = y + shape->cone.half_height;
    float t = (dr * shape->cone.side_r + dy * shape->cone.side_y) * shape->cone.inv_length2;
    t = COU_CLAMP(t, 0.0f, 1.0f);
    *along = t;
    *vr = dr - t * shape->cone.side_r;
    *vy = dy - t * shape->cone.side_y;
    return *vr * *vr + *vy * *vy;
}

// Exact for the trapezoid that is the cut through the axis.
static inline float cone_distance(const couShape *shape, couVec3 p, couVec3 *normal)
{
    float r = sqrtf(p.x * p.x + p.z * p.z);
    float nr = shape->cone.normal_r, ny = shape->cone.normal_y;
    float side = nr * (r - shape->cone.radius) + ny * (p.y + shape->cone.half_height);
    float cap = fabsf(p.y) - shape->cone.half_height;
    float cap_side = copysignf(1.0f, p.y);
    if (side <= 0.0f && cap <= 0.0f) {
        if (normal) *normal = side > cap ? from_profile(p, r, nr, ny) : (couVec3){0.0f, cap_side, 0.0f};
        return COU_MAX(side, cap);
    }

    // Outside: the nearer of the side and, beyond a cap, that cap.
    float along, vr, vy;
    float distance2 = cone_side(shape, r, p.y, &along, &vr, &vy);
    if (cap > 0.0f) {
        float wr = COU_MAX(r - (p.y > 0.0f ? shape->cone.radius2 : shape->cone.radius), 0.0f);
        if (wr * wr + cap * cap <= distance2) {
            float length = wr > 0.0f ? sqrtf(wr * wr + cap * cap) : cap;
            if (normal)
                *normal = length > TINY ? couNormalize(from_profile(p, r, wr / length, cap_side * cap / length))
                                        : (couVec3){0.0f, cap_side, 0.0f};
            return length;
        }
    }
    bool is_face = along > 0.0f && along < 1.0f;
    float length = is_face ? side : sqrtf(distance2);
    if (normal) {
        if (is_face || !(length > TINY))
            *normal = from_profile(p, r, nr, ny);
        else
            *normal = couNormalize(from_profile(p, r, vr / length, vy / length));
    }
    return length;
}

static inline float torus_distance(const couShape *shape, couVec3 p, couVec3 *normal)
{
    float r = sqrtf(p.x * p.x + p.z * p.z);
    float qr = r - shape->torus.radius;
    float length = sqrtf(qr * qr + p.y * p.y);
    if (normal) *normal = length > TINY ? couNormalize(from_profile(p, r, qr / length, p.y / length)) : up_axis;
    return length - shape->torus.tube;
}

// Without thickness, so never negative; the normal points to the side where the point is.
static inline float disk_distance(const couShape *shape, couVec3 p, couVec3 *normal)
{
    float r = sqrtf(p.x * p.x + p.z * p.z);
    float qr = COU_MAX(r - shape->round.radius, 0.0f);
    float length = sqrtf(qr * qr + p.y * p.y);
    if (!(qr > 0.0f)) length = fabsf(p.y);
    if (normal) {
        if (qr > 0.0f && length > TINY)
            *normal = couNormalize(from_profile(p, r, qr / length, p.y / length));
        else
            *normal = (couVec3){0.0f, copysignf(1.0f, p.y), 0.0f};
    }
    return length;
}

// Squared distance from (x, y) to an edge, and how far along the edge its foot is, 0 to 1.
static inline float edge_distance2(const couShapeEdge *edge, float x, float y, float *along)
{
    float dx = x - edge->x, dy = y - edge->y;
    float t = (dx * edge->ex + dy * edge->ey) * edge->inv_length2;
    t = COU_CLAMP(t, 0.0f, 1.0f);
    *along = t;
    float vx = dx - t * edge->ex, vy = dy - t * edge->ey;
    return vx * vx + vy * vy;
}

typedef struct Nearest {
    int edge;
    float distance2, along;
    bool is_inside;
} Nearest;

static void see_outline(const couShape *shape, const couShapeOutline *outline, couVec3 p, Nearest *nearest)
{
    const couShapeEdge *edges = shape->polygon.edges;
    int end = outline->first + outline->count;
    for (int i = outline->first; i < end; ++i) {
        const couShapeEdge *edge = &edges[i];
        float along;
        float distance2 = edge_distance2(edge, p.x, p.y, &along);
        if (distance2 < nearest->distance2) {
            nearest->distance2 = distance2;
            nearest->along = along;
            nearest->edge = i;
        }
        float end_y = edges[i + 1 < end ? i + 1 : outline->first].y;
        if ((edge->y > p.y) != (end_y > p.y)) nearest->is_inside ^= p.x < edge->x + (p.y - edge->y) / edge->ey * edge->ex;
    }
}

// In the plane: the nearest edge gives the distance, the parity of crossings to the right the sign. Of many outlines most are
// too far away for either.
static float outline_distance(const couShape *shape, couVec3 p, couVec3 *normal)
{
    Nearest nearest = {.distance2 = INFINITY};
    for (int k = 0; k < shape->polygon.outline_count; ++k) {
        const couShapeOutline *outline = &shape->polygon.outlines[k];
        float x = COU_MAX(outline->lower_x - p.x, p.x - outline->upper_x);
        float y = COU_MAX(outline->lower_y - p.y, p.y - outline->upper_y);
        float away_x = COU_MAX(x, 0.0f), away_y = COU_MAX(y, 0.0f);
        bool is_beyond = x > 0.0f || y > 0.0f; // all crossings come in pairs
        if (is_beyond && away_x * away_x + away_y * away_y >= nearest.distance2) continue;
        see_outline(shape, outline, p, &nearest);
    }
    float sign = nearest.is_inside ? -1.0f : 1.0f;
    float length = sqrtf(nearest.distance2);
    if (normal) {
        const couShapeEdge *edge = &shape->polygon.edges[nearest.edge];
        *normal = (couVec3){edge->normal_x, edge->normal_y, 0.0f};
        if ((nearest.along <= 0.0f || nearest.along >= 1.0f) && length > TINY) {
            couVec3 v = {p.x - edge->x - nearest.along * edge->ex, p.y - edge->y - nearest.along * edge->ey, 0.0f};
            *normal = couNormalize(couScale(sign / length, v));
        }
    }
    return sign * length;
}

static float polygon_distance(const couShape *shape, int dimension, couVec3 p, couVec3 *normal)
{
    float outline = outline_distance(shape, p, normal);
    if (dimension == 2) return outline;
    float cap = fabsf(p.z) - shape->polygon.half_height;
    float side = copysignf(1.0f, p.z);
    if (outline <= 0.0f || cap <= 0.0f) {
        if (outline >= cap) return outline;
        if (normal) *normal = (couVec3){0.0f, 0.0f, side};
        return cap;
    }
    float length = sqrtf(outline * outline + cap * cap);
    if (!(length > TINY)) length = COU_MAX(outline, cap);
    if (normal)
        *normal = couNormalize((couVec3){outline / length * normal->x, outline / length * normal->y, side * cap / length});
    return length;
}

// --- Open shells -------------------------------------------------------------------------------------------------------------

// A point that is inside the child, or straight above its lid, and the lid: in the frame of the shape at hand.
typedef struct Opening {
    couVec3 up;   // unit
    float top;    // height of the lid along `up` [m]
    couVec3 foot; // the point, or its foot just below the lid
    float over;   // height of the point above the lid, >= 0 [m]
} Opening;

typedef struct Wall {
    float distance; // from the point to the nearest wall so far [m]
    couVec3 away;   // unit, from there
} Wall;

// Whether the flat face with this outward normal, seen as its part along `up`, and this height closes the opening.
static inline bool is_lid(const couShape *shape, const Opening *opening, float alignment, float height)
{
    return alignment > 1.0f - 1e-6f && fabsf(height - opening->top) <= 1e-5f * (shape->extent + fabsf(opening->top));
}

// A wall that is `depth` away from the foot, in the direction against `inward`, and nowhere higher than the lid. With a flat wall
// all lies behind its plane, which is the better bound where it looks up, as a floor does.
static inline void see_wall(const Opening *opening, float depth, couVec3 inward, bool is_flat, Wall *wall)
{
    if (!(depth < wall->distance)) return; // neither bound is less than the depth
    float over = opening->over;
    if (!(over > 0.0f)) {
        *wall = (Wall){depth, inward};
        return;
    }
    float alignment = couDot(inward, opening->up);
    float distance = sqrtf(depth * depth + over * over);
    couVec3 away = inward;
    if (is_flat && depth + over * alignment >= distance)
        distance = depth + over * alignment;
    else
        away = couNormalize(couMulAdd(couScale(depth, couMulAdd(inward, -alignment, opening->up)), over, opening->up));
    if (distance < wall->distance) *wall = (Wall){distance, away};
}

static Wall box_walls(const couShape *shape, int dimension, const Opening *opening)
{
    const float half[3] = {shape->box.half.x, shape->box.half.y, shape->box.half.z};
    const float place[3] = {opening->foot.x, opening->foot.y, opening->foot.z};
    const float up[3] = {opening->up.x, opening->up.y, opening->up.z};
    Wall wall = {INFINITY, up_axis};
    for (int axis = 0; axis < dimension; ++axis) {
        for (float sign = -1.0f; sign <= 1.0f; sign += 2.0f) {
            if (is_lid(shape, opening, sign * up[axis], half[axis])) continue;
            couVec3 inward = {axis == 0 ? -sign : 0.0f, axis == 1 ? -sign : 0.0f, axis == 2 ? -sign : 0.0f};
            see_wall(opening, half[axis] - sign * place[axis], inward, true, &wall);
        }
    }
    return wall;
}

// Caps of a cylinder or a cone, without the lid.
static void see_caps(const couShape *shape, float half, const Opening *opening, Wall *wall)
{
    for (float sign = -1.0f; sign <= 1.0f; sign += 2.0f) {
        if (is_lid(shape, opening, sign * opening->up.y, half)) continue;
        see_wall(opening, half - sign * opening->foot.y, (couVec3){0.0f, -sign, 0.0f}, true, wall);
    }
}

static Wall cylinder_walls(const couShape *shape, const Opening *opening)
{
    couVec3 p = opening->foot;
    float r = sqrtf(p.x * p.x + p.z * p.z);
    Wall wall = {INFINITY, up_axis};
    see_wall(opening, shape->round.radius - r, from_profile(p, r, -1.0f, 0.0f), true, &wall);
    see_caps(shape, shape->round.half_height, opening, &wall);
    return wall;
}

// The side ends at the rim by itself, so it is measured from the point and not from its foot.
static Wall cone_walls(const couShape *shape, const Opening *opening)
{
    couVec3 p = couMulAdd(opening->foot, opening->over, opening->up);
    float r = sqrtf(p.x * p.x + p.z * p.z);
    float along, vr, vy;
    float length = sqrtf(cone_side(shape, r, p.y, &along, &vr, &vy));
    couVec3 inward = from_profile(p, r, -shape->cone.normal_r, -shape->cone.normal_y);
    bool is_rim = along <= 0.0f || along >= 1.0f;
    if (is_rim && length > TINY) inward = couNormalize(from_profile(p, r, vr / length, vy / length));
    Wall wall = {length, inward};
    see_caps(shape, shape->cone.half_height, opening, &wall);
    return wall;
}

static Wall polygon_walls(const couShape *shape, int dimension, const Opening *opening)
{
    // Edges end at the rim by themselves, unless the opening is a face across z.
    bool is_upright = fabsf(opening->up.z) > 0.5f;
    couVec3 p = is_upright ? opening->foot : couMulAdd(opening->foot, opening->over, opening->up);
    Wall wall = {INFINITY, up_axis};
    for (int i = 0; i < shape->polygon.count; ++i) {
        const couShapeEdge *edge = &shape->polygon.edges[i];
        float alignment = edge->normal_x * opening->up.x + edge->normal_y * opening->up.y;
        if (is_lid(shape, opening, alignment, edge->normal_x * edge->x + edge->normal_y * edge->y)) continue;
        float along;
        float length = sqrtf(edge_distance2(edge, p.x, p.y, &along));
        couVec3 inward = {-edge->normal_x, -edge->normal_y, 0.0f};
        bool is_corner = along <= 0.0f || along >= 1.0f;
        if (is_corner && length > TINY) {
            inward = couNormalize((couVec3){p.x - edge->x - along * edge->ex, p.y - edge->y - along * edge->ey, 0.0f});
        }
        if (is_upright)
            see_wall(opening, length, inward, false, &wall);
        else if (length < wall.distance)
            wall = (Wall){length, inward};
    }
    float half = shape->polygon.half_height;
    for (float sign = -1.0f; sign <= 1.0f && dimension == 3; sign += 2.0f) {
        if (is_lid(shape, opening, sign * opening->up.z, half)) continue;
        see_wall(opening, half - sign * opening->foot.z, (couVec3){0.0f, 0.0f, -sign}, true, &wall);
    }
    return wall;
}

static Wall inner_walls(const couShape *shape, int dimension, const Opening *opening);

// A ball that one child holds, but for the lid, is held by the union: the largest counts.
static Wall union_walls(const couShape *shape, int dimension, const Opening *opening)
{
    Wall largest = {-INFINITY, up_axis};
    for (int i = 0; i < shape->group.count; ++i) {
        const couShape *child = shape->group.children[i];
        if (bounds_distance2(&shape->group.bounds[i], opening->foot) > 0.0f) continue;
        if (!(couShape_Distance(child, dimension, opening->foot) < 0.0f)) continue;
        Wall wall = inner_walls(child, dimension, opening);
        if (wall.distance > largest.distance) largest = wall;
    }
    return largest;
}

// A ball is held by the intersection when each child holds it, but for the lid; what is taken away holds none.
static Wall cut_walls(const couShape *shape, int dimension, const Opening *opening)
{
    Wall nearest = {INFINITY, up_axis};
    for (int i = 0; i < shape->group.count; ++i) {
        const couShape *child = shape->group.children[i];
        Wall wall = {INFINITY, up_axis};
        if (couShapeIsTakenAway(shape, i)) {
            couVec3 normal;
            float distance = couShape_DistanceNormal(child, dimension, opening->foot, &normal);
            see_wall(opening, distance, normal, false, &wall);
        } else {
            wall = inner_walls(child, dimension, opening);
        }
        if (wall.distance < nearest.distance) nearest = wall;
    }
    return nearest;
}

static Wall plane_walls(const couShape *shape, int dimension, const Opening *opening)
{
    couVec3 normal;
    Wall wall = {INFINITY, up_axis};
    float depth = -plane_distance(shape, dimension, opening->foot, &normal);
    float scale = couLength(opening->foot) + fabsf(opening->top); // a plane has no extent
    bool is_open = couDot(normal, opening->up) > 1.0f - 1e-6f && fabsf(opening->top) <= 1e-5f * scale;
    if (!is_open) see_wall(opening, depth, couScale(-1.0f, normal), true, &wall);
    return wall;
}

static Wall placed_walls(const couShape *shape, int dimension, const Opening *opening)
{
    couVec3 x = shape->placed.x, y = shape->placed.y, z = shape->placed.z;
    Opening inner = {.up = {couDot(x, opening->up), couDot(y, opening->up), couDot(z, opening->up)},
                     .top = opening->top - couDot(opening->up, shape->placed.position),
                     .foot = couShapeToChild(shape, opening->foot),
                     .over = opening->over};
    Wall wall = inner_walls(shape->placed.child, couShapeChildDimension(shape, dimension), &inner);
    wall.away = couShapeFromChild(shape, wall.away);
    return wall;
}

// The surface of the shape without its lid, seen from a point whose foot is inside.
static Wall inner_walls(const couShape *shape, int dimension, const Opening *opening)
{
    switch (shape->kind) {
    case cou_shapePlane: return plane_walls(shape, dimension, opening);
    case cou_shapeDifference:
    case cou_shapeIntersection: return cut_walls(shape, dimension, opening);
    case cou_shapeBox:
        if (shape->box.rounding > 0.0f) break;
        return box_walls(shape, dimension, opening);
    case cou_shapeCylinder: return cylinder_walls(shape, opening);
    case cou_shapeCone: return cone_walls(shape, opening);
    case cou_shapePolygon: return polygon_walls(shape, dimension, opening);
    case cou_shapePlaced: return placed_walls(shape, dimension, opening);
    case cou_shapeUnion: return union_walls(shape, dimension, opening);
    default: break; // no flat face that could be a lid
    }
    couVec3 normal;
    float distance = couShape_DistanceNormal(shape, dimension, opening->foot, &normal);
    Wall wall = {INFINITY, up_axis};
    see_wall(opening, -distance, couScale(-1.0f, normal), false, &wall);
    return wall;
}

static inline float closed_shell_distance(float distance, float thickness, couVec3 *normal)
{
    if (distance - thickness >= -distance) return distance - thickness;
    if (normal) *normal = couScale(-1.0f, *normal);
    return -distance;
}

static float open_shell_distance(const couShape *shape, int dimension, couVec3 p, couVec3 *normal)
{
    const couShape *child = shape->shell.child;
    float thickness = shape->shell.thickness;
    float over = p.y - shape->shell.top;
    couVec3 q = {p.x, COU_MIN(p.y, shape->shell.top - shape->shell.nudge), p.z};
    float distance = child_distance(child, dimension, q, normal);

    // In the wall, or right above it.
    if (distance >= 0.0f && distance < thickness) {
        float wall = closed_shell_distance(distance, thickness, normal);
        if (over <= wall) return wall;
        if (normal) *normal = up_axis;
        return over;
    }

    if (distance < 0.0f) {
        Wall wall = inner_walls(child, dimension, &(Opening){up_axis, shape->shell.top, q, COU_MAX(over, 0.0f)});
        if (normal) *normal = wall.away;
        return COU_MAX(wall.distance, 0.0f);
    }
    float beside = distance - thickness;
    if (!(over > 0.0f)) return beside;
    if (normal) *normal = couNormalize((couVec3){beside * normal->x, over, beside * normal->z});
    return sqrtf(over * over + beside * beside);
}

// --- Trees -------------------------------------------------------------------------------------------------------------------

// Squared distances from p to the bounds of children; by columns, so that the compiler makes it wide.
static void bounds_distances2(const couShape *shape, int first, int count, couVec3 p, float *restrict away2)
{
    size_t stride = (size_t)shape->group.count;
    const float *restrict lower_x = shape->group.sides + first, *restrict lower_y = lower_x + stride;
    const float *restrict lower_z = lower_y + stride, *restrict upper_x = lower_z + stride;
    const float *restrict upper_y = upper_x + stride, *restrict upper_z = upper_y + stride;
    for (int i = 0; i < count; ++i) {
        float x = COU_MAX(lower_x[i] - p.x, p.x - upper_x[i]);
        float y = COU_MAX(lower_y[i] - p.y, p.y - upper_y[i]);
        float z = COU_MAX(lower_z[i] - p.z, p.z - upper_z[i]);
        x = COU_MAX(x, 0.0f);
        y = COU_MAX(y, 0.0f);
        z = COU_MAX(z, 0.0f);
        away2[i] = x * x + y * y + z * z;
    }
}

// Children in blocks: the one with the nearest bounds first, then only those whose bounds are nearer than the best so far.
static float union_distance(const couShape *shape, int dimension, couVec3 p, couVec3 *normal)
{
    enum { block = 64 };
    float away2[block];
    float best = INFINITY;
    int nearest = 0;
    for (int first = 0; first < shape->group.count; first += block) {
        int count = COU_MIN(block, shape->group.count - first);
        bounds_distances2(shape, first, count, p, away2);
        int start = 0;
        for (int i = 1; i < count; ++i) start = away2[i] < away2[start] ? i : start;
        for (int k = 0; k <= count; ++k) {
            int i = k == 0 ? start : k - 1;
            if (k > 0 && i == start) continue;
            if (away2[i] > 0.0f && (best <= 0.0f || away2[i] >= best * best)) continue;
            float distance = couShape_Distance(shape->group.children[first + i], dimension, p);
            if (distance >= best) continue;
            best = distance; // also when it is not a number, which then stays
            nearest = first + i;
        }
    }
    return normal ? couShape_DistanceNormal(shape->group.children[nearest], dimension, p, normal) : best;
}

// The child that is farthest away counts, those taken away with their insides out: beyond their bounds they seldom do.
static float cut_distance(const couShape *shape, int dimension, couVec3 p, couVec3 *normal)
{
    float most = couShape_Distance(shape->group.children[0], dimension, p);
    int farthest = 0;
    for (int i = 1; i < shape->group.count; ++i) {
        bool is_away = couShapeIsTakenAway(shape, i);
        float away2 = is_away ? bounds_distance2(&shape->group.bounds[i], p) : 0.0f;
        if (away2 > 0.0f && most * fabsf(most) >= -away2) continue;
        float distance = couShape_Distance(shape->group.children[i], dimension, p);
        if (is_away) distance = -distance;
        if (!(distance > most)) continue;
        most = distance;
        farthest = i;
    }
    if (!normal) return most;
    couShape_DistanceNormal(shape->group.children[farthest], dimension, p, normal);
    if (couShapeIsTakenAway(shape, farthest)) *normal = couScale(-1.0f, *normal);
    return most;
}

// Only the part in the plane counts, and a normal straight out of it leaves the choice to us.
static inline couVec3 flattened(couVec3 normal)
{
    couVec3 flat = {normal.x, normal.y, 0.0f};
    return couLength(flat) > 1e-6f ? couNormalize(flat) : up_axis;
}

static float placed_distance(const couShape *shape, int dimension, couVec3 p, couVec3 *normal)
{
    int child_dimension = couShapeChildDimension(shape, dimension);
    float distance = child_distance(shape->placed.child, child_dimension, couShapeToChild(shape, p), normal);
    if (!normal) return distance;
    if (shape->is_turned) *normal = couNormalize(couShapeFromChild(shape, *normal));
    if (dimension == 2) *normal = flattened(*normal);
    return distance;
}

// In 2D a mesh is measured in space, as any child that leaves the plane.
static float mesh_distance(const couShape *shape, int dimension, couVec3 p, couVec3 *normal)
{
    if (!normal) return couDistanceGrid_Distance(shape->mesh.grid, p);
    float distance = couDistanceGrid_DistanceNormal(shape->mesh.grid, p, normal);
    if (dimension == 2) *normal = flattened(*normal);
    return distance;
}

static inline __attribute__((always_inline)) float evaluate(const couShape *shape, int dimension, couVec3 p, couVec3 *normal)
{
    if (dimension == 2) p.z = 0.0f;
    switch (shape->kind) {
    case cou_shapePlane: return plane_distance(shape, dimension, p, normal);
    case cou_shapeBox: return box_distance(shape, dimension, p, normal);
    case cou_shapeSphere: return sphere_distance(shape, p, normal);
    case cou_shapeCapsule: return capsule_distance(shape, p, normal);
    case cou_shapeCylinder: return cylinder_distance(shape, p, normal);
    case cou_shapeCone: return cone_distance(shape, p, normal);
    case cou_shapeTorus: return torus_distance(shape, p, normal);
    case cou_shapeDisk: return disk_distance(shape, p, normal);
    case cou_shapePolygon: return polygon_distance(shape, dimension, p, normal);
    case cou_shapeShell:
        if (shape->shell.is_open) return open_shell_distance(shape, dimension, p, normal);
        return closed_shell_distance(child_distance(shape->shell.child, dimension, p, normal), shape->shell.thickness, normal);
    case cou_shapeUnion: return union_distance(shape, dimension, p, normal);
    case cou_shapeDifference:
    case cou_shapeIntersection: return cut_distance(shape, dimension, p, normal);
    case cou_shapePlaced: return placed_distance(shape, dimension, p, normal);
    case cou_shapeMesh: return mesh_distance(shape, dimension, p, normal);
    }
    COU_ASSERT(!"known shape kind");
    return NOWHERE;
}

float couShape_Distance(const couShape *shape, int dimension, couVec3 point) { return evaluate(shape, dimension, point, NULL); }

float couShape_DistanceNormal(const couShape *shape, int dimension, couVec3 point, couVec3 *normal)
{
    return evaluate(shape, dimension, point, normal);
}
