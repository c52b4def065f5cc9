// From points to a sorted cloud of weighted kernels.
//
// Bins are whole bricks wide and a little wider than any kernel reaches, so that all kernels that touch a brick lie in its bin
// and the 26 around it. Weights need the density at each particle: a sum over the same bins.

#include "surface/cloud.h"

#include "surface/budget.h"

// Points farther out than so many cells from the origin are left out: their floats no longer resolve a cell.
#define MOST_CELLS 262144.0f

typedef struct WeighJob {
    couCloud *cloud;
    couNear *nears; // per worker
    float *weights;
    _Atomic bool is_out_of_memory;
} WeighJob;

typedef float SumFcn(const couNear *near, const couFieldShape *shape, couVec3 p);

couBounds couBoundBin(const couCloud *cloud, size_t bin)
{
    couBounds b = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (uint32_t i = cloud->grid.cell_start[bin]; i < cloud->grid.cell_start[bin + 1]; ++i) {
        couVec4 c = cloud->center[i];
        b.lower = (couVec3){COU_MIN(b.lower.x, c.x), COU_MIN(b.lower.y, c.y), COU_MIN(b.lower.z, c.z)};
        b.upper = (couVec3){COU_MAX(b.upper.x, c.x), COU_MAX(b.upper.y, c.y), COU_MAX(b.upper.z, c.z)};
    }
    return b;
}

static void weigh_block(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)block;
    static SumFcn *const variants[cou_isaCount] = COU_VARIANTS(couSumKernels);
    WeighJob *job = context;
    const couCloud *cloud = job->cloud;
    couNear *near = &job->nears[worker];
    for (size_t bin = begin; bin < end; ++bin) {
        int32_t at[3];
        couGrid_Coordinates(&cloud->grid, cloud->grid.keys[bin], at);
        couBounds box = couBoundBin(cloud, bin);
        if (!couNear_Gather(near, cloud, at, box.lower, box.upper, cloud->shape.h)) {
            job->is_out_of_memory = true;
            return;
        }
        for (uint32_t i = cloud->grid.cell_start[bin]; i < cloud->grid.cell_start[bin + 1]; ++i)
            job->weights[i] = 1.0f / variants[cloud->isa](near, &cloud->shape, couXyz(cloud->center[i]));
    }
}

couNear *couCreateNears(const couCloud *cloud)
{
    return couAlloc(cloud->memory, (size_t)cloud->parallel->threads * sizeof(couNear));
}

void couFreeNears(const couCloud *cloud, couNear *nears)
{
    for (int t = 0; nears && t < cloud->parallel->threads; ++t) couNear_Free(&nears[t]);
    couFree(cloud->memory, nears);
}

static bool weigh(couCloud *cloud, bool is_normalized)
{
    if (!is_normalized) {
        for (size_t i = 0; i < cloud->count; ++i) cloud->center[i].w = 1.0f;
        return true;
    }
    WeighJob job = {.cloud = cloud, .nears = couCreateNears(cloud)};
    job.weights = couAlloc(cloud->memory, cloud->count * sizeof *job.weights);
    bool is_good = job.nears && job.weights;
    if (is_good) {
        couFor(cloud->parallel, cloud->grid.cell_count, 16, weigh_block, &job);
        is_good = !job.is_out_of_memory;
    }
    for (size_t i = 0; is_good && i < cloud->count; ++i) cloud->center[i].w = job.weights[i];
    couFreeNears(cloud, job.nears);
    couFree(cloud->memory, job.weights);
    return is_good;
}

// --- Sorting -----------------------------------------------------------------------------------------------------------------

static bool is_taken(const couSurfacePoints *points, size_t i, int material)
{
    return material < 0 || (points->materials ? points->materials[i] : 0) == material;
}

static bool is_within(const couCloud *cloud, couVec3 p)
{
    float most = MOST_CELLS * cloud->cell;
    return fabsf(p.x) <= most && fabsf(p.y) <= most && fabsf(p.z) <= most; // false for NaN too
}

// Copies what can be meshed into the table.
static bool fill_table(couCloud *cloud, const couSurfacePoints *points, int material)
{
    size_t count = 0;
    for (size_t i = 0; i < points->count; ++i) {
        if (!is_taken(points, i, material)) continue;
        couVec3 p = points->positions[i];
        if (points->dimension == 2 && isfinite(p.z)) p.z = 0.0f;
        bool is_good = is_within(cloud, p);
        count += is_good;
        cloud->left_out += !is_good;
    }
    cloud->count = count;
    int position = couTable_AddColumn(&cloud->table, "position", "m", cou_stateF32, 4, cou_columnState);
    int index = couTable_AddColumn(&cloud->table, "index", "", cou_stateU32, 1, cou_columnState);
    if (!couTable_Reserve(&cloud->table, count) || couTable_AddRows(&cloud->table, count) == SIZE_MAX) return false;
    couVec4 *places = couTable_Data(&cloud->table, position);
    uint32_t *indices = couTable_Data(&cloud->table, index);
    size_t n = 0;
    for (size_t i = 0; i < points->count; ++i) {
        couVec3 p = points->positions[i];
        if (points->dimension == 2 && isfinite(p.z)) p.z = 0.0f;
        if (!is_taken(points, i, material) || !is_within(cloud, p)) continue;
        places[n] = (couVec4){p.x, p.y, p.z, 1.0f};
        indices[n++] = (uint32_t)i;
    }
    return true;
}

static float bin_edge(couCloud *cloud)
{
    float brick = cou_brickCells * cloud->cell;
    cloud->bin_bricks = COU_MAX(1, (int)ceilf(1.01f * cloud->reach / brick));
    return (float)cloud->bin_bricks * brick;
}

bool couCloud_Build(couCloud *cloud, const couSurfaceDef *def, const couSurfacePoints *points, int material, couFaults *faults)
{
    bool is_stretched = def->field == cou_surfaceAnisotropic;
    cloud->dimension = points->dimension;
    cloud->shape = (couFieldShape){(couSurfaceField)def->field, def->radius, 1.0f / def->radius};
    cloud->cell = def->cell;
    cloud->level = def->field == cou_surfaceClavet ? def->level * def->level : def->level;
    cloud->reach = is_stretched ? COU_MAX(COU_MAX_STRETCH * def->radius + cloud->stretch.max_shift, cloud->stretch.sum_radius)
                                : def->radius;
    cloud->isa = couBestIsa();
    couTable_Init(&cloud->table, cloud->memory);
    couGrid_Init(&cloud->grid, cloud->memory);
    // Table with its spare column, keys and orders of the sort, weights; metrics and homes.
    size_t each = 20 + 16 + 24 + 12 + (is_stretched ? 64 : 0);
    if (!couCheckBudget(cloud->memory, def, (double)points->count * (double)each, "the particles", faults)) return false;
    couGridReport report;
    bool is_good = fill_table(cloud, points, material) &&
                   couGrid_Sort(&cloud->grid, &cloud->table, 0, 1, bin_edge(cloud), cloud->parallel, &report);
    if (is_good) {
        couGrid_Trim(&cloud->grid);
        couTable_DropSpare(&cloud->table);
        cloud->center = couTable_Data(&cloud->table, 0);
        cloud->index = couTable_Data(&cloud->table, 1);
        is_good = cloud->count == 0 || (weigh(cloud, def->is_normalized) && (!is_stretched || couCloud_Stretch(cloud)));
    }
    if (!is_good) couFaults_Add(faults, NULL, "surface", "out of memory for %zu particles", points->count);
    return is_good;
}

void couCloud_Free(couCloud *cloud)
{
    couFree(cloud->memory, cloud->home);
    couFree(cloud->memory, cloud->metric);
    couGrid_Free(&cloud->grid);
    couTable_Free(&cloud->table);
    cloud->home = cloud->metric = cloud->center = NULL;
}
