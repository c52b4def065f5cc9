/// The shapes of the kernels, eight at a time: f(q) and f'(q) as in kernels.c. `kind` is known where the compiler inlines them;
/// `series` is the kernel's, read by kaiser alone.
#pragma once

#include "base/wide.h"
#include "fluid/kernels.h"

typedef struct couShapeW {
    couFloatW f, slope;
} couShapeW;

/// series[0] + series[1] u + ..., even and odd terms apart: each waits for half as many.
static inline couFloatW couSeriesW(const float *series, couFloatW u)
{
    _Static_assert(COU_KAISER_TERMS % 2 == 1, "the highest power is even");
    couFloatW u2 = u * u, even = couSetW(series[COU_KAISER_TERMS - 1]), odd = couSetW(series[COU_KAISER_TERMS - 2]);
    for (int k = COU_KAISER_TERMS - 3; k > 0; k -= 2) {
        even = even * u2 + series[k];
        odd = odd * u2 + series[k - 1];
    }
    return (even * u2 + series[0]) + odd * u;
}

/// f''(q), 0 beyond 1.
static inline couFloatW couKernelCurveW(couKernelKind kind, const float *series, couFloatW q)
{
    couFloatW a = couMaxW(1.0f - q, 0.0f);
    switch (kind) {
    case cou_kernelCubic: return 12.0f * a - 48.0f * couMaxW(0.5f - q, 0.0f);
    case cou_kernelWendland: {
        couFloatW a2 = a * a;
        return 60.0f * q * a2 - 20.0f * (a2 * a);
    }
    case cou_kernelPoly6: {
        couFloatW q2 = q * q, u = couMaxW(1.0f - q2, 0.0f);
        return u * (24.0f * q2 - 6.0f * u);
    }
    case cou_kernelSpiky: return 6.0f * a;
    case cou_kernelKaiser: {
        couFloatW q2 = q * q, u = couMaxW(1.0f - q2, 0.0f), curve = couSetW(0.0f),
                  slope = couSeriesW(series + COU_KAISER_TERMS, u);
        for (int k = COU_KAISER_TERMS; k-- > 1;) curve = curve * u + (float)(k * (k + 1)) * series[k];
        return couSelectW(q < 1.0f, 4.0f * q2 * curve - 2.0f * slope, 0.0f);
    }
    default: return couSetW(0.0f);
    }
}

/// q >= 0; beyond 1 both are 0.
static inline couShapeW couKernelShapeW(couKernelKind kind, const float *series, couFloatW q)
{
    couFloatW a = couMaxW(1.0f - q, 0.0f), a2 = a * a;
    switch (kind) {
    case cou_kernelCubic: {
        couFloatW b = couMaxW(0.5f - q, 0.0f), b2 = b * b;
        return (couShapeW){2.0f * (a2 * a) - 8.0f * (b2 * b), 24.0f * b2 - 6.0f * a2};
    }
    case cou_kernelWendland: return (couShapeW){a2 * a2 * (1.0f + 4.0f * q), -20.0f * q * (a2 * a)};
    case cou_kernelPoly6: {
        couFloatW u = couMaxW(1.0f - q * q, 0.0f), u2 = u * u;
        return (couShapeW){u2 * u, -6.0f * q * u2};
    }
    case cou_kernelSpiky: return (couShapeW){a2 * a, -3.0f * a2};
    case cou_kernelKaiser: {
        couFloatW q2 = q * q, u = couMaxW(1.0f - q2, 0.0f);
        return (couShapeW){couSeriesW(series, u) * u,
                           couSelectW(q2 < 1.0f, -2.0f * q * couSeriesW(series + COU_KAISER_TERMS, u), 0.0f)};
    }
    default: return (couShapeW){couSetW(0.0f), couSetW(0.0f)}; // the viscosity kernel is used by its Laplacian alone
    }
}

/// The shape by the square of q: f(q) and f'(q) / q, both 0 beyond 1. kaiser needs no root for it.
static inline couShapeW couSquareShapeW(couKernelKind kind, const float *series, couFloatW q2)
{
    if (kind == cou_kernelKaiser) {
        couFloatW u = couMaxW(1.0f - q2, 0.0f);
        couFloatW slope = -2.0f * couSeriesW(series + COU_KAISER_TERMS, u);
        return (couShapeW){couSeriesW(series, u) * u, couSelectW(q2 < 1.0f, slope, 0.0f)};
    }
    couFloatW q = couSqrtW(couMinW(q2, 1.0f));
    couShapeW shape = couKernelShapeW(kind, series, q);
    return (couShapeW){shape.f, shape.slope / q};
}
