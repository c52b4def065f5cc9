// drop, for SPH with a surface tension: a round drop without gravity comes to rest, and the pressure inside says what its tension
// really is (Laplace: p = sigma/R in the plane, 2 sigma/R in space). Stretched and let go, it swings: omega^2 = 6 sigma/(rho R^3)
// for mode 2 of a disc, 8 sigma/(rho R^3) of a ball [Rayleigh 1879].
//
// The pressure inside is the mean normal stress of all pair forces, those of pressure and those of tension, over the particles
// farther than two support radii from the surface (half a pair's virial to each of the two). The mean of the pressure column
// would not do: particles in disorder press by more than their mean density. Forces are computed here once more, in double
// precision, from positions, densities and pressures.

#include "validate/validate.h"

#include <stdio.h>
#include <stdlib.h>

#define RADIUS 0.02    // [m]
#define TENSION 0.07   // [N/m]
#define DENSITY 1000.0 // [kg/m^3]
#define SUPPORT 3.5    // h / d
#define THRESHOLD 0.4  // of the tension, the default
#define STRETCH 0.08   // of the first axis
#define THICK 0.2f     // viscosity while it comes to rest [Pa s]
#define THIN 0.001f    // while it swings
#define TENSE_KIND "area"

typedef struct Drop {
    couWorld *world;
    couMaterialId liquid;
    int dimension, count;
    double spacing, h, radius; // [m]
    double unit;               // V W = unit f(q)
} Drop;

// --- Wendland's kernel: f = (1 - q)^4 (1 + 4 q) ------------------------------------------------------------------------------

static double shape(double q) { return q < 1 ? pow(1 - q, 4) * (1 + 4 * q) : 0; }
static double slope(double q) { return -20 * q * pow(1 - q, 3); }
static double curve(double q) { return 60 * q * pow(1 - q, 2) - 20 * pow(1 - q, 3); }

// The lattice of pitch d has density 1.
static double lattice_unit(int dimension)
{
    int n = (int)ceil(SUPPORT), depth = dimension == 3 ? n : 0;
    double sum = 0;
    for (int i = -n; i <= n; ++i)
        for (int j = -n; j <= n; ++j)
            for (int k = -depth; k <= depth; ++k) sum += shape(sqrt(i * i + j * j + k * k) / SUPPORT);
    return 1 / sum;
}

// --- The drop ----------------------------------------------------------------------------------------------------------------

static void set_viscosity(couTrial *trial, const Drop *drop, float viscosity)
{
    if (!drop->world || trial->faults.count) return;
    couMaterialDef def = *couWorld_Material(drop->world, drop->liquid);
    def.viscosity = viscosity;
    couWorld_SetMaterial(drop->world, drop->liquid, &def, &trial->faults);
}

// A disc of triangles, or a ball of cubes, jittered by 0.3 spacings.
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
                for (int a = 0; a < drop->dimension; ++a) at[a] = drop->spacing * (at[a] + 0.3 * couNoise(&seed));
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
    Drop drop = {.dimension = dimension, .spacing = RADIUS / across, .unit = lattice_unit(dimension)};
    drop.h = SUPPORT * drop.spacing;
    couWorldDef def = couTrial_WorldDef(trial, dimension, (float)drop.spacing);
    drop.world = couTrial_CreateWorld(trial, &def);
    char support[16];
    snprintf(support, sizeof support, "%g", SUPPORT);
    couTrial_Set(trial, drop.world, "tension", TENSE_KIND);
    couTrial_Set(trial, drop.world, "kernel", "wendland");
    couTrial_Set(trial, drop.world, "clamp", "false");
    couTrial_Set(trial, drop.world, "support", support);
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

// --- Laplace's pressure ------------------------------------------------------------------------------------------------------

typedef struct Slopes {
    double s[3], g; // derivatives of sigma |n| / D by n, and by -D
} Slopes;

static Slopes slopes_of(const Drop *drop, couParticleView view, size_t i)
{
    double n[3] = {0}, d[3], h = drop->h, threshold = THRESHOLD / h, D = view.density[i];
    for (size_t j = 0; j < view.count; ++j) {
        double r = offset(view, i, j, d);
        if (i == j || r >= h) continue;
        for (int a = 0; a < 3; ++a) n[a] += drop->unit / h * slope(r / h) * d[a] / r;
    }
    double size = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2] + threshold * threshold), t = TENSION / D;
    return (Slopes){{t * n[0] / size, t * n[1] / size, t * n[2] / size}, t * (size - threshold) / D};
}

// Mean normal stress inside [Pa].
static double inner_pressure(const Drop *drop)
{
    couParticleView view = couWorld_Particles(drop->world);
    Slopes *slopes = malloc(view.count * sizeof *slopes + 1);
    if (!slopes) return NAN;
    double center[3], d[3], h = drop->h, virial = 0, volume = 0, core = drop->radius - 2 * h;
    center_of(view, center);
    for (size_t i = 0; i < view.count; ++i) slopes[i] = slopes_of(drop, view, i);
    for (size_t i = 0; i < view.count; ++i) {
        double x = view.position[i].x - center[0], y = view.position[i].y - center[1], z = view.position[i].z - center[2];
        if (x * x + y * y + z * z > core * core) continue;
        volume += 1 / view.density[i];
        for (size_t j = 0; j < view.count; ++j) {
            double r = offset(view, i, j, d), q = r / h, bend = 0;
            if (i == j || q >= 1) continue;
            double W1 = drop->unit * slope(q) / h, W2 = drop->unit * curve(q) / (h * h);
            for (int a = 0; a < 3; ++a) bend += (slopes[i].s[a] - slopes[j].s[a]) * d[a] / r;
            double mean = 0.5 * (view.pressure[i] + view.pressure[j]) / ((double)view.density[i] * view.density[j]);
            virial -= 0.5 * r * (mean * W1 + W2 * bend - (slopes[i].g + slopes[j].g) * W1);
        }
    }
    free(slopes);
    return virial / (drop->dimension * volume);
}

// Lets the drop come to rest; returns its tension by Laplace's law / sigma, a mean over the second half of that time.
static double settle(couTrial *trial, const Drop *drop, double seconds)
{
    enum { FRAMES = 40 };
    double sum = 0;
    for (int f = 0; f < FRAMES; ++f) {
        if (!couTrial_Advance(trial, drop->world, seconds / FRAMES)) return NAN;
        if (f >= FRAMES / 2) sum += inner_pressure(drop) / (FRAMES - FRAMES / 2);
    }
    return sum * drop->radius / ((drop->dimension - 1) * TENSION);
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

typedef struct Found {
    double tension;         // by Laplace's law / sigma
    double frequency, rate; // of mode 2 without damping and its damping, both / what sigma would make [Rayleigh 1879]
    double way;             // of the centre [d]
} Found;

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
    for (int f = 0; f < FRAMES && couTrial_Advance(trial, drop->world, seconds / FRAMES); ++f)
        couRecord_Add(&record, (double[]){couWorld_Time(drop->world) - start, elongation(drop)});
    if (!trial->faults.count) {
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

// Drops of the same size at three resolutions. Particles at rest are in some order that bears stresses of its own, another one
// for every start: means over several. The coarsest does not swing as a liquid.
void couValidateDropMode(couTrial *trial)
{
    static const struct {
        double across, tolerance; // radius / spacing; of the tension
        int starts;
        const char *part; // of the plot; NULL: it is not swung
    } discs[] = {{12, 0.2, 6, NULL}, {20, 0.1, 4, "coarse"}, {32, 0.1, 2, "fine"}};
    int first = trial->is_small ? 1 : 0, last = trial->is_small ? 1 : 2;
    for (int k = first; k <= last; ++k) {
        int starts = trial->is_small ? 2 : discs[k].starts;
        Found mean = {0}, most = {0};
        double least = INFINITY;
        for (int s = 0; s < starts; ++s) {
            Found found = {0};
            Drop drop = make_drop(trial, 2, discs[k].across, (uint64_t)(3 + s));
            found.tension = settle(trial, &drop, 3);
            if (discs[k].part) swing(trial, &drop, s == 0 ? discs[k].part : NULL, &found);
            couDestroyWorld(drop.world);
            mean.tension += found.tension / starts, mean.frequency += found.frequency / starts;
            most.tension = fmax(most.tension, found.tension), least = fmin(least, found.tension);
            most.rate = fmax(most.rate, found.rate), most.way = fmax(most.way, found.way);
            couTrial_Show(trial, (k + (s + 1.0) / starts) / 3);
        }
        const char *name = "disc, R =";
        couTrial_Within(trial, mean.tension, 1, discs[k].tolerance, "", "%s %.0f d: tension by Laplace's law / sigma", name,
                        discs[k].across);
        couTrial_AtMost(trial, most.tension - least, 0.3, "", "%s %.0f d: largest less smallest of %d", name, discs[k].across,
                        starts);
        if (!discs[k].part) continue;
        couTrial_Within(trial, mean.frequency, sqrt(mean.tension), 0.1, "", "%s %.0f d: frequency of mode 2 / that of sigma",
                        name, discs[k].across);
        couTrial_AtMost(trial, most.rate, 0.1, "", "%s %.0f d: damping rate / that frequency", name, discs[k].across);
        couTrial_AtMost(trial, most.way, 0.001, "d", "%s %.0f d: way of the centre", name, discs[k].across);
    }
}
