// dam-break: a column of water L wide and 2 L high, let go at once on a smooth floor, in the plane. The front runs along the
// floor; its place against time is compared with the experiment of [Koshizuka and Oka 1996] in a tank of 4 L, whose L was 0.146
// m.
//
// The front is the farthest particle in company: one with at least three others within two spacings, and half a spacing more. A
// single particle that was thrown ahead is no front, a tongue of one layer is.
//
// Fluids that do not compress must agree with each other better than with the experiment, which had a gate to lift and a floor
// that held the water back: dfsph is run beside every other method. The run goes on until the wave has come back from the far
// wall, and so does the mean density error.

#include "validate/validate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GRAVITY 9.81 // [m/s^2]
#define WIDTH 0.146  // L [m]

// t sqrt(2 g / L) and front / L.
enum { POINTS = 9 };
static const double experiment_time[POINTS] = {0, 0.381, 0.769, 1.153, 1.537, 1.935, 2.323, 2.719, 3.096};
static const double experiment_front[POINTS] = {1.000, 1.111, 1.252, 1.505, 1.892, 2.241, 2.615, 3.003, 3.624};

#define LAST_FRONT 3.2 // in units of sqrt(L / 2 g), beyond the last point of the experiment
#define END 12.0       // the wave has come back

typedef struct Break {
    couRecord record;     // time, front, mean density error, energy / that of the start; in units of L, sqrt(L / 2 g)
    double front[POINTS]; // at the times of the experiment
    double error, most;   // mean density error: over time, largest
    double kept;          // mechanical energy / that of the start, at LAST_FRONT
} Break;

static couWorld *create_dam(couTrial *trial, const char *method, int across)
{
    float L = (float)WIDTH, d = L / (float)across;
    couWorldDef def = couTrial_WorldDef(trial, 2, d);
    snprintf(def.method, sizeof def.method, "%s", method);
    def.gravity.y = (float)-GRAVITY;
    couWorld *world = couTrial_CreateWorld(trial, &def);
    couMaterialDef water = couDefaultMaterialDef();
    couMaterialId material = couTrial_AddMaterial(trial, world, &water);
    couTrial_AddPlane(trial, world, "floor", (couVec3){0, 0, 0}, (couVec3){0, 1, 0});
    couTrial_AddPlane(trial, world, "left", (couVec3){0, 0, 0}, (couVec3){1, 0, 0});
    couTrial_AddPlane(trial, world, "right", (couVec3){4 * L, 0, 0}, (couVec3){-1, 0, 0});
    couTrial_FillBox(trial, world, material, (couVec3){0.5f * L, L, 0}, (couVec3){L, 2 * L, 1}, COU_AUTO);
    return world;
}

static int others_within(const couParticleView *view, size_t i, double reach)
{
    int count = -1;
    for (size_t j = 0; j < view->count; ++j) {
        double x = view->position[j].x - view->position[i].x, y = view->position[j].y - view->position[i].y;
        count += x * x + y * y < reach * reach;
    }
    return count;
}

// [m]
static double find_front(const couWorld *world, double d)
{
    couParticleView view = couWorld_Particles(world);
    double front = 0;
    for (size_t i = 0; i < view.count; ++i)
        if (view.position[i].x > front && others_within(&view, i, 2 * d) >= 3) front = view.position[i].x;
    return front + 0.5 * d;
}

static double energy_of(const couWorld *world)
{
    couMeasurement m = couWorld_Measure(world);
    return m.kinetic_energy + m.potential_energy;
}

// A value of a column between two rows of the record.
static double at_time(const couRecord *record, int column, double time)
{
    for (int k = 1; k < record->count; ++k) {
        double t0 = record->values[0][k - 1], t1 = record->values[0][k];
        if (t1 < time) continue;
        double share = t1 > t0 ? (time - t0) / (t1 - t0) : 0;
        return record->values[column][k - 1] + share * (record->values[column][k] - record->values[column][k - 1]);
    }
    return NAN;
}

// `end` in units of sqrt(L / 2 g).
static Break run_dam(couTrial *trial, const char *method, double end, double share0, double share1)
{
    Break dam = {.record = couMakeRecord(4)};
    int across = trial->is_small ? 16 : 40, frames = (int)lround(end / 0.05);
    double d = WIDTH / across, unit = sqrt(WIDTH / (2 * GRAVITY)), frame = 0.05 * unit;
    couWorld *world = create_dam(trial, method, across);
    double start = world ? energy_of(world) : 0;
    if (world) couRecord_Add(&dam.record, (double[]){0, find_front(world, d) / WIDTH, 0, 1});
    for (int f = 0; f < frames && world && !trial->faults.count; ++f) {
        if (!couTrial_Advance(trial, world, frame)) break;
        // The report of an advance says what the last step of it began with.
        couParticleView view = couWorld_Particles(world);
        double error = 0;
        for (size_t i = 0; i < view.count; ++i) error += fmax(view.density[i] - 1.0, 0) / (double)view.count;
        couRecord_Add(&dam.record,
                      (double[]){couWorld_Time(world) / unit, find_front(world, d) / WIDTH, error, energy_of(world) / start});
        dam.error += error / frames;
        dam.most = fmax(dam.most, error);
        couTrial_Show(trial, share0 + (share1 - share0) * (f + 1.0) / frames);
    }
    couDestroyWorld(world);
    for (int k = 0; k < POINTS; ++k) dam.front[k] = at_time(&dam.record, 1, experiment_time[k]);
    dam.kept = at_time(&dam.record, 3, LAST_FRONT - 0.01);
    return dam;
}

static void draw(couTrial *trial, const Break *dam)
{
    couPlot *plot = couCreatePlot("dam-break: the front", "t sqrt(2 g / L)", "front / L");
    int shown = 0;
    while (shown < dam->record.count && dam->record.values[0][shown] < LAST_FRONT) ++shown;
    couPlot_Add(plot, cou_plotLine, trial->method, dam->record.values[0], dam->record.values[1], shown);
    couPlot_Add(plot, cou_plotPoints, "experiment", experiment_time, experiment_front, POINTS);
    couTrial_WritePlot(trial, plot, "front");

    plot = couCreatePlot("dam-break: mean density error", "t sqrt(2 g / L)", "mean of max(rho / rho0 - 1, 0)");
    couPlot_Add(plot, cou_plotLine, trial->method, dam->record.values[0], dam->record.values[2], dam->record.count);
    couTrial_WritePlot(trial, plot, "density");
}

// Largest difference of two fronts at the times of the experiment, relative.
static double difference(const Break *a, const Break *b)
{
    double most = 0;
    for (int k = 0; k < POINTS; ++k) most = fmax(most, fabs(a->front[k] / b->front[k] - 1));
    return most;
}

// The methods that state a density error are compared with each other, when the most accurate of them is looked at; a soft one
// with that.
static void compare(couTrial *trial, const Break *own)
{
    const char *best = couMostAccurateMethod(cou_claimSplash);
    if (!best) return;
    if (strcmp(trial->method, best) != 0) {
        if (trial->traits->density_error > 0) return;
        Break dam = run_dam(trial, best, LAST_FRONT, 0.6, 1);
        couTrial_Within(trial, difference(own, &dam), 0, 0.15, "", "largest difference to the front of %s", best);
        couRecord_Clear(&dam.record);
        return;
    }
    enum { MOST = 16 };
    Break dams[MOST] = {*own};
    char names[64] = "";
    int count = 1;
    double most = 0;
    for (const char *const *name = couMethodNames(); *name && count < MOST; ++name) {
        const couMethodTraits *traits = couFindMethodTraits(*name);
        if (!(traits->claims & cou_claimSplash) || !(traits->density_error > 0) || strcmp(*name, best) == 0) continue;
        dams[count] = run_dam(trial, *name, LAST_FRONT, 1 - 0.5 / count, 1 - 0.5 / (count + 1));
        for (int a = 0; a < count; ++a) most = fmax(most, difference(&dams[count], &dams[a]));
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s, ", *name);
        ++count;
    }
    couTrial_Within(trial, most, 0, 0.05, "", "largest difference of two fronts of %s%s", names, best);
    for (int k = 1; k < count; ++k) couRecord_Clear(&dams[k].record);
}

void couValidateDamBreak(couTrial *trial)
{
    double promised = trial->traits->density_error;
    const char *best = couMostAccurateMethod(cou_claimSplash);
    bool is_compared = !(promised > 0) || (best && strcmp(trial->method, best) == 0);
    Break dam = run_dam(trial, trial->method, trial->is_small ? LAST_FRONT : END, 0, is_compared ? 0.5 : 1);
    draw(trial, &dam);
    for (int k = 1; k < POINTS; ++k)
        couTrial_Within(trial, dam.front[k], experiment_front[k], 0.15, "", "front / L at t sqrt(2g/L) = %.3f",
                        experiment_time[k]);
    if (promised > 0) {
        couTrial_AtMost(trial, dam.error, promised, "", "mean density error, over the whole break");
        couTrial_AtMost(trial, dam.most, promised, "", "mean density error, at its worst moment");
    }
    couTrial_AtLeast(trial, dam.kept, 0.9, "", "mechanical energy kept until the front is at the wall");
    compare(trial, &dam);
    couRecord_Clear(&dam.record);
}
