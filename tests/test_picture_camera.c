// Automatic cameras.
#include "picture_test.h"

static void test_automatic_camera_frames_the_box(void **context)
{
    (void)context;
    const couBounds boxes[] = {
        {{-1, 0, -1}, {1, 2, 1}}, {{0, 0, 0}, {10, 0.1f, 10}}, {{5, 0, 5}, {5.1f, 3, 5.1f}}, {{1, 1, 1}, {1, 1, 1}}};
    const int sizes[][2] = {{1280, 720}, {200, 800}, {640, 640}};
    for (int b = 0; b < COU_COUNT(boxes); ++b) {
        for (int s = 0; s < COU_COUNT(sizes); ++s) {
            int width = sizes[s][0], height = sizes[s][1];
            couView view = couLookAtBox(boxes[b], 35, NAN, width, height);
            couPictureOptions options = {.width = width, .height = height, .from = view.origin, .to = view.focus, .fov = 35};
            double fill = 0;
            for (int i = 0; i < 8; ++i) {
                couBounds box = boxes[b];
                couVec3 corner = {i & 1 ? box.upper.x : box.lower.x, i & 2 ? box.upper.y : box.lower.y,
                                  i & 4 ? box.upper.z : box.lower.z};
                double x, y;
                project(&options, corner, &x, &y);
                fill = fmax(fill, fmax(fabs(2 * x / width - 1), fabs(2 * y / height - 1)));
            }
            // All corners inside; the farthest near the edge unless the box is a point.
            assert_true(fill < 1.0);
            if (b < 3) assert_true(fill > 0.9);
        }
    }
}

static void test_stray_particle_does_not_shrink_the_rest(void **context)
{
    (void)context;
    enum { count = 1001 };
    static couVec3 positions[count];
    for (int i = 0; i < count - 1; ++i)
        positions[i] = (couVec3){0.1f * (float)(i % 10), 0.1f * (float)(i / 10 % 10), 0.1f * (float)(i / 100)};
    positions[count - 1] = (couVec3){1e6f, -1e7f, 0};
    couBounds bounds = couParticleBounds(positions, count);
    assert_near((double)bounds.lower.x, 0, 1e-6, "lower x");
    assert_true(bounds.upper.x >= 0.9f && bounds.upper.x < 3);
    assert_true(bounds.lower.y > -3);
    couPictureScene scene = make_scene(positions, count, 0.06f);
    couPictureOptions options = look_from((couVec3){0, 0, 0}, (couVec3){0, 0, 0});
    options.is_auto_camera = true;
    couImage image = render(&scene, &options);
    assert_true(find_patch(&image, is_red).count > WIDTH * HEIGHT / 100);
    couFreeImage(&image);
}

// Frames whose numbers overflow: a camera that cannot be sees nothing, whatever it is of.
static void test_box_without_end_does_no_harm(void **context)
{
    (void)context;
    const couVec3 positions[] = {{0, 0, 0}, {3e38f, -3e38f, 1e20f}};
    const couBounds boxes[] = {
        {{-3e38f, -3e38f, -3e38f}, {3e38f, 3e38f, 3e38f}}, {{0, 0, 0}, {1e20f, 1e20f, 1e20f}}, {{-1e18f, 0, 0}, {1e18f, 0, 0}}};
    couPictureScene scene = make_scene(positions, 2, 0.1f);
    for (int k = 0; k < 3 * COU_COUNT(boxes); ++k) {
        couPictureOptions options = look_from((couVec3){0, 0, 0}, (couVec3){0, 0, 0});
        options.is_auto_camera = true, options.frame = boxes[k / 3], options.width = options.height = 16;
        scene.dimension = k % 3 == 0 ? 2 : 3;
        options.quality = k % 3 == 2 ? cou_qualityFinal : cou_qualityPreview, options.paths = 1;
        couImage image = render(&scene, &options);
        assert_int_equal(find_patch(&image, is_red).count, 0);
        couFreeImage(&image);
    }
}

// All the way around, the box is inside the picture and the camera as far off as at the start.
static void test_turning_camera_keeps_the_box_in_view(void **context)
{
    (void)context;
    const couBounds box = {{-1, 0, -0.1f}, {1, 0.5f, 0.1f}};
    float distance = 0;
    for (int turn = 0; turn < 360; turn += 15) {
        couView view = couLookAtBox(box, 35, (float)turn, 320, 200);
        couPictureOptions options = {.width = 320, .height = 200, .from = view.origin, .to = view.focus, .fov = 35};
        for (int i = 0; i < 8; ++i) {
            double x, y;
            project(&options, (couVec3){i & 1 ? 1 : -1, i & 2 ? 0.5f : 0, i & 4 ? 0.1f : -0.1f}, &x, &y);
            assert_true(x > 0 && x < 320 && y > 0 && y < 200);
        }
        float off = couLength(couSub(view.origin, view.focus));
        if (turn == 0) distance = off;
        assert_near((double)off, (double)distance, 1e-4, "distance");
    }
    couView still = couLookAtBox(box, 35, NAN, 320, 200), start = couLookAtBox(box, 35, 0, 320, 200);
    assert_true(couLength(couSub(still.forward, start.forward)) < 1e-6f);
}

// A final picture frames its surfaces, not the particles that it does not show.
static void test_final_picture_frames_its_surface(void **context)
{
    (void)context;
    couVec3 vertices[] = {{10, 0, 0}, {11, 0, 0}, {10, 1, 0}, {10, 0, 1}}, normals[4];
    uint32_t indices[] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    for (int i = 0; i < 4; ++i) normals[i] = couNormalize(couSub(vertices[i], (couVec3){10.25f, 0.25f, 0.25f}));
    couSurface surface = {
        .dimension = 3, .vertex_count = 4, .element_count = 4, .vertices = vertices, .normals = normals, .indices = indices};
    couPictureSurface drawn = {.surface = &surface, .look = couMakeLook(red, 1)};
    couPictureScene scene = {.dimension = 3, .surfaces = &drawn, .surface_count = 1, .ground = NAN};
    couPictureOptions options = couDefaultPictureOptions();
    options.width = 64, options.height = 48, options.paths = 4, options.quality = cou_qualityFinal;
    couImage image = render(&scene, &options);
    Patch patch = find_patch(&image, is_red);
    assert_true(patch.count > 64 * 48 / 12);
    couFreeImage(&image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_automatic_camera_frames_the_box),  cmocka_unit_test(test_stray_particle_does_not_shrink_the_rest),
        cmocka_unit_test(test_box_without_end_does_no_harm),     cmocka_unit_test(test_turning_camera_keeps_the_box_in_view),
        cmocka_unit_test(test_final_picture_frames_its_surface),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
