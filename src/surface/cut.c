// Where the level cuts the field. Each brick that a kernel reaches is evaluated once and forgotten; of those that are cut, one
// bit a node and one float a vertex are kept. So memory goes with the surface, not with the space or the spray around it, and the
// size of the mesh is known before any of it is made.

#include "surface/cut.h"

#include "surface/budget.h"

enum { block_bricks = 32, most_brick_vertices = 3 * cou_brickCells * cou_brickCells * cou_brickCells };

typedef struct couCutBlock {
    couCutBrick *items;
    float *fractions;
    int count;
} couCutBlock;

// A worker's buffers.
typedef struct Scratch {
    couNear near;
    float *field;     // nodes of one brick
    float *fractions; // vertices of one block
    couCutBrick items[block_bricks];
} Scratch;

typedef struct CutJob {
    couCut *cut;
    const couCloud *cloud;
    const couMarchTable *table;
    Scratch *scratch;
    size_t most_bytes; // that may be held
    _Atomic bool is_out_of_memory, is_over_budget;
} CutJob;

// A vertex exactly at a node would make triangles without area.
#define LEAST_FRACTION 0.002f

static float find_fraction(couSurfaceField kind, float a, float b, float level)
{
    if (kind == cou_surfaceClavet) a = sqrtf(a), b = sqrtf(b), level = sqrtf(level);
    float t = (level - a) / (b - a);
    return COU_CLAMP(t, LEAST_FRACTION, 1.0f - LEAST_FRACTION);
}

// Numbers the vertices and elements of a brick and finds where its edges are cut.
static void measure_brick(const CutJob *job, const float *field, couCutBrick *item, float *fractions)
{
    static const int steps[3] = {1, cou_brickNodes, cou_brickNodes * cou_brickNodes};
    const couCloud *cloud = job->cloud;
    int layers = cloud->dimension == 3 ? cou_brickCells : 1, axes = cloud->dimension;
    uint32_t count = 0, elements = 0;
    for (int k = 0; k < layers; ++k) {
        for (int axis = 0; axis < axes; ++axis) {
            item->first[k][axis] = (uint16_t)count;
            for (uint64_t crossed = couCrossed(item->bits, k, axis); crossed; crossed &= crossed - 1) {
                const float *node = field + steps[2] * k + __builtin_ctzll(crossed);
                fractions[count++] = find_fraction(cloud->shape.kind, node[0], node[steps[axis]], cloud->level);
            }
        }
        uint64_t upper = axes == 3 ? item->bits[k + 1] : item->bits[k];
        for (uint64_t mixed = couMixedCells(item->bits[k], upper); mixed; mixed &= mixed - 1) {
            int code = couCellCode(item->bits[k], upper, __builtin_ctzll(mixed));
            // In 2D two opposite corners are cut off one by one.
            elements += axes == 3 ? job->table->counts[code] : 1 + ((code & 15) == 6 || (code & 15) == 9);
        }
    }
    item->vertex_count = count;
    item->element_count = elements;
}

static bool is_cut(const uint64_t *bits, int layers)
{
    uint64_t any = 0, all = ~(uint64_t)0;
    for (int k = 0; k < layers; ++k) any |= bits[k], all &= bits[k];
    return any && ~all;
}

typedef void EvaluateFcn(const couNear *near, const couFieldShape *shape, const couBrick *brick, float level, float *field,
                         uint64_t *bits);

typedef float BoundFcn(const couNear *near, const couFieldShape *shape, const couBounds *box);

static bool keep_block(couCut *cut, couCutBlock *block, const Scratch *scratch, int count, size_t vertices)
{
    if (count == 0) return true;
    block->items = couAlloc(cut->memory, (size_t)count * sizeof *block->items);
    block->fractions = couAlloc(cut->memory, (vertices + 1) * sizeof *block->fractions);
    if (!block->items || !block->fractions) return false;
    memcpy(block->items, scratch->items, (size_t)count * sizeof *block->items);
    memcpy(block->fractions, scratch->fractions, vertices * sizeof *block->fractions);
    const float *next = block->fractions;
    for (int i = 0; i < count; ++i) {
        block->items[i].fractions = next;
        next += block->items[i].vertex_count;
    }
    block->count = count;
    return true;
}

static void cut_block(void *context, int block, size_t begin, size_t end, int worker)
{
    static EvaluateFcn *const variants[cou_isaCount] = COU_VARIANTS(couEvaluateBrick);
    static BoundFcn *const bounds[cou_isaCount] = COU_VARIANTS(couBoundField);
    CutJob *job = context;
    const couCloud *cloud = job->cloud;
    Scratch *scratch = &job->scratch[worker];
    int count = 0;
    size_t vertices = 0;
    if (job->is_over_budget) return;
    for (size_t b = begin; b < end; ++b) {
        int32_t at[3], bin[3];
        couBrickCoordinates(&job->cut->bricks, job->cut->bricks.keys[b], at);
        couBrick brick = couMakeBrick(cloud, at, bin);
        couBounds box = couBoundBrick(&brick);
        if (!couNear_Gather(&scratch->near, cloud, bin, box.lower, box.upper, cloud->metric ? 0.0f : cloud->shape.h)) {
            job->is_out_of_memory = true;
            return;
        }
        // Most bricks around spray hold no node inside: a bound with some slack for rounding tells without a look at the nodes.
        if (bounds[cloud->isa](&scratch->near, &cloud->shape, &box) < 0.999f * cloud->level) continue;
        couCutBrick *item = &scratch->items[count];
        *item = (couCutBrick){.key = job->cut->bricks.keys[b]};
        variants[cloud->isa](&scratch->near, &cloud->shape, &brick, cloud->level, scratch->field, item->bits);
        if (!is_cut(item->bits, brick.layers)) continue;
        measure_brick(job, scratch->field, item, scratch->fractions + vertices);
        vertices += item->vertex_count;
        ++count;
    }
    if (!keep_block(job->cut, &job->cut->blocks[block], scratch, count, vertices)) job->is_out_of_memory = true;
    if (job->cut->memory->bytes > job->most_bytes) job->is_over_budget = true;
}

// Puts the blocks' bricks one after the other and numbers their vertices and elements.
static bool join_blocks(couCut *cut)
{
    for (int b = 0; b < cut->block_count; ++b) cut->count += (size_t)cut->blocks[b].count;
    cut->items = couAlloc(cut->memory, (cut->count + 1) * sizeof *cut->items);
    if (!cut->items) return false;
    size_t next = 0;
    for (int b = 0; b < cut->block_count; ++b) {
        couCutBlock *block = &cut->blocks[b];
        for (int i = 0; i < block->count; ++i) {
            couCutBrick *item = &cut->items[next++];
            *item = block->items[i];
            item->vertex_base = (uint32_t)cut->vertex_count, item->element_base = (uint32_t)cut->element_count;
            cut->vertex_count += item->vertex_count;
            cut->element_count += item->element_count;
        }
        couFree(cut->memory, block->items);
        block->items = NULL;
    }
    return true;
}

static bool create_scratch(CutJob *job)
{
    int threads = job->cloud->parallel->threads;
    job->scratch = couAlloc(job->cut->memory, (size_t)threads * sizeof *job->scratch);
    for (int t = 0; job->scratch && t < threads; ++t) {
        Scratch *scratch = &job->scratch[t];
        scratch->field = couAlloc(job->cut->memory, cou_brickNodes * cou_brickNodes * cou_brickNodes * sizeof *scratch->field);
        scratch->fractions = couAlloc(job->cut->memory, block_bricks * most_brick_vertices * sizeof *scratch->fractions);
        if (!scratch->field || !scratch->fractions) return false;
    }
    return job->scratch != NULL;
}

static void free_scratch(CutJob *job)
{
    for (int t = 0; job->scratch && t < job->cloud->parallel->threads; ++t) {
        couNear_Free(&job->scratch[t].near);
        couFree(job->cut->memory, job->scratch[t].field);
        couFree(job->cut->memory, job->scratch[t].fractions);
    }
    couFree(job->cut->memory, job->scratch);
}

bool couCut_Build(couCut *cut, const couCloud *cloud, const couMarchTable *table, const couSurfaceDef *def, couFaults *faults)
{
    *cut = (couCut){.memory = cloud->memory};
    if (!couFindBricks(&cut->bricks, cloud, def, faults)) return false;
    cut->block_count = couBlockCount(cut->bricks.count, block_bricks);
    cut->blocks = couAlloc(cut->memory, ((size_t)cut->block_count + 1) * sizeof *cut->blocks);
    CutJob job = {.cut = cut, .cloud = cloud, .table = table, .most_bytes = couBudgetBytes(def)};
    bool is_good = cut->blocks && create_scratch(&job);
    if (is_good) {
        couFor(cloud->parallel, cut->bricks.count, block_bricks, cut_block, &job);
        is_good = !job.is_out_of_memory && !job.is_over_budget && join_blocks(cut);
    }
    free_scratch(&job);
    if (job.is_over_budget) {
        couCheckBudget(cut->memory, def, 0.0, "the bricks at the surface", faults);
        return false;
    }
    if (!is_good) couFaults_Add(faults, NULL, "surface", "out of memory for %zu bricks of the grid", cut->bricks.count);
    return is_good;
}

void couCut_Free(couCut *cut)
{
    for (int b = 0; cut->blocks && b < cut->block_count; ++b) {
        couFree(cut->memory, cut->blocks[b].items);
        couFree(cut->memory, cut->blocks[b].fractions);
    }
    couFree(cut->memory, cut->blocks);
    couFree(cut->memory, cut->items);
    couFree(cut->memory, cut->bricks.keys);
    *cut = (couCut){0};
}
