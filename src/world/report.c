// The step report: one table says what becomes of each number when steps are put together.

#include "world/world.h"

typedef enum Rule { SUM, LAST, LARGEST, SMALLEST, FIRST } Rule; // FIRST: the first that is not zero stays
typedef enum Kind { INT, INT64, UINT32, UINT64, FLOAT, DOUBLE, BOOL, BODY_ID } Kind;

typedef struct Field {
    size_t offset;
    Kind kind;
    Rule rule;
    int count;
} Field;

#define KIND(x) \
    _Generic((x), int: INT, int64_t: INT64, uint32_t: UINT32, uint64_t: UINT64, float: FLOAT, double: DOUBLE, double *: DOUBLE, \
             bool: BOOL, couBodyId: BODY_ID, couSolidId: BODY_ID)
#define FIELD(name, rule) \
    { \
        offsetof(couStepReport, name), KIND(((couStepReport *)0)->name), rule, 1 \
    }
#define FIELDS(name, rule, count) \
    { \
        offsetof(couStepReport, name), KIND(((couStepReport *)0)->name), rule, count \
    }

static const Field fields[] = {
    FIELD(substeps, SUM),
    FIELD(dt, LAST),
    FIELD(iterations, SUM),
    FIELD(divergence_iterations, SUM),
    FIELD(viscosity_iterations, SUM),
    FIELD(unconverged_count, SUM),
    FIELD(solver_error, LAST),
    FIELD(density_error_mean, LAST),
    FIELD(density_error_max, LARGEST),
    FIELD(max_speed, LARGEST),
    FIELD(emitted, SUM),
    FIELD(removed, SUM),
    FIELD(is_out_of_memory, LARGEST),
    FIELD(nan_count, SUM),
    FIELD(lost_count, SUM),
    FIELD(first_bad_id, SMALLEST),
    FIELD(crowded_count, SUM),
    FIELD(guard_count, SUM),
    FIELD(trapped_count, SUM),
    FIELD(clamped_count, SUM),
    FIELD(unstable_step, LARGEST),
    FIELD(runaway_speed, LARGEST),
    FIELD(allowed_speed, LARGEST),
    FIELD(contact_count, SUM),
    FIELD(bad_body, FIRST),
    FIELD(bad_solid, FIRST),
    FIELD(inverted_count, LARGEST),
    FIELD(solid_substeps, SUM),
    FIELDS(phase_seconds, SUM, cou_phaseCount),
    FIELD(pair_count, SUM),
    FIELD(particle_steps, SUM),
};

#define COMBINE(type) \
    do { \
        type *a = (type *)all + k; \
        type b = ((const type *)later)[k]; \
        *a = rule == SUM ? (type)(*a + b) : rule == LARGEST ? COU_MAX(*a, b) : rule == SMALLEST ? COU_MIN(*a, b) : b; \
    } while (0)

static void combine(Kind kind, Rule rule, void *all, const void *later, int k)
{
    switch (kind) {
    case INT: COMBINE(int); break;
    case INT64: COMBINE(int64_t); break;
    case UINT32: COMBINE(uint32_t); break;
    case UINT64: COMBINE(uint64_t); break;
    case FLOAT: COMBINE(float); break;
    case DOUBLE: COMBINE(double); break;
    case BOOL: COMBINE(bool); break;
    case BODY_ID:
        if (!((couBodyId *)all)->index1) *(couBodyId *)all = *(const couBodyId *)later;
        break;
    }
}

void couStepReport_Add(couStepReport *all, const couStepReport *later)
{
    if (!all->substeps) all->first_bad_id = UINT32_MAX; // a zeroed one: there is nothing in it yet
    for (int f = 0; f < COU_COUNT(fields); ++f)
        for (int k = 0; k < fields[f].count; ++k)
            combine(fields[f].kind, fields[f].rule, (char *)all + fields[f].offset, (const char *)later + fields[f].offset, k);
}

bool couStepReport_HasFailed(const couStepReport *report)
{
    return report->is_out_of_memory || report->nan_count || report->lost_count || report->bad_body.index1 ||
           report->bad_solid.index1;
}
