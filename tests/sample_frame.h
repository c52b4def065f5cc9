/// A frame whose numbers follow from the particle's number alone; tests/read_frames.py has the same formulas.
#pragma once

#include "coulis/frames.h"

static inline void make_sample_frame(couFrame *frame, size_t count)
{
    if (!couAllocateFrame(frame, count)) __builtin_trap();
    frame->time = 1.25;
    for (size_t i = 0; i < count; ++i) {
        frame->position[i] = (couVec3){(float)i * 0.25f, (float)(i % 100) * -0.5f, (float)(i * 7 % 1000) * 0.125f};
        frame->velocity[i] = (couVec3){(float)(i % 7) - 3.0f, (float)i * 0.0625f, -1.0f};
        frame->id[i] = 4000000000u + (uint32_t)i * 3u;
        frame->density[i] = 1.0f + (float)(i % 16) * 0.0078125f;
        frame->material[i] = (uint8_t)(i % 256);
    }
}
