// wave: a standing wave in a tank of smooth walls, the first mode: half a wave length across. Linear theory [Lamb 1932, art. 228]
// gives its period, 2 pi / sqrt(g k tanh(k H)), k = pi/L, and the loss that viscosity makes, 2 nu k^2 of the height a second,
// which for water in this tank is nothing: 2e-5 a period. What is lost beyond that is the method's own.
//
// It is hard because nearly nothing happens: no point of the water moves by more than a few spacings, and strains stay under
// 0.07. Particles that have found a lattice bear such strains without flowing. The wave is then stiffer than water, hence too
// fast, and loses a fixed height a period instead of a share of it: dry friction. So the loss is also looked at as the wave
// calms: what each later period keeps against what the first kept, and a wave of a quarter of the height against the high one.
//
// Particles start where the mode's displacement takes them from a box: not by the linear formula at once, which would compress
// the water by (k a)^2, but in many small steps along it, each free of divergence. The height is read off the centre of mass:
// the mode moves it sideways by 2 a / (k^2 L H), other even modes not at all, and single particles do not count.

#include "validate/validate.h"

#include <stdio.h>

#define GRAVITY 9.81 // [m/s^2]
#define LENGTH 1.0   // L [m]
#define DEPTH 0.5    // H [m]
#define FINITE 1.001 // period at a height of 0.02 m / that of a wave of no height

enum { FRAMES = 60 }; // of a period

typedef struct Wave {
    int across;    // particles along the tank
    double height; // a [m]
    int periods;
} Wave;

typedef struct Swash {
    double period;    // [s]
    double loss;      // of the height a period
    double kept;      // share of the height that a later period keeps / that of the first, the least
    double order;     // |psi_6| at the end
    bool is_there;    // false: it did not run to its end
    couRecord record; // time / period by theory, height, damped cosine; the heights / a
} Swash;

static double wave_number(void) { return M_PI / LENGTH; }
static double theory_period(void) { return 2 * M_PI / sqrt(GRAVITY * wave_number() * tanh(wave_number() * DEPTH)); }

// The mode's displacement, as a flow that is followed for a unit of time.
static couVec3 displaced(const void *context, couVec3 position)
{
    enum { STEPS = 200 };
    const Wave *wave = context;
    double k = wave_number(), each = wave->height / (STEPS * sinh(k * DEPTH)), x = position.x, y = position.y;
    for (int s = 0; s < STEPS; ++s) {
        // Half way first: to second order it keeps areas.
        double x1 = x - 0.5 * each * cosh(k * y) * sin(k * x), y1 = y + 0.5 * each * sinh(k * y) * cos(k * x);
        x -= each * cosh(k * y1) * sin(k * x1), y += each * sinh(k * y1) * cos(k * x1);
    }
    return (couVec3){(float)x, (float)y, position.z};
}

static couWorld *create_tank(couTrial *trial, const Wave *wave)
{
    couWorldDef def = couTrial_WorldDef(trial, 2, (float)(LENGTH / wave->across));
    def.gravity.y = (float)-GRAVITY;
    couWorld *world = couTrial_CreateWorld(trial, &def);
    couMaterialDef water = couDefaultMaterialDef();
    couMaterialId material = couTrial_AddMaterial(trial, world, &water);
    const float L = (float)LENGTH, H = (float)DEPTH;
    couTrial_AddPlane(trial, world, "floor", (couVec3){0, 0, 0}, (couVec3){0, 1, 0});
    couTrial_AddPlane(trial, world, "left", (couVec3){0, 0, 0}, (couVec3){1, 0, 0});
    couTrial_AddPlane(trial, world, "right", (couVec3){L, 0, 0}, (couVec3){-1, 0, 0});
    couTrial_FillBox(trial, world, material, (couVec3){0.5f * L, 0.5f * H, 0}, (couVec3){L, H, 1}, COU_AUTO);
    couTrial_Move(trial, world, displaced, wave);
    return world;
}

// Height of the mode [m].
static double mode_height(const couWorld *world)
{
    double k = wave_number(), off = couWorld_Measure(world).center[0] - 0.5 * LENGTH;
    return -0.5 * off * k * k * LENGTH * DEPTH;
}

// Amplitude over one period, the first being 0: a root mean square, so that noise hardly counts.
static double amplitude(const double *height, int period)
{
    double mean = 0, squares = 0;
    for (int k = 0; k < FRAMES; ++k) mean += height[period * FRAMES + k] / FRAMES;
    for (int k = 0; k < FRAMES; ++k) squares += pow(height[period * FRAMES + k] - mean, 2) / FRAMES;
    return sqrt(2 * squares);
}

// Share of the height that a later period keeps over that of the first: the least, while there is a tenth of the wave left.
static double least_kept(const double *height, int periods)
{
    double first = amplitude(height, 0), second = amplitude(height, 1), least = INFINITY;
    double before = second;
    for (int p = 2; p < periods && before > 0.1 * first; ++p) {
        double next = amplitude(height, p);
        least = fmin(least, next / before * first / second);
        before = next;
    }
    return isfinite(least) ? least : NAN; // gone at once
}

static Swash run_wave(couTrial *trial, const Wave *wave, double share0, double share1)
{
    Swash swash = {.record = couMakeRecord(3)};
    couRecord record = couMakeRecord(2);
    couWorld *world = create_tank(trial, wave);
    double T = theory_period();
    int frames = wave->periods * FRAMES, f = 0;
    if (world && !trial->faults.count) couRecord_Add(&record, (double[]){0, mode_height(world) / wave->height});
    for (; f < frames && couTrial_Advance(trial, world, T / FRAMES); ++f) {
        couRecord_Add(&record, (double[]){(f + 1.0) / FRAMES, mode_height(world) / wave->height});
        couTrial_Show(trial, share0 + (share1 - share0) * (f + 1.0) / frames);
    }
    if (f == frames) {
        const double *height = record.values[1];
        couSwing swing = couFitSwing(record.values[0], height, record.count, 2 * M_PI);
        swash.is_there = true;
        swash.period = T * 2 * M_PI / swing.omega;
        swash.loss = 1 - exp(-swing.rate * 2 * M_PI / swing.omega);
        swash.kept = least_kept(height, wave->periods);
        couParticleView view = couWorld_Particles(world);
        swash.order = couHexaticOrder(view.position, view.count, 2 * LENGTH / wave->across);
        for (int k = 0; k < record.count; ++k) {
            double t = record.values[0][k];
            couRecord_Add(&swash.record, (double[]){t, height[k], couSwing_At(&swing, t)});
        }
    }
    couRecord_Clear(&record);
    couDestroyWorld(world);
    return swash;
}

static void draw(couTrial *trial, couPlot *plot, const Swash *swash, const char *name)
{
    if (!trial->plots || !swash->is_there) return;
    couPlot_Add(plot, cou_plotLine, name, swash->record.values[0], swash->record.values[1], swash->record.count);
}

void couValidateWave(couTrial *trial)
{
    static const Wave waves[] = {{50, 0.02, 6}, {100, 0.02, 6}, {50, 0.005, 6}}, small = {40, 0.02, 5};
    int runs = trial->is_small ? 1 : (int)(sizeof waves / sizeof waves[0]);
    couPlot *plot = couCreatePlot("wave: height of the first mode", "time / period of linear theory",
                                  "height / that of the start");
    Swash found[sizeof waves / sizeof waves[0]] = {{0}};
    double period = theory_period();
    for (int r = 0; r < runs; ++r) {
        const Wave *wave = trial->is_small ? &small : &waves[r];
        found[r] = run_wave(trial, wave, (double)r / runs, (r + 1.0) / runs);
        if (!found[r].is_there) continue;
        char name[32];
        snprintf(name, sizeof name, "d = 1/%d m, %g mm", wave->across, 1e3 * wave->height);
        draw(trial, plot, &found[r], name);
        bool is_high = wave->height > 0.01, is_fine = wave->across >= 100;
        couTrial_Within(trial, found[r].period, period * (is_high ? FINITE : 1), 0.01, "s", "%s: period", name);
        if (is_fine)
            couTrial_AtMost(trial, found[r].loss, 0.05, "", "%s: loss of height a period", name);
        else
            couTrial_Report(trial, found[r].loss, 0, "", "%s: loss of height a period", name);
        couTrial_AtLeast(trial, found[r].kept, 0.9, "", "%s: height kept by a later period / by the first", name);
        couTrial_Report(trial, found[r].order, NAN, "", "%s: hexatic order at the end", name);
    }
    if (!trial->is_small && found[0].is_there && found[1].is_there && found[2].is_there) {
        couTrial_AtMost(trial, found[1].loss / found[0].loss, 1, "", "loss at d = 1/100 m / that at 1/50 m");
        couTrial_AtMost(trial, found[2].loss - found[0].loss, 0.02, "",
                        "loss at a quarter of the height less that of the high wave");
    }
    couTrial_WritePlot(trial, plot, NULL);
    for (int r = 0; r < runs; ++r) couRecord_Clear(&found[r].record);
}
