// The tangent planes of a solid near a point: one for a smooth surface, several in the corner of a tank, where each wall
// counts for itself.

#include "shape/shape_data.h"

typedef struct Planes {
    couPlane *items;
    int count, capacity;
    float reach;
} Planes;

static void add_plane(Planes *planes, couVec3 normal, float distance)
{
    if (distance < planes->reach && planes->count < planes->capacity)
        planes->items[planes->count++] = (couPlane){normal, distance};
}

static void add_nearest(Planes *planes, const couShape *shape, int dimension, couVec3 p)
{
    couVec3 normal;
    float distance = couShape_DistanceNormal(shape, dimension, p, &normal);
    add_plane(planes, normal, distance);
}

// Inside a box-shaped hollow: every wall.
static void add_box_walls(Planes *planes, const couShape *box, bool is_open, int dimension, couVec3 p)
{
    couVec3 half = box->box.half;
    add_plane(planes, (couVec3){1, 0, 0}, p.x + half.x);
    add_plane(planes, (couVec3){-1, 0, 0}, half.x - p.x);
    add_plane(planes, (couVec3){0, 1, 0}, p.y + half.y);
    if (!is_open) add_plane(planes, (couVec3){0, -1, 0}, half.y - p.y);
    if (dimension == 2) return;
    add_plane(planes, (couVec3){0, 0, 1}, p.z + half.z);
    add_plane(planes, (couVec3){0, 0, -1}, half.z - p.z);
}

// Inside a round glass: its side, bottom and lid.
static void add_cylinder_walls(Planes *planes, const couShape *cylinder, bool is_open, int dimension, couVec3 p)
{
    float radius = cylinder->round.radius, half = cylinder->round.half_height;
    float r = dimension == 2 ? fabsf(p.x) : sqrtf(p.x * p.x + p.z * p.z);
    couVec3 inward = r > 0.0f ? (couVec3){-p.x / r, 0, dimension == 2 ? 0.0f : -p.z / r} : (couVec3){1, 0, 0};
    add_plane(planes, inward, radius - r);
    add_plane(planes, (couVec3){0, 1, 0}, p.y + half);
    if (!is_open) add_plane(planes, (couVec3){0, -1, 0}, half - p.y);
}

// The walls around the free space that a part was; false where there are no separate ones.
static bool add_walls_of(Planes *planes, const couShape *child, bool is_open, int dimension, couVec3 p)
{
    if (child->kind == cou_shapeBox && child->box.rounding == 0.0f)
        add_box_walls(planes, child, is_open, dimension, p);
    else if (child->kind == cou_shapeCylinder)
        add_cylinder_walls(planes, child, is_open, dimension, p);
    else
        return false;
    return true;
}

static void turn_planes(Planes *planes, int first, const couShape *placed, int dimension)
{
    for (int k = first; k < planes->count; ++k) {
        couVec3 normal = couShapeFromChild(placed, planes->items[k].normal);
        if (dimension == 2) normal = couNormalize((couVec3){normal.x, normal.y, 0}); // of a child that leaves the plane
        planes->items[k].normal = normal;
    }
}

// Within a part that was taken away: its walls, as far as there is a solid behind them.
static void add_cut_planes(Planes *planes, const couShape *shape, int dimension, couVec3 p)
{
    int first = planes->count;
    bool has_walls = false;
    for (int i = 1; i < shape->group.count && !has_walls && shape->kind == cou_shapeDifference; ++i) {
        const couShape *part = shape->group.children[i], *child = part->kind == cou_shapePlaced ? part->placed.child : part;
        if (!(couShape_Distance(part, dimension, p) < 0.0f)) continue;
        if (part == child) {
            has_walls = add_walls_of(planes, part, false, dimension, p);
        } else {
            has_walls = add_walls_of(planes, child, false, couShapeChildDimension(part, dimension), couShapeToChild(part, p));
            turn_planes(planes, first, part, dimension);
        }
    }
    if (!has_walls) {
        add_nearest(planes, shape, dimension, p);
        return;
    }
    int kept = first;
    for (int k = first; k < planes->count; ++k) {
        couPlane plane = planes->items[k];
        couVec3 behind = couMulAdd(p, -(plane.distance + 1e-4f * planes->reach), plane.normal);
        if (couShape_Distance(shape, dimension, behind) < 0.0f) planes->items[kept++] = plane;
    }
    planes->count = kept;
    if (kept == first) add_nearest(planes, shape, dimension, p); // an edge, if anything
}

static void add_planes(Planes *planes, const couShape *shape, int dimension, couVec3 p)
{
    switch (shape->kind) {
    case cou_shapeDifference:
    case cou_shapeIntersection: add_cut_planes(planes, shape, dimension, p); break;
    case cou_shapeUnion:
        for (int k = 0; k < shape->group.count; ++k) add_planes(planes, shape->group.children[k], dimension, p);
        break;
    case cou_shapePlaced: {
        int first = planes->count;
        add_planes(planes, shape->placed.child, couShapeChildDimension(shape, dimension), couShapeToChild(shape, p));
        turn_planes(planes, first, shape, dimension);
        break;
    }
    case cou_shapeShell: {
        const couShape *child = shape->shell.child;
        bool is_inside = couShape_Distance(child, dimension, p) < 0.0f;
        if (!is_inside || !add_walls_of(planes, child, shape->shell.is_open, dimension, p))
            add_nearest(planes, shape, dimension, p);
        break;
    }
    default: add_nearest(planes, shape, dimension, p);
    }
}

int couShape_Planes(const couShape *shape, int dimension, couVec3 point, float reach, couPlane *planes, int capacity)
{
    Planes found = {planes, 0, capacity, reach};
    add_planes(&found, shape, dimension, point);
    return found.count;
}
