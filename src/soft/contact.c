// Contacts of solids with bodies: points of the surface that are inside of a body are put back onto it, lose the velocity with
// which they go into it, and of the rest what Coulomb's friction takes. What they lose the body gets. Points alone touch: an edge
// of a body that is finer than the mesh goes in between them.
//
// Bodies are where they are at the substep, between the beginning and the end of the world's step. Free ones have moved when the
// solids do, so what they are given shows in their next step.

#include "soft/solids.h"

enum { BLOCK = 256 };

typedef struct Given {
    double impulse[6]; // and moment about the body's centre
} Given;

typedef struct TouchJob {
    couSolid *solid;
    const couBody *body;
    couPose pose;   // of the body now
    couVec3 center; // of its moments
    int dimension;
    float dt; // of the world's step
    double friction;
    Given *blocks;
} TouchJob;

static couPose pose_between(couPose a, couPose b, float share)
{
    couQuat p = a.rotation, q = b.rotation;
    float sign = p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w < 0.0f ? -1.0f : 1.0f, rest = 1.0f - share, t = share * sign;
    couQuat r = {rest * p.x + t * q.x, rest * p.y + t * q.y, rest * p.z + t * q.z, rest * p.w + t * q.w};
    float norm = sqrtf(r.x * r.x + r.y * r.y + r.z * r.z + r.w * r.w), scale = norm > 0.0f ? 1.0f / norm : 0.0f;
    couQuat turn = norm > 0.0f ? (couQuat){r.x * scale, r.y * scale, r.z * scale, r.w * scale} : q;
    return (couPose){couMulAdd(a.position, share, couSub(b.position, a.position)), turn};
}

// Change of a point's velocity when it meets a wall with this normal that moves at w.
static couDouble3 bounce(couDouble3 v, couDouble3 w, couDouble3 normal, double restitution, double friction)
{
    couDouble3 relative = couSub3(v, w);
    double into = -couDot3(relative, normal);
    if (!(into > 0)) return (couDouble3){0, 0, 0};
    couDouble3 change = couScale3((1 + restitution) * into, normal), along = couMulAdd3(relative, into, normal);
    double speed = couLength3(along), taken = fmin(friction * (1 + restitution) * into, speed);
    return speed > 0 ? couMulAdd3(change, -taken / speed, along) : change;
}

static void touch_block(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)worker;
    const TouchJob *job = context;
    couSolid *solid = job->solid;
    Given given = {{0}};
    for (size_t k = begin; k < end; ++k) {
        uint32_t i = solid->outer[k];
        if (solid->hold[i]) continue;
        couVec3 x = couNarrow(solid->position[i]), normal;
        float distance = couShape_DistanceNormal(job->body->def.shape, job->dimension, couToLocal(job->pose, x), &normal);
        if (!(distance < 0.0f)) continue;
        couDouble3 n = couWiden(couRotate(job->pose.rotation, normal)), w = couWiden(couWallVelocity(job->body, x, job->dt));
        couDouble3 change = bounce(solid->velocity[i], w, n, (double)solid->def.restitution, job->friction);
        solid->velocity[i] = couAdd3(solid->velocity[i], change);
        solid->position[i] = couMulAdd3(solid->position[i], -(double)distance, n);
        couDouble3 impulse = couScale3(-solid->masses[i], change), moment = couCross3(couWiden(couSub(x, job->center)), impulse);
        const double parts[6] = {impulse.x, impulse.y, impulse.z, moment.x, moment.y, moment.z};
        for (int a = 0; a < 6; ++a) given.impulse[a] += parts[a];
    }
    job->blocks[block] = given;
}

// A ball around the points of the surface.
static couBall ball_around(const couSolid *solid)
{
    couDouble3 lower = solid->position[0], upper = lower;
    for (size_t k = 0; k < solid->outer_count; ++k) {
        couDouble3 p = solid->position[solid->outer[k]];
        lower = (couDouble3){fmin(lower.x, p.x), fmin(lower.y, p.y), fmin(lower.z, p.z)};
        upper = (couDouble3){fmax(upper.x, p.x), fmax(upper.y, p.y), fmax(upper.z, p.z)};
    }
    couDouble3 size = couSub3(upper, lower);
    return (couBall){couNarrow(couMulAdd3(lower, 0.5, size)), (float)(0.5001 * couLength3(size))};
}

static void give(couBody *body, int dimension, const double impulse[6])
{
    bool is_any = false;
    for (int a = 0; a < 6; ++a) {
        body->sum[a] += impulse[a];
        is_any = is_any || impulse[a] != 0;
    }
    if (!is_any || !couIsFree(body)) return;
    couAddImpulse(body, dimension, impulse);
    body->is_asleep = false;
    body->still_seconds = 0;
}

bool couTouchBodies(couSolids *solids, couSolid *solid, couBodies *bodies, const couParallel *parallel, double share, float dt)
{
    if (!bodies->count) return true;
    size_t blocks = (size_t)couBlockCount(solid->outer_count, BLOCK);
    couArenaMark mark = couArena_Mark(solids->scratch);
    Given *given = COU_TAKE(solids->scratch, Given, blocks + 1);
    if (!given) return false;
    couBall ball = ball_around(solid);
    for (size_t b = 0; b < bodies->count; ++b) {
        couBody *body = &bodies->items[b];
        if (!body->slot.is_here) continue;
        couPose pose = body->kind == cou_rigidFixed ? body->pose : pose_between(body->start, body->end, (float)share);
        if (couIsBallFar(body, pose, ball, 0.0f)) continue;
        double friction = sqrt((double)solid->def.contact_friction * (double)body->def.contact_friction);
        TouchJob job = {solid, body, pose, couBodyCenter(body, pose), solids->dimension, dt, friction, given};
        couFor(parallel, solid->outer_count, BLOCK, touch_block, &job);
        double sum[6] = {0};
        for (size_t k = 0; k < blocks; ++k)
            for (int a = 0; a < 6; ++a) sum[a] += given[k].impulse[a];
        give(body, solids->dimension, sum);
    }
    couArena_Release(solids->scratch, mark);
    return true;
}
