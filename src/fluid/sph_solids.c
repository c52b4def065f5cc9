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

typedef struct BodyJob {
    const couSphLoop *loop;
    const couFluid *fluid;
    const float *kappa;
    float unit; // kg: V rho_ref
    double (*sums)[6];
} BodyJob;

enum { BODY_BLOCK = 16384 };

static void press_block(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)worker;
    const BodyJob *job = context;
    const couFluid *fluid = job->fluid;
    const couNeighbors *neighbors = &fluid->neighbors;
    couImpulseSum *sums = couSph_StartSums(fluid, job->sums, block);
    const couWallRows *walls = job->loop->walls_own;
    for (size_t i = begin; i < end; ++i) {
        if (!neighbors->solid_count[i]) continue;
        const uint32_t *list = neighbors->first[i] + neighbors->solid_first[i];
        const couPairBlock *pairs = job->loop->pairs + job->loop->pair_start[i] + neighbors->solid_first[i] / COU_WIDTH;
        float unit = job->unit * job->loop->gradient_scale[1];
        for (int k = 0; k < neighbors->solid_count[i]; ++k) {
            const couPairBlock *pair = &pairs[k / COU_WIDTH];
            float size = unit * (job->kappa[i] + (walls ? walls->kappa[list[k] - job->loop->count] : 0.0f));
            if (size == 0.0f) continue;
            couVec3 impulse = {size * pair->x[k % COU_WIDTH], size * pair->y[k % COU_WIDTH], size * pair->z[k % COU_WIDTH]};
            couSph_PushSample(fluid, sums, list[k] - fluid->solid_base, couXyz(job->loop->position[list[k]]), impulse);
        }
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

void couSph_PushSample(const couFluid *fluid, double (*sums)[6], uint32_t row, couVec3 at, couVec3 impulse)
{
    uint32_t place = couBoundary_Body(&fluid->boundary)[row];
    couSph_AddImpulse(fluid, sums, place, at, impulse);
    if (place >= fluid->bodies->count) couPushSoft(fluid, row, impulse);
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

void couSph_PressBodies(couStep *step, const float *kappa)
{
    couSphLoop loop = couSph_Loop(step);
    const couSphState *state = step->fluid->method_state;
    couWalls_Extend(step, &loop, kappa);
    BodyJob job = {&loop, step->fluid, kappa, state->volume * state->reference_density, NULL};
    if (!couSph_SumImpulses(step, press_block, &job, &job.sums)) step->has_failed = true;
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
