// Every way in which a request for a picture can be wrong, and PNG files.
#include "picture_test.h"

#include "base/base.h"

#include <openexr.h>
#include <png.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

// --- Faults -----------------------------------------------------------------------------------------------------------------

static void assert_fault(const char *key, const char *part)
{
    for (int i = 0; i < faults.count; ++i) {
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

static void test_wrong_requests_are_faults(void **context)
{
    (void)context;
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

static void test_all_faults_come_in_one_go(void **context)
{
    (void)context;
    couPictureScene scene = make_scene(NULL, 3, NAN);
    couPictureOptions options = {.width = 0, .height = 1 << 20, .samples = 99, .fov = 500};
    couImage image;
    assert_false(couRenderPicture(renderer, &scene, &options, &image, &faults));
    assert_int_equal(faults.count, 7);
    couFaults_Clear(&faults);
}

static void test_wrong_thread_counts_are_faults(void **context)
{
    (void)context;
    assert_null(couCreateRenderer(-1, &faults));
    assert_fault("threads", "-1");
    assert_null(couCreateRenderer(COU_MAX_THREADS + 1, &faults));
    assert_fault("threads", "allowed");
    couRenderer *all_cores = couCreateRenderer(0, &faults);
    assert_non_null(all_cores);
    couDestroyRenderer(all_cores);
    couDestroyRenderer(NULL);
}

// --- PNG --------------------------------------------------------------------------------------------------------------------

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
    for (size_t i = 0; i < image_bytes(&image); ++i) image.rgb[i] = (uint8_t)((random = random * 1664525u + 1013904223u) >> 24);
    return image;
}

static void test_png_reads_back_the_same(void **context)
{
    (void)context;
    const couVec3 position = {0, 0.2f, 0};
    couPictureScene scene = make_scene(&position, 1, 0.2f);
    scene.ground = 0;
    couPictureOptions options = look_from((couVec3){1, 1, 2}, (couVec3){0, 0, 0});
    couImage images[] = {render(&scene, &options), make_noise(123, 77)};
    for (int i = 0; i < 2; ++i) {
        const char *path = in_folder("picture.png");
        assert_true(couWritePng(path, &images[i], &faults));
        assert_same(images[i], read_png(path));
        unlink(path);
    }
}

static void test_png_that_cannot_be_written_is_a_fault(void **context)
{
    (void)context;
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

static void test_full_disk_keeps_the_old_png(void **context)
{
    (void)context;
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

// --- OpenEXR ----------------------------------------------------------------------------------------------------------------

static couLayers make_layers(int width, int height)
{
    size_t count = (size_t)width * (size_t)height;
    couLayers layers = {.width = width,
                        .height = height,
                        .radiance = couAlloc(NULL, count * sizeof(couVec3)),
                        .albedo = couAlloc(NULL, count * sizeof(couVec3)),
                        .normal = couAlloc(NULL, count * sizeof(couVec3)),
                        .depth = couAlloc(NULL, count * sizeof(float)),
                        .alpha = couAlloc(NULL, count * sizeof(float))};
    for (size_t i = 0; i < count; ++i) {
        float a = (float)i * 0.37f, b = (float)(i * i % 1013) * 0.011f;
        layers.radiance[i] = (couVec3){a, 100.0f * b, 1e-6f * a};
        layers.albedo[i] = (couVec3){b / 12.0f, 0.5f, 1.0f};
        layers.normal[i] = (couVec3){sinf(a), -cosf(a), -0.25f};
        layers.depth[i] = i % 7 == 0 ? INFINITY : 1.0f + b;
        layers.alpha[i] = (float)(i % 8) / 8.0f;
    }
    return layers;
}

// The channel of that name, decoded by the library; NULL when there is none. Free with free().
static float *read_channel(const char *path, const char *name, int width, int height)
{
    exr_context_t exr = NULL;
    exr_context_initializer_t how = EXR_DEFAULT_CONTEXT_INITIALIZER;
    float *values = calloc((size_t)width * (size_t)height, sizeof *values);
    exr_decode_pipeline_t decoder = EXR_DECODE_PIPELINE_INITIALIZER;
    int32_t rows = 0;
    bool is_found = false;
    assert_int_equal(exr_start_read(&exr, path, &how), EXR_ERR_SUCCESS);
    assert_int_equal(exr_get_scanlines_per_chunk(exr, 0, &rows), EXR_ERR_SUCCESS);
    for (int y = 0; y < height; y += rows) {
        exr_chunk_info_t chunk;
        assert_int_equal(exr_read_scanline_chunk_info(exr, 0, y, &chunk), EXR_ERR_SUCCESS);
        exr_result_t code = y == 0 ? exr_decoding_initialize(exr, 0, &chunk, &decoder)
                                   : exr_decoding_update(exr, 0, &chunk, &decoder);
        assert_int_equal(code, EXR_ERR_SUCCESS);
        for (int c = 0; c < decoder.channel_count; ++c) {
            bool is_wanted = strcmp(decoder.channels[c].channel_name, name) == 0;
            is_found |= is_wanted;
            decoder.channels[c].decode_to_ptr = is_wanted ? (uint8_t *)(values + (size_t)y * (size_t)width) : NULL;
            decoder.channels[c].user_pixel_stride = sizeof(float);
            decoder.channels[c].user_line_stride = width * (int)sizeof(float);
            decoder.channels[c].user_bytes_per_element = sizeof(float);
            decoder.channels[c].user_data_type = EXR_PIXEL_FLOAT;
        }
        if (y == 0) assert_int_equal(exr_decoding_choose_default_routines(exr, 0, &decoder), EXR_ERR_SUCCESS);
        assert_int_equal(exr_decoding_run(exr, 0, &decoder), EXR_ERR_SUCCESS);
    }
    exr_decoding_destroy(exr, &decoder);
    exr_finish(&exr);
    if (is_found) return values;
    free(values);
    return NULL;
}

static void test_exr_reads_back_the_same(void **context)
{
    (void)context;
    const int width = 37, height = 41; // neither a multiple of a block
    couLayers layers = make_layers(width, height);
    assert_true(couWriteExr(in_folder("all.exr"), &layers, &faults));
    const struct {
        const char *name;
        const float *values;
        size_t step;
    } channels[] = {{"R", &layers.radiance->x, 3},      {"G", &layers.radiance->y, 3},
                    {"B", &layers.radiance->z, 3},      {"albedo.R", &layers.albedo->x, 3},
                    {"albedo.G", &layers.albedo->y, 3}, {"albedo.B", &layers.albedo->z, 3},
                    {"normal.X", &layers.normal->x, 3}, {"normal.Y", &layers.normal->y, 3},
                    {"normal.Z", &layers.normal->z, 3}, {"Z", layers.depth, 1},
                    {"coverage.A", layers.alpha, 1}};
    for (int c = 0; c < COU_COUNT(channels); ++c) {
        float *got = read_channel(in_folder("all.exr"), channels[c].name, width, height);
        if (!got) fail_msg("there is no channel %s", channels[c].name);
        for (size_t i = 0; i < (size_t)(width * height); ++i)
            if (got[i] != channels[c].values[i * channels[c].step])
                fail_msg("%s of pixel %zu: expected %.9g, got %.9g", channels[c].name, i,
                         (double)channels[c].values[i * channels[c].step], (double)got[i]);
        free(got);
    }
    unlink(in_folder("all.exr"));
    couFreeLayers(&layers);
}

static void test_exr_that_cannot_be_written_is_a_fault(void **context)
{
    (void)context;
    couLayers layers = make_layers(300, 300), none = {0};
    assert_false(couWriteExr(in_folder("none.exr"), &none, &faults));
    assert_fault("", "no layers to write");
    assert_false(couWriteExr("nowhere/all.exr", &layers, &faults));
    assert_int_equal(faults.count, 1);
    couFaults_Clear(&faults);
    struct rlimit usual, tight;
    getrlimit(RLIMIT_FSIZE, &usual);
    tight = (struct rlimit){20000, usual.rlim_max};
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &tight);
    bool is_written = couWriteExr(in_folder("full.exr"), &layers, &faults);
    setrlimit(RLIMIT_FSIZE, &usual);
    signal(SIGXFSZ, handler);
    assert_false(is_written);
    assert_int_equal(faults.count, 1);
    assert_fault("", "File too large");
    assert_int_equal(rmdir(folder), 0); // nothing was left
    assert_int_equal(mkdir(folder, 0777), 0);
    couFreeLayers(&layers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wrong_requests_are_faults),
        cmocka_unit_test(test_all_faults_come_in_one_go),
        cmocka_unit_test(test_wrong_thread_counts_are_faults),
        cmocka_unit_test(test_png_reads_back_the_same),
        cmocka_unit_test(test_png_that_cannot_be_written_is_a_fault),
        cmocka_unit_test(test_full_disk_keeps_the_old_png),
        cmocka_unit_test(test_exr_reads_back_the_same),
        cmocka_unit_test(test_exr_that_cannot_be_written_is_a_fault),
    };
    if (!mkdtemp(folder)) return 1;
    int failed = cmocka_run_group_tests(tests, setup, teardown);
    rmdir(folder);
    return failed;
}
