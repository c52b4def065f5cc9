/// Where frames become surfaces and pictures: what command lines say about them, the looks of materials, the camera, the renderer.
/// `coulis run` brings the bodies of its world, `coulis render` those of a run's files.
#pragma once

#include "app/app.h"
#include "coulis/frames.h"
#include "coulis/picture.h"

// --- Surfaces ----------------------------------------------------------------------------------------------------------------

/// What a command line says about surfaces. Fill with couDefaultSurfaceChoice().
typedef struct couSurfaceChoice {
    const char *field; ///< NULL: anisotropic
    double radius, cell, level, max_gib;
    int smoothing;
    bool is_blended;
} couSurfaceChoice;

couSurfaceChoice couDefaultSurfaceChoice(void);
/// Rows of a command's table of options.
#define COU_SURFACE_OPTIONS(c) \
    {"--field", "F", "anisotropic (default: flat where water is flat), clavet or color", cou_optionText, &(c)->field, 0, 0}, \
        {"--cell", "M", "of the surface's grid [m] (default: a third of the spacing)", cou_optionNumber, &(c)->cell, 1e-9, 1e6}, \
        {"--radius", "M", "support of the field [m] (default: two spacings)", cou_optionNumber, &(c)->radius, 1e-9, 1e6}, \
        {"--level", "X", "at which the field is cut (default: so that matter fills its volume)", cou_optionNumber, &(c)->level, \
         1e-6,      1e6}, \
        {"--smoothing", \
         "N", \
         "rounds that smooth the mesh and keep its volume (default 3)", \
         cou_optionInt, \
         &(c)->smoothing, \
         0, \
         50}, \
        {"--blend", NULL, "one surface for all materials instead of one for each", cou_optionFlag, &(c)->is_blended, 0, 0}, \
    { \
        "--max-memory", "GIB", "a surface that needs more is refused [GiB] (default 4)", cou_optionNumber, &(c)->max_gib, 0.01, \
            1e4 \
    }
/// Checks the words among them. The spacing is 0 in the result where the command does not know it yet.
couSurfaceDef couReadSurfaceChoice(const couSurfaceChoice *choice, const char *command, couFaults *faults);
/// What is wrong with a def whose spacing is known, as faults of the options above.
bool couCheckSurfaceChoice(const couSurfaceDef *def, int dimension, const char *command, couFaults *faults);
couSurfacePoints couFramePoints(const couFrame *frame, int dimension);
/// FOLDER/surface_000012.obj and so on, in each of the `formats`, "obj,vtp".
bool couWriteSurfaceFrame(const char *folder, int number, const char *formats, const couSurface *surface, double time,
                          couFaults *faults);
/// The formats of such a list one after the other; false at its end.
bool couNextFormat(const char **list, char format[16]);

// --- Frames ------------------------------------------------------------------------------------------------------------------

/// Reads the command line of a command that takes FRAMES; as couParseOptions().
bool couParseFrameCommand(const couCommand *command, int argc, char **argv, couTexts *operands, couFaults *faults);
/// What frames that come without a stage.json are like.
typedef struct couFrameProbe {
    int dimension;    ///< 2 when all particles have z = 0
    float spacing;    ///< distance of neighbours [m], the median of a sample; 0: too few particles
    couBounds bounds; ///< of the particles [m]; empty (lower > upper): there are none
} couFrameProbe;

/// Dimension and spacing by the first of the frames that has particles, bounds by at most `most` of them from the first to the
/// last. Frames that cannot be read are passed over.
couFrameProbe couProbeFrames(const couFrameFiles *files, int most);
size_t couFrame_LostCount(const couFrame *frame); ///< particles at NaN or infinity

// --- Pictures ----------------------------------------------------------------------------------------------------------------

/// What a command line says about pictures. Fill with couDefaultPictureChoice().
typedef struct couPictureChoice {
    const char *quality_word, *size_text; ///< NULL: preview, 1280x720
    int paths;                            ///< per pixel of a final picture
    double shutter;
    bool is_raw; ///< not denoised
    // worked out from the texts
    int quality, width, height;
} couPictureChoice;

couPictureChoice couDefaultPictureChoice(void);
#define COU_PICTURE_OPTIONS(c) \
    {"--quality", \
     "Q", \
     "preview (spheres), splats or final (light through surfaces); default preview", \
     cou_optionText, \
     &(c)->quality_word, \
     0, \
     0}, \
        {"--size", "WxH", "of pictures and film in pixels (default 1280x720)", cou_optionText, &(c)->size_text, 0, 0}, \
        {"--samples", "N", "light paths per pixel of a final picture (default 64)", cou_optionInt, &(c)->paths, 1, 65536}, \
        {"--shutter", \
         "S", \
         "motion blur of final pictures: share of a frame that the shutter is open (default 0)", \
         cou_optionNumber, \
         &(c)->shutter, \
         0, \
         1}, \
    { \
        "--no-denoise", NULL, "leave the grain in final pictures", cou_optionFlag, &(c)->is_raw, 0, 0 \
    }
void couReadPictureChoice(couPictureChoice *choice, const char *command, couFaults *faults);

typedef struct couStudioDef {
    int dimension;
    float spacing; ///< of particles [m]
    double fps;    ///< of the frames, for motion blur
    const couLook *looks;
    int look_count; ///< materials beyond look like the last
    couCamera camera;
    couBounds bounds; ///< what an automatic camera frames; empty: each frame's own particles
    couPictureChoice choice;
    couSurfaceDef surface; ///< for final pictures and splats; its spacing is that above
    int threads;           ///< 0: all cores
} couStudioDef;

typedef struct couStudio couStudio;
couStudio *couOpenStudio(const couStudioDef *def, couFaults *faults);
void couCloseStudio(couStudio *studio); ///< NULL is fine
/// Draws a frame as the camera sees it at the frame's time. `number` seeds the grain. Layers may be NULL; they are of final pictures
/// in space only. Free image and layers; on false they are empty.
bool couStudio_Draw(couStudio *studio, const couFrame *frame, int number, const couPictureBody *bodies, int body_count,
                    couImage *image, couLayers *layers, couFaults *faults);
