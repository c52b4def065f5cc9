// Differences and intersections are looked through once, when they are made.
//
// Their distance is the largest of their parts' (insides out of what is taken away), which is as good as the parts' own, but for
// one case: where a face of one part lies in a face of another, as when the hollow of a tank is cut off flush with its top, the
// field is 0 on both sides and a wall without a solid spans the opening. No local rule tells it from a thin wall, so it is refused.
// Cubes that the surface may pass through are halved down to 1/32 of the bounds; from the middle of each that is left the way goes
// down to the surface and through it: is there a solid behind, and how far is it to its other side? About 4000 cubes and 15
// distances each, 1 to 5 ms for a few parts.
#include "shape/shape_data.h"

enum { levels = 5, most_evaluations = 400000, walk_steps = 64, newton_steps = 8 };

// The solid that must be behind a surface starts within these shares of the extent.
static const float depths[] = {3e-6f, 1e-5f, 1e-4f, 1e-3f};

typedef struct Survey {
    const couShape *shape;
    couVec3 center, half; // of the bounds [m]
    float extent;         // [m]
    int dimension;
    int evaluations;
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

// From the surface straight in to the other side: counts as a wall where that looks the other way, and not as the edge of a wedge.
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
    // A ghost is flat: free on both sides, and 0 in between also a little aside.
    couVec3 aside = fabsf(normal.x) < 0.6f ? (couVec3){1, 0, 0} : (couVec3){0, 1, 0};
    aside = couNormalize(couCross(normal, aside));
    if (survey->dimension == 2) aside = (couVec3){-normal.y, normal.x, 0.0f};
    float off = 0.01f * reach, tolerance = 0.1f * off;
    bool is_flat = fabsf(measure(survey, couMulAdd(p, off, aside), NULL)) < tolerance &&
                   fabsf(measure(survey, couMulAdd(p, -off, aside), NULL)) < tolerance;
    if (!is_flat || is_solid_behind(survey, couMulAdd(p, off, aside), normal)) return;
    if (!survey->found.has_ghost) survey->found.ghost = p;
    survey->found.has_ghost = true;
}

static void halve(Survey *survey, couVec3 center, couVec3 half, int level)
{
    if (survey->evaluations > most_evaluations) return;
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

couCutSurvey couSurveyCut(const couShape *shape)
{
    couBounds bounds = shape->bounds;
    couVec3 size = couSub(bounds.upper, bounds.lower);
    Survey survey = {.shape = shape, .dimension = 3, .center = couScale(0.5f, couAdd(bounds.lower, bounds.upper))};
    survey.extent = COU_MAX(size.x, COU_MAX(size.y, size.z));
    survey.found = (couCutSurvey){.is_empty = true, .thinness = survey.extent};
    if (!(size.x >= 0.0f && size.y >= 0.0f && size.z >= 0.0f)) return survey.found; // apart already by their bounds
    // A little more than the bounds, and off their symmetry, which flat parts often share.
    survey.half = couScale(0.503f, couAdd(size, couScale(1e-3f, (couVec3){survey.extent, survey.extent, survey.extent})));
    halve(&survey, couMulAdd(survey.center, 1.3e-3f, size), survey.half, 0);
    return survey.found;
}
