// Which kernels of a range reach a box, eight at a time.

#include "surface/cloud.h"

static inline couFloatW beyond(couFloatW a, float low, float high) { return couMaxW(couMaxW(low - a, a - high), 0.0f); }

// Appends the lanes whose bit is set; may write up to COU_WIDTH entries.
static inline void append(float *out, couFloatW values, unsigned bits)
{
    uint32_t words[COU_WIDTH], kept[COU_WIDTH];
    memcpy(words, &values, sizeof words);
    couCompressW(kept, words, bits);
    memcpy(out, kept, sizeof kept);
}

static inline unsigned reaching(couVec3W a, couFloatW reach, const couBounds *box)
{
    reach *= 1.001f; // whoever is left out must be exactly zero in the box
    couFloatW dx = beyond(a.x, box->lower.x, box->upper.x), dy = beyond(a.y, box->lower.y, box->upper.y);
    couFloatW dz = beyond(a.z, box->lower.z, box->upper.z);
    return couBitsW(dx * dx + (dy * dy + dz * dz) < reach * reach);
}

void COU_WIDE(couGatherRange)(couNear *near, const couCloud *cloud, const couRange *range, const couBounds *box, float margin)
{
    size_t count = near->count;
    for (uint32_t i = range->begin; i < range->end; i += COU_WIDTH) {
        uint32_t lanes[COU_WIDTH];
        for (uint32_t lane = 0; lane < COU_WIDTH; ++lane) lanes[lane] = i + lane;
        couFloatW w, reach = couSetW(margin);
        if (cloud->metric) couLoadRecordsW(cloud->home, lanes, &reach);
        couVec3W center = couLoadRecordsW(cloud->center, lanes, &w);
        unsigned bits = reaching(center, reach, box);
        if (range->end - i < COU_WIDTH) bits &= (1u << (range->end - i)) - 1u;
        if (!bits) continue;
        append(near->x + count, center.x, bits);
        append(near->y + count, center.y, bits);
        append(near->z + count, center.z, bits);
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
        couVec3W center = {couLoadW(from->x + at), couLoadW(from->y + at), couLoadW(from->z + at)};
        unsigned bits = reaching(center, reach, box);
        if (from->count - at < COU_WIDTH) bits &= (1u << (from->count - at)) - 1u;
        if (!bits) continue;
        for (int c = 0; c < columns; ++c)
            append(near->x + (size_t)c * near->stride + count, couLoadW(from->x + (size_t)c * from->stride + at), bits);
        count += (size_t)couCompressW(near->index + count, from->index + at, bits);
    }
    near->count = count;
}
