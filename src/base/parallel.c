// The parallel loop. Three back ends: a pool of threads of our own (the default), OpenMP, and serial.
//
// The pool's caller never waits for a thread to wake up: it takes blocks itself, and the others join in when they can. Only
// blocks that another thread has begun are waited for. A sweep has 27 short loops; on a busy machine OpenMP, which makes all
// threads meet twice a loop, was many times slower than one thread, and the pool never is.
//
// Each thread begins with its own stretch of blocks, the same in every loop, and helps with the others' when it is through:
// particles are stored by place, so a thread's caches keep its part of the space from loop to loop.
//
// A stretch's next free block shares one 64-bit word with the job's number: a thread that comes late sees that its job is over,
// and cannot take a block of another.

#include "base/parallel.h"

#include <unistd.h>

static void run_serial(size_t count, size_t block_size, couBlockFcn *function, void *context)
{
    int block = 0;
    for (size_t begin = 0; begin < count; begin += block_size)
        function(context, block++, begin, COU_MIN(begin + block_size, count), 0);
}

static int clamp_threads(int threads)
{
    if (threads <= 0) threads = (int)sysconf(_SC_NPROCESSORS_ONLN);
    return COU_CLAMP(threads, 1, COU_MAX_THREADS);
}

#if COU_SERIAL

couParallel couMakeParallel(int threads) { return (couParallel){clamp_threads(threads), NULL}; }
void couFreeParallel(couParallel *parallel) { (void)parallel; }
void couFor(const couParallel *parallel, size_t count, size_t block_size, couBlockFcn *function, void *context)
{
    (void)parallel;
    run_serial(count, block_size, function, context);
}

#elif COU_OPENMP

#include <omp.h>

couParallel couMakeParallel(int threads) { return (couParallel){clamp_threads(threads), NULL}; }
void couFreeParallel(couParallel *parallel) { (void)parallel; }

void couFor(const couParallel *parallel, size_t count, size_t block_size, couBlockFcn *function, void *context)
{
    int blocks = couBlockCount(count, block_size);
    int threads = COU_MIN(parallel->threads, blocks);
    if (threads <= 1) {
        run_serial(count, block_size, function, context);
        return;
    }
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
    for (int block = 0; block < blocks; ++block) {
        size_t begin = (size_t)block * block_size;
        function(context, block, begin, COU_MIN(begin + block_size, count), omp_get_thread_num());
    }
}

#else

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#define SPINS 4000 // looks at the word before a thread goes to sleep, some 20 microseconds

typedef struct Stretch {
    _Alignas(64) _Atomic uint64_t word; // number of the job in the upper half, next free block in the lower
} Stretch;

typedef struct couPool {
    Stretch stretches[COU_MAX_THREADS];
    // The job; written only while no block of it is taken.
    _Atomic(couBlockFcn *) function;
    _Atomic(void *) context;
    _Atomic size_t count, block_size;
    _Atomic uint32_t blocks;
    _Atomic uint32_t job;      // its number
    _Atomic uint32_t finished; // blocks of the job
    _Atomic bool is_closing;
    _Atomic int sleeping;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    int helper_count;
    pthread_t helpers[COU_MAX_THREADS];
    _Atomic int next_worker;
} couPool;

static inline void pause_briefly(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

// The first block of a stretch.
static uint32_t stretch_begin(uint32_t blocks, int stretch, int threads)
{
    return (uint32_t)((uint64_t)blocks * (uint64_t)stretch / (uint64_t)threads);
}

// Takes blocks of one stretch until none is free.
static void take_stretch(couPool *pool, uint32_t job, int stretch, int worker)
{
    _Atomic uint64_t *shared = &pool->stretches[stretch].word;
    uint64_t word = atomic_load(shared);
    while ((uint32_t)(word >> 32) == job) {
        uint32_t block = (uint32_t)word, end = stretch_begin(atomic_load(&pool->blocks), stretch + 1, pool->helper_count + 1);
        couBlockFcn *function = atomic_load(&pool->function);
        void *context = atomic_load(&pool->context);
        size_t count = atomic_load(&pool->count), block_size = atomic_load(&pool->block_size);
        if (block >= end) return;
        if (!atomic_compare_exchange_weak(shared, &word, word + 1)) continue;
        size_t begin = (size_t)block * block_size;
        function(context, (int)block, begin, COU_MIN(begin + block_size, count), worker);
        atomic_fetch_add(&pool->finished, 1);
        word = atomic_load(shared);
    }
}

// The worker's own stretch first, then the others'.
static void take_blocks(couPool *pool, uint32_t job, int worker)
{
    int threads = pool->helper_count + 1;
    for (int s = 0; s < threads; ++s) take_stretch(pool, job, (worker + s) % threads, worker);
}

static uint32_t current_job(couPool *pool) { return atomic_load(&pool->job); }

// Waits for a job other than the last one.
static void wait_for_job(couPool *pool, uint32_t last)
{
    for (int k = 0; k < SPINS; ++k) {
        if (current_job(pool) != last || atomic_load(&pool->is_closing)) return;
        pause_briefly();
    }
    pthread_mutex_lock(&pool->lock);
    atomic_fetch_add(&pool->sleeping, 1);
    while (current_job(pool) == last && !atomic_load(&pool->is_closing)) pthread_cond_wait(&pool->wake, &pool->lock);
    atomic_fetch_sub(&pool->sleeping, 1);
    pthread_mutex_unlock(&pool->lock);
}

static void *help(void *argument)
{
    couPool *pool = argument;
    int worker = atomic_fetch_add(&pool->next_worker, 1);
    uint32_t last = 0;
    for (;;) {
        wait_for_job(pool, last);
        if (atomic_load(&pool->is_closing)) return NULL;
        last = current_job(pool);
        take_blocks(pool, last, worker);
    }
}

static void wake_helpers(couPool *pool)
{
    pthread_mutex_lock(&pool->lock);
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->lock);
}

couParallel couMakeParallel(int threads)
{
    couParallel parallel = {clamp_threads(threads), NULL};
    if (parallel.threads == 1) return parallel;
    couPool *pool = couAlloc(NULL, sizeof *pool);
    if (!pool) return (couParallel){1, NULL};
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->wake, NULL);
    atomic_store(&pool->next_worker, 1);
    // Fewer threads than asked for are no fault: the loop is the same with any number.
    // They find nothing to do before the first job, which comes after their number is known.
    while (pool->helper_count < parallel.threads - 1 && pthread_create(&pool->helpers[pool->helper_count], NULL, help, pool) == 0)
        pool->helper_count++;
    parallel.pool = pool;
    return parallel;
}

void couFreeParallel(couParallel *parallel)
{
    couPool *pool = parallel->pool;
    parallel->pool = NULL;
    if (!pool) return;
    atomic_store(&pool->is_closing, true);
    wake_helpers(pool);
    for (int t = 0; t < pool->helper_count; ++t) pthread_join(pool->helpers[t], NULL);
    pthread_mutex_destroy(&pool->lock);
    pthread_cond_destroy(&pool->wake);
    couFree(NULL, pool);
}

void couFor(const couParallel *parallel, size_t count, size_t block_size, couBlockFcn *function, void *context)
{
    couPool *pool = parallel->pool;
    int blocks = couBlockCount(count, block_size);
    if (!pool || blocks <= 1) {
        run_serial(count, block_size, function, context);
        return;
    }
    // First close all stretches under the new number, so that a thread still looking at the last job takes nothing while the
    // fields change; then open them.
    uint32_t job = current_job(pool) + 1;
    int threads = pool->helper_count + 1;
    for (int t = 0; t < threads; ++t) atomic_store(&pool->stretches[t].word, (uint64_t)job << 32 | UINT32_MAX);
    atomic_store(&pool->function, function);
    atomic_store(&pool->context, context);
    atomic_store(&pool->count, count);
    atomic_store(&pool->block_size, block_size);
    atomic_store(&pool->blocks, (uint32_t)blocks);
    atomic_store(&pool->finished, 0);
    for (int t = 0; t < threads; ++t)
        atomic_store(&pool->stretches[t].word, (uint64_t)job << 32 | stretch_begin((uint32_t)blocks, t, threads));
    atomic_store(&pool->job, job);
    if (atomic_load(&pool->sleeping)) wake_helpers(pool);
    take_blocks(pool, job, 0);
    for (int k = 0; atomic_load(&pool->finished) < (uint32_t)blocks; ++k) {
        if (k < SPINS)
            pause_briefly();
        else
            sched_yield();
    }
}

#endif
