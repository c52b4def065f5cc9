// Splats: which particles lie at the surface, and which way it faces there [Müller 2003, sect. 5].
//
// The normal is the gradient of the colour field, n = grad sum w_j K; it is long at the surface and short within. |n| h has no
// unit, and between the first and the second layer of a lattice it falls by more than half: the automatic threshold is their
// geometric mean. Particles with hardly a neighbour have no side to face: they are droplets. So are those of a sheet one layer
// thick, whose gradients cancel: they are told by a density between that of one layer and that of a layer with a half-space
// behind it.

#include "surface/cloud.h"

#define DROPLET_NEIGHBORS 3.0f // at rest spacing: fewer make no surface; half as many in 2D
#define DISC_RADIUS 1.2f       // spacings; a lattice is covered from 0.71 on, edges that discs are moved apart from need more

typedef struct SplatJob {
    couCloud *cloud;
    couNear *nears;
    float threshold, least_density, thin_density;
    couVec3 *normals; // by place in the cloud
    uint8_t *is_found;
    _Atomic bool is_out_of_memory;
} SplatJob;

typedef couSample SampleFcn(const couNear *near, const couFieldShape *shape, couVec3 p);

static void splat_block(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)block;
    static SampleFcn *const variants[cou_isaCount] = COU_VARIANTS(couSampleField);
    SplatJob *job = context;
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
        for (uint32_t i = cloud->grid.cell_start[bin]; i < cloud->grid.cell_start[bin + 1]; ++i) {
            couSample sample = variants[cloud->isa](near, &cloud->shape, couXyz(cloud->center[i]));
            couVec3 n = {-sample.gradient[0], -sample.gradient[1], -sample.gradient[2]};
            bool is_outer = couLength(n) * cloud->shape.h > job->threshold;
            float weight = cloud->center[i].w; // 1 / density
            bool is_droplet = weight * job->least_density > 1.0f || (!is_outer && weight * job->thin_density > 1.0f);
            job->is_found[i] = is_droplet || is_outer;
            job->normals[i] = is_droplet ? (couVec3){0} : couNormalize(n);
        }
    }
}

// Copies what was found, in the order of the points.
static bool collect(const SplatJob *job, size_t point_count, const couSurfaceDef *def, couSplats *splats)
{
    const couCloud *cloud = job->cloud;
    uint32_t *places = couAlloc(cloud->memory, (point_count + 1) * sizeof *places); // of each point in the cloud, plus 1
    if (!places) return false;
    for (size_t i = 0; i < cloud->count; ++i)
        if (job->is_found[i]) places[cloud->index[i]] = (uint32_t)i + 1, ++splats->count;
    splats->indices = couAlloc(NULL, (splats->count + 1) * sizeof *splats->indices);
    splats->normals = couAlloc(NULL, (splats->count + 1) * sizeof *splats->normals);
    splats->radii = couAlloc(NULL, (splats->count + 1) * sizeof *splats->radii);
    bool is_good = splats->indices && splats->normals && splats->radii;
    size_t next = 0;
    float drop = cloud->dimension == 3 ? cbrtf(0.75f / (float)COU_PI) : 1.0f / sqrtf((float)COU_PI);
    for (size_t p = 0; is_good && p < point_count; ++p) {
        if (!places[p]) continue;
        couVec3 normal = job->normals[places[p] - 1];
        bool is_droplet = couDot(normal, normal) == 0.0f;
        splats->indices[next] = (uint32_t)p;
        splats->normals[next] = normal;
        splats->radii[next++] = def->spacing * (is_droplet ? drop : DISC_RADIUS);
    }
    couFree(cloud->memory, places);
    return is_good;
}

// What one layer of a lattice, at k spacings, adds to the density of a particle at the origin.
static float layer_density(const couSurfaceDef *def, int dimension, int k)
{
    float sum = 0.0f, pitch = def->spacing / def->radius;
    int reach = (int)(1.0f / pitch) + 1, across = dimension == 3 ? reach : 0;
    for (int i = -reach; i <= reach; ++i)
        for (int j = -across; j <= across; ++j) {
            float m = COU_MAX(1.0f - (float)(i * i + j * j + k * k) * pitch * pitch, 0.0f);
            sum += m * m * m;
        }
    return sum;
}

bool couFindSplats(const couSurfaceDef *given, const couSurfacePoints *points, float threshold, couSplats *splats,
                   couFaults *faults)
{
    *splats = (couSplats){0};
    couSurfaceDef def = *given;
    def.field = cou_surfaceColor;
    def.cell = COU_AUTO;
    def.level = 0.5f;
    def.is_normalized = true;
    if (!couCheckSurfaceInput(&def, points, faults)) return false;
    if (!(threshold < INFINITY)) {
        couFaults_Add(faults, NULL, "surface.threshold", "%g is not a number", (double)threshold);
        return false;
    }
    couMemory memory = {0};
    couParallel parallel = couMakeParallel(def.threads);
    couCloud cloud = {.memory = &memory, .parallel = &parallel};
    couResolveSurfaceDef(&def, points->dimension, &cloud.stretch);
    SplatJob job = {.cloud = &cloud};
    job.threshold = threshold > 0.0f ? threshold : couSplatThreshold(&def, points->dimension);
    float q = def.spacing / def.radius, m = 1.0f - q * q;
    job.least_density = 1.0f + (points->dimension == 3 ? 1.0f : 0.5f) * DROPLET_NEIGHBORS * m * m * m;
    float alone = layer_density(&def, points->dimension, 0), backed = alone;
    for (int k = 1; (float)k * def.spacing < def.radius; ++k) backed += layer_density(&def, points->dimension, k);
    job.thin_density = sqrtf(alone * backed);
    bool is_good = couCloud_Build(&cloud, &def, points, -1, faults);
    if (is_good) {
        job.nears = couCreateNears(&cloud);
        job.normals = couAlloc(&memory, (cloud.count + 1) * sizeof *job.normals);
        job.is_found = couAlloc(&memory, cloud.count + 1);
        is_good = job.nears && job.normals && job.is_found;
        if (is_good) couFor(&parallel, cloud.grid.cell_count, 16, splat_block, &job);
        is_good = is_good && !job.is_out_of_memory && collect(&job, points->count, &def, splats);
        if (!is_good) couFaults_Add(faults, NULL, "surface", "out of memory for the splats of %zu particles", points->count);
        couFreeNears(&cloud, job.nears);
        couFree(&memory, job.normals);
        couFree(&memory, job.is_found);
    }
    couCloud_Free(&cloud);
    couFreeParallel(&parallel);
    if (!is_good) couSplats_Clear(splats);
    return is_good;
}

void couSplats_Clear(couSplats *splats)
{
    couFree(NULL, splats->indices);
    couFree(NULL, splats->normals);
    couFree(NULL, splats->radii);
    *splats = (couSplats){0};
}
