/// Shapes by signed distance: colliders, emitters, sinks, regions. Immutable, counted by reference, safe to read from any thread.
#pragma once

#include "coulis/mesh.h"
#include "coulis/surface.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum couShapeKind {
    cou_shapePlane,       ///< solid below the plane through the origin with normal `axis`
    cou_shapeBox,         ///< `size`: full edge lengths; `rounding`: radius of all its edges and corners
    cou_shapeSphere,      ///< `radius`; a disc in 2D
    cou_shapeCapsule,     ///< `radius`, `height` of the straight part along y
    cou_shapeCylinder,    ///< `radius`, `height` along y, centred
    cou_shapeCone,        ///< `radius` at the base y = -height/2, `radius2` at the top y = +height/2
    cou_shapeTorus,       ///< ring of `radius` in the xz plane (two discs in the 2D plane z = 0), tube of `radius2`
    cou_shapeDisk,        ///< flat disc of `radius`, normal y (a segment in 2D); for emitters
    cou_shapePolygon,     ///< `points` in the xy plane, in one or more `outlines`, extruded by `height` along z, centred
    cou_shapeShell,       ///< wall of `thickness` around children[0], which it holds as free space; `is_open`: cut off at the top
    cou_shapeUnion,       ///< of all children
    cou_shapePlaced,      ///< children[0] moved by `pose`
    cou_shapeMesh,        ///< the solid within a mesh, by its distance `grid`
    cou_shapeDifference,  ///< children[0] without all others
    cou_shapeIntersection ///< what all children have in common
} couShapeKind;

typedef struct couShape couShape;

/// What a shape is made of. Zero-initialise, then set kind and what that kind reads. Lengths in metres, from 1e-9 to 1e6.
typedef struct couShapeDef {
    couShapeKind kind;
    couVec3 axis;          ///< plane normal; need not be unit
    couVec3 size;          ///< box edge lengths, each > 0 (z is ignored in 2D worlds)
    float rounding;        ///< box, 0 (sharp) to half of its smallest edge length
    float radius;          ///< > 0
    float radius2;         ///< cone >= 0, torus > 0 and < radius
    float height;          ///< > 0
    float thickness;       ///< shell, > 0
    bool is_open;          ///< shell without its top (+y): a glass, a tank
    const couVec3 *points; ///< polygon, 3 to 4096, either way round, no crossing edges; z is ignored
    int point_count;
    const int *outlines;       ///< polygon: how many points each outline has, 3 or more; one within another is a hole in it
    int outline_count;         ///< 0: all points are one outline
    couShape *const *children; ///< at most 32 levels deep
    int child_count;           ///< 1 for shell and placed, 1 to 4096 for union, difference and intersection
    couPose pose;              ///< of cou_shapePlaced; rotation must be unit
    couDistanceGrid *grid;     ///< of cou_shapeMesh; retained
} couShapeDef;

/// NULL, with faults added, when the def is wrong. Retains its children; the caller keeps its own references. A difference or
/// intersection is looked through once, which takes some milliseconds: nothing left, or a part that is cut off flush with a face
/// of another (which would leave a face without a solid there) is a fault, unless that does not matter in the plane.
COU_API couShape *couCreateShape(const couShapeDef *def, couFaults *faults);
COU_API couShape *couShape_Retain(couShape *shape);
COU_API void couShape_Release(couShape *shape); ///< NULL is fine

/// Signed distance [m], negative inside; never larger than the true distance (so spheres of that radius are free).
/// Exact for all but shells and unions seen from inside their solid, open shells that have no flat top or narrow towards it, and
/// differences and intersections seen from outside near the edges where their parts meet: there it is a lower bound.
/// In 2D give dimension 2: z is ignored and the shape is its cut with the plane z = 0.
COU_API float couShape_Distance(const couShape *shape, int dimension, couVec3 point);
/// Distance and outward unit normal (the gradient).
COU_API float couShape_DistanceNormal(const couShape *shape, int dimension, couVec3 point, couVec3 *normal);
/// A tangent plane of the solid.
typedef struct couPlane {
    couVec3 normal; ///< unit, out of the solid
    float distance; ///< of the point asked for [m]
} couPlane;

/// The tangent planes closer than `reach` to the point: the nearest one, but each wall for itself in the corners of a hollow
/// box or cylinder, also one that a difference takes away, and each part of a union. Returns how many, at most `capacity`.
COU_API int couShape_Planes(const couShape *shape, int dimension, couVec3 point, float reach, couPlane *planes, int capacity);
/// False for unbounded shapes (a plane or a union that has one). Of differences and intersections the box may be too large.
COU_API bool couShape_Bounds(const couShape *shape, int dimension, couBounds *bounds);
/// True when the segment from a to b, both outside, meets the solid; touching it (to a millionth of the largest coordinate) is
/// no hit. True also when an end is inside, or not finite.
COU_API bool couShape_SegmentHits(const couShape *shape, int dimension, couVec3 a, couVec3 b);
/// A number that is the same for two points in one convex part of the free space, 0 when not known: such points see each other.
COU_API uint32_t couShape_FreePocket(const couShape *shape, int dimension, couVec3 point);
/// The thinnest wall of the solid [m]; infinity for a half-space, 0 for a disk.
COU_API float couShape_Thinness(const couShape *shape);
/// How far one can go in any direction from a point at this distance (its amount) without meeting the surface: all of it for
/// formulas, a little less for a mesh, whose distances are interpolated.
COU_API float couShape_Clearance(const couShape *shape, float distance);
/// Volume, centre of mass and inertia for density 1: by formula for single shapes and closed meshes, by sampling for shells,
/// unions of parts that overlap, differences and intersections (to about 1e-3). False without bounds or volume.
COU_API bool couShape_Mass(const couShape *shape, int dimension, couMassProperties *mass);
COU_API bool couShape_IsConvex(const couShape *shape);
/// True when it can be used in the plane only: what a difference takes away ends flush with the rest along z.
COU_API bool couShape_IsFlat(const couShape *shape);
COU_API couShapeKind couShape_Kind(const couShape *shape);
/// What it was made from; points and children are the shape's own and live as long as it does.
COU_API const couShapeDef *couShape_Def(const couShape *shape);
/// Emitter outlines only: area of a disk, or a polygon's face [m^2] (length [m] in 2D). 0 for all else, as for a polygon
/// in 2D, whose jet would leave the plane. Looks through poses.
COU_API float couShape_FaceArea(const couShape *shape, int dimension);

/// The surface of the solid, for pictures and files: triangles, closed and turned outward; in 2D segments, the solid to their
/// left. Vertices and indices alone. By formula for single shapes and for shells of those that are round or boxes; a mesh is its
/// own triangles; unions of parts that touch and all else on a grid of `cell` [m] (0: chosen), which keeps edges sharp. Planes,
/// which have no end, are cut off at `clip` [m]. Free with couSurface_Clear(). False with a fault without memory.
COU_API bool couShape_BuildSurface(const couShape *shape, int dimension, float cell, couBounds clip, couSurface *surface,
                                   couFaults *faults);

#ifdef __cplusplus
}
#endif
