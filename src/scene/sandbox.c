// The sandbox: a Lua state with limits.
//
// Instructions are counted by Lua's count hook, which also looks at the clocks. The hook does not run inside C functions, so
// every C function that a scene can reach is bounded by itself: library.c replaces those that loop, and reports their work
// through couSandbox_Work(). No block is larger than 16 MiB, so one instruction (a comparison, a concatenation) stays below
// about 0.1 s, and the hook comes every 32 instructions.
//
// One instruction can take for ever: a call of what is no function looks for __call, and each link of a chain of those pushes
// one more argument below the others; a table that is its own __call fills Lua's stack of a million values in a time that grows
// with its square, minutes. No hook runs there, but the stack grows through the allocator, which refuses one of more than 32 768
// values: the chain ends after about a second. A recursion of 3000 levels fits.
//
// Once a limit is reached the hook comes at every instruction and raises each time: pcall() cannot hold the script alive. Three
// things of Lua would run with hooks off and are not there: __gc metamethods, the message handlers of xpcall, and coroutines
// (hooks are per thread).
//
// The CPU clock is a system call, the monotonic clock is not: wall time is never shorter than CPU time, so the first is read only
// when the second has passed the limit.
#include "scene/sandbox.h"

#include "base/base.h"

#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define HOOK_COUNT 32
#define COMPILE_SECONDS 5 // of one file, on the CPU
#define PIECE_BYTES ((size_t)1 << 12)
#define PATIENCE 1.0            // of an interrupt with a script, so that a run can end with a whole frame [s]
#define SLACK ((size_t)1 << 20) // for the error message once the memory is used up [bytes]

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

couSandbox *couSandbox_Of(lua_State *lua) { return *(couSandbox **)lua_getextraspace(lua); }

// "path:line"; a path that does not fit loses its beginning, never its line.
static void format_place(const couSandbox *sandbox, const char *name, int line, char where[192])
{
    const char *path = name;
    for (int i = 0; i < sandbox->chunk_count; ++i) {
        if (strcmp(sandbox->chunks[i].name, name) == 0) path = sandbox->chunks[i].path;
    }
    size_t length = strlen(path);
    const size_t room = 170;
    bool is_cut = length > room;
    snprintf(where, 192, "%s%.170s:%d", is_cut ? "..." : "", is_cut ? path + (length - room) : path, line);
}

void couSandbox_Where(lua_State *lua, char where[192])
{
    where[0] = '\0';
    lua_Debug record;
    for (int level = 0; lua_getstack(lua, level, &record); ++level) {
        lua_getinfo(lua, "Sl", &record);
        if (record.currentline <= 0) continue;
        format_place(couSandbox_Of(lua), record.short_src, record.currentline, where);
        return;
    }
}

// --- Limits ------------------------------------------------------------------------------------------------------------------

static void hook(lua_State *lua, lua_Debug *record);

// Without a place: while Lua moves its stack in place, nobody may look at it.
static void stop_blindly(couSandbox *sandbox, couStop reason)
{
    if (sandbox->stop != cou_stopNone) return;
    sandbox->stop = reason;
    lua_sethook(sandbox->lua, hook, LUA_MASKCOUNT | LUA_MASKCALL | LUA_MASKRET, 1);
}

static void stop(couSandbox *sandbox, couStop reason)
{
    if (sandbox->stop == cou_stopNone) couSandbox_Where(sandbox->lua, sandbox->stop_where);
    stop_blindly(sandbox, reason);
}

static void check_time(couSandbox *sandbox)
{
    if (isnan(sandbox->cpu_start)) {
        sandbox->cpu_start = cpu_seconds();
        return;
    }
    double seconds = couSeconds() - sandbox->wall_start;
    if (seconds > PATIENCE && sandbox->is_interrupted && sandbox->is_interrupted()) stop(sandbox, cou_stopInterrupt);
    if (seconds < sandbox->limits.cpu_seconds) return;
    if (cpu_seconds() - sandbox->cpu_start > sandbox->limits.cpu_seconds) stop(sandbox, cou_stopTime);
}

static void format_stop(const couSandbox *sandbox, char *text, size_t size)
{
    switch (sandbox->stop) {
    case cou_stopMemory:
        snprintf(text, size, "the script needs more than %d MB of memory, or one string or table of more than %d MB",
                 (int)(COU_SANDBOX_BYTES >> 20), (int)(COU_SANDBOX_BLOCK >> 20));
        break;
    case cou_stopInstructions:
        snprintf(text, size, "the script ran more than %g million instructions: an endless loop?",
                 (double)sandbox->limits.instructions * 1e-6);
        break;
    case cou_stopStack:
        snprintf(text, size, "stack overflow: the running calls hold more than %d values: an endless recursion?",
                 (int)(COU_SANDBOX_STACK / 16));
        break;
    case cou_stopInterrupt: snprintf(text, size, "the script was interrupted"); break;
    default:
        snprintf(text, size, "the script took more than %g s of computing time: an endless loop?", sandbox->limits.cpu_seconds);
        break;
    }
}

static void raise_if_stopped(lua_State *lua)
{
    const couSandbox *sandbox = couSandbox_Of(lua);
    if (sandbox->stop == cou_stopNone) return;
    char text[160];
    format_stop(sandbox, text, sizeof text);
    lua_pushstring(lua, text);
    lua_error(lua);
}

static void spend(couSandbox *sandbox, int64_t amount)
{
    sandbox->instructions_left -= amount;
    if (sandbox->instructions_left < 0) stop(sandbox, cou_stopInstructions);
    check_time(sandbox);
}

static void hook(lua_State *lua, lua_Debug *record)
{
    (void)record;
    couSandbox *sandbox = couSandbox_Of(lua);
    if (sandbox->stop == cou_stopNone) spend(sandbox, HOOK_COUNT);
    raise_if_stopped(lua);
}

void couSandbox_Work(lua_State *lua, int64_t amount)
{
    spend(couSandbox_Of(lua), amount);
    raise_if_stopped(lua);
}

void couSandbox_PauseClock(couSandbox *sandbox)
{
    sandbox->pause_wall = couSeconds();
    sandbox->pause_cpu = cpu_seconds();
}

void couSandbox_ResumeClock(couSandbox *sandbox)
{
    sandbox->wall_start += couSeconds() - sandbox->pause_wall;
    sandbox->cpu_start += cpu_seconds() - sandbox->pause_cpu; // NaN stays
}

// Follows Lua's stack from block to block: depending on its version Lua takes a new block, copies and frees the old one, or grows
// it in place. A stack that has become too large is known when it is there; the next block of such a size is refused.
static void follow_stack(couSandbox *sandbox, const void *block, void *moved, size_t new_size)
{
    bool is_freed = new_size == 0;
    if (!is_freed) sandbox->newest = (couBlock){moved, new_size};
    if (!block || block != sandbox->stack.start) return;
    size_t old_size = sandbox->stack.size;
    sandbox->stack = sandbox->newest;
    if (!(sandbox->stack.size > COU_SANDBOX_STACK && sandbox->stack.size > old_size)) return;
    if (is_freed)
        stop(sandbox, cou_stopStack);
    else
        stop_blindly(sandbox, cou_stopStack);
}

// When it says no, Lua collects all garbage and asks once more: only the second no in a row is final. Shrinking never fails.
static void *allocate(void *context, void *block, size_t old_size, size_t new_size)
{
    couSandbox *sandbox = context;
    if (!block) old_size = 0; // then it is a type tag
    if (new_size == 0) {
        follow_stack(sandbox, block, NULL, 0);
        free(block);
        sandbox->bytes -= old_size;
        return NULL;
    }
    if (new_size > old_size) {
        if (sandbox->stop == cou_stopStack && new_size > COU_SANDBOX_STACK) return NULL;
        size_t limit = COU_SANDBOX_BYTES + (sandbox->stop != cou_stopNone ? SLACK : 0);
        if (new_size > COU_SANDBOX_BLOCK || sandbox->bytes + (new_size - old_size) > limit) {
            if (sandbox->lua && sandbox->stop == cou_stopNone && (!block || block != sandbox->stack.start)) {
                couSandbox_Where(sandbox->lua, sandbox->stop_where);
                check_time(sandbox); // collections at the edge of the memory are slow
                if (sandbox->has_refused) stop(sandbox, cou_stopMemory);
            }
            sandbox->has_refused = true;
            return NULL;
        }
        sandbox->has_refused = false;
    }
    void *moved = realloc(block, new_size);
    if (!moved) return new_size <= old_size ? block : NULL;
    sandbox->bytes = sandbox->bytes - old_size + new_size;
    follow_stack(sandbox, block, moved, new_size);
    return moved;
}

// Which block is the stack: the one that is taken, or moved, when room on it is asked for.
static bool find_stack(couSandbox *sandbox)
{
    sandbox->newest = (couBlock){0};
    if (!lua_checkstack(sandbox->lua, 1000)) return false;
    sandbox->stack = sandbox->newest;
    return sandbox->stack.start != NULL;
}

// --- Errors ------------------------------------------------------------------------------------------------------------------

// Takes "name:line: " off the front of Lua's message, if it is there, and fills `where` from it.
static const char *take_place(const couSandbox *sandbox, const char *message, char where[192])
{
    for (int i = 0; i < sandbox->chunk_count; ++i) {
        const char *name = sandbox->chunks[i].name;
        size_t length = strlen(name);
        if (strncmp(message, name, length) != 0 || message[length] != ':') continue;
        char *end;
        long line = strtol(message + length + 1, &end, 10);
        if (line <= 0 || end[0] != ':' || end[1] != ' ') continue;
        format_place(sandbox, name, (int)line, where);
        return end + 2;
    }
    return message;
}

// Control characters would garble the terminal.
static void copy_clean(char *to, size_t size, const char *from)
{
    size_t count = 0;
    for (; from[count] && count + 1 < size; ++count) {
        unsigned char c = (unsigned char)from[count];
        to[count] = c < 32 || c == 127 ? ' ' : (char)c;
    }
    to[count] = '\0';
}

static void keep_error(couSandbox *sandbox, const char *message)
{
    const char *rest = take_place(sandbox, message, sandbox->error.where);
    copy_clean(sandbox->error.message, sizeof sandbox->error.message, rest);
}

static int handle_error(lua_State *lua)
{
    couSandbox *sandbox = couSandbox_Of(lua);
    couSandbox_Where(lua, sandbox->error.where);
    if (lua_type(lua, 1) == LUA_TSTRING) {
        keep_error(sandbox, lua_tostring(lua, 1));
    } else {
        snprintf(sandbox->error.message, sizeof sandbox->error.message, "error(): the value is a %s, not a text",
                 luaL_typename(lua, 1));
    }
    return 0;
}

// The reason of a stop goes before whatever the script made of it.
static void finish_error(couSandbox *sandbox, int status)
{
    if (status == LUA_ERRMEM && sandbox->stop == cou_stopNone) sandbox->stop = cou_stopMemory; // string buffers ask only once
    if (sandbox->stop != cou_stopNone) {
        memcpy(sandbox->error.where, sandbox->stop_where, sizeof sandbox->error.where);
        format_stop(sandbox, sandbox->error.message, sizeof sandbox->error.message);
    } else if (!sandbox->error.message[0]) {
        snprintf(sandbox->error.message, sizeof sandbox->error.message, "an error while handling an error");
    }
}

bool couSandbox_Call(couSandbox *sandbox, int argument_count, int result_count, couLimits limits)
{
    lua_State *lua = sandbox->lua;
    const couSandbox outer = *sandbox;
    sandbox->limits = limits;
    sandbox->instructions_left = limits.instructions;
    sandbox->wall_start = couSeconds();
    sandbox->cpu_start = NAN;
    sandbox->stop = cou_stopNone;
    memset(&sandbox->error, 0, sizeof sandbox->error);
    lua_sethook(lua, hook, LUA_MASKCOUNT, HOOK_COUNT);

    int base = lua_gettop(lua) - argument_count;
    lua_pushcfunction(lua, handle_error);
    lua_insert(lua, base);
    int status = lua_pcall(lua, argument_count, result_count, base);
    if (status != LUA_OK) {
        finish_error(sandbox, status);
        lua_settop(lua, base); // the handler; removed below
    }
    lua_remove(lua, base);

    // Back to the limits of the call around this one, if there is one.
    sandbox->limits = outer.limits;
    sandbox->instructions_left = outer.instructions_left;
    sandbox->wall_start = outer.wall_start;
    sandbox->cpu_start = outer.cpu_start;
    sandbox->stop = cou_stopNone;
    lua_sethook(lua, hook, LUA_MASKCOUNT, HOOK_COUNT);
    return status == LUA_OK;
}

// --- Opening and compiling ---------------------------------------------------------------------------------------------------

static int open_libraries(lua_State *lua)
{
    couSandbox_OpenLibraries(lua);
    return 0;
}

bool couSandbox_Open(couSandbox *sandbox, void *owner)
{
    *sandbox = (couSandbox){.owner = owner, .cpu_start = NAN};
    sandbox->chunks = calloc(COU_MAX_CHUNKS, sizeof *sandbox->chunks);
    lua_State *lua = sandbox->chunks ? lua_newstate(allocate, sandbox) : NULL;
    if (!lua) {
        free(sandbox->chunks);
        *sandbox = (couSandbox){0};
        return false;
    }
    sandbox->lua = lua;
    *(couSandbox **)lua_getextraspace(lua) = sandbox;
    couSandbox_SeedRandom(sandbox, 1);
    lua_pushcfunction(lua, open_libraries);
    if (find_stack(sandbox) && couSandbox_Call(sandbox, 0, 0, (couLimits){1000000, 5.0})) return true;
    couSandbox_Close(sandbox);
    return false;
}

void couSandbox_Close(couSandbox *sandbox)
{
    if (sandbox->lua) lua_close(sandbox->lua);
    free(sandbox->chunks);
    *sandbox = (couSandbox){0};
}

// What is left of a text, and when it was begun.
typedef struct Source {
    const char *text;
    size_t size;
    double cpu_start; // [s]
} Source;

// Lua takes its text piece by piece, since no hook runs while it compiles: the time grows with the square of some texts (a chain
// of 100,000 `and` takes 16 s).
static const char *next_piece(lua_State *lua, void *context, size_t *size)
{
    Source *source = context;
    if (cpu_seconds() - source->cpu_start > COMPILE_SECONDS) {
        lua_pushfstring(lua, "cannot be compiled in %d s of computing time", COMPILE_SECONDS);
        lua_error(lua);
    }
    const char *piece = source->text;
    *size = COU_MIN(source->size, PIECE_BYTES);
    source->text += *size;
    source->size -= *size;
    return piece;
}

bool couSandbox_Compile(couSandbox *sandbox, const char *name, const char *path, const char *text, size_t size)
{
    memset(&sandbox->error, 0, sizeof sandbox->error);
    if (sandbox->chunk_count == COU_MAX_CHUNKS) {
        snprintf(sandbox->error.message, sizeof sandbox->error.message, "more than %d files in one scene", COU_MAX_CHUNKS);
        return false;
    }
    // A name that Lua would not shorten, so that its messages can be matched.
    couChunk *chunk = &sandbox->chunks[sandbox->chunk_count++];
    size_t length = strlen(name);
    size_t room = sizeof chunk->name - 1;
    snprintf(chunk->name, sizeof chunk->name, "%s", length > room ? name + (length - room) : name);
    snprintf(chunk->path, sizeof chunk->path, "%s", path);

    char tag[64];
    snprintf(tag, sizeof tag, "@%s", chunk->name);
    snprintf(sandbox->error.where, sizeof sandbox->error.where, "%.180s", path);
    Source source = {text, size, cpu_seconds()};
    int status = lua_load(sandbox->lua, next_piece, &source, tag, "t");
    if (status == LUA_OK) return true;
    const char *message = lua_tostring(sandbox->lua, -1);
    keep_error(sandbox, message ? message : "cannot be read");
    lua_pop(sandbox->lua, 1);
    return false;
}
