// Joints: what is kept of them. The solver makes them anew each step from it.

#include "rigid/bodies.h"

#include <stdio.h>

static bool needs_axis(int kind) { return kind == cou_jointHinge || kind == cou_jointSlider || kind == cou_jointMotor; }

// Bodies, axis and limits, one fault each.
static bool check_joint(const couBodies *bodies, const couJointDef *def, couFaults *faults)
{
    int before = faults->count;
    const couBody *a = couBodies_Find(bodies, def->a), *b = couBodies_Find(bodies, def->b);
    if ((def->a.index1 && !a) || (def->b.index1 && !b))
        couFaults_Add(faults, NULL, "joint.a", "a body of the joint is not there any more");
    if (a && a == b) couFaults_Add(faults, NULL, "joint.b", "a joint needs two different bodies, not '%s' twice", a->def.name);
    bool has_free = (a && a->kind == cou_rigidFree) || (b && b->kind == cou_rigidFree);
    if (faults->count == before && !has_free) couFaults_Add(faults, NULL, "joint.a", "neither of its bodies moves freely");
    if (needs_axis(def->kind) && !(couLength(def->axis) > 0.0f))
        couFaults_Add(faults, NULL, "joint.axis", "the axis has no length");
    if (bodies->dimension == 2 && (def->kind == cou_jointHinge || def->kind == cou_jointMotor) &&
        (def->axis.x != 0.0f || def->axis.y != 0.0f))
        couFaults_Add(faults, NULL, "joint.axis", "in 2D things turn about z: give (0, 0, 1)");
    if (bodies->dimension == 2 && def->kind == cou_jointSlider && def->axis.z != 0.0f)
        couFaults_Add(faults, NULL, "joint.axis", "in 2D a slider's axis lies in the plane: give z = 0");
    if (def->lower > def->upper)
        couFaults_Add(faults, NULL, "joint.lower", "%g is above the upper limit, %g", def->lower, def->upper);
    // Of a hinge's angle only what is between -pi and pi can be told apart.
    if (def->kind == cou_jointHinge && (fabsf(def->lower) > 3.1f || fabsf(def->upper) > 3.1f))
        couFaults_Add(faults, NULL, "joint.lower",
                      "the limits of a hinge are %g and %g; they must be within -3.1 and 3.1 rad (178 degrees)", def->lower,
                      def->upper);
    if (def->name[0] && couBodies_FindJointName(bodies, def->name))
        couFaults_Add(faults, NULL, "joint.name", "there is a joint '%s' already", def->name);
    return faults->count == before;
}

couJoint *couBodies_AddJoint(couBodies *bodies, const couJointDef *def, couFaults *faults)
{
    if (!check_joint(bodies, def, faults)) return NULL;
    couJoint *joint = COU_ADD_SLOT(bodies->memory, &bodies->joints);
    if (!joint) {
        couFaults_Add(faults, NULL, "joint", "out of memory, or more than %d joints", COU_MAX_SLOTS);
        return NULL;
    }
    *joint = (couJoint){.slot = joint->slot, .joint.def = *def};
    couRigidJoint *rigid = &joint->joint;
    if (!def->name[0]) snprintf(rigid->def.name, sizeof rigid->def.name, "joint%d", (int)(joint - bodies->joints.items) + 1);
    const couBody *a = couBodies_Find(bodies, def->a), *b = couBodies_Find(bodies, def->b);
    rigid->a = a ? def->a.index1 - 1 : -1;
    rigid->b = b ? def->b.index1 - 1 : -1;
    if (a) rigid->at_start_a = a->state;
    if (b) rigid->at_start_b = b->state;
    couWakeBodies(bodies);
    return joint;
}

void couBodies_RemoveJoint(couBodies *bodies, couJoint *joint)
{
    couDropSlot(&joint->slot);
    couWakeBodies(bodies);
}

couJoint *couBodies_FindJoint(const couBodies *bodies, couJointId id)
{
    return couFindSlot(COU_SLOTS(&bodies->joints), id.index1, id.generation);
}

couJoint *couBodies_FindJointName(const couBodies *bodies, const char *name)
{
    for (size_t j = 0; j < bodies->joints.count; ++j) {
        couJoint *joint = &bodies->joints.items[j];
        if (joint->slot.is_here && strcmp(joint->joint.def.name, name) == 0) return joint;
    }
    return NULL;
}

couJointId couBodies_JointId(const couBodies *bodies, const couJoint *joint)
{
    if (!joint) return (couJointId){0};
    return (couJointId){(uint16_t)(joint - bodies->joints.items + 1), joint->slot.generation};
}
