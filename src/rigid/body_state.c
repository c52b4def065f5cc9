// Bodies and joints in a saved state. The solver keeps nothing between steps, so this is all there is to them.

#include "world/world.h"

enum { BODY_NUMBERS = 24, JOINT_NUMBERS = 17 };

// A row of numbers that is written or read in one order.
typedef struct Row {
    double *at;
    bool is_reading;
} Row;

static void pass(Row *row, double *value)
{
    if (row->is_reading)
        *value = *row->at;
    else
        *row->at = *value;
    row->at++;
}

static void pass_all(Row *row, double *values, int count)
{
    for (int k = 0; k < count; ++k) pass(row, &values[k]);
}

static void pass_float(Row *row, float *value)
{
    double wide = *value;
    pass(row, &wide);
    *value = (float)wide;
}

static void pass_bool(Row *row, bool *value)
{
    double wide = *value;
    pass(row, &wide);
    *value = wide != 0;
}

static void pass_place(Row *row, couRigidState *state)
{
    pass_all(row, state->position, 3);
    pass_all(row, state->rotation, 4);
}

static void pass_body(Row *row, couBody *body)
{
    double kind = body->kind;
    pass_bool(row, &body->is_here);
    pass(row, &kind);
    body->kind = (couRigidKind)kind;
    pass_bool(row, &body->is_asleep);
    pass(row, &body->still_seconds);
    float *pose[] = {&body->pose.position.x, &body->pose.position.y, &body->pose.position.z, &body->pose.rotation.x,
                     &body->pose.rotation.y, &body->pose.rotation.z, &body->pose.rotation.w};
    for (int k = 0; k < COU_COUNT(pose); ++k) pass_float(row, pose[k]);
    pass_place(row, &body->state);
    pass_all(row, body->state.velocity, 3);
    pass_all(row, body->state.spin, 3);
}

static void pass_joint(Row *row, couJoint *joint)
{
    pass_bool(row, &joint->is_here);
    pass_float(row, &joint->joint.def.motor_speed);
    pass_float(row, &joint->joint.def.motor_force);
    pass_place(row, &joint->joint.at_start_a);
    pass_place(row, &joint->joint.at_start_b);
}

bool couSaveBodies(const couWorld *world, couState *state)
{
    const couStateArray *bodies = couState_Add(state, "bodies/state", "", cou_stateF64, BODY_NUMBERS, world->body_count, NULL);
    const couStateArray *joints = couState_Add(state, "joints/state", "", cou_stateF64, JOINT_NUMBERS, world->joint_count, NULL);
    // Adding may have moved the first.
    bodies = bodies && joints ? couState_Find(state, "bodies/state") : NULL;
    if (!bodies) return false;
    for (size_t b = 0; b < world->body_count; ++b) {
        Row row = {(double *)bodies->data + b * BODY_NUMBERS, false};
        couBody body = world->bodies[b];
        pass_body(&row, &body);
    }
    for (size_t j = 0; j < world->joint_count; ++j) {
        Row row = {(double *)joints->data + j * JOINT_NUMBERS, false};
        couJoint joint = world->joints[j];
        pass_joint(&row, &joint);
    }
    return true;
}

static bool check_rows(const couStateArray *array, couFaults *faults)
{
    const double *values = array->data;
    for (size_t k = 0; k < array->count * (size_t)array->components; ++k) {
        if (isfinite(values[k])) continue;
        couFaults_Add(faults, NULL, array->name, "row %zu has a number that is not finite", k / (size_t)array->components);
        return false;
    }
    return true;
}

// The kind must be one that the body can be, and its rotation one.
static bool check_body(const couWorld *world, const couBody *body, const double *numbers, couFaults *faults)
{
    couBody saved = *body;
    double kind = numbers[1];
    couMassProperties mass;
    bool can_be = kind == cou_rigidFixed || (kind == cou_rigidDriven && body->def.motion) ||
                  (kind == cou_rigidFree &&
                   (body->kind == cou_rigidFree || couShape_Mass(body->def.shape, world->def.dimension, &mass)));
    if (!can_be) {
        couFaults_Add(faults, NULL, "bodies/state", "the body '%s' cannot be of kind %g", body->def.name, kind);
        return false;
    }
    pass_body(&(Row){(double *)numbers, true}, &saved);
    const double *q = saved.state.rotation;
    double length2 = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    if (length2 > 0.25 && length2 < 4) return true;
    couFaults_Add(faults, NULL, "bodies/state", "the rotation of the body '%s' has length %g", body->def.name, sqrt(length2));
    return false;
}

bool couCheckSavedBodies(const couWorld *world, const couState *state, couFaults *faults)
{
    const couStateArray *bodies = couExpectArray(state, "bodies/state", cou_stateF64, BODY_NUMBERS, world->body_count, faults);
    const couStateArray *joints = couExpectArray(state, "joints/state", cou_stateF64, JOINT_NUMBERS, world->joint_count, faults);
    if (!bodies || !joints || !check_rows(bodies, faults) || !check_rows(joints, faults)) return false;
    for (size_t b = 0; b < world->body_count; ++b)
        if (!check_body(world, &world->bodies[b], (const double *)bodies->data + b * BODY_NUMBERS, faults)) return false;
    return true;
}

static bool load_body(couWorld *world, couBody *body, double *numbers, couFaults *faults)
{
    couBody saved = *body;
    pass_body(&(Row){numbers, true}, &saved);
    if (body->is_here && !saved.is_here) body->generation++;
    // Becoming free or fixed changes more than the numbers of the row.
    body->pose = saved.pose;
    if (saved.kind == cou_rigidFree && body->kind != cou_rigidFree && !couMakeFree(world, body, faults)) return false;
    if (saved.kind == cou_rigidFixed && body->kind == cou_rigidFree) couMakeFixed(world, body);
    body->kind = saved.kind;
    body->def.is_dynamic = saved.kind == cou_rigidFree;
    body->is_here = saved.is_here;
    body->is_asleep = saved.is_asleep;
    body->still_seconds = saved.still_seconds;
    body->state = saved.state;
    body->start = body->end = body->pose;
    return true;
}

bool couLoadBodies(couWorld *world, const couState *state, couFaults *faults)
{
    const couStateArray *bodies = couState_Find(state, "bodies/state"), *joints = couState_Find(state, "joints/state");
    for (size_t b = 0; b < world->body_count; ++b)
        if (!load_body(world, &world->bodies[b], (double *)bodies->data + b * BODY_NUMBERS, faults)) return false;
    world->free_count = 0;
    for (size_t b = 0; b < world->body_count; ++b)
        world->free_count += world->bodies[b].is_here && world->bodies[b].kind == cou_rigidFree;
    for (size_t j = 0; j < world->joint_count; ++j) {
        couJoint *joint = &world->joints[j];
        bool was_here = joint->is_here;
        pass_joint(&(Row){(double *)joints->data + j * JOINT_NUMBERS, true}, joint);
        if (was_here && !joint->is_here) joint->generation++;
    }
    return true;
}
