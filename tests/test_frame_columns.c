// Columns of frames by name: of memory, of our files with pressures, of any array of another program's file.
#include "io_test.h"
#include "sample_frame.h"

#include "base/base.h"

static void test_columns_in_memory(void **context)
{
    (void)context;
    couFrame frame;
    make_sample_frame(&frame, 50);
    float values[50];
    assert_true(couFrame_Column(&frame, "speed", values));
    for (int i = 0; i < 50; ++i) {
        couVec3 v = frame.velocity[i];
        assert_true(fabs((double)values[i] - sqrt((double)v.x * v.x + (double)v.y * v.y + (double)v.z * v.z)) < 1e-5);
    }
    assert_true(couFrame_Column(&frame, "y", values) && values[7] == frame.position[7].y);
    assert_true(couFrame_Column(&frame, "vy", values) && values[7] == frame.velocity[7].y);
    assert_true(couFrame_Column(&frame, "density", values) && values[3] == frame.density[3]);
    assert_true(couFrame_Column(&frame, "material", values) && values[9] == 9.0f);
    values[0] = -7.0f;
    assert_false(couFrame_Column(&frame, "pressure", values)); // there is none
    assert_false(couFrame_Column(&frame, "colour", values));
    frame.missing = cou_frameVelocity;
    assert_false(couFrame_Column(&frame, "vx", values));
    assert_true(values[0] == -7.0f);
    assert_string_equal(couFrameColumn_Unit("pressure"), "Pa");
    assert_string_equal(couFrameColumn_Unit("colour"), "");
    couFreeFrame(&frame);
}

static void test_pressures_come_back(void **context)
{
    (void)context;
    static const char *const names[] = {"frame.vtp", "frame.ply"};
    for (int k = 0; k < 2; ++k) {
        couFaults faults = {0};
        couFrame frame, back;
        make_sample_frame(&frame, 5000);
        frame.pressure = couAlloc(NULL, 5000 * sizeof(float));
        for (int i = 0; i < 5000; ++i) frame.pressure[i] = 12.5f * (float)(i - 100);
        const char *path = scratch(names[k]);
        assert_true(k == 0 ? couWriteVtp(path, &frame, &faults) : couWritePly(path, &frame, &faults));
        assert_true(couReadFrame(path, &back, &faults));
        expect_no_fault(&faults);
        assert_non_null(back.pressure);
        assert_memory_equal(back.pressure, frame.pressure, 5000 * sizeof(float));
        assert_memory_equal(back.material, frame.material, 5000);
        assert_int_equal(back.missing, 0);
        couFreeFrame(&back);
        couFreeFrame(&frame);
    }
}

static void test_methods_with_pressure_have_it(void **context)
{
    (void)context;
    static const char *const methods[] = {"pvfs", "wcsph"};
    for (int k = 0; k < 2; ++k) {
        couFaults faults = {0};
        couWorldDef def = couDefaultWorldDef();
        strcpy(def.method, methods[k]);
        couWorld *world = couCreateWorld(&def, &faults);
        couMaterialDef water = couDefaultMaterialDef();
        strcpy(water.name, "water");
        couMaterialId material = couWorld_AddMaterial(world, &water, &faults);
        const couVec3 close[] = {{0, 0, 0}, {0.004f, 0, 0}, {0, 0.004f, 0}};
        assert_true(couWorld_AddParticles(world, material, close, NULL, 3, &faults));
        expect_no_fault(&faults);
        couWorld_Step(world, 1e-5f);
        couFrame frame;
        assert_true(couCaptureFrame(world, &frame));
        couParticleView view = couWorld_Particles(world);
        assert_int_equal(frame.pressure != NULL, k == 1);
        for (size_t i = 0; frame.pressure && i < view.count; ++i)
            for (size_t j = 0; j < view.count; ++j)
                if (frame.id[i] == view.id[j]) assert_true(frame.pressure[i] == view.pressure[j]);
        couFreeFrame(&frame);
        couDestroyWorld(world);
    }
}

// A particle over a floor: samples lie in the floor, half a spacing deep at first; its ghost is its mirror image.
static void test_samples_and_ghosts_are_captured(void **context)
{
    (void)context;
    static const char *const boundaries[] = {"akinci", "ghost"};
    for (int k = 0; k < 2; ++k) {
        couFaults faults = {0};
        couWorldDef def = couDefaultWorldDef();
        strcpy(def.method, "wcsph");
        def.gravity = (couVec3){0};
        couWorld *world = couCreateWorld(&def, &faults);
        couMaterialDef water = couDefaultMaterialDef();
        strcpy(water.name, "water");
        couMaterialId material = couWorld_AddMaterial(world, &water, &faults);
        couBodyDef floor = couDefaultBodyDef();
        couShapeDef plane = {.kind = cou_shapePlane, .axis = {0, 1, 0}};
        floor.shape = couCreateShape(&plane, &faults);
        couWorld_AddBody(world, &floor, &faults);
        couShape_Release(floor.shape);
        const couVec3 x = {0.1f, 0.013f, -0.2f};
        assert_true(couWorld_AddParticles(world, material, &x, NULL, 1, &faults));
        assert_true(couWorld_SetParam(world, "sph.boundary", boundaries[k], &faults));
        expect_no_fault(&faults);
        assert_int_equal(couWorld_Samples(world).count, 0);
        couWorld_Step(world, 1e-5f);
        couFrame samples;
        assert_true(couCaptureSamples(world, &samples));
        assert_int_equal(samples.count, couWorld_Samples(world).count);
        assert_true(k == 0 ? samples.count > 20 : samples.count == 1);
        double nearest = INFINITY;
        for (size_t i = 0; i < samples.count; ++i) {
            couVec3 p = samples.position[i];
            assert_true(p.y < 0 && samples.material[i] == 0 && samples.density[i] > 0.1f && samples.density[i] < 3.1f);
            nearest = fmin(nearest, fabs((double)p.y + (k == 0 ? 0.01 : 0.013)));
        }
        assert_true(nearest < 1e-5);
        if (k == 1) assert_true(fabsf(samples.position[0].x - 0.1f) < 1e-6f && fabsf(samples.position[0].z + 0.2f) < 1e-6f);
        couFreeFrame(&samples);
        couDestroyWorld(world);
    }
}

static void test_any_array_of_a_file(void **context)
{
    (void)context;
    const char *path = scratch("other.vtk");
    write_text(path, "# vtk DataFile Version 3.0\nother\nASCII\nDATASET POLYDATA\nPOINTS 2 float\n0 0 0 1 0 0\n"
                     "POINT_DATA 2\nSCALARS temperature float 1\nLOOKUP_TABLE default\n20.5 30.25\n"
                     "VECTORS field float\n3 4 0 0 0 -2\n");
    couFaults faults = {0};
    couFrame frame;
    float values[2];
    assert_true(couReadFrame(path, &frame, &faults));
    assert_true(couReadFrameColumn(path, &frame, "temperature", values, &faults));
    assert_true(values[0] == 20.5f && values[1] == 30.25f);
    assert_true(couReadFrameColumn(path, &frame, "field", values, &faults)); // its length
    assert_true(values[0] == 5.0f && values[1] == 2.0f);
    assert_true(couReadFrameColumn(path, &frame, "field.z", values, &faults));
    assert_true(values[0] == 0.0f && values[1] == -2.0f);
    assert_true(couReadFrameColumn(path, &frame, "x", values, &faults) && values[1] == 1.0f);
    expect_no_fault(&faults);
    assert_false(couReadFrameColumn(path, &frame, "heat", values, &faults));
    expect_fault(&faults, path, "has no column 'heat'; it has temperature, field");
    assert_false(couReadFrameColumn(path, &frame, "speed", values, &faults)); // no velocities
    expect_fault(&faults, path, "has no column 'speed'");
    couFreeFrame(&frame);
}

static void test_points_of_a_table(void **context)
{
    (void)context;
    const char *path = scratch("points.csv");
    couFaults faults = {0};
    couFrame frame;
    float values[2];
    write_text(path, "x, y ,z,heat,note\n0,1,2,20.5,a\n-1e-2,\"4\",5,30,\"b, c\"\n\n");
    assert_true(couReadFrame(path, &frame, &faults));
    expect_no_fault(&faults);
    assert_int_equal(frame.count, 2);
    assert_true(frame.position[1].x == -1e-2f && frame.position[1].y == 4.0f && frame.position[1].z == 5.0f);
    assert_true(couReadFrameColumn(path, &frame, "heat", values, &faults) || faults.count == 1); // the note is no number
    couFaults_Clear(&faults);
    couFreeFrame(&frame);
    write_text(path, "\xef\xbb\xbfPoints:0,Points:1\r\n3,4\r\n5,nan"); // of ParaView, in 2D, without a last line end
    assert_true(couReadFrame(path, &frame, &faults));
    assert_true(frame.count == 2 && frame.position[0].y == 4.0f && frame.position[0].z == 0.0f && isnan(frame.position[1].y));
    couFreeFrame(&frame);
    static const char *const bad[][2] = {
        {"", "no positions"},
        {"a,b\n1,2\n", "no positions"},
        {"x,y,z\n1,2\n", "line 2: 2 columns; the first line names 3"},
        {"x,y,z\n1,2,3\n1,2,3,4\n", "line 3: 4 columns"},
        {"x,y,z\n1,two,3\n", "line 2: column 2 is 'two', expected a number"},
        {"x,y,z\n1,,3\n", "line 2: column 2 is '', expected a number"},
        {"x,y,z\n1,2,3\n\n1,2,3\n", "line 3: column 1"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; ++k) {
        write_text(path, bad[k][0]);
        assert_false(couReadFrame(path, &frame, &faults));
        expect_fault(&faults, path, bad[k][1]);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_scratch, remove_scratch)
    const struct CMUnitTest tests[] = {
        TEST(test_columns_in_memory),   TEST(test_pressures_come_back), TEST(test_methods_with_pressure_have_it),
        TEST(test_any_array_of_a_file), TEST(test_points_of_a_table),   TEST(test_samples_and_ghosts_are_captured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
