// The arena: pieces on cache lines that do not touch each other, marks, memory that stays from step to step, and what is left
// when there is none.
#include "testing.h"

#include "base/arena.h"

// --- Pieces that are watched -------------------------------------------------------------------------------------------------

typedef struct Piece {
    unsigned char *bytes;
    size_t size;
    unsigned char pattern;
} Piece;

enum { MOST_PIECES = 512 };
typedef struct Pieces {
    Piece items[MOST_PIECES];
    int count;
    unsigned char next_pattern;
} Pieces;

// Takes a piece and fills it; false where there is no memory for it.
static bool take(couArena *arena, Pieces *pieces, size_t count, size_t item_bytes)
{
    unsigned char *bytes = couArena_Take(arena, count, item_bytes);
    if (!bytes) return false;
    assert_int_equal((uintptr_t)bytes % 64, 0);
    assert_true(pieces->count < MOST_PIECES);
    pieces->items[pieces->count++] = (Piece){bytes, count * item_bytes, ++pieces->next_pattern};
    memset(bytes, pieces->next_pattern, count * item_bytes);
    return true;
}

// All that was taken still holds what was put there: nothing else was put on top of it.
static void check_pieces(const Pieces *pieces, int seed)
{
    for (int p = 0; p < pieces->count; ++p) {
        const Piece *piece = &pieces->items[p];
        for (size_t k = 0; k < piece->size; ++k) {
            if (piece->bytes[k] == piece->pattern) continue;
            fail_msg("byte %zu of piece %d of %d: expected %d, got %d, seed %d", k, p, pieces->count, piece->pattern,
                     piece->bytes[k], seed);
        }
    }
}

// An allocator that counts and refuses after a while.
static int allowed = INT32_MAX, alloc_calls, live_blocks;
static void *miserly_alloc(size_t bytes, size_t align)
{
    if (allowed-- <= 0) return NULL;
    ++alloc_calls, ++live_blocks;
    return aligned_alloc(align, bytes);
}
static void count_free(void *block)
{
    --live_blocks;
    free(block);
}

static int set_hooks(void **context)
{
    (void)context;
    allowed = INT32_MAX, alloc_calls = live_blocks = 0;
    couSetAllocator(miserly_alloc, count_free);
    return 0;
}
static int clear_hooks(void **context)
{
    (void)context;
    couSetAllocator(NULL, NULL);
    return live_blocks; // all was given back
}

// --- Tests -------------------------------------------------------------------------------------------------------------------

static void test_pieces(void **context)
{
    (void)context;
    enum { SEED = 5 };
    couMemory memory = {0};
    couArena arena = {.memory = &memory};
    couRandom random = {couMix64(SEED)};
    for (int step = 0; step < 4; ++step) {
        Pieces pieces = {0};
        static const size_t borders[] = {0, 1, 63, 64, 65, (1 << 16) - 1, 1 << 16, (1 << 16) + 1};
        for (int k = 0; k < COU_COUNT(borders); ++k) assert_true(take(&arena, &pieces, borders[k], 1));
        for (int k = 0; k < 200; ++k) {
            static const size_t sizes[] = {1, 4, 8, 12, 24};
            size_t most = k % 20 ? 300 : 20000; // some larger than a page, and than what is shifted
            assert_true(take(&arena, &pieces, couNextRandom(&random) % most, sizes[couNextRandom(&random) % 5]));
        }
        check_pieces(&pieces, SEED);
        couArena_Reset(&arena);
        assert_int_equal(arena.chunks.count, 1);
    }
    couArena_Free(&arena);
    assert_int_equal(memory.bytes, 0);
}

// Large pieces of equal size do not all begin in the same cache sets.
static void test_large_pieces_are_shifted(void **context)
{
    (void)context;
    couArena arena = {0};
    enum { COUNT = 8, BYTES = 1 << 20 };
    for (int step = 0; step < 2; ++step) {
        uintptr_t places[COUNT];
        couArena_Reset(&arena);
        for (int k = 0; k < COUNT; ++k) places[k] = (uintptr_t)couArena_Take(&arena, BYTES, 1) % 4096;
        for (int k = 1; step == 1 && k < COUNT; ++k) assert_true(places[k] != places[k - 1]);
    }
    couArena_Free(&arena);
}

static void test_marks(void **context)
{
    (void)context;
    couArena arena = {0};
    for (int step = 0; step < 3; ++step) { // in several chunks, and then in one
        Pieces pieces = {0};
        assert_true(take(&arena, &pieces, 1000, 1));
        couArenaMark outer = couArena_Mark(&arena);
        assert_true(take(&arena, &pieces, 5000, 4));
        couArenaMark inner = couArena_Mark(&arena);
        for (int k = 0; k < 5; ++k) assert_true(take(&arena, &pieces, 30000, 1));
        check_pieces(&pieces, step);

        pieces.count = 2;
        couArena_Release(&arena, inner);
        unsigned char *freed = NULL;
        for (int k = 0; k < 3; ++k) { // the same room, again and again, and not that of those before the mark
            assert_true(take(&arena, &pieces, 40000, 1));
            if (k > 0) assert_ptr_equal(pieces.items[2].bytes, freed);
            freed = pieces.items[2].bytes;
            check_pieces(&pieces, step);
            pieces.count = 2;
            couArena_Release(&arena, inner);
        }

        pieces.count = 1;
        couArena_Release(&arena, outer);
        for (int k = 0; k < 4; ++k) assert_true(take(&arena, &pieces, 20000, 1));
        check_pieces(&pieces, step);
        couArena_Reset(&arena);
    }
    couArena_Free(&arena);

    // A mark of the empty arena gives back everything.
    couArenaMark begin = couArena_Mark(&arena);
    couArena_Release(&arena, begin);
    assert_non_null(COU_TAKE(&arena, double, 100));
    assert_non_null(COU_TAKE(&arena, double, 100));
    couArena_Release(&arena, begin);
    assert_int_equal(arena.chunks.count, 1);
    assert_int_equal(arena.chunks.items[0].used, 0);
    couArena_Free(&arena);
}

static void take_a_step(couArena *arena)
{
    Pieces pieces = {0};
    couArena_Reset(arena);
    for (int k = 0; k < 10; ++k) assert_true(take(arena, &pieces, 3000 * (size_t)(k + 1), 4));
    couArenaMark mark = couArena_Mark(arena);
    for (int k = 0; k < 10; ++k) {
        assert_true(take(arena, &pieces, 100, 3));
        assert_true(take(arena, &pieces, 100000, 1));
    }
    check_pieces(&pieces, 0);
    couArena_Release(arena, mark);
    pieces.count = 10;
    for (int k = 0; k < 20; ++k) assert_true(take(arena, &pieces, 10, 1));
    check_pieces(&pieces, 0);
}

static void test_second_step_allocates_nothing(void **context)
{
    (void)context;
    couMemory memory = {0};
    couArena arena = {.memory = &memory};
    take_a_step(&arena);
    assert_true(arena.chunks.count > 1); // otherwise there is nothing to join
    couArena_Reset(&arena);
    size_t bytes = memory.bytes;
    int calls = alloc_calls;
    for (int step = 0; step < 3; ++step) {
        take_a_step(&arena);
        assert_int_equal(memory.bytes, bytes);
        assert_int_equal(alloc_calls, calls);
        assert_int_equal(arena.chunks.count, 1);
    }
    couArena_Free(&arena);
}

static void test_memory_is_counted(void **context)
{
    (void)context;
    couMemory memory = {0};
    couArena arena = {.memory = &memory};
    for (int life = 0; life < 2; ++life) { // a freed arena is an empty one
        size_t wanted = 0;
        for (int k = 1; k <= 20; ++k) {
            assert_non_null(couArena_Take(&arena, 1000 * (size_t)k, 8));
            wanted += 8000 * (size_t)k;
            assert_true(memory.bytes >= wanted);
        }
        assert_true(memory.bytes < wanted + 20 * 4096); // and not much more
        couArena_Free(&arena);
        assert_int_equal(memory.bytes, 0);
        assert_int_equal(live_blocks, 0);
    }
    couArena_Free(&arena);
    assert_true(memory.peak > 0);
}

static void test_overflow(void **context)
{
    (void)context;
    couArena arena = {0};
    assert_null(couArena_Take(&arena, SIZE_MAX / 8 + 2, 8)); // 8 bytes, were they counted in a size_t
    assert_null(couArena_Take(&arena, SIZE_MAX / 24 + 100, 24));
    for (size_t k = 0; k < 300; ++k) assert_null(couArena_Take(&arena, SIZE_MAX - k, 1)); // rounding up goes beyond
    assert_int_equal(alloc_calls - live_blocks, 0);
    assert_int_equal(live_blocks, 0); // nobody was asked
    Pieces pieces = {0};
    assert_true(take(&arena, &pieces, 100, 8));
    assert_null(couArena_Take(&arena, SIZE_MAX / 8 + 2, 8));
    assert_true(take(&arena, &pieces, 100, 8));
    check_pieces(&pieces, 0);
    couArena_Free(&arena);
}

static void test_no_memory(void **context)
{
    (void)context;
    for (int given = 0; given < 2; ++given) { // the list of chunks, or the chunk
        couMemory memory = {0};
        couArena arena = {.memory = &memory};
        allowed = given;
        assert_null(couArena_Take(&arena, 100, 1));
        allowed = INT32_MAX;
        Pieces pieces = {0};
        assert_true(take(&arena, &pieces, 100, 1));
        size_t bytes = memory.bytes;
        allowed = given;
        assert_null(couArena_Take(&arena, 1 << 20, 1));
        check_pieces(&pieces, 0);
        allowed = INT32_MAX;
        assert_true(take(&arena, &pieces, 1 << 20, 1));
        check_pieces(&pieces, 0);
        assert_true(memory.bytes > bytes + (1 << 20));
        // Chunks that cannot be joined are given back, and asked for again.
        allowed = 0;
        couArena_Reset(&arena);
        assert_null(couArena_Take(&arena, 100, 1));
        allowed = INT32_MAX;
        pieces.count = 0;
        assert_true(take(&arena, &pieces, 1 << 20, 1) && take(&arena, &pieces, 100, 1));
        check_pieces(&pieces, 0);
        couArena_Free(&arena);
        assert_int_equal(memory.bytes, 0);
    }
}

// What is refused after a mark does not spoil the mark.
static void test_no_memory_after_mark(void **context)
{
    (void)context;
    couArena arena = {0};
    Pieces pieces = {0};
    // One chunk with room at its end, and an empty one.
    for (int k = 0; k < 2; ++k) assert_true(take(&arena, &pieces, 1000, 1));
    couArena_Reset(&arena);
    pieces.count = 0;
    assert_true(take(&arena, &pieces, 1000, 1));
    couArenaMark before = couArena_Mark(&arena);
    assert_non_null(couArena_Take(&arena, 2000, 1));
    couArena_Release(&arena, before);
    couArenaMark mark = couArena_Mark(&arena);
    allowed = 0;
    assert_null(couArena_Take(&arena, 1 << 20, 1)); // the empty one is too small
    couArena_Release(&arena, mark);
    allowed = INT32_MAX;
    void *piece = couArena_Take(&arena, 500, 1);
    assert_non_null(piece);
    couArena_Release(&arena, mark);
    assert_ptr_equal(couArena_Take(&arena, 500, 1), piece); // it was given back
    check_pieces(&pieces, 0);
    couArena_Free(&arena);
}

// Anything in any order, with an allocator that sometimes refuses.
static void test_random_use(void **context)
{
    (void)context;
    for (int seed = 1; seed <= 60; ++seed) {
        couMemory memory = {0};
        couArena arena = {.memory = &memory};
        couRandom random = {couMix64((uint64_t)seed)};
        Pieces pieces = {0};
        struct {
            couArenaMark mark;
            int count; // of pieces
        } marks[16];
        int mark_count = 0;
        for (int k = 0; k < 400; ++k) {
            allowed = couNextRandom(&random) % 4 ? INT32_MAX : (int)(couNextRandom(&random) % 2);
            int what = (int)(couNextRandom(&random) % 20);
            if (what < 12 && pieces.count < MOST_PIECES) {
                size_t most = what == 0 ? 100000 : 2000;
                take(&arena, &pieces, couNextRandom(&random) % most, 1);
            } else if (what < 15 && mark_count < COU_COUNT(marks)) {
                marks[mark_count].mark = couArena_Mark(&arena);
                marks[mark_count++].count = pieces.count;
            } else if (what < 19 && mark_count) {
                mark_count = (int)(couNextRandom(&random) % (uint64_t)mark_count); // also past inner marks
                couArena_Release(&arena, marks[mark_count].mark);
                pieces.count = marks[mark_count].count;
            } else if (what == 19 && couNextRandom(&random) % 4 == 0) {
                couArena_Reset(&arena);
                pieces.count = mark_count = 0;
            }
            check_pieces(&pieces, seed);
        }
        allowed = INT32_MAX;
        couArena_Free(&arena);
        if (memory.bytes || live_blocks) fail_msg("%zu bytes and %d blocks are left, seed %d", memory.bytes, live_blocks, seed);
    }
}

#define WITH_HOOKS(test) cmocka_unit_test_setup_teardown(test, set_hooks, clear_hooks)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_HOOKS(test_pieces),
        WITH_HOOKS(test_large_pieces_are_shifted),
        WITH_HOOKS(test_marks),
        WITH_HOOKS(test_second_step_allocates_nothing),
        WITH_HOOKS(test_memory_is_counted),
        WITH_HOOKS(test_overflow),
        WITH_HOOKS(test_no_memory),
        WITH_HOOKS(test_no_memory_after_mark),
        WITH_HOOKS(test_random_use),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
