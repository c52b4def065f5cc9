/// Where frames become pictures: the looks of materials, the camera, surfaces where the quality needs them, the renderer. Whoever
/// draws brings the bodies: `coulis run` those of its world, `coulis render` those of a run's files.
#pragma once

#include "coulis/frames.h"
#include "coulis/picture.h"
#include "coulis/scene.h"
#include "render/paint.h"
#include "surface/foam.h"

/// How pictures are made. Fill with couDefaultPictureStyle(), then change what you need.
typedef struct couPictureStyle {
    int quality;       ///< couQuality, default preview
    int width, height; ///< [pixels], default 1280 x 720
    int paths;         ///< per pixel of a final picture, default 64
    double shutter;    ///< share of a frame that the shutter of a final picture is open, 0 to 1, default 0
    bool is_raw;       ///< not denoised
    bool has_samples;  ///< the points that stand for bodies are shown, instead of opaque bodies; in previews and 2D
} couPictureStyle;

couPictureStyle couDefaultPictureStyle(void);

typedef struct couStudioDef {
    int dimension;
    float spacing; ///< of particles [m]
    double fps;    ///< of the frames, for motion blur
    const couLook *looks;
    int look_count; ///< materials beyond look like the last
    couCamera camera;
    couBounds bounds; ///< what an automatic camera frames; empty: each frame's own particles
    couPictureStyle style;
    couSurfaceDef surface; ///< for final pictures and splats; its spacing is that above
    couColors colors;      ///< by: "" is by material; otherwise its range is settled: low < high
    int threads;           ///< 0: all cores
} couStudioDef;

typedef struct couStudio couStudio;
couStudio *couOpenStudio(const couStudioDef *def, couFaults *faults);
void couCloseStudio(couStudio *studio); ///< NULL is fine
/// What stands beside a frame's particles.
typedef struct couProps {
    const couPictureBody *bodies;
    int body_count;
    const couPictureSurface *solids; ///< deformable ones
    int solid_count;
    const couLegend *legends; ///< of the solids' colours
    int legend_count;
    const couFoam *foam; ///< NULL: none
} couProps;

/// Draws a frame as the camera sees it at the frame's time. `number` seeds the grain. `values` are the numbers to colour the
/// particles by, as the def's colours say, or NULL: by material. `samples` are the points that stand for bodies, or NULL. Layers
/// may be NULL; they are of final pictures in space only. Free image and layers; on false they are empty.
bool couStudio_Draw(couStudio *studio, const couFrame *frame, const float *values, const couFrame *samples, int number,
                    couProps props, couImage *image, couLayers *layers, couFaults *faults);
