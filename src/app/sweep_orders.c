// Orders of convergence by Richardson's extrapolation [Roache 1994, J. Fluids Eng. 116, 405]: of a quantity f at three spacings
// it is supposed that f = limit + C h^p. The ratio of the two differences, which grows with p, gives p; for one ratio of
// spacings, r, it is ln((f1 - f2)/(f2 - f3)) / ln r, for two of them it is found by halving.
#include "app/sweep.h"

static double ratio_of(const double h[3], double p)
{
    if (fabs(p) < 1e-9) return log(h[0] / h[1]) / log(h[1] / h[2]);
    return (pow(h[0], p) - pow(h[1], p)) / (pow(h[1], p) - pow(h[2], p));
}

couOrder couFindOrder(const double h[3], const double value[3])
{
    enum { HALVINGS = 80 };
    couOrder none = {.order = NAN, .limit = NAN, .kind = "oscillates"};
    double coarse = value[0] - value[1], fine = value[1] - value[2];
    if (!(h[0] > h[1] && h[1] > h[2] && h[2] > 0) || !isfinite(coarse) || !isfinite(fine)) {
        none.kind = "unknown";
        return none;
    }
    if (coarse == 0 && fine == 0) return (couOrder){.order = NAN, .limit = value[2], .kind = "the same"};
    if (!(coarse * fine > 0)) return none;
    // In units of the finest, so that powers stay within what a number holds.
    const double scaled[3] = {h[0] / h[2], h[1] / h[2], 1};
    double low = -20, high = 20, ratio = coarse / fine;
    for (int i = 0; i < HALVINGS; ++i) {
        double middle = 0.5 * (low + high);
        if (ratio_of(scaled, middle) < ratio)
            low = middle;
        else
            high = middle;
    }
    double p = 0.5 * (low + high);
    if (!(p > 0)) return (couOrder){.order = p, .limit = NAN, .kind = "diverges"};
    return (couOrder){.order = p, .limit = value[2] - fine / (pow(scaled[1], p) - 1), .kind = "converges"};
}
