// What is automatic in a surface's def: radius, cell, and the level at which matter fills its volume.
//
// The level is that of a tank at rest: a cubic lattice fills the half-space below a plane, its last layer half a spacing under it, so
// that each particle has its own cube; the level is the field's mean over that plane. Weights and stretches depend on the layer only
// and are lattice sums too, in double precision, made like those of the particles. Nothing here is fitted to a test; drops, whose
// surface cuts the lattice at all angles, follow within about a percent (docs/surfaces.md).

#include "surface/cloud.h"

enum { samples = 8, most_layers = 16 };

typedef struct Lattice {
    couSurfaceField kind;
    int dimension;
    double d, h; // [m]
    const couStretch *stretch;
    int layers;                                     // of which kernels reach the plane or each other
    double weight[most_layers];                     // of a kernel, 1 / s, with the amplitude
    double height[most_layers];                     // of its centre above the plane [m]
    double across[most_layers], along[most_layers]; // stretch normal to the plane and in it
} Lattice;

static double kernel(couSurfaceField kind, double q2)
{
    if (!(q2 < 1.0)) return 0.0;
    double m = kind == cou_surfaceClavet ? 1.0 - sqrt(q2) : 1.0 - q2;
    return kind == cou_surfaceClavet ? m * m : m * m * m;
}

// Lattice points of the half-space within `radius` of one in layer `layer`, as moments in units of metres; s is the sum of kernels.
static double sum_layer(const Lattice *lattice, int layer, double radius, couMoments *moments)
{
    double d = lattice->d, s = 0.0, weight = 0.0, first = 0.0, in_plane = 0.0, normal = 0.0;
    int n = (int)ceil(fmax(radius, lattice->h) / d), across = lattice->dimension == 3 ? n : 0;
    for (int up = -n; up <= layer; ++up)
        for (int k = -across; k <= across; ++k)
            for (int i = -n; i <= n; ++i) {
                double r2 = d * d * (double)(up * up + k * k + i * i), q = sqrt(r2) / radius;
                s += kernel(lattice->kind, r2 / (lattice->h * lattice->h));
                double w = q < 1.0 ? 1.0 - q * q * q : 0.0, z = d * up, x = d * i;
                weight += w, first += w * z, in_plane += w * x * x, normal += w * z * z;
            }
    // The plane's normal is y, so that 2D is the same.
    *moments = (couMoments){(float)weight,
                            {0.0f, (float)first, 0.0f},
                            {(float)in_plane, 0.0f, 0.0f, (float)normal, 0.0f, lattice->dimension == 3 ? (float)in_plane : 0.0f}};
    return s;
}

static void prepare_layers(Lattice *lattice, bool is_normalized)
{
    lattice->layers = COU_MIN(most_layers, 2 + (int)ceil(COU_MAX_STRETCH * lattice->h / lattice->d));
    for (int layer = 0; layer < lattice->layers; ++layer) {
        couMoments moments;
        bool is_stretched = lattice->kind == cou_surfaceAnisotropic;
        double s = sum_layer(lattice, layer, is_stretched ? (double)lattice->stretch->sum_radius : lattice->h, &moments);
        lattice->weight[layer] = is_normalized ? 1.0 / s : 1.0;
        lattice->height[layer] = -(layer + 0.5) * lattice->d;
        lattice->across[layer] = lattice->along[layer] = 1.0;
        if (!is_stretched) continue;
        float matrix[6];
        lattice->weight[layer] *= (double)couStretchFrom(&moments, lattice->stretch, lattice->dimension, matrix);
        lattice->along[layer] = (double)matrix[0], lattice->across[layer] = (double)matrix[3];
        lattice->height[layer] += (double)couCenterShift(&moments, lattice->stretch).y;
    }
}

// F in the plane, above the point (x, z) of the lattice's cell.
static double field_at(const Lattice *lattice, double x, double z)
{
    double sum = 0.0;
    for (int layer = 0; layer < lattice->layers; ++layer) {
        double along = lattice->h * lattice->along[layer], across = lattice->h * lattice->across[layer];
        double q_across = lattice->height[layer] / across;
        int n = 1 + (int)ceil(along / lattice->d), m = lattice->dimension == 3 ? n : 0;
        for (int k = -m; k <= m; ++k)
            for (int i = -n; i <= n; ++i) {
                double dx = (x - i) * lattice->d / along, dz = lattice->dimension == 3 ? (z - k) * lattice->d / along : 0.0;
                sum += lattice->weight[layer] * kernel(lattice->kind, dx * dx + dz * dz + q_across * q_across);
            }
    }
    return sum;
}

static double find_level(const couSurfaceDef *def, int dimension, const couStretch *stretch)
{
    Lattice lattice = {.kind = (couSurfaceField)def->field, .dimension = dimension, .stretch = stretch};
    lattice.d = (double)def->spacing, lattice.h = (double)def->radius;
    prepare_layers(&lattice, def->is_normalized);
    double sum = 0.0;
    int rows = dimension == 3 ? samples : 1;
    for (int k = 0; k < rows; ++k)
        for (int i = 0; i < samples; ++i) sum += field_at(&lattice, (i + 0.5) / samples, (k + 0.5) / samples);
    double mean = sum / (double)(rows * samples);
    return def->field == cou_surfaceClavet ? sqrt(mean) : mean;
}

void couResolveSurfaceDef(couSurfaceDef *def, int dimension, couStretch *stretch)
{
    double d = (double)def->spacing;
    if (isnan(def->radius)) def->radius = 2.0f * def->spacing;
    if (isnan(def->cell)) def->cell = 0.5f * def->spacing;
    *stretch = (couStretch){.sum_radius = 1.5f * def->radius, .lone_size = 1.0f, .max_shift = 0.5f * def->spacing};
    if (def->field == cou_surfaceAnisotropic) {
        // A neighbourhood that is two fifths of the one at a flat surface is whole enough: a single layer is.
        Lattice lattice = {.kind = cou_surfaceAnisotropic, .dimension = dimension, .d = d, .h = (double)def->radius};
        couMoments moments;
        sum_layer(&lattice, 0, (double)stretch->sum_radius, &moments);
        stretch->full_weight = 0.4f * moments.weight;
    }
    if (isnan(def->level)) def->level = (float)find_level(def, dimension, stretch);
    if (def->field == cou_surfaceAnisotropic) {
        // A lone particle is a drop of its own volume.
        double drop = dimension == 3 ? cbrt(0.75 / COU_PI) * d : d / sqrt(COU_PI);
        double level = fmin((double)def->level, 0.999);
        double q = sqrt(1.0 - cbrt(level));
        stretch->lone_size = (float)COU_CLAMP(drop / ((double)def->radius * q), 0.2, 1.0);
    }
}
