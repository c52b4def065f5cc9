// The hot loops of the pressure solvers, eight pairs at a time.
//
// couSphPairs looks at the geometry once a step: densities, gradients (kept as 16-bit numbers in units of a scale), diagonals.
// Then one iteration of any solver is two loops over the kept gradients:
//     residual:  e_i = D_i + dt sum_j G_ij . (v_i - v_j) - 1, from which kappa_i follows
//     push:      v_i -= r_i sum_j (dkappa_i + dkappa_j) G_ij,   r_i = rho_ref / rho_i
// Solids are rows like any other, with a kappa of their own that is 0 [Akinci 2012: the pressure of a wall is its neighbour's].
// Tried and dropped: only the size of a gradient per distance, with positions loaded again (a third of the memory less, loops 1.4
// times as long), and records of two pairs as they lie in memory instead of columns of eight (the same time).

#include "fluid/sph_wide.h"

#define MOST 32767.0f

typedef struct PairSums {
    couFloatW value;   // of f(q), weighted by volume
    couVec3W gradient; // of gradients, in units of the scale
    couFloatW squares; // of their squares, weighted by inverse density
    couFloatW closing; // largest speed along a pair
} PairSums;

// Two particles at the same place have no direction: they get one, with the slope of a short distance.
static void part_coincident(const couSphLoop *loop, size_t i, const uint32_t *index, unsigned lanes, float size,
                            float g[3][COU_WIDTH])
{
    for (; lanes; lanes &= lanes - 1) {
        int lane = __builtin_ctz(lanes);
        couVec3 n = couPartingDirection(loop->dimension, loop->id[i], loop->id[index[lane]]);
        g[0][lane] = size * n.x, g[1][lane] = size * n.y, g[2][lane] = size * n.z;
    }
}

static inline couFloatW to_short(couFloatW a) { return couRoundW(couMaxW(couMinW(a, MOST), -MOST)); }

COU_SPECIALIZED void add_pairs(const couSphLoop *loop, size_t i, const couPairList *found, int begin, int end, bool is_solid,
                               couKernelKind density_kind, couKernelKind gradient_kind, PairSums *sums)
{
    couVec3 xi = couXyz(loop->position[i]);
    couVec3W vi = couSet3W(couXyz(loop->velocity[i]));
    float inv_h = 1.0f / loop->h, touching = 1e-12f * loop->h * loop->h;
    float slope_scale = -loop->slope_scale / loop->gradient_scale[is_solid];
    for (int b = begin; b < end; ++b) {
        const uint32_t *index = found->list + b * COU_WIDTH;
        couFloatW volume;
        couVec3W d = couOffsetsW(loop, index, xi, &volume);
        couFloatW r2 = couDotW(d, d), r = couSqrtW(couMaxW(r2, touching));
        unsigned coincident = couBitsW(r2 < touching);
        couFloatW q = couMinW(r * inv_h, 1.0f);
        couShapeW gradient = couKernelShapeW(gradient_kind, q);
        couFloatW value = density_kind == gradient_kind ? gradient.f : couKernelShapeW(density_kind, q).f;
        couFloatW inv_r = 1.0f / r, size = slope_scale * gradient.slope * inv_r;
        if (is_solid) value *= volume, size *= volume;
        sums->value += value;
        couVec3W g = {to_short(size * d.x), to_short(size * d.y), to_short(size * d.z)};
        if (coincident && !is_solid) {
            float parts[3][COU_WIDTH];
            couStore3W(parts, g);
            part_coincident(loop, i, index, coincident, -0.5f * MOST, parts);
            g = (couVec3W){couRoundW(couLoadW(parts[0])), couRoundW(couLoadW(parts[1])), couRoundW(couLoadW(parts[2]))};
        }
        couPairBlock *pairs = &found->pairs[b];
        couStoreShortsW(pairs->x, g.x), couStoreShortsW(pairs->y, g.y), couStoreShortsW(pairs->z, g.z);
        sums->gradient = couAddW(sums->gradient, g);
        if (is_solid) continue;
        couFloatW along = couDotW(d, couSubW(couLoadVectorsW(loop->velocity, index), vi));
        couFloatW speed = couSelectW(q < 1.0f, along * inv_r, 0.0f); // padding is far away
        sums->closing = couMaxW(sums->closing, couMaxW(speed, 0.0f - speed));
        couFloatW inv_density = couSetW(1.0f);
        if (!loop->is_single_density) {
            float each[COU_WIDTH];
            for (int k = 0; k < COU_WIDTH; ++k) each[k] = loop->velocity[index[k]].w;
            inv_density = couLoadW(each);
        }
        sums->squares += inv_density * couDotW(g, g);
    }
}

static inline PairSums no_sums(void)
{
    couFloatW zero = couSetW(0.0f);
    return (PairSums){zero, {zero, zero, zero}, zero, zero};
}

// Towards a wall only the speed along its normal counts: that of the sum of its gradients.
static float wall_speed(const couSphLoop *loop, size_t i, const couPairList *found, couVec3 gradient)
{
    couVec4 vi = loop->velocity[i], wall = loop->velocity[found->list[found->fluid_blocks * COU_WIDTH]];
    return fabsf(couDot(couNormalize(gradient), couSub(couXyz(vi), couXyz(wall))));
}

COU_SPECIALIZED void pairs_range(couSphLoop *loop, size_t begin, size_t end, int block, couKernelKind density_kind,
                                 couKernelKind gradient_kind)
{
    float fastest = 0.0f;
    for (size_t i = begin; i < end; ++i) {
        couPairList found = couPairs_Of(loop, i);
        PairSums fluid = no_sums(), solid = no_sums();
        add_pairs(loop, i, &found, 0, found.fluid_blocks, false, density_kind, gradient_kind, &fluid);
        add_pairs(loop, i, &found, found.fluid_blocks, found.blocks, true, density_kind, gradient_kind, &solid);
        loop->density[i] = loop->self_density + loop->density_scale * (couSumW(fluid.value) + couSumW(solid.value));
        float a = loop->gradient_scale[0], b = loop->gradient_scale[1];
        couVec3 wall = couSum3W(solid.gradient), sum = couMulAdd(couScale(a, couSum3W(fluid.gradient)), b, wall);
        float closing[COU_WIDTH];
        couStoreW(closing, fluid.closing);
        for (int k = 0; k < COU_WIDTH; ++k) fastest = COU_MAX(fastest, closing[k]);
        if (found.blocks > found.fluid_blocks) fastest = COU_MAX(fastest, wall_speed(loop, i, &found, wall));
        float diagonal = loop->velocity[i].w * couDot(sum, sum) + a * a * couSumW(fluid.squares);
        loop->factor[i] = diagonal > 0.0f ? 1.0f / diagonal : 0.0f;
    }
    loop->sums[block] = fastest;
}

void COU_WIDE(couSphPairs)(couSphLoop *loop, size_t begin, size_t end, int block)
{
    switch (loop->density_kind) {
    case cou_kernelCubic: pairs_range(loop, begin, end, block, cou_kernelCubic, cou_kernelCubic); break;
    case cou_kernelWendland: pairs_range(loop, begin, end, block, cou_kernelWendland, cou_kernelWendland); break;
    default: pairs_range(loop, begin, end, block, cou_kernelPoly6, cou_kernelSpiky);
    }
}

// sum_j G_ij . (v_i - v_j) over some blocks, in units of the scale.
COU_SPECIALIZED float flow(const couVec4 *restrict v, const uint32_t *restrict list, const couPairBlock *restrict pairs,
                           int blocks, couVec4 vi)
{
    couVec3W own = couSet3W(couXyz(vi)), sum = couSet3W((couVec3){0});
    for (int b = 0; b < blocks; ++b, list += COU_WIDTH) {
        couVec3W g = couGradientsW(&pairs[b]), dv = couSubW(own, couLoadVectorsW(v, list));
        sum.x += g.x * dv.x;
        sum.y += g.y * dv.y;
        sum.z += g.z * dv.z;
    }
    return couSumW(sum.x + sum.y + sum.z);
}

void COU_WIDE(couSphResidual)(couSphLoop *loop, size_t begin, size_t end, int block)
{
    const couSphLoop now = *loop; // a copy that no store can change
    double sum = 0;
    float dt = now.dt, step_size = now.step_size / dt;
    for (size_t i = begin; i < end; ++i) {
        couPairList found = couPairs_Of(&now, i);
        couVec4 vi = now.velocity[i];
        float rate = now.gradient_scale[0] * flow(now.velocity, found.list, found.pairs, found.fluid_blocks, vi);
        if (found.blocks > found.fluid_blocks)
            rate += now.gradient_scale[1] * flow(now.velocity, found.list + found.fluid_blocks * COU_WIDTH,
                                                 found.pairs + found.fluid_blocks, found.blocks - found.fluid_blocks, vi);
        float error = now.density[i] - 1.0f + dt * rate;
        // A liquid that is too thin may close up; only what would press it together counts as divergence.
        if (now.is_divergence) error = now.is_clamped ? COU_MIN(error, dt * rate) : dt * rate;
        float kappa = now.pressure[i];
        float change = now.memory * now.change[i] + step_size * error * now.factor[i];
        if (now.is_clamped) {
            sum += kappa > 0.0f ? fabsf(error) : COU_MAX(error, 0.0f);
            change = COU_MAX(change, -kappa);
        } else {
            sum += fabsf(error);
        }
        now.change[i] = change;
        now.pressure[i] = kappa + change;
    }
    loop->sums[block] = sum;
}

// sum_j weight_j G_ij over some blocks, in units of the scale. Of solids the weight is 1.
COU_SPECIALIZED couVec3W push_sums(const couSphLoop *loop, const uint32_t *restrict list, const couPairBlock *restrict pairs,
                                   int blocks, float change, bool is_solid)
{
    couVec3W sum = couSet3W((couVec3){0});
    for (int b = 0; b < blocks; ++b, list += COU_WIDTH) {
        couVec3W g = couGradientsW(&pairs[b]);
        if (!is_solid) {
            couFloatW both = change + couLoadEachW(loop->change, list);
            if (loop->inverse) both *= couLoadEachW(loop->inverse, list);
            g = couScaleW(both, g);
        }
        sum = couAddW(sum, g);
    }
    return sum;
}

void COU_WIDE(couSphPush)(couSphLoop *loop, size_t begin, size_t end, int block)
{
    (void)block;
    const couSphLoop now = *loop;
    for (size_t i = begin; i < end; ++i) {
        couPairList found = couPairs_Of(&now, i);
        couVec3W sums = push_sums(&now, found.list, found.pairs, found.fluid_blocks, now.change[i], false);
        couVec4 *v = &now.velocity[i];
        float weight = now.inverse ? v->w * now.inverse[i] : v->w, scale = weight * now.gradient_scale[0];
        couVec3 sum = couScale(scale, couSum3W(sums));
        if (found.blocks > found.fluid_blocks) {
            sums = push_sums(&now, found.list, found.pairs + found.fluid_blocks, found.blocks - found.fluid_blocks, 0.0f, true);
            // Half of a mean: a wall has the particle's own pressure.
            float wall = weight * now.gradient_scale[1] * (now.inverse ? 2.0f * now.change[i] : now.change[i]);
            sum = couMulAdd(sum, wall, couSum3W(sums));
        }
        v->x -= sum.x, v->y -= sum.y, v->z -= sum.z;
    }
}
