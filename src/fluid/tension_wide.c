// Surface tension, eight pairs at a time: the colour field's gradient and Laplacian, and the pair forces of area and cohesion.

#include "fluid/sph_wide.h"

typedef struct ColorSums {
    couVec3W gradient;
    couFloatW laplacian;
} ColorSums;

// Distances from offsets; those of particles at the same place are very short ones.
static inline couFloatW distance(const couSphLoop *loop, couVec3W d)
{
    return couSqrtW(couMaxW(couDotW(d, d), 1e-12f * loop->h * loop->h));
}

// Fluid and solids count alike: at a wall the field goes on, so that the surface meets it at a right angle.
COU_SPECIALIZED void add_color(const couSphLoop *loop, couVec3 xi, const couPairList *found, couKernelKind kind, ColorSums *sums)
{
    couFloatW inv_h = couSetW(1.0f / loop->h), more = couSetW((float)(loop->dimension - 1));
    for (int b = 0; b < found->blocks; ++b) {
        const uint32_t *index = found->list + b * COU_WIDTH;
        couFloatW volume;
        couVec3W d = couOffsetsW(loop, index, xi, &volume);
        couFloatW r = distance(loop, d), q = couMinW(r * inv_h, 1.0f);
        couFloatW weight = b < found->fluid_blocks ? 1.0f / couLoadEachW(loop->density, index) : volume;
        couFloatW slope = weight * couKernelShapeW(kind, loop->series, q).slope;
        sums->gradient = couSubW(sums->gradient, couScaleW(slope / r, d)); // -d/r is the direction of the gradient at i
        couFloatW laplacian = weight * couKernelCurveW(kind, loop->series, q) + more * (slope / q);
        sums->laplacian += couSelectW(q < 1.0f, laplacian, 0.0f);
    }
}

COU_SPECIALIZED void color_range(couSphLoop *loop, size_t begin, size_t end, couKernelKind kind)
{
    float slope_scale = loop->density_scale / loop->h, curve_scale = slope_scale / loop->h;
    float own[COU_WIDTH]; // f''(0)
    couStoreW(own, couKernelCurveW(kind, loop->series, couSetW(0.0f)));
    for (size_t i = begin; i < end; ++i) {
        couPairList found = couPairs_Of(loop, i);
        couFloatW zero = couSetW(0.0f);
        ColorSums sums = {{zero, zero, zero}, zero};
        add_color(loop, couXyz(loop->position[i]), &found, kind, &sums);
        float self = (float)loop->dimension * own[0] / loop->density[i];
        couVec3 gradient = couScale(slope_scale, couSum3W(sums.gradient));
        loop->out[i] = (couVec4){gradient.x, gradient.y, gradient.z, curve_scale * (couSumW(sums.laplacian) + self)};
    }
}

void COU_WIDE(couSphColor)(couSphLoop *loop, size_t begin, size_t end, int block)
{
    (void)block;
    switch (loop->density_kind) {
    case cou_kernelCubic: color_range(loop, begin, end, cou_kernelCubic); break;
    case cou_kernelWendland: color_range(loop, begin, end, cou_kernelWendland); break;
    case cou_kernelKaiser: color_range(loop, begin, end, cou_kernelKaiser); break;
    default: color_range(loop, begin, end, cou_kernelPoly6);
    }
}

// --- Area --------------------------------------------------------------------------------------------------------------------

// Attraction of pairs / their distance.
static inline couFloatW area_pull(const couSphLoop *loop, couVec3W d, float core)
{
    const couAreaLaw *law = loop->law;
    couFloatW q2 = couDotW(d, d) * (1.0f / (loop->h * loop->h)), u = 1.0f - q2, pull = couSetW(law->pull[COU_AREA_TERMS - 1]);
    for (int k = COU_AREA_TERMS - 1; k-- > 0;) pull = pull * u + law->pull[k];
    pull -= core * couMaxW(1.0f - q2 * law->core, 0.0f);
    return couSelectW(q2 < 1.0f, pull, 0.0f);
}

// The weaker tension binds two liquids: between them acts the difference of the two [Antonow 1907].
static inline couFloatW pair_tensions(const couSphLoop *loop, const uint32_t *index, float own)
{
    float each[COU_WIDTH];
    for (int k = 0; k < COU_WIDTH; ++k)
        each[k] = index[k] < loop->count ? COU_MIN(own, loop->tension[loop->material[index[k]]]) : 0.0f;
    return couLoadW(each);
}

// Solids attract half as much as liquid does, which costs their surface nothing: liquid meets them at a right angle.
void COU_WIDE(couSphArea)(couSphLoop *loop, size_t begin, size_t end, int block)
{
    size_t wall_row = couWallRow(loop, block);
    for (size_t i = begin; i < end; ++i) {
        couPairList found = couPairs_Of(loop, i);
        couVec3 xi = couXyz(loop->position[i]);
        couVec3W fluid = couSet3W((couVec3){0}), solid = fluid;
        float own = loop->tension[loop->material[i]];
        for (int b = 0; b < found.fluid_blocks; ++b) {
            const uint32_t *index = found.list + b * COU_WIDTH;
            couFloatW unused;
            couVec3W d = couOffsetsW(loop, index, xi, &unused);
            couFloatW pull = area_pull(loop, d, loop->law->push);
            pull *= loop->is_single_tension ? couSetW(own) : pair_tensions(loop, index, own);
            fluid = couAddW(fluid, couScaleW(pull, d));
        }
        for (int b = found.fluid_blocks; b < found.blocks; ++b) {
            couFloatW volume;
            couVec3W d = couOffsetsW(loop, found.list + b * COU_WIDTH, xi, &volume);
            solid = couAddW(solid, couScaleW(0.5f * own * volume * area_pull(loop, d, 0.0f), d));
        }
        float size = loop->velocity[i].w;
        couVec3 wall = couScale(size, couSum3W(solid)), all = couAdd(couScale(size, couSum3W(fluid)), wall);
        loop->out[i] = (couVec4){all.x, all.y, all.z, 0.0f};
        if (loop->walls && found.blocks > found.fluid_blocks) loop->walls[wall_row++] = (couVec4){wall.x, wall.y, wall.z, 0.0f};
    }
}

// --- Cohesion ----------------------------------------------------------------------------------------------------------------

// C(r) h^3 pi/32 [Akinci 2013, eq. 2]: attracts beyond h/2, repels below.
static inline couFloatW cohesion_shape(couFloatW q)
{
    couFloatW aq = couMaxW(1.0f - q, 0.0f) * q, cube = aq * aq * aq;
    return couSelectW(q < 0.5f, cube + cube - 1.0f / 64.0f, cube);
}

// Sum over fluid particles of pulls along the pair and of pushes against differences of the surface's normals n.
static inline couVec3W fluid_cohesion(const couSphLoop *loop, size_t i, const couPairList *found, couFloatW inv_h)
{
    couVec3 xi = couXyz(loop->position[i]), ni = couXyz(loop->in[i]);
    couVec3W sum = couSet3W((couVec3){0});
    float own = loop->tension[loop->material[i]];
    couFloatW density = couSetW(loop->density[i]), cohesion = couSetW(loop->cohesion), area = couSetW(loop->area);
    for (int b = 0; b < found->fluid_blocks; ++b) {
        const uint32_t *index = found->list + b * COU_WIDTH;
        couFloatW unused;
        couVec3W d = couOffsetsW(loop, index, xi, &unused), n = couLoadVectorsW(loop->in, index);
        couFloatW r = distance(loop, d), q = r * inv_h;
        // K_ij = 2 rho0 / (rho_i + rho_j): stronger at the surface
        couFloatW size = pair_tensions(loop, index, own) * (2.0f / (density + couLoadEachW(loop->density, index)));
        size = couSelectW(q < 1.0f, size, 0.0f);
        couFloatW pull = size * cohesion * cohesion_shape(couMinW(q, 1.0f)) / r, push = size * area;
        sum.x += pull * d.x - push * (ni.x - n.x);
        sum.y += pull * d.y - push * (ni.y - n.y);
        sum.z += pull * d.z - push * (ni.z - n.z);
    }
    return sum;
}

// Sum over solids of A(r) ~ (-4 q^2 + 6 q - 2)^(1/4) between h/2 and h [Akinci 2013, eq. 7].
static inline couVec3W solid_adhesion(const couSphLoop *loop, size_t i, const couPairList *found, couFloatW inv_h)
{
    couVec3 xi = couXyz(loop->position[i]);
    couVec3W sum = couSet3W((couVec3){0});
    for (int b = found->fluid_blocks; b < found->blocks; ++b) {
        couFloatW volume;
        couVec3W d = couOffsetsW(loop, found->list + b * COU_WIDTH, xi, &volume);
        couFloatW r = distance(loop, d), q = r * inv_h;
        couFloatW inner = 2.0f * (couMaxW(1.0f - q, 0.0f) * couMaxW(2.0f * q - 1.0f, 0.0f));
        couFloatW pull = loop->adhesion * volume * couSqrtW(couSqrtW(inner)) / r;
        sum = couMulAddW(sum, couSelectW(q < 1.0f, pull, 0.0f), d);
    }
    return sum;
}

void COU_WIDE(couSphCohesion)(couSphLoop *loop, size_t begin, size_t end, int block)
{
    size_t wall_row = couWallRow(loop, block);
    couFloatW inv_h = couSetW(1.0f / loop->h);
    for (size_t i = begin; i < end; ++i) {
        couPairList found = couPairs_Of(loop, i);
        float weight = loop->velocity[i].w;
        couVec3 fluid = couScale(weight, couSum3W(fluid_cohesion(loop, i, &found, inv_h))), solid = {0};
        if (found.blocks > found.fluid_blocks && loop->wetting > 0.0f)
            solid = couScale(weight * loop->wetting, couSum3W(solid_adhesion(loop, i, &found, inv_h)));
        loop->out[i] = (couVec4){fluid.x + solid.x, fluid.y + solid.y, fluid.z + solid.z, 0.0f};
        if (loop->walls && found.blocks > found.fluid_blocks)
            loop->walls[wall_row++] = (couVec4){solid.x, solid.y, solid.z, 0.0f};
    }
}
