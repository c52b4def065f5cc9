// Particles of methods whose walls are no samples (pvfs) against deformable solids: those that the step has put into a solid go
// back onto its surface and lose the speed with which they went in, which its points get. What presses the particles against it
// thus presses the solid: it sinks, floats and is carried along. One after the other, in the order of the table, which is that
// of the cells: the same on any number of threads. Momentum is kept to the rounding of the particles' velocities.

#include "fluid/soft_samples.h"
#include "soft/cell_finder.h"

typedef struct Guest {
    couDouble3 position, velocity;
    uint32_t row;
} Guest;

static bool is_within(couVec4 p, couDouble3 lower, couDouble3 upper)
{
    return (double)p.x >= lower.x && (double)p.x <= upper.x && (double)p.y >= lower.y && (double)p.y <= upper.y &&
           (double)p.z >= lower.z && (double)p.z <= upper.z;
}

// Particles in the box around the solid.
static size_t invite(const couFluid *fluid, couDouble3 lower, couDouble3 upper, Guest *guests)
{
    const couVec4 *x = couFluid_Position(fluid), *v = couFluid_Velocity(fluid);
    size_t count = 0;
    for (size_t i = 0; i < fluid->table.count; ++i) {
        if (!is_within(x[i], lower, upper)) continue;
        if (guests) guests[count] = (Guest){{x[i].x, x[i].y, x[i].z}, {v[i].x, v[i].y, v[i].z}, (uint32_t)i};
        ++count;
    }
    return count;
}

static void send_home(couFluid *fluid, const Guest *guests, size_t count)
{
    couVec4 *x = couFluid_Position(fluid), *v = couFluid_Velocity(fluid);
    for (size_t k = 0; k < count; ++k) {
        couVec3 p = couNarrow(guests[k].position), w = couNarrow(guests[k].velocity);
        couVec4 *at = &x[guests[k].row], *speed = &v[guests[k].row];
        at->x = p.x, at->y = p.y, at->z = p.z;
        speed->x = w.x, speed->y = w.y, speed->z = w.z;
    }
}

static bool touch(couFluid *fluid, couSolids *solids, couSolid *solid, float dt)
{
    float friction = solid->def.friction;
    float stickiness = friction >= 1.0f ? 1.0f : 1.0f - powf(1.0f - friction, 30.0f * dt); // as of bodies
    couDouble3 lower, upper;
    couBoundPoints3(solid->position, solid->def.mesh->point_count, &lower, &upper);
    size_t count = invite(fluid, lower, upper, NULL);
    if (!count) return true;
    couArenaMark mark = couArena_Mark(fluid->scratch);
    Guest *guests = COU_TAKE(fluid->scratch, Guest, count);
    couLoosePoint *points = COU_TAKE(fluid->scratch, couLoosePoint, count);
    bool is_good = guests && points;
    if (is_good) {
        invite(fluid, lower, upper, guests);
        for (size_t k = 0; k < count; ++k) {
            double mass = (double)fluid->mass[couFluid_Material(fluid)[guests[k].row]];
            points[k] = (couLoosePoint){&guests[k].position, &guests[k].velocity, 1.0 / mass, 0.0, 0.0, (double)stickiness};
        }
        is_good = couTouchPoints(solids, solid, points, count, lower, upper);
        if (is_good) send_home(fluid, guests, count);
    }
    couArena_Release(fluid->scratch, mark);
    return is_good;
}

bool couTouchSoft(couFluid *fluid, couSolids *solids, float dt)
{
    for (size_t s = 0; s < solids->count; ++s)
        if (solids->items[s].slot.is_here && !touch(fluid, solids, &solids->items[s], dt)) return false;
    return true;
}
