// Bodies as samples, for the methods that want them: sampled once in their own frames, then placed where the bodies are.
//
// An unbounded shape (a floor) is sampled in tiles around the particles that come near it. Tiles are only added, and what is in one does
// not depend on when it was made; samples that no particle sees change no sum, so neither do old tiles.

#include "world/world.h"

#define TILE_SPACINGS 16 // edge of a tile / spacing

_Static_assert(COU_SPH_MAX_LAYERS <= COU_MAX_SAMPLE_LAYERS, "more layers than shapes can be sampled with");

void couFreeBodySamples(couWorld *world, couBody *body)
{
    couSamples_Free(&world->memory, &body->samples);
    couFree(&world->memory, body->sample_volumes);
    couFree(&world->memory, body->tiles);
    body->sample_volumes = NULL, body->tiles = NULL;
    body->tile_count = body->tile_capacity = 0;
    body->is_sampled = false;
}

bool couCheckSamples(const couWorld *world, couFaults *faults)
{
    const double most = 1e8; // 10 GB
    const couSphParams *p = world->fluid.params;
    bool is_good = true;
    for (size_t b = 0; b < world->body_count; ++b) {
        const couBody *body = &world->bodies[b];
        couBounds bounds;
        if (!body->is_here || !couShape_Bounds(body->def.shape, world->def.dimension, &bounds)) continue;
        double count = couEstimateSamples(body->def.shape, world->def.dimension, world->def.spacing, p->boundary_layers, NULL);
        if (count <= most) continue;
        couFaults_Add(faults, NULL, "body.shape",
                      "'%s' would take about %.2g samples at a spacing of %g m; at most %.0e are allowed", body->def.name, count,
                      (double)world->def.spacing, most);
        is_good = false;
    }
    return is_good;
}

// --- Bounded shapes ----------------------------------------------------------------------------------------------------------

static bool sample_body(couWorld *world, couBody *body)
{
    couFluid *fluid = &world->fluid;
    const couSphState *state = fluid->method_state;
    const couSphParams *p = fluid->params;
    if (!couSampleShape(&world->memory, body->def.shape, fluid->dimension, fluid->spacing, p->boundary_layers, NULL,
                        &body->samples))
        return false;
    size_t count = body->samples.count;
    couFree(&world->memory, body->sample_volumes);
    body->sample_volumes = couAlloc(&world->memory, (count + 1) * sizeof(float));
    if (!body->sample_volumes) return false;
    return couFindSampleVolumes(fluid->memory, &state->density_kernel, state->gamma, body->samples.points, count,
                                body->sample_volumes, &fluid->parallel);
}

// --- Tiles -------------------------------------------------------------------------------------------------------------------

static bool has_tile(const couBody *body, const int32_t tile[3])
{
    for (size_t k = body->tile_count; k-- > 0;) // the newest are the likeliest
        if (memcmp(body->tiles[k].place, tile, sizeof body->tiles[k].place) == 0) return true;
    return false;
}

static bool add_sample(couWorld *world, couSamples *samples, couVec3 x, uint32_t id)
{
    couMemory *memory = &world->memory;
    size_t count = samples->count + 1;
    if (!couReserve(memory, (void **)&samples->points, &samples->point_capacity, count, sizeof *samples->points) ||
        !couReserve(memory, (void **)&samples->ids, &samples->id_capacity, count, sizeof *samples->ids))
        return false;
    samples->points[samples->count] = x;
    samples->ids[samples->count++] = id;
    return true;
}

static bool add_tile(couWorld *world, couBody *body, const int32_t tile[3])
{
    couFluid *fluid = &world->fluid;
    const couSphParams *p = fluid->params;
    const couSphState *state = fluid->method_state;
    float edge = TILE_SPACINGS * fluid->spacing;
    couBounds region = {{edge * (float)tile[0], edge * (float)tile[1], edge * (float)tile[2]},
                        {edge * (float)(tile[0] + 1), edge * (float)(tile[1] + 1), edge * (float)(tile[2] + 1)}};
    if (!couReserve(&world->memory, (void **)&body->tiles, &body->tile_capacity, body->tile_count + 1, sizeof *body->tiles))
        return false;
    memcpy(body->tiles[body->tile_count++].place, tile, sizeof body->tiles[0].place);
    couSamples found = {0};
    bool is_good = couSampleShape(&world->memory, body->def.shape, fluid->dimension, fluid->spacing, p->boundary_layers, &region,
                                  &found);
    for (size_t k = 0; is_good && k < found.count; ++k) {
        couVec3 x = found.points[k];
        // A point on a border belongs to one tile only.
        bool is_own = couFloorInt(x.x / edge) == tile[0] && couFloorInt(x.y / edge) == tile[1] &&
                      couFloorInt(x.z / edge) == tile[2];
        if (is_own) is_good = add_sample(world, &body->samples, x, found.ids[k]);
    }
    body->samples.is_thin |= found.is_thin;
    couSamples_Free(&world->memory, &found);
    couFree(&world->memory, body->sample_volumes);
    body->sample_volumes = is_good ? couAlloc(&world->memory, (body->samples.count + 1) * sizeof(float)) : NULL;
    if (!body->sample_volumes) return false;
    for (size_t k = 0; k < body->samples.count; ++k) body->sample_volumes[k] = state->wall_volume;
    return true;
}

// Tiles within reach of the particles that are near the surface. `changed` is set when there are new ones.
static bool grow_tiles(couWorld *world, couBody *body, bool *changed)
{
    couFluid *fluid = &world->fluid;
    const couVec4 *x = couFluid_Position(fluid);
    float edge = TILE_SPACINGS * fluid->spacing, reach = 2.0f * fluid->h;
    int32_t last[3] = {INT32_MAX, 0, 0};
    for (size_t i = 0; i < fluid->table.count; ++i) {
        couVec3 local = couToLocal(body->start, couXyz(x[i]));
        int32_t low[3] = {couFloorInt((local.x - reach) / edge), couFloorInt((local.y - reach) / edge),
                          couFloorInt((local.z - reach) / edge)};
        int32_t high[3] = {couFloorInt((local.x + reach) / edge), couFloorInt((local.y + reach) / edge),
                           couFloorInt((local.z + reach) / edge)};
        if (memcmp(low, last, sizeof low) == 0 && memcmp(low, high, sizeof low) == 0) continue; // as the one before
        if (couShape_Distance(body->def.shape, fluid->dimension, local) > reach) continue;
        if (memcmp(low, high, sizeof low) == 0) memcpy(last, low, sizeof last);
        int32_t tile[3];
        for (tile[2] = low[2]; tile[2] <= high[2]; ++tile[2])
            for (tile[1] = low[1]; tile[1] <= high[1]; ++tile[1])
                for (tile[0] = low[0]; tile[0] <= high[0]; ++tile[0]) {
                    if (has_tile(body, tile)) continue;
                    if (!add_tile(world, body, tile)) return false;
                    *changed = true;
                }
    }
    return true;
}

// --- Placing -----------------------------------------------------------------------------------------------------------------

// The share of a sample that counts: none deep inside another fixed body; where bodies meet, each has a sample of the corner, and they
// share it.
static float sample_share(const couWorld *world, size_t own, couVec3 x, float depth)
{
    float shallow = 0.25f * world->fluid.spacing;
    int owners = 1;
    for (size_t b = 0; b < world->body_count; ++b) {
        const couBody *body = &world->bodies[b];
        if (b == own || !body->is_here || body->kind != cou_rigidFixed) continue;
        float distance = couShape_Distance(body->def.shape, world->def.dimension, couToLocal(body->start, x));
        if (distance < -depth) return 0.0f;
        owners += distance < -shallow;
    }
    return 1.0f / (float)owners;
}

static bool is_outside_period(const couPeriod *period, couVec3 x)
{
    const float at[3] = {x.x, x.y, x.z};
    for (int a = 0; a < 3; ++a) {
        bool repeats = period->length[a] > 0.0f;
        if (repeats && !(at[a] >= period->lower[a] && at[a] < period->lower[a] + period->length[a])) return true;
    }
    return false;
}

static bool place_body(couWorld *world, size_t b, float dt)
{
    couFluid *fluid = &world->fluid;
    couBoundary *boundary = &fluid->boundary;
    const couBody *body = &world->bodies[b];
    const couSphState *state = fluid->method_state;
    float depth = (0.25f + (float)((const couSphParams *)fluid->params)->boundary_layers) * fluid->spacing;
    size_t first = couTable_AddRows(&boundary->table, body->samples.count);
    if (first == SIZE_MAX) return false;
    size_t row = first;
    for (size_t k = 0; k < body->samples.count; ++k) {
        couVec3 x = couToWorld(body->start, body->samples.points[k]);
        float share = body->kind == cou_rigidFixed ? sample_share(world, b, x, depth) : 1.0f;
        if (share == 0.0f) continue;
        if (is_outside_period(&fluid->period, x)) continue;
        couVec3 v = {0};
        if (body->kind != cou_rigidFixed) v = couScale(1.0f / dt, couSub(couToWorld(body->end, body->samples.points[k]), x));
        float volume = share * COU_MIN(body->sample_volumes[k] / state->volume, COU_MOST_SAMPLE_VOLUME);
        couBoundary_Position(boundary)[row] = (couVec4){x.x, x.y, x.z, volume};
        couBoundary_Velocity(boundary)[row] = (couVec4){v.x, v.y, v.z, body->def.friction};
        couBoundary_Id(boundary)[row] = couMix32(body->samples.ids[k]) + (uint32_t)b;
        couBoundary_Body(boundary)[row] = (uint32_t)b;
        ++row;
    }
    boundary->table.count = row;
    return true;
}

bool couPlaceSamples(couStep *step)
{
    couWorld *world = step->world;
    couFluid *fluid = &world->fluid;
    bool has_changed = world->has_new_bodies, has_unbounded = false;
    for (size_t b = 0; b < world->body_count; ++b) {
        couBody *body = &world->bodies[b];
        if (!body->is_here) continue;
        couBounds bounds;
        bool is_bounded = couShape_Bounds(body->def.shape, fluid->dimension, &bounds);
        has_unbounded |= !is_bounded;
        if (!is_bounded && !grow_tiles(world, body, &has_changed)) return false;
        if (body->kind != cou_rigidFixed) has_changed = true;
    }
    if (!has_changed) return true;
    for (size_t b = 0; b < world->body_count; ++b) {
        couBody *body = &world->bodies[b];
        if (body->is_here && !body->is_sampled && !body->tile_count && !sample_body(world, body)) return false;
        body->is_sampled = true;
    }
    fluid->boundary.table.count = 0;
    fluid->boundary.is_sorted = false;
    fluid->has_thin_solids = false;
    fluid->boundary.is_still = true;
    for (size_t b = 0; b < world->body_count; ++b) {
        if (!world->bodies[b].is_here) continue;
        fluid->has_thin_solids |= world->bodies[b].samples.is_thin;
        fluid->boundary.is_still &= world->bodies[b].kind == cou_rigidFixed;
        if (!place_body(world, b, step->dt)) return false;
    }
    world->has_new_bodies = false;
    // What does not move is not placed again, unless bodies come or go or a floor grows.
    for (size_t b = 0; fluid->boundary.is_still && !has_unbounded && b < world->body_count; ++b)
        couFreeBodySamples(world, &world->bodies[b]);
    return true;
}

couVec3 couWallVelocity(const couStep *step, int32_t body, couVec3 x)
{
    const couWorld *world = step->world;
    const couBody *b = &world->bodies[body];
    if (b->kind == cou_rigidFixed) return (couVec3){0};
    return couScale(1.0f / step->dt, couSub(couToWorld(b->end, couToLocal(b->start, x)), x));
}
