// How far bodies are: from balls around groups of particles, from points, from ways between two points.

#include "rigid/bodies.h"

couBall couEnclose(const couVec4 *x, size_t begin, size_t end)
{
    couVec3 lower = couXyz(x[begin]), upper = lower;
    for (size_t i = begin + 1; i < end; ++i) {
        lower = (couVec3){COU_MIN(lower.x, x[i].x), COU_MIN(lower.y, x[i].y), COU_MIN(lower.z, x[i].z)};
        upper = (couVec3){COU_MAX(upper.x, x[i].x), COU_MAX(upper.y, x[i].y), COU_MAX(upper.z, x[i].z)};
    }
    return (couBall){couScale(0.5f, couAdd(lower, upper)), 0.5f * couLength(couSub(upper, lower))};
}

bool couIsBallFar(const couBody *body, couPose pose, couBall ball, float reach)
{
    if (isinf(body->ball_radius)) return false;
    couVec3 between = couSub(couToWorld(pose, body->ball_center), ball.center);
    float radii = body->ball_radius + ball.radius + reach;
    return couDot(between, between) > radii * radii;
}

float couClearance(const couBody *body, float distance)
{
    return distance < 0.0f ? distance : couShape_Clearance(body->def.shape, distance);
}

float couClearanceAt(const couBody *body, int dimension, couPose pose, couVec3 x)
{
    return couClearance(body, couShape_Distance(body->def.shape, dimension, couToLocal(pose, x)));
}

bool couIsInsideBody(const couBodies *bodies, couVec3 x, float margin)
{
    for (size_t b = 0; b < bodies->count; ++b) {
        const couBody *body = &bodies->items[b];
        if (body->slot.is_here && couShape_Distance(body->def.shape, bodies->dimension, couToLocal(body->pose, x)) < margin)
            return true;
    }
    return false;
}

bool couIsBlocked(const couBodies *bodies, couVec3 a, couVec3 b)
{
    for (size_t k = 0; k < bodies->count; ++k) {
        const couBody *body = &bodies->items[k];
        if (!body->slot.is_here) continue;
        couVec3 p = couToLocal(body->pose, a), q = couToLocal(body->pose, b);
        if (couShape_SegmentHits(body->def.shape, bodies->dimension, p, q)) return true;
    }
    return false;
}
