// Looks: what a material's or body's numbers mean for light. Clear matter without a measured absorption takes its colour on a
// way of 2 cm / opacity, so that a tint given by colour and opacity looks alike in a preview and in a final picture of a glass
// or a drop.
#include "render/look.h"

#include "base/base.h"

static const float tint_length = 0.02f; // [m]
static const couVec3 from_color = {(float)COU_AUTO, (float)COU_AUTO, (float)COU_AUTO};

couLook couMakeLook(couVec3 color, float opacity)
{
    return (couLook){.color = color, .opacity = opacity, .absorption = from_color, .refraction = 1.5f, .roughness = COU_AUTO};
}

couLook couMaterialLook(const couMaterialDef *def)
{
    return (couLook){
        .color = def->color,
        .opacity = def->opacity,
        .absorption = def->absorption,
        .scattering = def->scattering,
        .refraction = def->refraction,
        .roughness = isnan(def->roughness) && def->opacity >= 1.0f ? 0.3f : def->roughness,
        .metalness = def->metalness,
    };
}

couLook couBodyLook(const couBodyDef *def)
{
    return (couLook){
        .color = def->color,
        .opacity = def->opacity,
        .absorption = def->absorption,
        .refraction = def->refraction,
        .roughness = def->roughness,
        .metalness = def->metalness,
    };
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

couSkin couLook_Skin(const couLook *look)
{
    if (look->metalness > 0.0f) return cou_skinMetal;
    return look->opacity < 1.0f ? cou_skinClear : cou_skinPaint;
}

couLook couLook_Resolve(couLook look)
{
    look.color = (couVec3){within(look.color.x, 0, 1, 0.5f), within(look.color.y, 0, 1, 0.5f), within(look.color.z, 0, 1, 0.5f)};
    look.opacity = within(look.opacity, 0, 1, 1);
    look.absorption = (couVec3){
        absorption_of(look.absorption.x, look.color.x, look.opacity),
        absorption_of(look.absorption.y, look.color.y, look.opacity),
        absorption_of(look.absorption.z, look.color.z, look.opacity),
    };
    look.scattering = within(look.scattering, 0, 1e6f, 0);
    look.refraction = within(look.refraction, 1, 4, 1.5f);
    look.roughness = within(look.roughness, 0, 1, look.opacity < 1.0f ? 0.0f : 0.4f);
    look.metalness = within(look.metalness, 0, 1, 0);
    return look;
}
