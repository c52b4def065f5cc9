/// Shapes described a second time: primitives as patches of surface and an inside test, both in doubles, where the nearest point
/// is searched on a grid that is refined; trees of them as an inside test.
#pragma once

#include "shape_test.h"

// --- The second description of the primitives --------------------------------------------------------------------------------

typedef struct Point {
    double x, y, z;
} Point;

typedef enum PatchKind {
    patch_segment, // profile from (a, b) to (c, d), turned about y
    patch_arc,     // profile around (a, b), radius c, from angle d to e, turned about y
    patch_wall     // from (a, b) to (c, d) in the xy plane, swept in z from -e to e
} PatchKind;

typedef struct Patch {
    PatchKind kind;
    double a, b, c, d, e;
} Patch;

typedef struct Primitive {
    const char *name;
    couShapeDef def;
    Patch patches[16];
    int patch_count;
    bool (*is_inside)(const couShapeDef *def, int dimension, Point p);
} Primitive;

static inline bool inside_box(const couShapeDef *def, int dimension, Point p)
{
    return fabs(p.x) < def->size.x / 2 && fabs(p.y) < def->size.y / 2 && (dimension == 2 || fabs(p.z) < def->size.z / 2);
}

static inline bool inside_sphere(const couShapeDef *def, int dimension, Point p)
{
    (void)dimension;
    return p.x * p.x + p.y * p.y + p.z * p.z < (double)def->radius * def->radius;
}

static inline bool inside_capsule(const couShapeDef *def, int dimension, Point p)
{
    double half = def->height / 2;
    Point low = {p.x, p.y + half, p.z}, high = {p.x, p.y - half, p.z};
    bool is_in_tube = hypot(p.x, p.z) < def->radius && fabs(p.y) < half;
    return is_in_tube || inside_sphere(def, dimension, low) || inside_sphere(def, dimension, high);
}

static inline bool inside_cylinder(const couShapeDef *def, int dimension, Point p)
{
    (void)dimension;
    return hypot(p.x, p.z) < def->radius && fabs(p.y) < def->height / 2;
}

static inline bool inside_cone(const couShapeDef *def, int dimension, Point p)
{
    (void)dimension;
    double share = p.y / def->height + 0.5;
    return share > 0 && share < 1 && hypot(p.x, p.z) < def->radius * (1 - share) + def->radius2 * share;
}

static inline bool inside_torus(const couShapeDef *def, int dimension, Point p)
{
    (void)dimension;
    return hypot(hypot(p.x, p.z) - def->radius, p.y) < def->radius2;
}

static inline bool inside_disk(const couShapeDef *def, int dimension, Point p)
{
    (void)def, (void)dimension, (void)p;
    return false;
}

// By the sum of the angles under which the edges are seen.
static inline bool inside_polygon(const couShapeDef *def, int dimension, Point p)
{
    double angle = 0;
    for (int i = 0; i < def->point_count; ++i) {
        couVec3 a = def->points[i], b = def->points[(i + 1) % def->point_count];
        double ax = a.x - p.x, ay = a.y - p.y, bx = b.x - p.x, by = b.y - p.y;
        angle += atan2(ax * by - ay * bx, ax * bx + ay * by);
    }
    return fabs(angle) > COU_PI && (dimension == 2 || fabs(p.z) < def->height / 2);
}

static const couVec3 zigzag[] = {{-0.8f, -0.6f, 0}, {0.9f, -0.7f, 0}, {0.7f, 0.5f, 0},
                                 {0.2f, -0.1f, 0},  {-0.1f, 0.8f, 0}, {-0.9f, 0.3f, 0}};
static const couVec3 kite[] = {{0, -0.9f, 0}, {-0.6f, 0.1f, 0}, {0, 0.6f, 0}, {0.7f, 0.2f, 0}}; // clockwise, convex

static inline void add_walls(Primitive *primitive)
{
    const couShapeDef *def = &primitive->def;
    for (int i = 0; i < def->point_count; ++i) {
        couVec3 a = def->points[i], b = def->points[(i + 1) % def->point_count];
        primitive->patches[primitive->patch_count++] = (Patch){patch_wall, a.x, a.y, b.x, b.y, def->height / 2};
    }
}

#define PRIMITIVE_COUNT 12
static Primitive primitive_table[PRIMITIVE_COUNT] = {
    {.name = "box",
     .def = {.kind = cou_shapeBox, .size = {1.2f, 0.8f, 1.6f}},
     .is_inside = inside_box,
     .patches = {{patch_wall, -0.6, -0.4, 0.6, -0.4, 0.8},
                 {patch_wall, 0.6, -0.4, 0.6, 0.4, 0.8},
                 {patch_wall, 0.6, 0.4, -0.6, 0.4, 0.8},
                 {patch_wall, -0.6, 0.4, -0.6, -0.4, 0.8}},
     .patch_count = 4},
    {.name = "sphere",
     .def = {.kind = cou_shapeSphere, .radius = 0.7f},
     .is_inside = inside_sphere,
     .patches = {{patch_arc, 0, 0, 0.7f, -COU_PI / 2, COU_PI / 2}},
     .patch_count = 1},
    {.name = "capsule",
     .def = {.kind = cou_shapeCapsule, .radius = 0.4f, .height = 0.9f},
     .is_inside = inside_capsule,
     .patches = {{patch_arc, 0, 0.45f, 0.4f, 0, COU_PI / 2},
                 {patch_arc, 0, -0.45f, 0.4f, -COU_PI / 2, 0},
                 {patch_segment, 0.4f, -0.45f, 0.4f, 0.45f, 0}},
     .patch_count = 3},
    {.name = "cylinder",
     .def = {.kind = cou_shapeCylinder, .radius = 0.6f, .height = 0.7f},
     .is_inside = inside_cylinder,
     .patches = {{patch_segment, 0, -0.35f, 0.6f, -0.35f, 0},
                 {patch_segment, 0.6f, -0.35f, 0.6f, 0.35f, 0},
                 {patch_segment, 0.6f, 0.35f, 0, 0.35f, 0}},
     .patch_count = 3},
    {.name = "cone",
     .def = {.kind = cou_shapeCone, .radius = 0.8f, .radius2 = 0.3f, .height = 1.1f},
     .is_inside = inside_cone,
     .patches = {{patch_segment, 0, -0.55f, 0.8f, -0.55f, 0},
                 {patch_segment, 0.8f, -0.55f, 0.3f, 0.55f, 0},
                 {patch_segment, 0.3f, 0.55f, 0, 0.55f, 0}},
     .patch_count = 3},
    {.name = "bucket",
     .def = {.kind = cou_shapeCone, .radius = 0.3f, .radius2 = 0.9f, .height = 0.8f},
     .is_inside = inside_cone,
     .patches = {{patch_segment, 0, -0.4f, 0.3f, -0.4f, 0},
                 {patch_segment, 0.3f, -0.4f, 0.9f, 0.4f, 0},
                 {patch_segment, 0.9f, 0.4f, 0, 0.4f, 0}},
     .patch_count = 3},
    {.name = "tip",
     .def = {.kind = cou_shapeCone, .radius = 0.7f, .radius2 = 0, .height = 1.0f},
     .is_inside = inside_cone,
     .patches = {{patch_segment, 0, -0.5f, 0.7f, -0.5f, 0}, {patch_segment, 0.7f, -0.5f, 0, 0.5f, 0}},
     .patch_count = 2},
    {.name = "torus",
     .def = {.kind = cou_shapeTorus, .radius = 0.7f, .radius2 = 0.25f},
     .is_inside = inside_torus,
     .patches = {{patch_arc, 0.7f, 0, 0.25f, -COU_PI, COU_PI}},
     .patch_count = 1},
    {.name = "disk",
     .def = {.kind = cou_shapeDisk, .radius = 0.8f},
     .is_inside = inside_disk,
     .patches = {{patch_segment, 0, 0, 0.8f, 0, 0}},
     .patch_count = 1},
    {.name = "zigzag",
     .def = {.kind = cou_shapePolygon, .height = 0.8f, .points = zigzag, .point_count = COU_COUNT(zigzag)},
     .is_inside = inside_polygon},
    {.name = "kite",
     .def = {.kind = cou_shapePolygon, .height = 1.0f, .points = kite, .point_count = COU_COUNT(kite)},
     .is_inside = inside_polygon},
    // A long thin cone, whose caps and side are of very different size.
    {.name = "plate",
     .def = {.kind = cou_shapeCone, .radius = 1.0f, .radius2 = 0.9f, .height = 0.05f},
     .is_inside = inside_cone,
     .patches = {{patch_segment, 0, -0.025f, 1.0f, -0.025f, 0},
                 {patch_segment, 1.0f, -0.025f, 0.9f, 0.025f, 0},
                 {patch_segment, 0.9f, 0.025f, 0, 0.025f, 0}},
     .patch_count = 3},
};

static inline const Primitive *primitives(void)
{
    static bool is_filled = false;
    for (int i = 0; i < PRIMITIVE_COUNT && !is_filled; ++i) {
        if (primitive_table[i].def.kind == cou_shapePolygon) add_walls(&primitive_table[i]);
    }
    is_filled = true;
    return primitive_table;
}

// The patch at (u, v), each 0 to 1. In the plane v only chooses the side of a turned profile.
static inline Point patch_point(const Patch *patch, int dimension, double u, double v)
{
    double r = patch->a + u * (patch->c - patch->a), y = patch->b + u * (patch->d - patch->b);
    if (patch->kind == patch_wall) return (Point){r, y, dimension == 2 ? 0 : (2 * v - 1) * patch->e};
    if (patch->kind == patch_arc) {
        double angle = patch->d + u * (patch->e - patch->d);
        r = patch->a + patch->c * cos(angle);
        y = patch->b + patch->c * sin(angle);
    }
    if (dimension == 2) return (Point){v < 0.5 ? -r : r, y, 0};
    return (Point){r * cos(2 * COU_PI * v), y, r * sin(2 * COU_PI * v)};
}

static inline double gap2(Point a, couVec3 b)
{
    double x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
    return x * x + y * y + z * z;
}

// Searches along u, and along v where `fixed_v` is negative.
static inline double patch_distance2(const Patch *patch, int dimension, couVec3 p, double fixed_v)
{
    enum { grid = 24 };
    double best = INFINITY, best_u = 0, best_v = 0;
    for (int i = 0; i < grid; ++i) { // off the ends, for a pole has no azimuth to start from
        for (int j = 0; j <= grid; ++j) {
            double u = (i + 0.5) / grid, v = fixed_v < 0 ? (double)j / grid : fixed_v;
            double gap = gap2(patch_point(patch, dimension, u, v), p);
            if (gap < best) best = gap, best_u = u, best_v = v;
        }
    }
    for (double step = 0.5 / grid; step > 1e-5; step *= 0.8) {
        double u0 = best_u, v0 = best_v;
        const int offsets[] = {0, -1, 1, -2, 2}; // staying first: at a pole all azimuths are as good
        for (int i = 0; i < 5; ++i) {
            for (int j = 0; j < 5; ++j) {
                double u = COU_CLAMP(u0 + offsets[i] * step, 0.0, 1.0), v = fixed_v < 0 ? v0 + offsets[j] * step : fixed_v;
                if (patch->kind == patch_wall) v = COU_CLAMP(v, 0.0, 1.0); // the others go round
                double gap = gap2(patch_point(patch, dimension, u, v), p);
                if (gap < best) best = gap, best_u = u, best_v = v;
            }
        }
    }
    return best;
}

static inline double reference_distance(const Primitive *primitive, int dimension, couVec3 p)
{
    const couShapeDef *def = &primitive->def;
    Point at = {p.x, p.y, p.z};
    double best = INFINITY;
    for (int i = 0; i < primitive->patch_count; ++i) {
        const Patch *patch = &primitive->patches[i];
        if (dimension == 3)
            best = fmin(best, patch_distance2(patch, 3, p, -1));
        else
            best = fmin(best, fmin(patch_distance2(patch, 2, p, 0), patch_distance2(patch, 2, p, 1)));
    }
    // Flat faces across z: straight below the point, where there is face.
    double half = def->kind == cou_shapeBox ? def->size.z / 2 : def->height / 2;
    bool has_faces = def->kind == cou_shapeBox || def->kind == cou_shapePolygon;
    if (dimension == 3 && has_faces && primitive->is_inside(def, 2, at)) best = fmin(best, pow(fabs(p.z) - half, 2));
    return (primitive->is_inside(def, dimension, at) ? -1 : 1) * sqrt(best);
}

// --- The second description of the trees ------------------------------------------------------------------------------------

typedef struct Tree {
    const char *name;
    couShape *shape;
    int dimension;
    bool is_tight; // the field shall be the distance, from outside and near the shape
    bool (*is_solid)(Point p);
} Tree;

static inline double box_gap(Point p, double hx, double hy, double hz)
{
    double x = fmax(fabs(p.x) - hx, 0), y = fmax(fabs(p.y) - hy, 0), z = fmax(fabs(p.z) - hz, 0);
    return sqrt(x * x + y * y + z * z);
}

static inline bool solid_tank(Point p)
{
    bool is_free = fabs(p.x) < 0.6 && fabs(p.y) < 0.5 && fabs(p.z) < 0.7;
    return p.y <= 0.5 && !is_free && box_gap(p, 0.6, 0.5, 0.7) <= 0.1;
}

static inline bool solid_tank_2d(Point p)
{
    bool is_free = fabs(p.x) < 0.6 && fabs(p.y) < 0.5;
    return p.y <= 0.5 && !is_free && box_gap(p, 0.6, 0.5, 1) <= 0.1;
}

static inline bool solid_closed(Point p)
{
    bool is_free = fabs(p.x) < 0.6 && fabs(p.y) < 0.5 && fabs(p.z) < 0.7;
    return !is_free && box_gap(p, 0.6, 0.5, 0.7) <= 0.1;
}

static inline bool solid_glass(Point p)
{
    double r = hypot(p.x, p.z);
    return p.y <= 0.6 && !(r < 0.5 && fabs(p.y) < 0.6) && hypot(fmax(r - 0.5, 0), fmax(fabs(p.y) - 0.6, 0)) <= 0.15;
}

// The glass lying on a placed child whose own x looks up.
static inline bool solid_trough(Point p)
{
    bool is_free = fabs(p.x) < 0.5 && fabs(p.y) < 0.6 && fabs(p.z) < 0.7;
    return p.y <= 0.6 && !is_free && box_gap(p, 0.5, 0.6, 0.7) <= 0.12;
}

// Distance to a trapezoid, by its sides.
static inline double trapezoid_gap(double r, double y, double r1, double r2, double half)
{
    double share = y / (2 * half) + 0.5;
    if (share >= 0 && share <= 1 && r <= r1 + share * (r2 - r1)) return 0;
    double t = ((r - r1) * (r2 - r1) + (y + half) * 2 * half) / ((r2 - r1) * (r2 - r1) + 4 * half * half);
    t = COU_CLAMP(t, 0.0, 1.0);
    double best = hypot(r - r1 - t * (r2 - r1), y + half - t * 2 * half);
    best = fmin(best, hypot(fmax(r - r1, 0), y + half));
    return fmin(best, hypot(fmax(r - r2, 0), y - half));
}

static inline bool solid_bucket(Point p)
{
    double gap = trapezoid_gap(hypot(p.x, p.z), p.y, 0.3, 0.6, 0.5);
    return p.y <= 0.5 && gap > 0 && gap <= 0.1;
}

static inline bool solid_flask(Point p)
{
    double gap = trapezoid_gap(hypot(p.x, p.z), p.y, 0.7, 0.25, 0.5);
    return p.y <= 0.5 && gap > 0 && gap <= 0.1;
}

static const couVec3 basin[] = {{-0.6f, 0.5f, 0}, {-0.4f, -0.5f, 0}, {0.4f, -0.5f, 0}, {0.7f, 0.5f, 0}};

static inline bool solid_basin(Point p)
{
    double gap = INFINITY;
    couShapeDef def = {.points = basin, .point_count = COU_COUNT(basin)};
    if (inside_polygon(&def, 2, p)) return false;
    for (int i = 0; i < COU_COUNT(basin); ++i) {
        couVec3 a = basin[i], b = basin[(i + 1) % COU_COUNT(basin)];
        double ex = b.x - a.x, ey = b.y - a.y;
        double t = ((p.x - a.x) * ex + (p.y - a.y) * ey) / (ex * ex + ey * ey);
        t = COU_CLAMP(t, 0.0, 1.0);
        gap = fmin(gap, hypot(p.x - a.x - t * ex, p.y - a.y - t * ey));
    }
    return p.y <= 0.5 && gap <= 0.1;
}

// Two boxes side by side, the second lower, as one tank with a step in its rim.
static inline bool solid_steps(Point p)
{
    Point q = {p.x - 0.5, p.y + 0.2, p.z};
    bool is_free = (fabs(p.x) < 0.4 && fabs(p.y) < 0.5 && fabs(p.z) < 0.4) ||
                   (fabs(q.x) < 0.3 && fabs(q.y) < 0.3 && fabs(q.z) < 0.3);
    double gap = fmin(box_gap(p, 0.4, 0.5, 0.4), box_gap(q, 0.3, 0.3, 0.3));
    return p.y <= 0.5 && !is_free && gap <= 0.1;
}

static inline bool solid_pair(Point p)
{
    Point q = {p.x - 0.3, p.y - 0.2, p.z};
    bool is_in_ball = p.x * p.x + p.y * p.y + p.z * p.z <= 0.5 * 0.5;
    return is_in_ball || (fabs(q.x) <= 0.5 && fabs(q.y) <= 0.1 && fabs(q.z) <= 0.6);
}

#define TREE_COUNT 13
static inline void make_trees(Tree *trees)
{
    couShapeDef cylinder = {.kind = cou_shapeCylinder, .radius = 0.5f, .height = 1.2f};
    couShapeDef bucket = {.kind = cou_shapeCone, .radius = 0.3f, .radius2 = 0.6f, .height = 1};
    couShapeDef flask = {.kind = cou_shapeCone, .radius = 0.7f, .radius2 = 0.25f, .height = 1};
    couShapeDef prism = {.kind = cou_shapePolygon, .height = 1, .points = basin, .point_count = COU_COUNT(basin)};
    couShape *steps[2] = {make_box(0.8f, 1, 0.8f), make_placed(make_box(0.6f, 0.6f, 0.6f), (couVec3){0.5f, -0.2f, 0}, no_turn)};
    couShape *pair[2] = {make((couShapeDef){.kind = cou_shapeSphere, .radius = 0.5f}),
                         make_placed(make_box(1, 0.2f, 1.2f), (couVec3){0.3f, 0.2f, 0}, no_turn)};
    couShape *trough = make_placed(make_box(1.2f, 1.0f, 1.4f), (couVec3){0, 0, 0}, turned((couVec3){0, 0, 1}, 90));
    couShape *flipped = make_placed(make(bucket), (couVec3){0, 0, 0}, turned((couVec3){1, 0, 0}, 180));
    Tree list[TREE_COUNT] = {
        {"tank", make_shell(make_box(1.2f, 1, 1.4f), 0.1f, true), 3, true, solid_tank},
        {"tank", make_shell(make_box(1.2f, 1, 1.4f), 0.1f, true), 2, true, solid_tank_2d},
        {"closed", make_shell(make_box(1.2f, 1, 1.4f), 0.1f, false), 3, true, solid_closed},
        {"glass", make_shell(make(cylinder), 0.15f, true), 3, true, solid_glass},
        {"glass", make_shell(make(cylinder), 0.15f, true), 2, true, solid_glass},
        {"trough", make_shell(trough, 0.12f, true), 3, true, solid_trough},
        {"bucket", make_shell(make(bucket), 0.1f, true), 3, true, solid_bucket},
        {"bucket", make_shell(make(bucket), 0.1f, true), 2, true, solid_bucket},
        {"flask", make_shell(make(flask), 0.1f, true), 3, false, solid_flask},
        {"basin", make_shell(make(prism), 0.1f, true), 2, true, solid_basin},
        {"steps", make_shell(make_union(steps, 2), 0.1f, true), 3, false, solid_steps},
        {"pair", make_union(pair, 2), 3, true, solid_pair},
        {"flipped", make_placed(make_shell(flipped, 0.1f, true), (couVec3){0, 0, 0}, no_turn), 3, false, NULL},
    };
    memcpy(trees, list, sizeof list);
}

static inline void release_trees(Tree *trees)
{
    for (int i = 0; i < TREE_COUNT; ++i) couShape_Release(trees[i].shape);
}
