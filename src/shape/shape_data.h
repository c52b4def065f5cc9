/// Inside of a shape, shared by the shape files only: what couCreateShape() derives from a def once, so that a query is a switch
/// and a few multiplications.
#pragma once

#include "base/base.h"
#include "coulis/shape.h"
#include "shape/distance_grid.h"

enum {
    cou_shapeMaxDepth = 32,       ///< levels of a tree
    cou_shapeMaxChildren = 4096,  ///< of one union
    cou_shapeMaxPoints = 4096,    ///< of one polygon
    cou_shapeMaxWeight = 1 << 16, ///< primitives and polygon points of a whole tree, shared parts counted each time they are used
};

typedef struct couShapeEdge {
    float x, y;               ///< start [m]
    float ex, ey;             ///< from start to end [m]
    float inv_length2;        ///< [1/m^2]
    float normal_x, normal_y; ///< outward, unit
} couShapeEdge;

/// One of the closed lines around a polygon.
typedef struct couShapeOutline {
    int first, count;       ///< of the points, and of the edges
    float lower_x, lower_y; ///< [m]
    float upper_x, upper_y; ///< [m]
    int winding;            ///< 1 or -1: times its signed area it adds to the solid's, also where it is a hole
    int parent;             ///< the outline whose hole it is, -1 for none
} couShapeOutline;

struct couShape {
    couShapeKind kind;
    bool is_convex;
    bool is_bounded;
    bool is_planar; ///< placed: maps the plane z = 0 onto itself
    bool is_turned; ///< placed: the rotation is not the identity
    bool is_flat;   ///< parts of it have faces in common, which do not matter in the plane z = 0
    union {
        struct {
            couVec3 normal;   ///< unit
            couVec3 normal2d; ///< unit, of the cut with z = 0; zero where the plane is parallel to that
        } plane;
        struct {
            couVec3 half;   ///< [m]
            float rounding; ///< [m]
        } box;
        struct {
            float radius, half_height; ///< [m]
        } round;                       ///< sphere, capsule, cylinder, disk
        struct {
            float radius, radius2, half_height; ///< [m]
            float side_r, side_y, inv_length2;  ///< the slanted side from base to top in (r, y)
            float normal_r, normal_y;           ///< of that side, outward, unit
        } cone;
        struct {
            float radius, tube; ///< [m]
        } torus;
        struct {
            const couShapeEdge *edges;
            const couShapeOutline *outlines;
            int count, outline_count;
            float half_height; ///< [m]
        } polygon;
        struct {
            const couShape *child;
            float thickness; ///< [m]
            float top;       ///< where an open shell ends [m]
            float nudge;     ///< a safe step off that plane, above rounding [m]
            bool is_open;
        } shell;
        struct {
            couShape *const *children;
            const couBounds *bounds; ///< of each child, infinite where it has none
            const float *sides;      ///< the same by columns: lower x, y, z, upper x, y, z
            int count;
        } group; ///< union, difference, intersection
        struct {
            const couShape *child; ///< never itself placed: poses are multiplied at creation
            couVec3 x, y, z;       ///< the child's axes
            couVec3 position;      ///< [m]
        } placed;
        struct {
            const couDistanceGrid *grid;
        } mesh;
    };

    // Cold.
    couBounds bounds; ///< [m]; meaningless unless bounded
    float extent;     ///< largest coordinate of the bounds, 0 unless bounded [m]
    float thinness;   ///< [m]
    float slope;      ///< of the distance near the surface, at most
    float blur;       ///< how far the surface may be off the distance farther away [m]
    float face_area;  ///< [m^2]
    int depth, weight;
    _Atomic int references;
    couShapeDef def; ///< a copy; `points` and `children` point to copies in the same block
};

/// The point in the frame of a placed shape's child.
static inline couVec3 couShapeToChild(const couShape *placed, couVec3 p)
{
    couVec3 d = couSub(p, placed->placed.position);
    if (!placed->is_turned) return d;
    return (couVec3){couDot(placed->placed.x, d), couDot(placed->placed.y, d), couDot(placed->placed.z, d)};
}

/// A direction from the frame of a placed shape's child.
static inline couVec3 couShapeFromChild(const couShape *placed, couVec3 v)
{
    if (!placed->is_turned) return v;
    return couMulAdd(couMulAdd(couScale(v.x, placed->placed.x), v.y, placed->placed.y), v.z, placed->placed.z);
}

/// A child that leaves the plane z = 0 is measured in space also in 2D: its sign is that of the cut, its value a lower bound.
static inline int couShapeChildDimension(const couShape *placed, int dimension) { return placed->is_planar ? dimension : 3; }

/// What differs between a difference and an intersection: whether the child counts by its outside.
static inline bool couShapeIsTakenAway(const couShape *shape, int child)
{
    return shape->kind == cou_shapeDifference && child > 0;
}

static inline bool couShapeHasGroup(couShapeKind kind)
{
    return kind == cou_shapeUnion || kind == cou_shapeDifference || kind == cou_shapeIntersection;
}

// --- Checks (shape.c) --------------------------------------------------------------------------------------------------------

#define COU_SHAPE_MIN_LENGTH 1e-9f ///< [m], squares stay in the range of floats
#define COU_SHAPE_MAX_LENGTH 1e6f  ///< [m]

/// A def being checked.
typedef struct couShapeCheck {
    const couShapeDef *def;
    const char *kind;
    couFaults *faults; ///< may be NULL
    bool is_bad;
} couShapeCheck;

__attribute__((format(printf, 3, 4))) void couShapeCheck_Fault(couShapeCheck *check, const char *field, const char *format, ...);
void couShapeCheck_Length(couShapeCheck *check, const char *field, const char *part, float value);

// --- Polygons (shape_outline.c) ----------------------------------------------------------------------------------------------

void couCheckPolygon(couShapeCheck *check);
size_t couPolygonBytes(const couShapeDef *def); ///< that couDerivePolygon() needs
/// From the def, which is good, into `extra`.
void couDerivePolygon(couShape *shape, void *extra);

// --- Differences and intersections (shape_cut.c) -----------------------------------------------------------------------------

/// What is left of a difference or intersection, found by looking through its bounds.
typedef struct couCutSurvey {
    bool is_empty;  ///< nothing solid was found
    bool has_ghost; ///< somewhere its distance is 0 where there is no solid: two faces lie in each other
    couVec3 ghost;  ///< where [m]
    float thinness; ///< of the thinnest wall found [m]
} couCutSurvey;

couCutSurvey couSurveyCut(const couShape *shape, int dimension);
