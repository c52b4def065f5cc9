// Which kernels of a range reach a box, eight at a time.

#include "surface/cloud.h"

static inline couFloatW beyond(couFloatW a, float low, float high)
{
    couFloatW under = couSubW(couSetW(low), a), over = couSubW(a, couSetW(high));
    return couMaxW(couMaxW(under, over), couSetW(0.0f));
}

// Appends the lanes whose bit is set; may write up to COU_WIDTH entries.
static inline void append(float *out, couFloatW values, unsigned bits)
{
    uint32_t words[COU_WIDTH], kept[COU_WIDTH];
    memcpy(words, &values, sizeof words);
    couCompressW(kept, words, bits);
    memcpy(out, kept, sizeof kept);
}

static inline unsigned reaching(couFloatW x, couFloatW y, couFloatW z, couFloatW reach, const couBounds *box)
{
    reach = couMulW(reach, couSetW(1.001f)); // whoever is left out must be exactly zero in the box
    couFloatW dx = beyond(x, box->lower.x, box->upper.x), dy = beyond(y, box->lower.y, box->upper.y);
    couFloatW dz = beyond(z, box->lower.z, box->upper.z);
    couFloatW r2 = couAddW(couMulW(dx, dx), couAddW(couMulW(dy, dy), couMulW(dz, dz)));
    return couBitsW(couLessW(r2, couMulW(reach, reach)));
}

void COU_WIDE(couGatherRange)(couNear *near, const couCloud *cloud, const couRange *range, const couBounds *box, float margin)
{
    size_t count = near->count;
    for (uint32_t i = range->begin; i < range->end; i += COU_WIDTH) {
        uint32_t lanes[COU_WIDTH];
        for (uint32_t lane = 0; lane < COU_WIDTH; ++lane) lanes[lane] = i + lane;
        couFloatW x, y, z, w, reach = couSetW(margin);
        if (cloud->metric) couLoadRecordsW(cloud->home, lanes, &x, &y, &z, &reach);
        couLoadRecordsW(cloud->center, lanes, &x, &y, &z, &w);
        unsigned bits = reaching(x, y, z, reach, box);
        if (range->end - i < COU_WIDTH) bits &= (1u << (range->end - i)) - 1u;
        if (!bits) continue;
        append(near->x + count, x, bits);
        append(near->y + count, y, bits);
        append(near->z + count, z, bits);
        append(near->w + count, w, bits);
        count += (size_t)couCompressW(near->index + count, lanes, bits);
    }
    near->count = count;
}

void COU_WIDE(couGatherPart)(couNear *near, const couNear *from, bool is_stretched, const couBounds *box, float margin)
{
    size_t count = 0;
    int columns = is_stretched ? cou_nearColumns : 4;
    for (size_t at = 0; at < from->count; at += COU_WIDTH) {
        couFloatW reach = is_stretched ? couLoadW(from->radius + at) : couSetW(margin);
        unsigned bits = reaching(couLoadW(from->x + at), couLoadW(from->y + at), couLoadW(from->z + at), reach, box);
        if (from->count - at < COU_WIDTH) bits &= (1u << (from->count - at)) - 1u;
        if (!bits) continue;
        for (int c = 0; c < columns; ++c)
            append(near->x + (size_t)c * near->stride + count, couLoadW(from->x + (size_t)c * from->stride + at), bits);
        count += (size_t)couCompressW(near->index + count, from->index + at, bits);
    }
    near->count = count;
}
