// Liquid without a surface: full boxes, channels, all that repeats. Flow draws neighbours out along its stretch, a lattice into
// threads at once, and nothing but the pressure resists, which knows densities alone: a thread has the right one until it is not
// resolved any more, and breaks up with the energy of the vortex that made it. Where liquid has a surface that may give way, it
// does. Two things keep such liquid as even as it began:
//
// - particles move on to where there are fewer of them, -sum G_ij, at a pace of the flow's own differences [particle shifting:
//   Xu et al. 2009, Lind et al. 2012, Sun et al. 2017]. A lattice does not know which way; each of its particles has a way of its
//   own, a fifth of how far neighbours part. Under gravity those are its own neighbours: by the fastest of the box, what is calm
//   beside a jet was shaken to pieces and fell. Without it they are the fastest: vortices have nothing calm to lose, and with
//   their own a vortex at Re 100 kept 0.94 of its energy at 80 particles a side instead of 0.97;
// - what is asked of the pressure for the density's sake moves the particles, and is taken back from their velocities: errors of
//   places are mended in places [the two projections of Hu and Adams 2007]. Needs two solvers, so dfsph has it. The other
//   methods' densities turn what tidying does to them into speed: a vortex of iisph gains a tenth of its energy in a second.
//   Those that flow do not know of it, but for the little by which they follow the sum (state_equation.c). There disorder, in
//   which viscosity finds less to hold on to, goes even where the flow is slow: a box jittered by d/4 and pushed by next to
//   nothing ran at 1.48 of Newton's speed, and runs at 1.14.
//
// Both change where momentum is, by the spacing times the differences of velocity, and not how much there is. Free bodies answer
// to the pressures that the liquid keeps and are walls to what is taken back. With one solver they would know of what tidying
// does to densities: there neither is done with one in the liquid.

#include "fluid/sph.h"

#define PACE 3.5f        // of d^2 sum G, for a flow whose neighbours part by a spacing
#define MOST_EVENED 0.5f // of d^2 sum G in a step: beyond, it overshoots
#define MOST_MOVED 0.1f  // of a spacing in a step
#define OWN_WAY 0.2f     // of how far neighbours part
#define SOUND_PACE 0.03f // of sound's: at least, where densities flow and places are nobody else's concern

typedef struct TidyJob {
    const couStep *step;
    const couVec4 *uneven; // sum of G [1/m], w: how fast neighbours part [m/s]
    float share;           // [m^2]
    bool has_calm;         // some of it is at rest under its weight
} TidyJob;

static void tidy_block(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)block, (void)worker;
    const TidyJob *job = context;
    const couFluid *fluid = job->step->fluid;
    couVec4 *x = couFluid_Position(fluid);
    const uint32_t *id = couFluid_Id(fluid);
    float most = MOST_MOVED * fluid->spacing;
    for (size_t i = begin; i < end; ++i) {
        float own = COU_MIN(OWN_WAY * job->step->dt * (job->has_calm ? job->uneven[i].w : fluid->relative_speed), most);
        couVec3 way = couScale(-job->share, couXyz(job->uneven[i]));
        way = couMulAdd(way, own, couPartingDirection(fluid->dimension, 0, id[i] + 1));
        float length = couLength(way);
        if (length > most) way = couScale(most / length, way);
        x[i].x += way.x, x[i].y += way.y, x[i].z += way.z;
    }
}

static void return_block(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)block, (void)worker;
    const couFluid *fluid = context;
    couVec4 *v = couFluid_Velocity(fluid);
    const couVec4 *detour = couSph_State(fluid)->detour;
    for (size_t i = begin; i < end; ++i) v[i].x -= detour[i].x, v[i].y -= detour[i].y, v[i].z -= detour[i].z;
}

void couSph_Tidy(couStep *step)
{
    static couSphLoopFcn *const uneven[cou_isaCount] = COU_VARIANTS(couSphUneven);
    couFluid *fluid = step->fluid;
    if (couSph_State(fluid)->detour) couFor(&fluid->parallel, fluid->table.count, 8192, return_block, fluid);
    if (!couSph_State(fluid)->is_tidied) return;
    couSphLoop loop = couSph_Loop(step);
    loop.out = couFluid_Previous(fluid); // free again
    couSph_Run(step, &loop, uneven);
    float d = fluid->spacing, pace = fluid->relative_speed;
    if (couSph_HasFlowDensity(fluid)) pace = COU_MAX(pace, SOUND_PACE * couSph_State(fluid)->sound_speed);
    float share = COU_MIN(PACE * pace * step->dt, MOST_EVENED * d);
    TidyJob job = {step, loop.out, share * d, couLength(fluid->gravity) > 0.0f};
    couFor(&fluid->parallel, loop.count, 8192, tidy_block, &job);
}
