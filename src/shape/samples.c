// Samples of a shape: its tree is taken apart into single solids, each with the pose in which it stands; these are sampled one
// by one, by lattices where there is one, and what a union buries or has twice is left out.
//
// Points and ids must not depend on the region. Bounded solids are therefore sampled as a whole, number their points, and are cut
// at the end. Planes have a lattice that is fixed in space, its coordinates are the id. Since a point of one part can make one of
// another part superfluous, a union is sampled a little beyond its region; planes come first, as only they depend on it.
#include "shape/samples.h"

#include "shape/samples_parts.h"

#define BURIED 0.75f // depth in another part from which on a sample of the first layer is not seen / d
#define SAME 0.5f    // samples of two parts that are closer than this count as one / d
#define MARGIN 2.0f  // of a union's region / d

// --- Poses -------------------------------------------------------------------------------------------------------------------

typedef struct Frame {
    couVec3 x, y, z; // axes
    couVec3 position;
} Frame;

static const Frame frame_identity = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 0}};

static couVec3 direction_out(const Frame *frame, couVec3 v)
{
    return couMulAdd(couMulAdd(couScale(v.x, frame->x), v.y, frame->y), v.z, frame->z);
}

static couVec3 point_out(const Frame *frame, couVec3 p) { return couAdd(frame->position, direction_out(frame, p)); }

static couVec3 point_in(const Frame *frame, couVec3 p)
{
    couVec3 d = couSub(p, frame->position);
    return (couVec3){couDot(frame->x, d), couDot(frame->y, d), couDot(frame->z, d)};
}

static Frame child_frame(const Frame *frame, const couShape *placed)
{
    return (Frame){direction_out(frame, placed->placed.x), direction_out(frame, placed->placed.y),
                   direction_out(frame, placed->placed.z), point_out(frame, placed->placed.position)};
}

static couBounds turn_bounds(const Frame *frame, couBounds bounds, bool is_out)
{
    couBounds turned = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int corner = 0; corner < 8; ++corner) {
        couVec3 c = {corner & 1 ? bounds.upper.x : bounds.lower.x, corner & 2 ? bounds.upper.y : bounds.lower.y,
                     corner & 4 ? bounds.upper.z : bounds.lower.z};
        c = is_out ? point_out(frame, c) : point_in(frame, c);
        turned.lower = (couVec3){COU_MIN(turned.lower.x, c.x), COU_MIN(turned.lower.y, c.y), COU_MIN(turned.lower.z, c.z)};
        turned.upper = (couVec3){COU_MAX(turned.upper.x, c.x), COU_MAX(turned.upper.y, c.y), COU_MAX(turned.upper.z, c.z)};
    }
    return turned;
}

static couBounds grow(couBounds bounds, float more)
{
    couVec3 m = {more, more, more};
    return (couBounds){couSub(bounds.lower, m), couAdd(bounds.upper, m)};
}

static bool is_within(const couBounds *bounds, couVec3 p, int dimension)
{
    return p.x >= bounds->lower.x && p.x <= bounds->upper.x && p.y >= bounds->lower.y && p.y <= bounds->upper.y &&
           (dimension == 2 || (p.z >= bounds->lower.z && p.z <= bounds->upper.z));
}

// --- Parts -------------------------------------------------------------------------------------------------------------------

typedef enum Way { way_slab, way_box, way_sphere, way_hollow_box, way_spread } Way;

typedef struct Part {
    const couShape *shape;
    Frame frame;
    int dimension;
    Way way;
    couSlab slab;        // in the frame of the whole shape
    const couShape *box; // of a hollow box
    Frame box_frame;     // in the frame of the part
    bool is_bounded;
    couBounds bounds; // in the frame of the whole shape, where it has any [m]
} Part;

typedef struct Parts {
    couMemory *memory;
    Part *items;
    size_t count, capacity;
    int slab_count;
    bool is_bounded;
    bool has_failed;
} Parts;

// A plane, or a wall of this thickness on one, that stands in `frame`: in 2D its cut with z = 0. False where there is none.
static bool make_slab(const couShape *plane, const Frame *frame, float thickness, int dimension, couSlab *slab)
{
    couVec3 u, v, n = direction_out(frame, plane->plane.normal);
    couTangents(plane->plane.normal, &u, &v);
    *slab = (couSlab){frame->position, n, direction_out(frame, u), direction_out(frame, v), thickness};
    if (dimension == 3) return true;
    float slope = sqrtf(n.x * n.x + n.y * n.y);
    if (slope < 1e-6f) return false;
    slab->normal = (couVec3){n.x / slope, n.y / slope, 0};
    slab->u = (couVec3){-slab->normal.y, slab->normal.x, 0};
    slab->origin = couMulAdd((couVec3){frame->position.x, frame->position.y, 0}, n.z * frame->position.z / slope, slab->normal);
    slab->thickness = thickness / slope;
    return true;
}

// The plane below a wall, or the plane itself.
static const couShape *find_plane(const couShape *shape, Frame *frame, float *thickness)
{
    *thickness = INFINITY;
    if (shape->kind == cou_shapeShell && !shape->shell.is_open) {
        *thickness = shape->shell.thickness;
        shape = shape->shell.child;
        if (shape->kind == cou_shapePlaced) *frame = child_frame(frame, shape), shape = shape->placed.child;
    }
    return shape->kind == cou_shapePlane ? shape : NULL;
}

// Whether a shell is around a box in which there is room for the fluid; an open one needs a level top.
static bool is_hollow_box(Part *part, float spacing)
{
    const couShape *shape = part->shape, *child = shape->shell.child;
    part->box_frame = frame_identity;
    if (child->kind == cou_shapePlaced) {
        if (child->is_turned && shape->shell.is_open) return false;
        if (part->dimension == 2 && !child->is_planar) return false;
        part->box_frame = child_frame(&frame_identity, child);
        child = child->placed.child;
    }
    if (child->kind != cou_shapeBox || child->box.rounding > 0.0f) return false;
    part->box = child;
    couVec3 size = child->def.size;
    float least = COU_MIN(size.x, COU_MIN(size.y, part->dimension == 2 ? INFINITY : size.z));
    return least >= 0.999f * spacing;
}

static Way choose_way(Part *part, float spacing)
{
    switch (part->shape->kind) {
    case cou_shapeBox: return part->shape->box.rounding > 0.0f ? way_spread : way_box;
    case cou_shapeSphere: return way_sphere;
    case cou_shapeShell: return is_hollow_box(part, spacing) ? way_hollow_box : way_spread;
    default: return way_spread;
    }
}

static void add_part(Parts *parts, Part part)
{
    if (!COU_RESERVE(parts->memory, parts, parts->count + 1)) {
        parts->has_failed = true;
        return;
    }
    parts->slab_count += part.way == way_slab;
    parts->is_bounded &= part.is_bounded;
    parts->items[parts->count++] = part;
}

static void collect(Parts *parts, const couShape *shape, Frame frame, int dimension, float spacing)
{
    if (parts->has_failed) return;
    if (shape->kind == cou_shapeUnion) {
        for (int k = 0; k < shape->group.count; ++k) collect(parts, shape->group.children[k], frame, dimension, spacing);
        return;
    }
    // In 2D what leaves the plane is sampled where it is cut; only a plane is still one.
    Frame inner = frame;
    float thickness;
    const couShape *child = shape->kind == cou_shapePlaced ? shape->placed.child : shape;
    if (child != shape) inner = child_frame(&frame, shape);
    Part part = {.frame = frame, .dimension = dimension, .way = way_slab};
    Frame plane_frame = inner;
    const couShape *plane = find_plane(child, &plane_frame, &thickness);
    if (plane) {
        part.shape = child, part.frame = inner;
        if (make_slab(plane, &plane_frame, thickness, dimension, &part.slab)) add_part(parts, part);
        return;
    }
    if (child != shape && (dimension == 3 || shape->is_planar)) {
        collect(parts, child, inner, dimension, spacing);
        return;
    }
    part.shape = shape;
    part.is_bounded = couShape_Bounds(shape, dimension, &part.bounds);
    part.way = choose_way(&part, spacing);
    if (dimension == 2) part.bounds.lower.z = part.bounds.upper.z = 0;
    part.bounds = turn_bounds(&frame, part.bounds, true);
    add_part(parts, part);
}

// --- Sampling ----------------------------------------------------------------------------------------------------------------

static void move_all(couSampleList *list, const Frame *frame)
{
    for (size_t k = 0; k < list->count; ++k) list->items[k].point = point_out(frame, list->items[k].point);
}

// All of one part, in the frame of the whole shape.
static void sample_part(couSampleList *list, const Part *part, int slab, int slab_count, float spacing, int layers,
                        const couBounds *region)
{
    const couShape *shape = part->shape;
    couBounds bounds;
    switch (part->way) {
    case way_slab: couSampleSlab(list, &part->slab, slab, slab_count, part->dimension, spacing, layers, *region); return;
    case way_box: couSampleBox(list, shape->def.size, part->dimension, spacing, layers); break;
    case way_sphere: couSampleSphere(list, shape->round.radius, part->dimension, spacing, layers); break;
    case way_hollow_box:
        couSampleHollowBox(list, part->box->def.size, shape->shell.thickness, shape->shell.is_open, part->dimension, spacing,
                           layers);
        move_all(list, &part->box_frame);
        break;
    case way_spread:
        if (!couShape_Bounds(shape, part->dimension, &bounds)) bounds = turn_bounds(&part->frame, *region, false);
        couSampleSpread(list, shape, part->dimension, spacing, layers, bounds);
        break;
    }
    move_all(list, &part->frame);
}

// Of one part in the others, at a place of the whole shape [m].
static bool is_buried(const Parts *parts, size_t own, couVec3 p, float depth)
{
    for (size_t k = 0; k < parts->count; ++k) {
        const Part *part = &parts->items[k];
        if (k == own || (part->is_bounded && !is_within(&part->bounds, p, part->dimension))) continue;
        float distance;
        if (part->way == way_slab) {
            float height = couDot(part->slab.normal, couSub(p, part->slab.origin)), thickness = part->slab.thickness;
            distance = isinf(thickness) ? height : COU_MAX(-height, height - thickness);
        } else {
            distance = couShape_Distance(part->shape, part->dimension, point_in(&part->frame, p));
        }
        if (distance < -depth) return true;
    }
    return false;
}

typedef struct Sampling {
    couMemory *memory;
    const Parts *parts;
    couNear near; // what is kept of the parts so far
    couSamples *samples;
    float spacing;
    int layers;
    uint32_t next_id;
    int next_slab;
} Sampling;

static bool keep(Sampling *sampling, couVec3 point, uint32_t id)
{
    couSamples *samples = sampling->samples;
    size_t count = samples->count;
    if (!COU_GROW(sampling->memory, samples->points, samples->point_capacity, count + 1) ||
        !COU_GROW(sampling->memory, samples->ids, samples->id_capacity, count + 1))
        return false;
    samples->points[count] = point, samples->ids[count] = id;
    samples->count = count + 1;
    return true;
}

// What the other parts neither bury nor have already.
static bool keep_new(Sampling *sampling, const couSampleList *list, size_t own)
{
    bool is_union = sampling->parts->count > 1, is_slab = sampling->parts->items[own].way == way_slab;
    size_t first = sampling->samples->count;
    for (size_t k = 0; k < list->count; ++k) {
        const couSample *sample = &list->items[k];
        if (is_union && is_buried(sampling->parts, own, sample->point, (BURIED + (float)sample->layer) * sampling->spacing))
            continue;
        if (is_union && couNear_HasAny(&sampling->near, sample->point, SAME * sampling->spacing)) continue;
        if (!keep(sampling, sample->point, is_slab ? sample->id : sampling->next_id + sample->id)) return false;
    }
    if (sampling->samples->count > first) sampling->samples->is_thin |= list->is_thin;
    for (size_t k = first; is_union && k < sampling->samples->count; ++k)
        if (!couNear_Add(&sampling->near, sampling->samples->points[k])) return false;
    return true;
}

static bool add_samples(Sampling *sampling, size_t own, const couBounds *region)
{
    const Part *part = &sampling->parts->items[own];
    couSampleList list = {.memory = sampling->memory};
    sample_part(&list, part, sampling->next_slab, sampling->parts->slab_count, sampling->spacing, sampling->layers, region);
    bool is_good = !list.has_failed && keep_new(sampling, &list, own);
    if (part->way == way_slab)
        ++sampling->next_slab;
    else
        sampling->next_id += (uint32_t)list.count;
    couFree(sampling->memory, list.items);
    return is_good;
}

static void cut(couSamples *samples, const couBounds *region, int dimension)
{
    size_t kept = 0;
    for (size_t k = 0; k < samples->count; ++k) {
        if (!is_within(region, samples->points[k], dimension)) continue;
        samples->points[kept] = samples->points[k];
        samples->ids[kept++] = samples->ids[k];
    }
    samples->count = kept;
}

bool couSampleShape(couMemory *memory, const couShape *shape, int dimension, float spacing, int layers, const couBounds *region,
                    couSamples *samples)
{
    COU_ASSERT(spacing > 0.0f && layers >= 1 && layers <= COU_MAX_SAMPLE_LAYERS);
    *samples = (couSamples){0};
    Parts parts = {.memory = memory, .is_bounded = true};
    collect(&parts, shape, frame_identity, dimension, spacing);
    Sampling sampling = {.memory = memory, .parts = &parts, .samples = samples, .spacing = spacing, .layers = layers};
    sampling.near = (couNear){.memory = memory, .dimension = dimension, .inv_cell = 1.0f / spacing};
    bool is_good = !parts.has_failed, can_be = region || parts.is_bounded;
    couBounds wider = {0};
    if (region) wider = parts.count > 1 ? grow(*region, MARGIN * spacing) : *region;
    for (int turn = 0; turn < 2 && can_be; ++turn)
        for (size_t k = 0; k < parts.count && is_good; ++k)
            if ((parts.items[k].way == way_slab) == (turn == 0)) is_good = add_samples(&sampling, k, &wider);
    if (region) cut(samples, region, dimension);
    for (size_t k = 0; dimension == 2 && k < samples->count; ++k) samples->points[k].z = 0.0f;
    couSampleNear_Free(&sampling.near);
    couFree(memory, parts.items);
    if (!is_good) couSamples_Free(memory, samples);
    return is_good;
}

void couSamples_Free(couMemory *memory, couSamples *samples)
{
    couFree(memory, samples->points);
    couFree(memory, samples->ids);
    *samples = (couSamples){0};
}

// --- Estimate ----------------------------------------------------------------------------------------------------------------

// Of the plane within the bounds, at most: seen along each axis it is no larger than the bounds are.
static double slab_area(const couSlab *slab, const couBounds *region, int dimension)
{
    couVec3 size = couSub(region->upper, region->lower);
    couVec3 n = slab->normal, middle = couScale(0.5f, couAdd(region->lower, region->upper));
    if (dimension == 2) size.z = 1.0f, middle.z = 0.0f;
    double reach = 0.5 * (fabs((double)n.x * size.x) + fabs((double)n.y * size.y) + fabs((double)n.z * size.z));
    double height = couDot(n, couSub(middle, slab->origin)), thickness = isinf(slab->thickness) ? 0.0 : slab->thickness;
    if (height - reach > thickness || height + reach < 0) return 0;
    double area = INFINITY, volume = (double)size.x * size.y * size.z;
    const double normals[3] = {fabs((double)n.x), fabs((double)n.y), fabs((double)n.z)}, sizes[3] = {size.x, size.y, size.z};
    for (int axis = 0; axis < dimension; ++axis)
        if (normals[axis] > 1e-6 && sizes[axis] > 0) area = COU_MIN(area, volume / sizes[axis] / normals[axis]);
    return thickness > 0 ? 2 * area : area;
}

static double box_area(double x, double y, double z, int dimension)
{
    return dimension == 2 ? 2 * (x + y) : 2 * (x * y + y * z + z * x);
}

static double bounds_area(const couShape *shape, int dimension)
{
    couBounds bounds;
    if (!couShape_Bounds(shape, dimension, &bounds)) return INFINITY;
    couVec3 size = couSub(bounds.upper, bounds.lower);
    return box_area(size.x, size.y, size.z, dimension);
}

static double polygon_area(const couShape *shape, int dimension)
{
    const couShapeDef *def = &shape->def;
    double around = 0;
    for (int k = 0; k < shape->polygon.count; ++k)
        around += hypot((double)shape->polygon.edges[k].ex, (double)shape->polygon.edges[k].ey);
    return dimension == 2 ? around : around * def->height + 2 * (double)shape->face_area;
}

static double mesh_area(const couShape *shape, int dimension)
{
    if (dimension == 2) return bounds_area(shape, 2);
    const couMesh *mesh = couDistanceGrid_Mesh(shape->def.grid);
    const couVec3 *vertices = couMesh_Vertices(mesh);
    const uint32_t *corners = couMesh_Triangles(mesh);
    double area = 0;
    for (size_t t = 0; t < couMesh_TriangleCount(mesh); ++t) {
        couVec3 a = vertices[corners[3 * t]], b = vertices[corners[3 * t + 1]], c = vertices[corners[3 * t + 2]];
        area += 0.5 * (double)couLength(couCross(couSub(b, a), couSub(c, a)));
    }
    return area;
}

// Of the surface [m^2], its length in 2D [m].
static double surface_area(const couShape *shape, int dimension)
{
    const couShapeDef *def = &shape->def;
    double r = def->radius, r2 = def->radius2, h = def->height, sum = 0;
    bool is_flat = dimension == 2;
    switch (shape->kind) {
    case cou_shapePlane: return INFINITY;
    case cou_shapeBox: return box_area(def->size.x, def->size.y, def->size.z, dimension);
    case cou_shapeSphere: return is_flat ? 2 * COU_PI * r : 4 * COU_PI * r * r;
    case cou_shapeCapsule: return is_flat ? 2 * COU_PI * r + 2 * h : 4 * COU_PI * r * r + 2 * COU_PI * r * h;
    case cou_shapeCylinder: return is_flat ? 4 * r + 2 * h : 2 * COU_PI * r * (r + h);
    case cou_shapeCone:
        return is_flat ? 2 * (r + r2 + hypot(r - r2, h)) : COU_PI * (r * r + r2 * r2 + (r + r2) * hypot(r - r2, h));
    case cou_shapeTorus: return is_flat ? 4 * COU_PI * r2 : 4 * COU_PI * COU_PI * r * r2;
    case cou_shapeDisk: return is_flat ? 2 * r : COU_PI * r * r;
    case cou_shapePolygon: return polygon_area(shape, dimension);
    case cou_shapeMesh: return mesh_area(shape, dimension);
    case cou_shapeShell: return surface_area(shape->shell.child, dimension) + bounds_area(shape, dimension);
    case cou_shapeDifference:
    case cou_shapeIntersection:
    case cou_shapeUnion:
        for (int k = 0; k < shape->group.count; ++k) sum += surface_area(shape->group.children[k], dimension);
        if (shape->kind == cou_shapeUnion || sum < INFINITY) return sum;
        return 2 * bounds_area(shape, dimension); // one of them is a plane
    case cou_shapePlaced:
        return shape->is_planar || dimension == 3 ? surface_area(shape->placed.child, dimension) : bounds_area(shape, 2);
    }
    return INFINITY;
}

double couEstimateSamples(const couShape *shape, int dimension, float spacing, int layers, const couBounds *region)
{
    Parts parts = {.is_bounded = true};
    collect(&parts, shape, frame_identity, dimension, spacing);
    double area = parts.has_failed || (!region && !parts.is_bounded) ? INFINITY : 0.0;
    for (size_t k = 0; k < parts.count && area < INFINITY; ++k) {
        const Part *part = &parts.items[k];
        couVec3 size = region ? couSub(region->upper, region->lower) : (couVec3){0};
        if (part->way == way_slab)
            area += slab_area(&part->slab, region, dimension);
        else if (part->is_bounded)
            area += surface_area(part->shape, part->dimension);
        else
            area += 2 * box_area(size.x, size.y, size.z, dimension);
    }
    couFree(NULL, parts.items);
    return area * layers / (dimension == 2 ? (double)spacing : (double)spacing * spacing);
}
