// Scattering by facets with the GGX distribution and Smith's shadowing [Walter et al. 2007], facets sampled as the eye sees
// them [Heitz 2018]. Tables of what single reflections send on are integrated once for each look, 65 cosines with 1024 facets
// each, about 4 ms; they close the balance of energy: the coat hands what it does not reflect to the paint below, metal and
// rough clear matter get the rest back as light that bounced between facets, spread evenly.
//
// Limits: light bounced between facets is taken to be reflected or let through in the mean proportion, which is not reciprocal
// for clear matter. Where two clear materials meet, a rough interface uses the table of its own index against air.
#include "render/scatter.h"

#include "base/base.h"
#include "render/light.h"

static const float inv_pi = 0.318309886f;

float couDielectricFresnel(float cosine, float eta)
{
    float c = COU_CLAMP(fabsf(cosine), 0.0f, 1.0f);
    float g2 = eta * eta - 1.0f + c * c;
    if (!(g2 > 0.0f)) return 1.0f;
    float g = sqrtf(g2), a = (g - c) / (g + c), b = (c * (g + c) - 1.0f) / (c * (g - c) + 1.0f);
    return COU_MIN(0.5f * a * a * (1.0f + b * b), 1.0f);
}

void couMakeFrame(couVec3 n, couVec3 *u, couVec3 *v)
{
    float sign = copysignf(1.0f, n.z), a = -1.0f / (sign + n.z), b = n.x * n.y * a;
    *u = (couVec3){1.0f + sign * n.x * n.x * a, sign * b, -sign * n.x};
    *v = (couVec3){b, sign + n.y * n.y * a, -n.y};
}

// --- Facets -----------------------------------------------------------------------------------------------------------------

static float facet_density(couVec3 h, float alpha)
{
    float a2 = alpha * alpha, d = a2 * h.z * h.z + h.x * h.x + h.y * h.y;
    return a2 / ((float)COU_PI * d * d);
}

// Share of facets that a direction sees unhidden.
static float unhidden(couVec3 w, float alpha)
{
    float z2 = w.z * w.z;
    if (!(z2 > 0.0f)) return 0.0f;
    return 2.0f / (1.0f + sqrtf(1.0f + alpha * alpha * (w.x * w.x + w.y * w.y) / z2));
}

static couVec3 visible_facet(couVec3 out, float alpha, couVec2 place)
{
    couVec3 stretched = couNormalize((couVec3){alpha * out.x, alpha * out.y, out.z}), u = {1, 0, 0};
    // Both halves of the disc weigh as the hemisphere shows them, for which `u` must lie in the surface.
    if (stretched.x != 0.0f || stretched.y != 0.0f) u = couNormalize((couVec3){-stretched.y, stretched.x, 0.0f});
    couVec3 v = couCross(stretched, u);
    float radius = sqrtf(place.x), angle = 2.0f * (float)COU_PI * place.y;
    float x = radius * cosf(angle), y = radius * sinf(angle), s = 0.5f * (1.0f + stretched.z);
    y = (1.0f - s) * sqrtf(COU_MAX(1.0f - x * x, 0.0f)) + s * y;
    float z = sqrtf(COU_MAX(1.0f - x * x - y * y, 0.0f));
    couVec3 n = couAdd(couScale(x, u), couMulAdd(couScale(y, v), z, stretched));
    return couNormalize((couVec3){alpha * n.x, alpha * n.y, COU_MAX(n.z, 1e-6f)});
}

// Density of the facets that visible_facet() gives.
static float visible_density(couVec3 out, couVec3 h, float alpha)
{
    return unhidden(out, alpha) * COU_MAX(couDot(out, h), 0.0f) * facet_density(h, alpha) / out.z;
}

static couVec3 mirror_at(couVec3 out, couVec3 h) { return couMulAdd(couScale(-1.0f, out), 2.0f * couDot(out, h), h); }

// Through a facet that faces `out`; zero beyond the critical angle.
static couVec3 refract_at(couVec3 out, couVec3 h, float eta)
{
    float c = couDot(out, h), k = 1.0f - (1.0f - c * c) / (eta * eta);
    if (!(k > 0.0f) || !(c > 0.0f)) return (couVec3){0};
    return couNormalize(couMulAdd(couScale(-1.0f / eta, out), c / eta - sqrtf(k), h));
}

static couVec3 cosine_direction(couVec2 place)
{
    float radius = sqrtf(place.x), angle = 2.0f * (float)COU_PI * place.y;
    return (couVec3){radius * cosf(angle), radius * sinf(angle), sqrtf(COU_MAX(1.0f - place.x, 1e-8f))};
}

// --- Tables -----------------------------------------------------------------------------------------------------------------

// Even points of the unit square [Roberts 2018].
static couVec2 even_point(int i)
{
    double x = 0.5 + 0.7548776662466927 * i, y = 0.5 + 0.5698402909980532 * i;
    return (couVec2){(float)(x - floor(x)), (float)(y - floor(y))};
}

static float reflected_share(couSkin skin, float cosine, float eta)
{
    return skin == cou_skinMetal ? 1.0f : couDielectricFresnel(cosine, eta);
}

// Share sent on from `out`, and the reflected part of it.
static float integrate_albedo(couSkin skin, float alpha, float eta, float cosine, float *reflected)
{
    enum { COUNT = 1024 };
    double all = 0.0, back = 0.0;
    couVec3 out = {sqrtf(COU_MAX(1.0f - cosine * cosine, 0.0f)), 0.0f, cosine};
    for (int i = 0; i < COUNT; ++i) {
        couVec3 h = visible_facet(out, alpha, even_point(i));
        couVec3 mirror = mirror_at(out, h);
        float share = reflected_share(skin, couDot(out, h), eta);
        if (mirror.z > 0.0f) back += (double)(share * unhidden(mirror, alpha));
        if (skin != cou_skinClear || share >= 1.0f) continue;
        couVec3 in = refract_at(out, h, eta);
        if (in.z < 0.0f) all += (double)((1.0f - share) * unhidden(in, alpha));
    }
    *reflected = (float)(back / COUNT);
    return (float)((all + back) / COUNT);
}

// Light bounced between facets leaves with the density (1 - E(mu)) mu [Kulla and Conty 2017]: the shares of the table's
// intervals.
static void fill_shares(couAlbedoTable *table, int side)
{
    const int last = COU_ALBEDO_ENTRIES - 1;
    double sum = 0.0, weight[COU_ALBEDO_ENTRIES - 1];
    for (int i = 0; i < last; ++i) {
        double lost = 2.0 - (double)table->albedo[side][i] - (double)table->albedo[side][i + 1];
        weight[i] = (lost + 1e-6) * (i + 0.5);
        sum += weight[i];
    }
    for (int i = 0; i < last; ++i) table->share[side][i] = (float)(weight[i] / sum);
}

static void fill_table(couAlbedoTable *table)
{
    const int last = COU_ALBEDO_ENTRIES - 1;
    int sides = table->skin == cou_skinClear ? 2 : 1;
    for (int side = 0; side < sides; ++side) {
        float eta = side == 0 ? table->index : 1.0f / table->index;
        double mean = 0.0, back_mean = 0.0;
        for (int i = 0; i <= last; ++i) {
            float cosine = COU_MAX((float)i / (float)last, 0.004f), back;
            float albedo = integrate_albedo(table->skin, table->alpha, eta, cosine, &back);
            table->albedo[side][i] = COU_MIN(albedo, 1.0f);
        }
        // The mean of 2 mu E(mu), exactly of the interpolated table.
        for (int i = 0; i < last; ++i) {
            double a = (double)i / last, d = 1.0 / last, e = (double)table->albedo[side][i];
            double slope = (double)table->albedo[side][i + 1] - e;
            mean += 2.0 * d * (e * (a + 0.5 * d) + slope * (0.5 * a + d / 3.0));
        }
        for (int i = 0; i < 16; ++i) {
            float cosine = ((float)i + 0.5f) / 16.0f, back;
            integrate_albedo(table->skin, table->alpha, eta, cosine, &back);
            back_mean += 2.0 * (double)cosine * (double)back / 16.0;
        }
        table->mean[side] = (float)COU_MIN(mean, 1.0);
        fill_shares(table, side);
        table->reflected[side] = (float)COU_CLAMP(back_mean / COU_MAX(mean, 1e-6), 0.0, 1.0);
    }
}

// A direction of bounced light, z > 0.
static couVec3 bounced_direction(const couAlbedoTable *table, int side, couVec2 place)
{
    const int last = COU_ALBEDO_ENTRIES - 1;
    int i = 0;
    float u = place.x;
    while (i < last - 1 && u >= table->share[side][i]) u -= table->share[side][i++];
    float z = ((float)i + COU_CLAMP(u / table->share[side][i], 0.0f, 0.999f)) / (float)last;
    float ring = sqrtf(COU_MAX(1.0f - z * z, 0.0f)), angle = 2.0f * (float)COU_PI * place.y;
    return (couVec3){ring * cosf(angle), ring * sinf(angle), COU_MAX(z, 1e-4f)};
}

static float bounced_density(const couAlbedoTable *table, int side, float cosine)
{
    const int last = COU_ALBEDO_ENTRIES - 1;
    int i = COU_MIN((int)(fabsf(cosine) * (float)last), last - 1);
    return table->share[side][i] * (float)last * 0.5f * inv_pi;
}

static float table_albedo(const couAlbedoTable *table, int side, float cosine)
{
    float x = COU_CLAMP(fabsf(cosine), 0.0f, 1.0f) * (COU_ALBEDO_ENTRIES - 1);
    int i = COU_MIN((int)x, COU_ALBEDO_ENTRIES - 2);
    float t = x - (float)i;
    return (1.0f - t) * table->albedo[side][i] + t * table->albedo[side][i + 1];
}

void couSkinModel_Prepare(couSkinModel *model, const couLook *look)
{
    const float min_alpha = 1e-3f;
    float alpha = look->roughness * look->roughness;
    *model = (couSkinModel){.skin = couLook_Skin(look),
                            .alpha = alpha,
                            .asked_alpha = alpha,
                            .metalness = look->metalness,
                            .index = look->refraction};
    if (model->skin == cou_skinClear && (alpha < min_alpha || look->refraction < 1.0001f)) {
        model->alpha = 0.0f;
        return;
    }
    model->alpha = COU_MAX(alpha, min_alpha);
    model->coat = (couAlbedoTable){.skin = model->skin == cou_skinClear ? cou_skinClear : cou_skinPaint,
                                   .alpha = model->alpha,
                                   .index = COU_MAX(look->refraction, 1.0001f)};
    fill_table(&model->coat);
    if (model->skin != cou_skinMetal) return;
    model->metal = (couAlbedoTable){.skin = cou_skinMetal, .alpha = model->alpha, .index = 1.5f};
    fill_table(&model->metal);
}

// --- Opaque matter ----------------------------------------------------------------------------------------------------------

static float paint_coat_share(const couSkinModel *model, couVec3 color, float cosine)
{
    float coat = table_albedo(&model->coat, 0, cosine);
    float paint = (1.0f - coat) * COU_MAX(color.x, COU_MAX(color.y, color.z));
    return COU_MAX(coat / COU_MAX(coat + paint, 1e-6f), 0.1f);
}

// Density and f cos of one reflection on facets, without Fresnel's share.
static float facet_reflection(const couSkinModel *model, couVec3 out, couVec3 in, couVec3 *h, float *density)
{
    *h = couNormalize(couAdd(out, in));
    float visible = visible_density(out, *h, model->alpha), c = couDot(out, *h);
    *density = c > 0.0f ? visible / (4.0f * c) : 0.0f;
    return *density * unhidden(in, model->alpha);
}

static couVec3 evaluate_paint(const couSkinModel *model, couVec3 color, couVec3 out, couVec3 in, float *density)
{
    couVec3 h;
    float facet_pdf, facets = facet_reflection(model, out, in, &h, &facet_pdf);
    float coat = facets * couDielectricFresnel(couDot(out, h), model->index);
    float below = (1.0f - table_albedo(&model->coat, 0, out.z)) * (1.0f - table_albedo(&model->coat, 0, in.z)) /
                  COU_MAX(1.0f - model->coat.mean[0], 1e-4f) * in.z * inv_pi;
    float share = paint_coat_share(model, color, out.z);
    *density = share * facet_pdf + (1.0f - share) * in.z * inv_pi;
    return couAdd((couVec3){coat, coat, coat}, couScale(below, color));
}

static float bounced(float color, float mean)
{
    // Mean Fresnel share of Schlick's formula, and the series of bounces between facets [Kulla and Conty 2017].
    float f = color + (1.0f - color) / 21.0f;
    return f * f * mean / (1.0f - f * (1.0f - mean));
}

static couVec3 evaluate_metal(const couSkinModel *model, couVec3 color, couVec3 out, couVec3 in, float *density)
{
    couVec3 h;
    float facet_pdf, facets = facet_reflection(model, out, in, &h, &facet_pdf), c = couDot(out, h);
    couVec3 fresnel = {couFresnel(color.x, c), couFresnel(color.y, c), couFresnel(color.z, c)};
    const couAlbedoTable *table = &model->metal;
    float mean = table->mean[0], lost = 1.0f - table_albedo(table, 0, out.z);
    float spread = lost * (1.0f - table_albedo(table, 0, in.z)) / COU_MAX(1.0f - mean, 1e-4f) * in.z * inv_pi;
    couVec3 again = {bounced(color.x, mean), bounced(color.y, mean), bounced(color.z, mean)};
    *density = (1.0f - lost) * facet_pdf + lost * bounced_density(table, 0, in.z);
    return couAdd(couScale(facets, fresnel), couScale(spread, again));
}

static couVec3 evaluate_opaque(const couSkinModel *model, couVec3 color, couVec3 out, couVec3 in, float *density)
{
    *density = 0.0f;
    if (!(in.z > 0.0f)) return (couVec3){0};
    if (model->skin == cou_skinPaint) return evaluate_paint(model, color, out, in, density);
    float metal_pdf, paint_pdf = 0.0f, share = model->metalness;
    couVec3 metal = evaluate_metal(model, color, out, in, &metal_pdf);
    if (share >= 1.0f) {
        *density = metal_pdf;
        return metal;
    }
    couVec3 paint = evaluate_paint(model, color, out, in, &paint_pdf);
    *density = share * metal_pdf + (1.0f - share) * paint_pdf;
    return couMix3(paint, metal, share);
}

static couVec3 sample_opaque(const couSkinModel *model, couVec3 color, couVec3 out, float choice, couVec2 place)
{
    float facet_share = paint_coat_share(model, color, out.z);
    if (model->skin == cou_skinMetal) {
        float metal_share = model->metalness;
        if (choice < metal_share) {
            bool is_single = choice / metal_share < table_albedo(&model->metal, 0, out.z);
            if (!is_single) return bounced_direction(&model->metal, 0, place);
            return mirror_at(out, visible_facet(out, model->alpha, place));
        }
        choice = (choice - metal_share) / (1.0f - metal_share);
    }
    if (choice < facet_share) return mirror_at(out, visible_facet(out, model->alpha, place));
    return cosine_direction(place);
}

// --- Clear matter -----------------------------------------------------------------------------------------------------------

// f cos and density of light bounced between facets before it goes on.
static float evaluate_bounced(const couSkinModel *model, int side, bool is_through, couVec3 out, couVec3 in, float *density)
{
    const couAlbedoTable *table = &model->coat;
    int other = is_through ? 1 - side : side;
    float lost = 1.0f - table_albedo(table, side, out.z), back = table->reflected[side];
    float share = is_through ? 1.0f - back : back;
    float spread = (1.0f - table_albedo(table, other, in.z)) / COU_MAX(1.0f - table->mean[other], 1e-6f) * fabsf(in.z) * inv_pi;
    *density = lost * share * bounced_density(table, other, in.z);
    return lost * share * spread;
}

static couVec3 evaluate_clear(const couSkinModel *model, float eta, couVec3 out, couVec3 in, float *density)
{
    int side = eta >= 1.0f ? 0 : 1;
    bool is_through = in.z < 0.0f;
    float bounced_pdf, f = evaluate_bounced(model, side, is_through, out, in, &bounced_pdf), facet_pdf = 0.0f;
    float single = table_albedo(&model->coat, side, out.z);
    if (!is_through) {
        couVec3 h;
        float facets = facet_reflection(model, out, in, &h, &facet_pdf), share = couDielectricFresnel(couDot(out, h), eta);
        f += share * facets;
        facet_pdf *= share;
    } else {
        couVec3 h = couMulAdd(out, eta, in);
        h = couNormalize(h.z < 0.0f ? couScale(-1.0f, h) : h);
        float c = couDot(out, h), c_in = couDot(in, h), root = c + eta * c_in;
        if (c > 0.0f && c_in < 0.0f && root * root > 1e-12f) {
            float share = 1.0f - couDielectricFresnel(c, eta);
            facet_pdf = share * visible_density(out, h, model->alpha) * -c_in * eta * eta / (root * root);
            f += facet_pdf * unhidden(in, model->alpha);
        }
    }
    *density = single * facet_pdf + bounced_pdf;
    if (is_through) f /= eta * eta; // radiance spreads with the square of the index
    return (couVec3){f, f, f};
}

static couVec3 sample_rough_clear(const couSkinModel *model, float eta, couVec3 out, couVec2 choice, couVec2 place)
{
    int side = eta >= 1.0f ? 0 : 1;
    float single = table_albedo(&model->coat, side, out.z);
    if (choice.x >= single) {
        bool is_through = choice.y >= model->coat.reflected[side];
        couVec3 in = bounced_direction(&model->coat, is_through ? 1 - side : side, place);
        if (is_through) in.z = -in.z;
        return in;
    }
    couVec3 h = visible_facet(out, model->alpha, place);
    float share = couDielectricFresnel(couDot(out, h), eta);
    // What a facet sends to the wrong side counts as lost in the table, and comes back bounced.
    bool is_mirrored = choice.y < share;
    couVec3 in = is_mirrored ? mirror_at(out, h) : refract_at(out, h, eta);
    return is_mirrored == (in.z > 0.0f) ? in : (couVec3){0};
}

static bool sample_smooth_clear(float eta, couVec3 out, float choice, float bias, couScattered *scattered)
{
    const couVec3 up = {0, 0, 1};
    float share = couDielectricFresnel(out.z, eta);
    float chance = share < 1.0f ? COU_CLAMP(share, bias, 1.0f - bias) : 1.0f;
    bool is_through = choice >= chance;
    couVec3 in = is_through ? refract_at(out, up, eta) : mirror_at(out, up);
    if (is_through && in.z == 0.0f) return false;
    float weight = is_through ? (1.0f - share) / ((1.0f - chance) * eta * eta) : share / chance;
    *scattered = (couScattered){in, {weight, weight, weight}, INFINITY, is_through};
    return true;
}

// --- All --------------------------------------------------------------------------------------------------------------------

couVec3 couEvaluateSkin(const couSkinModel *model, couVec3 color, float eta, couVec3 out, couVec3 in, float *density)
{
    *density = 0.0f;
    if (model->skin != cou_skinClear) return evaluate_opaque(model, color, out, in, density);
    if (model->alpha == 0.0f) return (couVec3){0};
    return evaluate_clear(model, eta, out, in, density);
}

bool couSampleSkin(const couSkinModel *model, couVec3 color, float eta, couVec3 out, couVec2 choice, couVec2 place, float bias,
                   couScattered *scattered)
{
    bool is_clear = model->skin == cou_skinClear;
    if (is_clear && model->alpha == 0.0f) return sample_smooth_clear(eta, out, choice.x, bias, scattered);
    couVec3 in = is_clear ? sample_rough_clear(model, eta, out, choice, place)
                          : sample_opaque(model, color, out, choice.x, place);
    if (in.z == 0.0f || (!is_clear && in.z < 0.0f)) return false;
    float density;
    couVec3 f = couEvaluateSkin(model, color, eta, out, in, &density);
    if (!(density > 0.0f)) return false;
    *scattered = (couScattered){in, couScale(1.0f / density, f), density, in.z < 0.0f};
    return couIsFinite3(scattered->weight);
}
