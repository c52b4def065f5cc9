// The Coanda force [Gagneux 2022, sect. 3.3]: where pressures only push, nothing draws the liquid of a jet along the surface that
// it passes. So each sample j of a body pulls the particles i around it, and they pull it back:
//     F_i = -C (m_i + m_j) / (2 T^2) f(q) (x_i - x_j),   m_j = rho0 V_j,   q = |x_i - x_j| / h
// C is the body's (`coanda`), rho0 the density of the particle's liquid. Printed as (3.2) with m_i alone and without the sign, it
// would neither attract nor conserve.
//
// T is the step in the thesis, which has one step for all time, 0.0002 s. Here steps follow the flow, and a force that grows as
// they shorten would be none of nature's: T is a parameter, `coanda_step`, by default the thesis's, so that its values of C mean
// the same at any step.
//
// linear: f = 1, as printed. It is strongest where it ends, at h, and leaves a ring of void there (fig. 3.14).
// smooth: f = c (1 - q^2)^2, no force and no slope of it at h, with c so that a full neighbourhood is pulled as hard as by the
// linear form: c = 6, in the plane 35/8.
//
// The forces of a pair are opposite and lie on one line: momentum and angular momentum are kept to rounding. They are explicit,
// so that a step must not be longer than sqrt(way / a): from rest a pull of a beside a flat wall may take a particle `courant`
// spacings far. C that would need steps below min_step is refused. The loop runs over pairs with solids alone, one particle after
// the other; a ball of 5 spacings' diameter among 100,000 particles costs less than a thousandth of a step.

#include "fluid/coanda.h"

#include "fluid/soft_samples.h"

float couCoandaShape(int kind, int dimension, float q)
{
    if (q >= 1.0f) return 0.0f;
    if (kind == cou_coandaLinear) return 1.0f;
    float u = 1.0f - q * q;
    return (dimension == 3 ? 6.0f : 4.375f) * u * u;
}

// --- What it may be ----------------------------------------------------------------------------------------------------------

static float strongest(const couFluid *fluid)
{
    float most = 0.0f;
    for (size_t b = 0; b < fluid->bodies->count; ++b)
        if (fluid->bodies->items[b].slot.is_here) most = COU_MAX(most, fluid->bodies->items[b].def.coanda);
    return most;
}

// Pull and its slope on a particle of the first row above a flat wall, whose samples go on with the lattice.
static void sum_wall(couFluid *fluid)
{
    const couSphParams *p = fluid->params;
    const couSphState *state = fluid->method_state;
    float d = fluid->spacing, h = fluid->h;
    int reach = (int)(h / d) + 1, side = fluid->dimension == 3 ? reach : 0;
    double pull = 0, rate = 0;
    for (int y = 1; y <= couSph_BoundaryLayers(fluid); ++y)
        for (int x = -reach; x <= reach; ++x)
            for (int z = -side; z <= side; ++z) {
                double r = (double)d * sqrt((double)(x * x + y * y + z * z));
                double f = (double)couCoandaShape(p->coanda, fluid->dimension, (float)(r / (double)h));
                pull += f * y * (double)d, rate += f;
            }
    double unit = 0.5 * (1 + (double)(state->wall_volume / state->volume)) / ((double)p->coanda_step * (double)p->coanda_step);
    fluid->coanda_pull = (float)(unit * pull);
    fluid->coanda_rate = (float)(unit * rate);
}

float couSph_CoandaStep(const couFluid *fluid, float way)
{
    float a = strongest(fluid) * fluid->coanda_pull;
    return a > 0.0f ? sqrtf(way / a) : INFINITY;
}

bool couSph_PrepareCoanda(couFluid *fluid, couFaults *faults)
{
    const couSphParams *p = fluid->params;
    float way = p->courant * fluid->spacing;
    double most = way; // the largest C that min_step bears
    bool is_good = true;
    sum_wall(fluid);
    most /= (double)p->min_step * (double)p->min_step * (double)fluid->coanda_pull;
    for (size_t b = 0; b < fluid->bodies->count; ++b) {
        const couBody *body = &fluid->bodies->items[b];
        double C = body->def.coanda, pull = C * (double)fluid->coanda_pull;
        if (!body->slot.is_here || !(C > 0)) continue;
        if (p->boundary != cou_boundaryAkinci) {
            couFaults_Add(faults, NULL, "body.coanda", "'%s': mirror images (sph.boundary) cannot pull, samples can",
                          body->def.name);
            is_good = false;
        } else if (C > most) {
            couFaults_Add(faults, NULL, "body.coanda",
                          "%g of '%s' pulls liquid with %.3g m/s^2, which is stable in steps of at most %.2g s at this spacing; "
                          "sph.min_step is %.2g s: must be from 0 to %.2g",
                          C, body->def.name, pull, sqrt((double)way / pull), (double)p->min_step, most);
            is_good = false;
        }
    }
    return is_good;
}

// --- The force ---------------------------------------------------------------------------------------------------------------

typedef struct PullJob {
    const couFluid *fluid;
    const couSphLoop *loop;
    float unit; // dt / T^2 [1/s]
    int kind;   // couSphCoanda
    double (*sums)[6];
} PullJob;

static float nearest(float way, float period) { return period > 0.0f ? way - period * rintf(way / period) : way; }

static void pull_block(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)worker;
    const PullJob *job = context;
    const couFluid *fluid = job->fluid;
    const couSphLoop *loop = job->loop;
    const couNeighbors *neighbors = &fluid->neighbors;
    const uint32_t *body_of = couBoundary_Body(&fluid->boundary);
    couImpulseSum *sums = couSph_StartSums(fluid, job->sums, block);
    for (size_t i = begin; i < end; ++i) {
        const uint32_t *list = neighbors->first[i] + neighbors->solid_first[i];
        couVec3 x = couXyz(loop->position[i]), change = {0};
        float mass = fluid->mass[loop->material[i]];
        for (int k = 0; k < neighbors->solid_count[i]; ++k) {
            uint32_t b = body_of[list[k] - fluid->solid_base];
            float C = couBodyAt(fluid, b)->def.coanda;
            if (!(C > 0.0f)) continue;
            couVec4 sample = loop->position[list[k]];
            couVec3 way = {nearest(sample.x - x.x, loop->period[0]), nearest(sample.y - x.y, loop->period[1]),
                           nearest(sample.z - x.z, loop->period[2])};
            float f = couCoandaShape(job->kind, loop->dimension, couLength(way) / loop->h);
            couVec3 kick = couScale(job->unit * C * f * 0.5f * (1.0f + sample.w), way);
            change = couAdd(change, kick);
            couSph_AddImpulse(fluid, sums, b, couXyz(sample), couScale(-mass, kick));
        }
        couVec4 *v = &loop->velocity[i];
        v->x += change.x, v->y += change.y, v->z += change.z;
    }
}

void couSph_PullByBodies(couStep *step, float dt)
{
    const couFluid *fluid = step->fluid;
    const couSphParams *p = fluid->params;
    if (!(strongest(fluid) > 0.0f) || !fluid->boundary.table.count) return;
    couSphLoop loop = couSph_Loop(step);
    PullJob job = {.fluid = fluid, .loop = &loop, .unit = dt / (p->coanda_step * p->coanda_step), .kind = p->coanda};
    if (!couSph_SumImpulses(step, pull_block, &job, &job.sums)) step->has_failed = true;
}
