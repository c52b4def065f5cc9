// The stress of order and its divergence, eight pairs at a time (relief.c).

#include "fluid/sph_wide.h"

typedef struct StressSums {
    couVec3W even;  // xx, yy, zz of sum G x
    couVec3W mixed; // yz, zx, xy
} StressSums;

static inline StressSums add_stress(const couSphLoop *loop, size_t i, const couPairList *found, int begin, int end)
{
    couVec3 xi = couXyz(loop->position[i]);
    StressSums sums = {couSet3W((couVec3){0}), couSet3W((couVec3){0})};
    for (int b = begin; b < end; ++b) { // padding has no gradient
        couFloatW unused;
        couVec3W d = couOffsetsW(loop, found->list + b * COU_WIDTH, xi, &unused), g = couGradientsW(&found->pairs[b]);
        sums.even.x += g.x * d.x, sums.even.y += g.y * d.y, sums.even.z += g.z * d.z;
        sums.mixed.x += g.y * d.z, sums.mixed.y += g.z * d.x, sums.mixed.z += g.x * d.y;
    }
    return sums;
}

// At a surface neighbours are missing on one side, which is no order: a particle that lacks three tenths has none.
void COU_WIDE(couSphStress)(couSphLoop *loop, size_t begin, size_t end, int block)
{
    (void)block;
    float fluid = loop->gradient_scale[0], solid = loop->gradient_scale[1], inv_n = 1.0f / (float)loop->dimension;
    for (size_t i = begin; i < end; ++i) {
        float share = loop->relief[loop->material[i]], p = loop->pressure[i];
        if (loop->other_pressure) p += loop->other_pressure[i];
        loop->stress[0][i] = loop->stress[1][i] = (couVec4){0};
        if (!(share * p > 0.0f)) continue;
        couPairList found = couPairs_Of(loop, i);
        StressSums inner = add_stress(loop, i, &found, 0, found.fluid_blocks),
                   outer = add_stress(loop, i, &found, found.fluid_blocks, found.blocks);
        couVec3 even = couMulAdd(couScale(fluid, couSum3W(inner.even)), solid, couSum3W(outer.even));
        couVec3 mixed = couMulAdd(couScale(fluid, couSum3W(inner.mixed)), solid, couSum3W(outer.mixed));
        float mean = inv_n * (even.x + even.y + even.z), trust = COU_CLAMP(5.0f * mean - 3.5f, 0.0f, 1.0f);
        float size = trust * share * p * loop->inv_reference, z = loop->dimension == 3 ? even.z - mean : 0.0f;
        loop->stress[0][i] = (couVec4){size * (even.x - mean), size * (even.y - mean), size * z, 0.0f};
        loop->stress[1][i] = (couVec4){size * mixed.x, size * mixed.y, size * mixed.z, 0.0f};
    }
}

static inline couVec3W times(couVec3W even, couVec3W mixed, couVec3W g)
{
    return (couVec3W){even.x * g.x + mixed.z * g.y + mixed.y * g.z, mixed.z * g.x + even.y * g.y + mixed.x * g.z,
                      mixed.y * g.x + mixed.x * g.y + even.z * g.z};
}

// A sample has the stress of the particle next to it.
void COU_WIDE(couSphRelieve)(couSphLoop *loop, size_t begin, size_t end, int block)
{
    size_t wall_row = couWallRow(loop, block);
    for (size_t i = begin; i < end; ++i) {
        couPairList found = couPairs_Of(loop, i);
        couVec3W even = couSet3W(couXyz(loop->stress[0][i])), mixed = couSet3W(couXyz(loop->stress[1][i]));
        couVec3W inner = couSet3W((couVec3){0}), outer = inner;
        for (int b = 0; b < found.fluid_blocks; ++b) {
            const uint32_t *index = found.list + b * COU_WIDTH;
            couVec3W both = couAddW(even, couLoadVectorsW(loop->stress[0], index));
            inner = couAddW(inner,
                            times(both, couAddW(mixed, couLoadVectorsW(loop->stress[1], index)), couGradientsW(&found.pairs[b])));
        }
        for (int b = found.fluid_blocks; b < found.blocks; ++b) outer = couAddW(outer, couGradientsW(&found.pairs[b]));
        float weight = loop->velocity[i].w;
        couVec3 fluid = couScale(weight * loop->gradient_scale[0], couSum3W(inner));
        couVec3 solid = couScale(2.0f * weight * loop->gradient_scale[1], couSum3W(times(even, mixed, outer)));
        loop->out[i] = (couVec4){fluid.x + solid.x, fluid.y + solid.y, fluid.z + solid.z, 0.0f};
        if (loop->walls && found.blocks > found.fluid_blocks)
            loop->walls[wall_row++] = (couVec4){solid.x, solid.y, solid.z, 0.0f};
    }
}
