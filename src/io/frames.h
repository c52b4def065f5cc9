/// Frame files of particles: VTK PolyData and PLY, with id, velocity, density and material.
#pragma once

#include "coulis/coulis.h"

/// One frame in memory, as written or read. Arrays are owned by whoever filled it.
typedef struct couFrame {
    double time; ///< [s]
    size_t count;
    couVec3 *position; ///< [m]
    couVec3 *velocity; ///< [m/s]
    uint32_t *id;
    float *density; ///< relative to rest
    uint8_t *material;
} couFrame;

/// Most particles of one frame: VTK files number them with signed 32-bit integers.
#define COU_MAX_FRAME_COUNT ((size_t)INT32_MAX)

/// Copies the world's particles, ordered by id. Free with couFreeFrame(). False without memory.
bool couCaptureFrame(const couWorld *world, couFrame *frame);
/// Zeroed arrays for `count` particles. False without memory; nothing is held then.
bool couAllocateFrame(couFrame *frame, size_t count);
/// For frames that were captured, allocated or read.
void couFreeFrame(couFrame *frame);

/// Written to a temporary name, flushed, renamed. On failure a fault names file and reason and the old file is untouched.
bool couWriteVtp(const char *path, const couFrame *frame, couFaults *faults);
bool couWritePly(const char *path, const couFrame *frame, couFaults *faults);
/// By extension (.vtp as we write it, .ply binary little-endian). Hostile files give a fault, never a crash or a huge allocation.
bool couReadFrame(const char *path, couFrame *frame, couFaults *faults);
bool couReadVtp(const char *path, couFrame *frame, couFaults *faults);
/// Any binary little-endian PLY whose first element is `vertex` with x, y, z; what else is missing gets the values of resting matter.
bool couReadPly(const char *path, couFrame *frame, couFaults *faults);
