// Bodies that ask much of the coupling: one that starts inside the liquid, ones lighter than a particle, two that squeeze liquid
// between them, one that hits a pool at 50 m/s. Nothing explodes, becomes NaN or is lost, in the plane and in space, and light
// bodies give the liquid no energy.
#include "sph_test.h"

#include <stdlib.h>

static const char *const methods[] = {"wcsph", "pcisph", "iisph", "dfsph"};
static const float d = 0.02f;

typedef struct Case {
    const char *name;
    void (*add)(couWorld *world);
    bool is_late;   // it comes when the liquid is there
    double seconds; // of simulated time
    double most;    // speed of liquid and bodies after it [m/s]
    int methods;    // bits, in the order of their names
} Case;

static void add_free(couWorld *world, couShape *shape, couPose pose, float density, couVec3 velocity)
{
    couFaults faults = {0};
    couBodyDef def = couDefaultBodyDef();
    def.shape = shape, def.pose = pose, def.is_dynamic = true, def.density = density, def.velocity = velocity;
    assert_true(couWorld_AddBody(world, &def, &faults).index1);
    CHECK_NO_FAULTS(&faults);
    couShape_Release(shape);
}

// Over particles that are there: they are removed, and what is beside them is pressed to its surface.
static void add_inside(couWorld *world) { add_free(world, make_sphere(0.05f), at(0.003f, 0.1f, 0.004f), 500, NO_GRAVITY); }

// A particle has 0.4 kg/m in the plane and 8 g in space; the ball a share of that.
static void add_share(couWorld *world, float share)
{
    float radius = 0.03f;
    bool is_flat = world->def.dimension == 2;
    float volume = is_flat ? 2.83e-3f : 1.13e-4f, particle = is_flat ? 0.4f : 8e-3f;
    add_free(world, make_sphere(radius), at(0, 0.1f, 0), share * particle / volume, NO_GRAVITY);
}

static void add_light(couWorld *world) { add_share(world, 0.1f); }
static void add_lighter(couWorld *world) { add_share(world, 0.05f); }
static void add_lightest(couWorld *world) { add_share(world, 0.001f); } // which moves as with 1/30

// Two heavy plates, the upper thrown at the lower.
static void add_press(couWorld *world)
{
    add_free(world, make_box(0.16f, 0.04f, 0.16f), at(0, 0.05f, 0), 5000, NO_GRAVITY);
    add_free(world, make_box(0.16f, 0.04f, 0.16f), at(0, 0.17f, 0), 5000, (couVec3){0, -2, 0});
}

static void add_fast(couWorld *world) { add_free(world, make_sphere(0.04f), at(0, 0.4f, 0), 2000, (couVec3){0, -50, 0}); }

static double fluid_energy(const couWorld *world)
{
    couMeasurement fluid = couWorld_Measure(world);
    return fluid.kinetic_energy + fluid.potential_energy;
}

static void run_case(const Case *c, const char *method, int dimension, int seed)
{
    couWorld *world = make_sph_world(method, dimension, d, EARTH);
    add_body(world, make_tank(0.24f, 1.0f, 0.24f, 0.1f, true), at(0, 0.5f, 0), 0);
    if (!c->is_late) c->add(world);
    add_lattice(world, add_liquid(world, 1000, 0), make_box(0.24f, 0.16f, 0.24f), at(0, 0.08f, 0));
    if (c->is_late) c->add(world);
    size_t count = couWorld_Particles(world).count;
    couStepReport all = {0};
    double fastest = 0, energy = fluid_energy(world), most_energy = energy;
    for (int k = 0; k < 4; ++k) {
        couStepReport report = couWorld_Advance(world, 0.25 * c->seconds);
        if (couStepReport_HasFailed(&report))
            fail_msg("%s, %s in %dD: NaN %lld, lost %lld, step %g s, runaway %g m/s at %g s", c->name, method, dimension,
                     (long long)report.nan_count, (long long)report.lost_count, (double)report.unstable_step,
                     (double)report.runaway_speed, couWorld_Time(world));
        couStepReport_Add(&all, &report);
        fastest = fmax(fastest, (double)report.max_speed);
        most_energy = fmax(most_energy, fluid_energy(world));
    }
    assert_int_equal(couWorld_Particles(world).count, count);
    couMeasurement bodies = couWorld_MeasureBodies(world);
    if (c->add == add_lightest) {
        couBodyId ball = couWorld_BodyAt(world, couWorld_BodyCount(world) - 1);
        CHECK_NEAR(couWorld_BodyMass(world, ball), couWorld_ParticleMass(world, 0) / 30, 1e-3 * couWorld_ParticleMass(world, 0),
                   seed);
    }
    if (!getenv("COULIS_TEST_REPORT")) {
        CHECK_RANGE(fastest, 0, c->most, seed);
        CHECK_RANGE(bodies.max_speed, 0, c->most, seed);
        bool is_light = c->add == add_light || c->add == add_lighter || c->add == add_lightest;
        if (is_light) CHECK_RANGE(most_energy, 0, 1.02 * energy, seed); // a rising bubble lets the water down
    } else
        print_message("%s, %s in %dD: fastest liquid %.2f m/s, at the end %.2f, bodies %.2f; energy %.3f of the first; "
                      "density error %.4f, largest %.2f; "
                      "%d steps, trapped %lld, not converged %d\n",
                      c->name, method, dimension, fastest, (double)couWorld_Measure(world).max_speed, (double)bodies.max_speed,
                      most_energy / energy, all.density_error_mean, all.density_error_max, all.substeps,
                      (long long)all.trapped_count, all.unconverged_count);
    couDestroyWorld(world);
}

static void run_cases(int dimension)
{
    enum { ALL = 15 };
    static const Case cases[] = {{"inside", add_inside, true, 0.12, 5, ALL},   {"light", add_light, false, 0.2, 5, ALL},
                                 {"lighter", add_lighter, false, 0.2, 8, ALL}, {"lightest", add_lightest, false, 0.2, 8, ALL},
                                 {"press", add_press, false, 0.12, 10, ALL},   {"fast", add_fast, false, 0.02, 150, ALL}};
    for (int k = 0; k < COU_COUNT(cases); ++k)
        for (int m = 0; m < COU_COUNT(methods); ++m)
            if (cases[k].methods >> m & 1) run_case(&cases[k], methods[m], dimension, 10 * k + m);
}

static void test_extremes_2d(void **context)
{
    (void)context;
    run_cases(2);
}

static void test_extremes_3d(void **context)
{
    (void)context;
    run_cases(3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_extremes_2d), cmocka_unit_test(test_extremes_3d)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
