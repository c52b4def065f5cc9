// held: a ball and a box are held under water, and the water lifts them by the weight of what they displace [Archimedes],
// whatever lies above or beside them.
//
// They are 8 and 10 spacings wide, as small bodies in scenes are. The force is that on a body which ends where the first row of
// particles around it says: a row that comes nearer by a twentieth of a spacing than the surface stands for makes the body half
// a per cent of its width smaller on each side, which is 1 % of the force in the plane and 1.5 % in space. Rows in order push
// it aside as well, since they are not symmetric: bodies stand a quarter of a spacing off the lattice that the water starts as.
//
// Both stand in one tank, 0.6 widths from walls and floor; forces are means over the last half of the run.

#include "validate/validate.h"

#include <stdio.h>

#define GRAVITY 9.81   // [m/s^2]
#define DENSITY 1000.0 // [kg/m^3]
#define WIDTH 0.1      // of the bodies [m]
#define ROOM 2.25      // side of the water around each body, and its depth / WIDTH

enum { BODIES = 2 };

static const char *const names[BODIES] = {"ball", "box"};

typedef struct Tank {
    couWorld *world;
    couBodyId bodies[BODIES];
    double volume[BODIES]; // [m^3]; [m^2] in 2D
} Tank;

typedef struct Force {
    double up, x, z; // [N]; [N/m] in 2D
} Force;

static void add_body(couTrial *trial, Tank *tank, int dimension, int k, double d)
{
    couShapeDef ball = {.kind = cou_shapeSphere, .radius = (float)(0.5 * WIDTH)};
    couShapeDef box = {.kind = cou_shapeBox, .size = {(float)WIDTH, (float)WIDTH, (float)WIDTH}};
    couBodyDef def = couDefaultBodyDef();
    snprintf(def.name, sizeof def.name, "%s", names[k]);
    def.shape = couCreateShape(k == 0 ? &ball : &box, &trial->faults);
    double off = 0.25 * d;
    def.pose.position = (couVec3){(float)((k - 0.5) * ROOM * WIDTH + off), (float)(0.5 * ROOM * WIDTH + off),
                                  dimension == 3 ? (float)off : 0};
    couMassProperties mass;
    if (def.shape && couShape_Mass(def.shape, dimension, &mass)) {
        tank->volume[k] = mass.volume;
        tank->bodies[k] = couWorld_AddBody(tank->world, &def, &trial->faults);
    }
    couShape_Release(def.shape);
}

static Tank create_tank(couTrial *trial, int dimension, int across)
{
    Tank tank = {0};
    double d = WIDTH / across;
    couWorldDef def = couTrial_WorldDef(trial, dimension, (float)d);
    def.gravity.y = (float)-GRAVITY;
    tank.world = couTrial_CreateWorld(trial, &def);
    couMaterialDef water = couDefaultMaterialDef();
    water.density = (float)DENSITY;
    couMaterialId material = couTrial_AddMaterial(trial, tank.world, &water);
    const float x = (float)(ROOM * WIDTH), y = (float)(ROOM * WIDTH), z = (float)(0.5 * ROOM * WIDTH);
    couTrial_AddPlane(trial, tank.world, "floor", (couVec3){0, 0, 0}, (couVec3){0, 1, 0});
    couTrial_AddPlane(trial, tank.world, "left", (couVec3){-x, 0, 0}, (couVec3){1, 0, 0});
    couTrial_AddPlane(trial, tank.world, "right", (couVec3){x, 0, 0}, (couVec3){-1, 0, 0});
    if (dimension == 3) {
        couTrial_AddPlane(trial, tank.world, "back", (couVec3){0, 0, -z}, (couVec3){0, 0, 1});
        couTrial_AddPlane(trial, tank.world, "front", (couVec3){0, 0, z}, (couVec3){0, 0, -1});
    }
    for (int k = 0; k < BODIES && tank.world && !trial->faults.count; ++k) add_body(trial, &tank, dimension, k, d);
    couTrial_FillBox(trial, tank.world, material, (couVec3){0, 0.5f * y, 0}, (couVec3){2 * x, y, 2 * z}, COU_AUTO);
    return tank;
}

static void run_tank(couTrial *trial, int dimension, int across, double seconds, double share0, double share1, couPlot *plot)
{
    const double frame = 0.02;
    int frames = (int)lround(seconds / frame), first = frames / 2;
    Tank tank = create_tank(trial, dimension, across);
    Force mean[BODIES] = {{0}};
    couRecord record = couMakeRecord(1 + BODIES);
    double weight[BODIES] = {DENSITY * GRAVITY * tank.volume[0], DENSITY * GRAVITY * tank.volume[1]};
    int f = 0;
    for (; f < frames && couTrial_Advance(trial, tank.world, frame); ++f) {
        double row[1 + BODIES] = {couWorld_Time(tank.world)};
        for (int k = 0; k < BODIES; ++k) {
            couVec3 force = couWorld_BodyForce(tank.world, tank.bodies[k]);
            row[1 + k] = force.y / weight[k];
            if (f < first) continue;
            mean[k].up += force.y / (frames - first);
            mean[k].x += force.x / (frames - first), mean[k].z += force.z / (frames - first);
        }
        couRecord_Add(&record, row);
        couTrial_Show(trial, share0 + (share1 - share0) * (f + 1.0) / frames);
    }
    const char *unit = dimension == 3 ? "N" : "N/m";
    double tolerance = trial->traits->has_pressure ? 0.03 : 0.05; // relaxations know solids by their density alone
    for (int k = 0; k < BODIES && f == frames; ++k) {
        char label[48];
        snprintf(label, sizeof label, "%dD, %s of %d d", dimension, names[k], across);
        couTrial_Within(trial, mean[k].up, weight[k], tolerance, unit, "%s: mean force upward", label);
        couTrial_Within(trial, hypot(mean[k].x, mean[k].z) / weight[k], 0, tolerance, "",
                        "%s: mean force aside / weight displaced", label);
        couPlot_Add(plot, cou_plotLine, label, record.values[0], record.values[1 + k], record.count);
    }
    couRecord_Clear(&record);
    couDestroyWorld(tank.world);
}

void couValidateHeld(couTrial *trial)
{
    couPlot *plot = couCreatePlot("held: force on bodies under water", "time [s]", "force / weight of water displaced");
    if (trial->is_small) {
        run_tank(trial, 2, 10, 2, 0, 1, plot);
    } else {
        run_tank(trial, 2, 8, 3, 0, 0.03, plot);
        run_tank(trial, 2, 10, 3, 0.03, 0.07, plot);
        run_tank(trial, 3, 8, 1.2, 0.07, 0.4, plot);
        run_tank(trial, 3, 10, 1.2, 0.4, 1, plot);
    }
    couTrial_WritePlot(trial, plot, NULL);
}
