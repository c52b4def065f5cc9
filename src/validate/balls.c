// balls: three balls of 400, 1000 and 1400 kg/m^3, let go in the middle of a tank of water (METHODS section 6). Within 3 s the
// first rises to the surface, the second stays where it is, the third sinks to the floor.

#include "base/base.h"
#include "validate/validate.h"

#include <stdio.h>

#define GRAVITY 9.81 // [m/s^2]
#define RADIUS 0.2   // [m]
#define DEPTH 1.0    // [m]
#define ROOM 1.2     // side of the water around each ball [m]
#define SECONDS 3.0

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

static couWorld *create_tank(couTrial *trial, couBodyId balls[BALLS])
{
    couWorldDef def = couTrial_WorldDef(trial, 3, (float)(RADIUS / (trial->is_small ? 4 : 5)));
    def.gravity.y = (float)-GRAVITY;
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

void couValidateBalls(couTrial *trial)
{
    couBodyId balls[BALLS];
    couWorld *world = create_tank(trial, balls);
    couRecord record = couMakeRecord(1 + BALLS);
    double farthest = 0;
    couVec3 start = trial->faults.count ? (couVec3){0} : couWorld_BodyCenter(world, balls[1]);
    const double frame = 1.0 / 60;
    for (int f = 0; f < SECONDS / frame && couTrial_Advance(trial, world, frame); ++f) {
        double row[1 + BALLS] = {couWorld_Time(world)};
        for (int k = 0; k < BALLS; ++k) row[1 + k] = couWorld_BodyCenter(world, balls[k]).y;
        couRecord_Add(&record, row);
        farthest = fmax(farthest, couLength(couSub(couWorld_BodyCenter(world, balls[1]), start)));
        couTrial_Show(trial, (f + 1) * frame / SECONDS);
    }
    if (!trial->faults.count) {
        // A ball of this density floats with its centre above the surface; the surface itself stands higher than the water that
        // was put in, by what the balls displace.
        couTrial_AtLeast(trial, couWorld_BodyCenter(world, balls[0]).y, DEPTH - 0.5 * RADIUS, "m",
                         "400 kg/m^3: height of its centre after 3 s");
        couTrial_AtMost(trial, farthest / RADIUS, 1, "", "1000 kg/m^3: farthest from its start / radius");
        couTrial_AtMost(trial, couWorld_BodyCenter(world, balls[2]).y, 1.25 * RADIUS, "m",
                        "1400 kg/m^3: height of its centre after 3 s");
        couPlot *plot = couCreatePlot("balls: heights of their centres", "time [s]", "height [m]");
        couPlot_Add(plot, cou_plotLine, "400 kg/m^3", record.values[0], record.values[1], record.count);
        couPlot_Add(plot, cou_plotLine, "1000 kg/m^3", record.values[0], record.values[2], record.count);
        couPlot_Add(plot, cou_plotLine, "1400 kg/m^3", record.values[0], record.values[3], record.count);
        couTrial_WritePlot(trial, plot, NULL);
    }
    couRecord_Clear(&record);
    couDestroyWorld(world);
}
