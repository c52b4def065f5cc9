// Bodies and particles: contact planes, pairs that a solid separates, and collisions.
//
// Collisions sweep the particle's path, from where it was at the beginning of the step to where the fluid method put it, in the
// frame of each body (which moves itself), by sphere tracing: the distance function says how far one can go without meeting the
// surface, so a wall is never stepped over, however thin. A particle that meets a surface stops there and slides on with what is
// left of its path [Clavet 2005, sect. 6: zero restitution, wet friction]; one that ends closer than its collision radius is moved
// out. Where several bodies cannot be satisfied in a few rounds, the particle stays where it came from, and is counted.
//
// Whatever a body does to a particle (wall density, collision, stickiness) is an impulse m dx / dt that the body gets back; extraction
// of a particle that was already too close moves it without giving it speed.

#include "world/world.h"

#define ROUNDS 4 // over the bodies that a particle may meet
#define COLLISION_BLOCK 2048
#define CONTACT_RADIUS 0.5f // collision radius / spacing

void couMoveBodies(couWorld *world, float dt)
{
    for (size_t b = 0; b < world->body_count; ++b) {
        couBody *body = &world->bodies[b];
        if (!body->is_here) continue;
        body->start = body->pose;
        if (body->def.motion) body->pose = body->def.motion(body->def.motion_context, world->time + dt);
        body->end = body->pose;
        body->friction_share = body->def.friction >= 1.0f ? 1.0f : 1.0f - powf(1.0f - body->def.friction, 30.0f * dt);
    }
}

// A sphere around the particles of a cell, for leaving out bodies that are far from all of them.
typedef struct Ball {
    couVec3 center;
    float radius;
} Ball;

static Ball enclose(const couVec4 *x, size_t begin, size_t end)
{
    couVec3 lower = couXyz(x[begin]), upper = lower;
    for (size_t i = begin + 1; i < end; ++i) {
        lower = (couVec3){COU_MIN(lower.x, x[i].x), COU_MIN(lower.y, x[i].y), COU_MIN(lower.z, x[i].z)};
        upper = (couVec3){COU_MAX(upper.x, x[i].x), COU_MAX(upper.y, x[i].y), COU_MAX(upper.z, x[i].z)};
    }
    return (Ball){couScale(0.5f, couAdd(lower, upper)), 0.5f * couLength(couSub(upper, lower))};
}

static float distance_at(const couWorld *world, const couBody *body, couPose pose, couVec3 x)
{
    return couShape_Distance(body->def.shape, world->def.dimension, couToLocal(pose, x));
}

// --- Contact planes ----------------------------------------------------------------------------------------------------------

typedef struct ContactJob {
    couWorld *world;
    _Atomic bool has_failed;
} ContactJob;

// Adds the tangent planes of the body within h of the particle.
static bool add_contacts(couWorld *world, size_t b, size_t i, couVec3 x)
{
    const couBody *body = &world->bodies[b];
    couPlane planes[COU_MAX_CONTACTS];
    couVec3 local = couToLocal(body->end, x);
    int count = couShape_Planes(body->def.shape, world->def.dimension, local, world->fluid.h, planes, COU_MAX_CONTACTS);
    uint32_t pocket = count ? couShape_FreePocket(body->def.shape, world->def.dimension, local) : 0;
    for (int k = 0; k < count; ++k) {
        couVec3 normal = couRotate(body->end.rotation, planes[k].normal);
        couContact contact = {normal, couDot(normal, x) - planes[k].distance, 0.0f, (int32_t)b, pocket};
        if (world->fluid.contacts.count[i] == COU_MAX_CONTACTS) return true;
        if (!couContacts_Add(&world->fluid.contacts, i, contact)) return false;
    }
    return true;
}

static void contact_block(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)block, (void)worker;
    ContactJob *job = context;
    couWorld *world = job->world;
    const couVec4 *position = couFluid_Position(&world->fluid);
    enum { GROUP = 16 }; // consecutive particles are close to each other
    for (size_t first = begin; first < end; first += GROUP) {
        size_t last = COU_MIN(first + GROUP, end);
        Ball ball = enclose(position, first, last);
        bool is_near[256] = {false};
        bool has_near = false;
        for (size_t b = 0; b < world->body_count; ++b) {
            const couBody *body = &world->bodies[b];
            bool is_hit = body->is_here && distance_at(world, body, body->end, ball.center) < ball.radius + world->fluid.h;
            if (b < COU_COUNT(is_near)) is_near[b] = is_hit;
            has_near |= is_hit;
        }
        for (size_t i = first; has_near && i < last; ++i)
            for (size_t b = 0; b < world->body_count; ++b) {
                if (!world->bodies[b].is_here || (b < COU_COUNT(is_near) && !is_near[b])) continue;
                if (!add_contacts(world, b, i, couXyz(position[i]))) job->has_failed = true;
            }
    }
}

bool couFindContacts(couStep *step)
{
    couWorld *world = step->world;
    if (!couContacts_Reset(&world->fluid.contacts, world->fluid.table.count)) return false;
    if (!world->body_count) return true;
    ContactJob job = {.world = world};
    couFor(&world->fluid.parallel, world->fluid.table.count, COU_CONTACT_BLOCK, contact_block, &job);
    return !job.has_failed;
}

// --- Separated pairs ---------------------------------------------------------------------------------------------------------

// The particle's first contact with a body, NULL when it has none.
static inline const couContact *find_contact(const couContacts *contacts, size_t i, int32_t body)
{
    const couContact *items = couContacts_Of(contacts, i);
    for (int k = 0; k < contacts->count[i]; ++k)
        if (items[k].body == body) return &items[k];
    return NULL;
}

// True when a body that both particles are near lies between the places they come from. A predicted position may lie inside a solid,
// or beyond a thin one, until the collisions put it back; where a particle comes from is always on its side of the wall.
static bool is_separated(const void *context, uint32_t i, uint32_t j)
{
    const couWorld *world = context;
    const couContacts *contacts = &world->fluid.contacts;
    const couVec4 *previous = couFluid_Previous(&world->fluid);
    uint32_t low = COU_MIN(i, j), high = COU_MAX(i, j);
    couVec3 a = couXyz(previous[low]), c = couXyz(previous[high]);
    const couContact *items = couContacts_Of(contacts, low);
    int32_t last_body = -1;
    for (int k = 0; k < contacts->count[low]; ++k) {
        int32_t b = items[k].body;
        if (b == last_body) continue;
        last_body = b;
        const couContact *other = find_contact(contacts, high, b);
        if (!other || (other->pocket && other->pocket == items[k].pocket)) continue;
        const couBody *body = &world->bodies[b];
        couVec3 p = couToLocal(body->start, a), q = couToLocal(body->start, c);
        int dimension = world->def.dimension;
        float near_p = couShape_Distance(body->def.shape, dimension, p),
              near_q = couShape_Distance(body->def.shape, dimension, q);
        if (near_p + near_q > couLength(couSub(q, p))) continue;
        // Of a particle that begins inside (a body was put over it) no side is known.
        if (near_p < 0.0f || near_q < 0.0f) continue;
        if (couShape_SegmentHits(body->def.shape, dimension, p, q)) return true;
    }
    return false;
}

void couSeparate(couStep *step)
{
    couWorld *world = step->world;
    if (!world->body_count) return;
    couNeighbors_Filter(&world->fluid.neighbors, world->fluid.table.count, world->fluid.contacts.count, is_separated, world,
                        &world->fluid.parallel);
}

// --- Collisions --------------------------------------------------------------------------------------------------------------

typedef struct CollideJob {
    couWorld *world;
    float dt;
    float radius;
    _Atomic int64_t trapped_count;
} CollideJob;

// How far the straight path from a to b (in the body's frame) is free, as a share of it; 1 when it meets nothing.
static float trace(const couShape *shape, int dimension, couVec3 a, couVec3 b)
{
    couVec3 path = couSub(b, a);
    float length = couLength(path);
    if (!(length > 0.0f)) return 1.0f;
    float least = 1e-4f * length, t = 0.0f;
    for (int k = 0; k < 256; ++k) {
        float d = couShape_Distance(shape, dimension, couMulAdd(a, t / length, path));
        if (d < least) return COU_MAX(t / length, 0.0f);
        t += d;
        if (t >= length) return 1.0f;
    }
    return t / length;
}

typedef struct Path {
    couVec3 from, to;  // world positions at the beginning and the end of the step
    couVec3 extracted; // displacement that is not to become velocity
    bool has_changed;
} Path;

// One body's say on a path: stops it at the surface, lets it slide, keeps the collision radius. Returns true when it did anything.
static bool collide_body(const CollideJob *job, const couBody *body, Path *path)
{
    const couWorld *world = job->world;
    const couShape *shape = body->def.shape;
    int dimension = world->def.dimension;
    couVec3 a = couToLocal(body->start, path->from), b = couToLocal(body->end, path->to);
    float reach = job->radius + 0.1f * world->def.spacing;
    float travel = couLength(couSub(b, a));
    float after = couShape_Distance(shape, dimension, b);
    // Far from the surface at the end, by more than the path is long: nothing to do.
    if (after >= reach + travel) return false;
    float before = couShape_Distance(shape, dimension, a);
    if (after >= reach && before + after > travel) return false;
    couVec3 normal;
    after = couShape_DistanceNormal(shape, dimension, b, &normal);

    bool is_stopped = false;
    if (before > 0.0f) {
        float free = trace(shape, dimension, a, b);
        if (free < 1.0f) {
            // Stop just short of the surface; what is left of the path goes on along it.
            couVec3 hit = couMulAdd(a, free, couSub(b, a)), rest = couScale(1.0f - free, couSub(b, a));
            couShape_DistanceNormal(shape, dimension, hit, &normal);
            couVec3 slide = couMulAdd(rest, -couDot(rest, normal), normal);
            couVec3 end = couAdd(hit, slide);
            float d = couShape_DistanceNormal(shape, dimension, end, &normal);
            couVec3 lifted = couMulAdd(end, COU_MAX(job->radius - d, 0.0f), normal);
            bool is_free = d > -0.5f * world->def.spacing && trace(shape, dimension, a, lifted) >= 1.0f;
            b = is_free ? lifted : hit;
            after = couShape_DistanceNormal(shape, dimension, b, &normal);
            is_stopped = true;
        }
    }
    if (!is_stopped && after >= reach) return false;

    // Friction takes its share of the sliding.
    if (body->friction_share > 0.0f) {
        couVec3 slid = couSub(b, a);
        couVec3 tangent = couMulAdd(slid, -couDot(slid, normal), normal);
        b = couMulAdd(b, -body->friction_share, tangent);
        after = couShape_DistanceNormal(shape, dimension, b, &normal);
    }
    if (after < job->radius) {
        float out = job->radius - after;
        // A particle that began the step too close is extracted; only the rest of the way out is a collision.
        float extracted = COU_MIN(out, COU_MAX(job->radius - COU_MAX(before, 0.0f), 0.0f));
        if (before < 0.0f) extracted = out;
        couVec3 target = couMulAdd(b, out, normal);
        // Not through a thin wall nearby.
        if (before <= 0.0f || trace(shape, dimension, a, target) >= 1.0f) {
            b = target;
            path->extracted = couMulAdd(path->extracted, extracted, couRotate(body->end.rotation, normal));
        }
    }
    path->to = couToWorld(body->end, b);
    path->has_changed = true;
    return true;
}

// Attraction close to a surface [Clavet 2005, eq. 12], as a displacement.
static couVec3 stick(const CollideJob *job, const couBody *body, couVec3 x)
{
    const couWorld *world = job->world;
    float reach = isnan(body->def.stick_distance) ? 0.5f * world->fluid.h : body->def.stick_distance;
    couVec3 normal;
    float d = couShape_DistanceNormal(body->def.shape, world->def.dimension, couToLocal(body->end, x), &normal) - job->radius;
    if (!(d > 0.0f && d < reach)) return (couVec3){0};
    // Never past the surface in one step.
    float size = COU_MIN(job->dt * job->dt * body->def.stickiness * d * (1.0f - d / reach), d);
    return couScale(-size, couRotate(body->end.rotation, normal));
}

static void take_impulse(double *impulse, float mass, couVec3 moved, float dt)
{
    impulse[0] -= (double)mass * moved.x / dt, impulse[1] -= (double)mass * moved.y / dt,
        impulse[2] -= (double)mass * moved.z / dt;
}

// All bodies near one particle. `impulses` has three numbers per body.
static void collide_particle(CollideJob *job, size_t i, const uint16_t *near, int near_count, double *impulses)
{
    couWorld *world = job->world;
    couFluid *fluid = &world->fluid;
    couVec4 *position = couFluid_Position(fluid), *previous = couFluid_Previous(fluid);
    float mass = fluid->mass[couFluid_Material(fluid)[i]];
    Path path = {.from = couXyz(previous[i]), .to = couXyz(position[i])};
    for (int k = 0; k < near_count; ++k) {
        const couBody *body = &world->bodies[near[k]];
        if (!(body->def.stickiness > 0.0f)) continue;
        couVec3 moved = stick(job, body, path.to);
        if (moved.x == 0.0f && moved.y == 0.0f && moved.z == 0.0f) continue;
        path.to = couAdd(path.to, moved);
        path.has_changed = true;
        take_impulse(impulses + 3 * near[k], mass, moved, job->dt);
    }
    bool is_settled = false;
    for (int round = 0; round < ROUNDS && !is_settled; ++round) {
        is_settled = true;
        for (int k = 0; k < near_count; ++k) {
            couVec3 to = path.to, extracted = path.extracted;
            if (!collide_body(job, &world->bodies[near[k]], &path)) continue;
            couVec3 moved = couSub(couSub(path.to, to), couSub(path.extracted, extracted));
            take_impulse(impulses + 3 * near[k], mass, moved, job->dt);
            if (couLength(couSub(path.to, to)) > 1e-3f * world->def.spacing && near_count > 1) is_settled = false;
        }
    }
    // The last word: a path that still leads through a solid is not taken.
    for (int k = 0; k < near_count && path.has_changed && near_count > 1; ++k) {
        const couBody *body = &world->bodies[near[k]];
        couVec3 a = couToLocal(body->start, path.from), b = couToLocal(body->end, path.to);
        int dimension = world->def.dimension;
        if (couShape_Distance(body->def.shape, dimension, a) > 0.0f && trace(body->def.shape, dimension, a, b) < 1.0f) {
            path.to = couToWorld(body->end, a);
            path.extracted = (couVec3){0};
            job->trapped_count++;
            break;
        }
    }
    if (!path.has_changed) return;
    position[i].x = path.to.x, position[i].y = path.to.y, position[i].z = path.to.z;
    // Extraction must not become speed: the beginning of the path moves along.
    previous[i].x += path.extracted.x, previous[i].y += path.extracted.y, previous[i].z += path.extracted.z;
}

static void collide_block(void *context, int block, size_t begin, size_t end, int worker)
{
    CollideJob *job = context;
    couWorld *world = job->world;
    couFluid *fluid = &world->fluid;
    const couVec4 *position = couFluid_Position(fluid), *previous = couFluid_Previous(fluid);
    double *impulses = world->impulses + (size_t)block * 3 * world->body_count;
    memset(impulses, 0, 3 * world->body_count * sizeof *impulses);

    // What the wall density did goes first.
    for (size_t i = begin; i < end; ++i) {
        const couContact *contacts = couContacts_Of(&fluid->contacts, i);
        for (int k = 0; k < fluid->contacts.count[i]; ++k) {
            float mass = fluid->mass[couFluid_Material(fluid)[i]];
            take_impulse(impulses + 3 * contacts[k].body, mass, couScale(contacts[k].push, contacts[k].normal), job->dt);
        }
    }
    enum { GROUP = 16 };
    uint16_t *near = world->near_bodies + (size_t)worker * world->body_count;
    for (size_t first = begin; first < end; first += GROUP) {
        size_t last = COU_MIN(first + GROUP, end);
        Ball ball = enclose(position, first, last);
        float travel = 0.0f;
        for (size_t i = first; i < last; ++i)
            travel = COU_MAX(travel, couLength(couSub(couXyz(position[i]), couXyz(previous[i]))));
        int near_count = 0;
        for (size_t b = 0; b < world->body_count; ++b) {
            const couBody *body = &world->bodies[b];
            if (!body->is_here) continue;
            // A moving body sweeps the difference of its own distances at both ends.
            float at_end = distance_at(world, body, body->end, ball.center);
            float at_start = body->def.motion ? distance_at(world, body, body->start, ball.center) : at_end;
            float stick_reach = isnan(body->def.stick_distance) ? 0.5f * fluid->h : body->def.stick_distance;
            float reach = ball.radius + travel + 2.0f * job->radius + fabsf(at_end - at_start) +
                          (body->def.stickiness > 0.0f ? stick_reach : 0.0f);
            if (COU_MIN(at_end, at_start) < reach) near[near_count++] = (uint16_t)b;
        }
        for (size_t i = first; near_count && i < last; ++i) collide_particle(job, i, near, near_count, impulses);
    }
}

void couCollide(couStep *step)
{
    couWorld *world = step->world;
    size_t count = world->fluid.table.count;
    if (!world->body_count) return;
    size_t blocks = (size_t)couBlockCount(count, COLLISION_BLOCK);
    size_t near_entries = (size_t)world->fluid.parallel.threads * world->body_count;
    if (!couReserve(&world->memory, (void **)&world->impulses, &world->impulse_capacity, blocks * 3 * world->body_count,
                    sizeof(double)) ||
        !couReserve(&world->memory, (void **)&world->near_bodies, &world->near_capacity, near_entries, sizeof(uint16_t))) {
        step->has_failed = true;
        return;
    }
    CollideJob job = {.world = world, .dt = step->dt, .radius = CONTACT_RADIUS * world->def.spacing};
    couFor(&world->fluid.parallel, count, COLLISION_BLOCK, collide_block, &job);
    step->report->trapped_count += job.trapped_count;
    for (size_t k = 0; k < blocks; ++k)
        for (size_t b = 0; b < world->body_count; ++b)
            for (int a = 0; a < 3; ++a)
                world->bodies[b].impulse[a] += world->impulses[(k * world->body_count + b) * 3 + (size_t)a];
}
