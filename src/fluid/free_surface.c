// Where the liquid ends in the open. Pressures that may pull (clamp = false) hold full domains together; at a free surface they
// draw single particles in and throw them out, which solvers never settle: so the first step looks whether there is one.
//
// A particle lies at a free surface when nobody, neither liquid nor sample of a solid, is near the point 1.2 spacings from it in
// the direction away from its neighbours. In a lattice somebody is within 0.71 spacings of any point (0.87 in 3D), and disorder
// of a start adds some tenths; over a surface the nearest is 1.56 away. Density does not tell the two apart: it is 0.84 at a flat
// surface in 2D, and off by as much in a full box that starts in disorder. Costs two passes over the lists of some thousand
// particles, once.

#include "fluid/sph.h"

enum { MOST_LOOKED_AT = 20000 };

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

double couSph_OpenShare(const couStep *step)
{
    couSphLoop loop = couSph_Loop(step);
    size_t stride = loop.count / MOST_LOOKED_AT + 1, looked = 0, open = 0;
    for (size_t i = 0; i < loop.count; i += stride) {
        open += is_in_the_open(&loop, i);
        ++looked;
    }
    return looked ? (double)open / (double)looked : 0.0;
}
