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

void COU_WIDE(couGatherRange)(couNear *near, const couCloud *cloud, const couRange *range, const couBounds *box, float margin)
{
    size_t count = near->count;
    for (uint32_t i = range->begin; i < range->end; i += COU_WIDTH) {
        uint32_t lanes[COU_WIDTH];
        for (uint32_t lane = 0; lane < COU_WIDTH; ++lane) lanes[lane] = i + lane;
        couFloatW x, y, z, w, reach = couSetW(margin);
        if (cloud->metric) couLoadRecordsW(cloud->home, lanes, &x, &y, &z, &reach);
        couLoadRecordsW(cloud->center, lanes, &x, &y, &z, &w);
        reach = couMulW(reach, couSetW(1.001f)); // whoever is left out must be exactly zero in the box
        couFloatW dx = beyond(x, box->lower.x, box->upper.x), dy = beyond(y, box->lower.y, box->upper.y);
        couFloatW dz = beyond(z, box->lower.z, box->upper.z);
        couFloatW r2 = couAddW(couMulW(dx, dx), couAddW(couMulW(dy, dy), couMulW(dz, dz)));
        unsigned bits = couBitsW(couLessW(r2, couMulW(reach, reach)));
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
