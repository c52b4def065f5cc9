/// Impulses on a free body as six numbers, force and moment about the centre of mass, and the changes of velocity and spin that
/// they make: a system of 6 x 6 whose matrix begins as the body's mass and inertia.
#pragma once

#include "rigid/bodies.h"

typedef struct couImpulseSystem {
    double matrix[6][6]; ///< lower triangle
    double right[6];
} couImpulseSystem;

static inline double couDot6(const double a[6], const double b[6])
{
    double sum = 0;
    for (int k = 0; k < 6; ++k) sum += a[k] * b[k];
    return sum;
}
/// Two unit vectors across a unit vector, and across each other.
void couFindAcross(couVec3 axis, couVec3 out[2]);
/// g = (direction, arm x direction)
void couLever(couVec3 arm, couVec3 direction, double g[6]);
/// A mass that has to move along: mass g g^T.
void couImpulseSystem_AddMass(couImpulseSystem *system, const double g[6], double mass);
/// An impulse of this size along g.
void couImpulseSystem_AddImpulse(couImpulseSystem *system, const double g[6], double size);
/// The body itself. Last, since in the plane it locks what cannot move there.
void couImpulseSystem_AddBody(couImpulseSystem *system, const couBody *body, int dimension);
/// By Cholesky; overwrites the matrix. False when it is not positive.
bool couImpulseSystem_Solve(couImpulseSystem *system, double u[6]);
