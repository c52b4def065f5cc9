// Bodies as the fluid sees them before it moves: contact planes, and pairs of particles that a solid separates.

#include "world/world.h"

couBall couEnclose(const couVec4 *x, size_t begin, size_t end)
{
    couVec3 lower = couXyz(x[begin]), upper = lower;
    for (size_t i = begin + 1; i < end; ++i) {
        lower = (couVec3){COU_MIN(lower.x, x[i].x), COU_MIN(lower.y, x[i].y), COU_MIN(lower.z, x[i].z)};
        upper = (couVec3){COU_MAX(upper.x, x[i].x), COU_MAX(upper.y, x[i].y), COU_MAX(upper.z, x[i].z)};
    }
    return (couBall){couScale(0.5f, couAdd(lower, upper)), 0.5f * couLength(couSub(upper, lower))};
}

bool couIsBallFar(const couBody *body, couPose pose, couBall ball, float reach)
{
    if (isinf(body->ball_radius)) return false;
    couVec3 between = couSub(couToWorld(pose, body->ball_center), ball.center);
    float radii = body->ball_radius + ball.radius + reach;
    return couDot(between, between) > radii * radii;
}

float couClearance(const couBody *body, float distance)
{
    return distance < 0.0f ? distance : couShape_Clearance(body->def.shape, distance);
}

float couClearanceAt(const couWorld *world, const couBody *body, couPose pose, couVec3 x)
{
    return couClearance(body, couShape_Distance(body->def.shape, world->def.dimension, couToLocal(pose, x)));
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
    couVec3 side = {0};
    float height = 0.0f;
    if (count && couShape_IsConvex(body->def.shape)) {
        couVec3 before = couToLocal(body->start, couXyz(couFluid_Previous(&world->fluid)[i]));
        height = couShape_DistanceNormal(body->def.shape, world->def.dimension, before, &side);
        side = height > 0.0f ? couRotate(body->start.rotation, side) : (couVec3){0};
    }
    for (int k = 0; k < count; ++k) {
        couVec3 normal = couRotate(body->end.rotation, planes[k].normal);
        couContact contact = {normal, couDot(normal, x) - planes[k].distance, 0.0f, (int32_t)b, pocket, side, height};
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
        couBall ball = couEnclose(position, first, last);
        bool is_near[256] = {false};
        bool has_near = false;
        for (size_t b = 0; b < world->body_count; ++b) {
            const couBody *body = &world->bodies[b];
            bool is_hit = body->is_here && !couIsBallFar(body, body->end, ball, world->fluid.h) &&
                          couClearanceAt(world, body, body->end, ball.center) < ball.radius + world->fluid.h;
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

// True when a point at this offset from the particle is in front of the contact's plane, as the particle is.
static inline bool is_in_front(const couContact *contact, couVec3 offset)
{
    return contact->height > 0.0f && couDot(contact->side, offset) + contact->height > 0.0f;
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
        // Most pairs near a convex body: both in front of a plane that the whole of it is behind.
        if (is_in_front(&items[k], couSub(c, a)) || is_in_front(other, couSub(a, c))) continue;
        const couBody *body = &world->bodies[b];
        couVec3 p = couToLocal(body->start, a), q = couToLocal(body->start, c);
        int dimension = world->def.dimension;
        float near_p = couShape_Distance(body->def.shape, dimension, p),
              near_q = couShape_Distance(body->def.shape, dimension, q);
        // Of a particle that begins inside (a body was put over it) no side is known.
        if (near_p < 0.0f || near_q < 0.0f) continue;
        if (couClearance(body, near_p) + couClearance(body, near_q) > couLength(couSub(q, p))) continue;
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
