// The pace of long work: every item once, messages, and an end when it is late.
#include "testing.h"

#include "shape/pace.h"

#include <stdatomic.h>

typedef struct Counts {
    _Atomic int items[1000];
    couPace *pace;
} Counts;

static void count_items(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)block, (void)worker;
    Counts *counts = context;
    for (size_t k = begin; k < end; ++k) atomic_fetch_add(&counts->items[k], 1);
}

// Waits until the time is up, however long that is on a busy machine.
static void wait_for_end(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)block, (void)begin, (void)end, (void)worker;
    Counts *counts = context;
    while (!couPace_IsLate(counts->pace)) {}
    atomic_fetch_add(&counts->items[0], 1);
}

static void test_every_item_once(void **context)
{
    (void)context;
    for (int threads = 1; threads <= 3; ++threads)
        for (size_t count = 0; count <= 1000; count = 3 * count + 7)
            for (size_t block_size = 1; block_size <= 300; block_size *= 17) {
                Counts counts = {0};
                couPace pace;
                couPace_Start(&pace, "test", 0.0); // no limit
                couParallel parallel = couMakeParallel(threads);
                assert_true(couPace_For(&pace, &parallel, count, block_size, count_items, &counts));
                couFreeParallel(&parallel);
                assert_false(couPace_IsLate(&pace));
                for (size_t k = 0; k < 1000; ++k) assert_int_equal(atomic_load(&counts.items[k]), k < count);
            }
}

static void test_ends_when_late(void **context)
{
    (void)context;
    couPace pace;
    Counts counts = {.pace = &pace};
    couPace_Start(&pace, "test", 0.05);
    couParallel parallel = couMakeParallel(1);
    assert_false(couPace_For(&pace, &parallel, 1000, 1, wait_for_end, &counts));
    couFreeParallel(&parallel);
    assert_true(couPace_IsLate(&pace));
    assert_in_range(atomic_load(&counts.items[0]), 1, 100); // the first slice only
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_item_once), cmocka_unit_test(test_ends_when_late)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
