// Values between particles.
//
// A gauge looks at few places, seldom: so the particles near them are picked out by going once through all (2 ms a million) and
// sorted into cells of their own. The grid of the step is of where they were at its beginning, and frame files have none.
//
// A value at x is sum_j w_j f_j with w_j = V_j W(x - x_j) (l0 + l . (x_j - x)), where l makes the weights sum to 1 and their
// first moment vanish: a least-squares fit of a linear field, weighted by the kernel. Shepard's mean (l = 0) is off by half a
// spacing of depth where all particles lie above the place, at a floor. Sums go by cell and id, so that their bits do not depend
// on how the particles are stored.

#include "world/gauge_cloud.h"

#include "fluid/sph.h"
#include "world/world.h"

#define MOST_CELLS ((size_t)1 << 22)
#define MOST_WEIGHT 12.0 // sum of |w_j|: a fit that would blow up the noise of particles more gives way to the mean

couBounds couBoundPoints(const couVec3 *points, int count)
{
    couBounds b = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int k = 0; k < count; ++k) {
        couVec3 p = points[k];
        b.lower = (couVec3){COU_MIN(b.lower.x, p.x), COU_MIN(b.lower.y, p.y), COU_MIN(b.lower.z, p.z)};
        b.upper = (couVec3){COU_MAX(b.upper.x, p.x), COU_MAX(b.upper.y, p.y), COU_MAX(b.upper.z, p.z)};
    }
    return b;
}

couGaugeCloud couWorld_Cloud(const couWorld *world)
{
    const couFluid *fluid = &world->fluid;
    const couTable *table = &fluid->table;
    couGaugeCloud cloud = {
        .count = table->count,
        .dimension = fluid->dimension,
        .stride = sizeof(couVec4) / sizeof(float),
        .position = (const float *)couFluid_Position(fluid),
        .velocity = (const float *)couFluid_Velocity(fluid),
        .id = couFluid_Id(fluid),
        .material = couFluid_Material(fluid),
        .density = couFluid_Density(fluid),
        .pressure = fluid->pressure_column < 0 ? NULL : couTable_Data(table, fluid->pressure_column),
        .spacing = fluid->spacing,
        .period = fluid->period,
        .bodies = &world->bodies,
    };
    // Where particles are tidied the second one moves places and presses on nothing.
    int second = fluid->method->sph ? couSph_State(fluid)->divergence_column : -1;
    if (second > 0 && !couSph_State(fluid)->is_tidied) cloud.more_pressure = couTable_Data(table, second);
    cloud.kernel = fluid->method->sph ? couSph_State(fluid)->density_kernel
                                      : couMakeKernel(cou_kernelCubic, fluid->dimension, fluid->h, fluid->spacing);
    for (int m = 0; m < fluid->material_count; ++m) {
        cloud.mass[m] = fluid->mass[m];
        cloud.rest_density[m] = fluid->materials[m].density;
    }
    return cloud;
}

// --- Gathering ---------------------------------------------------------------------------------------------------------------

static bool add_point(couVicinity *near, size_t i, couVec3 x)
{
    const couGaugeCloud *cloud = near->cloud;
    if (!COU_RESERVE(NULL, &near->points, near->points.count + 1)) return false;
    int material = cloud->material[i];
    near->points.items[near->points.count++] = (couVicinityPoint){
        .x = x,
        .v = couGaugeCloud_Velocity(cloud, i),
        .volume = couGaugeCloud_Volume(cloud, i),
        .density = cloud->rest_density[material] * (cloud->density ? cloud->density[i] : 1.0f),
        .pressure = (cloud->pressure ? cloud->pressure[i] : 0.0f) + (cloud->more_pressure ? cloud->more_pressure[i] : 0.0f),
        .id = cloud->id[i],
        .material = cloud->material[i],
    };
    return true;
}

static bool is_within(couVec3 x, couBounds box)
{
    return x.x >= box.lower.x && x.x <= box.upper.x && x.y >= box.lower.y && x.y <= box.upper.y && x.z >= box.lower.z &&
           x.z <= box.upper.z;
}

// With its images along the axes that repeat.
static bool add_images(couVicinity *near, size_t i, couBounds box)
{
    const float *length = near->cloud->period.length;
    couVec3 x = couGaugeCloud_Position(near->cloud, i);
    int reach[3];
    for (int a = 0; a < 3; ++a) reach[a] = length[a] > 0.0f;
    for (int kz = -reach[2]; kz <= reach[2]; ++kz)
        for (int ky = -reach[1]; ky <= reach[1]; ++ky)
            for (int kx = -reach[0]; kx <= reach[0]; ++kx) {
                couVec3 y = {x.x + (float)kx * length[0], x.y + (float)ky * length[1], x.z + (float)kz * length[2]};
                if (is_within(y, box) && !add_point(near, i, y)) return false;
            }
    return true;
}

static int32_t clamp_cell(float place, int32_t cells) { return COU_CLAMP(couFloorInt(place), 0, cells - 1); }

static void find_cell(const couVicinity *near, couVec3 x, int32_t cell[3])
{
    cell[0] = clamp_cell((x.x - near->lower.x) / near->edge, near->cells[0]);
    cell[1] = clamp_cell((x.y - near->lower.y) / near->edge, near->cells[1]);
    cell[2] = clamp_cell((x.z - near->lower.z) / near->edge, near->cells[2]);
}

static size_t cell_index(const couVicinity *near, int32_t x, int32_t y, int32_t z)
{
    return ((size_t)z * (size_t)near->cells[1] + (size_t)y) * (size_t)near->cells[0] + (size_t)x;
}

static int compare_points(const void *a, const void *b)
{
    const couVicinityPoint *s = a, *t = b;
    if (s->cell != t->cell) return s->cell < t->cell ? -1 : 1;
    if (s->id != t->id) return s->id < t->id ? -1 : 1;
    return (s->x.x > t->x.x) - (s->x.x < t->x.x); // an image of itself
}

// Cells of the kernel's reach, larger where the box would have too many.
static bool sort_into_cells(couVicinity *near)
{
    couBounds b = {{0, 0, 0}, {0, 0, 0}};
    for (size_t k = 0; k < near->points.count; ++k) {
        couVec3 x = near->points.items[k].x;
        couBounds one = {x, x};
        couVec3 pair[3] = {k ? b.lower : x, k ? b.upper : x, x};
        b = k ? couBoundPoints(pair, 3) : one;
    }
    near->lower = b.lower;
    near->edge = near->cloud->kernel.h;
    couVec3 size = couSub(b.upper, b.lower);
    for (;; near->edge *= 2.0f) {
        double count = (1 + size.x / near->edge) * (1 + size.y / near->edge) * (1.0 + size.z / near->edge);
        if (count < (double)MOST_CELLS) break;
    }
    const float sizes[3] = {size.x, size.y, size.z};
    size_t total = 1;
    for (int a = 0; a < 3; ++a) near->cells[a] = (int32_t)(sizes[a] / near->edge) + 1, total *= (size_t)near->cells[a];
    if (!COU_GROW(NULL, near->cell_start, near->cell_capacity, total + 1)) return false;
    for (size_t k = 0; k < near->points.count; ++k) {
        int32_t cell[3];
        find_cell(near, near->points.items[k].x, cell);
        near->points.items[k].cell = (uint32_t)cell_index(near, cell[0], cell[1], cell[2]);
    }
    couSort(near->points.items, near->points.count, sizeof *near->points.items, compare_points);
    size_t next = 0;
    for (size_t c = 0; c <= total; ++c) {
        while (next < near->points.count && near->points.items[next].cell < c) ++next;
        near->cell_start[c] = (uint32_t)next;
    }
    return true;
}

bool couVicinity_Gather(couVicinity *near, const couGaugeCloud *cloud, couBounds bounds, float reach)
{
    couVec3 margin = {reach, reach, reach};
    couBounds box = {couSub(bounds.lower, margin), couAdd(bounds.upper, margin)};
    if (cloud->dimension == 2) box.lower.z = -INFINITY, box.upper.z = INFINITY;
    near->cloud = cloud;
    near->points.count = 0;
    const float *length = cloud->period.length;
    bool repeats = length[0] > 0.0f || length[1] > 0.0f || length[2] > 0.0f;
    for (size_t i = 0; i < cloud->count; ++i) {
        couVec3 x = couGaugeCloud_Position(cloud, i);
        bool is_good = repeats ? add_images(near, i, box) : !is_within(x, box) || add_point(near, i, x);
        if (!is_good) return false;
    }
    return sort_into_cells(near);
}

void couVicinity_Free(couVicinity *near)
{
    COU_FREE_ARRAY(NULL, &near->points);
    couFree(NULL, near->cell_start);
    *near = (couVicinity){0};
}

// --- Values ------------------------------------------------------------------------------------------------------------------

// Rows of points in the cells around x, one after the other; false at the end.
typedef struct Walk {
    const couVicinity *near;
    int32_t low[3], high[3], y, z;
} Walk;

static Walk start_walk(const couVicinity *near, couVec3 x)
{
    float h = near->cloud->kernel.h;
    Walk walk = {.near = near};
    find_cell(near, couSub(x, (couVec3){h, h, h}), walk.low);
    find_cell(near, couAdd(x, (couVec3){h, h, h}), walk.high);
    if (near->cloud->dimension == 2) walk.low[2] = 0, walk.high[2] = near->cells[2] - 1;
    walk.y = walk.low[1], walk.z = walk.low[2];
    return walk;
}

static bool next_row(Walk *walk, const couVicinityPoint **begin, const couVicinityPoint **end)
{
    const couVicinity *near = walk->near;
    if (!near->points.count || walk->z > walk->high[2]) return false;
    *begin = near->points.items + near->cell_start[cell_index(near, walk->low[0], walk->y, walk->z)];
    *end = near->points.items + near->cell_start[cell_index(near, walk->high[0], walk->y, walk->z) + 1];
    if (++walk->y > walk->high[1]) walk->y = walk->low[1], ++walk->z;
    return true;
}

// V W of a point, 0 beyond the reach, and where it lies from x in units of h.
static double weigh(const couVicinity *near, const couVicinityPoint *p, couVec3 x, double r[3])
{
    const couKernel *kernel = &near->cloud->kernel;
    r[0] = ((double)p->x.x - x.x) / kernel->h;
    r[1] = ((double)p->x.y - x.y) / kernel->h;
    r[2] = near->cloud->dimension == 3 ? ((double)p->x.z - x.z) / kernel->h : 0.0;
    double q2 = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
    return q2 < 1 ? (double)p->volume * couKernel_Value(kernel, kernel->h * sqrt(q2)) : 0.0;
}

// Solves m l = (1, 0, 0...) for n unknowns, by elimination; false where a pivot is next to nothing.
static bool solve_moments(double m[4][4], int n, double l[4])
{
    double right[4] = {1, 0, 0, 0}, largest = m[0][0];
    for (int i = 0; i < n; ++i) { // symmetric and positive: the diagonal will do
        if (!(m[i][i] > 1e-6 * largest)) return false;
        for (int k = i + 1; k < n; ++k) {
            double f = m[k][i] / m[i][i];
            for (int j = i; j < n; ++j) m[k][j] -= f * m[i][j];
            right[k] -= f * right[i];
        }
    }
    for (int i = n - 1; i >= 0; --i) {
        l[i] = right[i];
        for (int j = i + 1; j < n; ++j) l[i] -= m[i][j] * l[j];
        l[i] /= m[i][i];
    }
    return true;
}

// The factors l0, l of the weights, of a linear fit where that can be, else of the mean.
static void find_factors(const couVicinity *near, couVec3 x, double l[4], couVicinityValue *value)
{
    int n = near->cloud->dimension + 1;
    double m[4][4] = {{0}}, r[3];
    const couVicinityPoint *p, *end;
    for (Walk walk = start_walk(near, x); next_row(&walk, &p, &end);)
        for (; p < end; ++p) {
            double w = weigh(near, p, x, r), row[4] = {1, r[0], r[1], r[2]};
            if (w <= 0) continue;
            ++value->count;
            for (int i = 0; i < n; ++i)
                for (int j = 0; j < n; ++j) m[i][j] += w * row[i] * row[j];
        }
    value->support = m[0][0];
    double mean = value->support > 0 ? 1 / value->support : 0, size = 0;
    bool is_fit = value->count > n && solve_moments(m, n, l);
    if (is_fit)
        for (Walk walk = start_walk(near, x); next_row(&walk, &p, &end);)
            for (; p < end; ++p) {
                double w = weigh(near, p, x, r);
                size += w * fabs(l[0] + l[1] * r[0] + l[2] * r[1] + (n > 3 ? l[3] * r[2] : 0));
            }
    if (!is_fit || !(size < MOST_WEIGHT)) l[0] = mean, l[1] = l[2] = l[3] = 0;
}

couVicinityValue couVicinity_At(const couVicinity *near, couVec3 x)
{
    couVicinityValue value = {0};
    double l[4] = {0}, r[3];
    find_factors(near, x, l, &value);
    const couVicinityPoint *p, *end;
    for (Walk walk = start_walk(near, x); next_row(&walk, &p, &end);)
        for (; p < end; ++p) {
            double w = weigh(near, p, x, r);
            w *= l[0] + l[1] * r[0] + l[2] * r[1] + l[3] * r[2];
            value.velocity[0] += w * p->v.x, value.velocity[1] += w * p->v.y, value.velocity[2] += w * p->v.z;
            value.density += w * p->density;
            value.pressure += w * p->pressure;
        }
    return value;
}

static float nearest_body(const couBodies *bodies, couVec3 x)
{
    float nearest = INFINITY;
    for (size_t b = 0; b < bodies->count; ++b) {
        const couBody *body = &bodies->items[b];
        if (!body->slot.is_here) continue;
        float distance = couShape_Distance(body->def.shape, bodies->dimension, couToLocal(body->pose, x));
        nearest = COU_MIN(nearest, distance);
    }
    return nearest;
}

// Share of the kernel around x that is inside of bodies, by points of a lattice, each of which stands for a cell that a surface
// may divide.
static double solid_share(const couGaugeCloud *cloud, couVec3 x)
{
    enum { HALF = 4 }; // lattice points from the middle to the rim
    const couKernel *kernel = &cloud->kernel;
    if (!cloud->bodies || !(nearest_body(cloud->bodies, x) < kernel->h)) return 0;
    double all = 0, solid = 0, cell = (double)kernel->h / HALF;
    int deep = cloud->dimension == 3 ? 2 * HALF : 1;
    for (int k = 0; k < 4 * HALF * HALF * deep; ++k) {
        int at[3] = {k % (2 * HALF), k / (2 * HALF) % (2 * HALF), k / (4 * HALF * HALF)};
        double r[3] = {(at[0] + 0.5) / HALF - 1, (at[1] + 0.5) / HALF - 1, deep > 1 ? (at[2] + 0.5) / HALF - 1 : 0};
        double q2 = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
        if (q2 >= 1) continue;
        double w = couKernel_Value(kernel, kernel->h * sqrt(q2));
        couVec3 y = couMulAdd(x, kernel->h, (couVec3){(float)r[0], (float)r[1], (float)r[2]});
        all += w;
        solid += w * COU_CLAMP(0.5 - (double)nearest_body(cloud->bodies, y) / cell, 0.0, 1.0);
    }
    return all > 0 ? solid / all : 0;
}

double couVicinity_Share(const couVicinity *near, couVec3 x)
{
    const double least_room = 0.25; // of the kernel: deep inside a body there is nothing to fill
    double filled = 0, r[3];
    const couVicinityPoint *p, *end;
    for (Walk walk = start_walk(near, x); next_row(&walk, &p, &end);)
        for (; p < end; ++p) filled += weigh(near, p, x, r);
    double room = 1 - solid_share(near->cloud, x);
    return filled / COU_MAX(room, least_room);
}
