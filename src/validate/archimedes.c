// archimedes: bodies of less density than water, let go where they should float, and left to come to rest. Let go higher they
// come to float as well, but the waves they make live longer in such a tank than one would want to watch.
//
// A floating body displaces its own mass of water. What it displaces is read off the water far from it: at each height the mass
// per volume there, each particle spread over two spacings, summed over the body's volume at that height. For a box that is its
// draft against the far surface, with the surface where the water, at its rest density, would end. Against the particles that
// lie highest, and half a spacing more, the draft is shown as well: the uppermost layer is up to 30 % denser than the bulk, so
// that this surface lies a quarter of a spacing too low, whatever the spacing.
//
// Means are over three seconds, a little more than the tank's longest wave needs for its way there and back. One box is watched
// for 30 s (10 s by the SPH methods): it must not move, creep or begin to spin. The bunny turns on its side first, and the waves
// that it makes live on in water without the damping of pvfs: there only what it displaces is looked at.

#include "base/base.h"
#include "coulis/mesh_file.h"
#include "coulis/scene.h"
#include "io/grid_cache.h"
#include "validate/validate.h"

#include <stdio.h>
#include <stdlib.h>

#define GRAVITY 9.81     // [m/s^2]
#define HEIGHT 1.0       // of a box, diameter of the ball, largest side of the bunny [m]
#define WIDTH 2.0        // of a box [m]: a cube would tip
#define TANK (3 * WIDTH) // [m]
#define DEPTH 1.7        // [m]
enum { LEVELS = 200 };   // of the profile
#define TOP 3.0          // of the profile [m]

typedef enum Kind { kind_box, kind_ball, kind_bunny } Kind;

typedef struct Pool {
    couWorld *world;
    couBodyId body;
    couShape *shape;
    double spacing, volume, share; // share of the water's density
    double profile[LEVELS];        // mass per volume far from the body / rest density
    double surface;                // mean of the highest particles far from the body, and half a spacing [m]
    int profile_count;
} Pool;

static couShape *make_bunny(couTrial *trial, double spacing)
{
    int count;
    const couStockMesh *meshes = couStockMeshes(&count);
    char path[1024];
    for (int k = 0; k < count; ++k) {
        if (strcmp(meshes[k].name, "bunny") != 0) continue;
        if (!couFindStockMesh(&meshes[k], path, sizeof path)) {
            couFaults_Add(&trial->faults, trial->case_name, "bunny", "is not installed: the Debian package %s has it",
                          meshes[k].package);
            return NULL;
        }
        couMeshPlacement placement = couDefaultMeshPlacement();
        placement.size = 2.2f * (float)HEIGHT; // 22 spacings
        placement.center = cou_centerBounds;
        couMesh *mesh = couReadMesh(path, &placement, &trial->faults);
        couDistanceGrid *grid = mesh ? couCachedDistanceGrid(mesh, (float)(0.5 * spacing), 0, trial->threads, &trial->faults)
                                     : NULL;
        couShape *shape = grid ? couCreateShape(&(couShapeDef){.kind = cou_shapeMesh, .grid = grid}, &trial->faults) : NULL;
        couDistanceGrid_Release(grid);
        couMesh_Release(mesh);
        return shape;
    }
    return NULL;
}

static couShape *make_shape(couTrial *trial, Kind kind, double spacing)
{
    if (kind == kind_bunny) return make_bunny(trial, spacing);
    couShapeDef box = {.kind = cou_shapeBox, .size = {(float)WIDTH, (float)HEIGHT, (float)WIDTH}};
    couShapeDef ball = {.kind = cou_shapeSphere, .radius = (float)(0.75 * HEIGHT)};
    return couCreateShape(kind == kind_box ? &box : &ball, &trial->faults);
}

static Pool create_pool(couTrial *trial, Kind kind, double share, double spacing)
{
    Pool pool = {.spacing = spacing, .share = share};
    couWorldDef def = couTrial_WorldDef(trial, 3, (float)spacing);
    def.gravity.y = (float)-GRAVITY;
    pool.world = couTrial_CreateWorld(trial, &def);
    pool.shape = make_shape(trial, kind, spacing);
    couMassProperties mass;
    if (!pool.world || !pool.shape || !couShape_Mass(pool.shape, 3, &mass)) return pool;
    pool.volume = mass.volume;
    couMaterialDef water = couDefaultMaterialDef();
    couMaterialId material = couTrial_AddMaterial(trial, pool.world, &water);
    const float half = 0.5f * (float)TANK;
    couTrial_AddPlane(trial, pool.world, "floor", (couVec3){0, 0, 0}, (couVec3){0, 1, 0});
    couTrial_AddPlane(trial, pool.world, "left", (couVec3){-half, 0, 0}, (couVec3){1, 0, 0});
    couTrial_AddPlane(trial, pool.world, "right", (couVec3){half, 0, 0}, (couVec3){-1, 0, 0});
    couTrial_AddPlane(trial, pool.world, "back", (couVec3){0, 0, -half}, (couVec3){0, 0, 1});
    couTrial_AddPlane(trial, pool.world, "front", (couVec3){0, 0, half}, (couVec3){0, 0, -1});
    couBodyDef body = couDefaultBodyDef();
    snprintf(body.name, sizeof body.name, "floating");
    body.shape = pool.shape;
    body.is_dynamic = true;
    body.density = (float)(1000 * share);
    couBounds bounds;
    couShape_Bounds(pool.shape, 3, &bounds);
    // Its middle at the surface for half the density.
    body.pose.position.y = (float)(DEPTH + (0.5 - share) * (bounds.upper.y - bounds.lower.y));
    pool.body = couWorld_AddBody(pool.world, &body, &trial->faults);
    couTrial_FillBox(trial, pool.world, material, (couVec3){0, (float)(0.5 * DEPTH), 0},
                     (couVec3){(float)TANK, (float)DEPTH, (float)TANK}, COU_AUTO);
    return pool;
}

// Adds to the profile and to the surface what is far from body and walls.
static void add_far_water(Pool *pool)
{
    enum { COLUMNS = 64 };
    static double tops[COLUMNS][COLUMNS];
    memset(tops, 0, sizeof tops);
    couParticleView view = couWorld_Particles(pool->world);
    couVec3 center = couWorld_BodyCenter(pool->world, pool->body);
    double d = pool->spacing, edge = 0.5 * TANK - 4 * d, near = 0.71 * WIDTH + 3 * d, side = 2 * d;
    // What share of the tank is far, by the same columns that hold the highest particles.
    double area = 0, surface = 0;
    int columns = COU_MIN((int)floor(TANK / side), COLUMNS), tops_count = 0;
    for (size_t i = 0; i < view.count; ++i) {
        couVec4 x = view.position[i];
        int a = (int)floor((x.x + 0.5 * TANK) / side), b = (int)floor((x.z + 0.5 * TANK) / side);
        if (a >= 0 && b >= 0 && a < columns && b < columns) tops[a][b] = fmax(tops[a][b], x.y);
    }
    static bool is_far[COLUMNS][COLUMNS];
    for (int a = 0; a < columns; ++a)
        for (int b = 0; b < columns; ++b) {
            double x = (a + 0.5) * side - 0.5 * TANK, z = (b + 0.5) * side - 0.5 * TANK;
            is_far[a][b] = fabs(x) < edge && fabs(z) < edge && hypot(x - center.x, z - center.z) > near;
            if (!is_far[a][b]) continue;
            area += side * side;
            surface += tops[a][b] + 0.5 * d;
            ++tops_count;
        }
    const double level = TOP / LEVELS;
    for (size_t i = 0; i < view.count; ++i) {
        couVec4 x = view.position[i];
        int a = (int)floor((x.x + 0.5 * TANK) / side), b = (int)floor((x.z + 0.5 * TANK) / side);
        if (a < 0 || b < 0 || a >= columns || b >= columns || !is_far[a][b]) continue;
        // Its volume over two spacings.
        double low = (x.y - d) / level, high = (x.y + d) / level;
        for (int k = COU_MAX((int)floor(low), 0); k < LEVELS && k < high; ++k)
            pool->profile[k] += (fmin(high, k + 1) - fmax(low, k)) / (high - low) * d * d * d / (area * level);
    }
    pool->surface += surface / tops_count;
    pool->profile_count++;
}

// Mass of the far water that would be where the body is / rest density: the volume that it displaces [m^3].
static double displaced_volume(const Pool *pool)
{
    enum { SAMPLES = 48 };
    couBounds bounds;
    couShape_Bounds(pool->shape, 3, &bounds);
    couVec3 size = couSub(bounds.upper, bounds.lower);
    couPose pose = couWorld_BodyPose(pool->world, pool->body);
    double inside = 0, sum = 0;
    for (int i = 0; i < SAMPLES; ++i)
        for (int j = 0; j < SAMPLES; ++j)
            for (int k = 0; k < SAMPLES; ++k) {
                couVec3 t = {(i + 0.5f) / SAMPLES, (j + 0.5f) / SAMPLES, (k + 0.5f) / SAMPLES};
                couVec3 p = couAdd(bounds.lower, (couVec3){t.x * size.x, t.y * size.y, t.z * size.z});
                if (couShape_Distance(pool->shape, 3, p) > 0.0f) continue;
                int level = (int)floor(couToWorld(pose, p).y / (TOP / LEVELS));
                inside += 1;
                if (level >= 0 && level < LEVELS) sum += pool->profile[level] / pool->profile_count;
            }
    return pool->volume * sum / inside;
}

typedef struct Watch {
    double fastest, spin;    // largest speed [m/s] and spin [rad/s]
    couVec3 first, last;     // mean place over the first and last second [m]
    double displaced, draft; // means over the last three seconds [m^3], [m]
} Watch;

static couVec3 add_part(couVec3 sum, couVec3 x, double part) { return couMulAdd(sum, (float)part, x); }

// Lets it settle, then watches it.
static Watch watch(couTrial *trial, Pool *pool, double settle, double seconds, double share_begin, double share_end,
                   couRecord *record)
{
    const double frame = 1.0 / 30;
    int settling = (int)lround(settle / frame), watching = (int)lround(seconds / frame), second = COU_MIN(30, watching / 2);
    int last = COU_MIN(90, watching);
    Watch result = {0};
    couBounds bounds;
    couShape_Bounds(pool->shape, 3, &bounds);
    for (int f = 0; f < settling + watching && couTrial_Advance(trial, pool->world, frame); ++f) {
        couTrial_Show(trial, share_begin + (share_end - share_begin) * (f + 1) / (settling + watching));
        couVec3 place = couWorld_BodyCenter(pool->world, pool->body);
        couRecord_Add(record, (double[]){couWorld_Time(pool->world), place.y});
        if (f < settling) continue;
        result.fastest = fmax(result.fastest, couLength(couWorld_BodyVelocity(pool->world, pool->body)));
        result.spin = fmax(result.spin, couLength(couWorld_BodySpin(pool->world, pool->body)));
        if (f < settling + second) result.first = add_part(result.first, place, 1.0 / second);
        if (f >= settling + watching - second) result.last = add_part(result.last, place, 1.0 / second);
        if (f < settling + watching - last) continue;
        pool->surface = 0, pool->profile_count = 0;
        memset(pool->profile, 0, sizeof pool->profile);
        add_far_water(pool);
        result.displaced += displaced_volume(pool) / last;
        result.draft += (pool->surface - (couWorld_BodyPose(pool->world, pool->body).position.y + bounds.lower.y)) / last;
    }
    return result;
}

static void run_pool(couTrial *trial, Kind kind, double share, double spacing, double seconds, double begin, double end,
                     couPlot *plot)
{
    static const char *const names[] = {"box", "ball", "bunny"};
    if (trial->faults.count) return;
    Pool pool = create_pool(trial, kind, share, spacing);
    couRecord record = couMakeRecord(2);
    if (!trial->faults.count) {
        bool is_sph = trial->traits->has_pressure;
        double settle = trial->is_small ? 4 : kind == kind_bunny || is_sph ? 14 : 5;
        Watch seen = watch(trial, &pool, settle, seconds, begin, end, &record);
        double speed = sqrt(GRAVITY * DEPTH), wanted = share * pool.volume;
        char label[32];
        snprintf(label, sizeof label, "%s, %.2f", names[kind], share);
        couTrial_Within(trial, seen.displaced, wanted, 0.05, "m^3", "%s: displaced volume", label);
        if (kind == kind_box)
            couTrial_AtMost(trial, fabs(seen.draft - share * HEIGHT) / spacing, 0.75, "",
                            "%s: draft to the highest particles, off by spacings", label);
        if (kind != kind_bunny || !is_sph) {
            couTrial_AtMost(trial, seen.fastest / speed, 0.01, "", "%s: largest speed at rest / sqrt(g H)", label);
            couTrial_AtMost(trial, couLength(couSub(seen.last, seen.first)) / spacing, 0.25, "", "%s: drift over %g s / spacing",
                            label, seconds);
            couTrial_AtMost(trial, seen.spin, 0.02, "rad/s", "%s: largest spin", label);
        }
        couPlot_Add(plot, cou_plotLine, label, record.values[0], record.values[1], record.count);
    }
    couRecord_Clear(&record);
    couShape_Release(pool.shape);
    couDestroyWorld(pool.world);
}

void couValidateArchimedes(couTrial *trial)
{
    double d = HEIGHT / (trial->is_small ? 8 : 10);
    couPlot *plot = couCreatePlot("archimedes: height of the centre of mass", "time [s]", "height [m]");
    if (trial->is_small) {
        run_pool(trial, kind_box, 0.5, d, 2, 0, 1, plot);
    } else {
        double longest = trial->traits->has_pressure ? 10 : 30;
        double fine = trial->traits->has_pressure ? HEIGHT / 15 : d; // a draft of half a spacing would be none
        run_pool(trial, kind_box, 0.05, fine, 3, 0, 0.1, plot);
        run_pool(trial, kind_box, 0.25, d, 3, 0.1, 0.2, plot);
        run_pool(trial, kind_box, 0.5, d, longest, 0.2, 0.68, plot);
        run_pool(trial, kind_box, 0.75, d, 3, 0.68, 0.78, plot);
        run_pool(trial, kind_ball, 0.5, d, 3, 0.78, 0.88, plot);
        run_pool(trial, kind_bunny, 0.5, d, 3, 0.88, 1, plot);
    }
    couTrial_WritePlot(trial, plot, NULL);
}
