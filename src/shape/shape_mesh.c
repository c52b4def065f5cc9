// Surfaces of shapes as triangles or, in 2D, segments: for pictures and for other programs.
//
// What turns about y is swept: a chain of points in the half-plane (r, y) from one end of the axis to the other, with the
// solid to its left, pushed out by a radius with arcs at its corners. A sphere is the chain of one point pushed out by its
// radius, a capsule that of two, a cylinder and a cone are chains pushed out by nothing; a box is a capsule's chain swept
// around a rectangle instead of a point, pushed out by its rounding. A shell is the same chain pushed out by the wall, and the
// chain itself backwards; an open one stops at the top and goes down inside in one sweep. The same chains, mirrored, are the
// outlines in 2D. Polygons are in shape_mesh_polygon.c. Everything else, shells of polygons and meshes, unions of parts that
// overlap, differences and intersections, goes through a grid (shape_mesh_grid.c).
#include "shape/shape_mesh.h"

#include "shape/shape_data.h"

enum {
    quarter_steps = 16, // of a full circle's quarter: 64 corners, chords within 0.12 % of the radius
    max_chain = 512,
};

// --- The growing surface -----------------------------------------------------------------------------------------------------

uint32_t couShapeMesher_AddVertex(couShapeMesher *mesher, couVec3 local)
{
    couSurface *s = mesher->surface;
    if (s->vertex_count >= UINT32_MAX || !COU_GROW(NULL, s->vertices, mesher->vertex_capacity, s->vertex_count + 1)) {
        mesher->is_short = true;
        return 0;
    }
    s->vertices[s->vertex_count] = couToWorld(mesher->pose, local);
    if (mesher->dimension == 2) s->vertices[s->vertex_count].z = 0.0f;
    return (uint32_t)s->vertex_count++;
}

static uint32_t *add_element(couShapeMesher *mesher)
{
    couSurface *s = mesher->surface;
    size_t used = s->element_count * (size_t)s->dimension;
    if (!COU_GROW(NULL, s->indices, mesher->index_capacity, used + (size_t)s->dimension)) {
        mesher->is_short = true;
        return NULL;
    }
    ++s->element_count;
    return s->indices + used;
}

void couShapeMesher_AddTriangle(couShapeMesher *mesher, uint32_t a, uint32_t b, uint32_t c)
{
    if (a == b || b == c || c == a) return;
    uint32_t *corners = add_element(mesher);
    if (corners) corners[0] = a, corners[1] = b, corners[2] = c;
}

void couShapeMesher_AddSegment(couShapeMesher *mesher, uint32_t a, uint32_t b)
{
    if (a == b) return;
    uint32_t *ends = add_element(mesher);
    if (ends) ends[0] = a, ends[1] = b;
}

// --- Chains ------------------------------------------------------------------------------------------------------------------

typedef struct Point {
    float r, y; // [m]
} Point;

typedef struct Chain {
    Point points[max_chain];
    int count;
    bool is_ring; // closed by itself, away from the axis
} Chain;

static void append(Chain *chain, float r, float y)
{
    if (chain->count > 0) {
        Point last = chain->points[chain->count - 1];
        if (fabsf(last.r - r) + fabsf(last.y - y) <= 1e-7f * (fabsf(r) + fabsf(y))) return;
    }
    if (chain->count < max_chain) chain->points[chain->count++] = (Point){COU_MAX(r, 0.0f), y};
}

// The circle about the corner from one angle to another, counter-clockwise, both included.
static void append_arc(Chain *chain, Point corner, float radius, double from, double to, int steps_per_quarter)
{
    int steps = COU_MAX(1, (int)ceil((to - from) / (0.5 * COU_PI) * steps_per_quarter - 1e-6));
    for (int i = 0; i <= steps; ++i) {
        double angle = from + (to - from) * i / steps, across = cos(angle);
        if (fabs(across) < 1e-9) across = 0.0; // ends of the chain are on the axis, not beside it
        append(chain, corner.r + radius * (float)across, corner.y + radius * (float)sin(angle));
    }
}

// The chain of a shape, from the lower end of its axis to the upper, before it is pushed out by `radius`.
typedef struct Core {
    Point points[4];
    int count;
    float radius;         // [m]
    float half_x, half_z; // of the rectangle that takes the place of the axis [m]
    bool is_ring;         // a circle of `radius` about points[0]
} Core;

static bool find_core(const couShape *shape, Core *core)
{
    *core = (Core){0};
    float r = shape->round.radius, h = shape->round.half_height;
    switch (shape->kind) {
    case cou_shapeSphere: *core = (Core){.points = {{0, 0}}, .count = 1, .radius = r}; return true;
    case cou_shapeCapsule: *core = (Core){.points = {{0, -h}, {0, h}}, .count = 2, .radius = r}; return true;
    case cou_shapeCylinder: *core = (Core){.points = {{0, -h}, {r, -h}, {r, h}, {0, h}}, .count = 4}; return true;
    case cou_shapeDisk: *core = (Core){.points = {{0, 0}, {r, 0}, {0, 0}}, .count = 3}; return true;
    case cou_shapeBox: {
        // The rectangle must not vanish where the rounding takes all of a side.
        couVec3 half = shape->box.half;
        float least = 1e-4f * COU_MIN(half.x, half.z), rounding = shape->box.rounding;
        h = COU_MAX(half.y - rounding, 0.0f);
        *core = (Core){.points = {{0, -h}, {0, h}},
                       .count = 2,
                       .radius = rounding,
                       .half_x = COU_MAX(half.x - rounding, least),
                       .half_z = COU_MAX(half.z - rounding, least)};
        return true;
    }
    case cou_shapeCone:
        h = shape->cone.half_height;
        *core = (Core){.points = {{0, -h}, {shape->cone.radius, -h}, {shape->cone.radius2, h}, {0, h}}, .count = 4};
        if (!(shape->cone.radius2 > 0.0f)) core->count = 3;
        return true;
    case cou_shapeTorus:
        *core = (Core){.points = {{shape->torus.radius, 0}}, .count = 1, .radius = shape->torus.tube, .is_ring = true};
        return true;
    default: return false;
    }
}

// Pushes the core out by its radius and `more` [m].
static void push_out(const Core *core, float more, Chain *chain)
{
    *chain = (Chain){.is_ring = core->is_ring};
    float radius = core->radius + more;
    // Fewer corners on the narrow edge of a wall than around a ball.
    int steps = core->radius > 0.0f ? quarter_steps : 4;
    if (core->is_ring) {
        append_arc(chain, core->points[0], radius, -COU_PI, COU_PI, quarter_steps);
        if (chain->count > 1) --chain->count; // the last is the first
        return;
    }
    double angle = -0.5 * COU_PI; // of the outward normal
    for (int i = 0; i < core->count; ++i) {
        Point here = core->points[i];
        double next = 0.5 * COU_PI;
        if (i + 1 < core->count) {
            Point to = core->points[i + 1];
            next = atan2((double)(here.r - to.r), (double)(to.y - here.y));
        }
        if (radius > 0.0f)
            append_arc(chain, here, radius, angle, COU_MAX(next, angle), steps);
        else
            append(chain, here.r, here.y);
        angle = next;
    }
}

// The part below `top`, cut off with a flat end there.
static void cut_off(Chain *chain, float top)
{
    for (int i = 1; i < chain->count; ++i) {
        Point a = chain->points[i - 1], b = chain->points[i];
        if (!(b.y > top)) continue;
        float share = (top - a.y) / (b.y - a.y);
        chain->count = i;
        append(chain, a.r + share * (b.r - a.r), top);
        return;
    }
}

static void append_backwards(Chain *chain, const Chain *other)
{
    for (int i = other->count; i-- > 0;) append(chain, other->points[i].r, other->points[i].y);
}

// --- Sweeps ------------------------------------------------------------------------------------------------------------------

enum { max_around = 4 * (quarter_steps + 1) };

typedef struct Ring {
    uint32_t vertices[max_around];
} Ring;

// Corners of the ring: around a point all differ; around a rectangle each of its corners has both ends of its arc.
static int count_around(const Core *core) { return core->half_x > 0.0f ? max_around : 4 * quarter_steps; }

static void add_ring(couShapeMesher *mesher, const Core *core, Point point, Ring *ring)
{
    bool is_box = core->half_x > 0.0f;
    int per_quarter = is_box ? quarter_steps + 1 : quarter_steps;
    for (int i = 0; i < 4 * per_quarter; ++i) {
        int quarter = i / per_quarter, step = i % per_quarter;
        bool is_shared = !(point.r > 0.0f) && (is_box ? step > 0 : i > 0);
        if (is_shared) {
            ring->vertices[i] = ring->vertices[i - 1];
            continue;
        }
        double angle = 0.5 * COU_PI * (quarter + (double)step / quarter_steps);
        float x = quarter == 0 || quarter == 3 ? core->half_x : -core->half_x, z = quarter < 2 ? core->half_z : -core->half_z;
        couVec3 place = {x + point.r * (float)cos(angle), point.y, z + point.r * (float)sin(angle)};
        ring->vertices[i] = couShapeMesher_AddVertex(mesher, place);
    }
}

static void join_rings(couShapeMesher *mesher, const Ring *a, const Ring *b, int count)
{
    for (int i = 0; i < count; ++i) {
        int next = (i + 1) % count;
        couShapeMesher_AddTriangle(mesher, a->vertices[i], b->vertices[i], a->vertices[next]);
        couShapeMesher_AddTriangle(mesher, a->vertices[next], b->vertices[i], b->vertices[next]);
    }
}

// The flat end of a sweep around a rectangle.
static void close_end(couShapeMesher *mesher, const Core *core, const Ring *ring, bool is_up)
{
    if (!(core->half_x > 0.0f)) return;
    uint32_t a = ring->vertices[0], b = ring->vertices[quarter_steps + 1], c = ring->vertices[2 * (quarter_steps + 1)];
    uint32_t d = ring->vertices[3 * (quarter_steps + 1)];
    couShapeMesher_AddTriangle(mesher, a, is_up ? c : b, is_up ? b : c);
    couShapeMesher_AddTriangle(mesher, a, is_up ? d : c, is_up ? c : d);
}

static void sweep(couShapeMesher *mesher, const Core *core, const Chain *chain)
{
    Ring first, last, ring;
    int around = count_around(core);
    for (int i = 0; i < chain->count; ++i) {
        add_ring(mesher, core, chain->points[i], &ring);
        if (i == 0)
            first = ring;
        else
            join_rings(mesher, &last, &ring, around);
        last = ring;
    }
    if (chain->is_ring) {
        join_rings(mesher, &last, &first, around);
    } else {
        close_end(mesher, core, &first, false);
        close_end(mesher, core, &last, true);
    }
}

// The chain and its mirror image, as one outline where it ends on the axis.
static void mirror(couShapeMesher *mesher, const Core *core, const Chain *chain)
{
    uint32_t right[max_chain], left[max_chain];
    for (int i = 0; i < chain->count; ++i) {
        float x = core->half_x + chain->points[i].r;
        right[i] = couShapeMesher_AddVertex(mesher, (couVec3){x, chain->points[i].y, 0.0f});
        left[i] = x > 0.0f ? couShapeMesher_AddVertex(mesher, (couVec3){-x, chain->points[i].y, 0.0f}) : right[i];
    }
    int last = chain->count - 1;
    for (int i = 0; i < last; ++i) {
        couShapeMesher_AddSegment(mesher, right[i], right[i + 1]);
        couShapeMesher_AddSegment(mesher, left[i + 1], left[i]);
    }
    couShapeMesher_AddSegment(mesher, right[last], chain->is_ring ? right[0] : left[last]);
    couShapeMesher_AddSegment(mesher, left[0], chain->is_ring ? left[last] : right[0]);
}

static void add_chain(couShapeMesher *mesher, const Core *core, const Chain *chain)
{
    if (chain->count == 0) return;
    if (mesher->dimension == 2)
        mirror(mesher, core, chain);
    else
        sweep(mesher, core, chain);
}

static void add_core(couShapeMesher *mesher, const Core *core)
{
    Chain chain;
    push_out(core, 0.0f, &chain);
    add_chain(mesher, core, &chain);
}

// --- Shells ------------------------------------------------------------------------------------------------------------------

// Whether the top is a flat face, which an open shell does without.
static bool has_flat_top(const Core *core)
{
    if (core->half_x > 0.0f) return true;
    return core->count > 1 && core->radius == 0.0f && core->points[core->count - 1].y == core->points[core->count - 2].y;
}

static void add_backwards(couShapeMesher *mesher, const Core *core, const Chain *chain)
{
    Chain back = {.is_ring = chain->is_ring};
    append_backwards(&back, chain);
    add_chain(mesher, core, &back);
}

static void add_shell(couShapeMesher *mesher, const Core *core, float thickness, bool is_open, float top)
{
    Chain outer, inner;
    push_out(core, thickness, &outer);
    push_out(core, 0.0f, &inner);
    if (!is_open) {
        add_chain(mesher, core, &outer);
        add_backwards(mesher, core, &inner);
        return;
    }
    cut_off(&outer, top);
    if (!has_flat_top(core)) { // the hole is a point
        append(&outer, 0.0f, top);
        add_chain(mesher, core, &outer);
        add_backwards(mesher, core, &inner);
        return;
    }
    // Over the rim and down the inside; of a box, whose chain is its wall, the rim is the upper end.
    if (core->half_x == 0.0f) --inner.count;
    append_backwards(&outer, &inner);
    add_chain(mesher, core, &outer);
}

static bool is_upright(couPose pose)
{
    couVec3 up = couRotate(pose.rotation, (couVec3){0, 1, 0});
    return fabsf(up.x) < 1e-6f && up.y > 0.0f && fabsf(up.z) < 1e-6f;
}

// False when there is no formula.
static bool add_known_shell(couShapeMesher *mesher, const couShape *shape)
{
    const couShape *child = shape->def.children[0];
    couPose pose = COU_POSE_IDENTITY;
    for (; child->kind == cou_shapePlaced; child = child->def.children[0]) {
        if (mesher->dimension == 2 && !child->is_planar) return false;
        pose = couCompose(pose, child->def.pose);
    }
    Core core;
    float thickness = shape->def.thickness;
    bool is_open = shape->def.is_open;
    if (!find_core(child, &core) || child->kind == cou_shapeDisk || (is_open && !is_upright(pose))) return false;
    if (core.is_ring && (is_open || core.radius + thickness >= core.points[0].r)) return false;
    couPose outer_pose = mesher->pose;
    mesher->pose = couCompose(outer_pose, pose);
    add_shell(mesher, &core, thickness, is_open, shape->shell.top - pose.position.y);
    mesher->pose = outer_pose;
    return true;
}

// --- Planes ------------------------------------------------------------------------------------------------------------------

// Cuts the convex polygon off where the coordinate along the axis is beyond the limit; returns its new number of corners.
static int clip_polygon(couVec3 *polygon, int count, int axis, float sign, float limit)
{
    couVec3 kept[16];
    int kept_count = 0;
    for (int i = 0; i < count; ++i) {
        couVec3 a = polygon[i], b = polygon[(i + 1) % count];
        const float a_axes[3] = {a.x, a.y, a.z}, b_axes[3] = {b.x, b.y, b.z};
        float da = sign * a_axes[axis] - limit, db = sign * b_axes[axis] - limit;
        if (da <= 0.0f) kept[kept_count++] = a;
        if ((da < 0.0f && db > 0.0f) || (da > 0.0f && db < 0.0f)) kept[kept_count++] = couMulAdd(a, da / (da - db), couSub(b, a));
    }
    memcpy(polygon, kept, (size_t)kept_count * sizeof *kept);
    return kept_count;
}

// The part of the plane within the clip box, which is that of the whole shape.
static void add_plane(couShapeMesher *mesher, const couShape *shape)
{
    couBounds clip = mesher->clip;
    couVec3 size = couSub(clip.upper, clip.lower), center = couScale(0.5f, couAdd(clip.lower, clip.upper));
    float reach = couLength(size);
    if (!(reach > 0.0f) || !isfinite(reach)) return;
    couPose pose = mesher->pose;
    couVec3 normal = couRotate(pose.rotation, mesher->dimension == 2 ? shape->plane.normal2d : shape->plane.normal);
    if (!(couLength(normal) > 0.5f)) return; // in 2D parallel to the world
    couVec3 middle = couMulAdd(center, couDot(couSub(pose.position, center), normal), normal);
    couVec3 corners[16];
    int count;
    if (mesher->dimension == 2) {
        couVec3 along = couScale(reach, (couVec3){-normal.y, normal.x, 0.0f}); // the solid to the left
        corners[0] = couSub(middle, along), corners[1] = couAdd(middle, along);
        count = 2;
    } else {
        couVec3 other = fabsf(normal.x) < 0.6f ? (couVec3){1, 0, 0} : (couVec3){0, 1, 0};
        couVec3 u = couScale(reach, couNormalize(couCross(normal, other))), v = couCross(normal, u);
        corners[0] = couSub(couSub(middle, u), v), corners[1] = couSub(couAdd(middle, u), v);
        corners[2] = couAdd(couAdd(middle, u), v), corners[3] = couAdd(couSub(middle, u), v);
        count = 4;
    }
    const float lower[3] = {clip.lower.x, clip.lower.y, clip.lower.z}, upper[3] = {clip.upper.x, clip.upper.y, clip.upper.z};
    bool is_open = count == 2;
    for (int axis = 0; axis < mesher->dimension && count >= 2; ++axis) {
        count = clip_polygon(corners, count, axis, 1.0f, upper[axis]);
        if (count >= 2) count = clip_polygon(corners, count, axis, -1.0f, -lower[axis]);
        // A segment is cut as a polygon of two corners, whose way back cuts it once more.
        if (is_open && count > 2) count = 2;
    }
    mesher->pose = COU_POSE_IDENTITY; // they are in the frame of the whole already
    uint32_t first = (uint32_t)mesher->surface->vertex_count;
    for (int i = 0; i < count && count >= mesher->dimension; ++i) couShapeMesher_AddVertex(mesher, corners[i]);
    if (is_open && count == 2) couShapeMesher_AddSegment(mesher, first, first + 1);
    for (int i = 1; !is_open && i + 1 < count; ++i)
        couShapeMesher_AddTriangle(mesher, first, first + (uint32_t)i, first + (uint32_t)i + 1);
    mesher->pose = pose;
}

// --- Trees -------------------------------------------------------------------------------------------------------------------

static void add_shape(couShapeMesher *mesher, const couShape *shape);

static void add_mesh(couShapeMesher *mesher, const couMesh *mesh)
{
    uint32_t first = (uint32_t)mesher->surface->vertex_count;
    const couVec3 *vertices = couMesh_Vertices(mesh);
    const uint32_t *corners = couMesh_Triangles(mesh);
    for (size_t i = 0; i < couMesh_VertexCount(mesh) && !mesher->is_short; ++i) couShapeMesher_AddVertex(mesher, vertices[i]);
    for (size_t i = 0; i < couMesh_TriangleCount(mesh) && !mesher->is_short; ++i, corners += 3)
        couShapeMesher_AddTriangle(mesher, first + corners[0], first + corners[1], first + corners[2]);
}

static bool do_meet(couBounds a, couBounds b, int dimension)
{
    bool is_apart = a.lower.x > b.upper.x || b.lower.x > a.upper.x || a.lower.y > b.upper.y || b.lower.y > a.upper.y ||
                    (dimension == 3 && (a.lower.z > b.upper.z || b.lower.z > a.upper.z));
    return !is_apart;
}

// Children whose bounds touch belong together; group[i] becomes the smallest number of its group.
static void find_groups(const couShape *shape, int dimension, int *group)
{
    int count = shape->group.count;
    for (int i = 0; i < count; ++i) group[i] = i;
    for (bool has_changed = true; has_changed;) {
        has_changed = false;
        for (int i = 0; i < count; ++i)
            for (int j = 0; j < i; ++j) {
                if (group[i] == group[j] || !shape->group.children[i]->is_bounded || !shape->group.children[j]->is_bounded)
                    continue;
                if (!do_meet(shape->group.bounds[i], shape->group.bounds[j], dimension)) continue;
                group[i] = group[j] = COU_MIN(group[i], group[j]);
                has_changed = true;
            }
    }
}

// Parts that stand apart one by one, those that touch together: no face is left inside.
static void add_union(couShapeMesher *mesher, const couShape *shape)
{
    int count = shape->group.count;
    int *group = couAlloc(NULL, (size_t)count * sizeof *group);
    couShape **members = couAlloc(NULL, (size_t)count * sizeof *members);
    if (group && members) find_groups(shape, mesher->dimension, group);
    mesher->is_short |= !group || !members;
    for (int first = 0; first < count && !mesher->is_short; ++first) {
        int member_count = 0;
        for (int i = first; i < count; ++i)
            if (group[i] == first) members[member_count++] = shape->group.children[i];
        if (member_count == 1)
            add_shape(mesher, members[0]);
        else if (member_count > 1)
            couShapeMesher_AddByGrid(mesher, members, member_count);
    }
    couFree(NULL, group);
    couFree(NULL, members);
}

static void add_placed(couShapeMesher *mesher, const couShape *shape)
{
    couPose pose = mesher->pose;
    mesher->pose = couCompose(pose, shape->def.pose);
    add_shape(mesher, shape->def.children[0]);
    mesher->pose = pose;
}

static void add_by_grid(couShapeMesher *mesher, const couShape *shape)
{
    couShape *one = (couShape *)shape; // only read
    if (shape->is_bounded) couShapeMesher_AddByGrid(mesher, &one, 1);
}

static void add_shape(couShapeMesher *mesher, const couShape *shape)
{
    Core core;
    if (mesher->is_short) return;
    if (shape->kind == cou_shapePlane)
        add_plane(mesher, shape);
    else if (shape->kind == cou_shapePolygon)
        couShapeMesher_AddPolygon(mesher, shape);
    else if (shape->kind == cou_shapeUnion)
        add_union(mesher, shape);
    else if (shape->kind == cou_shapePlaced && (mesher->dimension == 3 || shape->is_planar))
        add_placed(mesher, shape);
    else if (shape->kind == cou_shapeMesh && mesher->dimension == 3)
        add_mesh(mesher, couDistanceGrid_Mesh(shape->mesh.grid));
    else if (find_core(shape, &core))
        add_core(mesher, &core);
    else if (shape->kind != cou_shapeShell || !add_known_shell(mesher, shape))
        add_by_grid(mesher, shape);
}

bool couShape_BuildSurface(const couShape *shape, int dimension, float cell, couBounds clip, couSurface *surface,
                           couFaults *faults)
{
    *surface = (couSurface){.dimension = dimension};
    couShapeMesher mesher = {.surface = surface, .dimension = dimension, .pose = COU_POSE_IDENTITY, .clip = clip, .cell = cell};
    add_shape(&mesher, shape);
    if (!mesher.is_short) return true;
    couSurface_Clear(surface);
    couFaults_Add(faults, NULL, "shape", "there is no memory for its surface");
    return false;
}
