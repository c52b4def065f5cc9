// The parallel loop: every block runs once, with the same bounds for any number of threads.
#include "testing.h"

#include <stdatomic.h>

enum { MOST_BLOCKS = 2000 };

typedef struct Log {
    _Atomic int runs[MOST_BLOCKS];
    size_t begin[MOST_BLOCKS], end[MOST_BLOCKS];
    _Atomic int bad_workers;
    int threads;
    _Atomic int busy[COU_MAX_THREADS]; // a worker's number belongs to one thread at a time
    _Atomic int clashes;
} Log;

static void note_block(void *context, int block, size_t begin, size_t end, int worker)
{
    Log *log = context;
    if (worker < 0 || worker >= log->threads) {
        log->bad_workers++;
        return;
    }
    if (atomic_fetch_add(&log->busy[worker], 1) != 0) log->clashes++;
    log->runs[block]++;
    log->begin[block] = begin, log->end[block] = end;
    atomic_fetch_sub(&log->busy[worker], 1);
}

static void check_loop(int threads, size_t count, size_t block_size)
{
    static Log log;
    memset(&log, 0, sizeof log);
    log.threads = threads;
    couParallel parallel = couMakeParallel(threads);
    assert_int_equal(parallel.threads, threads);
    couFor(&parallel, count, block_size, note_block, &log);
    int blocks = couBlockCount(count, block_size);
    assert_true(blocks <= MOST_BLOCKS);
    assert_int_equal(log.bad_workers, 0);
    assert_int_equal(log.clashes, 0);
    for (int b = 0; b < MOST_BLOCKS; ++b)
        if (log.runs[b] != (b < blocks)) fail_msg("block %d of %d ran %d times with %d threads", b, blocks, log.runs[b], threads);
    for (int b = 0; b < blocks; ++b) {
        assert_int_equal(log.begin[b], (size_t)b * block_size);
        assert_int_equal(log.end[b], COU_MIN(((size_t)b + 1) * block_size, count));
    }
}

static void test_each_block_once(void **context)
{
    (void)context;
    static const size_t counts[] = {0, 1, 2, 15, 16, 17, 1000, 1999, 2000};
    static const size_t sizes[] = {1, 2, 16, 1000, 5000};
    for (int threads = 1; threads <= 5; ++threads)
        for (int c = 0; c < COU_COUNT(counts); ++c)
            for (int s = 0; s < COU_COUNT(sizes); ++s) check_loop(threads, counts[c], sizes[s]);
    check_loop(COU_MAX_THREADS, 2000, 1);
}

static void test_thread_count(void **context)
{
    (void)context;
    CHECK_RANGE(couMakeParallel(0).threads, 1, COU_MAX_THREADS, 0);
    CHECK_RANGE(couMakeParallel(-3).threads, 1, COU_MAX_THREADS, 0);
    assert_int_equal(couMakeParallel(1000).threads, COU_MAX_THREADS);
    assert_int_equal(couMakeParallel(3).threads, 3);
}

typedef struct Sum {
    const float *values;
    double blocks[MOST_BLOCKS];
} Sum;

static void sum_block(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)worker;
    Sum *sum = context;
    float total = 0.0f; // floats, so that another order gives other bits
    for (size_t i = begin; i < end; ++i) total += sum->values[i];
    sum->blocks[block] = total;
}

static void test_sums_are_the_same_bits(void **context)
{
    (void)context;
    enum { COUNT = 100000, SIZE = 100 };
    float *values = malloc(COUNT * sizeof *values);
    couRandom random = {5};
    for (int i = 0; i < COUNT; ++i) values[i] = couRandomSigned(&random) * (float)(1 + i % 977);
    double expected = 0;
    for (int threads = 1; threads <= 4; ++threads) {
        static Sum sum;
        sum.values = values;
        couParallel parallel = couMakeParallel(threads);
        couFor(&parallel, COUNT, SIZE, sum_block, &sum);
        double total = 0;
        for (int b = 0; b < COUNT / SIZE; ++b) total += sum.blocks[b];
        if (threads == 1) expected = total;
        CHECK_NEAR(total, expected, 0, 5);
    }
    free(values);
}

static void count_block(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)block, (void)worker;
    _Atomic int *total = context;
    atomic_fetch_add(total, (int)(end - begin));
}

static void test_small_and_large_loops(void **context)
{
    (void)context;
    couParallel parallel = couMakeParallel(2);
    for (int round = 0; round < 200; ++round) {
        _Atomic int total = 0;
        couFor(&parallel, (size_t)round * 7, 5, count_block, &total);
        assert_int_equal(total, round * 7);
    }
}

typedef struct Tally {
    _Atomic int *runs; // of each block
    size_t count, block_size;
    _Atomic int wrong;
} Tally;

static void tally_block(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)worker;
    Tally *tally = context;
    tally->runs[block]++;
    size_t last = (size_t)(block + 1) * tally->block_size;
    if (begin != (size_t)block * tally->block_size || end != COU_MIN(last, tally->count)) tally->wrong++;
}

// Many short loops of changing size one after the other: a thread that is late for one must not take blocks of the next.
static void test_many_short_loops(void **context)
{
    (void)context;
    enum { LOOPS = 30000, MOST = 64 };
    for (int threads = 2; threads <= 5; ++threads) {
        couParallel parallel = couMakeParallel(threads);
        static _Atomic int runs[MOST];
        for (int loop = 0; loop < LOOPS; ++loop) {
            size_t blocks = 2 + (size_t)(couMix32((uint32_t)loop) % (MOST - 2));
            Tally tally = {.runs = runs, .count = 3 * blocks - 1, .block_size = 3};
            for (size_t b = 0; b < MOST; ++b) runs[b] = 0;
            couFor(&parallel, tally.count, tally.block_size, tally_block, &tally);
            for (size_t b = 0; b < MOST; ++b)
                if (runs[b] != (b < blocks))
                    fail_msg("loop %d, %d threads: block %zu of %zu ran %d times", loop, threads, b, blocks, runs[b]);
            assert_int_equal(tally.wrong, 0);
        }
        couFreeParallel(&parallel);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_many_short_loops),      cmocka_unit_test(test_each_block_once),
        cmocka_unit_test(test_thread_count),          cmocka_unit_test(test_sums_are_the_same_bits),
        cmocka_unit_test(test_small_and_large_loops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
