// Solids in a world: free fall, holds, rest on the ground, pressing bodies, pushes both ways, the same bits on any number of
// threads and after a resume, and what is refused.
#include "soft_test.h"

static couSolidDef jelly(couSolidMesh *mesh)
{
    couSolidDef def = couDefaultSolidDef();
    def.mesh = mesh;
    return def;
}

// Adds the solid and lets go of the mesh.
static couSolidId add_solid(couWorld *world, couSolidDef def)
{
    couFaults faults = {0};
    couSolidId solid = couWorld_AddSolid(world, &def, &faults);
    CHECK_NO_FAULTS(&faults);
    assert_true(couWorld_HasSolid(world, solid));
    couSolidMesh_Release(def.mesh);
    return solid;
}

static couShape *plane_shape(couVec3 normal)
{
    couFaults faults = {0};
    couShape *shape = couCreateShape(&(couShapeDef){.kind = cou_shapePlane, .axis = normal}, &faults);
    CHECK_NO_FAULTS(&faults);
    return shape;
}

static couBodyId add_ground(couWorld *world)
{
    couFaults faults = {0};
    couBodyDef def = couDefaultBodyDef();
    def.shape = plane_shape((couVec3){0, 1, 0});
    snprintf(def.name, sizeof def.name, "ground");
    couBodyId body = couWorld_AddBody(world, &def, &faults);
    CHECK_NO_FAULTS(&faults);
    couShape_Release(def.shape);
    return body;
}

static void hold_left(couWorld *world, couSolidId solid, float x, couMotionFcn *motion)
{
    couFaults faults = {0};
    couHoldDef hold = {.region = plane_shape((couVec3){1, 0, 0}), .region_pose = COU_POSE_IDENTITY, .motion = motion};
    hold.region_pose.position.x = x;
    assert_true(couWorld_HoldSolid(world, solid, &hold, &faults) > 0);
    CHECK_NO_FAULTS(&faults);
    couShape_Release(hold.region);
}

static void advance(couWorld *world, double seconds)
{
    couStepReport report = couWorld_Advance(world, seconds);
    assert_false(couStepReport_HasFailed(&report));
    assert_true(report.solid_substeps > 0);
}

// --- Motion ------------------------------------------------------------------------------------------------------------------

// A free solid falls as its scheme says, turns on, and keeps its momenta, wherever it stands and however it is turned.
static void test_free_flight(void **context)
{
    (void)context;
    couWorld *world = make_world(3, 0.05f, EARTH, 1);
    couSolidDef def = jelly(debunne_cube(1));
    def.pose = (couPose){{3, 40, -2}, {0.5f, 0.5f, 0.5f, 0.5f}};
    def.velocity = (couVec3){1, 2, 0};
    def.spin = (couVec3){0, 3, 1};
    couSolidId solid = add_solid(world, def);
    couSolidMeasurement before = couWorld_MeasureSolid(world, solid);
    double turning[3];
    for (int a = 0; a < 3; ++a) turning[a] = before.all.angular_momentum[a];
    advance(world, 0.5);
    couSolidMeasurement after = couWorld_MeasureSolid(world, solid);
    CHECK_NEAR(after.all.mass, 1, 1e-6, 0);
    CHECK_NEAR(after.all.center[0], before.all.center[0] + 0.5, 1e-5, 0);
    CHECK_NEAR(after.all.center[1], before.all.center[1] + 1 - 0.5 * 9.81 * 0.25, 0.02, 0); // first order in the step
    CHECK_NEAR(after.all.momentum[1], before.all.momentum[1] - 9.81 * 0.5, 1e-4, 0);
    // About the centre of mass: L - r x p.
    for (int k = 0; k < 2; ++k) {
        couMeasurement m = k ? after.all : before.all;
        couDouble3 r = {m.center[0], m.center[1], m.center[2]}, p = {m.momentum[0], m.momentum[1], m.momentum[2]};
        couDouble3 orbit = couCross3(r, p);
        const double own[3] = {m.angular_momentum[0] - orbit.x, m.angular_momentum[1] - orbit.y, m.angular_momentum[2] - orbit.z};
        for (int a = 0; k && a < 3; ++a) CHECK_NEAR(own[a], turning[a], 1e-4, a);
        memcpy(turning, own, sizeof turning);
    }
    couDestroyWorld(world);
}

// Turned at rest: models of small strains know which way their mesh stands.
static void test_pose_is_rest(void **context)
{
    (void)context;
    for (int model = 0; model < cou_solidModelCount; ++model) {
        double drops[2];
        for (int k = 0; k < 2; ++k) {
            couWorld *world = make_world(3, 0.05f, (couVec3){k ? -9.81f : 0, k ? 0 : -9.81f, 0}, 1);
            couSolidDef def = jelly(regular_box(3, 0.1f, 2));
            def.model = model;
            // Turned by 90 degrees about z, with gravity: y of the mesh is -x of the world.
            if (k) def.pose.rotation = (couQuat){0, 0, -sqrtf(0.5f), sqrtf(0.5f)};
            couSolidId solid = add_solid(world, def);
            couFaults faults = {0};
            couHoldDef hold = {.region = plane_shape(k ? (couVec3){0, -1, 0} : (couVec3){1, 0, 0}),
                               .region_pose = COU_POSE_IDENTITY};
            hold.region_pose.position = k ? (couVec3){0, 0.0499f, 0} : (couVec3){-0.0499f, 0, 0};
            assert_int_equal(couWorld_HoldSolid(world, solid, &hold, &faults), 9);
            couShape_Release(hold.region);
            advance(world, 0.03);
            couSolidView view = couWorld_SolidView(world, solid);
            drops[k] = view.position[3 * 26 + (k ? 0 : 1)] - view.rest[3 * 26 + (k ? 0 : 1)];
            couDestroyWorld(world);
        }
        CHECK_RANGE(fabs(drops[0]), 1e-4, 0.1, model);
        // The same cube, the same fall; (x, y) becomes (y, -x): corner 26 is one of those that swing freely in both.
        CHECK_NEAR(drops[1], drops[0], 1e-5, model);
    }
}

static couPose lift(void *context, double time)
{
    (void)context;
    return (couPose){{(float)(0.1 * time), (float)(0.2 * time), 0}, {0, 0, 0, 1}};
}

static void test_holds(void **context)
{
    (void)context;
    couWorld *world = make_world(3, 0.05f, NO_GRAVITY, 1);
    couSolidId solid = add_solid(world, jelly(regular_box(3, 0.1f, 2)));
    hold_left(world, solid, -0.0499f, lift);
    advance(world, 1);
    couSolidView view = couWorld_SolidView(world, solid);
    for (size_t i = 0; i < view.count; ++i) {
        if (view.rest[3 * i] > -0.049) continue;
        CHECK_NEAR(view.position[3 * i] - view.rest[3 * i], 0.1, 1e-6, (int)i);
        CHECK_NEAR(view.position[3 * i + 1] - view.rest[3 * i + 1], 0.2, 1e-6, (int)i);
    }
    // Let go: it flies on.
    couWorld_ReleaseSolid(world, solid, NULL, COU_POSE_IDENTITY);
    double momentum = couWorld_MeasureSolid(world, solid).all.momentum[1];
    advance(world, 0.5);
    CHECK_NEAR(couWorld_MeasureSolid(world, solid).all.momentum[1], momentum, 1e-6, 0);
    // One point is dragged at its speed.
    view = couWorld_SolidView(world, solid);
    double start = view.position[3 * 26];
    couWorld_DragSolid(world, solid, 26, (couVec3){5, 0, 0}, 0.5f);
    advance(world, 0.2);
    view = couWorld_SolidView(world, solid);
    couDouble3 way = {view.position[3 * 26] - start, 0, 0};
    CHECK_RANGE(way.x, 0.09, 0.1001, 0);
    couDestroyWorld(world);
}

static void test_push(void **context)
{
    (void)context;
    couWorld *world = make_world(3, 0.05f, NO_GRAVITY, 1);
    couSolidId solid = add_solid(world, jelly(regular_box(3, 0.1f, 2)));
    assert_int_equal(couWorld_PushSolid(world, solid, NULL, COU_POSE_IDENTITY, (couVec3){2, 0, 0}), 27);
    advance(world, 0.5);
    CHECK_NEAR(couWorld_MeasureSolid(world, solid).all.momentum[0], 1, 1e-6, 0);
    CHECK_NEAR(couWorld_MeasureSolid(world, solid).elastic_energy, 0, 1e-9, 0); // by mass: nothing is strained
    couDestroyWorld(world);
}

// --- Contacts ----------------------------------------------------------------------------------------------------------------

// A jelly comes to rest on the ground, which then carries its weight.
static void test_rests_on_ground(void **context)
{
    (void)context;
    couWorld *world = make_world(3, 0.05f, EARTH, 1);
    couBodyId ground = add_ground(world);
    couSolidDef def = jelly(regular_box(3, 0.1f, 2));
    def.damping = 0.02f;
    def.pose.position.y = 0.06f;
    couSolidId solid = add_solid(world, def);
    advance(world, 2);
    advance(world, 0.5);
    CHECK_NEAR(couWorld_BodyForce(world, ground).y, -9.81, 0.02 * 9.81, 0);
    couSolidView view = couWorld_SolidView(world, solid);
    for (size_t i = 0; i < view.count; ++i) CHECK_RANGE(view.position[3 * i + 1], -1e-4, 0.11, (int)i);
    CHECK_AT_MOST(couWorld_MeasureSolid(world, solid).all.max_speed, 1e-3, 0);
    couDestroyWorld(world);
}

static couPose press(void *context, double time)
{
    (void)context;
    return (couPose){{0, (float)(0.2 - 0.1 * fmin(time, 0.8)), 0}, {0, 0, 0, 1}};
}

// A plate presses it to 0.07 m: it pushes back by about E times the strain times the area.
static void test_pressed(void **context)
{
    (void)context;
    couFaults faults = {0};
    couWorld *world = make_world(3, 0.05f, NO_GRAVITY, 1);
    add_ground(world);
    couSolidDef def = jelly(regular_box(3, 0.1f, 4));
    def.damping = 0.02f;
    def.poisson = 0;
    def.contact_friction = 0;
    def.pose.position.y = 0.05f;
    couSolidId solid = add_solid(world, def);
    couBodyDef plate = couDefaultBodyDef();
    plate.shape = couCreateShape(&(couShapeDef){.kind = cou_shapeBox, .size = {0.3f, 0.06f, 0.3f}}, &faults);
    plate.motion = press;
    couBodyId body = couWorld_AddBody(world, &plate, &faults);
    CHECK_NO_FAULTS(&faults);
    couShape_Release(plate.shape);
    advance(world, 1.5); // the plate's lower face is at 0.12 - 0.03 = 0.09
    advance(world, 0.2); // of which the force is the mean
    double strain = 0.1, green = strain - 0.5 * strain * strain, stress = 20000 * green * (1 - strain); // of the rest's area
    CHECK_NEAR(couWorld_BodyForce(world, body).y, 0.01 * stress, 0.05 * 0.01 * stress, 0);
    CHECK_NEAR(couWorld_MeasureSolid(world, solid).volume, 0.9e-3, 1e-5, 0);
    couDestroyWorld(world);
}

// A free ball and a jelly meet in flight: what one loses the other gets.
static void test_momentum_is_shared(void **context)
{
    (void)context;
    couFaults faults = {0};
    couWorld *world = make_world(3, 0.05f, NO_GRAVITY, 1);
    couSolidDef def = jelly(regular_box(3, 0.1f, 3));
    def.velocity.x = 1;
    couSolidId solid = add_solid(world, def);
    couBodyDef ball = couDefaultBodyDef();
    ball.is_dynamic = true;
    ball.mass = 0.5f;
    ball.pose.position.x = 0.12f;
    ball.shape = couCreateShape(&(couShapeDef){.kind = cou_shapeSphere, .radius = 0.05f}, &faults);
    couBodyId body = couWorld_AddBody(world, &ball, &faults);
    CHECK_NO_FAULTS(&faults);
    couShape_Release(ball.shape);
    advance(world, 0.5);
    float speed = couWorld_BodyVelocity(world, body).x;
    CHECK_RANGE(speed, 0.3, 2, 0);
    CHECK_NEAR(0.5 * (double)speed + couWorld_MeasureSolid(world, solid).all.momentum[0], 1, 1e-3, 0);
    couDestroyWorld(world);
}

// --- State -------------------------------------------------------------------------------------------------------------------

static couWorld *make_scene(int threads)
{
    couWorld *world = make_world(3, 0.05f, EARTH, threads);
    add_ground(world);
    for (int model = cou_solidCauchy; model < cou_solidModelCount; ++model) {
        couSolidDef def = jelly(regular_box(3, 0.1f, 8));
        def.model = model;
        def.damping = 0.002f;
        def.pose.position = (couVec3){0.3f * (float)model, 0.06f, 0};
        couSolidId solid = add_solid(world, def);
        if (model == cou_solidHybrid) hold_left(world, solid, 0.3f * (float)model - 0.0499f, lift);
    }
    return world;
}

static uint64_t hash_of(const couWorld *world)
{
    couState state = {0};
    assert_true(couWorld_SaveState(world, &state));
    uint64_t hash = couState_Hash(&state);
    couState_Clear(&state);
    return hash;
}

static void test_same_bits(void **context)
{
    (void)context;
    uint64_t expected = 0;
    for (int threads = 1; threads <= 4; ++threads) {
        couWorld *world = make_scene(threads);
        uint64_t start = hash_of(world);
        advance(world, 0.03);
        couState middle = {0};
        assert_true(couWorld_SaveState(world, &middle));
        advance(world, 0.03);
        uint64_t hash = hash_of(world);
        if (threads == 1) expected = hash;
        assert_true(hash == expected && hash != start);
        couDestroyWorld(world);
        // The same from the middle on, in another world.
        couFaults faults = {0};
        world = make_scene(threads);
        assert_true(couWorld_LoadState(world, &middle, &faults));
        CHECK_NO_FAULTS(&faults);
        advance(world, 0.03);
        assert_true(hash_of(world) == expected);
        couState_Clear(&middle);
        couDestroyWorld(world);
    }
}

static void test_bad_states(void **context)
{
    (void)context;
    couFaults faults = {0};
    couWorld *world = make_world(3, 0.05f, EARTH, 1), *empty = make_world(3, 0.05f, EARTH, 1);
    add_solid(world, jelly(regular_box(3, 0.1f, 2)));
    couState state = {0};
    assert_true(couWorld_SaveState(world, &state));
    assert_false(couWorld_LoadState(empty, &state, &faults));
    CHECK_FAULT(&faults, "solids/position", "this world has none");
    double *position = couState_Find(&state, "solids/position")->data, kept = position[4];
    position[4] = NAN;
    assert_false(couWorld_LoadState(world, &state, &faults));
    CHECK_FAULT(&faults, "solids/position", "row 1 of the saved state is not finite");
    position[4] = kept;
    ((uint32_t *)couState_Find(&state, "solids/hold")->data)[3] = 7;
    assert_false(couWorld_LoadState(world, &state, &faults));
    CHECK_FAULT(&faults, "solids/hold", "is held by 7 of 0");
    couState_Clear(&state);
    couDestroyWorld(world);
    couDestroyWorld(empty);
}

// Every array of a solid counts in the hash.
static void test_hash_sees_all(void **context)
{
    (void)context;
    couWorld *world = make_world(3, 0.05f, EARTH, 1);
    couSolidId solid = add_solid(world, jelly(regular_box(3, 0.1f, 2)));
    uint64_t hash = hash_of(world);
    couWorld_PushSolid(world, solid, NULL, COU_POSE_IDENTITY, (couVec3){1, 0, 0});
    assert_true(hash_of(world) != hash);
    hash = hash_of(world);
    couWorld_DragSolid(world, solid, 3, (couVec3){1, 0, 0}, 1);
    assert_true(hash_of(world) != hash);
    hash = hash_of(world);
    couWorld_DragSolid(world, solid, 3, (couVec3){1, 0, 0}, 2);
    assert_true(hash_of(world) != hash);
    couDestroyWorld(world);
}

// --- What is refused and reported --------------------------------------------------------------------------------------------

static void refuse(couWorld *world, couSolidDef def, const char *key, const char *text)
{
    couFaults faults = {0};
    couSolidId solid = couWorld_AddSolid(world, &def, &faults);
    assert_int_equal(solid.index1, 0);
    CHECK_FAULT(&faults, key, text);
    assert_int_equal(couWorld_SolidCount(world), 0);
}

// A cube that is pulled along x by a tenth and turned by nothing: what pictures show of it is known.
static void test_values(void **context)
{
    (void)context;
    couWorld *world = make_world(3, 0.05f, EARTH, 1);
    couSolidMesh *mesh = regular_box(3, 0.1f, 2);
    couSolidDef def = jelly(mesh);
    couFaults faults = {0};
    def.model = cou_solidCauchy, def.young = 20000, def.poisson = 0.4f, def.color_by = cou_solidColorStrain;
    couSolidId id = couWorld_AddSolid(world, &def, &faults);
    CHECK_NO_FAULTS(&faults);
    couSolid *solid = couSolids_Find(&world->solids, id);
    for (size_t i = 0; i < mesh->point_count; ++i) solid->position[i].x += 0.1 * (solid->rest[i].x - solid->rest[0].x);
    float values[27];
    couWorld_CopySolidValues(world, id, cou_solidColorStrain, values);
    CHECK_NEAR(values[13], 2.0 / 3.0 * 0.1, 1e-6, 0);
    couWorld_CopySolidValues(world, id, cou_solidColorStress, values);
    CHECK_NEAR(values[13], 20000 / 1.4 * 0.1, 1e-2, 0);
    couWorld_CopySolidValues(world, id, cou_solidColorDisplacement, values);
    CHECK_NEAR(values[26], 0.01, 1e-7, 0);
    CHECK_NEAR(couWorld_SolidColorMax(world, id), 0.1, 1e-7, 0);
    couSurface surface;
    assert_true(couWorld_BuildSolidSurface(world, id, &surface) && surface.colors);
    couSurface_Clear(&surface);
    couSolidMesh_Release(mesh);
    couDestroyWorld(world);
}

static void test_bad_defs(void **context)
{
    (void)context;
    couWorld *world = make_world(3, 0.05f, EARTH, 1);
    couSolidMesh *mesh = regular_box(3, 0.1f, 2), *flat = regular_box(2, 0.1f, 2);
    couSolidDef def = jelly(mesh);
    def.young = NAN;
    refuse(world, def, "solid.young", NULL);
    def = jelly(mesh);
    def.poisson = 0.5f;
    refuse(world, def, "solid.poisson", NULL);
    def = jelly(mesh);
    def.density = 0;
    refuse(world, def, "solid.density", NULL);
    def = jelly(mesh);
    def.model = 9;
    refuse(world, def, "solid.model", NULL);
    def = jelly(NULL);
    refuse(world, def, "solid.mesh", "missing");
    def = jelly(flat);
    refuse(world, def, "solid.mesh", "2D in a world of 3D");
    def = jelly(mesh);
    def.frequency = 50;
    refuse(world, def, "solid.frequency", "not stable: this solid needs at least");
    def = jelly(mesh);
    def.young = 1e12f, def.density = 1e-3f;
    refuse(world, def, "solid", "shorter than 1e-07 s: it is too stiff");
    def = jelly(mesh);
    def.model = cou_solidSpring;
    def.rule = cou_springInverse;
    refuse(world, def, "solid.spring", "'inverse' needs a number");
    def = jelly(mesh);
    def.pose.rotation.w = 2;
    refuse(world, def, "solid.at", NULL);
    couFaults faults = {0};
    def = jelly(mesh);
    snprintf(def.name, sizeof def.name, "cube");
    couSolidId solid = couWorld_AddSolid(world, &def, &faults);
    couWorld_AddSolid(world, &def, &faults);
    CHECK_FAULT(&faults, "solid.name", "there is a solid 'cube' already");
    couHoldDef hold = {.region = plane_shape((couVec3){0, 1, 0}), .region_pose = COU_POSE_IDENTITY};
    hold.region_pose.position.y = -3;
    assert_int_equal(couWorld_HoldSolid(world, solid, &hold, &faults), -1);
    CHECK_FAULT(&faults, "solid.hold", "no point of 'cube' is inside");
    couShape_Release(hold.region);
    couSolidMesh_Release(mesh);
    couSolidMesh_Release(flat);
    couDestroyWorld(world);
}

// voronoi's grad div lets it diverge: the report names the solid, and the run stops.
static void test_divergence_is_reported(void **context)
{
    (void)context;
    couWorld *world = make_world(3, 0.05f, EARTH, 1);
    couSolidDef def = jelly(debunne_cube(2));
    def.model = cou_solidVoronoi;
    couSolidId solid = add_solid(world, def);
    hold_left(world, solid, -0.0499f, NULL);
    couStepReport report = {0};
    for (int k = 0; k < 400 && !couStepReport_HasFailed(&report); ++k) report = couWorld_Advance(world, 0.1);
    assert_int_equal(report.bad_solid.index1, solid.index1);
    assert_true(report.inverted_count > 0);
    couDestroyWorld(world);
}

static void test_plane(void **context)
{
    (void)context;
    couWorld *world = make_world(2, 0.05f, EARTH, 1);
    couBodyId ground = add_ground(world);
    couSolidDef def = jelly(flat_mesh(0.2f));
    def.damping = 0.02f;
    def.young = 2e5f;
    def.pose.position.y = 0.01f;
    couSolidId solid = add_solid(world, def);
    advance(world, 2);
    advance(world, 0.5);
    CHECK_NEAR(couWorld_BodyForce(world, ground).y, -9.81 * 750, 0.03 * 9.81 * 750, 0);
    couSurface surface;
    assert_true(couWorld_BuildSolidSurface(world, solid, &surface));
    assert_int_equal(surface.element_count, couSolidMesh_CellCount(couWorld_SolidView(world, solid).mesh));
    couSurface_Clear(&surface);
    couDestroyWorld(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_free_flight),
        cmocka_unit_test(test_pose_is_rest),
        cmocka_unit_test(test_holds),
        cmocka_unit_test(test_push),
        cmocka_unit_test(test_rests_on_ground),
        cmocka_unit_test(test_pressed),
        cmocka_unit_test(test_momentum_is_shared),
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_bad_states),
        cmocka_unit_test(test_hash_sees_all),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_bad_defs),
        cmocka_unit_test(test_divergence_is_reported),
        cmocka_unit_test(test_plane),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
