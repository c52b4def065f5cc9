// settling: a ball let go from rest in oil comes to a steady fall, at which its drag is what the oil leaves of its weight. The
// set-up is nearly that of the experiment of [ten Cate 2002]: a ball of 15 mm in a box 6.7 diameters wide, at Reynolds numbers
// of 5 and 33, whose fastest speed was 0.95 of that in an endless liquid. Reference: the drag of [Schiller and Naumann 1935],
// 24/Re (1 + 0.15 Re^0.687), and 0.95 of the speed it gives.
//
// The ball is 8 spacings wide, and only 19 % denser than the oil: what drives it is 0.16 of its weight. A yield stress of the
// particles round it of a hundredth of the pressure can hold it up, a first row at the wrong distance changes its drag and its
// lift, and a coupling that lags makes the force on it jump from step to step by more than what drives it.
//
// The ball is held until the oil is at rest, then let go. Its speed is the mean over the half diameter that it falls fastest.
// In a narrower box two balls, one half a spacing off the other in each direction, must fall alike. Forces are looked at step
// by step, over the second half of each fall.

#include "validate/validate.h"

#include <stdio.h>

#define GRAVITY 9.81   // [m/s^2]
#define DIAMETER 0.015 // [m]
#define BALL 1150.0    // [kg/m^3]
#define OIL 970.0      // [kg/m^3]
#define WALLS 0.95     // speed in the box / in an endless liquid
#define ACROSS 8       // spacings in a diameter
#define HOLDING 0.05   // until it is let go [s]
#define ABOVE 2.0      // its centre below the surface at the start, in diameters
#define BELOW 5.0      // its centre above the floor at the end: from two diameters it would feel the floor

typedef struct Fall {
    const char *name;
    double viscosity; // [Pa s]
    int width;        // of the box, in spacings
    double way;       // to fall, in diameters
    double shift;     // of the start on the lattice, in spacings
} Fall;

typedef struct Found {
    double speed;         // over the fastest half diameter [m/s]
    double jump, largest; // of the force from step to step / weight: root mean square, largest
    couRecord record;     // time since it was let go, way [d], speed / reference, force / weight
} Found;

double couSettlingSpeed(double diameter, double ball, double liquid, double viscosity)
{
    // Stokes' speed, slowed by the correction until both agree; it shrinks steadily, so a mean of old and new settles.
    double stokes = (ball - liquid) * GRAVITY * diameter * diameter / (18 * viscosity), speed = stokes;
    for (int k = 0; k < 200; ++k) {
        double reynolds = liquid * speed * diameter / viscosity;
        speed = 0.5 * (speed + stokes / (1 + 0.15 * pow(reynolds, 0.687)));
    }
    return speed;
}

static void add_wall(couTrial *trial, couWorld *world, const char *name, couVec3 at, couVec3 normal)
{
    if (!world || trial->faults.count) return;
    couBodyDef def = couDefaultBodyDef();
    snprintf(def.name, sizeof def.name, "%s", name);
    def.shape = couCreateShape(&(couShapeDef){.kind = cou_shapePlane, .axis = normal}, &trial->faults);
    def.pose.position = at;
    def.friction = 1.0f;
    if (def.shape) couWorld_AddBody(world, &def, &trial->faults);
    couShape_Release(def.shape);
}

static couWorld *create_box(couTrial *trial, const Fall *fall, couBodyId *ball)
{
    const double d = DIAMETER / ACROSS;
    const float depth = (float)(d * ceil(ACROSS * (ABOVE + fall->way + BELOW))), half = (float)(0.5 * d * fall->width);
    couWorldDef def = couTrial_WorldDef(trial, 3, (float)d);
    def.gravity.y = (float)-GRAVITY;
    couWorld *world = couTrial_CreateWorld(trial, &def);
    couMaterialDef oil = couDefaultMaterialDef();
    oil.density = (float)OIL;
    oil.viscosity = (float)fall->viscosity;
    couMaterialId material = couTrial_AddMaterial(trial, world, &oil);
    add_wall(trial, world, "floor", (couVec3){0, 0, 0}, (couVec3){0, 1, 0});
    add_wall(trial, world, "left", (couVec3){-half, 0, 0}, (couVec3){1, 0, 0});
    add_wall(trial, world, "right", (couVec3){half, 0, 0}, (couVec3){-1, 0, 0});
    add_wall(trial, world, "back", (couVec3){0, 0, -half}, (couVec3){0, 0, 1});
    add_wall(trial, world, "front", (couVec3){0, 0, half}, (couVec3){0, 0, -1});
    if (!world || trial->faults.count) return world;
    couBodyDef body = couDefaultBodyDef();
    snprintf(body.name, sizeof body.name, "ball");
    body.shape = couCreateShape(&(couShapeDef){.kind = cou_shapeSphere, .radius = (float)(0.5 * DIAMETER)}, &trial->faults);
    body.density = (float)BALL;
    body.friction = 1.0f;
    const float off = (float)(fall->shift * d);
    body.pose.position = (couVec3){off, depth - (float)(ABOVE * DIAMETER) - off, off};
    if (body.shape) *ball = couWorld_AddBody(world, &body, &trial->faults);
    couShape_Release(body.shape);
    couTrial_FillBox(trial, world, material, (couVec3){0, 0.5f * depth, 0}, (couVec3){2 * half, depth, 2 * half}, COU_AUTO);
    return world;
}

// Speed over the half diameter that was fallen fastest; over all of it where the ball did not get that far.
static double fastest_stretch(const couRecord *record)
{
    const double *t = record->values[0], *way = record->values[1], stretch = 0.5 * ACROSS;
    int last = record->count - 1;
    double fastest = last >= 0 && way[last] < stretch ? way[last] / t[last] : 0;
    for (int a = 0, b = 0; b < record->count; ++b) {
        while (way[b] - way[a + 1 < b ? a + 1 : a] >= stretch) ++a;
        if (way[b] - way[a] >= stretch) fastest = fmax(fastest, (way[b] - way[a]) / (t[b] - t[a]));
    }
    return fastest * DIAMETER / ACROSS;
}

// How the force changes from step to step, over the second half of the fall.
static void measure_jumps(Found *found)
{
    const double *force = found->record.values[3];
    int first = found->record.count / 2 + 1, count = found->record.count - first;
    for (int k = first; k < found->record.count; ++k) {
        double jump = fabs(force[k] - force[k - 1]);
        found->jump += jump * jump / count, found->largest = fmax(found->largest, jump);
    }
    found->jump = sqrt(found->jump);
}

static Found run_fall(couTrial *trial, const Fall *fall, double share0, double share1)
{
    Found found = {.record = couMakeRecord(4)};
    couBodyId ball = {0};
    couWorld *world = create_box(trial, fall, &ball);
    const double d = DIAMETER / ACROSS, wanted = WALLS * couSettlingSpeed(DIAMETER, BALL, OIL, fall->viscosity);
    double weight = BALL * GRAVITY * M_PI / 6 * DIAMETER * DIAMETER * DIAMETER;
    // A ball that hangs is given up. It takes twice as long to reach its speed as it would without drag.
    double limit = 1.5 * (fall->way * DIAMETER / wanted + 2 * wanted * (BALL + 0.5 * OIL) / ((BALL - OIL) * GRAVITY)), way = 0;
    bool is_free = couTrial_Advance(trial, world, HOLDING) && couWorld_SetBodyDynamic(world, ball, true, &trial->faults);
    double start = is_free ? couWorld_BodyCenter(world, ball).y : 0, time = 0;
    while (is_free && way < fall->way * DIAMETER && time < limit) {
        // Step by step, as long as the method takes them.
        if (!couTrial_Advance(trial, world, couWorld_SuggestStep(world))) break;
        time = couWorld_Time(world) - HOLDING, way = start - couWorld_BodyCenter(world, ball).y;
        couRecord_Add(&found.record, (double[]){time, way / d, -couWorld_BodyVelocity(world, ball).y / wanted,
                                                couWorld_BodyForce(world, ball).y / weight});
        couTrial_Show(trial, share0 + (share1 - share0) * fmax(way / (fall->way * DIAMETER), time / limit));
    }
    found.speed = fastest_stretch(&found.record);
    measure_jumps(&found);
    couDestroyWorld(world);
    return found;
}

void couValidateSettling(couTrial *trial)
{
    static const Fall falls[] = {
        {"0.2 Pa s", 0.2, 54, 1.75, 0},
        {"0.06 Pa s", 0.06, 54, 3.25, 0},
        {"0.2 Pa s, narrow box", 0.2, 24, 1.25, 0},
        {"0.2 Pa s, narrow box, half a spacing off", 0.2, 24, 1.25, 0.5},
    };
    static const Fall small = {"0.2 Pa s, narrow box", 0.2, 16, 0.5, 0};
    static const double shares[] = {0, 0.3, 0.8, 0.9, 1};
    enum { RUNS = sizeof falls / sizeof falls[0] };
    int runs = trial->is_small ? 1 : RUNS;
    double speeds[RUNS] = {0};
    couPlot *plot = couCreatePlot("settling: speed of the ball", "time [s]", "speed / reference");
    for (int r = 0; r < runs; ++r) {
        const Fall *fall = trial->is_small ? &small : &falls[r];
        Found found = run_fall(trial, fall, shares[r], shares[r + 1]);
        double wanted = WALLS * couSettlingSpeed(DIAMETER, BALL, OIL, fall->viscosity);
        speeds[r] = found.speed;
        if (fall->width >= 54)
            couTrial_Within(trial, found.speed, wanted, 0.15, "m/s", "%s: speed", fall->name);
        else
            couTrial_Report(trial, found.speed, wanted, "m/s", "%s: speed", fall->name);
        couTrial_AtMost(trial, found.jump, 0.1, "", "%s: force, rms change of a step / weight", fall->name);
        couTrial_Report(trial, found.largest, NAN, "", "%s: force, largest change of a step / weight", fall->name);
        couPlot_Add(plot, cou_plotLine, fall->name, found.record.values[0], found.record.values[2], found.record.count);
        couRecord_Clear(&found.record);
    }
    if (!trial->is_small && !trial->faults.count)
        couTrial_Within(trial, speeds[3] / speeds[2], 1, 0.05, "", "narrow box: speed, half a spacing off / on the lattice");
    couTrial_WritePlot(trial, plot, NULL);
}
