// Spray, foam and bubbles after [Ihmsen, Akinci, Akinci and Teschner 2012, "Unified spray, foam and bubbles for particle-based
// fluids"]; equations are theirs.
//
// A frame is a long time: at 30 frames per second a fast particle passes a dozen neighbours. So the way from frame to frame goes
// in steps of at most one spacing, with the liquid in between: places by cubics through both frames' places and velocities,
// velocities straight. A step sorts the liquid into cells, finds the potentials, lets foam be born and moves all foam. Particles
// of the liquid are paired by id; one that is new has come along its velocity.
//
// Changed against the paper: energy per mass instead of a particle's, so that the limits, given as speeds, do not depend on the
// resolution; normals are looked at near the surface only, where they mean something; bubbles follow the exact solution of
// their drag, so that its strength does not depend on the step; spray that has struck a wall dries up like foam. Velocities are
// weighed with (1 - q^2)^3 instead of a cubic spline.
//
// Cost: 60 frames of dam-break with 9,975 particles of liquid and up to 47,560 of foam take 22 s of processor time. Not done:
// images of particles in a domain that repeats; foam near its faces sees a surface there.
#include "surface/foam.h"

#include "base/random.h"
#include "particles/grid.h"

#include <stdio.h>

#define SUPPORT 2.0f        // of all sums, in spacings: about 33 neighbours inside, half as many at a surface
#define SPRAY_NEIGHBORS 6   // fewer: spray [sect. 3.2]
#define BUBBLE_NEIGHBORS 20 // more: a bubble
#define CREST_COSINE 0.6f   // a crest moves along its normal [eq. 6]
#define SURFACE_TILT 0.2f // |sum of w x| / sum of w from which on a particle is at the surface; lattice: 0.30, its second layer 0
#define MOST_STEPS 64     // of a span
#define MOST_SECONDS 1e6  // of a span: more have births without number
#define CLEARANCE 0.2f    // of walls, in spacings

// --- Def ---------------------------------------------------------------------------------------------------------------------

static const couParam foam_params[] = {
    COU_NUMBER(couFoamDef, spacing, "m", .min = 0, .is_min_open = true, .max = 1e6, .help = "distance of the particles at rest"),
    COU_VECTOR(couFoamDef, gravity, "m/s^2", .initial = {0, -9.81, 0}, .min = -1e4, .max = 1e4, .help = "that spray falls by"),
    COU_NUMBER(couFoamDef, air_min, "m/s", .initial = {2}, .min = 0, .max = 1e6,
               .help = "trapped air, the summed relative speed of neighbours, counts from here on"),
    COU_NUMBER(couFoamDef, air_max, "m/s", .initial = {10}, .min = 0, .max = 1e6, .help = "and in full from here on"),
    COU_NUMBER(couFoamDef, crest_min, "", .initial = {0.5}, .min = 0, .max = 1000,
               .help = "wave crests, the summed turn of neighbours' normals, count from here on"),
    COU_NUMBER(couFoamDef, crest_max, "", .initial = {2.5}, .min = 0, .max = 1000, .help = "and in full from here on"),
    COU_NUMBER(couFoamDef, speed_min, "m/s", .initial = {0.8}, .min = 0, .max = 1e6,
               .help = "kinetic energy counts from that of this speed on"),
    COU_NUMBER(couFoamDef, speed_max, "m/s", .initial = {3}, .min = 0, .max = 1e6,
               .help = "and in full from that of this speed on"),
    COU_NUMBER(couFoamDef, air_rate, "1/s", .initial = {200}, .min = 0, .max = 1e6,
               .help = "births by trapped air of a particle of the liquid, where all counts in full"),
    COU_NUMBER(couFoamDef, crest_rate, "1/s", .initial = {200}, .min = 0, .max = 1e6, .help = "births at crests, likewise"),
    COU_NUMBER(couFoamDef, life_min, "s", .initial = {0.3}, .min = 0, .max = 1e6, .help = "of foam that was hardly born"),
    COU_NUMBER(couFoamDef, life_max, "s", .initial = {2}, .min = 0, .max = 1e6,
               .help = "of foam that was born where all is white"),
    COU_NUMBER(couFoamDef, buoyancy, "gravities", .initial = {0.5}, .min = 0, .max = 1000, .help = "that lifts bubbles"),
    COU_NUMBER(couFoamDef, drag, "1/s", .initial = {20}, .min = 0, .max = 1e6,
               .help = "that lets bubbles follow the liquid; they rise at buoyancy / drag"),
    COU_INTEGER(couFoamDef, seed, "", .initial = {1}, .min = 0, .max = 2147483647, .help = "of the chance of births"),
    COU_INTEGER(couFoamDef, most, "", .initial = {2000000}, .min = 1, .max = 100000000,
                .help = "particles alive at once; further births are refused"),
    COU_INTEGER(couFoamDef, threads, "", .min = 0, .max = COU_MAX_THREADS, .help = "0: all cores; results do not depend on it"),
};
static const couParamTable foam_table = {"foam", foam_params, COU_COUNT(foam_params)};

const couParamTable *couFoamParams(void) { return &foam_table; }

couFoamDef couDefaultFoamDef(void)
{
    couFoamDef def = {0};
    couParams_SetDefaults(&foam_table, &def);
    return def;
}

static void check_pair(const char *low, float min, const char *high, float max, bool may_be_equal, couFaults *faults)
{
    if (min < max || (may_be_equal && min == max)) return;
    char key[32];
    snprintf(key, sizeof key, "foam.%s", high);
    couFaults_Add(faults, NULL, key, "%g must be more than %s, %g", (double)max, low, (double)min);
}

bool couFoamDef_Check(const couFoamDef *def, couFaults *faults)
{
    int before = faults->count;
    if (!couParams_Check(&foam_table, def, faults)) return false;
    check_pair("air_min", def->air_min, "air_max", def->air_max, false, faults);
    check_pair("crest_min", def->crest_min, "crest_max", def->crest_max, false, faults);
    check_pair("speed_min", def->speed_min, "speed_max", def->speed_max, false, faults);
    check_pair("life_min", def->life_min, "life_max", def->life_max, true, faults);
    return faults->count == before;
}

void couFoam_Clear(couFoam *foam)
{
    couFree(NULL, foam->items);
    *foam = (couFoam){0};
}

// --- The liquid --------------------------------------------------------------------------------------------------------------

typedef struct Liquid {
    const couFoamDef *def;
    const couParallel *parallel;
    float h, inv_h; // support of all sums [m]
    couTable table;
    couGrid grid;
    size_t count;
    couVec4 *position; // of the table: sorted
    couVec4 *velocity;
    uint32_t *index; // in the points
    couVec4 *normal; // by place in the table: unit, outward; zero off the surface
    float *air, *crest, *energy;
    couBounds bounds;
} Liquid;

static void init_liquid(Liquid *liquid, const couFoamDef *def, const couParallel *parallel)
{
    *liquid = (Liquid){.def = def, .parallel = parallel, .h = SUPPORT * def->spacing, .inv_h = 1.0f / (SUPPORT * def->spacing)};
    couTable_Init(&liquid->table, NULL);
    couGrid_Init(&liquid->grid, NULL);
    couTable_AddColumn(&liquid->table, "position", "m", cou_stateF32, 4, cou_columnState);
    couTable_AddColumn(&liquid->table, "velocity", "m/s", cou_stateF32, 4, cou_columnState);
    couTable_AddColumn(&liquid->table, "index", "", cou_stateU32, 1, cou_columnState);
}

static void free_liquid(Liquid *liquid)
{
    couGrid_Free(&liquid->grid);
    couTable_Free(&liquid->table);
    couFree(NULL, liquid->normal);
    couFree(NULL, liquid->air);
    couFree(NULL, liquid->crest);
    couFree(NULL, liquid->energy);
}

static bool is_usable(couVec3 x, couVec3 v, float most)
{
    return couIsFinite3(v) && fabsf(x.x) < most && fabsf(x.y) < most && fabsf(x.z) < most; // false for NaN too
}

// What a particle is between two frames, t from 0 to 1 over `dt`: a cubic through places and velocities.
static couVec3 between(couVec3 x0, couVec3 v0, couVec3 x1, couVec3 v1, float t, float dt)
{
    float s = 1.0f - t, a = s * s * (1.0f + 2.0f * t), b = t * s * s * dt, c = t * t * (3.0f - 2.0f * t), d = -t * t * s * dt;
    return couAdd(couMulAdd(couScale(a, x0), b, v0), couMulAdd(couScale(c, x1), d, v1));
}

// Fills the table with the liquid at `share` of the span. `partner` has the place of each particle in `before`, plus 1.
static bool place_liquid(Liquid *liquid, const couFoamSpan *span, const uint32_t *partner, float share)
{
    const couSurfacePoints *after = span->after, *before = span->before;
    float dt = (float)span->seconds, most = 2e5f * liquid->h;
    couTable *table = &liquid->table;
    table->count = 0;
    if (couTable_AddRows(table, after->count) == SIZE_MAX) return false;
    liquid->position = couTable_Data(table, 0), liquid->velocity = couTable_Data(table, 1);
    liquid->index = couTable_Data(table, 2);
    size_t n = 0;
    couBounds box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (size_t i = 0; i < after->count; ++i) {
        couVec3 x = after->positions[i], v = after->velocities[i];
        if (!is_usable(x, v, most)) continue;
        size_t k = partner && partner[i] ? partner[i] - 1 : SIZE_MAX;
        if (share < 1.0f && k != SIZE_MAX && is_usable(before->positions[k], before->velocities[k], most)) {
            x = between(before->positions[k], before->velocities[k], x, v, share, dt);
            v = couMulAdd(couScale(1.0f - share, before->velocities[k]), share, v);
        } else if (share < 1.0f) {
            x = couMulAdd(x, -(1.0f - share) * dt, v);
        }
        if (!is_usable(x, v, most)) continue;
        liquid->position[n] = (couVec4){x.x, x.y, x.z, 0.0f};
        liquid->velocity[n] = (couVec4){v.x, v.y, v.z, 0.0f};
        liquid->index[n++] = (uint32_t)i;
        box.lower = (couVec3){COU_MIN(box.lower.x, x.x), COU_MIN(box.lower.y, x.y), COU_MIN(box.lower.z, x.z)};
        box.upper = (couVec3){COU_MAX(box.upper.x, x.x), COU_MAX(box.upper.y, x.y), COU_MAX(box.upper.z, x.z)};
    }
    table->count = liquid->count = n;
    liquid->bounds = box;
    couGridReport report;
    if (n > 0 && !couGrid_Sort(&liquid->grid, table, 0, 2, liquid->h, liquid->parallel, &report)) return false;
    liquid->position = couTable_Data(table, 0), liquid->velocity = couTable_Data(table, 1);
    liquid->index = couTable_Data(table, 2);
    return true;
}

static void cell_at(const Liquid *liquid, couVec3 x, int32_t cell[3])
{
    cell[0] = couFloorInt(x.x * liquid->inv_h), cell[1] = couFloorInt(x.y * liquid->inv_h);
    cell[2] = couFloorInt(x.z * liquid->inv_h);
}

// --- Potentials --------------------------------------------------------------------------------------------------------------

// [eq. 1]
static float clamp_potential(float value, float min, float max)
{
    return (COU_MIN(value, max) - COU_MIN(value, min)) / (max - min);
}

// Trapped air [eqs. 2, 3] and the normal: sums of w = 1 - r/h over the neighbours.
static void sum_air(Liquid *liquid, const couRange *ranges, int range_count, size_t i)
{
    couVec3 x = couXyz(liquid->position[i]), v = couXyz(liquid->velocity[i]), normal = {0, 0, 0};
    float air = 0.0f, weight = 0.0f;
    for (int r = 0; r < range_count; ++r)
        for (uint32_t j = ranges[r].begin; j < ranges[r].end; ++j) {
            couVec3 xij = couSub(x, couXyz(liquid->position[j]));
            float r2 = couDot(xij, xij);
            if (!(r2 < liquid->h * liquid->h) || !(r2 > 0.0f)) continue;
            float distance = sqrtf(r2), w = 1.0f - distance * liquid->inv_h;
            couVec3 vij = couSub(v, couXyz(liquid->velocity[j]));
            air += (couLength(vij) - couDot(vij, xij) / distance) * w; // |v| (1 - v.x / (|v| |x|))
            normal = couMulAdd(normal, w / distance, xij);
            weight += w;
        }
    const couFoamDef *def = liquid->def;
    bool is_outer = couLength(normal) > SURFACE_TILT * weight;
    normal = is_outer ? couNormalize(normal) : (couVec3){0, 0, 0};
    liquid->normal[i] = (couVec4){normal.x, normal.y, normal.z, 0.0f};
    liquid->air[i] = clamp_potential(air, def->air_min, def->air_max);
    liquid->energy[i] = clamp_potential(couDot(v, v), def->speed_min * def->speed_min, def->speed_max * def->speed_max);
}

// The turn of the normals around a particle where it bulges outward and moves so [eqs. 4 to 7].
static void sum_crest(Liquid *liquid, const couRange *ranges, int range_count, size_t i)
{
    couVec3 x = couXyz(liquid->position[i]), v = couXyz(liquid->velocity[i]), n = couXyz(liquid->normal[i]);
    liquid->crest[i] = 0.0f;
    if (couDot(n, n) == 0.0f || !(couDot(v, n) >= CREST_COSINE * couLength(v))) return;
    float turn = 0.0f;
    for (int r = 0; r < range_count; ++r)
        for (uint32_t j = ranges[r].begin; j < ranges[r].end; ++j) {
            couVec3 nj = couXyz(liquid->normal[j]), xji = couSub(couXyz(liquid->position[j]), x);
            float r2 = couDot(xji, xji);
            bool is_below = couDot(xji, n) < 0.0f; // the surface bends away: convex
            if (!(r2 < liquid->h * liquid->h) || !is_below || couDot(nj, nj) == 0.0f) continue;
            turn += (1.0f - couDot(n, nj)) * (1.0f - sqrtf(r2) * liquid->inv_h);
        }
    liquid->crest[i] = clamp_potential(turn, liquid->def->crest_min, liquid->def->crest_max);
}

typedef void SumFcn(Liquid *liquid, const couRange *ranges, int range_count, size_t i);

static void sum_cells(Liquid *liquid, size_t begin, size_t end, SumFcn *sum)
{
    couRows rows;
    couRows_Start(&rows, &liquid->grid);
    for (size_t cell = begin; cell < end; ++cell) {
        int32_t at[3];
        couRange ranges[COU_MAX_RANGES];
        couGrid_Coordinates(&liquid->grid, liquid->grid.keys[cell], at);
        int range_count = couRows_Next(&rows, at, ranges);
        for (uint32_t i = liquid->grid.cell_start[cell]; i < liquid->grid.cell_start[cell + 1]; ++i)
            sum(liquid, ranges, range_count, i);
    }
}

static void air_block(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)block, (void)worker;
    sum_cells(context, begin, end, sum_air);
}

static void crest_block(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)block, (void)worker;
    sum_cells(context, begin, end, sum_crest);
}

static bool make_room(Liquid *liquid, size_t count)
{
    liquid->normal = couAlloc(NULL, (count + 1) * sizeof *liquid->normal);
    liquid->air = couAlloc(NULL, (count + 1) * sizeof *liquid->air);
    liquid->crest = couAlloc(NULL, (count + 1) * sizeof *liquid->crest);
    liquid->energy = couAlloc(NULL, (count + 1) * sizeof *liquid->energy);
    return liquid->normal && liquid->air && liquid->crest && liquid->energy && couTable_Reserve(&liquid->table, count);
}

static void find_potentials(Liquid *liquid)
{
    if (liquid->count == 0) return;
    couFor(liquid->parallel, liquid->grid.cell_count, 32, air_block, liquid);
    couFor(liquid->parallel, liquid->grid.cell_count, 32, crest_block, liquid);
}

static bool check_points(const couSurfacePoints *points, couFaults *faults)
{
    bool is_good = points->dimension == 3 && points->count < UINT32_MAX - COU_TABLE_PADDING &&
                   (points->count == 0 || (points->positions && points->velocities));
    if (!is_good) couFaults_Add(faults, NULL, "foam", "is of particles in 3 dimensions, with places and velocities");
    return is_good;
}

bool couFindFoamPotentials(const couFoamDef *def, const couSurfacePoints *points, const couFoamPotentials *potentials,
                           couFaults *faults)
{
    if (!couFoamDef_Check(def, faults) || !check_points(points, faults)) return false;
    couParallel parallel = couMakeParallel(def->threads);
    Liquid liquid;
    init_liquid(&liquid, def, &parallel);
    couFoamSpan span = {.after = points, .seconds = 1};
    bool is_good = make_room(&liquid, points->count) && place_liquid(&liquid, &span, NULL, 1.0f);
    if (is_good) find_potentials(&liquid);
    for (size_t i = 0; i < points->count; ++i) potentials->air[i] = potentials->crest[i] = potentials->energy[i] = 0.0f;
    for (size_t k = 0; is_good && k < liquid.count; ++k) {
        uint32_t i = liquid.index[k];
        potentials->air[i] = liquid.air[k], potentials->crest[i] = liquid.crest[k], potentials->energy[i] = liquid.energy[k];
    }
    if (!is_good) couFaults_Add(faults, NULL, "foam", "no memory for the potentials of %zu particles", points->count);
    free_liquid(&liquid);
    couFreeParallel(&parallel);
    return is_good;
}

// --- Births ------------------------------------------------------------------------------------------------------------------

// One way through the span.
typedef struct Passage {
    const couFoamDef *def;
    const couFoamSpan *span;
    Liquid liquid;
    couFoam *foam;
    float dt;    // of a step [s]
    float share; // of the span, at the end of the step
    uint32_t next_id;
    uint8_t *is_gone; // per particle of foam
    size_t gone_capacity;
} Passage;

// Two unit vectors across a unit one.
static void make_frame(couVec3 z, couVec3 *x, couVec3 *y)
{
    couVec3 other = fabsf(z.x) < 0.6f ? (couVec3){1, 0, 0} : (couVec3){0, 1, 0};
    *x = couNormalize(couCross(z, other));
    *y = couCross(z, *x);
}

// Spread over the cylinder that the liquid's particle sweeps in a step [sect. 3.1].
static couFoamParticle make_particle(const Passage *passage, size_t i, float potential, couRandom *random)
{
    const couFoamDef *def = passage->def;
    couVec3 x = couXyz(passage->liquid.position[i]), v = couXyz(passage->liquid.velocity[i]), e1, e2;
    float speed = couLength(v);
    couVec3 along = speed > 0.0f ? couScale(1.0f / speed, v) : (couVec3){0, 1, 0};
    make_frame(along, &e1, &e2);
    float radius = 0.5f * def->spacing * sqrtf(couRandomFloat(random));
    float angle = 2.0f * (float)COU_PI * couRandomFloat(random), height = couRandomFloat(random) * speed * passage->dt;
    couVec3 across = couMulAdd(couScale(radius * cosf(angle), e1), radius * sinf(angle), e2);
    return (couFoamParticle){.position = couMulAdd(couAdd(x, across), height, along),
                             .velocity = couAdd(v, across), // the paper adds the offset as it is: per second
                             .life = def->life_min + (def->life_max - def->life_min) * potential};
}

// [eq. 8]; the fraction is decided by chance, from the seed, the frame, the step and the particle's id alone.
static bool give_birth(Passage *passage, int step)
{
    const couFoamDef *def = passage->def;
    const Liquid *liquid = &passage->liquid;
    const couSurfacePoints *after = passage->span->after;
    couFoam *foam = passage->foam;
    uint64_t occasion = couMix64(couMix64((uint64_t)def->seed << 32 | (uint32_t)passage->span->number) + (uint64_t)step);
    for (size_t i = 0; i < liquid->count; ++i) {
        float wanted = liquid->energy[i] * (def->air_rate * liquid->air[i] + def->crest_rate * liquid->crest[i]) * passage->dt;
        if (!(wanted > 0.0f)) continue;
        uint32_t index = liquid->index[i];
        couRandom random = {couMix64(occasion ^ couMix64(after->ids ? after->ids[index] : index))};
        size_t births = (size_t)(wanted + couRandomFloat(&random));
        size_t room = (size_t)def->most > foam->count ? (size_t)def->most - foam->count : 0;
        foam->refused += births > room ? births - room : 0;
        births = COU_MIN(births, room);
        if (!COU_GROW(NULL, foam->items, foam->capacity, foam->count + births)) return false;
        float potential = liquid->energy[i] * COU_MAX(liquid->air[i], liquid->crest[i]);
        for (size_t k = 0; k < births; ++k) {
            couFoamParticle born = make_particle(passage, i, potential, &random);
            born.id = passage->next_id++;
            foam->items[foam->count++] = born;
        }
    }
    return true;
}

// --- Motion ------------------------------------------------------------------------------------------------------------------

typedef struct Around {
    int count;        // neighbours within h
    couVec3 velocity; // of the liquid [m/s]
} Around;

// The liquid around a cell, kept while one particle of foam after the other is in it.
typedef struct Vicinity {
    couRows rows;
    int32_t cell[3];
    couRange ranges[COU_MAX_RANGES];
    int range_count; // -1: no cell yet
} Vicinity;

static void go_to(Vicinity *near, const Liquid *liquid, couVec3 x)
{
    int32_t cell[3];
    cell_at(liquid, x, cell);
    if (near->range_count >= 0 && memcmp(cell, near->cell, sizeof cell) == 0) return;
    memcpy(near->cell, cell, sizeof cell);
    near->range_count = couRows_Next(&near->rows, cell, near->ranges);
}

// [eq. 9]
static Around look_around(const Liquid *liquid, Vicinity *near, couVec3 x)
{
    Around around = {0};
    go_to(near, liquid, x);
    float weight = 0.0f;
    couVec3 sum = {0, 0, 0};
    for (int r = 0; r < near->range_count; ++r)
        for (uint32_t j = near->ranges[r].begin; j < near->ranges[r].end; ++j) {
            couVec3 d = couSub(x, couXyz(liquid->position[j]));
            float q2 = couDot(d, d) * liquid->inv_h * liquid->inv_h;
            if (!(q2 < 1.0f)) continue;
            float m = 1.0f - q2, w = m * m * m;
            sum = couMulAdd(sum, w, couXyz(liquid->velocity[j]));
            weight += w;
            ++around.count;
        }
    if (weight > 0.0f) around.velocity = couScale(1.0f / weight, sum);
    return around;
}

static couFoamKind kind_of(int neighbors)
{
    return neighbors < SPRAY_NEIGHBORS ? cou_foamSpray : neighbors > BUBBLE_NEIGHBORS ? cou_foamBubble : cou_foamFoam;
}

// Out of solids, without the velocity that leads into them; true when it touches one.
static bool meet_wall(const Passage *passage, couFoamParticle *p)
{
    const couFoamSpan *span = passage->span;
    if (!span->wall) return false;
    couVec3 normal, velocity;
    float gap = span->wall(span->wall_context, p->position, passage->share, &normal, &velocity) -
                CLEARANCE * passage->def->spacing;
    if (!(gap < 0.0f)) return false;
    p->position = couMulAdd(p->position, -gap, normal);
    float into = couDot(couSub(p->velocity, velocity), normal);
    if (into < 0.0f) p->velocity = couMulAdd(p->velocity, -into, normal);
    return true;
}

static void move_particle(const Passage *passage, Vicinity *near, couFoamParticle *p)
{
    const couFoamDef *def = passage->def;
    float dt = passage->dt;
    Around around = look_around(&passage->liquid, near, p->position);
    p->kind = (uint8_t)kind_of(around.count);
    couVec3 v = p->velocity;
    if (p->kind == cou_foamSpray) { // [eq. 10], with the exact path of a constant force
        p->position = couMulAdd(couMulAdd(p->position, dt, v), 0.5f * dt * dt, def->gravity);
        p->velocity = couMulAdd(v, dt, def->gravity);
    } else if (p->kind == cou_foamFoam) { // [eq. 11]
        p->velocity = around.velocity;
        p->position = couMulAdd(p->position, dt, p->velocity);
    } else { // [eq. 12]: dv/dt = drag (u - v) - buoyancy g, solved for constant u
        float keep = expf(-def->drag * dt);
        couVec3 lift = couScale(-def->buoyancy, def->gravity);
        if (def->drag > 0.0f) {
            couVec3 goal = couMulAdd(around.velocity, 1.0f / def->drag, lift);
            p->velocity = couMulAdd(goal, keep, couSub(v, goal));
        } else {
            p->velocity = couMulAdd(v, dt, lift);
        }
        p->position = couMulAdd(p->position, 0.5f * dt, couAdd(v, p->velocity));
    }
    bool is_touching = meet_wall(passage, p);
    p->age += dt;
    if (p->kind == cou_foamFoam || (p->kind == cou_foamSpray && is_touching)) p->life -= dt;
}

static bool is_lost(const Liquid *liquid, couVec3 x)
{
    if (!couIsFinite3(x) || liquid->count == 0) return true;
    couVec3 size = couSub(liquid->bounds.upper, liquid->bounds.lower);
    float margin = couLength(size) + 10.0f * liquid->h;
    return x.x < liquid->bounds.lower.x - margin || x.x > liquid->bounds.upper.x + margin ||
           x.y < liquid->bounds.lower.y - margin || x.y > liquid->bounds.upper.y + margin ||
           x.z < liquid->bounds.lower.z - margin || x.z > liquid->bounds.upper.z + margin;
}

static void move_block(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)block, (void)worker;
    Passage *passage = context;
    Vicinity near = {.range_count = -1};
    couRows_Start(&near.rows, &passage->liquid.grid);
    for (size_t k = begin; k < end; ++k) {
        couFoamParticle *p = &passage->foam->items[k];
        bool is_lost_before = is_lost(&passage->liquid, p->position);
        if (!is_lost_before) move_particle(passage, &near, p);
        passage->is_gone[k] = is_lost_before || !(p->life > 0.0f) || is_lost(&passage->liquid, p->position);
    }
}

static void bury(Passage *passage)
{
    couFoam *foam = passage->foam;
    size_t kept = 0;
    for (size_t k = 0; k < foam->count; ++k)
        if (!passage->is_gone[k]) foam->items[kept++] = foam->items[k];
    foam->count = kept;
}

// Foam in the order of the liquid's cells: neighbours of one are then those of the next (22 s of
// processor time instead of 34).
typedef struct Place {
    int32_t cell[3];
    uint32_t id;
    size_t index;
} Place;

static int compare_places(const void *a, const void *b)
{
    const Place *s = a, *t = b;
    for (int axis = 2; axis >= 0; --axis)
        if (s->cell[axis] != t->cell[axis]) return s->cell[axis] < t->cell[axis] ? -1 : 1;
    if (s->id != t->id) return s->id < t->id ? -1 : 1;
    return (s->index > t->index) - (s->index < t->index);
}

static bool sort_foam(Passage *passage)
{
    couFoam *foam = passage->foam;
    Place *places = couAlloc(NULL, (foam->count + 1) * sizeof *places);
    couFoamParticle *sorted = couAlloc(NULL, (foam->count + 1) * sizeof *sorted);
    bool is_good = places && sorted;
    for (size_t k = 0; is_good && k < foam->count; ++k) {
        places[k] = (Place){.id = foam->items[k].id, .index = k};
        couVec3 x = couScale(passage->liquid.inv_h, foam->items[k].position);
        bool is_near = fabsf(x.x) < 1e9f && fabsf(x.y) < 1e9f && fabsf(x.z) < 1e9f;
        if (is_near) cell_at(&passage->liquid, foam->items[k].position, places[k].cell);
    }
    if (is_good) couSort(places, foam->count, sizeof *places, compare_places);
    for (size_t k = 0; is_good && k < foam->count; ++k) sorted[k] = foam->items[places[k].index];
    if (is_good && foam->count > 0) memcpy(foam->items, sorted, foam->count * sizeof *sorted);
    couFree(NULL, places);
    couFree(NULL, sorted);
    return is_good;
}

// --- Spans -------------------------------------------------------------------------------------------------------------------

typedef struct IdPlace {
    uint32_t id, place;
} IdPlace;

static int compare_ids(const void *a, const void *b)
{
    const IdPlace *s = a, *t = b;
    if (s->id != t->id) return s->id < t->id ? -1 : 1;
    return (s->place > t->place) - (s->place < t->place);
}

// The place before, plus 1, of each particle after; 0: it is new. NULL without memory.
static uint32_t *find_partners(const couSurfacePoints *before, const couSurfacePoints *after)
{
    uint32_t *partner = couAlloc(NULL, (after->count + 1) * sizeof *partner);
    if (!partner || !before || !before->ids || !after->ids) return partner;
    IdPlace *places = couAlloc(NULL, (before->count + 1) * sizeof *places);
    if (!places) {
        couFree(NULL, partner);
        return NULL;
    }
    for (size_t i = 0; i < before->count; ++i) places[i] = (IdPlace){before->ids[i], (uint32_t)i};
    couSort(places, before->count, sizeof *places, compare_ids);
    for (size_t i = 0; i < after->count; ++i) {
        size_t low = 0, high = before->count;
        while (low < high) {
            size_t middle = (low + high) / 2;
            if (places[middle].id < after->ids[i])
                low = middle + 1;
            else
                high = middle;
        }
        if (low < before->count && places[low].id == after->ids[i]) partner[i] = places[low].place + 1;
    }
    couFree(NULL, places);
    return partner;
}

// Steps of at most one spacing of the fastest particle.
static int count_steps(const couFoamDef *def, const couFoamSpan *span)
{
    float fastest = 0.0f; // squared
    for (size_t i = 0; i < span->after->count; ++i) {
        float v2 = couDot(span->after->velocities[i], span->after->velocities[i]);
        if (isfinite(v2)) fastest = COU_MAX(fastest, v2);
    }
    float steps = ceilf(sqrtf(fastest) * (float)span->seconds / def->spacing);
    return (int)COU_CLAMP(steps, 1.0f, (float)MOST_STEPS);
}

static bool pass(Passage *passage, const uint32_t *partner, int steps)
{
    couFoam *foam = passage->foam;
    if (!sort_foam(passage)) return false;
    for (size_t k = 0; k < foam->count; ++k) passage->next_id = COU_MAX(passage->next_id, foam->items[k].id + 1);
    for (int step = 1; step <= steps; ++step) {
        passage->share = (float)step / (float)steps;
        if (!place_liquid(&passage->liquid, passage->span, partner, passage->share)) return false;
        find_potentials(&passage->liquid);
        if (!give_birth(passage, step)) return false;
        if (!COU_GROW(NULL, passage->is_gone, passage->gone_capacity, foam->count)) return false;
        couFor(passage->liquid.parallel, foam->count, 256, move_block, passage);
        bury(passage);
    }
    return true;
}

bool couFoam_Advance(couFoam *foam, const couFoamDef *def, const couFoamSpan *span, couFaults *faults)
{
    if (!couFoamDef_Check(def, faults) || !check_points(span->after, faults)) return false;
    if (span->before && !check_points(span->before, faults)) return false;
    if (!(span->seconds > 0 && span->seconds <= MOST_SECONDS)) {
        couFaults_Add(faults, NULL, "foam.seconds", "%g s between two frames; allowed: > 0 and <= %g", span->seconds,
                      MOST_SECONDS);
        return false;
    }
    int steps = count_steps(def, span);
    couParallel parallel = couMakeParallel(def->threads);
    Passage passage = {.def = def, .span = span, .foam = foam, .dt = (float)(span->seconds / steps)};
    init_liquid(&passage.liquid, def, &parallel);
    uint32_t *partner = find_partners(span->before, span->after);
    bool is_good = partner && make_room(&passage.liquid, span->after->count) && pass(&passage, partner, steps);
    if (!is_good) couFaults_Add(faults, NULL, "foam", "no memory for the foam of %zu particles", span->after->count);
    couFree(NULL, partner);
    couFree(NULL, passage.is_gone);
    free_liquid(&passage.liquid);
    couFreeParallel(&parallel);
    return is_good;
}
