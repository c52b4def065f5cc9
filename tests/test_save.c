// Saving and loading: a world that goes on from a saved state gives the same bits as the one that went on without.
#include "testing.h"

static couPose swing(void *context, double time)
{
    (void)context;
    return turned((float)(0.1 * sin(7 * time)), 0.1f, 0, (float)(2 * time));
}

static void change_material(void *context, couWorld *world, double time)
{
    (void)context, (void)time;
    couFaults faults = {0};
    couMaterialId material = couWorld_MaterialAt(world, 1);
    couMaterialDef def = *couWorld_Material(world, material);
    def.viscosity *= 0.5f, def.flow_stretch = 7, def.look.color.x = 0.25f;
    assert_true(couWorld_SetMaterial(world, material, &def, &faults));
}

static void remove_lid(void *context, couWorld *world, double time)
{
    (void)context, (void)time;
    couWorld_RemoveBody(world, couWorld_FindBody(world, "lid"));
    couWorld_AddSprings(world, couWorld_MaterialAt(world, 2));
}

// All else that can be set while a world runs.
static void change_settings(void *context, couWorld *world, double time)
{
    (void)context, (void)time;
    couFaults faults = {0};
    couBlowerDef blower = *couWorld_Blower(world, couWorld_BlowerAt(world, 0));
    blower.force = COU_AUTO, blower.acceleration = 30, blower.pose = turned(0, 0.1f, 0, 0.4f);
    assert_true(couWorld_SetBlower(world, couWorld_BlowerAt(world, 0), &blower, &faults));
    couWorld_SetBlowerOn(world, couWorld_BlowerAt(world, 1), false);
    couWorld_RemoveBlower(world, couWorld_BlowerAt(world, 2));
    couBodyId paddle = couWorld_BodyAt(world, 1);
    couBodyDef body = *couWorld_Body(world, paddle);
    body.friction = 0.9f, body.stickiness = 100;
    assert_true(couWorld_SetBody(world, paddle, &body, &faults));
    assert_true(couWorld_SetGravity(world, (couVec3){1, -8, 0}, cou_gravityOnFluid, &faults));
    assert_true(couWorld_SetParam(world, "pvfs.height_error", "0.04", &faults));
    CHECK_NO_FAULTS(&faults);
}

static void tick(void *context, couWorld *world, double time)
{
    (void)context, (void)time;
    couWorld_SetEmitterOn(world, couWorld_EmitterAt(world, 1), (couWorld_StepCount(world) / 5) % 2);
}

// What a scene file would do: the same calls each time.
static couWorld *make_scene(int dimension, int threads)
{
    couFaults faults = {0};
    couWorld *world = make_world(dimension, 0.02f, EARTH, threads);
    couMaterialDef def = couDefaultMaterialDef();
    couMaterialId water = add_material(world, &def);
    def.springs = cou_springsPlastic, def.density = 1500, def.shear_modulus = 800, def.viscosity = 10;
    def.flow_stretch = 3, def.flow_compress = 1, def.yield_stretch = 0.02f;
    couMaterialId clay = add_material(world, &def);
    def = couDefaultMaterialDef(), def.springs = cou_springsFrozen, def.shear_modulus = 3000;
    couMaterialId jelly = add_material(world, &def);
    add_body(world, make_tank(0.4f, 0.6f, 0.2f, 0.01f, true), at(0, 0.3f, 0), 0.1f);
    couBodyDef body = couDefaultBodyDef();
    body.shape = make_box(0.15f, 0.02f, 0.1f), body.motion = swing, body.friction = 0.3f;
    assert_true(couWorld_AddBody(world, &body, &faults).index1);
    couShape_Release(body.shape);
    body = couDefaultBodyDef();
    snprintf(body.name, sizeof body.name, "lid");
    body.shape = make_box(0.2f, 0.02f, 0.2f), body.pose = at(0.1f, 0.22f, 0);
    assert_true(couWorld_AddBody(world, &body, &faults).index1);
    couShape_Release(body.shape);
    body = couDefaultBodyDef();
    body.shape = make_sphere(0.03f), body.pose = at(-0.05f, 0.45f, 0), body.is_dynamic = true;
    couJointDef joint = couDefaultJointDef();
    joint.kind = cou_jointHinge, joint.a = couWorld_AddBody(world, &body, &faults), joint.at = (couVec3){0, 0.55f, 0};
    assert_true(couWorld_AddJoint(world, &joint, &faults).index1);
    couShape_Release(body.shape);
    add_fluid(world, water, make_box(0.4f, 0.12f, 0.2f), at(0, 0.06f, 0), NO_GRAVITY);
    add_fluid(world, clay, make_box(0.1f, 0.1f, 0.1f), at(-0.1f, 0.3f, 0), NO_GRAVITY);
    add_fluid(world, jelly, make_sphere(0.05f), at(0.1f, 0.3f, 0), NO_GRAVITY);
    couEmitterDef emitter = couDefaultEmitterDef();
    emitter.material = water, emitter.shape = make_disk(0.03f), emitter.pose = turned(-0.1f, 0.5f, 0, 3), emitter.speed = 1.5f;
    add_emitter(world, &emitter);
    emitter.material = clay, emitter.shape = make_disk(0.03f), emitter.motion = swing;
    emitter.max_count = 400;
    add_emitter(world, &emitter);
    emitter = couDefaultEmitterDef();
    emitter.material = jelly, emitter.shape = make_sphere(0.03f), emitter.pose = at(0, 0.45f, 0), emitter.start = 0.03f,
    emitter.speed = 0;
    add_emitter(world, &emitter);
    couSinkDef sink = couDefaultSinkDef();
    sink.shape = make_sphere(0.04f), sink.pose = at(0.18f, 0.02f, 0);
    assert_true(couWorld_AddSink(world, &sink, &faults).index1);
    couShape_Release(sink.shape);
    couFieldDef field = couDefaultFieldDef();
    field.kind = cou_fieldUniform, field.vector = (couVec3){3, 0, 0}, field.start = 0.02f, field.stop = 0.06f;
    assert_true(couWorld_AddField(world, &field, &faults).index1);
    for (int k = 0; k < 3; ++k) {
        couBlowerDef blower = couDefaultBlowerDef();
        blower.shape = make_box(0.1f, 0.1f, 0.1f), blower.pose = at(0.05f * (float)k, 0.05f, 0), blower.force = 0.05f;
        blower.fade_in = 0.02f, blower.period = 0.007f;
        assert_true(couWorld_AddBlower(world, &blower, &faults).index1);
        couShape_Release(blower.shape);
    }
    assert_true(couWorld_AddEvent(world, 0.025, 0, change_material, NULL, &faults).index1);
    assert_true(couWorld_AddEvent(world, 0.031, 0, change_settings, NULL, &faults).index1);
    assert_true(couWorld_AddEvent(world, 0.05, 0, remove_lid, NULL, &faults).index1);
    assert_true(couWorld_AddEvent(world, 0.0, 0.004, tick, NULL, &faults).index1);
    return world;
}

static void run(couWorld *world, int steps)
{
    for (int k = 0; k < steps; ++k) {
        couStepReport report = couWorld_Step(world, 0.002f);
        CHECK_HEALTHY(&report);
    }
}

static void test_resumed_run_has_the_same_bits(void **context)
{
    (void)context;
    static const int stops[] = {0, 1, 10, 13, 16, 25, 26, 40}; // before and after each event, before the first step
    for (int dimension = 2; dimension <= 3; ++dimension) {
        couWorld *whole = make_scene(dimension, 1);
        run(whole, 50);
        uint64_t expected = hash_world(whole);
        assert_true(couWorld_SpringCount(whole) > 100);
        couDestroyWorld(whole);
        for (int s = 0; s < COU_COUNT(stops); ++s) {
            couFaults faults = {0};
            couWorld *first = make_scene(dimension, 2);
            run(first, stops[s]);
            couState state = {0};
            assert_true(couWorld_SaveState(first, &state));
            uint64_t saved = couState_Hash(&state);
            couWorld *second = make_scene(dimension, 1);
            if (s % 2) run(second, 7); // loading replaces whatever was there
            bool is_good = couWorld_LoadState(second, &state, &faults);
            CHECK_NO_FAULTS(&faults);
            assert_true(is_good);
            if (stops[s] > 0 && hash_world(second) != saved)
                fail_msg("%dD, after %d steps: the loaded world is not what was saved", dimension, stops[s]);
            CHECK_NEAR(couWorld_Time(second), couWorld_Time(first), 0, stops[s]);
            run(first, 50 - stops[s]);
            run(second, 50 - stops[s]);
            assert_true(hash_world(first) == expected);
            if (hash_world(second) != expected)
                fail_msg("%dD: resumed after %d steps, the run ends elsewhere", dimension, stops[s]);
            couState_Clear(&state);
            couDestroyWorld(first);
            couDestroyWorld(second);
        }
    }
}

// A gravity that was changed goes with the state; a state without one brings back the world's own.
static void test_gravity_is_resumed(void **context)
{
    (void)context;
    couFaults faults = {0};
    couState first_state = {0}, state = {0};
    couWorld *first = make_scene(3, 1), *second = make_scene(3, 2);
    run(first, 5);
    assert_true(couWorld_SaveState(first, &first_state));
    assert_true(couWorld_SetGravity(first, (couVec3){3, -5, 0.5f}, cou_gravityOnAll, &faults));
    run(first, 5);
    assert_true(couWorld_SaveState(first, &state));
    assert_true(couWorld_LoadState(second, &state, &faults));
    CHECK_NO_FAULTS(&faults);
    CHECK_NEAR(couWorld_Gravity(second).x, 3, 0, 0);
    run(first, 10), run(second, 10);
    assert_true(hash_world(first) == hash_world(second));
    assert_true(couWorld_LoadState(second, &first_state, &faults));
    CHECK_NEAR(couWorld_Gravity(second).x, 0, 0, 0);
    assert_true(hash_world(second) == couState_Hash(&first_state));
    couState_Clear(&first_state), couState_Clear(&state);
    couDestroyWorld(first), couDestroyWorld(second);
}

// The state is in order of ids, whatever the storage.
static void test_order_of_the_state(void **context)
{
    (void)context;
    couWorld *world = make_scene(3, 1);
    run(world, 20);
    couState state = {0};
    assert_true(couWorld_SaveState(world, &state));
    const couStateArray *id = couState_Find(&state, "particles/id"), *springs = couState_Find(&state, "springs/ids");
    assert_non_null(id);
    assert_int_equal(id->count, couWorld_Particles(world).count);
    for (size_t i = 1; i < id->count; ++i) assert_true(((uint32_t *)id->data)[i - 1] < ((uint32_t *)id->data)[i]);
    assert_non_null(springs);
    assert_int_equal(springs->count, couWorld_SpringCount(world));
    for (size_t s = 1; s < springs->count; ++s) {
        const uint32_t *a = (uint32_t *)springs->data + 2 * s - 2, *b = a + 2;
        assert_true(a[0] < b[0] || (a[0] == b[0] && a[1] < b[1]));
    }
    couState_Clear(&state);
    couDestroyWorld(world);
}

// Changing anything that is saved changes the hash; and every array that a world needs is there.
static void test_every_array_counts(void **context)
{
    (void)context;
    static const char *const needed[] = {
        "particles/position", "particles/velocity", "particles/id",  "particles/material", "springs/ids",   "springs/rest_length",
        "materials/values",   "bodies/state",       "joints/state",  "emitters/progress",  "events/next",   "world/time",
        "world/counters",     "world/gravity",      "method/values", "bodies/values",      "blowers/state", "blowers/values"};
    couWorld *world = make_scene(3, 1);
    run(world, 20);
    couState state = {0};
    assert_true(couWorld_SaveState(world, &state));
    for (int k = 0; k < COU_COUNT(needed); ++k) assert_non_null(couState_Find(&state, needed[k]));
    uint64_t hash = couState_Hash(&state);
    couRandom random = {3};
    for (int a = 0; a < state.count; ++a) {
        couStateArray *array = &state.arrays[a];
        size_t bytes = couStateType_Size(array->type) * (size_t)array->components * array->count;
        if (bytes == 0) fail_msg("%s is empty: this scene should have some of everything", array->name);
        for (int k = 0; k < 20; ++k) {
            size_t place = (size_t)(couNextRandom(&random) % bytes);
            ((uint8_t *)array->data)[place] ^= 1;
            if (couState_Hash(&state) == hash) fail_msg("byte %zu of %s does not count", place, array->name);
            ((uint8_t *)array->data)[place] ^= 1;
        }
    }
    assert_true(couState_Hash(&state) == hash);
    couState_Clear(&state);
    couDestroyWorld(world);
}

// What a world does between two saves shows in the hash.
static void test_every_change_counts(void **context)
{
    (void)context;
    couWorld *world = make_scene(3, 1);
    run(world, 5);
    couFaults faults = {0};
    uint64_t hash = hash_world(world);
    assert_true(hash == hash_world(world)); // saving changes nothing
#define CHECK_CHANGED(what) \
    do { \
        uint64_t now = hash_world(world); \
        if (now == hash) fail_msg("%s does not change the hash", what); \
        hash = now; \
    } while (0)
    couWorld_SetEmitterOn(world, couWorld_EmitterAt(world, 0), false);
    CHECK_CHANGED("switching an emitter");
    couWorld_SetBlowerOn(world, couWorld_BlowerAt(world, 0), false);
    CHECK_CHANGED("switching a blower");
    couBlowerDef blower = *couWorld_Blower(world, couWorld_BlowerAt(world, 1));
    blower.force = 1;
    assert_true(couWorld_SetBlower(world, couWorld_BlowerAt(world, 1), &blower, &faults));
    CHECK_CHANGED("a blower");
    couWorld_RemoveBlower(world, couWorld_BlowerAt(world, 1));
    CHECK_CHANGED("removing a blower");
    assert_true(couWorld_SetGravity(world, EARTH, cou_gravityOnBodies, &faults));
    CHECK_CHANGED("what gravity pulls");
    assert_true(couWorld_SetParam(world, "pvfs.height_error", "0.03", &faults));
    CHECK_CHANGED("a parameter of the method");
    couBodyDef surface = *couWorld_Body(world, couWorld_BodyAt(world, 0));
    surface.friction = 0.7f;
    assert_true(couWorld_SetBody(world, couWorld_BodyAt(world, 0), &surface, &faults));
    CHECK_CHANGED("a body's surface");
    couWorld_RemoveBody(world, couWorld_FindBody(world, "lid"));
    CHECK_CHANGED("removing a body");
    couMaterialDef def = *couWorld_Material(world, couWorld_MaterialAt(world, 0));
    def.viscosity = 9;
    assert_true(couWorld_SetMaterial(world, couWorld_MaterialAt(world, 0), &def, &faults));
    CHECK_CHANGED("a material");
    couWorld_AddSprings(world, couWorld_MaterialAt(world, 0));
    CHECK_CHANGED("wanting springs");
    couWorld_DeleteSprings(world, couWorld_MaterialAt(world, 1));
    CHECK_CHANGED("deleting springs");
    couVec3 x = {0, 1, 0};
    assert_true(couWorld_AddParticles(world, couWorld_MaterialAt(world, 0), &x, NULL, 1, &faults));
    CHECK_CHANGED("a particle");
    couFluid_Velocity(&world->fluid)[0].z += 1e-3f;
    CHECK_CHANGED("a velocity");
    world->events.items[0].next += 1;
    CHECK_CHANGED("an event");
    couRandomFloat(&world->random);
    CHECK_CHANGED("the random numbers");
    assert_true(couWorld_SetGravity(world, (couVec3){1, -9, 0}, cou_gravityOnAll, &faults));
    CHECK_CHANGED("another gravity");
    assert_false(couWorld_SetGravity(world, (couVec3){0, 20000, 0}, cou_gravityOnAll, &faults));
    assert_false(couWorld_SetGravity(world, (couVec3){0, NAN, 0}, cou_gravityOnAll, &faults));
    assert_int_equal(faults.count, 2);
    assert_true(hash_world(world) == hash);
    couFaults_Clear(&faults);
    couWorld_Step(world, 1e-6f);
    CHECK_CHANGED("a step");
    couDestroyWorld(world);
}

// --- States that do not fit --------------------------------------------------------------------------------------------------

static couStateArray *find(couState *state, const char *name)
{
    for (int a = 0; a < state->count; ++a)
        if (strcmp(state->arrays[a].name, name) == 0) return &state->arrays[a];
    fail_msg("no array %s", name);
    return NULL;
}

// The spoilt state must be refused with a fault and the world must stay as it is.
static void check_refused(couWorld *world, const couState *state, const char *what)
{
    couFaults faults = {0};
    uint64_t before = hash_world(world);
    bool is_taken = couWorld_LoadState(world, state, &faults);
    if (is_taken || faults.count == 0)
        fail_msg("%s: expected a fault, got %d, and it was %s", what, faults.count, is_taken ? "taken" : "refused");
    couFaults_Clear(&faults);
    if (hash_world(world) != before) fail_msg("%s: refused, but the world has changed", what);
    run(world, 1); // and goes on
}

static couWorld *make_good(couState *state)
{
    couWorld *world = make_scene(3, 1);
    run(world, 10);
    *state = (couState){0};
    assert_true(couWorld_SaveState(world, state));
    return world;
}

static void test_missing_and_misshapen_arrays(void **context)
{
    (void)context;
    couState state;
    couWorld *world = make_good(&state);
    for (int a = 0; a < state.count; ++a) {
        couStateArray *array = &state.arrays[a], good = *array;
        array->name[0] = '?';
        check_refused(world, &state, good.name);
        *array = good, array->type = array->type == cou_stateF32 ? cou_stateU32 : cou_stateF32;
        check_refused(world, &state, good.name);
        *array = good, array->components += 1;
        check_refused(world, &state, good.name);
        *array = good, array->count -= 1; // not the same number of rows as the others, or as the scene
        if (strcmp(array->name, "materials/values") == 0 || array->count > 0 || good.count == 1)
            check_refused(world, &state, good.name);
        *array = good;
    }
    check_refused(world, &(couState){0}, "an empty state");
    couFaults faults = {0};
    assert_true(couWorld_LoadState(world, &state, &faults)); // the good one still is
    CHECK_NO_FAULTS(&faults);
    couState_Clear(&state);
    couDestroyWorld(world);
}

static void test_another_scene(void **context)
{
    (void)context;
    couState state;
    couWorld *world = make_good(&state);
    couWorld *plain = make_world(3, 0.02f, EARTH, 1), *more = make_scene(3, 1);
    add_liquid(plain, 1000, 0.001f);
    check_refused(plain, &state, "a scene with nothing in it");
    add_body(more, make_sphere(0.1f), at(0, 5, 0), 0);
    check_refused(more, &state, "a scene with one body more");
    couState_Clear(&state);
    couDestroyWorld(world);
    couDestroyWorld(plain);
    couDestroyWorld(more);
}

static void test_impossible_particles(void **context)
{
    (void)context;
    couState state;
    couWorld *world = make_good(&state);
    uint32_t *id = find(&state, "particles/id")->data, old = id[10];
    id[10] = id[11];
    check_refused(world, &state, "an id twice");
    id[10] = 0xfffffff0u;
    check_refused(world, &state, "an id that was never given");
    id[10] = old;
    uint8_t *material = find(&state, "particles/material")->data, kept = material[3];
    material[3] = 200;
    check_refused(world, &state, "an unknown material");
    material[3] = kept;
    uint64_t *counters = find(&state, "world/counters")->data, next = counters[1];
    counters[1] = 5;
    check_refused(world, &state, "fewer ids than particles");
    counters[1] = (uint64_t)1 << 40;
    check_refused(world, &state, "more ids than a number holds");
    counters[1] = next;
    couState_Clear(&state);
    couDestroyWorld(world);
}

static void test_not_a_number(void **context)
{
    (void)context;
    couState state;
    couWorld *world = make_good(&state);
    static const char *const names[] = {"particles/position", "particles/velocity", "springs/rest_length"};
    for (int k = 0; k < COU_COUNT(names); ++k) {
        float *values = find(&state, names[k])->data, kept = values[8];
        values[8] = NAN;
        check_refused(world, &state, names[k]);
        values[8] = kept;
    }
    double *time = find(&state, "world/time")->data, kept = *time;
    *time = NAN;
    check_refused(world, &state, "world/time");
    *time = kept;
    couState_Clear(&state);
    couDestroyWorld(world);
}

static void test_impossible_springs(void **context)
{
    (void)context;
    couState state;
    couWorld *world = make_good(&state);
    uint32_t *ids = find(&state, "springs/ids")->data, a = ids[20], b = ids[21];
    ids[21] = 0xfffffff0u;
    check_refused(world, &state, "a spring to an id that was never given");
    ids[21] = a;
    check_refused(world, &state, "a spring from a particle to itself");
    ids[20] = b, ids[21] = a;
    check_refused(world, &state, "a spring whose ids are not in order");
    ids[20] = ids[18], ids[21] = ids[19];
    check_refused(world, &state, "a spring twice");
    couState_Clear(&state);
    couDestroyWorld(world);
}

// Materials in a state are checked like those of a scene.
static void test_impossible_materials(void **context)
{
    (void)context;
    couState state;
    couWorld *world = make_good(&state);
    double *values = find(&state, "materials/values")->data;
    for (int k = 0; k < 3; ++k) { // density, viscosity, kind of springs
        double kept = values[k];
        values[k] = -5;
        check_refused(world, &state, "a material with a negative number");
        values[k] = kept;
    }
    float *gravity = find(&state, "world/gravity")->data, g = gravity[1];
    gravity[1] = 1e6f;
    check_refused(world, &state, "gravity beyond its range");
    gravity[1] = g, gravity[3] = 3;
    check_refused(world, &state, "gravity on something unknown");
    gravity[3] = 0;
    double *blowers = find(&state, "blowers/values")->data;
    blowers[2] = -5; // its start
    check_refused(world, &state, "a blower that starts before time");
    couState_Clear(&state);
    couDestroyWorld(world);
}

// Numbers that would keep a step busy for ever, or turn what it reads into nothing.
static void test_impossible_progress(void **context)
{
    (void)context;
    static const struct {
        const char *array;
        int place;
        double value;
    } spoilt[] = {
        {"emitters/progress", 1, 1e300}, {"emitters/progress", 1, -1},   {"emitters/progress", 1, 0.021},
        {"emitters/progress", 2, 1e9},   {"emitters/progress", 9, 1e17}, // of the volume: how often it was filled
        {"events/next", 3, -1e300},      {"events/next", 3, -1e4},       {"events/next", 0, NAN},
        {"events/next", 3, -INFINITY},   {"blowers/state", 8, 5},        {"bodies/state", 10, 5},
        {"joints/state", 2, -1},         {"joints/state", 9, 5},         {"world/time", 0, -1},
        {"bodies/state", 17, 5},
    };
    couState state;
    couWorld *world = make_good(&state);
    for (int k = 0; k < COU_COUNT(spoilt); ++k) {
        double *value = (double *)find(&state, spoilt[k].array)->data + spoilt[k].place, kept = *value;
        *value = spoilt[k].value;
        char what[64];
        snprintf(what, sizeof what, "%s[%d] = %g", spoilt[k].array, spoilt[k].place, spoilt[k].value);
        check_refused(world, &state, what);
        *value = kept;
    }
    static const char *const paces[] = {"world/pace", "world/demand"};
    for (int k = 0; k < 4; ++k) {
        float *value = (float *)find(&state, paces[k / 2])->data + k % 2, kept = *value;
        *value = -1;
        check_refused(world, &state, paces[k / 2]);
        *value = kept;
    }
    couFaults faults = {0};
    assert_true(couWorld_LoadState(world, &state, &faults)); // the good one still is
    CHECK_NO_FAULTS(&faults);
    couState_Clear(&state);
    couDestroyWorld(world);
}

// A state with the highest ids that there are, as after a very long stream: no more memory than the particles justify, springs
// as before, and who would make more ends instead of giving ids twice.
static void test_highest_ids(void **context)
{
    (void)context;
    couState state;
    couWorld *plain = make_good(&state), *world = make_scene(3, 1);
    couStateArray *ids = find(&state, "particles/id"), *springs = find(&state, "springs/ids");
    const uint32_t shift = UINT32_MAX - 1 - ((const uint32_t *)ids->data)[ids->count - 1];
    for (size_t k = ids->count / 2; k < ids->count; ++k) ((uint32_t *)ids->data)[k] += shift;
    const uint32_t first_shifted = ((const uint32_t *)ids->data)[ids->count / 2] - shift;
    for (size_t k = 0; k < 2 * springs->count; ++k)
        if (((uint32_t *)springs->data)[k] >= first_shifted) ((uint32_t *)springs->data)[k] += shift;
    ((uint64_t *)find(&state, "world/counters")->data)[1] = UINT32_MAX;
    couFaults faults = {0};
    bool is_taken = couWorld_LoadState(world, &state, &faults);
    CHECK_NO_FAULTS(&faults);
    assert_true(is_taken);
    size_t count = couWorld_Particles(world).count;
    assert_int_equal(couWorld_SpringCount(world), couWorld_SpringCount(plain));
    couStepReport report = {0};
    for (int k = 0; k < 10; ++k) {
        couStepReport own = couWorld_Step(world, 0.002f);
        CHECK_HEALTHY(&own);
        report.emitted += own.emitted;
    }
    assert_int_equal(report.emitted, 0);
    assert_true(couWorld_Particles(world).count <= count);
    CHECK_RANGE((double)couWorld_PeakBytes(world), 0, 300e6, 0);
    couVec3 x = {0, 1, 0};
    assert_false(couWorld_AddParticles(world, couWorld_MaterialAt(world, 0), &x, NULL, 1, &faults));
    couFaults_Clear(&faults);
    couState_Clear(&state);
    couDestroyWorld(world);
    couDestroyWorld(plain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_resumed_run_has_the_same_bits),
        cmocka_unit_test(test_gravity_is_resumed),
        cmocka_unit_test(test_order_of_the_state),
        cmocka_unit_test(test_every_array_counts),
        cmocka_unit_test(test_every_change_counts),
        cmocka_unit_test(test_missing_and_misshapen_arrays),
        cmocka_unit_test(test_another_scene),
        cmocka_unit_test(test_impossible_particles),
        cmocka_unit_test(test_not_a_number),
        cmocka_unit_test(test_impossible_springs),
        cmocka_unit_test(test_impossible_materials),
        cmocka_unit_test(test_impossible_progress),
        cmocka_unit_test(test_highest_ids),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
