// Kernels stretched along the surface [Yu and Turk 2013, sect. 4].
//
// The weighted covariance of a particle's neighbourhood (eq. 9 to 11) tells in which directions matter extends. Its eigenvalues,
// those below a quarter of the largest raised to it (eq. 15), scaled to a determinant of 1, are how far the kernel reaches along
// its axes, in units of h. So kernels at a flat surface become flat cakes that overlap into a flat surface; in the midst of a
// liquid they stay round.
//
// Centres move a third of the way to the mean of their neighbourhood (eq. 6). In the original they move nine tenths, which takes
// the outer layer in by most of a spacing, beyond what a level can make good: that of a tank came out at 0.19 with a share of
// 0.35, 0.08 with 0.5, 0.006 with 0.75. It is hardly missed: of shaken lattices (each particle by up to a quarter of a spacing)
// the surface was rough by 0.063, 0.059, 0.058 and 0.056 spacings with 0, 0.35, 0.5 and 0.75; 0.078 with round kernels.
//
// Lone particles keep round kernels, smaller ones, so that a drop of one particle has its volume; in between, the two are mixed
// by the weight of the neighbourhood, without the jump that a count of neighbours makes when it passes a limit.

#include "base/eigen.h"
#include "surface/cloud.h"

#define CENTER_SHARE 0.35f // lambda of eq. 6
#define MAX_RATIO 4.0f     // k_r of eq. 15

// --- One kernel --------------------------------------------------------------------------------------------------------------

couVec3 couCenterShift(const couMoments *moments, const couStretch *stretch)
{
    float share = moments->weight > 0.0f ? CENTER_SHARE / moments->weight : 0.0f;
    couVec3 shift = {share * moments->first[0], share * moments->first[1], share * moments->first[2]};
    float length = couLength(shift);
    return length > stretch->max_shift ? couScale(stretch->max_shift / length, shift) : shift;
}

// 0 for a lone particle, 1 for a whole neighbourhood.
static double wholeness(const couMoments *moments, const couStretch *stretch)
{
    double t = ((double)moments->weight - 1.0) / ((double)stretch->full_weight - 1.0);
    t = COU_CLAMP(t, 0.0, 1.0);
    return t * t * (3.0 - 2.0 * t);
}

float couStretchFrom(const couMoments *moments, const couStretch *stretch, int dimension, float matrix[6])
{
    static const int places[6][2] = {{0, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 2}, {2, 2}};
    double inv = moments->weight > 0.0f ? 1.0 / (double)moments->weight : 0.0, a[3][3], v[3][3], sizes[3];
    double mean[3] = {moments->first[0] * inv, moments->first[1] * inv, moments->first[2] * inv};
    for (int m = 0; m < 6; ++m) {
        int i = places[m][0], j = places[m][1];
        a[i][j] = a[j][i] = (double)moments->second[m] * inv - mean[i] * mean[j];
    }
    couDiagonalize3(a, v);

    // Ratios at most four to one, no change of volume; in 2D the axis z, which is one of the three, stays as it is.
    double largest = 0.0, product = 1.0, whole = wholeness(moments, stretch), amplitude = 1.0;
    int flat = -1;
    if (dimension == 2)
        for (int axis = 0; axis < 3; ++axis)
            if (flat < 0 || fabs(v[2][axis]) > fabs(v[2][flat])) flat = axis;
    for (int axis = 0; axis < 3; ++axis)
        if (axis != flat) largest = fmax(largest, a[axis][axis]);
    for (int axis = 0; axis < 3; ++axis) {
        sizes[axis] = largest > 0.0 && axis != flat ? fmax(a[axis][axis] / largest, 1.0 / (double)MAX_RATIO) : 1.0;
        product *= sizes[axis];
    }
    double scale = dimension == 3 ? 1.0 / cbrt(product) : 1.0 / sqrt(product);
    for (int axis = 0; axis < 3; ++axis) {
        if (axis != flat) sizes[axis] = fmin(1.0 + whole * (sizes[axis] * scale - 1.0), (double)COU_MAX_STRETCH);
        amplitude /= sizes[axis];
    }
    double size = (double)stretch->lone_size + whole * (1.0 - (double)stretch->lone_size);
    for (int m = 0; m < 6; ++m) {
        int i = places[m][0], j = places[m][1];
        double sum = 0.0;
        for (int axis = 0; axis < 3; ++axis) sum += v[i][axis] * size * sizes[axis] * v[j][axis];
        matrix[m] = (float)sum;
    }
    return (float)amplitude;
}

// q^2 = |S^-1 x|^2 / h^2, from the inverse of the symmetric matrix S.
void couMetricFrom(const float s[6], float h, couVec4 metric[2], float *radius)
{
    double xx = s[0], xy = s[1], xz = s[2], yy = s[3], yz = s[4], zz = s[5];
    double c0 = yy * zz - yz * yz, c1 = xz * yz - xy * zz, c2 = xy * yz - xz * yy;
    double inv = 1.0 / (xx * c0 + xy * c1 + xz * c2) / (double)h;
    double g[3][3] = {{c0 * inv, c1 * inv, c2 * inv},
                      {c1 * inv, (xx * zz - xz * xz) * inv, (xy * xz - xx * yz) * inv},
                      {c2 * inv, (xy * xz - xx * yz) * inv, (xx * yy - xy * xy) * inv}};
    double q[3][3];
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) q[i][j] = g[i][0] * g[0][j] + g[i][1] * g[1][j] + g[i][2] * g[2][j];
    metric[0] = (couVec4){(float)q[0][0], (float)q[0][1], (float)q[0][2], (float)q[1][1]};
    metric[1] = (couVec4){(float)q[1][2], (float)q[2][2], 0.0f, 0.0f};
    // The largest stretch is at most the root of the trace of S^2; the true one by the norm of its rows is no tighter by much.
    double rows = fmax(fabs(xx) + fabs(xy) + fabs(xz), fmax(fabs(xy) + fabs(yy) + fabs(yz), fabs(xz) + fabs(yz) + fabs(zz)));
    *radius = h * (float)fmin(rows * 1.0001, (double)COU_MAX_STRETCH * 1.0001);
}

// --- All kernels -------------------------------------------------------------------------------------------------------------

typedef struct StretchJob {
    couCloud *cloud;
    couNear *nears;
    couVec4 *center, *metric, *home; // the new ones
    _Atomic bool is_out_of_memory;
} StretchJob;

typedef void MomentsFcn(const couNear *near, float radius, couVec3 p, couMoments *moments);

static void stretch_block(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)block;
    static MomentsFcn *const variants[cou_isaCount] = COU_VARIANTS(couSumMoments);
    StretchJob *job = context;
    const couCloud *cloud = job->cloud;
    const couStretch *stretch = &cloud->stretch;
    couNear *near = &job->nears[worker];
    for (size_t bin = begin; bin < end; ++bin) {
        int32_t at[3];
        couGrid_Coordinates(&cloud->grid, cloud->grid.keys[bin], at);
        couBounds box = couBoundBin(cloud, bin);
        if (!couNear_Gather(near, cloud, at, box.lower, box.upper, stretch->sum_radius)) {
            job->is_out_of_memory = true;
            return;
        }
        for (uint32_t i = cloud->grid.cell_start[bin]; i < cloud->grid.cell_start[bin + 1]; ++i) {
            couVec4 c = cloud->center[i];
            couMoments moments;
            variants[cloud->isa](near, stretch->sum_radius, couXyz(c), &moments);
            float matrix[6], radius, amplitude = couStretchFrom(&moments, stretch, cloud->dimension, matrix);
            couVec3 moved = couAdd(couXyz(c), couCenterShift(&moments, stretch));
            couMetricFrom(matrix, cloud->shape.h, &job->metric[2 * (size_t)i], &radius);
            job->center[i] = (couVec4){moved.x, moved.y, moved.z, amplitude * c.w};
            job->home[i] = (couVec4){c.x, c.y, c.z, radius};
        }
    }
}

bool couCloud_Stretch(couCloud *cloud)
{
    StretchJob job = {.cloud = cloud, .nears = couCreateNears(cloud)};
    job.center = couAlloc(cloud->memory, cloud->count * sizeof *job.center);
    job.metric = couAlloc(cloud->memory, 2 * cloud->count * sizeof *job.metric);
    job.home = couAlloc(cloud->memory, (cloud->count + COU_TABLE_PADDING) * sizeof *job.home); // wide loops read on
    bool is_good = job.nears && job.center && job.metric && job.home;
    if (is_good) {
        couFor(cloud->parallel, cloud->grid.cell_count, 16, stretch_block, &job);
        is_good = !job.is_out_of_memory;
    }
    couFreeNears(cloud, job.nears);
    if (is_good) memcpy(cloud->center, job.center, cloud->count * sizeof *job.center);
    couFree(cloud->memory, job.center);
    cloud->metric = job.metric, cloud->home = job.home; // freed with the cloud
    return is_good;
}
