/// Rigid bodies over one step: velocities under contacts and joints, then positions, by ODE. Nothing is kept from one step to the
/// next: all that decides the outcome is in the arguments, so a checkpoint needs no more than the bodies' states.
#pragma once

#include "base/base.h"
#include "coulis/world.h"

/// Of the centre of mass, in double: small steps must not drown in the rounding of large coordinates.
typedef struct couRigidState {
    double position[3]; ///< [m]
    double rotation[4]; ///< unit quaternion, x, y, z, w
    double velocity[3]; ///< [m/s]
    double spin[3];     ///< [rad/s]
} couRigidState;

typedef enum couRigidKind {
    cou_rigidFixed,  ///< not moved; velocities are zero
    cou_rigidDriven, ///< not moved by anything, but has velocities
    cou_rigidFree    ///< moved
} couRigidKind;

typedef struct couRigidBody {
    couRigidKind kind;
    couRigidState state;
    double mass;       ///< [kg], free bodies
    double inertia[6]; ///< in its own frame: xx, yy, zz, xy, xz, yz [kg m^2]
} couRigidBody;

typedef struct couRigidContact {
    int a, b;          ///< bodies, a < b
    couVec3 point;     ///< [m]
    couVec3 normal;    ///< unit, out of b
    float depth;       ///< of the overlap [m]
    float friction;    ///< Coulomb's coefficient
    float restitution; ///< 0 to 1
} couRigidContact;

typedef struct couRigidJoint {
    couJointDef def;
    int a, b;                             ///< bodies, -1: the world
    couRigidState at_start_a, at_start_b; ///< the bodies when the joint was made; only positions and rotations count
} couRigidJoint;

typedef struct couRigidProblem {
    couRigidBody *bodies;
    int body_count;
    const couRigidContact *contacts;
    int contact_count;
    const couRigidJoint *joints;
    int joint_count;
    int dimension; ///< 2: bodies stay in the plane z = 0
    double dt;     ///< [s]
    double slop;   ///< overlap that is left alone [m]
    double still;  ///< approach at which nothing bounces [m/s]
    double push;   ///< overlaps end no faster than this [m/s]
    uint32_t seed; ///< of the order in which constraints are solved
} couRigidProblem;

/// Moves the free bodies. Gravity and other forces must be in their velocities already. False without memory.
bool couSolveRigid(const couRigidProblem *problem);

/// The state moved on by its velocities alone.
couRigidState couRigidState_Advance(const couRigidState *state, double dt);
/// Angle [rad] or offset [m] of a hinge or slider between two states (NULL: the world).
double couRigidJoint_Position(const couRigidJoint *joint, const couRigidState *a, const couRigidState *b);

static inline void couRotateD(const double q[4], const double v[3], double out[3])
{
    double t[3] = {2 * (q[1] * v[2] - q[2] * v[1]), 2 * (q[2] * v[0] - q[0] * v[2]), 2 * (q[0] * v[1] - q[1] * v[0])};
    out[0] = v[0] + q[3] * t[0] + q[1] * t[2] - q[2] * t[1];
    out[1] = v[1] + q[3] * t[1] + q[2] * t[0] - q[0] * t[2];
    out[2] = v[2] + q[3] * t[2] + q[0] * t[1] - q[1] * t[0];
}

/// The first member of the group that b is in; root[b] is b itself or another member.
static inline int couFindRoot(int *root, int b)
{
    while (root[b] != b) b = root[b] = root[root[b]];
    return b;
}
/// Makes the groups of a and b one.
static inline void couMergeRoots(int *root, int a, int b)
{
    a = couFindRoot(root, a), b = couFindRoot(root, b);
    root[COU_MAX(a, b)] = COU_MIN(a, b);
}
