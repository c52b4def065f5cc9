// The hot loops of the pressure solvers, eight pairs at a time.
//
// couSphPairs looks at the geometry once a step: densities, gradients (kept as 16-bit numbers in units of a scale), diagonals.
// Then one iteration of any solver is two loops over the kept gradients:
//     residual:  e_i = theta (D_i - 1) + dt sum_j G_ij . (v_i - v_j), from which a change of kappa follows
//     response:  r_i sum_j (dkappa_i + dkappa_j) G_ij, which is taken from v_i;   r_i = rho_ref / rho_i
// Solids are rows like any other; what kappa they have wall_pressure.h says.
// Tried and dropped: only the size of a gradient per distance, with positions loaded again (a third of the memory less, loops 1.4
// times as long), and records of two pairs as they lie in memory instead of columns of eight (the same time).

#include "fluid/sph_wide.h"

#include "base/wide_double.h"

#define MOST 32767.0f

typedef struct PairSums {
    couFloatW value;      // of f(q), weighted by volume
    couVec3W gradient;    // of gradients, in units of the scale
    couFloatW squares;    // of their squares, weighted by inverse density
    couFloatW closing;    // square of the largest speed along a pair
    couVec3W rough;       // of relative velocities, weighted by f(q)
    couFloatW stretch[6]; // of gradient times offset: xx, yy, zz, yz, zx, xy
    couVec3W flow[3];     // of gradient times relative velocity: rows of x, y and z of the gradient
} PairSums;

// The strain rate of the flow around a particle: the symmetric part of M^-1 F, which is that of any linear flow exactly. Where
// neighbours are few or in a plane there is none: 0.
static void write_strain(const couSphLoop *loop, size_t i, const PairSums *sums)
{
    float m[6], f[3][3], scale = loop->gradient_scale[0];
    for (int k = 0; k < 6; ++k) m[k] = scale * couSumW(sums->stretch[k]);
    for (int a = 0; a < 3; ++a) {
        couVec3 row = couScale(scale, couSum3W(sums->flow[a]));
        f[a][0] = row.x, f[a][1] = row.y, f[a][2] = row.z;
    }
    if (loop->dimension == 2) m[2] = 1.0f;
    float c[6] = {m[1] * m[2] - m[3] * m[3], m[0] * m[2] - m[4] * m[4], m[0] * m[1] - m[5] * m[5],
                  m[4] * m[5] - m[0] * m[3], m[3] * m[5] - m[1] * m[4], m[3] * m[4] - m[2] * m[5]}; // cofactors
    float determinant = m[0] * c[0] + m[5] * c[5] + m[4] * c[4];
    float inv = determinant > 0.05f ? 1.0f / determinant : 0.0f;
    float l[3][3];
    for (int b = 0; b < 3; ++b) {
        l[0][b] = inv * (c[0] * f[0][b] + c[5] * f[1][b] + c[4] * f[2][b]);
        l[1][b] = inv * (c[5] * f[0][b] + c[1] * f[1][b] + c[3] * f[2][b]);
        l[2][b] = inv * (c[4] * f[0][b] + c[3] * f[1][b] + c[2] * f[2][b]);
    }
    loop->strain[2 * i] = (couVec4){l[0][0], l[1][1], l[2][2], 0.0f};
    loop->strain[2 * i + 1] = (couVec4){l[1][2] + l[2][1], l[2][0] + l[0][2], l[0][1] + l[1][0], 0.0f}; // twice
}

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

// Shapes of some blocks of a list. A shape is a long chain of operations, so those of several blocks are found before the rest is
// done with any: the processor then works at all of them at once (with kaiser's root gone, a tenth of the phase).
enum { STAGE = 8 };
typedef struct Stage {
    couVec3W offset[STAGE];
    couFloatW square[STAGE]; // of the distance
    couFloatW value[STAGE];  // f(q), weighted by volume
    couFloatW size[STAGE];   // of the gradient over the offset, in units of the scale
} Stage;

COU_SPECIALIZED void find_shapes(const couSphLoop *loop, couVec3 xi, const uint32_t *list, int blocks, bool is_solid,
                                 couKernelKind density_kind, couKernelKind gradient_kind, Stage *stage)
{
    float inv_h2 = 1.0f / (loop->h * loop->h), touching = 1e-12f * loop->h * loop->h;
    float slope_scale = -loop->slope_scale / (loop->h * loop->gradient_scale[is_solid]);
    for (int b = 0; b < blocks; ++b) {
        couFloatW volume;
        couVec3W d = couOffsetsW(loop, list + b * COU_WIDTH, xi, &volume);
        couFloatW r2 = couDotW(d, d), q2 = couMaxW(r2, touching) * inv_h2;
        couShapeW shape = couSquareShapeW(gradient_kind, loop->series, q2);
        couFloatW value = density_kind == gradient_kind ? shape.f : couSquareShapeW(density_kind, loop->series, q2).f;
        couFloatW size = slope_scale * shape.slope;
        if (is_solid) value *= volume, size *= volume;
        stage->offset[b] = d, stage->square[b] = r2, stage->value[b] = value, stage->size[b] = size;
    }
}

// Rounds a block's gradients, and keeps them.
COU_SPECIALIZED couVec3W keep_gradients(const couSphLoop *loop, size_t i, const uint32_t *index, const Stage *stage, int b,
                                        bool is_solid, couPairBlock *pairs)
{
    couVec3W d = stage->offset[b];
    couFloatW size = stage->size[b];
    couVec3W g = {to_short(size * d.x), to_short(size * d.y), to_short(size * d.z)};
    unsigned coincident = couBitsW(stage->square[b] < 1e-12f * loop->h * loop->h);
    if (coincident && !is_solid) {
        float parts[3][COU_WIDTH];
        couStore3W(parts, g);
        part_coincident(loop, i, index, coincident, -0.5f * MOST, parts);
        g = (couVec3W){couRoundW(couLoadW(parts[0])), couRoundW(couLoadW(parts[1])), couRoundW(couLoadW(parts[2]))};
    }
    couStoreShortsW(pairs->x, g.x), couStoreShortsW(pairs->y, g.y), couStoreShortsW(pairs->z, g.z);
    return g;
}

COU_SPECIALIZED void add_strain(couVec3W g, couVec3W d, couVec3W dv, couMaskW is_near, PairSums *sums)
{
    couVec3W near = {couSelectW(is_near, d.x, 0.0f), couSelectW(is_near, d.y, 0.0f), couSelectW(is_near, d.z, 0.0f)};
    sums->stretch[0] += g.x * near.x, sums->stretch[1] += g.y * near.y, sums->stretch[2] += g.z * near.z;
    sums->stretch[3] += g.y * near.z, sums->stretch[4] += g.z * near.x, sums->stretch[5] += g.x * near.y;
    sums->flow[0] = couMulAddW(sums->flow[0], g.x, dv);
    sums->flow[1] = couMulAddW(sums->flow[1], g.y, dv);
    sums->flow[2] = couMulAddW(sums->flow[2], g.z, dv);
}

COU_SPECIALIZED void add_pairs(const couSphLoop *loop, size_t i, const couPairList *found, int begin, int end, bool is_solid,
                               bool has_rough, bool has_strain, couKernelKind density_kind, couKernelKind gradient_kind,
                               PairSums *sums)
{
    couVec3W vi = couSet3W(couXyz(loop->velocity[i]));
    float h2 = loop->h * loop->h, touching = 1e-12f * h2;
    for (int first = begin; first < end; first += STAGE) {
        const uint32_t *index = found->list + first * COU_WIDTH;
        int blocks = COU_MIN(end - first, STAGE);
        Stage stage;
        find_shapes(loop, couXyz(loop->position[i]), index, blocks, is_solid, density_kind, gradient_kind, &stage);
        for (int b = 0; b < blocks; ++b, index += COU_WIDTH) {
            couVec3W g = keep_gradients(loop, i, index, &stage, b, is_solid, &found->pairs[first + b]), d = stage.offset[b];
            couFloatW value = stage.value[b], r2 = stage.square[b];
            sums->value += value;
            sums->gradient = couAddW(sums->gradient, g);
            if (is_solid) continue;
            couVec3W dv = couSubW(couLoadVectorsW(loop->velocity, index), vi);
            couFloatW along = couDotW(d, dv);
            couMaskW is_near = r2 < h2; // padding is far away
            if (has_rough) sums->rough = couMulAddW(sums->rough, value, dv);
            if (has_strain) add_strain(g, d, dv, is_near, sums);
            sums->closing = couMaxW(sums->closing, couSelectW(is_near, along * along / couMaxW(r2, touching), 0.0f));
            couFloatW inv_density = couSetW(1.0f);
            if (!loop->is_single_density) {
                float each[COU_WIDTH];
                for (int k = 0; k < COU_WIDTH; ++k) each[k] = loop->velocity[index[k]].w;
                inv_density = couLoadW(each);
            }
            sums->squares += inv_density * couDotW(g, g);
        }
    }
}

static inline PairSums no_sums(void)
{
    couFloatW zero = couSetW(0.0f);
    PairSums sums = {.value = zero, .gradient = {zero, zero, zero}, .squares = zero, .closing = zero};
    for (int k = 0; k < 6; ++k) sums.stretch[k] = zero;
    for (int k = 0; k < 3; ++k) sums.flow[k] = sums.gradient;
    sums.rough = sums.gradient;
    return sums;
}

// Towards a wall only the speed along its normal counts: that of the sum of its gradients.
static float wall_speed(const couSphLoop *loop, size_t i, const couPairList *found, couVec3 gradient)
{
    couVec4 vi = loop->velocity[i], wall = loop->velocity[found->list[found->fluid_blocks * COU_WIDTH]];
    return fabsf(couDot(couNormalize(gradient), couSub(couXyz(vi), couXyz(wall))));
}

COU_SPECIALIZED void pairs_range(couSphLoop *loop, size_t begin, size_t end, int block, bool has_rough, bool has_strain,
                                 couKernelKind density_kind, couKernelKind gradient_kind)
{
    float fastest = 0.0f, fastest2 = 0.0f, steep = COU_OPEN_GRADIENT / loop->spacing, open = 0.0f, lanes[COU_WIDTH];
    couFloatW closing = couSetW(0.0f);
    for (size_t i = begin; i < end; ++i) {
        couPairList found = couPairs_Of(loop, i);
        PairSums fluid = no_sums(), solid = no_sums();
        add_pairs(loop, i, &found, 0, found.fluid_blocks, false, has_rough, has_strain, density_kind, gradient_kind, &fluid);
        add_pairs(loop, i, &found, found.fluid_blocks, found.blocks, true, false, false, density_kind, gradient_kind, &solid);
        loop->density[i] = loop->self_density + loop->density_scale * (couSumW(fluid.value) + couSumW(solid.value));
        float a = loop->gradient_scale[0], b = loop->gradient_scale[1];
        couVec3 wall = couSum3W(solid.gradient), sum = couMulAdd(couScale(a, couSum3W(fluid.gradient)), b, wall);
        closing = couMaxW(closing, fluid.closing);
        if (found.blocks > found.fluid_blocks) fastest = COU_MAX(fastest, wall_speed(loop, i, &found, wall));
        float steep2 = couDot(sum, sum), diagonal = loop->velocity[i].w * steep2 + a * a * couSumW(fluid.squares);
        open += steep2 > steep * steep || loop->density[i] < COU_OPEN_DENSITY;
        loop->factor[i] = diagonal > 0.0f ? 1.0f / diagonal : 0.0f;
        float liquid = loop->density_scale * couSumW(fluid.value);
        loop->kept[i] = loop->density[i] + couSurfaceLack(loop, steep2, loop->density[i], liquid);
        if (has_rough) { // its velocity less the mean around it
            couVec3 mean = couScale(-1.0f / (1.0f + couSumW(fluid.value)), couSum3W(fluid.rough)); // f(0) = 1: itself
            loop->rough[i] = (couVec4){mean.x, mean.y, mean.z, 0.0f};
        }
        if (has_strain) write_strain(loop, i, &fluid);
    }
    couStoreW(lanes, closing);
    for (int k = 0; k < COU_WIDTH; ++k) fastest2 = COU_MAX(fastest2, lanes[k]);
    loop->sums[2 * block] = COU_MAX(fastest, sqrtf(fastest2)), loop->sums[2 * block + 1] = open;
}

void COU_WIDE(couSphPairs)(couSphLoop *loop, size_t begin, size_t end, int block)
{
    bool has_rough = loop->rough, has_strain = loop->strain;
    bool is_usual = has_rough && !has_strain;
    switch (loop->density_kind) {
    case cou_kernelCubic:
        if (is_usual)
            pairs_range(loop, begin, end, block, true, false, cou_kernelCubic, cou_kernelCubic);
        else
            pairs_range(loop, begin, end, block, has_rough, has_strain, cou_kernelCubic, cou_kernelCubic);
        break;
    case cou_kernelWendland:
        pairs_range(loop, begin, end, block, has_rough, has_strain, cou_kernelWendland, cou_kernelWendland);
        break;
    case cou_kernelKaiser:
        if (is_usual)
            pairs_range(loop, begin, end, block, true, false, cou_kernelKaiser, cou_kernelKaiser);
        else
            pairs_range(loop, begin, end, block, has_rough, has_strain, cou_kernelKaiser, cou_kernelKaiser);
        break;
    default: pairs_range(loop, begin, end, block, has_rough, has_strain, cou_kernelPoly6, cou_kernelSpiky);
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

// What is asked of samples, as far as it is this particle's share.
static inline float asked(const couSphLoop *loop, const couPairList *found)
{
    couFloatW sum = couSetW(0.0f);
    for (int b = found->fluid_blocks; b < found->blocks; ++b) {
        couVec3W g = couGradientsW(&found->pairs[b]);
        sum += couDotW(g, g) * couLoadWallsW(loop, loop->walls_own->ask, found->list + b * COU_WIDTH);
    }
    return couSumW(sum);
}

// How fast the density of a particle changes, of its samples as far as it is its share.
COU_SPECIALIZED float density_rate(const couSphLoop *now, size_t i)
{
    couPairList found = couPairs_Of(now, i);
    couVec4 vi = now->velocity[i];
    float rate = now->gradient_scale[0] * flow(now->velocity, found.list, found.pairs, found.fluid_blocks, vi);
    if (found.blocks > found.fluid_blocks) {
        rate += now->gradient_scale[1] * flow(now->velocity, found.list + found.fluid_blocks * COU_WIDTH,
                                              found.pairs + found.fluid_blocks, found.blocks - found.fluid_blocks, vi);
        if (now->walls_own) rate += asked(now, &found);
    }
    return rate;
}

// Eight particles together: what errors are above and below 0 is as good as random, and branches on it took a third of the time.
void COU_WIDE(couSphResidual)(couSphLoop *loop, size_t begin, size_t end, int block)
{
    const couSphLoop now = *loop; // a copy that no store can change
    const couFloatW place = {0, 1, 2, 3, 4, 5, 6, 7};
    couLaneSums sums[4] = {0};
    float dt = now.dt;
    for (size_t first = begin; first < end; first += COU_WIDTH) {
        size_t lanes = COU_MIN(end - first, (size_t)COU_WIDTH);
        float rates[COU_WIDTH] = {0};
        for (size_t k = 0; k < lanes; ++k) rates[k] = density_rate(&now, first + k);
        couFloatW excess = couLoadW(now.kept + first) - 1.0f, change = dt * couLoadW(rates);
        couFloatW wanted = couMinW(now.density_share * excess, now.most_corrected); // what is thin may close up at once
        if (!now.is_clamped) wanted = couMaxW(wanted, -now.most_corrected);
        couFloatW error = wanted + change;
        // A liquid that is too thin may close up; only what would press it together counts as divergence.
        if (now.is_divergence) error = now.is_clamped ? couMinW(excess + change, change) : change;
        couFloatW factor = couLoadW(now.factor + first), below = 0.0f - error, above = excess + change;
        if (now.is_clamped) { // what its own pressure holds up
            couFloatW slack = couSelectW(factor > 0.0f, dt * couLoadW(now.pressure + first) / factor, 0.0f);
            below = couMinW(below, slack);
        }
        if (lanes < COU_WIDTH) { // nobody is there
            couMaskW is_there = place < (float)lanes;
            error = couSelectW(is_there, error, 0.0f), below = couSelectW(is_there, below, 0.0f);
            above = couSelectW(is_there, above, 0.0f);
            memcpy(now.residual + first, &error, lanes * sizeof *now.residual);
        } else {
            couStoreW(now.residual + first, error);
        }
        couAddLanes(&sums[0], couMaxW(error, 0.0f)), couAddLanes(&sums[1], couMaxW(below, 0.0f));
        couAddLanes(&sums[2], couMaxW(above, 0.0f)), couAddLanes(&sums[3], error);
    }
    for (int k = 0; k < 4; ++k) loop->sums[4 * block + k] = couAllLanes(sums[k]);
}

// sum_j weight_j G_ij over some blocks, in units of the scale. Of solids without pressures of their own the weight is 1.
COU_SPECIALIZED couVec3W push_sums(const couSphLoop *loop, const uint32_t *restrict list, const couPairBlock *restrict pairs,
                                   int blocks, float change, bool is_solid, bool has_own)
{
    couVec3W sum = couSet3W((couVec3){0});
    for (int b = 0; b < blocks; ++b, list += COU_WIDTH) {
        couVec3W g = couGradientsW(&pairs[b]);
        if (!is_solid) {
            couFloatW both = change + couLoadEachW(loop->change, list);
            if (loop->inverse) both *= couLoadEachW(loop->inverse, list);
            g = couScaleW(both, g);
        } else if (has_own) {
            g = couScaleW(change + couLoadWallsW(loop, loop->walls_own->kappa, list), g);
        }
        sum = couAddW(sum, g);
    }
    return sum;
}

// What the changes of kappa do to a particle's velocity, turned.
COU_SPECIALIZED couVec3 push_of(const couSphLoop *now, size_t i)
{
    couPairList found = couPairs_Of(now, i);
    couVec3W sums = push_sums(now, found.list, found.pairs, found.fluid_blocks, now->change[i], false, false);
    float own = now->velocity[i].w, weight = now->inverse ? own * now->inverse[i] : own, scale = weight * now->gradient_scale[0];
    couVec3 sum = couScale(scale, couSum3W(sums));
    if (found.blocks > found.fluid_blocks) {
        const uint32_t *list = found.list + found.fluid_blocks * COU_WIDTH;
        const couPairBlock *pairs = found.pairs + found.fluid_blocks;
        int blocks = found.blocks - found.fluid_blocks;
        if (now->walls_own) {
            sums = push_sums(now, list, pairs, blocks, now->change[i], true, true);
            sum = couMulAdd(sum, weight * now->gradient_scale[1], couSum3W(sums));
        } else {
            sums = push_sums(now, list, pairs, blocks, 0.0f, true, false);
            // Half of a mean: a wall has the particle's own pressure.
            float wall = weight * now->gradient_scale[1] * (now->inverse ? 2.0f * now->change[i] : now->change[i]);
            sum = couMulAdd(sum, wall, couSum3W(sums));
        }
    }
    return sum;
}

void COU_WIDE(couSphWallPress)(couSphLoop *loop, size_t begin, size_t end, int block)
{
    const couSphLoop now = *loop;
    size_t row = couWallRow(loop, block);
    for (size_t i = begin; i < end; ++i) {
        couPairList found = couPairs_Of(&now, i);
        if (found.blocks == found.fluid_blocks) continue;
        const uint32_t *list = found.list + found.fluid_blocks * COU_WIDTH;
        const couPairBlock *pairs = found.pairs + found.fluid_blocks;
        int blocks = found.blocks - found.fluid_blocks;
        couVec3 sum = now.walls_own ? couSum3W(push_sums(&now, list, pairs, blocks, now.change[i], true, true))
                                    : couScale(now.change[i], couSum3W(push_sums(&now, list, pairs, blocks, 0.0f, true, false)));
        now.walls[row++] = (couVec4){sum.x, sum.y, sum.z, 0.0f};
    }
}

void COU_WIDE(couSphPush)(couSphLoop *loop, size_t begin, size_t end, int block)
{
    (void)block;
    const couSphLoop now = *loop;
    for (size_t i = begin; i < end; ++i) {
        couVec3 sum = push_of(&now, i);
        couVec4 *v = &now.velocity[i];
        v->x -= sum.x, v->y -= sum.y, v->z -= sum.z;
    }
}

void COU_WIDE(couSphResponse)(couSphLoop *loop, size_t begin, size_t end, int block)
{
    const couSphLoop now = *loop;
    double square = 0;
    for (size_t i = begin; i < end; ++i) {
        couVec3 sum = push_of(&now, i);
        now.out[i] = (couVec4){sum.x, sum.y, sum.z, 0.0f};
        square += (double)(couDot(sum, sum) / now.velocity[i].w);
    }
    loop->sums[block] = square;
}

void COU_WIDE(couSphSpread)(couSphLoop *loop, size_t begin, size_t end, int block)
{
    (void)block;
    const couSphLoop now = *loop;
    for (size_t i = begin; i < end; ++i) {
        couPairList found = couPairs_Of(&now, i);
        couVec3 sum = couScale(1.0f / now.velocity[i].w, push_of(&now, i));
        couFloatW active = couSetW(0.0f);
        for (int b = 0; b < found.fluid_blocks; ++b) active += couLoadEachW(now.change, found.list + b * COU_WIDTH);
        now.out[i] = (couVec4){sum.x, sum.y, sum.z, COU_MIN(couSumW(active) * now.inv_count, 1.0f)};
    }
}

void COU_WIDE(couSphUneven)(couSphLoop *loop, size_t begin, size_t end, int block)
{
    (void)block;
    const couSphLoop now = *loop;
    for (size_t i = begin; i < end; ++i) {
        couPairList found = couPairs_Of(&now, i);
        couVec3W fluid = couSet3W((couVec3){0}), solid = fluid, vi = couSet3W(couXyz(now.velocity[i]));
        couFloatW parting = couSetW(0.0f);
        for (int b = 0; b < found.fluid_blocks; ++b) {
            couVec3W g = couGradientsW(&found.pairs[b]);
            couFloatW along = couDotW(g, couSubW(couLoadVectorsW(now.velocity, found.list + b * COU_WIDTH), vi));
            fluid = couAddW(fluid, g);
            parting = couMaxW(parting, along * along / couMaxW(couDotW(g, g), couSetW(1.0f))); // padding has no gradient
        }
        for (int b = found.fluid_blocks; b < found.blocks; ++b) solid = couAddW(solid, couGradientsW(&found.pairs[b]));
        couVec3 sum = couMulAdd(couScale(now.gradient_scale[0], couSum3W(fluid)), now.gradient_scale[1], couSum3W(solid));
        float each[COU_WIDTH], most = 0.0f;
        couStoreW(each, parting);
        for (int k = 0; k < COU_WIDTH; ++k) most = COU_MAX(most, each[k]);
        now.out[i] = (couVec4){sum.x, sum.y, sum.z, sqrtf(most)};
    }
}
