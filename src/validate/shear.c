// shear: a liquid has no yield stress. Pushed by a force that varies as a wave across it, f0 cos(k y) along x, it flows at
// u = f0 / (nu k^2) in the end, however weak the push. Particles that lie in order bear a stress instead: below it they do not
// flow at all, and that stress grows with the pressure, not with anything that the scene asks for.
//
// box: periodic both ways, without gravity, L wide, pushed by a sine of one wave length; f0 over three decades, the same liquid.
// Its pressure is what the method makes by itself, next to none, so it shows the viscosity and what disorder does to it: the two
// weaker pushes move the liquid by less than a spacing, and leave the lattice as it is.
//
// pool: periodic along x, a depth H of water under gravity on a smooth floor, pushed by f0 cos(2 pi y/H): no stress at the
// floor nor at the surface, no net force, so the same u. Here p is rho g H / 2, and this is the hard one: f0 is a share of g
// from 0.003 to 0.1, so that the stress is 0.001 to 0.03 of the pressure. The pool is half as wide as it is deep, at which such
// a flow is stable. The viscosity, 0.03 m^2/s, is well above what a method adds (0.02 to 0.03 d sqrt(g H) in disorder), and low
// enough for the pool to be sheared by as much as its depth at the weakest push. Methods without periods get a tank of 4 H,
// whose ends turn the flow round; it is measured over H in the middle.
//
// Each starts calm, the push begins after it came to rest: from the lattice, and from a jittered one. u is the projection of
// all velocities on the wave, a mean over the last three of eight viscous times 1/(nu k^2). It flows where u is at least half of
// Newton's; the weakest push that does is given as its stress, rho f0/k, over rho g d.

#include "validate/validate.h"

#include <stdio.h>

#define GRAVITY 9.81 // [m/s^2]
#define SIZE 1.0     // L and H [m]

enum { PUSHES = 4, FRAMES = 80 }; // frames of a run, eight viscous times

typedef struct Shear {
    bool is_pool;     // otherwise the box
    bool is_long;     // a pool that has ends
    double viscosity; // nu [m^2/s]
    double settling;  // until the push begins [s]
    int layers;       // across the wave
    float jitter;     // of the first positions / spacing
    double push;      // f0 [m/s^2]
} Shear;

static double wave_number(void) { return 2 * M_PI / SIZE; }
static double wave_at(const Shear *shear, double y) { return shear->is_pool ? cos(wave_number() * y) : sin(wave_number() * y); }
static double viscous_time(const Shear *shear) { return 1 / (shear->viscosity * wave_number() * wave_number()); }
static double newton_speed(const Shear *shear) { return shear->push * viscous_time(shear); }

static couVec3 push_at(void *context, couVec3 position, couVec3 velocity, double time)
{
    (void)velocity, (void)time;
    const Shear *shear = context;
    return (couVec3){(float)(shear->push * wave_at(shear, position.y)), 0, 0};
}

static couWorld *create_world(couTrial *trial, const Shear *shear, double fastest)
{
    double d = SIZE / shear->layers, width = !shear->is_pool  ? SIZE
                                             : shear->is_long ? 4 * SIZE
                                                              : fmax(0.5 * SIZE, 16 * d); // as the widest support asks for
    const float half = (float)(0.5 * width);
    couWorldDef def = couTrial_WorldDef(trial, 2, (float)d);
    if (!shear->is_long) def.period.x = (float)width, def.period_lower.x = -half;
    if (shear->is_pool) {
        def.gravity.y = (float)-GRAVITY;
    } else {
        def.period.y = (float)SIZE;
        def.speed = (float)fastest; // nothing else in the box says how fast it will be
    }
    couWorld *world = couTrial_CreateWorld(trial, &def);
    couMaterialDef liquid = couDefaultMaterialDef();
    liquid.viscosity = (float)(shear->viscosity * liquid.density);
    couMaterialId material = couTrial_AddMaterial(trial, world, &liquid);
    if (shear->is_pool) couTrial_AddPlane(trial, world, "floor", (couVec3){0, 0, 0}, (couVec3){0, 1, 0});
    if (shear->is_long) {
        couTrial_AddPlane(trial, world, "left", (couVec3){-half, 0, 0}, (couVec3){1, 0, 0});
        couTrial_AddPlane(trial, world, "right", (couVec3){half, 0, 0}, (couVec3){-1, 0, 0});
    }
    couTrial_FillBox(trial, world, material, (couVec3){0, (float)(0.5 * SIZE), 0}, (couVec3){2 * half, (float)SIZE, 1},
                     shear->jitter);
    if (world && !trial->faults.count) {
        couFieldDef field = couDefaultFieldDef();
        field.kind = cou_fieldFunction;
        field.function = push_at;
        field.function_context = (void *)shear;
        field.start = (float)shear->settling;
        couWorld_AddField(world, &field, &trial->faults);
    }
    return world;
}

// Least squares of the velocities along x by the wave and a constant, over the middle of a long pool.
static double flow_speed(const couWorld *world, const Shear *shear)
{
    couParticleView view = couWorld_Particles(world);
    double n = 0, w = 0, ww = 0, u = 0, uw = 0;
    for (size_t i = 0; i < view.count; ++i) {
        if (shear->is_long && fabs(view.position[i].x) > 0.5 * SIZE) continue;
        double wave = wave_at(shear, view.position[i].y), speed = view.velocity[i].x;
        n += 1, w += wave, ww += wave * wave, u += speed, uw += speed * wave;
    }
    return (n * uw - w * u) / (n * ww - w * w);
}

// u / Newton's.
static double run_shear(couTrial *trial, const Shear *shear, double fastest, double share0, double share1)
{
    couWorld *world = create_world(trial, shear, fastest);
    double seconds = 8 * viscous_time(shear), sum = 0;
    const int first = FRAMES * 5 / 8;
    bool is_settled = shear->settling == 0 || couTrial_Advance(trial, world, shear->settling);
    for (int f = 0; f < FRAMES && is_settled; ++f) {
        if (!couTrial_Advance(trial, world, seconds / FRAMES)) break;
        if (f >= first) sum += flow_speed(world, shear) / (FRAMES - first);
        couTrial_Show(trial, share0 + (share1 - share0) * (f + 1.0) / FRAMES);
    }
    couDestroyWorld(world);
    return trial->faults.count ? NAN : sum / newton_speed(shear);
}

// All pushes for one start, the weakest first; a curve in the plot.
static void run_pushes(couTrial *trial, const Shear *first, const double *pushes, int count, const char *name, double share0,
                       double share1, couPlot *plot)
{
    double x[PUSHES], u[PUSHES], weakest = NAN, unit = first->is_pool ? GRAVITY : 1;
    char label[64];
    snprintf(label, sizeof label, "%s, %s", first->is_pool ? "pool" : "box", name);
    Shear strongest = *first;
    strongest.push = pushes[count - 1];
    for (int p = 0; p < count; ++p) {
        Shear shear = *first;
        shear.push = pushes[p], x[p] = pushes[p] / unit;
        double step = (share1 - share0) / count;
        u[p] = run_shear(trial, &shear, newton_speed(&strongest), share0 + p * step, share0 + (p + 1) * step);
        if (trial->faults.count) return;
        couTrial_Within(trial, u[p], 1, 0.2, "", "%s, f0%s = %g%s: u / Newton's", label, first->is_pool ? "/g" : "", x[p],
                        first->is_pool ? "" : " m/s^2");
        if (!(weakest <= pushes[p]) && u[p] >= 0.5) weakest = pushes[p];
    }
    if (first->is_pool)
        couTrial_Report(trial, weakest * first->layers / (GRAVITY * wave_number() * SIZE), NAN, "",
                        "%s: weakest stress that flows / rho g d", label);
    couPlot_Add(plot, cou_plotPoints, name, x, u, count);
    couPlot_Add(plot, cou_plotDashed, "", x, (double[PUSHES]){1, 1, 1, 1}, count);
}

void couValidateShear(couTrial *trial)
{
    static const double pool_pushes[PUSHES] = {0.003 * GRAVITY, 0.01 * GRAVITY, 0.03 * GRAVITY, 0.1 * GRAVITY};
    static const double box_pushes[PUSHES] = {0.004, 0.04, 0.4, 4}; // u = 0.001 to 1 m/s
    bool is_small = trial->is_small, has_periods = trial->traits->has_periods;
    int layers = is_small ? 16 : has_periods ? 40 : 24, starts = is_small ? 1 : 2;
    static const float jitters[2] = {0, 0.25f};
    static const char *const names[2] = {"crystal", "jittered"};
    couPlot *pool = couCreatePlot("shear: pool under gravity", "f0 / g", "u / Newton's"),
            *box = couCreatePlot("shear: periodic box", "f0 [m/s^2]", "u / Newton's");
    couPlot_SetLogarithmic(pool, true, false);
    couPlot_SetLogarithmic(box, true, false);
    for (int s = 0; s < starts; ++s) {
        Shear deep = {.is_pool = true, .is_long = !has_periods, .viscosity = 0.03, .settling = 1};
        Shear full = {.viscosity = 0.1};
        deep.layers = full.layers = layers, deep.jitter = full.jitter = jitters[s];
        double from = (double)s / starts, to = (s + 1.0) / starts;
        if (is_small) { // a push that should flow, and the strongest
            run_pushes(trial, &deep, (double[]){pool_pushes[1], pool_pushes[3]}, 2, names[s], 0, 0.5, pool);
            run_pushes(trial, &full, &box_pushes[2], has_periods ? 2 : 0, names[s], 0.5, 1, box);
        } else {
            run_pushes(trial, &deep, pool_pushes, PUSHES, names[s], from, 0.2 * from + 0.8 * to, pool);
            if (has_periods) run_pushes(trial, &full, box_pushes, PUSHES, names[s], 0.2 * from + 0.8 * to, to, box);
        }
    }
    couTrial_WritePlot(trial, pool, NULL);
    if (has_periods)
        couTrial_WritePlot(trial, box, "box");
    else
        couDestroyPlot(box);
}
