// Bodies in motion: driven ones follow their functions; free ones have mass, fall, touch each other, hang on joints and fall asleep.
//
// A step has three parts: couMoveBodies() predicts, couple.c adds what the fluid does, couMoveFreeBodies() solves contacts and
// joints and gives the final places. The last part goes in substeps where the fluid's step is long or a body fast. Contacts come from
// probes (rigid/probes.c) in the order of the bodies, so their order is always the same.
//
// In flight a body falls as the fluid does, by the velocity that it has at the end of the step. One that is held by a contact or joint
// gets its gravity in each substep anew: all at once, it would be stopped in the first and float through the others.
//
// A heap falls asleep as a whole: bodies that touch or are joined make an island, and the island rests once all of them have hardly
// moved for half a second. Bodies that fluid touches never sleep, nor do any where there is no gravity to hold them.

#include "world/world.h"

#include <math.h>

#define LONGEST_SUBSTEP (1.0 / 240) // [s]
#define MOST_SUBSTEPS 16
#define SLEEP_AFTER 0.5   // [s]
#define SLEEP_SPEED 0.01f // / sqrt(g size)
#define SLOP 2e-4f        // overlap that is left alone / size of the smallest free body
#define PUSH 1.0f         // how fast overlaps end / that size [1/s]: what lands without bounce must not be thrown up again

// --- Poses and states --------------------------------------------------------------------------------------------------------

couPose couRigidPose(const couRigidState *state, couVec3 local_center)
{
    double c[3] = {local_center.x, local_center.y, local_center.z}, turned[3];
    couRotateD(state->rotation, c, turned);
    const double *x = state->position, *q = state->rotation;
    return (couPose){{(float)(x[0] - turned[0]), (float)(x[1] - turned[1]), (float)(x[2] - turned[2])},
                     {(float)q[0], (float)q[1], (float)q[2], (float)q[3]}};
}

// Where a body of this pose has its centre of mass, or its shape's origin.
static void set_state(couBody *body, couPose pose)
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

void couPlaceBody(couBody *body)
{
    if (body->kind == cou_rigidFree) body->pose = couRigidPose(&body->state, body->local_center);
    body->start = body->end = body->pose;
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
static void move_center(couWorld *world, couBody *body, couVec3 center)
{
    int index = (int)(body - world->bodies);
    couVec3 moved = couSub(center, body->local_center);
    double arm[3] = {moved.x, moved.y, moved.z}, r[3];
    for (size_t j = 0; j < world->joint_count; ++j) {
        couRigidJoint *joint = &world->joints[j].joint;
        couRigidState *start = joint->a == index ? &joint->at_start_a : joint->b == index ? &joint->at_start_b : NULL;
        if (!start) continue;
        couRotateD(start->rotation, arm, r);
        for (int k = 0; k < 3; ++k) start->position[k] += r[k];
    }
    body->local_center = center;
}

bool couMakeFree(couWorld *world, couBody *body, couFaults *faults)
{
    couMassProperties properties;
    if (!couShape_Mass(body->def.shape, world->def.dimension, &properties)) {
        couFaults_Add(faults, NULL, "body.shape", "the free body '%s' needs a bounded shape with a volume", body->def.name);
        return false;
    }
    double density = isnan(body->def.mass) ? body->def.density : body->def.mass / properties.volume;
    body->mass = density * properties.volume;
    for (int k = 0; k < 6; ++k) body->inertia[k] = density * properties.inertia[k];
    if (world->def.dimension == 2) { // turns about z only; any positive numbers do for the others
        body->inertia[0] = body->inertia[1] = body->inertia[2];
        body->inertia[3] = body->inertia[4] = body->inertia[5] = 0;
    }
    couVec3 center = {(float)properties.center[0], (float)properties.center[1], (float)properties.center[2]};
    if (world->def.dimension == 2) center.z = 0.0f;
    // A body that was driven goes on as its new centre moved.
    double arm[3] = {center.x, center.y, center.z}, r[3];
    couRotateD(body->state.rotation, arm, r);
    const double *w = body->state.spin;
    double *v = body->state.velocity;
    v[0] += w[1] * r[2] - w[2] * r[1], v[1] += w[2] * r[0] - w[0] * r[2], v[2] += w[0] * r[1] - w[1] * r[0];
    move_center(world, body, center);
    body->kind = cou_rigidFree;
    body->still_seconds = 0;
    body->is_asleep = false;
    set_state(body, body->pose);
    world->free_count++;
    return true;
}

void couMakeFixed(couWorld *world, couBody *body)
{
    world->free_count--;
    body->kind = cou_rigidFixed;
    move_center(world, body, (couVec3){0});
    body->is_asleep = false;
    memset(&body->state, 0, sizeof body->state);
    set_state(body, body->pose);
}

bool couInitBody(couWorld *world, couBody *body, couFaults *faults)
{
    const couBodyDef *def = &body->def;
    couBounds bounds;
    body->ball_radius = INFINITY;
    if (couShape_Bounds(def->shape, world->def.dimension, &bounds)) {
        if (world->def.dimension == 2) bounds.lower.z = bounds.upper.z = 0.0f;
        body->ball_center = couScale(0.5f, couAdd(bounds.lower, bounds.upper));
        body->ball_radius = 0.5f * couLength(couSub(bounds.upper, bounds.lower));
    }
    body->pose = def->motion ? def->motion(def->motion_context, world->time) : def->pose;
    body->start = body->end = body->pose;
    body->kind = def->motion ? cou_rigidDriven : cou_rigidFixed;
    set_state(body, body->pose);
    body->probes.memory = &world->memory;
    if (!couProbes_AddShape(&body->probes, def->shape, world->def.dimension)) {
        couFaults_Add(faults, NULL, "body", "out of memory");
        return false;
    }
    if (!def->is_dynamic) return true;
    if (!couMakeFree(world, body, faults)) return false;
    body->state.velocity[0] = def->velocity.x, body->state.velocity[1] = def->velocity.y,
    body->state.velocity[2] = def->velocity.z;
    body->state.spin[0] = def->spin.x, body->state.spin[1] = def->spin.y, body->state.spin[2] = def->spin.z;
    couPlaceBody(body);
    return true;
}

void couWakeBodies(couWorld *world)
{
    for (size_t b = 0; b < world->body_count; ++b) world->bodies[b].still_seconds = 0, world->bodies[b].is_asleep = false;
}

// --- Prediction --------------------------------------------------------------------------------------------------------------

// Velocity and spin of a driven body from where it is and where it will be.
static void measure_motion(couBody *body, double dt)
{
    couVec3 moved = couSub(body->end.position, body->start.position);
    couQuat turn = couMulQuat(body->end.rotation, couConjugate(body->start.rotation));
    double s = sqrt((double)turn.x * turn.x + (double)turn.y * turn.y + (double)turn.z * turn.z);
    double angle = 2 * atan2(s, fabs(turn.w)), scale = s > 1e-12 ? copysign(angle / s, turn.w) / dt : 0;
    set_state(body, body->start);
    body->state.velocity[0] = moved.x / dt, body->state.velocity[1] = moved.y / dt, body->state.velocity[2] = moved.z / dt;
    body->state.spin[0] = scale * turn.x, body->state.spin[1] = scale * turn.y, body->state.spin[2] = scale * turn.z;
}

static void predict_free(const couWorld *world, couBody *body, double dt)
{
    if (body->is_asleep) {
        memset(body->state.velocity, 0, sizeof body->state.velocity);
        memset(body->state.spin, 0, sizeof body->state.spin);
        return;
    }
    couVec3 g = world->fluid.gravity;
    body->state.velocity[0] += dt * g.x, body->state.velocity[1] += dt * g.y, body->state.velocity[2] += dt * g.z;
    couRigidState next = couRigidState_Advance(&body->state, dt);
    body->pose = couRigidPose(&next, body->local_center);
}

void couMoveBodies(couWorld *world, float dt)
{
    for (size_t b = 0; b < world->body_count; ++b) {
        couBody *body = &world->bodies[b];
        if (!body->is_here) continue;
        body->start = body->pose;
        if (body->kind == cou_rigidDriven) body->pose = body->def.motion(body->def.motion_context, world->time + dt);
        if (body->kind == cou_rigidFree) predict_free(world, body, dt);
        body->end = body->pose;
        if (body->kind == cou_rigidDriven) measure_motion(body, dt);
        body->friction_share = body->def.friction >= 1.0f ? 1.0f : 1.0f - powf(1.0f - body->def.friction, 30.0f * dt);
    }
}

// --- Contacts ----------------------------------------------------------------------------------------------------------------

static bool are_joined(const couWorld *world, int a, int b)
{
    for (size_t j = 0; j < world->joint_count; ++j) {
        const couJoint *joint = &world->joints[j];
        if (!joint->is_here) continue;
        if ((joint->joint.a == a && joint->joint.b == b) || (joint->joint.a == b && joint->joint.b == a)) return true;
    }
    return false;
}

static bool is_moving(const couBody *body)
{
    if (body->kind == cou_rigidFree) return !body->is_asleep;
    const double *v = body->state.velocity, *w = body->state.spin;
    return body->kind == cou_rigidDriven && (v[0] != 0 || v[1] != 0 || v[2] != 0 || w[0] != 0 || w[1] != 0 || w[2] != 0);
}

// True when the ball around one body reaches the other's surface.
static bool can_touch(const couWorld *world, const couBody *a, couPose pose_a, const couBody *b, couPose pose_b)
{
    if (isinf(a->ball_radius)) return true;
    couVec3 center = couToWorld(pose_a, a->ball_center);
    float reach = a->ball_radius;
    if (!isinf(b->ball_radius) && couLength(couSub(center, couToWorld(pose_b, b->ball_center))) > reach + b->ball_radius)
        return false;
    return couClearanceAt(world, b, pose_b, center) < reach;
}

static couPose pose_now(const couWorld *world, int b)
{
    const couBody *body = &world->bodies[b];
    if (body->kind == cou_rigidFixed) return body->pose;
    return couRigidPose(&world->rigid_bodies[b].state, body->local_center);
}

// Fills the list of contacts for where the bodies of the problem are. False without memory.
static bool find_contacts(couWorld *world, int *count)
{
    *count = 0;
    int bodies = (int)world->body_count;
    for (int a = 0; a < bodies; ++a) {
        const couBody *body = &world->bodies[a];
        if (!body->is_here) continue;
        couPose pose = pose_now(world, a);
        for (int b = a + 1; b < bodies; ++b) {
            const couBody *other = &world->bodies[b];
            if (!other->is_here || (body->kind != cou_rigidFree && other->kind != cou_rigidFree)) continue;
            if (!is_moving(body) && !is_moving(other)) continue;
            couPose other_pose = pose_now(world, b);
            if (!can_touch(world, body, pose, other, other_pose) || !can_touch(world, other, other_pose, body, pose)) continue;
            if (are_joined(world, a, b)) continue;
            if (!couReserve(&world->memory, (void **)&world->rigid_contacts, &world->contact_capacity,
                            (size_t)*count + COU_MAX_PAIR_CONTACTS, sizeof *world->rigid_contacts))
                return false;
            couRigidContact *contacts = world->rigid_contacts + *count;
            int found = couFindPairContacts((couTouching){body->def.shape, &body->probes, pose},
                                            (couTouching){other->def.shape, &other->probes, other_pose}, world->def.dimension,
                                            contacts);
            for (int k = 0; k < found; ++k) {
                contacts[k].a = a, contacts[k].b = b;
                contacts[k].friction = sqrtf(body->def.contact_friction * other->def.contact_friction);
                contacts[k].restitution = COU_MAX(body->def.restitution, other->def.restitution);
            }
            *count += found;
        }
    }
    return true;
}

// --- Sleep -------------------------------------------------------------------------------------------------------------------

static float body_size(const couBody *body) { return 2.0f * body->ball_radius; }

static float smallest_free(const couWorld *world)
{
    float least = INFINITY;
    for (size_t b = 0; b < world->body_count; ++b)
        if (world->bodies[b].is_here && world->bodies[b].kind == cou_rigidFree)
            least = COU_MIN(least, body_size(&world->bodies[b]));
    return least;
}

// Counts the time that each body has been still, and lets whole islands rest. `touched` has a mark for bodies in contact.
static void update_sleep(couWorld *world, int contact_count, double dt)
{
    int bodies = (int)world->body_count;
    float g = couLength(world->fluid.gravity);
    int *islands = world->islands, *has_support = islands + bodies;
    float deepest = 5.0f * SLOP * smallest_free(world); // what overlaps more is still being moved apart, though without speed
    for (int b = 0; b < bodies; ++b) {
        couBody *body = &world->bodies[b];
        islands[b] = b, has_support[b] = 0;
        const double *v = body->state.velocity, *w = body->state.spin;
        double speed = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) +
                       (double)body->ball_radius * sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
        bool is_still = g > 0.0f && speed < SLEEP_SPEED * sqrtf(g * body_size(body));
        if (!body->is_asleep) body->still_seconds = is_still ? body->still_seconds + dt : 0;
    }
    for (int c = 0; c < contact_count; ++c) {
        int a = world->rigid_contacts[c].a, b = world->rigid_contacts[c].b;
        has_support[a] = has_support[b] = 1;
        if (world->rigid_contacts[c].depth > deepest) world->bodies[a].still_seconds = world->bodies[b].still_seconds = 0;
        bool both_free = world->bodies[a].kind == cou_rigidFree && world->bodies[b].kind == cou_rigidFree;
        if (both_free) couMergeRoots(islands, a, b);
        if (world->bodies[a].kind == cou_rigidDriven && is_moving(&world->bodies[a])) world->bodies[b].still_seconds = 0;
        if (world->bodies[b].kind == cou_rigidDriven && is_moving(&world->bodies[b])) world->bodies[a].still_seconds = 0;
    }
    for (size_t j = 0; j < world->joint_count; ++j) {
        const couJoint *joint = &world->joints[j];
        if (!joint->is_here) continue;
        int a = joint->joint.a, b = joint->joint.b;
        if (a >= 0) has_support[a] = 1;
        if (b >= 0) has_support[b] = 1;
        if (a >= 0 && b >= 0 && world->bodies[a].kind == cou_rigidFree && world->bodies[b].kind == cou_rigidFree)
            couMergeRoots(islands, a, b);
        if (joint->joint.def.motor_force > 0.0f && joint->joint.def.motor_speed != 0.0f) {
            if (a >= 0) world->bodies[a].still_seconds = 0;
            if (b >= 0) world->bodies[b].still_seconds = 0;
        }
    }
    // An island is awake when one of its bodies is.
    for (int b = 0; b < bodies; ++b) {
        const couBody *body = &world->bodies[b];
        bool is_resting = body->is_asleep || (body->still_seconds >= SLEEP_AFTER && has_support[b]);
        if (body->kind == cou_rigidFree && body->is_here && !is_resting) has_support[couFindRoot(islands, b)] |= 2;
    }
    for (int b = 0; b < bodies; ++b) {
        couBody *body = &world->bodies[b];
        if (body->kind != cou_rigidFree) continue;
        bool was_asleep = body->is_asleep;
        body->is_asleep = !(has_support[couFindRoot(islands, b)] & 2);
        if (was_asleep && !body->is_asleep) body->still_seconds = 0;
    }
}

// Of a pair the one that sleeps wakes when the other moves. True when it did.
static bool wake_pair(couBody *a, couBody *b)
{
    for (int side = 0; side < 2; ++side) {
        couBody *sleeper = side ? b : a, *other = side ? a : b;
        if (sleeper->kind != cou_rigidFree || !sleeper->is_asleep || !is_moving(other)) continue;
        sleeper->is_asleep = false;
        sleeper->still_seconds = 0;
        return true;
    }
    return false;
}

// Whom a moving body touches or pulls wakes up before the solver runs. True when somebody did, who may touch others in turn.
static bool wake_touched(couWorld *world, int contact_count)
{
    bool has_woken = false;
    for (int c = 0; c < contact_count; ++c)
        has_woken |= wake_pair(&world->bodies[world->rigid_contacts[c].a], &world->bodies[world->rigid_contacts[c].b]);
    for (size_t j = 0; j < world->joint_count; ++j) {
        const couJoint *joint = &world->joints[j];
        if (!joint->is_here || joint->joint.a < 0 || joint->joint.b < 0) continue;
        has_woken |= wake_pair(&world->bodies[joint->joint.a], &world->bodies[joint->joint.b]);
    }
    return has_woken;
}

// --- The step ----------------------------------------------------------------------------------------------------------------

static void fill_problem(couWorld *world)
{
    for (size_t b = 0; b < world->body_count; ++b) {
        const couBody *body = &world->bodies[b];
        couRigidBody *rigid = &world->rigid_bodies[b];
        *rigid = (couRigidBody){body->kind, body->state, body->mass, {0}};
        memcpy(rigid->inertia, body->inertia, sizeof rigid->inertia);
        if (!body->is_here || body->is_asleep) rigid->kind = cou_rigidFixed;
    }
}

static int fill_joints(couWorld *world)
{
    int count = 0;
    for (size_t j = 0; j < world->joint_count; ++j)
        if (world->joints[j].is_here) world->rigid_joints[count++] = world->joints[j].joint;
    return count;
}

static double rotation_speed(const couBody *body)
{
    const double *w = body->state.spin;
    return sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]) * (double)body->ball_radius;
}

// Enough that no body goes farther than a quarter of its own size at once.
static int count_substeps(const couWorld *world, double dt)
{
    double most = dt / LONGEST_SUBSTEP;
    for (size_t b = 0; b < world->body_count; ++b) {
        const couBody *body = &world->bodies[b];
        if (!body->is_here || body->kind != cou_rigidFree || body->is_asleep) continue;
        const double *v = body->state.velocity;
        double speed = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) + rotation_speed(body);
        most = COU_MAX(most, dt * speed / (0.25 * body_size(body)));
    }
    return (int)COU_CLAMP(ceil(most - 1e-3), 1.0, (double)MOST_SUBSTEPS);
}

static void accelerate(couWorld *world, int b, double dt)
{
    couVec3 g = world->fluid.gravity;
    double change[3] = {dt * g.x, dt * g.y, dt * g.z};
    for (int k = 0; k < 3; ++k) {
        world->bodies[b].state.velocity[k] += change[k];
        world->rigid_bodies[b].state.velocity[k] += change[k];
    }
}

static void hold(couWorld *world, int b, bool *is_held, double ahead)
{
    if (b < 0 || is_held[b] || world->bodies[b].kind != cou_rigidFree || world->bodies[b].is_asleep) return;
    is_held[b] = true;
    accelerate(world, b, -ahead);
}

// Gravity for those that are held already; those that are held from now on give back what they got for the time `ahead`.
static void pull_held(couWorld *world, int contact_count, double dt, double ahead)
{
    bool *is_held = world->is_held;
    for (size_t b = 0; b < world->body_count; ++b)
        if (is_held[b] && !world->bodies[b].is_asleep) accelerate(world, (int)b, dt);
    for (int c = 0; c < contact_count; ++c) {
        hold(world, world->rigid_contacts[c].a, is_held, ahead);
        hold(world, world->rigid_contacts[c].b, is_held, ahead);
    }
    for (size_t j = 0; j < world->joint_count; ++j) {
        if (!world->joints[j].is_here) continue;
        hold(world, world->joints[j].joint.a, is_held, ahead);
        hold(world, world->joints[j].joint.b, is_held, ahead);
    }
}

// `still` is the approach at which nothing bounces: what gravity alone gives in a step, with some to spare.
static bool solve_substep(couWorld *world, double dt, int substep, int substeps, double still, couStepReport *report)
{
    int contact_count = 0;
    do {
        fill_problem(world);
        if (!find_contacts(world, &contact_count)) return false;
    } while (wake_touched(world, contact_count));
    pull_held(world, contact_count, dt, dt * (substeps - 1 - substep));
    report->contact_count += contact_count;
    couRigidProblem problem = {
        .bodies = world->rigid_bodies,
        .body_count = (int)world->body_count,
        .contacts = world->rigid_contacts,
        .contact_count = contact_count,
        .joints = world->rigid_joints,
        .joint_count = fill_joints(world),
        .dimension = world->def.dimension,
        .dt = dt,
        .slop = SLOP * smallest_free(world),
        .push = PUSH * smallest_free(world),
        .still = still,
        .seed = (uint32_t)couMix64((uint64_t)world->def.seed << 40 ^ world->step_count << 5 ^ (uint64_t)substep),
    };
    if (!couSolveRigid(&problem)) return false;
    for (size_t b = 0; b < world->body_count; ++b) {
        couBody *body = &world->bodies[b];
        if (!body->is_here || body->is_asleep) continue;
        if (body->kind == cou_rigidFree) body->state = world->rigid_bodies[b].state;
        if (body->kind == cou_rigidDriven) body->state = couRigidState_Advance(&body->state, dt);
    }
    update_sleep(world, contact_count, dt);
    return true;
}

// Names the first body whose numbers are none any more, or so large that they will not be soon. Such a thing must not reach the solver.
static bool are_finite(const couWorld *world, couStepReport *report)
{
    for (size_t b = 0; b < world->body_count; ++b) {
        const couBody *body = &world->bodies[b];
        if (!body->is_here || body->kind == cou_rigidFixed) continue;
        double most = 0;
        for (int k = 0; k < 3; ++k)
            most += fabs(body->state.position[k]) + fabs(body->state.velocity[k]) + fabs(body->state.spin[k]);
        for (int k = 0; k < 4; ++k) most += fabs(body->state.rotation[k]);
        if (most < 1e12) continue;
        if (!report->bad_body1) report->bad_body1 = (int)b + 1;
        return false;
    }
    return true;
}

static bool reserve_problem(couWorld *world)
{
    size_t bodies = world->body_count;
    return couReserve(&world->memory, (void **)&world->rigid_bodies, &world->rigid_capacity, bodies,
                      sizeof *world->rigid_bodies) &&
           couReserve(&world->memory, (void **)&world->rigid_joints, &world->rigid_joint_capacity, world->joint_count + 1,
                      sizeof *world->rigid_joints) &&
           couReserve(&world->memory, (void **)&world->islands, &world->island_capacity, 2 * bodies, sizeof *world->islands) &&
           couReserve(&world->memory, (void **)&world->is_held, &world->held_capacity, bodies, sizeof *world->is_held);
}

bool couMoveFreeBodies(couStep *step)
{
    couWorld *world = step->world;
    if (!reserve_problem(world)) return false;
    if (!are_finite(world, step->report)) return true;
    int substeps = count_substeps(world, step->dt);
    double still = 2.0 * (double)(couLength(world->fluid.gravity) * step->dt);
    memset(world->is_held, 0, world->body_count * sizeof *world->is_held);
    for (int s = 0; s < substeps; ++s)
        if (!solve_substep(world, step->dt / substeps, s, substeps, still, step->report)) return false;
    for (size_t b = 0; b < world->body_count; ++b) {
        couBody *body = &world->bodies[b];
        if (body->is_here && body->kind == cou_rigidFree) body->end = body->pose = couRigidPose(&body->state, body->local_center);
    }
    are_finite(world, step->report);
    return true;
}

// --- Keyframes ---------------------------------------------------------------------------------------------------------------

static couVec3 curve(couVec3 p0, couVec3 p1, couVec3 p2, couVec3 p3, const double t[4], double time)
{
    // Cubic through p1 and p2 whose slopes there are those of the neighbours, for any spacing of the times.
    double span = t[2] - t[1], u = (time - t[1]) / span, u2 = u * u, u3 = u2 * u;
    double h1 = 2 * u3 - 3 * u2 + 1, h2 = u3 - 2 * u2 + u, h3 = 3 * u2 - 2 * u3, h4 = u3 - u2;
    couVec3 m1 = couScale((float)(span / (t[2] - t[0])), couSub(p2, p0)),
            m2 = couScale((float)(span / (t[3] - t[1])), couSub(p3, p1));
    couVec3 sum = couMulAdd(couScale((float)h1, p1), (float)h2, m1);
    return couMulAdd(couMulAdd(sum, (float)h3, p2), (float)h4, m2);
}

static couQuat turn_between(couQuat a, couQuat b, double t)
{
    double d = (double)a.x * b.x + (double)a.y * b.y + (double)a.z * b.z + (double)a.w * b.w, sign = d < 0 ? -1 : 1;
    double angle = acos(COU_MIN(fabs(d), 1.0)), wa = 1 - t, wb = t * sign;
    if (angle > 1e-4) wa = sin((1 - t) * angle) / sin(angle), wb = sign * sin(t * angle) / sin(angle);
    double q[4] = {wa * a.x + wb * b.x, wa * a.y + wb * b.y, wa * a.z + wb * b.z, wa * a.w + wb * b.w};
    double inv_length = 1 / sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    return (couQuat){(float)(q[0] * inv_length), (float)(q[1] * inv_length), (float)(q[2] * inv_length),
                     (float)(q[3] * inv_length)};
}

couPose couInterpolateKeyframes(const couKeyframe *keyframes, int count, double time)
{
    if (count == 0) return COU_POSE_IDENTITY;
    if (!(time > keyframes[0].time)) return keyframes[0].pose;
    if (time >= keyframes[count - 1].time) return keyframes[count - 1].pose;
    int k = 0;
    while (keyframes[k + 1].time <= time) ++k;
    int before = COU_MAX(k - 1, 0), after = COU_MIN(k + 2, count - 1);
    double t[4] = {keyframes[before].time, keyframes[k].time, keyframes[k + 1].time, keyframes[after].time};
    couPose pose;
    pose.position = curve(keyframes[before].pose.position, keyframes[k].pose.position, keyframes[k + 1].pose.position,
                          keyframes[after].pose.position, t, time);
    pose.rotation = turn_between(keyframes[k].pose.rotation, keyframes[k + 1].pose.rotation, (time - t[1]) / (t[2] - t[1]));
    return pose;
}
