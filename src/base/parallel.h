/// The one parallel primitive: a loop over fixed blocks. Blocks depend on the count only, never on the number of threads, so sums
/// taken per block and added in block order are the same bits on any machine.
#pragma once

#include "base/base.h"

/// Works on items [begin, end); `worker` is 0 to threads - 1, for scratch memory; `block` counts from 0.
typedef void couBlockFcn(void *context, int block, size_t begin, size_t end, int worker);

typedef struct couParallel {
    int threads;          ///< 1 to COU_MAX_THREADS
    struct couPool *pool; ///< the waiting threads; NULL for one thread
} couParallel;

COU_INTERNAL_API couParallel couMakeParallel(int threads); ///< 0: all cores
COU_INTERNAL_API void couFreeParallel(couParallel *parallel);
/// Runs all blocks of `block_size` items; one loop at a time per couParallel. Loops of one block run on the calling thread.
COU_INTERNAL_API void couFor(const couParallel *parallel, size_t count, size_t block_size, couBlockFcn *function, void *context);

static inline int couBlockCount(size_t count, size_t block_size) { return (int)((count + block_size - 1) / block_size); }
