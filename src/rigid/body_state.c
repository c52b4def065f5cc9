// Bodies and joints in a saved state. The solver keeps nothing between steps, so this is all there is to them.

#include "base/state_table.h"
#include "rigid/bodies.h"

#define BODY(field, name, unit) COU_STATE_FIELD(couBody, field, name, unit)
static const couStateField body_fields[] = {
    BODY(slot.is_here, "is_here", ""),         BODY(kind, "kind", ""),
    BODY(is_asleep, "is_asleep", ""),          BODY(still_seconds, "still_seconds", "s"),
    BODY(pose.position, "pose_position", "m"), BODY(pose.rotation, "pose_rotation", ""),
    BODY(state.position, "position", "m"),     BODY(state.rotation, "rotation", ""),
    BODY(state.velocity, "velocity", "m/s"),   BODY(state.spin, "spin", "rad/s"),
};
static const couStateTable body_table = {"bodies/state", cou_stateF64, false, body_fields, COU_COUNT(body_fields)};

#define JOINT(field, name, unit) COU_STATE_FIELD(couJoint, field, name, unit)
static const couStateField joint_fields[] = {
    JOINT(slot.is_here, "is_here", ""),
    JOINT(joint.def.motor_speed, "motor_speed", "rad/s or m/s"),
    JOINT(joint.def.motor_force, "motor_force", "N m or N"),
    JOINT(joint.at_start_a.position, "position_a", "m"),
    JOINT(joint.at_start_a.rotation, "rotation_a", ""),
    JOINT(joint.at_start_b.position, "position_b", "m"),
    JOINT(joint.at_start_b.rotation, "rotation_b", ""),
};
static const couStateTable joint_table = {"joints/state", cou_stateF64, false, joint_fields, COU_COUNT(joint_fields)};

// --- Generations -------------------------------------------------------------------------------------------------------------

// Who took the place of a removed body is another body under the same number: only a world in which the same was done can go on
// from such a state. As long as no place was used twice there is nothing to say.
static const char generation_name[] = "bodies/generation";

static bool has_successors(const couBodies *bodies)
{
    for (size_t b = 0; b < bodies->count; ++b)
        if (bodies->items[b].slot.is_here && bodies->items[b].slot.generation > 1) return true;
    return false;
}

// Of who is here, or was here last and would be back.
static uint32_t last_generation(const couBody *body)
{
    couSlot slot = body->slot;
    if (!slot.is_here) couRestoreSlot(&slot);
    return slot.generation;
}

static bool save_generations(const couBodies *bodies, couState *state)
{
    if (!has_successors(bodies)) return true;
    couStateArray *array = couState_Add(state, generation_name, "", cou_stateU32, 1, bodies->count, NULL);
    for (size_t b = 0; array && b < bodies->count; ++b) {
        const couSlot *slot = &bodies->items[b].slot;
        ((uint32_t *)array->data)[b] = slot->is_here ? slot->generation : 0;
    }
    return array != NULL;
}

static bool check_generations(const couBodies *bodies, const couState *state, couFaults *faults)
{
    const couStateArray *array = couState_Find(state, generation_name);
    if (array && !couExpectArray(state, generation_name, cou_stateU32, 1, bodies->count, faults)) return false;
    for (size_t b = 0; b < bodies->count; ++b) {
        couBody saved = bodies->items[b];
        couStateTable_LoadRow(&body_table, state, b, &saved);
        uint32_t generation = array ? ((const uint32_t *)array->data)[b] : 1;
        if (!saved.slot.is_here || generation == last_generation(&bodies->items[b])) continue;
        couFaults_Add(faults, NULL, generation_name, "'%s' has taken another body's place", bodies->items[b].def.name);
        return false;
    }
    return true;
}

// --- Save, check, load -------------------------------------------------------------------------------------------------------

bool couBodies_Save(const couBodies *bodies, couState *state)
{
    return couStateTable_Save(&body_table, bodies->items, bodies->count, sizeof *bodies->items, state) &&
           couStateTable_Save(&joint_table, bodies->joints.items, bodies->joints.count, sizeof *bodies->joints.items, state) &&
           save_generations(bodies, state);
}

static bool check_rotation(const double q[4], const char *kind, const char *name, couFaults *faults)
{
    double length2 = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    if (length2 > 0.25 && length2 < 4) return true;
    couFaults_Add(faults, NULL, body_table.array, "the rotation of the %s '%s' has length %g", kind, name, sqrt(length2));
    return false;
}

// The kind must be one that the body can be, and its rotation one.
static bool check_body(const couBodies *bodies, size_t b, const couState *state, couFaults *faults)
{
    const couBody *body = &bodies->items[b];
    couBody saved = *body;
    couStateTable_LoadRow(&body_table, state, b, &saved);
    couMassProperties mass;
    bool can_be = saved.kind == cou_rigidFixed || (saved.kind == cou_rigidDriven && body->def.motion) ||
                  (saved.kind == cou_rigidFree &&
                   (body->kind == cou_rigidFree || couShape_Mass(body->def.shape, bodies->dimension, &mass)));
    if (!can_be) {
        couFaults_Add(faults, NULL, body_table.array, "the body '%s' cannot be of kind %d", body->def.name, (int)saved.kind);
        return false;
    }
    const double *q = saved.state.rotation;
    const couQuat p = saved.pose.rotation;
    return check_rotation(q, "body", body->def.name, faults) &&
           check_rotation((const double[]){p.x, p.y, p.z, p.w}, "body", body->def.name, faults);
}

// An end that is the world has no rotation.
static bool check_joint(const couJoint *joint, size_t j, const couState *state, couFaults *faults)
{
    const char *name = joint->joint.def.name;
    couJoint saved = *joint;
    couStateTable_LoadRow(&joint_table, state, j, &saved);
    if (!(saved.joint.def.motor_force >= 0)) {
        couFaults_Add(faults, NULL, joint_table.array, "the motor of the joint '%s' cannot have %g N", name,
                      (double)saved.joint.def.motor_force);
        return false;
    }
    return (joint->joint.a < 0 || check_rotation(saved.joint.at_start_a.rotation, "joint", name, faults)) &&
           (joint->joint.b < 0 || check_rotation(saved.joint.at_start_b.rotation, "joint", name, faults));
}

bool couBodies_CheckSaved(const couBodies *bodies, const couState *state, couFaults *faults)
{
    if (!couStateTable_Check(&body_table, bodies->count, state, faults) ||
        !couStateTable_Check(&joint_table, bodies->joints.count, state, faults) || !check_generations(bodies, state, faults))
        return false;
    for (size_t b = 0; b < bodies->count; ++b)
        if (!check_body(bodies, b, state, faults)) return false;
    for (size_t j = 0; j < bodies->joints.count; ++j)
        if (!check_joint(&bodies->joints.items[j], j, state, faults)) return false;
    return true;
}

static bool load_body(couBodies *bodies, size_t b, const couState *state, couFaults *faults)
{
    couBody *body = &bodies->items[b], saved = *body;
    couStateTable_LoadRow(&body_table, state, b, &saved);
    couFollowSlot(&body->slot, saved.slot.is_here);
    // Becoming free or fixed changes more than the numbers of the row.
    body->pose = saved.pose;
    if (saved.kind == cou_rigidFree && body->kind != cou_rigidFree && !couMakeFree(bodies, body, faults)) return false;
    if (saved.kind == cou_rigidFixed && body->kind == cou_rigidFree) couMakeFixed(bodies, body);
    body->kind = saved.kind;
    body->def.is_dynamic = saved.kind == cou_rigidFree;
    body->is_asleep = saved.is_asleep;
    body->still_seconds = saved.still_seconds;
    body->state = saved.state;
    body->start = body->end = body->pose;
    return true;
}

bool couBodies_Load(couBodies *bodies, const couState *state, couFaults *faults)
{
    for (size_t b = 0; b < bodies->count; ++b)
        if (!load_body(bodies, b, state, faults)) return false;
    bodies->free_count = 0;
    for (size_t b = 0; b < bodies->count; ++b) bodies->free_count += couIsFree(&bodies->items[b]);
    for (size_t j = 0; j < bodies->joints.count; ++j) {
        couJoint *joint = &bodies->joints.items[j];
        couSlot slot = joint->slot;
        couStateTable_LoadRow(&joint_table, state, j, joint);
        couFollowSlot(&slot, joint->slot.is_here);
        joint->slot = slot;
    }
    bodies->change_count++;
    return true;
}
