// hydrostatic: a tank of water, 1 m deep, left to come to rest. pvfs has one in space, the SPH methods one in the plane that is
// as wide as it is deep, and of one in space, 10 by 10 spacings wide, the height: liquid that comes closer to walls than the wall
// stands for, or keeps off, stands too low or too high there.
//
// The tank is five planes (three in 2D), so that each wall has its own force. Walls are smooth, hence the floor carries the
// whole weight: its mean force checks that no impulse between fluid and bodies gets lost, and that the water has really come to
// rest. The side walls do not know the weight: their force is the pressure turned sideways, rho g H^2 / 2 per width. The
// profile is the momentum that passes through each level, which at rest is the weight above it; it departs from the straight
// line where the fluid is compressed or layered.
//
// The SPH methods have pressures of their own; their means over slices of the tank are drawn beside it. They must also stay
// calm: over all ten seconds the surface keeps its height, and in the end the kinetic energy is a small part of what the water
// would get by falling one spacing.

#include "validate/validate.h"

#include <stdlib.h>
#include <string.h>

#define GRAVITY 9.81  // [m/s^2]
#define DENSITY 1000. // [kg/m^3]
#define DEPTH 1.0     // [m]

enum { LEVELS = 25, COLUMNS = 4, WALLS = 5 };

typedef struct Tank {
    couWorld *world;
    couBodyId walls[WALLS]; // the floor first
    int wall_count;
    double width, spacing; // [m]
    double area;           // of the floor [m^2]
} Tank;

static Tank create_tank(couTrial *trial, int dimension, int layers, int across)
{
    Tank tank = {.spacing = DEPTH / layers, .wall_count = dimension == 3 ? WALLS : WALLS - 2};
    tank.width = across * tank.spacing;
    tank.area = dimension == 3 ? tank.width * tank.width : tank.width;
    couWorldDef def = couTrial_WorldDef(trial, dimension, (float)tank.spacing);
    def.gravity.y = (float)-GRAVITY;
    tank.world = couTrial_CreateWorld(trial, &def);
    couMaterialDef water = couDefaultMaterialDef();
    couMaterialId material = couTrial_AddMaterial(trial, tank.world, &water);
    float w = (float)tank.width, half = 0.5f * w;
    static const char *const names[WALLS] = {"floor", "left", "right", "back", "front"};
    const couVec3 at[WALLS] = {{0, 0, 0}, {-half, 0, 0}, {half, 0, 0}, {0, 0, -half}, {0, 0, half}};
    const couVec3 normal[WALLS] = {{0, 1, 0}, {1, 0, 0}, {-1, 0, 0}, {0, 0, 1}, {0, 0, -1}};
    for (int k = 0; k < tank.wall_count; ++k) tank.walls[k] = couTrial_AddPlane(trial, tank.world, names[k], at[k], normal[k]);
    couTrial_FillBox(trial, tank.world, material, (couVec3){0, (float)(0.5 * DEPTH), 0}, (couVec3){w, (float)DEPTH, w}, COU_AUTO);
    return tank;
}

// Mean over the columns of a coarse grid of the highest particle, and half a spacing more.
static double surface_height(const Tank *tank)
{
    double top[COLUMNS * COLUMNS] = {0}, sum = 0;
    int deep = tank->wall_count == WALLS ? COLUMNS : 1;
    couParticleView view = couWorld_Particles(tank->world);
    for (size_t i = 0; i < view.count; ++i) {
        int a = (int)floor((view.position[i].x / tank->width + 0.5) * COLUMNS),
            b = (int)floor((view.position[i].z / tank->width + 0.5) * deep);
        if (a < 0 || b < 0 || a >= COLUMNS || b >= deep) continue;
        top[a * deep + b] = fmax(top[a * deep + b], view.position[i].y);
    }
    for (int k = 0; k < COLUMNS * deep; ++k) sum += top[k];
    return sum / (COLUMNS * deep) + 0.5 * tank->spacing;
}

// Adds the weight above each level per area [Pa]; a particle is spread over one spacing.
static void add_weights(const Tank *tank, double *pressure)
{
    couParticleView view = couWorld_Particles(tank->world);
    double each = couWorld_ParticleMass(tank->world, 0) * GRAVITY / tank->area, d = tank->spacing;
    for (size_t i = 0; i < view.count; ++i)
        for (int k = 0; k < LEVELS; ++k)
            pressure[k] += each * fmin(1, fmax(0, (view.position[i].y - k * DEPTH / LEVELS) / d + 0.5));
}

typedef struct Rest {
    double bottom;           // [Pa]
    double side;             // force on a side wall / width [N/m]
    double height;           // [m]
    double speed;            // root mean square [m/s]
    double pressure[LEVELS]; // by momentum [Pa]
    double gauge[LEVELS];    // mean of the particles' own between levels k and k + 1 [Pa]
    double sink;             // largest |height - depth| of the whole run [m]
    double energy;           // kinetic / (m g d), mean
} Rest;

// Adds the mean pressure of the particles between each two levels, from the method's columns.
static void add_gauges(couTrial *trial, const Tank *tank, double *gauge)
{
    couState state = {0};
    bool is_good = couWorld_SaveState(tank->world, &state);
    const couStateArray *x = couState_Find(&state, "particles/position"), *p = couState_Find(&state, "particles/pressure"),
                        *q = couState_Find(&state, "particles/divergence_pressure"); // dfsph's second solver
    double sum[LEVELS] = {0}, count[LEVELS] = {0};
    is_good = is_good && x && p && x->components == 4;
    for (size_t i = 0; is_good && i < x->count; ++i) {
        int k = (int)floor(((const float *)x->data)[4 * i + 1] / DEPTH * LEVELS);
        if (k < 0 || k >= LEVELS) continue;
        sum[k] += ((const float *)p->data)[i] + (q ? ((const float *)q->data)[i] : 0.0f);
        count[k]++;
    }
    for (int k = 0; k < LEVELS; ++k) gauge[k] += count[k] > 0 ? sum[k] / count[k] : 0;
    if (!is_good) couFaults_Add(&trial->faults, trial->case_name, trial->method, "the pressures could not be read");
    couState_Clear(&state);
}

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

// Shown as the share from `begin` to `end` of the case.
static void measure(couTrial *trial, const Tank *tank, double settle, double average, double begin, double end, Rest *rest,
                    couRecord *record)
{
    const double frame = 0.02;
    int settling = (int)lround(settle / frame), averaging = (int)lround(average / frame);
    for (int f = 0; f < settling + averaging && couTrial_Advance(trial, tank->world, frame); ++f) {
        double bottom = wall_force(tank, 0) / tank->area, height = surface_height(tank), side = 0;
        double speed = rms_speed(tank->world), energy = 0.5 * speed * speed / (GRAVITY * tank->spacing);
        couRecord_Add(record, (double[]){couWorld_Time(tank->world), bottom, height, energy});
        couTrial_Show(trial, begin + (end - begin) * (f + 1.0) / (settling + averaging));
        rest->sink = fmax(rest->sink, fabs(height - DEPTH));
        if (f < settling) continue;
        double along = tank->area / tank->width; // of a side wall
        for (int k = 1; k < tank->wall_count; ++k) side += wall_force(tank, k) / along / (tank->wall_count - 1);
        rest->bottom += bottom / averaging;
        rest->side += side / averaging;
        rest->height += height / averaging;
        rest->speed += speed / averaging;
        rest->energy += energy / averaging;
        add_weights(tank, rest->pressure);
        if (trial->traits->has_pressure) add_gauges(trial, tank, rest->gauge);
    }
    for (int k = 0; k < LEVELS; ++k) rest->pressure[k] /= averaging, rest->gauge[k] /= averaging;
}

static void draw(couTrial *trial, const couRecord *record, const Rest *rest)
{
    double y[LEVELS], middle[LEVELS], exact[LEVELS];
    for (int k = 0; k < LEVELS; ++k) {
        y[k] = k * DEPTH / LEVELS, middle[k] = y[k] + 0.5 * DEPTH / LEVELS;
        exact[k] = DENSITY * GRAVITY * (DEPTH - y[k]);
    }
    couPlot *plot = couCreatePlot("hydrostatic: pressure in the tank", "height [m]", "pressure [Pa]");
    couPlot_Add(plot, cou_plotPoints, "momentum through each level", y, rest->pressure, LEVELS);
    if (trial->traits->has_pressure) couPlot_Add(plot, cou_plotPoints, "pressure of the particles", middle, rest->gauge, LEVELS);
    couPlot_Add(plot, cou_plotDashed, "rho g (H - y)", y, exact, LEVELS);
    couTrial_WritePlot(trial, plot, "profile");

    plot = couCreatePlot("hydrostatic: force on the bottom / area", "time [s]", "pressure [Pa]");
    couPlot_Add(plot, cou_plotLine, "measured", record->values[0], record->values[1], record->count);
    double ends[2] = {0, record->count ? record->values[0][record->count - 1] : 1},
           level[2] = {DENSITY * GRAVITY * DEPTH, DENSITY * GRAVITY * DEPTH};
    couPlot_Add(plot, cou_plotDashed, "rho g H", ends, level, 2);
    couTrial_WritePlot(trial, plot, "bottom");

    if (!trial->traits->has_pressure) return;
    plot = couCreatePlot("hydrostatic: kinetic energy / m g d", "time [s]", "");
    couPlot_SetLogarithmic(plot, false, true);
    couPlot_Add(plot, cou_plotLine, "measured", record->values[0], record->values[3], record->count);
    couTrial_WritePlot(trial, plot, "energy");
}

static double distance_to_line(const double *pressure)
{
    double worst = 0;
    for (int k = 0; k < LEVELS; ++k) worst = fmax(worst, fabs(pressure[k] - DENSITY * GRAVITY * (DEPTH - k * DEPTH / LEVELS)));
    return worst;
}

static void check_narrow_tank(couTrial *trial)
{
    Tank tank = create_tank(trial, 3, 30, 10);
    Rest rest = {0};
    couRecord record = couMakeRecord(4);
    measure(trial, &tank, 4, 1, 0.7, 1, &rest, &record);
    couTrial_Within(trial, rest.height, DEPTH, trial->traits->height_error, "m", "10 by 10 spacings and 30 deep: height");
    couRecord_Clear(&record);
    couDestroyWorld(tank.world);
}

void couValidateHydrostatic(couTrial *trial)
{
    const couMethodTraits *traits = trial->traits;
    bool is_small = trial->is_small, is_flat = traits->has_pressure; // a tank in space for relaxations, whose layers are few
    double weight = DENSITY * GRAVITY * DEPTH;
    Tank tank = is_flat ? create_tank(trial, 2, is_small ? 20 : 48, is_small ? 20 : 48)
                        : create_tank(trial, 3, is_small ? 24 : 40, is_small ? 10 : 14);
    Rest rest = {0};
    couRecord record = couMakeRecord(4);
    double settle = is_small ? (is_flat ? 8 : 3) : is_flat ? 7 : 5, average = is_small ? 1 : 3;
    measure(trial, &tank, settle, average, 0, is_flat && !is_small ? 0.7 : 1, &rest, &record);
    draw(trial, &record, &rest);
    couTrial_Within(trial, rest.bottom, weight, traits->force_error, "Pa", "mean force on the bottom / area");
    couTrial_Within(trial, rest.side, 0.5 * weight * DEPTH, traits->force_error, "N/m", "mean force on a side wall / width");
    couTrial_Within(trial, distance_to_line(rest.pressure) / weight, 0, 0.025, "",
                    "profile: largest distance to rho g (H - y) / rho g H");
    couTrial_Within(trial, rest.height, DEPTH, traits->height_error, "m", "height");
    if (is_flat) {
        couTrial_Within(trial, rest.sink, 0, traits->height_error * DEPTH, "m", "resting water: largest change of height in %g s",
                        settle + average);
        couTrial_AtMost(trial, rest.energy, 1e-4, "", "resting water: kinetic energy / m g d after %g s", settle);
    } else {
        couTrial_AtMost(trial, rest.speed / sqrt(GRAVITY * DEPTH), 0.01, "", "rms speed at rest / sqrt(g H)");
    }
    couRecord_Clear(&record);
    couDestroyWorld(tank.world);
    if (is_flat && !is_small) check_narrow_tank(trial);
}
