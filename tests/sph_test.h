/// Shared by the tests of the SPH methods: worlds, single phases of a step, and sums over all pairs in double precision.
#pragma once

#include "testing.h"

#include "fluid/sph_wide.h"

static const char *const sph_methods[] = {"mueller", "sesph", "wcsph", "pcisph", "iisph", "dfsph"};
enum { SPH_METHODS = 6 };

// --- Worlds ------------------------------------------------------------------------------------------------------------------

static inline couWorldDef sph_def(const char *method, int dimension, float spacing, couVec3 gravity)
{
    couWorldDef def = couDefaultWorldDef();
    snprintf(def.method, sizeof def.method, "%s", method);
    def.dimension = dimension, def.spacing = spacing, def.gravity = gravity, def.threads = 1;
    return def;
}

static inline couWorld *make_sph_world_from(const couWorldDef *def)
{
    couFaults faults = {0};
    couWorld *world = couCreateWorld(def, &faults);
    CHECK_NO_FAULTS(&faults);
    assert_non_null(world);
    return world;
}

static inline couWorld *make_sph_world(const char *method, int dimension, float spacing, couVec3 gravity)
{
    couWorldDef def = sph_def(method, dimension, spacing, gravity);
    return make_sph_world_from(&def);
}

static inline couSphParams *sph_params(couWorld *world) { return couWorld_MethodParams(world); }
static inline couSphState *sph_state(const couWorld *world) { return couSph_State(&world->fluid); }

/// Fills a shape with particles half a spacing off its faces, each off its place by up to `jitter` spacings, and lets go of it.
static inline int64_t add_jittered(couWorld *world, couMaterialId material, couShape *shape, couPose pose, couVec3 velocity,
                                   float jitter)
{
    couFaults faults = {0};
    couFluidDef def = couDefaultFluidDef();
    def.material = material, def.shape = shape, def.pose = pose, def.velocity = velocity, def.jitter = jitter;
    int64_t count = couWorld_AddFluid(world, &def, &faults);
    CHECK_NO_FAULTS(&faults);
    assert_true(count > 0);
    couShape_Release(shape);
    return count;
}

static inline int64_t add_lattice(couWorld *world, couMaterialId material, couShape *shape, couPose pose)
{
    return add_jittered(world, material, shape, pose, NO_GRAVITY, 0);
}

// --- Single phases -----------------------------------------------------------------------------------------------------------

/// A step of dt seconds as the world makes it, before its first phase.
static inline couStep open_step(couWorld *world, float dt, couStepReport *report)
{
    if (!world->is_prepared) prepare_world(world);
    couArena_Reset(&world->scratch);
    couPredictBodies(&world->bodies, world->time, dt);
    return (couStep){.fluid = &world->fluid, .dt = dt, .time = world->time, .index = world->step_count, .report = report};
}

/// The step up to its pairs: sorted, samples placed, densities and gradients known.
static inline couStep open_pairs(couWorld *world, float dt, couStepReport *report)
{
    couStep step = open_step(world, dt, report);
    couPhase_Sort(&step);
    couPhase_Boundary(&step);
    couPhase_Pairs(&step);
    assert_false(step.has_failed);
    return step;
}

// --- Sums over all pairs -----------------------------------------------------------------------------------------------------

typedef struct Vec {
    double x, y, z;
} Vec;

static inline Vec sub(Vec a, Vec b) { return (Vec){a.x - b.x, a.y - b.y, a.z - b.z}; }
static inline Vec add_scaled(Vec a, double s, Vec b) { return (Vec){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z}; }
static inline double dot(Vec a, Vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline double length(Vec a) { return sqrt(dot(a, a)); }
static inline Vec from_record(couVec4 a) { return (Vec){a.x, a.y, a.z}; }

/// Particles and samples of a world in double precision: rows as in the columns, fluid first, samples from `base`.
typedef struct Reference {
    size_t count, base, rows; // rows: end of the samples
    Vec *x, *v;
    double *volume; // of the row / V of a fluid particle
    double *stick;  // of samples
    double *weight; // inverse relative density of fluid particles
    double unit;    // V times what makes the lattice's density 1
    double period[3];
    double h;
    couKernel density_kernel, gradient_kernel;
} Reference;

static inline Reference make_reference(const couWorld *world)
{
    const couFluid *fluid = &world->fluid;
    const couSphState *state = sph_state(world);
    size_t n = fluid->table.count, solids = fluid->boundary.table.count, base = n + COU_TABLE_PADDING;
    Reference r = {.count = n, .base = base, .rows = base + solids, .h = fluid->h};
    r.x = calloc(r.rows, sizeof *r.x), r.v = calloc(r.rows, sizeof *r.v);
    r.volume = calloc(r.rows, sizeof *r.volume), r.stick = calloc(r.rows, sizeof *r.stick);
    r.weight = calloc(r.rows, sizeof *r.weight);
    for (size_t i = 0; i < n; ++i) {
        r.x[i] = from_record(couFluid_Position(fluid)[i]), r.v[i] = from_record(couFluid_Velocity(fluid)[i]);
        r.volume[i] = 1;
        r.weight[i] = state->reference_density / (double)fluid->materials[couFluid_Material(fluid)[i]].density;
    }
    for (size_t k = 0; k < solids; ++k) {
        couVec4 x = couBoundary_Position(&fluid->boundary)[k], v = couBoundary_Velocity(&fluid->boundary)[k];
        r.x[base + k] = from_record(x), r.v[base + k] = from_record(v);
        r.volume[base + k] = x.w, r.stick[base + k] = v.w;
    }
    r.density_kernel = state->density_kernel, r.gradient_kernel = state->gradient_kernel;
    // The volume of a particle and the lattice's own sum, not taken from the method.
    couKernelSums sums = couSumKernels(&r.density_kernel, &r.gradient_kernel, fluid->spacing);
    double cell = pow(fluid->spacing, fluid->dimension);
    r.unit = ((const couSphParams *)fluid->params)->fill * cell / (cell * sums.value);
    for (int a = 0; a < 3; ++a) r.period[a] = fluid->period.length[a];
    return r;
}

static inline void free_reference(Reference *r) { free(r->x), free(r->v), free(r->volume), free(r->stick), free(r->weight); }

/// The row after k: first all of the fluid, then all samples.
static inline size_t next_row(const Reference *r, size_t k) { return k + 1 == r->count ? r->base : k + 1; }
#define FOR_ROWS(r, j) for (size_t j = (r)->count ? 0 : (r)->base; j < (r)->rows; j = next_row(r, j))

/// From j to i, through the ends of periods where that is nearer.
static inline Vec offset(const Reference *r, size_t i, size_t j)
{
    Vec d = sub(r->x[i], r->x[j]);
    double *axis[3] = {&d.x, &d.y, &d.z};
    for (int a = 0; a < 3; ++a)
        if (r->period[a] > 0) *axis[a] -= r->period[a] * round(*axis[a] / r->period[a]);
    return d;
}

/// G_ij = V_j grad W_ij; zero for far ones and for i itself.
static inline Vec pair_gradient(const Reference *r, size_t i, size_t j)
{
    Vec d = offset(r, i, j);
    double distance = length(d);
    if (i == j || distance >= r->h || !(distance > 0)) return (Vec){0, 0, 0};
    return add_scaled((Vec){0, 0, 0}, r->unit * r->volume[j] * couKernel_Slope(&r->gradient_kernel, distance) / distance, d);
}

static inline double pair_density(const Reference *r, size_t i, size_t j)
{
    return r->unit * r->volume[j] * couKernel_Value(&r->density_kernel, length(offset(r, i, j)));
}

/// D_i of all particles; free it.
static inline double *brute_densities(const Reference *r)
{
    double *density = calloc(r->count + 1, sizeof *density);
    for (size_t i = 0; i < r->count; ++i) FOR_ROWS(r, j) density[i] += pair_density(r, i, j);
    return density;
}

/// Rate of change of D_i by velocities v (rows as those of r).
static inline double density_rate(const Reference *r, const Vec *v, size_t i)
{
    double rate = 0;
    FOR_ROWS(r, j) rate += dot(pair_gradient(r, i, j), sub(v[i], v[j]));
    return rate;
}

/// The stored gradient of entry k of particle i's list, and the row that it is of. Entries count fluid first, then samples.
static inline Vec stored_gradient(const couSphLoop *loop, size_t i, int k, bool is_solid, size_t *row)
{
    couPairList found = couPairs_Of(loop, i);
    int place = is_solid ? found.fluid_blocks * COU_WIDTH + k : k;
    const couPairBlock *pair = &found.pairs[place / COU_WIDTH];
    int lane = place % COU_WIDTH;
    double scale = loop->gradient_scale[is_solid];
    *row = found.list[place];
    return (Vec){scale * pair->x[lane], scale * pair->y[lane], scale * pair->z[lane]};
}

static inline int list_count(const couSphLoop *loop, size_t i, bool is_solid)
{
    const couNeighbors *neighbors = loop->neighbors;
    return !is_solid ? neighbors->count[i] : neighbors->solid_count ? neighbors->solid_count[i] : 0;
}

/// Momentum of the fluid, and the sum of its magnitudes.
static inline Vec fluid_momentum(const couWorld *world, double *magnitude)
{
    couMeasurement m = couWorld_Measure(world);
    if (magnitude) {
        *magnitude = 0;
        for (size_t i = 0; i < world->fluid.table.count; ++i)
            *magnitude += world->fluid.mass[couFluid_Material(&world->fluid)[i]] *
                          length(from_record(couFluid_Velocity(&world->fluid)[i]));
    }
    return (Vec){m.momentum[0], m.momentum[1], m.momentum[2]};
}
