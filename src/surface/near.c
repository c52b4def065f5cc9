// Lists of the kernels near a box: the rows of bins around it, less those that do not reach it.

#include "surface/cloud.h"

enum { columns = cou_nearColumns, padding = COU_WIDTH };

void couNear_Free(couNear *near)
{
    couFree(near->memory, near->x);
    couFree(near->memory, near->index);
    near->x = NULL, near->index = NULL;
    near->capacity = near->count = 0;
}

static bool reserve(couNear *near, couMemory *memory, size_t count)
{
    if (count <= near->capacity) return true;
    couNear_Free(near);
    near->memory = memory;
    size_t capacity = count + count / 2 + 256, stride = (capacity + padding + 7) & ~(size_t)7;
    float *all = couAlloc(memory, columns * stride * sizeof *all);
    near->index = couAlloc(memory, stride * sizeof *near->index);
    near->x = all;
    if (!all || !near->index) {
        couNear_Free(near);
        return false;
    }
    near->y = all + stride, near->z = all + 2 * stride, near->w = all + 3 * stride, near->radius = all + 4 * stride;
    for (int m = 0; m < 6; ++m) near->metric[m] = all + (size_t)(5 + m) * stride;
    for (int m = 0; m < 3; ++m) near->home[m] = all + (size_t)(11 + m) * stride;
    near->capacity = capacity;
    near->stride = stride;
    return true;
}

typedef void NarrowFcn(couNear *near, const couNear *from, bool is_stretched, const couBounds *box, float margin);
typedef void GatherFcn(couNear *near, const couCloud *cloud, const couRange *range, const couBounds *box, float margin);

static void fill_stretched(couNear *near, const couCloud *cloud)
{
    for (size_t n = 0; n < near->count; ++n) {
        uint32_t i = near->index[n];
        couVec4 home = cloud->home[i], first = cloud->metric[2 * i], second = cloud->metric[2 * i + 1];
        const float values[6] = {first.x, first.y, first.z, first.w, second.x, second.y};
        near->radius[n] = home.w;
        near->home[0][n] = home.x, near->home[1][n] = home.y, near->home[2][n] = home.z;
        for (int m = 0; m < 6; ++m) near->metric[m][n] = values[m];
    }
}

// Fills the last wide group with copies of the last kernel, without weight.
static void pad(couNear *near, bool is_stretched)
{
    if (near->count == 0) return;
    for (size_t n = near->count; n % COU_WIDTH; ++n) {
        size_t last = near->count - 1;
        near->x[n] = near->x[last], near->y[n] = near->y[last], near->z[n] = near->z[last], near->w[n] = 0.0f;
        near->index[n] = near->index[last];
        if (!is_stretched) continue;
        near->radius[n] = near->radius[last];
        for (int m = 0; m < 6; ++m) near->metric[m][n] = near->metric[m][last];
        for (int m = 0; m < 3; ++m) near->home[m][n] = near->home[m][last];
    }
}

bool couNear_Gather(couNear *near, const couCloud *cloud, const int32_t bin[3], couVec3 lower, couVec3 upper, float margin)
{
    static GatherFcn *const variants[cou_isaCount] = COU_VARIANTS(couGatherRange);
    if (near->rows.grid != &cloud->grid) couRows_Start(&near->rows, &cloud->grid);
    couRange ranges[COU_MAX_RANGES];
    int range_count = couRows_Next(&near->rows, bin, ranges);
    size_t most = 0;
    for (int r = 0; r < range_count; ++r) most += ranges[r].end - ranges[r].begin;
    if (!reserve(near, cloud->memory, most)) return false;
    bool is_stretched = cloud->metric != NULL;
    couBounds box = {lower, upper};
    near->count = 0;
    for (int r = 0; r < range_count; ++r) variants[cloud->isa](near, cloud, &ranges[r], &box, margin);
    if (is_stretched)
        fill_stretched(near, cloud);
    else
        near->home[0] = near->x, near->home[1] = near->y, near->home[2] = near->z;
    pad(near, is_stretched);
    return true;
}

bool couNear_Narrow(couNear *near, const couNear *from, const couCloud *cloud, const couBounds *box)
{
    static NarrowFcn *const variants[cou_isaCount] = COU_VARIANTS(couGatherPart);
    bool is_stretched = cloud->metric != NULL;
    if (!reserve(near, cloud->memory, from->count)) return false;
    variants[cloud->isa](near, from, is_stretched, box, cloud->shape.h);
    if (!is_stretched) near->home[0] = near->x, near->home[1] = near->y, near->home[2] = near->z;
    pad(near, is_stretched);
    return true;
}
