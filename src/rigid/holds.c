// Contacts and joints as rows.

#include "rigid/holds.h"

#include "rigid/impulse.h"

// Along `axis`: relative motion at a point, or relative turning.
static bool add_row(couBodies *bodies, couBodyHolds *holds, int a, int b, couVec3 point, couVec3 axis, bool is_turn)
{
    if (!COU_RESERVE(bodies->memory, holds, holds->count + 1)) return false;
    couBodyHold *hold = &holds->items[holds->count++];
    *hold = (couBodyHold){.body = {a, b}};
    for (int k = 0; k < 2; ++k) {
        int body = hold->body[k];
        if (body < 0) continue;
        couVec3 along = couScale(k ? -1.0f : 1.0f, axis);
        double *row = hold->row[k];
        if (is_turn)
            row[3] = along.x, row[4] = along.y, row[5] = along.z;
        else
            couLever(couSub(point, bodies->items[body].start_center), along, row);
    }
    return true;
}

static bool add_contact(couBodies *bodies, couBodyHolds *holds, const couRigidContact *contact)
{
    couVec3 tangents[2];
    couFindAcross(contact->normal, tangents);
    if (!add_row(bodies, holds, contact->a, contact->b, contact->point, contact->normal, false)) return false;
    holds->items[holds->count - 1].is_contact = true;
    for (int k = 0; k < 2 && contact->friction > 0.0f; ++k) {
        if (!add_row(bodies, holds, contact->a, contact->b, contact->point, tangents[k], false)) return false;
        holds->items[holds->count - 1].is_friction = true;
    }
    return true;
}

// Where a point or direction of the scene that was fixed to a body when the joint was made is now.
static void carry(const couBodies *bodies, const couRigidJoint *joint, couVec3 *point, couVec3 *axis)
{
    int b = joint->a >= 0 ? joint->a : joint->b;
    const couRigidState *then = joint->a >= 0 ? &joint->at_start_a : &joint->at_start_b, *now = &bodies->items[b].state;
    const double back[4] = {-then->rotation[0], -then->rotation[1], -then->rotation[2], then->rotation[3]};
    double offset[3] = {point->x - then->position[0], point->y - then->position[1], point->z - then->position[2]};
    double direction[3] = {axis->x, axis->y, axis->z}, local[3], turned[3];
    couRotateD(back, offset, local);
    couRotateD(now->rotation, local, turned);
    *point = (couVec3){(float)(now->position[0] + turned[0]), (float)(now->position[1] + turned[1]),
                       (float)(now->position[2] + turned[2])};
    couRotateD(back, direction, local);
    couRotateD(now->rotation, local, turned);
    *axis = (couVec3){(float)turned[0], (float)turned[1], (float)turned[2]};
}

static bool add_joint(couBodies *bodies, couBodyHolds *holds, const couRigidJoint *joint)
{
    static const couVec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    couVec3 point = joint->def.at, axis = joint->def.axis, sides[2];
    carry(bodies, joint, &point, &axis);
    couFindAcross(couNormalize(axis), sides);
    couJointKind kind = (couJointKind)joint->def.kind;
    bool is_good = true;
    bool holds_point = kind == cou_jointBall || kind == cou_jointHinge || kind == cou_jointFixed;
    bool holds_turns = kind == cou_jointSlider || kind == cou_jointFixed;
    for (int k = 0; k < 3; ++k) {
        if (holds_point) is_good = is_good && add_row(bodies, holds, joint->a, joint->b, point, axes[k], false);
        if (holds_turns) is_good = is_good && add_row(bodies, holds, joint->a, joint->b, point, axes[k], true);
    }
    for (int k = 0; k < 2; ++k) {
        if (kind == cou_jointHinge) is_good = is_good && add_row(bodies, holds, joint->a, joint->b, point, sides[k], true);
        if (kind == cou_jointSlider) is_good = is_good && add_row(bodies, holds, joint->a, joint->b, point, sides[k], false);
    }
    return is_good;
}

static bool is_free(const couBodies *bodies, int b)
{
    return b >= 0 && couIsFree(&bodies->items[b]) && !bodies->items[b].is_asleep;
}

bool couFindHolds(couBodies *bodies, couBodyHolds *holds)
{
    holds->count = 0;
    if (!couFindBodyContacts(bodies)) return false;
    for (size_t c = 0; c < bodies->contacts.count; ++c) {
        const couRigidContact *contact = &bodies->contacts.items[c];
        bool counts = is_free(bodies, contact->a) || is_free(bodies, contact->b);
        if (counts && !add_contact(bodies, holds, contact)) return false;
    }
    for (size_t j = 0; j < bodies->joints.count; ++j) {
        const couJoint *joint = &bodies->joints.items[j];
        bool counts = joint->slot.is_here && (is_free(bodies, joint->joint.a) || is_free(bodies, joint->joint.b));
        if (counts && !add_joint(bodies, holds, &joint->joint)) return false;
    }
    return true;
}
