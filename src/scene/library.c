// The part of Lua's libraries that scenes see.
//
// Kept as they are: functions whose cost is bounded by their result. Replaced: what loops without counting (rep of "", sort,
// move, find), what differs from run to run (pairs, next, tostring and %s of a table, sort's random pivots, random), and what
// would open a hole (setmetatable with __gc). Left out: everything else, patterns too, whose matching can take for ever inside
// one call and which no scene has needed. Reading a global that does not exist is an error with a suggestion, so that a
// misspelt name is not a silent nil.
#include "scene/sandbox.h"

#include "base/base.h"
#include "coulis/params.h"

#include <lauxlib.h>
#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>

#define MAX_REP ((lua_Integer)16 << 20) // bytes
#define MAX_MOVE 10000000               // elements
#define MAX_UNPACK 10000                // elements: they lie on the stack

// --- Order of keys -----------------------------------------------------------------------------------------------------------

static int key_rank(int type) { return type == LUA_TNUMBER ? 0 : type == LUA_TSTRING ? 1 : type == LUA_TBOOLEAN ? 2 : 3; }

static int compare_strings(lua_State *lua, int a, int b)
{
    size_t length_a, length_b;
    const char *text_a = lua_tolstring(lua, a, &length_a);
    const char *text_b = lua_tolstring(lua, b, &length_b);
    int order = memcmp(text_a, text_b, COU_MIN(length_a, length_b));
    return order != 0 ? order : (length_a > length_b) - (length_a < length_b);
}

// Keys at two stack places; never equal within one table.
static bool is_key_less(lua_State *lua, int a, int b)
{
    int rank_a = key_rank(lua_type(lua, a)), rank_b = key_rank(lua_type(lua, b));
    if (rank_a != rank_b) return rank_a < rank_b;
    if (rank_a == 0) return lua_compare(lua, a, b, LUA_OPLT);
    if (rank_a == 1) return compare_strings(lua, a, b) < 0;
    return lua_toboolean(lua, a) < lua_toboolean(lua, b);
}

static void check_key(lua_State *lua, int index)
{
    int type = lua_type(lua, index);
    if (key_rank(type) == 3) {
        luaL_error(lua, "a table with a %s as a key has no fixed order: use numbers and texts as keys", lua_typename(lua, type));
    }
}

typedef bool less_fcn(lua_State *lua, int a, int b);

// One merge of [low, middle) and [middle, high) from table `from` into table `to`. Taking the left one of equals keeps it stable.
static void merge(lua_State *lua, int from, int to, lua_Integer low, lua_Integer middle, lua_Integer high, less_fcn *less)
{
    lua_Integer left = low, right = middle;
    for (lua_Integer out = low; out < high; ++out) {
        if (left < middle && right < high) {
            lua_rawgeti(lua, from, left);
            lua_rawgeti(lua, from, right);
            bool takes_right = less(lua, lua_gettop(lua), lua_gettop(lua) - 1);
            lua_pop(lua, takes_right ? 1 : 2);
            if (takes_right) {
                lua_pop(lua, 1);
                lua_rawgeti(lua, from, right++);
            } else {
                lua_rawgeti(lua, from, left++);
            }
        } else {
            lua_rawgeti(lua, from, left < middle ? left++ : right++);
        }
        lua_rawseti(lua, to, out);
    }
    couSandbox_Work(lua, 4 * (high - low));
}

// Stable merge sort of elements 1 to count of the table at stack place `list`. A bad comparison gives a bad order, nothing worse.
static void sort_list(lua_State *lua, int list, lua_Integer count, less_fcn *less)
{
    luaL_checkstack(lua, 10, NULL);
    lua_createtable(lua, (int)COU_MIN(count, 1 << 20), 0);
    int from = list, to = lua_gettop(lua);
    for (lua_Integer width = 1; width < count; width *= 2) {
        for (lua_Integer low = 1; low <= count; low += 2 * width) {
            merge(lua, from, to, low, COU_MIN(low + width, count + 1), COU_MIN(low + 2 * width, count + 1), less);
        }
        int swap = from;
        from = to;
        to = swap;
    }
    for (lua_Integer i = 1; from != list && i <= count; ++i) {
        lua_rawgeti(lua, from, i);
        lua_rawseti(lua, list, i);
    }
    lua_pop(lua, 1);
}

void couSandbox_PushSortedKeys(lua_State *lua, int index)
{
    luaL_checkstack(lua, 10, NULL);
    index = lua_absindex(lua, index);
    lua_newtable(lua);
    int keys = lua_gettop(lua);
    lua_Integer count = 0;
    lua_pushnil(lua);
    while (lua_next(lua, index)) {
        lua_pop(lua, 1);
        check_key(lua, -1);
        lua_pushvalue(lua, -1);
        lua_rawseti(lua, keys, ++count);
    }
    couSandbox_Work(lua, count);
    sort_list(lua, keys, count, is_key_less);
}

// --- Base --------------------------------------------------------------------------------------------------------------------

// Upvalues: table, its sorted keys, place. Keys whose value went away meanwhile are skipped.
static int pairs_step(lua_State *lua)
{
    lua_Integer place = lua_tointeger(lua, lua_upvalueindex(3));
    for (;;) {
        lua_rawgeti(lua, lua_upvalueindex(2), ++place);
        if (lua_isnil(lua, -1)) return 1;
        lua_pushvalue(lua, -1);
        lua_rawget(lua, lua_upvalueindex(1));
        if (!lua_isnil(lua, -1)) break;
        lua_pop(lua, 2);
        couSandbox_Work(lua, 1);
    }
    lua_pushinteger(lua, place);
    lua_replace(lua, lua_upvalueindex(3));
    return 2;
}

static int base_pairs(lua_State *lua)
{
    luaL_checkany(lua, 1);
    if (luaL_getmetafield(lua, 1, "__pairs") != LUA_TNIL) {
        lua_pushvalue(lua, 1);
        lua_call(lua, 1, 3);
        return 3;
    }
    luaL_checktype(lua, 1, LUA_TTABLE);
    lua_settop(lua, 1);
    couSandbox_PushSortedKeys(lua, 1);
    lua_pushinteger(lua, 0);
    lua_pushcclosure(lua, pairs_step, 3);
    return 1;
}

// The smallest key above the given one: a pass over the table for each call, for tests like next(t) == nil.
static int base_next(lua_State *lua)
{
    luaL_checktype(lua, 1, LUA_TTABLE);
    lua_settop(lua, 2);
    if (!lua_isnil(lua, 2)) check_key(lua, 2);
    lua_pushnil(lua); // 3: the best so far
    int64_t count = 0;
    lua_pushnil(lua);
    while (lua_next(lua, 1)) {
        lua_pop(lua, 1);
        ++count;
        check_key(lua, 4);
        bool is_after = lua_isnil(lua, 2) || is_key_less(lua, 2, 4);
        if (!is_after || !(lua_isnil(lua, 3) || is_key_less(lua, 4, 3))) continue;
        lua_pushvalue(lua, 4);
        lua_replace(lua, 3);
    }
    couSandbox_Work(lua, count);
    if (lua_isnil(lua, 3)) return 1;
    lua_pushvalue(lua, 3);
    lua_rawget(lua, 1);
    return 2;
}

const char *couSandbox_PushText(lua_State *lua, int index)
{
    switch (lua_type(lua, index)) {
    case LUA_TNIL:
    case LUA_TBOOLEAN:
    case LUA_TNUMBER:
    case LUA_TSTRING: return luaL_tolstring(lua, index, NULL);
    default: break;
    }
    if (luaL_getmetafield(lua, index, "__tostring") != LUA_TNIL) {
        lua_pop(lua, 1);
        return luaL_tolstring(lua, index, NULL);
    }
    if (luaL_getmetafield(lua, index, "__name") == LUA_TSTRING) return lua_tostring(lua, -1);
    return lua_pushstring(lua, luaL_typename(lua, index));
}

static int base_tostring(lua_State *lua)
{
    luaL_checkany(lua, 1);
    couSandbox_PushText(lua, 1);
    return 1;
}

void couSandbox_Print(lua_State *lua, const char *text)
{
    couSandbox *sandbox = couSandbox_Of(lua);
    couSandbox_Work(lua, 100);
    if (sandbox->printed) {
        size_t used = strlen(sandbox->printed);
        snprintf(sandbox->printed + used, sandbox->printed_size - used, "%.1000s\n", text);
        return;
    }
    int64_t before = sandbox->printed_bytes;
    sandbox->printed_bytes += (int64_t)strnlen(text, 1000) + 1;
    if (sandbox->printed_bytes <= COU_PRINT_BYTES)
        couLog(cou_logInfo, "%.1000s", text);
    else if (before <= COU_PRINT_BYTES)
        couLog(cou_logWarning, "the scene has printed more than %d MB: the rest is left out", (int)(COU_PRINT_BYTES >> 20));
}

static int base_print(lua_State *lua)
{
    int count = lua_gettop(lua);
    luaL_Buffer buffer;
    luaL_buffinit(lua, &buffer);
    for (int i = 1; i <= count; ++i) {
        if (i > 1) luaL_addchar(&buffer, ' ');
        couSandbox_PushText(lua, i);
        luaL_addvalue(&buffer);
    }
    luaL_pushresult(&buffer);
    couSandbox_Print(lua, lua_tostring(lua, -1));
    return 0;
}

static int base_setmetatable(lua_State *lua)
{
    luaL_checktype(lua, 1, LUA_TTABLE);
    luaL_argexpected(lua, lua_isnil(lua, 2) || lua_istable(lua, 2), 2, "nil or table");
    lua_settop(lua, 2);
    if (luaL_getmetafield(lua, 1, "__metatable") != LUA_TNIL) return luaL_error(lua, "cannot change a protected metatable");
    static const char *const refused[] = {"__gc", "__mode"};
    for (int i = 0; i < COU_COUNT(refused) && lua_istable(lua, 2); ++i) {
        lua_pushstring(lua, refused[i]);
        lua_rawget(lua, 2);
        if (!lua_isnil(lua, -1)) return luaL_error(lua, "'%s' is not available in a scene", refused[i]);
        lua_pop(lua, 1);
    }
    lua_settop(lua, 2);
    lua_setmetatable(lua, 1);
    return 1;
}

static bool is_forbidden(const char *name)
{
    static const char *const names[] = {"io",      "os",        "debug",  "package", "load", "loadstring",     "loadfile",
                                        "dofile",  "coroutine", "xpcall", "utf8",    "warn", "collectgarbage", "module",
                                        "setfenv", "getfenv"};
    for (int i = 0; i < COU_COUNT(names); ++i) {
        if (strcmp(name, names[i]) == 0) return true;
    }
    return false;
}

static bool is_for_patterns(const char *prefix, const char *name)
{
    return strcmp(prefix, "string.") == 0 &&
           (strcmp(name, "match") == 0 || strcmp(name, "gmatch") == 0 || strcmp(name, "gsub") == 0);
}

// Collects up to `capacity` names of the table at `index`; they live as long as the table's keys.
static int collect_names(lua_State *lua, int index, const char **names, int capacity)
{
    int count = 0;
    lua_pushnil(lua);
    while (lua_next(lua, index)) {
        lua_pop(lua, 1);
        if (count < capacity && lua_type(lua, -1) == LUA_TSTRING) names[count++] = lua_tostring(lua, -1);
    }
    return count;
}

static int compare_names(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

// __index of the globals and of the libraries; upvalue: prefix like "math.".
static int unknown_name(lua_State *lua)
{
    const char *prefix = lua_tostring(lua, lua_upvalueindex(1));
    if (lua_type(lua, 2) != LUA_TSTRING) {
        lua_pushnil(lua);
        return 1;
    }
    const char *name = lua_tostring(lua, 2);
    if (strlen(name) > 60) return luaL_error(lua, "unknown name");
    if (!prefix[0] && is_forbidden(name)) {
        return luaL_error(lua, "'%s' is not available: a scene cannot reach files, programs or the interpreter", name);
    }
    if (is_for_patterns(prefix, name)) {
        return luaL_error(lua, "'string.%s' is not available: a scene has no patterns, but string.find(text, part, 1, true)",
                          name);
    }
    const char *names[200];
    int count = collect_names(lua, 1, names, COU_COUNT(names));
    qsort(names, (size_t)count, sizeof names[0], compare_names); // the first of equally near ones shall not depend on the run
    const char *nearest = couSuggest(names, count, name);
    if (nearest) return luaL_error(lua, "unknown name '%s%s': did you mean '%s%s'?", prefix, name, prefix, nearest);
    return luaL_error(lua, "unknown name '%s%s'", prefix, name);
}

// Makes reading an unknown name in the table on top of the stack an error.
static void make_strict(lua_State *lua, const char *prefix)
{
    lua_createtable(lua, 0, 2);
    lua_pushstring(lua, prefix);
    lua_pushcclosure(lua, unknown_name, 1);
    lua_setfield(lua, -2, "__index");
    lua_pushboolean(lua, 0);
    lua_setfield(lua, -2, "__metatable");
    lua_setmetatable(lua, -2);
}

// --- String ------------------------------------------------------------------------------------------------------------------

static int string_rep(lua_State *lua)
{
    size_t length, separator_length;
    const char *text = luaL_checklstring(lua, 1, &length);
    lua_Integer count = luaL_checkinteger(lua, 2);
    const char *separator = luaL_optlstring(lua, 3, "", &separator_length);
    size_t unit = length + separator_length;
    if (count <= 0 || unit == 0) {
        lua_pushliteral(lua, "");
        return 1;
    }
    if (unit > (size_t)MAX_REP || count > MAX_REP / (lua_Integer)unit) {
        return luaL_error(lua, "string.rep: the result would be longer than %d MB", (int)(MAX_REP >> 20));
    }
    // Doubling what is there: a few large copies instead of many small ones.
    size_t size = (size_t)count * unit - separator_length, done = COU_MIN(unit, size);
    luaL_Buffer buffer;
    char *bytes = luaL_buffinitsize(lua, &buffer, size);
    memcpy(bytes, text, length);
    memcpy(bytes + length, separator, done - length);
    for (; done < size; done += COU_MIN(done, size - done)) memcpy(bytes + done, bytes, COU_MIN(done, size - done));
    luaL_pushresultsize(&buffer, size);
    couSandbox_Work(lua, (int64_t)size / 16);
    return 1;
}

// Of plain texts. What would be a pattern is an error, so that no script finds something else here than elsewhere.
static int string_find(lua_State *lua)
{
    size_t length, what_length;
    const char *text = luaL_checklstring(lua, 1, &length);
    const char *what = luaL_checklstring(lua, 2, &what_length);
    lua_Integer size = (lua_Integer)length, start = luaL_optinteger(lua, 3, 1);
    for (size_t i = 0; i < what_length && !lua_toboolean(lua, 4); ++i) {
        if (!memchr("^$*+?.([%-", what[i], 10)) continue;
        return luaL_error(lua, "string.find: a scene has no patterns, but string.find(text, part, 1, true)");
    }
    if (start < 0) start = start < -size ? 1 : size + start + 1;
    if (start == 0) start = 1;
    couSandbox_Work(lua, size / 16);
    const char *found = start <= size + 1 ? memmem(text + start - 1, length - (size_t)(start - 1), what, what_length) : NULL;
    if (!found) {
        lua_pushnil(lua);
        return 1;
    }
    lua_pushinteger(lua, found - text + 1);
    lua_pushinteger(lua, found - text + (lua_Integer)what_length);
    return 2;
}

// Lua's own format, without addresses; upvalue: Lua's own.
static int string_format(lua_State *lua)
{
    const char *format = luaL_checkstring(lua, 1);
    for (const char *c = format; (c = strchr(c, '%')); ++c) {
        ++c;
        if (*c == '%') continue;
        c += strspn(c, "-+ #0123456789.");
        if (*c == 'p') return luaL_error(lua, "string.format: '%%p' is not available in a scene");
        if (!*c) break;
    }
    int count = lua_gettop(lua);
    for (int i = 2; i <= count; ++i) {
        int type = lua_type(lua, i);
        if (type == LUA_TNIL || type == LUA_TBOOLEAN || type == LUA_TNUMBER || type == LUA_TSTRING) continue;
        couSandbox_PushText(lua, i);
        lua_replace(lua, i);
    }
    lua_pushvalue(lua, lua_upvalueindex(1));
    lua_insert(lua, 1);
    lua_call(lua, count, 1);
    return 1;
}

// --- Table -------------------------------------------------------------------------------------------------------------------

static int table_concat(lua_State *lua)
{
    luaL_checktype(lua, 1, LUA_TTABLE);
    size_t separator_length;
    const char *separator = luaL_optlstring(lua, 2, "", &separator_length);
    lua_Integer first = luaL_optinteger(lua, 3, 1);
    lua_Integer last = luaL_optinteger(lua, 4, (lua_Integer)lua_rawlen(lua, 1));
    luaL_Buffer buffer;
    luaL_buffinit(lua, &buffer);
    for (lua_Integer i = first; i <= last; ++i) {
        int type = lua_rawgeti(lua, 1, i);
        if (type != LUA_TSTRING && type != LUA_TNUMBER) {
            return luaL_error(lua, "table.concat: element %I is a %s, not a text or number", i, lua_typename(lua, type));
        }
        luaL_addvalue(&buffer);
        if (i < last) luaL_addlstring(&buffer, separator, separator_length);
        if (i % 1024 == 0) couSandbox_Work(lua, 1024);
        if (i == last) break; // no overflow at the largest integer
    }
    luaL_pushresult(&buffer);
    return 1;
}

static int table_insert(lua_State *lua)
{
    luaL_checktype(lua, 1, LUA_TTABLE);
    lua_Integer end = (lua_Integer)lua_rawlen(lua, 1) + 1;
    int count = lua_gettop(lua);
    if (count != 2 && count != 3) return luaL_error(lua, "table.insert: takes 2 or 3 arguments, got %d", count);
    lua_Integer place = count == 3 ? luaL_checkinteger(lua, 2) : end;
    if (place < 1 || place > end) return luaL_error(lua, "table.insert: position %I is not within 1 to %I", place, end);
    couSandbox_Work(lua, end - place);
    for (lua_Integer i = end; i > place; --i) {
        lua_rawgeti(lua, 1, i - 1);
        lua_rawseti(lua, 1, i);
    }
    lua_rawseti(lua, 1, place); // the value is on top
    return 0;
}

static int table_remove(lua_State *lua)
{
    luaL_checktype(lua, 1, LUA_TTABLE);
    lua_Integer count = (lua_Integer)lua_rawlen(lua, 1);
    lua_Integer place = luaL_optinteger(lua, 2, count);
    if (count + 1 == place || (count == 0 && place == 0)) {
        lua_rawgeti(lua, 1, place);
        return 1;
    }
    if (place < 1 || place > count) return luaL_error(lua, "table.remove: position %I is not within 1 to %I", place, count);
    couSandbox_Work(lua, count - place);
    lua_rawgeti(lua, 1, place);
    for (lua_Integer i = place; i < count; ++i) {
        lua_rawgeti(lua, 1, i + 1);
        lua_rawseti(lua, 1, i);
    }
    lua_pushnil(lua);
    lua_rawseti(lua, 1, count);
    return 1;
}

static bool is_less(lua_State *lua, int a, int b) { return lua_compare(lua, a, b, LUA_OPLT); }

static bool is_less_by_function(lua_State *lua, int a, int b)
{
    lua_pushvalue(lua, 2);
    lua_pushvalue(lua, a);
    lua_pushvalue(lua, b);
    lua_call(lua, 2, 1);
    bool result = lua_toboolean(lua, -1);
    lua_pop(lua, 1);
    return result;
}

static int table_sort(lua_State *lua)
{
    luaL_checktype(lua, 1, LUA_TTABLE);
    if (!lua_isnoneornil(lua, 2)) luaL_checktype(lua, 2, LUA_TFUNCTION);
    lua_settop(lua, 2);
    lua_Integer count = (lua_Integer)lua_rawlen(lua, 1);
    sort_list(lua, 1, count, lua_isnil(lua, 2) ? is_less : is_less_by_function);
    return 0;
}

static int table_unpack(lua_State *lua)
{
    luaL_checktype(lua, 1, LUA_TTABLE);
    lua_Integer first = luaL_optinteger(lua, 2, 1);
    lua_Integer last = luaL_optinteger(lua, 3, (lua_Integer)lua_rawlen(lua, 1));
    if (first > last) return 0;
    lua_Unsigned count = (lua_Unsigned)last - (lua_Unsigned)first;
    if (count >= MAX_UNPACK || !lua_checkstack(lua, (int)count + 1)) return luaL_error(lua, "table.unpack: too many values");
    for (lua_Unsigned i = 0; i <= count; ++i) lua_rawgeti(lua, 1, (lua_Integer)((lua_Unsigned)first + i));
    return (int)count + 1;
}

static int table_pack(lua_State *lua)
{
    int count = lua_gettop(lua);
    lua_createtable(lua, count, 1);
    lua_insert(lua, 1);
    for (int i = count; i >= 1; --i) lua_rawseti(lua, 1, i);
    lua_pushinteger(lua, count);
    lua_setfield(lua, 1, "n");
    return 1;
}

static int table_move(lua_State *lua)
{
    luaL_checktype(lua, 1, LUA_TTABLE);
    lua_Integer first = luaL_checkinteger(lua, 2), last = luaL_checkinteger(lua, 3), to = luaL_checkinteger(lua, 4);
    int target = lua_isnoneornil(lua, 5) ? 1 : 5;
    luaL_checktype(lua, target, LUA_TTABLE);
    if (last >= first) {
        lua_Unsigned count = (lua_Unsigned)last - (lua_Unsigned)first;
        if (count >= MAX_MOVE || to > LUA_MAXINTEGER - (lua_Integer)count)
            return luaL_error(lua, "table.move: too many elements");
        couSandbox_Work(lua, (int64_t)count + 1);
        bool is_backward = to > first && to <= last && target == 1; // overlapping: from the end
        for (lua_Unsigned i = 0; i <= count; ++i) {
            lua_Integer offset = (lua_Integer)(is_backward ? count - i : i);
            lua_rawgeti(lua, 1, first + offset);
            lua_rawseti(lua, target, to + offset);
        }
    }
    lua_pushvalue(lua, target);
    return 1;
}

// --- Random numbers: xoshiro256** [Blackman and Vigna 2021], seeded by splitmix64 --------------------------------------------

static uint64_t rotate_left(uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }

static uint64_t next_random(uint64_t s[4])
{
    uint64_t result = rotate_left(s[1] * 5, 7) * 9;
    uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate_left(s[3], 45);
    return result;
}

void couSandbox_SeedRandom(couSandbox *sandbox, uint64_t seed)
{
    for (int i = 0; i < 4; ++i) {
        uint64_t z = (seed += 0x9e3779b97f4a7c15u);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        sandbox->random[i] = z ^ (z >> 31);
    }
}

// Uniform in 0 to range, both included; numbers beyond the last full multiple are drawn again so that none is favoured.
static uint64_t random_below(uint64_t s[4], uint64_t range)
{
    if (range == UINT64_MAX) return next_random(s);
    uint64_t count = range + 1;
    uint64_t last = UINT64_MAX - UINT64_MAX % count - 1;
    uint64_t x;
    do x = next_random(s);
    while (x > last);
    return x % count;
}

static int math_random(lua_State *lua)
{
    couSandbox *sandbox = couSandbox_Of(lua);
    if (sandbox->is_pure)
        return luaL_error(lua,
                          "math.random is not available here: a function that the run calls must depend on its arguments alone");
    lua_Integer low = 1, high;
    switch (lua_gettop(lua)) {
    case 0: lua_pushnumber(lua, (double)(next_random(sandbox->random) >> 11) * 0x1p-53); return 1;
    case 1: high = luaL_checkinteger(lua, 1); break;
    case 2:
        low = luaL_checkinteger(lua, 1);
        high = luaL_checkinteger(lua, 2);
        break;
    default: return luaL_error(lua, "math.random: too many arguments");
    }
    if (low > high) return luaL_error(lua, "math.random: the interval from %I to %I is empty", low, high);
    uint64_t offset = random_below(sandbox->random, (uint64_t)high - (uint64_t)low);
    lua_pushinteger(lua, (lua_Integer)((uint64_t)low + offset));
    return 1;
}

static int math_randomseed(lua_State *lua)
{
    couSandbox *sandbox = couSandbox_Of(lua);
    if (sandbox->is_pure) return luaL_error(lua, "math.randomseed is not available here");
    couSandbox_SeedRandom(sandbox, (uint64_t)luaL_checkinteger(lua, 1));
    return 0;
}

// --- Opening -----------------------------------------------------------------------------------------------------------------

// Replaces the table on top of the stack by one that has only the named fields of it.
static void keep_only(lua_State *lua, const char *const *names)
{
    lua_newtable(lua);
    for (; *names; ++names) {
        lua_getfield(lua, -2, *names);
        lua_setfield(lua, -2, *names);
    }
    lua_remove(lua, -2);
}

static void open_base(lua_State *lua)
{
    static const char *const kept[] = {"assert", "error",  "getmetatable", "ipairs",   "pcall", "rawequal", "rawget",
                                       "rawlen", "rawset", "select",       "tonumber", "type",  "_VERSION", NULL};
    static const luaL_Reg own[] = {{"pairs", base_pairs},
                                   {"next", base_next},
                                   {"tostring", base_tostring},
                                   {"print", base_print},
                                   {"setmetatable", base_setmetatable},
                                   {NULL, NULL}};
    // luaopen_base fills the table of globals: take the good ones aside, empty it, put them back.
    luaL_requiref(lua, "_G", luaopen_base, 0);
    lua_pushvalue(lua, -1);
    keep_only(lua, kept);
    int globals = lua_gettop(lua) - 1, safe = lua_gettop(lua);
    lua_pushnil(lua);
    while (lua_next(lua, globals)) {
        lua_pop(lua, 1);
        lua_pushvalue(lua, -1);
        lua_pushnil(lua);
        lua_rawset(lua, globals);
    }
    for (const char *const *name = kept; *name; ++name) {
        lua_getfield(lua, safe, *name);
        lua_setfield(lua, globals, *name);
    }
    lua_pop(lua, 1);
    luaL_setfuncs(lua, own, 0);
    lua_pushvalue(lua, -1);
    lua_setfield(lua, -2, "_G");
    make_strict(lua, "");
    lua_pop(lua, 1);
}

static void open_string(lua_State *lua)
{
    static const char *const kept[] = {"byte", "char", "format", "len", "lower", "reverse", "sub", "upper", NULL};
    luaL_requiref(lua, "string", luaopen_string, 0); // also gives strings their metatable
    keep_only(lua, kept);
    lua_pushcfunction(lua, string_find);
    lua_setfield(lua, -2, "find");
    lua_pushcfunction(lua, string_rep);
    lua_setfield(lua, -2, "rep");
    lua_getfield(lua, -1, "format");
    lua_pushcclosure(lua, string_format, 1);
    lua_setfield(lua, -2, "format");
    make_strict(lua, "string.");
    // The metatable of all strings: its library is now the safe one, and the script cannot reach it.
    lua_pushliteral(lua, "");
    lua_getmetatable(lua, -1);
    lua_pushvalue(lua, -3);
    lua_setfield(lua, -2, "__index");
    lua_pushboolean(lua, 0);
    lua_setfield(lua, -2, "__metatable");
    lua_pop(lua, 2);
    lua_setglobal(lua, "string");
}

static void open_table(lua_State *lua)
{
    static const luaL_Reg own[] = {
        {"concat", table_concat}, {"insert", table_insert}, {"remove", table_remove}, {"sort", table_sort},
        {"unpack", table_unpack}, {"pack", table_pack},     {"move", table_move},     {NULL, NULL}};
    luaL_newlib(lua, own);
    make_strict(lua, "table.");
    lua_setglobal(lua, "table");
}

static void open_math(lua_State *lua)
{
    static const char *const kept[] = {"abs",  "acos", "asin", "atan", "ceil",       "cos",        "deg", "exp",  "floor",
                                       "fmod", "huge", "log",  "max",  "maxinteger", "mininteger", "min", "modf", "pi",
                                       "rad",  "sin",  "sqrt", "tan",  "tointeger",  "type",       "ult", NULL};
    static const luaL_Reg own[] = {{"random", math_random}, {"randomseed", math_randomseed}, {NULL, NULL}};
    luaL_requiref(lua, "math", luaopen_math, 0);
    keep_only(lua, kept);
    luaL_setfuncs(lua, own, 0);
    make_strict(lua, "math.");
    lua_setglobal(lua, "math");
}

void couSandbox_OpenLibraries(lua_State *lua)
{
    open_base(lua);
    open_string(lua);
    open_table(lua);
    open_math(lua);
    // luaL_requiref remembers the full libraries in the registry; drop them.
    lua_pushnil(lua);
    lua_setfield(lua, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
}
