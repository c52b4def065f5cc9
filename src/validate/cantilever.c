// cantilever: a beam ten times as long as high, clamped at one end, is let go straight and swings under its own weight about the
// static deflection q L^4 / (8 E I), at f1 = 1.8751^2 / (2 pi) sqrt(E I / (rho A L^4)) [Euler and Bernoulli].
//
// The load is small: the tip goes down by a thousandth of the length. Tetrahedra with constant strain are too stiff in
// bending, by an error that falls with the square of their size; shear, which the formula leaves out, makes the beam softer by
// 0.8 %.

#include "validate/validate.h"

#include "base/base.h"

#include <stdio.h>
#include <string.h>

#define LENGTH 1.0
#define HEIGHT 0.1
#define YOUNG 1e9      // [Pa]
#define DENSITY 1000.0 // [kg/m^3]
#define GRAVITY 9.81   // [m/s^2]

typedef struct Swing {
    double frequency, deflection; // [Hz], [m]
} Swing;

static couWorld *clamp_beam(couTrial *trial, couSolidMesh *mesh, couSolidId *solid)
{
    couWorldDef world_def = couDefaultWorldDef();
    world_def.threads = trial->threads;
    couWorld *world = mesh ? couTrial_CreateWorld(trial, &world_def) : NULL;
    if (!world) return NULL;
    couSolidDef def = couDefaultSolidDef();
    const couParam *model = couParams_Find(couSolidParams(), "model");
    couParam_SetText(model, "solid", &def, trial->method, NULL, &trial->faults);
    def.mesh = mesh;
    def.young = (float)YOUNG, def.poisson = 0, def.density = (float)DENSITY;
    *solid = couWorld_AddSolid(world, &def, &trial->faults);
    couShapeDef wall = {.kind = cou_shapePlane, .axis = {1, 0, 0}};
    couHoldDef hold = {.region = couCreateShape(&wall, &trial->faults), .region_pose = COU_POSE_IDENTITY};
    hold.region_pose.position.x = (float)(-0.5 * LENGTH);
    if (solid->index1 && hold.region) couWorld_HoldSolid(world, *solid, &hold, &trial->faults);
    couShape_Release(hold.region);
    return world;
}

// Two periods of the tip's middle.
static Swing swing_beam(couTrial *trial, int across, double expected, double share0, double share1, couPlot *plot)
{
    enum { FRAMES = 80 };
    couSolidMesh *mesh = couCreateBoxSolidMesh(3, (couVec3){(float)LENGTH, (float)HEIGHT, (float)HEIGHT},
                                               (int[3]){10 * across, across, across}, &trial->faults);
    couSolidId solid;
    couWorld *world = clamp_beam(trial, mesh, &solid);
    couRecord record = couMakeRecord(2);
    for (int f = 0; f < FRAMES && world && couTrial_Advance(trial, world, 2 / expected / FRAMES); ++f) {
        couSolidView view = couWorld_SolidView(world, solid);
        double sum = 0;
        int count = 0;
        for (size_t i = 0; i < view.count; ++i) {
            if (view.rest[3 * i] < 0.5 * LENGTH - 1e-4) continue;
            sum += view.position[3 * i + 1] - view.rest[3 * i + 1];
            ++count;
        }
        couRecord_Add(&record, (double[2]){couWorld_Time(world), sum / count});
        couTrial_Show(trial, share0 + (share1 - share0) * (f + 1.0) / FRAMES);
    }
    Swing swing = {NAN, NAN};
    if (record.count == FRAMES) {
        couSwing fit = couFitSwing(record.values[0], record.values[1], record.count, 2 * COU_PI * expected * 1.2);
        swing = (Swing){fit.omega / (2 * COU_PI), -fit.c[2]};
        char label[32];
        snprintf(label, sizeof label, "%d cells high", across);
        couPlot_Add(plot, cou_plotLine, label, record.values[0], record.values[1], record.count);
    }
    couRecord_Clear(&record);
    couDestroyWorld(world);
    couSolidMesh_Release(mesh);
    return swing;
}

void couValidateCantilever(couTrial *trial)
{
    const double area = HEIGHT * HEIGHT, inertia = area * HEIGHT * HEIGHT / 12, load = DENSITY * GRAVITY * area;
    const double deflection = load * pow(LENGTH, 4) / (8 * YOUNG * inertia);
    const double frequency = 1.8751 * 1.8751 / (2 * COU_PI) * sqrt(YOUNG * inertia / (DENSITY * area * pow(LENGTH, 4)));
    const int full[] = {2, 4, 8}, small[] = {1, 2};
    const int *cells = trial->is_small ? small : full, count = trial->is_small ? 2 : 3;
    couPlot *plot = couCreatePlot("cantilever: the tip of a beam let go under its own weight", "time [s]", "deflection [m]");
    double before = INFINITY;
    for (int k = 0; k < count && !trial->faults.count; ++k) {
        Swing swing = swing_beam(trial, cells[k], frequency, k == 0 ? 0 : 0.2, k == count - 1 ? 1 : 0.2, plot);
        double error = fabs(swing.deflection / deflection - 1);
        couTrial_AtMost(trial, error, before, "", "%d cells high: error of the deflection, which falls", cells[k]);
        before = error;
        if (k < count - 1 || trial->is_small) {
            couTrial_Report(trial, swing.deflection, deflection, "m", "%d cells high: deflection", cells[k]);
            couTrial_Report(trial, swing.frequency, frequency, "Hz", "%d cells high: frequency", cells[k]);
            continue;
        }
        couTrial_Within(trial, swing.deflection, deflection, 0.05, "m", "%d cells high: deflection", cells[k]);
        couTrial_Within(trial, swing.frequency, frequency, 0.05, "Hz", "%d cells high: frequency", cells[k]);
    }
    const double line[2] = {0, 2 / frequency}, static_line[2] = {-deflection, -deflection};
    couPlot_Add(plot, cou_plotDashed, "q L^4 / (8 E I)", line, static_line, 2);
    couTrial_WritePlot(trial, plot, NULL);
}
