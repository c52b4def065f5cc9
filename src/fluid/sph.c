// The SPH family: columns, pairs and the phases that all six methods share.

#include "fluid/sph.h"

#include "fluid/coanda.h"

#include <stdio.h>

// --- Columns -----------------------------------------------------------------------------------------------------------------

bool couSph_Init(couFluid *fluid)
{
    couSphState *state = fluid->method_state;
    couTable *table = &fluid->table;
    fluid->pressure_column = couTable_AddColumn(table, "pressure", "Pa", cou_stateF32, 1, cou_columnState);
    state->divergence_column = state->flow_column = -1;
    if (fluid->method->traits.has_state_equation)
        state->flow_column = couTable_AddColumn(table, "flow_density", "", cou_stateF32, 1, cou_columnState);
    table->columns[fluid->position_column].has_tail = table->columns[fluid->velocity_column].has_tail = true;
    state->factor_column = couTable_AddColumn(table, "factor", "m^2", cou_stateF32, 1, cou_columnScratch);
    state->change_column = couTable_AddColumn(table, "change", "m^2/s", cou_stateF32, 1, cou_columnScratch);
    return true;
}

void couSph_Free(couFluid *fluid)
{
    couSphState *state = fluid->method_state;
    couFree(fluid->memory, state->pair_start);
    couFree(fluid->memory, state->pairs);
    couYield_Free(&state->yield, fluid->memory);
}

void *couSph_Lend(const couFluid *fluid, size_t *bytes)
{
    const couSphState *state = fluid->method_state;
    *bytes = state->pair_capacity * sizeof(couPairBlock);
    return state->pairs;
}

void couSph_Weights(const couFluid *fluid, int material, float *position_w, float *velocity_w)
{
    *position_w = 1.0f;
    *velocity_w = couSph_State(fluid)->inv_density[material];
}

float couSph_Fill(const couFluid *fluid) { return ((const couSphParams *)fluid->params)->fill; }

bool couSph_Pulls(const couFluid *fluid) { return !((const couSphParams *)fluid->params)->clamp; }

couVec4 *couSph_TakeVectors(couFluid *fluid)
{
    size_t count = fluid->table.count, rows = fluid->solid_base + fluid->boundary.table.count + COU_TABLE_PADDING;
    couVec4 *vectors = COU_TAKE(fluid->scratch, couVec4, rows);
    if (vectors) memset(vectors + count, 0, (rows - count) * sizeof *vectors);
    return vectors;
}

// --- Loops -------------------------------------------------------------------------------------------------------------------

couSphLoop couSph_Loop(const couStep *step)
{
    const couFluid *fluid = step->fluid;
    const couSphState *state = fluid->method_state;
    const couSphParams *p = fluid->params;
    const couTable *table = &fluid->table;
    couSphLoop loop = {
        .neighbors = &fluid->neighbors,
        .pair_start = state->pair_start,
        .pairs = state->pairs,
        .position = couFluid_Position(fluid),
        .velocity = couFluid_Velocity(fluid),
        .id = couFluid_Id(fluid),
        .material = couFluid_Material(fluid),
        .density = couFluid_Density(fluid),
        .factor = couTable_Data(table, state->factor_column),
        .pressure = couSph_Pressure(fluid),
        .change = couTable_Data(table, state->change_column),
        .count = table->count,
        .dimension = fluid->dimension,
        .density_kind = state->density_kernel.kind,
        .gradient_kind = state->gradient_kernel.kind,
        .series = state->density_kernel.series,
        .h = fluid->h,
        .spacing = fluid->spacing,
        .is_single_density = state->is_single_density,
        .is_clamped = p->clamp,
        .dt = step->dt,
        .sums = state->block_sums,
        .rough = state->rough,
        .strain = state->strain,
        .kept = state->kept,
        .surface = {state->surface[0], state->surface[1]},
        .walls_own = state->walls.count ? &state->walls : NULL,
        .sample_solid = fluid->boundary.table.count ? couBoundary_Solid(&fluid->boundary) : NULL,
        .solid_base = fluid->solid_base,
    };
    float unit = state->volume * state->density_unit;
    loop.density_scale = unit * state->density_kernel.scale;
    loop.self_density = loop.density_scale; // f(0) = 1 for all of them
    loop.slope_scale = unit * state->gradient_kernel.scale / fluid->h;
    for (int k = 0; k < 2; ++k) loop.gradient_scale[k] = state->gradient_scale[k];
    for (int a = 0; a < 3; ++a) {
        loop.period[a] = fluid->period.length[a];
        loop.is_periodic |= loop.period[a] > 0.0f;
    }
    return loop;
}

typedef struct LoopJob {
    couSphLoop *loop;
    couSphLoopFcn *function;
} LoopJob;

static void loop_block(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)worker;
    const LoopJob *job = context;
    job->function(job->loop, begin, end, block);
}

void couSph_Run(const couStep *step, couSphLoop *loop, couSphLoopFcn *const variants[])
{
    LoopJob job = {loop, variants[step->fluid->neighbors.isa]};
    couFor(&step->fluid->parallel, loop->count, COU_SPH_BLOCK, loop_block, &job);
}

double couSph_SumBlocks(const couFluid *fluid)
{
    double sum = 0;
    int blocks = couBlockCount(fluid->table.count, COU_SPH_BLOCK);
    for (int b = 0; b < blocks; ++b) sum += couSph_State(fluid)->block_sums[b];
    return sum;
}

// --- Pairs -------------------------------------------------------------------------------------------------------------------

typedef struct PairJob {
    const couNeighbors *neighbors;
    size_t *block_starts; // sizes of the blocks at first
    uint32_t *pair_start;
} PairJob;

static uint32_t blocks_of(const couNeighbors *neighbors, size_t i)
{
    int fluid = (neighbors->count[i] + COU_WIDTH - 1) / COU_WIDTH;
    if (!neighbors->solid_count || !neighbors->solid_count[i]) return (uint32_t)fluid;
    return (uint32_t)(neighbors->solid_first[i] / COU_WIDTH + (neighbors->solid_count[i] + COU_WIDTH - 1) / COU_WIDTH);
}

static void count_block(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)worker;
    const PairJob *job = context;
    size_t sum = 0;
    for (size_t i = begin; i < end; ++i) sum += blocks_of(job->neighbors, i);
    job->block_starts[block] = sum;
}

static void start_block(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)worker;
    const PairJob *job = context;
    size_t next = job->block_starts[block];
    for (size_t i = begin; i < end; ++i) {
        job->pair_start[i] = (uint32_t)next;
        next += blocks_of(job->neighbors, i);
    }
}

// `each` records a particle, those of the padding at zero.
static couVec4 *take_records(couFluid *fluid, size_t each)
{
    size_t count = each * fluid->table.count, padding = each * COU_TABLE_PADDING;
    couVec4 *records = COU_TAKE(fluid->scratch, couVec4, count + padding);
    if (records) memset(records + count, 0, padding * sizeof *records);
    return records;
}

// Each particle's place for its gradients: one after the other.
static bool reserve_pairs(couFluid *fluid)
{
    couSphState *state = fluid->method_state;
    size_t count = fluid->table.count, blocks = (size_t)couBlockCount(count, COU_SPH_BLOCK);
    state->block_sums = COU_TAKE(fluid->scratch, double, 4 * blocks);
    bool is_mueller = fluid->method->sph->has_mueller_pressure;
    state->rough = state->strain = NULL;
    if (!(state->kept = COU_TAKE(fluid->scratch, float, count + COU_TABLE_PADDING))) return false;
    if (state->damping > 0.0f && !is_mueller && !(state->rough = take_records(fluid, 1))) return false;
    if (state->is_thick && !is_mueller && !(state->strain = take_records(fluid, 2))) return false;
    couArenaMark mark = couArena_Mark(fluid->scratch);
    size_t *starts = COU_TAKE(fluid->scratch, size_t, blocks);
    if (!state->block_sums || !starts || !COU_GROW(fluid->memory, state->pair_start, state->start_capacity, count)) return false;
    PairJob job = {&fluid->neighbors, starts, state->pair_start};
    couFor(&fluid->parallel, count, COU_SPH_BLOCK, count_block, &job);
    size_t total = couSumToStarts(starts, blocks);
    couFor(&fluid->parallel, count, COU_SPH_BLOCK, start_block, &job);
    couArena_Release(fluid->scratch, mark);
    if (total > UINT32_MAX) return false;
    if (total < state->pair_capacity) return true;
    // The largest array there is: not kept while it grows, and only a little larger than asked for; but each time the system has
    // to hand out its pages anew (with 1/256 a dam grew it in every second step, for 3 % of the time).
    couFree(fluid->memory, state->pairs);
    state->pair_capacity = total + total / 32 + 1;
    state->pairs = couAlloc(fluid->memory, state->pair_capacity * sizeof(couPairBlock));
    if (!state->pairs) state->pair_capacity = 0;
    return state->pairs != NULL;
}

bool couSph_FindContacts(couStep *step)
{
    const couFluid *fluid = step->fluid;
    memcpy(couFluid_Previous(fluid), couFluid_Position(fluid), fluid->table.count * sizeof(couVec4));
    return couFindContacts(step);
}

void couSph_WarnOfSuction(couFluid *fluid, const char *surface)
{
    couSphState *state = fluid->method_state;
    state->has_looked = true;
    couLog(cou_logWarning,
           "%s: %s, where pressures that pull (clamp = false) may tear the liquid apart: they are for full domains; --set "
           "%s.clamp=true",
           fluid->method->name, surface, couSphParamTable.name);
}

bool couSph_HasUnusualSuction(const couFluid *fluid)
{
    const couSphParams *p = fluid->params;
    bool is_solved = !fluid->method->traits.has_state_equation;
    return is_solved && !p->clamp;
}

static void look_for_free_surface(couStep *step)
{
    couFluid *fluid = step->fluid;
    if (couSph_State(fluid)->has_looked || !fluid->table.count || !couSph_HasUnusualSuction(fluid)) return;
    couSph_State(fluid)->has_looked = true;
    double share = couSph_OpenShare(step, 1);
    char surface[80];
    snprintf(surface, sizeof surface, "%.2g %% of the particles lie at a free surface", 100 * share);
    if (share > 0.01) couSph_WarnOfSuction(fluid, surface); // disorder at the start opens a few holes
}

#define FULL_SHARE 0.05 // of the particles of a square tank's surface: disorder opens a few holes
#define OPEN_SHARE 0.5  // likewise: so many lie at a surface, nobody need look closer

// What couSphPairs found.
static void note_extremes(couStep *step, const couSphLoop *loop)
{
    couFluid *fluid = step->fluid;
    couSphState *state = fluid->method_state;
    double fastest = 0, open = 0, surface = pow((double)loop->count, fluid->dimension == 2 ? 0.5 : 2 / 3.0);
    for (int b = 0; b < couBlockCount(loop->count, COU_SPH_BLOCK); ++b) {
        fastest = COU_MAX(fastest, loop->sums[2 * b]);
        open += loop->sums[2 * b + 1];
    }
    fluid->relative_speed = (float)fastest;
    bool is_sealed = ((const couSphParams *)fluid->params)->sealed;
    bool is_even = open <= FULL_SHARE * surface, is_closed = is_even;
    // Disorder in a fast flow looks like a surface to the sums of gradients. State equations, whose pressures are not cut, do not
    // mind, and would only be tidied the more: a vortex of wcsph lost 6 % of its energy so.
    double enough = FULL_SHARE * surface / (double)COU_MAX(loop->count, 1u);
    bool is_doubtful = !is_even && open <= OPEN_SHARE * surface && !fluid->method->traits.has_state_equation;
    if (is_sealed && is_doubtful) is_closed = couSph_OpenShare(step, enough) <= enough;
    state->is_full = is_sealed && loop->count && is_closed;
    state->is_torn = state->is_full && !is_even;
}

void couPhase_Pairs(couStep *step)
{
    couFluid *fluid = step->fluid;
    // What padding points at is there also before any liquid came.
    bool is_good = couTable_Reserve(&fluid->table, 1) && (!fluid->has_thin_solids || couSph_FindContacts(step));
    if (!is_good) {
        step->has_failed = true;
        return;
    }
    const couBoundary *boundary = &fluid->boundary;
    couNeighborSet solids = {&boundary->grid, couFluid_Position(fluid) + fluid->solid_base, fluid->solid_base};
    bool has_solids = boundary->table.count > 0;
    if (!couNeighbors_Find(&fluid->neighbors, &fluid->grid, couFluid_Position(fluid), fluid->table.count, fluid->h,
                           has_solids ? &solids : NULL, &fluid->parallel)) {
        step->has_failed = true;
        return;
    }
    if (fluid->has_thin_solids) couSeparate(step);
    step->report->pair_count += fluid->neighbors.pair_count;
    step->report->crowded_count += fluid->neighbors.crowded_count;
    if (!reserve_pairs(fluid)) {
        step->has_failed = true;
        return;
    }
    static couSphLoopFcn *const variants[cou_isaCount] = COU_VARIANTS(couSphPairs);
    couSphLoop loop = couSph_Loop(step);
    for (size_t k = loop.count; k < loop.count + COU_TABLE_PADDING; ++k) { // what padding in the lists points at
        loop.velocity[k] = (couVec4){0};
        loop.change[k] = loop.factor[k] = 0.0f;
        loop.density[k] = 1.0f;
    }
    loop.walls_own = NULL;
    couSph_Run(step, &loop, variants);
    note_extremes(step, &loop);
    if (!couSph_FindAir(step)) step->has_failed = true;
    // Where there is no surface, or ghosts have made it up, nothing is lacking; in thick liquids the skin's stress is taken off.
    const couSphState *state = fluid->method_state;
    if (state->is_full || state->has_relief || !(state->surface[0] > 0.0f))
        memcpy(loop.kept, loop.density, loop.count * sizeof *loop.kept);
    if (!couWalls_Find(&couSph_State(fluid)->walls, step)) step->has_failed = true;
    couSph_State(fluid)->has_coarse = false;
    if (!couYield_Find(&couSph_State(fluid)->yield, step)) step->has_failed = true;
    bool has_two_solvers = couSph_State(fluid)->divergence_column >= 0;
    couSph_State(fluid)->is_tidied = couSph_State(fluid)->is_full && (has_two_solvers || !couSph_State(fluid)->yield.link_count);
    couSph_State(fluid)->detour = NULL;
    look_for_free_surface(step);
}

// --- Forces ------------------------------------------------------------------------------------------------------------------

void couPhase_Forces(couStep *step)
{
    float kick = couSph_Kick(step);
    couAccelerate(step, kick);
    couSph_PullByBodies(step, kick);
    couSph_Relieve(step, kick);
}

// --- The end of the step -----------------------------------------------------------------------------------------------------

typedef struct HoldJob {
    couStep *step;
    double (*sums)[6];
} HoldJob;

static void hold_block(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)worker;
    const HoldJob *job = context;
    const couFluid *fluid = job->step->fluid;
    couImpulseSum *sums = couSph_StartSums(fluid, job->sums, block);
    couVec4 *v = couFluid_Velocity(fluid);
    for (size_t i = begin; i < end; ++i) {
        const couContact *contacts = couContacts_Of(&fluid->contacts, i);
        couVec3 x = couXyz(couFluid_Position(fluid)[i]);
        for (int k = 0; k < fluid->contacts.count[i]; ++k) {
            if (couDot(contacts[k].normal, x) - contacts[k].offset > fluid->spacing) continue;
            couVec3 wall = couWallVelocity(&fluid->bodies->items[contacts[k].body], x, job->step->dt);
            couVec3 apart = couScale(couDot(contacts[k].normal, couSub(couXyz(v[i]), wall)), contacts[k].normal);
            v[i].x -= apart.x, v[i].y -= apart.y, v[i].z -= apart.z;
            couVec3 impulse = couScale(fluid->mass[couFluid_Material(fluid)[i]], apart);
            couSph_AddImpulse(fluid, sums, (uint32_t)contacts[k].body, x, impulse);
        }
    }
}

void couPhase_Hold(couStep *step)
{
    if (!((const couSphParams *)step->fluid->params)->no_stick) return;
    HoldJob job = {step, NULL};
    bool is_good = couSph_FindContacts(step) && couSph_SumImpulses(step, hold_block, &job, &job.sums);
    if (!is_good) step->has_failed = true;
}

void couPhase_Settle(couStep *step)
{
    couPhase_Velocity(step);
    couSph_Tidy(step);
    if (!couSph_ShowAir(step)) step->has_failed = true;
    step->fluid->last_dt = step->dt;
}
