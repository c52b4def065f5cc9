// Previews: where things appear, what casts a shadow, that threads do not matter.
#include "picture_test.h"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

// --- Where things are -------------------------------------------------------------------------------------------------------

static void test_sphere_has_its_silhouette(void **context)
{
    (void)context;
    const couVec3 centre = {0, 0.5f, 0};
    couPictureScene scene = make_scene(&centre, 1, 0.25f);
    couPictureOptions options = look_from((couVec3){0, 0.5f, 2}, centre);
    couImage image = render(&scene, &options);
    // Tangents from distance D touch at the angle asin(R / D).
    double radius = tan(asin(0.25 / 2.0)) * 0.5 * HEIGHT / tan(40 * COU_PI / 360);
    assert_disc(find_patch(&image, is_red), 0.5 * WIDTH, 0.5 * HEIGHT, radius);
    couFreeImage(&image);
}

static void test_body_has_the_same_silhouette(void **context)
{
    (void)context;
    couShape *sphere = make_shape((couShapeDef){.kind = cou_shapeSphere, .radius = 0.25f});
    couPictureBody body = {.shape = sphere, .pose = {{0, 0.5f, 0}, {0, 0, 0, 1}}, .look = couMakeLook(red, 1)};
    couPictureScene scene = make_scene(NULL, 0, 0);
    scene.bodies = &body;
    scene.body_count = 1;
    couPictureOptions options = look_from((couVec3){0, 0.5f, 2}, (couVec3){0, 0.5f, 0});
    couImage image = render(&scene, &options);
    double radius = tan(asin(0.25 / 2.0)) * 0.5 * HEIGHT / tan(40 * COU_PI / 360);
    assert_disc(find_patch(&image, is_red), 0.5 * WIDTH, 0.5 * HEIGHT, radius);
    couFreeImage(&image);
    couShape_Release(sphere);
}

static void test_particles_are_where_they_project(void **context)
{
    (void)context;
    const couVec3 positions[] = {{0.4f, 0.3f, -0.2f}, {-0.5f, -0.2f, 0.3f}};
    const uint8_t materials[] = {0, 1};
    couPictureScene scene = make_scene(positions, 2, 0.05f);
    scene.materials = materials;
    scene.opacities = NULL;
    couPictureOptions options = look_from((couVec3){0.8f, 0.9f, 2.5f}, (couVec3){0, 0.1f, 0});
    couImage image = render(&scene, &options);
    Patch patches[] = {find_patch(&image, is_red), find_patch(&image, is_blue)};
    for (int i = 0; i < 2; ++i) {
        double x, y;
        project(&options, positions[i], &x, &y);
        assert_true(patches[i].count > 50);
        assert_near(patches[i].x, x, 1.0, "x");
        assert_near(patches[i].y, y, 1.0, "y");
    }
    couFreeImage(&image);
}

static void test_turned_body_turns(void **context)
{
    (void)context;
    // A lying capsule from an upright one, by a quarter turn about z.
    couShape *capsule = make_shape((couShapeDef){.kind = cou_shapeCapsule, .radius = 0.1f, .height = 0.6f});
    couPictureBody body = {.shape = capsule, .pose = {{0, 0, 0}, {0, 0, sqrtf(0.5f), sqrtf(0.5f)}}, .look = couMakeLook(red, 1)};
    couPictureScene scene = make_scene(NULL, 0, 0);
    scene.bodies = &body;
    scene.body_count = 1;
    couPictureOptions options = look_from((couVec3){0, 0, 3}, (couVec3){0, 0, 0});
    couImage image = render(&scene, &options);
    Patch patch = find_patch(&image, is_red);
    double per_metre = 0.5 * HEIGHT / tan(40 * COU_PI / 360) / 3;
    assert_near(patch.right - patch.left + 1, 0.8 * per_metre, 2, "width");
    assert_near(patch.bottom - patch.top + 1, 0.2 * per_metre, 2, "height");
    couFreeImage(&image);
    couShape_Release(capsule);
}

static void test_nearer_things_hide_farther_ones(void **context)
{
    (void)context;
    couShape *box = make_shape((couShapeDef){.kind = cou_shapeBox, .size = {0.4f, 0.4f, 0.4f}});
    couPictureBody body = {.shape = box, .pose = {{0, 0, 0}, {0, 0, 0, 1}}, .look = couMakeLook(blue, 1)};
    const couVec3 positions[] = {{0, 0, -0.5f}, {0.1f, 0.1f, 0.4f}};
    couPictureScene scene = make_scene(positions, 2, 0.05f);
    scene.bodies = &body;
    scene.body_count = 1;
    couPictureOptions options = look_from((couVec3){0, 0, 3}, (couVec3){0, 0, 0});
    couImage image = render(&scene, &options);
    double x, y;
    project(&options, positions[1], &x, &y);
    assert_true(is_red(pixel(&image, (int)x, (int)y)));
    project(&options, positions[0], &x, &y);
    assert_true(is_blue(pixel(&image, (int)x, (int)y)));
    couFreeImage(&image);
    couShape_Release(box);
}

static void test_camera_in_a_wall_looks_out_of_it(void **context)
{
    (void)context;
    // A half-space in which the camera stands and which would hide the particle.
    couShape *wall = make_shape((couShapeDef){.kind = cou_shapePlane, .axis = {0, 0, -1}});
    couPictureBody body = {.shape = wall, .pose = {{0, 0, 1}, {0, 0, 0, 1}}, .look = couMakeLook(blue, 1)};
    const couVec3 position = {0, 0, 0};
    couPictureScene scene = make_scene(&position, 1, 0.2f);
    scene.bodies = &body;
    scene.body_count = 1;
    couPictureOptions options = look_from((couVec3){0, 0, 3}, (couVec3){0, 0, 0});
    couImage image = render(&scene, &options);
    assert_true(is_red(pixel(&image, WIDTH / 2, HEIGHT / 2)));
    couFreeImage(&image);
    couShape_Release(wall);
}

// --- Light ------------------------------------------------------------------------------------------------------------------

static void test_shadow_falls_away_from_the_sun(void **context)
{
    (void)context;
    const couVec3 position = {0, 0.5f, 0};
    couPictureScene scene = make_scene(&position, 1, 0.1f);
    scene.ground = 0;
    couPictureOptions options = look_from((couVec3){0, 3, 3}, (couVec3){0, 0, 0});
    couImage with = render(&scene, &options);
    scene.particle_count = 0;
    couImage without = render(&scene, &options);
    double x, y;
    couVec3 spot = couMulAdd(position, -position.y / couSunDirection.y, couSunDirection);
    project(&options, spot, &x, &y);
    int lit = brightness(pixel(&without, (int)x, (int)y)), dark = brightness(pixel(&with, (int)x, (int)y));
    if (!(dark < 0.8 * lit)) fail_msg("shadow %d is not darker than %d", dark, lit);
    // On the other side of the sphere, as far away, the sun shines.
    couVec3 other = {-spot.x, 0, -spot.z};
    project(&options, other, &x, &y);
    lit = brightness(pixel(&without, (int)x, (int)y)), dark = brightness(pixel(&with, (int)x, (int)y));
    assert_true(dark > 0.95 * lit);
    couFreeImage(&with);
    couFreeImage(&without);
}

static void test_body_casts_a_shadow(void **context)
{
    (void)context;
    couShape *sphere = make_shape((couShapeDef){.kind = cou_shapeSphere, .radius = 0.1f});
    couPictureBody body = {.shape = sphere, .pose = {{0, 0.5f, 0}, {0, 0, 0, 1}}, .look = couMakeLook(red, 1)};
    couPictureScene scene = make_scene(NULL, 0, 0);
    scene.ground = 0;
    scene.bodies = &body;
    couPictureOptions options = look_from((couVec3){0, 3, 3}, (couVec3){0, 0, 0});
    couImage without = render(&scene, &options);
    scene.body_count = 1;
    couImage solid = render(&scene, &options);
    body.look.opacity = 0.3f;
    couImage glass = render(&scene, &options);
    double x, y;
    project(&options, couMulAdd(body.pose.position, -0.5f / couSunDirection.y, couSunDirection), &x, &y);
    int lit = brightness(pixel(&without, (int)x, (int)y));
    assert_true(brightness(pixel(&solid, (int)x, (int)y)) < 0.8 * lit);
    // Glass takes a part of the light only.
    assert_true(brightness(pixel(&glass, (int)x, (int)y)) < lit - 5);
    assert_true(brightness(pixel(&glass, (int)x, (int)y)) > brightness(pixel(&solid, (int)x, (int)y)) + 5);
    couFreeImage(&without);
    couFreeImage(&solid);
    couFreeImage(&glass);
    couShape_Release(sphere);
}

static void test_ground_is_darker_under_a_roof(void **context)
{
    (void)context;
    // Far enough from its sun shadow, what is left is the sky that the roof takes.
    couShape *roof = make_shape((couShapeDef){.kind = cou_shapeBox, .size = {0.8f, 0.02f, 0.8f}});
    couPictureBody body = {.shape = roof, .pose = {{0, 0.6f, 0}, {0, 0, 0, 1}}, .look = couMakeLook(red, 1)};
    couPictureScene scene = make_scene(NULL, 0, 0);
    scene.ground = 0;
    scene.bodies = &body;
    couPictureOptions options = look_from((couVec3){0, 0.5f, 3}, (couVec3){0, 0.2f, 0});
    couImage without = render(&scene, &options);
    scene.body_count = 1;
    couImage with = render(&scene, &options);
    // The roof's own shadow lies from x = 0.03 on; this place is lit by the sun in both.
    double x, y;
    project(&options, (couVec3){-0.15f, 0, 0.2f}, &x, &y);
    int open = brightness(pixel(&without, (int)x, (int)y)), covered = brightness(pixel(&with, (int)x, (int)y));
    assert_true(covered < open - 5);
    assert_true(covered > 0.6 * open);
    couFreeImage(&without);
    couFreeImage(&with);
    couShape_Release(roof);
}

static void test_horizontal_plane_is_the_ground(void **context)
{
    (void)context;
    couShape *plane = make_shape((couShapeDef){.kind = cou_shapePlane, .axis = {0, 2, 0}});
    couPictureBody body = {
        .shape = plane, .pose = {{3, 0.25f, 1}, {0, 0, 0, 1}}, .look = couMakeLook((couVec3){0.50f, 0.49f, 0.47f}, 1)};
    const couVec3 position = {0, 0.5f, 0};
    couPictureScene scene = make_scene(&position, 1, 0.1f);
    couPictureOptions options = look_from((couVec3){0, 1, 3}, (couVec3){0, 0.3f, 0});
    scene.ground = 0.25f;
    couImage as_ground = render(&scene, &options);
    scene.ground = NAN;
    scene.bodies = &body;
    scene.body_count = 1;
    assert_same(as_ground, render(&scene, &options));
    couShape_Release(plane);
}

// A scene without a floor stands on one if it wants to; what falls does not carry it along.
static void test_floor_is_under_the_lowest_body_at_rest(void **context)
{
    (void)context;
    couShape *box = make_shape((couShapeDef){.kind = cou_shapeBox, .size = {0.5f, 0.5f, 0.5f}});
    couPictureBody bodies[2] = {
        {.shape = box, .pose = {{0, 0.5f, 0}, {0, 0, 0, 1}}, .look = couMakeLook((couVec3){0.50f, 0.49f, 0.47f}, 1)}};
    bodies[1] = bodies[0];
    bodies[1].pose.position = (couVec3){0.75f, -0.125f, 0};
    bodies[1].velocity = (couVec3){0, -1, 0};
    const couVec3 position = {0.6f, 0.5f, 0};
    couPictureScene scene = make_scene(&position, 1, 0.1f);
    scene.bodies = bodies, scene.body_count = 2;
    couPictureOptions options = look_from((couVec3){0, 1, 3}, (couVec3){0, 0.3f, 0});
    couImage bare = render(&scene, &options);
    scene.ground = 0.25f;
    couImage grounded = render(&scene, &options);
    assert_false(is_same(&bare, &grounded));
    scene.ground = NAN, scene.has_floor = true;
    assert_same(grounded, render(&scene, &options));
    scene.body_count = 0; // nothing stands anywhere
    couImage empty = render(&scene, &options);
    scene.has_floor = false;
    assert_same(empty, render(&scene, &options));
    couFreeImage(&bare);
    couShape_Release(box);
}

static void test_glass_is_seen_and_seen_through(void **context)
{
    (void)context;
    couShape *inside = make_shape((couShapeDef){.kind = cou_shapeBox, .size = {0.6f, 0.6f, 0.6f}});
    couShape *tank = make_shape(
        (couShapeDef){.kind = cou_shapeShell, .thickness = 0.02f, .is_open = true, .children = &inside, .child_count = 1});
    couPictureBody body = {
        .shape = tank, .pose = {{0, 0, 0}, {0, 0, 0, 1}}, .look = couMakeLook((couVec3){0.6f, 0.8f, 0.8f}, 0.15f)};
    const couVec3 position = {0, 0, 0};
    couPictureScene scene = make_scene(&position, 1, 0.15f);
    scene.bodies = &body;
    couPictureOptions options = look_from((couVec3){0.3f, 0.3f, 2.5f}, (couVec3){0, 0, 0});
    couImage without = render(&scene, &options);
    scene.body_count = 1;
    couImage with = render(&scene, &options);
    Patch bare = find_patch(&without, is_red), behind = find_patch(&with, is_red);
    assert_true(behind.count > 0.9 * bare.count);
    int changed = 0;
    for (size_t i = 0; i < image_bytes(&with); i += 3) changed += memcmp(with.rgb + i, without.rgb + i, 3) != 0;
    // The tank covers about 0.62 m x 0.62 m of the view.
    double per_metre = 0.5 * HEIGHT / tan(40 * COU_PI / 360) / 2.5;
    assert_true(changed > 0.8 * 0.62 * 0.62 * per_metre * per_metre);
    couFreeImage(&without);
    couFreeImage(&with);
    couShape_Release(tank);
    couShape_Release(inside);
}

static void test_invisible_body_leaves_no_trace(void **context)
{
    (void)context;
    couShape *sphere = make_shape((couShapeDef){.kind = cou_shapeSphere, .radius = 0.3f});
    couPictureBody bodies[] = {
        {.shape = sphere, .pose = {{0, 0.3f, 0}, {0, 0, 0, 1}}, .look = couMakeLook(red, 0)},
        {.shape = sphere, .pose = {{NAN, 0, 0}, {0, 0, 0, 1}}, .look = couMakeLook(red, 1)},
        {.shape = sphere, .pose = {{0, INFINITY, 0}, {0, 0, 0, 1}}, .look = couMakeLook(red, 1)},
        {.shape = sphere, .pose = {{0, 0, 0}, {0, 0, 0, 0}}, .look = couMakeLook(red, 1)},
        {.shape = sphere, .pose = {{0, 0, 0}, {NAN, 0, 0, 1}}, .look = couMakeLook(red, 0.5f)},
        {.shape = NULL, .pose = {{0, 0, 0}, {0, 0, 0, 1}}, .look = couMakeLook(red, 1)},
        {.shape = sphere, .pose = {{0, 0.3f, 0}, {0, 0, 0, 1}}, .look = couMakeLook(red, NAN)},
    };
    const couVec3 position = {0, 0.2f, 0};
    couPictureScene scene = make_scene(&position, 1, 0.1f);
    scene.ground = 0;
    scene.bodies = bodies;
    couPictureOptions options = look_from((couVec3){1, 1, 2}, (couVec3){0, 0, 0});
    couImage without = render(&scene, &options);
    scene.body_count = COU_COUNT(bodies);
    assert_same(without, render(&scene, &options));
    couShape_Release(sphere);
}

// --- Particles that are not as they should be -------------------------------------------------------------------------------

static void test_particles_at_nan_are_left_out(void **context)
{
    (void)context;
    const couVec3 good[] = {{0, 0.1f, 0}, {0.3f, 0.1f, 0}};
    const couVec3 mixed[] = {{NAN, 0, 0}, good[0], {0, INFINITY, 0}, {0, 0, -1e30f}, good[1], {NAN, NAN, NAN}};
    const uint8_t good_materials[] = {0, 1}, mixed_materials[] = {1, 0, 1, 1, 1, 0};
    couPictureOptions options = look_from((couVec3){1, 1, 2}, (couVec3){0, 0, 0});
    couPictureScene scene = make_scene(good, 2, 0.1f);
    scene.ground = 0;
    scene.materials = good_materials;
    couImage expected = render(&scene, &options);
    scene.positions = mixed;
    scene.materials = mixed_materials;
    scene.particle_count = 6;
    assert_same(expected, render(&scene, &options));
    // Nothing but NaN is an empty picture.
    const couVec3 none = {NAN, NAN, NAN};
    scene = make_scene(&none, 1, 0.1f);
    options.is_auto_camera = true;
    couImage image = render(&scene, &options);
    assert_int_equal(find_patch(&image, is_red).count, 0);
    couFreeImage(&image);
}

static void test_invisible_particles_are_not_drawn(void **context)
{
    (void)context;
    const couVec3 positions[] = {{0, 0.1f, 0}, {0.3f, 0.1f, 0}};
    const uint8_t materials[] = {0, 1};
    const float opacities[] = {1.0f, 0.0f};
    couPictureOptions options = look_from((couVec3){1, 1, 2}, (couVec3){0, 0, 0});
    couPictureScene scene = make_scene(positions, 2, 0.1f);
    scene.ground = 0;
    scene.materials = materials;
    couImage both = render(&scene, &options);
    scene.opacities = opacities;
    couImage image = render(&scene, &options);
    assert_true(find_patch(&both, is_blue).count > 100);
    assert_int_equal(find_patch(&image, is_blue).count, 0);
    assert_true(find_patch(&image, is_red).count > 100);
    couFreeImage(&both);
    couFreeImage(&image);
}

static void test_empty_scene_gives_a_picture(void **context)
{
    (void)context;
    couPictureScene scene = make_scene(NULL, 0, 0);
    for (int dimension = 2; dimension <= 3; ++dimension) {
        scene.dimension = dimension;
        couPictureOptions options = look_from((couVec3){0, 0, 0}, (couVec3){0, 0, 0});
        options.is_auto_camera = true;
        options.width = 33; // neither even nor a whole tile
        options.height = 17;
        options.fov = 0;
        couImage image = render(&scene, &options);
        assert_true(brightness(pixel(&image, 32, 16)) > 300);
        couFreeImage(&image);
    }
}

static void test_unknown_materials_are_grey(void **context)
{
    (void)context;
    const couVec3 position = {0, 0, 0};
    const uint8_t material = 7;
    couPictureScene scene = make_scene(&position, 1, 0.3f);
    scene.materials = &material;
    couPictureOptions options = look_from((couVec3){0, 0, 2}, (couVec3){0, 0, 0});
    for (int dimension = 2; dimension <= 3; ++dimension) {
        scene.dimension = dimension;
        couImage image = render(&scene, &options);
        const uint8_t *p = pixel(&image, WIDTH / 2, HEIGHT / 2);
        assert_true(abs(p[0] - p[2]) < 30);
        couFreeImage(&image);
    }
    const couVec3 bad_color = {NAN, INFINITY, -4};
    const float bad_opacity = NAN;
    scene.materials = NULL;
    scene.colors = &bad_color;
    scene.opacities = &bad_opacity;
    scene.material_count = 1;
    couImage image = render(&scene, &options);
    const uint8_t *p = pixel(&image, WIDTH / 2, HEIGHT / 2);
    assert_true(abs(p[0] - p[2]) < 30);
    couFreeImage(&image);
}

// --- Same picture -----------------------------------------------------------------------------------------------------------

// A heap of particles with equal places among them, a solid and a glass body.
static void test_image_does_not_depend_on_threads(void **context)
{
    (void)context;
    enum { count = 3000 };
    static couVec3 positions[count];
    static uint8_t materials[count];
    uint32_t random = 12345;
    for (int i = 0; i < count; ++i) {
        float c[3];
        for (int k = 0; k < 3; ++k) {
            random = random * 1664525u + 1013904223u;
            c[k] = (float)(random >> 8) / 16777216.0f;
        }
        positions[i] = (couVec3){c[0] - 0.5f, 0.4f * c[1], c[2] - 0.5f};
        materials[i] = (uint8_t)(i & 1);
    }
    for (int i = 0; i < 100; ++i) positions[2 * i + 1] = positions[2 * i];
    couShape *sphere = make_shape((couShapeDef){.kind = cou_shapeSphere, .radius = 0.2f});
    couShape *torus = make_shape((couShapeDef){.kind = cou_shapeTorus, .radius = 0.5f, .radius2 = 0.1f});
    couPictureBody bodies[] = {{.shape = sphere, .pose = {{0, 0.4f, 0}, {0, 0, 0, 1}}, .look = couMakeLook(red, 1)},
                               {.shape = torus, .pose = {{0, 0.4f, 0}, {0, 0, 0, 1}}, .look = couMakeLook(blue, 0.3f)}};
    couPictureScene scene = make_scene(positions, count, 0.02f);
    scene.materials = materials;
    scene.bodies = bodies;
    scene.body_count = 2;
    scene.ground = 0;
    couPictureOptions options = look_from((couVec3){0, 0, 0}, (couVec3){0, 0, 0});
    options.is_auto_camera = true;
    for (int dimension = 2; dimension <= 3; ++dimension) {
        scene.dimension = dimension;
        couImage reference = render(&scene, &options);
        for (int threads = 1; threads <= 3; ++threads) {
            couRenderer *other = couCreateRenderer(threads, &faults);
            assert_non_null(other);
            couImage image = render_with(other, &scene, &options);
            if (!is_same(&image, &reference)) fail_msg("%dD image differs with %d threads", dimension, threads);
            couFreeImage(&image);
            couDestroyRenderer(other);
        }
        couFreeImage(&reference);
    }
    couShape_Release(sphere);
    couShape_Release(torus);
}

static void test_drawing_leaves_the_arithmetic_alone(void **context)
{
    (void)context;
#if defined(__x86_64__)
    // A renderer that flushed denormals to zero would change the simulation's bits.
    unsigned mode = _mm_getcsr() & ~0x3fu;
    const couVec3 position = {0, 0, 0};
    couPictureScene scene = make_scene(&position, 1, 0.3f);
    couPictureOptions options = look_from((couVec3){0, 0, 2}, (couVec3){0, 0, 0});
    couImage image = render(&scene, &options);
    assert_int_equal(_mm_getcsr() & ~0x3fu, mode);
    couFreeImage(&image);
#endif
}

// A box as a mesh, some of its faces turned over, looks like the box: placed, alone (triangles), of glass or in a union (traced).
static void test_mesh_looks_like_its_formula(void **context)
{
    (void)context;
    const couVec3 half = {0.5f, 0.3f, 0.4f};
    couVec3 vertices[8];
    for (int k = 0; k < 8; ++k)
        vertices[k] = (couVec3){k & 1 ? half.x : -half.x, k & 2 ? half.y : -half.y, k & 4 ? half.z : -half.z};
    static const uint32_t triangles[36] = {0, 3, 2, 0, 3, 1, 4, 5, 7, 4, 6, 7, 0, 1, 5, 0, 5, 4,
                                           2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 2, 6, 1, 3, 7, 1, 7, 5};
    couMesh *mesh = couCreateMesh(vertices, 8, triangles, 12, &faults);
    couDistanceGrid *grid = couCreateDistanceGrid(mesh, 0.02f, 0, 1, &faults);
    assert_non_null(grid);
    couShape *boxes[2] = {make_shape((couShapeDef){.kind = cou_shapeBox, .size = couScale(2.0f, half)}),
                          make_shape((couShapeDef){.kind = cou_shapeMesh, .grid = grid})};
    const couPose pose = {{0.1f, 0.2f, 0}, {0, 0.38268343f, 0, 0.92387953f}};
    couPictureOptions options = look_from((couVec3){1.5f, 1.2f, 2.5f}, (couVec3){0, 0.1f, 0});
    for (int kind = 0; kind < 3; ++kind) {
        couImage images[2];
        for (int k = 0; k < 2; ++k) {
            couShapeKind around = kind == 2 ? cou_shapeUnion : cou_shapePlaced;
            couShape *shape = make_shape((couShapeDef){.kind = around, .children = &boxes[k], .child_count = 1, .pose = pose});
            couPictureBody body = {.shape = shape, .pose = pose, .look = couMakeLook(red, kind == 1 ? 0.4f : 1.0f)};
            couPictureScene scene = make_scene(NULL, 0, 0.1f);
            scene.bodies = &body, scene.body_count = 1, scene.ground = -0.5f;
            images[k] = render(&scene, &options);
            couShape_Release(shape);
        }
        // Edges are rounded by the grid, hence a pixel here and there.
        int other = 0, red_count = 0;
        for (int i = 0; i < WIDTH * HEIGHT; ++i) {
            const uint8_t *a = images[0].rgb + 3 * i, *b = images[1].rgb + 3 * i;
            other += abs(a[0] - b[0]) + abs(a[1] - b[1]) + abs(a[2] - b[2]) > 40;
            red_count += is_red(a);
        }
        assert_true(red_count > 4000);
        if (other > (kind == 0 ? red_count / 100 : red_count / 10))
            fail_msg("kind %d: %d of %d pixels differ", kind, other, red_count);
        couFreeImage(&images[0]);
        couFreeImage(&images[1]);
    }
    couShape_Release(boxes[0]);
    couShape_Release(boxes[1]);
    couDistanceGrid_Release(grid);
    couMesh_Release(mesh);
}

// A plane of discs reads as one red area without holes, lit alike; a lone droplet is a sphere, a splat of a missing particle
// nothing.
static void test_splats_make_a_surface(void **context)
{
    (void)context;
    enum { side = 21, count = side * side + 1 };
    couVec3 positions[count], normals[count + 1];
    uint32_t indices[count + 1];
    float radii[count + 1];
    for (int i = 0; i < count; ++i) {
        bool is_drop = i == count - 1;
        positions[i] = is_drop ? (couVec3){0, 0.55f, 0}
                               : (couVec3){0.05f * (float)(i % side - 10), 0, 0.05f * (float)(i / side - 10)};
        normals[i] = is_drop ? (couVec3){0, 0, 0} : (couVec3){0, 1, 0};
        indices[i] = (uint32_t)i;
        radii[i] = is_drop ? 0.04f : 0.05f;
    }
    indices[count] = count + 7, radii[count] = 0.3f, normals[count] = (couVec3){0, 1, 0};
    couSplats splats = {.count = count + 1, .indices = indices, .normals = normals, .radii = radii};
    couPictureScene scene = make_scene(positions, count, 0.01f);
    scene.splats = &splats;
    couPictureOptions options = look_from((couVec3){0, 1.5f, 1.5f}, (couVec3){0, 0.2f, 0});
    options.quality = cou_qualitySplats;
    couImage image = render(&scene, &options);
    double x, y;
    project(&options, positions[count - 1], &x, &y);
    assert_true(is_red(pixel(&image, (int)x, (int)y)));
    int darkest = 1000, brightest = 0;
    for (int i = 0; i < 400; ++i) {
        project(&options, (couVec3){0.02f * (float)(i % 20 - 10) + 0.1f, 0, 0.02f * (float)(i / 20 - 10) + 0.2f}, &x, &y);
        const uint8_t *p = pixel(&image, (int)x, (int)y);
        assert_true(is_red(p));
        darkest = COU_MIN(darkest, brightness(p)), brightest = COU_MAX(brightest, brightness(p));
    }
    if (brightest - darkest > 60) fail_msg("splats vary from %d to %d", darkest, brightest);
    couFreeImage(&image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sphere_has_its_silhouette),
        cmocka_unit_test(test_body_has_the_same_silhouette),
        cmocka_unit_test(test_particles_are_where_they_project),
        cmocka_unit_test(test_turned_body_turns),
        cmocka_unit_test(test_nearer_things_hide_farther_ones),
        cmocka_unit_test(test_camera_in_a_wall_looks_out_of_it),
        cmocka_unit_test(test_shadow_falls_away_from_the_sun),
        cmocka_unit_test(test_body_casts_a_shadow),
        cmocka_unit_test(test_ground_is_darker_under_a_roof),
        cmocka_unit_test(test_horizontal_plane_is_the_ground),
        cmocka_unit_test(test_floor_is_under_the_lowest_body_at_rest),
        cmocka_unit_test(test_glass_is_seen_and_seen_through),
        cmocka_unit_test(test_invisible_body_leaves_no_trace),
        cmocka_unit_test(test_particles_at_nan_are_left_out),
        cmocka_unit_test(test_invisible_particles_are_not_drawn),
        cmocka_unit_test(test_empty_scene_gives_a_picture),
        cmocka_unit_test(test_unknown_materials_are_grey),
        cmocka_unit_test(test_image_does_not_depend_on_threads),
        cmocka_unit_test(test_drawing_leaves_the_arithmetic_alone),
        cmocka_unit_test(test_mesh_looks_like_its_formula),
        cmocka_unit_test(test_splats_make_a_surface),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
