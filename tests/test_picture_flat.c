// Pictures of 2D scenes.
#include "picture_test.h"

static void test_flat_picture_is_to_scale(void **context)
{
    (void)context;
    // The frame is 2 m x 1.5 m with a margin of 6 %, the same on both axes.
    const couVec3 positions[] = {{0.5f, 0.25f, 7}, {-0.5f, -0.5f, 0}};
    const uint8_t materials[] = {0, 1};
    couPictureScene scene = make_scene(positions, 2, 0.1f);
    scene.dimension = 2;
    scene.materials = materials;
    couPictureOptions options = look_from((couVec3){0, 0, 0}, (couVec3){0, 0, 0});
    options.frame = (couBounds){{-1, -0.75f, 0}, {1, 0.75f, 0}};
    couImage image = render(&scene, &options);
    double per_metre = 0.94 * HEIGHT / 1.5;
    assert_disc(find_patch(&image, is_red), WIDTH / 2 + 0.5 * per_metre, HEIGHT / 2 - 0.25 * per_metre, 0.1 * per_metre);
    assert_disc(find_patch(&image, is_blue), WIDTH / 2 - 0.5 * per_metre, HEIGHT / 2 + 0.5 * per_metre, 0.1 * per_metre);
    // The sheet is plain and light.
    assert_true(brightness(pixel(&image, 2, 2)) > 660);
    assert_memory_equal(pixel(&image, 2, 2), pixel(&image, WIDTH - 3, HEIGHT - 3), 3);
    couFreeImage(&image);
}

static bool is_dark(const uint8_t *p) { return brightness(p) < 450; }

static void test_flat_bodies_are_dark_areas(void **context)
{
    (void)context;
    couShape *disc = make_shape((couShapeDef){.kind = cou_shapeSphere, .radius = 0.3f});
    couShape *plane = make_shape((couShapeDef){.kind = cou_shapePlane, .axis = {0, 1, 0}});
    couPictureBody bodies[] = {
        {.shape = disc, .pose = {{0.2f, 0.1f, 0}, {0, 0, 0, 1}}, .look = couMakeLook((couVec3){0.4f, 0.4f, 0.4f}, 1)},
        {.shape = plane, .pose = {{0, -0.6f, 0}, {0, 0, 0, 1}}, .look = couMakeLook((couVec3){0.4f, 0.4f, 0.4f}, 1)}};
    const couVec3 position = {0.2f, 0.1f, 0};
    couPictureScene scene = make_scene(&position, 0, 0.05f);
    scene.dimension = 2;
    scene.bodies = bodies;
    scene.body_count = 1;
    couPictureOptions options = look_from((couVec3){0, 0, 0}, (couVec3){0, 0, 0});
    options.frame = (couBounds){{-1, -0.75f, 0}, {1, 0.75f, 0}};
    couImage image = render(&scene, &options);
    double per_metre = 0.94 * HEIGHT / 1.5;
    assert_disc(find_patch(&image, is_dark), WIDTH / 2 + 0.2 * per_metre, HEIGHT / 2 - 0.1 * per_metre, 0.3 * per_metre);
    // The outline is darker than the area.
    int middle = brightness(pixel(&image, (int)(WIDTH / 2 + 0.2 * per_metre), (int)(HEIGHT / 2 - 0.1 * per_metre)));
    int rim = brightness(pixel(&image, (int)(WIDTH / 2 + 0.5 * per_metre - 1.5), (int)(HEIGHT / 2 - 0.1 * per_metre)));
    assert_true(rim < middle - 40);
    couFreeImage(&image);

    // Discs lie over areas; a plane fills what is below it.
    scene.particle_count = 1;
    scene.body_count = 2;
    image = render(&scene, &options);
    assert_true(is_red(pixel(&image, (int)(WIDTH / 2 + 0.2 * per_metre), (int)(HEIGHT / 2 - 0.1 * per_metre))));
    assert_true(is_dark(pixel(&image, 5, (int)(HEIGHT / 2 + 0.62 * per_metre))));
    assert_false(is_dark(pixel(&image, 5, (int)(HEIGHT / 2 + 0.58 * per_metre))));
    couFreeImage(&image);
    couShape_Release(disc);
    couShape_Release(plane);
}

static void test_many_flat_bodies_are_all_drawn(void **context)
{
    (void)context;
    // More in one tile of the picture than it lists.
    enum { count = 200 };
    couShape *disc = make_shape((couShapeDef){.kind = cou_shapeSphere, .radius = 0.01f});
    couPictureBody bodies[count];
    for (int i = 0; i < count; ++i)
        bodies[i] = (couPictureBody){.shape = disc,
                                     .pose = {{i < count - 1 ? 0.0f : 0.03f, 0, 0}, {0, 0, 0, 1}},
                                     .look = couMakeLook((couVec3){0.4f, 0.4f, 0.4f}, 1)};
    couPictureScene scene = make_scene(NULL, 0, 0);
    scene.dimension = 2;
    scene.bodies = bodies;
    scene.body_count = count;
    couPictureOptions options = look_from((couVec3){0, 0, 0}, (couVec3){0, 0, 0});
    options.frame = (couBounds){{-1, -0.75f, 0}, {1, 0.75f, 0}};
    couImage image = render(&scene, &options);
    double per_metre = 0.94 * HEIGHT / 1.5;
    assert_true(is_dark(pixel(&image, WIDTH / 2, HEIGHT / 2)));
    assert_true(is_dark(pixel(&image, (int)(WIDTH / 2 + 0.03 * per_metre), HEIGHT / 2)));
    assert_false(is_dark(pixel(&image, (int)(WIDTH / 2 + 0.06 * per_metre), HEIGHT / 2)));
    couFreeImage(&image);
    couShape_Release(disc);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flat_picture_is_to_scale),
        cmocka_unit_test(test_flat_bodies_are_dark_areas),
        cmocka_unit_test(test_many_flat_bodies_are_all_drawn),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
