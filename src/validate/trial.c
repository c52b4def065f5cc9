// What the validation cases share: checks, worlds, records. A case never looks at return values while it sets a world up: the
// trial remembers what went wrong, and every later call does nothing.

#include "validate/validate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- Checks ------------------------------------------------------------------------------------------------------------------

static couCheck *add_check(couTrial *trial, double measured, double reference, const char *unit)
{
    couChecks *checks = trial->checks;
    if (checks->count == checks->capacity) {
        int capacity = checks->capacity ? 2 * checks->capacity : 32;
        couCheck *items = realloc(checks->items, (size_t)capacity * sizeof *items);
        if (!items) abort(); // a few kilobytes
        checks->items = items;
        checks->capacity = capacity;
    }
    couCheck *check = &checks->items[checks->count++];
    *check = (couCheck){
        .case_name = trial->case_name, .method = trial->method, .unit = unit, .measured = measured, .reference = reference};
    check->is_reported = trial->is_reported;
    return check;
}

#define FORMAT_QUANTITY(check, quantity) \
    do { \
        va_list arguments; \
        va_start(arguments, quantity); \
        vsnprintf((check)->quantity, sizeof(check)->quantity, quantity, arguments); \
        va_end(arguments); \
    } while (0)

static void append(couCheck *check, const char *text)
{
    size_t used = strlen(check->quantity);
    snprintf(check->quantity + used, sizeof check->quantity - used, "%s", text);
}

// What is only recorded passes, and says that it does.
static void judge(couCheck *check, bool is_passed)
{
    check->is_passed = is_passed || check->is_reported;
    if (check->is_reported) append(check, ", reported");
}

void couTrial_Within(couTrial *trial, double measured, double reference, double tolerance, const char *unit, const char *quantity,
                     ...)
{
    couCheck *check = add_check(trial, measured, reference, unit);
    FORMAT_QUANTITY(check, quantity);
    bool is_absolute = reference == 0 || strcmp(unit, "deg") == 0;
    check->tolerance = tolerance;
    judge(check, fabs(measured - reference) <= tolerance * (is_absolute ? 1 : fabs(reference)));
}

void couTrial_AtLeast(couTrial *trial, double measured, double limit, const char *unit, const char *quantity, ...)
{
    couCheck *check = add_check(trial, measured, limit, unit);
    FORMAT_QUANTITY(check, quantity);
    append(check, ", at least");
    judge(check, measured >= limit);
}

void couTrial_AtMost(couTrial *trial, double measured, double limit, const char *unit, const char *quantity, ...)
{
    couCheck *check = add_check(trial, measured, limit, unit);
    FORMAT_QUANTITY(check, quantity);
    append(check, ", at most");
    judge(check, measured <= limit);
}

void couTrial_Report(couTrial *trial, double measured, double reference, const char *unit, const char *quantity, ...)
{
    couCheck *check = add_check(trial, measured, reference, unit);
    FORMAT_QUANTITY(check, quantity);
    check->is_reported = true;
    judge(check, true);
}

// --- Worlds ------------------------------------------------------------------------------------------------------------------

couWorldDef couTrial_WorldDef(const couTrial *trial, int dimension, float spacing)
{
    couWorldDef def = couDefaultWorldDef();
    snprintf(def.method, sizeof def.method, "%s", trial->method);
    def.dimension = dimension;
    def.spacing = spacing;
    def.threads = trial->threads;
    def.gravity = (couVec3){0, 0, 0};
    return def;
}

couWorld *couTrial_CreateWorld(couTrial *trial, const couWorldDef *def)
{
    couWorld *world = trial->faults.count ? NULL : couCreateWorld(def, &trial->faults);
    for (int k = 0; world && k < trial->set_count; ++k)
        couWorld_SetParam(world, trial->sets[k].key, trial->sets[k].value, &trial->faults);
    return world;
}

bool couTrial_Set(couTrial *trial, couWorld *world, const char *name, const char *text)
{
    if (!world || trial->faults.count) return false;
    return couParams_SetByName(couMethodParams(trial->method), couWorld_MethodParams(world), name, text, trial->case_name,
                               &trial->faults);
}

couMaterialId couTrial_AddMaterial(couTrial *trial, couWorld *world, const couMaterialDef *def)
{
    if (!world || trial->faults.count) return (couMaterialId){0};
    return couWorld_AddMaterial(world, def, &trial->faults);
}

static couShape *create_shape(couTrial *trial, const couShapeDef *def)
{
    return trial->faults.count ? NULL : couCreateShape(def, &trial->faults);
}

int64_t couTrial_FillBox(couTrial *trial, couWorld *world, couMaterialId material, couVec3 center, couVec3 size, float jitter)
{
    couShape *shape = create_shape(trial, &(couShapeDef){.kind = cou_shapeBox, .size = size});
    if (!world || !shape) return 0;
    couFluidDef def = couDefaultFluidDef();
    def.material = material;
    def.shape = shape;
    def.pose.position = center;
    def.jitter = jitter;
    int64_t count = couWorld_AddFluid(world, &def, &trial->faults);
    couShape_Release(shape);
    return count;
}

static couBodyId add_body(couTrial *trial, couWorld *world, const char *name, const couShapeDef *shape_def, couVec3 at)
{
    couShape *shape = create_shape(trial, shape_def);
    if (!world || !shape) return (couBodyId){0};
    couBodyDef def = couDefaultBodyDef();
    snprintf(def.name, sizeof def.name, "%s", name);
    def.shape = shape;
    def.pose.position = at;
    couBodyId body = couWorld_AddBody(world, &def, &trial->faults);
    couShape_Release(shape);
    return body;
}

couBodyId couTrial_AddPlane(couTrial *trial, couWorld *world, const char *name, couVec3 at, couVec3 normal)
{
    return add_body(trial, world, name, &(couShapeDef){.kind = cou_shapePlane, .axis = normal}, at);
}

couBodyId couTrial_AddBox(couTrial *trial, couWorld *world, const char *name, couVec3 center, couVec3 size)
{
    return add_body(trial, world, name, &(couShapeDef){.kind = cou_shapeBox, .size = size}, center);
}

// Physics trouble and interrupts end the trial.
static bool is_healthy(couTrial *trial, const couWorld *world, const couStepReport *report)
{
    double time = couWorld_Time(world);
    if (report->nan_count || report->lost_count)
        couFaults_Add(&trial->faults, trial->case_name, trial->method, "at %g s: %lld particles are not finite, %lld are lost",
                      time, (long long)report->nan_count, (long long)report->lost_count);
    else if (report->bad_solid.index1)
        couFaults_Add(&trial->faults, NULL, trial->case_name, "solid %u is not finite any more", report->bad_solid.index1);
    else if (report->bad_body.index1)
        couFaults_Add(&trial->faults, trial->case_name, trial->method, "at %g s: body %d is not finite", time,
                      report->bad_body.index1);
    else if (report->is_out_of_memory)
        couFaults_Add(&trial->faults, trial->case_name, trial->method, "at %g s: out of memory", time);
    else if (trial->is_stopped && trial->is_stopped(trial->context))
        couFaults_Add(&trial->faults, trial->case_name, trial->method, "interrupted at %g s", time);
    return trial->faults.count == 0;
}

// Parameters are checked before the first step, so that a wrong one is a fault and not an assertion.
static bool is_ready(couTrial *trial, couWorld *world)
{
    if (!world || trial->faults.count) return false;
    return couWorld_StepCount(world) > 0 || couWorld_Prepare(world, &trial->faults);
}

bool couTrial_Advance(couTrial *trial, couWorld *world, double seconds)
{
    if (!is_ready(trial, world)) return false;
    couStepReport report = couWorld_Advance(world, seconds);
    return is_healthy(trial, world, &report);
}

bool couTrial_Step(couTrial *trial, couWorld *world, float dt)
{
    if (!is_ready(trial, world)) return false;
    couStepReport report = couWorld_Step(world, dt);
    return is_healthy(trial, world, &report);
}

bool couTrial_Move(couTrial *trial, couWorld *world, couMoveFcn *move, const void *context)
{
    if (!is_ready(trial, world)) return false;
    couState state = {0};
    bool is_good = couWorld_SaveState(world, &state);
    const couStateArray *position = couState_Find(&state, "particles/position"),
                        *velocity = couState_Find(&state, "particles/velocity");
    is_good = is_good && position && velocity && position->components == 4 && velocity->components == 4;
    for (size_t i = 0; is_good && i < position->count; ++i) {
        float *x = (float *)position->data + 4 * i, *v = (float *)velocity->data + 4 * i;
        couVec3 moved = move(context, (couVec3){x[0], x[1], x[2]});
        x[0] = moved.x, x[1] = moved.y, x[2] = moved.z;
        v[0] = v[1] = v[2] = 0.0f;
    }
    is_good = is_good && couWorld_LoadState(world, &state, &trial->faults);
    if (!is_good && !trial->faults.count)
        couFaults_Add(&trial->faults, trial->case_name, trial->method, "the state could not be changed");
    couState_Clear(&state);
    return is_good;
}

void couTrial_Show(couTrial *trial, double share)
{
    if (trial->show) trial->show(trial->context, fmin(share, 1));
}

// --- Records -----------------------------------------------------------------------------------------------------------------

couRecord couMakeRecord(int columns) { return (couRecord){.columns = columns}; }

void couRecord_Add(couRecord *record, const double *row)
{
    if (record->count == record->capacity) {
        int capacity = record->capacity ? 2 * record->capacity : 256;
        for (int c = 0; c < record->columns; ++c) {
            double *values = realloc(record->values[c], (size_t)capacity * sizeof *values);
            if (!values) abort(); // some thousand numbers
            record->values[c] = values;
        }
        record->capacity = capacity;
    }
    for (int c = 0; c < record->columns; ++c) record->values[c][record->count] = row[c];
    record->count++;
}

void couRecord_Clear(couRecord *record)
{
    for (int c = 0; c < record->columns; ++c) free(record->values[c]);
    *record = (couRecord){0};
}

void couTrial_WritePlot(couTrial *trial, couPlot *plot, const char *part)
{
    if (trial->plots && !trial->faults.count) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s-%s%s%s.svg", trial->plots, trial->case_name, trial->method, part ? "-" : "",
                 part ? part : "");
        couPlot_Write(plot, path, &trial->faults);
    }
    couDestroyPlot(plot);
}

double couNoise(uint64_t *seed)
{
    // xorshift64*: the top 53 bits of a full-period sequence.
    if (!*seed) *seed = 0x9e3779b97f4a7c15u;
    *seed ^= *seed >> 12, *seed ^= *seed << 25, *seed ^= *seed >> 27;
    return (double)((*seed * 0x2545f4914f6cdd1du) >> 11) * 0x1p-52 - 1.0;
}
