/// Work on a file that nobody vouches for, in a process of its own: whatever a reader does with rubbish, crash, hang or ask for
/// gigabytes, the caller gets an answer or a reason.
#pragma once

#include "coulis/base.h"

/// In the child: sends its answer through the pipe by couApart_Send() and returns. What it allocates need not be freed.
typedef void couApartWork(void *context, int pipe);
/// In the parent: takes the answer by couApart_Receive(); false when it is not whole.
typedef bool couApartAnswer(void *context, int pipe);

/// Runs `work` with as much memory and time as a file of this size may need. False when there is no whole answer: then `reason`
/// says why.
bool couRunApart(uint64_t file_bytes, couApartWork *work, couApartAnswer *answer, void *context, char *reason, size_t size);
void couApart_Send(int pipe, const void *data, size_t bytes); ///< ends the child when nobody listens
bool couApart_Receive(int pipe, void *data, size_t bytes);
