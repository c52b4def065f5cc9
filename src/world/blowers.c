// Blowers of a world: added, changed, switched, removed and read through their handles. What they do is in fluid/blowers.c.

#include "world/look.h"
#include "world/world.h"

#include <stdio.h>

#define LARGE_TIME ((double)1.0e30f) // stands for "never" [s]
#define LEAST_PERIOD 1e-6f           // of pulses [s]
#define GREEN 0.1, 0.6, 0.15

// --- Def ---------------------------------------------------------------------------------------------------------------------

static const couParam blower_params[] = {
    COU_NAME(couBlowerDef, name, .help = "unique name"),
    COU_NUMBER(couBlowerDef, force, "N", .initial = {NAN}, .is_auto = true, .min = -1e9, .max = 1e9,
               .help = "on each particle inside, along the blower; auto: `acceleration` says it"),
    COU_NUMBER(couBlowerDef, acceleration, "m/s^2", .initial = {NAN}, .is_auto = true, .min = -1e6, .max = 1e6,
               .help = "of each particle inside, along the blower; auto: `force` says it"),
    COU_NUMBER(couBlowerDef, start, "s", .min = 0, .max = LARGE_TIME, .help = "when it begins"),
    COU_NUMBER(couBlowerDef, stop, "s", .initial = {LARGE_TIME}, .min = 0, .max = LARGE_TIME, .help = "when it ends"),
    COU_NUMBER(couBlowerDef, fade_in, "s", .min = 0, .max = LARGE_TIME, .help = "grows for so long from `start` on"),
    COU_NUMBER(couBlowerDef, fade_out, "s", .min = 0, .max = LARGE_TIME, .help = "falls for so long up to `stop`"),
    COU_NUMBER(couBlowerDef, period, "s", .min = 0, .max = 1e6, .help = "of pulses from `start` on; 0: it blows all the time"),
    COU_NUMBER(couBlowerDef, duty, "", .initial = {0.5}, .min = 0, .is_min_open = true, .max = 1,
               .help = "share of a period that it blows"),
    COU_GHOST_LOOK_ROWS(couBlowerDef, GREEN, 1, COU_BODY_ROUGHNESS),
};
static const couParamTable blower_table = {"blower", blower_params, COU_COUNT(blower_params)};

const couParamTable *couBlowerParams(void) { return &blower_table; }

couBlowerDef couDefaultBlowerDef(void)
{
    couBlowerDef def = {.pose = COU_POSE_IDENTITY};
    couParams_SetDefaults(&blower_table, &def);
    return def;
}

// --- Checks ------------------------------------------------------------------------------------------------------------------

static bool check_strength(const couBlowerDef *def, couFaults *faults)
{
    if (isnan(def->force) != isnan(def->acceleration)) return true;
    couFaults_Add(faults, NULL, "blower.force",
                  isnan(def->force) ? "is missing: give a force on each particle [N], or an acceleration [m/s^2]"
                                    : "give either force or acceleration");
    return false;
}

static bool check_times(const couBlowerDef *def, couFaults *faults)
{
    if (!(def->stop > def->start)) {
        couFaults_Add(faults, NULL, "blower.stop", "stop is %g s, not after start at %g s", def->stop, def->start);
        return false;
    }
    if (def->fade_out > 0.0f && def->stop >= (float)LARGE_TIME) {
        couFaults_Add(faults, NULL, "blower.fade_out", "it would fade out for %g s up to its stop, but it never stops",
                      def->fade_out);
        return false;
    }
    double fades = (double)def->fade_in + def->fade_out, time = (double)def->stop - def->start;
    if (fades > time * (1 + 1e-6)) { // as floats, 0.3 - 0.1 is less than 0.2
        couFaults_Add(faults, NULL, def->fade_in > 0.0f ? "blower.fade_in" : "blower.fade_out",
                      "it fades in for %g s and out for %g s, longer than it blows: %g s, from %g to %g s", def->fade_in,
                      def->fade_out, time, def->start, def->stop);
        return false;
    }
    if (def->period == 0.0f || def->period >= LEAST_PERIOD) return true;
    couFaults_Add(faults, NULL, "blower.period", "%g s: must be 0 or at least %g s", def->period, (double)LEAST_PERIOD);
    return false;
}

// Some of it must lie in the box that repeats.
static bool check_period(const couWorld *world, const couBlowerDef *def, couFaults *faults)
{
    const couPeriod *period = &world->fluid.period;
    couBounds own, box;
    if (!couShape_Bounds(def->shape, world->def.dimension, &own)) return true; // has its fault already
    box = couMoveBounds(own, def->pose);
    const float lower[3] = {box.lower.x, box.lower.y, box.lower.z}, upper[3] = {box.upper.x, box.upper.y, box.upper.z};
    for (int a = 0; a < world->def.dimension; ++a) {
        float first = period->lower[a], last = first + period->length[a];
        if (!(period->length[a] > 0.0f) || (lower[a] < last && upper[a] > first)) continue;
        couFaults_Add(faults, NULL, "blower.at",
                      "it is outside the domain: from %g to %g m along %c, where the world repeats from %g to %g m", lower[a],
                      upper[a], 'x' + a, first, last);
        return false;
    }
    return true;
}

static bool check_blower(const couWorld *world, const couBlowerDef *def, couFaults *faults)
{
    bool is_good = couParams_Check(&blower_table, def, faults);
    bool has_place = couCheckShape(world, def->shape, true, "blower.shape", faults);
    is_good = couCheckName(def->name, "blower.name", faults) && is_good;
    has_place = couCheckPose(def->pose, "blower.at", faults) && has_place;
    if (is_good) is_good = check_strength(def, faults);
    if (is_good) is_good = check_times(def, faults);
    return has_place && check_period(world, def, faults) && is_good;
}

// Another blower of this name is a fault.
static bool check_name(const couWorld *world, const char *name, const couBlower *self, couFaults *faults)
{
    couBlowerId other = name[0] ? couWorld_FindBlower(world, name) : (couBlowerId){0};
    if (!other.index1 || &world->fluid.blowers.items[other.index1 - 1] == self) return true;
    couFaults_Add(faults, NULL, "blower.name", "there is a blower '%s' already", name);
    return false;
}

// --- Handles -----------------------------------------------------------------------------------------------------------------

static couBlower *find(const couWorld *world, couBlowerId id)
{
    return couFindSlot(COU_SLOTS(&world->fluid.blowers), id.index1, id.generation);
}

static couBlowerId id_of(const couWorld *world, const couBlower *blower)
{
    return (couBlowerId){(uint16_t)(blower - world->fluid.blowers.items + 1), blower->slot.generation};
}

static void define(couWorld *world, couBlower *blower, const couBlowerDef *def)
{
    couShape *old = blower->def.shape;
    couShape_Retain(def->shape);
    if (old) couShape_Release(old);
    blower->def = *def;
    if (!def->name[0])
        snprintf(blower->def.name, sizeof blower->def.name, "blower%d", (int)(blower - world->fluid.blowers.items) + 1);
}

couBlowerId couWorld_AddBlower(couWorld *world, const couBlowerDef *def, couFaults *faults)
{
    if (!check_blower(world, def, faults) || !check_name(world, def->name, NULL, faults)) return (couBlowerId){0};
    couBlower *blower = COU_ADD_SLOT(&world->memory, &world->fluid.blowers);
    if (!blower) {
        couFaults_Add(faults, NULL, "blower", "out of memory, or more than %d of a kind", COU_MAX_SLOTS);
        return (couBlowerId){0};
    }
    *blower = (couBlower){.slot = blower->slot, .def.shape = blower->def.shape, .is_on = true};
    define(world, blower, def);
    return id_of(world, blower);
}

bool couWorld_SetBlower(couWorld *world, couBlowerId id, const couBlowerDef *def, couFaults *faults)
{
    couBlower *blower = find(world, id);
    COU_ASSERT(blower);
    if (!blower || !check_blower(world, def, faults) || !check_name(world, def->name, blower, faults)) return false;
    define(world, blower, def);
    return true;
}

void couWorld_RemoveBlower(couWorld *world, couBlowerId id)
{
    couBlower *blower = find(world, id);
    COU_ASSERT(blower);
    if (blower) couDropSlot(&blower->slot); // its shape stays: an older state may bring it back
}

void couWorld_SetBlowerOn(couWorld *world, couBlowerId id, bool is_on)
{
    couBlower *blower = find(world, id);
    COU_ASSERT(blower);
    if (blower) blower->is_on = is_on;
}

bool couWorld_IsBlowerOn(const couWorld *world, couBlowerId id)
{
    const couBlower *blower = find(world, id);
    COU_ASSERT(blower);
    return blower && blower->is_on;
}

bool couWorld_HasBlower(const couWorld *world, couBlowerId id) { return find(world, id) != NULL; }
int couWorld_BlowerCount(const couWorld *world) { return couCountSlots(COU_SLOTS(&world->fluid.blowers)); }

couBlowerId couWorld_BlowerAt(const couWorld *world, int index)
{
    int place = couNthSlot(COU_SLOTS(&world->fluid.blowers), index);
    return place < 0 ? (couBlowerId){0} : id_of(world, &world->fluid.blowers.items[place]);
}

couBlowerId couWorld_FindBlower(const couWorld *world, const char *name)
{
    for (size_t b = 0; b < world->fluid.blowers.count; ++b) {
        const couBlower *blower = &world->fluid.blowers.items[b];
        if (blower->slot.is_here && strcmp(blower->def.name, name) == 0) return id_of(world, blower);
    }
    return (couBlowerId){0};
}

const couBlowerDef *couWorld_Blower(const couWorld *world, couBlowerId id)
{
    const couBlower *blower = find(world, id);
    return blower ? &blower->def : NULL;
}
