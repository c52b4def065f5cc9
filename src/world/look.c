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

// --- Colours by number ------------------------------------------------------------------------------------------------------

// Nine colours of each map, of 8 bits as its authors give them; between them straight in sRGB, which is within 2 of 255 of the
// whole tables. Viridis and inferno are by Smith and van der Walt (matplotlib 2015), coolwarm by [Moreland 2009].
enum { map_knots = 9 };
static const uint8_t maps[cou_mapCount][map_knots][3] = {
    {{68, 1, 84},
     {71, 45, 123},
     {59, 82, 139},
     {44, 114, 142},
     {33, 145, 140},
     {40, 174, 128},
     {94, 201, 98},
     {173, 220, 48},
     {253, 231, 37}},
    {{0, 0, 4},
     {33, 12, 74},
     {87, 16, 110},
     {138, 34, 106},
     {188, 55, 84},
     {228, 90, 49},
     {249, 142, 9},
     {249, 203, 53},
     {252, 255, 164}},
    {{59, 76, 192},
     {98, 130, 234},
     {141, 176, 254},
     {184, 208, 249},
     {221, 221, 221},
     {245, 196, 173},
     {244, 154, 123},
     {222, 96, 77},
     {180, 4, 38}},
    {{16, 16, 16},
     {45, 45, 45},
     {74, 74, 74},
     {103, 103, 103},
     {132, 132, 132},
     {161, 161, 161},
     {190, 190, 190},
     {219, 219, 219},
     {248, 248, 248}},
};

couVec3 couColorMap_At(int map, float t)
{
    if (isnan(t)) return (couVec3){1.0f, 0.2f, 0.8f};
    float place = COU_CLAMP(t, 0.0f, 1.0f) * (float)(map_knots - 1);
    int k = COU_MIN((int)place, map_knots - 2);
    const uint8_t *a = maps[map][k], *b = maps[map][k + 1];
    float share = place - (float)k, inv = 1.0f / 255.0f;
    return (couVec3){inv * ((float)a[0] + share * (float)(b[0] - a[0])), inv * ((float)a[1] + share * (float)(b[1] - a[1])),
                     inv * ((float)a[2] + share * (float)(b[2] - a[2]))};
}

static float decode_srgb(float c) { return c <= 0.04045f ? c / 12.92f : powf((c + 0.055f) / 1.055f, 2.4f); }

couVec3 couColorMap_Linear(int map, float t)
{
    couVec3 c = couColorMap_At(map, t);
    return (couVec3){decode_srgb(c.x), decode_srgb(c.y), decode_srgb(c.z)};
}

const char *const couColorMapNames[] = {"viridis", "inferno", "coolwarm", "gray", NULL};
static const couParam colors_params[] = {
    COU_NAME(couColors, by, .help = "column of the frames: speed, density, pressure, x to z, vx to vz, id, material"),
    COU_NUMBER(couColors, low, "of the column", .initial = {NAN}, .min = -1e30, .max = 1e30, .is_auto = true,
               .help = "number at the low end of the scale; auto: from all frames of the film"),
    COU_NUMBER(couColors, high, "of the column", .initial = {NAN}, .min = -1e30, .max = 1e30, .is_auto = true,
               .help = "number at the high end; auto: likewise"),
    COU_CHOICE(couColors, map, couColorMapNames, .help = "colours from low to high; coolwarm is for numbers about a middle"),
    COU_PARAM("legend", cou_paramBool, couColors, has_legend, "", .max = 1, .initial = {1},
              .help = "draw the scale with its numbers beside the picture"),
};
static const couParamTable colors_table = {"colors", colors_params, COU_COUNT(colors_params)};

const couParamTable *couColorsParams(void) { return &colors_table; }

couColors couDefaultColors(void)
{
    couColors colors = {0};
    couParams_SetDefaults(&colors_table, &colors);
    return colors;
}
