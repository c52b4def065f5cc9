// A user of libcoulis-studio in C: a scene of the gallery, its frames, a checkpoint, a surface and a picture; and the hooks of
// libcoulis, which both libraries must share.
// usage: studio SCENES_DIR OUT_DIR
#include <coulis/studio.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            for (int f = 0; f < faults.count; ++f) \
                fprintf(stderr, "  fault: %s: %s\n", faults.items[f].key, faults.items[f].message); \
            exit(1); \
        } \
    } while (0)

static couFaults faults;
static _Atomic long taken, given; // blocks, by the hook

static void *take(size_t bytes, size_t align)
{
    ++taken;
    return aligned_alloc(align, bytes);
}

static void give(void *memory)
{
    ++given;
    free(memory);
}

static const char *in(const char *folder, const char *name)
{
    static char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void check_gallery(const char *scenes)
{
    char path[4096];
    CHECK(couFindScene("drop-splash", path, sizeof path));
    CHECK(strncmp(path, scenes, strlen(scenes)) == 0); // beside the library, wherever that was moved to
    CHECK(!couFindScene("no-such-scene", path, sizeof path));
}

static void check_frame(const couWorld *world, const char *folder)
{
    couFrame frame = {0}, back = {0};
    CHECK(couCaptureFrame(world, &frame) && frame.count > 100);
    CHECK(couWriteVtp(in(folder, "frame.vtp"), &frame, &faults));
    CHECK(couReadFrame(in(folder, "frame.vtp"), &back, &faults));
    CHECK(back.count == frame.count && memcmp(back.position, frame.position, frame.count * sizeof *frame.position) == 0);

    couSurfaceDef def = couDefaultSurfaceDef();
    def.spacing = couWorld_Def(world)->spacing;
    couSurfacePoints points = {.dimension = 3, .count = frame.count, .positions = frame.position};
    couSurface surface = {0};
    CHECK(couBuildSurface(&def, &points, &surface, &faults) && surface.element_count > 0);
    CHECK(couWriteSurface(in(folder, "surface.ply"), &surface, frame.time, &faults));
    couMesh *mesh = couReadMesh(in(folder, "surface.ply"), NULL, &faults);
    CHECK(mesh && couMesh_TriangleCount(mesh) == surface.element_count);
    couMesh_Release(mesh);
    couSurface_Clear(&surface);
    couFreeFrame(&back);
    couFreeFrame(&frame);
}

static void check_checkpoint(couScene *scene, const char *folder)
{
    couWorld *world = couScene_World(scene);
    couState state = {0}, back = {0};
    couCheckpointInfo info = {.scene_hash = couScene_ContentHash(scene),
                              .fps = couScene_Fps(scene),
                              .time = couWorld_Time(world)},
                      read;
    CHECK(couWorld_SaveState(world, &state));
    CHECK(couWriteCheckpoint(in(folder, "checkpoint.h5"), &info, &state, &faults));
    CHECK(couReadCheckpoint(in(folder, "checkpoint.h5"), &read, &back, &faults));
    CHECK(couState_Hash(&state) == couState_Hash(&back) && read.scene_hash == info.scene_hash);
    CHECK(couWorld_LoadState(world, &back, &faults));
    couState_Clear(&back);
    couState_Clear(&state);
}

static void check_picture(const couWorld *world, const char *folder)
{
    couFrame frame = {0};
    CHECK(couCaptureFrame(world, &frame));
    couVec3 color = couWorld_Material(world, couWorld_MaterialAt(world, 0))->look.color;
    float opacity = 1.0f;
    couPictureScene picture = {.dimension = 3,
                               .particle_count = frame.count,
                               .positions = frame.position,
                               .materials = frame.material,
                               .colors = &color,
                               .opacities = &opacity,
                               .material_count = 1,
                               .radius = 0.5f * couWorld_Def(world)->spacing,
                               .ground = NAN};
    couPictureOptions options = couDefaultPictureOptions();
    options.width = 96, options.height = 64;
    couRenderer *renderer = couCreateRenderer(0, &faults);
    couImage image = {0}, back = {0};
    CHECK(renderer && couRenderPicture(renderer, &picture, &options, &image, &faults));
    CHECK(couWritePng(in(folder, "picture.png"), &image, &faults));
    CHECK(couReadPng(in(folder, "picture.png"), &back, &faults));
    CHECK(back.width == 96 && back.height == 64 && memcmp(image.rgb, back.rgb, 3 * 96 * 64) == 0);
    couFreeImage(&back);
    couFreeImage(&image);
    couDestroyRenderer(renderer);
    couFreeFrame(&frame);
}

int main(int argc, char **argv)
{
    if (argc != 3) return 2;
    couSetAllocator(take, give);
    check_gallery(argv[1]);
    couSceneOptions options = {.overrides = &(couOverride){"spacing", "0.02"}, .override_count = 1};
    couScene *scene = couLoadScene("drop-splash", &options, &faults);
    CHECK(scene && couScene_Duration(scene) > 0 && couScene_Prepare(scene, &faults));
    for (int frame = 0; frame < 3; ++frame) couWorld_Advance(couScene_World(scene), 1.0 / couScene_Fps(scene));
    check_frame(couScene_World(scene), argv[2]);
    check_checkpoint(scene, argv[2]);
    check_picture(couScene_World(scene), argv[2]);
    couCloseScene(scene);
    CHECK(!couLoadScene(in(argv[2], "missing.lua"), NULL, &faults) && faults.count > 0);
    couFaults_Clear(&faults);
    CHECK(taken > 0 && given == taken);
    return 0;
}
