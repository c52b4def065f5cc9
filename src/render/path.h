/// Light paths of final pictures: from the camera backwards to the light, through clear matter and around corners.
#pragma once

#include "render/sampler.h"
#include "render/scatter.h"
#include "render/stage.h"

/// Clear matter as light inside it sees it.
typedef struct couMedium {
    couVec3 absorption; ///< [1/m]
    float scattering;   ///< [1/m]
    float refraction;
} couMedium;

typedef struct couTracer {
    const couStage *stage;
    const couPictureScene *scene;
    const couPictureOptions *options;
    const couView *view;
    float checker;                     ///< cell of the floor's pattern [m]
    float offset;                      ///< that a ray starts above its surface [m]
    couMedium *media;                  ///< of surfaces, then of bodies; bodies win where both are
    couSkinModel *models;              ///< likewise, without those that are like an earlier one
    int *model_of;                     ///< of surfaces, then bodies: index of the model
    couSkinModel floor, beads, specks; ///< the ground, particles, foam
    bool has_clear;                    ///< something lets light through
} couTracer;

/// What the first surfaces of a path were, to guide the denoiser.
typedef struct couPathFeatures {
    couVec3 albedo;
    couVec3 normal;
    float depth; ///< [m]
} couPathFeatures;

/// False with a fault without memory. Clear it in any case.
bool couTracer_Prepare(couTracer *tracer, const couStage *stage, const couPictureScene *scene, const couPictureOptions *options,
                       const couView *view, couFaults *faults);
void couTracer_Clear(couTracer *tracer);
/// Radiance of path `index` through the pixel.
couVec3 couTracer_Path(const couTracer *tracer, int x, int y, uint32_t index, couPathFeatures *features);
