// Checkpoints: what is saved comes back to the bit; damage of any kind is found and a failed save loses nothing.
#include "io_test.h"

#include "coulis/checkpoint.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <fcntl.h>
#include <pthread.h>

enum { seal_bytes = 512 }; // in front of the HDF5 file

static couCheckpointInfo sample_info(void)
{
    return (couCheckpointInfo){.scene = "scenes/sirop d'\xc3\xa9rable.lua",
                               .method = "pvfs",
                               .scene_hash = 0xfedcba9876543210u,
                               .frame = 42,
                               .fps = 30,
                               .time = 1.0 / 3.0,
                               .particles = 1234567890123u};
}

// Every type, one and several components, large enough for chunks, small, empty.
static void make_state(couState *state, size_t count)
{
    *state = (couState){0};
    float *position = couState_Add(state, "particles/position", "m", cou_stateF32, 4, count, NULL)->data;
    uint32_t *id = couState_Add(state, "particles/id", "", cou_stateU32, 1, count, NULL)->data;
    uint8_t *material = couState_Add(state, "particles/material", "", cou_stateU8, 1, count, NULL)->data;
    uint32_t random = 1;
    for (size_t i = 0; i < count; ++i) {
        for (int k = 0; k < 4; ++k) position[4 * i + k] = (float)((random = random * 1664525u + 1013904223u) >> 8);
        id[i] = (uint32_t)i;
        material[i] = (uint8_t)(i % 3);
    }
    if (count > 2) position[1] = NAN, position[2] = -0.0f;
    couState_Add(state, "world/time", "s", cou_stateF64, 1, 1, &(double){0.1 + 0.2});
    couState_Add(state, "world/random", "", cou_stateU64, 2, 2, (uint64_t[]){1, UINT64_MAX, 3, 4});
    couState_Add(state, "springs/rest_length", "m", cou_stateF32, 1, 0, NULL);
    couState_Add(state, "springs/ids", "", cou_stateU32, 2, 0, NULL);
    couState_Add(state, "a/deep/name with spaces", "kg m^2/s^2", cou_stateU8, 7, 1, "1234567");
}

static void expect_equal_states(const couState *a, const couState *b)
{
    assert_int_equal(a->count, b->count);
    for (int i = 0; i < a->count; ++i) {
        const couStateArray *x = &a->arrays[i], *y = &b->arrays[i];
        assert_string_equal(x->name, y->name);
        assert_string_equal(x->unit, y->unit);
        assert_int_equal(x->type, y->type);
        assert_int_equal(x->components, y->components);
        assert_int_equal(x->count, y->count);
        assert_memory_equal(x->data, y->data, couStateType_Size(x->type) * (size_t)x->components * x->count);
    }
}

static void expect_equal_infos(const couCheckpointInfo *a, const couCheckpointInfo *b)
{
    assert_string_equal(a->scene, b->scene);
    assert_string_equal(a->method, b->method);
    assert_true(a->scene_hash == b->scene_hash && a->frame == b->frame && a->fps == b->fps && a->time == b->time);
    assert_true(a->particles == b->particles && a->state_hash == b->state_hash);
}

static void save_sample(const char *path, size_t count)
{
    couFaults faults = {0};
    couCheckpointInfo info = sample_info();
    couState saved;
    make_state(&saved, count);
    bool is_ok = couWriteCheckpoint(path, &info, &saved, &faults);
    expect_no_fault(&faults);
    assert_true(is_ok);
    couState_Clear(&saved);
}

static void expect_sample(const char *path, size_t count)
{
    couFaults faults = {0};
    couCheckpointInfo expected = sample_info(), info, alone;
    couState saved, loaded = {0};
    make_state(&saved, count);
    expected.state_hash = couState_Hash(&saved);
    bool is_ok = couReadCheckpoint(path, &info, &loaded, &faults) && couReadCheckpoint(path, &alone, NULL, &faults);
    expect_no_fault(&faults);
    assert_true(is_ok);
    expect_equal_states(&saved, &loaded);
    expect_equal_infos(&expected, &info);
    expect_equal_infos(&expected, &alone);
    couState_Clear(&saved);
    couState_Clear(&loaded);
}

static void test_round_trip(void **context)
{
    (void)context;
    static const size_t counts[] = {0, 1, 3, 1000, 4096, 70000, 300001};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i) {
        save_sample(scratch("checkpoint.h5"), counts[i]);
        expect_sample(scratch("checkpoint.h5"), counts[i]);
    }
    assert_int_equal(count_scratch(), 1);
}

static void test_no_arrays(void **context)
{
    (void)context;
    couFaults faults = {0};
    couCheckpointInfo info = sample_info(), back;
    couState empty = {0}, loaded = {0};
    assert_true(couWriteCheckpoint(scratch("checkpoint.h5"), &info, &empty, &faults));
    assert_true(couReadCheckpoint(scratch("checkpoint.h5"), &back, &loaded, &faults));
    assert_int_equal(loaded.count, 0);
    expect_no_fault(&faults);
}

// Names that HDF5 cannot hold side by side: a clear fault, nothing written.
static void test_names_that_clash(void **context)
{
    (void)context;
    static const char *const names[][2] = {{"a", "a/b"}, {"x", "order"}, {"a", "."}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        couFaults faults = {0};
        couCheckpointInfo info = sample_info();
        couState clash = {0};
        for (int k = 0; k < 2; ++k) couState_Add(&clash, names[i][k], "", cou_stateU8, 1, 1, NULL);
        assert_false(couWriteCheckpoint(scratch("checkpoint.h5"), &info, &clash, &faults));
        expect_fault(&faults, scratch("checkpoint.h5"), "cannot be made: ");
        assert_int_equal(count_scratch(), 0);
        couState_Clear(&clash);
    }
}

static void test_full_disk(void **context)
{
    (void)context;
    const char *path = scratch("checkpoint.h5");
    save_sample(path, 100);
    couFaults faults = {0};
    couCheckpointInfo info = sample_info();
    couState large;
    make_state(&large, 100000);
    static const long rooms[] = {0, 511, 512, 4096, 100000, 1000000};
    for (size_t i = 0; i < sizeof rooms / sizeof rooms[0]; ++i) {
        set_disk_room(rooms[i]);
        bool is_ok = couWriteCheckpoint(path, &info, &large, &faults);
        set_disk_room(-1);
        assert_false(is_ok);
        expect_fault(&faults, path, "cannot be written: File too large");
        assert_int_equal(count_scratch(), 1);
    }
    expect_sample(path, 100);                                      // the good one is still there
    assert_true(couWriteCheckpoint(path, &info, &large, &faults)); // and when there is room again, all goes on
    expect_sample(path, 100000);
    couState_Clear(&large);
}

static void test_unwritable_folder(void **context)
{
    (void)context;
    couFaults faults = {0};
    couCheckpointInfo info = sample_info();
    couState saved;
    make_state(&saved, 10);
    write_text(scratch("plain"), "x");
    const char *paths[] = {scratch("plain/checkpoint.h5"), scratch("missing/checkpoint.h5"), "/proc/checkpoint.h5"};
    for (int i = 0; i < 3; ++i) {
        assert_false(couWriteCheckpoint(paths[i], &info, &saved, &faults));
        expect_fault(&faults, paths[i], "cannot be written: ");
    }
    assert_int_equal(count_scratch(), 1);
    couState_Clear(&saved);
}

// --- Damage ------------------------------------------------------------------------------------------------------------------

static void refuse(const char *path, const char *reason)
{
    couFaults faults = {0};
    couCheckpointInfo info;
    couState loaded = {0};
    if (couReadCheckpoint(path, &info, &loaded, &faults)) fail_msg("a damaged checkpoint was read; expected '%s'", reason);
    assert_int_equal(loaded.count, 0);
    assert_null(loaded.arrays);
    assert_true(info.frame == 0 && info.scene[0] == '\0');
    expect_fault(&faults, path, reason);
}

static void test_foreign_files(void **context)
{
    (void)context;
    const char *path = scratch("checkpoint.h5");
    refuse(path, "No such file");
    write_text(path, "");
    refuse(path, "not a Coulis checkpoint: it has only 0 bytes");
    write_text(path, "hello\n");
    refuse(path, "not a Coulis checkpoint: it has only 6 bytes");
    char text[5000];
    memset(text, 'a', sizeof text);
    write_bytes(path, text, sizeof text);
    refuse(path, "not a Coulis checkpoint");
    memcpy(text, "\x89HDF\r\n\x1a\n", 8); // what other HDF5 files begin with
    write_bytes(path, text, sizeof text);
    refuse(path, "not a Coulis checkpoint");
    memcpy(text, "Coulis checkpoint 2\nbytes 5000\n", 31);
    write_bytes(path, text, sizeof text);
    refuse(path, "has format 2; this program reads format 1");
    refuse(scratch_folder, "cannot be read: Is a directory");
    refuse("/dev/null", "it is not a regular file");
}

static void test_truncations(void **context)
{
    (void)context;
    const char *path = scratch("checkpoint.h5");
    save_sample(path, 5000);
    size_t size;
    char *data = read_bytes(path, &size);
    for (size_t length = 0; length < size; length += length < 2000 ? 1 : 997) {
        write_bytes(path, data, length);
        refuse(path, length < seal_bytes ? "it has only" : "is truncated: ");
    }
    write_bytes(path, data, size - 1);
    refuse(path, "is truncated: ");
    char *longer = calloc(1, size + 1);
    memcpy(longer, data, size);
    write_bytes(path, longer, size + 1);
    refuse(path, "is damaged");
    free(longer);
    free(data);
}

// Each single byte of the file, changed in three ways.
static void test_every_flip(void **context)
{
    (void)context;
    const char *path = scratch("checkpoint.h5");
    save_sample(path, 2000);
    size_t size;
    char *data = read_bytes(path, &size);
    int descriptor = open(path, O_WRONLY);
    assert_true(descriptor >= 0 && size > 20000);
    for (size_t i = 0; i < size; ++i) {
        static const unsigned char masks[] = {1, 0x80, 0xff};
        unsigned char flipped = (unsigned char)data[i] ^ masks[i % 3];
        assert_int_equal(pwrite(descriptor, &flipped, 1, (off_t)i), 1);
        refuse(path, "");
        assert_int_equal(pwrite(descriptor, &data[i], 1, (off_t)i), 1);
    }
    close(descriptor);
    free(data);
    expect_sample(path, 2000); // put back, it is good again
}

// Writes bytes behind a seal that fits them, as a forger or a broken writer would.
static void write_sealed(const char *path, const char *content, size_t bytes)
{
    char *file = calloc(1, seal_bytes + bytes);
    assert_non_null(file);
    snprintf(file, seal_bytes, "Coulis checkpoint 1\nbytes %zu\nxxh3 %016llx\n", seal_bytes + bytes,
             (unsigned long long)XXH3_64bits(content, bytes));
    memcpy(file + seal_bytes, content, bytes);
    write_bytes(path, file, seal_bytes + bytes);
    free(file);
}

// Changes bytes behind the seal and seals the file anew.
static void forge(const char *path, const char *from, const char *to, size_t length)
{
    size_t size;
    char *data = read_bytes(path, &size), *at = memmem(data + seal_bytes, size - seal_bytes, from, length);
    if (!at) fail_msg("'%s' is not in the file", from);
    memcpy(at, to, length);
    write_sealed(path, data + seal_bytes, size - seal_bytes);
    free(data);
}

static void test_forgeries(void **context)
{
    (void)context;
    const char *path = scratch("checkpoint.h5");
    double time = 0.1 + 0.2, other = 0.25;
    save_sample(path, 100);
    forge(path, (char *)&time, (char *)&time, sizeof time); // the seal is made as we make it
    expect_sample(path, 100);
    forge(path, (char *)&time, (char *)&other, sizeof time);
    refuse(path, "the state in it hashes to");

    save_sample(path, 100);
    forge(path, "\x89HDF", "\x89HDG", 4);
    refuse(path, "not a readable HDF5 file: ");

    // Names as they lie in the file, with the zero behind.
    static const struct {
        const char *from, *to, *reason;
    } cases[] = {
        {"state_hash", "state_hush", "the checkpoint is wrong: missing or no number"},
        {"fps", "fpz", "the checkpoint is wrong: missing or no number"},
        {"method", "mothod", "the checkpoint is wrong: missing or no text"},
        {"scene", "scent", "the checkpoint is wrong: missing or no text"},
        {"order", "ordep", "the list of arrays is missing"},
        {"particles/id", "particles/iq", "the array is missing or not an array"},
        {"world/time", "world\0time", "the array is missing or not an array"}, // a group
        {"world/time", "/orld/time", "the array is missing or not an array"},
        {"springs/ids", "springs/../", "the array is missing or not an array"},
        {"springs/ids", "world/time\0", "the array is listed twice"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        save_sample(path, 100);
        forge(path, cases[i].from, cases[i].to, strlen(cases[i].from) + 1);
        refuse(path, cases[i].reason);
    }
}

// HDF5 reads beyond a buffer of its own in this one, which ends its process under the sanitizers, and may elsewhere.
static void test_what_breaks_hdf5(void **context)
{
    (void)context;
    size_t bytes;
    char *content = read_bytes(COU_SOURCE_DIR "/fuzz/corpus/checkpoint/attribute.bin", &bytes);
    write_sealed(scratch("checkpoint.h5"), content, bytes);
    free(content);
    refuse(scratch("checkpoint.h5"), "");
    save_sample(scratch("checkpoint.h5"), 100); // and nothing is the worse for it
    expect_sample(scratch("checkpoint.h5"), 100);
}

// One thread writes while another reads: HDF5's lock must not be held by somebody who is not there in the reader's process.
static void *write_often(void *path)
{
    for (int k = 0; k < 40; ++k) save_sample(path, 5000);
    return NULL;
}

static void test_reading_beside_writing(void **context)
{
    (void)context;
    const char *path = scratch("checkpoint.h5"), *other = scratch("other.h5");
    save_sample(path, 100);
    pthread_t writer;
    assert_int_equal(pthread_create(&writer, NULL, write_often, (void *)other), 0);
    for (int k = 0; k < 40; ++k) expect_sample(path, 100);
    assert_int_equal(pthread_join(writer, NULL), 0);
    expect_sample(other, 5000);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_scratch, remove_scratch)
    const struct CMUnitTest tests[] = {
        TEST(test_round_trip),
        TEST(test_no_arrays),
        TEST(test_names_that_clash),
        TEST(test_full_disk),
        TEST(test_unwritable_folder),
        TEST(test_foreign_files),
        TEST(test_truncations),
        TEST(test_every_flip),
        TEST(test_forgeries),
        TEST(test_what_breaks_hdf5),
        TEST(test_reading_beside_writing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
