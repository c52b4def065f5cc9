// What cases read off their curves: fits find what was put in, order is that of known lattices, drag that of published balls.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "validate/validate.h"

#include <math.h>
#include <stdlib.h>

static void assert_near(double got, double expected, double tolerance)
{
    if (!(fabs(got - expected) <= tolerance)) {
        print_message("got %.9g, expected %.9g, tolerance %g\n", got, expected, tolerance);
        fail();
    }
}

// --- A damped cosine ---

enum { POINTS = 361 };

static couSwing fit_to(double omega, double rate, double offset, double noise)
{
    double t[POINTS], x[POINTS];
    uint64_t seed = 5;
    for (int k = 0; k < POINTS; ++k) {
        t[k] = 7.0 * k / (POINTS - 1);
        x[k] = 0.3 * exp(-rate * t[k]) * cos(omega * t[k] + 0.4) + offset + noise * couNoise(&seed);
    }
    return couFitSwing(t, x, POINTS, 5.3);
}

static void test_swing_is_found(void **context)
{
    (void)context;
    for (double omega = 4.5; omega < 6.5; omega += 0.37)
        for (double rate = 0; rate < 0.6; rate += 0.13) {
            couSwing swing = fit_to(omega, rate, 0.02, 0);
            assert_near(swing.omega, omega, 2e-4 * omega);
            assert_near(swing.rate, rate, 1e-3);
            assert_near(hypot(swing.c[0], swing.c[1]), 0.3, 1e-3);
            assert_near(swing.c[2], 0.02, 1e-3);
            assert_near(couSwing_At(&swing, 1.234), 0.3 * exp(-rate * 1.234) * cos(omega * 1.234 + 0.4) + 0.02, 1e-3);
        }
}

// A tenth of the height in noise moves period and loss by less than a third of what the wave is allowed.
static void test_swing_in_noise(void **context)
{
    (void)context;
    couSwing swing = fit_to(5.3166, 0.0434, 0, 0.03);
    assert_near(swing.omega, 5.3166, 0.003 * 5.3166);
    assert_near(swing.rate, 0.0434, 0.014);
}

// --- A parabola ---

static void test_parabola_is_found(void **context)
{
    (void)context;
    double t[50], x[50], c[3];
    for (int k = 0; k < 50; ++k) t[k] = 1 + 0.02 * k / 49, x[k] = 3 - 40 * t[k] + 700 * t[k] * t[k]; // far from the origin
    couFitParabola(t, x, 50, c);
    assert_near(c[0], 3, 1e-4);
    assert_near(c[1], -40, 2e-4);
    assert_near(c[2], 700, 1e-4);
}

static void test_parabola_of_too_few(void **context)
{
    (void)context;
    double c[3];
    couFitParabola((double[]){1, 2}, (double[]){1, 2}, 0, c);
    assert_true(isnan(c[0]) && isnan(c[1]) && isnan(c[2]));
    couFitParabola((double[]){1, 1}, (double[]){1, 2}, 2, c);
    assert_true(isnan(c[0]));
}

// --- Order ---

// 20 rows of 20; `lean` shifts every other row.
static double order_of_rows(double row, double lean, double noise)
{
    couVec4 x[400];
    uint64_t seed = 9;
    for (int k = 0; k < 400; ++k)
        x[k] = (couVec4){(float)(k % 20 + lean * (k / 20 % 2) + noise * couNoise(&seed)),
                         (float)(row * (k / 20) + noise * couNoise(&seed)), 0, 0};
    return couHexaticOrder(x, 400, 2.2);
}

static void test_hexatic_order(void **context)
{
    (void)context;
    assert_near(order_of_rows(sqrt(0.75), 0.5, 0), 1, 1e-5);
    assert_true(order_of_rows(1, 0, 0) < 0.34); // squares: four cancel, two are left of six
    double shaken = order_of_rows(sqrt(0.75), 0.5, 0.15);
    assert_true(shaken > 0.5 && shaken < 0.95);
    assert_true(isnan(couHexaticOrder(NULL, 0, 1)));
}

// --- Drag ---

// Stokes' law in thick oil, and the four speeds in an endless liquid that [ten Cate 2002, table 1] has for its ball, by another
// formula for the drag.
static void test_settling_speed(void **context)
{
    (void)context;
    assert_near(couSettlingSpeed(1e-3, 1150, 970, 10), 180 * 9.81 * 1e-6 / 180, 1e-3 * 9.81e-6);
    static const double oils[4][3] = {{970, 0.373, 0.038}, {965, 0.212, 0.060}, {962, 0.113, 0.091}, {960, 0.058, 0.128}};
    for (int k = 0; k < 4; ++k) assert_near(couSettlingSpeed(0.015, 1120, oils[k][0], oils[k][1]), oils[k][2], 0.08 * oils[k][2]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_swing_is_found),    cmocka_unit_test(test_swing_in_noise),
        cmocka_unit_test(test_parabola_is_found), cmocka_unit_test(test_parabola_of_too_few),
        cmocka_unit_test(test_hexatic_order),     cmocka_unit_test(test_settling_speed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
