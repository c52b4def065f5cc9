// Bodies as they come and go: their mass and poses, and what can be asked of them.

#include "rigid/bodies.h"

#include "rigid/patches.h"

#include <stdio.h>

// --- Poses and states --------------------------------------------------------------------------------------------------------

couPose couRigidPose(const couRigidState *state, couVec3 local_center)
{
    double c[3] = {local_center.x, local_center.y, local_center.z}, turned[3];
    couRotateD(state->rotation, c, turned);
    const double *x = state->position, *q = state->rotation;
    return (couPose){{(float)(x[0] - turned[0]), (float)(x[1] - turned[1]), (float)(x[2] - turned[2])},
                     {(float)q[0], (float)q[1], (float)q[2], (float)q[3]}};
}

void couSetBodyState(couBody *body, couPose pose)
{
    couQuat q = pose.rotation;
    double length = sqrt((double)q.x * q.x + (double)q.y * q.y + (double)q.z * q.z + (double)q.w * q.w);
    double r[4] = {q.x / length, q.y / length, q.z / length, q.w / length};
    double c[3] = {body->local_center.x, body->local_center.y, body->local_center.z}, turned[3];
    couRotateD(r, c, turned);
    memcpy(body->state.rotation, r, sizeof r);
    body->state.position[0] = pose.position.x + turned[0];
    body->state.position[1] = pose.position.y + turned[1];
    body->state.position[2] = pose.position.z + turned[2];
}

couVec3 couBodyCenter(const couBody *body, couPose pose) { return couToWorld(pose, body->local_center); }

void couInertiaToWorld(const couBody *body, const double rotation[4], double inertia[3][3])
{
    const double *i = body->inertia;
    double local[3][3] = {{i[0], i[3], i[4]}, {i[3], i[1], i[5]}, {i[4], i[5], i[2]}}, r[3][3], rl[3][3];
    for (int a = 0; a < 3; ++a) {
        double unit[3] = {a == 0, a == 1, a == 2}, column[3];
        couRotateD(rotation, unit, column);
        for (int b = 0; b < 3; ++b) r[b][a] = column[b];
    }
    for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b) rl[a][b] = r[a][0] * local[0][b] + r[a][1] * local[1][b] + r[a][2] * local[2][b];
    for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b) inertia[a][b] = rl[a][0] * r[b][0] + rl[a][1] * r[b][1] + rl[a][2] * r[b][2];
}

// Joints know their bodies by the centre, which becomes another when a body is set free or fixed.
static void move_center(couBodies *bodies, couBody *body, couVec3 center)
{
    int index = (int)(body - bodies->items);
    couVec3 moved = couSub(center, body->local_center);
    double arm[3] = {moved.x, moved.y, moved.z}, r[3];
    for (size_t j = 0; j < bodies->joints.count; ++j) {
        couRigidJoint *joint = &bodies->joints.items[j].joint;
        couRigidState *start = joint->a == index ? &joint->at_start_a : joint->b == index ? &joint->at_start_b : NULL;
        if (!start) continue;
        couRotateD(start->rotation, arm, r);
        for (int k = 0; k < 3; ++k) start->position[k] += r[k];
    }
    body->local_center = center;
}

static void bear_mass(const couBodies *bodies, couBody *body)
{
    double least = bodies->least_mass;
    if (!(body->mass < least)) return;
    couLog(cou_logWarning, "the body '%s' has %.3g kg, so little that liquid would throw it about: it moves as with %.3g kg",
           body->def.name, body->mass, least);
    for (int k = 0; k < 6; ++k) body->inertia[k] *= least / body->mass;
    body->mass = least;
}

void couBodies_SetLeastMass(couBodies *bodies, double mass)
{
    bodies->least_mass = mass;
    for (size_t b = 0; b < bodies->count; ++b)
        if (couIsFree(&bodies->items[b])) bear_mass(bodies, &bodies->items[b]);
}

bool couMakeFree(couBodies *bodies, couBody *body, couFaults *faults)
{
    couMassProperties properties;
    if (!couShape_Mass(body->def.shape, bodies->dimension, &properties)) {
        couFaults_Add(faults, NULL, "body.shape", "the free body '%s' needs a bounded shape with a volume", body->def.name);
        return false;
    }
    double density = isnan(body->def.mass) ? body->def.density : body->def.mass / properties.volume;
    body->mass = density * properties.volume;
    for (int k = 0; k < 6; ++k) body->inertia[k] = density * properties.inertia[k];
    if (bodies->dimension == 2) { // turns about z only; any positive numbers do for the others
        body->inertia[0] = body->inertia[1] = body->inertia[2];
        body->inertia[3] = body->inertia[4] = body->inertia[5] = 0;
    }
    bear_mass(bodies, body);
    couVec3 center = {(float)properties.center[0], (float)properties.center[1], (float)properties.center[2]};
    if (bodies->dimension == 2) center.z = 0.0f;
    // A body that was driven goes on as its new centre moved.
    double arm[3] = {center.x, center.y, center.z}, r[3];
    couRotateD(body->state.rotation, arm, r);
    const double *w = body->state.spin;
    double *v = body->state.velocity;
    v[0] += w[1] * r[2] - w[2] * r[1], v[1] += w[2] * r[0] - w[0] * r[2], v[2] += w[0] * r[1] - w[1] * r[0];
    move_center(bodies, body, center);
    body->kind = cou_rigidFree;
    body->still_seconds = 0;
    body->is_asleep = false;
    couSetBodyState(body, body->pose);
    bodies->free_count++;
    return true;
}

void couMakeFixed(couBodies *bodies, couBody *body)
{
    bodies->free_count--;
    bodies->change_count++; // its samples are still where the last step began
    body->kind = cou_rigidFixed;
    move_center(bodies, body, (couVec3){0});
    body->is_asleep = false;
    memset(&body->state, 0, sizeof body->state);
    couSetBodyState(body, body->pose);
}

// The def's own points become the body's. False without memory.
static bool keep_samples(couBodies *bodies, couBody *body, const couVec3 *samples)
{
    size_t bytes = body->def.sample_count * sizeof *samples;
    if (!bytes) return true;
    couVec3 *own = couAlloc(bodies->memory, bytes);
    if (own) memcpy(own, samples, bytes);
    body->def.samples = own;
    return own;
}

static bool init_body(couBodies *bodies, couBody *body, double time, couFaults *faults)
{
    const couBodyDef *def = &body->def;
    couBounds bounds;
    body->ball_radius = INFINITY;
    if (couShape_Bounds(def->shape, bodies->dimension, &bounds)) {
        if (bodies->dimension == 2) bounds.lower.z = bounds.upper.z = 0.0f;
        body->ball_center = couScale(0.5f, couAdd(bounds.lower, bounds.upper));
        body->ball_radius = 0.5f * couLength(couSub(bounds.upper, bounds.lower));
    }
    body->pose = def->motion ? def->motion(def->motion_context, time) : def->pose;
    body->start = body->end = body->pose;
    body->kind = def->motion ? cou_rigidDriven : cou_rigidFixed;
    couSetBodyState(body, body->pose);
    body->probes.memory = bodies->memory;
    const couVec3 *given = def->samples;
    body->def.samples = NULL;
    if (!keep_samples(bodies, body, given) || !couProbes_AddShape(&body->probes, def->shape, bodies->dimension)) {
        couFaults_Add(faults, NULL, "body", "out of memory");
        return false;
    }
    if (!def->is_dynamic) return true;
    if (!couMakeFree(bodies, body, faults)) return false;
    body->state.velocity[0] = def->velocity.x, body->state.velocity[1] = def->velocity.y,
    body->state.velocity[2] = def->velocity.z;
    body->state.spin[0] = def->spin.x, body->state.spin[1] = def->spin.y, body->state.spin[2] = def->spin.z;
    body->start = body->end = body->pose = couRigidPose(&body->state, body->local_center);
    return true;
}

void couWakeBodies(couBodies *bodies)
{
    for (size_t b = 0; b < bodies->count; ++b) bodies->items[b].still_seconds = 0, bodies->items[b].is_asleep = false;
}

// --- Coming and going --------------------------------------------------------------------------------------------------------

static void clear_body(couBodies *bodies, couBody *body)
{
    couShape_Release(body->def.shape);
    couFree(bodies->memory, body->probes.items);
    couFree(bodies->memory, (void *)body->def.samples);
    body->def.shape = NULL;
    body->def.samples = NULL;
    body->probes = (couProbes){0};
}

void couBodies_Free(couBodies *bodies)
{
    for (size_t b = 0; b < bodies->count; ++b) clear_body(bodies, &bodies->items[b]);
    COU_FREE_ARRAY(bodies->memory, bodies);
    couFreePatches(bodies);
    COU_FREE_ARRAY(bodies->memory, &bodies->joints);
    COU_FREE_ARRAY(bodies->memory, &bodies->contacts);
}

couBody *couBodies_Add(couBodies *bodies, const couBodyDef *def, double time, couFaults *faults)
{
    couBody *body = COU_ADD_SLOT(bodies->memory, bodies);
    if (!body) {
        couFaults_Add(faults, NULL, NULL, "out of memory, or more than %d bodies", COU_MAX_SLOTS);
        return NULL;
    }
    couBody former = *body; // stays whole until there is a successor, so that an older state can be loaded
    *body = (couBody){.slot = body->slot, .def = *def};
    if (!def->name[0]) snprintf(body->def.name, sizeof body->def.name, "body%d", (int)(body - bodies->items) + 1);
    couShape_Retain(def->shape);
    if (!init_body(bodies, body, time, faults)) {
        clear_body(bodies, body);
        *body = former;
        COU_UNDO_SLOT(bodies, body);
        return NULL;
    }
    clear_body(bodies, &former);
    bodies->change_count++;
    couWakeBodies(bodies);
    return body;
}

void couBodies_Remove(couBodies *bodies, couBody *body)
{
    int index = (int)(body - bodies->items);
    if (body->kind == cou_rigidFree) bodies->free_count--;
    for (size_t j = 0; j < bodies->joints.count; ++j) {
        couJoint *joint = &bodies->joints.items[j];
        if (joint->slot.is_here && (joint->joint.a == index || joint->joint.b == index)) couDropSlot(&joint->slot);
    }
    couDropSlot(&body->slot);
    bodies->change_count++;
    couWakeBodies(bodies);
}

couBody *couBodies_Find(const couBodies *bodies, couBodyId id)
{
    return couFindSlot(COU_SLOTS(bodies), id.index1, id.generation);
}

couBody *couBodies_FindName(const couBodies *bodies, const char *name)
{
    for (size_t b = 0; b < bodies->count; ++b)
        if (bodies->items[b].slot.is_here && strcmp(bodies->items[b].def.name, name) == 0) return &bodies->items[b];
    return NULL;
}

couBodyId couBodies_Id(const couBodies *bodies, const couBody *body)
{
    if (!body) return (couBodyId){0};
    return (couBodyId){(uint16_t)(body - bodies->items + 1), body->slot.generation};
}

// --- Looking at them ---------------------------------------------------------------------------------------------------------

couVec3 couWallVelocity(const couBody *body, couVec3 x, float dt)
{
    if (body->kind == cou_rigidFixed) return (couVec3){0};
    return couScale(1.0f / dt, couSub(couToWorld(body->end, couToLocal(body->start, x)), x));
}

static double length3(const double v[3]) { return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

float couBodies_MaxSpeed(const couBodies *bodies)
{
    float fastest = 0.0f;
    for (size_t b = 0; b < bodies->count; ++b) {
        const couBody *body = &bodies->items[b];
        if (!body->slot.is_here || body->kind == cou_rigidFixed) continue;
        float turning = isfinite(body->ball_radius) ? (float)length3(body->state.spin) * body->ball_radius : 0.0f;
        fastest = COU_MAX(fastest, (float)length3(body->state.velocity) + turning);
    }
    return fastest;
}

couMeasurement couBodies_Measure(const couBodies *bodies)
{
    couMeasurement total = {0};
    for (size_t b = 0; b < bodies->count; ++b) {
        const couBody *body = &bodies->items[b];
        if (!couIsFree(body)) continue;
        const double *x = body->state.position, *v = body->state.velocity, *w = body->state.spin;
        couVec3 g = bodies->gravity;
        double m = body->mass, inertia[3][3], turning[3];
        couInertiaToWorld(body, body->state.rotation, inertia);
        for (int a = 0; a < 3; ++a) {
            int next = (a + 1) % 3, last = (a + 2) % 3;
            turning[a] = inertia[a][0] * w[0] + inertia[a][1] * w[1] + inertia[a][2] * w[2];
            total.momentum[a] += m * v[a];
            total.angular_momentum[a] += turning[a] + m * (x[next] * v[last] - x[last] * v[next]);
            total.center[a] += m * x[a];
            total.kinetic_energy += 0.5 * (m * v[a] * v[a] + turning[a] * w[a]);
        }
        total.potential_energy -= m * (g.x * x[0] + g.y * x[1] + g.z * x[2]);
        total.mass += m;
        total.max_speed = COU_MAX(total.max_speed, (float)length3(v));
    }
    for (int a = 0; a < 3 && total.mass > 0; ++a) total.center[a] /= total.mass;
    return total;
}

void couBodies_SettleForces(couBodies *bodies, double seconds)
{
    for (size_t b = 0; b < bodies->count; ++b) {
        couBody *body = &bodies->items[b];
        const double *p = body->sum;
        body->force = (couVec3){(float)(p[0] / seconds), (float)(p[1] / seconds), (float)(p[2] / seconds)};
        body->torque = (couVec3){(float)(p[3] / seconds), (float)(p[4] / seconds), (float)(p[5] / seconds)};
        memset(body->sum, 0, sizeof body->sum);
    }
}
