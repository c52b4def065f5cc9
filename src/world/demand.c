// What the scene asks of the fluid: the depth that it must carry and the speed that it reaches, estimated from what was filled
// in, emitters, blowers and the floor. Only an estimate: the user's depth and speed take its place.

#include "world/world.h"

// Height of the lowest surface that fluid can land on; -infinity without any body.
static float floor_height(const couWorld *world, couVec3 up)
{
    float lowest = INFINITY;
    for (size_t b = 0; b < world->bodies.count; ++b) {
        const couBody *body = &world->bodies.items[b];
        if (!body->slot.is_here || body->kind == cou_rigidFree) continue;
        couBounds bounds;
        float height;
        if (couShape_Bounds(body->def.shape, world->def.dimension, &bounds)) {
            height = INFINITY;
            for (int k = 0; k < 8; ++k) {
                couVec3 corner = {k & 1 ? bounds.upper.x : bounds.lower.x, k & 2 ? bounds.upper.y : bounds.lower.y,
                                  k & 4 ? bounds.upper.z : bounds.lower.z};
                height = COU_MIN(height, couDot(up, couToWorld(body->pose, corner)));
            }
        } else {
            height = couDot(up, body->pose.position);
        }
        lowest = COU_MIN(lowest, height);
    }
    return isfinite(lowest) ? lowest : -INFINITY;
}

// Speed after a fall from `height` with a speed at the top.
static float fall_speed(float g, float speed, float height) { return sqrtf(speed * speed + 2.0f * g * COU_MAX(height, 0.0f)); }

// Speed of liquid that a blower has pushed from one end to the other.
static float blown_speed(const couWorld *world, const couBlowerDef *def)
{
    couBounds bounds;
    if (!couShape_Bounds(def->shape, world->def.dimension, &bounds)) return 0.0f;
    return fall_speed(couBlower_Strength(&world->fluid, def), world->fluid_speed, bounds.upper.y - bounds.lower.y);
}

couDemand couEstimateDemand(const couWorld *world)
{
    couDemand given = {.depth = world->def.depth, .speed = world->def.speed};
    for (size_t e = 0; e < world->emitters.count; ++e)
        if (world->emitters.items[e].slot.is_here) given.is_jet = !world->fluid.table.count;
    return couEstimateDemandFor(world, given);
}

couDemand couEstimateDemandFor(const couWorld *world, couDemand demand)
{
    float g = couLength(world->fluid.gravity);
    couVec3 up = couWorld_Up(world);
    float floor = floor_height(world, up);
    bool has_fluid = world->fluid_top > world->fluid_bottom;
    float extent = has_fluid ? world->fluid_top - world->fluid_bottom : 0.0f;
    if (isnan(demand.depth)) {
        // Without a floor nothing is carried; with emitters alone, expect puddles of a few layers.
        demand.depth = isfinite(floor) ? COU_MAX(extent, 5.0f * world->def.spacing) : 0.0f;
    }
    if (isnan(demand.speed)) {
        demand.speed = world->fluid_speed;
        if (has_fluid && isfinite(floor)) demand.speed = fall_speed(g, world->fluid_speed, world->fluid_bottom - floor);
        for (size_t b = 0; b < world->bodies.count; ++b) { // a body may fall into it
            const couBody *body = &world->bodies.items[b];
            if (!couIsFree(body)) continue;
            float surface = has_fluid ? world->fluid_top : floor;
            float height = isfinite(surface) ? couDot(up, couBodyCenter(body, body->pose)) - surface : 0.0f;
            float own_g = couLength(world->bodies.gravity);
            demand.speed = COU_MAX(demand.speed, fall_speed(own_g, couLength(body->def.velocity), height));
        }
        for (size_t b = 0; b < world->fluid.blowers.count; ++b)
            if (world->fluid.blowers.items[b].slot.is_here)
                demand.speed = COU_MAX(demand.speed, blown_speed(world, &world->fluid.blowers.items[b].def));
        for (size_t e = 0; e < world->emitters.count; ++e) {
            const couEmitter *emitter = &world->emitters.items[e];
            if (!emitter->slot.is_here) continue;
            couPose pose = couEmitterPose(&emitter->def, world->time);
            float height = isfinite(floor) ? couDot(up, pose.position) - floor : 0.0f;
            demand.speed = COU_MAX(demand.speed, fall_speed(g, isnan(emitter->def.speed) ? 1.0f : emitter->def.speed, height));
        }
    }
    return demand;
}
