// world:set(...): what a scene has set is changed while it runs. Keys are those of --set, "gravity", "sph.stiffness",
// "honey.viscosity", and those of things that have names, "body.ball.friction", "blower.fan.force"; a material may also stand as
// a first argument of its own.
#include "scene/internal.h"

#include "base/base.h"

#include <lauxlib.h>
#include <stdio.h>

#define MAX_NAMES 256 // looked at for "did you mean"

typedef struct Change {
    couReader reader;
    couScene *scene;
    const char *key; // as the script wrote it
    char value[256]; // as text
} Change;

// The value at `index` as text that a parameter takes; numbers with all their digits.
static bool write_value(couReader *reader, int index, char *text, size_t size)
{
    lua_State *lua = reader->lua;
    double v[3] = {0, 0, 0};
    int type = lua_type(lua, index);
    lua_pushvalue(lua, index);
    int count = type == LUA_TTABLE ? couReadNumbers(lua, v) : 0;
    lua_pop(lua, 1);
    if (type == LUA_TNUMBER)
        snprintf(text, size, "%.17g", lua_tonumber(lua, index));
    else if (type == LUA_TBOOLEAN)
        snprintf(text, size, "%s", lua_toboolean(lua, index) ? "true" : "false");
    else if (type == LUA_TSTRING)
        snprintf(text, size, "%s", lua_tostring(lua, index));
    else if (count >= 2)
        snprintf(text, size, "%.17g,%.17g,%.17g", v[0], v[1], v[2]);
    else
        return false;
    return true;
}

static void unknown_name(Change *change, const char *kind, const char *name, const char *const *names, int count)
{
    char text[200];
    couFormatUnknown(text, sizeof text, kind, name, couSuggest(names, count, name));
    couReader_Fault(&change->reader, change->key, "%s", text);
}

// Sets one number of the def; faults have the key as the script wrote it.
static bool set_in(Change *change, const couParamTable *params, const char *part, void *def, const char *word)
{
    couParamTable named = {part, params->params, params->count};
    couFaults faults = {0};
    bool is_good = couParams_SetByName(&named, def, word, change->value, NULL, &faults);
    couReader_Adopt(&change->reader, &faults, change->key);
    return is_good;
}

static void finish(Change *change, couFaults *faults) { couReader_Adopt(&change->reader, faults, change->key); }

// --- Each kind ---------------------------------------------------------------------------------------------------------------

static void set_scene_key(Change *change)
{
    static const char *const names[] = {"gravity", "gravity_on"};
    const couParamTable *params = couWorldParams();
    bool is_known = couParams_Find(params, change->key) || couParams_Find(couSceneInfoParams(), change->key);
    if (strcmp(change->key, names[0]) != 0 && strcmp(change->key, names[1]) != 0) {
        if (is_known)
            couReader_Fault(&change->reader, change->key,
                            "cannot change while the world runs: of the scene, gravity and gravity_on can");
        else
            unknown_name(change, "key", change->key, names, COU_COUNT(names));
        return;
    }
    couWorldDef def = *couWorld_Def(change->scene->world);
    if (!set_in(change, params, "scene", &def, change->key)) return;
    couFaults faults = {0};
    couWorld_SetGravity(change->scene->world, def.gravity, (couGravityOn)def.gravity_on, &faults);
    finish(change, &faults);
}

static void set_body_key(Change *change, const char *name, const char *word)
{
    couWorld *world = change->scene->world;
    couBodyId body = couWorld_FindBody(world, name);
    couSandbox_Work(change->reader.lua, couWorld_BodyCount(world) / 4);
    if (!body.index1) {
        const char *names[MAX_NAMES];
        int count = 0;
        for (int i = 0; i < couWorld_BodyCount(world) && count < MAX_NAMES; ++i)
            names[count++] = couWorld_Body(world, couWorld_BodyAt(world, i))->name;
        unknown_name(change, "body", name, names, count);
        return;
    }
    couBodyDef def = *couWorld_Body(world, body);
    if (!set_in(change, couBodyParams(), "body", &def, word)) return;
    couFaults faults = {0};
    couWorld_SetBody(world, body, &def, &faults);
    finish(change, &faults);
}

static void set_blower_key(Change *change, const char *name, const char *word)
{
    couWorld *world = change->scene->world;
    couBlowerId blower = couWorld_FindBlower(world, name);
    if (!blower.index1) {
        const char *names[MAX_NAMES];
        int count = 0;
        for (int i = 0; i < couWorld_BlowerCount(world) && count < MAX_NAMES; ++i)
            names[count++] = couWorld_Blower(world, couWorld_BlowerAt(world, i))->name;
        unknown_name(change, "blower", name, names, count);
        return;
    }
    if (strcmp(word, "on") == 0) {
        bool is_on = strcmp(change->value, "true") == 0;
        if (is_on || strcmp(change->value, "false") == 0)
            couWorld_SetBlowerOn(world, blower, is_on);
        else
            couReader_Fault(&change->reader, change->key, "expected true or false, got %.60s", change->value);
        return;
    }
    couBlowerDef def = *couWorld_Blower(world, blower);
    if (!set_in(change, couBlowerParams(), "blower", &def, word)) return;
    couFaults faults = {0};
    couWorld_SetBlower(world, blower, &def, &faults);
    finish(change, &faults);
}

static void set_material_key(Change *change, couMaterialId material, const char *word)
{
    couMaterialDef def = *couWorld_Material(change->scene->world, material);
    if (!set_in(change, couMaterialParams(), "material", &def, word)) return;
    couFaults faults = {0};
    couWorld_SetMaterial(change->scene->world, material, &def, &faults);
    finish(change, &faults);
}

// A method's name or a material's stands before the point.
static void set_part_key(Change *change, const char *part, const char *word)
{
    couScene *scene = change->scene;
    if (couMethodParams(part)) {
        couFaults faults = {0};
        couWorld_SetParam(scene->world, change->key, change->value, &faults);
        finish(change, &faults);
        return;
    }
    const char *names[MAX_NAMES] = {"body", "blower"};
    int count = 2;
    bool is_found = false;
    for (const char *const *name = couMethodTableNames(); *name && count < MAX_NAMES; ++name) names[count++] = *name;
    for (size_t i = 0; i < scene->material_count; ++i) {
        const couSceneMaterial *material = &scene->materials[i];
        if (count < MAX_NAMES) names[count++] = material->def.name;
        if (strcmp(material->asked, part) != 0 && strcmp(material->def.name, part) != 0) continue;
        is_found = true;
        if (change->reader.fault_count == 0) set_material_key(change, material->id, word);
    }
    if (!is_found) unknown_name(change, "method or material of this scene", part, names, count);
}

// --- The call ----------------------------------------------------------------------------------------------------------------

// world:set(material, key, value)
static int set_material(lua_State *lua, couScene *scene)
{
    couMaterialId material = couCheckMaterialArgument(lua, 2, "set");
    const char *key = luaL_checkstring(lua, 3);
    if (!material.index1) return 0;
    couReader reader = couReader_Begin(lua, "material");
    const couParamTable *params = couMaterialParams();
    const couParam *param = couParams_Find(params, key);
    if (!param) {
        char text[200];
        couFormatUnknown(text, sizeof text, "key", key, couParams_Suggest(params, key));
        couReader_Fault(&reader, key, "%s", text);
        return 0;
    }
    couMaterialDef def = *couWorld_Material(scene->world, material);
    lua_settop(lua, 4);
    if (!couReader_Param(&reader, param, &def)) return 0;
    couFaults faults = {0};
    couWorld_SetMaterial(scene->world, material, &def, &faults);
    couReader_Adopt(&reader, &faults, key);
    return 0;
}

// world:set(key, value)
int couWorldCall_Set(lua_State *lua)
{
    couScene *scene = couCheckWorld(lua, "set");
    if (lua_gettop(lua) > 3 || lua_type(lua, 2) != LUA_TSTRING) return set_material(lua, scene);
    Change change = {.reader = couReader_Begin(lua, "set"), .scene = scene, .key = lua_tostring(lua, 2)};
    if (!write_value(&change.reader, 3, change.value, sizeof change.value)) {
        char got[80];
        couDescribeValue(lua, 3, got, sizeof got);
        couReader_Fault(&change.reader, change.key, "expected a number, a text, true, false or {x, y, z}, got %s", got);
        return 0;
    }
    const char *point = strchr(change.key, '.'), *last = strrchr(change.key, '.');
    if (!point) {
        set_scene_key(&change);
        return 0;
    }
    char part[COU_NAME_SIZE], name[COU_NAME_SIZE] = "";
    snprintf(part, sizeof part, "%.*s", (int)(point - change.key), change.key);
    if (last > point) snprintf(name, sizeof name, "%.*s", (int)(last - point - 1), point + 1);
    bool is_body = strcmp(part, "body") == 0, is_blower = strcmp(part, "blower") == 0;
    if ((is_body || is_blower) && last == point)
        couReader_Fault(&change.reader, change.key, "which one? Write %s.NAME.KEY", part);
    else if (is_body)
        set_body_key(&change, name, last + 1);
    else if (is_blower)
        set_blower_key(&change, name, last + 1);
    else
        set_part_key(&change, part, point + 1);
    return 0;
}
