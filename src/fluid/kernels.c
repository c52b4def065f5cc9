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
    }
    return 0;
}

couKernel couMakeKernel(couKernelKind kind, int dimension, float h)
{
    return (couKernel){kind, dimension, h, (float)(shape_scale(kind, dimension) / pow(h, dimension))};
}

typedef struct Shape {
    double f, slope, curve; // f, f', f''
} Shape;

static Shape shape_at(couKernelKind kind, int dimension, double q)
{
    if (!(q < 1)) return (Shape){0, 0, 0};
    double a = 1 - q, b = COU_MAX(0.5 - q, 0.0), u = 1 - q * q;
    switch (kind) {
    case cou_kernelCubic: return (Shape){2 * a * a * a - 8 * b * b * b, -6 * a * a + 24 * b * b, 12 * a - 48 * b};
    case cou_kernelWendland: return (Shape){a * a * a * a * (1 + 4 * q), -20 * q * a * a * a, -20 * a * a * a + 60 * q * a * a};
    case cou_kernelPoly6: return (Shape){u * u * u, -6 * q * u * u, -6 * u * u + 24 * q * q * u};
    case cou_kernelSpiky: return (Shape){a * a * a, -3 * a * a, 6 * a};
    case cou_kernelViscosity:
        if (dimension == 2)
            return (Shape){q * q / 4 - q * q * q / 9 - log(q) / 6 - 5.0 / 36, q / 2 - q * q / 3 - 1 / (6 * q),
                           0.5 - 2 * q / 3 + 1 / (6 * q * q)};
        return (Shape){-q * q * q / 2 + q * q + 1 / (2 * q) - 1, -1.5 * q * q + 2 * q - 1 / (2 * q * q),
                       -3 * q + 2 + 1 / (q * q * q)};
    }
    return (Shape){0, 0, 0};
}

double couKernel_Value(const couKernel *kernel, double r)
{
    return kernel->scale * shape_at(kernel->kind, kernel->dimension, r / kernel->h).f;
}

double couKernel_Slope(const couKernel *kernel, double r)
{
    return kernel->scale / kernel->h * shape_at(kernel->kind, kernel->dimension, r / kernel->h).slope;
}

double couKernel_Laplacian(const couKernel *kernel, double r)
{
    double q = r / kernel->h;
    Shape shape = shape_at(kernel->kind, kernel->dimension, q);
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
                sums.viscous -= 2.0 * (dimension + 2) / dimension * volume * slope * r / (r2 + 0.01 * h * h);
                sums.shear -= (dimension + 2) * volume * slope * d * d * x * x * d * d * y * y / (r * (r2 + 0.01 * h * h));
            }
    sums.spectrum = largest_response(gradient, d, reach) / sums.gradient2;
    return sums;
}
