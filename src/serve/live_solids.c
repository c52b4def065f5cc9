// A deformable solid in the hand: a damped spring to the cursor pulls the patch of points around the one that was grabbed.
//
// The spring's force lasts for a tick, as a push of the solid's points does; an impulse, as bodies get, would tear the patch off.
// It is damped by the motion of the whole, since that of a light patch changes many times in a tick.
#include "serve/live_parts.h"

#include "base/base.h"
#include "world/world.h"

#include <stdio.h>

#define PATCH_SHARE 0.25 // radius of the patch, of the solid's diagonal
#define MOST_STRAIN 0.3  // of what is under the hand
#define MOST_PULL 500.0  // [m/s^2]

static couSolid *held_solid(couLive *live)
{
    return live->hands.is_dragging_solid ? couSolids_Find(&live->world->solids, live->hands.solid) : NULL;
}

void couLive_DropSolid(couLive *live)
{
    couHands *hands = &live->hands;
    couSolid *solid = held_solid(live);
    for (int i = 0; solid && i < hands->patch_count; ++i) solid->push[hands->patch[i]] = hands->pushes[i];
    hands->is_dragging_solid = false;
    hands->patch_count = 0;
}

static double extent(const couSolid *solid)
{
    couDouble3 lower = solid->position[0], upper = lower;
    for (size_t i = 1; i < solid->def.mesh->point_count; ++i) {
        couDouble3 p = solid->position[i];
        lower = (couDouble3){COU_MIN(lower.x, p.x), COU_MIN(lower.y, p.y), COU_MIN(lower.z, p.z)};
        upper = (couDouble3){COU_MAX(upper.x, p.x), COU_MAX(upper.y, p.y), COU_MAX(upper.z, p.z)};
    }
    return couLength3(couSub3(upper, lower));
}

static void take_patch(couHands *hands, const couSolid *solid, uint32_t point)
{
    double radius = PATCH_SHARE * extent(solid);
    hands->patch[0] = point;
    hands->patch_count = 1;
    for (uint32_t i = 0; i < solid->def.mesh->point_count && hands->patch_count < cou_maxPatch; ++i) {
        double away = couLength3(couSub3(solid->position[i], solid->position[point]));
        if (i != point && away < radius && !solid->hold[i]) hands->patch[hands->patch_count++] = i;
    }
    for (int i = 0; i < hands->patch_count; ++i) hands->pushes[i] = solid->push[hands->patch[i]];
    hands->patch_radius = (float)radius;
}

bool couLive_DragSolid(couLive *live, couByteReader *reader, char *text, size_t size)
{
    unsigned is_on = couByteReader_U8(reader), index = couByteReader_U16(reader), generation = couByteReader_U16(reader);
    uint32_t point = couByteReader_U32(reader);
    couVec3 target = couByteReader_Vec3(reader);
    if (!couByteReader_IsDone(reader)) return false;
    couHands *hands = &live->hands;
    couSolidId id = {(uint16_t)index, (uint16_t)generation};
    if (!is_on) {
        couLive_DropSolid(live);
        return true;
    }
    const couSolid *solid = index ? couSolids_Find(&live->world->solids, id) : NULL;
    if (!solid || point >= solid->def.mesh->point_count) {
        snprintf(text, size, "there is no such point of a solid");
        return false;
    }
    bool is_same = hands->is_dragging_solid && hands->solid.index1 == id.index1 && hands->solid.generation == id.generation &&
                   hands->patch[0] == point;
    if (!is_same) {
        couLive_DropSolid(live);
        if (solid->hold[point]) {
            snprintf(text, size, "the scene holds '%s' here", solid->def.name);
            return false;
        }
        couLive_RememberState(live);
        take_patch(hands, solid, point);
        hands->is_dragging_solid = true;
        hands->solid = id;
    }
    hands->target = target;
    if (couWorld_Def(live->world)->dimension == 2) hands->target.z = 0.0f;
    return true;
}

// The mass, and its mean velocity; true when nothing holds the solid, so that its weight hangs on the hand.
static bool survey(const couSolid *solid, double *mass, couDouble3 *velocity)
{
    bool is_free = true;
    couDouble3 momentum = {0};
    *mass = 0;
    for (size_t i = 0; i < solid->def.mesh->point_count; ++i) {
        *mass += solid->masses[i];
        momentum = couMulAdd3(momentum, solid->masses[i], solid->velocity[i]);
        is_free = is_free && !solid->hold[i];
    }
    *velocity = couScale3(1.0 / *mass, momentum);
    return is_free;
}

void couLive_PullSolid(couLive *live, double seconds)
{
    couHands *hands = &live->hands;
    couSolid *solid = held_solid(live);
    if (!solid) {
        hands->is_dragging_solid = false;
        return;
    }
    double mass, omega = COU_MIN(12.0, 0.4 / seconds), radius = (double)hands->patch_radius, patch_mass = 0;
    couDouble3 velocity;
    bool is_free = survey(solid, &mass, &velocity);
    couDouble3 way = couSub3(couWiden(hands->target), solid->position[hands->patch[0]]);
    couDouble3 force = couScale3(mass, couSub3(couScale3(omega * omega, way), couScale3(2.0 * omega, velocity)));
    if (is_free) force = couMulAdd3(force, -mass, couWiden(live->world->solids.gravity));
    // No harder than the matter under the hand bears, in 2D of a metre's depth.
    double area = couWorld_Def(live->world)->dimension == 2 ? 2.0 * radius : 3.14159 * radius * radius;
    double most = COU_MIN(MOST_STRAIN * (double)solid->def.young * area, MOST_PULL * mass), length = couLength3(force);
    if (length > most) force = couScale3(most / length, force);
    for (int i = 0; i < hands->patch_count; ++i) patch_mass += solid->masses[hands->patch[i]];
    for (int i = 0; i < hands->patch_count; ++i) {
        uint32_t p = hands->patch[i];
        solid->push[p] = couMulAdd3(hands->pushes[i], solid->masses[p] / patch_mass, force);
    }
}
