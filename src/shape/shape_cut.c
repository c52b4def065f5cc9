// Differences and intersections are looked through once, when they are made.
//
// Their distance is the largest of their parts' (insides out of what is taken away), which is as good as the parts' own, but for
// one case: where a face of one part lies in a face of another, as when the hollow of a tank is cut off flush with its top, the
// field is 0 on both sides and a wall without a solid spans the opening. No local rule tells it from a thin wall: it is refused.
// Cubes that the surface may pass through are halved down to 1/32 of the bounds; from the middle of each that is left the way
// goes down to the surface and through it: is there a solid behind, and how far is it to its other side? In a world of two
// dimensions only the cut with z = 0 matters, so that parts of the same length along z are good there; since a shape does not
// know its world, it is looked through both ways. A bowl takes 4 ms, a board with a word of 222 points cut into it 67 ms.
// A distance takes as long as there are primitives and points. Shapes of tens of thousands are looked through in part: a script
// that doubles a shape over and over must end within its time.
#include "shape/shape_data.h"

enum { levels = 5, most_evaluations = 400000, most_work = 200000000, walk_steps = 64, newton_steps = 8 };

// The solid that must be behind a surface starts within these shares of the extent.
static const float depths[] = {3e-6f, 1e-5f, 1e-4f, 1e-3f};

typedef struct Survey {
    const couShape *shape;
    couVec3 center, half; // of the bounds [m]
    float extent;         // [m]
    int dimension;
    int evaluations, most; // of the distance
    couCutSurvey found;
} Survey;

static float measure(Survey *survey, couVec3 p, couVec3 *normal)
{
    ++survey->evaluations;
    float distance = normal ? couShape_DistanceNormal(survey->shape, survey->dimension, p, normal)
                            : couShape_Distance(survey->shape, survey->dimension, p);
    if (distance < 0.0f) survey->found.is_empty = false;
    return distance;
}

static bool is_solid_behind(Survey *survey, couVec3 foot, couVec3 normal)
{
    for (int k = 0; k < COU_COUNT(depths); ++k)
        if (measure(survey, couMulAdd(foot, -depths[k] * survey->extent, normal), NULL) < 0.0f) return true;
    return false;
}

// From the surface straight in to the other side: a wall where that looks the other way, and not the edge of a wedge.
static void measure_wall(Survey *survey, couVec3 foot, couVec3 normal)
{
    float way = 1e-3f * survey->extent, end = survey->found.thinness;
    if (!(measure(survey, couMulAdd(foot, -way, normal), NULL) < 0.0f)) way = 1e-5f * survey->extent;
    for (int k = 0; k < walk_steps && way < end; ++k) {
        float distance = measure(survey, couMulAdd(foot, -way, normal), NULL);
        if (!(distance < -1e-6f * survey->extent)) {
            couVec3 other;
            measure(survey, couMulAdd(foot, -way, normal), &other);
            if (couDot(other, normal) < -0.94f) survey->found.thinness = way;
            return;
        }
        way -= distance;
    }
}

// An edge may have nothing behind it by rounding; a ghost has nothing behind it, and goes on, all around.
static bool is_ghost(Survey *survey, couVec3 foot, couVec3 normal, float reach)
{
    couVec3 other = fabsf(normal.x) < 0.6f ? (couVec3){1, 0, 0} : (couVec3){0, 1, 0};
    couVec3 u = couNormalize(couCross(normal, other)), v = couCross(normal, u);
    if (survey->dimension == 2) u = (couVec3){-normal.y, normal.x, 0.0f};
    for (int k = 0; k < 8; ++k) {
        double angle = survey->dimension == 2 ? COU_PI * (k % 2) : 0.25 * COU_PI * k;
        couVec3 aside = couMulAdd(couScale((float)cos(angle), u), survey->dimension == 2 ? 0.0f : (float)sin(angle), v),
                p = couMulAdd(foot, 0.05f * reach, aside);
        if (fabsf(measure(survey, p, NULL)) > 2e-5f * survey->extent || is_solid_behind(survey, p, normal)) return false;
    }
    return true;
}

static void look_at(Survey *survey, couVec3 p, float reach)
{
    couVec3 start = p, normal;
    float distance = measure(survey, p, &normal);
    for (int k = 0; k < newton_steps && fabsf(distance) > 1e-6f * survey->extent; ++k) {
        p = couMulAdd(p, -distance, normal);
        distance = measure(survey, p, &normal);
    }
    // At edges the way leads to and fro; other cubes see the faces beside them.
    if (fabsf(distance) > 1e-6f * survey->extent || couLength(couSub(p, start)) > 2.0f * reach) return;
    if (is_solid_behind(survey, p, normal)) {
        measure_wall(survey, p, normal);
        return;
    }
    if (!is_ghost(survey, p, normal, reach)) return;
    if (!survey->found.has_ghost) survey->found.ghost = p;
    survey->found.has_ghost = true;
}

static void halve(Survey *survey, couVec3 center, couVec3 half, int level)
{
    if (survey->evaluations > survey->most) return;
    float distance = measure(survey, center, NULL), reach = couLength(half);
    if (couShape_Clearance(survey->shape, distance) > reach) return;
    if (level == levels) {
        look_at(survey, center, reach);
        return;
    }
    couVec3 quarter = couScale(0.5f, half);
    for (int k = 0; k < (survey->dimension == 2 ? 4 : 8); ++k) {
        couVec3 to = {k & 1 ? quarter.x : -quarter.x, k & 2 ? quarter.y : -quarter.y, k & 4 ? quarter.z : -quarter.z};
        if (survey->dimension == 2) to.z = 0.0f;
        halve(survey, couAdd(center, to), quarter, level + 1);
    }
}

couCutSurvey couSurveyCut(const couShape *shape, int dimension)
{
    couBounds bounds = shape->bounds;
    couVec3 size = couSub(bounds.upper, bounds.lower);
    Survey survey = {.shape = shape, .dimension = dimension, .center = couScale(0.5f, couAdd(bounds.lower, bounds.upper))};
    if (dimension == 2) survey.center.z = size.z = 0.0f;
    survey.extent = COU_MAX(size.x, COU_MAX(size.y, size.z));
    survey.most = COU_MIN(most_evaluations, most_work / COU_MAX(shape->weight, 1));
    survey.found = (couCutSurvey){.is_empty = true, .thinness = survey.extent};
    if (!(size.x >= 0.0f && size.y >= 0.0f && size.z >= 0.0f)) return survey.found; // apart already by their bounds
    // A little more than the bounds, and off their symmetry, which flat parts often share.
    survey.half = couScale(0.503f, couAdd(size, couScale(1e-3f, (couVec3){survey.extent, survey.extent, survey.extent})));
    if (dimension == 2) survey.half.z = 0.0f;
    halve(&survey, couMulAdd(survey.center, 1.3e-3f, size), survey.half, 0);
    if (survey.evaluations > survey.most) survey.found.is_empty = false; // not known
    return survey.found;
}
