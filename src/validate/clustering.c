// clustering: why the method has two densities. A 2D sheet of particles without gravity, started with jitter, comes to rest
// with the near density and without it. The coefficient of variation of the distance to the nearest neighbour says how even it
// is: one density is met as well by clumps as by an even sheet, and finds the clumps.
//
// Particles on the free rim sit closer than inside (that is the method's surface tension), so the number falls with the size of
// the sheet: over all particles 0.155 for 36 by 36, 0.124 for 64 by 64, 0.105 for 90 by 90. Hence both: all of a sheet of 64 by
// 64, and the inside, more than 4 spacings from the rim at the start.

#include "validate/validate.h"

#include <stdlib.h>

#define SPACING 0.02f // [m]

typedef struct Evenness {
    double mean;      // nearest distance / spacing
    double variation; // its standard deviation / mean
} Evenness;

// Of the particles within `reach` of the centre along both axes. All pairs: a few thousand particles need no grid.
static Evenness measure(const couWorld *world, double reach)
{
    couParticleView view = couWorld_Particles(world);
    double sum = 0, sum2 = 0, n = 0;
    for (size_t i = 0; i < view.count; ++i) {
        if (fabs(view.position[i].x) > reach || fabs(view.position[i].y) > reach) continue;
        double nearest = INFINITY;
        for (size_t j = 0; j < view.count; ++j) {
            double dx = view.position[j].x - view.position[i].x, dy = view.position[j].y - view.position[i].y;
            if (j != i) nearest = fmin(nearest, dx * dx + dy * dy);
        }
        sum += sqrt(nearest), sum2 += nearest, n += 1;
    }
    double mean = sum / n;
    return (Evenness){mean / SPACING, sqrt(fmax(sum2 / n - mean * mean, 0)) / mean};
}

static Evenness settle(couTrial *trial, const char *near, int part, Evenness *inside)
{
    const float side = 64 * SPACING;
    couWorldDef def = couTrial_WorldDef(trial, 2, SPACING);
    couWorld *world = couTrial_CreateWorld(trial, &def);
    couTrial_Set(trial, world, "near", near);
    couTrial_Set(trial, world, "kernel", "paper"); // the two differ in the near density alone
    couMaterialDef water = couDefaultMaterialDef();
    couMaterialId material = couTrial_AddMaterial(trial, world, &water);
    couTrial_FillBox(trial, world, material, (couVec3){0, 0, 0}, (couVec3){side, side, SPACING}, 0.1f);
    int frames = trial->is_small ? 60 : 200;
    for (int f = 0; f < frames && couTrial_Advance(trial, world, 0.1); ++f)
        couTrial_Show(trial, 0.5 * (part + (f + 1.0) / frames));
    Evenness evenness = {NAN, NAN};
    if (!trial->faults.count) {
        evenness = measure(world, INFINITY);
        *inside = measure(world, 0.5 * side - 4 * SPACING);
        couParticleView view = couWorld_Particles(world);
        double *x = malloc(view.count * sizeof *x + 1), *y = malloc(view.count * sizeof *y + 1);
        for (size_t i = 0; x && y && i < view.count; ++i) x[i] = view.position[i].x, y[i] = view.position[i].y;
        couPlot *plot = couCreatePlot(part ? "clustering: single density" : "clustering: double density", "x [m]", "y [m]");
        couPlot_SetEqual(plot);
        if (x && y) couPlot_Add(plot, cou_plotDots, "", x, y, (int)view.count);
        couTrial_WritePlot(trial, plot, part ? "single" : "double");
        free(x);
        free(y);
    }
    couDestroyWorld(world);
    return evenness;
}

void couValidateClustering(couTrial *trial)
{
    Evenness inside = {NAN, NAN}, clumps = {NAN, NAN};
    Evenness both = settle(trial, "density", 0, &inside), single = settle(trial, "none", 1, &clumps);
    couTrial_AtMost(trial, both.variation, 0.15, "", "variation of the nearest distance, double density");
    couTrial_AtLeast(trial, single.variation, 2 * both.variation, "", "the same, single density, twice that");
    couTrial_AtMost(trial, inside.variation, 0.15, "", "the same, double density, inside");
    couTrial_AtLeast(trial, clumps.variation, 2 * inside.variation, "", "the same, single density, inside, twice that");
    couTrial_AtLeast(trial, both.mean, 0.8, "", "mean nearest distance / spacing, double density");
}
