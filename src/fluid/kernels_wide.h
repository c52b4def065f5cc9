/// The shapes of the kernels, eight at a time: f(q) and f'(q) as in kernels.c. `kind` is known where the compiler inlines them.
#pragma once

#include "base/wide.h"
#include "fluid/kernels.h"

typedef struct couShapeW {
    couFloatW f, slope;
} couShapeW;

/// f''(q), 0 beyond 1.
static inline couFloatW couKernelCurveW(couKernelKind kind, couFloatW q)
{
    couFloatW zero = couSetW(0.0f), one = couSetW(1.0f);
    couFloatW a = couMaxW(couSubW(one, q), zero);
    switch (kind) {
    case cou_kernelCubic:
        return couSubW(couMulW(couSetW(12.0f), a), couMulW(couSetW(48.0f), couMaxW(couSubW(couSetW(0.5f), q), zero)));
    case cou_kernelWendland: {
        couFloatW a2 = couMulW(a, a);
        return couSubW(couMulW(couMulW(couSetW(60.0f), q), a2), couMulW(couSetW(20.0f), couMulW(a2, a)));
    }
    case cou_kernelPoly6: {
        couFloatW q2 = couMulW(q, q), u = couMaxW(couSubW(one, q2), zero);
        return couMulW(u, couSubW(couMulW(couSetW(24.0f), q2), couMulW(couSetW(6.0f), u)));
    }
    case cou_kernelSpiky: return couMulW(couSetW(6.0f), a);
    default: return zero;
    }
}

/// q >= 0; beyond 1 both are 0.
static inline couShapeW couKernelShapeW(couKernelKind kind, couFloatW q)
{
    couFloatW zero = couSetW(0.0f), one = couSetW(1.0f);
    couFloatW a = couMaxW(couSubW(one, q), zero), a2 = couMulW(a, a);
    switch (kind) {
    case cou_kernelCubic: {
        couFloatW b = couMaxW(couSubW(couSetW(0.5f), q), zero), b2 = couMulW(b, b);
        return (couShapeW){couSubW(couMulW(couSetW(2.0f), couMulW(a2, a)), couMulW(couSetW(8.0f), couMulW(b2, b))),
                           couSubW(couMulW(couSetW(24.0f), b2), couMulW(couSetW(6.0f), a2))};
    }
    case cou_kernelWendland:
        return (couShapeW){couMulW(couMulW(a2, a2), couAddW(one, couMulW(couSetW(4.0f), q))),
                           couMulW(couMulW(couSetW(-20.0f), q), couMulW(a2, a))};
    case cou_kernelPoly6: {
        couFloatW u = couMaxW(couSubW(one, couMulW(q, q)), zero), u2 = couMulW(u, u);
        return (couShapeW){couMulW(u2, u), couMulW(couMulW(couSetW(-6.0f), q), u2)};
    }
    case cou_kernelSpiky: return (couShapeW){couMulW(a2, a), couMulW(couSetW(-3.0f), a2)};
    default: return (couShapeW){zero, zero}; // the viscosity kernel is used by its Laplacian alone
    }
}
