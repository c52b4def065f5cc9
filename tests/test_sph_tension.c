// Surface tension of the SPH methods: colour field and cohesion against sums over all pairs in double precision, the forces of
// the area against differences of its energy, momentum, and drops that pull themselves round without their particles pairing.
#include "sph_test.h"

#define SPACING 0.02f
#define ADHESION 2.0f

typedef struct Case {
    const char *method;
    int dimension, materials;
    bool has_bodies;
    int tension;
    int seed;
} Case;

static couMaterialId add_tense(couWorld *world, float density, float tension, float viscosity)
{
    couMaterialDef def = couDefaultMaterialDef();
    def.density = density, def.surface_tension = tension, def.viscosity = viscosity;
    return add_material(world, &def);
}

static couWorld *make_cloud(const Case *c)
{
    couWorld *world = make_sph_world(c->method, c->dimension, SPACING, NO_GRAVITY);
    couSphParams *p = sph_params(world);
    p->tension = c->tension;
    if (c->has_bodies && c->tension == cou_tensionCohesion) p->adhesion = ADHESION;
    add_tense(world, 1000, 3, 0);
    if (c->materials > 1) add_tense(world, 300, 1, 0);
    float size = SPACING * (c->dimension == 3 ? 8 : 20);
    if (c->has_bodies) {
        add_body(world, make_sphere(0.3f * size), at(0.4f * size, 0, 0), 0);
        add_body(world, make_box(size, 0.1f, size), turned(0, -0.6f * size, 0, 0.2f), 0);
    }
    add_cloud(world, 500, size, 0.4f * SPACING, c->materials, 0.1f, c->seed);
    return world;
}

// --- References --------------------------------------------------------------------------------------------------------------

// Gradient of the colour field [Müller 2003, eq. 15]; also its Laplacian.
static Vec color_gradient(const Reference *r, const double *density, size_t i, double *laplacian)
{
    Vec sum = {0, 0, 0};
    double tiny = 1e-4 * r->h;
    *laplacian = r->unit / density[i] * couKernel_Laplacian(&r->density_kernel, tiny); // of the particle itself
    FOR_ROWS(r, j)
    {
        Vec d = offset(r, i, j);
        double distance = length(d);
        if (i == j || distance >= r->h) continue;
        double weight = r->unit * (j < r->count ? 1 / density[j] : r->volume[j]);
        sum = add_scaled(sum, weight * couKernel_Slope(&r->density_kernel, distance) / distance, d);
        *laplacian += weight * couKernel_Laplacian(&r->density_kernel, distance);
    }
    return sum;
}

// C(r) h^3 pi / 32 [Akinci 2013, eq. 2]
static double cohesion_shape(double q)
{
    double cube = pow(1 - q, 3) * pow(q, 3);
    return q >= 1 ? 0 : q > 0.5 ? cube : 2 * cube - 1.0 / 64;
}

// Factor f of the pair force f C(q) for which the work of parting the liquid along a plane is twice the surface tension [N/m]:
// the attraction of one half-space for the other, integrated over pairs across the plane.
static double cohesion_factor(int dimension, double h, double number_density)
{
    enum { STEPS = 4000 };
    double moment = 0;
    for (int k = 0; k < STEPS; ++k) {
        double q = (k + 0.5) / STEPS;
        moment += cohesion_shape(q) * pow(q, dimension + 1) / STEPS;
    }
    double across = dimension == 3 ? COU_PI / 8 : 1.0 / 3;
    return 1 / (across * number_density * number_density * pow(h, dimension + 2) * moment);
}

typedef struct Sums {
    Vec fluid, solid; // accelerations
} Sums;

static Sums brute_cohesion(const couWorld *world, const Reference *r, const double *density, const Vec *normal, size_t i)
{
    const couFluid *fluid = &world->fluid;
    int n = fluid->dimension;
    double V = pow(fluid->spacing, n), h = r->h, factor = cohesion_factor(n, h, 1 / V);
    double mass = V * fluid->materials[couFluid_Material(fluid)[i]].density;
    Sums sums = {{0, 0, 0}, {0, 0, 0}};
    FOR_ROWS(r, j)
    {
        Vec d = offset(r, i, j); // from j to i
        double distance = length(d), q = distance / h;
        if (i == j || q >= 1) continue;
        if (j >= r->base) { // [Akinci 2013, eq. 7], on the scale of cohesion
            double shape = q > 0.5 ? pow(-4 * q * q + 6 * q - 2, 0.25) : 0;
            double size = ADHESION * factor * 0.007 * 32 / COU_PI * r->volume[j] * shape;
            sums.solid = add_scaled(sums.solid, -size / mass / distance, d);
            continue;
        }
        double own = fluid->materials[couFluid_Material(fluid)[i]].surface_tension;
        double tension = fmin(own, fluid->materials[couFluid_Material(fluid)[j]].surface_tension);
        double K = 2 / (density[i] + density[j]);
        sums.fluid = add_scaled(sums.fluid, -K * tension * factor * cohesion_shape(q) / mass / distance, d);
        // sigma / (rho h^2) of the differences of h grad c, by a pair's share V / h^n of the neighbourhood
        double area = K * tension * V * V / pow(h, n + 2) / mass;
        sums.fluid = add_scaled(sums.fluid, -area, sub(normal[i], normal[j]));
    }
    return sums;
}

// --- Against the references --------------------------------------------------------------------------------------------------

static void check_tension(Case c)
{
    couWorld *world = make_cloud(&c);
    float dt = 1e-3f;
    couStepReport report = {0};
    couStep step = open_pairs(world, dt, &report);
    Reference r = make_reference(world);
    double *density = brute_densities(&r), *laplacian = calloc(r.count, sizeof *laplacian), magnitude, largest = 0;
    Vec *normal = calloc(r.count, sizeof *normal);
    for (size_t i = 0; i < r.count; ++i) {
        Vec n = color_gradient(&r, density, i, &laplacian[i]);
        normal[i] = c.tension == cou_tensionColor ? n : add_scaled((Vec){0, 0, 0}, r.h, n);
    }
    Vec before = fluid_momentum(world, &magnitude);
    couSph_PullSurface(&step, dt);
    assert_false(step.has_failed);
    int inside = 0, surface = 0;
    for (size_t i = 0; i < r.count; ++i) {
        Vec a = {0, 0, 0}, now = from_record(couFluid_Velocity(&world->fluid)[i]);
        const couMaterialDef *material = &world->fluid.materials[couFluid_Material(&world->fluid)[i]];
        if (c.tension == cou_tensionColor) { // -sigma lap c n/|n| / rho where |n| is large [Müller 2003, eq. 19]
            double size = length(normal[i]) * r.h, threshold = sph_params(world)->tension_threshold;
            if (fabs(size - threshold) < 1e-3) continue;
            *(size > threshold ? &surface : &inside) += 1;
            double force = -material->surface_tension * laplacian[i] / length(normal[i]);
            if (size > threshold) a = add_scaled(a, force / (material->density * density[i]), normal[i]);
        } else {
            Sums sums = brute_cohesion(world, &r, density, normal, i);
            a = add_scaled(sums.fluid, 1, sums.solid);
        }
        CHECK_NEAR(length(sub(now, add_scaled(r.v[i], dt, a))), 0, 2e-4 * dt * length(a) + 2e-5, c.seed);
        largest = fmax(largest, dt * length(a));
    }
    assert_true(largest > 0.01);
    if (c.tension == cou_tensionColor) assert_true(surface > 50 && inside > 20);
    if (c.tension == cou_tensionCohesion) { // pair forces: what the fluid loses the bodies have
        Vec lost = sub(before, fluid_momentum(world, NULL)), given = {0, 0, 0};
        for (size_t b = 0; b < world->bodies.count; ++b) {
            const double *impulse = world->bodies.items[b].pushed;
            given = add_scaled(given, 1, (Vec){impulse[0], impulse[1], impulse[2]});
        }
        if (c.has_bodies) assert_true(length(lost) > 1e-3 * magnitude);
        CHECK_AT_MOST(length(sub(lost, given)), 1e-6 * magnitude, c.seed);
    }
    free(density), free(laplacian), free(normal);
    free_reference(&r);
    couDestroyWorld(world);
}

// --- Area --------------------------------------------------------------------------------------------------------------------

// Kaiser and Bessel's kernel by its series, whose integral over the plane or space is 1 [1/d^n].
typedef struct Bessel {
    double beta, scale, mean; // mean: integral of r W [d]
} Bessel;

static double bessel(double beta, double q) // sqrt(u) I_1(beta sqrt(u))
{
    double u = 1 - q * q, term = u, sum = 0;
    for (int k = 0; k < 60 && u > 0; ++k) sum += term, term *= 0.25 * beta * beta * u / ((k + 1.0) * (k + 2.0));
    return sum;
}

static Bessel make_bessel(double beta, double support, int dimension)
{
    enum { STEPS = 4000 };
    Bessel kernel = {.beta = beta};
    double sum = 0, first = 0;
    for (int k = 0; k < STEPS; ++k) {
        double q = (k + 0.5) / STEPS, shell = (dimension == 2 ? 2 * COU_PI * q : 4 * COU_PI * q * q) / STEPS * bessel(beta, q);
        sum += shell, first += q * shell;
    }
    kernel.scale = 1 / (sum * pow(support, dimension)), kernel.mean = first / sum * support;
    return kernel;
}

// Energy of pairs in units of sigma d^(n - 1), distances in spacings.
typedef struct AreaLaw {
    double support, factor; // A
    Bessel broad, narrow;
} AreaLaw;

static AreaLaw make_area_law(double support, int dimension)
{
    AreaLaw law = {.support = support};
    law.broad = make_bessel(4 * support, support, dimension), law.narrow = make_bessel(5.2 * support, support, dimension);
    law.factor = (dimension == 2 ? 2 * COU_PI : 8) / (law.broad.mean - 0.9 * law.narrow.mean);
    return law;
}

static double smooth_energy(const AreaLaw *law, double r)
{
    double q = r / law->support;
    if (q >= 1) return 0;
    return law->factor * (0.9 * law->narrow.scale * bessel(law->narrow.beta, q) - law->broad.scale * bessel(law->broad.beta, q));
}

static double core_energy(double r) { return r < 0.75 ? 2 * pow(1 - r * r / (0.75 * 0.75), 2) : 0; }

// Pairs across a plane of a lattice have twice the energy of the surface that parts them. Neighbours that keep their distance add
// two per cent, with less support more.
static void test_area_of_a_plane(void **context)
{
    (void)context;
    for (int n = 2; n <= 3; ++n)
        for (double support = 3; support < 4.1; support += 0.25) {
            AreaLaw law = make_area_law(support, n);
            double sum = 0;
            for (int k = 1; k <= 4; ++k) // k pairs of rows are k spacings apart
                for (int i = -4; i <= 4; ++i)
                    for (int j = n == 3 ? -4 : 0; j <= (n == 3 ? 4 : 0); ++j)
                        sum += k * smooth_energy(&law, sqrt((double)(k * k + i * i + j * j)));
            CHECK_NEAR(-0.5 * sum, 1, 0.03, n);
        }
}

// Energy of a particle with all others, the solids' among them / V [N/m^2].
static double pair_energy(const couWorld *world, const Reference *r, const AreaLaw *law, size_t i)
{
    const couFluid *fluid = &world->fluid;
    double d = fluid->spacing, own = fluid->materials[couFluid_Material(fluid)[i]].surface_tension, sum = 0;
    FOR_ROWS(r, j)
    {
        double distance = length(offset(r, i, j)) / d;
        if (i == j) continue;
        if (j < r->count) {
            double other = fluid->materials[couFluid_Material(fluid)[j]].surface_tension;
            sum += fmin(own, other) * (smooth_energy(law, distance) + core_energy(distance));
        } else {
            sum += 0.5 * own * r->volume[j] * smooth_energy(law, distance);
        }
    }
    return sum / d;
}

// Forces are what the energy loses, and turn nothing: its value does not change when everything moves or turns together.
static void check_area(Case c)
{
    couWorld *world = make_cloud(&c);
    sph_params(world)->kernel = c.seed % 3;
    AreaLaw law = make_area_law(c.dimension == 3 ? 3 : 3.5, c.dimension);
    float dt = 0.02f;
    couStepReport report = {0};
    couStep step = open_pairs(world, dt, &report);
    Reference r = make_reference(world);
    double magnitude, largest = 0, turning = 0;
    Vec before = fluid_momentum(world, &magnitude), torque = {0, 0, 0}, lost, given = {0, 0, 0};
    couSph_PullSurface(&step, dt);
    assert_false(step.has_failed);
    for (size_t i = 0; i < r.count; ++i) {
        Vec kick = sub(from_record(couFluid_Velocity(&world->fluid)[i]), r.v[i]), x = r.x[i];
        double mass = world->fluid.mass[couFluid_Material(&world->fluid)[i]];
        Vec turn = {x.y * kick.z - x.z * kick.y, x.z * kick.x - x.x * kick.z, x.x * kick.y - x.y * kick.x};
        torque = add_scaled(torque, mass, turn);
        turning += mass * length(x) * length(kick);
        if (i % 25) continue;
        double density = world->fluid.materials[couFluid_Material(&world->fluid)[i]].density, tiny = 1e-5 * r.h;
        double *axis[3] = {&r.x[i].x, &r.x[i].y, &r.x[i].z}, slope[3] = {0};
        for (int a = 0; a < c.dimension; ++a) {
            double at = *axis[a];
            *axis[a] = at + tiny, slope[a] = pair_energy(world, &r, &law, i);
            *axis[a] = at - tiny, slope[a] = (slope[a] - pair_energy(world, &r, &law, i)) / (2 * tiny);
            *axis[a] = at;
        }
        Vec expected = add_scaled((Vec){0, 0, 0}, -dt / density, (Vec){slope[0], slope[1], slope[2]});
        CHECK_NEAR(length(sub(kick, expected)), 0, 5e-4 * length(expected) + 2e-5, c.seed);
        largest = fmax(largest, length(expected));
    }
    assert_true(largest > 0.01);
    lost = sub(before, fluid_momentum(world, NULL));
    for (size_t b = 0; b < world->bodies.count; ++b) {
        const double *impulse = world->bodies.items[b].pushed;
        given = add_scaled(given, 1, (Vec){impulse[0], impulse[1], impulse[2]});
    }
    if (c.has_bodies) assert_true(length(lost) > 1e-3 * magnitude);
    CHECK_AT_MOST(length(sub(lost, given)), 1e-6 * magnitude, c.seed);
    if (!c.has_bodies) CHECK_AT_MOST(length(torque), 1e-5 * turning, c.seed);
    free_reference(&r);
    couDestroyWorld(world);
}

static void test_area(void **context)
{
    (void)context;
    for (int n = 0; n < 9; ++n)
        check_area((Case){n & 1 ? "mueller" : "dfsph", n < 6 ? 2 + n / 3 : 3, n % 3 ? 1 : 2, n >= 6, cou_tensionArea, 40 + n});
}

static void test_references(void **context)
{
    (void)context;
    static const char *const methods[] = {"dfsph", "mueller"};
    int seed = 1;
    for (int tension = cou_tensionColor; tension <= cou_tensionCohesion; ++tension)
        for (int m = 0; m < 2; ++m)
            for (int n = 0; n < 6; ++n) check_tension((Case){methods[m], n & 1 ? 3 : 2, n < 2 ? 2 : 1, n >= 4, tension, seed++});
}

// Which kind acts by itself, and none where nothing pulls.
static void test_choice(void **context)
{
    (void)context;
    for (int m = 0; m < SPH_METHODS; ++m) {
        couWorld *world = make_sph_world(sph_methods[m], 3, SPACING, EARTH);
        add_tense(world, 1000, 0.07f, 0);
        prepare_world(world);
        assert_int_equal(sph_state(world)->tension_kind, m == 0 ? cou_tensionColor : cou_tensionNone);
        sph_params(world)->tension = cou_tensionCohesion;
        prepare_world(world);
        assert_int_equal(sph_state(world)->tension_kind, cou_tensionCohesion);
        assert_true(isfinite(sph_state(world)->tension_step));
        couDestroyWorld(world);
        world = make_sph_world(sph_methods[m], 3, SPACING, EARTH);
        add_tense(world, 1000, 0, 0);
        sph_params(world)->tension = cou_tensionCohesion;
        prepare_world(world);
        assert_int_equal(sph_state(world)->tension_kind, cou_tensionNone);
        couDestroyWorld(world);
    }
}

// --- Drops -------------------------------------------------------------------------------------------------------------------

// Longest over shortest axis of inertia; a sphere has 1.
static double oblongness(const couWorld *world)
{
    couMeasurement m = couWorld_Measure(world);
    double moment[3] = {0};
    for (size_t i = 0; i < world->fluid.table.count; ++i) {
        couVec4 x = couFluid_Position(&world->fluid)[i];
        double d[3] = {x.x - m.center[0], x.y - m.center[1], x.z - m.center[2]};
        for (int a = 0; a < 3; ++a) moment[a] += d[a] * d[a];
    }
    double most = fmax(moment[0], moment[1]), least = fmin(moment[0], moment[1]);
    if (world->def.dimension == 3) most = fmax(most, moment[2]), least = fmin(least, moment[2]);
    return sqrt(most / least);
}

// Smallest distance of two particles / d.
static double closest(const couWorld *world)
{
    double least = INFINITY;
    for (size_t i = 0; i < world->fluid.table.count; ++i)
        for (size_t j = 0; j < i; ++j)
            least = fmin(least, length(sub(from_record(couFluid_Position(&world->fluid)[i]),
                                           from_record(couFluid_Position(&world->fluid)[j]))));
    return least / SPACING;
}

static void check_drop(const char *method, int dimension, int tension, float sigma, double seconds, double limit)
{
    couWorldDef def = sph_def(method, dimension, SPACING, NO_GRAVITY);
    def.speed = 2; // for equations of state: stiff enough for the pressure in the drop
    couWorld *world = make_sph_world_from(&def);
    sph_params(world)->tension = tension;
    couMaterialId liquid = add_tense(world, 1000, sigma, 8);
    float n = dimension == 3 ? 8 : 12; // twice as long as wide
    add_lattice(world, liquid, make_box(2 * n * SPACING, n * SPACING, n * SPACING), at(0, 0, 0));
    double roundest = oblongness(world);
    CHECK_RANGE(roundest, 1.9, 2.1, 0);
    for (int k = 0; k < 20; ++k) {
        couStepReport report = couWorld_Advance(world, seconds / 20);
        CHECK_HEALTHY(&report);
        roundest = fmin(roundest, oblongness(world));
    }
    CHECK_RANGE(roundest, 1, limit, 10 * dimension + tension);
    // Nothing has left the drop.
    couMeasurement m = couWorld_Measure(world);
    float reach = 2 * n * SPACING;
    for (size_t i = 0; i < world->fluid.table.count; ++i) {
        Vec x = from_record(couFluid_Position(&world->fluid)[i]);
        CHECK_AT_MOST(length(sub(x, (Vec){m.center[0], m.center[1], m.center[2]})), reach, tension);
    }
    if (tension == cou_tensionArea) CHECK_RANGE(closest(world), 0.6, 1, dimension);
    couDestroyWorld(world);
}

// A box twice as long as wide stays one without tension. With it, it becomes rounder: how much depends on the model.
static void test_drop_2d(void **context)
{
    (void)context;
    check_drop("dfsph", 2, cou_tensionColor, 20, 1, 1.8);
    check_drop("dfsph", 2, cou_tensionCohesion, 20, 1, 1.8);
    check_drop("wcsph", 2, cou_tensionCohesion, 20, 1, 1.85);
    check_drop("mueller", 2, cou_tensionColor, 20, 0.4, 1.2);
    check_drop("mueller", 2, cou_tensionArea, 20, 1, 1.2);
    check_drop("wcsph", 2, cou_tensionArea, 20, 1, 1.2);
    check_drop("dfsph", 2, cou_tensionArea, 20, 1, 1.2);
}

static void test_drop_3d(void **context)
{
    (void)context;
    check_drop("dfsph", 3, cou_tensionColor, 20, 0.4, 1.5);
    check_drop("iisph", 3, cou_tensionCohesion, 20, 0.6, 1.35);
    check_drop("wcsph", 3, cou_tensionArea, 20, 0.6, 1.2);
}

static void test_drop_without_tension(void **context)
{
    (void)context;
    couWorld *world = make_sph_world("dfsph", 2, SPACING, NO_GRAVITY);
    sph_params(world)->tension = cou_tensionCohesion;
    couMaterialId liquid = add_tense(world, 1000, 0, 8);
    add_lattice(world, liquid, make_box(24 * SPACING, 12 * SPACING, 1), at(0, 0, 0));
    double before = oblongness(world);
    couWorld_Advance(world, 0.5);
    CHECK_NEAR(oblongness(world), before, 0.01, 0);
    couDestroyWorld(world);
}

// --- Laplace's pressure ------------------------------------------------------------------------------------------------------

// Attraction of two particles of a lone liquid [N], distance in spacings.
static double area_attraction(const AreaLaw *law, double r)
{
    double tiny = 1e-5;
    double after = smooth_energy(law, r + tiny) + core_energy(r + tiny),
           before = smooth_energy(law, r - tiny) + core_energy(r - tiny);
    return (after - before) / (2 * tiny);
}

// Pressure inside a drop / (sigma/R), 2 sigma/R in space: the mean normal stress of all pairs, which lies along the line between
// the two and fades out from the centre to a support radius below the surface. Rings of particles that end at once would show
// their own stress instead.
static double laplace_ratio(const couWorld *world, const AreaLaw *law, double sigma, double radius)
{
    const couFluid *fluid = &world->fluid;
    const couSphState *state = fluid->method_state;
    const float *pressure = couTable_Data(&fluid->table, fluid->pressure_column);
    int n = fluid->dimension;
    double d = fluid->spacing, V = pow(d, n), b = radius - fluid->h, sum = 0;
    couMeasurement m = couWorld_Measure(world);
    Vec center = {m.center[0], m.center[1], m.center[2]};
    for (size_t i = 0; i < fluid->table.count; ++i)
        for (size_t j = 0; j < i; ++j) {
            Vec xi = sub(from_record(couFluid_Position(fluid)[i]), center),
                xj = sub(from_record(couFluid_Position(fluid)[j]), center);
            Vec between = sub(xj, xi);
            double r = length(between), share = 0;
            if (r >= fluid->h) continue;
            for (int k = 0; k < 6; ++k)
                share += pow(fmax(1 - pow(length(add_scaled(xi, (k + 0.5) / 6, between)) / b, 2), 0), 2) / 6;
            double slope = state->density_unit * couKernel_Slope(&state->density_kernel, r);
            double pull = V * V * ((double)pressure[i] + pressure[j]) * slope +
                          sigma * pow(d, n - 2) * area_attraction(law, r / d);
            sum -= share * r * pull;
        }
    double volume = n == 2 ? COU_PI * b * b / 3 : 32 * COU_PI * b * b * b / 105;
    return sum / (n * volume) * radius / ((n - 1) * sigma);
}

// Thick drops, whose viscosity must not bear a part of the tension: their solvers take steps of more than rho d^2 / viscosity.
static void check_laplace(const char *method, int dimension, double across, double seconds)
{
    double radius = 0.02, sigma = 0.07, d = radius / across, mean = 0;
    couWorld *world = make_sph_world(method, dimension, (float)d, NO_GRAVITY);
    sph_params(world)->tension = cou_tensionArea;
    couMaterialId liquid = add_tense(world, 1000, (float)sigma, 0.2f);
    int reach = (int)across + 2, count = 0;
    unsigned random = 7;
    size_t capacity = (size_t)pow(2 * reach + 1, dimension);
    couVec3 *places = calloc(capacity, sizeof *places);
    assert_non_null(places);
    for (int i = -reach; i <= reach; ++i)
        for (int j = -reach; j <= reach; ++j)
            for (int k = dimension == 3 ? -reach : 0; k <= (dimension == 3 ? reach : 0); ++k) {
                if (i * i + j * j + k * k > across * across) continue;
                float x[3] = {(float)i, (float)j, (float)k};
                for (int a = 0; a < dimension; ++a)
                    random = random * 1664525u + 1013904223u, x[a] += 0.3f * ((float)(random >> 8) / 16777216.0f - 0.5f);
                places[count++] = (couVec3){(float)d * x[0], (float)d * x[1], (float)d * x[2]};
            }
    couFaults faults = {0};
    assert_true(couWorld_AddParticles(world, liquid, places, NULL, (size_t)count, &faults));
    free(places);
    radius = d * pow(count / (dimension == 2 ? COU_PI : 4 * COU_PI / 3), 1.0 / dimension);
    AreaLaw law = make_area_law(dimension == 3 ? 3 : 3.5, dimension);
    for (int k = 0; k < 30; ++k) {
        couStepReport report = couWorld_Advance(world, seconds / 30);
        CHECK_HEALTHY(&report);
        if (k >= 10) mean += laplace_ratio(world, &law, sigma, radius) / 20;
    }
    print_message("%s, %dD, R = %g d: %.3f of Laplace's pressure\n", method, dimension, across, mean);
    CHECK_NEAR(mean, 1, 0.1, dimension);
    couDestroyWorld(world);
}

static void test_laplace(void **context)
{
    (void)context;
    check_laplace("dfsph", 2, 12, 1);
    check_laplace("iisph", 2, 12, 1);
    check_laplace("pcisph", 2, 16, 1);
    check_laplace("dfsph", 3, 8, 0.3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_references),
        cmocka_unit_test(test_area_of_a_plane),
        cmocka_unit_test(test_area),
        cmocka_unit_test(test_choice),
        cmocka_unit_test(test_drop_2d),
        cmocka_unit_test(test_drop_3d),
        cmocka_unit_test(test_drop_without_tension),
        cmocka_unit_test(test_laplace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
