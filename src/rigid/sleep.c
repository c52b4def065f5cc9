// Sleep. A heap falls asleep as a whole: bodies that touch or are joined make an island, and the island rests once all of them
// have hardly moved for half a second. Bodies that fluid touches never sleep, nor do any where there is no gravity to hold
// them.

#include "rigid/bodies.h"

#define SLEEP_AFTER 0.5   // [s]
#define SLEEP_SPEED 0.01f // / sqrt(g size)

void couUpdateSleep(couRigidStep *step, double dt)
{
    couBodies *bodies = step->bodies;
    int count = (int)bodies->count;
    float g = couLength(bodies->gravity);
    int *islands = step->islands, *supports = step->supports;
    float deepest = 5.0f * COU_RIGID_SLOP *
                    couSmallestFree(bodies); // what overlaps more is still being moved apart, though without speed
    for (int b = 0; b < count; ++b) {
        couBody *body = &bodies->items[b];
        islands[b] = b, supports[b] = 0;
        const double *v = body->state.velocity, *w = body->state.spin;
        double speed = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) +
                       (double)body->ball_radius * sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
        bool is_still = g > 0.0f && speed < SLEEP_SPEED * sqrtf(g * couBodySize(body));
        if (!body->is_asleep) body->still_seconds = is_still ? body->still_seconds + dt : 0;
    }
    for (size_t c = 0; c < bodies->contacts.count; ++c) {
        const couRigidContact *contact = &bodies->contacts.items[c];
        int a = contact->a, b = contact->b;
        supports[a] = supports[b] = 1;
        if (contact->depth > deepest) bodies->items[a].still_seconds = bodies->items[b].still_seconds = 0;
        bool both_free = bodies->items[a].kind == cou_rigidFree && bodies->items[b].kind == cou_rigidFree;
        if (both_free) couMergeRoots(islands, a, b);
        if (bodies->items[a].kind == cou_rigidDriven && couIsMoving(&bodies->items[a])) bodies->items[b].still_seconds = 0;
        if (bodies->items[b].kind == cou_rigidDriven && couIsMoving(&bodies->items[b])) bodies->items[a].still_seconds = 0;
    }
    for (size_t j = 0; j < bodies->joints.count; ++j) {
        const couJoint *joint = &bodies->joints.items[j];
        if (!joint->slot.is_here) continue;
        int a = joint->joint.a, b = joint->joint.b;
        if (a >= 0) supports[a] = 1;
        if (b >= 0) supports[b] = 1;
        if (a >= 0 && b >= 0 && bodies->items[a].kind == cou_rigidFree && bodies->items[b].kind == cou_rigidFree)
            couMergeRoots(islands, a, b);
        if (joint->joint.def.motor_force > 0.0f && joint->joint.def.motor_speed != 0.0f) {
            if (a >= 0) bodies->items[a].still_seconds = 0;
            if (b >= 0) bodies->items[b].still_seconds = 0;
        }
    }
    // An island is awake when one of its bodies is.
    for (int b = 0; b < count; ++b) {
        const couBody *body = &bodies->items[b];
        bool is_resting = body->is_asleep || (body->still_seconds >= SLEEP_AFTER && supports[b]);
        if (body->kind == cou_rigidFree && body->slot.is_here && !is_resting) supports[couFindRoot(islands, b)] |= 2;
    }
    for (int b = 0; b < count; ++b) {
        couBody *body = &bodies->items[b];
        if (body->kind != cou_rigidFree) continue;
        bool was_asleep = body->is_asleep;
        body->is_asleep = !(supports[couFindRoot(islands, b)] & 2);
        if (was_asleep && !body->is_asleep) body->still_seconds = 0;
    }
}

// Of a pair the one that sleeps wakes when the other moves. True when it did.
static bool wake_pair(couBody *a, couBody *b)
{
    for (int side = 0; side < 2; ++side) {
        couBody *sleeper = side ? b : a, *other = side ? a : b;
        if (sleeper->kind != cou_rigidFree || !sleeper->is_asleep || !couIsMoving(other)) continue;
        sleeper->is_asleep = false;
        sleeper->still_seconds = 0;
        return true;
    }
    return false;
}

bool couWakeTouched(couBodies *bodies)
{
    bool has_woken = false;
    for (size_t c = 0; c < bodies->contacts.count; ++c) {
        const couRigidContact *contact = &bodies->contacts.items[c];
        has_woken |= wake_pair(&bodies->items[contact->a], &bodies->items[contact->b]);
    }
    for (size_t j = 0; j < bodies->joints.count; ++j) {
        const couJoint *joint = &bodies->joints.items[j];
        if (!joint->slot.is_here || joint->joint.a < 0 || joint->joint.b < 0) continue;
        has_woken |= wake_pair(&bodies->items[joint->joint.a], &bodies->items[joint->joint.b]);
    }
    return has_woken;
}
