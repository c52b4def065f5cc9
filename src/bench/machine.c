// What the machine can do: memory bandwidth by a triad over arrays far larger than the caches, arithmetic by independent chains
// of wide multiplications and additions. And what each phase asks for at the least, counted by hand from the source.

#include "bench/bench.h"

#include "base/parallel.h"
#include "base/wide.h"
#include "fluid/fluid.h"

#include <stdio.h>
#include <stdlib.h>

// --- Bandwidth ---------------------------------------------------------------------------------------------------------------

typedef struct Triad {
    float *a, *b, *c;
} Triad;

static void triad_block(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)block, (void)worker;
    Triad *triad = context;
    for (size_t i = begin; i < end; ++i) triad->a[i] = triad->b[i] + 0.5f * triad->c[i];
}

static double measure_bandwidth(const couParallel *parallel)
{
    size_t count = (size_t)1 << 27; // 512 MB an array: larger than any last-level cache share
    Triad triad = {couAlloc(NULL, count * sizeof(float)), couAlloc(NULL, count * sizeof(float)),
                   couAlloc(NULL, count * sizeof(float))};
    double best = 0;
    for (int k = 0; k < 3 && triad.a && triad.b && triad.c; ++k) {
        double begin = couSeconds();
        couFor(parallel, count, (size_t)1 << 20, triad_block, &triad);
        best = COU_MAX(best, 12.0 * (double)count / (couSeconds() - begin));
    }
    couFree(NULL, triad.a);
    couFree(NULL, triad.b);
    couFree(NULL, triad.c);
    return best;
}

// --- Arithmetic --------------------------------------------------------------------------------------------------------------

enum { CHAINS = 8, TURNS = 20000000 };

#if defined(__x86_64__)
__attribute__((target("avx2")))
#endif
static float
chain_arithmetic(void)
{
    typedef float Wide __attribute__((vector_size(32)));
    Wide x[CHAINS];
    Wide scale = {0.999f, 0.999f, 0.999f, 0.999f, 0.999f, 0.999f, 0.999f, 0.999f}, shift = scale * 0.001f;
    for (int c = 0; c < CHAINS; ++c) x[c] = scale * (float)c;
    for (int turn = 0; turn < TURNS; ++turn)
        for (int c = 0; c < CHAINS; ++c) x[c] = x[c] * scale + shift;
    float sum = 0;
    for (int c = 0; c < CHAINS; ++c) sum += x[c][0];
    return sum;
}

static void arithmetic_block(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)begin, (void)end, (void)worker;
    ((float *)context)[block] = chain_arithmetic();
}

static double measure_flops(const couParallel *parallel)
{
    if (couBestIsa() < cou_isaV3) return 0;
    float results[COU_MAX_THREADS];
    double begin = couSeconds();
    couFor(parallel, (size_t)parallel->threads, 1, arithmetic_block, results);
    double seconds = couSeconds() - begin;
    return 2.0 * COU_WIDTH * CHAINS * (double)TURNS * parallel->threads / seconds;
}

couMachine couMeasureMachine(int threads)
{
    couParallel parallel = couMakeParallel(threads);
    couMachine machine = {measure_bandwidth(&parallel), measure_flops(&parallel)};
    couFreeParallel(&parallel);
    return machine;
}

// --- Work of the phases ------------------------------------------------------------------------------------------------------

bool couFindPhaseWork(couPhase phase, const couBenchResult *result, double *bytes, double *flops)
{
    double steps = (double)COU_MAX(result->steps, 1);
    const double times[] = {
        [cou_workOnce] = 1,
        [cou_workEachIteration] = (double)result->iterations / steps,
        [cou_workEachDivergenceIteration] = (double)result->divergence_iterations / steps,
    };
    *bytes = *flops = 0;
    for (const couPhaseEntry *entry = couFindMethod(result->method)->phases; entry->function; ++entry) {
        const couPhaseWork *work = &entry->work;
        if (entry->phase != phase) continue;
        *bytes += times[work->per] * (work->bytes + work->pair_bytes * result->pairs + work->spring_bytes * result->springs);
        *flops += times[work->per] * (work->flops + work->pair_flops * result->pairs + work->spring_flops * result->springs);
    }
    if (phase == cou_phaseMeasure) *bytes = 36, *flops = 9; // the world's own, whatever the method
    return *bytes > 0 && *flops > 0;
}
