// The parallel loop: OpenMP, plain threads, or serial. Blocks are handed out one by one, so a slow block does not hold up the rest;
// which thread takes which block never matters for the result.

#include "base/parallel.h"

#include <unistd.h>

#if COU_OPENMP
#include <omp.h>
#elif !COU_SERIAL
#include <pthread.h>
#include <stdatomic.h>
#endif

couParallel couMakeParallel(int threads)
{
    if (threads <= 0) threads = (int)sysconf(_SC_NPROCESSORS_ONLN);
    return (couParallel){COU_CLAMP(threads, 1, COU_MAX_THREADS)};
}

static void run_serial(size_t count, size_t block_size, couBlockFcn *function, void *context)
{
    int block = 0;
    for (size_t begin = 0; begin < count; begin += block_size)
        function(context, block++, begin, COU_MIN(begin + block_size, count), 0);
}

#if COU_OPENMP

static void run_threads(int threads, size_t count, size_t block_size, couBlockFcn *function, void *context)
{
    int blocks = couBlockCount(count, block_size);
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
    for (int block = 0; block < blocks; ++block) {
        size_t begin = (size_t)block * block_size;
        function(context, block, begin, COU_MIN(begin + block_size, count), omp_get_thread_num());
    }
}

#elif !COU_SERIAL

typedef struct Job {
    couBlockFcn *function;
    void *context;
    size_t count, block_size;
    int blocks;
    _Atomic int next_block, next_worker;
} Job;

static void *work(void *argument)
{
    Job *job = argument;
    int worker = atomic_fetch_add(&job->next_worker, 1);
    for (int block; (block = atomic_fetch_add(&job->next_block, 1)) < job->blocks;) {
        size_t begin = (size_t)block * job->block_size;
        job->function(job->context, block, begin, COU_MIN(begin + job->block_size, job->count), worker);
    }
    return NULL;
}

static void run_threads(int threads, size_t count, size_t block_size, couBlockFcn *function, void *context)
{
    Job job = {.function = function, .context = context, .count = count, .block_size = block_size};
    job.blocks = couBlockCount(count, block_size);
    pthread_t others[COU_MAX_THREADS];
    int started = 0;
    while (started < threads - 1 && pthread_create(&others[started], NULL, work, &job) == 0) ++started;
    work(&job);
    for (int t = 0; t < started; ++t) pthread_join(others[t], NULL);
}

#endif

void couFor(const couParallel *parallel, size_t count, size_t block_size, couBlockFcn *function, void *context)
{
#if COU_OPENMP || !COU_SERIAL
    int threads = COU_MIN(parallel->threads, couBlockCount(count, block_size));
    if (threads > 1) {
        run_threads(threads, count, block_size, function, context);
        return;
    }
#endif
    (void)parallel;
    run_serial(count, block_size, function, context);
}
