// Viscosity and velocity smoothing, eight pairs at a time. Geometry is taken from positions again, since it is needed once a step
// (the implicit solver: once an iteration) and storing it would cost more memory than time.

#include "fluid/sph_wide.h"

// Harmonic mean of both viscosities: that of the flow between two layers.
static couFloatW mixed_viscosity(const couSphLoop *loop, float own, const uint32_t *index)
{
    float each[COU_WIDTH];
    for (int k = 0; k < COU_WIDTH; ++k) {
        float other = index[k] < loop->count ? loop->kinematic[loop->material[index[k]]] : own;
        each[k] = own + other > 0.0f ? 2.0f * own * other / (own + other) : 0.0f;
    }
    return couLoadW(each);
}

// The artificial viscosity is a kinematic one, hence a pair has it times a density: of two liquids the harmonic mean, which the
// lighter one bears as well as its own.
static couFloatW pair_damping(const couSphLoop *loop, size_t i, const uint32_t *index)
{
    if (loop->is_single_density) return couSetW(loop->damping);
    float each[COU_WIDTH], own = loop->velocity[i].w;
    for (int k = 0; k < COU_WIDTH; ++k)
        each[k] = index[k] < loop->count ? 2.0f * loop->damping / (own + loop->velocity[index[k]].w) : 0.0f;
    return couLoadW(each);
}

// How fast the linear flow around a particle draws eight offsets out, times their length.
static inline couFloatW own_flow(const couSphLoop *loop, size_t i, couVec3W d)
{
    couVec3W squares = {d.x * d.x, d.y * d.y, d.z * d.z}, mixed = {d.y * d.z, d.z * d.x, d.x * d.y};
    return couDotW(couSet3W(couXyz(loop->strain[2 * i])), squares) + couDotW(couSet3W(couXyz(loop->strain[2 * i + 1])), mixed);
}

typedef struct EvenSums {
    couFloatW dissipation; // of |G| (x E x)^2 / (r (r^2 + 0.01 h^2))
    couFloatW trace;       // of G . x
} EvenSums;

COU_SPECIALIZED EvenSums add_even(const couSphLoop *loop, size_t i, const couPairList *found, int begin, int end)
{
    couVec3 xi = couXyz(loop->position[i]);
    EvenSums sums = {couSetW(0.0f), couSetW(0.0f)};
    float h2 = loop->h * loop->h;
    for (int b = begin; b < end; ++b) {
        couFloatW unused;
        couVec3W d = couOffsetsW(loop, found->list + b * COU_WIDTH, xi, &unused);
        couFloatW r2 = couMaxW(couDotW(d, d), 1e-12f * h2), stretch = own_flow(loop, i, d);
        couFloatW radial = couDotW(couGradientsW(&found->pairs[b]), d); // |G| r
        couMaskW is_near = r2 < h2;                                     // padding lies too far for squares
        sums.dissipation += couSelectW(is_near, radial / r2 * (stretch / (r2 + 0.01f * h2)) * stretch, 0.0f);
        sums.trace += couSelectW(is_near, radial, 0.0f);
    }
    return sums;
}

// Forces along pairs make of a strain rate E the dissipation (n + 2) nu sum |G| (x E x)^2 / (r (r^2 + 0.01 h^2)), which is 2 nu
// E:E only where neighbours lie evenly in all directions: on a square lattice a shear along it gets two thirds of that, one
// across it more. The share is known, so it is divided out, pair by pair with the mean of both ends: forces stay equal, opposite
// and central. Samples of solids are neighbours here. At a surface there is no whole neighbourhood to compare with, nor stress to
// speak of: there it is 1.
void COU_WIDE(couSphEvenness)(couSphLoop *loop, size_t begin, size_t end, int block)
{
    (void)block;
    float fluid = loop->gradient_scale[0], solid = loop->gradient_scale[1], n = (float)loop->dimension;
    for (size_t i = begin; i < end; ++i) {
        couPairList found = couPairs_Of(loop, i);
        EvenSums inner = add_even(loop, i, &found, 0, found.fluid_blocks),
                 outer = add_even(loop, i, &found, found.fluid_blocks, found.blocks);
        float dissipation = 0.5f * (n + 2.0f) * (fluid * couSumW(inner.dissipation) + solid * couSumW(outer.dissipation));
        float fullness = (fluid * couSumW(inner.trace) + solid * couSumW(outer.trace)) / n;
        couVec4 e = loop->strain[2 * i], f = loop->strain[2 * i + 1];
        float square = e.x * e.x + e.y * e.y + e.z * e.z + 0.5f * (f.x * f.x + f.y * f.y + f.z * f.z);
        float expected = loop->even * square * fullness, trust = COU_CLAMP(5.0f * fullness - 3.5f, 0.0f, 1.0f);
        float share = expected > 0.0f ? COU_CLAMP(dissipation / expected, 0.5f, 2.0f) : 1.0f;
        loop->evenness[i] = 1.0f + trust * (share - 1.0f);
    }
}

// Between fluid particles: 2 (n + 2) nu (v_ij . x_ij) / (r^2 + 0.01 h^2) G_ij [Gagneux 2022, eq. 2.14], and the same with
// alpha c h [Monaghan 1992] for the rough part of the velocities, what differs from the mean around a particle: it calms the
// smallest scales, and a smooth flow, be it a shear or a wave, does not feel it. mueller, whose forces have no energy and feed
// larger eddies as well, has none: there it acts where particles approach.
COU_SPECIALIZED couVec3W fluid_sums(const couSphLoop *loop, size_t i, const couPairList *found, float own, bool is_rough)
{
    couVec3 xi = couXyz(loop->position[i]);
    couVec3W vi = couSet3W(couXyz(loop->in[i])), wi = vi, sum = couSet3W((couVec3){0});
    if (is_rough) wi = couSet3W(couXyz(loop->rough[i]));
    float soft = 0.01f * loop->h * loop->h, own_evenness = loop->evenness ? loop->evenness[i] : 1.0f;
    bool is_damped = loop->damping > 0.0f;
    couFloatW viscous = couSetW(loop->viscous * own);
    for (int b = 0; b < found->fluid_blocks; ++b) {
        const uint32_t *index = found->list + b * COU_WIDTH;
        couFloatW unused;
        couVec3W d = couOffsetsW(loop, index, xi, &unused), dv = couSubW(couLoadVectorsW(loop->in, index), vi);
        if (!loop->is_single_viscosity) viscous = loop->viscous * mixed_viscosity(loop, own, index);
        couFloatW along = couDotW(dv, d), size = viscous * along; // v_ij . x_ij with both signs turned
        if (loop->evenness) size *= 0.5f * (1.0f / own_evenness + 1.0f / couLoadEachW(loop->evenness, index));
        if (is_rough)
            size += pair_damping(loop, i, index) * couDotW(couSubW(couLoadVectorsW(loop->rough, index), wi), d);
        else if (is_damped)
            size += pair_damping(loop, i, index) * couMinW(along, 0.0f);
        sum = couMulAddW(sum, size / (couDotW(d, d) + soft), couGradientsW(&found->pairs[b]));
    }
    return sum;
}

// The same where both viscosities are one number for all pairs: what they act on is blended before.
static inline couVec3W blended_sums(const couSphLoop *loop, size_t i, const couPairList *found)
{
    couVec3 xi = couXyz(loop->position[i]);
    couVec3W own = couSet3W(couXyz(loop->blend[i])), sum = couSet3W((couVec3){0});
    float soft = 0.01f * loop->h * loop->h;
    for (int b = 0; b < found->fluid_blocks; ++b) {
        const uint32_t *index = found->list + b * COU_WIDTH;
        couFloatW unused;
        couVec3W d = couOffsetsW(loop, index, xi, &unused), dv = couSubW(couLoadVectorsW(loop->blend, index), own);
        sum = couMulAddW(sum, couDotW(dv, d) / (couDotW(d, d) + soft), couGradientsW(&found->pairs[b]));
    }
    return sum;
}

static couVec3 fluid_viscosity(const couSphLoop *loop, size_t i, const couPairList *found, float own)
{
    couVec3W sum = loop->blend                           ? blended_sums(loop, i, found)
                   : loop->damping > 0.0f && loop->rough ? fluid_sums(loop, i, found, own, true)
                                                         : fluid_sums(loop, i, found, own, false);
    return couScale(loop->velocity[i].w * loop->gradient_scale[0], couSum3W(sum));
}

// mu sum m_j (v_j - v_i) / rho_j lap W [Müller 2003, eq. 14], lap W ~ h - r in 2D and 3D.
static inline couVec3W mueller_viscosity(const couSphLoop *loop, size_t i, const couPairList *found, float own)
{
    couVec3 xi = couXyz(loop->position[i]);
    couVec3W vi = couSet3W(couXyz(loop->in[i])), sum = couSet3W((couVec3){0});
    float h = loop->h;
    couFloatW viscous = couSetW(own);
    for (int b = 0; b < found->fluid_blocks; ++b) {
        const uint32_t *index = found->list + b * COU_WIDTH;
        couFloatW unused;
        couVec3W d = couOffsetsW(loop, index, xi, &unused), dv = couSubW(couLoadVectorsW(loop->in, index), vi);
        if (!loop->is_single_viscosity) viscous = mixed_viscosity(loop, own, index);
        couFloatW weight = couMaxW(h - couSqrtW(couDotW(d, d)), 0.0f);
        sum = couMulAddW(sum, viscous * weight / couLoadEachW(loop->density, index), dv);
    }
    return sum;
}

// Solids that the liquid sticks to: the velocity of a sample is continued linearly through the wall [Morris 1997], half a spacing
// in front of the first layer. The wall's normal is that of the sum of its gradients.
static inline couVec3W solid_viscosity(const couSphLoop *loop, size_t i, const couPairList *found, float own)
{
    couVec3 xi = couXyz(loop->position[i]);
    couVec3W sum = couSet3W((couVec3){0}), normal = sum;
    for (int b = found->fluid_blocks; b < found->blocks; ++b) normal = couAddW(normal, couGradientsW(&found->pairs[b]));
    couVec3 inwards = couNormalize(couSum3W(normal));
    couVec3W n = couSet3W(inwards), vi = couSet3W(couXyz(loop->in[i]));
    couFloatW nearest = couSetW(loop->h), unused;
    for (int b = found->fluid_blocks; b < found->blocks; ++b) {
        couFloatW height = couDotW(couOffsetsW(loop, found->list + b * COU_WIDTH, xi, &unused), n);
        nearest = couMinW(nearest, couSelectW(height > 0.0f, height, nearest));
    }
    float lanes[COU_WIDTH], lowest = loop->h;
    couStoreW(lanes, nearest);
    for (int k = 0; k < COU_WIDTH; ++k) lowest = COU_MIN(lowest, lanes[k]);
    float gap = COU_MAX(lowest - 0.5f * loop->spacing, 0.25f * loop->spacing); // to the wall

    float soft = 0.01f * loop->h * loop->h, damping = loop->damping / loop->velocity[i].w;
    bool is_rough = loop->damping > 0.0f && loop->rough;
    float towards = is_rough ? couDot(couXyz(loop->rough[i]), inwards) : 0.0f; // what slides along the wall is not damped
    float viscous = loop->wall_viscous * own / (loop->evenness ? loop->evenness[i] : 1.0f), inv_gap = 1.0f / gap;
    for (int b = found->fluid_blocks; b < found->blocks; ++b) {
        const uint32_t *index = found->list + b * COU_WIDTH;
        couVec3W d = couOffsetsW(loop, index, xi, &unused), v = couLoadVectorsW(loop->in, index);
        couFloatW beyond = couMaxW(couMinW(couDotW(d, n) * inv_gap, 4.0f), 1.0f);
        float each[COU_WIDTH];
        for (int k = 0; k < COU_WIDTH; ++k)
            each[k] = index[k] < loop->count + COU_TABLE_PADDING ? 0.0f : loop->velocity[index[k]].w;
        couFloatW stick = couLoadW(each) * beyond;
        if (loop->has_still_solids) v = couSet3W((couVec3){0});
        couVec3W dv = couSubW(v, vi);
        couFloatW along = couDotW(dv, d), rough = along;
        if (is_rough) rough = couDotW(d, n) * -towards;
        couFloatW size = viscous * stick * along + damping * couMinW(rough, 0.0f);
        sum = couMulAddW(sum, size / (couDotW(d, d) + soft), couGradientsW(&found->pairs[b]));
    }
    return sum;
}

void COU_WIDE(couSphViscous)(couSphLoop *loop, size_t begin, size_t end, int block)
{
    size_t wall_row = couWallRow(loop, block);
    for (size_t i = begin; i < end; ++i) {
        couPairList found = couPairs_Of(loop, i);
        float own = loop->is_single_viscosity ? loop->own_kinematic : loop->kinematic[loop->material[i]];
        float weight = loop->velocity[i].w;
        couVec3 fluid;
        if (loop->has_mueller_viscosity) {
            couVec3 damped = {0};
            if (loop->damping > 0.0f) damped = fluid_viscosity(loop, i, &found, 0.0f);
            float scale = weight * loop->viscous * loop->slope_scale / loop->density[i];
            fluid = couMulAdd(damped, scale, couSum3W(mueller_viscosity(loop, i, &found, own)));
        } else {
            fluid = fluid_viscosity(loop, i, &found, own);
        }
        couVec3 solid = {0};
        if (found.blocks > found.fluid_blocks)
            solid = couScale(weight * loop->gradient_scale[1], couSum3W(solid_viscosity(loop, i, &found, own)));
        loop->out[i] = (couVec4){fluid.x + solid.x, fluid.y + solid.y, fluid.z + solid.z, 0.0f};
        if (loop->walls && found.blocks > found.fluid_blocks)
            loop->walls[wall_row++] = (couVec4){solid.x, solid.y, solid.z, 0.0f};
    }
}

COU_SPECIALIZED void smooth_range(couSphLoop *loop, size_t begin, size_t end, couKernelKind kind)
{
    float inv_h = 1.0f / loop->h;
    for (size_t i = begin; i < end; ++i) {
        couPairList found = couPairs_Of(loop, i);
        couVec3 xi = couXyz(loop->position[i]);
        couVec3W vi = couSet3W(couXyz(loop->in[i])), sum = couSet3W((couVec3){0});
        float own = loop->density[i], weight = loop->in[i].w;
        for (int b = 0; b < found.fluid_blocks; ++b) {
            const uint32_t *index = found.list + b * COU_WIDTH;
            couFloatW unused, other;
            couVec3W d = couOffsetsW(loop, index, xi, &unused), v = couLoadRecordsW(loop->in, index, &other);
            couFloatW q = couMinW(couSqrtW(couDotW(d, d)) * inv_h, 1.0f);
            // m_j / (rho_i + rho_j), the true densities: two liquids keep their momentum
            couFloatW both = own * other + couLoadEachW(loop->density, index) * weight;
            sum = couMulAddW(sum, weight * couKernelShapeW(kind, loop->series, q).f / both, couSubW(v, vi));
        }
        couVec3 smoothed = couScale(2.0f * loop->density_scale, couSum3W(sum));
        loop->out[i] = (couVec4){smoothed.x, smoothed.y, smoothed.z, 0.0f};
    }
}

void COU_WIDE(couSphSmooth)(couSphLoop *loop, size_t begin, size_t end, int block)
{
    (void)block;
    switch (loop->density_kind) {
    case cou_kernelCubic: smooth_range(loop, begin, end, cou_kernelCubic); break;
    case cou_kernelWendland: smooth_range(loop, begin, end, cou_kernelWendland); break;
    case cou_kernelKaiser: smooth_range(loop, begin, end, cou_kernelKaiser); break;
    default: smooth_range(loop, begin, end, cou_kernelPoly6);
    }
}
