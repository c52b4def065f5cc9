// require "lib.parts" reads lib/parts.lua in the scene's folder, once. Nothing outside of the folder can be named, also not
// through a symbolic link: the real path is checked, and the real path is what is opened.
#include "scene/internal.h"

#include "base/base.h"
#include "files/file.h"

#include <lauxlib.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#define LOADED "coulis.loaded"

char *couReadScript(const char *path, size_t *size, char *message, size_t message_size)
{
    struct stat status;
    if (stat(path, &status) != 0) {
        snprintf(message, message_size, "cannot be read: there is no such file");
        return NULL;
    }
    if (!S_ISREG(status.st_mode)) { // a pipe would wait for ever
        snprintf(message, message_size, "cannot be read: it is not a file");
        return NULL;
    }
    couFaults faults = {0};
    char *text = couReadFile(path, COU_SCRIPT_BYTES, size, &faults);
    if (!text) snprintf(message, message_size, "%s", faults.count > 0 ? faults.items[0].message : "cannot be read");
    couFaults_Clear(&faults);
    return text;
}

// "lib.parts" to "lib/parts.lua"; false for names that are not made of plain words.
static bool module_path(const char *name, char *path, size_t size)
{
    size_t length = strlen(name);
    if (length == 0 || length + 5 > size) return false;
    bool is_word_start = true;
    for (size_t i = 0; i < length; ++i) {
        char c = name[i];
        bool is_separator = c == '.' || c == '/';
        bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
        if (!is_separator && !is_letter) return false;
        if (is_separator && is_word_start) return false; // also "..", "/x"
        is_word_start = is_separator;
        path[i] = is_separator ? '/' : c;
    }
    if (is_word_start) return false;
    memcpy(path + length, ".lua", 5);
    return true;
}

bool couIsPlainPath(const char *path)
{
    if (!path[0]) return false;
    for (const char *part = path;; ++part) {
        size_t length = strcspn(part, "/");
        if (length == 0 || part[0] == '.') return false; // "", "/x", "a//b", "../x", hidden files
        for (size_t i = 0; i < length; ++i)
            if ((unsigned char)part[i] < 32 || part[i] == '\\') return false;
        part += length;
        if (!*part) return true;
    }
}

char *couResolveInside(const char *folder, const char *relative)
{
    char path[2200];
    snprintf(path, sizeof path, "%s/%s", folder, relative);
    char *real = realpath(path, NULL);
    size_t length = strcmp(folder, "/") == 0 ? 0 : strlen(folder);
    if (real && (strncmp(real, folder, length) != 0 || real[length] != '/')) {
        free(real);
        return NULL;
    }
    return real;
}

// Compiles the file and pushes its function, or leaves the message in `message`.
static bool load_module(couScene *scene, const char *name, const char *relative, char *message, size_t size)
{
    char *real = couResolveInside(scene->folder, relative);
    if (!real) {
        snprintf(message, size, "require '%.60s': there is no file %.80s inside the scene's folder", name, relative);
        return false;
    }
    char reason[160];
    size_t length;
    char *text = couReadScript(real, &length, reason, sizeof reason);
    if (!text) {
        snprintf(message, size, "require '%.60s': %.80s %s", name, relative, reason);
        free(real);
        return false;
    }
    couScene_AddToHash(scene, relative, strlen(relative) + 1);
    couScene_AddToHash(scene, text, length);
    bool is_kept = couScene_AddFile(scene, relative, real);
    bool is_good = is_kept && couSandbox_Compile(&scene->sandbox, relative, real, text, length);
    free(text);
    free(real);
    if (is_good) return true;
    if (!is_kept) {
        snprintf(message, size, "require '%.60s': out of memory", name);
        return false;
    }
    const couLuaError *error = &scene->sandbox.error;
    const char *line = strrchr(error->where, ':');
    snprintf(message, size, "%.80s:%s: %s", relative, line ? line + 1 : "1", error->message);
    return false;
}

static int require(lua_State *lua)
{
    couCheckLoading(lua, "require");
    couScene *scene = couScene_Of(lua);
    size_t length;
    const char *name = luaL_checklstring(lua, 1, &length);
    char relative[512];
    if (strlen(name) != length || !module_path(name, relative, sizeof relative)) {
        return luaL_error(lua, "require '%s': only files inside the scene's folder, like require \"lib.parts\"", name);
    }
    lua_settop(lua, 1);
    luaL_getsubtable(lua, LUA_REGISTRYINDEX, LOADED);
    lua_pushstring(lua, relative);
    lua_rawget(lua, 2);
    if (lua_toboolean(lua, 3)) return 1;
    if (lua_isboolean(lua, 3)) return luaL_error(lua, "require '%s': the file requires itself", name);
    lua_settop(lua, 2);
    lua_pushstring(lua, relative);
    lua_pushboolean(lua, 0); // being loaded
    lua_rawset(lua, 2);

    char message[512];
    if (!load_module(scene, name, relative, message, sizeof message)) {
        lua_pushstring(lua, message);
        if (strncmp(message, "require", 7) == 0) luaL_where(lua, 1), lua_insert(lua, -2), lua_concat(lua, 2);
        return lua_error(lua);
    }
    lua_call(lua, 0, 1);
    if (!lua_toboolean(lua, -1)) {
        lua_pop(lua, 1);
        lua_pushboolean(lua, 1);
    }
    lua_pushstring(lua, relative);
    lua_pushvalue(lua, -2);
    lua_rawset(lua, 2);
    return 1;
}

void couScene_OpenRequire(lua_State *lua)
{
    lua_pushcfunction(lua, require);
    lua_setglobal(lua, "require");
}
