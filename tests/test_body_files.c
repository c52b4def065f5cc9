// The bodies of a run in files: meshes, bodies.csv and stage.json; bodies that come and go, resumed runs, damaged files.
#include "io_test.h"

#include "base/base.h"
#include "coulis/mesh_file.h"
#include "io/body_files.h"
#include "io/pvd.h"

static const couBounds clip = {{-2, -1, -2}, {2, 3, 2}};

static couShape *make_box(float size)
{
    couFaults faults = {0};
    couShape *shape = couCreateShape(&(couShapeDef){.kind = cou_shapeBox, .size = {size, size, size}}, &faults);
    expect_no_fault(&faults);
    return shape;
}

static couBodyId add_body(couWorld *world, const char *name, couShape *shape, couPose pose, bool is_dynamic, float opacity)
{
    couFaults faults = {0};
    couBodyDef def = couDefaultBodyDef();
    snprintf(def.name, sizeof def.name, "%s", name);
    def.shape = shape;
    def.pose = pose;
    def.is_dynamic = is_dynamic;
    def.look.opacity = opacity;
    def.spin = is_dynamic ? (couVec3){0, 3, 0} : (couVec3){0};
    couBodyId body = couWorld_AddBody(world, &def, &faults);
    expect_no_fault(&faults);
    couShape_Release(shape);
    return body;
}

static couPose at(float x, float y, float z) { return (couPose){{x, y, z}, {0, 0, 0, 1}}; }

// A free box with a name that is hard on files, a plane, a box that is not drawn.
static couWorld *make_world(void)
{
    couFaults faults = {0};
    couWorldDef def = couDefaultWorldDef();
    def.spacing = 0.1f;
    couWorld *world = couCreateWorld(&def, &faults);
    couMaterialDef water = couDefaultMaterialDef();
    strcpy(water.name, "water");
    couWorld_AddMaterial(world, &water, &faults);
    couShape *ground = couCreateShape(&(couShapeDef){.kind = cou_shapePlane, .axis = {0, 1, 0}}, &faults);
    expect_no_fault(&faults);
    add_body(world, "a \"b\", c/\xc3\xa9", make_box(0.5f), at(0, 2, 0), true, 1);
    add_body(world, "ground", ground, at(0, 0, 0), false, 1);
    add_body(world, "hidden", make_box(0.5f), at(3, 2, 0), false, 0);
    return world;
}

static couManifest manifest;

// As a program finds it that begins now.
static void read_manifest(void)
{
    couFaults faults = {0};
    couManifest_Clear(&manifest);
    assert_true(couManifest_Read(&manifest, scratch_folder, &faults));
}

static couBodyFiles *open_files(const couWorld *world, int keep_frames)
{
    couFaults faults = {0};
    read_manifest();
    couStageFile stage = {.dimension = couWorld_Def(world)->dimension, .spacing = 0.1f, .fps = 30};
    strcpy(stage.scene, "scenes/\"x\".lua");
    couStageFileMaterial *material = couStageFile_AddMaterial(&stage);
    strcpy(material->name, "water");
    material->look = couWorld_Material(world, couWorld_MaterialAt(world, 0))->look;
    *couStageFile_AddCamera(&stage) = (couStageFileCamera){
        .time = 0.5, .from = {1, 2, 3}, .to = {0, 0, 0}, .fov = 40, .aperture = 0.5f};
    couBodyFiles *files = couOpenBodyFiles(&manifest, &stage, clip, keep_frames, &faults);
    expect_no_fault(&faults);
    assert_non_null(files);
    return files;
}

// One frame of the story: a box comes in at frame 3, goes after 5, another one of that name comes at 7.
static void tell(couWorld *world, couBodyFiles *files, int frame)
{
    couFaults faults = {0};
    couWorld_Step(world, 1.0f / 30.0f);
    if (frame == 3) add_body(world, "guest", make_box(0.25f), at(1, 1, 1), false, 1);
    if (frame == 6) couWorld_RemoveBody(world, couWorld_FindBody(world, "guest"));
    if (frame == 7) add_body(world, "guest", make_box(0.75f), at(-1, 1, 1), false, 1);
    if (files) assert_true(couBodyFiles_Write(files, world, frame, &faults));
    expect_no_fault(&faults);
}

static void close_files(couBodyFiles *files)
{
    couFaults faults = {0};
    assert_true(couCloseBodyFiles(files, &faults));
    expect_no_fault(&faults);
}

static double mesh_volume(const char *mesh)
{
    couFaults faults = {0};
    couMesh *read = couReadMesh(scratch(mesh), NULL, &faults);
    expect_no_fault(&faults);
    double volume = couMesh_Mass(read).volume;
    couMesh_Release(read);
    return volume;
}

static void test_story(void **context)
{
    (void)context;
    couFaults faults = {0};
    couWorld *world = make_world();
    couBodyFiles *files = open_files(world, 0);
    for (int frame = 1; frame <= 8; ++frame) {
        tell(world, files, frame);
        couBodyTable table; // whole after each frame, before the files are closed
        size_t count;
        assert_true(couReadBodies(scratch_folder, &table, &faults));
        const couBodyRow *rows = couBodyTable_Frame(&table, frame, &count);
        assert_int_equal(count, frame < 3 || frame == 6 ? 3 : 4);
        couBodyId box = couWorld_BodyAt(world, 0);
        couPose pose = couWorld_BodyPose(world, box);
        couVec3 velocity = couWorld_BodyVelocity(world, box);
        assert_memory_equal(&rows[0].pose, &pose, sizeof pose);
        assert_true(rows[0].time == couWorld_Time(world) && rows[0].velocity.y == velocity.y && rows[0].spin.y > 2.9f);
        assert_string_equal(rows[0].name, "a \"b\", c/\xc3\xa9");
        assert_string_equal(table.stage.bodies[rows[0].body].mesh, "bodies/a__b___c___.obj");
        assert_int_equal(table.stage.bodies[rows[2].body].mesh[0], '\0');
        if (count == 4)
            assert_string_equal(table.stage.bodies[rows[3].body].mesh, frame < 7 ? "bodies/guest.obj" : "bodies/guest_2.obj");
        couBodyTable_Frame(&table, frame + 1, &count);
        assert_int_equal(count, 0);
        couBodyTable_Clear(&table);
    }
    close_files(files);
    expect_no_fault(&faults);
    assert_true(fabs(mesh_volume("bodies/a__b___c___.obj") - 0.125) < 1e-6);
    assert_true(fabs(mesh_volume("bodies/guest.obj") - 0.015625) < 1e-6);
    assert_true(fabs(mesh_volume("bodies/guest_2.obj") - 0.421875) < 1e-6);
    couMesh *ground = couReadMesh(scratch("bodies/ground.obj"), NULL, &faults); // cut off at the clip box
    couBounds bounds = couMesh_Bounds(ground);
    assert_true(fabsf(bounds.lower.x + 2) < 1e-5f && fabsf(bounds.upper.z - 2) < 1e-5f && fabsf(bounds.upper.y) < 1e-5f);
    couMesh_Release(ground);
    couManifest_RemoveAll(&manifest);
    assert_int_equal(access(scratch("bodies"), F_OK), -1);
    couDestroyWorld(world);
}

// Stopped after any frame and cut back to any earlier one, the files end up as if nothing had happened.
static void test_resume(void **context)
{
    (void)context;
    couWorld *world = make_world();
    couBodyFiles *files = open_files(world, 0);
    for (int frame = 1; frame <= 8; ++frame) tell(world, files, frame);
    close_files(files);
    couDestroyWorld(world);
    char *rows = read_bytes(scratch("bodies.csv"), NULL), *stage = read_bytes(scratch("stage.json"), NULL);
    for (int stop = 1; stop <= 8; ++stop)
        for (int keep = 1; keep <= stop; ++keep) {
            world = make_world();
            files = open_files(world, 0);
            for (int frame = 1; frame <= stop; ++frame) tell(world, files, frame);
            close_files(files);
            couDestroyWorld(world);
            world = make_world(); // the state of the checkpoint
            for (int frame = 1; frame <= keep; ++frame) tell(world, NULL, frame);
            files = open_files(world, keep);
            for (int frame = keep + 1; frame <= 8; ++frame) tell(world, files, frame);
            close_files(files);
            couDestroyWorld(world);
            expect_text(scratch("bodies.csv"), rows);
            expect_text(scratch("stage.json"), stage);
        }
    free(rows);
    free(stage);
}

static void test_full_disk(void **context)
{
    (void)context;
    couFaults faults = {0};
    couWorld *world = make_world();
    couBodyFiles *files = open_files(world, 0);
    tell(world, files, 1);
    char *rows = read_bytes(scratch("bodies.csv"), NULL);
    set_disk_room((long)strlen(rows) + 40);
    bool is_ok = couBodyFiles_Write(files, world, 2, &faults);
    set_disk_room(-1);
    assert_false(is_ok);
    expect_fault(&faults, scratch("bodies.csv"), "cannot be written");
    expect_text(scratch("bodies.csv"), rows);
    tell(world, files, 2); // there is room again
    close_files(files);
    free(rows);
    couDestroyWorld(world);
}

static void test_stage(void **context)
{
    (void)context;
    couFaults faults = {0};
    couWorld *world = make_world();
    couBodyFiles *files = open_files(world, 0);
    tell(world, files, 1);
    close_files(files);
    couDestroyWorld(world);
    couStageFile stage;
    assert_true(couReadStage(scratch("stage.json"), &stage, &faults));
    expect_no_fault(&faults);
    assert_string_equal(stage.scene, "scenes/\"x\".lua");
    assert_true(stage.dimension == 3 && stage.spacing == 0.1f && stage.fps == 30.0);
    assert_int_equal(stage.material_count, 1);
    couMaterialDef water = couDefaultMaterialDef();
    assert_memory_equal(&stage.materials[0].look.color, &water.look.color, sizeof water.look.color);
    assert_true(isnan(stage.materials[0].look.roughness) == isnan(water.look.roughness));
    assert_int_equal(stage.camera_count, 1);
    assert_true(stage.cameras[0].from.z == 3.0f && stage.cameras[0].fov == 40.0f && stage.cameras[0].aperture == 0.5f &&
                stage.cameras[0].time == 0.5);
    assert_true(stage.bodies[0].is_moving && !stage.bodies[1].is_moving);
    couStageFile_Clear(&stage);

    // Cut at every byte, every byte changed: a fault or a stage, never more than one fault.
    size_t size;
    char *text = read_bytes(scratch("stage.json"), &size);
    for (size_t i = 0; i < 2 * size; ++i) {
        char *copy = malloc(size + 1);
        memcpy(copy, text, size + 1);
        if (i >= size) copy[i - size] ^= 0x11;
        write_bytes(scratch("t.json"), copy, i < size ? i : size);
        bool is_ok = couReadStage(scratch("t.json"), &stage, &faults);
        if (is_ok && i < size - 1) fail_msg("stage.json of %zu of %zu bytes was read", i, size);
        assert_int_equal(faults.count, is_ok ? 0 : 1);
        couStageFile_Clear(&stage);
        couFaults_Clear(&faults);
        free(copy);
    }
    free(text);
    static const char *const bad[][2] = {
        {"{\"dimension\": 4, \"spacing\": 1, \"fps\": 1}", "dimension must be 2 or 3"},
        {"{\"dimension\": 3, \"spacing\": 0, \"fps\": 1}", "spacing and fps above 0"},
        {"{\"dimension\": 3, \"spacing\": 1e39, \"fps\": 1}", "spacing and fps above 0"},
        {"[]", "dimension must be 2 or 3"},
        {"{\"dimension\": 3, \"spacing\": 1, \"fps\": 1, \"bodies\": [{}, 1]}", "bodies[1]: it is not an object"},
        {"{\"dimension\": 3, \"spacing\": 1, \"fps\": 1, \"bodies\": [{\"mesh\": \"../../x\"}]}", "bodies[0]: its mesh is not"},
        {"{\"dimension\": 3, \"spacing\": 1, \"fps\": 1, \"bodies\": [{\"mesh\": \"/etc/x\"}]}", "bodies[0]: its mesh is not"}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        write_text(scratch("t.json"), bad[i][0]);
        assert_false(couReadStage(scratch("t.json"), &stage, &faults));
        expect_fault(&faults, scratch("t.json"), bad[i][1]);
        assert_true(!stage.bodies && !stage.materials && !stage.cameras);
    }
    // What is not there is 0, or automatic where it may be.
    write_text(scratch("t.json"),
               "{\"dimension\": 2, \"spacing\": 1, \"fps\": 1, \"materials\": [{\"opacity\": null}], \"cameras\": [{}]}");
    assert_true(couReadStage(scratch("t.json"), &stage, &faults));
    const couLook *look = &stage.materials[0].look;
    assert_true(look->opacity == 0.0f && look->color.y == 0.0f && isnan(look->roughness) && isnan(look->absorption.z));
    assert_true(stage.cameras[0].aperture == 0.0f && stage.cameras[0].from.x == 0.0f);
    couStageFile_Clear(&stage);
}

static void test_damaged_table(void **context)
{
    (void)context;
    couFaults faults = {0};
    couBodyTable table;
    couWorld *world = make_world();
    couBodyFiles *files = open_files(world, 0);
    for (int frame = 1; frame <= 3; ++frame) tell(world, files, frame);
    close_files(files);
    size_t size;
    char *text = read_bytes(scratch("bodies.csv"), &size);
    for (size_t length = 0; length < size; ++length) { // a kill cuts a row: it is not there
        write_bytes(scratch("bodies.csv"), text, length);
        bool is_ok = couReadBodies(scratch_folder, &table, &faults);
        assert_int_equal(is_ok, length >= (size_t)(strchr(text, '\n') + 1 - text));
        assert_int_equal(faults.count, !is_ok);
        size_t lines = 0;
        for (size_t i = 0; i < length; ++i) lines += text[i] == '\n';
        if (is_ok) assert_int_equal(table.count, lines - 1);
        couBodyTable_Clear(&table);
        couFaults_Clear(&faults);
    }
    static const struct {
        const char *from, *to;
    } edits[] = {{"\n1,", "\n9,"}, {"\n2,", "\nx,"}, {",ground,0,", ",ground,zero,"}, {",ground,0,0", ",ground,0"}};
    for (size_t i = 0; i < sizeof edits / sizeof edits[0]; ++i) {
        char *place = strstr(text, edits[i].from), *edited = malloc(size + 32);
        assert_non_null(place);
        sprintf(edited, "%.*s%s%s", (int)(place - text), text, edits[i].to, place + strlen(edits[i].from));
        write_text(scratch("bodies.csv"), edited);
        assert_false(couReadBodies(scratch_folder, &table, &faults));
        expect_fault(&faults, scratch("bodies.csv"), "row");
        free(edited);
    }
    write_text(scratch("bodies.csv"), "x,y\n");
    assert_false(couReadBodies(scratch_folder, &table, &faults));
    expect_fault(&faults, scratch("bodies.csv"), "header");
    free(text);
    couDestroyWorld(world);
}

static void test_pvd(void **context)
{
    (void)context;
    couFaults faults = {0};
    read_manifest();
    assert_true(couWritePvd(&manifest, "particles", 30, &faults));
    assert_int_equal(count_scratch(), 0);
    write_text(scratch("particles_000002.vtp"), "");
    write_text(scratch("particles_000001.vtp"), "");
    write_text(scratch("particles_000003.ply"), "");
    assert_true(couWritePvd(&manifest, "particles", 8, &faults));
    expect_text(scratch("particles.pvd"),
                "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n"
                "  <Collection>\n    <DataSet timestep=\"0.125\" part=\"0\" file=\"particles_000001.vtp\"/>\n"
                "    <DataSet timestep=\"0.25\" part=\"0\" file=\"particles_000002.vtp\"/>\n  </Collection>\n</VTKFile>\n");
    unlink(scratch("particles_000001.vtp"));
    unlink(scratch("particles_000002.vtp"));
    assert_true(couWritePvd(&manifest, "particles", 8, &faults)); // nothing to list any more
    assert_int_equal(access(scratch("particles.pvd"), F_OK), -1);
    expect_no_fault(&faults);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_scratch, remove_scratch)
    const struct CMUnitTest tests[] = {
        TEST(test_story), TEST(test_resume), TEST(test_full_disk), TEST(test_stage), TEST(test_damaged_table), TEST(test_pvd),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
