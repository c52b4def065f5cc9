// camera{} and colors{}: where pictures are taken from, and what they colour particles by. The camera stands still, goes along a
// path of keyframes, or is on a turntable around what it looks at. Keyframes are kept as three curves (place, target, lens), so
// that the world's own interpolation serves for all of them.
//
// Keyframes live in a Lua userdata held by the registry, as those of driven bodies do.
#include "scene/internal.h"

#include "base/base.h"
#include "coulis/frames.h"

#include <lauxlib.h>
#include <stdio.h>

#define MAX_KEYFRAMES 10000

static const couParam camera_params[] = {
    COU_VECTOR(couCamera, from, "m", .min = -1e9, .max = 1e9, .help = "where it stands"),
    COU_VECTOR(couCamera, to, "m", .min = -1e9, .max = 1e9, .help = "what it looks at"),
    COU_NUMBER(couCamera, fov, "degrees", .initial = {40}, .min = 1, .max = 150, .help = "vertical field of view"),
    COU_NUMBER(couCamera, aperture, "m", .min = 0, .max = 1e3,
               .help = "diameter of the lens in final pictures; 0: all is in focus"),
    COU_NUMBER(couCamera, focus, "m", .min = 0, .max = 1e9, .help = "distance of what is sharp; 0: as far as `to`"),
    COU_NUMBER(couCamera, turntable, "s", .min = -1e6, .max = 1e6,
               .help = "time of a turn around `to`, or around everything without one; negative: the other way; 0: none"),
};
static const couParamTable camera_table = {"camera", camera_params, COU_COUNT(camera_params)};
// Keyframes have a time in the place of a turntable.
static const couParamTable key_table = {"camera", camera_params, COU_COUNT(camera_params) - 1};

const couParamTable *couSceneCameraParams(void) { return &camera_table; }

// --- Reading ----------------------------------------------------------------------------------------------------------------

static void read_time(couReader *reader, const char *key, void *target)
{
    double time = lua_type(reader->lua, -1) == LUA_TNUMBER ? lua_tonumber(reader->lua, -1) : NAN;
    if (fabs(time) <= 1e9) {
        *(double *)target = time;
        return;
    }
    char got[80];
    couDescribeValue(reader->lua, -1, got, sizeof got);
    couReader_Fault(reader, key, "expected a number of seconds between -1e9 and 1e9, got %s", got);
}

// One keyframe, on top of the stack; what it leaves out stays as in `camera`, which becomes the keyframe's.
static void read_keyframe(couReader *reader, bool is_first, double *time, couCamera *camera)
{
    static const couExtraKey keys[] = {{"time", read_time}};
    if (!lua_istable(reader->lua, -1)) {
        char got[80];
        couDescribeValue(reader->lua, -1, got, sizeof got);
        couReader_Fault(reader, NULL, "expected a keyframe {time = 0, from = {x, y, z}, to = {x, y, z}}, got %s", got);
        return;
    }
    int faults = reader->fault_count;
    bool is_given[COU_COUNT(camera_params)] = {false};
    double before = *time, now = NAN;
    couReader_Table(reader, -1, &key_table, camera, keys, COU_COUNT(keys), &now, 0, is_given);
    if (reader->fault_count > faults) return;
    if (isnan(now))
        couReader_Fault(reader, "time", "is missing: give for example time = 0.5");
    else if (!is_first && !(now > before))
        couReader_Fault(reader, "time", "%g s is not after the keyframe before, %g s", now, before);
    if (is_first && (!is_given[0] || !is_given[1]) && !camera->is_set)
        couReader_Fault(reader, is_given[0] ? "to" : "from", "is missing: the first keyframe, or the camera, must have it");
    else if (couLength(couSub(camera->from, camera->to)) == 0.0f)
        couReader_Fault(reader, "to", "is the same place as from");
    *time = now;
}

static void read_path(couReader *reader, const char *key, void *target)
{
    couCamera *camera = target;
    lua_State *lua = reader->lua;
    if (!lua_istable(lua, -1)) {
        char got[80];
        couDescribeValue(lua, -1, got, sizeof got);
        couReader_Fault(reader, key, "expected a list of keyframes {{time = 0, from = ..., to = ...}, ...}, got %s", got);
        return;
    }
    int list = lua_gettop(lua);
    lua_Unsigned count = lua_rawlen(lua, list);
    if (count == 0 || count > MAX_KEYFRAMES) {
        couReader_Fault(reader, key, "%u keyframes: must be 1 to %d", (unsigned)count, MAX_KEYFRAMES);
        return;
    }
    char path[48];
    couReader inner = *reader;
    inner.call = path;
    snprintf(path, sizeof path, "camera.path");
    couReader_Table(&inner, list, NULL, NULL, NULL, 0, NULL, (int)count, NULL); // a list holds nothing but its entries
    couKeyframe *curves = lua_newuserdatauv(lua, 3 * (size_t)count * sizeof *curves, 0);
    luaL_ref(lua, LUA_REGISTRYINDEX);
    couCamera now = *camera;
    double time = 0.0;
    for (lua_Unsigned i = 0; i < count && inner.fault_count == reader->fault_count; ++i) {
        snprintf(path, sizeof path, "camera.path[%u]", (unsigned)i + 1);
        lua_rawgeti(lua, list, (lua_Integer)i + 1);
        read_keyframe(&inner, i == 0, &time, &now);
        lua_pop(lua, 1);
        couSandbox_Work(lua, 20);
        const couQuat none = {0, 0, 0, 1};
        curves[i] = (couKeyframe){time, {now.from, none}};
        curves[count + i] = (couKeyframe){time, {now.to, none}};
        curves[2 * count + i] = (couKeyframe){time, {{now.fov, now.aperture, now.focus}, none}};
        if (i == 0) camera->from = now.from, camera->to = now.to;
    }
    reader->fault_count = inner.fault_count;
    camera->keyframes = curves;
    camera->keyframe_count = (int)count;
}

// Read after the others, which its keyframes start from.
static void skip_path(couReader *reader, const char *key, void *target) { (void)reader, (void)key, (void)target; }

int couSceneCall_Camera(lua_State *lua)
{
    static const couExtraKey keys[] = {{"path", skip_path}};
    couCheckLoading(lua, "camera{}");
    couScene *scene = couScene_Of(lua);
    couReader reader = couReader_Begin(lua, "camera");
    if (scene->camera_where[0]) {
        couReader_Fault(&reader, NULL, "a second camera{}; the first is at %.150s", scene->camera_where);
        return 0;
    }
    memcpy(scene->camera_where, reader.where, sizeof reader.where);
    if (!couReader_IsTable(&reader, 1)) return 0;
    couCamera camera = {0};
    couParams_SetDefaults(&camera_table, &camera);
    bool is_given[COU_COUNT(camera_params)] = {false};
    couReader_Table(&reader, 1, &camera_table, &camera, keys, COU_COUNT(keys), NULL, 0, is_given);
    lua_pushliteral(lua, "path");
    lua_rawget(lua, 1);
    bool has_path = !lua_isnil(lua, -1);
    camera.is_set = is_given[0] && is_given[1];
    if (has_path) {
        read_path(&reader, "path", &camera);
        camera.is_set = true;
    } else if (camera.turntable == 0.0f || is_given[0] || is_given[1]) { // a turntable alone turns around everything
        couReader_Need(&reader, 1, "from", "{1, 1, 1}");
        couReader_Need(&reader, 1, "to", "{0, 0, 0}");
    }
    lua_pop(lua, 1);
    bool is_point = couLength(couSub(camera.from, camera.to)) == 0.0f;
    if (is_given[0] && is_given[1] && is_point && !has_path) couReader_Fault(&reader, "to", "is the same place as from");
    if (fabsf(camera.turntable) > 0.0f && fabsf(camera.turntable) < 0.01f)
        couReader_Fault(&reader, "turntable", "is %g s: must be 0.01 s or more a turn, or 0", (double)camera.turntable);
    if (reader.fault_count == 0) scene->camera = camera;
    return 0;
}

// --- Colours ----------------------------------------------------------------------------------------------------------------

static void check_column(couReader *reader, const char *name)
{
    char list[160] = "";
    size_t used = 0;
    int count = 0;
    const char *const *names = couFrameColumnNames();
    for (; names[count]; ++count) {
        if (strcmp(names[count], name) == 0) return;
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", count > 0 ? ", " : "", names[count]);
    }
    const char *near = couSuggest(names, count, name);
    couReader_Fault(reader, "by", "frames have no column '%s'%s%s%s; allowed: %s", name, near ? " (did you mean " : "",
                    near ? near : "", near ? "?)" : "", list);
}

int couSceneCall_Colors(lua_State *lua)
{
    couCheckLoading(lua, "colors{}");
    couScene *scene = couScene_Of(lua);
    couReader reader = couReader_Begin(lua, "colors");
    if (scene->colors_where[0]) {
        couReader_Fault(&reader, NULL, "a second colors{}; the first is at %.150s", scene->colors_where);
        return 0;
    }
    memcpy(scene->colors_where, reader.where, sizeof reader.where);
    if (!couReader_IsTable(&reader, 1)) return 0;
    couColors colors = couDefaultColors();
    couReader_Table(&reader, 1, couColorsParams(), &colors, NULL, 0, NULL, 0, NULL);
    couReader_Need(&reader, 1, "by", "\"speed\"");
    if (reader.fault_count == 0) check_column(&reader, colors.by);
    if (colors.low >= colors.high) // false for NaN: automatic
        couReader_Fault(&reader, "high", "is %g: must be more than low, %g", (double)colors.high, (double)colors.low);
    if (reader.fault_count == 0) scene->colors = colors;
    return 0;
}

// --- At a time --------------------------------------------------------------------------------------------------------------

couCamera couCamera_At(const couCamera *camera, double time)
{
    couCamera now = *camera;
    int count = camera->keyframe_count;
    if (count > 0) {
        now.from = couInterpolateKeyframes(camera->keyframes, count, time).position;
        now.to = couInterpolateKeyframes(camera->keyframes + count, count, time).position;
        couVec3 lens = couInterpolateKeyframes(camera->keyframes + 2 * count, count, time).position;
        // Curves may swing beyond their keyframes.
        now.fov = COU_CLAMP(lens.x, 1.0f, 150.0f);
        now.aperture = COU_MAX(lens.y, 0.0f);
        now.focus = COU_MAX(lens.z, 0.0f);
    }
    if (camera->turntable == 0.0f) return now;
    double turns = time / (double)camera->turntable, angle = 2.0 * COU_PI * (turns - floor(turns));
    couVec3 way = couSub(now.from, now.to);
    float c = (float)cos(angle), s = (float)sin(angle);
    now.from = couAdd(now.to, (couVec3){c * way.x + s * way.z, way.y, c * way.z - s * way.x});
    now.turn = (float)(angle * 180.0 / COU_PI);
    return now;
}
