// Shading in space: one sun ray for each sample, spread over the sun's disc, and ambient light that is blocked by what is near.
//
// Blocked ambient light is gathered where it is smooth, not per pixel, so that few rays give a picture without grain:
//   - a visible particle looks once in 32 directions and keeps a + b.w, the linear fit of what it sees in direction w; b also
//     points out of the liquid, and normals bent towards it make the spheres read as one surface;
//   - the ground keeps a map of 96 x 96 points with 48 directions each, then blurred;
//   - bodies, being few, send rays per sample.
// 100,000 particles need about a tenth of the rays that 2 x 2 samples with an ambient ray each would.
#include "render/shade.h"

#include "render/light.h"

#include <stdatomic.h>

#define PARTICLE_RAYS 32
#define GROUND_MAP 96
#define GROUND_RAYS 48
#define BODY_RAYS 4
#define MAX_GLASS_LAYERS 16

static const float sun_spread = 0.018f; // radius of the sun's disc at distance 1: wider than nature's, for softer shadows

// --- Gathering --------------------------------------------------------------------------------------------------------------

// Linear fit a + b.w of what is seen in direction w, 1 for free sight.
typedef struct couOpenness {
    float a;
    couVec3 b;
} couOpenness;

static uint64_t pack_signed(float x) { return (uint64_t)(uint16_t)(int16_t)lrintf(COU_CLAMP(x, -2.0f, 2.0f) * 16000.0f); }
static float unpack_signed(uint64_t bits) { return (float)(int16_t)(uint16_t)bits / 16000.0f; }

static uint64_t pack_openness(couOpenness open)
{
    uint64_t a = pack_signed(open.a) | 1u; // never 0, which means not yet known
    return a | pack_signed(open.b.x) << 16 | pack_signed(open.b.y) << 32 | pack_signed(open.b.z) << 48;
}

static couOpenness unpack_openness(uint64_t bits)
{
    return (couOpenness){unpack_signed(bits), {unpack_signed(bits >> 16), unpack_signed(bits >> 32), unpack_signed(bits >> 48)}};
}

// Direction `i` of an even spiral over the whole sphere.
static couVec3 sphere_direction(int i)
{
    float y = 1.0f - (2.0f * (float)i + 1.0f) / PARTICLE_RAYS;
    float ring = sqrtf(1.0f - y * y), angle = 2.0f * (float)COU_PI * COU_GOLDEN * (float)i;
    return (couVec3){ring * cosf(angle), y, ring * sinf(angle)};
}

static couOpenness look_around(const couShading *shading, couVec4 sphere)
{
    couOpenness open = {0};
    for (int i = 0; i < PARTICLE_RAYS; ++i) {
        couVec3 direction = sphere_direction(i);
        couRay ray = {couMulAdd(couXyz(sphere), 1.01f * sphere.w, direction), direction};
        if (couStage_IsBlocked(shading->stage, ray, shading->reach, true)) continue;
        open.a += 1.0f / PARTICLE_RAYS;
        open.b = couMulAdd(open.b, 3.0f / PARTICLE_RAYS, direction);
    }
    return open;
}

// Threads that ask for the same particle at once compute the same value, so that plain atomic stores are enough.
static couOpenness particle_openness(couShading *shading, int index)
{
    uint64_t bits = atomic_load_explicit(&shading->openness[index], memory_order_relaxed);
    if (bits == 0) {
        bits = pack_openness(look_around(shading, shading->stage->spheres[index]));
        atomic_store_explicit(&shading->openness[index], bits, memory_order_relaxed);
    }
    return unpack_openness(bits);
}

static void gather_ground_rows(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)block, (void)worker;
    couShading *shading = context;
    couVec3 size = couSub(shading->ground_area.upper, shading->ground_area.lower);
    for (size_t i = begin; i < end; ++i) {
        int row = (int)i / GROUND_MAP, column = (int)i % GROUND_MAP;
        couVec3 p = shading->ground_area.lower;
        p.x += size.x * ((float)column + 0.5f) / GROUND_MAP;
        p.z += size.z * ((float)row + 0.5f) / GROUND_MAP;
        p.y = shading->stage->ground + 4.0f * shading->stage->tolerance;
        int free_count = 0;
        for (int k = 0; k < GROUND_RAYS; ++k) {
            couRay ray = {p, couCosineDirection((couVec3){0, 1, 0}, k, GROUND_RAYS, couPixelNoise(column, row))};
            free_count += !couStage_IsBlocked(shading->stage, ray, shading->reach, false);
        }
        shading->ground_light[i] = (float)free_count / GROUND_RAYS;
    }
}

static void blur_line(float *line, int stride)
{
    float before = line[0];
    for (int i = 0; i < GROUND_MAP; ++i) {
        float here = line[i * stride], after = line[COU_MIN(i + 1, GROUND_MAP - 1) * stride];
        line[i * stride] = 0.25f * before + 0.5f * here + 0.25f * after;
        before = here;
    }
}

static float map_at(const couShading *shading, int column, int row)
{
    // Outside the map the ground sees the whole sky.
    if (column < 0 || row < 0 || column >= GROUND_MAP || row >= GROUND_MAP) return 1.0f;
    return shading->ground_light[row * GROUND_MAP + column];
}

static float ground_openness(const couShading *shading, couVec3 p)
{
    if (!shading->ground_light) return 1.0f;
    couVec3 lower = shading->ground_area.lower, size = couSub(shading->ground_area.upper, lower);
    float x = COU_CLAMP((p.x - lower.x) / size.x, -1.0f, 2.0f) * GROUND_MAP - 0.5f;
    float z = COU_CLAMP((p.z - lower.z) / size.z, -1.0f, 2.0f) * GROUND_MAP - 0.5f;
    int column = (int)floorf(x), row = (int)floorf(z);
    float u = x - (float)column, v = z - (float)row;
    return (1.0f - v) * ((1.0f - u) * map_at(shading, column, row) + u * map_at(shading, column + 1, row)) +
           v * ((1.0f - u) * map_at(shading, column, row + 1) + u * map_at(shading, column + 1, row + 1));
}

// Where the content may take light from the ground, within what the camera looks at.
static couBounds shaded_ground(const couShading *shading)
{
    couBounds area = shading->stage->content;
    couVec3 focus = shading->view->focus;
    float far = 4.0f * shading->view->focus_size, reach = shading->reach;
    area.lower.x = COU_MAX(area.lower.x - reach, focus.x - far);
    area.upper.x = COU_MIN(area.upper.x + reach, focus.x + far);
    area.lower.z = COU_MAX(area.lower.z - reach, focus.z - far);
    area.upper.z = COU_MIN(area.upper.z + reach, focus.z + far);
    return area;
}

static bool gather_ground(couShading *shading, const couParallel *parallel)
{
    shading->ground_area = shaded_ground(shading);
    couVec3 size = couSub(shading->ground_area.upper, shading->ground_area.lower);
    if (!shading->stage->has_ground || !(size.x > 0.0f) || !(size.z > 0.0f)) return true;
    shading->ground_light = couAlloc(NULL, GROUND_MAP * GROUND_MAP * sizeof(float));
    if (!shading->ground_light) return false;
    couFor(parallel, GROUND_MAP * GROUND_MAP, GROUND_MAP, gather_ground_rows, shading);
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < GROUND_MAP; ++i) {
            blur_line(shading->ground_light + i * GROUND_MAP, 1);
            blur_line(shading->ground_light + i, GROUND_MAP);
        }
    }
    return true;
}

// The largest of 1, 2, 5 times a power of ten that is at most x.
static float round_length(float x)
{
    float power = powf(10.0f, floorf(log10f(x)));
    float lead = x / power;
    return power * (lead >= 5.0f ? 5.0f : lead >= 2.0f ? 2.0f : 1.0f);
}

bool couShading_Prepare(couShading *shading, const couParallel *parallel, couFaults *faults)
{
    const couStage *stage = shading->stage;
    shading->reach = 0.4f * shading->view->focus_size;
    shading->checker = round_length(0.3f * shading->view->focus_size);
    if (stage->sphere_count > 0) shading->openness = couAlloc(NULL, stage->sphere_count * sizeof(uint64_t));
    if ((stage->sphere_count > 0 && !shading->openness) || !gather_ground(shading, parallel)) {
        couFaults_Add(faults, NULL, "picture", "not enough memory to light %zu particles", stage->sphere_count);
        return false;
    }
    return true;
}

void couShading_Clear(couShading *shading)
{
    couFree(NULL, (void *)shading->openness);
    couFree(NULL, shading->ground_light);
    *shading = (couShading){0};
}

// --- Shading ----------------------------------------------------------------------------------------------------------------

// One sample of one pixel, for its place in the patterns.
typedef struct couSample {
    couRay ray;
    int index;
    float turn; // 0 to 1, of the pixel
} couSample;

// Share of the sun that reaches the point, along one ray to its disc. A liquid's own particles shade each other, so that their
// shape can be seen; what is behind a clear liquid has the light that gets through.
static float sunlight(const couShading *shading, const couSample *sample, couVec3 point, bool is_liquid)
{
    couVec3 direction = couConeDirection(couSunDirection, sun_spread, sample->index, shading->sample_count, sample->turn);
    couRay ray = {point, direction};
    if (couStage_IsBlocked(shading->stage, ray, INFINITY, is_liquid)) return 0.0f;
    float light = couStage_GlassLight(shading->stage, ray, INFINITY);
    return is_liquid ? light : light * couStage_LiquidLight(shading->stage, ray, 0.0f, INFINITY);
}

// Sunlight on a surface that faces it by `cosine`; no ray is spent on surfaces that look away.
static couVec3 sun_on(const couShading *shading, const couSample *sample, couVec3 point, float cosine, bool is_liquid,
                      float *share)
{
    *share = cosine > 0.0f ? sunlight(shading, sample, point, is_liquid) : 0.0f;
    return couScale(*share * cosine, couSunColor);
}

static float particle_opacity(const couStage *stage, const couPictureScene *scene, int index)
{
    if (couStage_IsSpeck(stage, index)) return 1.0f;
    uint8_t material = stage->materials[index];
    bool is_known = scene->colors && scene->opacities && (scene->material_count == 0 || material < scene->material_count);
    if ((stage->colors && !isnan(stage->colors[index].x)) || !is_known || !(scene->opacities[material] >= 0.0f)) return 1.0f;
    return COU_MIN(scene->opacities[material], 1.0f);
}

static float seen(couOpenness open, couVec3 direction, float share)
{
    return COU_CLAMP(open.a + share * couDot(open.b, direction), 0.0f, 1.0f);
}

static couVec3 shade_particle(couShading *shading, const couSample *sample, const couHit *hit)
{
    float opacity = particle_opacity(shading->stage, shading->scene, hit->index);
    couVec3 albedo = couStage_ParticleColor(shading->stage, shading->scene, hit->index);
    // Specks lie in the skin of the liquid, which must not darken them.
    bool is_speck = couStage_IsSpeck(shading->stage, hit->index);
    couOpenness open = is_speck ? (couOpenness){.a = 0.9f} : particle_openness(shading, hit->index);
    float wet = 1.0f - 0.7f * opacity;

    // A normal bent towards the open side; a lone drop, open on all sides, keeps its own.
    bool is_disc = (size_t)hit->index < shading->stage->disc_count;
    couVec3 normal = is_disc ? hit->normal : couNormalize(couMulAdd(hit->normal, 0.9f, open.b));
    if (couDot(normal, sample->ray.direction) > -0.05f) normal = hit->normal;

    // Sun, wrapped a little around wet matter since light goes through it.
    float wrap = 0.4f * wet;
    float cosine = (couDot(normal, couSunDirection) + wrap) / (1.0f + wrap), share;
    // Discs that overlap must not shade each other.
    float offset = is_disc ? 0.6f * shading->stage->spheres[hit->index].w : 0.02f * shading->scene->radius;
    couVec3 start = couMulAdd(hit->point, offset, hit->normal);
    couVec3 sun;
    if (is_speck) // likewise
        share = 0.8f, sun = couScale(share * COU_MAX(cosine, 0.0f), couSunColor);
    else
        sun = sun_on(shading, sample, start, cosine, true, &share);
    couVec3 color = couAdd(couMul3(albedo, sun), couOccludedAmbient(albedo, normal, seen(open, normal, 0.667f)));

    // The wet coat mirrors sky and sun.
    couVec3 mirror = couReflect(sample->ray.direction, normal);
    float fresnel = couFresnel(0.03f, -couDot(normal, sample->ray.direction)) * (0.35f + 0.65f * wet);
    couVec3 sky = couScale(seen(open, mirror, 1.0f), couEnvironmentColor(mirror, shading->stage->has_ground));
    color = couMix3(color, sky, fresnel);
    float glint = share * (0.03f + 0.07f * wet) * couSunGlint(normal, sample->ray.direction, 110.0f);
    return couMulAdd(color, glint, couSunColor);
}

static float body_openness(const couShading *shading, const couSample *sample, couVec3 point, couVec3 normal)
{
    int count = shading->sample_count * BODY_RAYS, free_count = 0;
    for (int k = 0; k < BODY_RAYS; ++k) {
        // Samples interleave, so that together they cover the hemisphere evenly.
        couVec3 direction = couCosineDirection(normal, k * shading->sample_count + sample->index, count, sample->turn);
        couRay ray = {point, direction};
        free_count += !couStage_IsBlocked(shading->stage, ray, shading->reach, false);
    }
    return (float)free_count / BODY_RAYS;
}

// 0 near the focus, 1 where floor and sky have become one.
static float haze(const couShading *shading, couVec3 point)
{
    couVec3 way = couSub(point, shading->view->focus);
    float far = sqrtf(way.x * way.x + way.z * way.z) / (7.0f * shading->view->focus_size);
    return 1.0f - expf(-far * far);
}

static float surface_offset(const couShading *shading, float distance)
{
    return 4.0f * shading->stage->tolerance + 0.2f * shading->view->pixel * distance;
}

// Matt paint with a thin varnish.
// A body, or a deformable solid.
static couVec3 shade_body(const couShading *shading, const couSample *sample, const couHit *hit, couVec3 albedo,
                          bool is_unbounded)
{
    couVec3 start = couMulAdd(hit->point, surface_offset(shading, hit->distance), hit->normal);
    float share;
    couVec3 sun = sun_on(shading, sample, start, couDot(hit->normal, couSunDirection), false, &share);
    float open = body_openness(shading, sample, start, hit->normal);
    couVec3 color = couAdd(couMul3(albedo, sun), couOccludedAmbient(albedo, hit->normal, open));

    couVec3 mirror = couReflect(sample->ray.direction, hit->normal);
    float fresnel = 0.5f * open * couFresnel(0.03f, -couDot(hit->normal, sample->ray.direction));
    color = couMix3(color, couEnvironmentColor(mirror, shading->stage->has_ground), fresnel);
    color = couMulAdd(color, 0.012f * share * couSunGlint(hit->normal, sample->ray.direction, 40.0f), couSunColor);
    if (!is_unbounded) return color;
    return couMix3(color, couSkyColor(sample->ray.direction), haze(shading, hit->point));
}

static couVec3 shade_ground(const couShading *shading, const couSample *sample, float distance)
{
    const couVec3 up = {0, 1, 0};
    couVec3 p = couMulAdd(sample->ray.origin, distance, sample->ray.direction);
    float far = haze(shading, p);
    couVec3 sky = couSkyColor((couVec3){sample->ray.direction.x, 0.0f, sample->ray.direction.z});
    if (far > 0.998f) return sky;

    float footprint = shading->view->pixel * distance / COU_MAX(-sample->ray.direction.y, 0.02f);
    couVec3 albedo = couGroundColor(shading->stage->ground_color, p.x, p.z, shading->checker, footprint);
    p.y = shading->stage->ground + surface_offset(shading, 0.0f);
    float share;
    couVec3 sun = sun_on(shading, sample, p, couSunDirection.y, false, &share);
    couVec3 color = couAdd(couMul3(albedo, sun), couOccludedAmbient(albedo, up, ground_openness(shading, p)));
    return couMix3(color, sky, far);
}

// A ray on its way through glass.
typedef struct couGlassWay {
    couVec3 color; // gathered so far
    float left;    // share of the light behind that still gets through
    float entry;   // where the ray entered the wall that it is in, NaN when it is in none [m]
    float light;   // on that wall
} couGlassWay;

// What the surface mirrors. Edges would mirror everything: a limit keeps what is behind them visible.
static void add_mirror(const couShading *shading, const couSample *sample, const couHit *hit, couGlassWay *way)
{
    float cosine = couDot(hit->normal, sample->ray.direction);
    couVec3 normal = cosine < 0.0f ? hit->normal : couScale(-1.0f, hit->normal);
    couVec3 mirror = couReflect(sample->ray.direction, normal);
    float fresnel = COU_MIN(couFresnel(0.04f, fabsf(cosine)), 0.4f);
    couVec3 back = couScale(fresnel, couEnvironmentColor(mirror, shading->stage->has_ground));
    back = couMulAdd(back, 0.02f * couSunGlint(normal, sample->ray.direction, 200.0f), couSunColor);
    way->color = couMulAdd(way->color, way->left, back);
    way->left *= 1.0f - fresnel;
}

// What the wall from way->entry to `end` holds back: its opacity for a wall crossed straight, more along rims and corners, which
// are what one sees of a glass. Long ways look darker and take the colour.
static void add_tint(const couStageBody *body, float end, couGlassWay *way)
{
    float walls = COU_CLAMP((end - way->entry) / body->thinness, 1.0f, 6.0f);
    if (!isfinite(walls)) walls = 1.0f;
    float tint = 1.0f - powf(1.0f - body->look.opacity, walls);
    couVec3 lit = couMix3(body->look.color, couScale(0.55f, couMul3(body->look.color, body->look.color)), (walls - 1.0f) / 5.0f);
    way->color = couMulAdd(way->color, way->left * tint * way->light, lit);
    way->left *= 1.0f - tint;
    way->entry = NAN;
}

static couVec3 add_glass(const couShading *shading, const couSample *sample, float reach, couVec3 behind)
{
    couGlassWay way = {.left = 1.0f, .entry = NAN};
    const couStageBody *body = NULL;
    float start = 0.0f;
    for (int layer = 0; layer < MAX_GLASS_LAYERS && way.left > 0.01f; ++layer) {
        couHit hit = couStage_FindGlass(shading->stage, sample->ray, start, reach, shading->view->pixel);
        if (hit.kind == cou_hitNothing) break;
        float cosine = couDot(hit.normal, sample->ray.direction);
        if (body && !isnan(way.entry)) add_tint(body, hit.distance, &way);
        add_mirror(shading, sample, &hit, &way);
        body = &shading->stage->bodies[hit.index];
        if (cosine < 0.0f) {
            way.entry = hit.distance;
            way.light = 0.55f + 0.7f * COU_MAX(couDot(hit.normal, couSunDirection), 0.0f);
        }
        // On from behind the surface; slanted rays need a longer way to clear it.
        start = hit.distance + surface_offset(shading, hit.distance) / COU_MAX(fabsf(cosine), 0.1f);
    }
    if (body && !isnan(way.entry)) add_tint(body, reach, &way); // something solid stands in the wall
    return couMulAdd(way.color, way.left, behind);
}

static couVec3 shade_hit(couShading *shading, const couSample *sample, const couHit *hit, float ground)
{
    const couStage *stage = shading->stage;
    if (hit->kind == cou_hitParticle) return shade_particle(shading, sample, hit);
    if (hit->kind == cou_hitBody)
        return shade_body(shading, sample, hit, stage->bodies[hit->index].look.color, stage->bodies[hit->index].is_unbounded);
    if (hit->kind == cou_hitSurface)
        return shade_body(shading, sample, hit, couStageSurface_Color(&stage->surfaces[hit->index], hit), false);
    return ground < INFINITY ? shade_ground(shading, sample, ground) : couSkyColor(sample->ray.direction);
}

// A clear liquid over what is behind it. Some of its skin is always seen.
static couVec3 see_through(couShading *shading, const couSample *sample, const couHit *front, float ground, couVec3 color)
{
    const float most = 0.9f;
    const couStage *stage = shading->stage;
    float start = front->distance - stage->spheres[front->index].w; // where its first particles begin to count
    couHit behind = couStage_FindBehind(stage, sample->ray, front->distance, ground, shading->view->pixel);
    float through = couStage_LiquidLight(stage, sample->ray, COU_MAX(start, 0.0f), COU_MIN(behind.distance, ground));
    if (through < 0.01f) return color;
    couStage_BlendDiscs(stage, sample->ray, &behind);
    return couMix3(color, shade_hit(shading, sample, &behind, ground), COU_MIN(through, most));
}

couVec3 couShading_Color(couShading *shading, couRay ray, int x, int y, int index)
{
    const couStage *stage = shading->stage;
    couSample sample = {ray, index, couPixelNoise(x, y)};
    float ground = couStage_GroundDistance(stage, ray);
    couHit hit = couStage_FindSolid(stage, ray, ground, shading->view->pixel);
    couStage_BlendDiscs(stage, ray, &hit);
    couVec3 color = shade_hit(shading, &sample, &hit, ground);
    if (hit.kind == cou_hitParticle && couStage_IsClearParticle(stage, hit.index))
        color = see_through(shading, &sample, &hit, ground, color);
    if (!stage->glass) return color;
    return add_glass(shading, &sample, COU_MIN(hit.distance, ground), color);
}
