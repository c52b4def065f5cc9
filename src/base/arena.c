// The arena: chunks that are filled one after the other. In a steady state there is one chunk, as large as a step ever needed,
// and taking is an addition. Large pieces are shifted by a few cache lines each, as couAlloc() does: columns of equal size must
// not begin in the same cache sets.

#include "base/arena.h"

#define LINE 64
#define LARGE ((size_t)1 << 16)

static size_t piece_bytes(size_t bytes)
{
    size_t lines = (bytes + LINE - 1) / LINE * LINE;
    return bytes >= LARGE ? lines + 3 * LINE : lines;
}

static bool add_chunk(couArena *arena, size_t size)
{
    if (!COU_RESERVE(arena->memory, &arena->chunks, arena->chunks.count + 1)) return false;
    char *bytes = couAlloc(arena->memory, size);
    if (!bytes) return false;
    arena->chunks.items[arena->chunks.count++] = (couArenaChunk){bytes, size, 0};
    return true;
}

// An empty chunk gets another size. Without memory it stays, with no room: marks count the chunks.
static bool resize_chunk(couArena *arena, couArenaChunk *chunk, size_t size)
{
    couFree(arena->memory, chunk->bytes);
    char *bytes = couAlloc(arena->memory, size);
    *chunk = (couArenaChunk){bytes, bytes ? size : 0, 0};
    return bytes != NULL;
}

void *couArena_Take(couArena *arena, size_t count, size_t item_bytes)
{
    if (count > (SIZE_MAX - LARGE) / item_bytes) return NULL;
    size_t wanted = piece_bytes(COU_MAX(count * item_bytes, 1));
    couArenaChunk *last = arena->chunks.count ? &arena->chunks.items[arena->chunks.count - 1] : NULL;
    if (!last || last->size - last->used < wanted) {
        bool is_empty = last && !last->used; // too small, and nobody's
        if (!(is_empty ? resize_chunk(arena, last, wanted) : add_chunk(arena, wanted))) return NULL;
        last = &arena->chunks.items[arena->chunks.count - 1];
    }
    void *piece = last->bytes + last->used;
    last->used += wanted;
    return piece;
}

couArenaMark couArena_Mark(const couArena *arena)
{
    size_t count = arena->chunks.count;
    return (couArenaMark){count, count ? arena->chunks.items[count - 1].used : 0};
}

// The chunks from `first` on become one of their sizes' sum and a little more, empty; none where memory lacks. What a step needs
// may grow by a little in every step, and new memory costs its first touch.
static void join_chunks(couArena *arena, size_t first)
{
    size_t total = 0;
    for (size_t c = first; c < arena->chunks.count; ++c) {
        total += arena->chunks.items[c].size;
        couFree(arena->memory, arena->chunks.items[c].bytes);
    }
    arena->chunks.count = first;
    add_chunk(arena, total + total / 8);
}

void couArena_Release(couArena *arena, couArenaMark mark)
{
    if (mark.chunk) arena->chunks.items[mark.chunk - 1].used = mark.used;
    if (arena->chunks.count == mark.chunk) return;
    if (arena->chunks.count > mark.chunk + 1) {
        join_chunks(arena, mark.chunk);
        return;
    }
    arena->chunks.items[mark.chunk].used = 0;
}

void couArena_Reset(couArena *arena)
{
    if (arena->chunks.count > 1) join_chunks(arena, 0);
    if (arena->chunks.count) arena->chunks.items[0].used = 0;
}

void couArena_Free(couArena *arena)
{
    for (size_t c = 0; c < arena->chunks.count; ++c) couFree(arena->memory, arena->chunks.items[c].bytes);
    COU_FREE_ARRAY(arena->memory, &arena->chunks);
}
