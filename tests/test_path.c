// Final pictures: no look makes or loses light (furnace), Beer's law, images through glass, the lens, the shutter, threads, and
// every way in which a request can be wrong. Noise bounds are stated where they are used; paths are the same in every run.
#include "coulis/picture.h"

#include "base/base.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include <stdio.h>
#include <unistd.h>

static couFaults faults;
static couRenderer *renderer;

static int setup(void **context)
{
    (void)context;
    renderer = couCreateRenderer(2, &faults);
    return renderer ? 0 : -1;
}

static int teardown(void **context)
{
    (void)context;
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

static couShape *make_sphere(float radius) { return make_shape((couShapeDef){.kind = cou_shapeSphere, .radius = radius}); }

static couPictureBody place(const couShape *shape, couVec3 at, couLook look)
{
    return (couPictureBody){.shape = shape, .pose = {at, {0, 0, 0, 1}}, .look = look};
}

// A plain picture: no denoiser, no limit of brightness.
static couPictureOptions plain_options(int width, int height, int paths)
{
    couPictureOptions options = couDefaultPictureOptions();
    options.quality = cou_qualityFinal;
    options.width = width;
    options.height = height;
    options.paths = paths;
    options.is_auto_camera = false;
    options.from = (couVec3){0, 0, 4};
    options.fov = 40;
    options.is_denoised = false;
    options.max_radiance = 0;
    return options;
}

static couLayers render_layers(couRenderer *with, const couPictureScene *scene, const couPictureOptions *options)
{
    couImage image;
    couLayers layers;
    if (!couRenderLayers(with, scene, options, &image, &layers, &faults))
        fail_msg("%s: %s", faults.items[0].key, faults.items[0].message);
    couFreeImage(&image);
    return layers;
}

static couPictureScene scene_of(const couPictureBody *bodies, int count)
{
    return (couPictureScene){.dimension = 3, .bodies = bodies, .body_count = count, .ground = NAN};
}

static float at(const couLayers *layers, int x, int y) { return layers->radiance[y * layers->width + x].y; }

// Mean of the green radiance over a rectangle.
static double mean_of(const couLayers *layers, int x0, int y0, int x1, int y1)
{
    double sum = 0;
    for (int y = y0; y < y1; ++y) {
        for (int x = x0; x < x1; ++x) sum += (double)at(layers, x, y);
    }
    return sum / ((x1 - x0) * (y1 - y0));
}

// A sphere as triangles, like those that surfaces are made of.
static couSurface make_ball(couVec3 centre, float radius, int rings)
{
    int columns = 2 * rings;
    couSurface ball = {.dimension = 3};
    ball.vertex_count = (size_t)((rings - 1) * columns + 2);
    ball.vertices = couAlloc(NULL, ball.vertex_count * sizeof(couVec3));
    ball.normals = couAlloc(NULL, ball.vertex_count * sizeof(couVec3));
    ball.indices = couAlloc(NULL, (size_t)(6 * columns * rings) * sizeof(uint32_t));
    size_t south = ball.vertex_count - 1;
    for (size_t v = 0; v < ball.vertex_count; ++v) {
        int ring = v == 0 ? 0 : v == south ? rings : 1 + ((int)v - 1) / columns, column = v == 0 ? 0 : ((int)v - 1) % columns;
        double tilt = COU_PI * ring / rings, turn = 2 * COU_PI * column / columns;
        ball.normals[v] = (couVec3){(float)(sin(tilt) * cos(turn)), (float)cos(tilt), (float)(sin(tilt) * sin(turn))};
        ball.vertices[v] = couMulAdd(centre, radius, ball.normals[v]);
    }
    for (int ring = 0; ring < rings; ++ring) {
        for (int column = 0; column < columns; ++column) {
            int next = (column + 1) % columns;
            uint32_t a = ring == 0 ? 0 : (uint32_t)(1 + (ring - 1) * columns + column);
            uint32_t b = ring == 0 ? 0 : (uint32_t)(1 + (ring - 1) * columns + next);
            uint32_t c = ring == rings - 1 ? (uint32_t)south : (uint32_t)(1 + ring * columns + column);
            uint32_t d = ring == rings - 1 ? (uint32_t)south : (uint32_t)(1 + ring * columns + next);
            uint32_t *corner = ball.indices + 3 * ball.element_count;
            if (ring > 0) corner[0] = a, corner[1] = b, corner[2] = c, ball.element_count++, corner += 3;
            if (ring < rings - 1) corner[0] = b, corner[1] = d, corner[2] = c, ball.element_count++;
        }
    }
    return ball;
}

static void free_ball(couSurface *ball)
{
    couFree(NULL, ball->vertices);
    couFree(NULL, ball->normals);
    couFree(NULL, ball->indices);
}

// --- Energy -----------------------------------------------------------------------------------------------------------------

static couLook white(float opacity, float roughness, float metalness)
{
    couLook look = couMakeLook((couVec3){1, 1, 1}, opacity);
    look.absorption = (couVec3){0, 0, 0};
    look.roughness = roughness;
    look.metalness = metalness;
    return look;
}

typedef struct Case {
    const char *name;
    couLook look;
    double bound;
} Case;

// In uniform light a thing that loses nothing cannot be seen. Mean over 24 x 24 pixels inside a sphere's outline, 64 paths
// each: bound 0.5 %, of which the tables of the looks take up to 0.2 %. In a diamond light is reflected inside a dozen times on
// average, and the table, which knows the critical angle to a cosine of 1/64 only, counts each time: 1 %. So is the bound of
// milky glass, for its noise.
static void test_lossless_sphere_disappears(void **context)
{
    (void)context;
    couLook milky = white(0.5f, 0, 0), dense = white(0.5f, 0.3f, 0);
    milky.scattering = 2;
    dense.refraction = 2.4f;
    const Case cases[] = {
        {"glossy paint", white(1, 0.05f, 0), 0.005},
        {"paint", white(1, 0.4f, 0), 0.005},
        {"matt paint", white(1, 1, 0), 0.005},
        {"mirror", white(1, 0, 1), 0.005},
        {"metal", white(1, 0.5f, 1), 0.005},
        {"rough metal", white(1, 1, 1), 0.005},
        {"half metal", white(1, 0.3f, 0.5f), 0.005},
        {"glass", white(0.5f, 0, 0), 0.005},
        {"frosted glass", white(0.5f, 0.4f, 0), 0.005},
        {"rough glass", white(0.5f, 0.9f, 0), 0.005},
        {"milky glass", milky, 0.01},
        {"rough diamond", dense, 0.01},
    };
    couShape *sphere = make_sphere(1);
    for (int i = 0; i < COU_COUNT(cases); ++i) {
        couPictureBody body = place(sphere, (couVec3){0, 0, 0}, cases[i].look);
        couPictureScene scene = scene_of(&body, 1);
        couPictureOptions options = plain_options(32, 32, 64);
        options.fov = 20;
        options.uniform_light = 0.7f;
        couLayers layers = render_layers(renderer, &scene, &options);
        double mean = mean_of(&layers, 4, 4, 28, 28);
        if (!(fabs(mean / 0.7 - 1) < cases[i].bound))
            fail_msg("%s: radiance %.5f of 0.7, bound %g", cases[i].name, mean, cases[i].bound);
        couFreeLayers(&layers);
    }
    couShape_Release(sphere);
}

// The same as triangles with smoothed normals, which must not darken at the rim: the whole picture is the background. Bound 1 %.
static void test_lossless_surface_disappears(void **context)
{
    (void)context;
    couSurface ball = make_ball((couVec3){0, 0, 0}, 1, 24);
    const Case cases[] = {
        {"paint", white(1, 0.4f, 0), 0.01}, {"metal", white(1, 0.5f, 1), 0.01}, {"glass", white(0.5f, 0, 0), 0.01}};
    for (int i = 0; i < COU_COUNT(cases); ++i) {
        couPictureSurface surface = {.surface = &ball, .look = cases[i].look};
        couPictureScene scene = {.dimension = 3, .surfaces = &surface, .surface_count = 1, .ground = NAN};
        couPictureOptions options = plain_options(64, 64, 64);
        options.uniform_light = 1;
        couLayers layers = render_layers(renderer, &scene, &options);
        double mean = mean_of(&layers, 0, 0, 64, 64);
        if (!(fabs(mean - 1) < cases[i].bound)) fail_msg("%s: radiance %.5f of 1, bound %g", cases[i].name, mean, cases[i].bound);
        couFreeLayers(&layers);
    }
    free_ball(&ball);
}

// Coloured things give back less than they get, in every pixel but for noise, and a white one between them changes nothing.
static void test_nothing_shines_by_itself(void **context)
{
    (void)context;
    couShape *sphere = make_sphere(0.8f);
    couLook looks[] = {white(1, 0.3f, 0), white(1, 0.3f, 1), white(0.5f, 0.3f, 0)};
    for (int i = 0; i < COU_COUNT(looks); ++i) {
        looks[i].color = (couVec3){0.6f, 0.5f, 0.4f};
        looks[i].absorption = (couVec3){0.3f, 0.4f, 0.5f};
        couPictureBody bodies[] = {place(sphere, (couVec3){-0.85f, 0, 0}, looks[i]),
                                   place(sphere, (couVec3){0.85f, 0, 0}, looks[i])};
        couPictureScene scene = scene_of(bodies, 2);
        couPictureOptions options = plain_options(64, 48, 128);
        options.uniform_light = 1;
        couLayers layers = render_layers(renderer, &scene, &options);
        for (int y = 0; y < 48; ++y) {
            for (int x = 0; x < 64; ++x) {
                // Weights differ from 1 for single paths; their mean over 128 is within 12 %.
                if (!(at(&layers, x, y) < 1.12f) || !(at(&layers, x, y) > 0.0f))
                    fail_msg("look %d: radiance %g at (%d, %d)", i, (double)at(&layers, x, y), x, y);
            }
        }
        double inside = mean_of(&layers, 12, 18, 24, 30);
        if (!(inside < 0.95) || !(inside > 0.2)) fail_msg("look %d: mean radiance %g of a coloured thing", i, inside);
        couFreeLayers(&layers);
    }
    couShape_Release(sphere);
}

// --- Clear matter -----------------------------------------------------------------------------------------------------------

// A slab of index 1 absorbs as exp(-sigma d) and does nothing else: Beer's law within 1 %, along slanted ways as well.
static void test_absorption_follows_beer(void **context)
{
    (void)context;
    const float thickness = 0.5f, sigma[3] = {0.5f, 2, 5};
    couShape *slab = make_shape((couShapeDef){.kind = cou_shapeBox, .size = {20, 20, thickness}});
    couLook look = couMakeLook((couVec3){1, 1, 1}, 0.5f);
    look.refraction = 1;
    look.absorption = (couVec3){sigma[0], sigma[1], sigma[2]};
    couPictureBody body = place(slab, (couVec3){0, 0, 0}, look);
    couPictureScene scene = scene_of(&body, 1);
    couPictureOptions options = plain_options(32, 32, 4);
    options.uniform_light = 1;
    for (int tilt = 0; tilt < 2; ++tilt) {
        double angle = tilt * 0.8;
        options.from = (couVec3){(float)(4 * sin(angle)), 0, (float)(4 * cos(angle))};
        options.fov = 2;
        couLayers layers = render_layers(renderer, &scene, &options);
        couVec3 got = layers.radiance[16 * 32 + 16];
        const float values[3] = {got.x, got.y, got.z};
        for (int c = 0; c < 3; ++c) {
            double expected = exp(-(double)sigma[c] * (double)thickness / cos(angle));
            if (!(fabs((double)values[c] / expected - 1) < 0.01))
                fail_msg("angle %g, sigma %g: %g instead of %g", angle, (double)sigma[c], (double)values[c], expected);
        }
        couFreeLayers(&layers);
    }
    couShape_Release(slab);
}

// Seen straight on, a slab of index n lets (1 - R) exp(-sigma d) through at each of two faces, with the light that goes to and
// fro: T = (1 - R)^2 A / (1 - R^2 A^2), and reflects the rest of the uniform light: R + R A^2 (1 - R)^2 / (1 - R^2 A^2).
static void test_glass_slab_has_its_exact_radiance(void **context)
{
    (void)context;
    const double thickness = 0.5, sigma = 1, n = 1.5, r = pow((n - 1) / (n + 1), 2), a = exp(-sigma * thickness);
    double through = (1 - r) * (1 - r) * a / (1 - r * r * a * a), back = r + r * a * a * (1 - r) * (1 - r) / (1 - r * r * a * a);
    couShape *slab = make_shape((couShapeDef){.kind = cou_shapeBox, .size = {20, 20, (float)thickness}});
    couLook look = couMakeLook((couVec3){1, 1, 1}, 0.5f);
    look.absorption = (couVec3){(float)sigma, (float)sigma, (float)sigma};
    couPictureBody body = place(slab, (couVec3){0, 0, 0}, look);
    couPictureScene scene = scene_of(&body, 1);
    couPictureOptions options = plain_options(32, 32, 64);
    options.uniform_light = 1;
    options.fov = 2;
    couLayers layers = render_layers(renderer, &scene, &options);
    double mean = mean_of(&layers, 0, 0, 32, 32);
    if (!(fabs(mean / (through + back) - 1) < 0.005)) fail_msg("radiance %g instead of %g", mean, through + back);
    couFreeLayers(&layers);
    couShape_Release(slab);
}

// A red ball up left and a blue one down right behind a glass sphere: through it they change places.
static void test_glass_sphere_turns_the_image_over(void **context)
{
    (void)context;
    couShape *lens = make_sphere(1), *ball = make_sphere(1.5f);
    couLook red = couMakeLook((couVec3){0.9f, 0.02f, 0.02f}, 1), blue = couMakeLook((couVec3){0.02f, 0.02f, 0.9f}, 1);
    couPictureBody bodies[] = {place(ball, (couVec3){-2, 2, -6}, red), place(ball, (couVec3){2, -2, -6}, blue),
                               place(lens, (couVec3){0, 0, 0}, white(0.5f, 0, 0))};
    couPictureOptions options = plain_options(96, 96, 32);
    options.uniform_light = 1;
    options.from = (couVec3){0, 0, 5};
    options.fov = 30;
    double up_left[2], down_right[2]; // red minus blue, without and with the lens
    for (int has_lens = 0; has_lens < 2; ++has_lens) {
        couPictureScene scene = scene_of(bodies, 2 + has_lens);
        couLayers layers = render_layers(renderer, &scene, &options);
        up_left[has_lens] = down_right[has_lens] = 0;
        for (int y = 0; y < 96; ++y) {
            for (int x = 0; x < 96; ++x) {
                // Inside the lens's outline of about 37 pixels.
                double dx = x - 47.5, dy = y - 47.5;
                couVec3 c = layers.radiance[y * 96 + x];
                if (dx * dx + dy * dy > 34 * 34) continue;
                if (dx < -4 && dy < -4) up_left[has_lens] += (double)(c.x - c.z);
                if (dx > 4 && dy > 4) down_right[has_lens] += (double)(c.x - c.z);
            }
        }
        couFreeLayers(&layers);
    }
    assert_true(up_left[0] > 50 && down_right[0] < -50);
    assert_true(up_left[1] < -10 && down_right[1] > 10);
    couShape_Release(lens);
    couShape_Release(ball);
}

// Water in a glass tank that its surface does not quite touch, or reaches into, looks as if it touched: no silvery gap.
static void test_gap_between_liquid_and_glass_is_filled(void **context)
{
    (void)context;
    couShape *inner = make_sphere(1);
    couShape *tank = make_shape((couShapeDef){.kind = cou_shapeShell, .children = &inner, .child_count = 1, .thickness = 0.1f});
    couLook glass = white(0.5f, 0, 0), water = white(0.5f, 0, 0);
    water.refraction = 1.33f;
    water.absorption = (couVec3){0.5f, 0.5f, 0.5f};
    const float radii[] = {0.97f, 1.03f}; // the tank is hollow up to 1
    double means[3];
    for (int i = 0; i < 3; ++i) {
        couSurface ball = make_ball((couVec3){0, 0, 0}, radii[i % 2], 48);
        couPictureSurface surface = {.surface = &ball, .look = water, .gap = i == 2 ? 0 : 0.05f};
        couPictureBody body = place(tank, (couVec3){0, 0, 0}, glass);
        couPictureScene scene = {
            .dimension = 3, .bodies = &body, .body_count = 1, .surfaces = &surface, .surface_count = 1, .ground = NAN};
        couPictureOptions options = plain_options(64, 64, 64);
        options.uniform_light = 1;
        couLayers layers = render_layers(renderer, &scene, &options);
        // Near the rim, where a gap of air would reflect everything before the water dims it.
        means[i] = mean_of(&layers, 12, 30, 16, 34);
        couFreeLayers(&layers);
        free_ball(&ball);
    }
    if (!(fabs(means[0] / means[1] - 1) < 0.05)) fail_msg("radiance with a gap %g, without %g", means[0], means[1]);
    if (!(means[2] > 1.06 * means[1])) fail_msg("radiance with a gap of air %g, without %g", means[2], means[1]);
    couShape_Release(tank);
    couShape_Release(inner);
}

// --- Camera -----------------------------------------------------------------------------------------------------------------

// Steepest change between neighbours of a row.
static double steepest(const couLayers *layers, int y)
{
    double most = 0;
    for (int x = 1; x < layers->width; ++x) most = COU_MAX(most, fabs((double)(at(layers, x, y) - at(layers, x - 1, y))));
    return most;
}

static void test_lens_blurs_what_is_out_of_focus(void **context)
{
    (void)context;
    couShape *sphere = make_sphere(0.5f);
    couLook black = couMakeLook((couVec3){0, 0, 0}, 1);
    couPictureBody body = place(sphere, (couVec3){0, 0, 0}, black);
    couPictureScene scene = scene_of(&body, 1);
    couPictureOptions options = plain_options(96, 64, 64);
    options.uniform_light = 1;
    couLayers sharp = render_layers(renderer, &scene, &options);
    options.aperture = 0.4f; // focused on `to`, where the sphere is
    couLayers focused = render_layers(renderer, &scene, &options);
    options.focus_distance = 2;
    couLayers blurred = render_layers(renderer, &scene, &options);
    assert_true(steepest(&sharp, 32) > 0.3);
    assert_true(steepest(&focused, 32) > 0.6 * steepest(&sharp, 32));
    assert_true(steepest(&blurred, 32) < 0.3 * steepest(&sharp, 32));
    // Blur moves light, it does not make any: the dark area stays the same.
    double a = mean_of(&sharp, 0, 0, 96, 64), b = mean_of(&blurred, 0, 0, 96, 64);
    assert_true(fabs(a - b) < 0.05 * (1 - a));
    couFreeLayers(&sharp);
    couFreeLayers(&focused);
    couFreeLayers(&blurred);
    couShape_Release(sphere);
}

// Extents of what is darker than the background, in pixels.
static void dark_extent(const couLayers *layers, double threshold, int *wide, int *high)
{
    int left = layers->width, right = -1, top = layers->height, bottom = -1;
    for (int y = 0; y < layers->height; ++y) {
        for (int x = 0; x < layers->width; ++x) {
            if ((double)at(layers, x, y) > threshold) continue;
            left = COU_MIN(left, x), right = COU_MAX(right, x), top = COU_MIN(top, y), bottom = COU_MAX(bottom, y);
        }
    }
    *wide = right - left + 1;
    *high = bottom - top + 1;
}

// A body, a particle and a surface that move along x smear along x by their way, and not along y.
static void test_shutter_smears_along_the_velocity(void **context)
{
    (void)context;
    const couVec3 velocity = {4, 0, 0}, position = {0, 0, 0};
    couShape *sphere = make_sphere(0.25f);
    couSurface ball = make_ball(position, 0.25f, 16);
    ball.velocities = couAlloc(NULL, ball.vertex_count * sizeof(couVec3));
    for (size_t v = 0; v < ball.vertex_count; ++v) ball.velocities[v] = velocity;
    couLook black = couMakeLook((couVec3){0, 0, 0}, 1);
    couPictureBody body = place(sphere, position, black);
    body.velocity = velocity;
    couPictureSurface surface = {.surface = &ball, .look = black};
    const couVec3 color = {0, 0, 0};
    couPictureScene scenes[3] = {scene_of(&body, 1), scene_of(NULL, 0), scene_of(NULL, 0)};
    scenes[1].surfaces = &surface, scenes[1].surface_count = 1;
    scenes[2].positions = &position, scenes[2].velocities = &velocity, scenes[2].particle_count = 1, scenes[2].radius = 0.25f;
    scenes[2].colors = &color, scenes[2].material_count = 1;
    for (int i = 0; i < 3; ++i) {
        couPictureOptions options = plain_options(128, 64, 64);
        options.uniform_light = 1;
        int wide[2], high[2];
        for (int is_open = 0; is_open < 2; ++is_open) {
            options.shutter = is_open ? 0.5f : 0;
            options.frame_time = 0.25f; // 0.5 m in half a frame: as far as the sphere is wide
            couLayers layers = render_layers(renderer, &scenes[i], &options);
            dark_extent(&layers, 0.9, &wide[is_open], &high[is_open]);
            couFreeLayers(&layers);
        }
        if (abs(wide[1] - 2 * wide[0]) > 4 || abs(high[1] - high[0]) > 2)
            fail_msg("scene %d: %d x %d pixels still, %d x %d moving", i, wide[0], high[0], wide[1], high[1]);
    }
    couFree(NULL, ball.velocities);
    free_ball(&ball);
    couShape_Release(sphere);
}

// A cross that spins about the view's axis sweeps a disc; still, it leaves the corners between its arms free.
static void test_shutter_smears_a_spin(void **context)
{
    (void)context;
    couShape *bar = make_shape((couShapeDef){.kind = cou_shapeBox, .size = {1.2f, 0.2f, 0.2f}});
    couPictureBody body = place(bar, (couVec3){0, 0, 0}, couMakeLook((couVec3){0, 0, 0}, 1));
    body.spin = (couVec3){0, 0, (float)COU_PI};
    couPictureScene scene = scene_of(&body, 1);
    couPictureOptions options = plain_options(64, 64, 64);
    options.uniform_light = 1;
    options.frame_time = 1; // half a turn
    couLayers still = render_layers(renderer, &scene, &options);
    options.shutter = 1;
    couLayers turning = render_layers(renderer, &scene, &options);
    assert_true(at(&still, 32, 22) > 0.99f);
    assert_true(at(&turning, 32, 22) < 0.9f);
    assert_true(at(&turning, 32, 22) > 0.3f);
    couFreeLayers(&still);
    couFreeLayers(&turning);
    couShape_Release(bar);
}

// --- Whole pictures ---------------------------------------------------------------------------------------------------------

// Everything at once, in daylight.
static couPictureScene rich_scene(couPictureBody bodies[4], couPictureSurface *surface, const couShape *sphere,
                                  const couSurface *ball)
{
    couLook frosted = white(0.5f, 0.3f, 0), milky = white(0.5f, 0.1f, 0);
    milky.scattering = 5;
    bodies[0] = place(sphere, (couVec3){-0.7f, 0.3f, 0}, couMakeLook((couVec3){0.7f, 0.1f, 0.1f}, 1));
    bodies[1] = place(sphere, (couVec3){0, 0.3f, 0}, white(1, 0.2f, 1));
    bodies[2] = place(sphere, (couVec3){0.7f, 0.3f, 0}, frosted);
    bodies[3] = place(sphere, (couVec3){0.35f, 0.3f, -0.7f}, milky);
    *surface = (couPictureSurface){.surface = ball, .look = white(0.5f, 0, 0), .gap = 0.02f};
    return (couPictureScene){
        .dimension = 3, .bodies = bodies, .body_count = 4, .surfaces = surface, .surface_count = 1, .ground = 0};
}

static void test_picture_does_not_depend_on_threads(void **context)
{
    (void)context;
    couPictureBody bodies[4];
    couPictureSurface surface;
    couShape *sphere = make_sphere(0.3f);
    couSurface ball = make_ball((couVec3){-0.35f, 0.3f, 0.6f}, 0.29f, 16);
    couPictureScene scene = rich_scene(bodies, &surface, sphere, &ball);
    couPictureOptions options = plain_options(96, 64, 32);
    options.from = (couVec3){0, 1.2f, 2.4f}, options.to = (couVec3){0, 0.3f, 0};
    options.is_denoised = true;
    options.aperture = 0.02f;
    size_t bytes = (size_t)(96 * 64) * sizeof(couVec3);
    couLayers first = {0};
    for (int threads = 1; threads <= 4; ++threads) {
        couRenderer *with = couCreateRenderer(threads, &faults);
        assert_non_null(with);
        couLayers layers = render_layers(with, &scene, &options);
        if (threads == 1) {
            first = layers;
        } else {
            assert_memory_equal(layers.radiance, first.radiance, bytes);
            assert_memory_equal(layers.normal, first.normal, bytes);
            couFreeLayers(&layers);
        }
        couDestroyRenderer(with);
    }
    // Another seed gives other grain.
    options.seed = 1;
    couLayers other = render_layers(renderer, &scene, &options);
    assert_memory_not_equal(other.radiance, first.radiance, bytes);
    couFreeLayers(&other);
    couFreeLayers(&first);
    free_ball(&ball);
    couShape_Release(sphere);
}

// Root mean square of the difference, as film sees it: highlights bend towards 1.
static double distance_between(const couLayers *a, const couLayers *b)
{
    double sum = 0;
    for (int i = 0; i < a->width * a->height; ++i) {
        double x = (double)a->radiance[i].y, y = (double)b->radiance[i].y, d = x / (1 + x) - y / (1 + y);
        sum += d * d;
    }
    return sqrt(sum / (a->width * a->height));
}

// The denoised picture of 8 paths is nearer to that of 256 than what it was made of: 0.6 times as far at most; and it keeps the
// mean light.
static void test_denoiser_comes_nearer_to_the_truth(void **context)
{
    (void)context;
    couPictureBody bodies[4];
    couPictureSurface surface;
    couShape *sphere = make_sphere(0.3f);
    couSurface ball = make_ball((couVec3){-0.35f, 0.3f, 0.6f}, 0.29f, 24);
    couPictureScene scene = rich_scene(bodies, &surface, sphere, &ball);
    couPictureOptions options = plain_options(96, 64, 256);
    options.from = (couVec3){0, 1.2f, 2.4f}, options.to = (couVec3){0, 0.3f, 0};
    options.max_radiance = 4;
    couLayers truth = render_layers(renderer, &scene, &options);
    options.paths = 8;
    options.seed = 7;
    couLayers noisy = render_layers(renderer, &scene, &options);
    options.is_denoised = true;
    couLayers clean = render_layers(renderer, &scene, &options);
    double before = distance_between(&noisy, &truth), after = distance_between(&clean, &truth);
    if (!(after < 0.6 * before)) fail_msg("error %g before, %g after", before, after);
    double a = mean_of(&noisy, 0, 0, 96, 64), b = mean_of(&clean, 0, 0, 96, 64);
    if (!(fabs(a / b - 1) < 0.03)) fail_msg("mean light %g before, %g after", a, b);
    couFreeLayers(&truth);
    couFreeLayers(&noisy);
    couFreeLayers(&clean);
    free_ball(&ball);
    couShape_Release(sphere);
}

// Blocks whose noise the denoiser takes out anyway stop early: without a limit worth the name all of them after 16 paths, with
// the default the picture is about as near to the truth as with all paths.
static void test_clean_blocks_stop(void **context)
{
    (void)context;
    couPictureBody bodies[4];
    couPictureSurface surface;
    couShape *sphere = make_sphere(0.3f);
    couSurface ball = make_ball((couVec3){-0.35f, 0.3f, 0.6f}, 0.29f, 24);
    couPictureScene scene = rich_scene(bodies, &surface, sphere, &ball);
    couPictureOptions options = plain_options(100, 66, 512); // not of whole blocks
    options.from = (couVec3){0, 1.2f, 2.4f}, options.to = (couVec3){0, 0.3f, 0};
    options.max_radiance = 4;
    couLayers truth = render_layers(renderer, &scene, &options);
    options.paths = 64;
    options.seed = 7;
    options.is_denoised = true;
    couLayers early = render_layers(renderer, &scene, &options);
    options.max_grain = 0;
    couLayers full = render_layers(renderer, &scene, &options);
    options.max_grain = 1e6f;
    couLayers first = render_layers(renderer, &scene, &options);
    options.max_grain = 0, options.paths = 16;
    couLayers sixteen = render_layers(renderer, &scene, &options);
    assert_memory_equal(first.radiance, sixteen.radiance, 100 * 66 * sizeof(couVec3));
    double all = distance_between(&full, &truth), some = distance_between(&early, &truth);
    if (!(some < 1.1 * all)) fail_msg("error %g with all paths, %g with those that are needed", all, some);
    assert_memory_not_equal(early.radiance, full.radiance, 100 * 66 * sizeof(couVec3));
    couLayers *const layers[] = {&truth, &early, &full, &first, &sixteen};
    for (int i = 0; i < 5; ++i) couFreeLayers(layers[i]);
    free_ball(&ball);
    couShape_Release(sphere);
}

// Glass throws a light shadow, paint a dark one.
static void test_clear_matter_throws_no_black_shadow(void **context)
{
    (void)context;
    couShape *sphere = make_sphere(0.3f);
    double shadow[3];
    for (int i = 0; i < 3; ++i) {
        couLook look = i == 1 ? white(0.5f, 0, 0) : couMakeLook((couVec3){0.5f, 0.5f, 0.5f}, i == 0 ? 0 : 1);
        couPictureBody body = place(sphere, (couVec3){0, 1, 0}, look);
        couPictureScene scene = scene_of(&body, 1);
        scene.ground = 0;
        couPictureOptions options = plain_options(32, 32, 64);
        // Where the sun's ray through the sphere's centre meets the ground.
        options.to = (couVec3){0.5298129f / 0.741738f, 0, -0.411488f / 0.741738f};
        options.from = couAdd(options.to, (couVec3){3, 3, -1});
        options.fov = 2;
        couLayers layers = render_layers(renderer, &scene, &options);
        shadow[i] = mean_of(&layers, 8, 8, 24, 24);
        couFreeLayers(&layers);
    }
    if (!(shadow[1] > 0.75 * shadow[0]) || !(shadow[1] <= 1.05 * shadow[0])) fail_msg("glass: %g of %g", shadow[1], shadow[0]);
    if (!(shadow[2] < 0.55 * shadow[0])) fail_msg("paint: %g of %g", shadow[2], shadow[0]);
    couShape_Release(sphere);
}

static void test_layers_say_where_things_are(void **context)
{
    (void)context;
    couShape *sphere = make_sphere(0.5f);
    couPictureBody body = place(sphere, (couVec3){0, 0, 0}, couMakeLook((couVec3){0.2f, 0.4f, 0.6f}, 1));
    couPictureScene scene = scene_of(&body, 1);
    couPictureOptions options = plain_options(65, 65, 16);
    couLayers layers = render_layers(renderer, &scene, &options);
    int centre = 32 * 65 + 32;
    assert_true(fabsf(layers.depth[centre] - 3.5f) < 0.01f);
    assert_true(layers.normal[centre].z > 0.99f);
    assert_true(fabsf(layers.albedo[centre].x - 0.2f) < 1e-3f && fabsf(layers.albedo[centre].z - 0.6f) < 1e-3f);
    assert_true(isinf(layers.depth[0]));
    assert_true(couLength(layers.normal[0]) == 0.0f);
    couFreeLayers(&layers);
    couShape_Release(sphere);
}

static void test_hostile_looks_and_surfaces_give_a_picture(void **context)
{
    (void)context;
    couShape *sphere = make_sphere(0.5f);
    const couLook looks[] = {
        {.color = {NAN, NAN, NAN}, .opacity = 1, .refraction = NAN, .roughness = NAN, .metalness = NAN},
        {.color = {9, -9, INFINITY}, .opacity = 0.5f, .absorption = {-1, INFINITY, NAN}, .refraction = -1, .roughness = -3},
        {.color = {1, 1, 1}, .opacity = 0.5f, .scattering = INFINITY, .refraction = INFINITY, .roughness = 7, .metalness = 0},
        {.color = {0, 0, 0}, .opacity = NAN},
    };
    couSurface ball = make_ball((couVec3){0.5f, 0, 0}, 0.4f, 8), empty = {.dimension = 3};
    ball.vertices[5] = (couVec3){NAN, 0, 0};
    ball.normals[9] = (couVec3){0, 0, 0};
    for (int i = 0; i < COU_COUNT(looks); ++i) {
        couPictureBody body = place(sphere, (couVec3){0, 0, 0}, looks[i]);
        body.velocity = (couVec3){NAN, 0, 0};
        couPictureSurface surfaces[] = {{.surface = &ball, .look = looks[i], .gap = NAN}, {.surface = &empty, .look = looks[i]}};
        couPictureScene scene = scene_of(&body, 1);
        scene.surfaces = surfaces, scene.surface_count = 2;
        scene.ground = -0.5f;
        couPictureOptions options = plain_options(32, 32, 4);
        options.shutter = 1;
        couLayers layers = render_layers(renderer, &scene, &options);
        for (int k = 0; k < 32 * 32; ++k) assert_true(couIsFinite3(layers.radiance[k]));
        couFreeLayers(&layers);
    }
    free_ball(&ball);
    couShape_Release(sphere);
}

// --- Faults -----------------------------------------------------------------------------------------------------------------

static void assert_fault(const couPictureScene *scene, const couPictureOptions *options, const char *key)
{
    couImage image;
    couLayers layers;
    bool is_drawn = couRenderLayers(renderer, scene, options, &image, &layers, &faults);
    if (is_drawn || faults.count != 1 || strcmp(faults.items[0].key, key) != 0)
        fail_msg("expected a fault of %s, got %d, first %s: %s", key, faults.count, faults.count ? faults.items[0].key : "",
                 faults.count ? faults.items[0].message : "");
    assert_null(image.rgb);
    assert_null(layers.radiance);
    couFaults_Clear(&faults);
}

static void test_wrong_requests_are_faults(void **context)
{
    (void)context;
    couPictureScene scene = scene_of(NULL, 0);
    const couPictureOptions good = plain_options(32, 32, 1);
    couPictureOptions o = good;
#define EXPECT(field, value, key) \
    o = good; \
    o.field = value; \
    assert_fault(&scene, &o, key)
    EXPECT(paths, 0, "picture.paths");
    EXPECT(paths, -1, "picture.paths");
    EXPECT(paths, 65537, "picture.paths");
    EXPECT(quality, 3, "picture.quality");
    EXPECT(quality, -1, "picture.quality");
    EXPECT(quality, cou_qualityPreview, "picture.quality"); // has no layers
    EXPECT(from.x, NAN, "camera.from");
    EXPECT(to, good.from, "camera.from");
    EXPECT(fov, 151, "camera.fov");
    EXPECT(fov, NAN, "camera.fov");
    EXPECT(aperture, -1, "camera.aperture");
    EXPECT(aperture, NAN, "camera.aperture");
    EXPECT(focus_distance, -1, "camera.focus_distance");
    EXPECT(shutter, 1.5f, "picture.shutter");
    EXPECT(shutter, NAN, "picture.shutter");
    EXPECT(max_grain, -1, "picture.max_grain");
    EXPECT(max_radiance, -1, "picture.max_radiance");
    EXPECT(uniform_light, NAN, "picture.uniform_light");
#undef EXPECT
    o = good;
    o.shutter = 0.5f;
    o.frame_time = 0;
    assert_fault(&scene, &o, "picture.frame_time");
    scene.surface_count = 1;
    assert_fault(&scene, &good, "picture.surfaces");
    couSurface flat = {.dimension = 2};
    couPictureSurface surface = {.surface = &flat};
    scene.surfaces = &surface;
    assert_fault(&scene, &good, "picture.surfaces");
}

// --- PFM --------------------------------------------------------------------------------------------------------------------

static void test_pfm_reads_back_the_same(void **context)
{
    (void)context;
    const float values[2 * 3 * 3] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 1e30f, -1, 0.1f, 0.2f, 0.3f, 0.4f, INFINITY, 1e-40f};
    const char *path = "test_path.pfm";
    for (int channels = 1; channels <= 3; channels += 2) {
        assert_true(couWritePfm(path, 2, 3, channels, values, &faults));
        FILE *file = fopen(path, "rb");
        assert_non_null(file);
        char kind[3];
        int width, height, row = 2 * channels;
        float scale, read[18];
        assert_int_equal(fscanf(file, "%2s %d %d %f", kind, &width, &height, &scale), 4);
        assert_int_equal(fgetc(file), '\n');
        assert_string_equal(kind, channels == 3 ? "PF" : "Pf");
        assert_int_equal(width, 2);
        assert_int_equal(height, 3);
        assert_true(scale == -1.0f);
        assert_int_equal(fread(read, sizeof(float), 18, file), (size_t)(3 * row));
        for (int y = 0; y < 3; ++y) assert_memory_equal(read + (2 - y) * row, values + y * row, (size_t)row * sizeof(float));
        fclose(file);
    }
    unlink(path);
    assert_false(couWritePfm(path, 2, 3, 2, values, &faults));
    assert_false(couWritePfm(path, 0, 3, 1, values, &faults));
    assert_false(couWritePfm("no-such-folder/a.pfm", 2, 3, 1, values, &faults));
    assert_int_equal(faults.count, 3);
    assert_int_not_equal(access(path, F_OK), 0);
    couFaults_Clear(&faults);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lossless_sphere_disappears),
        cmocka_unit_test(test_lossless_surface_disappears),
        cmocka_unit_test(test_nothing_shines_by_itself),
        cmocka_unit_test(test_absorption_follows_beer),
        cmocka_unit_test(test_glass_slab_has_its_exact_radiance),
        cmocka_unit_test(test_glass_sphere_turns_the_image_over),
        cmocka_unit_test(test_gap_between_liquid_and_glass_is_filled),
        cmocka_unit_test(test_lens_blurs_what_is_out_of_focus),
        cmocka_unit_test(test_shutter_smears_along_the_velocity),
        cmocka_unit_test(test_shutter_smears_a_spin),
        cmocka_unit_test(test_picture_does_not_depend_on_threads),
        cmocka_unit_test(test_denoiser_comes_nearer_to_the_truth),
        cmocka_unit_test(test_clean_blocks_stop),
        cmocka_unit_test(test_clear_matter_throws_no_black_shadow),
        cmocka_unit_test(test_layers_say_where_things_are),
        cmocka_unit_test(test_hostile_looks_and_surfaces_give_a_picture),
        cmocka_unit_test(test_wrong_requests_are_faults),
        cmocka_unit_test(test_pfm_reads_back_the_same),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
