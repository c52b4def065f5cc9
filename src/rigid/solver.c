// Contacts and joints on ODE's iterative solver.
//
// ODE keeps state that nobody sees: sleep counters, the order in which joints hang on bodies, a random seed for the whole process.
// Here an ODE world lives for one step: bodies in order, joints in order, contacts in the order given, the seed set; so the same
// arguments give the same bits, worlds side by side do not disturb each other, and there is nothing to put into a checkpoint. Making
// the world anew costs some microseconds a body. Joints remember where their bodies were when they were made: they are attached with
// the bodies there, and only then the bodies go to where they are now.

#include "rigid/solver.h"

#include <ode/ode.h>
#include <pthread.h>

enum { ITERATIONS = 60 }; // a stack of five boxes stands with 20; chains and motors want more
#define JOINT_ERP 0.2     // share of a joint's error that a step mends
#define CONTACT_ERP 0.2
#define SOFTNESS 1e-9 // constraint force mixing [1/kg]: lets redundant contacts share a load

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t seed_lock = PTHREAD_MUTEX_INITIALIZER; // ODE has one random seed for the whole process

static void start_ode(void) { dInitODE2(0); }

static void place(dBodyID body, const couRigidState *state)
{
    const double *q = state->rotation;
    dBodySetPosition(body, state->position[0], state->position[1], state->position[2]);
    dBodySetQuaternion(body, (const dQuaternion){q[3], q[0], q[1], q[2]});
}

static dBodyID make_body(dWorldID world, const couRigidBody *body, int dimension)
{
    if (body->kind == cou_rigidFixed) return NULL;
    dBodyID made = dBodyCreate(world);
    place(made, &body->state);
    if (body->kind == cou_rigidDriven) {
        dBodySetKinematic(made);
    } else {
        dMass mass;
        const double *inertia = body->inertia;
        dMassSetParameters(&mass, body->mass, 0, 0, 0, inertia[0], inertia[1], inertia[2], inertia[3], inertia[4], inertia[5]);
        dBodySetMass(made, &mass);
    }
    dBodySetGyroscopicMode(made, dimension == 3);
    dBodySetLinearVel(made, body->state.velocity[0], body->state.velocity[1], body->state.velocity[2]);
    dBodySetAngularVel(made, body->state.spin[0], body->state.spin[1], body->state.spin[2]);
    return made;
}

// --- Joints ------------------------------------------------------------------------------------------------------------------

static void set_hinge_limits(dJointID joint, const couJointDef *def)
{
    if (!isnan(def->lower)) dJointSetHingeParam(joint, dParamLoStop, def->lower);
    if (!isnan(def->upper)) dJointSetHingeParam(joint, dParamHiStop, def->upper);
    dJointSetHingeParam(joint, dParamVel, def->motor_speed);
    dJointSetHingeParam(joint, dParamFMax, def->motor_force);
}

static void set_slider_limits(dJointID joint, const couJointDef *def)
{
    if (!isnan(def->lower)) dJointSetSliderParam(joint, dParamLoStop, def->lower);
    if (!isnan(def->upper)) dJointSetSliderParam(joint, dParamHiStop, def->upper);
    dJointSetSliderParam(joint, dParamVel, def->motor_speed);
    dJointSetSliderParam(joint, dParamFMax, def->motor_force);
}

// An axis that turns with body a (or b where a is the world), driven.
static void set_motor(dJointID joint, const couJointDef *def, bool has_a)
{
    dJointSetAMotorMode(joint, dAMotorUser);
    dJointSetAMotorNumAxes(joint, 1);
    dJointSetAMotorAxis(joint, 0, has_a ? 1 : 2, def->axis.x, def->axis.y, def->axis.z);
    dJointSetAMotorParam(joint, dParamVel, def->motor_speed);
    dJointSetAMotorParam(joint, dParamFMax, def->motor_force);
}

static void make_joint(dWorldID world, const couRigidJoint *joint, const dBodyID *bodies, const couRigidBody *states)
{
    const couJointDef *def = &joint->def;
    dBodyID a = joint->a >= 0 ? bodies[joint->a] : NULL, b = joint->b >= 0 ? bodies[joint->b] : NULL;
    if (!a && !b) return;
    if (a) place(a, &joint->at_start_a);
    if (b) place(b, &joint->at_start_b);
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
        set_hinge_limits(made, def);
        break;
    case cou_jointSlider:
        made = dJointCreateSlider(world, 0);
        dJointAttach(made, a, b);
        dJointSetSliderAxis(made, def->axis.x, def->axis.y, def->axis.z);
        set_slider_limits(made, def);
        break;
    case cou_jointFixed:
        made = dJointCreateFixed(world, 0);
        dJointAttach(made, a, b);
        dJointSetFixed(made);
        break;
    case cou_jointMotor:
        made = dJointCreateAMotor(world, 0);
        dJointAttach(made, a, b);
        set_motor(made, def, a != NULL);
        break;
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

static void make_contact(dWorldID world, dJointGroupID group, const couRigidProblem *problem, const couRigidContact *contact,
                         const dBodyID *bodies)
{
    dContact made = {0};
    made.geom.pos[0] = contact->point.x, made.geom.pos[1] = contact->point.y, made.geom.pos[2] = contact->point.z;
    made.geom.normal[0] = contact->normal.x, made.geom.normal[1] = contact->normal.y, made.geom.normal[2] = contact->normal.z;
    made.geom.depth = contact->depth;
    made.surface.mode = dContactApprox1 | dContactSoftERP | dContactSoftCFM;
    made.surface.soft_erp = CONTACT_ERP;
    made.surface.soft_cfm = SOFTNESS;
    made.surface.mu = contact->friction;
    if (contact->restitution > 0.0f) {
        made.surface.mode |= dContactBounce;
        made.surface.bounce = contact->restitution;
        made.surface.bounce_vel = problem->still;
    }
    if (sliding_direction(problem, contact, made.fdir1)) made.surface.mode |= dContactFDir1;
    dJointID joint = dJointCreateContact(world, group, &made);
    dJointAttach(joint, bodies[contact->a], bodies[contact->b]);
}

// --- The step ----------------------------------------------------------------------------------------------------------------

static void hold_in_plane(dWorldID world, dBodyID body)
{
    dJointID plane = dJointCreatePlane2D(world, 0);
    dJointAttach(plane, body, NULL);
}

static void read_state(dBodyID body, int dimension, couRigidState *state)
{
    memcpy(state->position, dBodyGetPosition(body), sizeof state->position);
    memcpy(state->velocity, dBodyGetLinearVel(body), sizeof state->velocity);
    memcpy(state->spin, dBodyGetAngularVel(body), sizeof state->spin);
    const dReal *q = dBodyGetQuaternion(body);
    state->rotation[0] = q[1], state->rotation[1] = q[2], state->rotation[2] = q[3], state->rotation[3] = q[0];
    if (dimension == 3) return;
    // What rounding left of leaving the plane.
    state->position[2] = state->velocity[2] = state->spin[0] = state->spin[1] = 0;
    double length = sqrt(state->rotation[2] * state->rotation[2] + state->rotation[3] * state->rotation[3]);
    state->rotation[0] = state->rotation[1] = 0;
    state->rotation[2] /= length, state->rotation[3] /= length;
}

bool couSolveRigid(const couRigidProblem *problem)
{
    pthread_once(&once, start_ode);
    if (!dAllocateODEDataForThread(dAllocateFlagBasicData)) return false;
    dBodyID *bodies = couAlloc(NULL, ((size_t)problem->body_count + 1) * sizeof *bodies);
    if (!bodies) return false;
    dWorldID world = dWorldCreate();
    dJointGroupID group = dJointGroupCreate(0);
    dWorldSetAutoDisableFlag(world, 0);
    dWorldSetERP(world, JOINT_ERP);
    dWorldSetCFM(world, SOFTNESS);
    dWorldSetContactSurfaceLayer(world, problem->slop);
    dWorldSetQuickStepNumIterations(world, ITERATIONS);
    for (int b = 0; b < problem->body_count; ++b) {
        bodies[b] = make_body(world, &problem->bodies[b], problem->dimension);
        if (problem->dimension == 2 && problem->bodies[b].kind == cou_rigidFree) hold_in_plane(world, bodies[b]);
    }
    for (int j = 0; j < problem->joint_count; ++j) make_joint(world, &problem->joints[j], bodies, problem->bodies);
    for (int c = 0; c < problem->contact_count; ++c) make_contact(world, group, problem, &problem->contacts[c], bodies);

    pthread_mutex_lock(&seed_lock);
    dRandSetSeed(problem->seed);
    bool is_good = dWorldQuickStep(world, problem->dt) != 0;
    pthread_mutex_unlock(&seed_lock);
    for (int b = 0; b < problem->body_count && is_good; ++b)
        if (problem->bodies[b].kind == cou_rigidFree) read_state(bodies[b], problem->dimension, &problem->bodies[b].state);
    dJointGroupDestroy(group);
    dWorldDestroy(world);
    couFree(NULL, bodies);
    return is_good;
}

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
