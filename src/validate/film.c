// film: a layer of thick liquid runs down a slope under its own weight, 20 mm thick at 20 degrees. Once it is steady its speed
// is Nusselt's parabola, u = rho g sin(a) (H y - y^2/2) / mu, and rho g sin(a) H^2 / (2 mu) at the surface: honey and paint.
//
// Few layers make it hard: the floor must hold the liquid without slip, the surface must bear no stress where half of the
// neighbours are missing, and the pressure, which is small here (270 Pa at the floor), must not hold the layers together. What
// a method adds to the viscosity that was asked for shows at once as a lower speed.
//
// Gravity is turned instead of the floor. The layer repeats along the slope; methods without periods get one of 1 m, and what is
// measured is the part that has been reached neither by its front nor by the thinning of its tail, which runs at twice the speed
// of the surface [Huppert 1982]. The speed is that of a parabola fitted to all velocities there, taken at the height H: single
// particles of the surface lie higher or lower, and the parabola is level there, so that the height hardly matters.

#include "validate/validate.h"

#include <stdio.h>
#include <stdlib.h>

#define GRAVITY 9.81   // [m/s^2]
#define SLOPE 20.0     // [deg]
#define DENSITY 1400.0 // [kg/m^3]
#define THICK 0.02     // H [m]
#define LONG 1.0       // of a layer that does not repeat [m]
#define SETTLING 0.6   // more than five times H^2/nu 4/pi^2 of the thinner liquid [s]
#define AVERAGING 0.3  // [s]

enum { FRAMES = 45, COLUMNS = 16 };

typedef struct Film {
    double viscosity; // mu [Pa s]
    int layers;
} Film;

typedef struct Run {
    double surface, floor; // speeds there by the parabola, means over time [m/s]
    couRecord record;      // y, speed of the particles measured at the end
} Run;

static double radians(double degrees) { return degrees * M_PI / 180; }
static double nusselt(const Film *film)
{
    return DENSITY * GRAVITY * sin(radians(SLOPE)) * THICK * THICK / (2 * film->viscosity);
}

static couWorld *create_slope(couTrial *trial, const Film *film)
{
    bool is_long = !trial->traits->has_periods;
    double d = THICK / film->layers, length = is_long ? LONG : COLUMNS * d;
    couWorldDef def = couTrial_WorldDef(trial, 2, (float)d);
    def.gravity = (couVec3){(float)(GRAVITY * sin(radians(SLOPE))), (float)(-GRAVITY * cos(radians(SLOPE))), 0};
    if (!is_long) def.period.x = (float)length;
    couWorld *world = couTrial_CreateWorld(trial, &def);
    couMaterialDef liquid = couDefaultMaterialDef();
    liquid.density = (float)DENSITY;
    liquid.viscosity = (float)film->viscosity;
    couMaterialId material = couTrial_AddMaterial(trial, world, &liquid);
    if (!world || trial->faults.count) return world;
    couBodyDef floor = couDefaultBodyDef();
    snprintf(floor.name, sizeof floor.name, "floor");
    floor.shape = couCreateShape(&(couShapeDef){.kind = cou_shapePlane, .axis = {0, 1, 0}}, &trial->faults);
    floor.friction = 1.0f;
    if (floor.shape) couWorld_AddBody(world, &floor, &trial->faults);
    couShape_Release(floor.shape);
    couTrial_FillBox(trial, world, material, (couVec3){(float)(0.5 * length), (float)(0.5 * THICK), 0},
                     (couVec3){(float)length, (float)THICK, 1}, COU_AUTO);
    return world;
}

// Heights and speeds of the particles that count, into the record.
static void collect(const couTrial *trial, const couWorld *world, const Film *film, couRecord *record)
{
    couParticleView view = couWorld_Particles(world);
    double from = -INFINITY, to = INFINITY;
    if (!trial->traits->has_periods) {
        // Two thicknesses clear of where the tail's thinning can have got to, and of where the front was at the start.
        double t = couWorld_Time(world), delay = 4 * THICK * THICK * DENSITY / (M_PI * M_PI * film->viscosity);
        double way = nusselt(film) * (t - delay * (1 - exp(-t / delay)));
        from = 2 * way + 2 * THICK, to = LONG - 2 * THICK;
    }
    record->count = 0;
    for (size_t i = 0; i < view.count; ++i)
        if (view.position[i].x > from && view.position[i].x < to)
            couRecord_Add(record, (double[]){view.position[i].y, view.velocity[i].x});
}

static Run run_film(couTrial *trial, const Film *film, double share0, double share1)
{
    Run run = {.record = couMakeRecord(2)};
    couWorld *world = create_slope(trial, film);
    const double frame = (SETTLING + AVERAGING) / FRAMES;
    const int first = (int)lround(SETTLING / frame);
    for (int f = 0; f < FRAMES && couTrial_Advance(trial, world, frame); ++f) {
        couTrial_Show(trial, share0 + (share1 - share0) * (f + 1.0) / FRAMES);
        if (f < first) continue;
        double c[3];
        collect(trial, world, film, &run.record);
        couFitParabola(run.record.values[0], run.record.values[1], run.record.count, c);
        run.surface += (c[0] + c[1] * THICK + c[2] * THICK * THICK) / (FRAMES - first);
        run.floor += c[0] / (FRAMES - first);
    }
    couDestroyWorld(world);
    return run;
}

static void draw(couTrial *trial, couPlot *plot, const Film *film, const Run *run, const char *name)
{
    enum { POINTS = 51 };
    double y[POINTS], u[POINTS];
    if (!trial->plots || !run->record.count) return;
    for (int k = 0; k < POINTS; ++k) y[k] = (double)k / (POINTS - 1), u[k] = y[k] * (2 - y[k]);
    int shown = 0, stride = run->record.count / 400 + 1; // a long layer has thousands
    for (int k = 0; k < run->record.count; k += stride, ++shown) {
        run->record.values[0][shown] = run->record.values[0][k] / THICK;
        run->record.values[1][shown] = run->record.values[1][k] / nusselt(film);
    }
    couPlot_Add(plot, cou_plotDots, name, run->record.values[0], run->record.values[1], shown);
    couPlot_Add(plot, cou_plotDashed, "", y, u, POINTS);
}

void couValidateFilm(couTrial *trial)
{
    static const double viscosities[2] = {2, 10};
    static const int layers[2] = {8, 16};
    int fine = trial->is_small ? 1 : 2;
    double tolerance = trial->traits->has_pressure ? 0.05 : 0.1; // relaxations stay nearer to what a picture needs
    couPlot *plot = couCreatePlot("film: speed in the layer (dashed: Nusselt)", "height / H", "speed / that of the surface");
    for (int m = 0; m < 2; ++m) {
        double errors[2] = {NAN, NAN};
        for (int n = 0; n < fine; ++n) {
            Film film = {viscosities[m], layers[n]};
            int done = m * fine + n;
            Run run = run_film(trial, &film, done / (2.0 * fine), (done + 1) / (2.0 * fine));
            char name[32];
            snprintf(name, sizeof name, "%g Pa s, %d layers", film.viscosity, film.layers);
            couTrial_Within(trial, run.surface, nusselt(&film), tolerance, "m/s", "%s: speed of the surface", name);
            couTrial_Report(trial, run.floor / nusselt(&film), 0, "", "%s: speed at the floor / that", name);
            errors[n] = fabs(run.surface / nusselt(&film) - 1);
            draw(trial, plot, &film, &run, name);
            couRecord_Clear(&run.record);
        }
        // Where the coarse one is right to a per cent there is nothing left to fall.
        if (fine == 2)
            couTrial_AtMost(trial, errors[1], fmax(errors[0], 0.01), "", "%g Pa s: error of 16 layers against 8", viscosities[m]);
    }
    couTrial_WritePlot(trial, plot, NULL);
}
