// The step: events and emitters, then the method's phases, then a look at the health of what came out.

#include "world/world.h"

#include <math.h>

const char *couPhaseName(couPhase phase)
{
    static const char *const names[cou_phaseCount] = {"emit",     "forces", "sort",    "neighbors", "walls",     "springs",
                                                      "pressure", "bodies", "collide", "velocity",  "viscosity", "measure"};
    return phase < cou_phaseCount ? names[phase] : "?";
}

// --- Preparation -------------------------------------------------------------------------------------------------------------

bool couWorld_Prepare(couWorld *world, couFaults *faults)
{
    couFluid *fluid = &world->fluid;
    fluid->h = fluid->method->support_ratio(fluid) * fluid->spacing;
    if (fluid->method->sph && !couCheckSamples(world, faults)) return false;
    couDemand demand = couEstimateDemand(world);
    if (!fluid->method->prepare(fluid, &demand, world->choices, sizeof world->choices, faults)) return false;
    world->def.depth = demand.depth;
    world->def.speed = demand.speed;
    world->is_prepared = true;
    return true;
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

// Wall density and stickiness act on a body with the stiffness of the layer of fluid around it, by springs that the step only just
// resolves for particles of their own mass. A body lighter than a share of that layer needs a shorter step, as a light mass on a
// spring does: a box of a tenth of a metre and 1 kg/m^3 was thrown at 4 km/s without.
static float shorten_for_bodies(const couWorld *world, float step)
{
    const double wall_spring = 0.3, most_load = 6; // times dt^2; mass of the layers on both sides / mass of the body
    double densest = 0, load = 0;
    for (int m = 0; m < world->fluid.material_count; ++m) densest = COU_MAX(densest, (double)world->fluid.materials[m].density);
    for (size_t b = 0; b < world->body_count; ++b) {
        const couBody *body = &world->bodies[b];
        couBounds bounds;
        if (!body->is_here || body->kind != cou_rigidFree) continue;
        if (!couShape_Bounds(body->def.shape, world->def.dimension, &bounds)) continue;
        couVec3 size = couSub(bounds.upper, bounds.lower), layer = {world->fluid.h, world->fluid.h, world->fluid.h};
        size = couAdd(size, layer); // what is around a small body is larger than it
        double x = size.x, y = size.y, z = world->def.dimension == 2 ? 1.0 : (double)size.z;
        double area = world->def.dimension == 2 ? COU_MAX(x, y) : COU_MAX(x * y, COU_MAX(y * z, z * x));
        double spring = wall_spring + (double)(body->def.stickiness * step * step);
        load = COU_MAX(load, spring / wall_spring * densest * (double)world->fluid.h * area / body->mass);
    }
    return load > most_load ? step * (float)sqrt(most_load / load) : step;
}

// What stability asks for.
static float wanted_step(couWorld *world)
{
    float step = world->fluid.method->suggest_step(&world->fluid);
    return world->free_count ? shorten_for_bodies(world, step) : step;
}

float couWorld_SuggestStep(couWorld *world)
{
    ensure_prepared(world);
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

// --- Phases of the world -----------------------------------------------------------------------------------------------------

static void fire_events(couWorld *world)
{
    for (size_t e = 0; e < world->event_count; ++e) {
        // Half a microsecond of grace: step times are sums of floats.
        while (world->events[e].next <= world->time + 5e-7) {
            couEvent *event = &world->events[e];
            event->next = event->period > 0 ? event->next + event->period : INFINITY;
            event->function(event->context, world, world->time);
        }
    }
}

// Where methods leave what they do to bodies.
static bool reserve_impulses(couWorld *world)
{
    couFluid *fluid = &world->fluid;
    if (!couReserve(&world->memory, (void **)&world->body_impulses, &world->body_impulse_capacity, world->body_count + 1,
                    sizeof *world->body_impulses) ||
        !couReserve(&world->memory, (void **)&world->body_centers, &world->body_center_capacity, world->body_count + 1,
                    sizeof *world->body_centers))
        return false;
    memset(world->body_impulses, 0, world->body_count * sizeof *world->body_impulses);
    for (size_t b = 0; b < world->body_count; ++b)
        world->body_centers[b] = couBodyCenter(&world->bodies[b], world->bodies[b].start);
    fluid->body_impulses = world->body_impulses;
    fluid->body_centers = world->body_centers;
    fluid->body_count = world->body_count;
    return true;
}

static void phase_emit(couStep *step)
{
    couWorld *world = step->world;
    fire_events(world);
    couEmit(world, step->dt, step->report);
    couMoveBodies(world, step->dt);
    if (!reserve_impulses(world)) step->has_failed = true;
}

// "Add springs now" waits for fresh neighbour lists, which are there after the method's search.
static void add_wanted_springs(couWorld *world)
{
    bool has_no_springs = world->fluid.springs->count == 0;
    for (int m = 0; m < world->fluid.material_count; ++m) {
        // A frozen material is a solid from the beginning, unless it was given its springs.
        bool is_new_solid = world->step_count == 0 && has_no_springs && world->fluid.materials[m].springs == cou_springsFrozen;
        if (!world->wants_springs[m] && !is_new_solid) continue;
        couAddSpringsNow(&world->fluid, m);
        world->wants_springs[m] = false;
    }
}

typedef struct HealthJob {
    const couFluid *fluid;
    struct Health {
        double density_sum;
        float density_max, speed2_max;
        int64_t nan_count;
        uint32_t bad_id;
    } * blocks;
} HealthJob;

static void health_block(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)worker;
    const HealthJob *job = context;
    const couVec4 *v = couFluid_Velocity(job->fluid), *x = couFluid_Position(job->fluid);
    const float *density = couFluid_Density(job->fluid);
    struct Health health = {0, 0, 0, 0, UINT32_MAX};
    for (size_t i = begin; i < end; ++i) {
        float speed2 = v[i].x * v[i].x + v[i].y * v[i].y + v[i].z * v[i].z;
        float error = COU_MAX(density[i] - 1.0f, 0.0f);
        if (!isfinite(speed2 + x[i].x + x[i].y + x[i].z)) {
            health.nan_count++;
            health.bad_id = COU_MIN(health.bad_id, couFluid_Id(job->fluid)[i]);
            continue;
        }
        health.density_sum += error;
        health.density_max = COU_MAX(health.density_max, error);
        health.speed2_max = COU_MAX(health.speed2_max, speed2);
    }
    job->blocks[block] = health;
}

// Compression, speed, NaN. The fixed blocks and their order make the sums the same bits for any number of threads.
static void phase_measure(couStep *step)
{
    enum { BLOCK = 16384 };
    couWorld *world = step->world;
    size_t count = world->fluid.table.count;
    size_t blocks = (size_t)couBlockCount(count, BLOCK);
    size_t doubles = (blocks * sizeof(struct Health) + sizeof(double) - 1) / sizeof(double);
    if (!couReserve(&world->memory, (void **)&world->impulses, &world->impulse_capacity, doubles + 1, sizeof(double))) return;
    HealthJob job = {&world->fluid, (struct Health *)world->impulses};
    couFor(&world->fluid.parallel, count, BLOCK, health_block, &job);
    couStepReport *report = step->report;
    double sum = 0;
    for (size_t b = 0; b < blocks; ++b) {
        const struct Health *health = &job.blocks[b];
        sum += health->density_sum;
        report->density_error_max = COU_MAX(report->density_error_max, health->density_max);
        report->max_speed = COU_MAX(report->max_speed, sqrtf(health->speed2_max));
        report->nan_count += health->nan_count;
        if (health->nan_count) report->first_bad_id = COU_MIN(report->first_bad_id, health->bad_id);
    }
    report->density_error_mean = count ? sum / (double)count : 0;
}

// --- The step ----------------------------------------------------------------------------------------------------------------

static void run_phase(couStep *step, couPhase phase, couPhaseFcn *function)
{
    if (step->has_failed) return;
    double begin = couSeconds();
    function(step);
    step->report->phase_seconds[phase] += couSeconds() - begin;
}

static void begin_step(couStep *step, couWorld *world, float dt, couStepReport *report)
{
    COU_ASSERT(dt > 0.0f && !world->is_stepping);
    ensure_prepared(world);
    world->is_stepping = true;
    *step = (couStep){.fluid = &world->fluid, .dt = dt, .report = report, .world = world};
    step->accelerate = couAccelerate;
    step->place_samples = couPlaceSamples;
    step->wall_velocity = couWallVelocity;
    step->find_contacts = couFindContacts;
    step->separate = couSeparate;
    step->couple = couCouple;
    step->collide = couCollide;
}

static void end_step(couStep *step)
{
    couWorld *world = step->world;
    couStepReport *report = step->report;
    report->substeps++;
    report->dt = step->dt;
    report->particle_steps += world->fluid.table.count;
    world->time += step->dt;
    world->step_count++;
    world->is_stepping = false;
    if (step->has_failed && !report->nan_count && !report->lost_count) {
        couLog(cou_logError, "step %llu could not be finished: out of memory", (unsigned long long)world->step_count);
        report->nan_count = -1;
    }
}

static void step_world(couWorld *world, float dt, couStepReport *report)
{
    couStep step;
    begin_step(&step, world, dt, report);
    run_phase(&step, cou_phaseEmit, phase_emit); // events, sources and sinks
    for (const couPhaseEntry *entry = world->fluid.method->phases; entry->function; ++entry) {
        if (entry->phase == cou_phaseSprings && !step.has_failed) add_wanted_springs(world);
        run_phase(&step, entry->phase, entry->function); // the method's own phases
    }
    run_phase(&step, cou_phaseMeasure, phase_measure); // health
    end_step(&step);
}

static void settle_forces(couWorld *world, double seconds)
{
    for (size_t b = 0; b < world->body_count; ++b) {
        couBody *body = &world->bodies[b];
        double *p = body->sum;
        body->force = (couVec3){(float)(p[0] / seconds), (float)(p[1] / seconds), (float)(p[2] / seconds)};
        body->torque = (couVec3){(float)(p[3] / seconds), (float)(p[4] / seconds), (float)(p[5] / seconds)};
        memset(body->sum, 0, sizeof body->sum);
    }
}

couStepReport couWorld_Step(couWorld *world, float dt)
{
    couStepReport report = {.first_bad_id = UINT32_MAX};
    step_world(world, dt, &report);
    settle_forces(world, dt);
    return report;
}

// The fastest of particles, bodies and jets.
static float find_max_speed(const couWorld *world)
{
    const couVec4 *v = couFluid_Velocity(&world->fluid);
    float fastest2 = 0.0f;
    for (size_t i = 0; i < world->fluid.table.count; ++i) {
        couVec3 u = couXyz(v[i]);
        fastest2 = COU_MAX(fastest2, couDot(u, u));
    }
    return sqrtf(fastest2);
}

static float speed_of_things(const couWorld *world)
{
    float fastest = 0.0f;
    for (size_t b = 0; b < world->body_count; ++b) {
        const couBody *body = &world->bodies[b];
        if (!body->is_here || body->kind == cou_rigidFixed) continue;
        const double *v = body->state.velocity, *spin = body->state.spin;
        float turning = isfinite(body->ball_radius)
                            ? (float)sqrt(spin[0] * spin[0] + spin[1] * spin[1] + spin[2] * spin[2]) * body->ball_radius
                            : 0.0f;
        fastest = COU_MAX(fastest, (float)sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) + turning);
    }
    for (size_t e = 0; e < world->emitter_count; ++e) {
        const couEmitter *emitter = &world->emitters[e];
        bool is_running = emitter->is_on && world->time >= emitter->def.start && world->time < emitter->def.stop;
        if (is_running && !isnan(emitter->def.speed)) fastest = COU_MAX(fastest, emitter->def.speed);
    }
    return fastest;
}

// Adds a step to the report of an advance: counts are summed, errors and speed those of the worst and the last.
static void add_report(couStepReport *all, const couStepReport *own)
{
    all->substeps += own->substeps;
    all->dt = own->dt;
    all->iterations += own->iterations;
    all->divergence_iterations += own->divergence_iterations;
    all->viscosity_iterations += own->viscosity_iterations;
    all->unconverged_count += own->unconverged_count;
    all->clamped_count += own->clamped_count;
    all->solver_error = own->solver_error;
    all->density_error_mean = own->density_error_mean;
    all->density_error_max = COU_MAX(all->density_error_max, own->density_error_max);
    all->max_speed = COU_MAX(all->max_speed, own->max_speed);
    all->emitted += own->emitted, all->removed += own->removed;
    all->nan_count += own->nan_count, all->lost_count += own->lost_count;
    all->first_bad_id = COU_MIN(all->first_bad_id, own->first_bad_id);
    all->crowded_count += own->crowded_count;
    all->guard_count += own->guard_count;
    all->trapped_count += own->trapped_count;
    all->contact_count += own->contact_count;
    if (own->bad_body1) all->bad_body1 = own->bad_body1;
    for (int p = 0; p < cou_phaseCount; ++p) all->phase_seconds[p] += own->phase_seconds[p];
    all->pair_count += own->pair_count;
    all->particle_steps += own->particle_steps;
}

// Steps chosen one by one from the speed that there is; the last two share what is left, so that none is tiny.
static void advance_adaptively(couWorld *world, double seconds, couStepReport *report)
{
    double end = world->time + seconds;
    float speed = find_max_speed(world);
    for (;;) {
        world->fluid.max_speed = COU_MAX(speed, speed_of_things(world));
        // A step a little longer than stability asks for may go well; one ten times as long does not.
        float wanted = wanted_step(world), least = world->fluid.least_step;
        if (wanted < 0.1f * least) {
            report->unstable_step = wanted;
            return;
        }
        if (wanted < least) report->clamped_count++;
        double left = end - world->time, step = COU_MAX(wanted, least);
        bool is_last = left <= step * (1 + 1e-3);
        double dt = is_last ? left : left < 2 * step ? 0.5 * left : step, begin = world->time;
        couStepReport own = {.first_bad_id = UINT32_MAX};
        step_world(world, (float)dt, &own);
        add_report(report, &own);
        world->time = is_last ? end : begin + dt;
        if (is_last || own.nan_count || own.lost_count || own.bad_body1) return;
        speed = own.max_speed;
    }
}

couStepReport couWorld_Advance(couWorld *world, double seconds)
{
    COU_ASSERT(seconds > 0);
    ensure_prepared(world);
    couStepReport report = {.first_bad_id = UINT32_MAX};
    if (world->fluid.method->is_adaptive) {
        advance_adaptively(world, seconds, &report);
        settle_forces(world, seconds);
        return report;
    }
    double begin = world->time;
    // A hair more than the suggested step is fine: 1/30 s must not become two steps because of rounding.
    int substeps = COU_MAX(1, (int)ceil(seconds / couWorld_SuggestStep(world) - 1e-3));
    for (int s = 0; s < substeps; ++s) {
        step_world(world, (float)(seconds / substeps), &report);
        world->time = begin + seconds * (s + 1) / substeps; // free of the sum of float steps
        if (report.nan_count || report.lost_count || report.bad_body1) break;
    }
    settle_forces(world, seconds);
    return report;
}
