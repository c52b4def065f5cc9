// Kernels by their shape functions f(q), q = r/h: W = scale f(q), with f'(q) and f''(q) for slope and Laplacian. The wide loops
// use the same shapes (kernels_wide.h). The cubic spline is written as two cut cubes, which needs no branch: f = 2 (1 - q)^3 -
// 8 (1/2 - q)^3, each bracket at least 0.

#include "fluid/kernels.h"

static double shape_scale(couKernelKind kind, int dimension)
{
    bool is_2d = dimension == 2;
    switch (kind) {
    case cou_kernelCubic: return is_2d ? 40 / (7 * COU_PI) : 8 / COU_PI; // the slope's constant is then 240/(7 pi h^3) in 2D
    case cou_kernelWendland: return is_2d ? 7 / COU_PI : 21 / (2 * COU_PI);
    case cou_kernelPoly6: return is_2d ? 4 / COU_PI : 315 / (64 * COU_PI);
    case cou_kernelSpiky: return is_2d ? 10 / COU_PI : 15 / COU_PI;
    case cou_kernelViscosity: return is_2d ? 40 / COU_PI : 15 / (2 * COU_PI);
    case cou_kernelKaiser: break; // from its series
    }
    return 0;
}

// Wider supports have transforms short enough without a sharper kernel, and nine terms would not do for it.
#define KAISER_WIDEST 3.5f

// --- Kaiser and Bessel's -----------------------------------------------------------------------------------------------------

// I_1(beta sqrt(u)) / sqrt(u) over its value at u = 1, by the series of the modified Bessel function.
static double bessel_ratio(double beta, double u)
{
    double term = 1, value = 0, at_one = 0, power = 1;
    for (int k = 1; k < 60; ++k) {
        value += term * power, at_one += term;
        term *= 0.25 * beta * beta / (k * (k + 1.0)), power *= u;
    }
    return value / at_one;
}

// That function as a polynomial in u, from its values at Chebyshev's points: nine terms are right to 1e-6 of f(0), where the
// series itself needs sixteen.
void couFitKaiser(double beta, int terms, double *series)
{
    enum { POINTS = 32 };
    double sum[POINTS] = {0}, last[POINTS] = {1}, before[POINTS] = {0};
    for (int j = 0; j < terms; ++j) {
        double weight = 0;
        for (int p = 0; p < POINTS; ++p) {
            double angle = COU_PI * (p + 0.5) / POINTS;
            weight += (j ? 2.0 : 1.0) / POINTS * cos(j * angle) * bessel_ratio(beta, 0.5 + 0.5 * cos(angle));
        }
        double next[POINTS] = {0}; // T_j(2 u - 1) by powers of u; twice it times 2 u - 1, less the one before, is the next
        for (int k = 0; k <= j; ++k) {
            sum[k] += weight * last[k];
            double factor = j ? 2.0 : 1.0;
            next[k] -= factor * last[k] + before[k];
            if (k + 1 < terms) next[k + 1] += 2 * factor * last[k];
        }
        memcpy(before, last, sizeof last);
        memcpy(last, next, sizeof next);
    }
    memcpy(series, sum, (size_t)terms * sizeof *series);
}

// 1 / the integral of f over the unit disc or ball: that of u^p is pi / (p + 1), 4 pi/3 (2/5) (4/7) ... (2 p / (2 p + 3)).
static double series_scale(const float series[COU_KAISER_TERMS], int dimension)
{
    double sum = 0, power = 4 * COU_PI / 3;
    for (int k = 0; k < COU_KAISER_TERMS; ++k) {
        int p = k + 1;
        power *= 2.0 * p / (2 * p + 3);
        sum += (double)series[k] * (dimension == 2 ? COU_PI / (p + 1) : power);
    }
    return 1 / sum;
}

couKernel couMakeKernel(couKernelKind kind, int dimension, float h, float spacing)
{
    couKernel kernel = {.kind = kind, .dimension = dimension, .h = h};
    double scale = shape_scale(kind, dimension);
    if (kind == cou_kernelKaiser) {
        double series[COU_KAISER_TERMS];
        couFitKaiser(COU_KAISER_SHARPNESS * (double)COU_MIN(h / spacing, KAISER_WIDEST), COU_KAISER_TERMS, series);
        for (int k = 0; k < COU_KAISER_TERMS; ++k) {
            kernel.series[k] = (float)series[k];
            kernel.series[COU_KAISER_TERMS + k] = (float)(k + 1) * kernel.series[k];
        }
        scale = series_scale(kernel.series, dimension);
    }
    kernel.scale = (float)(scale / pow(h, dimension));
    return kernel;
}

static double series_at(const couKernel *kernel, double u, double *slope, double *curve)
{
    double f = 0, s = 0, c = 0;
    for (int k = COU_KAISER_TERMS; k-- > 0;) {
        int p = k + 1;
        f = f * u + (double)kernel->series[k];
        s = s * u + p * (double)kernel->series[k];
        c = k ? c * u + (double)(p * k) * (double)kernel->series[k] : c;
    }
    *slope = s, *curve = c;
    return f * u;
}

typedef struct Shape {
    double f, slope, curve; // f, f', f''
} Shape;

static Shape shape_at(const couKernel *kernel, double q)
{
    if (!(q < 1)) return (Shape){0, 0, 0};
    double a = 1 - q, b = COU_MAX(0.5 - q, 0.0), u = 1 - q * q;
    switch (kernel->kind) {
    case cou_kernelCubic: return (Shape){2 * a * a * a - 8 * b * b * b, -6 * a * a + 24 * b * b, 12 * a - 48 * b};
    case cou_kernelWendland: return (Shape){a * a * a * a * (1 + 4 * q), -20 * q * a * a * a, -20 * a * a * a + 60 * q * a * a};
    case cou_kernelPoly6: return (Shape){u * u * u, -6 * q * u * u, -6 * u * u + 24 * q * q * u};
    case cou_kernelSpiky: return (Shape){a * a * a, -3 * a * a, 6 * a};
    case cou_kernelViscosity:
        if (kernel->dimension == 2)
            return (Shape){q * q / 4 - q * q * q / 9 - log(q) / 6 - 5.0 / 36, q / 2 - q * q / 3 - 1 / (6 * q),
                           0.5 - 2 * q / 3 + 1 / (6 * q * q)};
        return (Shape){-q * q * q / 2 + q * q + 1 / (2 * q) - 1, -1.5 * q * q + 2 * q - 1 / (2 * q * q),
                       -3 * q + 2 + 1 / (q * q * q)};
    case cou_kernelKaiser: {
        double by_u, by_u2, f = series_at(kernel, u, &by_u, &by_u2);
        return (Shape){f, -2 * q * by_u, 4 * q * q * by_u2 - 2 * by_u};
    }
    }
    return (Shape){0, 0, 0};
}

double couKernel_Value(const couKernel *kernel, double r) { return kernel->scale * shape_at(kernel, r / kernel->h).f; }

double couKernel_Slope(const couKernel *kernel, double r)
{
    return kernel->scale / kernel->h * shape_at(kernel, r / kernel->h).slope;
}

double couKernel_Laplacian(const couKernel *kernel, double r)
{
    double q = r / kernel->h;
    Shape shape = shape_at(kernel, q);
    return kernel->scale / (kernel->h * kernel->h) * (shape.curve + (kernel->dimension - 1) * shape.slope / q);
}

// --- Lattice sums ------------------------------------------------------------------------------------------------------------

// Largest squared response of the gradient to a wave, over waves of the lattice's own cell.
static double largest_response(const couKernel *gradient, double d, int reach)
{
    enum { STEPS = 12 };
    double largest = 0;
    int depth = gradient->dimension == 3 ? reach : 0, z_steps = gradient->dimension == 3 ? STEPS : 0;
    for (int a = 0; a <= STEPS; ++a)
        for (int b = 0; b <= a; ++b)
            for (int c = 0; c <= COU_MIN(b, z_steps); ++c) {
                double k[3] = {COU_PI * a / STEPS, COU_PI * b / STEPS, COU_PI * c / STEPS}, sum[3] = {0};
                for (int x = -reach; x <= reach; ++x)
                    for (int y = -reach; y <= reach; ++y)
                        for (int z = -depth; z <= depth; ++z) {
                            double r = d * sqrt((double)(x * x + y * y + z * z));
                            if (!(r > 0) || r >= gradient->h) continue;
                            double g = couKernel_Slope(gradient, r) * d / r * sin(k[0] * x + k[1] * y + k[2] * z);
                            sum[0] += g * x, sum[1] += g * y, sum[2] += g * z;
                        }
                largest = COU_MAX(largest, sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]);
            }
    return largest;
}

// (n + 2) times the integral of -dW/dr x^2 y^2 / (r (r^2 + 0.01 h^2)); the mean of x^2 y^2 over directions is r^4 / (n (n + 2)).
static double even_viscosity(const couKernel *gradient)
{
    enum { SHELLS = 2000 };
    double sum = 0, h = gradient->h;
    int n = gradient->dimension;
    for (int k = 0; k < SHELLS; ++k) {
        double r = h * (k + 0.5) / SHELLS, shell = (n == 2 ? 2 * COU_PI * r : 4 * COU_PI * r * r) * h / SHELLS;
        sum -= couKernel_Slope(gradient, r) * r * r * r / (n * (r * r + 0.01 * h * h)) * shell;
    }
    return sum;
}

couKernelSums couSumKernels(const couKernel *density, const couKernel *gradient, double d)
{
    couKernelSums sums = {0};
    int dimension = density->dimension, reach = (int)(density->h / d) + 1, depth = dimension == 3 ? reach : 0;
    double h = gradient->h, volume = pow(d, dimension);
    for (int x = -reach; x <= reach; ++x)
        for (int y = -reach; y <= reach; ++y)
            for (int z = -depth; z <= depth; ++z) {
                double r2 = d * d * (x * x + y * y + z * z), r = sqrt(r2), w = couKernel_Value(density, r);
                sums.value += w;
                if (y >= 0 && y < COU_COUNT(sums.layer)) sums.layer[y] += w;
                if (!(r > 0) || r >= h) continue;
                double slope = couKernel_Slope(gradient, r);
                sums.count++;
                sums.gradient2 += slope * slope;
                if (y > 0) sums.steep -= slope * d * y / r;
                sums.viscous -= 2.0 * (dimension + 2) / dimension * volume * slope * r / (r2 + 0.01 * h * h);
            }
    sums.shear = even_viscosity(gradient);
    sums.spectrum = largest_response(gradient, d, reach) / sums.gradient2;
    return sums;
}
