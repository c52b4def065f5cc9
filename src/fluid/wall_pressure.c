// Samples that liquid touches, as rows of the pressure system.

#include "fluid/wall_pressure.h"

#include "fluid/sph.h"

#define ROW_BLOCK 256

typedef struct RowJob {
    couSphLoop *loop;
    couSphLoopFcn *function;
} RowJob;

static void row_block(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)worker;
    const RowJob *job = context;
    job->function(job->loop, begin, end, block);
}

static void run_rows(const couStep *step, couSphLoop *loop, couSphLoopFcn *const variants[])
{
    RowJob job = {loop, variants[step->fluid->neighbors.isa]};
    couFor(&step->fluid->parallel, loop->walls_own->count, ROW_BLOCK, row_block, &job);
}

// The liquid's lists of samples, turned round: rows for samples with liquid near them, each with its blocks.
static bool turn_lists(couWallRows *walls, couFluid *fluid)
{
    const couNeighbors *neighbors = &fluid->neighbors;
    size_t count = fluid->table.count, solids = fluid->boundary.table.count;
    uint32_t *next = COU_TAKE(fluid->scratch, uint32_t, solids);
    walls->sample = COU_TAKE(fluid->scratch, uint32_t, solids);
    walls->start = COU_TAKE(fluid->scratch, uint32_t, solids + 1);
    if (!next || !walls->sample || !walls->start) return false;
    memset(next, 0, solids * sizeof *next);
    for (size_t i = 0; i < count; ++i) {
        const uint32_t *list = neighbors->first[i] + neighbors->solid_first[i];
        for (int k = 0; k < neighbors->solid_count[i]; ++k) next[list[k] - fluid->solid_base]++;
    }
    size_t blocks = 0;
    for (size_t s = 0; s < solids; ++s) {
        if (!next[s]) continue;
        walls->sample[walls->count] = (uint32_t)s;
        walls->start[walls->count++] = (uint32_t)blocks;
        size_t first = blocks * COU_WIDTH;
        blocks += (next[s] + COU_WIDTH - 1) / COU_WIDTH;
        next[s] = (uint32_t)first;
    }
    walls->start[walls->count] = (uint32_t)blocks;
    if (blocks * COU_WIDTH > UINT32_MAX) return false;
    walls->list = COU_TAKE(fluid->scratch, uint32_t, blocks * COU_WIDTH + 1);
    walls->pairs = COU_TAKE(fluid->scratch, couPairBlock, blocks + 1);
    if (!walls->list || !walls->pairs) return false;
    for (size_t k = 0; k < blocks * COU_WIDTH; ++k) walls->list[k] = (uint32_t)count; // padding
    for (size_t i = 0; i < count; ++i) {
        const uint32_t *list = neighbors->first[i] + neighbors->solid_first[i];
        for (int k = 0; k < neighbors->solid_count[i]; ++k) walls->list[next[list[k] - fluid->solid_base]++] = (uint32_t)i;
    }
    return true;
}

static float *take_zeros(couFluid *fluid, size_t count)
{
    float *values = COU_TAKE(fluid->scratch, float, count);
    if (values) memset(values, 0, count * sizeof *values);
    return values;
}

bool couWalls_Find(couWallRows *walls, couStep *step)
{
    static couSphLoopFcn *const rows[cou_isaCount] = COU_VARIANTS(couSphWallRows);
    static couSphLoopFcn *const density[cou_isaCount] = COU_VARIANTS(couSphWallDensity);
    couFluid *fluid = step->fluid;
    *walls = (couWallRows){0};
    if (!couSph_HasWallPressure(fluid) || !fluid->boundary.table.count || !fluid->table.count) return true;
    if (!turn_lists(walls, fluid)) return false;
    size_t places = fluid->boundary.table.count + 2 * COU_TABLE_PADDING;
    walls->weight = COU_TAKE(fluid->scratch, float, walls->count + 1);
    walls->excess = COU_TAKE(fluid->scratch, float, walls->count + 1);
    walls->kappa = take_zeros(fluid, places);
    walls->ask = take_zeros(fluid, places);
    walls->share = take_zeros(fluid, places);
    walls->push = COU_TAKE(fluid->scratch, couVec4, places);
    if (!walls->weight || !walls->excess || !walls->kappa || !walls->ask || !walls->share || !walls->push) return false;
    memset(walls->push, 0, places * sizeof *walls->push);
    couSphLoop loop = couSph_Loop(step);
    if (!loop.walls_own) return true; // no liquid near
    run_rows(step, &loop, rows);
    couSph_Run(step, &loop, density);
    return true;
}

void couWalls_Extend(const couStep *step, couSphLoop *loop, const float *values)
{
    static couSphLoopFcn *const extend[cou_isaCount] = COU_VARIANTS(couSphWallExtend);
    if (!loop->walls_own) return;
    loop->extended = values;
    run_rows(step, loop, extend);
}

void couWalls_Ask(const couStep *step, couSphLoop *loop)
{
    static couSphLoopFcn *const ask[cou_isaCount] = COU_VARIANTS(couSphWallAsk);
    if (loop->walls_own) run_rows(step, loop, ask);
}
