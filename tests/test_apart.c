// Work in a process of its own: the answer comes whole, and whatever becomes of the process, there is a reason.
#include "testing.h"

#include "io/apart.h"

#include <time.h>

typedef enum Way { way_well, way_crash, way_exit, way_half, way_memory, way_loop, way_stop, way_flood } Way;

typedef struct Work {
    Way way;
    uint32_t numbers[1 << 16]; // more than a pipe holds
} Work;

static void work_in_child(void *context, int pipe)
{
    Work *work = context;
    for (uint32_t i = 0; i < COU_COUNT(work->numbers); ++i) work->numbers[i] = 3 * i;
    switch (work->way) {
    case way_crash: abort();
    case way_exit: _exit(7);
    case way_half: couApart_Send(pipe, work->numbers, sizeof work->numbers / 2); return;
    case way_memory:
        for (char *all = NULL;;) {
            if (!(all = malloc(1 << 20))) _exit(1);
            memset(all, 1, 1 << 20);
        }
    case way_loop:
        for (volatile unsigned k = 0;; ++k) {}
    case way_stop: raise(SIGALRM); return;
    case way_flood:
        for (;;) couApart_Send(pipe, work->numbers, sizeof work->numbers); // ends when nobody listens
    case way_well: break;
    }
    couApart_Send(pipe, work->numbers, sizeof work->numbers);
}

static bool receive(void *context, int pipe)
{
    Work *work = context;
    return couApart_Receive(pipe, work->numbers, sizeof work->numbers);
}

static void expect(Way way, const char *reason)
{
    static Work work;
    char said[200] = "";
    work.way = way;
    memset(work.numbers, 0, sizeof work.numbers);
    bool is_whole = couRunApart(1000, work_in_child, receive, &work, said, sizeof said);
    if (is_whole != !reason || strcmp(said, reason ? reason : "") != 0)
        fail_msg("%d: expected '%s', got '%s'", way, reason ? reason : "", said);
    for (uint32_t i = 0; is_whole && i < COU_COUNT(work.numbers); ++i) assert_int_equal(work.numbers[i], 3 * i);
}

static void test_answers_come_whole(void **context)
{
    (void)context;
    expect(way_well, NULL);
    // Who got enough does not listen any more: the other ends by that, and not by the clock, which would take 360 s.
    time_t start = time(NULL);
    expect(way_flood, NULL);
    assert_true(time(NULL) - start < 300);
}

static void test_every_end_has_a_reason(void **context)
{
    (void)context;
    expect(way_crash, "it is damaged, or needs more memory than such a file may (Aborted)");
    expect(way_exit, "it is damaged, or needs more memory than such a file may");
    expect(way_half, "it is damaged, or needs more memory than such a file may");
    expect(way_loop, "it takes longer than such a file may");
    expect(way_stop, "it takes longer than such a file may"); // by the clock on the wall
#ifndef __SANITIZE_ADDRESS__                                  // under which memory has no limit
    expect(way_memory, "it is damaged, or needs more memory than such a file may");
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_answers_come_whole),
        cmocka_unit_test(test_every_end_has_a_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
