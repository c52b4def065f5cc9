// Neighbour lists against brute force, on clouds of every kind.
#include "testing.h"

typedef struct Search {
    couMemory memory;
    couTable table;
    couGrid grid;
    couNeighbors neighbors;
    int position, id;
    float radius;
} Search;

static couVec4 *search_x(const Search *search) { return couTable_Data(&search->table, search->position); }

static void search_init(Search *search, float radius)
{
    memset(search, 0, sizeof *search);
    couTable_Init(&search->table, &search->memory);
    search->position = couTable_AddColumn(&search->table, "position", "m", cou_stateF32, 4, cou_columnState);
    search->id = couTable_AddColumn(&search->table, "id", "", cou_stateU32, 1, cou_columnState);
    couGrid_Init(&search->grid, &search->memory);
    assert_true(couNeighbors_Init(&search->neighbors, &search->memory));
    search->radius = radius;
}

static void search_free(Search *search)
{
    couTable_Free(&search->table);
    couGrid_Free(&search->grid);
    couNeighbors_Free(&search->neighbors);
    assert_int_equal(search->memory.bytes, 0);
}

static void search_add(Search *search, couVec3 x)
{
    size_t i = couTable_AddRows(&search->table, 1);
    search_x(search)[i] = (couVec4){x.x, x.y, x.z, 1};
    ((uint32_t *)couTable_Data(&search->table, search->id))[i] = (uint32_t)i;
}

static void search_run(Search *search, int threads)
{
    couParallel parallel = couMakeParallel(threads);
    couGridReport report;
    if (search->table.capacity == 0) assert_true(couTable_Reserve(&search->table, 1)); // the search writes into the padding
    assert_true(
        couGrid_Sort(&search->grid, &search->table, search->position, search->id, 1.001f * search->radius, &parallel, &report));
    assert_true(couNeighbors_Find(&search->neighbors, &search->grid, search_x(search), search->table.count, search->radius, NULL,
                                  &parallel));
}

// The lists are those of brute force with the same float arithmetic; `is_dropped` leaves pairs out.
static void check_lists(const Search *search, bool (*is_dropped)(uint32_t i, uint32_t j), int seed)
{
    size_t count = search->table.count;
    const couVec4 *x = search_x(search);
    const couNeighbors *n = &search->neighbors;
    uint64_t pairs = 0;
    for (uint32_t i = 0; i < count; ++i) {
        int found = 0, below = 0;
        for (uint32_t j = 0; j < count; ++j) {
            float dx = x[j].x - x[i].x, dy = x[j].y - x[i].y, dz = x[j].z - x[i].z;
            if (j == i || !(dx * dx + dy * dy + dz * dz < search->radius * search->radius)) continue;
            if (is_dropped && is_dropped(i, j)) continue;
            if (found >= n->count[i] || n->first[i][found] != j)
                fail_msg("particle %u: expected neighbour %u in place %d, got %u of %u entries, seed %d", i, j, found,
                         found < n->count[i] ? n->first[i][found] : UINT32_MAX, n->count[i], seed);
            ++found;
            below += j < i;
        }
        CHECK_NEAR(n->count[i], found, 0, seed);
        CHECK_NEAR(n->below[i], below, 0, seed);
        for (int k = found; k % COU_WIDTH; ++k) assert_int_equal(n->first[i][k], count); // padding points to the dummy
        pairs += (uint64_t)found;
    }
    assert_int_equal(n->pair_count, pairs);
    assert_int_equal(n->crowded_count, 0);
}

static void check_cloud(int dimension, int count, float size, float offset, int seed)
{
    for (int isa = 0; isa <= (int)couBestIsa(); ++isa) {
        Search search;
        search_init(&search, 0.04f);
        search.neighbors.isa = (couIsa)isa;
        couRandom random = {couMix64((uint64_t)seed)};
        for (int k = 0; k < count; ++k) {
            couVec3 x = {size * couRandomFloat(&random) + offset, size * couRandomFloat(&random) - offset,
                         size * couRandomFloat(&random)};
            if (dimension == 2) x.z = 0;
            search_add(&search, x);
        }
        search_run(&search, 1 + isa);
        check_lists(&search, NULL, seed);
        search_run(&search, 1); // memory of the first search is used again
        check_lists(&search, NULL, seed);
        search_free(&search);
    }
}

static void test_random_clouds(void **context)
{
    (void)context;
    check_cloud(3, 0, 1, 0, 1);
    check_cloud(3, 1, 1, 0, 2);
    check_cloud(3, 2, 0.01f, 0, 3);
    check_cloud(3, 2000, 0.3f, 0, 4);  // as a fluid: about 20 neighbours
    check_cloud(3, 2000, 0.12f, 0, 5); // dense: about 200
    check_cloud(3, 2000, 3.0f, 0, 6);  // sparse: few have any
    check_cloud(3, 1500, 0.3f, -7, 7); // negative coordinates
    check_cloud(3, 500, 0.1f, 300, 8); // far from the origin, where floats are coarse
    check_cloud(2, 2000, 0.5f, 0, 9);
    check_cloud(2, 1500, 0.2f, -0.1f, 10);
}

static void test_coincident(void **context)
{
    (void)context;
    Search search;
    search_init(&search, 1.0f);
    for (int k = 0; k < 60; ++k) search_add(&search, (couVec3){0.3f, 0.3f, 0.3f});
    for (int k = 0; k < 60; ++k) search_add(&search, (couVec3){0.3f, 1.2f, 0.3f});
    for (int k = 0; k < 10; ++k) search_add(&search, (couVec3){-0.7f, 0.3f, 0.3f}); // one radius from the first: no pair
    search_run(&search, 2);
    check_lists(&search, NULL, 0);
    search_free(&search);
}

// Pairs exactly on cell borders and at distances around the radius.
static void test_lattice(void **context)
{
    (void)context;
    Search search;
    search_init(&search, 2.0f);
    for (int i = -4; i < 5; ++i)
        for (int j = -4; j < 5; ++j)
            for (int k = -4; k < 5; ++k) search_add(&search, (couVec3){(float)i, (float)j, (float)k});
    search_run(&search, 1);
    check_lists(&search, NULL, 0);
    search_free(&search);
}

static void check_crowd(int count, bool is_crowded)
{
    Search search;
    search_init(&search, 1.0f);
    couRandom random = {couMix64((uint64_t)count)};
    for (int k = 0; k < count; ++k)
        search_add(&search,
                   (couVec3){0.1f * couRandomFloat(&random), 0.1f * couRandomFloat(&random), 0.1f * couRandomFloat(&random)});
    search_run(&search, 1);
    CHECK_NEAR((double)search.neighbors.crowded_count, is_crowded ? count : 0, 0, count);
    for (int i = 0; i < count; ++i) {
        const uint32_t *list = search.neighbors.first[i];
        int n = search.neighbors.count[i], below = 0;
        if (!is_crowded) CHECK_NEAR(n, count - 1, 0, count);
        CHECK_RANGE(n, COU_MIN(count - 1, COU_MAX_NEIGHBORS - COU_WIDTH), COU_MAX_NEIGHBORS, count);
        // Also a cut list holds the first ones, ascending, and knows how many come before i.
        for (int k = 0; k < n; ++k) {
            assert_int_equal(list[k], k + (k >= i));
            below += list[k] < (uint32_t)i;
        }
        assert_int_equal(search.neighbors.below[i], below);
    }
    search_free(&search);
}

static void test_crowds(void **context)
{
    (void)context;
    check_crowd(400, false);
    check_crowd(490, false);
    check_crowd(1200, true);
}

// The header says that lists hold COU_MAX_NEIGHBORS; a particle that has exactly as many is not crowded.
static void test_longest_list(void **context)
{
    (void)context;
    check_crowd(COU_MAX_NEIGHBORS + 1, false);
    check_crowd(COU_MAX_NEIGHBORS + 2, true);
}

static bool drops_some(uint32_t i, uint32_t j) { return i % 3 != 0 && j % 3 != 0 && (i + j) % 2 == 0; }
static bool drop_pair(const void *context, uint32_t i, uint32_t j)
{
    (void)context;
    return (i + j) % 2 == 0;
}

static void test_filter(void **context)
{
    (void)context;
    enum { COUNT = 3000, SEED = 21 };
    for (int threads = 1; threads <= 2; ++threads) {
        Search search;
        search_init(&search, 0.04f);
        couRandom random = {SEED};
        for (int k = 0; k < COUNT; ++k)
            search_add(&search,
                       (couVec3){0.3f * couRandomFloat(&random), 0.3f * couRandomFloat(&random), 0.3f * couRandomFloat(&random)});
        search_run(&search, threads);
        uint8_t flags[COUNT];
        for (uint32_t i = 0; i < COUNT; ++i) flags[i] = i % 3 != 0; // only pairs of flagged ones may go
        couParallel parallel = couMakeParallel(threads);
        couNeighbors_Filter(&search.neighbors, COUNT, flags, drop_pair, NULL, &parallel);
        check_lists(&search, drops_some, SEED);
        search_free(&search);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_clouds), cmocka_unit_test(test_coincident),   cmocka_unit_test(test_lattice),
        cmocka_unit_test(test_crowds),        cmocka_unit_test(test_longest_list), cmocka_unit_test(test_filter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
