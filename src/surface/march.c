// Vertices, their attributes and the elements between them, brick by brick, each straight to its place in the mesh.
//
// Linear interpolation between nodes would let the surface wobble as particles cross cells; Newton steps on the field itself, two
// as a rule, put each vertex where the level is, and its normal is the field's own gradient there.

#include "surface/cut.h"

#define LEAST_FRACTION 0.002f // from a node: triangles keep an area
#define GOOD_STEP 0.01f       // of a cell: Newton's next step would be the square of it, more or less
#define MOST_STEPS 6
// Linear interpolation is off by about f''/(2 f') t (1 - t) cells; no change goes beyond this factor before t (1 - t). Where a
// drop smaller than its cells takes in one more node, the level may already lie far along that node's edges: linear interpolation
// starts at the node, and so must the vertex, or the surface jumps.
#define MOST_CHANGE 1.0f

enum { half = cou_brickNodes / 2 };

typedef struct Scratch {
    couNear near;       // of a brick
    couNear octants[8]; // of its eighths, made when a vertex asks for them
    bool is_made[8];
    uint32_t *rows;
    float *terms;
    size_t capacity;
    char pad[64];
} Scratch;

typedef struct MarchJob {
    const couCut *cut;
    const couCloud *cloud;
    const couMarchTable *table;
    const couSurfacePoints *points;
    couSurface *surface;
    size_t first_vertex, first_element;
    Scratch *scratch;
    _Atomic bool is_out_of_memory;
} MarchJob;

typedef couSample SampleFcn(const couNear *near, const couFieldShape *shape, couVec3 p);
typedef int ListFcn(const couNear *near, const couFieldShape *shape, couVec3 p, uint32_t *rows, float *terms);
typedef uint32_t NearestFcn(const couNear *near, couVec3 p);

// --- Vertices ----------------------------------------------------------------------------------------------------------------

static float *component(couVec3 *p, int axis) { return axis == 0 ? &p->x : axis == 1 ? &p->y : &p->z; }

// One Newton step towards the level along an edge of length `cell`; [low, high] holds the root and shrinks. Clavet's root makes
// the field nearly a distance, so the step is taken on it.
static float improve(const couCloud *cloud, const couSample *sample, int axis, float cell, bool is_start_inside, float t,
                     float *low, float *high)
{
    float value = sample->value, slope = sample->gradient[axis] * cell, level = cloud->level;
    if ((value >= level) == is_start_inside)
        *low = t;
    else
        *high = t;
    if (cloud->shape.kind == cou_surfaceClavet && value > 0.0f) {
        float root = sqrtf(value);
        slope *= 0.5f / root, value = root, level = sqrtf(level);
    }
    float next = t - (value - level) / slope;
    return next >= *low && next <= *high ? next : 0.5f * (*low + *high); // also when the slope is zero
}

static void write_attributes(const MarchJob *job, const Scratch *scratch, const couNear *near, couVec3 p, size_t vertex)
{
    static ListFcn *const list_variants[cou_isaCount] = COU_VARIANTS(couListTerms);
    static NearestFcn *const nearest_variants[cou_isaCount] = COU_VARIANTS(couFindNearest);
    const couCloud *cloud = job->cloud;
    const couSurfacePoints *points = job->points;
    couSurface *surface = job->surface;
    uint32_t nearest = cloud->index[near->index[nearest_variants[cloud->isa](near, p)]];
    surface->nearest_ids[vertex] = points->ids ? points->ids[nearest] : nearest;
    surface->materials[vertex] = points->materials ? points->materials[nearest] : 0;

    couVec3 velocity = {0}, color = {0}, white = {1, 1, 1};
    float sum = 0.0f;
    if (points->velocities || points->colors) {
        int count = list_variants[cloud->isa](near, &cloud->shape, p, scratch->rows, scratch->terms);
        for (int n = 0; n < count; ++n) {
            uint32_t i = cloud->index[near->index[scratch->rows[n]]];
            int material = points->materials ? points->materials[i] : 0;
            bool has_color = points->colors && material < points->color_count;
            if (points->velocities) velocity = couMulAdd(velocity, scratch->terms[n], points->velocities[i]);
            color = couMulAdd(color, scratch->terms[n], has_color ? points->colors[material] : white);
            sum += scratch->terms[n];
        }
    }
    float inv = sum > 0.0f ? 1.0f / sum : 0.0f;
    velocity = couScale(inv, velocity);
    surface->velocities[vertex] = couIsFinite3(velocity) ? velocity : (couVec3){0};
    surface->colors[vertex] = sum > 0.0f && points->colors ? couScale(inv, color) : white;
}

static void write_vertex(const MarchJob *job, const Scratch *scratch, const couNear *near, couVec3 start, int axis,
                         bool is_start_inside, float t, size_t vertex)
{
    static SampleFcn *const variants[cou_isaCount] = COU_VARIANTS(couSampleField);
    const couCloud *cloud = job->cloud;
    float cell = cloud->cell, low = 0.0f, high = 1.0f, linear = t;
    couVec3 p = start;
    couSample sample = {0};
    for (int step = 0; step < MOST_STEPS; ++step) {
        *component(&p, axis) = *component(&start, axis) + t * cell;
        sample = variants[cloud->isa](near, &cloud->shape, p);
        float next = improve(cloud, &sample, axis, cell, is_start_inside, t, &low, &high), way = fabsf(next - t);
        t = next;
        if (way < GOOD_STEP) break;
    }
    float most = MOST_CHANGE * linear * (1.0f - linear);
    t = COU_CLAMP(t, linear - most, linear + most);
    t = COU_CLAMP(t, LEAST_FRACTION, 1.0f - LEAST_FRACTION);
    float sampled = *component(&p, axis);
    *component(&p, axis) = *component(&start, axis) + t * cell;
    if (fabsf(*component(&p, axis) - sampled) > GOOD_STEP * cell) sample = variants[cloud->isa](near, &cloud->shape, p);
    couVec3 normal = couNormalize((couVec3){-sample.gradient[0], -sample.gradient[1], -sample.gradient[2]});
    if (!(couDot(normal, normal) > 0.5f)) { // a flat spot: along the edge
        normal = (couVec3){0};
        *component(&normal, axis) = is_start_inside ? 1.0f : -1.0f;
    }
    job->surface->vertices[vertex] = p;
    job->surface->normals[vertex] = normal;
    write_attributes(job, scratch, near, p, vertex);
}

// The kernels near the eighth of a brick in which an edge starts. NULL without memory.
static const couNear *find_octant(const MarchJob *job, Scratch *scratch, const couBrick *brick, int x, int y, int z)
{
    int octant = x / half + 2 * (y / half) + 4 * (z / half);
    couNear *near = &scratch->octants[octant];
    if (scratch->is_made[octant]) return near;
    const int from[3] = {x / half * half, y / half * half, z / half * half};
    int last = cou_brickNodes - 1, top = brick->layers - 1;
    couBounds box = {{brick->x[from[0]], brick->y[from[1]], brick->z[from[2]]},
                     {brick->x[COU_MIN(from[0] + half, last)], brick->y[COU_MIN(from[1] + half, last)],
                      brick->z[COU_MIN(from[2] + half, top)]}};
    scratch->is_made[octant] = couNear_Narrow(near, &scratch->near, job->cloud, &box);
    return scratch->is_made[octant] ? near : NULL;
}

static bool write_vertices(const MarchJob *job, Scratch *scratch, const couCutBrick *item, const couBrick *brick)
{
    int layers = job->cloud->dimension == 3 ? cou_brickCells : 1;
    size_t vertex = job->first_vertex + item->vertex_base;
    const float *fraction = item->fractions;
    memset(scratch->is_made, 0, sizeof scratch->is_made);
    for (int k = 0; k < layers; ++k)
        for (int axis = 0; axis < job->cloud->dimension; ++axis)
            for (uint64_t crossed = couCrossed(item->bits, k, axis); crossed; crossed &= crossed - 1) {
                int node = __builtin_ctzll(crossed), x = node % cou_brickNodes, y = node / cou_brickNodes;
                const couNear *near = find_octant(job, scratch, brick, x, y, k);
                if (!near) return false;
                couVec3 start = {brick->x[x], brick->y[y], brick->z[k]};
                write_vertex(job, scratch, near, start, axis, item->bits[k] >> node & 1, *fraction++, vertex++);
            }
    return true;
}

// --- Elements ----------------------------------------------------------------------------------------------------------------

// The brick with this key, NULL when it is not cut.
static const couCutBrick *find_brick(const couCut *cut, uint64_t key)
{
    size_t low = 0, high = cut->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (cut->items[middle].key < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low < cut->count && cut->items[low].key == key ? &cut->items[low] : NULL;
}

// A brick and those that own what lies at its upper faces; offset bit a: the next one along axis a.
static void find_owners(const couCut *cut, const couCutBrick *item, int dimension, const couCutBrick *owners[8])
{
    for (int offset = 0; offset < 8; ++offset) {
        uint64_t key = item->key + (uint64_t)(offset & 1) + ((uint64_t)(offset >> 1 & 1) << cou_keyBits) +
                       ((uint64_t)(offset >> 2) << (2 * cou_keyBits));
        owners[offset] = offset == 0 ? item : offset >> dimension ? NULL : find_brick(cut, key);
    }
}

// The vertex on an edge that starts at node (x, y, z), counted from the brick's lower corner.
static uint32_t vertex_at(const couCutBrick *const owners[8], int x, int y, int z, int axis)
{
    int offset = (x == cou_brickCells) | (y == cou_brickCells) << 1 | (z == cou_brickCells) << 2;
    const couCutBrick *owner = owners[offset];
    x = x == cou_brickCells ? 0 : x, y = y == cou_brickCells ? 0 : y, z = z == cou_brickCells ? 0 : z;
    uint64_t below = couCrossed(owner->bits, z, axis) & (((uint64_t)1 << (y * cou_brickNodes + x)) - 1);
    return owner->vertex_base + owner->first[z][axis] + (uint32_t)__builtin_popcountll(below);
}

static void write_triangles(const MarchJob *job, const couCutBrick *item, const couCutBrick *const owners[8])
{
    uint32_t *next = job->surface->indices + 3 * (job->first_element + item->element_base);
    for (int k = 0; k < cou_brickCells; ++k)
        for (uint64_t mixed = couMixedCells(item->bits[k], item->bits[k + 1]); mixed; mixed &= mixed - 1) {
            int node = __builtin_ctzll(mixed), x = node % cou_brickNodes, y = node / cou_brickNodes;
            int code = couCellCode(item->bits[k], item->bits[k + 1], node);
            for (int c = 0; c < 3 * job->table->counts[code]; ++c) {
                int edge = job->table->edges[code][c], corner = couEdgeCorner(edge);
                *next++ = (uint32_t)job->first_vertex +
                          vertex_at(owners, x + (corner & 1), y + (corner >> 1 & 1), k + (corner >> 2), edge >> 2);
            }
        }
}

// Marching squares: around the square, each run of corners inside is cut off by one segment, with the matter to its left.
static void write_segments(const MarchJob *job, const couCutBrick *item, const couCutBrick *const owners[8])
{
    static const int around[4] = {0, 1, 3, 2}; // counter-clockwise
    uint32_t *next = job->surface->indices + 2 * (job->first_element + item->element_base);
    for (uint64_t mixed = couMixedCells(item->bits[0], item->bits[0]); mixed; mixed &= mixed - 1) {
        int node = __builtin_ctzll(mixed), x = node % cou_brickNodes, y = node / cou_brickNodes;
        int code = couCellCode(item->bits[0], item->bits[0], node);
        for (int c = 0; c < 4; ++c) {
            if ((code >> around[(c + 3) % 4] & 1) || !(code >> around[c] & 1)) continue;
            int last = c;
            while (code >> around[(last + 1) % 4] & 1) last = (last + 1) % 4;
            // The segment runs from where the run ends to where it begins.
            const int ends[2][2] = {{around[last], around[(last + 1) % 4]}, {around[(c + 3) % 4], around[c]}};
            for (int e = 0; e < 2; ++e) {
                int low = COU_MIN(ends[e][0], ends[e][1]), axis = (ends[e][0] ^ ends[e][1]) >> 1;
                *next++ = (uint32_t)job->first_vertex + vertex_at(owners, x + (low & 1), y + (low >> 1), 0, axis);
            }
        }
    }
}

// --- Bricks ------------------------------------------------------------------------------------------------------------------

static bool reserve_terms(Scratch *scratch, couMemory *memory)
{
    if (scratch->near.capacity + COU_WIDTH <= scratch->capacity) return true;
    couFree(memory, scratch->rows);
    couFree(memory, scratch->terms);
    scratch->capacity = scratch->near.capacity + COU_WIDTH;
    scratch->rows = couAlloc(memory, scratch->capacity * sizeof *scratch->rows);
    scratch->terms = couAlloc(memory, scratch->capacity * sizeof *scratch->terms);
    return scratch->rows && scratch->terms;
}

static void march_block(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)block;
    MarchJob *job = context;
    const couCloud *cloud = job->cloud;
    Scratch *scratch = &job->scratch[worker];
    for (size_t b = begin; b < end; ++b) {
        const couCutBrick *item = &job->cut->items[b], *owners[8];
        int32_t at[3], bin[3];
        couBrickCoordinates(&job->cut->bricks, item->key, at);
        couBrick brick = couMakeBrick(cloud, at, bin);
        couBounds box = couBoundBrick(&brick);
        if (!couNear_Gather(&scratch->near, cloud, bin, box.lower, box.upper, cloud->metric ? 0.0f : cloud->shape.h) ||
            !reserve_terms(scratch, cloud->memory) || !write_vertices(job, scratch, item, &brick)) {
            job->is_out_of_memory = true;
            return;
        }
        find_owners(job->cut, item, cloud->dimension, owners);
        if (cloud->dimension == 3)
            write_triangles(job, item, owners);
        else
            write_segments(job, item, owners);
    }
}

bool couMarch(const couCut *cut, const couCloud *cloud, const couMarchTable *table, const couSurfacePoints *points,
              couSurface *surface, size_t first_vertex, size_t first_element)
{
    MarchJob job = {cut, cloud, table, points, surface, first_vertex, first_element, NULL, false};
    job.scratch = couAlloc(cloud->memory, (size_t)cloud->parallel->threads * sizeof *job.scratch);
    if (!job.scratch) return false;
    couFor(cloud->parallel, cut->count, 16, march_block, &job);
    for (int t = 0; t < cloud->parallel->threads; ++t) {
        couNear_Free(&job.scratch[t].near);
        for (int o = 0; o < 8; ++o) couNear_Free(&job.scratch[t].octants[o]);
        couFree(cloud->memory, job.scratch[t].rows);
        couFree(cloud->memory, job.scratch[t].terms);
    }
    couFree(cloud->memory, job.scratch);
    return !job.is_out_of_memory;
}
