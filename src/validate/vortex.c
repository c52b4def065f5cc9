// taylor-green: a square of vortices that decays by viscosity alone, in a box that repeats in both directions. An exact
// solution of the Navier-Stokes equations in 2D [Taylor and Green 1937]:
//     u = -U exp(b t) cos(2 pi x/L) sin(2 pi y/L),  v = U exp(b t) sin(2 pi x/L) cos(2 pi y/L),  b = -8 pi^2 nu / L^2,
// with U = L = 1, Re = U L / nu = 100. The run is 2D by nature.
//
// The vortex draws its liquid out along the stagnation lines, which tidying makes up for (tidy.c): a solver runs with the kernel
// and all else that users get. What an equation of state makes of disorder is sound, which viscosity takes away at once: with the
// default kernel a sixth of the energy goes that way in a second. Hence its wide smooth kernel, Wendland with h = 5 d, and sound
// no more than five times as fast as the flow.

#include "validate/validate.h"

#include <stdio.h>
#include <stdlib.h>

#define JITTER 0.2 // of the first positions, in spacings

typedef struct Vortex {
    const char *name;
    int cells; // particles along an edge
    double reynolds;
} Vortex;

static couVec3 vortex_velocity(double x, double y)
{
    double a = 2 * M_PI * x, b = 2 * M_PI * y;
    return (couVec3){(float)(-cos(a) * sin(b)), (float)(sin(a) * cos(b)), 0};
}

static void set_quiet(couTrial *trial, couWorld *world)
{
    couTrial_Set(trial, world, "damping", "0");
    couTrial_Set(trial, world, "kernel", "wendland");
    couTrial_Set(trial, world, "support", "5");
    couTrial_Set(trial, world, "viscosity", "laplacian");
    couTrial_Set(trial, world, "compression", "0.04");
}

static couWorld *create_vortex(couTrial *trial, const Vortex *vortex)
{
    int n = vortex->cells;
    double d = 1.0 / n;
    couWorldDef def = couTrial_WorldDef(trial, 2, (float)d);
    def.period = (couVec3){1, 1, 0};
    def.speed = 1;
    couWorld *world = couTrial_CreateWorld(trial, &def);
    if (trial->traits->has_state_equation) set_quiet(trial, world);
    couMaterialDef liquid = couDefaultMaterialDef();
    liquid.viscosity = (float)(liquid.density / vortex->reynolds);
    couMaterialId material = couTrial_AddMaterial(trial, world, &liquid);
    couVec3 *x = malloc((size_t)n * (size_t)n * sizeof *x), *v = malloc((size_t)n * (size_t)n * sizeof *v);
    uint64_t seed = 3;
    for (int k = 0; x && v && k < n * n; ++k) {
        double at[2] = {(k % n + 0.5 + JITTER * couNoise(&seed)) * d, (k / n + 0.5 + JITTER * couNoise(&seed)) * d};
        x[k] = (couVec3){(float)at[0], (float)at[1], 0};
        v[k] = vortex_velocity(at[0], at[1]);
    }
    if (world && x && v && !trial->faults.count)
        couWorld_AddParticles(world, material, x, v, (size_t)n * (size_t)n, &trial->faults);
    free(x);
    free(v);
    return world;
}

typedef struct Flow {
    double fastest;   // largest speed
    double energy;    // kinetic, 1 at the start
    double amplitude; // share of the vortex in the velocities: their projection on it
} Flow;

static Flow measure(const couWorld *world)
{
    couParticleView view = couWorld_Particles(world);
    Flow flow = {0};
    double own = 0, reference = 0;
    for (size_t i = 0; i < view.count; ++i) {
        couVec4 v = view.velocity[i];
        couVec3 u = vortex_velocity(view.position[i].x, view.position[i].y);
        double speed2 = (double)v.x * v.x + (double)v.y * v.y;
        flow.fastest = fmax(flow.fastest, sqrt(speed2));
        flow.energy += speed2 / (0.5 * (double)view.count);
        own += (double)v.x * u.x + (double)v.y * u.y, reference += (double)u.x * u.x + (double)u.y * u.y;
    }
    flow.amplitude = own / reference;
    return flow;
}

static void draw_particles(couTrial *trial, const couWorld *world, const char *part)
{
    couParticleView view = couWorld_Particles(world);
    double *x = malloc(view.count * sizeof *x + 1), *y = malloc(view.count * sizeof *y + 1);
    for (size_t i = 0; x && y && i < view.count; ++i) x[i] = view.position[i].x, y[i] = view.position[i].y;
    couPlot *plot = couCreatePlot("taylor-green: particles at 2 s", "x [m]", "y [m]");
    couPlot_SetEqual(plot);
    if (x && y) couPlot_Add(plot, cou_plotDots, "", x, y, (int)view.count);
    couTrial_WritePlot(trial, plot, part);
    free(x);
    free(y);
}

static void run_vortex(couTrial *trial, const Vortex *vortex, double from, double to, couPlot *plot)
{
    enum { FRAMES = 40 };
    const double seconds = 2, rate = 8 * M_PI * M_PI / vortex->reynolds;
    couWorld *world = create_vortex(trial, vortex);
    couRecord record = couMakeRecord(4);
    for (int f = 1; f <= FRAMES && couTrial_Advance(trial, world, seconds / FRAMES); ++f) {
        double t = seconds * f / FRAMES, decay = exp(-rate * t);
        Flow flow = measure(world);
        couRecord_Add(&record, (double[]){t, flow.fastest, sqrt(flow.energy), decay});
        if (f % (FRAMES / 2) == 0) {
            couTrial_Within(trial, flow.fastest, decay, 0.05, "m/s", "%s: largest speed at %g s", vortex->name, t);
            couTrial_Within(trial, flow.energy, decay * decay, 0.05, "", "%s: kinetic energy at %g s / at the start",
                            vortex->name, t);
            couTrial_Within(trial, flow.amplitude, decay, 0.08, "", "%s: share of the vortex at %g s", vortex->name, t);
        }
        couTrial_Show(trial, from + (to - from) * f / FRAMES);
    }
    if (plot && record.count) {
        couPlot_Add(plot, cou_plotLine, "largest speed", record.values[0], record.values[1], record.count);
        couPlot_Add(plot, cou_plotLine, "root of the energy", record.values[0], record.values[2], record.count);
        couPlot_Add(plot, cou_plotDashed, "exact", record.values[0], record.values[3], record.count);
    }
    if (plot && !trial->faults.count) draw_particles(trial, world, "particles");
    couRecord_Clear(&record);
    couDestroyWorld(world);
}

void couValidateTaylorGreen(couTrial *trial)
{
    static const Vortex vortices[] = {{"Re 100", 50, 100}, {"Re 200", 50, 200}, {"Re 100, finer", 80, 100}};
    int runs = trial->is_small ? 1 : (int)(sizeof vortices / sizeof vortices[0]);
    couPlot *plot = couCreatePlot("taylor-green: decay of vortices, Re = 100", "time [s]", "speed [m/s]");
    couPlot_SetLogarithmic(plot, false, true);
    for (int r = 0; r < runs; ++r) run_vortex(trial, &vortices[r], (double)r / runs, (r + 1.0) / runs, r == 0 ? plot : NULL);
    couTrial_WritePlot(trial, plot, NULL);
}
