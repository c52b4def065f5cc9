// Six equations for what an impulse does to a body.

#include "rigid/impulse.h"

void couFindAcross(couVec3 axis, couVec3 out[2])
{
    couVec3 other = fabsf(axis.x) < 0.6f ? (couVec3){1, 0, 0} : (couVec3){0, 1, 0};
    out[0] = couNormalize(couCross(axis, other));
    out[1] = couCross(axis, out[0]);
}

void couLever(couVec3 arm, couVec3 direction, double g[6])
{
    g[0] = direction.x, g[1] = direction.y, g[2] = direction.z;
    g[3] = (double)arm.y * direction.z - (double)arm.z * direction.y;
    g[4] = (double)arm.z * direction.x - (double)arm.x * direction.z;
    g[5] = (double)arm.x * direction.y - (double)arm.y * direction.x;
}

void couImpulseSystem_AddMass(couImpulseSystem *system, const double g[6], double mass)
{
    for (int a = 0; a < 6; ++a)
        for (int b = 0; b <= a; ++b) system->matrix[a][b] += mass * g[a] * g[b];
}

void couImpulseSystem_AddImpulse(couImpulseSystem *system, const double g[6], double size)
{
    for (int a = 0; a < 6; ++a) system->right[a] += size * g[a];
}

void couImpulseSystem_AddBody(couImpulseSystem *system, const couBody *body, int dimension)
{
    double inertia[3][3];
    couInertiaToWorld(body, body->state.rotation, inertia);
    for (int a = 0; a < 3; ++a) {
        system->matrix[a][a] += body->mass;
        for (int b = 0; b <= a; ++b) system->matrix[3 + a][3 + b] += inertia[a][b];
    }
    if (dimension == 3) return;
    // In the plane: no motion along z, no turning out of it.
    static const int locked[] = {2, 3, 4};
    for (int k = 0; k < COU_COUNT(locked); ++k) {
        for (int a = 0; a < 6; ++a) system->matrix[COU_MAX(a, locked[k])][COU_MIN(a, locked[k])] = 0;
        system->matrix[locked[k]][locked[k]] = 1;
        system->right[locked[k]] = 0;
    }
}

bool couImpulseSystem_Solve(couImpulseSystem *system, double u[6])
{
    double(*m)[6] = system->matrix;
    for (int a = 0; a < 6; ++a) {
        for (int b = 0; b <= a; ++b) {
            double sum = m[a][b];
            for (int k = 0; k < b; ++k) sum -= m[a][k] * m[b][k];
            if (a == b && !(sum > 0)) return false;
            m[a][b] = a == b ? sqrt(sum) : sum / m[b][b];
        }
    }
    for (int a = 0; a < 6; ++a) {
        u[a] = system->right[a];
        for (int k = 0; k < a; ++k) u[a] -= m[a][k] * u[k];
        u[a] /= m[a][a];
    }
    for (int a = 5; a >= 0; --a) {
        for (int k = a + 1; k < 6; ++k) u[a] -= m[k][a] * u[k];
        u[a] /= m[a][a];
    }
    return true;
}

void couAddImpulse(couBody *body, int dimension, const double impulse[6])
{
    couImpulseSystem system = {0};
    memcpy(system.right, impulse, sizeof system.right);
    couImpulseSystem_AddBody(&system, body, dimension);
    double u[6];
    if (!couImpulseSystem_Solve(&system, u)) return;
    for (int a = 0; a < 3; ++a) body->state.velocity[a] += u[a], body->state.spin[a] += u[3 + a];
}
