/// What surfaces do with light: paint under a coat, metal, clear matter, each smooth or rough. Directions are local: z is the
/// normal, `out` points to where the path came from (z > 0), `in` to where it goes on, that is, where light comes from.
///
/// No surface makes or, being white, loses light: what the single reflection on rough facets lacks is given back as light that
/// bounced between them [Kulla and Conty 2017].
#pragma once

#include "render/look.h"
#include "render/sampler.h"

#define COU_ALBEDO_ENTRIES 65

/// Share of light that one reflection (and refraction) on the facets sends on, by the cosine of the way in; from outside and
/// inside.
typedef struct couAlbedoTable {
    couSkin skin;
    float alpha, index;                     ///< what it was made for
    float albedo[2][COU_ALBEDO_ENTRIES];    ///< at cosines 0 to 1
    float mean[2];                          ///< over the hemisphere, weighted by the cosine
    float reflected[2];                     ///< part of the mean that is reflected
    float share[2][COU_ALBEDO_ENTRIES - 1]; ///< of bounced light, between two entries
} couAlbedoTable;

typedef struct couSkinModel {
    couSkin skin;
    float alpha;       ///< GGX width; 0: a perfect interface, of clear matter only
    float asked_alpha; ///< as the look says
    float metalness;
    float index;                ///< of the coat
    couAlbedoTable coat, metal; ///< clear matter has its own in `coat`
} couSkinModel;

void couSkinModel_Prepare(couSkinModel *model, const couLook *look);

typedef struct couScattered {
    couVec3 in;     ///< unit, local
    couVec3 weight; ///< f cos / density
    float density;  ///< [1/sr]; infinity of a perfect interface
    bool is_through;
} couScattered;

/// f |cos| for light from `in` and the density with which couSample() finds it. `eta` is the index behind the surface over that
/// before it.
couVec3 couEvaluateSkin(const couSkinModel *model, couVec3 color, float eta, couVec3 out, couVec3 in, float *density);
/// A direction by chance; false when the path ends here. `bias` > 0: at least this share of paths reflects at a perfect
/// interface.
bool couSampleSkin(const couSkinModel *model, couVec3 color, float eta, couVec3 out, couVec2 choice, couVec2 place, float bias,
                   couScattered *scattered);

/// Share that a smooth interface reflects of unpolarised light; 1 beyond the critical angle.
float couDielectricFresnel(float cosine, float eta);
/// Two unit vectors across a unit axis [Duff et al. 2017].
void couMakeFrame(couVec3 axis, couVec3 *u, couVec3 *v);
