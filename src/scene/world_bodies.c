// What events can do with bodies and joints: world:body(), push(), set_velocity(), set_free(), remove_body(), motor(),
// remove_joint(). Names are looked up one by one, so each call counts as work for the things that there are.
#include "scene/internal.h"

#include "base/base.h"

#include <lauxlib.h>
#include <stdio.h>

#define MAX_NAMES 256 // looked at for "did you mean"

static int no_such_thing(lua_State *lua, const char *call, const char *kind, const char *name, const char *const *names,
                         int count)
{
    const char *nearest = couSuggest(names, count, name);
    return luaL_error(lua, "world:%s: there is no %s '%s'%s%s%s", call, kind, name, nearest ? ": did you mean '" : "",
                      nearest ? nearest : "", nearest ? "'?" : "");
}

// The name of argument 2.
static const char *check_name(lua_State *lua, const char *call, const char *kind)
{
    if (lua_type(lua, 2) == LUA_TSTRING) return lua_tostring(lua, 2);
    char got[80];
    couDescribeValue(lua, 2, got, sizeof got);
    luaL_error(lua, "world:%s: expected the name of a %s, got %s", call, kind, got);
    return NULL;
}

static couBodyId check_body(lua_State *lua, const couWorld *world, const char *call)
{
    const char *name = check_name(lua, call, "body");
    couSandbox_Work(lua, couWorld_BodyCount(world) / 4);
    couBodyId body = couWorld_FindBody(world, name);
    if (body.index1) return body;
    const char *names[MAX_NAMES];
    int count = 0;
    for (int i = 0; i < couWorld_BodyCount(world) && count < MAX_NAMES; ++i) {
        couBodyId other = couWorld_BodyAt(world, i);
        if (other.index1) names[count++] = couWorld_Body(world, other)->name;
    }
    no_such_thing(lua, call, "body", name, names, count);
    return body;
}

static couJointId check_joint(lua_State *lua, const couWorld *world, const char *call)
{
    const char *name = check_name(lua, call, "joint");
    couSandbox_Work(lua, couWorld_JointCount(world) / 4);
    couJointId joint = couWorld_FindJoint(world, name);
    if (joint.index1) return joint;
    const char *names[MAX_NAMES];
    int count = 0;
    for (int i = 0; i < couWorld_JointCount(world) && count < MAX_NAMES; ++i) {
        couJointId other = couWorld_JointAt(world, i);
        if (other.index1) names[count++] = couWorld_Joint(world, other)->name;
    }
    no_such_thing(lua, call, "joint", name, names, count);
    return joint;
}

static bool is_free(const couWorld *world, couBodyId body) { return isfinite(couWorld_BodyMass(world, body)); }

static couBodyId check_free_body(lua_State *lua, const couWorld *world, const char *call)
{
    couBodyId body = check_body(lua, world, call);
    if (!is_free(world, body)) luaL_error(lua, "world:%s: the body '%s' is not free", call, lua_tostring(lua, 2));
    return body;
}

// The vector of an argument; `otherwise` when it is left out.
static couVec3 check_vector(lua_State *lua, int index, const char *call, const char *what, const couVec3 *otherwise)
{
    if (lua_isnoneornil(lua, index) && otherwise) return *otherwise;
    double v[3] = {0, 0, 0};
    lua_Unsigned count = lua_istable(lua, index) ? lua_rawlen(lua, index) : 0;
    bool is_good = count == 2 || count == 3;
    for (lua_Unsigned i = 0; is_good && i < count; ++i) {
        is_good = lua_rawgeti(lua, index, (lua_Integer)i + 1) == LUA_TNUMBER;
        v[i] = lua_tonumber(lua, -1);
        is_good = is_good && fabs(v[i]) <= 1e9; // NaN fails
        lua_pop(lua, 1);
    }
    if (is_good) return (couVec3){(float)v[0], (float)v[1], (float)v[2]};
    char got[80];
    couDescribeValue(lua, index, got, sizeof got);
    if (count > 0) snprintf(got, sizeof got, "a table with something else");
    luaL_error(lua, "world:%s: the %s must be three numbers {x, y, z} between -1e9 and 1e9, got %s", call, what, got);
    return (couVec3){0};
}

// --- Bodies ------------------------------------------------------------------------------------------------------------------

static void set_vector(lua_State *lua, const char *key, couVec3 v)
{
    const float numbers[] = {v.x, v.y, v.z};
    lua_createtable(lua, 3, 0);
    for (int i = 0; i < 3; ++i) {
        lua_pushnumber(lua, (double)numbers[i]);
        lua_rawseti(lua, -2, i + 1);
    }
    lua_setfield(lua, -2, key);
}

// {axis =, degrees =}, as `turn` is written; degrees from 0 to 180.
static void set_turn(lua_State *lua, couQuat q)
{
    if (q.w < 0.0f) q = (couQuat){-q.x, -q.y, -q.z, -q.w};
    couVec3 v = {q.x, q.y, q.z};
    float sine = couLength(v);
    lua_createtable(lua, 0, 2);
    set_vector(lua, "axis", sine > 0.0f ? couScale(1.0f / sine, v) : (couVec3){0, 0, 1});
    lua_pushnumber(lua, 2.0 * atan2((double)sine, (double)q.w) * (180.0 / COU_PI));
    lua_setfield(lua, -2, "degrees");
    lua_setfield(lua, -2, "turn");
}

// The body's pose as `at` and `turn` of its call mean it: without what the shape was moved by.
static couPose script_pose(lua_State *lua, const couScene *scene, couBodyId body)
{
    couPose pose = couWorld_BodyPose(scene->world, body);
    couSandbox_Work(lua, (int64_t)scene->record_count / 4);
    for (size_t i = 0; i < scene->record_count; ++i) {
        const couRecord *record = scene->records[i];
        if (record->kind != cou_recordBody || memcmp(&record->body, &body, sizeof body) != 0) continue;
        couQuat back = couConjugate(record->shape.pose.rotation);
        couPose inverse = {couScale(-1.0f, couRotate(back, record->shape.pose.position)), back};
        return couComposePoses(pose, inverse);
    }
    return pose;
}

int couWorldCall_Body(lua_State *lua)
{
    couScene *scene = couCheckWorld(lua, "body");
    const couWorld *world = scene->world;
    couBodyId body = check_body(lua, world, "body");
    couPose pose = script_pose(lua, scene, body);
    lua_createtable(lua, 0, 10);
    set_vector(lua, "at", pose.position);
    set_turn(lua, pose.rotation);
    set_vector(lua, "center", couWorld_BodyCenter(world, body));
    set_vector(lua, "velocity", couWorld_BodyVelocity(world, body));
    set_vector(lua, "spin", couWorld_BodySpin(world, body));
    set_vector(lua, "force", couWorld_BodyStepForce(world, body));
    set_vector(lua, "torque", couWorld_BodyStepTorque(world, body));
    lua_pushnumber(lua, (double)couWorld_BodyMass(world, body));
    lua_setfield(lua, -2, "mass");
    lua_pushboolean(lua, is_free(world, body));
    lua_setfield(lua, -2, "free");
    lua_pushboolean(lua, couWorld_IsBodyAsleep(world, body));
    lua_setfield(lua, -2, "asleep");
    return 1;
}

// world:push(name, impulse, point)
int couWorldCall_Push(lua_State *lua)
{
    couWorld *world = couCheckWorld(lua, "push")->world;
    couBodyId body = check_free_body(lua, world, "push");
    couVec3 center = couWorld_BodyCenter(world, body);
    couVec3 impulse = check_vector(lua, 3, "push", "impulse", NULL);
    couWorld_PushBody(world, body, impulse, check_vector(lua, 4, "push", "point", &center));
    return 0;
}

// world:set_velocity(name, velocity, spin)
int couWorldCall_SetVelocity(lua_State *lua)
{
    couWorld *world = couCheckWorld(lua, "set_velocity")->world;
    couBodyId body = check_free_body(lua, world, "set_velocity");
    couVec3 present = couWorld_BodySpin(world, body);
    couVec3 velocity = check_vector(lua, 3, "set_velocity", "velocity", NULL);
    couWorld_SetBodyVelocity(world, body, velocity, check_vector(lua, 4, "set_velocity", "spin", &present));
    return 0;
}

// world:set_free(name, true or false)
int couWorldCall_SetFree(lua_State *lua)
{
    couWorld *world = couCheckWorld(lua, "set_free")->world;
    couBodyId body = check_body(lua, world, "set_free");
    if (!lua_isboolean(lua, 3)) {
        char got[80];
        couDescribeValue(lua, 3, got, sizeof got);
        return luaL_error(lua, "world:set_free: expected true or false, got %s", got);
    }
    couReader reader = couReader_Begin(lua, "set_free");
    couFaults faults = {0};
    couWorld_SetBodyDynamic(world, body, lua_toboolean(lua, 3), &faults);
    couReader_Adopt(&reader, &faults, "set_free");
    return 0;
}

int couWorldCall_RemoveBody(lua_State *lua)
{
    couWorld *world = couCheckWorld(lua, "remove_body")->world;
    couWorld_RemoveBody(world, check_body(lua, world, "remove_body"));
    return 0;
}

// --- Joints ------------------------------------------------------------------------------------------------------------------

static double check_number(lua_State *lua, int index, const char *what, double least, double otherwise)
{
    if (lua_isnoneornil(lua, index) && !isnan(otherwise)) return otherwise;
    double number = lua_type(lua, index) == LUA_TNUMBER ? lua_tonumber(lua, index) : NAN;
    if (number >= least && number <= 1e12) return number;
    char got[80], message[160];
    couDescribeValue(lua, index, got, sizeof got);
    snprintf(message, sizeof message, "world:motor: the %s must be a number from %g to 1e12, got %s", what, least, got);
    return luaL_error(lua, "%s", message);
}

// world:motor(name, speed, force)
int couWorldCall_Motor(lua_State *lua)
{
    couWorld *world = couCheckWorld(lua, "motor")->world;
    couJointId joint = check_joint(lua, world, "motor");
    const couJointDef *def = couWorld_Joint(world, joint);
    if (def->kind == cou_jointBall || def->kind == cou_jointFixed) {
        return luaL_error(lua, "world:motor: the joint '%s' has no motor: only hinges, sliders and motors do", def->name);
    }
    double speed = check_number(lua, 3, "speed", -1e12, NAN);
    double force = check_number(lua, 4, "force", 0.0, (double)def->motor_force);
    couWorld_SetJointMotor(world, joint, (float)speed, (float)force);
    return 0;
}

int couWorldCall_RemoveJoint(lua_State *lua)
{
    couWorld *world = couCheckWorld(lua, "remove_joint")->world;
    couWorld_RemoveJoint(world, check_joint(lua, world, "remove_joint"));
    return 0;
}
