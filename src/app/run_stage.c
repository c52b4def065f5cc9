// What the files of a run say about the scene for whoever draws them: materials, camera, bodies.
#include "app/run.h"

#include <stdio.h>

// Planes reach this many times as far as what is to be seen.
#define CLIP_REACH 2.0f

// A box around the bounds for planes to end at; of an empty scene some metres.
static couBounds clip_around(couBounds b)
{
    couVec3 size = {b.upper.x - b.lower.x, b.upper.y - b.lower.y, b.upper.z - b.lower.z};
    float extent = fmaxf(size.x, fmaxf(size.y, size.z));
    if (!(extent > 0.0f) || !isfinite(extent)) return (couBounds){{-5, -5, -5}, {5, 5, 5}};
    couVec3 middle = {0.5f * (b.lower.x + b.upper.x), 0.5f * (b.lower.y + b.upper.y), 0.5f * (b.lower.z + b.upper.z)};
    float reach = CLIP_REACH * extent;
    return (couBounds){{middle.x - reach, middle.y - reach, middle.z - reach},
                       {middle.x + reach, middle.y + reach, middle.z + reach}};
}

static bool describe(couScene *scene, double fps, couStageFile *stage)
{
    couWorld *world = couScene_World(scene);
    const couWorldDef *def = couWorld_Def(world);
    *stage = (couStageFile){.dimension = def->dimension, .spacing = def->spacing, .fps = fps};
    snprintf(stage->scene, sizeof stage->scene, "%s", couScene_Path(scene));
    for (int i = 0; i < couWorld_MaterialCount(world); i++) {
        const couMaterialDef *material = couWorld_Material(world, couWorld_MaterialAt(world, i));
        couStageFileMaterial *entry = couStageFile_AddMaterial(stage);
        if (!entry) return false;
        snprintf(entry->name, sizeof entry->name, "%s", material->name);
        entry->density = material->density;
        entry->viscosity = material->viscosity;
        entry->look = couStageLookOfMaterial(material);
    }
    couCamera camera = couScene_Camera(scene);
    couStageFileCamera *entry = camera.is_set ? couStageFile_AddCamera(stage) : NULL;
    if (entry) *entry = (couStageFileCamera){.from = camera.from, .to = camera.to, .fov = camera.fov};
    return !camera.is_set || entry;
}

couBodyFiles *couOpenRunBodies(couScene *scene, const char *folder, double fps, couBounds bounds, int keep_frames,
                               couFaults *faults)
{
    couStageFile stage;
    if (describe(scene, fps, &stage)) return couOpenBodyFiles(folder, &stage, clip_around(bounds), keep_frames, faults);
    couFaults_Add(faults, folder, NULL, "no memory for stage.json");
    couStageFile_Clear(&stage);
    return NULL;
}
