// Defs of gauges and what can be wrong with them.

#include "world/gauges.h"
#include "world/world.h"

#include <stdio.h>

static const couParam gauge_params[] = {
    COU_NAME(couGaugeDef, name, .help = "unique name: that of its column"),
    COU_CHOICE(couGaugeDef, what, couGaugeWhatNames, .initial = {cou_gaugePressure}, .help = "what it measures"),
    COU_PRECISE(couGaugeDef, every, "s", .initial = {0.01}, .min = 1e-6, .max = 1e9,
                .help = "time between two values, each taken at the end of the first step that is not before its time"),
    COU_INTEGER(couGaugeDef, points, "", .initial = {11}, .min = 2, .max = COU_GAUGE_POINTS,
                .help = "of a profile along a line, ends included"),
    COU_CHOICE(couGaugeDef, stat, couGaugeStatNames, .initial = {cou_gaugeMean},
               .help = "of a region: mean, extremes of its particles, or the sum over its volume"),
};
static const couParamTable gauge_table = {"gauge", gauge_params, COU_COUNT(gauge_params)};

const couParamTable *couGaugeParams(void) { return &gauge_table; }

couGaugeDef couDefaultGaugeDef(void)
{
    couGaugeDef def = {.pose = COU_POSE_IDENTITY};
    couParams_SetDefaults(&gauge_table, &def);
    return def;
}

// --- Checks ------------------------------------------------------------------------------------------------------------------

// Bits of couGaugePlace where a quantity can be measured.
static unsigned places_of(int what)
{
    const unsigned at = 1u << cou_gaugeAtPoint, line = 1u << cou_gaugeAlongLine, region = 1u << cou_gaugeInRegion;
    switch (what) {
    case cou_gaugePressure:
    case cou_gaugeVelocity:
    case cou_gaugeSpeed:
    case cou_gaugeDensity: return at | line | region;
    case cou_gaugeLevel: return line;
    case cou_gaugeFlow: return 1u << cou_gaugeAcrossPolygon;
    case cou_gaugeForce:
    case cou_gaugeTorque: return 1u << cou_gaugeOnBody;
    case cou_gaugeVolume:
    case cou_gaugeMass:
    case cou_gaugeEnergy: return region;
    default: return 0;
    }
}

static bool check_place(const couGaugeDef *def, couFaults *faults)
{
    unsigned places = places_of(def->what);
    if (places >> def->place & 1u) return true;
    char known[64] = "";
    for (int p = 0; couGaugePlaceNames[p]; ++p) {
        size_t used = strlen(known);
        if (places >> p & 1u) snprintf(known + used, sizeof known - used, "%s%s", used ? ", " : "", couGaugePlaceNames[p]);
    }
    couFaults_Add(faults, NULL, "gauge.what", "'%s' is measured with %s, not with %s", couGaugeWhatNames[def->what], known,
                  couGaugePlaceNames[def->place]);
    return false;
}

static bool check_plane(const couGaugeDef *def, couFaults *faults)
{
    couVec3 normal = couPolygonNormal(def->corners, def->corner_count);
    float area = 0.5f * couLength(normal);
    couBounds b = couBoundPoints(def->corners, def->corner_count);
    float size = couLength(couSub(b.upper, b.lower));
    if (!(area > 1e-6f * size * size)) {
        couFaults_Add(faults, NULL, "gauge.polygon", "its corners have no area");
        return false;
    }
    normal = couNormalize(normal);
    for (int k = 1; k < def->corner_count; ++k) {
        float off = fabsf(couDot(couSub(def->corners[k], def->corners[0]), normal));
        if (off <= 1e-3f * size) continue;
        couFaults_Add(faults, NULL, "gauge.polygon", "corner %d is %g m out of the plane of the others", k + 1, off);
        return false;
    }
    return true;
}

static bool check_corners(const couGaugeDef *def, int dimension, couFaults *faults)
{
    char key[32];
    snprintf(key, sizeof key, "gauge.%s", couGaugePlaceNames[def->place]);
    bool is_polygon = def->place == cou_gaugeAcrossPolygon;
    int least = def->place == cou_gaugeAtPoint ? 1 : is_polygon && dimension == 3 ? 3 : 2;
    int most = is_polygon && dimension == 3 ? COU_GAUGE_CORNERS : least;
    if (def->corner_count < least || def->corner_count > most) {
        char allowed[32];
        if (least == most)
            snprintf(allowed, sizeof allowed, "%d", least);
        else
            snprintf(allowed, sizeof allowed, "%d to %d", least, most);
        couFaults_Add(faults, NULL, key, "it has %d points: allowed are %s", def->corner_count, allowed);
        return false;
    }
    for (int k = 0; k < def->corner_count; ++k) {
        couVec3 x = def->corners[k];
        if (couIsFinite3(x) && (dimension == 3 || x.z == 0.0f)) continue;
        couFaults_Add(faults, NULL, key, "point %d is %g, %g, %g: must be finite%s", k + 1, x.x, x.y, x.z,
                      dimension == 2 ? ", with z = 0 in 2D" : "");
        return false;
    }
    if (least > 1 && most == 2 && !(couLength(couSub(def->corners[1], def->corners[0])) > 0.0f)) {
        couFaults_Add(faults, NULL, key, "its two points are the same: it has no length");
        return false;
    }
    return !is_polygon || dimension == 2 || check_plane(def, faults);
}

bool couCheckGauge(const couGaugeDef *def, int dimension, couFaults *faults)
{
    bool is_good = couParams_Check(&gauge_table, def, faults);
    is_good = couCheckName(def->name, "gauge.name", faults) && is_good;
    if (!is_good || !check_place(def, faults)) return false;
    if (def->place == cou_gaugeOnBody) return true;
    if (def->place != cou_gaugeInRegion) return check_corners(def, dimension, faults);
    couBounds bounds;
    if (!def->shape || !couShape_Bounds(def->shape, dimension, &bounds)) {
        couFaults_Add(faults, NULL, "gauge.shape", def->shape ? "the shape has no bounds" : "a shape is missing");
        return false;
    }
    return couCheckPose(def->pose, "gauge.at", faults);
}
