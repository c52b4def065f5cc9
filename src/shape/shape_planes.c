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

static void add_planes(Planes *planes, const couShape *shape, int dimension, couVec3 p)
{
    switch (shape->kind) {
    case cou_shapeUnion:
        for (int k = 0; k < shape->group.count; ++k) add_planes(planes, shape->group.children[k], dimension, p);
        break;
    case cou_shapePlaced: {
        int first = planes->count;
        add_planes(planes, shape->placed.child, couShapeChildDimension(shape, dimension), couShapeToChild(shape, p));
        for (int k = first; k < planes->count; ++k) {
            couVec3 normal = couShapeFromChild(shape, planes->items[k].normal);
            if (dimension == 2) normal = couNormalize((couVec3){normal.x, normal.y, 0}); // of a child that leaves the plane
            planes->items[k].normal = normal;
        }
        break;
    }
    case cou_shapeShell: {
        const couShape *child = shape->shell.child;
        bool is_inside = couShape_Distance(child, dimension, p) < 0.0f;
        if (is_inside && child->kind == cou_shapeBox)
            add_box_walls(planes, child, shape->shell.is_open, dimension, p);
        else if (is_inside && child->kind == cou_shapeCylinder)
            add_cylinder_walls(planes, child, shape->shell.is_open, dimension, p);
        else
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
