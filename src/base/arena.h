/// Scratch memory that lives for a step: taken in a row, given back all at once.
#pragma once

#include "base/base.h"

typedef struct couArenaChunk {
    char *bytes;
    size_t size, used;
} couArenaChunk;

/// Zero-initialise but for `memory`. One thread takes at a time.
typedef struct couArena {
    couMemory *memory;
    COU_ARRAY(couArenaChunk) chunks; ///< the last one is taken from
} couArena;

/// Where an arena is, to go back to.
typedef struct couArenaMark {
    size_t chunk, used;
} couArenaMark;

/// Room for `count` items, aligned to a cache line, with anything in it. NULL without memory.
void *couArena_Take(couArena *arena, size_t count, size_t item_bytes);
#define COU_TAKE(arena, type, count) ((type *)couArena_Take((arena), (count), sizeof(type)))

couArenaMark couArena_Mark(const couArena *arena);
/// Gives back all that was taken since the mark.
void couArena_Release(couArena *arena, couArenaMark mark);
/// Gives back all. Where it took several chunks, the next step finds one that is large enough.
void couArena_Reset(couArena *arena);
void couArena_Free(couArena *arena);
