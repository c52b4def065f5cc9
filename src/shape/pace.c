// The pace of long work: a loop cut into slices, between which the calling thread says how far it is.
#include "shape/pace.h"

#include <stdatomic.h>

#define SLICES 64
#define SILENCE 5.0 // between two messages [s]

void couPace_Start(couPace *pace, const char *what, double limit)
{
    pace->what = what;
    pace->started = pace->shown = couSeconds();
    pace->limit = limit;
    atomic_init(&pace->is_late, false);
}

bool couPace_IsLate(couPace *pace)
{
    if (atomic_load_explicit(&pace->is_late, memory_order_relaxed)) return true;
    if (!(pace->limit > 0.0) || couSeconds() - pace->started < pace->limit) return false;
    atomic_store_explicit(&pace->is_late, true, memory_order_relaxed);
    return true;
}

typedef struct Slice {
    couBlockFcn *function;
    void *context;
    size_t offset;
} Slice;

static void run_slice(void *context, int block, size_t begin, size_t end, int worker)
{
    const Slice *slice = context;
    slice->function(slice->context, block, slice->offset + begin, slice->offset + end, worker);
}

bool couPace_For(couPace *pace, const couParallel *parallel, size_t count, size_t block_size, couBlockFcn *function,
                 void *context)
{
    size_t blocks = (size_t)couBlockCount(count, block_size), step = (blocks + SLICES - 1) / SLICES * block_size;
    // Many threads want many blocks at once.
    step = COU_MAX(step, 4 * (size_t)parallel->threads * block_size);
    for (size_t begin = 0; begin < count; begin += step) {
        Slice slice = {function, context, begin};
        couFor(parallel, COU_MIN(step, count - begin), block_size, run_slice, &slice);
        if (couPace_IsLate(pace)) return false;
        double now = couSeconds();
        if (now - pace->shown < SILENCE) continue;
        pace->shown = now;
        couLog(cou_logInfo, "%s: %d %% of this part, after %.0f s", pace->what,
               (int)(100.0 * (double)COU_MIN(begin + step, count) / (double)count), now - pace->started);
    }
    return true;
}
