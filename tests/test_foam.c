// Spray, foam and bubbles: potentials against double precision and against formulas, the three motions, lifetimes, births, walls,
// the same bits for any number of threads.
#include "surface/foam.h"
#include "surface_test.h"

static couFoamDef foam_def(void)
{
    couFoamDef def = couDefaultFoamDef();
    def.spacing = SPACING;
    def.threads = 2;
    return def;
}

static couFoamDef no_births(void)
{
    couFoamDef def = foam_def();
    def.air_rate = def.crest_rate = 0.0f;
    return def;
}

static uint32_t *number(size_t count)
{
    uint32_t *ids = malloc((count + 1) * sizeof *ids);
    for (size_t i = 0; i < count; ++i) ids[i] = (uint32_t)(3 * i + 1);
    return ids;
}

static void add_one(couFoam *foam, couVec3 x, couVec3 v, float life)
{
    assert_true(COU_GROW(NULL, foam->items, foam->capacity, foam->count + 1));
    foam->items[foam->count] = (couFoamParticle){.position = x, .velocity = v, .life = life, .id = (uint32_t)foam->count};
    ++foam->count;
}

static void advance(couFoam *foam, const couFoamDef *def, const couSurfacePoints *before, const couSurfacePoints *after,
                    double seconds, int frame)
{
    couFaults faults = {0};
    couFoamSpan span = {.before = before, .after = after, .seconds = seconds, .number = frame};
    bool is_good = couFoam_Advance(foam, def, &span, &faults);
    CHECK_NO_FAULTS(&faults);
    assert_true(is_good);
}

// --- Potentials ---

typedef struct Vec {
    double x, y, z;
} Vec;

static Vec vec(couVec3 a) { return (Vec){a.x, a.y, a.z}; }
static Vec sub(Vec a, Vec b) { return (Vec){a.x - b.x, a.y - b.y, a.z - b.z}; }
static double dot(Vec a, Vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static double length(Vec a) { return sqrt(dot(a, a)); }
static double clamp_to(double x, double low, double high) { return (fmin(x, high) - fmin(x, low)) / (high - low); }

// The equations as they stand in the paper, in double precision, over all pairs. `tilt` is |sum of w x| / sum of w.
static double reference_air(const Cloud *cloud, size_t i, double h, Vec *normal, double *tilt)
{
    double sum = 0, weight = 0;
    *normal = (Vec){0, 0, 0};
    for (size_t j = 0; j < cloud->count; ++j) {
        Vec x = sub(vec(cloud->positions[i]), vec(cloud->positions[j]));
        Vec v = sub(vec(cloud->velocities[i]), vec(cloud->velocities[j]));
        double r = length(x), speed = length(v), w = 1 - r / h;
        if (j == i || w <= 0) continue;
        if (speed > 0) sum += speed * (1 - dot(v, x) / (speed * r)) * w;
        *normal = (Vec){normal->x + w * x.x / r, normal->y + w * x.y / r, normal->z + w * x.z / r};
        weight += w;
    }
    double size = length(*normal);
    *tilt = weight > 0 ? size / weight : 0;
    if (size > 0) *normal = (Vec){normal->x / size, normal->y / size, normal->z / size};
    return sum;
}

static double reference_crest(const Cloud *cloud, size_t i, double h, const Vec *normals, const double *tilts)
{
    Vec v = vec(cloud->velocities[i]), n = normals[i];
    if (tilts[i] <= 0.2 || dot(v, n) < 0.6 * length(v)) return 0;
    double sum = 0;
    for (size_t j = 0; j < cloud->count; ++j) {
        Vec x = sub(vec(cloud->positions[j]), vec(cloud->positions[i]));
        double w = 1 - length(x) / h;
        if (j != i && w > 0 && dot(x, n) < 0 && tilts[j] > 0.2) sum += (1 - dot(n, normals[j])) * w;
    }
    return sum;
}

static void test_potentials_are_those_of_the_paper(void **context)
{
    (void)context;
    const int seed = 11;
    Cloud cloud = {0};
    add_drop(&cloud, 3, 900, (couVec3){0.1f, 0.2f, -0.1f}, 0.2f, seed);
    couRandom random = {couMix64(seed)};
    for (size_t i = 0; i < cloud.count; ++i) {
        couVec3 out = couScale(40.0f, couSub(cloud.positions[i], (couVec3){0.1f, 0.2f, -0.1f}));
        couVec3 noise = {couRandomSigned(&random), couRandomSigned(&random), couRandomSigned(&random)};
        cloud.velocities[i] = couMulAdd(out, 0.5f, noise);
    }
    couFoamDef def = foam_def();
    def.crest_min = 0.01f, def.crest_max = 3.0f;
    couSurfacePoints points = points_of(&cloud, 3);
    size_t n = cloud.count;
    couFoamPotentials got = {calloc(n, sizeof(float)), calloc(n, sizeof(float)), calloc(n, sizeof(float))};
    couFaults faults = {0};
    assert_true(couFindFoamPotentials(&def, &points, &got, &faults));
    Vec *normals = calloc(n, sizeof *normals);
    double *airs = calloc(n, sizeof *airs), *tilts = calloc(n, sizeof *tilts), h = 2 * (double)SPACING;
    for (size_t i = 0; i < n; ++i) airs[i] = reference_air(&cloud, i, h, &normals[i], &tilts[i]);
    int partial = 0, crests = 0;
    for (size_t i = 0; i < n; ++i) {
        Vec v = vec(cloud.velocities[i]);
        double air = clamp_to(airs[i], (double)def.air_min, (double)def.air_max);
        double energy = clamp_to(0.5 * dot(v, v), 0.5 * pow((double)def.speed_min, 2), 0.5 * pow((double)def.speed_max, 2));
        double crest = clamp_to(reference_crest(&cloud, i, h, normals, tilts), (double)def.crest_min, (double)def.crest_max);
        CHECK_NEAR((double)got.air[i], air, 1e-4, seed);
        CHECK_NEAR((double)got.energy[i], energy, 1e-5, seed);
        CHECK_NEAR((double)got.crest[i], crest, 1e-3, seed);
        partial += air > 0 && air<1, crests += crest> 0.05;
    }
    CHECK_RANGE(partial, 100, 1e9, seed); // the limits are not all that was seen
    CHECK_RANGE(crests, 30, 1e9, seed);
    free(got.air), free(got.crest), free(got.energy), free(normals), free(airs), free(tilts);
    clear_cloud(&cloud);
}

// Two particles at a distance r that meet with the speed u: the sum is u (1 + 1) (1 - r/h), and nothing when they part.
static void test_trapped_air_of_a_pair(void **context)
{
    (void)context;
    couFoamDef def = foam_def();
    def.air_min = 0.0f, def.air_max = 10.0f;
    for (int sign = -1; sign <= 1; sign += 2) {
        couVec3 x[2] = {{0, 0, 0}, {1.2f * SPACING, 0, 0}}, v[2] = {{0, 0, 0}, {4.0f * (float)sign, 0, 0}};
        float air[2], crest[2], energy[2];
        couSurfacePoints points = {.dimension = 3, .count = 2, .positions = x, .velocities = v};
        couFaults faults = {0};
        assert_true(couFindFoamPotentials(&def, &points, &(couFoamPotentials){air, crest, energy}, &faults));
        double expected = sign < 0 ? 4.0 * 2.0 * (1.0 - 1.2 / 2.0) / 10.0 : 0.0;
        for (int i = 0; i < 2; ++i) CHECK_NEAR((double)air[i], expected, 1e-5, sign);
    }
}

// --- Motion ---

static void test_spray_flies_along_a_parabola(void **context)
{
    (void)context;
    Cloud cloud = {0};
    add_lattice(&cloud, 20, 4, 20, (couVec3){0, 0, 0}, 0);
    couSurfacePoints points = points_of(&cloud, 3);
    couFoam foam = {0};
    couFoamDef def = no_births();
    couVec3 x0 = {0.1f, 0.12f, 0.1f}, v0 = {0.1f, 0.4f, -0.05f};
    add_one(&foam, x0, v0, 1.0f);
    for (int frame = 1; frame <= 3; ++frame) advance(&foam, &def, &points, &points, 0.02, frame);
    assert_int_equal(foam.count, 1);
    const couFoamParticle *p = &foam.items[0];
    double t = 0.06;
    assert_int_equal(p->kind, cou_foamSpray);
    CHECK_NEAR((double)p->position.x, 0.1 + 0.1 * t, 1e-6, 0);
    CHECK_NEAR((double)p->position.y, 0.12 + 0.4 * t - 0.5 * 9.81 * t * t, 1e-6, 0);
    CHECK_NEAR((double)p->velocity.y, 0.4 - 9.81 * t, 1e-5, 0);
    CHECK_NEAR((double)p->life, 1.0, 0, 0); // in the air it does not grow old
    CHECK_NEAR((double)p->age, t, 1e-6, 0);
    couFoam_Clear(&foam);
    clear_cloud(&cloud);
}

static void test_bubbles_rise_against_their_drag(void **context)
{
    (void)context;
    Cloud cloud = {0};
    add_lattice(&cloud, 16, 40, 16, (couVec3){0, 0, 0}, 0);
    couSurfacePoints points = points_of(&cloud, 3);
    couFoam foam = {0};
    couFoamDef def = no_births();
    add_one(&foam, (couVec3){0.08f, 0.1f, 0.08f}, (couVec3){0, 0, 0}, 1.0f);
    double t = 0;
    for (int frame = 1; frame <= 10; ++frame) {
        advance(&foam, &def, &points, &points, 0.02, frame);
        t += 0.02;
        double terminal = 0.5 * 9.81 / 20.0;
        assert_int_equal(foam.items[0].kind, cou_foamBubble);
        CHECK_NEAR((double)foam.items[0].velocity.y, terminal * (1 - exp(-20 * t)), 1e-4, frame);
    }
    CHECK_NEAR((double)foam.items[0].life, 1.0, 0, 0);
    couFoam_Clear(&foam);
    clear_cloud(&cloud);
}

// A floating particle goes with the liquid and is gone when its life is over.
static void test_foam_goes_with_the_liquid_until_it_is_old(void **context)
{
    (void)context;
    Cloud before = {0}, after = {0};
    add_lattice(&before, 30, 5, 16, (couVec3){0, 0, 0}, 0);
    couFoamDef def = no_births();
    couFoam foam = {0};
    const float u = 0.3f, dt = 0.02f;
    add_one(&foam, (couVec3){0.15f, 5.0f * SPACING, 0.08f}, (couVec3){0, 0, 0}, 0.09f);
    uint32_t *ids = number(before.count);
    for (size_t i = 0; i < before.count; ++i) before.velocities[i] = (couVec3){u, 0, 0};
    for (int frame = 1; frame <= 4; ++frame) {
        clear_cloud(&after);
        for (size_t i = 0; i < before.count; ++i) {
            add_point(&after, couMulAdd(before.positions[i], dt, before.velocities[i]), 0);
            after.velocities[i] = before.velocities[i];
        }
        couSurfacePoints a = points_of(&before, 3), b = points_of(&after, 3);
        a.ids = b.ids = ids;
        advance(&foam, &def, &a, &b, (double)dt, frame);
        assert_int_equal(foam.count, 1);
        assert_int_equal(foam.items[0].kind, cou_foamFoam);
        CHECK_NEAR((double)foam.items[0].position.x, 0.15 + (double)u * (double)dt * frame, 1e-5, frame);
        CHECK_NEAR((double)foam.items[0].life, 0.09 - (double)dt * frame, 1e-5, frame);
        memcpy(before.positions, after.positions, before.count * sizeof *before.positions);
    }
    couSurfacePoints still = points_of(&before, 3);
    still.ids = ids;
    advance(&foam, &def, &still, &still, (double)dt, 5);
    assert_int_equal(foam.count, 0);
    free(ids);
    couFoam_Clear(&foam);
    clear_cloud(&before), clear_cloud(&after);
}

static float floor_distance(const void *context, couVec3 x, float share, couVec3 *normal, couVec3 *velocity)
{
    (void)context, (void)share;
    *normal = (couVec3){0, 1, 0};
    *velocity = (couVec3){0, 0, 0};
    return x.y;
}

// Spray stays above a floor and dries up there.
static void test_walls_hold_and_dry(void **context)
{
    (void)context;
    Cloud cloud = {0};
    add_lattice(&cloud, 8, 30, 8, (couVec3){0.5f, 0, 0}, 0);
    couSurfacePoints points = points_of(&cloud, 3);
    couFoam foam = {0};
    couFoamDef def = no_births();
    add_one(&foam, (couVec3){0.2f, 0.02f, 0.04f}, (couVec3){0.2f, -1.0f, 0}, 0.1f);
    bool has_landed = false;
    for (int frame = 1; foam.count > 0; ++frame) {
        couFaults faults = {0};
        couFoamSpan span = {.before = &points, .after = &points, .seconds = 0.01, .number = frame, .wall = floor_distance};
        assert_true(couFoam_Advance(&foam, &def, &span, &faults));
        if (foam.count == 0) break;
        CHECK_RANGE((double)foam.items[0].position.y, 0.0, 0.02, frame);
        CHECK_NEAR((double)foam.items[0].velocity.x, 0.2, 1e-6, frame);
        has_landed |= foam.items[0].life < 0.1f;
        assert_true(frame < 100);
    }
    assert_true(has_landed);
    couFoam_Clear(&foam);
    clear_cloud(&cloud);
}

// --- Births ---

// Two blocks that meet head-on, with ids.
typedef struct Clash {
    Cloud before, after;
    uint32_t *ids;
    couSurfacePoints a, b;
} Clash;

static void make_clash(Clash *clash, float seconds)
{
    *clash = (Clash){0};
    add_drop(&clash->before, 3, 700, (couVec3){-0.05f, 0, 0}, 0.1f, 3);
    size_t half = clash->before.count;
    add_drop(&clash->before, 3, 700, (couVec3){0.05f, 0, 0}, 0.1f, 4);
    for (size_t i = 0; i < clash->before.count; ++i) {
        clash->before.velocities[i] = (couVec3){i < half ? 2.0f : -2.0f, 0.5f, 0};
        add_point(&clash->after, couMulAdd(clash->before.positions[i], seconds, clash->before.velocities[i]), 0);
        clash->after.velocities[i] = clash->before.velocities[i];
    }
    clash->ids = number(clash->before.count);
    clash->a = points_of(&clash->before, 3), clash->b = points_of(&clash->after, 3);
    clash->a.ids = clash->b.ids = clash->ids;
}

static void clear_clash(Clash *clash)
{
    clear_cloud(&clash->before), clear_cloud(&clash->after);
    free(clash->ids);
}

// As many as the potentials say, within four standard deviations of chance; in one step, where liquid and potentials are those
// of the frame.
static void test_births_are_as_many_as_expected(void **context)
{
    (void)context;
    Clash clash;
    make_clash(&clash, 0.0f);
    size_t n = clash.after.count;
    couFoamDef def = foam_def();
    def.air_min = 0.5f, def.air_max = 200.0f;
    for (size_t i = 0; i < n; ++i) clash.after.velocities[i].x *= 20.0f * fabsf(clash.after.positions[i].x);
    float *all = calloc(3 * n, sizeof *all);
    couFaults faults = {0};
    assert_true(couFindFoamPotentials(&def, &clash.b, &(couFoamPotentials){all, all + n, all + 2 * n}, &faults));
    double seconds = 0.002, expected = 0;
    for (size_t i = 0; i < n; ++i)
        expected += (double)all[2 * n + i] *
                    ((double)def.air_rate * (double)all[i] + (double)def.crest_rate * (double)all[n + i]) * seconds;
    double total = 0;
    const int runs = 40;
    for (int seed = 1; seed <= runs; ++seed) {
        couFoam foam = {0};
        def.seed = seed;
        advance(&foam, &def, NULL, &clash.b, seconds, 1);
        total += (double)foam.count;
        couFoam_Clear(&foam);
    }
    CHECK_RANGE(expected, 1, 1e6, 0);
    CHECK_NEAR(total, runs * expected, 4 * sqrt(runs * expected) + 1, runs);
    free(all);
    clear_clash(&clash);
}

static couFoam run_clash(const Clash *clash, int threads, int seed, int most)
{
    couFoam foam = {0};
    couFoamDef def = foam_def();
    def.threads = threads, def.seed = seed, def.most = most;
    advance(&foam, &def, &clash->a, &clash->b, 0.03, 1);
    advance(&foam, &def, &clash->b, &clash->b, 0.03, 2);
    return foam;
}

static bool is_same(const couFoam *a, const couFoam *b)
{
    bool is_equal = a->count == b->count;
    for (size_t i = 0; is_equal && i < a->count; ++i) {
        const couFoamParticle *p = &a->items[i], *q = &b->items[i];
        is_equal = memcmp(&p->position, &q->position, sizeof p->position) == 0 && p->life == q->life && p->age == q->age &&
                   memcmp(&p->velocity, &q->velocity, sizeof p->velocity) == 0 && p->id == q->id && p->kind == q->kind;
    }
    return is_equal;
}

static void test_threads_do_not_matter_but_seeds_do(void **context)
{
    (void)context;
    Clash clash;
    make_clash(&clash, 0.03f);
    couFoam one = run_clash(&clash, 1, 1, 1000000);
    CHECK_RANGE((double)one.count, 300, 1e6, 1); // more than one block of it
    for (int threads = 2; threads <= 7; threads += 5) {
        couFoam many = run_clash(&clash, threads, 1, 1000000);
        assert_true(is_same(&one, &many));
        couFoam_Clear(&many);
    }
    couFoam other = run_clash(&clash, 2, 2, 1000000);
    assert_false(is_same(&one, &other));
    // No two share an id, and none is beyond what was allowed.
    uint8_t *is_taken = calloc(1 << 20, 1);
    for (size_t i = 0; i < one.count; ++i) {
        assert_true(one.items[i].id < 1 << 20 && !is_taken[one.items[i].id]);
        is_taken[one.items[i].id] = 1;
    }
    couFoam few = run_clash(&clash, 2, 1, 50);
    CHECK_AT_MOST((double)few.count, 50, 1);
    CHECK_RANGE((double)few.refused, 1, 1e9, 1);
    free(is_taken);
    couFoam_Clear(&one), couFoam_Clear(&other), couFoam_Clear(&few);
    clear_clash(&clash);
}

// --- Faults ---

static void test_faults(void **context)
{
    (void)context;
    couVec3 x[2] = {{0, 0, 0}, {NAN, 0, 0}}, v[2] = {{1, 0, 0}, {0, 0, 0}};
    couSurfacePoints points = {.dimension = 3, .count = 2, .positions = x, .velocities = v}, flat = points, bare = points;
    couFoamSpan span = {.after = &points, .seconds = 0.1};
    couFoam foam = {0};
    couFaults faults = {0};
    couFoamDef def = foam_def();
    assert_true(couFoam_Advance(&foam, &def, &span, &faults)); // a particle that is not finite does no harm
    assert_int_equal(foam.count, 0);
    def.air_max = def.air_min;
    assert_false(couFoam_Advance(&foam, &def, &span, &faults));
    CHECK_FAULT(&faults, "foam.air_max", "must be more than air_min");
    def = foam_def();
    def.drag = -1.0f;
    assert_false(couFoam_Advance(&foam, &def, &span, &faults));
    CHECK_FAULT(&faults, "foam.drag", NULL);
    def = foam_def();
    const double bad_seconds[] = {NAN, 0, -1, 1e7, 1e300, INFINITY};
    for (int k = 0; k < COU_COUNT(bad_seconds); ++k) {
        span.seconds = bad_seconds[k];
        assert_false(couFoam_Advance(&foam, &def, &span, &faults));
        CHECK_FAULT(&faults, "foam.seconds", "allowed: > 0 and <= 1e+06");
    }
    span.seconds = 0.1;
    flat.dimension = 2, bare.velocities = NULL;
    for (int k = 0; k < 2; ++k) {
        span.after = k == 0 ? &flat : &bare;
        assert_false(couFoam_Advance(&foam, &def, &span, &faults));
        CHECK_FAULT(&faults, "foam", NULL);
    }
    couFoam_Clear(&foam);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_potentials_are_those_of_the_paper),
        cmocka_unit_test(test_trapped_air_of_a_pair),
        cmocka_unit_test(test_spray_flies_along_a_parabola),
        cmocka_unit_test(test_bubbles_rise_against_their_drag),
        cmocka_unit_test(test_foam_goes_with_the_liquid_until_it_is_old),
        cmocka_unit_test(test_walls_hold_and_dry),
        cmocka_unit_test(test_births_are_as_many_as_expected),
        cmocka_unit_test(test_threads_do_not_matter_but_seeds_do),
        cmocka_unit_test(test_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
