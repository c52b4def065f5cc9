// What cases read off their curves and particles: a damped cosine and a parabola by least squares, and how far particles in the
// plane have become hexagons.

#include "validate/validate.h"

// --- Least squares of three numbers ------------------------------------------------------------------------------------------

typedef struct Normal {
    double m[3][3], b[3]; // of m c = b
} Normal;

static void add_row(Normal *normal, const double base[3], double x)
{
    for (int r = 0; r < 3; ++r) {
        normal->b[r] += base[r] * x;
        for (int c = 0; c < 3; ++c) normal->m[r][c] += base[r] * base[c];
    }
}

static double determinant(const double m[3][3])
{
    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
           m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

// By Cramer's rule.
static void solve(const Normal *normal, double c[3])
{
    double all = determinant(normal->m);
    for (int k = 0; k < 3; ++k) {
        Normal with = *normal;
        for (int r = 0; r < 3; ++r) with.m[r][k] = normal->b[r];
        c[k] = determinant(with.m) / all;
    }
}

void couFitParabola(const double *t, const double *x, int count, double c[3])
{
    // About the middle and in units of the range, where the three columns differ most.
    double low = INFINITY, high = -INFINITY;
    for (int k = 0; k < count; ++k) low = fmin(low, t[k]), high = fmax(high, t[k]);
    double middle = 0.5 * (low + high), half = 0.5 * (high - low), s[3];
    Normal normal = {0};
    for (int k = 0; k < count; ++k) {
        double u = (t[k] - middle) / half;
        add_row(&normal, (double[]){1, u, u * u}, x[k]);
    }
    solve(&normal, s);
    c[2] = s[2] / (half * half);
    c[1] = s[1] / half - 2 * middle * c[2];
    c[0] = s[0] - middle * s[1] / half + middle * middle * c[2];
    if (!isfinite(c[0]) || !isfinite(c[1]) || !isfinite(c[2])) c[0] = c[1] = c[2] = NAN;
}

// --- A damped cosine ---------------------------------------------------------------------------------------------------------

double couSwing_At(const couSwing *swing, double t)
{
    double fade = exp(-swing->rate * t);
    return fade * (swing->c[0] * cos(swing->omega * t) + swing->c[1] * sin(swing->omega * t)) + swing->c[2];
}

static couSwing fit_at(const double *t, const double *x, int count, double omega, double rate)
{
    couSwing swing = {.omega = omega, .rate = rate};
    Normal normal = {0};
    for (int k = 0; k < count; ++k) {
        double fade = exp(-rate * t[k]);
        add_row(&normal, (double[]){fade * cos(omega * t[k]), fade * sin(omega * t[k]), 1}, x[k]);
    }
    solve(&normal, swing.c);
    for (int k = 0; k < count; ++k) {
        double off = couSwing_At(&swing, t[k]) - x[k];
        swing.error += off * off;
    }
    return swing;
}

// The best of a wide grid around omega, then of finer ones.
couSwing couFitSwing(const double *t, const double *x, int count, double omega)
{
    couSwing best = {.omega = NAN, .rate = NAN, .error = INFINITY};
    for (int i = 0; i <= 75; ++i)
        for (int k = 0; k <= 20; ++k) {
            couSwing tried = fit_at(t, x, count, (0.3 + 0.02 * i) * omega, 0.02 * k * omega);
            if (tried.error < best.error) best = tried;
        }
    for (double step = 0.01; step > 1e-5; step *= 0.5) {
        couSwing middle = best;
        for (int i = -2; i <= 2; ++i)
            for (int k = -2; k <= 2; ++k) {
                couSwing tried = fit_at(t, x, count, middle.omega + step * i * omega, fmax(middle.rate + step * k * omega, 0));
                if (tried.error < best.error) best = tried;
            }
    }
    return best;
}

// --- Order -------------------------------------------------------------------------------------------------------------------

enum { NEAREST = 6 };

// |psi_6| of one particle.
static double order_of(const couVec4 *positions, size_t count, size_t i)
{
    double x[NEAREST], y[NEAREST], distance2[NEAREST], c = 0, s = 0;
    int found = 0;
    for (size_t j = 0; j < count; ++j) {
        double dx = (double)positions[j].x - positions[i].x, dy = (double)positions[j].y - positions[i].y, d2 = dx * dx + dy * dy;
        if (j == i || (found == NEAREST && d2 >= distance2[NEAREST - 1])) continue;
        int k = found < NEAREST ? found++ : NEAREST - 1;
        for (; k > 0 && distance2[k - 1] > d2; --k) x[k] = x[k - 1], y[k] = y[k - 1], distance2[k] = distance2[k - 1];
        x[k] = dx, y[k] = dy, distance2[k] = d2;
    }
    for (int k = 0; k < found; ++k) c += cos(6 * atan2(y[k], x[k])) / found, s += sin(6 * atan2(y[k], x[k])) / found;
    return sqrt(c * c + s * s);
}

// All against all: it is asked once a run.
double couHexaticOrder(const couVec4 *positions, size_t count, double margin)
{
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY}, sum = 0;
    size_t inner = 0;
    for (size_t i = 0; i < count; ++i) {
        low[0] = fmin(low[0], positions[i].x), high[0] = fmax(high[0], positions[i].x);
        low[1] = fmin(low[1], positions[i].y), high[1] = fmax(high[1], positions[i].y);
    }
    for (size_t i = 0; i < count; ++i) {
        double x = positions[i].x, y = positions[i].y;
        if (x < low[0] + margin || x > high[0] - margin || y < low[1] + margin || y > high[1] - margin) continue;
        sum += order_of(positions, count, i), ++inner;
    }
    return inner ? sum / (double)inner : NAN;
}
