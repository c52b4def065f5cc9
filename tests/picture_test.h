/// What the tests of pictures share: a renderer, small scenes, patches of colour.
#pragma once

#include "coulis/picture.h"

#include "base/base.h"
#include "render/light.h"
#include "render/view.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define WIDTH 400
#define HEIGHT 300

static const couVec3 red __attribute__((unused)) = {0.9f, 0.02f, 0.02f};
static const couVec3 blue __attribute__((unused)) = {0.03f, 0.08f, 0.9f};

static couFaults faults;
static couRenderer *renderer;

static inline int setup(void **context)
{
    (void)context;
    renderer = couCreateRenderer(2, &faults);
    return renderer ? 0 : -1;
}

static inline int teardown(void **context)
{
    (void)context;
    couDestroyRenderer(renderer);
    couFaults_Clear(&faults);
    return 0;
}

static inline couShape *make_shape(couShapeDef def)
{
    couShape *shape = couCreateShape(&def, &faults);
    assert_non_null(shape);
    return shape;
}

static inline couPictureScene make_scene(const couVec3 *positions, size_t count, float radius)
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

static inline couPictureOptions look_from(couVec3 from, couVec3 to)
{
    return (couPictureOptions){
        .width = WIDTH, .height = HEIGHT, .from = from, .to = to, .fov = 40, .samples = 2, .frame = {{1, 1, 1}, {-1, -1, -1}}};
}

static inline couImage render_with(couRenderer *with, const couPictureScene *scene, const couPictureOptions *options)
{
    couImage image;
    if (!couRenderPicture(with, scene, options, &image, &faults))
        fail_msg("%s: %s", faults.items[0].key, faults.items[0].message);
    assert_int_equal(image.width, options->width);
    assert_int_equal(image.height, options->height);
    assert_int_equal(faults.count, 0);
    return image;
}

static inline couImage render(const couPictureScene *scene, const couPictureOptions *options)
{
    return render_with(renderer, scene, options);
}

static inline const uint8_t *pixel(const couImage *image, int x, int y) { return image->rgb + 3 * (y * image->width + x); }
// The sky has more blue than red, but not much, also where a rim mirrors it.
static inline bool is_red(const uint8_t *p) { return p[0] > p[2] + 30; }
static inline bool is_blue(const uint8_t *p) { return p[2] > p[0] + 50; }
static inline int brightness(const uint8_t *p) { return p[0] + p[1] + p[2]; }

static inline size_t image_bytes(const couImage *image) { return 3 * (size_t)image->width * (size_t)image->height; }

static inline bool is_same(const couImage *a, const couImage *b)
{
    return a->width == b->width && a->height == b->height && memcmp(a->rgb, b->rgb, image_bytes(a)) == 0;
}

static inline void assert_same(couImage a, couImage b)
{
    assert_true(is_same(&a, &b));
    couFreeImage(&a);
    couFreeImage(&b);
}

// Where a test camera (look_from) shows a point [pixels].
static inline void project(const couPictureOptions *options, couVec3 p, double *x, double *y)
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

static inline Patch find_patch(const couImage *image, bool (*is_member)(const uint8_t *))
{
    Patch patch = {.left = image->width, .right = -1, .top = image->height, .bottom = -1};
    for (int y = 0; y < image->height; ++y) {
        for (int x = 0; x < image->width; ++x) {
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

static inline void assert_near(double got, double expected, double tolerance, const char *what)
{
    if (!(fabs(got - expected) <= tolerance)) fail_msg("%s: expected %g, got %g, tolerance %g", what, expected, got, tolerance);
}

// A disc of this radius around this centre, within a pixel at every side.
static inline void assert_disc(Patch patch, double x, double y, double radius)
{
    assert_near(patch.x, x, 0.5, "centre x");
    assert_near(patch.y, y, 0.5, "centre y");
    assert_near(sqrt(patch.count / COU_PI), radius, 1.0, "radius by area");
    assert_near(0.5 * (patch.right - patch.left + 1), radius, 1.0, "half width");
    assert_near(0.5 * (patch.bottom - patch.top + 1), radius, 1.0, "half height");
}
