// The mailbox between simulation and server: order, bounds, the newest frame; and the bytes of messages.
#include "testing.h"

#include "serve/hub.h"
#include "serve/protocol.h"

#include <pthread.h>
#include <stdlib.h>

// --- Bytes -------------------------------------------------------------------------------------------------------------------

static void test_numbers_come_back(void **context)
{
    (void)context;
    couBytes bytes = {0};
    couBytes_U8(&bytes, 200);
    couBytes_U16(&bytes, 40000);
    couBytes_U32(&bytes, 3000000000u);
    couBytes_Vec3(&bytes, (couVec3){1.5f, -2.25f, 1e-30f});
    couBytes_U16(&bytes, 5);
    couBytes_Add(&bytes, "h\xc3\xa9y!", 5);
    couByteReader reader = {.data = bytes.data, .left = bytes.count};
    char text[8];
    assert_int_equal(couByteReader_U8(&reader), 200);
    assert_int_equal(couByteReader_U16(&reader), 40000);
    assert_true(couByteReader_U32(&reader) == 3000000000u);
    couVec3 v = couByteReader_Vec3(&reader);
    assert_true(v.x == 1.5f && v.y == -2.25f && v.z == 1e-30f);
    couByteReader_Text(&reader, text, sizeof text);
    assert_string_equal(text, "h\xc3\xa9y!");
    assert_true(couByteReader_IsDone(&reader));
    assert_int_equal(couByteReader_U8(&reader), 0); // past the end
    assert_false(couByteReader_IsDone(&reader));
    couBytes_Clear(&bytes);
}

static void test_bad_texts_and_numbers(void **context)
{
    (void)context;
    static const struct {
        const char *bytes;
        size_t size;
    } cases[] = {{"\x04\0abc", 5},  {"\x03\0a\0c", 5},       {"\x02\0\xc3\x28", 4},
                 {"\x01\0\xff", 3}, {"\x09\0abcdefghi", 11}, {"\x01", 1}};
    for (int i = 0; i < COU_COUNT(cases); ++i) {
        couByteReader reader = {.data = (const uint8_t *)cases[i].bytes, .left = cases[i].size};
        char text[8];
        couByteReader_Text(&reader, text, sizeof text);
        if (!reader.is_bad) fail_msg("case %d was taken as '%s'", i, text);
    }
    const float numbers[] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 3; ++i) {
        couBytes bytes = {0};
        couBytes_F32(&bytes, numbers[i]);
        couByteReader reader = {.data = bytes.data, .left = bytes.count};
        assert_true(couByteReader_F32(&reader) == 0.0f && reader.is_bad);
        couBytes_Clear(&bytes);
    }
}

static void test_json_is_escaped(void **context)
{
    (void)context;
    couBytes bytes = {0};
    couBytes_JsonText(&bytes, "a\"b\\c\n\xff\xc3\xa9");
    couBytes_JsonNumber(&bytes, NAN);
    couBytes_U8(&bytes, 0);
    assert_string_equal((char *)bytes.data, "\"a\\\"b\\\\c\\u000a\\ufffd\xc3\xa9\"null");
    couBytes_Clear(&bytes);
}

// --- The hub -----------------------------------------------------------------------------------------------------------------

static void test_arrivals_are_bounded(void **context)
{
    (void)context;
    couHub *hub = couCreateHub();
    int taken = 0;
    while (couHub_Put(hub, cou_arrivalBytes, 1, "x", 1)) ++taken;
    assert_true(taken > 100 && taken < 10000);
    assert_true(couHub_Put(hub, cou_arrivalBytes, 2, "y", 1)); // another viewer is heard all the same
    for (int i = 0; i < taken; ++i) {
        couArrival arrival = couHub_Take(hub, 0);
        assert_true(arrival.kind == cou_arrivalBytes && arrival.client == 1 && arrival.size == 1);
        free(arrival.data);
    }
    free(couHub_Take(hub, 0).data);
    assert_int_equal(couHub_Take(hub, 0.001).kind, cou_arrivalNone);
    void *large = calloc(1, 700 << 10);
    assert_true(couHub_Put(hub, cou_arrivalBytes, 1, large, 700 << 10));
    assert_false(couHub_Put(hub, cou_arrivalBytes, 1, large, 700 << 10)); // in bytes, too
    free(large);

    // Who leaves takes along what is in waiting; who was never seen is never heard of.
    assert_true(couHub_Put(hub, cou_arrivalJoin, 3, NULL, 0));
    assert_true(couHub_Put(hub, cou_arrivalBytes, 3, "z", 1));
    assert_true(couHub_Put(hub, cou_arrivalLeave, 3, NULL, 0));
    assert_true(couHub_Put(hub, cou_arrivalLeave, 1, NULL, 0));
    couArrival arrival = couHub_Take(hub, 0);
    assert_true(arrival.kind == cou_arrivalLeave && arrival.client == 1);
    assert_int_equal(couHub_Take(hub, 0).kind, cou_arrivalNone);
    couHub_Put(hub, cou_arrivalBytes, 4, "w", 1);
    couDestroyHub(hub); // with what is left in it
}

typedef struct Serving {
    couHub *hub;
    int messages, frames; // seen
    uint64_t last_frame;
    bool is_ordered;
} Serving;

enum { ROUNDS = 20000 };

static void *serve(void *context)
{
    Serving *serving = context;
    serving->is_ordered = true;
    while (serving->messages < ROUNDS) {
        couDeparture departure;
        while (couHub_TakeDeparture(serving->hub, &departure)) {
            uint32_t number;
            memcpy(&number, couMessage_Bytes(departure.message)->data, 4);
            serving->is_ordered = serving->is_ordered && number == (uint32_t)serving->messages++;
            couMessage_Release(departure.message);
        }
        uint64_t number;
        couMessage *frame = couHub_Newest(serving->hub, &number);
        serving->is_ordered = serving->is_ordered && number >= serving->last_frame;
        if (number > serving->last_frame) ++serving->frames;
        serving->last_frame = number;
        couMessage_Release(frame);
        couHub_Put(serving->hub, cou_arrivalBytes, 1, "abc", 3);
    }
    return NULL;
}

// One thread makes messages and frames as fast as it can, the other takes what it gets: messages all and in order, of frames
// some, ever newer ones.
static void test_two_threads(void **context)
{
    (void)context;
    Serving serving = {.hub = couCreateHub()};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, serve, &serving), 0);
    int arrived = 0;
    for (uint32_t i = 0; i < ROUNDS; ++i) {
        couBytes message = {0}, frame = {0};
        couBytes_U32(&message, i);
        couBytes_U32(&frame, i);
        couHub_Send(serving.hub, 0, &message);
        couHub_Publish(serving.hub, &frame);
        for (couArrival arrival = couHub_Take(serving.hub, 0); arrival.kind != cou_arrivalNone;
             arrival = couHub_Take(serving.hub, 0)) {
            assert_memory_equal(arrival.data, "abc", 3);
            free(arrival.data);
            ++arrived;
        }
    }
    pthread_join(thread, NULL);
    assert_true(serving.is_ordered);
    assert_int_equal(serving.messages, ROUNDS);
    assert_true(serving.frames >= 1 && arrived >= 0);
    couDestroyHub(serving.hub);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers_come_back), cmocka_unit_test(test_bad_texts_and_numbers),
        cmocka_unit_test(test_json_is_escaped),   cmocka_unit_test(test_arrivals_are_bounded),
        cmocka_unit_test(test_two_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
