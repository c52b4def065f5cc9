// relaxation and recovery: what the spring net does to a block.
//
// relaxation isolates the plastic law. Pressure and springs are so weak that nothing moves; a lump of plastic springs at its
// rest lengths is strained at once, by moving its particles through a saved state, and held by its own inertia. Its stress
// follows from particles and springs with the pair law of [Clavet 2005, alg. 3]: the normal stress difference of the net's
// virial. With yield ratio 0 it must fall at the rate alpha. With a yield ratio of 0.1 and a strain of 20 % each spring stops
// where its deformation is a tenth of its rest length, which gives the plateau in closed form; a strain of 5 % lies below the
// yield everywhere and must not relax at all.
//
// recovery is mechanical: a block between two rough plates, without gravity; the upper one comes down to half its height,
// waits, and goes up fast. The block then swings and may tumble, so its height is taken in its own frame: the length that the
// best affine map from the first to the present positions gives to the vertical, as a mean over the last two seconds. The
// plates are rough since a block between slippery ones leans over and slides out.

#include "validate/validate.h"

#include <stdio.h>
#include <stdlib.h>

#define SPACING 0.02f // [m]

// --- relaxation --------------------------------------------------------------------------------------------------------------

typedef struct Net {
    couSpringView *springs;
    couVec3 *position; // by id
    size_t count, capacity, particles;
    double h;
} Net;

static Net create_net(const couWorld *world)
{
    size_t particles = couWorld_Particles(world).count, capacity = 64 * particles;
    return (Net){malloc(capacity * sizeof(couSpringView)),
                 malloc(particles * sizeof(couVec3)),
                 0,
                 capacity,
                 particles,
                 couWorld_SupportRadius(world)};
}

static void destroy_net(Net *net)
{
    free(net->springs);
    free(net->position);
}

static void read_net(Net *net, const couWorld *world)
{
    couParticleView view = couWorld_Particles(world);
    net->count = couWorld_CopySprings(world, net->springs, net->capacity);
    for (size_t i = 0; i < view.count; ++i)
        if (view.id[i] < net->particles)
            net->position[view.id[i]] = (couVec3){view.position[i].x, view.position[i].y, view.position[i].z};
}

static double pair_distance(const Net *net, const couSpringView *spring, double r[3])
{
    couVec3 a = net->position[spring->id_a], b = net->position[spring->id_b];
    r[0] = b.x - a.x, r[1] = b.y - a.y, r[2] = b.z - a.z;
    return sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]);
}

// A spring's share of the normal stress difference along x, up to constants that divide out.
static double pair_stress(const Net *net, const double r[3], double distance, double rest)
{
    return (1 - rest / net->h) * (distance - rest) * (r[0] * r[0] - 0.5 * (r[1] * r[1] + r[2] * r[2])) / distance;
}

// The rest length at which flow stops: |r - L| = gamma L. A spring that would flow beyond h vanishes, which is a stress of 0 as
// L = h has it.
static double yielded_rest(const Net *net, double rest, double distance, double gamma)
{
    return fmin(fmin(fmax(rest, distance / (1 + gamma)), distance / (1 - gamma)), net->h);
}

// The net's stress; with gamma >= 0 as it will be when flow has come to its end.
static double net_stress(const Net *net, double gamma)
{
    double sum = 0;
    for (size_t s = 0; s < net->count; ++s) {
        double r[3], distance = pair_distance(net, &net->springs[s], r), rest = net->springs[s].rest_length;
        if (distance > 0) sum += pair_stress(net, r, distance, gamma < 0 ? rest : yielded_rest(net, rest, distance, gamma));
    }
    return sum;
}

// Volume-preserving stretch along x.
static couVec3 stretch(const void *context, couVec3 x)
{
    float along = 1.0f + *(const float *)context, across = 1.0f / sqrtf(along);
    return (couVec3){along * x.x, across * x.y, across * x.z};
}

typedef struct Relaxed {
    double rate;     // of the fall, fitted over 1.5 / alpha [1/s]
    double residual; // stress at the end / at the start
    double plateau;  // what the yield law leaves of it
} Relaxed;

// Slope of -log(stress) through the origin, least squares.
static double fit_rate(const couRecord *record, double until)
{
    double tt = 0, ty = 0;
    for (int i = 0; i < record->count && record->values[0][i] <= until; ++i) {
        double t = record->values[0][i], y = record->values[1][i];
        if (y > 0) tt += t * t, ty -= t * log(y);
    }
    return ty / tt;
}

static couWorld *create_lump(couTrial *trial, float alpha, float gamma)
{
    couWorldDef def = couTrial_WorldDef(trial, 3, SPACING);
    couWorld *world = couTrial_CreateWorld(trial, &def);
    couTrial_Set(trial, world, "k", "1e-9");
    couTrial_Set(trial, world, "k_near", "0");
    couMaterialDef clay = couDefaultMaterialDef();
    clay.springs = cou_springsPlastic;
    clay.k_spring = 1e-6f;
    clay.flow_stretch = clay.flow_compress = alpha;
    clay.yield_stretch = clay.yield_compress = gamma;
    couMaterialId material = couTrial_AddMaterial(trial, world, &clay);
    float side = (trial->is_small ? 5 : 8) * SPACING;
    couTrial_FillBox(trial, world, material, (couVec3){0, 0, 0}, (couVec3){side, side, side}, 0.2f);
    if (world && !trial->faults.count) couWorld_AddSprings(world, material);
    return world;
}

static Relaxed relax(couTrial *trial, float alpha, float gamma, float strain, double seconds, couRecord *record)
{
    const float dt = 0.002f;
    Relaxed relaxed = {NAN, NAN, NAN};
    couWorld *world = create_lump(trial, alpha, gamma);
    bool is_good = couTrial_Step(trial, world, dt) && couTrial_Move(trial, world, stretch, &strain);
    Net net = {0};
    if (is_good) net = create_net(world);
    is_good = is_good && net.springs && net.position;
    double first = NAN;
    if (is_good) {
        read_net(&net, world);
        first = net_stress(&net, -1);
        relaxed.plateau = net_stress(&net, gamma) / first;
        couRecord_Add(record, (double[]){0, 1});
    }
    int steps = (int)lround(seconds / dt);
    for (int s = 1; is_good && s <= steps && couTrial_Step(trial, world, dt); ++s) {
        if (s % 5) continue;
        read_net(&net, world);
        relaxed.residual = net_stress(&net, -1) / first;
        couRecord_Add(record, (double[]){s * (double)dt, relaxed.residual});
    }
    relaxed.rate = fit_rate(record, 1.5 / alpha);
    destroy_net(&net);
    couDestroyWorld(world);
    return relaxed;
}

void couValidateRelaxation(couTrial *trial)
{
    static const float alphas[] = {1, 3, 10}; // [1/s]
    enum { RATES = 3, YIELDS = 2 };
    static const float strains[YIELDS] = {0.05f, 0.2f};
    Relaxed flow[RATES], yield[YIELDS];
    couPlot *plot = couCreatePlot("relaxation: stress after a step strain of 5 %", "alpha t", "stress / first stress");
    couPlot_SetLogarithmic(plot, false, true);
    for (int k = 0; k < RATES; ++k) {
        couRecord record = couMakeRecord(2);
        flow[k] = relax(trial, alphas[k], 0, 0.05f, 2.5 / alphas[k], &record);
        char name[64];
        snprintf(name, sizeof name, "alpha = %g /s", alphas[k]);
        for (int i = 0; i < record.count; ++i) record.values[0][i] *= alphas[k];
        couPlot_Add(plot, cou_plotLine, name, record.values[0], record.values[1], record.count);
        couRecord_Clear(&record);
        couTrial_Show(trial, (k + 1.0) / (RATES + YIELDS));
    }
    couPlot_Add(plot, cou_plotDashed, "exp(-alpha t)", (double[]){0, 2.5}, (double[]){1, exp(-2.5)}, 2);
    couTrial_WritePlot(trial, plot, NULL);

    plot = couCreatePlot("relaxation: stress with a yield ratio of 0.1, alpha = 10 /s", "time [s]", "stress / first stress");
    for (int k = 0; k < YIELDS; ++k) {
        couRecord record = couMakeRecord(2);
        yield[k] = relax(trial, 10, 0.1f, strains[k], 1, &record);
        char name[64];
        snprintf(name, sizeof name, "strain %g %%", 100 * strains[k]);
        couPlot_Add(plot, cou_plotLine, name, record.values[0], record.values[1], record.count);
        couPlot_Add(plot, cou_plotDashed, "plateau of the yield law", (double[]){0, 1},
                    (double[]){yield[k].plateau, yield[k].plateau}, 2);
        couRecord_Clear(&record);
        couTrial_Show(trial, (RATES + k + 1.0) / (RATES + YIELDS));
    }
    couTrial_WritePlot(trial, plot, "yield");
    for (int k = 0; k < RATES; ++k)
        couTrial_Within(trial, flow[k].rate, alphas[k], 0.15, "1/s", "rate of the fall, alpha = %g /s", alphas[k]);
    for (int k = 0; k < YIELDS; ++k)
        couTrial_Within(trial, yield[k].residual, yield[k].plateau, 0.1, "", "residual stress, gamma = 0.1, strain %g %%",
                        100 * strains[k]);
}

// --- recovery ----------------------------------------------------------------------------------------------------------------

#define REST_TIME 1.0 // [s] before the press starts, and that each of its stages takes
#define DOWN_TIME 1.0
#define HOLD_TIME 0.5
#define UP_TIME 0.1

typedef struct Press {
    double open, closed; // heights of the plate [m]
} Press;

static couPose press_pose(void *context, double time)
{
    const Press *press = context;
    double down = time - REST_TIME, up = down - DOWN_TIME - HOLD_TIME;
    double y = press->open + (press->closed - press->open) * fmin(fmax(down / DOWN_TIME, 0), 1);
    if (up > 0) y += (2 * press->open - press->closed) * fmin(up / UP_TIME, 1);
    couPose pose = COU_POSE_IDENTITY;
    pose.position.y = (float)y;
    return pose;
}

static void add_plate(couTrial *trial, couWorld *world, const char *name, float normal, couMotionFcn *motion, void *context)
{
    if (!world || trial->faults.count) return;
    couBodyDef def = couDefaultBodyDef();
    snprintf(def.name, sizeof def.name, "%s", name);
    def.shape = couCreateShape(&(couShapeDef){.kind = cou_shapePlane, .axis = {0, normal, 0}}, &trial->faults);
    def.friction = 1.0f;
    def.motion = motion;
    def.motion_context = context;
    if (def.shape) couWorld_AddBody(world, &def, &trial->faults);
    couShape_Release(def.shape);
}

typedef struct Shape {
    couVec3 *position; // by id, relative to the centre
    size_t count;
} Shape;

static void read_shape(Shape *shape, const couWorld *world)
{
    couParticleView view = couWorld_Particles(world);
    couMeasurement measured = couWorld_Measure(world);
    const double *c = measured.center;
    for (size_t i = 0; i < view.count; ++i)
        if (view.id[i] < shape->count)
            shape->position[view.id[i]] = (couVec3){(float)(view.position[i].x - c[0]), (float)(view.position[i].y - c[1]),
                                                    (float)(view.position[i].z - c[2])};
}

static Shape create_shape_of(const couWorld *world)
{
    size_t count = couWorld_Particles(world).count;
    Shape shape = {calloc(count + 1, sizeof(couVec3)), count};
    if (shape.position) read_shape(&shape, world);
    return shape;
}

// |F e_y| for the affine map x = F X in the least-squares sense. The first block is a lattice cube: sum X X^T is a multiple of
// the unit matrix up to its jitter, which is left out.
static double stretch_of_height(const Shape *first, const Shape *now)
{
    double f[3] = {0}, norm = 0;
    for (size_t i = 0; i < first->count; ++i) {
        double y = first->position[i].y;
        f[0] += now->position[i].x * y, f[1] += now->position[i].y * y, f[2] += now->position[i].z * y;
        norm += y * y;
    }
    return sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]) / norm;
}

typedef struct Squashed {
    double lowest; // height / resting height
    double final;  // the same, mean over the last two seconds
} Squashed;

static couWorld *create_block(couTrial *trial, const couMaterialDef *material_def, double side, Press *press)
{
    couWorldDef def = couTrial_WorldDef(trial, 3, SPACING);
    def.speed = 1.0f; // [m/s], of the rebound
    couWorld *world = couTrial_CreateWorld(trial, &def);
    couMaterialId material = couTrial_AddMaterial(trial, world, material_def);
    add_plate(trial, world, "floor", 1, NULL, NULL);
    add_plate(trial, world, "press", -1, press_pose, press);
    float s = (float)side;
    couTrial_FillBox(trial, world, material, (couVec3){0, 0.5f * s, 0}, (couVec3){s, s, s}, 0.1f);
    if (world && !trial->faults.count) couWorld_AddSprings(world, material);
    return world;
}

// The record gets time and height / resting height.
static Squashed squash(couTrial *trial, const couMaterialDef *material, couRecord *record, int part)
{
    double side = (trial->is_small ? 8 : 10) * (double)SPACING, seconds = trial->is_small ? 8 : 10, frame = 0.02, resting = 1;
    Press press = {side, 0.5 * side};
    couWorld *world = create_block(trial, material, side, &press);
    Squashed squashed = {INFINITY, 0};
    Shape first = {0}, now = {0};
    if (world && !trial->faults.count) first = create_shape_of(world), now = create_shape_of(world);
    int frames = (int)lround(seconds / frame), last = (int)lround(2 / frame), rest = (int)lround(REST_TIME / frame);
    bool is_good = first.position && now.position;
    for (int f = 0; is_good && f < frames && couTrial_Advance(trial, world, frame); ++f) {
        read_shape(&now, world);
        double height = stretch_of_height(&first, &now);
        if (f < rest) resting = height;
        couRecord_Add(record, (double[]){couWorld_Time(world), height / resting});
        squashed.lowest = fmin(squashed.lowest, height / resting);
        if (f >= frames - last) squashed.final += height / resting / last;
        couTrial_Show(trial, 0.5 * (part + (f + 1.0) / frames));
    }
    free(first.position);
    free(now.position);
    couDestroyWorld(world);
    return squashed;
}

void couValidateRecovery(couTrial *trial)
{
    couMaterialDef jelly = couDefaultMaterialDef(), clay;
    jelly.springs = cou_springsFrozen;
    jelly.shear_modulus = 1000.0f;
    jelly.viscosity = 1.0f;
    clay = jelly;
    clay.springs = cou_springsPlastic;
    clay.flow_stretch = clay.flow_compress = 5.0f;
    clay.yield_stretch = clay.yield_compress = 0.1f;

    couRecord records[2] = {couMakeRecord(2), couMakeRecord(2)};
    Squashed elastic = squash(trial, &jelly, &records[0], 0), plastic = squash(trial, &clay, &records[1], 1);
    couPlot *plot = couCreatePlot("recovery: height of a block in a press that opens after 2.5 s", "time [s]",
                                  "height / resting height");
    couPlot_Add(plot, cou_plotLine, "frozen springs", records[0].values[0], records[0].values[1], records[0].count);
    couPlot_Add(plot, cou_plotLine, "plastic springs", records[1].values[0], records[1].values[1], records[1].count);
    couTrial_WritePlot(trial, plot, NULL);
    couTrial_AtMost(trial, elastic.lowest, 0.55, "", "lowest height / resting, frozen springs");
    couTrial_Within(trial, elastic.final, 1, 0.03, "", "height at the end / resting, frozen springs");
    couTrial_AtMost(trial, plastic.final, 0.75, "", "height at the end / resting, plastic springs");
    couRecord_Clear(&records[0]);
    couRecord_Clear(&records[1]);
}
