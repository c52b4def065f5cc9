// Gauges: fields between particles against what they are made of, levels, flow against a count of particles, hydrostatic
// pressure, forces on patches; states; the same bits for any number of threads; faults.
#include "sph_test.h"

#include "world/gauges.h"

// --- What the tests share ----------------------------------------------------------------------------------------------------

static couGaugeDef make_gauge(const char *name, couGaugeWhat what, couGaugePlace place, double every)
{
    couGaugeDef def = couDefaultGaugeDef();
    snprintf(def.name, sizeof def.name, "%s", name);
    def.what = (int)what, def.place = (int)place, def.every = every;
    return def;
}

static couGaugeDef at_point(const char *name, couGaugeWhat what, couVec3 x, double every)
{
    couGaugeDef def = make_gauge(name, what, cou_gaugeAtPoint, every);
    def.corners[0] = x, def.corner_count = 1;
    return def;
}

static couGaugeDef on_line(const char *name, couGaugeWhat what, couVec3 a, couVec3 b, double every)
{
    couGaugeDef def = make_gauge(name, what, cou_gaugeAlongLine, every);
    def.corners[0] = a, def.corners[1] = b, def.corner_count = 2;
    return def;
}

static couGaugeId add_gauge(couWorld *world, const couGaugeDef *def)
{
    couFaults faults = {0};
    couGaugeId id = couWorld_AddGauge(world, def, &faults);
    CHECK_NO_FAULTS(&faults);
    assert_int_not_equal(id.index1, 0);
    return id;
}

// What a gauge would measure now, without a step.
static void measure(couWorld *world, const couGaugeDef *def, double *values)
{
    couGaugeCloud cloud = couWorld_Cloud(world);
    couVicinity near = {0};
    assert_true(couMeasureGauge(def, &cloud, &near, values));
    couVicinity_Free(&near);
}

static couVec3 linear_velocity(void *context, couVec3 x)
{
    (void)context;
    return (couVec3){1 + 2 * x.x - x.y, 3 * x.y, -x.z + x.x};
}

static void fill_linear(couWorld *world, couShape *shape, couPose pose, float jitter)
{
    couFaults faults = {0};
    couFluidDef def = couDefaultFluidDef();
    def.material = couWorld_MaterialAt(world, 0), def.shape = shape, def.pose = pose, def.jitter = jitter;
    def.velocity_function = linear_velocity;
    assert_true(couWorld_AddFluid(world, &def, &faults) > 0);
    couShape_Release(shape);
}

// A tank of water in the plane, from x = 0 to `width` and y = 0 up, with planes for walls; the floor comes first.
static couWorld *make_pool(const char *method, float spacing, float width, float depth, couBodyId *floor, int threads)
{
    couWorldDef def = sph_def(method, 2, spacing, EARTH);
    def.threads = threads;
    couWorld *world = make_sph_world_from(&def);
    couMaterialId water = add_liquid(world, 1000, 0.001f);
    *floor = add_body(world, make_plane(0, 1, 0), at(0, 0, 0), 0);
    add_body(world, make_plane(1, 0, 0), at(0, 0, 0), 0);
    add_body(world, make_plane(-1, 0, 0), at(width, 0, 0), 0);
    add_lattice(world, water, make_box(width, depth, 1), at(0.5f * width, 0.5f * depth, 0));
    return world;
}

// --- Fields ------------------------------------------------------------------------------------------------------------------

static void test_linear_fields_are_exact(void **context)
{
    (void)context;
    const couVec3 places[] = {{0.01f, 0.003f, 0}, {-0.2f, 0.05f, 0.02f}, {0.2f, 0.2f, 0.2f}, {0, -0.2f, 0}};
    for (int dimension = 2; dimension <= 3; ++dimension) {
        couWorld *world = make_sph_world("dfsph", dimension, 0.02f, NO_GRAVITY);
        add_liquid(world, 1000, 0);
        fill_linear(world, make_box(0.4f, 0.4f, 0.4f), at(0, 0, 0), 0.3f);
        prepare_world(world);
        for (int k = 0; k < COU_COUNT(places); ++k) { // inside, at a face, in a corner
            couVec3 x = places[k];
            if (dimension == 2) x.z = 0;
            couGaugeDef def = at_point("v", cou_gaugeVelocity, x, 1);
            double got[4];
            measure(world, &def, got);
            couVec3 v = linear_velocity(NULL, x);
            const float expected[3] = {v.x, v.y, v.z};
            for (int a = 0; a < dimension; ++a) CHECK_NEAR(got[a], expected[a], 1e-5, k);
            CHECK_RANGE(got[dimension], 0.05, k ? 0.7 : 1.1, k);
        }
        couGaugeDef away = at_point("p", cou_gaugePressure, (couVec3){5, 5, 0}, 1);
        double dry[2];
        measure(world, &away, dry);
        CHECK_NEAR(dry[0], 0, 0, 0);
        CHECK_NEAR(dry[1], 0, 0, 0);
        couDestroyWorld(world);
    }
}

static void test_profiles_and_regions(void **context)
{
    (void)context;
    couWorld *world = make_sph_world("dfsph", 3, 0.02f, NO_GRAVITY);
    add_liquid(world, 1000, 0);
    fill_linear(world, make_box(0.4f, 0.4f, 0.4f), at(0, 0, 0), 0);
    prepare_world(world);
    couGaugeDef line = on_line("line", cou_gaugeVelocity, (couVec3){-0.1f, 0, 0}, (couVec3){0.1f, 0, 0}, 1);
    line.points = 5;
    assert_int_equal(couCountGaugeColumns(&line, 3), 16);
    assert_string_equal(couDescribeGaugeColumn(&line, 3, 4).name, "line_2_y");
    assert_string_equal(couDescribeGaugeColumn(&line, 3, 15).name, "line_support");
    double got[16];
    measure(world, &line, got);
    for (int k = 0; k < 5; ++k) CHECK_NEAR(got[3 * k], 1 + 2 * (-0.1 + 0.05 * k), 1e-5, k);

    couGaugeDef region = make_gauge("r", cou_gaugeVelocity, cou_gaugeInRegion, 1);
    region.shape = make_box(0.2f, 0.2f, 0.2f);
    const double v = 0.02 * 0.02 * 0.02,
                 expected[4][3] = {{1, 0, 0}, {1 - 0.18 - 0.09, -0.27, -0.18}, {1 + 0.18 + 0.09, 0.27, 0.18}, {1000 * v, 0, 0}};
    for (int stat = 0; stat < 4; ++stat) {
        region.stat = stat;
        measure(world, &region, got);
        for (int a = 0; a < 3; ++a) CHECK_NEAR(got[a], expected[stat][a], 1e-5, stat);
        CHECK_NEAR(got[3], 1000, 0, stat);
    }
    region.what = cou_gaugeMass;
    measure(world, &region, got);
    CHECK_NEAR(got[0], 1000 * 1000 * v, 1e-4, 0);
    couShape_Release(region.shape);
    couDestroyWorld(world);

    // A triangle in the plane, turned: half of the square's particles, up to those on its edge.
    world = make_sph_world("dfsph", 2, 0.02f, NO_GRAVITY);
    add_liquid(world, 1000, 0);
    fill_linear(world, make_box(0.4f, 0.4f, 1), at(0, 0, 0), 0);
    prepare_world(world);
    const couVec3 corners[3] = {{-0.5f, -0.499f, 0}, {0.5f, -0.499f, 0}, {0.5f, 0.501f, 0}};
    region = make_gauge("t", cou_gaugeVolume, cou_gaugeInRegion, 1);
    region.shape = make_shape((couShapeDef){.kind = cou_shapePolygon, .points = corners, .point_count = 3, .height = 1});
    region.pose = turned(0, 0, 0, 3.14159265f);
    measure(world, &region, got);
    CHECK_NEAR(got[1], 210, 0, 0);
    CHECK_NEAR(got[0], 210 * 4e-4, 1e-6, 0);
    couShape_Release(region.shape);
    couDestroyWorld(world);
}

static void test_level_of_still_water(void **context)
{
    (void)context;
    const float d = 0.02f, places[] = {0.2f, 0.207f, 0.001f, 0.011f, 0.4f}; // inside, and at walls
    for (int dimension = 2; dimension <= 3; ++dimension) {
        couWorld *world = make_sph_world("dfsph", dimension, d, EARTH);
        couMaterialId water = add_liquid(world, 1000, 0);
        add_body(world, make_tank(0.4f, 0.6f, 0.4f, 0.1f, true), at(0.2f, 0.3f, 0), 0);
        add_lattice(world, water, make_box(0.4f, 0.26f, 0.4f), at(0.2f, 0.13f, 0));
        prepare_world(world);
        for (int k = 0; k < COU_COUNT(places); ++k) {
            couGaugeDef def = on_line("level", cou_gaugeLevel, (couVec3){places[k], 0, 0}, (couVec3){places[k], 0.5f, 0}, 1);
            double level;
            measure(world, &def, &level);
            CHECK_NEAR(level, 0.26, 0.05 * (double)d, k);
        }
        couGaugeDef dry = on_line("dry", cou_gaugeLevel, (couVec3){0.2f, 0.4f, 0}, (couVec3){0.2f, 0.5f, 0}, 1);
        couGaugeDef wet = on_line("wet", cou_gaugeLevel, (couVec3){0.2f, 0, 0}, (couVec3){0.2f, 0.1f, 0}, 1);
        double level;
        measure(world, &dry, &level);
        CHECK_NEAR(level, 0, 0, 0);
        measure(world, &wet, &level);
        CHECK_NEAR(level, 0.1, 1e-7, 0);
        couDestroyWorld(world);
    }
}

// --- Flow --------------------------------------------------------------------------------------------------------------------

// A block of particles flies through a window half as high as itself, and back: whole particles, none twice.
static void test_flow_counts_particles(void **context)
{
    (void)context;
    for (int dimension = 2; dimension <= 3; ++dimension) {
        couWorld *world = make_sph_world("dfsph", dimension, 0.02f, NO_GRAVITY);
        couMaterialId water = add_liquid(world, 1000, 0);
        add_jittered(world, water, make_box(0.2f, 0.2f, 0.2f), at(-0.12f, 0, 0), (couVec3){1, 0, 0}, 0);
        couGaugeDef def = make_gauge("q", cou_gaugeFlow, cou_gaugeAcrossPolygon, 0.05);
        // Seen from +x; in the plane along +y, so that +x is to the right.
        const couVec3 corners[4] = {{0, 0, -1}, {0, 1, -1}, {0, 1, 1}, {0, 0, 1}};
        const couVec3 segment[2] = {{0, 0, 0}, {0, 1, 0}};
        def.corner_count = dimension == 3 ? 4 : 2;
        memcpy(def.corners, dimension == 3 ? corners : segment, (size_t)def.corner_count * sizeof(couVec3));
        couGaugeId gauge = add_gauge(world, &def);
        double volume = pow(0.02, dimension), half = 5 * (dimension == 3 ? 10 : 1); // of the rows, in each layer
        for (int k = 0; k < 5; ++k) {
            couWorld_Advance(world, 0.1);
            double got[2], layers = fmin(10, fmax(0, floor((0.1 * (k + 1) - 0.02 - 0.01) / 0.02 + 1 - 1e-6)));
            couWorld_GaugeValues(world, gauge, got, 2);
            CHECK_NEAR(got[1], layers * half * volume, 1e-6 * got[1] + (k == 2 ? 0 : half * volume), k);
        }
        double got[2];
        couWorld_GaugeValues(world, gauge, got, 2);
        CHECK_NEAR(got[1], 10 * half * volume, 1e-6 * got[1], dimension);
        CHECK_NEAR(got[0], 0, 0, dimension);
        couDestroyWorld(world);
    }
}

// --- Water at rest -----------------------------------------------------------------------------------------------------------

typedef struct Mean {
    double sum, square;
    int count;
} Mean;

static void add_to(Mean *mean, double value) { mean->sum += value, mean->square += value * value, mean->count++; }

// Pressures at three depths, the level, the force on the floor and on a patch of it.
static void test_hydrostatic(void **context)
{
    (void)context;
    const float d = 0.02f, width = 0.6f, depth = 0.4f;
    const double depths[3] = {0.1, 0.2, 0.3}, rho_g = 9810;
    couBodyId floor;
    couWorld *world = make_pool("dfsph", d, width, depth, &floor, 1);
    couGaugeId points[3], level, weight, patch;
    for (int k = 0; k < 3; ++k) {
        char name[8];
        snprintf(name, sizeof name, "p%d", k + 1);
        couGaugeDef def = at_point(name, cou_gaugePressure, (couVec3){0.3f, depth - (float)depths[k], 0}, 0.005);
        points[k] = add_gauge(world, &def);
    }
    couGaugeDef def = on_line("level", cou_gaugeLevel, (couVec3){0.3f, 0, 0}, (couVec3){0.3f, 0.6f, 0}, 0.02);
    level = add_gauge(world, &def);
    def = make_gauge("weight", cou_gaugeForce, cou_gaugeOnBody, 0.02);
    def.body = floor;
    weight = add_gauge(world, &def);
    def = make_gauge("patch", cou_gaugeForce, cou_gaugeOnBody, 0.02);
    def.body = floor, def.shape = make_box(0.2f, 0.3f, 1), def.pose = at(0.307f, 0, 0); // its edges anywhere
    patch = add_gauge(world, &def);
    couShape_Release(def.shape);

    Mean p[3] = {{0}}, height = {0}, force = {0}, piece = {0};
    for (int frame = 0; frame < 150; ++frame) {
        couStepReport report = couWorld_Advance(world, 0.02);
        CHECK_HEALTHY(&report);
        if (frame < 50) continue;
        couGaugeRows rows = couWorld_GaugeRows(world);
        for (int r = 0; r < rows.count; ++r)
            for (int k = 0; k < 3; ++k) {
                double value = rows.values[r * rows.column_count + 2 * k];
                if (!isnan(value)) add_to(&p[k], value);
            }
        double values[2];
        couWorld_GaugeValues(world, level, values, 1), add_to(&height, values[0]);
        couWorld_GaugeValues(world, weight, values, 2), add_to(&force, -values[1]);
        couWorld_GaugeValues(world, patch, values, 2), add_to(&piece, -values[1]);
    }
    for (int k = 0; k < 3; ++k) {
        double mean = p[k].sum / p[k].count, rms = sqrt(fmax(0, p[k].square / p[k].count - mean * mean));
        print_message("depth %g m: %.1f Pa, right is %.1f, rms %.1f, %d values\n", depths[k], mean, rho_g * depths[k], rms,
                      p[k].count);
        CHECK_NEAR(mean, rho_g * depths[k], 0.01 * rho_g * depths[k], k);
        CHECK_AT_MOST(rms, 0.1 * rho_g * depths[k], k);
    }
    print_message("level %.5f m, floor %.1f N/m, patch %.1f N/m\n", height.sum / height.count, force.sum / force.count,
                  piece.sum / piece.count);
    CHECK_NEAR(height.sum / height.count, (double)depth, 0.1 * (double)d, 0);
    CHECK_NEAR(force.sum / force.count, rho_g * (double)(depth * width), 0.01 * rho_g * (double)(depth * width), 0);
    CHECK_NEAR(piece.sum / piece.count, rho_g * (double)depth * 0.2, 0.01 * rho_g * (double)depth * 0.2, 0);
    (void)points;
    couDestroyWorld(world);
}

// A standing wave, half a wave in the tank, started by its velocities at a flat surface [Lamb 1932, sect. 228].
static couVec3 wave_velocity(void *context, couVec3 x)
{
    const double *wave = context; // wave number [1/m], speed of the surface [m/s], depth [m]
    double k = wave[0], unit = wave[1] / sinh(k * wave[2]);
    return (couVec3){(float)(-unit * sin(k * (double)x.x) * cosh(k * (double)x.y)),
                     (float)(unit * cos(k * (double)x.x) * sinh(k * (double)x.y)), 0};
}

static void test_level_of_a_standing_wave(void **context)
{
    (void)context;
    const float d = 0.02f, width = 0.6f, depth = 0.3f;
    double k = 3.14159265358979 / (double)width, omega = sqrt(9.81 * k * tanh(k * (double)depth)), height = 0.02;
    double wave[3] = {k, height * omega, (double)depth}, period = 2 * 3.14159265358979 / omega;
    couWorld *world = make_sph_world("dfsph", 2, d, EARTH);
    couMaterialId water = add_liquid(world, 1000, 0);
    add_body(world, make_tank(width, 0.8f, 1, 0.1f, true), at(0.5f * width, 0.4f, 0), 0);
    couFaults faults = {0};
    couFluidDef fluid = couDefaultFluidDef();
    fluid.material = water, fluid.shape = make_box(width, depth, 1), fluid.pose = at(0.5f * width, 0.5f * depth, 0);
    fluid.jitter = 0, fluid.velocity_function = wave_velocity, fluid.velocity_context = wave;
    assert_true(couWorld_AddFluid(world, &fluid, &faults) > 0);
    couShape_Release(fluid.shape);
    const float places[3] = {0.03f, 0.3f, 0.57f}; // both ends and the node
    for (int g = 0; g < 3; ++g) {
        char name[8];
        snprintf(name, sizeof name, "h%d", g);
        couGaugeDef def = on_line(name, cou_gaugeLevel, (couVec3){places[g], 0, 0}, (couVec3){places[g], 0.6f, 0}, 0.01);
        add_gauge(world, &def);
    }
    Mean means[3] = {{0}};
    double highest = 0;
    for (int n = 0; n < 100; ++n) { // two periods
        couWorld_Advance(world, period / 50);
        couGaugeRows rows = couWorld_GaugeRows(world);
        const double *last = rows.values + (rows.count - 1) * rows.column_count;
        for (int g = 0; g < 3 && rows.count; ++g) add_to(&means[g], last[g]);
        if (rows.count) highest = fmax(highest, last[0]);
    }
    for (int g = 0; g < 3; ++g) {
        print_message("mean level at x = %g m: %.5f m\n", (double)places[g], means[g].sum / means[g].count);
        CHECK_NEAR(means[g].sum / means[g].count, (double)depth, 0.1 * (double)d, g);
    }
    CHECK_RANGE(highest, (double)depth + 0.6 * height, (double)depth + 1.3 * height, 0);
    couDestroyWorld(world);
}

// --- State and threads -------------------------------------------------------------------------------------------------------

static couWorld *make_busy(int threads)
{
    couBodyId floor;
    couWorld *world = make_pool("dfsph", 0.03f, 0.6f, 0.3f, &floor, threads);
    couGaugeDef def = at_point("p", cou_gaugePressure, (couVec3){0.3f, 0.1f, 0}, 0.007);
    add_gauge(world, &def);
    def = make_gauge("q", cou_gaugeFlow, cou_gaugeAcrossPolygon, 0.013);
    def.corners[0] = (couVec3){0, 0.1f, 0}, def.corners[1] = (couVec3){0.6f, 0.1f, 0}, def.corner_count = 2;
    add_gauge(world, &def);
    def = make_gauge("f", cou_gaugeForce, cou_gaugeOnBody, 0.011);
    def.body = floor;
    add_gauge(world, &def);
    return world;
}

// Rows as they come, of which the open one is left to the next advance.
static int run_rows(couWorld *world, int frames, double *all, int capacity)
{
    int count = 0;
    for (int f = 0; f < frames; ++f) {
        couFaults faults = {0};
        if (f == 2) assert_true(couWorld_Record(world, "own", 42.5, &faults)); // at the moment of an open row, or a new one
        couWorld_Advance(world, 0.02);
        couGaugeRows rows = couWorld_GaugeRows(world);
        for (int r = 0; r < rows.count - rows.is_last_open; ++r) {
            assert_true(count + 1 + rows.column_count <= capacity);
            all[count++] = rows.time[r];
            memcpy(all + count, rows.values + r * rows.column_count, (size_t)rows.column_count * sizeof *all);
            count += rows.column_count;
        }
    }
    return count;
}

static void test_state_and_threads(void **context)
{
    (void)context;
    static double straight[2000], resumed[2000], threaded[2000];
    couWorld *a = make_busy(1), *b = make_busy(3), *c = make_busy(2);
    int count = run_rows(a, 3, straight, 2000);
    assert_true(count > 20);
    assert_int_equal(run_rows(b, 3, threaded, 2000), count);
    assert_memory_equal(threaded, straight, (size_t)count * sizeof *straight);
    couState state = {0};
    couFaults faults = {0};
    assert_true(couWorld_SaveState(a, &state));
    assert_true(couWorld_LoadState(c, &state, &faults));
    CHECK_NO_FAULTS(&faults);
    assert_int_equal(couWorld_GaugeColumnCount(c), couWorld_GaugeColumnCount(a));
    assert_int_equal(hash_world(c), hash_world(a));
    count = run_rows(a, 2, straight, 2000);
    assert_int_equal(run_rows(c, 2, resumed, 2000), count);
    assert_memory_equal(resumed, straight, (size_t)count * sizeof *straight);
    // Gauges do not move the world.
    couBodyId floor;
    couWorld *plain = make_pool("dfsph", 0.03f, 0.6f, 0.3f, &floor, 1);
    for (int f = 0; f < 5; ++f) couWorld_Advance(plain, 0.02);
    couState own = {0}, bare = {0};
    assert_true(couWorld_SaveState(a, &own) && couWorld_SaveState(plain, &bare));
    const couStateArray *x = couState_Find(&own, "particles/position"), *y = couState_Find(&bare, "particles/position");
    assert_memory_equal(x->data, y->data, x->count * sizeof(couVec4));
    // A state with another number of gauges is refused, and nothing has changed.
    couGaugeDef more = at_point("more", cou_gaugeSpeed, (couVec3){0.3f, 0.1f, 0}, 1);
    add_gauge(b, &more);
    uint64_t before = hash_world(b);
    assert_false(couWorld_LoadState(b, &state, &faults));
    assert_true(faults.count >= 1);
    assert_int_equal(hash_world(b), before);
    couFaults_Clear(&faults);
    couState_Clear(&state), couState_Clear(&own), couState_Clear(&bare);
    couDestroyWorld(a), couDestroyWorld(b), couDestroyWorld(c), couDestroyWorld(plain);
}

// --- Faults ------------------------------------------------------------------------------------------------------------------

static void check_refused(couWorld *world, couGaugeDef def, const char *key, const char *text)
{
    couFaults faults = {0};
    int before = couWorld_GaugeCount(world);
    assert_int_equal(couWorld_AddGauge(world, &def, &faults).index1, 0);
    CHECK_FAULT(&faults, key, text);
    assert_int_equal(couWorld_GaugeCount(world), before);
}

static void test_bad_gauges(void **context)
{
    (void)context;
    couBodyId floor;
    couWorld *world = make_pool("dfsph", 0.03f, 0.6f, 0.3f, &floor, 1);
    couGaugeDef good = at_point("p", cou_gaugePressure, (couVec3){0.3f, 0.1f, 0}, 0.01), def = good;
    add_gauge(world, &good);
    check_refused(world, good, "gauge.name", "already");
    def = good, snprintf(def.name, sizeof def.name, "p_support");
    check_refused(world, def, "gauge.name", "already");
    def = good, def.name[0] = 'a', def.every = 0;
    check_refused(world, def, "gauge.every", NULL);
    def.every = NAN;
    check_refused(world, def, "gauge.every", NULL);
    def = good, def.name[0] = 'a', def.corners[0].x = NAN;
    check_refused(world, def, "gauge.at", "finite");
    def = on_line("a", cou_gaugeLevel, (couVec3){0, 0, 0}, (couVec3){0, 0, 0}, 1);
    check_refused(world, def, "gauge.line", "no length");
    def = good, def.name[0] = 'a', def.what = cou_gaugeFlow;
    check_refused(world, def, "gauge.what", "polygon");
    def = make_gauge("a", cou_gaugeForce, cou_gaugeOnBody, 1);
    check_refused(world, def, "gauge.body", "no such body");
    def = make_gauge("a", cou_gaugeVolume, cou_gaugeInRegion, 1);
    check_refused(world, def, "gauge.shape", "missing");
    couDestroyWorld(world);

    world = make_sph_world("dfsph", 3, 0.05f, EARTH);
    def = make_gauge("a", cou_gaugeFlow, cou_gaugeAcrossPolygon, 1);
    def.corner_count = 4;
    def.corners[1].x = def.corners[2].x = def.corners[2].y = def.corners[3].y = 1;
    def.corners[3].z = 0.2f;
    check_refused(world, def, "gauge.polygon", "plane");
    memset(def.corners, 0, sizeof def.corners);
    check_refused(world, def, "gauge.polygon", "no area");
    couDestroyWorld(world);
}

// A body that goes while its gauge is there leaves NaN, and so does a gauge that goes; columns stay.
static void test_removed_while_running(void **context)
{
    (void)context;
    couBodyId floor;
    couWorld *world = make_pool("pvfs", 0.05f, 0.6f, 0.3f, &floor, 1);
    couBodyId ball = add_body(world, make_sphere(0.05f), at(0.3f, 0.6f, 0), 0);
    couGaugeDef def = make_gauge("f", cou_gaugeForce, cou_gaugeOnBody, 0.01);
    def.body = ball, def.shape = make_box(1, 1, 1);
    couGaugeId f = add_gauge(world, &def);
    couShape_Release(def.shape);
    def = at_point("p", cou_gaugePressure, (couVec3){0.3f, 0.1f, 0}, 0.01);
    couGaugeId p = add_gauge(world, &def);
    couWorld_Advance(world, 0.05);
    double values[2];
    assert_int_equal(couWorld_GaugeValues(world, f, values, 2), 2);
    CHECK_NEAR(values[0], 0, 0, 0);
    couWorld_GaugeValues(world, p, values, 1);
    assert_true(isnan(values[0])); // pvfs has no pressures
    couWorld_RemoveBody(world, ball);
    couWorld_RemoveGauge(world, p);
    assert_false(couWorld_HasGauge(world, p));
    couWorld_Advance(world, 0.05);
    couWorld_GaugeValues(world, f, values, 2);
    assert_true(isnan(values[0]) && isnan(values[1]));
    assert_int_equal(couWorld_GaugeColumnCount(world), 4);
    assert_int_equal(couWorld_GaugeColumnAt(world, 2).gauge.index1, 0);
    const int beyond[] = {-1, 4, INT32_MAX, INT32_MIN};
    for (int k = 0; k < COU_COUNT(beyond); ++k) {
        assert_string_equal(couWorld_GaugeColumnAt(world, beyond[k]).name, "");
        CHECK_NEAR(couWorld_ParticleMass(world, k == 1 ? 255 : beyond[k]), 0, 0, 0);
    }
    couFaults faults = {0};
    assert_false(couWorld_Record(world, "f", 1, &faults));
    CHECK_FAULT(&faults, "record", "is a gauge");
    assert_false(couWorld_Record(world, "a b", 1, &faults));
    CHECK_FAULT(&faults, "record", "letters");
    couDestroyWorld(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_linear_fields_are_exact),
        cmocka_unit_test(test_profiles_and_regions),
        cmocka_unit_test(test_level_of_still_water),
        cmocka_unit_test(test_flow_counts_particles),
        cmocka_unit_test(test_hydrostatic),
        cmocka_unit_test(test_level_of_a_standing_wave),
        cmocka_unit_test(test_state_and_threads),
        cmocka_unit_test(test_bad_gauges),
        cmocka_unit_test(test_removed_while_running),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
