// Keyframes of driven bodies: a curve through their places, the shortest turns between their rotations.

#include "rigid/bodies.h"

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
