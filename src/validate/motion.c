// terminal and conservation: what must hold whatever the fluid does inside.
//
// terminal: a lump of resting fluid and a lone particle are thrown under gravity, without bodies. The centre of the lump and
// the particle must follow the parabola of the scheme itself, velocity first, then position: x0 + v0 t + g t (t + dt)/2; the
// distance to the exact parabola must halve with the step. mueller's leap-frog is on the exact one. Steps are far beyond the
// sound of the methods with an equation of state, so that their lump is loose enough to have no pressure.
//
// conservation: a spinning ball of fluid with random velocities. Pair impulses are equal and opposite, so momentum drifts by
// rounding only. Angular momentum is not exact in pvfs (displacements act along predicted pairs, velocities belong to the old
// positions): its drift over 1000 steps is averaged over several balls, for the suggested step, its half and its quarter. The
// spin gives the ball an angular momentum to lose; random velocities alone leave the drift at the level of chance. The SPH
// methods have forces along pairs where the particles are (mueller's viscosity but for one): the drift is reported at one step
// only. A free ball soon flies apart into drops, hence also a box that repeats, full of fluid that goes on colliding.

#include "validate/validate.h"

#include <stdio.h>
#include <string.h>

#define GRAVITY 9.81f // [m/s^2]

// --- terminal ----------------------------------------------------------------------------------------------------------------

typedef struct Flight {
    double scheme_error; // largest distance to the scheme's own parabola / length of the flight
    double exact_error;  // distance to the exact parabola at the end [m]
    couRecord record;    // time, height of the lump, exact height
} Flight;

static const double throw_velocity[3] = {3, 4, 1}; // [m/s]

// Where the parabola is after t; lag is dt for the scheme's own, 0 for the exact one.
static void parabola(const double start[3], double t, double lag, double at[3])
{
    for (int a = 0; a < 3; ++a) at[a] = start[a] + throw_velocity[a] * t;
    at[1] -= 0.5 * GRAVITY * t * (t + lag);
}

static double distance3(const double a[3], const double b[3])
{
    double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return sqrt(x * x + y * y + z * z);
}

// The lump's centre and the lone particle, which has the last id.
static void locate(const couWorld *world, double lump[3], double lone[3])
{
    couParticleView view = couWorld_Particles(world);
    double count = (double)view.count - 1;
    lump[0] = lump[1] = lump[2] = 0;
    for (size_t i = 0; i < view.count; ++i) {
        double x[3] = {view.position[i].x, view.position[i].y, view.position[i].z};
        bool is_lone = view.id[i] == view.count - 1;
        for (int a = 0; a < 3; ++a) {
            if (is_lone)
                lone[a] = x[a];
            else
                lump[a] += x[a] / count;
        }
    }
}

static couWorld *create_flight(couTrial *trial)
{
    const float d = 0.02f;
    couWorldDef def = couTrial_WorldDef(trial, 3, d);
    def.gravity.y = -GRAVITY;
    couWorld *world = couTrial_CreateWorld(trial, &def);
    couMaterialDef water = couDefaultMaterialDef();
    couMaterialId material = couTrial_AddMaterial(trial, world, &water);
    couVec3 x[126], v[126];
    float pitch = trial->traits->has_state_equation ? 1.1f * d : d;
    for (int i = 0; i < 125; ++i) x[i] = (couVec3){pitch * (float)(i % 5), pitch * (float)(i / 5 % 5), pitch * (float)(i / 25)};
    x[125] = (couVec3){1, 0.5f, -1};
    for (int i = 0; i < 126; ++i) v[i] = (couVec3){(float)throw_velocity[0], (float)throw_velocity[1], (float)throw_velocity[2]};
    if (world && !trial->faults.count) couWorld_AddParticles(world, material, x, v, 126, &trial->faults);
    return world;
}

static Flight fly(couTrial *trial, int steps)
{
    Flight flight = {.record = couMakeRecord(3)};
    couWorld *world = create_flight(trial);
    float dt = 1.0f / (float)steps;
    double lump0[3], lone0[3], lump[3], lone[3], at[3], lag = trial->traits->is_leapfrog ? 0 : dt;
    if (world) locate(world, lump0, lone0);
    for (int s = 1; s <= steps && couTrial_Step(trial, world, dt); ++s) {
        double t = s * (double)dt, length = t * (5.0 + 0.5 * GRAVITY * t);
        locate(world, lump, lone);
        parabola(lump0, t, lag, at);
        flight.scheme_error = fmax(flight.scheme_error, distance3(lump, at) / length);
        parabola(lone0, t, lag, at);
        flight.scheme_error = fmax(flight.scheme_error, distance3(lone, at) / length);
        parabola(lump0, t, 0, at);
        flight.exact_error = distance3(lump, at);
        couRecord_Add(&flight.record, (double[]){t, lump[1], at[1]});
    }
    couDestroyWorld(world);
    return flight;
}

void couValidateTerminal(couTrial *trial)
{
    enum { RUNS = 3 };
    int coarse = 50;
    Flight flights[RUNS];
    couPlot *plot = couCreatePlot("terminal: height of a thrown lump", "time [s]", "height [m]");
    for (int r = 0; r < RUNS; ++r) {
        flights[r] = fly(trial, coarse << r);
        char name[64];
        snprintf(name, sizeof name, "dt = %g ms", 1000.0 / (coarse << r));
        couPlot_Add(plot, cou_plotLine, name, flights[r].record.values[0], flights[r].record.values[1], flights[r].record.count);
        couTrial_Show(trial, (r + 1.0) / RUNS);
    }
    couPlot_Add(plot, cou_plotDashed, "exact", flights[RUNS - 1].record.values[0], flights[RUNS - 1].record.values[2],
                flights[RUNS - 1].record.count);
    couTrial_WritePlot(trial, plot, NULL);
    for (int r = 0; r < RUNS; ++r)
        couTrial_Within(trial, flights[r].scheme_error, 0, 1e-4, "", "distance to the scheme's parabola / length, %d steps/s",
                        coarse << r);
    for (int r = 1; r < RUNS && !trial->traits->is_leapfrog; ++r)
        couTrial_Within(trial, log2(flights[r - 1].exact_error / flights[r].exact_error), 1, 0.02, "",
                        "order of convergence to the exact one, %d steps/s", coarse << r);
    for (int r = 0; r < RUNS; ++r) couRecord_Clear(&flights[r].record);
}

// --- conservation ------------------------------------------------------------------------------------------------------------

typedef struct Drift {
    double momentum; // largest |P - P0| / sum m |v0|
    double angular;  // |L - L0| / sum m |x| |v0|, root mean square over the run
} Drift;

enum { MAX_BALL = 2200 };

// A ball around the origin, jittered; its rim turns about z at `speed`, on top of velocities uniform in a cube of that size.
static int make_ball(double radius, float d, uint64_t seed, double speed, couVec3 *x, couVec3 *v)
{
    double spin = speed / (radius * d);
    int count = 0, n = (int)ceil(radius);
    for (int i = -n; i <= n; ++i)
        for (int j = -n; j <= n; ++j)
            for (int k = -n; k <= n; ++k) {
                if (sqrt(i * i + j * j + k * k) > radius || count == MAX_BALL) continue;
                double noise[6];
                for (int a = 0; a < 6; ++a) noise[a] = couNoise(&seed);
                x[count] = (couVec3){d * (float)(i + 0.1 * noise[0]), d * (float)(j + 0.1 * noise[1]),
                                     d * (float)(k + 0.1 * noise[2])};
                v[count] = (couVec3){(float)(speed * noise[3] - spin * x[count].y), (float)(speed * noise[4] + spin * x[count].x),
                                     (float)(speed * noise[5])};
                count++;
            }
    return count;
}

static double length3(couVec3 a) { return sqrt((double)a.x * a.x + (double)a.y * a.y + (double)a.z * a.z); }

// A box around the origin, n spacings wide, jittered, with random velocities.
static int make_box(int n, float d, uint64_t seed, double speed, couVec3 *x, couVec3 *v)
{
    for (int i = 0; i < n * n * n; ++i) {
        double noise[6];
        for (int a = 0; a < 6; ++a) noise[a] = couNoise(&seed);
        x[i] = (couVec3){d * (float)(i % n - 0.5 * (n - 1) + 0.1 * noise[0]),
                         d * (float)(i / n % n - 0.5 * (n - 1) + 0.1 * noise[1]),
                         d * (float)(i / (n * n) - 0.5 * (n - 1) + 0.1 * noise[2])};
        v[i] = (couVec3){(float)(speed * noise[3]), (float)(speed * noise[4]), (float)(speed * noise[5])};
    }
    return n * n * n;
}

// A free ball or a box that repeats. `split` divides the suggested step. The record gets time and drift of angular momentum.
static Drift drift_of(couTrial *trial, bool is_box, uint64_t seed, int steps, int split, couRecord *record)
{
    const float d = 0.02f;
    couVec3 x[MAX_BALL], v[MAX_BALL];
    int across = trial->is_small ? 8 : 10;
    int count = is_box ? make_box(across, d, seed, 0.1, x, v) : make_ball(trial->is_small ? 4 : 5, d, seed, 0.1, x, v);
    couWorldDef def = couTrial_WorldDef(trial, 3, d);
    float edge = d * (float)across, half = -0.5f * edge;
    if (is_box) def.period = (couVec3){edge, edge, edge}, def.period_lower = (couVec3){half, half, half};
    couWorld *world = couTrial_CreateWorld(trial, &def);
    couMaterialDef water = couDefaultMaterialDef();
    couMaterialId material = couTrial_AddMaterial(trial, world, &water);
    Drift drift = {0};
    if (!world || trial->faults.count || !couWorld_AddParticles(world, material, x, v, (size_t)count, &trial->faults)) {
        couDestroyWorld(world);
        return drift;
    }
    double mass = couWorld_ParticleMass(world, 0), sum_p = 0, sum_l = 0;
    for (int i = 0; i < count; ++i) sum_p += mass * length3(v[i]), sum_l += mass * length3(v[i]) * length3(x[i]);
    couMeasurement first = couWorld_Measure(world);
    float dt = couWorld_SuggestStep(world) / (float)split;
    for (int s = 1; s <= steps && couTrial_Step(trial, world, dt); ++s) {
        couMeasurement now = couWorld_Measure(world);
        double angular = distance3(now.angular_momentum, first.angular_momentum) / sum_l;
        drift.momentum = fmax(drift.momentum, distance3(now.momentum, first.momentum) / sum_p);
        drift.angular += angular * angular / steps;
        if (record && s % 5 == 0) couRecord_Add(record, (double[]){s, angular});
    }
    drift.angular = sqrt(drift.angular);
    couDestroyWorld(world);
    return drift;
}

void couValidateConservation(couTrial *trial)
{
    enum { MOST_SPLITS = 3 };
    int splits = trial->traits->is_adaptive ? 1 : MOST_SPLITS;
    int steps = trial->is_small ? 300 : 1000, balls = trial->is_small ? 3 : 6;
    double momentum = 0, angular[MOST_SPLITS] = {0};
    couPlot *plot = couCreatePlot("conservation: drift of angular momentum of a free ball", "steps", "|L - L0| / sum m |x||v|");
    for (int k = 0; k < splits; ++k) {
        for (int b = 0; b < balls; ++b) {
            couRecord record = couMakeRecord(2);
            Drift drift = drift_of(trial, false, 77u + (uint64_t)b, steps, 1 << k, &record);
            momentum = fmax(momentum, drift.momentum);
            angular[k] += drift.angular * drift.angular / balls;
            char name[64] = "suggested step";
            if (k) snprintf(name, sizeof name, "1/%d of it", 1 << k);
            if (b == 0) couPlot_Add(plot, cou_plotLine, name, record.values[0], record.values[1], record.count);
            couRecord_Clear(&record);
            couTrial_Show(trial, (k + (b + 1.0) / balls) / splits);
        }
        angular[k] = sqrt(angular[k]);
    }
    couTrial_WritePlot(trial, plot, NULL);
    if (trial->traits->has_periods) {
        Drift drift = drift_of(trial, true, 5, steps, 1, NULL);
        couTrial_Within(trial, drift.momentum, 0, 1e-4, "", "drift of momentum / sum of magnitudes, periodic box, %d steps",
                        steps);
    }
    couTrial_Within(trial, momentum, 0, 1e-4, "", "drift of momentum / sum of magnitudes, %d steps", steps);
    for (int k = 0; k < splits; ++k)
        couTrial_Within(trial, angular[k], 0, 0.2, "", "drift of angular momentum / sum of magnitudes, dt/%d", 1 << k);
    for (int k = 1; k < splits; ++k)
        couTrial_AtLeast(trial, angular[k - 1] / angular[k], 2, "", "fall of that drift from dt/%d to dt/%d", 1 << (k - 1),
                         1 << k);
}
