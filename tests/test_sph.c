// What the SPH methods share: densities, gradients and diagonals against sums over all pairs in double precision, the density
// error that is reported, particles in one place, thin walls, and parameters out of range.
#include "sph_test.h"

#define SPACING 0.02f

// --- Pairs -------------------------------------------------------------------------------------------------------------------

typedef struct PairCase {
    int dimension, materials, kernel;
    float support; // h / d
    float fill;
    bool has_bodies, is_periodic;
    int seed;
} PairCase;

// A cloud with the density of a liquid, and a box and a sphere in it.
static couWorld *make_cloud(const PairCase *c)
{
    bool is_3d = c->dimension == 3;
    float size = is_3d ? 0.2f : 0.5f;
    couWorldDef def = sph_def("dfsph", c->dimension, SPACING, NO_GRAVITY);
    if (c->is_periodic) {
        def.period = (couVec3){size, is_3d ? 0 : size, is_3d ? size : 0};
        def.period_lower = (couVec3){-0.5f * size, -0.5f * size, -0.5f * size};
    }
    couWorld *world = make_sph_world_from(&def);
    couSphParams *p = sph_params(world);
    p->kernel = c->kernel, p->support = c->support, p->fill = c->fill;
    for (int m = 0; m < c->materials; ++m) add_liquid(world, m == 0 ? 1000 : m == 1 ? 250 : 3300, 0.001f);
    if (c->has_bodies) {
        add_body(world, make_box(0.4f * size, 0.3f * size, 0.5f * size), turned(0.3f * size, 0.2f * size, 0, 0.4f), 0);
        add_body(world, make_sphere(0.2f * size), at(-0.35f * size, -0.3f * size, 0), 0.5f);
    }
    add_cloud(world, is_3d ? 900 : 600, size, 0.4f * SPACING, c->materials, 1.0f, c->seed);
    sph_params(world)->wall_pressure = cou_wallPressureNeighbor; // the papers'; test_wall_pressure.c has the other
    return world;
}

// The stored gradients of one particle are the rounded ones of all rows within h, and of no others.
static void check_gradients(const Reference *r, const couSphLoop *loop, size_t i, Vec *seen, uint8_t *is_seen, int seed)
{
    memset(is_seen, 0, r->rows);
    for (int solid = 0; solid < 2; ++solid)
        for (int k = 0; k < list_count(loop, i, solid); ++k) {
            size_t row;
            Vec g = stored_gradient(loop, i, k, solid, &row);
            assert_true(row < r->rows && (row < r->count || row >= r->base) && (row >= r->base) == solid);
            assert_false(is_seen[row]);
            is_seen[row] = 1, seen[row] = g;
        }
    FOR_ROWS(r, j)
    {
        Vec exact = pair_gradient(r, i, j), got = is_seen[j] ? seen[j] : (Vec){0, 0, 0};
        double unit = loop->gradient_scale[j >= r->base], tolerance = 0.501 * unit + 3e-6 * length(exact);
        CHECK_NEAR(got.x, exact.x, tolerance, seed);
        CHECK_NEAR(got.y, exact.y, tolerance, seed);
        CHECK_NEAR(got.z, exact.z, tolerance, seed);
    }
}

// To the last bit: momentum depends on it.
static void check_opposites(const couSphLoop *loop, size_t i, int seed)
{
    for (int k = 0; k < list_count(loop, i, false); ++k) {
        size_t j, back;
        Vec g = stored_gradient(loop, i, k, false, &j);
        bool is_found = false;
        for (int l = 0; l < list_count(loop, j, false); ++l) {
            Vec other = stored_gradient(loop, j, l, false, &back);
            if (back != i) continue;
            is_found = true;
            if (other.x != -g.x || other.y != -g.y || other.z != -g.z)
                fail_msg("G_ij is not -G_ji for %zu and %zu, seed %d", i, j, seed);
        }
        assert_true(is_found);
    }
}

static double brute_diagonal(const Reference *r, size_t i)
{
    Vec sum = {0, 0, 0};
    double squares = 0;
    FOR_ROWS(r, j)
    {
        Vec g = pair_gradient(r, i, j);
        sum = add_scaled(sum, 1, g);
        if (j < r->count) squares += r->weight[j] * dot(g, g);
    }
    return r->weight[i] * dot(sum, sum) + squares;
}

// Fastest along a pair, or towards a wall along the sum of its gradients.
static double brute_relative_speed(const Reference *r)
{
    double fastest = 0;
    for (size_t i = 0; i < r->count; ++i) {
        Vec wall = {0, 0, 0};
        FOR_ROWS(r, j)
        {
            Vec d = offset(r, i, j);
            double distance = length(d);
            if (j >= r->base)
                wall = add_scaled(wall, 1, pair_gradient(r, i, j));
            else if (i != j && distance < r->h)
                fastest = fmax(fastest, fabs(dot(d, sub(r->v[i], r->v[j]))) / distance);
        }
        if (length(wall) > 0) fastest = fmax(fastest, fabs(dot(wall, r->v[i])) / length(wall));
    }
    return fastest;
}

static void check_pairs(PairCase c)
{
    couWorld *world = make_cloud(&c);
    couStepReport report = {0};
    couStep step = open_pairs(world, 0.001f, &report);
    couSphLoop loop = couSph_Loop(&step);
    Reference r = make_reference(world);
    assert_true(c.has_bodies == (r.rows > r.base));
    Vec *seen = calloc(r.rows, sizeof *seen);
    uint8_t *is_seen = calloc(r.rows, 1);
    double *density = brute_densities(&r);
    size_t with_walls = 0;
    double full = r.unit * r.unit * couSumKernels(&r.density_kernel, &r.gradient_kernel, SPACING).gradient2, heaviest = 0;
    for (size_t i = 0; i < r.count; ++i) heaviest = fmax(heaviest, r.weight[i]);
    for (size_t i = 0; i < r.count; ++i) {
        CHECK_NEAR(loop.density[i], density[i], 3e-6 * density[i], c.seed);
        check_gradients(&r, &loop, i, seen, is_seen, c.seed);
        check_opposites(&loop, i, c.seed);
        // Of a few far neighbours little is left after rounding: the diagonal of a full neighbourhood sets the scale.
        double diagonal = brute_diagonal(&r, i), got = loop.factor[i] > 0 ? 1 / (double)loop.factor[i] : 0;
        CHECK_NEAR(got / full, diagonal / full, 1e-3 * diagonal / full + 1e-6 * heaviest, c.seed);
        with_walls += list_count(&loop, i, true) > 0;
    }
    if (c.has_bodies) assert_true(with_walls > r.count / 20);
    double speed = brute_relative_speed(&r);
    CHECK_NEAR(world->fluid.relative_speed, speed, 1e-3 * speed, c.seed);
    free(seen), free(is_seen), free(density);
    free_reference(&r);
    couDestroyWorld(world);
}

static void test_pairs_2d(void **context)
{
    (void)context;
    int seed = 1;
    for (int kernel = cou_sphCubic; kernel <= cou_sphMueller; ++kernel)
        for (int n = 0; n < 8; ++n)
            check_pairs((PairCase){2, n & 1 ? 3 : 1, kernel, n & 1 ? 2.0f : 2.7f, n & 2 ? 0.8f : 1, n & 2, n & 4, seed++});
}

static void test_pairs_3d(void **context)
{
    (void)context;
    int seed = 101;
    for (int kernel = cou_sphCubic; kernel <= cou_sphMueller; ++kernel)
        for (int n = 0; n < 8; ++n)
            check_pairs((PairCase){3, n & 1 ? 2 : 1, kernel, n & 2 ? 2.0f : 2.5f, 1, n & 2, n & 4, seed++});
}

// A lattice has the density 1, also where a flat wall takes the place of half of it, whatever the support and the number of
// layers.
static void check_rest_density(int dimension, int kernel, int layers, float support, bool is_plane)
{
    int seed = 1000 * dimension + 100 * kernel + 10 * layers + is_plane;
    couWorld *world = make_sph_world("iisph", dimension, SPACING, EARTH);
    sph_params(world)->kernel = kernel, sph_params(world)->boundary_layers = layers, sph_params(world)->support = support;
    couMaterialId water = add_liquid(world, 1000, 0);
    float size = (dimension == 3 ? 11 : 15) * SPACING, reach = 0.5f * size - support * SPACING;
    if (is_plane)
        add_body(world, make_plane(0, 1, 0), at(0, 0, 0), 0);
    else
        add_body(world, make_box(20 * SPACING, 8 * SPACING, 20 * SPACING), at(0, -4 * SPACING, 0), 0);
    add_lattice(world, water, make_box(size, size, size), at(0, 0.5f * size, 0));
    couStepReport report = {0};
    open_pairs(world, 0.001f, &report);
    int inner = 0, lowest = 0;
    // Volumes of samples that were not taken from a plane follow from their neighbours, which are more for those between layers.
    double tolerance = is_plane || layers == 1 ? 1e-2 : 2e-2;
    for (size_t i = 0; i < world->fluid.table.count; ++i) {
        couVec4 x = couFluid_Position(&world->fluid)[i];
        if (fabsf(x.x) > reach || fabsf(x.z) > reach || x.y > size - support * SPACING) continue;
        double D = couFluid_Density(&world->fluid)[i];
        if (x.y < SPACING)
            ++lowest, CHECK_NEAR(D, 1, tolerance, seed);
        else if (x.y > support * SPACING)
            ++inner, CHECK_NEAR(D, 1, 1e-5, seed);
    }
    assert_true(inner > 10 && lowest > 3);
    couDestroyWorld(world);
}

static void test_rest_density(void **context)
{
    (void)context;
    for (int dimension = 2; dimension <= 3; ++dimension)
        for (int kernel = cou_sphCubic; kernel <= cou_sphMueller; ++kernel)
            for (int layers = 1; layers <= 3; ++layers)
                for (int n = 0; n < 4; ++n) check_rest_density(dimension, kernel, layers, n & 1 ? 2.2f : 3.3f, n & 2);
}

// --- What the report says ----------------------------------------------------------------------------------------------------

// The stated density error is that of the positions before the step.
static void test_density_error(void **context)
{
    (void)context;
    for (int m = 0; m < SPH_METHODS; ++m) {
        couWorld *world = make_sph_world(sph_methods[m], 2, SPACING, EARTH);
        add_liquid(world, 1000, 0.001f);
        add_body(world, make_tank(0.5f, 0.6f, 1, 0.05f, true), at(0, 0.05f, 0), 0);
        add_cloud(world, 600, 0.4f, 0.3f * SPACING, 1, 0.2f, 20 + m); // compressed here and thin there
        for (int n = 0; n < 3; ++n) {
            couStepReport report = {0};
            open_pairs(world, 1e-4f, &report);
            Reference r = make_reference(world);
            double *density = brute_densities(&r), mean = 0, most = 0;
            for (size_t i = 0; i < r.count; ++i)
                mean += fmax(density[i] - 1, 0) / (double)r.count, most = fmax(most, density[i] - 1);
            free(density);
            free_reference(&r);
            assert_true(mean > 0.001);
            report = couWorld_Step(world, 1e-4f);
            CHECK_HEALTHY(&report);
            CHECK_NEAR(report.density_error_mean, mean, 4e-6, 20 + m); // of densities up to 2, by sums in single precision
            CHECK_NEAR(report.density_error_max, most, 1e-5, 20 + m);
        }
        couDestroyWorld(world);
    }
}

// The speed that steps are chosen by: particles against each other and, along its normal, a wall; not that of a jet as a whole.
static void test_relative_speed(void **context)
{
    (void)context;
    for (int n = 0; n < 2; ++n) { // in front of the wall, and at it
        couWorld *world = make_sph_world("dfsph", 2, SPACING, EARTH);
        couMaterialId water = add_liquid(world, 1000, 0);
        add_body(world, make_plane(0, 1, 0), at(0, 0, 0), 0);
        float side = 8 * SPACING;
        add_jittered(world, water, make_box(side, side, 1), at(0, (n ? 4.5f : 9) * SPACING, 0), (couVec3){3, -1, 0}, 0);
        couStepReport report = {0};
        open_pairs(world, 0.001f, &report);
        CHECK_NEAR(world->fluid.relative_speed, n, 1e-3, n);
        couFluid_Velocity(&world->fluid)[0].x += 2;
        open_pairs(world, 0.001f, &report);
        CHECK_RANGE(world->fluid.relative_speed, 1.4, 2.01, n);
        couDestroyWorld(world);
    }
}

// --- Particles in one place --------------------------------------------------------------------------------------------------

static double closest_pair(const couWorld *world)
{
    const couVec4 *x = couFluid_Position(&world->fluid);
    double least = INFINITY;
    for (size_t i = 0; i < world->fluid.table.count; ++i)
        for (size_t j = 0; j < i; ++j) least = fmin(least, length(sub(from_record(x[i]), from_record(x[j]))));
    return least;
}

static void test_coincident_particles_part(void **context)
{
    (void)context;
    for (int dimension = 2; dimension <= 3; ++dimension)
        for (int m = 0; m < SPH_METHODS; ++m) {
            couFaults faults = {0};
            couWorld *world = make_sph_world(sph_methods[m], dimension, SPACING, NO_GRAVITY);
            couWorldDef def = *couWorld_Def(world);
            couDestroyWorld(world);
            def.speed = 1;
            world = make_sph_world_from(&def);
            couMaterialId water = add_liquid(world, 1000, 0.001f);
            float size = 7 * SPACING;
            add_lattice(world, water, make_box(size, size, size), at(0, 0, 0));
            couVec3 twins[3] = {{0, 0, 0}, {0, 0, 0}, {2 * SPACING, SPACING, 0}}; // on top of one of the lattice
            assert_true(couWorld_AddParticles(world, water, twins, NULL, 3, &faults));
            double before = closest_pair(world);
            CHECK_NEAR(before, 0, 1e-6, m);
            couStepReport report = couWorld_Advance(world, 0.3);
            CHECK_HEALTHY(&report);
            // The gradient of a kernel is small at small distances, so the last of them hardly part once there is room.
            CHECK_RANGE(closest_pair(world), 0.01 * SPACING, 2 * SPACING, 10 * dimension + m);
            // And not by an explosion: stiff equations of state answer twice the density with a few times the speed of sound.
            double most = world->fluid.method->traits.has_state_equation ? 2 * sph_state(world)->sound_speed : 2;
            CHECK_AT_MOST(report.max_speed, most, 10 * dimension + m);
            double sum;
            Vec p = fluid_momentum(world, &sum);
            CHECK_AT_MOST(length(p), 1e-4 * sum, 10 * dimension + m);
            couDestroyWorld(world);
        }
}

// --- Thin walls --------------------------------------------------------------------------------------------------------------

// Two pools on both sides of a plate thinner than a spacing do not see each other.
static void test_thin_plate(void **context)
{
    (void)context;
    for (int dimension = 2; dimension <= 3; ++dimension) {
        couWorld *world = make_sph_world("dfsph", dimension, SPACING, EARTH);
        couMaterialId water = add_liquid(world, 1000, 0.001f);
        float width = 6 * SPACING, height = 8 * SPACING, depth = dimension == 3 ? 5 * SPACING : 1, plate = 0.2f * SPACING;
        add_body(world, make_tank(2 * width + plate, 2 * height, depth, 0.1f, true), at(0, height, 0), 0);
        add_body(world, make_box(plate, 2 * height, 2 * depth), at(0, height, 0), 0);
        float center = 0.5f * (width + plate);
        add_lattice(world, water, make_box(width, height, depth), at(-center, 0.5f * height, 0));
        int64_t count = add_lattice(world, water, make_box(width, 0.5f * height, depth), at(center, 0.25f * height, 0));
        for (int n = 0; n < 4; ++n) {
            couStepReport report = {0};
            couStep step = open_pairs(world, 0.001f, &report);
            couSphLoop loop = couSph_Loop(&step);
            assert_true(world->fluid.has_thin_solids);
            size_t right = 0, across = 0;
            for (size_t i = 0; i < loop.count; ++i) {
                right += loop.position[i].x > 0;
                for (int k = 0; k < list_count(&loop, i, false); ++k) {
                    size_t j;
                    stored_gradient(&loop, i, k, false, &j);
                    assert_true((loop.position[i].x > 0) == (loop.position[j].x > 0));
                }
                for (size_t j = 0; j < i; ++j)
                    across += (loop.position[i].x > 0) != (loop.position[j].x > 0) &&
                              length(sub(from_record(loop.position[i]), from_record(loop.position[j]))) < world->fluid.h;
            }
            if (n == 0) assert_true(across > 5); // there are some that would see each other
            assert_int_equal(right, count);      // nobody has gone through
            report = couWorld_Advance(world, 0.05);
            CHECK_HEALTHY(&report);
        }
        couDestroyWorld(world);
    }
}

// --- Parameters out of range -------------------------------------------------------------------------------------------------

typedef struct BadFloat {
    size_t offset;
    float value;
    const char *key, *range;
} BadFloat;

#define AT(field) offsetof(couSphParams, field)

// A world where liquid comes later, without bodies: there is nothing yet to have pairs.
static void test_no_liquid_yet(void **context)
{
    (void)context;
    for (int m = 0; m < SPH_METHODS; ++m) {
        couWorld *world = make_sph_world(sph_methods[m], 2, 0.02f, EARTH);
        couEmitterDef jet = couDefaultEmitterDef();
        jet.material = add_liquid(world, 1000, 0), jet.shape = make_disk(0.1f), jet.start = 0.01f;
        add_emitter(world, &jet);
        for (int k = 0; k < 60; ++k) {
            couStepReport report = couWorld_Step(world, 1e-3f);
            CHECK_HEALTHY(&report);
            assert_false(couStepReport_HasFailed(&report));
        }
        assert_true(couWorld_Particles(world).count > 0);
        couDestroyWorld(world);
    }
}

static void test_numbers_out_of_range(void **context)
{
    (void)context;
    static const BadFloat bad[] = {
        {AT(tolerance), 0, "sph.tolerance", "tolerance is 0; it must be a number > 0 and <= 0.1"},
        {AT(tolerance), NAN, "sph.tolerance", "> 0 and <= 0.1"},
        {AT(divergence_tolerance), 0, "sph.divergence_tolerance", "> 0 and <= 0.1"},
        {AT(viscosity_tolerance), -1, "sph.viscosity_tolerance", "> 0 and <= 0.1"},
        {AT(fill), 1.3f, "sph.fill", "fill is 1.3; it must be a number from 0.2 to 1.2"},
        {AT(fill), 0, "sph.fill", "from 0.2 to 1.2"},
        {AT(support), 1, "sph.support", "from 1.5 to 5"},
        {AT(courant), -0.4f, "sph.courant", "from 0.01 to 1"},
        {AT(min_step), 0, "sph.min_step", "> 0 and <= 1"},
        {AT(min_step), -1e-3f, "sph.min_step", "> 0 and <= 1"},
        {AT(max_step), 0, "sph.max_step", "> 0 and <= 1"},
        {AT(max_step), 1e-6f, "sph.max_step", "below min_step (1e-05 s)"},
        {AT(stiffness), -10, "sph.stiffness", "> 0 and <= 1e+12"},
        {AT(exponent), 0.5f, "sph.exponent", "from 1 to 20"},
        {AT(compression), 0, "sph.compression", "from 0.0001 to 0.5"},
        {AT(damping), -0.1f, "sph.damping", "from 0 to 2"},
        {AT(omega), 0, "sph.omega", "> 0 and <= 1"},
        {AT(warm_start), -0.1f, "sph.warm_start", "from 0 to 1"},
        {AT(warm_start), 1.1f, "sph.warm_start", "from 0 to 1"},
        {AT(xsph), -0.1f, "sph.xsph", "from 0 to 1"},
        {AT(tension_threshold), -1, "sph.tension_threshold", "from 0 to 10"},
        {AT(adhesion), -1, "sph.adhesion", "from 0 to 1000"},
    };
    for (int m = 0; m < SPH_METHODS; ++m)
        for (int k = 0; k < COU_COUNT(bad); ++k) {
            couFaults faults = {0};
            couWorld *world = make_sph_world(sph_methods[m], 3, SPACING, EARTH);
            add_liquid(world, 1000, 0.001f);
            memcpy((char *)sph_params(world) + bad[k].offset, &bad[k].value, sizeof(float));
            assert_false(couWorld_Prepare(world, &faults));
            CHECK_FAULT(&faults, bad[k].key, bad[k].range);
            couParams_SetDefaults(&couSphParamTable, sph_params(world));
            prepare_world(world); // and all is well again
            couDestroyWorld(world);
        }
}

static void test_counts_out_of_range(void **context)
{
    (void)context;
    static const struct BadInt {
        size_t offset;
        int value;
        const char *key, *range;
    } bad[] = {
        {AT(min_iterations), -1, "sph.min_iterations", "a whole number from 0 to 1000"},
        {AT(max_iterations), 0, "sph.max_iterations", "a whole number from 1 to 100000"},
        {AT(max_iterations), 1, "sph.max_iterations", "1 is below min_iterations (2)"},
        {AT(boundary_layers), -1, "sph.boundary_layers", "a whole number from 0 to"},
        {AT(boundary_layers), 6, "sph.boundary_layers", "a whole number from 0 to"},
        {AT(kernel), 5, "sph.kernel", "cubic, wendland, mueller, kaiser, auto"},
        {AT(viscosity), -1, "sph.viscosity", "auto, laplacian, implicit, none"},
        {AT(tension), 9, "sph.tension", "auto, none, color, cohesion"},
        {AT(boundary), 3, "sph.boundary", "akinci, ghost, ghost-air"},
        {AT(acceleration), 3, "sph.acceleration", "auto, none, two-levels"},
    };
    for (int k = 0; k < COU_COUNT(bad); ++k) {
        couFaults faults = {0};
        couWorld *world = make_sph_world("dfsph", 3, SPACING, EARTH);
        memcpy((char *)sph_params(world) + bad[k].offset, &bad[k].value, sizeof(int));
        assert_false(couWorld_Prepare(world, &faults));
        CHECK_FAULT(&faults, bad[k].key, bad[k].range);
        couDestroyWorld(world);
    }
}

static void test_periods_out_of_range(void **context)
{
    (void)context;
    couFaults faults = {0};
    couWorldDef def = sph_def("iisph", 2, SPACING, EARTH);
    def.period = (couVec3){0.3f, 0.12f, 0.01f}; // h = 0.045: at least 0.1395; z means nothing in 2D
    couWorld *world = make_sph_world_from(&def);
    assert_false(couWorld_Prepare(world, &faults));
    CHECK_FAULT(&faults, "scene.period", "y: 0.12 m is too short: at least 3.1 support radii (0.1395 m) must fit");
    couDestroyWorld(world);
    def.period.y = 0.1396f;
    world = make_sph_world_from(&def);
    prepare_world(world);
    couDestroyWorld(world);
    def = couDefaultWorldDef();
    def.period.x = 1;
    assert_null(couCreateWorld(&def, &faults));
    CHECK_FAULT(&faults, "scene.period", "pvfs does not know periods");
}

// All faults in one go.
static void test_several_faults(void **context)
{
    (void)context;
    couFaults faults = {0};
    couWorldDef def = sph_def("dfsph", 3, SPACING, EARTH);
    def.period.x = 0.1f;
    couWorld *world = make_sph_world_from(&def);
    couSphParams *p = sph_params(world);
    p->fill = 2, p->tolerance = -1, p->max_step = 1e-6f, p->max_iterations = 1;
    assert_false(couWorld_Prepare(world, &faults));
    assert_int_equal(faults.count, 5);
    couFaults_Clear(&faults);
    couDestroyWorld(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pairs_2d),
        cmocka_unit_test(test_pairs_3d),
        cmocka_unit_test(test_rest_density),
        cmocka_unit_test(test_density_error),
        cmocka_unit_test(test_relative_speed),
        cmocka_unit_test(test_coincident_particles_part),
        cmocka_unit_test(test_thin_plate),
        cmocka_unit_test(test_no_liquid_yet),
        cmocka_unit_test(test_numbers_out_of_range),
        cmocka_unit_test(test_counts_out_of_range),
        cmocka_unit_test(test_periods_out_of_range),
        cmocka_unit_test(test_several_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
