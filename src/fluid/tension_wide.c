// Surface tension, eight pairs at a time: the colour field's gradient and Laplacian, and the pair forces of cohesion.

#include "fluid/sph_wide.h"

typedef struct ColorSums {
    couFloatW x, y, z, laplacian;
} ColorSums;

// Fluid and solids count alike: at a wall the field goes on, so that the surface meets it at a right angle.
COU_SPECIALIZED void add_color(const couSphLoop *loop, couVec4 xi, const couPairList *found, couKernelKind kind, ColorSums *sums)
{
    couFloatW inv_h = couSetW(1.0f / loop->h), one = couSetW(1.0f), touching = couSetW(1e-12f * loop->h * loop->h);
    couFloatW more = couSetW((float)(loop->dimension - 1));
    for (int b = 0; b < found->blocks; ++b) {
        const uint32_t *index = found->list + b * COU_WIDTH;
        couFloatW volume;
        couOffsetW d = couOffsetsW(loop, index, xi, &volume);
        couFloatW r = couSqrtW(couMaxW(couDotW(d.x, d.y, d.z, d.x, d.y, d.z), touching));
        couFloatW q = couMinW(couMulW(r, inv_h), one);
        couFloatW weight = b < found->fluid_blocks ? couDivW(one, couLoadEachW(loop->density, index)) : volume;
        couFloatW slope = couMulW(weight, couKernelShapeW(kind, q).slope);
        couFloatW along = couDivW(slope, r); // -d/r is the direction of the gradient at i
        sums->x = couSubW(sums->x, couMulW(along, d.x));
        sums->y = couSubW(sums->y, couMulW(along, d.y));
        sums->z = couSubW(sums->z, couMulW(along, d.z));
        couFloatW laplacian = couAddW(couMulW(weight, couKernelCurveW(kind, q)), couMulW(more, couDivW(slope, q)));
        sums->laplacian = couAddW(sums->laplacian, couSelectW(couLessW(q, one), laplacian, couSetW(0.0f)));
    }
}

COU_SPECIALIZED void color_range(couSphLoop *loop, size_t begin, size_t end, couKernelKind kind, float self_curve)
{
    float slope_scale = loop->density_scale / loop->h, curve_scale = slope_scale / loop->h;
    for (size_t i = begin; i < end; ++i) {
        couPairList found = couPairs_Of(loop, i);
        couFloatW zero = couSetW(0.0f);
        ColorSums sums = {zero, zero, zero, zero};
        add_color(loop, loop->position[i], &found, kind, &sums);
        float self = (float)loop->dimension * self_curve / loop->density[i];
        loop->out[i] = (couVec4){slope_scale * couSumW(sums.x), slope_scale * couSumW(sums.y), slope_scale * couSumW(sums.z),
                                 curve_scale * (couSumW(sums.laplacian) + self)};
    }
}

void COU_WIDE(couSphColor)(couSphLoop *loop, size_t begin, size_t end, int block)
{
    (void)block;
    switch (loop->density_kind) { // with f''(0)
    case cou_kernelCubic: color_range(loop, begin, end, cou_kernelCubic, -12.0f); break;
    case cou_kernelWendland: color_range(loop, begin, end, cou_kernelWendland, -20.0f); break;
    default: color_range(loop, begin, end, cou_kernelPoly6, -6.0f);
    }
}

// Sum of V grad W: the gradient of the density, whose size has the area of the surface as its integral.
COU_SPECIALIZED void slope_range(couSphLoop *loop, size_t begin, size_t end, couKernelKind kind)
{
    couFloatW inv_h = couSetW(1.0f / loop->h), one = couSetW(1.0f), touching = couSetW(1e-12f * loop->h * loop->h);
    float scale = loop->density_scale / loop->h;
    for (size_t i = begin; i < end; ++i) {
        couPairList found = couPairs_Of(loop, i);
        couVec4 xi = loop->position[i];
        couFloatW zero = couSetW(0.0f), x = zero, y = zero, z = zero;
        for (int b = 0; b < found.blocks; ++b) {
            couFloatW volume;
            couOffsetW d = couOffsetsW(loop, found.list + b * COU_WIDTH, xi, &volume);
            couFloatW r = couSqrtW(couMaxW(couDotW(d.x, d.y, d.z, d.x, d.y, d.z), touching));
            couFloatW q = couMinW(couMulW(r, inv_h), one);
            couFloatW slope = couMulW(b < found.fluid_blocks ? one : volume, couKernelShapeW(kind, q).slope);
            couFloatW along = couDivW(slope, r); // -d/r is the direction of the gradient at i
            x = couSubW(x, couMulW(along, d.x)), y = couSubW(y, couMulW(along, d.y)), z = couSubW(z, couMulW(along, d.z));
        }
        loop->out[i] = (couVec4){scale * couSumW(x), scale * couSumW(y), scale * couSumW(z), 0.0f};
    }
}

void COU_WIDE(couSphSlope)(couSphLoop *loop, size_t begin, size_t end, int block)
{
    (void)block;
    switch (loop->density_kind) {
    case cou_kernelCubic: slope_range(loop, begin, end, cou_kernelCubic); break;
    case cou_kernelWendland: slope_range(loop, begin, end, cou_kernelWendland); break;
    default: slope_range(loop, begin, end, cou_kernelPoly6);
    }
}

typedef struct BendSums {
    couFloatW x, y, z;
} BendSums;

// Second derivatives of V W (W'' along the pair, W'/r across it) times the difference s of two records, less the gradient times the
// sum g of two.
COU_SPECIALIZED void add_bend(const couSphLoop *loop, couOffsetW d, couFloatW sx, couFloatW sy, couFloatW sz, couFloatW g,
                              couKernelKind kind, BendSums *sums)
{
    couFloatW one = couSetW(1.0f), zero = couSetW(0.0f), touching = couSetW(1e-12f * loop->h * loop->h);
    couFloatW r2 = couMaxW(couDotW(d.x, d.y, d.z, d.x, d.y, d.z), touching), r = couSqrtW(r2);
    couFloatW far = couMulW(r, couSetW(1.0f / loop->h)), q = couMinW(far, one);
    couFloatW slope = couKernelShapeW(kind, q).slope, across = couDivW(slope, q);
    couFloatW along = couDivW(couMulW(couSubW(couKernelCurveW(kind, q), across), couDotW(d.x, d.y, d.z, sx, sy, sz)), r2);
    along = couAddW(along, couDivW(couMulW(couMulW(slope, g), couSetW(loop->h)), r)); // the gradient at i has -d
    couMaskW is_near = couLessW(far, one);
    sums->x = couSubW(sums->x, couSelectW(is_near, couAddW(couMulW(across, sx), couMulW(along, d.x)), zero));
    sums->y = couSubW(sums->y, couSelectW(is_near, couAddW(couMulW(across, sy), couMulW(along, d.y)), zero));
    sums->z = couSubW(sums->z, couSelectW(is_near, couAddW(couMulW(across, sz), couMulW(along, d.z)), zero));
}

COU_SPECIALIZED void area_range(couSphLoop *loop, size_t begin, size_t end, int block, couKernelKind kind)
{
    size_t wall_row = couWallRow(loop, block);
    float scale = loop->density_scale / (loop->h * loop->h);
    for (size_t i = begin; i < end; ++i) {
        couPairList found = couPairs_Of(loop, i);
        couVec4 xi = loop->position[i], own = loop->in[i];
        couFloatW zero = couSetW(0.0f), x = couSetW(own.x), y = couSetW(own.y), z = couSetW(own.z), w = couSetW(own.w);
        BendSums fluid = {zero, zero, zero}, solid = fluid;
        for (int b = 0; b < found.fluid_blocks; ++b) {
            const uint32_t *index = found.list + b * COU_WIDTH;
            couFloatW unused, sx, sy, sz, g;
            couOffsetW d = couOffsetsW(loop, index, xi, &unused);
            couLoadRecordsW(loop->in, index, &sx, &sy, &sz, &g);
            add_bend(loop, d, couSubW(x, sx), couSubW(y, sy), couSubW(z, sz), couAddW(w, g), kind, &fluid);
        }
        for (int b = found.fluid_blocks; b < found.blocks; ++b) { // solids have no surface of their own
            couFloatW volume;
            couOffsetW d = couOffsetsW(loop, found.list + b * COU_WIDTH, xi, &volume);
            add_bend(loop, d, couMulW(volume, x), couMulW(volume, y), couMulW(volume, z), couMulW(volume, w), kind, &solid);
        }
        float size = scale * loop->velocity[i].w;
        couVec3 wall = {size * couSumW(solid.x), size * couSumW(solid.y), size * couSumW(solid.z)};
        loop->out[i] = (couVec4){size * couSumW(fluid.x) + wall.x, size * couSumW(fluid.y) + wall.y,
                                 size * couSumW(fluid.z) + wall.z, 0.0f};
        if (loop->walls && found.blocks > found.fluid_blocks) loop->walls[wall_row++] = (couVec4){wall.x, wall.y, wall.z, 0.0f};
    }
}

void COU_WIDE(couSphArea)(couSphLoop *loop, size_t begin, size_t end, int block)
{
    switch (loop->density_kind) {
    case cou_kernelCubic: area_range(loop, begin, end, block, cou_kernelCubic); break;
    case cou_kernelWendland: area_range(loop, begin, end, block, cou_kernelWendland); break;
    default: area_range(loop, begin, end, block, cou_kernelPoly6);
    }
}

// C(r) h^3 pi/32 [Akinci 2013, eq. 2]: attracts beyond h/2, repels below.
static inline couFloatW cohesion_shape(couFloatW q)
{
    couFloatW one = couSetW(1.0f), a = couMaxW(couSubW(one, q), couSetW(0.0f));
    couFloatW aq = couMulW(a, q), cube = couMulW(couMulW(aq, aq), aq);
    couFloatW near = couSubW(couAddW(cube, cube), couSetW(1.0f / 64.0f));
    return couSelectW(couLessW(q, couSetW(0.5f)), near, cube);
}

void COU_WIDE(couSphCohesion)(couSphLoop *loop, size_t begin, size_t end, int block)
{
    size_t wall_row = couWallRow(loop, block);
    couFloatW inv_h = couSetW(1.0f / loop->h), one = couSetW(1.0f), touching = couSetW(1e-12f * loop->h * loop->h);
    for (size_t i = begin; i < end; ++i) {
        couPairList found = couPairs_Of(loop, i);
        couVec4 xi = loop->position[i], ni = loop->in[i];
        float own = loop->tension[loop->material[i]], weight = loop->velocity[i].w;
        couFloatW density = couSetW(loop->density[i]), zero = couSetW(0.0f), x = zero, y = zero, z = zero;
        couFloatW cohesion = couSetW(loop->cohesion), area = couSetW(loop->area), two = couSetW(2.0f);
        for (int b = 0; b < found.fluid_blocks; ++b) {
            const uint32_t *index = found.list + b * COU_WIDTH;
            couFloatW unused, nx, ny, nz;
            couOffsetW d = couOffsetsW(loop, index, xi, &unused);
            couLoadRecordsW(loop->in, index, &nx, &ny, &nz, &unused);
            float each[COU_WIDTH];
            for (int k = 0; k < COU_WIDTH; ++k) // the weaker tension binds two liquids
                each[k] = index[k] < loop->count ? COU_MIN(own, loop->tension[loop->material[index[k]]]) : 0.0f;
            couFloatW r = couSqrtW(couMaxW(couDotW(d.x, d.y, d.z, d.x, d.y, d.z), touching));
            couFloatW q = couMulW(r, inv_h);
            // K_ij = 2 rho0 / (rho_i + rho_j): stronger at the surface
            couFloatW size = couMulW(couLoadW(each), couDivW(two, couAddW(density, couLoadEachW(loop->density, index))));
            size = couSelectW(couLessW(q, one), size, zero);
            couFloatW pull = couDivW(couMulW(couMulW(size, cohesion), cohesion_shape(couMinW(q, one))), r),
                      push = couMulW(size, area);
            x = couAddW(x, couSubW(couMulW(pull, d.x), couMulW(push, couSubW(couSetW(ni.x), nx))));
            y = couAddW(y, couSubW(couMulW(pull, d.y), couMulW(push, couSubW(couSetW(ni.y), ny))));
            z = couAddW(z, couSubW(couMulW(pull, d.z), couMulW(push, couSubW(couSetW(ni.z), nz))));
        }
        couVec3 fluid = {weight * couSumW(x), weight * couSumW(y), weight * couSumW(z)}, solid = {0};
        if (found.blocks > found.fluid_blocks && loop->wetting > 0.0f) {
            x = y = z = zero;
            for (int b = found.fluid_blocks; b < found.blocks; ++b) {
                couFloatW volume;
                couOffsetW d = couOffsetsW(loop, found.list + b * COU_WIDTH, xi, &volume);
                couFloatW r = couSqrtW(couMaxW(couDotW(d.x, d.y, d.z, d.x, d.y, d.z), touching));
                couFloatW q = couMulW(r, inv_h);
                // A(r) ~ (-4 q^2 + 6 q - 2)^(1/4) between h/2 and h [Akinci 2013, eq. 7]
                couFloatW inner = couMulW(two,
                                          couMulW(couMaxW(couSubW(one, q), zero), couMaxW(couSubW(couMulW(two, q), one), zero)));
                couFloatW pull = couDivW(couMulW(couMulW(couSetW(loop->adhesion), volume), couSqrtW(couSqrtW(inner))), r);
                pull = couSelectW(couLessW(q, one), pull, zero);
                x = couAddW(x, couMulW(pull, d.x)), y = couAddW(y, couMulW(pull, d.y)), z = couAddW(z, couMulW(pull, d.z));
            }
            float scale = weight * loop->wetting;
            solid = (couVec3){scale * couSumW(x), scale * couSumW(y), scale * couSumW(z)};
        }
        loop->out[i] = (couVec4){fluid.x + solid.x, fluid.y + solid.y, fluid.z + solid.z, 0.0f};
        if (loop->walls && found.blocks > found.fluid_blocks)
            loop->walls[wall_row++] = (couVec4){solid.x, solid.y, solid.z, 0.0f};
    }
}
