// Bodies in motion: driven ones follow their functions; free ones have mass, fall, touch each other, hang on joints and fall
// asleep.
//
// A step has three parts: couPredictBodies() predicts, the fluid adds what it does, couMoveFreeBodies() solves contacts and
// joints and gives the final places. The last part goes in substeps where the fluid's step is long or a body fast. Contacts
// come from probes (rigid/probes.c) in the order of the bodies, so their order is always the same.
//
// In flight a body falls as the fluid does, by the velocity that it has at the end of the step. One that is held by a contact
// or joint gets its gravity in each substep anew: all at once, it would be stopped in the first and float through the others.

#include "base/random.h"
#include "rigid/bodies.h"

#define LONGEST_SUBSTEP (1.0 / 240) // [s]
#define MOST_SUBSTEPS 16
#define PUSH \
    1.0f // how fast overlaps end / size of the smallest free body [1/s]: what lands without bounce must not be thrown up again

// --- Prediction --------------------------------------------------------------------------------------------------------------

// Velocity and spin of a driven body from where it is and where it will be.
static void measure_motion(couBody *body, double dt)
{
    couVec3 moved = couSub(body->end.position, body->start.position);
    couQuat turn = couMulQuat(body->end.rotation, couConjugate(body->start.rotation));
    double s = sqrt((double)turn.x * turn.x + (double)turn.y * turn.y + (double)turn.z * turn.z);
    double angle = 2 * atan2(s, fabs(turn.w)), scale = s > 1e-12 ? copysign(angle / s, turn.w) / dt : 0;
    couSetBodyState(body, body->start);
    body->state.velocity[0] = moved.x / dt, body->state.velocity[1] = moved.y / dt, body->state.velocity[2] = moved.z / dt;
    body->state.spin[0] = scale * turn.x, body->state.spin[1] = scale * turn.y, body->state.spin[2] = scale * turn.z;
}

static void predict_free(const couBodies *bodies, couBody *body, double dt)
{
    if (body->is_asleep) {
        memset(body->state.velocity, 0, sizeof body->state.velocity);
        memset(body->state.spin, 0, sizeof body->state.spin);
        return;
    }
    couVec3 g = bodies->gravity;
    body->state.velocity[0] += dt * g.x, body->state.velocity[1] += dt * g.y, body->state.velocity[2] += dt * g.z;
    couRigidState next = couRigidState_Advance(&body->state, dt);
    body->pose = couRigidPose(&next, body->local_center);
}

void couPredictBodies(couBodies *bodies, double time, float dt)
{
    for (size_t b = 0; b < bodies->count; ++b) {
        couBody *body = &bodies->items[b];
        if (!body->slot.is_here) continue;
        body->start = body->pose;
        body->start_center = couBodyCenter(body, body->start);
        memset(body->pushed, 0, sizeof body->pushed);
        if (body->kind == cou_rigidDriven) body->pose = body->def.motion(body->def.motion_context, time + dt);
        if (body->kind == cou_rigidFree) predict_free(bodies, body, dt);
        body->end = body->pose;
        if (body->kind == cou_rigidDriven) measure_motion(body, dt);
        body->friction_share = body->def.friction >= 1.0f ? 1.0f : 1.0f - powf(1.0f - body->def.friction, 30.0f * dt);
    }
    for (size_t p = 0; p < bodies->patches.count; ++p)
        memset(bodies->patches.items[p].pushed, 0, sizeof bodies->patches.items[p].pushed);
}

// --- Contacts ----------------------------------------------------------------------------------------------------------------

static bool are_joined(const couBodies *bodies, int a, int b)
{
    for (size_t j = 0; j < bodies->joints.count; ++j) {
        const couJoint *joint = &bodies->joints.items[j];
        if (!joint->slot.is_here) continue;
        if ((joint->joint.a == a && joint->joint.b == b) || (joint->joint.a == b && joint->joint.b == a)) return true;
    }
    return false;
}

bool couIsMoving(const couBody *body)
{
    if (body->kind == cou_rigidFree) return !body->is_asleep;
    const double *v = body->state.velocity, *w = body->state.spin;
    return body->kind == cou_rigidDriven && (v[0] != 0 || v[1] != 0 || v[2] != 0 || w[0] != 0 || w[1] != 0 || w[2] != 0);
}

// True when the ball around one body reaches the other's surface.
static bool can_touch(int dimension, const couBody *a, couPose pose_a, const couBody *b, couPose pose_b)
{
    if (isinf(a->ball_radius)) return true;
    couVec3 center = couToWorld(pose_a, a->ball_center);
    float reach = a->ball_radius;
    if (!isinf(b->ball_radius) && couLength(couSub(center, couToWorld(pose_b, b->ball_center))) > reach + b->ball_radius)
        return false;
    return couClearanceAt(b, dimension, pose_b, center) < reach;
}

static couPose pose_now(const couRigidStep *step, int b)
{
    const couBody *body = &step->bodies->items[b];
    if (body->kind == cou_rigidFixed) return body->pose;
    return couRigidPose(&step->problem[b].state, body->local_center);
}

// Appends the contacts of a pair, both where the problem has them. False without memory.
static bool add_contacts(const couRigidStep *step, int a, couPose pose, int b, couPose other_pose)
{
    couBodies *bodies = step->bodies;
    const couBody *body = &bodies->items[a], *other = &bodies->items[b];
    if (!COU_RESERVE(bodies->memory, &bodies->contacts, bodies->contacts.count + COU_MAX_PAIR_CONTACTS)) return false;
    couRigidContact *contacts = bodies->contacts.items + bodies->contacts.count;
    int found = couFindPairContacts((couTouching){body->def.shape, &body->probes, pose},
                                    (couTouching){other->def.shape, &other->probes, other_pose}, bodies->dimension, contacts);
    for (int k = 0; k < found; ++k) {
        contacts[k].a = a, contacts[k].b = b;
        contacts[k].friction = sqrtf(body->def.contact_friction * other->def.contact_friction);
        contacts[k].restitution = COU_MAX(body->def.restitution, other->def.restitution);
    }
    bodies->contacts.count += (size_t)found;
    return true;
}

// Fills the list of contacts for where the bodies of the problem are. False without memory.
static bool find_contacts(const couRigidStep *step)
{
    couBodies *bodies = step->bodies;
    int count = (int)bodies->count, dimension = bodies->dimension;
    bodies->contacts.count = 0;
    for (int a = 0; a < count; ++a) {
        const couBody *body = &bodies->items[a];
        if (!body->slot.is_here) continue;
        couPose pose = pose_now(step, a);
        for (int b = a + 1; b < count; ++b) {
            const couBody *other = &bodies->items[b];
            if (!other->slot.is_here || (body->kind != cou_rigidFree && other->kind != cou_rigidFree)) continue;
            if (!couIsMoving(body) && !couIsMoving(other)) continue;
            couPose other_pose = pose_now(step, b);
            if (!can_touch(dimension, body, pose, other, other_pose) || !can_touch(dimension, other, other_pose, body, pose))
                continue;
            if (are_joined(bodies, a, b)) continue;
            if (!add_contacts(step, a, pose, b, other_pose)) return false;
        }
    }
    return true;
}

// --- The step ----------------------------------------------------------------------------------------------------------------

float couBodySize(const couBody *body) { return 2.0f * body->ball_radius; }

float couSmallestFree(const couBodies *bodies)
{
    float least = INFINITY;
    for (size_t b = 0; b < bodies->count; ++b)
        if (couIsFree(&bodies->items[b])) least = COU_MIN(least, couBodySize(&bodies->items[b]));
    return least;
}

static void fill_problem(const couRigidStep *step)
{
    for (size_t b = 0; b < step->bodies->count; ++b) {
        const couBody *body = &step->bodies->items[b];
        couRigidBody *rigid = &step->problem[b];
        *rigid = (couRigidBody){body->kind, body->state, body->mass, {0}};
        memcpy(rigid->inertia, body->inertia, sizeof rigid->inertia);
        if (!body->slot.is_here || body->is_asleep) rigid->kind = cou_rigidFixed;
    }
}

bool couFindBodyContacts(couBodies *bodies)
{
    couArenaMark mark = couArena_Mark(bodies->scratch);
    couRigidStep step = {.bodies = bodies, .problem = COU_TAKE(bodies->scratch, couRigidBody, bodies->count)};
    if (!step.problem) return false;
    fill_problem(&step);
    bool is_good = find_contacts(&step);
    couArena_Release(bodies->scratch, mark);
    return is_good;
}

static int fill_joints(const couRigidStep *step)
{
    int count = 0;
    for (size_t j = 0; j < step->bodies->joints.count; ++j) {
        const couJoint *joint = &step->bodies->joints.items[j];
        if (joint->slot.is_here) step->joints[count++] = joint->joint;
    }
    return count;
}

static double rotation_speed(const couBody *body)
{
    const double *w = body->state.spin;
    return sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]) * (double)body->ball_radius;
}

// Enough that no body goes farther than a quarter of its own size at once.
static int count_substeps(const couBodies *bodies, double dt)
{
    double most = dt / LONGEST_SUBSTEP;
    for (size_t b = 0; b < bodies->count; ++b) {
        const couBody *body = &bodies->items[b];
        if (!couIsFree(body) || body->is_asleep) continue;
        const double *v = body->state.velocity;
        double speed = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) + rotation_speed(body);
        most = COU_MAX(most, dt * speed / (0.25 * couBodySize(body)));
    }
    return (int)COU_CLAMP(ceil(most - 1e-3), 1.0, (double)MOST_SUBSTEPS);
}

static void accelerate(const couRigidStep *step, int b, double dt)
{
    couVec3 g = step->bodies->gravity;
    double change[3] = {dt * g.x, dt * g.y, dt * g.z};
    for (int k = 0; k < 3; ++k) {
        step->bodies->items[b].state.velocity[k] += change[k];
        step->problem[b].state.velocity[k] += change[k];
    }
}

static void hold(const couRigidStep *step, int b, double ahead)
{
    if (b < 0 || step->is_held[b]) return;
    const couBody *body = &step->bodies->items[b];
    if (body->kind != cou_rigidFree || body->is_asleep) return;
    step->is_held[b] = true;
    accelerate(step, b, -ahead);
}

// Gravity for those that are held already; those that are held from now on give back what they got for the time `ahead`.
static void pull_held(const couRigidStep *step, double dt, double ahead)
{
    const couBodies *bodies = step->bodies;
    for (size_t b = 0; b < bodies->count; ++b)
        if (step->is_held[b] && !bodies->items[b].is_asleep) accelerate(step, (int)b, dt);
    for (size_t c = 0; c < bodies->contacts.count; ++c) {
        hold(step, bodies->contacts.items[c].a, ahead);
        hold(step, bodies->contacts.items[c].b, ahead);
    }
    for (size_t j = 0; j < bodies->joints.count; ++j) {
        const couJoint *joint = &bodies->joints.items[j];
        if (!joint->slot.is_here) continue;
        hold(step, joint->joint.a, ahead);
        hold(step, joint->joint.b, ahead);
    }
}

typedef struct Substep {
    double dt;
    double ahead; // what is left of the step after it [s]
    double still; // the approach at which nothing bounces: what gravity alone gives in a step, with some to spare [m/s]
    uint32_t seed;
} Substep;

static bool solve_substep(couRigidStep *step, Substep substep, couStepReport *report)
{
    couBodies *bodies = step->bodies;
    do {
        fill_problem(step);
        if (!find_contacts(step)) return false;
    } while (couWakeTouched(bodies));
    pull_held(step, substep.dt, substep.ahead);
    report->contact_count += (int64_t)bodies->contacts.count;
    couRigidProblem problem = {
        .bodies = step->problem,
        .body_count = (int)bodies->count,
        .contacts = bodies->contacts.items,
        .contact_count = (int)bodies->contacts.count,
        .joints = step->joints,
        .joint_count = fill_joints(step),
        .dimension = bodies->dimension,
        .dt = substep.dt,
        .slop = COU_RIGID_SLOP * couSmallestFree(bodies),
        .push = PUSH * couSmallestFree(bodies),
        .still = substep.still,
        .seed = substep.seed,
    };
    if (!couSolveRigid(&problem)) return false;
    for (size_t b = 0; b < bodies->count; ++b) {
        couBody *body = &bodies->items[b];
        if (!body->slot.is_here || body->is_asleep) continue;
        if (body->kind == cou_rigidFree) body->state = step->problem[b].state;
        if (body->kind == cou_rigidDriven) body->state = couRigidState_Advance(&body->state, substep.dt);
    }
    couUpdateSleep(step, substep.dt);
    return true;
}

// Names the first body whose numbers are none any more, or so large that they will not be soon. Such a thing must not reach the
// solver.
static bool are_finite(const couBodies *bodies, couStepReport *report)
{
    for (size_t b = 0; b < bodies->count; ++b) {
        const couBody *body = &bodies->items[b];
        if (!body->slot.is_here || body->kind == cou_rigidFixed) continue;
        double most = 0;
        for (int k = 0; k < 3; ++k)
            most += fabs(body->state.position[k]) + fabs(body->state.velocity[k]) + fabs(body->state.spin[k]);
        for (int k = 0; k < 4; ++k) most += fabs(body->state.rotation[k]);
        if (most < 1e12) continue;
        if (!report->bad_body.index1) report->bad_body = couBodies_Id(bodies, body);
        return false;
    }
    return true;
}

bool couMoveFreeBodies(couBodies *bodies, float dt, uint64_t step_index, couStepReport *report)
{
    if (!are_finite(bodies, report)) return true;
    couArenaMark mark = couArena_Mark(bodies->scratch);
    couRigidStep step = {
        .bodies = bodies,
        .problem = COU_TAKE(bodies->scratch, couRigidBody, bodies->count),
        .joints = COU_TAKE(bodies->scratch, couRigidJoint, bodies->joints.count),
        .islands = COU_TAKE(bodies->scratch, int, bodies->count),
        .supports = COU_TAKE(bodies->scratch, int, bodies->count),
        .is_held = COU_TAKE(bodies->scratch, bool, bodies->count),
    };
    bool is_good = step.problem && step.joints && step.islands && step.supports && step.is_held;
    if (is_good) memset(step.is_held, 0, bodies->count * sizeof *step.is_held);
    int substeps = count_substeps(bodies, dt);
    Substep substep = {.dt = dt / substeps, .still = 2.0 * (double)(couLength(bodies->gravity) * dt)};
    for (int s = 0; s < substeps && is_good; ++s) {
        substep.ahead = substep.dt * (substeps - 1 - s);
        substep.seed = (uint32_t)couMix64((uint64_t)bodies->seed << 40 ^ step_index << 5 ^ (uint64_t)s);
        is_good = solve_substep(&step, substep, report);
    }
    couArena_Release(bodies->scratch, mark);
    if (!is_good) return false;
    for (size_t b = 0; b < bodies->count; ++b) {
        couBody *body = &bodies->items[b];
        if (couIsFree(body)) body->end = body->pose = couRigidPose(&body->state, body->local_center);
    }
    are_finite(bodies, report);
    return true;
}
