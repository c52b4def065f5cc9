/// Files of points as frames and as surfaces, shared by the targets of their kinds.
#pragma once

#include "fuzz.h"

#include "coulis/frames.h"
#include "coulis/surface_file.h"

static inline int couFuzz_Points(const char *name, const uint8_t *data, size_t size)
{
    const char *path = couFuzz_Write(name, data, size);
    couFaults faults = {0};
    couFrame frame;
    couSurface surface;
    double time;
    if (couReadFrame(path, &frame, &faults)) couFreeFrame(&frame);
    if (couReadSurface(path, &surface, &time, &faults)) couSurface_Clear(&surface);
    couFaults_Clear(&faults);
    return 0;
}
