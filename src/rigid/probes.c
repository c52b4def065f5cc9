// Contacts between bodies from their distance functions.
//
// Each shape has probes: balls that lie just inside its surface, at its corners, along its edges, or spread over it. The centre
// of a ball is asked for its distance to the other shape; where that is less than the radius, they touch. Since the centre lies
// a little inside its own shape, it stays outside of the other one as long as the overlap is small, and there distances are
// smooth and their gradients point the right way; with points on the surface itself, the corners of two equal boxes on top of
// each other would have their nearest face chosen by rounding. Balls and capsules are exact; edges that cross are found where
// probes sit on them. What is round about an axis has a few balls on each rim to stand on, and one that goes around to where
// the rim is deepest: with the fixed ones alone a wheel would be a polygon, and not roll down a slope of less than 5 degrees.

#include "rigid/probes.h"
#include "shape/triangle_tree.h"

#include <math.h>

enum { EDGE_PARTS = 6, RIM_PARTS = 32, LATTICE = 24, MOST_PROBES = 4096, MOST_CANDIDATES = 1024, MOST_NORMALS = 16 };
#define INSET 0.02f // depth of a probe's centre / half of the smallest extent

static bool add_ring(couProbes *probes, couVec3 center, float radius, float ring)
{
    if (probes->count >= MOST_PROBES) return true;
    if (!COU_RESERVE(probes->memory, probes, probes->count + 1)) return false;
    probes->items[probes->count++] = (couProbe){center, radius, {0, 1, 0}, ring};
    return true;
}

static bool add_probe(couProbes *probes, couVec3 center, float radius) { return add_ring(probes, center, radius, 0.0f); }

// --- Probes of each kind -----------------------------------------------------------------------------------------------------

// Of a rounded box the balls are its edges themselves, as long as they are not smaller.
static bool add_box(couProbes *probes, couVec3 size, float rounding, int dimension)
{
    couVec3 half = couScale(0.5f, size);
    float least = dimension == 2 ? fminf(half.x, half.y) : fminf(half.x, fminf(half.y, half.z));
    float inset = fmaxf(INSET * least, rounding);
    couVec3 in = {half.x - inset, half.y - inset, dimension == 2 ? 0.0f : half.z - inset};
    int last_z = dimension == 2 ? 0 : EDGE_PARTS;
    bool is_good = true;
    for (int i = 0; i <= EDGE_PARTS; ++i)
        for (int j = 0; j <= EDGE_PARTS; ++j)
            for (int k = 0; k <= last_z; ++k) {
                int at_end = (i % EDGE_PARTS == 0) + (j % EDGE_PARTS == 0) + (dimension == 2 || k % EDGE_PARTS == 0);
                if (at_end < 2) continue; // edges and corners only
                couVec3 t = {2.0f * (float)i / EDGE_PARTS - 1.0f, 2.0f * (float)j / EDGE_PARTS - 1.0f,
                             2.0f * (float)k / EDGE_PARTS - 1.0f};
                is_good = is_good && add_probe(probes, (couVec3){t.x * in.x, t.y * in.y, t.z * in.z}, inset);
            }
    return is_good;
}

static bool add_capsule(couProbes *probes, float radius, float height)
{
    int parts = (int)fminf(ceilf(height / radius), 32.0f);
    bool is_good = true;
    for (int k = 0; k <= parts && is_good; ++k)
        is_good = add_probe(probes, (couVec3){0, height * ((float)k / (float)parts - 0.5f), 0}, radius);
    return is_good;
}

// Rings of probes on a body of revolution whose radius goes from r0 at the bottom to r1 at the top.
static bool add_rings(couProbes *probes, float r0, float r1, float height, int dimension)
{
    float most = fmaxf(r0, r1), inset = INSET * fminf(most, 0.5f * height);
    int rings = 1 + (int)fminf(ceilf(height / (2.0f * most)), 8.0f), around = dimension == 2 ? 2 : RIM_PARTS;
    bool is_good = true;
    for (int k = 0; k <= rings; ++k) {
        float t = (float)k / (float)rings, r = r0 + t * (r1 - r0) - inset;
        float y = (0.5f * height - inset) * (2.0f * t - 1.0f);
        if (r <= 0.0f) {
            is_good = is_good && add_probe(probes, (couVec3){0, y, 0}, inset);
            continue;
        }
        if (dimension == 3) is_good = is_good && add_ring(probes, (couVec3){0, y, 0}, inset, r);
        for (int a = 0; a < around && is_good; ++a) {
            double angle = 2 * COU_PI * a / around;
            is_good = add_probe(probes, (couVec3){r * (float)cos(angle), y, r * (float)sin(angle)}, inset);
        }
    }
    return is_good;
}

static bool add_torus(couProbes *probes, float radius, float tube, int dimension)
{
    int around = dimension == 2 ? 2 : RIM_PARTS;
    bool is_good = dimension == 2 || add_ring(probes, (couVec3){0}, tube, radius);
    for (int a = 0; a < around && is_good; ++a) {
        double angle = 2 * COU_PI * a / around;
        is_good = add_probe(probes, (couVec3){radius * (float)cos(angle), 0, radius * (float)sin(angle)}, tube);
    }
    return is_good;
}

// Sinks a point of the surface to where a ball around it just touches the surface from within.
static bool add_sunken(couProbes *probes, const couShape *shape, int dimension, couVec3 p, float inset)
{
    for (int k = 0; k < 12; ++k) {
        couVec3 normal;
        float d = couShape_DistanceNormal(shape, dimension, p, &normal);
        if (fabsf(d + inset) < 0.05f * inset) break;
        p = couMulAdd(p, -(d + inset), normal);
    }
    float depth = -couShape_Distance(shape, dimension, p);
    if (!(depth > 0.0f)) return true; // a part thinner than the inset
    return add_probe(probes, p, depth);
}

static float smallest_extent(couBounds bounds, int dimension)
{
    couVec3 size = couSub(bounds.upper, bounds.lower);
    return dimension == 2 ? fminf(size.x, size.y) : fminf(size.x, fminf(size.y, size.z));
}

static bool add_polygon(couProbes *probes, const couShape *shape, int dimension)
{
    const couShapeDef *def = couShape_Def(shape);
    couBounds bounds;
    if (!couShape_Bounds(shape, dimension, &bounds)) return true;
    float inset = 0.5f * INSET * smallest_extent(bounds, dimension);
    bool is_good = true;
    for (int k = 0, first = 0, outline = 0; k < def->point_count && is_good; ++k) {
        int end = first + (def->outline_count > 0 ? def->outlines[outline] : def->point_count);
        couVec3 a = def->points[k], b = def->points[k + 1 < end ? k + 1 : first];
        if (k + 1 == end) first = end, ++outline;
        for (int part = 0; part < EDGE_PARTS && is_good; ++part) {
            couVec3 p = couMulAdd(a, (float)part / EDGE_PARTS, couSub(b, a));
            for (int side = -1; side <= 1 && is_good; side += 2) {
                p.z = dimension == 2 ? 0.0f : (float)side * (0.5f * def->height - inset);
                is_good = add_sunken(probes, shape, dimension, p, inset);
                if (dimension == 2) break;
            }
        }
    }
    return is_good;
}

// Spread over the surface of anything: nodes of a lattice near the surface go to it, one for each cell.
static bool add_spread(couProbes *probes, const couShape *shape, int dimension)
{
    couBounds bounds;
    if (!couShape_Bounds(shape, dimension, &bounds)) return true;
    couVec3 size = couSub(bounds.upper, bounds.lower);
    float largest = fmaxf(size.x, fmaxf(size.y, dimension == 2 ? 0.0f : size.z)), cell = largest / LATTICE;
    if (!(cell > 0.0f)) return true;
    float inset = fminf(INSET * smallest_extent(bounds, dimension), 0.25f * couShape_Thinness(shape));
    inset = fmaxf(inset, 1e-4f * largest);
    int nx = (int)ceilf(size.x / cell), ny = (int)ceilf(size.y / cell), nz = dimension == 2 ? 1 : (int)ceilf(size.z / cell);
    bool is_good = true;
    for (int k = 0; k < nz; ++k)
        for (int j = 0; j < ny; ++j)
            for (int i = 0; i < nx && is_good; ++i) {
                couVec3 t = {((float)i + 0.5f) * cell, ((float)j + 0.5f) * cell, ((float)k + 0.5f) * cell};
                couVec3 p = couAdd(bounds.lower, t), normal;
                if (dimension == 2) p.z = 0.0f;
                float d = couShape_DistanceNormal(shape, dimension, p, &normal);
                if (fabsf(d) > 0.7f * cell) continue;
                is_good = add_sunken(probes, shape, dimension, couMulAdd(p, -d, normal), inset);
            }
    return is_good;
}

// Of each lattice cell the vertex of the mesh that is farthest from the middle: its corners and tips.
static bool add_mesh_tips(couProbes *probes, const couShape *shape)
{
    const couMesh *mesh = couDistanceGrid_Mesh(couShape_Def(shape)->grid);
    couBounds bounds = couMesh_Bounds(mesh);
    couVec3 size = couSub(bounds.upper, bounds.lower), middle = couScale(0.5f, couAdd(bounds.lower, bounds.upper));
    float cell = fmaxf(size.x, fmaxf(size.y, size.z)) / LATTICE;
    float inset = fmaxf(0.5f * INSET * smallest_extent(bounds, 3), 0.5f * couDistanceGrid_Cell(couShape_Def(shape)->grid));
    enum { ROW = LATTICE + 1 };
    uint32_t *best1 = couAlloc(probes->memory, (size_t)ROW * ROW * ROW * sizeof *best1);
    if (!best1) return false;
    const couVec3 *vertices = couMesh_Vertices(mesh);
    for (uint32_t v = 0; v < couMesh_VertexCount(mesh); ++v) {
        couVec3 t = couScale(1.0f / cell, couSub(vertices[v], bounds.lower));
        if (!(t.x >= 0 && t.y >= 0 && t.z >= 0 && t.x < ROW && t.y < ROW && t.z < ROW)) continue; // used by no triangle
        uint32_t *slot = &best1[((int)t.z * ROW + (int)t.y) * ROW + (int)t.x];
        if (*slot && couLength(couSub(vertices[*slot - 1], middle)) >= couLength(couSub(vertices[v], middle))) continue;
        *slot = v + 1;
    }
    bool is_good = true;
    for (int s = 0; s < ROW * ROW * ROW && is_good; ++s)
        if (best1[s]) is_good = add_sunken(probes, shape, 3, vertices[best1[s] - 1], inset);
    couFree(probes->memory, best1);
    return is_good;
}

// Between its nodes a grid rounds edges off, by up to 0.3 of a cell; the triangles themselves say how large the balls may be.
static bool fit_to_triangles(couProbes *probes, size_t first, const couMesh *mesh)
{
    size_t count = couMesh_TriangleCount(mesh);
    couTriangle *triangles = couAlloc(probes->memory, count * sizeof *triangles);
    couTriangleTree tree = {0};
    if (!triangles) return false;
    const couVec3 *vertices = couMesh_Vertices(mesh);
    const uint32_t *corners = couMesh_Triangles(mesh);
    for (size_t t = 0; t < count; ++t)
        triangles[t] = (couTriangle){vertices[corners[3 * t]], vertices[corners[3 * t + 1]], vertices[corners[3 * t + 2]]};
    bool is_good = couTriangleTree_Build(&tree, triangles, count);
    couFree(probes->memory, triangles);
    if (!is_good) return false;
    uint32_t leaf = 0;
    for (size_t k = first; k < probes->count; ++k) {
        couProbe *probe = &probes->items[k];
        probe->radius = fmaxf(probe->radius, couTriangleTree_Distance(&tree, probe->center, &leaf));
    }
    couTriangleTree_Free(&tree);
    return true;
}

static bool add_mesh(couProbes *probes, const couShape *shape, int dimension)
{
    size_t first = probes->count;
    return add_mesh_tips(probes, shape) && add_spread(probes, shape, dimension) &&
           fit_to_triangles(probes, first, couDistanceGrid_Mesh(couShape_Def(shape)->grid));
}

bool couProbes_AddShape(couProbes *probes, const couShape *shape, int dimension)
{
    const couShapeDef *def = couShape_Def(shape);
    size_t first = probes->count;
    switch (def->kind) {
    case cou_shapePlane:
    case cou_shapeDisk: return true;
    case cou_shapeBox: return add_box(probes, def->size, def->rounding, dimension);
    case cou_shapeSphere: return add_probe(probes, (couVec3){0}, def->radius);
    case cou_shapeCapsule: return add_capsule(probes, def->radius, def->height);
    case cou_shapeCylinder: return add_rings(probes, def->radius, def->radius, def->height, dimension);
    case cou_shapeCone: return add_rings(probes, def->radius, def->radius2, def->height, dimension);
    case cou_shapeTorus: return add_torus(probes, def->radius, def->radius2, dimension);
    case cou_shapePolygon: return add_polygon(probes, shape, dimension);
    case cou_shapeMesh: return add_mesh(probes, shape, dimension);
    case cou_shapeShell:
    case cou_shapeDifference:
    case cou_shapeIntersection: return add_spread(probes, shape, dimension);
    case cou_shapeUnion:
        for (int k = 0; k < def->child_count; ++k)
            if (!couProbes_AddShape(probes, def->children[k], dimension)) return false;
        return true;
    case cou_shapePlaced:
        if (!couProbes_AddShape(probes, def->children[0], dimension)) return false;
        for (size_t k = first; k < probes->count; ++k) {
            probes->items[k].center = couToWorld(def->pose, probes->items[k].center);
            probes->items[k].axis = couRotate(def->pose.rotation, probes->items[k].axis);
        }
        return true;
    }
    return true;
}

// --- Pairs -------------------------------------------------------------------------------------------------------------------

// Where on its ring a probe of a is deepest in b, in the world: towards b from the middle, then from there once more. False
// where the ring lies flat on b.
static bool go_around(couPose pose, couProbe probe, couTouching b, int dimension, couVec3 *center)
{
    couVec3 middle = *center, axis = couRotate(pose.rotation, probe.axis);
    for (int k = 0; k < 3; ++k) {
        couVec3 normal;
        couShape_DistanceNormal(b.shape, dimension, couToLocal(b.pose, *center), &normal);
        normal = couRotate(b.pose.rotation, normal);
        couVec3 out = couMulAdd(normal, -couDot(normal, axis), axis);
        float length = couLength(out);
        if (!(length > 1e-3f)) return false;
        *center = couMulAdd(middle, -probe.ring / length, out);
    }
    return true;
}

// Overlaps of a's probes with b, normals out of b.
static int feel(couTouching a, couTouching b, int dimension, couRigidContact *found, bool *is_deep, int capacity)
{
    int count = 0;
    for (size_t k = 0; k < a.probes->count && count < capacity; ++k) {
        couProbe probe = a.probes->items[k];
        couVec3 center = couToWorld(a.pose, probe.center), normal;
        if (probe.ring > 0.0f && !go_around(a.pose, probe, b, dimension, &center)) continue;
        couVec3 local = couToLocal(b.pose, center);
        if (couShape_Distance(b.shape, dimension, local) >= probe.radius) continue;
        float distance = couShape_DistanceNormal(b.shape, dimension, local, &normal);
        normal = couRotate(b.pose.rotation, normal);
        float depth = probe.radius - distance;
        couVec3 point = couMulAdd(center, -(probe.radius - 0.5f * depth), normal);
        if (dimension == 2) point.z = 0.0f;
        is_deep[count] = distance < 0.0f;
        found[count++] = (couRigidContact){.point = point, .normal = normal, .depth = depth};
    }
    return count;
}

// The normal at a probe need not be that of the contact. Where edges of two boxes lie above each other, the ball of one touches
// the edge of the other aslant; two such contacts on opposite sides make a wedge that lifts a box by ten times the overlap. And
// a probe whose centre is inside points to the nearest face there, not to the one that it came through: equal boxes that
// overlap deeply would be pushed to all sides at once. Convex shapes therefore have one normal for all contacts of a pair, the
// shortest way out; of others contacts that contradict the rest are dropped.

static bool is_convex(const couShape *shape)
{
    const couShapeDef *def = couShape_Def(shape);
    switch (def->kind) {
    case cou_shapeBox:
    case cou_shapeSphere:
    case cou_shapeCapsule:
    case cou_shapeCylinder:
    case cou_shapeCone: return true;
    case cou_shapePlaced: return is_convex(def->children[0]);
    default: return false;
    }
}

// How far the shape reaches along a direction of the world.
static float reach_along(couTouching side, couVec3 direction)
{
    couVec3 local = couRotate(couConjugate(side.pose.rotation), direction);
    float most = -INFINITY;
    for (size_t k = 0; k < side.probes->count; ++k) {
        const couProbe *probe = &side.probes->items[k];
        float reach = couDot(local, probe->center) + probe->radius;
        if (probe->ring > 0.0f) reach += probe->ring * couLength(couCross(local, probe->axis));
        most = fmaxf(most, reach);
    }
    return most + couDot(direction, side.pose.position);
}

static couVec3 axis_of(couTouching side, int k)
{
    return couRotate(side.pose.rotation, (couVec3){k == 0 ? 1.0f : 0.0f, k == 1 ? 1.0f : 0.0f, k == 2 ? 1.0f : 0.0f});
}

// Directions along which two convex shapes may come apart: axes of either, across two of them where edges cross, the normals
// found. Returns how many, each for both signs.
static int list_ways(couTouching a, couTouching b, int dimension, const couRigidContact *found, int count, couVec3 *ways)
{
    int n = 0;
    for (int k = 0; k < dimension; ++k) ways[n++] = axis_of(a, k), ways[n++] = axis_of(b, k);
    for (int k = 0; k < 9 && dimension == 3; ++k) {
        couVec3 across = couCross(axis_of(a, k / 3), axis_of(b, k % 3));
        if (couLength(across) > 1e-2f) ways[n++] = couNormalize(across);
    }
    int normals = COU_MIN(count, MOST_NORMALS);
    for (int k = 0; k < normals; ++k) ways[n++] = found[(size_t)k * (size_t)count / (size_t)normals].normal;
    return n;
}

// The direction, out of b, along which two convex shapes come apart soonest.
static couVec3 shortest_way(couTouching a, couTouching b, int dimension, const couRigidContact *found, int count)
{
    couVec3 ways[6 + 9 + MOST_NORMALS], best = {0, 1, 0};
    int n = list_ways(a, b, dimension, found, count, ways);
    float least = INFINITY;
    for (int k = 0; k < 2 * n; ++k) {
        couVec3 way = couScale(k & 1 ? -1.0f : 1.0f, ways[k / 2]);
        float overlap = reach_along(b, way) + reach_along(a, couScale(-1.0f, way));
        if (overlap < 0.999f * least) least = overlap, best = way;
    }
    return best;
}

// Convex shapes: all contacts push along the shortest way out.
static int align(couTouching a, couTouching b, int dimension, couRigidContact *found, const bool *is_deep, int count)
{
    couVec3 way = shortest_way(a, b, dimension, found, count);
    float top = reach_along(b, way), bottom = -reach_along(a, couScale(-1.0f, way));
    int kept = 0;
    for (int k = 0; k < count; ++k) {
        couRigidContact contact = found[k];
        if (is_deep[k]) {
            // The point lies between the two surfaces; what is still to go is at most their whole overlap.
            float height = couDot(way, contact.point);
            if (!(height > bottom && height < top)) continue;
            contact.depth = top - bottom;
        } else if (couDot(contact.normal, way) < 0.5f) {
            continue; // aslant at an edge
        }
        contact.normal = way;
        found[kept++] = contact;
    }
    return kept;
}

// Others: of the deep contacts only those stay that agree with the most of them, weighed by depth.
static int drop_contrary(couRigidContact *found, const bool *is_deep, int count)
{
    couVec3 sum = {0};
    int deepest = -1;
    for (int k = 0; k < count; ++k) {
        if (!is_deep[k]) continue;
        sum = couMulAdd(sum, found[k].depth, found[k].normal);
        if (deepest < 0 || found[k].depth > found[deepest].depth) deepest = k;
    }
    // One inside the other, all around: any way out will do.
    if (couLength(sum) < 0.1f * found[deepest].depth) sum = found[deepest].normal;
    couVec3 way = couNormalize(sum);
    int kept = 0;
    for (int k = 0; k < count; ++k)
        if (!is_deep[k] || couDot(found[k].normal, way) > 0.3f) found[kept++] = found[k];
    return kept;
}

// The deepest first, then always the one farthest from those that were taken.
static int choose_spread(couRigidContact *found, int count, couRigidContact *chosen, int capacity)
{
    if (count == 0) return 0;
    float nearest[2 * MOST_CANDIDATES];
    int best = 0;
    for (int k = 0; k < count; ++k) {
        nearest[k] = INFINITY;
        if (found[k].depth > found[best].depth) best = k;
    }
    int taken = 0;
    while (taken < capacity) {
        chosen[taken++] = found[best];
        int next = -1;
        for (int k = 0; k < count; ++k) {
            nearest[k] = fminf(nearest[k], couLength(couSub(found[k].point, found[best].point)));
            if (nearest[k] > 0.0f && (next < 0 || nearest[k] > nearest[next])) next = k;
        }
        if (next < 0) break;
        best = next;
    }
    return taken;
}

int couFindPairContacts(couTouching a, couTouching b, int dimension, couRigidContact *contacts)
{
    couRigidContact found[2 * MOST_CANDIDATES];
    bool is_deep[2 * MOST_CANDIDATES];
    int count = feel(a, b, dimension, found, is_deep, MOST_CANDIDATES);
    int total = count + feel(b, a, dimension, found + count, is_deep + count, MOST_CANDIDATES);
    for (int k = count; k < total; ++k) found[k].normal = couScale(-1.0f, found[k].normal);
    bool has_deep = false;
    for (int k = 0; k < total; ++k) has_deep |= is_deep[k];
    if (total > 0 && is_convex(a.shape) && is_convex(b.shape))
        total = align(a, b, dimension, found, is_deep, total);
    else if (has_deep)
        total = drop_contrary(found, is_deep, total);
    return choose_spread(found, total, contacts, COU_MAX_PAIR_CONTACTS);
}
