// Round vessels. A lattice leaves the particles out that would be closer to a wall than half a spacing, and where the wall is
// round nothing comes in their place: a glass of R = 10 d gets 0.88 of its volume. What is missing is put into the largest gaps,
// and all are pushed apart until the gap is spread: pairs closer than the spacing part, walls keep half of it. The lattice stays
// where it is whole. Plain boxes, whose sides are the user's to choose, and solids, whose springs remember the lattice, are left
// alone.
//
// One after the other, in the order of the table, so that the result does not depend on threads. Only who is near one that has
// moved is looked at: a million particles take some ten seconds.

#include "world/world.h"

enum {
    LEAST_COUNT = 100,
    EDGE_TRIES = 8, // places looked at beside each particle at an edge, for each width of gaps
    LEAST_PASSES = 8,
    MOST_PASSES = 60,
    MOST_PUSHES = 5000000, // some seconds
    MOST_EVENINGS = 30,
};
#define ALLOWED_LOSS 0.01   // of the volume
#define SURFACE_MARGIN 0.4f // that centres keep from the shape's own surface / spacing
#define EDGE 2.0f           // how far a particle at an edge is from it at the most / spacing
#define EVEN_DEPTH 10.0f    // how far from an edge densities are looked at / spacing
#define LEAST_APART 0.85f   // that evening out keeps them / spacing
#define EVEN_SHARE 0.3      // of what evens a density out, in one pass
#define REST_SHARE 0.002f   // what moves less wakes nobody / spacing

// Particles by cells of a spacing, in lists.
typedef struct Cells {
    int32_t *heads, *next; // -1: the end
    size_t mask;
    float inv_cell;
} Cells;

typedef struct Packing {
    couWorld *world;
    const couFilling *filling;
    Cells cells;
    size_t first; // of the particles that may move
    float d;
} Packing;

static size_t cell_slot(const Cells *cells, int a, int b, int c)
{
    uint64_t key = ((uint64_t)(uint32_t)a & 0x1fffff) | ((uint64_t)(uint32_t)b & 0x1fffff) << 21 |
                   ((uint64_t)(uint32_t)c & 0x1fffff) << 42;
    return couMix64(key + 1) & cells->mask;
}

static void cell_of(const Cells *cells, couVec3 x, int cell[3])
{
    cell[0] = (int)floorf(x.x * cells->inv_cell);
    cell[1] = (int)floorf(x.y * cells->inv_cell);
    cell[2] = (int)floorf(x.z * cells->inv_cell);
}

static void put(Cells *cells, couVec3 x, size_t i)
{
    int cell[3];
    cell_of(cells, x, cell);
    size_t slot = cell_slot(cells, cell[0], cell[1], cell[2]);
    cells->next[i] = cells->heads[slot];
    cells->heads[slot] = (int32_t)i;
}

static void sort_all(Packing *packing)
{
    const couFluid *fluid = &packing->world->fluid;
    memset(packing->cells.heads, 0xff, (packing->cells.mask + 1) * sizeof(int32_t));
    for (size_t i = 0; i < fluid->table.count; ++i) put(&packing->cells, couXyz(couFluid_Position(fluid)[i]), i);
}

static bool open_packing(Packing *packing, size_t most)
{
    size_t size = 64;
    while (size < 2 * most) size *= 2;
    packing->cells = (Cells){.heads = couAlloc(NULL, size * sizeof(int32_t)),
                             .next = couAlloc(NULL, most * sizeof(int32_t)),
                             .mask = size - 1,
                             .inv_cell = 1.0f / packing->d};
    if (packing->cells.heads && packing->cells.next) return true;
    couFree(NULL, packing->cells.heads);
    couFree(NULL, packing->cells.next);
    return false;
}

// Slots are shared: whether particle j is there for this cell.
static bool is_in_cell(const Packing *packing, int32_t j, int a, int b, int c)
{
    int own[3];
    cell_of(&packing->cells, couXyz(couFluid_Position(&packing->world->fluid)[j]), own);
    return own[0] == a && own[1] == b && own[2] == c;
}

// What the particles closer than `reach` do: returns the sum of (reach - r) along the way from each, and how near the nearest is.
static couVec3 push_at(const Packing *packing, couVec3 x, size_t self, float reach, float *nearest2)
{
    const couFluid *fluid = &packing->world->fluid;
    const couVec4 *all = couFluid_Position(fluid);
    couVec3 push = {0};
    int cell[3], flat = fluid->dimension == 2;
    *nearest2 = INFINITY;
    cell_of(&packing->cells, x, cell);
    for (int n = 0; n < (flat ? 9 : 27); ++n) {
        int a = cell[0] + n % 3 - 1, b = cell[1] + n / 3 % 3 - 1, c = flat ? cell[2] : cell[2] + n / 9 - 1;
        for (int32_t j = packing->cells.heads[cell_slot(&packing->cells, a, b, c)]; j >= 0; j = packing->cells.next[j]) {
            couVec3 apart = couSub(x, couXyz(all[j]));
            float r2 = couDot(apart, apart);
            if ((size_t)j == self || !(r2 < reach * reach) || !is_in_cell(packing, j, a, b, c)) continue;
            *nearest2 = COU_MIN(*nearest2, r2);
            float r = sqrtf(r2);
            if (r > 1e-6f * reach) push = couMulAdd(push, (reach - r) / r, apart);
        }
    }
    return push;
}

// --- Walls -------------------------------------------------------------------------------------------------------------------

// Distance to the nearest body [m].
static float wall_distance(const couWorld *world, couVec3 x)
{
    float least = INFINITY;
    for (size_t b = 0; b < world->bodies.count; ++b) {
        const couBody *body = &world->bodies.items[b];
        if (body->slot.is_here)
            least = COU_MIN(least, couShape_Distance(body->def.shape, world->def.dimension, couToLocal(body->pose, x)));
    }
    return least;
}

// Of the shape's own surface, positive inside.
static float own_distance(const Packing *packing, couVec3 x)
{
    return -couShape_Distance(packing->filling->shape, packing->world->def.dimension, couToLocal(packing->filling->pose, x));
}

static float room_at(const Packing *packing, couVec3 x, bool of_walls)
{
    return of_walls ? wall_distance(packing->world, x) : own_distance(packing, x);
}

// Moves x up the slope of the room around it until that is `margin`.
static couVec3 keep_away(const Packing *packing, couVec3 x, float margin, bool of_walls)
{
    float room = room_at(packing, x, of_walls), step = 0.05f * packing->d;
    if (room >= margin) return x;
    couVec3 slope = {0};
    for (int axis = 0; axis < packing->world->def.dimension; ++axis) {
        couVec3 along = {axis == 0 ? step : 0, axis == 1 ? step : 0, axis == 2 ? step : 0};
        float rise = room_at(packing, couAdd(x, along), of_walls) - room_at(packing, couSub(x, along), of_walls);
        couVec3 unit = {axis == 0, axis == 1, axis == 2};
        slope = couMulAdd(slope, rise, unit);
    }
    float length = couLength(slope);
    return length > 0.0f ? couMulAdd(x, (margin - room) / length, slope) : x;
}

// --- Gaps --------------------------------------------------------------------------------------------------------------------

// The particles that may move and are near a wall or the shape's surface, where the gaps are. Their number; -1 without memory.
static int64_t list_edge(const Packing *packing, float width, uint32_t **edge)
{
    const couFluid *fluid = &packing->world->fluid;
    size_t count = 0;
    *edge = couAlloc(NULL, (fluid->table.count - packing->first) * sizeof **edge);
    for (size_t i = packing->first; *edge && i < fluid->table.count; ++i) {
        couVec3 x = couXyz(couFluid_Position(fluid)[i]);
        if (own_distance(packing, x) < width * packing->d || wall_distance(packing->world, x) < width * packing->d)
            (*edge)[count++] = (uint32_t)i;
    }
    return *edge ? (int64_t)count : -1;
}

// A point on the sphere around x, or the circle in 2D; k-th of a low-discrepancy sequence.
static couVec3 beside(couVec3 x, float radius, int64_t k, int dimension)
{
    double turn = 2.0 * COU_PI * fmod(0.7548776662466927 * (double)(k + 1), 1),
           u = 2.0 * fmod(0.5698402909980532 * (double)(k + 1), 1) - 1.0;
    double around = dimension == 2 ? 1.0 : sqrt(1.0 - u * u);
    couVec3 offset = {(float)(around * cos(turn)), (float)(around * sin(turn)), dimension == 2 ? 0.0f : (float)u};
    return couMulAdd(x, radius, offset);
}

// Puts `missing` more into the gaps, the widest first. Returns how many found a place, -1 without memory.
static int64_t fill_gaps(Packing *packing, int64_t missing)
{
    couWorld *world = packing->world;
    uint32_t *edge;
    int64_t placed = 0, edge_count = list_edge(packing, EDGE, &edge);
    float d = packing->d, nearest2;
    bool is_good = edge_count >= 0;
    for (float apart = 0.95f; is_good && placed < missing && apart > 0.45f; apart *= 0.88f)
        for (int64_t k = 0; is_good && k < EDGE_TRIES * edge_count && placed < missing; ++k) {
            couVec3 near = couXyz(couFluid_Position(&world->fluid)[edge[k % edge_count]]);
            couVec3 x = beside(near, 1.001f * apart * d, k, world->def.dimension);
            if (!(own_distance(packing, x) > SURFACE_MARGIN * d)) continue;
            push_at(packing, x, SIZE_MAX, apart * d, &nearest2);
            if (isfinite(nearest2) || couIsInsideBody(&world->bodies, x, 0.45f * d)) continue;
            is_good = couAddParticle(world, packing->filling->material, x, packing->filling->velocity);
            if (is_good) put(&packing->cells, x, world->fluid.table.count - 1);
            placed += is_good;
        }
    couFree(NULL, edge);
    return is_good ? placed : -1;
}

// --- Evening out -------------------------------------------------------------------------------------------------------------

// Spread particles are nowhere too close, but may be closer packed than a lattice: a state equation would blow them apart. What
// is denser than the lattice gives way, as in position-based fluids [Macklin 2013], with w = (1 - r^2/h^2)^3, h = 2 d, for
// kernel. A wall counts as the lattice that would go on inside of it. In a glass of R = 10 d the densest particles have 8 % too
// much instead of 21, and wcsph moves with 9 mJ after 10 ms instead of 64.

enum { OFFSETS = 124 }; // of a lattice within h, at the most

typedef struct Evening {
    couVec3 offsets[OFFSETS]; // [m]
    int count;
    double sum;   // of w over the lattice, with the particle's own
    double slope; // sum of |grad w|^2 over it [1/m^2]
    float h;      // [m]
} Evening;

static float weight(float r2, float h) { return r2 < h * h ? powf(1.0f - r2 / (h * h), 3.0f) : 0.0f; }

// The gradient of w at r, over r.
static float weight_slope(float r2, float h)
{
    float u = 1.0f - r2 / (h * h);
    return u > 0.0f ? -6.0f * u * u / (h * h) : 0.0f;
}

static Evening open_evening(float d, int dimension)
{
    Evening evening = {.sum = 1.0, .h = 2.0f * d};
    for (int n = 0; n < (dimension == 2 ? 25 : 125); ++n) {
        couVec3 o = {(float)(n % 5 - 2) * d, (float)(n / 5 % 5 - 2) * d, dimension == 2 ? 0.0f : (float)(n / 25 - 2) * d};
        float r2 = couDot(o, o), s = weight_slope(r2, evening.h);
        if (!(r2 > 0.0f) || !(weight(r2, evening.h) > 0.0f)) continue;
        evening.offsets[evening.count++] = o;
        evening.sum += (double)weight(r2, evening.h);
        evening.slope += (double)(s * s * r2);
    }
    return evening;
}

// Density over the lattice's at x, and its slope there by the walls alone [1/m].
static float density_at(const Packing *packing, const Evening *evening, couVec3 x, size_t self, couVec3 *by_walls)
{
    const couFluid *fluid = &packing->world->fluid;
    const couVec4 *all = couFluid_Position(fluid);
    int cell[3], flat = fluid->dimension == 2;
    float sum = 1.0f, d = packing->d;
    cell_of(&packing->cells, x, cell);
    for (int n = 0; n < (flat ? 25 : 125); ++n) {
        int a = cell[0] + n % 5 - 2, b = cell[1] + n / 5 % 5 - 2, c = flat ? cell[2] : cell[2] + n / 25 - 2;
        for (int32_t j = packing->cells.heads[cell_slot(&packing->cells, a, b, c)]; j >= 0; j = packing->cells.next[j]) {
            couVec3 apart = couSub(x, couXyz(all[j]));
            if ((size_t)j == self || couDot(apart, apart) >= evening->h * evening->h) continue;
            if (is_in_cell(packing, j, a, b, c)) sum += weight(couDot(apart, apart), evening->h);
        }
    }
    *by_walls = (couVec3){0};
    if (wall_distance(packing->world, x) < 2.5f * d)
        for (int k = 0; k < evening->count; ++k) {
            couVec3 o = evening->offsets[k];
            float covered = COU_CLAMP(0.5f - wall_distance(packing->world, couAdd(x, o)) / d, 0.0f, 1.0f), r2 = couDot(o, o);
            sum += covered * weight(r2, evening->h);
            *by_walls = couMulAdd(*by_walls, -covered * weight_slope(r2, evening->h) / (float)evening->sum, o);
        }
    return sum / (float)evening->sum;
}

// Where the particle goes to get rid of what is too much, of its own and of those around it; `excess` by row.
static couVec3 even_move(const Packing *packing, const Evening *evening, size_t i, const float *excess, couVec3 by_walls)
{
    const couFluid *fluid = &packing->world->fluid;
    const couVec4 *all = couFluid_Position(fluid);
    couVec3 x = couXyz(all[i]), sum = couScale(2.0f * excess[i], by_walls), part = {0};
    int cell[3], flat = fluid->dimension == 2;
    cell_of(&packing->cells, x, cell);
    for (int n = 0; n < (flat ? 25 : 125); ++n) {
        int a = cell[0] + n % 5 - 2, b = cell[1] + n / 5 % 5 - 2, c = flat ? cell[2] : cell[2] + n / 25 - 2;
        for (int32_t j = packing->cells.heads[cell_slot(&packing->cells, a, b, c)]; j >= 0; j = packing->cells.next[j]) {
            couVec3 apart = couSub(x, couXyz(all[j]));
            if ((size_t)j == i || couDot(apart, apart) >= evening->h * evening->h || !is_in_cell(packing, j, a, b, c)) continue;
            float share = (excess[i] + excess[j]) * weight_slope(couDot(apart, apart), evening->h) / (float)evening->sum;
            sum = couMulAdd(sum, share, apart);
            float r = couLength(apart), least = LEAST_APART * packing->d;
            if (r < least && r > 0.0f) part = couMulAdd(part, 0.25f * (least - r) / r, apart);
        }
    }
    double stiffness = evening->slope / (evening->sum * evening->sum);
    couVec3 move = couMulAdd(part, -(float)(EVEN_SHARE / stiffness), sum);
    float length = couLength(move), most = 0.1f * packing->d;
    return length > most ? couScale(most / length, move) : move;
}

// Those near an edge alone: the lattice in the middle is even.
static bool even_out(Packing *packing)
{
    couFluid *fluid = &packing->world->fluid;
    Evening evening = open_evening(packing->d, fluid->dimension);
    size_t all = fluid->table.count;
    uint32_t *edge = NULL;
    int64_t count = list_edge(packing, EVEN_DEPTH, &edge);
    float *excess = couAlloc(NULL, all * sizeof *excess);
    couVec3 *by_walls = count >= 0 ? couAlloc(NULL, ((size_t)count + 1) * sizeof *by_walls) : NULL,
            *moves = count >= 0 ? couAlloc(NULL, ((size_t)count + 1) * sizeof *moves) : NULL;
    bool is_good = count >= 0 && excess && by_walls && moves;
    int passes = (int)COU_CLAMP(6e5 / (double)(count + 1), 3.0, (double)MOST_EVENINGS);
    for (int pass = 0; is_good && pass < passes; ++pass) {
        sort_all(packing);
        for (int64_t k = 0; k < count; ++k) {
            couVec3 x = couXyz(couFluid_Position(fluid)[edge[k]]);
            excess[edge[k]] = COU_MAX(density_at(packing, &evening, x, edge[k], &by_walls[k]) - 1.0f, 0.0f);
        }
        for (int64_t k = 0; k < count; ++k) moves[k] = even_move(packing, &evening, edge[k], excess, by_walls[k]);
        for (int64_t k = 0; k < count; ++k) {
            couVec4 *own = &couFluid_Position(fluid)[edge[k]];
            couVec3 x = keep_away(packing, couAdd(couXyz(*own), moves[k]), SURFACE_MARGIN * packing->d, false);
            x = keep_away(packing, x, 0.45f * packing->d, true);
            own->x = x.x, own->y = x.y, own->z = fluid->dimension == 2 ? 0.0f : x.z;
        }
    }
    couFree(NULL, edge);
    couFree(NULL, excess);
    couFree(NULL, by_walls);
    couFree(NULL, moves);
    return is_good;
}

// --- Spreading ---------------------------------------------------------------------------------------------------------------

// Whoever is closer to x than a spacing and a half may have to move next.
static void wake_around(const Packing *packing, couVec3 x, uint8_t *is_awake)
{
    const couFluid *fluid = &packing->world->fluid;
    int cell[3], flat = fluid->dimension == 2;
    cell_of(&packing->cells, x, cell);
    for (int n = 0; n < (flat ? 9 : 27); ++n) {
        size_t slot = cell_slot(&packing->cells, cell[0] + n % 3 - 1, cell[1] + n / 3 % 3 - 1,
                                flat ? cell[2] : cell[2] + n / 9 - 1);
        for (int32_t j = packing->cells.heads[slot]; j >= 0; j = packing->cells.next[j])
            if ((size_t)j >= packing->first) is_awake[(size_t)j - packing->first] = 1;
    }
}

// One pass over those that are awake; wakes those around whoever moves. Returns how many there were.
static size_t spread_once(Packing *packing, const uint8_t *is_awake, uint8_t *is_next)
{
    couFluid *fluid = &packing->world->fluid;
    float d = packing->d, nearest2;
    size_t count = 0;
    for (size_t i = packing->first; i < fluid->table.count; ++i) {
        if (!is_awake[i - packing->first]) continue;
        couVec4 *own = &couFluid_Position(fluid)[i];
        couVec3 before = couXyz(*own), push = push_at(packing, before, i, d, &nearest2), x = before;
        ++count;
        if (!isfinite(nearest2)) continue;
        x = couMulAdd(x, 0.25f, push);
        x = keep_away(packing, x, SURFACE_MARGIN * d, false);
        x = keep_away(packing, x, 0.5f * d, true);
        if (fluid->dimension == 2) x.z = 0.0f;
        own->x = x.x, own->y = x.y, own->z = x.z;
        if (couLength(couSub(x, before)) > REST_SHARE * d) wake_around(packing, x, is_next);
    }
    return count;
}

// Pushes them apart; false without memory. `old_count` particles of the lattice come before the new ones.
static bool spread(Packing *packing, size_t old_count)
{
    couFluid *fluid = &packing->world->fluid;
    size_t count = fluid->table.count - packing->first, done = 0;
    uint8_t *is_awake = couAlloc(NULL, 2 * count);
    if (!is_awake) return false;
    uint8_t *is_next = is_awake + count;
    sort_all(packing);
    for (size_t i = old_count; i < fluid->table.count; ++i) wake_around(packing, couXyz(couFluid_Position(fluid)[i]), is_awake);
    for (int pass = 0; pass < MOST_PASSES && (done < MOST_PUSHES || pass < LEAST_PASSES); ++pass) {
        size_t awake = spread_once(packing, is_awake, is_next);
        if (awake == 0) break;
        done += awake;
        memcpy(is_awake, is_next, count);
        memset(is_next, 0, count);
        sort_all(packing);
    }
    couFree(NULL, is_awake);
    bool is_even = even_out(packing);
    for (size_t i = packing->first; i < fluid->table.count; ++i) couFluid_Previous(fluid)[i] = couFluid_Position(fluid)[i];
    return is_even;
}

int64_t couFillRound(couWorld *world, const couFilling *filling, int64_t present)
{
    couFluid *fluid = &world->fluid;
    float d = fluid->spacing;
    bool is_box = couShape_Kind(filling->shape) == cou_shapeBox && couShape_Def(filling->shape)->rounding == 0.0f;
    if (is_box || present < LEAST_COUNT || fluid->materials[filling->material].springs != cou_springsNone) return 0;
    double wanted = couWorld_FreeVolume(world, filling->shape, filling->pose) / pow(d, fluid->dimension);
    int64_t missing = (int64_t)(wanted + 0.5) - present;
    // Of a shape that lies within walls for the most part, as when it is to be cut by them, the samples say too little.
    if (!((double)missing > ALLOWED_LOSS * wanted) || (double)missing > 0.5 * (double)present) return 0;
    if (present + missing > filling->limit) return 0;
    Packing packing = {.world = world, .filling = filling, .first = fluid->table.count - (size_t)present, .d = d};
    if (!open_packing(&packing, fluid->table.count + (size_t)missing)) return -1;
    size_t before = fluid->table.count;
    sort_all(&packing);
    int64_t placed = fill_gaps(&packing, missing);
    if (placed > 0 && !spread(&packing, before)) placed = -1;
    couFree(NULL, packing.cells.heads);
    couFree(NULL, packing.cells.next);
    return placed;
}
