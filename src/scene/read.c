// Reading Lua tables by parameter tables. A faulty value adds a fault and leaves the target alone; the script goes on, so that
// one run finds all faults. Keys are visited in sorted order, so that faults come in the same order in every run. Access is
// raw: no metamethod of the script runs here.
#include "scene/internal.h"

#include "base/base.h"

#include <lauxlib.h>
#include <stdio.h>

#define MAX_NAMES 96

// A loop over a faulty call would fill the memory with its faults.
static void check_fault_count(const couScene *scene, lua_State *lua)
{
    if (scene->faults->count >= COU_MAX_FAULTS) luaL_error(lua, "more than %d faults; the first are listed", COU_MAX_FAULTS);
}

couReader couReader_Begin(lua_State *lua, const char *call)
{
    check_fault_count(couScene_Of(lua), lua);
    couReader reader = {.scene = couScene_Of(lua), .lua = lua, .call = call};
    couSandbox_Where(lua, reader.where);
    if (!reader.where[0]) snprintf(reader.where, sizeof reader.where, "%.190s", reader.scene->path);
    return reader;
}

void couReader_Fault(couReader *reader, const char *key, const char *format, ...)
{
    char message[640], full_key[64];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    snprintf(full_key, sizeof full_key, "%s%s%s", reader->call, key ? "." : "", key ? key : "");
    couFaults_Add(reader->scene->faults, reader->where, full_key, "%s", message);
    ++reader->fault_count;
}

void couReader_Adopt(couReader *reader, couFaults *faults, const char *key)
{
    for (int i = 0; i < faults->count; ++i) {
        const couFault *fault = &faults->items[i];
        couFaults_Add(reader->scene->faults, reader->where, fault->key[0] ? fault->key : key, "%s", fault->message);
        ++reader->fault_count;
    }
    couFaults_Clear(faults);
}

void couDescribeValue(lua_State *lua, int index, char *text, size_t size)
{
    switch (lua_type(lua, index)) {
    case LUA_TNIL:
    case LUA_TNONE: snprintf(text, size, "nothing"); break;
    case LUA_TBOOLEAN: snprintf(text, size, "%s", lua_toboolean(lua, index) ? "true" : "false"); break;
    case LUA_TNUMBER: snprintf(text, size, "%.9g", lua_tonumber(lua, index)); break;
    case LUA_TSTRING: snprintf(text, size, "the text '%.40s'", lua_tostring(lua, index)); break;
    case LUA_TUSERDATA:
        if (luaL_getmetafield(lua, index, "__name") == LUA_TSTRING) {
            snprintf(text, size, "a %s", lua_tostring(lua, -1));
            lua_pop(lua, 1);
            break;
        }
        // fall through
    default: snprintf(text, size, "a %s", luaL_typename(lua, index)); break;
    }
}

static void wrong_type(couReader *reader, const char *key, const char *expected)
{
    char got[80];
    couDescribeValue(reader->lua, -1, got, sizeof got);
    couReader_Fault(reader, key, "expected %s, got %s", expected, got);
}

bool couReader_IsTable(couReader *reader, int index)
{
    if (lua_istable(reader->lua, index)) return true;
    char got[80];
    couDescribeValue(reader->lua, index, got, sizeof got);
    couReader_Fault(reader, NULL, "expected a table %s { ... }, got %s", reader->call, got);
    return false;
}

void couReader_Need(couReader *reader, int index, const char *key, const char *example)
{
    lua_pushstring(reader->lua, key);
    lua_rawget(reader->lua, index);
    if (lua_isnil(reader->lua, -1)) couReader_Fault(reader, key, "is missing: give for example %s = %s", key, example);
    lua_pop(reader->lua, 1);
}

bool couReader_CheckName(couReader *reader, const char *key, const char *name)
{
    size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");
    if (length > 0 && !name[length]) return true;
    couReader_Fault(reader, key, "'%s' is not a good name: use letters, digits, '-' and '_'", name);
    return false;
}

int couReadNumbers(lua_State *lua, double values[3])
{
    lua_Unsigned count = lua_rawlen(lua, -1);
    if (count < 1 || count > 3) return -1;
    lua_Unsigned found = 0;
    lua_pushnil(lua);
    while (lua_next(lua, -2)) {
        bool is_good = lua_isinteger(lua, -2) && lua_type(lua, -1) == LUA_TNUMBER;
        lua_Integer place = is_good ? lua_tointeger(lua, -2) : 0;
        if (place < 1 || place > (lua_Integer)count) {
            lua_pop(lua, 2);
            return -1;
        }
        values[place - 1] = lua_tonumber(lua, -1);
        ++found;
        lua_pop(lua, 1);
    }
    return found == count ? (int)count : -1;
}

bool couReader_Vector(couReader *reader, const char *key, couVec3 *vector)
{
    double v[3] = {0, 0, 0};
    int count = lua_istable(reader->lua, -1) ? couReadNumbers(reader->lua, v) : -1;
    if (count < 2) {
        wrong_type(reader, key, "three numbers {x, y, z}");
        return false;
    }
    for (int i = 0; i < count; ++i) {
        if (fabs(v[i]) <= 1e9) continue; // NaN fails
        couReader_Fault(reader, key, "component %d is %g: must be a number between -1e9 and 1e9", i + 1, v[i]);
        return false;
    }
    *vector = (couVec3){(float)v[0], (float)v[1], (float)v[2]};
    return true;
}

bool couReader_Text(couReader *reader, const char *key, char *text, size_t size)
{
    if (lua_type(reader->lua, -1) != LUA_TSTRING) {
        wrong_type(reader, key, "a text");
        return false;
    }
    size_t length;
    const char *value = lua_tolstring(reader->lua, -1, &length);
    if (length >= size || strlen(value) != length) {
        couReader_Fault(reader, key, "the text has %zu bytes: at most %zu, none of them zero", length, size - 1);
        return false;
    }
    memcpy(text, value, length + 1);
    return true;
}

static const char *param_expects(const couParam *param)
{
    switch (param->type) {
    case cou_paramFloat:
    case cou_paramDouble: return param->is_auto ? "a number or \"auto\"" : "a number";
    case cou_paramInt: return "a whole number";
    case cou_paramBool: return "true or false";
    case cou_paramVec3: return param->is_auto ? "three numbers {x, y, z} or \"auto\"" : "three numbers {x, y, z}";
    default: return "a text";
    }
}

// Colours have no two-number form: {x, y} is for places and directions of 2D scenes.
static bool read_vector_param(couReader *reader, const couParam *param, void *def)
{
    double v[3] = {0, 0, 0};
    int count = lua_istable(reader->lua, -1) ? couReadNumbers(reader->lua, v) : -1;
    bool is_color = strcmp(param->name, "color") == 0;
    if (count < (is_color ? 3 : 2)) {
        wrong_type(reader, param->name, is_color ? "three numbers {red, green, blue}" : param_expects(param));
        return false;
    }
    if (count == 2 && strcmp(param->name, "size") == 0) v[2] = 1.0;
    return couParam_SetNumbers(param, reader->call, def, v, 3, reader->where, reader->scene->faults);
}

static bool read_param_value(couReader *reader, const couParam *param, void *def)
{
    lua_State *lua = reader->lua;
    int type = lua_type(lua, -1);
    bool is_text = type == LUA_TSTRING;
    couFaults *faults = reader->scene->faults;
    if (param->type == cou_paramVec3 && !(param->is_auto && is_text)) return read_vector_param(reader, param, def);
    bool is_number = param->type == cou_paramFloat || param->type == cou_paramDouble || param->type == cou_paramInt;
    if (is_number && type == LUA_TNUMBER) {
        double value = lua_tonumber(lua, -1);
        return couParam_SetNumbers(param, reader->call, def, &value, 1, reader->where, faults);
    }
    if (param->type == cou_paramBool && type == LUA_TBOOLEAN) {
        double value = lua_toboolean(lua, -1);
        return couParam_SetNumbers(param, reader->call, def, &value, 1, reader->where, faults);
    }
    bool takes_text = param->type == cou_paramChoice || param->type == cou_paramName ||
                      (param->is_auto && is_text && strcmp(lua_tostring(lua, -1), "auto") == 0);
    if (is_text && takes_text) {
        char text[256];
        if (!couReader_Text(reader, param->name, text, sizeof text)) return false;
        return couParam_SetText(param, reader->call, def, text, reader->where, faults);
    }
    wrong_type(reader, param->name, param_expects(param));
    return false;
}

bool couReader_Param(couReader *reader, const couParam *param, void *def)
{
    int before = reader->scene->faults->count, own = reader->fault_count;
    bool is_good = read_param_value(reader, param, def);
    reader->fault_count = own + reader->scene->faults->count - before;
    return is_good;
}

static void unknown_key(couReader *reader, const char *key, const couParamTable *params, const couExtraKey *extras,
                        int extra_count)
{
    const char *names[MAX_NAMES];
    int count = 0;
    for (int i = 0; i < extra_count && count < MAX_NAMES; ++i) names[count++] = extras[i].name;
    for (int i = 0; params && i < params->count && count < MAX_NAMES; ++i) {
        const char *name = params->params[i].name;
        bool is_there = false; // what is read in a way of its own
        for (int k = 0; k < extra_count; ++k) is_there = is_there || strcmp(extras[k].name, name) == 0;
        if (!is_there) names[count++] = name;
    }
    char text[600];
    couFormatUnknownKey(text, sizeof text, key, names, count);
    couReader_Fault(reader, key, "%s", text);
}

// The value is on top of the stack.
static void read_key(couReader *reader, const char *key, const couParamTable *params, void *def, const couExtraKey *extras,
                     int extra_count, void *target, bool *is_given)
{
    for (int i = 0; i < extra_count; ++i) {
        if (strcmp(key, extras[i].name) != 0) continue;
        extras[i].read(reader, key, target);
        return;
    }
    const couParam *param = params ? couParams_Find(params, key) : NULL;
    if (!param) {
        unknown_key(reader, key, params, extras, extra_count);
        return;
    }
    if (couReader_Param(reader, param, def) && is_given) is_given[param - params->params] = true;
}

void couReader_Table(couReader *reader, int index, const couParamTable *params, void *def, const couExtraKey *extras,
                     int extra_count, void *target, int positional, bool *is_given)
{
    lua_State *lua = reader->lua;
    index = lua_absindex(lua, index);
    luaL_checkstack(lua, 10, NULL);
    couSandbox_PushSortedKeys(lua, index);
    int keys = lua_gettop(lua);
    for (lua_Integer i = 1; lua_rawgeti(lua, keys, i) != LUA_TNIL; ++i) {
        check_fault_count(reader->scene, lua);
        if (lua_type(lua, -1) == LUA_TSTRING) {
            const char *key = lua_tostring(lua, -1);
            lua_pushvalue(lua, -1);
            lua_rawget(lua, index);
            read_key(reader, key, params, def, extras, extra_count, target, is_given);
            lua_pop(lua, 1);
        } else if (!lua_isinteger(lua, -1) || lua_tointeger(lua, -1) < 1 || lua_tointeger(lua, -1) > positional) {
            char got[80];
            couDescribeValue(lua, -1, got, sizeof got);
            couReader_Fault(reader, NULL, "entry [%s] has no name: write key = value", got);
        }
        lua_pop(lua, 1);
    }
    lua_settop(lua, keys - 1);
}

void couCheckLoading(lua_State *lua, const char *call)
{
    if (couScene_Of(lua)->is_loading) return;
    luaL_error(lua, "%s can only be used while the scene loads, not in a callback", call);
}

// --- Poses -------------------------------------------------------------------------------------------------------------------

static couQuat multiply(couQuat a, couQuat b)
{
    return (couQuat){a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                     a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

static couQuat normalize(couQuat q)
{
    float s = 1.0f / sqrtf(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    return (couQuat){s * q.x, s * q.y, s * q.z, s * q.w};
}

couPose couComposePoses(couPose a, couPose b)
{
    return (couPose){couToWorld(a, b.position), normalize(multiply(a.rotation, b.rotation))};
}

couQuat couTurnBetween(couVec3 from, couVec3 to)
{
    float w = 1.0f + couDot(from, to);
    if (w > 1e-6f) {
        couVec3 v = couCross(from, to);
        return normalize((couQuat){v.x, v.y, v.z, w});
    }
    couVec3 axis = fabsf(from.z) < 0.9f ? couNormalize((couVec3){-from.z * from.x, -from.z * from.y, 1.0f - from.z * from.z})
                                        : couNormalize(couCross(from, (couVec3){1, 0, 0}));
    return (couQuat){axis.x, axis.y, axis.z, 0.0f};
}

typedef struct couTurn {
    couVec3 axis;
    float degrees;
} couTurn;

static const couParam turn_params[] = {
    COU_VECTOR(couTurn, axis, "", .initial = {0, 0, 1}, .min = -1e9, .max = 1e9),
    COU_NUMBER(couTurn, degrees, "degrees", .min = -1e9, .max = 1e9),
};
static const couParamTable turn_table = {"turn", turn_params, COU_COUNT(turn_params)};

bool couReader_Turn(couReader *reader, const char *key, couQuat *rotation)
{
    if (!lua_istable(reader->lua, -1)) {
        wrong_type(reader, key, "{axis = {x, y, z}, degrees = ...}");
        return false;
    }
    couTurn turn = {{0, 0, 1}, 0};
    bool is_given[COU_COUNT(turn_params)] = {false};
    char path[60];
    snprintf(path, sizeof path, "%s.%s", reader->call, key);
    couReader inner = *reader;
    inner.call = path;
    couReader_Table(&inner, -1, &turn_table, &turn, NULL, 0, NULL, 0, is_given);
    bool is_good = inner.fault_count == reader->fault_count;
    reader->fault_count = inner.fault_count;
    if (!is_good) return false;
    float length = couLength(turn.axis);
    if (!is_given[1] || !(length > 0)) {
        couReader_Fault(reader, key, !is_given[1] ? "'degrees' is missing" : "the axis has no length");
        return false;
    }
    double half = 0.5 * fmod((double)turn.degrees, 720.0) * (COU_PI / 180.0);
    couVec3 v = couScale((float)sin(half) / length, turn.axis);
    *rotation = normalize((couQuat){v.x, v.y, v.z, (float)cos(half)});
    return true;
}
