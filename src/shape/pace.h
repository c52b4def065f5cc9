/// The pace of long work: that it comes to an end, and how far it is.
#pragma once

#include "base/parallel.h"

typedef struct couPace {
    const char *what; ///< "mesh: its distance grid"
    double started;   ///< couSeconds()
    double shown;     ///< when its progress was last said
    double limit;     ///< [s]; 0: none
    _Atomic bool is_late;
} couPace;

/// From now on. It is late after `limit` seconds by the clock.
void couPace_Start(couPace *pace, const char *what, double limit);
/// For any thread: whether the time is up, so that nothing further is worth doing.
bool couPace_IsLate(couPace *pace);
/// couFor() that says every few seconds how far it is and stops between blocks when it is late; false then. The function may
/// also leave early when it finds couPace_IsLate(). What it gives must not depend on block numbers.
bool couPace_For(couPace *pace, const couParallel *parallel, size_t count, size_t block_size, couBlockFcn *function,
                 void *context);
