// The step: events and emitters, then the method's phases, then a look at the health of what came out.

#include "fluid/soft_samples.h"
#include "world/world.h"

#include <limits.h>

const char *couPhaseName(couPhase phase)
{
    static const char *const names[cou_phaseCount] = {"emit",      "forces",   "sort",   "neighbors", "walls",
                                                      "springs",   "pressure", "bodies", "collide",   "velocity",
                                                      "viscosity", "solids",   "measure"};
    return phase < cou_phaseCount ? names[phase] : "?";
}

// --- Speeds ------------------------------------------------------------------------------------------------------------------

static float fastest_particle(const couWorld *world)
{
    const couVec4 *v = couFluid_Velocity(&world->fluid);
    float fastest2 = 0.0f;
    for (size_t i = 0; i < world->fluid.table.count; ++i) {
        couVec3 u = couXyz(v[i]);
        fastest2 = COU_MAX(fastest2, couDot(u, u));
    }
    return sqrtf(fastest2);
}

// Of bodies, solids and jets.
static float speed_of_things(const couWorld *world)
{
    float fastest = COU_MAX(couBodies_MaxSpeed(&world->bodies), couSolids_MaxSpeed(&world->solids));
    for (size_t e = 0; e < world->emitters.count; ++e) {
        const couEmitter *emitter = &world->emitters.items[e];
        if (couIsEmitting(emitter, world->time) && !isnan(emitter->def.speed)) fastest = COU_MAX(fastest, emitter->def.speed);
    }
    return fastest;
}

// Methods with adaptive steps choose them by it.
static void note_speed(couWorld *world)
{
    if (world->fluid.method->traits.is_adaptive)
        world->fluid.max_speed = COU_MAX(fastest_particle(world), speed_of_things(world));
}

// --- Preparation -------------------------------------------------------------------------------------------------------------

// Of the liquids [kg/m^3].
static double largest_density(const couFluid *fluid)
{
    double densest = 0;
    for (int m = 0; m < fluid->material_count; ++m) densest = COU_MAX(densest, (double)fluid->materials[m].density);
    return densest;
}

// Solids that liquid may shake.
static void warn_of_solids(const couWorld *world)
{
    const couFluid *fluid = &world->fluid;
    double densest = largest_density(fluid);
    if (!couWorld_SolidCount(world) || !(densest > 0)) return;
    if (!couMeetsSolids(fluid)) return;
    for (size_t s = 0; s < world->solids.count; ++s) {
        const couSolidDef *def = &world->solids.items[s].def;
        if (!world->solids.items[s].slot.is_here || !((double)def->density < COU_LEAST_SOFT_DENSITY * densest)) continue;
        couLog(cou_logWarning, "the solid '%s' has %g of the density of the heaviest liquid: below %g liquid may shake it",
               def->name, (double)def->density / densest, COU_LEAST_SOFT_DENSITY);
    }
}

// What a pressure's noise gives a body much lighter than a particle makes the next step shorter, and such bodies were thrown: 16
// of 45 with 1/100 of a particle and less, none of 78 with 1/33 and more. Liquid that goes along with a body is far heavier.
static void bear_light_bodies(couWorld *world)
{
    const double least_share = 1.0 / 30;
    const couFluid *fluid = &world->fluid;
    double particle = largest_density(fluid) * pow((double)fluid->spacing, world->def.dimension);
    if (fluid->method->traits.has_pressure) couBodies_SetLeastMass(&world->bodies, least_share * particle);
}

bool couWorld_Prepare(couWorld *world, couFaults *faults)
{
    couFluid *fluid = &world->fluid;
    fluid->h = fluid->method->support_ratio(fluid) * fluid->spacing;
    couDemand demand = couEstimateDemand(world);
    note_speed(world);
    if (!fluid->method->prepare(fluid, &demand, world->choices, sizeof world->choices, faults)) return false;
    world->def.depth = demand.depth;
    world->def.speed = demand.speed;
    if (!world->is_prepared) warn_of_solids(world);
    bear_light_bodies(world);
    world->is_prepared = true;
    if (couSettle(world)) return true;
    couFaults_Add(faults, NULL, "fluid.start", "out of memory");
    return false;
}

static void ensure_prepared(couWorld *world)
{
    if (world->is_prepared) return;
    couFaults faults = {0};
    bool is_good = couWorld_Prepare(world, &faults);
    for (int f = 0; f < faults.count; ++f) couLog(cou_logError, "%s: %s", faults.items[f].key, faults.items[f].message);
    couFaults_Clear(&faults);
    COU_ASSERT(is_good); // call couWorld_Prepare() first when parameters come from outside
    (void)is_good;
}

// Wall density, stickiness and the Coanda force act on a body with the stiffness of the layer of fluid around it, by springs
// that the step only just resolves for particles of their own mass. A body lighter than a share of that layer needs a shorter
// step, as a light mass on a spring does: a box of a tenth of a metre and 1 kg/m^3 was thrown at 4 km/s without. Methods whose
// pressures know how far a body gives way need it for the Coanda force alone.
static float shorten_for_bodies(const couWorld *world, float step)
{
    const double wall_spring = 0.3, most_load = 6; // times dt^2; mass of the layers on both sides / mass of the body
    bool has_wall_spring = world->fluid.method->has_contact_pushes;
    double densest = largest_density(&world->fluid), load = 0;
    for (size_t b = 0; b < world->bodies.count; ++b) {
        const couBody *body = &world->bodies.items[b];
        couBounds bounds;
        if (!couIsFree(body)) continue;
        if (!couShape_Bounds(body->def.shape, world->def.dimension, &bounds)) continue;
        couVec3 size = couSub(bounds.upper, bounds.lower), layer = {world->fluid.h, world->fluid.h, world->fluid.h};
        size = couAdd(size, layer); // what is around a small body is larger than it
        double x = size.x, y = size.y, z = world->def.dimension == 2 ? 1.0 : (double)size.z;
        double area = world->def.dimension == 2 ? COU_MAX(x, y) : COU_MAX(x * y, COU_MAX(y * z, z * x));
        double pull = body->def.stickiness + body->def.coanda * world->fluid.coanda_rate;
        if (!has_wall_spring && !(pull > 0)) continue;
        double spring = (has_wall_spring ? wall_spring : 0.0) + pull * (double)(step * step);
        load = COU_MAX(load, spring / wall_spring * densest * (double)world->fluid.h * area / body->mass);
    }
    return load > most_load ? step * (float)sqrt(most_load / load) : step;
}

// What stability asks for.
static float wanted_step(couWorld *world)
{
    float step = world->fluid.method->suggest_step(&world->fluid);
    return world->bodies.free_count ? shorten_for_bodies(world, step) : step;
}

float couWorld_SuggestStep(couWorld *world)
{
    ensure_prepared(world);
    note_speed(world);
    return COU_MAX(wanted_step(world), world->fluid.least_step);
}

float couWorld_HeightError(const couWorld *world)
{
    return world->is_prepared ? world->fluid.method->height_error(&world->fluid) : NAN;
}
float couWorld_SupportRadius(const couWorld *world)
{
    return world->fluid.method->support_ratio(&world->fluid) * world->fluid.spacing;
}

// --- The step ----------------------------------------------------------------------------------------------------------------

static void fire_events(couWorld *world)
{
    for (size_t e = 0; e < world->events.count; ++e) {
        // Half a microsecond of grace: step times are sums of floats. An event may add others, so the list may move.
        while (world->events.items[e].slot.is_here && world->events.items[e].next <= world->time + 5e-7) {
            couEvent *event = &world->events.items[e];
            event->next = event->period > 0 ? event->next + event->period : INFINITY;
            event->function(event->context, world, world->time);
        }
    }
}

static couStep begin_step(couWorld *world, float dt, couStepReport *report)
{
    COU_ASSERT(dt > 0.0f && !world->is_stepping);
    ensure_prepared(world);
    world->is_stepping = true;
    couArena_Reset(&world->scratch);
    return (couStep){.fluid = &world->fluid, .dt = dt, .time = world->time, .index = world->step_count, .report = report};
}

static void run_phase(couStep *step, const couPhaseEntry *entry)
{
    if (step->has_failed) return;
    double begin = couSeconds();
    entry->function(step);
    step->report->phase_seconds[entry->phase] += couSeconds() - begin;
}

static void end_step(couWorld *world, couStep *step)
{
    couStepReport *report = step->report;
    report->substeps++;
    report->dt = step->dt;
    report->particle_steps += world->fluid.table.count;
    world->time += step->dt;
    world->step_count++;
    world->is_stepping = false;
    if (step->has_failed && !couStepReport_HasFailed(report)) {
        couLog(cou_logError, "step %llu could not be finished: out of memory", (unsigned long long)world->step_count);
        report->is_out_of_memory = true;
    }
}

static couStepReport step_world(couWorld *world, float dt)
{
    couStepReport report = {.first_bad_id = UINT32_MAX};
    couStep step = begin_step(world, dt, &report);
    double start = couSeconds();
    fire_events(world);
    couEmit(world, dt, &report);
    if (!couWatchCrossers(world)) step.has_failed = true;
    couPredictBodies(&world->bodies, world->time, dt);
    report.phase_seconds[cou_phaseEmit] += couSeconds() - start;
    for (const couPhaseEntry *entry = world->fluid.method->phases; entry->function; ++entry) run_phase(&step, entry);
    start = couSeconds();
    if (!step.has_failed && world->solids.count) couSettleSoft(&world->fluid, dt);
    if (!step.has_failed && world->solids.count && !couMeetsSolids(&world->fluid))
        step.has_failed = !couTouchSoft(&world->fluid, &world->solids, dt);
    if (!step.has_failed && world->solids.count)
        step.has_failed = !couSolids_Step(&world->solids, &world->bodies, &world->fluid.parallel, world->time, dt, &report);
    report.phase_seconds[cou_phaseSolids] += couSeconds() - start;
    start = couSeconds();
    if (!step.has_failed) couMeasureHealth(world, &step);
    report.phase_seconds[cou_phaseMeasure] += couSeconds() - start;
    end_step(world, &step);
    return report;
}

void couWorld_AfterStep(couWorld *world, couAfterStepFcn *function, void *context)
{
    world->after_step = function;
    world->after_step_context = context;
}

static void tell_step(const couWorld *world)
{
    if (world->after_step) world->after_step(world->after_step_context);
}

// Once time is what it shall be.
static void take_gauges(couWorld *world, couStepReport *report)
{
    double start = couSeconds();
    if (couStepReport_HasFailed(report) || couTakeGauges(world)) {
        report->phase_seconds[cou_phaseMeasure] += couSeconds() - start;
        return;
    }
    couLog(cou_logError, "out of memory for the gauges");
    report->is_out_of_memory = true;
}

couStepReport couWorld_Step(couWorld *world, float dt)
{
    couBeginGaugeRows(world);
    couStepReport report = step_world(world, dt);
    take_gauges(world, &report);
    couBodies_SettleForces(&world->bodies, dt);
    tell_step(world);
    return report;
}

// --- Advancing ---------------------------------------------------------------------------------------------------------------

// Steps chosen one by one from the speed that there is; the last two share what is left, so that none is tiny.
static void advance_adaptively(couWorld *world, double seconds, couStepReport *report)
{
    double end = world->time + seconds;
    float speed = fastest_particle(world);
    couWatch watch = couBeginWatch(world);
    for (;;) {
        float things = speed_of_things(world);
        world->fluid.max_speed = COU_MAX(speed, things);
        world->fastest_thing = COU_MAX(world->fastest_thing, things);
        // A step a little longer than stability asks for may go well; one ten times as long does not.
        float wanted = wanted_step(world), least = world->fluid.least_step;
        if (wanted < 0.1f * least) {
            report->unstable_step = wanted;
            break;
        }
        if (wanted < least) report->clamped_count++;
        double left = end - world->time, step = COU_MAX(wanted, least);
        bool is_last = left <= step * (1 + 1e-3);
        double dt = is_last ? left : left < 2 * step ? 0.5 * left : step, begin = world->time;
        couStepReport own = step_world(world, (float)dt);
        world->time = is_last ? end : begin + dt;
        take_gauges(world, &own);
        couStepReport_Add(report, &own);
        tell_step(world);
        if (is_last || couStepReport_HasFailed(&own) || couWatch_IsStuck(&watch, &own, wanted < least)) break;
        speed = own.max_speed;
    }
    couEndWatch(world, &watch, report);
}

static void advance_evenly(couWorld *world, double seconds, couStepReport *report)
{
    double begin = world->time;
    couWatch watch = couBeginWatch(world);
    world->fastest_thing = COU_MAX(world->fastest_thing, speed_of_things(world));
    // A hair more than the suggested step is fine: 1/30 s must not become two steps because of rounding.
    int substeps = (int)COU_CLAMP(ceil(seconds / couWorld_SuggestStep(world) - 1e-3), 1, INT_MAX);
    for (int s = 0; s < substeps; ++s) {
        couStepReport own = step_world(world, (float)(seconds / substeps));
        world->time = begin + seconds * (s + 1) / substeps; // free of the sum of float steps
        take_gauges(world, &own);
        couStepReport_Add(report, &own);
        tell_step(world);
        if (couStepReport_HasFailed(&own)) return;
    }
    couEndWatch(world, &watch, report);
}

couStepReport couWorld_Advance(couWorld *world, double seconds)
{
    COU_ASSERT(seconds > 0);
    ensure_prepared(world);
    couStepReport report = {.first_bad_id = UINT32_MAX};
    couBeginGaugeRows(world);
    if (world->fluid.method->traits.is_adaptive)
        advance_adaptively(world, seconds, &report);
    else
        advance_evenly(world, seconds, &report);
    couBodies_SettleForces(&world->bodies, seconds);
    return report;
}
