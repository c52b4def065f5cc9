// drop, for SPH with a surface tension: a round drop without gravity comes to rest, and the pressure inside says what its tension
// really is (Laplace: p = sigma/R in the plane, 2 sigma/R in space). Stretched and let go, it swings: omega^2 = 6 sigma/(rho R^3)
// for mode 2 of a disc, 8 sigma/(rho R^3) of a ball [Rayleigh 1879]. All the while particles must keep their distances: a drop
// whose particles pair, or lie in rings, may swing as well.
//
// The pressure inside is the mean normal stress of all pair forces, those of pressure and those of tension, at more than a
// support radius from the surface. A pair's stress lies along the line between the two [Irving and Kirkwood 1950], and the mean
// fades out from the centre: the outermost rows are rings, in which pressures and pulls take turns, +25 and -8 times what is
// left over from both, and a mean that ends between two of them, as it did, says 0.5 to 0.85 where 1 is right, whatever the
// radius. The mean of the pressure column would not do either: particles in disorder press by more than their mean density, and
// pairs pull. Forces are computed here once more, in double precision, from positions, densities and pressures.

#include "validate/validate.h"

#include <stdio.h>
#include <stdlib.h>

#define RADIUS 0.02    // [m]
#define TENSION 0.07   // [N/m]
#define DENSITY 1000.0 // [kg/m^3]
#define SUPPORT_2D 3.5 // h / d, the defaults of this tension
#define SUPPORT_3D 3.0
#define STRETCH 0.08 // of the first axis
#define THICK 0.2f   // viscosity while it comes to rest [Pa s]
#define THIN 0.001f  // while it swings

// Kaiser and Bessel's kernel, sqrt(u) I_1(beta sqrt(u)), u = 1 - q^2, by as many of Chebyshev's polynomials as the library has:
// what pressures and pairs do inside is fifty times what is left over from both, and feels an error of a few 1e-4.
typedef struct Kernel {
    int terms;
    double weight[16];
    double h;
    double scale; // W = scale f(q)
    double mean;  // integral of r W over plane or space
} Kernel;

typedef struct Drop {
    couWorld *world;
    couMaterialId liquid;
    int dimension, count;
    double spacing, h, radius; // [m]
    Kernel density;            // of the lattice: V times the sum of W is 1
    Kernel broad, narrow;      // of tension, each with the integral 1
    double tension;            // A sigma of the pair energy V^2 A (0.9 N - B)
} Drop;

// --- Pair laws ---------------------------------------------------------------------------------------------------------------

static double bessel(double beta, double u)
{
    double term = 1, sum = 0;
    for (int k = 0; k < 60; ++k) sum += term, term *= 0.25 * beta * beta * u / ((k + 1.0) * (k + 2.0));
    return sum;
}

// f(q) = u times the sum of the polynomials; also f'.
static double shape(const Kernel *kernel, double q, double *slope)
{
    double u = 1 - q * q, x = 2 * u - 1, sum = 0, by_x = 0;
    double now = 1, last = x, now_by_x = 0, last_by_x = 1; // T_0 and T_-1 = T_1
    for (int j = 0; j < kernel->terms; ++j) {
        sum += kernel->weight[j] * now, by_x += kernel->weight[j] * now_by_x;
        double next = 2 * x * now - last, next_by_x = 2 * now + 2 * x * now_by_x - last_by_x;
        last = now, last_by_x = now_by_x, now = next, now_by_x = next_by_x;
    }
    *slope = -2 * q * (sum + 2 * u * by_x);
    return u * sum;
}

static Kernel make_kernel(double sharpness, int terms, const Drop *drop)
{
    enum { SHELLS = 2000, POINTS = 32 };
    Kernel kernel = {.terms = terms, .h = drop->h};
    double sum = 0, first = 0, unused, beta = sharpness * drop->h / drop->spacing;
    for (int j = 0; j < terms; ++j)
        for (int p = 0; p < POINTS; ++p) {
            double angle = M_PI * (p + 0.5) / POINTS;
            kernel.weight[j] += (j ? 2.0 : 1.0) / POINTS * cos(j * angle) * bessel(beta, 0.5 + 0.5 * cos(angle));
        }
    for (int k = 0; k < SHELLS; ++k) {
        double q = (k + 0.5) / SHELLS, r = drop->h * q, f = shape(&kernel, q, &unused);
        double shell = (drop->dimension == 2 ? 2 * M_PI * r : 4 * M_PI * r * r) * drop->h / SHELLS;
        sum += shell * f, first += shell * r * f;
    }
    kernel.scale = 1 / sum, kernel.mean = first / sum;
    return kernel;
}

// dW/dr
static double slope(const Kernel *kernel, double r)
{
    double by_q;
    shape(kernel, r / kernel->h, &by_q);
    return kernel->scale * by_q / kernel->h;
}

static void make_laws(Drop *drop)
{
    drop->density = make_kernel(5.2, 9, drop);
    drop->broad = make_kernel(4, 12, drop), drop->narrow = make_kernel(5.2, 12, drop);
    drop->tension = TENSION * (drop->dimension == 2 ? 2 * M_PI : 8) / (drop->broad.mean - 0.9 * drop->narrow.mean);
    int n = (int)ceil(drop->h / drop->spacing), depth = drop->dimension == 3 ? n : 0;
    double sum = 0, unused;
    for (int i = -n; i <= n; ++i)
        for (int j = -n; j <= n; ++j)
            for (int k = -depth; k <= depth; ++k) {
                double q = sqrt(i * i + j * j + k * k) * drop->spacing / drop->h;
                if (q < 1) sum += shape(&drop->density, q, &unused);
            }
    drop->density.scale = 1 / (sum * pow(drop->spacing, drop->dimension));
}

// Attraction of two particles by tension [N]: below 0.75 d they repel.
static double attraction(const Drop *drop, double r)
{
    double d = drop->spacing, V = pow(d, drop->dimension), core = 0.75 * d;
    double energy = 4 * TENSION * pow(d, drop->dimension - 1), near = fmax(1 - r * r / (core * core), 0);
    double smooth = V * V * drop->tension * (0.9 * slope(&drop->narrow, r) - slope(&drop->broad, r));
    return smooth - 2 * energy * near * r / (core * core);
}

// --- The drop ----------------------------------------------------------------------------------------------------------------

static void set_viscosity(couTrial *trial, const Drop *drop, float viscosity)
{
    if (!drop->world || trial->faults.count) return;
    couMaterialDef def = *couWorld_Material(drop->world, drop->liquid);
    def.viscosity = viscosity;
    couWorld_SetMaterial(drop->world, drop->liquid, &def, &trial->faults);
}

// A disc of triangles, or a ball of cubes, jittered by 0.15 spacings.
static void fill(couTrial *trial, Drop *drop, double across, uint64_t seed)
{
    int n = (int)ceil(across) + 2, depth = drop->dimension == 3 ? n : 0;
    size_t capacity = (size_t)(4 * n + 1) * (size_t)(2 * n + 1) * (size_t)(2 * depth + 1);
    couVec3 *x = malloc(capacity * sizeof *x);
    double pitch = drop->dimension == 3 ? 1 : sqrt(2 / sqrt(3)), row = drop->dimension == 3 ? 1 : sqrt(0.75);
    for (int i = -2 * n; i <= 2 * n && x; ++i)
        for (int j = -n; j <= n; ++j)
            for (int k = -depth; k <= depth; ++k) {
                double at[3] = {pitch * (i + (drop->dimension == 3 ? 0.5 : 0.5 * (j & 1))), pitch * row * j,
                                drop->dimension == 3 ? k : 0};
                if (at[0] * at[0] + at[1] * at[1] + at[2] * at[2] > across * across) continue;
                for (int a = 0; a < drop->dimension; ++a) at[a] = drop->spacing * (at[a] + 0.15 * couNoise(&seed));
                x[drop->count++] = (couVec3){(float)at[0], (float)at[1], (float)at[2]};
            }
    if (drop->world && x && !trial->faults.count)
        couWorld_AddParticles(drop->world, drop->liquid, x, NULL, (size_t)drop->count, &trial->faults);
    free(x);
    double share = drop->count / (drop->dimension == 3 ? 4 * M_PI / 3 : M_PI);
    drop->radius = drop->spacing * pow(share, 1.0 / drop->dimension);
}

// `across`: radius / spacing
static Drop make_drop(couTrial *trial, int dimension, double across, uint64_t seed)
{
    Drop drop = {.dimension = dimension, .spacing = RADIUS / across};
    drop.h = (dimension == 2 ? SUPPORT_2D : SUPPORT_3D) * drop.spacing;
    make_laws(&drop);
    couWorldDef def = couTrial_WorldDef(trial, dimension, (float)drop.spacing);
    drop.world = couTrial_CreateWorld(trial, &def);
    couTrial_Set(trial, drop.world, "tension", "area");
    couMaterialDef liquid = couDefaultMaterialDef();
    liquid.density = (float)DENSITY, liquid.surface_tension = (float)TENSION, liquid.viscosity = THICK;
    drop.liquid = couTrial_AddMaterial(trial, drop.world, &liquid);
    fill(trial, &drop, across, seed);
    return drop;
}

static void center_of(couParticleView view, double center[3])
{
    center[0] = center[1] = center[2] = 0;
    for (size_t i = 0; i < view.count; ++i) {
        center[0] += view.position[i].x / (double)view.count;
        center[1] += view.position[i].y / (double)view.count;
        center[2] += view.position[i].z / (double)view.count;
    }
}

// Offset from j to i; returns its length.
static double offset(couParticleView view, size_t i, size_t j, double d[3])
{
    d[0] = (double)view.position[i].x - view.position[j].x, d[1] = (double)view.position[i].y - view.position[j].y;
    d[2] = (double)view.position[i].z - view.position[j].z;
    return sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
}

typedef struct Found {
    double tension;         // by Laplace's law / sigma
    double frequency, rate; // of mode 2 without damping and its damping, both / what sigma would make [Rayleigh 1879]
    double way;             // of the centre [d]
    double nearest, uneven; // smallest distance of two particles [d]; of the nearest neighbours' the standard deviation / mean
    double close;           // share of particles with somebody below d/2
} Found;

// --- Distances ---------------------------------------------------------------------------------------------------------------

static void look_at_neighbors(const Drop *drop, Found *found)
{
    couParticleView view = couWorld_Particles(drop->world);
    double sum = 0, sum2 = 0, close = 0, n = (double)view.count, d[3];
    for (size_t i = 0; i < view.count; ++i) {
        double least = INFINITY;
        for (size_t j = 0; j < view.count; ++j)
            if (i != j) least = fmin(least, offset(view, i, j, d));
        least /= drop->spacing;
        sum += least / n, sum2 += least * least / n, close += (least < 0.5) / n;
        found->nearest = fmin(found->nearest, least);
    }
    found->uneven = fmax(found->uneven, sqrt(fmax(sum2 - sum * sum, 0)) / sum);
    found->close = fmax(found->close, close);
}

// --- Laplace's pressure ------------------------------------------------------------------------------------------------------

// Mean over the line from j to i of (1 - x^2/b^2)^2 where that is inside b, x from the centre.
static double share_of(const couVec4 *at, const double d[3], const double center[3], double b)
{
    enum { POINTS = 6 };
    double sum = 0;
    for (int k = 0; k < POINTS; ++k) {
        double t = (k + 0.5) / POINTS, x = at->x - center[0] - t * d[0], y = at->y - center[1] - t * d[1];
        double z = at->z - center[2] - t * d[2], u = fmax(1 - (x * x + y * y + z * z) / (b * b), 0);
        sum += u * u / POINTS;
    }
    return sum;
}

// Mean normal stress inside [Pa]. A drop that still breathes is accelerated by alpha x, which takes rho alpha (R^2 - x^2)/2, and
// the sum over the whole drop says how much alpha is: (sum of F x) / (sum of m x^2).
static double inner_pressure(const Drop *drop)
{
    couParticleView view = couWorld_Particles(drop->world);
    bool is_flat = drop->dimension == 2;
    double center[3], d[3], h = drop->h, inside = 0, whole = 0, inertia = 0, R = drop->radius, b = R - h;
    double V = pow(drop->spacing, drop->dimension);
    center_of(view, center);
    for (size_t i = 0; i < view.count; ++i) {
        const couVec4 *at = &view.position[i];
        inertia += DENSITY * V * (pow(at->x - center[0], 2) + pow(at->y - center[1], 2) + pow(at->z - center[2], 2));
        double own = view.pressure[i] / ((double)view.density[i] * view.density[i]);
        for (size_t j = 0; j < i; ++j) {
            double r = offset(view, i, j, d);
            if (r >= h) continue;
            double other = view.pressure[j] / ((double)view.density[j] * view.density[j]);
            double virial = -r * (V * V * (own + other) * slope(&drop->density, r) + attraction(drop, r));
            inside += virial * share_of(at, d, center, b), whole += virial;
        }
    }
    // Integral of the weight, and the mean of x^2 by it.
    double volume = is_flat ? M_PI * b * b / 3 : 32 * M_PI * b * b * b / 105, x2 = b * b / (is_flat ? 4 : 3);
    return inside / (drop->dimension * volume) - 0.5 * DENSITY * whole / inertia * (R * R - x2);
}

// Lets the drop come to rest; the tension is a mean over the second half of that time.
static void settle(couTrial *trial, const Drop *drop, double seconds, Found *found)
{
    enum { FRAMES = 60 };
    double sum = 0;
    for (int f = 0; f < FRAMES; ++f) {
        if (!couTrial_Advance(trial, drop->world, seconds / FRAMES)) return;
        if (f >= FRAMES / 2) sum += inner_pressure(drop) / (FRAMES - FRAMES / 2);
    }
    look_at_neighbors(drop, found);
    found->tension = sum * drop->radius / ((drop->dimension - 1) * TENSION);
}

// --- Mode 2 ------------------------------------------------------------------------------------------------------------------

static couVec3 stretched(const void *context, couVec3 x)
{
    const Drop *drop = context;
    double along = 1 + STRETCH, across = drop->dimension == 3 ? 1 / sqrt(along) : 1 / along;
    return (couVec3){(float)(along * x.x), (float)(across * x.y), (float)(across * x.z)};
}

// Difference of the second moments along and across over their sum: 0 for a round drop.
static double elongation(const Drop *drop)
{
    couParticleView view = couWorld_Particles(drop->world);
    double center[3], m[3] = {0};
    center_of(view, center);
    for (size_t i = 0; i < view.count; ++i) {
        m[0] += pow(view.position[i].x - center[0], 2), m[1] += pow(view.position[i].y - center[1], 2);
        m[2] += pow(view.position[i].z - center[2], 2);
    }
    double across = drop->dimension == 3 ? 0.5 * (m[1] + m[2]) : m[1];
    return (m[0] - across) / (m[0] + across);
}

static void draw_swing(couTrial *trial, const couRecord *record, const couSwing *swing, const char *part)
{
    couRecord curve_of = couMakeRecord(2);
    double end = record->values[0][record->count - 1];
    for (int k = 0; k <= 300; ++k) couRecord_Add(&curve_of, (double[]){end * k / 300, couSwing_At(swing, end * k / 300)});
    couPlot *plot = couCreatePlot("drop: elongation after a stretch of 8 %", "time [s]", "(along - across) / sum of moments");
    couPlot_Add(plot, cou_plotDots, "measured", record->values[0], record->values[1], record->count);
    couPlot_Add(plot, cou_plotLine, "damped cosine", curve_of.values[0], curve_of.values[1], curve_of.count);
    couTrial_WritePlot(trial, plot, part);
    couRecord_Clear(&curve_of);
}

// Stretches the drop, and lets it swing for two periods.
static void swing(couTrial *trial, Drop *drop, const char *part, Found *found)
{
    enum { FRAMES = 80 };
    set_viscosity(trial, drop, THIN);
    if (!couTrial_Move(trial, drop->world, stretched, drop)) return;
    double nominal = sqrt((drop->dimension == 3 ? 8 : 6) * TENSION / (DENSITY * pow(drop->radius, 3)));
    double start = couWorld_Time(drop->world), seconds = 4 * M_PI / nominal, before[3], after[3];
    center_of(couWorld_Particles(drop->world), before);
    couRecord record = couMakeRecord(2);
    couRecord_Add(&record, (double[]){0, elongation(drop)});
    for (int f = 0; f < FRAMES && couTrial_Advance(trial, drop->world, seconds / FRAMES); ++f) {
        couRecord_Add(&record, (double[]){couWorld_Time(drop->world) - start, elongation(drop)});
        if (f % 10 == 5) look_at_neighbors(drop, found);
    }
    if (!trial->faults.count) {
        look_at_neighbors(drop, found);
        center_of(couWorld_Particles(drop->world), after);
        couSwing best = couFitSwing(record.values[0], record.values[1], record.count, nominal);
        found->way = sqrt(pow(after[0] - before[0], 2) + pow(after[1] - before[1], 2) + pow(after[2] - before[2], 2)) /
                     drop->spacing;
        found->frequency = sqrt(best.omega * best.omega + best.rate * best.rate) / nominal;
        found->rate = best.rate / nominal;
        if (part) draw_swing(trial, &record, &best, part);
    }
    couRecord_Clear(&record);
}

static void draw_particles(couTrial *trial, const Drop *drop, const char *part)
{
    couParticleView view = couWorld_Particles(drop->world);
    couRecord record = couMakeRecord(2);
    for (size_t i = 0; i < view.count; ++i) couRecord_Add(&record, (double[]){view.position[i].x, view.position[i].y});
    couPlot *plot = couCreatePlot("drop: particles after two swings", "x [m]", "y [m]");
    couPlot_SetEqual(plot);
    couPlot_Add(plot, cou_plotDots, "", record.values[0], record.values[1], record.count);
    couTrial_WritePlot(trial, plot, part);
    couRecord_Clear(&record);
}

// --- The case ----------------------------------------------------------------------------------------------------------------

typedef struct Size {
    int dimension;
    double across; // radius / spacing
    int starts;
    double seconds;               // to come to rest
    const char *part, *particles; // of the plots
    bool is_small;
} Size;

// Particles at rest are in some order that bears stresses of its own, another one for every start: means over several.
static void check_size(couTrial *trial, const Size *size, double done, double share)
{
    int starts = trial->is_small ? 1 : size->starts;
    Found mean = {0}, most = {0};
    double least = INFINITY, nearest = INFINITY;
    for (int s = 0; s < starts; ++s) {
        Found found = {.nearest = INFINITY};
        Drop drop = make_drop(trial, size->dimension, size->across, (uint64_t)(3 + s));
        settle(trial, &drop, size->seconds, &found);
        swing(trial, &drop, s == 0 ? size->part : NULL, &found);
        if (s == 0 && size->particles && !trial->faults.count) draw_particles(trial, &drop, size->particles);
        couDestroyWorld(drop.world);
        mean.tension += found.tension / starts, mean.frequency += found.frequency / starts, mean.rate += found.rate / starts;
        most.tension = fmax(most.tension, found.tension), least = fmin(least, found.tension);
        most.way = fmax(most.way, found.way), most.uneven = fmax(most.uneven, found.uneven);
        most.close = fmax(most.close, found.close), nearest = fmin(nearest, found.nearest);
        couTrial_Show(trial, done + share * (s + 1.0) / starts);
    }
    char name[32];
    snprintf(name, sizeof name, "%s, R = %.0f d", size->dimension == 3 ? "ball" : "disc", size->across);
    couTrial_Within(trial, mean.tension, 1, 0.1, "", "%s: tension by Laplace's law / sigma", name);
    if (starts > 1) couTrial_AtMost(trial, most.tension - least, 0.3, "", "%s: largest less smallest of %d", name, starts);
    couTrial_Within(trial, mean.frequency, 1, 0.1, "", "%s: frequency of mode 2 / that of sigma", name);
    couTrial_AtMost(trial, mean.rate, 0.1, "", "%s: damping rate / that frequency", name);
    couTrial_AtMost(trial, most.way, 0.001, "d", "%s: way of the centre", name);
    couTrial_AtLeast(trial, nearest, 0.6, "d", "%s: smallest distance of two particles", name);
    couTrial_AtMost(trial, most.uneven, 0.2, "", "%s: variation of nearest distances", name);
    couTrial_AtMost(trial, most.close, 0, "", "%s: share closer than d/2", name);
}

void couValidateDropMode(couTrial *trial)
{
    static const Size sizes[] = {
        {2, 12, 4, 2, NULL, NULL, true},  {2, 20, 2, 2, "coarse", "particles", false}, {2, 32, 1, 2, "fine", NULL, false},
        {3, 8, 2, 0.6, NULL, NULL, true}, {3, 10, 1, 0.6, NULL, NULL, false},          {3, 12, 1, 0.6, "ball", NULL, false},
    };
    int count = (int)(sizeof sizes / sizeof *sizes);
    for (int k = 0; k < count; ++k)
        if (sizes[k].is_small || !trial->is_small) check_size(trial, &sizes[k], (double)k / count, 1.0 / count);
}
