// Fluid and free bodies: the first two of the three global stages of [Clavet 2005, alg. 6]; the third is in collide.c.
//
// Going through particles one after the other and pushing the body each time makes floating bodies shake, since the first particle does
// not know that others will help it. So all particles first say what they would do to the body at its predicted place, then the body
// moves once, then the particles give way to where it finally is, as if it had infinite mass.
//
// The paper adds up the impulses as if the body would not give way. A body lighter than the fluid that touches it then flies off
// faster than it was pushed. Here the change of velocity u (six numbers: velocity and spin) is the one at which body and touching
// particles agree: particle i is moved along its normal n by x = depth + dt n.u(at i) where that is positive, and by m x / dt the body
// is pushed back:
//     (M + sum m g g^T) u = sum g-weighted impulses,   g = (n, r x n),
// a matrix of 6 x 6 over the particles that touch, found by a few Newton steps since who touches depends on u. For heavy bodies this is
// the paper's sum.
//
// What the third stage really gave, beyond what was expected here, goes into the body's velocity at the end of the step, so
// that momentum is kept to rounding.

#include "world/world.h"

enum { NEWTON_STEPS = 5 };

typedef struct System {
    double matrix[6][6]; // lower triangle
    double right[6];
} System;

// g = (direction, arm x direction)
static void lever(couVec3 arm, couVec3 direction, double g[6])
{
    g[0] = direction.x, g[1] = direction.y, g[2] = direction.z;
    g[3] = (double)arm.y * direction.z - (double)arm.z * direction.y;
    g[4] = (double)arm.z * direction.x - (double)arm.x * direction.z;
    g[5] = (double)arm.x * direction.y - (double)arm.y * direction.x;
}

static void add_mass(System *system, const double g[6], double mass)
{
    for (int a = 0; a < 6; ++a)
        for (int b = 0; b <= a; ++b) system->matrix[a][b] += mass * g[a] * g[b];
}

static void add_impulse(double right[6], const double g[6], double size)
{
    for (int a = 0; a < 6; ++a) right[a] += size * g[a];
}

// Two directions across the normal.
static void tangents(couVec3 normal, couVec3 *s, couVec3 *t)
{
    couVec3 other = fabsf(normal.x) < 0.6f ? (couVec3){1, 0, 0} : (couVec3){0, 1, 0};
    *s = couNormalize(couCross(normal, other));
    *t = couCross(normal, *s);
}

static void add_body(System *system, const couBody *body, int dimension)
{
    double inertia[3][3];
    couInertiaToWorld(body, body->state.rotation, inertia);
    for (int a = 0; a < 3; ++a) {
        system->matrix[a][a] += body->mass;
        for (int b = 0; b <= a; ++b) system->matrix[3 + a][3 + b] += inertia[a][b];
    }
    if (dimension == 3) return;
    // In the plane: no motion along z, no turning out of it.
    static const int locked[] = {2, 3, 4};
    for (int k = 0; k < COU_COUNT(locked); ++k) {
        for (int a = 0; a < 6; ++a) system->matrix[COU_MAX(a, locked[k])][COU_MIN(a, locked[k])] = 0;
        system->matrix[locked[k]][locked[k]] = 1;
        system->right[locked[k]] = 0;
    }
}

// Cholesky; false when it is not positive.
static bool solve(System *system, double u[6])
{
    double(*m)[6] = system->matrix;
    for (int a = 0; a < 6; ++a) {
        for (int b = 0; b <= a; ++b) {
            double sum = m[a][b];
            for (int k = 0; k < b; ++k) sum -= m[a][k] * m[b][k];
            if (a == b && !(sum > 0)) return false;
            m[a][b] = a == b ? sqrt(sum) : sum / m[b][b];
        }
    }
    for (int a = 0; a < 6; ++a) {
        u[a] = system->right[a];
        for (int k = 0; k < a; ++k) u[a] -= m[a][k] * u[k];
        u[a] /= m[a][a];
    }
    for (int a = 5; a >= 0; --a) {
        for (int k = a + 1; k < 6; ++k) u[a] -= m[k][a] * u[k];
        u[a] /= m[a][a];
    }
    return true;
}

// Adds what the touches of all bodies say, given the changes of velocity so far (six per body); returns how many touch.
static size_t gather(const couWorld *world, const double *changes, double dt, System *systems)
{
    size_t active = 0;
    double grip = COU_GRIP * world->def.spacing;
    for (int block = 0; block < couTouchBlockCount(world); ++block) {
        const couTouchBlock *touches = &world->touches[block];
        for (size_t k = 0; k < touches->count; ++k) {
            const couTouch *touch = &touches->items[k];
            System *system = &systems[touch->body];
            const double *u = changes + 6 * touch->body;
            double g[6], along = 0;
            lever(touch->arm, touch->normal, g);
            for (int a = 0; a < 6; ++a) along += g[a] * u[a];
            double depth = touch->depth + dt * along;
            if (depth > 0) {
                ++active;
                add_mass(system, g, touch->mass);
                add_impulse(system->right, g, -touch->mass * touch->depth / dt);
            }
            if (!(touch->share > 0.0f) || !(depth > -grip)) continue;
            ++active;
            lever(touch->arm, touch->drag, g);
            add_impulse(system->right, g, -touch->mass / dt);
            couVec3 s, t;
            tangents(touch->normal, &s, &t);
            lever(touch->arm, s, g);
            add_mass(system, g, touch->mass * touch->share);
            lever(touch->arm, t, g);
            add_mass(system, g, touch->mass * touch->share);
        }
    }
    return active;
}

// The changes of velocity at which bodies and particles agree; six numbers per body.
static bool find_changes(const couWorld *world, double dt, double *changes, System *systems)
{
    size_t last_active = SIZE_MAX;
    for (int n = 0; n < NEWTON_STEPS; ++n) {
        memset(systems, 0, world->body_count * sizeof *systems);
        size_t active = gather(world, changes, dt, systems);
        for (size_t b = 0; b < world->body_count; ++b) {
            const couBody *body = &world->bodies[b];
            if (!body->is_here || body->kind != cou_rigidFree) continue;
            for (int a = 0; a < 6; ++a) systems[b].right[a] += body->given[a];
            add_body(&systems[b], body, world->def.dimension);
            if (!solve(&systems[b], changes + 6 * b)) return false;
        }
        if (active == last_active) break;
        last_active = active;
    }
    return true;
}

// Puts the changes into the velocities and notes the impulse that they are.
static void apply_changes(couWorld *world, const double *changes, float dt)
{
    for (size_t b = 0; b < world->body_count; ++b) {
        couBody *body = &world->bodies[b];
        if (!body->is_here || body->kind != cou_rigidFree) continue;
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
            body->state.velocity[0] += dt * (double)world->fluid.gravity.x;
            body->state.velocity[1] += dt * (double)world->fluid.gravity.y;
            body->state.velocity[2] += dt * (double)world->fluid.gravity.z;
            body->is_asleep = false;
        }
        body->still_seconds = 0;
        for (int a = 0; a < 3; ++a) body->state.velocity[a] += u[a], body->state.spin[a] += u[3 + a];
    }
}

void couCouple(couStep *step)
{
    couWorld *world = step->world;
    if (!world->free_count) return;
    size_t doubles = world->body_count * (6 + sizeof(System) / sizeof(double));
    if (!couFindTouches(step) ||
        !couReserve(&world->memory, (void **)&world->impulses, &world->impulse_capacity, doubles, sizeof(double))) {
        step->has_failed = true;
        return;
    }
    double *changes = world->impulses;
    memset(changes, 0, 6 * world->body_count * sizeof *changes);
    bool is_good = find_changes(world, step->dt, changes, (System *)(world->impulses + 6 * world->body_count));
    if (is_good) apply_changes(world, changes, step->dt);
    if (!couMoveFreeBodies(step)) step->has_failed = true;
}

void couAddImpulse(couBody *body, int dimension, const double impulse[6])
{
    System system = {0};
    memcpy(system.right, impulse, sizeof system.right);
    add_body(&system, body, dimension);
    double u[6];
    if (!solve(&system, u)) return;
    for (int a = 0; a < 3; ++a) body->state.velocity[a] += u[a], body->state.spin[a] += u[3 + a];
}

void couSettleImpulses(couWorld *world)
{
    for (size_t b = 0; b < world->body_count; ++b) {
        couBody *body = &world->bodies[b];
        if (!body->is_here || body->kind != cou_rigidFree) continue;
        double rest[6];
        for (int a = 0; a < 6; ++a) rest[a] = body->impulse[a] - body->taken[a], body->taken[a] = 0;
        couAddImpulse(body, world->def.dimension, rest);
    }
}
