// Where the liquid ends in the open. Pressures that may pull (clamp = false) hold full domains together; at a free surface they
// draw single particles in and throw them out, which solvers never settle: so the first step looks whether there is one.
//
// A particle lies at a free surface when nobody, neither liquid nor sample of a solid, is near the point 1.2 spacings from it in
// the direction away from its neighbours. In a lattice somebody is within 0.71 spacings of any point (0.87 in 3D), and disorder
// of a start adds some tenths; over a surface the nearest is 1.56 away. Density does not tell the two apart: it is 0.84 at a flat
// surface in 2D, and off by as much in a full box that starts in disorder. Costs two passes over the lists of some thousand
// particles, once; and in steps in which the sums of gradients show more than the few holes of a full box and less than a tank's
// surface, as in a jet within a full box: 120 of 383 steps of one counted as open before anybody looked.
//
// At a surface the density sum is short of what would lie beyond it: 0.17 of it, for the outermost row of the default kernel.
// Left alone that row closes up until its own sum is right, with neighbours 0.75 d apart over a second row at d: a skin that fits
// to nothing below, that resists stretching, and that slides down the slopes of a wave as it likes. It took most of what a calm
// wave lost: its velocity along the surface followed the slope instead of lagging a quarter of a period behind, in tanks with and
// without walls, with narrow and wide kernels, with much and little damping. So what is short is added (couSurfaceLack). For a
// flat surface at the distance z it is a function of |sum G|, which is the kernel's integral over the plane there: both fall
// with z, ln m as 1.8 times ln |sum G| at z = d/2 (1.76 to 1.80 for kaiser with 2.25 d and the cubic spline with 2 d, 2.0 for
// wide kernels). The straight line through that point with this rise is taken, 0 from 0.44 of the outermost row's sum down:
// disorder inside does not count. It enters what is kept at 1 and nothing else: no force is added, so momentum is kept, and rates
// are those of the particles that there are. No more is added than what is missing to 1, so nothing is pushed by it alone, and
// only as liquid is around: a drop next to a wall has the wall's gradient and no surface (it would stop before it touches). Thin
// sheets, whose gradients cancel, and spray have none.
// What moves a surface by this has no energy. Solvers, which correct 2 % of a density in a step at most, bear that, and so does a
// density that flows (state_equation.c); a state equation of the sum does not: a tank of wcsph's let go in disorder boiled.
// Where pressures pull it would hold a block that leaves its floor. Thick liquids have their stress of order taken off instead
// (relief.c): both together made a weakly pushed pool slower (0.75 instead of over 0.8 of Newton's speed).
// Tried: ghosts on a lattice in the air (air.c, with samples for walls: a wave of 5 mm loses 0.073 a period); all that the line
// says, more than 1 too (0.036, but light boxes were thrown about, 0.5 m/s where they should float, and drops stopped at walls).

#include "fluid/sph.h"

enum { MOST_LOOKED_AT = 20000 };
#define SCATTER 2654435761u // a prime beyond any count: multiples of it, modulo the count, are all different

// From particle i to entry k of its list, by the nearest image.
static couVec3 offset_to(const couSphLoop *loop, size_t i, uint32_t j)
{
    couVec4 a = loop->position[i], b = loop->position[j];
    float d[3] = {b.x - a.x, b.y - a.y, b.z - a.z};
    for (int axis = 0; axis < 3; ++axis)
        if (loop->period[axis] > 0.0f) d[axis] -= loop->period[axis] * roundf(d[axis] / loop->period[axis]);
    return (couVec3){d[0], d[1], d[2]};
}

// The entries of a list: those of the liquid, then those of solids, which begin at a place of their own.
static int entry_count(const couNeighbors *neighbors, size_t i)
{
    return neighbors->count[i] + (neighbors->solid_count ? neighbors->solid_count[i] : 0);
}

static uint32_t entry(const couNeighbors *neighbors, size_t i, int k)
{
    int count = neighbors->count[i];
    return neighbors->first[i][k < count ? k : neighbors->solid_first[i] + k - count];
}

static bool is_in_the_open(const couSphLoop *loop, size_t i)
{
    const couNeighbors *neighbors = loop->neighbors;
    int count = entry_count(neighbors, i);
    couVec3 away = {0, 0, 0};
    for (int k = 0; k < count; ++k) {
        couVec3 to = offset_to(loop, i, entry(neighbors, i, k));
        away = couMulAdd(away, couLength(to) / loop->h - 1.0f, to);
    }
    float length = couLength(away), d = loop->spacing;
    if (!(length > 0.0f)) return count == 0;
    couVec3 point = couScale(1.2f * d / length, away);
    for (int k = 0; k < count; ++k)
        if (couLength(couSub(offset_to(loop, i, entry(neighbors, i, k)), point)) < 1.1f * d) return false;
    return true;
}

double couSph_OpenShare(const couStep *step, double enough)
{
    couSphLoop loop = couSph_Loop(step);
    size_t most = COU_MIN(loop.count, (size_t)MOST_LOOKED_AT), open = 0;
    // Here and there: those of a surface lie together, and what is open enough is soon known to be.
    for (size_t k = 0; k < most && (double)open <= enough * (double)most; ++k)
        open += is_in_the_open(&loop, (size_t)((uint64_t)k * SCATTER % loop.count));
    return most ? (double)open / (double)most : 0.0;
}
