// Samples of any solid, spread evenly at random on a level set of its signed distance.
//
// Cubes of half a spacing that may hold a part of the layer are found by halving the bounds. Points from them, one of each cube
// per round, in a shuffled order that is always the same, are settled: moved along the gradient to the wanted depth. One that is
// far enough from all others is kept (random sequential adsorption, or Poisson disks). Discs thrown at random get stuck when
// they cover 0.547 of a plane [Feder 1980] or 0.748 of a line [Renyi 1958]; with points at one per d^2 they are then 0.834 d
// (0.748 d) apart. Some repulsion makes the spacing even, a last round fills what holes there are.
//
// A wall too thin for the depth has no such level: there Newton's steps jump to and fro. The way in from its surface is followed
// to where the gradient turns back, which is the middle of the wall. In a convex edge of more than 60 degrees the gradient turns
// less, and the level set goes on around the corner. In a sharper one the middle ends d/2 before the tip: a sample on the tip has
// twice the volume of a particle there, a bump that pushes off what passes the edge (a slit with edges of 45 degrees let 0.57 of
// Torricelli's discharge through, where 0.61 is right).
//
// Cost: some 30 settled points for each sample, 3 to 5 distances each; about 20 us a sample for a mesh.
#include "base/random.h"
#include "shape/samples_parts.h"

enum { NEWTON_STEPS = 8, WALK_STEPS = 5, BISECTIONS = 6, ROUNDS = 2, SWEEPS = 6, MOST_LEVELS = 20 };
#define CELL 0.5f         // edge of a cube / d
#define APART_3D 0.78f    // of samples / d; a little less than 0.834, as a few rounds do not quite fill all gaps
#define APART_2D 0.72f    // likewise for 0.748
#define APART_LAYERS 0.7f // of samples of different layers / d
#define SHALLOWER 0.3f    // than its depth may an inner layer be in the middle of a wall / d
#define APART_SIDES 0.5f  // of samples on both sides of a wall / d
#define HOLE 0.92f        // where no sample is nearer than this, there is room for one / d
#define REACH 1.5f        // of the repulsion / d
#define ACCURACY 0.02f    // of a sample's depth / d
#define BACK -0.5f        // cosine between two normals from which on they belong to two sides of a wall
#define FAR_BACK -0.8f    // likewise for what counts as thin, which the tip of a cone should not

typedef struct Settled {
    couVec3 point;  // [m]
    couVec3 normal; // zero in the middle of a wall
    bool is_thin;   // in the middle of a wall that is thinner than d
} Settled;

typedef struct Grain {
    couVec3 normal;
    int layer;
    bool is_thin;
} Grain;

typedef struct Spread {
    const couShape *shape;
    int dimension;
    int layer;
    float d;        // spacing [m]
    float depth;    // of the layer [m]
    float edge;     // of a cube [m]
    couVec3 corner; // of all cubes [m]
    uint64_t *cubes;
    size_t cube_count, cube_capacity;
    couNear near;
    Grain *grains; // one for each entry of near
    size_t grain_capacity;
    bool has_failed;
} Spread;

// --- To the level ------------------------------------------------------------------------------------------------------------

static float measure(const Spread *spread, couVec3 p, couVec3 *normal)
{
    return couShape_DistanceNormal(spread->shape, spread->dimension, p, normal);
}

// Newton's steps to where the distance is `level`.
static bool reach_level(const Spread *spread, float level, couVec3 *p, couVec3 *normal)
{
    for (int k = 0; k < NEWTON_STEPS; ++k) {
        float off = measure(spread, *p, normal) - level;
        if (fabsf(off) < ACCURACY * spread->d) return true;
        *p = couMulAdd(*p, -off, *normal);
    }
    return false;
}

// The place between a and b where the gradient turns back from that at a, to that of the other side of a wall.
static bool find_middle(const Spread *spread, couVec3 a, couVec3 normal_a, couVec3 b, couVec3 normal_b, Settled *settled)
{
    couVec3 normal, start_normal = normal_a;
    for (int k = 0; k < BISECTIONS; ++k) {
        couVec3 middle = couScale(0.5f, couAdd(a, b));
        measure(spread, middle, &normal);
        if (couDot(normal, start_normal) < 0.5f * BACK)
            b = middle, normal_b = normal;
        else
            a = middle, normal_a = normal;
    }
    couVec3 p = couScale(0.5f, couAdd(a, b));
    float depth = -measure(spread, p, &normal), turn = couDot(normal_a, normal_b);
    if (depth < -ACCURACY * spread->d || !(turn < BACK) || !couIsFinite3(p)) return false;
    // Faces that meet at the angle phi, in an edge depth / sin(phi/2) away: samples begin d/2 before it, as under any surface.
    float to_edge = sqrtf(COU_MAX(0.5f * (1.0f + turn), 0.0f));
    if (depth < (0.5f * to_edge - 1e-3f) * spread->d) return false;
    *settled = (Settled){.point = p, .is_thin = turn < FAR_BACK && depth < 0.49f * spread->d};
    // Of the inner layers only those in the middle of walls that are thick enough for them.
    return spread->layer == 0 || depth >= spread->depth - SHALLOWER * spread->d;
}

// From the surface straight in, where there is no such depth.
static bool settle_thin(const Spread *spread, couVec3 p, Settled *settled)
{
    couVec3 start_normal, normal, last, last_normal;
    if (!reach_level(spread, 0.0f, &p, &start_normal)) return false;
    float step = 1.25f * spread->depth / WALK_STEPS;
    last = p, last_normal = start_normal;
    for (int k = 1; k <= WALK_STEPS; ++k) {
        couVec3 next = couMulAdd(p, -step * (float)k, start_normal);
        measure(spread, next, &normal);
        if (couDot(normal, start_normal) < BACK) return find_middle(spread, last, last_normal, next, normal, settled);
        last = next, last_normal = normal;
    }
    return false;
}

// Moves a point that has come to the level into the middle of the wall, where the sheet of the other side is too close.
static bool settle_between(const Spread *spread, couVec3 at, couVec3 normal, Settled *settled)
{
    couVec3 beyond = couMulAdd(at, -(spread->layer ? APART_LAYERS : APART_SIDES) * spread->d, normal), beyond_normal;
    float distance = measure(spread, beyond, &beyond_normal);
    if (-distance < spread->depth - ACCURACY * spread->d && couDot(beyond_normal, normal) < BACK)
        return find_middle(spread, at, normal, beyond, beyond_normal, settled);
    *settled = (Settled){.point = at, .normal = normal};
    return couIsFinite3(at);
}

static bool settle(const Spread *spread, couVec3 p, Settled *settled)
{
    couVec3 at = p, normal;
    if (!reach_level(spread, -spread->depth, &at, &normal)) return settle_thin(spread, p, settled);
    return settle_between(spread, at, normal, settled);
}

// --- Cubes -------------------------------------------------------------------------------------------------------------------

static couVec3 cube_corner(const Spread *spread, uint64_t cube)
{
    float e = spread->edge;
    return (couVec3){spread->corner.x + e * (float)(cube & 0x1fffff), spread->corner.y + e * (float)(cube >> 21 & 0x1fffff),
                     spread->dimension == 2 ? 0.0f : spread->corner.z + e * (float)(cube >> 42)};
}

// Cubes of 2^level edges each way that may have something between the surface and the depth in them, down to single ones.
static void find_cubes(Spread *spread, uint64_t cube, int level)
{
    if (spread->has_failed) return;
    float half = 0.5f * spread->edge * (float)(1 << level);
    couVec3 center = cube_corner(spread, cube);
    center.x += half, center.y += half;
    if (spread->dimension == 3) center.z += half;
    float distance = couShape_Distance(spread->shape, spread->dimension, center);
    float reach = half * (spread->dimension == 3 ? 1.7321f : 1.4143f), slope = spread->shape->slope;
    if (distance > 0.0f && couShape_Clearance(spread->shape, distance) > reach) return;
    if (distance < 0.0f && couShape_Clearance(spread->shape, distance) > reach + slope * spread->depth) return;
    // Distances of meshes may change faster than the place, but that is rare, and the points of other cubes reach here too.
    float shallow = spread->layer ? spread->depth - SHALLOWER * spread->d : 0.0f;
    if (level == 0 && (distance > reach - shallow || distance < -reach - spread->depth)) return;
    if (level > 0) {
        uint64_t step = (uint64_t)1 << (level - 1);
        for (uint64_t k = 0; k < (spread->dimension == 3 ? 8u : 4u); ++k)
            find_cubes(spread, cube + ((k & 1) + (k >> 1 & 1) * ((uint64_t)1 << 21) + (k >> 2) * ((uint64_t)1 << 42)) * step,
                       level - 1);
        return;
    }
    if (!COU_GROW(spread->near.memory, spread->cubes, spread->cube_capacity, spread->cube_count + 1)) {
        spread->has_failed = true;
        return;
    }
    spread->cubes[spread->cube_count++] = cube;
}

static void shuffle(uint64_t *cubes, size_t count)
{
    couRandom random = {couMix64(count)};
    for (size_t k = count; k > 1; --k) {
        size_t other = (size_t)(couNextRandom(&random) % k);
        uint64_t swap = cubes[k - 1];
        cubes[k - 1] = cubes[other], cubes[other] = swap;
    }
}

// --- Darts -------------------------------------------------------------------------------------------------------------------

typedef struct Query {
    const Spread *spread;
    couVec3 normal;
    couVec3 push; // sum of unit vectors
} Query;

// Not in the way: far enough for another layer, or for the other side of a wall.
static bool lets_be(void *context, uint32_t index, couVec3 away, float distance)
{
    (void)away;
    const Query *query = context;
    const Spread *spread = query->spread;
    const Grain *grain = &spread->grains[index];
    if (grain->layer != spread->layer) return distance >= APART_LAYERS * spread->d;
    return distance >= APART_SIDES * spread->d && couDot(grain->normal, query->normal) < BACK;
}

static bool is_free(const Spread *spread, const Settled *settled, float apart)
{
    Query query = {.spread = spread, .normal = settled->normal};
    return couNear_Visit(&spread->near, settled->point, apart * spread->d, lets_be, &query);
}

static void keep(Spread *spread, const Settled *settled)
{
    size_t count = spread->near.count;
    if (!COU_GROW(spread->near.memory, spread->grains, spread->grain_capacity, count + 1) ||
        !couNear_Add(&spread->near, settled->point)) {
        spread->has_failed = true;
        return;
    }
    spread->grains[count] = (Grain){settled->normal, spread->layer, settled->is_thin};
}

// A point of each cube, kept where nothing is nearer than `apart`.
static void throw_darts(Spread *spread, uint64_t round, float apart)
{
    for (size_t k = 0; k < spread->cube_count && !spread->has_failed; ++k) {
        couRandom random = {couMix64(spread->cubes[k] ^ couMix64(round + 16 * (uint64_t)spread->layer))};
        couVec3 p = cube_corner(spread, spread->cubes[k]);
        p.x += spread->edge * couRandomFloat(&random), p.y += spread->edge * couRandomFloat(&random);
        if (spread->dimension == 3) p.z += spread->edge * couRandomFloat(&random);
        // Most end here: where another sample is at the level, one in the middle of the wall would be as close.
        Settled settled = {.point = p};
        bool is_level = reach_level(spread, -spread->depth, &settled.point, &settled.normal);
        if (is_level && !is_free(spread, &settled, apart)) continue;
        bool is_good = is_level ? settle_between(spread, settled.point, settled.normal, &settled)
                                : settle_thin(spread, p, &settled);
        if (is_good && is_free(spread, &settled, apart)) keep(spread, &settled);
    }
}

// --- Repulsion ---------------------------------------------------------------------------------------------------------------

static bool add_push(void *context, uint32_t index, couVec3 away, float distance)
{
    Query *query = context;
    const Grain *other = &query->spread->grains[index];
    if (!(distance > 0.0f) || other->layer != query->spread->layer || couDot(other->normal, query->normal) < BACK) return true;
    float weight = 1.0f - distance / (REACH * query->spread->d);
    query->push = couMulAdd(query->push, weight * weight / distance, away);
    return true;
}

// Where a sample goes when those around it push it away; it stays where that would lead off the level.
static void push_away(const Spread *spread, size_t i, Settled *settled)
{
    couVec3 p = spread->near.entries[i].point;
    const Grain *grain = &spread->grains[i];
    *settled = (Settled){p, grain->normal, grain->is_thin};
    Query query = {.spread = spread, .normal = grain->normal};
    couNear_Visit(&spread->near, p, REACH * spread->d, add_push, &query);
    float length = couLength(query.push), most = 0.15f;
    couVec3 step = couScale(spread->d * (0.5f * length > most ? most / length : 0.5f), query.push);
    Settled moved;
    if (!settle(spread, couAdd(p, step), &moved)) return;
    if (couLength(couSub(moved.point, p)) < 0.3f * spread->d) *settled = moved;
}

static void even_out(Spread *spread, size_t first)
{
    size_t count = spread->near.count - first;
    Settled *moved = couAlloc(spread->near.memory, COU_MAX(count, 1) * sizeof *moved);
    if (!moved) {
        spread->has_failed = true;
        return;
    }
    for (int sweep = 0; sweep < SWEEPS; ++sweep) {
        for (size_t k = 0; k < count; ++k) push_away(spread, first + k, &moved[k]);
        for (size_t k = 0; k < count; ++k) {
            spread->near.entries[first + k].point = moved[k].point;
            spread->grains[first + k] = (Grain){moved[k].normal, spread->layer, moved[k].is_thin};
        }
        couNear_Relink(&spread->near);
    }
    couFree(spread->near.memory, moved);
}

// --- All -----------------------------------------------------------------------------------------------------------------------

static void spread_layer(Spread *spread, couBounds bounds, float apart)
{
    size_t first = spread->near.count;
    spread->depth = ((float)spread->layer + 0.5f) * spread->d;
    couVec3 size = couSub(bounds.upper, bounds.lower);
    float extent = COU_MAX(size.x, COU_MAX(size.y, spread->dimension == 2 ? 0.0f : size.z));
    int level = 0;
    spread->edge = CELL * spread->d;
    while (level < MOST_LEVELS && spread->edge * (float)(1 << level) < 1.001f * extent) ++level;
    couVec3 middle = couScale(0.5f, couAdd(bounds.lower, bounds.upper));
    float half = 0.5f * spread->edge * (float)(1 << level);
    spread->corner = couSub(middle, (couVec3){half, half, half});
    spread->cube_count = 0;
    find_cubes(spread, 0, level);
    shuffle(spread->cubes, spread->cube_count);
    for (uint64_t round = 0; round < ROUNDS; ++round) throw_darts(spread, round, apart);
    if (!spread->has_failed) even_out(spread, first);
    throw_darts(spread, ROUNDS, HOLE);
}

void couSampleSpread(couSampleList *list, const couShape *shape, int dimension, float spacing, int layers, couBounds bounds)
{
    Spread spread = {.shape = shape, .dimension = dimension, .d = spacing};
    spread.near = (couNear){.memory = list->memory, .dimension = dimension, .inv_cell = 1.0f / (1.5f * spacing)};
    for (spread.layer = 0; spread.layer < layers && !spread.has_failed; ++spread.layer)
        spread_layer(&spread, bounds, dimension == 2 ? APART_2D : APART_3D);
    for (size_t k = 0; k < spread.near.count && !spread.has_failed; ++k) {
        couSampleList_Add(list, spread.near.entries[k].point, (uint32_t)k, spread.grains[k].layer);
        list->is_thin |= spread.grains[k].is_thin;
    }
    list->has_failed |= spread.has_failed;
    couFree(list->memory, spread.cubes);
    couFree(list->memory, spread.grains);
    couSampleNear_Free(&spread.near);
}
