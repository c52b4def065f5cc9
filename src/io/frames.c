// Frames in memory: particles copied out of a world in the order of their ids, so that particle i of one file is particle i of
// the next as long as none is born or removed. Sorting is a radix sort of (id, index) keys, a few ns a particle and far below
// the cost of writing the file.
#include "coulis/frames.h"

#include "base/base.h"

bool couAllocateFrame(couFrame *frame, size_t count)
{
    *frame = (couFrame){.count = count};
    if (count > COU_MAX_FRAME_COUNT) return false;
    size_t room = COU_MAX(count, 1);
    frame->position = couAlloc(NULL, room * sizeof *frame->position);
    frame->velocity = couAlloc(NULL, room * sizeof *frame->velocity);
    frame->id = couAlloc(NULL, room * sizeof *frame->id);
    frame->density = couAlloc(NULL, room * sizeof *frame->density);
    frame->material = couAlloc(NULL, room * sizeof *frame->material);
    if (frame->position && frame->velocity && frame->id && frame->density && frame->material) return true;
    couFreeFrame(frame);
    return false;
}

void couFreeFrame(couFrame *frame)
{
    couFree(NULL, frame->position);
    couFree(NULL, frame->velocity);
    couFree(NULL, frame->id);
    couFree(NULL, frame->density);
    couFree(NULL, frame->material);
    couFree(NULL, frame->pressure);
    *frame = (couFrame){0};
}

// Sorts keys by their upper 32 bits: four stable passes of 8 bits, so the result ends up where it began.
static void sort_by_id(uint64_t *keys, uint64_t *spare, size_t count)
{
    for (int shift = 32; shift < 64; shift += 8) {
        size_t start[257] = {0};
        for (size_t i = 0; i < count; ++i) start[(keys[i] >> shift & 255) + 1]++;
        for (int digit = 0; digit < 256; ++digit) start[digit + 1] += start[digit];
        for (size_t i = 0; i < count; ++i) spare[start[keys[i] >> shift & 255]++] = keys[i];
        uint64_t *swap = keys;
        keys = spare;
        spare = swap;
    }
}

static void copy_particles(couFrame *frame, const couParticleView *view, const uint64_t *keys)
{
    for (size_t i = 0; i < frame->count; ++i) {
        size_t j = (uint32_t)keys[i];
        frame->position[i] = couXyz(view->position[j]);
        frame->velocity[i] = couXyz(view->velocity[j]);
        frame->id[i] = view->id[j];
        frame->density[i] = view->density[j];
        frame->material[i] = view->material[j];
        if (frame->pressure) frame->pressure[i] = view->pressure[j];
    }
}

bool couCaptureFrame(const couWorld *world, couFrame *frame)
{
    couParticleView view = couWorld_Particles(world);
    uint64_t *keys = view.count <= COU_MAX_FRAME_COUNT ? couAlloc(NULL, 2 * sizeof *keys * COU_MAX(view.count, 1)) : NULL;
    bool is_ok = keys && couAllocateFrame(frame, view.count);
    if (is_ok && view.pressure) {
        frame->pressure = couAlloc(NULL, COU_MAX(view.count, 1) * sizeof *frame->pressure);
        is_ok = frame->pressure;
        if (!is_ok) couFreeFrame(frame);
    }
    if (is_ok) {
        frame->time = couWorld_Time(world);
        for (size_t i = 0; i < view.count; ++i) keys[i] = (uint64_t)view.id[i] << 32 | i;
        sort_by_id(keys, keys + view.count, view.count);
        copy_particles(frame, &view, keys);
    } else {
        *frame = (couFrame){0};
    }
    couFree(NULL, keys);
    return is_ok;
}

bool couCaptureSamples(const couWorld *world, couFrame *frame)
{
    couSampleView view = couWorld_Samples(world);
    uint64_t *keys = view.count <= COU_MAX_FRAME_COUNT ? couAlloc(NULL, 2 * sizeof *keys * COU_MAX(view.count, 1)) : NULL;
    bool is_ok = keys && couAllocateFrame(frame, view.count);
    if (is_ok) {
        frame->time = couWorld_Time(world);
        for (size_t i = 0; i < view.count; ++i) keys[i] = (uint64_t)view.id[i] << 32 | i;
        sort_by_id(keys, keys + view.count, view.count);
        for (size_t i = 0; i < view.count; ++i) {
            size_t j = (uint32_t)keys[i];
            frame->position[i] = couXyz(view.position[j]);
            frame->velocity[i] = couXyz(view.velocity[j]);
            frame->id[i] = view.id[j];
            frame->density[i] = view.position[j].w;
            frame->material[i] = (uint8_t)COU_MIN(view.body[j], UINT8_MAX);
        }
    } else {
        *frame = (couFrame){0};
    }
    couFree(NULL, keys);
    return is_ok;
}

couSurfacePoints couFramePoints(const couFrame *frame, int dimension)
{
    return (couSurfacePoints){.dimension = dimension,
                              .count = frame->count,
                              .positions = frame->position,
                              .velocities = frame->velocity,
                              .ids = frame->id,
                              .materials = frame->material};
}
