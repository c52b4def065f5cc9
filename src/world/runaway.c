// Liquid that runs away: energy that comes from nowhere, in steps that become ever shorter, while nothing is NaN or lost. Where
// pressures pull (couMethod.pulls) a solver that does not settle throws particles about by hundreds of metres a second; other
// methods do the like by kilometres a second, in boxes that hold more than they can.
//
// What the liquid may have is known roughly: the speed that it begins with, falls from the highest place that it came from, jets,
// bodies, and surface tension. Its mean energy, kinetic and of height, is compared with ten times that, once in an advance; with
// a thousand times, that is thirty times the speed, where nothing pulls: springs and gases that were pressed may give back much.
// Work of fields, blowers, and of a gravity that changes or along which the world repeats, has no such bound; there, and while an
// advance goes on, particles as fast as that tell the same when for a hundred steps solvers do not converge and stability asks
// for less than the user's bound.

#include "world/world.h"

enum { BLOCK = 16384, MOST_STUCK_STEPS = 100 };
// Energy / what it may be. With suction three times the speed: a splash does not come near.
#define MOST_GAIN_PULLING 10.0
#define MOST_GAIN 1000.0

static double most_gain(const couFluid *fluid)
{
    return fluid->method->pulls && fluid->method->pulls(fluid) ? MOST_GAIN_PULLING : MOST_GAIN;
}

static bool has_endless_work(const couWorld *world)
{
    const couFluid *fluid = &world->fluid;
    const float gravity[3] = {fluid->gravity.x, fluid->gravity.y, fluid->gravity.z};
    bool is_endless = couWorld_FieldCount(world) > 0 || couWorld_BlowerCount(world) > 0;
    is_endless = is_endless || couLength(couSub(world->def.gravity, world->first_gravity)) > 0.0f;
    for (int a = 0; a < 3; ++a) is_endless = is_endless || (fluid->period.length[a] > 0.0f && gravity[a] != 0.0f);
    return is_endless;
}

typedef struct EnergyJob {
    const couFluid *fluid;
    double top; // height that falls are counted from, times g [m^2/s^2]
    struct Energy {
        double kinetic2, all2; // sums of v^2, and of v^2 less what falls have given [m^2/s^2]
    } * blocks;
} EnergyJob;

static void energy_block(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)worker;
    const EnergyJob *job = context;
    const couVec4 *x = couFluid_Position(job->fluid), *v = couFluid_Velocity(job->fluid);
    couVec3 g = job->fluid->gravity;
    struct Energy sum = {0};
    for (size_t i = begin; i < end; ++i) {
        double v2 = (double)couDot(couXyz(v[i]), couXyz(v[i]));
        sum.kinetic2 += v2;
        sum.all2 += v2 - 2 * (job->top + (double)couDot(g, couXyz(x[i])));
    }
    job->blocks[block] = sum;
}

// Means over the particles, of which there is at least one. False without memory.
static bool mean_energy(couWorld *world, struct Energy *mean)
{
    couFluid *fluid = &world->fluid;
    size_t count = fluid->table.count, blocks = (size_t)couBlockCount(count, BLOCK);
    couArenaMark mark = couArena_Mark(&world->scratch);
    EnergyJob job = {fluid, 0, COU_TAKE(&world->scratch, struct Energy, blocks)};
    if (!job.blocks) return false;
    couVec3 up = couWorld_Up(world);
    double top = world->fluid_top > world->fluid_bottom ? (double)world->fluid_top : -INFINITY;
    for (size_t e = 0; e < world->emitters.count; ++e)
        if (world->emitters.items[e].slot.is_here)
            top = COU_MAX(top, (double)couDot(up, couEmitterPose(&world->emitters.items[e].def, world->time).position));
    job.top = isfinite(top) ? top * (double)couLength(fluid->gravity) : 0.0;
    couFor(&fluid->parallel, count, BLOCK, energy_block, &job);
    *mean = (struct Energy){0};
    for (size_t b = 0; b < blocks; ++b) {
        mean->kinetic2 += job.blocks[b].kinetic2 / (double)count;
        mean->all2 += job.blocks[b].all2 / (double)count;
    }
    couArena_Release(&world->scratch, mark);
    return true;
}

// Square of the speed that the scene can give [m^2/s^2].
static double allowed_energy(const couWorld *world)
{
    const couFluid *fluid = &world->fluid;
    couWorldDef def = world->def;
    couDemand estimate = couEstimateDemandFor(world, (couDemand){.depth = NAN, .speed = NAN});
    double speed = COU_MAX(def.speed, estimate.speed), depth = COU_MAX(def.depth, estimate.depth), tension = 0;
    speed = COU_MAX(speed, (double)world->fastest_thing);
    for (int m = 0; m < fluid->material_count; ++m)
        tension = COU_MAX(tension, (double)(fluid->materials[m].surface_tension / fluid->materials[m].density));
    double still = 10 * (double)fluid->h; // [1/s]: liquid that nothing moves creeps
    double sum = speed * speed + 2 * (double)couLength(fluid->gravity) * depth + tension / (double)fluid->spacing + still * still;
    return COU_MAX(sum, world->first_energy);
}

couWatch couBeginWatch(couWorld *world)
{
    couWatch watch = {.gain = most_gain(&world->fluid)};
    struct Energy mean = {0};
    // After a resume the liquid may have more than the scene began with.
    if (!world->has_watch && world->fluid.table.count > 0 && mean_energy(world, &mean)) world->first_energy = mean.kinetic2;
    world->has_watch = true;
    watch.allowed = allowed_energy(world);
    return watch;
}

bool couWatch_IsStuck(couWatch *watch, const couStepReport *own, bool is_clamped)
{
    double speed = own->max_speed;
    bool is_wrong = is_clamped && own->unconverged_count > 0 && speed * speed > watch->gain * watch->allowed;
    watch->stuck_steps = is_wrong ? watch->stuck_steps + 1 : 0;
    return watch->stuck_steps >= MOST_STUCK_STEPS;
}

void couEndWatch(couWorld *world, const couWatch *watch, couStepReport *report)
{
    struct Energy mean;
    if (!world->fluid.table.count || couStepReport_HasFailed(report) || !mean_energy(world, &mean)) return;
    double allowed = COU_MAX(watch->allowed, allowed_energy(world));
    bool is_gained = !has_endless_work(world) && mean.all2 > watch->gain * allowed;
    if (!is_gained && watch->stuck_steps < MOST_STUCK_STEPS) return;
    report->runaway_speed = (float)sqrt(mean.kinetic2);
    report->allowed_speed = (float)sqrt(allowed);
}
