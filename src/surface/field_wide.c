// The field's hot loops: F at the nodes of a brick, and sums over the kernels near one point.
//
// A brick is filled kernel after kernel; one row of its nodes is one wide vector, and the rows that a kernel reaches are found
// eight at a time. Rows are skipped only where its terms are exactly zero, so every brick that holds a node finds the same bits
// for it, whatever else it holds: a node's sum is over the same kernels in the same order. The mesh has no cracks because of
// that.

#include "surface/cloud.h"

#define SKIP 1.001f // of a squared reach: beyond it a term is zero whatever the rounding

// --- Shapes ------------------------------------------------------------------------------------------------------------------

COU_SPECIALIZED couFloatW kernel_of(couSurfaceField kind, couFloatW q2)
{
    if (kind == cou_surfaceClavet) {
        couFloatW ramp = couMaxW(1.0f - couSqrtW(q2), 0.0f);
        return ramp * ramp;
    }
    couFloatW m = couMaxW(1.0f - q2, 0.0f);
    return m * (m * m);
}

// dK/d(q^2).
COU_SPECIALIZED couFloatW slope_of(couSurfaceField kind, couFloatW q2)
{
    if (kind == cou_surfaceClavet) {
        // The ramp has a tip at the particle itself: its slope there is taken as that very near to it.
        couFloatW q = couSqrtW(couMaxW(q2, 1e-12f));
        return 0.0f - couMaxW(1.0f - q, 0.0f) / q;
    }
    couFloatW m = couMaxW(1.0f - q2, 0.0f);
    return -3.0f * (m * m);
}

// --- Bricks ------------------------------------------------------------------------------------------------------------------

// Nodes of one axis within `radius` of a, at least: [first, last].
static inline void clip_axis(float a, float radius, const float *nodes, int count, float inv_cell, int *first, int *last)
{
    float low = (a - radius - nodes[0]) * inv_cell - 0.1f, high = (a + radius - nodes[0]) * inv_cell + 0.1f;
    *first = low > 0.0f ? (int)COU_MIN(low, (float)count) + 1 : 0;
    *last = high < (float)(count - 1) ? (high < 0.0f ? -1 : (int)high) : count - 1;
}

// How far a lies before or behind the nodes of an axis.
static inline float beyond(float a, const float *nodes)
{
    float low = nodes[0] - a, high = a - nodes[cou_brickNodes - 1], most = COU_MAX(low, high);
    return COU_MAX(most, 0.0f);
}

COU_SPECIALIZED void add_round_kernels(couSurfaceField kind, const couNear *near, const couFieldShape *shape,
                                       const couBrick *brick, float *field)
{
    couFloatW x = couLoadW(brick->x), y = couLoadW(brick->y);
    float inv_h2 = shape->inv_h * shape->inv_h, inv_cell = 1.0f / brick->cell, rows[cou_brickNodes];
    for (size_t p = 0; p < near->count; ++p) {
        int k0, k1;
        clip_axis(near->z[p], shape->h, brick->z, brick->layers, inv_cell, &k0, &k1);
        couFloatW dx = x - near->x[p], dx2 = dx * dx * inv_h2, w = couSetW(near->w[p]);
        couFloatW dy = y - near->y[p], dy2 = dy * dy;
        float ahead = beyond(near->x[p], brick->x), most = SKIP - ahead * ahead * inv_h2;
        for (int k = k0; k <= k1; ++k) {
            float dz = brick->z[k] - near->z[p], *layer = field + cou_brickNodes * cou_brickNodes * k;
            couFloatW q2 = (dy2 + dz * dz) * inv_h2;
            couStoreW(rows, q2);
            for (unsigned bits = couBitsW(q2 <= most); bits; bits &= bits - 1) {
                int j = __builtin_ctz(bits);
                float *row = layer + cou_brickNodes * j;
                couStoreW(row, couLoadW(row) + w * kernel_of(kind, dx2 + rows[j]));
            }
        }
    }
}

// q^2 along a row is a parabola in dx; rows where its least value lies beyond 1 are skipped.
static inline void add_stretched_kernels(const couNear *near, const couBrick *brick, float *field)
{
    couFloatW x = couLoadW(brick->x), y = couLoadW(brick->y);
    float inv_cell = 1.0f / brick->cell, slopes[cou_brickNodes], rests[cou_brickNodes];
    for (size_t p = 0; p < near->count; ++p) {
        int k0, k1;
        clip_axis(near->z[p], near->radius[p], brick->z, brick->layers, inv_cell, &k0, &k1);
        float a = near->metric[0][p], b = near->metric[1][p], c = near->metric[2][p];
        float d = near->metric[3][p], e = near->metric[4][p], f = near->metric[5][p], inv_2a = 0.5f / a;
        float left = brick->x[0] - near->x[p], right = brick->x[cou_brickNodes - 1] - near->x[p];
        couFloatW dx = x - near->x[p], ax = a * dx, w = couSetW(near->w[p]), dy = y - near->y[p];
        for (int k = k0; k <= k1; ++k) {
            float dz = brick->z[k] - near->z[p], *layer = field + cou_brickNodes * cou_brickNodes * k;
            couFloatW slope = 2.0f * (b * dy + c * dz), rest = dy * (d * dy + 2.0f * e * dz) + f * dz * dz;
            couFloatW least = couMinW(couMaxW(0.0f - slope * inv_2a, couSetW(left)), couSetW(right));
            couStoreW(slopes, slope);
            couStoreW(rests, rest);
            for (unsigned bits = couBitsW(least * (a * least + slope) + rest <= SKIP); bits; bits &= bits - 1) {
                int j = __builtin_ctz(bits);
                float *row = layer + cou_brickNodes * j;
                couFloatW q2 = dx * (ax + slopes[j]) + rests[j];
                couStoreW(row, couLoadW(row) + w * kernel_of(cou_surfaceAnisotropic, q2));
            }
        }
    }
}

void COU_WIDE(couEvaluateBrick)(const couNear *near, const couFieldShape *shape, const couBrick *brick, float level, float *field,
                                uint64_t *bits)
{
    size_t layer = cou_brickNodes * cou_brickNodes;
    memset(field, 0, layer * (size_t)brick->layers * sizeof *field);
    switch (shape->kind) {
    case cou_surfaceClavet: add_round_kernels(cou_surfaceClavet, near, shape, brick, field); break;
    case cou_surfaceColor: add_round_kernels(cou_surfaceColor, near, shape, brick, field); break;
    case cou_surfaceAnisotropic: add_stretched_kernels(near, brick, field); break;
    }
    for (int k = 0; k < brick->layers; ++k) {
        bits[k] = 0;
        for (int j = 0; j < cou_brickNodes; ++j) {
            unsigned below = couBitsW(couLoadW(field + layer * (size_t)k + cou_brickNodes * (size_t)j) < level);
            bits[k] |= (uint64_t)(~below & 0xffu) << (cou_brickNodes * j);
        }
    }
}

// --- Points ------------------------------------------------------------------------------------------------------------------

typedef struct Offsets {
    couFloatW x, y, z; // from the kernel to the point
    couFloatW q2;
    couFloatW gx, gy, gz; // half the gradient of q^2
} Offsets;

COU_SPECIALIZED Offsets offsets_at(couSurfaceField kind, const couNear *near, size_t at, float inv_h2, couVec3 p)
{
    Offsets o;
    o.x = p.x - couLoadW(near->x + at);
    o.y = p.y - couLoadW(near->y + at);
    o.z = p.z - couLoadW(near->z + at);
    if (kind == cou_surfaceAnisotropic) {
        couFloatW a = couLoadW(near->metric[0] + at), b = couLoadW(near->metric[1] + at), c = couLoadW(near->metric[2] + at);
        couFloatW d = couLoadW(near->metric[3] + at), e = couLoadW(near->metric[4] + at), f = couLoadW(near->metric[5] + at);
        o.gx = a * o.x + (b * o.y + c * o.z);
        o.gy = b * o.x + (d * o.y + e * o.z);
        o.gz = c * o.x + (e * o.y + f * o.z);
        o.q2 = o.x * o.gx + (o.y * o.gy + o.z * o.gz);
    } else {
        o.gx = inv_h2 * o.x, o.gy = inv_h2 * o.y, o.gz = inv_h2 * o.z;
        o.q2 = inv_h2 * (o.x * o.x + (o.y * o.y + o.z * o.z));
    }
    return o;
}

COU_SPECIALIZED couSample sample_field(couSurfaceField kind, const couNear *near, float inv_h2, couVec3 p)
{
    couFloatW value = couSetW(0.0f), gx = value, gy = value, gz = value;
    for (size_t at = 0; at < near->count; at += COU_WIDTH) {
        Offsets o = offsets_at(kind, near, at, inv_h2, p);
        if (!couBitsW(o.q2 < 1.0f)) continue;
        couFloatW w = couLoadW(near->w + at), slope = 2.0f * w * slope_of(kind, o.q2);
        value += w * kernel_of(kind, o.q2);
        gx += slope * o.gx;
        gy += slope * o.gy;
        gz += slope * o.gz;
    }
    return (couSample){couSumW(value), {couSumW(gx), couSumW(gy), couSumW(gz)}};
}

couSample COU_WIDE(couSampleField)(const couNear *near, const couFieldShape *shape, couVec3 p)
{
    float inv_h2 = shape->inv_h * shape->inv_h;
    switch (shape->kind) {
    case cou_surfaceClavet: return sample_field(cou_surfaceClavet, near, inv_h2, p);
    case cou_surfaceColor: return sample_field(cou_surfaceColor, near, inv_h2, p);
    default: return sample_field(cou_surfaceAnisotropic, near, inv_h2, p);
    }
}

COU_SPECIALIZED int list_terms(couSurfaceField kind, const couNear *near, float inv_h2, couVec3 p, uint32_t *rows, float *terms)
{
    int count = 0;
    for (size_t at = 0; at < near->count; at += COU_WIDTH) {
        Offsets o = offsets_at(kind, near, at, inv_h2, p);
        couFloatW term = couLoadW(near->w + at) * kernel_of(kind, o.q2);
        unsigned bits = couBitsW(term > 0.0f);
        if (!bits) continue;
        float values[COU_WIDTH];
        couStoreW(values, term);
        for (; bits; bits &= bits - 1) {
            int lane = __builtin_ctz(bits);
            rows[count] = (uint32_t)at + (uint32_t)lane, terms[count++] = values[lane];
        }
    }
    return count;
}

int COU_WIDE(couListTerms)(const couNear *near, const couFieldShape *shape, couVec3 p, uint32_t *rows, float *terms)
{
    float inv_h2 = shape->inv_h * shape->inv_h;
    switch (shape->kind) {
    case cou_surfaceClavet: return list_terms(cou_surfaceClavet, near, inv_h2, p, rows, terms);
    case cou_surfaceColor: return list_terms(cou_surfaceColor, near, inv_h2, p, rows, terms);
    default: return list_terms(cou_surfaceAnisotropic, near, inv_h2, p, rows, terms);
    }
}

// Distance to the box along one axis.
static inline couFloatW outside(couFloatW a, float low, float high) { return couMaxW(couMaxW(low - a, a - high), 0.0f); }

float COU_WIDE(couBoundField)(const couNear *near, const couFieldShape *shape, const couBounds *box)
{
    bool is_stretched = shape->kind == cou_surfaceAnisotropic;
    couFloatW sum = couSetW(0.0f);
    for (size_t at = 0; at < near->count; at += COU_WIDTH) {
        couFloatW x = outside(couLoadW(near->x + at), box->lower.x, box->upper.x);
        couFloatW y = outside(couLoadW(near->y + at), box->lower.y, box->upper.y);
        couFloatW z = outside(couLoadW(near->z + at), box->lower.z, box->upper.z);
        couFloatW radius = is_stretched ? couLoadW(near->radius + at) : couSetW(shape->h);
        couFloatW q2 = (x * x + (y * y + z * z)) / (radius * radius);
        couFloatW k = shape->kind == cou_surfaceClavet ? kernel_of(cou_surfaceClavet, q2) : kernel_of(cou_surfaceColor, q2);
        sum += couLoadW(near->w + at) * k;
    }
    return couSumW(sum);
}

// The first `count` lanes, the others 0: the padding repeats the last kernel.
static inline couFloatW without_padding(couFloatW a, size_t count)
{
    float lanes[COU_WIDTH];
    couStoreW(lanes, a);
    for (size_t lane = count; lane < COU_WIDTH; ++lane) lanes[lane] = 0.0f;
    return couLoadW(lanes);
}

COU_SPECIALIZED float sum_kernels(couSurfaceField kind, const couNear *near, float inv_h2, couVec3 p)
{
    couFloatW sum = couSetW(0.0f);
    for (size_t at = 0; at < near->count; at += COU_WIDTH) {
        couFloatW q2 = offsets_at(kind, near, at, inv_h2, p).q2;
        if (!couBitsW(q2 < 1.0f)) continue;
        couFloatW k = kernel_of(kind, q2);
        if (at + COU_WIDTH > near->count) k = without_padding(k, near->count - at);
        sum += k;
    }
    return couSumW(sum);
}

float COU_WIDE(couSumKernels)(const couNear *near, const couFieldShape *shape, couVec3 p)
{
    float inv_h2 = shape->inv_h * shape->inv_h;
    return shape->kind == cou_surfaceClavet ? sum_kernels(cou_surfaceClavet, near, inv_h2, p)
                                            : sum_kernels(cou_surfaceColor, near, inv_h2, p);
}

void COU_WIDE(couSumMoments)(const couNear *near, float radius, couVec3 p, couMoments *moments)
{
    couFloatW sums[10];
    float inv_r2 = 1.0f / (radius * radius);
    for (int m = 0; m < 10; ++m) sums[m] = couSetW(0.0f);
    for (size_t at = 0; at < near->count; at += COU_WIDTH) {
        Offsets o = offsets_at(cou_surfaceColor, near, at, inv_r2, p);
        if (!couBitsW(o.q2 < 1.0f)) continue;
        couFloatW w = couMaxW(1.0f - o.q2 * couSqrtW(o.q2), 0.0f);
        if (at + COU_WIDTH > near->count) w = without_padding(w, near->count - at);
        // Offsets point from the neighbour to the particle; the first moments change sign below.
        couFloatW wx = w * o.x, wy = w * o.y, wz = w * o.z;
        couFloatW terms[10] = {w, wx, wy, wz, wx * o.x, wx * o.y, wx * o.z, wy * o.y, wy * o.z, wz * o.z};
        for (int m = 0; m < 10; ++m) sums[m] += terms[m];
    }
    moments->weight = couSumW(sums[0]);
    for (int m = 0; m < 3; ++m) moments->first[m] = -couSumW(sums[1 + m]);
    for (int m = 0; m < 6; ++m) moments->second[m] = couSumW(sums[4 + m]);
}

uint32_t COU_WIDE(couFindNearest)(const couNear *near, couVec3 p)
{
    couFloatW best = couSetW(INFINITY), best_at = couSetW(0.0f);
    for (size_t at = 0; at < near->count; at += COU_WIDTH) {
        couFloatW dx = p.x - couLoadW(near->home[0] + at);
        couFloatW dy = p.y - couLoadW(near->home[1] + at);
        couFloatW dz = p.z - couLoadW(near->home[2] + at);
        couFloatW r2 = dx * dx + (dy * dy + dz * dz);
        couMaskW is_less = r2 < best;
        best = couSelectW(is_less, r2, best);
        best_at = couSelectW(is_less, (float)(at / COU_WIDTH), best_at); // exact up to 2^24 groups
    }
    float distances[COU_WIDTH], groups[COU_WIDTH];
    couStoreW(distances, best);
    couStoreW(groups, best_at);
    size_t row = SIZE_MAX;
    float least = INFINITY;
    for (size_t lane = 0; lane < COU_WIDTH; ++lane) {
        size_t candidate = COU_MIN((size_t)groups[lane] * COU_WIDTH + lane, near->count - 1); // padding repeats the last
        if (distances[lane] < least || (distances[lane] == least && candidate < row)) least = distances[lane], row = candidate;
    }
    return (uint32_t)(row == SIZE_MAX ? 0 : row);
}
