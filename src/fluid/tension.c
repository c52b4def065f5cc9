// Surface tension of the SPH methods.
//
// color: the curvature of the colour field acts on the particles where its gradient is large [Müller 2003, eq. 15 to 19].
// cohesion: pairs attract each other beyond h/2, and differences of surface normals are smoothed [Akinci 2013]. The paper's
// gamma has no unit that holds for both terms; here both follow from the surface tension sigma [N/m]. A pair force F(r) in a
// liquid of n particles per volume makes sigma = (pi/8) n^2 int r^4 F dr in 3D, (1/3) n^2 int r^3 F dr in the plane (half the
// work that it takes to part the liquid along a plane [Fowler 1937]), which gives the scale of the first term. The second is
// sigma / (rho h^2) times h n, n the gradient of the colour field.
//
// area: forces of an energy, sigma times the area of the surface. For any kernel K of short range the integral of K(x - y) over x
// inside and y outside is a multiple of the area (its first moment; the error is of the order of (h/R)^2 [Davila 2002]), and it
// is a constant less the sum of K over all pairs inside. So pairs have the energy V^2 A (c N - B), N and B kernels of integral 1:
// B attracts, N, which is narrower, repels. Exact in momentum, angular momentum and energy, one loop.
// Its transform A (c N^ - B^) is negative for long waves alone, where the pressure answers, positive for those that could thin or
// thicken the surface, and next to 0 from the first shell of a lattice on: nothing pairs and nothing freezes. B alone (c = 0)
// draws the outermost particles together until their density is that of the inside, a dense shell; c = 1 lets the drop swell.
// With 0.9 the outermost row stays where a lattice would have it. Pressures need not pull, and must not.
// In space the sum hardly feels where a neighbour is, so that now and then two particles meet: below 0.75 d they repel, by an
// energy that others do not see.
//
// Tried and dropped: E = sigma sum V/D |grad D|. A particle alone, and two at one place, have no gradient: mist and pairs are
// what that energy wants, and the suction that it takes to hold a drop fills up the density at the surface with dense rings
// (2D, 12 d: one particle in five closer than half a spacing to the next, wcsph two in three).

#include "fluid/sph.h"

static void color_forces_block(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)block, (void)worker;
    const couSphLoop *loop = context;
    for (size_t i = begin; i < end; ++i) {
        couVec4 n = loop->out[i];
        float length = couLength(couXyz(n)), size = 0.0f;
        if (length > loop->threshold)
            size = -loop->tension[loop->material[i]] * loop->velocity[i].w * n.w / (length * loop->density[i]);
        loop->out[i] = (couVec4){size * n.x, size * n.y, size * n.z, 0.0f};
    }
}

static void scale_block(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)block, (void)worker;
    const couSphLoop *loop = context;
    for (size_t i = begin; i < end; ++i) {
        couVec4 *n = &loop->out[i];
        *n = (couVec4){loop->h * n->x, loop->h * n->y, loop->h * n->z, 0.0f};
    }
}

double couCohesionMoment(int dimension)
{
    enum { STEPS = 2000 };
    double sum = 0;
    for (int k = 0; k < STEPS; ++k) {
        double s = (k + 0.5) / STEPS, cube = pow((1 - s) * s, 3);
        sum += pow(s, dimension + 1) * (s < 0.5 ? 2 * cube - 1.0 / 64 : cube) / STEPS;
    }
    return sum;
}

// --- Area --------------------------------------------------------------------------------------------------------------------

#define ATTRACTION_SHARPNESS 4.0 // beta d / h of B; N has that of the density's kernel
#define REPULSION 0.9            // c
#define CORE_RADIUS 0.75         // below which particles repel / d
#define CORE_ENERGY 4.0          // of two at one place, twice / (sigma d^(n - 1))

typedef struct Shape {
    double series[COU_AREA_TERMS]; // of a kernel whose integral is 1 [1/m^n]
    double mean;                   // integral of r times the kernel [m]
} Shape;

static Shape make_shape(double beta, int dimension, double h)
{
    enum { SHELLS = 2000 };
    Shape shape;
    couFitKaiser(beta, COU_AREA_TERMS, shape.series);
    double sum = 0, first = 0;
    for (int s = 0; s < SHELLS; ++s) {
        double q = (s + 0.5) / SHELLS, u = 1 - q * q, f = 0, r = h * q;
        for (int k = COU_AREA_TERMS; k-- > 0;) f = (f + shape.series[k]) * u;
        f *= (dimension == 2 ? 2 * COU_PI * r : 4 * COU_PI * r * r) * h / SHELLS;
        sum += f, first += r * f;
    }
    for (int k = 0; k < COU_AREA_TERMS; ++k) shape.series[k] /= sum;
    shape.mean = first / sum;
    return shape;
}

couAreaLaw couMakeAreaLaw(int dimension, float h, float spacing, float volume)
{
    couAreaLaw law = {0};
    Shape broad = make_shape(ATTRACTION_SHARPNESS * h / spacing, dimension, h);
    Shape narrow = make_shape(COU_KAISER_SHARPNESS * h / spacing, dimension, h);
    // A flat surface lacks A/2 times the integral of z K over one side: a quarter of the mean of |z|, which is 2/pi of that of r
    // in the plane, half of it in space.
    double A = (dimension == 2 ? 2 * COU_PI : 8) / (broad.mean - REPULSION * narrow.mean);
    for (int k = 0; k < COU_AREA_TERMS; ++k) // dW/dr = -2 r/h^2 dW/du, W = sum series[k] u^(k + 1)
        law.pull[k] = (float)(volume * A * 2 / ((double)h * h) * (k + 1) * (broad.series[k] - REPULSION * narrow.series[k]));
    double core = CORE_RADIUS * spacing;
    law.core = (float)(h * h / (core * core));
    law.push = (float)(2 * CORE_ENERGY * pow(spacing, dimension - 1) / (core * core * volume));
    law.pressure = (float)(0.5 * (1 - REPULSION) * A);
    return law;
}

static void pull_by_area(couStep *step, couSphLoop *loop, float dt)
{
    static couSphLoopFcn *const area[cou_isaCount] = COU_VARIANTS(couSphArea);
    couFluid *fluid = step->fluid;
    const couSphState *state = fluid->method_state;
    if (fluid->boundary.table.count > 0 && !couSph_KeepWalls(step, loop)) {
        step->has_failed = true;
        return;
    }
    loop->law = &state->area_law;
    loop->is_single_tension = true;
    for (int m = 1; m < fluid->material_count; ++m)
        if (state->tension[m] != state->tension[0]) loop->is_single_tension = false;
    couSph_Run(step, loop, area);
    couSph_AddAccelerations(step, loop, dt);
}

// -----------------------------------------------------------------------------------------------------------------------------

void couSph_PullSurface(couStep *step, float dt)
{
    static couSphLoopFcn *const color[cou_isaCount] = COU_VARIANTS(couSphColor);
    static couSphLoopFcn *const cohesion[cou_isaCount] = COU_VARIANTS(couSphCohesion);
    couFluid *fluid = step->fluid;
    const couSphState *state = fluid->method_state;
    const couSphParams *p = fluid->params;
    if (state->tension_kind == cou_tensionNone) return;
    couSphLoop loop = couSph_Loop(step);
    loop.tension = state->tension;
    loop.threshold = p->tension_threshold / fluid->h;
    loop.out = couFluid_Previous(fluid);
    if (state->tension_kind == cou_tensionColor) {
        couSph_Run(step, &loop, color);
        couFor(&fluid->parallel, loop.count, 8192, color_forces_block, &loop);
        couSph_AddAccelerations(step, &loop, dt);
        return;
    }
    if (state->tension_kind == cou_tensionArea) {
        pull_by_area(step, &loop, dt);
        return;
    }
    couVec4 *normals = couSph_TakeVectors(fluid);
    bool has_solids = fluid->boundary.table.count > 0 && p->adhesion > 0.0f;
    if (!normals || (has_solids && !couSph_KeepWalls(step, &loop))) {
        step->has_failed = true;
        return;
    }
    couVec4 *out = loop.out;
    loop.out = normals;
    couSph_Run(step, &loop, color);
    couFor(&fluid->parallel, loop.count, 8192, scale_block, &loop);
    loop.in = normals, loop.out = out;
    // F = f shape(r/h): sigma = factor n^2 h^(n+2) f moment, the acceleration is f / (rho V) with n = 1 / V.
    int n = fluid->dimension;
    double factor = n == 3 ? COU_PI / 8 : 1.0 / 3, h = fluid->h;
    loop.cohesion = (float)(state->volume / (factor * pow(h, n + 2) * state->cohesion_moment));
    loop.area = (float)(state->volume / pow(h, n + 2));
    loop.adhesion = loop.cohesion * 0.007f * 32 / (float)COU_PI; // the paper's ratio of the two kernels' sizes
    loop.wetting = p->adhesion / state->reference_density;
    couSph_Run(step, &loop, cohesion);
    couSph_AddAccelerations(step, &loop, dt);
}
