// Free bodies as unknowns of the pressure system: loads, responses and the preconditioner against sums in double precision; then
// what that is for: momentum, added mass, bodies that are light, fast, small or squeezed.
#include "rigid_test.h"
#include "sph_test.h"

static const char *const solvers_here[] = {"wcsph", "pcisph", "iisph", "dfsph"};
enum { SOLVERS = 4 };

// --- The system --------------------------------------------------------------------------------------------------------------

#define SPACING 0.02f

static float random_float(couRandom *random, float size) { return size * couRandomSigned(random); }

// A jittered pool in a tank with `bodies` free bodies in it: a light box, a heavy one near it, so that some particles touch both.
static couWorld *make_pool(int dimension, int bodies, int wall_pressure, int seed)
{
    couWorldDef def = sph_def("dfsph", dimension, SPACING, EARTH);
    def.seed = seed;
    couWorld *world = make_sph_world_from(&def);
    sph_params(world)->wall_pressure = wall_pressure;
    couMaterialId water = add_liquid(world, 1000, 0);
    add_body(world, make_tank(0.2f, 0.4f, 0.16f, 0.06f, true), at(0, 0.2f, 0), 0);
    couBodyDef body = free_def(make_box(0.06f, 0.05f, 0.06f), turned(-0.04f, 0.07f, 0, 0.3f));
    body.density = 30, body.velocity = (couVec3){0.3f, -0.5f, 0}, body.spin = (couVec3){0, 0, 2};
    add_def(world, body);
    if (bodies > 1) {
        body = free_def(make_box(0.04f, 0.06f, 0.05f), turned(0.04f, 0.07f, 0, -0.1f)), body.density = 4000;
        add_def(world, body);
    }
    add_jittered(world, water, make_box(0.2f, 0.12f, 0.16f), at(0, 0.06f, 0), (couVec3){0.2f, -0.7f, 0}, 0.25f);
    if (seed % 2) {
        couMaterialId oil = add_liquid(world, 300, 0);
        add_jittered(world, oil, make_box(0.2f, 0.06f, 0.16f), at(0, 0.15f, 0), (couVec3){0.2f, -0.7f, 0}, 0.25f);
    }
    return world;
}

// What pressures do to a body by the links is what they do by the pairs.
static void check_loads(int dimension, int wall_pressure, int seed)
{
    couWorld *world = make_pool(dimension, 2, wall_pressure, seed);
    couStepReport report = {0};
    couStep step = open_pairs(world, 0.001f, &report);
    couSphLoop loop = couSph_Loop(&step);
    const couSphState *state = sph_state(world);
    couYield *yield = &sph_state(world)->yield;
    assert_int_equal(yield->body_count, 2);
    assert_true(yield->link_count > 20);
    couRandom random = {couMix64((uint64_t)seed)};
    for (size_t i = 0; i < loop.count; ++i) loop.change[i] = random_float(&random, 1e-4f);
    couSph_PressBodies(&step, loop.change);
    yield->held_count = 0;
    double square = couYield_Respond(yield, &world->fluid, loop.change), expected = 0;
    double unit = (double)state->volume * (double)state->reference_density;
    for (size_t b = 0; b < yield->body_count; ++b) {
        const couYieldingBody *own = &yield->bodies[b];
        const couBody *body = &world->bodies.items[own->place];
        double size[2] = {0};
        for (int a = 0; a < 6; ++a) size[a / 3] = fmax(size[a / 3], fabs(body->pushed[a] / unit));
        assert_true(size[0] > 0 && size[1] > 0);
        for (int a = 0; a < 6; ++a) // 2e-8: a change of 1e-4 by the last of 16 bits of a gradient
            CHECK_NEAR(own->load[a], body->pushed[a] / unit, fmax(1e-4 * size[a / 3], 2e-8), seed);
        // C load = V rho_ref / M load: along the plane's axes at least.
        for (int a = 0; a < dimension; ++a) CHECK_NEAR(own->response[a] * body->mass / unit, own->load[a], 1e-9 * size[0], seed);
        for (int a = 0; a < 6; ++a) expected += own->load[a] * own->response[a];
    }
    CHECK_NEAR(square / expected, 1, 1e-12, seed);
    couDestroyWorld(world);
}

static void test_loads(void **context)
{
    (void)context;
    int seed = 1;
    for (int dimension = 2; dimension <= 3; ++dimension)
        for (int walls = cou_wallPressureNeighbor; walls <= cou_wallPressureExtended; ++walls, ++seed)
            check_loads(dimension, walls, seed);
}

// A times the pressures b, with what bodies give way.
static void apply(const couStep *step, couSphLoop *loop, const float *b, double *out)
{
    static couSphLoopFcn *const response[cou_isaCount] = COU_VARIANTS(couSphResponse);
    static couSphLoopFcn *const residual[cou_isaCount] = COU_VARIANTS(couSphResidual);
    couYield *yield = &couSph_State(step->fluid)->yield;
    memcpy(loop->change, b, loop->count * sizeof *b);
    couWalls_Extend(step, loop, loop->change);
    couSph_Run(step, loop, response);
    couYield_Respond(yield, step->fluid, loop->change);
    for (size_t i = 0; i < loop->count; ++i) {
        couVec4 *v = &loop->velocity[i];
        v->x = -loop->out[i].x, v->y = -loop->out[i].y, v->z = -loop->out[i].z;
    }
    for (size_t s = 0; s < step->fluid->boundary.table.count; ++s) {
        couVec4 *v = &loop->velocity[loop->solid_base + s];
        v->x = v->y = v->z = 0;
    }
    couYield_WriteRows(yield, step->fluid, loop->velocity);
    couWalls_Ask(step, loop);
    couSph_Run(step, loop, residual);
    for (size_t i = 0; i < loop->count; ++i) out[i] = (double)(-loop->residual[i] / loop->dt);
}

static double product(const float *a, const double *b, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; ++i) sum += (double)a[i] * b[i];
    return sum;
}

// Symmetric with bodies as well, and what it costs is the energy of liquid and bodies.
static void check_symmetry(int dimension, int wall_pressure, bool is_held, int seed)
{
    couWorld *world = make_pool(dimension, 2, wall_pressure, seed);
    if (is_held) {
        couJointDef hinge = joint_def(cou_jointHinge, couWorld_BodyAt(world, 1), couWorld_BodyAt(world, 2),
                                      (couVec3){0, 0.07f, 0});
        add_joint(world, hinge);
        add_joint(world, joint_def(cou_jointBall, couWorld_BodyAt(world, 1), (couBodyId){0}, (couVec3){-0.04f, 0.2f, 0}));
    }
    couStepReport report = {0};
    couStep step = open_pairs(world, 0.001f, &report);
    couSphLoop loop = couSph_Loop(&step);
    couYield *yield = &sph_state(world)->yield;
    couYield_Begin(yield, &step, NULL, true);
    assert_true((yield->held_count > 0) == is_held);
    size_t count = loop.count;
    loop.out = couFluid_Previous(&world->fluid), loop.is_divergence = true, loop.is_clamped = false;
    loop.residual = calloc(count, sizeof *loop.residual);
    float *a = calloc(count, sizeof *a), *b = calloc(count, sizeof *b);
    double *Aa = calloc(count, sizeof *Aa), *Ab = calloc(count, sizeof *Ab), liquid = 0;
    couRandom random = {couMix64((uint64_t)seed)};
    for (size_t i = 0; i < count; ++i) a[i] = random_float(&random, 1), b[i] = random_float(&random, 1);
    apply(&step, &loop, a, Aa);
    apply(&step, &loop, b, Ab);
    for (size_t i = 0; i < count; ++i) liquid += (double)(couDot(couXyz(loop.out[i]), couXyz(loop.out[i])) / loop.velocity[i].w);
    double bodies = couYield_Respond(yield, &world->fluid, loop.change);
    double size = sqrt(product(a, Aa, count) * product(b, Ab, count));
    assert_true(bodies > 1e-4 * liquid);
    CHECK_NEAR(product(a, Ab, count) / size, product(b, Aa, count) / size, 1e-4, seed);
    CHECK_NEAR(product(b, Ab, count) / (liquid + bodies), 1, 1e-4, seed);
    free(loop.residual), free(a), free(b), free(Aa), free(Ab);
    couDestroyWorld(world);
}

static void test_symmetry(void **context)
{
    (void)context;
    int seed = 11;
    for (int dimension = 2; dimension <= 3; ++dimension)
        for (int n = 0; n < 4; ++n, ++seed)
            check_symmetry(dimension, n & 1 ? cou_wallPressureExtended : cou_wallPressureNeighbor, n & 2, seed);
}

// --- The preconditioner ------------------------------------------------------------------------------------------------------

// (1 + C J^T F J) S = C
static void check_small(const couYield *yield, const couYieldingBody *body, int seed)
{
    double stiffness[6][6] = {{0}}, size = 0;
    for (size_t k = body->begin; k < body->end; ++k) {
        const couBodyLink *link = &yield->links[k];
        for (int a = 0; a < 6; ++a)
            for (int b = 0; b < 6; ++b)
                stiffness[a][b] += (double)link->weight * link->bodies * (double)link->wrench[a] * (double)link->wrench[b];
    }
    for (int a = 0; a < 6; ++a)
        for (int b = 0; b < 6; ++b) size = fmax(size, fabs(body->compliance[a][b]));
    for (int a = 0; a < 6; ++a)
        for (int b = 0; b < 6; ++b) {
            double left = body->small[a][b], scale = fabs(left);
            for (int c = 0; c < 6; ++c)
                for (int e = 0; e < 6; ++e) {
                    double term = body->compliance[a][c] * stiffness[c][e] * body->small[e][b];
                    left += term, scale += fabs(term);
                }
            CHECK_NEAR(left, body->compliance[a][b], 1e-5 * scale + 1e-12 * size, seed);
        }
}

// Q F e = F (e - J S J^T F e)
static void check_correction(couYield *yield, const couYieldingBody *body, couWorld *world, const float *e, int seed)
{
    float *z = calloc(couWorld_Particles(world).count, sizeof *z);
    double load[6] = {0}, answer[6] = {0}, size = 0;
    for (size_t k = body->begin; k < body->end; ++k) {
        const couBodyLink *link = &yield->links[k];
        z[link->particle] = link->weight * e[link->particle];
        size = fmax(size, fabs((double)z[link->particle]));
        for (int a = 0; a < 6; ++a) load[a] += (double)link->wrench[a] * (double)z[link->particle];
    }
    for (int a = 0; a < 6; ++a)
        for (int b = 0; b < 6; ++b) answer[a] += body->small[a][b] * load[b];
    couYield_Correct(yield, &world->fluid, z);
    for (size_t k = body->begin; k < body->end; ++k) {
        const couBodyLink *link = &yield->links[k];
        double expected = e[link->particle];
        for (int a = 0; a < 6; ++a) expected -= (double)link->wrench[a] * answer[a];
        CHECK_NEAR(z[link->particle], link->weight * expected, 1e-5 * size, seed);
    }
    free(z);
}

// F Q^T is the inverse of 1/F + J C J^T, where no pressure is cut; where some are, the body answers to the cut ones as well.
static void check_woodbury(int dimension, bool is_clamped, int wall_pressure, int seed)
{
    couWorld *world = make_pool(dimension, 1, wall_pressure, seed);
    couStepReport report = {0};
    couStep step = open_pairs(world, 0.001f, &report);
    couSphLoop loop = couSph_Loop(&step);
    couYield *yield = &sph_state(world)->yield;
    couYield_Begin(yield, &step, NULL, true);
    size_t count = loop.count, still = 0;
    float *e = calloc(count, sizeof *e), *eased = calloc(count, sizeof *eased), *z = calloc(count, sizeof *z);
    couRandom random = {couMix64((uint64_t)seed)};
    loop.is_clamped = is_clamped, loop.residual = e;
    for (size_t i = 0; i < count; ++i) {
        e[i] = random_float(&random, 1e-3f);
        loop.pressure[i] = COU_MAX(random_float(&random, 1e-3f), 0.0f);
    }
    double way = couYield_Hear(yield, &world->fluid, &loop, eased), load[6] = {0}, moved[6], eases = 0;
    const couYieldingBody *body = &yield->bodies[0];
    check_small(yield, body, seed);
    for (size_t k = body->begin; k < body->end; ++k) {
        const couBodyLink *link = &yield->links[k];
        size_t i = link->particle;
        float least = -loop.dt * loop.pressure[i];
        z[i] = loop.factor[i] * (e[i] - eased[i]);
        bool follows = !is_clamped || z[i] > least;
        CHECK_NEAR(link->weight, follows ? loop.factor[i] : 0, 0, seed);
        still += !follows;
        if (!follows) z[i] = least;
        for (int a = 0; a < 6; ++a) load[a] += (double)link->wrench[a] * (double)z[i];
    }
    assert_true((still > 0) == is_clamped);
    assert_true(still < body->end - body->begin);
    // What all of that, the cut ones too, does to the body is what it has answered.
    for (int a = 0; a < 6; ++a) {
        moved[a] = 0;
        for (int b = 0; b < 6; ++b) moved[a] += body->compliance[a][b] * load[b];
    }
    for (size_t k = body->begin; k < body->end; ++k) {
        const couBodyLink *link = &yield->links[k];
        double got = 0;
        for (int a = 0; a < 6; ++a) got += (double)link->wrench[a] * moved[a];
        eases = fmax(eases, fabs((double)eased[link->particle]));
        CHECK_NEAR(got, eased[link->particle], 1e-3 * 1e-3, seed);
    }
    assert_true(eases > 1e-5);
    // The longest way that it has to give is that of the answer.
    const double *y = body->answer, radius = (double)world->bodies.items[body->place].ball_radius;
    CHECK_NEAR(way, sqrt(y[0] * y[0] + y[1] * y[1] + y[2] * y[2]) + radius * sqrt(y[3] * y[3] + y[4] * y[4] + y[5] * y[5]),
               1e-9 * way, seed);
    check_correction(yield, body, world, e, seed);
    free(e), free(eased), free(z);
    couDestroyWorld(world);
}

static void test_woodbury(void **context)
{
    (void)context;
    int seed = 31;
    for (int dimension = 2; dimension <= 3; ++dimension)
        for (int n = 0; n < 4; ++n, ++seed)
            check_woodbury(dimension, n & 1, n & 2 ? cou_wallPressureExtended : cou_wallPressureNeighbor, seed);
}

// Particles between several bodies: S of each counts them for each body, and Q stays what it says.
static void test_several_bodies(void **context)
{
    (void)context;
    for (int dimension = 2; dimension <= 3; ++dimension) {
        couWorld *world = make_pool(dimension, 2, cou_wallPressureAuto, 41);
        couStepReport report = {0};
        couStep step = open_pairs(world, 0.001f, &report);
        couSphLoop loop = couSph_Loop(&step);
        couYield *yield = &sph_state(world)->yield;
        couYield_Begin(yield, &step, NULL, true);
        loop.is_clamped = false;
        loop.residual = calloc(loop.count, sizeof *loop.residual);
        float *eased = calloc(loop.count, sizeof *eased);
        couYield_Hear(yield, &world->fluid, &loop, eased);
        free(loop.residual), free(eased);
        size_t shared = 0;
        for (size_t b = 0; b < yield->body_count; ++b) {
            check_small(yield, &yield->bodies[b], 41);
            for (size_t k = yield->bodies[b].begin; k < yield->bodies[b].end; ++k) shared += yield->links[k].bodies > 1.5f;
        }
        assert_true(shared > 0 && shared % 2 == 0);
        couDestroyWorld(world);
    }
}

// --- Momentum ----------------------------------------------------------------------------------------------------------------

typedef struct Balance {
    Vec momentum;
    double magnitude, energy;
} Balance;

static Balance measure(const couWorld *world)
{
    Balance balance;
    balance.momentum = fluid_momentum(world, &balance.magnitude);
    couMeasurement bodies = couWorld_MeasureBodies(world);
    Vec own = {bodies.momentum[0], bodies.momentum[1], bodies.momentum[2]};
    balance.momentum = add_scaled(balance.momentum, 1, own), balance.magnitude += length(own);
    balance.energy = couWorld_Measure(world).kinetic_energy + bodies.kinetic_energy;
    return balance;
}

// Two bodies fly into a blob from both sides, off its middle.
static void check_momentum(const char *method, int dimension, float density)
{
    couWorld *world = make_sph_world(method, dimension, 0.02f, NO_GRAVITY);
    couMaterialId water = add_liquid(world, 1000, 0.01f);
    float size = dimension == 3 ? 0.14f : 0.2f;
    add_lattice(world, water, make_box(size, size, size), at(0, 0, 0));
    couBodyDef def = free_def(make_box(0.1f, 0.08f, 0.08f), turned(-0.5f * size - 0.08f, 0.03f, 0, 0.2f));
    def.velocity = (couVec3){2, 0, 0}, def.density = density;
    add_def(world, def);
    def = free_def(make_sphere(0.04f), at(0.5f * size + 0.07f, -0.02f, 0));
    def.velocity = (couVec3){-1, 0, 0}, def.density = density;
    add_def(world, def);
    Balance first = measure(world);
    double loss = 0, scale = first.magnitude, fastest = 0;
    for (int frame = 0; frame < 6; ++frame) {
        couStepReport report = couWorld_Advance(world, 1.0 / 60);
        CHECK_SOUND(&report);
        Balance now = measure(world);
        scale = fmax(scale, now.magnitude), loss = fmax(loss, length(sub(now.momentum, first.momentum)));
        fastest = fmax(fastest, report.max_speed);
    }
    double hit = fluid_momentum(world, NULL).x / scale;
    print_message("%s in %dD, bodies of %g kg/m^3: momentum off by %.1e, energy %.3f of the first, fastest particle %.2f m/s\n",
                  method, dimension, (double)density, loss / scale, measure(world).energy / first.energy, fastest);
    CHECK_AT_MOST(loss / scale, 1e-4, dimension);
    assert_true(fabs(hit) > 1e-3);
    couDestroyWorld(world);
}

static void test_momentum(void **context)
{
    (void)context;
    static const float densities[] = {10, 300, 10000};
    for (int m = 0; m < SOLVERS; ++m)
        for (int k = 0; k < 3; ++k) {
            check_momentum(solvers_here[m], 2, densities[k]);
            if (k != 1 && m > 1) check_momentum(solvers_here[m], 3, densities[k]);
        }
}

// --- Added mass --------------------------------------------------------------------------------------------------------------

// A light ball held deep under water until that is at rest, then let go.
static void check_added_mass(const char *method, int dimension, float density)
{
    const float d = 0.02f, radius = dimension == 3 ? 3.5f * d : 5 * d;
    const float wide = dimension == 3 ? 20 * d : 50 * d, deep = dimension == 3 ? 22 * d : 44 * d;
    couFaults faults = {0};
    couWorld *world = make_sph_world(method, dimension, d, EARTH);
    couMaterialId water = add_liquid(world, 1000, 0.001f);
    add_body(world, make_tank(wide, 2 * deep, wide, 5 * d, true), at(0, deep, 0), 0);
    couBodyDef def = couDefaultBodyDef();
    def.shape = make_sphere(radius), def.pose = at(0, 0.45f * deep, 0), def.density = density;
    couBodyId ball = add_def(world, def);
    add_fluid(world, water, make_box(wide, deep, wide), at(0, 0.5f * deep, 0), NO_GRAVITY);
    run_frames(world, dimension == 3 ? 0.25 : 0.5);
    assert_true(couWorld_SetBodyDynamic(world, ball, true, &faults));
    CHECK_NO_FAULTS(&faults);
    double start = couWorld_Time(world);
    run_frames(world, 0.02);
    double got = (double)couWorld_BodyVelocity(world, ball).y / (couWorld_Time(world) - start);
    double share = density / 1000, added = dimension == 3 ? 0.5 : 1, expected = (1 - share) / (share + added) * 9.81;
    print_message("%s in %dD: a ball of %g kg/m^3 rises at %.3f of what added mass says\n", method, dimension, (double)density,
                  got / expected);
    CHECK_NEAR(got / expected, 1, 0.25, dimension);
    couDestroyWorld(world);
}

static void test_added_mass(void **context)
{
    (void)context;
    check_added_mass("dfsph", 2, 10);
    check_added_mass("dfsph", 2, 500);
    check_added_mass("iisph", 2, 100);
    check_added_mass("dfsph", 3, 10);
}

// --- Odd bodies --------------------------------------------------------------------------------------------------------------

static couWorld *make_water(const char *method, int dimension, float wide, float deep)
{
    couWorld *world = make_sph_world(method, dimension, SPACING, EARTH);
    couMaterialId water = add_liquid(world, 1000, 0.001f);
    add_body(world, make_tank(wide, 0.8f, wide, 5 * SPACING, true), at(0, 0.4f, 0), 0);
    add_fluid(world, water, make_box(wide, deep, wide), at(0, 0.5f * deep, 0), NO_GRAVITY);
    return world;
}

// A box of a hundredth of the density settles on the water and stays; an equation of state is never quite calm.
static void check_floating(const char *method, double most_speed, double most_way)
{
    const float deep = 12 * SPACING;
    couWorld *world = make_water(method, 2, 30 * SPACING, deep);
    couBodyDef def = free_def(make_box(16 * SPACING, 8 * SPACING, 1), at(0, deep + 4 * SPACING, 0));
    def.density = 10;
    couBodyId box = add_def(world, def);
    run_frames(world, 2);
    couVec3 before = couWorld_BodyPose(world, box).position;
    double fastest = 0, farthest = 0, turn = 0;
    for (int f = 0; f < 15; ++f) {
        couStepReport report = couWorld_Advance(world, 1.0 / 30);
        CHECK_SOUND(&report);
        fastest = fmax(fastest, couLength(couWorld_BodyVelocity(world, box)));
        turn = fmax(turn, couLength(couWorld_BodySpin(world, box)));
        farthest = fmax(farthest, couLength(couSub(couWorld_BodyPose(world, box).position, before)));
    }
    print_message("%s: a box of 10 kg/m^3 floats, speed at most %.4f m/s, spin %.3f rad/s, way %.3f d in 0.5 s\n", method,
                  fastest, turn, farthest / SPACING);
    CHECK_AT_MOST(fastest, most_speed, 0);
    CHECK_AT_MOST(farthest / SPACING, most_way, 0);
    couDestroyWorld(world);
}

static void test_floating(void **context)
{
    (void)context;
    check_floating("pcisph", 0.01, 0.1);
    check_floating("iisph", 0.01, 0.1);
    check_floating("dfsph", 0.01, 0.1);
    check_floating("wcsph", 0.05, 0.5);
}

// Runs and looks; all particles are still there, above the floor.
static void run_and_look(couWorld *world, double seconds, double most, couBodyId body, double most_body, int seed)
{
    size_t count = couWorld_Particles(world).count;
    double fastest = 0, fastest_body = 0;
    for (double end = couWorld_Time(world) + seconds; couWorld_Time(world) < end - 1e-9;) {
        couStepReport report = couWorld_Advance(world, 1.0 / 120);
        CHECK_SOUND(&report);
        CHECK_NEAR(report.unstable_step, 0, 0, seed); // it would not go on
        fastest = fmax(fastest, report.max_speed);
        fastest_body = fmax(fastest_body, couLength(couWorld_BodyVelocity(world, body)));
    }
    assert_int_equal(couWorld_Particles(world).count, count);
    couParticleView view = couWorld_Particles(world);
    for (size_t i = 0; i < view.count; ++i) CHECK_RANGE(view.position[i].y, -0.001, INFINITY, seed);
    print_message("  fastest particle %.2f m/s, body %.2f m/s\n", fastest, fastest_body);
    CHECK_AT_MOST(fastest, most, seed);
    CHECK_AT_MOST(fastest_body, most_body, seed);
}

// Bodies of an eighth of a particle's mass: one falls on the water, one begins inside. What is put between particles is squeezed
// at first, which an equation of state answers as to a blow.
static void test_specks(void **context)
{
    (void)context;
    for (int m = 0; m < SOLVERS; ++m) {
        couWorld *world = make_water(solvers_here[m], 2, 0.2f, 0.1f);
        couBodyDef def = free_def(make_sphere(0.6f * SPACING), at(-0.05f, 0.14f, 0));
        def.density = 100;
        couBodyId speck = add_def(world, def);
        if (m > 0) {
            def = free_def(make_box(0.5f * SPACING, 0.5f * SPACING, 0.5f * SPACING), at(0.02f, 0.05f, 0)), def.density = 500;
            speck = add_def(world, def);
        }
        assert_true(couWorld_BodyMass(world, speck) < 0.2f * couWorld_ParticleMass(world, 0));
        print_message("specks, %s:\n", solvers_here[m]);
        run_and_look(world, 0.4, 2, speck, 2, m);
        couDestroyWorld(world);
    }
}

// A body that comes into water at rest takes the place of some of it.
static void test_body_in_liquid(void **context)
{
    (void)context;
    for (int m = 0; m < SOLVERS; ++m) {
        couWorld *world = make_water(solvers_here[m], 2, 0.3f, 0.16f);
        run_frames(world, 0.2);
        couBodyDef def = free_def(make_box(0.08f, 0.06f, 0.08f), turned(0, 0.08f, 0, 0.2f));
        def.density = 100;
        couBodyId box = add_def(world, def);
        print_message("a body in liquid, %s:\n", solvers_here[m]);
        run_and_look(world, 0.3, m > 0 ? 3 : 30, box, m > 0 ? 2 : 10, m);
        couDestroyWorld(world);
    }
}

// Two heavy boxes squeeze a sheet of water between them.
static void test_squeezed(void **context)
{
    (void)context;
    for (int m = 0; m < SOLVERS; ++m) {
        couWorld *world = make_sph_world(solvers_here[m], 2, SPACING, NO_GRAVITY);
        couMaterialId water = add_liquid(world, 1000, 0.001f);
        add_lattice(world, water, make_box(0.06f, 0.2f, 0.2f), at(0, 0.2f, 0));
        couBodyDef def = free_def(make_box(0.1f, 0.2f, 0.2f), at(-0.09f, 0.2f, 0));
        def.density = 5000, def.velocity = (couVec3){1, 0, 0};
        couBodyId left = add_def(world, def);
        def = free_def(make_box(0.1f, 0.2f, 0.2f), at(0.09f, 0.2f, 0));
        def.density = 5000, def.velocity = (couVec3){-1, 0, 0};
        add_def(world, def);
        print_message("squeezed, %s:\n", solvers_here[m]);
        size_t count = couWorld_Particles(world).count;
        double fastest = 0, fastest_body = 0;
        for (int f = 0; f < 30; ++f) {
            couStepReport report = couWorld_Advance(world, 1.0 / 120);
            CHECK_SOUND(&report);
            fastest = fmax(fastest, report.max_speed);
            fastest_body = fmax(fastest_body, couLength(couWorld_BodyVelocity(world, left)));
        }
        print_message("  fastest particle %.2f m/s, body %.2f m/s\n", fastest, fastest_body);
        assert_int_equal(couWorld_Particles(world).count, count);
        CHECK_AT_MOST(fastest, 30, m); // the sheet's length over its last thickness
        CHECK_AT_MOST(fastest_body, 1.1, m);
        couDestroyWorld(world);
    }
}

// At 50 m/s into a pool, and through the water to its floor.
static void test_shots(void **context)
{
    (void)context;
    static const float densities[] = {100, 5000};
    for (int m = 0; m < SOLVERS; ++m)
        for (int k = 0; k < 2; ++k) {
            couWorld *world = make_water(solvers_here[m], 2, 0.4f, 0.16f);
            couBodyDef def = free_def(make_sphere(0.04f), at(0.03f, 0.26f, 0));
            def.density = densities[k], def.velocity = (couVec3){0, -50, 0};
            couBodyId ball = add_def(world, def);
            print_message("a ball of %g kg/m^3 at 50 m/s, %s:\n", (double)densities[k], solvers_here[m]);
            run_and_look(world, 0.05, 250, ball, 51, m);
            assert_true(couWorld_BodyPose(world, ball).position.y > 0.03f);
            couDestroyWorld(world);
        }
}

// --- The same bits -----------------------------------------------------------------------------------------------------------

// Light and heavy bodies, some on joints, fall into water.
static couWorld *make_scene(const char *method, int dimension, int threads)
{
    couWorldDef def = sph_def(method, dimension, 0.03f, EARTH);
    def.threads = threads;
    couWorld *world = make_sph_world_from(&def);
    couMaterialId water = add_liquid(world, 1000, 0.01f);
    add_body(world, make_tank(0.6f, 0.6f, 0.3f, 0.1f, true), at(0, 0.3f, 0), 0);
    couBodyDef body = free_def(make_box(0.12f, 0.1f, 0.12f), turned(-0.1f, 0.22f, 0, 0.1f));
    body.density = 20;
    couBodyId a = add_def(world, body);
    body = free_def(make_box(0.1f, 0.08f, 0.1f), turned(0.03f, 0.25f, 0, 0.2f)), body.density = 3000;
    couBodyId b = add_def(world, body);
    body = free_def(make_cylinder(0.05f, 0.1f), at(0.18f, 0.2f, 0)), body.density = 400;
    couBodyId c = add_def(world, body);
    add_joint(world, joint_def(cou_jointHinge, c, (couBodyId){0}, (couVec3){0.18f, 0.4f, 0}));
    add_joint(world, joint_def(cou_jointBall, a, b, (couVec3){-0.03f, 0.25f, 0}));
    add_fluid(world, water, make_box(0.6f, 0.2f, 0.3f), at(0, 0.1f, 0), NO_GRAVITY);
    return world;
}

static uint64_t run_scene(couWorld *world, int steps)
{
    for (int k = 0; k < steps; ++k) {
        couStepReport report = couWorld_Step(world, 0.0008f);
        CHECK_SOUND(&report);
    }
    return hash_world(world);
}

static void test_same_bits(void **context)
{
    (void)context;
    enum { STEPS = 24 };
    for (int m = 0; m < SOLVERS; ++m)
        for (int dimension = 2; dimension <= 3; ++dimension) {
            if (dimension == 3 && m < 2) continue;
            uint64_t first = 0;
            for (int threads = 1; threads <= 4; ++threads) {
                couWorld *world = make_scene(solvers_here[m], dimension, threads);
                uint64_t hash = run_scene(world, STEPS);
                if (threads == 1) first = hash;
                if (hash != first) fail_msg("%s in %dD: another hash with %d threads", solvers_here[m], dimension, threads);
                couDestroyWorld(world);
            }
            couFaults faults = {0};
            couWorld *world = make_scene(solvers_here[m], dimension, 2), *other = make_scene(solvers_here[m], dimension, 1);
            run_scene(world, STEPS / 2);
            couState state = {0};
            assert_true(couWorld_SaveState(world, &state));
            assert_true(couWorld_LoadState(other, &state, &faults));
            CHECK_NO_FAULTS(&faults);
            if (run_scene(other, STEPS - STEPS / 2) != first)
                fail_msg("%s in %dD: goes on differently after loading", solvers_here[m], dimension);
            couState_Clear(&state);
            couDestroyWorld(world);
            couDestroyWorld(other);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loads),          cmocka_unit_test(test_symmetry), cmocka_unit_test(test_woodbury),
        cmocka_unit_test(test_several_bodies), cmocka_unit_test(test_momentum), cmocka_unit_test(test_added_mass),
        cmocka_unit_test(test_floating),       cmocka_unit_test(test_specks),   cmocka_unit_test(test_body_in_liquid),
        cmocka_unit_test(test_squeezed),       cmocka_unit_test(test_shots),    cmocka_unit_test(test_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
