/// Pictures of particles, surfaces and bodies (Embree), PNG, PFM and OpenEXR files and film (ffmpeg).
///
/// A couPictureScene says what there is, couPictureOptions how to look at it. Three qualities: `preview` shows particles as
/// spheres, `splats` the liquid's skin as discs, `final` follows light through surfaces (docs/pictures.md).
#pragma once

#include "coulis/coulis.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct couPictureBody {
    const couShape *shape;
    couPose pose;
    couLook look;
    couVec3 velocity, spin; ///< of the pose's origin [m/s], [rad/s]; for motion blur
    const couMesh
        *mesh; ///< `final` draws these triangles of the shape's frame, which is faster; NULL: the shape is traced itself
} couPictureBody;

/// A closed surface of one material, or of several with their colours at the vertices.
typedef struct couPictureSurface {
    const couSurface *surface; ///< of 3 dimensions
    couLook look;
    bool is_colored; ///< the surface's own colours take the place of the look's
    bool is_solid;   ///< of a deformable solid: drawn in every quality, also flat, beside the particles
    float gap;       ///< a gap to a body or the ground up to this is filled with the liquid [m]; about a particle's spacing
} couPictureSurface;

/// What to draw. Arrays are only read. Particles and bodies at NaN or infinity are left out.
typedef struct couPictureScene {
    int dimension;
    size_t particle_count;
    const couVec3 *positions;  ///< [m]
    const couVec3 *velocities; ///< [m/s], for motion blur; NULL: none
    const uint8_t *materials;  ///< index into colors
    const couVec3 *colors;     ///< linear RGB per material
    const float *opacities;    ///< per material, of 2 cm of it: light goes through those below 1; particles of 0 are not drawn
    int material_count;        ///< entries of colors and opacities, 0: 256; particles of a material beyond are grey
    const couVec3 *particle_colors; ///< linear RGB per particle, opaque; NULL, or a red of NaN: the material's
    float radius;                   ///< of a particle's sphere [m]
    const float *radii;             ///< of each one's [m]; NULL: `radius`
    const couPictureBody *bodies;
    int body_count;
    float ground;                      ///< height of the ground plane [m]; NaN: none
    bool has_floor;                    ///< where there is no ground nor a plane, the lowest body at rest stands on one
    const couPictureSurface *surfaces; ///< `final` draws them instead of the particles; solids in any case
    int surface_count;
    const couSplats *splats;         ///< `splats` draws them instead of the particles; indices are of `positions`
    size_t speck_count;              ///< specks of foam and spray: small white spheres beside all else, in every quality
    const couVec3 *speck_positions;  ///< [m]
    const couVec3 *speck_velocities; ///< [m/s], for motion blur; NULL: none
    const float *speck_radii;        ///< [m]
} couPictureScene;

typedef enum couQuality {
    cou_qualityPreview, ///< particles as spheres: under a second a frame
    cou_qualitySplats,  ///< the skin as discs, shaded as in a preview
    cou_qualityFinal    ///< path tracing
} couQuality;

/// Fill with couDefaultPictureOptions(), then change what you need.
typedef struct couPictureOptions {
    int width, height;   ///< [pixels], 16 to 16384 (a film also needs even numbers), default 1280 x 720
    couVec3 from, to;    ///< camera; ignored in 2D, where the view is along -z
    float fov;           ///< vertical [degrees], 1 to 150; 0 (default): 35
    bool is_auto_camera; ///< a three-quarter view of `frame` instead of from, to; default true
    bool is_turning;     ///< an automatic camera stands so far off that it can go around, by `turn` [degrees]
    float turn;
    couBounds frame; ///< what an automatic or 2D camera frames; empty (lower > upper): the particles' own bounds, so that a
                     ///< film should give it; default empty
    int quality;     ///< couQuality, default preview; a picture of 2D is the same in all
    int samples;     ///< preview and splats: rays per pixel side, 1 to 16, e.g. 2 (default): 2 x 2

    // What follows is for `final` only.
    int paths;            ///< light paths per pixel, 1 to 65536, default 64
    int seed;             ///< of the pattern of paths; the frame's number lets grain move in a film; default 0
    float aperture;       ///< diameter of the lens [m], >= 0; 0 (default): all is in focus
    float focus_distance; ///< [m], > 0; 0 (default): to where the camera looks
    float shutter;        ///< share of a frame that the shutter is open, 0 to 1; 0 (default): no motion blur
    float frame_time;     ///< [s], > 0 when the shutter is open; default 1/30
    bool is_denoised;     ///< default true; without, the picture is what the paths gave
    float max_grain;      ///< with the denoiser, 8 x 8 pixels stop after 16, 32, ... paths where their noise is below this
                          ///< share of their light; 0: all paths everywhere; default 0.02
    float max_radiance;   ///< that one path may bring after its first bounce, against bright specks; 0: no limit; default 20
    float uniform_light;  ///< white light of this radiance from everywhere, no sun; 0 (default): daylight
} couPictureOptions;

COU_API couPictureOptions couDefaultPictureOptions(void);

/// 8-bit sRGB, rows from the top.
typedef struct couImage {
    int width, height;
    uint8_t *rgb;
} couImage;

/// What a `final` picture is made of, for compositors and tests; rows from the top. Free with couFreeLayers().
typedef struct couLayers {
    int width, height;
    couVec3 *radiance; ///< linear RGB before the film's curve, denoised if that was asked for
    couVec3 *albedo;   ///< of the first matter that is not clear or a mirror
    couVec3 *normal;   ///< of the first surface, unit or shorter where it varies within the pixel; 0 for the sky
    float *depth;      ///< along the view to the first surface [m]; infinity for the sky
    float *alpha;      ///< share of the pixel that shows something, 0 to 1; 0 for the sky
} couLayers;

/// Used by one thread at a time.
typedef struct couRenderer couRenderer;
COU_API couRenderer *couCreateRenderer(int threads, couFaults *faults); ///< 0 threads: all cores; the image does not depend on it
COU_API void couDestroyRenderer(couRenderer *renderer);
/// The image is allocated by the call; free with couFreeImage(). On a fault it is left empty.
COU_API bool couRenderPicture(couRenderer *renderer, const couPictureScene *scene, const couPictureOptions *options,
                              couImage *image, couFaults *faults);
COU_API void couFreeImage(couImage *image);
/// Likewise, with the layers of a `final` picture; a fault for other qualities and in 2D.
COU_API bool couRenderLayers(couRenderer *renderer, const couPictureScene *scene, const couPictureOptions *options,
                             couImage *image, couLayers *layers, couFaults *faults);
COU_API void couFreeLayers(couLayers *layers);
/// A scale of colours with its numbers.
typedef struct couLegend {
    const char *title; ///< in ASCII: "speed [m/s]"
    float low, high;   ///< of the scale, low < high
    int map;           ///< couColorMap
} couLegend;
/// Draws it over the right edge of the image, in a size that suits its height; nothing on an image of less than 64 x 64 pixels.
COU_API void couImage_DrawLegend(couImage *image, const couLegend *legend);
/// The file is whole or not there; an older one survives a failure.
COU_API bool couWritePng(const char *path, const couImage *image, couFaults *faults);
/// Reads a PNG file as 8-bit sRGB; free with couFreeImage(). False with a fault when it is missing or damaged.
COU_API bool couReadPng(const char *path, couImage *image, couFaults *faults);
/// A PFM file, 32-bit floats of 1 or 3 channels, rows from the top as in the layers (the file has them from the bottom).
COU_API bool couWritePfm(const char *path, int width, int height, int channels, const float *values, couFaults *faults);

/// An OpenEXR file of all layers, 32-bit floats: R, G, B (radiance), Z (depth), albedo.R to .B, normal.X to .Z, coverage.A
/// (alpha). Whole or not there.
COU_API bool couWriteExr(const char *path, const couLayers *layers, couFaults *faults);

/// Film: frames piped to the ffmpeg program as `path`.PID.tmp until closed. The name's ending says what it becomes: .gif, .webp
/// (both play for ever), anything else MP4 (H.264, yuv420p). Size 16 to 16384, even; fps above 0 to 1000 (GIF: at most 50). An
/// older film of that name survives a failure.
typedef struct couFilm couFilm;
COU_API couFilm *couOpenFilm(const char *path, int width, int height, double fps, couFaults *faults);
COU_API bool couFilm_AddFrame(couFilm *film, const couImage *image, couFaults *faults);
/// Waits for ffmpeg and frees the film; false and no file when it failed, or when there was no frame.
COU_API bool couCloseFilm(couFilm *film, couFaults *faults);
COU_API void couDiscardFilm(couFilm *film); ///< stops ffmpeg, leaves no file; NULL is fine

#ifdef __cplusplus
}
#endif
