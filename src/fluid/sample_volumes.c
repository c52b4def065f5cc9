// Volumes of a body's samples: those of [Akinci 2012], then made to fit.
//
// gamma / sum W has the right density in front of a flat wall whose layers lie a spacing apart, and of others not. A wall of 2.4
// spacings has layers at 0.5 and 1.9: with volumes from their own sum the first row of liquid was 2 % too dense, stood off, and
// sank along the walls of a tank that never came to rest (2D, 24 layers, dfsph: 2e-3 m g d instead of 2e-5; the same with 3.6).
// What counts is the density where the liquid would lie, half a spacing off the surface. What solid matter adds to it there is
// known from the shape, so the volumes of the outermost layer are scaled until they do. Some passes over samples near each
// other, once for a body. Only flat places are: with less at its edges a box of a hundredth of the water's density wandered three
// to seven times as far, and corners of tanks were compressed more.

#include "fluid/sample_volumes.h"

#include "fluid/sph.h"

#define SHALLOW 0.8f    // depth of the outermost layer, at most / d
#define LEAST_WALL 1.5f // thickness / d: thinner ones stand for more than is there
#define FLAT 0.05f      // off what a flat wall adds, at most / that
#define LEAST_SCALE 0.25
#define MOST_SCALE 2.0
enum { PASSES = 3 };

// The place in front of a sample of the outermost layer where liquid would lie.
typedef struct Front {
    couVec3 place;
    float solid; // what solid matter adds there: sum of d^n W
    bool is_fitted;
} Front;

// --- What a shape adds -------------------------------------------------------------------------------------------------------

typedef struct FrontJob {
    const couFluid *fluid;
    const couShape *shape;
    const couVec4 *points;
    Front *fronts;
    float flat; // what a flat wall adds
} FrontJob;

// The kernel's sum over a lattice that stands on the surface, as far as its cells are solid; their border is taken as flat.
// Behind a wall nothing is missing: what lies in its shadow counts as solid.
static float solid_before(const FrontJob *job, couVec3 place, couVec3 normal)
{
    const couFluid *fluid = job->fluid;
    const couKernel *kernel = &couSph_State(fluid)->density_kernel;
    int dimension = fluid->dimension, reach = (int)ceilf(fluid->h / fluid->spacing), wide = dimension == 3 ? reach : 0;
    float d = fluid->spacing, inv_d = 1.0f / d;
    couVec3 u = {-normal.y, normal.x, 0}, v = {0};
    if (dimension == 3) couTangents(normal, &u, &v);
    double sum = 0;
    for (int a = -reach; a <= reach; ++a)
        for (int b = -wide; b <= wide; ++b) {
            couVec3 aside = couMulAdd(couScale(d * (float)a, u), d * (float)b, v);
            float shadow = 0.0f;
            for (int k = -reach; k <= reach; ++k) { // downwards
                couVec3 offset = couMulAdd(aside, -d * (float)k, normal);
                double weight = couKernel_Value(kernel, couLength(offset));
                if (!(weight > 0)) continue;
                float distance = couShape_Distance(job->shape, dimension, couAdd(place, offset));
                float share = COU_MAX(COU_CLAMP(0.5f - inv_d * distance, 0.0f, 1.0f), shadow);
                if (k > 0) shadow = share;
                sum += weight * (double)share;
            }
        }
    return (float)(sum * pow(d, dimension));
}

static void front_block(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)block, (void)worker;
    const FrontJob *job = context;
    const couShape *shape = job->shape;
    int dimension = job->fluid->dimension;
    float d = job->fluid->spacing;
    for (size_t i = begin; i < end; ++i) {
        couVec3 x = couXyz(job->points[i]), normal;
        float distance = couShape_DistanceNormal(shape, dimension, x, &normal);
        couVec3 behind = couMulAdd(x, -distance - LEAST_WALL * d, normal);
        bool is_outer = distance > -SHALLOW * d && couShape_Distance(shape, dimension, behind) < 0.0f;
        Front *front = &job->fronts[i];
        *front = (Front){.place = couMulAdd(x, 0.5f * d - distance, normal)};
        if (is_outer) front->solid = solid_before(job, front->place, normal);
        front->is_fitted = fabsf(front->solid - job->flat) <= FLAT * job->flat;
    }
}

// --- What samples add --------------------------------------------------------------------------------------------------------

// The samples in cell order, with all that reach the place in front of each.
typedef struct Set {
    const couKernel *kernel;
    couBoundary points;
    couNeighbors near;
    couVec4 *x; // w: volume [m^n]
    Front *fronts;
    float *scales;
    double gamma;
} Set;

static bool open_set(Set *set, couFluid *fluid, const couVec3 *points, size_t count)
{
    couTable *table = &set->points.table;
    couBoundary_Init(&set->points, fluid->memory);
    bool is_good = couNeighbors_Init(&set->near, fluid->memory) && couTable_AddRows(table, count) != SIZE_MAX &&
                   couTable_Reserve(table, count + COU_TABLE_PADDING);
    set->fronts = COU_TAKE(fluid->scratch, Front, count + 1);
    set->scales = COU_TAKE(fluid->scratch, float, count + 1);
    if (!is_good || !set->fronts || !set->scales) return false;
    for (size_t k = 0; k < count; ++k) {
        couBoundary_Position(&set->points)[k] = (couVec4){points[k].x, points[k].y, points[k].z, 1.0f};
        couBoundary_Id(&set->points)[k] = (uint32_t)k;
    }
    couGridReport found;
    float reach = fluid->h + (0.5f + SHALLOW) * fluid->spacing;
    if (!couGrid_Sort(&set->points.grid, table, set->points.position_column, set->points.id_column, 1.001f * reach,
                      &fluid->parallel, &found))
        return false;
    set->x = couBoundary_Position(&set->points);
    return couNeighbors_Find(&set->near, &set->points.grid, set->x, count, reach, NULL, &fluid->parallel);
}

static double part_at(const Set *set, size_t j, couVec3 place)
{
    return (double)set->x[j].w * couKernel_Value(set->kernel, couLength(couSub(couXyz(set->x[j]), place)));
}

static void sum_block(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)block, (void)worker;
    const Set *set = context;
    for (size_t i = begin; i < end; ++i) {
        couVec3 x = couXyz(set->x[i]);
        double sum = part_at(set, i, x);
        for (int k = 0; k < set->near.count[i]; ++k) sum += part_at(set, set->near.first[i][k], x);
        set->scales[i] = (float)(set->gamma / sum);
    }
}

// What the volumes make of the density in front of each sample of the outermost layer, and the scale that mends it.
static void fit_block(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)block, (void)worker;
    const Set *set = context;
    for (size_t i = begin; i < end; ++i) {
        const Front *front = &set->fronts[i];
        set->scales[i] = 1.0f;
        if (!front->is_fitted) continue;
        double outer = part_at(set, i, front->place), inner = 0;
        for (int k = 0; k < set->near.count[i]; ++k) {
            size_t j = set->near.first[i][k];
            *(set->fronts[j].is_fitted ? &outer : &inner) += part_at(set, j, front->place);
        }
        if (outer > 0) set->scales[i] = (float)COU_CLAMP(((double)front->solid - inner) / outer, LEAST_SCALE, MOST_SCALE);
    }
}

static void scale_all(Set *set, const couFluid *fluid, couBlockFcn *find, size_t count)
{
    couFor(&fluid->parallel, count, 256, find, set);
    for (size_t i = 0; i < count; ++i) set->x[i].w *= set->scales[i];
}

bool couFindSampleVolumes(couFluid *fluid, const couShape *shape, const couVec3 *points, size_t count, float *volumes)
{
    const couSphState *state = fluid->method_state;
    couArenaMark mark = couArena_Mark(fluid->scratch);
    Set set = {.kernel = &state->density_kernel, .gamma = (double)state->gamma};
    bool is_good = open_set(&set, fluid, points, count);
    if (is_good) {
        scale_all(&set, fluid, sum_block, count);
        if (shape) {
            double flat = 0, cell = pow(fluid->spacing, fluid->dimension);
            for (int k = 1; k < COU_COUNT(state->lattice.layer); ++k) flat += cell * state->lattice.layer[k];
            FrontJob job = {fluid, shape, set.x, set.fronts, (float)flat};
            couFor(&fluid->parallel, count, 64, front_block, &job);
            for (int pass = 0; pass < PASSES; ++pass) scale_all(&set, fluid, fit_block, count);
        }
        for (size_t i = 0; i < count; ++i) volumes[couBoundary_Id(&set.points)[i]] = set.x[i].w;
    }
    couNeighbors_Free(&set.near);
    couBoundary_Free(&set.points);
    couArena_Release(fluid->scratch, mark);
    return is_good;
}
