// Forces of finite elements. Cells are sorted along a curve that fills space and cut into blocks, which thus share few points
// with each other. A block takes the displacements of its points together, adds up what its cells do to them, and writes that
// down; points then add up what their blocks wrote, in the order of the blocks: the same bits whatever thread does what. A block
// of 1024 cells of a regular mesh has some 300 points, so that of a cell 88 bytes are read and some 30 of its share of the
// points, where forces by corner would be 192 written and read again.

#include "soft/cell_forces.h"

#include <stdlib.h>

enum { POINT_BLOCK = 2048, NOWHERE = 0xffff };

// --- Building ----------------------------------------------------------------------------------------------------------------

typedef struct Place {
    uint64_t key;
    uint32_t cell;
} Place;

// Puts two zeros behind each of 21 bits.
static uint64_t spread(uint64_t a)
{
    a = (a | a << 32) & 0x1f00000000ffff;
    a = (a | a << 16) & 0x1f0000ff0000ff;
    a = (a | a << 8) & 0x100f00f00f00f00f;
    a = (a | a << 4) & 0x10c30c30c30c30c3;
    return (a | a << 2) & 0x1249249249249249;
}

static int compare_places(const void *a, const void *b)
{
    const Place *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return (x->cell > y->cell) - (x->cell < y->cell);
}

// Cells in Morton's order of their middles.
static void sort_cells(const couSolidMesh *mesh, Place *places)
{
    couDouble3 lower = couWiden(mesh->bounds.lower), size = couSub3(couWiden(mesh->bounds.upper), lower);
    double scale = 2097151.0 / fmax(fmax(size.x, size.y), fmax(size.z, 1e-300));
    for (size_t c = 0; c < mesh->cell_count; ++c) {
        couDouble3 p[COU_MAX_CORNERS], middle = {0, 0, 0};
        couSolidMesh_Corners(mesh, c, p);
        for (int k = 0; k < mesh->corners; ++k) middle = couMulAdd3(middle, 1.0 / mesh->corners, p[k]);
        couDouble3 at = couScale3(scale, couSub3(middle, lower));
        uint64_t x = (uint64_t)COU_CLAMP(at.x, 0, 2097151.0), y = (uint64_t)COU_CLAMP(at.y, 0, 2097151.0),
                 z = (uint64_t)COU_CLAMP(at.z, 0, 2097151.0);
        places[c] = (Place){spread(x) | spread(y) << 1 | spread(z) << 2, (uint32_t)c};
    }
    couSort(places, mesh->cell_count, sizeof *places, compare_places);
}

static void set_cell(couCellGroup *group, int lane, const couSolidMesh *mesh, size_t cell)
{
    couDouble3 p[COU_MAX_CORNERS], gradients[COU_MAX_CORNERS];
    couSolidMesh_Corners(mesh, cell, p);
    group->volume[lane] = couCellGradients(mesh->dimension, p, gradients);
    for (int k = 0; k < 3; ++k) {
        const double parts[3] = {gradients[k + 1].x, gradients[k + 1].y, gradients[k + 1].z};
        for (int a = 0; a < 3; ++a) group->gradient[k][a][lane] = parts[a];
    }
}

// The block's points are numbered as its cells meet them; `local` is NOWHERE for all before and after.
static void number_points(couCellForces *cells, couCellBlock *block, const couSolidMesh *mesh, const Place *places,
                          size_t cell_count, uint16_t *local)
{
    uint32_t *points = cells->points + block->first_point;
    for (size_t k = 0; k < cell_count; ++k) {
        couCellGroup *group = &cells->groups[block->first_group + k / COU_DOUBLE_WIDTH];
        const uint32_t *n = &mesh->cells[places[k].cell * (size_t)mesh->corners];
        for (int c = 0; c < 4; ++c) {
            uint32_t point = n[c < mesh->corners ? c : 0]; // triangles have their first corner twice
            if (local[point] == NOWHERE) {
                local[point] = (uint16_t)block->point_count;
                points[block->point_count++] = point;
            }
            group->corner[c][k % COU_DOUBLE_WIDTH] = local[point];
        }
    }
    for (uint32_t k = 0; k < block->point_count; ++k) local[points[k]] = NOWHERE;
}

static void fill_blocks(couCellForces *cells, const couSolidMesh *mesh, const Place *places, uint16_t *local)
{
    memset(local, 0xff, mesh->point_count * sizeof *local);
    for (size_t b = 0; b < cells->block_count; ++b) {
        size_t first = b * COU_CELL_BLOCK, count = COU_MIN(mesh->cell_count - first, (size_t)COU_CELL_BLOCK);
        couCellBlock *block = &cells->blocks[b];
        *block = (couCellBlock){.first_group = (uint32_t)(first / COU_DOUBLE_WIDTH),
                                .group_count = (uint32_t)((count + COU_DOUBLE_WIDTH - 1) / COU_DOUBLE_WIDTH),
                                .first_point = (uint32_t)cells->entry_count};
        for (size_t k = 0; k < count; ++k) {
            size_t slot = first + k;
            set_cell(&cells->groups[slot / COU_DOUBLE_WIDTH], (int)(slot % COU_DOUBLE_WIDTH), mesh, places[slot].cell);
            cells->slots[places[slot].cell] = (uint32_t)slot;
        }
        number_points(cells, block, mesh, places + first, count, local);
        cells->entry_count += block->point_count;
    }
}

// Entries by point, ascending as they are counted in their order.
static bool list_shares(couCellForces *cells, size_t point_count)
{
    cells->share_start = couAlloc(cells->memory, (point_count + 2) * sizeof *cells->share_start);
    cells->shares = couAlloc(cells->memory, (cells->entry_count + 1) * sizeof *cells->shares);
    cells->forces = couAlloc(cells->memory, (cells->entry_count + 1) * sizeof *cells->forces);
    cells->displacements = couAlloc(cells->memory, (cells->entry_count + 1) * sizeof *cells->displacements);
    cells->velocities = couAlloc(cells->memory, (cells->entry_count + 1) * sizeof *cells->velocities);
    if (!cells->share_start || !cells->shares || !cells->forces || !cells->displacements || !cells->velocities) return false;
    uint32_t *next = cells->share_start + 1; // each point's start, until it has become the next one's
    for (size_t k = 0; k < cells->entry_count; ++k) next[cells->points[k] + 1]++;
    for (size_t i = 0; i < point_count; ++i) next[i + 1] += next[i];
    for (size_t k = 0; k < cells->entry_count; ++k) cells->shares[next[cells->points[k]]++] = (uint32_t)k;
    return true;
}

bool couCellForces_Build(couCellForces *cells, couMemory *memory, const couSolidMesh *mesh)
{
    static couAddCellForcesFcn *const variants[] = COU_VARIANTS(couAddCellForces);
    size_t count = mesh->cell_count, entries = count * (size_t)mesh->corners;
    *cells = (couCellForces){.memory = memory, .add = variants[couBestIsa()]};
    cells->block_count = (count + COU_CELL_BLOCK - 1) / COU_CELL_BLOCK;
    cells->group_count = (count + COU_DOUBLE_WIDTH - 1) / COU_DOUBLE_WIDTH;
    cells->groups = couAlloc(memory, cells->group_count * sizeof *cells->groups);
    cells->blocks = couAlloc(memory, cells->block_count * sizeof *cells->blocks);
    cells->slots = couAlloc(memory, count * sizeof *cells->slots);
    cells->points = couAlloc(memory, entries * sizeof *cells->points);
    Place *places = couAlloc(NULL, count * sizeof *places);
    uint16_t *local = couAlloc(NULL, mesh->point_count * sizeof *local);
    bool is_good = cells->groups && cells->blocks && cells->slots && cells->points && places && local;
    if (is_good) {
        sort_cells(mesh, places);
        fill_blocks(cells, mesh, places, local);
        is_good = list_shares(cells, mesh->point_count);
    }
    couFree(NULL, places);
    couFree(NULL, local);
    if (!is_good) couCellForces_Free(cells);
    return is_good;
}

void couCellForces_Free(couCellForces *cells)
{
    couMemory *memory = cells->memory;
    couFree(memory, cells->groups);
    couFree(memory, cells->blocks);
    couFree(memory, cells->slots);
    couFree(memory, cells->points);
    couFree(memory, cells->share_start);
    couFree(memory, cells->shares);
    couFree(memory, cells->forces);
    couFree(memory, cells->displacements);
    couFree(memory, cells->velocities);
    *cells = (couCellForces){0};
}

// --- Forces ------------------------------------------------------------------------------------------------------------------

typedef struct Job {
    couCellForces *cells;
    const couCellMotion *motion;
    couDouble3 *forces;
} Job;

static inline couDouble4 pad(couDouble3 a) { return (couDouble4){a.x, a.y, a.z, 0.0}; }

static void cell_block(void *context, int number, size_t begin, size_t end, int worker)
{
    (void)number, (void)worker;
    const Job *job = context;
    couCellForces *cells = job->cells;
    const couCellMotion *motion = job->motion;
    bool is_damped = motion->damping > 0, has_rate = is_damped && motion->law == cou_lawGreen;
    for (size_t b = begin; b < end; ++b) {
        const couCellBlock *block = &cells->blocks[b];
        const uint32_t *points = cells->points + block->first_point;
        couDouble4 *displacement = cells->displacements + block->first_point, *velocity = cells->velocities + block->first_point;
        for (uint32_t k = 0; k < block->point_count; ++k) {
            uint32_t i = points[k];
            couDouble3 u = couSub3(motion->position[i], motion->rest[i]);
            // The linear laws take u + damping v in the place of u.
            displacement[k] = pad(is_damped && !has_rate ? couMulAdd3(u, motion->damping, motion->velocity[i]) : u);
            if (has_rate) velocity[k] = pad(motion->velocity[i]);
        }
        couDouble4 *force = cells->forces + block->first_point;
        memset(force, 0, block->point_count * sizeof *force);
        cells->add(&(couCellTask){.groups = cells->groups + block->first_group,
                                  .group_count = block->group_count,
                                  .displacement = displacement,
                                  .velocity = has_rate ? velocity : NULL,
                                  .force = force,
                                  .law = motion->law,
                                  .lambda = motion->lambda,
                                  .mu = motion->mu,
                                  .damping = motion->damping});
    }
}

static void point_block(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)block, (void)worker;
    const Job *job = context;
    const couCellForces *cells = job->cells;
    for (size_t i = begin; i < end; ++i) {
        couDouble3 sum = {0, 0, 0};
        for (uint32_t k = cells->share_start[i]; k < cells->share_start[i + 1]; ++k) {
            const couDouble4 *share = &cells->forces[cells->shares[k]];
            sum = couAdd3(sum, (couDouble3){share->x, share->y, share->z});
        }
        job->forces[i] = sum;
    }
}

void couCellForces_Find(couCellForces *cells, const couParallel *parallel, size_t point_count, const couCellMotion *motion,
                        couDouble3 *forces)
{
    Job job = {cells, motion, forces};
    couFor(parallel, cells->block_count, 1, cell_block, &job);
    couFor(parallel, point_count, POINT_BLOCK, point_block, &job);
}
