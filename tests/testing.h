/// Shared by the tests of the library: worlds, shapes, clouds, and comparisons that say what was expected.
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "coulis/coulis.h"
#include "fluid/pvfs.h"
#include "fluid/springs.h"
#include "world/world.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

// --- Comparisons -------------------------------------------------------------------------------------------------------------

static inline void check_near(const char *what, double got, double expected, double tolerance, int seed, const char *file,
                              int line)
{
    if (fabs(got - expected) <= tolerance) return;
    print_error("%s: expected %.9g, got %.9g, off by %.3g, tolerance %.3g, seed %d\n", what, expected, got, got - expected,
                tolerance, seed);
    _fail(file, line);
}

static inline void check_range(const char *what, double got, double low, double high, int seed, const char *file, int line)
{
    if (got >= low && got <= high) return;
    print_error("%s: expected %.9g to %.9g, got %.9g, seed %d\n", what, low, high, got, seed);
    _fail(file, line);
}

/// Seed: whatever made the case, 0 when nothing is random.
#define CHECK_NEAR(got, expected, tolerance, seed) check_near(#got, got, expected, tolerance, seed, __FILE__, __LINE__)
#define CHECK_RANGE(got, low, high, seed) check_range(#got, got, low, high, seed, __FILE__, __LINE__)
#define CHECK_AT_MOST(got, limit, seed) check_range(#got, got, -INFINITY, limit, seed, __FILE__, __LINE__)

static inline void print_faults(const couFaults *faults)
{
    for (int f = 0; f < faults->count; ++f) print_error("  fault: %s: %s\n", faults->items[f].key, faults->items[f].message);
}

/// There is exactly one fault, with this key, and its message holds the text (NULL: any).
static inline void check_fault(couFaults *faults, const char *key, const char *text, const char *file, int line)
{
    bool is_fine = faults->count == 1 && strcmp(faults->items[0].key, key) == 0 &&
                   (!text || strstr(faults->items[0].message, text));
    if (!is_fine) {
        print_error("expected one fault of '%s' with '%s', got %d\n", key, text ? text : "", faults->count);
        print_faults(faults);
        _fail(file, line);
    }
    couFaults_Clear(faults);
}
#define CHECK_FAULT(faults, key, text) check_fault(faults, key, text, __FILE__, __LINE__)

static inline void check_no_faults(couFaults *faults, const char *file, int line)
{
    if (faults->count == 0) return;
    print_error("expected no fault, got %d\n", faults->count);
    print_faults(faults);
    _fail(file, line);
}
#define CHECK_NO_FAULTS(faults) check_no_faults(faults, __FILE__, __LINE__)

/// Runs `function` in a process of its own and fails when it dies or needs far more computing time than the `seconds` that it has
/// on an ordinary machine: thirty times as much, since machines are slow, busy or sanitized, and what this looks for never ends.
/// The function must not use threads, and tells what it found by its return value (0: well).
static inline void check_in_time(int (*function)(void), unsigned seconds, const char *what, const char *file, int line)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        rlim_t most = 30 * (rlim_t)seconds;
        setrlimit(RLIMIT_CPU, &(struct rlimit){most, most + 5});
        _exit(function());
    }
    int status = -1;
    if (child > 0 && waitpid(child, &status, 0) == child && status == 0) return;
    if (WIFSIGNALED(status))
        print_error("%s: expected to end well within %u s, got signal %d (%d: 30 times as much were not enough)\n", what, seconds,
                    WTERMSIG(status), SIGXCPU);
    else
        print_error("%s: expected 0, got exit code %d\n", what, WEXITSTATUS(status));
    _fail(file, line);
}
#define CHECK_IN_TIME(function, seconds) check_in_time(function, seconds, #function, __FILE__, __LINE__)

// --- Worlds ------------------------------------------------------------------------------------------------------------------

#define NO_GRAVITY ((couVec3){0, 0, 0})
#define EARTH ((couVec3){0, -9.81f, 0})

static inline couWorld *make_world(int dimension, float spacing, couVec3 gravity, int threads)
{
    couFaults faults = {0};
    couWorldDef def = couDefaultWorldDef();
    def.dimension = dimension;
    def.spacing = spacing;
    def.gravity = gravity;
    def.threads = threads;
    couWorld *world = couCreateWorld(&def, &faults);
    CHECK_NO_FAULTS(&faults);
    assert_non_null(world);
    return world;
}

/// The instruction sets of this machine in turn; shifted after every four, so that each meets all that a loop of four changes.
static inline couIsa some_isa(int seed) { return (couIsa)((seed + seed / 4) % ((int)couBestIsa() + 1)); }

static inline couPvfsParams *pvfs_params(couWorld *world) { return couWorld_MethodParams(world); }
static inline couPvfsState *pvfs_state(couWorld *world) { return world->fluid.method_state; }

static inline couMaterialId add_material(couWorld *world, const couMaterialDef *def)
{
    couFaults faults = {0};
    couMaterialId material = couWorld_AddMaterial(world, def, &faults);
    CHECK_NO_FAULTS(&faults);
    assert_int_not_equal(material.index1, 0);
    return material;
}

static inline couMaterialId add_liquid(couWorld *world, float density, float viscosity)
{
    couMaterialDef def = couDefaultMaterialDef();
    def.density = density;
    def.viscosity = viscosity;
    return add_material(world, &def);
}

static inline couPose at(float x, float y, float z) { return (couPose){{x, y, z}, {0, 0, 0, 1}}; }
/// Turned by `angle` [rad] around z.
static inline couPose turned(float x, float y, float z, float angle)
{
    return (couPose){{x, y, z}, {0, 0, sinf(0.5f * angle), cosf(0.5f * angle)}};
}

static inline couShape *make_shape(couShapeDef def)
{
    couFaults faults = {0};
    couShape *shape = couCreateShape(&def, &faults);
    CHECK_NO_FAULTS(&faults);
    assert_non_null(shape);
    return shape;
}

static inline couShape *make_box(float x, float y, float z)
{
    return make_shape((couShapeDef){.kind = cou_shapeBox, .size = {x, y, z}});
}
static inline couShape *make_sphere(float radius) { return make_shape((couShapeDef){.kind = cou_shapeSphere, .radius = radius}); }
static inline couShape *make_disk(float radius) { return make_shape((couShapeDef){.kind = cou_shapeDisk, .radius = radius}); }
static inline couShape *make_plane(float x, float y, float z)
{
    return make_shape((couShapeDef){.kind = cou_shapePlane, .axis = {x, y, z}});
}

/// A wall around free space of the given box; takes nothing.
static inline couShape *make_tank(float x, float y, float z, float thickness, bool is_open)
{
    couShape *inner = make_box(x, y, z);
    couShape *tank = make_shape(
        (couShapeDef){.kind = cou_shapeShell, .thickness = thickness, .is_open = is_open, .children = &inner, .child_count = 1});
    couShape_Release(inner);
    return tank;
}

/// Adds a body and lets go of the shape.
static inline couBodyId add_body(couWorld *world, couShape *shape, couPose pose, float friction)
{
    couFaults faults = {0};
    couBodyDef def = couDefaultBodyDef();
    def.shape = shape;
    def.pose = pose;
    def.friction = friction;
    couBodyId body = couWorld_AddBody(world, &def, &faults);
    CHECK_NO_FAULTS(&faults);
    assert_int_not_equal(body.index1, 0);
    couShape_Release(shape);
    return body;
}

/// Fills a shape and lets go of it; returns how many particles came.
static inline int64_t add_fluid(couWorld *world, couMaterialId material, couShape *shape, couPose pose, couVec3 velocity)
{
    couFaults faults = {0};
    couFluidDef def = couDefaultFluidDef();
    def.material = material;
    def.shape = shape;
    def.pose = pose;
    def.velocity = velocity;
    int64_t count = couWorld_AddFluid(world, &def, &faults);
    CHECK_NO_FAULTS(&faults);
    assert_true(count > 0);
    couShape_Release(shape);
    return count;
}

/// Adds an emitter from a def whose shape it lets go of.
static inline couEmitterId add_emitter(couWorld *world, const couEmitterDef *def)
{
    couFaults faults = {0};
    couEmitterId emitter = couWorld_AddEmitter(world, def, &faults);
    CHECK_NO_FAULTS(&faults);
    assert_int_not_equal(emitter.index1, 0);
    couShape_Release(def->shape);
    return emitter;
}

static inline void prepare_world(couWorld *world)
{
    couFaults faults = {0};
    bool is_good = couWorld_Prepare(world, &faults);
    CHECK_NO_FAULTS(&faults);
    assert_true(is_good);
}

static inline uint64_t hash_world(const couWorld *world)
{
    couState state = {0};
    assert_true(couWorld_SaveState(world, &state));
    uint64_t hash = couState_Hash(&state);
    couState_Clear(&state);
    return hash;
}

/// Nothing is NaN, lost or left.
static inline void check_healthy(const couStepReport *report, const char *file, int line)
{
    if (report->nan_count == 0 && report->lost_count == 0) return;
    print_error("expected a healthy step, got %lld NaN and %lld lost particles, the first of id %u\n",
                (long long)report->nan_count, (long long)report->lost_count, report->first_bad_id);
    _fail(file, line);
}
#define CHECK_HEALTHY(report) check_healthy(report, __FILE__, __LINE__)

// --- Clouds ------------------------------------------------------------------------------------------------------------------

/// `count` particles in a cube (a square in 2D) of `size`, none closer than `least` to another, each of one of `materials`
/// materials at random, with random velocities.
static inline void add_cloud(couWorld *world, int count, float size, float least, int materials, float speed, int seed)
{
    couFaults faults = {0};
    couRandom random = {couMix64((uint64_t)seed)};
    float depth = world->def.dimension == 3 ? 1.0f : 0.0f;
    for (int k = 0, tries = 0; k < count; ++tries) {
        assert_true(tries < 1000 * count); // there is room for so many
        couVec3 x = {0.5f * size * couRandomSigned(&random), 0.5f * size * couRandomSigned(&random),
                     depth * 0.5f * size * couRandomSigned(&random)};
        bool is_free = true;
        for (size_t i = 0; is_free && i < world->fluid.table.count; ++i)
            is_free = couLength(couSub(couXyz(couFluid_Position(&world->fluid)[i]), x)) >= least;
        if (!is_free) continue;
        couVec3 v = {speed * couRandomSigned(&random), speed * couRandomSigned(&random), speed * couRandomSigned(&random)};
        couMaterialId material = couWorld_MaterialAt(world, (int)(couNextRandom(&random) % (uint64_t)materials));
        assert_true(couWorld_AddParticles(world, material, &x, &v, 1, &faults));
        ++k;
    }
    CHECK_NO_FAULTS(&faults);
}

/// Sorts the particles and finds contacts and neighbours where they are, as the phases of a step do.
static inline void find_pairs(couWorld *world)
{
    couStepReport report = {0};
    couStep step = {.fluid = &world->fluid, .report = &report, .dt = 1.0f};
    couPredictBodies(&world->bodies, world->time, 0.0f);
    couPhase_Sort(&step);
    couPhase_Contacts(&step);
    couPhase_Neighbors(&step);
    assert_false(step.has_failed);
}

/// A sweep over the world's particles, as pvfs makes it.
static inline couPvfsSweep make_test_sweep(couWorld *world, float dt)
{
    couFluid *fluid = &world->fluid;
    return (couPvfsSweep){.grid = &fluid->grid,
                          .neighbors = &fluid->neighbors,
                          .contacts = &fluid->contacts,
                          .state = fluid->method_state,
                          .position = couFluid_Position(fluid),
                          .velocity = couFluid_Velocity(fluid),
                          .id = couFluid_Id(fluid),
                          .material = couFluid_Material(fluid),
                          .density = couFluid_Density(fluid),
                          .count = fluid->table.count,
                          .bodies = fluid->bodies,
                          .dimension = fluid->dimension,
                          .near = pvfs_params(world)->near,
                          .has_wall_density = pvfs_params(world)->walls == cou_wallDensity,
                          .h = fluid->h,
                          .dt = dt};
}

/// Runs the method's phases of one kind.
static inline void run_method_phase(couWorld *world, couPhase phase, float dt, couStepReport *report)
{
    couStep step = {.fluid = &world->fluid, .report = report, .time = world->time, .index = world->step_count, .dt = dt};
    for (const couPhaseEntry *entry = world->fluid.method->phases; entry->function; ++entry)
        if (entry->phase == phase) entry->function(&step);
    assert_false(step.has_failed);
}

typedef void SweepFunction(couPvfsSweep *sweep, size_t begin, size_t end);

/// Runs a sweep colour after colour on this thread.
static inline void run_sweep(couPvfsSweep *sweep, SweepFunction *function)
{
    for (int color = 0; color < COU_COLORS; ++color) {
        size_t first = sweep->grid->color_start[color], last = sweep->grid->color_start[color + 1];
        sweep->cells = sweep->grid->color_cells + first;
        function(sweep, 0, last - first);
    }
}

/// The particles in the order of their turns: colours, cells of a colour ascending, storage order within a cell.
static inline uint32_t *turn_order(const couGrid *grid, size_t count)
{
    uint32_t *order = calloc(count + 1, sizeof *order);
    size_t n = 0;
    for (uint32_t k = 0; k < grid->color_start[COU_COLORS]; ++k) {
        uint32_t cell = grid->color_cells[k];
        for (uint32_t i = grid->cell_start[cell]; i < grid->cell_start[cell + 1]; ++i) order[n++] = i;
    }
    assert_int_equal(n, count);
    return order;
}
