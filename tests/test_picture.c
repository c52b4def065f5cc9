// Pictures: where things appear, what casts a shadow, that threads do not matter, and every way in which a request can be wrong.
#include "render/picture.h"

#include "base/base.h"
#include "render/light.h"
#include "render/view.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include <png.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#define WIDTH 400
#define HEIGHT 300

static const couVec3 red = {0.9f, 0.02f, 0.02f};
static const couVec3 blue = {0.03f, 0.08f, 0.9f};

// --- Helpers -----------------------------------------------------------------------------------------------------------------

static couFaults faults;
static couRenderer *renderer;

static int setup(void **state)
{
    (void)state;
    renderer = couCreateRenderer(2, &faults);
    return renderer ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    couDestroyRenderer(renderer);
    couFaults_Clear(&faults);
    return 0;
}

static couShape *make_shape(couShapeDef def)
{
    couShape *shape = couCreateShape(&def, &faults);
    assert_non_null(shape);
    return shape;
}

static couPictureScene make_scene(const couVec3 *positions, size_t count, float radius)
{
    static const couVec3 colors[] = {{0.9f, 0.02f, 0.02f}, {0.03f, 0.08f, 0.9f}};
    static const float opacities[] = {1.0f, 0.2f};
    return (couPictureScene){.dimension = 3,
                             .positions = positions,
                             .particle_count = count,
                             .radius = radius,
                             .colors = colors,
                             .opacities = opacities,
                             .material_count = 2,
                             .ground = NAN};
}

static couPictureOptions look_from(couVec3 from, couVec3 to)
{
    return (couPictureOptions){
        .width = WIDTH, .height = HEIGHT, .from = from, .to = to, .fov = 40, .samples = 2, .frame = {{1, 1, 1}, {-1, -1, -1}}};
}

static couImage render_with(couRenderer *with, const couPictureScene *scene, const couPictureOptions *options)
{
    couImage image;
    if (!couRenderPicture(with, scene, options, &image, &faults))
        fail_msg("%s: %s", faults.items[0].key, faults.items[0].message);
    assert_int_equal(image.width, options->width);
    assert_int_equal(image.height, options->height);
    assert_int_equal(faults.count, 0);
    return image;
}

static couImage render(const couPictureScene *scene, const couPictureOptions *options)
{
    return render_with(renderer, scene, options);
}

static const uint8_t *pixel(const couImage *image, int x, int y) { return image->rgb + 3 * (y * image->width + x); }
// The sky has more blue than red, but not much, also where a rim mirrors it.
static bool is_red(const uint8_t *p) { return p[0] > p[2] + 30; }
static bool is_blue(const uint8_t *p) { return p[2] > p[0] + 50; }
static int brightness(const uint8_t *p) { return p[0] + p[1] + p[2]; }

static size_t image_bytes(const couImage *image) { return 3 * (size_t)image->width * (size_t)image->height; }

static bool is_same(const couImage *a, const couImage *b)
{
    return a->width == b->width && a->height == b->height && memcmp(a->rgb, b->rgb, image_bytes(a)) == 0;
}

static void assert_same(couImage a, couImage b)
{
    assert_true(is_same(&a, &b));
    couFreeImage(&a);
    couFreeImage(&b);
}

// Where a test camera (look_from) shows a point [pixels].
static void project(const couPictureOptions *options, couVec3 p, double *x, double *y)
{
    couVec3 forward = couNormalize(couSub(options->to, options->from));
    couVec3 right = couNormalize(couCross(forward, (couVec3){0, 1, 0})), up = couCross(right, forward);
    couVec3 way = couSub(p, options->from);
    double scale = 0.5 * options->height / tan(options->fov * COU_PI / 360) / (double)couDot(way, forward);
    *x = 0.5 * options->width + scale * (double)couDot(way, right);
    *y = 0.5 * options->height - scale * (double)couDot(way, up);
}

typedef struct Patch {
    int count;
    double x, y; // centre [pixels]
    int left, right, top, bottom;
} Patch;

static Patch find_patch(const couImage *image, bool (*is_member)(const uint8_t *))
{
    Patch patch = {.left = image->width, .right = -1, .top = image->height, .bottom = -1};
    for (int y = 0; y < image->height; y++) {
        for (int x = 0; x < image->width; x++) {
            if (!is_member(pixel(image, x, y))) continue;
            patch.count++;
            patch.x += x + 0.5;
            patch.y += y + 0.5;
            patch.left = COU_MIN(patch.left, x);
            patch.right = COU_MAX(patch.right, x);
            patch.top = COU_MIN(patch.top, y);
            patch.bottom = COU_MAX(patch.bottom, y);
        }
    }
    if (patch.count > 0) patch.x /= patch.count, patch.y /= patch.count;
    return patch;
}

static void assert_near(double got, double expected, double tolerance, const char *what)
{
    if (!(fabs(got - expected) <= tolerance)) fail_msg("%s: expected %g, got %g, tolerance %g", what, expected, got, tolerance);
}

// A disc of this radius around this centre, within a pixel at every side.
static void assert_disc(Patch patch, double x, double y, double radius)
{
    assert_near(patch.x, x, 0.5, "centre x");
    assert_near(patch.y, y, 0.5, "centre y");
    assert_near(sqrt(patch.count / COU_PI), radius, 1.0, "radius by area");
    assert_near(0.5 * (patch.right - patch.left + 1), radius, 1.0, "half width");
    assert_near(0.5 * (patch.bottom - patch.top + 1), radius, 1.0, "half height");
}

// --- Where things are --------------------------------------------------------------------------------------------------------

static void sphere_has_its_silhouette(void **state)
{
    (void)state;
    const couVec3 centre = {0, 0.5f, 0};
    couPictureScene scene = make_scene(&centre, 1, 0.25f);
    couPictureOptions options = look_from((couVec3){0, 0.5f, 2}, centre);
    couImage image = render(&scene, &options);
    // Tangents from distance D touch at the angle asin(R / D).
    double radius = tan(asin(0.25 / 2.0)) * 0.5 * HEIGHT / tan(40 * COU_PI / 360);
    assert_disc(find_patch(&image, is_red), 0.5 * WIDTH, 0.5 * HEIGHT, radius);
    couFreeImage(&image);
}

static void body_has_the_same_silhouette(void **state)
{
    (void)state;
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

static void particles_are_where_they_project(void **state)
{
    (void)state;
    const couVec3 positions[] = {{0.4f, 0.3f, -0.2f}, {-0.5f, -0.2f, 0.3f}};
    const uint8_t materials[] = {0, 1};
    couPictureScene scene = make_scene(positions, 2, 0.05f);
    scene.materials = materials;
    couPictureOptions options = look_from((couVec3){0.8f, 0.9f, 2.5f}, (couVec3){0, 0.1f, 0});
    couImage image = render(&scene, &options);
    Patch patches[] = {find_patch(&image, is_red), find_patch(&image, is_blue)};
    for (int i = 0; i < 2; i++) {
        double x, y;
        project(&options, positions[i], &x, &y);
        assert_true(patches[i].count > 50);
        assert_near(patches[i].x, x, 1.0, "x");
        assert_near(patches[i].y, y, 1.0, "y");
    }
    couFreeImage(&image);
}

static void turned_body_turns(void **state)
{
    (void)state;
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

static void nearer_things_hide_farther_ones(void **state)
{
    (void)state;
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

static void camera_in_a_wall_looks_out_of_it(void **state)
{
    (void)state;
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

static void automatic_camera_frames_the_box(void **state)
{
    (void)state;
    const couBounds boxes[] = {
        {{-1, 0, -1}, {1, 2, 1}}, {{0, 0, 0}, {10, 0.1f, 10}}, {{5, 0, 5}, {5.1f, 3, 5.1f}}, {{1, 1, 1}, {1, 1, 1}}};
    const int sizes[][2] = {{1280, 720}, {200, 800}, {640, 640}};
    for (int b = 0; b < COU_COUNT(boxes); b++) {
        for (int s = 0; s < COU_COUNT(sizes); s++) {
            int width = sizes[s][0], height = sizes[s][1];
            couView view = couLookAtBox(boxes[b], 35, width, height);
            couPictureOptions options = {.width = width, .height = height, .from = view.origin, .to = view.focus, .fov = 35};
            double fill = 0;
            for (int i = 0; i < 8; i++) {
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

static void stray_particle_does_not_shrink_the_rest(void **state)
{
    (void)state;
    enum { count = 1001 };
    static couVec3 positions[count];
    for (int i = 0; i < count - 1; i++)
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

// --- Light -------------------------------------------------------------------------------------------------------------------

static void shadow_falls_away_from_the_sun(void **state)
{
    (void)state;
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

static void body_casts_a_shadow(void **state)
{
    (void)state;
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

static void ground_is_darker_under_a_roof(void **state)
{
    (void)state;
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

static void horizontal_plane_is_the_ground(void **state)
{
    (void)state;
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

static void glass_is_seen_and_seen_through(void **state)
{
    (void)state;
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

static void invisible_body_leaves_no_trace(void **state)
{
    (void)state;
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

// --- Particles that are not as they should be --------------------------------------------------------------------------------

static void particles_at_nan_are_left_out(void **state)
{
    (void)state;
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

static void empty_scene_gives_a_picture(void **state)
{
    (void)state;
    couPictureScene scene = make_scene(NULL, 0, 0);
    for (int dimension = 2; dimension <= 3; dimension++) {
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

static void unknown_materials_are_grey(void **state)
{
    (void)state;
    const couVec3 position = {0, 0, 0};
    const uint8_t material = 7;
    couPictureScene scene = make_scene(&position, 1, 0.3f);
    scene.materials = &material;
    couPictureOptions options = look_from((couVec3){0, 0, 2}, (couVec3){0, 0, 0});
    for (int dimension = 2; dimension <= 3; dimension++) {
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

// --- Same picture ------------------------------------------------------------------------------------------------------------

// A heap of particles with equal places among them, a solid and a glass body.
static void image_does_not_depend_on_threads(void **state)
{
    (void)state;
    enum { count = 3000 };
    static couVec3 positions[count];
    static uint8_t materials[count];
    uint32_t random = 12345;
    for (int i = 0; i < count; i++) {
        float c[3];
        for (int k = 0; k < 3; k++) {
            random = random * 1664525u + 1013904223u;
            c[k] = (float)(random >> 8) / 16777216.0f;
        }
        positions[i] = (couVec3){c[0] - 0.5f, 0.4f * c[1], c[2] - 0.5f};
        materials[i] = (uint8_t)(i & 1);
    }
    for (int i = 0; i < 100; i++) positions[2 * i + 1] = positions[2 * i];
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
    for (int dimension = 2; dimension <= 3; dimension++) {
        scene.dimension = dimension;
        couImage reference = render(&scene, &options);
        for (int threads = 1; threads <= 3; threads++) {
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

static void drawing_leaves_the_arithmetic_alone(void **state)
{
    (void)state;
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

// --- 2D ----------------------------------------------------------------------------------------------------------------------

static void flat_picture_is_to_scale(void **state)
{
    (void)state;
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

static void flat_bodies_are_dark_areas(void **state)
{
    (void)state;
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

static void many_flat_bodies_are_all_drawn(void **state)
{
    (void)state;
    // More in one tile of the picture than it lists.
    enum { count = 200 };
    couShape *disc = make_shape((couShapeDef){.kind = cou_shapeSphere, .radius = 0.01f});
    couPictureBody bodies[count];
    for (int i = 0; i < count; i++)
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

// --- Faults ------------------------------------------------------------------------------------------------------------------

static void assert_fault(const char *key, const char *part)
{
    for (int i = 0; i < faults.count; i++) {
        if (strcmp(faults.items[i].key, key) == 0 && strstr(faults.items[i].message, part)) {
            couFaults_Clear(&faults);
            return;
        }
    }
    fail_msg("no fault for '%s' with '%s' among %d (first: %s %s)", key, part, faults.count,
             faults.count ? faults.items[0].key : "", faults.count ? faults.items[0].message : "");
}

static void assert_refused(couPictureScene scene, couPictureOptions options, const char *key, const char *part)
{
    couImage image = {1, 1, NULL};
    assert_false(couRenderPicture(renderer, &scene, &options, &image, &faults));
    assert_null(image.rgb);
    assert_int_equal(image.width, 0);
    assert_int_equal(faults.count, 1);
    assert_fault(key, part);
}

static void wrong_requests_are_faults(void **state)
{
    (void)state;
    const couVec3 position = {0, 0, 0};
    const couPictureScene scene = make_scene(&position, 1, 0.1f);
    const couPictureOptions options = look_from((couVec3){0, 0, 2}, (couVec3){0, 0, 0});
    couPictureScene s;
    couPictureOptions o;
    o = options, o.width = 15, assert_refused(scene, o, "picture.width", "15; allowed: 16 to 16384");
    o = options, o.width = 16385, assert_refused(scene, o, "picture.width", "16385");
    o = options, o.height = -1, assert_refused(scene, o, "picture.height", "-1");
    o = options, o.samples = 0, assert_refused(scene, o, "picture.samples", "0; allowed: 1 to 16");
    o = options, o.samples = 17, assert_refused(scene, o, "picture.samples", "17");
    o = options, o.fov = 151, assert_refused(scene, o, "camera.fov", "151");
    o = options, o.fov = NAN, assert_refused(scene, o, "camera.fov", "nan");
    o = options, o.from = o.to, assert_refused(scene, o, "camera.from", "0 m from camera.to");
    o = options, o.from.x = NAN, assert_refused(scene, o, "camera.from", "nan");
    o = options, o.to.y = INFINITY, assert_refused(scene, o, "camera.from", "inf");
    s = scene, s.dimension = 4, assert_refused(s, options, "picture.dimension", "4; allowed: 2 or 3");
    s = scene, s.radius = 0, assert_refused(s, options, "picture.radius", "0 m");
    s = scene, s.radius = NAN, assert_refused(s, options, "picture.radius", "nan");
    s = scene, s.positions = NULL, assert_refused(s, options, "picture.particles", "1 without positions");
    s = scene, s.particle_count = SIZE_MAX, assert_refused(s, options, "picture.particles", "at most");
    s = scene, s.body_count = 2, assert_refused(s, options, "picture.bodies", "2");
    s = scene, s.body_count = -1, assert_refused(s, options, "picture.bodies", "-1");
    s = scene, s.material_count = -1, assert_refused(s, options, "picture.material_count", "-1");
}

static void all_faults_come_in_one_go(void **state)
{
    (void)state;
    couPictureScene scene = make_scene(NULL, 3, NAN);
    couPictureOptions options = {.width = 0, .height = 1 << 20, .samples = 99, .fov = 500};
    couImage image;
    assert_false(couRenderPicture(renderer, &scene, &options, &image, &faults));
    assert_int_equal(faults.count, 7);
    couFaults_Clear(&faults);
}

static void wrong_thread_counts_are_faults(void **state)
{
    (void)state;
    assert_null(couCreateRenderer(-1, &faults));
    assert_fault("threads", "-1");
    assert_null(couCreateRenderer(COU_MAX_THREADS + 1, &faults));
    assert_fault("threads", "allowed");
    couRenderer *all_cores = couCreateRenderer(0, &faults);
    assert_non_null(all_cores);
    couDestroyRenderer(all_cores);
    couDestroyRenderer(NULL);
}

// --- PNG ---------------------------------------------------------------------------------------------------------------------

static char folder[] = "/tmp/coulis-picture-XXXXXX";

static const char *in_folder(const char *name)
{
    static char path[256];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    return path;
}

static couImage read_png(const char *path)
{
    png_image png = {.version = PNG_IMAGE_VERSION};
    if (!png_image_begin_read_from_file(&png, path)) fail_msg("%s: %s", path, png.message);
    assert_int_equal(png.format, PNG_FORMAT_RGB);
    couImage image = {(int)png.width, (int)png.height, couAlloc(NULL, PNG_IMAGE_SIZE(png))};
    assert_true(png_image_finish_read(&png, NULL, image.rgb, 0, NULL));
    return image;
}

static couImage make_noise(int width, int height)
{
    couImage image = {width, height, couAlloc(NULL, 3 * (size_t)width * (size_t)height)};
    uint32_t random = 99;
    for (size_t i = 0; i < image_bytes(&image); i++) image.rgb[i] = (uint8_t)((random = random * 1664525u + 1013904223u) >> 24);
    return image;
}

static void png_reads_back_the_same(void **state)
{
    (void)state;
    const couVec3 position = {0, 0.2f, 0};
    couPictureScene scene = make_scene(&position, 1, 0.2f);
    scene.ground = 0;
    couPictureOptions options = look_from((couVec3){1, 1, 2}, (couVec3){0, 0, 0});
    couImage images[] = {render(&scene, &options), make_noise(123, 77)};
    for (int i = 0; i < 2; i++) {
        const char *path = in_folder("picture.png");
        assert_true(couWritePng(path, &images[i], &faults));
        assert_same(images[i], read_png(path));
        unlink(path);
    }
}

static void png_that_cannot_be_written_is_a_fault(void **state)
{
    (void)state;
    couImage image = make_noise(200, 200), none = {0};
    assert_false(couWritePng(in_folder("none.png"), &none, &faults));
    assert_fault("", "no image");
    assert_false(couWritePng(in_folder("not-there/a.png"), &image, &faults));
    assert_fault("", "No such file");
    assert_false(couWritePng(folder, &image, &faults));
    assert_fault("", "regular file");
    assert_false(couWritePng("", &image, &faults));
    assert_fault("", "path of 0 bytes");
    couFreeImage(&image);
}

static void full_disk_keeps_the_old_png(void **state)
{
    (void)state;
    couImage small = make_noise(16, 16), large = make_noise(300, 300);
    assert_true(couWritePng(in_folder("kept.png"), &small, &faults));
    // A limit on the size of files stands in for the end of the disk.
    struct rlimit usual, tight;
    getrlimit(RLIMIT_FSIZE, &usual);
    tight = (struct rlimit){20000, usual.rlim_max};
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &tight);
    bool is_written = couWritePng(in_folder("kept.png"), &large, &faults);
    setrlimit(RLIMIT_FSIZE, &usual);
    signal(SIGXFSZ, handler);
    assert_false(is_written);
    assert_int_equal(faults.count, 1);
    assert_fault("", "File too large");
    assert_same(small, read_png(in_folder("kept.png")));
    unlink(in_folder("kept.png"));
    couFreeImage(&large);
    assert_int_equal(rmdir(folder), 0); // nothing else was left
    assert_int_equal(mkdir(folder, 0777), 0);
}

// A box as a mesh, some of its faces turned over, looks like the box: placed, alone (triangles), of glass or in a union (traced).
static void mesh_looks_like_its_formula(void **state)
{
    (void)state;
    const couVec3 half = {0.5f, 0.3f, 0.4f};
    couVec3 vertices[8];
    for (int k = 0; k < 8; k++)
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
    for (int kind = 0; kind < 3; kind++) {
        couImage images[2];
        for (int k = 0; k < 2; k++) {
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
        for (int i = 0; i < WIDTH * HEIGHT; i++) {
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mesh_looks_like_its_formula),
        cmocka_unit_test(sphere_has_its_silhouette),
        cmocka_unit_test(body_has_the_same_silhouette),
        cmocka_unit_test(particles_are_where_they_project),
        cmocka_unit_test(turned_body_turns),
        cmocka_unit_test(nearer_things_hide_farther_ones),
        cmocka_unit_test(camera_in_a_wall_looks_out_of_it),
        cmocka_unit_test(automatic_camera_frames_the_box),
        cmocka_unit_test(stray_particle_does_not_shrink_the_rest),
        cmocka_unit_test(shadow_falls_away_from_the_sun),
        cmocka_unit_test(body_casts_a_shadow),
        cmocka_unit_test(ground_is_darker_under_a_roof),
        cmocka_unit_test(horizontal_plane_is_the_ground),
        cmocka_unit_test(glass_is_seen_and_seen_through),
        cmocka_unit_test(invisible_body_leaves_no_trace),
        cmocka_unit_test(particles_at_nan_are_left_out),
        cmocka_unit_test(empty_scene_gives_a_picture),
        cmocka_unit_test(unknown_materials_are_grey),
        cmocka_unit_test(image_does_not_depend_on_threads),
        cmocka_unit_test(drawing_leaves_the_arithmetic_alone),
        cmocka_unit_test(flat_picture_is_to_scale),
        cmocka_unit_test(flat_bodies_are_dark_areas),
        cmocka_unit_test(many_flat_bodies_are_all_drawn),
        cmocka_unit_test(wrong_requests_are_faults),
        cmocka_unit_test(all_faults_come_in_one_go),
        cmocka_unit_test(wrong_thread_counts_are_faults),
        cmocka_unit_test(png_reads_back_the_same),
        cmocka_unit_test(png_that_cannot_be_written_is_a_fault),
        cmocka_unit_test(full_disk_keeps_the_old_png),
    };
    if (!mkdtemp(folder)) return 1;
    int failed = cmocka_run_group_tests(tests, setup, teardown);
    rmdir(folder);
    return failed;
}
