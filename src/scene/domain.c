// The domain of a scene, which nobody says: where liquid can get to. Blowers and gauges beyond it are mistakes.
#include "scene/internal.h"

#include "base/base.h"

// The one body that all the points are inside of; NULL for none.
static const couBodyDef *body_around(const couWorld *world, const couDomainPlace *points)
{
    int dimension = couWorld_Def(world)->dimension;
    for (int i = 0; i < couWorld_BodyCount(world); ++i) {
        couBodyId id = couWorld_BodyAt(world, i);
        couPose pose = couWorld_BodyPose(world, id);
        const couBodyDef *body = couWorld_Body(world, id);
        int inside = 0;
        while (inside < points->count &&
               couShape_Distance(body->shape, dimension, couToLocal(pose, points->items[inside])) < -points->depth)
            ++inside;
        if (points->count && inside == points->count && !body->is_dynamic) return body;
    }
    return NULL;
}

// The room that a closed shell holds, NULL where the body is something else.
static const couShape *room_of(const couBodyDef *body)
{
    bool is_closed = couShape_Kind(body->shape) == cou_shapeShell && !couShape_Def(body->shape)->is_open;
    return is_closed && !body->is_dynamic && !body->motion ? couShape_Def(body->shape)->children[0] : NULL;
}

static bool has_point_in(const couShape *room, int dimension, couPose pose, const couDomainPlace *points)
{
    for (int k = 0; k < points->count; ++k)
        if (couShape_Distance(room, dimension, couToLocal(pose, points->items[k])) < 0.0f) return true;
    return false;
}

static bool is_source(const couRecord *record)
{
    return (record->kind == cou_recordFluid || record->kind == cou_recordEmitter) && !record->is_bad;
}

// The closed shell that holds all liquid of the scene and nothing of the blower.
static const couBodyDef *shell_without(const couScene *scene, const couDomainPlace *points)
{
    const couWorld *world = scene->world;
    int dimension = couWorld_Def(world)->dimension;
    for (int i = 0; i < couWorld_BodyCount(world); ++i) {
        couBodyId id = couWorld_BodyAt(world, i);
        couPose pose = couWorld_BodyPose(world, id);
        const couShape *room = room_of(couWorld_Body(world, id));
        if (!room || has_point_in(room, dimension, pose, points)) continue;
        bool has_all = true;
        for (size_t r = 0; r < scene->record_count && has_all; ++r) {
            const couRecord *record = scene->records[r];
            couPose own = couComposePoses(record->pose, record->shape.pose);
            couBounds box;
            if (!is_source(record) || !couShape_Bounds(record->shape.shape, dimension, &box)) continue;
            couVec3 middle = couToWorld(own, couScale(0.5f, couAdd(box.lower, box.upper)));
            has_all = !record->is_driven && couShape_Distance(room, dimension, couToLocal(pose, middle)) < 0.0f;
        }
        if (has_all) return couWorld_Body(world, id);
    }
    return NULL;
}

void couIncludeShape(couBounds *all, const couShape *shape, int dimension, couPose pose)
{
    couBounds box;
    if (!couShape_Bounds(shape, dimension, &box)) return;
    for (int k = 0; k < 8; ++k) {
        couVec3 corner = {k & 1 ? box.upper.x : box.lower.x, k & 2 ? box.upper.y : box.lower.y,
                          k & 4 ? box.upper.z : box.lower.z};
        couVec3 p = couToWorld(pose, corner);
        all->lower = (couVec3){fminf(all->lower.x, p.x), fminf(all->lower.y, p.y), fminf(all->lower.z, p.z)};
        all->upper = (couVec3){fmaxf(all->upper.x, p.x), fmaxf(all->upper.y, p.y), fmaxf(all->upper.z, p.z)};
    }
}

// Far from all that the scene holds, where no floor leads: more than its size away from it.
static bool is_far(const couScene *scene, couBounds own, couBounds *domain)
{
    const couWorld *world = scene->world;
    int dimension = couWorld_Def(world)->dimension;
    couBounds box, none = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}}, all = none;
    for (int i = 0; i < couWorld_BodyCount(world); ++i) {
        couBodyId id = couWorld_BodyAt(world, i);
        if (!couShape_Bounds(couWorld_Body(world, id)->shape, dimension, &box)) return false;
        couIncludeShape(&all, couWorld_Body(world, id)->shape, dimension, couWorld_BodyPose(world, id));
    }
    for (size_t r = 0; r < scene->record_count; ++r) {
        const couRecord *record = scene->records[r];
        if (is_source(record) && record->is_driven) return false;
        if (is_source(record))
            couIncludeShape(&all, record->shape.shape, dimension, couComposePoses(record->pose, record->shape.pose));
    }
    if (!(all.upper.x >= all.lower.x)) return false; // nothing to be far from
    couVec3 size = couSub(all.upper, all.lower);
    float reach = fmaxf(size.x, fmaxf(size.y, dimension == 2 ? 0.0f : size.z));
    const float *a = &all.lower.x, *b = &all.upper.x, *c = &own.lower.x, *d = &own.upper.x;
    bool is_apart = false;
    for (int k = 0; k < dimension; ++k) is_apart = is_apart || c[k] > b[k] + reach || d[k] < a[k] - reach;
    couVec3 margin = {reach, reach, reach};
    *domain = (couBounds){couSub(all.lower, margin), couAdd(all.upper, margin)};
    return is_apart;
}

bool couScene_CheckDomain(const couScene *scene, const couRecord *record, const char *key, const couDomainPlace *place,
                          couFaults *faults)
{
    const couBodyDef *body = body_around(scene->world, place), *shell = body ? NULL : shell_without(scene, place);
    couBounds domain;
    if (body) {
        couFaults_Add(faults, record->where, key, "it is outside the domain: wholly inside the body '%s'", body->name);
    } else if (shell) {
        couFaults_Add(faults, record->where, key, "it is outside the domain: all liquid is within the closed body '%s'",
                      shell->name);
    } else if (is_far(scene, place->bounds, &domain)) {
        couFaults_Add(faults, record->where, key,
                      "it is outside the domain: allowed are x from %g to %g, y from %g to %g, z from %g to %g m, all that the "
                      "scene holds and as much again on every side",
                      domain.lower.x, domain.upper.x, domain.lower.y, domain.upper.y, domain.lower.z, domain.upper.z);
    } else {
        return true;
    }
    return false;
}
