// Patches of bodies. There are few, and only bodies that have some are looked at.

#include "rigid/patches.h"

int couBodies_AddPatch(couBodies *bodies, const couBody *body, couShape *shape, couPose pose, float edge)
{
    size_t place = 0;
    while (place < bodies->patches.count && bodies->patches.items[place].shape) ++place;
    if (place == bodies->patches.count && !COU_RESERVE(bodies->memory, &bodies->patches, place + 1)) return -1;
    couQuat back = couConjugate(body->pose.rotation);
    couPose inverse = {couScale(-1.0f, couRotate(back, body->pose.position)), back};
    bodies->patches.items[place] = (couPatch){
        .shape = couShape_Retain(shape), .body = (size_t)(body - bodies->items), .pose = couCompose(inverse, pose), .edge = edge};
    bodies->patches.count = COU_MAX(bodies->patches.count, place + 1);
    return (int)place;
}

void couBodies_RemovePatch(couBodies *bodies, int patch)
{
    couShape_Release(bodies->patches.items[patch].shape);
    bodies->patches.items[patch].shape = NULL;
}

void couFreePatches(couBodies *bodies)
{
    for (size_t p = 0; p < bodies->patches.count; ++p) couShape_Release(bodies->patches.items[p].shape);
    COU_FREE_ARRAY(bodies->memory, &bodies->patches);
}

void couAddToPatches(const couBodies *bodies, couImpulseSum *sums, size_t body, couVec3 at, const double impulse[6])
{
    for (size_t p = 0; p < bodies->patches.count; ++p) {
        const couPatch *patch = &bodies->patches.items[p];
        if (!patch->shape || patch->body != body) continue;
        couVec3 local = couToLocal(patch->pose, couToLocal(bodies->items[body].start, at));
        float share = 0.5f - couShape_Distance(patch->shape, bodies->dimension, local) / patch->edge;
        if (!(share > 0.0f)) continue;
        double *sum = sums[bodies->count + p], part = COU_MIN(share, 1.0f);
        for (int a = 0; a < 6; ++a) sum[a] += part * impulse[a];
    }
}
