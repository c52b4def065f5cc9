// Emitters, sinks, force fields and events: added, changed, removed and read through handles, while the world runs.
#include "testing.h"

// --- What the tests share ----------------------------------------------------------------------------------------------------

static int assert_count;
static bool note_assert(const char *condition, const char *file, int line)
{
    (void)condition, (void)file, (void)line;
    ++assert_count;
    return true; // go on
}

// Programmer errors are asserted in debug builds, and harmless in all.
static void check_asserts(int expected)
{
#ifndef NDEBUG
    assert_int_equal(assert_count, expected);
#else
    (void)expected;
#endif
    assert_count = 0;
}

static int live_blocks;
static void *count_alloc(size_t bytes, size_t align)
{
    ++live_blocks;
    return aligned_alloc(align, bytes);
}
static void count_free(void *block)
{
    --live_blocks;
    free(block);
}

static int set_hooks(void **context)
{
    (void)context;
    assert_count = live_blocks = 0;
    couSetAssert(note_assert);
    couSetAllocator(count_alloc, count_free);
    return 0;
}
static int clear_hooks(void **context)
{
    (void)context;
    couSetAssert(NULL);
    couSetAllocator(NULL, NULL);
    return live_blocks; // shapes and all were given back
}

// Weightless, with one liquid.
static couWorld *make_space(void)
{
    couWorld *world = make_world(3, 0.02f, NO_GRAVITY, 1);
    add_liquid(world, 1000, 0);
    return world;
}

static void add_particle(couWorld *world, float x)
{
    couFaults faults = {0};
    couVec3 place = {x, 0, 0};
    assert_true(couWorld_AddParticles(world, couWorld_MaterialAt(world, 0), &place, NULL, 1, &faults));
}

static couEmitterDef make_jet(couWorld *world, float speed)
{
    couEmitterDef def = couDefaultEmitterDef();
    def.material = couWorld_MaterialAt(world, 0), def.shape = make_disk(0.05f), def.speed = speed;
    return def;
}

static couSinkDef make_sink(float x)
{
    couSinkDef def = couDefaultSinkDef();
    def.shape = make_sphere(0.1f), def.pose = at(x, 0, 0);
    return def;
}

static couSinkId add_sink(couWorld *world, float x)
{
    couFaults faults = {0};
    couSinkDef def = make_sink(x);
    couSinkId sink = couWorld_AddSink(world, &def, &faults);
    CHECK_NO_FAULTS(&faults);
    couShape_Release(def.shape);
    return sink;
}

static couFieldDef make_field(float x)
{
    couFieldDef def = couDefaultFieldDef();
    def.kind = cou_fieldUniform, def.vector = (couVec3){x, 0, 0};
    return def;
}

static couFieldId add_field(couWorld *world, const couFieldDef *def)
{
    couFaults faults = {0};
    couFieldId field = couWorld_AddField(world, def, &faults);
    CHECK_NO_FAULTS(&faults);
    return field;
}

static void count_up(void *context, couWorld *world, double time)
{
    (void)world, (void)time;
    ++*(int *)context;
}

static couEventId add_event(couWorld *world, double time, double period, couEventFcn *function, void *context)
{
    couFaults faults = {0};
    couEventId event = couWorld_AddEvent(world, time, period, function, context, &faults);
    CHECK_NO_FAULTS(&faults);
    return event;
}

// --- Handles of each kind ----------------------------------------------------------------------------------------------------

static couEmitterId make_Emitter(couWorld *world)
{
    couEmitterDef def = make_jet(world, 1);
    return add_emitter(world, &def);
}
static couSinkId make_Sink(couWorld *world) { return add_sink(world, 9); }
static couFieldId make_Field(couWorld *world)
{
    couFieldDef def = make_field(1);
    def.region = make_sphere(1);
    couFieldId field = add_field(world, &def);
    couShape_Release(def.region);
    return field;
}
static couBlowerDef make_blower(float force)
{
    couBlowerDef def = couDefaultBlowerDef();
    def.force = force, def.shape = make_sphere(1);
    return def;
}
static couBlowerId make_Blower(couWorld *world)
{
    couFaults faults = {0};
    couBlowerDef def = make_blower(1);
    couBlowerId blower = couWorld_AddBlower(world, &def, &faults);
    CHECK_NO_FAULTS(&faults);
    couShape_Release(def.shape);
    return blower;
}
static couEventId make_Event(couWorld *world)
{
    static int nothing;
    return add_event(world, 1e6, 0, count_up, &nothing);
}

// Three come, one goes, another takes its place under a handle of its own; old, null and invented handles do no harm.
#define TEST_HANDLES(Kind) \
    static void test_##Kind##_handles(void **context) \
    { \
        (void)context; \
        couWorld *world = make_space(); \
        assert_int_equal(couWorld_##Kind##Count(world), 0); \
        assert_int_equal(couWorld_##Kind##At(world, 0).index1, 0); \
        cou##Kind##Id id[3]; \
        for (int k = 0; k < 3; ++k) { \
            id[k] = make_##Kind(world); \
            assert_true(id[k].index1 == k + 1 && id[k].generation == 1); \
            assert_int_equal(couWorld_##Kind##Count(world), k + 1); \
        } \
        for (int k = 0; k < 3; ++k) { \
            assert_true(couWorld_Has##Kind(world, id[k])); \
            cou##Kind##Id found = couWorld_##Kind##At(world, k); \
            assert_true(found.index1 == id[k].index1 && found.generation == id[k].generation); \
        } \
        assert_int_equal(couWorld_##Kind##At(world, 3).index1, 0); \
        assert_int_equal(couWorld_##Kind##At(world, -1).index1, 0); \
        couWorld_Remove##Kind(world, id[1]); \
        check_asserts(0); \
        assert_false(couWorld_Has##Kind(world, id[1])); \
        assert_int_equal(couWorld_##Kind##Count(world), 2); \
        assert_int_equal(couWorld_##Kind##At(world, 1).index1, id[2].index1); \
        cou##Kind##Id next = make_##Kind(world); \
        assert_int_equal(next.index1, id[1].index1); \
        assert_int_equal(next.generation, 2); \
        assert_true(couWorld_Has##Kind(world, next) && !couWorld_Has##Kind(world, id[1])); \
        const cou##Kind##Id wrong[] = {id[1], {0, 0}, {1, 0}, {1, 2}, {4, 1}, {UINT16_MAX, 1}}; \
        for (int k = 0; k < COU_COUNT(wrong); ++k) { \
            assert_false(couWorld_Has##Kind(world, wrong[k])); \
            couWorld_Remove##Kind(world, wrong[k]); \
            check_stale_##Kind(world, wrong[k]); \
        } \
        assert_true(couWorld_Has##Kind(world, id[0]) && couWorld_Has##Kind(world, next) && couWorld_Has##Kind(world, id[2])); \
        assert_int_equal(couWorld_##Kind##Count(world), 3); \
        couStepReport report = couWorld_Step(world, 0.001f); \
        CHECK_HEALTHY(&report); \
        couDestroyWorld(world); \
    }

static void check_stale_Emitter(couWorld *world, couEmitterId id)
{
    couFaults faults = {0};
    couEmitterDef def = make_jet(world, 1);
    assert_null(couWorld_Emitter(world, id));
    assert_false(couWorld_SetEmitter(world, id, &def, &faults));
    couWorld_SetEmitterOn(world, id, false);
    couShape_Release(def.shape);
    check_asserts(3); // and the removal
    CHECK_NO_FAULTS(&faults);
}
static void check_stale_Sink(couWorld *world, couSinkId id)
{
    couFaults faults = {0};
    couSinkDef def = make_sink(0);
    assert_null(couWorld_Sink(world, id));
    assert_false(couWorld_SetSink(world, id, &def, &faults));
    couShape_Release(def.shape);
    check_asserts(2);
    CHECK_NO_FAULTS(&faults);
}
static void check_stale_Field(couWorld *world, couFieldId id)
{
    couFaults faults = {0};
    couFieldDef def = make_field(1);
    assert_null(couWorld_Field(world, id));
    assert_false(couWorld_SetField(world, id, &def, &faults));
    check_asserts(2);
    CHECK_NO_FAULTS(&faults);
}
static void check_stale_Blower(couWorld *world, couBlowerId id)
{
    couFaults faults = {0};
    couBlowerDef def = make_blower(1);
    assert_null(couWorld_Blower(world, id));
    assert_false(couWorld_SetBlower(world, id, &def, &faults));
    couWorld_SetBlowerOn(world, id, true);
    assert_false(couWorld_IsBlowerOn(world, id));
    couShape_Release(def.shape);
    check_asserts(4);
    CHECK_NO_FAULTS(&faults);
}
static void check_stale_Event(couWorld *world, couEventId id)
{
    couFaults faults = {0};
    CHECK_NEAR(couWorld_EventTime(world, id) > 1e300, 1, 0, 0);
    assert_false(couWorld_SetEvent(world, id, 0, 0, &faults));
    check_asserts(3);
    CHECK_NO_FAULTS(&faults);
}
TEST_HANDLES(Emitter)
TEST_HANDLES(Sink)
TEST_HANDLES(Field)
TEST_HANDLES(Blower)
TEST_HANDLES(Event)

// --- Emitters ----------------------------------------------------------------------------------------------------------------

// Emits for a while; the mean velocity of the particles that came, along the jet: they push each other, but not all of them.
static int64_t run_jets(couWorld *world, double *speed)
{
    uint32_t first = world->fluid.next_id;
    int64_t emitted = 0;
    for (int k = 0; k < 20; ++k) emitted += couWorld_Step(world, 0.002f).emitted;
    couParticleView view = couWorld_Particles(world);
    *speed = 0;
    for (size_t i = 0; i < view.count; ++i)
        if (view.id[i] >= first) *speed += (double)view.velocity[i].y / (double)emitted;
    return emitted;
}

static void test_emitters_change(void **context)
{
    (void)context;
    couWorld *world = make_space();
    couFaults faults = {0};
    double speed;
    couEmitterDef def = make_jet(world, 1);
    snprintf(def.name, sizeof def.name, "tap");
    couEmitterId tap = couWorld_AddEmitter(world, &def, &faults);
    CHECK_NEAR(couWorld_Emitter(world, tap)->speed, 1, 0, 0);
    assert_string_equal(couWorld_Emitter(world, tap)->name, "tap");
    int64_t count = run_jets(world, &speed);
    assert_true(count > 0);
    CHECK_NEAR(speed, 1, 1e-4, 0);

    def.speed = 3, def.name[0] = 0, def.pose = at(0, 5, 0);
    assert_true(couWorld_SetEmitter(world, tap, &def, &faults)); // with the shape that it has
    CHECK_NEAR(couWorld_Emitter(world, tap)->speed, 3, 0, 0);
    assert_string_equal(couWorld_Emitter(world, tap)->name, "emitter1");
    assert_int_equal(world->emitters.items[0].emitted, count); // stays counted
    int64_t more = run_jets(world, &speed);
    CHECK_RANGE((double)more / (double)count, 2, 4, 0);
    CHECK_NEAR(speed, 3, 3e-4, 0);

    // What is wrong changes nothing.
    couEmitterDef bad = def;
    bad.stop = -1, bad.start = 0;
    assert_false(couWorld_SetEmitter(world, tap, &bad, &faults));
    assert_true(faults.count > 0);
    couFaults_Clear(&faults);
    bad = def, bad.shape = NULL;
    assert_false(couWorld_SetEmitter(world, tap, &bad, &faults));
    CHECK_FAULT(&faults, "emitter.shape", NULL);
    CHECK_NEAR(couWorld_Emitter(world, tap)->speed, 3, 0, 0);
    assert_ptr_equal(couWorld_Emitter(world, tap)->shape, def.shape);

    couWorld_SetEmitterOn(world, tap, false);
    assert_int_equal(run_jets(world, &speed), 0);
    couWorld_SetEmitterOn(world, tap, true);
    assert_true(run_jets(world, &speed) > 0);
    couWorld_RemoveEmitter(world, tap);
    assert_int_equal(run_jets(world, &speed), 0);
    couEmitterId next = couWorld_AddEmitter(world, &def, &faults); // begins anew in the place of the other
    assert_int_equal(world->emitters.items[next.index1 - 1].emitted, 0);
    assert_true(run_jets(world, &speed) > 0);
    CHECK_NO_FAULTS(&faults);
    couShape_Release(def.shape);
    couDestroyWorld(world);
}

// --- Sinks -------------------------------------------------------------------------------------------------------------------

static void test_sinks_change(void **context)
{
    (void)context;
    couWorld *world = make_space();
    couFaults faults = {0};
    for (int k = 0; k < 5; ++k) add_particle(world, (float)k);
    couSinkId a = add_sink(world, 0), b = add_sink(world, 1);
    CHECK_NEAR(couWorld_Sink(world, b)->pose.position.x, 1, 0, 0);
    couWorld_RemoveSink(world, b);
    assert_int_equal(couWorld_Step(world, 0.001f).removed, 1); // not two
    assert_int_equal(couWorld_Step(world, 0.001f).removed, 0);
    couSinkDef def = make_sink(2);
    assert_true(couWorld_SetSink(world, a, &def, &faults));
    couShape_Release(def.shape);
    CHECK_NEAR(couWorld_Sink(world, a)->pose.position.x, 2, 0, 0);
    assert_int_equal(couWorld_Step(world, 0.001f).removed, 1);
    couSinkDef bad = make_sink(3);
    couShape_Release(bad.shape);
    bad.shape = NULL;
    assert_false(couWorld_SetSink(world, a, &bad, &faults));
    CHECK_FAULT(&faults, "sink.shape", NULL);
    assert_int_equal(couWorld_Step(world, 0.001f).removed, 0);
    couParticleView view = couWorld_Particles(world);
    assert_int_equal(view.count, 3);
    for (size_t i = 0; i < view.count; ++i) assert_true(view.position[i].x != 0.0f && view.position[i].x != 2.0f);
    add_sink(world, 4); // in the place of b
    assert_int_equal(couWorld_Step(world, 0.001f).removed, 1);
    couWorld_RemoveSink(world, a);
    couDestroyWorld(world);
}

// --- Fields ------------------------------------------------------------------------------------------------------------------

// What a step adds to the first particle's velocity along x, as an acceleration.
static double push_of_step(couWorld *world)
{
    const float dt = 0.01f;
    double before = couWorld_Particles(world).velocity[0].x;
    couWorld_Step(world, dt);
    return (couWorld_Particles(world).velocity[0].x - before) / dt;
}

static couVec3 push_by_context(void *context, couVec3 position, couVec3 velocity, double time)
{
    (void)position, (void)velocity, (void)time;
    return (couVec3){*(float *)context, 0, 0};
}

static void test_fields_change(void **context)
{
    (void)context;
    couWorld *world = make_space();
    couFaults faults = {0};
    add_particle(world, 0);
    couFieldDef def = make_field(2), other = make_field(5);
    couFieldId a = add_field(world, &def), b = add_field(world, &other);
    CHECK_NEAR(push_of_step(world), 7, 1e-3, 0);
    def.vector.x = -1;
    assert_true(couWorld_SetField(world, a, &def, &faults));
    CHECK_NEAR(couWorld_Field(world, a)->vector.x, -1, 0, 0);
    CHECK_NEAR(push_of_step(world), 4, 1e-3, 0);
    couWorld_RemoveField(world, b);
    CHECK_NEAR(push_of_step(world), -1, 1e-3, 0);
    // A region comes and goes with its shape.
    def.region = make_sphere(0.1f), def.region_pose = at(50, 0, 0);
    assert_true(couWorld_SetField(world, a, &def, &faults));
    couShape_Release(def.region);
    CHECK_NEAR(push_of_step(world), 0, 1e-3, 0);
    def.region = NULL;
    assert_true(couWorld_SetField(world, a, &def, &faults));
    CHECK_NEAR(push_of_step(world), -1, 1e-3, 0);
    // A function, and no more one.
    float strength = 8;
    couFieldDef function = make_field(0);
    function.kind = cou_fieldFunction, function.function = push_by_context, function.function_context = &strength;
    couFieldId c = add_field(world, &function);
    assert_int_equal(c.index1, b.index1);
    CHECK_NEAR(push_of_step(world), 7, 1e-3, 0);
    assert_true(couWorld_SetField(world, c, &other, &faults));
    CHECK_NEAR(push_of_step(world), 4, 1e-3, 0);
    // What is wrong changes nothing.
    couFieldDef bad = other;
    bad.kind = cou_fieldFunction;
    assert_false(couWorld_SetField(world, c, &bad, &faults));
    CHECK_FAULT(&faults, "field.function", NULL);
    bad.kind = cou_fieldRotating, bad.vector = NO_GRAVITY;
    assert_false(couWorld_SetField(world, c, &bad, &faults));
    CHECK_FAULT(&faults, "field.vector", NULL);
    CHECK_NEAR(push_of_step(world), 4, 1e-3, 0);
    couWorld_RemoveField(world, a);
    couWorld_RemoveField(world, c);
    CHECK_NEAR(push_of_step(world), 0, 1e-3, 0);
    CHECK_NO_FAULTS(&faults);
    couDestroyWorld(world);
}

// --- Events ------------------------------------------------------------------------------------------------------------------

static void test_events_change(void **context)
{
    (void)context;
    couWorld *world = make_space();
    couFaults faults = {0};
    int once = 0, often = 0, never = 0;
    couEventId a = add_event(world, 0.1, 0, count_up, &once), b = add_event(world, 0.15, 0.1, count_up, &often);
    couEventId c = add_event(world, 0.2, 0, count_up, &never);
    CHECK_NEAR(couWorld_EventTime(world, c), 0.2, 0, 0);
    couWorld_RemoveEvent(world, c);
    for (int k = 0; k < 5; ++k) couWorld_Step(world, 0.1f); // steps begin at 0 ... 0.4
    assert_int_equal(once, 1);
    assert_int_equal(often, 3); // at 0.15, 0.25, 0.35
    assert_int_equal(never, 0);
    assert_true(isinf(couWorld_EventTime(world, a))); // done, but known
    assert_true(couWorld_HasEvent(world, a));
    CHECK_NEAR(couWorld_EventTime(world, b), 0.45, 1e-9, 0);

    // Moved: one that is done comes again, one that repeats comes once more.
    assert_true(couWorld_SetEvent(world, a, 0.7, 0.1, &faults));
    assert_true(couWorld_SetEvent(world, b, 0.6, 0, &faults));
    CHECK_NEAR(couWorld_EventTime(world, b), 0.6, 0, 0);
    for (int k = 0; k < 5; ++k) couWorld_Step(world, 0.1f); // 0.5 ... 0.9
    assert_int_equal(often, 4);
    assert_int_equal(once, 4); // at 0.7, 0.8, 0.9

    static const double bad[][2] = {{-1, 0}, {NAN, 0}, {INFINITY, 0}, {0, -1}, {0, NAN}, {0, 1e-9}};
    for (int k = 0; k < COU_COUNT(bad); ++k) {
        assert_false(couWorld_SetEvent(world, a, bad[k][0], bad[k][1], &faults));
        assert_int_equal(faults.count, 1);
        couFaults_Clear(&faults);
    }
    CHECK_NEAR(couWorld_EventTime(world, a), 1.0, 1e-9, 0);
    couDestroyWorld(world);
}

// A state from before the removal has a time for it again, but who was removed stays so.
static void test_removed_event_stays_so(void **context)
{
    (void)context;
    couWorld *world = make_space();
    couFaults faults = {0};
    couState state = {0};
    int count = 0;
    couEventId event = add_event(world, 0.1, 0.1, count_up, &count);
    assert_true(couWorld_SaveState(world, &state));
    couWorld_RemoveEvent(world, event);
    assert_true(couWorld_LoadState(world, &state, &faults));
    CHECK_NO_FAULTS(&faults);
    for (int k = 0; k < 4; ++k) couWorld_Step(world, 0.1f);
    assert_int_equal(count, 0);
    assert_false(couWorld_HasEvent(world, event));
    couState_Clear(&state);
    couDestroyWorld(world);
}

typedef struct Chain {
    couEventId own, other;
    int fired, left;
    int by_next;
} Chain;

// Removes itself, although it would come again, and adds another that is due at once.
static void replace_self(void *context, couWorld *world, double time)
{
    Chain *chain = context;
    ++chain->fired;
    couWorld_RemoveEvent(world, chain->own);
    couEventId next = chain->left-- > 0 ? add_event(world, time, 0.001, replace_self, chain)
                                        : add_event(world, time, 0, count_up, &chain->by_next);
    assert_int_equal(next.index1, chain->own.index1);
    assert_int_equal(next.generation, chain->own.generation + 1);
    chain->own = next;
}

static void remove_other(void *context, couWorld *world, double time)
{
    (void)time;
    Chain *chain = context;
    ++chain->fired;
    couWorld_RemoveEvent(world, chain->other);
}

static void move_self(void *context, couWorld *world, double time)
{
    Chain *chain = context;
    couFaults faults = {0};
    ++chain->fired;
    assert_true(couWorld_SetEvent(world, chain->own, time + 0.2, 0, &faults));
}

static void test_events_from_events(void **context)
{
    (void)context;
    couWorld *world = make_space();
    Chain chain = {.left = 3};
    chain.own = add_event(world, 0, 0.001, replace_self, &chain);
    couWorld_Step(world, 0.1f);
    assert_int_equal(chain.fired, 4);
    assert_int_equal(chain.by_next, 1);
    assert_int_equal(couWorld_EventCount(world), 1);
    couWorld_Step(world, 0.1f);
    assert_int_equal(chain.fired, 4);
    assert_int_equal(chain.by_next, 1);

    int late = 0; // due in the same step as who removes it, which was there before
    Chain killer = {0};
    add_event(world, 0.2, 0, remove_other, &killer);
    killer.other = add_event(world, 0.2, 0.1, count_up, &late);
    for (int k = 0; k < 3; ++k) couWorld_Step(world, 0.1f);
    assert_int_equal(killer.fired, 1);
    assert_int_equal(late, 0);
    assert_false(couWorld_HasEvent(world, killer.other));

    Chain mover = {0};
    mover.own = add_event(world, 0.5, 0.01, move_self, &mover); // every second step from now on
    for (int k = 0; k < 6; ++k) couWorld_Step(world, 0.1f);
    assert_int_equal(mover.fired, 3);
    couDestroyWorld(world);
}

// --- Shapes ------------------------------------------------------------------------------------------------------------------

// The world holds a shape as long as it uses it and no longer; what is left at its end, clear_hooks() sees.
static void test_shapes_are_given_back(void **context)
{
    (void)context;
    couWorld *world = make_space();
    couFaults faults = {0};
    add_sink(world, 90), make_Emitter(world), make_Field(world), make_Blower(world); // so that the lists have their room
    couWorld_RemoveSink(world, couWorld_SinkAt(world, 0));
    couWorld_RemoveEmitter(world, couWorld_EmitterAt(world, 0));
    couWorld_RemoveField(world, couWorld_FieldAt(world, 0));
    couWorld_RemoveBlower(world, couWorld_BlowerAt(world, 0));
    int before = live_blocks;

    couSinkId sink = add_sink(world, 50);
    couEmitterId emitter = make_Emitter(world);
    couFieldId field = make_Field(world);
    couBlowerId blower = make_Blower(world);
    int with_three = live_blocks;
    assert_true(with_three > before);
    for (int k = 0; k < 3; ++k) { // others in their place: none more
        couSinkDef sink_def = make_sink(60);
        couEmitterDef emitter_def = make_jet(world, 2);
        couFieldDef field_def = make_field(2);
        field_def.region = make_sphere(2);
        couBlowerDef blower_def = make_blower(2);
        assert_true(couWorld_SetBlower(world, blower, &blower_def, &faults));
        couShape_Release(blower_def.shape);
        assert_true(couWorld_SetSink(world, sink, &sink_def, &faults));
        assert_true(couWorld_SetEmitter(world, emitter, &emitter_def, &faults));
        assert_true(couWorld_SetField(world, field, &field_def, &faults));
        couShape_Release(sink_def.shape), couShape_Release(emitter_def.shape), couShape_Release(field_def.region);
        assert_int_equal(live_blocks, with_three);
    }
    couWorld_RemoveSink(world, sink);
    couWorld_RemoveEmitter(world, emitter);
    couWorld_RemoveField(world, field);
    couWorld_RemoveBlower(world, blower);
    assert_int_equal(live_blocks, before);
    add_particle(world, 0);
    couStepReport report = couWorld_Step(world, 0.01f); // nobody looks at them any more
    CHECK_HEALTHY(&report);
    make_Emitter(world), add_sink(world, 70), make_Field(world), make_Blower(world); // for the end of the world
    CHECK_NO_FAULTS(&faults);
    couDestroyWorld(world);
}

#define WITH_HOOKS(test) cmocka_unit_test_setup_teardown(test, set_hooks, clear_hooks)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_HOOKS(test_Emitter_handles),        WITH_HOOKS(test_Sink_handles),       WITH_HOOKS(test_Field_handles),
        WITH_HOOKS(test_Blower_handles),         WITH_HOOKS(test_Event_handles),      WITH_HOOKS(test_emitters_change),
        WITH_HOOKS(test_sinks_change),           WITH_HOOKS(test_fields_change),      WITH_HOOKS(test_events_change),
        WITH_HOOKS(test_removed_event_stays_so), WITH_HOOKS(test_events_from_events), WITH_HOOKS(test_shapes_are_given_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
