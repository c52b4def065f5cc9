// poiseuille and couette: a liquid between two plates a millimetre apart, started from rest by a uniform force along them, or
// by one of them that begins to move [Morris, Fox and Zhu 1997, sect. 4.1, 4.2]. Both flows are known for all times as series.
// Plates have friction 1, no slip; the channel repeats along x; nothing depends on z, so the runs are 2D.
//
// Speeds are micrometres a second and the liquid moves less than a tenth of a spacing: a lattice stays one and its pressures
// stay 0. That shows the viscous operator and the no-slip walls alone, so each flow also runs from a start in disorder, where
// pressures push the particles about. Artificial viscosity is off. Pressures may pull (clamp = false): the channel is full,
// and clamped pressures would only add noise. The velocity at a place is compared with the series at the particles' own
// places.
//
// Numbers: the channel lies around the origin, where floats are finest; still a coordinate is rounded to some 1e-6 spacings,
// so densities to about that, and dfsph removes a density error within one step. Its steps must not be too short for that:
// velocities of 1e-6 d / dt are what rounding makes. dfsph keeps no pressures from step to step here (warm_start = 0): in a
// full, closed channel no pressure can change the mean density, so its rounding error would be added to all pressures in every
// step, without end.

#include "validate/validate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double width = 1e-3;        // L [m]
static const double kinematic = 1e-6;    // nu [m^2/s]
static const double drive = 1e-4;        // F [m/s^2]
static const double top_speed = 12.5e-6; // of the moving plate, and of the driven flow in the end [m/s]

enum { TIMES = 4 };
static const double times[TIMES] = {0.0225, 0.045, 0.1125, 0.225}; // [s]

// [Morris 1997, eq. 21]
static double poiseuille_speed(double y, double t)
{
    double speed = drive / (2 * kinematic) * y * (width - y);
    for (int n = 0; n < 50; ++n) {
        double k = (2 * n + 1) * M_PI / width;
        speed -= 4 * drive / (kinematic * width * k * k * k) * sin(k * y) * exp(-k * k * kinematic * t);
    }
    return speed;
}

// [Morris 1997, eq. 20]
static double couette_speed(double y, double t)
{
    double speed = top_speed * y / width;
    for (int n = 1; n < 100; ++n) {
        double k = n * M_PI / width;
        speed += 2 * top_speed / (n * M_PI) * (n % 2 ? -1 : 1) * sin(k * y) * exp(-k * k * kinematic * t);
    }
    return speed;
}

typedef double SpeedFcn(double y, double t);

// One way to run a flow.
typedef struct Channel {
    const char *name;      // for the rows
    const char *viscosity; // laplacian or implicit
    const char *max_step;  // [s]
    int layers;            // of particles across
    float jitter;          // of the first positions / spacing
    double start;          // of the flow: until then particles find their places [s]
    bool is_couette;
} Channel;

static couPose plate_motion(void *context, double time)
{
    const Channel *channel = context;
    couPose pose = COU_POSE_IDENTITY;
    pose.position = (couVec3){(float)(top_speed * fmax(time - channel->start, 0)), (float)(0.5 * width), 0};
    return pose;
}

static void add_plate(couTrial *trial, couWorld *world, const Channel *channel, bool is_upper)
{
    if (!world || trial->faults.count) return;
    couBodyDef def = couDefaultBodyDef();
    snprintf(def.name, sizeof def.name, "%s", is_upper ? "upper" : "lower");
    def.shape = couCreateShape(&(couShapeDef){.kind = cou_shapePlane, .axis = {0, is_upper ? -1.0f : 1.0f, 0}}, &trial->faults);
    def.pose.position.y = (float)(is_upper ? 0.5 * width : -0.5 * width);
    def.friction = 1.0f;
    if (is_upper && channel->is_couette) def.motion = plate_motion, def.motion_context = (void *)channel;
    if (def.shape) couWorld_AddBody(world, &def, &trial->faults);
    couShape_Release(def.shape);
}

// Rows of particles between the plates, `columns` of them along the channel.
static void fill(couTrial *trial, couWorld *world, couMaterialId material, const Channel *channel, int columns)
{
    int count = channel->layers * columns;
    double d = width / channel->layers;
    couVec3 *x = malloc((size_t)count * sizeof *x);
    uint64_t seed = 11;
    for (int k = 0; x && k < count; ++k) {
        double noise[2] = {couNoise(&seed), couNoise(&seed)};
        x[k] = (couVec3){(float)(d * (k % columns + 0.5 - 0.5 * columns + channel->jitter * noise[0])),
                         (float)(d * (k / columns + 0.5 - 0.5 * channel->layers + channel->jitter * noise[1])), 0};
    }
    if (world && x && !trial->faults.count) couWorld_AddParticles(world, material, x, NULL, (size_t)count, &trial->faults);
    free(x);
}

static couWorld *create_channel(couTrial *trial, const Channel *channel)
{
    const int columns = 16;
    double d = width / channel->layers;
    couWorldDef def = couTrial_WorldDef(trial, 2, (float)d);
    def.period.x = (float)(columns * d);
    def.period_lower.x = (float)(-0.5 * columns * d);
    def.speed = (float)top_speed;
    couWorld *world = couTrial_CreateWorld(trial, &def);
    couTrial_Set(trial, world, "clamp", "false");
    couTrial_Set(trial, world, "damping", "0");
    couTrial_Set(trial, world, "viscosity", channel->viscosity);
    couTrial_Set(trial, world, "max_step", channel->max_step);
    couTrial_Set(trial, world, "warm_start", "0");
    couMaterialDef water = couDefaultMaterialDef();
    water.viscosity = (float)(kinematic * water.density);
    couMaterialId material = couTrial_AddMaterial(trial, world, &water);
    add_plate(trial, world, channel, false);
    add_plate(trial, world, channel, true);
    fill(trial, world, material, channel, columns);
    if (!channel->is_couette && world && !trial->faults.count) {
        couFieldDef field = couDefaultFieldDef();
        field.kind = cou_fieldUniform;
        field.vector = (couVec3){(float)drive, 0, 0};
        field.start = (float)channel->start;
        couWorld_AddField(world, &field, &trial->faults);
    }
    return world;
}

typedef struct Profile {
    double center;   // speed half-way between the plates [m/s]
    double distance; // root mean square of speed - series / the final top speed
    double largest;  // the largest of these
} Profile;

// Particles are compared with the series where they are. The centre's speed is the series' and the mean difference nearby.
static Profile measure(const couWorld *world, SpeedFcn *series, double t, double d)
{
    couParticleView view = couWorld_Particles(world);
    double near = 0, sum = 0, squares = 0, largest = 0;
    for (size_t i = 0; i < view.count; ++i) {
        double y = view.position[i].y + 0.5 * width, off = view.velocity[i].x - series(y, t);
        squares += off * off, largest = fmax(largest, fabs(off));
        if (fabs(y - 0.5 * width) < 1.01 * d) near += 1, sum += off;
    }
    return (Profile){series(0.5 * width, t) + sum / near, sqrt(squares / (double)view.count) / top_speed, largest / top_speed};
}

static void draw_profile(const couWorld *world, couPlot *plot, SpeedFcn *series, double t)
{
    enum { POINTS = 101 };
    couParticleView view = couWorld_Particles(world);
    double y[POINTS], u[POINTS];
    double *at = malloc((view.count + 1) * sizeof *at), *speed = malloc((view.count + 1) * sizeof *speed);
    for (int k = 0; k < POINTS; ++k) y[k] = 1e3 * width * k / (POINTS - 1), u[k] = 1e6 * series(1e-3 * y[k], t);
    for (size_t i = 0; at && speed && i < view.count; ++i)
        at[i] = 1e3 * (view.position[i].y + 0.5 * width), speed[i] = 1e6 * view.velocity[i].x;
    char name[32];
    snprintf(name, sizeof name, "%g s", t);
    if (at && speed) couPlot_Add(plot, cou_plotDots, name, at, speed, (int)view.count);
    couPlot_Add(plot, cou_plotDashed, "", y, u, POINTS);
    free(at);
    free(speed);
}

static void run_channel(couTrial *trial, const Channel *channel, double from, double to, couPlot *plot)
{
    SpeedFcn *series = channel->is_couette ? couette_speed : poiseuille_speed;
    couWorld *world = create_channel(trial, channel);
    double before = 0, rms = 0, largest = 0;
    bool is_lattice = channel->jitter == 0, is_settled = channel->start == 0 || couTrial_Advance(trial, world, channel->start);
    for (int k = 0; k < TIMES && is_settled && couTrial_Advance(trial, world, times[k] - before); ++k) {
        Profile profile = measure(world, series, times[k], width / channel->layers);
        // In disorder the first times are left to the profile: the centre hardly moves yet, and noise is as large.
        if (is_lattice || k >= TIMES - 2)
            couTrial_Within(trial, 1e6 * profile.center, 1e6 * series(0.5 * width, times[k]), is_lattice ? 0.03 : 0.05, "um/s",
                            "%s: centre at %g s", channel->name, times[k]);
        rms = fmax(rms, profile.distance), largest = fmax(largest, profile.largest);
        if (plot) draw_profile(world, plot, series, times[k]);
        before = times[k];
        couTrial_Show(trial, from + (to - from) * times[k] / times[TIMES - 1]);
    }
    couTrial_Within(trial, rms, 0, is_lattice ? 0.01 : 0.03, "", "%s: profile, rms difference / 12.5 um/s", channel->name);
    couTrial_Within(trial, largest, 0, is_lattice ? 0.04 : 0.08, "", "%s: profile, largest difference / 12.5 um/s",
                    channel->name);
    couDestroyWorld(world);
}

static void run_channels(couTrial *trial, bool is_couette, const char *title)
{
    const Channel channels[] = {
        {"implicit", "implicit", "0.0002", 40, 0, 0, is_couette},
        {"coarse", "laplacian", "0.01", 20, 0, 0, is_couette},
        {"disorder", "implicit", "0.0002", 40, 0.2f, 1, is_couette},
        {"explicit", "laplacian", "0.01", 40, 0, 0, is_couette}, // for those whose steps are short anyway
    };
    int runs = trial->is_small ? 2 : trial->traits->has_state_equation ? 4 : 3;
    couPlot *plot = couCreatePlot(title, "distance from the lower plate [mm]", "speed [um/s]");
    for (int r = trial->is_small; r < runs; ++r)
        run_channel(trial, &channels[r], (double)r / runs, (r + 1.0) / runs, r == 0 ? plot : NULL);
    couTrial_WritePlot(trial, plot, NULL);
}

void couValidatePoiseuille(couTrial *trial)
{
    run_channels(trial, false, "poiseuille: flow started by a force (dashed: series)");
}

void couValidateCouette(couTrial *trial) { run_channels(trial, true, "couette: flow started by a plate (dashed: series)"); }
