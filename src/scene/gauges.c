// gauge { ... }: what is measured while the scene runs, and what events see of it: world:gauge(), world:record(). The place of a
// gauge is given by one of at, line, polygon, shape and body; a shape beside a body picks a piece of its surface.
#include "scene/internal.h"

#include "base/base.h"

#include <lauxlib.h>
#include <stdio.h>

// --- Reading -----------------------------------------------------------------------------------------------------------------

// A list of points into the def.
static void read_corners(couReader *reader, const char *key, void *target)
{
    couRecord *record = target;
    couGaugeDef *def = &record->def.gauge;
    lua_State *lua = reader->lua;
    bool is_line = strcmp(key, "line") == 0;
    lua_Unsigned count = lua_istable(lua, -1) ? lua_rawlen(lua, -1) : 0;
    if (count < 2 || count > (is_line ? 2 : COU_GAUGE_CORNERS)) {
        char got[80];
        couDescribeValue(lua, -1, got, sizeof got);
        if (lua_istable(lua, -1)) snprintf(got, sizeof got, "a table of %llu", (unsigned long long)count);
        couReader_Fault(reader, key,
                        is_line ? "expected two points {{x, y, z}, {x, y, z}}, got %s"
                                : "expected its corners {{x, y, z}, {x, y, z}, ...}, got %s",
                        got);
        return;
    }
    def->place = is_line ? cou_gaugeAlongLine : cou_gaugeAcrossPolygon;
    def->corner_count = (int)count;
    for (lua_Unsigned k = 1; k <= count; ++k) {
        lua_rawgeti(lua, -1, (lua_Integer)k);
        bool is_good = couReader_Vector(reader, key, &def->corners[k - 1]);
        lua_pop(lua, 1);
        if (!is_good) return;
    }
}

static void read_body(couReader *reader, const char *key, void *target)
{
    couRecord *record = target;
    couReader_Text(reader, key, record->ends[0], sizeof record->ends[0]);
}

static bool has_key(lua_State *lua, const char *key)
{
    lua_getfield(lua, 1, key);
    bool is_there = !lua_isnil(lua, -1);
    lua_pop(lua, 1);
    return is_there;
}

// Which place it is; a fault where that is none, or two.
static void settle_place(couReader *reader, couRecord *record)
{
    couGaugeDef *def = &record->def.gauge;
    lua_State *lua = reader->lua;
    bool has_shape = has_key(lua, "shape"), has_body = has_key(lua, "body");
    bool has_at = has_key(lua, "at") && !has_shape;
    int places = has_at + has_key(lua, "line") + has_key(lua, "polygon") + (has_shape || has_body);
    if (places != 1) {
        couReader_Fault(reader, places ? "at" : NULL,
                        places ? "give one of at, line, polygon, shape and body: it is measured at one place"
                               : "say where: at = {x, y, z}, line, polygon, shape or body");
        return;
    }
    if (has_at) {
        def->place = cou_gaugeAtPoint;
        def->corners[0] = record->pose.position;
        def->corner_count = 1;
    }
    if (has_shape) def->place = cou_gaugeInRegion;
    if (has_body) def->place = cou_gaugeOnBody;
    if (!has_key(lua, "what") && has_body) def->what = cou_gaugeForce;
    if (!has_key(lua, "what") && def->place == cou_gaugeAcrossPolygon) def->what = cou_gaugeFlow;
    if (has_key(lua, "turn") && !has_shape) couReader_Fault(reader, "turn", "only a shape can be turned");
    if (has_key(lua, "stat") && def->place != cou_gaugeInRegion) couReader_Fault(reader, "stat", "goes with a shape: a region");
    if (has_key(lua, "points") && (def->place != cou_gaugeAlongLine || def->what == cou_gaugeLevel))
        couReader_Fault(reader, "points", "goes with a line: a profile");
}

int couSceneCall_Gauge(lua_State *lua)
{
    couCheckLoading(lua, "gauge{}");
    couReader reader = couReader_Begin(lua, "gauge");
    couRecord record = couBeginRecord(&reader, cou_recordGauge);
    record.def.gauge = couDefaultGaugeDef();
    couExtraKey keys[COU_PLACE_KEYS + 3] = {{"line", read_corners}, {"polygon", read_corners}, {"body", read_body}};
    memcpy(keys + 3, couPlaceKeys, sizeof couPlaceKeys);
    if (couReader_IsTable(&reader, 1)) {
        couReader_Table(&reader, 1, couGaugeParams(), &record.def.gauge, keys, COU_COUNT(keys), &record, 0, NULL);
        if (reader.fault_count == 0) settle_place(&reader, &record);
    }
    couKeepRecord(&reader, &record);
    return 0;
}

// --- Building ----------------------------------------------------------------------------------------------------------------

static bool find_body(const couScene *scene, const couRecord *record, couGaugeDef *def, couFaults *faults)
{
    if (def->place != cou_gaugeOnBody) return true;
    const char *name = record->ends[0], *names[256];
    def->body = couWorld_FindBody(scene->world, name);
    if (def->body.index1) return true;
    int count = COU_MIN(couWorld_BodyCount(scene->world), COU_COUNT(names));
    for (int b = 0; b < count; ++b) names[b] = couWorld_Body(scene->world, couWorld_BodyAt(scene->world, b))->name;
    char text[160];
    couFormatUnknown(text, sizeof text, "body", name, couSuggest(names, count, name));
    couFaults_Add(faults, record->where, "gauge.body", "%s", text);
    return false;
}

static void check_domain(const couScene *scene, const couRecord *record, const couGaugeDef *def, couFaults *faults)
{
    enum { STEPS = 16 };
    if (def->place == cou_gaugeOnBody) return;
    const couWorldDef *world = couWorld_Def(scene->world);
    couVec3 points[STEPS + 1];
    couBounds none = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    couDomainPlace place = {points, 0, world->spacing, none};
    const char *key = "gauge.shape";
    if (def->place == cou_gaugeInRegion) {
        couIncludeShape(&place.bounds, def->shape, world->dimension, def->pose);
    } else if (def->place == cou_gaugeAlongLine) {
        key = "gauge.line";
        for (int k = 0; k <= STEPS; ++k)
            points[place.count++] = couMulAdd(def->corners[0], (float)k / STEPS, couSub(def->corners[1], def->corners[0]));
    } else {
        key = def->place == cou_gaugeAtPoint ? "gauge.at" : "gauge.polygon";
        couVec3 middle = {0, 0, 0};
        for (int k = 0; k < def->corner_count; ++k) middle = couMulAdd(middle, 1.0f / (float)def->corner_count, def->corners[k]);
        points[place.count++] = middle;
    }
    for (int k = 0; k < place.count; ++k) {
        couVec3 p = points[k];
        couBounds *b = &place.bounds;
        b->lower = (couVec3){fminf(b->lower.x, p.x), fminf(b->lower.y, p.y), fminf(b->lower.z, p.z)};
        b->upper = (couVec3){fmaxf(b->upper.x, p.x), fmaxf(b->upper.y, p.y), fmaxf(b->upper.z, p.z)};
    }
    couScene_CheckDomain(scene, record, key, &place, faults);
}

void couScene_BuildGauge(couScene *scene, couRecord *record, couFaults *faults)
{
    couGaugeDef def = record->def.gauge;
    def.shape = record->shape.shape;
    def.pose = couComposePoses(record->pose, record->shape.pose);
    memcpy(def.name, record->name, sizeof def.name);
    if (!find_body(scene, record, &def, faults)) return;
    couFaults own = {0};
    couGaugeId id = couWorld_AddGauge(scene->world, &def, &own);
    couAdoptFaults(record, &own, "gauge", faults);
    if (id.index1) check_domain(scene, record, &def, faults);
}

// --- In events ---------------------------------------------------------------------------------------------------------------

static couGaugeId check_gauge(lua_State *lua, const couWorld *world, const char *call)
{
    const char *name = luaL_checkstring(lua, 2), *names[256];
    couGaugeId id = couWorld_FindGauge(world, name);
    if (id.index1) return id;
    int count = COU_MIN(couWorld_GaugeCount(world), COU_COUNT(names));
    for (int g = 0; g < count; ++g) names[g] = couWorld_Gauge(world, couWorld_GaugeAt(world, g))->name;
    const char *nearest = couSuggest(names, count, name);
    luaL_error(lua, "world:%s: there is no gauge '%s'%s%s%s", call, name, nearest ? ": did you mean '" : "",
               nearest ? nearest : "", nearest ? "'?" : "");
    return id;
}

// world:gauge(name): its last value, a list where it has several numbers, and behind it the support, the count of particles, or
// the whole volume of a flow; nil before the first.
int couWorldCall_Gauge(lua_State *lua)
{
    couWorld *world = couCheckWorld(lua, "gauge")->world;
    couGaugeId id = check_gauge(lua, world, "gauge");
    const couGaugeDef *def = couWorld_Gauge(world, id);
    double values[3 * COU_GAUGE_POINTS + 1];
    int count = couWorld_GaugeValues(world, id, values, COU_COUNT(values));
    if (isnan(couWorld_GaugeTime(world, id))) {
        lua_pushnil(lua);
        return 1;
    }
    bool has_second = def->what == cou_gaugeFlow ||
                      (def->what != cou_gaugeLevel && def->what != cou_gaugeRecorded && def->place != cou_gaugeOnBody);
    int own = count - has_second;
    if (own == 1) {
        lua_pushnumber(lua, values[0]);
    } else {
        lua_createtable(lua, own, 0);
        for (int k = 0; k < own; ++k) {
            lua_pushnumber(lua, values[k]);
            lua_rawseti(lua, -2, k + 1);
        }
    }
    if (has_second) lua_pushnumber(lua, values[count - 1]);
    return 1 + has_second;
}

// world:record(name, value)
int couWorldCall_Record(lua_State *lua)
{
    couWorld *world = couCheckWorld(lua, "record")->world;
    const char *name = luaL_checkstring(lua, 2);
    if (lua_type(lua, 3) != LUA_TNUMBER) {
        char got[80];
        couDescribeValue(lua, 3, got, sizeof got);
        return luaL_error(lua, "world:record: expected a number, got %s", got);
    }
    couReader reader = couReader_Begin(lua, "record");
    couFaults faults = {0};
    couWorld_Record(world, name, lua_tonumber(lua, 3), &faults);
    couReader_Adopt(&reader, &faults, "record");
    return 0;
}

int couWorldCall_RemoveGauge(lua_State *lua)
{
    couWorld *world = couCheckWorld(lua, "remove_gauge")->world;
    couWorld_RemoveGauge(world, check_gauge(lua, world, "remove_gauge"));
    return 0;
}
