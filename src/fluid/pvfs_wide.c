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
    couFloatW w, far; // 1 - q, and the far density's slope, -A'/2
    couVec3W n;
    couFloatW inv_mass;
} PairBlock;

typedef struct PairBuffer {
    PairBlock blocks[COU_MAX_NEIGHBORS / COU_WIDTH];
} PairBuffer;

typedef struct Densities {
    float rho, rho_near; // sums of the far kernel and w^3
    float far2, w4;      // sums of squared slopes
} Densities;

// What a pass over the pairs needs of the far density: nothing (viscosity), the paper's cone or the smooth kernel.
typedef enum FarKind { far_none, far_cone, far_smooth } FarKind;

// Directions, weights and density sums of i's list. Padding entries are far away and get weight 0.
static inline Densities gather_pairs(const couPvfsSweep *sweep, uint32_t i, const uint32_t *list, int count, FarKind kind,
                                     PairBuffer *pairs)
{
    couVec3W xi = couSet3W(couXyz(sweep->position[i]));
    float inv_h = 1.0f / sweep->h, touching = 1e-12f * sweep->h * sweep->h;
    couFloatW rho = couSetW(0.0f), rho_near = rho, far2 = rho, w4 = rho;
    const float *series = sweep->state->far.series;
    for (int k = 0; k < count; k += COU_WIDTH) {
        couFloatW inv_mass;
        couVec3W d = couSubW(couLoadRecordsW(sweep->position, list + k, &inv_mass), xi);
        couFloatW r2 = couDotW(d, d), r = couSqrtW(couMaxW(r2, touching));
        unsigned coincident = couBitsW(r2 < touching);
        couFloatW w = couMaxW(1.0f - r * inv_h, 0.0f), w2 = w * w;
        PairBlock *block = &pairs->blocks[k / COU_WIDTH];
        block->w = w;
        if (kind != far_none) {
            couFloatW value = w2, slope = w;
            if (kind == far_smooth) {
                couFloatW q = 1.0f - w, u = 1.0f - q * q, f = couSetW(series[COU_KAISER_TERMS - 1]), by_u = COU_KAISER_TERMS * f;
                for (int t = COU_KAISER_TERMS - 1; t-- > 0;) {
                    f = f * u + series[t];
                    by_u = by_u * u + (float)(t + 1) * series[t];
                }
                value = f * u, slope = couSelectW(w > 0.0f, q * by_u, 0.0f);
            }
            block->far = slope;
            rho += value;
            rho_near += w2 * w;
            far2 += slope * slope;
            w4 += w2 * w2;
        }
        block->n = couScaleW(1.0f / r, d);
        block->inv_mass = inv_mass;
        for (; coincident; coincident &= coincident - 1) {
            int lane = __builtin_ctz(coincident);
            couVec3 n = couPartingDirection(sweep->dimension, sweep->id[i], sweep->id[list[k + lane]]);
            block->n.x[lane] = n.x, block->n.y[lane] = n.y, block->n.z[lane] = n.z;
        }
    }
    return (Densities){couSumW(rho), couSumW(rho_near), couSumW(far2), couSumW(w4)};
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
    bool is_single = sweep->state->is_single_material, is_smooth = sweep->state->far.is_smooth;
    couVec3W sum = couSet3W((couVec3){0});
    for (int k = 0; k < count; k += COU_WIDTH) {
        const PairBlock *block = &pairs->blocks[k / COU_WIDTH];
        couFloatW w = block->w;
        couVec3W n = block->n;
        couFloatW d = is_smooth ? far * block->far + near * w * w : w * (far + near * w);
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
    Densities sums = state->far.is_smooth ? gather_pairs(sweep, i, list, count, far_smooth, pairs)
                                          : gather_pairs(sweep, i, list, count, far_cone, pairs);
    int contact_count = sweep->contacts->count[i];
    couContact *contacts = contact_count ? couContacts_Of(sweep->contacts, i) : NULL;
    WallSums walls;
    bool has_walls = contact_count && sweep->has_wall_density;
    if (has_walls) {
        walls = add_walls(sweep, i, contacts, contact_count);
        sums.rho += walls.rho;
        sums.rho_near += walls.rho_near;
        sums.far2 += walls.rho; // as many pushes as the liquid that it stands for
    }
    sweep->density[i] = sums.rho / state->rest_rho;

    // Pressures as displacements [eq. 2, 5], bounded by a share of what a Newton step of the density constraint would ask for.
    float dt2 = sweep->dt * sweep->dt;
    float far = COU_MAX(dt2 * state->k * (sums.rho - state->rho0), dt2 * state->least_far), near = 0.0f;
    if (sweep->near == cou_nearDensity) near = dt2 * state->k_near * sums.rho_near;
    if (sweep->near == cou_nearDistance) near = dt2 * state->k_near;
    float far_load = dt2 * state->k * sums.far2 / sweep->h, near_load = 1.5f * dt2 * state->k_near * sums.w4 / sweep->h;
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
            if (state->far.is_smooth && !contacts[k].can_pull) push = COU_MAX(push, 0.0f);
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
    gather_pairs(sweep, i, list, count, far_none, pairs);

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

// --- Diffusion ---------------------------------------------------------------------------------------------------------------

// How fast the point of a body at x moves in this step.
static couVec3 body_velocity(const couBody *body, couVec3 x, float dt)
{
    if (body->kind == cou_rigidFixed) return (couVec3){0};
    return couScale(1.0f / dt, couSub(x, couToWorld(body->start, couToLocal(body->end, x))));
}

// What a wall takes of a velocity along it, per time, were there no cut. Liquid clings to walls with friction: what lies behind
// one counts as liquid whose velocity, along the wall, goes on as a line through that of the wall at its surface. Free bodies are
// left to the friction of touching particles, which couple.c solves for.
static float wall_drag(const couPvfsSweep *sweep, uint32_t i, const couContact *contact)
{
    const couPvfsState *state = sweep->state;
    const couBody *body = &sweep->bodies->items[contact->body];
    if (!(body->def.friction > 0.0f) || body->kind == cou_rigidFree) return 0.0f;
    couVec3 x = couXyz(sweep->position[i]);
    float a = COU_CLAMP(1.0f - (couDot(contact->normal, x) - contact->offset) / sweep->h, 0.0f, 1.0f);
    float place = a * COU_WALL_SAMPLES, t = place - (float)(int)place;
    int n = (int)place;
    float drag = (1.0f - t) * state->walls.at[n].drag + t * state->walls.at[n + 1].drag;
    return 0.5f * state->materials[sweep->material[i]].viscous * body->def.friction * drag;
}

static couVec3 diffuse_walls(couPvfsSweep *sweep, uint32_t i)
{
    couContact *contacts = couContacts_Of(sweep->contacts, i);
    couVec3 x = couXyz(sweep->position[i]), v = couXyz(sweep->now[i]), sum = {0};
    for (int k = 0; k < sweep->contacts->count[i]; ++k) {
        couContact *contact = &contacts[k];
        float drag = wall_drag(sweep, i, contact);
        if (!(drag > 0.0f)) continue;
        if (sweep->has_cuts) drag *= sweep->cut[i];
        couVec3 slip = couSub(v, body_velocity(&sweep->bodies->items[contact->body], x, sweep->dt));
        couVec3 tangent = couMulAdd(slip, -couDot(slip, contact->normal), contact->normal);
        couVec3 taken = couScale(-drag, tangent);
        sum = couAdd(sum, taken);
        // The same recurrence as the velocity's says what the wall has taken in all.
        couVec3 before = contact->drag, drawn = couScale(sweep->rate, taken);
        contact->drag = couAdd(drawn, couAdd(couScale(sweep->now_share, before), couScale(sweep->old_share, contact->old_drag)));
        contact->old_drag = before;
    }
    return sum;
}

// The viscosity of the pairs of i with list[0..8).
static inline couFloatW pair_viscous(const couPvfsSweep *sweep, uint32_t i, const uint32_t *list)
{
    const couPvfsMaterial *materials = sweep->state->materials;
    float own = materials[sweep->material[i]].viscous, theirs[COU_WIDTH];
    if (sweep->state->is_single_material) return couSetW(own);
    for (int lane = 0; lane < COU_WIDTH; ++lane)
        theirs[lane] = list[lane] < sweep->count ? materials[sweep->material[list[lane]]].viscous : own;
    return 0.5f * (own + couLoadW(theirs));
}

// Both ends of a pair compute the same impulse, so that momentum is kept to rounding, in any order.
static void diffuse_particle(couPvfsSweep *sweep, uint32_t i)
{
    const uint32_t *list = sweep->neighbors->first[i];
    int count = sweep->neighbors->count[i];
    couVec4 x = sweep->position[i], vi = sweep->now[i];
    couVec3W xi = couSet3W(couXyz(x)), v = couSet3W(couXyz(vi)), sum = couSet3W((couVec3){0});
    float inv_h = 1.0f / sweep->h, touching = 1e-12f * sweep->h * sweep->h;
    for (int k = 0; k < count; k += COU_WIDTH) {
        couFloatW inv_mass;
        couVec3W d = couSubW(couLoadRecordsW(sweep->position, list + k, &inv_mass), xi);
        couFloatW r2 = couMaxW(couDotW(d, d), touching), r = couSqrtW(r2), w = couMaxW(1.0f - r * inv_h, 0.0f);
        couVec3W dv = couSubW(couLoadVectorsW(sweep->now, list + k), v);
        couFloatW own = couSetW(0.5f), viscous = pair_viscous(sweep, i, list + k);
        if (!sweep->state->is_single_material) own = x.w / (x.w + inv_mass);
        if (sweep->has_cuts) {
            float cuts[COU_WIDTH]; // the lesser of both ends, so that they agree
            for (int lane = 0; lane < COU_WIDTH; ++lane) cuts[lane] = COU_MIN(sweep->cut[i], sweep->cut[list[k + lane]]);
            viscous *= couLoadW(cuts);
        }
        sum = couMulAddW(sum, own * viscous * w * couDotW(dv, d) / r2, d);
    }
    couVec3 all = couSum3W(sum);
    if (sweep->contacts->count[i]) all = couAdd(all, diffuse_walls(sweep, i));
    couVec4 *result = &sweep->result[i];
    float a = sweep->now_share, b = sweep->old_share, rate = sweep->rate;
    *result = (couVec4){a * vi.x + b * result->x + rate * all.x, a * vi.y + b * result->y + rate * all.y,
                        a * vi.z + b * result->z + rate * all.z, vi.w};
}

void COU_WIDE(couDiffuse)(couPvfsSweep *sweep, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; ++i) diffuse_particle(sweep, (uint32_t)i);
}

// A bound on how fast viscosity acts on a particle [1/s]. With s = viscous w, what the pairs take is
// sum s m_i m_j / (m_i + m_j) ((v_i - v_j) . n)^2, and (a - b)^2 <= (1 + m_i/m_j) a^2 + (1 + m_j/m_i) b^2: so it is no more than
// sum m_i v_i T_i v_i, T_i = sum_j s n n^T. Of T the largest eigenvalue is at most trace/3 + sqrt(2/3) |T - trace/3|.
static float drain(const couPvfsSweep *sweep, uint32_t i)
{
    const uint32_t *list = sweep->neighbors->first[i];
    couVec3W xi = couSet3W(couXyz(sweep->position[i])), square = couSet3W((couVec3){0}), mixed = square;
    float inv_h = 1.0f / sweep->h, touching = 1e-12f * sweep->h * sweep->h;
    for (int k = 0; k < sweep->neighbors->count[i]; k += COU_WIDTH) {
        couFloatW inv_mass;
        couVec3W d = couSubW(couLoadRecordsW(sweep->position, list + k, &inv_mass), xi);
        couFloatW r2 = couMaxW(couDotW(d, d), touching), w = couMaxW(1.0f - couSqrtW(r2) * inv_h, 0.0f);
        couFloatW s = pair_viscous(sweep, i, list + k) * w / r2;
        square = couAddW(square, (couVec3W){s * d.x * d.x, s * d.y * d.y, s * d.z * d.z});
        mixed = couAddW(mixed, (couVec3W){s * d.y * d.z, s * d.z * d.x, s * d.x * d.y});
    }
    couVec3 t = couSum3W(square), m = couSum3W(mixed);
    float n = (float)sweep->dimension, mean = (t.x + t.y + t.z) / n;
    couVec3 off = {t.x - mean, t.y - mean, sweep->dimension == 3 ? t.z - mean : 0.0f};
    float sum = mean + sqrtf((1.0f - 1.0f / n) * (couDot(off, off) + 2.0f * couDot(m, m)));
    const couContact *contacts = couContacts_Of(sweep->contacts, i);
    for (int k = 0; k < sweep->contacts->count[i]; ++k) sum += wall_drag(sweep, i, &contacts[k]);
    return sum;
}

void COU_WIDE(couFindDrains)(couPvfsSweep *sweep, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; ++i) sweep->cut[i] = drain(sweep, (uint32_t)i);
}
