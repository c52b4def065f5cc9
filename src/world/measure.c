// What a world is like: energies and momenta when asked for, and the health of every step.

#include "world/world.h"

enum { BLOCK = 16384 };

// --- Health ------------------------------------------------------------------------------------------------------------------

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

// The fixed blocks and their order make the sums the same bits for any number of threads.
void couMeasureHealth(couWorld *world, couStep *step)
{
    size_t count = world->fluid.table.count, blocks = (size_t)couBlockCount(count, BLOCK);
    HealthJob job = {&world->fluid, COU_TAKE(&world->scratch, struct Health, blocks)};
    if (!job.blocks) {
        step->has_failed = true;
        return;
    }
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

// --- Energies and momenta ----------------------------------------------------------------------------------------------------

typedef struct MeasureJob {
    const couFluid *fluid;
    couMeasurement *blocks;
} MeasureJob;

static void measure_block(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)worker;
    const MeasureJob *job = context;
    const couFluid *fluid = job->fluid;
    const couVec4 *x = couFluid_Position(fluid), *v = couFluid_Velocity(fluid);
    const uint8_t *material = couFluid_Material(fluid);
    couMeasurement sum = {0};
    double max2 = 0;
    for (size_t i = begin; i < end; ++i) {
        double m = fluid->mass[material[i]];
        double px = x[i].x, py = x[i].y, pz = x[i].z, vx = v[i].x, vy = v[i].y, vz = v[i].z;
        double v2 = vx * vx + vy * vy + vz * vz;
        sum.mass += m;
        sum.kinetic_energy += 0.5 * m * v2;
        sum.potential_energy -= m * (fluid->gravity.x * px + fluid->gravity.y * py + fluid->gravity.z * pz);
        sum.momentum[0] += m * vx, sum.momentum[1] += m * vy, sum.momentum[2] += m * vz;
        sum.angular_momentum[0] += m * (py * vz - pz * vy);
        sum.angular_momentum[1] += m * (pz * vx - px * vz);
        sum.angular_momentum[2] += m * (px * vy - py * vx);
        sum.center[0] += m * px, sum.center[1] += m * py, sum.center[2] += m * pz;
        max2 = COU_MAX(max2, v2);
    }
    sum.max_speed = (float)sqrt(max2);
    job->blocks[block] = sum;
}

couMeasurement couWorld_Measure(const couWorld *world)
{
    size_t count = world->fluid.table.count;
    int blocks = couBlockCount(count, BLOCK);
    couMeasurement total = {0};
    MeasureJob job = {&world->fluid, couAlloc(NULL, (size_t)(blocks + 1) * sizeof(couMeasurement))};
    if (!job.blocks) return total;
    couFor(&world->fluid.parallel, count, BLOCK, measure_block, &job);
    for (int b = 0; b < blocks; ++b) {
        const couMeasurement *m = &job.blocks[b];
        total.kinetic_energy += m->kinetic_energy;
        total.potential_energy += m->potential_energy;
        total.mass += m->mass;
        total.max_speed = COU_MAX(total.max_speed, m->max_speed);
        for (int a = 0; a < 3; ++a) {
            total.momentum[a] += m->momentum[a];
            total.angular_momentum[a] += m->angular_momentum[a];
            total.center[a] += m->center[a];
        }
    }
    couFree(NULL, job.blocks);
    for (int a = 0; a < 3 && total.mass > 0; ++a) total.center[a] /= total.mass;
    return total;
}

couMeasurement couWorld_MeasureBodies(const couWorld *world) { return couBodies_Measure(&world->bodies); }
