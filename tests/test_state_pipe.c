// What a process that reads a checkpoint sends is taken to the bit when it is whole, and refused when it is anything else.
#include "io_test.h"

#include "io/state_pipe.h"

#include <fcntl.h>

enum { record_bytes = 744 }; // of each record but its data; array and info stand behind theirs

static couCheckpointInfo sample_info(void)
{
    return (couCheckpointInfo){.scene = "a.lua", .method = "dfsph", .frame = 3, .fps = 25, .time = 0.12, .particles = 7};
}

static int open_for_writing(void)
{
    int file = open(scratch("sent"), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(file >= 0);
    return file;
}

// Takes what lies in the file "sent", of which the arrays may have 1000 bytes.
static bool receive(couStateArrival *arrival, couState *state, couFaults *faults)
{
    *arrival = (couStateArrival){.state = state, .max_bytes = 1000, .path = "file.h5", .faults = faults};
    int file = open(scratch("sent"), O_RDONLY | O_CLOEXEC);
    assert_true(file >= 0);
    bool is_whole = couStatePipe_Receive(file, arrival);
    close(file);
    return is_whole;
}

static void send_sample(void)
{
    couCheckpointInfo info = sample_info();
    couState state = {0};
    int file = open_for_writing();
    couStatePipe_SendInfo(file, &info);
    assert_non_null(couState_Add(&state, "particles/position", "m", cou_stateF32, 4, 2, (float[]){1, 2, 3, 4, 5, 6, 7, 8}));
    assert_non_null(couState_Add(&state, "nothing", "", cou_stateU64, 1, 0, NULL));
    for (int i = 0; i < state.count; ++i) couStatePipe_SendArray(file, &state.arrays[i]);
    couStatePipe_SendEnd(file, &(couFaults){0});
    close(file);
    couState_Clear(&state);
}

static void test_whole_answers_are_taken(void **context)
{
    (void)context;
    couFaults faults = {0};
    couState state = {0};
    couStateArrival arrival;
    couCheckpointInfo info = sample_info();
    send_sample();
    assert_true(receive(&arrival, &state, &faults));
    expect_no_fault(&faults);
    assert_false(arrival.has_fault);
    assert_string_equal(arrival.info.scene, info.scene);
    assert_string_equal(arrival.info.method, info.method);
    assert_true(arrival.info.frame == 3 && arrival.info.fps == 25 && arrival.info.time == 0.12 && arrival.info.particles == 7);
    assert_int_equal(state.count, 2);
    assert_string_equal(state.arrays[0].name, "particles/position");
    assert_string_equal(state.arrays[0].unit, "m");
    assert_memory_equal(state.arrays[0].data, ((float[]){1, 2, 3, 4, 5, 6, 7, 8}), 32);
    assert_true(state.arrays[1].count == 0 && state.arrays[1].type == cou_stateU64);
    couState_Clear(&state);
}

static void test_faults_come_through(void **context)
{
    (void)context;
    couFaults sent = {0}, faults = {0};
    couState state = {0};
    couStateArrival arrival;
    couFaults_Add(&sent, "elsewhere", "fps", "cannot be");
    couFaults_Add(&sent, "elsewhere", "more", "is not sent");
    int file = open_for_writing();
    couStatePipe_SendEnd(file, &sent);
    close(file);
    assert_true(receive(&arrival, &state, &faults) && arrival.has_fault);
    assert_string_equal(faults.items[0].key, "fps");
    expect_fault(&faults, "file.h5", "cannot be");
    assert_true(receive(&arrival, &state, NULL) && arrival.has_fault); // also when nobody wants to know
    couFaults_Clear(&sent);
}

// The first byte at which it is cut does not matter: it is not whole.
static void test_every_cut_is_noticed(void **context)
{
    (void)context;
    size_t size;
    send_sample();
    char *data = read_bytes(scratch("sent"), &size);
    assert_int_equal(size, 4 * record_bytes + sizeof(couCheckpointInfo) + 32);
    for (size_t length = 0; length < size; ++length) {
        couFaults faults = {0};
        couState state = {0};
        couStateArrival arrival;
        write_bytes(scratch("sent"), data, length);
        assert_false(receive(&arrival, &state, &faults));
        expect_no_fault(&faults);
        couState_Clear(&state);
    }
    free(data);
}

typedef struct Forgery {
    size_t place; // of the number or text that is changed
    uint64_t value;
    int bytes;
    const char *fault; // NULL: it is not taken for an answer
} Forgery;

static void test_forgeries(void **context)
{
    (void)context;
    enum { info = record_bytes, array = record_bytes + sizeof(couCheckpointInfo), second = array + record_bytes + 32 };
    const Forgery cases[] = {
        {0, 2, 4, NULL},     // no info first
        {0, 4, 4, NULL},     // nothing but the end
        {0, 77, 4, NULL},    // no kind
        {array, 1, 4, NULL}, // the info twice
        {info + offsetof(couCheckpointInfo, frame), UINT32_MAX, 4, "negative"},
        {info + offsetof(couCheckpointInfo, fps), 0, 8, "cannot be"},
        {info + offsetof(couCheckpointInfo, fps), 0x7ff0000000000000, 8, "cannot be"},  // infinite
        {info + offsetof(couCheckpointInfo, time), 0x7ff8000000000000, 8, "cannot be"}, // NaN
        {array + 4, 5, 4, NULL},                                                        // type
        {array + 4, 99999, 4, NULL},
        {array + 8, 0, 4, NULL}, // components
        {array + 8, 4097, 4, NULL},
        {array + 8, UINT32_MAX, 4, NULL},
        {array + 16, 63, 8, "claim more"}, // rows: one more than there may be
        {array + 16, UINT64_MAX, 8, "claim more"},
        {array + 16, UINT64_MAX / 16 + 2, 8, "claim more"}, // whose bytes are few when they overflow
        {second + 16, 122, 8, "claim more"},                // 1000 in all
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        couFaults faults = {0};
        couState state = {0};
        couStateArrival arrival;
        size_t size;
        send_sample();
        char *data = read_bytes(scratch("sent"), &size);
        memcpy(data + cases[k].place, &cases[k].value, (size_t)cases[k].bytes);
        write_bytes(scratch("sent"), data, size);
        bool is_whole = receive(&arrival, &state, &faults);
        if (is_whole != (cases[k].fault != NULL) || arrival.has_fault != is_whole) fail_msg("case %zu was taken", k);
        if (cases[k].fault) expect_fault(&faults, "file.h5", cases[k].fault);
        expect_no_fault(&faults);
        couState_Clear(&state);
        free(data);
    }
}

// Texts that do not end, arrays of one name, and arrays that nobody asked for.
static void test_names(void **context)
{
    (void)context;
    enum { array = record_bytes + sizeof(couCheckpointInfo), second = array + record_bytes + 32 };
    static const struct {
        size_t place, bytes;
    } texts[] = {{record_bytes, 512}, {record_bytes + 512, COU_NAME_SIZE}, {array + 24, 64}, {array + 88, 16}, {second + 24, 64}};
    couFaults faults = {0};
    couState state = {0};
    couStateArrival arrival;
    size_t size;
    send_sample();
    char *data = read_bytes(scratch("sent"), &size);
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; ++k) {
        char kept[512];
        memcpy(kept, data + texts[k].place, texts[k].bytes);
        memset(data + texts[k].place, 'x', texts[k].bytes);
        write_bytes(scratch("sent"), data, size);
        if (receive(&arrival, &state, &faults)) fail_msg("text %zu was taken", k);
        expect_no_fault(&faults);
        couState_Clear(&state);
        memcpy(data + texts[k].place, kept, texts[k].bytes);
    }
    memcpy(data + second + 24, data + array + 24, 64);
    write_bytes(scratch("sent"), data, size);
    assert_true(receive(&arrival, &state, &faults) && arrival.has_fault);
    expect_fault(&faults, "file.h5", "listed twice");
    couState_Clear(&state);
    assert_false(receive(&arrival, NULL, &faults));
    expect_no_fault(&faults);
    free(data);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_scratch, remove_scratch)
    const struct CMUnitTest tests[] = {
        TEST(test_whole_answers_are_taken),
        TEST(test_faults_come_through),
        TEST(test_every_cut_is_noticed),
        TEST(test_forgeries),
        TEST(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
