// Volume, centre of mass and inertia of shapes.
//
// Everything is summed as moments: volume, centre and the central second moments (the integral of r r^T), which turn like any
// tensor and give the inertia at the end. Single shapes have formulas; parts of a union whose bounds do not overlap are added
// by the parallel axis theorem. Shells, other unions, differences and intersections are sampled: cubes of the space around the
// shape are halved where its surface runs through them, down to a size chosen for about 3e5 distances, and the smallest count by
// the part that is covered.
//
// That part is not clamp(1/2 - d / size) of the shape's own distance, which would lose or invent matter where walls are thinner
// than a cube, but put together from the tree: a wall is its child grown by the thickness less the child; a box is the product
// of its three overlaps. Both are right for any thickness. Only where parts of a union touch inside a cube, the cubes are
// halved twice more. The cubes are turned against the axes, as upright ones make the same error all along the edges of an
// upright box: 1 % of a hollow box of 1 m with walls of 0.2 mm, instead of 0.08 %. With thicker walls errors are below 2e-4; a
// shape takes some 20 ms.
#include "shape/shape_data.h"

#include "shape/mesh_inspect.h"

enum {
    samples = 300000,      // distances for a small tree: some 20 ms
    least_samples = 20000, // for a tree of thousands of parts
    extra_levels = 2,      // halvings where parts of a union touch
};

typedef struct Moments {
    double volume;
    double center[3];
    double spread[6]; // central second moments xx, yy, zz, xy, xz, yz
} Moments;

// --- Moments -----------------------------------------------------------------------------------------------------------------

static const int rows[6] = {0, 1, 2, 0, 0, 1}, columns[6] = {0, 1, 2, 1, 2, 2};

// The parallel axis theorem for two.
static Moments join(const Moments *a, const Moments *b)
{
    Moments sum = {.volume = a->volume + b->volume};
    if (!(sum.volume > 0.0)) return sum;
    double reduced = a->volume * b->volume / sum.volume, apart[3];
    for (int axis = 0; axis < 3; ++axis) {
        apart[axis] = b->center[axis] - a->center[axis];
        sum.center[axis] = a->center[axis] + b->volume / sum.volume * apart[axis];
    }
    for (int k = 0; k < 6; ++k) sum.spread[k] = a->spread[k] + b->spread[k] + reduced * apart[rows[k]] * apart[columns[k]];
    return sum;
}

// Out of a frame with these axes at this position.
static Moments move(const Moments *moments, const double axes[3][3], const double position[3])
{
    const double *s = moments->spread;
    const double spread[3][3] = {{s[0], s[3], s[4]}, {s[3], s[1], s[5]}, {s[4], s[5], s[2]}};
    Moments moved = {.volume = moments->volume};
    for (int i = 0; i < 3; ++i) {
        moved.center[i] = position[i];
        for (int j = 0; j < 3; ++j) moved.center[i] += axes[j][i] * moments->center[j];
    }
    for (int k = 0; k < 6; ++k)
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) moved.spread[k] += axes[i][rows[k]] * spread[i][j] * axes[j][columns[k]];
    return moved;
}

static couMassProperties to_properties(const Moments *moments)
{
    const double *s = moments->spread;
    double trace = s[0] + s[1] + s[2];
    couMassProperties mass = {.volume = moments->volume,
                              .inertia = {trace - s[0], trace - s[1], trace - s[2], -s[3], -s[4], -s[5]}};
    memcpy(mass.center, moments->center, sizeof mass.center);
    return mass;
}

// --- Formulas ----------------------------------------------------------------------------------------------------------------

// With the centre at the origin and the axes as principal axes; the mean squares are per volume.
static Moments centered(double volume, double mean_xx, double mean_yy, double mean_zz)
{
    return (Moments){.volume = volume, .spread = {volume * mean_xx, volume * mean_yy, volume * mean_zz}};
}

static Moments box_moments(double x, double y, double z, bool is_flat)
{
    return centered(is_flat ? x * y : x * y * z, x * x / 12, y * y / 12, is_flat ? 0 : z * z / 12);
}

// The integrals of 1 and of x^2 over a box pushed out by r, by its parts: the core a x b x c, a slab on each face, a quarter of a
// rod along each edge, an eighth of a ball at each corner.
static Moments rounded_box_moments(double x, double y, double z, double r, bool is_flat)
{
    const double core[3] = {x - 2 * r, y - 2 * r, z - 2 * r};
    Moments moments = {0};
    for (int axis = 0; axis < (is_flat ? 2 : 3); ++axis) {
        double a = core[axis], b = core[axis == 0], c = is_flat ? 1.0 : core[axis == 2 ? 1 : 2];
        double flat = a * a * a / 12, slabs = 2.0 / 3.0 * (pow(a / 2 + r, 3) - pow(a / 2, 3));
        double rods = COU_PI * r * r * a * a / 4 + 4.0 / 3.0 * a * r * r * r + COU_PI * pow(r, 4) / 4;
        double balls = COU_PI * r * r * r * a * a / 3 + COU_PI * a * pow(r, 4) / 2 + 4.0 / 15.0 * COU_PI * pow(r, 5);
        if (is_flat) {
            moments.volume = a * b + 2 * r * (a + b) + COU_PI * r * r;
            moments.spread[axis] = flat * (b + 2 * r) + slabs * b + rods;
        } else {
            moments.volume = a * b * c + 2 * r * (a * b + b * c + c * a) + COU_PI * r * r * (a + b + c) +
                             4.0 / 3.0 * COU_PI * r * r * r;
            moments.spread[axis] = flat * (b * c + 2 * r * (b + c) + COU_PI * r * r) + slabs * b * c + rods * (b + c) + balls;
        }
    }
    return moments;
}

static Moments sphere_moments(double radius, bool is_flat)
{
    double r2 = radius * radius;
    if (is_flat) return centered(COU_PI * r2, r2 / 4, r2 / 4, 0);
    return centered(4.0 / 3.0 * COU_PI * r2 * radius, r2 / 5, r2 / 5, r2 / 5);
}

static Moments cylinder_moments(double radius, double height, bool is_flat)
{
    if (is_flat) return box_moments(2 * radius, height, 0, true);
    return centered(COU_PI * radius * radius * height, radius * radius / 4, height * height / 12, radius * radius / 4);
}

// A cylinder and two halves of a ball, whose centres are 3/8 of the radius (4 / (3 pi) of it in the plane) from their flat faces.
static Moments capsule_moments(double radius, double height, bool is_flat)
{
    Moments capsule = cylinder_moments(radius, height, is_flat), ball = sphere_moments(radius, is_flat);
    double lever = is_flat ? 4 / (3 * COU_PI) * radius : 3.0 / 8.0 * radius;
    capsule.volume += ball.volume;
    for (int k = 0; k < 3; ++k) capsule.spread[k] += ball.spread[k];
    capsule.spread[1] += ball.volume * (height * height / 4 + height * lever);
    return capsule;
}

// A frustum is a stack of discs (strips in the plane) of radius a (1 - t) + b t, t from 0 at the base to 1 at the top.
static Moments cone_moments(double a, double b, double height, bool is_flat)
{
    double volume, mean_t, mean_tt, spread_x;
    if (is_flat) {
        volume = height * (a + b);
        mean_t = height * (a + 2 * b) / 3 / volume;
        mean_tt = height * (a + 3 * b) / 6 / volume;
        spread_x = height * (a * a * a + a * a * b + a * b * b + b * b * b) / 6;
    } else {
        double powers = a * a * a * a + a * a * a * b + a * a * b * b + a * b * b * b + b * b * b * b;
        volume = COU_PI * height * (a * a + a * b + b * b) / 3;
        mean_t = COU_PI * height * (a * a + 2 * a * b + 3 * b * b) / 12 / volume;
        mean_tt = COU_PI * height * (a * a + 3 * a * b + 6 * b * b) / 30 / volume;
        spread_x = COU_PI * height * powers / 20;
    }
    Moments cone = {.volume = volume, .center = {0, height * (mean_t - 0.5), 0}};
    cone.spread[0] = spread_x;
    cone.spread[1] = volume * height * height * (mean_tt - mean_t * mean_t);
    cone.spread[2] = is_flat ? 0 : spread_x;
    return cone;
}

static Moments torus_moments(double radius, double tube, bool is_flat)
{
    double r2 = radius * radius, t2 = tube * tube;
    if (is_flat) return centered(2 * COU_PI * t2, r2 + t2 / 4, t2 / 4, 0);
    return centered(2 * COU_PI * COU_PI * radius * t2, r2 / 2 + 3 * t2 / 8, t2 / 4, r2 / 2 + 3 * t2 / 8);
}

// Triangles from the first corner of all to each edge, with the sign of their turn and of their outline.
static Moments polygon_moments(const couShape *shape, bool is_flat)
{
    const couVec3 *points = shape->def.points;
    const couShapeOutline *outlines = shape->polygon.outlines;
    double area = 0, x = 0, y = 0, xx = 0, yy = 0, xy = 0;
    for (int k = 0; k < shape->polygon.outline_count; ++k) {
        double sign = outlines[k].winding * outlines[0].winding;
        for (int i = 0; i < outlines[k].count; ++i) {
            couVec3 a = points[outlines[k].first + i], b = points[outlines[k].first + (i + 1) % outlines[k].count];
            double ax = (double)a.x - points[0].x, ay = (double)a.y - points[0].y;
            double bx = (double)b.x - points[0].x, by = (double)b.y - points[0].y;
            double twice = sign * (ax * by - ay * bx);
            area += twice / 2;
            x += twice * (ax + bx) / 6;
            y += twice * (ay + by) / 6;
            xx += twice * (ax * ax + ax * bx + bx * bx) / 12;
            yy += twice * (ay * ay + ay * by + by * by) / 12;
            xy += twice * (2 * ax * ay + ax * by + bx * ay + 2 * bx * by) / 24;
        }
    }
    double height = is_flat ? 1.0 : 2.0 * shape->polygon.half_height, scale = area > 0 ? height : -height;
    x /= area;
    y /= area;
    Moments polygon = {.volume = scale * area, .center = {x + points[0].x, y + points[0].y, 0}};
    polygon.spread[0] = scale * (xx - area * x * x);
    polygon.spread[1] = scale * (yy - area * y * y);
    polygon.spread[2] = is_flat ? 0 : polygon.volume * height * height / 12;
    polygon.spread[3] = scale * (xy - area * x * y);
    return polygon;
}

// Exact for a mesh that can be trusted, from its distances otherwise.
static Moments mesh_moments(const couShape *shape)
{
    const couDistanceGrid *grid = shape->def.grid;
    const couMesh *mesh = couDistanceGrid_Mesh(grid);
    couMassProperties mass = couMesh_IsSolid(mesh) ? couMesh_Mass(mesh) : couDistanceGrid_Mass(grid);
    Moments moments = {.volume = mass.volume};
    memcpy(moments.center, mass.center, sizeof moments.center);
    double trace = 0.5 * (mass.inertia[0] + mass.inertia[1] + mass.inertia[2]);
    for (int k = 0; k < 6; ++k) moments.spread[k] = (k < 3 ? trace : 0.0) - mass.inertia[k];
    return moments;
}

// --- Sampling ----------------------------------------------------------------------------------------------------------------

// How much of a cube is covered, and whether more than one part of a union has a share in it.
typedef struct Cover {
    float part;
    bool is_shared;
} Cover;

// A half-space at a signed distance.
static float cover_side(float distance, float size) { return COU_CLAMP(0.5f - distance / size, 0.0f, 1.0f); }

// A slab of this half thickness around 0.
static float cover_slab(float at, float half, float size)
{
    return COU_MAX(COU_MIN(at + 0.5f * size, half) - COU_MAX(at - 0.5f * size, -half), 0.0f) / size;
}

// The child grown by the thickness less the child. Below the lid of an open one the child's own distance does not help, as it
// knows the lid; there the distance to the other walls comes from the shell.
static float cover_wall(const couShape *shell, int dimension, couVec3 p, float size)
{
    float below = 1.0f, distance;
    if (shell->shell.is_open) {
        below = cover_side(p.y - shell->shell.top, size);
        if (!(below > 0.0f)) return 0.0f;
        p.y = COU_MIN(p.y, shell->shell.top - shell->shell.nudge);
        distance = couShape_Distance(shell->shell.child, dimension, p);
        if (distance < 0.0f && distance > -size) distance = -couShape_Distance(shell, dimension, p);
    } else {
        distance = couShape_Distance(shell->shell.child, dimension, p);
    }
    return below * (cover_side(distance - shell->shell.thickness, size) - cover_side(distance, size));
}

static Cover cover(const couShape *shape, int dimension, couVec3 p, float size);

static Cover cover_union(const couShape *shape, int dimension, couVec3 p, float size)
{
    Cover most = {0};
    int count = 0;
    for (int i = 0; i < shape->group.count && most.part < 1.0f; ++i) {
        const couBounds *b = &shape->group.bounds[i];
        if (p.x < b->lower.x - size || p.x > b->upper.x + size || p.y < b->lower.y - size || p.y > b->upper.y + size) continue;
        if (dimension == 3 && (p.z < b->lower.z - size || p.z > b->upper.z + size)) continue;
        Cover child = cover(shape->group.children[i], dimension, p, size);
        if (child.part > 0.0f) ++count;
        most.part = COU_MAX(most.part, child.part);
        most.is_shared |= child.is_shared;
    }
    most.is_shared = most.part < 1.0f && (most.is_shared || count > 1);
    return most;
}

// Of what several parts have in common: right where at most one of them has its surface in the cube.
static Cover cover_cut(const couShape *shape, int dimension, couVec3 p, float size)
{
    Cover least = {.part = 1.0f};
    int count = 0;
    for (int i = 0; i < shape->group.count && least.part > 0.0f; ++i) {
        Cover child = cover(shape->group.children[i], dimension, p, size);
        if (couShapeIsTakenAway(shape, i)) child.part = 1.0f - child.part;
        if (child.part < 1.0f) ++count;
        least.part = COU_MIN(least.part, child.part);
        least.is_shared |= child.is_shared;
    }
    least.is_shared = least.part > 0.0f && (least.is_shared || count > 1);
    return least;
}

static Cover cover(const couShape *shape, int dimension, couVec3 p, float size)
{
    switch (shape->kind) {
    case cou_shapeDisk: return (Cover){0};
    case cou_shapeShell: return (Cover){.part = cover_wall(shape, dimension, p, size)};
    case cou_shapeUnion: return cover_union(shape, dimension, p, size);
    case cou_shapeDifference:
    case cou_shapeIntersection: return cover_cut(shape, dimension, p, size);
    case cou_shapePlaced:
        return cover(shape->placed.child, couShapeChildDimension(shape, dimension), couShapeToChild(shape, p), size);
    case cou_shapeBox: {
        couVec3 half = shape->box.half;
        if (shape->box.rounding > 0.0f) return (Cover){.part = cover_side(couShape_Distance(shape, dimension, p), size)};
        float part = cover_slab(p.x, half.x, size) * cover_slab(p.y, half.y, size);
        return (Cover){.part = dimension == 2 ? part : part * cover_slab(p.z, half.z, size)};
    }
    case cou_shapePolygon: {
        float part = cover_side(couShape_Distance(shape, 2, p), size);
        return (Cover){.part = dimension == 2 ? part : part * cover_slab(p.z, shape->polygon.half_height, size)};
    }
    default: return (Cover){.part = cover_side(couShape_Distance(shape, dimension, p), size)};
    }
}

typedef struct Sampling {
    const couShape *shape;
    int dimension;
    double origin[3];     // middle of the bounds [m]
    double axes[3][3];    // of the cubes
    couBounds bounds;     // of the shape [m]
    int64_t count, limit; // distances taken, and how many may be
    // About the origin, along the axes.
    double volume, first[3], second[6];
} Sampling;

static void add_cube(Sampling *sampling, const double r[3], double size, double part)
{
    double volume = part * (sampling->dimension == 2 ? size * size : size * size * size);
    sampling->volume += volume;
    for (int axis = 0; axis < 3; ++axis) sampling->first[axis] += volume * r[axis];
    for (int k = 0; k < 6; ++k) sampling->second[k] += volume * r[rows[k]] * r[columns[k]];
    for (int axis = 0; axis < sampling->dimension; ++axis) sampling->second[axis] += volume * size * size / 12;
}

static couVec3 to_shape(const Sampling *sampling, const double r[3])
{
    double p[3];
    for (int i = 0; i < 3; ++i)
        p[i] = sampling->origin[i] + r[0] * sampling->axes[0][i] + r[1] * sampling->axes[1][i] + r[2] * sampling->axes[2][i];
    return (couVec3){(float)p[0], (float)p[1], (float)p[2]};
}

// How much of a cube is within the bounds. Beyond them the wall around a mesh seems to go on, as distances far from a mesh are
// lower bounds.
static float cover_bounds(const Sampling *sampling, couVec3 p, float size)
{
    const couBounds *b = &sampling->bounds;
    float x = COU_MAX(b->lower.x - p.x, p.x - b->upper.x), y = COU_MAX(b->lower.y - p.y, p.y - b->upper.y);
    float z = sampling->dimension == 3 ? COU_MAX(b->lower.z - p.z, p.z - b->upper.z) : y;
    float outside = COU_MAX(COU_MAX(x, y), z);
    return cover_side(outside, size);
}

// `levels` is how often the cube may still be halved, down to -extra_levels where that helps.
static void sample_cube(Sampling *sampling, const double center[3], double size, int levels)
{
    if (sampling->count++ > sampling->limit) return;
    couVec3 p = to_shape(sampling, center);
    if (levels > 0) {
        double reach = 0.5 * size * sqrt(sampling->dimension);
        float distance = couShape_Distance(sampling->shape, sampling->dimension, p);
        bool is_clear = (double)couShape_Clearance(sampling->shape, distance) >= reach;
        if (is_clear && distance > 0.0f) return;
        if (is_clear && cover_bounds(sampling, p, (float)(2 * reach)) >= 1.0f) {
            add_cube(sampling, center, size, 1.0);
            return;
        }
    } else {
        Cover covered = cover(sampling->shape, sampling->dimension, p, (float)size);
        if (!covered.is_shared || levels <= -extra_levels) {
            add_cube(sampling, center, size, (double)fminf(covered.part, cover_bounds(sampling, p, (float)size)));
            return;
        }
    }
    int children = sampling->dimension == 2 ? 4 : 8;
    for (int k = 0; k < children; ++k) {
        double child[3] = {center[0] + size * (k & 1 ? 0.25 : -0.25), center[1] + size * (k & 2 ? 0.25 : -0.25), center[2]};
        if (sampling->dimension == 3) child[2] += size * (k & 4 ? 0.25 : -0.25);
        sample_cube(sampling, child, 0.5 * size, levels - 1);
    }
}

// Cubes down to `size` over the bounds. They are turned against them: along an edge of an upright box cubes that are upright too
// would all make the same error. False when it takes more distances than allowed.
static bool sample_bounds(Sampling *sampling, const couBounds *bounds, double size)
{
    const double half[3] = {0.5 * ((double)bounds->upper.x - bounds->lower.x), 0.5 * ((double)bounds->upper.y - bounds->lower.y),
                            0.5 * ((double)bounds->upper.z - bounds->lower.z)};
    double reach[3] = {0}, largest = 0;
    for (int i = 0; i < sampling->dimension; ++i) {
        for (int j = 0; j < sampling->dimension; ++j) reach[i] += fabs(sampling->axes[i][j]) * half[j];
        largest = fmax(largest, 2 * reach[i]);
    }
    int levels = 0, counts[3] = {1, 1, 1};
    for (; 16 * size < largest; size *= 2) ++levels;
    for (int axis = 0; axis < sampling->dimension; ++axis) counts[axis] = (int)ceil(2 * reach[axis] / size + 1.0);
    for (int z = 0; z < counts[2]; ++z)
        for (int y = 0; y < counts[1]; ++y)
            for (int x = 0; x < counts[0]; ++x) {
                const double center[3] = {size * (x - 0.5 * (counts[0] - 1)), size * (y - 0.5 * (counts[1] - 1)),
                                          size * (z - 0.5 * (counts[2] - 1))};
                sample_cube(sampling, center, size, levels);
            }
    return sampling->count <= sampling->limit;
}

// Surface cubes cost the most; a hollow box has about three layers of them for each side of its bounds.
static double smallest_cube(int dimension, const couBounds *bounds, double count)
{
    couVec3 size = couSub(bounds->upper, bounds->lower);
    double x = size.x, y = size.y, z = size.z;
    if (dimension == 2) return 6 * (x + y) / count;
    return sqrt(6 * (x * y + y * z + z * x) / count);
}

// Any rotation does that has no small angle to the axes.
static Sampling begin_sampling(const couShape *shape, int dimension, const couBounds *bounds, double count)
{
    Sampling sampling = {.shape = shape, .dimension = dimension, .limit = (int64_t)(2 * count)};
    const double a = 0.6, b = dimension == 3 ? 0.45 : 0.0, c = dimension == 3 ? 0.75 : 0.0; // yaw, pitch, roll [rad]
    const double axes[3][3] = {
        {cos(a) * cos(b), sin(a) * cos(b), -sin(b)},
        {cos(a) * sin(b) * sin(c) - sin(a) * cos(c), sin(a) * sin(b) * sin(c) + cos(a) * cos(c), cos(b) * sin(c)},
        {cos(a) * sin(b) * cos(c) + sin(a) * sin(c), sin(a) * sin(b) * cos(c) - cos(a) * sin(c), cos(b) * cos(c)}};
    memcpy(sampling.axes, axes, sizeof axes);
    sampling.bounds = *bounds;
    sampling.origin[0] = 0.5 * ((double)bounds->lower.x + bounds->upper.x);
    sampling.origin[1] = 0.5 * ((double)bounds->lower.y + bounds->upper.y);
    sampling.origin[2] = dimension == 3 ? 0.5 * ((double)bounds->lower.z + bounds->upper.z) : 0.0;
    return sampling;
}

static Moments sampled_moments(const couShape *shape, int dimension, const couBounds *bounds)
{
    double count = fmax(samples / (1 + shape->weight / 32.0), least_samples);
    double size = smallest_cube(dimension, bounds, count);
    Sampling sampling = begin_sampling(shape, dimension, bounds, count);
    while (!sample_bounds(&sampling, bounds, size)) {
        sampling = begin_sampling(shape, dimension, bounds, count);
        size *= 1.5;
    }
    Moments moments = {.volume = sampling.volume};
    if (!(sampling.volume > 0.0)) return moments;
    for (int axis = 0; axis < 3; ++axis) moments.center[axis] = sampling.first[axis] / sampling.volume;
    for (int k = 0; k < 6; ++k)
        moments.spread[k] = sampling.second[k] - sampling.volume * moments.center[rows[k]] * moments.center[columns[k]];
    return move(&moments, sampling.axes, sampling.origin);
}

// --- Shapes ------------------------------------------------------------------------------------------------------------------

static Moments moments_of(const couShape *shape, int dimension);

// Touching is allowed, to a millionth of the union's extent.
static bool do_bounds_overlap(const couBounds *a, const couBounds *b, int dimension, double least)
{
    return (double)fminf(a->upper.x, b->upper.x) - fmaxf(a->lower.x, b->lower.x) > least &&
           (double)fminf(a->upper.y, b->upper.y) - fmaxf(a->lower.y, b->lower.y) > least &&
           (dimension == 2 || (double)fminf(a->upper.z, b->upper.z) - fmaxf(a->lower.z, b->lower.z) > least);
}

static Moments union_moments(const couShape *shape, int dimension, const couBounds *bounds)
{
    const couBounds *parts = shape->group.bounds;
    for (int i = 0; i < shape->group.count; ++i)
        for (int j = 0; j < i; ++j)
            if (do_bounds_overlap(&parts[i], &parts[j], dimension, 1e-6 * shape->extent))
                return sampled_moments(shape, dimension, bounds);
    Moments sum = {0};
    for (int i = 0; i < shape->group.count; ++i) {
        Moments child = moments_of(shape->group.children[i], dimension);
        sum = join(&sum, &child);
    }
    return sum;
}

// Volume 0 for what has none.
static Moments moments_of(const couShape *shape, int dimension)
{
    bool is_flat = dimension == 2;
    couBounds bounds;
    if (!couShape_Bounds(shape, dimension, &bounds)) return (Moments){0};
    double height = 2.0 * shape->round.half_height;
    switch (shape->kind) {
    case cou_shapePlane:
    case cou_shapeDisk: return (Moments){0};
    case cou_shapeBox: {
        double x = 2.0 * shape->box.half.x, y = 2.0 * shape->box.half.y, z = 2.0 * shape->box.half.z;
        if (shape->box.rounding > 0.0f) return rounded_box_moments(x, y, z, shape->box.rounding, is_flat);
        return box_moments(x, y, z, is_flat);
    }
    case cou_shapeSphere: return sphere_moments(shape->round.radius, is_flat);
    case cou_shapeCapsule: return capsule_moments(shape->round.radius, height, is_flat);
    case cou_shapeCylinder: return cylinder_moments(shape->round.radius, height, is_flat);
    case cou_shapeCone: return cone_moments(shape->cone.radius, shape->cone.radius2, 2.0 * shape->cone.half_height, is_flat);
    case cou_shapeTorus: return torus_moments(shape->torus.radius, shape->torus.tube, is_flat);
    case cou_shapePolygon: return polygon_moments(shape, is_flat);
    case cou_shapeUnion: return union_moments(shape, dimension, &bounds);
    case cou_shapePlaced: {
        if (is_flat && !shape->is_planar) return sampled_moments(shape, dimension, &bounds);
        Moments child = moments_of(shape->placed.child, dimension);
        couVec3 x = shape->placed.x, y = shape->placed.y, z = shape->placed.z, at = shape->placed.position;
        return move(&child, (const double[3][3]){{x.x, x.y, x.z}, {y.x, y.y, y.z}, {z.x, z.y, z.z}},
                    (const double[3]){at.x, at.y, at.z});
    }
    case cou_shapeMesh: return is_flat ? sampled_moments(shape, dimension, &bounds) : mesh_moments(shape);
    case cou_shapeDifference:
    case cou_shapeIntersection:
    case cou_shapeShell: break;
    }
    return sampled_moments(shape, dimension, &bounds);
}

bool couShape_Mass(const couShape *shape, int dimension, couMassProperties *mass)
{
    Moments moments = moments_of(shape, dimension);
    *mass = to_properties(&moments);
    return moments.volume > 0.0;
}
