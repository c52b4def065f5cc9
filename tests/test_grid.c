// The cell sort: particles by cell wherever they are, in an order that depends on their ids and places alone.
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
        cmocka_unit_test(test_nothing_to_sort),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
