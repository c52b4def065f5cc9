// An unbounded shape (a floor) is sampled in tiles around the particles that come near it. Tiles are only added, and what is in
// one does not depend on when it was made; samples that no particle sees change no sum, so neither do old tiles.

#include "fluid/body_samples.h"

#include "fluid/sample_volumes.h"
#include "fluid/soft_samples.h"
#include "fluid/sph.h"

#define TILE_SPACINGS 16 // edge of a tile / spacing
#define MOST_ROOM 2.0    // of samples that were given / that of a flat wall's, without a warning

_Static_assert(COU_SPH_MAX_LAYERS <= COU_MAX_SAMPLE_LAYERS, "more layers than shapes can be sampled with");

void couClearSamples(couFluid *fluid, couBodySamples *own)
{
    couSamples_Free(fluid->memory, &own->samples);
    couFree(fluid->memory, own->volumes);
    couFree(fluid->memory, own->shares);
    couFree(fluid->memory, own->solids);
    COU_FREE_ARRAY(fluid->memory, &own->tiles);
    own->volumes = own->shares = own->solids = NULL;
    own->share_capacity = own->solid_capacity = own->settled_count = 0;
    own->is_sampled = false;
}

void couFreeBodySamples(couFluid *fluid)
{
    for (size_t b = 0; b < fluid->body_samples.count; ++b) couClearSamples(fluid, &fluid->body_samples.items[b]);
    COU_FREE_ARRAY(fluid->memory, &fluid->body_samples);
}

void couForgetBodySamples(couFluid *fluid)
{
    couFreeSoft(fluid);
    if (!fluid->body_samples.count) return;
    couFreeBodySamples(fluid);
    fluid->sampled_change = UINT64_MAX;
}

// Thickness of a closed shell / spacing: the edges of a thinner one have too few samples. With the long steps of the solvers
// liquid gathers there and blows up; equations of state, in a full box of ten spacings, burst with 6 m/s at 0.3 d, 3 at 0.6, 1.7
// at 0.8. What a wider support reaches beyond 2.25 d counts as well: with 2.75 d a full box in walls of 1.15 d gets 4.4 m/s.
#define LEAST_SHELL 1.1
#define USUAL_SUPPORT 2.25

static bool check_shell(const couFluid *fluid, const couBody *body, couFaults *faults)
{
    const couShapeDef *def = couShape_Def(body->def.shape);
    bool is_closed = def->kind == cou_shapeShell && !def->is_open;
    double thick = LEAST_SHELL + fmax((double)(fluid->h / fluid->spacing) - USUAL_SUPPORT, 0),
           least = thick * (double)fluid->spacing;
    if (!is_closed || def->thickness >= (float)least) return true;
    couFaults_Add(
        faults, NULL, "body.shape",
        "'%s' is a closed shell with walls of %g m: %s needs %g m (%g spacings) or more to hold a full box; a finer spacing "
        "or thicker walls do",
        body->def.name, (double)def->thickness, fluid->method->name, least, thick);
    return false;
}

bool couCheckSamples(const couFluid *fluid, couFaults *faults)
{
    const double most = 1e8; // 10 GB
    bool is_good = true;
    for (size_t b = 0; b < fluid->bodies->count; ++b) {
        const couBody *body = &fluid->bodies->items[b];
        couBounds bounds;
        if (!body->slot.is_here || !couShape_Bounds(body->def.shape, fluid->dimension, &bounds)) continue;
        is_good = check_shell(fluid, body, faults) && is_good;
        double count = couEstimateSamples(body->def.shape, fluid->dimension, fluid->spacing, couSph_BoundaryLayers(fluid), NULL);
        if (count <= most) continue;
        couFaults_Add(faults, NULL, "body.shape",
                      "'%s' would take about %.2g samples at a spacing of %g m; at most %.0e are allowed", body->def.name, count,
                      (double)fluid->spacing, most);
        is_good = false;
    }
    return is_good;
}

// --- Bounded shapes ----------------------------------------------------------------------------------------------------------

static bool add_sample(couMemory *memory, couSamples *samples, couVec3 x, uint32_t id)
{
    size_t count = samples->count + 1;
    if (!COU_GROW(memory, samples->points, samples->point_capacity, count) ||
        !COU_GROW(memory, samples->ids, samples->id_capacity, count))
        return false;
    samples->points[samples->count] = x;
    samples->ids[samples->count++] = id;
    return true;
}

// The points that the body was given instead of those of its shape, which still say where it is thin.
static bool take_given(couFluid *fluid, const couBody *body, couSamples *samples)
{
    samples->count = 0;
    for (size_t k = 0; k < body->def.sample_count; ++k)
        if (!add_sample(fluid->memory, samples, body->def.samples[k], (uint32_t)k)) return false;
    return true;
}

// A sample stands for the room that it has among the others.
static void warn_of_gaps(const couFluid *fluid, const couBody *body, const couBodySamples *own)
{
    const couSphState *state = fluid->method_state;
    double sum = 0;
    for (size_t k = 0; k < own->samples.count; ++k) sum += (double)own->volumes[k];
    double room = sum / ((double)own->samples.count * (double)state->wall_volume);
    if (room <= MOST_ROOM) return;
    couLog(cou_logWarning,
           "the %zu samples given for the body '%s' have %.1f times the room of a wall's at a spacing of %g m: liquid may leak "
           "between them",
           own->samples.count, body->def.name, room, (double)fluid->spacing);
}

bool couSampleBody(couFluid *fluid, const couBody *body, couBodySamples *own)
{
    if (!couSampleShape(fluid->memory, body->def.shape, fluid->dimension, fluid->spacing, couSph_BoundaryLayers(fluid), NULL,
                        &own->samples))
        return false;
    if (body->def.sample_count && !take_given(fluid, body, &own->samples)) return false;
    size_t count = own->samples.count;
    couFree(fluid->memory, own->volumes);
    own->volumes = couAlloc(fluid->memory, (count + 1) * sizeof(float));
    const couShape *shape = body->def.sample_count ? NULL : body->def.shape;
    if (!own->volumes || !couFindSampleVolumes(fluid, shape, own->samples.points, count, own->volumes)) return false;
    if (body->def.sample_count) warn_of_gaps(fluid, body, own);
    return true;
}

// --- Tiles -------------------------------------------------------------------------------------------------------------------

static bool has_tile(const couBodySamples *own, const int32_t tile[3])
{
    for (size_t k = own->tiles.count; k-- > 0;) // the newest are the likeliest
        if (memcmp(own->tiles.items[k].place, tile, sizeof own->tiles.items[k].place) == 0) return true;
    return false;
}

static bool add_tile(couFluid *fluid, const couBody *body, couBodySamples *own, const int32_t tile[3])
{
    const couSphState *state = fluid->method_state;
    couMemory *memory = fluid->memory;
    float edge = TILE_SPACINGS * fluid->spacing;
    couBounds region = {{edge * (float)tile[0], edge * (float)tile[1], edge * (float)tile[2]},
                        {edge * (float)(tile[0] + 1), edge * (float)(tile[1] + 1), edge * (float)(tile[2] + 1)}};
    if (!COU_RESERVE(memory, &own->tiles, own->tiles.count + 1)) return false;
    memcpy(own->tiles.items[own->tiles.count++].place, tile, sizeof own->tiles.items[0].place);
    couSamples found = {0};
    bool is_good = couSampleShape(memory, body->def.shape, fluid->dimension, fluid->spacing, couSph_BoundaryLayers(fluid),
                                  &region, &found);
    for (size_t k = 0; is_good && k < found.count; ++k) {
        couVec3 x = found.points[k];
        // A point on a border belongs to one tile only.
        bool is_own = couFloorInt(x.x / edge) == tile[0] && couFloorInt(x.y / edge) == tile[1] &&
                      couFloorInt(x.z / edge) == tile[2];
        if (is_own) is_good = add_sample(memory, &own->samples, x, found.ids[k]);
    }
    own->samples.is_thin |= found.is_thin;
    couSamples_Free(memory, &found);
    couFree(memory, own->volumes);
    own->volumes = is_good ? couAlloc(memory, (own->samples.count + 1) * sizeof(float)) : NULL;
    if (!own->volumes) return false;
    for (size_t k = 0; k < own->samples.count; ++k) own->volumes[k] = state->wall_volume;
    return true;
}

// Tiles within reach of one particle near the surface; `last` are the only ones of the particle before.
static bool reach_tiles(couFluid *fluid, const couBody *body, couBodySamples *own, couVec3 x, int32_t last[3], bool *changed)
{
    float edge = TILE_SPACINGS * fluid->spacing, reach = 2.0f * fluid->h;
    couVec3 local = couToLocal(body->start, x);
    int32_t low[3] = {couFloorInt((local.x - reach) / edge), couFloorInt((local.y - reach) / edge),
                      couFloorInt((local.z - reach) / edge)};
    int32_t high[3] = {couFloorInt((local.x + reach) / edge), couFloorInt((local.y + reach) / edge),
                       couFloorInt((local.z + reach) / edge)};
    if (memcmp(low, last, sizeof low) == 0 && memcmp(low, high, sizeof low) == 0) return true;
    if (couShape_Distance(body->def.shape, fluid->dimension, local) > reach) return true;
    if (memcmp(low, high, sizeof low) == 0) memcpy(last, low, sizeof low);
    int32_t tile[3];
    for (tile[2] = low[2]; tile[2] <= high[2]; ++tile[2])
        for (tile[1] = low[1]; tile[1] <= high[1]; ++tile[1])
            for (tile[0] = low[0]; tile[0] <= high[0]; ++tile[0]) {
                if (has_tile(own, tile)) continue;
                if (!add_tile(fluid, body, own, tile)) return false;
                *changed = true;
            }
    return true;
}

// Tiles within reach of the particles that are near the surface. `changed` is set when there are new ones.
static bool grow_tiles(couFluid *fluid, const couBody *body, couBodySamples *own, bool *changed)
{
    const couVec4 *x = couFluid_Position(fluid);
    const couGrid *grid = &fluid->grid;
    float far = 2.0f * fluid->h + 1.8f * couFluid_CellSize(fluid); // from there on no particle of the cell is near
    int32_t last[3] = {INT32_MAX, 0, 0};
    for (size_t c = 0; c < grid->cell_count; ++c) {
        couVec3 first = couToLocal(body->start, couXyz(x[grid->cell_start[c]]));
        if (couShape_Distance(body->def.shape, fluid->dimension, first) > far) continue;
        for (uint32_t i = grid->cell_start[c]; i < grid->cell_start[c + 1]; ++i)
            if (!reach_tiles(fluid, body, own, couXyz(x[i]), last, changed)) return false;
    }
    return true;
}

// --- What is solid around a sample -------------------------------------------------------------------------------------------

// A lattice point around a sample and its part in the density there.
typedef struct Point {
    couVec3 offset;
    float weight;
} Point;

typedef struct Points {
    Point *items;
    size_t count;
} Points;

static bool take_points(couFluid *fluid, Points *points)
{
    const couSphState *state = fluid->method_state;
    float d = fluid->spacing;
    int reach = (int)ceilf(fluid->h / d), deep = fluid->dimension == 3 ? reach : 0, edge = 2 * reach + 1;
    *points = (Points){COU_TAKE(fluid->scratch, Point, (size_t)(edge * edge * (2 * deep + 1))), 0};
    if (!points->items) return false;
    double unit = pow(d, fluid->dimension) * (double)state->density_unit;
    for (int k = -deep; k <= deep; ++k)
        for (int j = -reach; j <= reach; ++j)
            for (int i = -reach; i <= reach; ++i) {
                couVec3 offset = {d * (float)i, d * (float)j, d * (float)k};
                double weight = unit * couKernel_Value(&state->density_kernel, couLength(offset));
                if (weight > 0) points->items[points->count++] = (Point){offset, (float)weight};
            }
    return true;
}

// Where a body is while its samples are settled: what moves, in its own frame, so that it does not depend on when that is done.
static couPose settled_pose(const couBody *body) { return body->kind == cou_rigidFixed ? body->start : COU_POSE_IDENTITY; }

// The share of a cell of the lattice around x that is solid: of the body, or of it and all fixed ones. Its border is taken as
// flat.
static float solid_share(const couFluid *fluid, const couBody *own, couVec3 x)
{
    float inv_d = 1.0f / fluid->spacing;
    float share = 0.5f - inv_d * couShape_Distance(own->def.shape, fluid->dimension, couToLocal(settled_pose(own), x));
    for (size_t b = 0; own->kind == cou_rigidFixed && share < 1.0f && b < fluid->bodies->count; ++b) {
        const couBody *body = &fluid->bodies->items[b];
        if (body == own || !body->slot.is_here || body->kind != cou_rigidFixed) continue;
        float distance = couShape_Distance(body->def.shape, fluid->dimension, couToLocal(body->start, x));
        share = COU_MAX(share, 0.5f - inv_d * distance);
    }
    return COU_CLAMP(share, 0.0f, 1.0f);
}

// --- Placing -----------------------------------------------------------------------------------------------------------------

// The share of a sample that counts: none deep inside another fixed body; where bodies meet, each has a sample of the corner,
// and they share it.
static float sample_share(const couFluid *fluid, const couBody *own, couVec3 x, float depth)
{
    float shallow = 0.25f * fluid->spacing;
    int owners = 1;
    for (size_t b = 0; b < fluid->bodies->count; ++b) {
        const couBody *body = &fluid->bodies->items[b];
        if (body == own || !body->slot.is_here || body->kind != cou_rigidFixed) continue;
        float distance = couShape_Distance(body->def.shape, fluid->dimension, couToLocal(body->start, x));
        if (distance < -depth) return 0.0f;
        owners += distance < -shallow;
    }
    return 1.0f / (float)owners;
}

typedef struct SettleJob {
    const couFluid *fluid;
    const couBody *body;
    couBodySamples *own;
    size_t first; // sample
    Points points;
} SettleJob;

static void settle_block(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)block, (void)worker;
    const SettleJob *job = context;
    const couFluid *fluid = job->fluid;
    float depth = (0.25f + (float)couSph_BoundaryLayers(fluid)) * fluid->spacing;
    for (size_t k = job->first + begin; k < job->first + end; ++k) {
        couVec3 x = couToWorld(settled_pose(job->body), job->own->samples.points[k]);
        job->own->shares[k] = job->body->kind == cou_rigidFixed ? sample_share(fluid, job->body, x, depth) : 1.0f;
        float solid = 0.0f;
        for (size_t n = 0; n < job->points.count && job->own->shares[k] > 0.0f; ++n)
            solid += job->points.items[n].weight * solid_share(fluid, job->body, couAdd(x, job->points.items[n].offset));
        job->own->solids[k] = solid;
    }
}

// What does not change while no body comes, goes or is changed; where a floor has grown, for the new tiles. False without memory.
bool couSettleSamples(couFluid *fluid, const couBody *body, couBodySamples *own)
{
    size_t count = own->samples.count, first = own->settled_change == fluid->bodies->change_count ? own->settled_count : 0;
    if (first == count && count) return true;
    if (!COU_GROW(fluid->memory, own->shares, own->share_capacity, count + 1) ||
        !COU_GROW(fluid->memory, own->solids, own->solid_capacity, count + 1))
        return false;
    SettleJob job = {.fluid = fluid, .body = body, .own = own, .first = first};
    couArenaMark mark = couArena_Mark(fluid->scratch);
    bool is_good = !couSph_HasWallPressure(fluid) || take_points(fluid, &job.points); // otherwise nobody asks what is solid
    if (is_good) couFor(&fluid->parallel, count - first, 256, settle_block, &job);
    couArena_Release(fluid->scratch, mark);
    own->settled_count = count;
    own->settled_change = fluid->bodies->change_count;
    return is_good;
}

bool couIsOutsidePeriod(const couPeriod *period, couVec3 x)
{
    const float at[3] = {x.x, x.y, x.z};
    for (int a = 0; a < 3; ++a) {
        bool repeats = period->length[a] > 0.0f;
        if (repeats && !(at[a] >= period->lower[a] && at[a] < period->lower[a] + period->length[a])) return true;
    }
    return false;
}

static bool place_body(couFluid *fluid, size_t b, float dt)
{
    couBoundary *boundary = &fluid->boundary;
    const couBody *body = &fluid->bodies->items[b];
    couBodySamples *own = &fluid->body_samples.items[b];
    const couSphState *state = fluid->method_state;
    if (!couSettleSamples(fluid, body, own)) return false;
    size_t row = couTable_AddRows(&boundary->table, own->samples.count);
    if (row == SIZE_MAX) return false;
    for (size_t k = 0; k < own->samples.count; ++k) {
        couVec3 x = couToWorld(body->start, own->samples.points[k]);
        float share = own->shares[k];
        if (share == 0.0f || couIsOutsidePeriod(&fluid->period, x)) continue;
        couVec3 v = {0};
        if (body->kind != cou_rigidFixed) v = couScale(1.0f / dt, couSub(couToWorld(body->end, own->samples.points[k]), x));
        float volume = share * COU_MIN(own->volumes[k] / state->volume, COU_MOST_SAMPLE_VOLUME);
        couBoundary_Position(boundary)[row] = (couVec4){x.x, x.y, x.z, volume};
        couBoundary_Velocity(boundary)[row] = (couVec4){v.x, v.y, v.z, body->def.friction};
        couBoundary_Id(boundary)[row] = couMix32(own->samples.ids[k]) + (uint32_t)b;
        couBoundary_Body(boundary)[row] = (uint32_t)b;
        couBoundary_Solid(boundary)[row] = own->solids[k];
        ++row;
    }
    boundary->table.count = row;
    return true;
}

// Room for every body's samples; those of bodies whose place another has taken are forgotten.
static bool follow_bodies(couFluid *fluid)
{
    const couBodies *bodies = fluid->bodies;
    if (!COU_RESERVE(fluid->memory, &fluid->body_samples, bodies->count)) return false;
    fluid->body_samples.count = bodies->count;
    for (size_t b = 0; b < bodies->count; ++b) {
        couBodySamples *own = &fluid->body_samples.items[b];
        if (own->generation != bodies->items[b].slot.generation) couClearSamples(fluid, own);
        own->generation = bodies->items[b].slot.generation;
    }
    return true;
}

// Places them all anew. False without memory.
static bool place_all(couStep *step)
{
    couFluid *fluid = step->fluid;
    const couBodies *bodies = fluid->bodies;
    for (size_t b = 0; b < bodies->count; ++b) {
        const couBody *body = &bodies->items[b];
        couBodySamples *own = &fluid->body_samples.items[b];
        bool is_new = body->slot.is_here && !own->is_sampled && !own->tiles.count;
        if (is_new && !couSampleBody(fluid, body, own)) return false;
        own->is_sampled = body->slot.is_here; // the next in this place is still to be sampled
    }
    fluid->boundary.table.count = 0;
    fluid->boundary.is_sorted = false;
    fluid->has_thin_solids = false;
    fluid->boundary.is_still = true;
    for (size_t b = 0; b < bodies->count; ++b) {
        if (!bodies->items[b].slot.is_here) continue;
        fluid->has_thin_solids |= fluid->body_samples.items[b].samples.is_thin;
        fluid->boundary.is_still &= bodies->items[b].kind == cou_rigidFixed;
        if (!place_body(fluid, b, step->dt)) return false;
    }
    return couPlaceSoft(step);
}

bool couPlaceSamples(couStep *step)
{
    couFluid *fluid = step->fluid;
    const couBodies *bodies = fluid->bodies;
    if (!follow_bodies(fluid)) return false;
    bool has_changed = fluid->sampled_change != bodies->change_count || fluid->solids->count, has_unbounded = false;
    for (size_t b = 0; b < bodies->count; ++b) {
        const couBody *body = &bodies->items[b];
        if (!body->slot.is_here) continue;
        couBounds bounds;
        bool is_bounded = couShape_Bounds(body->def.shape, fluid->dimension, &bounds);
        has_unbounded |= !is_bounded;
        if (!is_bounded && !grow_tiles(fluid, body, &fluid->body_samples.items[b], &has_changed)) return false;
        if (body->kind != cou_rigidFixed) has_changed = true;
    }
    if (!has_changed) return true;
    if (!place_all(step)) return false;
    fluid->sampled_change = bodies->change_count;
    // What does not move is not placed again, unless bodies come or go or a floor grows.
    for (size_t b = 0; fluid->boundary.is_still && !has_unbounded && b < bodies->count; ++b)
        couClearSamples(fluid, &fluid->body_samples.items[b]);
    return true;
}
