// Files of foam: to the bit what was written, in both kinds, and nothing worse than a fault of what is damaged.
#include "io/foam_file.h"
#include "io_test.h"

#include "base/random.h"
#include "coulis/frames.h"

static couFoam make_foam(size_t count)
{
    couFoam foam = {0};
    couRandom random = {7};
    assert_true(COU_GROW(NULL, foam.items, foam.capacity, count + 1));
    for (; foam.count < count; ++foam.count)
        foam.items[foam.count] = (couFoamParticle){
            .position = {couRandomSigned(&random), couRandomSigned(&random), couRandomSigned(&random)},
            .velocity = {couRandomSigned(&random), couRandomSigned(&random), couRandomSigned(&random)},
            .age = couRandomFloat(&random),
            .life = couRandomFloat(&random),
            .id = (uint32_t)couNextRandom(&random),
            .kind = (uint8_t)(foam.count % 3)};
    return foam;
}

static void test_round_trip(void **context)
{
    (void)context;
    static const char *const names[] = {"foam.vtp", "foam.ply"};
    for (int k = 0; k < 4; ++k) {
        couFoam foam = make_foam(k < 2 ? 1000 : 0), back;
        couFaults faults = {0};
        const char *path = scratch(names[k % 2]);
        assert_true(couWriteFoam(path, &foam, 0.5, &faults));
        assert_true(couReadFoam(path, &back, &faults));
        assert_int_equal(back.count, foam.count);
        for (size_t i = 0; i < foam.count; ++i) {
            const couFoamParticle *p = &foam.items[i], *q = &back.items[i];
            assert_memory_equal(&p->position, &q->position, sizeof p->position);
            assert_memory_equal(&p->velocity, &q->velocity, sizeof p->velocity);
            assert_true(p->age == q->age && p->life == q->life && p->id == q->id && p->kind == q->kind);
        }
        couFoam_Clear(&foam), couFoam_Clear(&back);
    }
}

static void test_other_files_are_faults(void **context)
{
    (void)context;
    couFoam foam;
    couFaults faults = {0};
    couFrame frame;
    assert_true(couAllocateFrame(&frame, 3));
    assert_true(couWriteVtp(scratch("frame.vtp"), &frame, &faults));
    couFreeFrame(&frame);
    assert_false(couReadFoam(scratch("frame.vtp"), &foam, &faults));
    assert_int_equal(faults.count, 1);
    assert_non_null(strstr(faults.items[0].message, "is no file of foam"));
    couFaults_Clear(&faults);
    assert_false(couReadFoam(scratch("missing.vtp"), &foam, &faults));
    assert_int_equal(faults.count, 1);
    couFaults_Clear(&faults);
}

// Cut off or with changed bytes anywhere: one fault, or foam that is finite and of known kinds.
static void test_damaged_files(void **context)
{
    (void)context;
    static const char *const names[] = {"damaged.vtp", "damaged.ply"};
    for (int k = 0; k < 2; ++k) {
        couFoam foam = make_foam(20), back;
        couFaults faults = {0};
        const char *path = scratch(names[k]);
        assert_true(couWriteFoam(path, &foam, 0.5, &faults));
        size_t size;
        char *data = read_bytes(path, &size);
        assert_non_null(data);
        for (size_t i = 0; i < 2 * size; ++i) {
            size_t place = i % size;
            bool is_cut = i < size;
            if (!is_cut) data[place] ^= (char)0x81;
            write_bytes(path, data, is_cut ? place : size);
            bool is_read = couReadFoam(path, &back, &faults);
            assert_int_equal(faults.count, is_read ? 0 : 1);
            for (size_t p = 0; p < back.count; ++p)
                assert_true(back.items[p].kind < cou_foamKindCount && isfinite(back.items[p].life));
            couFoam_Clear(&back);
            couFaults_Clear(&faults);
            if (!is_cut) data[place] ^= (char)0x81;
        }
        free(data);
        couFoam_Clear(&foam);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_scratch, remove_scratch)
    const struct CMUnitTest tests[] = {TEST(test_round_trip), TEST(test_other_files_are_faults), TEST(test_damaged_files)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
