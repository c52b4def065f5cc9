// Bodies as walls: between two frames they are moved back from the second along their velocity and spin, which is exact for
// bodies that keep them.
#include "app/foam_walls.h"
#include "base/base.h"

#include <stdlib.h>

bool couFindFoamWalls(const couCast *cast, const couBodyTable *table, int frame, double seconds, couFoamWalls *walls)
{
    size_t rows = 0;
    const couBodyRow *row = couBodyTable_Frame(table, frame, &rows);
    *walls = (couFoamWalls){.items = calloc(rows + 1, sizeof *walls->items), .seconds = seconds};
    for (size_t k = 0; walls->items && k < rows; ++k, ++row)
        for (int i = 0; i < cast->count; ++i) {
            const struct couCastMember *member = &cast->members[i];
            if (member->is_still || strcmp(member->name, row->name) != 0) continue;
            walls->items[walls->count++] = (couFoamWall){member->shape, row->pose, row->velocity, row->spin};
            break;
        }
    return walls->items;
}

static couPose pose_before(const couFoamWall *wall, float seconds)
{
    if (couDot(wall->velocity, wall->velocity) + couDot(wall->spin, wall->spin) == 0.0f) return wall->pose;
    float rate = couLength(wall->spin), half = -0.5f * rate * seconds;
    couVec3 axis = couScale(rate > 0.0f ? sinf(half) / rate : 0.0f, wall->spin);
    couQuat turn = {axis.x, axis.y, axis.z, cosf(half)};
    return (couPose){couMulAdd(wall->pose.position, -seconds, wall->velocity), couMulQuat(turn, wall->pose.rotation)};
}

float couFoamWalls_Distance(const void *context, couVec3 place, float share, couVec3 *normal, couVec3 *velocity)
{
    const couFoamWalls *walls = context;
    float nearest = INFINITY;
    *normal = *velocity = (couVec3){0, 0, 0};
    for (int i = 0; i < walls->count; ++i) {
        const couFoamWall *wall = &walls->items[i];
        couPose pose = pose_before(wall, (1.0f - share) * (float)walls->seconds);
        couVec3 n;
        float distance = couShape_DistanceNormal(wall->shape, 3, couToLocal(pose, place), &n);
        if (!(distance < nearest)) continue;
        nearest = distance;
        *normal = couRotate(pose.rotation, n);
        *velocity = couAdd(wall->velocity, couCross(wall->spin, couSub(place, pose.position)));
    }
    return nearest;
}
