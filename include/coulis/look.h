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

#ifdef __cplusplus
}
#endif
