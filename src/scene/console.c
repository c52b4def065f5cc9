// The console: a line of Lua on the running world. It is an event that happens now, with the event's limits and a shorter clock,
// since somebody waits. Unlike an event's, its errors are answers: the run goes on.
//
// An expression shows its value: the line is compiled as "return LINE" first, as Lua's own prompt does, and as it is when that
// does not parse. Lines share the scene's globals, and `world` is one of them here.
#include "scene/internal.h"

#include "base/base.h"

#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>

static const couLimits console_limits = {100000000, 2.0};

#define MAX_LINE 8192

static bool compile(couSandbox *sandbox, const char *line)
{
    int chunk_count = sandbox->chunk_count;
    size_t length = strlen(line);
    char *returned = malloc(length + 8);
    if (!returned) return false;
    snprintf(returned, length + 8, "return %s", line);
    bool is_good = couSandbox_Compile(sandbox, "console", "console", returned, length + 7);
    free(returned);
    if (is_good) return true;
    sandbox->chunk_count = chunk_count;
    return couSandbox_Compile(sandbox, "console", "console", line, length);
}

// Texts of the results are made in protected mode: a table's __tostring may fail, or not end.
static int run_line(lua_State *lua)
{
    couScene *scene = couScene_Of(lua);
    lua_rawgeti(lua, LUA_REGISTRYINDEX, scene->world_object);
    lua_setglobal(lua, "world");
    lua_call(lua, 0, LUA_MULTRET);
    int count = COU_MIN(lua_gettop(lua), 16);
    for (int i = 1; i <= count; ++i) {
        if (lua_istable(lua, i)) {
            double v[3] = {0, 0, 0};
            lua_pushvalue(lua, i);
            int n = couReadNumbers(lua, v);
            lua_pop(lua, 1);
            if (n > 0) {
                char text[120];
                snprintf(text, sizeof text, n == 3 ? "{%.9g, %.9g, %.9g}" : n == 2 ? "{%.9g, %.9g}" : "{%.9g}", v[0], v[1], v[2]);
                couSandbox_Print(lua, text);
                continue;
            }
        }
        couSandbox_Print(lua, couSandbox_PushText(lua, i));
        lua_pop(lua, 1);
    }
    return 0;
}

// What world:pour{} and its like found wrong with their arguments.
static bool take_faults(couScene *scene, char *text, size_t size)
{
    if (scene->faults->count == 0) return true;
    for (int i = 0; i < scene->faults->count && i < 8; ++i) {
        const couFault *fault = &scene->faults->items[i];
        size_t used = strlen(text);
        snprintf(text + used, size - used, "%s%s%s\n", fault->key, fault->key[0] ? ": " : "", fault->message);
    }
    couFaults_Clear(scene->faults);
    return false;
}

bool couScene_RunConsole(couScene *scene, const char *line, char *text, size_t size)
{
    couSandbox *sandbox = &scene->sandbox;
    int chunk_count = sandbox->chunk_count; // a line is no file of the scene: it is forgotten when it has run
    text[0] = '\0';
    if (strlen(line) > MAX_LINE) {
        snprintf(text, size, "a line has at most %d bytes", MAX_LINE);
        return false;
    }
    if (!lua_checkstack(sandbox->lua, 32) || !compile(sandbox, line)) {
        snprintf(text, size, "%s: %s", sandbox->error.where, sandbox->error.message);
        sandbox->chunk_count = chunk_count;
        return false;
    }
    sandbox->printed = text, sandbox->printed_size = size;
    lua_pushcfunction(sandbox->lua, run_line);
    lua_insert(sandbox->lua, -2);
    bool is_good = couSandbox_Call(sandbox, 1, 0, console_limits);
    sandbox->printed = NULL;
    if (!is_good) {
        size_t used = strlen(text);
        const char *where = sandbox->error.where;
        snprintf(text + used, size - used, "%s%s%s", where, where[0] ? ": " : "", sandbox->error.message);
    }
    sandbox->chunk_count = chunk_count;
    is_good = take_faults(scene, text, size) && is_good;
    size_t length = strlen(text);
    if (length > 0 && text[length - 1] == '\n') text[length - 1] = '\0';
    return is_good;
}
