// Surface tension of the SPH methods.
//
// color: the curvature of the colour field acts on the particles where its gradient is large [Müller 2003, eq. 15 to 19].
// cohesion: pairs attract each other beyond h/2, and differences of surface normals are smoothed [Akinci 2013]. The paper's
// gamma has no unit that holds for both terms; here both follow from the surface tension sigma [N/m]. A pair force F(r) in a
// liquid of n particles per volume makes sigma = (pi/8) n^2 int r^4 F dr in 3D, (1/3) n^2 int r^3 F dr in the plane (half the
// work that it takes to part the liquid along a plane [Fowler 1937]), which gives the scale of the first term. The second is
// sigma / (rho h^2) times h n, n the gradient of the colour field. area: forces of an energy, sigma times the area of the
// surface. That is the integral of |n|, n the gradient of the relative density D: E = sigma sum V/D (sqrt(|n|^2 + t^2) - t).
// Exact in momentum, angular momentum and energy. Without the factor 1/D drops swing as well, but their energy falls when they
// expand. Neither holds particles together that have no suction.

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

// Derivatives of a particle's area |n| / D by n (xyz) and, negative, by D (w), times sigma.
static void area_slopes_block(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)block, (void)worker;
    const couSphLoop *loop = context;
    for (size_t i = begin; i < end; ++i) {
        couVec3 n = couXyz(loop->out[i]);
        float length = sqrtf(couDot(n, n) + loop->threshold * loop->threshold), inv_density = 1.0f / loop->density[i];
        float tension = loop->tension[loop->material[i]] * inv_density, size = tension / COU_MAX(length, 1e-30f);
        loop->out[i] = (couVec4){size * n.x, size * n.y, size * n.z, tension * (length - loop->threshold) * inv_density};
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

void couSph_PullSurface(couStep *step, float dt)
{
    static couSphLoopFcn *const color[cou_isaCount] = COU_VARIANTS(couSphColor);
    static couSphLoopFcn *const cohesion[cou_isaCount] = COU_VARIANTS(couSphCohesion);
    static couSphLoopFcn *const slope[cou_isaCount] = COU_VARIANTS(couSphSlope);
    static couSphLoopFcn *const area[cou_isaCount] = COU_VARIANTS(couSphArea);
    couFluid *fluid = step->fluid;
    const couSphState *state = fluid->method_state;
    const couSphParams *p = fluid->params;
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
    couVec4 *normals = couSph_TakeVectors(fluid);
    bool is_area = state->tension_kind == cou_tensionArea;
    bool has_solids = fluid->bodies->count && fluid->boundary.table.count && (is_area || p->adhesion > 0.0f);
    if (!normals || (has_solids && !couSph_KeepWalls(step, &loop))) {
        step->has_failed = true;
        return;
    }
    couVec4 *out = loop.out;
    loop.out = normals;
    couSph_Run(step, &loop, is_area ? slope : color);
    couFor(&fluid->parallel, loop.count, 8192, is_area ? area_slopes_block : scale_block, &loop);
    loop.in = normals, loop.out = out;
    if (is_area) {
        couSph_Run(step, &loop, area);
        couSph_AddAccelerations(step, &loop, dt);
        return;
    }
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
