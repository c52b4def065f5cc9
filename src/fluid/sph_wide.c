// The hot loops of the pressure solvers, eight pairs at a time.
//
// couSphPairs looks at the geometry once a step: densities, gradients (kept as 16-bit numbers in units of a scale), diagonals. Then one
// iteration of any solver is two loops over the kept gradients:
//     residual:  e_i = D_i + dt sum_j G_ij . (v_i - v_j) - 1, from which kappa_i follows
//     push:      v_i -= r_i sum_j (dkappa_i + dkappa_j) G_ij,   r_i = rho_ref / rho_i
// Solids are rows like any other, with a kappa of their own that is 0 [Akinci 2012: the pressure of a wall is its neighbour's].
// Rows of floats instead of 16-bit numbers took as long on two threads and 200 bytes a particle more.

#include "fluid/sph_wide.h"

#define MOST 32767.0f

typedef struct PairSums {
    couFloatW value;   // of f(q), weighted by volume
    couFloatW x, y, z; // of gradients, in units of the scale
    couFloatW squares; // of their squares, weighted by inverse density
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

static inline void add_pairs(const couSphLoop *loop, size_t i, const couPairList *found, int begin, int end, bool is_solid,
                             couKernelKind density_kind, couKernelKind gradient_kind, PairSums *sums)
{
    couVec4 xi = loop->position[i];
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
        couFloatW g = couDivW(couMulW(slope_scale, gradient.slope), r);
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
    return (PairSums){zero, zero, zero, zero, zero};
}

static inline void pairs_range(couSphLoop *loop, size_t begin, size_t end, couKernelKind density_kind, couKernelKind gradient_kind)
{
    for (size_t i = begin; i < end; ++i) {
        couPairList found = couPairs_Of(loop, i);
        PairSums fluid = no_sums(), solid = no_sums();
        add_pairs(loop, i, &found, 0, found.fluid_blocks, false, density_kind, gradient_kind, &fluid);
        add_pairs(loop, i, &found, found.fluid_blocks, found.blocks, true, density_kind, gradient_kind, &solid);
        loop->density[i] = loop->self_density + loop->density_scale * (couSumW(fluid.value) + couSumW(solid.value));
        float a = loop->gradient_scale[0], b = loop->gradient_scale[1];
        couVec3 sum = {a * couSumW(fluid.x) + b * couSumW(solid.x), a * couSumW(fluid.y) + b * couSumW(solid.y),
                       a * couSumW(fluid.z) + b * couSumW(solid.z)};
        float diagonal = loop->velocity[i].w * couDot(sum, sum) + a * a * couSumW(fluid.squares);
        loop->factor[i] = diagonal > 0.0f ? 1.0f / diagonal : 0.0f;
    }
}

void COU_WIDE(couSphPairs)(couSphLoop *loop, size_t begin, size_t end, int block)
{
    (void)block;
    switch (loop->density_kind) {
    case cou_kernelCubic: pairs_range(loop, begin, end, cou_kernelCubic, cou_kernelCubic); break;
    case cou_kernelWendland: pairs_range(loop, begin, end, cou_kernelWendland, cou_kernelWendland); break;
    default: pairs_range(loop, begin, end, cou_kernelPoly6, cou_kernelSpiky);
    }
}

// sum_j G_ij . (v_i - v_j) over some blocks, in units of the scale.
static inline float flow(const couSphLoop *loop, const couPairList *found, int begin, int end, couVec4 vi)
{
    couFloatW x = couSetW(vi.x), y = couSetW(vi.y), z = couSetW(vi.z), sum = couSetW(0.0f);
    for (int b = begin; b < end; ++b) {
        couFloatW vx, vy, vz, unused;
        couLoadRecordsW(loop->velocity, found->list + b * COU_WIDTH, &vx, &vy, &vz, &unused);
        const couPairBlock *pairs = &found->pairs[b];
        sum = couAddW(sum, couDotW(couLoadShortsW(pairs->x), couLoadShortsW(pairs->y), couLoadShortsW(pairs->z), couSubW(x, vx),
                                   couSubW(y, vy), couSubW(z, vz)));
    }
    return couSumW(sum);
}

void COU_WIDE(couSphResidual)(couSphLoop *loop, size_t begin, size_t end, int block)
{
    double sum = 0;
    float dt = loop->dt;
    for (size_t i = begin; i < end; ++i) {
        couPairList found = couPairs_Of(loop, i);
        couVec4 vi = loop->velocity[i];
        float rate = loop->gradient_scale[0] * flow(loop, &found, 0, found.fluid_blocks, vi);
        if (found.blocks > found.fluid_blocks)
            rate += loop->gradient_scale[1] * flow(loop, &found, found.fluid_blocks, found.blocks, vi);
        float error = loop->density[i] - 1.0f + dt * rate;
        // A liquid that is too thin may close up; only what would press it together counts as divergence.
        if (loop->is_divergence) error = loop->is_clamped ? COU_MIN(error, dt * rate) : dt * rate;
        float kappa = loop->pressure[i];
        float change = loop->memory * loop->change[i] + loop->step_size * error * loop->factor[i] / dt;
        if (loop->is_clamped) {
            sum += kappa > 0.0f ? fabsf(error) : COU_MAX(error, 0.0f);
            change = COU_MAX(change, -kappa);
        } else {
            sum += fabsf(error);
        }
        loop->change[i] = change;
        loop->pressure[i] = kappa + change;
    }
    loop->sums[block] = sum;
}

void COU_WIDE(couSphPush)(couSphLoop *loop, size_t begin, size_t end, int block)
{
    (void)block;
    const float *change = loop->change;
    for (size_t i = begin; i < end; ++i) {
        couPairList found = couPairs_Of(loop, i);
        couFloatW own = couSetW(change[i]), x = couSetW(0.0f), y = x, z = x;
        for (int b = 0; b < found.fluid_blocks; ++b) {
            couFloatW both = couAddW(own, couLoadEachW(change, found.list + b * COU_WIDTH));
            if (loop->inverse) both = couMulW(both, couLoadEachW(loop->inverse, found.list + b * COU_WIDTH));
            const couPairBlock *pairs = &found.pairs[b];
            x = couAddW(x, couMulW(both, couLoadShortsW(pairs->x)));
            y = couAddW(y, couMulW(both, couLoadShortsW(pairs->y)));
            z = couAddW(z, couMulW(both, couLoadShortsW(pairs->z)));
        }
        couVec4 *v = &loop->velocity[i];
        float weight = loop->inverse ? v->w * loop->inverse[i] : v->w, scale = weight * loop->gradient_scale[0];
        couVec3 sum = {scale * couSumW(x), scale * couSumW(y), scale * couSumW(z)};
        if (found.blocks > found.fluid_blocks) {
            x = y = z = couSetW(0.0f);
            for (int b = found.fluid_blocks; b < found.blocks; ++b) {
                const couPairBlock *pairs = &found.pairs[b];
                x = couAddW(x, couLoadShortsW(pairs->x));
                y = couAddW(y, couLoadShortsW(pairs->y));
                z = couAddW(z, couLoadShortsW(pairs->z));
            }
            float solid = (loop->inverse ? 2.0f * weight : weight) * loop->gradient_scale[1] * change[i];
            sum = couMulAdd(sum, solid, (couVec3){couSumW(x), couSumW(y), couSumW(z)});
        }
        v->x -= sum.x, v->y -= sum.y, v->z -= sum.z;
    }
}
