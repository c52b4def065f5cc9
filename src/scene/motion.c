// Where driven bodies and emitters are: by a Lua function of time, or by a list of keyframes, both read as {at =, turn =} (and
// `direction` for emitters). A pose here is the one of the call, as `at` and `turn` of body{} are; the shape's own pose is
// added after interpolation, so that a shape that stands off its origin swings about it.
//
// Keyframes live in a Lua userdata held by the registry: they count as the script's memory and go with its state.
#include "scene/internal.h"

#include "base/base.h"

#include <lauxlib.h>
#include <stdio.h>

#define MAX_KEYFRAMES 100000

/// A pose being read, from a function's result or a keyframe.
typedef struct couMotionPose {
    couPose pose;
    couVec3 direction;
    bool has_turn, has_direction;
    double time; // of a keyframe [s]; NaN until given
} couMotionPose;

static void read_at(couReader *reader, const char *key, void *target)
{
    couReader_Vector(reader, key, &((couMotionPose *)target)->pose.position);
}

static void read_turn(couReader *reader, const char *key, void *target)
{
    couMotionPose *pose = target;
    pose->has_turn = couReader_Turn(reader, key, &pose->pose.rotation);
}

static void read_direction(couReader *reader, const char *key, void *target)
{
    couMotionPose *pose = target;
    pose->has_direction = couReader_Vector(reader, key, &pose->direction);
}

static void read_time(couReader *reader, const char *key, void *target)
{
    double time = lua_type(reader->lua, -1) == LUA_TNUMBER ? lua_tonumber(reader->lua, -1) : NAN;
    if (fabs(time) <= 1e9) {
        ((couMotionPose *)target)->time = time;
        return;
    }
    char got[80];
    couDescribeValue(reader->lua, -1, got, sizeof got);
    couReader_Fault(reader, key, "expected a number of seconds between -1e9 and 1e9, got %s", got);
}

couQuat couJetTurn(const couShapeRef *shape, couVec3 direction)
{
    couVec3 axis = couShape_Kind(shape->shape) == cou_shapePolygon ? (couVec3){0, 0, 1} : (couVec3){0, 1, 0};
    return couTurnBetween(couRotate(shape->pose.rotation, axis), couNormalize(direction));
}

static void turn_to_direction(couReader *reader, const couRecord *record, couMotionPose *pose)
{
    if (!pose->has_direction || reader->fault_count > 0 || !record->shape.shape) return;
    if (pose->has_turn || !(couLength(pose->direction) > 0)) {
        couReader_Fault(reader, "direction", pose->has_turn ? "give either direction or turn" : "the direction has no length");
        return;
    }
    pose->pose.rotation = couJetTurn(&record->shape, pose->direction);
}

// Reads the table on top of the stack over what `pose` holds already. Only keyframes have a time, only emitters a direction.
static void read_pose(couReader *reader, const couRecord *record, bool is_keyframe, couMotionPose *pose)
{
    static const couExtraKey keys[] = {{"time", read_time}, {"at", read_at}, {"turn", read_turn}, {"direction", read_direction}};
    const couExtraKey *first = is_keyframe ? keys : keys + 1;
    int count = (is_keyframe ? 3 : 2) + (record->kind == cou_recordEmitter);
    couReader_Table(reader, -1, NULL, NULL, first, count, pose, 0, NULL);
    turn_to_direction(reader, record, pose);
}

// --- Functions ---------------------------------------------------------------------------------------------------------------

typedef struct couMotionCall {
    const couRecord *record;
    double time;
    couPose pose;
} couMotionCall;

static int call_motion(lua_State *lua)
{
    couMotionCall *call = lua_touserdata(lua, 1);
    const couRecord *record = call->record;
    lua_rawgeti(lua, LUA_REGISTRYINDEX, record->function);
    lua_pushnumber(lua, call->time);
    lua_call(lua, 1, 1);
    couReader reader = couReader_Begin(lua, "motion");
    memcpy(reader.where, record->where, sizeof reader.where);
    if (!lua_istable(lua, -1)) {
        char got[80];
        couDescribeValue(lua, -1, got, sizeof got);
        couReader_Fault(&reader, NULL, "at t = %g s: expected a table {at = {x, y, z}, turn = {...}}, got %s", call->time, got);
        return 0;
    }
    couMotionPose pose = {.pose = record->pose};
    read_pose(&reader, record, false, &pose);
    call->pose = pose.pose;
    return 0;
}

bool couRecord_ReadMotion(couRecord *record, double time, couPose *pose)
{
    couMotionCall call = {.record = record, .time = time, .pose = record->pose};
    if (record->keyframe_count > 0) {
        call.pose = couInterpolateKeyframes(record->keyframes, record->keyframe_count, time);
    } else if (!couRecord_RunProtected(record, call_motion, &call, true)) {
        return false;
    }
    *pose = couComposePoses(call.pose, record->shape.pose);
    return true;
}

couPose couScene_Motion(void *context, double time)
{
    couRecord *record = context;
    couPose pose = couComposePoses(record->pose, record->shape.pose);
    if (!record->scene->runtime_error[0]) couRecord_ReadMotion(record, time, &pose);
    return pose;
}

// --- Keyframes ---------------------------------------------------------------------------------------------------------------

// One keyframe, on top of the stack. What it leaves out stays as in the one before.
static bool read_keyframe(couReader *reader, const couRecord *record, const couKeyframe *before, couKeyframe *keyframe)
{
    if (!lua_istable(reader->lua, -1)) {
        char got[80];
        couDescribeValue(reader->lua, -1, got, sizeof got);
        couReader_Fault(reader, NULL, "expected a keyframe {time = 0, at = {x, y, z}}, got %s", got);
        return false;
    }
    couMotionPose pose = {.pose = before ? before->pose : record->pose, .time = NAN};
    int faults = reader->fault_count;
    read_pose(reader, record, true, &pose);
    if (reader->fault_count > faults) return false;
    if (isnan(pose.time)) {
        couReader_Fault(reader, "time", "is missing: give for example time = 0.5");
        return false;
    }
    if (before && !(pose.time > before->time)) {
        couReader_Fault(reader, "time", "%g s is not after the keyframe before, %g s", pose.time, before->time);
        return false;
    }
    *keyframe = (couKeyframe){pose.time, pose.pose};
    return true;
}

// The list on top of the stack.
static void read_keyframes(couReader *reader, couRecord *record)
{
    lua_State *lua = reader->lua;
    int list = lua_gettop(lua);
    lua_Unsigned count = lua_rawlen(lua, list);
    if (count == 0 || count > MAX_KEYFRAMES) {
        couReader_Fault(reader, "motion", "%u keyframes: must be 1 to %d, like {{time = 0, at = {0, 0, 0}}, {time = 1, ...}}",
                        (unsigned)count, MAX_KEYFRAMES);
        return;
    }
    char path[48];
    couReader inner = *reader;
    inner.call = path;
    snprintf(path, sizeof path, "%s.motion", reader->call);
    couReader_Table(&inner, list, NULL, NULL, NULL, 0, NULL, (int)count, NULL); // a list holds nothing but its entries
    couKeyframe *keyframes = lua_newuserdatauv(lua, (size_t)count * sizeof *keyframes, 0);
    luaL_ref(lua, LUA_REGISTRYINDEX);
    for (lua_Unsigned i = 0; i < count && inner.fault_count == reader->fault_count; ++i) {
        snprintf(path, sizeof path, "%s.motion[%u]", reader->call, (unsigned)i + 1);
        lua_rawgeti(lua, list, (lua_Integer)i + 1);
        read_keyframe(&inner, record, i > 0 ? &keyframes[i - 1] : NULL, &keyframes[i]);
        lua_pop(lua, 1);
        couSandbox_Work(lua, 20);
    }
    reader->fault_count = inner.fault_count;
    record->keyframes = keyframes;
    record->keyframe_count = (int)count;
}

void couReader_Motion(couReader *reader, int index, couRecord *record)
{
    lua_State *lua = reader->lua;
    lua_pushliteral(lua, "motion");
    lua_rawget(lua, index);
    if (lua_isfunction(lua, -1)) {
        record->function = luaL_ref(lua, LUA_REGISTRYINDEX);
        record->is_driven = true;
        return;
    }
    if (lua_istable(lua, -1)) {
        read_keyframes(reader, record);
        record->is_driven = true;
    } else if (!lua_isnil(lua, -1)) {
        char got[80];
        couDescribeValue(lua, -1, got, sizeof got);
        couReader_Fault(reader, "motion", "expected a function of time or a list of keyframes, got %s", got);
        record->is_driven = true; // no faults that follow from this one
    }
    lua_pop(lua, 1);
}
