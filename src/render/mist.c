// How much of the light gets through a clear liquid in previews and splats, where there is no surface to trace through.
//
// As in [van der Laan et al. 2009, sect. 3.4] the liquid's thickness along a ray is the sum over its particles of what each adds.
// Here each particle spreads its volume over the cells within one spacing of it, by 1 - r^2 / d^2, so that the sum is the way
// through the liquid wherever that is even, and a ray goes from cell to cell. The opacity of a look is that of 2 cm of it, and
// the rest follows from Beer's law. (Embree met every particle within a spacing of the ray instead, some 3 a spacing: five times
// the time of the picture without.)
#include "render/mist.h"

#include "base/base.h"
#include "render/stage.h"

#define LENGTH 0.02f // of liquid that has the opacity of its look [m]
#define MOST_OPACITY 0.995f
#define MOST_MIST 6.0f     // what gets through is less than one of 256 shades
#define SPACING (1 / 0.6f) // of particles / the radius that they are drawn with
#define CELL 0.75f         // of particles' spacing
enum { SIDE = 8 };         // cells of a brick along each axis
enum { MOST_ROUNDS = 8 };  // of leaving out what is far
#define MOST_BRICKS (1 << 21)

// What one material holds back [1/m]; 0 for those that are not clear.
static float extinction(const couPictureScene *scene, int material)
{
    bool has_look = scene->opacities && scene->colors && (scene->material_count == 0 || material < scene->material_count);
    float opacity = has_look ? scene->opacities[material] : 1.0f;
    if (!(opacity >= 0.0f && opacity < MOST_OPACITY)) return 0.0f;
    return -logf(1.0f - opacity) / LENGTH;
}

static void ignore_clear(const struct RTCFilterFunctionNArguments *arguments)
{
    const couTrace *trace = (const couTrace *)arguments->context;
    const couStage *stage = trace->stage;
    const struct RTCHit *hit = (const struct RTCHit *)arguments->hit;
    size_t index = hit->primID + (hit->geomID == COU_PARTICLES_ID ? stage->disc_count : 0);
    if (!trace->sees_clear && couStage_IsClearParticle(stage, (int)index)) arguments->valid[0] = 0;
}

void couMist_LetBe(RTCGeometry particles)
{
    rtcSetGeometryIntersectFilterFunction(particles, ignore_clear);
    rtcSetGeometryOccludedFilterFunction(particles, ignore_clear);
}

// --- The cells ---------------------------------------------------------------------------------------------------------------

// Of a clear particle its spacing [m] and what it holds back [1/m]; 0: it is not clear, or outside.
static float spacing_of(const couMist *mist, const couPictureScene *scene, size_t i, couBounds inside, float *held)
{
    couVec3 p = scene->positions[i];
    bool is_painted = scene->particle_colors && !isnan(scene->particle_colors[i].x);
    *held = mist->extinction[scene->materials ? scene->materials[i] : 0];
    if (is_painted || !(*held > 0.0f) || !couIsDrawable(p)) return 0.0f;
    for (int a = 0; a < 3; ++a)
        if (!((&p.x)[a] >= (&inside.lower.x)[a] && (&p.x)[a] <= (&inside.upper.x)[a])) return 0.0f;
    float radius = scene->radii ? scene->radii[i] : scene->radius;
    return radius > 0.0f ? SPACING * radius : 0.0f;
}

// The box of the particles within `inside`, grown by their spacing, the least spacing, and the box within three deviations of
// their mean.
static couBounds bound(const couMist *mist, const couPictureScene *scene, couBounds inside, float *least, couBounds *most)
{
    couBounds box = couEmptyBounds();
    double sum[3] = {0}, square[3] = {0}, count = 0;
    float held;
    *least = INFINITY;
    for (size_t i = 0; i < scene->particle_count; ++i) {
        float d = spacing_of(mist, scene, i, inside, &held);
        if (!(d > 0.0f)) continue;
        couVec3 p = scene->positions[i], reach = {d, d, d};
        box = couBounds_Union(box, (couBounds){couSub(p, reach), couAdd(p, reach)});
        *least = COU_MIN(*least, d);
        for (int a = 0; a < 3; ++a) sum[a] += (double)(&p.x)[a], square[a] += (double)(&p.x)[a] * (double)(&p.x)[a];
        ++count;
    }
    for (int a = 0; a < 3; ++a) {
        double mean = sum[a] / count, reach = 3 * sqrt(COU_MAX(square[a] / count - mean * mean, 0));
        (&most->lower.x)[a] = (float)(mean - reach), (&most->upper.x)[a] = (float)(mean + reach);
    }
    return box;
}

// Where the cells are: round all clear particles. A few that are far from all others do without; where all are scattered far
// cells are coarser than one would wish. Returns what counts as inside; empty where nothing is clear.
static couBounds place_cells(couMist *mist, const couPictureScene *scene)
{
    couBounds inside = {{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}}, most;
    float least;
    couBounds box = bound(mist, scene, inside, &least, &most);
    if (!(least < INFINITY)) return couEmptyBounds();
    mist->cell = CELL * least;
    for (int round = 0;; ++round) {
        couVec3 size = couSub(box.upper, box.lower);
        double count = 1;
        for (int a = 0; a < 3; ++a) {
            double bricks = ceil((double)(&size.x)[a] / (SIDE * (double)mist->cell));
            count *= bricks;
            mist->bricks[a] = (int)COU_MIN(bricks, 1e6);
        }
        mist->origin = box.lower;
        if (count <= MOST_BRICKS) return inside;
        if (round < MOST_ROUNDS)
            inside = most, box = bound(mist, scene, inside, &least, &most);
        else
            mist->cell *= 1.3f;
    }
}

typedef struct Span {
    int begin[3], end[3]; // cells
} Span;

static Span cells_within(const couMist *mist, couVec3 p, float reach)
{
    Span span;
    couVec3 at = couScale(1.0f / mist->cell, couSub(p, mist->origin));
    float r = reach / mist->cell;
    for (int a = 0; a < 3; ++a) {
        float x = (&at.x)[a];
        span.begin[a] = COU_MAX((int)ceilf(x - r - 0.5f), 0);
        span.end[a] = COU_MIN((int)floorf(x + r - 0.5f) + 1, SIDE * mist->bricks[a]);
        // A grid that had to be coarse: the cell that the particle is in.
        if (span.begin[a] >= span.end[a]) span.begin[a] = (int)x, span.end[a] = span.begin[a] + 1;
    }
    return span;
}

static size_t place_of(const couMist *mist, int x, int y, int z)
{
    return ((size_t)(z / SIDE) * (size_t)mist->bricks[1] + (size_t)(y / SIDE)) * (size_t)mist->bricks[0] + (size_t)(x / SIDE);
}

static int cell_in_brick(int x, int y, int z) { return ((z % SIDE) * SIDE + y % SIDE) * SIDE + x % SIDE; }

// The bricks that any particle reaches, numbered.
static size_t number_bricks(couMist *mist, const couPictureScene *scene, couBounds inside)
{
    size_t count = 0;
    float held;
    for (size_t i = 0; i < scene->particle_count; ++i) {
        float d = spacing_of(mist, scene, i, inside, &held);
        if (!(d > 0.0f)) continue;
        Span span = cells_within(mist, scene->positions[i], d);
        for (int z = span.begin[2] / SIDE; z <= (span.end[2] - 1) / SIDE; ++z)
            for (int y = span.begin[1] / SIDE; y <= (span.end[1] - 1) / SIDE; ++y)
                for (int x = span.begin[0] / SIDE; x <= (span.end[0] - 1) / SIDE; ++x) {
                    int32_t *place = &mist->places[place_of(mist, SIDE * x, SIDE * y, SIDE * z)];
                    if (*place < 0) *place = (int32_t)count++;
                }
    }
    return count;
}

// Spreads d^3 of what holds back `held` over the cells within d.
static void spread_particle(couMist *mist, couVec3 p, float d, float held)
{
    Span span = cells_within(mist, p, d);
    float sum = 0.0f, share = 0.0f;
    for (int round = 0; round < 2; ++round) {
        if (round == 1) share = held * d * d * d / (mist->cell * mist->cell * mist->cell * sum);
        for (int z = span.begin[2]; z < span.end[2]; ++z)
            for (int y = span.begin[1]; y < span.end[1]; ++y)
                for (int x = span.begin[0]; x < span.end[0]; ++x) {
                    couVec3 middle = {(float)x + 0.5f, (float)y + 0.5f, (float)z + 0.5f};
                    couVec3 off = couSub(couMulAdd(mist->origin, mist->cell, middle), p);
                    float weight = COU_MAX(1.0f - couDot(off, off) / (d * d), 1e-6f);
                    if (round == 0)
                        sum += weight;
                    else
                        mist->cells[mist->places[place_of(mist, x, y, z)]][cell_in_brick(x, y, z)] += share * weight;
                }
    }
}

bool couMist_Build(couMist *mist, const couPictureScene *scene)
{
    *mist = (couMist){0};
    if (scene->dimension == 2 || scene->particle_count == 0) return true;
    bool has_any = false;
    for (int m = 0; m < COU_COUNT(mist->extinction); ++m) has_any |= (mist->extinction[m] = extinction(scene, m)) > 0.0f;
    if (!has_any) return true;
    couBounds inside = place_cells(mist, scene);
    if (!(inside.lower.x <= inside.upper.x)) return true;
    size_t count = (size_t)mist->bricks[0] * (size_t)mist->bricks[1] * (size_t)mist->bricks[2];
    mist->places = couAlloc(NULL, count * sizeof *mist->places);
    if (!mist->places) return false;
    memset(mist->places, 0xff, count * sizeof *mist->places);
    mist->cells = couAlloc(NULL, number_bricks(mist, scene, inside) * sizeof *mist->cells);
    if (!mist->cells) return false;
    float held;
    for (size_t i = 0; i < scene->particle_count; ++i) {
        float d = spacing_of(mist, scene, i, inside, &held);
        if (d > 0.0f) spread_particle(mist, scene->positions[i], d, held);
    }
    return true;
}

void couMist_Clear(couMist *mist)
{
    couFree(NULL, mist->places);
    couFree(NULL, mist->cells);
    *mist = (couMist){0};
}

// --- Along a ray -------------------------------------------------------------------------------------------------------------

// A way through boxes that tile space [Amanatides and Woo 1987].
typedef struct Walk {
    int at[3], step[3];
    float next[3], pitch[3]; // distance at which the next box along each axis begins, and of one to the next
} Walk;

// Begins in the box of `count` along each axis that the ray is in at distance t.
static Walk begin_walk(couVec3 from, couVec3 direction, float size, const int first[3], const int count[3], float t)
{
    Walk walk;
    for (int a = 0; a < 3; ++a) {
        float x = (&from.x)[a], v = (&direction.x)[a];
        int at = (int)floorf((x + t * v) / size);
        walk.at[a] = COU_CLAMP(at, first[a], first[a] + count[a] - 1);
        walk.step[a] = v > 0.0f ? 1 : -1;
        walk.pitch[a] = v != 0.0f ? size / fabsf(v) : INFINITY;
        walk.next[a] = v != 0.0f ? ((float)(walk.at[a] + (v > 0.0f)) * size - x) / v : INFINITY;
    }
    return walk;
}

// The axis along which the walk leaves its box first.
static int next_axis(const Walk *walk)
{
    int axis = walk->next[0] < walk->next[1] ? 0 : 1;
    return walk->next[2] < walk->next[axis] ? 2 : axis;
}

static float sum_brick(const couMist *mist, const float *cells, couVec3 from, couVec3 direction, const int brick[3], float t,
                       float end)
{
    const int first[3] = {SIDE * brick[0], SIDE * brick[1], SIDE * brick[2]}, count[3] = {SIDE, SIDE, SIDE};
    Walk walk = begin_walk(from, direction, mist->cell, first, count, t);
    float sum = 0.0f;
    for (;;) {
        int axis = next_axis(&walk);
        float leave = COU_MIN(walk.next[axis], end);
        if (leave > t) sum += (leave - t) * cells[cell_in_brick(walk.at[0], walk.at[1], walk.at[2])], t = leave;
        if (walk.next[axis] >= end) return sum;
        walk.at[axis] += walk.step[axis];
        if (walk.at[axis] < first[axis] || walk.at[axis] >= first[axis] + SIDE) return sum;
        walk.next[axis] += walk.pitch[axis];
    }
}

float couMist_Along(const couMist *mist, couVec3 origin, couVec3 direction, float start, float reach)
{
    if (!mist->cells) return 0.0f;
    couVec3 from = couSub(origin, mist->origin);
    float size = SIDE * mist->cell, t = start, end = reach;
    for (int a = 0; a < 3; ++a) { // clipped by the box of all bricks
        float x = (&from.x)[a], v = (&direction.x)[a], high = size * (float)mist->bricks[a];
        if (v == 0.0f && (x < 0.0f || x > high)) return 0.0f;
        if (v == 0.0f) continue;
        float one = -x / v, other = (high - x) / v;
        t = COU_MAX(t, COU_MIN(one, other)), end = COU_MIN(end, COU_MAX(one, other));
    }
    if (!(t < end)) return 0.0f;
    static const int none[3] = {0, 0, 0};
    Walk walk = begin_walk(from, direction, size, none, mist->bricks, t);
    float sum = 0.0f;
    while (sum < MOST_MIST) {
        int axis = next_axis(&walk);
        float leave = COU_MIN(walk.next[axis], end);
        int32_t place =
            mist->places[((size_t)walk.at[2] * (size_t)mist->bricks[1] + (size_t)walk.at[1]) * (size_t)mist->bricks[0] +
                         (size_t)walk.at[0]];
        if (place >= 0 && leave > t) sum += sum_brick(mist, mist->cells[place], from, direction, walk.at, t, leave);
        t = COU_MAX(t, leave);
        if (walk.next[axis] >= end) break;
        walk.at[axis] += walk.step[axis];
        if (walk.at[axis] < 0 || walk.at[axis] >= mist->bricks[axis]) break;
        walk.next[axis] += walk.pitch[axis];
    }
    return sum;
}
