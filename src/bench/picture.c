// The benchmark of pictures: the splash of surface.c on a floor, as a studio draws it for a run: for `final` the surface is made
// too. The best of several goes is taken.
#include "bench/bench.h"

#include "base/base.h"
#include "render/studio.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Sitting {
    size_t count; // of particles
    int width, height;
    couQuality quality;
    const char *name;
    int goes;
} Sitting;

// All at rest, and of the first material.
static bool make_frame(size_t count, couFrame *frame)
{
    couVec3 *positions = couMakeSplash(count);
    bool is_made = positions && couAllocateFrame(frame, count);
    for (size_t i = 0; is_made && i < count; ++i) frame->position[i] = positions[i], frame->id[i] = (uint32_t)i;
    free(positions);
    return is_made;
}

static const couMaterialDef *find_water(void)
{
    int count = 0;
    const couLibraryMaterial *library = couMaterialLibrary(&count);
    for (int k = 0; k < count; ++k)
        if (strcmp(library[k].def.name, "water") == 0) return &library[k].def;
    return &library[0].def;
}

static couStudio *open_studio(const Sitting *sitting, int threads, couFaults *faults)
{
    couLook look = find_water()->look;
    couPictureStyle style = couDefaultPictureStyle();
    style.quality = sitting->quality;
    style.width = sitting->width, style.height = sitting->height;
    couSurfaceDef surface = couDefaultSurfaceDef();
    surface.smoothing = 3; // as the program has it
    couStudioDef def = {.dimension = 3,
                        .spacing = 0.01f,
                        .fps = 30,
                        .looks = &look,
                        .look_count = 1,
                        .bounds = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}},
                        .style = style,
                        .surface = surface,
                        .threads = threads};
    return couOpenStudio(&def, faults);
}

// Seconds of the fastest go; below 0 with faults.
static double time_pictures(const Sitting *sitting, int threads, const couFrame *frame, const couPictureBody *ground,
                            couFaults *faults)
{
    couStudio *studio = open_studio(sitting, threads, faults);
    double best = studio ? INFINITY : -1.0;
    for (int go = 0; studio && best > 0.0 && go < sitting->goes; ++go) {
        couImage image;
        double begin = couSeconds();
        bool is_drawn = couStudio_Draw(studio, frame, NULL, NULL, 1, (couProps){.bodies = ground, .body_count = 1}, &image, NULL,
                                       faults);
        best = is_drawn ? fmin(best, couSeconds() - begin) : -1.0;
        couFreeImage(&image);
    }
    couCloseStudio(studio);
    return best;
}

static bool bench_picture(const Sitting *sitting, int threads, couBenchResult *result, couFaults *faults)
{
    couFrame frame = {0};
    couShape *floor = couCreateShape(&(couShapeDef){.kind = cou_shapePlane, .axis = {0, 1, 0}}, faults);
    bool is_made = make_frame(sitting->count, &frame);
    if (!is_made) couFaults_Add(faults, NULL, "picture", "out of memory");
    couPictureBody ground = {
        .shape = floor, .pose = {{0, -0.01f, 0}, {0, 0, 0, 1}}, .look = couMakeLook((couVec3){0.6f, 0.6f, 0.6f}, 1)};
    result->particles = sitting->count;
    result->seconds = floor && is_made ? time_pictures(sitting, threads, &frame, &ground, faults) : -1.0;
    snprintf(result->note, sizeof result->note, "%s, %d x %d pixels, %zu particles: %.3f s", sitting->name, sitting->width,
             sitting->height, sitting->count, result->seconds);
    couShape_Release(floor);
    couFreeFrame(&frame);
    return result->seconds > 0.0;
}

bool couBenchPreview(int threads, couBenchResult *result, couFaults *faults)
{
    return bench_picture(&(Sitting){100000, 1280, 720, cou_qualityPreview, "preview", 3}, threads, result, faults);
}

bool couBenchFinal(int threads, couBenchResult *result, couFaults *faults)
{
    return bench_picture(&(Sitting){20000, 640, 360, cou_qualityFinal, "final", 1}, threads, result, faults);
}
