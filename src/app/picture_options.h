/// What command lines say about surfaces and pictures: options that several commands have in common.
#pragma once

#include "app/app.h"
#include "coulis/frames.h"
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
    const char *color_by, *range_text;    ///< NULL: as the scene says; "none": by material
    const char *map_word;                 ///< NULL: as the scene says
    bool has_no_legend;
    couPictureStyle style; ///< couReadPictureChoice() works out what the words say
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
        COU_OPTION("--no-denoise", NULL, cou_optionFlag, &(c)->style.is_raw, .help = "leave the grain in final pictures"), \
        COU_OPTION("--show-samples", NULL, cou_optionFlag, &(c)->style.has_samples, \
                   .help = "show the points that stand for bodies, samples or ghosts, instead of opaque bodies"), \
        COU_OPTION("--color-by", "COLUMN", cou_optionText, &(c)->color_by, \
                   .help = "colour particles by speed, density, pressure, x to z, vx to vz, id, material, or none"), \
        COU_OPTION("--color-range", "LOW,HIGH", cou_optionText, &(c)->range_text, \
                   .help = "ends of that scale, numbers or auto (default auto: of all frames)"), \
        COU_OPTION("--color-map", "MAP", cou_optionText, &(c)->map_word, \
                   .help = "its colours: viridis, inferno, coolwarm or gray (default viridis)"), \
        COU_OPTION("--no-legend", NULL, cou_optionFlag, &(c)->has_no_legend, .help = "leave out the scale beside the picture")
/// Checks the words and fills the style from them.
void couReadPictureChoice(couPictureChoice *choice, const char *command, couFaults *faults);
/// Reads samples_000012.vtp of a run's folder. False with a fault that says how to get it.
bool couReadSamples(const char *folder, int number, couFrame *samples, couFaults *faults);
/// Reads foam_000012.vtp of a folder of foam. False with a fault that says how to get it; free with couFoam_Clear().
bool couReadFoamFrame(const char *folder, int number, couFoam *foam, couFaults *faults);
/// What to colour by: the command line before the scene's, which may be NULL. Faults of the options that make no sense.
couColors couChooseColors(const couPictureChoice *choice, const couColors *scene, const char *command, couFaults *faults);
/// Makes sure that the first frame has the column, and looks through all frames for the ends of the scale that are automatic.
/// False with a fault.
bool couSettleColors(couColors *colors, const couFrameFiles *files, const char *command, bool is_quiet, couFaults *faults);
/// The numbers of a frame's particles to colour by; `path` NULL: of the columns in memory only. NULL with a fault when there are
/// none, and without a fault when the colours are the materials'. Free with free().
float *couFindValues(const couColors *colors, const couFrame *frame, const char *path, couFaults *faults);
