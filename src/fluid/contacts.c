// Contacts, kept per block of particles so that blocks can be filled in parallel and read in a fixed order.

#include "fluid/contacts.h"

#include "fluid/fluid.h"

bool couContacts_Reset(couContacts *contacts, size_t particles)
{
    size_t blocks = (size_t)couBlockCount(particles, COU_CONTACT_BLOCK);
    couMemory *memory = contacts->memory;
    bool is_good = COU_GROW(memory, contacts->first, contacts->first_capacity, particles) &&
                   COU_GROW(memory, contacts->count, contacts->count_capacity, particles) &&
                   COU_GROW(memory, contacts->blocks, contacts->block_capacity, blocks);
    if (!is_good) return false;
    if (particles) memset(contacts->count, 0, particles);
    for (size_t b = 0; b < contacts->block_capacity; ++b) contacts->blocks[b].count = 0;
    return true;
}

bool couContacts_Add(couContacts *contacts, size_t i, couContact contact)
{
    couContactBlock *block = &contacts->blocks[i / COU_CONTACT_BLOCK];
    if (contacts->count[i] == COU_MAX_CONTACTS) return false;
    if (!COU_RESERVE(contacts->memory, block, COU_MAX(block->count + 1, 64))) return false;
    if (contacts->count[i] == 0) contacts->first[i] = (uint32_t)block->count;
    block->items[block->count++] = contact;
    contacts->count[i]++;
    return true;
}

void couContacts_Free(couContacts *contacts)
{
    for (size_t b = 0; b < contacts->block_capacity; ++b) couFree(contacts->memory, contacts->blocks[b].items);
    couFree(contacts->memory, contacts->blocks);
    couFree(contacts->memory, contacts->first);
    couFree(contacts->memory, contacts->count);
    *contacts = (couContacts){0};
}

// --- Contact planes ----------------------------------------------------------------------------------------------------------

typedef struct ContactJob {
    couFluid *fluid;
    _Atomic bool has_failed;
} ContactJob;

// Adds the tangent planes of the body within h of the particle.
static bool add_contacts(couFluid *fluid, size_t b, size_t i, couVec3 x)
{
    const couBody *body = &fluid->bodies->items[b];
    couPlane planes[COU_MAX_CONTACTS];
    couVec3 local = couToLocal(body->end, x);
    int count = couShape_Planes(body->def.shape, fluid->dimension, local, fluid->h, planes, COU_MAX_CONTACTS);
    uint32_t pocket = count ? couShape_FreePocket(body->def.shape, fluid->dimension, local) : 0;
    couVec3 side = {0};
    float height = 0.0f;
    if (count && couShape_IsConvex(body->def.shape)) {
        couVec3 before = couToLocal(body->start, couXyz(couFluid_Previous(fluid)[i]));
        height = couShape_DistanceNormal(body->def.shape, fluid->dimension, before, &side);
        side = height > 0.0f ? couRotate(body->start.rotation, side) : (couVec3){0};
    }
    for (int k = 0; k < count; ++k) {
        couVec3 normal = couRotate(body->end.rotation, planes[k].normal);
        couContact contact = {.normal = normal,
                              .offset = couDot(normal, x) - planes[k].distance,
                              .body = (int32_t)b,
                              .pocket = pocket,
                              .side = side,
                              .height = height,
                              .can_pull = body->def.stickiness > 0.0f};
        if (fluid->contacts.count[i] == COU_MAX_CONTACTS) return true;
        if (!couContacts_Add(&fluid->contacts, i, contact)) return false;
    }
    return true;
}

static void contact_block(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)block, (void)worker;
    ContactJob *job = context;
    couFluid *fluid = job->fluid;
    const couBodies *bodies = fluid->bodies;
    const couVec4 *position = couFluid_Position(fluid);
    enum { GROUP = 16 }; // consecutive particles are close to each other
    for (size_t first = begin; first < end; first += GROUP) {
        size_t last = COU_MIN(first + GROUP, end);
        couBall ball = couEnclose(position, first, last);
        bool is_near[256] = {false};
        bool has_near = false;
        for (size_t b = 0; b < bodies->count; ++b) {
            const couBody *body = &bodies->items[b];
            bool is_hit = body->slot.is_here && !couIsBallFar(body, body->end, ball, fluid->h) &&
                          couClearanceAt(body, fluid->dimension, body->end, ball.center) < ball.radius + fluid->h;
            if (b < COU_COUNT(is_near)) is_near[b] = is_hit;
            has_near |= is_hit;
        }
        for (size_t i = first; has_near && i < last; ++i)
            for (size_t b = 0; b < bodies->count; ++b) {
                if (!bodies->items[b].slot.is_here || (b < COU_COUNT(is_near) && !is_near[b])) continue;
                if (!add_contacts(fluid, b, i, couXyz(position[i]))) job->has_failed = true;
            }
    }
}

bool couFindContacts(couStep *step)
{
    couFluid *fluid = step->fluid;
    if (!couContacts_Reset(&fluid->contacts, fluid->table.count)) return false;
    if (!fluid->bodies->count) return true;
    ContactJob job = {.fluid = fluid};
    couFor(&fluid->parallel, fluid->table.count, COU_CONTACT_BLOCK, contact_block, &job);
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

// True when a body that both particles are near lies between the places they come from. A predicted position may lie inside a
// solid, or beyond a thin one, until the collisions put it back; where a particle comes from is always on its side of the wall.
static bool is_separated(const void *context, uint32_t i, uint32_t j)
{
    const couFluid *fluid = context;
    const couContacts *contacts = &fluid->contacts;
    const couVec4 *previous = couFluid_Previous(fluid);
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
        const couBody *body = &fluid->bodies->items[b];
        couVec3 p = couToLocal(body->start, a), q = couToLocal(body->start, c);
        int dimension = fluid->dimension;
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
    couFluid *fluid = step->fluid;
    if (!fluid->bodies->count) return;
    couNeighbors_Filter(&fluid->neighbors, fluid->table.count, fluid->contacts.count, is_separated, fluid, &fluid->parallel);
}
