// The hot loops of the pressure solvers, eight pairs at a time.
//
// couSphPairs looks at the geometry once a step: densities, gradients (kept as 16-bit numbers in units of a scale), diagonals. Then one
// iteration of any solver is two loops over the kept gradients:
//     residual:  e_i = D_i + dt sum_j G_ij . (v_i - v_j) - 1, from which kappa_i follows
//     push:      v_i -= r_i sum_j (dkappa_i + dkappa_j) G_ij,   r_i = rho_ref / rho_i
// Solids are rows like any other, with a kappa of their own that is 0 [Akinci 2012: the pressure of a wall is its neighbour's].
// Tried and dropped: only the size of a gradient per distance, with positions loaded again (a third of the memory less, loops 1.4 times
// as long), and records of two pairs as they lie in memory instead of columns of eight (the same time).

#include "fluid/sph_wide.h"

#define MOST 32767.0f

typedef struct PairSums {
    couFloatW value;   // of f(q), weighted by volume
    couFloatW x, y, z; // of gradients, in units of the scale
    couFloatW squares; // of their squares, weighted by inverse density
    couFloatW closing; // largest speed along a pair
} PairSums;

// Two particles at the same place have no direction: they get one, with the slope of a short distance.
static void part_coincident(const couSphLoop *loop, size_t i, const uint32_t *index, unsigned lanes, float size, float *gx,
                            float *gy, float *gz)
{
    for (; lanes; lanes &= lanes - 1) {
        int lane = __builtin_ctz(lanes);
        couVec3 n = couPartingDirection(loop->dimension, loop->id[i], loop->id[index[lane]]);
        gx[lane] = size * n.x, gy[lane] = size * n.y, gz[lane] = size * n.z;
    }
}

COU_SPECIALIZED void add_pairs(const couSphLoop *loop, size_t i, const couPairList *found, int begin, int end, bool is_solid,
                               couKernelKind density_kind, couKernelKind gradient_kind, PairSums *sums)
{
    couVec4 xi = loop->position[i], vi = loop->velocity[i];
    couFloatW inv_h = couSetW(1.0f / loop->h), one = couSetW(1.0f), most = couSetW(MOST), least = couSetW(-MOST);
    couFloatW touching = couSetW(1e-12f * loop->h * loop->h), far = couSetW(1.0f);
    couFloatW slope_scale = couSetW(-loop->slope_scale / loop->gradient_scale[is_solid]);
    for (int b = begin; b < end; ++b) {
        const uint32_t *index = found->list + b * COU_WIDTH;
        couFloatW volume;
        couOffsetW d = couOffsetsW(loop, index, xi, &volume);
        couFloatW r2 = couDotW(d.x, d.y, d.z, d.x, d.y, d.z);
        unsigned coincident = couBitsW(couLessW(r2, touching));
        couFloatW r = couSqrtW(couMaxW(r2, touching));
        couFloatW q = couMinW(couMulW(r, inv_h), far);
        couShapeW gradient = couKernelShapeW(gradient_kind, q);
        couFloatW value = density_kind == gradient_kind ? gradient.f : couKernelShapeW(density_kind, q).f;
        couFloatW inv_r = couDivW(one, r), g = couMulW(couMulW(slope_scale, gradient.slope), inv_r);
        if (is_solid) value = couMulW(value, volume), g = couMulW(g, volume);
        sums->value = couAddW(sums->value, value);
        couFloatW gx = couRoundW(couMaxW(couMinW(couMulW(g, d.x), most), least));
        couFloatW gy = couRoundW(couMaxW(couMinW(couMulW(g, d.y), most), least));
        couFloatW gz = couRoundW(couMaxW(couMinW(couMulW(g, d.z), most), least));
        if (coincident && !is_solid) {
            float x[COU_WIDTH], y[COU_WIDTH], z[COU_WIDTH];
            couStoreW(x, gx), couStoreW(y, gy), couStoreW(z, gz);
            part_coincident(loop, i, index, coincident, -0.5f * MOST, x, y, z);
            gx = couRoundW(couLoadW(x)), gy = couRoundW(couLoadW(y)), gz = couRoundW(couLoadW(z));
        }
        couPairBlock *pairs = &found->pairs[b];
        couStoreShortsW(pairs->x, gx), couStoreShortsW(pairs->y, gy), couStoreShortsW(pairs->z, gz);
        sums->x = couAddW(sums->x, gx), sums->y = couAddW(sums->y, gy), sums->z = couAddW(sums->z, gz);
        if (is_solid) continue;
        couFloatW vx, vy, vz, unused;
        couLoadRecordsW(loop->velocity, index, &vx, &vy, &vz, &unused);
        couFloatW along = couDotW(d.x, d.y, d.z, couSubW(vx, couSetW(vi.x)), couSubW(vy, couSetW(vi.y)),
                                  couSubW(vz, couSetW(vi.z)));
        couFloatW speed = couSelectW(couLessW(q, one), couMulW(along, inv_r), couSetW(0.0f)); // padding is far away
        sums->closing = couMaxW(sums->closing, couMaxW(speed, couSubW(couSetW(0.0f), speed)));
        couFloatW inv_density = one;
        if (!loop->is_single_density) {
            float each[COU_WIDTH];
            for (int k = 0; k < COU_WIDTH; ++k) each[k] = loop->velocity[index[k]].w;
            inv_density = couLoadW(each);
        }
        sums->squares = couAddW(sums->squares, couMulW(inv_density, couDotW(gx, gy, gz, gx, gy, gz)));
    }
}

static inline PairSums no_sums(void)
{
    couFloatW zero = couSetW(0.0f);
    return (PairSums){zero, zero, zero, zero, zero, zero};
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
        couVec3 sum = {a * couSumW(fluid.x) + b * couSumW(solid.x), a * couSumW(fluid.y) + b * couSumW(solid.y),
                       a * couSumW(fluid.z) + b * couSumW(solid.z)};
        float closing[COU_WIDTH];
        couStoreW(closing, fluid.closing);
        for (int k = 0; k < COU_WIDTH; ++k) fastest = COU_MAX(fastest, closing[k]);
        if (found.blocks > found.fluid_blocks) {
            couVec3 gradient = {couSumW(solid.x), couSumW(solid.y), couSumW(solid.z)};
            fastest = COU_MAX(fastest, wall_speed(loop, i, &found, gradient));
        }
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
    couFloatW x = couSetW(vi.x), y = couSetW(vi.y), z = couSetW(vi.z), zero = couSetW(0.0f), sx = zero, sy = zero, sz = zero;
    for (int b = 0; b < blocks; ++b, list += COU_WIDTH) {
        couFloatW vx, vy, vz, unused;
        couLoadRecordsW(v, list, &vx, &vy, &vz, &unused);
        sx = couAddW(sx, couMulW(couLoadShortsW(pairs[b].x), couSubW(x, vx)));
        sy = couAddW(sy, couMulW(couLoadShortsW(pairs[b].y), couSubW(y, vy)));
        sz = couAddW(sz, couMulW(couLoadShortsW(pairs[b].z), couSubW(z, vz)));
    }
    return couSumW(couAddW(couAddW(sx, sy), sz));
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

typedef struct PushSums {
    couFloatW x, y, z;
} PushSums;

// sum_j weight_j G_ij over some blocks, in units of the scale. Of solids the weight is 1.
COU_SPECIALIZED PushSums push_sums(const couSphLoop *loop, const uint32_t *restrict list, const couPairBlock *restrict pairs,
                                   int blocks, float change, bool is_solid)
{
    couFloatW own = couSetW(change), zero = couSetW(0.0f);
    PushSums sums = {zero, zero, zero};
    for (int b = 0; b < blocks; ++b, list += COU_WIDTH) {
        couFloatW x = couLoadShortsW(pairs[b].x), y = couLoadShortsW(pairs[b].y), z = couLoadShortsW(pairs[b].z);
        if (!is_solid) {
            couFloatW both = couAddW(own, couLoadEachW(loop->change, list));
            if (loop->inverse) both = couMulW(both, couLoadEachW(loop->inverse, list));
            x = couMulW(both, x), y = couMulW(both, y), z = couMulW(both, z);
        }
        sums.x = couAddW(sums.x, x), sums.y = couAddW(sums.y, y), sums.z = couAddW(sums.z, z);
    }
    return sums;
}

void COU_WIDE(couSphPush)(couSphLoop *loop, size_t begin, size_t end, int block)
{
    (void)block;
    const couSphLoop now = *loop;
    for (size_t i = begin; i < end; ++i) {
        couPairList found = couPairs_Of(&now, i);
        PushSums sums = push_sums(&now, found.list, found.pairs, found.fluid_blocks, now.change[i], false);
        couVec4 *v = &now.velocity[i];
        float weight = now.inverse ? v->w * now.inverse[i] : v->w, scale = weight * now.gradient_scale[0];
        couVec3 sum = {scale * couSumW(sums.x), scale * couSumW(sums.y), scale * couSumW(sums.z)};
        if (found.blocks > found.fluid_blocks) {
            sums = push_sums(&now, found.list, found.pairs + found.fluid_blocks, found.blocks - found.fluid_blocks, 0.0f, true);
            // Half of a mean: a wall has the particle's own pressure.
            float wall = weight * now.gradient_scale[1] * (now.inverse ? 2.0f * now.change[i] : now.change[i]);
            sum = couMulAdd(sum, wall, (couVec3){couSumW(sums.x), couSumW(sums.y), couSumW(sums.z)});
        }
        v->x -= sum.x, v->y -= sum.y, v->z -= sum.z;
    }
}
