// balls: three balls of 400, 1000 and 1400 kg/m^3, let go in the middle of a tank of water [Gagneux 2022, fig. 2.5]. Within 3 s
// the first rises to the surface, the second stays where it is, the third sinks to the floor. Where gravity pulls the balls alone
// no pressure lifts them, and all three sink, against nothing but the inertia of the water.

#include "base/base.h"
#include "validate/validate.h"

#include <stdio.h>

#define GRAVITY 9.81 // [m/s^2]
#define RADIUS 0.2   // [m]
#define DEPTH 1.0    // [m]
#define ROOM 1.2     // side of the water around each ball [m]
#define SECONDS 3.0
#define WEIGHTLESS_SECONDS 1.5

enum { BALLS = 3 };

static const double densities[BALLS] = {400, 1000, 1400}; // [kg/m^3]

static couBodyId add_ball(couTrial *trial, couWorld *world, couShape *ball, int k)
{
    couBodyDef body = couDefaultBodyDef();
    snprintf(body.name, sizeof body.name, "ball%.0f", densities[k]);
    body.shape = ball;
    body.is_dynamic = true;
    body.density = (float)densities[k];
    body.pose.position = (couVec3){(float)(ROOM * (k - 1)), (float)(0.5 * DEPTH), 0};
    return couWorld_AddBody(world, &body, &trial->faults);
}

static couWorld *create_tank(couTrial *trial, couGravityOn on, couBodyId balls[BALLS])
{
    couWorldDef def = couTrial_WorldDef(trial, 3, (float)(RADIUS / (trial->is_small ? 4 : 5)));
    def.gravity.y = (float)-GRAVITY;
    def.gravity_on = on;
    couWorld *world = couTrial_CreateWorld(trial, &def);
    couShape *ball = couCreateShape(&(couShapeDef){.kind = cou_shapeSphere, .radius = (float)RADIUS}, &trial->faults);
    if (!world || !ball) return world;
    couMaterialDef water = couDefaultMaterialDef();
    couMaterialId material = couTrial_AddMaterial(trial, world, &water);
    const float x = (float)(0.5 * BALLS * ROOM), z = (float)(0.5 * ROOM);
    couTrial_AddPlane(trial, world, "floor", (couVec3){0, 0, 0}, (couVec3){0, 1, 0});
    couTrial_AddPlane(trial, world, "left", (couVec3){-x, 0, 0}, (couVec3){1, 0, 0});
    couTrial_AddPlane(trial, world, "right", (couVec3){x, 0, 0}, (couVec3){-1, 0, 0});
    couTrial_AddPlane(trial, world, "back", (couVec3){0, 0, -z}, (couVec3){0, 0, 1});
    couTrial_AddPlane(trial, world, "front", (couVec3){0, 0, z}, (couVec3){0, 0, -1});
    for (int k = 0; k < BALLS; ++k) balls[k] = add_ball(trial, world, ball, k);
    couTrial_FillBox(trial, world, material, (couVec3){0, (float)(0.5 * DEPTH), 0}, (couVec3){2 * x, (float)DEPTH, 2 * z},
                     COU_AUTO);
    couShape_Release(ball);
    return world;
}

typedef struct Run {
    couRecord record;      // time, heights of the centres
    double farthest;       // of the second ball from its start [m]
    double heights[BALLS]; // of the centres at the end [m]
    double lowest[BALLS];  // [m]
} Run;

static Run run_balls(couTrial *trial, couGravityOn on, double seconds, double begin, double end)
{
    couBodyId balls[BALLS];
    couWorld *world = create_tank(trial, on, balls);
    Run run = {.record = couMakeRecord(1 + BALLS), .lowest = {INFINITY, INFINITY, INFINITY}};
    couVec3 start = trial->faults.count ? (couVec3){0} : couWorld_BodyCenter(world, balls[1]);
    const double frame = 1.0 / 60;
    for (int f = 0; f < seconds / frame && couTrial_Advance(trial, world, frame); ++f) {
        double row[1 + BALLS] = {couWorld_Time(world)};
        for (int k = 0; k < BALLS; ++k) {
            row[1 + k] = run.heights[k] = couWorld_BodyCenter(world, balls[k]).y;
            run.lowest[k] = fmin(run.lowest[k], run.heights[k]);
        }
        couRecord_Add(&run.record, row);
        run.farthest = fmax(run.farthest, couLength(couSub(couWorld_BodyCenter(world, balls[1]), start)));
        couTrial_Show(trial, begin + (end - begin) * (f + 1) * frame / seconds);
    }
    couDestroyWorld(world);
    return run;
}

static void add_heights(couPlot *plot, const Run *run, const char *what)
{
    for (int k = 0; k < BALLS; ++k) {
        char label[64];
        snprintf(label, sizeof label, "%.0f kg/m^3%s", densities[k], what);
        couPlot_Add(plot, cou_plotLine, label, run->record.values[0], run->record.values[1 + k], run->record.count);
    }
}

void couValidateBalls(couTrial *trial)
{
    Run run = run_balls(trial, cou_gravityOnAll, SECONDS, 0, 0.67);
    Run weightless = run_balls(trial, cou_gravityOnBodies, WEIGHTLESS_SECONDS, 0.67, 1);
    if (!trial->faults.count) {
        // A ball of this density floats with its centre above the surface; the surface itself stands higher than the water that
        // was put in, by what the balls displace.
        couTrial_AtLeast(trial, run.heights[0], DEPTH - 0.5 * RADIUS, "m", "400 kg/m^3: height of its centre after 3 s");
        couTrial_AtMost(trial, run.farthest / RADIUS, 1, "", "1000 kg/m^3: farthest from its start / radius");
        couTrial_AtMost(trial, run.heights[2], 1.25 * RADIUS, "m", "1400 kg/m^3: height of its centre after 3 s");
        for (int k = 0; k < BALLS; ++k)
            couTrial_AtMost(trial, weightless.lowest[k], 1.25 * RADIUS, "m",
                            "%.0f kg/m^3, water without weight: lowest height of its centre in %g s", densities[k],
                            WEIGHTLESS_SECONDS);
        couPlot *plot = couCreatePlot("balls: heights of their centres", "time [s]", "height [m]");
        add_heights(plot, &run, "");
        add_heights(plot, &weightless, ", water without weight");
        couTrial_WritePlot(trial, plot, NULL);
    }
    couRecord_Clear(&run.record);
    couRecord_Clear(&weightless.record);
}
