// What is automatic in a surface's def: radius, cell, and the level at which matter fills its volume.
//
// A cubic lattice fills a half-space; each particle stands for its own cube. The level is the field's mean over the plane that
// bounds as much volume as there are cubes, found for two kinds of surface: one of flat layers, as in a tank at rest (the last
// layer half a spacing below the plane), and one that cuts the lattice at any angle and place, as rough as a splash or the skin
// of a drop. The mean of both is taken: each alone puts the other's surface wrong by up to an eighth of a spacing, with the mean
// it is half of that. Weights and stretches of the lattice's kernels are made like those of the particles. Nothing here is fitted
// to a test.

#include "surface/cloud.h"

enum { layer_samples = 16, cut_samples = 128 };

typedef struct Lattice {
    couSurfaceField kind;
    int dimension;
    bool is_normalized;
    double d, h; // [m]
    const couStretch *stretch;
} Lattice;

// A half-space: lattice points (i + offset) d with normal . x < 0; the plane goes through the origin.
typedef struct Cut {
    double normal[3], offset[3];
} Cut;

static double kernel(couSurfaceField kind, double q2)
{
    if (!(q2 < 1.0)) return 0.0;
    double m = kind == cou_surfaceClavet ? 1.0 - sqrt(q2) : 1.0 - q2;
    return kind == cou_surfaceClavet ? m * m : m * m * m;
}

// The neighbourhood of a particle whose depth under the plane is given [m]: returns the sum of kernels.
static double sum_neighbors(const Lattice *lattice, const double normal[3], double depth, couMoments *moments)
{
    bool is_stretched = lattice->kind == cou_surfaceAnisotropic;
    double d = lattice->d, radius = is_stretched ? (double)lattice->stretch->sum_radius : lattice->h, s = 0.0, sums[10] = {0};
    int n = (int)ceil(fmax(radius, lattice->h) / d), m = lattice->dimension == 3 ? n : 0;
    for (int k = -m; k <= m; ++k)
        for (int j = -n; j <= n; ++j)
            for (int i = -n; i <= n; ++i) {
                double x = d * i, y = d * j, z = d * k, r2 = x * x + y * y + z * z;
                if (x * normal[0] + y * normal[1] + z * normal[2] >= depth) continue;
                s += kernel(lattice->kind, r2 / (lattice->h * lattice->h));
                double q = sqrt(r2) / radius, w = 1.0 - q * q * q;
                if (!is_stretched || w <= 0.0) continue;
                const double terms[10] = {1.0, x, y, z, x * x, x * y, x * z, y * y, y * z, z * z};
                for (int t = 0; t < 10; ++t) sums[t] += w * terms[t];
            }
    moments->weight = (float)sums[0];
    for (int t = 0; t < 3; ++t) moments->first[t] = (float)sums[1 + t];
    for (int t = 0; t < 6; ++t) moments->second[t] = (float)sums[4 + t];
    return s;
}

// The term at the origin of the kernel of the particle at x.
static double term_of(const Lattice *lattice, const double normal[3], const double x[3], double depth)
{
    couMoments moments;
    double weight = 1.0;
    if (lattice->is_normalized || lattice->kind == cou_surfaceAnisotropic) {
        double s = sum_neighbors(lattice, normal, depth, &moments);
        if (lattice->is_normalized) weight = 1.0 / s;
    }
    if (lattice->kind != cou_surfaceAnisotropic) {
        double r2 = x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
        return weight * kernel(lattice->kind, r2 / (lattice->h * lattice->h));
    }
    float matrix[6], radius;
    couVec4 metric[2];
    weight *= (double)couStretchFrom(&moments, lattice->stretch, lattice->dimension, matrix);
    couMetricFrom(matrix, (float)lattice->h, metric, &radius);
    couVec3 shift = couCenterShift(&moments, lattice->stretch);
    double a = x[0] + (double)shift.x, b = x[1] + (double)shift.y, c = x[2] + (double)shift.z;
    double q2 = a * a * (double)metric[0].x + 2.0 * a * b * (double)metric[0].y + 2.0 * a * c * (double)metric[0].z +
                b * b * (double)metric[0].w + 2.0 * b * c * (double)metric[1].x + c * c * (double)metric[1].y;
    return weight * kernel(lattice->kind, q2);
}

// F at the origin.
static double field_at(const Lattice *lattice, const Cut *cut)
{
    bool is_stretched = lattice->kind == cou_surfaceAnisotropic;
    double d = lattice->d, sum = 0.0;
    double reach = is_stretched ? (double)COU_MAX_STRETCH * lattice->h + (double)lattice->stretch->max_shift : lattice->h;
    int n = 1 + (int)ceil(reach / d), m = lattice->dimension == 3 ? n : 0;
    for (int k = -m; k <= m; ++k)
        for (int j = -n; j <= n; ++j)
            for (int i = -n; i <= n; ++i) {
                const double x[3] = {(i + cut->offset[0]) * d, (j + cut->offset[1]) * d, (k + cut->offset[2]) * d};
                double depth = -(x[0] * cut->normal[0] + x[1] * cut->normal[1] + x[2] * cut->normal[2]);
                bool is_near = x[0] * x[0] + x[1] * x[1] + x[2] * x[2] < reach * reach;
                if (is_near && depth > 0.0) sum += term_of(lattice, cut->normal, x, depth);
            }
    return sum;
}

static double fraction(double x) { return x - floor(x); }

// Evenly spread directions and places: multiples of irrational numbers.
static Cut make_cut(const Lattice *lattice, int sample, int count)
{
    double u = (sample + 0.5) / count, angle = 2.0 * COU_PI * fraction(sample * 0.6180339887498949);
    double y = lattice->dimension == 3 ? 1.0 - 2.0 * u : sin(angle), flat = lattice->dimension == 3 ? sqrt(1.0 - y * y) : 1.0;
    Cut cut = {{flat * cos(angle), y, lattice->dimension == 3 ? flat * sin(angle) : 0.0},
               {fraction(sample * 0.8191725133961645), fraction(sample * 0.6710436067037893),
                lattice->dimension == 3 ? fraction(sample * 0.5497004779019703) : 0.0}};
    return cut;
}

static double find_level(const Lattice *lattice)
{
    double layers = 0.0, cuts = 0.0, spread = 2.0 * lattice->d / lattice->h;
    for (int s = 0; s < layer_samples; ++s) {
        Cut cut = {{0, 1, 0}, {(s % 4 + 0.5) / 4.0, 0.5, lattice->dimension == 3 ? (s / 4 + 0.5) / 4.0 : 0.0}};
        if (lattice->dimension == 2) cut.offset[0] = (s + 0.5) / layer_samples;
        layers += field_at(lattice, &cut) / layer_samples;
    }
    // Wide kernels cost more to sum and need fewer samples.
    int count = COU_MAX(16, (int)(cut_samples * fmin(1.0, spread * spread * spread)));
    for (int s = 0; s < count; ++s) {
        Cut cut = make_cut(lattice, s, count);
        cuts += field_at(lattice, &cut) / count;
    }
    double mean = 0.5 * (layers + cuts);
    return lattice->kind == cou_surfaceClavet ? sqrt(mean) : mean;
}

// |n| h of the colour field at a particle of a layered half-space, so deep under the plane.
static double normal_at(const Lattice *lattice, double depth)
{
    static const double up[3] = {0, 1, 0};
    double d = lattice->d, h = lattice->h, sum = 0.0;
    int n = (int)ceil(h / d), m = lattice->dimension == 3 ? n : 0;
    for (int k = -m; k <= m; ++k)
        for (int j = -n; j <= n; ++j)
            for (int i = -n; i <= n; ++i) {
                double q2 = d * d * (double)(i * i + j * j + k * k) / (h * h);
                if (j * d >= depth || q2 >= 1.0) continue;
                couMoments unused;
                double w = 1.0 / sum_neighbors(lattice, up, depth - j * d, &unused);
                sum += w * 6.0 * (1.0 - q2) * (1.0 - q2) * (double)j * d / h; // h dK/dy with K = (1 - q^2)^3
            }
    return fabs(sum);
}

float couSplatThreshold(const couSurfaceDef *def, int dimension)
{
    Lattice lattice = {cou_surfaceColor, dimension, true, (double)def->spacing, (double)def->radius, NULL};
    return (float)sqrt(normal_at(&lattice, 0.5 * lattice.d) * normal_at(&lattice, 1.5 * lattice.d));
}

void couResolveSurfaceDef(couSurfaceDef *def, int dimension, couStretch *stretch)
{
    double d = (double)def->spacing;
    if (isnan(def->radius)) def->radius = 2.0f * def->spacing;
    if (isnan(def->cell)) def->cell = def->spacing / 3.0f;
    *stretch = (couStretch){.sum_radius = 1.5f * def->radius, .lone_size = 1.0f, .max_shift = 0.5f * def->spacing};
    Lattice lattice = {(couSurfaceField)def->field, dimension, def->is_normalized, d, (double)def->radius, stretch};
    if (def->field == cou_surfaceAnisotropic) {
        // A neighbourhood that is two fifths of the one at a flat surface is whole enough: a single layer is.
        couMoments moments;
        sum_neighbors(&lattice, (const double[3]){0, 1, 0}, 0.5 * d, &moments);
        stretch->full_weight = 0.4f * moments.weight;
    }
    if (isnan(def->level)) def->level = (float)find_level(&lattice);
    if (def->field == cou_surfaceAnisotropic) {
        // A lone particle is a drop of its own volume.
        double drop = dimension == 3 ? cbrt(0.75 / COU_PI) * d : d / sqrt(COU_PI);
        double level = fmin((double)def->level, 0.999);
        double q = sqrt(1.0 - cbrt(level));
        stretch->lone_size = (float)COU_CLAMP(drop / ((double)def->radius * q), 0.2, 1.0);
    }
}
