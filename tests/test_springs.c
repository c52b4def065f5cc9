// The spring net against a plain one: a matrix of rest lengths by id pair, in double precision.
#include "testing.h"

#define SPACING 0.02f
enum { COUNT = 500 };

typedef struct Vec {
    double x, y, z;
} Vec;

static double distance_of(Vec a, Vec b)
{
    return sqrt((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) + (a.z - b.z) * (a.z - b.z));
}
static Vec from_record(couVec4 a) { return (Vec){a.x, a.y, a.z}; }

/// rest[a][b] with a < b by id: the rest length, 0 without a spring.
typedef struct Net {
    double rest[COUNT][COUNT];
    bool is_here[COUNT];
    Vec x[COUNT]; // by id
    int material[COUNT];
} Net;

static void read_world(Net *net, const couWorld *world)
{
    memset(net->is_here, 0, sizeof net->is_here);
    couParticleView view = couWorld_Particles(world);
    for (size_t i = 0; i < view.count; ++i) {
        net->is_here[view.id[i]] = true;
        net->x[view.id[i]] = from_record(view.position[i]);
        net->material[view.id[i]] = view.material[i];
    }
}

/// Plastic flow [Clavet 2005, eq. 8]: beyond the yield ratio the rest length follows the deformation.
static double flow(double rest, double r, double dt, const couMaterialDef *a, const couMaterialDef *b)
{
    double give = 0.5 * (a->yield_stretch + b->yield_stretch) * rest, rate = 0.5 * (a->flow_stretch + b->flow_stretch);
    if (r > rest + give) return rest + fmin(dt * rate, 1) * (r - rest - give);
    give = 0.5 * (a->yield_compress + b->yield_compress) * rest, rate = 0.5 * (a->flow_compress + b->flow_compress);
    if (r < rest - give) return rest - fmin(dt * rate, 1) * (rest - r - give);
    return rest;
}

/// [Clavet 2005, alg. 4]: springs of length h for new close pairs, flow (while closer than h, or always), away when longer than
/// h.
static void adjust(Net *net, const couFluid *fluid, double dt)
{
    double h = fluid->h;
    for (int a = 0; a < COUNT; ++a)
        for (int b = a + 1; b < COUNT; ++b) {
            double *rest = &net->rest[a][b];
            if (!net->is_here[a] || !net->is_here[b]) *rest = 0;
            if (!net->is_here[a] || !net->is_here[b]) continue;
            const couMaterialDef *m = &fluid->materials[net->material[a]], *n = &fluid->materials[net->material[b]];
            bool is_plastic = m->springs == cou_springsPlastic && n->springs == cou_springsPlastic;
            double r = distance_of(net->x[a], net->x[b]);
            if (!is_plastic) continue;
            if (*rest == 0 && r < h && dt > 0) *rest = h;
            if (*rest > 0 && (r < h || !fluid->springs->is_holding_far)) *rest = flow(*rest, r, dt, m, n);
            if (*rest > h) *rest = 0;
        }
}

// The world's springs are the net's, but for pairs that rounding may put on either side of h; those are taken from the world.
static size_t compare(Net *net, const couWorld *world, int seed)
{
    size_t count = couWorld_SpringCount(world), expected = 0, borderline = 0;
    couSpringView *springs = calloc(count + 1, sizeof *springs);
    assert_int_equal(couWorld_CopySprings(world, springs, count + 1), count);
    static float got[COUNT][COUNT];
    memset(got, 0, sizeof got);
    double h = world->fluid.h, worst = 0;
    for (size_t s = 0; s < count; ++s) {
        assert_true(springs[s].id_a < springs[s].id_b);
        assert_true(s == 0 || springs[s - 1].id_a < springs[s].id_a ||
                    (springs[s - 1].id_a == springs[s].id_a && springs[s - 1].id_b < springs[s].id_b));
        got[springs[s].id_a][springs[s].id_b] = springs[s].rest_length;
    }
    for (int a = 0; a < COUNT; ++a)
        for (int b = a + 1; b < COUNT; ++b) {
            bool is_on_edge = fabs(distance_of(net->x[a], net->x[b]) - h) < 1e-5 * h ||
                              (net->rest[a][b] != h && fabs(net->rest[a][b] - h) < 1e-5 * h);
            borderline += is_on_edge;
            if (is_on_edge) net->rest[a][b] = got[a][b];
            expected += net->rest[a][b] > 0;
            if ((net->rest[a][b] > 0) != (got[a][b] > 0))
                fail_msg("spring %d-%d: expected %.9g, got %.9g, at a distance of %.9g, seed %d", a, b, net->rest[a][b],
                         got[a][b], distance_of(net->x[a], net->x[b]), seed);
            worst = fmax(worst, fabs(net->rest[a][b] - got[a][b]));
        }
    CHECK_AT_MOST(worst / h, 1e-5, seed);
    CHECK_AT_MOST((double)borderline, 0.01 * (double)expected + 20, seed);
    free(springs);
    return expected;
}

static void move_end(Net *net, int id, Vec from, Vec to, double s)
{
    net->x[id] = (Vec){net->x[id].x + s * (to.x - from.x), net->x[id].y + s * (to.y - from.y),
                       net->x[id].z + s * (to.z - from.z)};
}

/// [Clavet 2005, alg. 3] for one spring, shares by inverse mass, never further than to its rest length.
static void apply_one(Net *net, const couFluid *fluid, int a, int b, double dt, const float *k_spring)
{
    int m = net->material[a], n = net->material[b];
    Vec p = net->x[a], q = net->x[b];
    double r = distance_of(p, q), rest = net->rest[a][b], h = fluid->h;
    double strength = fmin(dt * dt * 0.5 * (k_spring[m] + k_spring[n]) * fmax(1 - rest / h, 0), 1);
    double d = strength * (rest - r) / r, ma = fluid->materials[m].density, mb = fluid->materials[n].density;
    move_end(net, a, p, q, -d * mb / (ma + mb));
    move_end(net, b, p, q, d * ma / (ma + mb));
}

static bool is_far(const couFluid *fluid, couVec4 a, couVec4 b)
{
    float s = 1.0f / fluid->grid.cell_size;
    return fabsf(floorf(a.x * s) - floorf(b.x * s)) > 1 || fabsf(floorf(a.y * s) - floorf(b.y * s)) > 1 ||
           fabsf(floorf(a.z * s) - floorf(b.z * s)) > 1;
}

// Springs in the order of turns: those between neighbouring cells first, each with its end of the lower id, then the long ones.
static void apply(Net *net, const couWorld *world, double dt, const float *k_spring)
{
    const couFluid *fluid = &world->fluid;
    size_t count = fluid->table.count;
    const couVec4 *x = couFluid_Position(fluid);
    const uint32_t *id = couFluid_Id(fluid);
    static size_t place[COUNT];
    for (size_t i = 0; i < count; ++i) place[id[i]] = i;
    uint32_t *order = turn_order(&fluid->grid, count);
    for (int pass = 0; pass < 2; ++pass)
        for (size_t turn = 0; turn < count; ++turn) {
            uint32_t a = id[pass == 0 ? order[turn] : turn];
            for (uint32_t b = a + 1; b < COUNT; ++b)
                if (net->rest[a][b] > 0 && is_far(fluid, x[place[a]], x[place[b]]) == (pass == 1))
                    apply_one(net, fluid, (int)a, (int)b, dt, k_spring);
        }
    free(order);
}

// A cloud of two plastic materials, a frozen one and a plain liquid.
static couWorld *make_mixture(int dimension, int threads, int seed)
{
    couWorld *world = make_world(dimension, SPACING, NO_GRAVITY, threads);
    couMaterialDef def = couDefaultMaterialDef();
    def.springs = cou_springsPlastic, def.flow_stretch = 3, def.flow_compress = 5, def.yield_stretch = 0.1f,
    def.yield_compress = 0.05f;
    add_material(world, &def);
    def.density = 2500, def.flow_stretch = 30, def.flow_compress = 1, def.yield_stretch = 0, def.yield_compress = 0.2f;
    add_material(world, &def);
    def = couDefaultMaterialDef(), def.springs = cou_springsFrozen, def.density = 700;
    add_material(world, &def);
    add_liquid(world, 1000, 0.001f);
    add_cloud(world, COUNT, dimension == 3 ? 0.16f : 0.45f, 0.004f, 4, 0, seed);
    prepare_world(world);
    return world;
}

static void shake(couWorld *world, float size, couRandom *random)
{
    couFluid *fluid = &world->fluid;
    for (size_t i = 0; i < fluid->table.count; ++i) {
        couVec4 *x = &couFluid_Position(fluid)[i];
        x->x += size * couRandomSigned(random), x->y += size * couRandomSigned(random);
        if (fluid->dimension == 3) x->z += size * couRandomSigned(random);
    }
}

static void check_net(int dimension, int threads, int seed)
{
    couWorld *world = make_mixture(dimension, threads, seed);
    couFluid *fluid = &world->fluid;
    fluid->springs->is_holding_far = seed % 2 == 0; // both rules for springs beyond h
    static Net net;
    memset(&net, 0, sizeof net);
    couRandom random = {couMix64((uint64_t)seed)};
    const float k_spring[4] = {300, 1500, 900, 0}, dt = 0.01f;
    size_t most = 0, removed = 0, before = 0;
    for (int round = 0; round < 12; ++round) {
        shake(world, 0.15f * fluid->h, &random);
        find_pairs(world);
        read_world(&net, world);
        if (round == 3) { // "add springs now" for the frozen one
            assert_true(couAddSpringsNow(fluid, 2));
            for (int a = 0; a < COUNT; ++a)
                for (int b = a + 1; b < COUNT; ++b)
                    if (net.material[a] == 2 && net.material[b] == 2 && distance_of(net.x[a], net.x[b]) < fluid->h)
                        net.rest[a][b] = distance_of(net.x[a], net.x[b]);
            compare(&net, world, seed);
        }
        assert_true(couAdjustSprings(fluid, dt));
        adjust(&net, fluid, dt);
        size_t now = compare(&net, world, seed);
        most = COU_MAX(most, now);
        removed += now < before;
        before = now;

        apply(&net, world, dt, k_spring);
        double momentum[3] = {0}, reach = 0, worst = 0;
        couVec4 *old = malloc(COUNT * sizeof *old);
        memcpy(old, couFluid_Position(fluid), COUNT * sizeof *old);
        couApplySprings(fluid, dt, k_spring);
        couParticleView view = couWorld_Particles(world);
        for (size_t i = 0; i < COUNT; ++i) {
            double mass = couWorld_ParticleMass(world, view.material[i]);
            Vec got = from_record(view.position[i]), was = from_record(old[i]);
            worst = fmax(worst, distance_of(got, net.x[view.id[i]]));
            reach += mass * distance_of(got, (Vec){0});
            momentum[0] += mass * (got.x - was.x), momentum[1] += mass * (got.y - was.y), momentum[2] += mass * (got.z - was.z);
        }
        CHECK_AT_MOST(worst / fluid->h, 1e-5, seed);
        for (int a = 0; a < 3; ++a) CHECK_NEAR(momentum[a] / reach, 0, 1e-7, seed); // rounding of the positions
        free(old);
    }
    assert_true(most > COUNT); // the test is about many springs, some of which came and went
    couDestroyWorld(world);
}

static void test_net(void **context)
{
    (void)context;
    check_net(3, 1, 1);
    check_net(3, 2, 2);
    check_net(2, 1, 3);
    check_net(2, 3, 4);
}

// Every instruction set leaves the same bits in positions and springs.
static void test_variants(void **context)
{
    (void)context;
    enum { SEED = 5, MOST = 40 * COUNT };
    static couVec4 positions[cou_isaCount][COUNT];
    static couSpringView springs[cou_isaCount][MOST];
    size_t counts[cou_isaCount];
    for (int isa = 0; isa <= (int)couBestIsa(); ++isa) {
        couWorld *world = make_mixture(3, 2, SEED);
        couFluid *fluid = &world->fluid;
        fluid->neighbors.isa = (couIsa)isa;
        couRandom random = {couMix64(SEED)};
        const float k_spring[4] = {300, 1500, 900, 0}, dt = 0.01f;
        for (int round = 0; round < 8; ++round) {
            shake(world, 0.15f * fluid->h, &random);
            find_pairs(world);
            assert_true(couAdjustSprings(fluid, dt));
            couApplySprings(fluid, dt, k_spring);
        }
        memcpy(positions[isa], couFluid_Position(fluid), sizeof positions[isa]);
        counts[isa] = couWorld_CopySprings(world, springs[isa], MOST);
        assert_in_range(counts[isa], COUNT, MOST);
        assert_int_equal(counts[isa], counts[0]);
        assert_memory_equal(positions[isa], positions[0], sizeof positions[0]);
        assert_memory_equal(springs[isa], springs[0], counts[0] * sizeof springs[0][0]);
        couDestroyWorld(world);
    }
}

// Springs longer than h vanish: two particles that part slowly, with a rest length that follows.
static void check_removal(bool is_holding_far)
{
    couWorld *world = make_world(3, SPACING, NO_GRAVITY, 1);
    couMaterialDef def = couDefaultMaterialDef();
    def.springs = cou_springsPlastic, def.flow_stretch = 1e4f, def.flow_compress = 1e4f;
    couMaterialId clay = add_material(world, &def);
    couFaults faults = {0};
    couVec3 x[2] = {{0, 0, 0}, {0.02f, 0, 0}};
    assert_true(couWorld_AddParticles(world, clay, x, NULL, 2, &faults));
    prepare_world(world);
    world->fluid.springs->is_holding_far = is_holding_far;
    find_pairs(world);
    assert_true(couAdjustSprings(&world->fluid, 0.01f));
    couSpringView spring;
    assert_int_equal(couWorld_CopySprings(world, &spring, 1), 1);
    CHECK_NEAR(spring.rest_length, 0.02, 1e-7, 0); // flows all the way, and no further
    for (float r = 0.02f; r < 0.06f; r += 0.0005f) {
        couVec4 *p = couFluid_Position(&world->fluid);
        p[1].x = p[0].x + r;
        find_pairs(world);
        assert_true(couAdjustSprings(&world->fluid, 0.01f));
        // As long as the pair is closer than h it has a spring of its length; further apart the last one goes, or stays.
        if (fabsf(r - 0.04f) < 1e-5f) continue; // on the edge
        if (!is_holding_far && r > 0.04f) {
            assert_int_equal(couWorld_SpringCount(world), 0);
            continue;
        }
        assert_int_equal(couWorld_SpringCount(world), 1);
        assert_int_equal(couWorld_CopySprings(world, &spring, 1), 1);
        CHECK_NEAR(spring.rest_length, fminf(r, 0.04f), 0.0006, 0);
    }
    couDestroyWorld(world);
}

static void test_removal(void **context)
{
    (void)context;
    check_removal(false);
    check_removal(true);
}

static void remove_particles(couWorld *world, bool (*is_removed)(uint32_t id))
{
    uint8_t keep[COUNT];
    for (size_t i = 0; i < world->fluid.table.count; ++i) keep[i] = !is_removed(couFluid_Id(&world->fluid)[i]);
    couTable_Filter(&world->fluid.table, keep);
}

static bool is_seventh(uint32_t id) { return id % 7 == 3; }

static void test_springs_of_removed_particles_go(void **context)
{
    (void)context;
    couWorld *world = make_mixture(3, 1, 9);
    static Net net;
    memset(&net, 0, sizeof net);
    find_pairs(world);
    read_world(&net, world);
    assert_true(couAdjustSprings(&world->fluid, 0.01f));
    adjust(&net, &world->fluid, 0.01);
    size_t before = compare(&net, world, 9);
    remove_particles(world, is_seventh);
    find_pairs(world);
    read_world(&net, world);
    assert_true(couAdjustSprings(&world->fluid, 0.0f));
    adjust(&net, &world->fluid, 0);
    size_t after = compare(&net, world, 9);
    CHECK_RANGE((double)after / (double)before, 0.6, 0.85, 9); // (6/7)^2 = 0.73
    couDestroyWorld(world);
}

// Deleting takes the springs of the material; whether those to another material go too must not depend on who has the lower id.
static void test_delete(void **context)
{
    (void)context;
    couWorld *world = make_mixture(3, 1, 11);
    find_pairs(world);
    assert_true(couAdjustSprings(&world->fluid, 0.01f));
    static Net net;
    memset(&net, 0, sizeof net);
    read_world(&net, world);
    size_t before = couWorld_SpringCount(world), left[2][2] = {{0}};
    couWorld_DeleteSprings(world, couWorld_MaterialAt(world, 1));
    couSpringView *springs = calloc(before + 1, sizeof *springs);
    size_t count = couWorld_CopySprings(world, springs, before);
    assert_int_equal(count, couWorld_SpringCount(world));
    assert_true(count < before);
    for (size_t s = 0; s < count; ++s) left[net.material[springs[s].id_a] == 1][net.material[springs[s].id_b] == 1]++;
    assert_int_equal(left[1][1], 0);
    assert_true(left[0][0] > 100);
    if ((left[0][1] == 0) != (left[1][0] == 0))
        fail_msg("springs to another material: expected all or none left, got %zu and %zu by which end has the lower id",
                 left[0][1], left[1][0]);
    free(springs);
    couDestroyWorld(world);
}

static void test_add_springs_now(void **context)
{
    (void)context;
    couWorld *world = make_mixture(2, 1, 13);
    find_pairs(world);
    static Net net;
    memset(&net, 0, sizeof net);
    read_world(&net, world);
    assert_true(couAddSpringsNow(&world->fluid, 2));
    for (int a = 0; a < COUNT; ++a)
        for (int b = a + 1; b < COUNT; ++b) {
            double r = distance_of(net.x[a], net.x[b]);
            if (net.material[a] == 2 && net.material[b] == 2 && r < world->fluid.h) net.rest[a][b] = r;
        }
    size_t count = compare(&net, world, 13);
    assert_true(count > 50);
    assert_true(couAddSpringsNow(&world->fluid, 2)); // those that are there stay as they are
    assert_int_equal(compare(&net, world, 13), count);
    // The world's command waits for the next step.
    couWorld_AddSprings(world, couWorld_MaterialAt(world, 3));
    couWorld_Step(world, 0.001f);
    assert_true(couWorld_SpringCount(world) > count + 50);
    couDestroyWorld(world);
}

// A spring holds its ends at its rest length: pulled apart, they come back without passing it, however stiff.
static void test_stiff_springs_do_not_overshoot(void **context)
{
    (void)context;
    static const float stiffness[] = {10, 1e3f, 1e5f, 1e9f};
    for (int k = 0; k < COU_COUNT(stiffness); ++k) {
        couWorld *world = make_world(3, SPACING, NO_GRAVITY, 1);
        couMaterialDef def = couDefaultMaterialDef();
        def.springs = cou_springsFrozen;
        couMaterialId jelly = add_material(world, &def);
        couFaults faults = {0};
        couVec3 x[2] = {{0, 0, 0}, {0.02f, 0, 0}};
        assert_true(couWorld_AddParticles(world, jelly, x, NULL, 2, &faults));
        prepare_world(world);
        find_pairs(world);
        assert_true(couAddSpringsNow(&world->fluid, 0));
        couFluid_Position(&world->fluid)[1].x = couFluid_Position(&world->fluid)[0].x + 0.03f;
        float r = 0.03f;
        for (int n = 0; n < 50; ++n) {
            couApplySprings(&world->fluid, 0.01f, &stiffness[k]);
            float now = couFluid_Position(&world->fluid)[1].x - couFluid_Position(&world->fluid)[0].x;
            CHECK_RANGE(now, 0.02 - 1e-7, r + 1e-7, k);
            r = now;
        }
        if (stiffness[k] >= 1e5f) CHECK_NEAR(r, 0.02, 1e-6, k);
        couDestroyWorld(world);
    }
}

// One particle with thousands of springs: a state may say so.
static int hub_of_springs(void)
{
    enum { SPOKES = 5000 };
    couWorld *world = make_world(2, SPACING, NO_GRAVITY, 1);
    couMaterialDef def = couDefaultMaterialDef();
    def.springs = cou_springsFrozen;
    couMaterialId jelly = add_material(world, &def);
    couFaults faults = {0};
    couSpringView *springs = calloc(SPOKES, sizeof *springs);
    for (uint32_t k = 0; k <= SPOKES; ++k) {
        couVec3 x = {0.05f * (float)(k % 71), 0.05f * (float)(k / 71), 0};
        if (!couWorld_AddParticles(world, jelly, &x, NULL, 1, &faults)) return 2;
        if (k) springs[k - 1] = (couSpringView){0, k, 0.01f};
    }
    if (!couWorld_Prepare(world, &faults) || !couSetSprings(&world->fluid, springs, SPOKES)) return 3;
    couStepReport report = couWorld_Step(world, 0.001f);
    size_t left = couWorld_SpringCount(world);
    free(springs);
    couDestroyWorld(world);
    return report.nan_count ? 4 : left == SPOKES ? 0 : 5;
}

static void test_hub(void **context)
{
    (void)context;
    CHECK_IN_TIME(hub_of_springs, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_net),
        cmocka_unit_test(test_variants),
        cmocka_unit_test(test_removal),
        cmocka_unit_test(test_springs_of_removed_particles_go),
        cmocka_unit_test(test_delete),
        cmocka_unit_test(test_add_springs_now),
        cmocka_unit_test(test_stiff_springs_do_not_overshoot),
        cmocka_unit_test(test_hub),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
