// Pressure by an equation of state: what it says of each particle, densities that flow, sound that dies away, and a gas that
// fills its room.
#include "sph_test.h"

static const char *const methods[] = {"sesph", "wcsph", "mueller"};

// A ball of particles at all densities, after one step.
static void test_pressure_follows_density(void **context)
{
    (void)context;
    for (int m = 0; m < 3; ++m) {
        for (int equation = 0; equation < 2; ++equation) {
            couWorld *world = make_sph_world(methods[m], 3, 0.02f, NO_GRAVITY);
            couSphParams *p = sph_params(world);
            p->stiffness = 5000, p->equation = equation;
            p->density = cou_densitySum, p->damping = 0;
            couMaterialId water = add_liquid(world, 1000, 0.001f);
            add_jittered(world, water, make_sphere(0.1f), COU_POSE_IDENTITY, NO_GRAVITY, 0.4f);
            couWorld_Step(world, 1e-5f);
            double k2 = equation == cou_equationGas || m == 2 ? 1 : 7;
            CHECK_NEAR((double)sph_state(world)->exponent, k2, 0, 0);
            couParticleView view = couWorld_Particles(world);
            double least = INFINITY, most = -INFINITY;
            for (size_t i = 0; i < view.count; ++i) {
                double D = view.density[i], p_tait = fmax(5000 * (pow(D, k2) - 1), 0), p_gas = 5000 * D;
                double expected = equation == cou_equationGas ? p_gas : p_tait;
                CHECK_NEAR((double)view.pressure[i], expected, 0.02 + 1e-4 * expected, (int)i);
                least = fmin(least, D), most = fmax(most, D);
            }
            assert_true(least < 0.8 && most > 1.02);
            couDestroyWorld(world);
        }
    }
}

// A block whose velocities close in at an even rate: inside, where sums see nothing but that, the density grows by n rate dt in a
// step, and the pressure is that of it, and of a moment later while sound is calmed.
static void check_closing(int dimension, bool is_calmed, float rate)
{
    const float d = 0.02f, edge = 16 * d, k1 = 5000, dt = 1e-4f;
    couWorld *world = make_sph_world("wcsph", dimension, d, NO_GRAVITY);
    couSphParams *p = sph_params(world);
    p->stiffness = k1, p->clamp = false;
    if (!is_calmed) p->damping = 0;
    add_lattice(world, add_liquid(world, 1000, 0), make_box(edge, edge, edge), at(0, 0, 0));
    for (size_t i = 0; i < world->fluid.table.count; ++i) {
        couVec4 x = couFluid_Position(&world->fluid)[i], *v = &couFluid_Velocity(&world->fluid)[i];
        v->x = -rate * x.x, v->y = -rate * x.y, v->z = -rate * x.z;
    }
    couWorld_Step(world, dt), couWorld_Step(world, dt); // the first begins where nothing has moved yet
    double growth = (double)(dimension * rate * dt), later = 0;
    if (is_calmed) later = (double)sph_state(world)->acoustic_step * dimension * rate;
    double expected = k1 * (pow(1 + growth, 7) - 1) + 7 * k1 * later;
    couParticleView view = couWorld_Particles(world);
    size_t inside = 0;
    for (size_t i = 0; i < view.count; ++i) {
        couVec4 x = view.position[i];
        if (fmaxf(fabsf(x.x), fmaxf(fabsf(x.y), fabsf(x.z))) > 0.2f * edge) continue;
        CHECK_NEAR((double)view.pressure[i], expected, 0.03 * fabs(expected), dimension);
        inside += 1;
    }
    assert_true(inside >= 16);
    couDestroyWorld(world);
}

static void test_density_flows(void **context)
{
    (void)context;
    for (int dimension = 2; dimension <= 3; ++dimension)
        for (int k = 0; k < 4; ++k) check_closing(dimension, k & 1, k & 2 ? -5 : 5);
}

// A tank that is let go swings on its own stiffness; it must come to rest, which without damping it does not.
static double rest_energy(const char *method, float damping)
{
    const float d = 0.02f, wide = 12 * d, deep = 24 * d;
    couWorld *world = make_sph_world(method, 2, d, EARTH);
    if (!isnan(damping)) sph_params(world)->damping = damping;
    add_body(world, make_tank(wide, 1.5f * deep, 1, 5 * d, true), at(0, 0.75f * deep, 0), 0);
    add_jittered(world, add_liquid(world, 1000, 0), make_box(wide, deep, 1), at(0, 0.5f * deep, 0), (couVec3){0, -0.1f, 0}, 0.1f);
    double sum = 0, mass = 1000.0 * wide * deep;
    for (int frame = 0; frame < 60; ++frame) {
        couStepReport report = couWorld_Advance(world, 0.05);
        CHECK_HEALTHY(&report);
        if (frame >= 50) sum += couWorld_Measure(world).kinetic_energy / 10;
    }
    couDestroyWorld(world);
    return sum / (mass * 9.81 * d);
}

static void test_sound_dies_away(void **context)
{
    (void)context;
    CHECK_AT_MOST(rest_energy("wcsph", NAN), 1e-3, 0);
    CHECK_AT_MOST(rest_energy("sesph", NAN), 1e-3, 1);
    CHECK_RANGE(rest_energy("sesph", 0), 1e-2, 1000, 2);
}

// Half a box full of gas becomes a whole one, at half the density, and presses on all walls with k1 / 2. Neighbours are then 1.4
// d apart: a support of 3 d gives nine tenths of that, one of 2 d six tenths.
static void test_gas_fills_its_room(void **context)
{
    (void)context;
    const float side = 0.4f, k1 = 2000;
    couWorld *world = make_sph_world("sesph", 2, 0.02f, NO_GRAVITY);
    couSphParams *p = sph_params(world);
    p->stiffness = k1, p->equation = cou_equationGas, p->support = 3;
    couMaterialId gas = add_liquid(world, 1000, 20); // thick, to come to rest soon
    couBodyId walls[4];
    for (int k = 0; k < 4; ++k) {
        float shift = (k % 2 ? 1 : -1) * (0.5f * side + 0.05f);
        couShape *wall = k < 2 ? make_box(0.1f, side + 0.2f, 1) : make_box(side, 0.1f, 1);
        walls[k] = add_body(world, wall, at(k < 2 ? shift : 0, k < 2 ? 0 : shift, 0), 0);
    }
    int64_t count = add_lattice(world, gas, make_box(0.5f * side, side, 1), at(-0.1f, 0, 0));
    CHECK_NEAR((double)count, 200, 0, 0);
    for (int k = 0; k < 60; ++k) {
        couStepReport report = couWorld_Advance(world, 0.05);
        assert_false(couStepReport_HasFailed(&report));
    }
    couMeasurement now = couWorld_Measure(world);
    CHECK_NEAR(now.center[0], 0, 0.012, 0);
    CHECK_NEAR(now.center[1], 0, 0.012, 0);
    couParticleView view = couWorld_Particles(world);
    double mean = 0, inner = 0;
    for (size_t i = 0; i < view.count; ++i) {
        bool is_inner = fabsf(view.position[i].x) < 0.12f && fabsf(view.position[i].y) < 0.12f;
        if (is_inner) mean += view.density[i], inner += 1;
    }
    CHECK_NEAR(mean / inner, 0.5, 0.05, 0);
    for (int k = 0; k < 4; ++k) {
        couVec3 force = couWorld_BodyForce(world, walls[k]);
        double outward = k == 0 ? -force.x : k == 1 ? force.x : k == 2 ? -force.y : force.y;
        CHECK_NEAR(outward, 0.5 * (double)k1 * (double)side, 0.15 * 0.5 * (double)k1 * (double)side, k);
    }
    couDestroyWorld(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pressure_follows_density),
        cmocka_unit_test(test_density_flows),
        cmocka_unit_test(test_sound_dies_away),
        cmocka_unit_test(test_gas_fills_its_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
