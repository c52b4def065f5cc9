// The world: handles, faults of every def, events, and the same bits for any number of threads and neighbours in the process.
#include "testing.h"

#include <float.h>
#include <stdatomic.h>

// --- Handles -----------------------------------------------------------------------------------------------------------------

static int assert_count;
static bool note_assert(const char *condition, const char *file, int line)
{
    (void)condition, (void)file, (void)line;
    ++assert_count;
    return true; // go on
}

static void test_handles(void **context)
{
    (void)context;
    couSetAssert(note_assert);
    couWorld *world = make_world(3, 0.02f, EARTH, 1);
    couMaterialId liquid = add_liquid(world, 800, 0.001f);
    assert_int_equal(couWorld_MaterialCount(world), 1);
    CHECK_NEAR(couWorld_Material(world, liquid)->density, 800, 0, 0);
    CHECK_NEAR(couWorld_ParticleMass(world, 0), 800 * 8e-6, 1e-9, 0);
    assert_int_equal(couWorld_MaterialAt(world, 1).index1, 0);
    assert_int_equal(couWorld_MaterialAt(world, -1).index1, 0);
    assert_null(couWorld_Material(world, (couMaterialId){0}));
    assert_null(couWorld_Material(world, (couMaterialId){9, 1}));

    couBodyId a = add_body(world, make_sphere(0.1f), at(0, 1, 0), 0), b = add_body(world, make_sphere(0.2f), at(0, 2, 0), 0);
    assert_true(couWorld_HasBody(world, a) && couWorld_HasBody(world, b));
    assert_string_equal(couWorld_Body(world, a)->name, "body1");
    assert_int_equal(couWorld_FindBody(world, "body2").index1, b.index1);
    CHECK_NEAR(couWorld_BodyPose(world, b).position.y, 2, 0, 0);
    couWorld_RemoveBody(world, a);
    assert_false(couWorld_HasBody(world, a));
    assert_null(couWorld_Body(world, a));
    assert_int_equal(couWorld_BodyAt(world, 0).index1, 0);
    assert_int_equal(couWorld_FindBody(world, "body1").index1, 0);
    assert_int_equal(couWorld_BodyCapacity(world), 2);
    couBodyId c = add_body(world, make_sphere(0.3f), COU_POSE_IDENTITY, 0); // takes no removed one's place
    assert_true(couWorld_HasBody(world, c) && !couWorld_HasBody(world, a) && couWorld_HasBody(world, b));
    assert_int_equal(couWorld_FindBody(world, "nobody").index1, 0);

    // Stale and null handles do no harm.
    couBodyId wrong[] = {a, {0, 0}, {77, 1}, {b.index1, (uint16_t)(b.generation + 1)}};
    for (int k = 0; k < COU_COUNT(wrong); ++k) {
        assert_false(couWorld_HasBody(world, wrong[k]));
        couWorld_RemoveBody(world, wrong[k]);
        (void)couWorld_BodyPose(world, wrong[k]);
        (void)couWorld_BodyForce(world, wrong[k]);
    }
    assert_true(couWorld_HasBody(world, b) && couWorld_HasBody(world, c));
    couWorld_SetEmitterOn(world, (couEmitterId){3, 1}, true);
    assert_null(couWorld_Emitter(world, (couEmitterId){0}));
    assert_int_equal(couWorld_EmitterAt(world, 0).index1, 0);
    couWorld_AddSprings(world, (couMaterialId){5, 1});
    couWorld_DeleteSprings(world, (couMaterialId){0});
#ifndef NDEBUG
    assert_true(assert_count > 0);
#endif
    couSetAssert(NULL);
    couDestroyWorld(world);
    couDestroyWorld(NULL);
}

// --- Faults ------------------------------------------------------------------------------------------------------------------

/// Adds a def to a world; true when it was taken.
typedef bool AddFcn(couWorld *world, const void *def, couFaults *faults);

// Sets each number of the def in turn to values outside of its range and to NaN; each must give one fault with its key.
static void check_each_field(const couParamTable *table, const void *good, size_t size, couWorld *world, AddFcn *add)
{
    char *bad = malloc(size);
    for (int p = 0; p < table->count; ++p) {
        const couParam *param = &table->params[p];
        double tries[6];
        int count = 0;
        switch (param->type) {
        case cou_paramFloat:
        case cou_paramVec3:
            tries[count++] = -INFINITY, tries[count++] = INFINITY;
            if (!param->is_auto) tries[count++] = NAN;
            if (param->min > -1e30) tries[count++] = param->is_min_open ? param->min : nextafterf((float)param->min, -INFINITY);
            if (param->max < 1e30) tries[count++] = param->max * (1 + 1e-6);
            break;
        case cou_paramInt:
            if (param->min > INT32_MIN) tries[count++] = param->min - 1;
            if (param->max < INT32_MAX) tries[count++] = param->max + 1;
            break;
        case cou_paramChoice: tries[count++] = -1, tries[count++] = 100; break;
        default: break;
        }
        for (int t = 0; t < count; ++t)
            for (int c = 0; c < (param->type == cou_paramVec3 ? 3 : 1); ++c) {
                memcpy(bad, good, size);
                if (param->type == cou_paramFloat || param->type == cou_paramVec3)
                    ((float *)(bad + param->offset))[c] = (float)tries[t];
                else
                    *(int *)(bad + param->offset) = (int)tries[t];
                couFaults faults = {0};
                char key[80];
                snprintf(key, sizeof key, "%s.%s", table->name, param->name);
                bool is_taken = add(world, bad, &faults);
                bool has_key = false;
                for (int f = 0; f < faults.count; ++f) has_key |= strcmp(faults.items[f].key, key) == 0;
                if (is_taken || !has_key) {
                    print_faults(&faults);
                    fail_msg("%s = %g: expected a fault, it was %s", key, tries[t], is_taken ? "taken" : "not named");
                }
                couFaults_Clear(&faults);
            }
    }
    couFaults faults = {0};
    bool is_taken = add(world, good, &faults);
    CHECK_NO_FAULTS(&faults);
    assert_true(is_taken);
    free(bad);
}

static bool add_world(couWorld *unused, const void *def, couFaults *faults)
{
    (void)unused;
    couWorld *world = couCreateWorld(def, faults);
    couDestroyWorld(world);
    return world != NULL;
}
static bool add_material_def(couWorld *world, const void *def, couFaults *faults)
{
    return couWorld_AddMaterial(world, def, faults).index1 > 0;
}
static bool add_fluid_def(couWorld *world, const void *def, couFaults *faults)
{
    return couWorld_AddFluid(world, def, faults) >= 0;
}
static bool add_body_def(couWorld *world, const void *def, couFaults *faults)
{
    return couWorld_AddBody(world, def, faults).index1 > 0;
}
static bool add_emitter_def(couWorld *world, const void *def, couFaults *faults)
{
    return couWorld_AddEmitter(world, def, faults).index1 > 0;
}
static bool add_sink_def(couWorld *world, const void *def, couFaults *faults) { return couWorld_AddSink(world, def, faults); }
static bool add_field_def(couWorld *world, const void *def, couFaults *faults) { return couWorld_AddField(world, def, faults); }

static void test_every_wrong_number_is_a_fault(void **context)
{
    (void)context;
    couWorld *world = make_world(3, 0.02f, EARTH, 1);
    couMaterialId liquid = add_liquid(world, 1000, 0.001f);
    couShape *ball = make_sphere(0.05f);

    couWorldDef world_def = couDefaultWorldDef();
    check_each_field(couWorldParams(), &world_def, sizeof world_def, NULL, add_world);
    couMaterialDef material = couDefaultMaterialDef();
    check_each_field(couMaterialParams(), &material, sizeof material, world, add_material_def);
    couFluidDef fluid = couDefaultFluidDef();
    fluid.material = liquid, fluid.shape = ball;
    check_each_field(couFluidParams(), &fluid, sizeof fluid, world, add_fluid_def);
    couBodyDef body = couDefaultBodyDef();
    body.shape = ball, body.pose = at(3, 0, 0);
    check_each_field(couBodyParams(), &body, sizeof body, world, add_body_def);
    couEmitterDef emitter = couDefaultEmitterDef();
    emitter.material = liquid, emitter.shape = ball, emitter.pose = at(6, 0, 0);
    check_each_field(couEmitterParams(), &emitter, sizeof emitter, world, add_emitter_def);
    couSinkDef sink = couDefaultSinkDef();
    sink.shape = ball, sink.pose = at(9, 0, 0);
    check_each_field(couSinkParams(), &sink, sizeof sink, world, add_sink_def);
    couFieldDef field = couDefaultFieldDef();
    check_each_field(couFieldParams(), &field, sizeof field, world, add_field_def);
    // Only the good ones are in.
    assert_int_equal(couWorld_MaterialCount(world), 2);
    assert_int_equal(couWorld_BodyCapacity(world), 1);
    assert_int_equal(couWorld_EmitterCount(world), 1);
    assert_int_equal(world->sink_count, 1);
    assert_int_equal(world->field_count, 1);
    couShape_Release(ball);
    couDestroyWorld(world);
}

static const couPose bad_poses[] = {{{NAN, 0, 0}, {0, 0, 0, 1}},
                                    {{0, INFINITY, 0}, {0, 0, 0, 1}},
                                    {{0, 0, 0}, {0, 0, 0, 0}},
                                    {{0, 0, 0}, {0, 0, 0, 2}},
                                    {{0, 0, 0}, {NAN, 0, 0, 1}}};

static void test_faults_of_shapes_poses_and_names(void **context)
{
    (void)context;
    couWorld *world = make_world(3, 0.02f, EARTH, 1);
    couMaterialId liquid = add_liquid(world, 1000, 0.001f);
    couShape *ball = make_sphere(0.05f), *ground = make_plane(0, 1, 0);
    couFaults faults = {0};
    couFluidDef fluid = couDefaultFluidDef();
    couBodyDef body = couDefaultBodyDef();
    couEmitterDef emitter = couDefaultEmitterDef();
    couSinkDef sink = couDefaultSinkDef();
    couFieldDef field = couDefaultFieldDef();

    // Nothing set: everything is named at once.
    assert_int_equal(couWorld_AddFluid(world, &fluid, &faults), -1);
    assert_int_equal(faults.count, 2);
    couFaults_Clear(&faults);
    assert_int_equal(couWorld_AddEmitter(world, &emitter, &faults).index1, 0);
    assert_int_equal(faults.count, 2);
    couFaults_Clear(&faults);
    assert_int_equal(couWorld_AddBody(world, &body, &faults).index1, 0);
    CHECK_FAULT(&faults, "body.shape", "missing");
    assert_false(couWorld_AddSink(world, &sink, &faults));
    CHECK_FAULT(&faults, "sink.shape", "missing");

    // A plane has no end.
    fluid.material = emitter.material = liquid;
    fluid.shape = emitter.shape = ground;
    assert_int_equal(couWorld_AddFluid(world, &fluid, &faults), -1);
    CHECK_FAULT(&faults, "fluid.shape", "bounds");
    assert_int_equal(couWorld_AddEmitter(world, &emitter, &faults).index1, 0);
    CHECK_FAULT(&faults, "emitter.shape", "bounds");

    fluid.shape = body.shape = emitter.shape = sink.shape = ball;
    for (int k = 0; k < COU_COUNT(bad_poses); ++k) {
        fluid.pose = body.pose = emitter.pose = sink.pose = field.region_pose = bad_poses[k];
        assert_int_equal(couWorld_AddFluid(world, &fluid, &faults), -1);
        CHECK_FAULT(&faults, "fluid.at", NULL);
        assert_int_equal(couWorld_AddBody(world, &body, &faults).index1, 0);
        CHECK_FAULT(&faults, "body.at", NULL);
        assert_int_equal(couWorld_AddEmitter(world, &emitter, &faults).index1, 0);
        CHECK_FAULT(&faults, "emitter.at", NULL);
        assert_false(couWorld_AddSink(world, &sink, &faults));
        CHECK_FAULT(&faults, "sink.at", NULL);
        assert_false(couWorld_AddField(world, &field, &faults));
        CHECK_FAULT(&faults, "field.at", NULL);
    }

    // Names: at most 31 characters, bodies' are unique.
    body = couDefaultBodyDef(), body.shape = ball;
    memset(body.name, 'x', sizeof body.name);
    assert_int_equal(couWorld_AddBody(world, &body, &faults).index1, 0);
    CHECK_FAULT(&faults, "body.name", "31");
    snprintf(body.name, sizeof body.name, "cup");
    assert_true(couWorld_AddBody(world, &body, &faults).index1 > 0);
    assert_int_equal(couWorld_AddBody(world, &body, &faults).index1, 0);
    CHECK_FAULT(&faults, "body.name", "cup");
    emitter = couDefaultEmitterDef(), emitter.material = liquid, emitter.shape = ball;
    memset(emitter.name, 'x', sizeof emitter.name);
    assert_int_equal(couWorld_AddEmitter(world, &emitter, &faults).index1, 0);
    CHECK_FAULT(&faults, "emitter.name", "31");
    emitter.name[0] = 0, emitter.start = 3, emitter.stop = 2;
    assert_int_equal(couWorld_AddEmitter(world, &emitter, &faults).index1, 0);
    CHECK_FAULT(&faults, "emitter.stop", "before");
    couMaterialDef material = couDefaultMaterialDef();
    memset(material.name, 'x', sizeof material.name);
    assert_int_equal(couWorld_AddMaterial(world, &material, &faults).index1, 0);
    CHECK_FAULT(&faults, "material.name", "31");

    field = couDefaultFieldDef(), field.kind = cou_fieldFunction;
    assert_false(couWorld_AddField(world, &field, &faults));
    CHECK_FAULT(&faults, "field.function", NULL);
    field = couDefaultFieldDef(), field.kind = cou_fieldRotating, field.vector = NO_GRAVITY;
    assert_false(couWorld_AddField(world, &field, &faults));
    CHECK_FAULT(&faults, "field.vector", NULL);

    couVec3 x = {0, NAN, 0}, y = {0, 0, 0}, v = {INFINITY, 0, 0};
    assert_false(couWorld_AddParticles(world, liquid, &x, NULL, 1, &faults));
    CHECK_FAULT(&faults, "particles", "finite");
    assert_false(couWorld_AddParticles(world, liquid, &y, &v, 1, &faults));
    CHECK_FAULT(&faults, "particles", "finite");
    assert_false(couWorld_AddParticles(world, (couMaterialId){0}, &y, NULL, 1, &faults));
    CHECK_FAULT(&faults, "particles.material", NULL);
    assert_int_equal(couWorld_Particles(world).count, 0);

    couWorldDef def = couDefaultWorldDef();
    snprintf(def.method, sizeof def.method, "pvsf");
    assert_null(couCreateWorld(&def, &faults));
    CHECK_FAULT(&faults, "scene.method", "did you mean 'pvfs'");
    memset(def.method, 'x', sizeof def.method);
    assert_null(couCreateWorld(&def, &faults));
    CHECK_FAULT(&faults, "scene.method", NULL);
    couShape_Release(ball);
    couShape_Release(ground);
    couDestroyWorld(world);
}

static void test_material_limits(void **context)
{
    (void)context;
    couWorld *world = make_world(3, 0.02f, EARTH, 1);
    couFaults faults = {0};
    for (int k = 0; k < COU_MAX_MATERIALS; ++k) add_liquid(world, 1000, 0);
    couMaterialDef def = couDefaultMaterialDef();
    assert_int_equal(couWorld_AddMaterial(world, &def, &faults).index1, 0);
    CHECK_FAULT(&faults, "material", "64");
    couDestroyWorld(world);
}

static void test_set_material(void **context)
{
    (void)context;
    couWorld *world = make_world(3, 0.02f, EARTH, 1);
    couMaterialId liquid = add_liquid(world, 1000, 0.001f);
    couFaults faults = {0};
    couMaterialDef def = *couWorld_Material(world, liquid);
    couVec3 x = {0, 1, 0};
    assert_true(couWorld_AddParticles(world, liquid, &x, NULL, 1, &faults));
    prepare_world(world);
    double sigma = pvfs_state(world)->materials[0].sigma;
    def.viscosity = 0.004f;
    assert_true(couWorld_SetMaterial(world, liquid, &def, &faults));
    CHECK_NEAR(pvfs_state(world)->materials[0].sigma / sigma, 4, 1e-4, 0); // acts at once
    def.viscosity = -1;
    assert_false(couWorld_SetMaterial(world, liquid, &def, &faults));
    CHECK_FAULT(&faults, "material.viscosity", "-1");
    def.viscosity = 0.1f, def.density = 2000;
    assert_false(couWorld_SetMaterial(world, liquid, &def, &faults));
    CHECK_FAULT(&faults, "material.density", "2000");
    CHECK_NEAR(couWorld_Material(world, liquid)->viscosity, 0.004, 1e-9, 0);
    couDestroyWorld(world);
}

static void test_set_material_checks_the_name(void **context)
{
    (void)context;
    couWorld *world = make_world(3, 0.02f, EARTH, 1);
    couMaterialId liquid = add_liquid(world, 1000, 0.001f);
    couFaults faults = {0};
    couMaterialDef def = *couWorld_Material(world, liquid);
    memset(def.name, 'x', sizeof def.name);
    assert_false(couWorld_SetMaterial(world, liquid, &def, &faults));
    CHECK_FAULT(&faults, "material.name", "31");
    couDestroyWorld(world);
}

// "The density cannot change once it has particles": before that it can.
static void test_density_before_particles(void **context)
{
    (void)context;
    couWorld *world = make_world(3, 0.02f, EARTH, 1);
    couMaterialId liquid = add_liquid(world, 1000, 0.001f);
    couFaults faults = {0};
    couMaterialDef def = *couWorld_Material(world, liquid);
    def.density = 2000;
    bool is_good = couWorld_SetMaterial(world, liquid, &def, &faults);
    CHECK_NO_FAULTS(&faults);
    assert_true(is_good);
    CHECK_NEAR(couWorld_ParticleMass(world, 0), 2000 * 8e-6, 1e-8, 0);
    couDestroyWorld(world);
}

static void test_max_particles(void **context)
{
    (void)context;
    couFaults faults = {0};
    couWorldDef def = couDefaultWorldDef();
    def.max_particles = 500;
    couWorld *world = couCreateWorld(&def, &faults);
    couMaterialId liquid = add_liquid(world, 1000, 0.001f);
    couFluidDef fluid = couDefaultFluidDef();
    fluid.material = liquid, fluid.shape = make_box(0.16f, 0.16f, 0.16f); // 512
    assert_int_equal(couWorld_AddFluid(world, &fluid, &faults), -1);
    CHECK_FAULT(&faults, "fluid.shape", "500");
    assert_int_equal(couWorld_Particles(world).count, 0);
    couShape_Release(fluid.shape);
    add_fluid(world, liquid, make_box(0.14f, 0.14f, 0.14f), COU_POSE_IDENTITY, NO_GRAVITY); // 343
    couVec3 many[200] = {{0}};
    assert_false(couWorld_AddParticles(world, liquid, many, NULL, 200, &faults));
    assert_int_equal(faults.count, 1);
    couFaults_Clear(&faults);
    assert_int_equal(couWorld_Particles(world).count, 343);
    couDestroyWorld(world);
}

// Far more than anyone has memory for: refused at once, also when the corners of its box are empty.
static int fill_giants(void)
{
    couFaults faults = {0};
    couWorldDef def = couDefaultWorldDef();
    def.threads = 1;
    def.spacing = 0.01f, def.max_particles = 100000;
    couWorld *world = couCreateWorld(&def, &faults);
    couMaterialDef material = couDefaultMaterialDef();
    couMaterialId liquid = couWorld_AddMaterial(world, &material, &faults);
    couShape *shapes[] = {make_box(1e4f, 1e4f, 1e4f), make_sphere(1000), make_tank(900, 900, 900, 0.05f, false),
                          make_shape((couShapeDef){.kind = cou_shapeTorus, .radius = 900, .radius2 = 3})};
    for (int k = 0; k < COU_COUNT(shapes); ++k) {
        couFluidDef fluid = couDefaultFluidDef();
        fluid.material = liquid, fluid.shape = shapes[k];
        if (couWorld_AddFluid(world, &fluid, &faults) != -1 || faults.count != k + 1 || couWorld_Particles(world).count != 0)
            return 1 + k;
        couShape_Release(shapes[k]);
    }
    couFaults_Clear(&faults);
    couDestroyWorld(world);
    return 0;
}

static void test_giants(void **context)
{
    (void)context;
    CHECK_IN_TIME(fill_giants, 10);
}

// --- Steps -------------------------------------------------------------------------------------------------------------------

static void test_empty_world(void **context)
{
    (void)context;
    for (int dimension = 2; dimension <= 3; ++dimension) {
        couWorld *world = make_world(dimension, 0.02f, EARTH, 2);
        couStepReport report = couWorld_Step(world, 0.01f); // not even a material
        CHECK_HEALTHY(&report);
        add_liquid(world, 1000, 0.001f);
        add_body(world, make_plane(0, 1, 0), COU_POSE_IDENTITY, 0);
        report = couWorld_Advance(world, 1.0 / 30);
        CHECK_HEALTHY(&report);
        couMeasurement m = couWorld_Measure(world);
        CHECK_NEAR(m.mass, 0, 0, 0);
        assert_true(isfinite(m.center[0]) && isfinite(m.kinetic_energy));
        hash_world(world);
        couDestroyWorld(world);
    }
}

static void test_measure(void **context)
{
    (void)context;
    couWorld *world = make_world(3, 0.1f, EARTH, 1);
    couMaterialId a = add_liquid(world, 1000, 0), b = add_liquid(world, 3000, 0); // 1 and 3 kg
    couFaults faults = {0};
    couVec3 x[2] = {{1, 2, 0}, {5, 0, 0}}, v[2] = {{0, 3, 0}, {0, 1, 2}};
    assert_true(couWorld_AddParticles(world, a, &x[0], &v[0], 1, &faults));
    assert_true(couWorld_AddParticles(world, b, &x[1], &v[1], 1, &faults));
    couMeasurement m = couWorld_Measure(world);
    CHECK_NEAR(m.mass, 4, 1e-5, 0);
    CHECK_NEAR(m.kinetic_energy, 0.5 * 9 + 0.5 * 3 * 5, 1e-4, 0);
    CHECK_NEAR(m.potential_energy, 9.81 * 2, 1e-4, 0);
    CHECK_NEAR(m.momentum[1], 3 + 3, 1e-5, 0);
    CHECK_NEAR(m.momentum[2], 6, 1e-5, 0);
    CHECK_NEAR(m.center[0], 4, 1e-5, 0);
    CHECK_NEAR(m.center[1], 0.5, 1e-5, 0);
    CHECK_NEAR(m.angular_momentum[2], 3 + 15, 1e-4, 0);
    CHECK_NEAR(m.angular_momentum[1], -30, 1e-4, 0);
    CHECK_NEAR(m.max_speed, 3, 1e-5, 0);
    couDestroyWorld(world);
}

static void test_advance(void **context)
{
    (void)context;
    couWorld *world = make_world(3, 0.02f, EARTH, 1);
    couMaterialId liquid = add_liquid(world, 1000, 0.001f);
    add_body(world, make_plane(0, 1, 0), COU_POSE_IDENTITY, 0);
    add_fluid(world, liquid, make_box(0.1f, 0.1f, 0.1f), at(0, 0.05f, 0), NO_GRAVITY);
    prepare_world(world);
    float step = couWorld_SuggestStep(world);
    for (int frame = 1; frame <= 30; ++frame) {
        couStepReport report = couWorld_Advance(world, 1.0 / 30);
        CHECK_HEALTHY(&report);
        CHECK_RANGE(report.substeps, 1.0 / 30 / step - 0.01, 1.0 / 30 / step + 1, 0);
        CHECK_NEAR(report.dt * (float)report.substeps, 1.0 / 30, 1e-6, 0);
        CHECK_NEAR(couWorld_Time(world), frame / 30.0, 1e-12, frame); // no drift
        assert_int_equal(report.particle_steps, 125 * (uint64_t)report.substeps);
        for (int p = 0; p < cou_phaseCount; ++p) assert_true(report.phase_seconds[p] >= 0);
    }
    assert_true(couWorld_StepCount(world) >= 30);
    CHECK_RANGE((double)couWorld_PeakBytes(world), (double)couWorld_Bytes(world), 1e9, 0);
    couDestroyWorld(world);
}

static couVec3 poison(void *context, couVec3 position, couVec3 velocity, double time)
{
    (void)velocity, (void)time;
    return position.x > *(float *)context ? (couVec3){NAN, 0, 0} : NO_GRAVITY;
}

static void test_physics_trouble_is_counted(void **context)
{
    (void)context;
    couWorld *world = make_world(3, 0.02f, NO_GRAVITY, 1);
    couMaterialId liquid = add_liquid(world, 1000, 0.001f);
    couFaults faults = {0};
    for (int k = 0; k < 10; ++k) {
        couVec3 x = {(float)k, 0, 0};
        assert_true(couWorld_AddParticles(world, liquid, &x, NULL, 1, &faults));
    }
    float edge = 6.5f;
    couFieldDef field = couDefaultFieldDef();
    field.kind = cou_fieldFunction, field.function = poison, field.function_context = &edge;
    assert_true(couWorld_AddField(world, &field, &faults));
    couStepReport report = couWorld_Step(world, 0.01f);
    assert_int_equal(report.nan_count, 3);
    assert_int_equal(report.first_bad_id, 7);
    report = couWorld_Advance(world, 0.1); // still says so, and does not crash
    assert_true(report.nan_count > 0);
    couDestroyWorld(world);

    world = make_world(3, 0.02f, NO_GRAVITY, 1);
    liquid = add_liquid(world, 1000, 0.001f);
    couVec3 far[3] = {{0, 0, 0}, {0, 1e6f, 0}, {1, 0, 0}};
    assert_true(couWorld_AddParticles(world, liquid, far, NULL, 3, &faults));
    report = couWorld_Step(world, 0.001f);
    assert_int_equal(report.lost_count, 1);
    assert_int_equal(report.nan_count, 0);
    assert_int_equal(report.first_bad_id, 1);
    couDestroyWorld(world);
}

// --- Events ------------------------------------------------------------------------------------------------------------------

typedef struct Diary {
    int count;
    char letters[256];
    double times[256];
} Diary;
typedef struct Author {
    Diary *diary;
    char letter;
} Author;

static void write_diary(void *context, couWorld *world, double time)
{
    Author *author = context;
    Diary *diary = author->diary;
    CHECK_NEAR(time, couWorld_Time(world), 0, 0);
    if (diary->count >= 255) fail_msg("more events than expected");
    diary->letters[diary->count] = author->letter;
    diary->times[diary->count++] = time;
}

static void test_events(void **context)
{
    (void)context;
    couWorld *world = make_world(3, 0.02f, EARTH, 1);
    Diary diary = {0};
    Author a = {&diary, 'a'}, b = {&diary, 'b'}, c = {&diary, 'c'}, d = {&diary, 'd'};
    couFaults faults = {0};
    assert_true(couWorld_AddEvent(world, 0.3, 0, write_diary, &a, &faults));
    assert_true(couWorld_AddEvent(world, 0.0, 0.2, write_diary, &b, &faults));
    assert_true(couWorld_AddEvent(world, 0.3, 0, write_diary, &c, &faults));     // the same time: in the order added
    assert_true(couWorld_AddEvent(world, 0.55, 0.05, write_diary, &d, &faults)); // twice in a step of 0.1 s
    for (int k = 0; k < 7; ++k) couWorld_Step(world, 0.1f);                      // steps begin at 0 ... 0.6
    assert_string_equal(diary.letters, "bbacbbdd");
    CHECK_NEAR(diary.times[1], 0.2, 1e-6, 0);
    CHECK_NEAR(diary.times[2], 0.3, 1e-6, 0);
    CHECK_NEAR(diary.times[6], 0.6, 1e-6, 0); // the first step that begins not before
    couDestroyWorld(world);
}

static void add_another(void *context, couWorld *world, double time)
{
    Author *author = context;
    couFaults faults = {0};
    write_diary(context, world, time);
    if (author->diary->count < 40) assert_true(couWorld_AddEvent(world, time + 0.1, 0, add_another, context, &faults));
    couWorld_StopEmitters(world);
}

// Events may change the world, also the list of events.
static void test_events_from_events(void **context)
{
    (void)context;
    couWorld *world = make_world(3, 0.02f, EARTH, 1);
    Diary diary = {0};
    Author a = {&diary, 'a'};
    couFaults faults = {0};
    assert_true(couWorld_AddEvent(world, 0, 0, add_another, &a, &faults));
    for (int k = 0; k < 50; ++k) couWorld_Step(world, 0.1f);
    assert_int_equal(diary.count, 40);
    couDestroyWorld(world);
}

static void test_event_faults(void **context)
{
    (void)context;
    couWorld *world = make_world(3, 0.02f, EARTH, 1);
    Author a = {NULL, 'a'};
    static const double bad[][2] = {{-1, 0}, {NAN, 0}, {INFINITY, 0}, {0, -1}, {0, NAN}, {0, INFINITY}};
    for (int k = 0; k < COU_COUNT(bad); ++k) {
        couFaults faults = {0};
        assert_false(couWorld_AddEvent(world, bad[k][0], bad[k][1], write_diary, &a, &faults));
        assert_int_equal(faults.count, 1);
        couFaults_Clear(&faults);
    }
    couFaults faults = {0};
    assert_false(couWorld_AddEvent(world, 0, 0, NULL, NULL, &faults));
    assert_int_equal(faults.count, 1);
    couFaults_Clear(&faults);
    couDestroyWorld(world);
}

static void count_up(void *context, couWorld *world, double time)
{
    (void)world, (void)time;
    ++*(int64_t *)context;
}

// A period far below any step is refused, or at least does not hold up the world for ever.
static int tiny_period(void)
{
    couFaults faults = {0};
    couWorldDef def = couDefaultWorldDef();
    def.threads = 1;
    couWorld *world = couCreateWorld(&def, &faults);
    int64_t count = 0;
    couWorld_AddEvent(world, 0, 1e-20, count_up, &count, &faults);
    couWorld_Step(world, 0.01f);
    couWorld_Step(world, 0.01f);
    couFaults_Clear(&faults);
    couDestroyWorld(world);
    return 0;
}

static void test_tiny_period(void **context)
{
    (void)context;
    CHECK_IN_TIME(tiny_period, 5);
}

// --- Same bits ---------------------------------------------------------------------------------------------------------------

static couPose wobble(void *context, double time)
{
    (void)context;
    return turned((float)(0.05 * sin(9 * time)), 0.08f, 0, (float)(3 * time));
}

static void soften(void *context, couWorld *world, double time)
{
    (void)context, (void)time;
    couFaults faults = {0};
    couMaterialId clay = couWorld_MaterialAt(world, 1);
    couMaterialDef def = *couWorld_Material(world, clay);
    def.viscosity = 3;
    assert_true(couWorld_SetMaterial(world, clay, &def, &faults));
    couWorld_AddSprings(world, couWorld_MaterialAt(world, 2));
}

// A bit of everything: two liquids, clay with springs, jelly, an emitter, a moving paddle, friction, a drain, fields, an event.
static couWorld *make_zoo(int dimension, int threads, int seed)
{
    couFaults faults = {0};
    couWorldDef world_def = couDefaultWorldDef();
    world_def.dimension = dimension, world_def.spacing = 0.02f, world_def.threads = threads, world_def.seed = seed;
    couWorld *world = couCreateWorld(&world_def, &faults);
    CHECK_NO_FAULTS(&faults);
    couMaterialDef def = couDefaultMaterialDef();
    couMaterialId water = add_material(world, &def);
    def.springs = cou_springsPlastic, def.density = 1700, def.shear_modulus = 500, def.viscosity = 20;
    def.flow_stretch = def.flow_compress = 2, def.yield_stretch = def.yield_compress = 0.05f;
    couMaterialId clay = add_material(world, &def);
    def = couDefaultMaterialDef(), def.springs = cou_springsFrozen, def.shear_modulus = 2000;
    couMaterialId jelly = add_material(world, &def);
    float width = dimension == 3 ? 0.4f : 1.0f;
    couPose middle = at(0, 0.3f, 0);
    add_body(world, make_tank(width, 0.6f, 0.4f, 0.01f, true), middle, 0.2f);
    couBodyDef paddle = couDefaultBodyDef();
    paddle.shape = make_box(0.2f, 0.02f, 0.1f), paddle.motion = wobble, paddle.friction = 0.5f, paddle.stickiness = 50;
    assert_true(couWorld_AddBody(world, &paddle, &faults).index1);
    couShape_Release(paddle.shape);
    add_fluid(world, water, make_box(width, 0.2f, 0.4f), at(0, 0.1f, 0), NO_GRAVITY);
    add_fluid(world, clay, make_box(0.15f, 0.1f, 0.15f), at(-0.1f, 0.3f, 0), (couVec3){0.3f, 0, 0});
    add_fluid(world, jelly, make_sphere(0.06f), at(0.1f, 0.35f, 0), NO_GRAVITY);
    couEmitterDef emitter = couDefaultEmitterDef();
    emitter.material = water, emitter.shape = make_disk(0.04f), emitter.pose = turned(0, 0.5f, 0, 2.8f), emitter.speed = 2;
    add_emitter(world, &emitter);
    couSinkDef sink = couDefaultSinkDef();
    sink.shape = make_sphere(0.05f), sink.pose = at(-0.4f * width, 0.05f, 0);
    assert_true(couWorld_AddSink(world, &sink, &faults));
    couShape_Release(sink.shape);
    couFieldDef field = couDefaultFieldDef();
    field.kind = cou_fieldRotating, field.strength = 2;
    assert_true(couWorld_AddField(world, &field, &faults));
    assert_true(couWorld_AddEvent(world, 0.02, 0, soften, NULL, &faults));
    return world;
}

static uint64_t run_zoo(couWorld *world, int steps)
{
    for (int k = 0; k < steps; ++k) {
        couStepReport report = couWorld_Step(world, 0.002f);
        CHECK_HEALTHY(&report);
    }
    return hash_world(world);
}

static void test_threads_do_not_matter(void **context)
{
    (void)context;
    for (int dimension = 2; dimension <= 3; ++dimension) {
        uint64_t first = 0;
        for (int threads = 1; threads <= 4; ++threads) {
            couWorld *world = make_zoo(dimension, threads, 1);
            uint64_t hash = run_zoo(world, 60);
            assert_true(couWorld_SpringCount(world) > 100);
            if (threads == 1) first = hash;
            if (hash != first)
                fail_msg("%dD: hash %016llx with %d threads, %016llx with one", dimension, (unsigned long long)hash, threads,
                         (unsigned long long)first);
            couDestroyWorld(world);
        }
    }
}

static void test_worlds_do_not_meet(void **context)
{
    (void)context;
    couWorld *alone[2] = {make_zoo(2, 2, 1), make_zoo(3, 1, 2)};
    uint64_t expected[2] = {run_zoo(alone[0], 40), run_zoo(alone[1], 40)};
    couDestroyWorld(alone[0]);
    couDestroyWorld(alone[1]);
    couWorld *both[2] = {make_zoo(2, 1, 1), make_zoo(3, 3, 2)};
    for (int k = 0; k < 40; ++k)
        for (int w = 0; w < 2; ++w) couWorld_Step(both[w], 0.002f);
    for (int w = 0; w < 2; ++w) {
        assert_true(hash_world(both[w]) == expected[w]);
        couDestroyWorld(both[w]);
    }
}

static void test_seeds_matter(void **context)
{
    (void)context;
    couWorld *a = make_zoo(2, 1, 1), *b = make_zoo(2, 1, 1), *c = make_zoo(2, 1, 2);
    uint64_t hash = run_zoo(a, 5);
    assert_true(hash == run_zoo(b, 5));
    assert_true(hash != run_zoo(c, 5));
    couDestroyWorld(a);
    couDestroyWorld(b);
    couDestroyWorld(c);
}

// --- Memory ------------------------------------------------------------------------------------------------------------------

static _Atomic int64_t blocks_out, blocks_allowed;
static void *counting_alloc(size_t bytes, size_t align)
{
    if (atomic_fetch_sub(&blocks_allowed, 1) <= 0) return NULL;
    atomic_fetch_add(&blocks_out, 1);
    return aligned_alloc(align, bytes);
}
static void counting_free(void *memory)
{
    atomic_fetch_sub(&blocks_out, 1);
    free(memory);
}

static void test_all_memory_comes_back(void **context)
{
    (void)context;
    couSetAllocator(counting_alloc, counting_free);
    blocks_allowed = INT64_MAX / 2;
    couWorld *world = make_zoo(3, 2, 1);
    run_zoo(world, 10);
    CHECK_RANGE((double)couWorld_Bytes(world), 1e4, 1e9, 0);
    assert_true(blocks_out > 0);
    couDestroyWorld(world);
    CHECK_NEAR((double)blocks_out, 0, 0, 0);
    couSetAllocator(NULL, NULL);
}

// Without memory, wherever it happens: faults or a report that is not healthy, and everything comes back.
static void test_no_memory(void **context)
{
    (void)context;
    couSetAllocator(counting_alloc, counting_free);
    int failures = 0;
    for (int given = 0; given < 400; given += given < 60 ? 1 : 17) {
        blocks_allowed = given;
        couFaults faults = {0};
        couWorldDef def = couDefaultWorldDef();
        def.threads = 1;
        couWorld *world = couCreateWorld(&def, &faults);
        if (!world) {
            assert_true(faults.count > 0);
            ++failures;
        } else {
            couMaterialDef material = couDefaultMaterialDef();
            material.springs = cou_springsPlastic;
            couMaterialId clay = couWorld_AddMaterial(world, &material, &faults);
            couShapeDef box = {.kind = cou_shapeBox, .size = {0.2f, 0.2f, 0.2f}};
            couShape *shape = couCreateShape(&box, &faults);
            if (shape) {
                couBodyDef body = couDefaultBodyDef();
                body.shape = shape, body.pose = at(0, -0.2f, 0);
                couWorld_AddBody(world, &body, &faults);
                couFluidDef fluid = couDefaultFluidDef();
                fluid.material = clay, fluid.shape = shape;
                couWorld_AddFluid(world, &fluid, &faults);
            }
            couStepReport report = {0};
            for (int k = 0; k < 3 && report.nan_count == 0; ++k) report = couWorld_Step(world, 0.001f);
            failures += faults.count > 0 || report.nan_count != 0;
            couShape_Release(shape);
            couDestroyWorld(world);
        }
        couFaults_Clear(&faults);
        CHECK_NEAR((double)blocks_out, 0, 0, given);
    }
    couSetAllocator(NULL, NULL);
    assert_true(failures > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_handles),
        cmocka_unit_test(test_every_wrong_number_is_a_fault),
        cmocka_unit_test(test_faults_of_shapes_poses_and_names),
        cmocka_unit_test(test_material_limits),
        cmocka_unit_test(test_set_material),
        cmocka_unit_test(test_set_material_checks_the_name),
        cmocka_unit_test(test_density_before_particles),
        cmocka_unit_test(test_max_particles),
        cmocka_unit_test(test_giants),
        cmocka_unit_test(test_empty_world),
        cmocka_unit_test(test_measure),
        cmocka_unit_test(test_advance),
        cmocka_unit_test(test_physics_trouble_is_counted),
        cmocka_unit_test(test_events),
        cmocka_unit_test(test_events_from_events),
        cmocka_unit_test(test_event_faults),
        cmocka_unit_test(test_tiny_period),
        cmocka_unit_test(test_threads_do_not_matter),
        cmocka_unit_test(test_worlds_do_not_meet),
        cmocka_unit_test(test_seeds_matter),
        cmocka_unit_test(test_all_memory_comes_back),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
