// Relaxation and viscosity against plain references: double precision, pairs by brute force, one after the other in the same
// turns.
#include "testing.h"

#define SPACING 0.02f

typedef struct Vec {
    double x, y, z;
} Vec;

static Vec sub(Vec a, Vec b) { return (Vec){a.x - b.x, a.y - b.y, a.z - b.z}; }
static Vec add_scaled(Vec a, double s, Vec b) { return (Vec){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z}; }
static double dot(Vec a, Vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static double length(Vec a) { return sqrt(dot(a, a)); }
static Vec from_record(couVec4 a) { return (Vec){a.x, a.y, a.z}; }

/// The particles of a world in double precision, in storage order.
typedef struct Reference {
    size_t count;
    Vec *x, *v;
    double *mass;
    Vec *found;    // where they were when pairs and contacts were found
    bool *is_pair; // count * count: closer than h then
    const uint8_t *material;
    uint32_t *order;
    double h;
} Reference;

static Reference make_reference(couWorld *world)
{
    const couFluid *fluid = &world->fluid;
    size_t n = fluid->table.count;
    Reference r = {.count = n, .h = fluid->h, .material = couFluid_Material(fluid)};
    r.x = calloc(n, sizeof *r.x), r.v = calloc(n, sizeof *r.v), r.mass = calloc(n, sizeof *r.mass), r.is_pair = calloc(n * n, 1);
    r.found = calloc(n, sizeof *r.found);
    for (size_t i = 0; i < n; ++i) {
        r.x[i] = r.found[i] = from_record(couFluid_Position(fluid)[i]);
        r.v[i] = from_record(couFluid_Velocity(fluid)[i]);
        r.mass[i] = fluid->materials[r.material[i]].density * pow(fluid->spacing, fluid->dimension);
    }
    for (size_t i = 0; i < n; ++i)
        for (size_t j = 0; j < n; ++j) r.is_pair[i * n + j] = i != j && length(sub(r.x[j], r.x[i])) < r.h;
    r.order = turn_order(&fluid->grid, n);
    return r;
}

static void free_reference(Reference *r)
{
    free(r->x), free(r->v), free(r->found), free(r->mass), free(r->is_pair), free(r->order);
}

/// A wall plane with unit normal; free space is where normal . x > offset.
typedef struct Wall {
    Vec normal;
    double offset;
} Wall;

/// The half-space terms (3D), exact at the samples of the method's table and linear between.
typedef struct WallTerms {
    double rho, rho_near, g1, g2;
} WallTerms;

static WallTerms exact_wall_terms(double a, double support)
{
    double x = 2 * COU_PI * pow(support, 3);
    return (WallTerms){x * (pow(a, 4) / 12 - pow(a, 5) / 20), x * (pow(a, 5) / 20 - pow(a, 6) / 30),
                       x * (pow(a, 3) / 6 - pow(a, 4) / 8), x * (pow(a, 4) / 12 - pow(a, 5) / 15)};
}

static WallTerms wall_terms(double a, double support)
{
    double place = fmin(fmax(a, 0), 1) * COU_WALL_SAMPLES, n = floor(place), t = place - n;
    WallTerms p = exact_wall_terms(n / COU_WALL_SAMPLES, support),
              q = exact_wall_terms(fmin(n + 1, COU_WALL_SAMPLES) / COU_WALL_SAMPLES, support);
    return (WallTerms){(1 - t) * p.rho + t * q.rho, (1 - t) * p.rho_near + t * q.rho_near, (1 - t) * p.g1 + t * q.g1,
                       (1 - t) * p.g2 + t * q.g2};
}

/// The far density of a pair and minus half its slope.
static double far_value(const couPvfsState *state, double w, double *slope)
{
    *slope = w;
    if (!state->far.is_smooth) return w * w;
    double q = 1 - w, u = 1 - q * q, f = 0, by_u = 0;
    for (int k = COU_KAISER_TERMS; k-- > 0;) {
        f = f * u + (double)state->far.series[k];
        by_u = by_u * u + (k + 1) * (double)state->far.series[k];
    }
    *slope = w > 0 ? q * by_u : 0;
    return f * u;
}

/// [Clavet 2005, alg. 2] with the half-space terms of a wall (3D only) and the bound on pressures. Returns how often that acted.
static int relax(Reference *r, const couPvfsState *state, int near_kind, double dt, const Wall *walls, int wall_count,
                 double support, double *density)
{
    int guarded = 0;
    for (size_t turn = 0; turn < r->count; ++turn) {
        size_t i = r->order[turn];
        double rho = 0, rho_near = 0, far2 = 0, w4 = 0, slope, g1[4] = {0}, g2[4] = {0};
        for (size_t j = 0; j < r->count; ++j) {
            if (!r->is_pair[i * r->count + j]) continue;
            double w = fmax(1 - length(sub(r->x[j], r->x[i])) / r->h, 0);
            rho += far_value(state, w, &slope), rho_near += w * w * w, w4 += w * w * w * w;
            far2 += slope * slope;
        }
        for (int k = 0; k < wall_count; ++k) {
            if (dot(walls[k].normal, r->found[i]) - walls[k].offset >= r->h) continue;
            WallTerms terms = wall_terms(1 - (dot(walls[k].normal, r->x[i]) - walls[k].offset) / r->h, support);
            rho += terms.rho, rho_near += terms.rho_near, far2 += terms.rho;
            g1[k] = terms.g1, g2[k] = terms.g2;
        }
        density[i] = rho / state->rest_rho;
        double far = dt * dt * fmax(state->k * (rho - state->rho0), state->least_far);
        double near = near_kind == cou_nearDensity    ? dt * dt * state->k_near * rho_near
                      : near_kind == cou_nearDistance ? dt * dt * state->k_near
                                                      : 0;
        double far_bound = dt * dt * state->k * far2 / r->h, near_bound = 1.5 * dt * dt * state->k_near * w4 / r->h;
        const double most = 0.3; // share of a Newton step, see relax_particle()
        guarded += far_bound > most || near_bound > most;
        if (far_bound > most) far *= most / far_bound;
        if (near_bound > most) near *= most / near_bound;
        Vec own = {0};
        Vec here = r->x[i];
        for (size_t j = 0; j < r->count; ++j) {
            if (!r->is_pair[i * r->count + j]) continue;
            Vec to = sub(r->x[j], here);
            double distance = length(to), w = fmax(1 - distance / r->h, 0);
            far_value(state, w, &slope);
            double d = far * slope + near * w * w;
            double share = r->mass[i] / (r->mass[i] + r->mass[j]); // of j: half when both weigh the same
            r->x[j] = add_scaled(r->x[j], d * share / distance, to);
            own = add_scaled(own, -d * (1 - share) / distance, to);
        }
        for (int k = 0; k < wall_count; ++k) own = add_scaled(own, 0.5 * (far * g1[k] + near * g2[k]), walls[k].normal);
        r->x[i] = add_scaled(here, 1, own);
    }
    return guarded;
}

// Runs the phase and the reference on the same cloud; positions must agree to `tolerance` h.
static void check_relaxation(int kernel, int dimension, int materials, int near, float dt, bool has_wall, double tolerance,
                             bool is_guarded, int seed)
{
    couWorld *world = make_world(dimension, SPACING, NO_GRAVITY, 1);
    add_liquid(world, 1000, 0.001f);
    if (materials > 1) add_liquid(world, 3300, 0.001f);
    float size = dimension == 3 ? 0.2f : 0.6f;
    if (has_wall) { // an edge of two walls
        add_body(world, make_plane(0, 1, 0), at(0, -0.5f * size, 0), 0);
        add_body(world, make_plane(0.6f, 0, 0.8f), at(-0.3f * size, 0, -0.4f * size), 0);
    }
    add_cloud(world, 1000, size, 0.004f, materials, 0, seed);
    pvfs_params(world)->near = near;
    pvfs_params(world)->kernel = kernel;
    prepare_world(world);
    find_pairs(world);
    Reference r = make_reference(world);
    couVec4 *before = malloc(r.count * sizeof *before);
    memcpy(before, couFluid_Position(&world->fluid), r.count * sizeof *before);
    couStepReport report = {0};
    run_method_phase(world, cou_phasePressure, dt, &report);

    double *density = calloc(r.count, sizeof *density);
    double h = r.h;
    Wall walls[2] = {{{0, 1, 0}, -0.5 * size}, {{0.6, 0, 0.8}, -0.5 * size}};
    int guarded = relax(&r, pvfs_state(world), near, dt, walls, has_wall ? 2 : 0, world->fluid.h / SPACING, density);
    CHECK_NEAR((double)report.guard_count, guarded, 0.002 * (double)r.count, seed);
    assert_int_equal(guarded > 0, is_guarded);
    double worst = 0, worst_density = 0, moved = 0, momentum[3] = {0};
    for (size_t i = 0; i < r.count; ++i) {
        Vec got = from_record(couFluid_Position(&world->fluid)[i]), step = sub(got, from_record(before[i]));
        worst = fmax(worst, length(sub(got, r.x[i])));
        worst_density = fmax(worst_density, fabs(couFluid_Density(&world->fluid)[i] - density[i]));
        moved += r.mass[i] * length(step);
        momentum[0] += r.mass[i] * step.x, momentum[1] += r.mass[i] * step.y, momentum[2] += r.mass[i] * step.z;
    }
    CHECK_AT_MOST(worst / h, tolerance, seed);
    CHECK_AT_MOST(worst_density, 1e-4, seed);
    CHECK_RANGE(moved / (double)r.count / (r.mass[0] * h), 1e-3, 10, seed); // something happened
    for (int a = 0; a < 3 && !has_wall; ++a) CHECK_NEAR(momentum[a] / moved, 0, 2e-6, seed);
    free(before), free(density);
    free_reference(&r);
    couDestroyWorld(world);
}

static void test_relaxation(void **context)
{
    (void)context;
    for (int seed = 1; seed <= 3; ++seed) {
        check_relaxation(cou_pvfsPaper, 3, 1, cou_nearDensity, 0.022f, false, 1e-5, false, seed);
        check_relaxation(cou_pvfsPaper, 3, 2, cou_nearDensity, 0.022f, false, 1e-5, false, 10 + seed);
        check_relaxation(cou_pvfsPaper, 2, 1, cou_nearDensity, 0.022f, false, 1e-5, false, 20 + seed);
        check_relaxation(cou_pvfsPaper, 2, 2, cou_nearDensity, 0.022f, false, 1e-5, false, 30 + seed);
    }
    for (int seed = 71; seed <= 73; ++seed) {
        check_relaxation(cou_pvfsSmooth, 3, 1, cou_nearDensity, 0.0145f, false, 1e-5, false, seed);
        check_relaxation(cou_pvfsSmooth, 2, 2, cou_nearDensity, 0.0145f, false, 1e-5, false, 10 + seed);
    }
    check_relaxation(cou_pvfsPaper, 3, 1, cou_nearDistance, 0.022f, false, 1e-5, false, 41);
    check_relaxation(cou_pvfsPaper, 3, 1, cou_nearNone, 0.022f, false, 1e-5, false, 42);
}

static void test_relaxation_guard(void **context)
{
    (void)context;
    check_relaxation(cou_pvfsPaper, 3, 1, cou_nearDensity, 0.1f, false, 1e-4, true,
                     51); // displacements of h: rounding grows with them
    check_relaxation(cou_pvfsPaper, 3, 2, cou_nearDensity, 0.1f, false, 1e-4, true, 52);
}

// At its own step a liquid at rest is not cut, or it had less than the stiffness that was asked for.
static void test_calm_liquid_is_not_cut(void **context)
{
    (void)context;
    for (int k = 0; k < 4; ++k) {
        int dimension = 2 + k % 2;
        couWorld *world = make_world(dimension, SPACING, NO_GRAVITY, 1);
        pvfs_params(world)->kernel = k < 2 ? cou_pvfsPaper : cou_pvfsSmooth;
        float size = (dimension == 3 ? 10 : 30) * SPACING;
        add_fluid(world, add_liquid(world, 1000, 0.001f), make_box(size, size, size), COU_POSE_IDENTITY, NO_GRAVITY);
        int64_t guarded = 0;
        for (int step = 0; step < 50; ++step) {
            couStepReport report = couWorld_Step(world, couWorld_SuggestStep(world));
            if (step >= 20) guarded += report.guard_count; // a fresh one has pairs too close
        }
        CHECK_AT_MOST((double)guarded / (30.0 * (double)couWorld_Particles(world).count), 0.001, k);
        couDestroyWorld(world);
    }
}

static void test_relaxation_at_walls(void **context)
{
    (void)context;
    for (int seed = 61; seed <= 63; ++seed)
        check_relaxation(cou_pvfsPaper, 3, 2, cou_nearDensity, 0.022f, true, 1e-5, false, seed);
}

// Those that hold together stay together. Four at one place are 1.3 times as dense as the smooth kernel's water of the plane,
// which does not: they fly apart with no more than the energy of that, h k (rho - rho0)^2 / 8 for each kilogram.
static void check_coincident_particles(int kernel)
{
    for (int dimension = 2; dimension <= 3; ++dimension) {
        couWorld *world = make_world(dimension, SPACING, NO_GRAVITY, 1);
        pvfs_params(world)->kernel = kernel;
        couMaterialId liquid = add_liquid(world, 1000, 0);
        couVec3 twins[4] = {{1, 1, 0}, {1, 1, 0}, {1, 1, 0}, {1, 1, 0}};
        couFaults faults = {0};
        assert_true(couWorld_AddParticles(world, liquid, twins, NULL, 4, &faults));
        for (int k = 0; k < 30; ++k) {
            couStepReport report = couWorld_Step(world, 1.0f / 30);
            CHECK_HEALTHY(&report);
        }
        couParticleView view = couWorld_Particles(world);
        const couPvfsState *state = pvfs_state(world);
        double over = fmax(3 - state->rho0, 0), speed = 0.5 * over * sqrt(couWorld_SupportRadius(world) * state->k);
        bool flies = kernel == cou_pvfsSmooth && dimension == 2;
        for (size_t i = 0; i < 4; ++i)
            for (size_t j = 0; j < i; ++j) {
                double r = length(sub(from_record(view.position[i]), from_record(view.position[j])));
                CHECK_RANGE(r / SPACING, 0.2, flies ? 2 * speed / SPACING : 5, dimension);
            }
        couMeasurement measured = couWorld_Measure(world);
        CHECK_NEAR(measured.center[0], 1, 1e-5, 0);
        CHECK_NEAR(measured.center[1], 1, 1e-5, 0);
        if (dimension == 2)
            for (size_t i = 0; i < 4; ++i) assert_true(view.position[i].z == 0.0f);
        couDestroyWorld(world);
    }
}

static void test_coincident_particles_part(void **context)
{
    (void)context;
    check_coincident_particles(cou_pvfsPaper);
    check_coincident_particles(cou_pvfsSmooth);
}

// --- Viscosity ---------------------------------------------------------------------------------------------------------------

/// [Clavet 2005, alg. 5] in turns over the pairs after i in storage, with the bounds that keep pairs, and i as a whole, from
/// being carried past rest. Returns how often the latter acted.
static int smooth(Reference *r, const couPvfsState *state, double dt)
{
    int cut_count = 0;
    Vec *impulse = calloc(r->count, sizeof *impulse);
    for (size_t turn = 0; turn < r->count; ++turn) {
        size_t i = r->order[turn];
        const couPvfsMaterial *a = &state->materials[r->material[i]];
        double taken = 0;
        for (size_t j = i + 1; j < r->count; ++j) {
            if (!r->is_pair[i * r->count + j]) continue;
            const couPvfsMaterial *b = &state->materials[r->material[j]];
            Vec to = sub(r->x[j], r->x[i]), dv = sub(r->v[i], r->v[j]);
            double distance = length(to), w = fmax(1 - distance / r->h, 0), u = dot(dv, to) / distance;
            double rate = 0, smoothing = fmin(dt * w * 0.5 * (a->smoothing + b->smoothing), 1);
            if (u > 0) rate = fmin(dt * w * (0.5 * (a->sigma + b->sigma) + 0.5 * (a->beta + b->beta) * u), 1);
            impulse[j] = add_scaled((Vec){0}, ((1 - smoothing) * rate * fmax(u, 0) + smoothing * u) / distance, to);
            taken += r->mass[j] / (r->mass[i] + r->mass[j]) * (rate + smoothing);
        }
        double cut = taken > 1 ? 1 / taken : 1;
        cut_count += taken > 1;
        for (size_t j = i + 1; j < r->count; ++j) {
            if (!r->is_pair[i * r->count + j]) continue;
            double share = r->mass[i] / (r->mass[i] + r->mass[j]);
            r->v[j] = add_scaled(r->v[j], cut * share, impulse[j]);
            r->v[i] = add_scaled(r->v[i], -cut * (1 - share), impulse[j]);
        }
    }
    free(impulse);
    return cut_count;
}

static void check_viscosity(int dimension, int materials, float sigma, float smoothing, bool is_cut, int seed)
{
    const float speed = 1.0f, dt = 0.005f;
    couWorld *world = make_world(dimension, SPACING, NO_GRAVITY, 1);
    couMaterialDef def = couDefaultMaterialDef();
    def.sigma = sigma, def.beta = 20, def.smoothing = smoothing;
    add_material(world, &def);
    def.density = 3300, def.sigma = 0.2f * sigma, def.beta = 5, def.smoothing = 2 * smoothing;
    if (materials > 1) add_material(world, &def);
    add_cloud(world, 1200, dimension == 3 ? 0.2f : 0.6f, 0.004f, materials, speed, seed);
    prepare_world(world);
    find_pairs(world);
    Reference r = make_reference(world);
    double momentum[3] = {0}, sum = 0, energy[2] = {0};
    for (size_t i = 0; i < r.count; ++i) {
        momentum[0] -= r.mass[i] * r.v[i].x, momentum[1] -= r.mass[i] * r.v[i].y, momentum[2] -= r.mass[i] * r.v[i].z;
        sum += r.mass[i] * length(r.v[i]);
        energy[0] += r.mass[i] * dot(r.v[i], r.v[i]);
    }
    couPvfsSweep sweep = make_test_sweep(world, dt);
    run_sweep(&sweep, couViscosityCells_scalar);
    int cuts = smooth(&r, pvfs_state(world), dt);
    assert_int_equal(cuts > 0, is_cut);
    double worst = 0;
    for (size_t i = 0; i < r.count; ++i) {
        Vec got = from_record(couFluid_Velocity(&world->fluid)[i]);
        worst = fmax(worst, length(sub(got, r.v[i])));
        momentum[0] += r.mass[i] * got.x, momentum[1] += r.mass[i] * got.y, momentum[2] += r.mass[i] * got.z;
        energy[1] += r.mass[i] * dot(got, got);
    }
    // A weight near the edge of the support, 1 - r/h, is rounded to 6e-8, which a large sigma dt multiplies.
    CHECK_AT_MOST(worst / speed, 1e-6 + 4e-8 * sigma * dt, seed);
    for (int a = 0; a < 3; ++a) CHECK_NEAR(momentum[a] / sum, 0, 1e-6, seed);
    CHECK_RANGE(energy[1] / energy[0], 0.0, 0.999, seed); // it takes energy, never gives
    free_reference(&r);
    couDestroyWorld(world);
}

static void test_viscosity(void **context)
{
    (void)context;
    for (int seed = 1; seed <= 3; ++seed) {
        check_viscosity(3, 1, 5, 2, false, seed);
        check_viscosity(3, 2, 5, 2, false, 10 + seed);
        check_viscosity(2, 2, 5, 0, false, 20 + seed);
        check_viscosity(3, 1, 200, 0, true, 30 + seed); // impulses are cut
        check_viscosity(3, 2, 1e5f, 50, true, 40 + seed);
        check_viscosity(2, 2, 1e5f, 50, true, 50 + seed);
    }
}

// A stage of diffusion is the sum over pairs, both ways, by brute force.
static void check_diffusion(int dimension, int materials, int seed)
{
    const float rate = 0.002f;
    couWorld *world = make_world(dimension, SPACING, NO_GRAVITY, 1);
    pvfs_params(world)->kernel = cou_pvfsSmooth;
    add_liquid(world, 1000, 50);
    if (materials > 1) add_liquid(world, 3300, 400);
    add_cloud(world, 1200, dimension == 3 ? 0.2f : 0.6f, 0.004f, materials, 1.0f, seed);
    prepare_world(world);
    find_pairs(world);
    Reference r = make_reference(world);
    const couPvfsMaterial *m = pvfs_state(world)->materials;
    couPvfsSweep sweep = make_test_sweep(world, rate);
    couVec4 *result = calloc(r.count, sizeof *result);
    sweep.now = sweep.velocity, sweep.result = result, sweep.now_share = 1, sweep.rate = rate;
    couDiffuse_scalar(&sweep, 0, r.count);
    double worst = 0, momentum[3] = {0}, sum = 0, moved = 0;
    for (size_t i = 0; i < r.count; ++i) {
        Vec wanted = r.v[i];
        for (size_t j = 0; j < r.count; ++j) {
            if (!r.is_pair[i * r.count + j]) continue;
            Vec to = sub(r.x[j], r.x[i]);
            double distance = length(to), w = fmax(1 - distance / r.h, 0), u = dot(sub(r.v[j], r.v[i]), to) / distance;
            double mean = 0.5 * (m[r.material[i]].viscous + m[r.material[j]].viscous);
            wanted = add_scaled(wanted, rate * mean * w * u * r.mass[j] / (r.mass[i] + r.mass[j]) / distance, to);
        }
        Vec got = from_record(result[i]), change = sub(got, r.v[i]);
        worst = fmax(worst, length(sub(got, wanted)));
        moved = fmax(moved, length(change));
        sum += r.mass[i] * length(change);
        momentum[0] += r.mass[i] * change.x, momentum[1] += r.mass[i] * change.y, momentum[2] += r.mass[i] * change.z;
    }
    CHECK_AT_MOST(worst / moved, 2e-6, seed);
    CHECK_RANGE(moved, 0.01, 1e4, seed);
    for (int a = 0; a < 3; ++a) CHECK_NEAR(momentum[a] / sum, 0, 1e-6, seed);
    free(result);
    free_reference(&r);
    couDestroyWorld(world);
}

static void test_diffusion(void **context)
{
    (void)context;
    for (int seed = 1; seed <= 2; ++seed) {
        check_diffusion(2, 1, seed), check_diffusion(3, 1, 10 + seed);
        check_diffusion(2, 2, 20 + seed), check_diffusion(3, 2, 30 + seed);
    }
}

// All stages together take energy and never give any, however thick the liquid; what they take of a layer's momentum along a
// floor with friction, the floor gets, and one without friction gets none.
static void test_floor_gets_the_drag(void **context)
{
    (void)context;
    static const float viscosities[] = {1, 100, 1e5f};
    for (int k = 0; k < 6; ++k) {
        couWorld *world = make_world(3, SPACING, NO_GRAVITY, 1);
        pvfs_params(world)->kernel = cou_pvfsSmooth;
        add_liquid(world, 1000, viscosities[k / 2]);
        add_body(world, make_plane(0, 1, 0), at(0, -0.1f, 0), k % 2 ? 1.0f : 0.0f);
        add_cloud(world, 1000, 0.2f, 0.004f, 1, 1.0f, k);
        prepare_world(world);
        couFluid *fluid = &world->fluid;
        couVec4 *v = couFluid_Velocity(fluid);
        for (size_t i = 0; i < fluid->table.count; ++i) v[i].x += 1.0f;
        find_pairs(world);
        v = couFluid_Velocity(fluid); // sorted
        double before = 0, after = 0, energy[2] = {0}, mass = fluid->mass[0];
        for (size_t i = 0; i < fluid->table.count; ++i)
            before += mass * v[i].x, energy[0] += v[i].x * v[i].x + v[i].y * v[i].y + v[i].z * v[i].z;
        couStepReport report = {0};
        memset(fluid->bodies->items[0].impulse, 0, sizeof fluid->bodies->items[0].impulse);
        run_method_phase(world, cou_phaseViscosity, 0.001f, &report);
        v = couFluid_Velocity(fluid);
        for (size_t i = 0; i < fluid->table.count; ++i)
            after += mass * v[i].x, energy[1] += v[i].x * v[i].x + v[i].y * v[i].y + v[i].z * v[i].z;
        double taken = fluid->bodies->items[0].impulse[0];
        CHECK_NEAR((before - after - taken) / before, 0, 1e-5, k);
        CHECK_RANGE(taken / before, k % 2 ? 1e-4 : 0, k % 2 ? 0.9 : 0, k);
        CHECK_AT_MOST(energy[1] / energy[0], 1.0, k);
        couDestroyWorld(world);
    }
}

// Syrup in steps so long that it piles up, far denser than at rest, of one or two weights: what viscosity makes of its velocities
// has less energy, also where its stages do not do, and momentum stays.
static void test_crowded_syrup_calms(void **context)
{
    (void)context;
    for (int k = 0; k < 8; ++k) {
        int dimension = 2 + k % 2, materials = 1 + k / 2 % 2;
        couWorld *world = make_world(dimension, SPACING, NO_GRAVITY, 1);
        add_liquid(world, 1000, k < 4 ? 20.0f : 1e4f);
        if (materials > 1) add_liquid(world, 3300, k < 4 ? 300.0f : 1e5f);
        pvfs_params(world)->step = 1.0f / 30, pvfs_params(world)->kernel = cou_pvfsSmooth;
        add_cloud(world, 600, dimension == 3 ? 0.08f : 0.25f, 0.0005f, materials, 1.0f, k);
        prepare_world(world);
        double energy = INFINITY;
        for (int round = 0; round < 10; ++round) {
            find_pairs(world);
            couStepReport report = {0};
            couMeasurement before = couWorld_Measure(world);
            run_method_phase(world, cou_phaseViscosity, 1.0f / 30, &report);
            couMeasurement after = couWorld_Measure(world);
            CHECK_AT_MOST(after.kinetic_energy, COU_MIN(before.kinetic_energy, energy) * (1 + 1e-6), k);
            for (int a = 0; a < 3; ++a) CHECK_NEAR(after.momentum[a] - before.momentum[a], 0, 1e-5 * after.mass, k);
            energy = after.kinetic_energy;
        }
        CHECK_RANGE(energy, 0, 1e6, k);
        couDestroyWorld(world);
    }
}

// Two particles at rest distance that approach each other along and across the line between them.
static void check_lone_pair(int dimension, float sigma_dt, float smoothing_dt, float beta, float density_ratio, float approach)
{
    const float dt = 0.001f;
    couWorld *world = make_world(dimension, SPACING, NO_GRAVITY, 1);
    couMaterialDef def = couDefaultMaterialDef();
    def.sigma = fminf(sigma_dt / dt, 1e9f), def.smoothing = fminf(smoothing_dt / dt, 1e9f), def.beta = beta;
    couMaterialId light = add_material(world, &def);
    def.density *= density_ratio;
    couMaterialId heavy = add_material(world, &def);
    couFaults faults = {0};
    couVec3 x[2] = {{0, 0, 0}, {0.01f, 0.005f, 0}}, v[2] = {{approach, 0.1f, 0}, {-approach, 0.3f, 0}};
    assert_true(couWorld_AddParticles(world, light, &x[0], &v[0], 1, &faults));
    assert_true(couWorld_AddParticles(world, heavy, &x[1], &v[1], 1, &faults));
    prepare_world(world);
    find_pairs(world);
    couStepReport report = {0};
    run_method_phase(world, cou_phaseViscosity, dt, &report);
    const couVec4 *p = couFluid_Position(&world->fluid), *u = couFluid_Velocity(&world->fluid);
    Vec to = sub(from_record(p[1]), from_record(p[0])), dv = sub(from_record(u[1]), from_record(u[0]));
    double apart = dot(dv, to) / length(to), before = -(2 * approach * 0.01 - 0.2 * 0.005) / hypot(0.01, 0.005);
    CHECK_RANGE(apart / fabs(before), -1, 1e-5, 0); // still approaching, or at rest, and no faster than before
    // Strong enough, it stops the pair; with smoothing besides, both together are cut and leave a little.
    if (sigma_dt >= 1e3f && smoothing_dt == 0) CHECK_NEAR(apart / fabs(before), 0, 1e-5, 0);
    couDestroyWorld(world);
}

static void test_lone_pairs_never_part(void **context)
{
    (void)context;
    static const float strengths[] = {0, 0.1f, 1, 3, 1e3f, 1e6f}, ratios[] = {1, 8, 80};
    for (int dimension = 2; dimension <= 3; ++dimension)
        for (int s = 0; s < COU_COUNT(strengths); ++s)
            for (int t = 0; t < COU_COUNT(strengths); ++t)
                for (int q = 0; q < COU_COUNT(ratios); ++q) {
                    check_lone_pair(dimension, strengths[s], strengths[t], 0, ratios[q], 1);
                    check_lone_pair(dimension, strengths[s], strengths[t], 1e8f, ratios[q], 30);
                }
}

// A pair that moves apart is left alone by sigma and beta.
static void test_parting_pairs_are_left_alone(void **context)
{
    (void)context;
    couWorld *world = make_world(3, SPACING, NO_GRAVITY, 1);
    couMaterialDef def = couDefaultMaterialDef();
    def.sigma = 1e4f, def.beta = 1e4f, def.smoothing = 0;
    couMaterialId liquid = add_material(world, &def);
    couFaults faults = {0};
    couVec3 x[2] = {{0, 0, 0}, {0.01f, 0, 0}}, v[2] = {{-1, 5, 0}, {1, -5, 2}};
    assert_true(couWorld_AddParticles(world, liquid, x, v, 2, &faults));
    prepare_world(world);
    find_pairs(world);
    couStepReport report = {0};
    run_method_phase(world, cou_phaseViscosity, 0.01f, &report);
    for (size_t i = 0; i < 2; ++i) {
        uint32_t id = couFluid_Id(&world->fluid)[i];
        CHECK_NEAR(couFluid_Velocity(&world->fluid)[i].x, v[id].x, 0, 0);
        CHECK_NEAR(couFluid_Velocity(&world->fluid)[i].y, v[id].y, 0, 0);
    }
    couDestroyWorld(world);
}

// A blob of two liquids without walls or gravity keeps its momentum over many steps.
static void test_momentum_of_a_free_blob(void **context)
{
    (void)context;
    for (int dimension = 2; dimension <= 3; ++dimension) {
        couWorld *world = make_world(dimension, SPACING, NO_GRAVITY, 2);
        add_liquid(world, 1000, 0.1f);
        add_liquid(world, 5000, 1.0f);
        add_cloud(world, 1500, dimension == 3 ? 0.22f : 0.75f, 0.6f * SPACING, 2, 0.5f, 5);
        couMeasurement before = couWorld_Measure(world);
        double sum = 0;
        couParticleView view = couWorld_Particles(world);
        for (size_t i = 0; i < view.count; ++i)
            sum += couWorld_ParticleMass(world, view.material[i]) * length(from_record(view.velocity[i]));
        for (int k = 0; k < 200; ++k) {
            couStepReport report = couWorld_Step(world, couWorld_SuggestStep(world));
            CHECK_HEALTHY(&report);
        }
        couMeasurement after = couWorld_Measure(world);
        for (int a = 0; a < 3; ++a) CHECK_NEAR((after.momentum[a] - before.momentum[a]) / sum, 0, 1e-4, 5);
        couDestroyWorld(world);
    }
}

// Free fall is the scheme's own parabola: y0 + v0 t - g t (t + dt)/2.
static void test_free_fall(void **context)
{
    (void)context;
    couWorld *world = make_world(3, SPACING, EARTH, 1);
    couMaterialId liquid = add_liquid(world, 1000, 0);
    couFaults faults = {0};
    couVec3 x[2] = {{0, 10, 0}, {5, 10, 0}}, v[2] = {{0, 0, 0}, {1, 4, -2}};
    assert_true(couWorld_AddParticles(world, liquid, x, v, 2, &faults));
    const double dt = 0.005, t = 1;
    for (int k = 0; k < 200; ++k) couWorld_Step(world, (float)dt);
    couParticleView view = couWorld_Particles(world);
    for (size_t i = 0; i < 2; ++i) {
        couVec3 v0 = v[view.id[i]], x0 = x[view.id[i]];
        CHECK_NEAR(view.position[i].y, x0.y + v0.y * t - 0.5 * 9.81 * t * (t + dt), 1e-4, 0);
        CHECK_NEAR(view.position[i].x, x0.x + v0.x * t, 1e-4, 0);
        CHECK_NEAR(view.position[i].z, x0.z + v0.z * t, 1e-4, 0);
    }
    CHECK_NEAR(couWorld_Time(world), 1, 1e-6, 0);
    couDestroyWorld(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_relaxation),
        cmocka_unit_test(test_relaxation_guard),
        cmocka_unit_test(test_calm_liquid_is_not_cut),
        cmocka_unit_test(test_relaxation_at_walls),
        cmocka_unit_test(test_coincident_particles_part),
        cmocka_unit_test(test_viscosity),
        cmocka_unit_test(test_diffusion),
        cmocka_unit_test(test_floor_gets_the_drag),
        cmocka_unit_test(test_crowded_syrup_calms),
        cmocka_unit_test(test_lone_pairs_never_part),
        cmocka_unit_test(test_parting_pairs_are_left_alone),
        cmocka_unit_test(test_momentum_of_a_free_blob),
        cmocka_unit_test(test_free_fall),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
