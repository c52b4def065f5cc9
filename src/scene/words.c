// The words of a scene that are no things: scene{}, material(). A material with a fault gives back an object that stands
// for it, so that the script goes on and shows its other faults.
#include "scene/internal.h"

#include "base/base.h"

#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>

#define MATERIAL_TYPE "material"
#define MAX_MATERIALS 250

// --- scene{} ----------------------------------------------------------------------------------------------------------------

static const couParam info_params[] = {
    COU_PRECISE(couSceneInfo, duration, "s", .initial = {5}, .min = 0, .is_min_open = true, .max = 1e6,
                .help = "simulated time of a run"),
    COU_PRECISE(couSceneInfo, fps, "1/s", .initial = {30}, .min = 0, .is_min_open = true, .max = 1e5,
                .help = "frames per simulated second"),
};
static const couParamTable info_table = {"scene", info_params, COU_COUNT(info_params)};

const couParamTable *couSceneInfoParams(void) { return &info_table; }

couMethodSettings *couScene_Settings(couScene *scene, const char *method)
{
    for (size_t i = 0; i < scene->setting_count; ++i) {
        if (strcmp(scene->settings[i].method, method) == 0) return &scene->settings[i];
    }
    const couParamTable *params = couMethodParams(method);
    size_t size = couParams_Size(params);
    if (!COU_GROW(NULL, scene->settings, scene->setting_capacity, scene->setting_count + 1)) {
        return NULL;
    }
    couMethodSettings *settings = &scene->settings[scene->setting_count];
    *settings = (couMethodSettings){.block = calloc(1, size), .is_given = calloc((size_t)params->count + 1, sizeof(bool))};
    if (!settings->block || !settings->is_given) {
        free(settings->block);
        free(settings->is_given);
        return NULL;
    }
    snprintf(settings->method, sizeof settings->method, "%s", method);
    couParams_SetDefaults(params, settings->block);
    ++scene->setting_count;
    return settings;
}

static void read_title(couReader *reader, const char *key, void *target)
{
    (void)target;
    couReader_Text(reader, key, reader->scene->title, sizeof reader->scene->title);
}

static void read_note(couReader *reader, const char *key, void *target)
{
    (void)target;
    couReader_Text(reader, key, reader->scene->note, sizeof reader->scene->note);
}

static void read_method(couReader *reader, const char *key, void *target)
{
    (void)target;
    char name[COU_NAME_SIZE];
    if (!couReader_Text(reader, key, name, sizeof name)) return;
    if (couMethodHelp(name)) {
        memcpy(reader->scene->world_def.method, name, sizeof name);
        return;
    }
    int count = 0;
    const char *const *names = couMethodNames();
    while (names[count]) ++count;
    char text[200];
    couFormatUnknown(text, sizeof text, "method", name, couSuggest(names, count, name));
    couReader_Fault(reader, key, "%s", text);
}

static void read_info(couReader *reader, const char *key, void *target)
{
    (void)target;
    couReader_Param(reader, couParams_Find(&info_table, key), &reader->scene->info);
}

static void read_settings(couReader *reader, const char *key, void *target)
{
    (void)target;
    if (!lua_istable(reader->lua, -1)) {
        couReader_Fault(reader, key, "expected a table with parameters of the method %s", key);
        return;
    }
    couMethodSettings *settings = couScene_Settings(reader->scene, key);
    if (!settings) luaL_error(reader->lua, "out of memory");
    couReader inner = *reader;
    inner.call = settings->method;
    couReader_Table(&inner, -1, couMethodParams(key), settings->block, NULL, 0, NULL, 0, settings->is_given);
    reader->fault_count = inner.fault_count;
}

// The key is there, but its value was refused: checks of the scene's size would only add faults that are none.
static bool has_bad_value(lua_State *lua, const char *key, const bool *is_given)
{
    const couParamTable *params = couWorldParams();
    const couParam *param = couParams_Find(params, key);
    lua_pushstring(lua, key);
    lua_rawget(lua, 1);
    bool is_there = !lua_isnil(lua, -1);
    lua_pop(lua, 1);
    return is_there && param && !is_given[param - params->params];
}

static int scene_call(lua_State *lua)
{
    couCheckLoading(lua, "scene{}");
    couScene *scene = couScene_Of(lua);
    couReader reader = couReader_Begin(lua, "scene");
    if (scene->scene_where[0]) {
        couReader_Fault(&reader, NULL, "a second scene{}; the first is at %.150s", scene->scene_where);
        return 0;
    }
    memcpy(scene->scene_where, reader.where, sizeof reader.where);
    if (!couReader_IsTable(&reader, 1)) return 0;

    couExtraKey keys[24] = {
        {"title", read_title}, {"note", read_note}, {"method", read_method}, {"duration", read_info}, {"fps", read_info}};
    int count = 5;
    for (const char *const *name = couMethodTableNames(); *name && count < COU_COUNT(keys); ++name) {
        keys[count++] = (couExtraKey){*name, read_settings};
    }
    bool is_given[64] = {false};
    couReader_Table(&reader, 1, couWorldParams(), &scene->world_def, keys, count, NULL, 0, is_given);
    scene->has_bad_size = has_bad_value(lua, "spacing", is_given) || has_bad_value(lua, "dimension", is_given) ||
                          has_bad_value(lua, "max_particles", is_given);
    if (!scene->is_seed_fixed) couSandbox_SeedRandom(&scene->sandbox, (uint64_t)scene->world_def.seed);
    return 0;
}

// --- material() -------------------------------------------------------------------------------------------------------------

static const couMaterialDef *find_library_material(const char *name)
{
    const couLibraryMaterial *found = couFindLibraryMaterial(name);
    return found ? &found->def : NULL;
}

// A material of the scene first, then of the library.
static const couMaterialDef *find_material(const couScene *scene, const char *name)
{
    for (size_t i = 0; i < scene->material_count; ++i) {
        if (strcmp(scene->materials[i].def.name, name) == 0) return &scene->materials[i].def;
    }
    return find_library_material(name);
}

static void unknown_material(couReader *reader, const char *key, const char *name)
{
    const couScene *scene = reader->scene;
    const char *names[MAX_MATERIALS + 64];
    int count, library_count;
    const couLibraryMaterial *library = couMaterialLibrary(&library_count);
    for (count = 0; count < library_count && count < 64; ++count) names[count] = library[count].def.name;
    for (size_t i = 0; i < scene->material_count && count < COU_COUNT(names); ++i) names[count++] = scene->materials[i].def.name;
    const char *nearest = couSuggest(names, count, name);
    if (nearest) {
        couReader_Fault(reader, key, "unknown material '%.40s': did you mean '%s'?", name, nearest);
    } else {
        couReader_Fault(reader, key,
                        "unknown material '%.40s': not in the library; derive your own with material(\"%.20s\", "
                        "{base = \"water\", ...})",
                        name, name);
    }
}

static bool is_name_free(const couScene *scene, const char *name)
{
    for (size_t i = 0; i < scene->material_count; ++i) {
        if (strcmp(scene->materials[i].def.name, name) == 0) return false;
    }
    return true;
}

// The index of a material like `wanted`: an equal one of that name, or a new one, with a number behind its name where needed.
static int add_material(couReader *reader, const couSceneMaterial *wanted)
{
    couScene *scene = reader->scene;
    for (size_t i = 0; i < scene->material_count; ++i) {
        const couSceneMaterial *other = &scene->materials[i];
        couMaterialDef def = wanted->def;
        memcpy(def.name, other->def.name, sizeof def.name);
        if (strcmp(other->asked, wanted->asked) == 0 && memcmp(&def, &other->def, sizeof def) == 0) return (int)i;
    }
    if (scene->material_count >= MAX_MATERIALS) {
        couReader_Fault(reader, NULL, "more than %d different materials in one scene", MAX_MATERIALS);
        return -1;
    }
    if (!COU_GROW(NULL, scene->materials, scene->material_capacity, scene->material_count + 1)) {
        luaL_error(reader->lua, "out of memory");
    }
    couSceneMaterial *material = &scene->materials[scene->material_count];
    *material = *wanted;
    snprintf(material->def.name, sizeof material->def.name, "%s", wanted->asked);
    for (int number = 2; !is_name_free(scene, material->def.name); ++number) {
        snprintf(material->def.name, sizeof material->def.name, "%.26s-%u", wanted->asked, (unsigned char)number);
    }
    return (int)scene->material_count++;
}

static void push_material(lua_State *lua, int index)
{
    int *object = lua_newuserdatauv(lua, sizeof *object, 0);
    *object = index;
    luaL_setmetatable(lua, MATERIAL_TYPE);
}

static void read_base(couReader *reader, const char *key, void *target)
{
    (void)reader, (void)key, (void)target; // read before the others, by take_base()
}

// The base of a new material: what it starts from.
static bool take_base(couReader *reader, const char *name, couMaterialDef *def)
{
    lua_State *lua = reader->lua;
    char base[COU_NAME_SIZE];
    memcpy(base, name, sizeof base);
    const char *key = "name";
    if (lua_istable(lua, 2)) {
        lua_pushliteral(lua, "base");
        lua_rawget(lua, 2);
        bool is_good = true;
        if (!lua_isnil(lua, -1)) {
            key = "base";
            is_good = couReader_Text(reader, key, base, sizeof base);
        }
        lua_pop(lua, 1);
        if (!is_good) return false;
    }
    // material("honey", {...}) means the library's honey, also after the scene has made a changed one.
    const couMaterialDef *found = find_library_material(base);
    if (!found) found = find_material(reader->scene, base);
    if (found) {
        *def = *found;
        return true;
    }
    unknown_material(reader, key, base);
    return false;
}

// The parameters that a script may change: all but the name.
static void read_changes(couReader *reader, couMaterialDef *def)
{
    static const couExtraKey keys[] = {{"base", read_base}};
    const couParamTable *params = couMaterialParams();
    if (!lua_istable(reader->lua, 2)) {
        char got[80];
        couDescribeValue(reader->lua, 2, got, sizeof got);
        couReader_Fault(reader, NULL, "expected a table of changes, got %s", got);
        return;
    }
    lua_pushliteral(reader->lua, "name");
    lua_rawget(reader->lua, 2);
    bool has_name = !lua_isnil(reader->lua, -1);
    lua_pop(reader->lua, 1);
    if (has_name) {
        couReader_Fault(reader, "name", "the name is the first argument: material(\"name\", {...})");
        return;
    }
    bool is_given[64] = {false};
    couReader_Table(reader, 2, params, def, keys, COU_COUNT(keys), NULL, 0, is_given);
    // Red water is red: a new colour counts for clear matter as well, unless its absorption is given.
    bool has_color = is_given[couParams_Find(params, "color") - params->params];
    bool has_absorption = is_given[couParams_Find(params, "absorption") - params->params];
    if (has_color && !has_absorption) def->look.absorption = (couVec3){COU_AUTO, COU_AUTO, COU_AUTO};
}

static int material_call(lua_State *lua)
{
    couCheckLoading(lua, "material()");
    couReader reader = couReader_Begin(lua, "material");
    couSceneMaterial wanted;
    memset(&wanted, 0, sizeof wanted); // compared bytewise
    memcpy(wanted.where, reader.where, sizeof wanted.where);
    wanted.def = couDefaultMaterialDef();
    lua_settop(lua, 2);
    lua_pushvalue(lua, 1);
    bool has_name = couReader_Text(&reader, "name", wanted.asked, sizeof wanted.asked);
    lua_pop(lua, 1);
    if (has_name && couReader_CheckName(&reader, "name", wanted.asked)) {
        bool has_base = take_base(&reader, wanted.asked, &wanted.def);
        if (!lua_isnil(lua, 2)) read_changes(&reader, &wanted.def);
        if (!has_base && reader.fault_count == 0) couReader_Fault(&reader, NULL, "has no base");
    }
    int index = -1;
    if (reader.fault_count == 0) index = add_material(&reader, &wanted);
    push_material(lua, index);
    return 1;
}

int couReader_Material(couReader *reader, const char *key, bool *is_faulty)
{
    lua_State *lua = reader->lua;
    const int *object = luaL_testudata(lua, -1, MATERIAL_TYPE);
    *is_faulty = true;
    if (object) {
        *is_faulty = *object < 0;
        return *object;
    }
    if (lua_type(lua, -1) != LUA_TSTRING) {
        char got[80];
        couDescribeValue(lua, -1, got, sizeof got);
        couReader_Fault(reader, key, "expected a material or its name, got %s", got);
        return -1;
    }
    couSceneMaterial wanted;
    memset(&wanted, 0, sizeof wanted);
    memcpy(wanted.where, reader->where, sizeof wanted.where);
    if (!couReader_Text(reader, key, wanted.asked, sizeof wanted.asked)) return -1;
    for (size_t i = 0; i < reader->scene->material_count; ++i) {
        if (strcmp(reader->scene->materials[i].def.name, wanted.asked) != 0) continue;
        *is_faulty = false;
        return (int)i;
    }
    const couMaterialDef *def = find_library_material(wanted.asked);
    if (!def) {
        unknown_material(reader, key, wanted.asked);
        return -1;
    }
    if (!reader->scene->is_loading) {
        couReader_Fault(reader, key, "the material '%s' must be made with material() while the scene loads", wanted.asked);
        return -1;
    }
    wanted.def = *def;
    int index = add_material(reader, &wanted);
    *is_faulty = index < 0;
    return index;
}

// --- All --------------------------------------------------------------------------------------------------------------------

void couScene_OpenWords(lua_State *lua)
{
    static const luaL_Reg calls[] = {{"scene", scene_call},
                                     {"material", material_call},
                                     {"camera", couSceneCall_Camera},
                                     {"colors", couSceneCall_Colors},
                                     {NULL, NULL}};
    luaL_newmetatable(lua, MATERIAL_TYPE);
    lua_pushboolean(lua, 0);
    lua_setfield(lua, -2, "__metatable");
    lua_pop(lua, 1);
    for (const luaL_Reg *call = calls; call->name; ++call) {
        lua_pushcfunction(lua, call->func);
        lua_setglobal(lua, call->name);
    }
}
