// A look at frames of other programs: their dimension, the distance of neighbours, the room that they take.
#include "io/frame_probe.h"

#include <stdlib.h>

static int compare_floats(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static float guess_spacing(const couFrame *frame)
{
    enum { SAMPLES = 101 };
    float nearest[SAMPLES];
    int count = 0;
    for (int k = 0; k < SAMPLES && frame->count > 1; ++k) {
        couVec3 p = frame->position[frame->count * (size_t)k / SAMPLES];
        float least = INFINITY;
        for (size_t j = 0; j < frame->count; ++j) {
            couVec3 q = frame->position[j];
            float x = q.x - p.x, y = q.y - p.y, z = q.z - p.z, r2 = x * x + y * y + z * z;
            if (r2 > 0.0f && r2 < least) least = r2;
        }
        if (isfinite(least)) nearest[count++] = sqrtf(least);
    }
    if (count == 0) return 0.0f;
    qsort(nearest, (size_t)count, sizeof nearest[0], compare_floats);
    return nearest[count / 2];
}

static bool is_flat_frame(const couFrame *frame)
{
    for (size_t i = 0; i < frame->count; ++i)
        if (frame->position[i].z != 0.0f) return false;
    return true;
}

// Within reach of cameras and grids; false for NaN.
static bool is_somewhere(couVec3 p)
{
    const float most = 1e9f; // [m]
    return fabsf(p.x) < most && fabsf(p.y) < most && fabsf(p.z) < most;
}

static void include_particles(couBounds *b, const couFrame *frame)
{
    for (size_t i = 0; i < frame->count; ++i) {
        couVec3 p = frame->position[i];
        if (!is_somewhere(p)) continue;
        b->lower = (couVec3){fminf(b->lower.x, p.x), fminf(b->lower.y, p.y), fminf(b->lower.z, p.z)};
        b->upper = (couVec3){fmaxf(b->upper.x, p.x), fmaxf(b->upper.y, p.y), fmaxf(b->upper.z, p.z)};
    }
}

couFrameProbe couProbeFrames(const couFrameFiles *files, int most)
{
    couFrameProbe probe = {.bounds = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}}};
    int count = files->count < most ? files->count : most;
    // One that fails is replaced by its successor only while nothing is known.
    for (int k = 0, i = 0; k < count && i < files->count; ++k) {
        couFaults ignored = {0}; // said when its turn comes
        couFrame frame = {0};
        bool is_read = couReadFrame(files->items[i].path, &frame, &ignored) && frame.count > 0;
        if (is_read && probe.dimension == 0)
            probe.dimension = is_flat_frame(&frame) ? 2 : 3, probe.spacing = guess_spacing(&frame);
        if (is_read) include_particles(&probe.bounds, &frame);
        couFreeFrame(&frame);
        couFaults_Clear(&ignored);
        if (probe.dimension == 0)
            --k, ++i;
        else
            i = count > 1 ? (int)((long long)(files->count - 1) * (k + 1) / (count - 1)) : files->count;
    }
    if (probe.dimension == 0) probe.dimension = 3;
    return probe;
}

size_t couFrame_LostCount(const couFrame *frame)
{
    size_t count = 0;
    for (size_t i = 0; i < frame->count; ++i) count += !is_somewhere(frame->position[i]);
    return count;
}
