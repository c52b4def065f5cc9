// Between particles and the nodes of the coarse level: the eight corners of an element at a time.

#include "fluid/coarse.h"

// Added to the operator's diagonal, of the particles' own: where few particles are active it would be singular.
#define MARGIN 1e-4f

typedef struct Hats {
    couFloatW value;   // of each corner's hat
    couVec3W gradient; // [1/m]
} Hats;

// Along an axis the hat of corner c is t where bit `axis` of c is set, else 1 - t.
static inline Hats hats_at(const couCoarseElement *element, couVec4 x)
{
    const couFloatW sign_x = {-1, 1, -1, 1, -1, 1, -1, 1}, sign_y = {-1, -1, 1, 1, -1, -1, 1, 1},
                    sign_z = {-1, -1, -1, -1, 1, 1, 1, 1};
    const couFloatW rest_x = {1, 0, 1, 0, 1, 0, 1, 0}, rest_y = {1, 1, 0, 0, 1, 1, 0, 0}, rest_z = {1, 1, 1, 1, 0, 0, 0, 0};
    couFloatW tx = rest_x + ((x.x - element->lower[0]) * element->inverse[0]) * sign_x;
    couFloatW ty = rest_y + ((x.y - element->lower[1]) * element->inverse[1]) * sign_y;
    couFloatW tz = rest_z + ((x.z - element->lower[2]) * element->inverse[2]) * sign_z;
    Hats hats = {tx * ty * tz,
                 {element->inverse[0] * sign_x * (ty * tz), element->inverse[1] * sign_y * (tx * tz),
                  element->inverse[2] * sign_z * (tx * ty)}};
    return hats;
}

// The pressure of a hat accelerates a particle by q = hat B^T a + M grad hat, to first order in the distance of neighbours; M,
// the sum of gradient times offset over active neighbours, is taken as the share that is active: 1 inside.
static inline void add_particle(const couCoarseLoop *loop, const couCoarseElement *element, size_t i, couFloatW rows[COU_CORNERS])
{
    couVec4 spread = loop->spread[i];
    float active = loop->active[i], weight = loop->velocity[i].w;
    if (active == 0.0f && spread.w == 0.0f) return;
    Hats hats = hats_at(element, loop->position[i]);
    couFloatW qx = hats.value * spread.x + hats.gradient.x * spread.w, qy = hats.value * spread.y + hats.gradient.y * spread.w,
              qz = hats.value * spread.z + hats.gradient.z * spread.w;
    float own = loop->factor[i] > 0.0f ? MARGIN * active / loop->factor[i] : 0.0f;
    couFloatW margin = own * (hats.value * hats.value);
    float x[COU_CORNERS], y[COU_CORNERS], z[COU_CORNERS], m[COU_CORNERS];
    couStoreW(x, weight * qx), couStoreW(y, weight * qy), couStoreW(z, weight * qz), couStoreW(m, margin);
    for (int n = 0; n < COU_CORNERS; ++n) {
        couFloatW own_row = couSetW(0.0f);
        own_row[n] = m[n];
        rows[n] += x[n] * qx + y[n] * qy + z[n] * qz + own_row;
    }
}

void COU_WIDE(couCoarseBuild)(const couCoarseLoop *loop, size_t begin, size_t end)
{
    const couCoarse *coarse = loop->coarse;
    for (size_t e = begin; e < end; ++e) {
        const couCoarseElement *element = &coarse->elements[e];
        couFloatW rows[COU_CORNERS];
        for (int n = 0; n < COU_CORNERS; ++n) rows[n] = couSetW(0.0f);
        COU_FOR_PARTICLES_OF(coarse, e, i) add_particle(loop, element, i, rows);
        for (int n = 0; n < COU_CORNERS; ++n) couStoreW(coarse->matrix[e][n], rows[n]);
    }
}

void COU_WIDE(couCoarseRestrict)(const couCoarseLoop *loop, size_t begin, size_t end)
{
    const couCoarse *coarse = loop->coarse;
    for (size_t e = begin; e < end; ++e) {
        const couCoarseElement *element = &coarse->elements[e];
        couFloatW sum = couSetW(0.0f);
        COU_FOR_PARTICLES_OF(coarse, e, i) sum += loop->residual[i] * hats_at(element, loop->position[i]).value;
        couStoreW(coarse->corner[e], sum);
    }
}

void COU_WIDE(couCoarseProlong)(const couCoarseLoop *loop, size_t begin, size_t end)
{
    const couCoarse *coarse = loop->coarse;
    for (size_t e = begin; e < end; ++e) {
        const couCoarseElement *element = &coarse->elements[e];
        couFloatW values = couLoadW(coarse->corner[e]);
        COU_FOR_PARTICLES_OF(coarse, e, i) loop->correction[i] = couSumW(values * hats_at(element, loop->position[i]).value);
    }
}
