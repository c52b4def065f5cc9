/// How matter looks in pictures: a material, a body, whatever is drawn. docs/pictures.md says what the numbers do.
#pragma once

#include "coulis/params.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Part of a def, or made with couMakeLook().
typedef struct couLook {
    couVec3 color;      ///< linear RGB, 0 to 1: of diffuse matter, of a metal's reflection
    float opacity;      ///< 0 to 1, default 1; below 1 light goes through; what has 0 is not drawn
    couVec3 absorption; ///< of light inside clear matter, by red, green, blue [1/m], 0 to 1e6; auto: from colour and opacity
    float scattering;   ///< of light inside clear matter [1/m], 0 to 1e4, default 0
    float refraction;   ///< index of refraction, 1 to 4, default 1.33 (material), 1.5 (body); also of the skin of opaque matter
    float roughness; ///< of the surface, 0 (mirror) to 1; auto: 0 where light goes through, otherwise 0.3 (material), 0.4 (body)
    float metalness; ///< 0 to 1, default 0; a metal reflects in its colour and lets nothing through
} couLook;

/// Whose look it is: what is automatic differs a little.
typedef enum couMatter {
    cou_matterFluid, ///< of a material
    cou_matterBody
} couMatter;

COU_API couLook couMakeLook(couVec3 color, float opacity); ///< painted in the colour, or tinted glass
COU_API const couParamTable *couLookParams(void);
/// With what is automatic worked out, and all numbers within their ranges, also those of a look that nobody checked.
COU_API couLook couLook_Resolve(couLook look, couMatter matter);

// --- Colours by number -------------------------------------------------------------------------------------------------------

typedef enum couColorMap {
    cou_mapViridis,  ///< dark blue, green, yellow; as bright as the number is large, also for the colour-blind
    cou_mapInferno,  ///< black, red, yellow, white: the same with more contrast
    cou_mapCoolwarm, ///< blue, grey, red [Moreland 2009]: for numbers about a middle
    cou_mapGray,
    cou_mapCount
} couColorMap;

/// Display colour (sRGB, 0 to 1) of a number 0 to 1; beyond it that of the nearer end. NaN is pink, which no map has.
COU_API couVec3 couColorMap_At(int map, float t);

/// What pictures colour particles by. Fill with couDefaultColors(), then change what you need.
typedef struct couColors {
    char by[COU_NAME_SIZE]; ///< a column of frames: "speed", "density", "pressure"... (frames.h); "" (default): by material
    float low, high;        ///< numbers at the ends of the scale, in the column's unit; auto: of all frames of the film
    int map;                ///< couColorMap, default viridis
    bool has_legend;        ///< the scale beside the picture, default true
} couColors;

COU_API couColors couDefaultColors(void);
COU_API const couParamTable *couColorsParams(void);

#ifdef __cplusplus
}
#endif
