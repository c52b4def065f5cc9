// Sides are polygons of their own, without a common list of corners: each is cut for itself, and the corners on the plane, put in
// order around their middle, make the new side. Sides that have become too many or too rich in corners are not cut further; a
// cell of a mesh has a dozen.

#include "soft/polyhedron.h"

void couPolyhedron_Set(couPolyhedron *body, int dimension, const couDouble3 *p)
{
    static const int tetrahedron[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
    if (dimension == 3) {
        body->count = 4;
        for (int s = 0; s < 4; ++s) {
            body->sides[s] = (couSide){.label = COU_OWN_SIDE, .count = 3};
            for (int k = 0; k < 3; ++k) body->sides[s].corners[k] = p[tetrahedron[s][k]];
        }
        return;
    }
    const couDouble3 up = {0, 0, 1};
    body->count = 5;
    body->sides[3] = (couSide){COU_OWN_SIDE, 3, {p[2], p[1], p[0]}};
    body->sides[4] = (couSide){COU_OWN_SIDE, 3, {couAdd3(p[0], up), couAdd3(p[1], up), couAdd3(p[2], up)}};
    for (int s = 0; s < 3; ++s) {
        couDouble3 a = p[s], b = p[(s + 1) % 3];
        body->sides[s] = (couSide){COU_OWN_SIDE, 4, {a, b, couAdd3(b, up), couAdd3(a, up)}};
    }
}

// What of a side is not beyond the plane; its corners on the plane go to `rim` as well.
static couSide cut_side(const couSide *side, couDouble3 normal, double offset, double tolerance, couDouble3 *rim, int *rim_count)
{
    couSide kept = {.label = side->label};
    double away[COU_MAX_SIDE_CORNERS];
    for (int k = 0; k < side->count; ++k) {
        away[k] = couDot3(normal, side->corners[k]) - offset;
        if (fabs(away[k]) <= tolerance) away[k] = 0;
    }
    for (int k = 0; k < side->count; ++k) {
        int next = (k + 1) % side->count;
        if (kept.count + 2 > COU_MAX_SIDE_CORNERS) break;
        if (away[k] <= 0) kept.corners[kept.count++] = side->corners[k];
        bool is_crossing = (away[k] < 0 && away[next] > 0) || (away[k] > 0 && away[next] < 0);
        couDouble3 on = side->corners[k];
        if (is_crossing) {
            on = couMulAdd3(on, away[k] / (away[k] - away[next]), couSub3(side->corners[next], on));
            kept.corners[kept.count++] = on;
        }
        if ((is_crossing || away[k] == 0) && *rim_count < 2 * COU_MAX_SIDE_CORNERS) rim[(*rim_count)++] = on;
    }
    return kept;
}

// The rim's corners, some of which are there several times, as a polygon around the normal.
static couSide close_rim(couDouble3 *rim, int count, couDouble3 normal, uint32_t label, double tolerance)
{
    couDouble3 middle = {0, 0, 0}, axis = fabs(normal.x) < 0.5 ? (couDouble3){1, 0, 0} : (couDouble3){0, 1, 0};
    for (int k = 0; k < count; ++k) middle = couMulAdd3(middle, 1.0 / count, rim[k]);
    couDouble3 u = couCross3(normal, axis), v = couCross3(normal, u);
    double angles[2 * COU_MAX_SIDE_CORNERS];
    for (int k = 0; k < count; ++k) {
        couDouble3 r = couSub3(rim[k], middle), place = rim[k];
        double angle = atan2(couDot3(r, v), couDot3(r, u));
        int m = k;
        for (; m > 0 && angles[m - 1] > angle; --m) rim[m] = rim[m - 1], angles[m] = angles[m - 1];
        rim[m] = place, angles[m] = angle;
    }
    couSide side = {.label = label};
    for (int k = 0; k < count && side.count < COU_MAX_SIDE_CORNERS; ++k) {
        bool is_same = side.count && couLength3(couSub3(rim[k], side.corners[side.count - 1])) <= 2 * tolerance;
        if (!is_same) side.corners[side.count++] = rim[k];
    }
    return side;
}

bool couPolyhedron_Cut(couPolyhedron *body, couDouble3 normal, double offset, uint32_t label, double tolerance)
{
    double most = -INFINITY, least = INFINITY;
    for (int s = 0; s < body->count; ++s)
        for (int k = 0; k < body->sides[s].count; ++k) {
            double away = couDot3(normal, body->sides[s].corners[k]) - offset;
            most = fmax(most, away), least = fmin(least, away);
        }
    if (most <= tolerance || body->count == COU_MAX_SIDES) return true;
    if (least >= -tolerance) return false;
    couDouble3 rim[2 * COU_MAX_SIDE_CORNERS];
    int rim_count = 0, kept = 0;
    for (int s = 0; s < body->count; ++s) {
        couSide side = cut_side(&body->sides[s], normal, offset, tolerance, rim, &rim_count);
        if (side.count >= 3) body->sides[kept++] = side;
    }
    body->count = kept;
    if (rim_count >= 3) {
        couSide lid = close_rim(rim, rim_count, normal, label, tolerance);
        if (lid.count >= 3) body->sides[body->count++] = lid;
    }
    return body->count > 0;
}

couDouble3 couSide_Area(const couSide *side)
{
    couDouble3 sum = {0, 0, 0};
    for (int k = 1; k + 1 < side->count; ++k)
        sum = couAdd3(sum,
                      couCross3(couSub3(side->corners[k], side->corners[0]), couSub3(side->corners[k + 1], side->corners[0])));
    return couScale3(0.5, sum);
}

double couPolyhedron_Volume(const couPolyhedron *body)
{
    double volume = 0;
    couDouble3 from = body->sides[0].corners[0];
    for (int s = 0; s < body->count; ++s)
        volume += couDot3(couSide_Area(&body->sides[s]), couSub3(body->sides[s].corners[0], from)) / 3.0;
    return volume;
}
