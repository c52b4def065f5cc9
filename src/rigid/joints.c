// Joints: what the world knows about them. The solver makes them anew each step from what is kept here.

#include "world/world.h"

#include <stdio.h>

static couJoint *find_joint(const couWorld *world, couJointId id)
{
    if (id.index1 == 0 || id.index1 > world->joint_count) return NULL;
    couJoint *joint = &world->joints[id.index1 - 1];
    return joint->is_here && joint->generation == id.generation ? joint : NULL;
}

static bool needs_axis(int kind) { return kind == cou_jointHinge || kind == cou_jointSlider || kind == cou_jointMotor; }

// Bodies, axis and limits, one fault each.
static bool check_joint(const couWorld *world, const couJointDef *def, couFaults *faults)
{
    int before = faults->count;
    const couBody *a = couFindBody(world, def->a), *b = couFindBody(world, def->b);
    if ((def->a.index1 && !a) || (def->b.index1 && !b))
        couFaults_Add(faults, NULL, "joint.a", "a body of the joint is not there any more");
    if (a && a == b) couFaults_Add(faults, NULL, "joint.b", "a joint needs two different bodies, not '%s' twice", a->def.name);
    bool has_free = (a && a->kind == cou_rigidFree) || (b && b->kind == cou_rigidFree);
    if (faults->count == before && !has_free) couFaults_Add(faults, NULL, "joint.a", "neither of its bodies moves freely");
    if (needs_axis(def->kind) && !(couLength(def->axis) > 0.0f))
        couFaults_Add(faults, NULL, "joint.axis", "the axis has no length");
    if (world->def.dimension == 2 && (def->kind == cou_jointHinge || def->kind == cou_jointMotor) &&
        (def->axis.x != 0.0f || def->axis.y != 0.0f))
        couFaults_Add(faults, NULL, "joint.axis", "in 2D things turn about z: give (0, 0, 1)");
    if (world->def.dimension == 2 && def->kind == cou_jointSlider && def->axis.z != 0.0f)
        couFaults_Add(faults, NULL, "joint.axis", "in 2D a slider's axis lies in the plane: give z = 0");
    if (def->lower > def->upper)
        couFaults_Add(faults, NULL, "joint.lower", "%g is above the upper limit, %g", def->lower, def->upper);
    // Of a hinge's angle only what is between -pi and pi can be told apart.
    if (def->kind == cou_jointHinge && (fabsf(def->lower) > 3.1f || fabsf(def->upper) > 3.1f))
        couFaults_Add(faults, NULL, "joint.lower",
                      "the limits of a hinge are %g and %g; they must be within -3.1 and 3.1 rad (178 degrees)", def->lower,
                      def->upper);
    if (def->name[0] && couWorld_FindJoint(world, def->name).index1)
        couFaults_Add(faults, NULL, "joint.name", "there is a joint '%s' already", def->name);
    return faults->count == before;
}

couJointId couWorld_AddJoint(couWorld *world, const couJointDef *def, couFaults *faults)
{
    bool is_good = couParams_Check(couJointParams(), def, faults);
    is_good = couCheckName(def->name, "joint.name", faults) && is_good;
    is_good = is_good && check_joint(world, def, faults);
    if (!is_good) return (couJointId){0};
    if (world->joint_count >= UINT16_MAX || !couReserve(&world->memory, (void **)&world->joints, &world->joint_capacity,
                                                        world->joint_count + 1, sizeof *world->joints)) {
        couFaults_Add(faults, NULL, "joint", "out of memory, or more than %d joints", UINT16_MAX);
        return (couJointId){0};
    }
    couJoint *joint = &world->joints[world->joint_count++];
    *joint = (couJoint){.joint.def = *def, .generation = 1, .is_here = true};
    if (!def->name[0]) snprintf(joint->joint.def.name, sizeof joint->joint.def.name, "joint%zu", world->joint_count);
    const couBody *a = couFindBody(world, def->a), *b = couFindBody(world, def->b);
    joint->joint.a = a ? def->a.index1 - 1 : -1;
    joint->joint.b = b ? def->b.index1 - 1 : -1;
    if (a) joint->joint.at_start_a = a->state;
    if (b) joint->joint.at_start_b = b->state;
    couWakeBodies(world);
    return (couJointId){(uint16_t)world->joint_count, joint->generation};
}

void couWorld_RemoveJoint(couWorld *world, couJointId id)
{
    couJoint *joint = find_joint(world, id);
    COU_ASSERT(joint);
    if (!joint) return;
    joint->is_here = false;
    joint->generation++;
    couWakeBodies(world);
}

bool couWorld_HasJoint(const couWorld *world, couJointId joint) { return find_joint(world, joint) != NULL; }
int couWorld_JointCapacity(const couWorld *world) { return (int)world->joint_count; }

couJointId couWorld_JointAt(const couWorld *world, int index)
{
    if (index < 0 || (size_t)index >= world->joint_count || !world->joints[index].is_here) return (couJointId){0};
    return (couJointId){(uint16_t)(index + 1), world->joints[index].generation};
}

couJointId couWorld_FindJoint(const couWorld *world, const char *name)
{
    for (size_t j = 0; j < world->joint_count; ++j)
        if (world->joints[j].is_here && strcmp(world->joints[j].joint.def.name, name) == 0)
            return couWorld_JointAt(world, (int)j);
    return (couJointId){0};
}

const couJointDef *couWorld_Joint(const couWorld *world, couJointId id)
{
    const couJoint *joint = find_joint(world, id);
    return joint ? &joint->joint.def : NULL;
}

float couWorld_JointPosition(const couWorld *world, couJointId id)
{
    const couJoint *joint = find_joint(world, id);
    COU_ASSERT(joint);
    if (!joint) return 0.0f;
    int a = joint->joint.a, b = joint->joint.b;
    return (float)couRigidJoint_Position(&joint->joint, a >= 0 ? &world->bodies[a].state : NULL,
                                         b >= 0 ? &world->bodies[b].state : NULL);
}

void couWorld_SetJointMotor(couWorld *world, couJointId id, float speed, float force)
{
    couJoint *joint = find_joint(world, id);
    COU_ASSERT(joint && isfinite(speed) && force >= 0.0f);
    if (!joint) return;
    joint->joint.def.motor_speed = speed;
    joint->joint.def.motor_force = force;
    couWakeBodies(world);
}
