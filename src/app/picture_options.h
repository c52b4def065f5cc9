/// What command lines say about surfaces and pictures: options that several commands have in common.
#pragma once

#include "app/app.h"
#include "render/studio.h"

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

// --- Pictures ----------------------------------------------------------------------------------------------------------------

/// What a command line says about pictures. Fill with couDefaultPictureChoice().
typedef struct couPictureChoice {
    const char *quality_word, *size_text; ///< NULL: preview, 1280x720
    couPictureStyle style;                ///< couReadPictureChoice() works out what the words say
} couPictureChoice;

couPictureChoice couDefaultPictureChoice(void);
/// Rows of a command's table of options.
#define COU_PICTURE_OPTIONS(c) \
    {"--quality", \
     "Q", \
     "preview (spheres), splats or final (light through surfaces); default preview", \
     cou_optionText, \
     &(c)->quality_word, \
     0, \
     0}, \
        {"--size", "WxH", "of pictures and film in pixels (default 1280x720)", cou_optionText, &(c)->size_text, 0, 0}, \
        {"--samples", "N", "light paths per pixel of a final picture (default 64)", cou_optionInt, &(c)->style.paths, 1, 65536}, \
        {"--shutter", \
         "S", \
         "motion blur of final pictures: share of a frame that the shutter is open (default 0)", \
         cou_optionNumber, \
         &(c)->style.shutter, \
         0, \
         1}, \
    { \
        "--no-denoise", NULL, "leave the grain in final pictures", cou_optionFlag, &(c)->style.is_raw, 0, 0 \
    }
/// Checks the words and fills the style from them.
void couReadPictureChoice(couPictureChoice *choice, const char *command, couFaults *faults);
