// The world's bodies and joints, as users see them.

#include "world/world.h"

#include "shape/samples.h"

#include <stdio.h>

// Particles this close to a new body go / spacing. Without it the liquid around a ball of 2.5 spacings that is put into a pool
// leaves at 12 m/s (wcsph).
#define COVERED 0.3f

#define MOST_CROWD 1000 // samples that a body may be given in a cube of one spacing: ten a spacing each way

// --- Bodies ------------------------------------------------------------------------------------------------------------------

static bool check_bounce(const couBodyDef *def, couFaults *faults)
{
    if (!def->is_dynamic || !(def->bounce > 0.0f)) return true;
    couFaults_Add(faults, NULL, "body.bounce", "'%s' moves freely: fluid bounces off fixed and driven bodies only", def->name);
    return false;
}

typedef struct Cell {
    double place[3]; // whole spacings: beyond what an integer holds where the shape is large
} Cell;

static int compare_cells(const void *a, const void *b)
{
    const Cell *s = a, *t = b;
    for (int axis = 0; axis < 3; ++axis)
        if (s->place[axis] != t->place[axis]) return s->place[axis] < t->place[axis] ? -1 : 1;
    return 0;
}

// All points of a place are neighbours of each other: 100,000 at one are 1e10 pairs in each step.
static bool check_crowd(const couWorld *world, const couBodyDef *def, const char *key, couFaults *faults)
{
    const double d = world->def.spacing;
    Cell *cells = couAlloc(NULL, def->sample_count * sizeof *cells);
    size_t most = 0;
    if (!cells) {
        couFaults_Add(faults, NULL, key, "no memory for %zu points", def->sample_count);
        return false;
    }
    for (size_t k = 0; k < def->sample_count; ++k) {
        couVec3 x = def->samples[k];
        cells[k] = (Cell){{floor((double)x.x / d), floor((double)x.y / d), floor((double)x.z / d)}};
    }
    couSort(cells, def->sample_count, sizeof *cells, compare_cells);
    for (size_t k = 0, begin = 0; k < def->sample_count; ++k) {
        if (compare_cells(&cells[k], &cells[begin]) != 0) begin = k;
        most = COU_MAX(most, k + 1 - begin);
    }
    couFree(NULL, cells);
    if (most <= MOST_CROWD) return true;
    couFaults_Add(faults, NULL, key, "%zu points are in one cube of a spacing, %g m: at most %d are allowed", most, d,
                  MOST_CROWD);
    return false;
}

// Points far from the surface would be walls where there is nothing.
static bool check_samples(const couWorld *world, const couBodyDef *def, couFaults *faults)
{
    static const char key[] = "body.samples";
    const double d = world->def.spacing, outside = 0.5 * d, inside = (COU_MAX_SAMPLE_LAYERS + 0.5) * d;
    couBounds bounds;
    if (!def->samples && !def->sample_count) return true;
    if (!def->samples || !def->sample_count || def->sample_count > COU_MAX_BODY_SAMPLES) {
        couFaults_Add(faults, NULL, key, "%zu points: must be 1 to %zu", def->samples ? def->sample_count : 0,
                      COU_MAX_BODY_SAMPLES);
        return false;
    }
    if (!def->shape || !couShape_Bounds(def->shape, world->def.dimension, &bounds)) {
        if (def->shape) couFaults_Add(faults, NULL, key, "the shape has no bounds: it is sampled where the liquid is");
        return false;
    }
    size_t bad = 0, first = 0;
    char text[160] = "";
    for (size_t k = 0; k < def->sample_count; ++k) {
        couVec3 x = def->samples[k];
        bool is_finite = couIsFinite3(x), is_flat = world->def.dimension == 3 || x.z == 0.0f;
        double distance = is_finite ? couShape_Distance(def->shape, world->def.dimension, x) : 0;
        if (is_finite && is_flat && distance <= outside && distance >= -inside) continue;
        if (bad++ > 0) continue;
        first = k + 1;
        if (!is_finite)
            snprintf(text, sizeof text, "is not finite");
        else if (!is_flat)
            snprintf(text, sizeof text, "has z = %g: in 2D it must be 0", (double)x.z);
        else
            snprintf(text, sizeof text, "{%g, %g, %g} is %g m %s the surface: at most %g m are allowed", (double)x.x, (double)x.y,
                     (double)x.z, fabs(distance), distance > 0 ? "outside" : "under", distance > 0 ? outside : inside);
    }
    if (bad)
        couFaults_Add(faults, NULL, key, "%zu of %zu points are wrong; the first, number %zu, %s", bad, def->sample_count, first,
                      text);
    return !bad && check_crowd(world, def, key, faults);
}

couBodyId couWorld_AddBody(couWorld *world, const couBodyDef *def, couFaults *faults)
{
    bool is_good = couParams_Check(couBodyParams(), def, faults);
    is_good = couCheckName(def->name, "body.name", faults) && is_good;
    is_good = couCheckShape(world, def->shape, false, "body.shape", faults) && is_good;
    is_good = couCheckPose(def->pose, "body.at", faults) && is_good;
    is_good = check_bounce(def, faults) && is_good;
    is_good = check_samples(world, def, faults) && is_good;
    if (def->is_dynamic && def->motion) {
        couFaults_Add(faults, NULL, "body.motion", "a body that moves freely cannot be driven");
        is_good = false;
    }
    if (is_good && def->name[0] && couBodies_FindName(&world->bodies, def->name)) {
        couFaults_Add(faults, NULL, "body.name", "there is a body '%s' already", def->name);
        is_good = false;
    }
    if (!is_good) return (couBodyId){0};
    couBody *body = couBodies_Add(&world->bodies, def, world->time, faults);
    if (!body) return (couBodyId){0};
    if (world->is_prepared && def->coanda > 0.0f && !couWorld_Prepare(world, faults)) {
        couBodies_Remove(&world->bodies, body);
        couPrepareAsBefore(world);
        return (couBodyId){0};
    }
    // Particles where the body is now must go: nothing could get them out of there in order; and those that its samples, where
    // the method has them, would press.
    float margin = world->fluid.method->has_contact_pushes ? 0.0f : COVERED * world->def.spacing;
    int64_t covered = couRemoveInside(world, def->shape, body->pose, margin, false);
    if (covered > 0)
        couLog(cou_logInfo, "the body '%s' covers %lld particles, which were removed", body->def.name, (long long)covered);
    return couBodies_Id(&world->bodies, body);
}

void couWorld_RemoveBody(couWorld *world, couBodyId id)
{
    couBody *body = couBodies_Find(&world->bodies, id);
    COU_ASSERT(body);
    if (body) couBodies_Remove(&world->bodies, body);
}

bool couWorld_HasBody(const couWorld *world, couBodyId id) { return couBodies_Find(&world->bodies, id) != NULL; }
int couWorld_BodyCount(const couWorld *world) { return couCountSlots(COU_SLOTS(&world->bodies)); }

int couWorld_RemovedBodyCount(const couWorld *world)
{
    int count = 0; // a place has a new generation after each removal
    for (size_t b = 0; b < world->bodies.count; ++b) count += world->bodies.items[b].slot.generation - 1;
    return count;
}

couBodyId couWorld_BodyAt(const couWorld *world, int index)
{
    int place = couNthSlot(COU_SLOTS(&world->bodies), index);
    return place < 0 ? (couBodyId){0} : couBodies_Id(&world->bodies, &world->bodies.items[place]);
}

couBodyId couWorld_FindBody(const couWorld *world, const char *name)
{
    return couBodies_Id(&world->bodies, couBodies_FindName(&world->bodies, name));
}

const couBodyDef *couWorld_Body(const couWorld *world, couBodyId id)
{
    const couBody *body = couBodies_Find(&world->bodies, id);
    return body ? &body->def : NULL;
}

couPose couWorld_BodyPose(const couWorld *world, couBodyId id)
{
    const couBody *body = couBodies_Find(&world->bodies, id);
    COU_ASSERT(body);
    return body ? body->pose : COU_POSE_IDENTITY;
}

couVec3 couWorld_BodyForce(const couWorld *world, couBodyId id)
{
    const couBody *body = couBodies_Find(&world->bodies, id);
    COU_ASSERT(body);
    return body ? body->force : (couVec3){0};
}

couVec3 couWorld_BodyStepForce(const couWorld *world, couBodyId id)
{
    const couBody *body = couBodies_Find(&world->bodies, id);
    COU_ASSERT(body);
    return body ? body->step_force : (couVec3){0};
}

couVec3 couWorld_BodyStepTorque(const couWorld *world, couBodyId id)
{
    const couBody *body = couBodies_Find(&world->bodies, id);
    COU_ASSERT(body);
    return body ? body->step_torque : (couVec3){0};
}

couVec3 couWorld_BodyTorque(const couWorld *world, couBodyId id)
{
    const couBody *body = couBodies_Find(&world->bodies, id);
    COU_ASSERT(body);
    return body ? body->torque : (couVec3){0};
}

static couVec3 vec3(const double v[3]) { return (couVec3){(float)v[0], (float)v[1], (float)v[2]}; }

couVec3 couWorld_BodyVelocity(const couWorld *world, couBodyId id)
{
    const couBody *body = couBodies_Find(&world->bodies, id);
    COU_ASSERT(body);
    return body ? vec3(body->state.velocity) : (couVec3){0};
}

couVec3 couWorld_BodySpin(const couWorld *world, couBodyId id)
{
    const couBody *body = couBodies_Find(&world->bodies, id);
    COU_ASSERT(body);
    return body ? vec3(body->state.spin) : (couVec3){0};
}

couVec3 couWorld_BodyCenter(const couWorld *world, couBodyId id)
{
    const couBody *body = couBodies_Find(&world->bodies, id);
    COU_ASSERT(body);
    return body ? couBodyCenter(body, body->pose) : (couVec3){0};
}

float couWorld_BodyMass(const couWorld *world, couBodyId id)
{
    const couBody *body = couBodies_Find(&world->bodies, id);
    COU_ASSERT(body);
    return body && body->kind == cou_rigidFree ? (float)body->mass : INFINITY;
}

bool couWorld_IsBodyAsleep(const couWorld *world, couBodyId id)
{
    const couBody *body = couBodies_Find(&world->bodies, id);
    COU_ASSERT(body);
    return body && body->is_asleep;
}

void couWorld_SetBodyVelocity(couWorld *world, couBodyId id, couVec3 velocity, couVec3 spin)
{
    couBody *body = couBodies_Find(&world->bodies, id);
    COU_ASSERT(body && body->kind == cou_rigidFree && couIsFinite3(velocity) && couIsFinite3(spin));
    if (!body || body->kind != cou_rigidFree) return;
    if (world->def.dimension == 2) velocity.z = spin.x = spin.y = 0.0f;
    couRigidState *state = &body->state;
    state->velocity[0] = velocity.x, state->velocity[1] = velocity.y, state->velocity[2] = velocity.z;
    state->spin[0] = spin.x, state->spin[1] = spin.y, state->spin[2] = spin.z;
    couWakeBodies(&world->bodies);
}

void couWorld_PushBody(couWorld *world, couBodyId id, couVec3 impulse, couVec3 point)
{
    couBody *body = couBodies_Find(&world->bodies, id);
    COU_ASSERT(body && body->kind == cou_rigidFree && couIsFinite3(impulse) && couIsFinite3(point));
    if (!body || body->kind != cou_rigidFree) return;
    couVec3 arm = couSub(point, couBodyCenter(body, body->pose)), moment = couCross(arm, impulse);
    double given[6] = {impulse.x, impulse.y, impulse.z, moment.x, moment.y, moment.z};
    couAddImpulse(body, world->def.dimension, given);
    couWakeBodies(&world->bodies);
}

// Numbers of the def that cannot change while the world runs: mass, place and speed have calls of their own, or none.
static bool check_fixed_numbers(const couBodyDef *old, const couBodyDef *def, couFaults *faults)
{
    static const char *const fixed[] = {"density", "mass", "velocity", "spin"};
    bool is_good = true;
    for (int k = 0; k < COU_COUNT(fixed); ++k) {
        const couParam *param = couParams_Find(couBodyParams(), fixed[k]);
        double before[3], after[3];
        bool is_same = true;
        int count = couParam_GetNumbers(param, old, before);
        couParam_GetNumbers(param, def, after);
        for (int a = 0; a < count; ++a) is_same = is_same && (before[a] == after[a] || (isnan(before[a]) && isnan(after[a])));
        if (is_same) continue;
        char key[64];
        snprintf(key, sizeof key, "body.%s", fixed[k]);
        couFaults_Add(faults, NULL, key, "cannot change while the world runs");
        is_good = false;
    }
    return is_good;
}

bool couWorld_SetBody(couWorld *world, couBodyId id, const couBodyDef *def, couFaults *faults)
{
    couBody *body = couBodies_Find(&world->bodies, id);
    COU_ASSERT(body);
    if (!body) return false;
    const couBodyDef old = body->def;
    bool is_good = couParams_Check(couBodyParams(), def, faults);
    is_good = check_fixed_numbers(&old, def, faults) && is_good;
    is_good = check_bounce(def, faults) && is_good;
    bool is_same = strncmp(def->name, old.name, sizeof old.name) == 0 && def->shape == old.shape && def->motion == old.motion &&
                   def->motion_context == old.motion_context && def->is_dynamic == old.is_dynamic &&
                   memcmp(&def->pose, &old.pose, sizeof old.pose) == 0 && def->samples == old.samples &&
                   def->sample_count == old.sample_count;
    if (!is_same) couFaults_Add(faults, NULL, "body", "'%s' keeps its name, shape, samples, place and motion", old.name);
    if (!is_good || !is_same) return false;
    body->def = *def;
    bool has_new_pull = world->is_prepared && def->coanda != old.coanda;
    if (has_new_pull && !couWorld_Prepare(world, faults)) {
        body->def = old;
        couPrepareAsBefore(world);
        return false;
    }
    world->bodies.change_count++; // its samples know how the liquid sticks to it
    couWakeBodies(&world->bodies);
    return true;
}

bool couWorld_SetBodyDynamic(couWorld *world, couBodyId id, bool is_dynamic, couFaults *faults)
{
    couBody *body = couBodies_Find(&world->bodies, id);
    COU_ASSERT(body);
    if (!body || is_dynamic == (body->kind == cou_rigidFree)) return body != NULL;
    couWakeBodies(&world->bodies);
    if (is_dynamic && !couMakeFree(&world->bodies, body, faults)) return false;
    if (!is_dynamic) couMakeFixed(&world->bodies, body);
    body->def.is_dynamic = is_dynamic;
    return true;
}

// --- Joints ------------------------------------------------------------------------------------------------------------------

couJointId couWorld_AddJoint(couWorld *world, const couJointDef *def, couFaults *faults)
{
    bool is_good = couParams_Check(couJointParams(), def, faults);
    is_good = couCheckName(def->name, "joint.name", faults) && is_good;
    return couBodies_JointId(&world->bodies, is_good ? couBodies_AddJoint(&world->bodies, def, faults) : NULL);
}

void couWorld_RemoveJoint(couWorld *world, couJointId id)
{
    couJoint *joint = couBodies_FindJoint(&world->bodies, id);
    COU_ASSERT(joint);
    if (joint) couBodies_RemoveJoint(&world->bodies, joint);
}

bool couWorld_HasJoint(const couWorld *world, couJointId id) { return couBodies_FindJoint(&world->bodies, id) != NULL; }
int couWorld_JointCount(const couWorld *world) { return couCountSlots(COU_SLOTS(&world->bodies.joints)); }

couJointId couWorld_JointAt(const couWorld *world, int index)
{
    int place = couNthSlot(COU_SLOTS(&world->bodies.joints), index);
    return place < 0 ? (couJointId){0} : couBodies_JointId(&world->bodies, &world->bodies.joints.items[place]);
}

couJointId couWorld_FindJoint(const couWorld *world, const char *name)
{
    return couBodies_JointId(&world->bodies, couBodies_FindJointName(&world->bodies, name));
}

const couJointDef *couWorld_Joint(const couWorld *world, couJointId id)
{
    const couJoint *joint = couBodies_FindJoint(&world->bodies, id);
    return joint ? &joint->joint.def : NULL;
}

float couWorld_JointPosition(const couWorld *world, couJointId id)
{
    const couJoint *joint = couBodies_FindJoint(&world->bodies, id);
    COU_ASSERT(joint);
    if (!joint) return 0.0f;
    int a = joint->joint.a, b = joint->joint.b;
    return (float)couRigidJoint_Position(&joint->joint, a >= 0 ? &world->bodies.items[a].state : NULL,
                                         b >= 0 ? &world->bodies.items[b].state : NULL);
}

void couWorld_SetJointMotor(couWorld *world, couJointId id, float speed, float force)
{
    couJoint *joint = couBodies_FindJoint(&world->bodies, id);
    COU_ASSERT(joint && isfinite(speed) && force >= 0.0f);
    if (!joint) return;
    joint->joint.def.motor_speed = speed;
    joint->joint.def.motor_force = force;
    couWakeBodies(&world->bodies);
}
