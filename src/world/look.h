/// The rows of a look in the parameter tables of the defs that have one, and the colours of numbers as light has them.
#pragma once

#include "base/base.h"
#include "coulis/look.h"

extern const char *const couColorMapNames[]; ///< as parameter tables have choices
/// couColorMap_At() in linear RGB.
COU_INTERNAL_API couVec3 couColorMap_Linear(int map, float t);

// Of opaque matter that gives no roughness.
#define COU_MATERIAL_ROUGHNESS 0.3
#define COU_BODY_ROUGHNESS 0.4

#define COU_TEXT_OF(value) #value
/// Rows of `def.look`. Their defaults are the def's own: a colour, an index of refraction and the roughness of opaque matter.
#define COU_LOOK_ROWS(def, tint, index, gloss) \
    COU_SHADED_LOOK_ROWS(def, 1, "below 1 light goes through; what has 0 is not drawn", index, gloss, tint)
/// The same for what is drawn only when asked for.
#define COU_GHOST_LOOK_ROWS(def, tint, index, gloss) \
    COU_SHADED_LOOK_ROWS(def, 0, "0: it is not drawn; below 1 light goes through", index, gloss, tint)
#define COU_SHADED_LOOK_ROWS(def, cover, cover_help, index, gloss, ...) \
    COU_PARAM("color", cou_paramVec3, def, look.color, "", .initial = {__VA_ARGS__}, .min = 0, .max = 1, \
              .help = "linear red, green, blue for pictures"), \
        COU_PARAM("opacity", cou_paramFloat, def, look.opacity, "", .initial = {cover}, .min = 0, .max = 1, \
                  .help = "for pictures; " cover_help), \
        COU_PARAM("absorption", cou_paramVec3, def, look.absorption, "1/m", .initial = {NAN, NAN, NAN}, .is_auto = true, \
                  .min = 0, .max = 1e6, \
                  .help = "of red, green and blue light inside clear matter; auto: 2 cm / opacity of it show the colour"), \
        COU_PARAM("scattering", cou_paramFloat, def, look.scattering, "1/m", .min = 0, .max = 1e4, \
                  .help = "of light inside clear matter, which makes it milky"), \
        COU_PARAM("refraction", cou_paramFloat, def, look.refraction, "", .initial = {index}, .min = 1, .max = 4, \
                  .help = "index of refraction; of the skin of opaque matter as well"), \
        COU_PARAM("roughness", cou_paramFloat, def, look.roughness, "", .initial = {NAN}, .is_auto = true, .min = 0, .max = 1, \
                  .help = "of the surface in pictures, 0 is a mirror; " \
                          "auto: 0 where light goes through, otherwise " COU_TEXT_OF(gloss)), \
        COU_PARAM("metalness", cou_paramFloat, def, look.metalness, "", .min = 0, .max = 1, \
                  .help = "1: a metal, which reflects in its colour")
