// jet: water leaves a tank through a hole in its side, at Torricelli's speed sqrt(2 g h) once it is free, as a jet that is
// narrower than the hole. A slit with sharp edges passes 0.61 of what the speed and its width would: pi / (pi + 2) for a slit in
// the wall of a large tank [Kirchhoff 1869], 0.61 to 0.65 measured.
//
// A pressure that does not become speed, friction at the edges or between rows of particles that slide along each other, a wall
// that reaches farther than it stands for: each of them makes the jet slower or thinner. The hole is 6 and 12 spacings wide.
//
// In the plane. The wall is bevelled outward from a sharp edge, so that nothing touches the jet. The level is followed: it is
// what the water in the tank would reach at rest density, so that g times it is the pressure at the floor whatever the
// particles do. Every particle a width beyond the wall, where the jet has stopped contracting, and up to 1.75 widths, is
// compared with the speed of a fall from the level to its own height: the jet has begun to fall. The level sinks at 0.07 of the
// speed of the jet, which by itself makes the jet 0.5 % faster than a tank of no end.

#include "validate/validate.h"

#include <stdio.h>

#define GRAVITY 9.81 // [m/s^2]
#define WIDE 0.06    // w, of the hole [m]
#define LOW 0.09     // lower edge of the hole [m]
#define TANK 0.5     // B, width of the tank [m]
#define BEVEL 0.05   // thickness of the wall [m]

typedef struct Jet {
    int across;      // spacings in the hole
    double depth;    // of the water at the start [m]
    double settling; // until the jet is steady [s]
    double measuring;
} Jet;

typedef struct Flow {
    double speed;     // mean of particles' speeds / that of a fall from the level
    double discharge; // volume out / that of the speed through the whole hole
    couRecord record; // time, speed and speed of a fall to the middle of the hole [m/s]
} Flow;

// A wall from y0 to y1, whose edge at the hole is sharp; it leans away from the hole.
static void add_wall(couTrial *trial, couWorld *world, const char *name, double y0, double y1, bool is_above)
{
    const float T = (float)BEVEL, a = (float)y0, b = (float)y1;
    const couVec3 points[4] = {{0, a, 0}, {0, b, 0}, {T, is_above ? b : b - T, 0}, {T, is_above ? a + T : a, 0}};
    couBodyDef def = couDefaultBodyDef();
    snprintf(def.name, sizeof def.name, "%s", name);
    def.shape = couCreateShape(&(couShapeDef){.kind = cou_shapePolygon, .points = points, .point_count = 4, .height = 1},
                               &trial->faults);
    if (def.shape) couWorld_AddBody(world, &def, &trial->faults);
    couShape_Release(def.shape);
}

static couWorld *create_tank(couTrial *trial, const Jet *jet)
{
    couWorldDef def = couTrial_WorldDef(trial, 2, (float)(WIDE / jet->across));
    def.gravity.y = (float)-GRAVITY;
    couWorld *world = couTrial_CreateWorld(trial, &def);
    couMaterialDef water = couDefaultMaterialDef();
    couMaterialId material = couTrial_AddMaterial(trial, world, &water);
    if (!world || trial->faults.count) return world;
    couTrial_AddPlane(trial, world, "floor", (couVec3){0, 0, 0}, (couVec3){0, 1, 0});
    couTrial_AddPlane(trial, world, "left", (couVec3){(float)-TANK, 0, 0}, (couVec3){1, 0, 0});
    add_wall(trial, world, "below", -BEVEL, LOW, false);
    add_wall(trial, world, "above", LOW + WIDE, jet->depth + 0.2, true);
    couTrial_FillBox(trial, world, material, (couVec3){(float)(-0.5 * TANK), (float)(0.5 * jet->depth), 0},
                     (couVec3){(float)TANK, (float)jet->depth, 1}, COU_AUTO);
    // The jet is taken away before it reaches the floor.
    couSinkDef sink = couDefaultSinkDef();
    sink.shape = couCreateShape(&(couShapeDef){.kind = cou_shapeBox, .size = {2, 4, 1}}, &trial->faults);
    sink.pose.position.x = (float)(1 + 4 * WIDE);
    if (sink.shape) couWorld_AddSink(world, &sink, &trial->faults);
    couShape_Release(sink.shape);
    return world;
}

// Volume in the tank, per depth [m^2].
static double tank_volume(const couWorld *world, double d)
{
    couParticleView view = couWorld_Particles(world);
    double count = 0;
    for (size_t i = 0; i < view.count; ++i) count += view.position[i].x < 0;
    return count * d * d;
}

// Mean over the particles of the free jet of speed / that of a fall from the level; NAN without any.
static double jet_speed(const couWorld *world, double level)
{
    couParticleView view = couWorld_Particles(world);
    double sum = 0, count = 0;
    for (size_t i = 0; i < view.count; ++i) {
        couVec4 x = view.position[i], v = view.velocity[i];
        if (x.x < WIDE || x.x > 1.75 * WIDE || !(x.y < level)) continue;
        sum += sqrt(((double)v.x * v.x + (double)v.y * v.y) / (2 * GRAVITY * (level - x.y)));
        count += 1;
    }
    return sum / count;
}

static Flow run_jet(couTrial *trial, const Jet *jet, double share0, double share1)
{
    const double frame = 0.005, d = WIDE / jet->across;
    int settling = (int)lround(jet->settling / frame), measuring = (int)lround(jet->measuring / frame);
    Flow flow = {.record = couMakeRecord(3)};
    couWorld *world = create_tank(trial, jet);
    double before = 0, ideal = 0;
    for (int f = 0; f < settling + measuring && couTrial_Advance(trial, world, frame); ++f) {
        couTrial_Show(trial, share0 + (share1 - share0) * (f + 1.0) / (settling + measuring));
        double volume = tank_volume(world, d), level = volume / TANK, speed = jet_speed(world, level);
        double fall = sqrt(2 * GRAVITY * fmax(level - LOW - 0.5 * WIDE, 0));
        couRecord_Add(&flow.record, (double[]){couWorld_Time(world), speed * fall, fall});
        if (f < settling) {
            before = volume;
            continue;
        }
        flow.speed += speed / measuring;
        ideal += WIDE * fall * frame;
        flow.discharge = (before - volume) / ideal;
    }
    couDestroyWorld(world);
    return flow;
}

void couValidateJet(couTrial *trial)
{
    static const Jet jets[2] = {{6, 0.6, 0.3, 0.5}, {12, 0.6, 0.3, 0.5}}, small = {12, 0.36, 0.15, 0.2};
    static const double weights[3] = {0, 0.15, 1}; // of the runs' time
    bool is_small = trial->is_small;
    double tolerance = trial->traits->has_pressure ? 0.03 : 0.1;
    couPlot *plot = couCreatePlot("jet: its speed (dashed: sqrt(2 g h))", "time [s]", "speed [m/s]");
    for (int r = is_small ? 1 : 0; r < 2; ++r) {
        const Jet *jet = is_small ? &small : &jets[r];
        Flow flow = run_jet(trial, jet, is_small ? 0 : weights[r], weights[r + 1]);
        char name[32];
        snprintf(name, sizeof name, "hole of %d d", jet->across);
        if (jet->across >= 12) {
            couTrial_Within(trial, flow.speed, 1, tolerance, "", "%s: speed of the jet / sqrt(2 g h)", name);
            couTrial_Within(trial, flow.discharge, 0.63, fmax(tolerance, 0.02 / 0.63), "", "%s: discharge coefficient", name);
        } else {
            couTrial_Report(trial, flow.speed, 1, "", "%s: speed of the jet / sqrt(2 g h)", name);
            couTrial_Report(trial, flow.discharge, 0.63, "", "%s: discharge coefficient", name);
        }
        couPlot_Add(plot, cou_plotLine, name, flow.record.values[0], flow.record.values[1], flow.record.count);
        if (r == 1) couPlot_Add(plot, cou_plotDashed, "", flow.record.values[0], flow.record.values[2], flow.record.count);
        couRecord_Clear(&flow.record);
    }
    couTrial_WritePlot(trial, plot, NULL);
}
