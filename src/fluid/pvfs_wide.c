// The hot loops of pvfs: double density relaxation and viscosity impulses, each a Gauss-Seidel sweep over the cells of one
// colour.
//
// Relaxation of particle i: eight neighbours at a time, positions are loaded as 16-byte records and transposed; the first pass
// sums the two densities and leaves directions and weights in a small buffer, the second turns them into displacements, which go
// back to the neighbours at once and to i at the end of its turn. Viscosity goes the same way, over the half of the list that
// comes after i. Going through the pairs one by one, as the paper does, is a chain of dependent operations that cannot go wide.

#include "fluid/pvfs.h"

// Eight pairs: weight, unit vector to j, inverse mass of j. Kept together, since separate long arrays fell 4096 bytes apart,
// where the processor takes a load for one that must wait for an earlier store.
typedef struct PairBlock {
    couFloatW w;
    couVec3W n;
    couFloatW inv_mass;
} PairBlock;

typedef struct PairBuffer {
    PairBlock blocks[COU_MAX_NEIGHBORS / COU_WIDTH];
} PairBuffer;

typedef struct Densities {
    float rho, rho_near, w4; // sums of w^2, w^3, w^4
} Densities;

// Directions, weights and density sums of i's list. Padding entries are far away and get weight 0.
static inline Densities gather_pairs(const couPvfsSweep *sweep, uint32_t i, const uint32_t *list, int count, PairBuffer *pairs)
{
    couVec3W xi = couSet3W(couXyz(sweep->position[i]));
    float inv_h = 1.0f / sweep->h, touching = 1e-12f * sweep->h * sweep->h;
    couFloatW rho = couSetW(0.0f), rho_near = rho, w4 = rho;
    for (int k = 0; k < count; k += COU_WIDTH) {
        couFloatW inv_mass;
        couVec3W d = couSubW(couLoadRecordsW(sweep->position, list + k, &inv_mass), xi);
        couFloatW r2 = couDotW(d, d), r = couSqrtW(couMaxW(r2, touching));
        unsigned coincident = couBitsW(r2 < touching);
        couFloatW w = couMaxW(1.0f - r * inv_h, 0.0f), w2 = w * w;
        rho += w2;
        rho_near += w2 * w;
        w4 += w2 * w2;
        PairBlock *block = &pairs->blocks[k / COU_WIDTH];
        block->w = w;
        block->n = couScaleW(1.0f / r, d);
        block->inv_mass = inv_mass;
        for (; coincident; coincident &= coincident - 1) {
            int lane = __builtin_ctz(coincident);
            couVec3 n = couPartingDirection(sweep->dimension, sweep->id[i], sweep->id[list[k + lane]]);
            block->n.x[lane] = n.x, block->n.y[lane] = n.y, block->n.z[lane] = n.z;
        }
    }
    return (Densities){couSumW(rho), couSumW(rho_near), couSumW(w4)};
}

typedef struct WallSums {
    float rho, rho_near;
    float push[COU_MAX_CONTACTS], push_near[COU_MAX_CONTACTS];
} WallSums;

// The density that the solid behind each contact plane stands for.
static WallSums add_walls(const couPvfsSweep *sweep, uint32_t i, const couContact *contacts, int count)
{
    WallSums sums = {0};
    couVec3 x = couXyz(sweep->position[i]);
    for (int k = 0; k < count; ++k) {
        float a = 1.0f - (couDot(contacts[k].normal, x) - contacts[k].offset) / sweep->h;
        float place = COU_CLAMP(a, 0.0f, 1.0f) * COU_WALL_SAMPLES;
        int n = (int)place;
        float t = place - (float)n;
        const couWallTable *table = &sweep->state->walls;
        sums.rho += (1.0f - t) * table->at[n].rho + t * table->at[n + 1].rho;
        sums.rho_near += (1.0f - t) * table->at[n].rho_near + t * table->at[n + 1].rho_near;
        sums.push[k] = (1.0f - t) * table->at[n].push + t * table->at[n + 1].push;
        sums.push_near[k] = (1.0f - t) * table->at[n].push_near + t * table->at[n + 1].push_near;
    }
    return sums;
}

// Moves the neighbours by their share of D and returns what i moves by [Clavet 2005, eq. 6]. `far` and `near` are dt^2 P and
// dt^2 P_near. Shares go by inverse mass, so that momentum is kept between materials of different density.
static inline couVec3 push_pairs(couPvfsSweep *sweep, uint32_t i, const uint32_t *list, int count, const PairBuffer *pairs,
                                 float far, float near)
{
    float own_inv_mass = sweep->position[i].w;
    bool is_single = sweep->state->is_single_material;
    couVec3W sum = couSet3W((couVec3){0});
    for (int k = 0; k < count; k += COU_WIDTH) {
        const PairBlock *block = &pairs->blocks[k / COU_WIDTH];
        couFloatW w = block->w;
        couVec3W n = block->n;
        couFloatW d = w * (far + near * w);
        couFloatW theirs = 0.5f * d, own = theirs;
        if (!is_single) {
            couFloatW inv_mass = block->inv_mass;
            couFloatW unit = d / (own_inv_mass + inv_mass);
            theirs = unit * inv_mass, own = unit * own_inv_mass;
        }
        couVec4 moves[COU_WIDTH];
        couStoreRecordsW(moves, couScaleW(theirs, n), couSetW(0.0f));
        int lanes = COU_MIN(COU_WIDTH, count - k);
        for (int lane = 0; lane < lanes; ++lane) couAddRecord(&sweep->position[list[k + lane]], &moves[lane]);
        sum = couMulAddW(sum, own, n);
    }
    couVec3 all = couSum3W(sum);
    return (couVec3){-all.x, -all.y, -all.z};
}

// Displacements beyond this share of a Newton step would throw particles that a long step has pressed together apart with more
// energy than they came with (+21 % for a block falling in 2D with one step a frame at a bound of 1). A calm fluid at its own
// step has 0.2, so the bound does not act on it.
#define MOST_LOAD 0.3f

static void relax_particle(couPvfsSweep *sweep, uint32_t i, PairBuffer *pairs)
{
    const couPvfsState *state = sweep->state;
    const uint32_t *list = sweep->neighbors->first[i];
    int count = sweep->neighbors->count[i];
    Densities sums = gather_pairs(sweep, i, list, count, pairs);
    int contact_count = sweep->contacts->count[i];
    couContact *contacts = contact_count ? couContacts_Of(sweep->contacts, i) : NULL;
    WallSums walls;
    bool has_walls = contact_count && sweep->has_wall_density;
    if (has_walls) {
        walls = add_walls(sweep, i, contacts, contact_count);
        sums.rho += walls.rho;
        sums.rho_near += walls.rho_near;
    }
    sweep->density[i] = sums.rho / state->rest_rho;

    // Pressures as displacements [eq. 2, 5], bounded by a share of what a Newton step of the density constraint would ask for.
    float dt2 = sweep->dt * sweep->dt;
    float far = dt2 * state->k * (sums.rho - state->rho0), near = 0.0f;
    if (sweep->near == cou_nearDensity) near = dt2 * state->k_near * sums.rho_near;
    if (sweep->near == cou_nearDistance) near = dt2 * state->k_near;
    float far_load = dt2 * state->k * sums.rho / sweep->h, near_load = 1.5f * dt2 * state->k_near * sums.w4 / sweep->h;
    // A plain repulsion does not grow with the crowd: it gets the whole step.
    float most_near = sweep->near == cou_nearDistance ? 1.0f : MOST_LOAD;
    if (far_load > MOST_LOAD || near_load > most_near) {
        if (far_load > MOST_LOAD) far *= MOST_LOAD / far_load;
        if (near_load > most_near) near *= most_near / near_load;
        sweep->guard_count++;
    }

    couVec3 move = push_pairs(sweep, i, list, count, pairs, far, near);
    if (has_walls)
        for (int k = 0; k < contact_count; ++k) {
            float push = 0.5f * (far * walls.push[k] + near * walls.push_near[k]);
            contacts[k].push += push;
            move = couMulAdd(move, push, contacts[k].normal);
        }
    couVec4 *x = &sweep->position[i];
    x->x += move.x, x->y += move.y, x->z += move.z;
}

void COU_WIDE(couRelaxCells)(couPvfsSweep *sweep, size_t begin, size_t end)
{
    PairBuffer pairs;
    for (size_t c = begin; c < end; ++c) {
        uint32_t cell = sweep->cells[c];
        for (uint32_t i = sweep->grid->cell_start[cell]; i < sweep->grid->cell_start[cell + 1]; ++i)
            relax_particle(sweep, i, &pairs);
    }
}

// --- Viscosity ---------------------------------------------------------------------------------------------------------------

// Viscosity coefficients of eight pairs: the mean of both materials.
typedef struct PairViscosity {
    couFloatW sigma, beta, smoothing;
} PairViscosity;

static inline PairViscosity uniform_viscosity(const couPvfsMaterial *m)
{
    return (PairViscosity){couSetW(m->sigma), couSetW(m->beta), couSetW(m->smoothing)};
}

static PairViscosity mixed_viscosity(const couPvfsSweep *sweep, const couPvfsMaterial *own, const uint32_t *list)
{
    float sigma[COU_WIDTH], beta[COU_WIDTH], smoothing[COU_WIDTH];
    for (int k = 0; k < COU_WIDTH; ++k) {
        const couPvfsMaterial *theirs = list[k] < sweep->count ? &sweep->state->materials[sweep->material[list[k]]] : own;
        sigma[k] = 0.5f * (own->sigma + theirs->sigma);
        beta[k] = 0.5f * (own->beta + theirs->beta);
        smoothing[k] = 0.5f * (own->smoothing + theirs->smoothing);
    }
    return (PairViscosity){couLoadW(sigma), couLoadW(beta), couLoadW(smoothing)};
}

// The turn of particle i: impulses between it and those of its neighbours that come after it in storage [alg. 5]. As in the
// relaxation, i itself changes at the end of its turn. The paper's part acts on approach only, smoothing on what is left and both
// ways; both along the pair, so that angular momentum is kept. Neither alone makes a pair move apart, and where many pairs
// together would carry i past their mean, all are cut by the same factor.
static void smooth_particle(couPvfsSweep *sweep, uint32_t i, PairBuffer *pairs)
{
    int below = sweep->neighbors->below[i];
    int count = sweep->neighbors->count[i] - below;
    if (count <= 0) return;
    uint32_t list[COU_MAX_NEIGHBORS + COU_WIDTH];
    const uint32_t *above = sweep->neighbors->first[i] + below;
    for (int k = 0; k < count; k += COU_WIDTH) memcpy(list + k, above + k, COU_WIDTH * sizeof *list); // chunks have room behind
    for (int k = count; k % COU_WIDTH; ++k) list[k] = (uint32_t)sweep->count;
    gather_pairs(sweep, i, list, count, pairs);

    couVec4 *velocity = sweep->velocity;
    couVec4 vi = velocity[i];
    const couPvfsMaterial *own_material = &sweep->state->materials[sweep->material[i]];
    float dt = sweep->dt, own_inv_mass = sweep->position[i].w;
    couVec3W v = couSet3W(couXyz(vi)), sum = couSet3W((couVec3){0});
    couFloatW taken = couSetW(0.0f);
    bool is_single = sweep->state->is_single_material;
    PairViscosity viscosity = uniform_viscosity(own_material);
    couVec4 moves[COU_MAX_NEIGHBORS + COU_WIDTH];
    for (int k = 0; k < count; k += COU_WIDTH) {
        if (!is_single) viscosity = mixed_viscosity(sweep, own_material, list + k);
        couVec3W dv = couSubW(v, couLoadVectorsW(velocity, list + k));
        const PairBlock *block = &pairs->blocks[k / COU_WIDTH];
        couVec3W n = block->n;
        couFloatW along = couDotW(dv, n), u = couMaxW(along, 0.0f);
        couFloatW weight = dt * block->w;
        couFloatW rate = couMinW(weight * (viscosity.sigma + viscosity.beta * u), 1.0f);
        rate = couSelectW(u > 0.0f, rate, 0.0f);
        couFloatW smoothing = couMinW(weight * viscosity.smoothing, 1.0f);
        couFloatW radial = rate * u * (1.0f - smoothing) + smoothing * along;
        couVec3W impulse = couScaleW(radial, n);
        couFloatW theirs = couSetW(0.5f), own = theirs;
        if (!is_single) {
            couFloatW inv_mass = block->inv_mass;
            theirs = inv_mass / (own_inv_mass + inv_mass), own = 1.0f - theirs;
        }
        couStoreRecordsW(moves + k, couScaleW(theirs, impulse), couSetW(0.0f));
        sum = couMulAddW(sum, own, impulse);
        taken += own * (rate + smoothing);
    }
    float total = couSumW(taken);
    float cut = total > 1.0f ? 1.0f / total : 1.0f;
    if (cut < 1.0f)
        for (int k = 0; k < count; ++k) moves[k] = (couVec4){cut * moves[k].x, cut * moves[k].y, cut * moves[k].z, 0.0f};
    for (int k = 0; k < count; ++k) couAddRecord(&velocity[list[k]], &moves[k]);
    couVec3 all = couSum3W(sum);
    velocity[i] = (couVec4){vi.x - cut * all.x, vi.y - cut * all.y, vi.z - cut * all.z, vi.w};
}

void COU_WIDE(couViscosityCells)(couPvfsSweep *sweep, size_t begin, size_t end)
{
    PairBuffer pairs;
    for (size_t c = begin; c < end; ++c) {
        uint32_t cell = sweep->cells[c];
        for (uint32_t i = sweep->grid->cell_start[cell]; i < sweep->grid->cell_start[cell + 1]; ++i)
            smooth_particle(sweep, i, &pairs);
    }
}
