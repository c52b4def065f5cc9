// Lua functions that the world calls: fields, events and velocities of fluids (motions: motion.c); and the `world` that events
// see.
//
// Every call is protected and limited. The first error is kept for couScene_RuntimeError(); from then on the callbacks do
// nothing, and the run must stop. Faults of calls like world:pour{} are errors too.
#include "scene/internal.h"

#include "base/base.h"

#include <lauxlib.h>
#include <stdio.h>

// They mean "never ends". The instructions are the same on every machine: the most that a scene of the gallery runs is 96
// million. The time is for what instructions do not see, and must not stop a scene where a machine is slow, busy or under
// sanitizers.
static const couLimits load_limits = {500000000, 60.0}, callback_limits = {100000000, 20.0};

static couLimits settle(const couScene *scene, couLimits usual)
{
    if (scene->max_instructions > 0) usual.instructions = scene->max_instructions;
    return usual;
}

couLimits couScene_LoadLimits(const couScene *scene) { return settle(scene, load_limits); }
couLimits couScene_CallbackLimits(const couScene *scene) { return settle(scene, callback_limits); }

static void keep_runtime_error(couScene *scene, const char *where, const char *key, const char *message)
{
    if (scene->runtime_error[0]) return;
    snprintf(scene->runtime_error, sizeof scene->runtime_error, "%s%s%s%s%s", where, where[0] ? ": " : "", key,
             key[0] ? ": " : "", message);
}

bool couRecord_RunProtected(couRecord *record, lua_CFunction function, void *context, bool is_pure)
{
    couScene *scene = record->scene;
    couSandbox *sandbox = &scene->sandbox;
    if (!lua_checkstack(sandbox->lua, 16)) {
        keep_runtime_error(scene, record->where, "", "too many nested calls");
        return false;
    }
    bool was_pure = sandbox->is_pure;
    sandbox->is_pure = is_pure;
    int before = scene->faults->count;
    lua_pushcfunction(sandbox->lua, function);
    lua_pushlightuserdata(sandbox->lua, context);
    bool is_good = couSandbox_Call(sandbox, 1, 0, couScene_CallbackLimits(scene));
    sandbox->is_pure = was_pure;

    const char *where = sandbox->error.where[0] ? sandbox->error.where : record->where;
    if (!is_good && scene->is_loading) couFaults_Add(scene->faults, where, NULL, "%s", sandbox->error.message);
    if (!is_good && !scene->is_loading) keep_runtime_error(scene, where, "", sandbox->error.message);
    if (scene->is_loading) return is_good && scene->faults->count == before;
    if (scene->faults->count > 0) {
        const couFault *fault = &scene->faults->items[0];
        keep_runtime_error(scene, fault->where, fault->key, fault->message);
        couFaults_Clear(scene->faults);
        is_good = false;
    }
    return is_good;
}

// --- Fields ------------------------------------------------------------------------------------------------------------------

typedef struct couFieldCall {
    couRecord *record;
    double arguments[7]; // x, y, z, vx, vy, vz, t
    couVec3 acceleration;
} couFieldCall;

static int call_field(lua_State *lua)
{
    couFieldCall *call = lua_touserdata(lua, 1);
    lua_rawgeti(lua, LUA_REGISTRYINDEX, call->record->function);
    for (int i = 0; i < 7; ++i) lua_pushnumber(lua, call->arguments[i]);
    lua_call(lua, 7, 3);
    double a[3];
    for (int i = 0; i < 3; ++i) {
        bool is_number = lua_type(lua, i - 3) == LUA_TNUMBER;
        a[i] = is_number ? lua_tonumber(lua, i - 3) : 0.0;
        bool is_good = (is_number || (i > 0 && lua_isnil(lua, i - 3))) && fabs(a[i]) <= 1e12; // y and z may be left out
        if (is_good) continue;
        char got[80];
        couDescribeValue(lua, i - 3, got, sizeof got);
        char message[320];
        snprintf(message, sizeof message,
                 "field.acceleration: result %d is %s, at x = %g, y = %g, z = %g, t = %g s; it must be a number "
                 "between -1e12 and 1e12",
                 i + 1, got, call->arguments[0], call->arguments[1], call->arguments[2], call->arguments[6]);
        return luaL_error(lua, "%s", message);
    }
    call->acceleration = (couVec3){(float)a[0], (float)a[1], (float)a[2]};
    return 0;
}

couVec3 couScene_Field(void *context, couVec3 position, couVec3 velocity, double time)
{
    couFieldCall call = {.record = context,
                         .arguments = {position.x, position.y, position.z, velocity.x, velocity.y, velocity.z, time}};
    if (!call.record->scene->runtime_error[0]) couRecord_RunProtected(call.record, call_field, &call, true);
    return call.acceleration;
}

// --- Velocities of fluids ----------------------------------------------------------------------------------------------------

typedef struct couVelocityCall {
    const couRecord *record;
    couVec3 position, velocity;
} couVelocityCall;

static int call_velocity(lua_State *lua)
{
    couVelocityCall *call = lua_touserdata(lua, 1);
    const float x[3] = {call->position.x, call->position.y, call->position.z};
    lua_rawgeti(lua, LUA_REGISTRYINDEX, call->record->function);
    for (int a = 0; a < 3; ++a) lua_pushnumber(lua, (double)x[a]);
    lua_call(lua, 3, 1);
    double v[3] = {0, 0, 0}, most = couParams_Find(couFluidParams(), "velocity")->max;
    int count = lua_istable(lua, -1) ? couReadNumbers(lua, v) : -1;
    bool is_good = count >= 2; // z may be left out
    for (int a = 0; a < 3; ++a) is_good = is_good && fabs(v[a]) <= most;
    call->velocity = (couVec3){(float)v[0], (float)v[1], (float)v[2]};
    if (is_good) return 0;
    couReader reader = couReader_Begin(lua, "fluid");
    memcpy(reader.where, call->record->where, sizeof reader.where);
    char got[100];
    if (count < 2)
        couDescribeValue(lua, -1, got, sizeof got);
    else
        snprintf(got, sizeof got, "{%g, %g, %g}", v[0], v[1], v[2]);
    couReader_Fault(&reader, "velocity", "at x = %g, y = %g, z = %g: expected {vx, vy, vz}, numbers from -%g to %g, got %s",
                    (double)x[0], (double)x[1], (double)x[2], most, most, got);
    return 0;
}

couVec3 couScene_Velocity(void *context, couVec3 position)
{
    couRecord *record = context;
    couVelocityCall call = {.record = record, .position = position};
    // Random numbers are welcome while the scene loads. Later the world is not to be changed while it is filled.
    bool is_pure = !record->scene->is_loading;
    if (!record->is_bad && !couRecord_RunProtected(record, call_velocity, &call, is_pure)) record->is_bad = true;
    return record->is_bad ? (couVec3){0, 0, 0} : call.velocity;
}

// --- Events ------------------------------------------------------------------------------------------------------------------

static int call_event(lua_State *lua)
{
    const couRecord *record = lua_touserdata(lua, 1);
    lua_rawgeti(lua, LUA_REGISTRYINDEX, record->function);
    lua_rawgeti(lua, LUA_REGISTRYINDEX, record->scene->world_object);
    lua_call(lua, 1, 0);
    return 0;
}

void couScene_Event(void *context, couWorld *world, double time)
{
    (void)world, (void)time;
    couRecord *record = context;
    if (!record->scene->runtime_error[0]) couRecord_RunProtected(record, call_event, record, false);
}

// --- The world that events see -----------------------------------------------------------------------------------------------

couScene *couCheckWorld(lua_State *lua, const char *call)
{
    couScene *scene = couScene_Of(lua);
    if (!luaL_testudata(lua, 1, "world")) luaL_error(lua, "call it as world:%s(...), with a colon", call);
    if (!scene->world || scene->is_loading || couSandbox_Of(lua)->is_pure) {
        luaL_error(lua, "world:%s can only be used in events: at(), every()", call);
    }
    return scene;
}

couMaterialId couCheckMaterialArgument(lua_State *lua, int index, const char *call)
{
    couScene *scene = couScene_Of(lua);
    couReader reader = couReader_Begin(lua, call);
    bool is_faulty;
    lua_pushvalue(lua, index);
    int place = couReader_Material(&reader, "material", &is_faulty);
    lua_pop(lua, 1);
    return place >= 0 ? scene->materials[place].id : (couMaterialId){0, 0};
}

static int world_stop_emitters(lua_State *lua)
{
    couWorld_StopEmitters(couCheckWorld(lua, "stop_emitters")->world);
    return 0;
}

static int world_emitter(lua_State *lua)
{
    couWorld *world = couCheckWorld(lua, "emitter")->world;
    const char *name = luaL_checkstring(lua, 2);
    luaL_checktype(lua, 3, LUA_TBOOLEAN);
    const char *names[64];
    int name_count = 0;
    for (int i = 0; i < couWorld_EmitterCount(world); ++i) {
        couEmitterId id = couWorld_EmitterAt(world, i);
        const couEmitterDef *def = couWorld_Emitter(world, id);
        if (!def) continue;
        if (strcmp(def->name, name) == 0) {
            couWorld_SetEmitterOn(world, id, lua_toboolean(lua, 3));
            return 0;
        }
        if (name_count < COU_COUNT(names)) names[name_count++] = def->name;
    }
    const char *nearest = couSuggest(names, name_count, name);
    return luaL_error(lua, "world:emitter: there is no emitter '%s'%s%s%s", name, nearest ? ": did you mean '" : "",
                      nearest ? nearest : "", nearest ? "'?" : "");
}

static int world_add_springs(lua_State *lua)
{
    couWorld *world = couCheckWorld(lua, "add_springs")->world;
    couMaterialId material = couCheckMaterialArgument(lua, 2, "add_springs");
    if (material.index1) couWorld_AddSprings(world, material);
    return 0;
}

static int world_delete_springs(lua_State *lua)
{
    couWorld *world = couCheckWorld(lua, "delete_springs")->world;
    couMaterialId material = couCheckMaterialArgument(lua, 2, "delete_springs");
    if (material.index1) couWorld_DeleteSprings(world, material);
    return 0;
}

static int world_pour(lua_State *lua)
{
    couScene *scene = couCheckWorld(lua, "pour");
    couReader reader = couReader_Begin(lua, "pour");
    couRecord record;
    couReader_Fluid(&reader, 2, &record);
    couFaults faults = {0};
    if (reader.fault_count == 0 && !record.is_bad) couScene_AddFluid(scene, &record, &faults);
    couReader_Adopt(&reader, &faults, "pour");
    luaL_unref(lua, LUA_REGISTRYINDEX, record.function);
    return 0;
}

static int world_particle_count(lua_State *lua)
{
    couScene *scene = couCheckWorld(lua, "particle_count");
    lua_pushinteger(lua, (lua_Integer)couWorld_Particles(scene->world).count);
    return 1;
}

// world:gravity{x, y, z} changes it; world:gravity() says what it is.
static int world_gravity(lua_State *lua)
{
    couScene *scene = couCheckWorld(lua, "gravity");
    if (!lua_isnoneornil(lua, 2)) {
        couReader reader = couReader_Begin(lua, "gravity");
        couVec3 gravity;
        lua_settop(lua, 2);
        if (!couReader_Vector(&reader, "gravity", &gravity)) return 0;
        couFaults faults = {0};
        couWorld_SetGravity(scene->world, gravity, (couGravityOn)couWorld_Def(scene->world)->gravity_on, &faults);
        couReader_Adopt(&reader, &faults, "gravity");
    }
    couVec3 now = couWorld_Gravity(scene->world);
    const float numbers[] = {now.x, now.y, now.z};
    lua_createtable(lua, 3, 0);
    for (int i = 0; i < 3; ++i) {
        lua_pushnumber(lua, (double)numbers[i]);
        lua_rawseti(lua, -2, i + 1);
    }
    return 1;
}

static int world_log(lua_State *lua)
{
    couCheckWorld(lua, "log");
    luaL_checkany(lua, 2);
    couSandbox_Print(lua, couSandbox_PushText(lua, 2));
    return 0;
}

static const luaL_Reg world_methods[] = {{"stop_emitters", world_stop_emitters},
                                         {"emitter", world_emitter},
                                         {"add_springs", world_add_springs},
                                         {"delete_springs", world_delete_springs},
                                         {"set", couWorldCall_Set},
                                         {"pour", world_pour},
                                         {"particle_count", world_particle_count},
                                         {"gravity", world_gravity},
                                         {"log", world_log},
                                         {"body", couWorldCall_Body},
                                         {"push", couWorldCall_Push},
                                         {"set_velocity", couWorldCall_SetVelocity},
                                         {"set_free", couWorldCall_SetFree},
                                         {"remove_body", couWorldCall_RemoveBody},
                                         {"motor", couWorldCall_Motor},
                                         {"remove_joint", couWorldCall_RemoveJoint},
                                         {"gauge", couWorldCall_Gauge},
                                         {"record", couWorldCall_Record},
                                         {"remove_gauge", couWorldCall_RemoveGauge}};

static int world_index(lua_State *lua)
{
    couScene *scene = couScene_Of(lua);
    const char *key = luaL_checkstring(lua, 2);
    if (strcmp(key, "time") == 0) {
        lua_pushnumber(lua, scene->world ? couWorld_Time(scene->world) : 0.0);
        return 1;
    }
    if (strcmp(key, "store") == 0) {
        lua_rawgeti(lua, LUA_REGISTRYINDEX, scene->store);
        return 1;
    }
    const char *names[COU_COUNT(world_methods) + 2] = {"time", "store"};
    for (int i = 0; i < COU_COUNT(world_methods); ++i) {
        names[i + 2] = world_methods[i].name;
        if (strcmp(key, world_methods[i].name) != 0) continue;
        lua_pushcfunction(lua, world_methods[i].func);
        return 1;
    }
    const char *nearest = couSuggest(names, COU_COUNT(names), key);
    return luaL_error(lua, "unknown name 'world.%s'%s%s%s", key, nearest ? ": did you mean 'world." : "", nearest ? nearest : "",
                      nearest ? "'?" : "");
}

static int world_newindex(lua_State *lua)
{
    couScene *scene = couScene_Of(lua);
    const char *key = luaL_checkstring(lua, 2);
    if (strcmp(key, "store") != 0 || !lua_istable(lua, 3)) {
        return luaL_error(lua, "world.%s cannot be set: keep your values in world.store, which is saved in checkpoints", key);
    }
    lua_settop(lua, 3);
    lua_rawseti(lua, LUA_REGISTRYINDEX, scene->store);
    return 0;
}

void couScene_OpenWorld(lua_State *lua)
{
    couScene *scene = couScene_Of(lua);
    lua_newtable(lua);
    scene->store = luaL_ref(lua, LUA_REGISTRYINDEX);
    lua_newuserdatauv(lua, 1, 0);
    luaL_newmetatable(lua, "world");
    lua_pushcfunction(lua, world_index);
    lua_setfield(lua, -2, "__index");
    lua_pushcfunction(lua, world_newindex);
    lua_setfield(lua, -2, "__newindex");
    lua_pushboolean(lua, 0);
    lua_setfield(lua, -2, "__metatable");
    lua_setmetatable(lua, -2);
    scene->world_object = luaL_ref(lua, LUA_REGISTRYINDEX);
}
