// hydrostatic: a narrow tank of water, 1 m deep, started with jitter and left to come to rest.
//
// The tank is five planes, so that each wall has its own force. Walls are smooth, hence the floor carries the whole weight: its mean
// force checks that no impulse between fluid and bodies gets lost, and that the water has really come to rest. The side walls do not
// know the weight: their force is the pressure turned sideways, rho g H^2 / 2 per width. The profile is the momentum that passes
// through each level, which at rest is the weight above it; it departs from the straight line where the fluid is compressed or
// layered.

#include "app/validate.h"

#include <stdlib.h>

#define GRAVITY 9.81  // [m/s^2]
#define DENSITY 1000. // [kg/m^3]
#define DEPTH 1.0     // [m]

enum { LEVELS = 25, COLUMNS = 4, WALLS = 5 };

typedef struct Tank {
    couWorld *world;
    couBodyId walls[WALLS]; // the floor first
    double width, spacing;  // [m]
} Tank;

static Tank create_tank(couTrial *trial, int layers, int across)
{
    Tank tank = {.spacing = DEPTH / layers};
    tank.width = across * tank.spacing;
    couWorldDef def = couTrial_WorldDef(trial, 3, (float)tank.spacing);
    def.gravity.y = (float)-GRAVITY;
    tank.world = couTrial_CreateWorld(trial, &def);
    couMaterialDef water = couDefaultMaterialDef();
    couMaterialId material = couTrial_AddMaterial(trial, tank.world, &water);
    float w = (float)tank.width, half = 0.5f * w;
    static const char *const names[WALLS] = {"floor", "left", "right", "back", "front"};
    const couVec3 at[WALLS] = {{0, 0, 0}, {-half, 0, 0}, {half, 0, 0}, {0, 0, -half}, {0, 0, half}};
    const couVec3 normal[WALLS] = {{0, 1, 0}, {1, 0, 0}, {-1, 0, 0}, {0, 0, 1}, {0, 0, -1}};
    for (int k = 0; k < WALLS; ++k) tank.walls[k] = couTrial_AddPlane(trial, tank.world, names[k], at[k], normal[k]);
    couTrial_FillBox(trial, tank.world, material, (couVec3){0, (float)(0.5 * DEPTH), 0}, (couVec3){w, (float)DEPTH, w}, COU_AUTO);
    return tank;
}

// Mean over the columns of a coarse grid of the highest particle, and half a spacing more.
static double surface_height(const Tank *tank)
{
    double top[COLUMNS * COLUMNS] = {0}, sum = 0;
    couParticleView view = couWorld_Particles(tank->world);
    for (size_t i = 0; i < view.count; ++i) {
        int a = (int)floor((view.position[i].x / tank->width + 0.5) * COLUMNS),
            b = (int)floor((view.position[i].z / tank->width + 0.5) * COLUMNS);
        if (a < 0 || b < 0 || a >= COLUMNS || b >= COLUMNS) continue;
        top[a * COLUMNS + b] = fmax(top[a * COLUMNS + b], view.position[i].y);
    }
    for (int k = 0; k < COLUMNS * COLUMNS; ++k) sum += top[k];
    return sum / (COLUMNS * COLUMNS) + 0.5 * tank->spacing;
}

// Adds the weight above each level per area [Pa]; a particle is spread over one spacing.
static void add_weights(const Tank *tank, double *pressure)
{
    couParticleView view = couWorld_Particles(tank->world);
    double each = couWorld_ParticleMass(tank->world, 0) * GRAVITY / (tank->width * tank->width), d = tank->spacing;
    for (size_t i = 0; i < view.count; ++i)
        for (int k = 0; k < LEVELS; ++k)
            pressure[k] += each * fmin(1, fmax(0, (view.position[i].y - k * DEPTH / LEVELS) / d + 0.5));
}

typedef struct Rest {
    double bottom;           // [Pa]
    double side;             // force on a side wall / width [N/m]
    double height;           // [m]
    double speed;            // root mean square [m/s]
    double pressure[LEVELS]; // [Pa]
} Rest;

static double rms_speed(const couWorld *world)
{
    couMeasurement m = couWorld_Measure(world);
    return m.mass > 0 ? sqrt(2 * m.kinetic_energy / m.mass) : 0;
}

static double wall_force(const Tank *tank, int wall)
{
    couVec3 f = couWorld_BodyForce(tank->world, tank->walls[wall]);
    return wall == 0 ? -f.y : sqrt((double)f.x * f.x + (double)f.z * f.z);
}

static void measure(couTrial *trial, const Tank *tank, double settle, double average, Rest *rest, couRecord *record)
{
    const double frame = 0.02;
    int settling = (int)lround(settle / frame), averaging = (int)lround(average / frame);
    for (int f = 0; f < settling + averaging && couTrial_Advance(trial, tank->world, frame); ++f) {
        double bottom = wall_force(tank, 0) / (tank->width * tank->width), height = surface_height(tank), side = 0;
        couRecord_Add(record, (double[]){couWorld_Time(tank->world), bottom, height, rms_speed(tank->world)});
        couTrial_Show(trial, (f + 1.0) / (settling + averaging));
        if (f < settling) continue;
        for (int k = 1; k < WALLS; ++k) side += wall_force(tank, k) / tank->width / (WALLS - 1);
        rest->bottom += bottom / averaging;
        rest->side += side / averaging;
        rest->height += height / averaging;
        rest->speed += rms_speed(tank->world) / averaging;
        add_weights(tank, rest->pressure);
    }
    for (int k = 0; k < LEVELS; ++k) rest->pressure[k] /= averaging;
}

static void draw(couTrial *trial, const couRecord *record, const Rest *rest)
{
    double y[LEVELS], exact[LEVELS];
    for (int k = 0; k < LEVELS; ++k) y[k] = k * DEPTH / LEVELS, exact[k] = DENSITY * GRAVITY * (DEPTH - y[k]);
    couPlot *plot = couCreatePlot("hydrostatic: pressure in the tank", "height [m]", "pressure [Pa]");
    couPlot_Add(plot, cou_plotPoints, "momentum through each level", y, rest->pressure, LEVELS);
    couPlot_Add(plot, cou_plotDashed, "rho g (H - y)", y, exact, LEVELS);
    couTrial_WritePlot(trial, plot, "profile");

    plot = couCreatePlot("hydrostatic: force on the bottom / area", "time [s]", "pressure [Pa]");
    couPlot_Add(plot, cou_plotLine, "measured", record->values[0], record->values[1], record->count);
    double ends[2] = {0, record->count ? record->values[0][record->count - 1] : 1},
           level[2] = {DENSITY * GRAVITY * DEPTH, DENSITY * GRAVITY * DEPTH};
    couPlot_Add(plot, cou_plotDashed, "rho g H", ends, level, 2);
    couTrial_WritePlot(trial, plot, "bottom");
}

void couValidateHydrostatic(couTrial *trial)
{
    Tank tank = trial->is_small ? create_tank(trial, 24, 10) : create_tank(trial, 40, 14);
    Rest rest = {0};
    couRecord record = couMakeRecord(4);
    measure(trial, &tank, trial->is_small ? 3 : 5, trial->is_small ? 1 : 3, &rest, &record);
    draw(trial, &record, &rest);
    double weight = DENSITY * GRAVITY * DEPTH, worst = 0;
    for (int k = 0; k < LEVELS; ++k)
        worst = fmax(worst, fabs(rest.pressure[k] - DENSITY * GRAVITY * (DEPTH - k * DEPTH / LEVELS)));
    couTrial_Within(trial, rest.bottom, weight, 0.02, "Pa", "mean force on the bottom / area");
    couTrial_Within(trial, rest.side, 0.5 * weight * DEPTH, 0.02, "N/m", "mean force on a side wall / width");
    couTrial_Within(trial, worst / weight, 0, 0.025, "", "profile: largest distance to rho g (H - y) / rho g H");
    couTrial_Within(trial, rest.height, DEPTH, 0.025, "m", "height");
    couTrial_AtMost(trial, rest.speed / sqrt(GRAVITY * DEPTH), 0.01, "", "rms speed at rest / sqrt(g H)");
    couRecord_Clear(&record);
    couDestroyWorld(tank.world);
}
