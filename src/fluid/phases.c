// Phases that every particle method uses: the cell sort, neighbour lists, contacts, collisions.

#include "fluid/fluid.h"

couVec3 couPartingDirection(int dimension, uint32_t id_a, uint32_t id_b)
{
    couRandom random = {couMix64((uint64_t)COU_MIN(id_a, id_b) << 32 | COU_MAX(id_a, id_b))};
    couVec3 n = {couRandomSigned(&random), couRandomSigned(&random), dimension == 3 ? couRandomSigned(&random) : 0.0f};
    n = couNormalize(n);
    return id_a < id_b ? n : couScale(-1.0f, n);
}

// Back into the box that repeats.
static void wrap_block(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)block, (void)worker;
    const couFluid *fluid = context;
    couVec4 *x = couFluid_Position(fluid);
    for (int a = 0; a < 3; ++a) {
        float length = fluid->period.length[a], lower = fluid->period.lower[a];
        if (!(length > 0.0f)) continue;
        for (size_t i = begin; i < end; ++i) {
            float *place = &x[i].x + a;
            if (*place >= lower && *place < lower + length) continue;
            float turns = floorf((*place - lower) / length);
            *place = COU_CLAMP(*place - turns * length, lower, nextafterf(lower + length, lower));
        }
    }
}

static bool is_periodic(const couFluid *fluid)
{
    return fluid->period.length[0] > 0.0f || fluid->period.length[1] > 0.0f || fluid->period.length[2] > 0.0f;
}

void couPhase_Sort(couStep *step)
{
    couFluid *fluid = step->fluid;
    if (is_periodic(fluid)) couFor(&fluid->parallel, fluid->table.count, 8192, wrap_block, fluid);
    fluid->grid.period = fluid->period;
    if (fluid->method->lend) fluid->grid.lent_scratch = fluid->method->lend(fluid, &fluid->grid.lent_bytes);
    couGridReport found;
    bool is_good = couGrid_Sort(&fluid->grid, &fluid->table, fluid->position_column, fluid->id_column, couFluid_CellSize(fluid),
                                &fluid->parallel, &found);
    step->report->nan_count += found.nan_count;
    step->report->lost_count += found.lost_count;
    if (found.nan_count || found.lost_count) step->report->first_bad_id = found.first_bad_id;
    if (!is_good) step->has_failed = true;
}

void couPhase_Neighbors(couStep *step)
{
    couFluid *fluid = step->fluid;
    if (!couNeighbors_Find(&fluid->neighbors, &fluid->grid, couFluid_Position(fluid), fluid->table.count, fluid->h, NULL,
                           &fluid->parallel)) {
        step->has_failed = true;
        return;
    }
    couSeparate(step);
    step->report->pair_count += fluid->neighbors.pair_count;
    step->report->crowded_count += fluid->neighbors.crowded_count;
}

void couPhase_Contacts(couStep *step)
{
    if (!couFindContacts(step)) step->has_failed = true;
}

#define BLOCK 8192

static void move_block(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)block, (void)worker;
    const couStep *step = context;
    couVec4 *x = couFluid_Position(step->fluid), *previous = couFluid_Previous(step->fluid);
    const couVec4 *v = couFluid_Velocity(step->fluid);
    float dt = step->dt;
    for (size_t i = begin; i < end; ++i) {
        previous[i] = x[i];
        x[i].x += dt * v[i].x, x[i].y += dt * v[i].y, x[i].z += dt * v[i].z;
    }
}

void couPhase_Move(couStep *step) { couFor(&step->fluid->parallel, step->fluid->table.count, BLOCK, move_block, step); }

// The same as v = (x - previous) / dt, without losing the digits of v where nothing happened to the particle.
static void velocity_block(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)block, (void)worker;
    const couStep *step = context;
    const couVec4 *x = couFluid_Position(step->fluid), *previous = couFluid_Previous(step->fluid);
    couVec4 *v = couFluid_Velocity(step->fluid);
    float dt = step->dt, inv_dt = 1.0f / dt;
    for (size_t i = begin; i < end; ++i) {
        v[i].x += (x[i].x - (previous[i].x + dt * v[i].x)) * inv_dt;
        v[i].y += (x[i].y - (previous[i].y + dt * v[i].y)) * inv_dt;
        v[i].z += (x[i].z - (previous[i].z + dt * v[i].z)) * inv_dt;
    }
}

void couPhase_Velocity(couStep *step) { couFor(&step->fluid->parallel, step->fluid->table.count, BLOCK, velocity_block, step); }
