// The rows of samples, and the liquid's rows with them, eight pairs at a time.

#include "fluid/sph_wide.h"

// --- Rows of samples ---------------------------------------------------------------------------------------------------------

#define MOST 32767.0f

static inline couFloatW to_short(couFloatW a) { return couRoundW(couMaxW(couMinW(a, MOST), -MOST)); }

// Kernel and gradients of one row: writes its pairs; returns the sum of V W, adds up G and G^2 in units of the scale.
COU_SPECIALIZED float add_liquid(const couSphLoop *loop, size_t row, couKernelKind density_kind, couKernelKind gradient_kind,
                                 couVec3 *gradient, float *squares)
{
    const couWallRows *walls = loop->walls_own;
    couVec3 xs = couXyz(loop->position[loop->solid_base + walls->sample[row]]);
    float inv_h2 = 1.0f / (loop->h * loop->h), touching = 1e-12f * loop->h * loop->h;
    float scale = -loop->slope_scale / (loop->h * loop->gradient_scale[0]);
    couFloatW value = couSetW(0.0f), square = value;
    couVec3W sum = couSet3W((couVec3){0});
    for (uint32_t b = walls->start[row]; b < walls->start[row + 1]; ++b) {
        couFloatW unused;
        couVec3W d = couOffsetsW(loop, walls->list + (size_t)b * COU_WIDTH, xs, &unused);
        couFloatW q2 = couMaxW(couDotW(d, d), touching) * inv_h2;
        couShapeW shape = couSquareShapeW(gradient_kind, loop->series, q2);
        value += density_kind == gradient_kind ? shape.f : couSquareShapeW(density_kind, loop->series, q2).f;
        couFloatW size = scale * shape.slope;
        couVec3W g = {to_short(size * d.x), to_short(size * d.y), to_short(size * d.z)};
        couStoreShortsW(walls->pairs[b].x, g.x), couStoreShortsW(walls->pairs[b].y, g.y), couStoreShortsW(walls->pairs[b].z, g.z);
        sum = couAddW(sum, g);
        square += couDotW(g, g);
    }
    *gradient = couSum3W(sum), *squares = couSumW(square);
    return loop->density_scale * couSumW(value);
}

// What lacks more is a surface, or behind a thin plate: no room to be filled.
#define LEAST_EXCESS -0.02f

// A sample takes part from half surrounded on, and wholly when nine tenths are.
static inline float wetness(float liquid, float room)
{
    return room > 0.0f ? COU_CLAMP(2.5f * (liquid / room - 0.5f), 0.0f, 1.0f) : 0.0f;
}

COU_SPECIALIZED void find_rows(couSphLoop *loop, size_t begin, size_t end, couKernelKind density_kind,
                               couKernelKind gradient_kind)
{
    const couWallRows *walls = loop->walls_own;
    for (size_t row = begin; row < end; ++row) {
        uint32_t sample = walls->sample[row], place = COU_TABLE_PADDING + sample;
        couVec3 gradient;
        float squares, liquid = add_liquid(loop, row, density_kind, gradient_kind, &gradient, &squares);
        float volume = loop->position[loop->solid_base + sample].w, solid = loop->sample_solid[sample];
        float f = squares > 0.0f ? wetness(liquid, 1.0f - solid) / squares : 0.0f;
        float ratio = loop->gradient_scale[1] / (volume * loop->gradient_scale[0]);
        walls->weight[row] = f;
        walls->excess[row] = COU_MAX(solid + liquid - 1.0f, LEAST_EXCESS);
        walls->share[place] = ratio * ratio * f;
        walls->ask[place] = walls->share[place] * volume * walls->excess[row];
        float size = -volume * loop->gradient_scale[0];
        walls->push[place] = (couVec4){size * gradient.x, size * gradient.y, size * gradient.z, 0.0f};
    }
}

void COU_WIDE(couSphWallRows)(couSphLoop *loop, size_t begin, size_t end, int block)
{
    (void)block;
    switch (loop->density_kind) {
    case cou_kernelCubic: find_rows(loop, begin, end, cou_kernelCubic, cou_kernelCubic); break;
    case cou_kernelWendland: find_rows(loop, begin, end, cou_kernelWendland, cou_kernelWendland); break;
    case cou_kernelKaiser: find_rows(loop, begin, end, cou_kernelKaiser, cou_kernelKaiser); break;
    default: find_rows(loop, begin, end, cou_kernelPoly6, cou_kernelSpiky);
    }
}

void COU_WIDE(couSphWallExtend)(couSphLoop *loop, size_t begin, size_t end, int block)
{
    (void)block;
    const couWallRows *walls = loop->walls_own;
    const float *values = loop->extended;
    for (size_t row = begin; row < end; ++row) {
        couFloatW sum = couSetW(0.0f);
        float weight = walls->weight[row];
        for (uint32_t b = walls->start[row]; weight > 0.0f && b < walls->start[row + 1]; ++b) {
            couVec3W g = couGradientsW(&walls->pairs[b]);
            sum += couDotW(g, g) * couLoadEachW(values, walls->list + (size_t)b * COU_WIDTH);
        }
        walls->kappa[COU_TABLE_PADDING + walls->sample[row]] = weight * couSumW(sum);
    }
}

void COU_WIDE(couSphWallAsk)(couSphLoop *loop, size_t begin, size_t end, int block)
{
    (void)block;
    const couWallRows *walls = loop->walls_own;
    for (size_t row = begin; row < end; ++row) {
        uint32_t sample = walls->sample[row], place = COU_TABLE_PADDING + sample;
        if (!(walls->weight[row] > 0.0f)) continue; // asks for nothing
        couVec3W own = couSet3W(couXyz(loop->velocity[loop->solid_base + sample])), sum = couSet3W((couVec3){0});
        for (uint32_t b = walls->start[row]; b < walls->start[row + 1]; ++b) {
            couVec3W g = couGradientsW(&walls->pairs[b]);
            couVec3W dv = couSubW(own, couLoadVectorsW(loop->velocity, walls->list + (size_t)b * COU_WIDTH));
            sum.x += g.x * dv.x, sum.y += g.y * dv.y, sum.z += g.z * dv.z;
        }
        float rate = loop->gradient_scale[0] * couSumW(sum.x + sum.y + sum.z);
        walls->ask[place] = walls->share[place] * loop->position[loop->solid_base + sample].w * rate;
    }
}

// --- Rows of the liquid ------------------------------------------------------------------------------------------------------

// What is kept at 1, and diagonals, with the share of samples.
void COU_WIDE(couSphWallDensity)(couSphLoop *loop, size_t begin, size_t end, int block)
{
    (void)block;
    const couWallRows *walls = loop->walls_own;
    for (size_t i = begin; i < end; ++i) {
        couPairList found = couPairs_Of(loop, i);
        if (found.blocks == found.fluid_blocks) continue;
        couVec3W liquid = couSet3W((couVec3){0}), solid = liquid;
        couFloatW squares = couSetW(0.0f), asked = squares;
        for (int b = 0; b < found.blocks; ++b) {
            const uint32_t *index = found.list + b * COU_WIDTH;
            couVec3W g = couGradientsW(&found.pairs[b]);
            couFloatW square = couDotW(g, g);
            if (b >= found.fluid_blocks) {
                asked += square * couLoadWallsW(loop, walls->ask, index);
                solid = couMulAddW(solid, 1.0f + square * couLoadWallsW(loop, walls->share, index), g);
                continue;
            }
            liquid = couAddW(liquid, g);
            if (loop->is_single_density) {
                squares += square;
            } else {
                float each[COU_WIDTH];
                for (int k = 0; k < COU_WIDTH; ++k) each[k] = loop->velocity[index[k]].w;
                squares += couLoadW(each) * square;
            }
        }
        float a = loop->gradient_scale[0];
        couVec3 sum = couMulAdd(couScale(a, couSum3W(liquid)), loop->gradient_scale[1], couSum3W(solid));
        float diagonal = loop->velocity[i].w * couDot(sum, sum) + a * a * couSumW(squares);
        loop->factor[i] = diagonal > 0.0f ? 1.0f / diagonal : 0.0f;
        loop->kept[i] += couSumW(asked);
    }
}
