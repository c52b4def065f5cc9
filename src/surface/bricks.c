// Which bricks of the grid some kernel reaches: from the boxes around the kernels of each bin, as keys, sorted, each once.

#include "surface/budget.h"
#include "surface/cut.h"

#define SLACK 0.004 // of a brick: a brick that a kernel only just touches is taken too

typedef struct Span {
    int32_t first[3], last[3];
} Span;

static Span span_of_bin(const couCloud *cloud, size_t bin)
{
    couBounds box = couBoundBin(cloud, bin);
    double reach = cloud->shape.h, edge = (double)cou_brickCells * (double)cloud->cell;
    if (cloud->home) {
        reach = 0.0;
        for (uint32_t i = cloud->grid.cell_start[bin]; i < cloud->grid.cell_start[bin + 1]; ++i)
            reach = fmax(reach, (double)cloud->home[i].w);
    }
    const float lower[3] = {box.lower.x, box.lower.y, box.lower.z}, upper[3] = {box.upper.x, box.upper.y, box.upper.z};
    Span span = {{0}, {0}};
    for (int a = 0; a < cloud->dimension; ++a) {
        span.first[a] = (int32_t)floor((lower[a] - reach) / edge - SLACK);
        span.last[a] = (int32_t)floor((upper[a] + reach) / edge + SLACK);
    }
    return span;
}

static double span_size(const Span *span)
{
    double size = 1.0;
    for (int a = 0; a < 3; ++a) size *= (double)(span->last[a] - span->first[a] + 1);
    return size;
}

// Radix sort by bytes; those that are the same in all keys cost one look.
static void sort_keys(uint64_t *keys, uint64_t *other, size_t count)
{
    uint64_t *from = keys, *to = other;
    for (int shift = 0; shift < 64; shift += 8) {
        size_t starts[257] = {0};
        for (size_t k = 0; k < count; ++k) ++starts[(from[k] >> shift & 255) + 1];
        if (starts[(from[0] >> shift & 255) + 1] == count) continue;
        for (int digit = 0; digit < 256; ++digit) starts[digit + 1] += starts[digit];
        for (size_t k = 0; k < count; ++k) to[starts[from[k] >> shift & 255]++] = from[k];
        uint64_t *swap = from;
        from = to, to = swap;
    }
    if (from != keys) memcpy(keys, from, count * sizeof *keys);
}

static size_t keep_each_once(uint64_t *keys, size_t count)
{
    size_t kept = 0;
    for (size_t k = 0; k < count; ++k)
        if (kept == 0 || keys[k] != keys[kept - 1]) keys[kept++] = keys[k];
    return kept;
}

static void add_keys(const couBrickKeys *bricks, const Span *span, uint64_t *keys, size_t *count)
{
    for (int32_t z = span->first[2]; z <= span->last[2]; ++z)
        for (int32_t y = span->first[1]; y <= span->last[1]; ++y)
            for (int32_t x = span->first[0]; x <= span->last[0]; ++x)
                keys[(*count)++] = (uint64_t)(x - bricks->lower[0]) | (uint64_t)(y - bricks->lower[1]) << cou_keyBits |
                                   (uint64_t)(z - bricks->lower[2]) << (2 * cou_keyBits);
}

bool couFindBricks(couBrickKeys *bricks, const couCloud *cloud, const couSurfaceDef *def, couFaults *faults)
{
    *bricks = (couBrickKeys){{INT32_MAX, INT32_MAX, INT32_MAX}, NULL, 0};
    int32_t upper[3] = {INT32_MIN, INT32_MIN, INT32_MIN};
    double size = 0.0;
    for (size_t bin = 0; bin < cloud->grid.cell_count; ++bin) {
        Span span = span_of_bin(cloud, bin);
        size += span_size(&span);
        for (int a = 0; a < 3; ++a) {
            bricks->lower[a] = COU_MIN(bricks->lower[a], span.first[a]);
            upper[a] = COU_MAX(upper[a], span.last[a]);
        }
    }
    if (cloud->grid.cell_count == 0) return true;
    if (!couCheckBudget(cloud->memory, def, size * 2.0 * sizeof *bricks->keys, "the grid", faults)) return false;
    for (int a = 0; a < 3; ++a)
        if (upper[a] - bricks->lower[a] + 1 >= 1 << cou_keyBits) {
            couFaults_Add(faults, NULL, "surface.cell", "%g m is too small for particles as far apart as these",
                          (double)def->cell);
            return false;
        }
    uint64_t *other = couAlloc(cloud->memory, (size_t)size * sizeof *other);
    bricks->keys = couAlloc(cloud->memory, (size_t)size * sizeof *bricks->keys);
    bool is_good = other && bricks->keys;
    size_t count = 0;
    for (size_t bin = 0; is_good && bin < cloud->grid.cell_count; ++bin) {
        Span span = span_of_bin(cloud, bin);
        add_keys(bricks, &span, bricks->keys, &count);
    }
    if (is_good) {
        sort_keys(bricks->keys, other, count);
        bricks->count = keep_each_once(bricks->keys, count);
    } else {
        couFaults_Add(faults, NULL, "surface", "out of memory for %.0f bricks of the grid", size);
    }
    couFree(cloud->memory, other);
    return is_good;
}

couBrick couMakeBrick(const couCloud *cloud, const int32_t at[3], int32_t bin[3])
{
    couBrick brick = {.layers = cloud->dimension == 3 ? cou_brickNodes : 1, .cell = cloud->cell};
    float *const axes[3] = {brick.x, brick.y, brick.z};
    for (int a = 0; a < 3; ++a) {
        int32_t k = cloud->bin_bricks;
        bin[a] = at[a] >= 0 ? at[a] / k : -((k - 1 - at[a]) / k);
        for (int n = 0; n < cou_brickNodes; ++n) axes[a][n] = (float)((double)(cou_brickCells * at[a] + n) * (double)cloud->cell);
    }
    return brick;
}

couBounds couBoundBrick(const couBrick *brick)
{
    int last = cou_brickNodes - 1;
    return (couBounds){{brick->x[0], brick->y[0], brick->z[0]}, {brick->x[last], brick->y[last], brick->z[brick->layers - 1]}};
}
