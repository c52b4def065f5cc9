/// Pictures of particles and bodies by ray casting (Embree), PNG files and film (ffmpeg).
///
/// The seam for better pictures: a couPictureScene says what there is, couPictureOptions how to look at it; qualities are added
/// behind couRenderPicture() without touching the callers.
#pragma once

#include "coulis/coulis.h"

typedef struct couPictureBody {
    const couShape *shape;
    couPose pose;
    couVec3 color;
    float opacity; ///< 0: not drawn
} couPictureBody;

/// What to draw. Arrays are only read.
typedef struct couPictureScene {
    int dimension;
    size_t particle_count;
    const couVec3 *positions;   ///< [m]
    const uint8_t *materials;   ///< index into colors
    const couVec3 *colors;      ///< linear RGB per material
    const float *opacities;     ///< per material
    float radius;               ///< of a particle's sphere [m]
    const couPictureBody *bodies;
    int body_count;
    float ground; ///< height of the ground plane [m]; NaN: none
} couPictureScene;

typedef struct couPictureOptions {
    int width, height; ///< [pixels], even
    couVec3 from, to;  ///< camera; ignored in 2D, where the view is along -z
    float fov;         ///< vertical [degrees]
    bool is_auto_camera; ///< frame the particles instead
    couBounds frame;   ///< what an automatic or 2D camera frames; empty (lower > upper): the particles' own bounds
    int samples;       ///< rays per pixel side, e.g. 2: 2 x 2
} couPictureOptions;

/// 8-bit sRGB, rows from the top.
typedef struct couImage {
    int width, height;
    uint8_t *rgb;
} couImage;

typedef struct couRenderer couRenderer;
couRenderer *couCreateRenderer(int threads, couFaults *faults);
void couDestroyRenderer(couRenderer *renderer);
/// The image is allocated by the call; free with couFreeImage().
bool couRenderPicture(couRenderer *renderer, const couPictureScene *scene, const couPictureOptions *options, couImage *image,
                      couFaults *faults);
void couFreeImage(couImage *image);
bool couWritePng(const char *path, const couImage *image, couFaults *faults);

/// Film: frames piped to the ffmpeg program (H.264, yuv420p), under a temporary name until closed.
typedef struct couFilm couFilm;
couFilm *couOpenFilm(const char *path, int width, int height, double fps, couFaults *faults);
bool couFilm_AddFrame(couFilm *film, const couImage *image, couFaults *faults);
bool couCloseFilm(couFilm *film, couFaults *faults); ///< waits for ffmpeg; false and no file when it failed
void couDiscardFilm(couFilm *film);
