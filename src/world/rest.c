// Liquid that starts at rest: as if it had stood there for long. A lattice at the rest spacing has no pressure; where that
// follows from density the weight comes with the first step, and a column bounces on its own stiffness: in a tank of 22 layers
// the load on the bottom went from 0.2 to 1.8 of the weight in the first 0.2 s (wcsph). Here layers are as close as their depth
// asks for: by g z / c^2 = 2 e z / H, with e the height error of a pool of depth H; then it stays within 0.9 and 1.1. Depth is
// counted from the highest particle of the fluid, and includes what fluids at rest above it weigh. Each column of a spacing's
// width sinks onto its own lowest particle, so that floors may be round.
//
// Methods with a solver are left alone: their first step finds the pressures, and the load is within 1 % from then on. To start
// the solver from the pressures of the depth was tried: 0.94 to 1.03 of the weight instead of 0.99 to 1.004, since those of
// particles beside walls and surface are others.

#include "world/world.h"

typedef struct Columns {
    uint64_t *keys; // 0: free
    float *lowest;  // [m]
    size_t mask;
} Columns;

typedef struct Frame {
    couVec3 up, u, v;
    float inv_d;
} Frame;

static Frame make_frame(couVec3 up, float d, int dimension)
{
    couVec3 other = fabsf(up.y) < 0.9f ? (couVec3){0, 1, 0} : (couVec3){1, 0, 0};
    couVec3 u = couNormalize(couSub(other, couScale(couDot(other, up), up)));
    return (Frame){up, u, dimension == 2 ? (couVec3){0} : couCross(up, u), 1.0f / d};
}

// Where the column of x is, or would go. Lattices stand half a spacing off their bounds: rounding keeps them in the middle.
static size_t find_column(const Columns *columns, const Frame *frame, couVec3 origin, couVec3 x, uint64_t *key)
{
    couVec3 y = couSub(x, origin);
    int64_t a = llroundf(couDot(y, frame->u) * frame->inv_d), b = llroundf(couDot(y, frame->v) * frame->inv_d);
    *key = (((uint64_t)a & 0xffffffff) << 32 | ((uint64_t)b & 0xffffffff)) + 1;
    size_t slot = couMix64(*key) & columns->mask;
    while (columns->keys[slot] && columns->keys[slot] != *key) slot = (slot + 1) & columns->mask;
    return slot;
}

static bool open_columns(Columns *columns, size_t count)
{
    size_t size = 64;
    while (size < 2 * count) size *= 2;
    *columns = (Columns){couAlloc(NULL, size * sizeof(uint64_t)), couAlloc(NULL, size * sizeof(float)), size - 1};
    return columns->keys && columns->lowest;
}

static void close_columns(Columns *columns)
{
    couFree(NULL, columns->keys);
    couFree(NULL, columns->lowest);
}

// Highest and lowest end of a fluid [m].
static void find_ends(const couWorld *world, couRest rest, couVec3 up, float *top, float *bottom)
{
    const couVec4 *x = couFluid_Position(&world->fluid);
    *top = -INFINITY, *bottom = INFINITY;
    for (size_t i = rest.first; i < rest.first + rest.count; ++i) {
        float height = couDot(up, couXyz(x[i]));
        *top = COU_MAX(*top, height + 0.5f * world->def.spacing);
        *bottom = COU_MIN(*bottom, height - 0.5f * world->def.spacing);
    }
}

// What the fluids at rest above weigh on this one [Pa].
static float load_above(const couWorld *world, size_t own, float own_top, couVec3 up, float g)
{
    float load = 0.0f, top, bottom;
    for (size_t k = 0; k < world->rests.count; ++k) {
        if (k == own) continue;
        couRest rest = world->rests.items[k];
        find_ends(world, rest, up, &top, &bottom);
        if (bottom < own_top - 0.5f * world->def.spacing) continue;
        load += world->fluid.materials[couFluid_Material(&world->fluid)[rest.first]].density * g * (top - bottom);
    }
    return load;
}

// Layers as close as their pressure makes them; `deeper` is the depth that the load from above stands for [m].
static bool press_layers(couWorld *world, couRest rest, const Frame *frame, float top, float deeper)
{
    couFluid *fluid = &world->fluid;
    couVec4 *x = couFluid_Position(fluid);
    float slope = 2.0f * fluid->method->height_error(fluid) / COU_MAX(world->def.depth, fluid->spacing);
    Columns columns;
    uint64_t key;
    bool is_good = open_columns(&columns, rest.count);
    couVec3 origin = couXyz(x[rest.first]);
    for (size_t i = rest.first; is_good && i < rest.first + rest.count; ++i) {
        size_t slot = find_column(&columns, frame, origin, couXyz(x[i]), &key);
        float height = couDot(frame->up, couXyz(x[i])) - 0.5f * fluid->spacing;
        columns.lowest[slot] = columns.keys[slot] ? COU_MIN(columns.lowest[slot], height) : height;
        columns.keys[slot] = key;
    }
    for (size_t i = rest.first; is_good && i < rest.first + rest.count; ++i) {
        float y = couDot(frame->up, couXyz(x[i])), b = columns.lowest[find_column(&columns, frame, origin, couXyz(x[i]), &key)];
        float sunk = slope * (y - b) * (top + deeper - 0.5f * (y + b)); // the integral of slope (top + deeper - y) from b to y
        couVec3 moved = couMulAdd(couXyz(x[i]), -COU_MIN(sunk, 0.5f * (y - b)), frame->up);
        x[i].x = moved.x, x[i].y = moved.y, x[i].z = moved.z;
        couFluid_Previous(fluid)[i] = x[i];
    }
    close_columns(&columns);
    return is_good;
}

static bool settle(couWorld *world, size_t index, const Frame *frame, float g)
{
    couFluid *fluid = &world->fluid;
    couRest rest = world->rests.items[index];
    const couMethodTraits *traits = &fluid->method->traits;
    if (traits->has_pressure && !traits->has_state_equation) return true; // a solver finds it all with its first step
    float top, bottom;
    find_ends(world, rest, frame->up, &top, &bottom);
    float density = fluid->materials[couFluid_Material(fluid)[rest.first]].density;
    float load = load_above(world, index, top, frame->up, g);
    float *pressure = fluid->pressure_column >= 0 ? couTable_Data(&fluid->table, fluid->pressure_column) : NULL;
    for (size_t i = rest.first; pressure && i < rest.first + rest.count; ++i)
        pressure[i] = load + density * g * (top - couDot(frame->up, couXyz(couFluid_Position(fluid)[i])));
    return press_layers(world, rest, frame, top, load / (density * g));
}

bool couSettle(couWorld *world)
{
    float g = couLength(world->fluid.gravity);
    bool is_good = true;
    if (world->rests.count > 0 && g > 0.0f) {
        Frame frame = make_frame(couScale(-1.0f / g, world->fluid.gravity), world->def.spacing, world->def.dimension);
        for (size_t k = 0; is_good && k < world->rests.count; ++k) is_good = settle(world, k, &frame, g);
    }
    world->rests.count = 0;
    return is_good;
}
