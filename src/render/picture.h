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
    float opacity; ///< 0: not drawn; below 1: like thin tinted glass
} couPictureBody;

/// What to draw. Arrays are only read. Particles and bodies at NaN or infinity are left out.
typedef struct couPictureScene {
    int dimension;
    size_t particle_count;
    const couVec3 *positions; ///< [m]
    const uint8_t *materials; ///< index into colors
    const couVec3 *colors;    ///< linear RGB per material
    const float *opacities;   ///< per material; low ones look wetter
    int material_count;       ///< entries of colors and opacities, 0: 256; particles of a material beyond are grey
    float radius;             ///< of a particle's sphere [m]
    const couPictureBody *bodies;
    int body_count;
    float ground; ///< height of the ground plane [m]; NaN: none
} couPictureScene;

typedef struct couPictureOptions {
    int width, height;   ///< [pixels], 16 to 16384 (a film also needs even numbers)
    couVec3 from, to;    ///< camera; ignored in 2D, where the view is along -z
    float fov;           ///< vertical [degrees], 1 to 150; 0: 35
    bool is_auto_camera; ///< a three-quarter view of `frame` instead of from, to
    couBounds frame;     ///< what an automatic or 2D camera frames; empty (lower > upper): the particles' own bounds, so that a
                         ///< film should give it
    int samples;         ///< rays per pixel side, 1 to 16, e.g. 2: 2 x 2
} couPictureOptions;

/// 8-bit sRGB, rows from the top.
typedef struct couImage {
    int width, height;
    uint8_t *rgb;
} couImage;

/// Used by one thread at a time.
typedef struct couRenderer couRenderer;
couRenderer *couCreateRenderer(int threads, couFaults *faults); ///< 0 threads: all cores; the image does not depend on it
void couDestroyRenderer(couRenderer *renderer);
/// The image is allocated by the call; free with couFreeImage(). On a fault it is left empty.
bool couRenderPicture(couRenderer *renderer, const couPictureScene *scene, const couPictureOptions *options, couImage *image,
                      couFaults *faults);
void couFreeImage(couImage *image);
/// The file is whole or not there; an older one survives a failure.
bool couWritePng(const char *path, const couImage *image, couFaults *faults);

/// Film: frames piped to the ffmpeg program (H.264, yuv420p, MP4), as `path`.PID.tmp until closed. Size 16 to 16384, even; fps above 0
/// to 1000. An older film of that name survives a failure.
typedef struct couFilm couFilm;
couFilm *couOpenFilm(const char *path, int width, int height, double fps, couFaults *faults);
bool couFilm_AddFrame(couFilm *film, const couImage *image, couFaults *faults);
/// Waits for ffmpeg and frees the film; false and no file when it failed, or when there was no frame.
bool couCloseFilm(couFilm *film, couFaults *faults);
void couDiscardFilm(couFilm *film); ///< stops ffmpeg, leaves no file; NULL is fine
