// Solids as the SPH methods see them: rows of samples behind the fluid's, and what the fluid does to the bodies that they stand
// for.

#include "fluid/soft_samples.h"
#include "fluid/sph.h"

// The samples' rows lie behind the fluid's, with padding between and behind.
void couPhase_Boundary(couStep *step)
{
    couFluid *fluid = step->fluid;
    couBoundary *boundary = &fluid->boundary;
    const couSphParams *p = fluid->params;
    bool is_good = p->boundary == cou_boundaryAkinci ? couPlaceSamples(step) : couSph_PlaceGhosts(step);
    size_t count = fluid->table.count, solids = boundary->table.count;
    if (is_good && !boundary->is_sorted) {
        couGridReport found;
        boundary->grid.period = fluid->period;
        is_good = couGrid_Sort(&boundary->grid, &boundary->table, boundary->position_column, boundary->id_column,
                               couFluid_CellSize(fluid), &fluid->parallel, &found);
        boundary->is_sorted = is_good;
        if (boundary->is_still) couBoundary_Trim(boundary);
    }
    fluid->solid_base = (uint32_t)(count + COU_TABLE_PADDING);
    is_good = is_good && couTable_ReserveTail(&fluid->table, solids);
    if (!is_good) {
        step->has_failed = true;
        return;
    }
    if (!solids) return;
    memcpy(couFluid_Position(fluid) + fluid->solid_base, couBoundary_Position(boundary), solids * sizeof(couVec4));
    memcpy(couFluid_Velocity(fluid) + fluid->solid_base, couBoundary_Velocity(boundary), solids * sizeof(couVec4));
}

// What a particle does to one of its samples.
static void push_sample(const couFluid *fluid, couImpulseSum *sums, uint32_t row, couVec3 at, couVec3 impulse)
{
    uint32_t place = couBoundary_Body(&fluid->boundary)[row];
    couSph_AddImpulse(fluid, sums, place, at, impulse);
    if (place >= fluid->bodies->count) couPushSoft(fluid, row, impulse);
}

// True where all samples of a particle are of one rigid body that does not yield and of which only the whole counts: one impulse
// will do. Bodies that yield get theirs at their samples, as the pressure system has it (yield.c): gradients are rounded.
static bool has_one_body(const couFluid *fluid, size_t i, uint32_t *place)
{
    *place = 0;
    if (fluid->bodies->patches.count) return false;
    if (!fluid->softs.count && fluid->bodies->count == 1) return !couIsFree(&fluid->bodies->items[0]);
    const couNeighbors *neighbors = &fluid->neighbors;
    const uint32_t *list = neighbors->first[i] + neighbors->solid_first[i], *body = couBoundary_Body(&fluid->boundary);
    *place = body[list[0] - fluid->solid_base];
    if (*place >= fluid->bodies->count || couIsFree(&fluid->bodies->items[*place])) return false;
    for (int k = 1; k < neighbors->solid_count[i]; ++k)
        if (body[list[k] - fluid->solid_base] != *place) return false;
    return true;
}

typedef struct BodyJob {
    const couSphLoop *loop;
    const couFluid *fluid;
    const float *kappa;
    float unit; // kg / m: V rho_ref times the scale of gradients
    float dt;
    double (*sums)[6];
} BodyJob;

enum { BODY_BLOCK = 16384 };

// Sample by sample: where a particle's are of several bodies, or somebody asks for more than a body's sum.
static void press_samples(const BodyJob *job, couImpulseSum *sums, size_t i)
{
    const couFluid *fluid = job->fluid;
    const couNeighbors *neighbors = &fluid->neighbors;
    const couWallRows *walls = job->loop->walls_own;
    const uint32_t *list = neighbors->first[i] + neighbors->solid_first[i];
    const couPairBlock *pairs = job->loop->pairs + job->loop->pair_start[i] + neighbors->solid_first[i] / COU_WIDTH;
    for (int k = 0; k < neighbors->solid_count[i]; ++k) {
        const couPairBlock *pair = &pairs[k / COU_WIDTH];
        float size = job->unit * (job->kappa[i] + (walls ? walls->kappa[list[k] - job->loop->count] : 0.0f));
        if (size == 0.0f) continue;
        couVec3 impulse = {size * pair->x[k % COU_WIDTH], size * pair->y[k % COU_WIDTH], size * pair->z[k % COU_WIDTH]};
        push_sample(fluid, sums, list[k] - fluid->solid_base, couXyz(job->loop->position[list[k]]), impulse);
    }
}

// Forces lie on the lines between a particle and its samples, so their moment may be taken at the particle.
static void press_block(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)worker;
    const BodyJob *job = context;
    const couSphLoop *loop = job->loop;
    couImpulseSum *sums = couSph_StartSums(job->fluid, job->sums, block);
    size_t row = loop->wall_start[begin / COU_SPH_BLOCK];
    for (size_t i = begin; i < end; ++i) {
        if (!job->fluid->neighbors.solid_count[i]) continue;
        couVec3 force = couXyz(loop->walls[row++]);
        uint32_t place;
        if (has_one_body(job->fluid, i, &place))
            couSph_AddImpulse(job->fluid, sums, place, couXyz(loop->position[i]), couScale(job->unit, force));
        else
            press_samples(job, sums, i);
    }
}

// Sums are those of the bodies, then of their patches, then of the solids.
static size_t sum_count(const couFluid *fluid) { return couPlaceCount(fluid) + fluid->bodies->patches.count; }

static double *pushed_by(const couFluid *fluid, size_t sum)
{
    const couBodies *bodies = fluid->bodies;
    size_t patches = bodies->patches.count;
    bool is_patch = sum >= bodies->count && sum < bodies->count + patches;
    return is_patch ? bodies->patches.items[sum - bodies->count].pushed
                    : couBodyAt(fluid, sum < bodies->count ? sum : sum - patches)->pushed;
}

couImpulseSum *couSph_StartSums(const couFluid *fluid, couImpulseSum *sums, int block)
{
    size_t count = sum_count(fluid);
    couImpulseSum *own = sums + (size_t)block * count;
    memset(own, 0, count * sizeof *own);
    return own;
}

void couSph_AddImpulse(const couFluid *fluid, double (*sums)[6], uint32_t body, couVec3 at, couVec3 impulse)
{
    double *sum = sums[body < fluid->bodies->count ? body : body + fluid->bodies->patches.count];
    couVec3 arm = couSub(at, couBodyAt(fluid, body)->start_center), moment = couCross(arm, impulse);
    sum[0] += impulse.x, sum[1] += impulse.y, sum[2] += impulse.z;
    sum[3] += moment.x, sum[4] += moment.y, sum[5] += moment.z;
    if (!fluid->bodies->patches.count) return;
    const double all[6] = {impulse.x, impulse.y, impulse.z, moment.x, moment.y, moment.z};
    couAddToPatches(fluid->bodies, sums, body, at, all);
}

bool couSph_SumImpulses(couStep *step, couBlockFcn *function, void *job, double (**sums)[6])
{
    couFluid *fluid = step->fluid;
    size_t blocks = (size_t)couBlockCount(fluid->table.count, BODY_BLOCK);
    if (!couPlaceCount(fluid) || !fluid->boundary.table.count) return true;
    couArenaMark mark = couArena_Mark(fluid->scratch);
    size_t count = sum_count(fluid);
    *sums = couArena_Take(fluid->scratch, blocks * count, sizeof **sums);
    if (!*sums) return false;
    couFor(&fluid->parallel, fluid->table.count, BODY_BLOCK, function, job);
    for (size_t b = 0; b < count; ++b)
        for (size_t k = 0; k < blocks; ++k)
            for (int a = 0; a < 6; ++a) pushed_by(fluid, b)[a] += (*sums)[k * count + b][a];
    couArena_Release(fluid->scratch, mark);
    return true;
}

// A particle that sees several bodies shares its force out by the number of samples.
static void share_block(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)worker;
    const BodyJob *job = context;
    const couFluid *fluid = job->fluid;
    const couNeighbors *neighbors = &fluid->neighbors;
    couImpulseSum *sums = couSph_StartSums(fluid, job->sums, block);
    size_t row = job->loop->wall_start[begin / COU_SPH_BLOCK];
    for (size_t i = begin; i < end; ++i) {
        int solids = neighbors->solid_count[i];
        if (!solids) continue;
        couVec3 at = couXyz(job->loop->position[i]), acceleration = couXyz(job->loop->walls[row++]);
        couVec3 impulse = couScale(-fluid->mass[job->loop->material[i]] * job->dt, acceleration);
        uint32_t place;
        if (has_one_body(fluid, i, &place)) {
            couSph_AddImpulse(fluid, sums, place, at, impulse);
            continue;
        }
        const uint32_t *list = neighbors->first[i] + neighbors->solid_first[i];
        impulse = couScale(1.0f / (float)solids, impulse);
        for (int k = 0; k < solids; ++k) push_sample(fluid, sums, list[k] - fluid->solid_base, at, impulse);
    }
}

void couSph_PushWalls(couStep *step, const couSphLoop *loop, float dt)
{
    BodyJob job = {.loop = loop, .fluid = step->fluid, .dt = dt};
    if (loop->walls && !couSph_SumImpulses(step, share_block, &job, &job.sums)) step->has_failed = true;
}

void couSph_PressBodies(couStep *step, float *kappa)
{
    static couSphLoopFcn *const press[cou_isaCount] = COU_VARIANTS(couSphWallPress);
    couFluid *fluid = step->fluid;
    const couSphState *state = fluid->method_state;
    if (!fluid->boundary.table.count || !couPlaceCount(fluid)) return;
    couArenaMark mark = couArena_Mark(fluid->scratch);
    couSphLoop loop = couSph_Loop(step);
    loop.change = kappa;
    couWalls_Extend(step, &loop, kappa);
    float unit = state->volume * state->reference_density * loop.gradient_scale[1];
    BodyJob job = {.loop = &loop, .fluid = fluid, .kappa = kappa, .unit = unit};
    bool is_good = couSph_KeepWalls(step, &loop);
    if (is_good) {
        couSph_Run(step, &loop, press);
        is_good = couSph_SumImpulses(step, press_block, &job, &job.sums);
    }
    if (!is_good) step->has_failed = true;
    couArena_Release(fluid->scratch, mark);
}

typedef struct CountJob {
    const couNeighbors *neighbors;
    size_t *counts;
} CountJob;

static void count_block(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)worker;
    const CountJob *job = context;
    size_t count = 0;
    for (size_t i = begin; i < end; ++i) count += job->neighbors->solid_count[i] > 0;
    job->counts[block] = count;
}

size_t couSumToStarts(size_t *counts, size_t blocks)
{
    size_t total = 0;
    for (size_t b = 0; b < blocks; ++b) {
        size_t own = counts[b];
        counts[b] = total;
        total += own;
    }
    return total;
}

bool couSph_KeepWalls(const couStep *step, couSphLoop *loop)
{
    couFluid *fluid = step->fluid;
    size_t blocks = (size_t)couBlockCount(loop->count, COU_SPH_BLOCK);
    CountJob job = {&fluid->neighbors, COU_TAKE(fluid->scratch, size_t, blocks)};
    if (!job.counts) return false;
    couFor(&fluid->parallel, loop->count, COU_SPH_BLOCK, count_block, &job);
    size_t rows = couSumToStarts(job.counts, blocks);
    loop->walls = COU_TAKE(fluid->scratch, couVec4, rows + 1);
    loop->wall_start = job.counts;
    return loop->walls != NULL;
}
