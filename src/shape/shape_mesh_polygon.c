// Surfaces of polygons: a wall along each outline and, in 3D, two faces, which are cut into triangles ear by ear. An outline with
// holes becomes one ring for that: from each hole's rightmost corner a bridge goes to a corner of the ring that it sees, out and
// back [Eberly 2008, Triangulation by Ear Clipping, sect. 3].
#include "shape/shape_mesh.h"

#include "shape/shape_data.h"

// Corners of one face in order around it, counter-clockwise; the ends of bridges are in it twice.
typedef struct Ring {
    const couVec3 *points;
    int *corners; // numbers of points
    int *next;
    int count;
} Ring;

static double turn(couVec3 a, couVec3 b, couVec3 c)
{
    return ((double)b.x - a.x) * ((double)c.y - a.y) - ((double)b.y - a.y) * ((double)c.x - a.x);
}

static bool holds(couVec3 a, couVec3 b, couVec3 c, couVec3 p)
{
    return turn(a, b, p) >= 0.0 && turn(b, c, p) >= 0.0 && turn(c, a, p) >= 0.0;
}

static couVec3 corner_at(const Ring *ring, int i) { return ring->points[ring->corners[i]]; }

// --- Holes -------------------------------------------------------------------------------------------------------------------

// Point i of an outline, counter-clockwise around what it encloses, or clockwise.
static int outline_point(const couShapeOutline *outline, int i, bool is_reversed)
{
    i = (i % outline->count + outline->count) % outline->count;
    return outline->first + (is_reversed ? outline->count - 1 - i : i);
}

// Place in the ring of a corner that is seen from p, which is within the ring: the end of the edge that a ray to the right meets
// first, or the corner that hides it, of those in the way the one at the smallest angle to the ray.
static int find_visible(const Ring *ring, couVec3 p)
{
    double nearest = INFINITY;
    int seen = 0;
    for (int i = 0; i < ring->count; ++i) {
        couVec3 a = corner_at(ring, i), b = corner_at(ring, (i + 1) % ring->count);
        if ((a.y > p.y) == (b.y > p.y)) continue;
        double x = a.x + ((double)p.y - a.y) / ((double)b.y - a.y) * ((double)b.x - a.x);
        if (x < p.x || !(x < nearest)) continue;
        nearest = x;
        seen = a.x > b.x ? i : (i + 1) % ring->count;
    }
    couVec3 hit = {(float)nearest, p.y, 0.0f}, end = corner_at(ring, seen);
    double least = INFINITY;
    int best = seen;
    for (int i = 0; i < ring->count; ++i) {
        couVec3 q = corner_at(ring, i);
        bool is_below = end.y < p.y;
        if (!holds(p, is_below ? end : hit, is_below ? hit : end, q) || !(q.x > p.x)) continue;
        // Of the two sides of a bridge that end at one place, the one whose corner opens towards p.
        couVec3 before = corner_at(ring, (i + ring->count - 1) % ring->count), after = corner_at(ring, (i + 1) % ring->count);
        bool is_convex = turn(before, q, after) > 0.0;
        bool is_open = is_convex ? turn(before, q, p) > 0.0 && turn(q, after, p) > 0.0
                                 : turn(before, q, p) > 0.0 || turn(q, after, p) > 0.0;
        double slope = fabs((double)q.y - p.y) / ((double)q.x - p.x);
        if (!is_open || !(slope < least)) continue;
        least = slope;
        best = i;
    }
    return best;
}

static void add_hole(Ring *ring, const couShapeOutline *hole, bool is_reversed)
{
    int rightmost = 0;
    for (int i = 1; i < hole->count; ++i) {
        couVec3 p = ring->points[outline_point(hole, i, is_reversed)],
                most = ring->points[outline_point(hole, rightmost, is_reversed)];
        if (p.x > most.x) rightmost = i;
    }
    int seen = find_visible(ring, ring->points[outline_point(hole, rightmost, is_reversed)]);
    int added = hole->count + 2;
    memmove(ring->corners + seen + 1 + added, ring->corners + seen + 1, (size_t)(ring->count - seen - 1) * sizeof *ring->corners);
    for (int i = 0; i <= hole->count; ++i) ring->corners[seen + 1 + i] = outline_point(hole, rightmost + i, is_reversed);
    ring->corners[seen + added] = ring->corners[seen];
    ring->count += added;
}

static float rightmost_of(const couShapeOutline *outline) { return outline->upper_x; }

// The ring of outline k: its holes from right to left, so that each sees the ring or one that is in it already.
static void make_ring(const couShape *shape, int k, Ring *ring)
{
    const couShapeOutline *outlines = shape->polygon.outlines;
    ring->count = outlines[k].count;
    for (int i = 0; i < ring->count; ++i) ring->corners[i] = outline_point(&outlines[k], i, outlines[k].winding < 0);
    float last = INFINITY;
    int last_hole = -1;
    for (;;) {
        int hole = -1;
        for (int l = 0; l < shape->polygon.outline_count; ++l) {
            if (outlines[l].parent != k) continue;
            float x = rightmost_of(&outlines[l]);
            bool is_done = x > last || (x == last && l <= last_hole);
            if (!is_done && (hole < 0 || x > rightmost_of(&outlines[hole]))) hole = l;
        }
        if (hole < 0) return;
        last = rightmost_of(&outlines[hole]);
        last_hole = hole;
        add_hole(ring, &outlines[hole], outlines[hole].winding < 0);
    }
}

// --- Faces -------------------------------------------------------------------------------------------------------------------

// Whether the corner can be cut off: it is convex and no other corner lies in its triangle.
static bool is_ear(const Ring *ring, int before, int corner, int after)
{
    couVec3 a = corner_at(ring, before), b = corner_at(ring, corner), c = corner_at(ring, after);
    if (!(turn(a, b, c) > 0.0)) return false;
    for (int i = ring->next[after]; i != before; i = ring->next[i]) {
        couVec3 p = corner_at(ring, i);
        bool is_corner = memcmp(&p, &a, 8) == 0 || memcmp(&p, &b, 8) == 0 || memcmp(&p, &c, 8) == 0;
        if (!is_corner && holds(a, b, c, p)) return false;
    }
    return true;
}

// Both faces of the extruded polygon by cutting ears off.
static void fill_faces(couShapeMesher *mesher, Ring *ring, uint32_t front, uint32_t back)
{
    for (int i = 0; i < ring->count; ++i) ring->next[i] = (i + 1) % ring->count;
    int before = ring->count - 1, left = ring->count, tries = 0;
    while (left > 2) {
        int corner = ring->next[before], after = ring->next[corner];
        // After a full round without an ear, all that is left is flat: any corner will do.
        if (!is_ear(ring, before, corner, after) && tries++ < left) {
            before = corner;
            continue;
        }
        uint32_t a = (uint32_t)ring->corners[before], b = (uint32_t)ring->corners[corner], c = (uint32_t)ring->corners[after];
        couShapeMesher_AddTriangle(mesher, front + a, front + b, front + c);
        couShapeMesher_AddTriangle(mesher, back + c, back + b, back + a);
        ring->next[before] = after;
        --left;
        tries = 0;
    }
}

// The wall along an outline, or the line itself, with the solid to its left.
static void add_wall(couShapeMesher *mesher, const couShapeOutline *outline, uint32_t front, uint32_t back)
{
    for (int i = 0; i < outline->count && !mesher->is_short; ++i) {
        uint32_t a = (uint32_t)outline_point(outline, i, outline->winding < 0);
        uint32_t b = (uint32_t)outline_point(outline, i + 1, outline->winding < 0);
        if (mesher->dimension == 2) {
            couShapeMesher_AddSegment(mesher, front + a, front + b);
            continue;
        }
        couShapeMesher_AddTriangle(mesher, front + a, back + a, front + b);
        couShapeMesher_AddTriangle(mesher, front + b, back + a, back + b);
    }
}

void couShapeMesher_AddPolygon(couShapeMesher *mesher, const couShape *polygon)
{
    const couVec3 *points = polygon->def.points;
    int count = polygon->def.point_count;
    size_t most = (size_t)count + 2 * (size_t)polygon->polygon.outline_count; // two more for each bridge
    float half = mesher->dimension == 2 ? 0.0f : polygon->polygon.half_height;
    uint32_t front = (uint32_t)mesher->surface->vertex_count, back = front + (uint32_t)count;
    for (int i = 0; i < count; ++i) couShapeMesher_AddVertex(mesher, (couVec3){points[i].x, points[i].y, half});
    for (int i = 0; mesher->dimension == 3 && i < count; ++i)
        couShapeMesher_AddVertex(mesher, (couVec3){points[i].x, points[i].y, -half});
    for (int k = 0; k < polygon->polygon.outline_count; ++k) add_wall(mesher, &polygon->polygon.outlines[k], front, back);
    if (mesher->dimension == 2) return;

    Ring ring = {.points = points};
    ring.corners = couAlloc(NULL, most * sizeof *ring.corners);
    ring.next = couAlloc(NULL, most * sizeof *ring.next);
    mesher->is_short |= !ring.corners || !ring.next;
    for (int k = 0; k < polygon->polygon.outline_count && !mesher->is_short; ++k) {
        if (polygon->polygon.outlines[k].parent >= 0) continue;
        make_ring(polygon, k, &ring);
        fill_faces(mesher, &ring, front, back);
    }
    couFree(NULL, ring.corners);
    couFree(NULL, ring.next);
}
