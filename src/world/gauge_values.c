// What gauges measure: their columns, and the numbers in them, of a cloud of particles.

#include "world/gauges.h"
#include "world/world.h"

#include <stdio.h>

#define LEVEL_STEP 0.25 // of the search for a level / spacing
#define LEVEL_HALVINGS 20
#define DRY_SUPPORT 1e-3 // less is no liquid

const char *const couGaugeWhatNames[] = {"pressure", "velocity", "speed",  "density", "level",  "flow",
                                         "force",    "torque",   "volume", "mass",    "energy", NULL};
const char *const couGaugeStatNames[] = {"mean", "min", "max", "sum", NULL};
const char *const couGaugePlaceNames[] = {"at", "line", "polygon", "shape", "body", NULL};

// --- Columns -----------------------------------------------------------------------------------------------------------------

// Numbers of one value.
static int count_components(const couGaugeDef *def, int dimension)
{
    if (def->what == cou_gaugeVelocity || def->what == cou_gaugeForce) return dimension;
    return def->what == cou_gaugeTorque && dimension == 3 ? 3 : 1;
}

static bool is_profile(const couGaugeDef *def) { return def->place == cou_gaugeAlongLine && def->what != cou_gaugeLevel; }
static bool has_quality(const couGaugeDef *def)
{
    return def->what != cou_gaugeRecorded &&
           (def->place == cou_gaugeAtPoint || is_profile(def) || def->place == cou_gaugeInRegion);
}

int couCountGaugeColumns(const couGaugeDef *def, int dimension)
{
    if (def->what == cou_gaugeFlow) return 2;
    int values = count_components(def, dimension) * (is_profile(def) ? def->points : 1);
    return values + has_quality(def);
}

static void find_unit(const couGaugeDef *def, int dimension, char *unit, size_t size)
{
    static const char *const units[2][cou_gaugeRecorded + 1] = {
        {"Pa", "m/s", "m/s", "kg/m^3", "m", "m^2/s", "N/m", "N", "m^2", "kg/m", "J/m", ""},
        {"Pa", "m/s", "m/s", "kg/m^3", "m", "m^3/s", "N", "N m", "m^3", "kg", "J", ""},
    };
    bool is_sum = def->place == cou_gaugeInRegion && def->stat == cou_gaugeSum && def->what <= cou_gaugeDensity;
    snprintf(unit, size, "%s%s", units[dimension == 3][def->what], !is_sum ? "" : dimension == 3 ? " m^3" : " m^2");
}

couGaugeColumn couDescribeGaugeColumn(const couGaugeDef *def, int dimension, int index)
{
    couGaugeColumn column = {.is_quality = has_quality(def) && index == couCountGaugeColumns(def, dimension) - 1};
    int components = count_components(def, dimension), point = index / components;
    char place[16] = "", axis[4] = "";
    if (is_profile(def)) snprintf(place, sizeof place, "_%d", point + 1);
    if (components > 1) snprintf(axis, sizeof axis, "_%c", 'x' + index % components);
    find_unit(def, dimension, column.unit, sizeof column.unit);
    if (column.is_quality) {
        bool is_region = def->place == cou_gaugeInRegion;
        snprintf(column.name, sizeof column.name, "%s_%s", def->name, is_region ? "count" : "support");
        column.unit[0] = '\0';
    } else if (def->what == cou_gaugeFlow && index == 1) {
        snprintf(column.name, sizeof column.name, "%s_total", def->name);
        snprintf(column.unit, sizeof column.unit, dimension == 3 ? "m^3" : "m^2");
    } else {
        snprintf(column.name, sizeof column.name, "%s%s%s", def->name, place, axis);
    }
    return column;
}

// --- Points and lines --------------------------------------------------------------------------------------------------------

static couVec3 on_line(const couGaugeDef *def, double share)
{
    couVec3 a = def->corners[0];
    return couMulAdd(a, (float)share, couSub(def->corners[1], a));
}

// The numbers of a value; returns how many.
static int put_value(const couGaugeDef *def, const couGaugeCloud *cloud, const couVicinityValue *value, double *out)
{
    bool is_dry = value->support < DRY_SUPPORT;
    const double *v = value->velocity;
    switch (def->what) {
    case cou_gaugePressure: out[0] = !cloud->pressure ? NAN : is_dry ? 0 : value->pressure; return 1;
    case cou_gaugeDensity: out[0] = is_dry ? 0 : value->density; return 1;
    case cou_gaugeSpeed: out[0] = is_dry ? NAN : sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); return 1;
    default:
        for (int a = 0; a < cloud->dimension; ++a) out[a] = is_dry ? NAN : v[a];
        return cloud->dimension;
    }
}

static void measure_points(const couGaugeDef *def, const couGaugeCloud *cloud, const couVicinity *near, double *out)
{
    bool is_line = is_profile(def);
    double least = INFINITY;
    for (int k = 0; k < (is_line ? def->points : 1); ++k) {
        couVicinityValue value = couVicinity_At(near, is_line ? on_line(def, (double)k / (def->points - 1)) : def->corners[0]);
        out += put_value(def, cloud, &value, out);
        least = COU_MIN(least, value.support);
    }
    *out = least;
}

// The farthest place along the line where the liquid's share falls below 1/2. A drop of few particles has no such share.
static double find_level(const couGaugeDef *def, const couGaugeCloud *cloud, const couVicinity *near)
{
    double length = couLength(couSub(def->corners[1], def->corners[0]));
    double count = ceil(length / (LEVEL_STEP * (double)cloud->spacing)), wet = -1;
    for (double k = count; k >= 0 && wet < 0; --k)
        if (couVicinity_Share(near, on_line(def, k / count)) >= 0.5) wet = k / count;
    if (wet < 0 || wet >= 1) return wet < 0 ? 0 : length;
    double dry = COU_MIN(wet + 1 / count, 1.0);
    for (int k = 0; k < LEVEL_HALVINGS; ++k) {
        double middle = 0.5 * (wet + dry);
        if (couVicinity_Share(near, on_line(def, middle)) >= 0.5)
            wet = middle;
        else
            dry = middle;
    }
    return length * 0.5 * (wet + dry);
}

// --- Regions -----------------------------------------------------------------------------------------------------------------

// What a particle has of it, per volume; returns how many numbers.
static int particle_value(const couGaugeDef *def, const couGaugeCloud *cloud, const couVicinityPoint *p, double out[3])
{
    double v2 = couDot(p->v, p->v), rest = cloud->rest_density[p->material];
    switch (def->what) {
    case cou_gaugePressure: out[0] = cloud->pressure ? (double)p->pressure : NAN; return 1;
    case cou_gaugeDensity: out[0] = p->density; return 1;
    case cou_gaugeSpeed: out[0] = sqrt(v2); return 1;
    case cou_gaugeVolume: out[0] = 1; return 1;
    case cou_gaugeMass: out[0] = rest; return 1;
    case cou_gaugeEnergy: out[0] = 0.5 * rest * v2; return 1;
    default: out[0] = p->v.x, out[1] = p->v.y, out[2] = p->v.z; return cloud->dimension;
    }
}

// Sums over particles in the order of their ids, whatever that of the cloud is.
static void measure_region(const couGaugeDef *def, const couGaugeCloud *cloud, const couVicinity *near, double *out)
{
    bool is_sum = def->stat == cou_gaugeSum || def->what >= cou_gaugeVolume;
    int components = count_components(def, cloud->dimension), count = 0;
    double sum[3] = {0}, low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, volume = 0;
    for (size_t k = 0; k < near->points.count; ++k) {
        const couVicinityPoint *p = &near->points.items[k];
        if (!(couShape_Distance(def->shape, cloud->dimension, couToLocal(def->pose, p->x)) < 0.0f)) continue;
        double value[3];
        particle_value(def, cloud, p, value);
        for (int a = 0; a < components; ++a) {
            sum[a] += (double)p->volume * value[a];
            low[a] = COU_MIN(low[a], value[a]);
            high[a] = COU_MAX(high[a], value[a]);
        }
        volume += (double)p->volume;
        ++count;
    }
    for (int a = 0; a < components; ++a) {
        double value = is_sum                       ? sum[a]
                       : def->stat == cou_gaugeMean ? sum[a] / volume
                       : def->stat == cou_gaugeMin  ? low[a]
                                                    : high[a];
        out[a] = count || is_sum ? value : NAN;
    }
    out[components] = count;
}

bool couMeasureGauge(const couGaugeDef *def, const couGaugeCloud *cloud, couVicinity *near, double *values)
{
    bool is_region = def->place == cou_gaugeInRegion;
    couBounds bounds;
    if (is_region)
        couShape_Bounds(def->shape, cloud->dimension, &bounds);
    else
        bounds = couBoundPoints(def->corners, def->corner_count);
    if (cloud->dimension == 2) bounds.lower.z = bounds.upper.z = 0.0f; // of a polygon they are infinite
    if (is_region) bounds = couMoveBounds(bounds, def->pose);
    if (!couVicinity_Gather(near, cloud, bounds, is_region ? 0.0f : cloud->kernel.h)) return false;
    if (is_region)
        measure_region(def, cloud, near, values);
    else if (def->what == cou_gaugeLevel)
        values[0] = find_level(def, cloud, near);
    else
        measure_points(def, cloud, near, values);
    return true;
}

// --- Flow --------------------------------------------------------------------------------------------------------------------

// A polygon's plane, with two axes in it.
typedef struct Window {
    couVec3 origin, normal, u, v;
    double a[COU_GAUGE_CORNERS], b[COU_GAUGE_CORNERS]; // corners along the axes
    int count;
} Window;

couVec3 couPolygonNormal(const couVec3 *corners, int count)
{
    couVec3 sum = {0, 0, 0};
    for (int k = 1; k + 1 < count; ++k)
        sum = couAdd(sum, couCross(couSub(corners[k], corners[0]), couSub(corners[k + 1], corners[0])));
    return sum;
}

static Window make_window(const couGaugeDef *def, int dimension)
{
    Window w = {.origin = def->corners[0], .count = def->corner_count};
    couVec3 along = couSub(def->corners[1], def->corners[0]);
    w.u = couNormalize(along);
    w.normal = dimension == 2 ? (couVec3){w.u.y, -w.u.x, 0} : couNormalize(couPolygonNormal(def->corners, def->corner_count));
    w.v = couCross(w.normal, w.u);
    for (int k = 0; k < w.count; ++k) {
        couVec3 r = couSub(def->corners[k], w.origin);
        w.a[k] = couDot(r, w.u), w.b[k] = couDot(r, w.v);
    }
    return w;
}

static bool is_in_window(const Window *w, int dimension, double a, double b)
{
    if (dimension == 2) return a >= 0 && a < w->a[1];
    bool is_inside = false;
    for (int k = 0, j = w->count - 1; k < w->count; j = k++)
        if ((w->b[k] > b) != (w->b[j] > b) && a < (w->a[j] - w->a[k]) * (b - w->b[k]) / (w->b[j] - w->b[k]) + w->a[k])
            is_inside = !is_inside;
    return is_inside;
}

// 1 or -1 where the way from x to y goes through, 0 otherwise. A particle on the plane counts as behind it, at both ends alike,
// so that none is lost or counted twice between two steps.
static int crosses(const Window *w, int dimension, couVec3 x, couVec3 y)
{
    double from = couDot(couSub(x, w->origin), w->normal), to = couDot(couSub(y, w->origin), w->normal);
    if ((from > 0) == (to > 0)) return 0;
    couVec3 at = couSub(couMulAdd(x, (float)(from / (from - to)), couSub(y, x)), w->origin);
    if (!is_in_window(w, dimension, couDot(at, w->u), couDot(at, w->v))) return 0;
    return to > 0 ? 1 : -1;
}

static bool is_near(const couGaugeCloud *cloud, couVec3 x, couBounds b, float reach)
{
    const float *low = &b.lower.x, *high = &b.upper.x, *at = &x.x;
    for (int a = 0; a < cloud->dimension; ++a)
        if (at[a] < low[a] - reach || at[a] > high[a] + reach) return false;
    return true;
}

// The image of x nearest to a place, along the axes that repeat.
static couVec3 nearest_image(const couGaugeCloud *cloud, couVec3 x, couVec3 place)
{
    float *at = &x.x;
    const float *to = &place.x;
    for (int a = 0; a < cloud->dimension; ++a) {
        float length = cloud->period.length[a];
        if (length > 0.0f) at[a] += length * rintf((to[a] - at[a]) / length);
    }
    return x;
}

static int compare_ids(const void *a, const void *b)
{
    uint32_t s = ((const couCrosser *)a)->id, t = ((const couCrosser *)b)->id;
    return (s > t) - (s < t);
}

bool couFindCrossers(const couGaugeDef *def, const couGaugeCloud *cloud, float reach, couCrosser **items, size_t *count,
                     size_t *capacity)
{
    couBounds b = couBoundPoints(def->corners, def->corner_count);
    couVec3 middle = couScale(0.5f, couAdd(b.lower, b.upper));
    size_t first = *count;
    for (size_t i = 0; i < cloud->count; ++i) {
        couVec3 x = nearest_image(cloud, couGaugeCloud_Position(cloud, i), middle);
        if (!is_near(cloud, x, b, reach)) continue;
        if (!COU_GROW(NULL, *items, *capacity, *count + 1)) return false;
        (*items)[(*count)++] = (couCrosser){x, cloud->id[i], couGaugeCloud_Volume(cloud, i)};
    }
    couSort(*items + first, *count - first, sizeof **items, compare_ids);
    return true;
}

double couMeasureCrossing(const couGaugeDef *def, const couGaugeCloud *cloud, const couCrosser *before, size_t count, float reach)
{
    Window window = make_window(def, cloud->dimension);
    couBounds b = couBoundPoints(def->corners, def->corner_count);
    couVec3 center = couScale(0.5f, couAdd(b.lower, b.upper));
    double volume = 0;
    for (size_t i = 0; i < cloud->count && count; ++i) {
        couVec3 y = couGaugeCloud_Position(cloud, i);
        if (!is_near(cloud, nearest_image(cloud, y, center), b, reach)) continue;
        uint32_t id = cloud->id[i];
        size_t low = 0, high = count;
        while (low < high) {
            size_t middle = (low + high) / 2;
            if (before[middle].id < id)
                low = middle + 1;
            else
                high = middle;
        }
        if (low == count || before[low].id != id) continue;
        couVec3 x = before[low].x;
        volume += crosses(&window, cloud->dimension, x, nearest_image(cloud, y, x)) * (double)before[low].volume;
    }
    return volume;
}
