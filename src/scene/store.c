// world.store as bytes: what callbacks keep, and the state of the script's random numbers.
//
// Layout: "CST1", four 64-bit words of the generator, one value. A value is a tag and its bytes: 'n' double, 'i' 64-bit integer,
// 's' 32-bit length and bytes, 't', 'f', '{' 32-bit count and that many pairs of key and value, keys in sorted order. Numbers are
// little-endian as in memory. Tables that appear twice are saved twice; a table within itself is too deep and therefore a fault.
#include "scene/internal.h"

#include "base/base.h"

#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>

#define MAX_DEPTH 32
#define MAX_BYTES ((size_t)16 << 20)

static const char magic[4] = {'C', 'S', 'T', '1'};

// --- Saving ------------------------------------------------------------------------------------------------------------------

typedef struct couStoreWriter {
    couScene *scene;
    char *bytes; // malloc: the caller frees it
    size_t size, capacity;
    char path[64]; // of the value being written, for messages
} couStoreWriter;

static void write_bytes(couStoreWriter *writer, lua_State *lua, const void *bytes, size_t size)
{
    if (writer->size + size > MAX_BYTES) luaL_error(lua, "world.store is larger than %d MB", (int)(MAX_BYTES >> 20));
    if (writer->size + size > writer->capacity) {
        size_t larger = COU_MAX(2 * writer->capacity, writer->size + size + 256);
        char *moved = realloc(writer->bytes, larger);
        if (!moved) luaL_error(lua, "out of memory");
        writer->bytes = moved;
        writer->capacity = larger;
    }
    memcpy(writer->bytes + writer->size, bytes, size);
    writer->size += size;
}

static void write_tagged(couStoreWriter *writer, lua_State *lua, char tag, const void *bytes, size_t size)
{
    write_bytes(writer, lua, &tag, 1);
    write_bytes(writer, lua, bytes, size);
}

static void write_value(couStoreWriter *writer, lua_State *lua, int index, int depth);

static void write_table(couStoreWriter *writer, lua_State *lua, int index, int depth)
{
    if (depth == MAX_DEPTH) luaL_error(lua, "%s is nested deeper than %d tables", writer->path, MAX_DEPTH);
    luaL_checkstack(lua, 10, NULL);
    couSandbox_PushSortedKeys(lua, index);
    int keys = lua_gettop(lua);
    uint32_t count = (uint32_t)lua_rawlen(lua, keys);
    write_tagged(writer, lua, '{', &count, sizeof count);
    size_t length = strlen(writer->path);
    for (uint32_t i = 1; i <= count; ++i) {
        lua_rawgeti(lua, keys, i);
        char word[40];
        const char *format = lua_type(lua, -1) == LUA_TSTRING ? ".%.30s" : "[%.30s]";
        snprintf(word, sizeof word, format, luaL_tolstring(lua, -1, NULL));
        lua_pop(lua, 1);
        snprintf(writer->path + length, sizeof writer->path - length, "%s", word);
        write_value(writer, lua, lua_gettop(lua), depth + 1);
        lua_pushvalue(lua, -1);
        lua_rawget(lua, index);
        write_value(writer, lua, lua_gettop(lua), depth + 1);
        lua_pop(lua, 2);
        writer->path[length] = '\0';
    }
    lua_settop(lua, keys - 1);
}

static void write_value(couStoreWriter *writer, lua_State *lua, int index, int depth)
{
    switch (lua_type(lua, index)) {
    case LUA_TBOOLEAN: write_bytes(writer, lua, lua_toboolean(lua, index) ? "t" : "f", 1); break;
    case LUA_TNUMBER:
        if (lua_isinteger(lua, index)) {
            lua_Integer value = lua_tointeger(lua, index);
            write_tagged(writer, lua, 'i', &value, sizeof value);
        } else {
            double value = lua_tonumber(lua, index);
            write_tagged(writer, lua, 'n', &value, sizeof value);
        }
        break;
    case LUA_TSTRING: {
        size_t length;
        const char *text = lua_tolstring(lua, index, &length);
        uint32_t length32 = (uint32_t)length; // strings are below 16 MB
        write_tagged(writer, lua, 's', &length32, sizeof length32);
        write_bytes(writer, lua, text, length);
        break;
    }
    case LUA_TTABLE: write_table(writer, lua, index, depth); break;
    default:
        luaL_error(lua, "%s is a %s: only numbers, texts, true, false and tables can be saved", writer->path,
                   luaL_typename(lua, index));
    }
}

static int save(lua_State *lua)
{
    couStoreWriter *writer = lua_touserdata(lua, 1);
    couSandbox *sandbox = &writer->scene->sandbox;
    write_bytes(writer, lua, magic, sizeof magic);
    write_bytes(writer, lua, sandbox->random, sizeof sandbox->random);
    lua_rawgeti(lua, LUA_REGISTRYINDEX, writer->scene->store);
    write_value(writer, lua, lua_gettop(lua), 0);
    return 0;
}

static bool call(couScene *scene, lua_CFunction function, void *context, couFaults *faults)
{
    couSandbox *sandbox = &scene->sandbox;
    lua_pushcfunction(sandbox->lua, function);
    lua_pushlightuserdata(sandbox->lua, context);
    if (couSandbox_Call(sandbox, 1, 0, couScene_LoadLimits(scene))) return true;
    couFaults_Add(faults, scene->path, "world.store", "%s", sandbox->error.message);
    return false;
}

bool couScene_SaveStore(couScene *scene, void **bytes, size_t *size, couFaults *faults)
{
    couStoreWriter writer = {.scene = scene, .path = "world.store"};
    *bytes = NULL;
    *size = 0;
    if (!call(scene, save, &writer, faults)) {
        free(writer.bytes);
        return false;
    }
    *bytes = writer.bytes;
    *size = writer.size;
    return true;
}

// --- Loading -----------------------------------------------------------------------------------------------------------------

typedef struct couStoreReader {
    couScene *scene;
    const char *bytes, *end;
    uint64_t random[4];
} couStoreReader;

static void read_bytes(couStoreReader *reader, lua_State *lua, void *bytes, size_t size)
{
    if ((size_t)(reader->end - reader->bytes) < size) luaL_error(lua, "the saved store is cut off");
    memcpy(bytes, reader->bytes, size);
    reader->bytes += size;
}

static void push_value(couStoreReader *reader, lua_State *lua, int depth);

static void push_table(couStoreReader *reader, lua_State *lua, int depth)
{
    if (depth == MAX_DEPTH) luaL_error(lua, "the saved store is nested too deeply");
    luaL_checkstack(lua, 10, NULL);
    uint32_t count;
    read_bytes(reader, lua, &count, sizeof count);
    lua_newtable(lua);
    for (uint32_t i = 0; i < count; ++i) {
        push_value(reader, lua, depth + 1);
        bool is_key = lua_type(lua, -1) != LUA_TTABLE && !(lua_type(lua, -1) == LUA_TNUMBER && isnan(lua_tonumber(lua, -1)));
        if (!is_key) luaL_error(lua, "the saved store has a bad key");
        push_value(reader, lua, depth + 1);
        lua_rawset(lua, -3);
    }
}

static void push_value(couStoreReader *reader, lua_State *lua, int depth)
{
    char tag;
    read_bytes(reader, lua, &tag, 1);
    switch (tag) {
    case 't':
    case 'f': lua_pushboolean(lua, tag == 't'); break;
    case 'i': {
        lua_Integer value;
        read_bytes(reader, lua, &value, sizeof value);
        lua_pushinteger(lua, value);
        break;
    }
    case 'n': {
        double value;
        read_bytes(reader, lua, &value, sizeof value);
        lua_pushnumber(lua, value);
        break;
    }
    case 's': {
        uint32_t length;
        read_bytes(reader, lua, &length, sizeof length);
        if ((size_t)(reader->end - reader->bytes) < length) luaL_error(lua, "the saved store is cut off");
        lua_pushlstring(lua, reader->bytes, length);
        reader->bytes += length;
        break;
    }
    case '{': push_table(reader, lua, depth); break;
    default: luaL_error(lua, "the saved store has an unknown tag %d", tag);
    }
}

static int load(lua_State *lua)
{
    couStoreReader *reader = lua_touserdata(lua, 1);
    char found[4];
    read_bytes(reader, lua, found, sizeof found);
    if (memcmp(found, magic, sizeof magic) != 0) return luaL_error(lua, "this is not a saved store");
    read_bytes(reader, lua, reader->random, sizeof reader->random);
    push_value(reader, lua, 0);
    if (!lua_istable(lua, -1) || reader->bytes != reader->end) return luaL_error(lua, "the saved store has extra bytes");
    // All is well: now replace.
    lua_rawseti(lua, LUA_REGISTRYINDEX, reader->scene->store);
    memcpy(reader->scene->sandbox.random, reader->random, sizeof reader->random);
    return 0;
}

bool couScene_LoadStore(couScene *scene, const void *bytes, size_t size, couFaults *faults)
{
    couStoreReader reader = {.scene = scene, .bytes = bytes, .end = (const char *)bytes + size};
    return call(scene, load, &reader, faults);
}
