// Viscosity and velocity smoothing, eight pairs at a time. Geometry is taken from positions again, since it is needed once a step (the
// implicit solver: once an iteration) and storing it would cost more memory than time.

#include "fluid/sph_wide.h"

typedef struct Sum3 {
    couFloatW x, y, z;
} Sum3;

static inline Sum3 no_sum(void)
{
    couFloatW zero = couSetW(0.0f);
    return (Sum3){zero, zero, zero};
}
static inline void add_to(Sum3 *sum, couFloatW size, couFloatW x, couFloatW y, couFloatW z)
{
    sum->x = couAddW(sum->x, couMulW(size, x)), sum->y = couAddW(sum->y, couMulW(size, y)),
    sum->z = couAddW(sum->z, couMulW(size, z));
}
static inline couVec3 total(Sum3 sum, float scale)
{
    return (couVec3){scale * couSumW(sum.x), scale * couSumW(sum.y), scale * couSumW(sum.z)};
}

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

// The artificial viscosity is a kinematic one, hence a pair has it times a density: of two liquids the harmonic mean, which the lighter
// one bears as well as its own.
static couFloatW pair_damping(const couSphLoop *loop, size_t i, const uint32_t *index)
{
    if (loop->is_single_density) return couSetW(loop->damping);
    float each[COU_WIDTH], own = loop->velocity[i].w;
    for (int k = 0; k < COU_WIDTH; ++k)
        each[k] = index[k] < loop->count ? 2.0f * loop->damping / (own + loop->velocity[index[k]].w) : 0.0f;
    return couLoadW(each);
}

// Between fluid particles: 2 (n + 2) nu (v_ij . x_ij) / (r^2 + 0.01 h^2) G_ij [Gagneux 2022, eq. 2.14], and the same with
// alpha c h where they approach [Monaghan 1992].
static inline Sum3 fluid_viscosity(const couSphLoop *loop, size_t i, const couPairList *found, float own)
{
    couVec4 xi = loop->position[i], vi = loop->in[i];
    couFloatW soft = couSetW(0.01f * loop->h * loop->h), zero = couSetW(0.0f);
    couFloatW viscous = couSetW(loop->viscous * own);
    Sum3 sum = no_sum();
    for (int b = 0; b < found->fluid_blocks; ++b) {
        const uint32_t *index = found->list + b * COU_WIDTH;
        couFloatW unused, vx, vy, vz;
        couOffsetW d = couOffsetsW(loop, index, xi, &unused);
        couLoadRecordsW(loop->in, index, &vx, &vy, &vz, &unused);
        if (!loop->is_single_viscosity) viscous = couMulW(couSetW(loop->viscous), mixed_viscosity(loop, own, index));
        // v_ij . x_ij with both signs turned
        couFloatW along = couDotW(couSubW(vx, couSetW(vi.x)), couSubW(vy, couSetW(vi.y)), couSubW(vz, couSetW(vi.z)), d.x, d.y,
                                  d.z);
        couFloatW r2 = couAddW(couDotW(d.x, d.y, d.z, d.x, d.y, d.z), soft);
        couFloatW damping = pair_damping(loop, i, index);
        couFloatW size = couAddW(couMulW(viscous, along), couMulW(damping, couMinW(along, zero)));
        const couPairBlock *pairs = &found->pairs[b];
        add_to(&sum, couDivW(size, r2), couLoadShortsW(pairs->x), couLoadShortsW(pairs->y), couLoadShortsW(pairs->z));
    }
    return sum;
}

// mu sum m_j (v_j - v_i) / rho_j lap W [Müller 2003, eq. 14], lap W ~ h - r in 2D and 3D.
static inline Sum3 mueller_viscosity(const couSphLoop *loop, size_t i, const couPairList *found, float own)
{
    couVec4 xi = loop->position[i], vi = loop->in[i];
    couFloatW h = couSetW(loop->h), zero = couSetW(0.0f), viscous = couSetW(own);
    Sum3 sum = no_sum();
    for (int b = 0; b < found->fluid_blocks; ++b) {
        const uint32_t *index = found->list + b * COU_WIDTH;
        couFloatW unused, vx, vy, vz;
        couOffsetW d = couOffsetsW(loop, index, xi, &unused);
        couLoadRecordsW(loop->in, index, &vx, &vy, &vz, &unused);
        if (!loop->is_single_viscosity) viscous = mixed_viscosity(loop, own, index);
        couFloatW r = couSqrtW(couDotW(d.x, d.y, d.z, d.x, d.y, d.z)), weight = couMaxW(couSubW(h, r), zero);
        couFloatW size = couDivW(couMulW(viscous, weight), couLoadEachW(loop->density, index));
        add_to(&sum, size, couSubW(vx, couSetW(vi.x)), couSubW(vy, couSetW(vi.y)), couSubW(vz, couSetW(vi.z)));
    }
    return sum;
}

// Solids that the liquid sticks to: the velocity of a sample is continued linearly through the wall [Morris 1997], half a spacing
// in front of the first layer. The wall's normal is that of the sum of its gradients.
static inline Sum3 solid_viscosity(const couSphLoop *loop, size_t i, const couPairList *found, float own)
{
    couVec4 xi = loop->position[i], vi = loop->in[i];
    Sum3 normal = no_sum(), sum = no_sum();
    couFloatW one = couSetW(1.0f);
    for (int b = found->fluid_blocks; b < found->blocks; ++b) {
        const couPairBlock *pairs = &found->pairs[b];
        add_to(&normal, one, couLoadShortsW(pairs->x), couLoadShortsW(pairs->y), couLoadShortsW(pairs->z));
    }
    couVec3 n = couNormalize(total(normal, 1.0f));
    couFloatW nx = couSetW(n.x), ny = couSetW(n.y), nz = couSetW(n.z), nearest = couSetW(loop->h), unused;
    for (int b = found->fluid_blocks; b < found->blocks; ++b) {
        couOffsetW d = couOffsetsW(loop, found->list + b * COU_WIDTH, xi, &unused);
        couFloatW height = couDotW(d.x, d.y, d.z, nx, ny, nz);
        nearest = couMinW(nearest, couSelectW(couLessW(couSetW(0.0f), height), height, nearest));
    }
    float lanes[COU_WIDTH], lowest = loop->h;
    couStoreW(lanes, nearest);
    for (int k = 0; k < COU_WIDTH; ++k) lowest = COU_MIN(lowest, lanes[k]);
    float gap = COU_MAX(lowest - 0.5f * loop->spacing, 0.25f * loop->spacing); // to the wall

    couFloatW soft = couSetW(0.01f * loop->h * loop->h), zero = couSetW(0.0f);
    couFloatW damping = couSetW(loop->damping / loop->velocity[i].w);
    couFloatW viscous = couSetW(loop->wall_viscous * own), inv_gap = couSetW(1.0f / gap), most = couSetW(2.5f);
    for (int b = found->fluid_blocks; b < found->blocks; ++b) {
        const uint32_t *index = found->list + b * COU_WIDTH;
        couFloatW vx, vy, vz;
        couOffsetW d = couOffsetsW(loop, index, xi, &unused);
        couLoadRecordsW(loop->in, index, &vx, &vy, &vz, &unused);
        couFloatW height = couDotW(d.x, d.y, d.z, nx, ny, nz);
        couFloatW beyond = couMaxW(couMinW(couMulW(height, inv_gap), most), one);
        float each[COU_WIDTH];
        for (int k = 0; k < COU_WIDTH; ++k)
            each[k] = index[k] < loop->count + COU_TABLE_PADDING ? 0.0f : loop->velocity[index[k]].w;
        couFloatW stick = couMulW(couLoadW(each), beyond);
        if (loop->has_still_solids) vx = vy = vz = zero;
        couFloatW along = couDotW(couSubW(vx, couSetW(vi.x)), couSubW(vy, couSetW(vi.y)), couSubW(vz, couSetW(vi.z)), d.x, d.y,
                                  d.z);
        couFloatW r2 = couAddW(couDotW(d.x, d.y, d.z, d.x, d.y, d.z), soft);
        couFloatW size = couAddW(couMulW(couMulW(viscous, stick), along), couMulW(damping, couMinW(along, zero)));
        const couPairBlock *pairs = &found->pairs[b];
        add_to(&sum, couDivW(size, r2), couLoadShortsW(pairs->x), couLoadShortsW(pairs->y), couLoadShortsW(pairs->z));
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
            if (loop->damping > 0.0f) damped = total(fluid_viscosity(loop, i, &found, 0.0f), weight * loop->gradient_scale[0]);
            float scale = weight * loop->viscous * loop->slope_scale / loop->density[i];
            fluid = couAdd(damped, total(mueller_viscosity(loop, i, &found, own), scale));
        } else {
            fluid = total(fluid_viscosity(loop, i, &found, own), weight * loop->gradient_scale[0]);
        }
        couVec3 solid = {0};
        if (found.blocks > found.fluid_blocks)
            solid = total(solid_viscosity(loop, i, &found, own), weight * loop->gradient_scale[1]);
        loop->out[i] = (couVec4){fluid.x + solid.x, fluid.y + solid.y, fluid.z + solid.z, 0.0f};
        if (loop->walls && found.blocks > found.fluid_blocks)
            loop->walls[wall_row++] = (couVec4){solid.x, solid.y, solid.z, 0.0f};
    }
}

COU_SPECIALIZED void smooth_range(couSphLoop *loop, size_t begin, size_t end, couKernelKind kind)
{
    couFloatW inv_h = couSetW(1.0f / loop->h), one = couSetW(1.0f);
    for (size_t i = begin; i < end; ++i) {
        couPairList found = couPairs_Of(loop, i);
        couVec4 xi = loop->position[i], vi = loop->in[i];
        couFloatW own = couSetW(loop->density[i]), weight = couSetW(vi.w);
        Sum3 sum = no_sum();
        for (int b = 0; b < found.fluid_blocks; ++b) {
            const uint32_t *index = found.list + b * COU_WIDTH;
            couFloatW unused, vx, vy, vz, other;
            couOffsetW d = couOffsetsW(loop, index, xi, &unused);
            couLoadRecordsW(loop->in, index, &vx, &vy, &vz, &other);
            couFloatW q = couMinW(couMulW(couSqrtW(couDotW(d.x, d.y, d.z, d.x, d.y, d.z)), inv_h), one);
            // m_j / (rho_i + rho_j), the true densities: two liquids keep their momentum
            couFloatW both = couAddW(couMulW(own, other), couMulW(couLoadEachW(loop->density, index), weight));
            couFloatW size = couDivW(couMulW(weight, couKernelShapeW(kind, q).f), both);
            add_to(&sum, size, couSubW(vx, couSetW(vi.x)), couSubW(vy, couSetW(vi.y)), couSubW(vz, couSetW(vi.z)));
        }
        couVec3 smoothed = total(sum, 2.0f * loop->density_scale);
        loop->out[i] = (couVec4){smoothed.x, smoothed.y, smoothed.z, 0.0f};
    }
}

void COU_WIDE(couSphSmooth)(couSphLoop *loop, size_t begin, size_t end, int block)
{
    (void)block;
    switch (loop->density_kind) {
    case cou_kernelCubic: smooth_range(loop, begin, end, cou_kernelCubic); break;
    case cou_kernelWendland: smooth_range(loop, begin, end, cou_kernelWendland); break;
    default: smooth_range(loop, begin, end, cou_kernelPoly6);
    }
}
