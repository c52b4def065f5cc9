// Looks: what the numbers mean where they are automatic. Clear matter without a measured absorption takes its colour on a way
// of 2 cm / opacity, so that a tint given by colour and opacity looks alike in a preview and in a final picture of a glass or a
// drop.

#include "world/look.h"
#include "base/base.h"

#define GREY 0.5, 0.5, 0.5

static const float tint_length = 0.02f; // [m]

// A look on its own is laid out as one that is all there is in a def.
typedef struct Bare {
    couLook look;
} Bare;

static const couParam look_params[] = {COU_LOOK_ROWS(Bare, GREY, 1.5, COU_BODY_ROUGHNESS)};
static const couParamTable look_table = {"look", look_params, COU_COUNT(look_params)};

const couParamTable *couLookParams(void) { return &look_table; }

couLook couMakeLook(couVec3 color, float opacity)
{
    couLook look;
    couParams_SetDefaults(&look_table, &look);
    look.color = color;
    look.opacity = opacity;
    return look;
}

// Within the range; what is not a number becomes `otherwise`.
static float within(float x, float lower, float upper, float otherwise)
{
    return isnan(x) ? otherwise : COU_CLAMP(x, lower, upper);
}

static float absorption_of(float given, float color, float opacity)
{
    if (!isnan(given)) return COU_CLAMP(given, 0.0f, 1e6f);
    return -logf(COU_CLAMP(color, 0.002f, 1.0f)) * opacity / tint_length;
}

couLook couLook_Resolve(couLook look, couMatter matter)
{
    float gloss = matter == cou_matterFluid ? (float)COU_MATERIAL_ROUGHNESS : (float)COU_BODY_ROUGHNESS;
    look.color = (couVec3){within(look.color.x, 0, 1, 0.5f), within(look.color.y, 0, 1, 0.5f), within(look.color.z, 0, 1, 0.5f)};
    look.opacity = within(look.opacity, 0, 1, 1);
    look.absorption = (couVec3){
        absorption_of(look.absorption.x, look.color.x, look.opacity),
        absorption_of(look.absorption.y, look.color.y, look.opacity),
        absorption_of(look.absorption.z, look.color.z, look.opacity),
    };
    look.scattering = within(look.scattering, 0, 1e4f, 0);
    look.refraction = within(look.refraction, 1, 4, 1.5f);
    look.roughness = within(look.roughness, 0, 1, look.opacity < 1.0f ? 0.0f : gloss);
    look.metalness = within(look.metalness, 0, 1, 0);
    return look;
}
