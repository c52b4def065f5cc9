// Neighbour lists against brute force, on clouds of every kind, with and without periods and solids.
#include "testing.h"

typedef struct Search {
    couMemory memory;
    couTable table;
    couGrid grid;
    couNeighbors neighbors;
    int position, id;
    float radius, cell;
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
    search->cell = 1.001f * radius;
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

static void search_sort(Search *search, int threads)
{
    couParallel parallel = couMakeParallel(threads);
    couGridReport report;
    if (search->table.capacity == 0) assert_true(couTable_Reserve(&search->table, 1)); // the search writes into the padding
    assert_true(couGrid_Sort(&search->grid, &search->table, search->position, search->id, search->cell, &parallel, &report));
    couFreeParallel(&parallel);
}

static void search_find(Search *search, const couNeighborSet *solids, int threads)
{
    couParallel parallel = couMakeParallel(threads);
    assert_true(couNeighbors_Find(&search->neighbors, &search->grid, search_x(search), search->table.count, search->radius,
                                  solids, &parallel));
    couFreeParallel(&parallel);
}

static void search_run(Search *search, int threads)
{
    search_sort(search, threads);
    search_find(search, NULL, threads);
    assert_null(search->neighbors.solid_count);
    assert_null(search->neighbors.solid_first);
    assert_int_equal(search->neighbors.solid_pair_count, 0);
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

// --- Periods and solids ------------------------------------------------------------------------------------------------------

// Of all images the nearest, in the arithmetic of the search.
static float nearest(float d, float length)
{
    if (!(length > 0)) return d;
    float before = d - length, behind = d + length;
    if (fabsf(before) < fabsf(d)) return before;
    return fabsf(behind) < fabsf(d) ? behind : d;
}

static bool is_near(const Search *search, couVec4 xi, couVec4 xj)
{
    const float *length = search->grid.period.length;
    float dx = nearest(xj.x - xi.x, length[0]), dy = nearest(xj.y - xi.y, length[1]), dz = nearest(xj.z - xi.z, length[2]);
    return dx * dx + dy * dy + dz * dz < search->radius * search->radius;
}

static int compare_entries(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

// `list` holds base + j for exactly those j that are near i (but not `self`), in any order, and then the dummy.
static void check_part(const Search *search, uint32_t i, const couVec4 *x, size_t count, uint32_t self, const uint32_t *list,
                       int entries, uint32_t base, const char *what, int seed)
{
    uint32_t sorted[COU_MAX_NEIGHBORS];
    assert_in_range(entries, 0, COU_MAX_NEIGHBORS);
    memcpy(sorted, list, (size_t)entries * sizeof *sorted);
    qsort(sorted, (size_t)entries, sizeof *sorted, compare_entries);
    int found = 0;
    for (uint32_t j = 0; j < count; ++j) {
        if (j == self || !is_near(search, search_x(search)[i], x[j])) continue;
        if (found >= entries || sorted[found] != base + j)
            fail_msg("particle %u: expected %s %u (base %u) in place %d, got %u of %d entries, seed %d", i, what, base + j, base,
                     found, found < entries ? sorted[found] : UINT32_MAX, entries, seed);
        ++found;
    }
    if (entries != found) fail_msg("particle %u: expected %d entries of %s, got %d, seed %d", i, found, what, entries, seed);
    for (int k = entries; k % COU_WIDTH; ++k) assert_int_equal(list[k], search->table.count);
}

static void check_both_parts(const Search *search, const Search *solids, uint32_t base, int seed)
{
    const couNeighbors *n = &search->neighbors;
    size_t count = search->table.count;
    uint64_t pairs = 0, solid_pairs = 0;
    for (uint32_t i = 0; i < count; ++i) {
        check_part(search, i, search_x(search), count, i, n->first[i], n->count[i], 0, "particle", seed);
        pairs += n->count[i];
        if (!solids) continue;
        assert_int_equal(n->solid_first[i], (n->count[i] + COU_WIDTH - 1) / COU_WIDTH * COU_WIDTH);
        check_part(search, i, search_x(solids), solids->table.count, UINT32_MAX, n->first[i] + n->solid_first[i],
                   n->solid_count[i], base, "solid", seed);
        solid_pairs += n->solid_count[i];
    }
    assert_int_equal(n->pair_count, pairs);
    assert_int_equal(n->solid_pair_count, solid_pairs);
    assert_int_equal(n->crowded_count, 0);
    if (solids && count > 0) assert_non_null(n->solid_count);
}

static void check_equal_lists(const couNeighbors *a, const couNeighbors *b, size_t count, bool has_solids)
{
    assert_int_equal(a->pair_count, b->pair_count);
    assert_int_equal(a->solid_pair_count, b->solid_pair_count);
    for (size_t i = 0; i < count; ++i) {
        assert_int_equal(a->count[i], b->count[i]);
        assert_memory_equal(a->first[i], b->first[i], a->count[i] * sizeof(uint32_t));
        if (!has_solids) continue;
        assert_int_equal(a->solid_count[i], b->solid_count[i]);
        assert_int_equal(a->solid_first[i], b->solid_first[i]);
        assert_memory_equal(a->first[i] + a->solid_first[i], b->first[i] + b->solid_first[i],
                            a->solid_count[i] * sizeof(uint32_t));
    }
}

typedef struct Region {
    int count; // of random points
    couVec3 lower, size;
} Region;

typedef struct Case {
    int dimension;
    float radius, cell; // cell 0: a little more than the radius, so that particles may be out of the period by rounding
    couPeriod period;
    Region fluid, solids; // along repeating axes: taken into the period
} Case;

// Random points; where an axis repeats, some are exactly at its ends or on borders of cells, or out by no more than rounding.
static void fill(Search *search, const Case *c, const Region *region, couRandom *random)
{
    search->grid.period = c->period;
    if (c->cell > 0) search->cell = c->cell;
    for (int k = 0; k < region->count; ++k) {
        float x[3] = {region->lower.x + region->size.x * couRandomFloat(random),
                      region->lower.y + region->size.y * couRandomFloat(random),
                      region->lower.z + region->size.z * couRandomFloat(random)};
        for (int a = 0; a < 3; ++a) {
            float length = c->period.length[a], lower = c->period.lower[a];
            if (!(length > 0)) continue;
            x[a] -= floorf((x[a] - lower) / length) * length;
            x[a] = COU_CLAMP(x[a], lower, lower + length);
            int choice = (int)(couNextRandom(random) % 24);
            if (choice == 0) x[a] = lower;
            if (choice == 1) x[a] = lower + length;
            if (choice == 2 && c->cell == 0) x[a] = nextafterf(lower + length, INFINITY);
            if (choice == 3 && c->cell == 0) x[a] = nextafterf(lower, -INFINITY);
            if (choice == 4) x[a] = lower + c->radius;
            if (choice == 5) x[a] = lower + length - c->radius;
        }
        if (c->dimension == 2) x[2] = 0;
        search_add(search, (couVec3){x[0], x[1], x[2]});
    }
}

static void check_case(const Case *c, int seed)
{
    Search search, other, solids;
    search_init(&search, c->radius);
    search_init(&other, c->radius);
    search_init(&solids, c->radius);
    couRandom random = {couMix64((uint64_t)seed)};
    couRandom again = random;
    fill(&search, c, &c->fluid, &random);
    fill(&other, c, &c->fluid, &again);
    fill(&solids, c, &c->solids, &random);
    search_sort(&search, 1);
    search_sort(&other, 3);
    search_sort(&solids, 1);
    size_t count = search.table.count;

    search.neighbors.isa = cou_isaScalar;
    search_find(&search, NULL, 1);
    check_both_parts(&search, NULL, 0, seed);
    couNeighborSet set = {&solids.grid, search_x(&solids), (uint32_t)count + COU_TABLE_PADDING};
    search_find(&search, &set, 1);
    check_both_parts(&search, &solids, set.base, seed);
    set.base = 1000000 + (uint32_t)seed;
    search_find(&search, &set, 1);
    check_both_parts(&search, &solids, set.base, seed);

    // The same lists for any number of threads and any way to compute.
    for (int isa = 0; isa <= (int)couBestIsa(); ++isa)
        for (int threads = 1; threads <= 4; ++threads) {
            other.neighbors.isa = (couIsa)isa;
            search_find(&other, &set, threads);
            check_equal_lists(&search.neighbors, &other.neighbors, count, true);
        }
    search_find(&search, NULL, 2); // nothing is left of the solids
    assert_null(search.neighbors.solid_count);
    check_both_parts(&search, NULL, 0, seed);
    search_free(&search);
    search_free(&other);
    search_free(&solids);
}

static void test_periods(void **context)
{
    (void)context;
    static const Region whole = {2000, {0, 0, 0}, {1, 1, 1}};
    static const Case cases[] = {
        {2, 0.04f, 0, {{0.5f, 0, 0}, {0, 0, 0}}, {1500, {0, 0, 0}, {0.5f, 0.5f, 0}}, {0}},
        {2, 0.04f, 0, {{0, 0.47f, 0}, {0, -0.2f, 0}}, {1500, {0, 0, 0}, {0.5f, 0.5f, 0}}, {0}},
        {2, 0.04f, 0, {{0.5f, 0.333f, 0}, {-7, 3, 0}}, {1500, {0, 0, 0}, {1, 1, 0}}, {0}},
        {3, 0.1f, 0, {{1, 0, 0}, {0, 0, 0}}, whole, {0}},
        {3, 0.1f, 0, {{0, 1, 0}, {0, -0.5f, 0}}, whole, {0}},
        {3, 0.1f, 0, {{0, 0, 0.95f}, {0, 0, -3}}, whole, {0}},
        {3, 0.1f, 0, {{0.83f, 0.9f, 0}, {-0.4f, -0.4f, 0}}, whole, {0}},
        {3, 0.1f, 0, {{0.83f, 0, 0.5f}, {-0.4f, 0, 11}}, whole, {0}},
        {3, 0.1f, 0, {{0, 0.65f, 0.5f}, {0, 50, -50}}, whole, {0}},
        {3, 0.1f, 0, {{0.9f, 0.8f, 0.7f}, {-0.9f, -0.3f, 0}}, whole, {0}},
        // Periods of three radii and a little more, alone and together, and particles in a part of the box only.
        {3, 0.25f, 0.25f, {{0.75f, 0.75f, 0.75f}, {-0.25f, 0, 0.5f}}, {400, {0, 0, 0}, {1, 1, 1}}, {0}},
        {3, 0.25f, 0.25f, {{0.75f, 0, 0}, {-0.5f, 0, 0}}, {400, {0, 0, 0}, {1, 1, 1}}, {0}},
        {2, 0.25f, 0.25f, {{0.75f, 0.75f, 0}, {-0.5f, 1, 0}}, {200, {0, 0, 0}, {1, 1, 0}}, {0}},
        {3, 0.1f, 0, {{0.3005f, 0.35f, 0.4f}, {0, 0, 0}}, {400, {0, 0, 0}, {1, 1, 1}}, {0}},
        {3, 0.1f, 0, {{3, 2, 2}, {0, 0, 0}}, {1000, {-0.2f, -0.3f, -0.2f}, {0.5f, 0.5f, 0.5f}}, {0}},
        {3, 0.1f, 0, {{30, 0, 0}, {-15, 0, 0}}, {800, {14.7f, -0.3f, -0.2f}, {0.6f, 0.5f, 0.5f}}, {0}},
        {3, 0.01f, 0, {{300, 0, 0}, {-150, 0, 0}}, {800, {149.98f, 0, 0}, {0.04f, 0.03f, 0.03f}}, {0}}, // coarse floats
    };
    for (int k = 0; k < COU_COUNT(cases); ++k) check_case(&cases[k], 100 + k);
}

static void test_solids(void **context)
{
    (void)context;
    static const Region block = {1500, {-0.2f, -0.2f, -0.2f}, {0.4f, 0.4f, 0.4f}}, flat = {1500, {-0.3f, 0, 0}, {0.6f, 0.6f, 0}};
    static const couPeriod open = {{0, 0, 0}, {0, 0, 0}};
    static const Case cases[] = {
        {3, 0.04f, 0, open, block, {0}},                                                // none
        {3, 0.04f, 0, open, block, {1500, {-0.2f, -0.2f, -0.2f}, {0.4f, 0.4f, 0.4f}}},  // the same room
        {3, 0.04f, 0, open, block, {3000, {-1, -0.3f, -1}, {2, 0.1f, 2}}},              // a floor, wider than the fluid
        {3, 0.04f, 0, open, block, {300, {0.15f, -0.05f, -0.05f}, {0.5f, 0.1f, 0.1f}}}, // partly within
        {3, 0.04f, 0, open, block, {2000, {-0.6f, -0.6f, -0.6f}, {1.2f, 1.2f, 1.2f}}},  // all around
        {3, 0.04f, 0, open, block, {500, {5, 5, 5}, {1, 1, 1}}},                        // far away
        {3, 0.04f, 0, open, block, {500, {-9, 0, 0}, {1, 0.2f, 0.2f}}},                 // far along a row
        {3, 0.04f, 0, open, block, {200, {-900, -900, -900}, {1800, 1800, 1800}}},      // far and wide
        {3, 0.04f, 0, open, block, {1, {0.1f, 0.1f, 0.1f}, {0, 0, 0}}},
        {3, 0.04f, 0, open, {0}, {50, {0, 0, 0}, {1, 1, 1}}}, // no fluid
        {3, 0.04f, 0, open, {1, {0, 0, 0}, {0, 0, 0}}, {300, {-0.05f, -0.05f, -0.05f}, {0.1f, 0.1f, 0.1f}}},
        {2, 0.04f, 0, open, flat, {600, {-0.4f, -0.05f, 0}, {0.8f, 0.05f, 0}}},
        {2, 0.04f, 0, open, flat, {40, {-0.4f, -0.05f, 0}, {0.8f, 0.9f, 0}}},
    };
    for (int k = 0; k < COU_COUNT(cases); ++k) check_case(&cases[k], 200 + k);
}

static void test_solids_with_periods(void **context)
{
    (void)context;
    static const Region block = {1500, {0, 0, 0}, {0.5f, 0.5f, 0.5f}};
    static const Case cases[] = {
        {2, 0.04f, 0, {{0.5f, 0, 0}, {-0.1f, 0, 0}}, {1000, {0, 0, 0}, {1, 0.5f, 0}}, {300, {0, -0.05f, 0}, {1, 0.05f, 0}}},
        {2, 0.04f, 0, {{0.5f, 0.6f, 0}, {-0.1f, 0, 0}}, {1000, {0, 0, 0}, {1, 1, 0}}, {300, {0, 0.2f, 0}, {1, 0.05f, 0}}},
        {3, 0.07f, 0, {{0.5f, 0, 0}, {0, 0, 0}}, block, {1000, {0, -0.1f, 0}, {0.5f, 0.1f, 0.5f}}},
        {3, 0.07f, 0, {{0.55f, 0.45f, 0}, {-0.3f, 4, 0}}, block, {1000, {0, 0, -0.1f}, {1, 1, 0.12f}}},
        {3, 0.07f, 0, {{0.5f, 0.5f, 0.5f}, {-0.25f, 0, 0}}, block, {40, {0, 0, 0}, {1, 1, 1}}},
        {3, 0.07f, 0, {{0.5f, 0.5f, 0.5f}, {-0.25f, 0, 0}}, block, {30, {0.24f, 0.49f, 0.49f}, {0.02f, 0.02f, 0.02f}}},
        {3, 0.07f, 0, {{0.5f, 0.5f, 0.5f}, {-0.25f, 0, 0}}, block, {0}},
        // Fluid and solids meet only across the ends; most of the box is empty.
        {3, 0.1f, 0, {{8, 0, 0}, {0, 0, 0}}, {300, {0, 0, 0}, {0.2f, 1, 1}}, {300, {7.8f, 0, 0}, {0.2f, 1, 1}}},
        {3, 0.1f, 0, {{0, 8, 0}, {0, 0, 0}}, {300, {0, 7.8f, 0}, {1, 0.2f, 1}}, {300, {0, 0, 0}, {1, 0.2f, 1}}},
        {3,
         0.1f,
         0,
         {{8, 8, 8}, {-4, -4, -4}},
         {300, {-4, -4, -4}, {0.3f, 0.3f, 0.3f}},
         {300, {3.7f, 3.7f, 3.7f}, {0.3f, 0.3f, 0.3f}}},
        {3, 0.1f, 0, {{8, 0, 0}, {0, 0, 0}}, {800, {0, 0, 0}, {8, 0.3f, 0.3f}}, {60, {5, 0, 0}, {1, 0.3f, 0.3f}}},
        {3, 0.25f, 0.25f, {{0.75f, 0.75f, 0.75f}, {0, 0, 0}}, {300, {0, 0, 0}, {1, 1, 1}}, {100, {0, 0, 0}, {1, 1, 1}}},
    };
    for (int k = 0; k < COU_COUNT(cases); ++k) check_case(&cases[k], 300 + k);
}

// Each of a pair lists the other also when they are at the radius up to rounding, through the end of a period.
static void test_pairs_are_mutual(void **context)
{
    (void)context;
    enum { PAIRS = 20000, SEED = 55 };
    Search search;
    search_init(&search, 0.1f);
    search.grid.period = (couPeriod){{1.7f, 0, 0}, {-0.05f, 0, 0}}; // floats are finer at one end than at the other
    couRandom random = {SEED};
    for (int k = 0; k < PAIRS; ++k) {
        float x = 1.65f - 0.1f * couRandomFloat(&random), y = 3 * (float)(k % 200), z = 3 * (float)(k / 200);
        search_add(&search, (couVec3){x, y, z});
        x += 0.1f - 1.7f;
        x += 3e-7f * couRandomSigned(&random);
        search_add(&search, (couVec3){x, y, z});
    }
    search_run(&search, 2);
    const couNeighbors *n = &search.neighbors;
    int listed = 0;
    for (uint32_t i = 0; i < 2 * PAIRS; ++i) {
        CHECK_RANGE(n->count[i], 0, 1, SEED);
        if (n->count[i] == 0) continue;
        uint32_t j = n->first[i][0];
        CHECK_NEAR(n->count[j], 1, 0, SEED);
        assert_int_equal(n->first[j][0], i);
        ++listed;
    }
    CHECK_RANGE(listed / (2.0 * PAIRS), 0.2, 0.8, SEED); // some within and some without
    search_free(&search);
}

// Solids get the room that particles leave; a particle is crowded once.
static void check_solid_crowd(int count, int solid_count, int expected, int expected_solids, bool is_crowded)
{
    Search search, solids;
    search_init(&search, 1.0f);
    search_init(&solids, 1.0f);
    for (int k = 0; k < count; ++k) search_add(&search, (couVec3){0.3f, 0.3f, 0.0001f * (float)k});
    for (int k = 0; k < solid_count; ++k) search_add(&solids, (couVec3){0.4f, 0.3f, 0.0001f * (float)k});
    search_sort(&search, 1);
    search_sort(&solids, 1);
    couNeighborSet set = {&solids.grid, search_x(&solids), 5000};
    search_find(&search, &set, 1);
    const couNeighbors *n = &search.neighbors;
    CHECK_NEAR((double)n->crowded_count, is_crowded ? count : 0, 0, count);
    for (int i = 0; i < count; ++i) {
        CHECK_NEAR(n->count[i], expected, 0, count);
        CHECK_NEAR(n->solid_count[i], expected_solids, 0, count);
        for (uint32_t k = 0; k < n->solid_count[i]; ++k) assert_int_equal(n->first[i][n->solid_first[i] + k], 5000 + k);
        for (uint32_t k = n->solid_count[i]; k % COU_WIDTH; ++k) assert_int_equal(n->first[i][n->solid_first[i] + k], count);
    }
    assert_int_equal(n->solid_pair_count, count * expected_solids);
    search_free(&search);
    search_free(&solids);
}

static void test_solid_crowds(void **context)
{
    (void)context;
    check_solid_crowd(300, COU_MAX_NEIGHBORS - 299, 299, COU_MAX_NEIGHBORS - 299, false);
    check_solid_crowd(300, COU_MAX_NEIGHBORS - 298, 299, COU_MAX_NEIGHBORS - 299, true);
    check_solid_crowd(1, COU_MAX_NEIGHBORS, 0, COU_MAX_NEIGHBORS, false);
    check_solid_crowd(1, 2000, 0, COU_MAX_NEIGHBORS, true);
    check_solid_crowd(COU_MAX_NEIGHBORS + 1, 0, COU_MAX_NEIGHBORS, 0, false);
    check_solid_crowd(COU_MAX_NEIGHBORS + 1, 1, COU_MAX_NEIGHBORS, 0, true);
    check_solid_crowd(1200, 10, COU_MAX_NEIGHBORS, 0, true);
}

// The filter drops particles; solids stay.
static void test_filter_keeps_solids(void **context)
{
    (void)context;
    enum { COUNT = 2000, SEED = 23 };
    Search search, solids;
    search_init(&search, 0.04f);
    search_init(&solids, 0.04f);
    couRandom random = {SEED};
    for (int k = 0; k < 2 * COUNT; ++k)
        search_add(k < COUNT ? &search : &solids,
                   (couVec3){0.25f * couRandomFloat(&random), 0.25f * couRandomFloat(&random), 0.25f * couRandomFloat(&random)});
    search_sort(&search, 1);
    search_sort(&solids, 1);
    couNeighborSet set = {&solids.grid, search_x(&solids), COUNT + COU_TABLE_PADDING};
    search_find(&search, &set, 2);
    uint64_t solid_pairs = search.neighbors.solid_pair_count;
    assert_true(solid_pairs > COUNT);
    uint8_t flags[COUNT];
    for (uint32_t i = 0; i < COUNT; ++i) flags[i] = i % 3 != 0;
    couParallel parallel = couMakeParallel(1);
    couNeighbors_Filter(&search.neighbors, COUNT, flags, drop_pair, NULL, &parallel);
    check_lists(&search, drops_some, SEED);
    assert_int_equal(search.neighbors.solid_pair_count, solid_pairs);
    for (uint32_t i = 0; i < COUNT; ++i)
        check_part(&search, i, search_x(&solids), COUNT, UINT32_MAX, search.neighbors.first[i] + search.neighbors.solid_first[i],
                   search.neighbors.solid_count[i], set.base, "solid", SEED);
    search_free(&search);
    search_free(&solids);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_clouds),    cmocka_unit_test(test_coincident),   cmocka_unit_test(test_lattice),
        cmocka_unit_test(test_crowds),           cmocka_unit_test(test_longest_list), cmocka_unit_test(test_filter),
        cmocka_unit_test(test_periods),          cmocka_unit_test(test_solids),       cmocka_unit_test(test_solids_with_periods),
        cmocka_unit_test(test_pairs_are_mutual), cmocka_unit_test(test_solid_crowds), cmocka_unit_test(test_filter_keeps_solids),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
