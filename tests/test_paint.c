// Colours by a number: maps that rise evenly in lightness, scales at round numbers, painted particles and surfaces.
#include "picture_test.h"
#include "render/legend.h"
#include "render/paint.h"

// CIE L*, 0 to 100, of a display colour.
static double lightness(couVec3 c)
{
    const float in[3] = {c.x, c.y, c.z};
    double linear[3];
    for (int k = 0; k < 3; ++k) linear[k] = in[k] <= 0.04045f ? (double)in[k] / 12.92 : pow(((double)in[k] + 0.055) / 1.055, 2.4);
    double y = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
    return y > 0.008856 ? 116 * cbrt(y) - 16 : 903.3 * y;
}

static void test_maps_rise_in_lightness(void **context)
{
    (void)context;
    const int maps[] = {cou_mapViridis, cou_mapInferno, cou_mapGray};
    for (int k = 0; k < 3; ++k) {
        double low = lightness(couColorMap_At(maps[k], 0)), high = lightness(couColorMap_At(maps[k], 1)), before = low - 1e-9;
        assert_true(high - low > 70);
        for (int i = 0; i <= 200; ++i) {
            double t = i / 200.0, now = lightness(couColorMap_At(maps[k], (float)t));
            if (!(now > before)) fail_msg("map %d: lightness %g after %g at %g", maps[k], now, before, t);
            // Evenly: nowhere far from the straight line.
            if (fabs(now - (low + t * (high - low))) > 6)
                fail_msg("map %d: lightness %g at %g, from %g to %g", maps[k], now, t, low, high);
            before = now;
        }
    }
    // Blue and red are equally light, the middle is grey and lighter.
    couVec3 cold = couColorMap_At(cou_mapCoolwarm, 0), warm = couColorMap_At(cou_mapCoolwarm, 1);
    couVec3 middle = couColorMap_At(cou_mapCoolwarm, 0.5f);
    assert_true(cold.z > cold.x && warm.x > warm.z && middle.x == middle.y && middle.y == middle.z);
    assert_true(fabs(lightness(cold) - lightness(warm)) < 3 && lightness(middle) > lightness(warm) + 30);
    assert_true(couColorMap_At(0, -5).x == couColorMap_At(0, 0).x && couColorMap_At(0, 9).x == couColorMap_At(0, 1).x);
    assert_true(isfinite(couColorMap_At(0, NAN).x));
}

static void expect_scale(float low, float high, float given_low, float given_high, double expected_low, double expected_high)
{
    couColors colors = couDefaultColors();
    colors.low = given_low, colors.high = given_high;
    couColorRange range = {low, high};
    couColorRange_Settle(&range, &colors);
    bool is_good = fabs((double)colors.low - expected_low) <= 1e-6 * (1 + fabs(expected_low)) &&
                   fabs((double)colors.high - expected_high) <= 1e-6 * (1 + fabs(expected_high)) && colors.low < colors.high;
    if (!is_good)
        fail_msg("scale of %g to %g: expected %g to %g, got %g to %g", (double)low, (double)high, expected_low, expected_high,
                 (double)colors.low, (double)colors.high);
}

static void test_scales_end_at_round_numbers(void **context)
{
    (void)context;
    expect_scale(0.03f, 2.8f, NAN, NAN, 0, 3);
    expect_scale(-480, 9300, NAN, NAN, -2000, 10000);
    expect_scale(0.991f, 1.012f, NAN, NAN, 0.99, 1.015);
    expect_scale(0.03f, 2.8f, 1, NAN, 1, 3); // one end given
    expect_scale(0.03f, 2.8f, 0.25f, 0.5f, 0.25, 0.5);
    // Nothing seen, all alike, all beyond the end that was given: still a scale.
    expect_scale(INFINITY, -INFINITY, NAN, NAN, 0, 1);
    couColors colors = couDefaultColors();
    couColorRange alike = {3, 3};
    couColorRange_Settle(&alike, &colors);
    assert_true(colors.low < 3 && colors.high > 3 && colors.high - colors.low < 0.2f);
    colors = couDefaultColors();
    colors.low = 10;
    couColorRange_Settle(&alike, &colors);
    assert_true(colors.low == 10 && colors.high > 10);
    for (double x = 1e-9; x < 1e9; x *= 1.37) {
        double steps = x / couNiceStep(0, x);
        if (!(steps >= 3 && steps <= 10)) fail_msg("%g steps to %g", steps, x);
    }
}

static void test_stray_numbers_do_not_count(void **context)
{
    (void)context;
    static float values[1000];
    for (int i = 0; i < 1000; ++i) values[i] = (float)i / 1000;
    values[17] = 1e9f, values[500] = NAN, values[501] = -INFINITY;
    couColorRange range = couNoRange();
    couColorRange_Include(&range, values, 0);
    assert_true(range.low > range.high);
    couColorRange_Include(&range, values, 1000);
    assert_true(range.low >= 0 && range.low < 0.02f && range.high > 0.97f && range.high <= 1);
    const float later[] = {-4, -4, -4};
    couColorRange_Include(&range, later, 3);
    assert_true(range.low == -4 && range.high > 0.97f);
}

// Three balls in a row: slow blue, a material's own, fast red.
static void test_particles_have_their_colors(void **context)
{
    (void)context;
    const couVec3 positions[] = {{-0.5f, 0, 0}, {0, 0, 0}, {0.5f, 0, 0}};
    couColors colors = couDefaultColors();
    colors.map = cou_mapCoolwarm, colors.low = 1, colors.high = 3;
    couVec3 painted[3];
    const float values[] = {1, 2, 3};
    couPaintValues(&colors, values, 3, painted);
    painted[1].x = NAN;
    for (int dimension = 2; dimension <= 3; ++dimension) {
        couPictureScene scene = make_scene(positions, 3, 0.1f);
        const couVec3 green = {0.05f, 0.6f, 0.05f};
        scene.colors = &green, scene.material_count = 1, scene.opacities = NULL;
        scene.dimension = dimension;
        scene.particle_colors = painted;
        couPictureOptions options = look_from((couVec3){0, 0, 2.5f}, (couVec3){0, 0, 0});
        options.frame = (couBounds){{-1, -0.75f, 0}, {1, 0.75f, 0}};
        couImage image = render(&scene, &options);
        int step = dimension == 2 ? (int)(0.5 * 0.94 * HEIGHT / 1.5) : (int)(0.2 * HEIGHT / tan(17.5 * COU_PI / 180) * 0.5);
        const uint8_t *left = pixel(&image, WIDTH / 2 - step, HEIGHT / 2), *middle = pixel(&image, WIDTH / 2, HEIGHT / 2);
        const uint8_t *right = pixel(&image, WIDTH / 2 + step, HEIGHT / 2);
        if (!(left[2] > left[0] + 60 && middle[1] > middle[0] + 60 && right[0] > right[2] + 60))
            fail_msg("%dD: %d %d %d, %d %d %d, %d %d %d", dimension, left[0], left[1], left[2], middle[0], middle[1], middle[2],
                     right[0], right[1], right[2]);
        couFreeImage(&image);
    }
}

static void test_surfaces_take_the_nearest_number(void **context)
{
    (void)context;
    couVec3 positions[2000];
    float values[2000];
    for (int i = 0; i < 2000; ++i) {
        positions[i] = (couVec3){0.1f * (float)(i % 20), 0.1f * (float)(i / 20 % 10), 0.1f * (float)(i / 200)};
        values[i] = positions[i].x;
    }
    couSurfaceDef def = couDefaultSurfaceDef();
    def.spacing = 0.1f;
    couSurfacePoints points = {.dimension = 3, .count = 2000, .positions = positions};
    couSurface surface;
    assert_true(couBuildSurface(&def, &points, &surface, &faults));
    couColors colors = couDefaultColors();
    colors.map = cou_mapGray, colors.low = 0, colors.high = 1.9f;
    assert_true(couPaintSurface(&colors, values, &surface));
    for (size_t v = 0; v < surface.vertex_count; ++v) {
        double x = COU_CLAMP((double)surface.vertices[v].x, 0.0, 1.9);
        couVec3 display = couColorMap_At(cou_mapGray, (float)(x / 1.9));
        double expected = pow(((double)display.x + 0.055) / 1.055, 2.4), got = (double)surface.colors[v].x;
        // Within three quarters of a spacing along x.
        if (fabs(got - expected) > 0.09) fail_msg("vertex %zu at %g m: expected %g, got %g", v, x, expected, got);
    }
    couSurface_Clear(&surface);
}

static void test_legend_shows_the_map(void **context)
{
    (void)context;
    couImage image = {.width = 640, .height = 360, .rgb = couAlloc(NULL, 640 * 360 * 3)};
    memset(image.rgb, 200, 640 * 360 * 3);
    couLegend legend = {.title = "speed [m/s]", .low = 0, .high = 3, .map = cou_mapViridis};
    couImage_DrawLegend(&image, &legend);
    // The left half stays as it was; down the bar the colours go from the top of the map to its foot.
    for (int y = 0; y < 360; ++y)
        for (int x = 0; x < 400; ++x) assert_int_equal(*pixel(&image, x, y), 200);
    int column = 0, longest = 0;
    for (int x = 400; x < 640; ++x) {
        int colored = 0;
        for (int y = 0; y < 360; ++y) colored += abs(pixel(&image, x, y)[0] - pixel(&image, x, y)[2]) > 20;
        if (colored > longest) longest = colored, column = x;
    }
    assert_true(longest > 140);
    int top = 0, foot = 359;
    const couVec3 first = couColorMap_At(cou_mapViridis, 1), last = couColorMap_At(cou_mapViridis, 0);
    while (top < 360 && abs(pixel(&image, column, top)[0] - (int)(255 * first.x)) > 4) ++top;
    while (foot > 0 && abs(pixel(&image, column, foot)[2] - (int)(255 * last.z)) > 4) --foot;
    assert_true(foot - top > 170);
    couVec3 half = couColorMap_At(cou_mapViridis, 0.5f);
    const uint8_t *middle = pixel(&image, column, (top + foot) / 2);
    assert_true(abs(middle[0] - (int)(255 * half.x)) < 6 && abs(middle[1] - (int)(255 * half.y)) < 6);
    // Numbers are written beside it: light pixels to the right.
    int ink = 0;
    for (int y = top; y <= foot; ++y)
        for (int x = column + 14; x < 640; ++x) ink += pixel(&image, x, y)[0] > 215;
    assert_true(ink > 100);
    couFreeImage(&image);
    // Where there is no room there is no legend, nor without a scale.
    image = (couImage){.width = 32, .height = 32, .rgb = couAlloc(NULL, 32 * 32 * 3)};
    couImage_DrawLegend(&image, &legend);
    for (int i = 0; i < 32 * 32 * 3; ++i) assert_int_equal(image.rgb[i], 0);
    couFreeImage(&image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_maps_rise_in_lightness),           cmocka_unit_test(test_scales_end_at_round_numbers),
        cmocka_unit_test(test_stray_numbers_do_not_count),       cmocka_unit_test(test_particles_have_their_colors),
        cmocka_unit_test(test_surfaces_take_the_nearest_number), cmocka_unit_test(test_legend_shows_the_map),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
