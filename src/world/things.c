// Emitters, sinks, force fields and events of a world: added, changed, removed and read through their handles.

#include "world/world.h"

#include <stdio.h>

static void add_full(couFaults *faults, const char *key)
{
    couFaults_Add(faults, NULL, key, "out of memory, or more than %d of a kind", COU_MAX_SLOTS);
}

// Puts another shape in the place of one; either may be NULL.
static void replace_shape(couShape **shape, couShape *next)
{
    if (next) couShape_Retain(next);
    if (*shape) couShape_Release(*shape);
    *shape = next;
}

// --- Emitters ----------------------------------------------------------------------------------------------------------------

static bool check_emitter(const couWorld *world, const couEmitterDef *def, couFaults *faults)
{
    bool is_good = couParams_Check(couEmitterParams(), def, faults);
    is_good = couCheckName(def->name, "emitter.name", faults) && is_good;
    is_good = couCheckMaterial(world, def->material, "emitter.material", faults) && is_good;
    is_good = couCheckShape(world, def->shape, true, "emitter.shape", faults) && is_good;
    is_good = couCheckPose(def->pose, "emitter.at", faults) && is_good;
    if (is_good && !(def->stop >= def->start)) {
        couFaults_Add(faults, NULL, "emitter.stop", "stop is %g s, before start at %g s", def->stop, def->start);
        is_good = false;
    }
    return is_good;
}

static couEmitter *find_emitter(const couWorld *world, couEmitterId id)
{
    return couFindSlot(COU_SLOTS(&world->emitters), id.index1, id.generation);
}

static void define_emitter(couWorld *world, couEmitter *emitter, const couEmitterDef *def)
{
    couShape *shape = emitter->def.shape;
    replace_shape(&shape, def->shape);
    emitter->def = *def;
    if (!def->name[0])
        snprintf(emitter->def.name, sizeof emitter->def.name, "emitter%d", (int)(emitter - world->emitters.items) + 1);
}

static couEmitterId emitter_id(const couWorld *world, const couEmitter *emitter)
{
    return (couEmitterId){(uint16_t)(emitter - world->emitters.items + 1), emitter->slot.generation};
}

couEmitterId couWorld_AddEmitter(couWorld *world, const couEmitterDef *def, couFaults *faults)
{
    if (!check_emitter(world, def, faults)) return (couEmitterId){0};
    couEmitter *emitter = COU_ADD_SLOT(&world->memory, &world->emitters);
    if (!emitter) {
        add_full(faults, "emitter");
        return (couEmitterId){0};
    }
    *emitter = (couEmitter){.slot = emitter->slot, .is_on = true};
    define_emitter(world, emitter, def);
    return emitter_id(world, emitter);
}

bool couWorld_SetEmitter(couWorld *world, couEmitterId id, const couEmitterDef *def, couFaults *faults)
{
    couEmitter *emitter = find_emitter(world, id);
    COU_ASSERT(emitter);
    if (!emitter || !check_emitter(world, def, faults)) return false;
    if (couIsJet(def) != couIsJet(&emitter->def)) emitter->travelled = 0; // metres of a jet, of a volume how often it was filled
    define_emitter(world, emitter, def);
    return true;
}

void couWorld_RemoveEmitter(couWorld *world, couEmitterId id)
{
    couEmitter *emitter = find_emitter(world, id);
    COU_ASSERT(emitter);
    if (!emitter) return;
    replace_shape(&emitter->def.shape, NULL);
    couDropSlot(&emitter->slot);
}

void couWorld_SetEmitterOn(couWorld *world, couEmitterId id, bool is_on)
{
    couEmitter *emitter = find_emitter(world, id);
    COU_ASSERT(emitter);
    if (emitter) emitter->is_on = is_on;
}

void couWorld_StopEmitters(couWorld *world)
{
    for (size_t e = 0; e < world->emitters.count; ++e) world->emitters.items[e].is_on = false;
}

bool couWorld_HasEmitter(const couWorld *world, couEmitterId id) { return find_emitter(world, id) != NULL; }
int couWorld_EmitterCount(const couWorld *world) { return couCountSlots(COU_SLOTS(&world->emitters)); }

couEmitterId couWorld_EmitterAt(const couWorld *world, int index)
{
    int place = couNthSlot(COU_SLOTS(&world->emitters), index);
    return place < 0 ? (couEmitterId){0} : emitter_id(world, &world->emitters.items[place]);
}

const couEmitterDef *couWorld_Emitter(const couWorld *world, couEmitterId id)
{
    const couEmitter *emitter = find_emitter(world, id);
    return emitter ? &emitter->def : NULL;
}

// --- Sinks -------------------------------------------------------------------------------------------------------------------

static bool check_sink(const couWorld *world, const couSinkDef *def, couFaults *faults)
{
    bool is_good = couParams_Check(couSinkParams(), def, faults);
    is_good = couCheckShape(world, def->shape, false, "sink.shape", faults) && is_good;
    return couCheckPose(def->pose, "sink.at", faults) && is_good;
}

static couSink *find_sink(const couWorld *world, couSinkId id)
{
    return couFindSlot(COU_SLOTS(&world->sinks), id.index1, id.generation);
}

static couSinkId sink_id(const couWorld *world, const couSink *sink)
{
    return (couSinkId){(uint16_t)(sink - world->sinks.items + 1), sink->slot.generation};
}

static void define_sink(couSink *sink, const couSinkDef *def)
{
    couShape *shape = sink->def.shape;
    replace_shape(&shape, def->shape);
    sink->def = *def;
}

couSinkId couWorld_AddSink(couWorld *world, const couSinkDef *def, couFaults *faults)
{
    if (!check_sink(world, def, faults)) return (couSinkId){0};
    couSink *sink = COU_ADD_SLOT(&world->memory, &world->sinks);
    if (!sink) {
        add_full(faults, "sink");
        return (couSinkId){0};
    }
    *sink = (couSink){.slot = sink->slot};
    define_sink(sink, def);
    return sink_id(world, sink);
}

bool couWorld_SetSink(couWorld *world, couSinkId id, const couSinkDef *def, couFaults *faults)
{
    couSink *sink = find_sink(world, id);
    COU_ASSERT(sink);
    if (!sink || !check_sink(world, def, faults)) return false;
    define_sink(sink, def);
    return true;
}

void couWorld_RemoveSink(couWorld *world, couSinkId id)
{
    couSink *sink = find_sink(world, id);
    COU_ASSERT(sink);
    if (!sink) return;
    replace_shape(&sink->def.shape, NULL);
    couDropSlot(&sink->slot);
}

bool couWorld_HasSink(const couWorld *world, couSinkId id) { return find_sink(world, id) != NULL; }
int couWorld_SinkCount(const couWorld *world) { return couCountSlots(COU_SLOTS(&world->sinks)); }

couSinkId couWorld_SinkAt(const couWorld *world, int index)
{
    int place = couNthSlot(COU_SLOTS(&world->sinks), index);
    return place < 0 ? (couSinkId){0} : sink_id(world, &world->sinks.items[place]);
}

const couSinkDef *couWorld_Sink(const couWorld *world, couSinkId id)
{
    const couSink *sink = find_sink(world, id);
    return sink ? &sink->def : NULL;
}

// --- Force fields ------------------------------------------------------------------------------------------------------------

static bool check_field(const couFieldDef *def, couFaults *faults)
{
    bool is_good = couParams_Check(couFieldParams(), def, faults);
    is_good = couCheckPose(def->region_pose, "field.at", faults) && is_good;
    if (def->kind == cou_fieldFunction && !def->function) {
        couFaults_Add(faults, NULL, "field.function", "a field of kind 'function' needs a function");
        is_good = false;
    }
    if (def->kind == cou_fieldRotating && !(couLength(def->vector) > 0.0f)) {
        couFaults_Add(faults, NULL, "field.vector", "a rotating field needs an axis of length > 0");
        is_good = false;
    }
    return is_good;
}

static couField *find_field(const couWorld *world, couFieldId id)
{
    return couFindSlot(COU_SLOTS(&world->fluid.fields), id.index1, id.generation);
}

static couFieldId field_id(const couWorld *world, const couField *field)
{
    return (couFieldId){(uint16_t)(field - world->fluid.fields.items + 1), field->slot.generation};
}

static void define_field(couField *field, const couFieldDef *def)
{
    couShape *region = field->def.region;
    replace_shape(&region, def->region);
    field->def = *def;
}

couFieldId couWorld_AddField(couWorld *world, const couFieldDef *def, couFaults *faults)
{
    if (!check_field(def, faults)) return (couFieldId){0};
    couField *field = COU_ADD_SLOT(&world->memory, &world->fluid.fields);
    if (!field) {
        add_full(faults, "field");
        return (couFieldId){0};
    }
    *field = (couField){.slot = field->slot};
    define_field(field, def);
    return field_id(world, field);
}

bool couWorld_SetField(couWorld *world, couFieldId id, const couFieldDef *def, couFaults *faults)
{
    couField *field = find_field(world, id);
    COU_ASSERT(field);
    if (!field || !check_field(def, faults)) return false;
    define_field(field, def);
    return true;
}

void couWorld_RemoveField(couWorld *world, couFieldId id)
{
    couField *field = find_field(world, id);
    COU_ASSERT(field);
    if (!field) return;
    replace_shape(&field->def.region, NULL);
    couDropSlot(&field->slot);
}

bool couWorld_HasField(const couWorld *world, couFieldId id) { return find_field(world, id) != NULL; }
int couWorld_FieldCount(const couWorld *world) { return couCountSlots(COU_SLOTS(&world->fluid.fields)); }

couFieldId couWorld_FieldAt(const couWorld *world, int index)
{
    int place = couNthSlot(COU_SLOTS(&world->fluid.fields), index);
    return place < 0 ? (couFieldId){0} : field_id(world, &world->fluid.fields.items[place]);
}

const couFieldDef *couWorld_Field(const couWorld *world, couFieldId id)
{
    const couField *field = find_field(world, id);
    return field ? &field->def : NULL;
}

// --- Events ------------------------------------------------------------------------------------------------------------------

static bool check_event(double time, double period, couFaults *faults)
{
    if (!(time >= 0 && isfinite(time)) || !(period >= 0 && isfinite(period))) {
        couFaults_Add(faults, NULL, "event.time", "time is %g s and period %g s; both must be finite and >= 0", time, period);
        return false;
    }
    if (period > 0 && period < 1e-6) {
        couFaults_Add(faults, NULL, "event.period", "period is %g s; it must be 0 or at least 1e-6 s", period);
        return false;
    }
    return true;
}

static couEvent *find_event(const couWorld *world, couEventId id)
{
    return couFindSlot(COU_SLOTS(&world->events), id.index1, id.generation);
}

static couEventId event_id(const couWorld *world, const couEvent *event)
{
    return (couEventId){(uint16_t)(event - world->events.items + 1), event->slot.generation};
}

couEventId couWorld_AddEvent(couWorld *world, double time, double period, couEventFcn *function, void *context, couFaults *faults)
{
    if (!check_event(time, period, faults)) return (couEventId){0};
    if (!function) {
        couFaults_Add(faults, NULL, "event.function", "an event needs a function");
        return (couEventId){0};
    }
    couEvent *event = COU_ADD_SLOT(&world->memory, &world->events);
    if (!event) {
        add_full(faults, "event");
        return (couEventId){0};
    }
    *event = (couEvent){event->slot, time, period, function, context};
    return event_id(world, event);
}

bool couWorld_SetEvent(couWorld *world, couEventId id, double time, double period, couFaults *faults)
{
    couEvent *event = find_event(world, id);
    COU_ASSERT(event);
    if (!event || !check_event(time, period, faults)) return false;
    event->next = time, event->period = period;
    return true;
}

void couWorld_RemoveEvent(couWorld *world, couEventId id)
{
    couEvent *event = find_event(world, id);
    COU_ASSERT(event);
    if (!event) return;
    event->next = INFINITY;
    couDropSlot(&event->slot);
}

bool couWorld_HasEvent(const couWorld *world, couEventId id) { return find_event(world, id) != NULL; }
int couWorld_EventCount(const couWorld *world) { return couCountSlots(COU_SLOTS(&world->events)); }

couEventId couWorld_EventAt(const couWorld *world, int index)
{
    int place = couNthSlot(COU_SLOTS(&world->events), index);
    return place < 0 ? (couEventId){0} : event_id(world, &world->events.items[place]);
}

double couWorld_EventTime(const couWorld *world, couEventId id)
{
    const couEvent *event = find_event(world, id);
    COU_ASSERT(event);
    return event ? event->next : INFINITY;
}
