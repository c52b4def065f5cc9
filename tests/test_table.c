// The particle table: rows are added, reordered and removed in all columns alike.
#include "testing.h"

typedef struct Columns {
    int a, b, c, d, scratch; // rows of 16, 4, 1, 24 bytes
} Columns;

static Columns add_columns(couTable *table)
{
    return (Columns){
        couTable_AddColumn(table, "a", "m", cou_stateF32, 4, cou_columnState),
        couTable_AddColumn(table, "b", "", cou_stateU32, 1, cou_columnState),
        couTable_AddColumn(table, "c", "", cou_stateU8, 1, cou_columnState),
        couTable_AddColumn(table, "d", "", cou_stateF64, 3, cou_columnDerived),
        couTable_AddColumn(table, "scratch", "", cou_stateF32, 2, cou_columnScratch),
    };
}

// Row content that follows from a number.
static void set_row(couTable *table, Columns c, size_t row, uint32_t n)
{
    ((couVec4 *)couTable_Data(table, c.a))[row] = (couVec4){(float)n, (float)n + 0.25f, (float)n + 0.5f, (float)n + 0.75f};
    ((uint32_t *)couTable_Data(table, c.b))[row] = n;
    ((uint8_t *)couTable_Data(table, c.c))[row] = (uint8_t)(n * 7);
    for (int k = 0; k < 3; ++k) ((double *)couTable_Data(table, c.d))[3 * row + (size_t)k] = n + 0.1 * k;
}

static void check_row(const couTable *table, Columns c, size_t row, uint32_t n)
{
    couVec4 a = ((couVec4 *)couTable_Data(table, c.a))[row];
    CHECK_NEAR(a.x, n, 0, 0);
    CHECK_NEAR(a.w, n + 0.75, 0, 0);
    assert_int_equal(((uint32_t *)couTable_Data(table, c.b))[row], n);
    assert_int_equal(((uint8_t *)couTable_Data(table, c.c))[row], (uint8_t)(n * 7));
    for (int k = 0; k < 3; ++k) CHECK_NEAR(((double *)couTable_Data(table, c.d))[3 * row + (size_t)k], n + 0.1 * k, 0, 0);
}

static void test_rows(void **context)
{
    (void)context;
    couMemory memory = {0};
    couTable table;
    couTable_Init(&table, &memory);
    Columns c = add_columns(&table);
    uint32_t n = 0;
    for (size_t portion = 1; portion < 3000; portion = portion * 2 + 1) { // grows several times
        size_t first = couTable_AddRows(&table, portion);
        assert_int_equal(first, n);
        for (size_t k = 0; k < portion; ++k) {
            couVec4 fresh = ((couVec4 *)couTable_Data(&table, c.a))[first + k];
            assert_true(fresh.x == 0 && fresh.w == 0 && ((uint8_t *)couTable_Data(&table, c.c))[first + k] == 0);
            set_row(&table, c, first + k, n++);
        }
    }
    assert_int_equal(table.count, n);
    for (uint32_t k = 0; k < n; ++k) check_row(&table, c, k, k);
    couTable_Free(&table);
    assert_int_equal(memory.bytes, 0);
    assert_true(memory.peak > 0);
}

static void test_reorder(void **context)
{
    (void)context;
    enum { COUNT = 40000, SEED = 3 }; // more than one parallel block
    for (int threads = 1; threads <= 3; ++threads) {
        couMemory memory = {0};
        couTable table;
        couTable_Init(&table, &memory);
        Columns c = add_columns(&table);
        couTable_AddRows(&table, COUNT);
        uint32_t *order = malloc(COUNT * sizeof *order);
        for (uint32_t k = 0; k < COUNT; ++k) set_row(&table, c, k, k), order[k] = k;
        couRandom random = {SEED};
        for (uint32_t k = COUNT - 1; k > 0; --k) {
            uint32_t other = (uint32_t)(couNextRandom(&random) % (k + 1)), t = order[k];
            order[k] = order[other], order[other] = t;
        }
        couParallel parallel = couMakeParallel(threads);
        assert_true(couTable_Reorder(&table, order, NULL, &parallel));
        for (uint32_t k = 0; k < COUNT; ++k) check_row(&table, c, k, order[k]);
        // And once more, now that columns and spare have changed places.
        assert_true(couTable_Reorder(&table, order, NULL, &parallel));
        for (uint32_t k = 0; k < COUNT; ++k) check_row(&table, c, k, order[order[k]]);
        // In lent memory there is no need of an own spare column.
        size_t before = memory.bytes;
        void *lent = malloc(COUNT * table.spare_bytes);
        assert_true(couTable_Reorder(&table, order, lent, &parallel));
        for (uint32_t k = 0; k < COUNT; ++k) check_row(&table, c, k, order[order[order[k]]]);
        assert_true(memory.bytes + COUNT * table.spare_bytes <= before);
        free(lent);
        free(order);
        couTable_Free(&table);
        assert_int_equal(memory.bytes, 0);
    }
}

static void test_filter(void **context)
{
    (void)context;
    enum { COUNT = 1000, SEED = 9 };
    couTable table;
    couTable_Init(&table, NULL);
    Columns c = add_columns(&table);
    couTable_AddRows(&table, COUNT);
    uint8_t keep[COUNT];
    uint32_t kept[COUNT];
    size_t count = 0;
    couRandom random = {SEED};
    for (uint32_t k = 0; k < COUNT; ++k) {
        set_row(&table, c, k, k);
        keep[k] = couNextRandom(&random) % 3 != 0;
        if (keep[k]) kept[count++] = k;
    }
    assert_int_equal(couTable_Filter(&table, keep), COUNT - count);
    assert_int_equal(table.count, count);
    for (size_t k = 0; k < count; ++k) check_row(&table, c, k, kept[k]);
    memset(keep, 1, sizeof keep);
    assert_int_equal(couTable_Filter(&table, keep), 0);
    memset(keep, 0, sizeof keep);
    assert_int_equal(couTable_Filter(&table, keep), count);
    assert_int_equal(table.count, 0);
    assert_int_equal(couTable_Filter(&table, keep), 0);
    couTable_Free(&table);
}

// An allocator that refuses after a while.
static int allowed;
static void *miserly_alloc(size_t bytes, size_t align) { return allowed-- > 0 ? aligned_alloc(align, bytes) : NULL; }

static void test_no_memory_changes_nothing(void **context)
{
    (void)context;
    couSetAllocator(miserly_alloc, free);
    for (int given = 0; given < 5; ++given) { // five arrays are needed: each may be the one that is refused
        couMemory memory = {0};
        couTable table;
        allowed = 1000;
        couTable_Init(&table, &memory);
        Columns c = add_columns(&table);
        couTable_AddRows(&table, 10);
        for (uint32_t k = 0; k < 10; ++k) set_row(&table, c, k, k);
        size_t bytes = memory.bytes;
        allowed = given;
        assert_true(couTable_AddRows(&table, 100000) == SIZE_MAX);
        assert_int_equal(table.count, 10);
        assert_int_equal(memory.bytes, bytes);
        for (uint32_t k = 0; k < 10; ++k) check_row(&table, c, k, k);
        couTable_Free(&table);
        assert_int_equal(memory.bytes, 0);
    }
    couSetAllocator(NULL, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_reorder),
        cmocka_unit_test(test_filter),
        cmocka_unit_test(test_no_memory_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
