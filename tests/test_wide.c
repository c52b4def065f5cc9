// Eight at a time: the operations against plain loops, and the four builds of every hot loop against each other, bit by bit.
#include "testing.h"

static float noise(couRandom *random) { return couRandomSigned(random) * powf(10.0f, 3.0f * couRandomSigned(random)); }

static void test_operations(void **context)
{
    (void)context;
    enum { SEED = 8 };
    couRandom random = {SEED};
    for (int round = 0; round < 1000; ++round) {
        float a[8], b[8], r[8];
        for (int k = 0; k < 8; ++k) a[k] = noise(&random), b[k] = noise(&random);
        b[round % 8] = a[round % 8]; // equal values too
        couFloatW x = couLoadW(a), y = couLoadW(b);
#define CHECK_EACH(wide, plain) \
    do { \
        couStoreW(r, wide); \
        for (int k = 0; k < 8; ++k) CHECK_NEAR(r[k], (float)(plain), 0, SEED); \
    } while (0)
        CHECK_EACH(x + y, a[k] + b[k]);
        CHECK_EACH(x - y, a[k] - b[k]);
        CHECK_EACH(x * y, a[k] * b[k]);
        CHECK_EACH(x / y, a[k] / b[k]);
        CHECK_EACH(0.3f - x * b[0], 0.3f - a[k] * b[0]); // a float stands for eight of it
        CHECK_EACH(couMinW(x, y), a[k] < b[k] ? a[k] : b[k]);
        CHECK_EACH(couMaxW(x, y), a[k] > b[k] ? a[k] : b[k]);
        CHECK_EACH(couMinW(x, 0.5f), a[k] < 0.5f ? a[k] : 0.5f);
        CHECK_EACH(couMaxW(x, -0.5f), a[k] > -0.5f ? a[k] : -0.5f);
        CHECK_EACH(couSqrtW(x * x), sqrtf(a[k] * a[k]));
        CHECK_EACH(couSelectW(x < y, x, 7.0f), a[k] < b[k] ? a[k] : 7.0f);
        CHECK_EACH(couSelectW(x > 0.0f, 7.0f, y), a[k] > 0.0f ? 7.0f : b[k]);
        unsigned bits = couBitsW(x < y);
        for (int k = 0; k < 8; ++k) assert_int_equal(bits >> k & 1, a[k] < b[k]);
        float sum = ((a[0] + a[4]) + (a[2] + a[6])) + ((a[1] + a[5]) + (a[3] + a[7]));
        CHECK_NEAR(couSumW(x), sum, 0, SEED);
    }
}

static void test_records(void **context)
{
    (void)context;
    couVec4 records[40], out[8];
    for (int i = 0; i < 40; ++i) records[i] = (couVec4){(float)i, (float)i + 100, (float)i + 200, (float)i + 300};
    const uint32_t index[8] = {39, 0, 7, 7, 12, 31, 5, 20};
    couFloatW w;
    couVec3W xyz = couLoadRecordsW(records, index, &w);
    float plain[4][8];
    couStore3W(plain, xyz), couStoreW(plain[3], w);
    for (int k = 0; k < 8; ++k)
        for (int c = 0; c < 4; ++c) CHECK_NEAR(plain[c][k], (float)index[k] + 100.0f * (float)c, 0, 0);
    couStoreRecordsW(out, xyz, w);
    for (int k = 0; k < 8; ++k) assert_memory_equal(&out[k], &records[index[k]], sizeof *out);
    couAddRecord(&out[3], &records[1]);
    CHECK_NEAR(out[3].x, 8, 0, 0);
    CHECK_NEAR(out[3].w, 608, 0, 0);
}

static void test_vectors(void **context)
{
    (void)context;
    enum { SEED = 10 };
    couRandom random = {SEED};
    float a[3][COU_WIDTH], b[3][COU_WIDTH], s[COU_WIDTH], r[3][COU_WIDTH], dots[COU_WIDTH];
    for (int k = 0; k < COU_WIDTH; ++k) {
        for (int c = 0; c < 3; ++c) a[c][k] = noise(&random), b[c][k] = noise(&random);
        s[k] = noise(&random);
    }
    couVec3W x = couLoad3W(a), y = couLoad3W(b);
#define CHECK_EACH3(wide, plain) \
    do { \
        couStore3W(r, wide); \
        for (int c = 0; c < 3; ++c) \
            for (int k = 0; k < COU_WIDTH; ++k) CHECK_NEAR(r[c][k], (float)(plain), 0, SEED); \
    } while (0)
    CHECK_EACH3(couAddW(x, y), a[c][k] + b[c][k]);
    CHECK_EACH3(couSubW(x, y), a[c][k] - b[c][k]);
    CHECK_EACH3(couScaleW(couLoadW(s), y), s[k] * b[c][k]);
    CHECK_EACH3(couMulAddW(x, couLoadW(s), y), a[c][k] + s[k] * b[c][k]);
    CHECK_EACH3(couSubW(couSet3W((couVec3){1, 2, 3}), y), (float)(c + 1) - b[c][k]);
    couStoreW(dots, couDotW(x, y));
    for (int k = 0; k < COU_WIDTH; ++k) CHECK_NEAR(dots[k], a[0][k] * b[0][k] + a[1][k] * b[1][k] + a[2][k] * b[2][k], 0, SEED);
    couVec3 sum = couSum3W(x);
    CHECK_NEAR(sum.x, couSumW(x.x), 0, SEED);
    CHECK_NEAR(sum.y, couSumW(x.y), 0, SEED);
    CHECK_NEAR(sum.z, couSumW(x.z), 0, SEED);
}

static void test_compress(void **context)
{
    (void)context;
    const uint32_t index[8] = {10, 11, 12, 13, 14, 15, 16, 17};
    for (unsigned bits = 0; bits < 256; ++bits) {
        uint32_t out[16];
        int expected = 0;
        int got = couCompressW(out, index, bits);
        for (int k = 0; k < 8; ++k)
            if (bits >> k & 1) assert_int_equal(out[expected++], index[k]);
        assert_int_equal(got, expected);
    }
}

static void test_sixteen(void **context)
{
    (void)context;
    enum { SEED = 16 };
    couRandom random = {SEED};
    for (int round = 0; round < 1000; ++round) {
        float x[COU_WIDTH16];
        uint32_t index[COU_WIDTH16], out[2 * COU_WIDTH16];
        for (int k = 0; k < COU_WIDTH16; ++k) x[k] = noise(&random), index[k] = (uint32_t)couNextRandom(&random);
        float limit = x[round % COU_WIDTH16]; // an equal value too
        unsigned bits = couLess16W(couLoad16W(x), limit);
        for (int k = 0; k < COU_WIDTH16; ++k) assert_int_equal(bits >> k & 1, x[k] < limit);
        int expected = 0, got = couCompress16W(out, index, bits);
        for (int k = 0; k < COU_WIDTH16; ++k)
            if (bits >> k & 1) assert_int_equal(out[expected++], index[k]);
        assert_int_equal(got, expected);
    }
}

// The baseline, v3 and v4 builds of these are compared bit by bit through the loops that use them (test_sph_run.c).
static void test_shorts(void **context)
{
    (void)context;
    int16_t kept[COU_WIDTH];
    float back[COU_WIDTH];
    for (int n = -32768; n <= 32767; n += COU_WIDTH) { // every one of them
        float whole[COU_WIDTH];
        int16_t shorts[COU_WIDTH + 1];
        for (int k = 0; k < COU_WIDTH; ++k) whole[k] = (float)(n + k), shorts[k + 1] = (int16_t)(n + k);
        couStoreShortsW(kept, couLoadW(whole));
        assert_memory_equal(kept, shorts + 1, sizeof kept);
        couStoreW(back, couLoadShortsW(shorts + 1)); // not aligned to anything
        for (int k = 0; k < COU_WIDTH; ++k) CHECK_NEAR(back[k], n + k, 0, 0);
    }
}

static void test_load_each(void **context)
{
    (void)context;
    float values[50], got[COU_WIDTH];
    for (int i = 0; i < 50; ++i) values[i] = 0.5f * (float)i - 3.0f;
    const uint32_t index[COU_WIDTH] = {49, 0, 7, 7, 12, 31, 5, 20};
    couStoreW(got, couLoadEachW(values, index));
    for (int k = 0; k < COU_WIDTH; ++k) CHECK_NEAR(got[k], values[index[k]], 0, 0);
}

static void test_round(void **context)
{
    (void)context;
    enum { SEED = 9 };
    couRandom random = {SEED};
    static const float halves[COU_WIDTH] = {0.5f, 1.5f, 2.5f, -0.5f, -1.5f, -2.5f, 32766.5f, -32766.5f};
    float got[COU_WIDTH], a[COU_WIDTH];
    couStoreW(got, couRoundW(couLoadW(halves)));
    for (int k = 0; k < COU_WIDTH; ++k) CHECK_NEAR(got[k], nearbyintf(halves[k]), 0, SEED);
    for (int round = 0; round < 5000; ++round) {
        for (int k = 0; k < COU_WIDTH; ++k) a[k] = couRandomSigned(&random) * powf(10.0f, 6.5f * couRandomFloat(&random));
        couStoreW(got, couRoundW(couLoadW(a)));
        for (int k = 0; k < COU_WIDTH; ++k) CHECK_NEAR(got[k], nearbyintf(a[k]), 0, SEED);
        float other[COU_WIDTH];
        couStoreW(other, couRoundW(0.0f - couLoadW(a))); // what gradients rely on
        for (int k = 0; k < COU_WIDTH; ++k) CHECK_NEAR(other[k], -got[k], 0, SEED);
    }
}

// The table behind the v3 build's compress.
extern const uint64_t couCompressTable[256];
static void test_compress_table(void **context)
{
    (void)context;
    for (unsigned bits = 0; bits < 256; ++bits) {
        int place = 0;
        for (unsigned k = 0; k < 8; ++k)
            if (bits >> k & 1) assert_int_equal(couCompressTable[bits] >> (8 * place++) & 0xff, k);
    }
}

// --- Hot loops ---------------------------------------------------------------------------------------------------------------

// A cloud of two liquids of different mass and viscosity above a floor, a few particles in one place.
static couWorld *make_cloud(couIsa isa, int dimension, int materials, float size, int seed)
{
    couWorld *world = make_world(dimension, 0.02f, EARTH, 1);
    add_liquid(world, 1000, 0.5f);
    if (materials > 1) add_liquid(world, 2700, 20.0f);
    add_body(world, make_plane(0.1f, 1, 0), at(0, -0.4f * size, 0), 0.3f);
    add_cloud(world, 2000, size, 0, materials, 1.0f, seed);
    couVec3 twins[3] = {{0.01f, 0.02f, 0}, {0.01f, 0.02f, 0}, {0.01f, 0.02f, 0}};
    couFaults faults = {0};
    assert_true(couWorld_AddParticles(world, couWorld_MaterialAt(world, 0), twins, NULL, 3, &faults));
    world->fluid.neighbors.isa = isa;
    prepare_world(world);
    return world;
}

static void check_same(couWorld *a, couWorld *b, couIsa isa, const char *after, int seed)
{
    size_t count = a->fluid.table.count;
    for (int c = 0; c < a->fluid.table.column_count; ++c) {
        const couColumn *column = &a->fluid.table.columns[c];
        const char *p = column->data, *q = b->fluid.table.columns[c].data;
        for (size_t i = 0; i < count; ++i)
            if (memcmp(p + i * column->row_bytes, q + i * column->row_bytes, column->row_bytes) != 0)
                fail_msg("%s differs from scalar in column %s, row %zu after %s, seed %d", couIsaName(isa), column->name, i,
                         after, seed);
    }
    for (size_t i = 0; i < count; ++i) {
        assert_int_equal(a->fluid.neighbors.count[i], b->fluid.neighbors.count[i]);
        assert_int_equal(a->fluid.neighbors.below[i], b->fluid.neighbors.below[i]);
        assert_memory_equal(a->fluid.neighbors.first[i], b->fluid.neighbors.first[i],
                            a->fluid.neighbors.count[i] * sizeof(uint32_t));
    }
}

static void check_variants(int dimension, int materials, float size, int near, float dt, int seed)
{
    for (int isa = cou_isaBase; isa <= (int)couBestIsa(); ++isa) {
        couWorld *worlds[2] = {make_cloud(cou_isaScalar, dimension, materials, size, seed),
                               make_cloud((couIsa)isa, dimension, materials, size, seed)};
        couStepReport reports[2] = {{0}};
        static const couPhase phases[] = {cou_phaseNeighbors, cou_phasePressure, cou_phaseViscosity};
        for (int w = 0; w < 2; ++w) {
            pvfs_params(worlds[w])->near = near;
            find_pairs(worlds[w]);
        }
        check_same(worlds[0], worlds[1], (couIsa)isa, "search", seed);
        for (int p = 1; p < COU_COUNT(phases); ++p) {
            for (int w = 0; w < 2; ++w) run_method_phase(worlds[w], phases[p], dt, &reports[w]);
            check_same(worlds[0], worlds[1], (couIsa)isa, couPhaseName(phases[p]), seed);
        }
        assert_int_equal(reports[0].guard_count, reports[1].guard_count);
        for (int k = 0; k < 5; ++k)
            for (int w = 0; w < 2; ++w) couWorld_Step(worlds[w], 0.002f);
        assert_true(hash_world(worlds[0]) == hash_world(worlds[1]));
        couDestroyWorld(worlds[0]);
        couDestroyWorld(worlds[1]);
    }
}

static void test_variants_3d(void **context)
{
    (void)context;
    check_variants(3, 1, 0.25f, cou_nearDensity, 0.005f, 1);
    check_variants(3, 2, 0.25f, cou_nearDensity, 0.005f, 2);
    check_variants(3, 2, 0.12f, cou_nearDistance, 0.05f, 3); // dense, the guard acts
    check_variants(3, 1, 2.0f, cou_nearNone, 0.005f, 4);     // sparse
}

static void test_variants_2d(void **context)
{
    (void)context;
    check_variants(2, 1, 0.9f, cou_nearDensity, 0.005f, 5);
    check_variants(2, 2, 0.5f, cou_nearDensity, 0.05f, 6);
    check_variants(2, 2, 4.0f, cou_nearDensity, 0.005f, 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_operations),     cmocka_unit_test(test_vectors),     cmocka_unit_test(test_records),
        cmocka_unit_test(test_shorts),         cmocka_unit_test(test_load_each),   cmocka_unit_test(test_round),
        cmocka_unit_test(test_compress),       cmocka_unit_test(test_sixteen),     cmocka_unit_test(test_variants_3d),
        cmocka_unit_test(test_compress_table), cmocka_unit_test(test_variants_2d),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
