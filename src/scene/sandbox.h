/// A Lua state that cannot reach files or programs and that always comes back: memory, stack, instructions and time are limited.
#pragma once

#include "coulis/base.h"

#include <lua.h>

#define COU_SANDBOX_BYTES ((size_t)256 << 20) ///< of one Lua state
#define COU_SANDBOX_BLOCK ((size_t)16 << 20)  ///< largest single string or table part
#define COU_SANDBOX_STACK ((size_t)1 << 19)   ///< of Lua's stack: 32 768 values
#define COU_SCRIPT_BYTES ((size_t)1 << 20)    ///< largest script file
#define COU_PRINT_BYTES ((int64_t)4 << 20)    ///< that a scene may print in all
#define COU_MAX_CHUNKS 256                    ///< files of one scene

/// What one call into Lua may use.
typedef struct couLimits {
    int64_t instructions;
    double cpu_seconds; ///< of the calling thread [s]
} couLimits;

typedef enum couStop {
    cou_stopNone,
    cou_stopMemory,
    cou_stopInstructions,
    cou_stopTime,
    cou_stopStack,
    cou_stopInterrupt
} couStop;

/// A script file: Lua knows it by a short name, faults by its path.
typedef struct couChunk {
    char name[56];
    char path[1024];
} couChunk;

/// The last error of a call.
typedef struct couLuaError {
    char where[192]; ///< "path:line"
    char message[320];
} couLuaError;

typedef struct couBlock {
    void *start;
    size_t size; ///< [bytes]
} couBlock;

typedef struct couSandbox {
    lua_State *lua;
    void *owner; ///< whose sandbox it is; for C functions
    size_t bytes;
    couBlock stack;   ///< Lua's own, among the blocks of the allocator
    couBlock newest;  ///< that was taken last
    bool has_refused; ///< the allocator said no once; Lua collects garbage and asks again
    couLimits limits; ///< of the running call
    int64_t instructions_left;
    double wall_start;            ///< [s]
    double cpu_start;             ///< [s]; NaN until first needed
    double pause_wall, pause_cpu; ///< when the clock was paused [s]
    couStop stop;                 ///< why the running call must end
    int (*is_interrupted)(void);  ///< whether somebody wants it to end; NULL: nobody does
    int64_t printed_bytes;
    bool is_pure; ///< the running call must be a pure function: no random numbers
    uint64_t random[4];
    couChunk *chunks;
    int chunk_count;
    char stop_where[192];
    couLuaError error;
    char *printed; ///< where print() and world:log() go while it is set, instead of the log
    size_t printed_size;
} couSandbox;

/// False without memory. The state has the safe part of Lua's libraries (library.c) and nothing else.
bool couSandbox_Open(couSandbox *sandbox, void *owner);
void couSandbox_Close(couSandbox *sandbox);
couSandbox *couSandbox_Of(lua_State *lua);

/// Compiles text and pushes the function. On failure pushes nothing and fills `error`.
bool couSandbox_Compile(couSandbox *sandbox, const char *name, const char *path, const char *text, size_t size);
/// Like lua_pcall() under limits. On failure the stack holds no results and `error` says what went wrong. May be nested.
bool couSandbox_Call(couSandbox *sandbox, int argument_count, int result_count, couLimits limits);
/// For C functions: counts `amount` units of work, each about an instruction, and raises an error when the limits are reached.
void couSandbox_Work(lua_State *lua, int64_t amount);
/// For C functions: the time from pause to resume is not the script's (reading files, building grids); bound it by
/// couSandbox_Work().
void couSandbox_PauseClock(couSandbox *sandbox);
void couSandbox_ResumeClock(couSandbox *sandbox);
/// "path:line" of the innermost running Lua function; "" when there is none.
void couSandbox_Where(lua_State *lua, char where[192]);

/// Puts the safe libraries into a new state (library.c). Called in protected mode.
void couSandbox_OpenLibraries(lua_State *lua);
void couSandbox_SeedRandom(couSandbox *sandbox, uint64_t seed);

/// Pushes a sequence of the keys of the table at `index`: numbers ascending, then strings bytewise, then false, true.
/// Raises an error for other keys, which have no order that is the same in every run.
void couSandbox_PushSortedKeys(lua_State *lua, int index);
/// To the log, or the console that has asked for it, at most 1000 bytes at a time. What is beyond COU_PRINT_BYTES in all is left
/// out, and that is said once.
void couSandbox_Print(lua_State *lua, const char *text);
/// Pushes a text of the value that is the same in every run: no addresses.
const char *couSandbox_PushText(lua_State *lua, int index);
