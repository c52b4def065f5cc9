/// The smoothing kernels of the SPH methods, in 2D and 3D, with slope and Laplacian. All have the compact support h.
#pragma once

#include "base/base.h"

typedef enum couKernelKind {
    cou_kernelCubic,     ///< cubic spline [Monaghan 1992; Gagneux 2022, eq. 2.5]
    cou_kernelWendland,  ///< Wendland C2: no pairing, smoother, wants a larger support
    cou_kernelPoly6,     ///< [Müller 2003, eq. 20]
    cou_kernelSpiky,     ///< [Müller 2003, eq. 21]
    cou_kernelViscosity, ///< [Müller 2003, eq. 22]; its 2D form: the solution of lap W ~ h - r in the plane
    cou_kernelKaiser     ///< Kaiser and Bessel's: its density sum hardly feels how the particles are arranged
} couKernelKind;

#define COU_KAISER_TERMS 9
#define COU_KAISER_SERIES (2 * COU_KAISER_TERMS)

/// beta d / h: where the density of a liquid feels neither a lattice nor its shear least. Smaller values are better for lattices
/// alone, larger ones for waves; docs/methods.md has the figures.
#define COU_KAISER_SHARPNESS 5.2

typedef struct couKernel {
    couKernelKind kind;
    int dimension;
    float h;                         ///< support radius [m]
    float scale;                     ///< W = scale * f(r/h) [1/m^dimension]
    float series[COU_KAISER_SERIES]; ///< kaiser: f = u (series[0] + series[1] u + ...), u = 1 - (r/h)^2; then those of df/du
} couKernel;

/// The shape of kaiser follows from h / spacing; the others do not know the spacing.
couKernel couMakeKernel(couKernelKind kind, int dimension, float h, float spacing);
/// Shape of kaiser for any beta, 1 at no distance: u (series[0] + series[1] u + ...), by at most 32 terms.
void couFitKaiser(double beta, int terms, double *series);
double couKernel_Value(const couKernel *kernel, double r);     ///< W(r) [1/m^dimension]
double couKernel_Slope(const couKernel *kernel, double r);     ///< dW/dr
double couKernel_Laplacian(const couKernel *kernel, double r); ///< of W as a function of a point; r > 0

/// Sums over the points of the cubic lattice of pitch d around one of them: what a calm fluid sees.
typedef struct couKernelSums {
    double value;     ///< sum of W, the point itself included [1/m^dimension]
    double gradient2; ///< sum of |grad W|^2 of the gradient kernel
    double
        spectrum; ///< largest |sum grad W e^(ikx)|^2 / gradient2 over all waves k: the largest eigenvalue of the pressure system
    double shear; ///< viscosity by [Gagneux 2022, eq. 2.14] over the one asked for, where neighbours lie evenly in all directions
    double viscous;  ///< diagonal of that operator [1/m^2]
    double layer[8]; ///< sum of W over the lattice plane k pitches away; 0: its own, the point itself included
    double steep;    ///< sum of grad W over the half of the lattice on one side of a lattice plane, the size
    int count;       ///< neighbours
} couKernelSums;

couKernelSums couSumKernels(const couKernel *density, const couKernel *gradient, double d);
