// Smoothing kernels: integrals, derivatives, their wide shapes, and sums over the lattice, all against plain arithmetic.
#include "testing.h"

#include "fluid/kernels_wide.h"

enum { KINDS = 6, WIDE_KINDS = 5 };
static const couKernelKind kinds[KINDS] = {cou_kernelCubic, cou_kernelWendland, cou_kernelPoly6,
                                           cou_kernelSpiky, cou_kernelKaiser,   cou_kernelViscosity};
static const float supports[] = {0.031f, 1.0f, 7.5f};

// Integral of W over its support: shells of r = h s^2, which tames what is singular in the middle.
static double integral(const couKernel *kernel, int steps)
{
    double sum = 0, h = kernel->h;
    for (int k = 0; k < steps; ++k) {
        double s = (k + 0.5) / steps, r = h * s * s, dr = 2 * h * s / steps;
        double shell = kernel->dimension == 2 ? 2 * COU_PI * r : 4 * COU_PI * r * r;
        sum += shell * couKernel_Value(kernel, r) * dr;
    }
    return sum;
}

static void test_integrals(void **context)
{
    (void)context;
    for (int dimension = 2; dimension <= 3; ++dimension)
        for (int k = 0; k < KINDS; ++k)
            for (int s = 0; s < COU_COUNT(supports); ++s) {
                couKernel kernel = couMakeKernel(kinds[k], dimension, supports[s], supports[s] / 2.25f);
                CHECK_NEAR(integral(&kernel, 20000), 1, 1e-4, 10 * k + dimension);
            }
}

// Errors are measured against the largest value that the derivative has between h/10 and h.
static void test_derivatives(void **context)
{
    (void)context;
    for (int dimension = 2; dimension <= 3; ++dimension)
        for (int k = 0; k < KINDS; ++k) {
            couKernel kernel = couMakeKernel(kinds[k], dimension, 0.05f, 0.02f);
            double h = kernel.h, e = 1e-4 * h, steepest = 0, most = 0;
            for (double q = 0.1; q < 1; q += 0.01) {
                steepest = fmax(steepest, fabs(couKernel_Slope(&kernel, q * h)));
                most = fmax(most, fabs(couKernel_Laplacian(&kernel, q * h)));
            }
            for (double q = 0.1013; q < 0.9995; q += 0.0173) {
                double r = q * h, w = couKernel_Value(&kernel, r);
                double up = couKernel_Value(&kernel, r + e), down = couKernel_Value(&kernel, r - e);
                double slope = (up - down) / (2 * e), curve = (up - 2 * w + down) / (e * e);
                CHECK_NEAR(couKernel_Slope(&kernel, r) / steepest, slope / steepest, 1e-3, 10 * k + dimension);
                double laplacian = curve + (dimension - 1) * slope / r;
                CHECK_NEAR(couKernel_Laplacian(&kernel, r) / most, laplacian / most, 1e-3, 10 * k + dimension);
            }
        }
}

// Nothing at h and beyond; value, slope and Laplacian go there without a jump.
static void test_end_of_support(void **context)
{
    (void)context;
    for (int dimension = 2; dimension <= 3; ++dimension)
        for (int k = 0; k < KINDS; ++k) {
            couKernel kernel = couMakeKernel(kinds[k], dimension, 0.2f, 0.1f);
            double h = kernel.h, near = 1e-5;
            for (double r = h; r < 2 * h; r += 0.1 * h) {
                assert_true(couKernel_Value(&kernel, r) == 0);
                assert_true(couKernel_Slope(&kernel, r) == 0);
                assert_true(couKernel_Laplacian(&kernel, r) == 0);
            }
            // Kaiser and Bessel's has a last slope of some thousandths, as long as its transform is to be short.
            double last = kinds[k] == cou_kernelKaiser ? 4e-3 : 0;
            CHECK_NEAR(couKernel_Value(&kernel, h * (1 - near)) / kernel.scale, 0, 100 * near * near + last * near, k);
            CHECK_NEAR(couKernel_Slope(&kernel, h * (1 - near)) * h / kernel.scale, 0, 100 * near + last, k);
            CHECK_NEAR(couKernel_Laplacian(&kernel, h * (1 - near)) * h * h / kernel.scale, 0, 100 * near + 40 * last, k);
            for (double q = 0.02; q < 1; q += 0.02) { // falls all the way
                assert_true(couKernel_Value(&kernel, q * h) >= 0);
                assert_true(couKernel_Slope(&kernel, q * h) < 0);
            }
        }
}

// Müller's viscosity kernel is made for its Laplacian: 45/(pi h^6) (h - r) in space, 40/(pi h^5) (h - r) in the plane.
static void test_viscosity_laplacian(void **context)
{
    (void)context;
    for (int s = 0; s < COU_COUNT(supports); ++s) {
        double h = supports[s];
        couKernel plane = couMakeKernel(cou_kernelViscosity, 2, supports[s], supports[s]),
                  space = couMakeKernel(cou_kernelViscosity, 3, supports[s], supports[s]);
        for (double q = 0.01; q < 1; q += 0.01) {
            double left = h * (1 - q), in_plane = 40 / (COU_PI * pow(h, 5)), in_space = 45 / (COU_PI * pow(h, 6));
            CHECK_NEAR(couKernel_Laplacian(&plane, q * h) / (in_plane * h), left / h, 1e-5, s);
            CHECK_NEAR(couKernel_Laplacian(&space, q * h) / (in_space * h), left / h, 1e-5, s);
        }
    }
}

// The shapes of the hot loops are those of the scalar functions, also beyond the support.
static void test_wide_shapes(void **context)
{
    (void)context;
    for (int k = 0; k < WIDE_KINDS; ++k) {
        couKernel kernel = couMakeKernel(kinds[k], 2, 1.0f, 0.4f); // W = scale f(q)
        for (int n = 0; n < 200; ++n) {
            float q[COU_WIDTH], f[COU_WIDTH], slope[COU_WIDTH], curve[COU_WIDTH];
            for (int lane = 0; lane < COU_WIDTH; ++lane) q[lane] = (float)(COU_WIDTH * n + lane + 1) / 1400.0f;
            couShapeW shape = couKernelShapeW(kinds[k], kernel.series, couLoadW(q));
            couStoreW(f, shape.f), couStoreW(slope, shape.slope),
                couStoreW(curve, couKernelCurveW(kinds[k], kernel.series, couLoadW(q)));
            for (int lane = 0; lane < COU_WIDTH; ++lane) {
                double r = q[lane], first = couKernel_Slope(&kernel, r), second = couKernel_Laplacian(&kernel, r) - first / r;
                CHECK_NEAR(f[lane], couKernel_Value(&kernel, r) / kernel.scale, 2e-6, k);
                CHECK_NEAR(slope[lane], first / kernel.scale, 1e-5, k);
                CHECK_NEAR(curve[lane], second / kernel.scale, 1e-4, k);
            }
        }
    }
}

// --- Sums over the lattice ---------------------------------------------------------------------------------------------------

typedef struct Point {
    double x[3];
} Point;

// A cube (square) of lattice points around one of them.
static size_t make_lattice(int dimension, double d, int reach, Point *points)
{
    size_t count = 0;
    for (int x = -reach; x <= reach; ++x)
        for (int y = -reach; y <= reach; ++y)
            for (int z = dimension == 3 ? -reach : 0; z <= (dimension == 3 ? reach : 0); ++z)
                points[count++] = (Point){{d * x, d * y, d * z}};
    return count;
}

static double length_of(const Point *p) { return sqrt(p->x[0] * p->x[0] + p->x[1] * p->x[1] + p->x[2] * p->x[2]); }

// |sum grad W e^(ikx)|^2 of one wave.
static double response(const couKernel *gradient, const Point *points, size_t count, const double wave[3])
{
    double cosine[3] = {0}, sine[3] = {0}, size = 0;
    for (size_t i = 0; i < count; ++i) {
        double r = length_of(&points[i]), phase = 0;
        if (!(r > 0)) continue;
        for (int a = 0; a < 3; ++a) phase += wave[a] * points[i].x[a];
        for (int a = 0; a < 3; ++a) {
            double g = couKernel_Slope(gradient, r) * points[i].x[a] / r;
            cosine[a] += g * cos(phase), sine[a] += g * sin(phase);
        }
    }
    for (int a = 0; a < 3; ++a) size += cosine[a] * cosine[a] + sine[a] * sine[a];
    return size;
}

// [Gagneux 2022, eq. 2.14] of the flow v = (y^2/2, 0, 0), whose exact Laplacian is (1, 0, 0), over points so close that they lie
// evenly in all directions.
static double fine_viscosity(const couKernel *gradient)
{
    int n = gradient->dimension, reach = n == 3 ? 24 : 80;
    double h = gradient->h, d = h / reach, sum = 0;
    for (int i = -reach; i <= reach; ++i)
        for (int j = -reach; j <= reach; ++j)
            for (int k = n == 3 ? -reach : 0; k <= (n == 3 ? reach : 0); ++k) {
                double x = i * d, y = j * d, r = sqrt(x * x + y * y + k * d * k * d);
                if (!(r > 0) || r >= h) continue;
                double along = 0.5 * y * y * x, factor = 2 * (n + 2) * pow(d, n) * along / (r * r + 0.01 * h * h);
                sum -= factor * couKernel_Slope(gradient, r) * x / r;
            }
    return sum;
}

static void check_sums(couKernelKind density_kind, couKernelKind gradient_kind, int dimension, double ratio, int seed)
{
    double d = 0.03;
    couKernel density = couMakeKernel(density_kind, dimension, (float)(ratio * d), (float)d),
              gradient = couMakeKernel(gradient_kind, dimension, (float)(ratio * d), (float)d);
    Point points[11 * 11 * 11];
    size_t count = make_lattice(dimension, d, 5, points);
    double value = 0, gradient2 = 0, layer[8] = {0}, viscous = 0, h = gradient.h, volume = pow(d, dimension);
    int neighbors = 0;
    for (size_t i = 0; i < count; ++i) {
        double r = length_of(&points[i]), w = couKernel_Value(&density, r), y = points[i].x[1];
        value += w;
        if (y > -0.5 * d) layer[(int)(y / d + 0.5)] += w;
        if (!(r > 0) || r >= h) continue;
        ++neighbors;
        double slope = couKernel_Slope(&gradient, r);
        gradient2 += slope * slope;
        // what a particle that moves alone along x loses; the mean over directions
        viscous += -2 * (dimension + 2) * volume * slope / r * (r * r / dimension) / (r * r + 0.01 * h * h);
    }
    couKernelSums sums = couSumKernels(&density, &gradient, d);
    CHECK_NEAR(sums.value / value, 1, 1e-12, seed);
    CHECK_NEAR(sums.gradient2 / gradient2, 1, 1e-12, seed);
    CHECK_NEAR(sums.viscous / viscous, 1, 1e-12, seed);
    CHECK_NEAR(sums.shear, fine_viscosity(&gradient), 2e-3, seed);
    CHECK_RANGE(sums.shear, 0.9, 1, seed); // near what it stands for
    assert_int_equal(sums.count, neighbors);
    for (int k = 0; k < 8; ++k) CHECK_NEAR(sums.layer[k] / value, layer[k] / value, 1e-12, seed);
    // No wave is answered more strongly than the spectrum says; some nearly as strongly.
    double largest = 0;
    couRandom random = {couMix64((uint64_t)seed)};
    for (int k = 0; k < (dimension == 3 ? 3000 : 10000); ++k) {
        double wave[3] = {0};
        for (int a = 0; a < dimension; ++a) wave[a] = COU_PI / d * couRandomSigned(&random);
        largest = fmax(largest, response(&gradient, points, count, wave) / gradient2);
    }
    CHECK_RANGE(largest / sums.spectrum, 0.9, 1.02, seed);
}

static void test_lattice_sums(void **context)
{
    (void)context;
    int seed = 1;
    for (int dimension = 2; dimension <= 3; ++dimension) {
        check_sums(cou_kernelCubic, cou_kernelCubic, dimension, 2, seed++);
        check_sums(cou_kernelCubic, cou_kernelCubic, dimension, 2.6, seed++);
        check_sums(cou_kernelWendland, cou_kernelWendland, dimension, 3.1, seed++);
        check_sums(cou_kernelKaiser, cou_kernelKaiser, dimension, 2.25, seed++);
        check_sums(cou_kernelPoly6, cou_kernelSpiky, dimension, 2.3, seed++);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_integrals),           cmocka_unit_test(test_derivatives), cmocka_unit_test(test_end_of_support),
        cmocka_unit_test(test_viscosity_laplacian), cmocka_unit_test(test_wide_shapes), cmocka_unit_test(test_lattice_sums),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
