// What a scene will not show as it is. The rules look at what the scene holds (liquid that ought to keep moving, columns,
// springs, drops) and at what the method is validated for (couMethodTraits): a method never has its name tested here.
#include "app/advice.h"

#include "validate/validate.h"

#include <math.h>
#include <string.h>

#define ALLOWED_HEIGHT_ERROR 0.015 // that nobody sees
#define ALLOWED_VOLUME_ERROR 0.01
#define ALLOWED_SLOWNESS 0.1
#define THIN_KINEMATIC 1e-3 // of a liquid through which bodies fall by their weight rather than by its viscosity [m^2/s]
#define MOST_VOLUMES 16     // that are measured: each takes some tenths of a second

// "dfsph, iisph": the methods with all of these claims, or those that keep heights better than `height_error`.
static int list_methods(unsigned claims, double height_error, char *text, size_t size)
{
    int count = 0;
    size_t used = 0;
    text[0] = '\0';
    for (const char *const *name = couMethodNames(); *name && used + 32 < size; ++name) {
        const couMethodTraits *traits = couFindMethodTraits(*name);
        if ((traits->claims & claims) != claims || !(traits->height_error <= height_error)) continue;
        used += (size_t)snprintf(text + used, size - used, "%s%s", count++ > 0 ? ", " : "", *name);
    }
    return count;
}

// The liquids that are least and most viscous for their weight; false without any.
static bool find_extremes(const couWorld *world, double *kinematic, double *thickest, double *tension, bool *has_springs)
{
    *kinematic = INFINITY, *thickest = 0.0, *tension = 0.0, *has_springs = false;
    for (int i = 0; i < couWorld_MaterialCount(world); ++i) {
        const couMaterialDef *material = couWorld_Material(world, couWorld_MaterialAt(world, i));
        *has_springs |= material->springs != cou_springsNone;
        double own = (double)material->viscosity / (double)material->density;
        if (material->springs == cou_springsNone) *kinematic = fmin(*kinematic, own), *thickest = fmax(*thickest, own);
        *tension = fmax(*tension, (double)material->surface_tension / (double)material->density);
    }
    return isfinite(*kinematic);
}

// Whether something moves freely, and is heavier than the lightest liquid.
static bool has_sinking_body(const couWorld *world)
{
    double lightest = INFINITY;
    for (int i = 0; i < couWorld_MaterialCount(world); ++i)
        lightest = fmin(lightest, (double)couWorld_Material(world, couWorld_MaterialAt(world, i))->density);
    for (int b = 0; b < couWorld_BodyCount(world); ++b) {
        const couBodyDef *body = couWorld_Body(world, couWorld_BodyAt(world, b));
        if (body && body->is_dynamic && (double)body->density > lightest) return true;
    }
    return false;
}

void couAdviseMethod(couScene *scene, FILE *out)
{
    couWorld *world = couScene_World(scene);
    const couWorldDef *def = couWorld_Def(world);
    const couMethodTraits *traits = couFindMethodTraits(def->method);
    double kinematic, thickest, tension,
        g = sqrt(def->gravity.x * def->gravity.x + def->gravity.y * def->gravity.y + def->gravity.z * def->gravity.z);
    bool has_springs;
    bool has_liquid = find_extremes(world, &kinematic, &thickest, &tension, &has_springs);
    char others[200];
    double depth = def->depth, seconds = couScene_Duration(scene);
    // Viscosity takes a wave as long as the liquid is deep out in L^2 / (8 pi^2 nu); if that is later than the end, only the
    // method can. A run of less than two swings of it shows no damping.
    double life = depth * depth / (8.0 * M_PI * M_PI * kinematic), swing = g > 0.0 ? sqrt(2.0 * M_PI * depth / g) : INFINITY;
    bool shows_waves = has_liquid && depth > 4.0 * (double)def->spacing && life > 0.5 * seconds && seconds > 2.0 * swing;
    if (shows_waves && !(traits->claims & cou_claimWaves) && list_methods(cou_claimWaves, INFINITY, others, sizeof others) > 0)
        fprintf(out, "advice          %s damps waves and swirls, up to four times as fast as they last; %s keep them\n",
                def->method, others);
    const char *best = couMostAccurateMethod(cou_claimWaves); // and for what settles
    if (has_liquid && kinematic < THIN_KINEMATIC && has_sinking_body(world) && !(traits->claims & cou_claimWaves) && best)
        fprintf(out, "advice          bodies sink in %s's thin liquids at a third to a half of their speed; %s comes closer\n",
                def->method, best);
    const char *fit = couMostAccurateMethod(cou_claimSlopes);
    if (has_liquid && thickest > THIN_KINEMATIC && g > 0.0 && traits->slowness > ALLOWED_SLOWNESS && fit)
        fprintf(out,
                "advice          thick liquids run down at as little as %.1g of their speed in %s as it comes; %s keeps it\n",
                1.0 - traits->slowness, def->method, fit);
    double shorter = (double)couWorld_HeightError(world);
    if (has_liquid && depth > 4.0 * (double)def->spacing && shorter > ALLOWED_HEIGHT_ERROR &&
        list_methods(cou_claimRest, 0.01, others, sizeof others) > 0)
        fprintf(out, "advice          %s shortens a column of %.3g m by %.2g %%; %s by 1 %% at the most\n", def->method, depth,
                100.0 * shorter, others);
    if (has_springs && !traits->has_springs && list_methods(cou_claimSprings, INFINITY, others, sizeof others) > 0)
        fprintf(out, "advice          %s has no springs: what is elastic or plastic here flows; %s has them\n", def->method,
                others);
    // Tension shapes what is smaller than the capillary length.
    bool shows_drops = tension > 0.0 && (!(g > 0.0) || sqrt(tension / g) > depth);
    if (shows_drops && !(traits->claims & cou_claimDrops) && list_methods(cou_claimDrops, INFINITY, others, sizeof others) > 0)
        fprintf(out, "advice          %s is not validated for surface tension, which shapes what is so small; %s are\n",
                def->method, others);
}

void couAdviseVolumes(const couScene *scene, FILE *out)
{
    const char *where;
    double asked, filled, worst = 0.0;
    int count = 0, told = 0;
    for (; count < MOST_VOLUMES && couScene_FluidVolume(scene, count, &where, &asked, &filled); ++count) {
        if (!(asked > 0.0) || !isfinite(asked)) continue;
        double off = filled / asked - 1.0;
        worst = fmax(worst, fabs(off));
        if (fabs(off) <= ALLOWED_VOLUME_ERROR || ++told > 10) continue;
        fprintf(
            out,
            "volume          %s: the particles come to %.3f of the volume that was asked for; sides that are multiples of the "
            "spacing, or a smaller spacing, would meet it\n",
            where, filled / asked);
    }
    if (count > 0 && told == 0)
        fprintf(out, "volume          what is filled is within %.2g %% of what was asked for\n", 100.0 * worst);
}
