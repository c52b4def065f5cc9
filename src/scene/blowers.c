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

// --- Building ----------------------------------------------------------------------------------------------------------------

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
    if (!id.index1 || !is_bounded) return;
    Points points;
    int dimension = couWorld_Def(scene->world)->dimension;
    couBounds none = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    sample(def.shape, dimension, def.pose, &points);
    couDomainPlace place = {points.items, points.count, 0.0f, none};
    couIncludeShape(&place.bounds, def.shape, dimension, def.pose);
    couScene_CheckDomain(scene, record, "blower.at", &place, faults);
}
