/// A checkpoint's content as plain records in a pipe: what the process that reads an HDF5 file tells the one that asked for it.
#pragma once

#include "coulis/checkpoint.h"

enum { cou_maxStateArrays = 4096, cou_maxStateComponents = 4096 }; ///< of a checkpoint

/// In the process that reads, in this order: the info, the arrays, the end, which may come early with a fault. Each ends the
/// process when nobody listens.
void couStatePipe_SendInfo(int pipe, const couCheckpointInfo *info);
void couStatePipe_SendArray(int pipe, const couStateArray *array);
void couStatePipe_SendEnd(int pipe, const couFaults *faults); ///< with its first fault, if there is one

/// What is received, and what it may be at most.
typedef struct couStateArrival {
    couCheckpointInfo info;
    couState *state;    ///< gets the arrays; NULL: none are expected
    uint64_t max_bytes; ///< of all arrays together
    const char *path;   ///< for the fault
    couFaults *faults;
    bool has_info, has_fault; ///< set by receiving
} couStateArrival;

/// In the process that asked: believes nothing. False when the sender stopped before its end or sent what no reader of ours
/// sends. A fault that it found, or numbers and names that cannot be, are a whole answer too: then `has_fault`.
bool couStatePipe_Receive(int pipe, couStateArrival *arrival);
