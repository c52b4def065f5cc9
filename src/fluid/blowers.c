// Blowers [Gagneux 2022, sect. 3.1]: a force on every particle of the liquid within a region, along the region's axis. Nothing
// else is modelled, neither the fan nor its housing, and bodies in the region feel the flow alone.
//
// A step takes the mean over itself of what fades and pulses say, so that the impulse that a blower has given does not depend on
// how long the steps are, and no pulse falls between two of them.

#include "fluid/blowers.h"

#include "fluid/fluid.h"

// Integral of the fades from the start on to t; it stays at its value once the blower has stopped.
static double faded_seconds(const couBlowerDef *def, double t)
{
    double start = def->start, stop = def->stop, in = def->fade_in, out = def->fade_out;
    t = COU_MIN(t, stop);
    if (!(t > start)) return 0.0;
    double since = t - start, left = t - (stop - out);
    double sum = since < in ? since * since / (2 * in) : since - 0.5 * in;
    return left > 0 ? sum - left * left / (2 * out) : sum;
}

double couBlower_Share(const couBlowerDef *def, double time, double dt)
{
    double begin = COU_MAX(time, (double)def->start), end = COU_MIN(time + dt, (double)def->stop);
    if (!(end > begin)) return 0.0;
    if (!(def->period > 0.0f)) return (faded_seconds(def, end) - faded_seconds(def, begin)) / dt;
    double sum = 0, period = def->period, length = period * (double)def->duty;
    for (double k = floor((begin - def->start) / period);; k += 1) {
        double pulse = def->start + k * period;
        if (pulse >= end) break;
        double from = COU_MAX(pulse, begin), to = COU_MIN(pulse + length, end);
        if (to > from) sum += faded_seconds(def, to) - faded_seconds(def, from);
    }
    return sum / dt;
}

float couBlower_Strength(const couFluid *fluid, const couBlowerDef *def)
{
    if (!isnan(def->acceleration)) return fabsf(def->acceleration);
    float strongest = 0.0f;
    for (int m = 0; m < fluid->material_count; ++m) strongest = COU_MAX(strongest, fabsf(def->force) / fluid->mass[m]);
    return strongest;
}

float couStrongestBlow(const couFluid *fluid)
{
    float strongest = 0.0f;
    for (size_t b = 0; b < fluid->blowers.count; ++b) {
        const couBlower *blower = &fluid->blowers.items[b];
        if (blower->slot.is_here && blower->is_on) strongest = COU_MAX(strongest, couBlower_Strength(fluid, &blower->def));
    }
    return strongest;
}

bool couListBlows(couStep *step, couBlow **blows, size_t *count)
{
    const couBlowers *blowers = &step->fluid->blowers;
    *count = 0;
    if (!blowers->count) return true;
    *blows = COU_TAKE(step->fluid->scratch, couBlow, blowers->count);
    if (!*blows) return false;
    for (size_t b = 0; b < blowers->count; ++b) {
        const couBlower *blower = &blowers->items[b];
        const couBlowerDef *def = &blower->def;
        if (!blower->slot.is_here || !blower->is_on) continue;
        double share = couBlower_Share(def, step->time, step->dt);
        if (!(share > 0)) continue;
        bool is_force = isnan(def->acceleration);
        couVec3 axis = couRotate(def->pose.rotation, (couVec3){0, 1, 0});
        float strength = (float)share * (is_force ? def->force : def->acceleration);
        (*blows)[(*count)++] = (couBlow){def->shape, def->pose, couScale(strength, axis), is_force};
    }
    return true;
}

couVec3 couBlow_Sum(const couBlow *blows, size_t count, int dimension, couVec3 x, float mass)
{
    couVec3 sum = {0};
    for (size_t b = 0; b < count; ++b) {
        const couBlow *blow = &blows[b];
        if (couShape_Distance(blow->shape, dimension, couToLocal(blow->pose, x)) > 0.0f) continue;
        sum = couAdd(sum, couScale(blow->is_force ? 1.0f / mass : 1.0f, blow->push));
    }
    return sum;
}
