/// Sun, sky, ground and film: the colours of a picture, in linear RGB. The same light for every picture.
#pragma once

#include "base/base.h"

#define COU_GOLDEN 0.61803398875f

extern const couVec3 couSunDirection; ///< unit, towards the sun
extern const couVec3 couSunColor;     ///< irradiance / pi

/// Radiance of the sky, a pale continuation of it below the horizon.
couVec3 couSkyColor(couVec3 direction);
/// The sky that lights final pictures: less of it, a bright veil around the sun and a window opposite, whose broad images make
/// wet things gleam and whose light sets them off.
couVec3 couStudioColor(couVec3 direction);
/// What a mirror sees: sky above, a bright floor below.
couVec3 couEnvironmentColor(couVec3 direction, bool has_ground);
/// Light of an open sky and the floor's bounce on a surface with this normal.
couVec3 couAmbientColor(couVec3 normal);
/// Ambient light with occlusion: `open` 0 to 1; light that bounces in corners keeps them from going black and takes the colour.
couVec3 couOccludedAmbient(couVec3 albedo, couVec3 normal, float open);
/// Colour of the floor at x, z [m]: a soft checker of `cell` [m], averaged over `footprint` [m].
couVec3 couGroundColor(couVec3 base, float x, float z, float cell, float footprint);

/// Reflected share of unpolarised light [Schlick 1994].
float couFresnel(float f0, float cosine);
/// Normalised Blinn-Phong lobe of the sun; 1 / pi left out as in couSunColor.
float couSunGlint(couVec3 normal, couVec3 view, float exponent);

/// Filmic curve: lifts mid-tones, rolls highlights off, keeps hue. Linear display values 0 to 1.
couVec3 couToneMap(couVec3 radiance);
/// 0 to 255, sRGB-encoded; `dither` in (-0.5, 0.5) [steps].
uint8_t couEncodeSrgb(float linear, float dither);

/// A fixed pattern 0 to 1 over pixels in which every 3 x 3 square holds well-spread values.
float couPixelNoise(int x, int y);
/// Direction `index` of `count` about the unit axis: on a disc of radius `spread` at distance 1; `turn` 0 to 1 rotates the set.
couVec3 couConeDirection(couVec3 axis, float spread, int index, int count, float turn);
/// Direction `index` of `count` in the hemisphere of the normal, density cos / pi.
couVec3 couCosineDirection(couVec3 normal, int index, int count, float turn);

static inline couVec3 couMul3(couVec3 a, couVec3 b) { return (couVec3){a.x * b.x, a.y * b.y, a.z * b.z}; }
static inline couVec3 couMix3(couVec3 a, couVec3 b, float t) { return couAdd(couScale(1.0f - t, a), couScale(t, b)); }
static inline couVec3 couReflect(couVec3 d, couVec3 n) { return couMulAdd(d, -2.0f * couDot(d, n), n); }
static inline float couSmoothstep(float lower, float upper, float x)
{
    float t = COU_CLAMP((x - lower) / (upper - lower), 0.0f, 1.0f);
    return t * t * (3.0f - 2.0f * t);
}
