// The cell sort: particles by cell wherever they are, in an order that depends on their ids and places alone; and the rows around
// a cell, also across the ends of a period.
#include "testing.h"

typedef struct Cloud {
    couMemory memory;
    couTable table;
    couGrid grid;
    int position, id, mark;
} Cloud;

static void cloud_init(Cloud *cloud)
{
    memset(cloud, 0, sizeof *cloud);
    couTable_Init(&cloud->table, &cloud->memory);
    cloud->position = couTable_AddColumn(&cloud->table, "position", "m", cou_stateF32, 4, cou_columnState);
    cloud->id = couTable_AddColumn(&cloud->table, "id", "", cou_stateU32, 1, cou_columnState);
    cloud->mark = couTable_AddColumn(&cloud->table, "mark", "", cou_stateU32, 1, cou_columnState);
    couGrid_Init(&cloud->grid, &cloud->memory);
}

static void cloud_free(Cloud *cloud)
{
    couTable_Free(&cloud->table);
    couGrid_Free(&cloud->grid);
    assert_int_equal(cloud->memory.bytes, 0);
}

static couVec4 *cloud_x(const Cloud *cloud) { return couTable_Data(&cloud->table, cloud->position); }
static uint32_t *cloud_id(const Cloud *cloud) { return couTable_Data(&cloud->table, cloud->id); }
static uint32_t *cloud_mark(const Cloud *cloud) { return couTable_Data(&cloud->table, cloud->mark); }

static void cloud_add(Cloud *cloud, uint32_t id, couVec3 x)
{
    size_t i = couTable_AddRows(&cloud->table, 1);
    cloud_x(cloud)[i] = (couVec4){x.x, x.y, x.z, 1};
    cloud_id(cloud)[i] = id;
    cloud_mark(cloud)[i] = id * 3 + 1; // to see that columns go together
}

static bool cloud_sort(Cloud *cloud, float cell, int threads, couGridReport *report)
{
    couParallel parallel = couMakeParallel(threads);
    return couGrid_Sort(&cloud->grid, &cloud->table, cloud->position, cloud->id, cell, &parallel, report);
}

static void cell_of_point(couVec4 x, float cell, int32_t c[3])
{
    float inv = 1.0f / cell;
    c[0] = (int32_t)floorf(x.x * inv), c[1] = (int32_t)floorf(x.y * inv), c[2] = (int32_t)floorf(x.z * inv);
}

// Cells ascend (z, then y, then x), hold exactly the particles that lie in them, and columns went along.
static void check_sorted(const Cloud *cloud, float cell, size_t count, int seed)
{
    const couGrid *grid = &cloud->grid;
    assert_int_equal(cloud->table.count, count);
    assert_int_equal(grid->cell_start[0], 0);
    assert_int_equal(grid->cell_start[grid->cell_count], count);
    bool *is_seen = calloc(count + 1, sizeof *is_seen);
    for (size_t c = 0; c < grid->cell_count; ++c) {
        assert_true(grid->cell_start[c] < grid->cell_start[c + 1]); // no empty cells
        assert_true(c == 0 || grid->keys[c - 1] < grid->keys[c]);
        int32_t expected[3], got[3];
        couGrid_Coordinates(grid, grid->keys[c], expected);
        for (uint32_t i = grid->cell_start[c]; i < grid->cell_start[c + 1]; ++i) {
            cell_of_point(cloud_x(cloud)[i], cell, got);
            for (int a = 0; a < 3; ++a) CHECK_NEAR(got[a], expected[a], 0, seed);
            assert_int_equal(cloud_mark(cloud)[i], cloud_id(cloud)[i] * 3 + 1);
            assert_true(cloud_id(cloud)[i] < count && !is_seen[cloud_id(cloud)[i]]);
            is_seen[cloud_id(cloud)[i]] = true;
        }
    }
    free(is_seen);
}

// Every cell has one colour, and two of the same colour are three apart in some axis.
static void check_colors(const couGrid *grid)
{
    assert_int_equal(grid->color_start[0], 0);
    assert_int_equal(grid->color_start[COU_COLORS], grid->cell_count);
    uint8_t *seen = calloc(grid->cell_count + 1, 1);
    for (int color = 0; color < COU_COLORS; ++color)
        for (uint32_t k = grid->color_start[color]; k < grid->color_start[color + 1]; ++k) {
            uint32_t cell = grid->color_cells[k];
            seen[cell]++;
            int32_t a[3], b[3];
            couGrid_Coordinates(grid, grid->keys[cell], a);
            if (k == grid->color_start[color]) continue;
            assert_true(grid->color_cells[k - 1] < cell);
            for (uint32_t m = grid->color_start[color]; m < k && m < grid->color_start[color] + 200; ++m) {
                couGrid_Coordinates(grid, grid->keys[grid->color_cells[m]], b);
                bool is_apart = abs(a[0] - b[0]) >= 3 || abs(a[1] - b[1]) >= 3 || abs(a[2] - b[2]) >= 3;
                assert_true(is_apart);
            }
        }
    for (size_t c = 0; c < grid->cell_count; ++c) assert_int_equal(seen[c], 1);
    free(seen);
}

static void test_random_clouds(void **context)
{
    (void)context;
    static const int counts[] = {1, 2, 100, 40000};
    static const float sizes[] = {0.01f, 1, 30};
    for (int n = 0; n < COU_COUNT(counts); ++n)
        for (int s = 0; s < COU_COUNT(sizes); ++s)
            for (int threads = 1; threads <= 3; threads += 2) {
                int seed = 10 * n + s;
                Cloud cloud;
                cloud_init(&cloud);
                couRandom random = {couMix64((uint64_t)seed)};
                for (int k = 0; k < counts[n]; ++k) {
                    couVec3 x = {sizes[s] * couRandomSigned(&random), sizes[s] * couRandomSigned(&random),
                                 sizes[s] * couRandomSigned(&random)};
                    cloud_add(&cloud, (uint32_t)k, x);
                }
                couGridReport report;
                if (counts[n] == 40000 && s == 0) { // all in eight cells: insertion sort would take long; fewer will do
                    cloud_free(&cloud);
                    continue;
                }
                assert_true(cloud_sort(&cloud, 0.7f, threads, &report));
                check_sorted(&cloud, 0.7f, (size_t)counts[n], seed);
                check_colors(&cloud.grid);
                cloud_free(&cloud);
            }
}

// A handful of clusters, 1e4 cells and more away from each other on both sides of the origin.
static void test_unbounded(void **context)
{
    (void)context;
    static const couVec3 places[] = {{0, 0, 0},          {1e4f, 0, 0},          {-1e4f, 0, 0},       {0, -1e4f, 1e4f},
                                     {1e4f, 1e4f, 1e4f}, {-1e4f, -1e4f, -1e4f}, {5e5f, -5e5f, 5e5f}, {-5e5f, 5e5f, 0}};
    enum { EACH = 50, SEED = 77 };
    Cloud cloud;
    cloud_init(&cloud);
    couRandom random = {SEED};
    uint32_t id = 0;
    for (int k = 0; k < EACH; ++k)
        for (int p = 0; p < COU_COUNT(places); ++p) {
            couVec3 jitter = {3 * couRandomSigned(&random), 3 * couRandomSigned(&random), 3 * couRandomSigned(&random)};
            cloud_add(&cloud, id++, couAdd(places[p], jitter));
        }
    couGridReport report;
    assert_true(cloud_sort(&cloud, 1.0f, 2, &report));
    check_sorted(&cloud, 1.0f, id, SEED);
    check_colors(&cloud.grid);
    CHECK_AT_MOST((double)cloud.memory.bytes, 4e6, 0); // nothing for the empty space
    cloud_free(&cloud);
}

static void test_order_depends_on_ids_only(void **context)
{
    (void)context;
    enum { COUNT = 30000, SEED = 4 };
    Cloud first, second;
    cloud_init(&first);
    cloud_init(&second);
    couRandom random = {SEED};
    couVec3 *x = malloc(COUNT * sizeof *x);
    uint32_t *order = malloc(COUNT * sizeof *order);
    for (uint32_t k = 0; k < COUNT; ++k) {
        x[k] = (couVec3){5 * couRandomSigned(&random), 5 * couRandomSigned(&random), 5 * couRandomSigned(&random)};
        order[k] = k;
        cloud_add(&first, k, x[k]);
    }
    for (uint32_t k = COUNT - 1; k > 0; --k) {
        uint32_t other = (uint32_t)(couNextRandom(&random) % (k + 1)), t = order[k];
        order[k] = order[other], order[other] = t;
    }
    for (uint32_t k = 0; k < COUNT; ++k) cloud_add(&second, order[k], x[order[k]]);
    couGridReport report;
    assert_true(cloud_sort(&first, 1.0f, 1, &report));
    assert_true(cloud_sort(&second, 1.0f, 3, &report));
    assert_memory_equal(cloud_id(&first), cloud_id(&second), COUNT * sizeof(uint32_t));
    assert_memory_equal(cloud_x(&first), cloud_x(&second), COUNT * sizeof(couVec4));

    // Within a cell the order is shuffled: sweeps in lattice order heat the fluid. About half of the steps go down.
    int falls = 0, steps = 0;
    for (size_t c = 0; c < first.grid.cell_count; ++c)
        for (uint32_t i = first.grid.cell_start[c] + 1; i < first.grid.cell_start[c + 1]; ++i) {
            falls += cloud_id(&first)[i] < cloud_id(&first)[i - 1];
            ++steps;
        }
    CHECK_NEAR((double)falls / steps, 0.5, 0.02, SEED);

    // Sorting what is sorted changes nothing.
    assert_true(cloud_sort(&first, 1.0f, 2, &report));
    assert_memory_equal(cloud_id(&first), cloud_id(&second), COUNT * sizeof(uint32_t));
    free(x), free(order);
    cloud_free(&first);
    cloud_free(&second);
}

static void test_bad_particles_leave_the_table_alone(void **context)
{
    (void)context;
    static const couVec3 bad[] = {{NAN, 0, 0}, {0, INFINITY, 0}, {0, 0, -INFINITY}, {0, 3e6f, 0}, {-1e30f, 0, 0}};
    for (int b = 0; b < COU_COUNT(bad); ++b) {
        Cloud cloud;
        cloud_init(&cloud);
        for (uint32_t k = 0; k < 100; ++k) cloud_add(&cloud, k, (couVec3){(float)(k * 37 % 100), 0, 0});
        cloud_x(&cloud)[31] = cloud_x(&cloud)[60] = (couVec4){bad[b].x, bad[b].y, bad[b].z, 1};
        couGridReport report;
        assert_false(cloud_sort(&cloud, 1.0f, 1, &report));
        bool is_nan = b < 3;
        assert_int_equal(report.nan_count, is_nan ? 2 : 0);
        assert_int_equal(report.lost_count, is_nan ? 0 : 2);
        assert_int_equal(report.first_bad_id, 31);
        for (uint32_t k = 0; k < 100; ++k) assert_int_equal(cloud_id(&cloud)[k], k);
        cloud_free(&cloud);
    }
}

// The nine rows around a cell hold exactly the particles of the 27 cells around it.
static void test_rows(void **context)
{
    (void)context;
    enum { COUNT = 3000, SEED = 12 };
    Cloud cloud;
    cloud_init(&cloud);
    couRandom random = {SEED};
    for (uint32_t k = 0; k < COUNT; ++k)
        cloud_add(&cloud, k, (couVec3){8 * couRandomSigned(&random), 8 * couRandomSigned(&random), 8 * couRandomSigned(&random)});
    couGridReport report;
    assert_true(cloud_sort(&cloud, 1.0f, 1, &report));
    couRows rows;
    for (size_t first = 0; first < cloud.grid.cell_count; first += cloud.grid.cell_count / 3) { // may begin anywhere
        couRows_Start(&rows, &cloud.grid);
        for (size_t c = first; c < cloud.grid.cell_count; ++c) {
            int32_t own[3], other[3];
            couGrid_Coordinates(&cloud.grid, cloud.grid.keys[c], own);
            couRange ranges[COU_MAX_RANGES];
            int range_count = couRows_Next(&rows, own, ranges);
            assert_in_range(range_count, 1, 9);
            size_t found = 0, expected = 0;
            for (int r = 0; r < range_count; ++r) {
                assert_true(ranges[r].begin < ranges[r].end && (r == 0 || ranges[r - 1].end <= ranges[r].begin)); // ascending
                assert_false(ranges[r].is_shifted);
                for (uint32_t i = ranges[r].begin; i < ranges[r].end; ++i, ++found) {
                    cell_of_point(cloud_x(&cloud)[i], 1.0f, other);
                    assert_true(abs(other[0] - own[0]) <= 1 && abs(other[1] - own[1]) <= 1 && abs(other[2] - own[2]) <= 1);
                }
            }
            for (uint32_t i = 0; i < COUNT; ++i) {
                cell_of_point(cloud_x(&cloud)[i], 1.0f, other);
                expected += abs(other[0] - own[0]) <= 1 && abs(other[1] - own[1]) <= 1 && abs(other[2] - own[2]) <= 1;
            }
            assert_int_equal(found, expected);
        }
    }
    cloud_free(&cloud);
}

// --- Periods -----------------------------------------------------------------------------------------------------------------

typedef struct Box {
    float cell;
    couPeriod period;
    int cells[3]; // expected
} Box;

// Whole and broken numbers of cells, the least of three cells, one to three axes, ends on both sides of the origin.
static const Box boxes[] = {
    {1.0f, {{5, 0, 0}, {0, 0, 0}}, {5, 0, 0}},
    {1.0f, {{0, 5.9f, 0}, {0, -3.3f, 0}}, {0, 5, 0}},
    {1.0f, {{0, 0, 3}, {0, 0, -1.5f}}, {0, 0, 3}},
    {0.7f, {{4.0f, 3.0f, 0}, {-20, 7, 0}}, {5, 4, 0}},
    {0.25f, {{0.75f, 0, 2.1f}, {-0.25f, 0, -9}}, {3, 0, 8}},
    {0.3f, {{0.9f, 1.0f, 1.7f}, {-0.45f, 100, -0.1f}}, {3, 3, 5}},
    {1.0f, {{9.5f, 8.5f, 7.5f}, {-9, -9, -9}}, {9, 8, 7}},
};

// A place in the box (along axes without a period: within a few cells of the origin), now and then exactly at an end or between
// two cells, or out of the box by no more than rounding.
static couVec3 random_place(const Box *box, couRandom *random)
{
    float x[3];
    for (int a = 0; a < 3; ++a) {
        float length = box->period.length[a], lower = box->period.lower[a];
        if (!(length > 0)) {
            x[a] = 3 * box->cell * couRandomSigned(random);
            continue;
        }
        int choice = (int)(couNextRandom(random) % 20), step = (int)(couNextRandom(random) % (uint64_t)(box->cells[a] + 1));
        x[a] = lower + length * couRandomFloat(random);
        if (choice == 0) x[a] = lower;
        if (choice == 1) x[a] = lower + length;
        if (choice == 2) x[a] = nextafterf(lower, -INFINITY);
        if (choice == 3) x[a] = nextafterf(lower + length, INFINITY);
        if (choice == 4) x[a] = lower + (float)step * (length / (float)box->cells[a]);
    }
    return (couVec3){x[0], x[1], x[2]};
}

static void box_fill(Cloud *cloud, const Box *box, int count, int seed)
{
    cloud_init(cloud);
    cloud->grid.period = box->period;
    couRandom random = {couMix64((uint64_t)seed)};
    for (int k = 0; k < count; ++k) cloud_add(cloud, (uint32_t)k, random_place(box, &random));
    couGridReport report;
    assert_true(cloud_sort(cloud, box->cell, 2, &report));
}

// The cell that holds particle i.
static void particle_cells(const Cloud *cloud, int32_t (*cells)[3])
{
    for (size_t c = 0; c < cloud->grid.cell_count; ++c)
        for (uint32_t i = cloud->grid.cell_start[c]; i < cloud->grid.cell_start[c + 1]; ++i)
            couGrid_Coordinates(&cloud->grid, cloud->grid.keys[c], cells[i]);
}

// Where cell 0 begins.
static double origin_of(const couGrid *grid, int a) { return grid->cell_limit[a] ? grid->period.lower[a] : 0; }

// Cells fill the period, are no smaller than asked for, and hold what lies in them.
static void test_periodic_cells(void **context)
{
    (void)context;
    for (int b = 0; b < COU_COUNT(boxes); ++b) {
        enum { COUNT = 2000 };
        const Box *box = &boxes[b];
        Cloud cloud;
        box_fill(&cloud, box, COUNT, b);
        const couGrid *grid = &cloud.grid;
        for (int a = 0; a < 3; ++a) {
            assert_int_equal(grid->cell_limit[a], box->cells[a]);
            CHECK_RANGE(grid->cell_edge[a], 0.999998 * box->cell, 4.0 / 3 * box->cell, b);
            double length = box->cells[a] ? box->period.length[a] : box->cell;
            CHECK_NEAR((double)grid->cell_edge[a] * COU_MAX(box->cells[a], 1), length, 1e-6 * length, b);
        }
        int32_t cells[COUNT][3];
        memset(cells, -1, sizeof cells);
        particle_cells(&cloud, cells);
        for (int i = 0; i < COUNT; ++i) {
            const float x[3] = {cloud_x(&cloud)[i].x, cloud_x(&cloud)[i].y, cloud_x(&cloud)[i].z};
            for (int a = 0; a < 3; ++a) {
                double place = (x[a] - origin_of(grid, a)) / grid->cell_edge[a];
                CHECK_RANGE(place, cells[i][a] - 1e-4, cells[i][a] + 1 + 1e-4, b);
                if (box->cells[a]) CHECK_RANGE(cells[i][a], 0, box->cells[a] - 1, b);
            }
        }
        cloud_free(&cloud);
    }
}

// A period of three cell sizes has three cells, however the quotient is rounded.
static void test_shortest_period(void **context)
{
    (void)context;
    couRandom random = {31};
    for (int k = 0; k < 2000; ++k) {
        float size = 0.01f + couRandomFloat(&random);
        Cloud cloud;
        cloud_init(&cloud);
        cloud.grid.period = (couPeriod){{3 * size, 0, 3 * size}, {0, 0, 0}};
        couGridReport report;
        assert_true(cloud_sort(&cloud, size, 1, &report));
        for (int a = 0; a < 3; ++a) CHECK_NEAR(cloud.grid.cell_limit[a], a == 1 ? 0 : 3, 0, k);
        cloud_free(&cloud);
    }
}

static bool is_next(int32_t own, int32_t other, int32_t limit)
{
    int32_t d = abs(own - other);
    return d <= 1 || (limit && d == limit - 1);
}

// The ranges around a cell hold each particle of the 27 cells around it once, and their shifts put it there.
static void check_around(couRows *rows, const Cloud *cloud, int32_t (*cells)[3], const int32_t own[3], int seed)
{
    const couGrid *grid = &cloud->grid;
    couRange ranges[COU_MAX_RANGES];
    int range_count = couRows_Next(rows, own, ranges);
    assert_in_range(range_count, 0, COU_MAX_RANGES);
    size_t count = cloud->table.count;
    uint8_t *seen = calloc(count + 1, 1);
    for (int r = 0; r < range_count; ++r) {
        const float *shift = ranges[r].shift;
        assert_true(ranges[r].begin < ranges[r].end && ranges[r].end <= count);
        assert_int_equal(ranges[r].is_shifted, shift[0] != 0 || shift[1] != 0 || shift[2] != 0);
        for (uint32_t i = ranges[r].begin; i < ranges[r].end; ++i) {
            ++seen[i];
            const float x[3] = {cloud_x(cloud)[i].x, cloud_x(cloud)[i].y, cloud_x(cloud)[i].z};
            for (int a = 0; a < 3; ++a) {
                double place = ((double)x[a] + shift[a] - origin_of(grid, a)) / grid->cell_edge[a];
                CHECK_RANGE(place, own[a] - 1 - 1e-4, own[a] + 2 + 1e-4, seed);
                if (grid->cell_limit[a] == 0) CHECK_NEAR(shift[a], 0, 0, seed);
            }
        }
    }
    for (size_t i = 0; i < count; ++i) {
        bool is_expected = true;
        for (int a = 0; a < 3; ++a) is_expected = is_expected && is_next(own[a], cells[i][a], grid->cell_limit[a]);
        if (seen[i] != is_expected)
            fail_msg("cell %d %d %d: particle %zu in cell %d %d %d expected %d times, got %d, seed %d", own[0], own[1], own[2], i,
                     cells[i][0], cells[i][1], cells[i][2], is_expected, seen[i], seed);
    }
    free(seen);
}

// All cells there are and the empty ones around them, as another grid may have them: ascending, then in any order.
static void check_all_around(const Cloud *cloud, int seed)
{
    const couGrid *grid = &cloud->grid;
    size_t count = cloud->table.count;
    int32_t(*cells)[3] = calloc(count + 1, sizeof *cells);
    particle_cells(cloud, cells);
    int32_t first[3], last[3];
    for (int a = 0; a < 3; ++a) {
        first[a] = grid->cell_limit[a] ? 0 : grid->lower[a] - 2;
        last[a] = grid->cell_limit[a] ? grid->cell_limit[a] - 1 : grid->upper[a] + 2;
    }
    couRows rows;
    couRows_Start(&rows, grid);
    for (int32_t z = first[2]; z <= last[2]; ++z)
        for (int32_t y = first[1]; y <= last[1]; ++y)
            for (int32_t x = first[0]; x <= last[0]; ++x) check_around(&rows, cloud, cells, (int32_t[3]){x, y, z}, seed);
    couRandom random = {couMix64((uint64_t)seed)};
    for (int k = 0; k < 300; ++k) {
        int32_t cell[3];
        for (int a = 0; a < 3; ++a) cell[a] = first[a] + (int32_t)(couNextRandom(&random) % (uint64_t)(last[a] - first[a] + 1));
        check_around(&rows, cloud, cells, cell, seed);
    }
    free(cells);
}

static void test_rows_of_any_cell(void **context)
{
    (void)context;
    static const int counts[] = {1, 3, 20, 600}; // mostly empty rows to none
    static const Box open = {1.0f, {{0, 0, 0}, {0, 0, 0}}, {0, 0, 0}};
    for (int b = -1; b < COU_COUNT(boxes); ++b)
        for (int n = 0; n < COU_COUNT(counts); ++n)
            for (int variant = 0; variant < 3; ++variant) {
                int seed = 1000 * (b + 1) + 10 * n + variant;
                Cloud cloud;
                box_fill(&cloud, b < 0 ? &open : &boxes[b], counts[n], seed);
                check_all_around(&cloud, seed);
                cloud_free(&cloud);
            }
}

// Long rows with few cells: cursors have far to go, both ways.
static void test_long_rows(void **context)
{
    (void)context;
    for (int is_periodic = 0; is_periodic < 2; ++is_periodic) {
        Cloud cloud;
        cloud_init(&cloud);
        if (is_periodic) cloud.grid.period = (couPeriod){{400, 3, 4}, {-200, 0, 0}};
        couRandom random = {8};
        for (uint32_t k = 0; k < 200; ++k) {
            float x = 400 * couRandomFloat(&random) - 200;
            if (k % 2) x = x > 0 ? 199.5f : -199.5f;
            cloud_add(&cloud, k, (couVec3){x, 3 * couRandomFloat(&random), 4 * couRandomFloat(&random)});
        }
        couGridReport report;
        assert_true(cloud_sort(&cloud, 1.0f, 1, &report));
        check_all_around(&cloud, is_periodic);
        cloud_free(&cloud);
    }
}

static void test_out_of_the_period(void **context)
{
    (void)context;
    static const float outside[] = {-1.1f, 4.1f, 9, -20};
    for (int k = 0; k < COU_COUNT(outside); ++k) {
        Cloud cloud;
        cloud_init(&cloud);
        cloud.grid.period = (couPeriod){{0, 5, 0}, {0, -1, 0}};
        for (uint32_t i = 0; i < 10; ++i) cloud_add(&cloud, i, (couVec3){100 - 30 * (float)i, 0.3f * (float)i, 50});
        couGridReport report;
        assert_true(cloud_sort(&cloud, 1.0f, 1, &report)); // x and z do not repeat
        uint32_t bad = cloud_id(&cloud)[7];
        cloud_x(&cloud)[7].y = outside[k];
        assert_false(cloud_sort(&cloud, 1.0f, 1, &report));
        assert_int_equal(report.lost_count, 1);
        assert_int_equal(report.nan_count, 0);
        assert_int_equal(report.first_bad_id, bad);
        cloud_free(&cloud);
    }
}

static void test_nothing_to_sort(void **context)
{
    (void)context;
    Cloud cloud;
    cloud_init(&cloud);
    couGridReport report;
    assert_true(cloud_sort(&cloud, 1.0f, 2, &report));
    assert_int_equal(cloud.grid.cell_count, 0);
    assert_int_equal(cloud.grid.color_start[COU_COLORS], 0);
    cloud_free(&cloud);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_clouds),
        cmocka_unit_test(test_unbounded),
        cmocka_unit_test(test_order_depends_on_ids_only),
        cmocka_unit_test(test_bad_particles_leave_the_table_alone),
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_periodic_cells),
        cmocka_unit_test(test_shortest_period),
        cmocka_unit_test(test_rows_of_any_cell),
        cmocka_unit_test(test_long_rows),
        cmocka_unit_test(test_out_of_the_period),
        cmocka_unit_test(test_nothing_to_sort),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
