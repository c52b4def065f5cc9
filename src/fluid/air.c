// Ghosts in the air over free surfaces [Schechter and Bridson 2012; Gagneux 2022, 2.4.1.1]: the density of liquid at a surface is
// short of what the air would add, and particles there crowd together until it is made up. Ghosts add it.
//
// Schechter and Bridson spread them at random anew in every step. Here they stand on a lattice of the spacing that is fixed in
// space, and one counts the less the more liquid there is around it: nothing from the density on that the outermost row of a
// flat surface has, all from the density on that the next row would see there, in between linearly. So nothing jumps while the
// liquid passes, there are none inside of it, and a flat surface has the density of the inside.
//
// They add to the density alone, and no more than what it is short of. As rows of the pressure system, tried first, they are a
// wall around the liquid, which then stays compressed by 3 % as a drop and flies apart as a tank; and nobody takes their
// reaction. Without the limit round surfaces, whose ghosts are too many, push their particles out for ever: a drop flew apart
// within 0.2 s. So the air does not resist, and momentum is kept. Costs a look at the cells near a surface in every step.

#include "fluid/sph.h"

typedef struct Cell {
    int32_t at[3]; // z, y, x
} Cell;

typedef struct AirJob {
    const couFluid *fluid;
    const Cell *cells;
    couAirGhost *ghosts; // `room` of each cell
    uint32_t *counts;    // of ghosts in each cell
    size_t cell_count, room;
    float full;           // particles in and around a cell inside the liquid
    float inside, unit;   // density of the outermost row of a surface; of a sum of W
    const couVec4 *image; // mirror images; NULL: none
} AirJob;

// More than this share of a full neighbourhood: no surface is near.
#define DEEP_SHARE 0.98f
#define LEAST_WEIGHT 0.02f // of a ghost that is worth its room

static int compare_cells(const void *a, const void *b)
{
    const int32_t *s = ((const Cell *)a)->at, *t = ((const Cell *)b)->at;
    for (int k = 0; k < 3; ++k)
        if (s[k] != t[k]) return s[k] < t[k] ? -1 : 1;
    return 0;
}

// The cells in and next to those of the liquid, each once, ascending. NULL without memory.
static Cell *list_cells(const couFluid *fluid, size_t *count)
{
    const couGrid *grid = &fluid->grid;
    int deep = fluid->dimension == 3;
    size_t most = grid->cell_count * (deep ? 27 : 9);
    Cell *cells = COU_TAKE(fluid->scratch, Cell, most + 1);
    *count = 0;
    for (size_t c = 0; cells && c < grid->cell_count; ++c) {
        int32_t at[3];
        couGrid_Coordinates(grid, grid->keys[c], at);
        for (int z = -deep; z <= deep; ++z)
            for (int y = -1; y <= 1; ++y)
                for (int x = -1; x <= 1; ++x) cells[(*count)++] = (Cell){{at[2] + z, at[1] + y, at[0] + x}};
    }
    if (!cells || !*count) return cells;
    couSort(cells, *count, sizeof *cells, compare_cells);
    size_t kept = 1;
    for (size_t k = 1; k < *count; ++k)
        if (compare_cells(&cells[k], &cells[kept - 1]) != 0) cells[kept++] = cells[k];
    *count = kept;
    return cells;
}

typedef struct Around {
    couRange liquid[COU_MAX_RANGES], images[COU_MAX_RANGES];
    int liquid_count, image_count;
} Around;

static float count_around(const Around *around)
{
    uint32_t sum = 0;
    for (int k = 0; k < around->liquid_count; ++k) sum += around->liquid[k].end - around->liquid[k].begin;
    for (int k = 0; k < around->image_count; ++k) sum += around->images[k].end - around->images[k].begin;
    return (float)sum;
}

// What there is at a point of the air: the weight of a ghost and its velocity. False where there shall be none.
static bool look_around(const AirJob *job, const Around *around, couVec3 x, couAirGhost *ghost)
{
    const couFluid *fluid = job->fluid;
    const couSphState *state = fluid->method_state;
    const couVec4 *position = couFluid_Position(fluid), *velocity = couFluid_Velocity(fluid);
    float liquid = 0.0f, images = 0.0f, reach = fluid->h * fluid->h;
    couVec3 v = {0};
    for (int k = 0; k < around->liquid_count; ++k)
        for (uint32_t j = around->liquid[k].begin; j < around->liquid[k].end; ++j) {
            couVec3 way = couSub(couXyz(position[j]), x);
            if (couDot(way, way) >= reach) continue;
            float w = (float)couKernel_Value(&state->density_kernel, couLength(way));
            liquid += w;
            v = couMulAdd(v, w, couXyz(velocity[j]));
        }
    if (!(liquid > 0.0f)) return false;
    for (int k = 0; k < around->image_count; ++k)
        for (uint32_t j = around->images[k].begin; j < around->images[k].end; ++j) {
            couVec3 way = couSub(couXyz(job->image[j]), x);
            if (couDot(way, way) < reach) images += (float)couKernel_Value(&state->density_kernel, couLength(way));
        }
    float weight = (job->inside - job->unit * (liquid + images)) / (2.0f * job->inside - 1.0f);
    if (weight < LEAST_WEIGHT) return false;
    v = couScale(1.0f / liquid, v);
    ghost->position = (couVec4){x.x, x.y, x.z, COU_MIN(weight, 1.0f)};
    ghost->velocity = (couVec4){v.x, v.y, v.z, 0.0f};
    return true;
}

// The places of the lattice, at whole spacings and a half, in a cell.
static void fill_cell(AirJob *job, size_t c, const Around *around)
{
    float d = job->fluid->spacing, edge = couFluid_CellSize(job->fluid);
    int32_t low[3], high[3];
    for (int a = 0; a < 3; ++a) {
        float at = (float)job->cells[c].at[2 - a];
        low[a] = couFloorInt(edge * at / d + 0.5f), high[a] = couFloorInt(edge * (at + 1.0f) / d + 0.5f);
    }
    bool is_flat = job->fluid->dimension == 2;
    if (is_flat) low[2] = 0, high[2] = 1;
    for (int32_t k = low[2]; k < high[2]; ++k)
        for (int32_t j = low[1]; j < high[1]; ++j)
            for (int32_t i = low[0]; i < high[0]; ++i) {
                couVec3 x = {d * ((float)i + 0.5f), d * ((float)j + 0.5f), is_flat ? 0.0f : d * ((float)k + 0.5f)};
                couAirGhost *ghost = &job->ghosts[c * job->room + job->counts[c]];
                if (job->counts[c] == job->room || !look_around(job, around, x, ghost)) continue;
                ghost->id = couMix32(couMix32(couMix32((uint32_t)i) + (uint32_t)j) + (uint32_t)k);
                job->counts[c]++;
            }
}

static void air_block(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)block, (void)worker;
    AirJob *job = context;
    couRows liquid, images;
    couRows_Start(&liquid, &job->fluid->grid);
    if (job->image) couRows_Start(&images, &job->fluid->boundary.grid);
    for (size_t c = begin; c < end; ++c) {
        const int32_t *at = job->cells[c].at, cell[3] = {at[2], at[1], at[0]};
        Around around = {.liquid_count = 0};
        around.liquid_count = couRows_Next(&liquid, cell, around.liquid);
        if (job->image) around.image_count = couRows_Next(&images, cell, around.images);
        job->counts[c] = 0;
        if (count_around(&around) < job->full) fill_cell(job, c, &around);
    }
}

// The first cell that is not before this one.
static size_t find_cell(const AirJob *job, const Cell *cell)
{
    size_t low = 0, high = job->cell_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (compare_cells(&job->cells[middle], cell) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// What the ghosts of a cell add to the density of the particles from `begin` to `end`: at most what is missing there.
static void add_cell(const AirJob *job, size_t c, uint32_t begin, uint32_t end)
{
    const couFluid *fluid = job->fluid;
    const couSphState *state = fluid->method_state;
    const couVec4 *position = couFluid_Position(fluid);
    float *density = couFluid_Density(fluid), reach = fluid->h * fluid->h;
    for (uint32_t i = begin; i < end; ++i)
        for (uint32_t k = 0; k < job->counts[c] && density[i] < 1.0f; ++k) {
            couVec4 ghost = job->ghosts[c * job->room + k].position;
            couVec3 way = couSub(couXyz(ghost), couXyz(position[i]));
            if (couDot(way, way) >= reach) continue;
            float more = job->unit * ghost.w * (float)couKernel_Value(&state->density_kernel, couLength(way));
            density[i] = COU_MIN(density[i] + more, 1.0f);
        }
}

// Over the cells of the liquid.
static void density_block(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)block, (void)worker;
    const AirJob *job = context;
    const couGrid *grid = &job->fluid->grid;
    int deep = job->fluid->dimension == 3;
    for (size_t g = begin; g < end; ++g) {
        int32_t at[3];
        couGrid_Coordinates(grid, grid->keys[g], at);
        for (int z = -deep; z <= deep; ++z)
            for (int y = -1; y <= 1; ++y) {
                Cell first = {{at[2] + z, at[1] + y, at[0] - 1}}, last = {{at[2] + z, at[1] + y, at[0] + 1}};
                for (size_t c = find_cell(job, &first); c < job->cell_count && compare_cells(&job->cells[c], &last) <= 0; ++c)
                    add_cell(job, c, grid->cell_start[g], grid->cell_start[g + 1]);
            }
    }
}

// All ghosts of the step, one after the other.
static void keep_ghosts(const AirJob *job, couSphState *state)
{
    state->air = job->ghosts;
    for (size_t c = 0; c < job->cell_count; ++c)
        for (uint32_t k = 0; k < job->counts[c]; ++k) state->air[state->air_count++] = job->ghosts[c * job->room + k];
}

bool couSph_FindAir(couStep *step)
{
    couFluid *fluid = step->fluid;
    couSphState *state = fluid->method_state;
    const couBoundary *boundary = &fluid->boundary;
    state->air_count = 0;
    if (((const couSphParams *)fluid->params)->boundary != cou_boundaryAir || !fluid->table.count) return true;
    int n = fluid->dimension;
    double missing = 0, per_axis = (double)(couFluid_CellSize(fluid) / fluid->spacing);
    for (int k = 1; k < COU_COUNT(state->lattice.layer); ++k) missing += state->lattice.layer[k];
    AirJob job = {.fluid = fluid,
                  .room = (size_t)pow(floor(per_axis) + 1, n),
                  .full = DEEP_SHARE * (float)pow(3 * per_axis, n),
                  .inside = (float)(1 - missing / state->lattice.value),
                  .unit = state->volume * state->density_unit,
                  .image = boundary->table.count ? couBoundary_Position(boundary) : NULL};
    job.cells = list_cells(fluid, &job.cell_count);
    job.ghosts = job.cells ? COU_TAKE(fluid->scratch, couAirGhost, job.cell_count * job.room) : NULL;
    job.counts = job.ghosts ? COU_TAKE(fluid->scratch, uint32_t, job.cell_count) : NULL;
    if (!job.counts) return false;
    couFor(&fluid->parallel, job.cell_count, 64, air_block, &job);
    couFor(&fluid->parallel, fluid->grid.cell_count, 64, density_block, &job);
    keep_ghosts(&job, state);
    return true;
}

bool couSph_ShowAir(couStep *step)
{
    couFluid *fluid = step->fluid;
    const couSphState *state = fluid->method_state;
    couBoundary *boundary = &fluid->boundary;
    size_t row = state->air_count ? couTable_AddRows(&boundary->table, state->air_count) : 0;
    if (row == SIZE_MAX) return false;
    for (size_t k = 0; k < state->air_count; ++k) {
        couBoundary_Position(boundary)[row + k] = state->air[k].position;
        couBoundary_Velocity(boundary)[row + k] = state->air[k].velocity;
        couBoundary_Id(boundary)[row + k] = state->air[k].id;
        couBoundary_Body(boundary)[row + k] = (uint32_t)(fluid->bodies->count + fluid->solids->count);
    }
    return true;
}
