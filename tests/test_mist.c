// Clear liquids in previews: Beer's law through a block of particles, and that one sees what is behind.
#include "picture_test.h"

#include "base/base.h"
#include "render/stage.h"

enum { ACROSS = 24, DEEP = 10 };
#define D 0.01f // spacing [m]

static couVec3 lattice[ACROSS * ACROSS * DEEP];

// A block that is DEEP spacings thick along z, in the middle of it z = 0.
static couPictureScene make_block(const float *opacity)
{
    size_t n = 0;
    for (int k = 0; k < DEEP; ++k)
        for (int j = 0; j < ACROSS; ++j)
            for (int i = 0; i < ACROSS; ++i)
                lattice[n++] = (couVec3){((float)i - 0.5f * (ACROSS - 1)) * D, ((float)j - 0.5f * (ACROSS - 1)) * D,
                                         ((float)k - 0.5f * (DEEP - 1)) * D};
    return (couPictureScene){.dimension = 3,
                             .particle_count = n,
                             .positions = lattice,
                             .colors = &blue,
                             .opacities = opacity,
                             .material_count = 1,
                             .radius = 0.6f * D,
                             .ground = NAN};
}

// The opacity of 2 cm, five times over: the way is 10 cm. Rays across the block, straight and slanted.
static void test_beers_law(void **context)
{
    (void)context;
    const float opacity = 0.3f;
    couPictureScene scene = make_block(&opacity);
    RTCDevice device = rtcNewDevice(NULL);
    couStage stage = {.device = device};
    assert_true(couMist_Build(&stage.mist, device, &scene));
    for (int slant = 0; slant <= 2; ++slant) {
        double expected = 0, mean = 0;
        couVec3 direction = couNormalize((couVec3){0.25f * (float)slant, 0.1f * (float)slant, -1});
        for (int i = 0; i < 100; ++i) {
            couVec3 aim = {0.03f * (float)sin(7.1 * i), 0.03f * (float)cos(3.3 * i), 0};
            couRay ray = {couMulAdd(aim, -0.5f, direction), direction};
            double light = couStage_LiquidLight(&stage, ray, 0, 1);
            mean += log(light) / 100;
            expected = log(1 - opacity) / 0.02 * DEEP * D / -direction.z;
            if (fabs(log(light) / expected - 1) > 0.25) fail_msg("ray %d: %g, expected %g", i, light, exp(expected));
        }
        if (fabs(mean / expected - 1) > 0.02) fail_msg("slant %d: depth %g, expected %g", slant, -mean, -expected);
    }
    // Half of the way through the block; and nothing beside it.
    couRay ray = {{0.003f, 0.002f, 0.5f}, {0, 0, -1}};
    double half = log(couStage_LiquidLight(&stage, ray, 0, 0.5f)) / (log(1 - opacity) / 0.02 * 0.5 * DEEP * D);
    if (fabs(half - 1) > 0.2) fail_msg("half of the way counts as %g of it", half);
    ray.origin.x = 1;
    assert_true(couStage_LiquidLight(&stage, ray, 0, 1) == 1.0f);
    couMist_Clear(&stage.mist);
    rtcReleaseDevice(device);
}

// A red ball behind the block, by opacity: hidden, half seen, seen; the same for splats of the lattice itself.
static void test_things_behind_are_seen(void **context)
{
    (void)context;
    couShape *ball = make_shape((couShapeDef){.kind = cou_shapeSphere, .radius = 0.06f});
    couPictureBody body = {.shape = ball, .pose = {{0, 0, -0.15f}, {0, 0, 0, 1}}, .look = couMakeLook(red, 1)};
    const float opacities[] = {1, 0.3f, 0.02f};
    double redness[3];
    for (int i = 0; i < 3; ++i) {
        couPictureScene scene = make_block(&opacities[i]);
        scene.bodies = &body;
        scene.body_count = 1;
        couPictureOptions options = look_from((couVec3){0, 0, 1}, (couVec3){0, 0, 0});
        couImage image = render(&scene, &options);
        const uint8_t *rgb = image.rgb + 3 * ((size_t)(image.height / 2) * (size_t)image.width + (size_t)image.width / 2);
        redness[i] = (double)rgb[0] - rgb[2];
        couFreeImage(&image);
    }
    if (!(redness[0] < -40 && redness[1] > redness[0] + 10 && redness[2] > 40))
        fail_msg("red less blue: %g, %g, %g", redness[0], redness[1], redness[2]);
    couShape_Release(ball);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_beers_law), cmocka_unit_test(test_things_behind_are_seen)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
