// Collisions of particles with bodies.
//
// Collisions sweep the particle's path, from where it was at the beginning of the step to where the fluid method put it, in the
// frame of each body (which moves itself), by sphere tracing: the distance function says how far one can go without meeting the
// surface, so a wall is never stepped over, however thin. A particle that meets a surface stops there and slides on with what
// is left of its path [Clavet 2005, sect. 6: zero restitution, wet friction]; one that ends closer than its collision radius is
// moved out. Where a wall has a bounce, it leaves with that share of the speed at which it came [Müller 2003, sect. 3.4]; free
// bodies have none: what many particles at once may give to a light one would take the system that couple.c solves, and one by
// one they give it too much. Where several bodies cannot be satisfied in a few rounds, the particle stays where it came from,
// and is counted.
//
// Whatever a body does to a particle (wall density, collision, stickiness) is an impulse m dx / dt that the body gets back at
// the point of contact; extraction of a particle that was already too close moves it without giving it speed, and gives the
// body none.
//
// For free bodies the same is first tried out at their predicted places, without moving anything: the touches that couple.c
// solves for.

#include "fluid/collide.h"

#include "rigid/patches.h"

#define ROUNDS 4 // over the bodies that a particle may meet
#define COLLISION_BLOCK 2048

typedef struct CollideJob {
    couFluid *fluid;
    const couBodies *bodies;
    float dt;
    float radius;            // at which particles are held [m]
    couImpulseSum *impulses; // per block: six numbers for each body, and each patch of one
    uint16_t *near;          // per worker: the bodies near a group of particles
    bool keeps_touches;      // with free bodies, for what is left over to be shared
    _Atomic int64_t trapped_count;
    _Atomic bool has_failed;
} CollideJob;

// How far the straight path from a to b (in the body's frame) is free, as a share of it; 1 when it meets nothing.
// `distance` is that of a.
static float trace(const couBody *body, int dimension, couVec3 a, float distance, couVec3 b)
{
    const couShape *shape = body->def.shape;
    couVec3 path = couSub(b, a);
    float length = couLength(path);
    if (!(length > 0.0f)) return 1.0f;
    float least = 1e-4f * length, t = 0.0f; // of the way
    for (int k = 0; k < 256; ++k) {
        if (distance < least) return COU_MAX(t / length, 0.0f);
        t += couShape_Clearance(shape, distance);
        if (t >= length) return 1.0f;
        distance = couShape_Distance(shape, dimension, couMulAdd(a, t / length, path));
    }
    return t / length;
}

typedef struct Path {
    couVec3 from, to;  // world positions at the beginning and the end of the step
    couVec3 extracted; // displacement that is not to become velocity
    couVec3 normal;    // of the last surface that changed the path, out of the body
    bool has_changed;
    float kinematic; // viscosity by which the liquid clings to walls [m^2/s]; 0: it does not
} Path;

// Gives a path that met a body the speed away from it that the bounce asks for, by what is not to become velocity: the particle
// itself stays at the surface. `wanted` is the whole way that it would have gone, in the body's frame.
static void rebound(const couBody *body, couVec3 normal, couVec3 wanted, couVec3 gone, couVec3 extracted_before, Path *path)
{
    couVec3 out = couRotate(body->end.rotation, normal);
    float approach = couDot(extracted_before, out) - couDot(wanted, normal);
    float leaving = couDot(gone, normal) - couDot(path->extracted, out);
    float missing = body->def.bounce * approach - leaving;
    if (approach > 0.0f && missing > 0.0f) path->extracted = couMulAdd(path->extracted, -missing, out);
}

// The share of friction by touch where viscosity holds the liquid as well: none where a layer as thin as a spacing is viscous,
// d v / nu < 1, since its particles then resolve how it slides over the wall.
static float unresolved(const CollideJob *job, const couBody *body, float kinematic, couVec3 slid)
{
    if (!(kinematic > 0.0f) || body->kind == cou_rigidFree) return 1.0f;
    float way = couLength(slid), viscous_way = kinematic * job->dt / job->fluid->spacing;
    return way > viscous_way ? 1.0f - viscous_way / way : 0.0f;
}

// One body's say on a path: stops it at the surface, lets it slide, keeps the collision radius. Returns true when it did
// anything.
static bool collide_body(const CollideJob *job, const couBody *body, Path *path)
{
    const couFluid *fluid = job->fluid;
    const couShape *shape = body->def.shape;
    int dimension = fluid->dimension;
    couVec3 a = couToLocal(body->start, path->from), b = couToLocal(body->end, path->to);
    float reach = job->radius + COU_GRIP * fluid->spacing;
    float travel = couLength(couSub(b, a));
    float after = couShape_Distance(shape, dimension, b);
    // Far from the surface at the end, by more than the path is long: nothing to do.
    if (couClearance(body, after) >= reach + travel) return false;
    couVec3 wanted = couSub(b, a), extracted_before = path->extracted;
    float before = couShape_Distance(shape, dimension, a);
    if (after >= reach && couClearance(body, before) + couClearance(body, after) > travel) return false;
    couVec3 normal;
    after = couShape_DistanceNormal(shape, dimension, b, &normal);

    bool is_stopped = false;
    if (before > 0.0f) {
        float free = trace(body, dimension, a, before, b);
        if (free < 1.0f) {
            // Stop just short of the surface; what is left of the path goes on along it.
            couVec3 hit = couMulAdd(a, free, couSub(b, a)), rest = couScale(1.0f - free, couSub(b, a));
            couShape_DistanceNormal(shape, dimension, hit, &normal);
            couVec3 slide = couMulAdd(rest, -couDot(rest, normal), normal);
            couVec3 end = couAdd(hit, slide);
            float d = couShape_DistanceNormal(shape, dimension, end, &normal);
            couVec3 lifted = couMulAdd(end, COU_MAX(job->radius - d, 0.0f), normal);
            bool is_free = d > -0.5f * fluid->spacing && trace(body, dimension, a, before, lifted) >= 1.0f;
            b = is_free ? lifted : hit;
            after = couShape_DistanceNormal(shape, dimension, b, &normal);
            is_stopped = true;
        }
    }
    if (!is_stopped && after >= reach) return false;

    // Friction takes its share of the sliding. Methods with samples hold liquid by its viscosity alone.
    if (body->friction_share > 0.0f && fluid->method->has_contact_pushes) {
        couVec3 slid = couSub(b, a);
        couVec3 tangent = couMulAdd(slid, -couDot(slid, normal), normal);
        b = couMulAdd(b, -body->friction_share * unresolved(job, body, path->kinematic, tangent), tangent);
        after = couShape_DistanceNormal(shape, dimension, b, &normal);
    }
    if (after < job->radius) {
        float out = job->radius - after;
        // A particle that began the step too close is extracted; only the rest of the way out is a collision.
        float extracted = COU_MIN(out, COU_MAX(job->radius - COU_MAX(before, 0.0f), 0.0f));
        if (before < 0.0f) extracted = out;
        couVec3 target = couMulAdd(b, out, normal);
        // Not through a thin wall nearby.
        if (before <= 0.0f || trace(body, dimension, a, before, target) >= 1.0f) {
            b = target;
            path->extracted = couMulAdd(path->extracted, extracted, couRotate(body->end.rotation, normal));
        }
    }
    if (body->def.bounce > 0.0f && body->kind != cou_rigidFree && (is_stopped || after < job->radius))
        rebound(body, normal, wanted, couSub(b, a), extracted_before, path);
    path->to = couToWorld(body->end, b);
    path->normal = couRotate(body->end.rotation, normal);
    path->has_changed = true;
    return true;
}

// Attraction close to a surface [Clavet 2005, eq. 12], as a displacement.
static couVec3 stick(const CollideJob *job, const couBody *body, couVec3 x)
{
    const couFluid *fluid = job->fluid;
    float reach = isnan(body->def.stick_distance) ? 0.5f * fluid->h : body->def.stick_distance;
    couVec3 normal;
    float d = couShape_DistanceNormal(body->def.shape, fluid->dimension, couToLocal(body->end, x), &normal) - job->radius;
    if (!(d > 0.0f && d < reach)) return (couVec3){0};
    // Never past the surface in one step.
    float size = COU_MIN(job->dt * job->dt * body->def.stickiness * d * (1.0f - d / reach), d);
    return couScale(-size, couRotate(body->end.rotation, normal));
}

// What a particle was moved by, as an impulse on body b at a point, into its six numbers of `impulses` and those of its patches.
static void take_impulse(const CollideJob *job, couImpulseSum *impulses, size_t b, couVec3 point, float mass, couVec3 moved)
{
    const couBody *body = &job->bodies->items[b];
    couVec3 arm = couSub(point, couBodyCenter(body, body->end));
    float dt = job->dt;
    double j[6] = {-(double)mass * moved.x / dt, -(double)mass * moved.y / dt, -(double)mass * moved.z / dt};
    j[3] = arm.y * j[2] - arm.z * j[1];
    j[4] = arm.z * j[0] - arm.x * j[2];
    j[5] = arm.x * j[1] - arm.y * j[0];
    for (int k = 0; k < 6; ++k) impulses[b][k] += j[k];
    if (job->bodies->patches.count) couAddToPatches(job->bodies, impulses, b, point, j);
}

static bool add_touch(couFluid *fluid, int block, couTouch touch)
{
    couTouchBlock *touches = &fluid->touches.items[block];
    if (!COU_RESERVE(fluid->memory, touches, touches->count + 1)) return false;
    touches->items[touches->count++] = touch;
    return true;
}

// Notes that a particle has been stopped by a free body.
static void keep_touch(CollideJob *job, int block, size_t i, size_t b, couVec3 point, couVec3 normal)
{
    const couBody *body = &job->bodies->items[b];
    if (!job->keeps_touches || body->kind != cou_rigidFree) return;
    couTouch touch = {.arm = couSub(point, couBodyCenter(body, body->end)), .normal = normal, .body = (uint32_t)b};
    touch.mass = job->fluid->mass[couFluid_Material(job->fluid)[i]], touch.particle = (uint32_t)i;
    if (!add_touch(job->fluid, block, touch)) job->has_failed = true;
}

// A path that still leads through a solid is not taken: the particle stays where it came from, in the frame of that body.
static void refuse_path(CollideJob *job, Path *path, float mass, const uint16_t *near, int near_count, couImpulseSum *impulses)
{
    const couFluid *fluid = job->fluid;
    for (int k = 0; k < near_count; ++k) {
        const couBody *body = &job->bodies->items[near[k]];
        couVec3 a = couToLocal(body->start, path->from), b = couToLocal(body->end, path->to);
        int dimension = fluid->dimension;
        float before = couShape_Distance(body->def.shape, dimension, a);
        if (!(before > 0.0f) || trace(body, dimension, a, before, b) >= 1.0f) continue;
        couVec3 back = couToWorld(body->end, a);
        couVec3 moved = couAdd(couSub(back, path->to), path->extracted);
        take_impulse(job, impulses, near[k], back, mass, moved);
        path->to = back;
        path->extracted = (couVec3){0};
        job->trapped_count++;
        return;
    }
}

// All bodies near one particle. `impulses` has six numbers per body.
static void collide_particle(CollideJob *job, int block, size_t i, const uint16_t *near, int near_count, couImpulseSum *impulses)
{
    couFluid *fluid = job->fluid;
    couVec4 *position = couFluid_Position(fluid), *previous = couFluid_Previous(fluid);
    float mass = fluid->mass[couFluid_Material(fluid)[i]];
    Path path = {.from = couXyz(previous[i]), .to = couXyz(position[i])};
    path.kinematic = fluid->clinging[couFluid_Material(fluid)[i]];
    for (int k = 0; k < near_count; ++k) {
        const couBody *body = &job->bodies->items[near[k]];
        if (!(body->def.stickiness > 0.0f)) continue;
        couVec3 moved = stick(job, body, path.to);
        if (moved.x == 0.0f && moved.y == 0.0f && moved.z == 0.0f) continue;
        take_impulse(job, impulses, near[k], path.to, mass, moved);
        path.to = couAdd(path.to, moved);
        path.has_changed = true;
    }
    bool is_settled = false;
    for (int round = 0; round < ROUNDS && !is_settled; ++round) {
        is_settled = true;
        for (int k = 0; k < near_count; ++k) {
            const couBody *body = &job->bodies->items[near[k]];
            couVec3 to = path.to, extracted = path.extracted;
            if (!collide_body(job, body, &path)) continue;
            couVec3 moved = couSub(couSub(path.to, to), couSub(path.extracted, extracted));
            couVec3 point = couMulAdd(path.to, -job->radius, path.normal);
            take_impulse(job, impulses, near[k], point, mass, moved);
            if (!round) keep_touch(job, block, i, near[k], point, path.normal);
            if (couLength(couSub(path.to, to)) > 1e-3f * fluid->spacing && near_count > 1) is_settled = false;
        }
    }
    if (path.has_changed && near_count > 1) refuse_path(job, &path, mass, near, near_count, impulses);
    if (!path.has_changed) return;
    position[i].x = path.to.x, position[i].y = path.to.y, position[i].z = path.to.z;
    // Extraction must not become speed: the beginning of the path moves along.
    previous[i].x += path.extracted.x, previous[i].y += path.extracted.y, previous[i].z += path.extracted.z;
}

enum { GROUP = 16 }; // consecutive particles are close to each other

// The bodies that a group of particles may meet on its way.
static int find_near(const CollideJob *job, size_t begin, size_t end, bool is_free_only, uint16_t *near)
{
    const couFluid *fluid = job->fluid;
    const couVec4 *position = couFluid_Position(fluid), *previous = couFluid_Previous(fluid);
    couBall ball = couEnclose(position, begin, end);
    float travel = 0.0f;
    for (size_t i = begin; i < end; ++i) travel = COU_MAX(travel, couLength(couSub(couXyz(position[i]), couXyz(previous[i]))));
    int count = 0;
    for (size_t b = 0; b < job->bodies->count; ++b) {
        const couBody *body = &job->bodies->items[b];
        if (!body->slot.is_here || (is_free_only && body->kind != cou_rigidFree)) continue;
        float stick_reach = isnan(body->def.stick_distance) ? 0.5f * fluid->h : body->def.stick_distance;
        float own_reach = travel + 2.0f * job->radius + (body->def.stickiness > 0.0f ? stick_reach : 0.0f);
        couVec3 swept = couSub(couToWorld(body->end, body->ball_center), couToWorld(body->start, body->ball_center));
        if (couIsBallFar(body, body->end, ball, own_reach + couLength(swept))) continue;
        // A moving body sweeps the difference of its own distances at both ends.
        float at_end = couClearanceAt(body, fluid->dimension, body->end, ball.center);
        float at_start = body->kind != cou_rigidFixed ? couClearanceAt(body, fluid->dimension, body->start, ball.center) : at_end;
        float reach = ball.radius + own_reach + fabsf(at_end - at_start);
        if (COU_MIN(at_end, at_start) < reach) near[count++] = (uint16_t)b;
    }
    return count;
}

// What the wall density did to particles. It acts along the normal: its moment is the same at the particle and at the surface.
static void add_pushes(const CollideJob *job, size_t begin, size_t end, bool is_free_only, couImpulseSum *impulses)
{
    const couFluid *fluid = job->fluid;
    if (!fluid->method->has_contact_pushes) return; // samples take what the fluid does to bodies
    for (size_t i = begin; i < end; ++i) {
        const couContact *contacts = couContacts_Of(&fluid->contacts, i);
        for (int k = 0; k < fluid->contacts.count[i]; ++k) {
            const couBody *body = &job->bodies->items[contacts[k].body];
            if (contacts[k].push == 0.0f || (is_free_only && body->kind != cou_rigidFree)) continue;
            float mass = fluid->mass[couFluid_Material(fluid)[i]];
            take_impulse(job, impulses, (size_t)contacts[k].body, couXyz(couFluid_Position(fluid)[i]), mass,
                         couScale(contacts[k].push, contacts[k].normal));
        }
    }
}

static couImpulseSum *start_sums(const CollideJob *job, int block)
{
    size_t count = couBodies_SumCount(job->bodies);
    couImpulseSum *sums = job->impulses + (size_t)block * count;
    memset(sums, 0, count * sizeof *sums);
    return sums;
}

static void collide_block(void *context, int block, size_t begin, size_t end, int worker)
{
    CollideJob *job = context;
    couImpulseSum *impulses = start_sums(job, block);
    if (job->keeps_touches) job->fluid->touches.items[block].count = 0;
    add_pushes(job, begin, end, false, impulses);
    uint16_t *near = job->near + (size_t)worker * job->bodies->count;
    for (size_t first = begin; first < end; first += GROUP) {
        size_t last = COU_MIN(first + GROUP, end);
        int near_count = find_near(job, first, last, false, near);
        for (size_t i = first; near_count && i < last; ++i) collide_particle(job, block, i, near, near_count, impulses);
    }
}

// A job with room for what each block gives to each body, and for the bodies near a group. False without memory.
static bool start_job(couStep *step, CollideJob *job)
{
    couFluid *fluid = step->fluid;
    size_t bodies = fluid->bodies->count, blocks = (size_t)couTouchBlockCount(fluid);
    *job = (CollideJob){
        .fluid = fluid,
        .bodies = fluid->bodies,
        .dt = step->dt,
        .radius = fluid->method->contact_radius * fluid->spacing,
        .impulses = couArena_Take(fluid->scratch, blocks * couBodies_SumCount(fluid->bodies), sizeof *job->impulses),
        .near = COU_TAKE(fluid->scratch, uint16_t, (size_t)fluid->parallel.threads * bodies),
    };
    return job->impulses && job->near;
}

// Of a body, or a patch behind them, in the order of the blocks: the same bits for any number of threads.
static void sum_blocks(const CollideJob *job, size_t body, double sum[6])
{
    size_t blocks = (size_t)couTouchBlockCount(job->fluid), count = couBodies_SumCount(job->bodies);
    for (size_t a = 0; a < 6; ++a) {
        sum[a] = 0;
        for (size_t k = 0; k < blocks; ++k) sum[a] += job->impulses[k * count + body][a];
    }
}

static void note_force(couBody *body, double dt)
{
    const double *p = body->impulse;
    body->step_force = (couVec3){(float)(p[0] / dt), (float)(p[1] / dt), (float)(p[2] / dt)};
    body->step_torque = (couVec3){(float)(p[3] / dt), (float)(p[4] / dt), (float)(p[5] / dt)};
}

void couPhase_Collide(couStep *step)
{
    couFluid *fluid = step->fluid;
    couBodies *bodies = fluid->bodies;
    if (!bodies->count) return;
    couArenaMark mark = couArena_Mark(fluid->scratch);
    CollideJob job;
    bool keeps_touches = couKeepsTouches(fluid);
    bool has_room = !keeps_touches || COU_RESERVE(fluid->memory, &fluid->touches, (size_t)couTouchBlockCount(fluid));
    if (!has_room || !start_job(step, &job)) {
        step->has_failed = true;
        return;
    }
    job.keeps_touches = keeps_touches;
    couFor(&fluid->parallel, fluid->table.count, COLLISION_BLOCK, collide_block, &job);
    if (job.has_failed) step->has_failed = true;
    step->report->trapped_count += job.trapped_count;
    for (size_t b = 0; b < bodies->count; ++b) {
        couBody *body = &bodies->items[b];
        sum_blocks(&job, b, body->impulse);
        for (int a = 0; a < 6; ++a) body->impulse[a] += body->pushed[a];
        for (int a = 0; a < 6; ++a) body->sum[a] += body->impulse[a];
        note_force(body, step->dt);
    }
    for (size_t p = 0; p < bodies->patches.count; ++p) {
        couPatch *patch = &bodies->patches.items[p];
        sum_blocks(&job, bodies->count + p, patch->impulse);
        for (int a = 0; a < 6; ++a) patch->impulse[a] += patch->pushed[a];
    }
    couSettleImpulses(step);
    couArena_Release(fluid->scratch, mark);
}

static void drag_block(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)worker;
    CollideJob *job = context;
    couImpulseSum *impulses = start_sums(job, block);
    const couFluid *fluid = job->fluid;
    for (size_t i = begin; i < end; ++i) {
        const couContact *contacts = couContacts_Of(&fluid->contacts, i);
        float mass = fluid->mass[couFluid_Material(fluid)[i]];
        for (int k = 0; k < fluid->contacts.count[i]; ++k) {
            couVec3 drag = contacts[k].drag;
            if (drag.x == 0.0f && drag.y == 0.0f && drag.z == 0.0f) continue;
            couVec3 x = couXyz(couFluid_Position(fluid)[i]);
            couVec3 at = couMulAdd(x, contacts[k].offset - couDot(contacts[k].normal, x), contacts[k].normal);
            take_impulse(job, impulses, (size_t)contacts[k].body, at, mass, couScale(job->dt, drag));
        }
    }
}

bool couGiveDrags(couStep *step)
{
    couFluid *fluid = step->fluid;
    couBodies *bodies = fluid->bodies;
    if (!bodies->count) return true;
    couArenaMark mark = couArena_Mark(fluid->scratch);
    CollideJob job;
    if (!start_job(step, &job)) return false;
    couFor(&fluid->parallel, fluid->table.count, COLLISION_BLOCK, drag_block, &job);
    for (size_t b = 0; b < bodies->count; ++b) {
        couBody *body = &bodies->items[b];
        double sum[6];
        sum_blocks(&job, b, sum);
        for (int a = 0; a < 6; ++a) body->impulse[a] += sum[a], body->sum[a] += sum[a];
        note_force(body, step->dt);
    }
    for (size_t p = 0; p < bodies->patches.count; ++p) {
        double sum[6];
        sum_blocks(&job, bodies->count + p, sum);
        for (int a = 0; a < 6; ++a) bodies->patches.items[p].impulse[a] += sum[a];
    }
    couArena_Release(fluid->scratch, mark);
    return true;
}

// --- Touches -----------------------------------------------------------------------------------------------------------------

// A particle whose path cannot have gone through the body: how far it is too close at the end, beyond what extraction would
// move it, and what friction takes of its sliding. Both may turn out otherwise as the body moves on. False when it is far.
static bool touch_slowly(const CollideJob *job, const couBody *body, const Path *path, couTouch *touch, bool *is_far)
{
    const couFluid *fluid = job->fluid;
    const couShape *shape = body->def.shape;
    int dimension = fluid->dimension;
    couVec3 a = couToLocal(body->start, path->from), b = couToLocal(body->end, path->to), normal;
    float after = couShape_DistanceNormal(shape, dimension, b, &normal), travel = couLength(couSub(b, a));
    *is_far = after > job->radius + 0.5f * fluid->spacing + travel;
    if (*is_far) return false;
    float before = couShape_Distance(shape, dimension, a);
    bool is_slow = before > 0.0f && after > 0.0f && couShape_Clearance(shape, before) + couShape_Clearance(shape, after) > travel;
    if (!is_slow) return false;
    *is_far = after > job->radius + 0.5f * fluid->spacing;
    couVec3 slid = couSub(b, a), tangent = couMulAdd(slid, -couDot(slid, normal), normal);
    touch->normal = couRotate(body->end.rotation, normal);
    touch->depth = COU_MIN(job->radius, before) - after;
    touch->drag = couRotate(body->end.rotation, couScale(-touch->share, tangent));
    return true;
}

// What one particle would do to a free body at its predicted place. A particle that only comes near is noted with its gap:
// the body may be pushed against it. Attraction is taken as it is, into `given`.
static bool touch_body(const CollideJob *job, size_t i, uint16_t b, int block, couImpulseSum *given)
{
    const couFluid *fluid = job->fluid;
    const couBody *body = &job->bodies->items[b];
    couVec3 to = couXyz(couFluid_Position(fluid)[i]);
    couTouch touch = {.mass = fluid->mass[couFluid_Material(fluid)[i]], .body = b};
    if (fluid->method->has_contact_pushes) touch.share = body->friction_share;
    Path path = {.from = couXyz(couFluid_Previous(fluid)[i]), .to = to};
    if (body->def.stickiness > 0.0f) {
        couVec3 moved = stick(job, body, to);
        take_impulse(job, given, b, to, touch.mass, moved);
        path.to = couAdd(to, moved);
    }
    couVec3 before = path.to;
    bool is_far;
    if (!touch_slowly(job, body, &path, &touch, &is_far)) {
        if (is_far || !collide_body(job, body, &path)) return true;
        couVec3 moved = couSub(couSub(path.to, before), path.extracted);
        touch.normal = path.normal;
        touch.depth = couDot(moved, path.normal);
        touch.drag = couMulAdd(moved, -touch.depth, path.normal);
    }
    touch.arm = couSub(couMulAdd(path.to, -job->radius, touch.normal), couBodyCenter(body, body->end));
    return is_far || add_touch(job->fluid, block, touch);
}

static void touch_block(void *context, int block, size_t begin, size_t end, int worker)
{
    CollideJob *job = context;
    job->fluid->touches.items[block].count = 0;
    couImpulseSum *given = start_sums(job, block);
    add_pushes(job, begin, end, true, given); // done already
    bool is_good = true;
    uint16_t *near = job->near + (size_t)worker * job->bodies->count;
    for (size_t first = begin; first < end; first += GROUP) {
        size_t last = COU_MIN(first + GROUP, end);
        int near_count = find_near(job, first, last, true, near);
        for (size_t i = first; i < last; ++i)
            for (int k = 0; k < near_count; ++k) is_good = touch_body(job, i, near[k], block, given) && is_good;
    }
    if (!is_good) job->has_failed = true;
}

bool couFindTouches(couStep *step)
{
    couFluid *fluid = step->fluid;
    couBodies *bodies = fluid->bodies;
    CollideJob job;
    if (!start_job(step, &job) || !COU_RESERVE(fluid->memory, &fluid->touches, (size_t)couTouchBlockCount(fluid))) return false;
    couFor(&fluid->parallel, fluid->table.count, COLLISION_BLOCK, touch_block, &job);
    for (size_t b = 0; b < bodies->count; ++b) {
        couBody *body = &bodies->items[b];
        sum_blocks(&job, b, body->given);
        for (int a = 0; a < 6; ++a) body->given[a] += body->pushed[a];
    }
    return !job.has_failed;
}

int couTouchBlockCount(const couFluid *fluid) { return couBlockCount(fluid->table.count, COLLISION_BLOCK); }

void couFreeTouches(couFluid *fluid)
{
    for (size_t k = 0; k < fluid->touches.capacity; ++k) couFree(fluid->memory, fluid->touches.items[k].items);
    COU_FREE_ARRAY(fluid->memory, &fluid->touches);
}
