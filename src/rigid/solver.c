// Contacts and joints on ODE's solvers.
//
// ODE keeps state that nobody sees: sleep counters, the order in which joints hang on bodies, a random seed for the whole
// process. Here an ODE world lives for one step of one island (free bodies that touch or are joined): bodies in order, joints
// in order, contacts in the order given, the seed set; so the same arguments give the same bits, worlds side by side do not
// disturb each other, and there is nothing to put into a checkpoint. Making it anew costs some microseconds a body. Joints
// remember where their bodies were when they were made: they are attached with the bodies there, and only then the bodies go to
// where they are now.
//
// Islands of up to MOST_EXACT_ROWS constraints get ODE's direct solver, larger ones its iterative one. Measured on five boxes
// of 0.2 m in a stack, held awake for 3 s: the direct solver drifts by less than 1 um, the iterative one by 0.6 mm with 60
// iterations and 0.1 mm with 300, and it costs as much with 60. The direct solver's time grows with the cube of the number of
// constraints.
//
// ODE gives velocities; places are found here. Its own gyroscopic term loses 8 % of the energy of a tumbling box in ten
// seconds; here the angular momentum is what a free turn keeps, and the spin follows from it.
//
// What joints have come apart by then, (spin dt)^2 / 2 of a link, and what overlaps, is mended by moving the bodies, in a
// second solution without velocities. With velocities for it, as ODE itself would, a chain that cracks like a whip opens by 5 %
// of a link, and the top of a stack that was put down 0.1 mm too high jumps by a centimetre.

#include "rigid/solver.h"

#include <ode/ode.h>
#include <pthread.h>

enum { MOST_EXACT_ROWS = 160, ITERATIONS = 100 };
#define CONTACT_ERP 0.2 // share of an overlap that a step mends
#define SOFTNESS 1e-6   // how much a constraint gives way, as a share of what its bodies do: lets redundant contacts share a load

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t ode_lock = PTHREAD_MUTEX_INITIALIZER; // ODE has one random seed and one list of jobs for the whole process
static _Thread_local bool has_complained;

// The direct solver says so when it loses its way between redundant contacts; by itself ODE would print that.
static void note_message(int number, const char *format, va_list arguments)
{
    (void)number, (void)format, (void)arguments;
    has_complained = true;
}

static void start_ode(void)
{
    dInitODE2(0);
    dSetMessageHandler(note_message);
}

static void place(dBodyID body, const couRigidState *state)
{
    const double *q = state->rotation;
    dBodySetPosition(body, state->position[0], state->position[1], state->position[2]);
    dBodySetQuaternion(body, (const dQuaternion){q[3], q[0], q[1], q[2]});
}

// For mending, without its velocities.
static dBodyID make_body(dWorldID world, const couRigidBody *body, bool is_mending)
{
    dBodyID made = dBodyCreate(world);
    place(made, &body->state);
    dBodySetGyroscopicMode(made, 0);
    if (body->kind == cou_rigidFree) {
        dMass mass;
        const double *inertia = body->inertia;
        dMassSetParameters(&mass, body->mass, 0, 0, 0, inertia[0], inertia[1], inertia[2], inertia[3], inertia[4], inertia[5]);
        dBodySetMass(made, &mass);
    } else {
        dBodySetKinematic(made);
    }
    if (body->kind == cou_rigidFixed || is_mending) return made;
    dBodySetLinearVel(made, body->state.velocity[0], body->state.velocity[1], body->state.velocity[2]);
    dBodySetAngularVel(made, body->state.spin[0], body->state.spin[1], body->state.spin[2]);
    return made;
}

// --- Joints ------------------------------------------------------------------------------------------------------------------

// Limits and motor of a hinge or slider, given by the parameters of its kind.
static void set_limits(dJointID joint, const couJointDef *def, void (*set)(dJointID, int, dReal))
{
    if (!isnan(def->lower)) set(joint, dParamLoStop, def->lower);
    if (!isnan(def->upper)) set(joint, dParamHiStop, def->upper);
    set(joint, dParamVel, def->motor_speed);
    set(joint, dParamFMax, def->motor_force);
}

// An axis that turns with the first body, driven.
static void set_motor(dJointID joint, const couJointDef *def)
{
    dJointSetAMotorMode(joint, dAMotorUser);
    dJointSetAMotorNumAxes(joint, 1);
    dJointSetAMotorAxis(joint, 0, 1, def->axis.x, def->axis.y, def->axis.z);
    dJointSetAMotorParam(joint, dParamVel, def->motor_speed);
    dJointSetAMotorParam(joint, dParamFMax, def->motor_force);
}

static void create_joint(dWorldID world, const couJointDef *def, dBodyID a, dBodyID b)
{
    dJointID made = NULL;
    switch ((couJointKind)def->kind) {
    case cou_jointBall:
        made = dJointCreateBall(world, 0);
        dJointAttach(made, a, b);
        dJointSetBallAnchor(made, def->at.x, def->at.y, def->at.z);
        break;
    case cou_jointHinge:
        made = dJointCreateHinge(world, 0);
        dJointAttach(made, a, b);
        dJointSetHingeAnchor(made, def->at.x, def->at.y, def->at.z);
        dJointSetHingeAxis(made, def->axis.x, def->axis.y, def->axis.z);
        set_limits(made, def, dJointSetHingeParam);
        break;
    case cou_jointSlider:
        made = dJointCreateSlider(world, 0);
        dJointAttach(made, a, b);
        dJointSetSliderAxis(made, def->axis.x, def->axis.y, def->axis.z);
        set_limits(made, def, dJointSetSliderParam);
        break;
    case cou_jointFixed:
        made = dJointCreateFixed(world, 0);
        dJointAttach(made, a, b);
        dJointSetFixed(made);
        break;
    case cou_jointMotor:
        made = dJointCreateAMotor(world, 0);
        dJointAttach(made, a, b);
        set_motor(made, def);
        break;
    }
}

static void make_joint(dWorldID world, const couRigidJoint *joint, const dBodyID *bodies, const couRigidBody *states,
                       bool is_mending)
{
    dBodyID a = joint->a >= 0 ? bodies[joint->a] : NULL, b = joint->b >= 0 ? bodies[joint->b] : NULL;
    if (a) place(a, &joint->at_start_a);
    if (b) place(b, &joint->at_start_b);
    couJointDef def = joint->def;
    if (is_mending) def.motor_force = 0.0f;
    if (!a) {
        // ODE wants the world second, and does not turn limits round by itself.
        def.lower = -joint->def.upper, def.upper = -joint->def.lower, def.motor_speed = -joint->def.motor_speed;
        create_joint(world, &def, b, NULL);
    } else {
        create_joint(world, &def, a, b);
    }
    if (a) place(a, &states[joint->a].state);
    if (b) place(b, &states[joint->b].state);
}

// --- Contacts ----------------------------------------------------------------------------------------------------------------

static void velocity_at(const couRigidBody *body, couVec3 point, double v[3])
{
    const couRigidState *s = &body->state;
    double r[3] = {point.x - s->position[0], point.y - s->position[1], point.z - s->position[2]};
    v[0] = s->velocity[0] + s->spin[1] * r[2] - s->spin[2] * r[1];
    v[1] = s->velocity[1] + s->spin[2] * r[0] - s->spin[0] * r[2];
    v[2] = s->velocity[2] + s->spin[0] * r[1] - s->spin[1] * r[0];
}

// The direction in which a slides on b; friction is solved along it and across, which makes the pyramid as good as a cone.
// False where it does not slide, and any direction will do.
static bool sliding_direction(const couRigidProblem *problem, const couRigidContact *contact, dVector3 direction)
{
    double va[3], vb[3], t[3], n[3] = {contact->normal.x, contact->normal.y, contact->normal.z};
    velocity_at(&problem->bodies[contact->a], contact->point, va);
    velocity_at(&problem->bodies[contact->b], contact->point, vb);
    double along = 0, length2 = 0;
    for (int k = 0; k < 3; ++k) along += (va[k] - vb[k]) * n[k];
    for (int k = 0; k < 3; ++k) {
        t[k] = va[k] - vb[k] - along * n[k];
        length2 += t[k] * t[k];
    }
    if (!(length2 > 1e-16)) return false;
    for (int k = 0; k < 3; ++k) direction[k] = t[k] / sqrt(length2);
    return true;
}

static dContact describe(const couRigidContact *contact, double softness)
{
    dContact made = {0};
    made.geom.pos[0] = contact->point.x, made.geom.pos[1] = contact->point.y, made.geom.pos[2] = contact->point.z;
    made.geom.normal[0] = contact->normal.x, made.geom.normal[1] = contact->normal.y, made.geom.normal[2] = contact->normal.z;
    made.geom.depth = contact->depth;
    made.surface.mode = dContactApprox1 | dContactSoftERP | dContactSoftCFM;
    made.surface.soft_cfm = softness;
    return made;
}

static void make_contact(dWorldID world, const couRigidProblem *problem, const couRigidContact *contact, double softness,
                         const dBodyID *bodies)
{
    dContact made = describe(contact, softness);
    made.surface.mu = contact->friction;
    if (contact->restitution > 0.0f) {
        made.surface.mode |= dContactBounce;
        made.surface.bounce = contact->restitution;
        made.surface.bounce_vel = problem->still;
    }
    if (problem->dimension == 2) { // no friction across the plane
        made.fdir1[0] = -contact->normal.y, made.fdir1[1] = contact->normal.x;
        made.surface.mode |= dContactFDir1 | dContactMu2;
    } else if (sliding_direction(problem, contact, made.fdir1)) {
        made.surface.mode |= dContactFDir1;
    }
    dJointID joint = dJointCreateContact(world, 0, &made);
    dJointAttach(joint, bodies[contact->a], bodies[contact->b]);
}

// Overlap at the end of the step, where bodies have moved by their new velocities.
static double depth_left(const couRigidProblem *problem, const couRigidContact *contact)
{
    double va[3], vb[3];
    velocity_at(&problem->bodies[contact->a], contact->point, va);
    velocity_at(&problem->bodies[contact->b], contact->point, vb);
    double apart = (va[0] - vb[0]) * contact->normal.x + (va[1] - vb[1]) * contact->normal.y +
                   (va[2] - vb[2]) * contact->normal.z;
    return contact->depth - problem->dt * apart;
}

static void mend_contact(dWorldID world, const couRigidProblem *problem, const couRigidContact *contact, double softness,
                         const dBodyID *bodies)
{
    dContact made = describe(contact, softness);
    made.geom.depth = depth_left(problem, contact);
    made.surface.soft_erp = CONTACT_ERP;
    dJointAttach(dJointCreateContact(world, 0, &made), bodies[contact->a], bodies[contact->b]);
}

// --- Motion ------------------------------------------------------------------------------------------------------------------

couRigidState couRigidState_Advance(const couRigidState *state, double dt)
{
    couRigidState next = *state;
    const double *w = state->spin, *q = state->rotation;
    for (int k = 0; k < 3; ++k) next.position[k] += dt * state->velocity[k];
    double speed = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
    if (!(speed > 0)) return next;
    double s = sin(0.5 * dt * speed) / speed, c = cos(0.5 * dt * speed);
    double r[4] = {s * w[0], s * w[1], s * w[2], c};
    double p[4] = {r[3] * q[0] + r[0] * q[3] + r[1] * q[2] - r[2] * q[1], r[3] * q[1] - r[0] * q[2] + r[1] * q[3] + r[2] * q[0],
                   r[3] * q[2] + r[0] * q[1] - r[1] * q[0] + r[2] * q[3], r[3] * q[3] - r[0] * q[0] - r[1] * q[1] - r[2] * q[2]};
    double inv_length = 1 / sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
    for (int k = 0; k < 4; ++k) next.rotation[k] = inv_length * p[k];
    return next;
}

// The inverse of a symmetric matrix (xx, yy, zz, xy, xz, yz) times a vector.
static void divide(const double m[6], const double v[3], double out[3])
{
    double xx = m[1] * m[2] - m[5] * m[5], yy = m[0] * m[2] - m[4] * m[4], zz = m[0] * m[1] - m[3] * m[3];
    double xy = m[4] * m[5] - m[3] * m[2], xz = m[3] * m[5] - m[4] * m[1], yz = m[3] * m[4] - m[0] * m[5];
    double inv = 1 / (m[0] * xx + m[3] * xy + m[4] * xz);
    out[0] = inv * (xx * v[0] + xy * v[1] + xz * v[2]);
    out[1] = inv * (xy * v[0] + yy * v[1] + yz * v[2]);
    out[2] = inv * (xz * v[0] + yz * v[1] + zz * v[2]);
}

// Spin of a body with this rotation and angular momentum, or the momentum of this spin.
static void turn_rate(const couRigidBody *body, const double rotation[4], const double v[3], bool is_momentum, double out[3])
{
    const double *m = body->inertia, back[4] = {-rotation[0], -rotation[1], -rotation[2], rotation[3]};
    double local[3], result[3];
    couRotateD(back, v, local);
    if (is_momentum) {
        divide(m, local, result);
    } else {
        result[0] = m[0] * local[0] + m[3] * local[1] + m[4] * local[2];
        result[1] = m[3] * local[0] + m[1] * local[1] + m[5] * local[2];
        result[2] = m[4] * local[0] + m[5] * local[1] + m[2] * local[2];
    }
    couRotateD(rotation, result, out);
}

// Places at the end of the step. A free turn keeps its angular momentum, whatever the axis: midpoint rule for the rotation.
static void turn_and_move(couRigidBody *body, int dimension, double dt)
{
    couRigidState *state = &body->state;
    if (dimension == 2) {
        *state = couRigidState_Advance(state, dt);
        return;
    }
    double momentum[3];
    turn_rate(body, state->rotation, state->spin, false, momentum);
    couRigidState middle = couRigidState_Advance(state, 0.5 * dt), next = *state;
    turn_rate(body, middle.rotation, momentum, true, next.spin);
    next = couRigidState_Advance(&next, dt);
    turn_rate(body, next.rotation, momentum, true, next.spin);
    *state = next;
}

// --- Islands -----------------------------------------------------------------------------------------------------------------

// Free bodies that touch or are joined, named after the first of them; lists in the order of the problem, ended by -1.
typedef struct Islands {
    int *root; // of each body; -1 unless free
    int *first_body, *next_body;
    int *first_joint, *next_joint;
    int *first_contact, *next_contact;
} Islands;

static void merge(int *root, int a, int b)
{
    if (a >= 0 && b >= 0 && root[a] >= 0 && root[b] >= 0) couMergeRoots(root, a, b);
}

// The island of a pair; -1 where neither is free.
static int pair_island(const Islands *islands, int a, int b)
{
    if (a >= 0 && islands->root[a] >= 0) return islands->root[a];
    return b >= 0 ? islands->root[b] : -1;
}

static void push(int *first, int *next, int island, int item)
{
    if (island < 0) return;
    next[item] = first[island];
    first[island] = item;
}

// `memory` holds 5 numbers per body, 1 per joint and 1 per contact.
static Islands find_islands(const couRigidProblem *problem, int *memory)
{
    int bodies = problem->body_count;
    Islands islands = {.root = memory, .first_body = memory + bodies, .next_body = memory + 2 * bodies};
    islands.first_joint = memory + 3 * bodies, islands.first_contact = memory + 4 * bodies;
    islands.next_joint = memory + 5 * bodies, islands.next_contact = islands.next_joint + problem->joint_count;
    for (int b = 0; b < bodies; ++b) {
        islands.root[b] = problem->bodies[b].kind == cou_rigidFree ? b : -1;
        islands.first_body[b] = islands.first_joint[b] = islands.first_contact[b] = -1;
    }
    for (int j = 0; j < problem->joint_count; ++j) merge(islands.root, problem->joints[j].a, problem->joints[j].b);
    for (int c = 0; c < problem->contact_count; ++c) merge(islands.root, problem->contacts[c].a, problem->contacts[c].b);
    for (int b = 0; b < bodies; ++b)
        if (islands.root[b] >= 0) islands.root[b] = couFindRoot(islands.root, b);
    // From the last to the first, so that each list ends up in order.
    for (int b = bodies - 1; b >= 0; --b) push(islands.first_body, islands.next_body, islands.root[b], b);
    for (int j = problem->joint_count - 1; j >= 0; --j)
        push(islands.first_joint, islands.next_joint, pair_island(&islands, problem->joints[j].a, problem->joints[j].b), j);
    for (int c = problem->contact_count - 1; c >= 0; --c)
        push(islands.first_contact, islands.next_contact, pair_island(&islands, problem->contacts[c].a, problem->contacts[c].b),
             c);
    return islands;
}

static int count_rows(const couRigidProblem *problem, const Islands *islands, int island, bool is_mending)
{
    int rows = 0;
    for (int j = islands->first_joint[island]; j >= 0; j = islands->next_joint[j]) rows += 6;
    int each = is_mending ? 1 : problem->dimension;
    for (int c = islands->first_contact[island]; c >= 0; c = islands->next_contact[c]) rows += each;
    return rows;
}

// --- The step ----------------------------------------------------------------------------------------------------------------

// Bodies that do not move by themselves take part where they are joined, or move and are touched; what is only in the way is
// ODE's own unmoving world.
static void add_partners(dWorldID world, const couRigidProblem *problem, const Islands *islands, int island, bool is_mending,
                         dBodyID *bodies)
{
    for (int j = islands->first_joint[island]; j >= 0; j = islands->next_joint[j]) {
        int pair[2] = {problem->joints[j].a, problem->joints[j].b};
        for (int k = 0; k < 2; ++k)
            if (pair[k] >= 0 && !bodies[pair[k]]) bodies[pair[k]] = make_body(world, &problem->bodies[pair[k]], is_mending);
    }
    for (int c = islands->first_contact[island]; c >= 0; c = islands->next_contact[c]) {
        int pair[2] = {problem->contacts[c].a, problem->contacts[c].b};
        for (int k = 0; k < 2; ++k)
            if (!bodies[pair[k]] && problem->bodies[pair[k]].kind == cou_rigidDriven)
                bodies[pair[k]] = make_body(world, &problem->bodies[pair[k]], is_mending);
    }
}

static void forget_partners(const couRigidProblem *problem, const Islands *islands, int island, dBodyID *bodies)
{
    for (int b = islands->first_body[island]; b >= 0; b = islands->next_body[b]) bodies[b] = NULL;
    for (int j = islands->first_joint[island]; j >= 0; j = islands->next_joint[j]) {
        if (problem->joints[j].a >= 0) bodies[problem->joints[j].a] = NULL;
        if (problem->joints[j].b >= 0) bodies[problem->joints[j].b] = NULL;
    }
    for (int c = islands->first_contact[island]; c >= 0; c = islands->next_contact[c])
        bodies[problem->contacts[c].a] = bodies[problem->contacts[c].b] = NULL;
}

static void hold_in_plane(dWorldID world, dBodyID body)
{
    dJointID plane = dJointCreatePlane2D(world, 0);
    dJointAttach(plane, body, NULL);
}

static bool step_world(dWorldID world, const couRigidProblem *problem, bool is_exact)
{
    pthread_mutex_lock(&ode_lock);
    has_complained = false;
    dRandSetSeed(problem->seed);
    bool is_good = is_exact ? dWorldStep(world, problem->dt) != 0 : dWorldQuickStep(world, problem->dt) != 0;
    pthread_mutex_unlock(&ode_lock);
    return is_good;
}

// Joints are mended with driven bodies where the step takes them, or back where they were.
static void move_driven(const couRigidProblem *problem, bool is_ahead)
{
    for (int b = 0; b < problem->body_count; ++b) {
        couRigidBody *body = &problem->bodies[b];
        if (body->kind == cou_rigidDriven)
            body->state = couRigidState_Advance(&body->state, is_ahead ? problem->dt : -problem->dt);
    }
}

typedef enum Outcome { SOLVED, UNSURE, NO_MEMORY } Outcome;

static void set_up(dWorldID world, const couRigidProblem *problem, bool is_mending, double softness)
{
    dWorldSetERP(world, is_mending ? 1 : 0); // of joints: all of their error
    dWorldSetCFM(world, softness);
    dWorldSetContactSurfaceLayer(world, problem->slop);
    dWorldSetContactMaxCorrectingVel(world, problem->push);
    dWorldSetQuickStepNumIterations(world, ITERATIONS);
}

// Takes over new velocities; for mending these only move the body.
static void read_body(const couRigidProblem *problem, couRigidBody *body, dBodyID from, bool is_mending)
{
    couRigidState *state = &body->state, kept = *state;
    memcpy(state->velocity, dBodyGetLinearVel(from), sizeof state->velocity);
    memcpy(state->spin, dBodyGetAngularVel(from), sizeof state->spin);
    if (problem->dimension == 2) state->velocity[2] = state->spin[0] = state->spin[1] = 0; // what rounding left
    if (!is_mending) return;
    *state = couRigidState_Advance(state, problem->dt);
    memcpy(state->velocity, kept.velocity, sizeof state->velocity);
    memcpy(state->spin, kept.spin, sizeof state->spin);
}

// New velocities of an island's bodies under contacts and joints, or, for mending, new places. UNSURE leaves everything as it
// was.
static Outcome solve_island(const couRigidProblem *problem, const Islands *islands, int island, bool is_exact, bool is_mending,
                            dBodyID *bodies)
{
    dWorldID world = dWorldCreate();
    // Sleep is decided elsewhere; for its own ODE would take memory for each body, past its own hook.
    dWorldSetAutoDisableAverageSamplesCount(world, 0);
    double heaviest = 0;
    for (int b = islands->first_body[island]; b >= 0; b = islands->next_body[b]) {
        bodies[b] = make_body(world, &problem->bodies[b], is_mending);
        if (problem->dimension == 2) hold_in_plane(world, bodies[b]);
        heaviest = fmax(heaviest, problem->bodies[b].mass);
    }
    double softness = SOFTNESS * problem->dt / heaviest;
    set_up(world, problem, is_mending, softness);
    add_partners(world, problem, islands, island, is_mending, bodies);
    for (int j = islands->first_joint[island]; j >= 0; j = islands->next_joint[j])
        make_joint(world, &problem->joints[j], bodies, problem->bodies, is_mending);
    for (int c = islands->first_contact[island]; c >= 0; c = islands->next_contact[c])
        (is_mending ? mend_contact : make_contact)(world, problem, &problem->contacts[c], softness, bodies);
    Outcome outcome = !step_world(world, problem, is_exact) ? NO_MEMORY : is_exact && has_complained ? UNSURE : SOLVED;
    for (int b = islands->first_body[island]; b >= 0 && outcome == SOLVED; b = islands->next_body[b])
        read_body(problem, &problem->bodies[b], bodies[b], is_mending);
    forget_partners(problem, islands, island, bodies);
    dWorldDestroy(world);
    return outcome;
}

// Contacts within one and a half times the slop are good enough: what rests is solved once.
static bool needs_mending(const couRigidProblem *problem, const Islands *islands, int island)
{
    if (islands->first_joint[island] >= 0) return true;
    for (int c = islands->first_contact[island]; c >= 0; c = islands->next_contact[c])
        if (problem->contacts[c].depth > 1.5 * problem->slop) return true;
    return false;
}

static bool solve_all(const couRigidProblem *problem, const Islands *islands, bool is_mending, dBodyID *bodies)
{
    for (int b = 0; b < problem->body_count; ++b) {
        if (islands->root[b] != b || (is_mending && !needs_mending(problem, islands, b))) continue;
        int rows = count_rows(problem, islands, b, is_mending);
        Outcome outcome = rows == 0 ? SOLVED : UNSURE;
        if (rows > 0 && rows <= MOST_EXACT_ROWS) outcome = solve_island(problem, islands, b, true, is_mending, bodies);
        if (outcome == UNSURE) outcome = solve_island(problem, islands, b, false, is_mending, bodies);
        if (outcome != SOLVED) return false;
    }
    return true;
}

bool couSolveRigid(const couRigidProblem *problem)
{
    pthread_once(&once, start_ode);
    if (!dAllocateODEDataForThread(dAllocateFlagBasicData)) return false;
    size_t count = (size_t)problem->body_count,
           numbers = 5 * count + (size_t)problem->joint_count + (size_t)problem->contact_count;
    dBodyID *bodies = couAlloc(NULL, (count + 1) * sizeof *bodies);
    int *memory = couAlloc(NULL, (numbers + 1) * sizeof *memory);
    bool is_good = bodies && memory;
    if (is_good) {
        Islands islands = find_islands(problem, memory);
        is_good = solve_all(problem, &islands, false, bodies);
        for (int b = 0; b < problem->body_count && is_good; ++b)
            if (problem->bodies[b].kind == cou_rigidFree) turn_and_move(&problem->bodies[b], problem->dimension, problem->dt);
        move_driven(problem, true);
        is_good = is_good && solve_all(problem, &islands, true, bodies);
        move_driven(problem, false);
    }
    couFree(NULL, memory);
    couFree(NULL, bodies);
    return is_good;
}

// --- Where joints are --------------------------------------------------------------------------------------------------------

// The rotation that a body has made since the joint was made.
static void turned_since(const couRigidState *now, const couRigidState *start, double out[4])
{
    if (!now) {
        out[0] = out[1] = out[2] = 0, out[3] = 1;
        return;
    }
    const double *p = now->rotation, *s = start->rotation;
    double q[4] = {-s[0], -s[1], -s[2], s[3]};
    out[0] = p[3] * q[0] + p[0] * q[3] + p[1] * q[2] - p[2] * q[1];
    out[1] = p[3] * q[1] - p[0] * q[2] + p[1] * q[3] + p[2] * q[0];
    out[2] = p[3] * q[2] + p[0] * q[1] - p[1] * q[0] + p[2] * q[3];
    out[3] = p[3] * q[3] - p[0] * q[0] - p[1] * q[1] - p[2] * q[2];
}

// Where the joint's point, taken along by a body since the joint was made, is now.
static void carried_point(const couRigidState *now, const couRigidState *start, couVec3 at, double out[3])
{
    out[0] = at.x, out[1] = at.y, out[2] = at.z;
    if (!now) return;
    double turn[4], r[3] = {at.x - start->position[0], at.y - start->position[1], at.z - start->position[2]}, moved[3];
    turned_since(now, start, turn);
    couRotateD(turn, r, moved);
    for (int k = 0; k < 3; ++k) out[k] = now->position[k] + moved[k];
}

double couRigidJoint_Position(const couRigidJoint *joint, const couRigidState *a, const couRigidState *b)
{
    couVec3 unit = couNormalize(joint->def.axis);
    double axis[3] = {unit.x, unit.y, unit.z};
    double turn_a[4], turn_b[4];
    turned_since(a, &joint->at_start_a, turn_a);
    turned_since(b, &joint->at_start_b, turn_b);
    if (joint->def.kind == cou_jointHinge) {
        // The turn of a as seen from b, about the axis.
        double x = turn_b[3] * turn_a[0] - turn_b[0] * turn_a[3] - turn_b[1] * turn_a[2] + turn_b[2] * turn_a[1];
        double y = turn_b[3] * turn_a[1] + turn_b[0] * turn_a[2] - turn_b[1] * turn_a[3] - turn_b[2] * turn_a[0];
        double z = turn_b[3] * turn_a[2] - turn_b[0] * turn_a[1] + turn_b[1] * turn_a[0] - turn_b[2] * turn_a[3];
        double w = turn_b[3] * turn_a[3] + turn_b[0] * turn_a[0] + turn_b[1] * turn_a[1] + turn_b[2] * turn_a[2];
        double angle = 2 * atan2(x * axis[0] + y * axis[1] + z * axis[2], w);
        return angle > COU_PI ? angle - 2 * COU_PI : angle < -COU_PI ? angle + 2 * COU_PI : angle;
    }
    if (joint->def.kind != cou_jointSlider) return 0;
    double pa[3], pb[3], now[3];
    carried_point(a, &joint->at_start_a, joint->def.at, pa);
    carried_point(b, &joint->at_start_b, joint->def.at, pb);
    couRotateD(turn_b, axis, now);
    return (pa[0] - pb[0]) * now[0] + (pa[1] - pb[1]) * now[1] + (pa[2] - pb[2]) * now[2];
}
