/// What command lines say about surfaces and pictures: options that several commands have in common.
#pragma once

#include "app/app.h"
#include "render/studio.h"

// --- Surfaces ----------------------------------------------------------------------------------------------------------------

/// What the program starts from: the library's defaults and some smoothing. The spacing is 0: the command finds it out.
couSurfaceDef couProgramSurfaceDef(void);
/// Rows of a command's table of options: they set fields of a couSurfaceDef.
#define COU_SURFACE_OPTIONS(def) \
    COU_PARAM_OPTION("--field", "F", couSurfaceParams(), "field", def), \
        COU_PARAM_OPTION("--cell", "M", couSurfaceParams(), "cell", def), \
        COU_PARAM_OPTION("--radius", "M", couSurfaceParams(), "radius", def), \
        COU_PARAM_OPTION("--level", "X", couSurfaceParams(), "level", def), \
        COU_PARAM_OPTION("--smoothing", "N", couSurfaceParams(), "smoothing", def), \
        COU_PARAM_OPTION("--blend", NULL, couSurfaceParams(), "is_blended", def), \
        COU_PARAM_OPTION("--max-memory", "GIB", couSurfaceParams(), "max_gib", def)
/// What is wrong with a def whose spacing is known, as faults of the options above.
bool couCheckSurfaceOptions(const couSurfaceDef *def, int dimension, const char *command, couFaults *faults);

// --- Pictures ----------------------------------------------------------------------------------------------------------------

/// What a command line says about pictures. Fill with couDefaultPictureChoice().
typedef struct couPictureChoice {
    const char *quality_word, *size_text; ///< NULL: preview, 1280x720
    couPictureStyle style;                ///< couReadPictureChoice() works out what the words say
} couPictureChoice;

couPictureChoice couDefaultPictureChoice(void);
/// Rows of a command's table of options.
#define COU_PICTURE_OPTIONS(c) \
    COU_OPTION("--quality", "Q", cou_optionText, &(c)->quality_word, \
               .help = "preview (spheres), splats or final (light through surfaces); default preview"), \
        COU_OPTION("--size", "WxH", cou_optionText, &(c)->size_text, \
                   .help = "of pictures and film in pixels (default 1280x720)"), \
        COU_OPTION("--samples", "N", cou_optionInt, &(c)->style.paths, .min = 1, .max = 65536, \
                   .help = "light paths per pixel of a final picture (default 64)"), \
        COU_OPTION("--shutter", "S", cou_optionNumber, &(c)->style.shutter, .min = 0, .max = 1, \
                   .help = "motion blur of final pictures: share of a frame that the shutter is open (default 0)"), \
        COU_OPTION("--no-denoise", NULL, cou_optionFlag, &(c)->style.is_raw, .help = "leave the grain in final pictures")
/// Checks the words and fills the style from them.
void couReadPictureChoice(couPictureChoice *choice, const char *command, couFaults *faults);
