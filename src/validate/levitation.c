// levitation: a ball over a blower, upright and tilted by 7 degrees (METHODS section 6, after [Gagneux 2022, sect. 3.6.2, 3.6.3]
// and its published scene; what differs is said in scenes/lib/levitation.lua). In the thesis, and in reality, the upright jet
// carries the ball; the tilted one does as long as something draws the ball back into the jet: suction in air, the Coanda force
// where pressures only push. Without either the ball leaves the jet and falls.
//
// As there pressures only push in the first three runs, which differ in tilt and C alone, and c_V is very near 1: at 1 nothing is
// ever cut, and the ball would be drawn all the same. In the fourth the box is full, and pressures pull. Gravity is tilted
// instead of the box. The ball is let go at 0.45 s and watched for ten seconds, or until it is gone: its centre farther from the
// jet's axis than the radii of jet and ball together, or as low as the blower's middle.

#include "base/base.h"
#include "validate/validate.h"

#include <stdio.h>

#define GRAVITY 9.81    // [m/s^2]
#define WIDTH 2.2f      // of the box [m]
#define HEIGHT 4.5f     // of the box [m]
#define DENSITY 250.0f  // of the liquid [kg/m^3]
#define VISCOSITY 1e-3f // [Pa s]
#define SPACING 0.1f    // [m]
#define BALL_RADIUS 0.2f
#define BALL_MASS 85.0f  // [kg]
#define BALL_HEIGHT 1.4f // where it is let go [m]
#define JET_RADIUS 0.31f // of the blower [m]
#define JET_HEIGHT 0.3f  // of the blower's middle [m]
#define HALF_BLOWER 0.2f // its half height [m]
#define PUSH 185.0f      // 10 N on each of the thesis's particles of 0.054 kg [m/s^2]
#define LET_GO 0.45      // [s]
#define WATCHED 10.0     // from then on [s]
#define COANDA 1e-5f     // C

typedef struct Flight {
    const char *name;
    double tilt; // [degrees]
    float coanda;
    bool is_sealed; // pressures may pull
} Flight;

typedef struct Found {
    double stayed;         // in the jet [s]
    double height, wander; // means while it stayed: of the centre [m], of its distance from the axis [m]
    couRecord path;        // time since it was let go, x, y, z
} Found;

static couShape *make(couTrial *trial, couShapeDef def) { return couCreateShape(&def, &trial->faults); }

static void add_room(couTrial *trial, couWorld *world)
{
    couShape *inside = make(trial, (couShapeDef){.kind = cou_shapeBox, .size = {WIDTH, HEIGHT, WIDTH}});
    couShape *walls = make(trial,
                           (couShapeDef){.kind = cou_shapeShell, .children = &inside, .child_count = 1, .thickness = 0.2f});
    couBodyDef room = couDefaultBodyDef();
    snprintf(room.name, sizeof room.name, "room");
    room.shape = walls;
    room.pose.position.y = 0.5f * HEIGHT;
    if (walls) couWorld_AddBody(world, &room, &trial->faults);
    couShape_Release(walls);
    couShape_Release(inside);
}

static couBodyId add_ball(couTrial *trial, couWorld *world, const Flight *flight)
{
    couBodyDef ball = couDefaultBodyDef();
    snprintf(ball.name, sizeof ball.name, "ball");
    ball.shape = make(trial, (couShapeDef){.kind = cou_shapeSphere, .radius = BALL_RADIUS});
    ball.pose.position.y = BALL_HEIGHT;
    ball.mass = BALL_MASS;
    ball.friction = 1.0f;
    ball.contact_friction = 0.2f, ball.restitution = 0.3f;
    ball.coanda = flight->coanda;
    couBodyId id = {0};
    if (ball.shape) id = couWorld_AddBody(world, &ball, &trial->faults);
    couShape_Release(ball.shape);
    return id;
}

static void add_blower(couTrial *trial, couWorld *world)
{
    couBlowerDef blower = couDefaultBlowerDef();
    blower.shape = make(trial, (couShapeDef){.kind = cou_shapeCylinder, .radius = JET_RADIUS, .height = 2 * HALF_BLOWER});
    blower.pose.position.y = JET_HEIGHT;
    blower.acceleration = PUSH;
    blower.start = 0.05f, blower.fade_in = 0.3f;
    if (blower.shape) couWorld_AddBlower(world, &blower, &trial->faults);
    couShape_Release(blower.shape);
}

static couWorld *create_world(couTrial *trial, const Flight *flight, couBodyId *ball)
{
    couWorldDef def = couTrial_WorldDef(trial, 3, trial->is_small ? 1.6f * SPACING : SPACING);
    double angle = flight->tilt * COU_PI / 180;
    def.gravity = (couVec3){(float)(GRAVITY * sin(angle)), (float)(-GRAVITY * cos(angle)), 0};
    couWorld *world = couTrial_CreateWorld(trial, &def);
    couTrial_Set(trial, world, "coanda", "linear");               // the thesis's
    couTrial_Set(trial, world, "divergence_tolerance", "0.0003"); // 45 layers: an even fall is a small error
    if (!flight->is_sealed) couTrial_Set(trial, world, "sealed", "false"), couTrial_Set(trial, world, "fill", "0.97");
    couMaterialDef liquid = couDefaultMaterialDef();
    liquid.density = DENSITY;
    liquid.viscosity = VISCOSITY;
    couFluidDef fluid = couDefaultFluidDef();
    fluid.material = couTrial_AddMaterial(trial, world, &liquid);
    if (!world || trial->faults.count) return world;
    add_room(trial, world);
    *ball = add_ball(trial, world, flight);
    add_blower(trial, world);
    fluid.shape = make(trial, (couShapeDef){.kind = cou_shapeBox, .size = {WIDTH, HEIGHT, WIDTH}});
    fluid.pose.position.y = 0.5f * HEIGHT;
    fluid.is_full = flight->is_sealed;
    if (fluid.shape) couWorld_AddFluid(world, &fluid, &trial->faults);
    couShape_Release(fluid.shape);
    return world;
}

static Found run_flight(couTrial *trial, const Flight *flight, double share0, double share1)
{
    Found found = {.path = couMakeRecord(4)};
    couBodyId ball = {0};
    couWorld *world = create_world(trial, flight, &ball);
    const double frame = 1.0 / 60, watched = trial->is_small ? 0.05 : WATCHED, held = trial->is_small ? 0.05 : LET_GO;
    bool is_good = !trial->faults.count;
    for (double t = 0; is_good && t < held - 1e-9; t += frame) {
        is_good = couTrial_Advance(trial, world, fmin(frame, held - t));
        couTrial_Show(trial, share0 + (share1 - share0) * t / (held + watched));
    }
    is_good = is_good && couWorld_SetBodyDynamic(world, ball, true, &trial->faults);
    double start = is_good ? couWorld_Time(world) : 0;
    for (bool is_in = true; is_in && is_good && found.stayed < watched - 1e-9;) {
        is_good = couTrial_Advance(trial, world, frame);
        if (!is_good) break;
        couVec3 x = couWorld_BodyCenter(world, ball);
        double time = couWorld_Time(world) - start, off = sqrt((double)(x.x * x.x + x.z * x.z));
        couRecord_Add(&found.path, (double[]){time, x.x, x.y, x.z});
        is_in = off < (double)(JET_RADIUS + BALL_RADIUS) && x.y > JET_HEIGHT;
        if (is_in) found.stayed = time, found.height += x.y, found.wander += off;
        couTrial_Show(trial, share0 + (share1 - share0) * (held + time) / (held + watched));
    }
    found.height /= COU_MAX(found.path.count, 1), found.wander /= COU_MAX(found.path.count, 1);
    couDestroyWorld(world);
    return found;
}

void couValidateLevitation(couTrial *trial)
{
    static const Flight flights[] = {
        {"upright, Coanda force", 0, COANDA, false},
        {"7 degrees, Coanda force", 7, COANDA, false},
        {"7 degrees, none", 7, 0, false},
        {"7 degrees, suction", 7, 0, true},
    };
    enum { FLIGHTS = COU_COUNT(flights) };
    couPlot *plot = couCreatePlot("levitation: path of the ball's centre", "x [m]", "height [m]");
    couPlot_SetEqual(plot);
    for (int f = 0; f < (trial->is_small ? 2 : FLIGHTS); ++f) {
        const Flight *flight = &flights[f];
        Found found = run_flight(trial, flight, f / (double)FLIGHTS, (f + 1) / (double)FLIGHTS);
        if (trial->faults.count == 0) {
            double wanted = trial->is_small ? 0.05 : WATCHED;
            if (flight->coanda > 0.0f || flight->is_sealed)
                couTrial_AtLeast(trial, found.stayed, wanted - 1e-3, "s", "%s: time that the ball stays in the jet",
                                 flight->name);
            else
                couTrial_AtMost(trial, found.stayed, wanted - 0.1, "s", "%s: time that the ball stays in the jet", flight->name);
            couTrial_Report(trial, found.height, NAN, "m", "%s: mean height while it stays", flight->name);
            couTrial_Report(trial, found.wander, NAN, "m", "%s: mean distance from the axis", flight->name);
        }
        couPlot_Add(plot, cou_plotLine, flight->name, found.path.values[1], found.path.values[2], found.path.count);
        couRecord_Clear(&found.path);
    }
    // The blower.
    const double r = JET_RADIUS, low = JET_HEIGHT - HALF_BLOWER, high = JET_HEIGHT + HALF_BLOWER;
    couPlot_Add(plot, cou_plotDashed, "blower", (double[]){-r, r, r, -r, -r}, (double[]){low, low, high, high, low}, 5);
    couTrial_WritePlot(trial, plot, NULL);
}
