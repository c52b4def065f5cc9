// Gravity, force fields and blowers: they change velocities at the beginning of a step.

#include "fluid/fields.h"

#include "fluid/fluid.h"

typedef struct FieldJob {
    const couFluid *fluid;
    double time;
    float dt;
    couBlow *blows;
    size_t blow_count;
} FieldJob;

static bool is_active(const couFieldDef *def, double time) { return time >= def->start && time < def->stop; }

static couVec3 acceleration(const couFieldDef *def, couVec3 x, couVec3 v, double time)
{
    switch (def->kind) {
    case cou_fieldUniform: return def->vector;
    case cou_fieldRotating: return couScale(def->strength, couCross(couNormalize(def->vector), couSub(x, def->center)));
    case cou_fieldPull: {
        couVec3 to_center = couSub(def->center, x);
        float distance = couLength(to_center);
        float size = def->strength * COU_MIN(distance / def->radius, 1.0f);
        return distance > 0.0f ? couScale(size / distance, to_center) : (couVec3){0};
    }
    default: return def->function(def->function_context, x, v, time);
    }
}

static void accelerate_block(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)block, (void)worker;
    const FieldJob *job = context;
    const couFluid *fluid = job->fluid;
    const couVec4 *position = couFluid_Position(fluid);
    couVec4 *velocity = couFluid_Velocity(fluid);
    for (size_t i = begin; i < end; ++i) {
        couVec3 a = fluid->gravity;
        for (size_t f = 0; f < fluid->fields.count; ++f) {
            const couFieldDef *def = &fluid->fields.items[f].def;
            couVec3 x = couXyz(position[i]);
            if (!fluid->fields.items[f].slot.is_here || !is_active(def, job->time)) continue;
            if (def->region && couShape_Distance(def->region, fluid->dimension, couToLocal(def->region_pose, x)) > 0.0f) continue;
            a = couAdd(a, acceleration(def, x, couXyz(velocity[i]), job->time));
        }
        if (job->blow_count) {
            float mass = fluid->mass[couFluid_Material(fluid)[i]];
            a = couAdd(a, couBlow_Sum(job->blows, job->blow_count, fluid->dimension, couXyz(position[i]), mass));
        }
        if (fluid->dimension == 2) a.z = 0.0f;
        velocity[i].x += job->dt * a.x, velocity[i].y += job->dt * a.y, velocity[i].z += job->dt * a.z;
    }
}

void couAccelerate(couStep *step, float dt)
{
    const couFluid *fluid = step->fluid;
    couArenaMark mark = couArena_Mark(fluid->scratch);
    FieldJob job = {.fluid = fluid, .time = step->time, .dt = dt};
    if (!couListBlows(step, &job.blows, &job.blow_count)) {
        step->has_failed = true;
        return;
    }
    bool has_function = false;
    for (size_t f = 0; f < fluid->fields.count; ++f) {
        const couField *field = &fluid->fields.items[f];
        has_function |= field->slot.is_here && field->def.kind == cou_fieldFunction;
    }
    // User functions are called one particle after the other, on this thread.
    if (has_function)
        accelerate_block(&job, 0, 0, fluid->table.count, 0);
    else
        couFor(&fluid->parallel, fluid->table.count, 8192, accelerate_block, &job);
    couArena_Release(fluid->scratch, mark);
}
