// drop: an ellipsoid 2:1 of fluid without gravity. pvfs codes no surface tension; it emerges from the pair law, and must be
// strong and even enough to make the drop round, and little enough damped to carry it past the sphere at least once.
//
// Axes are those of the ellipsoid with the cloud's second moments: sqrt(5 eigenvalue). Along the first axis and across it are
// enough while the drop swings; at the end the true principal axes are taken, since a drop may also freeze into a shape that is
// turned.

#include "validate/validate.h"

#include <stdlib.h>
#include <string.h>

#define SPACING 0.02f // [m]

typedef struct Moments {
    double m[3][3]; // central second moments [m^2]
} Moments;

static Moments moments_of(const couWorld *world)
{
    couParticleView view = couWorld_Particles(world);
    double center[3] = {0}, n = (double)view.count;
    Moments moments = {0};
    for (size_t i = 0; i < view.count; ++i)
        center[0] += view.position[i].x / n, center[1] += view.position[i].y / n, center[2] += view.position[i].z / n;
    for (size_t i = 0; i < view.count; ++i) {
        double r[3] = {view.position[i].x - center[0], view.position[i].y - center[1], view.position[i].z - center[2]};
        for (int a = 0; a < 3; ++a)
            for (int b = 0; b < 3; ++b) moments.m[a][b] += r[a] * r[b] / n;
    }
    return moments;
}

// Semi-axes by Jacobi rotations, which converge in a few sweeps for a 3 by 3 matrix.
static void principal_axes(Moments moments, double axes[3])
{
    double(*m)[3] = moments.m;
    for (int sweep = 0; sweep < 12; ++sweep)
        for (int p = 0; p < 2; ++p)
            for (int q = p + 1; q < 3; ++q) {
                if (fabs(m[p][q]) < 1e-18) continue;
                double angle = 0.5 * atan2(2 * m[p][q], m[q][q] - m[p][p]), c = cos(angle), s = sin(angle);
                for (int k = 0; k < 3; ++k) {
                    double a = m[k][p], b = m[k][q];
                    m[k][p] = c * a - s * b, m[k][q] = s * a + c * b;
                }
                for (int k = 0; k < 3; ++k) {
                    double a = m[p][k], b = m[q][k];
                    m[p][k] = c * a - s * b, m[q][k] = s * a + c * b;
                }
            }
    for (int a = 0; a < 3; ++a) axes[a] = sqrt(5 * fmax(m[a][a], 0));
}

// The axis that was long over the mean of the other two.
static double aspect_of(const couWorld *world)
{
    Moments moments = moments_of(world);
    return sqrt(moments.m[0][0]) / sqrt(0.5 * (moments.m[1][1] + moments.m[2][2]));
}

// Lattice points of the ellipsoid with semi-axes 2 b, b, b (in spacings), jittered by a tenth of a spacing.
static void add_ellipsoid(couTrial *trial, couWorld *world, couMaterialId material, double b)
{
    int n = (int)ceil(b), capacity = (4 * n + 1) * (2 * n + 1) * (2 * n + 1), count = 0;
    couVec3 *x = malloc((size_t)capacity * sizeof *x);
    uint64_t seed = 5;
    for (int i = -2 * n; i <= 2 * n && x; ++i)
        for (int j = -n; j <= n; ++j)
            for (int k = -n; k <= n; ++k) {
                if (0.25 * i * i + j * j + k * k > b * b) continue;
                double noise[3] = {couNoise(&seed), couNoise(&seed), couNoise(&seed)};
                x[count++] = (couVec3){SPACING * (float)(i + 0.1 * noise[0]), SPACING * (float)(j + 0.1 * noise[1]),
                                       SPACING * (float)(k + 0.1 * noise[2])};
            }
    if (world && x && !trial->faults.count) couWorld_AddParticles(world, material, x, NULL, (size_t)count, &trial->faults);
    free(x);
}

static void draw_particles(couTrial *trial, const couWorld *world, const char *title, const char *part)
{
    couParticleView view = couWorld_Particles(world);
    double *x = malloc(view.count * sizeof *x + 1), *y = malloc(view.count * sizeof *y + 1);
    for (size_t i = 0; x && y && i < view.count; ++i) x[i] = view.position[i].x, y[i] = view.position[i].y;
    couPlot *plot = couCreatePlot(title, "x [m]", "y [m]");
    couPlot_SetEqual(plot);
    if (x && y) couPlot_Add(plot, cou_plotDots, "", x, y, (int)view.count);
    couTrial_WritePlot(trial, plot, part);
    free(x);
    free(y);
}

void couValidateDrop(couTrial *trial)
{
    if (trial->traits->has_tension) {
        couValidateDropMode(trial);
        return;
    }
    double seconds = trial->is_small ? 30 : 90, frame = 0.1, lowest = INFINITY, mean = 0;
    couWorldDef def = couTrial_WorldDef(trial, 3, SPACING);
    couWorld *world = couTrial_CreateWorld(trial, &def);
    couTrial_Set(trial, world, "recipe", "drops");
    couMaterialDef water = couDefaultMaterialDef();
    add_ellipsoid(trial, world, couTrial_AddMaterial(trial, world, &water), trial->is_small ? 4 : 6);

    couRecord record = couMakeRecord(2);
    int frames = (int)lround(seconds / frame), crossings = 0, last = frames / 5;
    double before = 2;
    for (int f = 0; f < frames && couTrial_Advance(trial, world, frame); ++f) {
        double aspect = aspect_of(world);
        couRecord_Add(&record, (double[]){couWorld_Time(world), aspect});
        lowest = fmin(lowest, aspect);
        crossings += (before > 1) != (aspect > 1);
        before = aspect;
        if (f >= frames - last) mean += aspect / last;
        couTrial_Show(trial, (f + 1.0) / frames);
    }
    double axes[3] = {NAN, NAN, NAN};
    if (!trial->faults.count) {
        principal_axes(moments_of(world), axes);
        double ends[2] = {0, seconds}, one[2] = {1, 1};
        couPlot *plot = couCreatePlot("drop: axis that was long / mean of the others", "time [s]", "aspect");
        couPlot_Add(plot, cou_plotLine, "measured", record.values[0], record.values[1], record.count);
        couPlot_Add(plot, cou_plotDashed, "sphere", ends, one, 2);
        couTrial_WritePlot(trial, plot, NULL);
        draw_particles(trial, world, "drop: particles at the end, seen along z", "particles");
    }
    double largest = fmax(axes[0], fmax(axes[1], axes[2])), smallest = fmin(axes[0], fmin(axes[1], axes[2]));
    couTrial_Within(trial, largest / smallest, 1, 0.05, "", "largest / smallest principal axis at the end");
    couTrial_Within(trial, mean, 1, 0.05, "", "mean aspect over the last fifth");
    couTrial_AtLeast(trial, crossings, 1, "", "times that the aspect passed 1");
    couTrial_AtMost(trial, lowest, 0.99, "", "lowest aspect (overshoot)");
    couRecord_Clear(&record);
    couDestroyWorld(world);
}
