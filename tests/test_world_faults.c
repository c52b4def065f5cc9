// The world: faults of every def, and limits.
#include "testing.h"

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
static bool add_sink_def(couWorld *world, const void *def, couFaults *faults)
{
    return couWorld_AddSink(world, def, faults).index1;
}
static bool add_field_def(couWorld *world, const void *def, couFaults *faults)
{
    return couWorld_AddField(world, def, faults).index1;
}

static bool add_blower_def(couWorld *world, const void *def, couFaults *faults)
{
    return couWorld_AddBlower(world, def, faults).index1;
}

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
    couBlowerDef blower = couDefaultBlowerDef();
    blower.shape = ball, blower.acceleration = 3;
    check_each_field(couBlowerParams(), &blower, sizeof blower, world, add_blower_def);
    // Only the good ones are in.
    assert_int_equal(couWorld_MaterialCount(world), 2);
    assert_int_equal(couWorld_BodyCount(world), 1);
    assert_int_equal(couWorld_EmitterCount(world), 1);
    assert_int_equal(couWorld_SinkCount(world), 1);
    assert_int_equal(couWorld_FieldCount(world), 1);
    assert_int_equal(couWorld_BlowerCount(world), 1);
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
    assert_false(couWorld_AddSink(world, &sink, &faults).index1);
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
        assert_false(couWorld_AddSink(world, &sink, &faults).index1);
        CHECK_FAULT(&faults, "sink.at", NULL);
        assert_false(couWorld_AddField(world, &field, &faults).index1);
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

    couShape_Release(ball);
    couShape_Release(ground);
    couDestroyWorld(world);
}

static void test_faults_of_fields_particles_and_methods(void **context)
{
    (void)context;
    couWorld *world = make_world(3, 0.02f, EARTH, 1);
    couMaterialId liquid = add_liquid(world, 1000, 0.001f);
    couFaults faults = {0};
    couFieldDef field = couDefaultFieldDef();
    field.kind = cou_fieldFunction;
    assert_false(couWorld_AddField(world, &field, &faults).index1);
    CHECK_FAULT(&faults, "field.function", NULL);
    field = couDefaultFieldDef(), field.kind = cou_fieldRotating, field.vector = NO_GRAVITY;
    assert_false(couWorld_AddField(world, &field, &faults).index1);
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

// The number of the method that has a material's viscosity: the paper's sigma, or of a thick liquid what acts both ways.
static double viscous_rate(couWorld *world, int kernel)
{
    const couPvfsMaterial *material = &pvfs_state(world)->materials[0];
    return kernel == cou_pvfsPaper ? material->sigma : material->viscous;
}

static void check_set_material(int kernel, float viscosity)
{
    couWorld *world = make_world(3, 0.02f, EARTH, 1);
    pvfs_params(world)->kernel = kernel;
    couMaterialId liquid = add_liquid(world, 1000, viscosity);
    couFaults faults = {0};
    couMaterialDef def = *couWorld_Material(world, liquid);
    couVec3 x = {0, 1, 0};
    assert_true(couWorld_AddParticles(world, liquid, &x, NULL, 1, &faults));
    prepare_world(world);
    double rate = viscous_rate(world, kernel);
    def.viscosity = 4 * viscosity;
    assert_true(couWorld_SetMaterial(world, liquid, &def, &faults));
    CHECK_NEAR(viscous_rate(world, kernel) / rate, 4, 1e-4, kernel); // acts at once
    def.viscosity = -1;
    assert_false(couWorld_SetMaterial(world, liquid, &def, &faults));
    CHECK_FAULT(&faults, "material.viscosity", "-1");
    def.viscosity = 0.1f, def.density = 2000;
    assert_false(couWorld_SetMaterial(world, liquid, &def, &faults));
    CHECK_FAULT(&faults, "material.density", "2000");
    CHECK_NEAR(couWorld_Material(world, liquid)->viscosity, 4 * viscosity, 1e-9, 0);
    couDestroyWorld(world);
}

static void test_set_material(void **context)
{
    (void)context;
    check_set_material(cou_pvfsPaper, 0.001f);
    check_set_material(cou_pvfsSmooth, 1);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_wrong_number_is_a_fault),
        cmocka_unit_test(test_faults_of_shapes_poses_and_names),
        cmocka_unit_test(test_faults_of_fields_particles_and_methods),
        cmocka_unit_test(test_material_limits),
        cmocka_unit_test(test_set_material),
        cmocka_unit_test(test_set_material_checks_the_name),
        cmocka_unit_test(test_density_before_particles),
        cmocka_unit_test(test_max_particles),
        cmocka_unit_test(test_giants),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
