// The light of a studio outdoors: one sun over the viewer's left shoulder, a pale sky that gets bluer upwards, a bright floor
// that sends light back. All of it is closed form, so that it costs nothing beside the rays. Values are chosen by eye so that a
// surface of albedo 0.5 in the sun lands a little above middle grey after the filmic curve.
#include "render/light.h"

const couVec3 couSunDirection = {-0.5298129f, 0.7417380f, 0.4114880f};
const couVec3 couSunColor = {1.62f, 1.48f, 1.26f};

static const couVec3 sky_horizon = {1.02f, 1.08f, 1.14f};
static const couVec3 sky_zenith = {0.26f, 0.50f, 0.90f};
static const couVec3 floor_glow = {0.55f, 0.54f, 0.52f};

couVec3 couSkyColor(couVec3 direction)
{
    if (direction.y <= 0.0f) return couMix3(sky_horizon, floor_glow, 0.35f * couSmoothstep(0.0f, 1.0f, -direction.y));
    float rest = 1.0f - direction.y;
    return couMix3(sky_zenith, sky_horizon, rest * rest * rest);
}

couVec3 couStudioColor(couVec3 direction)
{
    static const couVec3 window = {0.62f, 0.48f, -0.62f};
    // Half its blue, or gold, which mirrors it, would turn green.
    couVec3 color = couSkyColor(direction);
    float grey = 0.2126f * color.x + 0.7152f * color.y + 0.0722f * color.z;
    color = couScale(0.8f, couMix3(color, (couVec3){grey, grey, grey}, 0.5f));
    float veil = 3.0f * couSmoothstep(0.90f, 0.97f, couDot(direction, couSunDirection));
    float rim = 2.6f * couSmoothstep(0.84f, 0.93f, couDot(direction, window));
    return couAdd(color, couAdd(couScale(veil, (couVec3){1.0f, 0.95f, 0.86f}), couScale(rim, (couVec3){0.95f, 1.0f, 1.05f})));
}

couVec3 couEnvironmentColor(couVec3 direction, bool has_ground)
{
    couVec3 sky = couSkyColor(direction);
    if (!has_ground || direction.y >= 0.0f) return sky;
    return couMix3(sky, floor_glow, couSmoothstep(0.0f, 0.25f, -direction.y));
}

couVec3 couAmbientColor(couVec3 normal)
{
    static const couVec3 above = {0.44f, 0.52f, 0.66f};
    static const couVec3 below = {0.24f, 0.22f, 0.20f};
    return couMix3(below, above, 0.5f + 0.5f * normal.y);
}

static float bounce(float albedo, float open) { return open / (1.0f - albedo * (1.0f - open)); }

couVec3 couOccludedAmbient(couVec3 albedo, couVec3 normal, float open)
{
    // A closed form of the geometric series of bounces between walls of this albedo.
    couVec3 lit = {bounce(albedo.x, open), bounce(albedo.y, open), bounce(albedo.z, open)};
    return couMul3(couMul3(albedo, lit), couAmbientColor(normal));
}

// Integral of a square wave (+1, -1, period 2) from 0 to x: a triangle wave.
static float square_integral(float x)
{
    float u = x - 2.0f * floorf(0.5f * x);
    return u < 1.0f ? u : 2.0f - u;
}

static float square_mean(float x, float width)
{
    return (square_integral(x + 0.5f * width) - square_integral(x - 0.5f * width)) / width;
}

couVec3 couGroundColor(couVec3 base, float x, float z, float cell, float footprint)
{
    // The mean of a product of square waves over the footprint is the product of their means; a minimal width softens the edges.
    float width = COU_MAX(footprint / cell, 0.03f);
    float checker = square_mean(x / cell, width) * square_mean(z / cell, width);
    return couScale(1.0f + 0.06f * checker, base);
}

float couFresnel(float f0, float cosine)
{
    float c = 1.0f - COU_CLAMP(cosine, 0.0f, 1.0f);
    float c2 = c * c;
    return f0 + (1.0f - f0) * c2 * c2 * c;
}

float couSunGlint(couVec3 normal, couVec3 view, float exponent)
{
    couVec3 half = couNormalize(couSub(couSunDirection, view));
    float cosine = couDot(normal, half);
    if (cosine < 0.7f) return 0.0f; // no lobe in use reaches so far
    return (exponent + 8.0f) * 0.125f * powf(cosine, exponent);
}

static float filmic(float x) { return x * (2.51f * x + 0.03f) / (x * (2.43f * x + 0.59f) + 0.14f); } // [Narkowicz 2015]

couVec3 couToneMap(couVec3 radiance)
{
    couVec3 c = couScale(0.57f, radiance);
    float peak = COU_MAX(c.x, COU_MAX(c.y, c.z));
    if (!(peak > 0.0f)) return (couVec3){0, 0, 0};
    if (!(peak < 64.0f)) return (couVec3){1, 1, 1};
    // By channel whitens highlights as film does, by peak keeps the hue; a mixture keeps honey golden.
    couVec3 by_channel = {filmic(c.x), filmic(c.y), filmic(c.z)};
    couVec3 by_peak = couScale(filmic(peak) / peak, c);
    couVec3 mapped = couMix3(by_channel, by_peak, 0.65f);
    return (couVec3){COU_CLAMP(mapped.x, 0.0f, 1.0f), COU_CLAMP(mapped.y, 0.0f, 1.0f), COU_CLAMP(mapped.z, 0.0f, 1.0f)};
}

uint8_t couEncodeSrgb(float linear, float dither)
{
    float v = linear <= 0.0031308f ? 12.92f * linear : 1.055f * powf(linear, 1.0f / 2.4f) - 0.055f;
    float step = 255.0f * v + 0.5f + dither;
    return (uint8_t)COU_CLAMP(step, 0.0f, 255.0f);
}

static float fraction(float x) { return x - floorf(x); }

float couPixelNoise(int x, int y)
{
    // Interleaved gradient noise [Jimenez 2014]; coordinates are wrapped where float would lose their fraction.
    float u = (float)(x & 1023), v = (float)(y & 1023);
    return fraction(52.9829189f * fraction(0.06711056f * u + 0.00583715f * v));
}

// Two unit vectors across a unit axis.
static void across(couVec3 axis, couVec3 *u, couVec3 *v)
{
    couVec3 other = fabsf(axis.y) < 0.9f ? (couVec3){0, 1, 0} : (couVec3){1, 0, 0};
    *u = couNormalize(couCross(other, axis));
    *v = couCross(axis, *u);
}

// Point `index` of `count` of a sunflower in the unit disc.
static void sunflower(int index, int count, float turn, float *x, float *y)
{
    float radius = sqrtf(((float)index + 0.5f) / (float)count);
    float angle = 2.0f * (float)COU_PI * fraction((float)index * COU_GOLDEN + turn);
    *x = radius * cosf(angle);
    *y = radius * sinf(angle);
}

couVec3 couConeDirection(couVec3 axis, float spread, int index, int count, float turn)
{
    couVec3 u, v;
    float x, y;
    across(axis, &u, &v);
    sunflower(index, count, turn, &x, &y);
    return couNormalize(couMulAdd(couMulAdd(axis, spread * x, u), spread * y, v));
}

couVec3 couCosineDirection(couVec3 normal, int index, int count, float turn)
{
    couVec3 u, v;
    float x, y;
    across(normal, &u, &v);
    sunflower(index, count, turn, &x, &y);
    float z = sqrtf(COU_MAX(1.0f - x * x - y * y, 0.0f));
    return couMulAdd(couMulAdd(couScale(z, normal), x, u), y, v);
}
