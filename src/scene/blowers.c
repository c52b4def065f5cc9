// blower { ... }: read like the other things of a scene, placed like an emitter; its place must be one that liquid can reach.
#include "scene/internal.h"

#include "base/base.h"

#include <lauxlib.h>
#include <stdio.h>

#define SAMPLES 12 // per axis, of its shape

// --- Reading -----------------------------------------------------------------------------------------------------------------

static void turn_to_direction(couReader *reader, couRecord *record)
{
    if (!record->has_direction || reader->fault_count > 0) return;
    if (record->has_turn)
        couReader_Fault(reader, "direction", "give either direction or turn");
    else
        record->pose.rotation = couTurnBetween((couVec3){0, 1, 0}, couNormalize(record->direction));
}

int couSceneCall_Blower(lua_State *lua)
{
    couCheckLoading(lua, "blower{}");
    couReader reader = couReader_Begin(lua, "blower");
    couRecord record = couBeginRecord(&reader, cou_recordBlower);
    record.def.blower = couDefaultBlowerDef();
    if (couReader_IsTable(&reader, 1)) {
        couReader_PlacedTable(&reader, couBlowerParams(), &record.def.blower, &record);
        couReader_Need(&reader, 1, "shape", "cylinder { radius = 0.3, height = 0.4 }");
        turn_to_direction(&reader, &record);
    }
    couKeepRecord(&reader, &record);
    return 0;
}

// --- The domain --------------------------------------------------------------------------------------------------------------

typedef struct Points {
    couVec3 items[SAMPLES * SAMPLES * SAMPLES];
    int count;
} Points;

// Places inside a shape.
static void sample(const couShape *shape, int dimension, couPose pose, Points *points)
{
    couBounds b;
    points->count = 0;
    if (!couShape_Bounds(shape, dimension, &b)) return;
    int layers = dimension == 2 ? 1 : SAMPLES;
    couVec3 size = couSub(b.upper, b.lower);
    for (int k = 0; k < layers * SAMPLES * SAMPLES; ++k) {
        float x = ((float)(k % SAMPLES) + 0.5f) / SAMPLES, y = ((float)(k / SAMPLES % SAMPLES) + 0.5f) / SAMPLES;
        float z = dimension == 2 ? 0.0f : ((float)(k / SAMPLES / SAMPLES) + 0.5f) / SAMPLES;
        couVec3 p = {b.lower.x + x * size.x, b.lower.y + y * size.y, dimension == 2 ? 0.0f : b.lower.z + z * size.z};
        if (couShape_Distance(shape, dimension, p) < 0.0f) points->items[points->count++] = couToWorld(pose, p);
    }
}

// The one body that all the points are inside of; NULL for none.
static const couBodyDef *body_around(const couWorld *world, const Points *points)
{
    int dimension = couWorld_Def(world)->dimension;
    for (int i = 0; i < couWorld_BodyCount(world); ++i) {
        couBodyId id = couWorld_BodyAt(world, i);
        couPose pose = couWorld_BodyPose(world, id);
        const couBodyDef *body = couWorld_Body(world, id);
        int inside = 0;
        while (inside < points->count &&
               couShape_Distance(body->shape, dimension, couToLocal(pose, points->items[inside])) < 0.0f)
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

static bool has_point_in(const couShape *room, int dimension, couPose pose, const Points *points)
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
static const couBodyDef *shell_without(const couScene *scene, const Points *points)
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

static void include(couBounds *all, const couShape *shape, int dimension, couPose pose)
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
static bool is_far(const couScene *scene, const couBlowerDef *def, couBounds *domain)
{
    const couWorld *world = scene->world;
    int dimension = couWorld_Def(world)->dimension;
    couBounds box, none = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}}, all = none, own = none;
    for (int i = 0; i < couWorld_BodyCount(world); ++i) {
        couBodyId id = couWorld_BodyAt(world, i);
        if (!couShape_Bounds(couWorld_Body(world, id)->shape, dimension, &box)) return false;
        include(&all, couWorld_Body(world, id)->shape, dimension, couWorld_BodyPose(world, id));
    }
    for (size_t r = 0; r < scene->record_count; ++r) {
        const couRecord *record = scene->records[r];
        if (is_source(record) && record->is_driven) return false;
        if (is_source(record)) include(&all, record->shape.shape, dimension, couComposePoses(record->pose, record->shape.pose));
    }
    include(&own, def->shape, dimension, def->pose);
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

static bool check_domain(const couScene *scene, const couRecord *record, const couBlowerDef *def, couFaults *faults)
{
    static const char key[] = "blower.at";
    Points points;
    sample(def->shape, couWorld_Def(scene->world)->dimension, def->pose, &points);
    const couBodyDef *body = body_around(scene->world, &points), *shell = body ? NULL : shell_without(scene, &points);
    couBounds domain;
    if (body) {
        couFaults_Add(faults, record->where, key, "it is outside the domain: wholly inside the body '%s'", body->name);
    } else if (shell) {
        couFaults_Add(faults, record->where, key, "it is outside the domain: all liquid is within the closed body '%s'",
                      shell->name);
    } else if (is_far(scene, def, &domain)) {
        couFaults_Add(faults, record->where, key,
                      "it is outside the domain: allowed are x from %g to %g, y from %g to %g, z from %g to %g m, all that the "
                      "scene holds and as much again on every side",
                      domain.lower.x, domain.upper.x, domain.lower.y, domain.upper.y, domain.lower.z, domain.upper.z);
    } else {
        return true;
    }
    return false;
}

void couScene_BuildBlower(couScene *scene, couRecord *record, couFaults *faults)
{
    couBlowerDef def = record->def.blower;
    def.shape = record->shape.shape;
    def.pose = couComposePoses(record->pose, record->shape.pose);
    memcpy(def.name, record->name, sizeof def.name);
    couBounds bounds;
    bool is_bounded = couShape_Bounds(def.shape, couWorld_Def(scene->world)->dimension, &bounds);
    couFaults own = {0};
    couBlowerId id = couWorld_AddBlower(scene->world, &def, &own);
    couAdoptFaults(record, &own, "blower", faults);
    if (id.index1 && is_bounded) check_domain(scene, record, &def, faults);
}
