// Fluid and free bodies: the first two of the three global stages of [Clavet 2005, alg. 6]; the third is in collide.c.
//
// Going through particles one after the other and pushing the body each time makes floating bodies shake, since the first
// particle does not know that others will help it. So all particles first say what they would do to the body at its predicted
// place, then the body moves once, then the particles give way to where it finally is, as if it had infinite mass.
//
// The paper adds up the impulses as if the body would not give way. A body lighter than the fluid that touches it then flies
// off faster than it was pushed. Here the change of velocity u (six numbers: velocity and spin) is the one at which body and
// touching particles agree: particle i is moved along its normal n by x = depth + dt n.u(at i) where that is positive, and by m
// x / dt the body is pushed back:
//     (M + sum m g g^T) u = sum g-weighted impulses,   g = (n, r x n),
// a matrix of 6 x 6 over the particles that touch, found by a few Newton steps since who touches depends on u. For heavy bodies
// this is the paper's sum.
//
// What the third stage really gave, beyond what was expected here, goes into the body's velocity at the end of the step, so
// that momentum is kept to rounding. Where samples push the liquid (SPH), collisions are rare and hard, and bodies may be lighter
// than a particle: there the particles that were stopped take their part of it, by the same matrix, and go on with the body. A
// ball of a hundredth of a particle that took it alone was thrown at a hundred times the speed of what it had stopped.

#include "fluid/collide.h"
#include "rigid/impulse.h"

enum { NEWTON_STEPS = 5 };

// Adds what the touches of all bodies say, given the changes of velocity so far (six per body); returns how many touch.
static size_t gather(const couFluid *fluid, const double *changes, double dt, couImpulseSystem *systems)
{
    size_t active = 0;
    double grip = COU_GRIP * fluid->spacing;
    for (int block = 0; block < couTouchBlockCount(fluid); ++block) {
        const couTouchBlock *touches = &fluid->touches.items[block];
        for (size_t k = 0; k < touches->count; ++k) {
            const couTouch *touch = &touches->items[k];
            couImpulseSystem *system = &systems[touch->body];
            const double *u = changes + 6 * touch->body;
            double g[6], along = 0;
            couLever(touch->arm, touch->normal, g);
            for (int a = 0; a < 6; ++a) along += g[a] * u[a];
            double depth = touch->depth + dt * along;
            if (depth > 0) {
                ++active;
                couImpulseSystem_AddMass(system, g, touch->mass);
                couImpulseSystem_AddImpulse(system, g, -touch->mass * touch->depth / dt);
            }
            if (!(touch->share > 0.0f) || !(depth > -grip)) continue;
            ++active;
            couLever(touch->arm, touch->drag, g);
            couImpulseSystem_AddImpulse(system, g, -touch->mass / dt);
            couVec3 tangents[2];
            couFindAcross(touch->normal, tangents);
            for (int t = 0; t < 2; ++t) {
                couLever(touch->arm, tangents[t], g);
                couImpulseSystem_AddMass(system, g, touch->mass * touch->share);
            }
        }
    }
    return active;
}

// The changes of velocity at which bodies and particles agree; six numbers per body.
static bool find_changes(const couFluid *fluid, double dt, double *changes, couImpulseSystem *systems)
{
    const couBodies *bodies = fluid->bodies;
    size_t last_active = SIZE_MAX;
    for (int n = 0; n < NEWTON_STEPS; ++n) {
        memset(systems, 0, bodies->count * sizeof *systems);
        size_t active = gather(fluid, changes, dt, systems);
        for (size_t b = 0; b < bodies->count; ++b) {
            const couBody *body = &bodies->items[b];
            if (!couIsFree(body)) continue;
            for (int a = 0; a < 6; ++a) systems[b].right[a] += body->given[a];
            couImpulseSystem_AddBody(&systems[b], body, fluid->dimension);
            if (!couImpulseSystem_Solve(&systems[b], changes + 6 * b)) return false;
        }
        if (active == last_active) break;
        last_active = active;
    }
    return true;
}

// Puts the changes into the velocities and notes the impulse that they are.
static void apply_changes(couBodies *bodies, const double *changes, float dt)
{
    for (size_t b = 0; b < bodies->count; ++b) {
        couBody *body = &bodies->items[b];
        if (!couIsFree(body)) continue;
        const double *u = changes + 6 * b;
        double inertia[3][3];
        couInertiaToWorld(body, body->state.rotation, inertia);
        bool is_pushed = false;
        for (int a = 0; a < 3; ++a) {
            is_pushed |= u[a] != 0 || u[3 + a] != 0;
            body->taken[a] = body->mass * u[a];
            body->taken[3 + a] = inertia[a][0] * u[3] + inertia[a][1] * u[4] + inertia[a][2] * u[5];
        }
        if (!is_pushed) continue;
        if (body->is_asleep) { // it had no gravity yet
            body->state.velocity[0] += dt * (double)bodies->gravity.x;
            body->state.velocity[1] += dt * (double)bodies->gravity.y;
            body->state.velocity[2] += dt * (double)bodies->gravity.z;
            body->is_asleep = false;
        }
        body->still_seconds = 0;
        for (int a = 0; a < 3; ++a) body->state.velocity[a] += u[a], body->state.spin[a] += u[3 + a];
    }
}

void couPhase_Bodies(couStep *step)
{
    couFluid *fluid = step->fluid;
    couBodies *bodies = fluid->bodies;
    if (!bodies->free_count) return;
    couArenaMark mark = couArena_Mark(fluid->scratch);
    double *changes = COU_TAKE(fluid->scratch, double, 6 * bodies->count);
    couImpulseSystem *systems = COU_TAKE(fluid->scratch, couImpulseSystem, bodies->count);
    bool is_good = changes && systems && couFindTouches(step);
    if (is_good) {
        memset(changes, 0, 6 * bodies->count * sizeof *changes);
        if (find_changes(fluid, step->dt, changes, systems)) apply_changes(bodies, changes, step->dt);
        is_good = couMoveFreeBodies(bodies, step->dt, step->index, step->report);
    }
    if (!is_good) step->has_failed = true;
    couArena_Release(fluid->scratch, mark);
}

// The particles that a free body has stopped move on with it: what is left over is taken by all of them together.
static void add_stopped(const couFluid *fluid, couImpulseSystem *systems)
{
    for (int block = 0; block < couTouchBlockCount(fluid); ++block) {
        const couTouchBlock *touches = &fluid->touches.items[block];
        for (size_t k = 0; k < touches->count; ++k) {
            const couTouch *touch = &touches->items[k];
            double g[6];
            couLever(touch->arm, touch->normal, g);
            couImpulseSystem_AddMass(&systems[touch->body], g, touch->mass);
        }
    }
}

// Their part of it, as velocity alone: they stay where they are.
static void move_stopped(couFluid *fluid, const double *changes, float dt)
{
    couVec4 *previous = couFluid_Previous(fluid);
    for (int block = 0; block < couTouchBlockCount(fluid); ++block) {
        const couTouchBlock *touches = &fluid->touches.items[block];
        for (size_t k = 0; k < touches->count; ++k) {
            const couTouch *touch = &touches->items[k];
            double g[6];
            couLever(touch->arm, touch->normal, g);
            float way = dt * (float)couDot6(g, changes + 6 * touch->body);
            couVec4 *from = &previous[touch->particle];
            from->x -= way * touch->normal.x, from->y -= way * touch->normal.y, from->z -= way * touch->normal.z;
        }
    }
}

void couSettleImpulses(couStep *step)
{
    couFluid *fluid = step->fluid;
    couBodies *bodies = fluid->bodies;
    bool has_stopped = couKeepsTouches(fluid);
    double *changes = COU_TAKE(fluid->scratch, double, 6 * bodies->count);
    couImpulseSystem *systems = COU_TAKE(fluid->scratch, couImpulseSystem, bodies->count);
    if (!changes || !systems) {
        step->has_failed = true;
        return;
    }
    memset(changes, 0, 6 * bodies->count * sizeof *changes);
    memset(systems, 0, bodies->count * sizeof *systems);
    if (has_stopped) add_stopped(fluid, systems);
    for (size_t b = 0; b < bodies->count; ++b) {
        couBody *body = &bodies->items[b];
        double *u = changes + 6 * b;
        if (!couIsFree(body)) continue;
        for (int a = 0; a < 6; ++a) systems[b].right[a] = body->impulse[a] - body->taken[a], body->taken[a] = 0;
        couImpulseSystem_AddBody(&systems[b], body, fluid->dimension);
        if (!couImpulseSystem_Solve(&systems[b], u)) memset(u, 0, 6 * sizeof *u);
        for (int a = 0; a < 3; ++a) body->state.velocity[a] += u[a], body->state.spin[a] += u[3 + a];
    }
    if (has_stopped) move_stopped(fluid, changes, step->dt);
}
